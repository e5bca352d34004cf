//! Why a record at risk that has partners is left without a swap.
//!
//! Every cell of the file is a possible partner, and the one that comes furthest decides:
//! an exchange that parts or detaches it from its keys, on which the two agree where they must,
//! that makes no cell or combination that must not be, with a free record. The work for all left
//! records together is bounded and each has its share; a record whose share ends first is
//! [`Obstacle::Unknown`].
//!
//! Way in: `Planner::left_over`.

use rayon::prelude::*;

use super::Planner;
use super::effort::{OFFERING, REFUSING, Search};
use super::exchange::OffersView;
use crate::table::CellId;

/// What keeps a record from a swap, from the hardest to the softest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Obstacle {
    /// No exchange with any partner parts or detaches it from its keys and leaves alone what
    /// stays.
    Keys,
    /// Such exchanges exist, but with no partner that agrees where it must.
    Match,
    /// Those break a rule or give a record the keys of somebody at risk.
    Rules,
    /// It stays with others who have its keys: they came to have them, or cannot leave and
    /// would be alone.
    Company,
    /// Allowed partners exist, and all are taken by other swaps.
    Taken,
    /// There is a free one, and no more records may be changed.
    Budget,
    /// Not all partners were looked at.
    Unknown,
}

/// The records at risk of one cell that have partners and no swap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeftOver {
    /// The cell.
    pub cell: CellId,
    /// How many of its records at risk are left.
    pub records: u32,
    /// What keeps them from one.
    pub obstacle: Obstacle,
}

/// The records at risk of one cell that are left without a swap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Remaining {
    /// The cell.
    pub cell: CellId,
    /// How many of its records at risk are left.
    pub records: u32,
}

impl Planner<'_> {
    /// The records at risk that have partners and no swap, in the order of their cells.
    ///
    /// Law: `left-over-for-a-reason`.
    pub(super) fn left_over(&mut self) -> Vec<LeftOver> {
        self.close_cells();
        let steps = self.effort.steps_for_reasons(self.open.len());
        let this = &*self;
        let (obstacles, taken): (Vec<Obstacle>, Vec<usize>) = this
            .open
            .par_iter()
            .map_init(
                || this.offers.view(),
                |offers, &cell| this.obstacle(cell as usize, offers, steps),
            )
            .unzip();
        self.effort.spend(Search::Reasons, taken.into_iter().sum::<usize>() as u64);
        let left = self.open.iter().zip(obstacles);
        left.map(|(&cell, obstacle)| {
            let records = self.pool.open(cell as usize);
            LeftOver { cell: CellId(cell), records, obstacle }
        })
        .collect()
    }

    /// How far the partner of a cell that comes furthest comes, and how many steps it took.
    fn obstacle(
        &self,
        cell: usize,
        offers: &mut OffersView<'_>,
        steps: usize,
    ) -> (Obstacle, usize) {
        let cells = self.task.joint.cells();
        if self.given_up.holds(cell) || self.combinations.iter().any(|keys| keys.is_joined(cell)) {
            return (Obstacle::Company, 0);
        }
        let mut furthest = Obstacle::Keys;
        let mut taken = 0;
        for other in (0..cells.len()).filter(|&other| other != cell) {
            taken += 1;
            if taken > steps {
                return (Obstacle::Unknown, taken);
            }
            // One that cannot come further than another one did is passed over before it is asked
            // what it offers, which is most of the work.
            if furthest >= Obstacle::Taken && !self.pool.is_free(other) {
                continue;
            }
            let differing = self.differing(cell, other);
            let agrees = |agree| !differing.meets(agree);
            let matches = self.task.constraints.matches.iter().any(agrees);
            if furthest >= Obstacle::Match && !matches {
                continue;
            }
            taken += OFFERING;
            let Some(offer) = offers.get(differing) else { continue };
            let here = if !matches {
                Obstacle::Match
            } else if self.judge_any(cell, other, differing, offer, u64::MAX).is_none() {
                taken += REFUSING;
                Obstacle::Rules
            } else if !self.pool.is_free(other) {
                Obstacle::Taken
            } else if self.is_full() {
                return (Obstacle::Budget, taken);
            } else {
                // The search is bounded and did not come to this one.
                return (Obstacle::Unknown, taken);
            };
            furthest = furthest.max(here);
        }
        (furthest, taken)
    }
}

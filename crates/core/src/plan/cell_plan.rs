//! A plan on cells: how many records of which cell exchange what with which other cell.
//!
//! Nothing here names a record. A swap takes one record of each of two cells, a group one of
//! each of several; of each it says whether it is one at risk. Which records these are is a
//! separate choice, see [`draw`](super::draw()).

use rayon::prelude::*;

use super::SIDE_BY_SIDE;
use crate::bucket_sort::bucket_sorted;
use crate::encode::Layout;
use crate::graph::GeneratingClass;
use crate::moves::sources;
use crate::partner::pair;
use crate::table::{CellId, JointTable};
use crate::varset::VarSet;

/// One record of a cell that takes part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Taken {
    /// The cell.
    pub cell: CellId,
    /// Is it one of the records at risk, or one of the others?
    pub at_risk: bool,
}

/// A swap between records of two cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct CellSwap {
    /// One record.
    pub left: Taken,
    /// The other one.
    pub right: Taken,
    /// E: the variables whose values they exchange.
    pub exchanged: VarSet,
}

/// Records of several cells that exchange values among each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellGroup {
    members: Vec<Taken>,
    takes: Vec<Take>,
}

/// Where the values of one variable come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Take {
    /// The variable.
    pub variable: usize,
    /// For each member of the group, by position, the member whose value it takes; itself
    /// where it keeps its own.
    pub from: Vec<usize>,
}

impl CellGroup {
    /// The group that gives these records these cells.
    ///
    /// Law: `a-group-keeps-every-table`.
    ///
    /// # Panics
    /// When a kept table would change, or the values of a variable do not only change
    /// places: a planner that does that is broken.
    #[must_use]
    pub fn new(
        joint: &JointTable,
        class: &GeneratingClass,
        mut members: Vec<(Taken, Vec<u64>)>,
    ) -> Self {
        members.sort_unstable();
        let (members, after): (Vec<Taken>, Vec<Vec<u64>>) = members.into_iter().unzip();
        let before: Vec<&[u64]> =
            members.iter().map(|taken| joint.cells().get(taken.cell.position())).collect();
        let layout = joint.cells().layout();
        let kept = |margin: &VarSet| keeps_table(layout, &before, &after, *margin);
        assert!(class.margins().iter().all(kept), "a group keeps every table");
        let takes = sources(layout, &before, &after)
            .into_iter()
            .map(|(variable, from)| Take { variable, from })
            .collect();
        Self { members, takes }
    }

    /// Its records.
    #[must_use]
    pub fn members(&self) -> &[Taken] {
        &self.members
    }

    /// Where the values come from, for each variable that changes.
    #[must_use]
    pub fn takes(&self) -> &[Take] {
        &self.takes
    }

    /// The cells of its records afterwards, in their order.
    #[must_use]
    pub fn after(&self, joint: &JointTable) -> Vec<Vec<u64>> {
        let cells = joint.cells();
        let before: Vec<&[u64]> =
            self.members.iter().map(|taken| cells.get(taken.cell.position())).collect();
        let takes = self.takes.iter().map(|take| (take.variable, &take.from[..]));
        taken(cells.layout(), &before, takes)
    }

    /// How many of its records have another cell afterwards.
    #[must_use]
    pub fn records_changed(&self) -> u64 {
        let changes = |place: usize| self.takes.iter().any(|take| take.from[place] != place);
        (0..self.members.len()).filter(|&place| changes(place)).count() as u64
    }

    fn values_changed(&self, counted: VarSet) -> u64 {
        let moved = |take: &Take| {
            take.from.iter().enumerate().filter(|(place, from)| place != *from).count() as u64
        };
        self.takes.iter().filter(|take| counted.contains(take.variable)).map(moved).sum()
    }
}

/// The cells of some records after they took values from each other: for each variable that
/// changes, from which of them each takes its value.
pub(crate) fn taken<'t>(
    layout: &Layout,
    before: &[&[u64]],
    takes: impl IntoIterator<Item = (usize, &'t [usize])>,
) -> Vec<Vec<u64>> {
    let mut after: Vec<Vec<u64>> = before.iter().map(|cell| cell.to_vec()).collect();
    for (variable, from) in takes {
        let mask = layout.mask(VarSet::single(variable));
        for (cell, &from) in after.iter_mut().zip(from) {
            for ((word, mask), comes) in cell.iter_mut().zip(mask.words()).zip(before[from]) {
                *word = (*word & !mask) | (comes & mask);
            }
        }
    }
    after
}

/// Are the cells of a table the same before and after, counted?
pub(super) fn keeps_table(
    layout: &Layout,
    before: &[&[u64]],
    after: &[Vec<u64>],
    margin: VarSet,
) -> bool {
    let mask = layout.mask(margin);
    let seen = |cell: &[u64]| -> Vec<u64> {
        cell.iter().zip(mask.words()).map(|(word, mask)| word & mask).collect()
    };
    let mut before: Vec<Vec<u64>> = before.iter().map(|cell| seen(cell)).collect();
    let mut after: Vec<Vec<u64>> = after.iter().map(|cell| seen(cell)).collect();
    before.sort_unstable();
    after.sort_unstable();
    before == after
}

/// Panics unless an exchange between two cells that differ in these variables has an effect and keeps
/// every table.
fn prove(class: &GeneratingClass, (differing, exchanged): (VarSet, VarSet)) {
    assert!(exchanged.is_subset(&differing), "only what differs is exchanged");
    assert!(pair::is_effective(differing, exchanged), "a swap has an effect");
    let kept = |margin: &VarSet| pair::keeps(differing, exchanged, *margin);
    assert!(class.margins().iter().all(kept), "a swap keeps every table");
}

/// Swaps and groups on cells that keep every table and take no more records of a cell than
/// it has. Only a constructor that checks all of this makes one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellPlan {
    swaps: Vec<CellSwap>,
    groups: Vec<CellGroup>,
}

impl CellPlan {
    /// The plan of these swaps and groups, in the order of their cells. `at_risk` says how
    /// many records of each cell are at risk.
    ///
    /// Law: `a-plan-keeps-every-table`.
    ///
    /// # Panics
    /// When a cell gives more records than it has, or a swap has no effect or changes a
    /// table: a planner that does that is broken.
    #[must_use]
    pub fn new(
        joint: &JointTable,
        at_risk: &[u32],
        class: &GeneratingClass,
        mut swaps: Vec<CellSwap>,
        mut groups: Vec<CellGroup>,
    ) -> Self {
        swaps.par_chunks_mut(SIDE_BY_SIDE).for_each(|swaps| {
            // What is proved of one swap is proved of the next where both are of the same kind.
            let mut proved = None;
            for swap in swaps {
                if swap.left > swap.right {
                    std::mem::swap(&mut swap.left, &mut swap.right);
                }
                let (left, right) = (swap.left.cell.position(), swap.right.cell.position());
                let kind = (joint.cells().differing(left, right), swap.exchanged);
                if proved != Some(kind) {
                    prove(class, kind);
                    proved = Some(kind);
                }
            }
        });
        let swaps = bucket_sorted(swaps, |swap| swap.left.cell.0.into());
        groups.sort_by(|one, other| one.members.cmp(&other.members));
        let plan = Self { swaps, groups };
        // What is left of each cell: those at risk, and the others.
        let counts = joint.counts().iter().zip(at_risk);
        let mut left: Vec<[u32; 2]> =
            counts.map(|(count, at_risk)| [*at_risk, count - at_risk]).collect();
        for taken in plan.taken() {
            let left = &mut left[taken.cell.position()][usize::from(!taken.at_risk)];
            *left = left.checked_sub(1).expect("a cell gives the records that it has");
        }
        plan
    }

    /// The swaps.
    #[must_use]
    pub fn swaps(&self) -> &[CellSwap] {
        &self.swaps
    }

    /// The groups of more than two records.
    #[must_use]
    pub fn groups(&self) -> &[CellGroup] {
        &self.groups
    }

    /// All records that take part.
    pub fn taken(&self) -> impl Iterator<Item = Taken> {
        let in_swaps = self.swaps.iter().flat_map(|swap| [swap.left, swap.right]);
        in_swaps.chain(self.groups.iter().flat_map(|group| group.members.iter().copied()))
    }

    /// How many records at risk take part.
    #[must_use]
    pub fn covered(&self) -> u64 {
        self.taken().filter(|taken| taken.at_risk).count() as u64
    }

    /// How many records the swaps change: two each, and those of the groups.
    #[must_use]
    pub fn records_changed(&self) -> u64 {
        let in_groups: u64 = self.groups.iter().map(CellGroup::records_changed).sum();
        2 * self.swaps.len() as u64 + in_groups
    }

    /// How many values of these variables they change.
    #[must_use]
    pub fn values_changed(&self, counted: VarSet) -> u64 {
        let in_groups: u64 = self.groups.iter().map(|group| group.values_changed(counted)).sum();
        let exchanged = |swap: &CellSwap| 2 * (swap.exchanged & counted).len() as u64;
        self.swaps.iter().map(exchanged).sum::<u64>() + in_groups
    }
}

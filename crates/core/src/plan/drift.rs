//! How far swaps move the weighted cells of kept tables.
//!
//! A weight stays with its line. A swap of E between records of weights w and w′ changes, in every
//! table that holds a differing variable of E, two weighted cells by |w − w′|, and leaves all other
//! tables alone. Of two sides that may be exchanged the one is taken that moves less, and of equally
//! good partners the one with the nearer weight.
//!
//! What has moved is added up without its sign, so that no order of making and undoing swaps can
//! bring a cell beyond its bound: the sum is never below the true drift.

use std::fmt;

use super::judge::Change;
use crate::table::{Grouping, JointTable};
use crate::varset::VarSet;

/// A bound on the drift of weighted cells.
#[derive(Clone, PartialEq, Eq)]
pub struct WeightBound {
    /// The variable that holds the weights; it stays.
    pub variable: usize,
    /// The weight of each of its codes, in units of any size.
    pub weights: Vec<u128>,
    /// The tables whose weighted cells are bounded.
    pub tables: Vec<VarSet>,
    /// No cell moves by more than this part of its weighted count: numerator and denominator.
    pub share: [u64; 2],
}

impl fmt::Debug for WeightBound {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { variable, tables, share: [part, whole], .. } = self;
        write!(
            formatter,
            "WeightBound(variable {variable}, {} tables, {part}/{whole})",
            tables.len()
        )
    }
}

/// A share of a sum, rounded down.
pub(crate) fn share_of(sum: u128, share: [u64; 2]) -> u128 {
    let [part, whole] = share.map(u128::from);
    sum / whole * part + sum % whole * part / whole
}

/// How far each weighted cell may still move.
#[derive(Clone)]
pub(super) struct Drift {
    /// The weight of a record of each cell of the joint table.
    weights: Vec<u128>,
    rooms: Vec<Room>,
}

#[derive(Clone)]
struct Room {
    margin: VarSet,
    cells: Grouping,
    left: Vec<u128>,
}

impl Drift {
    pub(super) fn new(bound: &WeightBound, joint: &JointTable) -> Self {
        let cells = joint.cells();
        let layout = cells.layout();
        let weight = |cell: &[u64]| bound.weights[layout.code(cell, bound.variable) as usize];
        let weights: Vec<u128> = cells.iter().map(weight).collect();
        let room = |&margin: &VarSet| {
            let groups = Grouping::of(cells, margin);
            let mut total = vec![0u128; groups.groups()];
            for (cell, (&weight, &records)) in weights.iter().zip(joint.counts()).enumerate() {
                total[groups.group_of()[cell] as usize] += weight * u128::from(records);
            }
            let left = total.into_iter().map(|total| share_of(total, bound.share)).collect();
            Room { margin, cells: groups, left }
        };
        Self { rooms: bound.tables.iter().map(room).collect(), weights }
    }

    /// How far an exchange between records of two cells moves weighted cells, over all tables;
    /// `None` when one would move too far.
    pub(super) fn of(
        &self,
        left: usize,
        right: usize,
        differing: VarSet,
        exchanged: VarSet,
    ) -> Option<u128> {
        let gap = self.weights[left].abs_diff(self.weights[right]);
        let moved = differing & exchanged;
        let mut drift = 0u128;
        for room in self.rooms.iter().filter(|room| room.margin.meets(&moved)) {
            let has_room = |cell: usize| room.left[room.cells.group_of()[cell] as usize];
            if [left, right].into_iter().any(|cell| has_room(cell) < gap) {
                return None;
            }
            drift = drift.saturating_add(gap);
        }
        Some(drift)
    }

    /// Counts an exchange that is made or undone.
    pub(super) fn count(
        &mut self,
        [left, right]: [usize; 2],
        differing: VarSet,
        exchanged: VarSet,
        change: Change,
    ) {
        let gap = self.weights[left].abs_diff(self.weights[right]);
        let moved = differing & exchanged;
        for room in self.rooms.iter_mut().filter(|room| room.margin.meets(&moved)) {
            for cell in [left, right] {
                let left = &mut room.left[room.cells.group_of()[cell] as usize];
                match change {
                    Change::Made => {
                        *left = left.checked_sub(gap).expect("a swap that is made had room");
                    }
                    Change::Undone => *left += gap,
                }
            }
        }
    }
}

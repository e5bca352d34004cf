//! Who is protected how: for each cell with a record at risk.

use rayon::prelude::*;

use super::{Planner, Taken};
use crate::table::CellId;
use crate::varset::VarSet;

/// What the plan does for the records at risk of one cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Protection {
    /// The cell.
    pub cell: CellId,
    /// How many take part in an exchange that parts them from their keys, for every intruder
    /// who finds them at risk.
    pub parted: u32,
    /// How many are protected from all of them, and only detached for one.
    pub detached: u32,
    /// How many take part in nothing that protects them.
    pub left: u32,
}

impl Planner<'_> {
    /// One row for each cell with a record at risk, in the order of the cells.
    pub(super) fn protection(&self) -> Vec<Protection> {
        let at_risk = self.task.at_risk;
        let mut rows: Vec<[u32; 2]> = vec![[0; 2]; at_risk.len()];
        let mut count = |taken: Taken, detached: bool| {
            if taken.at_risk {
                rows[taken.cell.position()][usize::from(detached)] += 1;
            }
        };
        let parted: Vec<[bool; 2]> = self
            .swaps
            .par_iter()
            .map(|swap| {
                let [left, right] = [swap.left, swap.right].map(|taken| taken.cell);
                let differing = self.differing(left.position(), right.position());
                [left, right].map(|cell| self.is_parted(cell, differing, swap.exchanged))
            })
            .collect();
        for (swap, [left, right]) in self.swaps.iter().zip(parted) {
            count(swap.left, !left);
            count(swap.right, !right);
        }
        for group in &self.groups.made {
            for (taken, _) in group {
                count(*taken, self.is_detached_in(group, taken.cell.position()));
            }
        }
        let row = |(cell, [parted, detached]): (usize, [u32; 2])| Protection {
            cell: CellId::at(cell),
            parted,
            detached,
            left: at_risk[cell] - parted - detached,
        };
        let rows = rows.into_iter().enumerate().filter(|(cell, _)| at_risk[*cell] > 0);
        rows.map(row).collect()
    }

    /// Does some record of a group come to have the keys of a cell at risk?
    fn is_detached_in(&self, group: &[(Taken, Vec<u64>)], cell: usize) -> bool {
        self.combinations.iter().any(|keys| {
            let has = |(_, new): &(Taken, Vec<u64>)| keys.find(new) == Some(keys.of(cell));
            keys.is_at_risk(cell) && group.iter().any(has)
        })
    }

    /// Are the keys of a cell parted for every intruder who finds it at risk?
    fn is_parted(&self, cell: CellId, differing: VarSet, exchanged: VarSet) -> bool {
        self.task.intruders.iter().zip(self.offers.aims()).all(|(intruder, aim)| {
            intruder.at_risk[cell.position()] == 0 || aim.is_parted(differing, exchanged)
        })
    }
}

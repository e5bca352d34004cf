//! Making room: a record whose partners are all taken takes one from another swap.
//!
//! For an open cell and a record r of a partner cell that is swapped with x:
//!
//! - if x is not at risk, the open record takes r and x is set free;
//! - if x is at risk and finds another free partner y, the open record takes r and x takes y.
//!
//! In both cases one more record at risk is covered. This is one step of an augmenting
//! path; it is tried once for every open record.

use super::{NO_SWAP, Planner, number};
use crate::encode::RecordId;
use crate::graph::Separator;
use crate::partner::slices::Slices;
use crate::varset::VarSet;

/// How many cells are looked at for each open cell and separator.
const LOOKED_AT: usize = 1024;

/// How many records with a swap are tried for each open record.
const TRIED: usize = 64;

/// How many cells are looked at for all open cells together.
const LOOKED_AT_IN_ALL: usize = 2_000_000;

impl Planner<'_> {
    pub(super) fn augment(&mut self, agree: VarSet) {
        self.close_cells();
        if self.open.is_empty() || self.is_full() || !self.task.separators.is_complete() {
            return;
        }
        let mut left = LOOKED_AT_IN_ALL;
        for separator in self.task.separators.list() {
            self.augment_through(separator, agree, &mut left);
            self.close_cells();
            if self.open.is_empty() || self.is_full() || left == 0 {
                return;
            }
        }
    }

    fn augment_through(&mut self, separator: &Separator, agree: VarSet, left: &mut usize) {
        let slices = Slices::of(self.task.joint, separator);
        for cell in self.open.clone() {
            let cell = cell as usize;
            let looked_at = slices.slice(slices.slice_of(cell)).len().min(LOOKED_AT);
            *left = left.saturating_sub(looked_at);
            if *left == 0 {
                return;
            }
            while self.pool.is_open(cell) && !self.is_full() && self.make_room(&slices, cell, agree)
            {
            }
        }
    }

    /// Tries to cover one record of the cell by moving another swap.
    fn make_room(&mut self, slices: &Slices<'_>, cell: usize, agree: VarSet) -> bool {
        let slice = slices.slice(slices.slice_of(cell));
        let start = self.random.below(slice.len());
        let mut tried = 0;
        for &other in slice[start..].iter().chain(&slice[..start]).take(LOOKED_AT) {
            let other = other as usize;
            let differing = self.task.joint.cells().differing(cell, other);
            if differing.meets(&agree) {
                continue;
            }
            let Some(judgement) = self.judge_below(cell, other, differing, u64::MAX) else {
                continue;
            };
            let taken: Vec<RecordId> = self.pool.taken(other).collect();
            for record in taken {
                tried += 1;
                if tried > TRIED {
                    return false;
                }
                if self.move_swap(slices, cell, record, judgement.exchanged, agree) {
                    return true;
                }
            }
        }
        false
    }

    /// Gives `record`, which has a swap, to an open record of `cell`, when the other side
    /// of that swap can do without.
    fn move_swap(
        &mut self,
        slices: &Slices<'_>,
        cell: usize,
        record: RecordId,
        exchanged: VarSet,
        agree: VarSet,
    ) -> bool {
        let swap = self.swap_of[record.position()] as usize;
        let old = self.swaps[swap];
        let mate = if old.left == record { old.right } else { old.left };
        let mate_cell = self.task.joint.cell_of(mate).position();
        if mate_cell == cell {
            return false;
        }
        let mate_at_risk = self.task.risky[mate.position()];
        let next = if mate_at_risk {
            match self.free_partner(slices, mate_cell, cell, agree) {
                Some(found) => Some(found),
                None => return false,
            }
        } else {
            None
        };
        let taker = self.pool.take(cell, &mut self.random);
        self.swaps[swap] = crate::partner::swap::Swap { left: taker, right: record, exchanged };
        self.swap_of[taker.position()] = number(swap);
        match next {
            Some((partner, exchanged)) => {
                let partner = self.pool.take(partner, &mut self.random);
                self.note(mate, partner, exchanged);
            }
            None => {
                self.swap_of[mate.position()] = NO_SWAP;
                self.pool.give_back(mate_cell, mate, false);
            }
        }
        true
    }

    /// A free cell in the same slice that a cell can be swapped with, other than `not`.
    fn free_partner(
        &mut self,
        slices: &Slices<'_>,
        cell: usize,
        not: usize,
        agree: VarSet,
    ) -> Option<(usize, VarSet)> {
        let slice = slices.slice(slices.slice_of(cell));
        let start = self.random.below(slice.len());
        for &other in slice[start..].iter().chain(&slice[..start]).take(LOOKED_AT) {
            let other = other as usize;
            if other == not || other == cell || !self.pool.is_free(other) {
                continue;
            }
            let differing = self.task.joint.cells().differing(cell, other);
            if differing.meets(&agree) {
                continue;
            }
            if let Some(judgement) = self.judge_below(cell, other, differing, u64::MAX) {
                return Some((other, judgement.exchanged));
            }
        }
        None
    }
}

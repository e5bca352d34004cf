//! Making room: a record whose partners are all taken takes one from another swap.
//!
//! For an open cell and a record r of a partner cell that is swapped with x:
//!
//! - if x is not at risk, the open record takes r and x is set free;
//! - if x is at risk and finds another free partner y, the open record takes r and x takes y.
//!
//! In both cases one more record at risk is covered. This is one step of an augmenting
//! path; it is tried once for every open record.

use std::sync::Arc;

use super::effort::{JUDGING, LOOKED_AT, Search, TRIED};
use super::{CellSwap, Planner, number};
use crate::graph::Separator;
use crate::hash::{Map, STATE};
use crate::partner::slices::Slices;
use crate::varset::VarSet;

/// The swaps that take a record of each cell, but for those that are settled.
struct SwapsOf(Map<u32, Vec<u32>>);

impl SwapsOf {
    fn new(swaps: &[CellSwap], settled: usize) -> Self {
        let mut swaps_of = Self(Map::with_hasher(STATE));
        for (number, swap) in (0..).zip(swaps).skip(settled) {
            swaps_of.add(swap.left.cell.position(), number);
            swaps_of.add(swap.right.cell.position(), number);
        }
        swaps_of
    }

    /// Has a cell a swap?
    fn has(&self, cell: usize) -> bool {
        self.0.get(&number(cell)).is_some_and(|swaps| !swaps.is_empty())
    }

    /// The first few swaps of a cell.
    fn first(&self, cell: usize, most: usize) -> Vec<u32> {
        self.0.get(&number(cell)).into_iter().flatten().copied().take(most).collect()
    }

    fn add(&mut self, cell: usize, swap: u32) {
        self.0.entry(number(cell)).or_default().push(swap);
    }

    fn remove(&mut self, cell: usize, swap: u32) {
        let swaps = self.0.get_mut(&number(cell)).expect("a cell of a swap is known");
        swaps.retain(|&other| other != swap);
    }
}

impl Planner<'_> {
    /// Makes room for open cells; answers how many records it covers so.
    pub(super) fn augment(&mut self, agree: VarSet) -> usize {
        self.close_cells();
        // Two swaps made at once may move a weighted cell further than each alone.
        if self.open.is_empty()
            || self.is_full()
            || !self.task.separators.is_complete()
            || self.drift.is_some()
        {
            return 0;
        }
        let mut covered = 0;
        let mut left = self.effort.looked_at_for_room();
        let mut swaps_of = SwapsOf::new(&self.swaps, self.settled);
        for separator in self.useful_separators() {
            covered += self.augment_through(separator, agree, &mut swaps_of, &mut left);
            self.close_cells();
            if self.open.is_empty()
                || self.is_full()
                || left == 0
                || self.effort.is_short(Search::Room)
            {
                break;
            }
        }
        covered
    }

    fn augment_through(
        &mut self,
        separator: &Separator,
        agree: VarSet,
        swaps_of: &mut SwapsOf,
        left: &mut usize,
    ) -> usize {
        let mut covered = 0;
        let (_, slices) = self.sorted_slices(&[separator], agree, Search::Room).swap_remove(0);
        let mut search = Rooms { slices, lonely: Map::with_hasher(STATE) };
        // From a random one on: where not all can be looked at, not always the same ones are.
        let mut open = self.open.clone();
        open.rotate_left(self.random.below(self.open.len()));
        for cell in open {
            let cell = cell as usize;
            *left = left.saturating_sub(search.near(cell).len().min(LOOKED_AT));
            self.effort.spend(Search::Room, search.near(cell).len().min(LOOKED_AT) as u64);
            if *left == 0 || self.effort.is_short(Search::Room) {
                break;
            }
            while self.pool.is_open(cell)
                && !self.is_full()
                && !self.effort.is_short(Search::Room)
                && self.make_room(&mut search, cell, swaps_of)
            {
                covered += 1;
            }
        }
        covered
    }

    /// Tries to cover one record of the cell by moving another swap.
    fn make_room(&mut self, search: &mut Rooms<'_>, cell: usize, swaps_of: &mut SwapsOf) -> bool {
        let mut tried = 0;
        for place in search.from(cell, self.random.below(search.near(cell).len())) {
            let other = search.near(cell)[place] as usize;
            if !swaps_of.has(other) {
                continue;
            }
            let differing = self.differing(cell, other);
            self.effort.spend(Search::Room, JUDGING as u64);
            let Some(judgement) = self.judge_below(cell, other, differing, u64::MAX) else {
                continue;
            };
            for swap in swaps_of.first(other, TRIED + 1) {
                tried += 1;
                if tried > TRIED {
                    return false;
                }
                let room = Room { cell, other, swap, exchanged: judgement.exchanged };
                if self.move_swap(search, room, swaps_of) {
                    return true;
                }
            }
        }
        false
    }

    /// Gives the record that a swap takes of another cell to an open record of a cell, when
    /// the other side of that swap can do without.
    fn move_swap(&mut self, search: &mut Rooms<'_>, room: Room, swaps_of: &mut SwapsOf) -> bool {
        let Room { cell, other, swap, exchanged } = room;
        let old = self.swaps[swap as usize];
        let (record, mate) = match old.left.cell.position() == other {
            true => (old.left, old.right),
            false => (old.right, old.left),
        };
        let mate_cell = mate.cell.position();
        if mate_cell == cell {
            return false;
        }
        let next = if mate.at_risk {
            match self.free_partner(search, mate_cell, cell) {
                Some(found) => Some(found),
                None => return false,
            }
        } else {
            None
        };
        let taker = self.pool.take(cell);
        self.replace_swap(swap as usize, CellSwap { left: taker, right: record, exchanged });
        if let Some((partner, exchanged)) = next {
            // The first of the two may have made what the second must not meet.
            let differing = self.differing(mate_cell, partner);
            if self.judge_exchange(mate_cell, partner, differing, exchanged).is_none() {
                self.replace_swap(swap as usize, old);
                self.pool.give_back(taker);
                return false;
            }
        }
        swaps_of.remove(mate_cell, swap);
        swaps_of.add(cell, swap);
        match next {
            Some((partner, exchanged)) => {
                let new = number(self.swaps.len());
                swaps_of.add(mate_cell, new);
                swaps_of.add(partner, new);
                let right = self.pool.take(partner);
                self.add_swap(CellSwap { left: mate, right, exchanged });
            }
            None => self.pool.give_back(mate),
        }
        true
    }

    /// A free cell in the same slice that a cell can be swapped with, other than `not`.
    fn free_partner(
        &mut self,
        search: &mut Rooms<'_>,
        cell: usize,
        not: usize,
    ) -> Option<(usize, VarSet)> {
        if search.lonely.contains_key(&number(cell)) {
            return None;
        }
        for place in search.from(cell, self.random.below(search.near(cell).len())) {
            let other = search.near(cell)[place] as usize;
            if other == not || other == cell || !self.pool.is_free(other) {
                continue;
            }
            self.effort.spend(Search::Room, JUDGING as u64);
            let differing = self.differing(cell, other);
            if let Some(judgement) = self.judge_below(cell, other, differing, u64::MAX) {
                return Some((other, judgement.exchanged));
            }
        }
        search.lonely.insert(number(cell), ());
        None
    }
}

/// One look through the slices of a separator.
struct Rooms<'a> {
    slices: Arc<Slices<'a>>,
    /// The cells that found no free partner: what is set free later, the next look sees.
    lonely: Map<u32, ()>,
}

impl Rooms<'_> {
    /// The cells of a cell's slice.
    fn near(&self, cell: usize) -> &[u32] {
        self.slices.around(number(cell))
    }

    /// The places of the cells that are looked at in a cell's slice, from a place on.
    fn from(&self, cell: usize, start: usize) -> impl Iterator<Item = usize> + use<> {
        let length = self.near(cell).len();
        (start..length).chain(0..start).take(LOOKED_AT)
    }
}

/// A swap that an open cell would take a record from.
#[derive(Clone, Copy)]
struct Room {
    /// The open cell.
    cell: usize,
    /// The cell of the record, and the swap that takes it.
    other: usize,
    swap: u32,
    exchanged: VarSet,
}

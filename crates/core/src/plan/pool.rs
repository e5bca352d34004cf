//! How many records of each cell are still without a swap.
//!
//! The records of a cell are alike in everything a plan looks at, except that some may be at
//! risk and others not. So a plan takes *one at risk* or *another one* of a cell; which
//! record that is, is drawn later. Of the others some may come to want a swap as well:
//! those whom earlier swaps left alone with their keys.

use rayon::prelude::*;

use super::{Taken, number};
use crate::encode::ones;
use crate::table::CellId;

/// The records without a swap, counted.
#[derive(Clone)]
pub(super) struct Pool {
    cells: Vec<State>,
    /// The cells with a free record, and those with one that is at risk or wants a swap.
    free: CellSet,
    open: CellSet,
    /// The cells of records that were taken and set free again, in this order.
    freed: Vec<u32>,
}

/// The free records of one cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct State {
    free: u32,
    /// How many of these are at risk.
    open: u32,
    /// How many of the others want a swap.
    wanting: u32,
}

impl State {
    /// Is there a free record?
    pub(super) fn is_free(self) -> bool {
        self.free > 0
    }

    /// Is there a free record that is at risk or wants a swap?
    pub(super) fn is_open(self) -> bool {
        self.open > 0 || self.wanting > 0
    }

    /// Takes a record, one at risk if there is one.
    pub(super) fn take(&mut self) {
        self.take_as(self.open > 0);
    }

    fn take_as(&mut self, at_risk: bool) {
        let left = if at_risk { self.open } else { self.free - self.open };
        assert!(left > 0, "a record is taken from a cell that has a free one");
        self.free -= 1;
        if at_risk {
            self.open -= 1;
        } else {
            self.wanting = self.wanting.saturating_sub(1);
        }
    }
}

impl Pool {
    /// Every record is free.
    pub(super) fn new(counts: &[u32], at_risk: &[u32]) -> Self {
        let fits = counts.iter().zip(at_risk).all(|(count, at_risk)| at_risk <= count);
        assert!(counts.len() == at_risk.len() && fits, "no more are at risk than there are");
        let cells = counts.iter().zip(at_risk);
        let cells: Vec<State> =
            cells.map(|(&free, &open)| State { free, open, wanting: 0 }).collect();
        let free = CellSet::of(cells.iter().map(|state| state.is_free()));
        let open = CellSet::of(cells.iter().map(|state| state.is_open()));
        Self { cells, free, open, freed: Vec::new() }
    }

    /// What changes the records of a cell.
    fn change(&mut self, cell: usize, change: impl FnOnce(&mut State)) {
        let state = &mut self.cells[cell];
        change(state);
        self.free.put(cell, state.is_free());
        self.open.put(cell, state.is_open());
    }

    /// Has the cell a free record?
    pub(super) fn is_free(&self, cell: usize) -> bool {
        self.free.holds(cell)
    }

    /// Has the cell a free record that is at risk or wants a swap?
    pub(super) fn is_open(&self, cell: usize) -> bool {
        self.open.holds(cell)
    }

    /// The free records of a cell.
    pub(super) fn state(&self, cell: usize) -> State {
        self.cells[cell]
    }

    /// The cells with a free record.
    pub(super) fn free_cells(&self) -> &CellSet {
        &self.free
    }

    /// The cells with a free record that is at risk or wants a swap.
    pub(super) fn open_cells(&self) -> &CellSet {
        &self.open
    }

    /// One of the others wants a swap from now on.
    pub(super) fn want(&mut self, cell: usize) {
        assert!(self.cells[cell].wanting < self.others(cell), "a free record wants a swap");
        self.change(cell, |state| state.wanting += 1);
    }

    /// None of the others of a cell wants a swap any more.
    pub(super) fn forget_wish(&mut self, cell: usize) {
        self.change(cell, |state| state.wanting = 0);
    }

    /// Nobody but those at risk wants a swap any more.
    pub(super) fn forget_wishes(&mut self) {
        self.cells.iter_mut().for_each(|cell| cell.wanting = 0);
        self.open = CellSet::of(self.cells.iter().map(|state| state.is_open()));
    }

    /// How many free records the cell has.
    pub(super) fn free(&self, cell: usize) -> u32 {
        self.cells[cell].free
    }

    /// How many free records are at risk.
    pub(super) fn open(&self, cell: usize) -> u32 {
        self.cells[cell].open
    }

    /// How many of them are not.
    pub(super) fn others(&self, cell: usize) -> u32 {
        self.free(cell) - self.open(cell)
    }

    /// Takes a free record, one at risk if there is one.
    pub(super) fn take(&mut self, cell: usize) -> Taken {
        self.take_as(Taken { cell: CellId::at(cell), at_risk: self.open(cell) > 0 })
    }

    /// Takes a free record of this kind.
    pub(super) fn take_as(&mut self, taken: Taken) -> Taken {
        self.change(taken.cell.position(), |state| state.take_as(taken.at_risk));
        taken
    }

    /// Sets a record free that was taken.
    pub(super) fn give_back(&mut self, taken: Taken) {
        self.change(taken.cell.position(), |state| {
            state.free += 1;
            state.open += u32::from(taken.at_risk);
        });
        self.freed.push(taken.cell.0);
    }

    /// The cells of records that were set free, in this order.
    pub(super) fn freed(&self) -> &[u32] {
        &self.freed
    }
}

/// A set of cells, a bit each.
#[derive(Clone)]
pub(super) struct CellSet(Vec<u64>);

impl CellSet {
    /// The cells, in order, of which this is true.
    fn of(cells: impl ExactSizeIterator<Item = bool>) -> Self {
        let mut set = Self::none(cells.len());
        cells.enumerate().filter(|(_, holds)| *holds).for_each(|(cell, _)| set.put(cell, true));
        set
    }

    /// A set of this many cells that holds none.
    pub(super) fn none(cells: usize) -> Self {
        Self(vec![0; cells.div_ceil(64)])
    }

    /// From now on this cell is one of them, or is not.
    pub(super) fn put(&mut self, cell: usize, holds: bool) {
        let word = &mut self.0[cell / 64];
        *word = *word & !(1 << (cell % 64)) | u64::from(holds) << (cell % 64);
    }

    /// Is this cell among them?
    pub(super) fn holds(&self, cell: usize) -> bool {
        self.0[cell / 64] >> (cell % 64) & 1 == 1
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// All of them, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = u32> {
        of_words(0, &self.0)
    }

    /// Those that are asked for, in order, found on all threads.
    pub(super) fn filtered(&self, is_one: impl Fn(usize) -> bool + Sync) -> Vec<u32> {
        let pieces = self.0.par_chunks(WORDS_AT_ONCE).enumerate();
        let found = pieces.flat_map_iter(|(piece, words)| {
            of_words(piece * WORDS_AT_ONCE, words).filter(|&cell| is_one(cell as usize))
        });
        found.collect()
    }
}

/// How many words of a set one thread looks at before it takes more.
const WORDS_AT_ONCE: usize = 1 << 6;

/// The cells of these words of a set, the first of them at this place.
fn of_words(first: usize, words: &[u64]) -> impl Iterator<Item = u32> {
    (first..)
        .zip(words)
        .flat_map(|(place, &word)| ones(word).map(move |bit| number(64 * place + bit)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Random, Seed};

    #[test]
    fn those_at_risk_come_first() {
        let mut pool = Pool::new(&[3, 1], &[1, 0]);
        let taken: Vec<bool> = (0..3).map(|_| pool.take(0).at_risk).collect();
        assert_eq!(taken, [true, false, false]);
        assert!(!pool.is_free(0) && pool.is_free(1) && !pool.is_open(1));
        pool.give_back(Taken { cell: CellId(0), at_risk: true });
        assert_eq!((pool.free(0), pool.open(0), pool.others(0)), (1, 1, 0));
        assert_eq!(pool.freed(), [0]);
    }

    /// What is left of a cell is the same in the pool and in a state of its own.
    #[test]
    fn a_state_is_taken_from_as_the_pool_is() {
        let mut pool = Pool::new(&[5], &[2]);
        pool.want(0);
        let mut state = pool.state(0);
        while pool.is_free(0) {
            assert!(state.is_free());
            assert_eq!(state.is_open(), pool.is_open(0));
            pool.take(0);
            state.take();
            assert_eq!(state, pool.state(0));
        }
        assert!(!state.is_free() && !state.is_open());
    }

    /// A cell's records decide whether it is free and open.
    #[test]
    fn sets_follow_the_records() {
        let counts: Vec<u32> = (0..200).map(|cell| cell % 4).collect();
        let at_risk: Vec<u32> = counts.iter().map(|&count| count.min(1)).collect();
        let mut pool = Pool::new(&counts, &at_risk);
        let random = &mut Random::new(Seed([4; 32]), 0);
        let mut taken = Vec::new();
        for _ in 0..3000 {
            let cell = random.below(200);
            match random.below(6) {
                0 if pool.others(cell) > pool.state(cell).wanting => pool.want(cell),
                1 => pool.forget_wish(cell),
                2 if random.below(40) == 0 => pool.forget_wishes(),
                3 if !taken.is_empty() => {
                    pool.give_back(taken.swap_remove(random.below(taken.len())));
                }
                _ if pool.is_free(cell) => taken.push(pool.take(cell)),
                _ => {}
            }
            let [free, open] = [State::is_free, State::is_open].map(|is_one| {
                let cells = (0..200).filter(|&cell| is_one(pool.state(cell)));
                cells.map(number).collect::<Vec<u32>>()
            });
            assert_eq!(pool.free_cells().iter().collect::<Vec<u32>>(), free);
            assert_eq!(pool.open_cells().filtered(|_| true), open);
            assert_eq!(pool.free_cells().len(), free.len());
            let told = |cell: u32| (pool.is_free(cell as usize), pool.is_open(cell as usize));
            let listed = |cell: u32| (free.contains(&cell), open.contains(&cell));
            assert!((0..200).all(|cell| told(cell) == listed(cell)));
        }
    }

    #[test]
    #[should_panic = "that has a free one"]
    fn nothing_is_taken_twice() {
        let mut pool = Pool::new(&[2], &[2]);
        pool.take_as(Taken { cell: CellId(0), at_risk: false });
    }
}

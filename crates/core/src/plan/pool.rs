//! How many records of each cell are still without a swap.
//!
//! The records of a cell are alike in everything a plan looks at, except that some may be at
//! risk and others not. So a plan takes *one at risk* or *another one* of a cell; which
//! record that is, is drawn later. Of the others some may come to want a swap as well:
//! those whom earlier swaps left alone with their keys.

use super::Taken;
use crate::table::CellId;

/// The records without a swap, counted.
#[derive(Clone)]
pub(super) struct Pool {
    cells: Vec<State>,
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
        let cells = cells.map(|(&free, &open)| State { free, open, wanting: 0 }).collect();
        Self { cells, freed: Vec::new() }
    }

    /// Has the cell a free record?
    pub(super) fn is_free(&self, cell: usize) -> bool {
        self.cells[cell].is_free()
    }

    /// Has the cell a free record that is at risk or wants a swap?
    pub(super) fn is_open(&self, cell: usize) -> bool {
        self.cells[cell].is_open()
    }

    /// The free records of a cell.
    pub(super) fn state(&self, cell: usize) -> State {
        self.cells[cell]
    }

    /// The free records of every cell.
    pub(super) fn states(&self) -> &[State] {
        &self.cells
    }

    /// One of the others wants a swap from now on.
    pub(super) fn want(&mut self, cell: usize) {
        assert!(self.cells[cell].wanting < self.others(cell), "a free record wants a swap");
        self.cells[cell].wanting += 1;
    }

    /// None of the others of a cell wants a swap any more.
    pub(super) fn forget_wish(&mut self, cell: usize) {
        self.cells[cell].wanting = 0;
    }

    /// Nobody but those at risk wants a swap any more.
    pub(super) fn forget_wishes(&mut self) {
        self.cells.iter_mut().for_each(|cell| cell.wanting = 0);
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
        self.cells[taken.cell.position()].take_as(taken.at_risk);
        taken
    }

    /// Sets a record free that was taken.
    pub(super) fn give_back(&mut self, taken: Taken) {
        let cell = &mut self.cells[taken.cell.position()];
        cell.free += 1;
        cell.open += u32::from(taken.at_risk);
        self.freed.push(taken.cell.0);
    }

    /// The cells of records that were set free, in this order.
    pub(super) fn freed(&self) -> &[u32] {
        &self.freed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    /// What is left of a cell is the same in the pool and beside it.
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

    #[test]
    #[should_panic = "that has a free one"]
    fn nothing_is_taken_twice() {
        let mut pool = Pool::new(&[2], &[2]);
        pool.take_as(Taken { cell: CellId(0), at_risk: false });
    }
}

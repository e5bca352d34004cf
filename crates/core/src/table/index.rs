//! Finding a cell by its words.
//!
//! [`Grouping`](super::Grouping) numbers the cells it is given; a [`CellIndex`] also answers
//! for a cell that may not be among them, such as one that a swap would make.

use super::numbered::Numbered;
use crate::encode::{Layout, PackedCells};
use crate::varset::VarSet;

/// The groups of cells that agree on a set of variables, to be found by content.
#[derive(Debug, Clone)]
pub struct CellIndex(Numbered<u64>);

impl CellIndex {
    /// Indexes the cells by their values on `variables`, each cell counting as given.
    #[must_use]
    pub fn new(
        cells: &PackedCells,
        variables: VarSet,
        counts: impl IntoIterator<Item = u64>,
    ) -> Self {
        let mut index = Self::empty(cells.layout(), variables);
        for (cell, count) in cells.iter().zip(counts) {
            index.add(cell, count);
        }
        index
    }

    /// No cells yet.
    pub(crate) fn empty(layout: &Layout, variables: VarSet) -> Self {
        Self(Numbered::with_room(layout.mask(variables), 0))
    }

    /// Adds to the count of a cell's group, which is made when it is new; answers its number.
    ///
    /// # Panics
    /// With 2³² groups: there are fewer cells.
    pub fn add(&mut self, cell: &[u64], count: u64) -> u32 {
        let group = self.0.number(cell);
        *self.0.get_mut(group) += count;
        group
    }

    /// The number of a cell's group, if there is one.
    #[must_use]
    pub fn find(&self, cell: &[u64]) -> Option<u32> {
        self.0.find(cell)
    }

    /// The count of a cell's group; 0 when there is none.
    #[must_use]
    pub fn count(&self, cell: &[u64]) -> u64 {
        self.find(cell).map_or(0, |group| *self.0.get(group))
    }

    /// The counts of all groups, in the order they were made.
    #[must_use]
    pub fn counts(&self) -> &[u64] {
        self.0.values()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_found_by_content() {
        let cells = PackedCells::from_codes(&[3, 3, 3], &[[0, 1, 2], [0, 2, 2], [1, 1, 1]]);
        let index = CellIndex::new(&cells, VarSet::from([0, 2]), [5, 7, 9]);
        assert_eq!(index.counts(), [12, 9]);
        let asked = PackedCells::from_codes(&[3, 3, 3], &[[0, 0, 2], [2, 2, 2]]);
        assert_eq!(index.count(asked.get(0)), 12);
        assert_eq!(index.find(asked.get(1)), None);
        assert_eq!(index.count(asked.get(1)), 0);
    }
}

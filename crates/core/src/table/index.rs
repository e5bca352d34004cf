//! Finding a cell by its words.
//!
//! [`Grouping`](super::Grouping) numbers the cells it is given; a [`CellIndex`] also answers
//! for a cell that may not be among them, such as one that a swap would make.

use hashbrown::HashTable;

use crate::encode::{Layout, Mask, PackedCells};
use crate::varset::VarSet;

/// The groups of cells that agree on a set of variables, to be found by content.
#[derive(Debug, Clone)]
pub struct CellIndex {
    mask: Mask,
    table: HashTable<u32>,
    /// The words of each group, masked, one after the other.
    words: Vec<u64>,
    counts: Vec<u64>,
}

impl CellIndex {
    /// Indexes the cells by their values on `variables`, each cell counting as given.
    #[must_use]
    pub fn new(
        cells: &PackedCells,
        variables: VarSet,
        counts: impl IntoIterator<Item = u64>,
    ) -> Self {
        let mut index = Self::with_room(cells.layout(), variables, 0);
        for (cell, count) in cells.iter().zip(counts) {
            index.add(cell, count);
        }
        index
    }

    /// No cells yet, and room for this many groups.
    pub(crate) fn with_room(layout: &Layout, variables: VarSet, groups: usize) -> Self {
        let table = HashTable::with_capacity(groups);
        Self { mask: layout.mask(variables), table, words: Vec::new(), counts: Vec::new() }
    }

    /// Adds to the count of a cell's group, which is made when it is new; answers its number.
    ///
    /// # Panics
    /// With 2³² groups: there are fewer cells.
    pub fn add(&mut self, cell: &[u64], count: u64) -> u32 {
        let Self { mask, table, words, counts } = self;
        let group = match table.entry(
            mask.mixed(cell),
            |&group| agree(mask.words(), words, group, cell),
            |&group| mask.mixed(group_words(words, mask.words().len(), group)),
        ) {
            hashbrown::hash_table::Entry::Occupied(found) => *found.get(),
            hashbrown::hash_table::Entry::Vacant(free) => {
                let group = u32::try_from(counts.len()).expect("there are fewer than 2^32 cells");
                free.insert(group);
                words.extend(cell.iter().zip(mask.words()).map(|(word, mask)| word & mask));
                counts.push(0);
                group
            }
        };
        counts[group as usize] += count;
        group
    }

    /// The number of a cell's group, if there is one.
    #[must_use]
    pub fn find(&self, cell: &[u64]) -> Option<u32> {
        let mask = self.mask.words();
        let is_same = |&group: &u32| agree(mask, &self.words, group, cell);
        self.table.find(self.mask.mixed(cell), is_same).copied()
    }

    /// The count of a cell's group; 0 when there is none.
    #[must_use]
    pub fn count(&self, cell: &[u64]) -> u64 {
        self.find(cell).map_or(0, |group| self.counts[group as usize])
    }

    /// The counts of all groups, in the order they were made.
    #[must_use]
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }
}

fn group_words(words: &[u64], length: usize, group: u32) -> &[u64] {
    &words[group as usize * length..][..length]
}

#[inline]
fn agree(mask: &[u64], words: &[u64], group: u32, cell: &[u64]) -> bool {
    if let ([mask], [word]) = (mask, cell) {
        return words[group as usize] == word & mask;
    }
    let own = group_words(words, mask.len(), group);
    own.iter().zip(cell.iter().zip(mask)).all(|(own, (word, mask))| *own == word & mask)
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

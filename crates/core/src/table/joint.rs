//! The joint table: the distinct cells of the file and how many records each holds.
//!
//! Cells are numbered in the order of first appearance. Nearly every question about a
//! record is a question about its cell, so the searches run over cells and weigh them with
//! their counts.

use std::fmt;

use super::Grouping;
use crate::encode::{PackedCells, RecordId, Records};
use crate::varset::VarSet;

/// A cell that holds at least one record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CellId(pub u32);

impl CellId {
    /// The cell at a position of the table.
    ///
    /// # Panics
    /// When the position is 2³² or more: there are no more cells than records.
    #[must_use]
    pub fn at(position: usize) -> Self {
        Self(u32::try_from(position).expect("there are fewer than 2^32 cells"))
    }

    /// Its position in the table.
    #[must_use]
    pub fn position(self) -> usize {
        self.0 as usize
    }
}

/// n(i): the records that share all their values.
#[derive(Clone)]
pub struct JointTable {
    cells: PackedCells,
    counts: Vec<u32>,
    cell_of: Vec<u32>,
}

impl JointTable {
    /// Counts the records into cells.
    #[must_use]
    pub fn count(records: &Records) -> Self {
        let source = records.cells();
        let grouping = Grouping::of_whole(source);
        let mut cells = PackedCells::new(source.layout().clone());
        let mut counts: Vec<u32> = Vec::with_capacity(grouping.groups());
        for (record, &cell) in grouping.group_of().iter().enumerate() {
            if cell as usize == counts.len() {
                cells.push(source.get(record));
                counts.push(1);
            } else {
                counts[cell as usize] += 1;
            }
        }
        Self { cells, counts, cell_of: grouping.into_group_of() }
    }

    /// The same records, seen on some variables alone: n_A as a joint table of its own. The
    /// other variables have no bits left in its cells.
    ///
    /// Law: `seen-on-some-variables`.
    #[must_use]
    pub fn on(&self, variables: VarSet) -> Self {
        let grouping = Grouping::of(&self.cells, variables);
        let mask = self.cells.layout().mask(variables);
        let mut cells = PackedCells::new(self.cells.layout().clone());
        let mut counts: Vec<u32> = Vec::with_capacity(grouping.groups());
        let mut masked = vec![0; mask.words().len()];
        for (cell, &group) in grouping.group_of().iter().enumerate() {
            if group as usize == counts.len() {
                for (word, (own, mask)) in
                    masked.iter_mut().zip(self.cells.get(cell).iter().zip(mask.words()))
                {
                    *word = own & mask;
                }
                cells.push(&masked);
                counts.push(0);
            }
            counts[group as usize] += self.counts[cell];
        }
        let cell_of = self.cell_of.iter().map(|&cell| grouping.group_of()[cell as usize]).collect();
        Self { cells, counts, cell_of }
    }

    /// The distinct cells.
    #[must_use]
    pub fn cells(&self) -> &PackedCells {
        &self.cells
    }

    /// n(i) of each cell.
    #[must_use]
    pub fn counts(&self) -> &[u32] {
        &self.counts
    }

    /// n(i) of one cell.
    #[must_use]
    pub fn n(&self, cell: CellId) -> u64 {
        self.counts[cell.position()].into()
    }

    /// The cell a record falls into.
    #[must_use]
    pub fn cell_of(&self, record: RecordId) -> CellId {
        CellId(self.cell_of[record.position()])
    }

    /// Is the record alone in its cell?
    #[must_use]
    pub fn is_sample_unique(&self, cell: CellId) -> bool {
        self.counts[cell.position()] == 1
    }

    /// How many distinct cells there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Is the table empty?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// How many records there are.
    #[must_use]
    pub fn records(&self) -> usize {
        self.cell_of.len()
    }

    /// How many records are alone in their cell.
    #[must_use]
    pub fn sample_uniques(&self) -> usize {
        self.counts.iter().filter(|&&count| count == 1).count()
    }
}

impl fmt::Debug for JointTable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "JointTable({} records in {} cells)", self.records(), self.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_records_into_cells() {
        let records = Records::from_codes(&[2, 2], &[[0, 1], [1, 1], [0, 1], [0, 0]]);
        let joint = JointTable::count(&records);
        assert_eq!(joint.counts(), [2, 1, 1]);
        assert_eq!(joint.sample_uniques(), 2);
        assert_eq!(joint.cell_of(RecordId(2)), CellId(0));
        assert_eq!(joint.cells().codes(1), [1, 1]);
        assert_eq!((joint.len(), joint.records()), (3, 4));
    }
}

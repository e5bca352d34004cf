//! The joint table: the distinct cells of the file and how many records each holds.
//!
//! Nearly every question about a record is a question about its cell, so the searches run
//! over cells and weigh them with their counts. A [`JointTable`] knows no record: it can be
//! made from counts alone. [`Located`] is one with the cell of every record.
//!
//! Cells are numbered in the order of their packed words. Where the codes depend on the
//! contents of a file alone, so do the numbers of its cells, in whatever order records or
//! counts arrive.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use rayon::prelude::*;

use super::Grouping;
use super::counting::Counted;
use crate::columns::Columns;
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

/// n(i): how many records share all their values.
#[derive(Clone)]
pub struct JointTable {
    cells: Arc<PackedCells>,
    counts: Vec<u32>,
}

impl JointTable {
    /// Counts the records into cells.
    #[must_use]
    pub fn count(records: &Records) -> Self {
        Located::count(records).table
    }

    /// The table in which each of these cells holds a record; those that are equal are one.
    #[must_use]
    pub fn of_cells(cells: &PackedCells) -> Self {
        Self::located(cells).0
    }

    /// The table in which each of these cells holds as many records as there are like it, and the
    /// cell there of each.
    pub(crate) fn located(source: &PackedCells) -> (Self, Vec<u32>) {
        let Counted { cells, counts, cell_of } = Counted::of(source);
        (Self { cells: Arc::new(cells), counts }, cell_of)
    }

    /// The table in which each of these cells holds the number of records in `counts`; cells that
    /// are equal are one cell, and those without a record are none.
    ///
    /// Law: `counts-make-the-table`.
    ///
    /// # Panics
    /// When there is not a count for each cell, or one cell holds 2³² records.
    #[must_use]
    pub fn from_counts(cells: &PackedCells, counts: &[u32]) -> Self {
        assert_eq!(cells.len(), counts.len(), "every cell has a count");
        let mut order: Vec<u32> = (0u32..)
            .zip(counts)
            .filter(|&(_, &count)| count > 0)
            .map(|(position, _)| position)
            .collect();
        order.sort_unstable_by(|&one, &other| {
            cells.get(one as usize).cmp(cells.get(other as usize))
        });
        let mut distinct = PackedCells::new(cells.layout().clone());
        let mut totals: Vec<u32> = Vec::new();
        for position in order {
            let (cell, count) = (cells.get(position as usize), counts[position as usize]);
            match totals.last_mut() {
                Some(last) if distinct.get(distinct.len() - 1) == cell => {
                    *last = last.checked_add(count).expect("a cell has fewer than 2^32 records");
                }
                _ => {
                    distinct.push(cell);
                    totals.push(count);
                }
            }
        }
        Self { cells: Arc::new(distinct), counts: totals }
    }

    /// The cells of several parts of a file over one coding, with the counts of all parts.
    ///
    /// Law: `parts-merge-to-the-whole`.
    ///
    /// # Panics
    /// When there is no part, or the parts have other layouts.
    #[must_use]
    pub fn merged(parts: &[&Self]) -> Self {
        let first = parts.first().expect("a file has a part");
        let mut cells = PackedCells::new(first.cells.layout().clone());
        let mut counts = Vec::new();
        for part in parts {
            assert_eq!(part.cells.layout(), cells.layout(), "the parts have one coding");
            part.cells.iter().for_each(|cell| cells.push(cell));
            counts.extend_from_slice(&part.counts);
        }
        Self::from_counts(&cells, &counts)
    }

    /// The same records, seen on some variables alone: n_A as a joint table of its own. The
    /// other variables have no bits left in its cells.
    ///
    /// Law: `seen-on-some-variables`.
    #[must_use]
    pub fn on(&self, variables: VarSet) -> Self {
        self.grouped_on(variables).0
    }

    /// The table on some variables, and for each cell of this one its cell there. Cells are
    /// numbered in the order of their first one here.
    pub(crate) fn grouped_on(&self, variables: VarSet) -> (Self, Vec<u32>) {
        let layout = self.cells.layout();
        if layout.is_covered_by(&layout.mask(variables)) {
            return (self.clone(), (0u32..).take(self.len()).collect());
        }
        let grouping = Grouping::of(&self.cells, variables);
        let mask = self.cells.layout().mask(variables);
        let mut cells = PackedCells::with_room(self.cells.layout().clone(), grouping.groups());
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
        (Self { cells: Arc::new(cells), counts }, grouping.into_group_of())
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
        self.counts.iter().map(|&count| count as usize).sum()
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

/// A joint table with the cell that each line of a file falls into. A line is a record, or
/// as many as were counted.
#[derive(Debug, Clone)]
pub struct Located {
    table: JointTable,
    cell_of: CellOf,
    /// How many records each line is; empty where each is one.
    weights: Vec<u32>,
}

/// The cell of each record, by position; a copy shares them.
#[derive(Clone)]
struct CellOf(Arc<Vec<u32>>);

impl fmt::Debug for CellOf {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "CellOf({} records)", self.0.len())
    }
}

impl Located {
    /// Counts the records into cells.
    #[must_use]
    pub fn count(records: &Records) -> Self {
        let (table, cell_of) = JointTable::located(&records.packed());
        Self { table, cell_of: CellOf(Arc::new(cell_of)), weights: Vec::new() }
    }

    /// Counts lines into cells, each of which is as many records as `counts` says.
    ///
    /// # Panics
    /// When there is not a count for each line, or a cell gets 2³² records.
    #[must_use]
    pub fn counted(lines: &Records, counts: Vec<u32>) -> Self {
        assert_eq!(lines.len(), counts.len(), "every line has a count");
        let mut located = Self::count(lines);
        located.table.counts.fill(0);
        for (&cell, &count) in located.cell_of.0.iter().zip(&counts) {
            let total = &mut located.table.counts[cell as usize];
            *total = total.checked_add(count).expect("a cell has fewer than 2^32 records");
        }
        Self { weights: counts, ..located }
    }

    /// The same records, seen on some variables alone.
    #[must_use]
    pub fn on(&self, variables: VarSet) -> Self {
        let layout = self.cells.layout();
        if layout.is_covered_by(&layout.mask(variables)) {
            return self.clone();
        }
        let (table, group_of) = self.table.grouped_on(variables);
        let cells = self.cell_of.0.par_iter().map(|&cell| group_of[cell as usize]);
        let cell_of = CellOf(Arc::new(cells.collect()));
        Self { table, cell_of, weights: self.weights.clone() }
    }

    /// The table of cells.
    #[must_use]
    pub fn table(&self) -> &JointTable {
        &self.table
    }

    /// How many lines there are: as many as records, unless they were counted before.
    #[must_use]
    pub fn lines(&self) -> usize {
        self.cell_of.0.len()
    }

    /// How many records a line is.
    #[must_use]
    pub fn weight(&self, line: RecordId) -> u32 {
        self.weights.get(line.position()).copied().unwrap_or(1)
    }

    /// How many records each line is; empty where each is one.
    #[must_use]
    pub fn weights(&self) -> &[u32] {
        &self.weights
    }

    /// The cell a record falls into.
    #[must_use]
    pub fn cell_of(&self, record: RecordId) -> CellId {
        CellId(self.cell_of.0[record.position()])
    }

    /// The lines that were counted, each by its cell; `levels` are those of their variables.
    ///
    /// Law: `counted-records-are-the-same`.
    #[must_use]
    pub fn records_by_cell(&self, levels: &[usize]) -> Records {
        let (cells, places) = (Arc::clone(&self.table.cells), Arc::clone(&self.cell_of.0));
        Records::by_cell(cells, places, levels.to_vec())
    }

    /// These columns of the file that was counted with one code for all records of a cell: right
    /// for columns in which the records of a cell do not differ.
    #[must_use]
    pub fn folded(&self, columns: Columns, of: &BTreeSet<usize>) -> Columns {
        let places = &self.cell_of.0;
        // Any line of a cell is an example of it.
        let examples: Vec<AtomicU32> =
            self.table.counts.iter().map(|_| AtomicU32::new(0)).collect();
        places.par_iter().enumerate().for_each(|(line, &cell)| {
            examples[cell as usize].store(RecordId::at(line).0, Relaxed);
        });
        let examples: Vec<u32> = examples.into_iter().map(AtomicU32::into_inner).collect();
        columns.folded(of, places, &examples)
    }

    /// The cells of all lines, by position.
    pub(crate) fn cells_of_lines(&self) -> &Arc<Vec<u32>> {
        &self.cell_of.0
    }

    /// How many records of each cell are among the lines that `marked` names.
    #[must_use]
    pub fn marked(&self, marked: &[bool]) -> Vec<u32> {
        let mut counts = vec![0; self.table.len()];
        let marked = &marked[..self.lines().min(marked.len())];
        let lines: Vec<Vec<usize>> = marked
            .par_chunks(MARKS_AT_ONCE)
            .enumerate()
            .map(|(piece, marks)| {
                let lines = (piece * MARKS_AT_ONCE..).zip(marks);
                lines.filter(|(_, is_marked)| **is_marked).map(|(line, _)| line).collect()
            })
            .collect();
        for line in lines.into_iter().flatten().map(RecordId::at) {
            counts[self.cell_of(line).position()] += self.weight(line);
        }
        counts
    }
}

/// How many marks one thread looks at before it takes more.
const MARKS_AT_ONCE: usize = 1 << 14;

/// Whatever is asked of cells can be asked of it.
impl Deref for Located {
    type Target = JointTable;

    fn deref(&self) -> &JointTable {
        &self.table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_records_into_cells() {
        let records = Records::from_codes(&[2, 2], &[[1, 1], [0, 1], [1, 1], [0, 0]]);
        let joint = Located::count(&records);
        assert_eq!(joint.counts().iter().sum::<u32>(), 4);
        assert_eq!(joint.sample_uniques(), 2);
        let shared = joint.cell_of(RecordId(0));
        assert_eq!((joint.cell_of(RecordId(2)), joint.n(shared)), (shared, 2));
        assert_eq!(joint.cells().codes(shared.position()), [1, 1]);
        assert_eq!((joint.len(), joint.records()), (3, 4));
        assert!(joint.cells().iter().is_sorted());
        assert_eq!(joint.marked(&[true, false, true, true]).iter().sum::<u32>(), 3);
        assert_eq!(joint.marked(&[true, false, true, true])[shared.position()], 2);
    }

    #[test]
    fn a_line_is_as_many_records_as_were_counted() {
        let lines = Records::from_codes(&[2, 2], &[[1, 1], [0, 1], [0, 0]]);
        let joint = Located::counted(&lines, vec![2, 1, 4]);
        assert_eq!((joint.lines(), joint.len(), joint.records()), (3, 3, 7));
        let of = |line: u32| joint.n(joint.cell_of(RecordId(line)));
        assert_eq!([of(0), of(1), of(2)], [2, 1, 4]);
        assert_eq!(joint.marked(&[true, true, false]).iter().sum::<u32>(), 3);
        let one_way = joint.on(VarSet::single(0));
        assert_eq!(one_way.n(one_way.cell_of(RecordId(1))), 5);
    }
}

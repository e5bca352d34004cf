//! Two files counted together: their distinct cells, each with its count in either file.
//!
//! A table of both files is a sum over these cells, so the records are hashed once, however
//! many tables are asked for. A record that is the same at the same place in both files is
//! hashed once for both.
//!
//! Way in: [`Pooled::of`]. A table whose variables have few levels is counted in an array
//! with a place for each combination, any other one by hashing.

use std::fmt;

use crate::encode::{PackedCells, Records};
use crate::table::Grouping;
use crate::varset::VarSet;

/// The distinct cells of two files.
#[derive(Clone)]
pub struct Pooled {
    cells: PackedCells,
    counts: Vec<[u32; 2]>,
    /// The cell of each record of the first file.
    before: Vec<u32>,
    /// The cell of each record of the second file.
    after: Vec<u32>,
    levels: Vec<usize>,
}

/// A cell of a two-way table that holds a record of either file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PairCell {
    /// The code of the first variable.
    pub row: u32,
    /// The code of the second variable.
    pub column: u32,
    /// How many records of each file it holds.
    pub counts: [u32; 2],
}

impl Pooled {
    /// Counts the records of both files into cells.
    ///
    /// # Panics
    /// When the two were not encoded together.
    #[must_use]
    pub fn of(before: &Records, after: &Records) -> Self {
        let layout = before.cells().layout();
        assert!(
            layout == after.cells().layout() && before.levels() == after.levels(),
            "two files are compared over one coding"
        );
        // All records of the first file, and those of the second that are not the same at
        // the same place.
        let mut listed = before.cells().clone();
        let mut moved: Vec<bool> = Vec::with_capacity(after.len());
        for (position, cell) in after.cells().iter().enumerate() {
            let same = position < before.len() && before.cells().get(position) == cell;
            if !same {
                listed.push(cell);
            }
            moved.push(!same);
        }
        let grouping = Grouping::of_whole(&listed);
        let mut cells = PackedCells::new(layout.clone());
        let mut counts: Vec<[u32; 2]> = vec![[0; 2]; grouping.groups()];
        let mut seen = 0;
        for (position, &group) in grouping.group_of().iter().enumerate() {
            if group as usize == seen {
                cells.push(listed.get(position));
                seen += 1;
            }
        }
        drop(listed);
        let mut cell_before = grouping.into_group_of();
        let mut others = cell_before.split_off(before.len()).into_iter();
        let cell_after: Vec<u32> = moved
            .iter()
            .enumerate()
            .map(|(position, &moved)| match moved {
                true => others.next().expect("each record that moved was listed"),
                false => cell_before[position],
            })
            .collect();
        for &cell in &cell_before {
            counts[cell as usize][0] += 1;
        }
        for &cell in &cell_after {
            counts[cell as usize][1] += 1;
        }
        let levels = before.levels().to_vec();
        Self { cells, counts, before: cell_before, after: cell_after, levels }
    }

    /// How many records each file has.
    #[must_use]
    pub fn records(&self) -> [usize; 2] {
        [self.before.len(), self.after.len()]
    }

    /// The distinct cells, in the order of first appearance.
    #[must_use]
    pub fn cells(&self) -> &PackedCells {
        &self.cells
    }

    /// How many records of each file a cell holds.
    #[must_use]
    pub fn counts(&self) -> &[[u32; 2]] {
        &self.counts
    }

    /// The cell of each record of the first file.
    pub(super) fn before(&self) -> &[u32] {
        &self.before
    }

    /// The cell of each record of the second file.
    pub(super) fn after(&self) -> &[u32] {
        &self.after
    }

    /// The margin's table in both files; cells without a record may be listed too.
    pub(super) fn table(&self, margin: VarSet) -> Vec<[u32; 2]> {
        if let Some(size) = self.places(margin) {
            return self.array(margin, size);
        }
        let grouping = Grouping::of(&self.cells, margin);
        let mut table = vec![[0; 2]; grouping.groups()];
        for (&group, counts) in grouping.group_of().iter().zip(&self.counts) {
            add(&mut table[group as usize], *counts);
        }
        table
    }

    /// The two-way table of two variables in both files.
    pub(super) fn pair_table(&self, row: usize, column: usize) -> Vec<PairCell> {
        let pair = VarSet::from([row, column]);
        let layout = self.cells.layout();
        if let Some(size) = self.places(pair) {
            let array = self.array(pair, size);
            // The variable with the lower number runs slowest.
            let lines = array.chunks_exact(self.levels[row.max(column)]);
            return (0..)
                .zip(lines)
                .flat_map(|(low, line)| {
                    (0..).zip(line).map(move |(high, counts)| (low, high, counts))
                })
                .filter(|(_, _, counts)| **counts != [0; 2])
                .map(|(low, high, &counts)| {
                    let (row, column) = if row < column { (low, high) } else { (high, low) };
                    PairCell { row, column, counts }
                })
                .collect();
        }
        let grouping = Grouping::of(&self.cells, pair);
        let mut table: Vec<PairCell> = Vec::with_capacity(grouping.groups());
        for (cell, (&group, &counts)) in grouping.group_of().iter().zip(&self.counts).enumerate() {
            if group as usize == table.len() {
                let codes = self.cells.get(cell);
                let (row, column) = (layout.code(codes, row), layout.code(codes, column));
                table.push(PairCell { row, column, counts });
            } else {
                add(&mut table[group as usize].counts, counts);
            }
        }
        table
    }

    /// How many combinations the margin has, when an array with a place for each is worth
    /// its room.
    fn places(&self, margin: VarSet) -> Option<usize> {
        let size = margin
            .iter()
            .try_fold(1usize, |size, variable| size.checked_mul(self.levels[variable].max(1)))?;
        (size <= (8 * self.counts.len()).clamp(1 << 8, 1 << 20)).then_some(size)
    }

    /// The margin's table as an array, the last variable fastest.
    fn array(&self, margin: VarSet, size: usize) -> Vec<[u32; 2]> {
        let mut array = vec![[0; 2]; size];
        let layout = self.cells.layout();
        let mut stride = size;
        let places: Vec<(usize, usize)> = margin
            .iter()
            .map(|variable| {
                stride /= self.levels[variable].max(1);
                (variable, stride)
            })
            .collect();
        for (cell, &counts) in self.cells.iter().zip(&self.counts) {
            let place: usize = places
                .iter()
                .map(|&(variable, stride)| layout.code(cell, variable) as usize * stride)
                .sum();
            add(&mut array[place], counts);
        }
        array
    }
}

impl fmt::Debug for Pooled {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [before, after] = self.records();
        write!(formatter, "Pooled({before} and {after} records in {} cells)", self.counts.len())
    }
}

fn add(total: &mut [u32; 2], counts: [u32; 2]) {
    total[0] += counts[0];
    total[1] += counts[1];
}

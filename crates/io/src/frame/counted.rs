//! A data frame of counted cells: each of its lines is as many records as were counted elsewhere.
//!
//! A released table has nearly the cells of the original. Who counts both tells the records that
//! left their cells and those that came to one; the released cells follow ([`Frame::after`]), and
//! need not be handed over once more.
//!
//! Edge case: a cell that all its records left keeps its line, with no record. So lines with the
//! same place in both tables are the same cell, and are compared without a search.
//!
//! Way in: [`Frame::counted`].

use std::sync::Arc;

use marginswap_core::columns::Column;
use marginswap_core::hash::{Map, STATE};
use rayon::prelude::*;

use super::Frame;

/// How many lines are looked at together.
const CHUNK: usize = 1 << 14;

impl Frame {
    /// The same lines, each of which is this many records.
    ///
    /// # Panics
    /// When there is not a count for each line.
    #[must_use]
    pub fn counted(self, counts: Arc<[u32]>) -> Self {
        assert_eq!(self.records(), counts.len(), "every line has a count");
        Self { counts: Some(counts), ..self }
    }

    /// How many records each line is; nothing where each is one.
    #[must_use]
    pub fn counts(&self) -> Option<&Arc<[u32]>> {
        self.counts.as_ref()
    }

    /// The codes of some lines in a column. They count its categories in the order in which these
    /// first appear.
    ///
    /// # Panics
    /// When the column has no categories.
    #[must_use]
    pub fn codes(&self, column: usize, lines: &[u32]) -> Vec<u32> {
        let column = self.categories(column);
        lines.iter().map(|&line| column.code(line as usize)).collect()
    }

    /// The cells after some records left theirs and others came to one, both given as counted
    /// cells of the same columns. `None` where that cannot be: a cell is left by more records than
    /// it has, or gets more than can be counted.
    ///
    /// Law: `cells-follow-from-what-left-and-came`.
    ///
    /// # Panics
    /// When a frame is not of counted cells, or has other columns.
    #[must_use]
    pub fn after(&self, label: &str, left: Option<&Self>, came: Option<&Self>) -> Option<Self> {
        let mut counts: Vec<u32> = counts_of(self).to_vec();
        if let Some(left) = left {
            for (cell, line) in self.lines_of(left).into_iter().enumerate() {
                let records = &mut counts[line?];
                *records = records.checked_sub(counts_of(left)[cell])?;
            }
        }
        let mut new: Vec<usize> = Vec::new();
        if let Some(came) = came {
            for (cell, line) in self.lines_of(came).into_iter().enumerate() {
                match line {
                    Some(line) => {
                        counts[line] = counts[line].checked_add(counts_of(came)[cell])?;
                    }
                    None => {
                        new.push(cell);
                        counts.push(counts_of(came)[cell]);
                    }
                }
            }
        }
        let columns = 0..self.names().len();
        let columns = columns.into_par_iter().map(|column| {
            let own = self.categories(column);
            Ok(match came.filter(|_| !new.is_empty()) {
                Some(came) => {
                    let new = came.categories(column).of_records(new.iter().copied());
                    Column::merged(&[own, &new])
                }
                None => own.clone(),
            })
        });
        let after = Self::new(label, self.names().to_vec(), columns.collect(), counts.len());
        Some(after.expect("the names are those of a frame").counted(counts.into()))
    }

    /// Where the cells of another frame are in this one.
    fn lines_of(&self, cells: &Self) -> Vec<Option<usize>> {
        assert_eq!(self.names(), cells.names(), "both have the same columns");
        let columns = 0..self.names().len();
        // The other frame's cells in the codes of this one; a category that is not here has none.
        let mut coded: Vec<Option<Vec<u32>>> = vec![Some(Vec::new()); cells.records()];
        for column in columns.clone() {
            let (own, other) = (self.categories(column), cells.categories(column));
            other.for_each_code(|cell, code| {
                let known = match other.dictionary().category(code) {
                    Some(category) => own.dictionary().find(category),
                    None => own.dictionary().find_null(),
                };
                coded[cell] = coded[cell].take().zip(known).map(|(mut codes, code)| {
                    codes.push(code);
                    codes
                });
            });
        }
        let hash = |hash: u64, code: u32| (hash ^ u64::from(code)).wrapping_mul(SPREAD);
        let mut wanted: Map<u64, Vec<usize>> = Map::with_hasher(STATE);
        for (cell, codes) in coded.iter().enumerate() {
            if let Some(codes) = codes {
                let hash = codes.iter().fold(0, |all, &code| hash(all, code));
                wanted.entry(hash).or_default().push(cell);
            }
        }
        let chunks = (0..self.records().div_ceil(CHUNK)).into_par_iter();
        let found = chunks.flat_map_iter(|chunk| {
            let lines = chunk * CHUNK..self.records().min((chunk + 1) * CHUNK);
            let mut hashes = vec![0; lines.len()];
            for column in columns.clone() {
                let codes = self.categories(column);
                codes.for_each_code_in(lines.clone(), |line, code| {
                    hashes[line] = hash(hashes[line], code);
                });
            }
            let mut found = Vec::new();
            for (line, hash) in lines.zip(hashes) {
                for &cell in wanted.get(&hash).into_iter().flatten() {
                    let codes = coded[cell].as_deref().unwrap_or_default();
                    let mut own = columns.clone().zip(codes);
                    if own.all(|(column, &code)| self.categories(column).code(line) == code) {
                        found.push((cell, line));
                    }
                }
            }
            found
        });
        let found: Vec<(usize, usize)> = found.collect();
        let mut lines = vec![None; cells.records()];
        found.into_iter().for_each(|(cell, line)| lines[cell] = Some(line));
        lines
    }

    pub(super) fn categories(&self, column: usize) -> &Column {
        self.held.columns[column].as_ref().expect("a column of cells has categories")
    }
}

/// Spreads the bits of a code over a word.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

fn counts_of(frame: &Frame) -> &[u32] {
    frame.counts().expect("cells have counts")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::collections::BTreeMap;

    use marginswap_core::columns::ColumnBuilder;
    use proptest::prelude::*;

    use super::*;

    type Cell = [Option<u8>; 2];

    fn frame(cells: &BTreeMap<Cell, u32>) -> Option<Frame> {
        let columns = [0, 1].map(|column| {
            let mut values = ColumnBuilder::default();
            // In an order of their own.
            for cell in cells.keys().rev() {
                match cell[column] {
                    Some(value) => values.push(&[value]),
                    None => values.push_null(),
                }
            }
            Ok(values.finish())
        });
        let names = ["a", "b"].map(str::to_owned).to_vec();
        let counts = cells.values().rev().copied().collect();
        let made = Frame::new("cells", names, columns.into(), cells.len()).ok()?;
        Some(made.counted(counts))
    }

    /// The cells of a frame that have records.
    fn cells(frame: &Frame) -> BTreeMap<Cell, u32> {
        let mut found = BTreeMap::new();
        for (line, &records) in counts_of(frame).iter().enumerate() {
            let cell = [0, 1].map(|column| {
                let column = frame.categories(column);
                column.dictionary().category(column.code(line)).map(|value| value[0])
            });
            if records > 0 {
                *found.entry(cell).or_default() += records;
            }
        }
        found
    }

    fn some_cells(size: std::ops::Range<usize>) -> impl Strategy<Value = BTreeMap<Cell, u32>> {
        let value = || proptest::option::weighted(0.8, 0u8..4);
        proptest::collection::btree_map([value(), value()], 1u32..5, size)
    }

    proptest! {
        /// Law: `cells-follow-from-what-left-and-came`.
        #[test]
        fn law_cells_follow_from_what_left_and_came(
            before in some_cells(1..20),
            after in some_cells(0..20),
        ) {
            let less = |one: &BTreeMap<Cell, u32>, other: &BTreeMap<Cell, u32>| {
                let fewer = one.iter().map(|(cell, &records)| {
                    (*cell, records.saturating_sub(other.get(cell).copied().unwrap_or(0)))
                });
                fewer.filter(|(_, records)| *records > 0).collect::<BTreeMap<Cell, u32>>()
            };
            let (left, came) = (less(&before, &after), less(&after, &before));
            let own = frame(&before).unwrap();
            let (left_frame, came_frame) = (frame(&left), frame(&came));
            let made = own.after("after", left_frame.as_ref(), came_frame.as_ref()).unwrap();
            prop_assert_eq!(cells(&made), after.clone());
            // A cell that stays has its place.
            for line in 0..own.records() {
                for column in 0..2 {
                    let value = |frame: &Frame| {
                        let column = frame.categories(column);
                        column.dictionary().category(column.code(line)).map(<[u8]>::to_vec)
                    };
                    prop_assert_eq!(value(&own), value(&made));
                }
            }
            // More than there are cannot leave.
            let more: BTreeMap<Cell, u32> =
                before.iter().map(|(cell, records)| (*cell, records + 1)).take(1).collect();
            prop_assert!(own.after("after", frame(&more).as_ref(), None).is_none());
            let strange = BTreeMap::from([([Some(9), None], 1)]);
            prop_assert!(own.after("after", frame(&strange).as_ref(), None).is_none());
            let full = before.keys().map(|cell| (*cell, u32::MAX)).take(1).collect();
            prop_assert!(own.after("after", None, frame(&full).as_ref()).is_none());
        }
    }

    /// Witness for several chunks of lines.
    #[test]
    fn cells_are_found_in_long_frames() {
        let number = |line: usize| u32::try_from(line).unwrap().to_le_bytes();
        let lines = 2 * CHUNK + 5;
        let frame = |lines: &[usize]| {
            let mut column = ColumnBuilder::default();
            lines.iter().for_each(|&line| column.push(&number(line)));
            let column = Ok(column.finish());
            let made = Frame::new("cells", vec!["a".to_owned()], vec![column], lines.len());
            made.unwrap().counted(vec![2; lines.len()].into())
        };
        let all = frame(&(0..lines).collect::<Vec<_>>());
        let asked = [0, CHUNK - 1, CHUNK, 2 * CHUNK + 4, lines];
        let found = all.lines_of(&frame(&asked));
        assert_eq!(found, [Some(0), Some(CHUNK - 1), Some(CHUNK), Some(2 * CHUNK + 4), None]);
        let left = all.after("after", Some(&frame(&asked[..4])), None).unwrap();
        assert_eq!(counts_of(&left).iter().filter(|&&records| records == 0).count(), 4);
        assert_eq!(left.codes(0, &[7, 3]), [7, 3]);
    }
}

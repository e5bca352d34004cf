//! How many cells there are, and how many hold a single record: the joint table without its cells.
//!
//! Edge case: a variable in which all records differ, such as an id, answers by itself.
//!
//! Way in: [`CellSizes::count`]. Slow twin: [`JointTable`](super::JointTable).

use super::Grouping;
use crate::encode::Records;

/// The sizes of the cells of a file in a few numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CellSizes {
    /// How many records there are.
    pub records: usize,
    /// How many distinct cells they have.
    pub cells: usize,
    /// How many records are alone in their cell.
    pub sample_uniques: usize,
}

impl CellSizes {
    /// Counts the records into cells, of which none is kept.
    ///
    /// Law: `sizes-without-cells`.
    #[must_use]
    pub fn count(records: &Records) -> Self {
        let all = records.len();
        if (0..records.levels().len()).any(|variable| all_differ(records, variable)) {
            return Self { records: all, cells: all, sample_uniques: all };
        }
        let grouping = Grouping::of_whole(&records.packed());
        let mut sizes = vec![0u32; grouping.groups()];
        for &group in grouping.group_of() {
            sizes[group as usize] += 1;
        }
        let sample_uniques = sizes.iter().filter(|&&size| size == 1).count();
        Self { records: all, cells: sizes.len(), sample_uniques }
    }
}

/// Has every record a code of its own in this variable?
fn all_differ(records: &Records, variable: usize) -> bool {
    let levels = records.levels()[variable];
    if levels < records.len() {
        return false;
    }
    let layout = records.cells().layout();
    let mut seen = vec![false; levels];
    records.cells().iter().all(|cell| {
        let seen = &mut seen[layout.code(cell, variable) as usize];
        !std::mem::replace(seen, true)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;

    use crate::table::JointTable;

    proptest! {
        /// Few levels, more levels than codes that occur, and a variable in which all differ.
        #[test]
        fn law_sizes_without_cells(
            codes in proptest::collection::vec((0u32..3, 0u32..2, 0u32..40), 0..30),
            levels in 40usize..80,
        ) {
            let numbered: Vec<[u32; 3]> =
                (0u32..).zip(&codes).map(|(number, &(one, other, _))| [one, other, number]).collect();
            let drawn: Vec<[u32; 3]> =
                codes.iter().map(|&(one, other, third)| [one, other, third]).collect();
            for codes in [numbered, drawn] {
                let records = Records::from_codes(&[3, 2, levels], &codes);
                let joint = JointTable::count(&records);
                let slow = CellSizes {
                    records: joint.records(),
                    cells: joint.len(),
                    sample_uniques: joint.sample_uniques(),
                };
                prop_assert_eq!(CellSizes::count(&records), slow);
            }
        }
    }

    /// Witness: as many levels as records, two of which share one.
    #[test]
    fn levels_that_do_not_occur_prove_nothing() {
        let records = Records::from_codes(&[3], &[[0], [2], [0]]);
        let sizes = CellSizes { records: 3, cells: 2, sample_uniques: 1 };
        assert_eq!(CellSizes::count(&records), sizes);
    }
}

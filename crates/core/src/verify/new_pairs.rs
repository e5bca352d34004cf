//! Impossible people: two-way combinations that the released file has and the original never
//! had.
//!
//! A child who works, a widow of five: exchanging values can put together what never occurs
//! together. A combination counts as new when no original record has it, whatever the
//! reason; also when one of its two values is new itself. Some are absent by rarity: fewer than
//! five records would have both values if these were independent. The others look impossible.
//!
//! Which combinations of a pair are new comes with the comparison of its two-way table; what is
//! added here is the sum, and the records that have at least one.
//!
//! Way in: [`new_pairs`]. Slow twin: [`crate::oracle::World::new_pairs`].

use rayon::prelude::*;

use super::pooled::{PairCell, Table};
use super::{Pooled, TwoWay};
use crate::hash::{STATE, Set};
use crate::partner::is_absent_by_rarity;
use crate::varset::VarSet;

/// New combinations of two variables, over all pairs of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewPairs {
    /// How many combinations are new, summed over the pairs of variables.
    pub combinations: u64,
    /// Of these, those that are not absent from the original by rarity alone.
    pub impossible: u64,
    /// Released records that have at least one of them.
    pub records: u64,
    /// How many combinations the released file has, new or not: what a share is a share of.
    pub occurring: u64,
    /// The pairs of variables that have any, in their order.
    pub by_pair: Vec<NewPair>,
}

/// New combinations of two given variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewPair {
    /// The two variables, the lower number first.
    pub pair: [usize; 2],
    /// Their new combinations.
    pub new: NewCells,
}

/// The cells of one table that only the second file has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NewCells {
    /// How many combinations.
    pub combinations: u64,
    /// Of these, those that are not absent from the first file by rarity alone.
    pub impossible: u64,
    /// Released records that have one of them.
    pub records: u64,
    /// How many combinations the second file has, new or not.
    pub occurring: u64,
}

impl NewCells {
    /// Of the cells of a table, with the counts of the levels of both its variables.
    pub(super) fn of(cells: &[PairCell], rows: &[[u32; 2]], columns: &[[u32; 2]]) -> Self {
        let all: u64 = rows.iter().map(|[before, _]| u64::from(*before)).sum();
        let mut found = Self::default();
        for &PairCell { row, column, counts: [before, after] } in cells {
            found.occurring += u64::from(after > 0);
            if before == 0 && after > 0 {
                let [one, other] =
                    [rows[row as usize][0], columns[column as usize][0]].map(u64::from);
                found.combinations += 1;
                found.impossible += u64::from(!is_absent_by_rarity(one, other, all));
                found.records += u64::from(after);
            }
        }
        found
    }
}

/// Sums up the combinations that only the second file has, from the comparison of the
/// two-way tables: of those with both variables among these.
///
/// Law: `new-pairs-by-definition`.
#[must_use]
pub fn new_pairs(pooled: &Pooled, two_way: &[TwoWay], among: VarSet) -> NewPairs {
    let counted = || two_way.iter().filter(|table| VarSet::from(table.pair).is_subset(&among));
    let by_pair: Vec<NewPair> = counted()
        .filter(|table| table.new.combinations > 0)
        .map(|table| NewPair { pair: table.pair, new: table.new })
        .collect();
    NewPairs {
        combinations: by_pair.iter().map(|found| found.new.combinations).sum(),
        impossible: by_pair.iter().map(|found| found.new.impossible).sum(),
        records: records_with_one(pooled, &by_pair),
        occurring: counted().map(|table| table.new.occurring).sum(),
        by_pair,
    }
}

/// How many released records have a new combination of one of these pairs. Only a cell that the
/// original does not have can hold one.
fn records_with_one(pooled: &Pooled, pairs: &[NewPair]) -> u64 {
    let margins: Vec<VarSet> = pairs.iter().map(|found| VarSet::from(found.pair)).collect();
    let new = pooled.tables(&margins, |margin, table| Combinations::new_in(pooled, margin, table));
    let layout = pooled.cells().layout();
    let listed = pooled.weights().par_iter().enumerate();
    let only_released = listed.filter(|(_, [before, after])| *before == 0 && *after > 0);
    let with_one = only_released.map_init(
        || vec![0; layout.variables()],
        |codes, (listed, &[_, released])| {
            layout.read_codes(pooled.cells().get(listed), codes);
            match new.iter().any(|new| new.hold(codes)) {
                true => u64::from(released),
                false => 0,
            }
        },
    );
    with_one.sum()
}

/// Some combinations of two variables.
struct Combinations {
    pair: [usize; 2],
    marked: Marked,
}

/// Which combinations they are.
enum Marked {
    /// A mark for each combination, and the number of levels of the second variable.
    Each(Vec<bool>, usize),
    /// Those that are marked, where there are too many for a mark each.
    Listed(Set<[u32; 2]>),
}

impl Combinations {
    /// The combinations of a two-way table that only the second file has.
    fn new_in(pooled: &Pooled, margin: VarSet, table: &Table) -> Self {
        const MOST: usize = 1 << 20;
        let mut ends = margin.iter();
        let pair = [(); 2].map(|()| ends.next().expect("a pair has two variables"));
        let new = pooled.pair_cells(pair, table).into_iter().filter(|cell| cell.counts[0] == 0);
        let [rows, columns] = pair.map(|variable| pooled.levels()[variable].max(1));
        let marked = match rows.checked_mul(columns).filter(|&all| all <= MOST) {
            Some(all) => {
                let mut marks = vec![false; all];
                new.for_each(|cell| {
                    marks[cell.row as usize * columns + cell.column as usize] = true
                });
                Marked::Each(marks, columns)
            }
            None => {
                let mut listed = Set::with_hasher(STATE);
                listed.extend(new.map(|cell| [cell.row, cell.column]));
                Marked::Listed(listed)
            }
        };
        Self { pair, marked }
    }

    /// Is that of these codes, one for each variable, among them?
    fn hold(&self, codes: &[u32]) -> bool {
        let [row, column] = self.pair.map(|variable| codes[variable]);
        match &self.marked {
            Marked::Each(marks, columns) => marks[row as usize * columns + column as usize],
            Marked::Listed(listed) => listed.contains(&[row, column]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::encode::Records;

    /// Variables with enough levels that the combinations are listed, and with few: the records
    /// are those that have a new one, each once.
    #[test]
    fn records_are_counted_once_for_any_number_of_levels() {
        for levels in [8, 1 << 12] {
            let before = Records::from_codes(&[levels; 3], &[[0, 0, 0], [1, 1, 1], [0, 1, 0]]);
            let after = Records::from_codes(
                &[levels; 3],
                // The first cell is known; the others have one, two and two new pairs.
                &[[0, 0, 0], [0, 1, 1], [1, 0, 1], [7, 0, 0], [7, 0, 0]],
            );
            let pooled = Pooled::of(&before, &after);
            let two_way = super::super::compare_pairs(&pooled, VarSet::first(3), &[]);
            let found = new_pairs(&pooled, &two_way, VarSet::first(3));
            assert_eq!((found.combinations, found.records), (5, 4));
            let found = new_pairs(&pooled, &two_way, VarSet::from([0, 1]));
            assert_eq!((found.combinations, found.records), (2, 3), "one pair of variables alone");
        }
    }
}

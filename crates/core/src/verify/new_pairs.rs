//! Impossible people: two-way combinations that the released file has and the original never
//! had.
//!
//! A child who works, a widow of five: exchanging values can put together what never occurs
//! together. A combination counts as new when no original record has it, whatever the
//! reason; also when one of its two values is new itself.
//!
//! Which combinations of a pair are new comes with the comparison of its two-way table; what is
//! added here is the sum, and the records that have at least one.
//!
//! Way in: [`new_pairs`]. Slow twin: [`crate::oracle::World::new_pairs`].

use rayon::prelude::*;

use super::{Pooled, TwoWay};
use crate::varset::VarSet;

/// New combinations of two variables, over all pairs of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewPairs {
    /// How many combinations are new, summed over the pairs of variables.
    pub combinations: u64,
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
    /// Released records that have one of them.
    pub records: u64,
    /// How many combinations the second file has, new or not.
    pub occurring: u64,
}

impl NewCells {
    pub(super) fn of(counts: &[[u32; 2]]) -> Self {
        let mut found = Self::default();
        for &[before, after] in counts {
            found.occurring += u64::from(after > 0);
            if before == 0 && after > 0 {
                found.combinations += 1;
                found.records += u64::from(after);
            }
        }
        found
    }
}

/// Sums up the combinations that only the second file has, from the comparison of the
/// two-way tables.
///
/// Law: `new-pairs-by-definition`.
#[must_use]
pub fn new_pairs(pooled: &Pooled, two_way: &[TwoWay]) -> NewPairs {
    let by_pair: Vec<NewPair> = two_way
        .iter()
        .filter(|table| table.new.combinations > 0)
        .map(|table| NewPair { pair: table.pair, new: table.new })
        .collect();
    NewPairs {
        combinations: by_pair.iter().map(|found| found.new.combinations).sum(),
        records: records_with_one(pooled, &by_pair),
        occurring: two_way.iter().map(|table| table.new.occurring).sum(),
        by_pair,
    }
}

/// How many released records have a new combination of one of these pairs.
fn records_with_one(pooled: &Pooled, pairs: &[NewPair]) -> u64 {
    let listed = pooled.weights().len();
    let marked = pairs
        .par_iter()
        .fold(
            || vec![false; listed],
            |mut marked, found| {
                let groups = pooled.groups(VarSet::from(found.pair));
                let counts = pooled.count(&groups);
                for (mark, &group) in marked.iter_mut().zip(&groups.of) {
                    *mark |= counts[group as usize][0] == 0;
                }
                marked
            },
        )
        .reduce(
            || vec![false; listed],
            |mut left, right| {
                left.iter_mut().zip(right).for_each(|(left, right)| *left |= right);
                left
            },
        );
    let with_one = marked.iter().zip(pooled.weights()).filter(|(mark, _)| **mark);
    with_one.map(|(_, &[_, released])| u64::from(released)).sum()
}

//! Impossible people: two-way combinations that the released file has and the original never
//! had.
//!
//! A child who works, a widow of five: exchanging values can put together what never occurs
//! together. A combination counts as new when no original record has it, whatever the
//! reason; also when one of its two values is new itself.
//!
//! Way in: [`new_pairs`]. Slow twin: [`crate::oracle::World::new_pairs`].

use rayon::prelude::*;

use super::Pooled;
use crate::varset::VarSet;

/// New combinations of two variables, over all pairs of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewPairs {
    /// How many combinations are new, summed over the pairs of variables.
    pub combinations: u64,
    /// Released records that have at least one of them.
    pub records: u64,
    /// The pairs of variables that have any, in their order.
    pub by_pair: Vec<NewPair>,
}

/// New combinations of two given variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewPair {
    /// The two variables, the lower number first.
    pub pair: [usize; 2],
    /// How many combinations are new.
    pub combinations: u64,
    /// Released records that have one of them.
    pub records: u64,
}

/// Finds the two-way combinations of these variables that only the second file has.
///
/// Law: `new-pairs-by-definition`.
#[must_use]
pub fn new_pairs(pooled: &Pooled, variables: VarSet) -> NewPairs {
    let members: Vec<usize> = variables.iter().collect();
    let pairs: Vec<VarSet> = members
        .iter()
        .enumerate()
        .flat_map(|(place, &low)| {
            members[place + 1..].iter().map(move |&high| VarSet::from([low, high]))
        })
        .collect();
    let mut by_pair = pooled.tables(&pairs, |margin, table| {
        let mut ends = margin.iter();
        let pair = [(); 2].map(|()| ends.next().expect("a pair has two variables"));
        let mut found = NewPair { pair, combinations: 0, records: 0 };
        for &[before, after] in &table.counts {
            if before == 0 && after > 0 {
                found.combinations += 1;
                found.records += u64::from(after);
            }
        }
        found
    });
    by_pair.retain(|found| found.combinations > 0);
    NewPairs {
        combinations: by_pair.iter().map(|found| found.combinations).sum(),
        records: records_with_one(pooled, &by_pair),
        by_pair,
    }
}

/// How many released records have a new combination of one of these pairs.
fn records_with_one(pooled: &Pooled, pairs: &[NewPair]) -> u64 {
    let [_, released] = pooled.records();
    let marked = pairs
        .par_iter()
        .fold(
            || vec![false; released],
            |mut marked, found| {
                let groups = pooled.groups(VarSet::from(found.pair));
                let counts = pooled.count(&groups);
                for (mark, &listed) in marked.iter_mut().zip(pooled.after()) {
                    *mark |= counts[groups.of[listed as usize] as usize][0] == 0;
                }
                marked
            },
        )
        .reduce(
            || vec![false; released],
            |mut left, right| {
                left.iter_mut().zip(right).for_each(|(left, right)| *left |= right);
                left
            },
        );
    marked.into_iter().filter(|&mark| mark).count() as u64
}

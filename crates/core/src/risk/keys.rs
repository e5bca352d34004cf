//! What the keys reveal, counted: uniques, k-anonymity, and which key reveals most.
//!
//! These numbers are exact counts of the file. They say nothing of the population.

use super::{KeyTable, Summaries};
use crate::varset::VarSet;

/// The records that share their keys with too few others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Anonymity {
    /// k.
    pub k: u64,
    /// The records whose combination occurs fewer than k times.
    pub records_below: u64,
}

/// The records below each of these k.
///
/// Law: `anonymity-by-definition`.
#[must_use]
pub fn anonymity(table: &KeyTable, ks: &[u64]) -> Vec<Anonymity> {
    let sizes = table.cells_by_count();
    ks.iter()
        .map(|&k| Anonymity {
            k,
            records_below: sizes
                .iter()
                .filter(|(size, _)| *size < k)
                .map(|(size, often)| size * often)
                .sum(),
        })
        .collect()
}

/// What one set of keys reveals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeySet {
    /// The keys.
    pub keys: VarSet,
    /// The combinations of them that occur.
    pub cells: u64,
    /// Records alone on them.
    pub uniques: u64,
    /// Records that share them with one other at most, themselves not counted.
    pub below_3: u64,
}

/// What every set of at most `largest` keys reveals, the one with most uniques first; `None` when
/// there are more than `most` such sets.
///
/// Law: `key-sets-by-definition`.
#[must_use]
pub fn key_sets(summaries: &mut Summaries<'_>, largest: usize, most: usize) -> Option<Vec<KeySet>> {
    let keys: Vec<usize> = summaries.table().keys().iter().collect();
    let mut sets: Vec<VarSet> = Vec::new();
    let mut newest = vec![(VarSet::EMPTY, 0)];
    for _ in 0..largest.min(keys.len()) {
        let mut longer = Vec::new();
        for (set, next) in newest {
            for (place, &key) in keys.iter().enumerate().skip(next) {
                longer.push((set | VarSet::single(key), place + 1));
            }
            if sets.len() + longer.len() > most {
                return None;
            }
        }
        sets.extend(longer.iter().map(|(set, _)| *set));
        newest = longer;
    }
    summaries.count(sets.iter().copied());
    let mut told: Vec<KeySet> = sets
        .into_iter()
        .map(|keys| {
            let summary = summaries.of(keys);
            KeySet {
                keys,
                cells: summary.cells,
                uniques: summary.uniques,
                below_3: summary.uniques + summary.twins,
            }
        })
        .collect();
    told.sort_by_key(|set| (std::cmp::Reverse(set.uniques), set.keys));
    Some(told)
}

/// For each key how many records would be unique on the others alone; the key that reveals most,
/// whose absence leaves the fewest, first.
///
/// Law: `uniques-without-a-key`.
#[must_use]
pub fn uniques_without(summaries: &mut Summaries<'_>) -> Vec<(usize, u64)> {
    let keys = summaries.table().keys();
    let without = |key: usize| keys - VarSet::single(key);
    summaries.count(keys.iter().map(without));
    let mut told: Vec<(usize, u64)> =
        keys.iter().map(|key| (key, summaries.of(without(key)).uniques)).collect();
    told.sort_by_key(|&(key, uniques)| (uniques, key));
    told
}

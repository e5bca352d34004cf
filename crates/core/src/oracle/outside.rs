//! Slow twins for what is seen from outside: every record looked up by hand, every exchange
//! and every table tried.

use std::collections::BTreeSet;

use super::World;
use crate::varset::VarSet;

/// What somebody meets who looks a person up in another file by the keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Met {
    /// How many records have the person's keys.
    pub records: usize,
    /// The sensitive variables in which no two of them differ; none when there is no record.
    pub agreed: VarSet,
    /// Those of them in which none of the records differs from the person.
    pub correct: VarSet,
    /// Are they, on keys and sensitive variables, just the person's own file's records with
    /// these keys?
    pub as_before: bool,
}

impl World {
    /// Looks a record of this file up in another one.
    #[must_use]
    pub fn met(&self, after: &World, record: usize, keys: VarSet, sensitive: VarSet) -> Met {
        let own = &self.records[record];
        let found: Vec<&Vec<u32>> = after
            .records
            .iter()
            .filter(|other| keys.iter().all(|key| other[key] == own[key]))
            .collect();
        let among = |holds: &dyn Fn(usize) -> bool| -> VarSet {
            sensitive.iter().filter(|&variable| !found.is_empty() && holds(variable)).collect()
        };
        let part = |record: &Vec<u32>| -> Vec<u32> {
            (keys | sensitive).iter().map(|variable| record[variable]).collect()
        };
        let having_keys = |world: &World| {
            let alike = |other: &&Vec<u32>| keys.iter().all(|key| other[key] == own[key]);
            let mut parts: Vec<Vec<u32>> = world.records.iter().filter(alike).map(part).collect();
            parts.sort_unstable();
            parts
        };
        Met {
            as_before: having_keys(self) == having_keys(after),
            records: found.len(),
            agreed: among(&|variable| {
                found.iter().all(|one| found.iter().all(|two| one[variable] == two[variable]))
            }),
            correct: among(&|variable| found.iter().all(|one| one[variable] == own[variable])),
        }
    }

    /// The combinations of two variables that another file has and this one does not.
    #[must_use]
    pub fn new_pairs(&self, after: &World, pair: [usize; 2]) -> BTreeSet<[u32; 2]> {
        let of = |world: &World| -> BTreeSet<[u32; 2]> {
            world.records.iter().map(|record| pair.map(|variable| record[variable])).collect()
        };
        of(after).difference(&of(self)).copied().collect()
    }

    /// Does neither of the two records have the keys of the left one after the swapping?
    #[must_use]
    pub fn parts(&self, left: usize, right: usize, exchanged: VarSet, keys: VarSet) -> bool {
        let after = self.swapped(left, right, exchanged);
        [left, right].iter().all(|&record| {
            keys.iter().any(|key| after.records[record][key] != self.records[left][key])
        })
    }

    /// All records with which some exchange keeps every table and parts the keys of one.
    /// Tries every E.
    #[must_use]
    pub fn parting_partners(&self, record: usize, tables: &[VarSet], keys: VarSet) -> Vec<usize> {
        (0..self.records.len())
            .filter(|&other| {
                other != record
                    && VarSet::first(self.levels.len()).subsets().any(|exchanged| {
                        self.keeps(record, other, exchanged, tables)
                            && self.parts(record, other, exchanged, keys)
                    })
            })
            .collect()
    }

    /// The fewest records with the keys of a record that any file with the same tables, and
    /// the same counts of every variable, has. Tries every file.
    ///
    /// # Panics
    /// When no file has the same tables: this one has.
    #[must_use]
    pub fn fewest_with_keys(&self, record: usize, tables: &[VarSet], keys: VarSet) -> u64 {
        let own = &self.records[record];
        let cells = self.all_cells();
        let single = (0..self.levels.len()).map(VarSet::single);
        let kept: Vec<VarSet> = tables.iter().copied().chain(single).collect();
        self.all_tables()
            .filter_map(|table| {
                let records = cells
                    .iter()
                    .zip(&table)
                    .flat_map(|(cell, &count)| (0..count).map(move |_| cell.clone()))
                    .collect();
                let other = World { levels: self.levels.clone(), records };
                let same =
                    kept.iter().all(|&set| self.margin_table(set) == other.margin_table(set));
                same.then(|| {
                    let has = |other: &&Vec<u32>| keys.iter().all(|key| other[key] == own[key]);
                    other.records.iter().filter(has).count() as u64
                })
            })
            .min()
            .expect("the file itself has its own tables")
    }
}

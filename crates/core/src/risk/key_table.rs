//! The file as an intruder sees it: its records on the keys alone.

use crate::encode::RecordId;
use crate::table::{CellId, JointTable, Located};
use crate::varset::VarSet;

/// The joint table of the keys, and how many levels each variable has.
#[derive(Debug, Clone)]
pub struct KeyTable {
    joint: Located,
    keys: VarSet,
    levels: Vec<usize>,
}

impl KeyTable {
    /// The table of these keys; `levels` holds a number for each variable of the file.
    #[must_use]
    pub fn new(joint: &Located, keys: VarSet, levels: &[usize]) -> Self {
        Self { joint: joint.on(keys), keys, levels: levels.to_vec() }
    }

    /// The distinct combinations of keys and their counts.
    #[must_use]
    pub fn joint(&self) -> &JointTable {
        &self.joint
    }

    /// The keys.
    #[must_use]
    pub fn keys(&self) -> VarSet {
        self.keys
    }

    /// n: how many records there are.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.joint.records() as u64
    }

    /// The combination of keys that a record has.
    #[must_use]
    pub fn cell_of(&self, record: RecordId) -> CellId {
        self.joint.cell_of(record)
    }

    /// How many levels a variable has.
    #[must_use]
    pub fn levels(&self, variable: usize) -> usize {
        self.levels[variable]
    }

    /// How many combinations a set of variables could have; of the empty set one.
    #[must_use]
    pub fn combinations(&self, variables: VarSet) -> f64 {
        variables.iter().map(|variable| self.levels[variable] as f64).product()
    }

    /// s_j: for each count that occurs, rising, how many cells have it.
    #[must_use]
    pub fn cells_by_count(&self) -> Vec<(u64, u64)> {
        cells_by_count(self.joint.counts().iter().map(|&count| count.into()))
    }
}

/// For each count that occurs, rising, how often it does.
pub(super) fn cells_by_count(counts: impl Iterator<Item = u64>) -> Vec<(u64, u64)> {
    const SMALL: usize = 4096;
    let mut small = vec![0u64; SMALL];
    let mut large: Vec<u64> = Vec::new();
    for count in counts {
        match usize::try_from(count) {
            Ok(count) if count < SMALL => small[count] += 1,
            _ => large.push(count),
        }
    }
    large.sort_unstable();
    let mut found: Vec<(u64, u64)> =
        (0u64..).zip(small).filter(|(count, often)| *count > 0 && *often > 0).collect();
    for chunk in large.chunk_by(|left, right| left == right) {
        found.push((chunk[0], chunk.len() as u64));
    }
    found
}

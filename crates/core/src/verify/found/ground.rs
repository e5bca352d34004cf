//! The people and the released records, laid out by their combinations of key values.

use super::super::Pooled;
use super::super::learned::AtRisk;
use super::Question;
use crate::encode::Mask;
use crate::table::Grouping;
use crate::varset::VarSet;

/// The two files as somebody sees them who looks people up by their keys.
pub(super) struct Ground<'a> {
    pub pooled: &'a Pooled,
    pub keys: Vec<usize>,
    pub sensitive: VarSet,
    pub sensitive_bits: Mask,
    /// The listed cells, one combination of the keys after the other, and where each begins.
    cells: Vec<u32>,
    starts: Vec<usize>,
    /// The combination of each listed cell, where some are blank.
    combination_of: Vec<u32>,
    /// How many records of each file have each combination.
    pub counts: Vec<[u32; 2]>,
    /// For each key the code of each combination.
    pub codes: Vec<Vec<u32>>,
    /// For each combination the keys, by their places, on which it says nothing; empty where no
    /// combination has any.
    pub blank: Vec<u64>,
    /// How many people at risk each listed cell has.
    pub at_risk: Vec<u64>,
    /// How many people it has in all.
    pub people: Vec<u64>,
    /// Is somebody at risk who has this combination?
    pub risky: Vec<bool>,
}

impl<'a> Ground<'a> {
    pub fn of(pooled: &'a Pooled, question: &Question<'_>) -> Self {
        let scenario = &question.scenario;
        let cells = pooled.cells();
        let layout = cells.layout();
        let grouping = Grouping::of(cells, scenario.keys);
        let (sorted, starts) = grouping.sorted();
        let mut counts = vec![[0; 2]; grouping.groups()];
        for (&group, weights) in grouping.group_of().iter().zip(pooled.weights()) {
            let [before, after] = &mut counts[group as usize];
            *before += weights[0];
            *after += weights[1];
        }
        let keys: Vec<usize> = scenario.keys.iter().collect();
        let code_of = |&key: &usize| -> Vec<u32> {
            let first = starts[..counts.len()].iter().map(|&start| sorted[start] as usize);
            first.map(|listed| layout.code(cells.get(listed), key)).collect()
        };
        let codes: Vec<Vec<u32>> = keys.iter().map(code_of).collect();
        let blank = blank_keys(question, &keys, &codes);
        let mut at_risk = vec![0; cells.len()];
        let mut people = vec![0; cells.len()];
        let mut risky = vec![false; counts.len()];
        for (line, &listed) in pooled.before().iter().enumerate() {
            let (listed, own) = (listed as usize, question.people(pooled, line));
            let group = grouping.group_of()[listed] as usize;
            people[listed] += own;
            let is_at_risk = match scenario.at_risk {
                AtRisk::Alone => counts[group][0] == 1,
                AtRisk::Listed(list) => list[line],
            };
            if is_at_risk {
                at_risk[listed] += own;
                risky[group] |= own > 0;
            }
        }
        Self {
            pooled,
            keys,
            sensitive: scenario.sensitive,
            sensitive_bits: layout.mask(scenario.sensitive),
            cells: sorted,
            starts,
            combination_of: match blank.is_empty() {
                true => Vec::new(),
                false => grouping.group_of().to_vec(),
            },
            counts,
            codes,
            blank,
            at_risk,
            people,
            risky,
        }
    }

    /// How many combinations of key values the two files have.
    pub fn combinations(&self) -> usize {
        self.counts.len()
    }

    /// The listed cells with a combination.
    pub fn cells(&self, combination: u32) -> &[u32] {
        let combination = combination as usize;
        &self.cells[self.starts[combination]..self.starts[combination + 1]]
    }

    /// Is every sensitive value of two listed cells the same?
    pub fn agree(&self, one: u32, other: u32) -> bool {
        let cells = self.pooled.cells();
        !self.sensitive_bits.parts(cells.get(one as usize), cells.get(other as usize))
    }

    /// The variables in which two listed cells differ.
    pub fn differing(&self, one: u32, other: u32) -> VarSet {
        self.pooled.cells().differing(one as usize, other as usize)
    }

    /// The keys in which two listed cells agree, by their places among the keys.
    pub fn agreeing_keys(&self, one: u32, other: u32) -> u64 {
        self.keys_outside(self.differing(one, other))
    }

    /// The keys on which a listed cell says nothing, by their places.
    pub fn blank_in(&self, listed: u32) -> u64 {
        match self.blank.is_empty() {
            true => 0,
            false => self.blank[self.combination_of[listed as usize] as usize],
        }
    }

    /// The keys that are not among these variables, by their places.
    pub fn keys_outside(&self, differing: VarSet) -> u64 {
        let keys = self.keys.iter().take(64).enumerate();
        keys.filter(|(_, key)| !differing.contains(**key)).fold(0, |all, (at, _)| all | 1 << at)
    }
}

/// For each combination the keys on which it says nothing.
fn blank_keys(question: &Question<'_>, keys: &[usize], codes: &[Vec<u32>]) -> Vec<u64> {
    let none = Vec::new();
    let combinations = codes.first().map_or(0, Vec::len);
    let mut blank = vec![0; combinations];
    for (place, (&key, codes)) in keys.iter().zip(codes).take(64).enumerate() {
        let nothing = question.blank.get(key).unwrap_or(&none);
        for (blank, code) in blank.iter_mut().zip(codes).filter(|_| !nothing.is_empty()) {
            *blank |= u64::from(nothing.contains(code)) << place;
        }
    }
    match blank.iter().all(|&blank| blank == 0) {
        true => Vec::new(),
        false => blank,
    }
}

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
    /// How many records of each file have each combination.
    pub counts: Vec<[u32; 2]>,
    /// For each key the code of each combination.
    pub codes: Vec<Vec<u32>>,
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
        let codes = keys.iter().map(code_of).collect();
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
            counts,
            codes,
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

    /// The keys that are not among these variables, by their places.
    pub fn keys_outside(&self, differing: VarSet) -> u64 {
        let keys = self.keys.iter().take(64).enumerate();
        keys.filter(|(_, key)| !differing.contains(**key)).fold(0, |all, (at, _)| all | 1 << at)
    }
}

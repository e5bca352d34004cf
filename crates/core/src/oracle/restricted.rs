//! Slow twins for partners that respect strata, match lists and rules.

use super::World;
use crate::partner::{Forbidden, NeverNew, Restrictions};
use crate::varset::VarSet;

impl World {
    /// All records with which some exchange keeps every table, parts the keys and respects
    /// these restrictions. Tries every record and every E.
    #[must_use]
    pub fn restricted_partners(
        &self,
        record: usize,
        tables: &[VarSet],
        keys: VarSet,
        restrictions: &Restrictions,
    ) -> Vec<usize> {
        let agrees = |other: usize| {
            let agree_on = |set: &VarSet| {
                set.iter().all(|place| self.records[record][place] == self.records[other][place])
            };
            let lists = &restrictions.matches;
            agree_on(&restrictions.strata) && (lists.is_empty() || lists.iter().any(agree_on))
        };
        let allows = |other: usize, exchanged: VarSet| {
            let after = self.swapped(record, other, exchanged);
            let pair = |world: &World| [record, other].map(|place| world.records[place].clone());
            let (old, new) = (pair(self), pair(&after));
            self.keeps(record, other, exchanged, tables)
                && self.parts(record, other, exchanged, keys)
                && !restrictions.rules.iter().any(|rule| newly_breaks(rule, &old, &new))
                && !new.iter().any(|codes| self.is_new(codes, &restrictions.never_new))
        };
        let others = (0..self.records.len()).filter(|&other| other != record && agrees(other));
        let everything = VarSet::first(self.levels.len());
        others.filter(|&other| everything.subsets().any(|set| allows(other, set))).collect()
    }

    /// Has a record a combination of two values that is forbidden where nobody has it?
    fn is_new(&self, codes: &[u32], never_new: &NeverNew) -> bool {
        let pair = |codes: &[u32], [left, right]: [usize; 2]| [codes[left], codes[right]];
        let mut pairs = (0..codes.len())
            .flat_map(|left| (left + 1..codes.len()).map(move |right| [left, right]))
            .filter(|[left, right]| match never_new {
                NeverNew::Nowhere => false,
                NeverNew::Pairs(pairs) => pairs.contains(&[*left, *right]),
                NeverNew::Among(variables) => {
                    variables.contains(*left) && variables.contains(*right)
                }
                NeverNew::Everywhere => true,
            });
        pairs.any(|two| self.records.iter().all(|other| pair(other, two) != pair(codes, two)))
    }
}

/// Has one of two new records the combination, with other values in its variables than both
/// old ones?
fn newly_breaks(rule: &Forbidden, old: &[Vec<u32>; 2], new: &[Vec<u32>; 2]) -> bool {
    let has = |codes: &[u32]| {
        rule.terms.iter().all(|term| term.codes.contains(&codes[term.variable]) != term.negated)
    };
    let same = |one: &[u32], other: &[u32]| {
        rule.terms.iter().all(|term| one[term.variable] == other[term.variable])
    };
    new.iter().any(|new| has(new) && !old.iter().any(|old| same(old, new)))
}

//! Rules: combinations of values that no record may come to have.
//!
//! An exchange *newly breaks* a rule when one of the two records it makes has the combination
//! and neither old record agrees with it on the variables of the rule. What was there before
//! may be there afterwards. So only an exchange that splits the differing variables of a rule
//! can break it.
//!
//! Way in: [`Rules::allowed_exchange`]. Slow twin:
//! [`crate::oracle::World::restricted_partners`].

use super::pair::{exchangeable_parts, exchanges};
use super::parting::{can_part, parts_keys};
use super::seen::Seen;
use super::swap::exchange;
use crate::encode::Layout;
use crate::graph::MarginGraph;
use crate::table::JointTable;
use crate::varset::VarSet;

/// A combination of values that no record may come to have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forbidden {
    /// All terms together make the combination.
    pub terms: Vec<Term>,
}

/// One variable of a forbidden combination.
#[derive(Clone, PartialEq, Eq)]
pub struct Term {
    /// The variable.
    pub variable: usize,
    /// Its codes, sorted.
    pub codes: Vec<u32>,
    /// Is it these codes that count, or all others?
    pub negated: bool,
}

impl std::fmt::Debug for Term {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Term(variable {}, {} codes)", self.variable, self.codes.len())
    }
}

impl Forbidden {
    /// The variables that it looks at.
    #[must_use]
    pub fn variables(&self) -> VarSet {
        self.terms.iter().map(|term| term.variable).collect()
    }

    /// Has a packed cell this combination?
    #[must_use]
    pub fn holds(&self, layout: &Layout, cell: &[u64]) -> bool {
        self.terms.iter().all(|term| {
            let code = layout.code(cell, term.variable);
            term.codes.binary_search(&code).is_ok() != term.negated
        })
    }

    /// Does one of two new cells break the rule in a way that neither old one did? A record
    /// that broke it before may go on to, unchanged in the variables of the rule.
    ///
    /// Law: `a-rule-is-a-rule`.
    #[must_use]
    pub fn newly_broken(&self, layout: &Layout, old: [&[u64]; 2], new: [&[u64]; 2]) -> bool {
        new.into_iter().any(|new| {
            let is_old = |old: &[u64]| {
                self.terms
                    .iter()
                    .all(|term| layout.code(old, term.variable) == layout.code(new, term.variable))
            };
            self.holds(layout, new) && !old.into_iter().any(is_old)
        })
    }
}

/// Where two values may not come together for the first time.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum NeverNew {
    /// Nowhere: such combinations are only avoided among equally good exchanges.
    #[default]
    Nowhere,
    /// For these pairs of variables, the lower one first.
    Pairs(Vec<[usize; 2]>),
    /// For any two of these variables.
    Among(VarSet),
    /// For any two variables.
    Everywhere,
}

impl NeverNew {
    /// Is anything forbidden?
    #[must_use]
    pub fn forbids_any(&self) -> bool {
        match self {
            Self::Nowhere => false,
            Self::Pairs(pairs) => !pairs.is_empty(),
            Self::Among(variables) => variables.len() > 1,
            Self::Everywhere => true,
        }
    }

    /// Is a new combination of these two variables forbidden, the lower one first?
    #[must_use]
    pub fn forbids(&self, left: usize, right: usize) -> bool {
        match self {
            Self::Nowhere => false,
            Self::Pairs(pairs) => pairs.contains(&[left, right]),
            Self::Among(variables) => variables.contains(left) && variables.contains(right),
            Self::Everywhere => true,
        }
    }
}

/// What may be new all the same, where new combinations are forbidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exempt {
    /// Nothing.
    Nothing,
    /// A combination that is absent by rarity.
    Rare,
}

/// Two values that fewer records than this would have together, if they were independent, need
/// not occur together.
const EXPECTED: u64 = 5;

/// Is it no surprise that nobody has two values together: would fewer than five of n records, if
/// the two were independent?
#[must_use]
pub fn is_absent_by_rarity(one: u64, other: u64, records: u64) -> bool {
    u128::from(one) * u128::from(other) < u128::from(EXPECTED) * u128::from(records)
}

/// Does a variable have few levels against the records, so that an absent combination can tell
/// anything? An average level must have at least five records: with fewer, it is absent by rarity
/// together with any other value, even one that all records have.
#[must_use]
pub fn has_few_levels(levels: usize, records: u64) -> bool {
    u128::from(EXPECTED) * levels as u128 <= u128::from(records)
}

/// What no exchange may make.
pub struct Rules<'a> {
    forbidden: &'a [Forbidden],
    never_new: &'a NeverNew,
    seen: Seen<'a>,
    /// The variables that any of them looks at.
    variables: VarSet,
}

impl<'a> Rules<'a> {
    /// These rules, for the cells of this table.
    #[must_use]
    pub fn new(joint: &'a JointTable, forbidden: &'a [Forbidden], never_new: &'a NeverNew) -> Self {
        let mut rules =
            Self { forbidden, never_new, seen: Seen::new(joint), variables: VarSet::EMPTY };
        let all = VarSet::first(joint.cells().layout().variables());
        rules.variables = rules.ties(all).into_iter().fold(VarSet::EMPTY, |all, tie| all | tie);
        rules
    }

    /// Sets of variables: an exchange that splits none of them breaks no rule.
    #[must_use]
    pub fn ties(&self, all: VarSet) -> Vec<VarSet> {
        let mut ties: Vec<VarSet> = self.forbidden.iter().map(Forbidden::variables).collect();
        match self.never_new {
            NeverNew::Nowhere => {}
            NeverNew::Pairs(pairs) => ties.extend(pairs.iter().map(|pair| VarSet::from(*pair))),
            NeverNew::Among(variables) => ties.push(*variables),
            NeverNew::Everywhere => ties.push(all),
        }
        ties
    }

    /// Does exchanging E between two cells that differ on Δ̄ break no rule?
    fn allow(
        &self,
        layout: &Layout,
        cells: [&[u64]; 2],
        differing: VarSet,
        exchanged: VarSet,
    ) -> bool {
        let (one, other) = exchange(layout, cells[0], cells[1], exchanged);
        let new = [&one[..], &other[..]];
        if self.forbidden.iter().any(|rule| rule.newly_broken(layout, cells, new)) {
            return false;
        }
        let (one, other) = (differing & exchanged, differing - exchanged);
        let forbids = |left, right| self.never_new.forbids(left, right);
        let is_new = |cell: &[u64]| self.seen.never_seen(cell, one, other, forbids) > 0;
        !(self.never_new.forbids_any() && new.into_iter().any(is_new))
    }

    /// An exchange between two cells that keeps every table, parts the keys and breaks no
    /// rule. With all variables as keys, any exchange with an effect parts them.
    ///
    /// Trap: of more than sixteen parts that rules look at, the last are exchanged as one;
    /// then an allowed exchange may be missed.
    ///
    /// Law: `restricted-screening-by-definition`.
    #[must_use]
    pub fn allowed_exchange(
        &self,
        graph: &MarginGraph,
        keys: VarSet,
        layout: &Layout,
        cells: [&[u64]; 2],
    ) -> Option<VarSet> {
        const MOST_PARTS: usize = 16;
        let differing = layout.differing(cells[0], cells[1]);
        if !can_part(graph, differing, keys) {
            return None;
        }
        let mut parts = exchangeable_parts(graph, differing);
        // A part that no rule looks at breaks none.
        let mut free = parts.iter().filter(|part| part.meets(&keys));
        if let Some(free) = free.find(|part| !part.meets(&self.variables)) {
            return Some(*free);
        }
        parts.retain(|part| part.meets(&self.variables));
        if parts.len() > MOST_PARTS {
            let last = parts.split_off(MOST_PARTS - 1);
            parts.push(last.into_iter().fold(VarSet::EMPTY, |all, part| all | part));
        }
        exchanges(&parts)
            .filter(|&exchanged| parts_keys(differing, exchanged, keys))
            .find(|&exchanged| self.allow(layout, cells, differing, exchanged))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bound is where an average level, together with a value that everybody has, stops being
    /// absent by rarity.
    #[test]
    fn few_levels_are_those_that_rarity_does_not_excuse() {
        for each in 1..=12u64 {
            for levels in 1..=60u64 {
                let records = each * levels;
                let few = has_few_levels(usize::try_from(levels).expect("few"), records);
                assert_eq!(few, !is_absent_by_rarity(each, records, records), "{levels} of {each}");
            }
        }
        assert!(has_few_levels(20, 100) && !has_few_levels(21, 100));
        // 20 levels of 5 records each, and a value that all 100 have: 5 are expected.
        assert!(!is_absent_by_rarity(5, 100, 100) && is_absent_by_rarity(4, 100, 100));
    }
}

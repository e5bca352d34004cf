//! What a plan must respect beside the kept tables.

use super::WeightBound;
use crate::encode::Layout;
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
    /// Has a packed cell this combination?
    #[must_use]
    pub fn holds(&self, layout: &Layout, cell: &[u64]) -> bool {
        self.terms.iter().all(|term| {
            let code = layout.code(cell, term.variable);
            term.codes.binary_search(&code).is_ok() != term.negated
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
    /// For any two variables.
    Everywhere,
}

impl NeverNew {
    /// Is anything forbidden?
    #[must_use]
    pub fn is_some(&self) -> bool {
        *self != Self::Nowhere
    }

    /// Is a new combination of these two variables forbidden, the lower one first?
    #[must_use]
    pub fn forbids(&self, left: usize, right: usize) -> bool {
        match self {
            Self::Nowhere => false,
            Self::Pairs(pairs) => pairs.contains(&[left, right]),
            Self::Everywhere => true,
        }
    }
}

/// The constraints of a plan.
#[derive(Debug, Clone)]
pub struct Constraints {
    /// The variables on which two partners must agree: the lists are tried in order, each
    /// for the records that the ones before left without a partner. At least one list.
    pub matches: Vec<VarSet>,
    /// Combinations that no record may newly have.
    pub forbidden: Vec<Forbidden>,
    /// Pairs of variables of which no combination may be made that nobody had.
    pub never_new: NeverNew,
    /// How far the weighted cells of tables may move, where that is bounded.
    pub drift: Option<WeightBound>,
    /// At most so many records may be changed.
    pub most_changed: Option<u64>,
    /// Random swaps are added until so many records are changed.
    pub least_changed: Option<u64>,
}

impl Default for Constraints {
    fn default() -> Self {
        Self {
            matches: vec![VarSet::EMPTY],
            forbidden: Vec::new(),
            never_new: NeverNew::Nowhere,
            drift: None,
            most_changed: None,
            least_changed: None,
        }
    }
}

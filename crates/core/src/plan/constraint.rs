//! What a plan must respect besides the kept tables.

use super::WeightBound;
use crate::partner::{Forbidden, NeverNew};
use crate::varset::VarSet;

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
    /// For each intruder, cells whose keys no record may come to have, though none has them now:
    /// those of people whom an earlier step parted from theirs.
    /// Nothing for intruders after the last entry.
    pub gone: Vec<Vec<Vec<u64>>>,
    /// The most records that may be changed.
    pub most_changed: Option<u64>,
    /// Random swaps are added until at least this many records are changed.
    pub least_changed: Option<u64>,
}

impl Default for Constraints {
    fn default() -> Self {
        Self {
            matches: vec![VarSet::EMPTY],
            forbidden: Vec::new(),
            never_new: NeverNew::Nowhere,
            drift: None,
            gone: Vec::new(),
            most_changed: None,
            least_changed: None,
        }
    }
}

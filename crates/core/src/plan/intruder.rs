//! Who is to be protected from what: an intruder, and the people at risk.
//!
//! An intruder knows the keys of a person and looks them up in the released file. A person is
//! *parted* from their keys when no released record has them, and *detached* when the one
//! that has them carries other sensitive values. Which of the two a plan goes for, and in
//! what order, is a [`Goal`].
//!
//! The definitions are those of [`crate::verify::learned`], applied to an exchange.

use super::members::Members;
use crate::encode::Rough;
use crate::partner::KeyScreening;
use crate::partner::parting::parts_keys;
use crate::varset::VarSet;

/// One intruder, on cells.
#[derive(Debug, Clone, Copy)]
pub struct Intruder<'a> {
    /// K: the variables the intruder knows.
    pub keys: VarSet,
    /// The variables the intruder wants to learn; none when nobody is to be detached.
    pub sensitive: VarSet,
    /// How many of these must be false next to the keys of somebody who is detached.
    pub detach: Detach,
    /// How many records of each cell are at risk.
    pub at_risk: &'a [u32],
    /// Whose keys can be parted, where that is known: the others are not searched for.
    pub screening: Option<&'a KeyScreening>,
    /// What the members of each household have on the keys, where records are households and the
    /// intruder looks for persons.
    pub members: Option<&'a Members>,
    /// For each variable the codes that say nothing, such as that of an empty field; empty where no
    /// variable has one.
    pub blank: &'a [Vec<u32>],
    /// Keys that may also be known roughly; of those that are members' own, [`Members`] tells.
    pub roughly: &'a [Rough],
}

/// How many sensitive values of somebody who is detached must be false.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detach {
    /// Every one: the default where sensitive variables are named.
    Every,
    /// At least half of them: the default where every variable that is no key is sensitive.
    Half,
    /// At least this many.
    AtLeast(usize),
}

impl Detach {
    /// How many of these variables must be false; at least one.
    #[must_use]
    pub fn needed(self, sensitive: VarSet) -> usize {
        match self {
            Self::Every => sensitive.len(),
            Self::Half => sensitive.len().div_ceil(2),
            Self::AtLeast(needed) => needed,
        }
        .max(1)
    }
}

impl Intruder<'_> {
    /// What it asks of an exchange.
    #[must_use]
    pub fn aim(&self) -> Aim {
        Aim {
            keys: self.keys,
            sensitive: self.sensitive,
            needed: self.detach.needed(self.sensitive),
        }
    }
}

/// What one intruder asks of an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Aim {
    /// K.
    pub keys: VarSet,
    /// What must not be learned.
    pub sensitive: VarSet,
    /// How many sensitive values must be false next to the keys.
    pub needed: usize,
}

impl Aim {
    /// Does exchanging E leave neither of two records with its keys?
    #[must_use]
    pub fn is_parted(&self, differing: VarSet, exchanged: VarSet) -> bool {
        parts_keys(differing, exchanged, self.keys)
    }

    /// Do all differing keys, at least one, travel together, with enough sensitive values
    /// left where they are?
    ///
    /// Law: `detached-means-false`.
    #[must_use]
    pub fn is_detached(&self, differing: VarSet, exchanged: VarSet) -> bool {
        let at_stake = differing & self.keys;
        let behind = if at_stake.is_subset(&exchanged) {
            differing - exchanged
        } else if !at_stake.meets(&exchanged) {
            exchanged & differing
        } else {
            return false;
        };
        !at_stake.is_empty() && (behind & self.sensitive).len() >= self.needed
    }
}

/// What a search is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goal {
    /// Nobody at risk who takes part is left with a record that has their keys.
    Part,
    /// The same, or that record has other sensitive values.
    Detach,
    /// Any exchange that moves a key, between people who are not at risk.
    Any,
}

impl Goal {
    /// Does exchanging E serve this goal for somebody?
    #[must_use]
    pub fn is_served(self, aims: &[Aim], differing: VarSet, exchanged: VarSet) -> bool {
        aims.iter().any(|aim| match self {
            Self::Part => aim.is_parted(differing, exchanged),
            Self::Detach => {
                aim.is_parted(differing, exchanged) || aim.is_detached(differing, exchanged)
            }
            Self::Any => aim.keys.meets(&differing),
        })
    }
}

//! Who is found by anybody who knows some of the keys: in the original, in the release, and by
//! chance.

use std::fmt::Write;

use marginswap_core::text::grouped;
use serde::Serialize;

/// People who are found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct FoundPeople {
    /// People at risk who are found in the original.
    pub found_before: u64,
    /// People at risk who are found in the release.
    pub found: u64,
    /// People, at risk or not, who are found in the release and were not in the original.
    pub newly_found: u64,
    /// People at risk who would be found if they were not in the file.
    pub found_by_chance: u64,
    /// People not found in the original who would be found if they were not in the file.
    pub newly_found_by_chance: u64,
}

/// What one intruder finds who knows some of the keys.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct FoundBySomeKeys {
    /// The people who are found.
    #[serde(flatten)]
    pub people: FoundPeople,
    /// People at risk of whom at least 1, 2, … sensitive values are learned truly.
    pub true_at_least: Vec<TrueAtLeast>,
    /// People at risk to whom the record that agrees best gives every sensitive value, ties by
    /// shares; null with more than 64 keys.
    pub linked: Option<f64>,
    /// The same by chance.
    pub linked_by_chance: Option<f64>,
    /// Every sensitive variable alone.
    pub sensitive_alone: Vec<SensitiveAlone>,
    /// People at risk by the smallest number of keys that finds them.
    pub found_by_keys_known: Vec<FoundByKeysKnown>,
    /// People at risk who are found when some keys may be known roughly; null when none may.
    pub found_roughly: Option<u64>,
    /// The same by chance.
    pub found_roughly_by_chance: Option<u64>,
    /// The numbers are exact for everybody who knows at most this number of keys, or all.
    pub exact_up_to: usize,
}

/// People of whom at least this number of sensitive values is learned truly.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct TrueAtLeast {
    /// How many values, or more.
    pub values: usize,
    /// How many people at risk.
    pub people: u64,
    /// How many by chance.
    pub by_chance: u64,
}

/// What is learned of one sensitive variable.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SensitiveAlone {
    /// The variable.
    pub variable: String,
    /// Pairs of a person at risk and a record that some part of their keys leads to.
    pub claims: u64,
    /// The share of them in which the record has the person's value; null of none.
    pub share_right: Option<f64>,
    /// The share by chance; null of none.
    pub share_right_by_chance: Option<f64>,
}

/// People at risk whom this number of keys finds, and no fewer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct FoundByKeysKnown {
    /// How many keys.
    pub keys: usize,
    /// People found in the original.
    pub before: u64,
    /// People found in the release.
    pub after: u64,
    /// People found by chance.
    pub by_chance: u64,
}

impl FoundPeople {
    /// Lines of a text answer.
    pub(crate) fn lines(&self) -> String {
        format!(
            "  found through some of the keys: {} before, {} after, {} by chance\n  \
             newly found: {} (by chance {})\n",
            grouped(self.found_before),
            grouped(self.found),
            grouped(self.found_by_chance),
            grouped(self.newly_found),
            grouped(self.newly_found_by_chance),
        )
    }
}

impl FoundBySomeKeys {
    /// Lines of a text answer, for an intruder who may know this number of keys.
    pub(crate) fn lines(&self, keys: usize) -> String {
        let mut text = self.people.lines();
        if let (Some(found), Some(by_chance)) = (self.found_roughly, self.found_roughly_by_chance) {
            let _ = writeln!(
                text,
                "  found when numbers are known roughly: {} (by chance {})",
                grouped(found),
                grouped(by_chance)
            );
        }
        if let (Some(linked), Some(by_chance)) = (self.linked, self.linked_by_chance) {
            let _ = writeln!(
                text,
                "  linked to the record that agrees best, every sensitive value true: {} (by \
                 chance {})",
                people(linked),
                people(by_chance)
            );
        }
        if self.exact_up_to < keys {
            let _ = writeln!(
                text,
                "  counted for anyone who knows up to {} of the {keys} keys, or all of them; other \
                 parts of the keys were not tried",
                self.exact_up_to
            );
        }
        text
    }
}

/// A sum of shares of people.
pub(crate) fn people(shares: f64) -> String {
    format!("{shares:.1}")
}

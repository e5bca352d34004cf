//! People who are not at risk, whom no exchange may make findable.
//!
//! Somebody who is not at risk shares every piece of their keys with others. Exchanges may take
//! these others away, or bring a record that happens to have the piece and the sensitive values:
//! then one record alone has a piece that the person has, and all their sensitive values.

use crate::plan::Intruder;
use crate::table::{JointTable, Numbered};

use super::pieces::Pieces;

/// The people who are not at risk from one intruder, by their names.
#[derive(Clone)]
pub(super) struct Others {
    sensitive: Numbered<()>,
    /// The number of their name and that of their sensitive values, sorted, each once.
    people: Vec<(u32, u32)>,
}

impl Others {
    /// Those of a file. Where some records of a cell are at risk and others are not, all are left
    /// to the plan; of a household, those of its members who are at risk.
    pub(super) fn of(joint: &JointTable, intruder: &Intruder<'_>, pieces: &Pieces<'_>) -> Self {
        let layout = joint.cells().layout();
        let mask = layout.mask(intruder.sensitive);
        let mut sensitive = Numbered::with_room(mask, joint.len());
        let mut people = Vec::new();
        for (cell, (words, &at_risk)) in (0u32..).zip(joint.cells().iter().zip(intruder.at_risk)) {
            if at_risk > 0 && intruder.members.is_none() {
                continue;
            }
            let number = sensitive.number(words);
            let is_at_risk = |member: u32| {
                let members = intruder.members;
                members.is_some_and(|one| one.at_risk.binary_search(&(cell, member)).is_ok())
            };
            pieces.names.each_but(layout, words, is_at_risk, |name| {
                people.push((pieces.name_number(name), number));
            });
        }
        people.sort_unstable();
        people.dedup();
        Self { sensitive, people }
    }

    /// Has somebody of these names the sensitive values of these words?
    pub(super) fn have(&self, mut names: impl Iterator<Item = u32>, words: &[u64]) -> bool {
        let number = self.sensitive.find(words);
        number.is_some_and(|own| names.any(|name| self.people.binary_search(&(name, own)).is_ok()))
    }
}

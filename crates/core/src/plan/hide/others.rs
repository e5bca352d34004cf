//! People who are not at risk, whom no exchange may make findable.
//!
//! Somebody who is not at risk shares every piece of their keys with others. Exchanges may take
//! these others away, or bring a record that happens to have the piece and the sensitive values:
//! then one record alone has a piece that the person has, and all their sensitive values.

use crate::plan::Intruder;
use crate::table::{JointTable, Numbered};

use super::pieces::Names;

/// The people who are not at risk from one intruder, by their sensitive values.
#[derive(Clone)]
pub(super) struct Others {
    sensitive: Numbered<()>,
    /// The number of their sensitive values and their name, sorted, each once.
    people: Vec<(u32, u128)>,
}

impl Others {
    /// Those of a file. Where some records of a cell are at risk and others are not, all are left
    /// to the plan.
    pub(super) fn of(joint: &JointTable, intruder: &Intruder<'_>, names: &Names<'_>) -> Self {
        let layout = joint.cells().layout();
        let mask = layout.mask(intruder.sensitive);
        let mut sensitive = Numbered::with_room(mask, joint.len());
        let mut people = Vec::new();
        for (words, &at_risk) in joint.cells().iter().zip(intruder.at_risk) {
            if at_risk == 0 {
                let number = sensitive.number(words);
                names.each(layout, words, |name| people.push((number, name)));
            }
        }
        people.sort_unstable();
        people.dedup();
        Self { sensitive, people }
    }

    /// Has somebody who is not at risk this piece and the sensitive values of these words?
    pub(super) fn have(&self, mask: u128, name: u128, words: &[u64]) -> bool {
        let Some(number) = self.sensitive.find(words) else { return false };
        let first = self.people.partition_point(|&(own, _)| own < number);
        let alike = self.people[first..].iter().take_while(|&&(own, _)| own == number);
        alike.into_iter().any(|(_, person)| (person ^ name) & mask == 0)
    }
}

//! What is asked about who is found by anybody who knows some of the keys.

use marginswap_core::verify::{Found, Pooled, Question, Rough, found};

use crate::household::People;
use crate::original::{Intruder, Original};
use crate::project::Risky;

/// What the questions about one file need.
#[derive(Debug)]
pub(crate) struct Asked<'a> {
    intruders: &'a [Intruder],
    k: u32,
    /// For each intruder the keys that may be known roughly.
    roughly: Vec<Vec<Rough>>,
    /// How many people each record is, where it is a household.
    members: Vec<u32>,
}

impl<'a> Asked<'a> {
    /// The intruders of a file; where its records are households, those who look for whole ones.
    pub fn of(original: &'a Original) -> Self {
        let intruders = match &original.people {
            Some(people) => &original.intruders[people.intruders()..],
            None => &original.intruders[..],
        };
        Self {
            intruders,
            k: match original.project.risk.risky {
                Some(Risky::BelowK(k)) => k.max(2),
                _ => 2,
            },
            roughly: vec![Vec::new(); intruders.len()],
            members: original.people.as_deref().map(members).unwrap_or_default(),
        }
    }

    /// The questions.
    pub fn questions(&self) -> Vec<Question<'_>> {
        let asked = self.intruders.iter().zip(&self.roughly);
        asked
            .map(|(intruder, roughly)| Question {
                k: self.k,
                roughly,
                members: &self.members,
                ..Question::of(intruder.scenario())
            })
            .collect()
    }

    /// The answers.
    pub fn answers(&self, pooled: &Pooled) -> Vec<Option<Found>> {
        self.questions().iter().map(|question| found(pooled, question)).collect()
    }
}

/// How many people live in each household.
fn members(people: &People) -> Vec<u32> {
    let households = people.lines.loaded.households().expect("people live in households");
    let size = |household| u32::try_from(households.members(household).len());
    (0..households.len()).map(|one| size(one).expect("a household is small")).collect()
}

//! What is asked about who is found by anybody who knows some of the keys.

use std::collections::BTreeMap;

use marginswap_core::columns::Column;
use marginswap_core::decimal::Decimal;
use marginswap_core::verify::{Found, Pooled, Question, Rough, found};

use crate::household::People;
use crate::input::Loaded;
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
    /// `roughly` are the keys that may be known roughly.
    pub fn of(original: &'a Original, roughly: &[Rough]) -> Self {
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
            roughly: intruders
                .iter()
                .map(|intruder| {
                    let known = |rough: &&Rough| intruder.keys.contains(rough.key);
                    roughly.iter().filter(known).cloned().collect()
                })
                .collect(),
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

/// The keys of a file that may be known roughly, with the classes of their values; the released
/// file may have values that the original lacks, whose codes follow.
pub(crate) fn roughly(original: &Original, released: Option<&Loaded>) -> Vec<Rough> {
    let Original { project, loaded, scope, .. } = original;
    let mut found = Vec::new();
    for (name, width) in &project.risk.roughly {
        let Some(position) = loaded.names().iter().position(|own| own == name) else { continue };
        let Some(key) = scope.schema().variable_of(position) else { continue };
        let read = |file: &'_ Loaded| file.raw_columns()[position].clone();
        let (1, Some(before)) = (scope.schema().variables()[key].columns.len(), read(loaded))
        else {
            continue;
        };
        let after = released.and_then(read);
        let categories = |column: &Column| -> Vec<Option<Vec<u8>>> {
            let dictionary = column.dictionary();
            let codes = (0u32..).take(dictionary.levels());
            codes.map(|code| dictionary.category(code).map(<[u8]>::to_vec)).collect()
        };
        let mut values = categories(&before);
        let is_new = |value: &Option<Vec<u8>>| match value {
            Some(value) => before.dictionary().find(value).is_none(),
            None => before.dictionary().find_null().is_none(),
        };
        values.extend(after.iter().flat_map(categories).filter(is_new));
        let classes = [Decimal::ZERO, width.get().halved()]
            .map(|shift| classes(&values, width.get(), shift))
            .to_vec();
        found.push(Rough { key, classes });
    }
    found
}

/// The class of each value: numbers by width, anything else by itself.
fn classes(values: &[Option<Vec<u8>>], width: Decimal, shift: Decimal) -> Vec<u32> {
    let mut of_numbers: BTreeMap<Decimal, u32> = BTreeMap::new();
    let mut next = 0..;
    let mut fresh = || next.next().expect("a column has fewer than 2^32 categories");
    values
        .iter()
        .map(|value| match value.as_deref().and_then(Decimal::read) {
            Some(number) => {
                *of_numbers.entry((number + shift).floor_to(width)).or_insert_with(&mut fresh)
            }
            None => fresh(),
        })
        .collect()
}

/// How many people live in each household.
fn members(people: &People) -> Vec<u32> {
    let households = people.lines.loaded.households().expect("people live in households");
    let size = |household| u32::try_from(households.members(household).len());
    (0..households.len()).map(|one| size(one).expect("a household is small")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_share_classes_and_words_do_not() {
        let values = ["4", "5", "NA", "5.0", "7", "9.9", "10", "-1", "x"];
        let mut values: Vec<Option<Vec<u8>>> =
            values.map(|value| Some(value.as_bytes().to_vec())).to_vec();
        values.push(None);
        let width = Decimal::whole(5);
        let found = classes(&values, width, Decimal::ZERO);
        assert_eq!(found, [0, 1, 2, 1, 1, 1, 3, 4, 5, 6]);
        // 2.5 … 7.5 and 7.5 … 12.5.
        let found = classes(&values, width, width.halved());
        assert_eq!(found, [0, 0, 1, 0, 0, 2, 2, 3, 4, 5]);
    }
}

//! What is asked about who is found by anybody who knows some of the keys: roughly, or of records
//! that say nothing on some.

use std::collections::BTreeMap;

use marginswap_core::columns::Column;
use marginswap_core::decimal::Decimal;
use marginswap_core::encode::Rough;
use marginswap_core::graph::Scope;
use marginswap_core::verify::{Found, Pooled, Question, found};

use crate::derive::MISSING;
use crate::input::Loaded;
use crate::project::{Project, Risky};
use crate::view::{Intruder, View};

/// What the questions about one file need.
#[derive(Debug)]
pub(crate) struct Asked<'a> {
    intruders: &'a [Intruder],
    k: u32,
    /// For each intruder the keys that may be known roughly.
    roughly: Vec<Vec<Rough>>,
    blank: &'a [Vec<u32>],
    /// How many people each record is, where it is a household.
    members: Vec<u32>,
}

impl<'a> Asked<'a> {
    /// The intruders of a view; where its records are households, those who look for whole ones.
    pub fn of(view: &'a View, all: &'a KnownKeys) -> Self {
        let intruders = &view.intruders[view.of_members..];
        Self {
            intruders,
            k: match view.project.risk.risky {
                Some(Risky::BelowK(k)) => k.max(2),
                _ => 2,
            },
            roughly: intruders
                .iter()
                .map(|intruder| {
                    let known = |rough: &&Rough| intruder.keys.contains(rough.key);
                    all.roughly.iter().filter(known).cloned().collect()
                })
                .collect(),
            blank: &all.blank,
            members: view.loaded.members(),
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
                blank: self.blank,
                ..Question::of(intruder.scenario())
            })
            .collect()
    }

    /// The answers.
    pub fn answers(&self, pooled: &Pooled) -> Vec<Option<Found>> {
        self.questions().iter().map(|question| found(pooled, question)).collect()
    }
}

/// How the values of keys may be known.
#[derive(Debug, Default)]
pub(crate) struct KnownKeys {
    /// The keys that may be known roughly, with the classes of their values.
    roughly: Vec<Rough>,
    /// For each variable the codes that say nothing.
    blank: Vec<Vec<u32>>,
}

impl KnownKeys {
    /// Those of a file; the released one may have values that the original lacks, whose codes follow.
    pub fn of(view: &View, released: Option<&Loaded>) -> Self {
        let View { project, loaded, scope, .. } = view;
        Self {
            roughly: roughly(project, scope, loaded, released),
            blank: blank(project, scope, loaded, released),
        }
    }
}

/// The keys that may be known roughly, with the classes of their values.
pub(crate) fn roughly(
    project: &Project,
    scope: &Scope,
    loaded: &Loaded,
    released: Option<&Loaded>,
) -> Vec<Rough> {
    let mut roughly = Vec::new();
    for (name, width) in &project.risk.roughly {
        let Some(position) = loaded.names().iter().position(|own| own == name) else {
            continue;
        };
        let Some(key) = scope.schema().variable_of(position) else { continue };
        let alone = scope.schema().variables()[key].columns.len() == 1;
        let Some(values) = values(loaded, released, position).filter(|_| alone) else {
            continue;
        };
        let classes = [Decimal::ZERO, width.get().halved()]
            .map(|shift| classes(&values, width.get(), shift))
            .to_vec();
        roughly.push(Rough { key, classes });
    }
    roughly
}

/// For each variable the codes that say nothing: those of a null, of an empty field, of the codes in
/// the setting `missing`, and of the class of missing numbers in a derived variable. Empty where no
/// variable has one.
pub(crate) fn blank(
    project: &Project,
    scope: &Scope,
    loaded: &Loaded,
    released: Option<&Loaded>,
) -> Vec<Vec<u32>> {
    let own = loaded.own_names().len();
    let codes = scope.schema().variables().iter().map(|variable| {
        let [position] = variable.columns[..] else { return Vec::new() };
        let says_nothing = |value: &Option<Vec<u8>>| {
            value.as_ref().is_none_or(|value| {
                let is_code = |code: &String| code.as_bytes() == value;
                value.is_empty()
                    || project.columns.missing.iter().any(is_code)
                    || (position >= own && value == MISSING.as_bytes())
            })
        };
        let values = values(loaded, released, position).unwrap_or_default();
        let codes = (0u32..).zip(&values).filter(|(_, value)| says_nothing(value));
        codes.map(|(code, _)| code).collect()
    });
    let codes: Vec<Vec<u32>> = codes.collect();
    match codes.iter().all(Vec::is_empty) {
        true => Vec::new(),
        false => codes,
    }
}

/// The values of a column by their codes; those that only the released file has come last.
fn values(
    loaded: &Loaded,
    released: Option<&Loaded>,
    position: usize,
) -> Option<Vec<Option<Vec<u8>>>> {
    let read = |file: &Loaded| file.raw_columns()[position].clone();
    let before = read(loaded)?;
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
    values.extend(released.and_then(read).iter().flat_map(categories).filter(is_new));
    Some(values)
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

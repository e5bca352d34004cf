//! Whose keys can be separated, and what prevents it: parts of what `screen` and `explain`
//! answer.

use std::fmt::Write;

use marginswap_core::text::grouped;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::answer::{Names, aligned, counted, formula, intruder, listed, percent, sentence};

/// Writes what is found for each intruder into the map of an answer: for the first under the
/// first name, and for all of them under the second where there are several.
pub(crate) fn by_scenario<T: Serialize, S: Serializer>(
    [first, all]: [&'static str; 2],
    found: &[T],
    out: S,
) -> Result<S::Ok, S::Error> {
    let mut map = out.serialize_map(None)?;
    if let Some(one) = found.first() {
        map.serialize_entry(first, one)?;
    }
    if found.len() > 1 {
        map.serialize_entry(all, found)?;
    }
    map.end()
}

/// [`by_scenario`] for answers about keys.
pub(crate) fn keys_by_scenario<T: Serialize, S: Serializer>(
    found: &[T],
    out: S,
) -> Result<S::Ok, S::Error> {
    by_scenario(["keys", "scenarios"], found, out)
}

/// What a text answer says of each intruder.
pub(crate) fn all_lines<T>(found: &[T], lines: impl Fn(&T, &str) -> String) -> String {
    let number = |place: usize| match found.len() {
        1 => String::new(),
        _ => format!("({}) ", place + 1),
    };
    found.iter().enumerate().map(|(place, one)| lines(one, &number(place))).collect()
}

/// Whose keys some exchange of two records can part. Every number is exact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KeyScreening {
    /// The name of the intruder, where one was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What the intruder knows.
    pub keys: Names,
    /// Records whose keys can be separated.
    pub separable: u64,
    /// Records whose keys cannot.
    pub not_separable: u64,
    /// Of these, those whose combination is published: all keys are in one kept table.
    pub published: u64,
    /// Of these, those whose combination the kept tables prove to occur.
    pub proved: u64,
    /// Of these, those that have no partner for it.
    pub no_partner: u64,
    /// Of these, those that have one by the kept tables, and none when every other setting is
    /// respected.
    pub restricted: u64,
    /// Records that are alone with their keys.
    pub unique_on_keys: u64,
    /// Of these, those whose keys can be separated.
    pub separable_uniques: u64,
}

impl KeyScreening {
    /// Lines of a text answer, with a number where there are several intruders.
    #[must_use]
    pub fn lines(&self, number: &str) -> String {
        let all = self.separable + self.not_separable;
        let row = |label: &str, number: u64, whole: u64| {
            vec![label.to_owned(), grouped(number), percent(number, whole)]
        };
        let mut rows = vec![
            row("separable from their keys", self.separable, all),
            row("not separable from their keys", self.not_separable, all),
            row("  published in one kept table", self.published, all),
            row("  proved by the kept tables", self.proved, all),
            row("  no partner separates them", self.no_partner, all),
        ];
        if self.restricted > 0 {
            rows.push(row("  no partner that the settings allow", self.restricted, all));
        }
        rows.push(row("alone with their keys", self.unique_on_keys, all));
        rows.push(row("  separable from their keys", self.separable_uniques, self.unique_on_keys));
        let who = sentence(&intruder(self.name.as_deref()));
        format!("\n{number}{who} knows {}:\n{}", listed(&self.keys), aligned(&rows))
    }
}

/// What can be done about the keys of one record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RecordKeys {
    /// The name of the intruder, where one was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What the intruder knows.
    pub keys: Names,
    /// Can the keys be separated?
    pub separable: bool,
    /// Why not.
    pub why_not: Option<WhyNot>,
    /// Records that part the keys.
    pub separating: u64,
    /// Records that only detach sensitive values from them.
    pub replacing: u64,
    /// The ways to part them, the fewest differences first.
    pub separating_ways: Vec<SeparatingWay>,
    /// The ways to detach, those that make most values false first.
    pub replacing_ways: Vec<ReplacingWay>,
}

/// Why keys cannot be separated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "because", rename_all = "snake_case")]
pub enum WhyNot {
    /// All keys are in one kept table.
    Published {
        /// The table.
        table: Names,
    },
    /// The kept tables prove that at least this many people have the combination.
    Proved {
        /// How many.
        people: u64,
    },
    /// No record separates them.
    NoPartner,
}

/// Partners that part the keys.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SeparatingWay {
    /// Where they differ.
    pub differing: Names,
    /// How many there are.
    pub records: u64,
    /// The parts with a key, which must not all be exchanged at once.
    pub key_parts: Vec<Names>,
}

/// Partners that only detach.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReplacingWay {
    /// Where they differ.
    pub differing: Names,
    /// How many there are.
    pub records: u64,
    /// What is exchanged.
    pub exchanged: Names,
    /// Sensitive values that would be false next to the keys.
    pub made_false: Names,
    /// Sensitive values that would stay true.
    pub left_true: Names,
}

impl RecordKeys {
    /// Lines of a text answer, with a number where there are several intruders.
    #[must_use]
    pub fn lines(&self, number: &str) -> String {
        let who = sentence(&intruder(self.name.as_deref()));
        let mut text = format!("\n{number}{who} knows {}.\n", listed(&self.keys));
        match &self.why_not {
            None => {
                let _ = writeln!(
                    text,
                    "They can be separated from these keys, with {}; {} only replace sensitive values.",
                    counted(self.separating, "partner", "partners"),
                    grouped(self.replacing)
                );
            }
            Some(why) => {
                let why = match why {
                    WhyNot::Published { table } => {
                        format!("the combination is published in {}", formula(table))
                    }
                    WhyNot::Proved { people } => format!(
                        "the kept tables prove that {} it",
                        counted(*people, "person has", "people have")
                    ),
                    WhyNot::NoPartner => "no record separates them".to_owned(),
                };
                let _ = writeln!(
                    text,
                    "They cannot be separated from these keys: {why}. {} can replace sensitive values.",
                    counted(self.replacing, "partner", "partners")
                );
            }
        }
        for way in self.separating_ways.iter().take(SHOWN) {
            let _ = writeln!(
                text,
                "  separates the keys: {} differ in {}",
                counted(way.records, "record", "records"),
                listed(&way.differing)
            );
        }
        for way in self.replacing_ways.iter().take(SHOWN) {
            let _ = writeln!(
                text,
                "  replaces values: {} differ in {}; false afterwards: {}; still true: {}",
                counted(way.records, "record", "records"),
                listed(&way.differing),
                listed(&way.made_false),
                if way.left_true.is_empty() { "none".to_owned() } else { listed(&way.left_true) }
            );
        }
        text
    }
}

/// How many ways a text answer lists.
const SHOWN: usize = 3;

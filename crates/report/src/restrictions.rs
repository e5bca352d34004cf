//! What settings other than the kept tables leave: parts of what `screen` and `explain` answer.

use std::fmt::{self, Write};

use marginswap_core::text::grouped;
use serde::{Serialize, Serializer};

use crate::answer::{aligned, percent, sentence};
use crate::keys::by_scenario;
use crate::verify::Exchanged;

/// A setting that leaves fewer partners.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RestrictedBy {
    /// Columns that are exchanged only together.
    Linked,
    /// The weight, which joins every kept table.
    Weight,
    /// Columns on which partners always agree.
    Strata,
    /// Lists of columns on which partners agree.
    Match,
    /// Combinations that no swap may create.
    Rules,
    /// Pairs of values that must not come together for the first time.
    NeverNew,
}

impl RestrictedBy {
    /// Its name in JSON and in lists of records.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Linked => "linked",
            Self::Weight => "weight",
            Self::Strata => "strata",
            Self::Match => "match",
            Self::Rules => "rules",
            Self::NeverNew => "never_new",
        }
    }
}

impl fmt::Display for RestrictedBy {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Linked => "linked columns",
            Self::Weight => "the weight",
            Self::Strata => "strata",
            Self::Match => "match lists",
            Self::Rules => "rules",
            Self::NeverNew => "no new pairs of values",
        })
    }
}

/// What a line says of the setting that is respected in addition to those above it.
fn label(setting: Option<RestrictedBy>) -> String {
    match setting {
        None => "by the kept tables alone".to_owned(),
        Some(setting) => format!("  with {setting}"),
    }
}

/// Records that are swappable when this setting and those listed before it are respected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Restriction {
    /// The setting; null for the kept tables alone.
    pub setting: Option<RestrictedBy>,
    /// Records that have a partner.
    pub swappable: u64,
    /// Of the sample uniques, those that have one.
    pub swappable_uniques: u64,
    /// For each intruder, the records whose keys can be separated.
    #[serde(flatten, serialize_with = "separable")]
    pub separable: Vec<u64>,
}

fn separable<S: Serializer>(counts: &[u64], out: S) -> Result<S::Ok, S::Error> {
    by_scenario(["separable", "separable_by_scenario"], counts, out)
}

fn separating<S: Serializer>(counts: &[u64], out: S) -> Result<S::Ok, S::Error> {
    by_scenario(["separating", "separating_by_scenario"], counts, out)
}

/// Lines of a text answer: nothing where only the tables decide.
pub(crate) fn lines(restrictions: &[Restriction], records: u64, of: Exchanged) -> String {
    if restrictions.len() < 2 {
        return String::new();
    }
    let mut head = vec![String::new(), "swappable".to_owned(), String::new()];
    for label in columns("separable from their keys", restrictions[0].separable.len()) {
        head.extend([label, String::new()]);
    }
    let mut rows = vec![head];
    rows.extend(restrictions.iter().map(|one| {
        let mut row = vec![label(one.setting)];
        for &number in [one.swappable].iter().chain(&one.separable) {
            row.extend([grouped(number), percent(number, records)]);
        }
        row
    }));
    let many = sentence(of.many());
    format!("\n{many} with a partner, setting by setting\n{}", aligned(&rows))
}

/// Partners of one record that are left when this setting and those listed before it are
/// respected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RecordRestriction {
    /// The setting; null for the kept tables alone.
    pub setting: Option<RestrictedBy>,
    /// Partners with an exchange that is allowed.
    pub partners: u64,
    /// For each intruder, those of them with an allowed exchange that parts the keys.
    #[serde(flatten, serialize_with = "separating")]
    pub separating: Vec<u64>,
}

/// The headings of the columns of these intruders: numbered where there are several.
fn columns(heading: &str, intruders: usize) -> Vec<String> {
    match intruders {
        0 | 1 => vec![heading.to_owned(); intruders],
        _ => (1..=intruders).map(|number| format!("{heading} ({number})")).collect(),
    }
}

/// Lines of a text answer: nothing where only the tables decide.
pub(crate) fn record_lines(restrictions: &[RecordRestriction]) -> String {
    if restrictions.len() < 2 {
        return String::new();
    }
    let mut head = vec![String::new(), "partners".to_owned()];
    head.extend(columns("part the keys", restrictions[0].separating.len()));
    let mut rows = vec![head];
    rows.extend(restrictions.iter().map(|one| {
        let mut row = vec![label(one.setting), grouped(one.partners)];
        row.extend(one.separating.iter().copied().map(grouped));
        row
    }));
    let mut text = format!("\nPartners that are left, setting by setting\n{}", aligned(&rows));
    let mut steps = restrictions.windows(2);
    let first = steps.find(|step| step[0].partners > 0 && step[1].partners == 0);
    if let Some(setting) = first.and_then(|step| step[1].setting) {
        let _ = writeln!(text, "It has partners, but none is left with {setting}.");
    }
    text
}

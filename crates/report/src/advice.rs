//! What can still be done for the people at risk who are left: computed advice, in words.

use std::fmt;

use marginswap_core::text::grouped;
use serde::Serialize;

use crate::answer::{Names, counted, formula, shown};

/// At most this many things are advised.
pub const MOST: usize = 3;

/// One thing that would help people who are left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Advice {
    /// What to do.
    #[serde(flatten)]
    pub help: Help,
    /// How many of those who are left it would help.
    pub helps: u64,
    /// The command that does it, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
}

impl Advice {
    /// The things that help most people, the best first.
    #[must_use]
    pub fn ranked(mut all: Vec<Self>) -> Vec<Self> {
        all.sort_by_key(|one| std::cmp::Reverse(one.helps));
        all.truncate(MOST);
        all
    }
}

/// What to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "advice", rename_all = "snake_case")]
pub enum Help {
    /// Let more records change.
    RaiseBudget {
        /// How many would be enough, if everybody took a partner of their own.
        records: u64,
    },
    /// Let partners differ in everything but the strata.
    WidenMatch,
    /// Allow swaps of more records.
    LargerSwaps {
        /// Of up to this many records.
        max_records: usize,
        /// People whose keys such a swap parts, each looked for alone.
        frees: u64,
        /// People for whom one was looked for.
        asked: u64,
        /// People for whom none was: they are too many for a file of this size.
        not_asked: u64,
    },
    /// Do not keep one table.
    WithoutTable {
        /// The table.
        table: Names,
        /// People who could be hidden then, or whose keys could be separated where intruders know all.
        frees: u64,
        /// Is it about hiding them?
        hides: bool,
    },
    /// Let single persons exchange what is theirs, after whole households.
    ThenPersons {
        /// The people who are left, for whom that would be tried.
        people: u64,
    },
    /// Release a key with fewer categories, or not at all.
    CoarserKey {
        /// The key.
        key: String,
        /// People at risk now.
        now: u64,
        /// People at risk with numbers in bands.
        bands: Vec<Banded>,
        /// People at risk with rare categories merged.
        merged: Option<Merged>,
        /// People at risk without the key.
        left_out: u64,
    },
    /// Suppress or recode values of people for whom nothing else was found.
    SuppressOrRecode {
        /// How many.
        people: u64,
    },
}

/// A key in bands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Banded {
    /// How wide a band is; bands begin at multiples of it.
    pub width: u32,
    /// People at risk then.
    pub at_risk: u64,
}

/// A key whose rare categories are one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Merged {
    /// How many categories are merged: each of them is that of fewer than 1 % of the records.
    pub categories: u64,
    /// People at risk then.
    pub at_risk: u64,
}

/// All advice as lines of a text answer; none when there is none.
pub(crate) fn lines(advice: &[Advice]) -> String {
    let mut text = String::new();
    if !advice.is_empty() {
        text.push_str("What would help those who are left:\n");
    }
    for advice in advice {
        text.push_str(&format!("  - {advice}\n"));
        text.extend(advice.command.iter().map(|command| format!("      {command}\n")));
    }
    text
}

impl fmt::Display for Advice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let people = counted(self.helps, "person", "people");
        match self.help {
            Help::RaiseBudget { .. } | Help::WidenMatch => {
                write!(
                    formatter,
                    "{}: up to {people} have a partner then, each asked for alone.",
                    self.help
                )
            }
            _ => self.help.fmt(formatter),
        }
    }
}

impl fmt::Display for Help {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RaiseBudget { records } => write!(
                formatter,
                "Let {} change (--budget)",
                counted(*records, "record", "records")
            ),
            Self::WidenMatch => {
                formatter.write_str("Let partners differ in the columns of --match")
            }
            Self::LargerSwaps { max_records, frees, asked, not_asked } => {
                write!(
                    formatter,
                    "Allow swaps of up to {max_records} records (--max-records {max_records}): \
                     they would separate {} of {} from their keys",
                    grouped(*frees),
                    counted(*asked, "person", "people")
                )?;
                match not_asked {
                    0 => formatter.write_str("."),
                    _ => write!(
                        formatter,
                        " (a sample: {} more were not tried).",
                        grouped(*not_asked)
                    ),
                }
            }
            Self::WithoutTable { table, frees, hides } => write!(
                formatter,
                "Do not keep {}: without it {} can be {}. Only if it is not published and will not be.",
                formula(table),
                counted(*frees, "person", "people"),
                if *hides { "hidden" } else { "separated from their keys" }
            ),
            Self::ThenPersons { people } => write!(
                formatter,
                "Let single persons exchange what is theirs after whole households (--then \
                 persons): for {} that was not tried.",
                counted(*people, "person", "people")
            ),
            Self::CoarserKey { key, now, bands, merged, left_out } => {
                let mut ways: Vec<String> = bands
                    .iter()
                    .map(|way| format!("{} in bands of {}", grouped(way.at_risk), way.width))
                    .collect();
                ways.extend(merged.iter().map(|way| {
                    let at_risk = grouped(way.at_risk);
                    format!("{at_risk} with its {} rarest categories merged", way.categories)
                }));
                ways.push(format!("{} without it", grouped(*left_out)));
                write!(
                    formatter,
                    "Recode {} in the file, or do not release it: instead of {} at risk there would be {}.",
                    shown(key),
                    counted(*now, "person", "people"),
                    ways.join(", ")
                )
            }
            Self::SuppressOrRecode { people } => write!(
                formatter,
                "For {} no swap was found that helps: suppress or recode some of their values.",
                counted(*people, "person", "people")
            ),
        }
    }
}

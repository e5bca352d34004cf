//! What can still be done for the people at risk who are left: computed advice, in words.

use std::fmt;

use serde::Serialize;

use crate::answer::{Names, counted, formula, shown};

/// One thing that would help, with how many people it would help.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "advice", rename_all = "snake_case")]
pub enum Advice {
    /// Allow swaps of more than two records.
    LargerSwaps {
        /// People whose keys they would part.
        frees: u64,
    },
    /// Do not keep one table.
    WithoutTable {
        /// The table.
        table: Names,
        /// People whose keys could be parted then.
        frees: u64,
    },
    /// Recode a key into fewer categories.
    Recode {
        /// The key.
        key: String,
        /// Into what, in words: "bands of 10".
        into: String,
        /// People who would be at risk then.
        at_risk: u64,
    },
    /// Suppress or recode values of people whom nothing else helps.
    SuppressOrRecode {
        /// How many.
        people: u64,
    },
}

impl fmt::Display for Advice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LargerSwaps { frees } => write!(
                formatter,
                "Allow swaps of more than two records (--max-records): they would part the keys of {}.",
                counted(*frees, "person", "people")
            ),
            Self::WithoutTable { table, frees } => write!(
                formatter,
                "Do not keep {}: without it the keys of {} can be parted. Only if it is not \
                 published and will not be.",
                formula(table),
                counted(*frees, "person", "people")
            ),
            Self::Recode { key, into, at_risk } => write!(
                formatter,
                "Recode {} into {into}: then {} at risk.",
                shown(key),
                counted(*at_risk, "person is", "people are")
            ),
            Self::SuppressOrRecode { people } => write!(
                formatter,
                "For {} no swap helps: suppress or recode some of their values.",
                counted(*people, "person", "people")
            ),
        }
    }
}

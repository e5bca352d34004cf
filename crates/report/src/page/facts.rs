//! The facts that the internal report is made of: files, columns, the plan, single records.

use std::fmt;

use serde::Serialize;

use crate::answer::Names;

/// A file.
#[derive(Debug, Clone, Serialize)]
pub struct FileFacts {
    /// Its name as it was given.
    pub name: String,
    /// Its length.
    pub bytes: u64,
    /// Its SHA-256.
    pub sha256: String,
    /// How many records it has.
    pub records: u64,
}

/// A column of either file.
#[derive(Debug, Clone, Serialize)]
pub struct ColumnFacts {
    /// Its name.
    pub name: String,
    /// What was done to it, in words.
    pub role: String,
    /// How many different values it has; null when it was not read.
    pub levels: Option<u64>,
    /// Is that exact? Otherwise only some records were looked at, and it has at least as many.
    pub levels_is_exact: bool,
    /// Is it in the released file?
    pub released: bool,
}

/// The risk in the original file from one intruder.
#[derive(Debug, Clone, Serialize)]
pub struct RiskBefore {
    /// What the project calls the intruder.
    pub name: Option<String>,
    /// What the intruder knows.
    pub keys: Names,
    /// Records that are alone with the values of all variables.
    pub sample_uniques: u64,
    /// Records that are alone with their keys.
    pub unique_on_keys: u64,
    /// Records that share their keys with fewer than two others.
    pub below_3: u64,
    /// Records that share their keys with fewer than four others.
    pub below_5: u64,
}

/// A table that is not kept and whose change was asked for.
#[derive(Debug, Clone, Serialize)]
pub struct WatchReport {
    /// Its variables.
    pub table: Names,
    /// Cells whose counts differ.
    pub changed: u64,
    /// Its total variation.
    pub total_variation: f64,
    /// Its Hellinger distance.
    pub hellinger: f64,
}

/// How the swaps were chosen.
#[derive(Debug, Clone, Serialize)]
pub struct Method {
    /// The parameters that are set, by name.
    pub parameters: Vec<(String, String)>,
}

/// The plan that made the file.
#[derive(Debug, Clone, Serialize)]
pub struct PlanFacts {
    /// The plan file.
    pub name: String,
    /// The version of the program that made it.
    pub tool_version: String,
    /// How many swaps of two records it has.
    pub swaps: u64,
    /// How many groups of more than two records.
    pub groups: u64,
    /// What follows between single persons, where the records of the plan are households.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub then: Option<ThenFacts>,
    /// Is it made for the original file?
    pub fits_input: bool,
    /// Does following it give the records of the released file? Null when it was made for
    /// another file.
    pub gives_release: Option<bool>,
    /// Is its seed a demo seed, which others know?
    pub not_for_release: bool,
}

/// The second step of a plan: persons after households.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ThenFacts {
    /// How many swaps of two persons it has.
    pub swaps: u64,
    /// How many groups of more than two persons.
    pub groups: u64,
}

/// Someone at risk who is still matched; only where records are revealed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct LeftRecord {
    /// The number of the original record, from 1.
    pub record: u64,
    /// Why.
    pub reason: LeftReason,
}

/// Why someone at risk is still matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LeftReason {
    /// The kept tables prove that somebody has these keys.
    Disclosed,
    /// No exchange of two records parts the keys.
    NotSeparable,
    /// Exchanges that part the keys exist, and none was taken.
    NotTaken,
}

impl fmt::Display for LeftReason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Disclosed => "the kept tables already disclose the keys",
            Self::NotSeparable => "no swap of two records separates them from their keys",
            Self::NotTaken => "no allowed swap was left for them",
        })
    }
}

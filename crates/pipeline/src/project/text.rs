//! Entries that are written as text: what a text means, or why it means nothing.
//!
//! The same text may be in the project file and behind a flag, so the reading is `FromStr`.
//! A refusal shows no value: rules hold categories.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

use marginswap_core::diagnostic::Diagnostic;

/// Why a text cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadValue {
    /// What was found and what was expected.
    pub detail: String,
    /// What to write instead.
    pub remedy: String,
}

impl BadValue {
    /// A refusal.
    pub fn new(detail: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { detail: detail.into(), remedy: remedy.into() }
    }
}

impl From<Diagnostic> for BadValue {
    fn from(refusal: Diagnostic) -> Self {
        Self { detail: refusal.detail, remedy: refusal.remedy }
    }
}

impl fmt::Display for BadValue {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}; {}", self.detail, self.remedy)
    }
}

impl Error for BadValue {}

/// Something that is written as text.
pub trait Written: FromStr<Err = BadValue> {
    /// What is expected, in words.
    const WHAT: &'static str;

    /// What a whole number without quotes means.
    fn from_number(_: u64) -> Option<Self> {
        None
    }

    /// May a decimal number stand without quotes?
    const TAKES_DECIMALS: bool = false;
}

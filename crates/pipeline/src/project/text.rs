//! Entries that are written as text: what a text means, or why it means nothing.
//!
//! The same text may be in the project file and after a flag, so the reading is `FromStr`.
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

/// What is between the sign that a text begins with and the next one of its kind, and the text
/// after it; a doubled sign belongs to the inside. `None` when it is not closed.
pub(crate) fn between(text: &str, sign: char) -> Option<(String, &str)> {
    let mut inner = String::new();
    let mut rest = text.strip_prefix(sign)?;
    loop {
        let end = rest.find(sign)?;
        inner.push_str(&rest[..end]);
        rest = &rest[end + sign.len_utf8()..];
        match rest.strip_prefix(sign) {
            None => return Some((inner, rest)),
            Some(behind) => {
                inner.push(sign);
                rest = behind;
            }
        }
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

    /// May a decimal number be written without quotes?
    const TAKES_DECIMALS: bool = false;
}

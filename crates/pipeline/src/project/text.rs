//! Entries that are written as text: what a text means, or why it means nothing.
//!
//! The same text may stand in the project file and behind a flag, so the reading is
//! `FromStr`; [`Written`] lets serde use it. A refusal shows no value: rules hold
//! categories.

use std::error::Error;
use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use marginswap_core::diagnostic::Diagnostic;
use marginswap_core::graph::Formula;
use marginswap_io::Delimiter;
use serde::Deserialize;
use serde::de::{self, Deserializer, Visitor};

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

/// Stands between detail and remedy while serde carries a [`BadValue`] as one text.
pub const BETWEEN: char = '\u{1f}';

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

/// Reads an entry that is written as text.
///
/// # Errors
/// When it is no text, or a text that means nothing.
pub fn written<'de, D: Deserializer<'de>, T: Written>(deserializer: D) -> Result<T, D::Error> {
    deserializer.deserialize_any(Text(PhantomData))
}

struct Text<T>(PhantomData<T>);

impl<T: Written> Visitor<'_> for Text<T> {
    type Value = T;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(T::WHAT)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        text.parse()
            .map_err(|BadValue { detail, remedy }| E::custom(format!("{detail}{BETWEEN}{remedy}")))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<T, E> {
        u64::try_from(number)
            .ok()
            .and_then(T::from_number)
            .ok_or_else(|| E::invalid_type(de::Unexpected::Signed(number), &self))
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<T, E> {
        if !T::TAKES_DECIMALS {
            return Err(E::invalid_type(de::Unexpected::Float(number), &self));
        }
        // The shortest text that means this number is the one that was typed.
        let digits = number.to_string();
        self.visit_str(&if digits.contains('.') { digits } else { format!("{digits}.0") })
    }
}

struct OneDelimiter(Delimiter);

impl FromStr for OneDelimiter {
    type Err = BadValue;

    fn from_str(text: &str) -> Result<Self, BadValue> {
        Ok(Self(Delimiter::parse(text)?))
    }
}

impl Written for OneDelimiter {
    const WHAT: &'static str = "a delimiter in quotes";
}

/// Reads the entry `delimiter`.
///
/// # Errors
/// A text that is no delimiter.
pub fn delimiter<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Delimiter>, D::Error> {
    written::<D, OneDelimiter>(from).map(|delimiter| Some(delimiter.0))
}

struct TableText(String);

impl FromStr for TableText {
    type Err = BadValue;

    fn from_str(text: &str) -> Result<Self, BadValue> {
        Formula::parse(&[text])?;
        Ok(Self(text.to_owned()))
    }
}

impl Written for TableText {
    const WHAT: &'static str = "a table in quotes, as \"region*sex*age\"";
}

impl<'de> Deserialize<'de> for TableText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        written(deserializer)
    }
}

/// Reads the entry `tables`: each text must be a formula.
///
/// # Errors
/// A text that is no formula.
pub fn tables<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    Ok(Vec::<TableText>::deserialize(from)?.into_iter().map(|table| table.0).collect())
}

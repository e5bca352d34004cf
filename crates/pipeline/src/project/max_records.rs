//! How many records a single swap may take.
//!
//! Two is the pair swap. More are looked for only where a record has no partner.

use std::fmt;
use std::str::FromStr;

use marginswap_core::moves::MOST_RECORDS;

use super::text::{BadValue, Written};

/// From 2 to [`MOST_RECORDS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MaxRecords(usize);

impl MaxRecords {
    /// The smallest swap beyond pairs.
    pub const FOUR: Self = Self(4);

    /// The number.
    #[must_use]
    pub fn get(self) -> usize {
        self.0
    }
}

impl Default for MaxRecords {
    fn default() -> Self {
        Self(2)
    }
}

impl FromStr for MaxRecords {
    type Err = BadValue;

    fn from_str(text: &str) -> Result<Self, BadValue> {
        let number = text.trim().parse().ok().and_then(Self::from_number);
        number.ok_or_else(|| {
            BadValue::new(
                "not a number of records for one swap",
                format!("write a whole number from 2 to {MOST_RECORDS}"),
            )
        })
    }
}

impl Written for MaxRecords {
    const WHAT: &'static str = "a whole number from 2 to 16";

    fn from_number(number: u64) -> Option<Self> {
        usize::try_from(number).ok().filter(|n| (2..=MOST_RECORDS).contains(n)).map(Self)
    }
}

impl fmt::Display for MaxRecords {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn from_two_to_sixteen() {
        for number in 2..=16 {
            assert_eq!(number.to_string().parse(), Ok(MaxRecords(number)));
        }
        for text in ["", "0", "1", "17", "4.0", "-4", "four"] {
            assert!(text.parse::<MaxRecords>().is_err(), "{text}");
        }
        assert_eq!(MaxRecords::WHAT, format!("a whole number from 2 to {MOST_RECORDS}"));
    }
}

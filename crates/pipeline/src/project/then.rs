//! What follows the exchange of whole households.

use std::fmt;
use std::str::FromStr;

use super::text::{BadValue, Written};

/// The step after the exchange of households.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    /// `persons`: people who are still at risk exchange what is theirs alone.
    Persons,
}

impl FromStr for Then {
    type Err = BadValue;

    fn from_str(text: &str) -> Result<Self, BadValue> {
        match text.trim() {
            "persons" => Ok(Self::Persons),
            _ => Err(BadValue::new("unknown step behind that of households", "write persons")),
        }
    }
}

impl Written for Then {
    const WHAT: &'static str = "\"persons\"";
}

impl fmt::Display for Then {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Persons => "persons",
        })
    }
}

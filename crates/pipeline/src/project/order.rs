//! In which order the records are released.
//!
//! The order of the input gives swaps away: where a column comes in runs, as in a file sorted
//! by region, a value that was exchanged stands out among its neighbours.

use std::fmt;
use std::str::FromStr;

use super::text::{BadValue, Written};

/// The order of the released records.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ReleaseOrder {
    /// `random`: by the seed of the run.
    #[default]
    Random,
    /// `input`: that of the input.
    Input,
}

impl FromStr for ReleaseOrder {
    type Err = BadValue;

    fn from_str(text: &str) -> Result<Self, BadValue> {
        match text.trim() {
            "random" => Ok(Self::Random),
            "input" => Ok(Self::Input),
            _ => Err(BadValue::new("unknown order of records", "write random or input")),
        }
    }
}

impl Written for ReleaseOrder {
    const WHAT: &'static str = "\"random\" or \"input\"";
}

impl fmt::Display for ReleaseOrder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Random => "random",
            Self::Input => "input",
        })
    }
}

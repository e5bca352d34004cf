//! How much work planning may take, counted in steps and never in seconds.

use std::fmt;
use std::str::FromStr;

use marginswap_core::plan::Level;

use super::text::{BadValue, Written};

/// How much work planning may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Effort(Level);

impl From<Effort> for Level {
    fn from(effort: Effort) -> Self {
        effort.0
    }
}

impl FromStr for Effort {
    type Err = BadValue;

    fn from_str(text: &str) -> Result<Self, BadValue> {
        match text.trim() {
            "quick" => Ok(Self(Level::Quick)),
            "normal" => Ok(Self(Level::Normal)),
            "long" => Ok(Self(Level::Long)),
            _ => Err(BadValue::new("unknown effort", "write quick, normal or long")),
        }
    }
}

impl Written for Effort {
    const WHAT: &'static str = "\"quick\", \"normal\" or \"long\"";
}

impl fmt::Display for Effort {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self.0 {
            Level::Quick => "quick",
            Level::Normal => "normal",
            Level::Long => "long",
        })
    }
}

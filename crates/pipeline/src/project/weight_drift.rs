//! How far weighted counts of kept tables may move: not at all, within a bound, or freely.

use std::fmt;
use std::str::FromStr;

use super::amount::{Amount, Share};
use super::text::{BadValue, Written};

/// What is asked of weighted counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WeightDrift {
    /// They stay exact: the weight joins the tables.
    #[default]
    Exact,
    /// No weighted cell moves by more than this share of its count.
    Within(Share),
    /// They may move; how far is reported.
    Free,
}

impl FromStr for WeightDrift {
    type Err = BadValue;

    fn from_str(text: &str) -> Result<Self, BadValue> {
        match text.trim() {
            "exact" => Ok(Self::Exact),
            "free" => Ok(Self::Free),
            share => match share.parse() {
                Ok(Amount::Share(share)) => Ok(Self::Within(share)),
                _ => Err(BadValue::new(
                    "this is neither `exact` nor `free` nor a share",
                    "write the share of a weighted count as \"1 %\"",
                )),
            },
        }
    }
}

impl Written for WeightDrift {
    const WHAT: &'static str = "exact, free, or a share as \"1 %\"";
    const TAKES_DECIMALS: bool = true;
}

/// As it can be read again.
impl fmt::Display for WeightDrift {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact => formatter.write_str("exact"),
            Self::Within(share) => write!(formatter, "{}", Amount::Share(*share)),
            Self::Free => formatter.write_str("free"),
        }
    }
}

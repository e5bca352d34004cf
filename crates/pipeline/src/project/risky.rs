//! Which records are to be protected, and how their partners are found.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use marginswap_core::plan;

use super::text::{BadValue, Written};

/// Which records are risky. What an intruder may know are the keys.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Risky {
    /// `unique`: nobody else has the same keys.
    #[default]
    Unique,
    /// `k:3`: fewer than this many records, itself counted, have the same keys. `k:0` is
    /// nobody; `k:1` would be too, and is refused as a slip.
    BelowK(u32),
    /// `records:FILE`: the records that the file names, one on a line.
    Records(PathBuf),
    /// `top:50`: the riskiest, this many.
    Top(u32),
    /// `prob:0.2`: the model gives the record at least this probability.
    Probability(f64),
}

const REMEDY: &str = "write unique, k:3, records:FILE, top:50 or prob:0.2";

impl FromStr for Risky {
    type Err = BadValue;

    fn from_str(text: &str) -> Result<Self, BadValue> {
        let text = text.trim();
        if text == "unique" {
            return Ok(Self::Unique);
        }
        let Some((kind, rest)) = text.split_once(':') else {
            return Err(BadValue::new("unknown rule for who is at risk", REMEDY));
        };
        let rest = rest.trim();
        match kind.trim_end() {
            "k" => match whole(rest) {
                Some(k) if k != 1 => Ok(Self::BelowK(k)),
                _ => Err(BadValue::new(
                    "behind `k:` a whole number from 2 is expected, or 0 for nobody",
                    "write k:3 for every record that shares its keys with fewer than two others",
                )),
            },
            "records" if rest.is_empty() => Err(BadValue::new(
                "behind `records:` the name of a file is expected",
                "name a file with one record on a line",
            )),
            "records" => Ok(Self::Records(PathBuf::from(rest))),
            "top" => match whole(rest) {
                Some(number) if number >= 1 => Ok(Self::Top(number)),
                _ => Err(BadValue::new(
                    "behind `top:` a whole number from 1 is expected",
                    "write top:50 for the fifty riskiest records",
                )),
            },
            "prob" => match decimal(rest) {
                Some(probability) if probability > 0.0 && probability <= 1.0 => {
                    Ok(Self::Probability(probability))
                }
                _ => Err(BadValue::new(
                    "behind `prob:` a number above 0 and up to 1 is expected",
                    "write prob:0.2 for a probability of one in five",
                )),
            },
            _ => Err(BadValue::new("unknown rule for who is at risk", REMEDY)),
        }
    }
}

fn whole(text: &str) -> Option<u32> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

fn decimal(text: &str) -> Option<f64> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    plain.then(|| text.parse().ok())?
}

impl Written for Risky {
    const WHAT: &'static str = "a rule in quotes, such as \"unique\"";
}

/// As it can be read again.
impl fmt::Display for Risky {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unique => formatter.write_str("unique"),
            Self::BelowK(k) => write!(formatter, "k:{k}"),
            Self::Records(file) => write!(formatter, "records:{}", file.display()),
            Self::Top(number) => write!(formatter, "top:{number}"),
            Self::Probability(probability) => write!(formatter, "prob:{probability}"),
        }
    }
}

/// What an intruder knows of the keys.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Knows {
    /// `any part`: all of them or some of them.
    #[default]
    AnyPart,
    /// `all`: exactly all of them.
    All,
}

impl FromStr for Knows {
    type Err = BadValue;

    fn from_str(text: &str) -> Result<Self, BadValue> {
        match text.trim() {
            "any part" | "any-part" => Ok(Self::AnyPart),
            "all" => Ok(Self::All),
            _ => Err(BadValue::new("unknown knowledge of the keys", "write any-part or all")),
        }
    }
}

impl Written for Knows {
    const WHAT: &'static str = "\"any part\" or \"all\"";
}

/// As it can be read again.
impl fmt::Display for Knows {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::AnyPart => "any part",
            Self::All => "all",
        })
    }
}

/// How partners are found for all risky records at once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Pairing {
    /// `slices`: as `greedy`, then permutations of whole slices for those left over.
    #[default]
    Slices,
    /// `greedy`: cheapest pair first, then a pass for those left over.
    Greedy,
    /// `optimal`: an exact matching, where it fits.
    Optimal,
}

impl From<Pairing> for plan::Pairing {
    fn from(pairing: Pairing) -> Self {
        match pairing {
            Pairing::Slices => Self::Slices,
            Pairing::Greedy => Self::Greedy,
            Pairing::Optimal => Self::Optimal,
        }
    }
}

impl FromStr for Pairing {
    type Err = BadValue;

    fn from_str(text: &str) -> Result<Self, BadValue> {
        match text.trim() {
            "slices" => Ok(Self::Slices),
            "greedy" => Ok(Self::Greedy),
            "optimal" => Ok(Self::Optimal),
            _ => Err(BadValue::new("unknown pairing", "write slices, greedy or optimal")),
        }
    }
}

impl Written for Pairing {
    const WHAT: &'static str = "\"slices\", \"greedy\" or \"optimal\"";
}

impl fmt::Display for Pairing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Slices => "slices",
            Self::Greedy => "greedy",
            Self::Optimal => "optimal",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_to_choose_records() {
        for (text, risky) in [
            ("unique", Risky::Unique),
            (" unique ", Risky::Unique),
            ("k:3", Risky::BelowK(3)),
            ("k:0", Risky::BelowK(0)),
            ("k: 3", Risky::BelowK(3)),
            ("records:must swap.txt", Risky::Records("must swap.txt".into())),
            ("records:C:\\ids.txt", Risky::Records("C:\\ids.txt".into())),
            ("top:50", Risky::Top(50)),
            ("prob:0.2", Risky::Probability(0.2)),
            ("prob:1", Risky::Probability(1.0)),
        ] {
            assert_eq!(text.parse(), Ok(risky.clone()), "{text}");
            assert_eq!(risky.to_string().parse(), Ok(risky), "{text}");
        }
        for text in [
            "",
            "uniqe",
            "Unique",
            "k",
            "k:",
            "k:1",
            "k:-3",
            "k:+3",
            "k:3.0",
            "k:x",
            "3",
            "k:99999999999",
            "records:",
            "records: ",
            "top:0",
            "top:",
            "prob:0",
            "prob:1.1",
            "prob:-0.1",
            "prob:nan",
            "prob:1e-3",
            "prob:",
            "prob:.",
            "unique:3",
        ] {
            assert!(text.parse::<Risky>().is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_known() {
        for knows in [Knows::AnyPart, Knows::All] {
            assert_eq!(knows.to_string().parse(), Ok(knows));
        }
        assert_eq!("any-part".parse(), Ok(Knows::AnyPart));
        assert!("some".parse::<Knows>().is_err());
    }

    #[test]
    fn ways_to_pair() {
        for pairing in [Pairing::Slices, Pairing::Greedy, Pairing::Optimal] {
            assert_eq!(pairing.to_string().parse(), Ok(pairing));
        }
        assert!("Greedy".parse::<Pairing>().is_err());
        assert!("".parse::<Pairing>().is_err());
    }
}

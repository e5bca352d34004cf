//! Mechanisms with a certificate, and the ε that is asked of them.

use std::fmt;
use std::str::FromStr;

use marginswap_core::sample::LargestEpsilon;

use super::text::{BadValue, Written};

/// How records are exchanged with a certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mechanism {
    /// The slices of every separator are permuted, by weights with a proof.
    Glue,
}

impl FromStr for Mechanism {
    type Err = BadValue;

    fn from_str(text: &str) -> Result<Self, BadValue> {
        match text.trim() {
            "glue" => Ok(Self::Glue),
            _ => Err(BadValue::new("unknown mechanism", "write glue")),
        }
    }
}

impl Written for Mechanism {
    const WHAT: &'static str = "\"glue\"";
}

impl fmt::Display for Mechanism {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("glue")
    }
}

/// ε in all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Epsilon {
    /// In millionths.
    Millionths(u64),
    /// The logarithm of a whole number.
    LogOf(u64),
}

/// The most decimals that are read.
const DECIMALS: usize = 6;

/// The largest ε that is read: nobody learns less than everything from a larger one.
const LARGEST: u64 = 100_000;

impl FromStr for Epsilon {
    type Err = BadValue;

    fn from_str(text: &str) -> Result<Self, BadValue> {
        let refuse = |detail: &str| {
            BadValue::new(detail, "write a number as 2.5, or the logarithm of one as ln:500")
        };
        let text = text.trim();
        if let Some(of) = text.strip_prefix("ln:") {
            let of: u64 = of.trim().parse().map_err(|_| refuse("this is no logarithm"))?;
            return match (1..=LargestEpsilon::OF_LOG).contains(&of) {
                true => Ok(Self::LogOf(of)),
                false => Err(refuse("this number is 0 or too large for a logarithm")),
            };
        }
        let (before, after) = text.split_once('.').unwrap_or((text, ""));
        let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if before.is_empty() || text.ends_with('.') || !digits(before) || !digits(after) {
            return Err(refuse("this is no ε"));
        }
        if after.len() > DECIMALS {
            return Err(refuse("this ε has more than six decimals"));
        }
        let whole: u64 = before.parse().map_err(|_| refuse("this ε has too many digits"))?;
        if whole >= LARGEST {
            return Err(refuse("this ε is so large that it promises nothing"));
        }
        let parts: u64 = format!("{after:0<DECIMALS$}").parse().expect("six digits");
        Ok(Self::Millionths(whole * 1_000_000 + parts))
    }
}

impl Written for Epsilon {
    const WHAT: &'static str = "a number as 2.5, or \"ln:500\"";
    const TAKES_DECIMALS: bool = true;

    fn from_number(number: u64) -> Option<Self> {
        (number < LARGEST).then(|| Self::Millionths(number * 1_000_000))
    }
}

/// As it can be read again.
impl fmt::Display for Epsilon {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LogOf(of) => write!(formatter, "ln:{of}"),
            Self::Millionths(millionths) => {
                let (whole, parts) = (millionths / 1_000_000, millionths % 1_000_000);
                let parts = format!("{parts:06}");
                match parts.trim_end_matches('0') {
                    "" => write!(formatter, "{whole}"),
                    parts => write!(formatter, "{whole}.{parts}"),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_epsilon_is_read_and_written_alike() {
        for text in ["0", "2.5", "12.000001", "ln:500", "99999"] {
            let epsilon: Epsilon = text.parse().unwrap();
            assert_eq!(epsilon.to_string(), text);
        }
        assert_eq!("2.50".parse(), Ok(Epsilon::Millionths(2_500_000)));
        for text in ["", "-1", ".5", "1.", "ln:0", "ln:", "ln:2.5", "1e3", "0.0000001", "100000"] {
            assert!(text.parse::<Epsilon>().is_err(), "{text}");
        }
        assert!("glue".parse::<Mechanism>().is_ok() && "psa".parse::<Mechanism>().is_err());
    }
}

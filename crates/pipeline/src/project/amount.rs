//! How many records: a number, or an exact share of all.
//!
//! A share is a fraction of whole numbers. `0.05` and `5 %` are the same fraction on every
//! platform, and the number of records is rounded down, so that a cap is never exceeded.
//!
//! Trap: `1` is one record, `1.0` and `100 %` are all of them.

use std::fmt;
use std::str::FromStr;

use super::text::{BadValue, Written};

/// A number of records, given outright or as a share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    /// This many.
    Records(u64),
    /// Such a share of all records.
    Share(Share),
}

impl Amount {
    /// How many of `records` records; never more than there are.
    #[must_use]
    pub fn of(self, records: u64) -> u64 {
        match self {
            Self::Records(number) => number.min(records),
            Self::Share(Share { numerator, denominator }) => {
                let part = u128::from(records) * u128::from(numerator) / u128::from(denominator);
                u64::try_from(part).expect("a share is no more than the whole")
            }
        }
    }
}

/// A fraction from 0 to 1 in lowest terms, whose decimals end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    numerator: u64,
    denominator: u64,
}

/// The most decimals that are read: a thousandth of a millionth.
const DECIMALS: usize = 9;

impl Share {
    /// `percent` in a hundred.
    #[must_use]
    pub fn percent(percent: u8) -> Self {
        assert!(percent <= 100, "a share is no more than the whole");
        Self::reduced(u64::from(percent), 100)
    }

    /// Numerator and denominator.
    #[must_use]
    pub fn parts(self) -> (u64, u64) {
        (self.numerator, self.denominator)
    }

    fn reduced(numerator: u64, denominator: u64) -> Self {
        let (mut divisor, mut rest) = (denominator, numerator);
        while rest > 0 {
            (divisor, rest) = (rest, divisor % rest);
        }
        Self { numerator: numerator / divisor, denominator: denominator / divisor }
    }
}

impl FromStr for Amount {
    type Err = BadValue;

    fn from_str(text: &str) -> Result<Self, BadValue> {
        let refuse = |detail: &str| {
            BadValue::new(
                detail,
                "write a number of records as 120, a share as \"5 %\" or \"0.05\"",
            )
        };
        let text = text.trim();
        let (number, whole) = match text.strip_suffix('%') {
            Some(percent) => (percent.trim_end(), 100),
            None => (text, 1),
        };
        let (before, after) = number.split_once('.').unwrap_or((number, ""));
        let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if before.is_empty() || number.ends_with('.') || !digits(before) || !digits(after) {
            return Err(refuse("this is neither a number of records nor a share"));
        }
        let long = || refuse("this number has too many digits");
        if whole == 1 && !number.contains('.') {
            return before.parse().map(Self::Records).map_err(|_| long());
        }
        if after.len() > DECIMALS || before.len() > DECIMALS {
            return Err(long());
        }
        let scale = 10u64.pow(u32::try_from(after.len()).expect("few decimals"));
        let digits: u64 = format!("{before}{after}").parse().expect("at most 18 digits");
        if digits > whole * scale {
            return Err(refuse("this share is more than all records"));
        }
        Ok(Self::Share(Share::reduced(digits, whole * scale)))
    }
}

impl Written for Amount {
    const WHAT: &'static str = "a number of records, or a share as \"5 %\" or 0.05";
    const TAKES_DECIMALS: bool = true;

    fn from_number(number: u64) -> Option<Self> {
        Some(Self::Records(number))
    }
}

/// As it can be read again: `120`, `5 %`, `2.5 %`.
impl fmt::Display for Amount {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Share { numerator, denominator } = match self {
            Self::Records(number) => return write!(formatter, "{number}"),
            Self::Share(share) => share,
        };
        let percent = u128::from(*numerator) * 100;
        let denominator = u128::from(*denominator);
        write!(formatter, "{}", percent / denominator)?;
        let mut rest = percent % denominator;
        if rest > 0 {
            formatter.write_str(".")?;
        }
        while rest > 0 {
            write!(formatter, "{}", rest * 10 / denominator)?;
            rest = rest * 10 % denominator;
        }
        formatter.write_str(" %")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_exactly() {
        for (text, again, of_ten_thousand) in [
            ("120", "120", 120),
            ("0", "0", 0),
            ("1", "1", 1),
            ("20000", "20000", 10_000),
            ("5 %", "5 %", 500),
            ("5%", "5 %", 500),
            (" 5  % ", "5 %", 500),
            ("0.05", "5 %", 500),
            ("0.050", "5 %", 500),
            ("2.5 %", "2.5 %", 250),
            ("0.0001 %", "0.0001 %", 0),
            ("0.01 %", "0.01 %", 1),
            ("33.333333333 %", "33.333333333 %", 3_333),
            ("100 %", "100 %", 10_000),
            ("1.0", "100 %", 10_000),
            ("0 %", "0 %", 0),
            ("0.0", "0 %", 0),
            ("99.99 %", "99.99 %", 9_999),
        ] {
            let amount: Amount = text.parse().unwrap();
            assert_eq!(amount.to_string(), again, "{text}");
            assert_eq!(amount.to_string().parse(), Ok(amount), "{text}");
            assert_eq!(amount.of(10_000), of_ten_thousand, "{text}");
        }
        let all = "100 %".parse::<Amount>().unwrap();
        assert_eq!(all.of(u64::MAX), u64::MAX);
        assert_eq!(Ok(Amount::Share(Share::percent(5))), "5 %".parse());
        // 0.29 × 100 is 28.999… in floating point.
        assert_eq!("0.29".parse::<Amount>().unwrap().of(100), 29);
    }

    #[test]
    fn what_is_no_amount_is_refused() {
        for text in [
            "",
            "%",
            " % ",
            "-5",
            "-5 %",
            "+5",
            "5 %%",
            "% 5",
            "five",
            "5.",
            ".5",
            ".",
            "1.2.3",
            "1,000",
            "1e3",
            "101 %",
            "1.5",
            "100.1 %",
            "0.0000000001",
            "99999999999999999999",
            "5 percent",
            "٥ %",
            "5 0 %",
            "NaN",
            "inf",
        ] {
            assert!(text.parse::<Amount>().is_err(), "{text}");
        }
    }
}

//! Numbers as they are written, without rounding.
//!
//! A published number and a sum of weights agree or differ to the last digit, so both are whole
//! numbers of 10⁻¹⁸. Sums of as many weights as a file can have records stay within 128 bits:
//! a weight has at most nine digits before the point ([`Decimal::is_weight`]), a published
//! number at most fifteen.
//!
//! Trap: `1,234` and `1 234` are no decimals. Which sign parts thousands and which the decimals
//! differs between countries, so neither is guessed.
//!
//! Way in: [`Decimal::parse`].

use std::fmt;
use std::ops::{Add, AddAssign, Sub};

/// An exact decimal number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Decimal(i128);

/// How many digits may follow the decimal point.
const PLACES: usize = 18;

/// How many digits may stand before it.
const WHOLE: usize = 15;

/// One.
const ONE: i128 = 10i128.pow(18);

impl Decimal {
    /// Nothing.
    pub const ZERO: Self = Self(0);
    /// One record.
    pub const ONE: Self = Self(ONE);

    /// A whole number.
    #[must_use]
    pub fn whole(number: u64) -> Self {
        Self(i128::from(number) * ONE)
    }

    /// The number that is written here: digits with an optional sign, point and exponent.
    /// `None` for anything else, and for more digits than are kept exactly.
    #[must_use]
    pub fn parse(text: &[u8]) -> Option<Self> {
        let (negative, text) = match text.split_first()? {
            (b'-', rest) => (true, rest),
            (b'+', rest) => (false, rest),
            _ => (false, text),
        };
        let (digits, exponent) = match text.iter().position(|byte| matches!(byte, b'e' | b'E')) {
            Some(place) => (&text[..place], exponent(&text[place + 1..])?),
            None => (text, 0),
        };
        let point = digits.iter().position(|&byte| byte == b'.');
        let (whole, rest) = match point {
            Some(place) => (&digits[..place], &digits[place + 1..]),
            None => (digits, &[][..]),
        };
        let numeric = |part: &[u8]| part.iter().all(u8::is_ascii_digit);
        if whole.is_empty() || (point.is_some() && rest.is_empty()) {
            return None;
        }
        if !numeric(whole) || !numeric(rest) {
            return None;
        }
        let all: Vec<u8> = whole.iter().chain(rest).copied().collect();
        let magnitude = scaled(&all, i64::try_from(whole.len()).ok()?.checked_add(exponent)?)?;
        Some(Self(if negative { -magnitude } else { magnitude }))
    }

    /// Is it below zero?
    #[must_use]
    pub fn is_negative(self) -> bool {
        self.0 < 0
    }

    /// Is it a whole number?
    #[must_use]
    pub fn is_whole(self) -> bool {
        self.0 % ONE == 0
    }

    /// Can it be a weight: not negative, and small enough to be added up exactly?
    #[must_use]
    pub fn is_weight(self) -> bool {
        (0..ONE * 10i128.pow(9)).contains(&self.0)
    }

    /// Its distance from another number.
    #[must_use]
    pub fn distance(self, other: Self) -> Self {
        Self((self.0 - other.0).abs())
    }
}

fn exponent(text: &[u8]) -> Option<i64> {
    let digits = text.strip_prefix(b"+").or(text.strip_prefix(b"-")).unwrap_or(text);
    if digits.is_empty() || digits.len() > 4 || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// The digits with the point behind the first `before` of them, in units of 10⁻¹⁸.
fn scaled(digits: &[u8], before: i64) -> Option<i128> {
    let zeros = digits.iter().take_while(|&&digit| digit == b'0').count();
    let significant = &digits[zeros..];
    let end = significant.iter().rposition(|&digit| digit != b'0').map_or(0, |last| last + 1);
    let significant = &significant[..end];
    if significant.is_empty() {
        return Some(0);
    }
    let before = before - i64::try_from(zeros).ok()?;
    let places = i64::try_from(significant.len()).ok()? - before;
    if before > i64::try_from(WHOLE).ok()? || places > i64::try_from(PLACES).ok()? {
        return None;
    }
    let number = significant.iter().fold(0i128, |sum, digit| sum * 10 + i128::from(digit - b'0'));
    let shift = u32::try_from(i64::try_from(PLACES).ok()? - places).ok()?;
    number.checked_mul(10i128.checked_pow(shift)?)
}

impl Add for Decimal {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Decimal {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sub for Decimal {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

/// As it can be read again, without zeros at the end.
impl fmt::Display for Decimal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.is_negative() { "-" } else { "" };
        let (whole, rest) = (self.0.unsigned_abs() / ONE.unsigned_abs(), self.0.abs() % ONE);
        if rest == 0 {
            return write!(formatter, "{sign}{whole}");
        }
        let places = format!("{rest:018}");
        write!(formatter, "{sign}{whole}.{}", places.trim_end_matches('0'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_exactly() {
        for (text, again) in [
            ("0", "0"),
            ("007", "7"),
            ("-0", "0"),
            ("12.50", "12.5"),
            ("+3", "3"),
            ("-4.25", "-4.25"),
            ("0.1", "0.1"),
            ("1e3", "1000"),
            ("1.5E+2", "150"),
            ("25e-1", "2.5"),
            ("0.000000000000000001", "0.000000000000000001"),
            ("999999999999999", "999999999999999"),
            ("10.000000000000000000000", "10"),
            ("0e9999", "0"),
        ] {
            let read = Decimal::parse(text.as_bytes()).unwrap();
            assert_eq!(read.to_string(), again, "{text}");
            assert_eq!(Decimal::parse(again.as_bytes()), Some(read));
        }
        // 0.1 + 0.2 is not 0.3 in floating point.
        let sum = [b"0.1", b"0.2"].map(|text| Decimal::parse(text).unwrap());
        assert_eq!(sum[0] + sum[1], Decimal::parse(b"0.3").unwrap());
    }

    #[test]
    fn what_is_no_number_is_none() {
        for text in [
            "",
            "-",
            ".",
            "1.",
            ".5",
            "1,000",
            "1 000",
            " 1",
            "1 ",
            "0x1",
            "1e",
            "1e+",
            "e5",
            "--1",
            "NaN",
            "inf",
            "1_0",
            "1e99999",
            "1e16",
            "1000000000000000",
            "1.2.3",
            "1e-19",
            "٥",
            "0.0000000000000000001",
        ] {
            assert_eq!(Decimal::parse(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn a_weight_is_no_debt_and_not_huge() {
        let is_weight = |text: &str| Decimal::parse(text.as_bytes()).unwrap().is_weight();
        assert!(is_weight("0") && is_weight("999999999.5") && is_weight("1.25"));
        assert!(!is_weight("-1") && !is_weight("1000000000"));
    }
}

//! Numbers as they are written: decimal text, read and compared exactly.
//!
//! A [`Decimal`] has up to eighteen digits before and eighteen after the point, which is a whole
//! number of units of 10⁻¹⁸; nothing is rounded and no floating point is used. `18`, `018`,
//! `18.0`, `+18` and `1.8e1` are one number. A decimal comma is not read: in half of the world
//! it sets thousands apart.
//!
//! Sums of as many weights as a file can have records stay within 128 bits: a weight has at most
//! nine digits before the point ([`Decimal::is_weight`]).
//!
//! Way in: [`Decimal::read`].

use std::fmt;
use std::ops::{Add, AddAssign, Sub};

/// Digits after the point.
const PLACES: u32 = 18;
/// One, in the last place.
const ONE: i128 = 10i128.pow(PLACES);
/// Digits before the point.
const WHOLE: usize = 18;

/// An exact decimal number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Decimal(i128);

impl Decimal {
    /// Nothing.
    pub const ZERO: Self = Self(0);
    /// One.
    pub const ONE: Self = Self(ONE);

    /// A whole number.
    #[must_use]
    pub fn whole(number: u64) -> Self {
        Self(i128::from(number) * ONE)
    }

    /// The number that a text is, spaces around it aside; `None` when it is none, or has more
    /// digits than can be held exactly.
    ///
    /// Law: `decimals-are-exact`.
    #[must_use]
    pub fn read(text: &[u8]) -> Option<Self> {
        let text = text.trim_ascii();
        let (negative, digits) = match text {
            [b'-', rest @ ..] => (true, rest),
            [b'+', rest @ ..] => (false, rest),
            _ => (false, text),
        };
        let (mantissa, exponent) = match digits.iter().position(|sign| matches!(sign, b'e' | b'E'))
        {
            None => (digits, 0),
            Some(at) => (&digits[..at], exponent(&digits[at + 1..])?),
        };
        let (whole, fraction) = match mantissa.iter().position(|&sign| sign == b'.') {
            None => (mantissa, &[][..]),
            Some(at) => (&mantissa[..at], &mantissa[at + 1..]),
        };
        let all: Vec<u8> = [whole, fraction].concat();
        if all.is_empty() || !all.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let point = i64::try_from(whole.len()).ok()? + exponent;
        let units = units(&all, point)?;
        Some(Self(if negative { -units } else { units }))
    }

    /// The largest multiple of a width that is not above the number.
    ///
    /// # Panics
    /// When the width is not positive.
    #[must_use]
    pub fn floor_to(self, width: Self) -> Self {
        assert!(width.0 > 0, "a width is positive");
        Self(self.0.div_euclid(width.0) * width.0)
    }

    /// Half of it; an odd last place is rounded towards zero.
    #[must_use]
    pub fn halved(self) -> Self {
        Self(self.0 / 2)
    }

    /// Its distance from another number.
    #[must_use]
    pub fn distance(self, other: Self) -> Self {
        Self((self.0 - other.0).abs())
    }

    /// Can it be a weight: not negative, and small enough to be added up exactly?
    #[must_use]
    pub fn is_weight(self) -> bool {
        (0..ONE * 10i128.pow(9)).contains(&self.0)
    }

    /// The number in units of the last place; `None` when it is negative.
    #[must_use]
    pub fn units(self) -> Option<u128> {
        u128::try_from(self.0).ok()
    }

    /// This many units of the last place.
    ///
    /// # Panics
    /// When they are 2¹²⁷ or more.
    #[must_use]
    pub fn of_units(units: u128) -> Self {
        Self(i128::try_from(units).expect("a sum of weights is below 10²⁰"))
    }

    /// Is it a whole number?
    #[must_use]
    pub fn is_whole(self) -> bool {
        self.0 % ONE == 0
    }

    /// Is it above zero?
    #[must_use]
    pub fn is_positive(self) -> bool {
        self.0 > 0
    }

    /// Is it below zero?
    #[must_use]
    pub fn is_negative(self) -> bool {
        self.0 < 0
    }
}

/// The exponent after an `e`.
fn exponent(text: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(text).ok()?;
    let exponent: i64 = text.parse().ok()?;
    (exponent.abs() < 1_000).then_some(exponent)
}

/// Digits with the point after this many of them, in units of the last place; `None` when a
/// digit that is not zero has no place.
fn units(digits: &[u8], point: i64) -> Option<i128> {
    let mut units = 0i128;
    for (place, &digit) in (0i64..).zip(digits) {
        if digit == b'0' {
            continue;
        }
        let power = point - 1 - place;
        let whole = i64::try_from(WHOLE).expect("eighteen fits");
        if power >= whole || power < -i64::from(PLACES) {
            return None;
        }
        let power = u32::try_from(power + i64::from(PLACES)).expect("it is not negative");
        units += i128::from(digit - b'0') * 10i128.pow(power);
    }
    Some(units)
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

/// Without zeros that say nothing.
impl fmt::Display for Decimal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.is_negative() { "-" } else { "" };
        let (whole, fraction) = (self.0.abs() / ONE, self.0.abs() % ONE);
        if fraction == 0 {
            return write!(formatter, "{sign}{whole}");
        }
        let fraction = format!("{fraction:018}");
        write!(formatter, "{sign}{whole}.{}", fraction.trim_end_matches('0'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<String> {
        Decimal::read(text.as_bytes()).map(|number| number.to_string())
    }

    /// Every way to write a number gives the same one, and what is compared is the number, also
    /// where a floating point number of 64 bits would not tell two apart.
    #[test]
    fn law_decimals_are_exact() {
        for (text, number) in [
            ("18", "18"),
            ("018", "18"),
            ("18.", "18"),
            (".5", "0.5"),
            ("18.0", "18"),
            (" +18 ", "18"),
            ("-0", "0"),
            ("-0.50", "-0.5"),
            ("1e+05", "100000"),
            ("1.8e1", "18"),
            ("125E-2", "1.25"),
            ("0.000000000000000001", "0.000000000000000001"),
            ("999999999999999999.999999999999999999", "999999999999999999.999999999999999999"),
            ("0000000000000000000000001", "1"),
            ("1.0000000000000000000000", "1"),
            ("0e900", "0"),
        ] {
            assert_eq!(read(text).as_deref(), Some(number), "{text}");
        }
        for text in [
            "",
            " ",
            "NA",
            ".",
            "-",
            "+-1",
            "1 2",
            "1,5",
            "1.2.3",
            "0x10",
            "1e",
            "1e1.5",
            "inf",
            "NaN",
            "1000000000000000000",
            "0.0000000000000000001",
            "1e1000",
            "١",
            "--1",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
        let number = |text: &str| Decimal::read(text.as_bytes()).unwrap();
        let near = ["0.1", "0.100000000000000001", "0.3", "9007199254740992", "9007199254740993"];
        assert!(near.windows(2).all(|pair| number(pair[0]) < number(pair[1])));
        assert_eq!(number("0.1") + number("0.2"), number("0.3"));
    }

    #[test]
    fn the_floor_is_below_also_under_zero() {
        let floor = |number: &str, width: &str| {
            let [number, width] =
                [number, width].map(|text| Decimal::read(text.as_bytes()).unwrap());
            number.floor_to(width).to_string()
        };
        for (number, width, expected) in [
            ("29", "10", "20"),
            ("30", "10", "30"),
            ("-1", "10", "-10"),
            ("-10", "10", "-10"),
            ("0.3", "0.1", "0.3"),
            ("0.29", "0.1", "0.2"),
        ] {
            assert_eq!(floor(number, width), expected, "{number} {width}");
        }
    }

    #[test]
    fn a_weight_is_no_debt_and_not_huge() {
        let is_weight = |text: &str| Decimal::read(text.as_bytes()).unwrap().is_weight();
        assert!(is_weight("0") && is_weight("999999999.5") && is_weight("1.25"));
        assert!(!is_weight("-1") && !is_weight("1000000000"));
    }
}

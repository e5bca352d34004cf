//! How many people share each piece of the keys of somebody who is hidden.

use std::fmt;
use std::str::FromStr;

use super::text::{BadValue, Written};

/// From 2 to 1,000; 5 unless set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Crowd(u32);

impl Crowd {
    /// The number.
    #[must_use]
    pub fn get(self) -> u32 {
        self.0
    }
}

impl Default for Crowd {
    fn default() -> Self {
        Self(5)
    }
}

impl FromStr for Crowd {
    type Err = BadValue;

    fn from_str(text: &str) -> Result<Self, BadValue> {
        let number = text.trim().parse().ok().and_then(Self::from_number);
        number.ok_or_else(|| {
            BadValue::new("not a number of people", "write a whole number from 2 to 1000")
        })
    }
}

impl Written for Crowd {
    const WHAT: &'static str = "a whole number from 2 to 1000";

    fn from_number(number: u64) -> Option<Self> {
        u32::try_from(number).ok().filter(|people| (2..=1000).contains(people)).map(Self)
    }
}

impl fmt::Display for Crowd {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crowd_is_two_or_more() {
        assert_eq!(" 7 ".parse::<Crowd>().map(Crowd::get), Ok(7));
        for text in ["1", "0", "-3", "1001", "5.5", "five", ""] {
            assert!(text.parse::<Crowd>().is_err(), "{text}");
        }
        assert_eq!(Crowd::default().to_string().parse(), Ok(Crowd::default()));
    }
}

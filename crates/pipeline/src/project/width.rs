//! How roughly a number is known: the width of the classes that it is known in.

use std::fmt;

use marginswap_core::decimal::Decimal;

use super::text::BadValue;
use crate::settings::{Misfit, Value, Word};

/// A number above zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Width(Decimal);

impl Width {
    /// The number.
    #[must_use]
    pub fn get(self) -> Decimal {
        self.0
    }
}

impl Word for Width {
    fn read(value: &Value) -> Result<Self, Misfit> {
        let number = match value {
            Value::Number(digits) | Value::Text(digits) => Decimal::read(digits.as_bytes()),
            _ => None,
        };
        number.filter(|width| width.is_positive()).map(Self).ok_or_else(|| {
            BadValue::new("not a width of classes", "write a number above 0, as `age = 5`").into()
        })
    }

    fn write(&self) -> Value {
        Value::Number(self.to_string())
    }
}

impl fmt::Display for Width {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_width_is_above_zero() {
        for digits in ["5", "0.5", "1e3"] {
            let width = Width::read(&Value::Number(digits.to_owned())).unwrap();
            assert_eq!(Width::read(&width.write()), Ok(width));
        }
        for digits in ["0", "-5", "five", ""] {
            assert!(Width::read(&Value::text(digits)).is_err(), "{digits}");
        }
        assert!(Width::read(&Value::Switch(true)).is_err());
    }
}

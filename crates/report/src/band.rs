//! Bands: numbers that may be said only roughly.
//!
//! The external report says how far a table moved and how many records changed as a range.
//! A band is that range and nothing else: the number it came from cannot be got back.
//!
//! Edge case: only nothing at all is "none"; one record of a million is "less than 1 %".

use serde::{Serialize, Serializer};

/// How far a table moved, by its total variation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Band(u8);

impl Band {
    /// How many bands there are.
    pub const COUNT: usize = 6;

    const LABELS: [&str; Self::COUNT] =
        ["below 0.1 %", "0.1 to 0.5 %", "0.5 to 1 %", "1 to 2 %", "2 to 5 %", "5 % or more"];

    /// The band of a total variation.
    #[must_use]
    pub fn of(total_variation: f64) -> Self {
        let bounds = [0.001, 0.005, 0.01, 0.02, 0.05];
        Self(bounds.iter().map(|&bound| u8::from(total_variation >= bound)).sum())
    }

    /// All bands, from near to far.
    pub fn all() -> impl Iterator<Item = Self> {
        (0u8..).take(Self::COUNT).map(Self)
    }

    /// Its place among the bands, from 0.
    #[must_use]
    pub fn position(self) -> usize {
        usize::from(self.0)
    }

    /// Its range in words.
    #[must_use]
    pub fn label(self) -> &'static str {
        Self::LABELS[self.position()]
    }
}

impl Serialize for Band {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.label())
    }
}

/// How many records changed, as a range of their share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Extent(u8);

impl Extent {
    const LABELS: [&str; 7] = [
        "none of the records",
        "less than 1 % of the records",
        "between 1 % and 5 % of the records",
        "between 5 % and 10 % of the records",
        "between 10 % and 25 % of the records",
        "between 25 % and 50 % of the records",
        "more than half of the records",
    ];

    /// The range that holds `part` of `whole`.
    #[must_use]
    pub fn of(part: u64, whole: u64) -> Self {
        let at_least = |percent: u64| {
            u128::from(part) * 100 >= u128::from(whole) * u128::from(percent) && part > 0
        };
        let bounds = [1, 5, 10, 25, 50];
        Self(u8::from(part > 0) + bounds.iter().map(|&bound| u8::from(at_least(bound))).sum::<u8>())
    }

    /// The range in words.
    #[must_use]
    pub fn label(self) -> &'static str {
        Self::LABELS[usize::from(self.0)]
    }
}

impl Serialize for Extent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.label())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_distance_falls_into_its_band() {
        let labels = [0.0, 0.000_999, 0.001, 0.004, 0.005, 0.0199, 0.02, 0.049, 0.05, 1.0]
            .map(|distance| Band::of(distance).position());
        assert_eq!(labels, [0, 0, 1, 1, 2, 3, 4, 4, 5, 5]);
        assert_eq!(Band::all().map(Band::label).collect::<Vec<_>>(), Band::LABELS);
    }

    #[test]
    fn only_nothing_is_none() {
        let label = |part, whole| Extent::of(part, whole).label();
        assert_eq!(label(0, 10), Extent::LABELS[0]);
        assert_eq!(label(1, 1_000_000), Extent::LABELS[1]);
        assert_eq!(label(1, 100), Extent::LABELS[2]);
        assert_eq!(label(499, 10_000), Extent::LABELS[2]);
        assert_eq!(label(5, 100), Extent::LABELS[3]);
        assert_eq!(label(10, 100), Extent::LABELS[4]);
        assert_eq!(label(25, 100), Extent::LABELS[5]);
        assert_eq!(label(50, 100), Extent::LABELS[6]);
        assert_eq!(label(u64::MAX, u64::MAX), Extent::LABELS[6]);
        assert_eq!(label(0, 0), Extent::LABELS[0]);
    }
}

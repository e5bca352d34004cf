//! Bands: numbers that may be published only as a range.
//!
//! The external report says how far a table moved, how many records changed and how many
//! people at risk are protected as ranges. A band is that range and nothing else: the number it
//! came from cannot be recovered.
//!
//! Trap: a range that holds few counts gives the count away. In a small file narrow ranges are
//! joined until each holds at least [`FEWEST`] counts; where even that fails, no range is given.
//! Zero is in the lowest range, so that none and few are not told apart, and all and nearly all
//! share the highest range of the protected.

use serde::{Serialize, Serializer};

/// The fewest counts that a range may hold.
pub const FEWEST: u64 = 10;

/// The first bound below which everything is one range, so that every range holds
/// enough counts of these records; `None` when there is none. Bounds in thousandths, the last
/// is all.
fn first_bound(bounds: &[u64], records: u64) -> Option<usize> {
    let holds = |thousandths: u64, counts: u64| {
        u128::from(thousandths) * u128::from(records) >= u128::from(counts) * 1000
    };
    // No swap changes fewer than two records: the lowest range has two counts too many.
    let fits = |&first: &usize| {
        holds(bounds[first], FEWEST + 2)
            && bounds[first..].windows(2).all(|pair| holds(pair[1] - pair[0], FEWEST))
    };
    (0..bounds.len() - 1).find(fits)
}

/// How far a table moved, by its total variation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Band {
    position: u8,
    label: &'static str,
}

impl Band {
    /// How many bands there are.
    pub const COUNT: usize = 6;

    const BOUNDS: [u64; Self::COUNT] = [1, 5, 10, 20, 50, 1000];

    const LABELS: [&str; Self::COUNT] =
        ["below 0.1 %", "0.1 to 0.5 %", "0.5 to 1 %", "1 to 2 %", "2 to 5 %", "5 % or more"];

    /// The bound that it stays below, in percent and short; the highest has a lower one.
    const FIGURES: [&str; Self::COUNT] = ["<.1", "<.5", "<1", "<2", "<5", "5+"];

    /// The lowest bands in one, up to that of the position.
    const JOINED: [&str; Self::COUNT] =
        ["below 0.1 %", "below 0.5 %", "below 1 %", "below 2 %", "below 5 %", "not told"];

    /// The band of a total variation.
    #[must_use]
    pub fn of(total_variation: f64) -> Self {
        let bounds = [0.001, 0.005, 0.01, 0.02, 0.05];
        Self::at(bounds.iter().map(|&bound| u8::from(total_variation >= bound)).sum())
    }

    /// The band that may be published of a file with this number of records.
    #[must_use]
    pub fn told(total_variation: f64, records: u64) -> Self {
        let band = Self::of(total_variation);
        let first = first_bound(&Self::BOUNDS, records).unwrap_or(Self::COUNT - 1);
        if band.position() <= first { Self::up_to(first) } else { band }
    }

    /// All bands, from near to far.
    pub fn all() -> impl Iterator<Item = Self> {
        (0u8..).take(Self::COUNT).map(Self::at)
    }

    fn at(position: u8) -> Self {
        Self { position, label: Self::LABELS[usize::from(position)] }
    }

    fn up_to(position: usize) -> Self {
        Self { position: 0, label: Self::JOINED[position] }
    }

    /// Its place among the bands, from 0; joined bands take the first place.
    #[must_use]
    pub fn position(self) -> usize {
        usize::from(self.position)
    }

    /// Its range in words.
    #[must_use]
    pub fn label(self) -> &'static str {
        self.label
    }

    /// Its range in percent, short enough for a field of a picture.
    #[must_use]
    pub(crate) fn figure(self) -> &'static str {
        let of = |labels: &[&str]| labels.iter().position(|label| *label == self.label);
        match of(&Self::LABELS).or_else(|| of(&Self::JOINED[..Self::COUNT - 1])) {
            Some(place) => Self::FIGURES[place],
            None => "–",
        }
    }

    /// Is its range left out, because the file is too small for any?
    #[must_use]
    pub fn is_untold(self) -> bool {
        self.label == Self::JOINED[Self::COUNT - 1]
    }
}

impl Serialize for Band {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.label())
    }
}

/// How many records changed, as a range of their share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent(&'static str);

impl Extent {
    const BOUNDS: [u64; 6] = [10, 50, 100, 250, 500, 1000];

    const LABELS: [&str; 6] = [
        "less than 1 % of the records",
        "between 1 % and 5 % of the records",
        "between 5 % and 10 % of the records",
        "between 10 % and 25 % of the records",
        "between 25 % and 50 % of the records",
        "more than half of the records",
    ];

    /// The lowest ranges in one, up to that of the position.
    const JOINED: [&str; 5] = [
        "less than 1 % of the records",
        "less than 5 % of the records",
        "less than 10 % of the records",
        "less than 25 % of the records",
        "less than half of the records",
    ];

    /// The range that holds `part` of `whole`; `None` where each would hold too few counts.
    #[must_use]
    pub fn of(part: u64, whole: u64) -> Option<Self> {
        let first = first_bound(&Self::BOUNDS, whole)?;
        let at_least =
            |bound: &&u64| u128::from(part) * 1000 >= u128::from(whole) * u128::from(**bound);
        let position = Self::BOUNDS[..5].iter().filter(at_least).count();
        let joined = position <= first;
        Some(Self(if joined { Self::JOINED[first] } else { Self::LABELS[position] }))
    }

    /// The range in words.
    #[must_use]
    pub fn label(self) -> &'static str {
        self.0
    }
}

impl Serialize for Extent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.label())
    }
}

/// How many of the people at risk are protected, as a range of their share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Protected(&'static str);

impl Protected {
    /// Lower bounds of the ranges in thousandths, from the highest; each but the lowest range
    /// with its words as the highest one shown, and below a higher one.
    const RANGES: [(u64, &str, &str); 3] = [
        (900, "more than 90 %", ""),
        (750, "more than 75 %", "between 75 % and 90 %"),
        (500, "more than 50 %", "between 50 % and 75 %"),
    ];
    const LOWEST: &str = "less than 50 %";

    /// The range that holds `part` of `whole`; `None` where each would hold too few counts.
    #[must_use]
    pub fn of(part: u64, whole: u64) -> Option<Self> {
        let at_least =
            |bound: u64| u128::from(part) * 1000 >= u128::from(whole) * u128::from(bound);
        // The highest range that holds enough counts, with every one above it.
        let first = match whole {
            100.. => 0,
            40.. => 1,
            20.. => 2,
            _ => return None,
        };
        let found = (first..Self::RANGES.len()).find(|&place| at_least(Self::RANGES[place].0));
        Some(Self(match found {
            None => Self::LOWEST,
            Some(place) if place == first => Self::RANGES[place].1,
            Some(place) => Self::RANGES[place].2,
        }))
    }

    /// The range in words.
    #[must_use]
    pub fn label(self) -> &'static str {
        self.0
    }
}

impl Serialize for Protected {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.label())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::collections::BTreeMap;

    #[test]
    fn a_distance_falls_into_its_band() {
        let labels = [0.0, 0.000_999, 0.001, 0.004, 0.005, 0.0199, 0.02, 0.049, 0.05, 1.0]
            .map(|distance| Band::of(distance).position());
        assert_eq!(labels, [0, 0, 1, 1, 2, 3, 4, 4, 5, 5]);
        assert_eq!(Band::all().map(Band::label).collect::<Vec<_>>(), Band::LABELS);
    }

    #[test]
    fn few_and_none_are_in_one_band() {
        let label = |distance, records| Band::told(distance, records).label();
        assert_eq!(label(0.0, 1_000_000), "below 0.1 %");
        assert_eq!(label(0.0, 400), label(0.02, 400));
        assert_eq!(label(0.0, 400), "below 5 %");
        assert_eq!(label(0.06, 400), "5 % or more");
        assert_eq!(label(0.0, 3000), "below 0.5 %");
        assert_eq!(label(0.006, 3000), "0.5 to 1 %");
        assert!(Band::told(0.0, 100).is_untold() && Band::told(1.0, 100).is_untold());
    }

    #[test]
    fn an_extent_is_a_range() {
        let label = |part, whole| Extent::of(part, whole).map(Extent::label);
        assert_eq!(label(0, 1_000_000), Some(Extent::LABELS[0]));
        assert_eq!(label(1, 1_000_000), Some(Extent::LABELS[0]));
        assert_eq!(label(100, 10_000), Some(Extent::LABELS[1]));
        assert_eq!(label(499, 10_000), Some(Extent::LABELS[1]));
        assert_eq!(label(500, 10_000), Some(Extent::LABELS[2]));
        assert_eq!(label(2, 400), Some("less than 5 % of the records"));
        assert_eq!(label(34, 400), Some(Extent::LABELS[2]));
        assert_eq!(label(30, 100), Some(Extent::LABELS[4]));
        assert_eq!(label(8, 100), Some("less than 25 % of the records"));
        assert_eq!(label(5, 10), None);
        assert_eq!(label(u64::MAX, u64::MAX), Some(Extent::LABELS[5]));
        assert_eq!(label(0, 0), None);
    }

    #[test]
    fn the_protected_are_told_by_range() {
        let label = |part, whole| Protected::of(part, whole).map(Protected::label);
        assert_eq!(label(1000, 1000), label(901, 1000));
        assert_eq!(label(1000, 1000), Some("more than 90 %"));
        assert_eq!(label(800, 1000), Some("between 75 % and 90 %"));
        assert_eq!(label(0, 1000), Some("less than 50 %"));
        assert_eq!(label(40, 40), Some("more than 75 %"));
        assert_eq!(label(22, 40), Some("between 50 % and 75 %"));
        assert_eq!(label(17, 25), Some("more than 50 %"));
        assert_eq!(label(19, 19), None);
        assert_eq!(label(0, 0), None);
    }

    /// A range of the protected holds ten counts or more, for every number of people at risk.
    #[test]
    fn every_range_of_the_protected_holds_many_counts() {
        for people in 1u64..=1200 {
            let mut ranges: BTreeMap<&str, u64> = BTreeMap::new();
            for part in 0..=people {
                if let Some(range) = Protected::of(part, people) {
                    *ranges.entry(range.label()).or_default() += 1;
                }
            }
            assert!(ranges.values().all(|&count| count >= FEWEST), "{people}: {ranges:?}");
        }
    }

    /// For every size of file, no range that is given holds few counts.
    #[test]
    fn every_range_holds_many_counts() {
        for records in [1u64, 12, 19, 24, 60, 100, 199, 240, 400, 999, 1200, 5000, 12_000] {
            let mut extents: BTreeMap<&str, u64> = BTreeMap::new();
            let mut bands: BTreeMap<&str, u64> = BTreeMap::new();
            for part in 2..=records {
                if let Some(extent) = Extent::of(part, records) {
                    *extents.entry(extent.label()).or_default() += 1;
                }
                let band = Band::told(part as f64 / records as f64, records);
                if !band.is_untold() {
                    *bands.entry(band.label()).or_default() += 1;
                }
            }
            let counts: Vec<u64> = extents.values().chain(bands.values()).copied().collect();
            assert!(
                counts.iter().all(|&count| count >= FEWEST),
                "{records}: {extents:?} {bands:?}"
            );
        }
    }
}

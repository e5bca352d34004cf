//! Do released columns that no swap touches give swaps away?
//!
//! Two ways. Sorted by a column that follows the order of the original, as a running number
//! does, an exchanged column comes in runs, and an exchanged value is seen among its neighbours.
//! And a column may tell what another holds, as a municipality tells the region: a record in
//! which the two contradict each other was exchanged, and its true value is read off.
//!
//! Everything is counted in the released file, as an intruder would; in a long one, on records at
//! equal distances.
//!
//! Way in: [`tell_tales`].

use marginswap_core::columns::{Column, Role, looks_like_id};
use rayon::prelude::*;

use crate::input::Loaded;
use crate::pattern::{Pattern, ranks};

/// A column that gives away what was exchanged in another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TellTale {
    /// The column that stays with its record.
    pub column: String,
    /// The column whose values are exchanged.
    pub told: String,
    /// How.
    pub how: How,
}

/// How a column tells another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// In its order the other comes in runs, repeats itself or is sorted.
    ByOrder,
    /// Each of its values goes with one of the other, but for a few records.
    ByContradiction,
}

/// At most this many records are looked at.
const MOST: usize = 100_000;
/// Fewer records than this tell nothing that could not be chance.
const FEWEST: u64 = 20;

/// The distance of the records that are looked at, in a file with `records` records.
#[must_use]
pub(crate) fn sample_step(records: usize) -> usize {
    records.div_ceil(MOST).max(1)
}

/// The released columns that give swaps away; `samples` are those that take no part, at this
/// distance. What the original has of it already is no sign of a swap.
#[must_use]
pub(crate) fn tell_tales(
    original: &Loaded,
    released: &Loaded,
    samples: &[(String, Column)],
    step: usize,
    is_exchanged: impl Fn(&str) -> bool,
) -> Vec<TellTale> {
    let all: Vec<(&str, &Column)> =
        released.columns().map(|(name, _, column)| (name, column)).collect();
    let all = all.into_par_iter().map(|(name, column)| (name, column, sampled(column, step)));
    let all: Vec<(&str, &Column, Vec<u32>)> = all.collect();
    let (exchanged, staying): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|(name, ..)| is_exchanged(name));
    // A derived variable is not released; what follows from exchanged columns can be known all the
    // same, by a column that stays.
    let is_released = |name: &str| released.own_names().iter().any(|own| own == name);
    let staying = staying.into_iter().filter(|(name, ..)| is_released(name));
    let ignored = samples.iter().map(|(name, sample)| (name.as_str(), sample, sampled(sample, 1)));
    let mut found = Vec::new();
    for (name, column, codes) in staying.chain(ignored) {
        let by_order = looks_like_id(column);
        let order = if by_order { sorted(column, &codes) } else { Vec::new() };
        for (told, other, values) in &exchanged {
            let how = if by_order {
                let values: Vec<u32> = order.iter().map(|&place| values[place]).collect();
                Pattern::in_order(&ranks(other, &values)).map(|_| How::ByOrder)
            } else {
                let before = contradictions_before(original, name, told);
                contradictions(&codes, values)
                    .filter(|&now| now > before.unwrap_or(0))
                    .map(|_| How::ByContradiction)
            };
            if let Some(how) = how {
                found.push(TellTale { column: name.to_owned(), told: (*told).to_owned(), how });
            }
        }
    }
    found
}

/// May a column be exchanged? A weight that stays is known by the original only.
pub(crate) fn is_exchanged(original: &Loaded, wanted: &str) -> bool {
    original.columns().any(|(name, role, _)| name == wanted && role == Role::Variable)
}

/// The codes of every `step`-th record.
fn sampled(column: &Column, step: usize) -> Vec<u32> {
    (0..column.len()).step_by(step).map(|record| column.code(record)).collect()
}

/// The places of these values, in the order of the values.
fn sorted(column: &Column, codes: &[u32]) -> Vec<usize> {
    let ranks = ranks(column, codes);
    let mut order: Vec<usize> = (0..codes.len()).collect();
    order.sort_by_key(|&place| ranks[place]);
    order
}

/// How many records contradict the other column in the original, where both were read.
fn contradictions_before(original: &Loaded, name: &str, told: &str) -> Option<u64> {
    let column = |wanted: &str| original.columns().find(|(name, ..)| *name == wanted);
    let (one, other) = (column(name)?.2, column(told)?.2);
    let step = sample_step(original.records_read());
    contradictions(&sampled(one, step), &sampled(other, step))
}

/// Where one column tells the other for at least three of four records: how many
/// records have another one. Values that fewer than three records have tell nothing.
fn contradictions(one: &[u32], other: &[u32]) -> Option<u64> {
    let mut pairs: Vec<(u32, u32)> = one.iter().copied().zip(other.iter().copied()).collect();
    pairs.sort_unstable();
    let (mut looked_at, mut usual) = (0u64, 0u64);
    let mut by_value = vec![0u64; other.iter().max().map_or(0, |most| *most as usize + 1)];
    for group in pairs.chunk_by(|left, right| left.0 == right.0).filter(|group| group.len() >= 3) {
        looked_at += group.len() as u64;
        let same = group.chunk_by(|left, right| left == right);
        usual += same.map(|same| same.len() as u64).max().unwrap_or(0);
        group.iter().for_each(|(_, value)| by_value[*value as usize] += 1);
    }
    // What the most frequent value alone explains is no tale of the column.
    let plain = by_value.iter().max().copied().unwrap_or(0);
    let is_told = looked_at >= FEWEST && (usual - plain) * 4 >= (looked_at - plain) * 3;
    (is_told && looked_at > plain).then_some(looked_at - usual)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_that_tells_another_shows_what_contradicts_it() {
        let municipality: Vec<u32> = (0..200).map(|record| record % 20).collect();
        let mut region: Vec<u32> = municipality.iter().map(|place| place / 5).collect();
        assert_eq!(contradictions(&municipality, &region), Some(0));
        (region[3], region[7]) = (region[7], region[3]);
        assert_eq!(contradictions(&municipality, &region), Some(2));
        // The region does not tell the municipality, and nothing tells what everybody has.
        assert_eq!(contradictions(&region, &municipality), None);
        assert_eq!(contradictions(&municipality, &[1; 200]), None);
        // Nobody shares a number.
        let number: Vec<u32> = (0..200).collect();
        assert_eq!(contradictions(&number, &region), None);
    }
}

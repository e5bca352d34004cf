//! Does the order of the records tell what a column should hold?
//!
//! In a file sorted by region an exchanged region differs from the lines before and after it. The
//! same holds where the values come again after a fixed number of records, as interviewers are
//! assigned in turn, and where they rise or fall without ever repeating.
//!
//! Trap: chance alone makes neighbours agree; in a column with one frequent value they nearly
//! always do. Only what goes beyond it counts.
//!
//! Way in: [`Pattern::of`].

use std::fmt;

use marginswap_core::columns::Column;

/// In which way the order tells a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pattern {
    /// Neighbours agree.
    Runs,
    /// Records at this distance agree.
    Period(usize),
    /// Values mostly rise, or mostly fall.
    Sorted,
}

/// Shorter files show no pattern that could be distinguished from chance.
const FEWEST: usize = 20;
/// The longest period that is looked for.
const LONGEST: usize = 32;

impl Pattern {
    /// The pattern of a column, if it has one.
    #[must_use]
    pub(crate) fn of(column: &Column) -> Option<Self> {
        let mut codes = Vec::with_capacity(column.len());
        column.for_each_code(|_, code| codes.push(code));
        Self::in_order(&ranks(column, &codes))
    }

    /// The pattern of values in some order, given by their ranks.
    #[must_use]
    pub(crate) fn in_order(ranks: &[usize]) -> Option<Self> {
        if ranks.len() < FEWEST {
            return None;
        }
        let chance = Chance::of(ranks);
        if chance.is_beaten(ranks, 1) && chance.is_unlikely(ranks) {
            return Some(Self::Runs);
        }
        let longest = LONGEST.min(ranks.len() / 2);
        let period = (2..=longest)
            .find(|&lag| chance.is_beaten(ranks, lag) && chance.is_far_behind(ranks, lag));
        period.map(Self::Period).or_else(|| is_sorted(ranks).then_some(Self::Sorted))
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Runs => out.write_str("comes in runs"),
            Self::Period(records) => write!(out, "repeats every {records} records"),
            Self::Sorted => out.write_str("is sorted"),
        }
    }
}

/// The ranks of some values of a column: as numbers where all of them are numbers, else as text.
pub(crate) fn ranks(column: &Column, codes: &[u32]) -> Vec<usize> {
    let mut order: Vec<u32> = codes.to_vec();
    order.sort_unstable();
    order.dedup();
    let dictionary = column.dictionary();
    let text = |code: &u32| dictionary.category(*code).unwrap_or(b"");
    let number = |code: &u32| std::str::from_utf8(text(code)).ok()?.trim().parse::<f64>().ok();
    let numbers: Option<Vec<(f64, u32)>> =
        order.iter().map(|code| Some((number(code)?, *code))).collect();
    match numbers {
        Some(mut numbers) => {
            numbers.sort_by(|one, two| one.0.total_cmp(&two.0));
            order = numbers.into_iter().map(|(_, code)| code).collect();
        }
        None => order.sort_by(|one, two| text(one).cmp(text(two))),
    }
    let mut rank = vec![0; dictionary.levels()];
    for (place, &code) in order.iter().enumerate() {
        rank[code as usize] = place;
    }
    codes.iter().map(|&code| rank[code as usize]).collect()
}

/// How often two records agree by chance: of all pairs, `agreeing` of `whole`.
struct Chance {
    agreeing: u128,
    whole: u128,
}

impl Chance {
    fn of(ranks: &[usize]) -> Self {
        let mut counts = vec![0u128; ranks.iter().max().map_or(0, |most| most + 1)];
        ranks.iter().for_each(|&rank| counts[rank] += 1);
        let whole = (ranks.len() as u128).pow(2);
        Self { agreeing: counts.iter().map(|count| count * count).sum(), whole }
    }

    /// Do records at a distance agree more often than chance and a tenth of the rest explain?
    fn is_beaten(&self, ranks: &[usize], lag: usize) -> bool {
        let pairs = (ranks.len() - lag) as u128;
        let explained = self.agreeing + (self.whole - self.agreeing) / 10;
        agreeing(ranks, lag) * self.whole > explained * pairs
    }

    /// Do neighbours agree so often once in some thousand random orders? In a short file a tenth
    /// of the rest is no more than chance.
    fn is_unlikely(&self, ranks: &[usize]) -> bool {
        let pairs = (ranks.len() - 1) as u128;
        let expected = self.agreeing * pairs / self.whole;
        let beyond = agreeing(ranks, 1).saturating_sub(expected);
        beyond.pow(2) * self.whole > 12 * expected * (self.whole - self.agreeing)
    }

    /// Is that more than four deviations from chance? Many distances are tried.
    fn is_far_behind(&self, ranks: &[usize], lag: usize) -> bool {
        let expected = self.agreeing * (ranks.len() - lag) as u128 / self.whole;
        agreeing(ranks, lag).saturating_sub(expected).pow(2) > 16 * expected
    }
}

fn agreeing(ranks: &[usize], lag: usize) -> u128 {
    ranks.iter().zip(&ranks[lag..]).filter(|(one, two)| one == two).count() as u128
}

/// Do at least three of four steps between differing neighbours go the same way?
fn is_sorted(ranks: &[usize]) -> bool {
    let steps = |rising: bool| {
        ranks.windows(2).filter(|two| two[0] != two[1] && (two[0] < two[1]) == rising).count()
    };
    let (rising, falling) = (steps(true), steps(false));
    rising + falling >= FEWEST - 1 && rising.max(falling) >= 3 * rising.min(falling)
}

#[cfg(test)]
mod tests {
    use marginswap_core::columns::ColumnBuilder;

    use super::*;

    fn pattern(values: impl IntoIterator<Item = u64>) -> Option<Pattern> {
        let mut column = ColumnBuilder::default();
        values.into_iter().for_each(|value| column.push(value.to_string().as_bytes()));
        Pattern::of(&column.finish())
    }

    /// Numbers without order.
    fn drawn(records: usize, below: u64) -> Vec<u64> {
        let mut state = 7u64;
        let next = |_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % below
        };
        (0..records).map(next).collect()
    }

    #[test]
    fn every_pattern_is_found() {
        assert_eq!(pattern((0..400).map(|place| place / 100)), Some(Pattern::Runs));
        assert_eq!(pattern((0..400).map(|place| place % 8)), Some(Pattern::Period(8)));
        // 9 comes before 10 as a number, not as a text.
        assert_eq!(pattern(0..400), Some(Pattern::Sorted));
        assert_eq!(pattern((0..400).rev()), Some(Pattern::Sorted));
    }

    #[test]
    fn chance_is_no_pattern() {
        for records in [19, 40, 400, 4_000] {
            for below in [5, 60, 1_000_000] {
                assert_eq!(pattern(drawn(records, below)), None, "{records} below {below}");
            }
        }
        assert_eq!(pattern(vec![1; 400]), None);
        // Two thousand short files: once in some thousand is chance.
        let all = drawn(400_000, 3);
        let found = all.chunks(200).filter(|few| pattern(few.iter().copied()).is_some()).count();
        assert!(found <= 4, "{found} of 2000");
    }
}

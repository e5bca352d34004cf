//! Which counts of a release chance does not explain.
//!
//! For each person it is known whether something holds and whether it would hold by chance. Those of
//! whom only one of the two is true decide: where neither side is favoured, b people of whom it holds
//! and c of whom it would hold by chance alone differ by no more than 3·√(b + c), but for a few cases
//! in a thousand. Totals would let people pay for each other, so every level of every sensitive
//! variable is held against chance as well.
//!
//! Both sides count. People who are found more often than by chance were not hidden. Where unique
//! look-ups are less often right than by chance, anyone who takes the opposite is right: of each
//! sensitive variable the share of right look-ups is held against that by chance. Their number is
//! not: the strangers whom rare people are taken for are rare as well, so that swaps move them
//! too, and a control group is found less often just the same.

use std::cmp::Ordering;

use super::{Alone, Beside, Found, FoundByAny, SharesBeside, WHOLE};

/// How many standard errors chance explains.
const ERRORS: u128 = 3;

/// A release changes the share of right look-ups of strangers as well, by a few in a hundred; one that
/// is lower by more than one in this many is a sign.
const INVERTED: u128 = 10;

/// What was counted, rounded to whole people, and what would be by chance.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Against {
    /// By how many people the two differ.
    pub by: u64,
    /// People of whom it holds.
    pub people: u64,
    /// People of whom it would hold by chance.
    pub by_chance: u64,
}

/// The counts of some scenarios that chance does not explain.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BeyondChance {
    /// How many counts were held against chance.
    pub counts: u64,
    /// How many are too high, and the one that differs most.
    pub above: (u64, Against),
    /// Of how many sensitive variables look-ups are too seldom right, and the one that differs most.
    pub below: (u64, Against),
    /// People who are found and were not before, where they are more than chance explains.
    pub newly_found: Against,
}

impl Beside {
    /// Is it held of more people, or of fewer, than chance explains?
    #[must_use]
    pub fn against_chance(&self) -> Ordering {
        let (so, chance) = (u128::from(self.only_so), u128::from(self.only_by_chance));
        match so.abs_diff(chance).pow(2) > ERRORS.pow(2) * (so + chance) {
            true => so.cmp(&chance),
            false => Ordering::Equal,
        }
    }

    fn against(&self) -> Against {
        let Self { people, by_chance, .. } = *self;
        Against { by: people.abs_diff(by_chance), people, by_chance }
    }
}

impl Alone {
    /// Are unique look-ups less often right than by chance, by more than three standard errors and more
    /// than one in [`INVERTED`]?
    fn is_inverted(&self) -> bool {
        let ([all, right], [chances, by_chance]) =
            (self.claims.map(u128::from), self.claims_by_chance.map(u128::from));
        let lower = (by_chance * all).saturating_sub(right * chances);
        // The variance of a share of n is at most 1 / 4n.
        let errors = ERRORS.pow(2) * (all + chances) * all * chances;
        lower * INVERTED > all * chances && 4 * lower.pow(2) > errors
    }
}

impl SharesBeside {
    /// The same in whole people.
    fn rounded(&self) -> Beside {
        let whole = |shares: u128| {
            let people = (shares + u128::from(WHOLE) / 2) / u128::from(WHOLE);
            u64::try_from(people).expect("there are fewer than 2^64 people")
        };
        Beside {
            people: whole(self.so),
            by_chance: whole(self.by_chance),
            only_so: whole(self.only_so),
            only_by_chance: whole(self.only_by_chance),
        }
    }
}

impl BeyondChance {
    /// What is beyond chance in some scenarios, each by itself, and in all of them together.
    ///
    /// Law: `beyond-chance-is-three-errors`.
    #[must_use]
    pub fn of(scenarios: &[Option<Found>], together: Option<&FoundByAny>) -> Self {
        let mut beyond = Self::default();
        for found in scenarios.iter().flatten() {
            let linked = found.linked.as_ref().map(SharesBeside::rounded);
            let all = [found.found].into_iter().chain(found.true_at_least.iter().copied());
            let all = all.chain(linked).chain(found.roughly);
            all.for_each(|one| beyond.add(&one));
            for alone in &found.alone {
                alone.levels.iter().for_each(|level| beyond.add(&level.told));
                beyond.add_look_ups(alone);
            }
        }
        let newly = together.map(|all| all.newly_found).unwrap_or_default();
        if newly.against_chance() == Ordering::Greater {
            beyond.newly_found = newly.against();
        }
        beyond
    }

    fn add(&mut self, counted: &Beside) {
        self.counts += 1;
        if counted.against_chance() == Ordering::Greater {
            self.above.0 += 1;
            self.above.1 = self.above.1.max(counted.against());
        }
    }

    fn add_look_ups(&mut self, alone: &Alone) {
        self.counts += 1;
        if alone.is_inverted() {
            let [of, people] = alone.claims;
            let [all, right] = alone.claims_by_chance.map(u128::from);
            // As many as would be right of these by chance.
            let by_chance = u64::try_from(u128::from(of) * right / all.max(1)).unwrap_or(u64::MAX);
            let against = Against { by: by_chance.saturating_sub(people), people, by_chance };
            self.below.0 += 1;
            self.below.1 = self.below.1.max(against);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alone(claims: [u64; 2], claims_by_chance: [u64; 2]) -> Alone {
        Alone { claims, claims_by_chance, ..Alone::default() }
    }

    /// With two levels, half of all look-ups are right by chance.
    #[test]
    fn look_ups_that_are_nearly_always_wrong_tell() {
        assert!(alone([1000, 12], [1000, 500]).is_inverted());
        // A few look-ups, or a few in a hundred, are chance.
        assert!(!alone([8, 0], [1000, 500]).is_inverted());
        assert!(!alone([100_000, 40_000], [100_000, 50_000]).is_inverted());
        assert!(alone([100_000, 39_999], [100_000, 50_000]).is_inverted());
        assert!(!alone([0, 0], [0, 0]).is_inverted());
        assert!(!alone([1000, 900], [1000, 500]).is_inverted(), "too often right is another count");
    }
}

//! Which counts of a release chance does not explain.
//!
//! For each person it is known whether something holds and whether it would hold by chance. Those of
//! whom only one of the two is true decide: where neither side is favoured, b people of whom it holds
//! and c of whom it would hold by chance alone differ by no more than 3·√(b + c), but for a few cases
//! in a thousand. Totals would let people pay for each other, so every level of every sensitive
//! variable is held against chance as well.
//!
//! Both sides count: people who are found more often than by chance were not hidden; people who are
//! found far less often tell by whom they are not.

use std::cmp::Ordering;

use super::{Beside, Found, FoundByAny, SharesBeside, WHOLE};

/// How many standard errors chance explains.
const ERRORS: u128 = 3;

/// A release changes what strangers are found by, and so chance itself, by a few people in a hundred;
/// only where more than one of this many is missing is it the people at risk who are avoided.
const MISSING: u64 = 10;

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
    /// How many are too low, and the one that differs most.
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
            all.for_each(|one| beyond.add(&one, found.at_risk));
            let levels = found.alone.iter().flat_map(|one| &one.levels);
            levels.for_each(|level| beyond.add(&level.told, level.at_risk));
        }
        let newly = together.map(|all| all.newly_found).unwrap_or_default();
        if newly.against_chance() == Ordering::Greater {
            beyond.newly_found = newly.against();
        }
        beyond
    }

    fn add(&mut self, counted: &Beside, at_risk: u64) {
        self.counts += 1;
        let against = counted.against();
        let (number, worst) = match counted.against_chance() {
            Ordering::Greater => &mut self.above,
            Ordering::Less if against.by * MISSING > at_risk => &mut self.below,
            _ => return,
        };
        *number += 1;
        *worst = (*worst).max(against);
    }
}

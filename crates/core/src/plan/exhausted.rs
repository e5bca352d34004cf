//! Who looked at every possible partner, or at very many, in exhausted.
//!
//! Swaps that are made take partners away and bring none. So a cell that found none looks again
//! only at records that were set free since: the pool keeps a list of these, and here is noted for
//! each cell how much of it is known. Where combinations of keys are opened to others, everything
//! is forgotten.

use super::Goal;
use super::bystanders::Bystanders;
use crate::hash::{Map, STATE};
use crate::varset::VarSet;

/// The looks in vain, by cell.
#[derive(Clone)]
pub(super) struct Exhausted(Map<u32, Vec<Look>>);

/// What was looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) goal: Goal,
    pub(super) bystanders: Bystanders,
    /// Where partners have to agree.
    pub(super) agree: VarSet,
}

impl Wanted {
    /// Is all that another look takes also taken by this one?
    fn covers(&self, other: &Self) -> bool {
        self.goal == other.goal
            && (self.bystanders == Bystanders::Avoided || self.bystanders == other.bystanders)
            && self.agree.is_subset(&other.agree)
    }
}

/// One of them.
#[derive(Clone, Copy)]
struct Look {
    wanted: Wanted,
    /// How many records had been set free until then.
    freed: usize,
}

impl Exhausted {
    pub(super) fn new() -> Self {
        Self(Map::with_hasher(STATE))
    }

    /// How many records had been set free when the cell last looked in vain for such partners.
    pub(super) fn since(&self, cell: u32, wanted: Wanted) -> Option<usize> {
        let looks = self.0.get(&cell)?.iter();
        looks.filter(|look| look.wanted.covers(&wanted)).map(|look| look.freed).max()
    }

    /// The cell found no partner.
    pub(super) fn note(&mut self, cell: u32, wanted: Wanted, freed: usize) {
        let looks = self.0.entry(cell).or_default();
        match looks.iter_mut().find(|look| look.wanted == wanted) {
            Some(look) => look.freed = freed,
            None => looks.push(Look { wanted, freed }),
        }
    }

    /// What was not allowed may be from now on.
    pub(super) fn forget(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wider_look_covers_a_narrower_one() {
        let wanted = |goal, bystanders, agree| Wanted { goal, bystanders, agree };
        let [none, one, two] = [VarSet::EMPTY, VarSet::single(1), VarSet::from([1, 2])]
            .map(|agree| wanted(Goal::Part, Bystanders::Avoided, agree));
        let mut exhausted = Exhausted::new();
        exhausted.note(7, one, 3);
        let since =
            |exhausted: &Exhausted| [none, one, two].map(|wanted| exhausted.since(7, wanted));
        assert_eq!(since(&exhausted), [None, Some(3), Some(3)]);
        exhausted.note(7, none, 5);
        exhausted.note(7, two, 9);
        exhausted.note(7, one, 4);
        assert_eq!(since(&exhausted), [Some(5), Some(5), Some(9)]);
        let spared = wanted(Goal::Part, Bystanders::Spared, two.agree);
        let detach = wanted(Goal::Detach, Bystanders::Avoided, two.agree);
        assert_eq!([spared, detach].map(|wanted| exhausted.since(7, wanted)), [Some(9), None]);
        assert_eq!(exhausted.since(8, two), None);
        exhausted.note(8, spared, 1);
        assert_eq!([spared, two].map(|wanted| exhausted.since(8, wanted)), [Some(1), None]);
        exhausted.forget();
        assert_eq!(since(&exhausted), [None; 3]);
    }
}

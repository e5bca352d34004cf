//! What an exchange would do for everybody at risk who takes part, and to everybody else: worked
//! out from the counts, before it is made.

use super::pieces::{Pieces, Turn};
use super::{Hiding, Person, Watch};
use crate::encode::Layout;
use crate::partner::swap::exchange;
use crate::plan::{CellSwap, NeverNew, Taken, Task};
use crate::table::CellId;
use crate::varset::VarSet;

/// What an exchange must do for everybody at risk who takes part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Demand {
    /// Every piece that is left of them is crowded.
    Hidden,
    /// No record has all their keys, and a piece that is not crowded carries other sensitive values.
    Replaced,
    /// A piece that is not crowded carries other sensitive values, be it all their keys.
    Detached,
}

impl Demand {
    pub(super) const EVERY: [Self; 3] = [Self::Hidden, Self::Replaced, Self::Detached];
}

/// May an exchange put two values together that nobody had?
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum NewPairs {
    /// Not where the constraints forbid it.
    Forbidden,
    /// Also where both are so rare that nobody need be expected to have them.
    OfRareValues,
}

/// How well an exchange serves, the best first: better two rare values together than all keys of
/// somebody in one record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Grade {
    keeps_keys: bool,
    pub(super) new_pairs: NewPairs,
    pub(super) demand: Demand,
}

impl Grade {
    pub(super) const BEST: Self = Self::of(Demand::Hidden, NewPairs::Forbidden);

    pub(super) const fn of(demand: Demand, new_pairs: NewPairs) -> Self {
        Self { keeps_keys: matches!(demand, Demand::Detached), new_pairs, demand }
    }

    /// The last that is good enough: pairs that are named are never made.
    pub(super) fn last(task: Task<'_>) -> Self {
        let new_pairs = match task.constraints.never_new {
            NeverNew::Among(_) => NewPairs::OfRareValues,
            _ => NewPairs::Forbidden,
        };
        Self::of(Demand::Detached, new_pairs)
    }
}

/// A swap that is made, or may be.
pub(super) struct Trial {
    /// Its number among those that are made.
    number: usize,
    pub(super) swap: CellSwap,
    pub(super) differing: VarSet,
    pub(super) new: [Vec<u64>; 2],
    /// Who goes and who comes for each intruder whose pieces are counted.
    pub(super) turns: Vec<Option<Turn>>,
}

impl Trial {
    fn members(&self) -> [Taken; 2] {
        [self.swap.left, self.swap.right]
    }
}

impl Hiding<'_, '_> {
    /// A swap, to be judged, which would get this number.
    pub(super) fn trial(&self, swap: CellSwap, number: usize) -> Trial {
        let cells = self.task().joint.cells();
        let ids = [swap.left, swap.right].map(|taken| taken.cell);
        let old = ids.map(|cell| cells.get(cell.position()));
        let (left, right) = exchange(cells.layout(), old[0], old[1], swap.exchanged);
        let next = u32::try_from(cells.len() + 2 * number).expect("fewer than 2^32 records");
        let turn = |watch: &Watch<'_>| {
            let names = &watch.pieces.as_ref()?.names;
            let old = [(old[0], ids[0].0), (old[1], ids[1].0)];
            let new = [(left.as_slice(), next), (right.as_slice(), next + 1)];
            Some(Turn {
                gone: names.people(cells.layout(), old),
                come: names.people(cells.layout(), new),
            })
        };
        let turns = self.watches.iter().map(turn).collect();
        let differing = self.planner.differing(ids[0].position(), ids[1].position());
        Trial { number, swap, differing, new: [left, right], turns }
    }

    /// The next free records of two cells, and what they exchange.
    pub(super) fn next_swap(&self, left: usize, right: usize, exchanged: VarSet) -> CellSwap {
        let pool = &self.planner.pool;
        let next = |cell: usize| Taken { cell: CellId::at(cell), at_risk: pool.open(cell) > 0 };
        CellSwap { left: next(left), right: next(right), exchanged }
    }

    /// The least demand that a swap meets for everybody at risk who takes part, if everybody who
    /// is hidden remains so and nobody else becomes findable.
    pub(super) fn meets(&self, trial: &Trial) -> Option<Demand> {
        let Trial { swap, differing, .. } = trial;
        let [left, right] = trial.members().map(|taken| taken.cell.position());
        let drift = self.planner.drift.as_ref();
        if drift.is_some_and(|drift| drift.of(left, right, *differing, swap.exchanged).is_none())
            || self.brings_keys_back(trial)
        {
            return None;
        }
        let demand = Demand::EVERY.into_iter().find(|&demand| self.is_served(trial, demand))?;
        self.is_harmless(&trial.turns, trial).then_some(demand)
    }

    /// Does everybody who is hidden remain so, and is no record left alone with a piece of the keys
    /// and all sensitive values of somebody who is not at risk?
    pub(super) fn is_harmless(&self, turns: &[Option<Turn>], trial: &Trial) -> bool {
        self.watches.iter().zip(turns).all(|(watch, turn)| {
            let (Some(pieces), Some(turn)) = (&watch.pieces, turn) else { return true };
            pieces.is_harmless(turn, |names, who| {
                let others = watch.others.as_ref();
                others.is_none_or(|others| !others.have(names, self.words_of(who, trial)))
            })
        })
    }

    /// Would a new record have all keys of somebody at risk who has no part in it?
    fn brings_keys_back(&self, trial: &Trial) -> bool {
        self.planner.combinations.iter().any(|combinations| {
            trial.new.iter().any(|words| {
                let found = combinations.find(words);
                let own = trial.members().map(|taken| combinations.of(taken.cell.position()));
                !own.iter().any(|&own| found == Some(own)) && combinations.is_protected(words)
            })
        })
    }

    /// Would everybody at risk who takes part be served?
    fn is_served(&self, trial: &Trial, demand: Demand) -> bool {
        let cells = self.task().joint.cells();
        let at_risk = trial.members().into_iter().filter(|taken| taken.at_risk);
        at_risk.map(|taken| taken.cell.position()).all(|cell| {
            let own = cells.get(cell);
            self.people_at_risk(cell).into_iter().all(|person| {
                let watch = &self.watches[person.watch];
                let aim = watch.intruder.aim();
                let is_parted = || aim.is_parted(trial.differing, trial.swap.exchanged);
                let counted = watch.pieces.as_ref().zip(trial.turns[person.watch].as_ref());
                let crowded = |part, name| {
                    counted.is_some_and(|(pieces, turn)| pieces.will_be_crowded(part, name, turn))
                };
                let Trial { new, differing, .. } = trial;
                // Of whom nothing is learned but that they are there, no record may have all keys.
                (is_parted() || (demand != Demand::Replaced && watch.learns()))
                    && watch.is_hidden(
                        cells.layout(),
                        own,
                        new,
                        person,
                        *differing,
                        demand,
                        crowded,
                    )
            })
        })
    }

    /// The words of a record by its number, which may be one of the trial.
    fn words_of<'t>(&'t self, record: u32, trial: &'t Trial) -> &'t [u64] {
        let cells = self.task().joint.cells();
        match (record as usize).checked_sub(cells.len()) {
            None => cells.get(record as usize),
            Some(place) if place / 2 == trial.number => &trial.new[place % 2],
            Some(place) => &self.made[place / 2].new[place % 2],
        }
    }
}

impl Watch<'_> {
    /// Is there anything to learn?
    pub(super) fn learns(&self) -> bool {
        !self.intruder.sensitive.is_empty()
    }

    /// Is a person hidden whose values were in a record with these words, and are now in others,
    /// where `crowded` says which pieces of their keys are?
    #[allow(
        clippy::too_many_arguments,
        reason = "a person, what became of them, and what is asked"
    )]
    pub(super) fn is_hidden(
        &self,
        layout: &Layout,
        own: &[u64],
        new: &[Vec<u64>],
        person: Person,
        differing: VarSet,
        demand: Demand,
        crowded: impl Fn(u32, u128) -> bool,
    ) -> bool {
        let sensitive = self.intruder.sensitive;
        if !self.learns() {
            return new.iter().all(|new| layout.differing(own, new).meets(&self.intruder.keys));
        }
        new.iter().all(|words| {
            // What cannot be counted is not crowded.
            let mut all_crowded = self.pieces.is_some();
            if let Some(Pieces { names, .. }) = &self.pieces {
                names.each(layout, words, |name| {
                    let (part, name) = names.held(name, person.name);
                    all_crowded = all_crowded && crowded(part, name);
                });
            }
            let is_false = || {
                let same = sensitive - layout.differing(own, words);
                !same.meets(&differing) && (sensitive - same).len() >= self.intruder.aim().needed
            };
            all_crowded || (demand != Demand::Hidden && is_false())
        })
    }
}

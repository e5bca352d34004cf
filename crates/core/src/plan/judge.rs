//! What an exchange between two cells is worth, and whether it is allowed at all.
//!
//! Not allowed is what leaves somebody at risk who takes part unprotected, brings a protected
//! combination of keys back, makes a record break a rule that it did not break before, or
//! puts two values together that must not be seen together for the first time.

use std::hash::BuildHasher;

use super::bystanders::Bystanders;
use super::{CellSwap, Goal, Offer, Planner};
use crate::encode::Layout;
use crate::hash::STATE;
use crate::partner::pair::exchangeable_parts;
use crate::partner::swap::exchange_into;
use crate::varset::VarSet;

/// A swap between two cells that is allowed; less is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Judgement {
    /// Is somebody only detached, not parted?
    pub(super) detaches: bool,
    pub(super) cost: u64,
    /// How many records that were not at risk it leaves alone with their keys: the one thing
    /// a swap can do to somebody who has no part in it.
    pub(super) exposed: u8,
    /// How far it moves weighted cells, where that is bounded.
    pub(super) drift: u128,
    /// How many combinations of two values it makes that nobody had.
    pub(super) never_seen: u8,
    /// How many records it gives a combination of keys that nobody has. A record that is put
    /// together from two is unique and nobody's.
    pub(super) new_uniques: u8,
    /// Is only one of the two at risk?
    pub(super) covers_one: bool,
    /// Decides between equals.
    chance: u32,
    pub(super) exchanged: VarSet,
}

impl Judgement {
    /// How much harm it does beside its cost, as one small number.
    pub(super) fn harm(&self) -> u64 {
        let [exposed, never_seen, new] =
            [self.exposed, self.never_seen.min(7), self.new_uniques.min(7)].map(u64::from);
        exposed.min(7) * 64 + never_seen * 8 + new
    }
}

/// More than any [`Judgement::harm`].
pub(super) const MOST_HARM: u64 = 512;

/// The two new cells of an exchange.
pub(super) struct Exchanged {
    few: [u64; 16],
    many: Vec<u64>,
    words: usize,
}

impl Exchanged {
    pub(super) fn new(layout: &Layout, left: &[u64], right: &[u64], exchanged: VarSet) -> Self {
        let words = layout.words();
        // Few cells need more than eight words; those that do get room of their own.
        let mut new = Self { few: [0; 16], many: Vec::new(), words };
        if 2 * words > new.few.len() {
            new.many.resize(2 * words, 0);
            exchange_into(layout, left, right, exchanged, &mut new.many);
        } else {
            exchange_into(layout, left, right, exchanged, &mut new.few[..2 * words]);
        }
        new
    }

    pub(super) fn cells(&self) -> [&[u64]; 2] {
        let all = if self.many.is_empty() { &self.few[..2 * self.words] } else { &self.many };
        let (left, right) = all.split_at(self.words);
        [left, right]
    }
}

impl Planner<'_> {
    /// The best exchange between two cells among the cheapest for their difference, if one
    /// is allowed.
    pub(super) fn judge(
        &self,
        left: usize,
        right: usize,
        differing: VarSet,
        offer: &Offer,
    ) -> Option<Judgement> {
        let judged = |exchanged| self.judge_exchange(left, right, differing, exchanged);
        let best = offer.exchanges.iter().filter_map(|&exchanged| judged(exchanged)).min();
        if self.drift.is_none() {
            return best;
        }
        // With a weight that stays, E and what else could be exchanged are two different swaps.
        let others = offer.exchanges.iter().map(|&exchanged| self.other_side(differing, exchanged));
        best.into_iter().chain(others.filter(|set| !set.is_empty()).filter_map(judged)).min()
    }

    /// What differs and may be exchanged beside E: all parts that hold nothing of E and nothing
    /// that stays. A part that a staying variable ties to others stays as a whole.
    fn other_side(&self, differing: VarSet, exchanged: VarSet) -> VarSet {
        let fixed = exchanged | self.task.prices.staying;
        exchangeable_parts(self.offers.graph(), differing)
            .into_iter()
            .filter(|part| !part.meets(&fixed))
            .fold(VarSet::EMPTY, |all, part| all | part)
    }

    /// What one exchange between two cells is worth; `None` when it is not allowed.
    pub(super) fn judge_exchange(
        &self,
        left: usize,
        right: usize,
        differing: VarSet,
        exchanged: VarSet,
    ) -> Option<Judgement> {
        if self.given_up[left] || self.given_up[right] {
            return None;
        }
        let cells = self.task.joint.cells();
        let (layout, old) = (cells.layout(), [cells.get(left), cells.get(right)]);
        let new = Exchanged::new(layout, old[0], old[1], exchanged);
        let new = new.cells();
        let mut detaches = false;
        let (mut exposed, mut new_uniques) = (0u8, 0u8);
        for (aim, combinations) in self.offers.aims().iter().zip(&self.combinations) {
            if aim.is_parted(differing, exchanged) {
                if new.iter().any(|cell| combinations.is_protected(cell))
                    || [left, right].iter().any(|&cell| combinations.is_joined(cell))
                {
                    return None;
                }
                let count = |holds: [bool; 2]| holds.map(u8::from).iter().sum::<u8>();
                exposed +=
                    count([0, 1].map(|side| combinations.exposes([left, right][side], old[side])));
                exposed += count(new.map(|cell| combinations.exposes_by_coming(cell)));
                new_uniques += count(new.map(|cell| combinations.is_new(cell)));
            } else if [left, right].iter().any(|&cell| combinations.is_at_risk(cell)) {
                // The two combinations of keys only change places, or are the same.
                let may_detach = self.offers.goal() == Goal::Detach;
                if !may_detach || !aim.is_detached(differing, exchanged) {
                    return None;
                }
                detaches = true;
            }
        }
        let rules = &self.task.constraints.forbidden;
        if rules.iter().any(|rule| rule.newly_broken(layout, old, new)) {
            return None;
        }
        if self.bystanders == Bystanders::Spared && exposed > 0 {
            return None;
        }
        let mut cost = self.task.prices.cost(differing, exchanged);
        let mut drift = 0;
        if let Some(bounded) = &self.drift {
            drift = bounded.of(left, right, differing, exchanged)?;
            // Both sides cost the same, so that the drift decides between them.
            let other = self.other_side(differing, exchanged);
            if !other.is_empty() {
                cost = self.task.prices.cost(exchanged | other, exchanged);
            }
        }
        let never_seen = self.never_seen(new, differing, exchanged)?;
        Some(Judgement {
            detaches,
            cost,
            drift,
            exposed,
            never_seen,
            new_uniques,
            covers_one: !(self.pool.is_open(left) && self.pool.is_open(right)),
            chance: self.chance(left, right, exchanged),
            exchanged,
        })
    }

    /// How many combinations of two values the new cells have that nobody had; `None` when
    /// one of them is forbidden.
    fn never_seen(&self, new: [&[u64]; 2], differing: VarSet, exchanged: VarSet) -> Option<u8> {
        let (one, other) = (differing & exchanged, differing - exchanged);
        let never_new = &self.task.constraints.never_new;
        let count = |cell| self.seen.never_seen(cell, one, other, |_, _| true);
        let found: usize = new.into_iter().map(count).sum();
        let forbids = |left, right| never_new.forbids(left, right);
        let is_forbidden = |cell| self.seen.never_seen(cell, one, other, forbids) > 0;
        if found > 0 && never_new.forbids_any() && new.into_iter().any(is_forbidden) {
            return None;
        }
        Some(u8::try_from(found).unwrap_or(u8::MAX))
    }

    /// A number that decides between exchanges that are otherwise equal: random by the seed,
    /// and the same whenever the same exchange is judged.
    fn chance(&self, left: usize, right: usize, exchanged: VarSet) -> u32 {
        let pair = (left.min(right), left.max(right), exchanged);
        let hash = STATE.hash_one((self.salt, pair));
        u32::try_from(hash >> 32).expect("half of the bits are left")
    }

    /// Counts the keys that the records of a swap give up and come to have.
    pub(super) fn count_swap(&mut self, swap: &CellSwap, change: Change) {
        let cells = self.task.joint.cells();
        let [left, right] = [swap.left, swap.right].map(|taken| taken.cell.position());
        let differing = cells.differing(left, right);
        let old = [cells.get(left), cells.get(right)];
        let new = Exchanged::new(cells.layout(), old[0], old[1], swap.exchanged);
        let new = new.cells();
        if let Some(drift) = &mut self.drift {
            drift.count([left, right], differing, swap.exchanged, change);
        }
        let aims = self.offers.aims();
        for (aim, combinations) in aims.iter().zip(&mut self.combinations) {
            if !aim.is_parted(differing, swap.exchanged) {
                continue;
            }
            match change {
                Change::Made => {
                    old.iter().for_each(|cell| combinations.leave(cell));
                    new.iter().for_each(|cell| combinations.arrive(cell));
                }
                Change::Undone => {
                    new.iter().for_each(|cell| combinations.go(cell));
                    old.iter().for_each(|cell| combinations.come_home(cell));
                }
            }
        }
    }
}

/// Is a swap made or undone?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    Made,
    Undone,
}

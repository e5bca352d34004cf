//! Puts cheaper swaps in the place of those that serve one person.
//!
//! The first swaps were chosen when nothing had moved. Once everybody is served, it is known which
//! swap could make up for which: each is undone, its person looks again, and the cheaper one is
//! made if it serves as well and nobody else pays.

use super::look::{Depth, Look};
use super::pieces::Turn;
use super::trial::Grade;
use super::{Hiding, Trial};
use crate::plan::CellSwap;
use crate::plan::effort::{LEAST_LOOKS_AT_CHEAPER, LOOKING, PASSES, Search};
use crate::plan::judge::Change;
use crate::varset::VarSet;

impl Hiding<'_, '_> {
    /// Makes cheaper swaps, as often as the work allows.
    pub(super) fn polish(&mut self) {
        let mut numbers: Vec<usize> = (0..self.made.len()).collect();
        if numbers.is_empty() {
            return;
        }
        let looks = self.planner.effort.looks_at_cheaper();
        let passes = (looks / (numbers.len() * LEAST_LOOKS_AT_CHEAPER)).min(PASSES);
        self.planner.effort.spend(Search::Hiding, (passes.min(1) * looks) as u64 * LOOKING);
        for _ in 0..passes {
            self.planner.random.shuffle(&mut numbers);
            numbers.iter().for_each(|&one| self.improve(one, looks / passes / numbers.len()));
        }
    }

    /// Makes a cheaper swap in the place of one, if its person finds one among `looks` partners.
    fn improve(&mut self, number: usize, looks: usize) {
        let CellSwap { left, right, .. } = self.made[number].swap;
        if left.at_risk == right.at_risk {
            return;
        }
        self.rely(number, Change::Undone);
        if self.may_be_undone(&self.made[number]) {
            self.count(number, Change::Undone);
            let own = if left.at_risk { left } else { right };
            if let Some(cheaper) = self.cheaper(number, own.cell.0, looks) {
                self.made[number] = cheaper;
            }
            self.count(number, Change::Made);
        }
        self.rely(number, Change::Made);
    }

    fn may_be_undone(&self, made: &Trial) -> bool {
        let turns = made.turns.iter().map(|turn| turn.as_ref().map(Turn::back));
        self.is_harmless(&turns.collect::<Vec<_>>(), made)
    }

    /// A swap that serves a cell as well as the one with this number, which is undone, and is
    /// cheaper.
    fn cheaper(&mut self, number: usize, own: u32, looks: usize) -> Option<Trial> {
        let made = &self.made[number];
        let CellSwap { left, right, exchanged } = made.swap;
        let [left, right] = [left, right].map(|taken| taken.cell.position());
        let new_pairs = self.new_pairs(left, right, exchanged)?;
        let last = Grade::of(self.meets(made)?, new_pairs);
        let matches = &self.task().constraints.matches;
        let agree = matches.iter().find(|agree| !made.differing.meets(agree));
        let agree = agree.copied().unwrap_or(VarSet::EMPTY);
        let look = Look { agree, last, depth: Depth::Some };
        let price = self.price_of(left, right, exchanged);
        let slices = self.slices(look);
        let salt = self.planner.random.bits();
        let found = self.look(&slices, &[own], looks, look, salt).pop()?.into_iter();
        let best = found.filter(|one| one.price < price).min_by_key(|one| one.price)?;
        let swap = self.next_swap(own as usize, best.partner as usize, best.exchanged);
        Some(self.trial(swap, number))
    }
}

//! How many people can be parted from their keys at once, at most, and the proof.
//!
//! Two kept tables meet in S. Every file with the same two tables is one permutation, in each
//! slice on S, of what lies on one side against what lies on the other. At most u records can
//! have a combination of keys, as the tables tell; so if each record that has keys of somebody
//! at risk costs 1/u and any other nothing, no file with the same tables keeps fewer such
//! combinations than the cheapest assignments of all slices cost together, and a person whose keys
//! are kept is not parted. The duals of an assignment prove its cost.
//!
//! Only slices in which the plan leaves somebody are worked out: in all others everybody is
//! parted, and nothing is left to prove. Large slices count as if everybody there could be
//! parted, and so do people who share their keys with somebody who is not at risk; the bound is
//! then too high, never too low.
//!
//! Where every possible record occurs once, `concentrate` knows better.
//!
//! A person whose keys are kept is not parted: keys that others come to have are those of people
//! who stay, or one of whom cannot leave.
//!
//! `Planner::is_everything_taken` is the simplest case of all: somebody at risk has every
//! combination of keys there can be, so nobody can be parted unless others get company.

use std::collections::BTreeSet;

use rayon::prelude::*;

use super::assignment::assign;
use super::effort::{STEPS_OF_ASSIGNMENT, Search};
use super::{Planner, Protection};
use crate::hash::{Map, STATE};
use crate::table::{CellId, Grouping, MarginTable};
use crate::varset::VarSet;

/// Slices of more records are not worked out.
const MOST_RECORDS: usize = 1_200;
/// What a combination costs that one record at most can have; a multiple of 1 to 10.
const WHOLE: u64 = 2_520;

/// A sample of this many cells shows most values that there are.
const SOME_CELLS: usize = 1 << 10;

impl Planner<'_> {
    /// The most records at risk that any swap parts from their keys at once; `None` where the
    /// kept tables are not two, or several intruders are asked about.
    ///
    /// Law: `no-more-than-can-be-parted`.
    pub(super) fn most_separated(&mut self, protection: &[Protection]) -> Option<u64> {
        let ([intruder], [keys]) = (self.task.intruders, &self.combinations[..]) else {
            return None;
        };
        let at_risk: u64 = self.task.at_risk.iter().map(|&count| u64::from(count)).sum();
        if let Some(cells) = self.fewest_cells() {
            return Some(at_risk - cells);
        }
        let class = self.task.class;
        let uncovered = class.uncovered().iter().map(VarSet::single);
        let tables: Vec<VarSet> = class.margins().iter().copied().chain(uncovered).collect();
        let &[left, right] = &tables[..] else { return None };
        let cells = self.task.joint.cells();
        let grouping = Grouping::of(cells, left & right);
        let mut slices: Map<u32, Vec<usize>> = Map::with_hasher(STATE);
        for row in protection.iter().filter(|row| row.left + row.detached > 0) {
            slices.insert(grouping.group_of()[row.cell.position()], Vec::new());
        }
        for (cell, slice) in grouping.group_of().iter().enumerate() {
            if let Some(records) = slices.get_mut(slice) {
                let count = self.task.joint.counts()[cell] as usize;
                records.extend(std::iter::repeat_n(cell, count.min(MOST_RECORDS + 1)));
            }
        }
        let mut slices: Vec<(u32, Vec<usize>)> = slices.into_iter().collect();
        slices.sort_unstable_by_key(|(slice, _)| *slice);
        let moving = cells.layout().mask(right - left);
        let prices = self.prices_of_keys(intruder.keys, &[left, right]);
        let price = |words: &[u64]| {
            keys.find(words).and_then(|found| prices.get(found as usize)).copied().unwrap_or(0)
        };
        // Every row that begins with a cost is one search through all columns. A slice that would
        // take more than an eighth of all steps is left out.
        let most = self.effort.steps_for_the_bound();
        let mut left_of_most = most;
        slices.retain(|(_, slice)| {
            let rows = slice.iter().filter(|&&cell| price(cells.get(cell)) > 0).count();
            let steps = (rows + 8).saturating_mul(slice.len()).saturating_mul(slice.len());
            let fits = slice.len() <= MOST_RECORDS && steps <= left_of_most.min(most / 8);
            left_of_most -= if fits { steps } else { 0 };
            fits
        });
        let kept = |(_, slice): &(u32, Vec<usize>)| -> u64 {
            let mut costs = Vec::with_capacity(slice.len() * slice.len());
            let mut new = vec![0; cells.layout().words()];
            for &row in slice {
                for &column in slice {
                    let both = cells.get(row).iter().zip(cells.get(column)).zip(moving.words());
                    for (word, ((own, other), bits)) in new.iter_mut().zip(both) {
                        *word = own & !bits | other & bits;
                    }
                    costs.push(price(&new));
                }
            }
            let found = assign(&costs, slice.len());
            debug_assert!(found.is_proved(&costs), "the duals prove the assignment");
            u64::try_from(found.bound()).expect("no cost is below 0")
        };
        let kept: u64 = slices.par_iter().map(kept).sum();
        let steps = (most - left_of_most) as u64 / STEPS_OF_ASSIGNMENT;
        self.effort.spend(Search::Bound, steps);
        Some(at_risk.saturating_sub(kept.div_ceil(WHOLE)))
    }

    /// For each combination of keys of the file what a record that has it costs: nothing, unless
    /// everybody who has it is at risk.
    fn prices_of_keys(&self, of: VarSet, tables: &[VarSet]) -> Vec<i64> {
        let (joint, keys) = (self.task.joint, &self.combinations[0]);
        let most = tables.iter().map(|table| MarginTable::count(joint, *table & of));
        let most: Vec<MarginTable> = most.collect();
        let mut prices = vec![0i64; keys.end()];
        let mut all_at_risk = vec![true; keys.end()];
        for cell in 0..joint.len() {
            let found = keys.of(cell) as usize;
            all_at_risk[found] &= self.task.at_risk[cell] == joint.counts()[cell];
            let most = most.iter().map(|table| table.n(CellId::at(cell))).min();
            let price = WHOLE / most.unwrap_or(1).max(1);
            prices[found] = i64::try_from(price).expect("a price is small");
        }
        for (price, all) in prices.iter_mut().zip(all_at_risk) {
            *price *= i64::from(all);
        }
        prices
    }

    /// Has somebody at risk every combination of keys that values can make?
    pub(super) fn is_everything_taken(&self) -> bool {
        let ([intruder], [keys]) = (self.task.intruders, &self.combinations[..]) else {
            return false;
        };
        let (protected, cells) = (keys.protected(), self.task.joint.cells());
        let product = |levels: &dyn Fn(usize) -> usize| {
            let mut levels = intruder.keys.iter().map(levels);
            levels.try_fold(1usize, |all, levels| {
                all.checked_mul(levels).filter(|all| *all <= protected)
            })
        };
        // Mostly the values of a few cells have more combinations than that.
        let among_some = |key: usize| {
            let some = (0..cells.len()).step_by(cells.len().div_ceil(SOME_CELLS).max(1));
            some.map(|cell| cells.layout().code(cells.get(cell), key))
                .collect::<BTreeSet<_>>()
                .len()
        };
        let among_all = |key: usize| Grouping::of(cells, VarSet::single(key)).groups();
        let possible = product(&among_some).and_then(|_| product(&among_all));
        possible == Some(protected) && !intruder.keys.is_empty()
    }
}

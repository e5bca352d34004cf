//! Two swaps become one: records at risk that each took a partner who is not take each
//! other instead, where that costs less than their two swaps together.
//!
//! The search by price takes the cheapest partner first and does not see that a record at
//! risk covers itself at the same time. Merging covers the same records with fewer changed
//! ones. As in `nearest`, one set of differing variables after the other is looked at,
//! cheapest first; only those that can still save something.

use std::cmp::Reverse;

use rayon::prelude::*;

use super::buckets::{Marks, outside, pieces};
use super::combinations::Combinations;
use super::effort::{READ_FREELY, READ_PER_MERGER, Search, TRIES};
use super::judge::Made;
use super::nearest::{SETS_AT_ONCE, brought_little};
use super::{CellSwap, Change, Judgement, Offer, Planner, SIDE_BY_SIDE, Taken, number};
use crate::bucket_sort::bucket_sorted;
use crate::varset::VarSet;

/// A swap that covers one record.
#[derive(Debug, Clone, Copy)]
struct Single {
    swap: u32,
    /// The covered record.
    record: Taken,
    /// The other one.
    helper: Taken,
    cost: u64,
}

/// Two swaps that look best merged as long as no others are.
struct Merger {
    /// Their places among all that cover one record.
    pair: [u32; 2],
    exchanged: VarSet,
    made: Option<Merged>,
}

/// What a merger makes and what the two swaps have made.
#[derive(Debug, Clone, Copy)]
struct Merged {
    made: Made,
    before: [Made; 2],
}

impl Planner<'_> {
    /// Merges swaps, from number `first` on, of records that agree on `agree`. Answers how
    /// many pairs became one.
    ///
    /// Law: `merging-saves`.
    pub(super) fn merge_swaps(&mut self, agree: VarSet, first: usize) -> usize {
        let mut singles = self.singles(first);
        let mut removed = vec![false; self.swaps.len()];
        let mut history: Vec<(usize, usize)> = Vec::new();
        let mut spent = 0;
        let sets = self.priced_sets(agree);
        'all: for sets in sets.chunks(SETS_AT_ONCE) {
            let dearest = singles.iter().map(|single| single.cost).max().unwrap_or(0);
            let few = if singles.len() < SIDE_BY_SIDE { SETS_AT_ONCE } else { 1 };
            let this = &*self;
            let near: Vec<Vec<(u64, u32)>> = sets
                .par_iter()
                .with_min_len(few)
                .map(|(differing, _)| this.near_singles(&singles, *differing))
                .collect();
            let mut merged = vec![false; singles.len()];
            let mut left = singles.len();
            for ((differing, offer), near) in sets.iter().zip(near) {
                if left < 2 || offer.cost >= 2 * dearest {
                    break 'all;
                }
                let pairs = self.merge_round(
                    &singles,
                    near,
                    *differing,
                    offer,
                    (&mut merged, &mut removed),
                );
                history.push((left, pairs));
                spent += left;
                self.effort.spend(Search::Merging, left as u64);
                left -= 2 * pairs;
                if (spent > READ_FREELY && brought_little(&history, READ_PER_MERGER))
                    || self.effort.is_short(Search::Merging)
                {
                    break 'all;
                }
            }
            let mut merged = merged.into_iter();
            singles.retain(|_| merged.next() == Some(false));
        }
        self.drop_swaps(&removed);
        removed.iter().filter(|&&removed| removed).count()
    }

    fn singles(&self, first: usize) -> Vec<Single> {
        (first..self.swaps.len())
            .into_par_iter()
            .filter_map(|swap| {
                let CellSwap { left, right, exchanged } = self.swaps[swap];
                let (record, helper) = match (left.at_risk, right.at_risk) {
                    (true, false) => (left, right),
                    (false, true) => (right, left),
                    _ => return None,
                };
                let differing = self.differing(left.cell.position(), right.cell.position());
                let cost = self.task.prices.cost(differing, exchanged);
                Some(Single { swap: number(swap), record, helper, cost })
            })
            .collect()
    }

    /// The swaps of records that agree with another one outside a set, by their buckets and places.
    fn near_singles(&self, singles: &[Single], differing: VarSet) -> Vec<(u64, u32)> {
        let cells = self.task.joint.cells();
        let outside = outside(self.task, differing);
        let key = |single: &Single| outside.mixed(cells.get(single.record.cell.position()));
        let mut near: Vec<(u64, u32)> = singles.iter().map(key).zip(0u32..).collect();
        let shared = Marks::of_shared(near.iter().map(|near| near.0), near.len());
        near.retain(|near| shared.holds(near.0));
        bucket_sorted(near, |near| near.0)
    }

    /// Merges the swaps of records that differ in one set; marks which of them are merged, and
    /// which swaps are removed. Answers how many pairs became one.
    fn merge_round(
        &mut self,
        singles: &[Single],
        mut near: Vec<(u64, u32)>,
        differing: VarSet,
        offer: &Offer,
        (merged, removed): (&mut [bool], &mut [bool]),
    ) -> usize {
        near.retain(|&(_, place)| !merged[place as usize]);
        self.combinations.iter_mut().for_each(Combinations::begin_round);
        // As in `nearest`: every bucket by itself, then one after the other.
        let this = &*self;
        let (mut proposals, unknown): (Vec<Vec<Merger>>, Vec<Vec<u64>>) =
            pieces(&near, |member| member.0)
                .into_par_iter()
                .with_max_len(1)
                .map(|piece| this.mergers(&near[piece], singles, differing, offer))
                .unzip();
        let made = proposals.iter_mut().flatten().filter_map(|merger| merger.made.as_mut());
        self.number_made(made.map(|merged| &mut merged.made), &unknown.concat());
        let mut pairs = 0;
        for Merger { pair, exchanged, made } in proposals.into_iter().flatten() {
            let pair = pair.map(|one| one as usize);
            let [left, right] = pair.map(|one| singles[one]);
            let is_made = made
                .is_some_and(|made| self.merge_as_judged([left, right], exchanged, &made))
                || self.judge_merger([left, right], differing, offer).is_some_and(|judgement| {
                    self.merge([left, right], judgement.exchanged);
                    true
                });
            if is_made {
                pair.into_iter().for_each(|one| merged[one] = true);
                removed[right.swap as usize] = true;
                self.pool.give_back(left.helper);
                self.pool.give_back(right.helper);
                pairs += 1;
            }
        }
        pairs
    }

    /// The swaps that some buckets merge, each as if nobody else merged any; and the words of the
    /// combinations of keys that they make and that have no number yet.
    fn mergers(
        &self,
        members: &[(u64, u32)],
        singles: &[Single],
        differing: VarSet,
        offer: &Offer,
    ) -> (Vec<Merger>, Vec<u64>) {
        let (mut found, mut unknown) = (Vec::new(), Vec::new());
        let mut merged: Vec<bool> = Vec::new();
        let several = |bucket: &&[(u64, u32)]| bucket.len() > 1;
        for bucket in members.chunk_by(|left, right| left.0 == right.0).filter(several) {
            merged.clear();
            merged.resize(bucket.len(), false);
            for position in 0..bucket.len() {
                if merged[position] {
                    continue;
                }
                let one = bucket[position].1 as usize;
                let best = (position + 1..bucket.len())
                    .filter(|&other| !merged[other])
                    .take(TRIES)
                    .filter_map(|place| {
                        let pair = [one, bucket[place].1 as usize].map(|one| singles[one]);
                        let judgement = self.judge_merger(pair, differing, offer)?;
                        let saved = pair[0].cost + pair[1].cost - judgement.cost;
                        Some((Reverse(saved), judgement, place))
                    })
                    .min();
                if let Some((_, judgement, place)) = best {
                    merged[position] = true;
                    merged[place] = true;
                    let pair = [bucket[position].1, bucket[place].1];
                    let singles = pair.map(|one| singles[one as usize]);
                    let made = self.merged_by(singles, differing, judgement, &mut unknown);
                    found.push(Merger { pair, exchanged: judgement.exchanged, made });
                }
            }
        }
        (found, unknown)
    }

    /// What the swap is worth that takes the place of two; `None` when it saves nothing.
    fn judge_merger(
        &self,
        [left, right]: [Single; 2],
        differing: VarSet,
        offer: &Offer,
    ) -> Option<Judgement> {
        let both = left.cost + right.cost;
        let [left, right] = [left, right].map(|single| single.record.cell.position());
        if offer.cost >= both || self.differing(left, right) != differing {
            return None;
        }
        self.judge_any(left, right, differing, offer, both)
    }

    /// The two records at risk take each other, in the place of the first swap.
    fn merge(&mut self, [left, right]: [Single; 2], exchanged: VarSet) {
        let other = self.swaps[right.swap as usize];
        self.count_swap(&other, Change::Undone);
        let both = CellSwap { left: left.record, right: right.record, exchanged };
        self.replace_swap(left.swap as usize, both);
    }

    /// What a swap makes that takes the place of two, and what these have made, where it can be
    /// judged by combinations of keys alone whether it is still worth the same.
    fn merged_by(
        &self,
        singles: [Single; 2],
        differing: VarSet,
        judgement: Judgement,
        unknown: &mut Vec<u64>,
    ) -> Option<Merged> {
        let before = singles.map(|single| {
            let CellSwap { left, right, exchanged } = self.swaps[single.swap as usize];
            let [left, right] = [left, right].map(|taken| taken.cell.position());
            self.made_by(left, right, self.differing(left, right), exchanged, &mut Vec::new())
        });
        let [Some(one), Some(other)] = before else { return None };
        let [left, right] = singles.map(|single| single.record.cell.position());
        let made = self.made_by(left, right, differing, judgement.exchanged, unknown)?;
        Some(Merged { made, before: [one, other] })
    }

    /// Merges two swaps as they were judged when the round began, if no other merger has made that
    /// worse.
    fn merge_as_judged(
        &mut self,
        [left, right]: [Single; 2],
        exchanged: VarSet,
        merged: &Merged,
    ) -> bool {
        let Merged { made, before } = merged;
        if self.may_be_worse(made) {
            return false;
        }
        before.iter().for_each(|before| self.uncount_made(before));
        self.count_made(made);
        self.swaps[left.swap as usize] =
            CellSwap { left: left.record, right: right.record, exchanged };
        true
    }

    /// Forgets swaps.
    fn drop_swaps(&mut self, removed: &[bool]) {
        let mut place = 0;
        self.swaps.retain(|_| {
            place += 1;
            !removed[place - 1]
        });
    }
}

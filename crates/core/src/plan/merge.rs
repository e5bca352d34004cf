//! Two swaps become one: records at risk that each took a partner who is not take each
//! other instead, where that costs less than their two swaps together.
//!
//! The search by price takes the cheapest partner first and does not see that a record at
//! risk covers itself at the same time. Merging covers the same records with fewer changed
//! ones. As in `nearest`, one set of differing variables after the other is looked at,
//! cheapest first; only those that can still save something.

use std::cmp::Reverse;

use rayon::prelude::*;

use super::nearest::{Company, PATIENCE, READ_PER_SWAP, SIDE_BY_SIDE, TRIES, outside, pieces};
use super::{CellSwap, Change, Judgement, Offer, Planner, Taken, number};
use crate::varset::VarSet;

/// So many swaps may be read before the rounds are asked for their yield.
const READ_FREELY: usize = 1 << 18;

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
        for (differing, offer) in self.priced_sets(agree) {
            let dearest = singles.iter().map(|single| single.cost).max().unwrap_or(0);
            if singles.len() < 2 || offer.cost >= 2 * dearest {
                break;
            }
            let read = singles.len();
            self.merge_round(&mut singles, &mut removed, differing, &offer);
            history.push((read, (read - singles.len()) / 2));
            spent += read;
            if history.len() >= PATIENCE && spent > READ_FREELY {
                let recent = &history[history.len() - PATIENCE..];
                let read: usize = recent.iter().map(|(read, _)| read).sum();
                let made: usize = recent.iter().map(|(_, made)| made).sum();
                if made * READ_PER_SWAP < read {
                    break;
                }
            }
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

    /// Merges the swaps of records that differ in one set, and forgets them.
    fn merge_round(
        &mut self,
        singles: &mut Vec<Single>,
        removed: &mut [bool],
        differing: VarSet,
        offer: &Offer,
    ) {
        let cells = self.task.joint.cells();
        let outside = outside(self.task, differing);
        let key = |single: &Single| outside.mixed(cells.get(single.record.cell.position()));
        let places = singles.par_iter().with_min_len(SIDE_BY_SIDE).enumerate();
        let mut members: Vec<(u64, u32)> =
            places.map(|(place, single)| (key(single), number(place))).collect();
        let company = Company::of(members.len());
        members.iter().for_each(|&(bucket, _)| company.come(bucket));
        members.retain(|&(bucket, _)| company.holds(bucket));
        members.par_sort_unstable();
        // As in `nearest`: every bucket by itself, then one after the other.
        let this = &*self;
        let proposals: Vec<Vec<[usize; 2]>> = pieces(&members, |member| member.0)
            .into_par_iter()
            .map(|piece| this.mergers(&members[piece], singles, differing, offer))
            .collect();
        let mut merged = vec![false; singles.len()];
        for pair in proposals.into_iter().flatten() {
            if let Some(judgement) =
                self.judge_merger(pair.map(|one| singles[one]), differing, offer)
            {
                pair.into_iter().for_each(|one| merged[one] = true);
                self.merge(singles[pair[0]], singles[pair[1]], judgement.exchanged, removed);
            }
        }
        let mut place = 0;
        singles.retain(|_| {
            place += 1;
            !merged[place - 1]
        });
    }

    /// The swaps that some buckets merge, each as if nobody else merged any.
    fn mergers(
        &self,
        members: &[(u64, u32)],
        singles: &[Single],
        differing: VarSet,
        offer: &Offer,
    ) -> Vec<[usize; 2]> {
        let mut found = Vec::new();
        for bucket in members.chunk_by(|left, right| left.0 == right.0) {
            let mut merged = vec![false; bucket.len()];
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
                if let Some((_, _, place)) = best {
                    merged[position] = true;
                    merged[place] = true;
                    found.push([one, bucket[place].1 as usize]);
                }
            }
        }
        found
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

    /// The two records at risk take each other, their helpers are free again.
    fn merge(&mut self, left: Single, right: Single, exchanged: VarSet, removed: &mut [bool]) {
        let other = self.swaps[right.swap as usize];
        self.count_swap(&other, Change::Undone);
        let both = CellSwap { left: left.record, right: right.record, exchanged };
        self.replace_swap(left.swap as usize, both);
        removed[right.swap as usize] = true;
        self.pool.give_back(left.helper);
        self.pool.give_back(right.helper);
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

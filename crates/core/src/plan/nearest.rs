//! Matching cells that differ in one given set of variables, cheapest sets first.
//!
//! For a set d the cells are put into buckets by their values outside d. Two cells of one
//! bucket that differ in all of d are partners at the price of d, so going through the sets
//! in the order of their price is going through all possible swaps in the order of their
//! cost, without ever listing them.
//!
//! The rounds end when they find too little for what they read; the slices of the
//! separators do the rest.

use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;

use super::{Offer, Planner, Task, number};
use crate::hash::{Map, STATE};
use crate::varset::VarSet;

/// With how many cells of its bucket a cell is compared.
pub(super) const TRIES: usize = 24;

/// So many cells may be read for each swap that is made, over a few rounds.
pub(super) const READ_PER_SWAP: usize = 1024;

/// Beyond so many variables small sets of them alone are gone through, once for each price.
const MANY_VARIABLES: usize = 24;

/// Over so many rounds that is looked at.
pub(super) const PATIENCE: usize = 12;

/// Which swaps a round makes.
#[derive(Debug, Clone, Copy)]
struct Ask {
    /// At most so many people may be left alone with their keys by one.
    most_exposed: u8,
    /// At most so many records may become unique by one, and as many combinations of two
    /// values be seen for the first time.
    most_new: u8,
    /// Must it cover two records at risk?
    covers_two: bool,
}

/// A cell in a bucket.
struct Near {
    bucket: u64,
    cell: u32,
}

impl Planner<'_> {
    /// Matches open cells with near ones that agree with them on `agree`.
    pub(super) fn match_nearest(&mut self, agree: VarSet) {
        let sets = self.priced_sets(agree);
        let same_price =
            |left: &(VarSet, Arc<Offer>), right: &(VarSet, Arc<Offer>)| left.1.cost == right.1.cost;
        // Where few are at risk there is a choice of partners: for one price first only swaps
        // that make nobody unique, then those that leave nobody alone, then any.
        // With many variables thousands of sets have one price and near cells are rare: one sweep
        // soon tells whether to go on.
        let differing = sets.iter().fold(VarSet::EMPTY, |all, (set, _)| all | *set);
        let few = self.open.len() * 4 <= self.task.joint.len() && differing.len() <= MANY_VARIABLES;
        let any = (u8::MAX, u8::MAX);
        let sweeps: &[(u8, u8)] = if few { &[(0, 0), (0, u8::MAX), any] } else { &[any] };
        let rounds = sets.chunk_by(same_price).flat_map(|sets| {
            sweeps.iter().enumerate().flat_map(move |(sweep, &(most_exposed, most_new))| {
                let ask = Ask { most_exposed, most_new, covers_two: false };
                (0..).zip(sets).map(move |(place, set)| (set, ask, Some((sweep, place))))
            })
        });
        // Where the number of swaps is capped, one that covers two records comes before any
        // that covers one.
        let capped = self.task.constraints.most_changed.is_some();
        let two = Ask { most_exposed: u8::MAX, most_new: u8::MAX, covers_two: true };
        let twos = sets.iter().filter(|_| capped).map(|set| (set, two, None));
        let rounds = twos.chain(rounds);
        let mut history: Vec<(usize, usize)> = Vec::new();
        // For each set of one price, the cells that are near to an open one: cells are only
        // closed and taken, so those of the first sweep are enough for the others.
        let mut near: Vec<Vec<Near>> = Vec::new();
        for ((differing, offer), ask, sweep) in rounds {
            if self.open.is_empty() || self.is_full() {
                return;
            }
            let before = self.swaps.len();
            let read = match sweep {
                Some((0, place)) if sweeps.len() > 1 => {
                    near.truncate(place);
                    near.push(self.near_open(*differing));
                    self.round(Some(&near[place]), *differing, offer, ask)
                }
                Some((_, place)) if sweeps.len() > 1 => {
                    self.round(Some(&near[place]), *differing, offer, ask)
                }
                _ => self.round(None, *differing, offer, ask),
            };
            if ask.most_exposed == 0 || ask.covers_two {
                continue;
            }
            history.push((read, self.swaps.len() - before));
            if history.len() >= PATIENCE {
                let recent = &history[history.len() - PATIENCE..];
                let read: usize = recent.iter().map(|(read, _)| read).sum();
                let made: usize = recent.iter().map(|(_, made)| made).sum();
                if made * READ_PER_SWAP < read {
                    return;
                }
            }
        }
    }

    /// The sets in which two partners may differ, with what they offer; cheapest first, in
    /// random order among equals.
    pub(super) fn priced_sets(&mut self, agree: VarSet) -> Vec<(VarSet, Arc<Offer>)> {
        let layout = self.task.joint.cells().layout();
        let delta = self.task.class.delta();
        let active: VarSet =
            (delta - agree).iter().filter(|&variable| layout.has_room(variable)).collect();
        let mut sets: Vec<(VarSet, Arc<Offer>)> = subsets_to_try(active, self.task.derived)
            .into_iter()
            .filter_map(|set| Some((set, self.offers.get(set)?.clone())))
            .collect();
        self.random.shuffle(&mut sets);
        sets.sort_by_key(|(_, offer)| offer.cost);
        sets
    }

    /// The free cells that share a bucket with an open one, in the order of the cells.
    fn near_open(&self, differing: VarSet) -> Vec<Near> {
        let bucket = buckets(self.task, differing);
        let open = self.open.iter().map(|&cell| (bucket(cell as usize), ()));
        let mut buckets: Map<u64, ()> = Map::with_capacity_and_hasher(self.open.len(), STATE);
        buckets.extend(open);
        let free = (0..self.task.joint.len()).filter(|&cell| self.pool.is_free(cell));
        free.map(|cell| Near { bucket: bucket(cell), cell: number(cell) })
            .filter(|near| buckets.contains_key(&near.bucket))
            .collect()
    }

    /// One set: puts the free cells that share a bucket with an open one together and
    /// matches them. Where `near` is given, all of them are there. Answers how many cells were
    /// read.
    fn round(
        &mut self,
        near: Option<&[Near]>,
        differing: VarSet,
        offer: &Offer,
        ask: Ask,
    ) -> usize {
        let cells = self.task.joint.cells();
        let bucket = buckets(self.task, differing);
        let mut buckets: Map<u64, u32> = Map::with_capacity_and_hasher(self.open.len(), STATE);
        for &cell in &self.open {
            let next = number(buckets.len());
            buckets.entry(bucket(cell as usize)).or_insert(next);
        }
        let mut members: Vec<(u32, u32)> = Vec::new();
        let mut add = |bucket: u64, cell: u32| {
            if let Some(&bucket) = buckets.get(&bucket) {
                members.push((bucket, cell));
            }
        };
        match near {
            Some(near) => near
                .iter()
                .filter(|near| self.pool.is_free(near.cell as usize))
                .for_each(|near| add(near.bucket, near.cell)),
            None => (0..cells.len())
                .filter(|&cell| self.pool.is_free(cell))
                .for_each(|cell| add(bucket(cell), number(cell))),
        }
        members.sort_unstable();
        let mut rest = &mut members[..];
        while let Some(&(bucket, _)) = rest.first() {
            let length = rest.partition_point(|(other, _)| *other == bucket);
            let (here, after) = rest.split_at_mut(length);
            if length > 1 {
                self.match_bucket(here, differing, offer, ask);
            }
            rest = after;
        }
        self.close_cells();
        cells.len() + self.open.len()
    }

    fn match_bucket(
        &mut self,
        members: &mut [(u32, u32)],
        differing: VarSet,
        offer: &Offer,
        ask: Ask,
    ) {
        self.random.shuffle(members);
        for position in 0..members.len() {
            let cell = members[position].1 as usize;
            while self.pool.is_open(cell) && !self.is_full() {
                let Some((partner, exchanged)) =
                    self.best_of(members, position, differing, offer, ask)
                else {
                    break;
                };
                self.make(cell, partner, exchanged);
            }
        }
    }

    /// The best partner among the next few of the bucket.
    fn best_of(
        &self,
        members: &[(u32, u32)],
        position: usize,
        differing: VarSet,
        offer: &Offer,
        ask: Ask,
    ) -> Option<(usize, VarSet)> {
        let cell = members[position].1 as usize;
        let others = members[position + 1..].iter().chain(&members[..position]).take(TRIES);
        let mut best = None;
        for other in others.map(|member| member.1 as usize) {
            if !self.pool.is_free(other) || self.differing(cell, other) != differing {
                continue;
            }
            let Some(judgement) = self.judge(cell, other, differing, offer) else { continue };
            let exposes = judgement.exposed > ask.most_exposed;
            let makes_new = judgement.new_uniques.max(judgement.never_seen) > ask.most_new;
            if exposes || makes_new || (ask.covers_two && judgement.covers_one) {
                continue;
            }
            if best.as_ref().is_none_or(|(known, _)| judgement < *known) {
                best = Some((judgement, other));
            }
            if judgement.harm() == 0 && !judgement.covers_one && judgement.drift == 0 {
                break;
            }
        }
        best.map(|(judgement, other)| (other, judgement.exchanged))
    }
}

/// For each cell a number that is the same for all that agree outside a set. Two buckets
/// with one number only mean a few comparisons more: what differs is looked at for every
/// pair.
pub(super) fn buckets(task: Task<'_>, differing: VarSet) -> impl Fn(usize) -> u64 {
    let cells = task.joint.cells();
    let mask = cells.layout().mask(task.class.delta() - differing);
    move |cell| {
        let mut hasher = STATE.build_hasher();
        for (word, mask) in cells.get(cell).iter().zip(mask.words()) {
            hasher.write_u64(word & mask);
        }
        hasher.finish()
    }
}

/// The subsets of the variables that are worth a round: all of them where they are few, the
/// small ones otherwise. A derived variable differs only with something that it follows from, and
/// need not differ with it.
fn subsets_to_try(active: VarSet, derived: &[(usize, VarSet)]) -> Vec<VarSet> {
    let largest = match active.len() {
        0..=12 => active.len(),
        13..=24 => 4,
        25..=64 => 3,
        _ => 2,
    };
    let own = derived.iter().fold(active, |own, (variable, _)| own - VarSet::single(*variable));
    let sets = subsets_of(own, largest);
    sets.into_iter()
        .flat_map(|set| {
            let may_differ =
                derived.iter().filter(|(one, of)| active.contains(*one) && of.meets(&set));
            let may_differ: VarSet = may_differ.map(|(variable, _)| *variable).collect();
            may_differ.subsets().map(move |more| set | more)
        })
        .collect()
}

/// The subsets of two up to `largest` variables, small ones first.
fn subsets_of(active: VarSet, largest: usize) -> Vec<VarSet> {
    let mut found = Vec::new();
    let mut level: Vec<VarSet> = vec![VarSet::EMPTY];
    for size in 1..=largest {
        level = level
            .iter()
            .flat_map(|set| {
                let after = set.iter().last().map_or(0, |last| last + 1);
                let set = *set;
                active
                    .iter()
                    .filter(move |&variable| variable >= after)
                    .map(move |variable| set | VarSet::single(variable))
            })
            .collect();
        if size >= 2 {
            found.extend(level.iter().copied());
        }
    }
    found
}

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

use rayon::prelude::*;

use super::{Judgement, Offer, Planner, Task, number};
use crate::hash::{Map, STATE};
use crate::random::Random;
use crate::varset::VarSet;

/// With how many cells of its bucket a cell is compared.
pub(super) const TRIES: usize = 24;

/// So many cells may be read for each swap that is made, over a few rounds.
pub(super) const READ_PER_SWAP: usize = 1024;

/// Beyond so many variables small sets of them alone are gone through, once for each price.
const MANY_VARIABLES: usize = 24;

/// So many cells at least are looked at by one thread.
pub(super) const SIDE_BY_SIDE: usize = 1 << 12;

/// For so many buckets partners are chosen before swaps are made; so many of them have one random
/// stream.
const BUCKETS_AT_ONCE: usize = 1 << 10;
const BUCKETS_TOGETHER: usize = 1 << 5;

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

/// The cells of a bucket in random order, and who is to be swapped with whom, by their places.
struct Bucket {
    cells: Vec<u32>,
    chosen: Vec<(u32, u32)>,
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
            |left: &(VarSet, Offer), right: &(VarSet, Offer)| left.1.cost == right.1.cost;
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
    pub(super) fn priced_sets(&mut self, agree: VarSet) -> Vec<(VarSet, Offer)> {
        let layout = self.task.joint.cells().layout();
        let delta = self.task.class.delta();
        let active: VarSet =
            (delta - agree).iter().filter(|&variable| layout.has_room(variable)).collect();
        let mut sets: Vec<(VarSet, Offer)> = subsets_to_try(active, self.task.derived)
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
        let cells = (0..self.task.joint.len()).into_par_iter().with_min_len(SIDE_BY_SIDE);
        cells
            .filter(|&cell| self.pool.is_free(cell))
            .map(|cell| Near { bucket: bucket(cell), cell: number(cell) })
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
        let member = |bucket: u64, cell: u32| Some((*buckets.get(&bucket)?, cell));
        let mut members: Vec<(u32, u32)> = match near {
            Some(near) => near
                .par_iter()
                .with_min_len(SIDE_BY_SIDE)
                .filter(|near| self.pool.is_free(near.cell as usize))
                .filter_map(|near| member(near.bucket, near.cell))
                .collect(),
            None => (0..cells.len())
                .into_par_iter()
                .with_min_len(SIDE_BY_SIDE)
                .filter(|&cell| self.pool.is_free(cell))
                .filter_map(|cell| member(bucket(cell), number(cell)))
                .collect(),
        };
        members.par_sort_unstable();
        // Buckets have no cell in common. For some of them at a time partners are chosen side by
        // side as things are; then the swaps are made one by one, each judged again by what was
        // made before it. A random stream belongs to a few buckets, by number.
        let buckets: Vec<&[(u32, u32)]> = members
            .chunk_by(|one, other| one.0 == other.0)
            .filter(|bucket| bucket.len() > 1)
            .collect();
        let seed = self.random.seed();
        let mut streams = 0..;
        for buckets in buckets.chunks(BUCKETS_AT_ONCE) {
            let this = &*self;
            let own: Vec<u64> =
                streams.by_ref().take(buckets.len().div_ceil(BUCKETS_TOGETHER)).collect();
            let chosen: Vec<Vec<Bucket>> = own
                .par_iter()
                .zip(buckets.par_chunks(BUCKETS_TOGETHER))
                .map(|(&stream, buckets)| {
                    let mut random = Random::new(seed, stream);
                    let choose = |bucket: &&[(u32, u32)]| {
                        this.choose(bucket, differing, offer, ask, &mut random)
                    };
                    buckets.iter().map(choose).collect()
                })
                .collect();
            for bucket in chosen.iter().flatten() {
                self.match_bucket(bucket, differing, offer, ask);
            }
        }
        self.close_cells();
        cells.len() + self.open.len()
    }

    /// The partners of the open cells of a bucket, as if no other bucket made a swap meanwhile.
    fn choose(
        &self,
        members: &[(u32, u32)],
        differing: VarSet,
        offer: &Offer,
        ask: Ask,
        random: &mut Random,
    ) -> Bucket {
        let mut cells: Vec<u32> = members.iter().map(|member| member.1).collect();
        random.shuffle(&mut cells);
        let of_each = |count: &dyn Fn(usize) -> u32| -> Vec<u32> {
            cells.iter().map(|&cell| count(cell as usize)).collect()
        };
        let mut free = of_each(&|cell| self.pool.free(cell));
        let mut in_need = of_each(&|cell| self.pool.in_need(cell));
        let mut chosen = Vec::new();
        for position in 0..cells.len() {
            while in_need[position] > 0 && free[position] > 0 {
                let is_free = |place: usize| free[place] > 0;
                let best = self.best_of(&cells, position, is_free, differing, offer, ask);
                let Some((partner, _)) = best else { break };
                chosen.push((number(position), number(partner)));
                for place in [position, partner] {
                    free[place] -= 1;
                    in_need[place] = in_need[place].saturating_sub(1);
                }
            }
        }
        Bucket { cells, chosen }
    }

    /// Makes the swaps that were chosen for a bucket, as far as they are still good, and looks
    /// again for who is left.
    fn match_bucket(&mut self, bucket: &Bucket, differing: VarSet, offer: &Offer, ask: Ask) {
        let Bucket { cells, chosen } = bucket;
        let mut next = chosen.iter().peekable();
        for (position, &cell) in cells.iter().enumerate() {
            let cell = cell as usize;
            let mut missed = false;
            while let Some(&(_, partner)) = next.next_if(|one| one.0 as usize == position) {
                let partner = cells[partner as usize] as usize;
                if !self.pool.is_open(cell) || self.is_full() {
                    continue;
                }
                let judgement = self.pool.is_free(partner).then(|| {
                    let judgement = self.judge(cell, partner, differing, offer);
                    judgement.filter(|judgement| ask.takes(judgement))
                });
                match judgement.flatten() {
                    Some(judgement) => self.make(cell, partner, judgement.exchanged),
                    None => missed = true,
                }
            }
            while missed && self.pool.is_open(cell) && !self.is_full() {
                let is_free = |place: usize| self.pool.is_free(cells[place] as usize);
                let best = self.best_of(cells, position, is_free, differing, offer, ask);
                let Some((partner, exchanged)) = best else { break };
                self.make(cell, cells[partner] as usize, exchanged);
            }
        }
    }

    /// The place of the best partner among the next few of the bucket, and what is exchanged.
    fn best_of(
        &self,
        members: &[u32],
        position: usize,
        is_free: impl Fn(usize) -> bool,
        differing: VarSet,
        offer: &Offer,
        ask: Ask,
    ) -> Option<(usize, VarSet)> {
        let cell = members[position] as usize;
        let cells = self.task.joint.cells();
        let others = (position + 1..members.len()).chain(0..position).take(TRIES);
        let mut best = None;
        for place in others {
            let other = members[place] as usize;
            if !is_free(place) || cells.differing(cell, other) != differing {
                continue;
            }
            let judgement = self.judge(cell, other, differing, offer);
            let Some(judgement) = judgement.filter(|judgement| ask.takes(judgement)) else {
                continue;
            };
            if best.as_ref().is_none_or(|(known, _)| judgement < *known) {
                best = Some((judgement, place));
            }
            if judgement.harm() == 0 && !judgement.covers_one && judgement.drift == 0 {
                break;
            }
        }
        best.map(|(judgement, place)| (place, judgement.exchanged))
    }
}

impl Ask {
    /// Is this a swap that the round makes?
    fn takes(self, judgement: &Judgement) -> bool {
        let exposes = judgement.exposed > self.most_exposed;
        let makes_new = judgement.new_uniques.max(judgement.never_seen) > self.most_new;
        !exposes && !makes_new && !(self.covers_two && judgement.covers_one)
    }
}

/// For each cell a number that is the same for all that agree outside a set. Two buckets
/// with one number only mean a few comparisons more: what differs is looked at for every
/// pair.
pub(super) fn buckets(task: Task<'_>, differing: VarSet) -> impl Fn(usize) -> u64 + Sync {
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

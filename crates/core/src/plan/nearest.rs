//! Matching cells that differ in one given set of variables, cheapest sets first.
//!
//! For a set d the cells are put into buckets by their values outside d. Two cells of one
//! bucket that differ in all of d are partners at the price of d, so going through the sets
//! in the order of their price is going through all possible swaps in the order of their
//! cost, without ever listing them.
//!
//! The buckets of one set have no cell in common, so each finds its swaps by itself, on any
//! thread; what they make of the keys of others is looked at when they are made, one after the
//! other.
//!
//! The rounds end when they find too little for what they read; the slices of the
//! separators do the rest.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use rayon::prelude::*;

use super::judge::MostHarm;
use super::pool::State;
use super::{Judgement, Offer, Planner, Task, number};
use crate::encode::Mask;
use crate::hash::mixed;
use crate::varset::VarSet;

/// With how many cells of its bucket a cell is compared.
pub(super) const TRIES: usize = 12;

/// So many cells may be read for each swap that is made, over a few rounds.
pub(super) const READ_PER_SWAP: usize = 1024;

/// Beyond so many variables small sets of them alone are gone through, once for each price.
const MANY_VARIABLES: usize = 24;

/// Over so many rounds that is looked at.
pub(super) const PATIENCE: usize = 12;

/// Which swaps a round makes.
#[derive(Debug, Clone, Copy)]
struct Ask {
    most: MostHarm,
    /// Must it cover two records at risk?
    covers_two: bool,
    wants: Wants,
}

/// What is best among swaps of one price that expose nobody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wants {
    /// Few new combinations of keys.
    Harmless,
    /// Two records at risk in one swap: where most are at risk, nearly every swap makes new
    /// combinations.
    Coverage,
}

impl Ask {
    /// A judgement as this round sees it.
    fn seen(&self, judgement: Judgement) -> Judgement {
        match self.wants {
            Wants::Harmless => judgement,
            Wants::Coverage => Judgement { new_uniques: 0, ..judgement },
        }
    }
}

/// A free cell that shares a bucket with an open one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Near {
    /// The bucket in the upper half, in the lower one a number that orders its cells by chance.
    place: u64,
    cell: u32,
}

impl Near {
    fn bucket(&self) -> u64 {
        self.place >> 32
    }
}

/// A swap that looks best as long as no other bucket has made one.
struct Proposal {
    /// Where the cell is among all near ones.
    position: usize,
    partner: usize,
    exchanged: VarSet,
    harm: u64,
}

/// How many cells or swaps one thread looks at before it takes more.
pub(super) const SIDE_BY_SIDE: usize = 1 << 12;

impl Planner<'_> {
    /// Matches open cells with near ones that agree with them on `agree`.
    pub(super) fn match_nearest(&mut self, agree: VarSet) {
        // So few that no round could be worth its reading.
        if self.open.len() * READ_PER_SWAP < self.task.joint.len() {
            return;
        }
        let sets = self.priced_sets(agree);
        let same_price =
            |left: &(VarSet, Arc<Offer>), right: &(VarSet, Arc<Offer>)| left.1.cost == right.1.cost;
        // Where few are at risk there is a choice of partners: for one price first only swaps
        // that make nobody unique, then those that leave nobody alone, then any.
        // With many variables thousands of sets have one price and near cells are rare: one sweep
        // soon tells whether to go on.
        let differing = sets.iter().fold(VarSet::EMPTY, |all, (set, _)| all | *set);
        let few = self.open.len() * 4 <= self.task.joint.len() && differing.len() <= MANY_VARIABLES;
        let every = [MostHarm::NONE, MostHarm::ALONE, MostHarm::ANY];
        let (sweeps, wants) =
            if few { (&every[..], Wants::Harmless) } else { (&every[2..], Wants::Coverage) };
        let rounds = sets.chunk_by(same_price).flat_map(|sets| {
            sweeps.iter().enumerate().flat_map(move |(sweep, &most)| {
                let ask = Ask { most, covers_two: false, wants };
                (0..).zip(sets).map(move |(place, set)| (set, ask, Some((sweep, place))))
            })
        });
        // Where the number of swaps is capped, one that covers two records comes before any
        // that covers one.
        let capped = self.task.constraints.most_changed.is_some();
        let two = Ask { most: MostHarm::ANY, covers_two: true, wants: Wants::Harmless };
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
                    self.round(&near[place], *differing, offer, ask)
                }
                Some((_, place)) if sweeps.len() > 1 => {
                    self.round(&near[place], *differing, offer, ask)
                }
                _ => {
                    let near = self.near_open(*differing);
                    self.round(&near, *differing, offer, ask)
                }
            };
            if ask.most.exposed == 0 || ask.covers_two {
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

    /// The free cells that share a bucket with an open one, those of one bucket side by side and
    /// in random order.
    fn near_open(&mut self, differing: VarSet) -> Vec<Near> {
        let salt = self.random.bits();
        let cells = self.task.joint.cells();
        let outside = outside(self.task, differing);
        let open = Marks::new(self.open.len());
        let marked = self.open.par_iter().with_min_len(SIDE_BY_SIDE);
        marked.for_each(|&cell| {
            open.set(outside.mixed(cells.get(cell as usize)));
        });
        let states = self.pool.states().par_chunks(SIDE_BY_SIDE);
        let words = cells.words().par_chunks(SIDE_BY_SIDE * cells.layout().words());
        let near: Vec<Vec<(u64, u32)>> = states
            .zip(words)
            .enumerate()
            .map(|(piece, (states, words))| {
                let first = piece * SIDE_BY_SIDE;
                let cells = words.chunks_exact(cells.layout().words());
                let free =
                    (first..).zip(states).zip(cells).filter(|((_, state), _)| state.is_free());
                free.map(|((cell, _), words)| (outside.mixed(words), number(cell)))
                    .filter(|&(bucket, _)| open.holds(bucket))
                    .collect()
            })
            .collect();
        // Most open cells have a bucket of their own.
        let company = Company::of(near.iter().map(Vec::len).sum());
        near.par_iter().for_each(|near| near.iter().for_each(|&(bucket, _)| company.come(bucket)));
        let near = near.par_iter().flat_map_iter(|near| {
            near.iter().filter(|&&(bucket, _)| company.holds(bucket)).map(|&(bucket, cell)| {
                let order = mixed([salt, cell.into()]);
                Near { place: bucket & UPPER | order >> 32, cell }
            })
        });
        let mut near: Vec<Near> = near.collect();
        near.par_sort_unstable();
        near
    }

    /// One set: matches the cells of each bucket. Every bucket finds its swaps by itself, as if
    /// it were the only one; then they are made one after the other, and a swap that others
    /// have made worse since is looked for once more. So the number of threads plays no part.
    /// Answers how many cells were read.
    fn round(&mut self, near: &[Near], differing: VarSet, offer: &Offer, ask: Ask) -> usize {
        let this = &*self;
        let proposals: Vec<Vec<Proposal>> = pieces(near, Near::bucket)
            .into_par_iter()
            .map(|piece| this.proposals(near, piece, differing, offer, ask))
            .collect();
        for proposal in proposals.iter().flatten() {
            let cell = near[proposal.position].cell as usize;
            if self.is_full() {
                break;
            }
            let Proposal { partner, exchanged, harm, .. } = *proposal;
            let is_there = self.pool.is_open(cell) && self.pool.is_free(partner);
            let live = is_there.then(|| self.judge_exchange(cell, partner, differing, exchanged));
            if live.flatten().is_some_and(|live| ask.seen(live).harm() <= harm) {
                self.make(cell, partner, exchanged);
                continue;
            }
            let bucket = bucket_at(near, Near::bucket, proposal.position);
            let position = proposal.position - bucket.start;
            let free = |other: usize| self.pool.state(near[bucket.start + other].cell as usize);
            if let Some((partner, judgement)) =
                self.best_of(&near[bucket.clone()], position, free, differing, offer, ask)
            {
                let partner = near[bucket.start + partner].cell as usize;
                self.make(cell, partner, judgement.exchanged);
            }
        }
        self.close_cells();
        self.task.joint.len() + self.open.len()
    }

    /// The swaps that some buckets make, each as if nobody else made any.
    fn proposals(
        &self,
        near: &[Near],
        range: Range<usize>,
        differing: VarSet,
        offer: &Offer,
        ask: Ask,
    ) -> Vec<Proposal> {
        let mut found = Vec::new();
        let mut free: Vec<State> = Vec::new();
        let mut start = range.start;
        for bucket in near[range].chunk_by(|one, other| one.bucket() == other.bucket()) {
            free.clear();
            if bucket.len() > 1 {
                free.extend(bucket.iter().map(|near| self.pool.state(near.cell as usize)));
            }
            for position in 0..free.len() {
                while free[position].is_open() {
                    let now = |other: usize| free[other];
                    let Some((partner, judgement)) =
                        self.best_of(bucket, position, now, differing, offer, ask)
                    else {
                        break;
                    };
                    [position, partner].into_iter().for_each(|one| free[one].take());
                    found.push(Proposal {
                        position: start + position,
                        partner: bucket[partner].cell as usize,
                        exchanged: judgement.exchanged,
                        harm: judgement.harm(),
                    });
                }
            }
            start += bucket.len();
        }
        found
    }

    /// The best partner among the next few of the bucket, by its place in it.
    fn best_of(
        &self,
        bucket: &[Near],
        position: usize,
        state: impl Fn(usize) -> State,
        differing: VarSet,
        offer: &Offer,
        ask: Ask,
    ) -> Option<(usize, Judgement)> {
        let cell = bucket[position].cell as usize;
        let others = (position + 1..bucket.len()).chain(0..position).take(TRIES);
        let mut best: Option<(Judgement, usize)> = None;
        if !state(position).is_open() {
            return None;
        }
        for place in others {
            let other = bucket[place].cell as usize;
            let partner = state(place);
            if !partner.is_free() || self.differing(cell, other) != differing {
                continue;
            }
            let covers_one = !partner.is_open();
            if ask.covers_two && covers_one {
                continue;
            }
            let judged = self.judge_within(cell, other, differing, offer, ask.most);
            let Some(judgement) = judged else { continue };
            let judgement = ask.seen(Judgement { covers_one, ..judgement });
            if best.as_ref().is_none_or(|(known, _)| judgement < *known) {
                best = Some((judgement, place));
            }
            if judgement.harm() == 0 && !covers_one && judgement.drift == 0 {
                break;
            }
        }
        best.map(|(judgement, place)| (place, judgement))
    }
}

/// Which buckets several share, as far as marks tell; most do not.
pub(super) struct Company {
    once: Marks,
    twice: Marks,
}

impl Company {
    /// For so many.
    pub(super) fn of(many: usize) -> Self {
        Self { once: Marks::new(many), twice: Marks::new(many) }
    }

    /// One more is in this bucket.
    pub(super) fn come(&self, bucket: u64) {
        if self.once.set(bucket) {
            self.twice.set(bucket);
        }
    }

    pub(super) fn holds(&self, bucket: u64) -> bool {
        self.twice.holds(bucket)
    }
}

/// The half of a number that tells a bucket.
const UPPER: u64 = u64::MAX << 32;

/// Which buckets hold an open cell: now and then one is marked that does not. Any thread may mark
/// any of them, at any time: in the end the marks are the same.
struct Marks {
    bits: Vec<AtomicU64>,
}

impl Marks {
    /// No mark, and room for so many.
    fn new(marks: usize) -> Self {
        let words = (marks / 4).next_power_of_two().max(16);
        Self { bits: (0..words).map(|_| AtomicU64::new(0)).collect() }
    }

    /// Marks a bucket; was it marked before?
    fn set(&self, bucket: u64) -> bool {
        let (word, bit) = self.place(bucket);
        word.fetch_or(bit, Relaxed) & bit != 0
    }

    fn holds(&self, bucket: u64) -> bool {
        let (word, bit) = self.place(bucket);
        word.load(Relaxed) & bit != 0
    }

    /// By the lower bits, in which buckets differ whose upper halves are the same.
    fn place(&self, bucket: u64) -> (&AtomicU64, u64) {
        let word = usize::try_from(bucket >> 6 & 0xffff_ffff).expect("32 bits fit");
        (&self.bits[word & (self.bits.len() - 1)], 1 << (bucket & 63))
    }
}

/// Cuts what is sorted by buckets into pieces of whole ones, for all threads.
pub(super) fn pieces<T>(sorted: &[T], bucket: impl Fn(&T) -> u64) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let mut start = 0;
    while start < sorted.len() {
        let last = (start + SIDE_BY_SIDE).min(sorted.len()) - 1;
        let end = bucket_at(sorted, &bucket, last).end;
        pieces.push(start..end);
        start = end;
    }
    pieces
}

/// The bucket of what stands at a place.
fn bucket_at<T>(sorted: &[T], bucket: impl Fn(&T) -> u64, place: usize) -> Range<usize> {
    let here = bucket(&sorted[place]);
    let start = sorted[..place].partition_point(|one| bucket(one) < here);
    let after = sorted[place..].partition_point(|one| bucket(one) == here);
    start..place + after
}

/// Tells buckets apart: cells that agree outside a set have the same number. Two buckets with one
/// number only mean a few comparisons more: what differs is looked at for every pair.
pub(super) fn outside(task: Task<'_>, differing: VarSet) -> Mask {
    task.joint.cells().layout().mask(task.class.delta() - differing)
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

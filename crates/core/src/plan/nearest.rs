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

use rayon::prelude::*;

use super::combinations::Combinations;
use super::judge::{Made, MostHarm};
use super::pool::State;
use super::{Judgement, Offer, Planner, Task};
use crate::encode::Mask;
use crate::hash::mixed;
use crate::varset::VarSet;

/// With how many cells of its bucket a cell is compared.
pub(super) const TRIES: usize = 12;

/// So many cells may be read for each swap that is made, over a few rounds.
const READ_PER_SWAP: usize = 1024;

/// Beyond so many variables small sets of them alone are gone through, once for each price.
const MANY_VARIABLES: usize = 24;

/// Over so many rounds that is looked at.
const PATIENCE: usize = 12;

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
    /// What it makes, where that tells whether another swap has made it worse.
    made: Option<Made>,
}

/// Near cells are looked for with so many sets at once, each on one thread. What the rounds of the
/// first of them take, the others have found all the same.
pub(super) const SETS_AT_ONCE: usize = 8;

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
        // Where the number of swaps is capped, one that covers two records comes before any
        // that covers one.
        if self.task.constraints.most_changed.is_some() {
            let two = Ask { most: MostHarm::ANY, covers_two: true, wants: Wants::Harmless };
            for sets in sets.chunks(SETS_AT_ONCE) {
                for ((differing, offer), near) in sets.iter().zip(self.near_open(sets)) {
                    if self.open.is_empty() || self.is_full() {
                        return;
                    }
                    self.round(&near, *differing, offer, two);
                }
            }
        }
        let mut history: Vec<(usize, usize)> = Vec::new();
        for sets in sets.chunk_by(same_price) {
            // For each set the cells that are near to an open one: cells are only closed and
            // taken, so those of the first sweep are enough for the others.
            let mut near: Vec<Vec<Near>> = Vec::new();
            for (sweep, &most) in sweeps.iter().enumerate() {
                let ask = Ask { most, covers_two: false, wants };
                for (place, (differing, offer)) in sets.iter().enumerate() {
                    if self.open.is_empty() || self.is_full() {
                        return;
                    }
                    if near.len() == place {
                        near.extend(self.near_open(next_sets(&sets[place..])));
                    }
                    let before = self.swaps.len();
                    let read = self.round(&near[place], *differing, offer, ask);
                    if sweep + 1 == sweeps.len() {
                        near[place] = Vec::new();
                    }
                    if ask.most.exposed == 0 {
                        continue;
                    }
                    history.push((read, self.swaps.len() - before));
                    if brought_little(&history) {
                        return;
                    }
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

    /// For each of these sets the free cells that share a bucket with an open one, those of one
    /// bucket side by side and in random order.
    fn near_open(&mut self, sets: &[(VarSet, Arc<Offer>)]) -> Vec<Vec<Near>> {
        let salted: Vec<(VarSet, u64)> =
            sets.iter().map(|(differing, _)| (*differing, self.random.bits())).collect();
        let this = &*self;
        let salted = salted.into_par_iter().with_max_len(1);
        salted.map(|(set, salt)| this.near_open_on(set, salt)).collect()
    }

    fn near_open_on(&self, differing: VarSet, salt: u64) -> Vec<Near> {
        let cells = self.task.joint.cells();
        let outside = outside(self.task, differing);
        let mut open = Marks::new(self.open.len());
        for &cell in &self.open {
            open.set(outside.mixed(cells.get(cell as usize)));
        }
        let free = (0u32..).zip(self.pool.states()).zip(cells.iter());
        let free = free.filter(|((_, state), _)| state.is_free());
        let mut near: Vec<Near> = free
            .map(|((cell, _), words)| Near { place: outside.mixed(words), cell })
            .filter(|near| open.holds(near.place))
            .collect();
        // Only an open cell can be alone in its bucket. Where most cells are open, most of them
        // are; where few are, it is not worth asking.
        if 2 * self.open.len() > near.len() {
            Company::of(&near, |near| near.place).keep(&mut near, |near| near.place);
        }
        for near in &mut near {
            near.place = near.place & UPPER | mixed([salt, near.cell.into()]) >> 32;
        }
        in_drawers(near)
    }

    /// One set: matches the cells of each bucket. Every bucket finds its swaps by itself, as if
    /// it were the only one; then they are made one after the other, and a swap that others
    /// have made worse since is looked for once more. So the number of threads plays no part.
    /// Answers how many cells were read.
    fn round(&mut self, near: &[Near], differing: VarSet, offer: &Offer, ask: Ask) -> usize {
        self.combinations.iter_mut().for_each(Combinations::begin_round);
        let this = &*self;
        let proposals: Vec<Vec<Proposal>> = pieces(near, Near::bucket)
            .into_par_iter()
            .with_max_len(1)
            .map(|piece| this.proposals(near, piece, differing, offer, ask))
            .collect();
        for proposal in proposals.iter().flatten() {
            let cell = near[proposal.position].cell as usize;
            if self.is_full() {
                break;
            }
            let Proposal { partner, exchanged, harm, made, .. } = *proposal;
            let is_there = self.pool.is_open(cell) && self.pool.is_free(partner);
            if is_there && made.is_some_and(|made| self.make_as_judged(cell, partner, made)) {
                continue;
            }
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
        // What is left of a bucket: some of it may have been taken since it was found near.
        let (mut left, mut places): (Vec<Near>, Vec<usize>) = (Vec::new(), Vec::new());
        let mut free: Vec<State> = Vec::new();
        let mut start = range.start;
        for bucket in near[range].chunk_by(|one, other| one.bucket() == other.bucket()) {
            left.clear();
            places.clear();
            free.clear();
            if bucket.len() > 1 {
                for (place, near) in (start..).zip(bucket) {
                    let state = self.pool.state(near.cell as usize);
                    if state.is_free() {
                        left.push(*near);
                        places.push(place);
                        free.push(state);
                    }
                }
            }
            for position in 0..free.len() {
                while free[position].is_open() {
                    let now = |other: usize| free[other];
                    let Some((partner, judgement)) =
                        self.best_of(&left, position, now, differing, offer, ask)
                    else {
                        break;
                    };
                    [position, partner].into_iter().for_each(|one| free[one].take());
                    let [cell, partner] =
                        [position, partner].map(|place| left[place].cell as usize);
                    found.push(Proposal {
                        position: places[position],
                        partner,
                        exchanged: judgement.exchanged,
                        harm: judgement.harm(),
                        made: self.made_by(cell, partner, differing, judgement.exchanged),
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

/// The first of these sets, as many as are looked at together: all of them in about equal shares.
fn next_sets<T>(sets: &[T]) -> &[T] {
    let times = sets.len().div_ceil(SETS_AT_ONCE);
    &sets[..sets.len().div_ceil(times.max(1))]
}

/// Sorts cells by place. Places are spread evenly, so each tells about where it belongs: cells are
/// put into drawers, of which each is sorted by itself.
fn in_drawers(near: Vec<Near>) -> Vec<Near> {
    // About four cells each.
    let bits = (near.len() / 4).next_power_of_two().trailing_zeros().min(31);
    let drawer = |near: &Near| usize::try_from(near.bucket() >> (32 - bits)).expect("few bits");
    let mut ends = vec![0usize; 1 << bits];
    near.iter().for_each(|one| ends[drawer(one)] += 1);
    let mut sum = 0;
    for end in &mut ends {
        sum += std::mem::replace(end, sum);
    }
    let mut sorted = near.clone();
    for one in near {
        let end = &mut ends[drawer(&one)];
        sorted[*end] = one;
        *end += 1;
    }
    let mut start = 0;
    for end in ends {
        sorted[start..end].sort_unstable();
        start = end;
    }
    sorted
}

/// Did the last rounds make too few swaps for what they read? Each is told by what it read and made.
pub(super) fn brought_little(rounds: &[(usize, usize)]) -> bool {
    let Some(before) = rounds.len().checked_sub(PATIENCE) else { return false };
    let sums = |(all, made), (read, more): &(usize, usize)| (all + read, made + more);
    let (read, made) = rounds[before..].iter().fold((0, 0), sums);
    made * READ_PER_SWAP < read
}

/// Which buckets several share, as far as marks tell; most do not.
pub(super) struct Company(Marks);

impl Company {
    /// Of those in these buckets.
    pub(super) fn of<T>(all: &[T], bucket: impl Fn(&T) -> u64) -> Self {
        let [mut once, mut twice] = [(); 2].map(|()| Marks::new(all.len()));
        for one in all {
            let bucket = bucket(one);
            if once.set(bucket) {
                twice.set(bucket);
            }
        }
        Self(twice)
    }

    /// Keeps those that share their bucket.
    pub(super) fn keep<T>(&self, all: &mut Vec<T>, bucket: impl Fn(&T) -> u64) {
        all.retain(|one| self.0.holds(bucket(one)));
    }
}

/// The half of a number that tells a bucket.
const UPPER: u64 = u64::MAX << 32;

/// Which buckets hold an open cell: now and then one is marked that does not.
struct Marks {
    bits: Vec<u64>,
}

impl Marks {
    /// No mark, and room for so many.
    fn new(marks: usize) -> Self {
        let words = (marks / 4).next_power_of_two().max(16);
        Self { bits: vec![0; words] }
    }

    /// Marks a bucket; was it marked before?
    fn set(&mut self, bucket: u64) -> bool {
        let (word, bit) = self.place(bucket);
        let known = self.bits[word] & bit != 0;
        self.bits[word] |= bit;
        known
    }

    fn holds(&self, bucket: u64) -> bool {
        let (word, bit) = self.place(bucket);
        self.bits[word] & bit != 0
    }

    /// By the lower bits, in which buckets differ whose upper halves are the same.
    fn place(&self, bucket: u64) -> (usize, u64) {
        let word = usize::try_from(bucket >> 6 & 0xffff_ffff).expect("32 bits fit");
        (word & (self.bits.len() - 1), 1 << (bucket & 63))
    }
}

/// So many cells or swaps are about a piece of the sorted ones.
const PIECE: usize = 1 << 9;

/// Cuts what is sorted by buckets into pieces of whole ones, for all threads.
pub(super) fn pieces<T>(sorted: &[T], bucket: impl Fn(&T) -> u64) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let mut start = 0;
    while start < sorted.len() {
        let last = (start + PIECE).min(sorted.len()) - 1;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Random, Seed};

    /// Many buckets, few, and one; whole places that differ, and some that do not.
    #[test]
    fn drawers_sort() {
        let random = &mut Random::new(Seed([5; 32]), 0);
        for buckets in [1, 3, 1 << 20] {
            for many in [0, 1, 2, 7, 8, 100, 5000] {
                let near: Vec<Near> = (0..many)
                    .map(|cell| {
                        let bucket = mixed([random.below(buckets) as u64]) & UPPER;
                        Near { place: bucket | random.bits() >> 62, cell }
                    })
                    .collect();
                let mut sorted = near.clone();
                sorted.sort_unstable();
                assert_eq!(in_drawers(near), sorted);
            }
        }
    }
}

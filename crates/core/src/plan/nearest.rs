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

use super::buckets::{Marks, bucket_at, outside, pieces};
use super::combinations::Combinations;
use super::effort::{PATIENCE, READ_PER_SWAP, Search, TRIES};
use super::judge::{Made, MostHarm};
use super::pool::State;
use super::{Judgement, Offer, Planner, number};
use crate::bucket_sort::bucket_sorted;
use crate::hash::mixed;
use crate::varset::VarSet;

/// With more variables than this only small sets of them are gone through, once for each price.
const MANY_VARIABLES: usize = 24;

/// Which swaps a round makes.
#[derive(Debug, Clone, Copy)]
struct Ask {
    most: MostHarm,
    /// Must it cover two records at risk?
    covers_two: bool,
    wants: Wants,
}

/// What one round is about.
struct Round<'r> {
    /// In what two partners differ.
    differing: VarSet,
    /// As the signature of two cells.
    signature: Vec<u64>,
    offer: &'r Offer,
    ask: Ask,
}

impl<'r> Round<'r> {
    fn new(planner: &Planner<'_>, differing: VarSet, offer: &'r Offer, ask: Ask) -> Self {
        Self { differing, signature: planner.signer.signature(differing), offer, ask }
    }
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

/// A free cell that shares a bucket with others, of which one may be open.
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

/// A cell of a bucket, with what is asked of it again and again.
#[derive(Debug, Clone, Copy)]
struct Member {
    bucket: u64,
    /// Where it is among all near ones.
    place: usize,
    cell: usize,
    state: State,
}

/// A swap that looks best as long as no other bucket has made one.
struct Proposal {
    /// Where the cell is among all near ones.
    position: u32,
    cell: u32,
    partner: u32,
    exchanged: VarSet,
    harm: u64,
    /// What it makes, where that tells whether another swap has made it worse.
    made: Option<Made>,
}

/// Near cells are looked for with this many sets at once, each on one thread. What the rounds of
/// the first of them take, the others have found all the same.
pub(super) const SETS_AT_ONCE: usize = 4;

impl Planner<'_> {
    /// Matches open cells with near ones that agree with them on `agree`.
    pub(super) fn match_nearest(&mut self, agree: VarSet) {
        // So few that no round over all cells could be worth its reading.
        if self.open.len() < self.task.joint.len().div_ceil(READ_PER_SWAP) {
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
                    if self.is_done_with_nearest() {
                        return;
                    }
                    self.round(&near, &Round::new(self, *differing, offer, two));
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
                    if self.is_done_with_nearest() {
                        return;
                    }
                    if near.len() == place {
                        near.extend(self.near_open(next_sets(&sets[place..])));
                    }
                    let before = self.swaps.len();
                    let round = Round::new(self, *differing, offer, ask);
                    let read = self.round(&near[place], &round);
                    if sweep + 1 == sweeps.len() {
                        near[place] = Vec::new();
                    }
                    if ask.most.exposed == 0 {
                        continue;
                    }
                    history.push((read, self.swaps.len() - before));
                    if brought_little(&history, READ_PER_SWAP) {
                        return;
                    }
                }
            }
        }
    }

    fn is_done_with_nearest(&mut self) -> bool {
        self.open.is_empty() || self.is_full() || self.effort.is_short(Search::Nearest)
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

    /// For each of these sets the free cells that may share a bucket with an open one, those of one
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
        let bucket = |cell: u32| outside.mixed(cells.get(cell as usize));
        let free = self.pool.free_cells();
        // Where most cells are open, most of them are alone in their bucket: those are left out.
        // Where few are, it is not worth asking.
        let marks = match 2 * self.open.len() > free.len() {
            true => Marks::of_shared(free.iter().map(bucket), free.len()),
            false => Marks::of(self.open.iter().map(|&cell| bucket(cell)), self.open.len()),
        };
        let near: Vec<Near> = free
            .iter()
            .map(|cell| (bucket(cell), cell))
            .filter(|(bucket, _)| marks.holds(*bucket))
            .map(|(bucket, cell)| {
                let drawn = mixed([salt, cell.into()]) >> 32;
                Near { place: bucket & UPPER | drawn, cell }
            })
            .collect();
        bucket_sorted(near, Near::bucket)
    }

    /// One set: matches the cells of each bucket. Every bucket finds its swaps by itself, as if
    /// it were the only one; then they are made one after the other, and a swap that others
    /// have made worse since is looked for once more. So the number of threads plays no part.
    /// Answers how many cells were read.
    fn round(&mut self, near: &[Near], round: &Round<'_>) -> usize {
        let free = self.pool.free_cells().len();
        self.combinations.iter_mut().for_each(Combinations::begin_round);
        let this = &*self;
        let (mut proposals, unknown): (Vec<Vec<Proposal>>, Vec<Vec<u64>>) =
            pieces(near, Near::bucket)
                .into_par_iter()
                .with_max_len(1)
                .map(|piece| this.proposals(near, piece, round))
                .unzip();
        let made = proposals.iter_mut().flatten().filter_map(|proposal| proposal.made.as_mut());
        self.number_made(made, &unknown.concat());
        for proposal in proposals.into_iter().flatten() {
            if self.is_full() {
                break;
            }
            let Proposal { exchanged, harm, made, .. } = proposal;
            let [position, cell, partner] =
                [proposal.position, proposal.cell, proposal.partner].map(|one| one as usize);
            let is_there = self.pool.is_open(cell) && self.pool.is_free(partner);
            let as_judged = |made| self.make_as_judged(cell, partner, exchanged, &made);
            if is_there && made.is_some_and(as_judged) {
                continue;
            }
            let live = || self.judge_exchange(cell, partner, round.differing, exchanged);
            let live = is_there.then(live).flatten();
            if live.is_some_and(|live| round.ask.seen(live).harm() <= harm) {
                self.make(cell, partner, exchanged);
                continue;
            }
            let places = bucket_at(near, Near::bucket, position);
            let members = places.clone().map(|place| self.member(&near[place], place));
            let bucket: Vec<Member> = members.collect();
            let position = position - places.start;
            if let Some((partner, judgement)) = self.best_of(&bucket, position, round) {
                self.make(cell, bucket[partner].cell, judgement.exchanged);
            }
        }
        self.close_cells();
        let read = free + self.open.len();
        self.effort.spend(Search::Nearest, read as u64);
        read
    }

    /// The swaps that some buckets make, each as if nobody else made any; and the words of the
    /// combinations of keys that they make and that have no number yet.
    fn proposals(
        &self,
        near: &[Near],
        range: Range<usize>,
        round: &Round<'_>,
    ) -> (Vec<Proposal>, Vec<u64>) {
        let mut left = self.members_left(near, range);
        let (mut found, mut unknown) = (Vec::new(), Vec::new());
        for bucket in left.chunk_by_mut(|one, other| one.bucket == other.bucket) {
            for position in 0..bucket.len() {
                while let Some((partner, judgement)) = self.best_of(bucket, position, round) {
                    [position, partner].into_iter().for_each(|one| bucket[one].state.take());
                    let [cell, partner] = [position, partner].map(|place| bucket[place].cell);
                    let (exchanged, harm) = (judgement.exchanged, judgement.harm());
                    let made =
                        self.made_by(cell, partner, round.differing, exchanged, &mut unknown);
                    let [position, cell, partner] =
                        [bucket[position].place, cell, partner].map(number);
                    found.push(Proposal { position, cell, partner, exchanged, harm, made });
                }
            }
        }
        (found, unknown)
    }

    /// What is left of some buckets: some of it may have been taken since it was found near.
    /// Nothing of those in which nobody is open or everybody is alone.
    fn members_left(&self, near: &[Near], range: Range<usize>) -> Vec<Member> {
        let mut left: Vec<(usize, &Near)> = Vec::new();
        let mut start = range.start;
        for bucket in near[range].chunk_by(|one, other| one.bucket() == other.bucket()) {
            let before = left.len();
            let free = (start..).zip(bucket);
            left.extend(free.filter(|(_, near)| self.pool.is_free(near.cell as usize)));
            let is_open = |(_, near): &(usize, &Near)| self.pool.is_open(near.cell as usize);
            if left.len() < before + 2 || !left[before..].iter().any(is_open) {
                left.truncate(before);
            }
            start += bucket.len();
        }
        // All at once: cells of one bucket lie far apart in memory.
        left.into_iter().map(|(place, near)| self.member(near, place)).collect()
    }

    fn member(&self, near: &Near, place: usize) -> Member {
        let cell = near.cell as usize;
        Member { bucket: near.bucket(), place, cell, state: self.pool.state(cell) }
    }

    /// The best partner among the next few of the bucket, by its place in it.
    fn best_of(
        &self,
        bucket: &[Member],
        position: usize,
        round: &Round<'_>,
    ) -> Option<(usize, Judgement)> {
        let Round { differing, signature, offer, ask } = round;
        let Member { cell, state, .. } = bucket[position];
        if !state.is_open() {
            return None;
        }
        let cells = self.task.joint.cells();
        let own = cells.get(cell);
        let others = (position + 1..bucket.len()).chain(0..position).take(TRIES);
        let mut best: Option<(Judgement, usize)> = None;
        for place in others {
            let Member { cell: other, state, .. } = bucket[place];
            let differ = || self.signer.is_signature(signature, own, cells.get(other));
            if !state.is_free() || !differ() {
                continue;
            }
            let covers_one = !state.is_open();
            if ask.covers_two && covers_one {
                continue;
            }
            let judged = self.judge_within(cell, other, *differing, offer, ask.most);
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

/// Did the last rounds read more than `read_per_swap` for each swap that they made? Each round is
/// given by what it read and made.
pub(super) fn brought_little(rounds: &[(usize, usize)], read_per_swap: usize) -> bool {
    let Some(before) = rounds.len().checked_sub(PATIENCE) else { return false };
    let sums = |(all, made), (read, more): &(usize, usize)| (all + read, made + more);
    let (read, made) = rounds[before..].iter().fold((0, 0), sums);
    made < read.div_ceil(read_per_swap)
}

/// The half of a number that tells a bucket.
const UPPER: u64 = u64::MAX << 32;

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

//! The search for partners in the slices of every separator.
//!
//! Each cell that wants a swap looks at cells of its slices, near ones and random ones, and
//! notes the few cheapest partners; then the notes of all cells are taken in the order of
//! their cost. What lost its partners to others looks again, further each time, until
//! everything has been seen.

use std::sync::Arc;

use rayon::prelude::*;

use super::combinations::Combinations;
use super::effort::{
    COMPARISONS_AT_LEAST, COMPARISONS_PER_CELL, DRAWN, DRAWN_AT_LEAST, FAR, JUDGING, Search,
    WORKING_OUT,
};
use super::exchange::{OffersView, Worked};
use super::exhausted::Wanted;
use super::judge::Made;
use super::{Judgement, Offer, Planner, SIDE_BY_SIDE, number};
use crate::graph::Separator;
use crate::hash::{Map, STATE, mixed};
use crate::partner::slices::Slices;
use crate::varset::VarSet;

/// How many partners a cell notes in one pass.
const NOTES: usize = 4;

/// The most cells that a cell looks at through one separator the first time.
const FIRST_LOOK: usize = 1 << 11;

/// About this many comparisons are made at once, on all threads, before anybody asks whether it
/// is time to stop; they are cut into [`PIECES`], whatever the number of threads.
const AT_ONCE: usize = 1 << 17;
const PIECES: usize = 64;

/// The slices of this many separators are looked through together, and those of as many are held
/// between looks: eight bytes a cell for each.
const SLICES_HELD: usize = 8;

/// The slices of a separator, with the variables on which the cells of one agree.
pub(super) type Sorted<'a> = (VarSet, Arc<Slices<'a>>);

/// What one look is for.
#[derive(Debug, Clone, Copy)]
struct Ask {
    /// The variables on which two partners agree.
    agree: VarSet,
    /// How much further than the first time it looks.
    factor: usize,
    /// Whose swaps are made.
    whose: Whose,
    /// At most this many.
    most: usize,
    /// How many comparisons may be made.
    comparisons: usize,
}

/// Who wants a swap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whose {
    /// The records at risk.
    AtRisk,
    /// Any record, so that enough are changed.
    Anybody,
}

impl Whose {
    /// Whose account the looks are booked on.
    fn search(self) -> Search {
        match self {
            Self::AtRisk => Search::Slices,
            Self::Anybody => Search::Random,
        }
    }
}

/// A partner that a cell noted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Note {
    judgement: Judgement,
    chance: u32,
    cell: u32,
    partner: u32,
    /// Where what it makes is noted, for the best of a cell.
    made: Option<u32>,
}

impl<'a> Planner<'a> {
    /// Gives every open cell the cheapest partner that is found, until none is found any
    /// more or all comparisons are spent.
    pub(super) fn look_through_slices(&mut self, agree: VarSet) {
        let most = self.effort.lost(Search::Slices, self.task.joint.len());
        let mut spent = 0;
        let mut factor = 1;
        loop {
            self.close_cells();
            if self.open.is_empty() || self.is_full() || self.effort.is_short(Search::Slices) {
                return;
            }
            // From a random one on: where not all can be looked at, not always the same ones are.
            let mut wanting = self.open.clone();
            wanting.rotate_left(self.random.below(self.open.len()));
            let comparisons = most - spent;
            let ask = Ask { agree, factor, whose: Whose::AtRisk, most: usize::MAX, comparisons };
            let pass = self.pass(&wanting, ask);
            if pass.saw_everything && pass.made == 0 {
                return;
            }
            if pass.made * 20 < wanting.len() {
                factor *= 8;
                spent += pass.comparisons;
                if spent >= most {
                    return;
                }
            }
        }
    }

    /// Adds swaps between random records until `least` records are changed, or too many
    /// comparisons bring little.
    pub(super) fn add_random_swaps(&mut self, agree: VarSet, least: u64) {
        let most = self.effort.lost(Search::Random, self.task.joint.len());
        let mut spent = 0;
        let mut factor = 1;
        loop {
            let changed = self.records_changed();
            if changed >= least || self.is_full() || self.effort.is_short(Search::Random) {
                return;
            }
            let missing = usize::try_from((least - changed).div_ceil(2)).unwrap_or(usize::MAX);
            let asked = missing.saturating_mul(factor);
            let (wanting, everybody) = self.random_cells(asked);
            let comparisons = most - spent;
            let ask = Ask { agree, factor, whose: Whose::Anybody, most: missing, comparisons };
            let pass = self.pass(&wanting, ask);
            if pass.made == 0 && pass.saw_everything && everybody {
                return;
            }
            // Where partners are rare, more records look, and each looks further.
            if pass.made * 4 < missing {
                factor = factor.saturating_mul(8);
                spent += pass.comparisons;
                if spent >= most {
                    return;
                }
            }
        }
    }

    /// The cells of at most `most` free records, drawn at random, each record once at most; and
    /// whether these are all.
    fn random_cells(&mut self, most: usize) -> (Vec<u32>, bool) {
        let cells = self.task.joint.len();
        let mut ends: Vec<usize> = Vec::with_capacity(cells);
        let mut total = 0;
        for cell in 0..cells {
            total += self.pool.free(cell) as usize;
            ends.push(total);
        }
        // The first steps of a shuffle of all free records, of which only what was touched
        // is held.
        let mut moved: Map<usize, usize> = Map::with_hasher(STATE);
        let drawn = (0..total.min(most))
            .map(|step| {
                let chosen = step + self.random.below(total - step);
                let at = |place: usize| moved.get(&place).copied().unwrap_or(place);
                let (record, replacement) = (at(chosen), at(step));
                moved.insert(chosen, replacement);
                number(ends.partition_point(|&end| end <= record))
            })
            .collect();
        (drawn, total <= most)
    }

    /// One look through all slices for the cells that want a swap.
    fn pass(&mut self, wanting: &[u32], ask: Ask) -> Pass {
        let Ask { agree, factor, whose, comparisons, .. } = ask;
        let joint = self.task.joint;
        let whole =
            Separator { variables: VarSet::EMPTY, components: vec![self.task.class.delta()] };
        let separators = self.task.separators;
        // Without all separators only a look at every cell finds every partner.
        let mut list: Vec<&Separator> =
            if separators.is_complete() { self.useful_separators() } else { vec![&whole] };
        let budget = (joint.len() * COMPARISONS_PER_CELL).max(COMPARISONS_AT_LEAST);
        let limit = match whose {
            Whose::AtRisk => (budget / (wanting.len() * list.len()).max(1)).clamp(16, FIRST_LOOK),
            // Nobody is protected by a cheaper partner: a few are enough.
            Whose::Anybody => (DRAWN / list.len().max(1)).max(DRAWN_AT_LEAST),
        };
        let limit = limit.saturating_mul(factor);
        let mut pass = Pass { comparisons: 0, made: 0, saw_everything: true };
        let mut looks: Vec<Look> = wanting.iter().map(|&cell| Look::new(cell)).collect();
        let wanted = Wanted { goal: self.offers.goal(), bystanders: self.bystanders, agree };
        let salt = self.random.bits();
        // Cells that looked at everything in vain look at what was set free since.
        if whose == Whose::AtRisk {
            let last = self.pool.freed().len();
            let since = |look: &Look| self.exhausted.since(look.cell, wanted);
            let mut freed: Vec<(&mut Look, usize)> = looks
                .iter_mut()
                .filter_map(|look| since(look).map(|since| (look, last - since)))
                .collect();
            pass.comparisons +=
                self.look_side_by_side(&mut freed, usize::MAX, |look, last, work| {
                    work.look_at_freed(look, last, agree, salt);
                });
        }
        // Wide slices first: who saw all of one need not see a part of it.
        list.sort_by_key(|separator| (separator.variables | agree).len());
        let mut rest = list.into_iter();
        loop {
            let needed = |separator: &&Separator| {
                looks.iter().any(|look| look.needs(separator.variables | agree))
            };
            let next: Vec<&Separator> = rest.by_ref().filter(needed).take(SLICES_HELD).collect();
            if next.is_empty() {
                break;
            }
            let sorted = self.sorted_slices(&next, agree, whose.search());
            let most = comparisons.saturating_sub(pass.comparisons);
            pass.comparisons += self.look_through(&mut looks, &sorted, [limit, most]);
            if pass.comparisons as u64 >= self.effort.left(whose.search()) {
                self.effort.fell_short(whose.search());
                pass.saw_everything = false;
                break;
            }
        }
        self.effort.spend(whose.search(), pass.comparisons as u64);
        // Where weighted cells are bounded, a swap may make room for another one.
        let lasts = whose == Whose::AtRisk && self.drift.is_none();
        for look in &looks {
            let in_vain = look.best.is_empty() && look.saw_enough();
            pass.saw_everything &= look.saw_everything || in_vain;
            if lasts && in_vain {
                self.exhausted.note(look.cell, wanted, self.pool.freed().len());
            }
        }
        pass.made = self.make_noted(wanting, looks, ask);
        pass
    }

    /// Makes the swaps that cells noted, cheapest first, as far as others have left them possible.
    /// Answers how many.
    fn make_noted(&mut self, wanting: &[u32], mut looks: Vec<Look>, ask: Ask) -> usize {
        let made = self.made_by_best(&mut looks);
        let mut notes: Vec<Note> = looks.into_iter().flat_map(|look| look.best).collect();
        notes.par_sort_unstable();
        self.combinations.iter_mut().for_each(Combinations::begin_round);
        // Of each cell, as many as were drawn.
        let mut drawn: Vec<u32> = Vec::new();
        if ask.whose == Whose::Anybody {
            drawn.resize(self.task.joint.len(), 0);
            wanting.iter().for_each(|&cell| drawn[cell as usize] += 1);
        }
        let before = self.swaps.len();
        for note in notes {
            let (cell, partner) = (note.cell as usize, note.partner as usize);
            let made = note.made.and_then(|place| made[place as usize].as_ref());
            // Records of a cell are alike: what suits one of them suits others at risk.
            let mut most_harm = u64::MAX;
            loop {
                let still_wants = match ask.whose {
                    Whose::AtRisk => self.pool.is_open(cell),
                    Whose::Anybody => self.pool.is_free(cell) && drawn[cell] > 0,
                };
                if self.is_full() || self.swaps.len() - before == ask.most {
                    return self.swaps.len() - before;
                }
                if !still_wants || !self.pool.is_free(partner) {
                    break;
                }
                let exchanged = note.judgement.exchanged;
                let as_judged = |made| self.make_as_judged(cell, partner, exchanged, made);
                if !made.is_some_and(as_judged) {
                    let judged = self.judged_now(&note);
                    if judged.is_none_or(|judged| judged.harm() > most_harm) {
                        break;
                    }
                    self.make(cell, partner, exchanged);
                }
                most_harm = note.judgement.harm();
                for taken in [cell, partner] {
                    if let Some(drawn) = drawn.get_mut(taken) {
                        *drawn = drawn.saturating_sub(1);
                    }
                }
            }
        }
        self.swaps.len() - before
    }

    /// What the best notes of all cells make, where that tells whether another swap has made them
    /// worse; most of the others are not needed.
    fn made_by_best(&mut self, looks: &mut [Look]) -> Vec<Option<Made>> {
        let best = looks.iter_mut().filter_map(|look| look.best.first_mut());
        let best = best.zip(0u32..).map(|(note, place)| {
            note.made = Some(place);
            &*note
        });
        let best: Vec<&Note> = best.collect();
        let this = &*self;
        let (made, unknown): (Vec<Vec<Option<Made>>>, Vec<Vec<u64>>) = best
            .par_chunks(SIDE_BY_SIDE)
            .map(|notes| {
                let mut unknown = Vec::new();
                let made = notes.iter().map(|note| {
                    let (cell, partner) = (note.cell as usize, note.partner as usize);
                    let (differing, set) =
                        (this.differing(cell, partner), note.judgement.exchanged);
                    this.made_by(cell, partner, differing, set, &mut unknown)
                });
                (made.collect(), unknown)
            })
            .unzip();
        let mut made = made.concat();
        self.number_made(made.iter_mut().flatten(), &unknown.concat());
        made
    }

    /// The slices of these separators, each with the variables on which its cells agree; they are
    /// held for later looks as long as there is room. Sorting them is booked on a search.
    pub(super) fn sorted_slices(
        &mut self,
        separators: &[&Separator],
        agree: VarSet,
        search: Search,
    ) -> Vec<Sorted<'a>> {
        let (joint, held) = (self.task.joint, &self.slices);
        let is_new =
            |one: &&&Separator| held.iter().all(|(known, _)| *known != one.variables | agree);
        let new = separators.iter().filter(is_new).count();
        self.effort.spend(search, (new * joint.len()) as u64);
        let sorted: Vec<Sorted<'a>> = separators
            .par_iter()
            .with_max_len(1)
            .map(|separator| {
                let on = separator.variables | agree;
                let known = held.iter().find(|(known, _)| *known == on);
                let sort = || (on, Arc::new(Slices::on(joint, on, &[])));
                known.cloned().unwrap_or_else(sort)
            })
            .collect();
        for (on, slices) in &sorted {
            if self.slices.len() < SLICES_HELD && self.slices.iter().all(|(known, _)| known != on) {
                self.slices.push((*on, Arc::clone(slices)));
            }
        }
        sorted
    }

    /// Lets cells look through all of these slices that they need: through each at a limited number
    /// of cells, and all of them together with a limited number of comparisons. Answers how many
    /// these were.
    fn look_through(
        &mut self,
        looks: &mut [Look],
        all: &[Sorted<'_>],
        [limit, most]: [usize; 2],
    ) -> usize {
        let salts: Vec<u64> = all.iter().map(|_| self.random.bits()).collect();
        let mut looks: Vec<(&mut Look, usize)> = looks
            .iter_mut()
            .filter_map(|look| {
                let needed = all.iter().filter(|(on, _)| look.needs(*on));
                let far: usize =
                    needed.map(|(_, slices)| slices.around(look.cell).len().min(limit)).sum();
                (far > 0).then_some((look, far))
            })
            .collect();
        self.look_side_by_side(&mut looks, most, |look, _, work| {
            for ((on, slices), salt) in all.iter().zip(&salts) {
                if look.needs(*on) {
                    work.gather(slices, look, limit, *salt);
                    match slices.around(look.cell).len() <= limit {
                        true => look.seen.push(*on),
                        false => look.saw_everything = false,
                    }
                }
            }
            work.note_nearest(look, salts[0]);
        })
    }

    /// What a swap that was noted is worth after those that were made since.
    fn judged_now(&self, note: &Note) -> Option<Judgement> {
        let (cell, partner) = (note.cell as usize, note.partner as usize);
        let differing = self.differing(cell, partner);
        self.judge_exchange(cell, partner, differing, note.judgement.exchanged)
    }

    /// Lets cells look, each as far as given, many side by side, until the comparisons allowed are
    /// spent; the others saw not everything. What each finds follows from the cells alone, and so
    /// does who comes to look at all: the number of threads plays no part. Answers how many
    /// comparisons it took.
    fn look_side_by_side(
        &mut self,
        looks: &mut [(&mut Look, usize)],
        most: usize,
        work: impl Fn(&mut Look, usize, &mut Work<'_>) + Sync,
    ) -> usize {
        let mut spent = 0;
        let mut rest = looks;
        while !rest.is_empty() && spent < most {
            let mut planned = 0;
            let is_enough = |(_, far): &(&mut Look, usize)| {
                planned += far + 1;
                planned >= AT_ONCE
            };
            let many = rest.iter().position(is_enough).map_or(rest.len(), |last| last + 1);
            let (here, after) = rest.split_at_mut(many);
            let this = &*self;
            let done: Vec<(usize, Worked)> = here
                .par_chunks_mut(many.div_ceil(PIECES))
                .map(|looks| {
                    let (offers, by_distance) = (this.offers.view(), Vec::new());
                    let mut own = Work { planner: this, offers, by_distance, comparisons: 0 };
                    looks.iter_mut().for_each(|(look, far)| work(look, *far, &mut own));
                    (own.comparisons, own.offers.into_own())
                })
                .collect();
            for (comparisons, own) in done {
                spent += comparisons;
                self.offers.remember(own);
            }
            rest = after;
        }
        rest.iter_mut().for_each(|(look, _)| look.saw_everything = false);
        spent
    }

    /// The judgement of two cells, unless their cheapest exchange costs `limit` or more.
    /// Where none of the cheapest is allowed, dearer unions of parts are tried.
    pub(super) fn judge_below(
        &mut self,
        left: usize,
        right: usize,
        differing: VarSet,
        limit: u64,
    ) -> Option<Judgement> {
        let offer = self.offers.get(differing)?;
        if offer.cost >= limit {
            return None;
        }
        let offer = Arc::clone(offer);
        self.judge_any(left, right, differing, &offer, limit)
    }

    /// The judgement of two cells: the cheapest exchanges first, and where none of them is
    /// allowed, all unions of parts that cost less than `limit`.
    pub(super) fn judge_any(
        &self,
        left: usize,
        right: usize,
        differing: VarSet,
        offer: &Offer,
        limit: u64,
    ) -> Option<Judgement> {
        self.judge(left, right, differing, offer)
            .or_else(|| self.judge_all_unions(left, right, differing, offer, limit))
    }

    fn judge_all_unions(
        &self,
        left: usize,
        right: usize,
        differing: VarSet,
        offer: &Offer,
        limit: u64,
    ) -> Option<Judgement> {
        let mut best: Option<Judgement> = None;
        for &(cost, exchanged) in self.offers.every(differing, offer) {
            // Where weighted cells are bounded, a judgement has a cost of its own.
            let is_dearer = |best: &Judgement| !best.detaches && cost > best.cost;
            if self.drift.is_none() && (cost >= limit || best.as_ref().is_some_and(is_dearer)) {
                break;
            }
            let judgement = self.judge_exchange(left, right, differing, exchanged);
            let allowed = judgement.filter(|judgement| judgement.cost < limit);
            best = best.into_iter().chain(allowed).min();
        }
        best
    }
}

/// Some cells look for partners, others at the same time.
struct Work<'w> {
    planner: &'w Planner<'w>,
    offers: OffersView<'w>,
    /// Cells to be looked at, by the number of variables in which they differ.
    by_distance: Vec<Vec<u32>>,
    comparisons: usize,
}

impl Work<'_> {
    /// Collects the free ones among at most `limit` cells of the slice.
    fn gather(&mut self, slices: &Slices<'_>, look: &mut Look, limit: usize, salt: u64) {
        let slice = slices.around(look.cell);
        let far = slice.len().min(limit);
        self.comparisons += far;
        look.compared += far;
        let Planner { pool, signer, task, least_costs, .. } = self.planner;
        let cells = task.joint.cells();
        let own = cells.get(look.cell as usize);
        self.by_distance.resize_with(least_costs.len(), Vec::new);
        for &partner in around(slice, look.cell, far, salt).into_iter().flatten() {
            let distance = signer.distance(own, cells.get(partner as usize));
            if distance >= 2 && pool.is_free(partner as usize) {
                self.by_distance[distance].push(partner);
            }
        }
    }

    /// Notes the cheapest partners among those that were gathered. The nearest come first: most of
    /// the others then need not be judged.
    fn note_nearest(&mut self, look: &mut Look, salt: u64) {
        let least_costs = &self.planner.least_costs;
        for (distance, &least) in least_costs.iter().enumerate().skip(2) {
            let mut partners = std::mem::take(&mut self.by_distance[distance]);
            let mut all = partners.iter();
            while least < look.dearest()
                && let Some(&partner) = all.next()
            {
                self.note_partner(look, partner, salt);
            }
            partners.clear();
            self.by_distance[distance] = partners;
        }
    }

    /// Notes the cheapest partners among the records that were set free last.
    fn look_at_freed(&mut self, look: &mut Look, last: usize, agree: VarSet, salt: u64) {
        look.knows_all = true;
        let freed = self.planner.pool.freed();
        self.comparisons += last;
        for &partner in &freed[freed.len() - last..] {
            if !self.planner.differing(look.cell as usize, partner as usize).meets(&agree) {
                self.note_partner(look, partner, salt);
            }
        }
    }

    /// Notes a partner if it is among the cheapest.
    fn note_partner(&mut self, look: &mut Look, partner: u32, salt: u64) {
        let Self { planner, offers, comparisons, .. } = self;
        let (cell, other) = (look.cell as usize, partner as usize);
        let is_known = || look.best.iter().any(|known| known.partner == partner);
        if !planner.pool.is_free(other) || other == cell || is_known() {
            return;
        }
        let worst = look.dearest();
        // Most cannot be cheap enough, and with many variables it takes long to tell what a pair
        // offers: nearly every one differs in a set of its own.
        let cells = planner.task.joint.cells();
        let distance = planner.signer.distance(cells.get(cell), cells.get(other));
        if planner.least_costs[distance] >= worst {
            return;
        }
        let differing = planner.differing(cell, other);
        if planner.task.prices.least_cost(differing) >= worst {
            return;
        }
        let known = offers.worked_out();
        let offer = offers.get(differing).filter(|offer| offer.cost < worst).map(Arc::clone);
        *comparisons += (offers.worked_out() - known) * WORKING_OUT;
        let Some(offer) = offer else { return };
        *comparisons += offer.exchanges.len() * JUDGING;
        let Some(judgement) = planner.judge_any(cell, other, differing, &offer, worst) else {
            // Before it says no every union of parts is tried.
            *comparisons += planner.offers.every(differing, &offer).len() * JUDGING;
            return;
        };
        let drawn = mixed([salt, cell as u64, partner.into()]) >> 32;
        let chance = u32::try_from(drawn).expect("half of the bits are left");
        let note = Note { judgement, chance, cell: number(cell), partner, made: None };
        let place = look.best.partition_point(|known| *known < note);
        look.best.insert(place, note);
        look.best.truncate(NOTES);
    }
}

/// `many` cells of a sorted slice, in pieces: half of them around a cell, the others from a random
/// place on. Neighbours have much in common, so they cost little; but where they have too much in
/// common, only the others are partners.
fn around(slice: &[u32], cell: u32, many: usize, salt: u64) -> [&[u32]; 4] {
    let below = |most: usize, draw: u64| {
        let drawn = u128::from(mixed([salt, draw, cell.into()])) * most as u128;
        usize::try_from(drawn >> 64).expect("it is below a length")
    };
    let near = many.div_ceil(2);
    let own = slice.partition_point(|&other| other < cell);
    let start = own + slice.len() - below(near, 0);
    let skipped = below(slice.len() - many + 1, 1);
    let [one, other] = in_a_ring(slice, start, near);
    let [third, last] = in_a_ring(slice, start + near + skipped, many - near);
    [one, other, third, last]
}

/// `many` cells from a place on; after the last one comes the first.
fn in_a_ring(slice: &[u32], start: usize, many: usize) -> [&[u32]; 2] {
    let start = start % slice.len();
    let to_the_end = many.min(slice.len() - start);
    [&slice[start..start + to_the_end], &slice[..many - to_the_end]]
}

/// One cell that wants a swap.
struct Look {
    cell: u32,
    /// The cheapest partners that were found.
    best: Vec<Note>,
    /// Has it seen every partner there is?
    saw_everything: bool,
    /// The variables on whose slices it saw all cells.
    seen: Vec<VarSet>,
    /// With how many cells it was compared.
    compared: usize,
    /// Did it look in vain before, and at all that was set free since?
    knows_all: bool,
}

impl Look {
    fn new(cell: u32) -> Self {
        let (best, seen) = (Vec::new(), Vec::new());
        Self { cell, best, saw_everything: true, seen, compared: 0, knows_all: false }
    }

    /// What the last of its notes costs; one that is not cheaper is not noted.
    fn dearest(&self) -> u64 {
        self.best.get(NOTES - 1).map_or(u64::MAX, |note| note.judgement.cost)
    }

    /// Is there a cell that agrees with it on these variables and that it has not seen?
    fn needs(&self, on: VarSet) -> bool {
        !self.knows_all && !self.seen.iter().any(|seen| seen.is_subset(&on))
    }

    /// Is there little hope to see more by looking again?
    fn saw_enough(&self) -> bool {
        self.saw_everything || self.compared >= FAR
    }
}

/// What one look through all slices brought.
struct Pass {
    comparisons: usize,
    made: usize,
    saw_everything: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Random, Seed};

    /// No cell twice, as many as asked for, the cell's neighbours among them, and all in the end.
    #[test]
    fn a_look_around_sees_different_cells() {
        let random = &mut Random::new(Seed([3; 32]), 0);
        let mut far_away = 0;
        for _ in 0..2000 {
            let slice: Vec<u32> =
                (0..1 + random.below(40)).map(|place| number(place * 3)).collect();
            let cell = slice[random.below(slice.len())];
            let many = 1 + random.below(slice.len());
            let mut seen = around(&slice, cell, many, random.bits()).concat();
            assert!(seen[..many.div_ceil(2)].contains(&cell));
            far_away += usize::from(many < 10 && seen.iter().any(|one| one.abs_diff(cell) > 45));
            seen.sort_unstable();
            seen.dedup();
            assert_eq!(seen.len(), many);
            assert!(many < slice.len() || seen == slice);
        }
        assert!(far_away > 50, "{far_away}");
    }
}

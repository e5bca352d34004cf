//! Looking for partners through the slices of every separator.
//!
//! Each cell that wants a swap looks at cells of its slices, from a random place on, and
//! notes the few cheapest partners; then the notes of all cells are taken in the order of
//! their cost. What lost its partners to others looks again, further each time, until
//! everything has been seen.

use super::{Judgement, Offer, Planner, number};
use crate::graph::Separator;
use crate::hash::{Map, STATE};
use crate::partner::slices::Slices;
use crate::varset::VarSet;

/// How many partners a cell notes in one pass.
const NOTES: usize = 4;

/// How many comparisons one pass may take, for each cell of the file, and at least.
const COMPARISONS_PER_CELL: usize = 32;
const COMPARISONS_AT_LEAST: usize = 1 << 24;

/// How many comparisons all passes may take.
const COMPARISONS_AT_MOST: usize = 300_000_000;

/// Among so many partners, drawn at random, a record that nobody is after finds its own; through
/// each separator at least so many.
const DRAWN: usize = 256;
const DRAWN_AT_LEAST: usize = 16;

/// Judging a partner costs as much as so many comparisons.
const JUDGING: usize = 16;

/// What one look is for.
#[derive(Debug, Clone, Copy)]
struct Ask {
    /// The variables on which two partners agree.
    agree: VarSet,
    /// How much further than the first time it looks.
    factor: usize,
    /// Whose swaps are made.
    whose: Whose,
    /// At most so many.
    most: usize,
}

/// Who wants a swap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whose {
    /// The records at risk.
    AtRisk,
    /// Any record, so that enough are changed.
    Anybody,
}

/// A partner that a cell noted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Note {
    judgement: Judgement,
    chance: u32,
    cell: u32,
    partner: u32,
}

impl Planner<'_> {
    /// Gives every open cell the cheapest partner that is found, until none is found any
    /// more or all comparisons are spent.
    pub(super) fn look_through_slices(&mut self, agree: VarSet) {
        let mut spent = 0;
        let mut factor = 1;
        loop {
            self.close_cells();
            if self.open.is_empty() || self.is_full() {
                return;
            }
            let wanting = self.open.clone();
            let ask = Ask { agree, factor, whose: Whose::AtRisk, most: usize::MAX };
            let pass = self.pass(&wanting, ask);
            spent += pass.comparisons;
            let done = pass.saw_everything && pass.made == 0;
            if done || spent > COMPARISONS_AT_MOST {
                return;
            }
            if pass.made * 20 < wanting.len() {
                factor *= 8;
            }
        }
    }

    /// Adds swaps between random records until so many records are changed.
    pub(super) fn add_random_swaps(&mut self, agree: VarSet, least: u64) {
        let mut factor = 1;
        loop {
            let changed = self.records_changed();
            if changed >= least || self.is_full() {
                return;
            }
            let missing = usize::try_from((least - changed).div_ceil(2)).unwrap_or(usize::MAX);
            let asked = missing.saturating_mul(factor);
            let (wanting, everybody) = self.random_cells(asked);
            let ask = Ask { agree, factor, whose: Whose::Anybody, most: missing };
            let pass = self.pass(&wanting, ask);
            if pass.made == 0 && pass.saw_everything && everybody {
                return;
            }
            // Where partners are rare, more records look, and each looks further.
            if pass.made * 4 < missing {
                factor = factor.saturating_mul(8);
            }
        }
    }

    /// The cells of so many free records, drawn at random, each record once at most; and
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
        let Ask { agree, factor, whose, most } = ask;
        let joint = self.task.joint;
        let whole =
            Separator { variables: VarSet::EMPTY, components: vec![self.task.class.delta()] };
        let separators = self.task.separators;
        // Without all separators only a look at every cell finds every partner.
        let list: Vec<&Separator> =
            if separators.is_complete() { self.useful_separators() } else { vec![&whole] };
        let budget = (joint.len() * COMPARISONS_PER_CELL).max(COMPARISONS_AT_LEAST);
        let limit = match whose {
            Whose::AtRisk => (budget / (wanting.len() * list.len()).max(1)).max(16),
            // Nobody is protected by a cheaper partner: a few are enough.
            Whose::Anybody => (DRAWN / list.len().max(1)).max(DRAWN_AT_LEAST),
        };
        let limit = limit.saturating_mul(factor);
        let mut pass = Pass { comparisons: 0, made: 0, saw_everything: true };
        let mut notes: Vec<Note> = Vec::new();
        let mut best: Vec<Vec<Note>> = vec![Vec::new(); wanting.len()];
        for separator in list {
            let slices = Slices::of(joint, separator);
            for (&cell, best) in wanting.iter().zip(&mut best) {
                if pass.comparisons > COMPARISONS_AT_MOST {
                    break;
                }
                self.note_partners(&slices, cell as usize, agree, limit, best, &mut pass);
            }
        }
        for best in best {
            notes.extend(best);
        }
        notes.sort_unstable();
        let mut wanted = vec![0u32; joint.len()];
        for &cell in wanting {
            wanted[cell as usize] += 1;
        }
        for note in notes {
            let (cell, partner) = (note.cell as usize, note.partner as usize);
            let still_wants = self.pool.is_free(cell) && wanted[cell] > 0;
            let covers = whose == Whose::Anybody || self.pool.is_open(cell);
            if self.is_full() || pass.made == most {
                break;
            }
            if !still_wants || !covers || !self.pool.is_free(partner) {
                continue;
            }
            if !self.is_still_allowed(&note) {
                continue;
            }
            wanted[cell] -= 1;
            wanted[partner] = wanted[partner].saturating_sub(1);
            self.make(cell, partner, note.judgement.exchanged);
            pass.made += 1;
        }
        pass
    }

    /// Is a swap that was noted allowed after those that were made since?
    fn is_still_allowed(&self, note: &Note) -> bool {
        let (cell, partner) = (note.cell as usize, note.partner as usize);
        let differing = self.task.joint.cells().differing(cell, partner);
        self.judge_exchange(cell, partner, differing, note.judgement.exchanged).is_some()
    }

    /// Notes the cheapest partners among the next `limit` cells of the slice.
    fn note_partners(
        &mut self,
        slices: &Slices<'_>,
        cell: usize,
        agree: VarSet,
        limit: usize,
        best: &mut Vec<Note>,
        pass: &mut Pass,
    ) {
        let cells = self.task.joint.cells();
        let slice = slices.slice(slices.slice_of(cell));
        let start = self.random.below(slice.len());
        pass.saw_everything &= slice.len() <= limit;
        pass.comparisons += slice.len().min(limit);
        for &partner in slice[start..].iter().chain(&slice[..start]).take(limit) {
            let other = partner as usize;
            if !self.pool.is_free(other) || other == cell {
                continue;
            }
            let differing = cells.differing(cell, other);
            if differing.meets(&agree) {
                continue;
            }
            let worst = best.get(NOTES - 1).map_or(u64::MAX, |note| note.judgement.cost);
            pass.comparisons += JUDGING;
            // With many variables nearly every pair differs in a set of its own, and what it
            // offers is worked out again; most cannot be cheap enough.
            let hopeless = self.task.prices.least_cost(differing) >= worst;
            let judgement = match hopeless {
                true => None,
                false => self.judge_below(cell, other, differing, worst),
            };
            let Some(judgement) = judgement else {
                // Before it says no every union of parts is tried.
                pass.comparisons += 16 * JUDGING;
                continue;
            };
            let chance =
                u32::try_from(self.random.bits() >> 32).expect("half of the bits are left");
            let note = Note { judgement, chance, cell: number(cell), partner };
            if best.iter().any(|known| known.partner == partner) {
                continue;
            }
            let place = best.partition_point(|known| *known < note);
            best.insert(place, note);
            best.truncate(NOTES);
        }
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
        let offer = offer.clone();
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
            .or_else(|| self.judge_all_unions(left, right, differing, limit))
    }

    fn judge_all_unions(
        &self,
        left: usize,
        right: usize,
        differing: VarSet,
        limit: u64,
    ) -> Option<Judgement> {
        // 2⁵ − 1 unions are tried at most.
        const MOST_PARTS: usize = 6;
        let graph = self.offers.graph();
        let parts = crate::partner::pair::exchangeable_parts(graph, differing);
        if parts.len() <= 2 || parts.len() > MOST_PARTS {
            return None;
        }
        let (goal, aims) = (self.offers.goal(), self.offers.aims());
        crate::partner::pair::exchanges(&parts)
            .filter(|exchanged| goal.is_served(aims, differing, *exchanged))
            .filter_map(|exchanged| self.task.prices.at_rest(differing, exchanged))
            .filter_map(|exchanged| self.judge_exchange(left, right, differing, exchanged))
            .filter(|judgement| judgement.cost < limit)
            .min()
    }
}

/// What one look through all slices brought.
struct Pass {
    comparisons: usize,
    made: usize,
    saw_everything: bool,
}

//! Looks for partners by whom a person can be hidden, and notes the cheapest.
//!
//! Partners come through the slices of the separators. In a small file everybody in a slice is
//! looked at, in a large one as many as the work allows: those nearest in the order of the cells,
//! and others from a random place on. What a pair of cells may exchange depends on what differs
//! alone and is worked out once.

use std::sync::{Arc, Mutex};

use rayon::prelude::*;

use super::movement::{Moved, codes};
use super::pieces::Pieces;
use super::{Demand, Held, Hiding, NewPairs, Person, Watch};
use crate::graph::Separator;
use crate::hash::{Map, STATE, chance};
use crate::partner::is_absent_by_rarity;
use crate::partner::pair::{exchangeable_parts, exchanges};
use crate::partner::slices::Slices;
use crate::partner::swap::exchange;
use crate::varset::VarSet;

/// How many partners a person notes; and where little was found.
const NOTES: usize = 24;
const MORE_NOTES: usize = 1024;

/// All people who look in one round together look at this many cells, each at this many at least.
/// Where a round brings little, who is left looks at as many as that allows; before, at this many
/// at most.
const LOOKS: usize = 1 << 20;
const LOOKS_EACH: std::ops::RangeInclusive<usize> = 32..=2048;

/// Of this many parts every union is tried; of more, only those of parts with a key.
const MOST_PARTS: usize = 7;

/// What a round looks for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Look {
    pub(super) demand: Demand,
    pub(super) new_pairs: NewPairs,
    /// The variables on which two partners agree.
    pub(super) agree: VarSet,
    pub(super) depth: Depth,
}

/// How far everybody looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    /// Until there is something to choose from.
    Some,
    /// As far as the work allows.
    Most,
}

impl Depth {
    /// How many partners a person notes.
    fn notes(self) -> usize {
        match self {
            Self::Some => NOTES,
            Self::Most => MORE_NOTES,
        }
    }
}

/// An exchange that would serve somebody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Candidate {
    /// Under a cap on the records that change, does it serve nobody but the one who looks?
    for_one: bool,
    price: i64,
    chance: u64,
    pub(super) partner: u32,
    pub(super) exchanged: VarSet,
}

/// One way to exchange what differs.
pub(super) struct Choice {
    /// What is exchanged of it, and what is not.
    sides: [VarSet; 2],
    /// For each intruder the keys on either side, by bit.
    keys: Vec<[u32; 2]>,
    /// The two-way tables that it moves.
    moves: Vec<Moved>,
    /// The pairs of variables, the lower one first, whose values meet anew and must not be new.
    meets: Vec<(usize, usize)>,
}

/// The choices for each Δ̄, as far as they were worked out.
type Choices = Map<VarSet, Arc<[Choice]>>;

/// A person at risk who looks, with what is known of the pieces of their keys.
struct Looking {
    person: Person,
    /// By part: not asked yet, not crowded, crowded.
    crowded: Vec<u8>,
}

impl Looking {
    fn is_crowded(&mut self, pieces: &Pieces<'_>, part: u32) -> bool {
        let known = &mut self.crowded[part as usize];
        if *known == 0 {
            *known = 1 + u8::from(pieces.is_crowded(part, self.person.name));
        }
        *known == 2
    }
}

impl<'a> Hiding<'_, 'a> {
    /// The slices in which partners are looked for.
    ///
    /// Keys are cut only through separators that part two of them; who keeps all keys and gets
    /// other values needs no such one.
    pub(super) fn slices(&mut self, look: Look) -> Arc<[Slices<'a>]> {
        let (agree, every) = (look.agree, look.demand == Demand::Detached);
        let same = |held: &&Held<'_>| (held.agree, held.every) == (agree, every);
        if let Some(held) = self.held.iter().find(same) {
            return Arc::clone(&held.slices);
        }
        let task = self.task();
        let whole = Separator { variables: VarSet::EMPTY, components: vec![task.class.delta()] };
        let list = match task.separators.is_complete() {
            true if every => task.separators.list().iter().collect(),
            true => self.planner.useful_separators(),
            false => vec![&whole],
        };
        // A slice of more variables is a part of one of fewer.
        let sets: Vec<VarSet> = list.iter().map(|one| one.variables | agree).collect();
        let widest = sets
            .iter()
            .filter(|set| !sets.iter().any(|other| other != *set && other.is_subset(set)));
        let mut widest: Vec<VarSet> = widest.copied().collect();
        widest.sort_unstable();
        widest.dedup();
        let slices: Arc<[Slices<'a>]> =
            widest.into_iter().map(|set| Slices::on(task.joint, set, &[])).collect();
        self.held.push(Held { agree, every, slices: Arc::clone(&slices) });
        slices
    }

    /// The cheapest candidates of each of these cells, where so many look in all.
    pub(super) fn look(
        &self,
        slices: &[Slices<'_>],
        cells: &[u32],
        looking: usize,
        look: Look,
        salt: u64,
    ) -> Vec<Vec<Candidate>> {
        let each = (LOOKS / looking.max(1)).max(*LOOKS_EACH.start());
        let each = match look.depth {
            Depth::Some => each.min(*LOOKS_EACH.end()),
            Depth::Most => each,
        } / slices.len().max(1);
        let known: Mutex<Vec<Choices>> = Mutex::new(Vec::new());
        let found = cells.par_chunks(4).flat_map_iter(|cells| {
            let taken = known.lock().expect("nobody panics with it").pop();
            let mut choices = taken.unwrap_or_else(|| Choices::with_hasher(STATE));
            let found: Vec<Vec<Candidate>> = cells
                .iter()
                .map(|&cell| self.candidates(slices, cell, each, look, salt, &mut choices))
                .collect();
            known.lock().expect("nobody panics with it").push(choices);
            found
        });
        found.collect()
    }

    fn candidates(
        &self,
        slices: &[Slices<'_>],
        cell: u32,
        each: usize,
        look: Look,
        salt: u64,
        choices: &mut Choices,
    ) -> Vec<Candidate> {
        let people = self.people_at_risk(cell as usize).into_iter();
        let room = |watch: usize| {
            self.watches[watch].pieces.as_ref().map_or(0, |one| one.all_keys() as usize + 1)
        };
        let mut people: Vec<Looking> =
            people.map(|person| Looking { person, crowded: vec![0; room(person.watch)] }).collect();
        let mut found: Vec<Candidate> = Vec::new();
        for slices in slices {
            let slice = slices.around(cell);
            let own = slice.partition_point(|&other| other < cell);
            if slice.len() <= each {
                for &other in slice {
                    self.note(&mut found, cell, other, &mut people, look, salt, choices);
                }
                continue;
            }
            let near = own.saturating_sub(each / 4).min(slice.len() - each / 2);
            let far = usize::try_from(chance((salt, cell)) % slice.len() as u64).expect("a place");
            let far = (0..each / 2).map(|step| slice[(far + step * 7919) % slice.len()]);
            for other in slice[near..near + each / 2].iter().copied().chain(far) {
                self.note(&mut found, cell, other, &mut people, look, salt, choices);
            }
        }
        found
    }

    /// Notes the cheapest exchange with a partner, if it is among the cheapest of all.
    #[allow(clippy::too_many_arguments, reason = "the inner step of one loop")]
    fn note(
        &self,
        found: &mut Vec<Candidate>,
        cell: u32,
        partner: u32,
        people: &mut [Looking],
        look: Look,
        salt: u64,
        choices: &mut Choices,
    ) {
        let (own, other) = (cell as usize, partner as usize);
        if own == other || !self.planner.pool.is_free(other) {
            return;
        }
        let differing = self.planner.differing(own, other);
        if differing.meets(&look.agree) {
            return;
        }
        let known = Arc::clone(choices.entry(differing).or_insert_with(|| self.choices(differing)));
        let mut both: Option<[Vec<u32>; 2]> = None;
        for choice in known.iter() {
            if !people.iter_mut().all(|one| self.may_serve(one, choice, differing, look.demand)) {
                continue;
            }
            let layout = self.task().joint.cells().layout();
            let [left, right] = both.get_or_insert_with(|| {
                [own, other].map(|cell| codes(layout, self.task().joint.cells().get(cell)))
            });
            let price = self.movement.price(left, right, &choice.moves);
            let for_one =
                self.task().constraints.most_changed.is_some() && !self.planner.pool.is_open(other);
            let is_dearer = |last: &Candidate| (for_one, price) > (last.for_one, last.price);
            let notes = look.depth.notes();
            if found.len() == notes && is_dearer(&found[notes - 1]) {
                continue;
            }
            let exchanged = choice.sides[0];
            let chance = chance((salt, partner, exchanged));
            let candidate = Candidate { for_one, price, chance, partner, exchanged };
            let place = found.partition_point(|one| *one < candidate);
            if place == notes || found.get(place) == Some(&candidate) {
                continue;
            }
            if !self.is_allowed(own, other, choice, [left, right], look.new_pairs)
                || !self.may_serve_partner(other, choice, differing, look.demand)
            {
                continue;
            }
            found.insert(place, candidate);
            found.truncate(notes);
        }
    }

    /// Can an exchange serve this person, as far as the keys tell?
    fn may_serve(
        &self,
        one: &mut Looking,
        choice: &Choice,
        differing: VarSet,
        demand: Demand,
    ) -> bool {
        let watch = &self.watches[one.person.watch];
        let pieces = watch.pieces.as_ref();
        let crowded =
            |one: &mut Looking, part| pieces.is_some_and(|pieces| one.is_crowded(pieces, part));
        may_serve(watch, choice.keys[one.person.watch], choice.sides, differing, demand, |part| {
            crowded(one, part)
        })
    }

    /// Can it serve everybody at risk of the partner's cell?
    fn may_serve_partner(
        &self,
        partner: usize,
        choice: &Choice,
        differing: VarSet,
        demand: Demand,
    ) -> bool {
        if !self.planner.pool.is_open(partner) {
            return true;
        }
        self.people_at_risk(partner).into_iter().all(|person| {
            let watch = &self.watches[person.watch];
            let pieces = watch.pieces.as_ref();
            let crowded = |part| pieces.is_some_and(|pieces| pieces.is_crowded(part, person.name));
            may_serve(watch, choice.keys[person.watch], choice.sides, differing, demand, crowded)
        })
    }

    /// Does an exchange break no rule and put no two values together that must not be?
    fn is_allowed(
        &self,
        left: usize,
        right: usize,
        choice: &Choice,
        codes: [&Vec<u32>; 2],
        new_pairs: NewPairs,
    ) -> bool {
        let constraints = self.task().constraints;
        let cells = self.task().joint.cells();
        let layout = cells.layout();
        let [one, _] = choice.sides;
        if !constraints.forbidden.is_empty() {
            let old = [cells.get(left), cells.get(right)];
            let new = exchange(layout, old[0], old[1], one);
            let breaks =
                |rule: &crate::partner::Forbidden| rule.newly_broken(layout, old, [&new.0, &new.1]);
            if constraints.forbidden.iter().any(breaks) {
                return false;
            }
        }
        let [left, right] = codes;
        let is_new = |low: usize, high: usize, pair: [u32; 2]| {
            !self.planner.seen.holds(low, high, pair)
                && (new_pairs == NewPairs::Forbidden || {
                    let count = |variable, code| u64::from(self.movement.count(variable, code));
                    let records = self.movement.records();
                    !is_absent_by_rarity(count(low, pair[0]), count(high, pair[1]), records)
                })
        };
        !choice.meets.iter().any(|&(low, high)| {
            is_new(low, high, [left[low], right[high]])
                || is_new(low, high, [right[low], left[high]])
        })
    }

    /// What two cells that differ on Δ̄ may exchange so that every table is kept and some key
    /// changes hands.
    fn choices(&self, differing: VarSet) -> Arc<[Choice]> {
        let task = self.task();
        let keys = task.all_keys();
        let parts = exchangeable_parts(self.planner.offers.graph(), differing);
        let sets: Vec<VarSet> = if parts.len() <= MOST_PARTS {
            exchanges(&parts).collect()
        } else {
            let (with, without): (Vec<VarSet>, Vec<VarSet>) =
                parts.iter().partition(|part| part.meets(&keys));
            let rest = without.into_iter().fold(VarSet::EMPTY, |all, part| all | part);
            let with = &with[..with.len().min(MOST_PARTS)];
            exchanges(with).flat_map(|set| [set, set | rest]).collect()
        };
        let parts_of = |set: VarSet| {
            self.watches
                .iter()
                .map(move |watch| watch.pieces.as_ref().map_or(0, |pieces| pieces.names.part(set)))
        };
        let mut choices: Vec<Choice> = Vec::new();
        for set in sets {
            let Some(exchanged) = task.prices.at_rest(differing, set) else { continue };
            let sides = [exchanged, differing - exchanged];
            if exchanged.is_empty() || sides[1].is_empty() || !keys.meets(&differing) {
                continue;
            }
            let keys = parts_of(sides[0])
                .zip(parts_of(sides[1]))
                .map(|(one, other)| [one, other])
                .collect();
            let moves = self.movement.moved_by(sides);
            let never_new = &task.constraints.never_new;
            let meets = sides[0].iter().flat_map(|one| sides[1].iter().map(move |two| (one, two)));
            let meets = meets.map(|(one, two)| (one.min(two), one.max(two)));
            let meets = meets.filter(|&(low, high)| never_new.forbids(low, high)).collect();
            choices.push(Choice { sides, keys, moves, meets });
        }
        choices.into()
    }
}

/// Can an exchange serve a person, where `crowded` says which pieces of their keys are?
fn may_serve(
    watch: &Watch<'_>,
    [moved, stays]: [u32; 2],
    sides: [VarSet; 2],
    differing: VarSet,
    demand: Demand,
    mut crowded: impl FnMut(u32) -> bool,
) -> bool {
    let Some(pieces) = &watch.pieces else {
        return watch.intruder.aim().is_parted(differing, sides[0]);
    };
    // The person's own record has the partner's values on what is exchanged; the partner's record has
    // theirs there, and is somebody else's in what members have of their own.
    let own = pieces.all_keys() & !moved;
    let theirs = match watch.intruder.members {
        None => pieces.all_keys(),
        Some(_) => pieces.names.part(watch.intruder.keys),
    } & !stays;
    let sensitive = watch.intruder.sensitive;
    let few_same = (sensitive & differing).len() >= watch.intruder.aim().needed;
    let mut is_hidden = |piece: u32, carried: VarSet| {
        crowded(piece) || (demand != Demand::Hidden && few_same && !carried.meets(&sensitive))
    };
    (demand != Demand::Replaced || watch.intruder.aim().is_parted(differing, sides[0]))
        && is_hidden(own, sides[1])
        && is_hidden(theirs, sides[0])
}

//! Looks for partners by whom a person can be hidden, and notes the cheapest.
//!
//! Partners come through the slices of the separators. In a small file everybody in a slice is
//! looked at, in a large one as many as the work allows: those nearest in the order of the cells,
//! and others from a random place on. What a pair of cells may exchange depends on what differs
//! alone and is worked out once.

use std::sync::Arc;

use rayon::prelude::*;

use super::movement::{Moved, codes};
use super::pieces::Pieces;
use super::{AgreeingSlices, Demand, Grade, Hiding, NewPairs, Person, Watch};
use crate::graph::Separator;
use crate::hash::{Map, chance};
use crate::partner::is_absent_by_rarity;
use crate::partner::pair::{exchangeable_parts, exchanges};
use crate::partner::slices::Slices;
use crate::partner::swap::exchange;
use crate::plan::effort::LOOKS_EACH;
use crate::varset::VarSet;

/// How many of the cheapest partners a person notes for each demand, and how many that serve are
/// kept until it is the person's turn.
const NOTES: usize = 512;
const KEPT: usize = 2;

/// One thread looks at this many before it takes more.
const AT_ONCE: usize = 1 << 10;

/// Of this many parts every union is tried; of more, only those of parts with a key.
const MOST_PARTS: usize = 7;

/// What a round looks for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Look {
    /// The variables on which two partners agree.
    pub(super) agree: VarSet,
    /// How well an exchange must serve.
    pub(super) last: Grade,
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
    /// How many partners each looks at, where `looking` look and `together` is the sum of all
    /// looks.
    pub(super) fn looks(self, looking: usize, together: usize) -> usize {
        let each = (together / looking.max(1)).max(*LOOKS_EACH.start());
        match self {
            Self::Some => each.min(*LOOKS_EACH.end()),
            Self::Most => each,
        }
    }

    /// A round that serves no more than one in this many is the last.
    pub(super) fn least_served(self) -> usize {
        match self {
            Self::Some => 2,
            Self::Most => 16,
        }
    }
}

/// An exchange that would serve somebody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Candidate {
    pub(super) grade: Grade,
    /// Under a cap on the records that change, does it serve nobody but the one who looks?
    for_one: bool,
    pub(super) price: i64,
    chance: u64,
    pub(super) partner: u32,
    pub(super) exchanged: VarSet,
}

/// The cheapest candidates, for each demand apart: where none serves that seemed to hide somebody,
/// there are others.
#[derive(Default)]
struct Notes([Vec<Candidate>; Demand::EVERY.len()]);

impl Notes {
    fn note(&mut self, candidate: Candidate) {
        let noted = &mut self.0[candidate.grade.demand as usize];
        noted.push(candidate);
        if noted.len() == 2 * NOTES {
            noted.select_nth_unstable(NOTES);
            noted.truncate(NOTES);
        }
    }

    fn with(mut self, others: Self) -> Self {
        others.0.into_iter().flatten().for_each(|one| self.note(one));
        self
    }

    /// All of them, the best and cheapest first.
    fn in_order(self) -> impl Iterator<Item = Candidate> {
        self.0.into_iter().flat_map(|mut noted| {
            noted.sort_unstable();
            noted.into_iter().take(NOTES)
        })
    }
}

/// One way to exchange what differs.
struct Choice {
    exchanged: VarSet,
    /// What is left of a person, for each intruder.
    left: Vec<Left>,
    /// The tables that it moves, by their places among those of all choices.
    moves: Vec<usize>,
}

/// What an exchange leaves of a person at risk from one intruder.
#[derive(Clone, Copy)]
struct Left {
    /// The keys on which their own record still agrees with them, and their partner's, by bit.
    pieces: [u32; 2],
    /// Does either record carry other sensitive values?
    is_false: [bool; 2],
    is_parted: bool,
}

impl Left {
    /// The demands that are met, by bit, where `crowded` says which pieces of the keys are.
    fn meets(&self, mut crowded: impl FnMut(u32) -> bool) -> u8 {
        let mut is_hidden = true;
        for (piece, is_false) in self.pieces.into_iter().zip(self.is_false) {
            let is_crowded = crowded(piece);
            if !is_crowded && !is_false {
                return 0;
            }
            is_hidden &= is_crowded;
        }
        let met = [(Demand::Hidden, is_hidden), (Demand::Replaced, self.is_parted)];
        met.into_iter().fold(1 << Demand::Detached as u8, |all, (demand, is_met)| {
            all | u8::from(is_met) << demand as u8
        })
    }
}

/// What two cells that differ on one Δ̄ may exchange.
struct Exchanges {
    choices: Vec<Choice>,
    /// The two-way tables that they move.
    moved: Vec<Moved>,
    /// Those that may serve the cell that asked last, as far as their keys tell.
    serving: Vec<(usize, Demand)>,
    asked: u64,
}

/// The exchanges for each Δ̄, as far as they were worked out, and how often people asked for some.
#[derive(Default)]
pub(super) struct Choices {
    known: Map<VarSet, Exchanges>,
    asked: u64,
}

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
        let (agree, every) = (look.agree, look.last.demand == Demand::Detached);
        let same = |held: &&AgreeingSlices<'_>| (held.agree, held.every) == (agree, every);
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
        self.held.push(AgreeingSlices { agree, every, slices: Arc::clone(&slices) });
        slices
    }

    /// The cheapest candidates of each of these cells, each among this many partners.
    pub(super) fn look(
        &self,
        slices: &[Slices<'_>],
        cells: &[u32],
        looks: usize,
        look: Look,
        salt: u64,
    ) -> Vec<Vec<Candidate>> {
        let each = looks / slices.len().max(1);
        let found = cells.par_iter().with_min_len(AT_ONCE / each.max(1)).map(|&cell| {
            if !self.planner.pool.is_free(cell as usize) {
                return Vec::new();
            }
            let partners = partners(slices, cell, each, salt);
            let noted = partners.par_chunks(AT_ONCE).map(|partners| {
                let taken = self.choices.lock().expect("nobody panics with it").pop();
                let mut choices = taken.unwrap_or_default();
                let noted = self.noted(cell, partners, look, salt, &mut choices);
                self.choices.lock().expect("nobody panics with it").push(choices);
                noted
            });
            self.serving(cell, noted.reduce(Notes::default, Notes::with), look)
        });
        found.collect()
    }

    /// What can be exchanged with these partners as far as the keys tell, the cheapest of it.
    fn noted(
        &self,
        cell: u32,
        partners: &[u32],
        look: Look,
        salt: u64,
        choices: &mut Choices,
    ) -> Notes {
        let people = self.people_at_risk(cell as usize).into_iter();
        let room = |watch: usize| {
            self.watches[watch].pieces.as_ref().map_or(0, |one| one.all_keys() as usize + 1)
        };
        let mut people: Vec<Looking> =
            people.map(|person| Looking { person, crowded: vec![0; room(person.watch)] }).collect();
        let cells = self.task().joint.cells();
        let own = codes(cells.layout(), cells.get(cell as usize));
        let mut other = own.clone();
        // For each table the partner whose price it is.
        let mut prices = Vec::new();
        let mut notes = Notes::default();
        let Choices { known, asked } = choices;
        *asked += 1;
        for &partner in partners.iter().filter(|&&partner| partner != cell) {
            let place = partner as usize;
            if !self.planner.pool.is_free(place) {
                continue;
            }
            let differing = self.planner.differing(cell as usize, place);
            let known = known.entry(differing).or_insert_with(|| self.exchanges_for(differing));
            if known.asked != *asked {
                known.asked = *asked;
                self.list_serving(known, &mut people, differing, look);
            }
            if known.serving.is_empty() {
                continue;
            }
            cells.layout().read_codes(cells.get(place), &mut other);
            prices.resize(known.moved.len().max(prices.len()), (cell, 0));
            let for_one =
                self.task().constraints.most_changed.is_some() && !self.planner.pool.is_open(place);
            for &(number, demand) in &known.serving {
                let choice = &known.choices[number];
                let words = [cell as usize, place].map(|cell| cells.get(cell));
                let rough = self.least_known_roughly(&mut people, choice, words);
                let Some(demand) = rough.map(|rough| rough.max(demand)) else { continue };
                if demand > look.last.demand {
                    continue;
                }
                let of_table = |&table: &usize| {
                    if prices[table].0 != partner {
                        let price = self.movement.price(&own, &other, known.moved[table]);
                        prices[table] = (partner, price);
                    }
                    prices[table].1
                };
                notes.note(Candidate {
                    grade: Grade::of(demand, NewPairs::Forbidden),
                    for_one,
                    price: choice.moves.iter().map(of_table).sum(),
                    chance: chance((salt, partner, number)),
                    partner,
                    exchanged: choice.exchanged,
                });
            }
        }
        notes
    }

    /// The least demand that an exchange with a partner may meet where keys are known roughly: of
    /// these the partner may have the same class. `None` where it meets none.
    fn least_known_roughly(
        &self,
        people: &mut [Looking],
        choice: &Choice,
        [own, other]: [&[u64]; 2],
    ) -> Option<Demand> {
        let layout = self.task().joint.cells().layout();
        let mut least = Demand::Hidden;
        for one in people {
            let Some(pieces) = &self.watches[one.person.watch].pieces else { continue };
            if !pieces.names.is_rough() {
                continue;
            }
            let alike = pieces.names.roughly_alike(layout, own, other);
            let left = choice.left[one.person.watch];
            let left = Left { pieces: left.pieces.map(|piece| piece | alike), ..left };
            let met = left.meets(|part| one.is_crowded(pieces, part));
            least = least.max(*Demand::EVERY.get(met.trailing_zeros() as usize)?);
        }
        Some(least)
    }

    /// Lists the exchanges that may serve everybody who looks, with the least demand that they
    /// meet.
    fn list_serving(
        &self,
        known: &mut Exchanges,
        people: &mut [Looking],
        differing: VarSet,
        look: Look,
    ) {
        let Exchanges { choices, serving, .. } = known;
        serving.clear();
        if differing.meets(&look.agree) {
            return;
        }
        for (number, choice) in choices.iter().enumerate() {
            let wanted = (2 << look.last.demand as u8) - 1;
            let met = people.iter_mut().fold(wanted, |met, one| {
                let left = &choice.left[one.person.watch];
                let watch = &self.watches[one.person.watch];
                let crowded = |part| match &watch.pieces {
                    Some(pieces) => one.is_crowded(pieces, part),
                    None => left.is_parted && !watch.learns(),
                };
                if met == 0 { 0 } else { met & left.meets(crowded) }
            });
            let least = Demand::EVERY.get(met.trailing_zeros() as usize);
            serving.extend(least.map(|&demand| (number, demand)));
        }
    }

    /// Those that serve and harm nobody, the best first.
    fn serving(&self, cell: u32, noted: Notes, look: Look) -> Vec<Candidate> {
        let mut serving = Vec::new();
        let mut good = 0;
        for mut one in noted.in_order() {
            let (left, right) = (cell as usize, one.partner as usize);
            let Some(new_pairs) = self.new_pairs(left, right, one.exchanged) else { continue };
            if new_pairs > look.last.new_pairs {
                continue;
            }
            let trial = self.trial(self.next_swap(left, right, one.exchanged), self.made.len());
            let Some(demand) = self.meets(&trial) else { continue };
            one.grade = Grade::of(demand, new_pairs);
            if one.grade <= look.last {
                serving.push(one);
                good += usize::from(new_pairs == NewPairs::Forbidden);
            }
            if good == KEPT {
                break;
            }
        }
        serving.sort_unstable();
        serving.truncate(KEPT);
        serving
    }

    /// What an exchange adds to the movement as things are now.
    pub(super) fn price_of(&self, cell: usize, partner: usize, exchanged: VarSet) -> i64 {
        let cells = self.task().joint.cells();
        let [left, right] = [cell, partner].map(|cell| codes(cells.layout(), cells.get(cell)));
        let moved = self.movement.moved_within(self.planner.differing(cell, partner));
        let moved = moved.into_iter().filter(|moved| moved.is_moved_by(exchanged));
        moved.map(|moved| self.movement.price(&left, &right, moved)).sum()
    }

    /// Which new pairs of values an exchange makes, unless it makes one that may not be or breaks a
    /// rule.
    pub(super) fn new_pairs(
        &self,
        left: usize,
        right: usize,
        exchanged: VarSet,
    ) -> Option<NewPairs> {
        let constraints = self.task().constraints;
        let cells = self.task().joint.cells();
        let layout = cells.layout();
        let old = [cells.get(left), cells.get(right)];
        if !constraints.forbidden.is_empty() {
            let new = exchange(layout, old[0], old[1], exchanged);
            let breaks =
                |rule: &crate::partner::Forbidden| rule.newly_broken(layout, old, [&new.0, &new.1]);
            if constraints.forbidden.iter().any(breaks) {
                return None;
            }
        }
        let [left, right] = old.map(|words| codes(layout, words));
        let records = self.movement.records();
        let count = |variable, code| u64::from(self.movement.count(variable, code));
        let mut worst = NewPairs::Forbidden;
        let other = layout.differing(old[0], old[1]) - exchanged;
        for (one, two) in exchanged.iter().flat_map(|one| other.iter().map(move |two| (one, two))) {
            let (low, high) = (one.min(two), one.max(two));
            if !constraints.never_new.forbids(low, high) {
                continue;
            }
            for pair in [[left[low], right[high]], [right[low], left[high]]] {
                if self.planner.seen.holds(low, high, pair) {
                    continue;
                }
                if !is_absent_by_rarity(count(low, pair[0]), count(high, pair[1]), records) {
                    return None;
                }
                worst = NewPairs::OfRareValues;
            }
        }
        Some(worst)
    }

    /// What two cells that differ on Δ̄ may exchange so that every table is kept and some key
    /// changes hands.
    fn exchanges_for(&self, differing: VarSet) -> Exchanges {
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
        let moved = self.movement.moved_within(differing);
        let mut choices: Vec<Choice> = Vec::new();
        for set in sets {
            let Some(exchanged) = task.prices.at_rest(differing, set) else { continue };
            if exchanged.is_empty() || exchanged == differing || !keys.meets(&differing) {
                continue;
            }
            let moves = (0..moved.len()).filter(|&table| moved[table].is_moved_by(exchanged));
            let left = self.watches.iter().map(|watch| watch.left(differing, exchanged));
            choices.push(Choice { exchanged, left: left.collect(), moves: moves.collect() });
        }
        Exchanges { choices, moved, serving: Vec::new(), asked: 0 }
    }
}

/// The partners that a cell looks at: this many in each list of slices, half of them near in the
/// order of the cells, the others from a random place on.
fn partners(slices: &[Slices<'_>], cell: u32, each: usize, salt: u64) -> Vec<u32> {
    let mut partners = Vec::new();
    for slices in slices {
        let slice = slices.around(cell);
        if slice.len() <= each {
            partners.extend_from_slice(slice);
            continue;
        }
        let own = slice.partition_point(|&other| other < cell);
        let near = own.saturating_sub(each / 4).min(slice.len() - each / 2);
        let far = usize::try_from(chance((salt, cell)) % slice.len() as u64).expect("a place");
        partners.extend_from_slice(&slice[near..near + each / 2]);
        partners.extend((0..each / 2).map(|step| slice[(far + step * 7919) % slice.len()]));
    }
    partners
}

impl Watch<'_> {
    /// What an exchange leaves of a person at risk.
    fn left(&self, differing: VarSet, exchanged: VarSet) -> Left {
        let aim = self.intruder.aim();
        let is_parted = aim.is_parted(differing, exchanged);
        // The person's own record has the partner's values on what is exchanged; the partner's
        // record has theirs there, and is somebody else's in what members have of their own.
        let stays = differing - exchanged;
        let few_same = (aim.sensitive & differing).len() >= aim.needed;
        let pieces = self.pieces.as_ref().map_or([0; 2], |pieces| {
            let theirs = match self.intruder.members {
                None => pieces.all_keys(),
                Some(_) => pieces.names.part(self.intruder.keys),
            };
            [pieces.all_keys() & !pieces.names.part(exchanged), theirs & !pieces.names.part(stays)]
        });
        Left {
            pieces,
            is_false: [stays, exchanged].map(|carried| few_same && !carried.meets(&aim.sensitive)),
            is_parted,
        }
    }
}

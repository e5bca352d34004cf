//! Hides people at risk from anybody who knows all their keys or some of them.
//!
//! After an exchange two records hold values of a person: their own with the partner's values on
//! one side of what differs, and the partner's with theirs. The person is *hidden* when enough
//! released people share all keys on which each of the two agrees with them: then no part of the
//! keys leads to what is left of the person, whatever the sensitive values are. Who cannot be
//! hidden so is hidden when a record that few share carries other sensitive values
//! (`Demand::Replaced`). One changed key is rarely enough.
//!
//! Everything is judged by what the file is like when a swap is made: how many people share each
//! piece of the keys (`pieces`), how far tables that are not kept have moved (`movement`), and
//! whether somebody who was not at risk could be found (`others`). No later swap takes away a piece
//! that somebody who is hidden relies on. In the end cheaper swaps take the place of dear ones
//! (`polish`).
//!
//! Trap: chance is left alone. A stranger who happens to look like somebody is no business of the
//! plan: keeping all look-alikes away would tell as much as leaving the person.
//!
//! Laws: `hiding-finds-nobody-else`, `hiding-is-blind-to-threads`.
//!
//! Way in: `Planner::hide`. Who is hidden in the end is counted from the plan alone
//! (`recount`): a [`Hidden`] for each cell at risk.

mod look;
mod movement;
mod others;
mod pieces;
mod polish;
mod question;
mod recount;
mod trial;

use std::sync::{Arc, Mutex};

use super::effort::{LOOKING, Search};
use super::judge::Change;
use super::{CellSwap, Goal, Intruder, NoBestPairing, Pairing, Planner, Task};
use crate::graph::GeneratingClass;
use crate::partner::slices::Slices;
use crate::table::{CellId, JointTable};
use crate::varset::VarSet;
use look::{Candidate, Choices, Depth, Look};
use movement::{Movement, codes};
use others::Others;
use pieces::{Known, Pieces, ways_to_know};
use trial::{Demand, Grade, NewPairs, Trial};

pub use question::{CanBeHidden, can_be_hidden};
pub use recount::ToHide;

/// What a plan does for the people at risk of one cell who are to be hidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hidden {
    /// The cell.
    pub cell: CellId,
    /// How many records are hidden whatever their sensitive values are.
    pub hidden: u32,
    /// How many are hidden because sensitive values were replaced where the keys could not be cut.
    pub replaced: u32,
    /// How many are not hidden.
    pub left: u32,
    /// A kept table that prevents it, where one does.
    pub prevented_by: Option<VarSet>,
}

/// People at risk, counted by whether they are hidden.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HiddenPeople {
    /// Hidden whatever their sensitive values are.
    pub hidden: u64,
    /// Hidden because sensitive values were replaced.
    pub replaced: u64,
    /// Not hidden, though no kept table prevents it.
    pub left: u64,
    /// Not hidden because of a kept table, with their number, in the order of the tables.
    pub prevented: Vec<(VarSet, u64)>,
    /// The cells of all who are not hidden, with how many these are.
    pub cells: Vec<(CellId, u32)>,
}

impl HiddenPeople {
    /// Those of some cells.
    #[must_use]
    pub fn of(rows: &[Hidden]) -> Self {
        let mut people = Self::default();
        for row in rows {
            people.hidden += u64::from(row.hidden);
            people.replaced += u64::from(row.replaced);
            people.cells.extend((row.left > 0).then_some((row.cell, row.left)));
            let Some(table) = row.prevented_by else {
                people.left += u64::from(row.left);
                continue;
            };
            let place = people.prevented.partition_point(|(other, _)| *other < table);
            match people.prevented.get_mut(place) {
                Some((other, people)) if *other == table => *people += u64::from(row.left),
                _ => people.prevented.insert(place, (table, u64::from(row.left))),
            }
        }
        people
    }

    /// How many cannot be hidden because of a kept table.
    #[must_use]
    pub fn cannot_be_hidden(&self) -> u64 {
        self.prevented.iter().map(|(_, people)| people).sum()
    }
}

/// What one intruder may find out who knows the keys in one way: exactly, or some in classes.
struct Watch<'a> {
    intruder: &'a Intruder<'a>,
    /// `None` where too many parts of the keys would have to be counted, or nothing is to be
    /// learned.
    pieces: Option<Pieces<'a>>,
    /// The people who are not at risk, where somebody asks.
    others: Option<Others>,
}

/// A person at risk from one intruder.
#[derive(Debug, Clone, Copy)]
struct Person {
    watch: usize,
    name: u128,
}

/// Slices in which partners are looked for.
struct AgreeingSlices<'a> {
    /// The variables to agree on.
    agree: VarSet,
    /// Are they those of every separator, or of the ones that part two keys?
    every: bool,
    slices: Arc<[Slices<'a>]>,
}

/// The state of the search.
struct Hiding<'p, 'a> {
    planner: &'p mut Planner<'a>,
    watches: Vec<Watch<'a>>,
    movement: Movement,
    made: Vec<Trial>,
    held: Vec<AgreeingSlices<'a>>,
    /// What may be exchanged for each Δ̄, as far as threads have worked it out.
    choices: Mutex<Vec<Choices>>,
}

/// What is counted as the plan grows: for each intruder, of the tables, and the swaps.
type Counted<'a> = (Vec<Watch<'a>>, Movement, Vec<Trial>);

impl<'a> Planner<'a> {
    /// Hides as many as can be by swaps of two records. Those who are left are at least kept from
    /// anyone who knows all keys, where nobody else pays for it.
    pub(super) fn hide(&mut self, crowd: u32) -> Result<(), NoBestPairing> {
        let drift = self.drift.clone();
        let mut hiding = Hiding::new(self, crowd);
        hiding.cover();
        hiding.polish();
        // Other swaps leave other partners.
        hiding.cover();
        let Hiding { watches, movement, made, .. } = hiding;
        self.drift = drift;
        made.iter().for_each(|made| self.add_swap(made.swap));
        let mut counted = (watches, movement, made);
        let settled = self.swaps.len();
        for goal in [Goal::Part, Goal::Detach] {
            self.cover(goal, Pairing::Greedy)?;
            self.look_once_more();
            self.cover_with_rare_pairs(goal, Pairing::Greedy)?;
        }
        counted = self.keep_harmless(settled, counted);
        // Of swaps at random some are given up, and others are tried in their place.
        for _ in 0..=self.task.rounds {
            let settled = self.swaps.len();
            self.reach_share();
            if self.swaps.len() == settled {
                break;
            }
            counted = self.keep_harmless(settled, counted);
        }
        Ok(())
    }

    /// Of the swaps from this place on, keeps those by which nobody who is hidden or not at risk
    /// pays.
    fn keep_harmless(&mut self, first: usize, counted: Counted<'a>) -> Counted<'a> {
        let some = self.swaps.split_off(first);
        for swap in &some {
            self.count_swap(swap, Change::Undone);
            [swap.left, swap.right].into_iter().for_each(|taken| self.pool.give_back(taken));
        }
        let drift = self.drift.clone();
        let (watches, movement, made) = counted;
        let (held, choices) = (Vec::new(), Mutex::default());
        let mut hiding = Hiding { planner: self, watches, movement, made, held, choices };
        let is_harmless = |swap: &CellSwap| {
            let trial = hiding.trial(*swap, hiding.made.len());
            let harmless = hiding.is_harmless(&trial.turns, &trial);
            if harmless {
                hiding.make(trial);
            }
            harmless
        };
        let harmless: Vec<CellSwap> = some.into_iter().filter(is_harmless).collect();
        let Hiding { watches, movement, made, .. } = hiding;
        self.drift = drift;
        harmless.into_iter().for_each(|swap| self.add_swap(swap));
        (watches, movement, made)
    }
}

impl<'p, 'a> Hiding<'p, 'a> {
    fn new(planner: &'p mut Planner<'a>, crowd: u32) -> Self {
        let Task { joint, prices, class, intruders, .. } = planner.task;
        let mut watches = watches(joint, intruders, crowd);
        for Watch { intruder, pieces, others } in &mut watches {
            *others = pieces.as_ref().map(|one| Others::of(joint, intruder, one));
        }
        let margins = class.margins();
        let kept = |left, right| {
            margins.iter().any(|margin| margin.contains(left) && margin.contains(right))
        };
        let movement = Movement::new(joint, prices, kept);
        Self {
            planner,
            watches,
            movement,
            made: Vec::new(),
            held: Vec::new(),
            choices: Mutex::default(),
        }
    }

    fn task(&self) -> Task<'a> {
        self.planner.task
    }

    /// Serves everybody who is left, for each list of variables to agree on: first those who are
    /// easily hidden, among some partners; then, as far as the work allows, who is left. What is
    /// not as good as hiding comes last.
    fn cover(&mut self) {
        let matches = &self.task().constraints.matches;
        for (place, &agree) in matches.iter().enumerate() {
            let last = match place + 1 == matches.len() {
                true => Grade::last(self.task()),
                false => Grade::BEST,
            };
            // Those who can be parted from their keys are, before all keys of others stay together.
            let parted = last.min(Grade::of(Demand::Replaced, last.new_pairs));
            for look in [
                Look { agree, last: Grade::BEST, depth: Depth::Some },
                Look { agree, last: parted, depth: Depth::Most },
                Look { agree, last, depth: Depth::Most },
            ] {
                for _ in 0..=self.task().rounds {
                    let mut targets = self.targets(look.last.demand);
                    self.planner.random.shuffle(&mut targets);
                    if targets.is_empty() || self.is_full() {
                        return;
                    }
                    if self.round(&targets, look) <= targets.len() / look.depth.least_served() {
                        break;
                    }
                }
            }
        }
    }

    /// The cells with somebody at risk without a swap for whom there is hope.
    fn targets(&self, demand: Demand) -> Vec<u32> {
        let planner = &*self.planner;
        let can = |cell: usize| {
            let id = CellId::at(cell);
            let partable = |intruder: &Intruder<'_>| {
                intruder.at_risk[cell] == 0
                    || intruder.screening.is_none_or(|screening| screening.is_partable(id))
            };
            planner.task.screening.is_swappable(id)
                && (demand == Demand::Detached || planner.task.intruders.iter().all(partable))
        };
        planner.pool.open_cells().filtered(can)
    }

    /// Looks for partners on all threads, some people at a time, and takes the cheapest that still
    /// serve. Answers how many swaps were made.
    fn round(&mut self, targets: &[u32], look: Look) -> usize {
        /// People look side by side in this many shares: the more, the fresher the prices.
        const SHARES: usize = 48;
        let salt = self.planner.random.bits();
        let slices = self.slices(look);
        let effort = &self.planner.effort;
        let looks = look.depth.looks(targets.len(), effort.looks());
        // Nobody looks at more than all cells.
        let looks = looks.min(slices.len().max(1) * self.task().joint.len());
        let mut made = 0;
        for share in targets.chunks(targets.len().div_ceil(SHARES).clamp(4, 1 << 10)) {
            let here = self.planner.effort.looks_left(share.len(), looks);
            self.planner.effort.spend(Search::Hiding, (share.len() * here) as u64 * LOOKING);
            if here < looks {
                self.planner.effort.fell_short(Search::Hiding);
            }
            let found = self.look(&slices, share, here, look, salt);
            for (&cell, candidates) in share.iter().zip(found) {
                if self.planner.pool.is_open(cell as usize) && !self.is_full() {
                    made += usize::from(self.serve(cell as usize, candidates));
                }
            }
        }
        made
    }

    fn is_full(&self) -> bool {
        let changed = 2 * self.made.len() as u64;
        self.task().constraints.most_changed.is_some_and(|most| changed + 2 > most)
    }

    /// The people at risk of a cell, for every intruder.
    fn people_at_risk(&self, cell: usize) -> Vec<Person> {
        people_at_risk(&self.watches, self.task().joint, cell)
    }

    /// Makes the cheapest of these exchanges that still serves as well as when it was found.
    fn serve(&mut self, cell: usize, mut candidates: Vec<Candidate>) -> bool {
        candidates
            .iter_mut()
            .for_each(|one| one.price = self.price_of(cell, one.partner as usize, one.exchanged));
        candidates.sort_unstable();
        for one in candidates {
            let partner = one.partner as usize;
            if ![cell, partner].into_iter().all(|cell| self.planner.pool.is_free(cell)) {
                continue;
            }
            let trial = self.trial(self.next_swap(cell, partner, one.exchanged), self.made.len());
            if self.meets(&trial).is_some_and(|demand| demand <= one.grade.demand) {
                self.make(trial);
                self.rely(self.made.len() - 1, Change::Made);
                return true;
            }
        }
        false
    }

    /// Makes a swap.
    fn make(&mut self, trial: Trial) {
        self.made.push(trial);
        self.count(self.made.len() - 1, Change::Made);
    }

    /// Counts a swap that is made or undone.
    fn count(&mut self, number: usize, change: Change) {
        let Self { planner, watches, movement, made, .. } = self;
        let Trial { swap, differing, turns, .. } = &made[number];
        let cells = planner.task.joint.cells();
        for taken in [swap.left, swap.right] {
            match change {
                Change::Made => drop(planner.pool.take_as(taken)),
                Change::Undone => planner.pool.give_back(taken),
            }
        }
        for (watch, turn) in watches.iter_mut().zip(turns) {
            if let Some((pieces, turn)) = watch.pieces.as_mut().zip(turn.as_ref()) {
                pieces.count_turn(turn, change);
            }
        }
        let old = [swap.left, swap.right].map(|taken| taken.cell.position());
        let sides = [*differing & swap.exchanged, *differing - swap.exchanged];
        let [left, right] = old.map(|cell| codes(cells.layout(), cells.get(cell)));
        movement.count_exchange(&left, &right, sides, change);
        if let Some(drift) = &mut planner.drift {
            drift.count(old, *differing, swap.exchanged, change);
        }
    }

    /// Notes the pieces by which the people at risk of a swap are hidden, or that they are no
    /// longer.
    fn rely(&mut self, number: usize, change: Change) {
        let cells = self.planner.task.joint.cells();
        let made = &self.made[number];
        let at_risk = [made.swap.left, made.swap.right].into_iter().filter(|taken| taken.at_risk);
        let people: Vec<Person> =
            at_risk.flat_map(|taken| self.people_at_risk(taken.cell.position())).collect();
        for person in people {
            let Some(pieces) = &mut self.watches[person.watch].pieces else { continue };
            let mut parts = Vec::new();
            for words in &made.new {
                pieces.names.each(cells.layout(), words, |name| {
                    parts.push(pieces.names.held(name, person.name));
                });
            }
            parts.into_iter().for_each(|(part, name)| pieces.rely(part, name, change));
        }
    }
}

/// A kept table that prevents anybody at risk of a cell from being hidden: it holds a piece of
/// their keys that few share, which no exchange can cut, and enough sensitive variables that
/// these travel with it. With the keys of that piece, as few as can be.
///
/// Law: `a-table-that-prevents-hiding`.
fn prevented_by(
    watches: &[Watch<'_>],
    joint: &JointTable,
    class: &GeneratingClass,
    cell: usize,
) -> Option<(VarSet, VarSet)> {
    let margins = class.margins();
    people_at_risk(watches, joint, cell).into_iter().find_map(|person| {
        let Watch { intruder, pieces, .. } = &watches[person.watch];
        let pieces = pieces.as_ref()?;
        let few_share = |keys: VarSet| !pieces.was_crowded(pieces.names.part(keys), person.name);
        let prevents = |margin: &&VarSet| {
            let tied = (**margin & intruder.sensitive).len() > intruder.sensitive.len() / 2;
            tied && few_share(**margin)
        };
        let table = *margins.iter().find(prevents)?;
        let keys = table & intruder.keys;
        let least = keys.iter().fold(keys, |left, key| {
            let rest = left - VarSet::single(key);
            if few_share(rest) { rest } else { left }
        });
        Some((table, least))
    })
}

/// The people at risk of a cell, for every intruder.
fn people_at_risk(watches: &[Watch<'_>], joint: &JointTable, cell: usize) -> Vec<Person> {
    let layout = joint.cells().layout();
    let words = joint.cells().get(cell);
    let mut people = Vec::new();
    for (number, watch) in watches.iter().enumerate() {
        let Watch { intruder, pieces, .. } = watch;
        if intruder.at_risk[cell] == 0 {
            continue;
        }
        let Some(pieces) = pieces else {
            people.push(Person { watch: number, name: 0 });
            continue;
        };
        match intruder.members {
            None => {
                let person = |name| people.push(Person { watch: number, name });
                pieces.names.each(layout, words, person);
            }
            Some(members) => {
                let cell = u32::try_from(cell).expect("there are fewer than 2^32 cells");
                let first = members.at_risk.partition_point(|&(own, _)| own < cell);
                let own = members.at_risk[first..].iter().take_while(|(own, _)| *own == cell);
                people.extend(own.map(|&(_, member)| Person {
                    watch: number,
                    name: pieces.names.member(layout, words, member),
                }));
            }
        }
    }
    people
}

/// What each intruder may find out, in each way to know the keys.
fn watches<'a>(joint: &JointTable, intruders: &'a [Intruder<'a>], crowd: u32) -> Vec<Watch<'a>> {
    let watches = |intruder: &'a Intruder<'a>| {
        let learns = !intruder.sensitive.is_empty();
        let ways = if learns { ways_to_know(intruder) } else { vec![Known::new()] };
        let number = ways.len();
        ways.into_iter().map(move |known| {
            let count = || Pieces::of(joint, intruder, (&known, number), crowd);
            Watch { intruder, pieces: learns.then(count).flatten(), others: None }
        })
    };
    intruders.iter().flat_map(watches).collect()
}

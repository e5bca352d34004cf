//! Hides people at risk from anybody who knows all their keys or some of them.
//!
//! After an exchange two records hold values of a person: their own with the partner's values on
//! one side of what differs, and the partner's with theirs. The person is *hidden* when enough
//! released people share all keys on which each of the two agrees with them: then no part of the
//! keys leads to what is left of the person, whatever the sensitive values are. Who cannot be
//! hidden so is hidden when a record that few share carries other sensitive values
//! ([`Demand::Replaced`]). One changed key is rarely enough.
//!
//! Everything is judged by what the file is like when a swap is made: how many people share each
//! piece of the keys (`pieces`), how far tables that are not kept have moved (`movement`), and
//! whether somebody who was not at risk could be found (`others`). No later swap takes away a piece
//! that somebody who is hidden relies on.
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
mod question;
mod recount;

use std::sync::Arc;

use super::judge::Change;
use super::{CellSwap, Goal, Intruder, NeverNew, NoBestPairing, Pairing, Planner, Taken, Task};
use crate::encode::Layout;
use crate::graph::GeneratingClass;
use crate::partner::slices::Slices;
use crate::partner::swap::exchange;
use crate::table::{CellId, JointTable};
use crate::varset::VarSet;
use look::{Candidate, Depth, Look};
use movement::{Movement, codes};
use others::Others;
use pieces::Pieces;

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
}

impl HiddenPeople {
    /// Those of some cells.
    #[must_use]
    pub fn of(rows: &[Hidden]) -> Self {
        let mut people = Self::default();
        for row in rows {
            people.hidden += u64::from(row.hidden);
            people.replaced += u64::from(row.replaced);
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

/// What an exchange must do for everybody at risk who takes part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Demand {
    /// Every piece that is left of them is crowded.
    Hidden,
    /// No record has all their keys, and a piece that is not crowded carries other sensitive values.
    Replaced,
    /// A piece that is not crowded carries other sensitive values, be it all their keys.
    Detached,
}

/// May an exchange put two values together that nobody had?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NewPairs {
    /// Not where the constraints forbid it.
    Forbidden,
    /// Also where both are so rare that nobody need be expected to have them.
    OfRareValues,
}

impl NewPairs {
    /// What is tried, one after the other: pairs that are named are never made.
    fn in_turn(task: Task<'_>) -> &'static [Self] {
        match task.constraints.never_new {
            NeverNew::Among(_) => &[Self::Forbidden, Self::OfRareValues],
            _ => &[Self::Forbidden],
        }
    }
}

/// What one intruder may find out.
struct Watch<'a> {
    intruder: &'a Intruder<'a>,
    /// `None` where too many parts of the keys would have to be counted, or nothing is to be learned.
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

/// A swap that was made for somebody.
struct Made {
    swap: CellSwap,
    differing: VarSet,
    new: [Vec<u64>; 2],
}

/// Slices in which partners are looked for.
struct Held<'a> {
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
    /// By number; nothing where it was undone.
    made: Vec<Option<Made>>,
    changed: u64,
    held: Vec<Held<'a>>,
}

impl Planner<'_> {
    /// Hides as many as can be by swaps of two records. Who is left is kept at least from whoever
    /// knows all keys, where nobody else pays for it.
    pub(super) fn hide(&mut self, crowd: u32) -> Result<(), NoBestPairing> {
        let drift = self.drift.clone();
        let mut hiding = Hiding::new(self, crowd);
        // Better two rare values together than all keys of somebody in one record.
        for demands in [&[Demand::Hidden, Demand::Replaced][..], &[Demand::Detached]] {
            for &new_pairs in NewPairs::in_turn(hiding.task()) {
                demands.iter().for_each(|&demand| hiding.cover(demand, new_pairs));
            }
        }
        let Hiding { watches, movement, made, changed, .. } = hiding;
        self.drift = drift;
        made.iter().flatten().for_each(|made| self.add_swap(made.swap));
        let settled = self.swaps.len();
        for goal in [Goal::Part, Goal::Detach] {
            self.cover(goal, Pairing::Greedy)?;
            self.look_once_more();
            self.cover_with_rare_pairs(goal, Pairing::Greedy)?;
        }
        let more = self.swaps.split_off(settled);
        for swap in &more {
            self.count_swap(swap, Change::Undone);
            [swap.left, swap.right].into_iter().for_each(|taken| self.pool.give_back(taken));
        }
        let drift = self.drift.clone();
        let mut hiding =
            Hiding { planner: self, watches, movement, made, changed, held: Vec::new() };
        let more: Vec<CellSwap> =
            more.into_iter().filter(|swap| hiding.is_harmless(swap)).collect();
        self.drift = drift;
        more.into_iter().for_each(|swap| self.add_swap(swap));
        Ok(())
    }
}

impl<'p, 'a> Hiding<'p, 'a> {
    fn new(planner: &'p mut Planner<'a>, crowd: u32) -> Self {
        let Task { joint, prices, class, intruders, .. } = planner.task;
        let mut watches = watches(joint, intruders, crowd);
        for Watch { intruder, pieces, others } in &mut watches {
            *others = pieces.as_ref().map(|one| Others::of(joint, intruder, &one.names));
        }
        let margins = class.margins();
        let kept = |left, right| {
            margins.iter().any(|margin| margin.contains(left) && margin.contains(right))
        };
        let movement = Movement::new(joint, prices, kept);
        Self { planner, watches, movement, made: Vec::new(), changed: 0, held: Vec::new() }
    }

    fn task(&self) -> Task<'a> {
        self.planner.task
    }

    /// Serves everybody who is left, for each list of variables to agree on, until a round brings
    /// nothing.
    fn cover(&mut self, demand: Demand, new_pairs: NewPairs) {
        for &agree in &self.task().constraints.matches {
            let mut look = Look { demand, new_pairs, agree, depth: Depth::Some };
            for _ in 0..=self.task().rounds {
                let mut targets = self.targets(demand);
                self.planner.random.shuffle(&mut targets);
                if targets.is_empty() || self.is_full() {
                    break;
                }
                let made = self.round(&targets, look);
                match look.depth {
                    Depth::Some if made <= targets.len() / 2 => look.depth = Depth::Most,
                    Depth::Most if made == 0 => break,
                    _ => {}
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
        let mut made = 0;
        for share in targets.chunks(targets.len().div_ceil(SHARES).clamp(4, 1 << 10)) {
            let found = self.look(&slices, share, targets.len(), look, salt);
            for (&cell, candidates) in share.iter().zip(found) {
                if self.planner.pool.is_open(cell as usize) && !self.is_full() {
                    let taken = candidates.iter().any(|one| self.accept(cell as usize, one, look));
                    made += usize::from(taken);
                }
            }
        }
        made
    }

    fn is_full(&self) -> bool {
        self.task().constraints.most_changed.is_some_and(|most| self.changed + 2 > most)
    }

    /// The people at risk of a cell, for every intruder.
    fn people_at_risk(&self, cell: usize) -> Vec<Person> {
        people_at_risk(&self.watches, self.task().joint, cell)
    }

    /// Makes a swap for good if it may be made.
    fn accept(&mut self, cell: usize, candidate: &Candidate, look: Look) -> bool {
        let made = self.make(cell, candidate, look);
        if made {
            self.rely(self.made.len() - 1);
        }
        made
    }

    /// Makes a swap if everybody at risk who takes part is served, everybody who is hidden remains so
    /// and nobody else becomes findable.
    fn make(&mut self, cell: usize, candidate: &Candidate, look: Look) -> bool {
        let partner = candidate.partner as usize;
        if !self.planner.pool.is_free(partner) || !self.planner.pool.is_free(cell) {
            return false;
        }
        let task = self.task();
        let (cells, exchanged) = (task.joint.cells(), candidate.exchanged);
        let differing = self.planner.differing(cell, partner);
        let drift = self.planner.drift.as_ref();
        if drift.is_some_and(|drift| drift.of(cell, partner, differing, exchanged).is_none()) {
            return false;
        }
        let new = exchange(cells.layout(), cells.get(cell), cells.get(partner), exchanged);
        let new = [new.0, new.1];
        if self.brings_keys_back([cell, partner], &new) {
            return false;
        }
        let left = self.planner.pool.take(cell);
        let right = self.planner.pool.take(partner);
        let swap = CellSwap { left, right, exchanged };
        self.made.push(Some(Made { swap, differing, new }));
        let number = self.made.len() - 1;
        self.count(number, true);
        if self.is_served(number, look.demand)
            && !self.uncrowds(number)
            && !self.exposes_others(number)
        {
            return true;
        }
        self.undo(number);
        self.made.pop();
        false
    }

    /// Makes a swap that another search found, unless somebody who is hidden or not at risk pays for it.
    fn is_harmless(&mut self, swap: &CellSwap) -> bool {
        let cells = self.planner.task.joint.cells();
        let [left, right] = [swap.left, swap.right].map(|taken| taken.cell.position());
        let differing = cells.differing(left, right);
        let new = exchange(cells.layout(), cells.get(left), cells.get(right), swap.exchanged);
        [swap.left, swap.right].into_iter().for_each(|taken| {
            self.planner.pool.take_as(taken);
        });
        self.made.push(Some(Made { swap: *swap, differing, new: [new.0, new.1] }));
        let number = self.made.len() - 1;
        self.count(number, true);
        let harmless = !self.uncrowds(number) && !self.exposes_others(number);
        if !harmless {
            self.undo(number);
            self.made.pop();
        }
        harmless
    }

    /// Would a new record have all keys of somebody at risk who has no part in it?
    fn brings_keys_back(&self, own: [usize; 2], new: &[Vec<u64>; 2]) -> bool {
        self.planner.combinations.iter().any(|combinations| {
            new.iter().any(|words| {
                let found = combinations.find(words);
                let is_own = own.iter().any(|&cell| found == Some(combinations.of(cell)));
                !is_own && combinations.is_protected(words)
            })
        })
    }

    /// Counts a swap that is made, or that is undone.
    fn count(&mut self, number: usize, made: bool) {
        let task = self.task();
        let (cells, layout) = (task.joint.cells(), task.joint.cells().layout());
        let Made { swap, differing, new } = self.made[number].as_ref().expect("the swap is made");
        let old = [swap.left, swap.right].map(|taken| taken.cell);
        let old_words = old.map(|cell| cells.get(cell.position()));
        let ids = record_numbers(cells.len(), number);
        for pieces in self.watches.iter_mut().filter_map(|watch| watch.pieces.as_mut()) {
            let mut changes = Vec::new();
            for side in 0..2 {
                pieces
                    .names
                    .each(layout, old_words[side], |name| changes.push((name, old[side].0, !made)));
                pieces.names.each(layout, &new[side], |name| changes.push((name, ids[side], made)));
            }
            changes
                .into_iter()
                .for_each(|(name, record, comes)| pieces.change(name, record, comes));
        }
        let sides = [*differing & swap.exchanged, *differing - swap.exchanged];
        let [left, right] = old_words.map(|words| codes(layout, words));
        self.movement.count_exchange(&left, &right, sides, made);
        if let Some(drift) = &mut self.planner.drift {
            let change = if made { Change::Made } else { Change::Undone };
            drift.count(old.map(CellId::position), *differing, swap.exchanged, change);
        }
        self.changed = if made { self.changed + 2 } else { self.changed - 2 };
    }

    /// Undoes a swap: its records are free again.
    fn undo(&mut self, number: usize) {
        self.count(number, false);
        let swap = self.made[number].take().expect("a swap is undone once").swap;
        self.planner.pool.give_back(swap.left);
        self.planner.pool.give_back(swap.right);
        self.made[number] = None;
    }

    /// Is everybody at risk who takes part in a swap served, as things are now?
    fn is_served(&self, number: usize, demand: Demand) -> bool {
        let made = self.made[number].as_ref().expect("the swap is made");
        [made.swap.left, made.swap.right]
            .into_iter()
            .filter(|taken| taken.at_risk)
            .all(|taken| self.serves(made, taken, demand))
    }

    /// Does a swap serve the people at risk of one of its records, as things are now?
    fn serves(&self, made: &Made, taken: Taken, demand: Demand) -> bool {
        let cells = self.task().joint.cells();
        let own = cells.get(taken.cell.position());
        self.people_at_risk(taken.cell.position()).into_iter().all(|person| {
            let watch = &self.watches[person.watch];
            let is_parted = || watch.intruder.aim().is_parted(made.differing, made.swap.exchanged);
            if watch.pieces.is_none() {
                return is_parted();
            }
            (demand != Demand::Replaced || is_parted())
                && watch.is_hidden(cells.layout(), own, &made.new, person, made.differing, demand)
        })
    }

    /// Does a swap that was just counted leave one record alone with a piece of the keys and all
    /// sensitive values of somebody who is not at risk?
    fn exposes_others(&self, number: usize) -> bool {
        let joint = self.task().joint;
        let layout = joint.cells().layout();
        let made = self.made[number].as_ref().expect("the swap is made");
        let old =
            [made.swap.left, made.swap.right].map(|one| joint.cells().get(one.cell.position()));
        let words = old.into_iter().chain(made.new.iter().map(Vec::as_slice));
        let words: Vec<&[u64]> = words.collect();
        self.watches.iter().any(|watch| {
            let (Some(pieces), Some(others)) = (&watch.pieces, &watch.others) else { return false };
            words.iter().any(|words| {
                let mut exposes = false;
                pieces.names.each(layout, words, |name| {
                    exposes = exposes
                        || pieces
                            .left_alone(name)
                            .any(|(mask, who)| others.have(mask, name, self.words_of(who)));
                });
                exposes
            })
        })
    }

    /// The words of a record by its number.
    fn words_of(&self, record: u32) -> &[u64] {
        let cells = self.task().joint.cells();
        match (record as usize).checked_sub(cells.len()) {
            None => cells.get(record as usize),
            Some(place) => {
                let made = self.made[place / 2].as_ref().expect("the record was made");
                &made.new[place % 2]
            }
        }
    }

    /// Does a swap that was just counted take people away from a piece that somebody relies on who is
    /// hidden?
    fn uncrowds(&self, number: usize) -> bool {
        let cells = self.task().joint.cells();
        let made = self.made[number].as_ref().expect("the swap is made");
        let old = [made.swap.left, made.swap.right].map(|one| cells.get(one.cell.position()));
        self.watches.iter().filter_map(|watch| watch.pieces.as_ref()).any(|pieces| {
            let mut uncrowds = false;
            for words in old {
                pieces.names.each(cells.layout(), words, |name| {
                    uncrowds = uncrowds || pieces.is_one_too_few(name);
                });
            }
            uncrowds
        })
    }

    /// Notes the pieces by which the people at risk of a swap are hidden.
    fn rely(&mut self, number: usize) {
        let cells = self.planner.task.joint.cells();
        let made = self.made[number].as_ref().expect("the swap is made");
        let at_risk = [made.swap.left, made.swap.right].into_iter().filter(|taken| taken.at_risk);
        let people: Vec<Person> =
            at_risk.flat_map(|taken| self.people_at_risk(taken.cell.position())).collect();
        for person in people {
            let Some(pieces) = &mut self.watches[person.watch].pieces else { continue };
            let mut parts = Vec::new();
            for words in &made.new {
                pieces.names.each(cells.layout(), words, |name| {
                    parts.push(pieces.names.agreeing(name, person.name));
                });
            }
            parts.into_iter().for_each(|part| pieces.rely(part, person.name));
        }
    }
}

/// A kept table that prevents anybody at risk of a cell from being hidden: it holds a piece of
/// their keys that few share, which no exchange can cut, and so many sensitive variables that
/// these travel with it.
///
/// Law: `a-table-that-prevents-hiding`.
fn prevented_by(
    watches: &[Watch<'_>],
    joint: &JointTable,
    class: &GeneratingClass,
    cell: usize,
) -> Option<VarSet> {
    let margins = class.margins();
    people_at_risk(watches, joint, cell).into_iter().find_map(|person| {
        let Watch { intruder, pieces, .. } = &watches[person.watch];
        let pieces = pieces.as_ref()?;
        let prevents = |margin: &&VarSet| {
            let part = pieces.names.part(**margin);
            let tied = (**margin & intruder.sensitive).len() > intruder.sensitive.len() / 2;
            tied && !pieces.was_crowded(part, person.name)
        };
        margins.iter().find(prevents).copied()
    })
}

impl Watch<'_> {
    /// Is a person hidden whose values were in a record with these words, and are now in others?
    fn is_hidden(
        &self,
        layout: &Layout,
        own: &[u64],
        new: &[Vec<u64>],
        person: Person,
        differing: VarSet,
        demand: Demand,
    ) -> bool {
        let sensitive = self.intruder.sensitive;
        // Of whom nothing is learned but that they are there, no record may have all keys.
        let Some(pieces) = &self.pieces else {
            return new.iter().all(|new| layout.differing(own, new).meets(&self.intruder.keys));
        };
        new.iter().all(|words| {
            let mut crowded = true;
            pieces.names.each(layout, words, |name| {
                let agreeing = pieces.names.agreeing(name, person.name);
                crowded &= pieces.is_crowded(agreeing, person.name);
            });
            let is_false = || {
                let same = sensitive - layout.differing(own, words);
                !same.meets(&differing) && (sensitive - same).len() >= self.intruder.aim().needed
            };
            crowded || (demand != Demand::Hidden && is_false())
        })
    }
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

/// The numbers of the two records of a swap, above those of all cells.
fn record_numbers(cells: usize, swap: usize) -> [u32; 2] {
    [0, 1].map(|side| {
        u32::try_from(cells + 2 * swap + side).expect("there are fewer than 2^32 records")
    })
}

/// What each intruder may find out.
fn watches<'a>(joint: &JointTable, intruders: &'a [Intruder<'a>], crowd: u32) -> Vec<Watch<'a>> {
    let watch = |intruder: &'a Intruder<'a>| {
        let learns = !intruder.sensitive.is_empty();
        let pieces = learns.then(|| Pieces::of(joint, intruder, crowd)).flatten();
        Watch { intruder, pieces, others: None }
    };
    intruders.iter().map(watch).collect()
}

//! Groups of more than two records for the records at risk that no pair swap covers.
//!
//! First on records that have no swap yet: groups are disjoint from all swaps and from each
//! other, so they may be made together. Batches are searched in parallel on a snapshot and
//! made in order; a cell that loses a record to another searches again.
//!
//! What is left may lack helpers only because they are taken. So moves then follow on the
//! current table, see `regroup`.
//!
//! Laws: `groups-protect-and-keep`, `groups-repeat`.

use rayon::prelude::*;

use super::combinations::Combinations;
use super::detaching::Detaching;
use super::effort::{MOST_ASKED_AGAIN, Search};
use super::regroup::{Question, Regrouping};
use super::{Constraints, Planner, Taken, number};
use crate::hash::{Map, STATE};
use crate::moves::{Answer, Found, LINKING, Limits, MOST_IN_ONE_BOX, MoveSearch, Outcome, Wishes};
use crate::partner::seen::Seen;
use crate::random::{Random, Seed};
use crate::table::{CellId, JointTable};
use crate::varset::VarSet;

/// Swaps of more than two records are allowed.
#[derive(Debug, Clone, Copy)]
pub struct Larger<'a> {
    /// The cells, ready for the search.
    pub search: &'a MoveSearch<'a>,
    /// The most records of one swap.
    pub records: usize,
}

/// Questions asked on one snapshot.
const BATCH: usize = 512;

/// Rounds on the current table; they end earlier when one covers less than a hundredth of what
/// is open.
const REGROUPING_ROUNDS: u64 = 12;

/// What became of the records at risk that no pair covers.
#[derive(Debug, Clone, Default)]
pub(super) struct Groups {
    /// Records and the cells they get: the groups on records that had no swap.
    pub(super) made: Vec<Vec<(Taken, Vec<u64>)>>,
    /// The cells that the tables prove to be full, by position.
    pub(super) impossible: Map<u32, ()>,
    /// The cells that a move could free if nothing else were asked of it.
    pub(super) barred: Map<u32, ()>,
}

/// May a helper leave another record alone with its keys?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Company {
    /// No: anyone who is left alone is at risk, and was not before.
    Kept,
    /// Where nobody else can help.
    Given,
}

/// What a group is made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    /// No record has the keys of whom it is made for.
    Part,
    /// The records that have them carry other sensitive values.
    Detach,
}

/// What every move must respect: the part that does not depend on who is free.
///
/// No record may come to have the keys of somebody at risk, so everybody at risk who takes
/// part in a move is parted from their keys by it.
pub(super) struct Rules<'a> {
    pub(super) combinations: &'a [Combinations<'a>],
    pub(super) constraints: &'a Constraints,
    pub(super) seen: &'a Seen<'a>,
    pub(super) layout: &'a crate::encode::Layout,
    pub(super) all: VarSet,
    pub(super) keys: VarSet,
    pub(super) staying: VarSet,
    pub(super) agree: VarSet,
}

impl Rules<'_> {
    fn may_make(&self, cell: &[u64]) -> bool {
        !self.combinations.iter().any(|keys| keys.is_protected(cell)) && self.allows(cell)
    }

    /// Is a cell free of what rules forbid and of what must not be new?
    pub(super) fn allows(&self, cell: &[u64]) -> bool {
        let breaks = || self.constraints.forbidden.iter().any(|rule| rule.holds(self.layout, cell));
        !breaks() && !self.is_never_new(cell)
    }

    /// Has a cell two values that must not be seen together for the first time?
    fn is_never_new(&self, cell: &[u64]) -> bool {
        let never_new = &self.constraints.never_new;
        let forbids = |left: usize, right: usize| left != right && never_new.forbids(left, right);
        never_new.forbids_any() && self.seen.never_seen(cell, self.all, self.all, forbids) > 0
    }
}

/// The wishes of a snapshot.
pub(super) struct Snapshot<'a> {
    pub(super) rules: Rules<'a>,
    /// For each cell, how many records may take part, and whether one of them is at risk and
    /// not covered.
    pub(super) free: &'a [u32],
    pub(super) open: &'a [bool],
}

impl Wishes for Snapshot<'_> {
    fn free(&self, cell: CellId) -> u32 {
        self.free[cell.position()]
    }

    fn may_make(&self, cell: &[u64]) -> bool {
        self.rules.may_make(cell)
    }

    fn keys(&self) -> VarSet {
        self.rules.keys
    }

    fn staying(&self) -> VarSet {
        self.rules.staying
    }

    fn agree(&self) -> VarSet {
        self.rules.agree
    }

    fn wants_out(&self, cell: CellId) -> bool {
        self.open[cell.position()]
    }

    /// Those that cover more go first, then those that make fewer new uniques.
    fn rank(&self, found: &Found) -> u64 {
        let others = found.cells.iter().filter(|cell| !self.open[cell.position()]).count() as u64;
        let combinations = self.rules.combinations;
        let is_new = |cell: &&Vec<u64>| combinations.iter().any(|keys| keys.is_new(cell));
        let new = found.table_move.added().iter().filter(is_new).count() as u64;
        others * 64 + new
    }
}

/// No wish but that one record is parted from its keys.
struct Parting<'a> {
    joint: &'a JointTable,
    planner: &'a Planner<'a>,
    cell: u32,
}

impl Wishes for Parting<'_> {
    fn free(&self, cell: CellId) -> u32 {
        self.joint.counts()[cell.position()]
    }

    fn may_make(&self, cell: &[u64]) -> bool {
        let own = self.cell as usize;
        self.planner
            .combinations
            .iter()
            .all(|keys| !keys.is_at_risk(own) || keys.find(cell) != Some(keys.of(own)))
    }

    fn keys(&self) -> VarSet {
        self.planner.task.all_keys()
    }
}

impl Planner<'_> {
    /// Covers what pairs leave open; first with helpers that leave nobody alone, on records
    /// without a swap and then on the current table, and only then with any.
    pub(super) fn cover_by_groups(&mut self, larger: Larger<'_>, seed: Seed) {
        // Whom no pair parts a larger swap may.
        self.combinations.iter_mut().for_each(Combinations::protect_untouched);
        for company in [Company::Kept, Company::Given] {
            for &agree in &self.task.constraints.matches {
                self.cover_by_helpers(larger, agree, seed, (Purpose::Part, company));
            }
            self.cover_by_regrouping(larger, seed, company);
        }
        self.note_what_is_barred(larger, seed);
    }

    /// Detaches with groups whom nothing parts and no pair detaches.
    pub(super) fn detach_by_groups(&mut self, larger: Larger<'_>, seed: Seed) {
        for company in [Company::Kept, Company::Given] {
            for &agree in &self.task.constraints.matches {
                self.cover_by_helpers(larger, agree, seed, (Purpose::Detach, company));
            }
        }
    }

    /// Asks once more for the cells that are left, without any wish: those who could be freed
    /// then are barred by a constraint, the budget, or because helpers are taken.
    fn note_what_is_barred(&mut self, larger: Larger<'_>, seed: Seed) {
        let left: Vec<u32> = (0..self.task.joint.len())
            .filter(|&cell| self.pool.is_open(cell))
            .map(number)
            .filter(|cell| !self.groups.impossible.contains_key(cell))
            .take(MOST_ASKED_AGAIN)
            .collect();
        let cells = self.task.joint.len();
        let steps = self.effort.steps_of_a_question(Search::Barred, cells, left.len());
        let limits = Limits { records: larger.records, steps: steps.steps, linking: steps.linked };
        let barred: Vec<(u32, Outcome)> = left
            .into_par_iter()
            .map(|cell| {
                let when = (Purpose::Part, Company::Given);
                let mut random = Random::new(seed, stream(when, u64::MAX >> 40, cell));
                let wishes = Parting { joint: self.task.joint, planner: self, cell };
                (cell, larger.search.ask(CellId(cell), &wishes, limits, &mut random))
            })
            .collect();
        for (cell, asked) in barred {
            self.book(Search::Barred, &asked);
            match asked.answer {
                Answer::Possible(_) => drop(self.groups.barred.insert(cell, ())),
                Answer::Impossible(_) => drop(self.groups.impossible.insert(cell, ())),
                Answer::NotFound(_) => {}
            }
        }
    }

    /// Books what a question took.
    pub(super) fn book(&mut self, search: Search, asked: &Outcome) {
        self.effort.spend(search, asked.units);
        self.effort.spend(Search::Linked, asked.linking);
    }

    /// Is somebody at risk there who shares the keys with a record that came to have them?
    pub(super) fn has_company(&self, cell: usize) -> bool {
        self.combinations.iter().any(|keys| keys.may_get_company(cell))
    }

    /// How many records of a cell may help.
    fn helpers(&self, cell: usize, company: Company) -> u32 {
        if self.has_company(cell) {
            return 0;
        }
        let free = self.pool.free(cell);
        if self.pool.is_open(cell) || company == Company::Given {
            return free;
        }
        let spare = |keys: &Combinations<'_>| keys.now(cell).saturating_sub(2);
        self.combinations.iter().map(spare).min().map_or(free, |spare| free.min(spare))
    }

    /// Covers what is open with groups on records that have no swap.
    fn cover_by_helpers(
        &mut self,
        larger: Larger<'_>,
        agree: VarSet,
        seed: Seed,
        (purpose, company): (Purpose, Company),
    ) {
        let cells = self.task.joint.len();
        let mut queue: Vec<u32> = (0..cells)
            .filter(|&cell| !self.groups.impossible.contains_key(&number(cell)))
            .filter(|&cell| !self.has_company(cell))
            .flat_map(|cell| std::iter::repeat_n(number(cell), self.pool.open(cell) as usize))
            .collect();
        self.random.shuffle(&mut queue);
        // Several boxes at once are looked for where everybody may help.
        let records = match company {
            Company::Kept => larger.records.min(MOST_IN_ONE_BOX),
            Company::Given => larger.records,
        };
        let linking = self.effort.steps_of_a_question(Search::Larger, cells, queue.len()).linked;
        let mut given_up: Map<u32, ()> = Map::with_hasher(STATE);
        let mut round = 0u64;
        while !queue.is_empty() {
            let steps = self.effort.steps_of_a_question(Search::Larger, cells, queue.len());
            if steps.are_too_few() {
                self.effort.fell_short(Search::Larger);
                break;
            }
            let limits = Limits { records, steps: steps.steps, linking };
            round += 1;
            let rest = queue.split_off(queue.len().min(BATCH));
            let batch = std::mem::replace(&mut queue, rest);
            let mut asked: Vec<u32> = batch.clone();
            asked.retain(|cell| self.pool.is_open(*cell as usize));
            asked.sort_unstable();
            asked.dedup();
            asked.retain(|cell| !given_up.contains_key(cell));
            let free: Vec<u32> = (0..cells).map(|cell| self.helpers(cell, company)).collect();
            let open: Vec<bool> = (0..cells).map(|cell| self.pool.is_open(cell)).collect();
            let wishes = Snapshot { rules: self.rules(agree), free: &free, open: &open };
            let answers: Vec<(u32, Outcome)> = asked
                .into_par_iter()
                .map(|cell| {
                    let mut random = Random::new(seed, stream((purpose, company), round, cell));
                    let own = CellId(cell);
                    let detaching = Detaching { snapshot: &wishes, planner: self, own };
                    let wishes: &dyn Wishes = match purpose {
                        Purpose::Part => &wishes,
                        Purpose::Detach => &detaching,
                    };
                    (cell, larger.search.ask(own, wishes, limits, &mut random))
                })
                .collect();
            let mut found: Map<u32, Box<Found>> = Map::with_hasher(STATE);
            for (cell, asked) in answers {
                self.book(Search::Larger, &asked);
                match asked.answer {
                    Answer::Possible(group) => {
                        found.insert(cell, group);
                    }
                    Answer::Impossible(_) => {
                        self.groups.impossible.insert(cell, ());
                    }
                    Answer::NotFound(_) => {
                        if steps.end(asked.units / LINKING) {
                            self.effort.fell_short(Search::Larger);
                        }
                        given_up.insert(cell, ());
                    }
                }
            }
            for cell in batch {
                // A cell of several records asks once; the next one asks again.
                let Some(group) = found.remove(&cell) else {
                    let asks_again = self.pool.is_open(cell as usize)
                        && !given_up.contains_key(&cell)
                        && !self.groups.impossible.contains_key(&cell);
                    if asks_again {
                        queue.push(cell);
                    }
                    continue;
                };
                if !self.pool.is_open(cell as usize) {
                    continue;
                }
                if self.has_room(&group, company) {
                    self.make_group(&group);
                } else if !self.is_full_for(group.cells.len()) {
                    queue.push(cell);
                }
            }
        }
    }

    pub(super) fn rules(&self, agree: VarSet) -> Rules<'_> {
        Rules {
            combinations: &self.combinations,
            constraints: self.task.constraints,
            seen: &self.seen,
            layout: self.task.joint.cells().layout(),
            all: self.task.class.delta(),
            keys: self.task.all_keys(),
            staying: self.task.prices.staying,
            agree,
        }
    }

    /// Are all its records still free, and may its records be changed?
    fn has_room(&self, group: &Found, company: Company) -> bool {
        let needed = |cell: &CellId| group.cells.iter().filter(|other| *other == cell).count();
        let free = |cell: &CellId| self.helpers(cell.position(), company) as usize >= needed(cell);
        group.cells.iter().all(free) && !self.is_full_for(group.cells.len())
    }

    /// Would `more` further changed records be too many?
    pub(super) fn is_full_for(&self, more: usize) -> bool {
        let after = self.records_changed() + more as u64;
        self.task.constraints.most_changed.is_some_and(|most| after > most)
    }

    fn make_group(&mut self, group: &Found) {
        let cells = self.task.joint.cells();
        let members: Vec<(Taken, Vec<u64>)> = group
            .cells
            .iter()
            .zip(&group.takes)
            .map(|(cell, &slot)| {
                let taken = self.pool.take(cell.position());
                (taken, group.table_move.added()[slot].clone())
            })
            .collect();
        for keys in &mut self.combinations {
            for (taken, new) in &members {
                let cell = taken.cell.position();
                keys.leave(cell, cells.get(cell));
                keys.arrive(new);
            }
        }
        self.groups.made.push(members);
    }

    /// Covers what is still open by moves on the current table, which may move records again.
    fn cover_by_regrouping(&mut self, larger: Larger<'_>, seed: Seed, company: Company) {
        let is_left = |cell: usize| {
            self.pool.is_open(cell) && !self.groups.impossible.contains_key(&number(cell))
        };
        if !(0..self.task.joint.len()).any(is_left) {
            return;
        }
        let mut regrouping = Regrouping::new(self);
        let mut changed = false;
        for round in 0..REGROUPING_ROUNDS {
            let open = regrouping.open(self);
            let mut covered = 0;
            for &agree in &self.task.constraints.matches {
                let records = larger.records.min(MOST_IN_ONE_BOX);
                let question = Question { records, agree, company, round };
                covered += regrouping.round(self, question, seed);
            }
            changed |= covered > 0;
            if covered * 100 < open.max(1) {
                break;
            }
        }
        if changed {
            regrouping.settle(self);
            self.recount();
        }
    }
}

/// The random stream of one question: 0 and 1 are the planner's and that of the new order.
fn stream((purpose, company): (Purpose, Company), round: u64, cell: u32) -> u64 {
    let purpose = u64::from(purpose == Purpose::Detach);
    1 << 62 | pass(company) << 61 | purpose << 60 | round << 33 | u64::from(cell)
}

pub(super) fn pass(company: Company) -> u64 {
    match company {
        Company::Kept => 0,
        Company::Given => 1,
    }
}

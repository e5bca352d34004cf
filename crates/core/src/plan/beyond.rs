//! Beyond pairs: groups for the records at risk that no pair swap covers.
//!
//! First on records that have no swap yet: groups are disjoint from all swaps and from each
//! other, so they may be made together. Batches are searched in parallel on a snapshot and
//! made in order; whoever loses a record to another searches again.
//!
//! What is left may lack helpers only because they are taken. So moves then follow on the
//! live table, see `live`.
//!
//! Laws: `groups-protect-and-keep`, `groups-repeat`.

use rayon::prelude::*;

use super::combinations::Combinations;
use super::detaching::Detaching;
use super::live::{Live, Question};
use super::{Constraints, Planner, Taken, number};
use crate::hash::{Map, STATE};
use crate::moves::{Answer, Found, LINKING, Limits, MOST_IN_ONE_BOX, MoveSearch, Wishes};
use crate::partner::seen::Seen;
use crate::random::{Random, Seed};
use crate::table::{CellId, JointTable};
use crate::varset::VarSet;

/// Swaps of more than two records are allowed.
#[derive(Debug, Clone, Copy)]
pub struct Larger<'a> {
    /// The cells, ready for the search.
    pub search: &'a MoveSearch<'a>,
    /// Up to so many records for one swap.
    pub records: usize,
}

/// So many questions are asked on one snapshot.
const BATCH: usize = 512;

/// How much work the search may take. It follows the size of the table: nobody waits for a
/// small file as for a large one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Work {
    /// The steps that the question for one record may take.
    pub(super) steps: u64,
    /// When unsuccessful questions have taken this many, the rest are given up.
    pub(super) in_all: u64,
}

impl Work {
    /// The work for a table of so many cells.
    pub(super) fn of(cells: usize) -> Self {
        let cells = cells as u64;
        Self { steps: (200 * cells).min(40_000), in_all: (40_000 * cells).min(400_000_000) }
    }

    /// The limits of each of so many questions.
    pub(super) fn limits(self, records: usize, questions: usize) -> Limits {
        let linking = (LINKING_IN_ALL / (questions as u64).max(1)).min(self.steps * LINKING);
        Limits { records, steps: self.steps, linking }
    }

    /// What may be spent on records without a swap: half, so that the live table gets its turn.
    fn on_helpers(self) -> u64 {
        self.in_all / 2
    }
}

/// So many steps are made in search of linked boxes for all questions of a pass.
const LINKING_IN_ALL: u64 = 250_000_000;

/// So many cells that are left are asked for once more.
const MOST_ASKED_AGAIN: usize = 5000;

/// Rounds on the live table; they end earlier when one covers less than a hundredth of what
/// is open.
const LIVE_ROUNDS: u64 = 12;

/// What became of the records at risk that no pair covers.
#[derive(Debug, Clone, Default)]
pub(super) struct Beyond {
    /// Records and the cells they get: the groups on records that had no swap.
    pub(super) groups: Vec<Vec<(Taken, Vec<u64>)>>,
    /// The cells that the tables prove to be full, by position.
    pub(super) impossible: Map<u32, ()>,
    /// The cells that a move could free if nothing else were asked of it.
    pub(super) barred: Map<u32, ()>,
    /// The steps of unsuccessful questions so far.
    pub(super) spent: u64,
}

/// May a helper leave another record alone with its keys?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Company {
    /// No: whoever is left alone is at risk, and was not before.
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

    /// Whoever covers more goes first, then whoever makes fewer new uniques.
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
    /// without a swap and then on the live table, and only then with any.
    pub(super) fn cover_beyond_pairs(&mut self, larger: Larger<'_>, seed: Seed) {
        // Whom no pair parts a larger swap may.
        self.combinations.iter_mut().for_each(Combinations::protect_untouched);
        for company in [Company::Kept, Company::Given] {
            for &agree in &self.task.constraints.matches {
                self.cover_by_helpers(larger, agree, seed, (Purpose::Part, company));
            }
            self.cover_on_the_live_table(larger, seed, company);
        }
        self.note_what_is_barred(larger, seed);
    }

    /// Detaches with groups whom nothing parts and no pair detaches.
    pub(super) fn detach_beyond_pairs(&mut self, larger: Larger<'_>, seed: Seed) {
        for company in [Company::Kept, Company::Given] {
            for &agree in &self.task.constraints.matches {
                self.cover_by_helpers(larger, agree, seed, (Purpose::Detach, company));
            }
        }
    }

    /// Asks once more for the cells that are left, without any wish: whoever could be freed
    /// then is barred by a constraint, the budget, or because helpers are taken.
    fn note_what_is_barred(&mut self, larger: Larger<'_>, seed: Seed) {
        let left: Vec<u32> = (0..self.task.joint.len())
            .filter(|&cell| self.pool.is_open(cell))
            .map(number)
            .filter(|cell| !self.beyond.impossible.contains_key(cell))
            .take(MOST_ASKED_AGAIN)
            .collect();
        let work = Work::of(self.task.joint.len());
        let limits = work.limits(larger.records, left.len());
        let barred: Vec<(u32, Answer)> = left
            .into_par_iter()
            .map(|cell| {
                let when = (Purpose::Part, Company::Given);
                let mut random = Random::new(seed, stream(when, u64::MAX >> 40, cell));
                let wishes = Parting { joint: self.task.joint, planner: self, cell };
                (cell, larger.search.answer(CellId(cell), &wishes, limits, &mut random))
            })
            .collect();
        for (cell, answer) in barred {
            match answer {
                Answer::Possible(_) => drop(self.beyond.barred.insert(cell, ())),
                Answer::Impossible(_) => drop(self.beyond.impossible.insert(cell, ())),
                Answer::NotFound(_) => {}
            }
        }
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
        let most = match purpose {
            Purpose::Part => Work::of(self.task.joint.len()).on_helpers(),
            Purpose::Detach => Work::of(self.task.joint.len()).in_all,
        };
        let cells = self.task.joint.len();
        let mut queue: Vec<u32> = (0..cells)
            .filter(|&cell| !self.beyond.impossible.contains_key(&number(cell)))
            .filter(|&cell| !self.has_company(cell))
            .flat_map(|cell| std::iter::repeat_n(number(cell), self.pool.open(cell) as usize))
            .collect();
        self.random.shuffle(&mut queue);
        let work = Work::of(cells);
        // Several boxes at once are looked for where everybody may help.
        let records = match company {
            Company::Kept => larger.records.min(MOST_IN_ONE_BOX),
            Company::Given => larger.records,
        };
        let limits = work.limits(records, queue.len());
        let mut given_up: Map<u32, ()> = Map::with_hasher(STATE);
        let mut round = 0u64;
        while !queue.is_empty() && self.beyond.spent < most {
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
            let answers: Vec<(u32, Answer)> = asked
                .into_par_iter()
                .map(|cell| {
                    let mut random = Random::new(seed, stream((purpose, company), round, cell));
                    let own = CellId(cell);
                    let detaching = Detaching { snapshot: &wishes, planner: self, own };
                    let wishes: &dyn Wishes = match purpose {
                        Purpose::Part => &wishes,
                        Purpose::Detach => &detaching,
                    };
                    (cell, larger.search.answer(own, wishes, limits, &mut random))
                })
                .collect();
            let mut found: Map<u32, Box<Found>> = Map::with_hasher(STATE);
            for (cell, answer) in answers {
                match answer {
                    Answer::Possible(group) => {
                        found.insert(cell, group);
                    }
                    Answer::Impossible(_) => {
                        self.beyond.impossible.insert(cell, ());
                    }
                    Answer::NotFound(tried) => {
                        self.beyond.spent += tried.steps;
                        given_up.insert(cell, ());
                    }
                }
            }
            for cell in batch {
                // A cell of several records asks once; the next one asks again.
                let Some(group) = found.remove(&cell) else {
                    let asks_again = self.pool.is_open(cell as usize)
                        && !given_up.contains_key(&cell)
                        && !self.beyond.impossible.contains_key(&cell);
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

    /// Are all its records still free, and may so many more be changed?
    fn has_room(&self, group: &Found, company: Company) -> bool {
        let needed = |cell: &CellId| group.cells.iter().filter(|other| *other == cell).count();
        let free = |cell: &CellId| self.helpers(cell.position(), company) as usize >= needed(cell);
        group.cells.iter().all(free) && !self.is_full_for(group.cells.len())
    }

    /// Would so many more changed records be too many?
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
        self.beyond.groups.push(members);
    }

    /// Covers what is still open by moves on the live table, which may move records again.
    fn cover_on_the_live_table(&mut self, larger: Larger<'_>, seed: Seed, company: Company) {
        let is_left = |cell: usize| {
            self.pool.is_open(cell) && !self.beyond.impossible.contains_key(&number(cell))
        };
        let work = Work::of(self.task.joint.len());
        if self.beyond.spent >= work.in_all || !(0..self.task.joint.len()).any(is_left) {
            return;
        }
        let mut live = Live::new(self);
        let mut changed = false;
        for round in 0..LIVE_ROUNDS {
            let open = live.open(self);
            let mut covered = 0;
            for &agree in &self.task.constraints.matches {
                let records = larger.records.min(MOST_IN_ONE_BOX);
                let question = Question { records, agree, company, round };
                covered += live.round(self, question, seed);
            }
            changed |= covered > 0;
            if covered * 100 < open.max(1) {
                break;
            }
        }
        if changed {
            live.settle(self);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_follows_the_size() {
        assert_eq!(Work::of(46), Work { steps: 9200, in_all: 1_840_000 });
        assert_eq!(Work::of(1_000_000), Work { steps: 40_000, in_all: 400_000_000 });
        assert!(Work::of(10).in_all < Work::of(20).in_all);
    }
}

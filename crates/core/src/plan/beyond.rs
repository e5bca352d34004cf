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

use super::live::{Live, Question};
use super::{Forbidden, Planner, Taken, number};
use crate::hash::{Map, STATE};
use crate::moves::{Answer, Found, Free, Limits, MoveSearch, Wishes};
use crate::random::{Random, Seed};
use crate::table::{CellId, CellIndex, Grouping};
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

/// The steps that the question for one record may take.
pub(super) const STEPS: u64 = 40_000;

/// When unsuccessful questions have taken so many steps, the rest are given up.
pub(super) const STEPS_IN_ALL: u64 = 400_000_000;

/// So many cells that are left are asked for once more.
const MOST_ASKED_AGAIN: usize = 5000;

/// Rounds on the live table; they end earlier when one covers less than a hundredth of what
/// is open.
const LIVE_ROUNDS: u64 = 12;

/// What became of the records at risk that no pair covers.
#[derive(Debug, Default)]
pub(super) struct Beyond {
    /// Records and the cells they get: the groups on records that had no swap.
    pub(super) groups: Vec<Vec<(Taken, Vec<u64>)>>,
    /// The cells that the tables prove to be full, by position.
    pub(super) impossible: Map<u32, ()>,
    /// The cells that a move could free if nothing else were asked of it.
    pub(super) barred: Map<u32, ()>,
    /// The steps of unsuccessful questions so far.
    pub(super) spent: u64,
    /// For each cell the number of its key combination, and how many records still have it.
    key_of: Vec<u32>,
    keys_left: Vec<u32>,
}

/// May a helper leave another record alone with its keys?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Company {
    /// No: whoever is left alone is at risk, and was not before.
    Kept,
    /// Where nobody else can help.
    Given,
}

/// What every move must respect: the part that does not depend on who is free.
pub(super) struct Rules<'a> {
    cells: &'a CellIndex,
    protected: &'a [bool],
    forbidden: &'a [Forbidden],
    layout: &'a crate::encode::Layout,
    keys: VarSet,
    staying: VarSet,
    agree: VarSet,
}

impl Rules<'_> {
    fn may_make(&self, cell: &[u64]) -> bool {
        let brings_back = self.cells.find(cell).is_some_and(|known| self.protected[known as usize]);
        !brings_back && !self.forbidden.iter().any(|rule| rule.holds(self.layout, cell))
    }
}

/// The wishes of a snapshot.
pub(super) struct Snapshot<'a> {
    pub(super) rules: Rules<'a>,
    /// For each cell, how many records may take part, and whether one of them is at risk and
    /// not covered.
    pub(super) free: &'a [u32],
    pub(super) open: &'a [bool],
    pub(super) key_combinations: &'a CellIndex,
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
        let known = |cell: &&Vec<u64>| self.key_combinations.find(cell).is_none();
        let new = found.table_move.added().iter().filter(known).count() as u64;
        others * 64 + new
    }
}

impl Planner<'_> {
    /// Covers what pairs leave open; first with helpers that leave nobody alone, on records
    /// without a swap and then on the live table, and only then with any.
    pub(super) fn cover_beyond_pairs(&mut self, larger: Larger<'_>, seed: Seed) {
        for company in [Company::Kept, Company::Given] {
            self.count_keys();
            for &agree in &self.task.constraints.matches {
                self.cover_by_helpers(larger, agree, seed, company);
            }
            self.cover_on_the_live_table(larger, seed, company);
        }
        self.note_what_is_barred(larger, seed);
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
        let free =
            Free { joint: self.task.joint, keys: self.task.prices.keys, staying: VarSet::EMPTY };
        let limits = Limits { records: larger.records, steps: STEPS };
        let barred: Vec<(u32, Answer)> = left
            .into_par_iter()
            .map(|cell| {
                let mut random = Random::new(seed, stream(Company::Given, u64::MAX >> 40, cell));
                (cell, larger.search.answer(CellId(cell), &free, limits, &mut random))
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

    /// Counts for each key combination the records that still have it.
    fn count_keys(&mut self) {
        let joint = self.task.joint;
        let keys = Grouping::of(joint.cells(), self.task.prices.keys);
        let mut left = vec![0u32; keys.groups()];
        for (&key, &count) in keys.group_of().iter().zip(joint.counts()) {
            left[key as usize] += count;
        }
        let key_of = keys.into_group_of();
        let swapped = self.swaps.iter().flat_map(|swap| [swap.left, swap.right]);
        let grouped = self.beyond.groups.iter().flatten().map(|(taken, _)| *taken);
        for taken in swapped.chain(grouped) {
            let key = key_of[taken.cell.position()];
            left[key as usize] = left[key as usize].saturating_sub(1);
        }
        self.beyond.key_of = key_of;
        self.beyond.keys_left = left;
    }

    /// How many records of a cell may help.
    fn helpers(&self, cell: usize, company: Company) -> u32 {
        let free = self.pool.free(cell);
        if self.pool.is_open(cell) || company == Company::Given {
            return free;
        }
        let left = self.beyond.keys_left[self.beyond.key_of[cell] as usize];
        free.min(left.saturating_sub(2))
    }

    /// Covers what is open with groups on records that have no swap.
    fn cover_by_helpers(
        &mut self,
        larger: Larger<'_>,
        agree: VarSet,
        seed: Seed,
        company: Company,
    ) {
        let cells = self.task.joint.len();
        let mut queue: Vec<u32> = (0..cells)
            .filter(|&cell| !self.beyond.impossible.contains_key(&number(cell)))
            .flat_map(|cell| std::iter::repeat_n(number(cell), self.pool.open(cell) as usize))
            .collect();
        self.random.shuffle(&mut queue);
        let limits = Limits { records: larger.records, steps: STEPS };
        let all = self.all_key_combinations();
        let mut given_up: Map<u32, ()> = Map::with_hasher(STATE);
        let mut round = 0u64;
        while !queue.is_empty() && self.beyond.spent < STEPS_IN_ALL {
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
            let wishes = Snapshot {
                rules: self.rules(agree),
                free: &free,
                open: &open,
                key_combinations: all.as_ref().unwrap_or(&self.cells),
            };
            let answers: Vec<(u32, Answer)> = asked
                .into_par_iter()
                .map(|cell| {
                    let mut random = Random::new(seed, stream(company, round, cell));
                    (cell, larger.search.answer(CellId(cell), &wishes, limits, &mut random))
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

    /// The key combinations of the file; `None` when the keys are all variables.
    pub(super) fn all_key_combinations(&self) -> Option<CellIndex> {
        self.key_combinations.clone()
    }

    pub(super) fn rules(&self, agree: VarSet) -> Rules<'_> {
        Rules {
            cells: &self.cells,
            protected: &self.protected,
            forbidden: &self.task.constraints.forbidden,
            layout: self.task.joint.cells().layout(),
            keys: self.task.prices.keys,
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
        let members = group
            .cells
            .iter()
            .zip(&group.takes)
            .map(|(cell, &slot)| {
                let taken = self.pool.take(cell.position());
                let key = self.beyond.key_of[cell.position()] as usize;
                self.beyond.keys_left[key] = self.beyond.keys_left[key].saturating_sub(1);
                (taken, group.table_move.added()[slot].clone())
            })
            .collect();
        self.beyond.groups.push(members);
    }

    /// Covers what is still open by moves on the live table, which may move records again.
    fn cover_on_the_live_table(&mut self, larger: Larger<'_>, seed: Seed, company: Company) {
        let is_left = |cell: usize| {
            self.pool.is_open(cell) && !self.beyond.impossible.contains_key(&number(cell))
        };
        if self.beyond.spent >= STEPS_IN_ALL || !(0..self.task.joint.len()).any(is_left) {
            return;
        }
        let mut live = Live::new(self);
        let mut changed = false;
        for round in 0..LIVE_ROUNDS {
            let open = live.open(self);
            let mut covered = 0;
            for &agree in &self.task.constraints.matches {
                let question = Question { records: larger.records, agree, company, round };
                covered += live.round(self, question, seed);
            }
            changed |= covered > 0;
            if covered * 100 < open.max(1) {
                break;
            }
        }
        if changed {
            live.settle(self);
        }
    }
}

/// The random stream of one question: 0 and 1 are the planner's and that of the new order.
fn stream(company: Company, round: u64, cell: u32) -> u64 {
    1 << 62 | pass(company) << 61 | round << 33 | u64::from(cell)
}

pub(super) fn pass(company: Company) -> u64 {
    match company {
        Company::Kept => 0,
        Company::Given => 1,
    }
}

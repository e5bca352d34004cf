//! Moves on the current table: the file as it is after all swaps and groups so far.
//!
//! A move here may take any record along, also one that was moved before. Each keeps every
//! table of the current file, which are those of the input. In the end the records that are tied
//! together by moves are one group, made at once, and every table is counted again.
//!
//! Records that were not moved differ by their cell and by whether they are at risk,
//! those that were by what they have become; nothing is held for any other record.
//!
//! Trap: a record that is moved twice may come back to its own keys. Such a move is not made.

use rayon::prelude::*;

use super::combinations::Combinations;
use super::effort::Search;
use super::groups::{Company, Snapshot, pass};
use super::{Planner, Taken, number};
use crate::encode::PackedCells;
use crate::hash::{Map, STATE, chance};
use crate::moves::{Answer, Found, LINKING, Limits, MoveSearch, Outcome};
use crate::partner::swap::exchange;
use crate::random::{Random, Seed};
use crate::table::{CellId, Grouping, JointTable};
use crate::varset::VarSet;

/// What is asked in one round.
#[derive(Clone, Copy)]
pub(super) struct Question {
    pub(super) records: usize,
    pub(super) agree: VarSet,
    pub(super) company: Company,
    pub(super) round: u64,
}

/// The records that were moved so far, and the cells that are still asked for.
pub(super) struct Regrouping {
    moved: Vec<Moved>,
    /// For each moved record, another one of its group; the last one names itself.
    group: Vec<u32>,
    /// The cells with a record at risk that was not moved and may be freed.
    open: Vec<u32>,
}

/// A record that was moved: where it is from, and what it is now.
struct Moved {
    from: Taken,
    now: Vec<u64>,
}

/// One record of a move.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Member {
    /// One that was not moved yet.
    Fresh(Taken),
    /// One that was, by number.
    Again(u32),
}

impl Regrouping {
    pub(super) fn new(planner: &Planner<'_>) -> Self {
        let cells = planner.task.joint.cells();
        let mut regrouping = Self { moved: Vec::new(), group: Vec::new(), open: Vec::new() };
        for swap in &planner.swaps {
            let words = |taken: Taken| cells.get(taken.cell.position());
            let (left, right) =
                exchange(cells.layout(), words(swap.left), words(swap.right), swap.exchanged);
            regrouping.start_group([(swap.left, left), (swap.right, right)]);
        }
        for group in &planner.groups.made {
            regrouping.start_group(group.iter().cloned());
        }
        regrouping.open = (0..cells.len())
            .filter(|&cell| planner.pool.is_open(cell) && !planner.has_company(cell))
            .map(number)
            .filter(|cell| !planner.groups.impossible.contains_key(cell))
            .collect();
        regrouping
    }

    /// What each moved record is now, by number.
    pub(super) fn all_moved(&self) -> impl Iterator<Item = &[u64]> {
        self.moved.iter().map(|moved| &moved.now[..])
    }

    /// Where a record is from.
    pub(super) fn origin(&self, member: Member) -> Taken {
        match member {
            Member::Fresh(taken) => taken,
            Member::Again(record) => self.moved[record as usize].from,
        }
    }

    /// How many records are still asked for.
    pub(super) fn open(&self, planner: &Planner<'_>) -> usize {
        self.open.iter().map(|&cell| planner.pool.open(cell as usize) as usize).sum()
    }

    fn start_group(&mut self, members: impl IntoIterator<Item = (Taken, Vec<u64>)>) {
        let members: Vec<(Member, Vec<u64>)> =
            members.into_iter().map(|(taken, now)| (Member::Fresh(taken), now)).collect();
        self.change(members);
    }

    fn root(&self, record: u32) -> u32 {
        let mut root = record;
        while self.group[root as usize] != root {
            root = self.group[root as usize];
        }
        root
    }

    /// Would all records that a move ties together agree on one of the lists? With several
    /// lists each move may follow another one.
    pub(super) fn agrees_when_tied(
        &self,
        planner: &Planner<'_>,
        members: &[(Member, Vec<u64>)],
    ) -> bool {
        let matches = &planner.task.constraints.matches;
        if matches.len() < 2 {
            return true;
        }
        let roots: Vec<u32> = members
            .iter()
            .filter_map(|(member, _)| match member {
                Member::Again(record) => Some(self.root(*record)),
                Member::Fresh(_) => None,
            })
            .collect();
        let fresh = members.iter().filter_map(|(member, _)| match member {
            Member::Fresh(taken) => Some(*taken),
            Member::Again(_) => None,
        });
        let tied = (0..number(self.moved.len()))
            .filter(|&record| roots.contains(&self.root(record)))
            .map(|record| self.moved[record as usize].from);
        let cells = planner.task.joint.cells();
        let mut all = fresh.chain(tied).map(|taken| taken.cell.position());
        let Some(first) = all.next() else { return true };
        let differing = all.fold(VarSet::EMPTY, |all, cell| all | cells.differing(first, cell));
        matches.iter().any(|agree| !differing.meets(agree))
    }

    /// Gives records other cells and ties them together.
    pub(super) fn change(&mut self, members: Vec<(Member, Vec<u64>)>) {
        let mut first = None;
        for (member, now) in members {
            let record = match member {
                Member::Again(record) => {
                    self.moved[record as usize].now = now;
                    record
                }
                Member::Fresh(from) => {
                    let record = number(self.moved.len());
                    self.moved.push(Moved { from, now });
                    self.group.push(record);
                    record
                }
            };
            let root = self.root(record);
            let first = *first.get_or_insert(root);
            self.group[root as usize] = first;
        }
    }

    /// One question for each open record; answers how many were covered.
    pub(super) fn round(
        &mut self,
        planner: &mut Planner<'_>,
        question: Question,
        seed: Seed,
    ) -> usize {
        let Question { records, agree, company, round } = question;
        let asked = self.open(planner);
        let steps =
            planner.effort.steps_of_a_question(Search::Larger, planner.task.joint.len(), asked);
        if asked > 0 && steps.are_too_few() {
            planner.effort.fell_short(Search::Larger);
        }
        if asked == 0 || steps.are_too_few() {
            return 0;
        }
        let task = planner.task;
        let table = CurrentTable::new(planner, self);
        let joint = &table.joint;
        let search = MoveSearch::new(joint, task.class, &task.prices.weights)
            .expect("the same variables were searched before")
            .without_bounds();
        let mut open = vec![false; joint.len()];
        for &cell in &self.open {
            open[table.now_of(cell as usize).position()] = true;
        }
        let mut neighbours: Vec<Neighbours> = task
            .intruders
            .iter()
            .map(|intruder| Neighbours::new(planner, self, &table, intruder.keys, company))
            .collect();
        let spare = |cell: usize| neighbours.iter().map(|keys| keys.spare(cell)).min();
        let free: Vec<u32> = (0..joint.len())
            .map(|cell| match open[cell] {
                true => joint.counts()[cell],
                false => joint.counts()[cell].min(spare(cell).unwrap_or(u32::MAX)),
            })
            .collect();
        let wishes = Snapshot { rules: planner.rules(agree), free: &free, open: &open };
        let limits = Limits { records, steps: steps.steps, linking: 0 };
        let asked: Vec<u32> = self
            .open
            .iter()
            .flat_map(|&cell| std::iter::repeat_n(cell, planner.pool.open(cell as usize) as usize))
            .collect();
        let answers: Vec<Outcome> = asked
            .par_iter()
            .enumerate()
            .map(|(place, &cell)| {
                let stream = 1 << 63 | pass(company) << 62 | round << 40 | place as u64;
                let mut random = Random::new(seed, stream);
                search.ask(table.now_of(cell as usize), &wishes, limits, &mut random)
            })
            .collect();
        let mut used = vec![false; self.moved.len()];
        let mut covered = 0;
        let mut stuck: Map<u32, ()> = Map::with_hasher(STATE);
        for (place, (&cell, answer)) in asked.iter().zip(&answers).enumerate() {
            planner.book(Search::Larger, answer);
            let found = match &answer.answer {
                Answer::Possible(found) => found,
                Answer::NotFound(_) => {
                    if steps.end(answer.units / LINKING) {
                        planner.effort.fell_short(Search::Larger);
                    }
                    continue;
                }
                Answer::Impossible(_) => {
                    // The tables are those of the input, and so is what they prove. Where
                    // others have left the cell already it says that this one came too late.
                    let now = table.now_of(cell as usize);
                    if joint.n(now) == task.joint.n(CellId(cell)) {
                        planner.groups.impossible.insert(cell, ());
                    }
                    stuck.insert(cell, ());
                    continue;
                }
            };
            let choice =
                Choice { regrouping: self, table: &table, open: &open, used: &used, place };
            let Some(members) = choice.members(planner, found) else { continue };
            if !self.agrees_when_tied(planner, &members)
                || !neighbours.iter().all(|keys| keys.can_take(&found.cells, &open))
            {
                continue;
            }
            let is_fresh = |member: &&(Member, _)| matches!(member.0, Member::Fresh(_));
            if planner.is_full_for(members.iter().filter(is_fresh).count()) {
                continue;
            }
            neighbours.iter_mut().for_each(|keys| keys.take(&found.cells, &open));
            for (member, _) in &members {
                match *member {
                    Member::Again(record) => used[record as usize] = true,
                    Member::Fresh(taken) => {
                        let now = table.now_of(taken.cell.position());
                        covered += usize::from(taken.at_risk && open[now.position()]);
                        planner.pool.take_as(taken);
                        planner.regrouped += 1;
                        used.push(true);
                    }
                }
            }
            self.change(members);
        }
        self.open.retain(|cell| {
            planner.pool.is_open(*cell as usize)
                && !stuck.contains_key(cell)
                && !planner.groups.impossible.contains_key(cell)
        });
        covered
    }

    /// Makes one group of all records that are tied together; pairs that were left alone
    /// stay pairs.
    pub(super) fn settle(self, planner: &mut Planner<'_>) {
        let mut by_root: Map<u32, Vec<u32>> = Map::with_hasher(STATE);
        for record in 0..number(self.moved.len()) {
            by_root.entry(self.root(record)).or_default().push(record);
        }
        // The swaps were moved first, two records each.
        let is_pair = |swap: usize| by_root[&self.root(number(2 * swap))].len() == 2;
        let pairs: Vec<bool> = (0..planner.swaps.len()).map(is_pair).collect();
        let mut groups: Vec<Vec<(Taken, Vec<u64>)>> = by_root
            .into_values()
            .filter(|records| !pairs.get(records[0] as usize / 2).is_some_and(|&is_pair| is_pair))
            .map(|records| {
                let member = |record: u32| {
                    let Moved { from, now } = &self.moved[record as usize];
                    (*from, now.clone())
                };
                let mut members: Vec<_> = records.into_iter().map(member).collect();
                members.sort_unstable();
                members
            })
            .collect();
        groups.sort_unstable();
        let mut swap = 0;
        planner.swaps.retain(|_| {
            swap += 1;
            pairs[swap - 1]
        });
        planner.groups.made = groups;
        planner.regrouped = 0;
    }
}

/// The cells of the current file, and who is in them.
struct CurrentTable {
    joint: JointTable,
    /// For each cell of the input with a record that was not moved, where that is now.
    now_of: Vec<u32>,
    /// The other way round.
    home: Vec<u32>,
    /// The moved records of each cell that has some.
    moved: Map<u32, Vec<u32>>,
    /// The cell of each moved record.
    moved_to: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl CurrentTable {
    fn new(planner: &Planner<'_>, regrouping: &Regrouping) -> Self {
        let before = planner.task.joint.cells();
        let mut cells = PackedCells::new(before.layout().clone());
        let mut counts = Vec::new();
        for (cell, words) in before.iter().enumerate() {
            cells.push(words);
            counts.push(planner.pool.free(cell));
        }
        for moved in &regrouping.moved {
            cells.push(&moved.now);
            counts.push(1);
        }
        let joint = JointTable::from_counts(&cells, &counts);
        let find = |words: &[u64]| number(place(joint.cells(), words));
        let now_of: Vec<u32> = before
            .iter()
            .enumerate()
            .map(|(cell, words)| if planner.pool.is_free(cell) { find(words) } else { NONE })
            .collect();
        let mut home = vec![NONE; joint.len()];
        for (cell, &now) in (0u32..).zip(&now_of).filter(|(_, now)| **now != NONE) {
            home[now as usize] = cell;
        }
        let moved_to: Vec<u32> = regrouping.moved.iter().map(|moved| find(&moved.now)).collect();
        let mut moved: Map<u32, Vec<u32>> = Map::with_hasher(STATE);
        for (record, &cell) in (0u32..).zip(&moved_to) {
            moved.entry(cell).or_default().push(record);
        }
        Self { joint, now_of, home, moved, moved_to }
    }

    /// The current cell of a cell of the input.
    fn now_of(&self, cell: usize) -> CellId {
        CellId(self.now_of[cell])
    }
}

/// The place of a cell that is there, in cells that are sorted.
fn place(cells: &PackedCells, words: &[u64]) -> usize {
    let (mut from, mut to) = (0, cells.len());
    while from < to {
        let middle = from.midpoint(to);
        if cells.get(middle) < words {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    assert!(cells.get(from) == words, "the cell of a record is there");
    from
}

/// Who takes part in a move that was found.
struct Choice<'c> {
    regrouping: &'c Regrouping,
    table: &'c CurrentTable,
    open: &'c [bool],
    /// The moved records that were used in this round.
    used: &'c [bool],
    /// The place of the question in its round.
    place: usize,
}

impl Choice<'_> {
    /// Records for the cells of a move: none that was used in this round, and nobody at risk
    /// comes back to the own keys.
    fn members(&self, planner: &Planner<'_>, found: &Found) -> Option<Vec<(Member, Vec<u64>)>> {
        let mut members: Vec<(Member, Vec<u64>)> = Vec::new();
        for (place, (cell, &slot)) in found.cells.iter().zip(&found.takes).enumerate() {
            let new = &found.table_move.added()[slot];
            let chosen = if place == 0 {
                self.fresh(planner, *cell, true, new, &members)
            } else {
                self.helper(planner, *cell, new, &members)
            };
            members.push((chosen?, new.clone()));
        }
        Some(members)
    }

    /// Someone who is open first, then someone who has no swap yet, then anybody.
    fn helper(
        &self,
        planner: &Planner<'_>,
        cell: CellId,
        new: &[u64],
        members: &[(Member, Vec<u64>)],
    ) -> Option<Member> {
        let at_risk = || self.fresh(planner, cell, true, new, members);
        let other = || self.fresh(planner, cell, false, new, members);
        let fresh = match self.open[cell.position()] {
            true => at_risk().or_else(other),
            false => other().or_else(at_risk),
        };
        fresh.or_else(|| {
            let here = self.table.moved.get(&cell.0).into_iter().flatten().copied();
            let fits = |&record: &u32| {
                let Moved { from, .. } = &self.regrouping.moved[record as usize];
                !self.used[record as usize]
                    && members.iter().all(|(member, _)| *member != Member::Again(record))
                    && may_become(planner, *from, new)
            };
            let chance = |&record: &u32| chance((planner.salt, self.place, record));
            here.filter(fits).min_by_key(chance).map(Member::Again)
        })
    }

    /// A record of a cell that was not moved yet, if there is one left.
    fn fresh(
        &self,
        planner: &Planner<'_>,
        cell: CellId,
        at_risk: bool,
        new: &[u64],
        members: &[(Member, Vec<u64>)],
    ) -> Option<Member> {
        let home = self.table.home[cell.position()];
        if home == NONE {
            return None;
        }
        let taken = Taken { cell: CellId(home), at_risk };
        let there = match at_risk {
            true => planner.pool.open(home as usize),
            false => planner.pool.others(home as usize),
        };
        let member = Member::Fresh(taken);
        let chosen = members.iter().filter(|(other, _)| *other == member).count();
        (chosen < there as usize && may_become(planner, taken, new)).then_some(member)
    }
}

/// May a record have this cell afterwards? One at risk must have other keys.
pub(super) fn may_become(planner: &Planner<'_>, from: Taken, new: &[u64]) -> bool {
    let cell = from.cell.position();
    let has_own = |keys: &Combinations<'_>| {
        keys.is_at_risk(cell)
            && (keys.may_get_company(cell) || keys.find(new) == Some(keys.of(cell)))
    };
    !from.at_risk || !planner.combinations.iter().any(has_own)
}

/// Who shares keys with whom on the current table.
struct Neighbours {
    /// For each cell the number of its key combination.
    key_of: Vec<u32>,
    /// How many records may still give up each combination.
    spare: Vec<u32>,
}

impl Neighbours {
    fn new(
        planner: &Planner<'_>,
        regrouping: &Regrouping,
        table: &CurrentTable,
        keys: VarSet,
        company: Company,
    ) -> Self {
        let (task, joint) = (planner.task, &table.joint);
        let grouping = Grouping::of(joint.cells(), keys);
        let mut left = vec![0u32; grouping.groups()];
        let mut has_own = vec![false; grouping.groups()];
        for (cell, &key) in grouping.group_of().iter().enumerate() {
            left[key as usize] += joint.counts()[cell];
            // Who was not moved has the own keys.
            has_own[key as usize] |= table.home[cell] != NONE;
        }
        let keys = joint.cells().layout().mask(keys);
        for (moved, &cell) in regrouping.moved.iter().zip(&table.moved_to) {
            let before = task.joint.cells().get(moved.from.cell.position());
            let key = grouping.group_of()[cell as usize] as usize;
            has_own[key] |= !keys.parts(before, &moved.now);
        }
        // Where all have the keys of others, nobody is betrayed by being alone.
        let spare = |(left, has_own): (u32, bool)| match company {
            Company::Kept if has_own => left.saturating_sub(2),
            _ => u32::MAX,
        };
        let spare = left.into_iter().zip(has_own).map(spare).collect();
        Self { key_of: grouping.into_group_of(), spare }
    }

    fn spare(&self, cell: usize) -> u32 {
        self.spare[self.key_of[cell] as usize]
    }

    /// Can a combination be given up for each cell that no open record leaves?
    fn can_take(&self, cells: &[CellId], open: &[bool]) -> bool {
        let helpers = || cells.iter().map(|cell| cell.position()).filter(|&cell| !open[cell]);
        let needed = |key: u32| helpers().filter(|&cell| self.key_of[cell] == key).count();
        helpers().all(|cell| self.spare(cell) as usize >= needed(self.key_of[cell]))
    }

    /// Gives them up.
    fn take(&mut self, cells: &[CellId], open: &[bool]) {
        for cell in cells.iter().map(|cell| cell.position()).filter(|&cell| !open[cell]) {
            let key = self.key_of[cell] as usize;
            self.spare[key] = self.spare[key].saturating_sub(1);
        }
    }
}

//! Permutations in slices: more than disjoint pairs can do.
//!
//! For a minimal separator S with components γ the values on γ of all records of one S-slice
//! may be permuted freely: every table lies in S ∪ γ′ for some γ′, so every one stays. Three
//! records of a slice with three values on both sides are all freed by one 3-cycle, where
//! disjoint pairs free two.
//!
//! After the pairs, the slices in which somebody is left are solved as assignments on the current
//! table, one separator after the other, until nothing improves: rows are records, columns the
//! values on one side; a row that keeps its own is free of charge, unless it is somebody at
//! risk; keys of people at risk are made by nobody; what an exchange disturbs decides among the
//! rest. The answer falls into cycles, and only those that free somebody are made, each checked
//! for everything else: match lists, the budget, and that nobody is left alone with their keys.
//!
//! Trap: the records of a cycle are tied to the swaps they took part in before. All of them
//! together are one group, made at once.
//!
//! Way in: `Planner::permute_slices`.

use rayon::prelude::*;

use super::assignment::{FORBIDDEN, assign};
use super::effort::{MOST_IN_SLICE, MOST_LEFT_IN_SLICE, STEPS_OF_ASSIGNMENT, Search};
use super::regroup::{Member, Regrouping, may_become};
use super::{Planner, Taken, number};
use crate::encode::PackedCells;
use crate::hash::{Map, STATE, chance};
use crate::table::{CellId, Grouping};
use crate::varset::VarSet;

/// How often all separators are gone through.
const MOST_ROUNDS: usize = 8;
/// What it costs to leave somebody at risk where they are.
const LEFT: i64 = 1 << 48;
/// The most that one change may cost.
const MOST_PRICE: u64 = 1 << 36;

/// What it takes to work out the costs of a slice and its assignment: a look through all columns for
/// everybody who is left, and for some whom these move.
fn work_of(slice: &[Participant]) -> u64 {
    let left = slice.iter().filter(|one| one.left).count();
    let costs = slice.len() * slice.len();
    costs as u64 * (STEPS_OF_ASSIGNMENT + left as u64) / STEPS_OF_ASSIGNMENT
}

/// A separator's components, those whose values are permuted against all others.
#[derive(Clone, Copy)]
struct Side {
    /// S, and where partners agree.
    agree: VarSet,
    /// The values that are permuted.
    moving: VarSet,
}

/// A record of a slice.
#[derive(Clone, Copy)]
struct Participant {
    member: Member,
    /// Its words, by place in the current cells.
    place: u32,
    /// Is it somebody at risk who is left?
    left: bool,
}

/// The records of one slice.
#[derive(Default)]
struct Slice {
    /// People at risk who are left.
    left: Vec<Participant>,
    /// Everybody else who may take part.
    others: Vec<Participant>,
}

impl Slice {
    /// Those who take part in one assignment: all, or a choice by chance.
    fn chosen(self, salt: u64) -> Vec<Participant> {
        let choose = |all: Vec<Participant>, most: usize| {
            if all.len() <= most {
                return all;
            }
            let chance = |(at, one): (usize, &Participant)| chance((salt, one.place, at));
            let mut keyed: Vec<(u64, usize)> =
                all.iter().enumerate().map(|one| (chance(one), one.0)).collect();
            keyed.sort_unstable();
            keyed.into_iter().take(most).map(|(_, at)| all[at]).collect()
        };
        let mut slice = choose(self.left, MOST_LEFT_IN_SLICE);
        let room = MOST_IN_SLICE - slice.len();
        slice.extend(choose(self.others, room));
        slice
    }
}

/// Records that take the values of the next one, the last those of the first.
type Cycle = Vec<Participant>;

/// The current file, cell by cell, and record by record where one was moved.
struct CurrentCells {
    cells: PackedCells,
    /// A cell of the file with records that were not moved, or a moved record.
    who: Vec<Who>,
}

#[derive(Clone, Copy)]
enum Who {
    Cell(usize),
    Moved(u32),
}

impl Planner<'_> {
    /// Is somebody left for whom slices may be permuted?
    pub(super) fn may_permute(&mut self) -> bool {
        self.close_cells();
        !self.open.is_empty() && self.drift.is_none() && !self.is_full()
    }

    /// Frees more people at risk by permutations within slices.
    ///
    /// Laws: `slices-free-as-many-as-can-be`, `slices-respect-everything`.
    pub(super) fn permute_slices(&mut self) {
        // Keys that only changed places with a swap were not counted as left and come.
        self.recount();
        let mut regrouping = Regrouping::new(self);
        let [sorted, costs] = self.effort.permutations();
        let mut work = Work { sorted, costs };
        let mut changed = false;
        for round in 0..MOST_ROUNDS {
            let mut freed = 0;
            for side in self.sides() {
                self.close_cells();
                if self.open.is_empty()
                    || self.is_full()
                    || work.is_spent()
                    || self.effort.is_short(Search::Permutations)
                {
                    break;
                }
                freed += self.permute(&mut regrouping, side, round, &mut work);
            }
            changed |= freed > 0;
            if freed == 0 {
                break;
            }
        }
        if changed {
            regrouping.settle(self);
            self.recount();
        }
        self.close_cells();
    }

    /// Every way to permute one component of a separator against the others, with every list on
    /// which partners agree.
    fn sides(&self) -> Vec<Side> {
        let mut sides = Vec::new();
        for separator in self.useful_separators() {
            let components = &separator.components;
            let all = components.iter().fold(VarSet::EMPTY, |all, component| all | *component);
            // With two components either may be permuted; nothing that stays is.
            let choices = if components.len() == 2 { 1 } else { components.len() };
            for &one in &components[..choices] {
                let other = all - one;
                let moving = if one.meets(&self.task.prices.staying) { other } else { one };
                let parts = |keys: VarSet| keys.meets(&one) && keys.meets(&other);
                if moving.meets(&self.task.prices.staying)
                    || !self.offers.aims().iter().any(|aim| parts(aim.keys))
                {
                    continue;
                }
                for &agree in &self.task.constraints.matches {
                    sides.push(Side { agree: separator.variables | agree, moving });
                }
            }
        }
        sides
    }

    /// Permutes one side in every slice with somebody left; how many it frees.
    fn permute(
        &mut self,
        regrouping: &mut Regrouping,
        side: Side,
        round: usize,
        work: &mut Work,
    ) -> usize {
        let cells = CurrentCells::new(self, regrouping);
        work.sorted = work.sorted.saturating_sub(cells.who.len());
        let mut slices = self.slices(&cells, side, round);
        let mut costs = 0;
        let mut spent = cells.who.len() as u64;
        let most = self.effort.left(Search::Permutations);
        slices.retain(|slice| {
            costs += slice.len() * slice.len();
            spent += work_of(slice);
            costs <= work.costs && spent <= most
        });
        work.costs = work.costs.saturating_sub(costs);
        self.effort.spend(Search::Permutations, spent.min(most));
        let this = &*self;
        let cycles: Vec<Vec<Cycle>> =
            slices.par_iter().map(|slice| this.solve(regrouping, &cells, side, slice)).collect();
        let mut freed = 0;
        for cycle in cycles.into_iter().flatten() {
            freed += self.make_cycle(regrouping, &cells, side, &cycle);
        }
        freed
    }

    /// Who takes part in each slice with somebody left.
    fn slices(&self, cells: &CurrentCells, side: Side, round: usize) -> Vec<Vec<Participant>> {
        let grouping = Grouping::of(&cells.cells, side.agree);
        let slice_of = grouping.group_of();
        let mut wanted = vec![false; grouping.groups()];
        // The cells that were not moved come first, in their order.
        let mut is_left = vec![false; cells.who.len()];
        for (place, who) in cells.who.iter().enumerate() {
            if let Who::Cell(cell) = *who
                && self.pool.open(cell) > 0
                && self.open.binary_search(&number(cell)).is_ok()
            {
                is_left[place] = true;
                wanted[slice_of[place] as usize] = true;
            }
        }
        let mut slices: Map<u32, Slice> = Map::with_hasher(STATE);
        for (place, who) in (0u32..).zip(&cells.who) {
            let slice = slice_of[place as usize];
            if wanted[slice as usize] {
                let slice = slices.entry(slice).or_default();
                self.add(slice, cells, place, *who, is_left[place as usize]);
            }
        }
        let mut slices: Vec<(u32, Slice)> = slices.into_iter().collect();
        slices.sort_unstable_by_key(|(slice, _)| *slice);
        let salt = chance((self.salt, round, side.moving));
        let slices = slices.into_iter().map(|(_, slice)| slice.chosen(salt));
        slices.filter(|slice| slice.len() > 1).collect()
    }

    /// Adds the records of one current cell to its slice.
    fn add(&self, slice: &mut Slice, cells: &CurrentCells, place: u32, who: Who, is_left: bool) {
        let fresh = |cell: usize, at_risk: bool| Participant {
            member: Member::Fresh(Taken { cell: CellId::at(cell), at_risk }),
            place,
            left: at_risk,
        };
        if is_left && let Who::Cell(cell) = who {
            let count = self.pool.open(cell) as usize;
            slice.left.extend(std::iter::repeat_n(fresh(cell, true), count));
        }
        // One less would leave somebody alone.
        let words = cells.cells.get(place as usize);
        if self.combinations.iter().any(|keys| keys.is_last_company(words)) {
            return;
        }
        match who {
            Who::Moved(record) => {
                let member = Member::Again(record);
                slice.others.push(Participant { member, place, left: false });
            }
            Who::Cell(cell) => {
                let count = (self.pool.others(cell) as usize).min(MOST_IN_SLICE);
                slice.others.extend(std::iter::repeat_n(fresh(cell, false), count));
            }
        }
    }

    /// The cycles of the best assignment of one slice that free somebody.
    fn solve(
        &self,
        regrouping: &Regrouping,
        cells: &CurrentCells,
        side: Side,
        slice: &[Participant],
    ) -> Vec<Cycle> {
        let n = slice.len();
        let moving = cells.cells.layout().mask(side.moving);
        let rules = self.rules(VarSet::EMPTY);
        let mut costs = vec![FORBIDDEN; n * n];
        for (row, taker) in slice.iter().enumerate() {
            let own = cells.cells.get(taker.place as usize);
            for (column, giver) in slice.iter().enumerate() {
                let other = cells.cells.get(giver.place as usize);
                costs[row * n + column] = if !moving.parts(own, other) {
                    if taker.left { LEFT } else { 0 }
                } else {
                    let new = combined(own, other, moving.words());
                    let differing = cells.cells.layout().differing(own, other);
                    let is_made_by_nobody =
                        self.combinations.iter().any(|keys| keys.is_protected(&new));
                    match !is_made_by_nobody
                        && may_become(self, regrouping.origin(taker.member), &new)
                        && rules.allows(&new)
                    {
                        true => self.price(differing, side, taker),
                        false => FORBIDDEN,
                    }
                };
            }
        }
        let found = assign(&costs, n);
        // Who takes the values they have is left out; the record before takes those of the next.
        let changes = |row: usize, giver: usize| {
            let words = |row: usize| cells.cells.get(slice[row].place as usize);
            moving.parts(words(row), words(giver))
        };
        cycles(&found.column_of)
            .into_iter()
            .map(|cycle| {
                let giver = |place: usize| cycle[(place + 1) % cycle.len()];
                let takes = |(place, row): &(usize, &usize)| changes(**row, giver(*place));
                cycle.iter().enumerate().filter(takes).map(|(_, &row)| slice[row]).collect()
            })
            .filter(|cycle: &Cycle| cycle.iter().any(|one| one.left))
            .collect()
    }

    /// What it costs a record to take the values of another one: what a swap of the two would
    /// disturb; among equals, few changes and few ties.
    fn price(&self, differing: VarSet, side: Side, taker: &Participant) -> i64 {
        let cost = self.task.prices.cost(differing, differing & side.moving).min(MOST_PRICE);
        let tied = u64::from(matches!(taker.member, Member::Again(_)));
        i64::try_from(4 * cost + 2 * tied + 1).expect("a price is bounded")
    }

    /// Makes one cycle, if nothing is against it; how many people at risk it frees.
    fn make_cycle(
        &mut self,
        regrouping: &mut Regrouping,
        cells: &CurrentCells,
        side: Side,
        cycle: &Cycle,
    ) -> usize {
        let moving = cells.cells.layout().mask(side.moving);
        let words = |one: &Participant| cells.cells.get(one.place as usize);
        let members: Vec<(Member, Vec<u64>)> = cycle
            .iter()
            .enumerate()
            .map(|(place, one)| {
                let giver = &cycle[(place + 1) % cycle.len()];
                (one.member, combined(words(one), words(giver), moving.words()))
            })
            .collect();
        let fresh = members.iter().filter(|(member, _)| matches!(member, Member::Fresh(_)));
        if self.is_full_for(fresh.count())
            || !regrouping.agrees_when_tied(self, &members)
            || self.leaves_alone(cells, cycle, &members)
        {
            return 0;
        }
        for (one, (_, new)) in cycle.iter().zip(&members) {
            for keys in &mut self.combinations {
                match one.member {
                    Member::Fresh(taken) => keys.leave(taken.cell.position(), words(one)),
                    Member::Again(_) => keys.go(words(one)),
                }
                keys.arrive(new);
            }
            if let Member::Fresh(taken) = one.member {
                self.pool.take_as(taken);
                self.regrouped += 1;
            }
        }
        regrouping.change(members);
        cycle.iter().filter(|one| one.left).count()
    }

    /// Would one record be left with keys that more had before?
    fn leaves_alone(
        &self,
        cells: &CurrentCells,
        cycle: &Cycle,
        members: &[(Member, Vec<u64>)],
    ) -> bool {
        self.combinations.iter().any(|keys| {
            let mut more: Map<u32, i64> = Map::with_hasher(STATE);
            for one in cycle {
                let found = keys.find(cells.cells.get(one.place as usize));
                *more.entry(found.expect("the keys of a record are known")).or_default() -= 1;
            }
            for found in members.iter().filter_map(|(_, new)| keys.find(new)) {
                *more.entry(found).or_default() += 1;
            }
            more.into_iter().any(|(combination, more)| keys.would_be_alone(combination, more))
        })
    }
}

/// How much may still be done.
struct Work {
    sorted: usize,
    costs: usize,
}

impl Work {
    fn is_spent(&self) -> bool {
        self.sorted == 0 || self.costs == 0
    }
}

impl CurrentCells {
    fn new(planner: &Planner<'_>, regrouping: &Regrouping) -> Self {
        let before = planner.task.joint.cells();
        let mut all = Self { cells: PackedCells::new(before.layout().clone()), who: Vec::new() };
        for (cell, words) in before.iter().enumerate() {
            if planner.pool.is_free(cell) {
                all.cells.push(words);
                all.who.push(Who::Cell(cell));
            }
        }
        for (record, words) in (0u32..).zip(regrouping.all_moved()) {
            all.cells.push(words);
            all.who.push(Who::Moved(record));
        }
        all
    }
}

/// A record's words with the values of another one on some bits.
fn combined(own: &[u64], other: &[u64], moving: &[u64]) -> Vec<u64> {
    own.iter()
        .zip(other)
        .zip(moving)
        .map(|((own, other), bits)| own & !bits | other & bits)
        .collect()
}

/// The cycles of a permutation that are longer than one.
fn cycles(column_of: &[usize]) -> Vec<Vec<usize>> {
    let mut seen = vec![false; column_of.len()];
    let mut cycles = Vec::new();
    for first in 0..column_of.len() {
        let mut cycle = Vec::new();
        let mut row = first;
        while !seen[row] {
            seen[row] = true;
            cycle.push(row);
            row = column_of[row];
        }
        if cycle.len() > 1 {
            cycles.push(cycle);
        }
    }
    cycles
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_permutation_falls_into_cycles() {
        assert_eq!(cycles(&[1, 2, 0, 3, 5, 4]), [vec![0, 1, 2], vec![4, 5]]);
        assert!(cycles(&[0, 1]).is_empty());
    }
}

//! A plan over the columns of a file: which records exchange what.
//!
//! This is what a plan file holds, what is applied to columns in memory and what a file is
//! rewritten by. It is data: nothing after it decides anything.
//!
//! A [`Plan`] is well formed: no record is in two of its swaps and groups. Those that are
//! drawn from a [`CellPlan`](super::CellPlan) keep every table, which was proved on cells;
//! one that comes from elsewhere can be proved with [`Plan::prove`].

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use super::cell_plan::{keeps_table, taken};
use crate::bucket_sort::bucket_sorted;
use crate::encode::{Layout, RecordId, Records, Schema};
use crate::graph::GeneratingClass;
use crate::partner::pair;
use crate::varset::VarSet;

/// Swaps and groups; no record is in two of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    swaps: Vec<PlannedSwap>,
    groups: Vec<PlannedGroup>,
}

/// Two records that exchange their values in some columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedSwap {
    /// One record.
    pub left: RecordId,
    /// The other one.
    pub right: RecordId,
    /// The positions of the columns, from 0, rising; swaps of one set share it.
    pub exchanged: Arc<[usize]>,
}

/// Records among which the values of some columns change places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedGroup {
    /// The records, rising.
    pub records: Vec<RecordId>,
    /// The positions of the columns, from 0, rising.
    pub columns: Vec<usize>,
    /// For each column, from which record of the group each record takes its value, by
    /// position in the group.
    pub from: Vec<Vec<usize>>,
}

/// What is wrong with swaps and groups that are no plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unsound {
    /// The columns of a swap are none, or not rising.
    Columns,
    /// A group has no two records or no columns, they do not rise, or it exchanges nothing.
    Group,
    /// This record is in two swaps or groups.
    Twice(RecordId),
}

impl fmt::Display for Unsound {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Columns => formatter.write_str("a set of columns is empty or out of order"),
            Self::Group => formatter.write_str("a group is empty, out of order or no exchange"),
            Self::Twice(record) => write!(formatter, "record {} is swapped twice", record.number()),
        }
    }
}

impl std::error::Error for Unsound {}

/// What a plan would do to a file that no plan may.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unproved {
    /// It speaks of records or columns that are not there.
    OutOfRange,
    /// It exchanges a column that stays, takes no part, or travels only with others.
    Column,
    /// A kept table would be another one.
    Table,
}

impl fmt::Display for Unproved {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::OutOfRange => "the plan speaks of records or columns that are not there",
            Self::Column => "the plan exchanges a column that may not be exchanged",
            Self::Table => "the plan changes a table that is kept",
        })
    }
}

impl std::error::Error for Unproved {}

impl Plan {
    /// The plan of these swaps and groups, in their order.
    ///
    /// # Errors
    /// When they are not well formed, or a record is in two of them.
    pub fn new(swaps: Vec<PlannedSwap>, groups: Vec<PlannedGroup>) -> Result<Self, Unsound> {
        let rise =
            |columns: &[usize]| !columns.is_empty() && columns.is_sorted_by(|one, next| one < next);
        if !swaps.iter().all(|swap| rise(&swap.exchanged)) {
            return Err(Unsound::Columns);
        }
        if !groups.iter().all(|group| rise(&group.columns) && group.is_sound()) {
            return Err(Unsound::Group);
        }
        let plan = Self { swaps, groups };
        let met: Vec<RecordId> = plan.records().collect();
        let met = bucket_sorted(met, |record| record.position() as u64);
        match met.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(Unsound::Twice(pair[0])),
            None => Ok(plan),
        }
    }

    /// The swaps.
    #[must_use]
    pub fn swaps(&self) -> &[PlannedSwap] {
        &self.swaps
    }

    /// The groups of more than two records.
    #[must_use]
    pub fn groups(&self) -> &[PlannedGroup] {
        &self.groups
    }

    /// Is nothing exchanged?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.swaps.is_empty() && self.groups.is_empty()
    }

    /// All records that take part.
    pub fn records(&self) -> impl Iterator<Item = RecordId> {
        let in_swaps = self.swaps.iter().flat_map(|swap| [swap.left, swap.right]);
        in_swaps.chain(self.groups.iter().flat_map(|group| group.records.iter().copied()))
    }

    /// The positions of the columns in which anything is exchanged.
    #[must_use]
    pub fn columns(&self) -> BTreeSet<usize> {
        let in_swaps = self.swaps.iter().flat_map(|swap| swap.exchanged.iter());
        let in_groups = self.groups.iter().flat_map(|group| &group.columns);
        in_swaps.chain(in_groups).copied().collect()
    }

    /// The highest position of a column that is exchanged.
    #[must_use]
    pub fn last_column(&self) -> Option<usize> {
        let in_swaps = self.swaps.iter().filter_map(|swap| swap.exchanged.last());
        in_swaps.chain(self.groups.iter().filter_map(|group| group.columns.last())).max().copied()
    }

    /// The part of the plan that another file holds, with the place of each column there, if it has
    /// one, and of each record.
    ///
    /// # Panics
    /// When places of columns do not rise, or two records have one place.
    #[must_use]
    pub fn part(
        &self,
        column: impl Fn(usize) -> Option<usize>,
        record: impl Fn(RecordId) -> RecordId,
    ) -> Self {
        let mut sets: BTreeMap<&[usize], Arc<[usize]>> = BTreeMap::new();
        let mut swaps = Vec::new();
        for swap in &self.swaps {
            let place =
                |columns: &&[usize]| columns.iter().filter_map(|&one| column(one)).collect();
            let set = sets.entry(&swap.exchanged).or_insert_with_key(place);
            if !set.is_empty() {
                let (left, right) = (record(swap.left), record(swap.right));
                swaps.push(PlannedSwap { left, right, exchanged: Arc::clone(set) });
            }
        }
        let mut groups = Vec::new();
        for group in &self.groups {
            let mut order: Vec<(RecordId, usize)> =
                group.records.iter().enumerate().map(|(at, &one)| (record(one), at)).collect();
            order.sort_unstable();
            let mut new_place = vec![0; order.len()];
            for (new, &(_, old)) in order.iter().enumerate() {
                new_place[old] = new;
            }
            let held = group.columns.iter().zip(&group.from);
            let held = held.filter_map(|(&one, from)| Some((column(one)?, from)));
            let (columns, from): (Vec<usize>, Vec<Vec<usize>>) = held
                .map(|(place, from)| {
                    (place, order.iter().map(|&(_, old)| new_place[from[old]]).collect())
                })
                .unzip();
            if !columns.is_empty() {
                let records = order.iter().map(|&(record, _)| record).collect();
                groups.push(PlannedGroup { records, columns, from });
            }
        }
        Self::new(swaps, groups).expect("a part of a plan is a plan")
    }

    /// Proves that every table of the class is the same after the plan, and that nothing
    /// moves that stays.
    ///
    /// Law: `a-proved-plan-keeps-every-table`.
    ///
    /// # Errors
    /// When it is not so.
    pub fn prove(
        &self,
        schema: &Schema,
        records: &Records,
        class: &GeneratingClass,
    ) -> Result<(), Unproved> {
        let last = self.records().max();
        let columns = schema.columns();
        if last.is_some_and(|last| last.position() >= records.len())
            || self.last_column().is_some_and(|last| last >= columns)
        {
            return Err(Unproved::OutOfRange);
        }
        let in_swaps = self.swaps.iter().map(|swap| &swap.exchanged[..]);
        let in_groups = self.groups.iter().map(|group| &group.columns[..]);
        if !in_swaps.chain(in_groups).all(|columns| schema.may_exchange(columns)) {
            return Err(Unproved::Column);
        }
        let keeps_swap = |swap: &PlannedSwap| {
            let differing = records.differing(swap.left, swap.right);
            let exchanged = schema.followed(schema.variables_of(&swap.exchanged), differing);
            class.margins().iter().all(|&margin| pair::keeps(differing, exchanged, margin))
        };
        let layout = records.cells().layout();
        let keeps_group = |group: &PlannedGroup| {
            let before: Vec<&[u64]> =
                group.records.iter().map(|&record| records.get(record)).collect();
            let Some(after) = group.cells_after(layout, schema, &before) else { return false };
            class.margins().iter().all(|&margin| keeps_table(layout, &before, &after, margin))
        };
        let all = self.swaps.iter().all(keeps_swap) && self.groups.iter().all(keeps_group);
        all.then_some(()).ok_or(Unproved::Table)
    }
}

impl PlannedGroup {
    /// The cells of its records after it. A derived variable takes what a record of the group
    /// has that had the same before in all it follows from; `None` when there is none, since
    /// then the group does not keep them together.
    pub(crate) fn cells_after(
        &self,
        layout: &Layout,
        schema: &Schema,
        before: &[&[u64]],
    ) -> Option<Vec<Vec<u64>>> {
        let mut after = taken(layout, before, self.takes(schema));
        for variable in schema.derived() {
            let mask = layout.mask(schema.variables()[variable].follows);
            let same = |one: &[u64], other: &[u64]| {
                let words = one.iter().zip(other).zip(mask.words());
                words.into_iter().all(|((one, other), mask)| (one ^ other) & mask == 0)
            };
            let from = after.iter().map(|cell| before.iter().position(|other| same(cell, other)));
            let from: Vec<usize> = from.collect::<Option<_>>()?;
            let own = layout.mask(VarSet::single(variable));
            for (cell, &from) in after.iter_mut().zip(&from) {
                for ((word, mask), comes) in cell.iter_mut().zip(own.words()).zip(before[from]) {
                    *word = (*word & !mask) | (comes & mask);
                }
            }
        }
        Some(after)
    }

    /// For each variable that changes, from which record each takes its value; a column that
    /// belongs to no variable is passed over.
    pub(crate) fn takes<'s>(
        &'s self,
        schema: &'s Schema,
    ) -> impl Iterator<Item = (usize, &'s [usize])> {
        let columns = self.columns.iter().zip(&self.from);
        columns.filter_map(|(&column, from)| Some((schema.variable_of(column)?, &from[..])))
    }

    fn is_sound(&self) -> bool {
        let size = self.records.len();
        let permutes = |from: &Vec<usize>| {
            let mut sorted = from.clone();
            sorted.sort_unstable();
            sorted.into_iter().eq(0..size) && !from.iter().copied().eq(0..size)
        };
        size >= 2
            && self.records.is_sorted_by(|one, next| one < next)
            && self.from.len() == self.columns.len()
            && self.from.iter().all(permutes)
    }
}

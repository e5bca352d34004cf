//! Which records of a cell take part: a choice of its own.
//!
//! The records of a cell are numbered from 0: those at risk come first, then the others, both
//! in the order of the file. A record that a plan takes is drawn by such a number, uniformly
//! among those of its kind that are not drawn yet. So anyone who can number the records of a
//! cell can follow a plan, and the plan itself needs no record.
//!
//! Way in: [`draw`], then [`Drawn::on_records`].

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::{CellPlan, Plan, PlannedGroup, PlannedSwap, Take, Taken};
use crate::bucket_sort::bucket_sorted;
use crate::encode::{RecordId, Schema};
use crate::hash::{Map, STATE};
use crate::random::{Random, Seed};
use crate::table::{CellId, JointTable, Located};
use crate::varset::VarSet;

/// The random stream of this choice: the planner, the new order of the records and further
/// seeds have others.
const STREAM: u64 = 3;

/// One record of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The cell.
    pub cell: CellId,
    /// The number within the cell, from 0: those at risk come first.
    pub number: u32,
}

/// A plan whose records are drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drawn {
    swaps: Vec<DrawnSwap>,
    groups: Vec<DrawnGroup>,
}

/// A swap between two records, each given by its number within its cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DrawnSwap {
    /// One record.
    pub left: Place,
    /// The other one.
    pub right: Place,
    /// The variables whose values they exchange.
    pub exchanged: VarSet,
}

/// A group of records, each given by its number within its cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DrawnGroup {
    /// The records.
    pub members: Vec<Place>,
    /// Where the values come from, for each variable that changes.
    pub takes: Vec<Take>,
}

/// Draws the records of a plan; `at_risk` says how many of each cell are at risk.
///
/// Law: `records-of-a-cell-are-drawn-uniformly`.
#[must_use]
pub fn draw(plan: &CellPlan, joint: &JointTable, at_risk: &[u32], seed: Seed) -> Drawn {
    let mut lots = Lots { random: Random::new(seed, STREAM), urns: Map::with_hasher(STATE) };
    let mut place = |taken: Taken| {
        let cell = taken.cell.position();
        let numbers = match taken.at_risk {
            true => 0..at_risk[cell],
            false => at_risk[cell]..joint.counts()[cell],
        };
        Place { cell: taken.cell, number: lots.draw(taken, numbers) }
    };
    let swaps = plan.swaps().iter().map(|swap| DrawnSwap {
        left: place(swap.left),
        right: place(swap.right),
        exchanged: swap.exchanged,
    });
    let swaps = swaps.collect();
    let groups = plan.groups().iter().map(|group| DrawnGroup {
        members: group.members().iter().map(|&taken| place(taken)).collect(),
        takes: group.takes().to_vec(),
    });
    Drawn { swaps, groups: groups.collect() }
}

/// Draws without putting back, from each kind of record of each cell.
struct Lots {
    random: Random,
    urns: Map<Taken, Urn>,
}

/// What is left of some numbers: a shuffle of which only what was touched is held.
#[derive(Default)]
struct Urn {
    drawn: u32,
    moved: Map<u32, u32>,
}

impl Lots {
    fn draw(&mut self, kind: Taken, numbers: Range<u32>) -> u32 {
        // Most cells have one record of a kind, which is taken once.
        if numbers.len() == 1 {
            return numbers.start;
        }
        let urn = self.urns.entry(kind).or_default();
        let last = numbers.end - numbers.start - urn.drawn - 1;
        let chosen = u32::try_from(self.random.below(last as usize + 1))
            .expect("a number below one of 32 bits");
        let at = |place: u32| urn.moved.get(&place).copied().unwrap_or(place);
        let (number, replacement) = (at(chosen), at(last));
        urn.moved.insert(chosen, replacement);
        urn.drawn += 1;
        numbers.start + number
    }
}

impl Drawn {
    /// The swaps.
    #[must_use]
    pub fn swaps(&self) -> &[DrawnSwap] {
        &self.swaps
    }

    /// The groups of more than two records.
    #[must_use]
    pub fn groups(&self) -> &[DrawnGroup] {
        &self.groups
    }

    /// The plan over the columns of a file, in the order of the first records. `risky` says
    /// for each record whether it is at risk.
    ///
    /// # Panics
    /// When the records are not those that the plan was drawn for.
    #[must_use]
    pub fn on_records(&self, located: &Located, risky: &[bool], schema: &Schema) -> Plan {
        let drawn = RecordsDrawn::new(self, located, risky);
        let records: Vec<(RecordId, RecordId, VarSet)> = self
            .swaps
            .par_iter()
            .map(|swap| {
                let [left, right] = [swap.left, swap.right].map(|one| drawn.at(one));
                (left.min(right), left.max(right), swap.exchanged)
            })
            .collect();
        let records = bucket_sorted(records, |(left, ..)| left.position() as u64);
        let mut sets: Map<VarSet, Arc<[usize]>> = Map::with_hasher(STATE);
        let swaps: Vec<PlannedSwap> = records
            .into_iter()
            .map(|(left, right, exchanged)| {
                let columns = sets.entry(exchanged).or_insert_with(|| {
                    let mut columns = schema.columns_of(exchanged);
                    columns.sort_unstable();
                    columns.into()
                });
                PlannedSwap { left, right, exchanged: Arc::clone(columns) }
            })
            .collect();
        let mut groups: Vec<PlannedGroup> = self
            .groups
            .iter()
            .map(|group| {
                let records: Vec<RecordId> =
                    group.members.iter().map(|&place| drawn.at(place)).collect();
                on_columns(&records, &group.takes, schema)
            })
            .collect();
        groups.sort_unstable_by_key(|group| group.records[0]);
        Plan::new(swaps, groups).expect("no record is drawn twice")
    }

    /// All places that were drawn.
    fn places(&self) -> impl Iterator<Item = Place> {
        let in_swaps = self.swaps.iter().flat_map(|swap| [swap.left, swap.right]);
        in_swaps.chain(self.groups.iter().flat_map(|group| group.members.iter().copied()))
    }
}

/// The records that one thread looks at in one go.
const RECORDS_AT_ONCE: usize = 1 << 14;

/// The record of each place that was drawn.
struct RecordsDrawn {
    /// Sorted, so those of one cell lie side by side.
    places: Vec<Place>,
    /// Where those of each cell begin, with the end of all.
    starts: Vec<u32>,
    records: Vec<RecordId>,
}

impl RecordsDrawn {
    fn new(drawn: &Drawn, located: &Located, risky: &[bool]) -> Self {
        let places = bucket_sorted(drawn.places().collect(), |place| place.cell.0.into());
        let mut starts = vec![0u32; located.len() + 1];
        places.iter().for_each(|place| starts[place.cell.position() + 1] += 1);
        (1..starts.len()).for_each(|cell| starts[cell] += starts[cell - 1]);
        let mut this = Self { places, starts, records: Vec::new() };
        let mut records: Vec<Option<RecordId>> = vec![None; this.places.len()];
        // For each cell the number of the next record at risk, and of the next other one.
        let at_risk = located.marked(risky);
        let mut next: Vec<[u32; 2]> = at_risk.iter().map(|&at_risk| [at_risk, 0]).collect();
        // Most cells have one record, whose place needs no counting.
        let alone = |cell: CellId| {
            let is_alone = located.counts()[cell.position()] == 1;
            is_alone.then(|| this.find(Place { cell, number: 0 })).flatten()
        };
        let of_drawn_cells: Vec<(RecordId, Option<usize>)> = (0..risky.len())
            .into_par_iter()
            .with_min_len(RECORDS_AT_ONCE)
            .map(RecordId::at)
            .filter(|&record| !this.of_cell(located.cell_of(record)).is_empty())
            .map(|record| (record, alone(located.cell_of(record))))
            .collect();
        for (record, found) in of_drawn_cells {
            let found = found.or_else(|| {
                let cell = located.cell_of(record);
                let next = &mut next[cell.position()][usize::from(risky[record.position()])];
                let place = Place { cell, number: *next };
                *next += 1;
                this.find(place)
            });
            if let Some(found) = found {
                records[found] = Some(record);
            }
        }
        let found =
            |record: Option<RecordId>| record.expect("every record that was drawn is there");
        this.records = records.into_iter().map(found).collect();
        this
    }

    fn of_cell(&self, cell: CellId) -> Range<usize> {
        let [start, end] = [0, 1].map(|next| self.starts[cell.position() + next] as usize);
        start..end
    }

    fn find(&self, place: Place) -> Option<usize> {
        let of_cell = self.of_cell(place.cell);
        let found = self.places[of_cell.clone()].binary_search(&place).ok()?;
        Some(of_cell.start + found)
    }

    fn at(&self, place: Place) -> RecordId {
        self.records[self.find(place).expect("a place that was drawn")]
    }
}

/// A group over columns, with its records in the order of the file.
fn on_columns(records: &[RecordId], takes: &[Take], schema: &Schema) -> PlannedGroup {
    let mut order: Vec<usize> = (0..records.len()).collect();
    order.sort_unstable_by_key(|&member| records[member]);
    let mut places = vec![0; order.len()];
    for (place, &member) in order.iter().enumerate() {
        places[member] = place;
    }
    let mut columns: Vec<(usize, Vec<usize>)> = takes
        .iter()
        .flat_map(|take| {
            let from: Vec<usize> = order.iter().map(|&member| places[take.from[member]]).collect();
            let columns = schema.columns_of(VarSet::single(take.variable)).into_iter();
            columns.map(move |column| (column, from.clone()))
        })
        .collect();
    columns.sort_unstable();
    let (columns, from) = columns.into_iter().unzip();
    let records = order.iter().map(|&member| records[member]).collect();
    PlannedGroup { records, columns, from }
}

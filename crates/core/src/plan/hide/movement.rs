//! How far the two-way tables that are not kept are from what they were, as the plan grows.
//!
//! The price of an exchange is what it adds to Σ|now − before| over the cells of these tables. An
//! exchange that brings a cell back towards its count costs less than nothing, so swaps make up
//! for each other; counting disturbed pairs of variables cannot see that.

use rayon::prelude::*;

use crate::encode::Layout;
use crate::hash::{Map, STATE};
use crate::plan::Prices;
use crate::plan::judge::Change;
use crate::table::JointTable;
use crate::varset::VarSet;

/// A table with more possible cells than this is held by the cells that moved.
const MOST_CELLS: usize = 1 << 20;

/// One record more or less in a cell counts at most this much, so that prices fit a number.
const MOST_WEIGHT: u64 = 1 << 40;

/// now − before for every two-way table that an exchange can change.
#[derive(Clone)]
pub(super) struct Movement {
    variables: usize,
    levels: Vec<usize>,
    /// By the pair of variables, the lower one first; nothing where it is kept or not counted.
    tables: Vec<Option<Table>>,
    /// What one record more or less in a cell of the table counts.
    weights: Vec<i64>,
    /// How many records have each code of each variable.
    counts: Vec<Vec<u32>>,
    records: u64,
}

/// A table that an exchange may move: its place, and its two variables, the lower one first.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moved {
    place: usize,
    low: usize,
    high: usize,
}

impl Moved {
    /// Does an exchange of these variables part the two of the table?
    pub(super) fn is_moved_by(self, exchanged: VarSet) -> bool {
        exchanged.contains(self.low) != exchanged.contains(self.high)
    }
}

#[derive(Clone)]
enum Table {
    Every(Vec<i32>),
    Moved(Map<u64, i32>),
}

impl Table {
    fn get(&self, cell: usize) -> i32 {
        match self {
            Self::Every(cells) => cells[cell],
            Self::Moved(cells) => cells.get(&(cell as u64)).copied().unwrap_or(0),
        }
    }

    fn add(&mut self, cell: usize, records: i32) {
        match self {
            Self::Every(cells) => cells[cell] += records,
            Self::Moved(cells) => *cells.entry(cell as u64).or_insert(0) += records,
        }
    }
}

impl Movement {
    /// Nothing has moved. `kept` says of a pair of variables whether no exchange can change its table.
    pub(super) fn new(
        joint: &JointTable,
        prices: &Prices,
        kept: impl Fn(usize, usize) -> bool,
    ) -> Self {
        let layout = joint.cells().layout();
        let variables = layout.variables();
        let counts: Vec<Vec<u32>> = (0..variables)
            .into_par_iter()
            .map(|variable| {
                let mut counts = Vec::new();
                for (cell, &records) in joint.cells().iter().zip(joint.counts()) {
                    let code = layout.code(cell, variable) as usize;
                    if counts.len() <= code {
                        counts.resize(code + 1, 0);
                    }
                    counts[code] += records;
                }
                counts
            })
            .collect();
        let levels: Vec<usize> = counts.iter().map(Vec::len).collect();
        let weight = |left: usize, right: usize| {
            prices.weights[left].saturating_mul(prices.weights[right]).min(MOST_WEIGHT)
        };
        let table = |left: usize, right: usize| {
            if left >= right || weight(left, right) == 0 || kept(left, right) {
                return None;
            }
            let cells =
                levels[left].checked_mul(levels[right]).filter(|&cells| cells <= MOST_CELLS);
            Some(match cells {
                Some(cells) => Table::Every(vec![0; cells]),
                None => Table::Moved(Map::with_hasher(STATE)),
            })
        };
        let pairs =
            || (0..variables).flat_map(|left| (0..variables).map(move |right| (left, right)));
        Self {
            variables,
            tables: pairs().map(|(left, right)| table(left, right)).collect(),
            weights: pairs()
                .map(|(left, right)| {
                    i64::try_from(weight(left, right)).expect("the weight is bounded")
                })
                .collect(),
            levels,
            counts,
            records: joint.records() as u64,
        }
    }

    /// How many records there are.
    pub(super) fn records(&self) -> u64 {
        self.records
    }

    /// How many records have this code.
    pub(super) fn count(&self, variable: usize, code: u32) -> u32 {
        self.counts[variable].get(code as usize).copied().unwrap_or(0)
    }

    /// The tables of two of these variables.
    pub(super) fn moved_within(&self, variables: VarSet) -> Vec<Moved> {
        let after = |low: usize| variables.iter().filter(move |&high| low < high);
        let pairs = variables.iter().flat_map(|low| after(low).map(move |high| (low, high)));
        let moved =
            pairs.map(|(low, high)| Moved { place: low * self.variables + high, low, high });
        moved.filter(|moved| self.tables[moved.place].is_some()).collect()
    }

    /// What it adds to the movement of a table when two records exchange one of its variables.
    pub(super) fn price(&self, left: &[u32], right: &[u32], moved: Moved) -> i64 {
        let Moved { place, low, high } = moved;
        let table = self.tables[place].as_ref().expect("a table that moves is counted");
        let width = self.levels[high];
        let at = |row: &[u32], column: &[u32]| row[low] as usize * width + column[high] as usize;
        let more = |cell: usize, by: i32| {
            let moved = table.get(cell);
            i64::from((moved + by).abs() - moved.abs())
        };
        let cells = more(at(left, left), -1)
            + more(at(right, right), -1)
            + more(at(left, right), 1)
            + more(at(right, left), 1);
        cells * self.weights[place]
    }

    /// Counts that two records exchanged one set of what differs and not the other, or that this is
    /// undone.
    pub(super) fn count_exchange(
        &mut self,
        left: &[u32],
        right: &[u32],
        [one, other]: [VarSet; 2],
        change: Change,
    ) {
        let by = match change {
            Change::Made => 1,
            Change::Undone => -1,
        };
        for first in one.iter() {
            for second in other.iter() {
                let [low, high] = [first.min(second), first.max(second)];
                let width = self.levels[high];
                let at =
                    |row: &[u32], column: &[u32]| row[low] as usize * width + column[high] as usize;
                if let Some(table) = &mut self.tables[low * self.variables + high] {
                    table.add(at(left, left), -by);
                    table.add(at(right, right), -by);
                    table.add(at(left, right), by);
                    table.add(at(right, left), by);
                }
            }
        }
    }
}

/// The codes of a cell.
pub(super) fn codes(layout: &Layout, words: &[u64]) -> Vec<u32> {
    let mut codes = vec![0; layout.variables()];
    layout.read_codes(words, &mut codes);
    codes
}

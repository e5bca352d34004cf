//! What model selection needs of a margin: a few numbers, counted once.
//!
//! | letter | meaning |
//! |---|---|
//! | h(A) | Σ n_A ln n_A over the cells of the margin A |
//! | n | the number of records; h(∅) = n ln n |
//!
//! From these, 2n·I(a; b | S) = 2(h(abS) + h(S) − h(aS) − h(bS)).
//!
//! Trap: a floating-point sum depends on its order, and the order of cells on that of the
//! records. The terms are summed by count, rising, so that the order of the file decides
//! nothing.

use rayon::prelude::*;

use super::KeyTable;
use super::key_table::cells_by_count;
use crate::hash::{Map, STATE};
use crate::table::group_counts;
use crate::varset::VarSet;

/// A margin in numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    /// h(A) = Σ n ln n.
    pub n_log_n: f64,
    /// Cells that hold a record.
    pub cells: u64,
    /// Records alone in their cell.
    pub uniques: u64,
    /// Records in cells of two.
    pub twins: u64,
}

/// The margins of a key table that were asked for, each counted once.
#[derive(Debug)]
pub struct Summaries<'a> {
    table: &'a KeyTable,
    known: Map<VarSet, Summary>,
}

impl<'a> Summaries<'a> {
    /// Nothing counted yet.
    #[must_use]
    pub fn new(table: &'a KeyTable) -> Self {
        Self { table, known: Map::with_hasher(STATE) }
    }

    /// The table.
    #[must_use]
    pub fn table(&self) -> &'a KeyTable {
        self.table
    }

    /// How many margins were counted.
    #[must_use]
    pub fn counted(&self) -> usize {
        self.known.len()
    }

    /// Counts those margins that are not known yet, on all threads.
    pub fn count(&mut self, margins: impl IntoIterator<Item = VarSet>) {
        let mut missing: Vec<VarSet> =
            margins.into_iter().filter(|margin| !self.known.contains_key(margin)).collect();
        missing.sort_unstable();
        missing.dedup();
        let summaries: Vec<Summary> =
            missing.par_iter().map(|&margin| summary(self.table, margin)).collect();
        self.known.extend(missing.into_iter().zip(summaries));
    }

    /// The numbers of a margin.
    pub fn of(&mut self, margin: VarSet) -> Summary {
        self.count([margin]);
        self.known[&margin]
    }
}

fn summary(table: &KeyTable, margin: VarSet) -> Summary {
    let counts = group_counts(table.joint().cells(), margin, table.joint().counts());
    let mut summary = Summary { n_log_n: 0.0, cells: counts.len() as u64, uniques: 0, twins: 0 };
    for (count, often) in cells_by_count(counts.into_iter()) {
        summary.n_log_n += often as f64 * n_log_n(count);
        match count {
            1 => summary.uniques = often,
            2 => summary.twins = 2 * often,
            _ => {}
        }
    }
    summary
}

/// n ln n; 0 for n = 0.
pub(super) fn n_log_n(count: u64) -> f64 {
    if count == 0 { 0.0 } else { count as f64 * (count as f64).ln() }
}

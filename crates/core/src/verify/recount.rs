//! The kept tables, counted again in both files and compared cell by cell.
//!
//! Edge case: the number of records is itself a table, that of the empty margin. It is
//! implied by every other table, so only a run without a table has to look at it.
//!
//! Way in: [`recount`].

use rayon::prelude::*;

use super::Pooled;
use crate::encode::Records;
use crate::varset::VarSet;

/// One table, in two files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableCheck {
    /// Its variables.
    pub margin: VarSet,
    /// Cells that hold a record in either file.
    pub cells: usize,
    /// Cells whose counts differ.
    pub changed: usize,
}

/// Compares each table cell by cell.
///
/// Law: `recount-by-definition`.
///
/// # Panics
/// When the two were not encoded together.
#[must_use]
pub fn recount(before: &Records, after: &Records, tables: &[VarSet]) -> Vec<TableCheck> {
    Pooled::of(before, after).recount(tables)
}

impl Pooled {
    /// Compares each table cell by cell, as [`recount`] does.
    #[must_use]
    pub fn recount(&self, tables: &[VarSet]) -> Vec<TableCheck> {
        tables.par_iter().map(|&margin| self.check(margin)).collect()
    }

    pub(super) fn check(&self, margin: VarSet) -> TableCheck {
        let mut check = TableCheck { margin, cells: 0, changed: 0 };
        for [before, after] in self.table(margin).counts {
            check.cells += usize::from(before > 0 || after > 0);
            check.changed += usize::from(before != after);
        }
        check
    }
}

//! The kept tables, counted anew in both files and compared cell by cell.
//!
//! Edge case: the number of records is itself a table, that of the empty margin. It is
//! implied by every other table, so only a run without a table has to look at it.
//!
//! Way in: [`recount`] to know, [`certify`] to be allowed to go on.

use rayon::prelude::*;

use super::{Checks, Pooled, Verification, verify};
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

    fn check(&self, margin: VarSet) -> TableCheck {
        let mut check = TableCheck { margin, cells: 0, changed: 0 };
        for [before, after] in self.table(margin).counts {
            check.cells += usize::from(before > 0 || after > 0);
            check.changed += usize::from(before != after);
        }
        check
    }
}

/// Records whose kept tables equal those of the input. Only [`certify`] makes one, and only
/// a `Certified` may be released.
#[derive(Debug, Clone)]
pub struct Certified {
    records: Records,
    verification: Verification,
}

impl Certified {
    /// The records.
    #[must_use]
    pub fn records(&self) -> &Records {
        &self.records
    }

    /// What the recount found.
    #[must_use]
    pub fn verification(&self) -> &Verification {
        &self.verification
    }
}

/// Compares two files in every way that was asked for, and certifies that `after` has as many
/// records as `before` and the same kept tables.
///
/// Law: `certified-iff-every-table-is-kept`.
///
/// # Errors
/// What was found, when a kept table or the number of records differs.
///
/// # Panics
/// As [`verify`] does.
pub fn certify(
    before: &Records,
    after: Records,
    checks: &Checks<'_>,
) -> Result<Certified, Box<Verification>> {
    let verification = verify(before, &after, checks);
    if verification.is_equal() {
        Ok(Certified { records: after, verification })
    } else {
        Err(Box::new(verification))
    }
}

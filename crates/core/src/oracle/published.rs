//! Slow twin for published tables: every cell is counted by going through all records.

use std::collections::BTreeSet;

/// A cell as it was published: a category or the total for each variable, and its number.
pub type PlainCell = (Vec<Option<String>>, Option<i64>);

/// A record: its categories, and what it adds to its cell.
pub type PlainRecord = (Vec<String>, i64);

/// The findings as plain numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlainCheck {
    /// Cells that were compared.
    pub cells: u64,
    /// Cells without a number.
    pub suppressed: u64,
    /// Published and original differ: how many, and the largest distance.
    pub differing: (u64, u64),
    /// Published and original agree, the released file does not.
    pub changed: (u64, u64),
    /// Published and original differ, original and released too.
    pub moved: (u64, u64),
    /// Cells of the original that are not listed.
    pub unlisted: u64,
}

/// Compares a published table with two files; with `zeros` it leaves out cells of nobody.
#[must_use]
pub fn published(
    table: &[PlainCell],
    zeros: bool,
    original: &[PlainRecord],
    released: &[PlainRecord],
) -> PlainCheck {
    let mut check = PlainCheck::default();
    let compare = |check: &mut PlainCheck, cell: &[Option<String>], number: i64| {
        let (before, after) = (sum(cell, original), sum(cell, released));
        let note = |found: &mut (u64, u64), distance: i64| {
            *found = (found.0 + 1, found.1.max(distance.unsigned_abs()));
        };
        check.cells += 1;
        match (number == before, before == after) {
            (true, true) => {}
            (true, false) => note(&mut check.changed, after - number),
            (false, same) => {
                note(&mut check.differing, before - number);
                if !same {
                    note(&mut check.moved, after - before);
                }
            }
        }
    };
    for (cell, number) in table {
        match number {
            Some(number) => compare(&mut check, cell, *number),
            None => check.suppressed += 1,
        }
    }
    let mut others: BTreeSet<Vec<Option<String>>> = BTreeSet::new();
    for (pattern, _) in table {
        for (record, _) in original.iter().chain(released) {
            let both = pattern.iter().zip(record);
            others.insert(both.map(|(at, own)| at.as_ref().map(|_| own.clone())).collect());
        }
    }
    for cell in others.iter().filter(|cell| table.iter().all(|(listed, _)| listed != *cell)) {
        let (before, after) = (sum(cell, original), sum(cell, released));
        check.unlisted += u64::from(before != 0);
        if zeros && (before != 0 || after != 0) {
            compare(&mut check, cell, 0);
        }
    }
    check
}

fn sum(cell: &[Option<String>], records: &[PlainRecord]) -> i64 {
    let inside = |record: &&PlainRecord| {
        let mut both = cell.iter().zip(&record.0);
        both.all(|(entry, own)| entry.as_ref().is_none_or(|entry| entry == own))
    };
    records.iter().filter(inside).map(|(_, amount)| amount).sum()
}

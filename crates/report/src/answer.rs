//! An answer in two forms: JSON for programs, text for people.
//!
//! The fields of an answer are its JSON; its text says the same in words. Both show names
//! and counts, never a data value.

use marginswap_core::diagnostic::grouped;
use marginswap_core::encode::Schema;
use marginswap_core::graph::quoted;
use marginswap_core::varset::VarSet;
use serde::Serialize;

/// What a command answers.
pub trait Answer: Serialize {
    /// The text a methodologist reads.
    fn text(&self) -> String;
}

/// A set of variables by name, in the file's column order.
pub type Names = Vec<String>;

/// The names of a set of variables.
#[must_use]
pub fn names(schema: &Schema, variables: VarSet) -> Names {
    schema.names(variables).into_iter().map(str::to_owned).collect()
}

/// A table as its formula: `region*sex`.
#[must_use]
pub fn formula(table: &[String]) -> String {
    table.iter().map(|name| quoted(name)).collect::<Vec<_>>().join("*")
}

/// A set as a list of names.
#[must_use]
pub(crate) fn listed(set: &[String]) -> String {
    set.join(", ")
}

/// A separator as a list of names; the empty one says so.
#[must_use]
pub(crate) fn separator(set: &[String]) -> String {
    if set.is_empty() { "(empty)".to_owned() } else { listed(set) }
}

/// "1 record", "2 records".
#[must_use]
pub(crate) fn counted(count: u64, singular: &str, plural: &str) -> String {
    format!("{} {}", grouped(count), if count == 1 { singular } else { plural })
}

/// A share in percent. Only all is 100.0 and only none is 0.0.
#[must_use]
pub(crate) fn percent(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "–".to_owned();
    }
    let tenths = (u128::from(part) * 1000 + u128::from(whole) / 2) / u128::from(whole);
    let least = u128::from(part > 0);
    let most = if part < whole { 999 } else { 1000 };
    let tenths = tenths.clamp(least, most);
    format!("{}.{} %", tenths / 10, tenths % 10)
}

/// Lines with their cells aligned: the first column to the left, the others to the right.
#[must_use]
pub(crate) fn aligned(rows: &[Vec<String>]) -> String {
    let widths = widths(rows);
    lines(rows, |column, cell| match column {
        0 => format!("{cell:<0$}", widths[column]),
        _ => format!("{cell:>0$}", widths[column]),
    })
}

/// Lines with all their cells aligned to the left.
#[must_use]
pub(crate) fn aligned_left(rows: &[Vec<String>]) -> String {
    let widths = widths(rows);
    lines(rows, |column, cell| format!("{cell:<0$}", widths[column]))
}

fn widths(rows: &[Vec<String>]) -> Vec<usize> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max()
    };
    (0..columns).map(|column| width(column).unwrap_or(0)).collect()
}

fn lines(rows: &[Vec<String>], fill: impl Fn(usize, &str) -> String) -> String {
    let mut text = String::new();
    for row in rows {
        let cells: Vec<String> =
            row.iter().enumerate().map(|(column, cell)| fill(column, cell)).collect();
        text.push_str(format!("  {}", cells.join("  ")).trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_all_is_a_hundred_percent() {
        assert_eq!(percent(99_999, 100_000), "99.9 %");
        assert_eq!(percent(1, 100_000), "0.1 %");
        assert_eq!(percent(0, 7), "0.0 %");
        assert_eq!(percent(7, 7), "100.0 %");
        assert_eq!(percent(1, 3), "33.3 %");
        assert_eq!(percent(0, 0), "–");
    }

    #[test]
    fn cells_are_aligned() {
        let rows = [vec!["a".to_owned(), "10".to_owned()], vec!["bcd".to_owned(), "9".to_owned()]];
        assert_eq!(aligned(&rows), "  a    10\n  bcd   9\n");
    }
}

//! Published numbers against the original and the released file: what was found, in words.
//!
//! Two findings are kept apart: the original already differs from what was published, and the
//! release changes it. Categories are shown only where they were asked for.

use marginswap_core::text::{escaped, grouped};
use serde::Serialize;

use crate::answer::{Names, aligned, counted, formula, listed};

/// How many tables, and how many cells of each, the text lists.
const MOST: usize = 10;

/// One published table.
#[derive(Debug, Clone, Serialize)]
pub struct PublishedReport {
    /// What it is called.
    pub name: String,
    /// The file of its numbers.
    pub file: String,
    /// The format of the file.
    pub format: String,
    /// Its variables, by the names of the data.
    pub variables: Names,
    /// Columns of its file that are no variables.
    pub ignored_columns: Names,
    /// The column of weights, where the numbers are sums of weights.
    pub weight: Option<String>,
    /// Cells that were compared.
    pub cells: u64,
    /// Cells without a number, which were not.
    pub suppressed: u64,
    /// Cells of the original that hold somebody and are not in the table.
    pub unlisted: u64,
    /// The original differs from the published number.
    pub original_differs: DifferenceReport,
    /// The original agrees with the published number, and the released file does not.
    pub release_changes: DifferenceReport,
    /// The original differs from the published number, and the released file from the original.
    pub also_changed: DifferenceReport,
    /// Published categories that no original record has.
    pub unknown_categories: Vec<UnknownCategories>,
    /// Every cell in which the three numbers are not the same, when they are revealed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<Vec<CellReport>>,
}

/// How many cells differ, and by how much.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct DifferenceReport {
    /// How many.
    pub cells: u64,
    /// The largest difference.
    pub largest: f64,
}

impl DifferenceReport {
    /// How many cells, and by how much at most.
    pub(crate) fn words(&self) -> String {
        match self.cells {
            0 => "0".to_owned(),
            cells => format!("{} (by {} at most)", grouped(cells), amount(self.largest)),
        }
    }
}

/// Categories of one variable that are published and that no original record has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnknownCategories {
    /// The variable.
    pub variable: String,
    /// How many.
    pub categories: u64,
}

/// A revealed cell.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CellReport {
    /// Its categories, in the order of the variables; null for the total.
    pub categories: Vec<Option<String>>,
    /// The published number.
    pub published: String,
    /// What the original has.
    pub original: String,
    /// What the released file has.
    pub released: String,
}

impl PublishedReport {
    /// Is there anything to say about it?
    #[must_use]
    pub fn has_findings(&self) -> bool {
        self.original_differs.cells > 0
            || self.release_changes.cells > 0
            || !self.unknown_categories.is_empty()
    }

    /// What it is called, and what it is a table of.
    #[must_use]
    pub fn title(&self) -> String {
        format!("{} ({})", escaped(&self.name), formula(&self.variables))
    }
}

/// A difference as it is shown: `2`, `0.25`.
fn amount(largest: f64) -> String {
    let whole = largest.fract() == 0.0 && largest.abs() < 1e15;
    if whole { grouped_whole(largest) } else { format!("{largest}") }
}

fn grouped_whole(number: f64) -> String {
    format!("{number:.0}").parse().map_or_else(|_| number.to_string(), grouped)
}

/// What the published tables say, in lines; nothing where there are none.
#[must_use]
pub(crate) fn lines(tables: &[PublishedReport]) -> String {
    if tables.is_empty() {
        return String::new();
    }
    let sum = |count: fn(&PublishedReport) -> u64| tables.iter().map(count).sum::<u64>();
    let mut text = format!(
        "\nPublished numbers: {}, {} compared",
        counted(tables.len() as u64, "table", "tables"),
        counted(sum(|table| table.cells), "cell", "cells")
    );
    match sum(|table| table.suppressed) {
        0 => {}
        cells => text.push_str(&format!(", {} suppressed and skipped", grouped(cells))),
    }
    text.push_str(".\n");
    text.push_str(&finding(
        tables,
        |table| table.release_changes,
        "The release changes no published number.",
        "The release changes",
    ));
    text.push_str(&finding(
        tables,
        |table| table.original_differs,
        "The original agrees with every published number.",
        "The original already differs from",
    ));
    let moved = finding(tables, |table| table.also_changed, "", "Of these the release changes");
    text.push_str(&moved);
    text.push_str(&details(tables));
    text
}

/// The same in one line of a longer answer.
#[must_use]
pub(crate) fn line(tables: &[PublishedReport]) -> String {
    if tables.is_empty() {
        return String::new();
    }
    let sum = |count: fn(&PublishedReport) -> u64| tables.iter().map(count).sum::<u64>();
    let changed = sum(|table| table.release_changes.cells);
    let mut text = format!(
        "Published  {}, {}: {}",
        counted(tables.len() as u64, "published table", "published tables"),
        counted(sum(|table| table.cells), "cell", "cells"),
        match changed {
            0 => "none changed by the release".to_owned(),
            cells => format!("{} CHANGED by the release", grouped(cells)),
        }
    );
    match sum(|table| table.original_differs.cells) {
        0 => {}
        cells => text.push_str(&format!("; the original differs in {}", grouped(cells))),
    }
    text.push('\n');
    text
}

/// One of the findings, over all tables.
fn finding(
    tables: &[PublishedReport],
    of: fn(&PublishedReport) -> DifferenceReport,
    none: &str,
    some: &str,
) -> String {
    let found = tables.iter().map(of).filter(|found| found.cells > 0);
    let (mut cells, mut number, mut largest) = (0, 0u64, 0.0f64);
    for one in found {
        (cells, number) = (cells + one.cells, number + 1);
        largest = largest.max(one.largest);
    }
    match (cells, none) {
        (0, "") => String::new(),
        (0, none) => format!("{none}\n"),
        _ => format!(
            "{some} {} of {}, by {} at most.\n",
            counted(cells, "cell", "cells"),
            counted(number, "table", "tables"),
            amount(largest)
        ),
    }
}

/// The tables that something is to be said about, those that the release changes first.
fn details(tables: &[PublishedReport]) -> String {
    let mut found: Vec<&PublishedReport> =
        tables.iter().filter(|table| table.has_findings()).collect();
    found.sort_by_key(|table| std::cmp::Reverse(table.release_changes.cells));
    if found.is_empty() {
        return String::new();
    }
    let heads = ["table", "cells", "changed by the release", "original differs"];
    let mut rows = vec![heads.map(str::to_owned).to_vec()];
    rows.extend(found.iter().take(MOST).map(|table| {
        vec![
            table.title(),
            grouped(table.cells),
            table.release_changes.words(),
            table.original_differs.words(),
        ]
    }));
    let mut text = aligned(&rows);
    if found.len() > MOST {
        let more = counted((found.len() - MOST) as u64, "table", "tables");
        text.push_str(&format!("  and {more} more\n"));
    }
    for table in found.iter().take(MOST) {
        for unknown in &table.unknown_categories {
            text.push_str(&format!(
                "  {}: {} of {} in the published table, but in no record\n",
                escaped(&table.name),
                counted(unknown.categories, "category", "categories"),
                listed(std::slice::from_ref(&unknown.variable)),
            ));
        }
        text.push_str(&revealed(table));
    }
    text
}

/// The cells themselves, where they were asked for.
fn revealed(table: &PublishedReport) -> String {
    let Some(found) = table.found.as_ref().filter(|found| !found.is_empty()) else {
        return String::new();
    };
    let mut text = format!("  {}, cell by cell:\n", table.title());
    let heads: Vec<String> =
        ["cell", "published", "original", "released"].map(str::to_owned).to_vec();
    let rows = found.iter().take(MOST).map(|cell| {
        let entry = |entry: &Option<String>| match entry {
            Some(category) => escaped(category),
            None => "(total)".to_owned(),
        };
        let entries: Vec<String> = cell.categories.iter().map(entry).collect();
        let numbers = [&cell.published, &cell.original, &cell.released];
        let mut row = vec![entries.join(" / ")];
        row.extend(numbers.map(Clone::clone));
        row
    });
    text.push_str(&aligned(&std::iter::once(heads).chain(rows).collect::<Vec<_>>()));
    if found.len() > MOST {
        let more = counted((found.len() - MOST) as u64, "cell", "cells");
        text.push_str(&format!("  and {more} more\n"));
    }
    text
}

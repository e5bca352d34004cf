//! What was found in the published tables, with names.

use marginswap_core::verify::{Differences, Entry, FoundCell, PublishedCheck};
use marginswap_report::published::{
    CellReport, DifferenceReport, PublishedReport, UnknownCategories,
};

use crate::compare::Comparison;
use crate::published::Published;

/// Every published table, without its cells.
#[must_use]
pub fn published(comparison: &Comparison) -> Vec<PublishedReport> {
    // Published tables count persons.
    let original = &comparison.original;
    let names = original.people().loaded.names();
    let tables = original.published.iter().zip(&comparison.published);
    tables.map(|(table, check)| report(table, check, names)).collect()
}

/// The same tables with the cells in which the three numbers differ. They show categories of
/// the data.
pub fn reveal_published(comparison: &Comparison, reports: &mut [PublishedReport]) {
    for (report, check) in reports.iter_mut().zip(&comparison.published) {
        report.found = Some(check.found.iter().map(cell).collect());
    }
}

fn report(table: &Published, check: &PublishedCheck, names: &[String]) -> PublishedReport {
    let variables = table.variables.iter().map(|&column| names[column].clone());
    let variables: Vec<String> = variables.collect();
    let unknown = variables.iter().zip(&check.unknown).filter(|(_, categories)| **categories > 0);
    PublishedReport {
        name: table.name.clone(),
        file: table.file.display().to_string(),
        format: table.format.to_string(),
        ignored_columns: table.ignored.clone(),
        weight: table.weight.map(|column| names[column].clone()),
        cells: check.cells,
        suppressed: check.suppressed,
        unlisted: check.unlisted,
        original_differs: difference(check.differing),
        release_changes: difference(check.changed),
        also_changed: difference(check.moved),
        unknown_categories: unknown
            .map(|(variable, &categories)| UnknownCategories {
                variable: variable.clone(),
                categories,
            })
            .collect(),
        found: None,
        variables,
    }
}

fn difference(found: Differences) -> DifferenceReport {
    let largest = found.largest.to_string().parse().expect("a decimal is a number");
    DifferenceReport { cells: found.cells, largest }
}

fn cell(found: &FoundCell) -> CellReport {
    let entry = |entry: &Entry| match entry {
        Entry::Total => None,
        Entry::Null => Some("(null)".to_owned()),
        Entry::Category(category) => Some(String::from_utf8_lossy(category).into_owned()),
    };
    CellReport {
        categories: found.entries.iter().map(entry).collect(),
        published: found.published.to_string(),
        original: found.original.to_string(),
        released: found.released.to_string(),
    }
}

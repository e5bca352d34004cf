//! What is in a file.

use marginswap_core::diagnostic::Diagnostic;
use marginswap_core::table::CellSizes;
use marginswap_report::inspect::{ColumnReport, ColumnRole, InspectReport};

pub use crate::answer::Reveal;
use crate::input::Ids;

use crate::answer;
use crate::derive::Take;
use crate::household;
use crate::notes::Run;
use crate::project::Project;
use crate::resolve::open;
use crate::settings::formula;

/// Reads the whole file and says what is in it.
///
/// # Errors
/// When the file cannot be read, or has no header line.
pub fn inspect(
    project: &Project,
    reveal: Reveal,
    run: &mut Run<'_>,
) -> Result<InspectReport, Diagnostic> {
    let (project, opened) = open(project, Take::All)?;
    let ignored = opened.ignored();
    let format = opened.format();
    let loaded = opened.without_sum().read(Ids::PassedOver, run)?;
    let sizes = CellSizes::count(&loaded.plain_records(run));
    let households = match project.unit.household {
        Some(_) => Some(household::columns_of(&project, &loaded, run)?),
        None => None,
    };
    Ok(answer::inspect(&loaded, format, ignored, sizes, households, reveal))
}

/// A table of two columns that may be exchanged, to begin with.
#[must_use]
pub fn example_table(report: &InspectReport) -> String {
    let movable = || report.columns.iter().filter(|column| column.role == ColumnRole::Variable);
    let mut columns: Vec<&ColumnReport> =
        movable().filter(|column| !column.looks_like_id).collect();
    if columns.is_empty() {
        columns = movable().collect();
    }
    let names: Vec<&str> = columns.iter().take(2).map(|column| column.name.as_str()).collect();
    formula(&names)
}

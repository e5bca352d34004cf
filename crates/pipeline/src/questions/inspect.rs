//! What is in a file.

use marginswap_core::columns::{Role, looks_like_id};
use marginswap_core::diagnostic::Diagnostic;
use marginswap_core::table::JointTable;
use marginswap_report::inspect::{ColumnReport, InspectReport};

use crate::notes::Run;
use crate::prepare::{data_of, open};
use crate::project::Project;
use crate::settings::formula;

/// Reads the whole file and says what is in it.
///
/// # Errors
/// When the file cannot be read.
pub fn inspect(project: &Project, run: &mut Run<'_>) -> Result<InspectReport, Diagnostic> {
    let data = data_of(project)?;
    let opened = open(project, &data)?;
    let ignored = opened.ignored();
    let format = opened.format();
    let loaded = opened.read(false, run)?;
    let records = loaded.plain_records(run);
    let joint = JointTable::count(&records);
    let columns: Vec<ColumnReport> = loaded
        .columns()
        .map(|(name, role, column)| {
            let mut empty = 0;
            column.for_each_code(|_, code| empty += u64::from(column.dictionary().is_blank(code)));
            ColumnReport {
                name: name.to_owned(),
                role: if role == Role::Stay { "stay" } else { "variable" },
                levels: column.dictionary().levels(),
                empty,
                looks_like_id: looks_like_id(column),
            }
        })
        .collect();
    Ok(InspectReport {
        data: data.display().to_string(),
        format,
        records: records.len(),
        variables: columns.iter().filter(|column| column.role == "variable").count(),
        columns,
        ignored,
        cells: joint.len(),
        sample_uniques: joint.sample_uniques(),
    })
}

/// A table of two columns that may be exchanged, to begin with.
#[must_use]
pub fn example_table(report: &InspectReport) -> String {
    let movable = || report.columns.iter().filter(|column| column.role == "variable");
    let mut columns: Vec<&ColumnReport> =
        movable().filter(|column| !column.looks_like_id).collect();
    if columns.is_empty() {
        columns = movable().collect();
    }
    let names: Vec<&str> = columns.iter().take(2).map(|column| column.name.as_str()).collect();
    formula(&names)
}

//! What `inspect` answers: the columns of a file, and its cells.

use std::path::Path;

use marginswap_core::columns::{Column, Role, looks_like_id};
use marginswap_core::table::JointTable;
use marginswap_report::inspect::{ColumnReport, ColumnRole, InspectReport};

/// What is in a file. `columns`: those that take part.
#[must_use]
pub fn inspect<'a>(
    path: &Path,
    format: String,
    columns: impl Iterator<Item = (&'a str, Role, &'a Column)>,
    ignored: Vec<String>,
    joint: &JointTable,
) -> InspectReport {
    let columns: Vec<ColumnReport> =
        columns.map(|(name, role, column)| described(name, role, column)).collect();
    InspectReport {
        data: path.display().to_string(),
        format,
        records: joint.records(),
        variables: columns.iter().filter(|column| column.role == ColumnRole::Variable).count(),
        columns,
        ignored,
        cells: joint.len(),
        sample_uniques: joint.sample_uniques(),
    }
}

fn described(name: &str, role: Role, column: &Column) -> ColumnReport {
    let mut empty = 0;
    column.for_each_code(|_, code| empty += u64::from(column.dictionary().is_blank(code)));
    ColumnReport {
        name: name.to_owned(),
        role: if role == Role::Stay { ColumnRole::Stay } else { ColumnRole::Variable },
        levels: column.dictionary().levels(),
        empty,
        looks_like_id: looks_like_id(column),
    }
}

//! What `inspect` answers: the columns of a file, and its cells.

use std::collections::BTreeMap;

use marginswap_core::columns::{Column, Role, looks_like_id};
use marginswap_core::table::JointTable;
use marginswap_report::inspect::{ColumnReport, ColumnRole, InspectReport};

use crate::input::Loaded;

/// What is in a file: the columns that take part, then the derived variables.
#[must_use]
pub fn inspect(
    loaded: &Loaded,
    format: String,
    ignored: Vec<String>,
    joint: &JointTable,
) -> InspectReport {
    let derived: BTreeMap<&str, String> =
        loaded.derived().map(|(name, expression, _)| (name, expression)).collect();
    let columns: Vec<ColumnReport> = loaded
        .columns()
        .map(|(name, role, column)| described(name, role, column, derived.get(name)))
        .collect();
    InspectReport {
        data: loaded.path().display().to_string(),
        format,
        records: joint.records(),
        variables: columns.iter().filter(|column| column.role == ColumnRole::Variable).count(),
        columns,
        ignored,
        cells: joint.len(),
        sample_uniques: joint.sample_uniques(),
    }
}

fn described(name: &str, role: Role, column: &Column, derived: Option<&String>) -> ColumnReport {
    let mut empty = 0;
    column.for_each_code(|_, code| empty += u64::from(column.dictionary().is_blank(code)));
    ColumnReport {
        name: name.to_owned(),
        role: match (derived, role) {
            (Some(_), _) => ColumnRole::Derived,
            (None, Role::Stay) => ColumnRole::Stay,
            (None, _) => ColumnRole::Variable,
        },
        derived: derived.cloned(),
        levels: column.dictionary().levels(),
        empty,
        looks_like_id: derived.is_none() && looks_like_id(column),
    }
}

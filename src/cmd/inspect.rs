//! `inspect`: what is in a file.

use marginswap_core::columns::{Role, looks_like_id};
use marginswap_core::diagnostic::Diagnostic;
use marginswap_core::graph::quoted;
use marginswap_core::table::JointTable;
use marginswap_report::inspect::{ColumnReport, InspectReport};

use crate::args::InspectArgs;
use crate::output::{self, Line, give, next};
use crate::settings::open;

/// Reads the whole file and says what is in it.
pub fn run(args: &InspectArgs) -> Result<(), Diagnostic> {
    let run = &mut output::run();
    let opened = open(&args.data, &args.read, &args.roles)?;
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
    let report = InspectReport {
        data: args.data.display().to_string(),
        format,
        records: records.len(),
        variables: columns.iter().filter(|column| column.role == "variable").count(),
        columns,
        ignored,
        cells: joint.len(),
        sample_uniques: joint.sample_uniques(),
    };
    give(&report, args.answer.json)?;
    let movable = || report.columns.iter().filter(|column| column.role == "variable");
    let mut example: Vec<&ColumnReport> =
        movable().filter(|column| !column.looks_like_id).collect();
    if example.is_empty() {
        example = movable().collect();
    }
    let table: Vec<String> = example.iter().take(2).map(|column| quoted(&column.name)).collect();
    let mut line = Line::new("graph", Some(&args.data));
    line.columns(&args.read, &args.roles).option("--keep", &table.join("*"));
    next(&line.to_string());
    Ok(())
}

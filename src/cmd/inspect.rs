//! `inspect`: what is in a file.

use marginswap_core::diagnostic::Diagnostic;
use marginswap_core::table::JointTable;
use marginswap_core::text::quoted;
use marginswap_report::inspect::{ColumnReport, ColumnRole};

use crate::args::InspectArgs;
use crate::output::{self, Line, give, next};
use crate::settings::open;
use marginswap_pipeline::answer;

/// Reads the whole file and says what is in it.
pub fn run(args: &InspectArgs) -> Result<(), Diagnostic> {
    let run = &mut output::run();
    let opened = open(&args.data, &args.read, &args.roles)?;
    let ignored = opened.ignored();
    let format = opened.format();
    let loaded = opened.read(false, run)?;
    let records = loaded.plain_records(run);
    let joint = JointTable::count(&records);
    let report = answer::inspect(&args.data, format, loaded.columns(), ignored, &joint);
    give(&report, args.answer.json)?;
    let movable = || report.columns.iter().filter(|column| column.role == ColumnRole::Variable);
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

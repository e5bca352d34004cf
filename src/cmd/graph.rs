//! `graph`: what the tables to keep tie together.

use marginswap_core::diagnostic::Diagnostic;
use marginswap_core::graph::{Formula, Scope};
use marginswap_report::graph::GraphReport;

use crate::args::GraphArgs;
use crate::input::{open, separators};
use crate::output::{give, next, typed};

/// Describes the margin graph; draws it when asked.
pub fn run(args: &GraphArgs) -> Result<(), Diagnostic> {
    let scope = match &args.data {
        Some(data) => open(data, &args.read, &args.roles)?.scope(&args.keep.keep)?,
        None => Scope::of_tables(&Formula::parse(&args.keep.keep)?)?,
    };
    let separators = separators(&scope, args.keep.max_separators);
    let report = GraphReport::new(&scope, &separators);
    give(&report, args.answer.json)?;
    let data = args.data.as_deref().map_or_else(|| "DATA".to_owned(), typed);
    next(&format!(
        "marginswap screen {data} with the same --keep says which records can be swapped"
    ));
    Ok(())
}

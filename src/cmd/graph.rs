//! `graph`: what the tables to keep tie together.

use std::path::{Path, PathBuf};

use marginswap_core::diagnostic::Diagnostic;
use marginswap_core::graph::{Formula, Scope};
use marginswap_report::graph::{GraphReport, picture};
use marginswap_report::margin_graph::draw;

use crate::args::GraphArgs;
use crate::output::{Line, Sketch, give, next};
use crate::settings::open;
use marginswap_pipeline::input::separators;

/// Describes the margin graph; draws it when asked.
pub fn run(args: &GraphArgs) -> Result<(), Diagnostic> {
    let inputs: Vec<&Path> = args.data.iter().map(PathBuf::as_path).collect();
    let sketch = Sketch::new(args.svg.as_ref(), &args.force, &inputs)?;
    let scope = match &args.data {
        Some(data) => open(data, &args.read, &args.roles)?.scope(&args.keep.keep)?,
        None => Scope::of_tables(&Formula::parse(&args.keep.keep)?)?,
    };
    let separators = separators(&scope, args.keep.max_separators);
    sketch.draw_plain(|| draw(&picture(&scope, &separators)))?;
    let report = GraphReport::new(&scope, &separators);
    give(&report, args.answer.json)?;
    let mut line = Line::new("screen", args.data.as_deref());
    line.columns(&args.read, &args.roles).keep(&args.keep.keep, args.keep.max_separators);
    next(&line.to_string());
    Ok(())
}

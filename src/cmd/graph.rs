//! `graph`: what the tables to keep tie together.

use marginswap_core::diagnostic::Diagnostic;
use marginswap_core::graph::{Formula, Scope};
use marginswap_io::{Overwrite, Secrecy, check_not_input, check_target, write_atomic};
use marginswap_report::graph::{GraphReport, picture};
use marginswap_report::margin_graph::draw;

use crate::args::GraphArgs;
use crate::input::{open, separators};
use crate::output::{Line, give, next, talk};

/// Describes the margin graph; draws it when asked.
pub fn run(args: &GraphArgs) -> Result<(), Diagnostic> {
    let overwrite = Overwrite::from_force(args.force.force);
    if let Some(file) = &args.svg {
        check_target(file, overwrite)?;
        if let Some(data) = &args.data {
            check_not_input(file, data)?;
        }
    }
    let scope = match &args.data {
        Some(data) => open(data, &args.read, &args.roles)?.scope(&args.keep.keep)?,
        None => Scope::of_tables(&Formula::parse(&args.keep.keep)?)?,
    };
    let separators = separators(&scope, args.keep.max_separators);
    if let Some(file) = &args.svg {
        let picture = draw(&picture(&scope, &separators)).file();
        write_atomic(file, overwrite, Secrecy::Plain, |out| out.write_all(picture.as_bytes()))?;
        talk(&format!("{} holds the picture", file.display()));
    }
    let report = GraphReport::new(&scope, &separators);
    give(&report, args.answer.json)?;
    let mut line = Line::new("screen", args.data.as_deref());
    line.columns(&args.read, &args.roles).keep(&args.keep.keep, args.keep.max_separators);
    next(&line.to_string());
    Ok(())
}

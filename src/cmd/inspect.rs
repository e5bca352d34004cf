//! `inspect`: what is in a file.

use marginswap_core::diagnostic::Diagnostic;
use marginswap_pipeline::questions::inspect::{Reveal, example_table, inspect};

use crate::args::{ForGraph, InspectArgs};
use crate::output::{Outcome, give, next};
use crate::setup::Takes;

/// Reads the whole file and says what is in it.
pub fn run(args: &InspectArgs) -> Result<Outcome, Diagnostic> {
    args.settings.run(|setup, run| {
        let reveal = if args.reveal { Reveal::Everything } else { Reveal::Counts };
        let report = inspect(&setup.project, reveal, run)?;
        give(&report, args.answer.json)?;
        let mut project = setup.project.clone();
        if project.keep.is_empty() {
            project.keep.tables = vec![example_table(&report)];
        }
        next(&setup.line_for("graph", ForGraph::TOPICS, &project).to_string());
        Ok(Outcome::Done)
    })
}

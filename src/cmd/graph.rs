//! `graph`: what the tables to keep tie together.

use marginswap_core::diagnostic::Diagnostic;
use marginswap_io::Overwrite;
use marginswap_pipeline::questions::graph::graph;

use crate::args::{ForScreen, GraphArgs};
use crate::output::{Outcome, Sketch, give, next};
use crate::setup::Takes;

/// Describes the margin graph; draws it when asked.
pub fn run(args: &GraphArgs) -> Result<Outcome, Diagnostic> {
    args.settings.run(|setup, run| {
        setup.tables_are_named()?;
        let overwrite = Overwrite::from_force(args.force.force);
        setup.guard(&[args.svg.as_deref()], &[], &[], overwrite, run)?;
        let sketch = Sketch::new(args.svg.as_ref(), &args.force);
        let graph = graph(&setup.project, run)?;
        sketch.draw_plain(|| graph.picture)?;
        give(&graph.report, args.answer.json)?;
        next(&setup.line("screen", ForScreen::TOPICS).to_string());
        Ok(Outcome::Done)
    })
}

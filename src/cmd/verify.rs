//! `verify`: compares a released file with the original. It trusts nothing.

use marginswap_core::diagnostic::Diagnostic;
use marginswap_core::verify::Triples;
use marginswap_pipeline::compare::TwoFiles;
use marginswap_pipeline::project::{Project, Release};
use marginswap_report::pictures::triangle;

use crate::args::VerifyArgs;
use crate::output::{Outcome, Sketch, give, next};

/// Recounts everything from the two files.
pub fn run(args: &VerifyArgs) -> Result<Outcome, Diagnostic> {
    let own = Project {
        data: args.before.clone(),
        release: Release { out: args.after.clone(), ..Release::default() },
        ..Project::default()
    };
    args.settings.run_with(own, |setup, run| {
        let (before, after) = (setup.data()?, setup.released()?);
        let mut inputs = setup.inputs(None);
        inputs.push(after.clone());
        let sketch = Sketch::new(args.svg.as_ref(), &args.force, &inputs)?;
        let project = &setup.project;
        let shuffled = args.shuffled || project.release.shuffle == Some(true);
        let mut files = TwoFiles::read(project, &before, &after, shuffled, run)?;
        files.settle(run);
        let triples = if args.three_way { Triples::Compared } else { Triples::Skipped };
        let report = files.verify(triples);
        sketch.draw(|| triangle::draw(&report.triangle()))?;
        give(&report, args.answer.json)?;
        if !report.passes() {
            next("do not release this file");
            return Ok(Outcome::GateNotMet);
        }
        next(match report.reordered {
            true => "marginswap report with --plan tells which line is whose; until then nothing speaks for release",
            false => "release the file, unless its seed was a demo seed; keep the plan and the seed secret",
        });
        Ok(Outcome::Done)
    })
}

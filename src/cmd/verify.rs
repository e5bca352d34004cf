//! `verify`: compares a released file with the original. It trusts nothing.

use marginswap_core::diagnostic::Diagnostic;
use marginswap_core::verify::Triples;
use marginswap_report::pictures::triangle;

use crate::args::VerifyArgs;
use crate::output::{self, Outcome, Sketch, give, next};
use crate::settings;
use marginswap_pipeline::compare::TwoFiles;
use marginswap_pipeline::project::{Keep, Project, Risk, Swapping};

/// Recounts everything from the two files.
pub fn run(args: &VerifyArgs) -> Result<Outcome, Diagnostic> {
    settings::use_threads(&args.threads)?;
    let run = &mut output::run();
    let sketch = Sketch::new(args.svg.as_ref(), &args.force, &[&args.before, &args.after])?;
    let file = args.project.as_deref().map(Project::load).transpose()?.unwrap_or_default();
    let flags = Project {
        delimiter: settings::delimiter(&args.read)?,
        columns: settings::columns(&args.roles)?,
        keep: Keep { tables: args.keep.clone() },
        risk: Risk { keys: settings::names(&args.keys)?, ..Risk::default() },
        swap: Swapping { weight: args.weight.clone(), ..Swapping::default() },
        ..Project::default()
    };
    let project = file.merge(flags).expanded();
    let mut files = TwoFiles::read(&project, &args.before, &args.after, args.shuffled, run)?;
    files.settle(run);
    let report = files.verify(if args.three_way { Triples::Compared } else { Triples::Skipped });
    sketch.draw(|| triangle::draw(&report.triangle()))?;
    give(&report, args.answer.json)?;
    if report.passes() && report.reordered {
        next(
            "marginswap report with --plan tells which line is whose; until then nothing speaks for release",
        );
        Ok(Outcome::Done)
    } else if report.passes() {
        next(
            "release the file, unless its seed was a demo seed; keep the plan and the seed secret",
        );
        Ok(Outcome::Done)
    } else {
        next("do not release this file");
        Ok(Outcome::GateNotMet)
    }
}

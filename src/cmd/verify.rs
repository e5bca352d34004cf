//! `verify`: compares a released file with the original. It trusts nothing.

use marginswap_core::diagnostic::Diagnostic;
use marginswap_core::verify::Triples;
use marginswap_report::pictures::triangle;
use marginswap_report::verify::VerifyReport;

use crate::args::VerifyArgs;
use crate::output::{Outcome, Sketch, give, next, talk};
use crate::project::{Keep, Project, Risk, Swapping};
use crate::settings;
use crate::two_files::TwoFiles;

/// Recounts everything from the two files.
pub fn run(args: &VerifyArgs) -> Result<Outcome, Diagnostic> {
    settings::use_threads(&args.threads)?;
    let sketch = Sketch::new(args.svg.as_ref(), &args.force, &[&args.before, &args.after])?;
    let file = args.project.as_deref().map(Project::load).transpose()?.unwrap_or_default();
    let flags = Project {
        delimiter: settings::delimiter(&args.read)?,
        columns: settings::columns(&args.roles)?,
        keep: Keep { tables: args.keep.clone() },
        risk: Risk { keys: settings::names(&args.keys)?, risky: None },
        swap: Swapping { weight: args.weight.clone(), ..Swapping::default() },
        ..Project::default()
    };
    let project = file.merge(flags).expanded();
    let files = TwoFiles::read(&project, &args.before, &args.after, args.shuffled)?;
    let verification =
        files.verify(if args.three_way { Triples::Compared } else { Triples::Skipped });
    let report = VerifyReport::new(files.scope.schema(), &verification);
    sketch.draw(|| triangle::draw(&report.triangle()))?;
    give(&report, args.answer.json)?;
    let impossible = files.impossible();
    for margin in &impossible {
        let names = files.scope.schema().names(*margin).join(", ");
        talk(&format!("no swap changes the counts of {names}, and here they differ"));
    }
    if verification.is_equal() && impossible.is_empty() {
        next("release the file; keep the plan and the seed secret");
        Ok(Outcome::Done)
    } else {
        next("do not release this file");
        Ok(Outcome::GateNotMet)
    }
}

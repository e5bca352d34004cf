//! `verify`: compares a released file with the original. It trusts nothing.

use marginswap_core::diagnostic::Diagnostic;
use marginswap_io::{Overwrite, read_plan};
use marginswap_pipeline::answer;
use marginswap_pipeline::compare::{Evidence, Lines, Triples};
use marginswap_pipeline::job::compare;
use marginswap_pipeline::outputs::marked;
use marginswap_pipeline::project::{Project, Release};
use marginswap_pipeline::weights::write_margins;
use marginswap_report::pictures::triangle;
use marginswap_report::protection::Verdict;

use crate::advised::add_commands;
use crate::args::{Revealed, VerifyArgs};
use crate::output::{Outcome, Sketch, give, next, outcome_of, talk};

/// Recounts everything from the two files.
pub fn run(args: &VerifyArgs) -> Result<Outcome, Diagnostic> {
    let own = Project {
        data: args.before.clone(),
        release: Release { out: args.after.clone(), ..Release::default() },
        ..Project::default()
    };
    args.settings.run_with(own, |setup, run| {
        let after = setup.released()?;
        setup.made_by(&after, MAKES_RELEASED)?;
        let overwrite = Overwrite::from_force(args.force.force);
        setup.guard(&[args.svg.as_deref()], &[], &[], overwrite, run)?;
        let sketch = Sketch::new(args.svg.as_ref(), &args.force);
        let project = &setup.project;
        let evidence = Evidence {
            lines: Lines::told(args.shuffled, project),
            demo_seed: args.before.is_none() && made_for_demonstration(project)?,
            triples: if args.three_way { Triples::Compared } else { Triples::Skipped },
            new_pairs: match args.reveal.contains(&Revealed::NewPairs) {
                true => answer::Reveal::Everything,
                false => answer::Reveal::Counts,
            },
            ..Evidence::default()
        };
        setup.data()?;
        let comparison = compare(project, &after, &evidence, run)?;
        if let Some(folder) = &args.margins {
            let overwrite = Overwrite::from_force(args.force.force);
            let files = write_margins(&comparison.original, folder, overwrite)?;
            talk(&format!("{} tables of the original are in {}", files.len(), folder.display()));
        }
        let mut report = answer::verify(&comparison);
        if args.reveal.contains(&Revealed::Published) {
            answer::reveal_published(&comparison, &mut report.published);
        }
        add_commands(&mut report.advice, setup, &setup.project);
        let outcome = outcome_of(report.judgement.verdict);
        sketch.draw(outcome, || marked(triangle::draw(&report.triangle()), evidence.demo_seed))?;
        give(&report, args.answer.json)?;
        next(match report.judgement.verdict {
            Verdict::Release => "release the file; keep the plan and the seed secret",
            Verdict::Review => "have the reasons reviewed before you release the file",
            Verdict::DoNotRelease => "do not release this file",
        });
        Ok(outcome)
    })
}

/// The commands that write a released file.
pub const MAKES_RELEASED: &str =
    "`marginswap protect`, or `marginswap plan` and `marginswap apply`,";

/// Was the plan that the project names made with a demo seed? Nothing else is taken from it.
fn made_for_demonstration(project: &Project) -> Result<bool, Diagnostic> {
    match &project.release.plan {
        Some(path) if path.exists() => Ok(read_plan(path)?.header.not_for_release),
        _ => Ok(false),
    }
}

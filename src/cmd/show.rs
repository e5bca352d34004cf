//! `show`: what is in a plan.

use marginswap_core::diagnostic::Diagnostic;
use marginswap_io::{Seal, read_plan_sealed};
use marginswap_pipeline::answer::{Reveal, show};
use marginswap_pipeline::notes::Note;
use marginswap_pipeline::project::{Project, Release};
use marginswap_pipeline::seal::SealFrom;

use crate::args::ShowArgs;
use crate::output::{Outcome, give, missing, next};

/// Prints counts only, unless the swaps are asked for.
pub fn run(args: &ShowArgs) -> Result<Outcome, Diagnostic> {
    let own = Project {
        release: Release { plan: args.plan.clone(), ..Release::default() },
        ..Project::default()
    };
    args.settings.run_with(own, |setup, run| {
        let path = setup.project.release.plan.clone().ok_or_else(|| {
            missing(
                "no plan file is named",
                "name it on the command line, or as `plan` under [release] in the project file",
            )
        })?;
        let key = SealFrom(args.seal_file.clone()).for_reading()?;
        let (plan, seal) = read_plan_sealed(&path, key.as_ref())?;
        if seal == Seal::Unchecked {
            run.note(Note::SealUnchecked);
        }
        let reveal = if args.reveal { Reveal::Everything } else { Reveal::Counts };
        let report = show(plan, reveal);
        let mut project = setup.project.clone();
        if report.has_household_file() && project.unit.file.is_none() {
            project.unit.file = Some("HOUSEHOLDS".into());
            let out = project.release.households.take();
            project.release.households = Some(out.unwrap_or("released-households.csv".into()));
        }
        give(&report, args.answer.json)?;
        next(&setup.apply_line(&project, None));
        Ok(Outcome::Done)
    })
}

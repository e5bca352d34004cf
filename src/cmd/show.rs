//! `show`: what is in a plan.

use marginswap_core::diagnostic::Diagnostic;
use marginswap_io::read_plan;
use marginswap_pipeline::answer::{Reveal, show};
use marginswap_pipeline::project::{Project, Release};

use crate::args::ShowArgs;
use crate::output::{Outcome, give, missing, next};

/// Prints counts only, unless the swaps are asked for.
pub fn run(args: &ShowArgs) -> Result<Outcome, Diagnostic> {
    let own = Project {
        release: Release { plan: args.plan.clone(), ..Release::default() },
        ..Project::default()
    };
    args.settings.run_with(own, |setup, _| {
        let path = setup.project.release.plan.clone().ok_or_else(|| {
            missing(
                "no plan file is named",
                "name it on the command line, or as `plan` under [release] in the project file",
            )
        })?;
        let plan = read_plan(&path)?;
        let reveal = if args.reveal { Reveal::Everything } else { Reveal::Counts };
        give(&show(plan, reveal), args.answer.json)?;
        next(&setup.apply_line(&setup.project, None));
        Ok(Outcome::Done)
    })
}

//! `plan`: decides the swaps, writes no data.

use std::path::Path;

use marginswap_core::diagnostic::Diagnostic;
use marginswap_io::{Overwrite, check_outputs, write_plan};
use marginswap_pipeline::pipeline::plan;
use marginswap_pipeline::project::{Project, Release};
use marginswap_pipeline::release::note_other_plans;
use marginswap_pipeline::seed::SeedFrom;
use marginswap_report::pictures::waterfall;

use crate::args::PlanArgs;
use crate::output::{Outcome, Sketch, give, missing, next, paths, talk};

/// Plans and writes the plan file.
pub fn run(args: &PlanArgs) -> Result<Outcome, Diagnostic> {
    let own = Project {
        release: Release { plan: args.out.clone(), ..Release::default() },
        ..Project::default()
    };
    args.settings.run_with(own, |setup, run| {
        let project = &setup.project;
        let out = project.release.plan.clone().ok_or_else(|| {
            missing(
                "no plan file is named",
                "name it with -o, or as `plan` under [release] in the project file",
            )
        })?;
        let overwrite = Overwrite::from_force(args.job.force.force);
        let seed = SeedFrom::flags(args.job.seed_file.as_deref(), args.job.demo_seed);
        let inputs = setup.inputs(seed.file());
        let outputs = [Some(out.as_path()), args.svg.as_deref()];
        let outputs: Vec<&Path> = outputs.into_iter().flatten().collect();
        check_outputs(&outputs, &paths(&inputs), overwrite)?;
        let sketch = Sketch::new(args.svg.as_ref(), &args.job.force, &inputs)?;
        let (report, file) = plan(project.clone(), &seed, run)?;
        note_other_plans(&out, &file, Some(&out), run);
        write_plan(&out, overwrite, &file)?;
        talk(&format!("{} is the plan: SECRET, it undoes the protection", out.display()));
        sketch.draw(|| waterfall::draw("", &report.coverage()))?;
        give(&report, args.job.answer.json)?;
        next(&setup.apply_line(project, seed.file()));
        Ok(if report.left > 0 { Outcome::GateNotMet } else { Outcome::Done })
    })
}

//! `plan`: decides the swaps, writes no data.

use marginswap_core::diagnostic::Diagnostic;
use marginswap_io::{Finished, Overwrite, Secrecy};
use marginswap_pipeline::job::plan;
use marginswap_pipeline::outputs::{marked, stage_plan};
use marginswap_pipeline::project::{Project, Release};
use marginswap_pipeline::release::note_other_plans;
use marginswap_pipeline::seal::SealFrom;
use marginswap_pipeline::seed::SeedFrom;
use marginswap_report::pictures::waterfall;

use crate::args::PlanArgs;
use crate::output::{Outcome, Sketch, commit, give, missing, next, outcome_of, talk};

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
        let seal = SealFrom(args.job.seal_file.clone());
        let outputs = [Some(out.as_path()), args.svg.as_deref()];
        setup.guard(&outputs, &["release.plan"], &[seed.file(), seal.file()], overwrite, run)?;
        let sketch = Sketch::new(args.svg.as_ref(), &args.job.force);
        let (report, file, chosen) = plan(project, &seed, run)?;
        note_other_plans(&out, &file, Some(&out), run);
        let foreseen = report.foreseen.as_ref().expect("a plan is judged");
        let (outcome, unchanged) =
            (outcome_of(foreseen.judgement.verdict), foreseen.judgement.is_unchanged());
        let mut files: Vec<Finished> = chosen.new_file.into_iter().collect();
        files.extend(stage_plan(&out, &file, &seal, overwrite)?);
        let picture = || marked(waterfall::draw("", &report.coverage()), report.not_for_release);
        files.extend(sketch.stage(Secrecy::Secret, picture)?);
        commit(files, outcome)?;
        talk(&format!("{} is the plan: SECRET, it undoes the protection", out.display()));
        sketch.tell();
        give(&report, args.job.answer.json)?;
        match unchanged {
            true => next("nothing is exchanged: change the settings and plan again"),
            false => next(&setup.apply_line(project, seed.file())),
        }
        Ok(outcome)
    })
}

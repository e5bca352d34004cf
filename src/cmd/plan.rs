//! `plan`: decides the swaps, writes no data.

use std::path::{Path, PathBuf};

use marginswap_core::diagnostic::{Code, Diagnostic};
use marginswap_io::{Overwrite, check_outputs, write_plan};
use marginswap_report::pictures::waterfall;

use crate::args::PlanArgs;
use crate::output::{self, Outcome, Sketch, apply_line, give, next, talk};
use crate::settings;
use marginswap_pipeline::prepare::prepare;
use marginswap_pipeline::seed::SeedFrom;

/// Plans and writes the plan file.
pub fn run(args: &PlanArgs) -> Result<Outcome, Diagnostic> {
    settings::use_threads(&args.job.threads)?;
    let run = &mut output::run();
    let project = settings::of_job(&args.job, run)?;
    let out = args.out.clone().or_else(|| project.release.plan.clone()).ok_or_else(|| {
        Diagnostic::new(
            Code::MissingSetting,
            "no plan file is named",
            "name it with -o, or as `plan` under [release] in the project file",
        )
    })?;
    let overwrite = Overwrite::from_force(args.job.force.force);
    let seed_file = args.job.seed_file.as_deref();
    let inputs = settings::inputs(&project, args.job.project.as_deref(), seed_file);
    let inputs: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
    let outputs: Vec<&Path> =
        [Some(&out), args.svg.as_ref()].into_iter().flatten().map(PathBuf::as_path).collect();
    check_outputs(&outputs, &inputs, overwrite)?;
    let sketch = Sketch::new(args.svg.as_ref(), &args.job.force, &inputs)?;
    let prepared = prepare(project, run)?;
    let chosen = SeedFrom::flags(seed_file, args.job.demo_seed).choose(run)?;
    let planned = prepared.plan(chosen.seed)?;
    let report = prepared.report(&planned, &prepared.exposure(&planned), chosen.not_for_release);
    prepared.note_a_missed_rate(&report, run);
    let file = prepared.plan_file(&planned, &report)?;
    write_plan(&out, overwrite, &file)?;
    talk(&format!("{} holds the plan: SECRET, whoever has it can undo the swaps", out.display()));
    sketch.draw(|| waterfall::draw("", &report.coverage()))?;
    give(&report, args.job.answer.json)?;
    next(&apply_line(&prepared.path, &out, &prepared.project, seed_file));
    Ok(if report.left() > 0 { Outcome::GateNotMet } else { Outcome::Done })
}

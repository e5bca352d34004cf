//! `plan`: decides the swaps, writes no data.

use std::path::{Path, PathBuf};

use marginswap_core::diagnostic::{Code, Diagnostic};
use marginswap_io::{Overwrite, check_not_input, check_target, write_plan};
use marginswap_report::pictures::waterfall;

use crate::args::PlanArgs;
use crate::job::prepare;
use crate::output::{Outcome, Sketch, give, next, talk, typed_path};
use crate::{seed, settings};

/// Plans and writes the plan file.
pub fn run(args: &PlanArgs) -> Result<Outcome, Diagnostic> {
    settings::use_threads(&args.job.threads)?;
    let project = settings::of_job(&args.job)?;
    let out = args.out.clone().or_else(|| project.release.plan.clone()).ok_or_else(|| {
        Diagnostic::new(
            Code::MissingSetting,
            "no plan file is named",
            "name it with -o, or as `plan` under [release] in the project file",
        )
    })?;
    let overwrite = Overwrite::from_force(args.job.force.force);
    check_target(&out, overwrite)?;
    if let Some(data) = &project.data {
        check_not_input(&out, data)?;
    }
    let inputs: Vec<&Path> = project.data.iter().map(PathBuf::as_path).collect();
    let sketch = Sketch::new(args.svg.as_ref(), &args.job.force, &inputs)?;
    let chosen = seed::choose(args.job.seed_file.as_deref(), args.job.demo_seed)?;
    let prepared = prepare(project)?;
    let plan = prepared.plan(chosen.seed)?;
    let report = prepared.report(&plan, chosen.not_for_release);
    prepared.warn_of_a_missed_rate(&report);
    let file = prepared.plan_file(&plan, &report, chosen.not_for_release)?;
    write_plan(&out, overwrite, &file)?;
    talk(&format!("{} holds the plan: SECRET, whoever has it can undo the swaps", out.display()));
    sketch.draw(|| waterfall::draw("", &report.coverage()))?;
    give(&report, args.job.answer.json)?;
    next(&format!(
        "marginswap apply {} {} -o released.csv",
        typed_path(&prepared.path),
        typed_path(&out)
    ));
    Ok(if report.left() > 0 { Outcome::GateNotMet } else { Outcome::Done })
}

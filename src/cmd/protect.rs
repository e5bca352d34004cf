//! `protect`: the whole job in one go.

use marginswap_core::diagnostic::{Code, Diagnostic};
use marginswap_io::{Overwrite, ReadOptions, check_target, remove_on_interrupt, write_plan};
use marginswap_report::plan::ProtectReport;

use crate::args::ProtectArgs;
use crate::job::{ReleaseAs, prepare, release};
use crate::output::{Outcome, give, next, talk, typed};
use crate::{seed, settings};

/// Plans, writes the released file, recounts it and gives it its name.
pub fn run(args: &ProtectArgs) -> Result<Outcome, Diagnostic> {
    settings::use_threads(&args.job.threads)?;
    let project = settings::of_job(&args.job)?;
    let out = args.out.clone().or_else(|| project.release.out.clone()).ok_or_else(|| {
        Diagnostic::new(
            Code::MissingSetting,
            "no released file is named",
            "name it with -o, or as `out` under [release] in the project file",
        )
    })?;
    let plan_path = args.plan.clone().or_else(|| project.release.plan.clone());
    let overwrite = Overwrite::from_force(args.job.force.force);
    for target in [Some(&out), plan_path.as_ref()].into_iter().flatten() {
        check_target(target, overwrite)?;
    }
    remove_on_interrupt()?;
    let chosen = seed::choose(args.job.seed_file.as_deref(), args.job.demo_seed)?;
    let prepared = prepare(project)?;
    let plan = prepared.plan(chosen.seed)?;
    let report = prepared.report(&plan, chosen.not_for_release);
    let file = prepared.plan_file(&plan, &report, chosen.not_for_release)?;
    let project = &prepared.project;
    let drop = match settings::names(&args.release.drop)? {
        named if named.is_empty() => project.release.drop.clone(),
        named => named,
    };
    let shuffle = args.release.shuffle || project.release.shuffle.unwrap_or(false);
    let released = release(
        &prepared.loaded,
        &prepared.scope,
        prepared.loaded.variables(&prepared.scope, &project.risk.keys),
        &prepared.path,
        ReadOptions { delimiter: project.delimiter },
        &file.swaps,
        &ReleaseAs {
            target: &out,
            overwrite,
            shuffle: shuffle.then_some(chosen.seed),
            drop: &drop,
        },
    )?;
    let answer = ProtectReport::new(report, out.display().to_string(), &released.verification);
    if let Some(path) = &plan_path {
        write_plan(path, overwrite, &file)?;
        talk(&format!(
            "{} holds the plan: SECRET, whoever has it can undo the swaps",
            path.display()
        ));
    }
    released.publish()?;
    give(&answer, args.job.answer.json)?;
    next(&format!(
        "marginswap verify {} {} with the same --keep and --keys",
        typed(&prepared.path),
        typed(&out)
    ));
    Ok(if answer.plan.left() > 0 { Outcome::GateNotMet } else { Outcome::Done })
}

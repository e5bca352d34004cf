//! `protect`: the whole job in one go.

use std::path::{Path, PathBuf};

use marginswap_core::diagnostic::{Code, Diagnostic};
use marginswap_io::{Changes, Overwrite, ReadOptions, check_outputs, write_plan};
use marginswap_report::plan::ProtectReport;

use crate::args::ProtectArgs;
use crate::job::prepare;
use crate::output::{Outcome, give, next, talk, verify_line};
use crate::project::Project;
use crate::release::{ReleaseAs, release};
use crate::seed::SeedFrom;
use crate::settings;

/// A job, as flags or a demonstration ask for it.
pub struct Request {
    pub project: Project,
    pub seed: SeedFrom,
    pub overwrite: Overwrite,
    pub json: bool,
}

/// Plans, writes the released file, recounts it and gives it its name.
pub fn run(args: &ProtectArgs) -> Result<Outcome, Diagnostic> {
    settings::use_threads(&args.job.threads)?;
    let mut project = settings::of_job(&args.job)?;
    let told = &mut project.release;
    told.out = args.out.clone().or(told.out.take());
    told.plan = args.plan.clone().or(told.plan.take());
    told.shuffle = Some(args.release.shuffle || told.shuffle.unwrap_or(false));
    let drop = settings::names(&args.release.drop)?;
    if !drop.is_empty() {
        told.drop = drop;
    }
    carry_out(Request {
        project,
        seed: SeedFrom::flags(args.job.seed_file.as_deref(), args.job.demo_seed),
        overwrite: Overwrite::from_force(args.job.force.force),
        json: args.job.answer.json,
    })
}

/// Does what a request asks for.
pub fn carry_out(request: Request) -> Result<Outcome, Diagnostic> {
    let Request { project, seed, overwrite, json } = request;
    let out: PathBuf = project.release.out.clone().ok_or_else(|| {
        Diagnostic::new(
            Code::MissingSetting,
            "no released file is named",
            "name it with -o, or as `out` under [release] in the project file",
        )
    })?;
    let plan_path = project.release.plan.clone();
    let outputs: Vec<&Path> =
        [Some(&out), plan_path.as_ref()].into_iter().flatten().map(PathBuf::as_path).collect();
    let inputs = [project.data.as_deref(), seed.file()];
    check_outputs(&outputs, &inputs.into_iter().flatten().collect::<Vec<_>>(), overwrite)?;
    let chosen = seed.choose()?;
    let prepared = prepare(project)?;
    let planned = prepared.plan(chosen.seed)?;
    let (swaps, groups) = (prepared.planned_swaps(&planned), prepared.planned_groups(&planned));
    let project = &prepared.project;
    let released = release(
        &prepared.loaded,
        &prepared.scope,
        prepared.loaded.variables(&prepared.scope, &project.risk.keys),
        &prepared.path,
        ReadOptions { delimiter: project.delimiter },
        Changes { swaps: &swaps, groups: &groups },
        &ReleaseAs {
            target: &out,
            overwrite,
            shuffle: project.release.shuffle.unwrap_or(false).then_some(chosen.seed),
            drop: &project.release.drop,
        },
    )?;
    let exposure = released.verification().claims.expect("a job has keys");
    let report = prepared.report(&planned, &exposure, chosen.not_for_release);
    prepared.warn_of_a_missed_rate(&report);
    if let Some(path) = &plan_path {
        write_plan(path, overwrite, &prepared.plan_file(swaps, groups, &report)?)?;
        talk(&format!(
            "{} holds the plan: SECRET, whoever has it can undo the swaps",
            path.display()
        ));
    }
    let answer = ProtectReport::new(report, out.display().to_string(), released.verification());
    released.publish()?;
    give(&answer, json)?;
    next(&verify_line(&prepared.path, &out, project));
    Ok(if answer.plan.left() > 0 { Outcome::GateNotMet } else { Outcome::Done })
}

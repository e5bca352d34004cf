//! `protect`: the whole job in one go.

use std::path::PathBuf;

use marginswap_core::diagnostic::{Code, Diagnostic};
use marginswap_io::{
    Changes, Overwrite, ReadOptions, check_not_input, check_target, remove_on_interrupt, write_plan,
};
use marginswap_report::plan::ProtectReport;

use crate::args::ProtectArgs;
use crate::job::{ReleaseAs, prepare, release};
use crate::output::{Outcome, give, next, talk, verify_line};
use crate::project::Project;
use crate::seed::{self, Chosen};
use crate::settings;

/// A job, as flags or a demonstration ask for it.
pub struct Request {
    pub project: Project,
    pub chosen: Chosen,
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
        chosen: seed::choose(args.job.seed_file.as_deref(), args.job.demo_seed)?,
        overwrite: Overwrite::from_force(args.job.force.force),
        json: args.job.answer.json,
    })
}

/// Does what a request asks for.
pub fn carry_out(request: Request) -> Result<Outcome, Diagnostic> {
    let Request { project, chosen, overwrite, json } = request;
    let out: PathBuf = project.release.out.clone().ok_or_else(|| {
        Diagnostic::new(
            Code::MissingSetting,
            "no released file is named",
            "name it with -o, or as `out` under [release] in the project file",
        )
    })?;
    let plan_path = project.release.plan.clone();
    if plan_path.as_ref() == Some(&out) {
        return Err(Diagnostic::new(
            Code::OutputExists,
            "the plan and the released file have one name",
            "name two files",
        )
        .in_file(out));
    }
    for target in [Some(&out), plan_path.as_ref()].into_iter().flatten() {
        check_target(target, overwrite)?;
        if let Some(data) = &project.data {
            check_not_input(target, data)?;
        }
    }
    remove_on_interrupt()?;
    let prepared = prepare(project)?;
    let plan = prepared.plan(chosen.seed)?;
    let report = prepared.report(&plan, chosen.not_for_release);
    prepared.warn_of_a_missed_rate(&report);
    let file = prepared.plan_file(&plan, &report, chosen.not_for_release)?;
    let project = &prepared.project;
    let released = release(
        &prepared.loaded,
        &prepared.scope,
        prepared.loaded.variables(&prepared.scope, &project.risk.keys),
        &prepared.path,
        ReadOptions { delimiter: project.delimiter },
        Changes::from(&file),
        &ReleaseAs {
            target: &out,
            overwrite,
            shuffle: project.release.shuffle.unwrap_or(false).then_some(chosen.seed),
            drop: &project.release.drop,
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
    give(&answer, json)?;
    next(&verify_line(&prepared.path, &out, project));
    Ok(if answer.plan.left() > 0 { Outcome::GateNotMet } else { Outcome::Done })
}

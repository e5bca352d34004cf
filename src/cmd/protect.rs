//! `protect`: the whole job in one go.

use std::path::{Path, PathBuf};

use marginswap_core::diagnostic::{Code, Diagnostic};
use marginswap_io::{Overwrite, ReadOptions, Secrecy, check_outputs, write_atomic, write_plan};
use marginswap_pipeline::account::{self, Reveal, Subject};
use marginswap_pipeline::answer;
use marginswap_pipeline::notes::{Note, Run};
use marginswap_pipeline::prepare::prepare;
use marginswap_pipeline::release::{ReleaseAs, release};
use marginswap_pipeline::seed::SeedFrom;
use marginswap_report::pictures::waterfall;

use crate::args::ProtectArgs;
use crate::cmd::report::{internal, write_external, write_internal};
use crate::output::{Outcome, give, next, paths, talk};
use crate::setup::Setup;

/// How a job is carried out beside its settings.
pub struct Request {
    pub seed: SeedFrom,
    pub overwrite: Overwrite,
    pub svg: Option<PathBuf>,
    pub json: bool,
}

/// Plans, writes the released file, recounts it and gives it its name.
pub fn run(args: &ProtectArgs) -> Result<Outcome, Diagnostic> {
    let request = Request {
        seed: SeedFrom::flags(args.job.seed_file.as_deref(), args.job.demo_seed),
        overwrite: Overwrite::from_force(args.job.force.force),
        svg: args.svg.clone(),
        json: args.job.answer.json,
    };
    args.settings.run(|setup, run| carry_out(setup, request, run))
}

/// Does what a request asks for.
pub fn carry_out(
    setup: &Setup,
    request: Request,
    run: &mut Run<'_>,
) -> Result<Outcome, Diagnostic> {
    let Request { seed, overwrite, svg, json } = request;
    let project = setup.project.clone();
    let out = setup.released()?;
    let plan_path = project.release.plan.clone();
    let pages = project.report.clone();
    let outputs = [
        Some(&out),
        plan_path.as_ref(),
        pages.internal.as_ref(),
        pages.external.as_ref(),
        svg.as_ref(),
    ];
    let outputs: Vec<&Path> = outputs.into_iter().flatten().map(PathBuf::as_path).collect();
    check_outputs(&outputs, &paths(&setup.inputs(seed.file())), overwrite)?;
    let prepared = prepare(project, run)?;
    let chosen = seed.choose(run)?;
    let planned = prepared.plan(chosen.seed)?;
    let project = &prepared.project;
    let released = release(
        &prepared.loaded,
        &prepared.scope,
        prepared.loaded.variables(&prepared.scope, &project.risk.keys),
        &prepared.path,
        ReadOptions { delimiter: project.delimiter },
        &planned.plan,
        &ReleaseAs {
            target: &out,
            overwrite,
            shuffle: project.release.shuffle.unwrap_or(false).then_some(chosen.seed),
            drop: &project.release.drop,
        },
        run,
    )?;
    let exposure = released.verification().claims.expect("a job has keys");
    let report = prepared.report(&planned, &exposure, chosen.not_for_release);
    prepared.note_a_missed_rate(&report, run);
    let has_pages = pages.internal.is_some() || pages.external.is_some();
    let mut file = None;
    if plan_path.is_some() || has_pages {
        file = Some(prepared.plan_file(&planned, &report)?);
    }
    if let (Some(path), Some(file)) = (&plan_path, &file) {
        write_plan(path, overwrite, file)?;
        talk(&format!(
            "{} holds the plan: SECRET, whoever has it can undo the swaps",
            path.display()
        ));
    }
    let answer = answer::protect(report, out.display().to_string(), released.verification());
    released.publish()?;
    if let Some(path) = &svg {
        let picture = waterfall::draw("", &answer.plan.coverage()).file();
        write_atomic(path, overwrite, Secrecy::Secret, |out| out.write_all(picture.as_bytes()))?;
        talk(&format!("{} holds the picture", path.display()));
    }
    let line = setup.verify_line(project);
    if let Some(file) = file.filter(|_| has_pages) {
        let (project, before) = (project.clone(), prepared.path.clone());
        // The pages count everything anew from the files.
        drop(prepared);
        let subject = Subject {
            project: &project,
            before: &before,
            after: &out,
            plan: Some((plan_path.unwrap_or_else(|| PathBuf::from("PLAN")), &file)),
            shuffled: project.release.shuffle == Some(true),
            seed: Some(chosen.seed),
        };
        if let Some(page) = &pages.internal {
            let report = internal(setup, &subject, Reveal::Counts, run)?;
            write_internal(page, overwrite, &report.html())?;
        }
        if let Some(page) = &pages.external {
            match account::external(&subject, run) {
                Ok(report) => write_external(page, overwrite, &report)?,
                // The file is released; that there is nothing to tell of it is not its fault.
                Err(error) if error.code == Code::NothingToTell => {
                    run.note(Note::PageNotWritten { path: page.clone(), why: error.detail });
                }
                Err(error) => return Err(error),
            }
        }
    }
    give(&answer, json)?;
    next(&line);
    Ok(if answer.plan.left() > 0 { Outcome::GateNotMet } else { Outcome::Done })
}

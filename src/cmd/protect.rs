//! `protect`: the whole job in one go.

use std::path::{Path, PathBuf};

use marginswap_core::diagnostic::Diagnostic;
use marginswap_io::{Finished, Overwrite, Secrecy, check_outputs, plan_bytes};
use marginswap_pipeline::answer;
use marginswap_pipeline::notes::{Note, Phase, Run};
use marginswap_pipeline::pages;
use marginswap_pipeline::pipeline::{Job, protect};
use marginswap_pipeline::project::Project;
use marginswap_pipeline::release::{ReleaseAs, note_other_plans, note_other_releases, stage};
use marginswap_pipeline::seed::SeedFrom;
use marginswap_report::pictures::waterfall;
use marginswap_report::plan::ProtectReport;
use marginswap_report::protection::Verdict;

use crate::args::ProtectArgs;
use crate::cmd::report::replay;
use crate::output::{Outcome, give, next, outcome_of, paths, talk};
use crate::setup::Setup;

/// How a job is carried out beside its settings.
pub struct Request {
    pub seed: SeedFrom,
    pub overwrite: Overwrite,
    pub svg: Option<PathBuf>,
    pub json: bool,
}

/// Plans, writes the released file, compares it with the original and gives it its name.
pub fn run(args: &ProtectArgs) -> Result<Outcome, Diagnostic> {
    let request = Request {
        seed: SeedFrom::flags(args.job.seed_file.as_deref(), args.job.demo_seed),
        overwrite: Overwrite::from_force(args.job.force.force),
        svg: args.svg.clone(),
        json: args.job.answer.json,
    };
    args.settings.run(|setup, run| carry_out(setup, &request, run).map(outcome_of))
}

/// Does what a request asks for.
pub fn carry_out(
    setup: &Setup,
    request: &Request,
    run: &mut Run<'_>,
) -> Result<Verdict, Diagnostic> {
    let project = &setup.project;
    let out = setup.released()?;
    check_files(setup, request, &out)?;
    let to = ReleaseAs { target: &out, overwrite: request.overwrite, order: project.order() };
    let job = protect(project.clone(), &request.seed, &to, run)?;
    let comparison = &job.certified.comparison;
    let shown = out.display().to_string();
    let answer = answer::protect(job.numbers.clone(), shown, comparison);
    let verdict = answer.judgement.verdict;
    if answer.judgement.is_unchanged() && request.overwrite == Overwrite::Refuse {
        give(&answer, request.json)?;
        next(NOTHING_WRITTEN);
        return Ok(verdict);
    }
    note_other_plans(&out, &job.plan, project.release.plan.as_deref(), run);
    let beside = staged_beside(setup, request, &job, &answer, run)?;
    let comparison = job.certified.publish(beside)?;
    note_other_releases(&comparison, run);
    for (path, what) in written(setup, request) {
        let external = Some(&path) == project.report.external.as_ref();
        let mark = match external && verdict != Verdict::Release {
            true => ": NOT FOR RELEASE",
            false => "",
        };
        talk(&format!("{} is {what}{mark}", path.display()));
    }
    give(&answer, request.json)?;
    next_after_release(setup, project, verdict);
    Ok(verdict)
}

/// What follows where the released file would only be a copy.
pub const NOTHING_WRITTEN: &str =
    "nothing was written: an unchanged copy protects nobody (--force writes it)";

/// What follows a released file.
pub fn next_after_release(setup: &Setup, project: &Project, verdict: Verdict) {
    match verdict {
        Verdict::DoNotRelease => next("do not release this file"),
        Verdict::Release | Verdict::Review => next(&setup.verify_line(project)),
    }
}

/// Looks at all files before any work is done.
fn check_files(setup: &Setup, request: &Request, out: &Path) -> Result<(), Diagnostic> {
    let mut outputs: Vec<&Path> = vec![out];
    let others = written(setup, request);
    outputs.extend(others.iter().map(|(path, _)| path.as_path()));
    check_outputs(&outputs, &paths(&setup.inputs(request.seed.file())), request.overwrite)
}

/// What is written beside the released file, and what each file is.
fn written(setup: &Setup, request: &Request) -> Vec<(PathBuf, &'static str)> {
    let (release, report) = (&setup.project.release, &setup.project.report);
    let files = [
        (&release.plan, "the plan: SECRET, it undoes the protection"),
        (&report.internal, "the internal report: INTERNAL, for those who decide"),
        (&report.external, "the external report"),
        (&request.svg, "the picture"),
    ];
    files.into_iter().filter_map(|(path, what)| Some((path.clone()?, what))).collect()
}

/// Everything beside the released file, complete and not yet named.
fn staged_beside(
    setup: &Setup,
    request: &Request,
    job: &Job,
    answer: &ProtectReport,
    run: &mut Run<'_>,
) -> Result<Vec<Finished>, Diagnostic> {
    let (release, report) = (&setup.project.release, &setup.project.report);
    let overwrite = request.overwrite;
    let comparison = &job.certified.comparison;
    let mut staged = Vec::new();
    if let Some(path) = &release.plan {
        staged.push(stage(path, overwrite, Secrecy::Secret, &plan_bytes(&job.plan))?);
    }
    if let Some(path) = &request.svg {
        let picture = waterfall::draw("", &answer.plan.coverage()).file();
        staged.push(stage(path, overwrite, Secrecy::Secret, picture.as_bytes())?);
    }
    if report.internal.is_some() || report.external.is_some() {
        run.begin(Phase::Reporting)?;
    }
    if let Some(path) = &report.internal {
        let plan = (release.plan.clone().unwrap_or_else(|| "PLAN".into()), &job.plan);
        let mut page =
            pages::internal(comparison, Some((&plan.0, plan.1)), answer::Reveal::Counts)?;
        page.replay = replay(setup, comparison, Some(&plan.0));
        staged.push(stage(path, overwrite, Secrecy::Secret, page.html().as_bytes())?);
    }
    if let Some(path) = &report.external {
        match pages::external(comparison, job.seed.not_for_release) {
            Ok(page) => {
                staged.push(stage(path, overwrite, Secrecy::Plain, page.html().as_bytes())?);
            }
            Err(why) => run.note(Note::PageNotWritten { path: path.clone(), why: why.detail }),
        }
    }
    Ok(staged)
}

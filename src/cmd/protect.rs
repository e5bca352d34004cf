//! `protect`: the whole job in one go.

use std::path::{Path, PathBuf};

use marginswap_core::diagnostic::Diagnostic;
use marginswap_io::{Finished, Overwrite, Secrecy, plan_bytes_sealed};
use marginswap_pipeline::answer;
use marginswap_pipeline::notes::{Note, Phase, Run};
use marginswap_pipeline::pages;
use marginswap_pipeline::pipeline::{Job, protect};
use marginswap_pipeline::project::Project;
use marginswap_pipeline::release::{ReleaseAs, note_other_plans, note_other_releases, stage};
use marginswap_pipeline::seal::SealFrom;
use marginswap_pipeline::seed::SeedFrom;
use marginswap_report::pictures::waterfall;
use marginswap_report::plan::ProtectReport;
use marginswap_report::protection::Verdict;

use crate::advised::add_commands;
use crate::args::ProtectArgs;
use crate::cmd::report::replay;
use crate::output::{Outcome, ends_once_named, give, marked, missing, next, outcome_of, talk};
use crate::setup::Setup;

/// How a job is carried out apart from its settings.
pub struct Request {
    pub seed: SeedFrom,
    pub seal: SealFrom,
    pub overwrite: Overwrite,
    pub svg: Option<PathBuf>,
    pub json: bool,
    pub gate: Gate,
}

/// Does the verdict decide how the command ends?
pub enum Gate {
    Decides,
    /// It is known before: a demonstration is never for release.
    Known,
}

/// Plans, writes the released file, compares it with the original and gives it its name.
pub fn run(args: &ProtectArgs) -> Result<Outcome, Diagnostic> {
    let request = Request {
        seed: SeedFrom::flags(args.job.seed_file.as_deref(), args.job.demo_seed),
        seal: SealFrom(args.job.seal_file.clone()),
        overwrite: Overwrite::from_force(args.job.force.force),
        svg: args.svg.clone(),
        json: args.job.answer.json,
        gate: Gate::Decides,
    };
    args.settings.run(|setup, run| protect_as_asked(setup, &request, run))
}

impl Request {
    /// How the command ends with this verdict.
    pub fn outcome(&self, verdict: Verdict) -> Outcome {
        match self.gate {
            Gate::Decides => outcome_of(verdict),
            Gate::Known => Outcome::Done,
        }
    }
}

/// Does what a request asks for.
pub fn protect_as_asked(
    setup: &Setup,
    request: &Request,
    run: &mut Run<'_>,
) -> Result<Outcome, Diagnostic> {
    let project = &setup.project;
    let out = setup.released()?;
    if request.seal.file().is_some() && project.release.plan.is_none() {
        return Err(missing("a seal is put on a plan, and no plan is kept", "name it with --plan"));
    }
    check_files(setup, request, &out, run)?;
    let to = ReleaseAs { target: &out, overwrite: request.overwrite, order: project.order() };
    let mut job = protect(project.clone(), &request.seed, &to, run)?;
    let comparison = &job.certified.comparison;
    let shown = out.display().to_string();
    let mut answer = answer::protect(job.numbers.clone(), shown, comparison);
    add_commands(&mut answer.verify.advice, setup, project);
    let verdict = answer.verify.judgement.verdict;
    if answer.verify.judgement.is_unchanged() && request.overwrite == Overwrite::Refuse {
        give(&answer, request.json)?;
        next(NOTHING_WRITTEN);
        return Ok(request.outcome(verdict));
    }
    note_other_plans(&out, &job.plan, project.release.plan.as_deref(), run);
    let mut beside: Vec<Finished> = job.seed.new_file.take().into_iter().collect();
    beside.extend(staged_beside(setup, request, &job, &answer, run)?);
    ends_once_named(request.outcome(verdict));
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
    Ok(request.outcome(verdict))
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
fn check_files(
    setup: &Setup,
    request: &Request,
    out: &Path,
    run: &mut Run<'_>,
) -> Result<(), Diagnostic> {
    let mut outputs: Vec<Option<&Path>> = vec![Some(out)];
    let others = written(setup, request);
    outputs.extend(others.iter().map(|(path, _)| Some(path.as_path())));
    let own =
        ["release.out", "release.households", "release.plan", "report.internal", "report.external"];
    let inputs = [request.seed.file(), request.seal.file()];
    setup.guard(&outputs, &own, &inputs, request.overwrite, run)
}

/// What is written next to the released file, and what each file is.
fn written(setup: &Setup, request: &Request) -> Vec<(PathBuf, &'static str)> {
    let (release, report) = (&setup.project.release, &setup.project.report);
    let files = [
        (&release.households, "the released file of households"),
        (&release.plan, "the plan: SECRET, it undoes the protection"),
        (&report.internal, "the internal report: INTERNAL, for those who decide"),
        (&report.external, "the external report"),
        (&request.svg, "the picture"),
    ];
    files.into_iter().filter_map(|(path, what)| Some((path.clone()?, what))).collect()
}

/// Everything next to the released file, complete and not yet named.
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
        let sealing = request.seal.for_planning()?;
        let bytes = plan_bytes_sealed(&job.plan, sealing.key.as_ref());
        staged.extend(sealing.new_file);
        staged.push(stage(path, overwrite, Secrecy::Secret, &bytes)?);
    }
    if let Some(path) = &request.svg {
        let picture = waterfall::draw("", &answer.plan.coverage());
        let text = marked(picture, job.seed.not_for_release).file();
        staged.push(stage(path, overwrite, Secrecy::Secret, text.as_bytes())?);
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

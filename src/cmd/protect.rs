//! `protect`: the whole job in one go.

use std::path::{Path, PathBuf};

use marginswap_core::diagnostic::Diagnostic;
use marginswap_io::Overwrite;
use marginswap_pipeline::answer;
use marginswap_pipeline::job::{Release, protect};
use marginswap_pipeline::notes::Run;
use marginswap_pipeline::outputs::Outputs;
use marginswap_pipeline::project::Project;
use marginswap_pipeline::seal::SealFrom;
use marginswap_pipeline::seed::SeedFrom;
use marginswap_report::certificate::CertifiedReport;
use marginswap_report::protection::Verdict;

use crate::advised::add_commands;
use crate::args::ProtectArgs;
use crate::cmd::report::{Kept, replay};
use crate::output::{Outcome, ends_once_named, give, missing, next, outcome_of, talk};
use crate::setup::Setup;

/// How a job is carried out apart from its settings.
pub struct Request {
    pub seed: SeedFrom,
    pub seal: SealFrom,
    pub overwrite: Overwrite,
    pub svg: Option<PathBuf>,
    pub json: bool,
    /// The next step, where it is not the usual one.
    pub next: Option<String>,
}

/// Plans, writes the released file, compares it with the original and gives it its name.
pub fn run(args: &ProtectArgs) -> Result<Outcome, Diagnostic> {
    let request = Request {
        seed: SeedFrom::flags(args.job.seed_file.as_deref(), args.job.demo_seed),
        seal: SealFrom(args.job.seal_file.clone()),
        overwrite: Overwrite::from_force(args.job.force.force),
        svg: args.svg.clone(),
        json: args.job.answer.json,
        next: None,
    };
    args.settings.run(|setup, run| protect_as_asked(setup, &request, run))
}

/// Does what a request asks for.
pub fn protect_as_asked(
    setup: &Setup,
    request: &Request,
    run: &mut Run<'_>,
) -> Result<Outcome, Diagnostic> {
    let project = &setup.project;
    setup.released()?;
    if request.seal.file().is_some() && project.release.plan.is_none() {
        return Err(missing(
            "--seal-file needs a plan to seal, and none is kept",
            "name it with --plan",
        ));
    }
    let kept = Kept { plan: project.release.plan.as_deref(), seed: request.seed.file().is_some() };
    let repeat = |comparison: &_| replay(setup, comparison, &kept);
    let outputs = Outputs {
        seal: request.seal.clone(),
        picture: request.svg.clone(),
        replay: Some(&repeat),
        ..Outputs::of(project, request.overwrite)
    };
    let own =
        ["release.out", "release.households", "release.plan", "report.internal", "report.external"];
    let inputs = [request.seed.file(), request.seal.file()];
    let households = [project.release.households.as_deref()];
    let all: Vec<Option<&Path>> = outputs.paths().into_iter().chain(households).collect();
    setup.guard(&all, &own, &inputs, request.overwrite, run)?;
    let mut release = protect(project, &request.seed, &outputs, run)?;
    if release.certificate.is_some() {
        return certified(setup, request, release, run);
    }
    let mut answer = release.answer().expect("the job has planned");
    add_commands(&mut answer.verify.advice, setup, project);
    let verdict = answer.verify.judgement.verdict;
    if release.is_copy() {
        give(&answer, request.json)?;
        next(NOTHING_WRITTEN);
        return Ok(outcome_of(verdict));
    }
    ends_once_named(outcome_of(verdict));
    release.publish(run)?;
    for (path, what) in written(setup, request) {
        let external = Some(&path) == project.report.external.as_ref();
        let mark = match external && verdict != Verdict::Release {
            true => ": NOT FOR RELEASE",
            false => "",
        };
        talk(&format!("{} is {what}{mark}", path.display()));
    }
    give(&answer, request.json)?;
    match &request.next {
        Some(step) => next(step),
        None => next_after_release(setup, project, verdict),
    }
    Ok(outcome_of(verdict))
}

/// Names and tells what a mechanism did.
fn certified(
    setup: &Setup,
    request: &Request,
    mut release: Release,
    run: &mut Run<'_>,
) -> Result<Outcome, Diagnostic> {
    let mut verify = answer::verify(&release.comparison);
    add_commands(&mut verify.advice, setup, &setup.project);
    let outcome = outcome_of(verify.judgement.verdict);
    ends_once_named(outcome);
    release.publish(run)?;
    for (path, what) in written(setup, request) {
        talk(&format!("{} is {what}", path.display()));
    }
    let certificate = release.certificate.as_ref().expect("a mechanism gives a certificate");
    give(&CertifiedReport { certificate, internal: &verify }, request.json)?;
    next("decide whether certified is enough: nobody is hidden by this");
    Ok(outcome)
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

//! `report`: a release on one page, for those who decide or for everybody.

use std::path::{Path, PathBuf};

use marginswap_core::diagnostic::{Code, Diagnostic};
use marginswap_io::{
    Overwrite, PlanFile, Secrecy, check_not_input, check_target, read_plan, write_atomic,
};
use marginswap_report::page::{ExternalReport, InternalReport, Verdict};

use crate::args::ReportArgs;
use crate::output::{Outcome, give, missing, next, talk};
use crate::setup::Setup;
use marginswap_pipeline::account::{self, Evidence, Reveal, Subject};
use marginswap_pipeline::notes::Run;
use marginswap_pipeline::prepare::data_of;
use marginswap_pipeline::project::{Project, Release, Risky};
use marginswap_pipeline::seed::SeedFrom;

/// Counts everything anew and writes the page.
pub fn run(args: &ReportArgs) -> Result<Outcome, Diagnostic> {
    let own = Project {
        data: args.before.clone(),
        release: Release { out: args.after.clone(), ..Release::default() },
        ..Project::default()
    };
    args.settings.run_with(own, |setup, run| report(args, setup, run))
}

fn report(args: &ReportArgs, setup: &Setup, run: &mut Run<'_>) -> Result<Outcome, Diagnostic> {
    let file = setup.file_project().expanded();
    let plan_path = setup.flags().release.plan.clone().or_else(|| {
        file.release.plan.clone().filter(|plan| args.before.is_none() && plan.exists())
    });
    let plan = plan_path.map(|path| read_plan(&path).map(|plan| (path, plan))).transpose()?;
    let project = project(args, file, setup.flags(), plan.as_ref())?;
    let before = data_of(&project)?;
    let after = project.release.out.clone().ok_or_else(|| {
        missing(
            "no released file is named",
            "name it behind the original, or as `out` under [release]",
        )
    })?;
    let wanted = if args.external { &project.report.external } else { &project.report.internal };
    let out = args.out.clone().or_else(|| wanted.clone()).ok_or_else(|| {
        missing(
            "no page to write is named",
            "name it with -o, or under [report] in the project file",
        )
    })?;
    let overwrite = Overwrite::from_force(args.force.force);
    check_page(&out, overwrite, &[&before, &after])?;
    if let Some((path, _)) = &plan {
        check_not_input(&out, path)?;
    }
    let seed = match (&args.seed_file, args.demo_seed) {
        (None, None) => None,
        (Some(path), _) if !path.exists() => {
            let remedy = "name the seed file of the run that shuffled the file";
            return Err(Diagnostic::new(Code::FileMissing, "no such file", remedy).in_file(path));
        }
        (path, demo) => Some(SeedFrom::flags(path.as_deref(), demo).choose(run)?.seed),
    };
    let subject = Subject {
        project: &project,
        before: &before,
        after: &after,
        plan: plan.as_ref().map(|(path, plan)| (path.clone(), plan)),
        shuffled: args.shuffled || project.release.shuffle == Some(true),
        seed,
    };
    if args.external {
        let report = account::external(&subject, run)?;
        write_external(&out, overwrite, &report)?;
        give(&report, args.answer.json)?;
        if !report.is_releasable() {
            next("do not release this file; make it anew with a seed that nobody knows");
            return Ok(Outcome::GateNotMet);
        }
        next(
            "read the page, and publish it with the file when the internal report lets the file go",
        );
        return Ok(Outcome::Done);
    }
    let reveal = if args.reveal { Reveal::Records } else { Reveal::Counts };
    let report = internal(setup, &subject, reveal, run)?;
    write_internal(&out, overwrite, &report.html())?;
    give(&report, args.answer.json)?;
    match report.verdict {
        Verdict::Stop => next("do not release this file"),
        _ => next("the same with --external writes the page that may be published"),
    }
    Ok(if report.verdict == Verdict::Ready { Outcome::Done } else { Outcome::GateNotMet })
}

/// May a page be written there?
pub fn check_page(out: &Path, overwrite: Overwrite, inputs: &[&Path]) -> Result<(), Diagnostic> {
    check_target(out, overwrite)?;
    inputs.iter().try_for_each(|input| check_not_input(out, input))
}

/// Writes the page for those who decide, readable for its owner alone.
pub fn write_internal(out: &Path, overwrite: Overwrite, page: &str) -> Result<(), Diagnostic> {
    write_atomic(out, overwrite, Secrecy::Secret, |file| file.write_all(page.as_bytes()))?;
    talk(&format!("{} is the report: INTERNAL, for those who decide", out.display()));
    Ok(())
}

/// Writes the page for everybody.
pub fn write_external(
    out: &Path,
    overwrite: Overwrite,
    report: &ExternalReport,
) -> Result<(), Diagnostic> {
    let page = report.html();
    write_atomic(out, overwrite, Secrecy::Plain, |file| file.write_all(page.as_bytes()))?;
    talk(&match report.is_releasable() {
        true => format!("{} is the report that may be published", out.display()),
        false => format!("{} shows the report to be published: NOT FOR RELEASE", out.display()),
    });
    Ok(())
}

/// What the plan says, then what the project file says, then the flags.
fn project(
    args: &ReportArgs,
    file: Project,
    flags: &Project,
    plan: Option<&(PathBuf, PlanFile)>,
) -> Result<Project, Diagnostic> {
    let mut base = Project::default();
    if let Some((path, plan)) = plan {
        let parameters = &plan.header.parameters;
        base = Project::from_parameters(parameters).ok_or_else(|| {
            Diagnostic::new(
                Code::NoPlan,
                "its parameters are not those of a plan",
                "make the plan anew",
            )
            .in_file(path)
        })?;
        let rule = parameters["risky"].as_str().unwrap_or_default();
        base.risk.risky = rule.parse::<Risky>().ok();
        let known = [&flags.risk.risky, &file.risk.risky, &base.risk.risky];
        if !args.external && known.iter().all(|risky| risky.is_none()) {
            return Err(missing(
                "the plan protects the records that a file names, and does not hold that file",
                "name it with --risky records:FILE",
            )
            .in_file(path));
        }
    }
    let mut file = file;
    if base.risk.risky.is_some() {
        // The plan says for whom it was made; the project file may have changed since.
        file.risk = marginswap_pipeline::project::Risk::default();
    }
    Ok(base.merge(file).merge(flags.clone()))
}

/// The page for those who decide, with the lines that repeat the run.
pub fn internal(
    setup: &Setup,
    subject: &Subject<'_>,
    reveal: Reveal,
    run: &mut Run<'_>,
) -> Result<InternalReport, Diagnostic> {
    let (mut report, evidence) = account::internal(subject, reveal, run)?;
    report.replay = replay(setup, subject, &evidence);
    Ok(report)
}

/// The commands that do it again.
fn replay(setup: &Setup, subject: &Subject<'_>, evidence: &Evidence) -> Vec<String> {
    let Subject { before, after, plan, .. } = subject;
    // What the files show, and not who asked: `protect` and `report` give the same lines.
    let mut project = subject.project.clone();
    project.data = Some((*before).to_owned());
    project.release.out = Some((*after).to_owned());
    project.release.shuffle = evidence.shuffled.then_some(true);
    project.release.drop.clone_from(&evidence.dropped);
    project.release.plan = plan.as_ref().map(|(path, _)| path.clone());
    let seed = Path::new("SEED");
    let mut lines = Vec::new();
    if plan.is_some() {
        lines.push(setup.apply_line(&project, Some(seed)));
    }
    lines.push(setup.verify_line(&project));
    let mut line = setup.report_line(&project);
    if evidence.shuffled && plan.is_some() {
        line.flag("--shuffled").option("--seed-file", "SEED");
    }
    lines.push(line.option("-o", "report.html").to_string());
    lines
}

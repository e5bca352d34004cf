//! `report`: a release on one page, for those who decide or for everybody.

use std::path::{Path, PathBuf};

use marginswap_core::diagnostic::{Code, Diagnostic};
use marginswap_io::{
    Overwrite, PlanFile, Secrecy, check_not_input, check_target, read_plan, write_atomic,
};
use marginswap_report::page::{ExternalReport, InternalReport, Verdict};

use crate::args::ReportArgs;
use crate::output::{self, Line, Outcome, give, next, option_names, talk, typed_path, verify_line};
use crate::settings;
use marginswap_pipeline::account::{self, Evidence, Reveal, Subject};
use marginswap_pipeline::notes::Run;
use marginswap_pipeline::prepare::data_of;
use marginswap_pipeline::project::{Keep, Project, Reports, Risky, Swapping};
use marginswap_pipeline::seed::SeedFrom;

/// Counts everything anew and writes the page.
pub fn run(args: &ReportArgs) -> Result<Outcome, Diagnostic> {
    settings::use_threads(&args.threads)?;
    let run = &mut output::run();
    let file = settings::file(args.project.as_deref())?.expanded();
    let plan_path = args.plan.clone().or_else(|| {
        file.release.plan.clone().filter(|plan| args.before.is_none() && plan.exists())
    });
    let plan = plan_path.map(|path| read_plan(&path).map(|plan| (path, plan))).transpose()?;
    let project = project(args, file, plan.as_ref())?;
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
    let report = internal(&subject, reveal, run)?;
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

fn missing(detail: &str, remedy: &str) -> Diagnostic {
    Diagnostic::new(Code::MissingSetting, detail, remedy)
}

/// What the plan says, then what the project file says, then the flags.
fn project(
    args: &ReportArgs,
    file: Project,
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
        let known = [&args.risky, &file.risk.risky, &base.risk.risky];
        if !args.external && known.iter().all(|risky| risky.is_none()) {
            return Err(missing(
                "the plan protects the records that a file names, and does not hold that file",
                "name it with --risky records:FILE",
            )
            .in_file(path));
        }
    }
    let flags = Project {
        data: args.before.clone(),
        delimiter: settings::delimiter(&args.read)?,
        columns: settings::columns(&args.roles)?,
        keep: Keep { tables: args.keep.clone() },
        risk: settings::risk(&args.keys, args.risky.as_ref(), &args.model)?,
        swap: Swapping {
            linked: settings::groups(&args.linked)?,
            weight: args.weight.clone(),
            ..Swapping::default()
        },
        release: marginswap_pipeline::project::Release {
            out: args.after.clone(),
            ..Default::default()
        },
        report: Reports { watch: args.watch.clone(), ..Reports::default() },
        ..Project::default()
    };
    let mut file = file;
    if base.risk.risky.is_some() {
        // The plan says for whom it was made; the project file may have changed since.
        file.risk = marginswap_pipeline::project::Risk::default();
    }
    Ok(base.merge(file).merge(flags))
}

/// The page for those who decide, with the lines that repeat the run.
pub fn internal(
    subject: &Subject<'_>,
    reveal: Reveal,
    run: &mut Run<'_>,
) -> Result<InternalReport, Diagnostic> {
    let (mut report, evidence) = account::internal(subject, reveal, run)?;
    report.replay = replay(subject, &evidence);
    Ok(report)
}

/// The commands that do it again.
fn replay(subject: &Subject<'_>, evidence: &Evidence) -> Vec<String> {
    let Subject { before, after, plan, .. } = subject;
    // What the files show, and not who asked: `protect` and `report` give the same lines.
    let shuffled = evidence.shuffled;
    let mut project = subject.project.clone();
    project.release.shuffle = shuffled.then_some(true);
    project.release.drop.clone_from(&evidence.dropped);
    let project = &project;
    let mut lines = Vec::new();
    let mut report = Line::new("report", Some(before));
    report.file(after);
    match plan {
        Some((path, _)) => {
            let mut line = Line::new("apply", Some(before));
            line.file(path);
            if shuffled {
                line.flag("--shuffle").option("--seed-file", "SEED");
            }
            if !project.release.drop.is_empty() {
                line.option("--drop", &option_names(&project.release.drop));
            }
            lines.push(line.option("-o", &typed_path(after)).to_string());
            report.option("--plan", &path.display().to_string());
            if let Some(Risky::Records(list)) = &project.risk.risky {
                report.option("--risky", &format!("records:{}", list.display()));
            }
            if shuffled {
                report.flag("--shuffled").option("--seed-file", "SEED");
            }
        }
        None => {
            report.comparison(project);
            if let Some(risky) = &project.risk.risky {
                report.option("--risky", &risky.to_string());
            }
        }
    }
    for table in &project.report.watch {
        report.option("--watch", table);
    }
    lines.push(verify_line(before, after, project));
    lines.push(report.option("-o", "report.html").to_string());
    lines
}

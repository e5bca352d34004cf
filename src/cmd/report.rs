//! `report`: a release on one page, for those who decide or for everybody.

use std::path::{Path, PathBuf};

use marginswap_core::diagnostic::Diagnostic;
use marginswap_io::{Overwrite, PlanFile, Seal, Secrecy, read_plan_sealed};
use marginswap_pipeline::answer::Reveal;
use marginswap_pipeline::compare::{Comparison, Evidence, Lines, Order};
use marginswap_pipeline::job::compare;
use marginswap_pipeline::notes::{Note, Run};
use marginswap_pipeline::outputs::stage;
use marginswap_pipeline::pages;
use marginswap_pipeline::project::{Project, Release, ReleaseOrder, Risk, Risky};
use marginswap_pipeline::release::check_page_ending;
use marginswap_pipeline::seal::SealFrom;
use marginswap_pipeline::seed::SeedFrom;
use marginswap_report::protection::Verdict;

use crate::advised::add_commands;
use crate::args::ReportArgs;
use crate::cmd::apply::seed_is_there;
use crate::cmd::verify::MAKES_RELEASED;
use crate::output::{Outcome, commit, give, missing, next, outcome_of, talk};
use crate::setup::Setup;

/// Counts everything from the two files and writes the page.
pub fn run(args: &ReportArgs) -> Result<Outcome, Diagnostic> {
    let own = Project {
        data: args.before.clone(),
        release: Release { out: args.after.clone(), ..Release::default() },
        ..Project::default()
    };
    args.settings.run_with(own, |setup, run| report(args, setup, run))
}

fn report(args: &ReportArgs, setup: &Setup, run: &mut Run<'_>) -> Result<Outcome, Diagnostic> {
    let plan_path = setup.flags().release.plan.clone().or_else(|| {
        let known = setup.file_project().release.plan.as_ref();
        known.filter(|plan| args.before.is_none() && plan.exists()).cloned()
    });
    let seal = SealFrom(args.seal_file.clone());
    let key = seal.for_reading()?;
    let plan = match plan_path {
        Some(path) => {
            let (plan, sealed) = read_plan_sealed(&path, key.as_ref())?;
            if sealed == Seal::Unchecked {
                run.note(Note::SealUnchecked);
            }
            Some((path, plan))
        }
        None => None,
    };
    let project = project(args, setup, plan.as_ref())?;
    let after = project.release.out.clone().ok_or_else(|| {
        missing(
            "no released file is named",
            "name it behind the original, or as `out` under [release]",
        )
    })?;
    setup.made_by(&after, MAKES_RELEASED)?;
    let wanted = if args.external { &project.report.external } else { &project.report.internal };
    let out = args.out.clone().or_else(|| wanted.clone()).ok_or_else(|| {
        missing(
            "no page to write is named",
            "name it with -o, or under [report] in the project file",
        )
    })?;
    let overwrite = Overwrite::from_force(args.force.force);
    let own = if args.external { "report.external" } else { "report.internal" };
    let read = plan.as_ref().map(|(path, _)| path.as_path());
    let inputs = [args.seed_file.as_deref(), seal.file(), project.data.as_deref(), read];
    setup.guard(&[Some(&out)], &[own], &inputs, overwrite, run)?;
    check_page_ending(&out, "a report is a page in HTML", &["html", "htm"])?;
    let seed = match (&args.seed_file, args.demo_seed) {
        (None, None) => None,
        (path, demo) => {
            path.as_deref().map_or(Ok(()), seed_is_there)?;
            Some(SeedFrom::flags(path.as_deref(), demo).choose(run)?.seed)
        }
    };
    let planned_with_one = plan.as_ref().is_some_and(|(_, plan)| plan.header.not_for_release);
    let demo_seed = planned_with_one || args.demo_seed.is_some();
    let evidence = Evidence {
        plan: plan.as_ref().map(|(path, plan)| (path, plan)),
        seed,
        lines: Lines::told(args.shuffled, &project),
        demo_seed,
        ..Evidence::default()
    };
    let comparison = compare(&project, &after, &evidence, run)?;
    if args.external {
        return external(args, &comparison, demo_seed, &out, overwrite);
    }
    let reveal = if args.reveal { Reveal::Everything } else { Reveal::Counts };
    let mut page = pages::internal(&comparison, evidence.plan, reveal)?;
    add_commands(&mut page.verify.advice, setup, &setup.project);
    let kept =
        Kept { plan: evidence.plan.map(|(path, _)| &**path), seed: args.seed_file.is_some() };
    page.replay = replay(setup, &comparison, &kept);
    let outcome = outcome_of(page.verify.judgement.verdict);
    commit(vec![stage(&out, overwrite, Secrecy::Secret, page.html().as_bytes())?], outcome)?;
    talk(&format!("{} is the internal report: INTERNAL, for those who decide", out.display()));
    give(&page, args.answer.json)?;
    next(match page.verify.judgement.verdict {
        Verdict::Release => "the same with --external writes the report that may be published",
        Verdict::Review => "have the reasons reviewed; until then, do not release",
        Verdict::DoNotRelease => "do not release this file",
    });
    Ok(outcome)
}

fn external(
    args: &ReportArgs,
    comparison: &Comparison,
    demo_seed: bool,
    out: &Path,
    overwrite: Overwrite,
) -> Result<Outcome, Diagnostic> {
    let page = pages::external(comparison, demo_seed)?;
    let outcome = if page.is_releasable() { Outcome::Done } else { Outcome::GateNotMet };
    commit(vec![stage(out, overwrite, Secrecy::Plain, page.html().as_bytes())?], outcome)?;
    talk(&match page.is_releasable() {
        true => format!("{} is the external report", out.display()),
        false => {
            format!("{} shows what an external report looks like: NOT FOR RELEASE", out.display())
        }
    });
    give(&page, args.answer.json)?;
    if !page.is_releasable() {
        next(match demo_seed {
            true => "do not release this file; make it again with a seed that nobody knows",
            false => "do not publish this page; the report without --external has the reasons",
        });
        return Ok(Outcome::GateNotMet);
    }
    next("read the page, and publish it with the file");
    Ok(Outcome::Done)
}

/// What the plan says, then what the project file says, then the flags.
fn project(
    args: &ReportArgs,
    setup: &Setup,
    plan: Option<&(PathBuf, PlanFile)>,
) -> Result<Project, Diagnostic> {
    let (mut file, flags) = (setup.file_project().clone().expanded(), setup.flags());
    let mut base = Project::default();
    if let Some((path, plan)) = plan {
        base = Project::of_plan(plan).map_err(|refusal| refusal.in_file(path))?;
        let known = [&flags.risk.risky, &file.risk.risky, &base.risk.risky];
        if !args.external && known.iter().all(|risky| risky.is_none()) {
            return Err(missing(
                "the plan protects the records that a file names, and does not hold that file",
                "name it with --risky records:FILE",
            )
            .in_file(path));
        }
    }
    if base.risk.risky.is_some() {
        // The plan says for whom it was made; the project file may have changed since.
        file.risk = Risk::default();
    }
    Ok(base.merge(file).merge(flags.clone()).with_files_of(&setup.project))
}

/// What of a run was kept, so that it can be done again.
pub struct Kept<'a> {
    pub plan: Option<&'a Path>,
    /// Is there a seed file?
    pub seed: bool,
}

/// The commands that do it again, as far as what was kept allows. They tell what the files show,
/// and not who asked: `protect` and `report` give the same lines.
pub fn replay(setup: &Setup, comparison: &Comparison, kept: &Kept<'_>) -> Vec<String> {
    let mut project = comparison.original.people().project.typed().clone();
    project.release.out = Some(comparison.released.0.clone());
    let shuffled = comparison.order != Order::Input;
    project.release.order = (!shuffled).then_some(ReleaseOrder::Input);
    project.release.drop.clone_from(&comparison.dropped);
    project.release.plan = kept.plan.map(Path::to_owned);
    let seed = kept.seed.then_some("SEED");
    let mut lines = Vec::new();
    if kept.plan.is_some() {
        lines.push(setup.apply_line(&project, seed.map(Path::new)));
    }
    lines.push(setup.verify_line(&project));
    let list = matches!(project.risk.risky, Some(Risky::Records(_)));
    if kept.plan.is_some() && !list {
        // The plan says who is at risk, whatever the project file says.
        project.risk.risky = setup.file_project().clone().expanded().risk.risky;
    }
    let mut line = setup.report_line(&project);
    if let (true, true, Some(seed)) = (shuffled, kept.plan.is_some(), seed) {
        line.option("--seed-file", seed);
    }
    lines.push(line.option("-o", "report.html").to_string());
    lines
}

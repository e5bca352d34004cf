//! `frontier`: several plans, risk against change, and the best of them.

use marginswap_core::diagnostic::Diagnostic;
use marginswap_io::{Finished, Overwrite, Secrecy};
use marginswap_pipeline::frontier::frontier;
use marginswap_pipeline::notes::Run;
use marginswap_pipeline::outputs::{marked, stage_plan};
use marginswap_pipeline::seal::SealFrom;
use marginswap_pipeline::seed::SeedFrom;
use marginswap_report::pictures::frontier as picture;

use crate::args::FrontierArgs;
use crate::output::{Outcome, Sketch, commit, give, missing, next, talk};
use crate::setup::Setup;

/// Plans for every budget and seed, compares the plans and keeps the chosen one.
pub fn run(args: &FrontierArgs) -> Result<Outcome, Diagnostic> {
    args.settings.run(|setup, run| several_plans(args, setup, run))
}

fn several_plans(
    args: &FrontierArgs,
    setup: &Setup,
    run: &mut Run<'_>,
) -> Result<Outcome, Diagnostic> {
    let plan_file = setup.flags().release.plan.clone();
    let overwrite = Overwrite::from_force(args.job.force.force);
    let seed_file = args.job.seed_file.as_deref();
    let seal = SealFrom(args.job.seal_file.clone());
    if seal.file().is_some() && plan_file.is_none() {
        return Err(missing(
            "--seal-file needs a plan to seal, and none is kept",
            "name it with --plan",
        ));
    }
    let outputs = [plan_file.as_deref(), args.svg.as_deref()];
    let own: &[&str] = if plan_file.is_some() { &["release.plan"] } else { &[] };
    setup.guard(&outputs, own, &[seed_file, seal.file()], overwrite, run)?;
    let sketch = Sketch::new(args.svg.as_ref(), &args.job.force);
    let seed = SeedFrom::flags(seed_file, args.job.demo_seed);
    let tries = (&args.budgets[..], args.seeds.get());
    let seed_is_new = seed_file.is_some_and(|path| !path.exists());
    let found = frontier(&setup.project, &seed, tries, &args.choose, run)?;
    let outcome = if found.plan.is_none() { Outcome::GateNotMet } else { Outcome::Done };
    let drawn = || marked(picture::draw("", &found.report), found.seed.not_for_release);
    let mut files: Vec<Finished> = sketch.stage(Secrecy::Secret, drawn)?.into_iter().collect();
    if let (Some(path), Some(plan)) = (&plan_file, &found.plan) {
        files.extend(stage_plan(path, plan, &seal, overwrite)?);
    }
    files.extend(found.seed.new_file);
    commit(files, outcome)?;
    sketch.tell();
    if let (Some(path), true) = (seed_file, seed_is_new) {
        talk(&format!("{} is the seed of these plans: SECRET, it repeats them", path.display()));
    }
    if let (Some(path), Some(chosen)) = (&plan_file, found.report.chosen) {
        talk(&format!("{} is plan {chosen}: SECRET, it undoes the protection", path.display()));
    }
    give(&found.report, args.job.answer.json)?;
    match (&plan_file, &found.plan) {
        (_, None) => next("raise a budget, try more seeds, or choose by another criterion"),
        (Some(_), _) => next(&setup.apply_line(&found.project, seed_file)),
        (None, _) if seed_file.is_some() || args.job.demo_seed.is_some() => {
            next("the same with --plan FILE keeps the chosen plan");
        }
        (None, _) => next(
            "choose with --seed-file FILE and --plan FILE: these plans cannot be made again, because \
             their seed was not kept",
        ),
    }
    Ok(outcome)
}

//! `frontier`: several plans, risk against change, and the best of them.

use marginswap_core::diagnostic::Diagnostic;
use marginswap_io::{Finished, Overwrite, Secrecy, plan_bytes_sealed};
use marginswap_pipeline::answer;
use marginswap_report::pictures::frontier as picture;

use crate::args::FrontierArgs;
use crate::output::{Outcome, Sketch, commit, give, marked, missing, next, talk};
use crate::setup::Setup;
use marginswap_pipeline::frontier::{Candidate, Cap, best, candidates, seeds};
use marginswap_pipeline::notes::Run;
use marginswap_pipeline::prepare::prepare;
use marginswap_pipeline::project::{Amount, Share};
use marginswap_pipeline::release::stage;
use marginswap_pipeline::seal::SealFrom;
use marginswap_pipeline::seed::SeedFrom;

/// Plans for every budget and seed, compares the plans and keeps the chosen one.
pub fn run(args: &FrontierArgs) -> Result<Outcome, Diagnostic> {
    args.settings.run(|setup, run| frontier(args, setup, run))
}

fn frontier(args: &FrontierArgs, setup: &Setup, run: &mut Run<'_>) -> Result<Outcome, Diagnostic> {
    let project = setup.project.clone();
    let plan_file = setup.flags().release.plan.clone();
    let overwrite = Overwrite::from_force(args.job.force.force);
    let seed_file = args.job.seed_file.as_deref();
    let seal = SealFrom(args.job.seal_file.clone());
    if seal.file().is_some() && plan_file.is_none() {
        return Err(missing("a seal is put on a plan, and no plan is kept", "name it with --plan"));
    }
    let outputs = [plan_file.as_deref(), args.svg.as_deref()];
    let own: &[&str] = if plan_file.is_some() { &["release.plan"] } else { &[] };
    setup.guard(&outputs, own, &[seed_file, seal.file()], overwrite, run)?;
    let sketch = Sketch::new(args.svg.as_ref(), &args.job.force);
    let caps = match (&args.budgets[..], project.swap.budget) {
        ([], None) => {
            let percents =
                [1, 2, 5].map(|percent| Cap(Some(Amount::Share(Share::percent(percent)))));
            percents.into_iter().chain([Cap(None)]).collect()
        }
        ([], Some(budget)) => vec![Cap(Some(budget))],
        (caps, _) => caps.to_vec(),
    };
    let mut prepared = prepare(project, run)?;
    let chosen = SeedFrom::flags(seed_file, args.job.demo_seed).choose(run)?;
    let plans = candidates(&prepared, &caps, &seeds(chosen.seed, args.seeds.get()))?;
    let best = best(&prepared, &plans, args.choose.criterion);
    let report =
        answer::frontier(&prepared, &plans, best, &args.choose.words, chosen.not_for_release);
    let outcome = if best.is_none() { Outcome::GateNotMet } else { Outcome::Done };
    let drawn = || marked(picture::draw("", &report), chosen.not_for_release);
    let mut files: Vec<Finished> = sketch.stage(Secrecy::Secret, drawn)?.into_iter().collect();
    if let (Some(path), Some(best)) = (&plan_file, best) {
        let Candidate { cap, planned, foreseen, .. } = &plans[best];
        prepared.original.project.swap.budget = cap.0;
        let mut numbers = prepared.report(planned, chosen.not_for_release);
        numbers.protection = prepared.protection(foreseen);
        let file = prepared.plan_header().with(planned.clone(), &numbers);
        let sealing = seal.for_planning()?;
        let bytes = plan_bytes_sealed(&file, sealing.key.as_ref());
        files.extend(sealing.new_file);
        files.push(stage(path, overwrite, Secrecy::Secret, &bytes)?);
    }
    files.extend(chosen.new_file);
    commit(files, outcome)?;
    sketch.tell();
    if let (Some(path), Some(best)) = (&plan_file, best) {
        talk(&format!("{} is plan {}: SECRET, it undoes the protection", path.display(), best + 1));
    }
    give(&report, args.job.answer.json)?;
    match (&plan_file, best) {
        (_, None) => next("raise a budget, try more seeds, or choose by another criterion"),
        (Some(_), _) => next(&setup.apply_line(&prepared.original.project, seed_file)),
        (None, _) => next("the same with --plan FILE keeps the chosen plan"),
    }
    Ok(outcome)
}

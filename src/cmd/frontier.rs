//! `frontier`: several plans, risk against change, and the best of them.

use std::path::Path;

use marginswap_core::diagnostic::Diagnostic;
use marginswap_io::{Overwrite, check_outputs, write_plan};
use marginswap_pipeline::answer;
use marginswap_report::pictures::frontier as picture;

use crate::args::FrontierArgs;
use crate::output::{Outcome, Sketch, give, next, paths, talk};
use crate::setup::Setup;
use marginswap_pipeline::frontier::{Candidate, Cap, best, candidates, seeds};
use marginswap_pipeline::notes::Run;
use marginswap_pipeline::prepare::prepare;
use marginswap_pipeline::project::{Amount, Share};
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
    let inputs = setup.inputs(seed_file);
    let outputs = [plan_file.as_deref(), args.svg.as_deref()];
    let outputs: Vec<&Path> = outputs.into_iter().flatten().collect();
    check_outputs(&outputs, &paths(&inputs), overwrite)?;
    let sketch = Sketch::new(args.svg.as_ref(), &args.job.force, &inputs)?;
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
    sketch.draw(|| picture::draw("", &report))?;
    if let (Some(path), Some(best)) = (&plan_file, best) {
        let Candidate { cap, planned, claims, .. } = &plans[best];
        prepared.project.swap.budget = cap.0;
        let numbers = prepared.report(planned, claims, chosen.not_for_release);
        let file = prepared.plan_file(planned, &numbers)?;
        write_plan(path, overwrite, &file)?;
        talk(&format!(
            "{} holds plan {}: SECRET, whoever has it can undo the swaps",
            path.display(),
            best + 1
        ));
    }
    give(&report, args.job.answer.json)?;
    match (&plan_file, best) {
        (_, None) => next("raise a budget, try more seeds, or choose by another criterion"),
        (Some(_), _) => next(&setup.apply_line(&prepared.project, seed_file)),
        (None, _) => next("the same with --plan FILE keeps the chosen plan"),
    }
    Ok(if best.is_none() { Outcome::GateNotMet } else { Outcome::Done })
}

//! `apply`: makes the swaps of a plan. It decides nothing.

use std::path::Path;

use marginswap_core::diagnostic::Diagnostic;
use marginswap_io::{Overwrite, Seal, read_plan_sealed};
use marginswap_pipeline::answer;
use marginswap_pipeline::job::apply;
use marginswap_pipeline::notes::Note;
use marginswap_pipeline::outputs::Outputs;
use marginswap_pipeline::project::{Project, Release};
use marginswap_pipeline::refusal::Code;
use marginswap_pipeline::seal::SealFrom;
use marginswap_pipeline::seed::SeedFrom;

use crate::advised::add_commands;
use crate::args::ApplyArgs;
use crate::cmd::protect::{NOTHING_WRITTEN, next_after_release};
use crate::output::{Outcome, ends_once_named, give, missing, next, outcome_of};

/// Refuses a seed file that would be written anew: it could not repeat anything.
pub fn seed_is_there(path: &Path) -> Result<(), Diagnostic> {
    if path.exists() {
        return Ok(());
    }
    let remedy = "name the seed file of the run, or leave it out";
    Err(Diagnostic::new(Code::FileMissing, "there is no seed file of this name", remedy)
        .in_file(path))
}

/// Follows the plan, compares the file with the original and gives it its name.
pub fn run(args: &ApplyArgs) -> Result<Outcome, Diagnostic> {
    let own = Project {
        data: args.data.clone(),
        release: Release { plan: args.plan.clone(), ..Release::default() },
        ..Project::default()
    };
    args.settings.run_with(own, |setup, run| {
        let overwrite = Overwrite::from_force(args.force.force);
        let out = setup.released()?;
        setup.data()?;
        let told = &setup.project.release;
        let plan_path = told.plan.clone().ok_or_else(|| {
            missing(
                "no plan file is named",
                "name it behind the data, or as `plan` under [release] in the project file",
            )
        })?;
        setup.made_by(&plan_path, "`marginswap plan`")?;
        let seal = SealFrom(args.seal_file.clone());
        if let Some(path) = &args.seed_file {
            seed_is_there(path)?;
        }
        let inputs = [args.seed_file.as_deref(), seal.file()];
        let outputs = [Some(&*out), told.households.as_deref()];
        let own = ["release.out", "release.households"];
        setup.guard(&outputs, &own, &inputs, overwrite, run)?;
        let (plan, sealed) = read_plan_sealed(&plan_path, seal.for_reading()?.as_ref())?;
        if sealed == Seal::Unchecked {
            run.note(Note::SealUnchecked);
        }
        if setup.is_named() {
            plan.check_parameters(&setup.file_project().parameters())?;
        }
        let project =
            setup.project.following(&plan).map_err(|refusal| refusal.in_file(&plan_path))?;
        let seed = SeedFrom::flags(args.seed_file.as_deref(), None);
        let order = setup.project.order();
        let outputs = Outputs { released: Some(out), order, overwrite, ..Outputs::default() };
        let plan = (Some(&*plan_path), plan);
        let mut release = apply(&project, plan, &seed, &outputs, run)?;
        let mut report = answer::verify(&release.comparison);
        add_commands(&mut report.advice, setup, &setup.project);
        let verdict = report.judgement.verdict;
        let outcome = outcome_of(verdict);
        if release.is_copy() {
            give(&report, args.answer.json)?;
            next(NOTHING_WRITTEN);
            return Ok(outcome);
        }
        ends_once_named(outcome);
        release.publish(run)?;
        give(&report, args.answer.json)?;
        next_after_release(setup, &project, verdict);
        Ok(outcome)
    })
}

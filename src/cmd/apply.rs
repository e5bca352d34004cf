//! `apply`: makes the swaps of a plan. It decides nothing.

use marginswap_core::diagnostic::Diagnostic;
use marginswap_io::{Overwrite, Seal, read_plan_sealed};
use marginswap_pipeline::answer;
use marginswap_pipeline::compare::{Evidence, Lines};
use marginswap_pipeline::notes::Note;
use marginswap_pipeline::pipeline::apply;
use marginswap_pipeline::project::{Project, Release, ReleaseOrder};
use marginswap_pipeline::refusal::Code;
use marginswap_pipeline::release::{ReleaseAs, note_other_plans, note_other_releases};
use marginswap_pipeline::seal::SealFrom;
use marginswap_pipeline::seed::SeedFrom;

use crate::advised::add_commands;
use crate::args::ApplyArgs;
use crate::cmd::protect::{NOTHING_WRITTEN, next_after_release};
use crate::output::{Outcome, ends_once_named, give, missing, next, outcome_of};

/// Follows the plan, compares the file with the original and gives it its name.
pub fn run(args: &ApplyArgs) -> Result<Outcome, Diagnostic> {
    let own = Project {
        data: args.data.clone(),
        release: Release { plan: args.plan.clone(), ..Release::default() },
        ..Project::default()
    };
    args.settings.run_with(own, |setup, run| {
        let overwrite = Overwrite::from_force(args.force.force);
        let (data, out) = (setup.data()?, setup.released()?);
        let told = &setup.project.release;
        let plan_path = told.plan.clone().ok_or_else(|| {
            missing(
                "no plan file is named",
                "name it behind the data, or as `plan` under [release] in the project file",
            )
        })?;
        let seal = SealFrom(args.seal_file.clone());
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
        let from_plan = Project::from_parameters(&plan.header.parameters).ok_or_else(|| {
            Diagnostic::new(
                Code::NoPlan,
                "its parameters are not those of a plan",
                "make the plan again",
            )
            .in_file(&plan_path)
        })?;
        let mut project = Project {
            data: Some(data),
            delimiter: setup.project.delimiter,
            release: told.clone(),
            gate: setup.project.gate.clone(),
            ..from_plan
        }
        .with_files_of(&setup.project);
        // Of a list of records the plan holds only that there was one.
        project.risk.risky = project.risk.risky.or(setup.project.risk.risky.clone());
        let order = setup.project.order();
        let chosen = match order {
            ReleaseOrder::Random => {
                Some(SeedFrom::flags(args.seed_file.as_deref(), None).choose(run)?)
            }
            ReleaseOrder::Input => None,
        };
        let seed = chosen.as_ref().map(|chosen| chosen.seed);
        let to = ReleaseAs { target: &out, overwrite, order };
        let demo_seed = plan.header.not_for_release;
        let evidence =
            Evidence { seed, lines: Lines::written(order), demo_seed, ..Evidence::default() };
        let certified = apply(project.clone(), &plan, &to, &evidence, run)?;
        let mut report = answer::verify(&certified.comparison);
        add_commands(&mut report.advice, setup, &setup.project);
        let verdict = report.judgement.verdict;
        let outcome = outcome_of(verdict);
        if report.judgement.is_unchanged() && overwrite == Overwrite::Refuse {
            give(&report, args.answer.json)?;
            next(NOTHING_WRITTEN);
            return Ok(outcome);
        }
        note_other_plans(&out, &plan, Some(&plan_path), run);
        ends_once_named(outcome);
        let new_seed = chosen.and_then(|chosen| chosen.new_file);
        let comparison = certified.publish(new_seed.into_iter().collect())?;
        note_other_releases(&comparison, run);
        give(&report, args.answer.json)?;
        next_after_release(setup, &project, verdict);
        Ok(outcome)
    })
}

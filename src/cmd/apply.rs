//! `apply`: makes the swaps of a plan. It decides nothing.

use marginswap_core::diagnostic::{Code, Diagnostic};
use marginswap_core::varset::VarSet;
use marginswap_io::{Overwrite, ReadOptions, check_outputs, digest_file, read_plan};
use marginswap_pipeline::answer;
use marginswap_pipeline::prepare::{open, scope_of};
use marginswap_pipeline::project::{Project, Release};
use marginswap_pipeline::release::{ReleaseAs, release};
use marginswap_pipeline::seed::SeedFrom;

use crate::args::ApplyArgs;
use crate::output::{Outcome, give, missing, next, paths, talk};

/// Follows the plan, recounts every kept table and gives the file its name.
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
        let mut inputs = setup.inputs(args.seed_file.as_deref());
        inputs.push(plan_path.clone());
        check_outputs(&[&out], &paths(&inputs), overwrite)?;
        let plan = read_plan(&plan_path)?;
        if setup.is_named() {
            plan.check_parameters(&setup.file_project().parameters())?;
        }
        let project = Project {
            data: Some(data.clone()),
            delimiter: setup.project.delimiter,
            release: told.clone(),
            ..Project::from_parameters(&plan.header.parameters).ok_or_else(|| {
                Diagnostic::new(
                    Code::NoPlan,
                    "its parameters are not those of a plan",
                    "make the plan again",
                )
                .in_file(&plan_path)
            })?
        };
        let digest = digest_file(&data)?;
        let opened = open(&project, &data)?;
        plan.check_input(&digest.sha256, plan.header.records, opened.columns())?;
        let scope = scope_of(&project, &opened)?;
        let loaded = opened.read(true, run)?;
        plan.check_input(&digest.sha256, loaded.records_read() as u64, loaded.names())?;
        let keys: VarSet = loaded.variables(&scope, &project.risk.keys);
        let shuffle = if told.shuffle == Some(true) {
            Some(SeedFrom::flags(args.seed_file.as_deref(), None).choose(run)?.seed)
        } else {
            None
        };
        let released = release(
            &loaded,
            &scope,
            keys,
            &data,
            ReadOptions { delimiter: project.delimiter },
            &plan.plan,
            &ReleaseAs { target: &out, overwrite, shuffle, drop: &told.drop },
            run,
        )?;
        let report = answer::verify(scope.schema(), released.verification());
        released.publish()?;
        if plan.header.not_for_release {
            talk("NOT FOR RELEASE: the plan was made with a demo seed that others know");
        }
        give(&report, args.answer.json)?;
        next(&setup.verify_line(&project));
        Ok(Outcome::Done)
    })
}

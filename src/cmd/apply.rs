//! `apply`: makes the swaps of a plan. It decides nothing.

use std::path::{Path, PathBuf};

use marginswap_core::diagnostic::{Code, Diagnostic};
use marginswap_core::varset::VarSet;
use marginswap_io::{Overwrite, ReadOptions, check_outputs, digest_file, read_plan};
use marginswap_report::verify::VerifyReport;

use crate::args::ApplyArgs;
use crate::output::{self, Outcome, give, next, talk, verify_line};
use crate::settings;
use marginswap_pipeline::prepare::{open, scope_of};
use marginswap_pipeline::project::{Project, Release};
use marginswap_pipeline::release::{ReleaseAs, release};
use marginswap_pipeline::seed::SeedFrom;

/// Follows the plan, recounts every kept table and gives the file its name.
pub fn run(args: &ApplyArgs) -> Result<Outcome, Diagnostic> {
    settings::use_threads(&args.threads)?;
    let run = &mut output::run();
    let overwrite = Overwrite::from_force(args.force.force);
    let inputs =
        [Some(&args.data), Some(&args.plan), args.seed_file.as_ref(), args.project.as_ref()];
    let inputs: Vec<&Path> = inputs.into_iter().flatten().map(PathBuf::as_path).collect();
    check_outputs(&[&args.out], &inputs, overwrite)?;
    let plan = read_plan(&args.plan)?;
    let mut told = Release::default();
    if let Some(path) = &args.project {
        let named = Project::load(path)?;
        plan.check_parameters(&named.parameters())?;
        told = named.release;
    }
    let project = Project {
        delimiter: settings::delimiter(&args.read)?,
        ..Project::from_parameters(&plan.header.parameters).ok_or_else(|| {
            Diagnostic::new(
                Code::NoPlan,
                "its parameters are not those of a plan",
                "make the plan anew",
            )
            .in_file(&args.plan)
        })?
    };
    let digest = digest_file(&args.data)?;
    let opened = open(&project, &args.data)?;
    plan.check_input(&digest.sha256, plan.header.records, opened.columns())?;
    let scope = scope_of(&project, &opened)?;
    let loaded = opened.read(true, run)?;
    plan.check_input(&digest.sha256, loaded.records_read() as u64, loaded.names())?;
    let keys: VarSet = loaded.variables(&scope, &project.risk.keys);
    let shuffle = if args.release.shuffle || told.shuffle == Some(true) {
        Some(SeedFrom::flags(args.seed_file.as_deref(), None).choose(run)?.seed)
    } else {
        None
    };
    let mut drop = settings::names(&args.release.drop)?;
    if drop.is_empty() {
        drop = told.drop;
    }
    let released = release(
        &loaded,
        &scope,
        keys,
        &args.data,
        ReadOptions { delimiter: project.delimiter },
        &plan.plan,
        &ReleaseAs { target: &args.out, overwrite, shuffle, drop: &drop },
        run,
    )?;
    let report = VerifyReport::new(scope.schema(), released.verification());
    released.publish()?;
    if plan.header.not_for_release {
        talk("NOT FOR RELEASE: the plan was made with a demo seed that others know");
    }
    give(&report, args.answer.json)?;
    next(&verify_line(&args.data, &args.out, &project));
    Ok(Outcome::Done)
}

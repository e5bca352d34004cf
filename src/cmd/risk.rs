//! `risk`: who is at risk, by a model of the population.

use marginswap_core::diagnostic::Diagnostic;
use marginswap_io::Overwrite;
use marginswap_pipeline::project::Risky;
use marginswap_pipeline::questions::risk::{Sets, risk};

use crate::args::{ForPlan, RiskArgs};
use crate::output::{Listing, Outcome, give, next};
use crate::setup::Takes;

/// How many records are named when no rule says so.
const RISKIEST: u32 = 50;

/// Fits a model, assesses every record; writes a line for each when asked.
pub fn run(args: &RiskArgs) -> Result<Outcome, Diagnostic> {
    args.settings.run(|setup, run| {
        let overwrite = Overwrite::from_force(args.force.force);
        setup.guard(&[args.out.as_deref()], &[], &[], overwrite, run)?;
        let mut listing = Listing::new(args.out.as_ref(), &args.force);
        let sets = Sets { suda: args.suda, key_sets: args.key_sets };
        let report = risk(&setup.project, sets, |list| listing.stage(list), run)?;
        listing.commit(Outcome::Done)?;
        give(&report, args.answer.json)?;
        let mut project = setup.project.clone();
        project.risk.risky.get_or_insert(Risky::Top(RISKIEST));
        let mut line = setup.line_for("plan", ForPlan::TOPICS, &project);
        if project.keep.is_empty() {
            line.word("--keep TABLES");
        }
        if project.release.plan.is_none() {
            line.option("-o", "swap.plan");
        }
        next(&line.to_string());
        Ok(Outcome::Done)
    })
}

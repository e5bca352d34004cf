//! `risk`: who is at risk, by a model of the population.

use marginswap_core::diagnostic::Diagnostic;
use marginswap_io::Overwrite;
use marginswap_pipeline::project::Risky;
use marginswap_pipeline::questions::risk::{Sets, risk};
use marginswap_report::risk::RiskReport;

use crate::args::{ForProtect, RiskArgs};
use crate::output::{Listing, Outcome, give, next};
use crate::setup::Takes;

/// How many people are at risk when the model finds nobody's risk high.
const RISKIEST: u32 = 50;

/// The probabilities from which on people are at risk when no rule says so: the first that
/// somebody reaches.
const AT_RISK: [f64; 2] = [0.2, 0.1];

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
        project.risk.risky.get_or_insert_with(|| called_at_risk(&report));
        let mut line = setup.line_for("protect", ForProtect::TOPICS, &project);
        if project.keep.is_empty() {
            line.word("--keep TABLES");
        }
        if project.release.out.is_none() {
            line.option("-o", "released.csv");
        }
        next(&line.to_string());
        Ok(Outcome::Done)
    })
}

/// The people whom the model calls at risk.
fn called_at_risk(report: &RiskReport) -> Risky {
    let reached = |least: &f64| {
        let mut counted = report.at_least.iter().filter(|found| found.probability == *least);
        counted.any(|found| found.sample_uniques > 0)
    };
    AT_RISK.into_iter().find(reached).map_or(Risky::Top(RISKIEST), Risky::Probability)
}

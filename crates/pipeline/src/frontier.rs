//! Several plans for one file: budgets and seeds as they are typed, and what each plan comes to.
//!
//! The data are read, encoded and screened once; every plan starts from them. The first seed
//! is the run's own, so that one budget and one seed give the plan that `plan` makes; the
//! others are drawn from a stream of it.

use std::str::FromStr;

use marginswap_core::diagnostic::Diagnostic;
use marginswap_core::random::{Random, Seed};
use marginswap_core::verify::{Criterion, Standing, choose};
use marginswap_io::PlanFile;
use marginswap_report::frontier::FrontierReport;
use rayon::prelude::*;

use crate::answer;
use crate::notes::Run;
use crate::prepare::{Foreseen, Planned, Prepared, prepare};
use crate::project::{Amount, Project, Share};
use crate::seed::{Chosen, SeedFrom};

/// A cap on the records that change, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cap(pub Option<Amount>);

impl FromStr for Cap {
    type Err = <Amount as FromStr>::Err;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.trim() {
            "none" => Ok(Self(None)),
            text => text.parse().map(|amount| Self(Some(amount))),
        }
    }
}

/// By what a plan is chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The criterion.
    pub criterion: Criterion,
    /// The same in words.
    pub words: String,
}

impl FromStr for Choice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "write least-risk, or the most it may be: change:0.5% or risk:1%".to_owned();
        if text == "least-risk" {
            let words = "the fewest people matched, then the least change".to_owned();
            return Ok(Self { criterion: Criterion::LeastRisk, words });
        }
        let (what, most) = text.split_once(':').ok_or_else(wrong)?;
        let most = most.parse::<Amount>().map_err(|_| wrong())?;
        let Amount::Share(share) = most else { return Err(wrong()) };
        let (numerator, denominator) = share.parts();
        match what {
            "change" => Ok(Self {
                #[allow(clippy::cast_precision_loss, reason = "a share has few digits")]
                criterion: Criterion::ChangeAtMost(numerator as f64 / denominator as f64),
                words: format!("the fewest people matched where the change is at most {most}"),
            }),
            "risk" => Ok(Self {
                criterion: Criterion::RiskAtMost { numerator, denominator },
                words: format!(
                    "the least change where at most {most} of those at risk are matched"
                ),
            }),
            _ => Err(wrong()),
        }
    }
}

/// One plan, and what it comes to.
pub struct Candidate {
    /// The cap on the records that change.
    pub cap: Cap,
    /// Which seed, from 1.
    pub seed: usize,
    /// The plan.
    pub planned: Planned,
    /// What it would come to.
    pub foreseen: Foreseen,
}

impl Candidate {
    /// What the change is measured by: the two-way tables that are not kept, or, where there
    /// is none, the share of records changed.
    fn change(&self, records: usize) -> f64 {
        if self.foreseen.distances.tables > 0 {
            return self.foreseen.distances.total_variation_mean;
        }
        #[allow(clippy::cast_precision_loss, reason = "a share of records")]
        return self.planned.on_cells.plan.records_changed() as f64 / records.max(1) as f64;
    }

    /// What the plan comes to, in a file of `records` records.
    pub fn standing(&self, records: usize) -> Standing {
        Standing {
            matched: self.foreseen.worst_case.matched,
            at_risk: self.foreseen.worst_case.at_risk,
            change: self.change(records),
            records: self.planned.on_cells.plan.records_changed(),
        }
    }
}

/// Several plans, and the one that is chosen.
pub struct Frontier {
    /// What each comes to.
    pub report: FrontierReport,
    /// The chosen plan, if one meets the criterion.
    pub plan: Option<PlanFile>,
    /// The project, with the budget of that plan.
    pub project: Project,
    /// The seed of the first.
    pub seed: Chosen,
}

/// Plans for every cap and so many seeds, compares the plans and chooses one. Without caps those of
/// the project are taken, or a few usual ones.
///
/// # Errors
/// As [`protect`](crate::job::protect).
pub fn frontier(
    project: &Project,
    seed: &SeedFrom,
    (caps, tries): (&[Cap], usize),
    choice: &Choice,
    run: &mut Run<'_>,
) -> Result<Frontier, Diagnostic> {
    let usual = || {
        let shares = [1, 2, 5].map(|percent| Cap(Some(Amount::Share(Share::percent(percent)))));
        shares.into_iter().chain([Cap(None)]).collect()
    };
    let caps: Vec<Cap> = match (caps, project.swap.budget) {
        ([], None) => usual(),
        ([], budget) => vec![Cap(budget)],
        (caps, _) => caps.to_vec(),
    };
    let prepared = prepare(project, run)?;
    let seed = seed.choose(run)?;
    let plans = candidates(&prepared, &caps, &seeds(seed.seed, tries))?;
    let best = choose(&standings(&prepared, &plans), choice.criterion);
    let demo_seed = seed.not_for_release;
    let report = answer::frontier(&prepared, &plans, best, &choice.words, demo_seed);
    let mut project = prepared.study.units.project.typed().clone();
    let plan = best.and_then(|best| plans.into_iter().nth(best)).map(|chosen| {
        let Candidate { cap, planned, foreseen, .. } = chosen;
        let mut numbers = prepared.report(&planned, demo_seed);
        numbers.protection = prepared.protection(&foreseen);
        project.swap.budget = cap.0;
        let mut plan = prepared.plan_file(planned, &numbers);
        plan.header.parameters = project.parameters();
        plan
    });
    Ok(Frontier { report, plan, project, seed })
}

/// What every plan comes to.
pub(crate) fn standings(prepared: &Prepared, plans: &[Candidate]) -> Vec<Standing> {
    plans.iter().map(|plan| plan.standing(prepared.study.units.records.len())).collect()
}

/// The number of the random stream that other seeds are drawn from.
const SEED_STREAM: u64 = 2;

/// `count` seeds from one: itself first.
fn seeds(seed: Seed, count: usize) -> Vec<Seed> {
    let mut random = Random::new(seed, SEED_STREAM);
    std::iter::once(seed).chain((1..count).map(|_| random.seed())).collect()
}

/// A plan for every cap and every seed, in this order.
fn candidates(
    prepared: &Prepared,
    caps: &[Cap],
    seeds: &[Seed],
) -> Result<Vec<Candidate>, Diagnostic> {
    let tries: Vec<(Cap, usize)> =
        caps.iter().flat_map(|&cap| (0..seeds.len()).map(move |seed| (cap, seed))).collect();
    tries
        .into_par_iter()
        .map(|(cap, seed)| {
            let planned = prepared.plan_capped(seeds[seed], cap.0)?;
            let foreseen = prepared.foresee(&planned);
            Ok(Candidate { cap, seed: seed + 1, planned, foreseen })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_differ_and_the_first_is_the_runs_own() {
        let seed = Seed([7; 32]);
        let five = seeds(seed, 5);
        assert_eq!(five[0], seed);
        assert_eq!(five[..3], seeds(seed, 3)[..]);
        for (position, one) in five.iter().enumerate() {
            assert!(five[..position].iter().all(|other| other != one));
        }
    }

    #[test]
    fn caps_and_choices_are_read() {
        assert_eq!("none".parse(), Ok(Cap(None)));
        assert_eq!("120".parse(), Ok(Cap(Some(Amount::Records(120)))));
        assert!("some".parse::<Cap>().is_err());
        let choice = |text: &str| text.parse::<Choice>().map(|choice| choice.criterion);
        assert_eq!(choice("least-risk"), Ok(Criterion::LeastRisk));
        assert_eq!(choice("change:0.5%"), Ok(Criterion::ChangeAtMost(0.005)));
        assert_eq!(choice("risk:1%"), Ok(Criterion::RiskAtMost { numerator: 1, denominator: 100 }));
        for wrong in ["least", "risk", "risk:5", "risk:200%", "change:", "x:1%"] {
            assert!(choice(wrong).is_err(), "{wrong}");
        }
    }
}

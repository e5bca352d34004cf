//! What `frontier` answers: the risk and the change of several plans, and which one is taken.

use marginswap_core::text::grouped;
use serde::Serialize;

use crate::answer::{Answer, aligned, counted, distance, percent};

/// Several plans for one file. Every number is exact; that no other plan is better is not
/// claimed.
#[derive(Debug, Clone, Serialize)]
pub struct FrontierReport {
    /// How many records there are.
    pub records: u64,
    /// How many people are at risk.
    pub at_risk: u64,
    /// Of these, how many have keys that no exchange of two records can part.
    pub not_separable: u64,
    /// Of these, how many are already disclosed.
    pub disclosed: u64,
    /// May one swap take more than two records? Then only the disclosed ones are known to be out
    /// of reach.
    pub larger_swaps: bool,
    /// Is the change measured by the two-way tables that are not kept? Where there is none, it
    /// is the share of records changed.
    pub by_two_way: bool,
    /// By what the plan is chosen.
    pub criterion: String,
    /// The number of the chosen plan; null when none meets the criterion.
    pub chosen: Option<usize>,
    /// The plans.
    pub plans: Vec<FrontierPlan>,
    /// Is the seed a demo seed, which others know?
    pub not_for_release: bool,
}

/// One plan of several.
#[derive(Debug, Clone, Serialize)]
pub struct FrontierPlan {
    /// Its number, from 1.
    pub number: usize,
    /// The most records that it may change; null without a cap.
    pub budget: Option<String>,
    /// Which of the seeds, from 1.
    pub seed: usize,
    /// Records that it changes.
    pub records_changed: u64,
    /// People at risk whose keys no record has after it.
    pub gone: u64,
    /// People at risk whose keys two or more records have.
    pub shared: u64,
    /// People at risk whose keys exactly one record has.
    pub matched: u64,
    /// Of these, the ones with every sensitive value true.
    pub matched_right: u64,
    /// People who are newly exposed.
    pub newly_exposed: u64,
    /// The change that plans are compared by, as a share.
    pub change: f64,
    /// The mean total variation of the two-way tables that are not kept.
    pub two_way_mean: f64,
    /// The largest.
    pub two_way_max: f64,
    /// Does every other plan have more matched people or more change, or the same of both?
    pub undominated: bool,
}

impl FrontierPlan {
    /// The cap as it is shown.
    #[must_use]
    pub fn cap(&self) -> &str {
        self.budget.as_deref().unwrap_or("no cap")
    }
}

impl FrontierReport {
    /// The people at risk whose keys no plan can part, as far as it is known.
    #[must_use]
    pub fn floor(&self) -> u64 {
        if self.larger_swaps { self.disclosed } else { self.not_separable }
    }

    /// Of the floor, in words.
    pub(crate) fn floor_words(&self) -> &'static str {
        if self.larger_swaps {
            "whose keys no swap can part"
        } else {
            "whose keys no swap of two records can part"
        }
    }

    /// What change is, in words.
    pub(crate) fn axis_words(&self) -> &'static str {
        match self.by_two_way {
            true => "mean total variation of the two-way tables that are not kept",
            false => "share of records changed, as every two-way table is kept",
        }
    }

    /// The plan that is taken.
    #[must_use]
    pub fn chosen_plan(&self) -> Option<&FrontierPlan> {
        self.plans.iter().find(|plan| Some(plan.number) == self.chosen)
    }
}

impl Answer for FrontierReport {
    fn text(&self) -> String {
        let mut text = format!(
            "{} at risk. Not separable from their keys by swaps of two records: {}, of whom already disclosed: {}.\n{}\n",
            counted(self.at_risk, "person", "people"),
            grouped(self.not_separable),
            grouped(self.disclosed),
            if self.larger_swaps && self.not_separable > self.disclosed {
                "Larger swaps may separate those who are not disclosed.\n"
            } else {
                ""
            },
        );
        let heads = [
            "plan  budget",
            "seed",
            "changed",
            "gone",
            "shared",
            "matched",
            "of at risk",
            "right",
            "exposed",
            if self.by_two_way { "mean TV" } else { "records" },
            "",
        ];
        let mut rows = vec![heads.map(str::to_owned).to_vec()];
        rows.extend(self.plans.iter().map(|plan| {
            let chosen = Some(plan.number) == self.chosen;
            let mark = match (chosen, plan.undominated) {
                (true, true) => "frontier, chosen",
                (true, false) => "chosen",
                (false, true) => "frontier",
                (false, false) => "",
            };
            vec![
                format!("{:>4}  {}", plan.number, plan.cap()),
                plan.seed.to_string(),
                grouped(plan.records_changed),
                grouped(plan.gone),
                grouped(plan.shared),
                grouped(plan.matched),
                percent(plan.matched, self.at_risk),
                grouped(plan.matched_right),
                grouped(plan.newly_exposed),
                distance(plan.change),
                // Aligned to the left, numbers to the right.
                format!("{mark:<16}"),
            ]
        }));
        text.push_str(&aligned(&rows));
        text.push_str(&format!(
            "\nMatched: exactly one released record has the keys of the person at risk. Right: every\n\
             sensitive value on it is true. Exposed: people who are newly alone with their keys.\n\
             Frontier: every other plan has more matched people or more change, or the same of both.\n\
             Change: the {}.\n",
            self.axis_words()
        ));
        match self.chosen {
            Some(number) => text.push_str(&format!("Chosen: plan {number}, {}.\n", self.criterion)),
            None => text.push_str(&format!("No plan meets the criterion: {}.\n", self.criterion)),
        }
        if self.not_for_release {
            text.push_str("NOT FOR RELEASE: made with a demo seed, which others know.\n");
        }
        text
    }
}

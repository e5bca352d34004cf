//! What `frontier` answers: the risk and the change of several plans, and which one is taken.

use marginswap_core::text::grouped;
use serde::Serialize;

use crate::answer::{Answer, aligned, counted, percent};

/// Several plans for one file. Every number is exact; that no other plan is better is not
/// claimed.
#[derive(Debug, Clone, Serialize)]
pub struct FrontierReport {
    /// How many records there are.
    pub records: u64,
    /// How many are at risk.
    pub at_risk: u64,
    /// Of these, how many no swap of two records can change.
    pub untreatable: u64,
    /// Of these, how many are already disclosed.
    pub disclosed: u64,
    /// May a single swap take more than two records? Then only the disclosed ones are known to
    /// be out of reach.
    pub larger_swaps: bool,
    /// Is the change measured by the two-way tables that are not kept? Where there is none, it
    /// is the share of records changed.
    pub by_two_way: bool,
    /// Claims of an intruder in the original file, where every one is right.
    pub claims_before: u64,
    /// By what the plan is chosen.
    pub criterion: String,
    /// The number of the chosen plan; null when none meets the criterion.
    pub chosen: Option<usize>,
    /// The plans.
    pub plans: Vec<FrontierPlan>,
    /// Was the seed one that others know?
    pub not_for_release: bool,
}

/// One plan of several.
#[derive(Debug, Clone, Serialize)]
pub struct FrontierPlan {
    /// Its number, from 1.
    pub number: usize,
    /// The most records that it might change; null without a cap.
    pub budget: Option<String>,
    /// Which of the seeds, from 1.
    pub seed: usize,
    /// Records that it changes.
    pub records_changed: u64,
    /// Records at risk that it gives other keys.
    pub protected: u64,
    /// Records unique on the keys after it.
    pub uniques_after: u64,
    /// Claims of an intruder after it.
    pub claims: u64,
    /// Of these, the right ones.
    pub correct_claims: u64,
    /// The change that plans are compared by, as a share.
    pub change: f64,
    /// The mean total variation of the two-way tables that are not kept.
    pub two_way_mean: f64,
    /// The greatest.
    pub two_way_max: f64,
    /// Does no other plan have no more right claims and no more change, and less of one?
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
    /// The records at risk that no plan treats, as far as it is known.
    #[must_use]
    pub fn floor(&self) -> u64 {
        if self.larger_swaps { self.disclosed } else { self.untreatable }
    }

    /// Of the floor, in words.
    pub(crate) fn floor_words(&self) -> &'static str {
        if self.larger_swaps { "no swap can hide" } else { "no swap of two records can change" }
    }

    /// What change is, in words.
    pub(crate) fn change_words(&self) -> &'static str {
        match self.by_two_way {
            true => "mean total variation of the two-way tables that are not kept",
            false => "share of records changed, because every two-way table is kept",
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
            "{} at risk; {} of them no swap of two records can change ({} already disclosed).\n{}\
             Before, whoever knows the keys claims {}, all rightly.\n\n",
            counted(self.at_risk, "record", "records"),
            grouped(self.untreatable),
            grouped(self.disclosed),
            if self.larger_swaps && self.untreatable > self.disclosed {
                "Larger swaps may change those that are not disclosed.\n"
            } else {
                ""
            },
            counted(self.claims_before, "record", "records"),
        );
        let heads = [
            "plan  budget",
            "seed",
            "changed",
            "protected",
            "claims",
            "right",
            "of before",
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
                grouped(plan.protected),
                grouped(plan.claims),
                grouped(plan.correct_claims),
                percent(plan.correct_claims, self.claims_before),
                format!("{:.3} %", plan.change * 100.0),
                // To the left, while numbers stand to the right.
                format!("{mark:<16}"),
            ]
        }));
        text.push_str(&aligned(&rows));
        text.push_str(&format!(
            "\nFrontier: no other plan has no more right claims and no more change, and less of one of\n\
             them. Change: the {}.\n\
             Of before: right claims in percent of the claims before, the same number for every plan.\n",
            self.change_words()
        ));
        match self.chosen {
            Some(number) => text.push_str(&format!("Chosen: plan {number}, {}.\n", self.criterion)),
            None => text.push_str(&format!("No plan meets the criterion: {}.\n", self.criterion)),
        }
        if self.not_for_release {
            text.push_str("NOT FOR RELEASE: made with a demo seed that others know.\n");
        }
        text
    }
}

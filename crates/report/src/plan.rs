//! What `plan` and `protect` answer: who is protected, what is changed, who is left.

use std::collections::BTreeMap;

use marginswap_core::text::grouped;
use serde::ser::Error;
use serde::{Deserialize, Serialize, Serializer};

use crate::advice;
use crate::answer::{Answer, aligned, counted, percent, shown};
use crate::pictures::waterfall::Coverage;
use crate::protection::{HiddenPeople, Judgement, Protection, rare_or_impossible};
use crate::published;
use crate::verify::{HouseholdsReport, VerifyReport};

/// A plan in numbers. All are exact; that no better plan exists is not claimed.
#[derive(Debug, Clone, Serialize)]
pub struct PlanReport {
    /// How many records there are.
    pub records: u64,
    /// Where whole households are swapped, they are the records of this plan; this counts
    /// their persons.
    #[serde(rename = "planned_households", skip_serializing_if = "Option::is_none")]
    pub households: Option<PlannedHouseholds>,
    /// What intruders will learn when the plan is followed; in the answer of `protect`, what
    /// they learn from the released file.
    #[serde(flatten)]
    pub protection: Protection,
    /// People at risk whose keys some exchange of two records can part.
    pub separable: u64,
    /// People at risk whose keys the plan parts.
    pub separated: u64,
    /// People at risk whose keys the plan does not part and whose sensitive values it detaches.
    pub values_replaced: u64,
    /// How many people at risk the plan parts or detaches.
    pub covered: u64,
    /// Of these, how many by swaps of more than two records.
    pub covered_by_groups: u64,
    /// How many people at risk the plan neither parts nor detaches.
    #[serde(rename = "without_swap")]
    pub left: u64,
    /// The same by reason.
    pub without_swap_because: LeftReport,
    /// Of those left who are not swappable, how many have a record that is already disclosed.
    pub not_swappable_disclosed: u64,
    /// How many records one swap may take.
    pub max_records: usize,
    /// Of those at risk, how many no swap of any number of records can free, with proof.
    /// Null when only swaps of two records were looked for.
    pub impossible: Option<u64>,
    /// How many are neither covered nor proved impossible. Null as above.
    pub not_found: Option<u64>,
    /// How many a swap could free and none does: a constraint or the budget forbids it, or the
    /// other records it needs are already used. Null as above.
    pub barred: Option<u64>,
    /// No swap of any number of records parts more people at risk from their keys at once, with
    /// proof. Null where nothing was proved: the kept tables are not two, or several intruders
    /// are named.
    pub most_separated: Option<u64>,
    /// How many swaps of two records there are.
    pub swaps: u64,
    /// How many swaps of more records there are; moves that share a record count as one.
    pub groups: u64,
    /// The groups by their number of records.
    pub groups_by_records: BTreeMap<usize, u64>,
    /// How many records are changed.
    pub records_changed: u64,
    /// How many values are changed.
    pub cells_changed: u64,
    /// The weighted number of two-way tables that are disturbed, swap by swap.
    pub cost: u64,
    /// How many tables are kept.
    pub tables: u64,
    /// How far changed records moved, by the areas that partners were looked for in first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub moved: Vec<Moved>,
    /// How far changed records moved on the map, where a file of areas is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance: Option<MovedDistance>,
    /// What follows between persons, where whole households come first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub then: Option<ThenReport>,
    /// Records of the original that already break a rule.
    pub broken_rules: u64,
    /// Did a search end because planning had done the work that the size of the file allows?
    pub work_limit_reached: bool,
    /// Is the seed a demo seed, which others know?
    pub not_for_release: bool,
    /// What the gate would say; only in the answer of `plan`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub foreseen: Option<Foreseen>,
}

/// What the gate would say of the file that a plan makes, as far as it is known before the file
/// is written.
#[derive(Debug, Clone, Serialize)]
pub struct Foreseen {
    /// The verdict and its reasons.
    #[serde(flatten)]
    pub judgement: Judgement,
    /// What only the written file shows.
    pub not_known: Vec<&'static str>,
}

impl Foreseen {
    fn lines(&self) -> String {
        let mut text = self.judgement.lines_as("Foreseen verdict");
        if !self.not_known.is_empty() {
            text.push_str(&format!(
                "  Known only when the file is written: {}.\n",
                self.not_known.join("; ")
            ));
        }
        text.push('\n');
        text
    }
}

/// Changed records by how far they moved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moved {
    /// The smallest of the named areas that they stay in; null for those that leave all.
    pub within: Option<String>,
    /// How many.
    pub records: u64,
}

impl Moved {
    /// How far in words.
    pub(crate) fn words(&self) -> String {
        match &self.within {
            Some(area) => format!("within the same {}", shown(area)),
            None => "further".to_owned(),
        }
    }
}

/// How far changed records moved on the map.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MovedDistance {
    /// The column of the areas.
    pub column: String,
    /// What distances are counted in.
    pub unit: String,
    /// Changed records that stay in their area.
    pub stayed: u64,
    /// Changed records that come to another area.
    pub moved: u64,
    /// Of these, those who come to an area to which no neighbours lead: no distance is known.
    #[serde(default)]
    pub unconnected: u64,
    /// Half of these moved no further; `null` where that is no known distance.
    pub median: Option<f64>,
    /// Nine of ten moved no further.
    pub nine_of_ten: Option<f64>,
    /// The furthest.
    pub furthest: Option<f64>,
    /// How many moved how far, in steps of equal length.
    pub bands: Vec<DistanceBand>,
}

/// Records that moved about as far.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct DistanceBand {
    /// They moved at most so far, and further than the band before.
    pub up_to: f64,
    /// How many.
    pub records: u64,
}

impl MovedDistance {
    /// From the distances of those who moved, with those who stayed in their area and those of
    /// whom no distance is known.
    #[must_use]
    pub fn of(
        column: String,
        unit: String,
        [stayed, unconnected]: [u64; 2],
        mut distances: Vec<f64>,
    ) -> Self {
        distances.sort_by(f64::total_cmp);
        let moved = distances.len();
        let step = round_step(distances.last().copied().unwrap_or(0.0) / 6.0);
        let mut bands: Vec<DistanceBand> = Vec::new();
        let mut counted = 0;
        let mut up_to = step;
        while counted < moved {
            let until = distances.partition_point(|&far| far <= up_to);
            bands.push(DistanceBand { up_to, records: (until - counted) as u64 });
            counted = until;
            up_to += step;
        }
        // Those without a known distance are further than all others.
        let all = moved as u64 + unconnected;
        let at = |place: u64| match all {
            0 => Some(0.0),
            _ => usize::try_from(place).ok().and_then(|place| distances.get(place).copied()),
        };
        Self {
            column,
            unit,
            stayed,
            moved: all,
            unconnected,
            median: at(all.saturating_sub(1) / 2),
            nine_of_ten: at((all * 9).div_ceil(10).saturating_sub(1)),
            furthest: at(all.saturating_sub(1)),
            bands,
        }
    }

    /// The rows of the table: how far in words, and how many.
    #[must_use]
    pub fn rows(&self) -> Vec<(String, u64)> {
        let mut rows = vec![(format!("within the same {}", shown(&self.column)), self.stayed)];
        let mut from = 0.0;
        for band in &self.bands {
            rows.push((format!("{} to {}", length(from), length(band.up_to)), band.records));
            from = band.up_to;
        }
        if self.unconnected > 0 {
            rows.push(("to an area without a way of neighbours".to_owned(), self.unconnected));
        }
        rows
    }

    fn lines(&self, what: &str) -> String {
        let all = self.stayed + self.moved;
        let row = |(words, records): (String, u64)| {
            vec![format!("  {words}"), grouped(records), percent(records, all)]
        };
        let rows: Vec<Vec<String>> = self.rows().into_iter().map(row).collect();
        let mut text = format!("How far changed {what} moved ({}):\n{}", self.unit, aligned(&rows));
        if self.moved > 0 {
            text.push_str(&format!(
                "  half of those who moved no further than {}, nine of ten than {}, nobody than {}\n",
                known(self.median),
                known(self.nine_of_ten),
                known(self.furthest)
            ));
        }
        text
    }
}

/// A distance that may not be known, as it is read.
#[must_use]
pub fn known(far: Option<f64>) -> String {
    far.map_or_else(|| "an unknown distance".to_owned(), length)
}

/// A distance as it is read.
#[must_use]
pub fn length(far: f64) -> String {
    if far.fract() == 0.0 { format!("{far:.0}") } else { format!("{far:.1}") }
}

/// The next larger one of 1, 2, 5, 10, 20, 50, …
fn round_step(least: f64) -> f64 {
    let mut step = 1.0;
    for factor in [2.0, 2.5, 2.0].into_iter().cycle().take(30) {
        if step >= least {
            break;
        }
        step *= factor;
    }
    step
}

/// The persons of a plan whose records are households.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct PlannedHouseholds {
    /// How many persons there are.
    pub persons: u64,
    /// How many households have a member at risk, or are at risk themselves.
    pub households_at_risk: u64,
    /// Is there a household file next to that of the persons?
    pub household_file: bool,
}

/// The second step of a plan in numbers: persons after households.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct ThenReport {
    /// Persons whom the exchange of households leaves with keys by which somebody at risk is found.
    pub at_risk: u64,
    /// Of these, those whose keys the second step parts.
    pub separated: u64,
    /// Of these, those whose sensitive values it detaches.
    pub values_replaced: u64,
    /// Of these, those whom it neither parts nor detaches.
    #[serde(rename = "without_swap")]
    pub left: u64,
    /// How many swaps of two persons there are.
    pub swaps: u64,
    /// How many swaps of more persons there are.
    pub groups: u64,
    /// How many persons are changed.
    pub persons_changed: u64,
    /// How many values are changed.
    pub cells_changed: u64,
}

impl ThenReport {
    fn line(&self) -> String {
        format!(
            "Then {} still at risk: {} separated from their keys, {} with sensitive values replaced, {} neither; {} changed, {}.\n",
            counted(self.at_risk, "person", "persons"),
            grouped(self.separated),
            grouped(self.values_replaced),
            grouped(self.left),
            counted(self.persons_changed, "person", "persons"),
            counted(self.cells_changed, "value", "values"),
        )
    }
}

/// Why people at risk are left. Of several partners the one that comes furthest decides.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct LeftReport {
    /// They have no partner at all.
    pub not_swappable: u64,
    /// No exchange parts or detaches their keys and leaves alone what stays.
    pub keys: u64,
    /// No partner agrees with them on the columns that must match.
    pub no_match: u64,
    /// Every exchange breaks a rule or gives a record the keys of someone at risk.
    pub not_allowed: u64,
    /// They stay with others who have their keys, because somebody would be alone without them.
    pub keys_shared: u64,
    /// Every allowed partner is used by another swap.
    pub taken: u64,
    /// The budget is used up.
    pub budget: u64,
    /// The search ended before all partners were looked at.
    pub not_searched: u64,
}

impl LeftReport {
    /// Why people who have partners are left: each reason in words with its number, where there
    /// is one.
    #[must_use]
    pub fn reasons(&self) -> Vec<(&'static str, u64)> {
        let all = [
            ("no partner separates the keys or replaces sensitive values", self.keys),
            ("no partner agrees on the columns that must match", self.no_match),
            ("every exchange breaks a rule or recreates keys at risk", self.not_allowed),
            ("no allowed swap was left for them", self.keys_shared),
            ("every allowed partner is already used", self.taken),
            ("the budget is used up", self.budget),
            ("the search ended early", self.not_searched),
        ];
        all.into_iter().filter(|(_, number)| *number > 0).collect()
    }
}

impl PlanReport {
    /// What the waterfall shows.
    #[must_use]
    pub fn coverage(&self) -> Coverage {
        match &self.households {
            Some(households) => Coverage::of(households.persons, None, &self.protection),
            None => Coverage::of(self.records, Some(self.separable), &self.protection),
        }
    }

    /// What its records are.
    fn many(&self) -> &'static str {
        if self.households.is_some() { "households" } else { "records" }
    }

    /// Why people are left: in words, each with its number.
    fn left_rows(&self) -> Vec<(String, u64)> {
        let reasons = self.without_swap_because.reasons();
        match (self.impossible, self.not_found, self.barred) {
            (Some(impossible), Some(not_found), Some(barred)) => {
                let mut rows = vec![
                    ("no swap of any size can free them, with proof".to_owned(), impossible),
                    ("no swap found".to_owned(), not_found),
                    ("a swap exists, but is not allowed or lacks free records".to_owned(), barred),
                ];
                let pairs = reasons.into_iter();
                rows.extend(pairs.map(|(why, number)| (format!("for pairs: {why}"), number)));
                rows
            }
            _ => {
                let disclosed = grouped(self.not_swappable_disclosed);
                let alone = format!("no partner ({disclosed} already disclosed)");
                let mut rows = vec![(alone, self.without_swap_because.not_swappable)];
                rows.extend(reasons.into_iter().map(|(why, number)| (why.to_owned(), number)));
                rows
            }
        }
    }

    /// How far records moved.
    fn moved_lines(&self) -> String {
        if self.moved.is_empty() {
            return String::new();
        }
        let all: u64 = self.moved.iter().map(|moved| moved.records).sum();
        let row = |moved: &Moved| {
            vec![
                format!("  {}", moved.words()),
                grouped(moved.records),
                percent(moved.records, all),
            ]
        };
        let rows: Vec<Vec<String>> = self.moved.iter().map(row).collect();
        format!("How far changed {} moved:\n{}", self.many(), aligned(&rows))
    }

    fn distance_lines(&self) -> String {
        self.distance.as_ref().map_or_else(String::new, |distance| distance.lines(self.many()))
    }

    /// How many can be separated at once, and how many are.
    fn most_line(&self) -> String {
        let Some(most) = self.most_separated else { return String::new() };
        format!(
            "No more than {} can be separated from their keys at once by any swap that keeps these\n\
             tables; {} {}.\n",
            match self.households {
                Some(_) => counted(most, "household", "households"),
                None => counted(most, "person", "people"),
            },
            grouped(self.separated),
            if self.separated == 1 { "is" } else { "are" },
        )
    }

    /// What was changed already, and by what seed.
    fn remarks(&self) -> String {
        let mut text = String::new();
        if self.broken_rules > 0 {
            text.push_str(&format!(
                "{} of the original already {} a rule.\n",
                match &self.households {
                    Some(_) => counted(self.broken_rules, "household", "households"),
                    None => counted(self.broken_rules, "record", "records"),
                },
                if self.broken_rules == 1 { "breaks" } else { "break" }
            ));
        }
        if self.work_limit_reached {
            text.push_str(
                "The work limit was reached: this is the best plan until then. --effort long looks further.\n",
            );
        }
        if self.not_for_release {
            text.push_str("NOT FOR RELEASE: made with a demo seed, which others know.\n");
        }
        text
    }
}

impl Answer for PlanReport {
    fn text(&self) -> String {
        let (at_risk, at_risk_words) = match &self.households {
            Some(households) => (households.households_at_risk, "households at risk"),
            None => (self.protection.fates.at_risk, "people at risk"),
        };
        let row = |label: &str, number: u64, whole: u64| {
            vec![label.to_owned(), grouped(number), percent(number, whole)]
        };
        let mut rows = vec![
            row(at_risk_words, at_risk, self.records),
            row("  can be separated from their keys by a swap", self.separable, at_risk),
            row("  separated from their keys by this plan", self.separated, at_risk),
            row("  sensitive values replaced by this plan", self.values_replaced, at_risk),
        ];
        if self.impossible.is_some() || self.covered_by_groups > 0 {
            let label = format!("  by swaps of more than two {}", self.many());
            rows.push(row(&label, self.covered_by_groups, at_risk));
        }
        rows.push(row("  neither", self.left, at_risk));
        for (why, number) in self.left_rows() {
            rows.push(row(&format!("    {why}"), number, at_risk));
        }
        let changed = format!("{} changed", self.many());
        rows.push(row(&changed, self.records_changed, self.records));
        let mut text = self.foreseen.as_ref().map_or_else(String::new, Foreseen::lines);
        text.push_str(&aligned(&rows));
        text.push_str(&format!(
            "\n{} {} {}.\n",
            counted(self.swaps + self.groups, "swap", "swaps"),
            if self.swaps + self.groups == 1 { "changes" } else { "change" },
            counted(self.cells_changed, "value", "values"),
        ));
        if self.groups > 0 {
            let sizes: Vec<String> = self
                .groups_by_records
                .iter()
                .map(|(records, groups)| {
                    format!("{} of {records} {}", grouped(*groups), self.many())
                })
                .collect();
            text.push_str(&format!(
                "Of these {}: {}.\n",
                counted(self.groups, "is a larger swap", "are larger swaps"),
                sizes.join(", ")
            ));
        }
        text.push_str(&self.then.map_or_else(String::new, |then| then.line()));
        text.push_str(&self.moved_lines());
        text.push_str(&self.distance_lines());
        text.push_str(&self.most_line());
        text.push_str("\nForeseen in the released file:\n");
        text.push_str(&self.protection.lines());
        text.push_str(&self.remarks());
        text
    }
}

/// What a whole job did: everything that `verify` answers about the released file, and the plan.
#[derive(Debug, Clone, Serialize)]
pub struct ProtectReport {
    /// The released file next to the original.
    #[serde(flatten)]
    pub verify: VerifyReport,
    /// The plan; what was shown of the released file already is not repeated.
    #[serde(flatten, serialize_with = "beside_verify")]
    pub plan: PlanReport,
    /// The released file.
    pub released: String,
    /// How many cells the kept tables have.
    pub cells_kept: u64,
}

/// The numbers of a plan that `verify` does not have.
fn beside_verify<S: Serializer>(plan: &PlanReport, out: S) -> Result<S::Ok, S::Error> {
    let told = VerifyReport::json_names();
    let all = serde_json::to_value(plan).map_err(S::Error::custom)?;
    // What was foreseen is known by now.
    let is_new = |name: &str| !told.contains(name) && name != "foreseen";
    let own = all.as_object().into_iter().flatten().filter(|(name, _)| is_new(name));
    out.collect_map(own)
}

impl Answer for ProtectReport {
    fn text(&self) -> String {
        let plan = &self.plan;
        let verify = &self.verify;
        let mut text = verify.judgement.lines();
        text.push_str(&verify.protection.tested(verify.judgement.verdict));
        text.push_str(&format!(
            "Tables     {}, {}, recounted{}: {}\n",
            counted(plan.tables, "kept table", "kept tables"),
            counted(self.cells_kept, "cell", "cells"),
            // An unchanged copy is written only when that is asked for.
            match verify.judgement.is_unchanged() {
                true => String::new(),
                false => format!(" in {}", self.released),
            },
            if verify.equal { "all unchanged" } else { "NOT all unchanged" },
        ));
        text.push_str(&published::line(&verify.published));
        text.push_str(&verify.weights());
        text.push_str(&verify.quotes());
        let usefulness = verify.usefulness.words();
        text.push_str(&format!("Usefulness {} changed{usefulness}\n", self.changed()));
        text.push_str(&self.learned());
        if verify.protection.hidden.is_none() {
            text.push_str(&format!(
                "Plan       {}{} separated from their keys ({} can be), {} with sensitive values replaced, {} left\n",
                match &plan.households {
                    Some(households) => format!(
                        "{} at risk: ",
                        counted(households.households_at_risk, "household", "households")
                    ),
                    None => String::new(),
                },
                grouped(plan.separated),
                grouped(plan.separable),
                grouped(plan.values_replaced),
                grouped(plan.left),
            ));
            if plan.left > 0 {
                for (why, number) in plan.left_rows().iter().filter(|(_, number)| *number > 0) {
                    text.push_str(&format!("             {} left: {why}\n", grouped(*number)));
                }
            }
        }
        if plan.groups > 0 {
            text.push_str(&format!(
                "             {} by {}\n",
                match &plan.households {
                    Some(_) => counted(plan.covered_by_groups, "household", "households"),
                    None => counted(plan.covered_by_groups, "person", "people"),
                },
                match &plan.households {
                    Some(_) => counted(
                        plan.groups,
                        "swap of more than two households",
                        "swaps of more than two households"
                    ),
                    None => counted(
                        plan.groups,
                        "swap of more than two records",
                        "swaps of more than two records"
                    ),
                },
            ));
        }
        text.push_str(&plan.then.map_or_else(String::new, |then| then.line()));
        text.push_str(&plan.moved_lines());
        text.push_str(&plan.distance_lines());
        text.push_str(&plan.most_line());
        text.push_str(&advice::lines(&verify.advice));
        text.push_str(&plan.remarks());
        text
    }
}

impl ProtectReport {
    /// How much was changed, counted in the released file; by the plan where the records of the two
    /// files are not linked.
    fn changed(&self) -> String {
        let (plan, verify) = (&self.plan, &self.verify);
        let values = |values: u64| counted(values, "value", "values");
        let records = |records: u64, of: u64| {
            format!("{} ({})", counted(records, "record", "records"), percent(records, of))
        };
        let households = |households: u64, of: u64| {
            let changed = counted(households, "household", "households");
            format!("{changed} ({})", percent(households, of))
        };
        let found = verify.records_changed.zip(verify.cells_changed);
        match (&verify.households, found) {
            (Some(HouseholdsReport { before, changed: Some(changed), .. }), Some(found)) => {
                let all = households(*changed, *before);
                format!("{all}, {}, {}", records(found.0, verify.records_before), values(found.1))
            }
            (None, Some(found)) => {
                format!("{}, {}", records(found.0, verify.records_before), values(found.1))
            }
            (Some(_), _) => {
                let all = households(plan.records_changed, plan.records);
                format!("{all}, {}", values(plan.cells_changed))
            }
            (None, None) => {
                let all = records(plan.records_changed, plan.records);
                format!("{all}, {}", values(plan.cells_changed))
            }
        }
    }

    /// What intruders learn, in the worst of all scenarios.
    fn learned(&self) -> String {
        let learned = &self.verify.protection;
        if learned.scenarios.is_empty() {
            return "Found      no keys were named, so no risk was measured\n".to_owned();
        }
        let mut text = learned.hidden.as_ref().map_or_else(String::new, HiddenPeople::lines);
        if let Some(found) = &learned.found {
            text.push_str(&format!(
                "Found      through some of the keys: {} before, {} after, {} by chance; {} newly \
                 found (by chance {})\n",
                grouped(found.found_before),
                grouped(found.found),
                grouped(found.found_by_chance),
                grouped(found.newly_found),
                grouped(found.newly_found_by_chance),
            ));
        }
        text.push_str(&format!(
            "All keys   {} of {} at risk protected from anyone who knows exactly these: {} gone, {} \
             shared{}, {} matched ({} with every sensitive value true)\n",
            grouped(learned.fates.protected),
            counted(learned.fates.at_risk, "person", "people"),
            grouped(learned.fates.gone),
            grouped(learned.fates.shared),
            match learned.fates.shared_right + learned.fates.shared_learned {
                0 => String::new(),
                known => format!(" ({} whose sensitive values can be inferred)", grouped(known)),
            },
            grouped(learned.fates.matched),
            grouped(learned.fates.matched_right),
        ));
        if let Some(words) = learned.values_true_words() {
            text.push_str(&format!("           {words}\n"));
        }
        if learned.fates.newly_exposed > 0 {
            text.push_str(&format!(
                "           {} newly unique on the keys\n",
                grouped(learned.fates.newly_exposed)
            ));
        }
        for (why, people) in learned.newly_exposed_because.reasons() {
            text.push_str(&format!("             {}: {why}\n", grouped(people)));
        }
        if let Some(households) = &learned.household_fates {
            text.push_str(&format!(
                "Households {} of {} at risk protected: {} gone, {} shared, {} matched\n",
                grouped(households.protected),
                grouped(households.at_risk),
                grouped(households.gone),
                grouped(households.shared),
                grouped(households.matched),
            ));
        }
        if learned.new_pairs > 0 {
            text.push_str(&format!(
                "New pairs  {} in {}: {}\n",
                counted(
                    learned.new_pairs,
                    "combination of two values",
                    "combinations of two values"
                ),
                counted(learned.new_pairs_records, "record", "records"),
                rare_or_impossible(learned.new_pairs, learned.new_pairs_impossible),
            ));
        }
        text.push_str(&learned.alone_line());
        text.push_str(&learned.left_out_line());
        text.push_str(&learned.dependency_lines());
        text
    }
}

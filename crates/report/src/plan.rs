//! What `plan` and `protect` answer: who is protected, what it changes, who is left.

use std::collections::BTreeMap;

use marginswap_core::text::grouped;
use serde::Serialize;

use crate::answer::{Answer, aligned, counted, percent};
use crate::pictures::waterfall::{self, Coverage};

/// A plan in numbers. All are exact; that no better plan exists is not claimed.
#[derive(Debug, Clone, Serialize)]
pub struct PlanReport {
    /// How many records there are.
    pub records: u64,
    /// How many are at risk.
    pub risky: u64,
    /// Of these, how many a swap gives other keys.
    pub covered: u64,
    /// Of the covered ones, how many a swap of more than two records covers.
    pub covered_by_groups: u64,
    /// Of those at risk that are not covered, how many have no partner at all.
    pub unswappable: u64,
    /// Of the ones without a partner, how many are already disclosed.
    pub disclosed: u64,
    /// How many have partners but no swap.
    pub left_over: u64,
    /// The same, by what stands in the way.
    pub left_over_because: LeftOverReport,
    /// How many records one swap may take.
    pub max_records: usize,
    /// Of those at risk, how many no swap of any number of records can free, with proof.
    /// Null when only pairs were looked for.
    pub impossible: Option<u64>,
    /// How many are neither covered nor proved impossible. Null as above.
    pub not_found: Option<u64>,
    /// How many a swap could free, and none does: a constraint or the budget is against it, or
    /// its helpers are taken.
    pub barred: Option<u64>,
    /// How many swaps of two there are.
    pub swaps: u64,
    /// How many swaps of more records, and how many for each number of records; moves that
    /// share a record count as one.
    pub groups: u64,
    /// See `groups`.
    pub groups_by_records: BTreeMap<usize, u64>,
    /// How many records they change.
    pub records_changed: u64,
    /// How many values they change.
    pub cells_changed: u64,
    /// The weighted number of two-way tables they disturb, swap by swap.
    pub cost: u64,
    /// How many tables are kept.
    pub tables: u64,
    /// Records unique on the keys before.
    pub uniques_before: u64,
    /// And after.
    pub uniques_after: u64,
    /// Key combinations that are unique after and were not before.
    pub new_uniques: u64,
    /// Records of the original that break a rule already.
    pub broken_rules: u64,
    /// Was the seed one that others know?
    pub not_for_release: bool,
}

/// Why records that have partners are left without a swap. For each record the partner that
/// comes furthest decides.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct LeftOverReport {
    /// No exchange changes their keys and leaves alone what stays.
    pub keys: u64,
    /// No partner agrees with them where it must.
    pub no_match: u64,
    /// Every exchange breaks a rule or brings back the cell of a record at risk.
    pub not_allowed: u64,
    /// Every allowed partner is taken by another swap.
    pub taken: u64,
    /// The budget is used up.
    pub budget: u64,
    /// The search ended before all partners were looked at.
    pub not_searched: u64,
}

impl LeftOverReport {
    /// The reasons as the waterfall shows them.
    #[must_use]
    pub fn coverage(&self) -> Vec<waterfall::LeftOver> {
        let reasons = self
            .reasons()
            .into_iter()
            .map(|(reason, records)| waterfall::LeftOver { reason: reason.to_owned(), records });
        reasons.collect()
    }

    /// Each reason in words with its number, where there is one.
    #[must_use]
    pub fn reasons(&self) -> Vec<(&'static str, u64)> {
        let all = [
            ("no partner changes the keys", self.keys),
            ("no partner agrees where it must", self.no_match),
            ("every swap breaks a rule or refills a cell at risk", self.not_allowed),
            ("every partner is taken", self.taken),
            ("the budget is used up", self.budget),
            ("the search ended first", self.not_searched),
        ];
        all.into_iter().filter(|(_, number)| *number > 0).collect()
    }
}

impl PlanReport {
    /// How many risky records keep their keys.
    #[must_use]
    pub fn left(&self) -> u64 {
        self.unswappable + self.left_over
    }

    /// The same numbers as the waterfall shows them.
    #[must_use]
    pub fn coverage(&self) -> Coverage {
        Coverage {
            records: self.records,
            at_risk: self.risky,
            swappable: self.risky - self.unswappable,
            protected: self.covered,
            disclosed: self.disclosed,
            left_over: self.left_over_because.coverage(),
        }
    }
}

impl Answer for PlanReport {
    fn text(&self) -> String {
        let row = |label: &str, number: u64, whole: u64| {
            vec![label.to_owned(), grouped(number), percent(number, whole)]
        };
        let mut rows = vec![
            row("records at risk", self.risky, self.records),
            row("  protected", self.covered, self.risky),
            row("  without a partner", self.unswappable, self.risky),
            row("    of these already disclosed", self.disclosed, self.risky),
            row("  left over", self.left_over, self.risky),
        ];
        for (reason, number) in self.left_over_because.reasons() {
            rows.push(row(&format!("    {reason}"), number, self.risky));
        }
        if let (Some(impossible), Some(not_found), Some(barred)) =
            (self.impossible, self.not_found, self.barred)
        {
            let mut larger = vec![
                row("    by swaps of more than two records", self.covered_by_groups, self.risky),
                row("  no swap can free, with proof", impossible, self.risky),
                row("  no swap found", not_found, self.risky),
                row(
                    "  a swap exists, and is not allowed or its helpers are taken",
                    barred,
                    self.risky,
                ),
            ];
            for (reason, number) in self.left_over_because.reasons() {
                larger.push(row(&format!("    for pairs: {reason}"), number, self.risky));
            }
            // The proofs and the failures tell the others apart in another way.
            rows.splice(2.., larger);
        }
        rows.push(row("records changed", self.records_changed, self.records));
        let mut text = aligned(&rows);
        if self.groups > 0 {
            let sizes: Vec<String> = self
                .groups_by_records
                .iter()
                .map(|(records, groups)| format!("{} of {records}", grouped(*groups)))
                .collect();
            let groups = counted(self.groups, "group", "groups");
            text.push_str(&format!("\n{groups} of records: {}\n", sizes.join(", ")));
        }
        text.push_str(&format!(
            "\n{} change {}. {} on the keys: {} before, {} after, {} of them new.\n",
            counted(self.swaps + self.groups, "swap", "swaps"),
            counted(self.cells_changed, "value", "values"),
            "Uniques",
            grouped(self.uniques_before),
            grouped(self.uniques_after),
            grouped(self.new_uniques),
        ));
        if self.broken_rules > 0 {
            text.push_str(&format!(
                "{} of the original already break a rule.\n",
                counted(self.broken_rules, "record", "records")
            ));
        }
        if self.not_for_release {
            text.push_str("NOT FOR RELEASE: made with a demo seed that others know.\n");
        }
        text
    }
}

/// What a whole job did: the plan, and the recount of what was written.
#[derive(Debug, Clone, Serialize)]
pub struct ProtectReport {
    /// The plan.
    #[serde(flatten)]
    pub plan: PlanReport,
    /// The released file.
    pub released: String,
    /// Is every kept table of the released file as it was?
    pub equal: bool,
    /// How many cells the kept tables have.
    pub cells_kept: u64,
    /// The records an intruder who knows the keys would claim in the original file; there
    /// every claim is right.
    pub claims_before: u64,
    /// The records he would claim in the released file.
    pub claims: u64,
    /// How many of these claims are right.
    pub correct_claims: u64,
    /// The largest total variation of a two-way table that no kept table implies.
    pub two_way_max: f64,
    /// Their mean.
    pub two_way_mean: f64,
}

impl Answer for ProtectReport {
    fn text(&self) -> String {
        let plan = &self.plan;
        let mut text = format!(
            "Exact     {}, {}, recounted from {}: all unchanged\n",
            counted(plan.tables, "kept table", "kept tables"),
            counted(self.cells_kept, "cell", "cells"),
            self.released,
        );
        text.push_str(&format!(
            "Changed   {} ({}), {}; other two-way tables move by {} at most, {} on average\n",
            counted(plan.records_changed, "record", "records"),
            percent(plan.records_changed, plan.records),
            counted(plan.cells_changed, "value", "values"),
            share(self.two_way_max),
            share(self.two_way_mean),
        ));
        text.push_str(&format!(
            "Protected {} of {} at risk no longer lead to their own line\n",
            grouped(plan.covered),
            counted(plan.risky, "record", "records"),
        ));
        text.push_str(&match (plan.impossible, plan.not_found, plan.barred) {
            (Some(impossible), Some(not_found), Some(barred)) => format!(
                "          {} of them by {} of more than two records\n\
                 Left      {}: {} that no swap can free, with proof, {} for whom none was found,\n          \
                 {} whose swap is not allowed or lacks helpers\n",
                grouped(plan.covered_by_groups),
                counted(plan.groups, "group", "groups"),
                grouped(plan.left()),
                grouped(impossible),
                grouped(not_found),
                grouped(barred),
            ),
            _ => format!(
                "Left      {}: {} without any partner ({} already disclosed), {} left over\n",
                grouped(plan.left()),
                grouped(plan.unswappable),
                grouped(plan.disclosed),
                grouped(plan.left_over),
            ),
        });
        for (reason, number) in plan.left_over_because.reasons() {
            text.push_str(&format!("            {} because {reason}\n", grouped(number)));
        }
        text.push_str(&format!(
            "Claims    whoever knows the keys claims {}, {} of them rightly (before: {} of {})\n",
            counted(self.claims, "record", "records"),
            grouped(self.correct_claims),
            grouped(self.claims_before),
            grouped(self.claims_before),
        ));
        if plan.broken_rules > 0 {
            text.push_str(&format!(
                "Rules     {} of the original already break one\n",
                counted(plan.broken_rules, "record", "records")
            ));
        }
        if plan.not_for_release {
            text.push_str("NOT FOR RELEASE: made with a demo seed that others know.\n");
        }
        text
    }
}

/// A distance in percent, with two decimals.
fn share(distance: f64) -> String {
    format!("{:.2} %", distance * 100.0)
}

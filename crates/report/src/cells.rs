//! A plan from counted cells, and what was counted after an engine had carried it out.

use serde::Serialize;

use crate::answer::{Answer, aligned, counted, percent};
use marginswap_core::text::grouped;

/// A plan on cells in numbers; after the release with what was recounted.
#[derive(Debug, Clone, Serialize)]
pub struct CellsReport {
    /// How many records the table has.
    pub records: u64,
    /// In how many cells.
    pub cells: u64,
    /// How many tables are kept.
    pub tables: u64,
    /// People at risk.
    pub at_risk: u64,
    /// Of these, those whom the plan parts from their keys.
    pub parted: u64,
    /// Those whom it detaches.
    pub detached: u64,
    /// Swaps of two records.
    pub swaps: u64,
    /// Swaps of more.
    pub groups: u64,
    /// Records that change.
    pub records_changed: u64,
    /// Was the seed one that others know?
    pub not_for_release: bool,
    /// Are all kept tables equal in the released table? Unknown before it is made.
    pub equal: Option<bool>,
    /// What became of the people at risk, for each intruder.
    pub risk: Vec<CellsRisk>,
}

/// What one intruder finds in the released table.
#[derive(Debug, Clone, Default, Serialize)]
pub struct CellsRisk {
    /// The name of the intruder.
    pub name: Option<String>,
    /// People at risk.
    pub at_risk: u64,
    /// No released record has their keys.
    pub gone: u64,
    /// Two or more have them.
    pub shared: u64,
    /// Exactly one has them.
    pub matched: u64,
}

impl Answer for CellsReport {
    fn text(&self) -> String {
        let people = |count: u64| vec![grouped(count), percent(count, self.at_risk)];
        let row = |words: &str, mut numbers: Vec<String>| {
            numbers.insert(0, words.to_owned());
            numbers
        };
        let mut rows = vec![
            row("  records", vec![grouped(self.records), String::new()]),
            row("  cells", vec![grouped(self.cells), percent(self.cells, self.records)]),
            row(
                "  people at risk",
                vec![grouped(self.at_risk), percent(self.at_risk, self.records)],
            ),
            row("    parted by this plan", people(self.parted)),
            row("    detached by this plan", people(self.detached)),
        ];
        let changed =
            vec![grouped(self.records_changed), percent(self.records_changed, self.records)];
        rows.push(row("  records changed", changed));
        for risk in &self.risk {
            let of = |count: u64| vec![grouped(count), percent(count, risk.at_risk)];
            let who = risk.name.as_ref().map_or_else(String::new, |name| format!(" ({name})"));
            rows.push(row(&format!("  gone from the release{who}"), of(risk.gone)));
            rows.push(row("  shared", of(risk.shared)));
            rows.push(row("  matched", of(risk.matched)));
        }
        let mut text = aligned(&rows);
        let tables = counted(self.tables, "kept table", "kept tables");
        text.push_str(&match self.equal {
            None => format!("\n{tables}; the release is not made yet.\n"),
            Some(true) => format!("\n{tables}, recounted from the release: all unchanged.\n"),
            Some(false) => {
                format!("\n{tables}, recounted from the release: CHANGED. Do not release.\n")
            }
        });
        if self.not_for_release {
            text.push_str("NOT FOR RELEASE: made with a demo seed, which others know.\n");
        }
        text
    }
}

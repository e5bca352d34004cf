//! The internal report: everything that a reviewer decides from.
//!
//! Its class is INTERNAL. It holds counts, names of columns and hashes, no value of a record;
//! record numbers only where they were asked for.

use askama::Template;
use marginswap_core::text::grouped;
use serde::Serialize;

use super::{Concern, Figure, Style, Table, Verdict, rendered};
use crate::answer::{Answer, Names, counted, formula, percent};
use crate::graph::GraphReport;
use crate::lettering::{spoken, spoken_list};
use crate::pictures::risk::RiskPicture;
use crate::pictures::waterfall::Coverage;
use crate::pictures::{change, risk, triangle, waterfall};
use crate::sheet::{Picture, TextTable};
use crate::verify::VerifyReport;

/// A file.
#[derive(Debug, Clone, Serialize)]
pub struct FileFacts {
    /// Its name as it was given.
    pub name: String,
    /// Its length.
    pub bytes: u64,
    /// Its SHA-256.
    pub sha256: String,
    /// How many records it has.
    pub records: u64,
}

/// A column of the original file.
#[derive(Debug, Clone, Serialize)]
pub struct ColumnFacts {
    /// Its name.
    pub name: String,
    /// What may happen to it.
    pub role: String,
    /// How many different values it has; null when it was not read.
    pub levels: Option<u64>,
}

/// What an intruder knows, and who is at risk.
#[derive(Debug, Clone, Serialize)]
pub struct Scenario {
    /// The columns he knows.
    pub keys: Names,
    /// Who is at risk, in words.
    pub rule: String,
}

/// The risk in the original file.
#[derive(Debug, Clone, Serialize)]
pub struct RiskBefore {
    /// Records that no other shares all variables with.
    pub sample_uniques: u64,
    /// Records alone with their keys.
    pub unique_on_keys: u64,
    /// Records that share their keys with fewer than two others.
    pub below_3: u64,
    /// Records that share their keys with fewer than four others.
    pub below_5: u64,
}

/// What dropping one table would give.
#[derive(Debug, Clone, Serialize)]
pub struct TableWhatIf {
    /// The table.
    pub table: Names,
    /// How many of the records at risk without a partner would have one.
    pub frees: u64,
}

/// A table that is not kept and looked at all the same.
#[derive(Debug, Clone, Serialize)]
pub struct WatchReport {
    /// Its variables.
    pub table: Names,
    /// Cells whose counts differ.
    pub changed: u64,
    /// Its total variation.
    pub total_variation: f64,
    /// Its Hellinger distance.
    pub hellinger: f64,
}

/// What the swaps were chosen by.
#[derive(Debug, Clone, Serialize)]
pub struct Method {
    /// The parameters that are set, by name.
    pub parameters: Vec<(String, String)>,
}

/// The plan that made the file.
#[derive(Debug, Clone, Serialize)]
pub struct PlanFacts {
    /// The plan file.
    pub name: String,
    /// The version of the program that made it.
    pub tool_version: String,
    /// How many swaps of two records it has.
    pub swaps: u64,
    /// How many groups of more than two records.
    pub groups: u64,
    /// Is it made for the original file?
    pub fits_input: bool,
    /// Does following it give the released file, or its records in another order when these
    /// are not linked? Null when it was made for another file.
    pub gives_release: Option<bool>,
    /// Was its seed one that others know?
    pub not_for_release: bool,
}

/// A record at risk that keeps its keys; only where records are revealed.
#[derive(Debug, Clone, Serialize)]
pub struct LeftRecord {
    /// Its number from 1.
    pub record: u64,
    /// Why.
    pub reason: &'static str,
}

/// Everything that a reviewer decides from.
#[derive(Debug, Clone, Serialize)]
pub struct InternalReport {
    /// The class of the report.
    pub class: &'static str,
    /// The version of the program.
    pub tool_version: &'static str,
    /// May the file be released?
    pub verdict: Verdict,
    /// What stands against it, in sentences.
    pub concerns: Vec<Concern>,
    /// The original file.
    pub before: FileFacts,
    /// The released file.
    pub after: FileFacts,
    /// The columns of the original.
    pub columns: Vec<ColumnFacts>,
    /// What an intruder knows; null when no keys were named.
    pub scenario: Option<Scenario>,
    /// What the kept tables tie together.
    pub graph: GraphReport,
    /// The same as a picture.
    #[serde(skip)]
    pub graph_picture: Picture,
    /// The risk before; null when no keys were named.
    pub risk_before: Option<RiskBefore>,
    /// What became of the records at risk; null without keys, or when the records are not
    /// linked.
    pub coverage: Option<Coverage>,
    /// Are the disclosed records all there are, or those that are certain?
    pub disclosed_is_exact: bool,
    /// Records at risk that have no partner in a swap of two and got other keys from a larger
    /// one; null as `coverage` is.
    pub by_larger: Option<u64>,
    /// What dropping one table would give the records without a partner; null when that was
    /// too much work, or nobody asked.
    pub what_if: Option<Vec<TableWhatIf>>,
    /// The comparison of the two files.
    pub verify: VerifyReport,
    /// The watched tables.
    pub watched: Vec<WatchReport>,
    /// How the swaps were chosen, as far as it is known.
    pub method: Method,
    /// The plan, when it was given.
    pub plan: Option<PlanFacts>,
    /// The commands that do it again.
    pub replay: Vec<String>,
    /// Are the released lines in random order?
    #[serde(skip)]
    pub shuffled: bool,
    /// The records at risk that keep their keys, when they are to be revealed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_records: Option<Vec<LeftRecord>>,
}

impl InternalReport {
    /// The page.
    #[must_use]
    pub fn html(&self) -> String {
        let verify = &self.verify;
        let change = verify
            .changed_by_variable
            .as_ref()
            .map(|variables| change::draw("", variables, verify.records_before));
        let risk = verify.claims.zip(verify.uniques_before).map(|(after, before)| {
            risk::draw("", &RiskPicture { before, after, right: verify.correct_claims })
        });
        let waterfall = self.coverage.as_ref().map(|coverage| waterfall::draw("", coverage));
        let triangle = (!verify.two_way.is_empty()).then(|| triangle::draw(&verify.triangle()));
        let tables = Tables::of(self);
        rendered(&Page {
            report: self,
            style: Style,
            figures: self.figures(),
            waterfall: waterfall.as_ref().map(Figure::new),
            graph: Figure::new(&self.graph_picture),
            change: change.as_ref().map(Figure::new),
            triangle: triangle.as_ref().map(Figure::new),
            risk: risk.as_ref().map(Figure::new),
            columns: Table::new(&tables.columns),
            kept: Table::new(&tables.kept),
            risk_before: tables.risk_before.as_ref().map(Table::new),
            parameters: Table::new(&tables.parameters),
            watched: tables.watched.as_ref().map(Table::new),
            two_way: tables.two_way.as_ref().map(Table::new),
            left: tables.left.as_ref().map(Table::new),
            what_if: tables.what_if.as_ref().map(Table::new),
            revealed: tables.revealed.as_ref().map(Table::new),
            hashes: Table::new(&tables.hashes),
        })
    }

    /// The numbers of the first page: a name, a number, and what it is of.
    fn figures(&self) -> Vec<[String; 3]> {
        let verify = &self.verify;
        let mut figures: Vec<[String; 3]> = Vec::new();
        let mut push = |name: &str, number: String, of: String| {
            figures.push([name.to_owned(), number, of]);
        };
        let exact = verify.margins.iter().filter(|table| table.changed == 0).count() as u64;
        let cells: u64 = verify.margins.iter().map(|table| table.cells).sum();
        push(
            "Kept tables that are exact",
            format!("{} of {}", grouped(exact), grouped(verify.margins.len() as u64)),
            format!("{} recounted", counted(cells, "cell", "cells")),
        );
        if let Some(changed) = verify.records_changed {
            push(
                "Records changed",
                percent(changed, verify.records_before),
                format!("{} of {}", grouped(changed), grouped(verify.records_before)),
            );
        }
        if let Some(coverage) = &self.coverage {
            push(
                "Records at risk with other keys now",
                percent(coverage.protected, coverage.at_risk),
                format!("{} of {}", grouped(coverage.protected), grouped(coverage.at_risk)),
            );
        }
        if let (Some(right), Some(claims)) = (verify.correct_claims, verify.claims) {
            push(
                "Claims of an intruder that are right",
                percent(right, claims),
                format!("{} of {}; before, all", grouped(right), grouped(claims)),
            );
        }
        if let (Some(mean), Some(max)) = (verify.two_way_mean, verify.two_way_max) {
            push(
                "Other two-way tables moved by",
                format!("{:.2} %", mean * 100.0),
                format!("on average; {:.2} % at most", max * 100.0),
            );
        }
        figures
    }
}

impl Answer for InternalReport {
    fn text(&self) -> String {
        let mut text = format!("{}\n", self.verdict.words());
        for [name, number, of] in self.figures() {
            text.push_str(&format!("  {name}: {number} ({of})\n"));
        }
        for concern in &self.concerns {
            text.push_str(&format!("- {concern}\n"));
        }
        text
    }
}

/// The tables of the page.
struct Tables {
    columns: TextTable,
    kept: TextTable,
    risk_before: Option<TextTable>,
    parameters: TextTable,
    watched: Option<TextTable>,
    two_way: Option<TextTable>,
    left: Option<TextTable>,
    what_if: Option<TextTable>,
    revealed: Option<TextTable>,
    hashes: TextTable,
}

/// So many two-way tables are listed on the page.
const MOST_TWO_WAY: usize = 20;

impl Tables {
    fn of(report: &InternalReport) -> Self {
        let verify = &report.verify;
        let columns = report.columns.iter().map(|column| {
            vec![
                spoken(&column.name),
                column.role.clone(),
                column.levels.map_or_else(|| "–".to_owned(), grouped),
            ]
        });
        let kept = verify.margins.iter().map(|table| {
            let exact = if table.changed == 0 { "exactly equal" } else { "DIFFERS" };
            let [cells, changed] = [table.cells, table.changed].map(grouped);
            vec![formula(&table.margin), exact.to_owned(), cells, changed]
        });
        let risk_before = report.risk_before.as_ref().map(|risk| {
            let row = |name: &str, count: u64| {
                vec![name.to_owned(), grouped(count), percent(count, verify.records_before)]
            };
            TextTable::new(
                "The original file",
                &["records", "count", "share"],
                vec![
                    row("alone with their keys (unique)", risk.unique_on_keys),
                    row("share their keys with fewer than 2 others", risk.below_3),
                    row("share their keys with fewer than 4 others", risk.below_5),
                    row("alone with all their variables (sample uniques)", risk.sample_uniques),
                ],
            )
        });
        let parameters =
            report.method.parameters.iter().map(|(name, value)| vec![name.clone(), value.clone()]);
        let watched = report.watched.iter().map(|table| {
            vec![
                formula(&table.table),
                grouped(table.changed),
                format!("{:.4}", table.total_variation),
                format!("{:.4}", table.hellinger),
            ]
        });
        let watched: Vec<Vec<String>> = watched.collect();
        let hash = |what: &str, file: &FileFacts| {
            let name = format!("{what}: {}", crate::lettering::shown(&file.name));
            vec![name, format!("{} bytes", grouped(file.bytes)), file.sha256.clone()]
        };
        Self {
            columns: TextTable::new(
                "The columns of the original file",
                &["column", "role", "different values"],
                columns.collect(),
            ),
            kept: TextTable::new(
                "Every kept table, recounted in both files",
                &["table", "result", "cells", "cells that differ"],
                kept.collect(),
            ),
            risk_before,
            parameters: TextTable::new("Parameters", &["parameter", "value"], parameters.collect()),
            watched: (!watched.is_empty()).then(|| {
                TextTable::new(
                    "Watched tables, which are not kept",
                    &["table", "cells that differ", "total variation", "Hellinger"],
                    watched,
                )
            }),
            two_way: two_way(verify),
            left: report.coverage.as_ref().map(left),
            what_if: report.what_if.as_ref().filter(|list| !list.is_empty()).map(|list| {
                let rows = list.iter().map(|what| vec![formula(&what.table), grouped(what.frees)]);
                TextTable::new(
                    "If one table were not kept",
                    &["table", "records that would have a partner"],
                    rows.collect(),
                )
            }),
            revealed: report.left_records.as_ref().map(|list| {
                let rows =
                    list.iter().map(|left| vec![grouped(left.record), left.reason.to_owned()]);
                TextTable::new(
                    "Records at risk that keep their keys",
                    &["record", "reason"],
                    rows.collect(),
                )
            }),
            hashes: TextTable::new(
                "SHA-256 of the files",
                &["file", "length", "SHA-256"],
                vec![hash("original", &report.before), hash("released", &report.after)],
            ),
        }
    }
}

fn left(coverage: &Coverage) -> TextTable {
    let row = |name: &str, count: u64| {
        vec![name.to_owned(), grouped(count), percent(count, coverage.at_risk)]
    };
    let mut rows = vec![
        row("no partner in a swap of two records", coverage.without_partner()),
        row("of these already disclosed by what every swap keeps", coverage.disclosed),
    ];
    rows.extend(
        coverage
            .left_over
            .iter()
            .map(|left| row(&format!("has partners, {}", left.reason), left.records)),
    );
    rows.push(row("left over in all", coverage.left()));
    TextTable::new(
        "Records at risk that keep their keys, by reason",
        &["reason", "records", "share of those at risk"],
        rows,
    )
}

fn two_way(verify: &VerifyReport) -> Option<TextTable> {
    let mut others: Vec<_> =
        verify.two_way.iter().filter(|table| !table.kept && table.changed > 0).collect();
    if others.is_empty() {
        return None;
    }
    others.sort_by(|left, right| right.total_variation.total_cmp(&left.total_variation));
    let share =
        |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| format!("{value:.4}"));
    let rows = others.iter().take(MOST_TWO_WAY).map(|table| {
        vec![
            formula(&table.pair),
            grouped(table.changed),
            format!("{:.4}", table.total_variation),
            format!("{:.4}", table.hellinger),
            share(table.cramers_v_before),
            share(table.cramers_v_after),
        ]
    });
    let caption = match others.len() > MOST_TWO_WAY {
        true => format!("The {MOST_TWO_WAY} two-way tables that moved most, of {}", others.len()),
        false => "The two-way tables that moved".to_owned(),
    };
    let heads = [
        "table",
        "cells that differ",
        "total variation",
        "Hellinger",
        "Cramér’s V before",
        "after",
    ];
    Some(TextTable::new(caption, &heads, rows.collect()))
}

impl Page<'_> {
    fn grouped(&self, number: &u64) -> String {
        grouped(*number)
    }

    fn percent(&self, part: &u64, whole: &u64) -> String {
        percent(*part, *whole)
    }

    fn swaps(&self, plan: &PlanFacts) -> String {
        let swaps = counted(plan.swaps, "swap of two records", "swaps of two records");
        match plan.groups {
            0 => swaps,
            groups => format!("{swaps} and {} of more", counted(groups, "group", "groups")),
        }
    }

    fn listed(&self, names: &[String]) -> String {
        spoken_list(names)
    }
}

#[derive(Template)]
#[template(path = "internal.html")]
struct Page<'a> {
    report: &'a InternalReport,
    style: Style,
    figures: Vec<[String; 3]>,
    waterfall: Option<Figure<'a>>,
    graph: Figure<'a>,
    change: Option<Figure<'a>>,
    triangle: Option<Figure<'a>>,
    risk: Option<Figure<'a>>,
    columns: Table<'a>,
    kept: Table<'a>,
    risk_before: Option<Table<'a>>,
    parameters: Table<'a>,
    watched: Option<Table<'a>>,
    two_way: Option<Table<'a>>,
    left: Option<Table<'a>>,
    what_if: Option<Table<'a>>,
    revealed: Option<Table<'a>>,
    hashes: Table<'a>,
}

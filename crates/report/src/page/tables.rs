//! The tables of the internal report.

use marginswap_core::text::grouped;

use super::internal::InternalReport;
use super::{ColumnFacts, FileFacts, LeftRecord, RiskBefore};
use crate::answer::{counted, distance, formula, percent, share, shown};
use crate::found::{FoundBySomeKeys, people};
use crate::lettering::{spoken, spoken_list};
use crate::protection::{Fates, HouseholdProtection, ScenarioProtection};
use crate::published::PublishedReport;
use crate::sheet::TextTable;
use crate::verify::VerifyReport;

/// How many two-way tables are listed on the page.
const MOST_TWO_WAY: usize = 20;

/// Up to this many published tables are listed one by one although nothing was found in them.
const MOST_PUBLISHED: usize = 50;

/// The columns of the released file, or those that were held back.
pub(super) fn columns(report: &InternalReport, released: bool) -> Option<TextTable> {
    let records = report.after.records;
    let row = |column: &ColumnFacts| {
        let known = |number: String| match column.levels_is_exact {
            true => number,
            false => format!("at least {number}"),
        };
        vec![
            spoken(&column.name),
            column.role.clone(),
            column.levels.map_or_else(|| "–".to_owned(), |levels| known(grouped(levels))),
            column.levels.map_or_else(|| "–".to_owned(), |levels| known(percent(levels, records))),
        ]
    };
    let rows: Vec<Vec<String>> =
        report.columns.iter().filter(|column| column.released == released).map(row).collect();
    let (caption, what) = match released {
        true => ("Every column of the released file", "what was done to it"),
        false => ("Columns of the original that are not in the released file", "role"),
    };
    let heads = ["column", what, "different values", "as share of records"];
    (!rows.is_empty()).then(|| TextTable::new(caption, &heads, rows))
}

/// What one intruder learns; alone, or one of several.
pub(super) fn scenario(scenario: &ScenarioProtection) -> TextTable {
    fates(
        format!("What {} finds who knows {}", scenario.who(), spoken_list(&scenario.keys)),
        &scenario.fates,
    )
}

/// Who is found by an intruder who knows some of the keys.
pub(super) fn found(found: &FoundBySomeKeys) -> TextTable {
    let row =
        |who: &str, people: String, by_chance: String| vec![who.to_owned(), people, by_chance];
    let told = &found.people;
    let mut rows = vec![
        row("found", grouped(told.found), grouped(told.found_by_chance)),
        row("newly found", grouped(told.newly_found), grouped(told.newly_found_by_chance)),
    ];
    if let (Some(people), Some(by_chance)) = (found.found_roughly, found.found_roughly_by_chance) {
        rows.push(row("found when numbers are known roughly", grouped(people), grouped(by_chance)));
    }
    if let (Some(linked), Some(by_chance)) = (found.linked, found.linked_by_chance) {
        let words = "linked to the record that agrees best";
        rows.push(row(words, people(linked), people(by_chance)));
    }
    for one in found.true_at_least.iter().rev().skip(1) {
        let values = counted(one.values as u64, "sensitive value", "sensitive values");
        let words = format!("at least {values} true on a record");
        rows.push(row(&words, grouped(one.people), grouped(one.by_chance)));
    }
    TextTable::new(
        "People who are found through some of the keys",
        &["who", "people", "by chance"],
        rows,
    )
}

/// What is learned of each sensitive variable alone.
pub(super) fn alone(found: &FoundBySomeKeys) -> TextTable {
    let told = |right: Option<f64>| right.map_or_else(|| "–".to_owned(), share);
    let rows = found.sensitive_alone.iter().map(|one| {
        let shares = [one.share_right, one.share_right_by_chance].map(told);
        let mut row = vec![spoken(&one.variable), grouped(one.claims)];
        row.extend(shares);
        row
    });
    TextTable::new(
        "What records that some of the keys lead to tell of each sensitive variable",
        &["variable", "values told", "true", "true by chance"],
        rows.collect(),
    )
}

/// The worst of several intruders for each person.
pub(super) fn worst_case(report: &InternalReport) -> Option<TextTable> {
    let protection = &report.verify.protection;
    (protection.scenarios.len() > 1).then(|| {
        let caption = "The worst of all scenarios, person by person".to_owned();
        fates(caption, &protection.fates)
    })
}

fn fates(caption: String, fates: &Fates) -> TextTable {
    let mut rows = fates.rows();
    for row in &mut rows {
        row[0] = row[0].trim_start().to_owned();
    }
    TextTable::new(caption, &["who", "people", "share of those at risk"], rows)
}

/// What is found of whole households.
pub(super) fn households(found: &HouseholdProtection) -> TextTable {
    let mut rows = found.rows();
    for row in &mut rows {
        row[0] = row[0].trim_start().to_owned();
    }
    TextTable::new(
        "What an intruder finds who knows the keys of all members of a household",
        &["who", "households", "share of those at risk"],
        rows,
    )
}

/// New combinations by pair of variables.
pub(super) fn new_pairs(report: &InternalReport) -> Option<TextTable> {
    let pairs = &report.verify.protection.new_pairs_by_variables;
    let rows = pairs.iter().map(|found| {
        vec![
            formula(&found.pair),
            grouped(found.combinations),
            grouped(found.impossible),
            grouped(found.records),
        ]
    });
    (!pairs.is_empty()).then(|| {
        TextTable::new(
            "New pairs, by pair of variables",
            &["variables", "new combinations", "that look impossible", "released records with one"],
            rows.collect(),
        )
    })
}

/// Every kept table.
pub(super) fn kept(verify: &VerifyReport) -> TextTable {
    let rows = verify.margins.iter().map(|table| {
        let result = if table.changed == 0 { "unchanged" } else { "DIFFERS" };
        let [cells, changed] = [table.cells, table.changed].map(grouped);
        vec![table.title(), result.to_owned(), cells, changed]
    });
    TextTable::new(
        "Every kept table, recounted in both files",
        &["table", "result", "cells", "cells that differ"],
        rows.collect(),
    )
}

/// Every published table with a finding, and how many have none.
pub(super) fn published(verify: &VerifyReport) -> Option<TextTable> {
    let tables = &verify.published;
    let row = |table: &PublishedReport| {
        vec![
            table.title(),
            grouped(table.cells),
            grouped(table.suppressed),
            table.release_changes.words(),
            table.original_differs.words(),
        ]
    };
    let (found, clean): (Vec<&PublishedReport>, Vec<&PublishedReport>) =
        tables.iter().partition(|table| table.has_findings());
    let few = tables.len() <= MOST_PUBLISHED;
    let mut rows: Vec<Vec<String>> =
        found.into_iter().chain(clean.iter().copied().filter(|_| few)).map(row).collect();
    if !few && !clean.is_empty() {
        let sum = |count: fn(&PublishedReport) -> u64| {
            grouped(clean.iter().map(|table| count(table)).sum())
        };
        rows.push(vec![
            format!("{} without a finding", counted(clean.len() as u64, "table", "tables")),
            sum(|table| table.cells),
            sum(|table| table.suppressed),
            "0".to_owned(),
            "0".to_owned(),
        ]);
    }
    (!tables.is_empty()).then(|| {
        TextTable::new(
            "Published numbers, compared with both files",
            &["table", "cells", "suppressed", "changed by the release", "original differs"],
            rows,
        )
    })
}

/// The risk in the original file.
pub(super) fn risk_before(risk: &RiskBefore, records: u64) -> TextTable {
    let row =
        |name: &str, count: u64| vec![name.to_owned(), grouped(count), percent(count, records)];
    TextTable::new(
        match &risk.name {
            None => format!("The original file, keys {}", spoken_list(&risk.keys)),
            Some(name) => {
                let keys = spoken_list(&risk.keys);
                format!("The original file, scenario “{}”, keys {keys}", shown(name))
            }
        },
        &["records", "count", "share"],
        vec![
            row("alone with their keys", risk.unique_on_keys),
            row("share their keys with fewer than 2 others", risk.below_3),
            row("share their keys with fewer than 4 others", risk.below_5),
            row("alone with the values of all variables (sample uniques)", risk.sample_uniques),
        ],
    )
}

/// The parameters of the method.
pub(super) fn parameters(report: &InternalReport) -> Option<TextTable> {
    let parameters = &report.method.parameters;
    let rows = parameters.iter().map(|(name, value)| vec![name.clone(), value.clone()]);
    (!parameters.is_empty())
        .then(|| TextTable::new("Parameters", &["parameter", "value"], rows.collect()))
}

/// The watched tables.
pub(super) fn watched(report: &InternalReport) -> Option<TextTable> {
    let rows = report.watched.iter().map(|table| {
        vec![
            formula(&table.table),
            grouped(table.changed),
            distance(table.total_variation),
            distance(table.hellinger),
        ]
    });
    (!report.watched.is_empty()).then(|| {
        TextTable::new(
            "Watched tables, which are not kept",
            &["table", "cells that differ", "total variation", "Hellinger"],
            rows.collect(),
        )
    })
}

/// The people at risk who are still matched, by record.
pub(super) fn revealed(report: &InternalReport) -> Vec<TextTable> {
    let table = |title: &str, list: &Option<Vec<LeftRecord>>| {
        let rows = list.as_ref()?.iter();
        let rows = rows.map(|left| vec![grouped(left.record), left.reason.to_string()]);
        let heads = ["record of the original", "reason"];
        Some(TextTable::new(title, &heads, rows.collect()))
    };
    let exposed = report.exposed_records.clone().filter(|list| !list.is_empty());
    let tables = [
        table("People at risk who are still matched", &report.left_records),
        table("People who are newly exposed", &exposed),
    ];
    tables.into_iter().flatten().collect()
}

/// How far weighted counts of kept tables moved, where they need not be exact.
pub(super) fn weighted(report: &VerifyReport) -> Option<TextTable> {
    if report.weighted.is_empty() {
        return None;
    }
    let rows = report.weighted.iter().map(|table| {
        let numbers = [table.cells, table.moved].map(grouped);
        let [cells, moved] = numbers;
        vec![formula(&table.margin), cells, moved, table.largest_words()]
    });
    Some(TextTable::new(
        "Weighted counts of kept tables",
        &["table", "cells", "moved", "largest drift"],
        rows.collect(),
    ))
}

/// The hashes of the files.
pub(super) fn hashes(report: &InternalReport) -> TextTable {
    let row = |what: &str, file: &FileFacts| {
        let name = format!("{what}: {}", crate::lettering::shown(&file.name));
        vec![name, format!("{} bytes", grouped(file.bytes)), file.sha256.clone()]
    };
    TextTable::new(
        "SHA-256 of the files",
        &["file", "length", "SHA-256"],
        vec![row("original", &report.before), row("released", &report.after)],
    )
}

/// The two-way tables that moved most.
pub(super) fn two_way(verify: &VerifyReport) -> Option<TextTable> {
    let mut others: Vec<_> =
        verify.two_way.iter().filter(|table| !table.kept && table.changed > 0).collect();
    if others.is_empty() {
        return None;
    }
    others.sort_by(|left, right| right.total_variation.total_cmp(&left.total_variation));
    let association =
        |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| format!("{value:.4}"));
    let rows = others.iter().take(MOST_TWO_WAY).map(|table| {
        vec![
            formula(&table.pair),
            grouped(table.changed),
            distance(table.total_variation),
            distance(table.hellinger),
            association(table.cramers_v_before),
            association(table.cramers_v_after),
        ]
    });
    let caption = match others.len() > MOST_TWO_WAY {
        true => format!("The {MOST_TWO_WAY} two-way tables that moved most, of {}", others.len()),
        false => "The two-way tables that changed".to_owned(),
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

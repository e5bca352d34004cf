//! What `show` answers: a plan in a few lines, complete in JSON, swap by swap on request.
//!
//! What was counted when the plan was made is in its file as JSON (`summary`); a plan of an
//! older version may lack some of it, and then the line is left out.

use std::fmt::Write;

use marginswap_core::text::grouped;
use serde::Serialize;
use serde_json::Value;

use crate::answer::{Answer, Names, aligned_left, counted, listed, percent};
use crate::verify::Exchanged;

/// A plan in numbers, and on request swap by swap.
#[derive(Debug, Clone, Serialize)]
pub struct ShowReport {
    /// The version that made it.
    pub tool_version: String,
    /// The checksum of the file that it was made for.
    pub input_sha256: String,
    /// How many records that file has.
    pub records: u64,
    /// Its columns.
    pub columns: Names,
    /// The settings that the plan was made with.
    pub parameters: Value,
    /// Is the seed a demo seed, which others know?
    pub not_for_release: bool,
    /// What `plan` answered.
    pub summary: Value,
    /// The swaps and groups of records.
    #[serde(flatten)]
    pub step: ShownStep,
    /// Where records are households, those of single lines that follow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub then: Option<ShownStep>,
}

/// The swaps and groups of one step, in numbers and on request one by one.
#[derive(Debug, Clone, Serialize)]
pub struct ShownStep {
    /// How many swaps of two records there are.
    pub swaps: u64,
    /// How many swaps of more records.
    pub groups: u64,
    /// In how many of these each column is exchanged, the most frequent first.
    pub exchanged: Vec<ExchangedColumn>,
    /// Every swap of two records, when they are asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revealed: Option<Vec<RevealedSwap>>,
    /// Every swap of more records, when they are asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revealed_groups: Option<Vec<RevealedGroup>>,
}

/// A column, and how often it is exchanged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExchangedColumn {
    /// Its name.
    pub column: String,
    /// In how many swaps and groups.
    pub swaps: u64,
}

/// One swap of two records.
#[derive(Debug, Clone, Serialize)]
pub struct RevealedSwap {
    /// One record, counted from 1.
    pub left: u64,
    /// The other one.
    pub right: u64,
    /// What they exchange.
    pub exchanged: Names,
}

/// One swap of more records.
#[derive(Debug, Clone, Serialize)]
pub struct RevealedGroup {
    /// The records, counted from 1.
    pub records: Vec<u64>,
    /// What they take from one another.
    pub takes: Vec<RevealedTake>,
}

/// From which record each record of the group takes its value in a column.
#[derive(Debug, Clone, Serialize)]
pub struct RevealedTake {
    /// The column.
    pub column: String,
    /// For each record of the group the one that it takes the value from.
    pub from: Vec<u64>,
}

/// How many columns the text lists.
const SHOWN: usize = 5;

/// Settings that have a line of their own.
const TOLD: [&str; 4] = ["tables", "households", "keys", "more_keys"];

impl ShowReport {
    fn number(&self, field: &str) -> Option<u64> {
        self.summary.get(field).and_then(Value::as_u64)
    }

    /// Whole households are its records where one column names them.
    fn exchanged(&self) -> Exchanged {
        match self.parameters.get("household").is_some_and(Value::is_string) {
            true => Exchanged::Households,
            false => Exchanged::Records,
        }
    }

    /// How many lines the file has: as many as there are persons in its households.
    fn lines(&self) -> u64 {
        let persons = self.summary.get("planned_households").and_then(|told| told.get("persons"));
        persons.and_then(Value::as_u64).unwrap_or(self.records)
    }

    /// Was it made for a file of persons and one of their households?
    #[must_use]
    pub fn has_household_file(&self) -> bool {
        let told = self.summary.get("planned_households");
        told.and_then(|told| told.get("household_file")).and_then(Value::as_bool) == Some(true)
    }

    /// The kept tables, those that count households last.
    fn tables(&self) -> Option<String> {
        let told = |name: &str| -> Vec<String> {
            let tables = self.parameters.get(name).and_then(Value::as_array).into_iter().flatten();
            tables.filter_map(Value::as_str).map(str::to_owned).collect()
        };
        let (mut tables, households) = (told("tables"), told("households"));
        if self.exchanged() == Exchanged::Households {
            tables.iter_mut().for_each(|table| table.push_str(" (persons)"));
        }
        tables.extend(households.into_iter().map(|table| format!("{table} (households)")));
        (!tables.is_empty()).then(|| tables.join(" + "))
    }

    /// What each intruder knows, and how many people are at risk.
    fn intruders(&self) -> Vec<String> {
        let scenarios = self.summary.get("scenarios").and_then(Value::as_array);
        let names = |value: &Value, field: &str| -> Names {
            let list = value.get(field).and_then(Value::as_array).into_iter().flatten();
            list.filter_map(Value::as_str).map(str::to_owned).collect()
        };
        let told = |scenario: &Value| {
            let at_risk = scenario.get("at_risk").and_then(Value::as_u64)?;
            Some(format!(
                "one who knows {}: {} at risk ({})",
                listed(&names(scenario, "keys")),
                counted(at_risk, "person", "people"),
                percent(at_risk, self.lines())
            ))
        };
        scenarios.into_iter().flatten().filter_map(told).collect()
    }

    fn changes(&self) -> String {
        let (one, many) = (self.exchanged().one(), self.exchanged().many());
        let mut words = counted(
            self.step.swaps,
            &format!("swap of two {many}"),
            &format!("swaps of two {many}"),
        );
        if self.step.groups > 0 {
            let more = counted(self.step.groups, "larger swap", "larger swaps");
            let _ = write!(words, " and {more}");
        }
        if let Some(records) = self.number("records_changed") {
            let _ = write!(
                words,
                ": {} ({}) change",
                counted(records, one, many),
                percent(records, self.records)
            );
        }
        words
    }

    fn most_exchanged(&self) -> Option<String> {
        let columns = self.step.exchanged.iter().take(SHOWN);
        let words: Vec<String> = columns
            .map(|one| {
                format!("{} in {}", listed(std::slice::from_ref(&one.column)), grouped(one.swaps))
            })
            .collect();
        let more = self.step.exchanged.len().saturating_sub(SHOWN) as u64;
        let more = match more {
            0 => String::new(),
            more => format!(" and {}", counted(more, "more column", "more columns")),
        };
        (!words.is_empty()).then(|| words.join(", ") + &more)
    }

    /// What is known of the people at risk, in words.
    fn foreseen(&self) -> Option<String> {
        let [gone, shared, matched, right, exposed] =
            ["gone", "shared", "matched", "matched_right", "newly_exposed"]
                .map(|field| self.number(field));
        Some(format!(
            "{} gone, {} shared, {} matched ({} with every sensitive value true); {} newly exposed",
            grouped(gone?),
            grouped(shared?),
            grouped(matched?),
            grouped(right?),
            grouped(exposed?)
        ))
    }

    fn settings(&self) -> Option<String> {
        let all = self.parameters.as_object()?.iter();
        let is_empty = |value: &Value| {
            value.is_null()
                || value.as_array().is_some_and(Vec::is_empty)
                || value.as_object().is_some_and(serde_json::Map::is_empty)
        };
        let others = all.filter(|(name, value)| !TOLD.contains(&name.as_str()) && !is_empty(value));
        let words: Vec<String> = others.map(|(name, value)| format!("{name} = {value}")).collect();
        (!words.is_empty()).then(|| words.join("; "))
    }
}

impl ShownStep {
    fn between_persons(&self) -> String {
        let names: Names = self.exchanged.iter().map(|one| one.column.clone()).collect();
        let mut words = counted(self.swaps, "swap of two persons", "swaps of two persons");
        if self.groups > 0 {
            let more = counted(self.groups, "larger swap", "larger swaps");
            let _ = write!(words, " and {more}");
        }
        match names.is_empty() {
            true => words,
            false => format!("{words}, of {}", listed(&names)),
        }
    }

    fn revealed(&self) -> String {
        let mut text = String::new();
        let numbers = |records: &[u64]| -> String {
            records.iter().map(u64::to_string).collect::<Vec<_>>().join(" ")
        };
        for group in self.revealed_groups.iter().flatten() {
            let _ = writeln!(text, "\n  group {}", numbers(&group.records));
            for take in &group.takes {
                let _ = writeln!(text, "    {} from {}", take.column, numbers(&take.from));
            }
        }
        if let Some(swaps) = &self.revealed {
            text.push('\n');
            for swap in swaps {
                let _ =
                    writeln!(text, "  {} {}  {}", swap.left, swap.right, swap.exchanged.join(", "));
            }
        }
        text
    }
}

impl Answer for ShowReport {
    fn text(&self) -> String {
        let mut rows: Vec<Vec<String>> = Vec::new();
        let mut row = |label: &str, words: Option<String>| {
            rows.extend(words.map(|words| vec![label.to_owned(), words]));
        };
        row("made for", Some(format!("the file with SHA-256 {}", self.input_sha256)));
        row("keeps", self.tables().map(|tables| format!("{tables}, exactly as they are")));
        for (place, intruder) in self.intruders().into_iter().enumerate() {
            row(if place == 0 { "intruders" } else { "" }, Some(intruder));
        }
        row("changes", Some(self.changes()));
        row("exchanges", self.most_exchanged());
        row("then", self.then.as_ref().map(ShownStep::between_persons));
        row("foreseen", self.foreseen());
        let (one, many) = match self.exchanged() {
            Exchanged::Records => ("person", "people"),
            Exchanged::Households => ("household", "households"),
        };
        row(
            "no swap",
            without_swap(&self.summary).map(|left| {
                let words = format!("{} at risk without an exchange", counted(left, one, many));
                match self.summary.get("then").and_then(without_swap) {
                    None => words,
                    Some(left) => format!(
                        "{words} of households; {} at risk after the exchange of persons",
                        counted(left, "person", "persons")
                    ),
                }
            }),
        );
        row("settings", self.settings());
        let mut text = format!(
            "A plan for a file of {} and {}, made by marginswap {}. SECRET: it undoes the protection.\n{}",
            match self.exchanged() {
                Exchanged::Records => counted(self.records, "record", "records"),
                Exchanged::Households => format!(
                    "{} in {}",
                    counted(self.lines(), "record", "records"),
                    counted(self.records, "household", "households")
                ),
            },
            counted(self.columns.len() as u64, "column", "columns"),
            self.tool_version,
            aligned_left(&rows)
        );
        if self.not_for_release {
            text.push_str("NOT FOR RELEASE: made with a demo seed, which others know.\n");
        }
        if self.step.revealed.is_none() {
            text.push_str("--reveal lists every swap, --json gives every number.\n");
            return text;
        }
        text.push_str(&self.step.revealed());
        if let Some(then) = &self.then {
            text.push_str("\nthen, between single lines:\n");
            text.push_str(&then.revealed());
        }
        text
    }
}

/// How many are without a swap, as a plan tells it, or one of an earlier version.
fn without_swap(told: &Value) -> Option<u64> {
    ["without_swap", "left"].iter().find_map(|name| told.get(name).and_then(Value::as_u64))
}

//! What `verify` answers: may the file be released, is every kept table unchanged, what does an
//! intruder learn, and what changed?

use std::collections::BTreeSet;
use std::sync::LazyLock;

use marginswap_core::text::{escaped, grouped};
use serde::Serialize;

use crate::advice::{self, Advice};
use crate::answer::{Answer, Names, aligned, counted, distance, formula, listed, percent};
use crate::pictures::triangle::{Distance, Fate, TrianglePicture};
use crate::protection::{HouseholdProtection, Judgement, Protection, Verdict};
use crate::published::{self, PublishedReport};

/// How many differing tables the text lists.
const MOST_DIFFERING: usize = 40;

/// How many two-way tables the text lists.
const MOST_TABLES: usize = 10;

/// A released file next to the original it was made from. Every count is exact; a number that
/// is null was not asked for, or cannot be known because the records are not linked.
#[derive(Debug, Clone, Serialize)]
pub struct VerifyReport {
    /// What the gate says of the released file.
    #[serde(flatten)]
    pub judgement: Judgement,
    /// Has the released file as many records, and is every kept table unchanged?
    pub equal: bool,
    /// How many records the original file has.
    pub records_before: u64,
    /// How many the released file has.
    pub records_after: u64,
    /// The households of the records, where these are swapped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub households: Option<HouseholdsReport>,
    /// The kept tables.
    pub margins: Vec<MarginReport>,
    /// The published tables.
    pub published: Vec<PublishedReport>,
    /// What intruders learn, from the contents of the two files alone.
    #[serde(flatten)]
    pub protection: Protection,
    /// The new combinations with their values, where they are revealed (SECRET).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_pairs_revealed: Option<Vec<RevealedPair>>,
    /// What would help the people at risk who are left.
    pub advice: Vec<Advice>,
    /// Original records that the released file no longer has, counted with repetition: what
    /// was changed, whether or not the records are linked.
    pub replaced: u64,
    /// Records that differ in some variable.
    pub records_changed: Option<u64>,
    /// Values that differ.
    pub cells_changed: Option<u64>,
    /// Records that differ in each variable.
    pub changed_by_variable: Option<Vec<VariableReport>>,
    /// How useful the released file still is.
    pub usefulness: Usefulness,
    /// How far weighted counts of kept tables moved, where they need not be exact.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub weighted: Vec<WeightedReport>,
    /// Columns of which the original quotes some fields and not others, though none need it, and
    /// the released file those that need it: quotes travel with values and would give swaps away.
    pub requoted: Names,
    /// Sets of columns whose counts differ although no swap can change them.
    pub broken: Vec<Names>,
    /// Why the records could not be linked by their ids, if that was asked for.
    pub unlinked: Option<String>,
    /// Does the released file look like the original in another order? Then records with the
    /// same number are not linked.
    pub reordered: bool,
    /// Every two-way table.
    pub two_way: Vec<TwoWayReport>,
    /// The largest total variation of the two-way tables that are in no kept table; null when
    /// there are none.
    pub two_way_max: Option<f64>,
    /// Their mean total variation.
    pub two_way_mean: Option<f64>,
    /// The largest total variation of the three-way tables that are in no kept table.
    pub three_way_max: Option<f64>,
    /// Their mean total variation.
    pub three_way_mean: Option<f64>,
}

/// How useful a released file still is, and how many of its records and values were changed.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Usefulness {
    /// Two-way tables that are not kept, of variables with few levels.
    pub tables: u64,
    /// By which share of the records they moved on average; null when there are none.
    pub moved_mean: Option<f64>,
    /// By which share of the records the one moved that moved most.
    pub moved_max: Option<f64>,
    /// Which one that is; null when none moved.
    pub most_moved: Option<[String; 2]>,
    /// The largest move of a weighted count of a kept table, as a share of it; null without a
    /// weight, or where a count was zero.
    pub weighted_max: Option<f64>,
}

impl Usefulness {
    /// How far tables moved, for the end of a line that says what was changed.
    pub(crate) fn words(&self) -> String {
        let mut text = String::new();
        if let (Some(mean), Some(max)) = (self.moved_mean, self.moved_max) {
            let most = self.most_moved.as_ref();
            text.push_str(&match most {
                None => "; no two-way table moves".to_owned(),
                Some(most) => format!(
                    "; two-way tables that are not kept move by {} of the records on average, {} \
                     at most ({})",
                    distance(mean),
                    distance(max),
                    formula(most)
                ),
            });
        }
        if let Some(most) = self.weighted_max {
            text.push_str(&match most == 0.0 {
                true => "; weighted counts of kept tables do not move".to_owned(),
                false => {
                    format!("; weighted counts of kept tables move by {} at most", distance(most))
                }
            });
        }
        text
    }
}

/// The households of two files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct HouseholdsReport {
    /// How many the original file has.
    pub before: u64,
    /// How many the released file has.
    pub after: u64,
    /// How many are changed; null where they are not linked.
    pub changed: Option<u64>,
    /// Released households whose members differ in what a household has in common.
    pub torn: u64,
}

impl HouseholdsReport {
    pub(crate) fn line(&self) -> String {
        let mut text = match self.before == self.after {
            true => format!("{} in both files", counted(self.before, "household", "households")),
            false => format!(
                "{} in the original file, {} in the released one",
                counted(self.before, "household", "households"),
                grouped(self.after)
            ),
        };
        if let Some(changed) = self.changed {
            text.push_str(&format!(", {} changed", grouped(changed)));
        }
        match self.torn {
            0 => text.push_str("; the members of each are together.\n"),
            torn => text.push_str(&format!(
                "; {} torn: members differ in what a household has in common.\n",
                counted(torn, "is", "are")
            )),
        }
        text
    }
}

/// What is exchanged as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exchanged {
    /// Single records.
    Records,
    /// Households.
    Households,
}

impl Exchanged {
    /// One of them, in words.
    #[must_use]
    pub fn one(self) -> &'static str {
        match self {
            Self::Records => "record",
            Self::Households => "household",
        }
    }

    /// Several of them.
    #[must_use]
    pub fn many(self) -> &'static str {
        match self {
            Self::Records => "records",
            Self::Households => "households",
        }
    }
}

/// What a table counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Counted {
    /// Each person once.
    Persons,
    /// Each household once.
    Households,
}

/// A kept table.
#[derive(Debug, Clone, Serialize)]
pub struct MarginReport {
    /// What it counts, where there are households.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counts: Option<Counted>,
    /// Its variables.
    pub margin: Names,
    /// What it is called, where it has a name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Cells that hold a record in either file.
    pub cells: u64,
    /// Cells whose counts differ.
    pub changed: u64,
}

impl MarginReport {
    /// The table as a formula, with its name.
    #[must_use]
    pub fn title(&self) -> String {
        let name = self.name.as_ref().map(|name| format!(" [{}]", escaped(name)));
        let counts = match self.counts {
            Some(Counted::Households) => " (households)",
            Some(Counted::Persons) => " (persons)",
            None => "",
        };
        format!("{}{}{counts}", formula(&self.margin), name.unwrap_or_default())
    }
}

/// The weighted counts of a kept table.
#[derive(Debug, Clone, Serialize)]
pub struct WeightedReport {
    /// Its variables.
    pub margin: Names,
    /// Cells that hold a record in either file.
    pub cells: u64,
    /// Cells whose weighted counts differ.
    pub moved: u64,
    /// Cells that moved further than they may.
    pub beyond: u64,
    /// The largest move, as a share of the original weighted count; null where that is zero.
    pub largest: Option<f64>,
}

/// A new combination with its values.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RevealedPair {
    /// The variables.
    pub pair: [String; 2],
    /// Their values; null for none.
    pub values: [Option<String>; 2],
    /// How many original records have each of them.
    pub having: [u64; 2],
    /// Does it look impossible? Otherwise it is absent from the original by rarity.
    pub impossible: bool,
    /// How many released records have it.
    pub records: u64,
}

/// The revealed combinations, those that look impossible first.
fn revealed(pairs: &[RevealedPair]) -> String {
    let row = |found: &RevealedPair| {
        let values = found.values.each_ref().map(|value| match value {
            Some(value) => format!("“{}”", escaped(value)),
            None => "(null)".to_owned(),
        });
        vec![
            formula(&found.pair),
            values.join(" with "),
            counted(found.records, "record", "records"),
            format!(
                "{} and {} in the original",
                grouped(found.having[0]),
                grouped(found.having[1])
            ),
            if found.impossible { "looks impossible" } else { "absent by rarity" }.to_owned(),
        ]
    };
    let rows: Vec<Vec<String>> = pairs.iter().map(row).collect();
    format!(
        "New pairs with their values (SECRET: they point to swapped records):\n{}",
        aligned(&rows)
    )
}

/// What changed in one variable.
#[derive(Debug, Clone, Serialize)]
pub struct VariableReport {
    /// Its name.
    pub variable: String,
    /// Records that differ in it.
    pub changed: u64,
}

/// A two-way table.
#[derive(Debug, Clone, Serialize)]
pub struct TwoWayReport {
    /// Its two variables.
    pub pair: [String; 2],
    /// Does a kept table hold both?
    pub kept: bool,
    /// Cells whose counts differ.
    pub changed: u64,
    /// Half the sum of the differences of shares.
    pub total_variation: f64,
    /// The Hellinger distance of the shares.
    pub hellinger: f64,
    /// Cramér's V in the original file; null when a variable has a single value.
    pub cramers_v_before: Option<f64>,
    /// Cramér's V in the released file.
    pub cramers_v_after: Option<f64>,
}

impl WeightedReport {
    /// The largest drift.
    pub(crate) fn largest_words(&self) -> String {
        self.largest.map_or("from zero".to_owned(), |largest| format!("{:.2} %", 100.0 * largest))
    }

    /// How many counts moved, and how far.
    fn words(&self) -> String {
        let moved = counted(self.moved, "weighted count moved", "weighted counts moved");
        match (self.moved, self.largest) {
            (0, _) => "no weighted count moved".to_owned(),
            (_, Some(largest)) => format!("{moved}, by {:.2} % at most", 100.0 * largest),
            (_, None) => format!("{moved}, one of them from zero"),
        }
    }
}

impl VerifyReport {
    /// The variables of the two-way tables, in their order.
    #[must_use]
    pub fn variables(&self) -> Names {
        self.triangle().names.iter().map(|&name| name.to_owned()).collect()
    }

    /// What the picture of all two-way tables shows.
    #[must_use]
    pub fn triangle(&self) -> TrianglePicture<'_> {
        let (first, count) = match self.two_way.first() {
            None => (None, 0),
            Some(table) => {
                let count =
                    self.two_way.iter().take_while(|other| other.pair[0] == table.pair[0]).count();
                (Some(table.pair[0].as_str()), count)
            }
        };
        let others = self.two_way[..count].iter().map(|table| table.pair[1].as_str());
        let names: Vec<&str> = first.into_iter().chain(others).collect();
        let pairs =
            (0..names.len()).flat_map(|low| (low + 1..names.len()).map(move |high| [low, high]));
        let fate = |table: &TwoWayReport| match (table.kept, table.changed) {
            (true, 0) => Fate::Fixed,
            (false, 0) => Fate::Same,
            (true, _) => Fate::Broken(Distance::Exact(table.total_variation)),
            (false, _) => Fate::Changed(Distance::Exact(table.total_variation)),
        };
        assert_eq!(self.two_way.len(), names.len() * names.len().saturating_sub(1) / 2);
        TrianglePicture {
            id: "",
            tables: pairs.zip(self.two_way.iter().map(fate)).collect(),
            names,
        }
    }

    /// The same, with differences that no swap can make.
    #[must_use]
    pub fn with_breaks(self, broken: Vec<Names>, unlinked: Option<String>) -> Self {
        Self { broken, unlinked, ..self }
    }

    /// The same, with what is known of the order of the records.
    #[must_use]
    pub fn with_order(self, reordered: bool) -> Self {
        Self { reordered, ..self }
    }

    /// Are the kept tables and everything else that no swap changes as they were?
    fn kept(&self) -> String {
        let cells: u64 = self.margins.iter().map(|table| table.cells).sum();
        let changed: u64 = self.margins.iter().map(|table| table.changed).sum();
        let differing: Vec<&MarginReport> =
            self.margins.iter().filter(|table| table.changed > 0).collect();
        let tables = counted(self.margins.len() as u64, "table", "tables");
        let cells = counted(cells, "cell", "cells");
        let mut text = String::from("\n");
        if self.records_before != self.records_after {
            text.push_str(&format!(
                "The number of records differs: {} in the original file, {} in the released one.\n",
                grouped(self.records_before),
                grouped(self.records_after)
            ));
        }
        if let Some(households) = &self.households {
            text.push_str(&households.line());
        }
        if self.margins.is_empty() {
            text.push_str("No tables to keep were named, so none were compared.\n");
        } else if differing.is_empty() {
            text.push_str(&format!("Every kept table is unchanged: {tables}, {cells}.\n"));
        } else {
            let verb = if differing.len() == 1 { "differs" } else { "differ" };
            text.push_str(&format!(
                "{} of {tables} {verb}: {} of {cells}.\n",
                grouped(differing.len() as u64),
                grouped(changed)
            ));
            let rows: Vec<Vec<String>> = differing
                .iter()
                .take(MOST_DIFFERING)
                .map(|table| {
                    let cells = counted(table.cells, "cell", "cells");
                    vec![table.title(), format!("{} of {cells}", grouped(table.changed))]
                })
                .collect();
            text.push_str(&aligned(&rows));
            if differing.len() > MOST_DIFFERING {
                let more = grouped((differing.len() - MOST_DIFFERING) as u64);
                text.push_str(&format!("  … and {more} more; --json lists all\n"));
            }
        }
        if !self.requoted.is_empty() {
            text.push_str(&format!("Quotes: {}\n", self.quotes_words()));
        }
        for columns in &self.broken {
            text.push_str(&format!(
                "The counts of {} differ, although no swap can change them.\n",
                listed(columns)
            ));
        }
        if let Some(why) = &self.unlinked {
            text.push_str(&format!("The ids of the two files do not match: {why}.\n"));
        }
        text
    }

    /// How far weighted counts of kept tables moved, where they need not be exact.
    fn drift(&self) -> String {
        if self.weighted.is_empty() {
            return String::new();
        }
        let mut rows =
            vec![["weighted counts", "cells moved", "largest drift"].map(str::to_owned).to_vec()];
        rows.extend(self.weighted.iter().map(|table| {
            let moved = format!("{} of {}", grouped(table.moved), grouped(table.cells));
            vec![formula(&table.margin), moved, table.largest_words()]
        }));
        format!("\n{}", aligned(&rows))
    }

    fn quotes_words(&self) -> String {
        format!(
            "the fields of {} are quoted only where they need it. The original quotes some of them \
             and not others, and quotes travel with values.",
            listed(&self.requoted)
        )
    }

    /// Which columns are quoted otherwise than in the original, in a line of a longer answer.
    pub(crate) fn quotes(&self) -> String {
        match self.requoted.is_empty() {
            true => String::new(),
            false => format!("Quotes     {}\n", self.quotes_words()),
        }
    }

    /// The same in a line for each table of a longer answer.
    pub(crate) fn weights(&self) -> String {
        let line = |table: &WeightedReport| {
            format!("Weighted   {}: {}\n", formula(&table.margin), table.words())
        };
        self.weighted.iter().map(line).collect()
    }

    /// The names that its JSON has at the top.
    pub(crate) fn json_names() -> &'static BTreeSet<String> {
        static NAMES: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
            let empty = serde_json::to_value(VerifyReport::empty()).expect("it is plain data");
            empty.as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect()
        });
        &NAMES
    }

    fn empty() -> Self {
        let judgement = Judgement { verdict: Verdict::Review, reasons: vec![] };
        Self {
            judgement,
            equal: false,
            records_before: 0,
            records_after: 0,
            households: Some(HouseholdsReport::default()),
            margins: vec![],
            published: vec![],
            protection: Protection {
                household_fates: Some(HouseholdProtection::default()),
                ..Protection::default()
            },
            new_pairs_revealed: None,
            advice: vec![],
            replaced: 0,
            records_changed: None,
            cells_changed: None,
            changed_by_variable: None,
            usefulness: Usefulness::default(),
            weighted: vec![],
            requoted: vec![],
            broken: vec![],
            unlinked: None,
            reordered: false,
            two_way: vec![],
            two_way_max: None,
            two_way_mean: None,
            three_way_max: None,
            three_way_mean: None,
        }
    }

    fn learned(&self) -> String {
        let revealed = self.new_pairs_revealed.as_deref().map_or_else(String::new, revealed);
        format!("\n{}{revealed}{}", self.protection.lines(), advice::lines(&self.advice))
    }

    fn changes(&self) -> String {
        let row = |label: &str, number: u64, whole: u64| {
            vec![label.to_owned(), grouped(number), percent(number, whole)]
        };
        let mut rows = vec![row("original records replaced", self.replaced, self.records_before)];
        let (Some(records), Some(cells), Some(variables)) =
            (self.records_changed, self.cells_changed, &self.changed_by_variable)
        else {
            let why = if self.reordered {
                ", because their order\ndiffers; name an id column to link them"
            } else {
                ""
            };
            return format!(
                "\n{}The records of the two files are not linked, so changes are not counted by \
                 variable{why}.\n",
                aligned(&rows)
            );
        };
        let values = self.records_before * variables.len() as u64;
        rows.push(row("records changed", records, self.records_before));
        rows.push(row("values changed", cells, values));
        rows.extend(variables.iter().filter(|variable| variable.changed > 0).map(|found| {
            row(&format!("  {}", found.variable), found.changed, self.records_before)
        }));
        format!("\n{}", aligned(&rows))
    }

    /// What was changed and how far tables moved. Of records that are not linked it is known how
    /// many were replaced.
    fn usefulness_line(&self) -> String {
        let changed = match (self.records_changed, self.cells_changed) {
            (Some(records), Some(values)) => format!(
                "{} and {} changed",
                counted(records, "record", "records"),
                counted(values, "value", "values")
            ),
            _ => format!("{} replaced", counted(self.replaced, "record", "records")),
        };
        format!("Usefulness: {changed}{}.\n", self.usefulness.words())
    }

    fn utility(&self) -> String {
        let mut others: Vec<&TwoWayReport> =
            self.two_way.iter().filter(|table| !table.kept).collect();
        let kept = (self.two_way.len() - others.len()) as u64;
        let changed = others.iter().filter(|table| table.changed > 0).count();
        if self.two_way.is_empty() {
            return String::new();
        }
        let mut text = format!(
            "\n{}{}: {} inside a kept table, {} of the other {} changed.\n",
            self.usefulness_line(),
            counted(self.two_way.len() as u64, "two-way table", "two-way tables"),
            grouped(kept),
            grouped(changed as u64),
            grouped(others.len() as u64)
        );
        let broken =
            self.two_way.iter().filter(|table| table.kept && table.changed > 0).count() as u64;
        if broken > 0 {
            text.push_str(&format!(
                "{} inside a kept table changed as well, because that table differs.\n",
                grouped(broken)
            ));
        }
        for (what, max, mean) in [
            ("the two-way tables not kept", self.two_way_max, self.two_way_mean),
            ("the three-way tables not kept", self.three_way_max, self.three_way_mean),
        ] {
            if let (Some(max), Some(mean)) = (max, mean) {
                text.push_str(&format!(
                    "Total variation of {what}: at most {}, {} on average.\n",
                    distance(max),
                    distance(mean)
                ));
            }
        }
        others.retain(|table| table.changed > 0);
        if others.is_empty() {
            return text;
        }
        others.sort_by(|left, right| right.total_variation.total_cmp(&left.total_variation));
        let heads = ["most changed", "total variation", "Hellinger", "Cramér's V before", "after"];
        let mut rows = vec![heads.map(str::to_owned).to_vec()];
        let association = |value: Option<f64>| {
            value.map_or_else(|| "–".to_owned(), |value| format!("{value:.4}"))
        };
        rows.extend(others.iter().take(MOST_TABLES).map(|table| {
            vec![
                formula(&table.pair),
                distance(table.total_variation),
                distance(table.hellinger),
                association(table.cramers_v_before),
                association(table.cramers_v_after),
            ]
        }));
        text.push_str(&aligned(&rows));
        if others.len() > MOST_TABLES {
            let more = (others.len() - MOST_TABLES) as u64;
            text.push_str(&format!("  and {} that changed less\n", grouped(more)));
        }
        text
    }
}

impl Answer for VerifyReport {
    fn text(&self) -> String {
        [
            self.judgement.lines(),
            self.protection.tested(self.judgement.verdict),
            self.kept(),
            published::lines(&self.published),
            self.drift(),
            self.learned(),
            self.changes(),
            self.utility(),
        ]
        .concat()
    }
}

//! The external report: what everyone who gets the file may know.
//!
//! Its class is RELEASABLE. The type has no field for what must stay secret: no seed, no
//! plan, no id, no record number, no exact rate, no count of people or of a cell, no hash of
//! the input. What was known before is lost in [`ExternalReport::new`], not left out of a
//! template. How many people are protected is given as a range of a share.
//!
//! Trap: a page about a file that does not keep its tables would make false promises; there
//! is none ([`NotKept`]).

use askama::Template;
use marginswap_core::text::grouped;
use serde::Serialize;

use super::{Figure, Style, Table, WatchReport, rendered};
use crate::answer::{Answer, Names, counted, formula};
use crate::band::{Band, Extent, Protected};
use crate::lettering::spoken;
use crate::pictures::triangle::{self, Fate, TrianglePicture};
use crate::protection::Verdict;
use crate::sheet::TextTable;
use crate::verify::{Counted, MarginReport, VerifyReport};

/// What may be published.
#[derive(Debug, Clone, Serialize)]
pub struct ExternalReport {
    class: &'static str,
    tool_version: &'static str,
    records: u64,
    /// What the page says of households, where whole ones were exchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    households: Option<ExternalHouseholds>,
    /// The kept tables that count records.
    tables: Vec<Names>,
    /// The kept tables that count households.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    household_tables: Vec<Names>,
    extent: Option<Extent>,
    /// The share of people at risk who no longer match a record of their own; null when no
    /// keys were named or any range would reveal too much.
    protected: Option<Protected>,
    variables: Names,
    /// The columns in which a record may differ, by their role and not by what was found.
    may_differ: Names,
    two_way: Vec<ExternalTable>,
    watched: Vec<WatchedTable>,
    demonstration: bool,
    /// What the gate says of the released file.
    verdict: Verdict,
}

/// What the page says where whole households were exchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ExternalHouseholds {
    /// How many the released file has.
    pub households: u64,
    /// Which names they have.
    pub names: HouseholdNames,
    /// Did single persons exchange values after whole households?
    pub then_persons: bool,
}

/// The names of released households.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HouseholdNames {
    /// They were given out again.
    New,
    /// Those of the original.
    Original,
}

impl ExternalHouseholds {
    fn have_new_names(&self) -> bool {
        self.names == HouseholdNames::New
    }
}

/// A two-way table.
#[derive(Debug, Clone, Serialize)]
pub struct ExternalTable {
    pair: [usize; 2],
    kept: bool,
    /// The range of its total variation, none and little in one; null when it is kept.
    moved: Option<Band>,
}

/// A table that is not kept and may interest a reader.
#[derive(Debug, Clone, Serialize)]
pub struct WatchedTable {
    table: Names,
    /// The range of its total variation, none and little in one; null when a kept table
    /// implies it.
    moved: Option<Band>,
}

/// The released file does not keep its tables, so no external report can be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotKept;

impl ExternalReport {
    /// What may be published of a comparison. `may_differ`: the columns whose values may be
    /// exchanged. `demonstration`: is the seed a demo seed, which others know?
    ///
    /// # Errors
    /// [`NotKept`].
    pub fn new(
        verify: &VerifyReport,
        watched: &[WatchReport],
        may_differ: Names,
        demonstration: bool,
    ) -> Result<Self, NotKept> {
        if !verify.equal {
            return Err(NotKept);
        }
        // A demo seed is a reason of the gate where it is known, and is shown here in any case.
        let verdict = match demonstration {
            true => Verdict::DoNotRelease,
            false => verify.judgement.verdict,
        };
        let band = |kept: bool, distance: f64| {
            (!kept).then(|| Band::told(distance, verify.records_before))
        };
        // A table of households says nothing about how many records there are, and an exchange of
        // whole households does not keep the counts of records in a column.
        let (of_households, of_records): (Vec<_>, Vec<_>) =
            verify.margins.iter().partition(|table| table.counts == Some(Counted::Households));
        let implied = |table: &Names| {
            let held = |margin: &Names| table.iter().all(|name| margin.contains(name));
            (table.len() < 2 && verify.households.is_none())
                || of_records.iter().any(|kept| held(&kept.margin))
        };
        let names = |tables: &[&MarginReport]| -> Vec<Names> {
            tables.iter().map(|table| table.margin.clone()).collect()
        };
        let variables = verify.variables();
        let two_way: Vec<ExternalTable> = verify
            .triangle()
            .tables
            .iter()
            .zip(&verify.two_way)
            .map(|((pair, _), table)| ExternalTable {
                pair: *pair,
                kept: table.kept,
                moved: band(table.kept, table.total_variation),
            })
            .collect();
        Ok(Self {
            class: if verdict == Verdict::Release { "RELEASABLE" } else { "NOT FOR RELEASE" },
            verdict,
            tool_version: env!("CARGO_PKG_VERSION"),
            records: verify.records_after,
            households: None,
            tables: names(&of_records),
            household_tables: names(&of_households),
            extent: Extent::of(
                verify.records_changed.unwrap_or(verify.replaced),
                verify.records_before,
            ),
            protected: Protected::of(
                verify.protection.fates.protected,
                verify.protection.fates.at_risk,
            ),
            may_differ,
            two_way,
            watched: watched
                .iter()
                .map(|table| WatchedTable {
                    table: table.table.clone(),
                    moved: band(implied(&table.table), table.total_variation),
                })
                .collect(),
            demonstration,
            variables,
        })
    }

    /// The same about a file in which whole households were exchanged.
    #[must_use]
    pub fn of_households(self, households: ExternalHouseholds) -> Self {
        Self { households: Some(households), ..self }
    }

    /// The page.
    #[must_use]
    pub fn html(&self) -> String {
        let fate = |table: &ExternalTable| table.moved.map_or(Fate::Fixed, Fate::Free);
        let picture = triangle::draw(&TrianglePicture {
            id: "",
            names: self.variables.iter().map(String::as_str).collect(),
            tables: self.two_way.iter().map(|table| (table.pair, fate(table))).collect(),
        });
        let watched = TextTable::new(
            "Other tables, and how far they moved",
            &["table", "total variation"],
            self.watched
                .iter()
                .map(|table| vec![formula(&table.table), moved(table.moved)])
                .collect(),
        );
        rendered(&Page {
            report: self,
            style: Style,
            triangle: (!self.two_way.is_empty()).then(|| Figure::new(picture)),
            tables: self.kept().map(Table::new),
            watched: (!self.watched.is_empty()).then(|| Table::new(watched)),
            widest: self.widest(),
        })
    }

    /// The kept tables; where there are households, with what each counts.
    fn kept(&self) -> Option<TextTable> {
        let counts = |of: &'static str| self.households.map(|_| of.to_owned());
        let row = |table: &Names, of: &'static str| -> Vec<String> {
            let result = "unchanged in every cell".to_owned();
            [Some(formula(table)), counts(of), Some(result)].into_iter().flatten().collect()
        };
        let rows = self.tables.iter().map(|table| row(table, "persons"));
        let rows = rows.chain(self.household_tables.iter().map(|table| row(table, "households")));
        let rows: Vec<Vec<String>> = rows.collect();
        let heads: &[&str] = match self.households {
            None => &["table", "result"],
            Some(_) => &["table", "counts", "result"],
        };
        let caption = "Tables that are the same in this file and in the original";
        (!rows.is_empty()).then(|| TextTable::new(caption, heads, rows))
    }

    /// The band of the table that moved farthest.
    fn widest(&self) -> Option<Band> {
        self.two_way.iter().filter_map(|table| table.moved).max_by_key(|band| band.position())
    }

    fn extent(&self) -> &'static str {
        self.extent.map_or("not stated, because any range would tell too much", Extent::label)
    }

    fn protected(&self) -> Option<&'static str> {
        self.protected.map(Protected::label)
    }

    fn columns(&self) -> Vec<String> {
        self.may_differ.iter().map(|name| spoken(name)).collect()
    }

    /// May the page be published, as far as it knows?
    #[must_use]
    pub fn is_releasable(&self) -> bool {
        self.verdict == Verdict::Release
    }
}

fn moved(band: Option<Band>) -> String {
    band.map_or("unchanged", Band::label).to_owned()
}

impl Answer for ExternalReport {
    fn text(&self) -> String {
        let class = match (self.demonstration, self.is_releasable()) {
            (true, _) => "NOT FOR RELEASE, made with a demo seed, which others know",
            (false, false) => "NOT FOR RELEASE, because the verdict on the file is not “release”",
            (false, true) => "May be published",
        };
        format!(
            "{class}: {} unchanged; records that hold values of another: {}.\n",
            counted(
                (self.tables.len() + self.household_tables.len()) as u64,
                "kept table",
                "kept tables"
            ),
            self.extent()
        )
    }
}

impl Page<'_> {
    fn grouped(&self, number: &u64) -> String {
        grouped(*number)
    }
}

#[derive(Template)]
#[template(path = "external.html")]
struct Page<'a> {
    report: &'a ExternalReport,
    style: Style,
    triangle: Option<Figure>,
    tables: Option<Table>,
    watched: Option<Table>,
    widest: Option<Band>,
}

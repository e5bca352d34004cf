//! The external report: what may be told to everybody who gets the file.
//!
//! Its class is RELEASABLE. The type has no field for what must not be told: no seed, no
//! plan, no id, no record number, no exact rate, no count of a cell, no hash of the input.
//! Whatever was known before is lost in [`ExternalReport::new`], not left out of a template.
//!
//! Trap: a page of a file that does not keep its tables would promise what is not so; there
//! is none ([`NotKept`]).

use askama::Template;
use marginswap_core::diagnostic::grouped;
use serde::Serialize;

use super::{Figure, Style, Table, rendered};
use crate::answer::{Answer, Names, formula};
use crate::band::{Band, Extent};
use crate::lettering::spoken;
use crate::pictures::triangle::{self, Distance, Fate, TrianglePicture};
use crate::sheet::TextTable;
use crate::verify::VerifyReport;

use super::internal::WatchReport;

/// What may be told.
#[derive(Debug, Clone, Serialize)]
pub struct ExternalReport {
    class: &'static str,
    tool_version: &'static str,
    records: u64,
    tables: Vec<Names>,
    extent: Option<Extent>,
    variables: Names,
    never_changed: Names,
    two_way: Vec<ExternalTable>,
    watched: Vec<WatchedTable>,
    demonstration: bool,
}

/// A two-way table.
#[derive(Debug, Clone, Serialize)]
pub struct ExternalTable {
    pair: [usize; 2],
    kept: bool,
    /// The range of its total variation; null when it is unchanged.
    moved: Option<Band>,
}

/// A table that is not kept and may interest a reader.
#[derive(Debug, Clone, Serialize)]
pub struct WatchedTable {
    table: Names,
    /// The range of its total variation; null when it is unchanged.
    moved: Option<Band>,
}

/// The released file does not keep its tables: there is nothing to be told of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotKept;

impl ExternalReport {
    /// What may be told of a comparison. `demonstration`: was the seed one that others know?
    ///
    /// # Errors
    /// [`NotKept`].
    pub fn new(
        verify: &VerifyReport,
        watched: &[WatchReport],
        demonstration: bool,
    ) -> Result<Self, NotKept> {
        if !verify.equal {
            return Err(NotKept);
        }
        let band = |changed: u64, distance: f64| (changed > 0).then(|| Band::of(distance));
        let variables = verify.variables();
        let two_way: Vec<ExternalTable> = verify
            .triangle()
            .tables
            .iter()
            .zip(&verify.two_way)
            .map(|((pair, _), table)| ExternalTable {
                pair: *pair,
                kept: table.kept,
                moved: band(table.changed, table.total_variation),
            })
            .collect();
        let never_changed = verify.changed_by_variable.iter().flatten();
        Ok(Self {
            class: "RELEASABLE",
            tool_version: env!("CARGO_PKG_VERSION"),
            records: verify.records_after,
            tables: verify.margins.iter().map(|table| table.margin.clone()).collect(),
            extent: verify
                .records_changed
                .map(|changed| Extent::of(changed, verify.records_before)),
            never_changed: never_changed
                .filter(|found| found.changed == 0)
                .map(|found| found.variable.clone())
                .collect(),
            two_way,
            watched: watched
                .iter()
                .map(|table| WatchedTable {
                    table: table.table.clone(),
                    moved: band(table.changed, table.total_variation),
                })
                .collect(),
            demonstration,
            variables,
        })
    }

    /// The page.
    #[must_use]
    pub fn html(&self) -> String {
        let fate = |table: &ExternalTable| match (table.kept, table.moved) {
            (true, _) => Fate::Fixed,
            (false, None) => Fate::Same,
            (false, Some(band)) => Fate::Changed(Distance::Within(band)),
        };
        let picture = triangle::draw(&TrianglePicture {
            id: "",
            names: self.variables.iter().map(String::as_str).collect(),
            tables: self.two_way.iter().map(|table| (table.pair, fate(table))).collect(),
        });
        let tables = TextTable::new(
            "Tables that are the same in the released file and in the original",
            &["table", "result"],
            self.tables
                .iter()
                .map(|table| vec![formula(table), "exactly equal, in every cell".to_owned()])
                .collect(),
        );
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
            triangle: (!self.two_way.is_empty()).then(|| Figure::new(&picture)),
            tables: (!self.tables.is_empty()).then(|| Table::new(&tables)),
            watched: (!self.watched.is_empty()).then(|| Table::new(&watched)),
            widest: self.widest(),
        })
    }

    /// The band of the table that moved farthest.
    fn widest(&self) -> Option<Band> {
        self.two_way.iter().filter_map(|table| table.moved).max()
    }

    fn extent(&self) -> &'static str {
        self.extent.map_or("an unstated part of the records", Extent::label)
    }

    fn changed(&self) -> Vec<String> {
        let stays = |name: &&String| !self.never_changed.contains(name);
        self.variables.iter().filter(stays).map(|name| spoken(name)).collect()
    }
}

fn moved(band: Option<Band>) -> String {
    band.map_or("unchanged", Band::label).to_owned()
}

impl Answer for ExternalReport {
    fn text(&self) -> String {
        let mut text = format!(
            "May be published: {} kept tables exactly equal; values exchanged: {}.\n",
            self.tables.len(),
            self.extent()
        );
        if self.demonstration {
            text.push_str("NOT FOR RELEASE: made with a demo seed that others know.\n");
        }
        text
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
    triangle: Option<Figure<'a>>,
    tables: Option<Table<'a>>,
    watched: Option<Table<'a>>,
    widest: Option<Band>,
}

//! The report as one HTML page: internal, or external.
//!
//! The two pages are two types. [`InternalReport`] has everything a reviewer decides from;
//! [`ExternalReport`] has no field for a seed, a plan, an id, a record number, an exact rate,
//! a small count or a hash of the input, so that no template can show one.
//!
//! A page needs nothing else: its style is in it, there is no script and no reference to
//! anything outside. Templates are compiled and escape all that they are given; the two
//! exceptions are our own [`Element`], which escapes by itself, and the style.
//!
//! Trap: a name from a file may be written from right to left or hold what no page may hold.
//! Names are put into `<bdi>`, and `rendered` replaces forbidden characters in the whole page.
//!
//! Way in: [`InternalReport::html`], [`ExternalReport::html`].

mod external;
mod facts;
mod internal;
mod tables;

use std::fmt;

use askama::Template;
use askama::filters::HtmlSafe;

use crate::paint::style_sheet;
use crate::sheet::{Picture, TextTable};
use crate::svg::{self, Element};

pub use crate::advice::{Advice, Banded, Help, Merged};
pub use external::{
    ExternalHouseholds, ExternalReport, ExternalTable, HouseholdNames, NotKept, WatchedTable,
};
pub use facts::{
    ColumnFacts, FileFacts, LeftReason, LeftRecord, Method, PlanFacts, RiskBefore, ThenFacts,
    WatchReport,
};
pub use internal::InternalReport;

impl HtmlSafe for Element {}

/// The style of a page, with the colours of its pictures.
pub(crate) struct Style;

impl fmt::Display for Style {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&style_sheet())?;
        formatter.write_str(include_str!("../../templates/style.css"))
    }
}

impl HtmlSafe for Style {}

/// A picture with its caption and its text twin.
#[derive(Template)]
#[template(path = "figure.html")]
struct Figure {
    picture: Picture,
    table: Option<Table>,
}

impl Figure {
    fn new(picture: Picture) -> Self {
        let table = picture.twin().table.clone().map(Table::new);
        Self { picture, table }
    }

    fn drawing(&self) -> Element {
        self.picture.inline()
    }

    /// The first sentence of the twin, and the others.
    fn words(&self) -> (&String, &[String]) {
        self.picture.twin().words.split_first().expect("a twin has a sentence")
    }
}

impl HtmlSafe for Figure {}

/// A table whose columns of numbers are aligned to the right.
#[derive(Template)]
#[template(path = "table.html")]
struct Table {
    table: TextTable,
    numbers: Vec<bool>,
}

impl Table {
    fn new(table: TextTable) -> Self {
        let is_number = |cell: &str| {
            // A hash may begin with a digit too.
            let begins = |sign: char| sign.is_ascii_digit() || "<>–-".contains(sign);
            cell.is_empty() || (cell.len() <= 24 && cell.starts_with(begins))
        };
        let numbers = (0..table.heads.len())
            .map(|column| {
                // The first cell names its row, also where it is a number.
                column > 0
                    && !table.rows.is_empty()
                    && table.rows.iter().all(|row| is_number(&row[column]))
            })
            .collect();
        Self { table, numbers }
    }
}

impl HtmlSafe for Table {}

/// A page as text, without the characters that no page may hold.
pub(crate) fn rendered(page: &impl Template) -> String {
    let text = page.render().expect("a page of plain data can be written");
    text.chars().map(svg::permitted).collect()
}

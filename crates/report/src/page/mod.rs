//! The report as one HTML page: for the house, or for everybody.
//!
//! The two pages are two types. [`InternalReport`] has everything a reviewer decides from;
//! [`ExternalReport`] has no field for a seed, a plan, an id, a record number, an exact rate,
//! a small count or a hash of the input, so that no template can show one.
//!
//! A page stands alone: its style is in it, there is no script and no reference to anything
//! outside. Templates are compiled, and escape whatever they are given; the two exceptions
//! are our own [`Element`], which escapes by itself, and the style.
//!
//! Trap: a name from a file may be written from right to left or hold what no page may hold.
//! Names stand in `<bdi>`, and `rendered` replaces forbidden characters in the whole page.
//!
//! Way in: [`InternalReport::html`], [`ExternalReport::html`].

mod external;
mod internal;
mod verdict;

use std::fmt;

use askama::Template;
use askama::filters::HtmlSafe;

use crate::paint::style_sheet;
use crate::sheet::{Picture, TextTable};
use crate::svg::{self, Element};

pub use external::{ExternalReport, ExternalTable, NotKept, WatchedTable};
pub use internal::{
    ColumnFacts, FileFacts, InternalReport, LeftRecord, Method, PlanFacts, RiskBefore, Scenario,
    TableWhatIf, WatchReport,
};
pub use verdict::{Concern, Verdict};

impl HtmlSafe for Element {}

/// The style of a page, with the colours of its pictures.
struct Style;

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
struct Figure<'a> {
    picture: &'a Picture,
    drawing: Element,
    first: &'a str,
    rest: &'a [String],
    table: Option<Table<'a>>,
}

impl<'a> Figure<'a> {
    fn new(picture: &'a Picture) -> Self {
        let twin = picture.twin();
        let (first, rest) = twin.words.split_first().expect("a twin has a sentence");
        let table = twin.table.as_ref().map(Table::new);
        Self { picture, drawing: picture.inline(), first, rest, table }
    }
}

impl HtmlSafe for Figure<'_> {}

/// A table whose columns of numbers stand to the right.
#[derive(Template)]
#[template(path = "table.html")]
struct Table<'a> {
    table: &'a TextTable,
    numbers: Vec<bool>,
}

impl<'a> Table<'a> {
    fn new(table: &'a TextTable) -> Self {
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

impl HtmlSafe for Table<'_> {}

/// A page as text, without the characters that no page may hold.
fn rendered(page: &impl Template) -> String {
    let text = page.render().expect("a page of plain data can be written");
    text.chars().map(svg::permitted).collect()
}

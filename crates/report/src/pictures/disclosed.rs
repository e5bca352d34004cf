//! How many records the kept tables give away, now and if more tables were published.
//!
//! Way in: [`draw`].

use marginswap_core::text::grouped;

use super::bars::{self, Fill, Piece, Row, legend, share};
use crate::answer::percent;
use crate::lettering::spoken;
use crate::paint::{DONE, INK};
use crate::screen::ScreenReport;
use crate::sheet::{Picture, TextTable, Twin};

const TITLE: &str = "Already disclosed by the tables";

/// A bar for the kept tables, one for each set of tables that might be published too, and one
/// for each class of areas.
#[must_use]
pub fn draw(id: &str, report: &ScreenReport) -> Picture {
    let bar = |name: &str, disclosed: u64, whole: u64| {
        let now = report.disclosed.min(disclosed);
        let mut pieces = Vec::new();
        if now > 0 {
            let to = share(now, whole);
            pieces.push(Piece { from: 0.0, to, fill: Fill::Solid(&DONE) });
        }
        if disclosed > now {
            let (from, to) = (share(now, whole), share(disclosed, whole));
            pieces.push(Piece { from, to, fill: Fill::Open(&INK) });
        }
        Row::new(name, pieces, grouped(disclosed)).of(percent(disclosed, whole))
    };
    let mut entries = vec![("the kept tables".to_owned(), report.disclosed)];
    for one in &report.what_if {
        entries.push((format!("and {}", one.tables.join(" + ")), one.disclosed));
    }
    let mut rows: Vec<Row> =
        entries.iter().map(|(name, disclosed)| bar(name, *disclosed, report.records)).collect();
    let areas = report.by.as_ref();
    for class in areas.iter().flat_map(|areas| &areas.by_share) {
        let to = share(class.areas, areas.map_or(0, |areas| areas.areas));
        let piece = Piece { from: 0.0, to, fill: Fill::Solid(&DONE) };
        let pieces = if class.areas > 0 { vec![piece] } else { Vec::new() };
        let name = format!("areas with {} disclosed", class.share);
        rows.push(Row::new(&name, pieces, grouped(class.areas)));
    }
    let mut sheet = bars::sheet(&rows);
    sheet.heading(TITLE);
    sheet
        .small_print("Records whose cell the tables prove to be occupied; no swap can change this");
    sheet.y += 6.0;
    let columns = bars::columns(&rows);
    bars::put(&mut sheet, &rows, &columns);
    if !report.what_if.is_empty() {
        legend(
            &mut sheet,
            &[(Fill::Solid(&DONE), "by the kept tables"), (Fill::Open(&INK), "if published too")],
        );
    }
    let words = format!(
        "{}{} of {} records are already disclosed by the kept tables.",
        if report.disclosed_is_exact { "" } else { "At least " },
        grouped(report.disclosed),
        grouped(report.records)
    );
    let mut cells: Vec<Vec<String>> = entries
        .iter()
        .map(|(name, disclosed)| {
            vec![spoken(name), grouped(*disclosed), percent(*disclosed, report.records)]
        })
        .collect();
    for class in areas.iter().flat_map(|areas| &areas.by_share) {
        cells.push(vec![
            format!("areas with {} disclosed", class.share),
            grouped(class.areas),
            String::new(),
        ]);
    }
    let table = TextTable::new(TITLE, &["tables", "disclosed", "share"], cells);
    sheet.finish(id, "disclosed", TITLE.to_owned(), Twin { words: vec![words], table: Some(table) })
}

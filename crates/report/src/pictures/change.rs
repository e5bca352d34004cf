//! How many records changed in each variable.
//!
//! Way in: [`draw`].

use marginswap_core::text::grouped;

use super::bars::{self, Fill, Piece, Row, share};
use crate::answer::percent;
use crate::lettering::spoken;
use crate::paint::DONE;
use crate::sheet::{Picture, TextTable, Twin};
use crate::verify::VariableReport;

const TITLE: &str = "Change per variable";

/// A bar for each variable, as long as the share of records that differ in it; the longest
/// bar fills its column.
#[must_use]
pub fn draw(id: &str, variables: &[VariableReport], records: u64) -> Picture {
    let most = variables.iter().map(|found| found.changed).max().unwrap_or(0);
    let rows: Vec<Row> = variables
        .iter()
        .map(|VariableReport { variable, changed }| {
            let bar = Piece { from: 0.0, to: share(*changed, most), fill: Fill::Solid(&DONE) };
            let pieces = if *changed > 0 { vec![bar] } else { Vec::new() };
            Row::new(variable, pieces, grouped(*changed)).of(percent(*changed, records))
        })
        .collect();
    let mut sheet = bars::sheet(&rows);
    sheet.heading(TITLE);
    sheet.small_print("Records whose value of a variable is another one in the released file");
    sheet.y += 6.0;
    let columns = bars::columns(&rows);
    bars::put(&mut sheet, &rows, &columns);

    let changed = variables.iter().filter(|found| found.changed > 0).count();
    let words = match variables.iter().max_by_key(|found| found.changed) {
        Some(found) if found.changed > 0 => format!(
            "{changed} of {} variables changed in some record; {} changed most, in {} of {} records.",
            variables.len(),
            spoken(&found.variable),
            grouped(found.changed),
            grouped(records)
        ),
        _ => "No variable changed in any record.".to_owned(),
    };
    let cells = |found: &VariableReport| {
        vec![spoken(&found.variable), grouped(found.changed), percent(found.changed, records)]
    };
    let table = TextTable::new(
        TITLE,
        &["variable", "records changed", "share"],
        variables.iter().map(cells).collect(),
    );
    sheet.finish(id, "change", TITLE.to_owned(), Twin { words: vec![words], table: Some(table) })
}

//! How far changed records moved, by the areas that partners were looked for in first.
//!
//! Way in: [`draw`].

use marginswap_core::text::grouped;

use super::bars::{self, Fill, Piece, Row, share};
use crate::answer::percent;
use crate::lettering::spoken;
use crate::paint::DONE;
use crate::plan::Moved;
use crate::sheet::{Picture, TextTable, Twin};
use crate::verify::Exchanged;

/// A bar for each area, from the smallest to the largest, and one for those that leave all.
#[must_use]
pub fn draw(id: &str, moved: &[Moved], exchanged: Exchanged) -> Picture {
    let many = exchanged.many();
    let title = format!("How far {many} moved");
    let all: u64 = moved.iter().map(|moved| moved.records).sum();
    let most = moved.iter().map(|moved| moved.records).max().unwrap_or(0);
    let rows: Vec<Row> = moved
        .iter()
        .map(|moved| {
            let bar = Piece { from: 0.0, to: share(moved.records, most), fill: Fill::Solid(&DONE) };
            let pieces = if moved.records > 0 { vec![bar] } else { Vec::new() };
            Row::new(&moved.words(), pieces, grouped(moved.records)).of(percent(moved.records, all))
        })
        .collect();
    let mut sheet = bars::sheet(&rows);
    sheet.heading(&title);
    sheet.small_print(&format!("Changed {many} by the smallest area that they stay in"));
    sheet.y += 6.0;
    let columns = bars::columns(&rows);
    bars::put(&mut sheet, &rows, &columns);
    let words = match moved.first() {
        Some(Moved { within: Some(area), records }) => format!(
            "{} of {} changed {many} stay in the same {}.",
            grouped(*records),
            grouped(all),
            spoken(area)
        ),
        _ => format!("No areas were named to look for partners in, and {} changed.", grouped(all)),
    };
    let cells =
        |moved: &Moved| vec![moved.words(), grouped(moved.records), percent(moved.records, all)];
    let table = TextTable::new(
        &title,
        &["area", &format!("changed {many}"), "share"],
        moved.iter().map(cells).collect(),
    );
    sheet.finish(id, "areas", title, Twin { words: vec![words], table: Some(table) })
}

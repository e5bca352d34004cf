//! How far changed records moved on the map.
//!
//! Way in: [`draw`].

use marginswap_core::text::grouped;

use super::bars::{self, Fill, Piece, Row, share};
use crate::answer::percent;
use crate::lettering::spoken;
use crate::paint::DONE;
use crate::plan::{MovedDistance, length};
use crate::sheet::{Picture, TextTable, Twin};
use crate::verify::Exchanged;

/// A bar for those who stayed in their area, and one for each step of distance.
#[must_use]
pub fn draw(id: &str, moved: &MovedDistance, exchanged: Exchanged) -> Picture {
    let (one, many) = (exchanged.one(), exchanged.many());
    let title = format!("How far {many} moved");
    let all = moved.stayed + moved.moved;
    let told = moved.rows();
    let most = told.iter().map(|(_, records)| *records).max().unwrap_or(0);
    let rows: Vec<Row> = told
        .iter()
        .map(|(words, records)| {
            let bar = Piece { from: 0.0, to: share(*records, most), fill: Fill::Solid(&DONE) };
            let pieces = if *records > 0 { vec![bar] } else { Vec::new() };
            Row::new(words, pieces, grouped(*records)).of(percent(*records, all))
        })
        .collect();
    let mut sheet = bars::sheet(&rows);
    sheet.heading(&title);
    sheet.small_print(&format!(
        "Changed {many} by the distance to their new area, in {}",
        moved.unit
    ));
    sheet.y += 6.0;
    let columns = bars::columns(&rows);
    bars::put(&mut sheet, &rows, &columns);
    let words = match moved.moved {
        0 => format!("No changed {one} comes to another area."),
        _ => format!(
            "{} of {} changed {many} stay in their area; half of the others move no further than {}, \
             nine of ten than {} and none further than {}, in {}.",
            grouped(moved.stayed),
            grouped(all),
            length(moved.median),
            length(moved.nine_of_ten),
            length(moved.furthest),
            moved.unit
        ),
    };
    let cells = |(words, records): &(String, u64)| {
        vec![spoken(words), grouped(*records), percent(*records, all)]
    };
    let table = TextTable::new(
        &title,
        &["distance", &format!("changed {many}"), "share"],
        told.iter().map(cells).collect(),
    );
    sheet.finish(id, "distance", title, Twin { words: vec![words], table: Some(table) })
}

//! What happened to the people at risk: all records → at risk → gone → shared → matched.
//!
//! A dashed line marks how many of those at risk are separable. Nothing here needs to know which
//! released record was which original one.
//!
//! Trap: a thousand people at risk among a million records would be a bar too short to see.
//! The first bar is of all records; a funnel leads from its part at risk to the full width that
//! the bars below are measured in.
//!
//! Way in: [`draw`].

use marginswap_core::text::grouped;
use serde::Serialize;

use super::bars::{self, Fill, Piece, ROW, Row, share};
use crate::answer::{counted, percent};
use crate::paint::{DASHED, DONE, LEFT, STOCK, filled, stroked};
use crate::protection::{Fates, Protection};
use crate::sheet::{Picture, TextTable, Twin};
use crate::svg::{Element, number};

const TITLE: &str = "What happened to the people at risk";

/// Who is at risk, and what an intruder finds who looks for them in the released file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Coverage {
    /// All records.
    pub records: u64,
    /// People at risk: gone, shared or matched.
    pub at_risk: u64,
    /// Of these, the ones whose keys some exchange of two records can part; null when this was
    /// not computed.
    pub separable: Option<u64>,
    /// No released record has their keys.
    pub gone: u64,
    /// Two or more have them.
    pub shared: u64,
    /// Exactly one has them.
    pub matched: u64,
    /// Matched, with every sensitive value true.
    pub matched_right: u64,
}

impl Coverage {
    /// The coverage of a file with these records.
    #[must_use]
    pub fn of(records: u64, separable: Option<u64>, protection: &Protection) -> Self {
        let Fates { at_risk, gone, shared, matched, matched_right, .. } = protection.fates;
        Self { records, at_risk, separable, gone, shared, matched, matched_right }
    }
}

/// Draws the waterfall.
///
/// # Panics
/// When the numbers do not add up.
#[must_use]
pub fn draw(id: &str, coverage: &Coverage) -> Picture {
    let Coverage { records, at_risk, separable, gone, shared, matched, matched_right } = *coverage;
    assert!(at_risk <= records && separable.unwrap_or(0) <= at_risk, "a part is no more than all");
    assert!(matched_right <= matched, "a part is no more than all");
    assert_eq!(gone + shared + matched, at_risk, "everybody at risk is counted once");
    let rows = rows(coverage);
    let mut sheet = bars::sheet(&rows);
    sheet.heading(TITLE);
    let columns = bars::columns(&rows);
    if at_risk > 0 && at_risk < records {
        sheet.small_print(&format!(
            "The first bar is all {}; the full width of the others is the {} at risk",
            counted(records, "record", "records"),
            counted(at_risk, "person", "people")
        ));
        sheet.y += 4.0;
    }
    let top = sheet.y;
    if at_risk > 0 {
        // From the part at risk of the first bar to the whole of the second.
        let top = top + ROW / 2.0 + 8.0;
        let path = format!(
            "M{} {}h{}L{} {}h-{}z",
            number(columns.left),
            number(top),
            number(share(at_risk, records) * columns.wide),
            number(columns.left + columns.wide),
            number(top + ROW - 16.0),
            number(columns.wide)
        );
        let funnel = filled(Element::new("path").with("d", path), &STOCK);
        sheet.parts.push(funnel.with("fill-opacity", 0.25));
    }
    bars::put(&mut sheet, &rows, &columns);
    if let Some(separable) = separable.filter(|_| at_risk > 0) {
        // From below the row that names it to the last row.
        let path = format!(
            "M{} {}V{}",
            number(columns.left + share(separable, at_risk) * columns.wide),
            number(top + 3.0 * ROW - 4.0),
            number(sheet.y)
        );
        let line = stroked(Element::new("path").with("d", path), &DASHED);
        sheet.parts.push(line.with("stroke-width", 1.5).with("stroke-dasharray", "5 3"));
    }
    bars::legend(
        &mut sheet,
        &[
            (Fill::Solid(&DONE), "no released record has their keys"),
            (Fill::Open(&DONE), "two or more have them"),
            (Fill::Open(&LEFT), "exactly one has them"),
            (Fill::Solid(&LEFT), "exactly one, every sensitive value true"),
        ],
    );
    if separable.is_some() {
        sheet.small_print("Dashed line: how many a swap can separate from their keys");
    }
    sheet.finish(id, "waterfall", TITLE.to_owned(), twin(coverage))
}

fn rows(coverage: &Coverage) -> Vec<Row> {
    let Coverage { records, at_risk, separable, gone, shared, matched, matched_right } = *coverage;
    let row = |name: &str, pieces: Vec<Piece>, count: u64, whole: u64| {
        Row::new(name, pieces, grouped(count)).of(percent(count, whole))
    };
    let piece = |from: u64, to: u64, fill| {
        let bar = Piece { from: share(from, at_risk), to: share(to, at_risk), fill };
        if to > from { vec![bar] } else { Vec::new() }
    };
    let mut first = Vec::new();
    if records > 0 {
        first.push(Piece { from: 0.0, to: 1.0, fill: Fill::Open(&STOCK) });
    }
    if at_risk > 0 {
        first.push(Piece { from: 0.0, to: share(at_risk, records), fill: Fill::Solid(&STOCK) });
    }
    let mut rows = vec![
        row("all records", first, records, records),
        row("people at risk", piece(0, at_risk, Fill::Solid(&STOCK)), at_risk, records),
    ];
    if let Some(separable) = separable {
        let bar = piece(0, separable, Fill::Open(&STOCK));
        rows.push(row("of these separable from their keys", bar, separable, at_risk));
    }
    let right = at_risk - matched_right;
    let mut both = piece(gone + shared, right, Fill::Open(&LEFT));
    both.extend(piece(right, at_risk, Fill::Solid(&LEFT)));
    rows.extend([
        row("gone", piece(0, gone, Fill::Solid(&DONE)), gone, at_risk),
        row("shared", piece(gone, gone + shared, Fill::Open(&DONE)), shared, at_risk),
        row("matched", both, matched, at_risk),
        row(
            "of these every value true",
            piece(right, at_risk, Fill::Solid(&LEFT)),
            matched_right,
            at_risk,
        ),
    ]);
    rows
}

fn twin(coverage: &Coverage) -> Twin {
    let Coverage { records, at_risk, separable, gone, shared, matched, matched_right } = *coverage;
    let words = vec![format!(
        "In {}, {} at risk. Of these {} gone, {} shared and {} matched; {} matched with every \
         sensitive value true.",
        counted(records, "record", "records"),
        counted(at_risk, "person is", "people are"),
        counted(gone, "is", "are"),
        counted(shared, "is", "are"),
        counted(matched, "is", "are"),
        counted(matched_right, "is", "are"),
    )];
    let cells = |name: &str, count: u64, whole: u64| {
        vec![name.to_owned(), grouped(count), percent(count, whole)]
    };
    let mut rows =
        vec![cells("all records", records, records), cells("people at risk", at_risk, records)];
    if let Some(separable) = separable {
        rows.push(cells(
            "separable: some swap of two records separates them from their keys",
            separable,
            at_risk,
        ));
    }
    rows.extend([
        cells("gone: no released record has their keys", gone, at_risk),
        cells("shared: two or more records have them", shared, at_risk),
        cells("matched: exactly one record has them", matched, at_risk),
        cells("matched, every sensitive value true", matched_right, at_risk),
    ]);
    let heads = ["who", "count", "share of all, or of those at risk"];
    Twin { words, table: Some(TextTable::new(TITLE, &heads, rows)) }
}

//! From all records to those that are left over: all → at risk → swappable → protected →
//! left over, by reason.
//!
//! Trap: a thousand records at risk among a million would be a bar that nobody sees. The
//! first bar is of all records; a funnel leads from its part at risk to the full width that
//! the bars below are measured in.
//!
//! Way in: [`draw`].

use marginswap_core::text::grouped;
use serde::Serialize;

use super::bars::{self, Fill, Piece, ROW, Row, share};
use crate::answer::percent;
use crate::paint::{DONE, LEFT, STOCK, filled};
use crate::sheet::{Picture, TextTable, Twin};
use crate::svg::{Element, number};

const TITLE: &str = "From all records to those left over";

/// Who is at risk, and what became of them. Records of a reason are counted once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Coverage {
    /// All records.
    pub records: u64,
    /// Those at risk.
    pub at_risk: u64,
    /// Of these, the ones with a partner in some swap.
    pub swappable: u64,
    /// Of these, the ones that have other keys now.
    pub protected: u64,
    /// Those at risk and without a partner, which the kept tables disclose.
    pub disclosed: u64,
    /// Those at risk, with a partner and without a swap, by reason.
    pub left_over: Vec<LeftOver>,
}

/// Records at risk that keep their keys though they have partners.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LeftOver {
    /// Why.
    pub reason: String,
    /// How many.
    pub records: u64,
}

impl Coverage {
    /// Those at risk without a partner in any swap.
    #[must_use]
    pub fn without_partner(&self) -> u64 {
        self.at_risk - self.swappable
    }

    /// All that are at risk and keep their keys.
    #[must_use]
    pub fn left(&self) -> u64 {
        self.at_risk - self.protected
    }
}

/// Draws the waterfall.
///
/// # Panics
/// When the numbers do not add up.
#[must_use]
pub fn draw(id: &str, coverage: &Coverage) -> Picture {
    let Coverage { records, at_risk, swappable, protected, disclosed, ref left_over } = *coverage;
    assert!(protected <= swappable && swappable <= at_risk && at_risk <= records, "a part is less");
    let left_with_partner: u64 = left_over.iter().map(|left| left.records).sum();
    assert_eq!(protected + left_with_partner, swappable, "every record is counted once");
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
        row("at risk", piece(0, at_risk, Fill::Solid(&STOCK)), at_risk, records),
        row(
            "no partner at all",
            piece(swappable, at_risk, Fill::Open(&LEFT)),
            at_risk - swappable,
            at_risk,
        ),
        row("swappable", piece(0, swappable, Fill::Solid(&STOCK)), swappable, at_risk),
    ];
    let mut end = swappable;
    for LeftOver { reason, records } in left_over {
        let from = end - records;
        rows.push(row(reason, piece(from, end, Fill::Open(&LEFT)), *records, at_risk));
        end = from;
    }
    rows.push(row("protected", piece(0, protected, Fill::Solid(&DONE)), protected, at_risk));
    rows.push(row(
        "left over",
        piece(protected, at_risk, Fill::Solid(&LEFT)),
        at_risk - protected,
        at_risk,
    ));

    let mut sheet = bars::sheet(&rows);
    sheet.heading(TITLE);
    let columns = bars::columns(&rows);
    if at_risk > 0 && at_risk < records {
        sheet.small_print(&format!(
            "The first bar is {} records; from the second on the full width is the {} at risk",
            grouped(records),
            grouped(at_risk)
        ));
        sheet.y += 4.0;
    }
    if at_risk > 0 {
        // From the part at risk of the first bar to the whole of the second.
        let top = sheet.y + ROW / 2.0 + 8.0;
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
    bars::legend(
        &mut sheet,
        &[
            (Fill::Solid(&DONE), "protected"),
            (Fill::Open(&LEFT), "falls out here"),
            (Fill::Solid(&LEFT), "left over"),
        ],
    );

    let mut words = vec![format!(
        "Of {} records {} are at risk; {} of these can be swapped, {} are protected and {} are \
         left over.",
        grouped(records),
        grouped(at_risk),
        grouped(swappable),
        grouped(protected),
        grouped(at_risk - protected)
    )];
    if disclosed > 0 {
        words.push(format!(
            "Of those without a partner, already disclosed by the kept tables: {}.",
            grouped(disclosed)
        ));
    }
    let cells = |name: &str, count: u64, whole: u64| {
        vec![name.to_owned(), grouped(count), percent(count, whole)]
    };
    let mut table = vec![
        cells("all records", records, records),
        cells("at risk", at_risk, records),
        cells("at risk, no partner at all", at_risk - swappable, at_risk),
        cells("of these already disclosed", disclosed, at_risk),
        cells("at risk and swappable", swappable, at_risk),
    ];
    table.extend(
        left_over
            .iter()
            .map(|left| cells(&format!("swappable, {}", left.reason), left.records, at_risk)),
    );
    table.push(cells("protected", protected, at_risk));
    table.push(cells("left over", at_risk - protected, at_risk));
    let heads = ["records", "count", "share of all, or of those at risk"];
    let table = Some(TextTable::new(TITLE, &heads, table));
    sheet.finish(id, "waterfall", TITLE.to_owned(), Twin { words, table })
}

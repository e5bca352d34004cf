//! Rows of a label, a bar and a figure, in three columns.
//!
//! Labels end where the bars begin, figures end at the right edge, and the bars take what is
//! left between them, so that nothing can meet.

use crate::lettering::width;
use crate::paint::{Colour, INK, QUIET, RULE, lettered, outlined, stroked};
use crate::sheet::{Label, MARGIN, SMALL, Sheet, block};
use crate::svg::{Element, number};

/// The width of a sheet of bars.
pub(super) const CONTENT: f64 = 680.0;
/// From one row to the next.
pub(super) const ROW: f64 = 28.0;
const BAR: f64 = 16.0;
const GAP: f64 = 14.0;
const LABEL_ROOM: f64 = 250.0;
/// A bar that is there is seen.
const LEAST: f64 = 1.5;

/// A piece of a bar, from 0 to 1 of the bars' column.
pub(super) struct Piece {
    pub from: f64,
    pub to: f64,
    pub fill: Fill,
}

/// How a piece is painted: never told apart by colour alone.
pub(super) enum Fill {
    Solid(&'static Colour),
    Open(&'static Colour),
}

/// One row.
pub(super) struct Row {
    label: Label,
    pieces: Vec<Piece>,
    figure: String,
    share: String,
}

impl Row {
    pub(super) fn new(name: &str, pieces: Vec<Piece>, figure: String) -> Self {
        let label = Label::new(name, 13.0, LABEL_ROOM);
        Self { label, pieces, figure, share: String::new() }
    }

    /// The same row with a share in a column of its own.
    pub(super) fn of(mut self, share: String) -> Self {
        self.share = share;
        self
    }
}

/// Where the bars are, and the room of the figures and shares after them.
pub(super) struct Columns {
    pub left: f64,
    pub wide: f64,
    figures: f64,
    shares: f64,
}

/// The columns that these rows need on a sheet of [`CONTENT`].
pub(super) fn columns(rows: &[Row]) -> Columns {
    let widest = |room: &dyn Fn(&Row) -> f64| rows.iter().map(room).fold(0.0, f64::max).ceil();
    let figures = widest(&|row| width(&row.figure, SMALL));
    let shares = match widest(&|row| width(&row.share, SMALL)) {
        0.0 => 0.0,
        wide => wide + GAP,
    };
    let left = MARGIN + widest(&|row| row.label.width()) + GAP;
    let wide = (CONTENT + MARGIN - shares - figures - GAP - left).max(120.0);
    Columns { left, wide, figures, shares }
}

/// The sheet for these rows: wider where labels and figures leave no room.
pub(super) fn sheet(rows: &[Row]) -> Sheet {
    let Columns { left, wide, figures, shares } = columns(rows);
    Sheet::new((left + wide + GAP + figures + shares - MARGIN).max(CONTENT))
}

/// Puts the rows on the sheet.
pub(super) fn put(sheet: &mut Sheet, rows: &[Row], columns: &Columns) {
    let base = format!(
        "M{} {}v{}",
        number(columns.left - 0.5),
        number(sheet.y),
        number(rows.len() as f64 * ROW)
    );
    if !rows.is_empty() {
        sheet.parts.push(stroked(Element::new("path").with("d", base), &RULE));
    }
    for row in rows {
        let middle = sheet.y + ROW / 2.0;
        sheet.label(&row.label, columns.left - GAP, middle, "end");
        for piece in &row.pieces {
            let x = columns.left + piece.from * columns.wide;
            let wide = ((piece.to - piece.from) * columns.wide).max(LEAST);
            let bar = block(x, middle - BAR / 2.0, wide, BAR);
            sheet.parts.push(match piece.fill {
                Fill::Solid(colour) => outlined(bar, colour, colour),
                Fill::Open(colour) => outlined(bar, colour, colour)
                    .with("fill-opacity", 0.12)
                    .with("stroke-dasharray", "3 2"),
            });
        }
        let right = sheet.right();
        for (words, x) in [(&row.figure, right - columns.shares), (&row.share, right)] {
            if !words.is_empty() {
                let text = lettered(words, x, middle, SMALL, &INK).with("text-anchor", "end");
                sheet.parts.push(text.with("style", "font-variant-numeric:tabular-nums"));
            }
        }
        sheet.y += ROW;
    }
}

/// The share of a whole; 0 of nothing.
#[allow(clippy::cast_precision_loss, reason = "a place on the sheet")]
pub(super) fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// What the fills mean, in a line or more.
pub(super) fn legend(sheet: &mut Sheet, entries: &[(Fill, &str)]) {
    sheet.y += 8.0;
    let mut flow = crate::paint::Flow::new(MARGIN, MARGIN + sheet.content, sheet.y, 20.0, 24.0);
    for (fill, words) in entries {
        let (x, middle) = flow.place(22.0 + width(words, SMALL));
        let swatch = block(x, middle - 6.0, 14.0, 12.0);
        sheet.parts.push(match fill {
            Fill::Solid(colour) => outlined(swatch, colour, colour),
            Fill::Open(colour) => outlined(swatch, colour, colour)
                .with("fill-opacity", 0.12)
                .with("stroke-dasharray", "3 2"),
        });
        sheet.parts.push(lettered(words, x + 22.0, middle, SMALL, &QUIET));
    }
    sheet.y = flow.end();
}

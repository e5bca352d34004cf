//! Names in frames that flow in lines.

use crate::lettering::width;
use crate::paint::{Colour, Flow, INK, QUIET, lettered, outlined};
use crate::sheet::{Label, SMALL, Sheet, tip};
use crate::svg::Element;

pub(super) const LINE: f64 = 27.0;
const HEIGHT: f64 = 22.0;
const PAD: f64 = 8.0;
const ROOM: f64 = 15.0 * SMALL;
/// How many names are shown before "and N more".
const MOST: usize = 12;

/// A frame's outline: dashed for what two records agree on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Outline {
    Solid,
    Dashed,
}

pub(super) fn chip_width(name: &str) -> f64 {
    Label::new(name, SMALL, ROOM).width() + 2.0 * PAD
}

/// One chip with its left end at `x`.
pub(super) fn put_one(
    sheet: &mut Sheet,
    name: &str,
    x: f64,
    middle: f64,
    colour: &Colour,
    outline: Outline,
) {
    let label = Label::new(name, SMALL, ROOM);
    let wide = label.width() + 2.0 * PAD;
    let frame = Element::new("rect")
        .with("x", x + 0.75)
        .with("y", middle - HEIGHT / 2.0 + 0.75)
        .with("width", wide - 1.5)
        .with("height", HEIGHT - 1.5)
        .with("rx", 5.0);
    let frame = outlined(frame, colour, colour).with("fill-opacity", 0.22);
    let frame = match outline {
        Outline::Solid => frame,
        Outline::Dashed => frame.with("stroke-dasharray", "4 2.4"),
    };
    let mut chip = Element::new("g");
    tip(&mut chip, &label.whole, &label.short);
    chip.push(frame.with("stroke-width", 1.5));
    let text = lettered(&label.short, x + wide / 2.0, middle, SMALL, &INK);
    chip.push(text.with("text-anchor", "middle"));
    sheet.parts.push(chip);
}

/// Names as chips in lines between `left` and the right end of the sheet; below the last
/// line the sheet goes on.
pub(super) fn put(
    sheet: &mut Sheet,
    names: &[String],
    left: f64,
    colour: &Colour,
    outline: Outline,
) {
    let mut flow = Flow::new(left, sheet.right(), sheet.y, LINE, 6.0);
    let most = if names.len() == MOST + 1 { MOST + 1 } else { MOST };
    for name in names.iter().take(most) {
        let (x, middle) = flow.place(chip_width(name));
        put_one(sheet, name, x, middle, colour, outline);
    }
    if names.len() > most || names.is_empty() {
        let words = match names.len() {
            0 => "nothing".to_owned(),
            count => format!("and {} more", count - most),
        };
        let (x, middle) = flow.place(width(&words, SMALL));
        sheet.parts.push(lettered(&words, x, middle, SMALL, &QUIET));
    }
    sheet.y = flow.end();
}

//! What the pictures share: colours, letters, and pieces that flow in lines.
//!
//! A colour has a value on light and one on dark paper. It reaches the file twice: as a
//! CSS variable, so that the reader's preference decides, and as a plain attribute in its
//! light value, for programs that know no variables (word processors, for one).
//!
//! Edge case: the palette of Okabe and Ito is safe for colour-blind readers, but no
//! picture may say by colour alone what matters.

use crate::svg::Element;

/// A colour with its value on light and on dark paper.
pub(crate) struct Colour {
    pub name: &'static str,
    pub light: &'static str,
    pub dark: &'static str,
}

const fn colour(name: &'static str, light: &'static str, dark: &'static str) -> Colour {
    Colour { name, light, dark }
}

pub(crate) const PAPER: Colour = colour("paper", "#ffffff", "#16181d");
pub(crate) const INK: Colour = colour("ink", "#1a1a1a", "#ececec");
pub(crate) const QUIET: Colour = colour("quiet", "#595959", "#a9adb5");
pub(crate) const RULE: Colour = colour("rule", "#dcdcdc", "#3a3d44");
pub(crate) const LINE: Colour = colour("line", "#8c8c8c", "#858a94");
pub(crate) const SOLID: Colour = colour("solid", "#0072b2", "#56b4e9");
pub(crate) const DASHED: Colour = colour("dashed", "#d55e00", "#f28e3c");

/// From the palette of Okabe and Ito; a rule between the parts says the same without colour.
pub(crate) const PARTS: [Colour; 5] = [
    colour("part-1", "#56b4e9", "#56b4e9"),
    colour("part-2", "#e69f00", "#e69f00"),
    colour("part-3", "#009e73", "#009e73"),
    colour("part-4", "#cc79a7", "#cc79a7"),
    colour("part-5", "#0072b2", "#4a90d9"),
];

/// What is wrong, missed or left: there is always a word next to it.
pub(crate) const LEFT: Colour = colour("left", "#d55e00", "#f28e3c");
/// What is done, or harmless.
pub(crate) const DONE: Colour = colour("done", "#0072b2", "#56b4e9");
/// What is there before anything is done.
pub(crate) const STOCK: Colour = colour("stock", "#b4bac4", "#5b616c");

/// From near to far: one hue that darkens on light paper and brightens on dark paper.
pub(crate) const HEAT: [Colour; 6] = [
    colour("heat-1", "#e6f0f8", "#1c2c3b"),
    colour("heat-2", "#c3dcee", "#204564"),
    colour("heat-3", "#8dbfe0", "#2a6593"),
    colour("heat-4", "#2e7ab5", "#63aadb"),
    colour("heat-5", "#155a94", "#93c8ec"),
    colour("heat-6", "#0b3a66", "#c9e5f8"),
];

/// The colours as CSS variables. Elements also carry the light colour as an attribute,
/// for programs that know no variables (word processors, for one).
pub(crate) fn style_sheet() -> String {
    let colours = || {
        let single = [&PAPER, &INK, &QUIET, &RULE, &LINE, &SOLID, &DASHED, &LEFT, &DONE, &STOCK];
        single.into_iter().chain(&PARTS).chain(&HEAT)
    };
    let set = |value: fn(&Colour) -> &'static str| -> String {
        colours().map(|colour| format!("--ms-{}:{};", colour.name, value(colour))).collect()
    };
    let rules: String = colours()
        .map(|Colour { name, .. }| {
            format!(
                ".marginswap-picture .f-{name}{{fill:var(--ms-{name})}}\
                 .marginswap-picture .s-{name}{{stroke:var(--ms-{name})}}\n"
            )
        })
        .collect();
    format!(
        "\n.marginswap-picture{{{}}}\n@media (prefers-color-scheme: dark){{\
         .marginswap-picture{{{}}}}}\n{rules}",
        set(|colour| colour.light),
        set(|colour| colour.dark),
    )
}

pub(crate) fn filled(element: Element, fill: &Colour) -> Element {
    element.with("class", format!("f-{}", fill.name)).with("fill", fill.light)
}

pub(crate) fn outlined(element: Element, fill: &Colour, stroke: &Colour) -> Element {
    element
        .with("class", format!("f-{} s-{}", fill.name, stroke.name))
        .with("fill", fill.light)
        .with("stroke", stroke.light)
}

pub(crate) fn stroked(element: Element, stroke: &Colour) -> Element {
    element
        .with("class", format!("s-{}", stroke.name))
        .with("fill", "none")
        .with("stroke", stroke.light)
}

/// A text whose letters are centred on `middle`.
pub(crate) fn lettered(text: &str, x: f64, middle: f64, size: f64, colour: &Colour) -> Element {
    let element =
        Element::new("text").with("x", x).with("y", middle + 0.35 * size).with("font-size", size);
    filled(element, colour).text(text)
}

/// Places for pieces that follow each other in lines between `left` and `right`.
pub(crate) struct Flow {
    left: f64,
    right: f64,
    x: f64,
    y: f64,
    line: f64,
    pub gap: f64,
}

impl Flow {
    pub(crate) fn new(left: f64, right: f64, y: f64, line: f64, gap: f64) -> Self {
        Self { left, right, x: left, y, line, gap }
    }

    /// Begins a new line unless `width` fits into this one.
    pub(crate) fn make_room(&mut self, width: f64) {
        if self.x > self.left && self.x + width > self.right {
            self.x = self.left;
            self.y += self.line;
        }
    }

    /// The left end and the middle height of the next piece.
    pub(crate) fn place(&mut self, width: f64) -> (f64, f64) {
        self.make_room(width);
        let x = self.x;
        self.x += width + self.gap;
        (x, self.y + self.line / 2.0)
    }

    /// Below the last line.
    pub(crate) fn end(&self) -> f64 {
        self.y + self.line
    }
}

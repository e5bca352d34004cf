//! Kept or changed: the triangle of all two-way tables.
//!
//! A field is the table of its row's and its column's variable. A lock: a kept table holds
//! both variables and no count changed. An equals sign: it is not kept, and nothing changed. Otherwise the field is the darker the farther the
//! table moved, with its total variation in percent, or the upper bound of its band in percent.
//!
//! The name of a variable is written once, at the diagonal: its row lies to the left of it, its
//! column below. Names run into the empty half, each in a row of its own, so that none can
//! meet another.
//!
//! Trap: a kept table must not change; if it did, its field is crossed out.
//! Edge case: of very many variables only those are drawn that are in the tables that moved
//! most, and the picture says so.
//!
//! Way in: [`draw`].

use marginswap_core::text::grouped;

use crate::band::Band;
use crate::lettering::{spoken, width};
use crate::paint::{
    Flow, HEAT, INK, LEFT, LINE, PAPER, QUIET, RULE, filled, lettered, outlined, stroked,
};
use crate::sheet::{LABEL, Label, MARGIN, Picture, SMALL, Sheet, TextTable, Twin, block};
use crate::svg::{Element, number};

const TITLE: &str = "Kept or changed: all two-way tables";

/// Of more variables than this only some are drawn.
const MOST_DRAWN: usize = 64;

/// How many tables are listed in the text twin.
const MOST_LISTED: usize = 100;

/// What happened to a two-way table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fate {
    /// A kept table holds it, and no count differs.
    Fixed,
    /// No kept table holds it, and no count differs.
    Same,
    /// No kept table holds it, and whether a count differs is not shown, only a range.
    Free(Band),
    /// Counts differ; by how much, as far as it may be published.
    Changed(Distance),
    /// A kept table holds it, and counts differ nevertheless.
    Broken(Distance),
}

/// How far a table moved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Distance {
    /// The total variation.
    Exact(f64),
    /// A range of it.
    Within(Band),
}

impl Distance {
    fn band(self) -> Band {
        match self {
            Self::Exact(distance) => Band::of(distance),
            Self::Within(band) => band,
        }
    }

    /// In a sentence or a table.
    fn words(self) -> String {
        match self {
            Self::Exact(distance) => percent_of(distance, 2),
            Self::Within(band) => band.label().to_owned(),
        }
    }

    /// For sorting: the farther first.
    fn key(self) -> f64 {
        match self {
            Self::Exact(distance) => distance,
            Self::Within(band) => band.position() as f64,
        }
    }
}

/// A share in percent; only nothing is 0.
fn percent_of(share: f64, decimals: usize) -> String {
    let percent = share * 100.0;
    let least = 0.5 * 0.1f64.powi(i32::try_from(decimals).expect("few decimals"));
    if percent > 0.0 && percent < least {
        format!("<{:.decimals$} %", 2.0 * least)
    } else {
        format!("{percent:.decimals$} %")
    }
}

impl Fate {
    fn distance(self) -> Option<Distance> {
        match self {
            Self::Changed(distance) | Self::Broken(distance) => Some(distance),
            Self::Free(band) => Some(Distance::Within(band)),
            Self::Fixed | Self::Same => None,
        }
    }
}

/// What the picture shows.
#[derive(Debug, Clone)]
pub struct TrianglePicture<'a> {
    /// Begins the ids; empty means `triangle`.
    pub id: &'a str,
    /// The names of the variables.
    pub names: Vec<&'a str>,
    /// Two variables by number, the lower one first, and what became of their table.
    pub tables: Vec<([usize; 2], Fate)>,
}

/// Draws the triangle.
///
/// # Panics
/// When a table is not one of two of the variables, the lower number first.
#[must_use]
pub fn draw(picture: &TrianglePicture<'_>) -> Picture {
    for ([low, high], _) in &picture.tables {
        assert!(low < high && *high < picture.names.len(), "a table is of two variables");
    }
    let drawn = drawn(picture);
    let place = |variable: usize| drawn.binary_search(&variable).ok();
    let cell = match drawn.len() {
        0..=12 => 40.0,
        13..=20 => 30.0,
        21..=40 => 24.0,
        _ => 20.0,
    };
    let size = if cell < 24.0 { SMALL } else { LABEL };
    let labels: Vec<Label> = drawn
        .iter()
        .map(|&variable| Label::new(picture.names[variable], size, 26.0 * LABEL))
        .collect();
    let reach = labels
        .iter()
        .enumerate()
        .map(|(position, label)| position as f64 * cell + 8.0 + label.width())
        .fold(640.0, f64::max);
    let mut sheet = Sheet::new(reach.ceil());
    sheet.heading(TITLE);
    let (left, top) = (MARGIN, sheet.y);
    for (position, label) in labels.iter().enumerate() {
        let shift = position as f64 * cell;
        sheet.label(label, left + shift + 8.0, top + shift + cell / 2.0, "start");
    }
    for ([low, high], fate) in &picture.tables {
        if let (Some(column), Some(row)) = (place(*low), place(*high)) {
            let x = left + column as f64 * cell;
            let y = top + row as f64 * cell;
            let mut field = field(x + 1.0, y + 1.0, cell - 2.0, *fate);
            let [low, high] = [low, high].map(|&variable| spoken(picture.names[variable]));
            let tip = format!("{low} and {high}: {}", said(*fate));
            field.push(Element::new("title").text(tip));
            sheet.parts.push(field);
        }
    }
    sheet.y = top + labels.len() as f64 * cell + 12.0;
    legend(&mut sheet, picture);
    if drawn.len() < picture.names.len() {
        sheet.y += 4.0;
        sheet.small_print(&format!(
            "{} of {} variables are drawn: those of the tables that moved most",
            drawn.len(),
            picture.names.len()
        ));
    }
    sheet.finish(picture.id, "triangle", TITLE.to_owned(), twin(picture))
}

/// The variables that are drawn, in rising order.
fn drawn(picture: &TrianglePicture<'_>) -> Vec<usize> {
    let count = picture.names.len();
    if count <= MOST_DRAWN {
        return (0..count).collect();
    }
    let mut chosen: Vec<usize> = Vec::new();
    let order = sorted(picture).into_iter().flat_map(|(pair, _)| pair).chain(0..count);
    for variable in order {
        if chosen.len() < MOST_DRAWN && !chosen.contains(&variable) {
            chosen.push(variable);
        }
    }
    chosen.sort_unstable();
    chosen
}

/// The tables that changed: broken promises first, then from far to near.
fn sorted(picture: &TrianglePicture<'_>) -> Vec<([usize; 2], Fate)> {
    let mut changed: Vec<([usize; 2], Fate)> =
        picture.tables.iter().copied().filter(|(_, fate)| fate.distance().is_some()).collect();
    let key = |fate: Fate| fate.distance().map_or(0.0, Distance::key);
    changed.sort_by(|(_, left), (_, right)| {
        let broken = |fate: &Fate| matches!(fate, Fate::Broken(_));
        broken(right).cmp(&broken(left)).then(key(*right).total_cmp(&key(*left)))
    });
    changed
}

fn said(fate: Fate) -> String {
    match fate {
        Fate::Fixed => "exactly fixed by a kept table".to_owned(),
        Fate::Same => "not kept, and unchanged".to_owned(),
        Fate::Free(band) => format!("not kept, total variation {}", band.label()),
        Fate::Changed(distance) => format!("changed, total variation {}", distance.words()),
        Fate::Broken(distance) => {
            format!("kept, but changed, total variation {}", distance.words())
        }
    }
}

/// One field of the triangle, or of the legend.
fn field(x: f64, y: f64, side: f64, fate: Fate) -> Element {
    let mut group = Element::new("g");
    let (middle_x, middle_y) = (x + side / 2.0, y + side / 2.0);
    let square = block(x, y, side, side);
    match fate {
        Fate::Fixed => {
            group.push(outlined(square, &PAPER, &RULE));
            group.push(lock(middle_x, middle_y, side));
        }
        Fate::Same => {
            group.push(outlined(square, &PAPER, &RULE));
            let half = side * 0.16;
            let path = format!(
                "M{} {}h{}m-{} {}h{}",
                number(middle_x - half),
                number(middle_y - half * 0.5),
                number(2.0 * half),
                number(2.0 * half),
                number(half),
                number(2.0 * half)
            );
            let sign = stroked(Element::new("path").with("d", path), &LINE);
            group.push(sign.with("stroke-width", 1.5));
        }
        Fate::Changed(_) | Fate::Broken(_) | Fate::Free(_) => {
            let distance = fate.distance().expect("these have one");
            let band = distance.band();
            group.push(outlined(square, &HEAT[band.position()], &HEAT[band.position()]));
            // The far half of the bands is dark on light paper and light on dark paper.
            let ink = if band.position() >= 3 { &PAPER } else { &INK };
            let words = match distance {
                Distance::Exact(distance) if side > 34.0 => figure(distance),
                Distance::Exact(distance) => short_figure(distance),
                Distance::Within(band) => band.figure().to_owned(),
            };
            let size = match side {
                side if side > 34.0 => 11.0,
                side if side > 24.0 => 9.5,
                _ => 7.5,
            };
            let text = lettered(&words, middle_x, middle_y, size, ink);
            group.push(text.with("text-anchor", "middle"));
            if matches!(fate, Fate::Broken(_)) {
                let path = format!(
                    "M{} {}l{side} {side}m-{side} 0l{side} -{side}",
                    number(x),
                    number(y),
                    side = number(side)
                );
                let cross = stroked(Element::new("path").with("d", path), &LEFT);
                group.push(cross.with("stroke-width", 2.0));
            }
        }
    }
    group
}

/// A total variation in percent, short enough for a field.
fn figure(distance: f64) -> String {
    let percent = distance * 100.0;
    match percent {
        percent if percent > 0.0 && percent < 0.005 => "<.01".to_owned(),
        percent if percent < 1.0 => format!("{percent:.2}").trim_start_matches('0').to_owned(),
        percent if percent < 10.0 => format!("{percent:.1}"),
        percent => format!("{percent:.0}"),
    }
}

/// The same for a small field: three signs at most.
fn short_figure(distance: f64) -> String {
    let percent = distance * 100.0;
    match percent {
        percent if percent > 0.0 && percent < 0.05 => "<.1".to_owned(),
        percent if percent < 0.95 => format!("{percent:.1}").trim_start_matches('0').to_owned(),
        percent if percent < 9.95 => format!("{percent:.1}"),
        percent => format!("{percent:.0}"),
    }
}

/// A padlock.
fn lock(x: f64, y: f64, side: f64) -> Element {
    let unit = (side * 0.09).max(1.4);
    let body = Element::new("rect")
        .with("x", x - 2.0 * unit)
        .with("y", y - 0.4 * unit)
        .with("width", 4.0 * unit)
        .with("height", 3.0 * unit)
        .with("rx", 0.6 * unit);
    let shackle = format!(
        "M{} {}v-{}a{r} {r} 0 0 1 {} 0v{}",
        number(x - 1.2 * unit),
        number(y - 0.4 * unit),
        number(0.8 * unit),
        number(2.4 * unit),
        number(0.8 * unit),
        r = number(1.2 * unit)
    );
    Element::new("g").child(filled(body, &QUIET)).child(
        stroked(Element::new("path").with("d", shackle), &QUIET).with("stroke-width", 0.7 * unit),
    )
}

fn legend(sheet: &mut Sheet, picture: &TrianglePicture<'_>) {
    let has = |test: fn(&Fate) -> bool| picture.tables.iter().any(|(_, fate)| test(fate));
    let mut entries: Vec<(Fate, String)> = Vec::new();
    if has(|fate| matches!(fate, Fate::Fixed)) {
        entries.push((Fate::Fixed, "kept exactly".to_owned()));
    }
    if has(|fate| matches!(fate, Fate::Same)) {
        entries.push((Fate::Same, "not kept, unchanged".to_owned()));
    }
    if has(|fate| matches!(fate, Fate::Broken(_))) {
        let far = Distance::Within(Band::of(0.0));
        entries.push((Fate::Broken(far), "kept, but changed".to_owned()));
    }
    let changed = has(|fate| fate.distance().is_some());
    if has(|fate| matches!(fate, Fate::Free(_))) {
        let free = |fate: &Fate| if let Fate::Free(band) = fate { Some(*band) } else { None };
        let mut bands: Vec<Band> =
            picture.tables.iter().filter_map(|(_, fate)| free(fate)).collect();
        bands.sort_by_key(|band| band.position());
        bands.dedup();
        let entry = |band: Band| {
            let words = if band.is_untold() { "not kept, range not told" } else { band.label() };
            (Fate::Free(band), words.to_owned())
        };
        entries.extend(bands.into_iter().map(entry));
    } else if changed {
        let band = |band| (Fate::Changed(Distance::Within(band)), band.label().to_owned());
        entries.extend(Band::all().map(band));
    }
    let mut flow = Flow::new(MARGIN, sheet.right(), sheet.y, 24.0, 18.0);
    for (fate, words) in entries {
        let (x, middle) = flow.place(28.0 + width(&words, SMALL));
        sheet.parts.push(field(x, middle - 10.0, 20.0, fate));
        sheet.parts.push(lettered(&words, x + 28.0, middle, SMALL, &QUIET));
    }
    sheet.y = flow.end() + 4.0;
    if changed {
        sheet.small_print(
            "Total variation in percent: the share of records that would have to move to make the \
             two tables equal",
        );
    }
}

fn twin(picture: &TrianglePicture<'_>) -> Twin {
    let count = |test: fn(&Fate) -> bool| {
        grouped(picture.tables.iter().filter(|(_, fate)| test(fate)).count() as u64)
    };
    let first = format!(
        "Two-way tables: {}. Kept exactly: {}.",
        grouped(picture.tables.len() as u64),
        count(|fate| matches!(fate, Fate::Fixed)),
    );
    let is_free = picture.tables.iter().any(|(_, fate)| matches!(fate, Fate::Free(_)));
    let mut words = vec![match is_free {
        true => format!("{first} Not kept: {}.", count(|fate| matches!(fate, Fate::Free(_)))),
        false => format!(
            "{first} Not kept and unchanged: {}. Changed: {}.",
            count(|fate| matches!(fate, Fate::Same)),
            count(|fate| matches!(fate, Fate::Changed(_))),
        ),
    }];
    let sorted = sorted(picture);
    if picture.tables.iter().any(|(_, fate)| matches!(fate, Fate::Broken(_))) {
        words
            .push(format!("Kept, but changed: {}.", count(|fate| matches!(fate, Fate::Broken(_)))));
    }
    if sorted.is_empty() {
        return Twin::of_words(words);
    }
    let rows = sorted.iter().take(MOST_LISTED).map(|([low, high], fate)| {
        let name = |variable: usize| spoken(picture.names[variable]);
        let distance = fate.distance().map_or_else(String::new, Distance::words);
        vec![format!("{} and {}", name(*low), name(*high)), distance]
    });
    let table = TextTable::new(
        match is_free {
            true => "The two-way tables that are not kept, and how far they may have moved",
            false => "The two-way tables that changed, most changed first",
        },
        &["table", "total variation"],
        rows.collect(),
    );
    if sorted.len() > MOST_LISTED {
        words.push(format!(
            "The {MOST_LISTED} that changed most are listed; {} changed less.",
            grouped((sorted.len() - MOST_LISTED) as u64)
        ));
    }
    Twin { words, table: Some(table) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_short_and_only_nothing_is_zero() {
        let short = [1e-9, 0.0001, 0.00994, 0.012, 0.0999, 0.123, 1.0].map(figure);
        assert_eq!(short, ["<.01", ".01", ".99", "1.2", "10.0", "12", "100"]);
        let shorter = [1e-9, 0.0001, 0.00994, 0.012, 0.0999, 0.123, 1.0].map(short_figure);
        assert_eq!(shorter, ["<.1", "<.1", "1.0", "1.2", "10", "12", "100"]);
        assert_eq!(percent_of(1e-9, 2), "<0.01 %");
        assert_eq!(percent_of(0.0, 2), "0.00 %");
    }

    #[test]
    fn of_many_variables_the_moved_ones_are_drawn() {
        let names: Vec<String> = (0..100).map(|number| format!("v{number}")).collect();
        let far = Fate::Changed(Distance::Exact(0.5));
        let picture = TrianglePicture {
            id: "",
            names: names.iter().map(String::as_str).collect(),
            tables: vec![([0, 1], Fate::Fixed), ([97, 99], far)],
        };
        let drawn = drawn(&picture);
        assert_eq!(drawn.len(), MOST_DRAWN);
        assert!(drawn.contains(&97) && drawn.contains(&99) && drawn.is_sorted());
    }
}

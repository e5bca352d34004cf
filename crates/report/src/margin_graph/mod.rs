//! The picture of the margin graph.
//!
//! Variables are joined when some kept table holds both; the members of a minimal
//! separator have a dashed outline. Beneath is what the separators are for: two
//! records that agree on one, and differ in at least two of the parts it leaves, can
//! exchange one part while every kept table remains unchanged \[TH06, Corollary 1\].
//!
//! Trap: a complete graph has no separator, and the picture of it looks like any dense
//! one; it gets a banner. Edge case: the empty set is a separator exactly when the graph
//! is disconnected, and is shown as "nothing". Many variables that nothing is tied to would
//! make the oval large and empty: they are listed beneath it.
//!
//! Way in: [`draw`]; the same in words: [`describe`].

use marginswap_core::varset::VarSet;

use crate::lettering::{shorten, shown, width, wrap};
use crate::paint::{
    DASHED, Flow, INK, LINE, PAPER, PARTS, QUIET, SOLID, lettered, outlined, stroked,
};
use crate::ring::{NODE, Ring, Side};
use crate::sheet::{LABEL, MARGIN, Picture, SMALL, Sheet, Twin, tip};
use crate::svg::{Element, number};

mod words;

pub use words::describe;
use words::more_separators;

/// What the picture shows.
#[derive(Debug, Clone, Default)]
pub struct GraphPicture<'a> {
    /// Begins the ids inside the file, so that one page can hold several pictures.
    /// Empty means `margin-graph`.
    pub id: &'a str,
    /// The heading; empty means "Margin graph".
    pub title: String,
    /// The names of the variables, in the order of their numbers.
    pub names: Vec<&'a str>,
    /// The kept tables. They are named in words; the drawing takes its lines from `edges`.
    pub tables: Vec<VarSet>,
    /// The pairs that some kept table holds; order and repetition do not matter.
    pub edges: Vec<(usize, usize)>,
    /// The minimal separators, in the order in which they are listed.
    pub separators: Vec<SeparatorPicture>,
    /// Are these all the minimal separators, or did the search stop at a limit?
    pub separators_complete: bool,
    /// The variables whose values never leave their record.
    pub stays: VarSet,
}

/// One minimal separator and what remains when it is taken out of the graph.
#[derive(Debug, Clone)]
pub struct SeparatorPicture {
    /// The separator; empty when the graph is disconnected.
    pub separator: VarSet,
    /// The components that it leaves.
    pub components: Vec<VarSet>,
}

/// What a complete graph means.
pub const BANNER: &str =
    "These tables tie every variable to every other: no swap of two records can keep them all.";

/// How many separators are listed before "and N more".
const LISTED: usize = 12;

/// How many variables that are tied to no other one are on the ring.
const MOST_ALONE: usize = 8;

const LEAST_CONTENT: f64 = 720.0;
const LABEL_ROOM: f64 = 26.0 * LABEL;
const CHIP_HEIGHT: f64 = 22.0;
const CHIP_ROOM: f64 = 15.0 * SMALL;
const CHIP_PAD: f64 = 8.0;
const CHIP_LINE: f64 = 27.0;

/// The margin graph.
///
/// # Panics
/// When an edge or a set holds a number that is no variable's.
#[must_use]
pub fn draw(picture: &GraphPicture<'_>) -> Picture {
    let neighbours = neighbours(picture);
    let (vertices, alone) = on_the_ring(&neighbours);
    let ring = Ring::new(&within(&neighbours, &vertices));
    let drawing = Drawing::new(picture, &ring, vertices);

    let content = (drawing.left + drawing.right).max(LEAST_CONTENT);
    let mut sheet = Sheet::new(content);
    sheet.heading(&title(picture));
    if is_complete(&neighbours) {
        sheet.banner();
    }
    drawing.put(picture, &neighbours, &mut sheet);
    sheet.alone(picture, &alone);
    sheet.legend(picture);
    sheet.separators(picture);
    let twin = Twin::of_words(describe(picture).lines().map(str::to_owned).collect());
    sheet.finish(picture.id, "margin-graph", title(picture), twin)
}

fn title(picture: &GraphPicture<'_>) -> String {
    if picture.title.trim().is_empty() { "Margin graph".to_owned() } else { shown(&picture.title) }
}

/// For each variable those that are tied to it.
fn neighbours(picture: &GraphPicture<'_>) -> Vec<VarSet> {
    let count = picture.names.len();
    let all = VarSet::first(count);
    let known = |set: &VarSet| set.is_subset(&all);
    assert!(known(&picture.stays), "what stays is a variable");
    assert!(picture.tables.iter().all(known), "a table holds variables");
    for SeparatorPicture { separator, components } in &picture.separators {
        assert!(known(separator), "a separator holds variables");
        assert!(components.iter().all(known), "a component holds variables");
    }
    let mut neighbours = vec![VarSet::EMPTY; count];
    for &(from, to) in &picture.edges {
        assert!(from < count && to < count, "an edge joins two variables");
        if from != to {
            neighbours[from].insert(to);
            neighbours[to].insert(from);
        }
    }
    neighbours
}

fn is_complete(neighbours: &[VarSet]) -> bool {
    let count = neighbours.len();
    count >= 2 && neighbours.iter().all(|near| near.len() == count - 1)
}

/// The variables on the ring, and those beneath it: the ones tied to no other,
/// when they are many.
fn on_the_ring(neighbours: &[VarSet]) -> (Vec<usize>, Vec<usize>) {
    let (alone, tied): (Vec<usize>, Vec<usize>) =
        (0..neighbours.len()).partition(|&vertex| neighbours[vertex].is_empty());
    if alone.len() > MOST_ALONE {
        (tied, alone)
    } else {
        ((0..neighbours.len()).collect(), Vec::new())
    }
}

/// The neighbours of these vertices, numbered by their positions; all neighbours are among
/// them.
fn within(neighbours: &[VarSet], vertices: &[usize]) -> Vec<VarSet> {
    let position = |vertex: usize| {
        vertices.binary_search(&vertex).expect("a neighbour of a vertex is on the ring too")
    };
    vertices.iter().map(|&vertex| neighbours[vertex].iter().map(position).collect()).collect()
}

/// The mark of a variable: round, or square when it stays; dashed in a separator.
fn mark(x: f64, y: f64, stays: bool, in_separator: bool) -> Element {
    let shape = if stays {
        let half = NODE - 1.0;
        Element::new("rect")
            .with("x", x - half)
            .with("y", y - half)
            .with("width", 2.0 * half)
            .with("height", 2.0 * half)
    } else {
        Element::new("circle").with("cx", x).with("cy", y).with("r", NODE - 1.0)
    };
    if in_separator {
        outlined(shape, &PAPER, &DASHED).with("stroke-width", 2.0).with("stroke-dasharray", "4 2.4")
    } else {
        outlined(shape, &SOLID, &SOLID).with("stroke-width", 2.0)
    }
}

/// The graph itself: places from the ring, labels outward, and how far they reach.
struct Drawing<'r> {
    ring: &'r Ring,
    /// The variable at each position of the ring.
    vertices: Vec<usize>,
    names: Vec<String>,
    labels: Vec<String>,
    left: f64,
    right: f64,
}

/// From the centre of a vertex to the beginning of its label.
const TO_LABEL: f64 = NODE + 6.0;

impl<'r> Drawing<'r> {
    fn new(picture: &GraphPicture<'_>, ring: &'r Ring, vertices: Vec<usize>) -> Self {
        let names: Vec<String> =
            vertices.iter().map(|&vertex| shown(picture.names[vertex])).collect();
        let labels: Vec<String> =
            names.iter().map(|name| shorten(name, LABEL, LABEL_ROOM)).collect();
        let (mut left, mut right) = (NODE, NODE);
        for (vertex, label) in labels.iter().enumerate() {
            let reach = ring.places[vertex].x.abs() + TO_LABEL + width(label, LABEL);
            match ring.sides[vertex] {
                Side::Left => left = left.max(reach),
                Side::Right => right = right.max(reach),
            }
        }
        Self { ring, vertices, names, labels, left, right }
    }

    fn put(&self, picture: &GraphPicture<'_>, neighbours: &[VarSet], sheet: &mut Sheet) {
        if self.names.is_empty() {
            return;
        }
        let spare = (sheet.content - self.left - self.right) / 2.0;
        let middle_x = MARGIN + spare + self.left;
        let middle_y = sheet.y + 16.0 + self.ring.half_height;

        let edge_count: usize = neighbours.iter().map(VarSet::len).sum::<usize>() / 2;
        let (line_width, opacity) = match edge_count {
            0..=60 => (1.75, 1.0),
            61..=200 => (1.25, 0.75),
            _ => (1.0, 0.45),
        };
        let mut edges = stroked(Element::new("g"), &LINE)
            .with("stroke-width", line_width)
            .with("stroke-opacity", opacity)
            .with("stroke-linecap", "round");
        for (from, near) in within(neighbours, &self.vertices).iter().enumerate() {
            for to in near.iter().filter(|&to| to > from) {
                let (start, end) = (self.ring.places[from], self.ring.places[to]);
                let control = self.ring.bend(from, to);
                let path = format!(
                    "M{} {}Q{} {} {} {}",
                    number(middle_x + start.x),
                    number(middle_y + start.y),
                    number(middle_x + control.x),
                    number(middle_y + control.y),
                    number(middle_x + end.x),
                    number(middle_y + end.y)
                );
                edges.push(Element::new("path").with("d", path));
            }
        }
        if !edges.is_childless() {
            sheet.parts.push(edges);
        }

        let dashed = in_some_separator(picture);
        for (vertex, label) in self.labels.iter().enumerate() {
            let place = self.ring.places[vertex];
            let (x, y) = (middle_x + place.x, middle_y + place.y);
            let mut node = Element::new("g");
            tip(&mut node, &self.names[vertex], label);
            let variable = self.vertices[vertex];
            node.push(mark(x, y, picture.stays.contains(variable), dashed.contains(variable)));
            let (x, anchor) = match self.ring.sides[vertex] {
                Side::Left => (x - TO_LABEL, "end"),
                Side::Right => (x + TO_LABEL, "start"),
            };
            node.push(lettered(label, x, y, LABEL, &INK).with("text-anchor", anchor));
            sheet.parts.push(node);
        }
        sheet.y = middle_y + self.ring.half_height + 16.0;
    }
}

fn in_some_separator(picture: &GraphPicture<'_>) -> VarSet {
    let mut members = VarSet::EMPTY;
    for separator in &picture.separators {
        members |= separator.separator;
    }
    members
}

impl Sheet {
    fn banner(&mut self) {
        const SIZE: f64 = 14.0;
        const PAD: f64 = 12.0;
        let lines = wrap(BANNER, SIZE, (self.content - 2.0 * PAD) / 1.12);
        let height = lines.len() as f64 * SIZE * 1.5 + 2.0 * PAD;
        let frame = Element::new("rect")
            .with("x", MARGIN)
            .with("y", self.y)
            .with("width", self.content)
            .with("height", height)
            .with("rx", 6.0);
        let frame = outlined(frame, &DASHED, &DASHED).with("fill-opacity", 0.12);
        self.parts.push(frame.with("stroke-width", 1.5));
        for (index, line) in lines.iter().enumerate() {
            let middle = self.y + PAD + (index as f64 + 0.5) * SIZE * 1.5;
            let text = lettered(line, MARGIN + PAD, middle, SIZE, &INK);
            self.parts.push(text.with("font-weight", "bold"));
        }
        self.y += height + 12.0;
    }

    /// The variables that are tied to no other, in lines.
    fn alone(&mut self, picture: &GraphPicture<'_>, alone: &[usize]) {
        if alone.is_empty() {
            return;
        }
        self.small_print("Tied to no other variable:");
        let mut flow = Flow::new(MARGIN, MARGIN + self.content, self.y + 4.0, 24.0, 20.0);
        for &variable in alone {
            let name = shown(picture.names[variable]);
            let label = shorten(&name, SMALL, CHIP_ROOM);
            let (x, middle) = flow.place(2.0 * NODE + 6.0 + width(&label, SMALL));
            let mut node = Element::new("g");
            tip(&mut node, &name, &label);
            node.push(mark(x + NODE, middle, picture.stays.contains(variable), false));
            node.push(lettered(&label, x + NODE + TO_LABEL, middle, SMALL, &INK));
            self.parts.push(node);
        }
        self.y = flow.end() + 4.0;
    }

    fn legend(&mut self, picture: &GraphPicture<'_>) {
        let members = in_some_separator(picture);
        let shown = |stays: bool, dashed: bool| {
            (0..picture.names.len()).any(|variable| {
                picture.stays.contains(variable) == stays && members.contains(variable) == dashed
            })
        };
        let mut entries: Vec<(Option<(bool, bool)>, &str)> = Vec::new();
        if picture.edges.iter().any(|&(from, to)| from != to) {
            entries.push((None, "kept together by a table"));
        }
        if shown(false, true) {
            entries.push((Some((false, true)), "in a minimal separator"));
        }
        if shown(true, false) {
            entries.push((Some((true, false)), "stays in its record"));
        }
        if shown(true, true) {
            entries.push((Some((true, true)), "stays, and in a minimal separator"));
        }
        if entries.is_empty() {
            return;
        }
        self.y += 8.0;
        let mut flow = Flow::new(MARGIN, MARGIN + self.content, self.y, 20.0, 24.0);
        for (sign, words) in entries {
            let (x, middle) = flow.place(28.0 + width(words, SMALL));
            self.parts.push(match sign {
                Some((stays, dashed)) => mark(x + 10.0, middle, stays, dashed),
                None => stroked(Element::new("path"), &LINE)
                    .with("stroke-width", 1.75)
                    .with("d", format!("M{} {}h20", number(x), number(middle))),
            });
            self.parts.push(lettered(words, x + 28.0, middle, SMALL, &QUIET));
        }
        self.y = flow.end();
    }

    fn separators(&mut self, picture: &GraphPicture<'_>) {
        let more = more_separators(picture);
        if picture.separators.is_empty() && more.is_none() {
            return;
        }
        self.y += 16.0;
        self.subheading("Minimal separators");
        if !picture.separators.is_empty() {
            self.small_print(
                "Two records that agree on the dashed variables, and differ in at least two of \
                 the parts, can exchange one part: every kept table stays exactly as it is.",
            );
            self.y += 6.0;
            self.table_of_separators(picture);
        }
        if let Some(more) = more {
            self.y += 6.0;
            self.small_print(&more);
        }
    }

    fn table_of_separators(&mut self, picture: &GraphPicture<'_>) {
        const NOTHING: &str = "nothing (the graph is not connected)";
        let rows = &picture.separators[..picture.separators.len().min(LISTED)];
        let widest = rows
            .iter()
            .map(|row| match row.separator.len() {
                0 => width(NOTHING, SMALL),
                _ => items_width(&separator_items(picture, row.separator)),
            })
            .fold(width("agree on", SMALL), f64::max);
        let column = widest.min(self.content * 0.38).ceil();
        let parts_from = MARGIN + column + 28.0;

        let middle = self.y + 9.0;
        self.parts.push(lettered("agree on", MARGIN, middle, SMALL, &QUIET));
        self.parts.push(lettered("parts", parts_from, middle, SMALL, &QUIET));
        self.y += 22.0;
        for row in rows {
            self.rule();
            let top = self.y + 5.0;

            let mut left = Flow::new(MARGIN, MARGIN + column, top, CHIP_LINE, 5.0);
            if row.separator.is_empty() {
                left = Flow::new(MARGIN, MARGIN + column, top + 4.0, 18.0, 5.0);
                for line in wrap(NOTHING, SMALL, column) {
                    let (x, middle) = left.place(column);
                    self.parts.push(lettered(&line, x, middle, SMALL, &INK));
                }
            } else {
                self.put_items(&separator_items(picture, row.separator), &mut left);
            }
            let mut right = Flow::new(parts_from, MARGIN + self.content, top, CHIP_LINE, 5.0);
            self.put_items(&component_items(picture, &row.components), &mut right);
            self.y = left.end().max(right.end()) + 5.0;
        }
    }

    fn put_items(&mut self, items: &[Item], flow: &mut Flow) {
        for (index, item) in items.iter().enumerate() {
            // A rule goes to the next line together with what it begins.
            let follower = items.get(index + 1).filter(|_| matches!(item, Item::Rule));
            flow.make_room(item.width() + follower.map_or(0.0, |next| flow.gap + next.width()));
            let (x, middle) = flow.place(item.width());
            match item {
                Item::Rule => {
                    let rule = Element::new("path")
                        .with("d", format!("M{} {}v18", number(x + 4.0), number(middle - 9.0)));
                    self.parts.push(stroked(rule, &QUIET));
                }
                Item::Note(words) => {
                    self.parts.push(lettered(words, x, middle, SMALL, &QUIET));
                }
                Item::Chip { name, label, part } => {
                    let frame = Element::new("rect")
                        .with("x", x + 0.75)
                        .with("y", middle - CHIP_HEIGHT / 2.0 + 0.75)
                        .with("width", item.width() - 1.5)
                        .with("height", CHIP_HEIGHT - 1.5)
                        .with("rx", 5.0);
                    let frame = match part {
                        Some(part) => {
                            let colour = &PARTS[part % PARTS.len()];
                            outlined(frame, colour, colour).with("fill-opacity", 0.3)
                        }
                        None => outlined(frame, &PAPER, &DASHED).with("stroke-dasharray", "4 2.4"),
                    };
                    let mut chip = Element::new("g");
                    tip(&mut chip, name, label);
                    chip.push(frame.with("stroke-width", 1.5));
                    let text = lettered(label, x + item.width() / 2.0, middle, SMALL, &INK);
                    chip.push(text.with("text-anchor", "middle"));
                    self.parts.push(chip);
                }
            }
        }
    }
}

/// Something in a row of the list.
enum Item {
    /// A variable: of a separator (`part` is none) or of a component.
    Chip { name: String, label: String, part: Option<usize> },
    /// The line between two components.
    Rule,
    /// How many are not shown.
    Note(String),
}

impl Item {
    fn width(&self) -> f64 {
        match self {
            Self::Chip { label, .. } => width(label, SMALL) + 2.0 * CHIP_PAD,
            Self::Rule => 8.0,
            Self::Note(words) => width(words, SMALL),
        }
    }
}

fn items_width(items: &[Item]) -> f64 {
    items.iter().map(|item| item.width() + 5.0).sum()
}

fn separator_items(picture: &GraphPicture<'_>, separator: VarSet) -> Vec<Item> {
    chips(picture, separator, None)
}

fn component_items(picture: &GraphPicture<'_>, components: &[VarSet]) -> Vec<Item> {
    const SHOWN: usize = 10;
    let mut items = Vec::new();
    for (index, &component) in components.iter().take(SHOWN).enumerate() {
        if index > 0 {
            items.push(Item::Rule);
        }
        items.extend(chips(picture, component, Some(index)));
    }
    if components.len() > SHOWN {
        items.push(Item::Note(format!("and {} more parts", components.len() - SHOWN)));
    }
    items
}

fn chips(picture: &GraphPicture<'_>, set: VarSet, part: Option<usize>) -> Vec<Item> {
    let most = if part.is_some() { 6 } else { 10 };
    // One chip takes no more room than "and 1 more".
    let shown_here = if set.len() == most + 1 { most + 1 } else { most };
    let mut items: Vec<Item> = set
        .iter()
        .take(shown_here)
        .map(|variable| {
            let name = shown(picture.names[variable]);
            let label = shorten(&name, SMALL, CHIP_ROOM);
            Item::Chip { name, label, part }
        })
        .collect();
    if set.len() > shown_here {
        items.push(Item::Note(format!("and {} more", set.len() - shown_here)));
    }
    items
}

//! The paper that every picture is drawn on: it fills from top to bottom.
//!
//! A [`Picture`] is a drawing with its text twin. As a file it carries its colours and the
//! twin in its `<desc>`; on a page the colours come from the page, and the twin is next to
//! it as words and a table.
//!
//! Trap: what has no text twin is not drawn. A picture without one cannot be made.
//!
//! Way in: [`Sheet::new`], then [`Sheet::finish`].

use std::fmt;

use crate::lettering::{shorten, shown, width, wrap};
use crate::paint::{INK, PAPER, QUIET, RULE, filled, lettered, stroked, style_sheet};
use crate::svg::{Element, number};

/// Around the drawing.
pub(crate) const MARGIN: f64 = 24.0;
/// Small letters.
pub(crate) const SMALL: f64 = 12.0;
/// The letters of labels.
pub(crate) const LABEL: f64 = 14.0;
/// What outputs made with a demo seed are marked with.
pub(crate) const NOT_FOR_RELEASE: &str =
    "NOT FOR RELEASE: made with a demo seed, which others know";
/// How much wider bold letters are.
const BOLD: f64 = 1.12;

/// The sheet as it fills; `y` is where the next part begins.
pub(crate) struct Sheet {
    pub content: f64,
    pub y: f64,
    pub parts: Vec<Element>,
}

impl Sheet {
    pub(crate) fn new(content: f64) -> Self {
        Self { content, y: MARGIN, parts: Vec::new() }
    }

    /// The right end of the content.
    pub(crate) fn right(&self) -> f64 {
        MARGIN + self.content
    }

    pub(crate) fn heading(&mut self, title: &str) {
        const SIZE: f64 = 18.0;
        for line in wrap(title, SIZE, self.content / BOLD) {
            let text = lettered(&line, MARGIN, self.y + SIZE / 2.0, SIZE, &INK);
            self.parts.push(text.with("font-weight", "bold"));
            self.y += SIZE * 1.5;
        }
        self.y += 8.0;
    }

    /// A heading inside the picture.
    pub(crate) fn subheading(&mut self, words: &str) {
        for line in wrap(words, 15.0, self.content / BOLD) {
            let heading = lettered(&line, MARGIN, self.y + 8.0, 15.0, &INK);
            self.parts.push(heading.with("font-weight", "bold"));
            self.y += 24.0;
        }
    }

    pub(crate) fn small_print(&mut self, words: &str) {
        for line in wrap(words, SMALL, self.content) {
            self.parts.push(lettered(&line, MARGIN, self.y + 9.0, SMALL, &QUIET));
            self.y += 18.0;
        }
    }

    /// A line across the sheet.
    pub(crate) fn rule(&mut self) {
        let path = format!("M{} {}h{}", number(MARGIN), number(self.y), number(self.content));
        self.parts.push(stroked(Element::new("path").with("d", path), &RULE));
    }

    /// A text of which some may be left out; then the whole of it is a tip.
    pub(crate) fn label(&mut self, label: &Label, x: f64, middle: f64, anchor: &str) {
        let mut group = Element::new("g");
        tip(&mut group, &label.whole, &label.short);
        let text = lettered(&label.short, x, middle, label.size, &INK);
        group.push(text.with("text-anchor", anchor.to_owned()));
        self.parts.push(group);
    }

    /// The picture; `title` and `twin` are what it says to those who do not see it.
    pub(crate) fn finish(self, id: &str, fallback: &str, title: String, twin: Twin) -> Picture {
        let mut id: String = id
            .chars()
            .map(|character| if character.is_ascii_alphanumeric() { character } else { '-' })
            .collect();
        if id.is_empty() {
            id.push_str(fallback);
        }
        let size = [(self.content + 2.0 * MARGIN).ceil(), (self.y + MARGIN).ceil()];
        Picture { id, title, twin, size, parts: self.parts }
    }
}

/// A rectangle with slightly round corners.
pub(crate) fn block(x: f64, y: f64, wide: f64, tall: f64) -> Element {
    Element::new("rect")
        .with("x", x)
        .with("y", y)
        .with("width", wide)
        .with("height", tall)
        .with("rx", 2.0)
}

/// The full name as a tip, where the drawing shows only some of it.
pub(crate) fn tip(element: &mut Element, name: &str, label: &str) {
    if name != label {
        element.push(Element::new("title").text(name));
    }
}

/// A name that may be too long for its place.
pub(crate) struct Label {
    pub whole: String,
    pub short: String,
    pub size: f64,
}

impl Label {
    /// A name in letters of this size, in at most this room.
    pub(crate) fn new(name: &str, size: f64, room: f64) -> Self {
        let whole = shown(name);
        let short = shorten(&whole, size, room);
        Self { whole, short, size }
    }

    pub(crate) fn width(&self) -> f64 {
        width(&self.short, self.size)
    }
}

/// A drawing with its text twin.
#[derive(Debug, Clone)]
pub struct Picture {
    id: String,
    title: String,
    twin: Twin,
    size: [f64; 2],
    parts: Vec<Element>,
}

impl Picture {
    /// What it shows, in a few words.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The same in words.
    #[must_use]
    pub fn twin(&self) -> &Twin {
        &self.twin
    }

    /// What its ids begin with.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The same, marked as made with a demo seed: in the drawing, its title and its text.
    #[must_use]
    pub fn not_for_release(mut self) -> Self {
        let [wide, tall] = &mut self.size;
        for line in wrap(NOT_FOR_RELEASE, LABEL, (*wide - 2.0 * MARGIN) / BOLD) {
            let text = lettered(&line, MARGIN, *tall, LABEL, &INK);
            self.parts.push(text.with("font-weight", "bold"));
            *tall += 1.5 * LABEL;
        }
        self.title = format!("NOT FOR RELEASE: {}", self.title);
        self.twin.words.insert(0, format!("{NOT_FOR_RELEASE}."));
        self
    }

    fn root(&self) -> Element {
        let [wide, tall] = self.size;
        Element::new("svg")
            .with("xmlns", "http://www.w3.org/2000/svg")
            .with("class", "marginswap-picture")
            .with("width", wide)
            .with("height", tall)
            .with("viewBox", format!("0 0 {} {}", number(wide), number(tall)))
            .with("role", "img")
    }

    fn filled(&self, mut root: Element) -> Element {
        let [wide, tall] = self.size;
        root.push(filled(Element::new("rect").with("width", wide).with("height", tall), &PAPER));
        for part in &self.parts {
            root.push(part.clone());
        }
        root
    }

    fn named(&self) -> Element {
        Element::new("title").with("id", format!("{}-title", self.id)).text(self.title.clone())
    }

    /// The picture as a file of its own.
    #[must_use]
    pub fn file(&self) -> String {
        let id = &self.id;
        let root = self
            .root()
            .with("aria-labelledby", format!("{id}-title {id}-desc"))
            .with("font-family", "system-ui, 'Segoe UI', Roboto, 'Noto Sans', Arial, sans-serif")
            .with("xml:space", "preserve")
            .child(self.named())
            .child(
                Element::new("desc").with("id", format!("{id}-desc")).text(self.twin.to_string()),
            )
            .child(Element::new("style").text(style_sheet()));
        format!("{}\n", self.filled(root))
    }

    /// The picture as a part of a page, which has the colours and the twin.
    #[must_use]
    pub fn inline(&self) -> Element {
        let id = &self.id;
        let root = self
            .root()
            .with("aria-labelledby", format!("{id}-title"))
            .with("aria-describedby", format!("{id}-twin"))
            .child(self.named());
        self.filled(root)
    }
}

/// What a picture says, without the picture.
#[derive(Debug, Clone, Default)]
pub struct Twin {
    /// Sentences.
    pub words: Vec<String>,
    /// A table, where there are numbers.
    pub table: Option<TextTable>,
}

impl Twin {
    /// Sentences alone.
    #[must_use]
    pub fn of_words(words: Vec<String>) -> Self {
        Self { words, table: None }
    }
}

/// A table of texts. The first cell of a row names it.
#[derive(Debug, Clone, Default)]
pub struct TextTable {
    /// What it shows.
    pub caption: String,
    /// What each column holds.
    pub heads: Vec<String>,
    /// The rows, each as long as the head.
    pub rows: Vec<Vec<String>>,
}

impl TextTable {
    /// A table of these columns.
    #[must_use]
    pub fn new(caption: impl Into<String>, heads: &[&str], rows: Vec<Vec<String>>) -> Self {
        assert!(rows.iter().all(|row| row.len() == heads.len()), "a row has a cell for each head");
        let heads = heads.iter().map(|&head| head.to_owned()).collect();
        Self { caption: caption.into(), heads, rows }
    }
}

impl fmt::Display for Twin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.words.join("\n"))?;
        let Some(table) = &self.table else { return Ok(()) };
        for row in &table.rows {
            let cells: Vec<String> = table.heads[1..]
                .iter()
                .zip(&row[1..])
                .filter(|(_, cell)| !cell.is_empty())
                .map(|(head, cell)| format!("{head} {cell}"))
                .collect();
            write!(formatter, "\n{}: {}.", row[0], cells.join(", "))?;
        }
        Ok(())
    }
}

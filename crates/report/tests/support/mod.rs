//! What the tests of the pictures share: a strict little XML reader, areas on the sheet, and
//! graphs by shape.
//!
//! The reader knows what our writer may use (elements, attributes, text, the five named
//! or numbered escapes) and refuses everything else: a picture that it reads is well-formed.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

pub mod html;

use std::fs;
use std::path::Path;

use marginswap_core::varset::VarSet;
use marginswap_report::lettering::width;
use marginswap_report::margin_graph::{GraphPicture, SeparatorPicture};

/// An element as it was read; `text` is its own text, without that of its children.
#[derive(Debug, Default)]
pub struct Node {
    pub name: String,
    pub attributes: Vec<(String, String)>,
    pub children: Vec<Node>,
    pub text: String,
}

impl Node {
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    pub fn number(&self, name: &str) -> f64 {
        self.attribute(name).map_or(0.0, |value| value.parse().unwrap())
    }

    /// This element and all below it.
    pub fn all(&self) -> Vec<&Node> {
        let below = self.children.iter().flat_map(Node::all);
        std::iter::once(self).chain(below).collect()
    }
}

/// Reads one XML document; panics where it is not well-formed.
pub fn read(document: &str) -> Node {
    let mut open: Vec<Node> = vec![Node::default()];
    let mut rest = document;
    while let Some(at) = rest.find('<') {
        let text = unescape(&rest[..at]);
        if open.len() == 1 {
            assert!(text.trim().is_empty(), "text outside the root");
        }
        open.last_mut().unwrap().text.push_str(&text);
        let end = rest.find('>').expect("a tag is closed");
        let tag = &rest[at + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            let node = open.pop().unwrap();
            assert_eq!(node.name, name, "tags are nested");
            open.last_mut().unwrap().children.push(node);
            continue;
        }
        let (tag, childless) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
        let node = start_tag(tag);
        if childless {
            open.last_mut().unwrap().children.push(node);
        } else {
            open.push(node);
        }
    }
    assert!(rest.trim().is_empty(), "nothing follows the root");
    assert_eq!(open.len(), 1, "every element is closed");
    let mut top = open.pop().unwrap();
    assert_eq!(top.children.len(), 1, "one root");
    top.children.pop().unwrap()
}

fn start_tag(tag: &str) -> Node {
    let (name, mut rest) = tag.split_once(' ').unwrap_or((tag, ""));
    assert!(!name.is_empty() && name.chars().all(|c| c.is_ascii_alphabetic()), "name {name:?}");
    let mut node = Node { name: name.to_owned(), ..Node::default() };
    while !rest.is_empty() {
        let (key, after) = rest.split_once("=\"").expect("an attribute has a quoted value");
        let (value, after) = after.split_once('"').expect("a quotation is closed");
        assert!(key.chars().all(|c| c.is_ascii_alphabetic() || "-:".contains(c)), "key {key:?}");
        assert!(node.attribute(key).is_none(), "attribute {key} twice");
        node.attributes.push((key.to_owned(), unescape(value)));
        rest = after.strip_prefix(' ').unwrap_or(after);
    }
    node
}

fn unescape(text: &str) -> String {
    assert!(!text.contains(['<', '>']), "a bracket is escaped");
    let legal =
        |c: char| matches!(c, '\n' | '\t') || (c >= ' ' && c != '\u{FFFE}' && c != '\u{FFFF}');
    assert!(text.chars().all(legal), "only characters of XML");
    let mut plain = String::new();
    let mut pieces = text.split('&');
    plain.push_str(pieces.next().unwrap_or(""));
    for piece in pieces {
        let (name, after) = piece.split_once(';').expect("an escape is closed");
        plain.push(match name {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            "#39" => '\'',
            other => panic!("unknown escape {other}"),
        });
        plain.push_str(after);
    }
    plain
}

pub fn path(count: usize) -> Vec<(usize, usize)> {
    (1..count).map(|vertex| (vertex - 1, vertex)).collect()
}

pub fn cycle(count: usize) -> Vec<(usize, usize)> {
    (0..count).map(|vertex| (vertex, (vertex + 1) % count)).collect()
}

pub fn complete(count: usize) -> Vec<(usize, usize)> {
    (0..count).flat_map(|to| (0..to).map(move |from| (from, to))).collect()
}

/// A picture of the graph, with all its minimal separators when there are few vertices.
pub fn picture<'a>(names: &[&'a str], edges: Vec<(usize, usize)>) -> GraphPicture<'a> {
    let separators =
        if names.len() <= 12 { minimal_separators(names.len(), &edges) } else { Vec::new() };
    GraphPicture {
        names: names.to_vec(),
        edges,
        separators,
        separators_complete: true,
        ..GraphPicture::default()
    }
}

/// From the definition: sets whose removal leaves two components that touch all of them.
pub fn minimal_separators(count: usize, edges: &[(usize, usize)]) -> Vec<SeparatorPicture> {
    let mut near = vec![VarSet::EMPTY; count];
    for &(from, to) in edges {
        near[from].insert(to);
        near[to].insert(from);
    }
    let mut sets: Vec<VarSet> = VarSet::first(count).subsets().collect();
    sets.sort();
    let mut found = Vec::new();
    for separator in sets {
        let components = components(VarSet::first(count) - separator, &near);
        let touches_all =
            |component: &&VarSet| separator.iter().all(|member| near[member].meets(component));
        if components.iter().filter(touches_all).count() >= 2 {
            found.push(SeparatorPicture { separator, components });
        }
    }
    found
}

pub fn components(mut left: VarSet, near: &[VarSet]) -> Vec<VarSet> {
    let mut found = Vec::new();
    while let Some(start) = left.iter().next() {
        let mut component = VarSet::single(start);
        loop {
            let mut grown = component;
            for member in component {
                grown |= near[member] & left;
            }
            if grown == component {
                break;
            }
            component = grown;
        }
        left = left - component;
        found.push(component);
    }
    found
}

/// A rectangle on the sheet.
#[derive(Debug, Clone, Copy)]
pub struct Area {
    pub left: f64,
    pub right: f64,
    pub top: f64,
    pub bottom: f64,
}

impl Area {
    pub fn meets(&self, other: &Self) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    pub fn within(&self, other: &Self) -> bool {
        self.left >= other.left
            && self.right <= other.right
            && self.top >= other.top
            && self.bottom <= other.bottom
    }
}

pub fn sheet(root: &Node) -> Area {
    Area { left: 0.0, right: root.number("width"), top: 0.0, bottom: root.number("height") }
}

pub fn text_area(text: &Node) -> Area {
    let size = text.number("font-size");
    let bold = if text.attribute("font-weight").is_some() { 1.12 } else { 1.0 };
    let wide = width(&text.text, size) * bold;
    let x = text.number("x");
    let left = match text.attribute("text-anchor") {
        Some("end") => x - wide,
        Some("middle") => x - wide / 2.0,
        _ => x,
    };
    // From above the tallest accents to below the descenders.
    let baseline = text.number("y");
    Area { left, right: left + wide, top: baseline - 1.05 * size, bottom: baseline + 0.35 * size }
}

pub fn name(alphabet: &str, length: usize, shift: usize) -> String {
    alphabet.chars().cycle().skip(shift).take(length).collect()
}

pub fn assert_golden(name: &str, svg: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("MARGINSWAP_BLESS").is_some_and(|value| value == "1") {
        fs::write(&file, svg).unwrap();
    }
    let golden = fs::read_to_string(&file).unwrap_or_default();
    assert!(golden == svg, "{name} differs; look at it, then bless it with MARGINSWAP_BLESS=1");
}

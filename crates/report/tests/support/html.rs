//! A strict little HTML reader for the pages, and the rules that they keep.
//!
//! It knows what our templates use and refuses everything else: unknown elements, attributes
//! without quotes, an element in a place where HTML does not allow it, an id that occurs
//! twice, a reference that leads nowhere or out of the page. A page that it reads passes a
//! validator; the reader is no validator of other people's pages.

#![allow(dead_code, clippy::unwrap_used, reason = "each test binary uses a part of it")]

use std::collections::BTreeSet;

/// An element; texts are children without a name.
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

    pub fn all(&self) -> Vec<&Node> {
        let below = self.children.iter().flat_map(Node::all);
        std::iter::once(self).chain(below).collect()
    }

    pub fn named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Node> {
        self.all().into_iter().filter(move |node| node.name == name)
    }

    fn elements(&self) -> Vec<&str> {
        let named = self.children.iter().filter(|child| !child.name.is_empty());
        named.map(|child| child.name.as_str()).collect()
    }
}

const VOID: [&str; 3] = ["meta", "br", "hr"];

/// Elements that hold sections and blocks, blocks that hold text, and texts.
const FLOW: &[&str] = &[
    "p", "h1", "h2", "h3", "div", "section", "header", "main", "nav", "footer", "figure", "table",
    "ul", "ol", "dl", "pre", "details", "svg",
];
const PHRASING: &[&str] = &["a", "b", "bdi", "br", "cite", "code", "em", "span", "strong", "svg"];
const DRAWN: &[&str] = &["circle", "desc", "g", "path", "rect", "text", "title"];

/// Reads a page and asserts every rule.
pub fn checked(page: &str) -> Node {
    let rest = page.strip_prefix("<!DOCTYPE html>\n").expect("a page begins with its type");
    let (comment, rest) = rest.split_once("-->\n").expect("then it tells its class");
    assert!(comment.starts_with("<!-- ") && !comment[4..].contains("--"), "{comment}");
    let root = read(rest);
    assert_eq!((root.name.as_str(), root.attribute("lang")), ("html", Some("en")));
    assert_eq!(root.elements(), ["head", "body"]);
    check_places(&root);
    check_references(&root);
    let metas: Vec<&Node> = root.named("meta").collect();
    assert!(metas.iter().any(|meta| meta.attribute("charset") == Some("utf-8")));
    assert!(root.named("h1").count() == 1 && root.named("main").count() == 1);
    // Headings go down one step at a time.
    let mut level = 0;
    for node in root.all() {
        if let Some(number) = node.name.strip_prefix('h').and_then(|rest| rest.parse::<u32>().ok())
        {
            assert!(number <= level + 1, "a heading of level {number} follows one of {level}");
            level = number;
        }
    }
    root
}

fn check_places(node: &Node) {
    let allowed: &[&[&str]] = match node.name.as_str() {
        "" | "br" | "desc" | "meta" | "style" | "text" | "title" => &[],
        "html" => &[&["head", "body"]],
        "head" => &[&["meta", "title", "style"]],
        "body" | "section" | "header" | "main" | "nav" | "footer" | "div" => &[FLOW, &["dt", "dd"]],
        "figure" => &[&["div", "figcaption"]],
        "figcaption" => &[&["p", "details"]],
        "details" => &[&["summary", "ul", "div"]],
        "ul" | "ol" => &[&["li"]],
        "dl" => &[&["div"]],
        "table" => &[&["caption", "thead", "tbody"]],
        "thead" | "tbody" => &[&["tr"]],
        "tr" => &[&["th", "td"]],
        "svg" | "g" => &[DRAWN],
        "rect" | "circle" | "path" => &[&["title"]],
        "p" | "h1" | "h2" | "h3" | "li" | "dt" | "dd" | "summary" | "caption" | "th" | "td"
        | "pre" | "a" | "bdi" | "cite" | "code" | "span" | "strong" => &[PHRASING],
        other => panic!("the element {other} is not expected"),
    };
    for child in node.elements() {
        let fits = allowed.iter().any(|list| list.contains(&child));
        assert!(fits, "{child} does not belong in {}", node.name);
    }
    let has = |name: &str| node.elements().contains(&name);
    match node.name.as_str() {
        "table" => {
            assert_eq!(node.elements(), ["caption", "thead", "tbody"]);
            let scope = |cell: &Node| cell.attribute("scope").map(str::to_owned);
            assert!(node.named("th").all(|cell| scope(cell).is_some()), "a heading has a scope");
        }
        "figure" => assert_eq!(node.elements().last(), Some(&"figcaption")),
        "details" => assert_eq!(node.elements()[0], "summary"),
        "svg" => assert!(has("title") && node.attribute("role") == Some("img")),
        "section" => assert!(node.attribute("aria-labelledby").is_some()),
        "div" if node.elements().iter().any(|name| ["dt", "dd"].contains(name)) => {
            assert_eq!(node.elements()[0], "dt");
            assert!(node.elements()[1..].iter().all(|name| *name == "dd"));
        }
        _ => {}
    }
    let bare = ["html", "head", "table", "thead", "tbody", "tr", "ul", "ol", "dl", "figure"];
    if bare.contains(&node.name.as_str()) {
        assert!(
            node.children.iter().all(|child| child.text.trim().is_empty()),
            "no text is bare in {}",
            node.name
        );
    }
    node.children.iter().for_each(check_places);
}

fn check_references(root: &Node) {
    let nodes = root.all();
    let mut ids = BTreeSet::new();
    for id in nodes.iter().filter_map(|node| node.attribute("id")) {
        assert!(!id.is_empty() && !id.contains(char::is_whitespace), "{id:?}");
        assert!(ids.insert(id), "the id {id} occurs twice");
    }
    for node in &nodes {
        for (key, value) in &node.attributes {
            match key.as_str() {
                "href" => {
                    let id = value.strip_prefix('#').expect("a link stays on the page");
                    assert!(ids.contains(id), "#{id} leads nowhere");
                }
                "aria-labelledby" | "aria-describedby" => {
                    assert!(value.split(' ').all(|id| ids.contains(id)), "{value} leads nowhere");
                }
                "xmlns" => assert_eq!(value, "http://www.w3.org/2000/svg"),
                key => {
                    assert!(!["src", "srcset", "action", "data", "poster"].contains(&key), "{key}");
                    assert!(!key.starts_with("on"), "{key} is a script");
                    assert!(!value.contains("url(") && !value.contains("http"), "{value}");
                }
            }
        }
        if node.name == "style" {
            let style = &node.children[0].text;
            assert!(!style.contains("url(") && !style.contains("@import") && !style.contains('<'));
        }
    }
}

fn read(text: &str) -> Node {
    let mut open = vec![Node::default()];
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        push_text(&mut open, &rest[..at]);
        let end = rest.find('>').expect("a tag is closed");
        let tag = &rest[at + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            let node = open.pop().unwrap();
            assert_eq!(node.name, name, "tags are nested");
            open.last_mut().unwrap().children.push(node);
            continue;
        }
        let (tag, empty) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
        let node = start_tag(tag);
        if empty {
            let drawn = open.iter().any(|node| node.name == "svg");
            assert!(drawn, "only elements of a drawing close themselves: {tag}");
        }
        if node.name == "style" {
            let (style, after) = rest.split_once("</style>").expect("a style is closed");
            let text = Node { text: style.to_owned(), ..Node::default() };
            open.last_mut().unwrap().children.push(Node { children: vec![text], ..node });
            rest = after;
        } else if empty || VOID.contains(&node.name.as_str()) {
            open.last_mut().unwrap().children.push(node);
        } else {
            open.push(node);
        }
    }
    assert!(rest.trim().is_empty(), "nothing follows the page");
    assert_eq!(open.len(), 1, "every element is closed");
    let mut top = open.pop().unwrap();
    top.children.retain(|child| !child.name.is_empty());
    assert_eq!(top.children.len(), 1, "one root");
    top.children.pop().unwrap()
}

fn push_text(open: &mut [Node], text: &str) {
    if !text.is_empty() {
        let text = Node { text: unescaped(text), ..Node::default() };
        open.last_mut().unwrap().children.push(text);
    }
}

fn start_tag(tag: &str) -> Node {
    let (name, mut rest) = tag.split_once(' ').unwrap_or((tag, ""));
    assert!(name.chars().all(|sign| sign.is_ascii_alphanumeric()), "name {name:?}");
    let mut node = Node { name: name.to_owned(), ..Node::default() };
    while !rest.is_empty() {
        let (key, after) = rest.split_once("=\"").expect("an attribute has a quoted value");
        let (value, after) = after.split_once('"').expect("a quotation is closed");
        let plain = |sign: char| sign.is_ascii_alphabetic() || "-:".contains(sign);
        assert!(!key.is_empty() && key.chars().all(plain), "key {key:?}");
        assert!(node.attribute(key).is_none(), "attribute {key} twice");
        node.attributes.push((key.to_owned(), unescaped(value)));
        rest = after.strip_prefix(' ').unwrap_or(after);
    }
    node
}

fn unescaped(text: &str) -> String {
    assert!(!text.contains(['<', '>']), "a bracket is escaped: {text}");
    let legal = |sign: char| {
        matches!(sign, '\n' | '\t') || (!sign.is_control() && u32::from(sign) & 0xFFFE != 0xFFFE)
    };
    assert!(text.chars().all(legal), "only characters that a page may hold");
    let mut plain = String::new();
    let mut pieces = text.split('&');
    plain.push_str(pieces.next().unwrap_or(""));
    for piece in pieces {
        let (name, after) = piece.split_once(';').expect("an escape is closed");
        plain.push(match name {
            "amp" | "#38" => '&',
            "lt" | "#60" => '<',
            "gt" | "#62" => '>',
            "quot" | "#34" => '"',
            "#39" => '\'',
            other => panic!("unknown escape {other}"),
        });
        plain.push_str(after);
    }
    plain
}

/// The page as somebody reads it who has neither style nor pictures: a line for each block.
pub fn plain(root: &Node) -> String {
    fn walk(node: &Node, out: &mut String) {
        match node.name.as_str() {
            "style" | "head" | "svg" => return,
            "" => {
                let words: Vec<&str> = node.text.split_whitespace().collect();
                let glued = !node.text.starts_with(char::is_whitespace);
                if !glued && !out.ends_with(['\n', ' ']) {
                    out.push(' ');
                }
                out.push_str(&words.join(" "));
                if node.text.ends_with(char::is_whitespace) && !out.ends_with(['\n', ' ']) {
                    out.push(' ');
                }
                return;
            }
            _ => {}
        }
        let inline = PHRASING.contains(&node.name.as_str());
        let cell = ["th", "td"].contains(&node.name.as_str());
        if !inline && !cell && !out.ends_with('\n') && !out.is_empty() {
            out.push('\n');
        }
        node.children.iter().for_each(|child| walk(child, out));
        if cell {
            out.push_str(" | ");
        } else if !inline && !out.ends_with('\n') {
            out.push('\n');
        }
    }
    let mut out = String::new();
    walk(root, &mut out);
    let lines = out.lines().map(|line| line.trim_end_matches([' ', '|']).trim());
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n") + "\n"
}

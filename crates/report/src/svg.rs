//! A small writer of SVG.
//!
//! An [`Element`] is a tree in memory; its `Display` writes it. Everything that reaches the
//! file goes through one of two gates: text is escaped (a column may be called `<script>`),
//! numbers have at most two decimals. Attributes keep the order in which they were given.
//!
//! Trap: XML 1.0 forbids most control characters even when they are escaped; they are
//! replaced by U+FFFD. Edge case: a number that rounds to zero is written `0`, never `-0`.
//!
//! Way in: [`Element::new`].

use std::fmt::{self, Write as _};

/// One element with its attributes and children.
#[derive(Debug, Clone)]
pub struct Element {
    name: &'static str,
    attributes: Vec<(&'static str, Value)>,
    children: Vec<Child>,
}

#[derive(Debug, Clone)]
enum Child {
    Element(Element),
    Text(String),
}

/// What an attribute holds.
#[derive(Debug, Clone)]
pub enum Value {
    /// A text, escaped when it is written.
    Text(String),
    /// A number, written with at most two decimals.
    Number(f64),
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl Element {
    /// An element without attributes or children.
    #[must_use]
    pub fn new(name: &'static str) -> Self {
        Self { name, attributes: Vec::new(), children: Vec::new() }
    }

    /// The same element with one more attribute.
    #[must_use]
    pub fn with(mut self, attribute: &'static str, value: impl Into<Value>) -> Self {
        self.attributes.push((attribute, value.into()));
        self
    }

    /// The same element with one more child.
    #[must_use]
    pub fn child(mut self, child: Element) -> Self {
        self.push(child);
        self
    }

    /// The same element with `text` as its next child.
    #[must_use]
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.children.push(Child::Text(text.into()));
        self
    }

    /// Adds a child.
    pub fn push(&mut self, child: Element) {
        self.children.push(Child::Element(child));
    }

    /// Has it neither text nor elements inside?
    #[must_use]
    pub fn is_childless(&self) -> bool {
        self.children.is_empty()
    }

    fn write(&self, out: &mut fmt::Formatter<'_>, depth: usize) -> fmt::Result {
        write!(out, "<{}", self.name)?;
        for (attribute, value) in &self.attributes {
            write!(out, " {attribute}=\"")?;
            match value {
                Value::Text(text) => escape(text, out)?,
                Value::Number(value) => out.write_str(&number(*value))?,
            }
            out.write_char('"')?;
        }
        if self.children.is_empty() {
            return out.write_str("/>");
        }
        out.write_char('>')?;
        // Inside a text every blank counts, so only elements get lines of their own.
        let in_lines = self.children.iter().all(|child| matches!(child, Child::Element(_)));
        for child in &self.children {
            if in_lines {
                write!(out, "\n{:indent$}", "", indent = depth + 1)?;
            }
            match child {
                Child::Element(element) => element.write(out, depth + 1)?,
                Child::Text(text) => escape(text, out)?,
            }
        }
        if in_lines {
            write!(out, "\n{:depth$}", "")?;
        }
        write!(out, "</{}>", self.name)
    }
}

impl fmt::Display for Element {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(formatter, 0)
    }
}

/// A number with at most two decimals, the same on every platform.
///
/// # Panics
/// When the number is not finite.
#[must_use]
pub fn number(value: f64) -> String {
    assert!(value.is_finite(), "a coordinate is a finite number");
    let digits = format!("{value:.2}");
    let digits = digits.trim_end_matches('0').trim_end_matches('.');
    if digits == "-0" { "0".to_owned() } else { digits.to_owned() }
}

fn escape(text: &str, out: &mut impl fmt::Write) -> fmt::Result {
    for character in text.chars() {
        match character {
            '&' => out.write_str("&amp;")?,
            '<' => out.write_str("&lt;")?,
            '>' => out.write_str("&gt;")?,
            '"' => out.write_str("&quot;")?,
            '\'' => out.write_str("&#39;")?,
            other => out.write_char(permitted(other))?,
        }
    }
    Ok(())
}

/// The character itself, or U+FFFD for one that no XML and no HTML may hold.
pub(crate) fn permitted(character: char) -> char {
    if forbidden(character) { char::REPLACEMENT_CHARACTER } else { character }
}

/// Not a `Char` of XML 1.0, or a control that no reader shows. Tab and line feed are legal.
fn forbidden(character: char) -> bool {
    (character.is_control() && !matches!(character, '\t' | '\n'))
        || u32::from(character) & 0xFFFE == 0xFFFE
        || matches!(character, '\u{FDD0}'..='\u{FDEF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let written = [0.0, -0.001, 1.0, 2.5, -3.149, 1e6, 0.999].map(number);
        assert_eq!(written, ["0", "0", "1", "2.5", "-3.15", "1000000", "1"]);
    }

    #[test]
    fn texts_and_attributes_are_escaped() {
        let element =
            Element::new("text").with("class", "a\"<'&").text("]]> <b>\u{0}\u{FFFE}\u{7f}");
        assert_eq!(
            element.to_string(),
            "<text class=\"a&quot;&lt;&#39;&amp;\">]]&gt; &lt;b&gt;\u{FFFD}\u{FFFD}\u{FFFD}</text>"
        );
    }

    #[test]
    fn elements_stand_on_lines_and_texts_do_not() {
        let group = Element::new("g")
            .child(Element::new("circle").with("r", 1.5))
            .child(Element::new("text").text(" a "));
        assert_eq!(group.to_string(), "<g>\n <circle r=\"1.5\"/>\n <text> a </text>\n</g>");
    }
}

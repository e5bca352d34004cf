//! How a CSV file is written, beyond what its fields say: what is needed to write it again from
//! its columns alone.
//!
//! A category has one form without quotes and one with them. Where all fields of a column are
//! written in the same form, their raw bytes follow from the categories; where some are quoted and
//! some are not, only the file tells.
//!
//! Way in: [`AsWritten`], which comes with a [`Table`](crate::Table).

use crate::csv::Lines;
use crate::line_ends::{LineEnd, LineEnds};
use crate::quoting::is_needless;
use crate::scan::{Quoting, Span};

const QUOTE: u8 = b'"';

/// How the fields, lines and last bytes of a file are written.
#[derive(Debug, Default)]
pub struct AsWritten {
    /// For each column, how its fields are.
    quotes: Vec<Quotes>,
    /// For each column: has one of its fields quotes that it does not need, or one inside and none
    /// around it?
    odd: Vec<bool>,
    pub(crate) line_ends: LineEnds,
    /// All bytes after the last record.
    pub(crate) epilogue: Vec<u8>,
}

/// Are there quotes around the fields of a column?
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Quotes {
    /// No field was looked at.
    #[default]
    Unknown,
    /// Around none.
    Never,
    /// Around every one.
    Always,
    /// Around some.
    Mixed,
}

impl Quotes {
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Unknown, known) | (known, Self::Unknown) => known,
            (one, other) if one == other => one,
            _ => Self::Mixed,
        }
    }
}

impl AsWritten {
    /// Of this many columns, and no line yet.
    pub(crate) fn new(columns: usize) -> Self {
        let quotes = vec![Quotes::Unknown; columns];
        Self { quotes, odd: vec![false; columns], ..Self::default() }
    }

    /// Adds the forms in which fields of this column were seen.
    pub(crate) fn add_forms(&mut self, column: usize, seen: Forms) {
        self.quotes[column] = self.quotes[column].and(match (seen.bare, seen.quoted) {
            (false, false) => Quotes::Unknown,
            (true, false) => Quotes::Never,
            (false, true) => Quotes::Always,
            (true, true) => Quotes::Mixed,
        });
        self.odd[column] |= seen.odd;
    }

    /// Adds how these lines end.
    pub(crate) fn add_line_ends(&mut self, lines: &Lines<'_>) {
        let width = self.quotes.len();
        for (line, fields) in lines.lines.iter().zip(lines.fields.chunks_exact(width)) {
            let end = fields[width - 1].end();
            self.line_ends.push(LineEnd::of_length(line.next as usize - end));
        }
    }

    /// Adds what was seen in the lines that follow.
    pub(crate) fn append(&mut self, behind: &Self) {
        for (own, other) in self.quotes.iter_mut().zip(&behind.quotes) {
            *own = own.and(*other);
        }
        for (own, other) in self.odd.iter_mut().zip(&behind.odd) {
            *own |= other;
        }
        self.line_ends.append(&behind.line_ends);
    }

    /// Are there quotes around the fields of this column?
    pub(crate) fn quotes(&self, column: usize) -> Quotes {
        self.quotes[column]
    }

    /// Are some fields of this column quoted and others not, and not all as they need it?
    #[must_use]
    pub fn is_mixed(&self, column: usize) -> bool {
        self.quotes[column] == Quotes::Mixed && self.odd[column]
    }

    /// How many columns it knows.
    pub(crate) fn columns(&self) -> usize {
        self.quotes.len()
    }
}

/// The forms in which fields of a column were seen.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Forms {
    /// Without quotes.
    pub(crate) bare: bool,
    /// With quotes.
    pub(crate) quoted: bool,
    /// With quotes that are not needed, or without quotes around one inside.
    pub(crate) odd: bool,
}

impl Forms {
    /// Adds that of a field.
    #[inline]
    pub(crate) fn add(&mut self, span: &Span, window: &[u8], delimiter: u8) {
        let inner = span.inner().filter(|_| !self.odd).map(|inner| &window[inner]);
        match span.quoting() {
            Quoting::Bare => {
                self.bare = true;
                self.odd |= inner.is_some_and(|inner| inner.contains(&QUOTE));
            }
            Quoting::Quoted => {
                self.quoted = true;
                self.odd |= inner.is_some_and(|inner| is_needless(inner, delimiter));
            }
            Quoting::Doubled => self.quoted = true,
        }
    }
}

/// Adds the field that says this.
pub(crate) fn write_field(category: &[u8], quotes: Quotes, out: &mut Vec<u8>) {
    match quotes {
        Quotes::Always => put_quoted(category, out),
        _ => out.extend_from_slice(category),
    }
}

/// Adds the field that says this, between quotes.
pub(crate) fn put_quoted(category: &[u8], out: &mut Vec<u8>) {
    out.push(QUOTE);
    for &byte in category {
        if byte == QUOTE {
            out.push(QUOTE);
        }
        out.push(byte);
    }
    out.push(QUOTE);
}

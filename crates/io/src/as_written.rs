//! How a CSV file is written, beside what its fields say: what is needed to write it again from
//! its columns alone.
//!
//! A category has one form without quotes and one with them. Where all fields of a column are
//! written in the same form, their raw bytes follow from the categories; where some are quoted and
//! some are not, only the file tells.
//!
//! Way in: [`AsWritten`], which comes with a [`Table`](crate::Table).

use crate::csv::Lines;
use crate::line_ends::{LineEnd, LineEnds};

/// How the fields, lines and last bytes of a file are written.
#[derive(Debug, Default)]
pub struct AsWritten {
    /// For each column, how its fields are.
    quotes: Vec<Quotes>,
    pub(crate) line_ends: LineEnds,
    /// All bytes behind the last record.
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
    /// Of so many columns, and no line yet.
    pub(crate) fn new(columns: usize) -> Self {
        Self { quotes: vec![Quotes::Unknown; columns], ..Self::default() }
    }

    /// Adds whether there were fields of this column without quotes, and with them.
    pub(crate) fn add_quotes(&mut self, column: usize, bare: bool, quoted: bool) {
        self.quotes[column] = self.quotes[column].and(match (bare, quoted) {
            (false, false) => Quotes::Unknown,
            (true, false) => Quotes::Never,
            (false, true) => Quotes::Always,
            (true, true) => Quotes::Mixed,
        });
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
        self.line_ends.append(&behind.line_ends);
    }

    /// Are there quotes around the fields of this column?
    pub(crate) fn quotes(&self, column: usize) -> Quotes {
        self.quotes[column]
    }

    /// How many columns it knows.
    pub(crate) fn columns(&self) -> usize {
        self.quotes.len()
    }
}

/// Adds the field that says this.
pub(crate) fn write_field(category: &[u8], quotes: Quotes, out: &mut Vec<u8>) {
    const QUOTE: u8 = b'"';
    if quotes != Quotes::Always {
        out.extend_from_slice(category);
        return;
    }
    out.push(QUOTE);
    for &byte in category {
        if byte == QUOTE {
            out.push(QUOTE);
        }
        out.push(byte);
    }
    out.push(QUOTE);
}

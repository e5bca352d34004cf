//! Bytes to the fields of lines.
//!
//! Why not the `csv` crate: it reads an unclosed quote and text after a closing quote
//! without a word, and it does not give the raw bytes of a field. Here both are faults,
//! and each field is a [`Span`] of the window: [`Span::raw`] is what is in the file,
//! quotes included, so that a cell can be copied byte for byte; [`Span::content`] is the
//! category. The `csv` crate is the oracle of the tests.
//!
//! The rules: a field that begins with a double quote is quoted, and a doubled quote in it
//! is one quote; any other quote is an ordinary byte. A line ends with LF or CR LF, the
//! last one may end with the bytes.
//!
//! Trap: a line is one record and may hold line breaks in its quoted fields. What
//! comes after the last complete record of a window is scanned again when more bytes
//! have come, so the answer does not depend on where the window ends.
//!
//! Way in: `scan`.

use std::ops::Range;

use crate::find_bytes::Specials;

const QUOTE: u8 = b'"';

/// Where a field is in the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    start: u32,
    end: u32,
    quoting: Quoting,
}

/// How a field is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quoting {
    /// Without quotes around it.
    Bare,
    /// Between quotes.
    Quoted,
    /// Between quotes, with doubled quotes inside.
    Doubled,
}

impl Span {
    /// The field as it is in the file, its quotes included.
    #[must_use]
    pub fn raw<'w>(&self, window: &'w [u8]) -> &'w [u8] {
        &window[self.start as usize..self.end as usize]
    }

    /// What the field says. `scratch` holds it when quotes had to be taken out of it.
    #[must_use]
    pub fn content<'w>(&self, window: &'w [u8], scratch: &'w mut Vec<u8>) -> &'w [u8] {
        match self.inner() {
            Some(inner) => &window[inner],
            None => {
                scratch.clear();
                let mut inner = &window[self.start as usize + 1..self.end as usize - 1];
                while let Some(quote) = memchr::memchr(QUOTE, inner) {
                    scratch.extend_from_slice(&inner[..=quote]);
                    inner = &inner[quote + 2..];
                }
                scratch.extend_from_slice(inner);
                scratch
            }
        }
    }

    /// Where in the window is what the field says; `None` when quotes must be taken out
    /// of it first.
    #[must_use]
    #[inline]
    pub fn inner(&self) -> Option<Range<usize>> {
        let (start, end) = (self.start as usize, self.end as usize);
        match self.quoting {
            Quoting::Bare => Some(start..end),
            Quoting::Quoted => Some(start + 1..end - 1),
            Quoting::Doubled => None,
        }
    }

    /// Where the field begins in the window.
    #[must_use]
    pub fn start(&self) -> usize {
        self.start as usize
    }

    /// Where the field ends in the window.
    #[must_use]
    pub fn end(&self) -> usize {
        self.end as usize
    }

    /// How the field is written.
    #[must_use]
    pub fn quoting(&self) -> Quoting {
        self.quoting
    }
}

/// What a field says, by its raw bytes.
pub(crate) fn content_of(raw: &[u8]) -> Vec<u8> {
    match raw {
        [QUOTE, inner @ .., QUOTE] => {
            let mut content = inner.to_vec();
            // Of two quotes the first is kept.
            let mut is_first = false;
            content.retain(|&byte| {
                is_first = byte == QUOTE && !is_first;
                byte != QUOTE || is_first
            });
            content
        }
        bare => bare.to_vec(),
    }
}

/// One record of the window.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line {
    /// Where it begins.
    pub(crate) start: u32,
    /// Where the next one begins, after the line end.
    pub(crate) next: u32,
    /// How many fields of the batch come before those of the next line.
    pub(crate) fields: u32,
    /// How many LF are in it, the one that ends it included.
    pub(crate) breaks: u32,
}

/// Lines with their fields, as many as one scan gives.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    pub(crate) lines: Vec<Line>,
    pub(crate) fields: Vec<Span>,
}

impl Batch {
    pub(crate) fn clear(&mut self) {
        self.lines.clear();
        self.fields.clear();
    }
}

/// Why a scan stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The batch is full.
    Full,
    /// What is left of the window is no complete line.
    Short,
    /// Something that no line may hold.
    Fault(Fault),
}

/// Something that no line may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) kind: FaultKind,
    /// Where the line begins.
    pub(crate) line: u32,
    /// Where the offending byte is.
    pub(crate) at: u32,
    /// The number of its field in the line, from 0.
    pub(crate) field: usize,
}

/// What no line may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FaultKind {
    Nul,
    BareReturn,
    TextAfterQuote,
    UnclosedQuote,
}

/// What follows the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tail {
    /// There may be more bytes.
    More,
    /// The file ends with the window.
    Nothing,
}

/// Adds the lines from `from` on to the batch, until it holds `enough` fields.
///
/// The lines before a fault are in the batch; of the line that is faulty or not complete,
/// nothing is.
pub(crate) fn scan(
    window: &[u8],
    from: usize,
    tail: Tail,
    delimiter: u8,
    enough: usize,
    batch: &mut Batch,
) -> Stop {
    let from = u32::try_from(from).expect("a window is shorter than 4 GiB");
    let mut specials = Specials::new(window, from, delimiter);
    let mut start = from;
    while batch.fields.len() < enough {
        let complete = batch.fields.len();
        match scan_line(window, &mut specials, start, tail, delimiter, &mut batch.fields) {
            Ok(Some((next, breaks))) => {
                let fields = u32::try_from(batch.fields.len()).expect("a field takes a byte");
                batch.lines.push(Line { start, next, fields, breaks });
                start = next;
            }
            Ok(None) => {
                batch.fields.truncate(complete);
                return Stop::Short;
            }
            Err((kind, at)) => {
                let field = batch.fields.len() - complete;
                batch.fields.truncate(complete);
                return Stop::Fault(Fault { kind, line: start, at, field });
            }
        }
    }
    Stop::Full
}

/// Adds the fields of one line. Gives where the next line begins and how many LF the line
/// has, or nothing when the window ends first.
#[inline]
fn scan_line(
    window: &[u8],
    specials: &mut Specials<'_>,
    start: u32,
    tail: Tail,
    delimiter: u8,
    fields: &mut Vec<Span>,
) -> Result<Option<(u32, u32)>, (FaultKind, u32)> {
    let byte_at = |at: u32| window.get(at as usize).copied();
    let mut field = start;
    let mut quoting = Quoting::Bare;
    let mut breaks = 0;
    while let Some(at) = specials.next() {
        let byte = window[at as usize];
        if byte == delimiter {
            fields.push(Span { start: field, end: at, quoting });
            field = at + 1;
            quoting = Quoting::Bare;
        } else if byte == b'\n' {
            fields.push(Span { start: field, end: at, quoting });
            return Ok(Some((at + 1, breaks + 1)));
        } else if byte == b'\r' {
            match byte_at(at + 1) {
                Some(b'\n') => {
                    specials.next();
                    fields.push(Span { start: field, end: at, quoting });
                    return Ok(Some((at + 2, breaks + 1)));
                }
                None if tail == Tail::More => return Ok(None),
                _ => return Err((FaultKind::BareReturn, at)),
            }
        } else if byte == 0 {
            return Err((FaultKind::Nul, at));
        } else if at == field {
            quoting = Quoting::Quoted;
            let closing = loop {
                let Some(at) = specials.next() else {
                    return match tail {
                        Tail::More => Ok(None),
                        Tail::Nothing => Err((FaultKind::UnclosedQuote, field)),
                    };
                };
                match window[at as usize] {
                    QUOTE if byte_at(at + 1) == Some(QUOTE) => {
                        specials.next();
                        quoting = Quoting::Doubled;
                    }
                    QUOTE => break at,
                    b'\n' => breaks += 1,
                    0 => return Err((FaultKind::Nul, at)),
                    _ => {}
                }
            };
            match byte_at(closing + 1) {
                Some(byte) if byte == delimiter => {}
                Some(b'\n' | b'\r' | 0) => {}
                Some(_) => return Err((FaultKind::TextAfterQuote, closing + 1)),
                None if tail == Tail::More => return Ok(None),
                None => {}
            }
        }
    }
    let end = u32::try_from(window.len()).expect("a window is shorter than 4 GiB");
    if tail == Tail::More || start == end {
        return Ok(None);
    }
    fields.push(Span { start: field, end, quoting });
    Ok(Some((end, breaks)))
}

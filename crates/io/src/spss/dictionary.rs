//! The description of an SPSS file: a header, records of variables, value labels and extensions.
//!
//! A text variable takes as many elements of eight bytes as it needs; a variable record is followed
//! by one for each element after the first. A text longer than 255 bytes lies in several variables
//! one after the other, of which the dictionary shows the first.

use std::collections::BTreeMap;
use std::ops::Range;

use marginswap_core::diagnostic::Diagnostic;

use crate::input_file::{InputFile, not_read};
use crate::refusal::Code;
use crate::rows::cursor::{Cursor, Order, until_nul};
use crate::rows::kind::Encoding;

pub(super) const HEADER: u64 = 176;

/// The most bytes of a text in a variable of its own.
const SEGMENT: usize = 255;

/// How many bytes of a long text a segment is counted for.
const COUNTED: usize = 252;

/// How the records lie in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Packing {
    Plain,
    Codes,
    Zlib,
}

/// A record of the dictionary, as it lies in the file, and what is known of it.
pub(super) struct Entry {
    pub(super) bytes: Vec<u8>,
    pub(super) what: What,
}

pub(super) enum What {
    /// A variable of this number (or a continuation of it).
    Variable(usize),
    /// Value labels, and the numbers of the elements that they are for.
    ValueLabels { texts: Vec<u8>, elements: Vec<u64> },
    /// An extension of this kind.
    Extension { kind: u64, size: u64 },
    /// Documents.
    Documents,
    /// The end of the dictionary.
    End,
}

/// A variable record with its elements.
pub(super) struct Raw {
    pub(super) short: Vec<u8>,
    /// 0 for a number, else the bytes of a text.
    pub(super) length: usize,
    /// Its bytes in a record.
    pub(super) span: Range<usize>,
    /// The number of its first element, counted from 1.
    pub(super) element: u64,
    pub(super) label: Option<Vec<u8>>,
    /// How many missing values there are: below zero, a range comes first.
    pub(super) missing: i64,
    pub(super) missing_values: Vec<[u8; 8]>,
}

/// A column: a variable or several that hold one long text.
pub(super) struct Variable {
    pub(super) raw: Range<usize>,
    pub(super) name: Vec<u8>,
    pub(super) length: usize,
}

pub(super) struct Dictionary {
    pub(super) head: Vec<u8>,
    pub(super) order: Order,
    pub(super) packing: Packing,
    pub(super) bias: f64,
    pub(super) cases: Option<u64>,
    pub(super) entries: Vec<Entry>,
    pub(super) raw: Vec<Raw>,
    pub(super) variables: Vec<Variable>,
    pub(super) encoding: Encoding,
    pub(super) width: usize,
    pub(super) rows_start: u64,
}

/// Reads a dictionary to its end.
pub(super) fn read(file: &InputFile) -> Result<Dictionary, Diagnostic> {
    let mut cursor = Cursor { file, at: 64, order: Order::Little, code: Code::BadSpss };
    let head = file.piece(0, HEADER).map_err(|error| not_read(&error))?;
    cursor.weigh(HEADER - 64, "the header of the file")?;
    cursor.order = match (Order::Little.unsigned(&head[64..68]), Order::Big.unsigned(&head[64..68]))
    {
        (2 | 3, _) => Order::Little,
        (_, 2 | 3) => Order::Big,
        _ => return Err(cursor.bad("the layout code 2 or 3 was expected here")),
    };
    let order = cursor.order;
    cursor.at = 72;
    let packing = match order.unsigned(&head[72..76]) {
        0 => Packing::Plain,
        1 => Packing::Codes,
        2 => Packing::Zlib,
        _ => return Err(cursor.bad("a way of packing (0, 1 or 2) was expected here")),
    };
    let cases = u64::try_from(order.signed(&head[80..84])).ok();
    let bias = f64::from_bits(order.unsigned(&head[84..92]));
    cursor.at = HEADER;
    let mut dictionary = Dictionary {
        head,
        order,
        packing,
        bias,
        cases,
        entries: Vec::new(),
        raw: Vec::new(),
        variables: Vec::new(),
        encoding: Encoding::Bytes,
        width: 0,
        rows_start: 0,
    };
    while dictionary.entry(&mut cursor)? {}
    dictionary.rows_start = cursor.at;
    dictionary.encoding = dictionary.told_encoding();
    dictionary.gather(&cursor)?;
    Ok(dictionary)
}

impl Dictionary {
    /// Reads an entry; the last one ends the dictionary.
    fn entry(&mut self, cursor: &mut Cursor<'_>) -> Result<bool, Diagnostic> {
        let start = cursor.at;
        let what = match cursor.unsigned(4, "a record of the dictionary")? {
            2 => self.variable(cursor)?,
            3 => self.value_labels(cursor)?,
            6 => {
                let lines = cursor.unsigned(4, "the number of lines")?;
                cursor.skip(lines.saturating_mul(80), "documents")?;
                What::Documents
            }
            7 => {
                let kind = cursor.unsigned(4, "the kind of an extension")?;
                let size = cursor.unsigned(4, "the size of an extension")?;
                let count = cursor.unsigned(4, "the number of elements of an extension")?;
                cursor.skip(size.saturating_mul(count), "an extension")?;
                What::Extension { kind, size }
            }
            999 => {
                cursor.skip(4, "the end of the dictionary")?;
                What::End
            }
            _ => {
                cursor.at = start;
                return Err(cursor.bad("a record of the dictionary was expected here"));
            }
        };
        let piece = cursor.file.piece(start, cursor.at - start);
        let bytes = piece.map_err(|error| not_read(&error))?;
        let is_last = matches!(what, What::End);
        self.entries.push(Entry { bytes, what });
        Ok(!is_last)
    }

    fn variable(&mut self, cursor: &mut Cursor<'_>) -> Result<What, Diagnostic> {
        let start = cursor.at;
        let fixed = cursor.take(28, "a variable")?;
        let word = |at: usize| self.order.signed(&fixed[at..at + 4]);
        let (kind, has_label, missing) = (word(0), word(4), word(8));
        let mut label = None;
        if has_label == 1 {
            let length = cursor.unsigned(4, "the length of a label")?;
            let text = cursor.take(length.saturating_add(3) / 4 * 4, "the label of a variable")?;
            let length = usize::try_from(length).expect("it was weighed");
            label = Some(text[..length].to_vec());
        }
        if !(-3..=3).contains(&missing) || missing == -1 || !(-1..=255).contains(&kind) {
            cursor.at = start;
            return Err(cursor.bad("a variable was expected here"));
        }
        let values = cursor.take(8 * missing.unsigned_abs(), "missing values")?;
        let elements = self.width as u64 / 8;
        let at = self.width;
        self.width += 8;
        if kind == -1 {
            let Some(last) = self.raw.last_mut().filter(|raw| raw.span.len() < raw.length) else {
                cursor.at = start;
                return Err(cursor.bad("a variable, and not the rest of one, was expected here"));
            };
            last.span.end += 8;
            return Ok(What::Variable(self.raw.len() - 1));
        }
        self.check_whole(cursor)?;
        self.raw.push(Raw {
            short: trimmed(&fixed[20..28]).to_vec(),
            length: usize::try_from(kind).expect("it is not below zero"),
            span: at..at + 8,
            element: elements + 1,
            label,
            missing,
            missing_values: values.chunks_exact(8).map(|one| one.try_into().expect("8")).collect(),
        });
        Ok(What::Variable(self.raw.len() - 1))
    }

    /// Has the last text all its elements?
    fn check_whole(&self, cursor: &Cursor<'_>) -> Result<(), Diagnostic> {
        match self.raw.last() {
            Some(last) if last.span.len() < last.length => {
                Err(cursor.bad("the rest of a text variable was expected before this place"))
            }
            _ => Ok(()),
        }
    }

    fn value_labels(&mut self, cursor: &mut Cursor<'_>) -> Result<What, Diagnostic> {
        let start = cursor.at;
        let count = cursor.unsigned(4, "the number of value labels")?;
        for _ in 0..count {
            let value = cursor.take(9, "a value label")?;
            cursor.skip((u64::from(value[8]) + 1).next_multiple_of(8) - 1, "a value label")?;
        }
        let piece = cursor.file.piece(start, cursor.at - start);
        let texts = piece.map_err(|error| not_read(&error))?;
        let at = cursor.at;
        if cursor.unsigned(4, "the variables of value labels")? != 4 {
            cursor.at = at;
            return Err(cursor.bad("the variables of value labels were expected here"));
        }
        let variables = cursor.unsigned(4, "the number of variables of value labels")?;
        let elements = cursor.take(variables.saturating_mul(4), "the variables of value labels")?;
        let elements = elements.chunks_exact(4).map(|one| self.order.unsigned(one)).collect();
        Ok(What::ValueLabels { texts, elements })
    }

    /// The contents of an extension.
    pub(super) fn extension(&self, wanted: u64) -> Option<&[u8]> {
        self.entries.iter().find_map(|entry| match entry.what {
            What::Extension { kind, .. } if kind == wanted => Some(&entry.bytes[16..]),
            _ => None,
        })
    }

    fn told_encoding(&self) -> Encoding {
        let named = self.extension(20).map(|name| name.to_ascii_lowercase());
        let code = self.extension(3).and_then(|info| info.get(28..32));
        let is_western = match (named, code) {
            (Some(name), _) => {
                let name: Vec<u8> = name.into_iter().filter(u8::is_ascii_alphanumeric).collect();
                [&b"windows1252"[..], b"cp1252", b"iso88591", b"latin1"].contains(&&name[..])
            }
            (None, Some(code)) => matches!(self.order.unsigned(code), 1252 | 28_591),
            (None, None) => false,
        };
        if is_western { Encoding::Windows1252 } else { Encoding::Bytes }
    }

    /// The columns: variables under their long names, long texts whole.
    fn gather(&mut self, cursor: &Cursor<'_>) -> Result<(), Diagnostic> {
        self.check_whole(cursor)?;
        let long: BTreeMap<Vec<u8>, Vec<u8>> = self.named(13, b'\t').into_iter().collect();
        let lengths: BTreeMap<Vec<u8>, Vec<u8>> = self.named(14, b'\t').into_iter().collect();
        let mut next = 0;
        while next < self.raw.len() {
            let raw = &self.raw[next];
            let told = lengths.get(&raw.short).map(|text| until_nul(text));
            let told =
                told.and_then(|text| str::from_utf8(text).ok()?.trim().parse::<usize>().ok());
            let length = told.filter(|&length| length > SEGMENT).unwrap_or(raw.length);
            let segments = if length > SEGMENT { length.div_ceil(COUNTED) } else { 1 };
            let all = next..next.saturating_add(segments);
            let fits = all.end <= self.raw.len()
                && (segments == 1 || self.raw[all.clone()].iter().all(|raw| raw.length > 0));
            if !fits {
                return Err(cursor.bad("a long text claims more variables than the dictionary has"));
            }
            let name = long.get(&raw.short).unwrap_or(&raw.short).clone();
            self.variables.push(Variable { raw: all.clone(), name, length });
            next = all.end;
        }
        Ok(())
    }

    /// An extension of names, each with a text: `NAME=text`, with this sign between two of them.
    pub(super) fn named(&self, kind: u64, between: u8) -> Vec<(Vec<u8>, Vec<u8>)> {
        let text = self.extension(kind).unwrap_or_default();
        let pairs = text.split(|&byte| byte == between).filter_map(|pair| {
            let equals = pair.iter().position(|&byte| byte == b'=')?;
            let name = pair[..equals].iter().copied().filter(|&byte| byte != 0).collect();
            Some((name, pair[equals + 1..].to_vec()))
        });
        pairs.collect()
    }

    /// The column that an element is the first of.
    pub(super) fn column_of(&self, element: u64) -> Option<usize> {
        self.variables.iter().position(|one| self.raw[one.raw.start].element == element)
    }

    /// The bytes of a column in a record.
    pub(super) fn span(&self, column: usize) -> Range<usize> {
        let Range { start, end } = self.variables[column].raw;
        self.raw[start].span.start..self.raw[end - 1].span.end
    }

    /// The parts of a column's cells that hold its text, where they are not the whole of it.
    pub(super) fn parts(&self, column: usize) -> Vec<Range<usize>> {
        let raw = self.variables[column].raw.clone();
        if raw.len() == 1 {
            return Vec::new();
        }
        let first = self.span(column).start;
        let part = |one: usize| {
            let span = &self.raw[one].span;
            let end = if one + 1 < raw.end { span.start + SEGMENT } else { span.end };
            span.start - first..end.min(span.end) - first
        };
        raw.clone().map(part).collect()
    }
}

/// Text without the spaces at its end.
pub(super) fn trimmed(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|&byte| byte != b' ' && byte != 0).map_or(0, |last| last + 1);
    &text[..end]
}

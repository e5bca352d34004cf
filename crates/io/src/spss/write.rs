//! An SPSS file once more, around other records.
//!
//! The dictionary is copied. Where columns are left out, all that names them goes with them: their
//! records, value labels, long names, display, attributes, and sets of which they are a part.
//! Extensions whose contents are not known are then left out too, since they may name anything.

use std::collections::BTreeSet;
use std::io::Write;

use marginswap_core::diagnostic::Diagnostic;

use super::Spss;
use super::codes::{NewBlocks, Packer};
use super::dictionary::{Dictionary, Entry, Packing, What};
use crate::atomic::unwritable;
use crate::input_file::{changed_meanwhile, not_read};
use crate::rows::kind::Kind;
use crate::rows::{Change, RowFile, RowWriter};

/// Takes the records of the new file.
pub(super) struct Writer<'a> {
    spss: &'a Spss,
    rows: &'a RowFile,
    out: &'a mut (dyn Write + Send),
    packer: Option<Packer>,
    blocks: Option<NewBlocks>,
    /// The bytes before the records.
    start: u64,
}

impl<'a> Writer<'a> {
    pub(super) fn begin(
        spss: &'a Spss,
        rows: &'a RowFile,
        change: &'a Change,
        out: &'a mut (dyn Write + Send),
    ) -> Result<Self, Diagnostic> {
        let dictionary = &spss.dictionary;
        let head = Left { dictionary, change }.description();
        out.write_all(&head).map_err(|error| unwritable(&error))?;
        let is_text = |&column: &usize| {
            let field = &rows.fields[column];
            let is_text = matches!(field.kind, Kind::Text(_));
            std::iter::repeat_n(is_text, field.span.len() / 8)
        };
        let elements = change.kept.iter().flat_map(is_text).collect();
        let packer = (dictionary.packing != Packing::Plain)
            .then(|| Packer::new(dictionary, &spss.style, elements));
        let blocks = (dictionary.packing == Packing::Zlib).then(NewBlocks::default);
        Ok(Self { spss, rows, out, packer, blocks, start: head.len() as u64 })
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Diagnostic> {
        let written = match &mut self.blocks {
            Some(blocks) => blocks.put(bytes),
            None => self.out.write_all(bytes),
        };
        written.map_err(|error| unwritable(&error))
    }

    /// What follows the last record of a plain file, which is nothing as a rule.
    fn rest(&self) -> Result<Vec<u8>, Diagnostic> {
        let Dictionary { rows_start, cases, width, packing, .. } = self.spss.dictionary;
        if packing != Packing::Plain {
            return Ok(Vec::new());
        }
        let end = cases.and_then(|cases| cases.checked_mul(width as u64)?.checked_add(rows_start));
        let end = end.expect("it was weighed");
        let file = &self.rows.file;
        let length = file.length().checked_sub(end).ok_or_else(changed_meanwhile)?;
        file.piece(end, length).map_err(|error| not_read(&error))
    }
}

impl RowWriter for Writer<'_> {
    fn put(&mut self, rows: &[u8]) -> Result<(), Diagnostic> {
        match &mut self.packer {
            None => self.write(rows),
            Some(packer) => {
                let mut packed = Vec::with_capacity(rows.len() / 2);
                packer.pack(rows, &mut packed);
                self.write(&packed)
            }
        }
    }

    fn finish(mut self: Box<Self>) -> Result<(), Diagnostic> {
        if let Some(packer) = &mut self.packer {
            let mut packed = Vec::new();
            packer.finish(&mut packed);
            self.write(&packed)?;
        }
        let rest = self.rest()?;
        self.write(&rest)?;
        if let Some(blocks) = self.blocks.take() {
            let written = blocks.finish(&self.spss.dictionary, self.start, &mut self.out);
            written.map_err(|error| unwritable(&error))?;
        }
        Ok(())
    }
}

/// A dictionary without the columns that are left out.
struct Left<'a> {
    dictionary: &'a Dictionary,
    change: &'a Change,
}

impl Left<'_> {
    fn description(&self) -> Vec<u8> {
        let Self { dictionary, change } = self;
        let mut head = dictionary.head.clone();
        if change.keeps_all() {
            dictionary.entries.iter().for_each(|entry| head.extend_from_slice(&entry.bytes));
            return head;
        }
        let order = dictionary.order;
        let elements: usize =
            change.kept.iter().map(|&column| dictionary.span(column).len() / 8).sum();
        head[68..72].copy_from_slice(&order.bytes(elements as u64, 4));
        let weight = order.unsigned(&head[76..80]);
        head[76..80].copy_from_slice(&order.bytes(self.element(weight).unwrap_or(0), 4));
        for entry in &dictionary.entries {
            self.put(entry, &mut head);
        }
        head
    }

    /// The new number of the element that a column begins with.
    fn element(&self, element: u64) -> Option<u64> {
        let column = self.dictionary.column_of(element)?;
        let place = self.change.place(column)?;
        let before = self.change.kept[..place].iter();
        let before: usize = before.map(|&one| self.dictionary.span(one).len() / 8).sum();
        Some(before as u64 + 1)
    }

    /// The column that a variable of the dictionary is part of.
    fn column(&self, raw: usize) -> usize {
        let found = self.dictionary.variables.iter().position(|one| one.raw.contains(&raw));
        found.expect("every variable is part of a column")
    }

    fn keeps(&self, raw: usize) -> bool {
        self.change.keeps(self.column(raw))
    }

    /// The short and the long names of what is left out, in capitals.
    fn left_out(&self) -> BTreeSet<Vec<u8>> {
        let raw = (0..self.dictionary.raw.len()).filter(|&raw| !self.keeps(raw));
        let names = raw.flat_map(|raw| {
            let long = &self.dictionary.variables[self.column(raw)].name;
            [&self.dictionary.raw[raw].short, long].map(|name| name.to_ascii_uppercase())
        });
        names.collect()
    }

    fn put(&self, entry: &Entry, out: &mut Vec<u8>) {
        let order = self.dictionary.order;
        match &entry.what {
            What::Variable(raw) if !self.keeps(*raw) => {}
            What::Variable(_) | What::Documents | What::End => out.extend_from_slice(&entry.bytes),
            What::ValueLabels { texts, elements } => {
                let elements: Vec<u64> =
                    elements.iter().filter_map(|&one| self.element(one)).collect();
                if !elements.is_empty() {
                    out.extend(order.bytes(3, 4));
                    out.extend_from_slice(texts);
                    out.extend(order.bytes(4, 4));
                    out.extend(order.bytes(elements.len() as u64, 4));
                    elements.iter().for_each(|&one| out.extend(order.bytes(one, 4)));
                }
            }
            What::Extension { kind, size } => {
                let contents = self.extension(*kind, &entry.bytes[16..]);
                if let Some(contents) = contents.filter(|left| !left.is_empty()) {
                    let count = contents.len() as u64 / (*size).max(1);
                    for number in [7, *kind, *size, count] {
                        out.extend(order.bytes(number, 4));
                    }
                    out.extend_from_slice(&contents);
                }
            }
        }
    }

    /// What is left of an extension.
    fn extension(&self, kind: u64, contents: &[u8]) -> Option<Vec<u8>> {
        let names = self.left_out();
        let is_left_out = |name: &[u8]| names.contains(&name.to_ascii_uppercase());
        let before = |text: &[u8], sign: u8| {
            let end = text.iter().position(|&byte| byte == sign);
            end.map(|end| {
                text[..end].iter().copied().filter(|&byte| byte != 0).collect::<Vec<u8>>()
            })
        };
        match kind {
            3 | 4 | 10 | 16 | 17 | 20 => Some(contents.to_vec()),
            11 => {
                let variables = self.dictionary.raw.len();
                let each = contents.len() / variables.max(1);
                let whole = each > 0 && each * variables == contents.len();
                let entries = contents.chunks_exact(each.max(1)).enumerate();
                let kept = entries.filter(|(raw, _)| *raw < variables && self.keeps(*raw));
                whole.then(|| kept.flat_map(|(_, entry)| entry.to_vec()).collect())
            }
            13 | 14 => {
                let kept = contents
                    .split(|&byte| byte == b'\t')
                    .filter(|pair| before(pair, b'=').is_some_and(|name| !is_left_out(&name)));
                let mut text = kept.collect::<Vec<_>>().join(&b'\t');
                if contents.last() == Some(&b'\t') && !text.is_empty() {
                    text.push(b'\t');
                }
                Some(text)
            }
            18 => {
                let kept = contents
                    .split(|&byte| byte == b'/')
                    .filter(|part| before(part, b':').is_some_and(|name| !is_left_out(&name)));
                Some(kept.collect::<Vec<_>>().join(&b'/'))
            }
            5 | 7 | 19 => {
                let lines = contents.split_inclusive(|&byte| byte == b'\n');
                let signs = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'=' | 0);
                let kept = lines.filter(|line| !line.split(signs).any(is_left_out));
                Some(kept.flatten().copied().collect())
            }
            21 | 22 => self.long_texts(kind, contents),
            _ => None,
        }
    }

    /// What is left of the labels and missing values of long texts.
    fn long_texts(&self, kind: u64, contents: &[u8]) -> Option<Vec<u8>> {
        let order = self.dictionary.order;
        let names = self.left_out();
        let number = |at: &mut usize| {
            let word = contents.get(*at..at.checked_add(4)?)?;
            *at += 4;
            usize::try_from(order.unsigned(word)).ok()
        };
        let pass = |at: &mut usize, length: usize| {
            let end = at.checked_add(length).filter(|&end| end <= contents.len())?;
            Some(&contents[std::mem::replace(at, end)..end])
        };
        let mut kept = Vec::new();
        let mut at = 0;
        while at < contents.len() {
            let start = at;
            let length = number(&mut at)?;
            let name = pass(&mut at, length)?;
            if kind == 21 {
                number(&mut at)?;
                for _ in 0..2 * number(&mut at)? {
                    let length = number(&mut at)?;
                    pass(&mut at, length)?;
                }
            } else {
                let values = usize::from(pass(&mut at, 1)?[0]);
                let length = number(&mut at)?;
                pass(&mut at, values.checked_mul(length)?)?;
            }
            if !names.contains(&name.to_ascii_uppercase()) {
                kept.extend_from_slice(&contents[start..at]);
            }
        }
        Some(kept)
    }
}

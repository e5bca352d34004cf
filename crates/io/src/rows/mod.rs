//! Files of records of one width: Stata, SPSS, SAS transport, fixed-width text.
//!
//! A cell lies at the same place in every record, so a file is rewritten by moving cells and copying
//! every other byte. What differs between the formats is a [`Layout`]: where the records are, how
//! they are packed, and what is written before and after them. What a cell says is its [`Kind`].
//!
//! Trap: two cells may differ in bytes and say the same number (SAS has several zeros). They are
//! one category; what is moved are bytes all the same.
//!
//! Way in: [`RowFile::read`], [`rewrite::rewrite`].

pub(crate) mod cursor;
pub(crate) mod kind;
pub(crate) mod labels;
mod read;
pub(crate) mod rewrite;

use std::io::{Read, Write};
use std::ops::Range;

use marginswap_core::diagnostic::{Diagnostic, Kind as Refusal, grouped};

use crate::input_file::{BytesFrom, InputFile, changed_meanwhile, not_read};
use crate::refusal::Code;
use crate::source::Format;
use kind::Kind;
use labels::Labels;

/// About as many bytes of records are looked at together.
const BLOCK: usize = 1 << 20;

/// A file of records of one width, whose description has been read.
pub(crate) struct RowFile {
    pub(crate) file: InputFile,
    pub(crate) format: Format,
    pub(crate) names: Vec<String>,
    /// Where the cell of each column lies in a record, and what it is.
    pub(crate) fields: Vec<Field>,
    /// The bytes of a record, unpacked.
    pub(crate) width: usize,
    pub(crate) labels: Labels,
    pub(crate) layout: Box<dyn Layout>,
}

/// A column as it lies in a record.
#[derive(Debug, Clone)]
pub(crate) struct Field {
    /// All bytes that belong to the cell, padding included: they move together.
    pub(crate) span: Range<usize>,
    pub(crate) kind: Kind,
}

/// What differs between the formats.
pub(crate) trait Layout: Send + Sync {
    /// The records, unpacked.
    fn rows<'a>(&'a self, rows: &'a RowFile) -> Result<Box<dyn Rows + Send + 'a>, Diagnostic>;

    /// The text that a cell refers to, where it lies elsewhere.
    fn long_text(&self, _rows: &RowFile, _cell: &[u8]) -> Result<Vec<u8>, Diagnostic> {
        unreachable!("the format has no texts outside its records")
    }

    /// Writes what comes before the records, and gives what takes these.
    fn writer<'a>(
        &'a self,
        rows: &'a RowFile,
        change: &'a Change,
        out: &'a mut (dyn Write + Send),
    ) -> Result<Box<dyn RowWriter + Send + 'a>, Diagnostic>;
}

/// Records, some at a time.
pub(crate) trait Rows {
    /// Puts the next records into an empty buffer; none are left when it stays empty.
    fn next(&mut self, buffer: &mut Vec<u8>) -> Result<(), Diagnostic>;
}

/// Takes the records of the new file, without the columns that are left out.
pub(crate) trait RowWriter {
    fn put(&mut self, rows: &[u8]) -> Result<(), Diagnostic>;

    /// Writes what comes after the records.
    fn finish(self: Box<Self>) -> Result<(), Diagnostic>;
}

/// In what the new file differs from its input.
pub(crate) struct Change {
    /// The columns that are written.
    pub(crate) kept: Vec<usize>,
    /// For each column: are values of it exchanged?
    pub(crate) exchanged: Vec<bool>,
    /// Do the records come in another order?
    pub(crate) reordered: bool,
}

impl Change {
    pub(crate) fn keeps(&self, column: usize) -> bool {
        self.kept.binary_search(&column).is_ok()
    }

    /// Is every column written?
    pub(crate) fn keeps_all(&self) -> bool {
        self.kept.len() == self.exchanged.len()
    }

    /// The place of a column among those that are written.
    pub(crate) fn place(&self, column: usize) -> Option<usize> {
        self.kept.binary_search(&column).ok()
    }
}

/// Records that lie in the file one after the other.
pub(crate) struct PlainRows {
    bytes: BytesFrom,
    left: u64,
    width: usize,
}

impl PlainRows {
    pub(crate) fn new(file: &InputFile, start: u64, records: u64, width: usize) -> Self {
        Self { bytes: file.bytes_from(start), left: records, width }
    }
}

impl Rows for PlainRows {
    fn next(&mut self, buffer: &mut Vec<u8>) -> Result<(), Diagnostic> {
        let at_once = (BLOCK / self.width).max(1) as u64;
        let records = at_once.min(self.left);
        self.left -= records;
        let length = usize::try_from(records).expect("a block is short") * self.width;
        buffer.resize(length, 0);
        self.bytes.read_exact(buffer).map_err(|error| match error.kind() {
            // Its length was weighed when it was opened.
            std::io::ErrorKind::UnexpectedEof => changed_meanwhile(),
            _ => not_read(&error),
        })
    }
}

/// The refusal of a damaged file: where it is, and what was expected there.
pub(crate) fn damaged(code: Refusal, byte: u64, expected: &str) -> Diagnostic {
    let mut refusal = Diagnostic::new(
        code,
        expected,
        "write or fetch the file again; if the program that wrote it reads it, please report this",
    );
    refusal.place.byte = Some(byte);
    refusal
}

/// Refuses more records than have numbers.
pub(crate) fn check_number(records: u64) -> Result<(), Diagnostic> {
    if u32::try_from(records).is_ok() {
        return Ok(());
    }
    Err(Diagnostic::new(
        Code::TooManyRecords,
        format!("the file has {} records", grouped(records)),
        "read the file in parts",
    ))
}

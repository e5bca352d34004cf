//! A CSV file, streamed line by line.
//!
//! The file passes through a window of 256 KiB, which grows only for a line that is longer
//! than it, up to 1 GiB: memory never holds the file. [`CsvReader::next_record`] gives one
//! record with the raw bytes of its fields; with [`CsvReader::preamble`] and
//! [`CsvReader::epilogue`] they are all bytes of the file, so a copy can differ in the
//! swapped cells alone. [`CsvReader::read`] turns the columns into codes instead.
//!
//! Lines and bytes in errors are those of the uncompressed file: lines count from 1 and
//! are physical ones (a line break inside quotes counts), bytes count from 0 and include
//! a byte order mark.
//!
//! Trap: empty lines. In a file of one column every empty line is a record with an empty
//! field; the line end of the last record begins no further one. In a file of several
//! columns an empty line is a line with too few fields, unless nothing but empty lines
//! follow: those are passed over.
//!
//! Edge case: a first line `sep=;`, which Excel writes and obeys, gives the delimiter. It is
//! no header and no record, and stays in a released file.
//!
//! The sum of the file is taken as its bytes are read, before they are unpacked, so it
//! belongs to the very bytes that the table was made from.
//!
//! Law: `chunks-do-not-matter`: the answer, and the error, is the same for every size of
//! the window. Law: `raw-bytes-rebuild-the-file`. Law: `csv-crate-agrees`: what is accepted
//! here, the crate of that name reads as the same fields.

use std::io::{self, BufReader, Read};
use std::ops::Range;
use std::path::PathBuf;

use crate::refusal::Code;
use marginswap_core::columns::{Column, ColumnBuilder, GrowingColumn, GrowingPart};
use marginswap_core::diagnostic::{Diagnostic, grouped};
use marginswap_core::encode::RecordId;
use rayon::prelude::*;

use crate::as_written::{AsWritten, Forms};
use crate::delimiter::Delimiter;
use crate::digest::{FileDigest, Hashed};
use crate::foreign;
use crate::gunzip::{Gunzip, is_too_much, is_trailing};
use crate::header;
use crate::pieces::{Cut, Cutter, Found, Gather, Returned, in_order};
use crate::said;
use crate::scan::{Batch, Fault, FaultKind, Line, Quoting, Span, Stop, Tail, scan};
use crate::source::{Compression, Sample, Table};

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// `"sep=;"` and a line end.
const LONGEST_SEP_LINE: usize = 9;

/// A CSV file whose header has been read.
pub struct CsvReader {
    path: PathBuf,
    input: Returned<Input>,
    compression: Compression,
    delimiter: Delimiter,
    names: Vec<String>,
    /// May the header be a record, so that its names are not to be shown?
    looks_like_a_record: bool,
    /// Do the first records show that it is one?
    is_without_header: bool,
    preamble: Vec<u8>,
    /// Where the header begins in the preamble.
    header_start: usize,
    epilogue: Vec<u8>,
    window: Window,
    batch: Batch,
    /// How many lines of the batch have been given out.
    served: usize,
    /// The physical line number of the next line to be given out.
    served_line: u64,
    /// The physical line number where the next batch begins.
    line: u64,
    /// How many records the batches held so far.
    records: u64,
    /// The first empty line, in a file of several columns.
    blank: Option<(u64, u64)>,
    limits: Limits,
}

/// The way of the bytes: hashed as they lie on disk, then unpacked.
enum Input {
    Plain(Raw),
    /// Without a sum.
    PassedOver(Box<dyn Read + Send>),
    Gzip(Box<Gunzip<BufReader<Raw>>>),
}

/// The bytes as they lie on disk.
type Raw = Hashed<Box<dyn Read + Send>>;

impl Input {
    fn new(bytes: Box<dyn Read + Send>, compression: Compression) -> Self {
        let hashed = Hashed::new(bytes);
        match compression {
            Compression::Plain => Self::Plain(hashed),
            Compression::Gzip => {
                Self::Gzip(Box::new(Gunzip::new(BufReader::with_capacity(1 << 16, hashed))))
            }
        }
    }

    /// The same without a sum of what is still to be read; to unpack bytes takes longer than to sum
    /// them, so those that are packed stay as they are.
    fn without_sum(self) -> Self {
        match self {
            Self::Plain(hashed) => Self::PassedOver(hashed.into_inner()),
            other => other,
        }
    }

    /// The sum of the file, once all of it was read; none where it is passed over.
    fn digest(&self) -> Option<FileDigest> {
        match self {
            Self::Plain(hashed) => Some(hashed.digest()),
            Self::PassedOver(_) => None,
            Self::Gzip(unpacked) => Some(unpacked.ended()?.get_ref().digest()),
        }
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(hashed) => hashed.read(buffer),
            Self::PassedOver(bytes) => bytes.read(buffer),
            Self::Gzip(unpacked) => unpacked.read(buffer),
        }
    }
}

/// The sizes at which reading changes its ways; the tests make them small.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// The size of the window to begin with.
    window: usize,
    /// The longest line, its end included.
    line: usize,
    /// The most records.
    records: u64,
    /// A batch ends with the line that fills it up to this many fields.
    fields: usize,
    /// How many bytes after the header are looked at before they are read, if the window
    /// holds them.
    look: usize,
    /// The length of the pieces that are scanned side by side; none are where it is 0.
    piece: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            window: 1 << 18,
            line: 1 << 30,
            records: u32::MAX.into(),
            fields: 1 << 11,
            look: 1 << 16,
            piece: 1 << 18,
        }
    }
}

/// One record, as bytes of the window.
#[derive(Clone, Copy)]
pub struct Record<'a> {
    window: &'a [u8],
    line: Line,
    fields: &'a [Span],
    number: u64,
}

impl<'a> Record<'a> {
    /// The field of a column as it is in the file, its quotes included.
    ///
    /// # Panics
    /// When there is no such column.
    #[must_use]
    pub fn raw(&self, column: usize) -> &'a [u8] {
        self.fields[column].raw(self.window)
    }

    /// What the field of a column says. `scratch` holds it when quotes had to be taken out.
    ///
    /// # Panics
    /// When there is no such column.
    #[must_use]
    pub fn content<'s>(&self, column: usize, scratch: &'s mut Vec<u8>) -> &'s [u8]
    where
        'a: 's,
    {
        self.fields[column].content(self.window, scratch)
    }

    /// How the field of a column is written.
    ///
    /// # Panics
    /// When there is no such column.
    #[must_use]
    pub fn quoting(&self, column: usize) -> Quoting {
        self.fields[column].quoting()
    }

    /// All bytes of the record, delimiters and line end included.
    #[must_use]
    pub fn bytes(&self) -> &'a [u8] {
        &self.window[self.line.start as usize..self.line.next as usize]
    }

    /// The line end: LF, CR LF, or nothing.
    #[must_use]
    pub fn line_end(&self) -> &'a [u8] {
        let last = self.fields.last().expect("a record has a field").end();
        &self.window[last..self.line.next as usize]
    }

    /// The physical line on which the record begins, counted from 1.
    #[must_use]
    pub fn line(&self) -> u64 {
        self.number
    }
}

/// Several records, one after the other in the window.
pub(crate) struct Lines<'a> {
    pub(crate) window: &'a [u8],
    /// At least one.
    pub(crate) lines: &'a [Line],
    /// Their fields, as many for each as the header has.
    pub(crate) fields: &'a [Span],
    /// The position of the first one in the file.
    pub(crate) first: u64,
}

impl<'a> Lines<'a> {
    /// The fields of one of the lines.
    #[inline]
    pub(crate) fn fields_at(&self, position: usize) -> &'a [Span] {
        let columns = self.fields.len() / self.lines.len();
        &self.fields[position * columns..(position + 1) * columns]
    }

    /// The fields of a record that is one of these.
    pub(crate) fn fields_of(&self, record: RecordId) -> &'a [Span] {
        let position = u64::from(record.0) - self.first;
        self.fields_at(usize::try_from(position).expect("a batch is in memory"))
    }
}

impl CsvReader {
    /// Reads the header of a file with these bytes, as they lie on disk.
    pub(crate) fn open(
        path: PathBuf,
        bytes: Box<dyn Read + Send>,
        compression: Compression,
        delimiter: Option<Delimiter>,
        limits: Limits,
    ) -> Result<Self, Diagnostic> {
        let mut reader = Self {
            path,
            input: Returned::new(Input::new(bytes, compression)),
            compression,
            delimiter: delimiter.unwrap_or(Delimiter::COMMA),
            names: Vec::new(),
            looks_like_a_record: false,
            is_without_header: false,
            preamble: Vec::new(),
            header_start: 0,
            epilogue: Vec::new(),
            window: Window { bytes: Vec::new(), start: 0, offset: 0, tail: Tail::More },
            batch: Batch::default(),
            served: 0,
            served_line: 1,
            line: 1,
            records: 0,
            blank: None,
            limits,
        };
        match reader.read_header(delimiter) {
            Ok(()) => Ok(reader),
            Err(refusal) => Err(reader.placed(refusal)),
        }
    }

    /// The same file, of which no sum is asked: [`CsvReader::digest`] may know none.
    #[must_use]
    pub fn without_sum(self) -> Self {
        Self { input: self.input.map(Input::without_sum), ..self }
    }

    /// The names of the columns.
    #[must_use]
    pub fn columns(&self) -> &[String] {
        &self.names
    }

    /// The byte between two fields.
    #[must_use]
    pub fn delimiter(&self) -> Delimiter {
        self.delimiter
    }

    /// Is the file compressed?
    #[must_use]
    pub fn compression(&self) -> Compression {
        self.compression
    }

    /// May the header be a record? As far as the names and the first records tell.
    #[must_use]
    pub fn looks_like_a_record(&self) -> bool {
        self.looks_like_a_record
    }

    /// Is the header most likely a record? As far as the names and the first records tell.
    pub(crate) fn is_without_header(&self) -> bool {
        self.is_without_header
    }

    /// All bytes before the first record: a byte order mark, a line `sep=;`, and the header
    /// with its end.
    #[must_use]
    pub fn preamble(&self) -> &[u8] {
        &self.preamble
    }

    /// Where the header begins in the preamble.
    pub(crate) fn header_start(&self) -> usize {
        self.header_start
    }

    /// The sum of the file as it lies on disk; known when there is no next record, and it is asked.
    #[must_use]
    pub fn digest(&self) -> Option<FileDigest> {
        if self.window.tail == Tail::More {
            return None;
        }
        self.input.input.digest()
    }

    /// All bytes after the last record: empty lines. Known when there is no next record.
    #[must_use]
    pub fn epilogue(&self) -> &[u8] {
        &self.epilogue
    }

    /// The next record, or `None` after the last one.
    ///
    /// # Errors
    /// The first thing in the file that cannot be read.
    pub fn next_record(&mut self) -> Result<Option<Record<'_>>, Diagnostic> {
        if self.served == self.batch.lines.len() {
            let line = self.line;
            match self.next_batch() {
                Ok(true) => (self.served, self.served_line) = (0, line),
                Ok(false) => return Ok(None),
                Err(refusal) => return Err(self.placed(refusal)),
            }
        }
        let line = self.batch.lines[self.served];
        let number = self.served_line;
        self.served_line += u64::from(line.breaks);
        self.served += 1;
        let end = line.fields as usize;
        let fields = &self.batch.fields[end - self.names.len()..end];
        Ok(Some(Record { window: &self.window.bytes, line, fields, number }))
    }

    /// The next records, as many as are scanned at once, or `None` after the last one.
    pub(crate) fn next_lines(&mut self) -> Result<Option<Lines<'_>>, Diagnostic> {
        match self.next_batch() {
            Ok(true) => {}
            Ok(false) => return Ok(None),
            Err(refusal) => return Err(self.placed(refusal)),
        }
        let Batch { lines, fields } = &self.batch;
        self.served = lines.len();
        let first = self.records - lines.len() as u64;
        Ok(Some(Lines { window: &self.window.bytes, lines, fields, first }))
    }

    /// Encodes the wanted columns; the others are passed over, though their fields are
    /// counted like all fields.
    ///
    /// # Errors
    /// The first thing in the file that cannot be read; a file without records.
    ///
    /// # Panics
    /// When `wanted` does not have one entry for each column.
    pub fn read(self, wanted: &[bool]) -> Result<Table, Diagnostic> {
        let none = Sample { columns: vec![false; wanted.len()], step: 1 };
        self.read_sampling(wanted, &none)
    }

    /// The same, and of other columns a sample.
    pub(crate) fn read_sampling(
        mut self,
        wanted: &[bool],
        sample: &Sample,
    ) -> Result<Table, Diagnostic> {
        assert_eq!(wanted.len(), self.names.len(), "one entry of `wanted` for each column");
        match self.encode(wanted, sample) {
            Ok(table) => Ok(table),
            Err(refusal) => Err(self.placed(refusal)),
        }
    }

    /// Gathers all records: in pieces on all cores as long as they are as usual, then line by
    /// line.
    ///
    /// Law: `threads-do-not-matter`.
    pub(crate) fn gather(&mut self, gather: &mut impl Gather) -> Result<(), Diagnostic> {
        self.gather_pieces(gather);
        while self.next_batch()? {
            let Batch { lines, fields } = &self.batch;
            let window = &self.window.bytes;
            let mut part = gather.begin();
            gather.lines(&mut part, &Lines { window, lines, fields, first: 0 });
            let found = Found {
                records: lines.len() as u64,
                breaks: 0,
                starts: lines.iter().map(|line| line.start).collect(),
            };
            gather.take(part, window, &found);
            gather.settle();
        }
        Ok(())
    }

    fn gather_pieces(&mut self, gather: &mut impl Gather) {
        if self.limits.piece == 0 {
            return;
        }
        let cut = Cut {
            piece: self.limits.piece.min(self.limits.line),
            delimiter: self.delimiter.byte(),
            columns: self.names.len(),
            fields: self.limits.fields,
            records: self.limits.records - self.records,
        };
        let Window { bytes, start, offset, tail } = &mut self.window;
        bytes.drain(..*start);
        *offset += *start as u64;
        *start = 0;
        let cutter = Cutter::new(&mut self.input, std::mem::take(bytes), *tail, cut);
        let passed = in_order(cutter, gather);
        *tail = if passed.all { Tail::Nothing } else { Tail::More };
        *offset += passed.bytes;
        self.records += passed.records;
        self.line += passed.breaks;
    }

    fn encode(&mut self, wanted: &[bool], sample: &Sample) -> Result<Table, Diagnostic> {
        let mut encoder = Encoder::new(wanted, sample, self.delimiter);
        self.gather(&mut encoder)?;
        if self.records == 0 {
            return Err(no_records("the file has a header and nothing below it"));
        }
        let records = usize::try_from(self.records).expect("each record took a byte of memory");
        let columns = encoder.columns.into_iter().map(|column| column.map(GrowingColumn::finish));
        let samples = encoder.samples.into_iter().map(|column| column.map(ColumnBuilder::finish));
        let (columns, samples): (Vec<Option<Column>>, _) = (columns.collect(), samples.collect());
        assert_eq!(self.window.tail, Tail::Nothing, "the file was read to its end");
        let digest = self.digest();
        let looks_like_a_record = header::is_a_record(&self.names, &columns);
        encoder.written.epilogue.clone_from(&self.epilogue);
        let written = Some(encoder.written);
        Ok(Table { columns, samples, records, digest, looks_like_a_record, written })
    }

    fn read_header(&mut self, delimiter: Option<Delimiter>) -> Result<(), Diagnostic> {
        self.begin()?;
        let told = self.pass_over_sep_line()?;
        self.delimiter = match delimiter.or(told) {
            Some(delimiter) => delimiter,
            None => self.detect_delimiter()?,
        };
        let line = loop {
            match self.scan(1) {
                Stop::Fault(fault) => return Err(self.refusal(fault)),
                Stop::Full => break self.batch.lines[0],
                Stop::Short if self.window.tail == Tail::More => self.refill()?,
                Stop::Short => return Err(no_records("the file is empty")),
            }
        };
        let names = self.names_in(line)?;
        self.header_start = self.preamble.len();
        let raw = &self.window.bytes[line.start as usize..line.next as usize];
        self.preamble.extend_from_slice(raw);
        self.line += u64::from(line.breaks);
        self.window.start = line.next as usize;
        self.names = names;
        self.look_at_first_records()
    }

    /// Fills the window for the first time, refuses what is no CSV file, and passes over a
    /// byte order mark.
    fn begin(&mut self) -> Result<(), Diagnostic> {
        while self.window.bytes.len() < BYTE_ORDER_MARK.len() && self.window.tail == Tail::More {
            self.refill()?;
        }
        let bytes = &self.window.bytes;
        foreign::check(bytes)?;
        if bytes.starts_with(BYTE_ORDER_MARK) {
            self.preamble.extend_from_slice(BYTE_ORDER_MARK);
            self.window.start = BYTE_ORDER_MARK.len();
        }
        Ok(())
    }

    /// The delimiter that Excel's line `sep=;` before the header gives. The line belongs to
    /// the preamble.
    fn pass_over_sep_line(&mut self) -> Result<Option<Delimiter>, Diagnostic> {
        while self.window.bytes.len() - self.window.start < LONGEST_SEP_LINE
            && self.window.tail == Tail::More
        {
            self.refill()?;
        }
        let bytes = &self.window.bytes[self.window.start..];
        let Some((delimiter, length)) = Delimiter::in_sep_line(bytes) else { return Ok(None) };
        self.preamble.extend_from_slice(&bytes[..length]);
        self.window.start += length;
        self.line += 1;
        Ok(Some(delimiter))
    }

    /// The delimiter of the header line.
    fn detect_delimiter(&mut self) -> Result<Delimiter, Diagnostic> {
        loop {
            let bytes = &self.window.bytes[self.window.start..];
            match (Delimiter::detect(bytes), self.window.tail) {
                (Some(delimiter), _) => return Ok(delimiter),
                (None, Tail::Nothing) => return Ok(Delimiter::detect_last(bytes)),
                (None, Tail::More) => self.refill()?,
            }
        }
    }

    /// The names of the columns, which the only line of the batch holds.
    fn names_in(&self, line: Line) -> Result<Vec<String>, Diagnostic> {
        let window = &self.window.bytes;
        let mut names = Vec::with_capacity(self.batch.fields.len());
        let mut scratch = Vec::new();
        for (column, span) in self.batch.fields.iter().enumerate() {
            if let Err(error) = std::str::from_utf8(span.raw(window)) {
                let (line, byte) = self.place(line, span.start() + error.valid_up_to());
                return Err(Diagnostic::new(
                    Code::HeaderNotUtf8,
                    format!("the name of column {} is not UTF-8", header::number(column)),
                    "convert the file to UTF-8, for example with `iconv -f WINDOWS-1252 -t UTF-8`",
                )
                .at(line, byte)
                .in_column(header::number(column)));
            }
            let name = span.content(window, &mut scratch);
            names.push(String::from_utf8(name.to_vec()).expect("its raw bytes are UTF-8"));
        }
        if let Err(bad) = header::check_names(&names) {
            let (line, byte) = self.place(line, self.batch.fields[bad.column].start());
            return Err(bad.diagnostic.at(line, byte));
        }
        Ok(names)
    }

    /// Looks at the records that are in the window already: does the header look like one of
    /// them, and is another delimiter meant?
    fn look_at_first_records(&mut self) -> Result<(), Diagnostic> {
        let Window { bytes, start, tail, .. } = &self.window;
        let behind = bytes.len().min(start + self.limits.look);
        let tail = if behind < bytes.len() { Tail::More } else { *tail };
        let window = &bytes[..behind];
        self.batch.clear();
        scan(window, *start, tail, self.delimiter.byte(), usize::MAX, &mut self.batch);
        let mut before = 0;
        let mut is_among = vec![false; self.names.len()];
        for line in &self.batch.lines {
            let fields = &self.batch.fields[before..line.fields as usize];
            before = line.fields as usize;
            if fields.len() == self.names.len() {
                find_names(&self.names, fields, window, &mut is_among);
            }
        }
        let among = is_among.iter().filter(|among| **among).count();
        let are_numbers = header::are_numbers(&self.names);
        self.looks_like_a_record = among > 0 || are_numbers;
        self.is_without_header = are_numbers || header::are_too_many(among, self.names.len());
        if self.names.len() == 1 {
            let raw = &self.preamble[self.header_start..];
            let lines = self.batch.lines.iter();
            let lines = lines.map(|line| &window[line.start as usize..line.next as usize]);
            if let Some((meant, times)) = self.delimiter.other_meant(raw, lines) {
                return Err(one_column(self.delimiter, meant, times));
            }
        }
        self.batch.clear();
        Ok(())
    }

    /// Fills the batch with the next records, of which there is at least one, each with as
    /// many fields as the header; `false` after the last record.
    fn next_batch(&mut self) -> Result<bool, Diagnostic> {
        loop {
            let stop = self.scan(self.limits.fields);
            if let Some(last) = self.batch.lines.last() {
                let next = last.next as usize;
                self.check_lines()?;
                self.window.start = next;
                if !self.batch.lines.is_empty() {
                    return Ok(true);
                }
                continue;
            }
            match (stop, self.blank, self.window.tail) {
                (Stop::Fault(_), Some(place), _) => return Err(self.blank_inside(place)),
                (Stop::Fault(fault), None, _) => return Err(self.refusal(fault)),
                (_, _, Tail::More) => self.refill()?,
                (_, _, Tail::Nothing) => return Ok(false),
            }
        }
    }

    fn scan(&mut self, enough: usize) -> Stop {
        self.batch.clear();
        self.served = 0;
        let Window { bytes, start, tail, .. } = &self.window;
        scan(bytes, *start, *tail, self.delimiter.byte(), enough, &mut self.batch)
    }

    /// Refuses ragged lines, sets the empty lines at the end aside, counts lines and
    /// records.
    fn check_lines(&mut self) -> Result<(), Diagnostic> {
        let columns = self.names.len();
        let mut fields_before = 0;
        let mut complete = 0;
        for &line in &self.batch.lines {
            let fields = line.fields as usize - fields_before;
            let is_blank = columns > 1 && fields == 1 && {
                let only = self.batch.fields[fields_before];
                only.start() == only.end()
            };
            if is_blank {
                let place = self.place(line, line.start as usize);
                self.blank.get_or_insert(place);
                self.epilogue
                    .extend_from_slice(&self.window.bytes[line.start as usize..line.next as usize]);
            } else if let Some(place) = self.blank {
                return Err(self.blank_inside(place));
            } else if fields != columns {
                return Err(self.ragged(line, fields_before, fields));
            } else if self.records == self.limits.records {
                let (number, byte) = self.place(line, line.start as usize);
                return Err(Diagnostic::new(
                    Code::TooManyRecords,
                    format!("the file has more than {} records", grouped(self.limits.records)),
                    "read the file in parts",
                )
                .at(number, byte));
            } else {
                complete += 1;
                self.records += 1;
            }
            fields_before = line.fields as usize;
            self.line += u64::from(line.breaks);
        }
        self.batch.lines.truncate(complete);
        self.batch.fields.truncate(complete * columns);
        Ok(())
    }

    /// Makes the window longer by what comes next in the file.
    fn refill(&mut self) -> Result<(), Diagnostic> {
        let Window { bytes, start, offset, tail } = &mut self.window;
        bytes.drain(..*start);
        *offset += *start as u64;
        *start = 0;
        let size = if bytes.len() < self.limits.window {
            self.limits.window
        } else if bytes.len() < self.limits.line {
            self.limits.line.min(bytes.len() * 2)
        } else {
            let line = format!("one line is longer than {} bytes", grouped(bytes.len() as u64));
            let remedy = "look for a quote that is opened on it and not meant";
            return Err(Diagnostic::new(Code::FieldTooLong, line, remedy).at(self.line, *offset));
        };
        let room = size - bytes.len();
        bytes.reserve_exact(room);
        let read = (&mut self.input).take(room as u64).read_to_end(bytes);
        match read {
            Ok(read) if read < room => *tail = Tail::Nothing,
            Ok(_) => {}
            Err(error) => {
                let mut refusal = unreadable(&error, self.compression);
                if refusal.code == Code::BadGzip {
                    refusal.place.byte = Some(*offset + bytes.len() as u64);
                }
                return Err(refusal);
            }
        }
        Ok(())
    }

    /// The physical line and the byte of a place of the window that is in this line.
    fn place(&self, line: Line, at: usize) -> (u64, u64) {
        let before = &self.window.bytes[line.start as usize..at];
        let breaks = memchr::memchr_iter(b'\n', before).count() as u64;
        (self.line + breaks, self.window.offset + at as u64)
    }

    fn refusal(&self, fault: Fault) -> Diagnostic {
        let line = Line { start: fault.line, next: fault.at, fields: 0, breaks: 0 };
        let (number, byte) = self.place(line, fault.at as usize);
        let (code, detail, remedy) = match fault.kind {
            FaultKind::Nul => (
                Code::NulByte,
                "a byte 0, which does not occur in CSV files",
                "often the file is UTF-16 or not a text file",
            ),
            FaultKind::BareReturn => (
                Code::BareReturn,
                "a CR outside quotes that no LF follows",
                "end lines with LF or CR LF, and quote values that contain a CR",
            ),
            FaultKind::TextAfterQuote => (
                Code::TextAfterQuote,
                "the closing quote of a field is followed by neither the delimiter nor a line end",
                "double the quotes inside quoted values",
            ),
            FaultKind::UnclosedQuote => (
                Code::UnclosedQuote,
                "the field that begins here with a quote goes on to the end of the file",
                "close the quote, or quote and double it if it belongs to the value",
            ),
        };
        let column = header::titled(fault.field, self.shown_names());
        Diagnostic::new(code, detail, remedy).at(number, byte).in_column(column)
    }

    fn ragged(&self, line: Line, fields_before: usize, fields: usize) -> Diagnostic {
        let columns = self.names.len();
        let delimiter = self.delimiter;
        let counts = format!("the header has {}, this line has {fields}", counted(columns));
        if fields > columns {
            let extra = self.batch.fields[fields_before + columns];
            let (number, byte) = self.place(line, extra.start());
            let last = header::titled(columns - 1, self.shown_names());
            return Diagnostic::new(
                Code::TooManyFields,
                format!("{counts}; the extra field follows column {last}"),
                format!("often a {delimiter} inside an unquoted value"),
            )
            .at(number, byte);
        }
        let (number, byte) = self.place(line, line.start as usize);
        let last = header::titled(fields - 1, self.shown_names());
        Diagnostic::new(
            Code::TooFewFields,
            format!("{counts}; it ends in column {last}"),
            "often a truncated line, or a line break inside an unquoted value",
        )
        .at(number, byte)
    }

    fn blank_inside(&self, (line, byte): (u64, u64)) -> Diagnostic {
        Diagnostic::new(
            Code::TooFewFields,
            format!(
                "the header has {}, this line is empty and not at the end of the file",
                counted(self.names.len())
            ),
            "delete the empty line",
        )
        .at(line, byte)
    }

    /// The names that a message may show: none if they may be the values of a record.
    fn shown_names(&self) -> &[String] {
        if self.looks_like_a_record { &[] } else { &self.names }
    }

    fn placed(&self, refusal: Diagnostic) -> Diagnostic {
        refusal.in_file(self.path.clone())
    }
}

/// Turns the wanted columns into codes.
struct Encoder<'s> {
    columns: Vec<Option<GrowingColumn>>,
    /// For each column what was taken and is not settled yet.
    waiting: Vec<Vec<GrowingPart>>,
    samples: Vec<Option<ColumnBuilder>>,
    sample: &'s Sample,
    delimiter: Delimiter,
    /// How many records were taken.
    records: u64,
    written: AsWritten,
}

/// What is made of a piece.
struct EncodedPart {
    columns: Vec<Option<GrowingPart>>,
    written: AsWritten,
}

impl<'s> Encoder<'s> {
    fn new(wanted: &[bool], sample: &'s Sample, delimiter: Delimiter) -> Self {
        let columns = wanted.iter().map(|&one| one.then(GrowingColumn::default)).collect();
        let samples = sample.columns.iter().map(|&one| one.then(ColumnBuilder::default)).collect();
        let written = AsWritten::new(wanted.len());
        let waiting = wanted.iter().map(|_| Vec::new()).collect();
        Self { columns, waiting, samples, sample, delimiter, records: 0, written }
    }

    /// Adds the record that begins here to the samples.
    fn sample(&mut self, window: &[u8], start: usize) {
        let mut batch = Batch::default();
        scan(window, start, Tail::Nothing, self.delimiter.byte(), 1, &mut batch);
        let mut scratch = Vec::new();
        for (column, span) in self.samples.iter_mut().zip(&batch.fields) {
            if let Some(column) = column {
                column.push(span.content(window, &mut scratch));
            }
        }
    }
}

impl Gather for Encoder<'_> {
    type Part = EncodedPart;

    fn begin(&self) -> EncodedPart {
        let columns = self.columns.iter().map(|column| column.as_ref().map(GrowingColumn::part));
        EncodedPart { columns: columns.collect(), written: AsWritten::new(self.columns.len()) }
    }

    fn lines(&self, part: &mut EncodedPart, lines: &Lines<'_>) {
        let Lines { window, fields, .. } = lines;
        part.written.add_line_ends(lines);
        let EncodedPart { columns, written } = part;
        for (position, (column, part)) in self.columns.iter().zip(columns).enumerate() {
            let spans = fields[position..].iter().step_by(self.columns.len());
            let fields = (spans, *window, self.delimiter.byte());
            let seen = match (column, part) {
                (Some(GrowingColumn::Coded(column)), Some(GrowingPart::Coded(part))) => {
                    each_content(fields, |bytes, range| column.push_beside(part, bytes, range))
                }
                (Some(_), Some(GrowingPart::Listed(part))) => {
                    each_content(fields, |bytes, range| part.push(&bytes[range]))
                }
                (Some(GrowingColumn::Listed(_)), Some(GrowingPart::Coded(_))) => {
                    panic!("no column settles while a part of it is read")
                }
                (None, _) | (_, None) => {
                    let mut seen = Forms::default();
                    fields.0.for_each(|span| seen.add(span, window, fields.2));
                    seen
                }
            };
            written.add_forms(position, seen);
        }
    }

    fn take(&mut self, part: EncodedPart, window: &[u8], found: &Found) {
        self.written.append(&part.written);
        for (waiting, part) in self.waiting.iter_mut().zip(part.columns) {
            waiting.extend(part);
        }
        if self.samples.iter().any(Option::is_some) {
            // The first record of the piece that is a multiple of the distance, and the others.
            let step = self.sample.step as u64;
            let passed_over = usize::try_from(self.records.next_multiple_of(step) - self.records)
                .expect("a distance is a number of this machine");
            for &start in found.starts.iter().skip(passed_over).step_by(self.sample.step) {
                self.sample(window, start as usize);
            }
        }
        self.records += found.records;
    }

    fn settle(&mut self) {
        let settle = |(column, parts): (&mut Option<GrowingColumn>, &mut Vec<GrowingPart>)| {
            if let Some(column) = column {
                parts.drain(..).for_each(|part| column.append(part));
                column.settle();
            }
        };
        // A short file needs no other thread.
        match self.waiting.iter().any(|parts| parts.len() > 1) {
            true => self.columns.par_iter_mut().zip(&mut self.waiting).for_each(settle),
            false => self.columns.iter_mut().zip(&mut self.waiting).for_each(settle),
        }
    }
}

/// Visits what fields of a window say, each as a range of some bytes. The forms they are in.
#[inline]
fn each_content<'s>(
    (spans, window, delimiter): (impl Iterator<Item = &'s Span>, &[u8], u8),
    mut visit: impl FnMut(&[u8], Range<usize>),
) -> Forms {
    let mut seen = Forms::default();
    let mut scratch = Vec::new();
    for span in spans {
        seen.add(span, window, delimiter);
        match span.inner() {
            Some(inner) => visit(window, inner),
            None => {
                let content = span.content(window, &mut scratch);
                visit(content, 0..content.len());
            }
        }
    }
    seen
}

/// The part of the file that is in memory.
struct Window {
    bytes: Vec<u8>,
    /// Where the next line begins.
    start: usize,
    /// Where the window begins in the file.
    offset: u64,
    tail: Tail,
}

/// Marks the columns whose name is what a record has there.
fn find_names(names: &[String], fields: &[Span], window: &[u8], found: &mut [bool]) {
    let mut scratch = Vec::new();
    for ((name, field), found) in names.iter().zip(fields).zip(found) {
        *found |= field.content(window, &mut scratch) == name.as_bytes();
    }
}

/// The refusal of a file whose one column holds several, parted by another sign.
fn one_column(delimiter: Delimiter, meant: Delimiter, times: usize) -> Diagnostic {
    let noun = if times == 1 { "" } else { "s" };
    Diagnostic::new(
        Code::OtherDelimiter,
        format!(
            "with the delimiter {delimiter} the file has one column; its header and the records \
             below contain {times} {meant}{noun} each"
        ),
        format!("name {meant} as the delimiter"),
    )
}

fn counted(columns: usize) -> String {
    if columns == 1 { "1 column".to_owned() } else { format!("{columns} columns") }
}

fn no_records(detail: &str) -> Diagnostic {
    Diagnostic::new(Code::NoRecords, detail, "name a file that has a header line and records")
}

/// A failed read. What a decompressor finds wrong has no number of the operating system.
pub(crate) fn unreadable(error: &io::Error, compression: Compression) -> Diagnostic {
    match compression {
        Compression::Gzip if is_trailing(error) => Diagnostic::new(
            Code::BadGzip,
            "bytes follow the end of the compressed data",
            "truncate the file there, or compress or fetch it again",
        ),
        Compression::Gzip if is_too_much(error) => Diagnostic::new(
            Code::PackedTooSmall,
            "the file unpacks to more than 1 GiB and to more than 200 times its own length",
            "unpack the file yourself, if the data are right",
        ),
        Compression::Gzip if error.raw_os_error().is_none() => Diagnostic::new(
            Code::BadGzip,
            format!("decompression stops: {}", said(error)),
            "compress or fetch the file again",
        ),
        _ => Diagnostic::new(Code::Unreadable, said(error), "check that the file can be read"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;

    const SMALL: Limits =
        Limits { window: 1 << 10, line: 1 << 20, records: 1 << 20, fields: 1, look: 0, piece: 0 };

    fn open(bytes: &[u8], limits: Limits) -> Result<CsvReader, Diagnostic> {
        let input = Box::new(io::Cursor::new(bytes.to_vec()));
        CsvReader::open("data.csv".into(), input, Compression::Plain, None, limits)
    }

    /// The fields of each record.
    type Fields = Vec<Vec<Vec<u8>>>;

    /// All bytes and all fields, record by record.
    fn stream(bytes: &[u8], limits: Limits) -> Result<(Vec<u8>, Fields), Diagnostic> {
        let mut reader = open(bytes, limits)?;
        let mut copy = reader.preamble().to_vec();
        let mut records = Vec::new();
        let columns = reader.columns().len();
        let delimiter = reader.delimiter().byte();
        let mut scratch = Vec::new();
        while let Some(record) = reader.next_record()? {
            let before = copy.len();
            let mut contents = Vec::new();
            for column in 0..columns {
                if column > 0 {
                    copy.push(delimiter);
                }
                copy.extend_from_slice(record.raw(column));
                contents.push(record.content(column, &mut scratch).to_vec());
            }
            copy.extend_from_slice(record.line_end());
            assert_eq!(&copy[before..], record.bytes());
            records.push(contents);
        }
        copy.extend_from_slice(reader.epilogue());
        Ok((copy, records))
    }

    /// All fields, by way of codes.
    fn encode(bytes: &[u8], limits: Limits) -> Result<Fields, Diagnostic> {
        let reader = open(bytes, limits)?;
        let wanted = vec![true; reader.columns().len()];
        let table = reader.read(&wanted)?;
        let field = |column: &marginswap_core::columns::Column, record| {
            let code = column.code(record);
            column.dictionary().category(code).expect("CSV has no null").to_vec()
        };
        Ok((0..table.records)
            .map(|record| {
                table.columns.iter().flatten().map(|column| field(column, record)).collect()
            })
            .collect())
    }

    /// Codes, categories and samples of all columns, the sum, and what else is known.
    fn table(bytes: &[u8], limits: Limits) -> Result<String, Diagnostic> {
        let reader = open(bytes, limits)?;
        let columns = reader.columns().len();
        // The first column is not wanted, and sampled.
        let wanted: Vec<bool> = (0..columns).map(|column| column > 0 || columns == 1).collect();
        let sample = Sample { columns: wanted.iter().map(|wanted| !wanted).collect(), step: 2 };
        let table = reader.read_sampling(&wanted, &sample)?;
        let shown = |column: &Column| -> Vec<(u32, Vec<u8>)> {
            let code = |record| column.code(record);
            let category = |code| column.dictionary().category(code).unwrap().to_vec();
            (0..column.len()).map(code).map(|code| (code, category(code))).collect()
        };
        let all = table.columns.iter().chain(&table.samples).flatten();
        let all: Vec<_> = all.map(shown).collect();
        let digest = table.digest.expect("the sum is taken");
        Ok(format!("{all:?} {digest:?} {}", table.looks_like_a_record))
    }

    fn pools() -> &'static [rayon::ThreadPool] {
        static POOLS: std::sync::OnceLock<Vec<rayon::ThreadPool>> = std::sync::OnceLock::new();
        POOLS.get_or_init(|| {
            let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            [1, 2, 3, 8].into_iter().map(|threads| pool(threads).unwrap()).collect()
        })
    }

    fn small_worlds() -> impl Strategy<Value = Vec<u8>> {
        let pieces = &["a", "b", ",", ",", ";", "\"", "\"", "\n", "\n", "\r\n", "\r", "\"\""][..];
        let body = proptest::collection::vec(prop::sample::select(pieces), 0..24);
        let header = prop::sample::select(
            &[
                "a,b\n",
                "a\n",
                "x;y;z\r\n",
                "\u{feff}a,b\n",
                "\"a,\n\"\"\",b\n",
                "sep=;\na;b\n",
                "\u{feff}\"sep=,\"\r\na,b\n",
                "",
            ][..],
        );
        (header, body, prop::bool::weighted(0.05)).prop_map(move |(header, body, nul)| {
            let nul = if nul { "\0" } else { "" };
            [header, &body.concat(), nul].concat().into_bytes()
        })
    }

    /// Lines of the header's width, so that long files are accepted.
    fn tidy_worlds() -> impl Strategy<Value = Vec<u8>> {
        let field = prop::sample::select(
            &["", "a", "b;", "a\"b", "\"\"", "\"a\"", "\",\"", "\"\n\"\"\"", "\"\r\nb\""][..],
        );
        let end = prop::sample::select(&["\n", "\r\n"][..]);
        let last = prop::sample::select(&["", "\n", "\r\n\n"][..]);
        (proptest::collection::vec((field.clone(), field, end), 1..12), last).prop_map(
            |(lines, last)| {
                let lines: Vec<String> =
                    lines.iter().map(|(left, right, end)| format!("{left},{right}{end}")).collect();
                let lines = lines.concat();
                format!("h,i\n{}{last}", lines.trim_end_matches(['\r', '\n'])).into_bytes()
            },
        )
    }

    fn worlds() -> impl Strategy<Value = Vec<u8>> {
        prop_oneof![small_worlds(), tidy_worlds()]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn law_chunks_do_not_matter(bytes in worlds()) {
            let whole = encode(&bytes, SMALL);
            let streamed = stream(&bytes, SMALL);
            for window in 1..64 {
                for fields in [1, 7, 1 << 11] {
                    let limits = Limits { window, fields, ..SMALL };
                    prop_assert_eq!(&encode(&bytes, limits), &whole);
                    prop_assert_eq!(&stream(&bytes, limits), &streamed);
                }
            }
        }

        /// Cut everywhere, for 1, 2, 3 and 8 threads.
        #[test]
        fn law_threads_do_not_matter(bytes in worlds(), piece in 1usize..40, fields in 1usize..9) {
            let whole = table(&bytes, SMALL);
            for pool in pools() {
                let limits = Limits { piece, fields, ..SMALL };
                prop_assert_eq!(&pool.install(|| table(&bytes, limits)), &whole);
                let limits = Limits { window: 8, records: 3, piece, ..SMALL };
                let few = Limits { piece: 0, ..limits };
                prop_assert_eq!(pool.install(|| table(&bytes, limits)), table(&bytes, few));
            }
        }

        #[test]
        fn law_raw_bytes_rebuild_the_file(bytes in worlds()) {
            if let Ok((copy, records)) = stream(&bytes, SMALL) {
                prop_assert_eq!(copy, bytes.clone());
                match encode(&bytes, SMALL) {
                    Ok(encoded) => prop_assert_eq!(encoded, records),
                    Err(refusal) => prop_assert_eq!(refusal.code, Code::NoRecords),
                }
            }
        }

        #[test]
        fn law_csv_crate_agrees(bytes in worlds()) {
            let Ok(records) = encode(&bytes, SMALL) else { return Ok(()) };
            let reader = open(&bytes, SMALL).unwrap();
            let delimiter = reader.delimiter().byte();
            // It does not know Excel's line before the header.
            let mut oracle = csv::ReaderBuilder::new()
                .flexible(true)
                .has_headers(false)
                .delimiter(delimiter)
                .from_reader(&bytes[reader.header_start()..]);
            let theirs: Vec<Vec<Vec<u8>>> = oracle
                .byte_records()
                .skip(1)
                .map(|record| record.unwrap().iter().map(<[u8]>::to_vec).collect())
                .collect();
            // It passes over empty lines, which are records in a file of one column.
            let one_column = records[0].len() == 1;
            let blank = |record: &Vec<Vec<u8>>| one_column && record[0].is_empty();
            let ours: Vec<_> = records.into_iter().filter(|record| !blank(record)).collect();
            let theirs: Vec<_> = theirs.into_iter().filter(|record| !blank(record)).collect();
            prop_assert_eq!(ours, theirs);
        }

        #[test]
        fn what_the_csv_crate_writes_comes_back(
            columns in 1usize..4,
            cells in proptest::collection::vec(
                proptest::collection::vec(
                    prop::sample::select(&b"ab,;\"\n\r\t \xff"[..]), 0..5), 3..30),
            crlf in any::<bool>(),
        ) {
            let records: Vec<Vec<Vec<u8>>> =
                cells.chunks_exact(columns).map(<[Vec<u8>]>::to_vec).collect();
            let end = if crlf { csv::Terminator::CRLF } else { csv::Terminator::Any(b'\n') };
            let mut writer = csv::WriterBuilder::new().terminator(end).from_writer(Vec::new());
            writer.write_record(["p", "q", "r"].iter().take(columns)).unwrap();
            for record in &records {
                writer.write_record(record).unwrap();
            }
            prop_assert_eq!(encode(&writer.into_inner().unwrap(), SMALL), Ok(records));
        }
    }

    #[test]
    fn a_long_line_is_refused_where_it_begins() {
        let long = [b"a,b\n\"x\nx\",y\n\"", &[b'x'; 100][..], b"\",z\n"].concat();
        for window in 1..=64 {
            let limits = Limits { window, line: 64, ..SMALL };
            let refusal = encode(&long, limits).unwrap_err();
            assert_eq!(refusal.code, Code::FieldTooLong);
            assert_eq!((refusal.place.line, refusal.place.byte), (Some(4), Some(12)));
            assert_eq!(encode(&long[4..], limits).unwrap_err().code, Code::FieldTooLong);
        }
        assert_eq!(encode(&long, SMALL).unwrap().len(), 2);
    }

    #[test]
    fn one_record_too_many_is_refused() {
        let bytes = b"a,b\nx,y\nx,\"\n\"\nx,y\nx\n";
        for fields in [1, 4, 5, 100] {
            let limits = Limits { records: 2, fields, ..SMALL };
            let refusal = encode(bytes, limits).unwrap_err();
            assert_eq!(refusal.code, Code::TooManyRecords);
            assert_eq!((refusal.place.line, refusal.place.byte), (Some(5), Some(14)));
            assert_eq!(encode(&bytes[..14], limits).unwrap().len(), 2);
        }
    }

    #[test]
    fn a_record_knows_its_line() {
        let mut reader = open(b"\"a\n\",b\n1,\"\n\n\"\n2,2\n", SMALL).unwrap();
        assert_eq!(reader.next_record().unwrap().unwrap().line(), 3);
        assert_eq!(reader.next_record().unwrap().unwrap().line(), 6);
        assert!(reader.next_record().unwrap().is_none());
    }

    struct Broken;

    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::from_raw_os_error(5))
        }
    }

    #[test]
    fn a_disk_error_is_no_damaged_gzip() {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
        io::Write::write_all(&mut packed, b"a,b\n1,2\n").unwrap();
        let packed = packed.finish().unwrap();
        let half = packed[..packed.len() - 9].to_vec();
        for (bytes, compression) in
            [(b"a,b\n1,2\n".to_vec(), Compression::Plain), (half, Compression::Gzip)]
        {
            let input = Box::new(io::Cursor::new(bytes).chain(Broken));
            let refusal =
                CsvReader::open("data.csv".into(), input, compression, None, SMALL).err().unwrap();
            assert_eq!(refusal.code, Code::Unreadable);
        }
    }
}

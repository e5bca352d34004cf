//! A CSV file once more, with the swaps done: what is not swapped keeps its bytes.
//!
//! A swapped cell has the raw bytes of the other record's cell, its quotes included.
//! Everything else is copied: quoting, delimiters, line ends, a byte order mark, a missing
//! last line end, empty lines at the end. Lines between two swapped ones are copied at once.
//!
//! The one exception is a column whose quotes tell more than its values, as where two files were
//! joined of which one quotes: an exchanged cell would be seen by its quotes. All its fields are
//! written with quotes where they are needed, see `quoting`.
//!
//! Line ends belong to places, not to records: in a new order the first line still ends as
//! the first line did, and a file without a last line end still has none.
//!
//! Trap: a file of one column, where an empty cell is an empty line. The last line without
//! a line end would be no record at all if its cell were empty, and where other columns are
//! left out, many programs would pass over empty lines: such cells are written as `""`.
//! For the same reason the empty lines after the last record are left out when only one
//! column of several remains.
//!
//! Edge case: a gzip input is unpacked; the output is packed if that is asked for, without
//! a name or a time in its header.
//!
//! Way in: [`rewrite`].

use std::io::Write;
use std::ops::Range;

use flate2::GzBuilder;
use flate2::write::GzEncoder;
use marginswap_core::diagnostic::Diagnostic;
use rayon::prelude::*;

use crate::atomic::unwritable;
use crate::csv::{CsvReader, Lines};
use crate::digest::FileDigest;
use crate::input_file::{InputFile, changed_meanwhile};
use crate::plan_file::stale;
use crate::quoting::put_as_needed;
use crate::reorder_csv::{differing_quotes, reorder};
use crate::reorder_held::{Held, reorder_held};
use crate::rewrite::{Exchange, Exchanges, ReleaseOptions, RewriteCounts};
use crate::scan::{Batch, Quoting, Span, Stop, Tail, content_of, scan};
use crate::source::{Compression, ReadOptions, Source};

/// The file, and its sum if that is known.
pub(crate) struct Input<'f> {
    pub(crate) file: &'f InputFile,
    pub(crate) options: &'f ReadOptions,
    pub(crate) expected: Option<&'f FileDigest>,
    /// Its columns in memory, where they tell its raw bytes.
    pub(crate) held: Option<&'f Held<'f>>,
}

impl Input<'_> {
    pub(crate) fn open(&self) -> Result<CsvReader, Diagnostic> {
        Source::of(self.file, self.options)?.into_csv().ok_or_else(changed_meanwhile)
    }
}

/// Writes the CSV file with the swaps done.
pub(crate) fn rewrite(
    input: &Input<'_>,
    plan: &Exchanges,
    release: &ReleaseOptions,
    out: &mut (dyn Write + Send),
) -> Result<RewriteCounts, Diagnostic> {
    let pack = |write: &dyn Fn(&mut (dyn Write + Send)) -> Result<RewriteCounts, Diagnostic>,
                out: &mut (dyn Write + Send)| match release.packing {
        Compression::Plain => write(out),
        Compression::Gzip => {
            let mut packed: GzEncoder<&mut (dyn Write + Send)> =
                GzBuilder::new().write(out, flate2::Compression::default());
            write(&mut packed).and_then(|counts| {
                packed.finish().map_err(|error| unwritable(&error))?;
                Ok(counts)
            })
        }
    };
    if let Some(order) = &release.order {
        let write = |out: &mut (dyn Write + Send)| match input.held {
            Some(held) => reorder_held(input, held, plan, release, order, out),
            None => reorder(input, plan, release, order, out),
        };
        return pack(&write, out);
    }
    let (cells, mixed) = Cells::collect(input.open()?, plan)?;
    if input.expected.is_some_and(|expected| *expected != cells.digest) {
        return Err(changed_meanwhile());
    }
    let as_needed = match mixed.contains(&true) {
        true => differing_quotes(input.open()?, &mixed)?,
        false => mixed,
    };
    let write = |out: &mut (dyn Write + Send)| {
        Copy::new(input.open()?, plan, &cells, release)?.run(as_needed.clone(), out)
    };
    pack(&write, out)
}

/// The raw bytes of the cells that are exchanged.
struct Cells {
    bytes: Vec<u8>,
    /// Where each cell ends.
    ends: Vec<usize>,
    /// For each swapped record, the number of its first cell.
    first: Vec<usize>,
    /// How many records the file has.
    records: u64,
    /// The sum of the file, to know it again.
    digest: FileDigest,
}

impl Cells {
    /// The cells, and for each column: are some of its fields quoted and others not?
    fn collect(mut reader: CsvReader, plan: &Exchanges) -> Result<(Self, Vec<bool>), Diagnostic> {
        let mut forms = vec![[false; 2]; reader.columns().len()];
        let (mut bytes, mut ends, mut first) = (Vec::new(), Vec::new(), Vec::new());
        let mut records = 0;
        let mut entries = plan.entries.iter().peekable();
        while let Some(lines) = reader.next_lines()? {
            records += lines.lines.len() as u64;
            for fields in lines.fields.chunks_exact(forms.len()) {
                for (seen, field) in forms.iter_mut().zip(fields) {
                    seen[usize::from(field.quoting() != Quoting::Bare)] = true;
                }
            }
            while let Some(exchange) =
                entries.next_if(|exchange| u64::from(exchange.record.0) < records)
            {
                let fields = lines.fields_of(exchange.record);
                first.push(ends.len());
                for &column in exchange.exchanged.iter() {
                    let raw = fields.get(column).ok_or_else(changed_meanwhile)?.raw(lines.window);
                    bytes.extend_from_slice(raw);
                    ends.push(bytes.len());
                }
            }
        }
        if records == 0 {
            return Err(stale("the file has no records"));
        }
        plan.check_records(records)?;
        let digest = reader.digest().expect("the file was read to its end");
        let mixed = forms.into_iter().map(|seen| seen == [true, true]).collect();
        Ok((Self { bytes, ends, first, records, digest }, mixed))
    }

    /// The cell that a swapped record had in the nth of its columns.
    fn raw(&self, entry: usize, nth: usize) -> &[u8] {
        let cell = self.first[entry] + nth;
        let start = if cell == 0 { 0 } else { self.ends[cell - 1] };
        &self.bytes[start..self.ends[cell]]
    }
}

/// The second reading, with its output.
struct Copy<'a> {
    reader: CsvReader,
    cells: &'a Cells,
    entries: &'a [Exchange],
    release: &'a ReleaseOptions,
    form: Form,
    counts: RewriteCounts,
}

/// How many pieces each thread puts together before they are written.
const PIECES: usize = 8;

/// Writes records in an order: `lines` puts a piece of them together, given the place of the first,
/// on all cores, while the pieces before are written.
pub(crate) fn put_in_order(
    order: &[u32],
    piece: usize,
    lines: impl Fn(&[u32], usize) -> Vec<u8> + Sync,
    put: &mut (impl FnMut(&[u8]) -> Result<(), Diagnostic> + Send),
) -> Result<(), Diagnostic> {
    let round = piece * PIECES * rayon::current_num_threads();
    let together = |from: usize| -> Vec<Vec<u8>> {
        let to = order.len().min(from + round);
        let pieces = order[from.min(to)..to].par_chunks(piece).enumerate().with_max_len(1);
        pieces.map(|(nth, records)| lines(records, from + nth * piece)).collect()
    };
    let mut from = 0;
    let mut ready = together(from);
    while !ready.is_empty() {
        from += round;
        let (written, next) =
            rayon::join(|| ready.iter().try_for_each(|lines| put(lines)), || together(from));
        written?;
        ready = next;
    }
    Ok(())
}

/// How a record is written.
pub(crate) struct Form {
    delimiter: u8,
    /// The columns that are written, neighbours together.
    runs: Vec<Range<usize>>,
    kept: Vec<bool>,
    blanks: Blanks,
    /// The columns whose fields are written with quotes where they are needed; none where all are
    /// written as they stand.
    as_needed: Vec<bool>,
}

/// Where an empty cell may be written as it is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Blanks {
    /// Everywhere: there are other cells next to it.
    Anywhere,
    /// On a line that has a line end: the file has one column.
    WithLineEnd,
    /// Nowhere: it was not alone before.
    Nowhere,
}

impl<'a> Copy<'a> {
    fn new(
        reader: CsvReader,
        plan: &'a Exchanges,
        cells: &'a Cells,
        release: &'a ReleaseOptions,
    ) -> Result<Self, Diagnostic> {
        let form = Form::new(&reader, release)?;
        let counts = RewriteCounts::default();
        Ok(Self { reader, cells, entries: &plan.entries, release, form, counts })
    }

    fn run(
        mut self,
        as_needed: Vec<bool>,
        out: &mut (dyn Write + Send),
    ) -> Result<RewriteCounts, Diagnostic> {
        let mut put = |bytes: &[u8]| out.write_all(bytes).map_err(|error| unwritable(&error));
        put(&header_of(&self.reader, &self.form, self.release))?;
        self.form.quote_as_needed(as_needed);
        let whole_lines = self.release.drop.is_empty() && self.form.as_needed.is_empty();
        let mut buffer = Vec::new();
        let mut next = 0;
        while let Some(lines) = self.reader.next_lines()? {
            self.counts.records += lines.lines.len() as u64;
            if self.counts.records > self.cells.records {
                return Err(changed_meanwhile());
            }
            let mut writing =
                Writing { entries: self.entries, cells: self.cells, form: &self.form, next };
            let counts = &mut self.counts;
            match whole_lines {
                true => writing.copy(&lines, &mut buffer, counts),
                false => writing.write(&lines, &mut buffer, counts),
            }
            next = writing.next;
            put(&buffer)?;
            buffer.clear();
        }
        if self.reader.digest().as_ref() != Some(&self.cells.digest) {
            return Err(changed_meanwhile());
        }
        if self.form.writes_epilogue() {
            put(self.reader.epilogue())?;
        }
        Ok(self.counts)
    }
}

/// All bytes before the first record, without the columns that are left out.
pub(crate) fn header_of(reader: &CsvReader, form: &Form, release: &ReleaseOptions) -> Vec<u8> {
    let preamble = reader.preamble();
    if release.drop.is_empty() {
        return preamble.to_vec();
    }
    let start = reader.header_start();
    let mut batch = Batch::default();
    let stop = scan(preamble, start, Tail::Nothing, form.delimiter, 1, &mut batch);
    assert_eq!(stop, Stop::Full, "the header was read before");
    let mut header = preamble[..start].to_vec();
    form.write_kept(preamble, &batch.fields, &mut header, |_| None);
    let last = batch.fields.last().expect("a header has a field");
    header.extend_from_slice(&preamble[last.end()..]);
    header
}

impl Form {
    pub(crate) fn new(reader: &CsvReader, release: &ReleaseOptions) -> Result<Self, Diagnostic> {
        let columns = reader.columns().len();
        let kept: Vec<bool> = (0..columns).map(|column| !release.drop.contains(&column)).collect();
        let mut runs: Vec<Range<usize>> = Vec::new();
        for column in (0..columns).filter(|&column| kept[column]) {
            match runs.last_mut() {
                Some(run) if run.end == column => run.end += 1,
                _ => runs.push(column..column + 1),
            }
        }
        if runs.is_empty() {
            return Err(changed_meanwhile());
        }
        let blanks = match kept.iter().filter(|kept| **kept).count() {
            1 if columns == 1 => Blanks::WithLineEnd,
            1 => Blanks::Nowhere,
            _ => Blanks::Anywhere,
        };
        Ok(Self { delimiter: reader.delimiter().byte(), runs, kept, blanks, as_needed: Vec::new() })
    }

    /// From here on writes the fields of these columns with quotes where they are needed.
    pub(crate) fn quote_as_needed(&mut self, columns: Vec<bool>) {
        if columns.iter().zip(&self.kept).any(|(asked, kept)| *asked && *kept) {
            self.as_needed = columns;
            // A field that loses its quotes must not become an empty line.
            if self.blanks == Blanks::WithLineEnd {
                self.blanks = Blanks::Nowhere;
            }
        }
    }

    /// Are the fields of this column written with quotes where they are needed?
    fn quotes_as_needed(&self, column: usize) -> bool {
        self.as_needed.get(column).is_some_and(|asked| *asked)
    }

    /// Adds a field of this column, given its raw bytes.
    #[inline]
    pub(crate) fn put(&self, column: usize, raw: &[u8], buffer: &mut Vec<u8>) {
        match self.quotes_as_needed(column) {
            true => put_as_needed(raw, self.delimiter, buffer),
            false => buffer.extend_from_slice(raw),
        }
    }

    /// Is this column written?
    pub(crate) fn keeps(&self, column: usize) -> bool {
        self.kept[column]
    }

    /// What is written between two cells.
    pub(crate) fn delimiter(&self) -> u8 {
        self.delimiter
    }

    /// May the empty lines after the last record stay?
    pub(crate) fn writes_epilogue(&self) -> bool {
        self.blanks != Blanks::Nowhere
    }

    /// Adds the kept cells of a record, those that `exchanged` gives instead of their own.
    #[inline]
    pub(crate) fn write_kept<'c>(
        &self,
        window: &[u8],
        fields: &[Span],
        buffer: &mut Vec<u8>,
        exchanged: impl Fn(usize) -> Option<&'c [u8]>,
    ) {
        for (number, run) in self.runs.iter().enumerate() {
            if number > 0 {
                buffer.push(self.delimiter);
            }
            let mut copied = fields[run.start].start();
            for column in run.clone() {
                let cell = exchanged(column);
                if cell.is_some() || self.quotes_as_needed(column) {
                    let field = &fields[column];
                    buffer.extend_from_slice(&window[copied..field.start()]);
                    self.put(column, cell.unwrap_or(field.raw(window)), buffer);
                    copied = field.end();
                }
            }
            buffer.extend_from_slice(&window[copied..fields[run.end - 1].end()]);
        }
    }

    /// Adds quotes after an empty record that would be no record without them.
    #[inline]
    pub(crate) fn mend_blank(&self, buffer: &mut Vec<u8>, record: &[u8], line_end: &[u8]) {
        let needs_quotes = match self.blanks {
            Blanks::Anywhere => false,
            Blanks::WithLineEnd => line_end.is_empty(),
            Blanks::Nowhere => true,
        };
        if needs_quotes && record.is_empty() {
            buffer.extend_from_slice(b"\"\"");
        }
    }
}

/// A batch of lines on its way to the output.
struct Writing<'a> {
    entries: &'a [Exchange],
    cells: &'a Cells,
    form: &'a Form,
    /// The entry of the next swapped record.
    next: usize,
}

impl Writing<'_> {
    /// Whole lines, whatever is not swapped at once.
    fn copy(&mut self, lines: &Lines<'_>, buffer: &mut Vec<u8>, counts: &mut RewriteCounts) {
        let window = lines.window;
        let behind = lines.first + lines.lines.len() as u64;
        let mut copied = lines.lines[0].start as usize;
        while let Some(exchange) = self.entries.get(self.next) {
            if u64::from(exchange.record.0) >= behind {
                break;
            }
            let fields = lines.fields_of(exchange.record);
            buffer.extend_from_slice(&window[copied..fields[0].start()]);
            self.record(window, fields, exchange.record.0.into(), buffer, counts);
            copied = fields[fields.len() - 1].end();
        }
        let last = lines.lines[lines.lines.len() - 1];
        buffer.extend_from_slice(&window[copied..last.next as usize]);
        let fields = lines.fields_at(lines.lines.len() - 1);
        let line_end = &window[fields[fields.len() - 1].end()..last.next as usize];
        if self.form.blanks == Blanks::WithLineEnd && line_end.is_empty() {
            // The only cell of the last line is all that comes after the last line end.
            let is_blank = buffer.last().is_none_or(|&byte| byte == b'\n');
            if is_blank {
                buffer.extend_from_slice(b"\"\"");
            }
        }
    }

    /// Line by line, without the columns that are left out.
    fn write(&mut self, lines: &Lines<'_>, buffer: &mut Vec<u8>, counts: &mut RewriteCounts) {
        for (position, line) in lines.lines.iter().enumerate() {
            let fields = lines.fields_at(position);
            let start = buffer.len();
            self.record(lines.window, fields, lines.first + position as u64, buffer, counts);
            let line_end = &lines.window[fields[fields.len() - 1].end()..line.next as usize];
            if buffer.len() == start {
                self.form.mend_blank(buffer, b"", line_end);
            }
            buffer.extend_from_slice(line_end);
        }
    }

    /// One record without its line end, swapped if it is.
    #[inline]
    fn record(
        &mut self,
        window: &[u8],
        fields: &[Span],
        number: u64,
        buffer: &mut Vec<u8>,
        counts: &mut RewriteCounts,
    ) {
        let exchange = match self.entries.get(self.next) {
            Some(exchange) if u64::from(exchange.record.0) == number => exchange,
            _ => return self.form.write_kept(window, fields, buffer, |_| None),
        };
        self.next += 1;
        let given = |nth: usize| {
            let giver = exchange.giver(nth);
            self.cells.raw(giver, self.entries[giver].place_of(exchange, nth))
        };
        self.form.write_kept(window, fields, buffer, |column| {
            exchange.exchanged.binary_search(&column).ok().map(given)
        });
        let changed = exchange.exchanged.iter().enumerate().filter(|&(nth, &column)| {
            let own = fields[column].raw(window);
            self.form.kept[column] && own != given(nth) && content_of(own) != content_of(given(nth))
        });
        let changed = changed.count() as u64;
        counts.cells_changed += changed;
        counts.records_changed += u64::from(changed > 0);
    }
}

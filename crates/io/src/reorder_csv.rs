//! A CSV file in a new order, with the swaps done: read once and held in memory.
//!
//! What is held of a record is, for each column, the number of its raw bytes among those that
//! occur in the column: a byte or two where a line has a hundred. A column in which nearly every
//! record has bytes of its own is held as it is.
//!
//! Line ends belong to places, not to records: the first line still ends as the first line
//! did, and a file without a last line end still has none.
//!
//! Nothing is written before the whole file was read and has the sum that it should have. Lines
//! are put together on all cores and written in their order.
//!
//! Way in: [`reorder`].

use std::io::Write;

use marginswap_core::columns::{Column, ColumnBuilder, ColumnPart};
use marginswap_core::diagnostic::Diagnostic;
use rayon::prelude::*;

use crate::atomic::unwritable;
use crate::csv::{CsvReader, Lines};
use crate::input_file::changed_meanwhile;
use crate::line_ends::{LineEnd, LineEnds};
use crate::pieces::{Found, Gather};
use crate::plan_file::stale;
use crate::quoting::differs_by_more_than_value;
use crate::rewrite::{Exchanges, ReleaseOptions, RewriteCounts, check_order};
use crate::rewrite_csv::{Form, Input, header_of, put_in_order};
use crate::scan::content_of;

/// How many lines are put together at once.
const AT_ONCE: usize = 1 << 11;

/// Fewer categories than this are numbered in any case.
const FEW: usize = 1 << 12;

/// Writes the file in this order.
pub(crate) fn reorder(
    input: &Input<'_>,
    plan: &Exchanges,
    release: &ReleaseOptions,
    order: &[u32],
    out: &mut (dyn Write + Send),
) -> Result<RewriteCounts, Diagnostic> {
    let mut reader = input.open()?;
    let mut form = Form::new(&reader, release)?;
    let mut holding = Holding::new(reader.columns().len(), |column| form.keeps(column));
    reader.gather(&mut holding)?;
    if input.expected.is_some_and(|expected| reader.digest().as_ref() != Some(expected)) {
        return Err(changed_meanwhile());
    }
    let records = holding.records as u64;
    if records == 0 {
        return Err(stale("the file has no records"));
    }
    plan.check_records(records)?;
    check_order(order, records)?;
    let mut held = holding.finish();
    let header = header_of(&reader, &form, release);
    form.quote_as_needed(held.differing_quotes(form.delimiter()));
    let counts = held.exchange(plan)?;
    let mut put = |bytes: &[u8]| out.write_all(bytes).map_err(|error| unwritable(&error));
    put(&header)?;
    held.write(order, &form, &mut put)?;
    if form.writes_epilogue() {
        put(reader.epilogue())?;
    }
    Ok(RewriteCounts { records, ..counts })
}

/// For each column: do its quotes tell more than its values? Of these columns alone, the others
/// have quotes everywhere or nowhere.
pub(crate) fn differing_quotes(
    mut reader: CsvReader,
    of: &[bool],
) -> Result<Vec<bool>, Diagnostic> {
    let mut holding = Holding::new(of.len(), |column| of[column]);
    reader.gather(&mut holding)?;
    Ok(holding.finish().differing_quotes(reader.delimiter().byte()))
}

/// A file that is being read.
struct Holding {
    /// The columns that are asked for.
    columns: Vec<Option<Raw<ColumnBuilder>>>,
    line_ends: LineEnds,
    records: usize,
}

/// The raw bytes of a column, record by record.
enum Raw<C> {
    /// Numbered.
    Coded(C),
    /// As they are.
    Plain(Plain),
}

/// A column as it is.
#[derive(Default)]
struct Plain {
    bytes: Vec<u8>,
    /// Where the cell of each record is.
    places: Vec<(usize, u32)>,
}

impl Plain {
    fn push(&mut self, cell: &[u8]) {
        self.places.push((self.bytes.len(), length(cell.len())));
        self.bytes.extend_from_slice(cell);
    }

    fn get(&self, record: usize) -> &[u8] {
        let (start, length) = self.places[record];
        &self.bytes[start..start + length as usize]
    }
}

/// A piece of the file.
struct Part {
    columns: Vec<Option<Raw<ColumnPart>>>,
    line_ends: LineEnds,
}

impl Holding {
    fn new(columns: usize, holds: impl Fn(usize) -> bool) -> Self {
        let column = |column| holds(column).then(|| Raw::Coded(ColumnBuilder::default()));
        Self {
            columns: (0..columns).map(column).collect(),
            line_ends: LineEnds::default(),
            records: 0,
        }
    }

    fn finish(self) -> Held {
        let columns = self.columns.into_iter();
        let columns = columns.map(|column| {
            Some(match column? {
                Raw::Coded(column) => Raw::Coded(column.finish()),
                Raw::Plain(plain) => Raw::Plain(plain),
            })
        });
        Held { columns: columns.collect(), line_ends: self.line_ends }
    }
}

impl Gather for Holding {
    type Part = Part;

    fn begin(&self) -> Part {
        let columns = self.columns.iter().map(|column| {
            Some(match column.as_ref()? {
                Raw::Coded(column) => Raw::Coded(column.part()),
                Raw::Plain(_) => Raw::Plain(Plain::default()),
            })
        });
        Part { columns: columns.collect(), line_ends: LineEnds::default() }
    }

    fn lines(&self, part: &mut Part, lines: &Lines<'_>) {
        let (width, window) = (self.columns.len(), lines.window);
        for (position, (column, part)) in self.columns.iter().zip(&mut part.columns).enumerate() {
            let fields = lines.fields[position..].iter().step_by(width);
            match (column, part) {
                (Some(Raw::Coded(column)), Some(Raw::Coded(part))) => fields
                    .for_each(|span| column.push_beside(part, window, span.start()..span.end())),
                (_, Some(Raw::Plain(part))) => fields.for_each(|span| part.push(span.raw(window))),
                _ => {}
            }
        }
        for (line, fields) in lines.lines.iter().zip(lines.fields.chunks_exact(width)) {
            let end = fields[width - 1].end();
            part.line_ends.push(LineEnd::of_length(line.next as usize - end));
        }
    }

    fn take(&mut self, part: Part, _: &[u8], found: &Found) {
        for (column, part) in self.columns.iter_mut().zip(part.columns) {
            match (column, part) {
                (Some(Raw::Coded(column)), Some(Raw::Coded(part))) => column.append(part),
                (Some(Raw::Plain(plain)), Some(Raw::Plain(part))) => {
                    let before = plain.bytes.len();
                    plain.bytes.extend_from_slice(&part.bytes);
                    let places = part.places.iter();
                    plain.places.extend(places.map(|&(start, length)| (before + start, length)));
                }
                (None, None) => {}
                _ => unreachable!("a part is begun as its column is held"),
            }
        }
        self.line_ends.append(&part.line_ends);
        self.records += usize::try_from(found.records).expect("the records are in memory");
    }

    /// Numbers are of no use where nearly every record has one of its own.
    fn settle(&mut self) {
        for column in self.columns.iter_mut().flatten() {
            let Raw::Coded(coded) = column else { continue };
            if coded.levels() >= FEW && coded.levels() * 4 > self.records {
                let coded = std::mem::take(coded).finish();
                let mut plain = Plain::default();
                coded.for_each_code(|_, code| plain.push(category(&coded, code)));
                *column = Raw::Plain(plain);
            }
        }
    }
}

/// The bytes that a number means.
fn category(column: &Column, code: u32) -> &[u8] {
    column.dictionary().category(code).expect("a CSV file has no null")
}

/// A file that was read.
struct Held {
    columns: Vec<Option<Raw<Column>>>,
    line_ends: LineEnds,
}

impl Held {
    /// For each column: do its quotes tell more than its values?
    fn differing_quotes(&self, delimiter: u8) -> Vec<bool> {
        let differs = |column: &Option<Raw<Column>>| match column {
            None => false,
            Some(Raw::Coded(column)) => {
                let levels = 0..column.dictionary().levels();
                let codes = levels.map(|code| u32::try_from(code).expect("a code has 32 bits"));
                differs_by_more_than_value(codes.map(|code| category(column, code)), delimiter)
            }
            Some(Raw::Plain(plain)) => {
                let records = 0..plain.places.len();
                differs_by_more_than_value(records.map(|record| plain.get(record)), delimiter)
            }
        };
        self.columns.par_iter().map(differs).collect()
    }

    /// Gives every swapped record the cells that it gets; counts what is another category then.
    fn exchange(&mut self, plan: &Exchanges) -> Result<RewriteCounts, Diagnostic> {
        let mut takes: Vec<Vec<(usize, usize)>> = vec![Vec::new(); self.columns.len()];
        let mut counts = RewriteCounts::default();
        for entry in &plan.entries {
            let (record, mut changed) = (entry.record.position(), 0);
            for (nth, &column) in entry.exchanged.iter().enumerate() {
                let Some(held) = self.columns.get(column).ok_or_else(changed_meanwhile)? else {
                    continue;
                };
                let giver = plan.entries[entry.giver(nth)].record.position();
                changed += u64::from(held.differs(record, giver));
                takes[column].push((record, giver));
            }
            counts.cells_changed += changed;
            counts.records_changed += u64::from(changed > 0);
        }
        for (column, takes) in self.columns.iter_mut().zip(takes) {
            match column {
                Some(Raw::Coded(coded)) => *coded = std::mem::take(coded).exchanged(&takes),
                Some(Raw::Plain(plain)) => {
                    let taken: Vec<(usize, u32)> =
                        takes.iter().map(|&(_, giver)| plain.places[giver]).collect();
                    for (&(record, _), place) in takes.iter().zip(taken) {
                        plain.places[record] = place;
                    }
                }
                None => {}
            }
        }
        Ok(counts)
    }

    /// Writes the records in an order, with the line ends of their places.
    fn write(
        &self,
        order: &[u32],
        form: &Form,
        put: &mut (impl FnMut(&[u8]) -> Result<(), Diagnostic> + Send),
    ) -> Result<(), Diagnostic> {
        put_in_order(order, AT_ONCE, |records, place| self.lines(records, place, form), put)
    }

    /// The lines of some records, the first of which comes to this place.
    fn lines(&self, records: &[u32], place: usize, form: &Form) -> Vec<u8> {
        let kept: Vec<(usize, &Raw<Column>)> = (0..)
            .zip(&self.columns)
            .filter_map(|(position, column)| Some((position, column.as_ref()?)))
            .collect();
        // One column after the other: the waiting times for the cells of many records fall
        // together.
        let codes: Vec<Vec<u32>> = kept
            .iter()
            .map(|(_, column)| match column {
                Raw::Coded(column) => {
                    records.iter().map(|&record| column.code(record as usize)).collect()
                }
                Raw::Plain(_) => Vec::new(),
            })
            .collect();
        let mut buffer = Vec::new();
        let mut line_ends = self.line_ends.from(place);
        for (nth, &record) in records.iter().enumerate() {
            let start = buffer.len();
            for (number, ((position, column), codes)) in kept.iter().zip(&codes).enumerate() {
                if number > 0 {
                    buffer.push(form.delimiter());
                }
                let raw = match column {
                    Raw::Coded(column) => category(column, codes[nth]),
                    Raw::Plain(plain) => plain.get(record as usize),
                };
                form.put(*position, raw, &mut buffer);
            }
            let line_end = line_ends.next().expect("every place has a line end").bytes();
            if buffer.len() == start {
                form.mend_blank(&mut buffer, b"", line_end);
            }
            buffer.extend_from_slice(line_end);
        }
        buffer
    }
}

impl Raw<Column> {
    /// Do two records have other categories, however these are quoted?
    fn differs(&self, one: usize, other: usize) -> bool {
        let [one, other] = match self {
            Self::Coded(column) => [one, other].map(|record| category(column, column.code(record))),
            Self::Plain(plain) => [one, other].map(|record| plain.get(record)),
        };
        one != other && content_of(one) != content_of(other)
    }
}

fn length(bytes: usize) -> u32 {
    u32::try_from(bytes).expect("a line is shorter than 2^32 bytes")
}

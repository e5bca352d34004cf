//! A CSV file in a new order, with the swaps done: read once and held in memory.
//!
//! Line ends belong to places, not to records: the first line still ends as the first line
//! did, and a file without a last line end still has none.
//!
//! Nothing is written before the whole file was read and has the sum that it should have.
//!
//! Trap: records are fetched from all over the memory. Each is touched a little before it is
//! copied, so that the waiting times of many fall together.
//!
//! Way in: [`reorder`].

use std::hint::black_box;
use std::io::Write;

use marginswap_core::diagnostic::Diagnostic;

use crate::atomic::unwritable;
use crate::csv::Lines;
use crate::input_file::changed_meanwhile;
use crate::plan_file::stale;
use crate::rewrite::{Exchanges, ReleaseOptions, RewriteCounts, check_order};
use crate::rewrite_csv::{Form, Input, header_of};
use crate::scan::content_of;

/// So many records are touched before the first of them is copied.
const AHEAD: usize = 64;

/// Bytes are written in pieces of about this length.
const PIECE: usize = 1 << 16;

/// Writes the file in this order.
pub(crate) fn reorder(
    input: &Input<'_>,
    plan: &Exchanges,
    release: &ReleaseOptions,
    order: &[u32],
    out: &mut dyn Write,
) -> Result<RewriteCounts, Diagnostic> {
    let mut reader = input.open()?;
    let form = Form::new(&reader, release)?;
    let columns = reader.columns().len();
    let mut held = Held::default();
    let mut swapped = Swapped { bytes: Vec::new(), ends: Vec::new(), columns };
    while let Some(lines) = reader.next_lines()? {
        held.take(&lines, &form, plan, &mut swapped);
    }
    let records = held.starts.len() as u64;
    if input.expected.is_some_and(|expected| reader.digest().as_ref() != Some(expected)) {
        return Err(changed_meanwhile());
    }
    if records == 0 {
        return Err(stale("the file has no records"));
    }
    plan.check_records(records)?;
    check_order(order, records)?;
    let mut counts = RewriteCounts { records, ..RewriteCounts::default() };
    for entry in 0..plan.entries.len() {
        held.exchange(entry, plan, &swapped, &form, &mut counts);
    }
    let mut put = |bytes: &[u8]| out.write_all(bytes).map_err(|error| unwritable(&error));
    put(&header_of(&reader, &form, release))?;
    held.write(order, &form, &mut put)?;
    if form.writes_epilogue() {
        put(reader.epilogue())?;
    }
    Ok(counts)
}

/// All cells of the swapped records, as they stand in the file.
struct Swapped {
    bytes: Vec<u8>,
    /// Where each cell ends, record by record.
    ends: Vec<usize>,
    columns: usize,
}

impl Swapped {
    /// The cell of the record of an entry in one column.
    fn raw(&self, entry: usize, column: usize) -> &[u8] {
        let cell = entry * self.columns + column;
        let start = if cell == 0 { 0 } else { self.ends[cell - 1] };
        &self.bytes[start..self.ends[cell]]
    }
}

/// All records without their line ends, and the line ends.
#[derive(Default)]
struct Held {
    bytes: Vec<u8>,
    /// Where each record begins, and how long it is.
    starts: Vec<usize>,
    lengths: Vec<u32>,
    line_ends: Vec<LineEnd>,
    /// How many entries of the plan were met.
    met: usize,
}

impl Held {
    /// Holds some lines; those that are swapped are put together later.
    fn take(&mut self, lines: &Lines<'_>, form: &Form, plan: &Exchanges, swapped: &mut Swapped) {
        for (position, line) in lines.lines.iter().enumerate() {
            let fields = lines.fields_at(position);
            let number = lines.first + position as u64;
            let start = self.bytes.len();
            let entry = plan.entries.get(self.met);
            if entry.is_some_and(|exchange| u64::from(exchange.record.0) == number) {
                self.met += 1;
                for field in fields {
                    swapped.bytes.extend_from_slice(field.raw(lines.window));
                    swapped.ends.push(swapped.bytes.len());
                }
            } else {
                form.write_kept(lines.window, fields, &mut self.bytes, |_| None);
            }
            self.starts.push(start);
            self.lengths.push(length(self.bytes.len() - start));
            let behind = line.next as usize - fields[fields.len() - 1].end();
            self.line_ends.push(LineEnd::of_length(behind));
        }
    }

    /// Puts the record of an entry together, from its own cells and those it gets.
    fn exchange(
        &mut self,
        entry: usize,
        plan: &Exchanges,
        swapped: &Swapped,
        form: &Form,
        counts: &mut RewriteCounts,
    ) {
        let exchange = &plan.entries[entry];
        let start = self.bytes.len();
        let (mut changed, mut is_first) = (0, true);
        for column in (0..swapped.columns).filter(|&column| form.keeps(column)) {
            let own = swapped.raw(entry, column);
            let cell = match exchange.exchanged.binary_search(&column) {
                Ok(nth) => swapped.raw(exchange.giver(nth), column),
                Err(_) => own,
            };
            changed += u64::from(own != cell && content_of(own) != content_of(cell));
            if !is_first {
                self.bytes.push(form.delimiter());
            }
            is_first = false;
            self.bytes.extend_from_slice(cell);
        }
        counts.cells_changed += changed;
        counts.records_changed += u64::from(changed > 0);
        let record = exchange.record.position();
        self.starts[record] = start;
        self.lengths[record] = length(self.bytes.len() - start);
    }

    fn record(&self, record: u32) -> &[u8] {
        let record = record as usize;
        let start = self.starts[record];
        &self.bytes[start..start + self.lengths[record] as usize]
    }

    /// Writes the records in an order, with the line ends of their places.
    fn write(
        &self,
        order: &[u32],
        form: &Form,
        put: &mut impl FnMut(&[u8]) -> Result<(), Diagnostic>,
    ) -> Result<(), Diagnostic> {
        let mut buffer = Vec::with_capacity(PIECE + (1 << 12));
        let places = order.chunks(AHEAD).zip(self.line_ends.chunks(AHEAD));
        for (records, line_ends) in places {
            let first = |&record: &u32| self.record(record).first().copied().unwrap_or(0);
            black_box(records.iter().fold(0u8, |all, record| all ^ first(record)));
            for (&record, line_end) in records.iter().zip(line_ends) {
                let bytes = self.record(record);
                buffer.extend_from_slice(bytes);
                form.mend_blank(&mut buffer, bytes, line_end.bytes());
                buffer.extend_from_slice(line_end.bytes());
            }
            if buffer.len() > PIECE {
                put(&buffer)?;
                buffer.clear();
            }
        }
        put(&buffer)
    }
}

fn length(bytes: usize) -> u32 {
    u32::try_from(bytes).expect("a line is shorter than 2^32 bytes")
}

/// How a line ends.
#[derive(Clone, Copy)]
enum LineEnd {
    Nothing,
    Lf,
    CrLf,
}

impl LineEnd {
    fn of_length(length: usize) -> Self {
        match length {
            0 => Self::Nothing,
            1 => Self::Lf,
            _ => Self::CrLf,
        }
    }

    fn bytes(self) -> &'static [u8] {
        match self {
            Self::Nothing => b"",
            Self::Lf => b"\n",
            Self::CrLf => b"\r\n",
        }
    }
}

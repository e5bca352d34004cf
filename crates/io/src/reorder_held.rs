//! A CSV file in a new order, with the swaps done, from its columns in memory.
//!
//! What was read to plan on is what is written: the file is read once more for its sum alone, on
//! a thread of its own. Where not every released column is in memory, or some fields of one are
//! quoted and others are not, `reorder_csv` reads the file again instead.
//!
//! Records come in random order, so every look at one waits for memory. The packed record is
//! looked at once for all its columns; those that it does not hold are looked up one by one.
//!
//! Law: `held-columns-release-the-same-bytes`.
//!
//! Way in: [`reorder_held`].

use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};

use marginswap_core::columns::Column;
use marginswap_core::diagnostic::Diagnostic;
use marginswap_core::encode::Records;

use crate::as_written::{AsWritten, Quotes, write_field};
use crate::atomic::unwritable;
use crate::input_file::changed_meanwhile;
use crate::rewrite::{Exchanges, ReleaseOptions, RewriteCounts, check_order};
use crate::rewrite_csv::{Form, Input, header_of, put_in_order};

/// How many lines are put together at once.
const AT_ONCE: usize = 1 << 10;

/// A field of up to this many bytes, the delimiter before it included, is copied without a look at
/// its length.
const SHORT: usize = 16;

/// Columns with more categories than this are written without a list of their fields.
const FEW: usize = 1 << 16;

/// A file that was read, as it is in memory.
#[derive(Debug, Clone, Copy)]
pub struct Held<'a> {
    /// Its columns; `None` for one that was not read.
    pub columns: &'a [Option<Column>],
    /// Its records, packed.
    pub records: &'a Records,
    /// For each column the variable of the packed records that holds its codes as they are.
    pub variables: &'a [Option<usize>],
    /// How the file writes them.
    pub written: &'a AsWritten,
}

impl Held<'_> {
    /// Does this tell the raw bytes of every column that is released?
    #[must_use]
    pub fn tells(&self, release: &ReleaseOptions) -> bool {
        let known = |column: usize| {
            let quotes = self.written.quotes(column);
            self.columns[column].is_some() && matches!(quotes, Quotes::Never | Quotes::Always)
        };
        let mut kept = (0..self.written.columns()).filter(|column| !release.drop.contains(column));
        release.households.is_none() && release.then.is_none() && kept.all(known)
    }
}

/// Writes the file in this order.
pub(crate) fn reorder_held(
    input: &Input<'_>,
    held: &Held<'_>,
    plan: &Exchanges,
    release: &ReleaseOptions,
    order: &[u32],
    out: &mut (dyn Write + Send),
) -> Result<RewriteCounts, Diagnostic> {
    // Its header alone is read here.
    let reader = input.open()?;
    let form = Form::new(&reader, release)?;
    if reader.columns().len() != held.written.columns() {
        return Err(changed_meanwhile());
    }
    let records = held.records.len() as u64;
    plan.check_records(records)?;
    check_order(order, records)?;
    let lines = Lines::new(held, plan, &form);
    let header = header_of(&reader, &form, release);
    let mut put = |bytes: &[u8]| out.write_all(bytes).map_err(|error| unwritable(&error));
    let (written, sum) = rayon::join(
        || {
            put(&header)?;
            lines.write(order, &mut put)?;
            match form.writes_epilogue() {
                true => put(&held.written.epilogue),
                false => Ok(()),
            }
        },
        || input.expected.map(|expected| input.file.digest().as_ref() == Ok(expected)),
    );
    written?;
    match sum {
        Some(false) => Err(changed_meanwhile()),
        _ => Ok(lines.counts()),
    }
}

/// What lines are put together from.
struct Lines<'a> {
    held: &'a Held<'a>,
    plan: &'a Exchanges,
    form: &'a Form,
    /// The columns that are written.
    fields: Vec<Fields<'a>>,
    /// For each column of the file its place among these.
    place: Vec<Option<usize>>,
    /// For each record a bit: is it swapped? And for each word of them, how many are before it.
    swapped: Vec<(u64, u32)>,
    /// How many records and cells that were written have another category than before.
    changed: [AtomicU64; 2],
}

/// The fields of one column, by code.
struct Fields<'a> {
    column: &'a Column,
    variable: Option<usize>,
    quotes: Quotes,
    /// What comes before the field.
    delimiter: Option<u8>,
    /// The short ones, each with its delimiter and its length; 0 for a longer one.
    short: Vec<([u8; SHORT], usize)>,
}

impl<'a> Fields<'a> {
    fn new(held: &'a Held<'a>, column: usize, delimiter: Option<u8>) -> Self {
        let quotes = held.written.quotes(column);
        let variable = held.variables.get(column).copied().flatten();
        let column = held.columns[column].as_ref().expect("a released column is in memory");
        let mut fields = Self { column, variable, quotes, delimiter, short: Vec::new() };
        let levels = u32::try_from(column.dictionary().levels()).unwrap_or(u32::MAX);
        if levels as usize <= FEW {
            let mut field = Vec::new();
            fields.short = (0..levels)
                .map(|code| {
                    field.clear();
                    fields.put_long(code, &mut field);
                    let mut bytes = [0; SHORT];
                    let length = field.len();
                    if length <= SHORT {
                        bytes[..length].copy_from_slice(&field);
                        (bytes, length)
                    } else {
                        (bytes, 0)
                    }
                })
                .collect();
        }
        fields
    }

    /// Adds the field of a code, with its delimiter.
    #[inline]
    fn put(&self, code: u32, out: &mut Vec<u8>) {
        match self.short.get(code as usize) {
            Some((bytes, length)) if *length > 0 => {
                out.extend_from_slice(bytes);
                out.truncate(out.len() - (SHORT - length));
            }
            _ => self.put_long(code, out),
        }
    }

    fn put_long(&self, code: u32, out: &mut Vec<u8>) {
        out.extend(self.delimiter);
        let category = self.column.dictionary().category(code);
        write_field(category.expect("a CSV file has no null"), self.quotes, out);
    }
}

impl<'a> Lines<'a> {
    fn new(held: &'a Held<'a>, plan: &'a Exchanges, form: &'a Form) -> Self {
        let mut fields: Vec<Fields<'a>> = Vec::new();
        let mut place = vec![None; held.written.columns()];
        for (column, place) in place.iter_mut().enumerate().filter(|(one, _)| form.keeps(*one)) {
            *place = Some(fields.len());
            let delimiter = (!fields.is_empty()).then(|| form.delimiter());
            fields.push(Fields::new(held, column, delimiter));
        }
        let mut swapped = vec![(0u64, 0u32); held.records.len().div_ceil(64)];
        for entry in &plan.entries {
            let record = entry.record.position();
            swapped[record / 64].0 |= 1 << (record % 64);
        }
        let mut before = 0;
        for (bits, rank) in &mut swapped {
            *rank = before;
            before += bits.count_ones();
        }
        let changed = [AtomicU64::new(0), AtomicU64::new(0)];
        Self { held, plan, form, fields, place, swapped, changed }
    }

    /// What was written.
    fn counts(&self) -> RewriteCounts {
        let [records_changed, cells_changed] =
            self.changed.each_ref().map(|changed| changed.load(Ordering::Relaxed));
        RewriteCounts { records: self.held.records.len() as u64, records_changed, cells_changed }
    }

    /// The record of an entry.
    fn giver(&self, entry: usize) -> usize {
        self.plan.entries[entry].record.position()
    }

    /// Writes the records in an order, with the line ends of their places.
    fn write(
        &self,
        order: &[u32],
        put: &mut (impl FnMut(&[u8]) -> Result<(), Diagnostic> + Send),
    ) -> Result<(), Diagnostic> {
        put_in_order(order, AT_ONCE, |records, place| self.lines(records, place), put)
    }

    /// The lines of some records, the first of which comes to this place.
    fn lines(&self, records: &[u32], place: usize) -> Vec<u8> {
        let codes = self.codes(records);
        let mut buffer = Vec::with_capacity(records.len() * SHORT / 2 * self.fields.len());
        let mut line_ends = self.held.written.line_ends.from(place);
        for nth in 0..records.len() {
            let start = buffer.len();
            for (fields, codes) in self.fields.iter().zip(&codes) {
                fields.put(codes[nth], &mut buffer);
            }
            let line_end = line_ends.next().expect("every place has a line end").bytes();
            if buffer.len() == start {
                self.form.mend_blank(&mut buffer, b"", line_end);
            }
            buffer.extend_from_slice(line_end);
        }
        buffer
    }

    /// The codes of some records after the swaps, column by column. What is another category than
    /// before is counted.
    fn codes(&self, records: &[u32]) -> Vec<Vec<u32>> {
        let packed = self.held.records.reordered(records);
        let cells = packed.cells();
        let layout = cells.layout();
        let mut codes: Vec<Vec<u32>> = self
            .fields
            .iter()
            .map(|fields| match fields.variable {
                Some(variable) => cells.iter().map(|cell| layout.code(cell, variable)).collect(),
                None => records.iter().map(|&one| fields.column.code(one as usize)).collect(),
            })
            .collect();
        let mut changed = [0, 0];
        for (nth, &record) in records.iter().enumerate() {
            // Entries come by rising record, one for each.
            let (bits, rank) = self.swapped[record as usize / 64];
            let bit = 1u64 << (record % 64);
            if bits & bit == 0 {
                continue;
            }
            let entry = &self.plan.entries[(rank + (bits & (bit - 1)).count_ones()) as usize];
            let before = changed[1];
            for (place, &column) in entry.exchanged.iter().enumerate() {
                if let Some(field) = self.place[column] {
                    let giver = self.giver(entry.giver(place));
                    let code = self.fields[field].column.code(giver);
                    let old = std::mem::replace(&mut codes[field][nth], code);
                    changed[1] += u64::from(old != code);
                }
            }
            changed[0] += u64::from(changed[1] > before);
        }
        for (all, changed) in self.changed.iter().zip(changed) {
            all.fetch_add(changed, Ordering::Relaxed);
        }
        codes
    }
}

//! A file of records of one width once more, with the swaps done.
//!
//! In the order of the input the file is read twice, first for the cells of the swapped records
//! alone, so memory follows the swaps. With a new order all records are held in memory, without the
//! columns that are left out.
//!
//! Law: `moved-cells-and-no-other-byte`: in the order of the input and with no column left out, a
//! file differs from its input in exchanged cells and in the list of columns it claims to be
//! sorted by.

use std::io::Write;
use std::ops::Range;

use marginswap_core::diagnostic::Diagnostic;

use super::{Change, RowFile, RowWriter};
use crate::input_file::changed_meanwhile;
use crate::rewrite::{Exchanges, ReleaseOptions, RewriteCounts, check_order};
use crate::rewrite_csv::put_in_order;

/// How many bytes of records each thread puts together before they are written.
const PIECE: usize = 1 << 16;

/// Writes the file with the swaps done.
pub(crate) fn rewrite(
    rows: &RowFile,
    plan: &Exchanges,
    release: &ReleaseOptions,
    out: &mut (dyn Write + Send),
) -> Result<RewriteCounts, Diagnostic> {
    let columns = rows.names.len();
    let kept: Vec<usize> = (0..columns).filter(|column| !release.drop.contains(column)).collect();
    let mut exchanged = vec![false; columns];
    for entry in &plan.entries {
        entry.exchanged.iter().for_each(|&column| exchanged[column] = true);
    }
    let form = Form::new(rows, &kept);
    let loaded = load(rows, plan, &form, release.order.is_some())?;
    let reordered = release.order.is_some();
    let change = Change { kept, exchanged, reordered };
    let mut counts = RewriteCounts { records: loaded.records, ..RewriteCounts::default() };
    let mut writer = rows.layout.writer(rows, &change, out)?;
    match &release.order {
        Some(order) => {
            check_order(order, loaded.records)?;
            write_reordered(rows, plan, &form, loaded, order, &mut *writer, &mut counts)?;
        }
        None => write_in_place(rows, plan, &form, &loaded, &mut *writer, &mut counts)?,
    }
    writer.finish()?;
    rows.file.check_unchanged()?;
    Ok(counts)
}

/// Where cells lie in the records of the new file.
struct Form {
    /// The bytes of a record of the input that are written.
    runs: Vec<Range<usize>>,
    /// For each column its new place.
    spans: Vec<Option<Range<usize>>>,
    width: usize,
}

impl Form {
    fn new(rows: &RowFile, kept: &[usize]) -> Self {
        let mut is_written = vec![true; rows.width];
        for (column, field) in rows.fields.iter().enumerate() {
            if kept.binary_search(&column).is_err() {
                is_written[field.span.clone()].fill(false);
            }
        }
        let mut runs: Vec<Range<usize>> = Vec::new();
        let mut new_place = vec![0; rows.width + 1];
        for (byte, &written) in is_written.iter().enumerate() {
            new_place[byte + 1] = new_place[byte] + usize::from(written);
            match runs.last_mut() {
                _ if !written => {}
                Some(run) if run.end == byte => run.end += 1,
                _ => runs.push(byte..byte + 1),
            }
        }
        let mut spans = vec![None; rows.fields.len()];
        for &column in kept {
            let Range { start, end } = rows.fields[column].span;
            spans[column] = Some(new_place[start]..new_place[end]);
        }
        Self { runs, spans, width: new_place[rows.width] }
    }

    /// Adds what is written of some records.
    fn keep(&self, block: &[u8], width: usize, out: &mut Vec<u8>) {
        if self.width == width {
            return out.extend_from_slice(block);
        }
        for row in block.chunks_exact(width) {
            self.runs.iter().for_each(|run| out.extend_from_slice(&row[run.clone()]));
        }
    }
}

/// What was read before anything is written.
struct LoadedRows {
    records: u64,
    /// The records as they are written, where they are held.
    held: Vec<u8>,
    /// The cells of the swapped records that are exchanged.
    cells: Vec<u8>,
    /// Where the cells of each entry begin.
    first: Vec<usize>,
}

impl LoadedRows {
    /// The cell that an entry had in the nth of its columns.
    fn cell(&self, rows: &RowFile, plan: &Exchanges, entry: usize, nth: usize) -> &[u8] {
        let exchanged = &plan.entries[entry].exchanged;
        let before: usize = exchanged[..nth].iter().map(|&one| rows.fields[one].span.len()).sum();
        let start = self.first[entry] + before;
        &self.cells[start..start + rows.fields[exchanged[nth]].span.len()]
    }

    /// The cell that a record takes in the nth of its columns.
    fn given(&self, rows: &RowFile, plan: &Exchanges, entry: usize, nth: usize) -> &[u8] {
        let exchange = &plan.entries[entry];
        let giver = exchange.giver(nth);
        self.cell(rows, plan, giver, plan.entries[giver].place_of(exchange, nth))
    }
}

fn load(
    rows: &RowFile,
    plan: &Exchanges,
    form: &Form,
    holds: bool,
) -> Result<LoadedRows, Diagnostic> {
    let mut loaded =
        LoadedRows { records: 0, held: Vec::new(), cells: Vec::new(), first: Vec::new() };
    let mut entries = plan.entries.iter().peekable();
    let mut reading = rows.layout.rows(rows)?;
    let mut block = Vec::new();
    loop {
        block.clear();
        reading.next(&mut block)?;
        if block.is_empty() {
            break;
        }
        let before = loaded.records;
        loaded.records += (block.len() / rows.width) as u64;
        while let Some(entry) =
            entries.next_if(|entry| (entry.record.position() as u64) < loaded.records)
        {
            let row = entry.record.position() as u64 - before;
            let row = usize::try_from(row).expect("a block is short") * rows.width;
            loaded.first.push(loaded.cells.len());
            for &column in entry.exchanged.iter() {
                let Range { start, end } = rows.fields[column].span;
                loaded.cells.extend_from_slice(&block[row + start..row + end]);
            }
        }
        if holds {
            form.keep(&block, rows.width, &mut loaded.held);
        }
    }
    plan.check_records(loaded.records)?;
    Ok(loaded)
}

/// Puts the cells that an entry takes into its record, and counts what is another category then.
fn exchange(
    (rows, plan, form): (&RowFile, &Exchanges, &Form),
    loaded: &LoadedRows,
    entry: usize,
    row: &mut [u8],
    counts: &mut RewriteCounts,
) -> Result<(), Diagnostic> {
    let mut changed = 0;
    for (nth, &column) in plan.entries[entry].exchanged.iter().enumerate() {
        let Some(span) = &form.spans[column] else { continue };
        let given = loaded.given(rows, plan, entry, nth);
        let own = &mut row[span.clone()];
        if own != given {
            changed += u64::from(!says_the_same(rows, column, own, given)?);
            own.copy_from_slice(given);
        }
    }
    counts.cells_changed += changed;
    counts.records_changed += u64::from(changed > 0);
    Ok(())
}

fn says_the_same(
    rows: &RowFile,
    column: usize,
    one: &[u8],
    other: &[u8],
) -> Result<bool, Diagnostic> {
    let kind = &rows.fields[column].kind;
    if !kind.has_twins() {
        return Ok(false);
    }
    let said = |cell: &[u8]| match kind {
        super::kind::Kind::StataReference => rows.layout.long_text(rows, cell),
        kind => {
            let mut said = Vec::new();
            kind.say(cell, &mut said);
            Ok(said)
        }
    };
    Ok(said(one)? == said(other)?)
}

fn write_in_place(
    rows: &RowFile,
    plan: &Exchanges,
    form: &Form,
    loaded: &LoadedRows,
    writer: &mut (dyn RowWriter + Send),
    counts: &mut RewriteCounts,
) -> Result<(), Diagnostic> {
    let mut entries = plan.entries.iter().enumerate().peekable();
    let mut reading = rows.layout.rows(rows)?;
    let (mut block, mut written) = (Vec::new(), Vec::new());
    let mut records = 0u64;
    loop {
        block.clear();
        reading.next(&mut block)?;
        if block.is_empty() {
            break;
        }
        written.clear();
        form.keep(&block, rows.width, &mut written);
        let before = records;
        records += (block.len() / rows.width) as u64;
        while let Some((number, entry)) =
            entries.next_if(|(_, entry)| (entry.record.position() as u64) < records)
        {
            let row = entry.record.position() as u64 - before;
            let row = usize::try_from(row).expect("a block is short") * form.width;
            let row = &mut written[row..row + form.width];
            exchange((rows, plan, form), loaded, number, row, counts)?;
        }
        writer.put(&written)?;
    }
    match records == loaded.records {
        true => Ok(()),
        false => Err(changed_meanwhile()),
    }
}

fn write_reordered(
    rows: &RowFile,
    plan: &Exchanges,
    form: &Form,
    mut loaded: LoadedRows,
    order: &[u32],
    writer: &mut (dyn RowWriter + Send),
    counts: &mut RewriteCounts,
) -> Result<(), Diagnostic> {
    let width = form.width;
    let mut held = std::mem::take(&mut loaded.held);
    for (number, entry) in plan.entries.iter().enumerate() {
        let row = entry.record.position() * width;
        let row = &mut held[row..row + width];
        exchange((rows, plan, form), &loaded, number, row, counts)?;
    }
    let together = |records: &[u32], _| {
        let mut piece = Vec::with_capacity(records.len() * width);
        for &record in records {
            piece.extend_from_slice(&held[record as usize * width..][..width]);
        }
        piece
    };
    put_in_order(order, (PIECE / width).max(1), together, &mut |piece: &[u8]| writer.put(piece))
}

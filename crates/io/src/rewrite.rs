//! The input once more, with the swaps done.
//!
//! Nothing is decided here: the swaps and, for a release, the order of the records and the
//! columns to leave out are given. A CSV file keeps every byte that is not swapped, see
//! `rewrite_csv`; a Parquet file keeps its schema, its row groups and every column
//! that is not touched, see `rewrite_parquet`.
//!
//! A CSV file is read twice, first for the cells of the swapped records alone, so memory
//! follows the swaps and not the file. With a new order all records are held in memory.
//!
//! Trap: the input may change before or between the readings. Every reading goes through one
//! handle and must have the same sum, which [`rewrite_same`] is given by the caller who read
//! the file before; else the answer is [`Code::InputChanged`], and what was written so far
//! must be thrown away.
//!
//! Way in: [`rewrite_same`] or [`rewrite`], into a [`Staged`](crate::Staged) file.
//!
//! Laws: `no-swaps-no-change`; `a-swap-undoes-itself`: the same swaps done twice give the
//! file again; `the-swapped-file-has-the-swapped-codes`: read back, the file has the
//! categories of the input with those of the swaps exchanged, in the order and without the
//! columns as asked; `a-group-permutes-raw-cells`: a cell of a group has the raw bytes of the
//! record it comes from; `the-release-in-parquet-is-the-same`: the same records in Parquet and
//! in CSV, rewritten alike, have the same categories.

use std::io::Write;
use std::path::Path;

use crate::refusal::Code;
use marginswap_core::diagnostic::{Diagnostic, grouped};
use marginswap_core::encode::RecordId;
use marginswap_core::plan::Plan;

use crate::digest::FileDigest;
use crate::input_file::{InputFile, changed_meanwhile};
use crate::plan_file::stale;
use crate::rewrite_csv;
use crate::source::{Compression, Format, ReadOptions, Source};

/// What is done to the file for a release, beside the swaps.
#[derive(Debug, Clone, Default)]
pub struct ReleaseOptions {
    /// The new order: at each place, the record of the input that comes there.
    pub order: Option<Vec<u32>>,
    /// The positions of columns that are left out.
    pub drop: Vec<usize>,
    /// How a CSV file is packed; a Parquet file packs its columns as the input does.
    pub packing: Compression,
}

/// What was done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RewriteCounts {
    /// How many records the file has.
    pub records: u64,
    /// How many of them have another category than before in a column that is not left out.
    pub records_changed: u64,
    /// How many of their cells have another category than before.
    pub cells_changed: u64,
}

/// Writes the file at `source` with the swaps and groups of a plan done.
///
/// Law: `rewriting-is-applying`.
///
/// # Errors
/// A file that cannot be read; [`Code::StalePlan`] when it has not the records or columns
/// that the plan speaks of; [`Code::InputChanged`] when it changes meanwhile;
/// [`Code::Unwritable`] when `out` fails (naming no file;
/// [`Staged::fill`](crate::Staged::fill) adds it).
///
/// # Panics
/// When the order is no permutation, or no column is left.
pub fn rewrite(
    source: &Path,
    options: &ReadOptions,
    plan: &Plan,
    release: &ReleaseOptions,
    out: &mut (dyn Write + Send),
) -> Result<RewriteCounts, Diagnostic> {
    rewrite_file(&InputFile::open(source)?, None, options, plan, release, out)
}

/// As [`rewrite()`], for a file that is open and was read before: its bytes must still have
/// the sum that was taken then.
///
/// # Errors
/// As [`rewrite()`]; [`Code::InputChanged`] when the sum is another one, whatever else is
/// wrong with the file then.
///
/// # Panics
/// As [`rewrite()`].
pub fn rewrite_same(
    file: &InputFile,
    expected: &FileDigest,
    options: &ReadOptions,
    plan: &Plan,
    release: &ReleaseOptions,
    out: &mut (dyn Write + Send),
) -> Result<RewriteCounts, Diagnostic> {
    let written = rewrite_file(file, Some(expected), options, plan, release, out);
    written.map_err(|refusal| match (refusal.code, file.digest()) {
        (Code::Unwritable, _) => refusal,
        (_, Ok(digest)) if digest != *expected => changed_meanwhile().in_file(file.path()),
        _ => refusal,
    })
}

fn rewrite_file(
    file: &InputFile,
    expected: Option<&FileDigest>,
    options: &ReadOptions,
    plan: &Plan,
    release: &ReleaseOptions,
    out: &mut (dyn Write + Send),
) -> Result<RewriteCounts, Diagnostic> {
    let opened = Source::of(file, options)?;
    let columns = opened.columns().len();
    if plan.last_column().is_some_and(|last| last >= columns) {
        return Err(
            stale("the plan exchanges a column that the file does not have").in_file(file.path())
        );
    }
    let plan = Exchanges::new(plan);
    assert!((0..columns).any(|column| !release.drop.contains(&column)), "a column is left");
    let written = match opened.format() {
        Format::Csv { .. } => {
            let input = rewrite_csv::Input { file, options, expected };
            rewrite_csv::rewrite(&input, &plan, release, out)
        }
        #[cfg(feature = "parquet")]
        Format::Parquet => {
            let reader = opened.into_parquet().expect("its format was looked at");
            if expected.is_some_and(|expected| file.digest().as_ref() != Ok(expected)) {
                return Err(changed_meanwhile().in_file(file.path()));
            }
            crate::rewrite_parquet::rewrite(&reader, &plan, release, out)
        }
        #[cfg(not(feature = "parquet"))]
        Format::Parquet => unreachable!("a program without Parquet opens no Parquet file"),
        Format::Frame => unreachable!("a file that was opened is no frame"),
    };
    // A failure of the output is no business of the source.
    written.map_err(|refusal| match refusal.code {
        Code::Unwritable => refusal,
        _ => refusal.in_file(file.path()),
    })
}

/// The swaps, looked up by record.
pub(crate) struct Exchanges<'s> {
    /// One for each swapped record, by rising record.
    pub(crate) entries: Vec<Exchange<'s>>,
}

/// One record of a swap or a group.
pub(crate) struct Exchange<'s> {
    /// The record.
    pub(crate) record: RecordId,
    /// The columns; all records of a swap or group have the same.
    pub(crate) exchanged: &'s [usize],
    from: Givers,
}

/// Where the values come from, as places among the entries.
enum Givers {
    /// All from the other side of the swap.
    Partner(usize),
    /// For each column from a record of the group.
    Each(Vec<usize>),
}

impl Exchange<'_> {
    /// Where the record that gives the value of the nth column stands among the entries.
    pub(crate) fn giver(&self, nth: usize) -> usize {
        match &self.from {
            Givers::Partner(place) => *place,
            Givers::Each(places) => places[nth],
        }
    }
}

impl<'s> Exchanges<'s> {
    fn new(plan: &'s Plan) -> Self {
        let (swaps, groups) = (plan.swaps(), plan.groups());
        let mut sides: Vec<(RecordId, usize)> = swaps
            .iter()
            .enumerate()
            .flat_map(|(number, swap)| [(swap.left, 2 * number), (swap.right, 2 * number + 1)])
            .collect();
        // The records of groups are numbered behind those of the swaps.
        let mut members: Vec<(usize, usize)> = Vec::new();
        for (number, group) in groups.iter().enumerate() {
            for (place, &record) in group.records.iter().enumerate() {
                sides.push((record, 2 * swaps.len() + members.len()));
                members.push((number, place));
            }
        }
        sides.sort_unstable();
        let mut places = vec![0; sides.len()];
        for (place, &(_, side)) in sides.iter().enumerate() {
            places[side] = place;
        }
        let entries = sides
            .iter()
            .map(|&(record, side)| {
                let (exchanged, from) = match side.checked_sub(2 * swaps.len()) {
                    None => (&*swaps[side / 2].exchanged, Givers::Partner(places[side ^ 1])),
                    Some(member) => {
                        let (number, place) = members[member];
                        let group = &groups[number];
                        let first = side - place;
                        let giver = |from: &Vec<usize>| places[first + from[place]];
                        (&group.columns[..], Givers::Each(group.from.iter().map(giver).collect()))
                    }
                };
                Exchange { record, exchanged, from }
            })
            .collect();
        Self { entries }
    }

    /// Refuses a file of so many records, if the swaps speak of more.
    pub(crate) fn check_records(&self, records: u64) -> Result<(), Diagnostic> {
        match self.entries.last() {
            Some(last) if last.record.number() > records => Err(stale(format!(
                "the plan swaps record {}, the file has {} records",
                grouped(last.record.number()),
                grouped(records)
            ))),
            _ => Ok(()),
        }
    }
}

/// Refuses an order that is not one of so many records.
pub(crate) fn check_order(order: &[u32], records: u64) -> Result<(), Diagnostic> {
    if order.len() as u64 != records {
        return Err(stale(format!(
            "the new order is one of {} records, the file has {}",
            grouped(order.len() as u64),
            grouped(records)
        )));
    }
    let mut met = vec![false; order.len()];
    for &record in order {
        let met = met.get_mut(record as usize).expect("an order names records that are there");
        assert!(!*met, "an order names each record once");
        *met = true;
    }
    Ok(())
}

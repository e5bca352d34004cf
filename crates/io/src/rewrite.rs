//! The input once more, with the swaps done.
//!
//! Nothing is decided here: the swaps and, for a release, the order of the records and the
//! columns to leave out are given. A CSV file keeps every byte that is not swapped, see
//! `rewrite_csv`; a Parquet file keeps its schema, its row groups and every column
//! that is not touched, see `rewrite_parquet`.
//!
//! A CSV file is read twice, first for the cells of the swapped records alone, so memory
//! follows the swaps and not the file. With a new order all records are held in memory: those that
//! were read to plan on, where they tell the raw bytes of the file ([`rewrite_held`]).
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

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use crate::refusal::Code;
use marginswap_core::bucket_sort::bucket_sorted;
use marginswap_core::columns::Households;
use marginswap_core::diagnostic::{Diagnostic, grouped};
use marginswap_core::encode::RecordId;
use marginswap_core::plan::Plan;

use crate::digest::FileDigest;
use crate::input_file::{InputFile, changed_meanwhile};
use crate::plan_file::stale;
use crate::reorder_held::Held;
use crate::rewrite_csv;
use crate::source::{Compression, Format, ReadOptions, Source};

/// What is done to the file for a release, besides the swaps.
#[derive(Debug, Clone, Default)]
pub struct ReleaseOptions {
    /// The new order: at each place, the record of the input that comes there.
    pub order: Option<Vec<u32>>,
    /// The positions of columns that are left out.
    pub drop: Vec<usize>,
    /// How a CSV file is packed; a Parquet file packs its columns as the input does.
    pub packing: Compression,
    /// The households, where the plan speaks of them and not of single records: all lines of
    /// one take the values of the first line of another.
    pub households: Option<Arc<Households>>,
    /// The column that names the households, where they get each other's names; only together
    /// with a new order.
    pub renamed: Option<Renamed>,
    /// Where the plan speaks of households, the swaps and groups of single lines that follow, in
    /// other columns.
    pub then: Option<Plan>,
}

/// New names for households.
#[derive(Debug, Clone)]
pub struct Renamed {
    /// The position of the column that names them.
    pub column: usize,
    /// For each household, the one whose name it gets.
    pub from: Vec<u32>,
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
/// A file that cannot be read; [`Code::StalePlan`] when it does not have the records or columns
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
    rewrite_file(&InputFile::open(source)?, None, options, plan, (release, None), out)
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
    rewrite_expected(file, expected, options, plan, (release, None), out)
}

/// As [`rewrite_same`], for a file whose columns are still in memory: a CSV file in a new order is
/// written from them where they tell its raw bytes, and then read for its sum alone.
///
/// Law: `held-columns-release-the-same-bytes`.
///
/// # Errors
/// As [`rewrite_same`].
///
/// # Panics
/// As [`rewrite()`].
pub fn rewrite_held(
    file: &InputFile,
    expected: &FileDigest,
    options: &ReadOptions,
    plan: &Plan,
    (release, held): (&ReleaseOptions, &Held<'_>),
    out: &mut (dyn Write + Send),
) -> Result<RewriteCounts, Diagnostic> {
    rewrite_expected(file, expected, options, plan, (release, Some(held)), out)
}

fn rewrite_expected(
    file: &InputFile,
    expected: &FileDigest,
    options: &ReadOptions,
    plan: &Plan,
    release: (&ReleaseOptions, Option<&Held<'_>>),
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
    (release, held): (&ReleaseOptions, Option<&Held<'_>>),
    out: &mut (dyn Write + Send),
) -> Result<RewriteCounts, Diagnostic> {
    let opened = Source::of(file, options)?;
    let columns = opened.columns().len();
    let last = plan.last_column().max(release.then.as_ref().and_then(Plan::last_column));
    if last.is_some_and(|last| last >= columns) {
        return Err(
            stale("the plan exchanges a column that the file does not have").in_file(file.path())
        );
    }
    let plan = match &release.households {
        Some(households) => Exchanges::of_households(plan, households, release.renamed.as_ref())?,
        None => Exchanges::new(plan),
    };
    let plan = match &release.then {
        Some(then) => plan.beside(Exchanges::new(then)),
        None => plan,
    };
    assert!(
        release.renamed.is_none() || release.order.is_some(),
        "names are given out in a new order"
    );
    assert!((0..columns).any(|column| !release.drop.contains(&column)), "a column is left");
    let written = match opened.format() {
        Format::Csv { .. } => {
            let held = held.filter(|held| held.tells(release));
            let input = rewrite_csv::Input { file, options, expected, held };
            rewrite_csv::rewrite(&input, &plan, release, out)
        }
        #[cfg(feature = "parquet")]
        Format::Parquet => {
            let reader = opened.into_parquet().expect("its format was looked at");
            // The sum is taken during the writing; what was written counts only if it is the same.
            let (is_same, written) = rayon::join(
                || expected.is_none_or(|expected| file.digest().as_ref() == Ok(expected)),
                || crate::rewrite_parquet::rewrite(&reader, &plan, release, out),
            );
            match is_same {
                true => written,
                false => Err(changed_meanwhile()),
            }
        }
        #[cfg(not(feature = "parquet"))]
        Format::Parquet => unreachable!("a program without Parquet opens no Parquet file"),
        Format::Stata | Format::Spss | Format::SasTransport => {
            let rows = opened.into_rows().expect("its format was looked at");
            let (is_same, written) = rayon::join(
                || expected.is_none_or(|expected| file.digest().as_ref() == Ok(expected)),
                || crate::rows::rewrite::rewrite(&rows, &plan, release, out),
            );
            match is_same {
                true => written,
                false => Err(changed_meanwhile()),
            }
        }
        Format::Frame => unreachable!("a file that was opened is no frame"),
    };
    // A failure of the output is no business of the source.
    written.map_err(|refusal| match refusal.code {
        Code::Unwritable => refusal,
        _ => refusal.in_file(file.path()),
    })
}

/// The swaps, looked up by record.
pub(crate) struct Exchanges {
    /// One for each swapped record, by rising record.
    pub(crate) entries: Vec<Exchange>,
}

/// One record of a swap or a group.
pub(crate) struct Exchange {
    /// The record.
    pub(crate) record: RecordId,
    /// The columns; all records of a swap or group have the same, but for a new name.
    pub(crate) exchanged: Arc<[usize]>,
    from: Givers,
    /// Which of the columns holds a new name, and where that comes from.
    renamed: Option<(usize, usize)>,
}

/// Where the values come from, as places among the entries.
#[derive(Clone)]
enum Givers {
    /// All from the other side of the swap.
    Partner(usize),
    /// For each column from a record of the group.
    Each(Vec<usize>),
}

impl Exchange {
    /// The place among the entries of the record that gives the value of the nth column.
    pub(crate) fn giver(&self, nth: usize) -> usize {
        let before = match self.renamed {
            Some((name, place)) if name == nth => return place,
            Some((name, _)) => usize::from(name < nth),
            None => 0,
        };
        match &self.from {
            Givers::Partner(place) => *place,
            Givers::Each(places) => places[nth - before],
        }
    }
}

impl Exchange {
    /// Which of its columns is the nth of another one.
    pub(crate) fn place_of(&self, other: &Self, nth: usize) -> usize {
        if Arc::ptr_eq(&self.exchanged, &other.exchanged) {
            return nth;
        }
        let found = self.exchanged.binary_search(&other.exchanged[nth]);
        found.expect("a record gives what it takes itself")
    }

    /// The same among other entries, of which these are the places.
    fn with_places(mut self, places: &[usize]) -> Self {
        self.from = match self.from {
            Givers::Partner(place) => Givers::Partner(places[place]),
            Givers::Each(all) => Givers::Each(all.iter().map(|&place| places[place]).collect()),
        };
        self.renamed = self.renamed.map(|(nth, place)| (nth, places[place]));
        self
    }

    /// What the record takes here and there, in other columns.
    fn and(&self, other: &Self, sets: &mut BTreeMap<Vec<usize>, Arc<[usize]>>) -> Self {
        let takes = |one: &Self| {
            let columns = one.exchanged.iter().enumerate();
            columns.map(|(nth, &column)| (column, one.giver(nth))).collect::<Vec<_>>()
        };
        let mut all = [takes(self), takes(other)].concat();
        all.sort_unstable();
        let (columns, from): (Vec<usize>, Vec<usize>) = all.into_iter().unzip();
        assert!(columns.is_sorted_by(|one, next| one < next), "the columns are others");
        let set = sets.entry(columns).or_insert_with_key(|columns| columns.as_slice().into());
        let (record, exchanged) = (self.record, Arc::clone(set));
        Self { record, exchanged, from: Givers::Each(from), renamed: None }
    }
}

impl Exchanges {
    pub(crate) fn new(plan: &Plan) -> Self {
        let (swaps, groups) = (plan.swaps(), plan.groups());
        let mut sides: Vec<(RecordId, usize)> = swaps
            .iter()
            .enumerate()
            .flat_map(|(number, swap)| [(swap.left, 2 * number), (swap.right, 2 * number + 1)])
            .collect();
        // The records of groups are numbered after those of the swaps.
        let mut members: Vec<(usize, usize)> = Vec::new();
        for (number, group) in groups.iter().enumerate() {
            for (place, &record) in group.records.iter().enumerate() {
                sides.push((record, 2 * swaps.len() + members.len()));
                members.push((number, place));
            }
        }
        let sides = bucket_sorted(sides, |(record, _)| record.position() as u64);
        let mut places = vec![0; sides.len()];
        for (place, &(_, side)) in sides.iter().enumerate() {
            places[side] = place;
        }
        let of_groups: Vec<Arc<[usize]>> =
            groups.iter().map(|group| group.columns.as_slice().into()).collect();
        let entries = sides
            .iter()
            .map(|&(record, side)| {
                let (exchanged, from) = match side.checked_sub(2 * swaps.len()) {
                    None => {
                        (Arc::clone(&swaps[side / 2].exchanged), Givers::Partner(places[side ^ 1]))
                    }
                    Some(member) => {
                        let (number, place) = members[member];
                        let group = &groups[number];
                        let first = side - place;
                        let giver = |from: &Vec<usize>| places[first + from[place]];
                        let from = Givers::Each(group.from.iter().map(giver).collect());
                        (Arc::clone(&of_groups[number]), from)
                    }
                };
                Exchange { record, exchanged, from, renamed: None }
            })
            .collect();
        Self { entries }
    }

    /// The exchanges of lines that a plan for households makes: every line of a household takes
    /// what the first line of another one has.
    ///
    /// Law: `all-members-move-together`.
    fn of_households(
        plan: &Plan,
        households: &Households,
        renamed: Option<&Renamed>,
    ) -> Result<Self, Diagnostic> {
        let whole = Self::new(plan);
        whole.check_records(households.len() as u64)?;
        let mut lines: Vec<(u32, Option<usize>)> = Vec::new();
        let mut entry_of: Vec<Option<usize>> = vec![None; households.len()];
        for (entry, exchange) in whole.entries.iter().enumerate() {
            entry_of[exchange.record.position()] = Some(entry);
        }
        for (household, &entry) in entry_of.iter().enumerate() {
            if entry.is_some() || renamed.is_some() {
                lines.extend(households.members(household).iter().map(|&line| (line, entry)));
            }
        }
        lines.sort_unstable_by_key(|(line, _)| *line);
        let mut place_of = vec![0usize; households.lines()];
        for (place, &(line, _)) in lines.iter().enumerate() {
            place_of[line as usize] = place;
        }
        let first = |household: usize| place_of[households.first(household)];
        let giver = |entry: usize| first(whole.entries[entry].record.position());
        let mut merged: BTreeMap<Vec<usize>, Arc<[usize]>> = BTreeMap::new();
        let nothing: Arc<[usize]> = Arc::from([]);
        let entries = lines.iter().enumerate().map(|(own, &(line, entry))| {
            let (exchanged, from) = match entry.map(|entry| &whole.entries[entry]) {
                Some(exchange) => {
                    let from = match &exchange.from {
                        Givers::Partner(entry) => Givers::Partner(giver(*entry)),
                        Givers::Each(entries) => {
                            Givers::Each(entries.iter().map(|&entry| giver(entry)).collect())
                        }
                    };
                    (&exchange.exchanged, from)
                }
                None => (&nothing, Givers::Partner(own)),
            };
            let record = RecordId::at(line as usize);
            let Some(renamed) = renamed else {
                let exchanged = Arc::clone(exchanged);
                return Exchange { record, exchanged, from, renamed: None };
            };
            let nth = exchanged.partition_point(|&column| column < renamed.column);
            let name = first(renamed.from[households.of(line as usize)] as usize);
            let columns = merged.entry(exchanged.to_vec()).or_insert_with(|| {
                let (before, behind) = exchanged.split_at(nth);
                [before, &[renamed.column], behind].concat().into()
            });
            let exchanged = Arc::clone(columns);
            Exchange { record, exchanged, from, renamed: Some((nth, name)) }
        });
        Ok(Self { entries: entries.collect() })
    }

    /// These exchanges together with others in other columns.
    fn beside(self, other: Self) -> Self {
        let all = [self.entries, other.entries];
        let mut records: Vec<RecordId> = all.iter().flatten().map(|entry| entry.record).collect();
        records.sort_unstable();
        records.dedup();
        let place = |entry: &Exchange| {
            records.binary_search(&entry.record).expect("a record is one of all")
        };
        let places = [0, 1].map(|one| all[one].iter().map(place).collect::<Vec<usize>>());
        let mut joined: Vec<Option<Exchange>> = Vec::new();
        joined.resize_with(records.len(), || None);
        let mut sets: BTreeMap<Vec<usize>, Arc<[usize]>> = BTreeMap::new();
        for (entries, places) in all.into_iter().zip(&places) {
            for (entry, &at) in entries.into_iter().zip(places) {
                let entry = entry.with_places(places);
                joined[at] = Some(match joined[at].take() {
                    Some(own) => own.and(&entry, &mut sets),
                    None => entry,
                });
            }
        }
        Self { entries: joined.into_iter().flatten().collect() }
    }

    /// Refuses a file of `records` records, if the swaps speak of more.
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

/// Refuses an order that is not one of `records` records.
pub(crate) fn check_order(order: &[u32], records: u64) -> Result<(), Diagnostic> {
    if order.len() as u64 != records {
        return Err(stale(format!(
            "the new order is one of {} records, the file has {}",
            grouped(order.len() as u64),
            grouped(records)
        )));
    }
    // A bit for each record.
    let mut met = vec![0u64; order.len().div_ceil(64)];
    for &record in order {
        assert!((record as usize) < order.len(), "an order names records that are there");
        let (word, bit) = (record as usize / 64, 1u64 << (record % 64));
        assert_eq!(met[word] & bit, 0, "an order names each record once");
        met[word] |= bit;
    }
    Ok(())
}

//! Files with labels: read, and rewritten by moving cells, against what the definitions say.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(clippy::print_stderr, reason = "a test that is skipped says so")]

mod sas;
mod spss;
mod stata;

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use marginswap_core::columns::Column;
use marginswap_core::diagnostic::Diagnostic;
use marginswap_io::{Labels, ReadOptions, ReleaseOptions, RewriteCounts, Source, Table, rewrite};

use crate::support::{plan_of, swap};

/// A file in a folder of its own.
pub(super) struct Made {
    folder: tempfile::TempDir,
}

impl Made {
    pub(super) fn new(bytes: &[u8]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("data"), bytes).unwrap();
        Self { folder }
    }

    pub(super) fn path(&self) -> PathBuf {
        self.folder.path().join("data")
    }
}

/// What a file says: names, categories record by record, and labels.
#[derive(Debug, PartialEq)]
pub(super) struct Said {
    pub(super) names: Vec<String>,
    pub(super) columns: Vec<Vec<String>>,
    pub(super) labels: Labels,
}

pub(super) fn read(path: &Path) -> Result<Said, Diagnostic> {
    let source = Source::open(path, &ReadOptions::default())?;
    let (names, labels) = (source.columns().to_vec(), source.labels().cloned().unwrap_or_default());
    let wanted = vec![true; names.len()];
    let Table { columns, records, .. } = source.read(&wanted)?;
    let said = |column: &Option<Column>| {
        let column = column.as_ref().unwrap();
        let category = |record| column.dictionary().category(column.code(record)).unwrap();
        (0..records).map(|one| String::from_utf8_lossy(category(one)).into_owned()).collect()
    };
    let columns = columns.iter().map(said).collect();
    Ok(Said { names, columns, labels })
}

pub(super) fn said(bytes: &[u8]) -> Said {
    read(Made::new(bytes).path().as_path()).unwrap()
}

pub(super) fn released(
    path: &Path,
    swaps: &[(u32, u32, &[usize])],
    release: &ReleaseOptions,
) -> (Vec<u8>, RewriteCounts) {
    let swaps: Vec<_> =
        swaps.iter().map(|(left, right, columns)| swap(*left, *right, columns)).collect();
    let mut out = Vec::new();
    let counts =
        rewrite(path, &ReadOptions::default(), &plan_of(&swaps, &[]), release, &mut out).unwrap();
    (out, counts)
}

/// The definition of a release: values exchanged, records in an order, columns left out.
fn expected(before: &Said, swaps: &[(u32, u32, &[usize])], release: &ReleaseOptions) -> Said {
    let mut columns = before.columns.clone();
    for (left, right, exchanged) in swaps {
        exchanged.iter().for_each(|&one| columns[one].swap(*left as usize, *right as usize));
    }
    if let Some(order) = &release.order {
        for column in &mut columns {
            *column = order.iter().map(|&record| column[record as usize].clone()).collect();
        }
    }
    let kept = |column: &usize| !release.drop.contains(column);
    let places: Vec<usize> = (0..columns.len()).filter(kept).collect();
    let labels = Labels {
        columns: places.iter().map(|&place| before.labels.columns[place].clone()).collect(),
        notes: before.labels.notes,
    };
    let names = places.iter().map(|&place| before.names[place].clone()).collect();
    let columns = places.iter().map(|&place| columns[place].clone()).collect();
    Said { names, columns, labels }
}

/// A file of any format, released in every way: without a swap, with one, in another order, and
/// without some of its columns.
pub(super) fn check_releases(path: &Path) {
    let bytes = fs::read(path).unwrap();
    let before = read(path).unwrap();
    let (columns, records) = (before.columns.len(), before.columns[0].len());
    let last = u32::try_from(records).unwrap() - 1;
    let none: ReleaseOptions = ReleaseOptions::default();
    let (same, counts) = released(path, &[], &none);
    // What zlib makes depends on who packs; all else is copied byte by byte.
    if bytes.starts_with(b"$FL3") {
        assert_eq!(said(&same), before);
    } else {
        assert!(same == bytes, "{}: without a swap every byte is copied", path.display());
    }
    assert_eq!(counts.cells_changed, 0);
    let all: Vec<usize> = (0..columns).collect();
    let some: Vec<usize> = (0..columns).filter(|column| column % 2 == 1).collect();
    let backwards = Some((0..=last).rev().collect::<Vec<u32>>());
    let drops = [vec![], vec![0], vec![columns - 1], (0..columns - 1).collect()];
    for exchanged in [&all, &some] {
        let swaps: &[(u32, u32, &[usize])] =
            if last == 0 || exchanged.is_empty() { &[] } else { &[(0, last, exchanged)] };
        for order in [None, backwards.clone()] {
            for drop in drops.iter().filter(|drop| drop.len() < columns) {
                let release =
                    ReleaseOptions { order: order.clone(), drop: drop.clone(), ..none.clone() };
                let (written, counts) = released(path, swaps, &release);
                let mut after = said(&written);
                let mut expected = expected(&before, swaps, &release);
                // Notes on columns that are left out go with them.
                (after.labels.notes, expected.labels.notes) = (0, 0);
                assert_eq!(after, expected, "{} without {drop:?}", path.display());
                let differs = |column: &&usize| {
                    let values = &before.columns[**column];
                    !drop.contains(column) && values[0] != values[last as usize]
                };
                let cells = exchanged.iter().filter(differs).count() as u64;
                let cells = if swaps.is_empty() { 0 } else { 2 * cells };
                assert_eq!(counts.cells_changed, cells, "{}", path.display());
                assert_eq!(counts.records, records as u64);
            }
        }
    }
}

/// Where two files of one length differ.
pub(super) fn differences(one: &[u8], other: &[u8]) -> Vec<usize> {
    assert_eq!(one.len(), other.len());
    (0..one.len()).filter(|&byte| one[byte] != other[byte]).collect()
}

/// Are all of these bytes within some of those ranges?
pub(super) fn lie_within(bytes: &[usize], ranges: &[Range<usize>]) -> bool {
    bytes.iter().all(|byte| ranges.iter().any(|range| range.contains(byte)))
}

/// Whatever a byte is turned into, a file is read or refused, never in part: what is read can be
/// rewritten; and a file that is cut is refused.
pub(super) fn check_hostile(bytes: &[u8]) {
    let mut refused = BTreeMap::new();
    let mut look = |bytes: &[u8]| {
        let made = Made::new(bytes);
        match read(&made.path()) {
            Ok(said) => {
                let release = ReleaseOptions::default();
                let (written, _) = released(&made.path(), &[], &release);
                assert_eq!(read(&Made::new(&written).path()).unwrap(), said);
                true
            }
            Err(refusal) => {
                *refused.entry(refusal.code).or_insert(0) += 1;
                false
            }
        }
    };
    // In what fills a name or a label up, a few places are as good as all.
    let fills = |at: usize| !at.is_multiple_of(37) && bytes[at - 1..].starts_with(&[bytes[at]; 3]);
    for at in (0..bytes.len()).filter(|&at| at == 0 || !fills(at)) {
        let mut turned = bytes.to_vec();
        for new in [0xff, bytes[at] ^ 1] {
            turned[at] = new;
            look(&turned);
        }
    }
    for length in (0..bytes.len()).step_by(7) {
        look(&bytes[..length]);
    }
    assert!(refused.values().sum::<usize>() > bytes.len() / 20, "{refused:?}");
}

/// The files of other programs, where they are.
pub(super) fn real_files(ending: &str) -> Vec<PathBuf> {
    let Some(folder) = std::env::var_os("MARGINSWAP_REAL_DATA") else {
        eprintln!("SKIPPED: real .{ending} files (MARGINSWAP_REAL_DATA is not set)");
        return Vec::new();
    };
    let folder = Path::new(&folder).join("formats");
    let Ok(entries) = fs::read_dir(&folder) else {
        eprintln!("SKIPPED: real .{ending} files (no folder {})", folder.display());
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|own| own == ending));
    files.sort();
    files
}

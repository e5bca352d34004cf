//! Which record became which, and what is different in it.
//!
//! A released file may have its records in another order. [`Link::ByPosition`] says that
//! they are in the same one; [`link_by_id`] finds the way through a column that names every
//! record. A file that was shuffled and has no such column cannot be linked, and its single
//! records are not compared.
//!
//! Way in: [`changes`].

use std::fmt;

use rayon::prelude::*;

use crate::columns::Column;
use crate::encode::{Recoding, RecordId, Records};
use crate::varset::VarSet;

/// Which record of the second file is which record of the first.
#[derive(Clone, PartialEq, Eq)]
pub enum Link {
    /// The one at the same place.
    ByPosition,
    /// For each record of the first file the position of its own in the second; each
    /// position once. It is as secret as a plan.
    ByMap(Vec<u32>),
}

impl Link {
    /// The position in the second file of the record at a position of the first.
    pub(super) fn follow(&self, position: usize) -> usize {
        match self {
            Self::ByPosition => position,
            Self::ByMap(map) => map[position] as usize,
        }
    }

    /// Does it link files of these lengths?
    ///
    /// # Panics
    /// When a map has another length than the first file.
    pub(super) fn links(&self, before: usize, after: usize) -> bool {
        if let Self::ByMap(map) = self {
            assert_eq!(map.len(), before, "a map has a place for each record");
        }
        before == after
    }
}

impl fmt::Debug for Link {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ByPosition => formatter.write_str("ByPosition"),
            Self::ByMap(map) => write!(formatter, "ByMap({} records)", map.len()),
        }
    }
}

/// What is different between the records and their own in the other file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changes {
    /// Records that differ in some variable.
    pub records: u64,
    /// Fields that differ: a record and a variable. A variable of several columns
    /// counts as one.
    pub cells: u64,
    /// Records that differ in each variable.
    pub by_variable: Vec<u64>,
}

impl Changes {
    /// The same, where only these variables count.
    #[must_use]
    pub fn counting(mut self, counted: VarSet) -> Self {
        for (variable, records) in self.by_variable.iter_mut().enumerate() {
            if !counted.contains(variable) {
                *records = 0;
            }
        }
        self.cells = self.by_variable.iter().sum();
        self
    }
}

/// Counts what is different, looking at every record once; `None` when the files have different numbers of records, so
/// that no link can be right.
///
/// Law: `changes-by-definition`.
///
/// # Panics
/// When the files were not encoded together, or a map leads out of the second file.
#[must_use]
pub fn changes(before: &Records, after: &Records, link: &Link) -> Option<Changes> {
    let (own, released) = (before.cells(), after.cells());
    assert!(own.layout() == released.layout(), "two files are compared over one coding");
    if !link.links(before.len(), after.len()) {
        return None;
    }
    let mut by_variable = vec![0u64; own.layout().variables()];
    let differing: Vec<usize> = (0..before.len())
        .into_par_iter()
        .filter(|&position| own.get(position) != released.get(link.follow(position)))
        .collect();
    for &position in &differing {
        let there = released.get(link.follow(position));
        own.layout().count_differing(own.get(position), there, &mut by_variable);
    }
    let records = differing.len() as u64;
    Some(Changes { records, cells: by_variable.iter().sum(), by_variable })
}

/// One of the two files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum File {
    /// The original one.
    Before,
    /// The released one.
    After,
}

/// Why a column does not link two files. Names records by number, never a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkError {
    /// The record has the id of an earlier one of the same file.
    Repeated {
        /// Where.
        file: File,
        /// Which record.
        record: RecordId,
    },
    /// No record of the other file has the id of this one.
    Missing {
        /// Where the record is.
        file: File,
        /// Which record.
        record: RecordId,
    },
}

impl fmt::Display for LinkError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Repeated { file, record } | Self::Missing { file, record }) = self;
        let which = match file {
            File::Before => "original",
            File::After => "released",
        };
        write!(formatter, "record {} of the {which} file ", record.number())?;
        match self {
            Self::Repeated { .. } => formatter.write_str("has the id of an earlier record"),
            Self::Missing { .. } => formatter.write_str("has an id that the other file does not"),
        }
    }
}

impl std::error::Error for LinkError {}

/// The position in the second file of each record of the first, by a column that names every
/// record. Ids are compared by their bytes; a null is an id like any other.
///
/// Law: `ids-link-by-definition`.
///
/// # Errors
/// An id that is repeated in a file, or missing in one of them: the first one met in the
/// second file, then in the first.
pub fn link_by_id(before: &Column, after: &Column) -> Result<Vec<u32>, LinkError> {
    const NOWHERE: u32 = u32::MAX;
    let recoding = Recoding::new(before.dictionary(), after.dictionary());
    let mut line_of = vec![NOWHERE; recoding.levels()];
    let mut error = None;
    after.for_each_code(|position, code| {
        let line = &mut line_of[recoding.code(code) as usize];
        let record = RecordId::at(position);
        if *line != NOWHERE {
            error.get_or_insert(LinkError::Repeated { file: File::After, record });
        }
        *line = record.0;
    });
    if let Some(error) = error {
        return Err(error);
    }
    let mut met = vec![false; recoding.levels()];
    let mut map = Vec::with_capacity(before.len());
    before.for_each_code(|position, code| {
        let line = line_of[code as usize];
        let record = RecordId::at(position);
        if std::mem::replace(&mut met[code as usize], true) {
            error.get_or_insert(LinkError::Repeated { file: File::Before, record });
        } else if line == NOWHERE {
            error.get_or_insert(LinkError::Missing { file: File::Before, record });
        }
        map.push(line);
    });
    if let Some(error) = error {
        return Err(error);
    }
    match (0..after.len()).find(|&line| !met[recoding.code(after.code(line)) as usize]) {
        Some(line) => Err(LinkError::Missing { file: File::After, record: RecordId::at(line) }),
        None => Ok(map),
    }
}

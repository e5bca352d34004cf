//! Two files over one coding.
//!
//! Codes count categories in the order of first appearance, so the same category has other
//! codes in two files. Here a category of the second file takes the code it has in the
//! first; one that occurs in the second file alone takes a code of its own after them.
//! Categories are matched by their bytes, a null by being null.
//!
//! Way in: [`encode_both`]; [`Both`] where the second file need not be held as a whole.

use super::packed::{Codes, Packing};
use super::{Records, Schema};
use crate::columns::{Column, Dictionary};

/// Packs two files with the same codes and the same layout: two records are equal exactly
/// when their words are. `after` has its columns where `before` has them.
///
/// Law: `two-files-share-one-coding`.
///
/// # Panics
/// When a column that takes part was not read, or the columns of a file differ in length.
#[must_use]
pub fn encode_both(
    schema: &Schema,
    before: &[Option<Column>],
    after: &[Option<Column>],
) -> (Records, Records) {
    let both = Both::new(schema, before, after);
    (both.before(), both.after().packed())
}

/// Two files with the same codes and the same layout, not yet packed.
pub struct Both<'a> {
    shared: Vec<Shared<'a>>,
    levels: Vec<usize>,
}

impl<'a> Both<'a> {
    /// Finds the codes of both files.
    ///
    /// # Panics
    /// When a column that takes part was not read.
    #[must_use]
    pub fn new(schema: &Schema, before: &'a [Option<Column>], after: &'a [Option<Column>]) -> Self {
        let shared: Vec<Shared<'_>> = schema
            .variables()
            .iter()
            .map(|variable| {
                let columns: Vec<Paired<'_>> = variable
                    .columns
                    .iter()
                    .map(|&position| Paired::new(read(before, position), read(after, position)))
                    .collect();
                match <[Paired<'_>; 1]>::try_from(columns) {
                    Ok([column]) => Shared::Column(column),
                    Err(columns) => Shared::combined(&columns),
                }
            })
            .collect();
        let levels = shared.iter().map(Shared::levels).collect();
        Self { shared, levels }
    }

    /// Has the first file, packed alone by [`Records::encode`], these codes? Nothing that is new
    /// takes a code from it: with no more levels its words are what they were.
    #[must_use]
    pub fn are_coded_as(&self, alone: &Records) -> bool {
        alone.levels() == self.levels
    }

    /// The first file, packed.
    ///
    /// # Panics
    /// When its columns differ in length.
    #[must_use]
    pub fn before(&self) -> Records {
        let codes = self.shared.iter().map(Shared::before).collect();
        Packing::new(self.levels.clone(), codes).packed()
    }

    /// The second file, to be packed.
    ///
    /// # Panics
    /// When its columns differ in length.
    pub(crate) fn after(&self) -> Packing<'_> {
        let codes = self.shared.iter().map(Shared::after).collect();
        Packing::new(self.levels.clone(), codes)
    }
}

/// For each code of one dictionary the code of the same category in another one, or after
/// its codes.
pub(crate) struct Recoding {
    codes: Vec<u32>,
    levels: usize,
}

impl Recoding {
    /// From the codes of `after` to those of `before`.
    pub(crate) fn new(before: &Dictionary, after: &Dictionary) -> Self {
        let mut levels = before.levels();
        let codes = (0..after.levels())
            .map(|code| {
                let code = u32::try_from(code).expect("a column has fewer than 2^32 categories");
                let known = match after.category(code) {
                    Some(category) => before.find(category),
                    None => before.find_null(),
                };
                known.unwrap_or_else(|| {
                    levels += 1;
                    u32::try_from(levels - 1).expect("two files have fewer than 2^32 categories")
                })
            })
            .collect();
        Self { codes, levels }
    }

    /// The shared code of a code of `after`.
    pub(crate) fn code(&self, after: u32) -> u32 {
        self.codes[after as usize]
    }

    /// How many categories the two have together.
    pub(crate) fn levels(&self) -> usize {
        self.levels
    }
}

/// One column in both files.
struct Paired<'a> {
    before: &'a Column,
    after: &'a Column,
    recoding: Recoding,
}

impl<'a> Paired<'a> {
    fn new(before: &'a Column, after: &'a Column) -> Self {
        Self { before, after, recoding: Recoding::new(before.dictionary(), after.dictionary()) }
    }
}

/// One variable in both files: a column, or the combinations of several.
enum Shared<'a> {
    Column(Paired<'a>),
    Combined { before: Vec<u32>, after: Vec<u32>, levels: usize },
}

impl Shared<'_> {
    /// The combinations that occur in several columns, in both files.
    fn combined(columns: &[Paired<'_>]) -> Self {
        let mut combinations = Dictionary::default();
        let mut combination = Vec::with_capacity(columns.len() * 4);
        let mut before: Vec<u32> = (0..columns[0].before.len())
            .map(|record| {
                combination.clear();
                for column in columns {
                    combination.extend_from_slice(&column.before.code(record).to_be_bytes());
                }
                combinations.code(&combination)
            })
            .collect();
        let known = combinations.levels();
        let mut after: Vec<u32> = (0..columns[0].after.len())
            .map(|record| {
                combination.clear();
                for column in columns {
                    let code = column.recoding.code(column.after.code(record));
                    combination.extend_from_slice(&code.to_be_bytes());
                }
                combinations.code(&combination)
            })
            .collect();
        // Those of the first file in the order of the columns' codes, as in that file alone; the
        // others after them.
        let mut ranks: Vec<u32> = (0..).take(combinations.levels()).collect();
        let first = combinations.order().into_iter().filter(|&code| (code as usize) < known);
        for (rank, code) in (0..).zip(first) {
            ranks[code as usize] = rank;
        }
        for code in before.iter_mut().chain(&mut after) {
            *code = ranks[*code as usize];
        }
        Self::Combined { before, after, levels: ranks.len() }
    }

    fn levels(&self) -> usize {
        match self {
            Self::Column(column) => column.recoding.levels(),
            Self::Combined { levels, .. } => *levels,
        }
    }

    fn before(&self) -> Codes<'_> {
        match self {
            Self::Column(column) => Codes::Column(column.before),
            Self::Combined { before, .. } => Codes::Listed(before),
        }
    }

    fn after(&self) -> Codes<'_> {
        match self {
            Self::Column(column) => Codes::Recoded(column.after, &column.recoding.codes),
            Self::Combined { after, .. } => Codes::Listed(after),
        }
    }
}

fn read(columns: &[Option<Column>], position: usize) -> &Column {
    columns[position].as_ref().expect("a column that takes part has been read")
}

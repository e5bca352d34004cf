//! Two files over one coding.
//!
//! Codes count categories in the order of first appearance, so the same category has other
//! codes in two files. Here a category of the second file takes the code it has in the
//! first; one that occurs in the second file alone takes a code of its own behind them.
//! Categories are matched by their bytes, a null by being null.
//!
//! Way in: [`encode_both`].

use super::packed::Codes;
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
    let (packed, after) = encode_beside(schema, before, None, after);
    (packed.expect("it was not packed before"), after)
}

/// The same where the first file is packed already, by [`Records::encode`]: it is packed again
/// only where the second one has categories of its own; else the words that it has hold.
///
/// # Panics
/// As [`encode_both`].
#[must_use]
pub fn encode_beside(
    schema: &Schema,
    before: &[Option<Column>],
    packed: Option<&Records>,
    after: &[Option<Column>],
) -> (Option<Records>, Records) {
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
    let levels: Vec<usize> = shared.iter().map(Shared::levels).collect();
    let packed_after = Records::filled(levels.clone(), &codes(&shared, Shared::after));
    // Nothing that is new takes a code from the first file: with no more levels its words are
    // what they were.
    let packed_before = match packed {
        Some(packed) if packed.levels() == levels => None,
        _ => Some(Records::filled(levels, &codes(&shared, Shared::before))),
    };
    (packed_before, packed_after)
}

fn codes<'s>(
    shared: &'s [Shared<'s>],
    of_file: impl Fn(&'s Shared<'s>) -> Codes<'s>,
) -> Vec<Codes<'s>> {
    shared.iter().map(of_file).collect()
}

/// For each code of one dictionary the code of the same category in another one, or behind
/// it.
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
        // others behind them.
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

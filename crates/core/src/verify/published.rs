//! The numbers as they were published, against both files, cell by cell.
//!
//! A published table lists cells: for each of its variables a category or the total, and a
//! number or nothing where the office suppressed it. Each listed number is compared with the
//! count (or the sum of weights) of both files, which gives two findings that are kept apart:
//!
//! - the original *differs* from the published number: it was rounded, perturbed or made from
//!   other people. That says nothing against the release;
//! - the release *changes* it: the original agrees, the released file does not.
//!
//! Where the original differs, the release cannot be held against the published number. It is
//! then held against the original: a cell whose count it changes is *moved*.
//!
//! Edge case: a cell that is not listed was not published, unless the project says that the
//! table leaves out zeros ([`Absent::Zero`]). Then it says 0 for every cell that is not listed
//! and that has the same variables at their total as some listed one.
//!
//! Way in: [`PublishedTable::push`], then [`compare_published`]. Slow twin:
//! `oracle::published`.

use std::fmt;

use crate::columns::{Column, Dictionary};
use crate::decimal::Decimal;
use crate::encode::PackedCells;
use crate::hash::{Map, STATE};
use crate::table::Grouping;

/// The code of a total.
const TOTAL: u32 = u32::MAX;

/// What a cell says that is not listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Absent {
    /// Nothing: it was not published.
    #[default]
    Unpublished,
    /// That nobody is in it.
    Zero,
}

/// A table as it was published.
#[derive(Clone)]
pub struct PublishedTable {
    categories: Vec<Dictionary>,
    /// The codes of each cell, one after the other.
    codes: Vec<u32>,
    numbers: Vec<Option<Decimal>>,
    places: Map<Box<[u32]>, usize>,
    absent: Absent,
}

impl PublishedTable {
    /// A table over this many variables, without a cell.
    #[must_use]
    pub fn new(variables: usize, absent: Absent) -> Self {
        Self {
            categories: vec![Dictionary::default(); variables],
            codes: Vec::new(),
            numbers: Vec::new(),
            places: Map::with_hasher(STATE),
            absent,
        }
    }

    /// Adds a cell: a category or the total (`None`) for each variable, and its number or
    /// nothing where it was suppressed.
    ///
    /// # Errors
    /// The position of the cell that is the same one.
    ///
    /// # Panics
    /// When the cell does not have an entry for each variable.
    pub fn push(&mut self, cell: &[Option<&[u8]>], number: Option<Decimal>) -> Result<(), usize> {
        assert_eq!(cell.len(), self.categories.len(), "a cell has an entry for each variable");
        let codes: Box<[u32]> = cell
            .iter()
            .zip(&mut self.categories)
            .map(|(entry, categories)| entry.map_or(TOTAL, |category| categories.code(category)))
            .collect();
        if let Some(&earlier) = self.places.get(&codes) {
            return Err(earlier);
        }
        self.codes.extend_from_slice(&codes);
        self.places.insert(codes, self.numbers.len());
        self.numbers.push(number);
        Ok(())
    }

    /// How many cells are listed.
    #[must_use]
    pub fn cells(&self) -> usize {
        self.numbers.len()
    }

    /// How many categories of a variable are listed.
    #[must_use]
    pub fn levels(&self, variable: usize) -> usize {
        self.categories[variable].levels()
    }

    /// How many categories of a variable are listed that a column has too.
    #[must_use]
    pub fn shared_levels(&self, variable: usize, column: &Column) -> usize {
        let listed = &self.categories[variable];
        let codes = (0..).take(listed.levels());
        let known = |code: &u32| {
            listed.category(*code).is_some_and(|name| column.dictionary().find(name).is_some())
        };
        codes.filter(known).count()
    }

    fn codes_of(&self, cell: usize) -> &[u32] {
        let variables = self.categories.len();
        &self.codes[cell * variables..(cell + 1) * variables]
    }
}

impl fmt::Debug for PublishedTable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (variables, cells) = (self.categories.len(), self.cells());
        write!(formatter, "PublishedTable({variables} variables, {cells} cells)")
    }
}

/// One of the two files: the columns of the table's variables, and what each record adds to its
/// cell.
#[derive(Debug, Clone, Copy)]
pub struct Side<'a> {
    /// A column for each variable.
    pub columns: &'a [&'a Column],
    /// What each record adds; 1 without it. A record outside the universe of the table adds 0.
    pub amounts: Option<&'a [Decimal]>,
}

/// How many cells differ, and by how much at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Differences {
    /// How many.
    pub cells: u64,
    /// The largest distance between two numbers of a cell.
    pub largest: Decimal,
}

impl Differences {
    fn add(&mut self, distance: Decimal) {
        self.cells += 1;
        self.largest = self.largest.max(distance);
    }
}

/// What was found about one published table.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PublishedCheck {
    /// Cells that were compared: those with a number, and the zeros that were left out.
    pub cells: u64,
    /// Cells without a number.
    pub suppressed: u64,
    /// The original differs from the published number.
    pub differing: Differences,
    /// The original agrees with the published number and the released file does not.
    pub changed: Differences,
    /// The original differs from the published number, and the released file from the original.
    pub moved: Differences,
    /// Cells that hold somebody in the original and are not listed.
    pub unlisted: u64,
    /// For each variable the listed categories that no original record has.
    pub unknown: Vec<u64>,
    /// How many of these have a published number that is not zero.
    pub unknown_with_people: u64,
    /// Every cell in which not all three numbers are the same, in the order of the table; zeros
    /// that were left out come last, in the order of their categories.
    pub found: Vec<FoundCell>,
}

/// A cell in which not all three numbers are the same.
#[derive(Clone, PartialEq, Eq)]
pub struct FoundCell {
    /// Its entries, one for each variable.
    pub entries: Vec<Entry>,
    /// What was published.
    pub published: Decimal,
    /// What the original has.
    pub original: Decimal,
    /// What the released file has.
    pub released: Decimal,
}

/// What a cell has in one variable.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Entry {
    /// Everything.
    Total,
    /// The records without a value.
    Null,
    /// One category.
    Category(Vec<u8>),
}

impl fmt::Debug for FoundCell {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "FoundCell({} variables)", self.entries.len())
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(if *self == Self::Total { "Total" } else { "One" })
    }
}

/// Compares a published table with the original and the released file.
///
/// Laws: `published-by-definition`, `counting-it-again-agrees`,
/// `keeping-a-table-changes-no-published-number`.
///
/// # Panics
/// When a side does not have a column for each variable, or its columns differ in length.
#[must_use]
pub fn compare_published(
    table: &PublishedTable,
    original: Side<'_>,
    released: Side<'_>,
) -> PublishedCheck {
    let counted = Counted::of(table, [original, released]);
    let mut check = PublishedCheck {
        unknown: counted.unknown(table, original),
        unknown_with_people: unknown_with_people(table, original),
        ..PublishedCheck::default()
    };
    let mut listed: Map<Vec<bool>, Vec<usize>> = Map::with_hasher(STATE);
    for cell in 0..table.cells() {
        let totals = table.codes_of(cell).iter().map(|&code| code == TOTAL).collect();
        listed.entry(totals).or_default().push(cell);
    }
    let margins: Map<&Vec<bool>, Margin> =
        listed.keys().map(|totals| (totals, counted.margin(totals))).collect();
    for cell in 0..table.cells() {
        let codes = table.codes_of(cell);
        let totals: Vec<bool> = codes.iter().map(|&code| code == TOTAL).collect();
        let Some(published) = table.numbers[cell] else {
            check.suppressed += 1;
            continue;
        };
        let sums = margins[&totals].get(codes).copied().unwrap_or_default();
        check.add(published, sums, || counted.entries(codes));
    }
    let mut behind: Vec<(Vec<Entry>, [Decimal; 2])> = Vec::new();
    for margin in margins.values() {
        let missing = margin.iter().filter(|(codes, _)| !table.places.contains_key(&codes[..]));
        for (codes, &sums) in missing.filter(|(_, sums)| **sums != [Decimal::ZERO; 2]) {
            check.unlisted += u64::from(sums[0] != Decimal::ZERO);
            behind.push((counted.entries(codes), sums));
        }
    }
    if table.absent == Absent::Zero {
        behind.sort_unstable();
        for (entries, sums) in behind {
            check.add(Decimal::ZERO, sums, || entries);
        }
    }
    check
}

impl PublishedCheck {
    fn add(
        &mut self,
        published: Decimal,
        [original, released]: [Decimal; 2],
        entries: impl FnOnce() -> Vec<Entry>,
    ) {
        self.cells += 1;
        if published != original {
            self.differing.add(published.distance(original));
            if original != released {
                self.moved.add(original.distance(released));
            }
        } else if original != released {
            self.changed.add(published.distance(released));
        } else {
            return;
        }
        self.found.push(FoundCell { entries: entries(), published, original, released });
    }
}

/// The sums of one margin of the table, by codes; those of its totals are [`TOTAL`].
type Margin = Map<Box<[u32]>, [Decimal; 2]>;

/// Both files, counted over the variables of a table.
struct Counted {
    /// The categories of the table and of both files.
    categories: Vec<Dictionary>,
    /// The cells that hold a record of either file.
    cells: Vec<Box<[u32]>>,
    sums: Vec<[Decimal; 2]>,
}

impl Counted {
    fn of(table: &PublishedTable, sides: [Side<'_>; 2]) -> Self {
        let mut categories = table.categories.clone();
        let recodings = sides.map(|side| {
            assert_eq!(side.columns.len(), categories.len(), "a column for each variable");
            let both = side.columns.iter().zip(&mut categories);
            both.map(|(column, all)| recoding(column.dictionary(), all)).collect::<Vec<_>>()
        });
        let levels: Vec<usize> = categories.iter().map(|all| all.levels().max(1)).collect();
        let lengths = sides.map(|side| side.columns.first().map_or(0, |column| column.len()));
        let mut records = PackedCells::blank(&levels, lengths[0] + lengths[1]);
        for (file, side) in sides.iter().enumerate() {
            let start = if file == 0 { 0 } else { lengths[0] };
            for (variable, column) in side.columns.iter().enumerate() {
                assert_eq!(column.len(), lengths[file], "columns have the same length");
                let mut put = records.putter(variable);
                let codes = &recodings[file][variable];
                column.for_each_code(|record, code| put(start + record, codes[code as usize]));
            }
        }
        let grouping = Grouping::of_whole(&records);
        let mut cells: Vec<Box<[u32]>> = Vec::with_capacity(grouping.groups());
        let mut sums = vec![[Decimal::ZERO; 2]; grouping.groups()];
        for (record, &group) in grouping.group_of().iter().enumerate() {
            let group = group as usize;
            if group == cells.len() {
                cells.push(records.codes(record).into());
            }
            let file = usize::from(record >= lengths[0]);
            let position = if file == 0 { record } else { record - lengths[0] };
            let amount = sides[file].amounts.map_or(Decimal::ONE, |amounts| amounts[position]);
            sums[group][file] += amount;
        }
        Self { categories, cells, sums }
    }

    /// The sums over the variables that are at their total.
    fn margin(&self, totals: &[bool]) -> Margin {
        let mut margin: Margin = Map::with_hasher(STATE);
        for (cell, sums) in self.cells.iter().zip(&self.sums) {
            let both = cell.iter().zip(totals);
            let key = both.map(|(&code, &total)| if total { TOTAL } else { code }).collect();
            let sum = margin.entry(key).or_insert([Decimal::ZERO; 2]);
            sum[0] += sums[0];
            sum[1] += sums[1];
        }
        margin
    }

    fn entries(&self, codes: &[u32]) -> Vec<Entry> {
        let both = codes.iter().zip(&self.categories);
        both.map(|(&code, all)| match code {
            TOTAL => Entry::Total,
            _ => all.category(code).map_or(Entry::Null, |name| Entry::Category(name.to_vec())),
        })
        .collect()
    }

    /// For each variable the listed categories that the original does not have.
    fn unknown(&self, table: &PublishedTable, original: Side<'_>) -> Vec<u64> {
        let columns = original.columns.iter().enumerate();
        columns
            .map(|(variable, column)| {
                (table.levels(variable) - table.shared_levels(variable, column)) as u64
            })
            .collect()
    }
}

/// How many listed categories no original record has, though a number that is not zero is
/// published of them.
fn unknown_with_people(table: &PublishedTable, original: Side<'_>) -> u64 {
    let mut claimed: Vec<Vec<bool>> =
        table.categories.iter().map(|categories| vec![false; categories.levels()]).collect();
    for cell in 0..table.cells() {
        if table.numbers[cell].is_some_and(|number| number != Decimal::ZERO) {
            for (claimed, &code) in claimed.iter_mut().zip(table.codes_of(cell)) {
                if code != TOTAL {
                    claimed[code as usize] = true;
                }
            }
        }
    }
    let is_unknown = |variable: usize, code: u32| {
        let name = table.categories[variable].category(code);
        name.is_some_and(|name| original.columns[variable].dictionary().find(name).is_none())
    };
    let unknown = claimed.iter().enumerate().map(|(variable, claimed)| {
        let codes = (0u32..)
            .zip(claimed)
            .filter(|(code, claimed)| **claimed && is_unknown(variable, *code));
        codes.count() as u64
    });
    unknown.sum()
}

/// For each code of a dictionary its code among all categories.
fn recoding(dictionary: &Dictionary, all: &mut Dictionary) -> Vec<u32> {
    let codes = (0..).take(dictionary.levels());
    codes
        .map(|code| match dictionary.category(code) {
            Some(category) => all.code(category),
            None => all.null_code(),
        })
        .collect()
}

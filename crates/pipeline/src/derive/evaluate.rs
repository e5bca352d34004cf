//! What an expression is for the records of a file: worked out on dictionaries.
//!
//! An expression of one column is worked out once for each of its levels that occurs, one of
//! several columns once for each combination that occurs; records only look the result up.
//!
//! A missing number is a class of its own: its band is `missing`, a comparison with it is neither
//! yes nor no but `missing`, and so is what depends on it; `and` is no as soon as one condition
//! is, `or` yes as soon as one is, and what comes after is not looked at. A null is a missing
//! number, and no text.
//!
//! Way in: [`Context::evaluate`].

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use marginswap_core::columns::{Column, ColumnBuilder};
use marginswap_core::diagnostic::Diagnostic;
use marginswap_core::hash::{Map, STATE};

use super::expression::{Comparison, Expression, Part, What};
use super::lookup::{Lookup, Wanted};
use marginswap_core::decimal::Decimal;

/// The class of a missing number, and the value of a condition that asks for one.
pub const MISSING: &str = "missing";
/// The value of a condition that holds.
pub const YES: &str = "yes";
/// The value of a condition that does not hold.
pub const NO: &str = "no";

/// What expressions need besides columns: codes of missing numbers, and groups from files.
#[derive(Default)]
pub struct Context {
    missing: Vec<String>,
    lookups: BTreeMap<Wanted, Lookup>,
}

/// Why an expression has no value for a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    /// What is wrong.
    pub why: Why,
    /// The first record for which it is, from 0.
    pub record: usize,
}

/// What is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// A value is no number.
    NotANumber {
        /// The variable it is the value of, if it is that of one.
        variable: Option<String>,
        /// Would it be one with a point in place of its comma?
        decimal_comma: bool,
        /// Is it empty?
        empty: bool,
    },
    /// Codes have no row in a file.
    NoRow {
        /// The file.
        file: PathBuf,
        /// How many different codes.
        codes: usize,
    },
}

/// A value: bytes, or none for a null.
type Bytes<'a> = Option<Cow<'a, [u8]>>;

/// What goes wrong for one combination of values.
enum Stop {
    NotANumber { variable: Option<String>, decimal_comma: bool, empty: bool },
    NoRow { file: PathBuf, code: Vec<u8> },
}

impl Context {
    /// The context for these expressions: their files are read.
    ///
    /// # Errors
    /// When a file cannot be read, or does not give what is wanted.
    pub fn new<'e>(
        expressions: impl IntoIterator<Item = &'e Expression>,
        missing: &[String],
    ) -> Result<Self, Diagnostic> {
        let mut lookups = BTreeMap::new();
        for expression in expressions {
            for wanted in wanted_by(&expression.root) {
                if let Entry::Vacant(place) = lookups.entry(wanted) {
                    let lookup = Lookup::read(place.key())?;
                    place.insert(lookup);
                }
            }
        }
        Ok(Self { missing: missing.to_vec(), lookups })
    }

    /// The column that follows from others by an expression; `column` gives those that it names.
    ///
    /// # Errors
    /// When it has no value for some record.
    ///
    /// # Panics
    /// When the expression names nothing, or reads a file that the context was not made for.
    pub fn evaluate<'c>(
        &self,
        expression: &Expression,
        column: impl Fn(&str) -> &'c Column,
    ) -> Result<Column, Trouble> {
        let names = expression.names();
        let columns: Vec<&Column> = names.iter().map(|name| column(name)).collect();
        let mut derived = Derived::default();
        let of = |codes| Record { context: self, names: &names, columns: &columns, codes };
        let root = &expression.root;
        match &columns[..] {
            [] => panic!("an expression names a column"),
            [one] => {
                let mut known = vec![None; one.dictionary().levels()];
                one.for_each_code(|record, code| {
                    let known = &mut known[code as usize];
                    let code = *known
                        .get_or_insert_with(|| derived.code(record, of(vec![code]).value(root)));
                    derived.column.push_code(code);
                });
            }
            several => {
                let (combination, count) = combinations(several);
                let mut known = vec![None; count];
                for (record, &number) in combination.iter().enumerate() {
                    let known = &mut known[number as usize];
                    let code = *known.get_or_insert_with(|| {
                        let codes = several.iter().map(|column| column.code(record)).collect();
                        derived.code(record, of(codes).value(root))
                    });
                    derived.column.push_code(code);
                }
            }
        }
        derived.finish()
    }
}

/// A derived column as it comes about, and what went wrong so far.
#[derive(Default)]
struct Derived {
    column: ColumnBuilder,
    trouble: Option<Trouble>,
    /// Codes without a row, for their number alone.
    without_row: BTreeSet<Vec<u8>>,
}

impl Derived {
    /// The code of a value; where there is none, any, since nothing will come of the column.
    fn code(&mut self, record: usize, value: Result<Bytes<'_>, Stop>) -> u32 {
        match value {
            Ok(Some(bytes)) => self.column.intern(&bytes),
            Ok(None) => self.column.intern_null(),
            Err(stop) => {
                let why = match stop {
                    Stop::NotANumber { variable, decimal_comma, empty } => {
                        Why::NotANumber { variable, decimal_comma, empty }
                    }
                    Stop::NoRow { file, code } => {
                        self.without_row.insert(code);
                        Why::NoRow { file, codes: 0 }
                    }
                };
                self.trouble.get_or_insert(Trouble { why, record });
                self.column.intern(&[])
            }
        }
    }

    fn finish(self) -> Result<Column, Trouble> {
        match self.trouble {
            None => Ok(self.column.finish()),
            Some(Trouble { why: Why::NoRow { file, .. }, record }) => {
                let codes = self.without_row.len();
                Err(Trouble { why: Why::NoRow { file, codes }, record })
            }
            Some(trouble) => Err(trouble),
        }
    }
}

/// Numbers the combinations of several columns' codes by first appearance: the number of each
/// record, and how many there are.
fn combinations(columns: &[&Column]) -> (Vec<u32>, usize) {
    let records = columns[0].len();
    let mut numbers = vec![0u32; records];
    let mut count = 0;
    for column in columns {
        let mut seen: Map<(u32, u32), u32> = Map::with_hasher(STATE);
        column.for_each_code(|record, code| {
            let next = u32::try_from(seen.len()).expect("there are fewer than 2^32 records");
            numbers[record] = *seen.entry((numbers[record], code)).or_insert(next);
        });
        count = seen.len();
    }
    (numbers, count)
}

/// The files that a part needs.
fn wanted_by(root: &Part) -> Vec<Wanted> {
    let mut all = Vec::new();
    root.visit(&mut |part| all.extend(wanted(part)));
    all
}

fn wanted(part: &Part) -> Option<Wanted> {
    let What::Map { of, file, column, key, .. } = &part.what else { return None };
    let (file, column, key) = (file.clone(), column.clone(), key.clone());
    Some(Wanted { file, column, key, of: of.name().map(str::to_owned) })
}

/// One combination of values.
struct Record<'r> {
    context: &'r Context,
    names: &'r [&'r str],
    columns: &'r [&'r Column],
    /// The code of each column.
    codes: Vec<u32>,
}

impl<'r> Record<'r> {
    fn named(&self, name: &str) -> Option<&'r [u8]> {
        let at = self.names.iter().position(|other| *other == name);
        let at = at.expect("a name of the expression");
        self.columns[at].dictionary().category(self.codes[at])
    }

    fn value(&self, part: &'r Part) -> Result<Bytes<'r>, Stop> {
        let text = |text: &'static str| Ok(Some(Cow::Borrowed(text.as_bytes())));
        match &part.what {
            What::Name(name) => Ok(self.named(name).map(Cow::Borrowed)),
            What::Text(text) => Ok(Some(Cow::Borrowed(text.as_bytes()))),
            What::Number(number) => Ok(Some(Cow::Owned(number.to_string().into_bytes()))),
            What::Band { of, bands, missing } => {
                let missing = missing.as_ref().unwrap_or(&self.context.missing);
                match self.number(of, missing)? {
                    Some(number) => Ok(Some(Cow::Owned(bands.class_of(number).into_bytes()))),
                    None => text(MISSING),
                }
            }
            What::Map { of, file, .. } => {
                let wanted = wanted(part).expect("it is a map");
                let lookup = self.context.lookups.get(&wanted).expect("its file was read");
                let code = self.value(of)?;
                let found = code.as_ref().and_then(|code| lookup.value(code));
                match found {
                    Some(value) => Ok(Some(Cow::Borrowed(value))),
                    None => {
                        let code = code.map(Cow::into_owned).unwrap_or_default();
                        Err(Stop::NoRow { file: file.clone(), code })
                    }
                }
            }
            What::Prefix { of, characters } => {
                let bytes = self.value(of)?;
                Ok(bytes.map(|bytes| {
                    let end = prefix(&bytes, *characters);
                    match bytes {
                        Cow::Borrowed(bytes) => Cow::Borrowed(&bytes[..end]),
                        Cow::Owned(bytes) => Cow::Owned(bytes[..end].to_vec()),
                    }
                }))
            }
            What::If { condition, then, otherwise } => match self.holds(condition)? {
                Some(true) => self.value(then),
                Some(false) => self.value(otherwise),
                None => text(MISSING),
            },
            What::Compare { .. }
            | What::Among { .. }
            | What::Not(_)
            | What::And(_)
            | What::Or(_) => text(match self.holds(part)? {
                Some(true) => YES,
                Some(false) => NO,
                None => MISSING,
            }),
            What::Together { .. } => unreachable!("a household is not asked for one record"),
        }
    }

    /// Does a condition hold? `None` when a missing number leaves it open.
    fn holds(&self, part: &'r Part) -> Result<Option<bool>, Stop> {
        match &part.what {
            What::Not(inner) => Ok(self.holds(inner)?.map(|holds| !holds)),
            What::And(all) => self.first(all, false),
            What::Or(all) => self.first(all, true),
            What::Compare { left, how, right } => self.compare(left, *how, right),
            What::Among { of, values, negated } => {
                let mut among = Some(false);
                for value in values {
                    match self.compare(of, Comparison::Equal, value)? {
                        Some(true) => return Ok(Some(!negated)),
                        Some(false) => {}
                        None => among = None,
                    }
                }
                Ok(among.map(|among| among != *negated))
            }
            // A derived condition by its name.
            _ => Ok(match self.value(part)?.as_deref() {
                Some(text) if text == YES.as_bytes() => Some(true),
                Some(text) if text == NO.as_bytes() => Some(false),
                _ => None,
            }),
        }
    }

    /// Whether conditions hold that one alone decides when it has this answer.
    fn first(&self, all: &'r [Part], decides: bool) -> Result<Option<bool>, Stop> {
        let mut answer = Some(!decides);
        for part in all {
            match self.holds(part)? {
                Some(holds) if holds == decides => return Ok(Some(decides)),
                Some(_) => {}
                None => answer = None,
            }
        }
        Ok(answer)
    }

    fn compare(
        &self,
        left: &'r Part,
        how: Comparison,
        right: &'r Part,
    ) -> Result<Option<bool>, Stop> {
        let is_number = |part: &Part| matches!(part.what, What::Number(_));
        if !how.orders() && !is_number(left) && !is_number(right) {
            let equal = self.value(left)? == self.value(right)?;
            return Ok(Some(equal == (how == Comparison::Equal)));
        }
        let missing = &self.context.missing;
        let (Some(left), Some(right)) = (self.number(left, missing)?, self.number(right, missing)?)
        else {
            return Ok(None);
        };
        let order = left.cmp(&right);
        Ok(Some(match how {
            Comparison::Equal => order == Ordering::Equal,
            Comparison::Unequal => order != Ordering::Equal,
            Comparison::Below => order == Ordering::Less,
            Comparison::AtMost => order != Ordering::Greater,
            Comparison::Above => order == Ordering::Greater,
            Comparison::AtLeast => order != Ordering::Less,
        }))
    }

    /// The number that a value is; `None` when it is missing.
    fn number(&self, part: &'r Part, missing: &[String]) -> Result<Option<Decimal>, Stop> {
        if let What::Number(number) = part.what {
            return Ok(Some(number));
        }
        let Some(bytes) = self.value(part)? else { return Ok(None) };
        if missing.iter().any(|code| code.as_bytes() == &*bytes) {
            return Ok(None);
        }
        Decimal::read(&bytes).map(Some).ok_or_else(|| {
            let point: Vec<u8> =
                bytes.iter().map(|&sign| if sign == b',' { b'.' } else { sign }).collect();
            Stop::NotANumber {
                variable: part.name().map(str::to_owned),
                decimal_comma: Decimal::read(&point).is_some(),
                empty: bytes.trim_ascii().is_empty(),
            }
        })
    }
}

/// Where the first characters of a text end; bytes that are no UTF-8 are characters.
fn prefix(bytes: &[u8], characters: usize) -> usize {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.char_indices().nth(characters).map_or(bytes.len(), |(at, _)| at),
        Err(_) => characters.min(bytes.len()),
    }
}

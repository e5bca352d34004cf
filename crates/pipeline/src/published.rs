//! Published tables: their files, joined with the columns of the data.
//!
//! A column of the file is a variable of the table when it has the name of a column of the
//! data, in capitals or not, or is declared to be one. What else may be in the file depends on its
//! format:
//!
//! - a tidy CSV has nothing else, unless it is ignored by name;
//! - SDMX-CSV does not tell dimensions from attributes. A column that is none of the data's is
//!   an attribute. If it was a dimension after all, two lines give the same cell, and the
//!   refusal names the columns in which they differ;
//! - a dimension of JSON-stat with one category describes the whole table; one with several
//!   must be a variable, or reduced to one category.
//!
//! A category that no record has is a finding, not an error: its cell counts nobody. A column
//! of which no category occurs in the data is an error, since it is coded in another way.
//!
//! Way in: [`Published::open`], then [`Published::compare`].

use std::path::PathBuf;

use marginswap_core::columns::{Column, Columns, did_you_mean};
use marginswap_core::decimal::Decimal;
use marginswap_core::diagnostic::{Diagnostic, grouped};
use marginswap_core::verify::{
    Absent, PublishedCheck, PublishedFindings, PublishedTable, Side, compare_published,
};
use marginswap_io::{PublishedFile, PublishedFormat, PublishedOptions, read_published};
use rayon::prelude::*;

use crate::derive::YES;
use crate::project::{Project, PublishedEntry};
use crate::refusal::Code;

/// A published table, over the columns of the data.
#[derive(Debug, Clone)]
pub struct Published {
    /// What it is called.
    pub name: String,
    /// Where its numbers are.
    pub file: PathBuf,
    /// How they are written.
    pub format: PublishedFormat,
    /// The positions of its variables among the columns of the data.
    pub variables: Vec<usize>,
    /// Columns of its file that are no variables.
    pub ignored: Vec<String>,
    /// The column of weights, where the numbers are sums of weights.
    pub weight: Option<usize>,
    /// The derived variable that is yes for the people it counts.
    pub universe: Option<usize>,
    table: PublishedTable,
}

/// The code of a total in SDMX-CSV, unless set.
const SDMX_TOTAL: &str = "_T";

impl Published {
    /// The published tables of a project.
    ///
    /// # Errors
    /// A file that cannot be read, or does not fit the data.
    pub fn open(project: &Project, data: &Columns) -> Result<Vec<Self>, Diagnostic> {
        let entries = &project.verify.published.0;
        let open = |entry: &PublishedEntry| Self::of(entry, &project.verify.total, data);
        entries.par_iter().map(open).collect()
    }

    fn of(entry: &PublishedEntry, totals: &[String], data: &Columns) -> Result<Self, Diagnostic> {
        let options =
            PublishedOptions { count: entry.count.clone(), suppressed: entry.suppressed.clone() };
        let file = read_published(&entry.file, &options)?;
        let build = || {
            let lines = lines_of(entry, &file)?;
            let shape = Shape::of(entry, &file, &lines, data)?;
            let weight = entry.weight.as_deref().map(|name| named(data, name)).transpose()?;
            let condition = entry.condition.as_deref().map(str::trim);
            let universe = condition.map(|name| named(data, name)).transpose()?;
            let totals = totals_of(entry, totals, file.format);
            let table = cells(entry, &file, &lines, &shape, &totals)?;
            check_categories(&file, &shape, &totals, &table, data)?;
            Ok(Self {
                name: entry.title(),
                file: entry.file.clone(),
                format: file.format,
                variables: shape.variables.iter().map(|&(_, column)| column).collect(),
                ignored: shape.ignored.iter().map(|&at| file.columns[at].0.clone()).collect(),
                weight,
                universe,
                table,
            })
        };
        build().map_err(|refusal: Diagnostic| refusal.in_file(&entry.file))
    }

    /// Compares it with both files, whose columns are in the same places.
    ///
    /// # Errors
    /// [`Code::BadWeight`] when a weight is no number.
    pub fn compare(
        &self,
        original: &Columns,
        released: &Columns,
    ) -> Result<PublishedCheck, Diagnostic> {
        let columns = [original, released].map(|data| {
            let read = |&column: &usize| data.get(column).expect("it was read for this table");
            self.variables.iter().map(read).collect::<Vec<&Column>>()
        });
        let amounts = [self.amounts(original)?, self.amounts(released)?];
        let side =
            |file: usize| Side { columns: &columns[file], amounts: amounts[file].as_deref() };
        Ok(compare_published(&self.table, side(0), side(1)))
    }
}

impl Published {
    /// What each record adds to its cell; 1 where there is neither a weight nor a universe.
    fn amounts(&self, data: &Columns) -> Result<Option<Vec<Decimal>>, Diagnostic> {
        let mut amounts = match (self.weight, self.universe) {
            (None, None) => return Ok(None),
            (Some(weight), _) => weights(data, weight)?,
            (None, Some(_)) => vec![Decimal::ONE; data.records()],
        };
        if let Some(universe) = self.universe {
            let column = data.get(universe).expect("it was worked out for this table");
            let yes = column.dictionary().find(YES.as_bytes());
            column.for_each_code(|record, code| {
                if Some(code) != yes {
                    amounts[record] = Decimal::ZERO;
                }
            });
        }
        Ok(Some(amounts))
    }
}

/// What the gate hears about the published tables.
#[must_use]
pub fn findings_of<'a>(checks: impl Iterator<Item = &'a PublishedCheck>) -> PublishedFindings {
    let mut all = PublishedFindings::default();
    for check in checks {
        all.tables += 1;
        all.changed_tables += usize::from(check.changed.cells > 0);
        all.changed_cells += check.changed.cells;
        all.moved_cells += check.moved.cells;
        all.missing_categories += check.unknown_with_people;
        all.missing_in += usize::from(check.unknown_with_people > 0);
        all.unchecked += usize::from(check.cells == check.differing.cells);
    }
    all
}

/// The lines that are asked for.
fn lines_of(entry: &PublishedEntry, file: &PublishedFile) -> Result<Vec<usize>, Diagnostic> {
    let mut lines: Vec<usize> = (0..file.numbers.len()).collect();
    for (name, code) in &entry.only {
        let column = &file.columns[column_of(file, name)?].1;
        let code = column.dictionary().find(code.as_bytes());
        lines.retain(|&line| Some(column.code(line)) == code);
    }
    if lines.is_empty() {
        return Err(Diagnostic::new(
            Code::NoRecords,
            "no line has the codes that `only` asks for",
            "write the codes as the file has them",
        ));
    }
    Ok(lines)
}

/// The position of a column of the published file.
fn column_of(file: &PublishedFile, name: &str) -> Result<usize, Diagnostic> {
    file.columns.iter().position(|(other, _)| other == name).ok_or_else(|| {
        let names: Vec<String> = file.columns.iter().map(|(name, _)| name.clone()).collect();
        Diagnostic::new(
            Code::UnknownColumn,
            format!("the published table has no column `{name}`"),
            did_you_mean(name, &names),
        )
    })
}

/// The position of a column of the data that takes part.
fn named(data: &Columns, name: &str) -> Result<usize, Diagnostic> {
    let Some(position) = data.position(name) else {
        return Err(Diagnostic::new(
            Code::UnknownColumn,
            format!("`{name}` is not a column of the data"),
            did_you_mean(name, data.names()),
        ));
    };
    if data.get(position).is_none() {
        return Err(Diagnostic::new(
            Code::IgnoredInTable,
            format!("the published table uses `{name}`, which takes no part"),
            "let the column stay instead of ignoring it",
        ));
    }
    Ok(position)
}

/// What the columns of a published file are.
struct Shape {
    /// Those that are variables, with the column of the data.
    variables: Vec<(usize, usize)>,
    ignored: Vec<usize>,
}

impl Shape {
    fn of(
        entry: &PublishedEntry,
        file: &PublishedFile,
        lines: &[usize],
        data: &Columns,
    ) -> Result<Self, Diagnostic> {
        for name in entry.columns.keys().chain(&entry.ignore) {
            column_of(file, name)?;
        }
        let mut shape = Self { variables: Vec::new(), ignored: Vec::new() };
        for (at, (name, column)) in file.columns.iter().enumerate() {
            if entry.ignore.contains(name) || entry.only.contains_key(name) {
                shape.ignored.push(at);
                continue;
            }
            match variable_of(entry, name, data)? {
                Some(position) => shape.add(at, position, data)?,
                None if is_frame(file.format, column, lines) => shape.ignored.push(at),
                None => return Err(unknown(name, file.format, data)),
            }
        }
        if shape.variables.is_empty() {
            return Err(Diagnostic::new(
                Code::UnknownColumn,
                "no column of the published table is a column of the data",
                "say which is which as `columns` of this table in the project file",
            ));
        }
        Ok(shape)
    }

    fn add(&mut self, at: usize, position: usize, data: &Columns) -> Result<(), Diagnostic> {
        if self.variables.iter().any(|&(_, other)| other == position) {
            return Err(Diagnostic::new(
                Code::RepeatedVariable,
                format!(
                    "two columns of the published table are `{}` of the data",
                    data.names()[position]
                ),
                "ignore one of them, as `ignore` of this table in the project file",
            ));
        }
        self.variables.push((at, position));
        Ok(())
    }
}

/// The column of the data that a column of the file is: as declared, by its name, or by its name in
/// capitals or not where that is one column alone.
fn variable_of(
    entry: &PublishedEntry,
    name: &str,
    data: &Columns,
) -> Result<Option<usize>, Diagnostic> {
    if let Some(own) = entry.columns.get(name) {
        return named(data, own).map(Some);
    }
    if data.position(name).is_some() {
        return named(data, name).map(Some);
    }
    let mut alike = data.names().iter().filter(|own| own.eq_ignore_ascii_case(name));
    match (alike.next(), alike.next()) {
        (Some(own), None) => named(data, own).map(Some),
        _ => Ok(None),
    }
}

/// Does a column that is none of the data's describe the table as a whole, or single cells?
fn is_frame(format: PublishedFormat, column: &Column, lines: &[usize]) -> bool {
    match format {
        PublishedFormat::Tidy => false,
        PublishedFormat::Sdmx => true,
        PublishedFormat::JsonStat => {
            lines.iter().all(|&line| column.code(line) == column.code(lines[0]))
        }
    }
}

fn unknown(name: &str, format: PublishedFormat, data: &Columns) -> Diagnostic {
    let meant = did_you_mean(name, data.names());
    let remedy = match format {
        _ if meant.starts_with("did you mean") => {
            format!("{meant} say so as `columns` of this table in the project file, or ignore it")
        }
        PublishedFormat::JsonStat => {
            "say which column it is, or choose one category with `only`, in the project file"
                .to_owned()
        }
        _ => "say which column it is (`columns`), or `ignore` it, in the project file".to_owned(),
    };
    let detail = format!("`{name}` of the published table is not a column of the data");
    Diagnostic::new(Code::UnknownColumn, detail, remedy)
}

fn totals_of(entry: &PublishedEntry, totals: &[String], format: PublishedFormat) -> Vec<String> {
    match (&entry.total[..], totals, format) {
        ([], [], PublishedFormat::Sdmx) => vec![SDMX_TOTAL.to_owned()],
        ([], totals, _) => totals.to_vec(),
        (own, _, _) => own.to_vec(),
    }
}

/// The cells of a published file.
fn cells(
    entry: &PublishedEntry,
    file: &PublishedFile,
    lines: &[usize],
    shape: &Shape,
    totals: &[String],
) -> Result<PublishedTable, Diagnostic> {
    let absent = if entry.absent_is_zero { Absent::Zero } else { Absent::Unpublished };
    let mut table = PublishedTable::new(shape.variables.len(), absent);
    for &line in lines {
        let entries: Vec<Option<&[u8]>> = shape
            .variables
            .iter()
            .map(|&(at, _)| {
                let column = &file.columns[at].1;
                let category = column.dictionary().category(column.code(line));
                let category = category.expect("a published file has no nulls");
                (!totals.iter().any(|total| total.as_bytes() == category)).then_some(category)
            })
            .collect();
        let number = file.numbers[line];
        if number.is_some_and(|number| !number.is_whole()) && entry.weight.is_none() {
            return Err(file.at(line, broken_count()));
        }
        table
            .push(&entries, number)
            .map_err(|earlier| repeated(file, shape, lines[earlier], line))?;
    }
    Ok(table)
}

fn broken_count() -> Diagnostic {
    Diagnostic::new(
        Code::BadNumber,
        "the number has decimals, and a count has none",
        "name the column of weights as `weight` of this table, if it is a sum of weights",
    )
}

fn repeated(file: &PublishedFile, shape: &Shape, earlier: usize, line: usize) -> Diagnostic {
    let differs = |at: &&usize| {
        let column = &file.columns[**at].1;
        column.code(earlier) != column.code(line)
    };
    let others: Vec<String> = shape
        .ignored
        .iter()
        .filter(differs)
        .map(|&at| format!("`{}`", file.columns[at].0))
        .collect();
    let first = file.at(earlier, Diagnostic::new(Code::RepeatedCell, "", "")).place;
    let detail = match &others[..] {
        [] => format!("the cell is published before: {first}"),
        names => format!(
            "the cell is published before: {first}; the two differ in {}, which is not a column of \
             the data",
            names.join(", ")
        ),
    };
    let remedy = match others.is_empty() {
        true => "remove one of them",
        false => "say which column of the data it is, or choose one category with `only`",
    };
    file.at(line, Diagnostic::new(Code::RepeatedCell, detail, remedy))
}

/// Refuses a total that is also a category, and a variable that is coded in another way.
fn check_categories(
    file: &PublishedFile,
    shape: &Shape,
    totals: &[String],
    table: &PublishedTable,
    data: &Columns,
) -> Result<(), Diagnostic> {
    for (variable, &(at, position)) in shape.variables.iter().enumerate() {
        let (published, own) = (&file.columns[at], data.get(position).expect("it was read"));
        let used = |column: &Column, code: &String| column.dictionary().find(code.as_bytes());
        let is_both =
            |code: &&String| used(&published.1, code).is_some() && used(own, code).is_some();
        let name = &data.names()[position];
        if totals.iter().any(|code| is_both(&code)) {
            return Err(Diagnostic::new(
                Code::TotalIsCategory,
                format!("the code of totals is also a category of `{name}`"),
                "give the code that this table uses, as `total` of this table in the project file",
            ));
        }
        let listed = table.levels(variable);
        if listed > 0 && table.shared_levels(variable, own) == 0 {
            return Err(Diagnostic::new(
                Code::OtherCategories,
                format!(
                    "none of the {} published categories of `{}` occurs in `{name}` of the data",
                    grouped(listed as u64),
                    published.0
                ),
                "compare the codes of the data; or say which column it is, or `ignore` it, in the project file",
            ));
        }
    }
    Ok(())
}

/// What each record adds to a weighted table.
fn weights(data: &Columns, position: usize) -> Result<Vec<Decimal>, Diagnostic> {
    let column = data.get(position).expect("it was read for this table");
    let dictionary = column.dictionary();
    let codes = (0..).take(dictionary.levels());
    let weights: Vec<Option<Decimal>> = codes
        .map(|code| dictionary.category(code).and_then(Decimal::read))
        .map(|weight| weight.filter(|weight| weight.is_weight()))
        .collect();
    let mut amounts = Vec::with_capacity(column.len());
    let mut bad = None;
    column.for_each_code(|record, code| match weights[code as usize] {
        Some(weight) => amounts.push(weight),
        None => {
            bad.get_or_insert(record);
        }
    });
    match bad {
        None => Ok(amounts),
        Some(record) => Err(Diagnostic::new(
            Code::BadWeight,
            format!("the weight of record {} cannot be added up", grouped(record as u64 + 1)),
            "a weight is a number that is not negative, with a decimal point",
        )
        .in_column(format!("`{}`", data.names()[position]))),
    }
}

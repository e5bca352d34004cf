//! Weighted tables whose counts need not stay exact: the weights of a file, which tables they
//! count in, and how far these moved.
//!
//! A weight stays with its line. Weights are read exactly, as decimal text, in units of the
//! eighteenth place; no sum of them is rounded.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use marginswap_core::columns::Column;
use marginswap_core::diagnostic::{Diagnostic, grouped};
use marginswap_core::graph::{Formula, Scope};
use marginswap_core::plan::WeightBound;
use marginswap_core::varset::VarSet;
use marginswap_core::verify::Weights;
use marginswap_io::{Overwrite, Secrecy, write_atomic};

use crate::input::Loaded;
use crate::project::{Project, WeightDrift};
use crate::refusal::Code;
use crate::study::Study;
use crate::view::{View, named_tables};
use marginswap_core::decimal::Decimal;

/// The weights of a file and the tables that are counted with them.
#[derive(Debug, Clone)]
pub struct Weighting {
    /// The weight of each code of their column.
    pub weights: Weights,
    /// What is asked of the weighted counts.
    pub drift: WeightDrift,
    /// The tables.
    pub tables: Vec<VarSet>,
}

impl Weighting {
    /// The weighting of a project, where weighted counts need not be exact.
    ///
    /// # Errors
    /// When something in the column is no weight.
    pub fn of(
        project: &Project,
        loaded: &Loaded,
        scope: &Scope,
    ) -> Result<Option<Self>, Diagnostic> {
        let (Some(name), drift) = (&project.swap.weight, project.weight_drift()) else {
            return Ok(None);
        };
        let (variable, column) = loaded.variable_and_column(scope, name);
        let of_code = weights_of(column).map_err(|record| bad_weight(loaded, name, record))?;
        if drift == WeightDrift::Exact {
            return Ok(None);
        }
        let named = Formula::parse(&project.swap.weighted)?;
        let chosen: Vec<VarSet> =
            named.tables().iter().map(|table| loaded.variables(scope, table)).collect();
        let tables = if chosen.is_empty() { named_tables(scope) } else { chosen };
        Ok(Some(Self { weights: Weights { variable, of_code }, drift, tables }))
    }

    /// The part of a weighted count by which it may move; `None` where nothing bounds it.
    #[must_use]
    pub fn share(&self) -> Option<[u64; 2]> {
        match self.drift {
            WeightDrift::Within(share) => Some(share.parts().into()),
            WeightDrift::Exact | WeightDrift::Free => None,
        }
    }

    /// What a plan must respect.
    #[must_use]
    pub fn bound(&self) -> Option<WeightBound> {
        let share = self.share()?;
        let Weights { variable, of_code } = &self.weights;
        let (variable, weights) = (*variable, of_code.clone());
        Some(WeightBound { variable, weights, tables: self.tables.clone(), share })
    }
}

/// The weight of each code of a column; the first record with something else otherwise.
pub(crate) fn weights_of(column: &Column) -> Result<Vec<u128>, usize> {
    let levels = u32::try_from(column.dictionary().levels()).expect("codes have 32 bits");
    let weight = |code| {
        let text = column.dictionary().category(code)?;
        Decimal::read(text)?.units()
    };
    let weights: Vec<Option<u128>> = (0..levels).map(weight).collect();
    match (0..column.len()).find(|&record| weights[column.code(record) as usize].is_none()) {
        Some(record) => Err(record),
        None => Ok(weights.into_iter().map(Option::unwrap_or_default).collect()),
    }
}

/// The refusal of something that is no weight: of the setting where nothing in the column is a
/// number, else of the record.
pub(crate) fn bad_weight(loaded: &Loaded, name: &str, record: usize) -> Diagnostic {
    let column = loaded.position(name).ok().and_then(|place| loaded.raw_columns()[place].as_ref());
    let texts = column.map(|column| column.dictionary());
    let mut codes = (0u32..).take(texts.map_or(0, |texts| texts.levels()));
    let is_number = |code| texts?.category(code).and_then(Decimal::read);
    if codes.all(|code| is_number(code).is_none()) {
        return Diagnostic::new(
            Code::BadWeight,
            format!("no value of `{name}` is a number, so it cannot be the weight"),
            "name the column of weights; numbers are written with a decimal point",
        )
        .about(format!("swap.weight={name}"));
    }
    Diagnostic::new(
        Code::BadWeight,
        format!("the weight of record {} cannot be used", grouped(record as u64 + 1)),
        "a weight is a number that is not negative, with a decimal point",
    )
    .in_file(loaded.path())
    .in_column(format!("`{name}`"))
}

/// Writes the tables of the original, each with its counts and, where there is a weight, its
/// weighted counts, to a folder: what the released file would be calibrated to. Tables of
/// households have names of their own.
///
/// # Errors
/// When something in the column of weights is none, or a file cannot be written.
pub fn write_margins(
    study: &Study,
    folder: &Path,
    overwrite: Overwrite,
) -> Result<Vec<PathBuf>, Diagnostic> {
    fs::create_dir_all(folder).map_err(|error| {
        Diagnostic::new(
            Code::Unwritable,
            marginswap_io::said(&error),
            "name a folder that can be made",
        )
        .in_file(folder)
    })?;
    let keep = &study.people().project.keep;
    let mut written = write_tables(study.people(), &keep.formulas(), (folder, "table"), overwrite)?;
    let place = (folder, "households");
    written.extend(write_tables(&study.units, &keep.households, place, overwrite)?);
    Ok(written)
}

/// Writes tables that count the records of a file, each to a file of its own with this name and
/// a number.
fn write_tables(
    view: &View,
    formulas: &[String],
    (folder, name): (&Path, &str),
    overwrite: Overwrite,
) -> Result<Vec<PathBuf>, Diagnostic> {
    let View { project, loaded, scope, .. } = view;
    let weights = match &project.swap.weight {
        None => None,
        Some(name) => {
            let column = loaded.variable_and_column(scope, name).1;
            let of_code = weights_of(column).map_err(|record| bad_weight(loaded, name, record))?;
            Some((column, of_code))
        }
    };
    let mut written = Vec::new();
    for (number, names) in Formula::parse(formulas)?.tables().iter().enumerate() {
        let columns: Vec<&Column> =
            names.iter().map(|name| loaded.variable_and_column(scope, name).1).collect();
        let mut cells: BTreeMap<Vec<u32>, (u64, u128)> = BTreeMap::new();
        for record in 0..view.records.len() {
            let codes = columns.iter().map(|column| column.code(record)).collect();
            let (count, weighted) = cells.entry(codes).or_default();
            *count += 1;
            if let Some((column, of_code)) = &weights {
                *weighted += of_code[column.code(record) as usize];
            }
        }
        let file = folder.join(format!("{name}-{}.csv", number + 1));
        write_atomic(&file, overwrite, Secrecy::Plain, |out| {
            let quoted = |bytes: &[u8]| quoted_field(&String::from_utf8_lossy(bytes));
            let head: Vec<String> = names.iter().map(|name| quoted(name.as_bytes())).collect();
            let weighted = if weights.is_some() { ",weighted" } else { "" };
            writeln!(out, "{},count{weighted}", head.join(","))?;
            for (codes, (count, weighted)) in &cells {
                let value = |(column, code): (&&Column, &u32)| {
                    quoted(column.dictionary().category(*code).unwrap_or_default())
                };
                let values: Vec<String> = columns.iter().zip(codes).map(value).collect();
                write!(out, "{},{count}", values.join(","))?;
                match weights.is_some() {
                    true => writeln!(out, ",{}", Decimal::of_units(*weighted))?,
                    false => writeln!(out)?,
                }
            }
            Ok(())
        })?;
        written.push(file);
    }
    Ok(written)
}

/// A field of a CSV file, between quotes where it must be.
fn quoted_field(field: &str) -> String {
    match field.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", field.replace('"', "\"\"")),
        false => field.to_owned(),
    }
}

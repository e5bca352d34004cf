//! What `inspect` answers: the columns of a file, and its cells.

use std::collections::BTreeMap;

use marginswap_core::columns::{Column, Dependency, Role, looks_like_id};
use marginswap_core::table::CellSizes;
use marginswap_io::ColumnLabels;
use marginswap_report::inspect::{
    ColumnReport, ColumnRole, DependencyReport, FunctionReport, HouseholdColumns, InspectReport,
    LevelReport, Revealed, RevealedColumn,
};

use super::Reveal;
use crate::appearance::{Function, functions, missing_looking};
use crate::input::Loaded;
use crate::project::{key, written};
use crate::settings::Value;

/// What is in a file: the columns that take part, then the derived variables.
#[must_use]
pub fn inspect(
    loaded: &Loaded,
    format: String,
    ignored: Vec<String>,
    sizes: CellSizes,
    households: Option<HouseholdColumns>,
    reveal: Reveal,
) -> InspectReport {
    let derived: BTreeMap<&str, String> =
        loaded.derived().map(|(name, expression, _)| (name, expression)).collect();
    let columns: Vec<ColumnReport> = loaded
        .columns()
        .filter(|(_, role, _)| *role != Role::Ignored)
        .map(|(name, role, column)| {
            let mut found = described(name, role, column, derived.get(name));
            if let Some(labels) = labels_of(loaded, name) {
                found.label.clone_from(&labels.label);
                found.value_labels = Some(labels.values.len());
            }
            // What something follows from is a number or a code.
            found.looks_like_id &= !loaded.is_source(name);
            found
        })
        .collect();
    InspectReport {
        data: loaded.path().display().to_string(),
        format,
        records: sizes.records,
        variables: columns.iter().filter(|column| column.role == ColumnRole::Variable).count(),
        columns,
        households,
        ignored,
        notes: loaded.labels().map(|labels| labels.notes),
        cells: sizes.cells,
        sample_uniques: sizes.sample_uniques,
        dependencies: following(loaded),
        revealed: (reveal == Reveal::Everything).then(|| revealed(loaded)),
    }
}

/// The columns that follow from others in every record.
fn following(loaded: &Loaded) -> Vec<DependencyReport> {
    let own = loaded.own_names();
    let told = |found: Dependency| {
        let (of, column) = found.columns();
        let all = of.iter().chain([&column]).map(|&one| Value::text(own[one].as_str()));
        DependencyReport {
            linked: format!("linked = [{}]", written(&Value::List(all.collect()))),
            column: own[column].clone(),
            of: of.iter().map(|&one| own[one].clone()).collect(),
            how: how(&found),
        }
    };
    loaded.dependencies().into_iter().map(told).collect()
}

/// The word for how a column follows from others.
pub(crate) fn how(found: &Dependency) -> &'static str {
    match found {
        Dependency::Function { .. } => "function",
        Dependency::Sum { .. } => "sum",
    }
}

/// The levels of the columns of a file and of its derived variables, and which columns follow from
/// others.
fn revealed(loaded: &Loaded) -> Revealed {
    let own = loaded.own_names();
    let all: Vec<(&str, &Column)> = loaded
        .columns()
        .filter(|(name, _, _)| own.iter().any(|own| own == name))
        .map(|(name, _, column)| (name, column))
        .collect();
    let (names, columns): (Vec<&str>, Vec<&Column>) = all.into_iter().unzip();
    let levels = loaded.columns().map(|(name, _, column)| {
        let mut levels = levels_of(name, column, labels_of(loaded, name));
        if !own.iter().any(|own| own == name) {
            // The classes of a derived variable are ours.
            levels.missing_looking.clear();
        }
        levels
    });
    let function = |found: Function| {
        let (column, of) = (names[found.column].to_owned(), names[found.of].to_owned());
        let line = |texts: [&String; 2]| {
            let [one, other] = texts.map(|text| written(&Value::text(text)));
            format!("linked = [[{one}, {other}]]")
        };
        FunctionReport {
            linked: line([&of, &column]),
            derive: found.expression.map(|expression| {
                format!("{} = {}", key(&column), written(&Value::text(expression)))
            }),
            column,
            of,
            both_ways: found.both_ways,
        }
    };
    Revealed {
        columns: levels.collect(),
        functions: functions(&names, &columns).into_iter().map(function).collect(),
    }
}

/// What the file says about a column.
fn labels_of<'a>(loaded: &'a Loaded, name: &str) -> Option<&'a ColumnLabels> {
    let position = loaded.own_names().iter().position(|own| own == name)?;
    loaded.labels()?.columns.get(position)
}

fn levels_of(name: &str, column: &Column, labels: Option<&ColumnLabels>) -> RevealedColumn {
    let mut records = vec![0u64; column.dictionary().levels()];
    column.for_each_code(|_, code| records[code as usize] += 1);
    let value = |code: u32| {
        let category = column.dictionary().category(code);
        category.map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    };
    let label = |code: u32| {
        let category = column.dictionary().category(code)?;
        labels?.values.get(category).cloned()
    };
    let mut levels: Vec<LevelReport> = (0u32..)
        .zip(&records)
        .map(|(code, &records)| LevelReport { value: value(code), records, label: label(code) })
        .collect();
    levels.sort_by_key(|level| std::cmp::Reverse(level.records));
    let missing_looking = missing_looking(column).into_iter().map(value).collect();
    RevealedColumn { name: name.to_owned(), levels, missing_looking }
}

fn described(name: &str, role: Role, column: &Column, derived: Option<&String>) -> ColumnReport {
    ColumnReport {
        name: name.to_owned(),
        role: match (derived, role) {
            (Some(_), _) => ColumnRole::Derived,
            (None, Role::Stay) => ColumnRole::Stay,
            (None, _) => ColumnRole::Variable,
        },
        derived: derived.cloned(),
        levels: column.dictionary().levels(),
        empty: blanks(column),
        looks_like_id: derived.is_none() && looks_like_id(column),
        label: None,
        value_labels: None,
    }
}

/// How many records have a null or an empty field.
fn blanks(column: &Column) -> u64 {
    let levels = column.dictionary().levels();
    let levels = u32::try_from(levels).expect("a column has fewer than 2^32 categories");
    let blank: Vec<u32> = (0..levels).filter(|&code| column.dictionary().is_blank(code)).collect();
    let mut blanks = 0;
    if !blank.is_empty() {
        column.for_each_code(|_, code| blanks += u64::from(blank.contains(&code)));
    }
    blanks
}

//! The names of the columns: what every format asks of them, and how they are shown.
//!
//! Tables and roles are given by name, so each column has one and no two share it. Names
//! are compared letter by letter: `Age`, `age` and `age ` are three names.
//!
//! Trap: a file may have no header line. Then the names are the values of the first record,
//! and no message may show them: see [`are_numbers`] and [`is_a_record`].
//!
//! Trap: a name may be hostile. What is shown of one is short and holds no control
//! character.
//!
//! Way in: [`check_names`].

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::refusal::Code;
use marginswap_core::columns::Column;
use marginswap_core::diagnostic::{Diagnostic, grouped};

/// A name that cannot be used, and the position of its column.
#[derive(Debug)]
pub(crate) struct BadName {
    pub(crate) column: usize,
    pub(crate) diagnostic: Diagnostic,
}

/// The longest name of a column, in bytes.
const LONGEST_NAME: usize = 1000;

/// The most columns of a file. Each takes some kilobytes before its first record is read, and no
/// more than 256 of them are exchanged.
const MOST_COLUMNS: usize = 10_000;

/// Refuses too many columns, a column without a name, a name nobody could read, and a second column
/// of one name.
pub(crate) fn check_names(names: &[String]) -> Result<(), BadName> {
    if names.len() > MOST_COLUMNS {
        let [all, most] = [names.len(), MOST_COLUMNS].map(|number| grouped(number as u64));
        let diagnostic = Diagnostic::new(
            Code::TooManyColumns,
            format!("the file has {all} columns, at most {most} are read"),
            "keep the columns that are needed in a file of their own, or name the right delimiter",
        );
        return Err(BadName { column: MOST_COLUMNS, diagnostic });
    }
    let mut columns = BTreeMap::new();
    for (column, name) in names.iter().enumerate() {
        if name.is_empty() {
            let diagnostic = Diagnostic::new(
                Code::EmptyName,
                format!("column {} of {} has no name", column + 1, names.len()),
                "give every column a name in the header",
            );
            return Err(BadName { column, diagnostic: diagnostic.in_column(number(column)) });
        }
        if name.len() > LONGEST_NAME {
            let diagnostic = Diagnostic::new(
                Code::FieldTooLong,
                format!(
                    "the name of column {} has {} bytes, at most {} are read",
                    column + 1,
                    grouped(name.len() as u64),
                    grouped(LONGEST_NAME as u64)
                ),
                "give the column a shorter name, or check that the first line is a header",
            );
            return Err(BadName { column, diagnostic: diagnostic.in_column(number(column)) });
        }
        if let Some(first) = columns.insert(name, column) {
            // Where there is no header line, it is somebody's value.
            let diagnostic = Diagnostic::new(
                Code::DuplicateName,
                format!("columns {} and {} have the same name", first + 1, column + 1),
                "give every column a name of its own, or add the header line that is missing",
            );
            return Err(BadName { column, diagnostic: diagnostic.in_column(number(column)) });
        }
    }
    Ok(())
}

/// Are all names numbers? Then they are most likely values of a record.
pub(crate) fn are_numbers(names: &[String]) -> bool {
    names.iter().all(|name| name.trim().parse::<f64>().is_ok())
}

/// Are the names 0, 1, 2 and so on, as a data frame numbers columns that nobody named? Such a frame
/// has no first line that could be a record.
pub(crate) fn are_positions(names: &[String]) -> bool {
    names.iter().enumerate().all(|(position, name)| *name == position.to_string())
}

/// Are the names most likely values of a record? They are when all are numbers, or when half of
/// them are categories of their own columns. One alone says little where there are several: a
/// column `hispanic` may well have the values `hispanic` and `not`.
pub(crate) fn is_a_record(names: &[String], columns: &[Option<Column>]) -> bool {
    let read =
        names.iter().zip(columns).filter_map(|(name, column)| Some((name, column.as_ref()?)));
    let (mut all, mut among) = (0, 0);
    for (name, column) in read {
        all += 1;
        among += usize::from(column.dictionary().holds(name.as_bytes()));
    }
    are_numbers(names) || are_too_many(among, all)
}

/// Are enough of these names categories of their own columns that all may be values?
pub(crate) fn are_too_many(among: usize, names: usize) -> bool {
    among >= names.min(2) && among > 0 && 2 * among >= names
}

/// A column as a place: its number, counted from 1, and its name if the header has it.
pub(crate) fn titled(column: usize, names: &[String]) -> String {
    match names.get(column) {
        Some(name) => format!("{} {}", number(column), shown(name)),
        None => number(column),
    }
}

/// The number of a column, counted from 1.
pub(crate) fn number(column: usize) -> String {
    (column + 1).to_string()
}

/// A name in backticks, cut to sixty characters, control characters escaped.
pub(crate) fn shown(name: &str) -> String {
    let mut text = String::from("`");
    for (position, character) in name.chars().enumerate() {
        if position == 60 {
            text.push('…');
            break;
        }
        if character.is_control() {
            write!(text, "{}", character.escape_default()).expect("a string takes text");
        } else {
            text.push(character);
        }
    }
    text.push('`');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_without_names_are_numbered_from_zero() {
        let are =
            |names: &[&str]| are_positions(&names.iter().map(|&n| n.into()).collect::<Vec<_>>());
        assert!(are(&["0", "1", "2"]));
        assert!(!are(&["1", "2", "3"]) && !are(&["0", "2"]) && !are(&["0", "01"]));
    }

    #[test]
    fn a_name_given_twice_is_not_shown() {
        for twice in ["31", "Smith"] {
            let names = ["north", twice, twice].map(str::to_owned);
            let said = check_names(&names).expect_err("it is refused").diagnostic.to_string();
            assert!(said.contains("columns 2 and 3 have the same name"), "{said}");
            assert!(said.contains("header line") && !said.contains(twice), "{said}");
        }
    }

    #[test]
    fn a_header_with_one_category_is_a_header() {
        let column = |values: &[&str]| {
            let mut column = marginswap_core::columns::ColumnBuilder::default();
            values.iter().for_each(|value| column.push(value.as_bytes()));
            Some(column.finish())
        };
        let columns = [column(&["hispanic", "not"]), column(&["f", "m"]), column(&["1", "2"])];
        let names = |names: [&str; 3]| names.map(str::to_owned);
        assert!(!is_a_record(&names(["hispanic", "sex", "age"]), &columns));
        assert!(is_a_record(&names(["hispanic", "f", "17"]), &columns));
        assert!(is_a_record(&names(["4", "5", "6"]), &columns));
        assert!(is_a_record(&["m".to_owned()], &columns[1..2]));
        assert!(!is_a_record(&["sex".to_owned()], &columns[1..2]));
    }

    #[test]
    fn a_hostile_name_is_shown_tamely() {
        assert_eq!(shown("marital status"), "`marital status`");
        assert_eq!(shown("a\n\x1b[2J"), "`a\\n\\u{1b}[2J`");
        assert_eq!(shown(&"x".repeat(1000)).chars().count(), 63);
    }
}

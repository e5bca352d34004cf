//! An answer in two forms: JSON for programs, text for people.
//!
//! The fields of an answer are its JSON; its text says the same in words. Both show names
//! and counts, never a data value.

use marginswap_core::text::{escaped, grouped, is_control, quoted};
use serde::Serialize;

use crate::lettering::columns;

/// What a command answers.
pub trait Answer: Serialize {
    /// The text a methodologist reads.
    fn text(&self) -> String;
}

/// The version of the JSON: raised when a field is renamed, is removed or gets another meaning.
/// A new field leaves it as it is.
pub const JSON_VERSION: u32 = 1;

/// What is printed as JSON, with its version before it.
#[derive(Serialize)]
pub struct Versioned<'a, A> {
    version: u32,
    #[serde(flatten)]
    answer: &'a A,
}

impl<'a, A: Serialize> Versioned<'a, A> {
    /// The answer with the version of this program's JSON.
    #[must_use]
    pub fn of(answer: &'a A) -> Self {
        Self { version: JSON_VERSION, answer }
    }
}

/// A set of variables by name, in the file's column order.
pub type Names = Vec<String>;

/// A table as its formula: `region*sex`.
#[must_use]
pub fn formula(table: &[String]) -> String {
    table.iter().map(|name| escaped(&quoted(name))).collect::<Vec<_>>().join("*")
}

/// A name in a list: between backticks where its ends could not be told otherwise.
#[must_use]
pub(crate) fn shown(name: &str) -> String {
    let plain = !name.is_empty()
        && name.trim() == name
        && !name.contains([',', '`', '|'])
        && !name.contains(is_control);
    if plain { name.to_owned() } else { format!("`{}`", escaped(&name.replace('`', "``"))) }
}

/// A set as a list of names.
#[must_use]
pub(crate) fn listed(set: &[String]) -> String {
    set.iter().map(|name| shown(name)).collect::<Vec<_>>().join(", ")
}

/// Words in lines of at most a hundred characters, separated by semicolons.
#[must_use]
pub(crate) fn wrapped(words: &[String]) -> String {
    const WIDTH: usize = 100;
    let mut lines = vec![String::new()];
    for (position, word) in words.iter().enumerate() {
        let line = lines.last_mut().expect("there is a first line");
        let sign = if position + 1 < words.len() { ";" } else { "" };
        if columns(line) + columns(word) + 4 > WIDTH && !line.is_empty() {
            lines.push(format!("  {word}{sign}"));
        } else {
            let blank = if line.is_empty() { "  " } else { " " };
            line.push_str(&format!("{blank}{word}{sign}"));
        }
    }
    lines.join("\n") + "\n"
}

/// A separator as a list of names; the empty one says so.
#[must_use]
pub(crate) fn separator(set: &[String]) -> String {
    if set.is_empty() { "(empty)".to_owned() } else { listed(set) }
}

/// "1 record", "2 records".
#[must_use]
pub(crate) fn counted(count: u64, singular: &str, plural: &str) -> String {
    format!("{} {}", grouped(count), if count == 1 { singular } else { plural })
}

/// A share in percent. Only all is 100.0 and only none is 0.0; what would be rounded to one
/// of them is written as less than 0.1 or more than 99.9.
#[must_use]
pub(crate) fn percent(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "–".to_owned();
    }
    let tenths = (u128::from(part) * 1000 + u128::from(whole) / 2) / u128::from(whole);
    match tenths {
        0 if part > 0 => "<0.1 %".to_owned(),
        1000 if part < whole => ">99.9 %".to_owned(),
        _ => format!("{}.{} %", tenths / 10, tenths % 10),
    }
}

/// A share between 0 and 1 in percent. Only all is 100.0 and only none is 0.0.
#[must_use]
pub(crate) fn share(share: f64) -> String {
    match share * 100.0 {
        tiny if tiny > 0.0 && tiny < 0.05 => "<0.1 %".to_owned(),
        near if (99.95..100.0).contains(&near) => ">99.9 %".to_owned(),
        other => format!("{other:.1} %"),
    }
}

/// A distance between tables, which is a share, in percent. Only none is 0.00.
#[must_use]
pub(crate) fn distance(distance: f64) -> String {
    match distance * 100.0 {
        tiny if tiny > 0.0 && tiny < 0.005 => "<0.01 %".to_owned(),
        other => format!("{other:.2} %"),
    }
}

/// An intruder, for the middle of a sentence.
pub(crate) fn intruder(name: Option<&str>) -> String {
    match name {
        None => "an intruder".to_owned(),
        Some(name) => format!("the intruder “{}”", shown(name)),
    }
}

/// Words with a capital at their beginning.
#[must_use]
pub(crate) fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Lines with their cells aligned: the first column to the left, the others to the right.
#[must_use]
pub(crate) fn aligned(rows: &[Vec<String>]) -> String {
    let widths = widths(rows);
    lines(rows, |column, cell| match column {
        0 => filled(cell, widths[column], Side::Behind),
        _ => filled(cell, widths[column], Side::Before),
    })
}

/// Lines with all their cells aligned to the left.
#[must_use]
pub(crate) fn aligned_left(rows: &[Vec<String>]) -> String {
    let widths = widths(rows);
    lines(rows, |column, cell| filled(cell, widths[column], Side::Behind))
}

/// Where blanks are added.
#[derive(Clone, Copy)]
enum Side {
    Before,
    Behind,
}

/// A cell with blanks up to a width. Formatting with `{:<width$}` would count characters
/// instead of columns, and panics beyond 65,535 of them.
fn filled(cell: &str, width: usize, side: Side) -> String {
    let blanks = " ".repeat(width.saturating_sub(columns(cell)));
    match side {
        Side::Before => blanks + cell,
        Side::Behind => cell.to_owned() + &blanks,
    }
}

fn widths(rows: &[Vec<String>]) -> Vec<usize> {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| columns(cell)).max()
    };
    (0..count).map(|column| width(column).unwrap_or(0)).collect()
}

fn lines(rows: &[Vec<String>], fill: impl Fn(usize, &str) -> String) -> String {
    let mut text = String::new();
    for row in rows {
        let cells: Vec<String> =
            row.iter().enumerate().map(|(column, cell)| fill(column, cell)).collect();
        text.push_str(format!("  {}", cells.join("  ")).trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_all_is_a_hundred_percent() {
        assert_eq!(percent(99_999, 100_000), ">99.9 %");
        assert_eq!(percent(99_949, 100_000), "99.9 %");
        assert_eq!(percent(2, 100_000), "<0.1 %");
        assert_eq!(percent(50, 100_000), "0.1 %");
        assert_eq!(percent(0, 7), "0.0 %");
        assert_eq!(percent(7, 7), "100.0 %");
        assert_eq!(percent(1, 3), "33.3 %");
        assert_eq!(percent(0, 0), "–");
    }

    #[test]
    fn only_a_whole_share_is_a_hundred_percent() {
        let cases = [(0.0, "0.0 %"), (0.000_1, "<0.1 %"), (0.314, "31.4 %"), (1.0, "100.0 %")];
        for (number, words) in cases {
            assert_eq!(share(number), words);
        }
        assert_eq!(share(0.999_9), ">99.9 %");
        let cases = [(0.0, "0.00 %"), (1e-9, "<0.01 %"), (0.123_46, "12.35 %")];
        for (number, words) in cases {
            assert_eq!(distance(number), words);
        }
        assert_eq!(sentence("élan"), "Élan");
    }

    #[test]
    fn cells_are_aligned() {
        let rows = [vec!["a".to_owned(), "10".to_owned()], vec!["bcd".to_owned(), "9".to_owned()]];
        assert_eq!(aligned(&rows), "  a    10\n  bcd   9\n");
    }

    #[test]
    fn cells_are_aligned_by_what_is_seen() {
        let rows =
            ["年齢", "e\u{301}té", "👍🏽", "abcd"].map(|name| vec![name.to_owned(), "1".to_owned()]);
        assert_eq!(aligned(&rows), "  年齢  1\n  e\u{301}té   1\n  👍🏽    1\n  abcd  1\n");
    }

    #[test]
    fn a_name_of_any_length_is_aligned() {
        let rows = ["a".to_owned(), "b".repeat(70_000)].map(|name| vec![name, "1".to_owned()]);
        assert_eq!(aligned(&rows).lines().map(str::len).collect::<Vec<_>>(), [70_005, 70_005]);
    }

    #[test]
    fn names_in_a_list_can_be_told_apart() {
        let names = ["plain name", " edge", "a,b", "a\x1b[2J", "back`tick"].map(str::to_owned);
        assert_eq!(listed(&names), "plain name, ` edge`, `a,b`, `a\\u{1b}[2J`, `back``tick`");
        assert_eq!(formula(&["a\nb".to_owned(), "c".to_owned()]), "`a\\nb`*c");
    }

    #[test]
    fn long_lists_are_wrapped() {
        let words: Vec<String> = (0..100).map(|number: u32| (number * 1000).to_string()).collect();
        let text = wrapped(&words);
        assert!(text.lines().count() > 5 && text.lines().all(|line| line.len() <= 100), "{text}");
        assert_eq!(text.split_whitespace().count(), 100);
        assert_eq!(wrapped(&["1".to_owned()]), "  1\n");
    }
}

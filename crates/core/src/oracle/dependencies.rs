//! What every record obeys, and which records do not: looked at for all columns, and for each
//! record beside every other.

use crate::columns::{Column, Dependency};

/// The category of a record.
fn text(column: &Column, record: usize) -> Option<&[u8]> {
    column.dictionary().category(column.code(record))
}

/// The whole number of a record.
fn number(column: &Column, record: usize) -> Option<i128> {
    std::str::from_utf8(text(column, record)?).ok()?.parse::<i64>().ok().map(i128::from)
}

/// Do two records of two files, which may be one, show that a column is no function of another?
fn contradict(of: [&Column; 2], column: [&Column; 2], records: [usize; 2]) -> bool {
    let same = |pair: [&Column; 2]| text(pair[0], records[0]) == text(pair[1], records[1]);
    same(of) && !same(column)
}

/// Is a column a function of another?
#[must_use]
pub fn is_function(of: &Column, column: &Column) -> bool {
    let all = 0..of.len();
    all.clone()
        .all(|one| !all.clone().any(|next| contradict([of, of], [column, column], [one, next])))
}

/// Is a column the sum of others?
#[must_use]
pub fn is_sum(addends: &[&Column], total: &Column) -> bool {
    (0..total.len()).all(|record| adds_up(addends, total, record))
}

fn adds_up(addends: &[&Column], total: &Column, record: usize) -> bool {
    let sum: Option<i128> = addends.iter().map(|one| number(one, record)).sum();
    sum.is_some() && sum == number(total, record)
}

/// How many records of a second file break a dependency of the first.
#[must_use]
pub fn records_that_break(
    dependency: &Dependency,
    before: &[Option<Column>],
    after: &[Option<Column>],
) -> u64 {
    let read =
        |file: &[Option<Column>], position: usize| file[position].clone().expect("it was read");
    let (others, last) = dependency.columns();
    let records = 0..read(after, last).len();
    let breaks = |record: &usize| match dependency {
        Dependency::Function { of, column } => {
            let of = [before, after].map(|file| read(file, *of));
            let column = [before, after].map(|file| read(file, *column));
            (0..of[0].len())
                .any(|one| contradict([&of[0], &of[1]], [&column[0], &column[1]], [one, *record]))
        }
        Dependency::Sum { .. } => {
            let addends: Vec<Column> = others.iter().map(|&one| read(after, one)).collect();
            let addends: Vec<&Column> = addends.iter().collect();
            !adds_up(&addends, &read(after, last), *record)
        }
    };
    records.filter(breaks).count() as u64
}

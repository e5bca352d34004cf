//! Columns that follow from others, against the definitions.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use marginswap_core::columns::{Column, Dependency, SUPPORT, broken, dependencies};
use marginswap_core::oracle::dependencies::{is_function, is_sum, records_that_break};
use proptest::prelude::*;

fn column(values: impl IntoIterator<Item = String>) -> Column {
    let values: Vec<String> = values.into_iter().collect();
    values.iter().map(|value| value.as_bytes()).collect()
}

fn found(columns: &[Column]) -> Vec<Dependency> {
    dependencies(&columns.iter().map(Some).collect::<Vec<_>>())
}

/// Numbers without a pattern.
fn drawn(seed: u64, records: usize, below: u64) -> Vec<u64> {
    let mut state = seed;
    let mut draw = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    (0..records).map(|_| draw()).collect()
}

fn texts(values: &[u64]) -> Column {
    column(values.iter().map(u64::to_string))
}

fn added(all: &[&[u64]]) -> Vec<u64> {
    (0..all[0].len()).map(|record| all.iter().map(|one| one[record]).sum()).collect()
}

const RECORDS: usize = 600;

/// A household with its members, an area with its county and its country, an age with the year of
/// birth, and columns that have nothing to do with each other.
#[test]
fn sums_and_functions_are_found() {
    let [kids, adults, income] =
        [(1, 4), (2, 3), (3, 7)].map(|(seed, of)| drawn(seed, RECORDS, of));
    let total = added(&[&kids, &adults]);
    let all = added(&[&total, &income]);
    let town = drawn(4, RECORDS, 30);
    let county: Vec<u64> = town.iter().map(|town| town / 5).collect();
    let country: Vec<u64> = county.iter().map(|county| county / 3).collect();
    let age = drawn(5, RECORDS, 60);
    let columns = [
        texts(&kids),
        texts(&adults),
        texts(&total),
        texts(&all),
        texts(&income),
        column(town.iter().map(|town| format!("t{town}"))),
        column(county.iter().map(|county| format!("c{county}"))),
        column(country.iter().map(|country| format!("n{country}"))),
        column(age.iter().map(|age| format!("a{age}"))),
        column(age.iter().map(|age| format!("{}", 2_026 - age))),
        column((0..RECORDS).map(|_| "same".to_owned())),
        column((0..RECORDS).map(|record| format!("id{record}"))),
    ];
    let function = |of, column| Dependency::Function { of, column };
    let sum = |addends: &[usize], total| Dependency::Sum { addends: addends.to_vec(), total };
    assert_eq!(
        found(&columns),
        [function(5, 6), function(6, 7), function(8, 9), sum(&[0, 1], 2), sum(&[2, 4], 3)]
    );
    // Without the sum in between, that of three is told.
    let without: Vec<Column> = [0, 1, 3, 4].map(|place: usize| columns[place].clone()).to_vec();
    assert_eq!(found(&without), [sum(&[0, 1, 3], 2)]);
    // One record that does not obey is enough.
    let mut other = total.clone();
    other[RECORDS - 1] += 1;
    assert_eq!(found(&[texts(&kids), texts(&adults), texts(&other)]), []);
    let mut moved = county.clone();
    moved[RECORDS - 1] += 1;
    assert_eq!(found(&[texts(&town), texts(&moved)]), []);
}

/// What few records say is chance: one less than [`SUPPORT`] is too few.
#[test]
fn what_few_records_say_is_no_dependency() {
    let rare = |records: usize| -> Vec<u64> {
        (0..RECORDS).map(|record| u64::from(record < records)).collect()
    };
    let other = drawn(6, RECORDS, 5);
    for (records, expected) in [(SUPPORT - 1, 0), (SUPPORT, 1)] {
        let few = rare(records);
        let columns = [texts(&few), texts(&other), texts(&added(&[&few, &other]))];
        let sums = found(&columns);
        assert_eq!(sums.len(), expected, "{records}: {sums:?}");
    }
    // The first record of a category confirms nothing.
    for (records, expected) in [(SUPPORT, 0), (SUPPORT + 1, 1)] {
        let of: Vec<u64> = rare(records)
            .iter()
            .zip(0..)
            .map(|(rare, record)| rare * 1_000 + u64::from(rare == &0 && record % 2 == 0))
            .collect();
        let columns = [texts(&of), texts(&rare(records))];
        assert_eq!(found(&columns).len(), expected, "{records}");
    }
    // Nearly every value differs: what follows from it follows from nothing.
    let ids: Vec<u64> = (0..RECORDS as u64)
        .map(|record| record / 2 * u64::from(record > 40) + record * u64::from(record <= 40))
        .collect();
    let ids: Vec<u64> = ids
        .iter()
        .enumerate()
        .map(|(record, id)| if record < 590 { record as u64 } else { *id })
        .collect();
    assert_eq!(found(&[texts(&ids), texts(&other)]), []);
}

/// Two hundred drawn files of columns that have nothing to do with each other.
#[test]
fn nothing_is_found_where_nothing_is() {
    for seed in 0..200 {
        let columns: Vec<Column> =
            (0..6).map(|column| texts(&drawn(seed * 6 + column, 200, 2 + column))).collect();
        assert_eq!(found(&columns), [], "{seed}");
    }
}

proptest! {
    #[test]
    fn law_broken_dependencies_by_definition(
        seed in any::<u64>(),
        levels in 2u64..5,
        swaps in proptest::collection::vec((0usize..120, 0usize..120, 0usize..5), 0..12),
    ) {
        let [one, other] = [1, 2].map(|add| drawn(seed.wrapping_add(add), 120, levels + 1));
        let of: Vec<u64> = drawn(seed, 120, levels * 2);
        let column: Vec<u64> = of.iter().map(|of| of / 2).collect();
        let total = added(&[&one, &other]);
        let before: Vec<Column> = [&one, &other, &total, &of, &column].map(|values| texts(values)).to_vec();
        let told = found(&before);
        for dependency in &told {
            let (of, column) = dependency.columns();
            let of: Vec<&Column> = of.iter().map(|&one| &before[one]).collect();
            let holds = match dependency {
                Dependency::Function { .. } => is_function(of[0], &before[column]),
                Dependency::Sum { .. } => is_sum(&of, &before[column]),
            };
            prop_assert!(holds);
        }
        let is_total = Dependency::Sum { addends: vec![0, 1], total: 2 };
        prop_assert!(told.contains(&is_total));
        let mut takes: Vec<Vec<(usize, usize)>> = vec![Vec::new(); 5];
        for &(left, right, column) in &swaps {
            if takes[column].iter().all(|&(record, _)| record != left && record != right) {
                takes[column].extend([(left, right), (right, left)]);
            }
        }
        let after: Vec<Option<Column>> = before
            .iter()
            .zip(&takes)
            .map(|(column, takes)| Some(column.with_exchanged(takes)))
            .collect();
        let before: Vec<Option<Column>> = before.into_iter().map(Some).collect();
        let found = broken(&told, &before, &after, None);
        for dependency in &told {
            let expected = records_that_break(dependency, &before, &after);
            let told = found.broken.iter().find(|(other, _)| other == dependency);
            prop_assert_eq!(told.map_or(0, |(_, records)| *records), expected);
        }
        let most: u64 = found.broken.iter().map(|(_, records)| records).sum();
        prop_assert!(found.records <= most && (found.records > 0) == (most > 0));
        let twice: Vec<u32> = vec![2; 120];
        prop_assert_eq!(broken(&told, &before, &after, Some(&twice)).records, 2 * found.records);
    }
}

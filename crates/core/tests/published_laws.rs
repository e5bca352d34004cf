//! Published tables against the definition, on files so small that coincidences are common.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use marginswap_core::columns::{Column, ColumnBuilder};
use marginswap_core::decimal::Decimal;
use marginswap_core::oracle::{PlainCell, PlainCheck, PlainRecord, World, published};
use marginswap_core::varset::VarSet;
use marginswap_core::verify::{
    Absent, Differences, PublishedCheck, PublishedTable, Side, compare_published,
};
use proptest::prelude::*;

/// The categories of a code: none is a number's usual text, and no two files share an order.
fn word(code: u32) -> String {
    format!("c{code}")
}

fn columns(records: &[PlainRecord], variables: usize) -> Vec<Column> {
    (0..variables)
        .map(|variable| {
            let mut column = ColumnBuilder::default();
            records.iter().for_each(|(record, _)| column.push(record[variable].as_bytes()));
            column.finish()
        })
        .collect()
}

fn amounts(records: &[PlainRecord]) -> Vec<Decimal> {
    records.iter().map(|(_, amount)| Decimal::whole(amount.unsigned_abs())).collect()
}

/// The table with every cell once; a repeated one is refused with the place of the first.
fn table(cells: &[PlainCell], variables: usize, absent: Absent) -> PublishedTable {
    let mut table = PublishedTable::new(variables, absent);
    for (cell, number) in cells {
        let entries: Vec<Option<&[u8]>> =
            cell.iter().map(|entry| entry.as_deref().map(str::as_bytes)).collect();
        let number = number.map(|number| Decimal::whole(number.unsigned_abs()));
        table.push(&entries, number).unwrap();
    }
    table
}

fn compared(
    table: &PublishedTable,
    original: &[PlainRecord],
    released: &[PlainRecord],
    variables: usize,
) -> PublishedCheck {
    let columns = [original, released].map(|records| columns(records, variables));
    let amounts = [original, released].map(amounts);
    let side = |file: usize| columns[file].iter().collect::<Vec<_>>();
    let sides = [side(0), side(1)];
    let weighed = |records: &[PlainRecord]| records.iter().any(|(_, amount)| *amount != 1);
    let weighed = weighed(original) || weighed(released);
    let [before, after] = [0, 1]
        .map(|file| Side { columns: &sides[file], amounts: weighed.then_some(&amounts[file][..]) });
    compare_published(table, before, after)
}

fn plain(check: &PublishedCheck) -> PlainCheck {
    let two = |found: Differences| (found.cells, found.largest.to_string().parse().unwrap());
    PlainCheck {
        cells: check.cells,
        suppressed: check.suppressed,
        differing: two(check.differing),
        changed: two(check.changed),
        moved: two(check.moved),
        unlisted: check.unlisted,
    }
}

fn file(variables: usize) -> impl Strategy<Value = Vec<PlainRecord>> {
    let record = proptest::collection::vec(0u32..3, variables);
    let record = (record, prop_oneof![3 => Just(1i64), 1 => 0i64..4]);
    proptest::collection::vec(record, 0..10).prop_map(|records| {
        let words = |codes: Vec<u32>| codes.into_iter().map(word).collect();
        records.into_iter().map(|(codes, amount)| (words(codes), amount)).collect()
    })
}

/// Cells with totals and suppressed numbers, each once; a fourth category occurs nowhere.
fn cells(variables: usize) -> impl Strategy<Value = Vec<PlainCell>> {
    let entry = prop_oneof![3 => (0u32..4).prop_map(Some), 1 => Just(None)];
    let cell = proptest::collection::vec(entry, variables);
    let number = prop_oneof![5 => (0i64..4).prop_map(Some), 1 => Just(None)];
    proptest::collection::btree_map(cell, number, 0..12).prop_map(|cells| {
        let words = |codes: Vec<Option<u32>>| codes.into_iter().map(|at| at.map(word)).collect();
        cells.into_iter().map(|(codes, number)| (words(codes), number)).collect()
    })
}

/// Two files and a table; the second file is most often the first with a few changes.
fn case() -> impl Strategy<Value = (usize, Vec<PlainRecord>, Vec<PlainRecord>, Vec<PlainCell>)> {
    (1usize..=3).prop_flat_map(|variables| {
        let mask = proptest::collection::vec(proptest::bool::weighted(0.7), 10);
        (file(variables), file(variables), mask, cells(variables)).prop_map(
            move |(before, other, same, cells)| {
                let pick = |(place, record): (usize, PlainRecord)| match before.get(place) {
                    Some(own) if same[place] => own.clone(),
                    _ => record,
                };
                let after = other.into_iter().enumerate().map(pick).collect();
                (variables, before, after, cells)
            },
        )
    })
}

/// What an office would publish from these records: every margin in the pattern's totals.
fn counted(records: &[PlainRecord], totals: &[Vec<bool>]) -> Vec<PlainCell> {
    let mut cells = std::collections::BTreeMap::new();
    for totals in totals {
        for (record, amount) in records {
            let both = record.iter().zip(totals);
            let cell: Vec<Option<String>> =
                both.map(|(own, total)| (!total).then(|| own.clone())).collect();
            *cells.entry(cell).or_insert(0) += amount;
        }
    }
    cells.into_iter().map(|(cell, number)| (cell, Some(number))).collect()
}

/// Every pattern of totals over `variables` variables.
fn patterns(variables: usize) -> Vec<Vec<bool>> {
    (0..1u32 << variables)
        .map(|bits| (0..variables).map(|variable| bits >> variable & 1 == 1).collect())
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn law_published_by_definition((variables, before, after, cells) in case(), zeros: bool) {
        let absent = if zeros { Absent::Zero } else { Absent::Unpublished };
        let found = compared(&table(&cells, variables, absent), &before, &after, variables);
        prop_assert_eq!(plain(&found), published(&cells, zeros, &before, &after));
        let listed = found.found.len() as u64;
        prop_assert_eq!(listed, found.differing.cells + found.changed.cells);
    }

    #[test]
    fn law_counting_it_again_agrees(before in file(3), after in file(3)) {
        let cells = counted(&before, &patterns(3));
        let table = table(&cells, 3, Absent::Zero);
        let found = compared(&table, &before, &before, 3);
        prop_assert_eq!(found.cells, cells.len() as u64);
        prop_assert!(found.found.is_empty() && found.unlisted == 0);
        prop_assert_eq!(found.unknown.iter().sum::<u64>(), 0);
        prop_assert_eq!(found.unknown_with_people, 0);
        // Whatever else the release does, the original does not differ.
        let found = compared(&table, &before, &after, 3);
        prop_assert_eq!(found.differing.cells, 0);
        prop_assert_eq!(found.moved.cells, 0);
    }

    /// A swap that keeps a table leaves every number that was published from it or from one of
    /// its margins; one that changes it is seen.
    #[test]
    fn law_keeping_a_table_changes_no_published_number(
        records in proptest::collection::vec(proptest::collection::vec(0u32..2, 4), 2..8),
        exchanged in 0u32..16,
        kept in 1u32..16,
    ) {
        let set = |bits: u32| -> VarSet { (0..4).filter(|at| bits >> at & 1 == 1).collect() };
        let (exchanged, kept) = (set(exchanged), set(kept));
        let before = World { levels: vec![2; 4], records };
        let after = before.swapped(0, 1, exchanged);
        let seen = |world: &World| -> Vec<PlainRecord> {
            let own = |record: &Vec<u32>| kept.iter().map(|at| word(record[at])).collect();
            world.records.iter().map(|record| (own(record), 1)).collect()
        };
        let (original, released) = (seen(&before), seen(&after));
        let variables = kept.iter().count();
        let cells = counted(&original, &patterns(variables));
        let found = compared(
            &table(&cells, variables, Absent::Unpublished), &original, &released, variables,
        );
        let keeps = before.keeps(0, 1, exchanged, &[kept]);
        prop_assert_eq!(found.changed.cells == 0, keeps);
    }
}

#[test]
fn a_cell_is_listed_once() {
    let mut table = PublishedTable::new(2, Absent::Unpublished);
    assert_eq!(table.push(&[Some(b"CANARY"), None], None), Ok(()));
    assert_eq!(table.push(&[None, Some(b"CANARY")], Some(Decimal::ONE)), Ok(()));
    assert_eq!(table.push(&[Some(b"CANARY"), None], Some(Decimal::ONE)), Err(0));
    assert_eq!(table.cells(), 2);
    assert_eq!(format!("{table:?}"), "PublishedTable(2 variables, 2 cells)");
}

/// The word TOTAL of a table is no category: a file that has a category of the same bytes as
/// another total is counted as a category.
#[test]
fn a_total_counts_everybody_and_a_category_its_own() {
    let records: Vec<PlainRecord> =
        ["x", "y", "y"].map(|one| (vec![one.to_owned()], 1)).into_iter().collect();
    let cells: Vec<PlainCell> = vec![(vec![None], Some(3)), (vec![Some("y".into())], Some(2))];
    let found = compared(&table(&cells, 1, Absent::Unpublished), &records, &records, 1);
    assert_eq!((found.cells, found.found.len(), found.unlisted), (2, 0, 1));
}

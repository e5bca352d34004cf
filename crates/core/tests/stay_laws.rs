//! Columns that stay or are left out, against the definition: an exchange may touch the
//! variables alone, has an effect when some column that takes part changes, and keeps every
//! named table.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use marginswap_core::columns::{Column, Role, Roles};
use marginswap_core::encode::{RecordId, Records};
use marginswap_core::graph::{Formula, Scope, minimal_separators};
use marginswap_core::partner::{Surroundings, screen};
use marginswap_core::table::Located;
use marginswap_core::varset::VarSet;
use proptest::prelude::*;

const NAMES: [&str; 5] = ["a", "b", "c", "d", "e"];

type File = Vec<[u8; 5]>;

/// Counts the records by their values in some columns.
fn table(file: &File, columns: &[usize]) -> BTreeMap<Vec<u8>, usize> {
    let mut table = BTreeMap::new();
    for record in file {
        *table.entry(columns.iter().map(|&column| record[column]).collect()).or_default() += 1;
    }
    table
}

fn swapped(file: &File, left: usize, right: usize, exchanged: VarSet) -> File {
    let mut after = file.clone();
    for column in exchanged {
        after[left][column] = file[right][column];
        after[right][column] = file[left][column];
    }
    after
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn law_what_stays_is_a_margin(
        roles in proptest::collection::vec(0..3, 5),
        tables in proptest::collection::vec(proptest::collection::btree_set(0usize..5, 1..3), 1..4),
        file in proptest::collection::vec(proptest::array::uniform5(0u8..3), 2..9),
    ) {
        let names: Vec<String> = NAMES.iter().map(|&name| name.to_owned()).collect();
        let named = |wanted: i32| -> Vec<String> {
            names.iter().zip(&roles).filter(|(_, role)| **role == wanted).map(|(name, _)| name.clone()).collect()
        };
        let Ok(given) = Roles::assign(&names, &[], &named(1), &named(2), None) else { return Ok(()) };
        let text: Vec<String> = tables
            .iter()
            .map(|table| table.iter().map(|&column| NAMES[column]).collect::<Vec<_>>().join("*"))
            .collect();
        let formula = Formula::parse(&[text.join(" + ")]).unwrap();
        // A table that names an ignored column is refused.
        let Ok(scope) = Scope::new(&names, &given, &formula) else { return Ok(()) };

        let columns: Vec<Option<Column>> = (0..5)
            .map(|column| Some(file.iter().map(|record| &record[column..=column]).collect()))
            .collect();
        let records = Records::encode(scope.schema(), &columns);
        let joint = Located::count(&records);
        let separators = minimal_separators(&scope.class().margin_graph(), usize::MAX);
        let screening = screen(&joint, scope.class(), &separators).unwrap();

        let movable: VarSet = (0..5).filter(|&column| given.of(column) == Role::Variable).collect();
        let part: Vec<usize> = (0..5).filter(|&column| given.of(column) != Role::Ignored).collect();
        let allowed = |left: usize, right: usize, exchanged: VarSet| {
            let after = swapped(&file, left, right, exchanged);
            table(&file, &part) != table(&after, &part)
                && tables.iter().all(|kept| {
                    let columns: Vec<usize> = kept.iter().copied().collect();
                    table(&file, &columns) == table(&after, &columns)
                })
        };
        for record in 0..file.len() {
            let partners: Vec<usize> = (0..file.len())
                .filter(|&other| movable.subsets().any(|exchanged| allowed(record, other, exchanged)))
                .collect();
            let cell = joint.cell_of(RecordId::at(record));
            prop_assert_eq!(screening.is_swappable(cell), !partners.is_empty());
            let around = Surroundings::of(&records, RecordId::at(record));
            let found: Vec<usize> = around
                .partner_records(&records, &scope.class().margin_graph())
                .iter()
                .map(|partner| partner.position())
                .collect();
            prop_assert_eq!(found, partners);
            if let Some(choice) = around.choose(&records, separators.list(), scope.schema().staying()) {
                let columns: VarSet = choice
                    .exchanged
                    .iter()
                    .flat_map(|variable| scope.schema().variables()[variable].columns.clone())
                    .collect();
                prop_assert!(columns.is_subset(&movable), "what stays is never exchanged");
                let differing = records.differing(RecordId::at(record), choice.partner);
                prop_assert_eq!(choice.exchanged, choice.alpha & differing, "one side travels, no more");
                prop_assert!(allowed(record, choice.partner.position(), columns));
            }
        }
    }
}

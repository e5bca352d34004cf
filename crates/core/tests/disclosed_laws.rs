//! Laws about records whose cell the kept tables give away, against whole fibres of small
//! worlds, with a witness for every kind of proof.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use marginswap_core::encode::RecordId;
use marginswap_core::graph::{GeneratingClass, minimal_separators};
use marginswap_core::oracle::World;
use marginswap_core::partner::disclosed::Proof;
use marginswap_core::partner::{Screening, screen};
use marginswap_core::table::Located;
use marginswap_core::varset::VarSet;
use proptest::prelude::*;

fn screened(world: &World, tables: &[VarSet]) -> (Located, GeneratingClass, Screening) {
    let class = GeneratingClass::new(VarSet::first(world.levels.len()), tables.iter().copied());
    let joint = Located::count(&world.packed());
    let separators = minimal_separators(&class.margin_graph(), usize::MAX);
    let screening = screen(&joint, &class, &separators).unwrap();
    (joint, class, screening)
}

/// Disclosed ⇔ no file with the same tables has fewer records in the cell; and what a sum
/// proves has a certificate.
fn check(world: &World, tables: &[VarSet]) -> Result<Vec<Proof>, TestCaseError> {
    let (joint, class, screening) = screened(world, tables);
    let fewest = world.fewest_in_cells(tables);
    let found = screening.disclosure();
    prop_assert!(screening.disclosed_is_exact(), "a small world is decided");
    let mut proofs = Vec::new();
    for (record, &fewest) in fewest.iter().enumerate() {
        let cell = joint.cell_of(RecordId::at(record));
        prop_assert_eq!(screening.is_disclosed(cell), fewest == joint.n(cell));
        let sum = found.certificate(&joint, &class, cell);
        let summed = matches!(found.proof(cell), Some(Proof::Tree(_) | Proof::Forest));
        prop_assert_eq!(sum.is_some(), summed);
        proofs.extend(found.proof(cell));
    }
    Ok(proofs)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn law_disclosed_by_definition(
        variables in 2usize..6,
        tables in proptest::collection::vec(proptest::collection::btree_set(0usize..5, 1..4), 1..6),
        everywhere in any::<bool>(),
        records in proptest::collection::vec(proptest::collection::vec(0u32..2, 5), 1..8),
        thirds in proptest::collection::vec(any::<bool>(), 8),
    ) {
        let delta = VarSet::first(variables);
        // With one variable in every table the file falls into slices.
        let more = if everywhere { VarSet::single(0) } else { VarSet::EMPTY };
        let tables: Vec<VarSet> = tables
            .into_iter()
            .map(|table| (table.into_iter().collect::<VarSet>() | more) & delta)
            .filter(|table| !table.is_empty())
            .collect();
        // The second variable has three levels.
        let records = records
            .iter()
            .zip(thirds)
            .map(|(record, third)| {
                let mut record = record[..variables].to_vec();
                record[1] += u32::from(third && record[1] == 1);
                record
            })
            .collect();
        let levels = (0..variables).map(|variable| if variable == 1 { 3 } else { 2 }).collect();
        check(&World { levels, records }, &tables)?;
    }
}

fn sets<const N: usize, const M: usize>(tables: [[usize; M]; N]) -> Vec<VarSet> {
    tables.into_iter().map(VarSet::from).collect()
}

/// A tree of whole tables proves what no forest of two-way tables does: the others differ in
/// each two of three variables, and no forest joins all three pairs.
#[test]
fn witness_for_a_tree_of_whole_tables() {
    let records =
        vec![vec![0, 0, 0, 0, 0], vec![1, 1, 0, 0, 0], vec![1, 0, 1, 0, 0], vec![0, 1, 1, 0, 0]];
    let world = World { levels: vec![2; 5], records };
    // Three tables make a cycle elsewhere, so that the class is not decomposable.
    let mut tables = sets([[0, 1, 2]]);
    tables.extend(sets([[2, 3], [3, 4], [2, 4]]));
    let (joint, class, screening) = screened(&world, &tables);
    assert!(!class.is_decomposable());
    let cell = joint.cell_of(RecordId::at(0));
    assert!(matches!(screening.disclosure().proof(cell), Some(Proof::Tree(_))));
    let by_forest = marginswap_core::partner::disclosed::certified_by_forest(
        &joint,
        &class.margin_graph(),
        &[cell],
    );
    assert!(by_forest.is_empty());
    check(&world, &tables).unwrap();
}

/// A variable of one value that is in no table: the first variable is in every table and
/// still cuts nothing into slices, because the last one is in none. No tree joins the two.
#[test]
fn witness_for_a_variable_of_no_table() {
    let tables = sets([[0, 1, 2], [0, 1, 3], [0, 2, 3]]);
    let records = vec![
        vec![0, 0, 0, 0, 0],
        vec![0, 1, 1, 0, 0],
        vec![0, 1, 0, 1, 0],
        vec![1, 0, 1, 1, 0],
        vec![1, 1, 0, 0, 0],
    ];
    let world = World { levels: vec![2, 2, 2, 2, 1], records };
    let (_, class, screening) = screened(&world, &tables);
    assert!(!class.is_decomposable() && class.uncovered() == VarSet::single(4));
    let trees = screening.disclosure().trees();
    assert!(trees.iter().all(|tree| tree.neighbours(4).is_empty()));
    assert!(!check(&world, &tables).unwrap().is_empty());
}

/// Every kind of proof is needed by some small world, and right there: the 4-cycle and all
/// two-way tables of three and four variables, without and with a variable of no table, drawn
/// files of up to nine records.
#[test]
fn witness_for_every_kind_of_proof() {
    let classes = [
        sets([[0, 1], [1, 2], [2, 3], [0, 3]]),
        sets([[0, 1], [0, 2], [1, 2]]),
        sets([[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]]),
        sets([[0, 1, 2], [0, 1, 3], [0, 2, 3]]),
        sets([[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]),
    ];
    let mut draws =
        marginswap_core::random::Random::new(marginswap_core::random::Seed([14; 32]), 0);
    let (mut tree, mut forest, mut bounds, mut search) = (0, 0, 0, 0);
    for attempt in 0..4_800 {
        let tables = &classes[attempt % classes.len()];
        let variables = tables.iter().flat_map(|table| table.iter()).max().unwrap() + 1;
        let mut levels = vec![2; variables];
        // In the end with one more variable, of one value or two, which is in no table.
        levels.extend((attempt >= 4_000).then_some(1 + attempt % 2));
        levels[0] = 3;
        let count = 2 + draws.below(8);
        let records = (0..count)
            .map(|_| {
                levels.iter().map(|&levels| u32::try_from(draws.below(levels)).unwrap()).collect()
            })
            .collect();
        for proof in check(&World { levels, records }, tables).unwrap() {
            match proof {
                Proof::Tree(_) => tree += 1,
                Proof::Forest => forest += 1,
                Proof::Bounds => bounds += 1,
                Proof::Search => search += 1,
            }
        }
    }
    assert!(
        tree > 0 && forest > 0 && bounds > 0 && search > 0,
        "{tree} {forest} {bounds} {search}"
    );
}

//! The smallest input for each trap that the theory sets: what a plausible shortcut would
//! get wrong.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use marginswap_core::encode::RecordId;
use marginswap_core::graph::{GeneratingClass, Separator, minimal_separators};
use marginswap_core::oracle::World;
use marginswap_core::partner::{Surroundings, pair, screen};
use marginswap_core::table::Located;
use marginswap_core::varset::VarSet;

fn class(variables: usize, tables: &[&[usize]]) -> GeneratingClass {
    let sets = tables.iter().map(|table| table.iter().copied().collect());
    GeneratingClass::new(VarSet::first(variables), sets)
}

fn separators(class: &GeneratingClass) -> Vec<VarSet> {
    let found = minimal_separators(&class.margin_graph(), usize::MAX);
    found.list().iter().map(|separator| separator.variables).collect()
}

/// The empty separator counts: without it these two records would have no partner.
#[test]
fn trap_1_the_empty_separator() {
    let apart = class(2, &[&[0], &[1]]);
    assert_eq!(separators(&apart), [VarSet::EMPTY]);
    let world = World { levels: vec![2, 2], records: vec![vec![0, 0], vec![1, 1]] };
    assert_eq!(world.partners(0, apart.margins()), [1]);
    // A single vertex is connected: no empty separator there.
    assert!(separators(&class(1, &[&[0]])).is_empty());
}

/// Replacing Δ by ∪D loses swaps: 𝒟 = {{A}}, records (0,0) and (1,1), swapping B.
#[test]
fn trap_2_an_uncovered_variable() {
    let covers_one = class(2, &[&[0]]);
    let world = World { levels: vec![2, 2], records: vec![vec![0, 0], vec![1, 1]] };
    assert_eq!(world.partners(0, covers_one.margins()), [1]);
    assert!(pair::is_swappable(&covers_one.margin_graph(), VarSet::first(2)));
    assert!(!pair::is_swappable(&class(1, &[&[0]]).margin_graph(), VarSet::first(1)));
}

/// Minimal for some pair is not inclusion-minimal: both {1} and {1, 2} are needed. The
/// second record here is found through {1, 2} only.
#[test]
fn trap_3_nested_separators() {
    let nested = class(5, &[&[0, 1], &[1, 2, 3], &[1, 2, 4]]);
    assert_eq!(separators(&nested), [VarSet::from([1]), VarSet::from([1, 2])]);
    let world =
        World { levels: vec![2; 5], records: vec![vec![0, 0, 0, 0, 0], vec![0, 0, 0, 1, 1]] };
    assert_eq!(world.partners(0, nested.margins()), [1]);
    let records = world.packed();
    let around = Surroundings::of(&records, RecordId(0));
    let found = minimal_separators(&nested.margin_graph(), usize::MAX);
    let partners: Vec<u64> =
        found.list().iter().map(|separator| around.through(separator).partners).collect();
    assert_eq!(partners, [0, 1]);
}

/// The count takes all components of G∖S, not only those that touch all of S.
#[test]
fn trap_4_components_that_are_not_full() {
    // The 4-cycle 0-1-2-3 with a vertex 4 hanging on 1: {1, 3} parts 0 from 2, and {4} is a
    // component of the rest that touches only 1.
    let hanging = class(5, &[&[0, 1], &[1, 2], &[2, 3], &[0, 3], &[1, 4]]);
    let found = minimal_separators(&hanging.margin_graph(), usize::MAX);
    let separator =
        found.list().iter().find(|separator| separator.variables == VarSet::from([1, 3])).unwrap();
    assert_eq!(separator.components, [VarSet::single(0), VarSet::single(2), VarSet::single(4)]);
    let graph = hanging.margin_graph();
    assert_ne!(graph.neighbourhood(VarSet::single(4)), separator.variables);

    // These two differ in 0 and 4: a pair through {1, 3} with the component that is not full.
    let world =
        World { levels: vec![2; 5], records: vec![vec![0, 0, 0, 0, 0], vec![1, 0, 0, 0, 1]] };
    let records = world.packed();
    let around = Surroundings::of(&records, RecordId(0));
    assert_eq!(around.through(separator).partners, 1);
    let full_only = Separator {
        variables: separator.variables,
        components: separator.components[..2].to_vec(),
    };
    assert_eq!(around.through(&full_only).partners, 0, "counting full components only loses it");
}

/// E may be any union of parts: three parts give three different results, and γα is only
/// one of them.
#[test]
fn trap_5_many_exchanges() {
    let apart = class(3, &[&[0], &[1], &[2]]);
    let parts = pair::exchangeable_parts(&apart.margin_graph(), VarSet::first(3));
    let exchanges: Vec<VarSet> = pair::exchanges(&parts).collect();
    assert_eq!(exchanges, [VarSet::single(1), VarSet::single(2), VarSet::from([1, 2])]);
}

/// A later swap can bring an emptied cell back, and a swap can make new uniques.
#[test]
fn trap_6_emptied_cells_come_back() {
    let apart = class(2, &[&[0], &[1]]);
    let world = World {
        levels: vec![2, 2],
        records: vec![vec![0, 0], vec![1, 1], vec![0, 1], vec![0, 1], vec![1, 0], vec![1, 0]],
    };
    let first = world.swapped(0, 1, VarSet::single(1));
    assert!(world.keeps(0, 1, VarSet::single(1), apart.margins()));
    assert!(!first.records.contains(&vec![0, 0]), "the cell is emptied");
    let second = first.swapped(2, 4, VarSet::single(1));
    assert!(first.keeps(2, 4, VarSet::single(1), apart.margins()));
    assert!(second.records.contains(&vec![0, 0]), "and occupied again");

    let uniques = |world: &World| Located::count(&world.packed()).sample_uniques();
    let pairs =
        World { levels: vec![2, 2], records: vec![vec![0, 0], vec![0, 0], vec![1, 1], vec![1, 1]] };
    assert_eq!(uniques(&pairs), 0);
    assert_eq!(uniques(&pairs.swapped(0, 2, VarSet::single(1))), 4);
}

/// For pairs only the graph matters; for more records 𝒟 itself does. The paper's 2×2×2
/// example: with {AB, AC, BC} the four records can be rotated, with {ABC} nothing can; no
/// pair is swappable in either.
#[test]
fn trap_7_same_graph_other_fibre() {
    let pairs = class(3, &[&[0, 1], &[0, 2], &[1, 2]]);
    let triple = class(3, &[&[0, 1, 2]]);
    assert_eq!(pairs.margin_graph(), triple.margin_graph());
    assert!(!pairs.is_decomposable() && triple.is_decomposable());

    let before = World {
        levels: vec![2; 3],
        records: vec![vec![0, 0, 0], vec![0, 1, 1], vec![1, 1, 0], vec![1, 0, 1]],
    };
    let after = World {
        levels: vec![2; 3],
        records: vec![vec![0, 0, 1], vec![0, 1, 0], vec![1, 1, 1], vec![1, 0, 0]],
    };
    let kept = |class: &GeneratingClass| {
        class
            .margins()
            .iter()
            .all(|margin| before.margin_table(*margin) == after.margin_table(*margin))
    };
    assert!(kept(&pairs) && !kept(&triple));
    let joint = Located::count(&before.packed());
    for class in [&pairs, &triple] {
        let separators = minimal_separators(&class.margin_graph(), usize::MAX);
        let screening = screen(&joint, class, &separators).unwrap();
        for record in 0..4 {
            let cell = joint.cell_of(RecordId(record));
            assert!(!screening.is_swappable(cell));
            // With the pairs the cell can be emptied, so it is not disclosed.
            assert_eq!(screening.is_disclosed(cell), class.is_decomposable());
        }
    }
}

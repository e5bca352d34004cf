//! A real file as records, in another order, as counts and in parts: the same plan.

#![allow(clippy::print_stdout, reason = "a test says what it skipped")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::path::PathBuf;

use marginswap_core::columns::{Columns, Roles};
use marginswap_core::encode::{PackedCells, Records, Schema};
use marginswap_core::graph::{GeneratingClass, minimal_separators};
use marginswap_core::partner::screen;
use marginswap_core::plan::{
    Constraints, Detach, Intruder, Level, Pairing, Planned, Prices, Task, plan,
};
use marginswap_core::random::{Random, Seed};
use marginswap_core::risk::rare_cells;
use marginswap_core::table::JointTable;
use marginswap_core::varset::VarSet;
use marginswap_io::{ReadOptions, Source};

fn packed(columns: &Columns) -> Records {
    let schema = Schema::new(columns.names(), columns.roles(), &BTreeSet::new());
    Records::of(&schema, columns)
}

/// The plan for everybody unique, from a table alone.
fn planned(joint: &JointTable, variables: usize) -> Planned {
    let delta = VarSet::first(variables);
    let tables = (0..variables / 2).map(|table| VarSet::from([table, table + 1]));
    let class = GeneratingClass::new(delta, tables);
    let separators = minimal_separators(&class.margin_graph(), usize::MAX);
    let screening = screen(joint, &class, &separators).unwrap();
    let rare = rare_cells(joint, delta, 2);
    let at_risk: Vec<u32> = rare.iter().map(|&rare| u32::from(rare)).collect();
    let task = Task {
        derived: &[],
        joint,
        class: &class,
        separators: &separators,
        screening: &screening,
        prices: &Prices { staying: VarSet::EMPTY, weights: vec![1; variables] },
        constraints: &Constraints::default(),
        intruders: &[Intruder {
            keys: delta,
            sensitive: VarSet::EMPTY,
            detach: Detach::Half,
            at_risk: &at_risk,
            screening: None,
            members: None,
            blank: &[],
            roughly: &[],
        }],
        at_risk: &at_risk,
        rounds: 2,
        crowd: None,
        effort: Level::default(),
        larger: None,
    };
    plan(task, Pairing::Greedy, Seed([9; 32])).unwrap()
}

#[test]
fn a_real_file_in_any_order_and_in_parts_gives_one_plan() {
    let Some(folder) = std::env::var_os("MARGINSWAP_REAL_DATA") else {
        println!("skipped: planning on a real file (MARGINSWAP_REAL_DATA is not set)");
        return;
    };
    let path = PathBuf::from(folder).join("adult8").join("data.csv");
    let source = Source::open(&path, &ReadOptions::default()).unwrap();
    let names = source.columns().to_vec();
    let (variables, roles) = (names.len(), Roles::all_variables(names.len()));
    let read = source.read(&vec![true; variables]).unwrap().columns;
    let file = Columns::new(names, roles, read);
    let expected = planned(&JointTable::count(&packed(&file)), variables);
    assert!(expected.plan.covered() > 100, "{}", expected.plan.covered());

    let mut order: Vec<usize> = (0..file.records()).collect();
    Random::new(Seed([1; 32]), 0).shuffle(&mut order);
    let shuffled = file.of_records(&order);
    assert_eq!(planned(&JointTable::count(&packed(&shuffled)), variables), expected);

    for parts in [3, 17] {
        let pieces: Vec<Columns> =
            order.chunks(order.len().div_ceil(parts)).map(|part| file.of_records(part)).collect();
        let merged = Columns::merged(&pieces.iter().collect::<Vec<_>>());
        assert_eq!(planned(&JointTable::count(&packed(&merged)), variables), expected);
    }

    // As an engine delivers them: distinct cells in some order, with counts.
    let joint = JointTable::count(&packed(&shuffled));
    let mut places: Vec<usize> = (0..joint.len()).collect();
    Random::new(Seed([1; 32]), 1).shuffle(&mut places);
    let mut cells = PackedCells::new(joint.cells().layout().clone());
    places.iter().for_each(|&place| cells.push(joint.cells().get(place)));
    let counts: Vec<u32> = places.iter().map(|&place| joint.counts()[place]).collect();
    assert_eq!(planned(&JointTable::from_counts(&cells, &counts), variables), expected);
}

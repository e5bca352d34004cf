//! Laws of derived variables: what a swap keeps of tables that speak of them, and what a plan does
//! to them.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support::setting;

use std::collections::BTreeSet;

use marginswap_core::columns::{DerivedColumn, Roles};
use marginswap_core::graph::{Formula, Scope, minimal_separators};
use marginswap_core::oracle::{DerivedWorld, Follows, World};
use marginswap_core::partner::{pair, screen};
use marginswap_core::plan::{Constraints, NeverNew, Pairing, Prices, draw};
use marginswap_core::random::{Random, Seed};
use marginswap_core::swap::apply_to_records;
use marginswap_core::table::{CellId, Located};
use marginswap_core::varset::VarSet;
use setting::{Setting, codes, names};

/// Which derived variables a world has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sources {
    /// Each follows from one column.
    Single,
    /// Some follow from two.
    Several,
}

/// A random file of three columns and up to six records, with one or two derived variables of
/// fewer levels.
fn world(number: u64, sources: Sources, records: usize) -> DerivedWorld {
    let mut random = Random::new(Seed([21; 32]), number);
    let columns = 3;
    let levels: Vec<usize> = (0..columns).map(|_| 2 + random.below(3)).collect();
    let derived = (0..1 + random.below(2))
        .map(|_| {
            let first = random.below(columns);
            let mut sources_of = BTreeSet::from([first]);
            if sources == Sources::Several && random.below(2) == 0 {
                sources_of.insert((first + 1) % columns);
            }
            let combinations: usize = sources_of.iter().map(|&one| levels[one]).product();
            let classes = 2;
            let code = |_| u32::try_from(random.below(classes)).unwrap();
            let codes = (0..combinations).map(code).collect();
            Follows { sources: sources_of, levels: classes, codes }
        })
        .collect();
    let records = (0..records)
        .map(|_| levels.iter().map(|&of| u32::try_from(random.below(of)).unwrap()).collect())
        .collect();
    DerivedWorld { own: World { levels, records }, derived }
}

/// Random tables over the columns and the derived variables, at least one with a derived one.
fn tables(number: u64, world: &DerivedWorld) -> Vec<VarSet> {
    let mut random = Random::new(Seed([22; 32]), number);
    let own = world.own.levels.len();
    let all = own + world.derived.len();
    let derived = own + random.below(world.derived.len());
    let mut tables = vec![VarSet::from([derived, random.below(own)])];
    for _ in 0..random.below(3) {
        tables.push((0..all).filter(|_| random.below(2) == 0).collect());
    }
    tables.retain(|table| !table.is_empty());
    tables
}

/// The scope of these tables in a file with derived variables.
fn scope(world: &DerivedWorld, tables: &[VarSet]) -> Scope {
    let own = world.own.levels.len();
    let names = names(own + world.derived.len());
    let derived = world
        .derived
        .iter()
        .map(|follows| DerivedColumn { sources: follows.sources.clone(), takes_part: true });
    let roles = Roles::all_variables(own).with_derived(derived.collect());
    let formula: Vec<String> = tables
        .iter()
        .map(|table| table.iter().map(|one| format!("v{one}")).collect::<Vec<_>>().join("*"))
        .collect();
    Scope::new(&names, &roles, &Formula::parse(&formula).unwrap()).unwrap()
}

fn pairs(records: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..records).flat_map(move |left| (left + 1..records).map(move |right| (left, right)))
}

/// What the class says of an exchange of columns.
fn is_kept(
    scope: &Scope,
    world: &DerivedWorld,
    left: usize,
    right: usize,
    columns: VarSet,
) -> bool {
    let differing = world.written().differing(left, right);
    let exchanged = scope.schema().followed(columns, differing);
    scope.class().margins().iter().all(|&margin| pair::keeps(differing, exchanged, margin))
}

/// Exchanging columns keeps tables of derived variables ⇔ it does when the derived variables are
/// written into the file and linked with what they follow from: the same files can be reached.
/// Where each follows from one column, the tables alone, derived again and counted, say the same;
/// where one follows from several, they do whenever these are exchanged together.
#[test]
fn law_derived_variables_are_linked_columns() {
    let (mut kept, mut refused, mut freed) = (0, 0, 0);
    for number in 0..1_500 {
        let sources = if number % 2 == 0 { Sources::Single } else { Sources::Several };
        let world = world(number, sources, 4);
        let tables = tables(number, &world);
        let scope = scope(&world, &tables);
        let own = VarSet::first(world.own.levels.len());
        for (left, right) in pairs(4) {
            let differing = world.own.differing(left, right);
            let mut reached = BTreeSet::new();
            for columns in own.subsets() {
                let says = is_kept(&scope, &world, left, right, columns);
                let counted = world.keeps(left, right, columns, &tables);
                let together = world.derived.iter().all(|follows| {
                    let sources: VarSet = follows.sources.iter().copied().collect();
                    let moved = sources & differing;
                    !moved.meets(&columns) || moved.is_subset(&columns)
                });
                assert_eq!(says, counted && together, "world {number}: {columns:?}");
                if says {
                    let table = world.own.swapped(left, right, columns).margin_table(own);
                    reached.insert(table.into_iter().collect::<Vec<_>>());
                }
                kept += usize::from(says);
                refused += usize::from(!says);
                // Inside its class a value is free though the class is in a kept table.
                freed += usize::from(says && (columns & differing).len() == 1);
            }
            let written = world.reachable_when_written(left, right, &tables);
            assert_eq!(reached, written, "world {number}: records {left} and {right}");
        }
    }
    assert!(kept > 1_000 && refused > 1_000 && freed > 1_000, "{kept} {refused} {freed}");
}

/// Records that can be swapped when the tables speak of columns can be when they speak of what
/// follows from these.
#[test]
fn law_coarser_tables_leave_more_freedom() {
    let mut more = 0;
    for number in 0..400 {
        let world = world(number, Sources::Single, 12);
        let own = world.own.levels.len();
        let coarse = tables(number, &world);
        let finer = |table: &VarSet| -> VarSet {
            let source = |one: usize| match one.checked_sub(own) {
                Some(place) => *world.derived[place].sources.first().unwrap(),
                None => one,
            };
            table.iter().map(source).collect()
        };
        let fine: Vec<VarSet> = coarse.iter().map(finer).collect();
        let joint = Located::count(&world.written().packed());
        let [coarse, fine] = [coarse, fine].map(|tables| {
            let scope = scope(&world, &tables);
            let separators = minimal_separators(&scope.class().margin_graph(), usize::MAX);
            screen(&joint, scope.class(), &separators).unwrap()
        });
        for cell in (0..joint.len()).map(CellId::at) {
            let (in_coarse, in_fine) = (coarse.is_swappable(cell), fine.is_swappable(cell));
            assert!(in_coarse || !in_fine, "world {number}");
            more += usize::from(in_coarse && !in_fine);
        }
    }
    assert!(more > 100, "{more}");
}

/// A plan over a file with derived variables exchanges columns alone, is proved to keep every
/// table, and after it every derived variable is what follows from the record's columns.
#[test]
fn law_plans_carry_derived_variables_along() {
    let (mut swaps, mut groups) = (0, 0);
    for number in 0..300 {
        let sources = if number % 2 == 0 { Sources::Single } else { Sources::Several };
        let world = world(number, sources, 14);
        let tables = tables(number, &world);
        let scope = scope(&world, &tables);
        let (schema, written) = (scope.schema(), world.written());
        let own = world.own.levels.len();
        let all = written.levels.len();
        let setting = Setting {
            world: written.clone(),
            tables: scope.class().margins().to_vec(),
            keys: VarSet::first(own),
            sensitive: VarSet::EMPTY,
            rounds: 2,
            prices: Prices {
                staying: VarSet::EMPTY,
                weights: (0..all).map(|one| u64::from(one < own)).collect(),
            },
            constraints: Constraints {
                matches: vec![VarSet::EMPTY],
                forbidden: vec![],
                never_new: NeverNew::Nowhere,
                drift: None,
                gone: Vec::new(),
                most_changed: None,
                least_changed: None,
            },
            limit: usize::MAX,
            marked: None,
        };
        let packed = written.packed();
        let joint = Located::count(&packed);
        let risky = setting.risky();
        let at_risk = joint.marked(&risky);
        let planned = setting.plan_cells(&joint, &at_risk, Pairing::Greedy, 4, 3);
        let drawn = draw(&planned.plan, &joint, &at_risk, Seed([3; 32]));
        let plan = drawn.on_records(&joint, &risky, schema);
        assert!(plan.last_column().is_none_or(|last| last < own), "only columns are exchanged");
        plan.prove(schema, &packed, scope.class()).unwrap();
        let after = codes(&apply_to_records(&plan, schema, &packed));
        for record in &after {
            assert_eq!(record[own..], world.derived_codes(&record[..own]), "world {number}");
        }
        let after = World { levels: written.levels.clone(), records: after };
        for &table in &tables {
            assert_eq!(after.margin_table(table), written.margin_table(table), "world {number}");
        }
        swaps += plan.swaps().len();
        groups += plan.groups().len();
    }
    assert!(swaps > 100 && groups > 20, "{swaps} swaps, {groups} groups");
}

//! Laws about all records of a file, against the definitions on small worlds where
//! coincidences are common, and against vectors computed elsewhere.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support;

use marginswap_core::encode::RecordId;
use marginswap_core::graph::{GeneratingClass, junction_tree, minimal_separators};
use marginswap_core::oracle::World;
use marginswap_core::partner::disclosed::{certified_by_forest, lower_bounds};
use marginswap_core::partner::{Surroundings, screen};
use marginswap_core::table::{CellId, Located, MarginTable};
use marginswap_core::varset::VarSet;
use proptest::prelude::*;
use serde_json::Value;
use support::{codes, list, number, set, world_of};

const NO_LIMIT: usize = usize::MAX;

/// A world of one to five variables and the tables to keep in it.
fn worlds() -> impl Strategy<Value = (World, Vec<VarSet>)> {
    (
        1usize..6,
        proptest::collection::vec(proptest::collection::btree_set(0usize..5, 1..4), 1..6),
        proptest::collection::vec(proptest::collection::vec(0u32..3, 5), 1..12),
    )
        .prop_map(|(variables, tables, records)| {
            let delta = VarSet::first(variables);
            let tables = tables
                .into_iter()
                .map(|table| table.into_iter().collect::<VarSet>() & delta)
                .filter(|table| !table.is_empty())
                .collect();
            let records = records.into_iter().map(|record| record[..variables].to_vec()).collect();
            (World { levels: vec![3; variables], records }, tables)
        })
}

fn class_of(world: &World, tables: &[VarSet]) -> GeneratingClass {
    GeneratingClass::new(VarSet::first(world.levels.len()), tables.iter().copied())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn law_margin_tables_count((world, tables) in worlds()) {
        let joint = Located::count(&world.packed());
        for margin in tables.iter().copied().chain([VarSet::EMPTY, VarSet::first(world.levels.len())]) {
            let table = MarginTable::count(&joint, margin);
            let defined = world.margin_table(margin);
            prop_assert_eq!(table.len(), defined.len());
            prop_assert_eq!(table.margin(), margin);
            for (position, record) in world.records.iter().enumerate() {
                let key: Vec<u32> = margin.iter().map(|variable| record[variable]).collect();
                prop_assert_eq!(table.n(joint.cell_of(RecordId::at(position))), defined[&key]);
            }
        }
    }

    #[test]
    fn law_partners_by_definition((world, tables) in worlds()) {
        let records = world.packed();
        let graph = class_of(&world, &tables).margin_graph();
        for record in 0..world.records.len() {
            let around = Surroundings::of(&records, RecordId::at(record));
            let partners = world.partners(record, &tables);
            let listed: Vec<usize> =
                around.partner_records(&records, &graph).iter().map(|partner| partner.position()).collect();
            prop_assert_eq!(around.partners(&graph), partners.len() as u64);
            prop_assert_eq!(listed, partners);
            let same = world.records.iter().filter(|other| **other == world.records[record]).count();
            prop_assert_eq!(around.same_cell(), same as u64);
        }
    }

    /// The diagonal lemma, and cnt_S(i) = n_S − Σ_c n_{V∖γc} + (m−1)·n(i).
    #[test]
    fn law_diagonal_count((world, tables) in worlds()) {
        let records = world.packed();
        let joint = Located::count(&records);
        let graph = class_of(&world, &tables).margin_graph();
        for separator in minimal_separators(&graph, NO_LIMIT).list() {
            for record in 0..world.records.len() {
                let through = Surroundings::of(&records, RecordId::at(record)).through(separator);
                let sides = |other: usize| {
                    let differing = world.differing(record, other);
                    let hit = separator.components.iter().filter(|part| part.meets(&differing)).count();
                    (!differing.meets(&separator.variables)).then_some(hit)
                };
                let count = |wanted: &dyn Fn(usize) -> bool| {
                    (0..world.records.len()).filter(|&other| sides(other).is_some_and(wanted)).count() as u64
                };
                prop_assert_eq!(through.agree, count(&|_| true));
                prop_assert_eq!(through.same, count(&|hit| hit == 0));
                prop_assert_eq!(through.one_side, count(&|hit| hit == 1));
                prop_assert_eq!(through.partners, count(&|hit| hit >= 2));

                let cell = joint.cell_of(RecordId::at(record));
                let n = |margin: VarSet| {
                    i64::try_from(MarginTable::count(&joint, margin).n(cell)).unwrap()
                };
                let all = graph.vertices();
                let m = i64::try_from(separator.components.len()).unwrap();
                let formula = n(separator.variables)
                    - separator.components.iter().map(|part| n(all - *part)).sum::<i64>()
                    + (m - 1) * n(all);
                prop_assert_eq!(i64::try_from(through.partners).unwrap(), formula);

                // The subtable n̄ of the slice without row i_γα and column i_γβ.
                for (alpha, left) in separator.components.iter().enumerate() {
                    for (beta, right) in separator.components.iter().enumerate().skip(alpha + 1) {
                        let diagonal = (0..world.records.len())
                            .filter(|&other| {
                                let differing = world.differing(record, other);
                                !differing.meets(&separator.variables)
                                    && differing.meets(left)
                                    && differing.meets(right)
                            })
                            .count() as u64;
                        let said = through.diagonals.iter()
                            .find(|said| (said.alpha, said.beta) == (alpha, beta))
                            .map_or(0, |said| said.partners);
                        prop_assert_eq!(said, diagonal);
                    }
                }
            }
        }
    }

    #[test]
    fn law_algorithm_1((world, tables) in worlds()) {
        let records = world.packed();
        let class = class_of(&world, &tables);
        let separators = minimal_separators(&class.margin_graph(), NO_LIMIT);
        for record in 0..world.records.len() {
            let around = Surroundings::of(&records, RecordId::at(record));
            let choice = around.choose(&records, separators.list(), VarSet::EMPTY);
            prop_assert_eq!(choice.is_some(), !world.partners(record, &tables).is_empty());
            let Some(choice) = choice else { continue };
            let partner = choice.partner.position();
            prop_assert!(world.is_effective(record, partner, choice.exchanged));
            prop_assert!(world.keeps(record, partner, choice.exchanged, &tables));
            let separator = separators
                .list()
                .iter()
                .find(|separator| separator.variables == choice.separator)
                .expect("it is one of the list");
            prop_assert!(separator.components.contains(&choice.alpha));
            prop_assert!(separator.components.contains(&choice.beta));
            let differing = world.differing(record, partner);
            prop_assert!(!differing.meets(&separator.variables));
            prop_assert!(choice.beta.meets(&differing));
            // E = γα as in the paper gives the same records.
            prop_assert_eq!(
                world.swapped(record, partner, choice.alpha),
                world.swapped(record, partner, choice.exchanged)
            );
            // The record leaves its cell.
            prop_assert_ne!(
                &world.swapped(record, partner, choice.exchanged).records[record],
                &world.records[record]
            );
        }
    }

    #[test]
    fn law_a_choice_without_a_list((world, tables) in worlds(), stays in 0usize..5) {
        let records = world.packed();
        let class = class_of(&world, &tables);
        let graph = class.margin_graph();
        let separators = minimal_separators(&graph, NO_LIMIT);
        let staying = VarSet::single(stays) & VarSet::first(world.levels.len());
        for record in 0..world.records.len() {
            let around = Surroundings::of(&records, RecordId::at(record));
            let choice = around.choose_by_pair_test(&records, &graph, staying);
            let partners = world.partners(record, &tables);
            prop_assert_eq!(choice.as_ref().map(|choice| choice.partner.position()), partners.first().copied());
            let Some(choice) = choice else { continue };
            let partner = choice.partner.position();
            let differing = world.differing(record, partner);
            let separator =
                separators.list().iter().find(|separator| separator.variables == choice.separator);
            let components = &separator.expect("it is a minimal separator").components;
            prop_assert!(components.contains(&choice.alpha) && components.contains(&choice.beta));
            prop_assert!(!differing.meets(&choice.separator));
            prop_assert!(choice.beta.meets(&differing));
            prop_assert!(!choice.exchanged.meets(&staying));
            prop_assert_eq!(choice.exchanged, choice.alpha & differing);
            prop_assert!(world.is_effective(record, partner, choice.exchanged));
            prop_assert!(world.keeps(record, partner, choice.exchanged, &tables));
        }
    }

    /// For chordal graphs: n(i) − L(i) = Σ_j n(j)·(cc(diff(i,j)) − 1), so n(i) > L(i)
    /// exactly when the cell is swappable.
    #[test]
    fn law_decomposable_criterion((world, tables) in worlds()) {
        let records = world.packed();
        let joint = Located::count(&records);
        let graph = class_of(&world, &tables).margin_graph();
        let Some(tree) = junction_tree(&graph) else { return Ok(()) };
        let bounds = lower_bounds(&joint, &tree);
        for record in 0..world.records.len() {
            let cell = joint.cell_of(RecordId::at(record));
            let surplus: usize = (0..world.records.len())
                .map(|other| world.differing(record, other))
                .filter(|differing| !differing.is_empty())
                .map(|differing| marginswap_core::oracle::components(&graph, differing).len() - 1)
                .sum();
            let n = i64::try_from(joint.n(cell)).unwrap();
            prop_assert_eq!(n - bounds[cell.position()], i64::try_from(surplus).unwrap());
            prop_assert_eq!(n > bounds[cell.position()], !world.partners(record, &tables).is_empty());
        }
    }
}

/// All tables with the same margins hold as many records in a certified cell, and with a
/// decomposable class only in those: counted through every table of up to four records on
/// 2×2×2, and of up to three on 2×2×2×2 with the tables of a 4-cycle.
#[test]
fn law_a_certificate_binds_every_table() {
    let classes: [&[VarSet]; 5] = [
        &[VarSet::from([0, 1]), VarSet::from([0, 2]), VarSet::from([1, 2])],
        &[VarSet::from([0, 1]), VarSet::from([1, 2])],
        &[VarSet::from([0, 1])],
        &[VarSet::from([0]), VarSet::from([1, 2])],
        &[VarSet::from([0, 1, 2])],
    ];
    let cube = certified_cells(3, 4, &classes);
    let cycle: &[VarSet] =
        &[VarSet::from([0, 1]), VarSet::from([1, 2]), VarSet::from([2, 3]), VarSet::from([0, 3])];
    let square = certified_cells(4, 3, &[cycle]);
    assert!(cube > 1000 && square > 100, "{cube} {square}");
}

/// Checks every table of up to `most` records on binary variables; answers how many cells
/// were certified.
fn certified_cells(variables: usize, most: usize, classes: &[&[VarSet]]) -> usize {
    let empty = World { levels: vec![2; variables], records: Vec::new() };
    let cells = empty.all_cells();
    let mut certified = 0;
    for size in 1..=most {
        let frame = World { records: vec![Vec::new(); size], ..empty.clone() };
        let all: Vec<World> = frame
            .all_tables()
            .map(|table| World {
                levels: empty.levels.clone(),
                records: cells
                    .iter()
                    .zip(table)
                    .flat_map(|(cell, count)| (0..count).map(move |_| cell.clone()))
                    .collect(),
            })
            .collect();
        for tables in classes {
            let class = class_of(&empty, tables);
            // Every swap keeps the one-way tables, so they count as kept.
            let kept: Vec<VarSet> =
                tables.iter().copied().chain((0..variables).map(VarSet::single)).collect();
            let shadow = |world: &World| -> Vec<_> {
                kept.iter().map(|table| world.margin_table(*table)).collect()
            };
            let shadows: Vec<_> = all.iter().map(shadow).collect();
            for (world, own) in all.iter().zip(&shadows) {
                let joint = Located::count(&world.packed());
                let all_cells: Vec<CellId> = (0..joint.len()).map(CellId::at).collect();
                let graph = class.margin_graph();
                let by_forest = certified_by_forest(&joint, &graph, &all_cells);
                let screening =
                    screen(&joint, &class, &minimal_separators(&graph, NO_LIMIT)).unwrap();
                certified += by_forest.len();
                for cell in all_cells {
                    let codes = joint.cells().codes(cell.position());
                    let count = |world: &World| {
                        world.records.iter().filter(|record| **record == codes).count() as u64
                    };
                    let bound = all
                        .iter()
                        .zip(&shadows)
                        .all(|(other, shadow)| shadow != own || count(other) >= joint.n(cell));
                    assert!(bound || !by_forest.contains(&cell));
                    assert!(bound || !screening.is_disclosed(cell));
                    if screening.disclosed_is_exact() {
                        assert_eq!(bound, screening.is_disclosed(cell));
                    }
                }
            }
        }
    }
    certified
}

#[test]
fn vectors_of_pair_partners() {
    let vectors: Value = serde_json::from_str(include_str!("vectors/pair_partners.json")).unwrap();
    let mut queries = 0;
    for case in list(&vectors["cases"]) {
        let name = &case["name"];
        let records = list(&case["records"]).iter().map(codes).collect();
        let (world, class) = world_of(case, "generators", records);
        let graph = class.margin_graph();
        let separators = minimal_separators(&graph, NO_LIMIT);
        let mut listed: Vec<VarSet> = list(&case["minimal_separators"]).iter().map(set).collect();
        listed.sort();
        let found: Vec<VarSet> =
            separators.list().iter().map(|separator| separator.variables).collect();
        assert_eq!(found, listed, "{name}");
        let packed = world.packed();
        let joint = Located::count(&packed);
        let screening = screen(&joint, &class, &separators).unwrap();
        for query in list(&case["queries"]) {
            queries += 1;
            let record = RecordId::at(number(&query["record_index"]));
            let around = Surroundings::of(&packed, record);
            let partners: Vec<usize> = list(&query["partners"]).iter().map(number).collect();
            let listed: Vec<usize> =
                around.partner_records(&packed, &graph).iter().map(|r| r.position()).collect();
            assert_eq!(listed, partners, "{name}");
            assert_eq!(
                screening.is_swappable(joint.cell_of(record)),
                !partners.is_empty(),
                "{name}"
            );
            for (partner, parts) in
                partners.iter().zip(list(&query["num_components_of_diff_graph"]))
            {
                let differing = packed.differing(record, RecordId::at(*partner));
                assert_eq!(graph.components(differing).len(), number(parts), "{name}");
            }
            for through in list(&query["per_separator"]) {
                let separator = separators
                    .list()
                    .iter()
                    .find(|separator| separator.variables == set(&through["separator"]))
                    .unwrap();
                let components: Vec<VarSet> =
                    list(&through["components"]).iter().map(set).collect();
                assert_eq!(separator.components, components, "{name}");
                let count = number(&through["count"]) as u64;
                assert_eq!(around.through(separator).partners, count, "{name}");
            }
        }
    }
    assert!(queries > 100, "{queries}");
}

/// A cell is called disclosed exactly when it never falls below its count anywhere in the
/// fibre, whatever the class.
#[test]
fn vectors_of_fibers() {
    let vectors: Value = serde_json::from_str(include_str!("vectors/fibers.json")).unwrap();
    let (mut disclosed, mut free) = (0, 0);
    for case in list(&vectors["cases"]) {
        let name = &case["name"];
        let records = list(&case["table"])
            .iter()
            .flat_map(|entry| std::iter::repeat_n(codes(&entry[0]), number(&entry[1])))
            .collect();
        let (world, class) = world_of(case, "facets", records);
        let joint = Located::count(&world.packed());
        let separators = minimal_separators(&class.margin_graph(), NO_LIMIT);
        let screening = screen(&joint, &class, &separators).unwrap();
        let cells = world.all_cells();
        for position in 0..joint.len() {
            let cell = CellId::at(position);
            let place =
                cells.iter().position(|cell| *cell == joint.cells().codes(position)).unwrap();
            let lowest = number(&case["cell_min"][place]) as u64;
            let bound = lowest == joint.n(cell);
            if screening.is_disclosed(cell) {
                disclosed += 1;
                assert!(bound, "{name}: a disclosed cell can be lowered");
            }
            if screening.is_swappable(cell) {
                free += 1;
                assert!(!bound, "{name}: a swappable cell cannot be lowered");
            }
            assert!(screening.disclosed_is_exact(), "{name}: a small world is decided");
            assert_eq!(screening.is_disclosed(cell), bound, "{name}");
        }
    }
    assert!(disclosed > 0 && free > 0, "{disclosed} disclosed, {free} free");
}

/// Whether a pair swap exists, for every record of the cases of larger swaps; and that what
/// an integer program found possible is never called disclosed.
#[test]
fn vectors_of_multi_swap() {
    let vectors: Value = serde_json::from_str(include_str!("vectors/multi_swap.json")).unwrap();
    let mut queries = 0;
    for case in list(&vectors["cases"]) {
        let records = list(&case["records"]).iter().map(codes).collect();
        let (world, class) = world_of(case, "generators", records);
        let packed = world.packed();
        let joint = Located::count(&packed);
        let separators = minimal_separators(&class.margin_graph(), NO_LIMIT);
        let screening = screen(&joint, &class, &separators).unwrap();
        for query in list(&case["queries"]) {
            queries += 1;
            let codes = codes(&query["record"]);
            let record = world.records.iter().position(|record| *record == codes).unwrap();
            let cell = joint.cell_of(RecordId::at(record));
            let name = &case["name"];
            assert_eq!(
                screening.is_swappable(cell),
                query["pair_swappable"].as_bool().unwrap(),
                "{name}"
            );
            assert!(!screening.is_disclosed(cell) || query["min_degree"].is_null(), "{name}");
        }
    }
    assert!(queries > 100, "{queries}");
}

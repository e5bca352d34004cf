//! Parting a person from their keys, against trying every exchange; and what the tables
//! prove about keys, against trying every file.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::print_stderr, reason = "a skipped test says so")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use marginswap_core::columns::{Column, Role, Roles};
use marginswap_core::encode::{RecordId, Records};
use marginswap_core::graph::{Formula, GeneratingClass, Scope, Ties, minimal_separators};
use marginswap_core::oracle::{World, all_antichains};
use marginswap_core::partner::parting::{
    Detaching, at_rest, can_part, detaching_exchanges, parting_exchanges, parts_keys,
    strongest_detaching,
};
use marginswap_core::partner::{
    KeyScreening, Surroundings, Unpartable, pair, partable_among, screen, screen_keys,
};
use marginswap_core::random::{Random, Seed};
use marginswap_core::table::{CellId, Located};
use marginswap_core::varset::VarSet;
use proptest::prelude::*;

/// Every class over up to four variables with every two records that differ in some set.
fn for_each_class_and_pair(mut check: impl FnMut(&GeneratingClass, VarSet, &World)) {
    for variables in 1..=4 {
        let delta = VarSet::first(variables);
        for chain in all_antichains(variables) {
            let class = GeneratingClass::new(delta, chain);
            for differing in delta.subsets() {
                let other = (0..variables).map(|v| u32::from(differing.contains(v))).collect();
                let records = vec![vec![0; variables], other];
                check(&class, differing, &World { levels: vec![2; variables], records });
            }
        }
    }
}

fn screened(world: &World, tables: &[VarSet], keys: VarSet) -> (Located, KeyScreening) {
    let delta = VarSet::first(world.levels.len());
    let class = GeneratingClass::new(delta, tables.iter().copied());
    let joint = Located::count(&world.packed());
    let separators = minimal_separators(&class.margin_graph(), usize::MAX);
    let found = screen_keys(&joint, &class, &separators, keys).unwrap();
    // Asked of some cells, the answer is the same for these and no for the others.
    let asked: Vec<bool> = (0..joint.len()).map(|cell| cell % 3 != 1).collect();
    let among = partable_among(&joint, &class, &separators, keys, &asked).unwrap();
    for (cell, &asked) in asked.iter().enumerate() {
        assert_eq!(among[cell], asked && found.is_partable(CellId::at(cell)));
    }
    (joint, found)
}

/// Small files in which many people cannot be parted: those who can be without one of the tables
/// can be through a separator that parts two of its variables.
#[test]
fn law_a_table_less_parts_its_own_variables() {
    let random = &mut Random::new(Seed([9; 32]), 0);
    let (mut freed, mut fewer) = (0, 0);
    for _ in 0..400 {
        let variables = 3 + random.below(3);
        let delta = VarSet::first(variables);
        let pair = |random: &mut Random| -> VarSet {
            (0..2 + random.below(2)).map(|_| random.below(variables)).collect()
        };
        let tables: Vec<VarSet> =
            (0..2 + random.below(2 * variables)).map(|_| pair(random)).collect();
        let record = |random: &mut Random| -> Vec<u32> {
            (0..variables).map(|_| u32::try_from(random.below(2)).unwrap()).collect()
        };
        let records = (0..3 + random.below(9)).map(|_| record(random)).collect();
        let world = World { levels: vec![2; variables], records };
        let keys = delta - VarSet::single(random.below(2 * variables));
        let (joint, kept) = screened(&world, &tables, keys);
        let asked: Vec<bool> =
            (0..joint.len()).map(|cell| !kept.is_partable(CellId::at(cell))).collect();
        for table in &tables {
            let others = tables.iter().copied().filter(|other| other != table);
            let class = GeneratingClass::new(delta, others);
            let all = minimal_separators(&class.margin_graph(), usize::MAX);
            let some = all.parting(*table);
            let [by_all, by_some] = [&all, &some].map(|separators| {
                partable_among(&joint, &class, separators, keys, &asked).unwrap()
            });
            assert_eq!(by_some, by_all);
            freed += by_all.iter().filter(|freed| **freed).count();
            fewer += all.list().len() - some.list().len();
        }
    }
    assert!(freed > 300 && fewer > 300, "{freed} {fewer}");
}

#[test]
fn law_parted_by_definition() {
    for variables in 1..=4 {
        let delta = VarSet::first(variables);
        for differing in delta.subsets() {
            let other = (0..variables).map(|v| u32::from(differing.contains(v))).collect();
            let world =
                World { levels: vec![2; variables], records: vec![vec![0; variables], other] };
            for keys in delta.subsets() {
                for exchanged in delta.subsets() {
                    let parted = parts_keys(differing, exchanged, keys);
                    assert_eq!(parted, world.parts(0, 1, exchanged, keys));
                    // The complement gives the same records, and the same answer.
                    assert_eq!(parted, parts_keys(differing, differing - exchanged, keys));
                    assert_eq!(parted, world.parts(1, 0, exchanged, keys));
                }
            }
        }
    }
}

#[test]
fn law_parted_iff_keys_meet_two_components() {
    for_each_class_and_pair(|class, differing, world| {
        let graph = class.margin_graph();
        let separators = minimal_separators(&graph, usize::MAX);
        for keys in class.delta().subsets() {
            let defined = class.delta().subsets().any(|exchanged| {
                world.keeps(0, 1, exchanged, class.margins()) && world.parts(0, 1, exchanged, keys)
            });
            assert_eq!(can_part(&graph, differing, keys), defined);
            let through = separators.list().iter().any(|separator| {
                let sides = separator.components.iter();
                !separator.variables.meets(&differing)
                    && sides.filter(|side| (**side & keys).meets(&differing)).count() >= 2
            });
            assert_eq!(through, defined);
            if keys == class.delta() {
                assert_eq!(defined, pair::is_swappable(&graph, differing));
            }
        }
    });
}

#[test]
fn law_parting_and_detaching_exchanges() {
    let mut detached = 0;
    for_each_class_and_pair(|class, differing, world| {
        let graph = class.margin_graph();
        let parts = pair::exchangeable_parts(&graph, differing);
        let kept: Vec<VarSet> = differing
            .subsets()
            .filter(|exchanged| world.keeps(0, 1, *exchanged, class.margins()))
            .collect();
        let results = |exchanges: &mut dyn Iterator<Item = VarSet>| -> BTreeSet<Vec<Vec<u32>>> {
            exchanges
                .map(|exchanged| {
                    let mut records = world.swapped(0, 1, exchanged).records;
                    records.sort();
                    records
                })
                .collect()
        };
        for keys in class.delta().subsets() {
            let listed = results(&mut parting_exchanges(&parts, keys));
            assert_eq!(listed.len(), parting_exchanges(&parts, keys).count(), "each result once");
            let mut parting = kept.iter().copied().filter(|e| world.parts(0, 1, *e, keys));
            assert_eq!(listed, results(&mut parting));
            for sensitive in (class.delta() - keys).subsets() {
                // The record with the left one's keys is the right line when they all travel.
                let wrong = |exchanged: VarSet| -> VarSet {
                    let carrier = &world.swapped(0, 1, exchanged).records[1];
                    sensitive.iter().filter(|&v| carrier[v] != world.records[0][v]).collect()
                };
                let at_stake = differing & keys;
                let defined: BTreeSet<(VarSet, VarSet)> = kept
                    .iter()
                    .filter(|e| !at_stake.is_empty() && at_stake.is_subset(e))
                    .map(|&exchanged| (exchanged, wrong(exchanged)))
                    .filter(|(_, wrong)| !wrong.is_empty())
                    .collect();
                let listed: Vec<Detaching> = detaching_exchanges(&parts, keys, sensitive).collect();
                let sets: BTreeSet<(VarSet, VarSet)> =
                    listed.iter().map(|found| (found.exchanged, found.left_behind)).collect();
                assert_eq!(listed.len(), sets.len(), "each result once");
                assert_eq!(sets, defined);
                let best = strongest_detaching(&graph, differing, keys, sensitive);
                assert_eq!(best.is_some(), !defined.is_empty());
                if let Some(best) = best {
                    assert!(listed.contains(&best));
                    assert!(listed.iter().all(|one| one.left_behind.is_subset(&best.left_behind)));
                    detached += 1;
                }
            }
        }
    });
    assert!(detached > 1000, "{detached}");
}

/// Small worlds of up to four variables, tables and keys.
fn small() -> impl Strategy<Value = (World, Vec<VarSet>, VarSet)> {
    let tables = proptest::collection::vec(proptest::collection::btree_set(0usize..4, 1..4), 0..4);
    let records = proptest::collection::vec(proptest::collection::vec(0u32..2, 4), 1..5);
    (2usize..=4, tables, records, 1u32..16).prop_map(|(variables, tables, records, keys)| {
        let delta = VarSet::first(variables);
        let mut tables: Vec<VarSet> =
            tables.into_iter().map(|table| table.into_iter().collect::<VarSet>() & delta).collect();
        tables.retain(|table| !table.is_empty());
        let records = records.into_iter().map(|record| record[..variables].to_vec()).collect();
        let keys = (0..variables).filter(|v| keys >> v & 1 == 1).collect();
        (World { levels: vec![2; variables], records }, tables, keys)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn law_proved_keys_are_there((world, tables, keys) in small()) {
        let (joint, found) = screened(&world, &tables, keys);
        for record in 0..world.records.len() {
            let cell = joint.cell_of(RecordId::at(record));
            let fewest = world.fewest_with_keys(record, &tables, keys);
            let proved = found.proved(cell);
            prop_assert!(proved <= fewest);
            prop_assert!(!found.proved_is_exact() || proved == fewest);
            // Who is alone with keys that somebody is proved to have cannot be parted from them.
            let alone = world.met(&world, record, keys, VarSet::EMPTY).records == 1;
            prop_assert!(!(alone && fewest > 0 && found.is_partable(cell)));
        }
    }

    #[test]
    fn law_all_keys_is_the_paper(
        tables in proptest::collection::vec(proptest::collection::btree_set(0usize..5, 1..4), 0..5),
        records in proptest::collection::vec(proptest::collection::vec(0u32..3, 5), 1..12),
    ) {
        let delta = VarSet::first(5);
        let tables: Vec<VarSet> = tables.into_iter().map(|t| t.into_iter().collect()).collect();
        let world = World { levels: vec![3; 5], records };
        let (joint, found) = screened(&world, &tables, delta);
        let class = GeneratingClass::new(delta, tables);
        let separators = minimal_separators(&class.margin_graph(), usize::MAX);
        let whole = screen(&joint, &class, &separators).unwrap();
        prop_assert!(!found.proved_is_exact() || whole.disclosed_is_exact());
        for record in 0..world.records.len() {
            let cell = joint.cell_of(RecordId::at(record));
            prop_assert_eq!(found.is_partable(cell), whole.is_swappable(cell));
            // Disclosed: all records of the cell are proved to be there.
            prop_assert_eq!(
                whole.is_disclosed(cell),
                !whole.is_swappable(cell) && found.proved(cell) == joint.n(cell)
            );
        }
    }

    #[test]
    fn law_key_partners_by_definition(
        tables in proptest::collection::vec(proptest::collection::btree_set(0usize..5, 1..4), 0..4),
        records in proptest::collection::vec(proptest::collection::vec(0u32..3, 5), 2..9),
        keys in 0u32..32,
        sensitive in 0u32..32,
    ) {
        let delta = VarSet::first(5);
        let tables: Vec<VarSet> = tables.into_iter().map(|t| t.into_iter().collect()).collect();
        let set = |bits: u32| -> VarSet { (0..5).filter(|v| bits >> v & 1 == 1).collect() };
        let (keys, sensitive) = (set(keys), set(sensitive) - set(keys));
        let world = World { levels: vec![3; 5], records };
        let graph = GeneratingClass::new(delta, tables.iter().copied()).margin_graph();
        let packed = world.packed();
        for record in 0..world.records.len() {
            let found = Surroundings::of(&packed, RecordId::at(record)).on_keys(&graph, keys, sensitive);
            let parting = world.parting_partners(record, &tables, keys);
            prop_assert_eq!(found.parting_records(), parting.len() as u64);
            for one in &found.parting {
                prop_assert!(one.key_parts.len() >= 2);
                prop_assert!(one.key_parts.iter().all(|part| part.meets(&keys)));
            }
            let mut detaching: BTreeMap<VarSet, (u64, VarSet)> = BTreeMap::new();
            for other in (0..world.records.len()).filter(|other| !parting.contains(other)) {
                let differing = world.differing(record, other);
                let at_stake = differing & keys;
                let best = differing
                    .subsets()
                    .filter(|e| !at_stake.is_empty() && at_stake.is_subset(e))
                    .filter(|e| world.keeps(record, other, *e, &tables))
                    .map(|e| sensitive & (differing - e))
                    .max_by_key(VarSet::len)
                    .filter(|best| !best.is_empty());
                if let Some(best) = best {
                    detaching.entry(differing).or_insert((0, best)).0 += 1;
                }
            }
            prop_assert_eq!(found.detaching.len(), detaching.len());
            for one in &found.detaching {
                prop_assert_eq!((one.records, one.made_false), detaching[&one.differing]);
                prop_assert_eq!(one.left_true, sensitive - one.made_false);
                prop_assert!((one.differing & keys).is_subset(&one.exchanged));
            }
            let records: u64 = detaching.values().map(|(records, _)| records).sum();
            prop_assert_eq!(found.detaching_records(), records);
        }
    }
}

const NAMES: [&str; 5] = ["a", "b", "c", "d", "e"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Columns that stay, as keys or not, alone or in `rest`: parted by exchanging columns
    /// that do not stay, and no others.
    #[test]
    fn law_keys_part_while_columns_stay(
        roles in proptest::collection::vec(0..3, 5),
        tables in proptest::collection::vec(proptest::collection::btree_set(0usize..5, 1..3), 1..4),
        file in proptest::collection::vec(proptest::array::uniform5(0u8..3), 2..8),
        keys in proptest::collection::btree_set(0usize..5, 1..5),
    ) {
        let names: Vec<String> = NAMES.iter().map(|&name| name.to_owned()).collect();
        let named = |wanted: i32| -> Vec<String> {
            let chosen = names.iter().zip(&roles).filter(|(_, role)| **role == wanted);
            chosen.map(|(name, _)| name.clone()).collect()
        };
        let Ok(given) = Roles::assign(&names, &[], &named(1), &named(2), None) else { return Ok(()) };
        let text: Vec<String> = tables
            .iter()
            .map(|table| table.iter().map(|&column| NAMES[column]).collect::<Vec<_>>().join("*"))
            .collect();
        let formula = Formula::parse(&[text.join(" + ")]).unwrap();
        let keys: BTreeSet<usize> =
            keys.into_iter().filter(|&column| given.of(column) != Role::Ignored).collect();
        let ties = Ties { apart: keys.clone(), ..Ties::default() };
        let Ok(scope) = Scope::with_ties(&names, &given, &formula, &ties) else { return Ok(()) };
        let columns: Vec<Option<Column>> = (0..5)
            .map(|column| Some(file.iter().map(|record| &record[column..=column]).collect()))
            .collect();
        let records = Records::encode(scope.schema(), &columns);
        let joint = Located::count(&records);
        let graph = scope.class().margin_graph();
        let separators = minimal_separators(&graph, usize::MAX);
        let key_set: VarSet =
            keys.iter().map(|&column| scope.schema().variable_of(column).unwrap()).collect();
        let found = screen_keys(&joint, scope.class(), &separators, key_set).unwrap();

        let movable: VarSet = (0..5).filter(|&column| given.of(column) == Role::Variable).collect();
        let table = |file: &[[u8; 5]], columns: &BTreeSet<usize>| {
            let mut table: BTreeMap<Vec<u8>, usize> = BTreeMap::new();
            for record in file {
                *table.entry(columns.iter().map(|&column| record[column]).collect()).or_default() += 1;
            }
            table
        };
        let parted = |left: usize, right: usize, exchanged: VarSet| {
            let mut after = file.clone();
            for column in exchanged {
                after[left][column] = file[right][column];
                after[right][column] = file[left][column];
            }
            let gone = |line: usize| keys.iter().any(|&key| after[line][key] != file[left][key]);
            gone(left) && gone(right) && tables.iter().all(|kept| table(&file, kept) == table(&after, kept))
        };
        for record in 0..file.len() {
            let mut expected = 0;
            for other in (0..file.len()).filter(|&other| other != record) {
                let differing = records.differing(RecordId::at(record), RecordId::at(other));
                let parts = pair::exchangeable_parts(&graph, differing);
                let any = movable.subsets().any(|exchanged| parted(record, other, exchanged));
                expected += u64::from(any);
                prop_assert_eq!(can_part(&graph, differing, key_set), any);
                for exchanged in parting_exchanges(&parts, key_set) {
                    let resting = at_rest(differing, exchanged, scope.schema().staying());
                    let columns: VarSet = resting
                        .iter()
                        .flat_map(|variable| scope.schema().variables()[variable].columns.clone())
                        .collect();
                    prop_assert!(columns.is_subset(&movable), "what stays is never exchanged");
                    prop_assert!(parted(record, other, columns));
                }
            }
            let cell = joint.cell_of(RecordId::at(record));
            prop_assert_eq!(found.is_partable(cell), expected > 0);
        }
    }
}

/// Every class over four variables with drawn records and keys: bounds that are called exact
/// are, also where keys are left out; and where they are not, the tables do prove more.
#[test]
fn every_class_is_tried_for_what_it_proves() {
    use marginswap_core::random::{Random, Seed};
    let (mut exact, mut more) = (0, 0);
    for (number, chain) in all_antichains(4).into_iter().enumerate() {
        let mut random = Random::new(Seed([7; 32]), u64::try_from(number).unwrap());
        let mut draw = |below: u32| {
            let mut order: Vec<u32> = (0..below).collect();
            random.shuffle(&mut order);
            order[0]
        };
        let records = (0..3).map(|_| (0..4).map(|_| draw(2)).collect()).collect();
        let world = World { levels: vec![2; 4], records };
        let bits = 1 + draw(14);
        let keys: VarSet = (0..4).filter(|v| bits >> v & 1 == 1).collect();
        let (joint, found) = screened(&world, &chain, keys);
        for record in 0..3 {
            let fewest = world.fewest_with_keys(record, &chain, keys);
            let proved = found.proved(joint.cell_of(RecordId::at(record)));
            assert!(proved <= fewest);
            if found.proved_is_exact() {
                assert_eq!(proved, fewest);
                exact += usize::from(proved > 0);
            } else {
                more += usize::from(proved < fewest);
            }
        }
    }
    assert!(exact > 20 && more > 0, "{exact} and {more}");
}

/// Two keys without a common table part through the empty separator.
#[test]
fn witness_the_empty_separator_parts_keys() {
    let world = World { levels: vec![2; 3], records: vec![vec![0, 0, 0], vec![1, 1, 0]] };
    let (joint, found) = screened(&world, &[VarSet::single(2)], VarSet::from([0, 1]));
    assert!(found.is_partable(joint.cell_of(RecordId::at(0))));
    assert_eq!(found.why_not(joint.cell_of(RecordId::at(0))), None);
}

/// The record can be swapped, its keys cannot be parted: a table holds both of them.
#[test]
fn witness_keys_in_one_table_are_published() {
    let table = VarSet::from([0, 1]);
    let world = World { levels: vec![2; 3], records: vec![vec![0, 0, 0], vec![1, 1, 1]] };
    let (joint, found) = screened(&world, &[table], table);
    let cell = joint.cell_of(RecordId::at(0));
    assert_eq!(found.why_not(cell), Some(Unpartable::Published(table)));
    assert_eq!(found.proved(cell), 1);
    assert!(!world.partners(0, &[table]).is_empty());
}

/// No table holds all keys, and the tables on the keys prove that somebody has them.
#[test]
fn witness_tables_on_the_keys_prove_somebody() {
    // 0–1 and 1–2 kept: the only record with value 1 of the middle key has 1 on both sides.
    let records = vec![vec![0, 0, 0], vec![1, 1, 1], vec![0, 0, 1], vec![1, 0, 0]];
    let world = World { levels: vec![2; 3], records };
    let tables = [VarSet::from([0, 1]), VarSet::from([1, 2])];
    let (joint, found) = screened(&world, &tables, VarSet::first(3));
    assert_eq!(found.why_not(joint.cell_of(RecordId::at(1))), Some(Unpartable::Proved(1)));
    assert!(found.is_partable(joint.cell_of(RecordId::at(2))));
}

/// Nothing is proved, and nobody parts the keys: everybody differs in a single key.
#[test]
fn witness_no_partner_parts_the_keys() {
    let records = vec![vec![0, 0, 0], vec![1, 0, 1], vec![0, 1, 1]];
    let world = World { levels: vec![2; 3], records };
    let keys = VarSet::from([0, 1]);
    let (joint, found) = screened(&world, &[], keys);
    let cell = joint.cell_of(RecordId::at(0));
    // Two have value 0 of each key among three records: one has both.
    assert_eq!(found.why_not(cell), Some(Unpartable::Proved(1)));
    // A table through a variable outside the keys proves more than its traces on them do.
    let records = vec![vec![0, 0, 0], vec![1, 1, 1], vec![1, 1, 1]];
    let world = World { levels: vec![2; 3], records };
    let tables = [VarSet::from([0, 2]), VarSet::from([1, 2])];
    let (joint, found) = screened(&world, &tables, keys);
    let cell = joint.cell_of(RecordId::at(0));
    assert_eq!(found.why_not(cell), Some(Unpartable::NoPartner));
    assert_eq!(world.fewest_with_keys(0, &tables, keys), 1);
    assert!(!found.proved_is_exact());
}

/// Census records nobody here wrote, against a count that shares nothing with the search.
#[test]
fn real_keys_are_parted_as_counted_directly() {
    const RECORDS: usize = 50_000;
    let Some(folder) = std::env::var_os("MARGINSWAP_REAL_DATA") else {
        eprintln!("skipped, MARGINSWAP_REAL_DATA is not set: parting keys on real records");
        return;
    };
    let text = std::fs::read_to_string(PathBuf::from(folder).join("kdd12/data.csv")).unwrap();
    let mut lines = text.lines();
    let names: Vec<String> = lines.next().unwrap().split(',').map(str::to_owned).collect();
    let variables = names.len();
    let rows: Vec<Vec<&str>> = lines.take(RECORDS).map(|line| line.split(',').collect()).collect();
    assert!(rows.len() == RECORDS && rows.iter().all(|row| row.len() == variables));
    let columns: Vec<Option<Column>> = (0..variables)
        .map(|column| Some(rows.iter().map(|row| row[column].as_bytes()).collect()))
        .collect();
    let formula = Formula::parse(&["age5*sex*race + sex*marital_stat"]).unwrap();
    let scope = Scope::new(&names, &Roles::all_variables(variables), &formula).unwrap();
    let of = |name: &str| names.iter().position(|other| other == name).unwrap();
    let keys: VarSet =
        ["age5", "sex", "race", "marital_stat", "education"].map(of).into_iter().collect();
    let records = Records::encode(scope.schema(), &columns);
    let joint = Located::count(&records);
    let separators = minimal_separators(&scope.class().margin_graph(), usize::MAX);
    let found = screen_keys(&joint, scope.class(), &separators, keys).unwrap();

    // By hand: for each set of differing variables, is there an E inside it that no table
    // is cut by and that cuts the keys?
    let bits = |set: &[&str]| set.iter().fold(0u32, |all, name| all | 1 << of(name));
    let tables = [bits(&["age5", "sex", "race"]), bits(&["sex", "marital_stat"])];
    let key_bits = keys.iter().fold(0u32, |all, key| all | 1 << key);
    let cuts = |set: u32, exchanged: u32| set & exchanged != 0 && set & !exchanged != 0;
    let parts: Vec<bool> = (0..1u32 << variables)
        .map(|differing| {
            let mut exchanged = differing;
            loop {
                if cuts(differing & key_bits, exchanged)
                    && tables.iter().all(|table| !cuts(differing & table, exchanged))
                {
                    return true;
                }
                if exchanged == 0 {
                    return false;
                }
                exchanged = (exchanged - 1) & differing;
            }
        })
        .collect();
    let codes: Vec<Vec<u16>> = (0..variables)
        .map(|column| {
            let mut known: BTreeMap<&str, u16> = BTreeMap::new();
            let mut code = |value| {
                let next = u16::try_from(known.len()).unwrap();
                *known.entry(value).or_insert(next)
            };
            rows.iter().map(|row| code(row[column])).collect()
        })
        .collect();
    let mut with_keys: BTreeMap<Vec<u16>, usize> = BTreeMap::new();
    let combination = |record: usize| keys.iter().map(|key| codes[key][record]).collect::<Vec<_>>();
    for record in 0..RECORDS {
        *with_keys.entry(combination(record)).or_default() += 1;
    }
    let (mut uniques, mut partable, mut cheaply, mut proved) = (0, 0, 0, 0);
    for record in (0..RECORDS).filter(|&record| with_keys[&combination(record)] == 1) {
        let (mut parted, mut two_keys) = (false, false);
        for other in 0..RECORDS {
            let differing = codes
                .iter()
                .enumerate()
                .fold(0u32, |all, (v, code)| all | u32::from(code[record] != code[other]) << v);
            if parts[differing as usize] {
                parted = true;
                two_keys |= differing.count_ones() == 2 && differing & !key_bits == 0;
            }
        }
        uniques += 1;
        partable += usize::from(parted);
        cheaply += usize::from(two_keys);
        let cell = joint.cell_of(RecordId::at(record));
        assert_eq!(found.is_partable(cell), parted);
        proved += usize::from(matches!(found.why_not(cell), Some(Unpartable::Proved(_))));
    }
    // Everybody's keys can be parted; for two in three a record that differs in two keys alone
    // is enough, the cheapest exchange there is.
    assert_eq!((uniques, partable, cheaply, proved), (1_416, 1_416, 949, 0));
}

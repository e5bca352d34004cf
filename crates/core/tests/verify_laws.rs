//! Verification against the definitions: every count again, with plain maps, on files so
//! small that coincidences are common.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};

use marginswap_core::columns::{Column, ColumnBuilder, Roles};
use marginswap_core::encode::{Records, Schema, encode_both};
use marginswap_core::oracle::World;
use marginswap_core::partner::swap::exchange;
use marginswap_core::random::{Random, Seed};
use marginswap_core::table::Located;
use marginswap_core::varset::VarSet;
use marginswap_core::verify::{
    AtRisk, Checks, File, Guess, Link, LinkError, Listed, Pooled, Scenario, Triples, Verification,
    changes, compare_pairs, compare_tables, compare_triples, learned, link_by_id, recount, verify,
    verify_changed,
};
use proptest::prelude::*;

/// Up to five variables of up to four levels; few levels make coincidences common.
fn levels() -> impl Strategy<Value = Vec<usize>> {
    proptest::collection::vec(1usize..=4, 1..=5)
}

fn records(
    levels: &[usize],
    count: impl Into<proptest::collection::SizeRange>,
) -> BoxedStrategy<Vec<Vec<u32>>> {
    let codes: Vec<_> = levels.iter().map(|&levels| 0..u32::try_from(levels).unwrap()).collect();
    proptest::collection::vec(codes, count).boxed()
}

/// Two files over the same variables, of the same length or not, most often alike.
fn two_files() -> impl Strategy<Value = (World, World)> {
    (levels(), 0usize..12, any::<bool>()).prop_flat_map(|(levels, count, same_length)| {
        let other = if same_length { count..=count } else { 0..=12 };
        let fresh = records(&levels, other);
        let altered = proptest::collection::vec(proptest::bool::weighted(0.7), 13);
        (records(&levels, count), fresh, altered).prop_map(move |(before, fresh, same)| {
            let after = fresh
                .into_iter()
                .enumerate()
                .map(|(position, record)| match before.get(position) {
                    Some(original) if same[position] => original.clone(),
                    _ => record,
                })
                .collect();
            let world = |records| World { levels: levels.clone(), records };
            (world(before), world(after))
        })
    })
}

/// Sets of variables below a number, by their bits.
fn tables(bits: &[u32], variables: usize) -> Vec<VarSet> {
    bits.iter()
        .map(|bits| (0..variables).filter(|variable| bits >> variable & 1 == 1).collect())
        .collect()
}

/// Each cell's counts in both files.
fn both(before: &World, after: &World, margin: VarSet) -> BTreeMap<Vec<u32>, (u64, u64)> {
    let mut counts: BTreeMap<Vec<u32>, (u64, u64)> = BTreeMap::new();
    for (cell, count) in before.margin_table(margin) {
        counts.entry(cell).or_default().0 = count;
    }
    for (cell, count) in after.margin_table(margin) {
        counts.entry(cell).or_default().1 = count;
    }
    counts
}

/// Some order of `count` things.
fn order(count: usize, seed: u8) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    Random::new(Seed([seed; 32]), 0).shuffle(&mut order);
    order
}

fn reordered(world: &World, order: &[usize]) -> World {
    let records = order.iter().map(|&record| world.records[record].clone()).collect();
    World { levels: world.levels.clone(), records }
}

/// As `order` puts record `order[p]` at p, the position of each record.
fn map_of(order: &[usize]) -> Vec<u32> {
    let mut map = vec![0; order.len()];
    for (position, &record) in order.iter().enumerate() {
        map[record] = u32::try_from(position).unwrap();
    }
    map
}

fn close(left: f64, right: f64) -> bool {
    (left - right).abs() < 1e-12
}

fn total_variation(before: &World, after: &World, margin: VarSet) -> f64 {
    let (n, m) = (before.records.len() as f64, after.records.len() as f64);
    let sum: f64 = both(before, after, margin)
        .values()
        .map(|&(f, g)| (f as f64 / n - g as f64 / m).abs())
        .sum();
    sum / 2.0
}

fn hellinger(before: &World, after: &World, margin: VarSet) -> f64 {
    let (n, m) = (before.records.len() as f64, after.records.len() as f64);
    let sum: f64 = both(before, after, margin)
        .values()
        .map(|&(f, g)| ((f as f64 / n).sqrt() - (g as f64 / m).sqrt()).powi(2))
        .sum();
    (sum / 2.0).sqrt()
}

/// χ² over every combination of a row and a column that occur.
fn cramers_v(world: &World, pair: [usize; 2]) -> Option<f64> {
    let n = world.records.len() as f64;
    let rows = world.margin_table(VarSet::single(pair[0]));
    let columns = world.margin_table(VarSet::single(pair[1]));
    let cells = world.margin_table(VarSet::from(pair));
    let mut chi_squared = 0.0;
    for (row, &r) in &rows {
        for (column, &c) in &columns {
            let f = cells.get(&vec![row[0], column[0]]).copied().unwrap_or(0) as f64;
            let expected = r as f64 * c as f64 / n;
            chi_squared += (f - expected).powi(2) / expected;
        }
    }
    let smaller = rows.len().min(columns.len());
    (smaller >= 2).then(|| (chi_squared / n / (smaller - 1) as f64).sqrt())
}

/// One column of a file from optional values; the null is `None`.
fn column(values: impl Iterator<Item = Option<u8>>) -> Column {
    let mut column = ColumnBuilder::default();
    for value in values {
        match value {
            Some(value) => column.push(&vec![b'x'; value.into()]),
            None => column.push_null(),
        }
    }
    column.finish()
}

type Row = [Option<u8>; 4];

fn columns(file: &[Row]) -> Vec<Option<Column>> {
    (0..4).map(|position| Some(column(file.iter().map(|record| record[position])))).collect()
}

/// All that is asked of two files in the laws about the whole.
fn checks<'a>(tables: &'a [VarSet], link: &'a Link, variables: usize) -> Checks<'a> {
    let compared = VarSet::first(variables);
    Checks {
        tables,
        scenarios: &[],
        questions: &[],
        link: Some(link),
        compared,
        combined: compared,
        triples: Triples::Compared,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Two columns take part by themselves, two as the super-variable of what stays.
    #[test]
    fn law_two_files_share_one_coding(
        before in proptest::collection::vec(proptest::array::uniform4(proptest::option::of(0u8..20)), 1..12),
        fresh in proptest::collection::vec(proptest::array::uniform4(proptest::option::of(0u8..20)), 1..12),
        few in 1u8..20,
    ) {
        let narrow = |file: Vec<Row>| -> Vec<Row> {
            file.into_iter().map(|row| row.map(|value| value.map(|value| value % few))).collect()
        };
        let (before, after) = (narrow(before), narrow(fresh));
        let names = ["a", "b", "c", "d"].map(str::to_owned);
        let stay = names[2..].to_vec();
        let roles = Roles::assign(&names, &[], &stay, &[], None).unwrap();
        let schema = Schema::new(&names, &roles, &BTreeSet::new());
        let (first, second) = encode_both(&schema, &columns(&before), &columns(&after));
        prop_assert_eq!(first.cells().layout(), second.cells().layout());
        prop_assert_eq!(first.levels(), second.levels());
        prop_assert_eq!((first.len(), second.len()), (before.len(), after.len()));
        let all: Vec<(&Row, Vec<u32>)> = before
            .iter()
            .enumerate()
            .map(|(record, row)| (row, first.cells().codes(record)))
            .chain(after.iter().enumerate().map(|(record, row)| (row, second.cells().codes(record))))
            .collect();
        for (left, left_codes) in &all {
            for (right, right_codes) in &all {
                prop_assert_eq!(left[0] == right[0], left_codes[0] == right_codes[0]);
                prop_assert_eq!(left[1] == right[1], left_codes[1] == right_codes[1]);
                prop_assert_eq!(left[2..] == right[2..], left_codes[2] == right_codes[2]);
            }
        }
        // The first file has the codes it would have alone, and no level is made up.
        let alone = Records::encode(&schema, &columns(&before));
        for record in 0..before.len() {
            prop_assert_eq!(alone.cells().codes(record), first.cells().codes(record));
        }
        for variable in 0..3 {
            let used: BTreeSet<u32> = all.iter().map(|(_, codes)| codes[variable]).collect();
            prop_assert_eq!(used.len(), first.levels()[variable]);
        }
    }

    #[test]
    fn law_recount_by_definition(
        (before, after) in two_files(),
        bits in proptest::collection::vec(0u32..32, 0..5),
    ) {
        let tables = tables(&bits, before.levels.len());
        let checks = recount(&before.packed(), &after.packed(), &tables);
        prop_assert_eq!(checks.len(), tables.len());
        for (check, &table) in checks.iter().zip(&tables) {
            let counts = both(&before, &after, table);
            prop_assert_eq!(check.margin, table);
            prop_assert_eq!(check.cells, counts.len());
            prop_assert_eq!(check.changed, counts.values().filter(|(f, g)| f != g).count());
        }
    }

    /// Any files; and the files that one exchange makes, of which some keep all tables.
    #[test]
    fn law_equal_iff_every_table_is_kept(
        (before, other) in two_files(),
        bits in proptest::collection::vec(0u32..32, 0..4),
        left in 0usize..12,
        right in 0usize..12,
        exchanged in 0u32..32,
    ) {
        let tables = tables(&bits, before.levels.len());
        let packed = before.packed();
        let equal = |after: &World| {
            before.records.len() == after.records.len()
                && tables.iter().all(|&table| before.margin_table(table) == after.margin_table(table))
        };
        let checks = Checks {
            tables: &tables,
            scenarios: &[], questions: &[],
            link: None,
            compared: VarSet::EMPTY,
            combined: VarSet::EMPTY,
            triples: Triples::Skipped,
        };
        let found = verify(&packed, &other.packed(), &checks);
        prop_assert_eq!(found.is_equal(), equal(&other));
        prop_assert_eq!(&found.tables, &recount(&packed, &other.packed(), &tables));
        if left < before.records.len() && right < before.records.len() && left != right {
            let exchanged: VarSet =
                (0..before.levels.len()).filter(|variable| exchanged >> variable & 1 == 1).collect();
            let cells = packed.cells();
            let layout = cells.layout();
            let (new_left, new_right) =
                exchange(layout, cells.get(left), cells.get(right), exchanged);
            let mut after = before.clone();
            for variable in 0..before.levels.len() {
                after.records[left][variable] = layout.code(&new_left, variable);
                after.records[right][variable] = layout.code(&new_right, variable);
            }
            let found = verify(&packed, &after.packed(), &checks);
            prop_assert_eq!(found.is_equal(), before.keeps(left, right, exchanged, &tables));
        }
    }

    #[test]
    fn law_changes_by_definition((before, after) in two_files(), seed in any::<u8>()) {
        let count = before.records.len();
        let (packed, other) = (before.packed(), after.packed());
        if count != after.records.len() {
            prop_assert_eq!(changes(&packed, &other, &Link::ByPosition), None);
            return Ok(());
        }
        let found = changes(&packed, &other, &Link::ByPosition).unwrap();
        let differing = |record: usize| -> VarSet {
            (0..before.levels.len())
                .filter(|&variable| before.records[record][variable] != after.records[record][variable])
                .collect()
        };
        let records = (0..count).filter(|&record| !differing(record).is_empty()).count();
        prop_assert_eq!(found.records, records as u64);
        for variable in 0..before.levels.len() {
            let changed = (0..count).filter(|&record| differing(record).contains(variable)).count();
            prop_assert_eq!(found.by_variable[variable], changed as u64);
        }
        prop_assert_eq!(found.cells, found.by_variable.iter().sum::<u64>());
        // In another order, with the map that says so, nothing else is found.
        let order = order(count, seed);
        let shuffled = reordered(&after, &order).packed();
        prop_assert_eq!(changes(&packed, &shuffled, &Link::ByMap(map_of(&order))), Some(found));
    }

    /// Ids of few kinds, so that some are repeated and some missing; a null is one of them.
    #[test]
    fn law_ids_link_by_definition(
        before in proptest::collection::vec(proptest::option::of(0u8..9), 0..6),
        fresh in proptest::collection::vec(proptest::option::of(0u8..9), 0..6),
        seed in proptest::option::weighted(0.8, any::<u8>()),
        again in proptest::option::weighted(0.3, 0usize..6),
    ) {
        let mut after: Vec<Option<u8>> = match seed {
            Some(seed) => order(before.len(), seed).iter().map(|&record| before[record]).collect(),
            None => fresh,
        };
        if let Some(&id) = again.and_then(|line| after.get(line)) {
            after.push(id);
        }
        let first = column(before.iter().copied());
        let second = column(after.iter().copied());
        let is_set = |ids: &Vec<Option<u8>>| ids.iter().collect::<BTreeSet<_>>().len() == ids.len();
        let same = before.iter().collect::<BTreeSet<_>>() == after.iter().collect::<BTreeSet<_>>();
        match link_by_id(&first, &second) {
            Ok(map) => {
                prop_assert!(is_set(&before) && is_set(&after) && same);
                prop_assert_eq!(map.len(), before.len());
                for (id, &line) in before.iter().zip(&map) {
                    prop_assert_eq!(id, &after[line as usize]);
                }
            }
            Err(LinkError::Repeated { file, record }) => {
                let ids = if file == File::Before { &before } else { &after };
                prop_assert!(ids[..record.position()].contains(&ids[record.position()]));
            }
            Err(LinkError::Missing { file, record }) => {
                let (ids, others) =
                    if file == File::Before { (&before, &after) } else { (&after, &before) };
                prop_assert!(!others.contains(&ids[record.position()]));
            }
        }
    }

    #[test]
    fn law_distances_by_definition(
        (before, after) in two_files(),
        bits in proptest::collection::vec(0u32..32, 0..3),
    ) {
        let variables = before.levels.len();
        let tables = tables(&bits, variables);
        let pooled = Pooled::of(&before.packed(), &after.packed());
        let pairs = compare_pairs(&pooled, VarSet::first(variables), &tables);
        let triples = compare_triples(&pooled, VarSet::first(variables), &tables);
        if before.records.is_empty() || after.records.is_empty() {
            let apart = f64::from(u8::from(before.records.len() != after.records.len()));
            prop_assert!(pairs.iter().all(|pair| pair.total_variation == apart));
            return Ok(());
        }
        prop_assert_eq!(pairs.len(), variables * (variables - 1) / 2);
        for (found, &margin) in compare_tables(&pooled, &tables).iter().zip(&tables) {
            prop_assert_eq!(found.margin, margin);
            let changed = both(&before, &after, margin).values().filter(|(f, g)| f != g).count();
            prop_assert_eq!(found.changed, changed);
            prop_assert!(close(found.total_variation, total_variation(&before, &after, margin)));
            prop_assert!(close(found.hellinger, hellinger(&before, &after, margin)));
        }
        for found in &pairs {
            let pair = found.pair;
            let margin = VarSet::from(pair);
            let kept = tables.iter().any(|table| margin.is_subset(table));
            prop_assert_eq!(found.kept, kept);
            let changed = both(&before, &after, margin).values().filter(|(f, g)| f != g).count();
            prop_assert_eq!(found.changed, changed);
            prop_assert!(close(found.total_variation, total_variation(&before, &after, margin)));
            prop_assert!(close(found.hellinger, hellinger(&before, &after, margin)));
            for (found, world) in
                [(found.cramers_v_before, &before), (found.cramers_v_after, &after)]
            {
                let defined = cramers_v(world, pair);
                prop_assert_eq!(found.is_some(), defined.is_some());
                // Near 0 a root makes much of little.
                if let (Some(found), Some(defined)) = (found, defined) {
                    prop_assert!((found * found - defined * defined).abs() < 1e-12);
                }
            }
        }
        let defined: Vec<f64> = VarSet::first(variables)
            .subsets()
            .filter(|set| set.len() == 3 && !tables.iter().any(|table| set.is_subset(table)))
            .map(|set| total_variation(&before, &after, set))
            .collect();
        prop_assert_eq!(triples.tables, defined.len());
        let greatest = defined.iter().copied().fold(0.0, f64::max);
        prop_assert!(close(triples.total_variation_max, greatest));
        let mean = defined.iter().sum::<f64>() / defined.len().max(1) as f64;
        prop_assert!(close(triples.total_variation_mean, mean));
    }

    /// Whatever happened to the files, a changed pair inside a table is a changed table; and
    /// an exchange that keeps the tables changes no pair inside them.
    #[test]
    fn law_pairs_inside_a_kept_table_are_exact(
        (before, after) in two_files(),
        bits in proptest::collection::vec(0u32..32, 1..4),
    ) {
        let variables = before.levels.len();
        let tables = tables(&bits, variables);
        let pooled = Pooled::of(&before.packed(), &after.packed());
        let unchanged: Vec<VarSet> = pooled
            .recount(&tables)
            .iter()
            .filter(|check| check.changed == 0)
            .map(|check| check.margin)
            .collect();
        for pair in compare_pairs(&pooled, VarSet::first(variables), &unchanged) {
            if pair.kept {
                prop_assert_eq!(pair.changed, 0);
                prop_assert_eq!(pair.total_variation.to_bits(), 0);
                prop_assert_eq!(pair.hellinger.to_bits(), 0);
                prop_assert_eq!(pair.cramers_v_before, pair.cramers_v_after);
            }
        }
    }

    #[test]
    fn law_verify_is_blind_to_order(
        (before, after) in two_files(),
        bits in proptest::collection::vec(0u32..32, 0..3),
        seeds in any::<[u8; 3]>(),
    ) {
        let variables = before.levels.len();
        let tables = tables(&bits, variables);
        let count = before.records.len();
        let straight = verify(
            &before.packed(),
            &after.packed(),
            &checks(&tables, &Link::ByPosition, variables),
        );
        let (order_before, order_after) = (order(count, seeds[0]), order(after.records.len(), seeds[1]));
        let recoded = |world: World| -> World {
            let records = world.records.iter().map(|record| {
                record.iter().zip(&before.levels).map(|(&code, &levels)| {
                    u32::try_from(order(levels, seeds[2])[code as usize]).unwrap()
                }).collect()
            }).collect();
            World { records, ..world }
        };
        let first = recoded(reordered(&before, &order_before));
        let second = recoded(reordered(&after, &order_after));
        let link = if count == after.records.len() {
            let to_after = map_of(&order_after);
            Link::ByMap(order_before.iter().map(|&record| to_after[record]).collect())
        } else {
            Link::ByPosition
        };
        let shuffled =
            verify(&first.packed(), &second.packed(), &checks(&tables, &link, variables));
        prop_assert_eq!(straight, shuffled);
    }
}

/// Drawn records of a file that is too large for one word and has hashed tables too.
fn drawn(count: usize, levels: &[usize], random: &mut Random) -> Vec<Vec<u32>> {
    let code = |random: &mut Random, levels: usize| {
        u32::try_from(random.below(levels).min(random.below(levels))).unwrap()
    };
    (0..count).map(|_| levels.iter().map(|&levels| code(random, levels)).collect()).collect()
}

#[test]
fn law_verify_is_blind_to_threads() {
    let levels = [3, 2, 900, 5, 4000, 7, 1 << 17, 1 << 17];
    let mut random = Random::new(Seed([3; 32]), 0);
    let before = drawn(3000, &levels, &mut random);
    let mut after = before.clone();
    for _ in 0..300 {
        let (left, right, variable) = (random.below(3000), random.below(3000), random.below(8));
        let value = after[left][variable];
        after[left][variable] = after[right][variable];
        after[right][variable] = value;
    }
    let (before, after) =
        (Records::from_codes(&levels, &before), Records::from_codes(&levels, &after));
    let tables =
        [VarSet::from([0, 1]), VarSet::from([2, 4]), VarSet::from([5, 6]), VarSet::single(4)];
    let link = Link::ByPosition;
    let checks = checks(&tables, &link, levels.len());
    let with = |threads: usize| -> Verification {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| verify(&before, &after, &checks))
    };
    let one = with(1);
    assert!(!one.is_equal() && one.changes.as_ref().unwrap().records > 100);
    assert_eq!(one, with(2));
    assert_eq!(one, with(7));
}

/// Witness for the hashed way of a two-way table: it agrees with the array on the same file.
#[test]
fn hashed_pairs_are_those_of_the_array() {
    let mut random = Random::new(Seed([4; 32]), 0);
    let few = [4, 6, 3];
    let (before, after) = (drawn(200, &few, &mut random), drawn(200, &few, &mut random));
    let compared = |levels: &[usize]| {
        let records = |codes| Records::from_codes(levels, codes);
        let pooled = Pooled::of(&records(&before), &records(&after));
        compare_pairs(&pooled, VarSet::first(3), &[])
    };
    let array = compared(&few);
    assert!(array.iter().all(|pair| pair.total_variation > 0.0));
    assert_eq!(array, compared(&[1 << 20, 1 << 20, 1 << 20]));
}

/// Independent variables have V = 0 to the bit, a variable and its copy very nearly 1.
#[test]
fn cramers_v_has_its_ends() {
    let codes: Vec<Vec<u32>> =
        (0..6).flat_map(|row| (0..3).map(move |column| vec![row, column, row])).collect();
    let records = Records::from_codes(&[6, 3, 6], &codes);
    let pooled = Pooled::of(&records, &records);
    let pairs = compare_pairs(&pooled, VarSet::first(3), &[]);
    assert_eq!(pairs[0].cramers_v_before, Some(0.0));
    assert!(pairs[1].cramers_v_after.is_some_and(|association| close(association, 1.0)));
    assert_eq!(pairs[2].cramers_v_after, Some(0.0));
}

/// How long does it take to verify 1,000,000 records of 9 variables, of which 40,000 have
/// changed?
/// `cargo test --release -p marginswap-core --test all verify_laws:: -- --ignored --nocapture`
#[test]
#[ignore = "it measures, and says so on the screen"]
#[allow(clippy::print_stdout)]
fn time_of_a_million_records() {
    let levels = [20, 2, 18, 5, 7, 30, 8, 40, 12];
    let count = 1_000_000;
    let mut random = Random::new(Seed([5; 32]), 0);
    let before = drawn(count, &levels, &mut random);
    let mut after = before.clone();
    for _ in 0..20_000 {
        let (left, right) = (random.below(count), random.below(count));
        for variable in [1, 3, 6] {
            let value = after[left][variable];
            after[left][variable] = after[right][variable];
            after[right][variable] = value;
        }
    }
    let mut shuffled = after.clone();
    random.shuffle(&mut shuffled);
    let columns = |records: &[Vec<u32>]| -> Vec<Option<Column>> {
        (0..levels.len())
            .map(|variable| {
                let mut column = ColumnBuilder::default();
                for record in records {
                    column.push(format!("level {}", record[variable]).as_bytes());
                }
                Some(column.finish())
            })
            .collect()
    };
    let names: Vec<String> = (0..levels.len()).map(|variable| variable.to_string()).collect();
    let schema = Schema::new(&names, &Roles::all_variables(levels.len()), &BTreeSet::new());
    let (before, after, shuffled) = (columns(&before), columns(&after), columns(&shuffled));
    let tables = [
        VarSet::from([0, 1, 2]),
        VarSet::from([2, 4, 5]),
        VarSet::from([5, 7]),
        VarSet::from([0, 3, 6, 8]),
    ];
    let link = Link::ByPosition;
    for (what, after) in [("in place", &after), ("shuffled", &shuffled)] {
        for _ in 0..3 {
            let start = std::time::Instant::now();
            let alone = Records::encode(&schema, &before);
            let encode = start.elapsed();
            drop(alone);
            let start = std::time::Instant::now();
            let (left, right) = encode_both(&schema, &before, after);
            let encode_both = start.elapsed();
            let start = std::time::Instant::now();
            let pooled = Pooled::of(&left, &right);
            let pool = start.elapsed();
            let start = std::time::Instant::now();
            let changed = pooled.recount(&tables).iter().filter(|check| check.changed > 0).count();
            let recount = start.elapsed();
            let start = std::time::Instant::now();
            let _ = changes(&left, &right, &link);
            let change = start.elapsed();
            let start = std::time::Instant::now();
            let _ = compare_pairs(&pooled, VarSet::first(9), &tables);
            let pairs = start.elapsed();
            let start = std::time::Instant::now();
            let _ = compare_triples(&pooled, VarSet::first(9), &tables);
            let triples = start.elapsed();
            let start = std::time::Instant::now();
            let asked = Checks { triples: Triples::Skipped, ..checks(&tables, &link, 9) };
            let _ = verify(&left, &right, &asked);
            let all = start.elapsed();
            println!(
                "{what}, {changed} tables changed: encode one {encode:.0?}, both {encode_both:.0?}; \
                 pool {pool:.0?}, recount {recount:.0?}, changes {change:.0?}, \
                 pairs {pairs:.0?}, triples {triples:.0?}; verify without triples {all:.0?}",
            );
        }
    }
}

/// The distinct lines of a world in some order, and how often each occurs. Some are listed in
/// two lines, as a file may list them.
fn counted(world: &World, seed: u8) -> (World, Vec<u32>) {
    let mut cells: BTreeMap<&Vec<u32>, u32> = BTreeMap::new();
    world.records.iter().for_each(|record| *cells.entry(record).or_default() += 1);
    let mut lines: Vec<(Vec<u32>, u32)> = Vec::new();
    for (record, count) in cells {
        let first = if count > 2 { 1 } else { count };
        lines.push((record.clone(), first));
        lines.extend((count > first).then(|| (record.clone(), count - first)));
    }
    let lines: Vec<_> =
        order(lines.len(), seed).into_iter().map(|one| lines[one].clone()).collect();
    let (records, counts) = lines.into_iter().unzip();
    (World { levels: world.levels.clone(), records }, counts)
}

/// The lines of one world with how many records of another are like each, none for some, and
/// after them the lines that only the other one has.
fn beside(lines: &World, world: &World) -> (World, Vec<u32>) {
    let mut cells: BTreeMap<&Vec<u32>, u32> = BTreeMap::new();
    world.records.iter().for_each(|record| *cells.entry(record).or_default() += 1);
    let mut counts: Vec<u32> =
        lines.records.iter().map(|record| cells.remove(record).unwrap_or(0)).collect();
    let mut records = lines.records.clone();
    for (record, count) in cells {
        records.push(record.clone());
        counts.push(count);
    }
    (World { levels: lines.levels.clone(), records }, counts)
}

proptest! {
    /// Law: `counted-lines-compare-as-records`.
    #[test]
    fn law_counted_lines_compare_as_records(
        (before, after) in two_files(),
        bits in proptest::collection::vec(any::<u32>(), 2..5),
        seed in any::<u8>(),
    ) {
        let sets = tables(&bits, before.levels.len());
        let encoded = |world: &World| Records::from_codes(&world.levels, &world.records);
        let scenarios = |alone: AtRisk<'static>| -> Vec<Scenario<'static>> {
            let all = VarSet::first(before.levels.len());
            let keys = [sets[0], sets[1]];
            keys.map(|keys| Scenario { keys, sensitive: all - keys, needed: 1, at_risk: alone }).to_vec()
        };
        let scenarios = scenarios(AtRisk::Alone);
        let checks = Checks {
            tables: &sets,
            scenarios: &scenarios, questions: &[],
            link: None,
            compared: VarSet::first(before.levels.len()),
            combined: VarSet::first(before.levels.len()),
            triples: Triples::Compared,
        };
        let expected = verify(&encoded(&before), &encoded(&after), &checks);
        let (lines, counts) = counted(&before, seed);
        // In an order of their own, and each at the place that the cell has in the first file.
        let shuffled = counted(&after, seed.wrapping_add(1));
        let in_place = beside(&lines, &after);
        let lines = encoded(&lines);
        for (released, released_counts) in [shuffled, in_place] {
            let released = encoded(&released);
            let located = Located::counted(&lines, counts.clone());
            let listed = Listed::of_records(&located, &released, Guess::Nothing);
            let pooled =
                Pooled::listed(&located, &listed, [Some(&counts), Some(&released_counts)]);
            let found = verify_changed(&pooled, None, &checks);
            prop_assert_eq!(&found.tables, &expected.tables);
            prop_assert_eq!(found.is_equal(), expected.is_equal());
            prop_assert_eq!(
                (found.replaced, &found.new_pairs, &found.two_way, found.three_way_others),
                (expected.replaced, &expected.new_pairs, &expected.two_way, expected.three_way_others)
            );
            let worst = |found: &Verification| {
                let worst = found.worst_case.clone().unwrap();
                let people = [worst.at_risk, worst.gone, worst.shared, worst.matched, worst.protected];
                let learned = [worst.shared_learned, worst.shared_right, worst.matched_right];
                (people, learned, worst.newly_exposed)
            };
            prop_assert_eq!(worst(&found), worst(&expected));
            // With everybody listed at risk the weights of lines matter.
            for keys in &sets {
                let told = |pooled: &Pooled, lines: usize| {
                    let all = vec![true; lines];
                    let sensitive = VarSet::first(before.levels.len()) - *keys;
                    let at_risk = AtRisk::Listed(&all);
                    let found = learned(pooled, &Scenario { keys: *keys, sensitive, needed: 1, at_risk });
                    let people = [found.at_risk, found.gone, found.shared, found.matched];
                    let fates = [found.shared_right, found.shared_unchanged, found.shared_learned];
                    let values = [found.shared_values, found.matched_values];
                    (people, fates, found.matched_right, values, found.matched_by_correct, found.newly_exposed)
                };
                let whole = Pooled::of(&encoded(&before), &encoded(&after));
                prop_assert_eq!(told(&pooled, counts.len()), told(&whole, before.records.len()));
            }
        }
    }
}

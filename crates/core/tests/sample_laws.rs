//! Laws of drawn files: exact enumeration where it can be done, χ² where numbers are drawn, the
//! vectors of two mechanisms, and mistakes that these laws must notice.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "counts of a test are small"
)]

use std::collections::BTreeMap;

use marginswap_core::graph::{GeneratingClass, JunctionTree};
use marginswap_core::oracle::{World, all_antichains, far_side_moved, fibre, permutations};
use marginswap_core::random::{Random, Seed};
use marginswap_core::sample::{
    CliqueTable, Contradiction, Glued, HeldRows, Lambda, Tables, Terms, Wish, chordal_cover, glue,
    gluing_tree, held_rows, permutation, sample,
};
use marginswap_core::table::Located;
use marginswap_core::varset::VarSet;
use serde_json::Value;

use crate::support::{codes, list, number, set};

/// A file without order.
type File = Vec<Vec<u32>>;

/// λ as whole number.
fn lambda(whole: u128) -> Lambda {
    Lambda::one_and((whole - 1) << 32)
}

fn moved(permutation: &[usize]) -> usize {
    permutation.iter().enumerate().filter(|(place, row)| place != *row).count()
}

/// The weights of all permutations, summing to 1.
fn exact_law(rows: usize, weight: impl Fn(usize) -> f64) -> Vec<(Vec<usize>, f64)> {
    let all: Vec<(Vec<usize>, f64)> = permutations(rows)
        .into_iter()
        .map(|one| {
            let weight = weight(moved(&one));
            (one, weight)
        })
        .collect();
    let sum: f64 = all.iter().map(|(_, weight)| weight).sum();
    all.into_iter().map(|(one, weight)| (one, weight / sum)).collect()
}

/// The weights of the published mechanism with a rate, in a slice.
fn psa_weight(rows: usize, rate: f64) -> impl Fn(usize) -> f64 {
    let derangements = |of: usize| {
        (0..of).fold(1.0, |all, one| {
            let next = one + 1;
            all * next as f64 + if next % 2 == 0 { 1.0 } else { -1.0 }
        })
    };
    move |moved| {
        let chosen = i32::try_from(moved).unwrap();
        let left = i32::try_from(rows - moved).unwrap();
        match moved {
            0 => (1.0 - rate).powi(left),
            1 => 0.0,
            _ => rate.powi(chosen) * (1.0 - rate).powi(left) / derangements(moved),
        }
    }
}

/// For each edge the slices of a file, as lists of records.
fn slices_of(tree: &JunctionTree, records: &[Vec<u32>]) -> Vec<Vec<Vec<usize>>> {
    let of_edge = |separator: VarSet| {
        let mut slices: BTreeMap<Vec<u32>, Vec<usize>> = BTreeMap::new();
        for (number, record) in records.iter().enumerate() {
            let key = separator.iter().map(|one| record[one]).collect();
            slices.entry(key).or_default().push(number);
        }
        slices.into_values().collect()
    };
    tree.edges().iter().map(|edge| of_edge(edge.separator)).collect()
}

/// What an exact law does with each slice of an edge.
type Kernel<'k> = &'k dyn Fn(usize, usize) -> Vec<(Vec<usize>, f64)>;

/// All choices of a permutation in each slice of an edge, each with its probability.
fn choices(
    slices: &[Vec<usize>],
    records: usize,
    kernel: &dyn Fn(usize) -> Vec<(Vec<usize>, f64)>,
) -> Vec<(Vec<u32>, f64)> {
    let own: Vec<u32> = (0..u32::try_from(records).unwrap()).collect();
    let mut all = vec![(own, 1.0)];
    for slice in slices {
        let law = kernel(slice.len());
        all = all
            .iter()
            .flat_map(|(chosen, weight)| {
                law.iter().filter(|(_, one)| *one > 0.0).map(move |(permutation, one)| {
                    let mut chosen = chosen.clone();
                    for (&record, &other) in slice.iter().zip(permutation) {
                        chosen[record] = u32::try_from(slice[other]).unwrap();
                    }
                    (chosen, weight * one)
                })
            })
            .collect();
    }
    all
}

/// The file that permutations make of another one.
fn glued_file(tree: &JunctionTree, records: &[Vec<u32>], moved: &[Vec<u32>]) -> File {
    let glued = Glued::by(tree, records.len(), moved);
    let value = |record: usize, variable: usize| {
        let clique = tree.cliques().iter().position(|one| one.contains(variable)).unwrap();
        records[glued.from(clique)[record] as usize][variable]
    };
    let mut file: File = (0..records.len())
        .map(|record| (0..records[0].len()).map(|variable| value(record, variable)).collect())
        .collect();
    file.sort();
    file
}

/// The exact law of the mechanism from one file.
fn exact_law_from(
    tree: &JunctionTree,
    records: &[Vec<u32>],
    kernel: Kernel<'_>,
) -> BTreeMap<File, f64> {
    let mut all: Vec<(Vec<Vec<u32>>, f64)> = vec![(Vec::new(), 1.0)];
    for (edge, slices) in slices_of(tree, records).iter().enumerate() {
        let more = choices(slices, records.len(), &|size| kernel(edge, size));
        all = all
            .iter()
            .flat_map(|(chosen, weight)| {
                more.iter().map(move |(one, more)| {
                    ([&chosen[..], std::slice::from_ref(one)].concat(), weight * more)
                })
            })
            .collect();
    }
    let mut law = BTreeMap::new();
    for (chosen, weight) in all {
        *law.entry(glued_file(tree, records, &chosen)).or_default() += weight;
    }
    law
}

/// The records in which two files without order differ.
fn distance(one: &File, other: &File) -> usize {
    let mut left = other.clone();
    let mut differing = 0;
    for record in one {
        match left.iter().position(|other| other == record) {
            Some(place) => drop(left.remove(place)),
            None => differing += 1,
        }
    }
    differing
}

/// The worst |ln of the ratio| for each record in which two files differ, over a whole fibre.
fn worst_ratio(tree: &JunctionTree, files: &[File], kernel: Kernel<'_>) -> f64 {
    let laws: Vec<BTreeMap<File, f64>> =
        files.iter().map(|file| exact_law_from(tree, file, kernel)).collect();
    let mut worst = 0.0f64;
    for (one, law) in files.iter().zip(&laws) {
        for (other, other_law) in files.iter().zip(&laws) {
            let apart = distance(one, other);
            for (file, weight) in law {
                if apart > 0 {
                    let ratio = (weight / other_law.get(file).copied().unwrap_or(0.0)).ln().abs();
                    worst = worst.max(ratio / f64::from(u32::try_from(apart).unwrap()));
                }
            }
        }
    }
    worst
}

fn tree_of(case: &Value) -> JunctionTree {
    let cliques = list(&case["cliques"]).iter().map(set).collect();
    let edges: Vec<(usize, usize)> =
        list(&case["tree"]).iter().map(|edge| (number(&edge[0]), number(&edge[1]))).collect();
    JunctionTree::of_parents(cliques, &edges)
}

fn world_of(case: &Value) -> World {
    World {
        levels: list(&case["levels"]).iter().map(number).collect(),
        records: list(&case["records"]).iter().map(codes).collect(),
    }
}

fn vectors(text: &str) -> Vec<Value> {
    let all: Value = serde_json::from_str(text).unwrap();
    list(&all["cases"]).clone()
}

fn gluing_cases() -> Vec<Value> {
    vectors(include_str!("vectors/gluing.json"))
}

/// The worst ratios of the published weights on every edge are those of the vectors, and those of
/// ours are within ε.
#[test]
fn law_epsilon_bounds_every_ratio() {
    let mut attained = 0;
    for case in gluing_cases() {
        let (tree, world) = (tree_of(&case), world_of(&case));
        let files: Vec<File> = fibre(&world, tree.cliques()).into_keys().collect();
        assert_eq!(files.len(), number(&case["fibre"]), "{}", case["model"]);
        let rate = match case["par"].as_str().unwrap() {
            "1/5" => 0.2,
            "4/5" => 0.8,
            other => panic!("{other}"),
        };
        let psa = |_: usize, rows: usize| exact_law(rows, psa_weight(rows, rate));
        let worst = worst_ratio(&tree, &files, &psa);
        let expected = case["worst"].as_f64().unwrap();
        assert!((worst - expected).abs() < 1e-9, "{}: {worst}, not {expected}", case["model"]);
        assert!(worst <= case["bound"].as_f64().unwrap() + 1e-9);

        let located = Located::count(&world.packed());
        let sizes = Glued::slices(&located, &tree).sizes();
        for whole in [1u128, 2, 7] {
            let of = u64::try_from(whole.pow(u32::try_from(tree.edges().len()).unwrap())).unwrap();
            let terms = Terms::new(&tree, &sizes, Wish::EpsilonLog(of));
            let lambdas: Vec<f64> = terms.edges().iter().map(|edge| edge.lambda.value()).collect();
            let kernel = |edge: usize, rows: usize| {
                exact_law(rows, |moved| lambdas[edge].powi(-i32::try_from(moved).unwrap()))
            };
            let worst = worst_ratio(&tree, &files, &kernel);
            assert!(
                worst <= terms.epsilon() + 1e-9,
                "{}: {worst} {}",
                case["model"],
                terms.epsilon()
            );
            attained += usize::from(whole > 1 && worst > terms.epsilon() - 1e-6);
        }
    }
    assert_eq!(attained, ATTAINED, "cases in which a pair of files attains the bound");
}

const ATTAINED: usize = 36;

/// With one separator the mechanism with the published weights is the published one.
#[test]
fn the_published_mechanism_has_its_ratios() {
    let mut cases = 0;
    for case in vectors(include_str!("vectors/psa_epsilon.json")) {
        let (rows, rate) = (number(&case["b"]), case["p"].as_f64().unwrap());
        if rows > 4 {
            continue;
        }
        let tree = JunctionTree::of_parents(vec![VarSet::single(0), VarSet::single(1)], &[(0, 1)]);
        let mut worst = 0.0f64;
        // Every file of these sizes, up to the names of its values.
        let levels = rows;
        let all = u32::try_from(levels).unwrap();
        let mut tables: Vec<Vec<u32>> = vec![Vec::new()];
        for _ in 0..rows {
            tables = tables
                .iter()
                .flat_map(|one| {
                    let last = one.last().copied().unwrap_or(0);
                    (last..all).map(|code| [&one[..], &[code]].concat()).collect::<Vec<_>>()
                })
                .collect();
        }
        let psa = |_: usize, rows: usize| exact_law(rows, psa_weight(rows, rate));
        for left in &tables {
            for right in &tables {
                let records =
                    left.iter().zip(right).map(|(&one, &other)| vec![one, other]).collect();
                let world = World { levels: vec![levels, levels], records };
                let files: Vec<File> = fibre(&world, tree.cliques()).into_keys().collect();
                worst = worst.max(worst_ratio(&tree, &files, &psa));
            }
        }
        let expected = case["worst_observed"].as_f64().unwrap();
        assert!((worst - expected).abs() < 1e-9, "{rows} {rate}: {worst}, not {expected}");
        cases += 1;
    }
    assert_eq!(cases, 10);
}

/// χ² of counts against probabilities; the bound has a chance of less than one in 10⁶ for a right
/// law, and seeds are fixed.
fn fits(counts: &[u64], law: &[f64]) -> bool {
    let draws: f64 = counts.iter().map(|&one| one as f64).sum();
    let sum: f64 = law.iter().sum();
    let (mut chi, mut cells) = (0.0, 0.0f64);
    let (mut small, mut small_counted) = (0.0, 0.0);
    for (&count, weight) in counts.iter().zip(law) {
        let expected = draws * weight / sum;
        if expected < 5.0 {
            small += expected;
            small_counted += count as f64;
            continue;
        }
        chi += (count as f64 - expected).powi(2) / expected;
        cells += 1.0;
    }
    if small > 0.0 {
        chi += (small_counted - small).powi(2) / small.max(1.0);
        cells += 1.0;
    }
    let freedom = (cells - 1.0).max(1.0);
    chi < freedom + 7.0 * (2.0 * freedom).sqrt() + 10.0
}

/// Both ways of drawing, few rows and many, a mean that is no whole number.
#[test]
fn law_held_rows_have_their_law() {
    let quarter = 1u128 << 30;
    for (number, (rows, above)) in [
        (1u64, 4 * quarter),
        (3, quarter),
        (3, 9 * quarter),
        (5, 4 * 5 * quarter),
        (5, 4 * 40 * quarter),
        (7, 4 * quarter),
        (7, 4 * 6 * quarter + 1),
        (7, 4 * 499 * quarter),
        (40, 4 * 30 * quarter + quarter),
    ]
    .into_iter()
    .enumerate()
    {
        let random = &mut Random::new(Seed([3; 32]), number as u64);
        let mut counts = vec![0u64; usize::try_from(rows).unwrap() + 1];
        for _ in 0..40_000 {
            let HeldRows(held) = held_rows(Lambda::one_and(above), rows, random);
            counts[usize::try_from(held).unwrap()] += 1;
        }
        let mean = above as f64 / (1u64 << 32) as f64;
        let mut weight = 1.0;
        let law: Vec<f64> = (0..counts.len())
            .map(|held| {
                if held > 0 {
                    weight *= mean / held as f64;
                }
                weight
            })
            .collect();
        assert!(fits(&counts, &law), "{rows} rows, mean {mean}: {counts:?}");
    }
}

/// Every permutation of a slice has its weight; slices beside it have theirs.
#[test]
fn law_permutations_have_the_weights() {
    for (rows, whole) in [(2u32, 1u128), (3, 1), (3, 2), (4, 3), (4, 30), (5, 2)] {
        let all =
            exact_law(rows as usize, |moved| (whole as f64).powi(-i32::try_from(moved).unwrap()));
        let place: BTreeMap<&Vec<usize>, usize> = all.iter().map(|(one, _)| one).zip(0..).collect();
        let mut counts = vec![vec![0u64; all.len()]; 2];
        for draw in 0..300u16 {
            let mut seed = [u8::try_from(whole).unwrap(); 32];
            seed[..2].copy_from_slice(&draw.to_le_bytes());
            let sizes = [vec![1], vec![rows; 100]].concat();
            let drawn = permutation(&sizes, |_| lambda(whole), Seed(seed));
            assert_eq!(drawn[0], 0);
            for (number, slice) in drawn[1..].chunks(rows as usize).enumerate() {
                let first = 1 + number * rows as usize;
                let one: Vec<usize> = slice.iter().map(|&row| row as usize - first).collect();
                counts[number % 2][place[&one]] += 1;
            }
        }
        let law: Vec<f64> = all.iter().map(|(_, weight)| *weight).collect();
        assert!(counts.iter().all(|counts| fits(counts, &law)), "{rows} rows, λ = {whole}");
    }
}

/// A slice that is larger than one stream is a permutation too, the same for every number of threads,
/// and as many rows of it stay as λ says.
#[test]
fn large_slices_are_permuted_alike_on_every_number_of_threads() {
    let sizes = [3, 200_000, 1, 70_000, 2];
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| permutation(&sizes, |_| lambda(100_000), Seed([9; 32])))
    };
    let (one, three) = (on(1), on(3));
    assert_eq!(one, three);
    let mut first = 0;
    for size in sizes {
        let mut rows: Vec<u32> = one[first..first + size as usize].to_vec();
        let stay = rows.iter().zip(first..).filter(|(row, own)| **row as usize == *own).count();
        match size {
            200_000 => assert!((98_000..102_000).contains(&stay), "{stay}"),
            // Nearly all stay where λ is more than the rows.
            70_000 => assert!(stay > 69_990, "{stay}"),
            _ => {}
        }
        rows.sort_unstable();
        assert!(rows.iter().zip(first..).all(|(row, own)| *row as usize == own));
        first += size as usize;
    }
}

/// λ from a wish: ε is not exceeded and nearly reached.
#[test]
fn law_a_wished_epsilon_is_not_exceeded() {
    for edges in 1..12 {
        let of_edges = edges as f64;
        for micros in [0u64, 1, 1000, 693_147, 1_000_000, 2_500_000, 19_360_000, 400_000_000] {
            let lambda = Lambda::of_epsilon(micros, edges);
            let (reached, wished) = (lambda.epsilon() * of_edges, micros as f64 / 1e6);
            assert!(reached <= wished + 1e-12, "{micros} by {edges}: {reached}");
            assert!(
                reached > wished - 1e-6 || lambda.value() > 1e13,
                "{micros} by {edges}: {reached}"
            );
        }
        for of in [1u64, 2, 500, 1 << 31] {
            let lambda = Lambda::of_log(of, edges);
            let (reached, wished) = (lambda.epsilon() * of_edges, (of as f64).ln());
            assert!(
                reached <= wished + 1e-9 && reached > wished - 1e-6,
                "{of} by {edges}: {reached}"
            );
        }
    }
    assert_eq!(Lambda::of_log(500, 1), lambda(500));
    assert_eq!(Lambda::of_log(49, 2), lambda(7));
}

/// The share that moves on average is that of the enumeration, and λ for a rate is the largest one
/// that reaches it.
#[test]
fn law_a_wished_rate_is_met() {
    for rows in 1..7usize {
        for whole in [1u128, 2, 5, 100] {
            let law = exact_law(rows, |moved| (whole as f64).powi(-i32::try_from(moved).unwrap()));
            let expected: f64 = law.iter().map(|(one, weight)| moved(one) as f64 * weight).sum();
            let share = lambda(whole).expected_share(rows as u64);
            assert!((share - expected / rows as f64).abs() < 1e-12, "{rows} {whole}");
        }
    }
    for rows in [2u64, 5, 100, 264_331] {
        for rate in [0.01, 0.05, 0.2, 0.5] {
            let lambda = Lambda::of_rate(rate, rows);
            let (numerator, _) = lambda.above_one();
            assert!(lambda.expected_share(rows) >= rate);
            assert!(Lambda::one_and(numerator + 1).expected_share(rows) < rate + 1e-9);
            assert!(lambda.expected_share(rows) < rate + 1e-3);
        }
    }
    assert_eq!(Lambda::of_rate(0.9, 2), Lambda::UNIFORM);
    // The figures of the theory: ε of a slice of 264,331 rows.
    for (rate, epsilon) in [(0.05, 12.43), (0.5, 11.79)] {
        assert!((Lambda::of_rate(rate, 264_331).epsilon() - epsilon).abs() < 0.005);
    }
}

/// Random worlds with a decomposable class, from antichains of tables and their covers.
fn worlds() -> Vec<(World, GeneratingClass)> {
    let random = &mut Random::new(Seed([17; 32]), 0);
    let mut worlds = Vec::new();
    for class in all_antichains(4) {
        let levels: Vec<usize> = (0..4).map(|_| 1 + random.below(3)).collect();
        let records: Vec<Vec<u32>> = (0..random.below(12))
            .map(|_| levels.iter().map(|&one| u32::try_from(random.below(one)).unwrap()).collect())
            .collect();
        let class = chordal_cover(&GeneratingClass::new(VarSet::first(4), class), &levels);
        worlds.push((World { levels, records }, class));
    }
    assert!(worlds.len() > 100);
    worlds
}

fn own_codes(world: &World) -> Vec<Vec<u32>> {
    world.levels.iter().map(|&levels| (0..u32::try_from(levels).unwrap()).collect()).collect()
}

fn drawn_records(tables: &Tables, variables: usize, seed: u64) -> File {
    let mut bytes = [5; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let drawn = sample(tables, Seed(bytes));
    let columns: Vec<Vec<u32>> =
        (0..variables).map(|one| drawn.codes(tables, one).unwrap()).collect();
    (0..drawn.records())
        .map(|record| columns.iter().map(|column| column[record]).collect())
        .collect()
}

#[test]
fn law_a_sample_keeps_every_table() {
    for (world, class) in worlds() {
        let tree = gluing_tree(&class).unwrap();
        let tables =
            Tables::count(tree, Located::count(&world.packed()).table(), &own_codes(&world));
        let records = drawn_records(&tables, 4, 1);
        let after = World { levels: world.levels.clone(), records };
        for &margin in class.margins() {
            assert_eq!(after.margin_table(margin), world.margin_table(margin));
        }
    }
}

#[test]
fn law_gluing_keeps_every_table() {
    for (world, class) in worlds() {
        let tree = gluing_tree(&class).unwrap();
        let located = Located::count(&world.packed());
        let slices = Glued::slices(&located, &tree);
        let terms = Terms::new(&tree, &slices.sizes(), Wish::Rate(0.5));
        let glued = glue(&tree, &slices, &terms, Seed([2; 32]));
        let value = |record: usize, variable: usize| {
            let clique = tree.cliques().iter().position(|one| one.contains(variable)).unwrap();
            world.records[glued.from(clique)[record] as usize][variable]
        };
        let records = (0..world.records.len())
            .map(|record| (0..4).map(|variable| value(record, variable)).collect())
            .collect();
        let after = World { levels: world.levels.clone(), records };
        for &margin in class.margins() {
            assert_eq!(after.margin_table(margin), world.margin_table(margin));
        }
    }
}

/// In records: inside each slice the whole far side moves, edge after edge. The law is the same as
/// that of the composed bijections, and the order of the edges does not matter.
#[test]
fn gluing_moves_the_whole_far_side() {
    for case in gluing_cases().iter().step_by(6) {
        let (tree, world) = (tree_of(case), world_of(case));
        let kernel = |_: usize, rows: usize| {
            exact_law(rows, |moved| 3f64.powi(-i32::try_from(moved).unwrap()))
        };
        let law = exact_law_from(&tree, &world.records, &kernel);
        for reversed in [false, true] {
            let mut edges: Vec<usize> = (0..tree.edges().len()).collect();
            if reversed {
                edges.reverse();
            }
            let slow = far_side_law(&tree, &world.records, &edges, Moves::FarSide);
            assert_eq!(slow.len(), law.len());
            for (file, weight) in &slow {
                assert!((law[file] - weight).abs() < 1e-12, "{}", case["model"]);
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Moves {
    FarSide,
    OneClique,
}

/// The law of moving sides in records, edge after edge, with λ = 3.
fn far_side_law(
    tree: &JunctionTree,
    records: &[Vec<u32>],
    edges: &[usize],
    moves: Moves,
) -> BTreeMap<File, f64> {
    let mut law: BTreeMap<File, f64> = BTreeMap::from([(records.to_vec(), 1.0)]);
    for &edge in edges {
        let far = far_side(tree, edge, moves);
        let kernel = |rows| exact_law(rows, |moved| 3f64.powi(-i32::try_from(moved).unwrap()));
        let mut next = BTreeMap::new();
        for (file, weight) in law {
            let slices = slices_of(tree, &file).swap_remove(edge);
            for (from, more) in choices(&slices, file.len(), &kernel) {
                let from: Vec<usize> = from.iter().map(|&one| one as usize).collect();
                let mut moved = far_side_moved(&file, far, &from);
                moved.sort();
                *next.entry(moved).or_default() += weight * more;
            }
        }
        law = next;
    }
    law
}

fn far_side(tree: &JunctionTree, edge: usize, moves: Moves) -> VarSet {
    let of = tree.edges()[edge];
    let mut behind = vec![of.child];
    for other in tree.edges() {
        if moves == Moves::FarSide && behind.contains(&other.parent) {
            behind.push(other.child);
        }
    }
    behind.iter().fold(VarSet::EMPTY, |all, &one| all | tree.cliques()[one]) - of.separator
}

/// The law of the sampler is that of the fibre: exactly, by enumeration of all bijections.
#[test]
fn law_a_sample_has_the_law_of_the_fibre() {
    let mut cases = 0;
    let decomposable = vectors(include_str!("vectors/fibers.json"));
    for (number, case) in decomposable.iter().enumerate() {
        let mut records: File = Vec::new();
        for cell in list(&case["table"]) {
            let count = usize::try_from(cell[1].as_u64().unwrap()).unwrap();
            records.extend(std::iter::repeat_n(codes(&cell[0]), count));
        }
        let world = World {
            levels: list(&case["levels"]).iter().map(crate::support::number).collect(),
            records,
        };
        let variables = world.levels.len();
        let margins = list(&case["facets"]).iter().map(set);
        let class = GeneratingClass::new(VarSet::first(variables), margins);
        let Some(tree) = gluing_tree(&class) else { continue };
        let law = fibre(&world, class.margins());
        assert_eq!(law.len(), crate::support::number(&case["fiber_size"]));
        let uniform = |_: usize, rows: usize| exact_law(rows, |_| 1.0);
        if world.records.len() <= 5 {
            let exact = exact_law_from(&tree, &world.records, &uniform);
            let sum: f64 = law.values().sum();
            for (file, weight) in &law {
                assert!((exact[file] - weight / sum).abs() < 1e-12);
            }
        }
        let tables =
            Tables::count(tree, Located::count(&world.packed()).table(), &own_codes(&world));
        let mut counts: BTreeMap<&File, u64> = law.keys().map(|file| (file, 0)).collect();
        for draw in 0..20_000 {
            let mut file = drawn_records(&tables, variables, draw + 1_000_000 * number as u64);
            file.sort();
            *counts.get_mut(&file).expect("a file of the fibre") += 1;
        }
        let counts: Vec<u64> = counts.into_values().collect();
        let law: Vec<f64> = law.into_values().collect();
        assert!(fits(&counts, &law), "{}", case["name"]);
        cases += 1;
    }
    assert_eq!(cases, 11);
}

/// Another file with the same tables, in another order and with other codes, gives the same sample.
#[test]
fn law_a_sample_follows_from_the_tables() {
    let mut differing = 0;
    for (world, class) in worlds() {
        let tree = gluing_tree(&class).unwrap();
        let sampled = |records: &File| {
            let world = World { levels: world.levels.clone(), records: records.clone() };
            let located = Located::count(&world.packed());
            drawn_records(&Tables::count(tree.clone(), located.table(), &own_codes(&world)), 4, 7)
        };
        let own = sampled(&world.records);
        let tables = Tables::count(
            tree.clone(),
            Located::count(&world.packed()).table(),
            &own_codes(&world),
        );
        let others = (100..103).map(|seed| drawn_records(&tables, 4, seed));
        for file in others {
            differing += usize::from(distance(&file, &world.records) > 0);
            assert_eq!(sampled(&file), own);
        }
        let reversed: File = world
            .records
            .iter()
            .rev()
            .map(|record| {
                record
                    .iter()
                    .zip(&world.levels)
                    .map(|(code, levels)| u32::try_from(*levels).unwrap() - 1 - code)
                    .collect()
            })
            .collect();
        let back: Vec<Vec<u32>> =
            own_codes(&world).into_iter().map(|codes| codes.into_iter().rev().collect()).collect();
        let turned = World { levels: world.levels.clone(), records: reversed };
        let tables = Tables::count(tree.clone(), Located::count(&turned.packed()).table(), &back);
        assert_eq!(drawn_records(&tables, 4, 7), own);
    }
    assert!(differing > 100, "{differing} other files");
}

#[test]
fn law_a_cover_keeps_every_table() {
    let mut covered = 0;
    for class in all_antichains(4) {
        let class = GeneratingClass::new(VarSet::first(4), class);
        let cover = chordal_cover(&class, &[2, 3, 2, 4]);
        assert!(cover.is_decomposable());
        let holds = |margin: &VarSet| cover.margins().iter().any(|clique| margin.is_subset(clique));
        assert!(class.margins().iter().all(holds));
        if class.is_decomposable() {
            let graph = class.margin_graph();
            assert_eq!(cover.margin_graph(), graph);
        } else {
            covered += 1;
        }
    }
    assert!(covered > 20, "{covered}");
}

/// The tree has the class's cliques, whatever file has these tables.
#[test]
fn law_the_tree_follows_from_the_tables() {
    for (_, class) in worlds() {
        let tree = gluing_tree(&class).unwrap();
        assert_eq!(tree, gluing_tree(&class.clone()).unwrap());
        let cliques = class.margins().len() + class.uncovered().len();
        assert_eq!(tree.cliques().len(), cliques);
    }
}

#[test]
fn tables_that_disagree_are_refused_with_both_numbers() {
    let (left, right) = (VarSet::from([0, 1]), VarSet::from([1, 2]));
    let tree = JunctionTree::of_parents(vec![left, right], &[(0, 1)]);
    let one = CliqueTable::new(left, [(vec![0, 0], 3), (vec![1, 1], 2)]);
    let other = CliqueTable::new(right, [(vec![0, 0], 4), (vec![1, 0], 1)]);
    let refused = Tables::new(tree.clone(), &[one.clone(), other]).unwrap_err();
    let expected =
        Contradiction { cliques: (0, 1), shared: VarSet::single(1), cell: vec![0], counts: (3, 4) };
    assert_eq!(refused, expected);
    let other = CliqueTable::new(right, [(vec![0, 0], 3), (vec![1, 0], 2)]);
    assert_eq!(Tables::new(tree, &[one, other]).unwrap().records(), 5);
}

mod mistakes {
    //! Mistakes that the laws above must notice: each is made here, and the law fails.

    use super::*;

    /// Moving one clique in place of the whole far side changes a table.
    #[test]
    fn moving_one_clique_alone() {
        let case = &gluing_cases()[0];
        let (tree, world) = (tree_of(case), world_of(case));
        let law = far_side_law(&tree, &world.records, &[0], Moves::OneClique);
        let breaks = |file: &&File| {
            let after = World { levels: world.levels.clone(), records: (*file).clone() };
            tree.cliques().iter().any(|&one| after.margin_table(one) != world.margin_table(one))
        };
        assert!(law.keys().any(|file| breaks(&file)));
    }

    /// A fixed number of exchanges leaves files out of reach, so that a ratio is infinite; a slice
    /// that is left out does too, and so does a rate of which no row stays.
    #[test]
    fn a_law_without_all_permutations() {
        let case = &gluing_cases()[0];
        let (tree, world) = (tree_of(case), world_of(case));
        let files: Vec<File> = fibre(&world, tree.cliques()).into_keys().collect();
        let exactly_one_exchange = |_: usize, rows: usize| {
            exact_law(rows, |moved| f64::from(u8::from(moved == 2 || rows < 2)))
        };
        let without_an_edge = |edge: usize, rows: usize| {
            exact_law(rows, |moved| f64::from(u8::from(edge > 0 || moved == 0)))
        };
        let kernels: [Kernel<'_>; 2] = [&exactly_one_exchange, &without_an_edge];
        for kernel in kernels {
            assert!(worst_ratio(&tree, &files, kernel).is_infinite());
        }
    }

    /// Drawing the others again because one of them stayed, with the number of held rows kept, gives
    /// another law than the weights.
    #[test]
    fn drawing_again_with_the_held_rows_kept() {
        let (rows, mean) = (4usize, 1.0);
        let right = exact_law(rows, |moved| 2f64.powi(-i32::try_from(moved).unwrap()));
        let mut poisson = 1.0;
        let mut held_law = Vec::new();
        for held in 0..=rows {
            if held > 0 {
                poisson *= mean / held as f64;
            }
            held_law.push(poisson);
        }
        let sum: f64 = held_law.iter().sum();
        // With exactly `held` rows in place, all such permutations are alike.
        let wrong = |permutation: &[usize]| {
            let held = rows - moved(permutation);
            let alike = right.iter().filter(|(one, _)| moved(one) == moved(permutation)).count();
            held_law[held] / sum / alike as f64
        };
        let apart: f64 = right.iter().map(|(one, weight)| (wrong(one) - weight).abs()).sum();
        assert!(apart > 0.1, "{apart}");
        let counts: Vec<u64> =
            right.iter().map(|(one, _)| (wrong(one) * 60_000.0) as u64).collect();
        let law: Vec<f64> = right.iter().map(|(_, weight)| *weight).collect();
        assert!(!fits(&counts, &law), "the test of the weights notices it");
    }

    /// A tree chosen by the cells that occur: two files with the same tables would be drawn by two
    /// laws, and one of them finds what the other cannot.
    #[test]
    fn a_tree_chosen_by_occupied_cells() {
        // Independent A, B, C: stars and chains are all junction trees. A rule that looks at which
        // of B and C follows from A in the file takes different edges as the heavy one.
        let world = World {
            levels: vec![2, 2, 2],
            records: vec![vec![0, 0, 0], vec![0, 0, 1], vec![1, 1, 0], vec![1, 1, 1]],
        };
        let cliques: Vec<VarSet> = (0..3).map(VarSet::single).collect();
        let [star, chain] = [[(0, 1), (0, 2)], [(0, 1), (1, 2)]]
            .map(|edges| JunctionTree::of_parents(cliques.clone(), &edges));
        let kernel = |edge: usize, rows: usize| {
            let lambda: f64 = if edge == 0 { 50.0 } else { 2.0 };
            exact_law(rows, |moved| lambda.powi(-i32::try_from(moved).unwrap()))
        };
        let files: Vec<File> = fibre(&world, &cliques).into_keys().collect();
        let follows = |file: &File| file.iter().all(|record| record[0] == record[1]);
        let laws: Vec<BTreeMap<File, f64>> = files
            .iter()
            .map(|file| exact_law_from(if follows(file) { &star } else { &chain }, file, &kernel))
            .collect();
        let bound = 50f64.ln() + 2f64.ln();
        let honest = worst_ratio(&star, &files, &kernel);
        assert!(honest <= bound + 1e-9);
        let mut differs = false;
        for (file, law) in files.iter().zip(&laws) {
            let fixed = exact_law_from(&star, file, &kernel);
            differs |= fixed.iter().any(|(one, weight)| (law[one] - weight).abs() > 1e-6);
        }
        assert!(differs, "the law tells which file it was");
    }
}

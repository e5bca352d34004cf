//! Laws about moves of more than two records, against trying everything on tiny tables, and
//! against vectors computed elsewhere: integer programs, whole fibres, 4ti2's Markov bases.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support;

use std::collections::{BTreeMap, BTreeSet};

use marginswap_core::encode::{PackedCells, RecordId};
use marginswap_core::graph::{GeneratingClass, MarginGraph};
use marginswap_core::moves::{
    Answer, Certificate, Found, Free, Impossibility, Kind, Limits, MoveSearch, TableMove, Wishes,
    atoms, sources,
};
use marginswap_core::oracle::{World, all_antichains};
use marginswap_core::random::{Random, Seed};
use marginswap_core::table::{CellId, JointTable, Located};
use marginswap_core::varset::VarSet;
use proptest::prelude::*;
use serde_json::Value;
use support::{codes, list, number, world_of};

const SEED: Seed = Seed([3; 32]);

fn class_of(variables: usize, tables: &[VarSet]) -> GeneratingClass {
    GeneratingClass::new(VarSet::first(variables), tables.iter().copied())
}

/// Asks for one record, with no other wish than that it leaves its cell.
fn ask(joint: &JointTable, class: &GeneratingClass, cell: CellId, records: usize) -> Answer {
    let search = MoveSearch::new(joint, class, &vec![1; class.delta().len()]).unwrap();
    let free = Free { joint, keys: class.delta(), staying: VarSet::EMPTY };
    let answer = search.answer(cell, &free, Limits::records(records), &mut Random::new(SEED, 0));
    if let Answer::Possible(found) = &answer {
        check_found(joint, class, cell, found, records);
    }
    answer
}

/// A move takes a record out of the cell asked for, its records are there, its cells are
/// not its own, and each record changes.
fn check_found(
    joint: &JointTable,
    class: &GeneratingClass,
    cell: CellId,
    found: &Found,
    records: usize,
) {
    let layout = joint.cells().layout();
    let table_move = &found.table_move;
    assert_eq!(found.cells[0], cell);
    assert!(table_move.degree() <= records);
    for &lost in &found.cells {
        let times = found.cells.iter().filter(|other| **other == lost).count() as u64;
        assert!(times <= joint.n(lost), "a cell loses no more records than it has");
    }
    for (lost, words) in found.cells.iter().zip(table_move.removed()) {
        assert_eq!(joint.cells().get(lost.position()), &words[..]);
    }
    assert!(class.margins().iter().all(|margin| table_move.keeps(layout, *margin)));
    let mut taken = found.takes.clone();
    taken.sort_unstable();
    assert!(taken.iter().copied().eq(0..table_move.degree()), "each new cell is taken once");
}

/// The smallest degree of every query agrees with the integer program; what cannot be is
/// never found, and what can is never proved impossible. Two cells can be emptied in
/// fractions and not in whole numbers: no certificate speaks of them.
#[test]
fn vectors_of_larger_moves() {
    let vectors: Value = serde_json::from_str(include_str!("vectors/multi_swap.json")).unwrap();
    let (mut possible, mut proved, mut open, mut gaps) = (0, 0, 0, 0);
    for case in list(&vectors["cases"]) {
        let name = &case["name"];
        let records = list(&case["records"]).iter().map(codes).collect();
        let (world, class) = world_of(case, "generators", records);
        let joint = Located::count(&world.packed());
        for query in list(&case["queries"]) {
            let codes = codes(&query["record"]);
            let record = world.records.iter().position(|record| *record == codes).unwrap();
            let cell = joint.cell_of(RecordId::at(record));
            let least = query["min_degree"].as_u64();
            match (ask(&joint, &class, cell, 8), least) {
                (Answer::Possible(found), Some(least)) => {
                    possible += 1;
                    assert_eq!(found.table_move.degree() as u64, least, "{name} {codes:?}");
                }
                (Answer::Impossible(_), None) => {
                    assert_eq!(query["lp_feasible"], false, "{name}: a proof binds fractions too");
                    proved += 1;
                }
                (Answer::NotFound(_), None) => {
                    open += 1;
                    gaps += usize::from(query["lp_feasible"] == true);
                }
                (answer, _) => panic!("{name} {codes:?}: {least:?}, and {answer:?}"),
            }
        }
    }
    assert!(possible > 300 && proved > 50 && gaps == 2, "{possible} {proved} {open} {gaps}");
}

/// All moves of 2^t records that keep all tables of t variables, found by comparing the tables
/// of every collection of 2^t records with those of every other one, are boxes, and there
/// are as many as there are boxes.
#[test]
fn law_smallest_moves_are_boxes() {
    for (levels, strength) in [
        (&[3, 4][..], 1),
        (&[2, 2, 3], 1),
        (&[2, 2, 2], 2),
        (&[3, 3, 2], 2),
        (&[2, 2, 2, 2], 2),
        (&[3, 3, 2, 2], 2),
        (&[2, 2, 2, 2, 2], 2),
        (&[2, 2, 2, 2], 3),
    ] {
        let world = World { levels: levels.to_vec(), records: Vec::new() };
        let cells = world.all_cells();
        let tables = subsets_of(levels.len(), strength);
        let mut same_tables: BTreeMap<Vec<u8>, Vec<Vec<usize>>> = BTreeMap::new();
        collections(cells.len(), 1 << strength, &mut Vec::new(), &mut |records| {
            let counts = counted(&cells, &tables, levels, records);
            same_tables.entry(counts).or_default().push(records.to_vec());
        });
        let mut moves = 0;
        for alike in same_tables.values() {
            for (place, left) in alike.iter().enumerate() {
                for right in &alike[..place] {
                    if left.iter().any(|cell| right.contains(cell)) {
                        continue;
                    }
                    moves += 1;
                    let side = |side: &[usize]| side.iter().map(|&cell| &cells[cell][..]).collect();
                    assert!(is_box(&side(left), &side(right), strength + 1), "{left:?} {right:?}");
                }
            }
        }
        assert_eq!(moves, boxes(levels, strength + 1, &mut Vec::new()), "{levels:?} {strength}");
    }
}

/// Every set of `size` of the first variables.
fn subsets_of(variables: usize, size: usize) -> Vec<Vec<usize>> {
    let all = (0u32..1 << variables).filter(|set| set.count_ones() as usize == size);
    all.map(|set| (0..variables).filter(|variable| set >> variable & 1 == 1).collect()).collect()
}

/// Every collection of `size` of the first cells, each as often as one likes.
fn collections(cells: usize, size: usize, begun: &mut Vec<usize>, give: &mut dyn FnMut(&[usize])) {
    if begun.len() == size {
        return give(begun);
    }
    for cell in begun.last().copied().unwrap_or(0)..cells {
        begun.push(cell);
        collections(cells, size, begun, give);
        begun.pop();
    }
}

/// All tables of a collection of records, one count after the other.
fn counted(
    cells: &[Vec<u32>],
    tables: &[Vec<usize>],
    levels: &[usize],
    records: &[usize],
) -> Vec<u8> {
    let mut counts = Vec::new();
    for table in tables {
        let start = counts.len();
        counts.resize(start + table.iter().map(|&v| levels[v]).product::<usize>(), 0);
        for &record in records {
            let place = |place, &v: &usize| place * levels[v] + cells[record][v] as usize;
            counts[start + table.iter().fold(0, place)] += 1;
        }
    }
    counts
}

/// How many boxes of `groups` groups there are: each variable joins a group that is begun, begins
/// the next, or has one value. `begun` holds the choices of two values of each group begun.
fn boxes(levels: &[usize], groups: usize, begun: &mut Vec<usize>) -> usize {
    let Some((&level, others)) = levels.split_first() else {
        let choices = begun.iter().map(|pairs| pairs / 2).product();
        return if begun.len() == groups { choices } else { 0 };
    };
    let mut all = level * boxes(others, groups, begun);
    for group in 0..begun.len() {
        begun[group] *= level * (level - 1);
        all += boxes(others, groups, begun);
        begun[group] /= level * (level - 1);
    }
    if begun.len() < groups {
        begun.push(level * (level - 1));
        all += boxes(others, groups, begun);
        begun.pop();
    }
    all
}

/// Are these the even and the odd flips of `groups` groups of variables?
fn is_box(even: &Vec<&[u32]>, odd: &Vec<&[u32]>, groups: usize) -> bool {
    let middle = even[0];
    let all: Vec<&[u32]> = even.iter().chain(odd).copied().collect();
    // Where each cell differs from the middle, for each variable; equal columns are a group.
    let differs = |v: usize| -> Vec<bool> { all.iter().map(|cell| cell[v] != middle[v]).collect() };
    let has_one_other = |v: usize| {
        let others: BTreeSet<u32> = all.iter().map(|cell| cell[v]).collect();
        others.len() <= 2
    };
    let columns: BTreeSet<Vec<bool>> =
        (0..middle.len()).map(differs).filter(|column| column.contains(&true)).collect();
    let flips = |place: usize| columns.iter().filter(|column| column[place]).count();
    let distinct: BTreeSet<&[u32]> = all.iter().copied().collect();
    (0..middle.len()).all(has_one_other)
        && columns.len() == groups
        && distinct.len() == 1 << groups
        && (0..all.len()).all(|place| flips(place) % 2 == usize::from(place >= even.len()))
}

/// A cell that never falls below its count in the whole fibre is never called possible, and
/// one that does is never called impossible. Every fibre is small enough to be known whole.
#[test]
fn vectors_of_fibers_and_larger_moves() {
    let vectors: Value = serde_json::from_str(include_str!("vectors/fibers.json")).unwrap();
    let (mut bound, mut free, mut proved) = (0, 0, 0);
    for case in list(&vectors["cases"]) {
        let name = &case["name"];
        let records = list(&case["table"])
            .iter()
            .flat_map(|entry| std::iter::repeat_n(codes(&entry[0]), number(&entry[1])))
            .collect();
        let (world, class) = world_of(case, "facets", records);
        let joint = Located::count(&world.packed());
        let cells = world.all_cells();
        for position in 0..joint.len() {
            let cell = CellId::at(position);
            let place =
                cells.iter().position(|cell| *cell == joint.cells().codes(position)).unwrap();
            let is_bound = number(&case["cell_min"][place]) as u64 == joint.n(cell);
            match (ask(&joint, &class, cell, 8), is_bound) {
                (Answer::Possible(_), false) => free += 1,
                (Answer::Impossible(_), true) => (bound, proved) = (bound + 1, proved + 1),
                (Answer::NotFound(_), true) => bound += 1,
                (answer, _) => panic!("{name}: bound: {is_bound}, and {answer:?}"),
            }
        }
    }
    assert!(bound > 15 && free > 250 && proved > 10, "{bound} bound, {free} free, {proved} proved");
}

/// Only these cells may be made.
struct Only<'a> {
    free: Free<'a>,
    cells: Vec<Vec<u64>>,
}

impl Wishes for Only<'_> {
    fn free(&self, cell: CellId) -> u32 {
        self.free.free(cell)
    }

    fn may_make(&self, cell: &[u64]) -> bool {
        self.cells.iter().any(|known| known == cell)
    }

    fn keys(&self) -> VarSet {
        self.free.keys
    }
}

/// Every move of up to eight records in 4ti2's minimal Markov bases is a move, and from each
/// of its sides the search finds it when only the other side may be made.
#[test]
fn vectors_of_markov_bases_and_larger_moves() {
    let vectors: Value = serde_json::from_str(include_str!("vectors/markov_bases.json")).unwrap();
    let mut by_degree = [0usize; 9];
    for model in list(&vectors["models"]) {
        let name = &model["name"];
        let Some(moves) = model["moves"].as_array() else { continue };
        let (world, class) = world_of(model, "facets", Vec::new());
        let cells = world.all_cells();
        for entries in moves {
            for sign in [1, -1] {
                let side = |sign: i64| -> Vec<Vec<u32>> {
                    let entries = list(entries).iter().map(|entry| sign * entry.as_i64().unwrap());
                    let times = |entry: i64| usize::try_from(entry).unwrap_or(0);
                    entries
                        .zip(&cells)
                        .flat_map(|(entry, cell)| std::iter::repeat_n(cell.clone(), times(entry)))
                        .collect()
                };
                let (lost, gained) = (side(sign), side(-sign));
                let lost = World { levels: world.levels.clone(), records: lost };
                let gained = PackedCells::from_codes(&world.levels, &gained);
                let joint = Located::count(&lost.packed());
                let only = Only {
                    free: Free { joint: &joint, keys: class.delta(), staying: VarSet::EMPTY },
                    cells: gained.iter().map(<[u64]>::to_vec).collect(),
                };
                let search = MoveSearch::new(&joint, &class, &vec![1; world.levels.len()]).unwrap();
                for position in 0..joint.len() {
                    let cell = CellId::at(position);
                    let mut random = Random::new(SEED, 0);
                    match search.answer(cell, &only, Limits::records(8), &mut random) {
                        Answer::Possible(found) => {
                            check_found(&joint, &class, cell, &found, 8);
                            assert!(found.table_move.degree() <= lost.records.len(), "{name}");
                            by_degree[found.table_move.degree()] += 1;
                        }
                        answer => panic!("{name}: {answer:?}"),
                    }
                }
            }
        }
    }
    assert!([2, 4, 6, 8].iter().all(|&degree| by_degree[degree] > 0), "{by_degree:?}");
    assert!(by_degree[4] > 1000, "{by_degree:?}");
}

/// The paper's example: four records, all two-way tables kept. No two can be swapped; the
/// values of x₃ go round, and nothing else changes.
#[test]
fn the_papers_four_records_rotate() {
    let world = World {
        levels: vec![2; 3],
        records: vec![vec![0, 0, 0], vec![0, 1, 1], vec![1, 0, 1], vec![1, 1, 0]],
    };
    let class = class_of(3, &[[0, 1], [0, 2], [1, 2]].map(VarSet::from));
    let records = world.packed();
    let joint = Located::count(&records);
    let search = MoveSearch::new(&joint, &class, &[1; 3]).unwrap();
    let wishes = Free { joint: &joint, keys: VarSet::from([2]), staying: VarSet::from([0, 1]) };
    for record in 0..4 {
        let cell = joint.cell_of(RecordId::at(record));
        let answer = search.answer(cell, &wishes, Limits::records(4), &mut Random::new(SEED, 0));
        let Answer::Possible(found) = answer else { panic!("{answer:?}") };
        let cells = joint.cells();
        let before: Vec<&[u64]> =
            found.cells.iter().map(|cell| cells.get(cell.position())).collect();
        let after: Vec<Vec<u64>> =
            found.takes.iter().map(|&slot| found.table_move.added()[slot].clone()).collect();
        let from = sources(cells.layout(), &before, &after);
        assert_eq!(from.len(), 1);
        let (variable, from) = &from[0];
        assert_eq!(*variable, 2);
        assert!(from.iter().enumerate().all(|(place, from)| place != *from), "all four change");
    }
}

/// In a Latin square of order three with all two-way tables kept, two rows change places:
/// six records, and no fewer.
#[test]
fn a_latin_square_needs_six() {
    let records: Vec<Vec<u32>> =
        (0..9u32).map(|cell| vec![cell / 3, cell % 3, (cell / 3 + cell % 3) % 3]).collect();
    let world = World { levels: vec![3; 3], records };
    let class = class_of(3, &[[0, 1], [0, 2], [1, 2]].map(VarSet::from));
    let joint = Located::count(&world.packed());
    for position in 0..9 {
        let cell = CellId::at(position);
        assert!(matches!(ask(&joint, &class, cell, 5), Answer::NotFound(tried) if tried.complete));
        let Answer::Possible(found) = ask(&joint, &class, cell, 8) else { panic!("none") };
        assert_eq!(found.table_move.degree(), 6);
    }
}

/// In the 4-cycle the first record has no partner; after the two others swap it has one.
#[test]
fn a_chain_in_the_four_cycle() {
    let world = World {
        levels: vec![2; 4],
        records: vec![vec![0, 0, 0, 0], vec![1, 1, 0, 1], vec![0, 1, 1, 1]],
    };
    let tables = [[0, 1], [1, 2], [2, 3], [0, 3]].map(VarSet::from);
    let class = class_of(4, &tables);
    let joint = Located::count(&world.packed());
    assert!(world.partners(0, &tables).is_empty());
    assert!(matches!(ask(&joint, &class, CellId(0), 2), Answer::NotFound(_)));
    let Answer::Possible(found) = ask(&joint, &class, CellId(0), 4) else { panic!("none") };
    assert_eq!(found.table_move.degree(), 3);
    assert_eq!(found.kind, Kind::Chain);
}

/// A few records over `variables` variables of two levels, from the bits of a number.
fn small_world(variables: usize, records: usize, seed: u64) -> World {
    let mut random = Random::new(Seed([9; 32]), seed);
    let record = |_| (0..variables).map(|_| u32::try_from(random.below(2)).unwrap()).collect();
    World { levels: vec![2; variables], records: (0..records).map(record).collect() }
}

/// For every hierarchical model on up to four variables of two levels: the smallest move of
/// up to four records is the one that trying everything finds, and there is none where it
/// finds none.
#[test]
fn law_moves_by_definition() {
    let mut degrees = [0usize; 5];
    for variables in 1..=4 {
        for (number, tables) in (0u64..).zip(all_antichains(variables)) {
            let class = class_of(variables, &tables);
            let world = small_world(variables, 6, number);
            let joint = Located::count(&world.packed());
            for record in 0..3 {
                let cell = joint.cell_of(RecordId::at(record));
                let least = world.least_degree(record, &tables, 4);
                match ask(&joint, &class, cell, 4) {
                    Answer::Possible(found) => {
                        assert_eq!(Some(found.table_move.degree()), least, "{tables:?} {world:?}");
                        degrees[found.table_move.degree()] += 1;
                    }
                    Answer::Impossible(_) => {
                        assert_eq!(least, None, "{tables:?} {world:?}");
                        degrees[0] += 1;
                    }
                    Answer::NotFound(tried) => {
                        assert!(tried.complete, "{tables:?} {world:?}");
                        assert_eq!(least, None, "{tables:?} {world:?}");
                        degrees[1] += 1;
                    }
                }
            }
        }
    }
    // In files of six records everything that cannot be is proved.
    assert!([0, 2, 3, 4].iter().all(|&degree| degrees[degree] > 0), "{degrees:?}");
}

/// The three answers exclude each other: on whole fibres of small tables, what is possible
/// can be lowered, what is impossible cannot, and a decomposable class leaves nothing open.
#[test]
fn law_three_answers() {
    let (mut possible, mut impossible) = (0, 0);
    for variables in 2..=3 {
        for (number, tables) in (0u64..).zip(all_antichains(variables)) {
            let class = class_of(variables, &tables);
            let world = small_world(variables, 5, 1000 + number);
            let joint = Located::count(&world.packed());
            let cells = world.all_cells();
            let kept: Vec<VarSet> =
                tables.iter().copied().chain((0..variables).map(VarSet::single)).collect();
            let margins: Vec<_> = kept.iter().map(|table| world.margin_table(*table)).collect();
            let mut lowest = vec![u64::MAX; cells.len()];
            for table in world.all_tables() {
                let records = table
                    .iter()
                    .zip(&cells)
                    .flat_map(|(&count, cell)| {
                        std::iter::repeat_n(cell.clone(), usize::try_from(count).unwrap())
                    })
                    .collect();
                let other = World { levels: world.levels.clone(), records };
                if kept.iter().zip(&margins).all(|(table, own)| other.margin_table(*table) == *own)
                {
                    for (lowest, count) in lowest.iter_mut().zip(&table) {
                        *lowest = (*lowest).min(*count);
                    }
                }
            }
            for position in 0..joint.len() {
                let place =
                    cells.iter().position(|cell| *cell == joint.cells().codes(position)).unwrap();
                let cell = CellId::at(position);
                let bound = lowest[place] == joint.n(cell);
                match ask(&joint, &class, cell, 5) {
                    Answer::Possible(_) => {
                        assert!(!bound, "{tables:?} {world:?}");
                        possible += 1;
                    }
                    Answer::Impossible(_) => {
                        assert!(bound, "{tables:?} {world:?}");
                        impossible += 1;
                    }
                    Answer::NotFound(_) => {
                        assert!(bound && !class.is_decomposable(), "{tables:?} {world:?}");
                    }
                }
            }
        }
    }
    assert!(possible > 50 && impossible > 20, "{possible} {impossible}");
}

/// Moves from random cells to random cells: one is made exactly when every table and every
/// variable's own counts are the same on both sides.
#[test]
fn law_a_move_keeps_every_table() {
    let (mut made, mut refused) = (0, 0);
    for (number, tables) in (0u64..).zip(all_antichains(3)) {
        let class = class_of(3, &tables);
        for draw in 0..400 {
            let size = 1 + usize::try_from(draw % 4).unwrap();
            let left = small_world(3, size, 10_000 + 1000 * number + 2 * draw);
            let right = small_world(3, size, 10_001 + 1000 * number + 2 * draw);
            let kept: Vec<VarSet> =
                tables.iter().copied().chain((0..3).map(VarSet::single)).collect();
            let keeps = kept.iter().all(|t| left.margin_table(*t) == right.margin_table(*t));
            let apart = left.records.iter().all(|record| !right.records.contains(record));
            let words = |world: &World| -> Vec<Vec<u64>> {
                world.packed().cells().iter().map(<[u64]>::to_vec).collect()
            };
            let packed = left.packed();
            let built =
                TableMove::new(packed.cells().layout(), &class, words(&left), words(&right));
            assert_eq!(built.is_some(), keeps && apart, "{tables:?}");
            made += usize::from(built.is_some());
            refused += usize::from(built.is_none());
        }
    }
    assert!(made > 10 && refused > 10, "{made} made, {refused} refused");
}

/// The counts of a certificate are those of the tables, its cliques lie inside kept tables,
/// and its sum is the cell's count; a graph that proves nothing gives none.
#[test]
fn law_a_certificate_is_checked_by_hand() {
    let (mut proved, mut refused) = (0, 0);
    for (number, tables) in (0u64..).zip(all_antichains(4)) {
        let class = class_of(4, &tables);
        let world = small_world(4, 5, 5000 + number);
        let joint = Located::count(&world.packed());
        for record in 0..world.records.len() {
            let cell = joint.cell_of(RecordId::at(record));
            let Answer::Impossible(Impossibility::Sum(proof)) = ask(&joint, &class, cell, 4) else {
                continue;
            };
            let count = |set: VarSet| {
                let key: Vec<u32> = set.iter().map(|v| world.records[record][v]).collect();
                world.margin_table(set)[&key]
            };
            for &(clique, stated) in proof.cliques() {
                assert!(
                    clique.len() == 1 || tables.iter().any(|table| clique.is_subset(table)),
                    "{tables:?}"
                );
                assert_eq!(count(clique), stated);
            }
            for &(separator, stated) in proof.separators() {
                assert_eq!(count(separator), stated);
            }
            let sum = |terms: &[(VarSet, u64)]| terms.iter().map(|term| term.1).sum::<u64>();
            assert_eq!(sum(proof.cliques()) - sum(proof.separators()), proof.count());
            assert_eq!(proof.count(), joint.n(cell));
            proved += 1;
            // Without edges only single variables are added: too little, unless all agree.
            let edgeless = MarginGraph::edgeless(class.delta());
            refused += usize::from(Certificate::new(&joint, &class, &edgeless, cell).is_none());
        }
    }
    assert!(proved > 50 && refused > 20, "{proved} proved, {refused} refused");
}

/// What bounds prove binds every file with the same tables, and there are records that they
/// prove and no sum does.
#[test]
fn law_bounds_bind_every_table() {
    let tables = [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]].map(VarSet::from);
    let class = class_of(4, &tables);
    let (mut by_bounds, mut by_sums, mut free) = (0, 0, 0);
    for number in 0..100 {
        let levels = vec![3, 2, 2, 3];
        let mut random = Random::new(Seed([17; 32]), number);
        let record = |_| levels.iter().map(|&l| u32::try_from(random.below(l)).unwrap()).collect();
        let mut records: Vec<Vec<u32>> = (0..6 + number % 8).map(record).collect();
        if number % 10 == 0 {
            // A whole box.
            let even = |cell: &Vec<u32>| cell.iter().sum::<u32>() % 2 == 0;
            let two = World { levels: vec![2; 4], records: Vec::new() };
            records.truncate(4);
            records.extend(two.all_cells().into_iter().filter(even));
        }
        let world = World { levels: levels.clone(), records };
        let joint = Located::count(&world.packed());
        let fewest = world.fewest_in_cells(&tables);
        for (record, &fewest) in fewest.iter().enumerate() {
            let cell = joint.cell_of(RecordId::at(record));
            match ask(&joint, &class, cell, 16) {
                Answer::Impossible(proof) => {
                    assert_eq!(fewest, joint.n(cell), "{number}: {proof:?}");
                    by_bounds += usize::from(proof == Impossibility::Bounds);
                    by_sums += usize::from(proof != Impossibility::Bounds);
                }
                Answer::Possible(_) => {
                    assert!(fewest < joint.n(cell));
                    free += 1;
                }
                Answer::NotFound(_) => {}
            }
        }
    }
    assert!(by_bounds > 3 && by_sums > 300 && free > 50, "{by_bounds} {by_sums} {free}");
}

/// Can a record leave its cell, with all three-way tables of four variables kept of which two
/// have two values? Such moves are the same table of rows and columns, whose sums are 0, once
/// with each sign for every two values of the two others; every table of −1, 0 and 1 is tried.
fn leaves_by_definition(world: &World, long: [usize; 2], short: [usize; 2], own: &[u32]) -> bool {
    let [rows, columns] = long.map(|variable| world.levels[variable]);
    let is_odd = |record: &[u32]| (record[short[0]] + record[short[1]]) % 2 == 1;
    // How many of the two even and of the two odd cells of a row and column are occupied.
    let mut occupied = vec![[0; 2]; rows * columns];
    let distinct: BTreeSet<&Vec<u32>> = world.records.iter().collect();
    let place = |record: &[u32]| record[long[0]] as usize * columns + record[long[1]] as usize;
    for record in distinct {
        occupied[place(record)][usize::from(is_odd(record))] += 1;
    }
    let sign = if is_odd(own) { 1 } else { -1 };
    let mut signs = vec![-1i32; rows * columns];
    let is_zero = |sum: i32| sum == 0;
    loop {
        let fits = signs[place(own)] == sign
            && signs.iter().zip(&occupied).all(|(&sign, occupied)| match sign {
                0 => true,
                // Even cells lose, odd ones gain; and the other way round.
                -1 => occupied[0] == 2,
                _ => occupied[1] == 2,
            })
            && (0..rows).all(|row| is_zero(signs[row * columns..][..columns].iter().sum()))
            && (0..columns).all(|column| is_zero(signs[column..].iter().step_by(columns).sum()));
        if fits {
            return true;
        }
        // The next table, counting in threes.
        let Some(next) = signs.iter().position(|&sign| sign < 1) else { return false };
        signs[next] += 1;
        signs[..next].fill(-1);
    }
}

/// With two variables of two values and all three-way tables kept, every move is made of boxes
/// and of rings of three or more rows and columns. The search finds one exactly where trying
/// every table of signs does: boxes of eight records, and linked ones of twelve.
#[test]
fn law_boxes_bring_what_boxes_lack() {
    let tables = [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]].map(VarSet::from);
    let class = class_of(4, &tables);
    let (mut boxes, mut linked, mut none) = (0, 0, 0);
    for number in 0..240u64 {
        let (levels, long, short) = match number % 3 {
            0 => ([3, 3, 2, 2], [0, 1], [2, 3]),
            1 => ([2, 3, 2, 3], [1, 3], [0, 2]),
            _ => ([3, 2, 2, 3], [0, 3], [1, 2]),
        };
        let mut random = Random::new(Seed([18; 32]), number);
        let world = World { levels: levels.to_vec(), records: Vec::new() };
        // Most of the cells, and in every second file a ring that is whole.
        let of = usize::try_from(5 + number % 4).unwrap();
        let ring = |cell: &Vec<u32>| {
            let turned =
                (cell[long[0]] + u32::from((cell[short[0]] + cell[short[1]]) % 2 == 1)) % 3;
            number % 2 == 0 && turned == cell[long[1]]
        };
        let records: Vec<Vec<u32>> = world
            .all_cells()
            .into_iter()
            .filter(|cell| ring(cell) || random.below(10) < of)
            .collect();
        let world = World { levels: levels.to_vec(), records };
        let joint = Located::count(&world.packed());
        for (record, codes) in world.records.iter().enumerate() {
            let cell = joint.cell_of(RecordId::at(record));
            let leaves = leaves_by_definition(&world, long, short, codes);
            match ask(&joint, &class, cell, 16) {
                Answer::Possible(found) => {
                    assert!(leaves, "{number}: {codes:?}");
                    boxes += usize::from(matches!(found.kind, Kind::Box(_)));
                    linked += usize::from(found.kind == Kind::Linked);
                    let records = if found.kind == Kind::Linked { 12 } else { 8 };
                    assert_eq!(found.table_move.degree(), records);
                }
                _ => {
                    assert!(!leaves, "{number}: {codes:?} can leave");
                    none += 1;
                }
            }
        }
    }
    assert!(boxes > 300 && linked > 100 && none > 300, "{boxes} {linked} {none}");
}

/// A ring of four rows and columns needs three boxes: sixteen records, and no fewer.
#[test]
fn witness_a_ring_of_four() {
    let tables = [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]].map(VarSet::from);
    let class = class_of(4, &tables);
    let world = World { levels: vec![4, 4, 2, 2], records: Vec::new() };
    let on_ring = |cell: &Vec<u32>| (cell[0] + (cell[2] + cell[3]) % 2) % 4 == cell[1];
    let records = world.all_cells().into_iter().filter(on_ring).collect();
    let world = World { levels: vec![4, 4, 2, 2], records };
    let joint = Located::count(&world.packed());
    for position in 0..joint.len() {
        let cell = CellId::at(position);
        assert!(matches!(ask(&joint, &class, cell, 15), Answer::NotFound(_)));
        let Answer::Possible(found) = ask(&joint, &class, cell, 16) else { panic!("none") };
        assert_eq!((found.kind, found.table_move.degree()), (Kind::Linked, 16));
    }
}

/// A piece decides: a record with no partner can leave its cell exactly when its part in
/// some piece can, in the file of these parts alone.
#[test]
fn law_atoms_decide() {
    let (mut parted, mut freed) = (0, 0);
    for (number, tables) in (0u64..).zip(all_antichains(4)) {
        let class = class_of(4, &tables);
        let pieces = atoms(&class);
        assert!(!class.is_decomposable() || pieces.is_empty(), "{tables:?}");
        parted += usize::from(pieces.iter().any(|piece| piece.delta() != class.delta()));
        let world = small_world(4, 8, 20_000 + number);
        for record in 0..2 {
            if !world.partners(record, &tables).is_empty() {
                continue;
            }
            let in_a_piece = pieces
                .iter()
                .filter_map(|piece| {
                    let part = |codes: &Vec<u32>| piece.delta().iter().map(|v| codes[v]).collect();
                    let records: Vec<Vec<u32>> = world.records.iter().map(part).collect();
                    let place = |set: VarSet| -> VarSet {
                        let inside: Vec<usize> = piece.delta().iter().collect();
                        (0..inside.len()).filter(|&at| set.contains(inside[at])).collect()
                    };
                    let small = World { levels: vec![2; piece.delta().len()], records };
                    let tables: Vec<VarSet> = piece.margins().iter().map(|m| place(*m)).collect();
                    small.least_degree(record, &tables, 4)
                })
                .min();
            let whole = world.least_degree(record, &tables, 4);
            assert_eq!(in_a_piece, whole, "{tables:?} {world:?}");
            freed += usize::from(whole.is_some());
        }
    }
    assert!(parted > 10 && freed > 10, "{parted} parted, {freed} freed");
}

proptest! {
    /// What the records of a group have afterwards is put together from what they had.
    #[test]
    fn law_values_only_change_places(
        codes in proptest::collection::vec(proptest::collection::vec(0u32..3, 3), 1..7),
        shuffles in any::<[u64; 3]>(),
    ) {
        let world = World { levels: vec![3; 3], records: codes };
        let records = world.packed();
        let mut after = world.clone();
        for (variable, shuffle) in shuffles.into_iter().enumerate() {
            let mut column: Vec<u32> = world.records.iter().map(|r| r[variable]).collect();
            Random::new(SEED, shuffle).shuffle(&mut column);
            for (record, code) in after.records.iter_mut().zip(column) {
                record[variable] = code;
            }
        }
        let layout = records.cells().layout();
        let before: Vec<&[u64]> = records.cells().iter().collect();
        let cells: Vec<Vec<u64>> = after.packed().cells().iter().map(<[u64]>::to_vec).collect();
        let mut made = world.clone();
        for (variable, from) in sources(layout, &before, &cells) {
            let mut used = from.clone();
            used.sort_unstable();
            prop_assert!(used.into_iter().eq(0..before.len()));
            for (place, &from) in from.iter().enumerate() {
                made.records[place][variable] = world.records[from][variable];
            }
        }
        prop_assert_eq!(made, after);
    }
}

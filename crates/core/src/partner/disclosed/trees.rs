//! Trees of whole tables that prove cells full, for a whole file.
//!
//! Trees are grown for what differs around some of the cells that are still open: for a sample
//! of them together, which finds the tree that suits most, and for single ones, which finds
//! the tree that suits a rare kind. Each tree is then counted for every open cell; one that
//! proves nothing is forgotten. What is left in small slices gets a tree for each cell.
//!
//! For two-way tables the best forest of each cell is known, and no other tree is better.
//!
//! Trap: nothing here may depend on the number of threads. Work is weighed in steps that are
//! counted, never in time.

use rayon::prelude::*;

use super::slice::Slices;
use super::sums::signed;
use super::{Growing, Proof, Tables, Unproved, certified_by_forest, everywhere, on_variables};
use crate::encode::Bits;
use crate::graph::{GeneratingClass, MarginGraph, junction_tree};
use crate::hash::{Map, STATE};
use crate::table::{CellId, JointTable, MarginTable};
use crate::varset::VarSet;

/// At most this many trees are tried on the whole file.
const MOST_TREES: usize = 32;
/// No more are tried after this many trees in a row that prove nothing new.
const MOST_MISSES: usize = 4;
/// At most this many counts of cells are made for trees of the whole file after the first few.
const MOST_COUNTS: usize = 60_000_000;
/// The first trees, which are tried in any case.
const FIRST_TREES: usize = 3;
/// A tree for many is grown for a sample of cells, and for a number of others around each.
const SAMPLE: usize = 64;
const AROUND: usize = 2_000;
/// At most this many steps are made to grow a tree for each cell that is left, in slices of at
/// most `SMALL_SLICE` cells.
const MOST_STEPS: u64 = 200_000_000;
const SMALL_SLICE: usize = 4_096;

/// Proves what trees prove; the trees, by their number in [`Proof::Tree`].
pub(super) fn prove(
    joint: &JointTable,
    class: &GeneratingClass,
    slices: &Slices,
    open: &mut Unproved<'_>,
) -> Vec<MarginGraph> {
    let graph = class.margin_graph();
    let two_way = class.margins().iter().all(|margin| margin.len() <= 2);
    let Ok(bits) = Bits::new(joint.cells().layout(), class.delta()) else {
        prove_by_forest(joint, &graph, open);
        return Vec::new();
    };
    if two_way {
        prove_by_forest(joint, &graph, open);
        return Vec::new();
    }
    // A variable in no table has its one-way table: no other one may be joined to it.
    let alone = class.uncovered().iter().map(VarSet::single);
    let margins = class.margins().iter().copied().chain(alone);
    let margins = margins.map(|margin| bits.of(margin)).collect();
    let tables = Tables::new(bits.len(), margins);
    let mut forest =
        Forest { joint, slices, bits, tables, delta: class.delta(), trees: Vec::new() };
    forest.for_many(open);
    forest.for_each(open);
    if open.cells.iter().any(|cell| slices.of_cell(*cell).len() > SMALL_SLICE) {
        prove_by_forest(joint, &graph, open);
    }
    debug_assert!(forest.tables.everywhere() == forest.bits.of(everywhere(class)));
    forest.trees
}

fn prove_by_forest(joint: &JointTable, graph: &MarginGraph, open: &mut Unproved<'_>) {
    // In rising order, as the open ones are.
    let found = certified_by_forest(joint, graph, &open.cells);
    open.settle(|cell| found.binary_search(&cell).is_ok().then_some(Proof::Forest));
}

struct Forest<'a> {
    joint: &'a JointTable,
    slices: &'a Slices,
    bits: Bits,
    tables: Tables,
    delta: VarSet,
    trees: Vec<MarginGraph>,
}

impl Forest<'_> {
    /// The sets in which other cells differ from one, with how many records do. At most
    /// `most` others are looked at, spread over the slice.
    fn differences(&self, cell: CellId, most: usize, sets: &mut Map<u64, u64>) {
        let cells = self.joint.cells();
        let own = cells.get(cell.position());
        let slice = self.slices.of_cell(cell);
        let step = slice.len().div_ceil(most).max(1);
        for &other in slice.iter().step_by(step) {
            let set = self.bits.differing(own, cells.get(other as usize));
            if set.count_ones() > 1 {
                let count = self.joint.counts()[other as usize];
                *sets.entry(set).or_default() += u64::from(count);
            }
        }
    }

    fn sorted(sets: Map<u64, u64>) -> Vec<(u64, u64)> {
        let mut sets: Vec<(u64, u64)> = sets.into_iter().collect();
        sets.sort_unstable();
        sets
    }

    /// Trees for the whole file.
    fn for_many(&mut self, open: &mut Unproved<'_>) {
        let mut tables =
            CountedTables { joint: self.joint, counted: Map::with_hasher(STATE), made: 0 };
        let mut tried: Vec<Vec<u64>> = Vec::new();
        let mut misses = 0;
        for attempt in 0..MOST_TREES {
            let spent = tables.made > MOST_COUNTS && attempt >= FIRST_TREES;
            if open.cells.is_empty() || misses == MOST_MISSES || spent {
                break;
            }
            let mut sets = Map::with_hasher(STATE);
            // Turn by turn for many and for a single one.
            let wanted = if attempt % 2 == 0 { SAMPLE } else { 1 };
            let step = open.cells.len().div_ceil(wanted);
            let first = if wanted == 1 { attempt * 7_919 % open.cells.len() } else { 0 };
            for &cell in open.cells[first..].iter().step_by(step) {
                self.differences(cell, AROUND, &mut sets);
            }
            let grown = Growing::for_most(&self.tables, &Self::sorted(sets));
            let neighbours = grown.neighbours().to_vec();
            misses += 1;
            if tried.contains(&neighbours) {
                continue;
            }
            if self.count(&neighbours, &mut tables, open) > 0 {
                misses = 0;
            }
            tried.push(neighbours);
        }
    }

    /// Counts L(i) of a tree for every open cell, and settles those it proves.
    fn count(
        &mut self,
        neighbours: &[u64],
        tables: &mut CountedTables<'_>,
        open: &mut Unproved<'_>,
    ) -> usize {
        let graph = self.on_variables(neighbours);
        let tree = junction_tree(&graph).expect("a grown graph is chordal");
        let mut bounds = vec![0i64; open.cells.len()];
        for clique in tree.cliques() {
            tables.add(*clique, 1, &open.cells, &mut bounds);
        }
        for edge in tree.edges() {
            tables.add(edge.separator, -1, &open.cells, &mut bounds);
        }
        let number = u32::try_from(self.trees.len()).expect("there are few trees");
        let mut bounds = bounds.into_iter();
        let proved = open.settle(|cell| {
            let bound = bounds.next().expect("a bound for each open cell");
            (bound == signed(self.joint.n(cell))).then_some(Proof::Tree(number))
        });
        if proved > 0 {
            self.trees.push(graph);
        }
        proved
    }

    fn on_variables(&self, neighbours: &[u64]) -> MarginGraph {
        on_variables(&self.bits, neighbours, MarginGraph::edgeless(self.delta))
    }

    /// A tree for each cell that is left in a small slice.
    fn for_each(&mut self, open: &mut Unproved<'_>) {
        const AT_ONCE: usize = 1 << 10;
        let small: Vec<CellId> = open
            .cells
            .iter()
            .copied()
            .filter(|&cell| self.slices.of_cell(cell).len() <= SMALL_SLICE)
            .collect();
        let mut numbers: Map<Vec<u64>, u32> = Map::with_hasher(STATE);
        let mut proved: Map<CellId, u32> = Map::with_hasher(STATE);
        let mut steps = 0;
        for cells in small.chunks(AT_ONCE) {
            if steps > MOST_STEPS {
                break;
            }
            let grown: Vec<(Option<Vec<u64>>, u64)> = cells
                .par_iter()
                .map(|&cell| {
                    let mut sets = Map::with_hasher(STATE);
                    self.differences(cell, usize::MAX, &mut sets);
                    let (graph, work) = Growing::around(&self.tables, &Self::sorted(sets));
                    let looked = self.slices.of_cell(cell).len() as u64;
                    (graph.map(|graph| graph.neighbours().to_vec()), work + looked)
                })
                .collect();
            for (&cell, (graph, work)) in cells.iter().zip(grown) {
                steps += work;
                if let Some(neighbours) = graph {
                    let number = *numbers.entry(neighbours).or_insert_with_key(|neighbours| {
                        self.trees.push(self.on_variables(neighbours));
                        u32::try_from(self.trees.len() - 1).expect("there are few trees")
                    });
                    proved.insert(cell, number);
                }
            }
        }
        open.settle(|cell| proved.get(&cell).map(|&number| Proof::Tree(number)));
    }
}

/// Tables of the whole file, each counted once where that is affordable.
struct CountedTables<'a> {
    joint: &'a JointTable,
    counted: Map<VarSet, Vec<u64>>,
    made: usize,
}

impl CountedTables<'_> {
    fn add(&mut self, margin: VarSet, sign: i64, cells: &[CellId], bounds: &mut [i64]) {
        /// At most this many counts are remembered.
        const REMEMBERED: usize = 1 << 22;
        if let Some(counts) = self.counted.get(&margin) {
            for (cell, bound) in cells.iter().zip(bounds) {
                *bound += sign * signed(counts[cell.position()]);
            }
            return;
        }
        let table = MarginTable::count(self.joint, margin);
        self.made += self.joint.len();
        for (cell, bound) in cells.iter().zip(bounds) {
            *bound += sign * signed(table.n(*cell));
        }
        if (self.counted.len() + 1) * self.joint.len() <= REMEMBERED {
            let counts = (0..self.joint.len()).map(|cell| table.n(CellId::at(cell))).collect();
            self.counted.insert(margin, counts);
        }
    }
}

//! A file from tables alone.
//!
//! The rows of every clique's table are in the order of their values, those of the separator first;
//! the bijection of each edge is drawn uniformly in every slice. Nothing but tables comes in, so
//! whatever a reader learns from the file, the tables had said.
//!
//! Trap: the numbers of codes are not those of a file, where they say what was met first. They
//! follow from the values, so that a file, its cells and its published tables give the same.
//!
//! Way in: [`Tables::new`] or [`Tables::count`], then [`sample`]. Slow twin:
//! [`crate::oracle::fibre`].

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::{Lambda, permutation};
use crate::graph::JunctionTree;
use crate::random::{Random, Seed};
use crate::table::JointTable;
use crate::varset::VarSet;

/// The random stream that the seeds of the edges are drawn from.
const STREAM: u64 = 7;

/// The stream of the order of the drawn records.
const ORDER_STREAM: u64 = 8;

/// The counts of one clique.
#[derive(Clone, PartialEq, Eq)]
pub struct CliqueTable {
    variables: Vec<usize>,
    /// The cells that occur, each with its codes in the order of the variables.
    cells: BTreeMap<Vec<u32>, u64>,
}

/// Values and counts of people are not shown.
impl std::fmt::Debug for CliqueTable {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "CliqueTable({} cells)", self.cells.len())
    }
}

impl CliqueTable {
    /// The table of these variables with these cells. Cells without records are left out.
    ///
    /// # Panics
    /// When a cell does not have a code for each variable.
    #[must_use]
    pub fn new(variables: VarSet, cells: impl IntoIterator<Item = (Vec<u32>, u64)>) -> Self {
        let variables: Vec<usize> = variables.iter().collect();
        let mut table: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
        for (codes, count) in cells.into_iter().filter(|(_, count)| *count > 0) {
            assert_eq!(codes.len(), variables.len(), "a cell has a code for each variable");
            *table.entry(codes).or_default() += count;
        }
        Self { variables, cells: table }
    }

    /// Its cells.
    pub fn cells(&self) -> impl Iterator<Item = (&[u32], u64)> {
        self.cells.iter().map(|(codes, count)| (&codes[..], *count))
    }

    /// The table of some of its variables.
    #[must_use]
    pub fn on(&self, variables: VarSet) -> Self {
        let places: Vec<usize> = (0..self.variables.len())
            .filter(|&place| variables.contains(self.variables[place]))
            .collect();
        let codes = |cell: &[u32]| places.iter().map(|&place| cell[place]).collect();
        Self::new(variables, self.cells().map(|(cell, count)| (codes(cell), count)))
    }

    /// The first cell in which another table of the same variables has another count, and both.
    #[must_use]
    pub fn differs_from(&self, other: &Self) -> Option<(Vec<u32>, (u64, u64))> {
        let count =
            |table: &Self, cell: &Vec<u32>| table.cells.get(cell).copied().unwrap_or_default();
        let cells = self.cells.keys().chain(other.cells.keys());
        let cell = cells.filter(|cell| count(self, cell) != count(other, cell)).min()?;
        Some((cell.clone(), (count(self, cell), count(other, cell))))
    }

    /// How many records it counts.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.cells.values().sum()
    }
}

/// Two tables that disagree on what they share.
#[derive(Clone, PartialEq, Eq)]
pub struct Contradiction {
    /// The cliques.
    pub cliques: (usize, usize),
    /// The variables that both have; none where their numbers of records differ.
    pub shared: VarSet,
    /// The codes of the cell of these, in their order.
    pub cell: Vec<u32>,
    /// How many records each counts there.
    pub counts: (u64, u64),
}

/// No code of a cell is shown.
impl std::fmt::Debug for Contradiction {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Contradiction({:?})", self.cliques)
    }
}

/// The tables of all cliques of a tree. They agree on every separator: only a constructor that
/// checks this makes them.
#[derive(Debug, Clone)]
pub struct Tables {
    tree: JunctionTree,
    /// For each clique its cells in the order of the separator towards the root, then of the rest:
    /// the codes in the order of `variables`, and the counts.
    cliques: Vec<Clique>,
    records: u32,
}

#[derive(Clone)]
struct Clique {
    variables: Vec<usize>,
    codes: Vec<u32>,
    counts: Vec<u32>,
}

/// Values of people are not shown.
impl std::fmt::Debug for Clique {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Clique({} cells)", self.counts.len())
    }
}

impl Clique {
    fn new(table: &CliqueTable, towards_root: VarSet) -> Self {
        let places = 0..table.variables.len();
        let (shared, own): (Vec<usize>, Vec<usize>) =
            places.partition(|&place| towards_root.contains(table.variables[place]));
        let order = [shared, own].concat();
        let in_order = |cell: &[u32]| order.iter().map(|&place| cell[place]).collect::<Vec<u32>>();
        let mut cells: Vec<(Vec<u32>, u64)> =
            table.cells().map(|(cell, count)| (in_order(cell), count)).collect();
        cells.sort_unstable();
        let count = |count: u64| u32::try_from(count).expect("a file has fewer than 2^32 records");
        Self {
            variables: order.iter().map(|&place| table.variables[place]).collect(),
            codes: cells.iter().flat_map(|(codes, _)| codes.iter().copied()).collect(),
            counts: cells.iter().map(|(_, one)| count(*one)).collect(),
        }
    }

    fn cell(&self, cell: usize) -> &[u32] {
        let width = self.variables.len();
        &self.codes[cell * width..(cell + 1) * width]
    }

    /// The codes of a cell on a set of variables, in the order of the variables.
    fn on(&self, cell: usize, places: &[usize]) -> Vec<u32> {
        let codes = self.cell(cell);
        places.iter().map(|&place| codes[place]).collect()
    }

    fn places(&self, of: VarSet) -> Vec<usize> {
        let place = |one: usize| self.variables.iter().position(|&other| other == one);
        of.iter().map(|one| place(one).expect("a clique holds its separators")).collect()
    }

    /// For each row the number of its cell.
    fn rows(&self) -> Vec<u32> {
        let cells = (0u32..).zip(&self.counts);
        cells.flat_map(|(cell, &count)| std::iter::repeat_n(cell, count as usize)).collect()
    }
}

impl Tables {
    /// The tables of the cliques of a tree, in their order.
    ///
    /// # Errors
    /// [`Contradiction`] when two of them disagree on what they share.
    ///
    /// # Panics
    /// When the tables are not those of the cliques, or count 2³² records or more.
    pub fn new(tree: JunctionTree, tables: &[CliqueTable]) -> Result<Self, Contradiction> {
        assert_eq!(tree.cliques().len(), tables.len(), "every clique has a table");
        for (clique, table) in tree.cliques().iter().zip(tables) {
            let own: VarSet = table.variables.iter().copied().collect();
            assert_eq!(*clique, own, "a clique's table is of its variables");
        }
        for edge in tree.edges() {
            let [left, right] = [edge.parent, edge.child].map(|one| tables[one].on(edge.separator));
            let Some((cell, counts)) = left.differs_from(&right) else { continue };
            let (cliques, shared) = ((edge.parent, edge.child), edge.separator);
            return Err(Contradiction { cliques, shared, cell, counts });
        }
        let mut towards_root = vec![VarSet::EMPTY; tables.len()];
        for edge in tree.edges() {
            towards_root[edge.child] = edge.separator;
        }
        let records = tables.first().map_or(0, CliqueTable::records);
        let records = u32::try_from(records).expect("a file has fewer than 2^32 records");
        let cliques =
            tables.par_iter().zip(towards_root).map(|(one, shared)| Clique::new(one, shared));
        Ok(Self { cliques: cliques.collect(), tree, records })
    }

    /// The tables of a file's cells. `code` gives each variable's codes their place among its
    /// values.
    ///
    /// # Panics
    /// As [`Tables::new`].
    #[must_use]
    pub fn count(tree: JunctionTree, joint: &JointTable, code: &[Vec<u32>]) -> Self {
        let layout = joint.cells().layout();
        let table = |clique: &VarSet| {
            let on = joint.on(*clique);
            let cells = on.cells().iter().zip(on.counts()).map(|(cell, &count)| {
                let codes = clique.iter().map(|one| code[one][layout.code(cell, one) as usize]);
                (codes.collect(), u64::from(count))
            });
            CliqueTable::new(*clique, cells)
        };
        let tables: Vec<CliqueTable> = tree.cliques().par_iter().map(table).collect();
        Self::new(tree, &tables).expect("tables of one file agree")
    }

    /// The tree.
    #[must_use]
    pub fn tree(&self) -> &JunctionTree {
        &self.tree
    }

    /// How many records they count.
    #[must_use]
    pub fn records(&self) -> u32 {
        self.records
    }

    /// The sizes of the slices of each edge.
    #[must_use]
    pub fn sizes(&self) -> Vec<Vec<u32>> {
        (0..self.tree.edges().len()).map(|edge| self.slices(edge).1).collect()
    }

    /// The table of some variables of one clique.
    ///
    /// # Panics
    /// When no clique has all of them.
    #[must_use]
    pub fn on(&self, variables: VarSet) -> CliqueTable {
        let clique = self.tree.cliques().iter().position(|one| variables.is_subset(one));
        let clique = &self.cliques[clique.expect("a clique has these variables")];
        let places = clique.places(variables);
        let cells = clique.counts.iter().enumerate();
        let cells = cells.map(|(cell, &count)| (clique.on(cell, &places), u64::from(count)));
        CliqueTable::new(variables, cells)
    }

    /// For each edge, the slice of each cell of its parent, and the sizes of the slices: those of
    /// the child's rows, which lie one after the other.
    fn slices(&self, edge: usize) -> (Vec<u32>, Vec<u32>) {
        let edge = &self.tree.edges()[edge];
        let (parent, child) = (&self.cliques[edge.parent], &self.cliques[edge.child]);
        let places = child.places(edge.separator);
        let (mut sizes, mut keys) = (Vec::<u32>::new(), Vec::<Vec<u32>>::new());
        for (cell, &count) in child.counts.iter().enumerate() {
            let key = child.on(cell, &places);
            if keys.last() == Some(&key) {
                *sizes.last_mut().expect("a slice for each key") += count;
            } else {
                keys.push(key);
                sizes.push(count);
            }
        }
        let number: BTreeMap<&Vec<u32>, u32> = keys.iter().zip(0..).collect();
        let places = parent.places(edge.separator);
        let slice = |cell: usize| number[&parent.on(cell, &places)];
        ((0..parent.counts.len()).map(slice).collect(), sizes)
    }
}

/// A drawn file: for each clique and each record, its cell.
#[derive(Clone, PartialEq, Eq)]
pub struct DrawnRecords {
    /// For each clique, for each record in the order of their release, the row of its table.
    rows: Vec<Vec<u32>>,
}

/// No record is shown.
impl std::fmt::Debug for DrawnRecords {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "DrawnRecords({} cliques)", self.rows.len())
    }
}

/// Draws a file with these tables, each family of bijections with the same probability, in random
/// order.
///
/// Laws: `a-sample-has-the-law-of-the-fibre`, `a-sample-keeps-every-table`,
/// `a-sample-follows-from-the-tables`.
#[must_use]
pub fn sample(tables: &Tables, seed: Seed) -> DrawnRecords {
    let mut seeds = Random::new(seed, STREAM);
    let edges: Vec<(usize, Seed)> =
        (0..tables.tree.edges().len()).map(|edge| (edge, seeds.seed())).collect();
    let bijections: Vec<Vec<u32>> =
        edges.into_par_iter().map(|(edge, seed)| bijection(tables, edge, seed)).collect();
    let order = || permutation(&[tables.records], |_| Lambda::UNIFORM, seeds_of_order(seed));
    let mut rows: Vec<Vec<u32>> = vec![Vec::new(); tables.cliques.len()];
    if let Some(first) = rows.first_mut() {
        *first = order();
    }
    for (edge, bijection) in tables.tree.edges().iter().zip(bijections) {
        let parent = &rows[edge.parent];
        rows[edge.child] = parent.par_iter().map(|&row| bijection[row as usize]).collect();
    }
    DrawnRecords { rows }
}

/// The seed of the order of a file, which no edge has.
fn seeds_of_order(seed: Seed) -> Seed {
    Random::new(seed, ORDER_STREAM).seed()
}

/// For each row of an edge's parent, the row of its child that it is glued to.
fn bijection(tables: &Tables, edge: usize, seed: Seed) -> Vec<u32> {
    let (slice_of, sizes) = tables.slices(edge);
    let drawn = permutation(&sizes, |_| Lambda::UNIFORM, seed);
    let mut next: Vec<u32> = Vec::with_capacity(sizes.len());
    let mut sum = 0;
    for size in &sizes {
        next.push(sum);
        sum += size;
    }
    let parent = &tables.cliques[tables.tree.edges()[edge].parent];
    let rows = slice_of.iter().zip(&parent.counts);
    let mut glued = Vec::with_capacity(drawn.len());
    for (&slice, &count) in rows {
        let from = next[slice as usize] as usize;
        glued.extend_from_slice(&drawn[from..from + count as usize]);
        next[slice as usize] += count;
    }
    glued
}

impl DrawnRecords {
    /// How many records there are.
    #[must_use]
    pub fn records(&self) -> usize {
        self.rows.first().map_or(0, Vec::len)
    }

    /// The codes of a variable, record by record; `None` when no table has it.
    #[must_use]
    pub fn codes(&self, tables: &Tables, variable: usize) -> Option<Vec<u32>> {
        let clique = tables.tree.cliques().iter().position(|one| one.contains(variable))?;
        let (table, rows) = (&tables.cliques[clique], &self.rows[clique]);
        let place = table.places(VarSet::single(variable))[0];
        let code = |&cell: &u32| table.cell(cell as usize)[place];
        let of_row: Vec<u32> = table.rows().par_iter().map(code).collect();
        Some(rows.par_iter().map(|&row| of_row[row as usize]).collect())
    }
}

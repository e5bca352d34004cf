//! L(i): what a sum over kept tables proves of a cell.
//!
//! ```text
//! L(i) = Σ_C n_C(i_C) − Σ_S n_S(i_S)  ≤  n′(i)   for every table n′ with the same margins,
//! ```
//!
//! for the cliques C and separators S of a junction tree whose cliques lie inside kept tables.
//! [`lower_bounds`] counts it for one tree and all cells; [`forest_bounds`] takes, for each
//! cell, the best spanning forest of two-way tables.

use rayon::prelude::*;

use crate::graph::{JunctionTree, MarginGraph};
use crate::table::{CellId, JointTable, MarginTable};
use crate::varset::VarSet;

/// L(i) for every cell, from the tables of the cliques and separators alone.
///
/// Law: `decomposable-criterion`.
#[must_use]
pub fn lower_bounds(joint: &JointTable, tree: &JunctionTree) -> Vec<i64> {
    let mut bounds = vec![0i64; joint.len()];
    let mut add = |margin: VarSet, sign: i64| {
        let table = MarginTable::count(joint, margin);
        let cells = bounds.par_iter_mut().with_min_len(AT_ONCE).enumerate();
        cells.for_each(|(cell, bound)| *bound += sign * signed(table.n(CellId::at(cell))));
    };
    for clique in tree.cliques() {
        add(*clique, 1);
    }
    for edge in tree.edges() {
        add(edge.separator, -1);
    }
    bounds
}

/// Of the given cells those that some spanning forest of two-way tables certifies as
/// occupied by all their records: L(i) = n(i).
///
/// For one cell the best forest is a maximum spanning tree, where the edge of two variables
/// in a common table weighs n_uv − n_u − n_v, and that of any other two weighs −n.
///
/// Law: `a-certificate-binds-every-table`.
#[must_use]
pub fn certified_by_forest(
    joint: &JointTable,
    graph: &MarginGraph,
    cells: &[CellId],
) -> Vec<CellId> {
    let bounds = forest_bounds(joint, graph, cells);
    let full = |(cell, bound): (&CellId, i64)| (bound == signed(joint.n(*cell))).then_some(*cell);
    cells.iter().zip(bounds).filter_map(full).collect()
}

/// The fewest cells that are worth another thread.
const AT_ONCE: usize = 1 << 10;

/// The largest L(i) that a spanning forest of two-way tables gives, for each of these cells.
#[must_use]
pub fn forest_bounds(joint: &JointTable, graph: &MarginGraph, cells: &[CellId]) -> Vec<i64> {
    let vertices: Vec<usize> = graph.vertices().iter().collect();
    let edges: Vec<(usize, usize)> = graph.edges().collect();
    // The counts that are held at once; the tables are counted again for each batch.
    const COUNTS_AT_ONCE: usize = 1 << 24;
    let batch = (COUNTS_AT_ONCE / (vertices.len() + edges.len()).max(1)).max(1);
    let mut bounds = Vec::with_capacity(cells.len());
    for cells in cells.chunks(batch) {
        let counts = |margin: VarSet| -> Vec<i64> {
            let table = MarginTable::count(joint, margin);
            cells.iter().map(|&cell| signed(table.n(cell))).collect()
        };
        let one_way: Vec<Vec<i64>> =
            vertices.par_iter().map(|&vertex| counts(VarSet::single(vertex))).collect();
        let two_way: Vec<Vec<i64>> =
            edges.par_iter().map(|&(left, right)| counts(VarSet::from([left, right]))).collect();
        let place = |vertex: usize| {
            vertices.binary_search(&vertex).expect("an edge ends at vertices of its graph")
        };
        let ends: Vec<(usize, usize)> =
            edges.iter().map(|&(left, right)| (place(left), place(right))).collect();
        let records = signed(joint.records() as u64);
        let none = || vec![0i64; vertices.len() * vertices.len()];
        let bound = |weights: &mut Vec<i64>, position: usize| {
            weights.fill(-records);
            for (&(left, right), table) in ends.iter().zip(&two_way) {
                let weight = table[position] - one_way[left][position] - one_way[right][position];
                weights[left * vertices.len() + right] = weight;
                weights[right * vertices.len() + left] = weight;
            }
            let all: i64 = one_way.iter().map(|table| table[position]).sum();
            all + maximum_spanning_tree(vertices.len(), weights).0
        };
        let positions = (0..cells.len()).into_par_iter().with_min_len(AT_ONCE);
        bounds.par_extend(positions.map_init(none, bound));
    }
    bounds
}

/// The spanning forest of two-way tables that gives a cell the largest L(i).
#[must_use]
pub fn best_forest(joint: &JointTable, graph: &MarginGraph, cell: CellId) -> MarginGraph {
    let vertices: Vec<usize> = graph.vertices().iter().collect();
    let count = |margin: VarSet| signed(MarginTable::count(joint, margin).n(cell));
    let one_way: Vec<i64> = vertices.iter().map(|&vertex| count(VarSet::single(vertex))).collect();
    let mut weights = vec![-signed(joint.records() as u64); vertices.len() * vertices.len()];
    for (left, &one) in vertices.iter().enumerate() {
        for (right, &other) in vertices.iter().enumerate() {
            if graph.neighbours(one).contains(other) {
                weights[left * vertices.len() + right] =
                    count(VarSet::from([one, other])) - one_way[left] - one_way[right];
            }
        }
    }
    let mut forest = MarginGraph::edgeless(graph.vertices());
    for (left, right) in maximum_spanning_tree(vertices.len(), &weights).1 {
        if graph.neighbours(vertices[left]).contains(vertices[right]) {
            forest.join_all(VarSet::from([vertices[left], vertices[right]]));
        }
    }
    forest
}

/// The weight and the edges of a maximum spanning tree of a complete graph (Prim).
fn maximum_spanning_tree(vertices: usize, weights: &[i64]) -> (i64, Vec<(usize, usize)>) {
    let mut best: Vec<(i64, usize)> =
        weights.get(..vertices).unwrap_or_default().iter().map(|&weight| (weight, 0)).collect();
    let mut outside: Vec<usize> = (1..vertices).collect();
    let (mut total, mut edges) = (0, Vec::new());
    while let Some(position) = (0..outside.len()).max_by_key(|&position| best[outside[position]].0)
    {
        let vertex = outside.swap_remove(position);
        total += best[vertex].0;
        edges.push((best[vertex].1, vertex));
        for &other in &outside {
            let weight = weights[vertex * vertices + other];
            if weight > best[other].0 {
                best[other] = (weight, vertex);
            }
        }
    }
    (total, edges)
}

pub(super) fn signed(count: u64) -> i64 {
    i64::try_from(count).expect("a count is below 2^32")
}

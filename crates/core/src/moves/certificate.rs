//! A proof that no swap, of however many records, can take a record out of a cell.
//!
//! For a chordal graph H whose cliques C lie inside kept tables, with the separators S of its
//! junction tree,
//!
//! ```text
//! L(i) = Σ_C n_C(i_C) − Σ_S n_S(i_S)  ≤  n′(i)   for every table n′ with the same margins.
//! ```
//!
//! L(i) = n(i) therefore binds every release that keeps the tables. A reader checks it by
//! looking up a few counts in the published tables and adding them.
//!
//! Finding H: n(i) − L(i) = Σ_{j≠i} n(j)·(cc(diff(i,j)) − 1) in H, so H proves the cell full
//! exactly when every other cell differs from it in a set that is connected in H. Joining u
//! and v keeps H chordal when their common neighbours S part them, and connects the sets that
//! hold both and miss S: L never falls. Edges are joined greedily, most sets first; what stays
//! apart weighs more in the next round. Where all tables have two variables the first round is
//! a maximum spanning tree and exact; otherwise a proof may be missed, never a wrong one made.
//!
//! Trap: no proof of this kind is no proof that the cell can be emptied. There are cells that
//! the tables bind only in whole numbers.

use super::space::{Space, ones};
use crate::encode::PackedCells;
use crate::graph::{GeneratingClass, MarginGraph, junction_tree};
use crate::hash::{Map, STATE};
use crate::table::{CellId, JointTable};
use crate::varset::VarSet;

/// How often the edges are joined anew, where larger tables leave a choice.
const ROUNDS: usize = 16;

/// L(i) = n(i), with the tables and counts that say so. Only a constructor that counts them
/// makes one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Certificate {
    cliques: Vec<(VarSet, u64)>,
    separators: Vec<(VarSet, u64)>,
    count: u64,
}

impl Certificate {
    /// The certificate that a graph gives a cell; `None` when the graph is not chordal, when
    /// a clique lies in no kept table, or when L(i) is below n(i).
    ///
    /// Law: `a-certificate-is-checked-by-hand`.
    #[must_use]
    pub fn new(
        joint: &JointTable,
        class: &GeneratingClass,
        graph: &MarginGraph,
        cell: CellId,
    ) -> Option<Self> {
        let tree = junction_tree(graph)?;
        let kept = |clique: &VarSet| {
            clique.len() <= 1 || class.margins().iter().any(|margin| clique.is_subset(margin))
        };
        if !tree.cliques().iter().all(kept) {
            return None;
        }
        let counted = |set: VarSet| (set, agreeing(joint.cells(), joint.counts(), cell, set));
        let mut cliques: Vec<(VarSet, u64)> =
            tree.cliques().iter().map(|clique| counted(*clique)).collect();
        if cliques.is_empty() {
            cliques.push(counted(VarSet::EMPTY));
        }
        let separators: Vec<(VarSet, u64)> =
            tree.edges().iter().map(|edge| counted(edge.separator)).collect();
        let sum = |terms: &[(VarSet, u64)]| terms.iter().map(|(_, count)| count).sum::<u64>();
        let count = joint.n(cell);
        (sum(&cliques) == sum(&separators) + count).then_some(Self { cliques, separators, count })
    }

    /// The tables that are added: each clique with the count of the cell in it.
    #[must_use]
    pub fn cliques(&self) -> &[(VarSet, u64)] {
        &self.cliques
    }

    /// The tables that are taken off: each separator with its count; the empty one counts all
    /// records.
    #[must_use]
    pub fn separators(&self) -> &[(VarSet, u64)] {
        &self.separators
    }

    /// n(i): what the sum comes to.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }
}

/// The records that agree with a cell on a set.
fn agreeing(cells: &PackedCells, counts: &[u32], cell: CellId, set: VarSet) -> u64 {
    let mask = cells.layout().mask(set);
    let own = cells.get(cell.position());
    cells
        .iter()
        .zip(counts)
        .filter(|(other, _)| !mask.parts(own, other))
        .map(|(_, &count)| u64::from(count))
        .sum()
}

/// A proof for a cell, if the greedy search finds one. `space` holds all of Δ.
pub(super) fn find(joint: &JointTable, space: &Space<'_>, cell: CellId) -> Option<Certificate> {
    let own = joint.cells().get(cell.position());
    let mut counts: Map<u64, u64> = Map::with_hasher(STATE);
    for (other, &count) in joint.cells().iter().zip(joint.counts()) {
        *counts.entry(space.bits.differing(own, other)).or_default() += u64::from(count);
    }
    let mut sets: Vec<(u64, u64)> =
        counts.into_iter().filter(|(set, _)| set.count_ones() > 1).collect();
    sets.sort_unstable();
    // Two cells that differ in two variables need these joined.
    let inside = |set: u64| space.margins.iter().any(|margin| set & !margin == 0);
    if sets.iter().any(|&(set, _)| set.count_ones() == 2 && !inside(set)) {
        return None;
    }
    let rounds =
        if space.margins.iter().all(|margin| margin.count_ones() <= 2) { 1 } else { ROUNDS };
    let heavy = joint.records() as u64;
    for _ in 0..rounds {
        let mut tree = Chordal::new(space);
        let open = tree.grow(&sets);
        if open.is_empty() {
            let mut graph = MarginGraph::edgeless(space.bits.set(space.bits.all()));
            for (bit, neighbours) in tree.neighbours.iter().enumerate() {
                for other in ones(*neighbours) {
                    graph.join_all(space.bits.set(1 << bit | 1 << other));
                }
            }
            return Certificate::new(joint, &space.class, &graph, cell);
        }
        for (set, weight) in &mut sets {
            if open.contains(set) {
                *weight += heavy;
            }
        }
    }
    None
}

/// A chordal graph that grows.
struct Chordal<'s, 'a> {
    space: &'s Space<'a>,
    neighbours: Vec<u64>,
}

impl<'s, 'a> Chordal<'s, 'a> {
    fn new(space: &'s Space<'a>) -> Self {
        Self { space, neighbours: vec![0; space.bits.len()] }
    }

    fn component_of(&self, start: usize, within: u64) -> u64 {
        let mut component = 1u64 << start;
        let mut fresh = component;
        while fresh != 0 {
            let reached = ones(fresh).fold(0, |all, bit| all | self.neighbours[bit]);
            fresh = reached & within & !component;
            component |= fresh;
        }
        component
    }

    fn is_connected(&self, set: u64) -> bool {
        self.component_of(set.trailing_zeros() as usize, set) == set
    }

    /// The common neighbours of two vertices that may be joined.
    fn joinable(&self, left: usize, right: usize) -> Option<u64> {
        let shared = self.neighbours[left] & self.neighbours[right];
        let clique = shared | 1 << left | 1 << right;
        let kept = self.space.margins.iter().any(|margin| clique & !margin == 0);
        let apart = || self.component_of(left, self.space.bits.all() & !shared) >> right & 1 == 0;
        (self.neighbours[left] >> right & 1 == 0 && kept && apart()).then_some(shared)
    }

    /// Joins vertices until every set is connected or nothing more can be joined; the sets
    /// that are left.
    fn grow(&mut self, sets: &[(u64, u64)]) -> Vec<u64> {
        let mut open: Vec<(u64, u64)> = sets.to_vec();
        let count = self.neighbours.len();
        loop {
            open.retain(|&(set, _)| !self.is_connected(set));
            if open.is_empty() {
                return Vec::new();
            }
            let mut best: Option<(u64, usize, usize)> = None;
            for left in 0..count {
                for right in left + 1..count {
                    let Some(shared) = self.joinable(left, right) else { continue };
                    let ends = 1u64 << left | 1 << right;
                    let gain: u64 = open
                        .iter()
                        .filter(|(set, _)| set & ends == ends && set & shared == 0)
                        .map(|(_, weight)| weight)
                        .sum();
                    if gain > best.map_or(0, |(gain, ..)| gain) {
                        best = Some((gain, left, right));
                    }
                }
            }
            let Some((_, left, right)) = best else {
                return open.into_iter().map(|(set, _)| set).collect();
            };
            self.neighbours[left] |= 1 << right;
            self.neighbours[right] |= 1 << left;
        }
    }
}

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
//! Trap: no proof of this kind is no proof that the cell can be emptied. There are cells that
//! the tables bind only in whole numbers.

use crate::encode::PackedCells;
use crate::graph::{GeneratingClass, MarginGraph, junction_tree};
use crate::table::{CellId, JointTable};
use crate::varset::VarSet;

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

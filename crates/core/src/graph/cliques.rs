//! The maximal cliques of any graph, by Bron & Kerbosch with a pivot.
//!
//! A graph may have 3^(k/3) of them, so the listing stops at a limit: more than that is
//! answered with `None`, never by hanging. A chordal graph's cliques come cheaper from its
//! junction tree.
//!
//! Way in: [`maximal_cliques`]. Slow twin: [`crate::oracle::maximal_cliques`].
//! Reference: Tomita, Tanaka & Takahashi (2006).

use super::MarginGraph;
use crate::varset::VarSet;

/// The maximal cliques in the order of their vertices, or `None` when there are more than
/// `limit`.
///
/// Law: `cliques-by-definition`.
#[must_use]
pub fn maximal_cliques(graph: &MarginGraph, limit: usize) -> Option<Vec<VarSet>> {
    let mut found = Vec::new();
    let complete = extend(graph, VarSet::EMPTY, graph.vertices(), VarSet::EMPTY, limit, &mut found);
    found.sort_by_key(|clique| clique.iter().collect::<Vec<_>>());
    complete.then_some(found)
}

/// Lists the maximal cliques that hold `clique`, some of `candidates` and none of
/// `excluded`; says whether it came to the end.
fn extend(
    graph: &MarginGraph,
    clique: VarSet,
    mut candidates: VarSet,
    mut excluded: VarSet,
    limit: usize,
    found: &mut Vec<VarSet>,
) -> bool {
    if candidates.is_empty() && excluded.is_empty() {
        if clique.is_empty() {
            return true;
        }
        found.push(clique);
        return found.len() <= limit;
    }
    // Every maximal clique holds the pivot or one of its strangers.
    let pivot = (candidates | excluded)
        .iter()
        .max_by_key(|&vertex| (candidates & graph.neighbours(vertex)).len())
        .expect("one of the two sets has a vertex");
    for vertex in candidates - graph.neighbours(pivot) {
        let neighbours = graph.neighbours(vertex);
        let with = clique | VarSet::single(vertex);
        if !extend(graph, with, candidates & neighbours, excluded & neighbours, limit, found) {
            return false;
        }
        candidates.remove(vertex);
        excluded.insert(vertex);
    }
    true
}

//! Chordality, cliques and the junction tree, by maximum cardinality search.
//!
//! The search visits next a vertex with the most visited neighbours. The graph is chordal
//! exactly when the visited neighbours of each vertex form a clique; it is enough to look
//! at the one visited last: the others must be its neighbours too.
//!
//! Edge case: a graph in several pieces still gets one tree; its pieces are joined by edges
//! with an empty separator, because the counting formula needs them.
//!
//! Way in: [`junction_tree`]. Slow twins: [`crate::oracle::is_chordal`],
//! [`crate::oracle::maximal_cliques`]. Reference: Blair & Peyton (1993).

use super::MarginGraph;
use crate::varset::VarSet;

/// The cliques of a chordal graph, joined so that the cliques that hold a vertex are
/// connected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JunctionTree {
    cliques: Vec<VarSet>,
    edges: Vec<JunctionEdge>,
}

/// Two cliques next to each other, and what they share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JunctionEdge {
    /// The clique nearer to the first one, by its position.
    pub parent: usize,
    /// The clique farther from it.
    pub child: usize,
    /// The vertices in both; empty between two pieces of the graph.
    pub separator: VarSet,
}

impl JunctionTree {
    /// A tree that a test names: each clique after the first with its parent.
    #[cfg(any(test, feature = "oracle"))]
    #[must_use]
    pub fn of_parents(cliques: Vec<VarSet>, parents: &[(usize, usize)]) -> Self {
        let edge = |&(parent, child): &(usize, usize)| {
            let separator = cliques[parent] & cliques[child];
            JunctionEdge { parent, child, separator }
        };
        let edges = parents.iter().map(edge).collect();
        Self { cliques, edges }
    }

    /// The maximal cliques.
    #[must_use]
    pub fn cliques(&self) -> &[VarSet] {
        &self.cliques
    }

    /// The edges: one fewer than there are cliques.
    #[must_use]
    pub fn edges(&self) -> &[JunctionEdge] {
        &self.edges
    }
}

/// The junction tree of a chordal graph; `None` when the graph is not chordal.
///
/// Law: `junction-tree-of-chordal`.
#[must_use]
pub fn junction_tree(graph: &MarginGraph) -> Option<JunctionTree> {
    let length = graph.vertices().iter().last().map_or(0, |last| last + 1);
    let mut visited_before = vec![VarSet::EMPTY; length];
    let mut step_of = vec![0usize; length];
    let mut clique_of = vec![0usize; length];
    let mut tree = JunctionTree { cliques: Vec::new(), edges: Vec::new() };
    let mut visited = VarSet::EMPTY;
    let mut step = 0;
    while visited != graph.vertices() {
        let vertex = (graph.vertices() - visited).iter().max_by_key(|&vertex| {
            ((graph.neighbours(vertex) & visited).len(), std::cmp::Reverse(vertex))
        })?;
        let before = graph.neighbours(vertex) & visited;
        let last = before.iter().max_by_key(|&neighbour| step_of[neighbour]);
        if let Some(last) = last
            && !(before - VarSet::single(last)).is_subset(&visited_before[last])
        {
            return None;
        }
        // The vertex goes on with the clique of `last` when that clique is just what it
        // sees; otherwise it begins a new clique that hangs on it.
        match last {
            Some(last) if tree.cliques[clique_of[last]] == before => {
                tree.cliques[clique_of[last]].insert(vertex);
                clique_of[vertex] = clique_of[last];
            }
            _ => {
                let child = tree.cliques.len();
                if child > 0 {
                    let parent = last.map_or(0, |last| clique_of[last]);
                    tree.edges.push(JunctionEdge { parent, child, separator: before });
                }
                tree.cliques.push(before | VarSet::single(vertex));
                clique_of[vertex] = child;
            }
        }
        visited_before[vertex] = before;
        step_of[vertex] = step;
        visited.insert(vertex);
        step += 1;
    }
    Some(tree)
}

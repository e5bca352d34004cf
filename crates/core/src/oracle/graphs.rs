//! Slow twins for the graph: definitions over all subsets of a few vertices.

use crate::graph::MarginGraph;
use crate::varset::VarSet;

fn adjacent(graph: &MarginGraph, left: usize, right: usize) -> bool {
    graph.edges().any(|edge| edge == (left.min(right), left.max(right)))
}

/// Is there a path between every two members of the set, inside the set?
#[must_use]
pub fn is_connected(graph: &MarginGraph, set: VarSet) -> bool {
    components(graph, set).len() <= 1
}

/// Components by merging the ends of edges until nothing changes.
#[must_use]
pub fn components(graph: &MarginGraph, set: VarSet) -> Vec<VarSet> {
    let mut parts: Vec<VarSet> = set.iter().map(VarSet::single).collect();
    for (left, right) in graph.edges().filter(|&(l, r)| set.contains(l) && set.contains(r)) {
        let merged: VarSet = parts
            .iter()
            .filter(|part| part.contains(left) || part.contains(right))
            .fold(VarSet::EMPTY, |all, part| all | *part);
        parts.retain(|part| !part.meets(&merged));
        parts.push(merged);
    }
    parts.sort_by_key(VarSet::lowest);
    parts
}

/// S is minimal for a pair of vertices when it parts them and no proper subset does; here
/// for any pair. (A superset of a parting set parts too, so it is enough to put back each
/// single vertex.)
#[must_use]
pub fn minimal_separators(graph: &MarginGraph) -> Vec<VarSet> {
    let vertices = graph.vertices();
    let parted = |set: VarSet, left: usize, right: usize| {
        components(graph, vertices - set)
            .iter()
            .all(|part| !(part.contains(left) && part.contains(right)))
    };
    let is_minimal = |set: VarSet| {
        (vertices - set).iter().any(|left| {
            (vertices - set).iter().any(|right| {
                left < right
                    && parted(set, left, right)
                    && set.iter().all(|back| !parted(set - VarSet::single(back), left, right))
            })
        })
    };
    let mut found: Vec<VarSet> = vertices.subsets().filter(|set| is_minimal(*set)).collect();
    found.sort();
    found
}

/// No cycle of four or more vertices without a chord: no subset induces a cycle.
#[must_use]
pub fn is_chordal(graph: &MarginGraph) -> bool {
    graph.vertices().subsets().filter(|set| set.len() >= 4).all(|set| {
        let two_each = set
            .iter()
            .all(|vertex| set.iter().filter(|&other| adjacent(graph, vertex, other)).count() == 2);
        !(two_each && is_connected(graph, set))
    })
}

/// Complete sets that no vertex can be added to.
#[must_use]
pub fn maximal_cliques(graph: &MarginGraph) -> Vec<VarSet> {
    let complete = |set: VarSet| {
        set.iter().all(|left| set.iter().all(|right| left == right || adjacent(graph, left, right)))
    };
    let vertices = graph.vertices();
    let mut found: Vec<VarSet> = vertices
        .subsets()
        .filter(|set| !set.is_empty() && complete(*set))
        .filter(|set| (vertices - *set).iter().all(|more| !complete(*set | VarSet::single(more))))
        .collect();
    found.sort_by_key(|clique| clique.iter().collect::<Vec<_>>());
    found
}

/// Every graph on this many labelled vertices.
pub fn all_graphs(vertices: usize) -> impl Iterator<Item = MarginGraph> {
    let pairs: Vec<(usize, usize)> = (0..vertices)
        .flat_map(|left| (left + 1..vertices).map(move |right| (left, right)))
        .collect();
    VarSet::first(pairs.len()).subsets().map(move |chosen| {
        let edges: Vec<(usize, usize)> = chosen.iter().map(|pair| pairs[pair]).collect();
        MarginGraph::from_edges(vertices, &edges)
    })
}

/// Every non-empty antichain of non-empty sets of this many variables.
#[must_use]
pub fn all_antichains(variables: usize) -> Vec<Vec<VarSet>> {
    let sets: Vec<VarSet> =
        VarSet::first(variables).subsets().filter(|set| !set.is_empty()).collect();
    let mut found: Vec<Vec<VarSet>> = vec![Vec::new()];
    for set in sets {
        let with: Vec<Vec<VarSet>> = found
            .iter()
            .filter(|chain| {
                chain.iter().all(|other| !other.is_subset(&set) && !set.is_subset(other))
            })
            .map(|chain| chain.iter().copied().chain([set]).collect())
            .collect();
        found.extend(with);
    }
    found.retain(|chain| !chain.is_empty());
    found
}

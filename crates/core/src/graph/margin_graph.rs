//! The margin graph G^𝒟, on bit masks.
//!
//! Vertices are variables; neighbours are sets, so a component is found with a few ORs per
//! vertex. The graph is always undirected and has no loops.

use crate::varset::VarSet;

/// Which variables some kept table holds together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarginGraph {
    vertices: VarSet,
    neighbours: Vec<VarSet>,
}

impl MarginGraph {
    /// These vertices and no edge.
    #[must_use]
    pub fn edgeless(vertices: VarSet) -> Self {
        let length = vertices.iter().last().map_or(0, |last| last + 1);
        Self { vertices, neighbours: vec![VarSet::EMPTY; length] }
    }

    /// The vertices 0 … `count` − 1 with these edges.
    #[must_use]
    pub fn from_edges(count: usize, edges: &[(usize, usize)]) -> Self {
        let mut graph = Self::edgeless(VarSet::first(count));
        for &(left, right) in edges {
            graph.join_all(VarSet::from([left, right]));
        }
        graph
    }

    /// Joins every two members of a set.
    pub fn join_all(&mut self, set: VarSet) {
        for vertex in set {
            self.neighbours[vertex] |= set - VarSet::single(vertex);
        }
    }

    /// Takes the edge between two vertices away, if it is there.
    pub fn part(&mut self, left: usize, right: usize) {
        self.neighbours[left].remove(right);
        self.neighbours[right].remove(left);
    }

    /// All vertices.
    #[must_use]
    pub fn vertices(&self) -> VarSet {
        self.vertices
    }

    /// adj(α): the vertices joined to one.
    #[must_use]
    pub fn neighbours(&self, vertex: usize) -> VarSet {
        self.neighbours[vertex]
    }

    /// adj(A): the vertices outside a set that are joined to one inside.
    #[must_use]
    pub fn neighbourhood(&self, set: VarSet) -> VarSet {
        set.iter().fold(VarSet::EMPTY, |all, vertex| all | self.neighbours[vertex]) - set
    }

    /// The edges, each once, lower vertex first.
    pub fn edges(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.vertices.iter().flat_map(move |left| {
            self.neighbours[left]
                .iter()
                .filter(move |&right| left < right)
                .map(move |right| (left, right))
        })
    }

    /// The connected components of the graph induced on a set, by their lowest vertex.
    ///
    /// Law: `components-by-definition`.
    #[must_use]
    pub fn components(&self, within: VarSet) -> Vec<VarSet> {
        let mut components = Vec::new();
        let mut left = within;
        while let Some(start) = left.lowest() {
            let component = self.component_of(start, left);
            left = left - component;
            components.push(component);
        }
        components
    }

    /// Is the graph induced on a set disconnected: has it two components or more?
    #[must_use]
    pub fn is_disconnected(&self, within: VarSet) -> bool {
        within.lowest().is_some_and(|start| self.component_of(start, within) != within)
    }

    /// The component of `start` in the graph induced on a set that holds it.
    #[must_use]
    pub fn component_of(&self, start: usize, within: VarSet) -> VarSet {
        let mut component = VarSet::single(start);
        let mut fresh = component;
        while !fresh.is_empty() {
            let reached =
                fresh.iter().fold(VarSet::EMPTY, |all, vertex| all | self.neighbours[vertex]);
            fresh = (reached & within) - component;
            component |= fresh;
            if component == within {
                break;
            }
        }
        component
    }

    /// Is every vertex joined to every other one?
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.is_clique(self.vertices)
    }

    /// Is every member of a set joined to every other one?
    #[must_use]
    pub fn is_clique(&self, set: VarSet) -> bool {
        set.iter().all(|vertex| (set - VarSet::single(vertex)).is_subset(&self.neighbours[vertex]))
    }
}

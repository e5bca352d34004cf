//! All minimal vertex separators of the margin graph.
//!
//! `S` is a *minimal separator* when removing it leaves at least two components that each
//! touch all of `S`. It need not be inclusion-minimal: with the cliques 01, 123, 124 the
//! answer holds `{1}` and also `{1, 2}`, which parts 3 from 4. The empty set is one exactly
//! when the graph is disconnected, and is reported.
//!
//! Trap: the generation step first matters on the 6-cycle, whose separator {0, 3} is close
//! to no single vertex.
//!
//! Way in: [`minimal_separators`]. Slow twin: [`crate::oracle::minimal_separators`].
//! Reference: Berry, Bordat & Cogis (2000).

use super::MarginGraph;
use crate::hash::{STATE, Set};
use crate::varset::VarSet;

/// A minimal separator, and what the graph falls into without it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Separator {
    /// S; may be empty.
    pub variables: VarSet,
    /// All components of G without S, also those that do not touch all of S.
    pub components: Vec<VarSet>,
}

/// The minimal separators of a graph, smallest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Separators {
    list: Vec<Separator>,
    complete: bool,
}

impl Separators {
    /// Those that were found, smallest first.
    #[must_use]
    pub fn list(&self) -> &[Separator] {
        &self.list
    }

    /// Those that part two of these variables. Where these are the separators without a table of the
    /// variables, nothing new is possible through the others: with the table their components are no
    /// coarser.
    ///
    /// Law: `a-table-less-parts-its-own-variables`.
    #[must_use]
    pub fn parting(&self, variables: VarSet) -> Self {
        let parts = |separator: &&Separator| {
            let mut met = separator.components.iter().filter(|side| side.meets(&variables));
            met.nth(1).is_some()
        };
        Self { list: self.list.iter().filter(parts).cloned().collect(), complete: self.complete }
    }

    /// Are these all? Otherwise the limit was reached, and only the pair test can say that
    /// a record has no partner.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.complete
    }
}

/// Every minimal separator of every connected component, and the empty one when the graph
/// is disconnected; stops when there are more than `limit`.
///
/// Laws: `minimal-separators-by-definition`; `separator-lemma` (Lemma 3): a set of vertices
/// induces a disconnected graph exactly when a separator avoids it and parts it.
#[must_use]
pub fn minimal_separators(graph: &MarginGraph, limit: usize) -> Separators {
    let mut found = Found { seen: Set::with_hasher(STATE), queue: Vec::new(), limit };
    let pieces = graph.components(graph.vertices());
    if pieces.len() > 1 {
        found.add(VarSet::EMPTY);
    }
    for &piece in &pieces {
        initialise(graph, piece, &mut found);
    }
    let mut next = 0;
    while next < found.queue.len() && !found.is_over() {
        generate(graph, found.queue[next], &mut found);
        next += 1;
    }
    let complete = !found.is_over();
    let mut sets = found.queue;
    sets.truncate(limit);
    sets.sort();
    let list = sets
        .into_iter()
        .map(|variables| Separator {
            variables,
            components: graph.components(graph.vertices() - variables),
        })
        .collect();
    Separators { list, complete }
}

/// The separators close to a vertex: the neighbourhoods of the components that are left
/// when the vertex and its neighbours are removed.
fn initialise(graph: &MarginGraph, piece: VarSet, found: &mut Found) {
    for vertex in piece {
        found.add_neighbourhoods(graph, piece - graph.neighbours(vertex) - VarSet::single(vertex));
        if found.is_over() {
            return;
        }
    }
}

/// The separators next to one that is known: remove it and the neighbours of one of its
/// vertices, and take the neighbourhoods of what is left.
fn generate(graph: &MarginGraph, separator: VarSet, found: &mut Found) {
    let Some(start) = separator.lowest() else { return };
    let piece = graph.component_of(start, graph.vertices());
    for vertex in separator {
        found.add_neighbourhoods(graph, piece - separator - graph.neighbours(vertex));
        if found.is_over() {
            return;
        }
    }
}

struct Found {
    seen: Set<VarSet>,
    queue: Vec<VarSet>,
    limit: usize,
}

impl Found {
    fn add(&mut self, separator: VarSet) {
        if self.seen.insert(separator) {
            self.queue.push(separator);
        }
    }

    fn add_neighbourhoods(&mut self, graph: &MarginGraph, remaining: VarSet) {
        for component in graph.components(remaining) {
            self.add(graph.neighbourhood(component));
        }
    }

    fn is_over(&self) -> bool {
        self.queue.len() > self.limit
    }
}

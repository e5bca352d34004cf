//! A chordal graph inside the kept tables, grown for some cells.
//!
//! For a chordal graph H whose cliques lie inside kept tables,
//! n(i) − L(i) = Σ_{j≠i} n(j)·(cc(diff(i,j)) − 1) in H, so H proves the cell full exactly when
//! every other cell differs from it in a set that is connected in H. Joining u and v keeps H
//! chordal when their common neighbours S part them, and connects the sets that hold both and
//! miss S: L never falls. Edges are joined greedily, most sets first; what stays apart weighs
//! more in the next round. Where all tables have two variables the first round is a maximum
//! spanning tree and exact; otherwise a proof may be missed, never a wrong one made.
//!
//! A variable in every table is joined to all others from the beginning: that costs no other
//! edge, and connects every set that holds it. What is left is a question about the cells that
//! agree on these variables.
//!
//! Way in: [`Growing::around`].

use crate::encode::{Bits, ones};
use crate::graph::MarginGraph;

/// How often the edges are joined again, where larger tables leave a choice.
const ROUNDS: usize = 16;

/// The kept tables, as sets of bits.
#[derive(Debug, Clone)]
pub(crate) struct Tables {
    margins: Vec<u64>,
    variables: usize,
    all: u64,
    everywhere: u64,
}

impl Tables {
    /// The tables over this number of variables.
    pub(crate) fn new(variables: usize, margins: Vec<u64>) -> Self {
        let all = (0..variables).fold(0, |all, bit| all | 1 << bit);
        let covered = margins.iter().fold(0, |all, margin| all | margin);
        let shared = margins.iter().fold(u64::MAX, |all, margin| all & margin);
        let everywhere = if covered == all { shared & covered } else { 0 };
        Self { margins, variables, all, everywhere }
    }

    /// The variables of every table.
    pub(crate) fn everywhere(&self) -> u64 {
        self.everywhere
    }

    fn hold(&self, set: u64) -> bool {
        self.margins.iter().any(|margin| set & !margin == 0)
    }

    fn rounds(&self) -> usize {
        let two_way = |margin: &u64| (margin & !self.everywhere).count_ones() <= 2;
        if self.margins.iter().all(two_way) { 1 } else { ROUNDS }
    }
}

/// A chordal graph that grows.
#[derive(Debug, Clone)]
pub(crate) struct Growing<'t> {
    tables: &'t Tables,
    neighbours: Vec<u64>,
    /// How many sets were looked at.
    work: u64,
}

impl<'t> Growing<'t> {
    fn new(tables: &'t Tables) -> Self {
        let all = tables.all;
        let neighbours = (0..tables.variables)
            .map(|bit| if tables.everywhere >> bit & 1 == 1 { all } else { tables.everywhere })
            .enumerate()
            .map(|(bit, set)| set & !(1 << bit))
            .collect();
        Self { tables, neighbours, work: 0 }
    }

    /// The graph that connects most of these sets, by weight.
    pub(crate) fn for_most(tables: &'t Tables, sets: &[(u64, u64)]) -> Self {
        let mut graph = Self::new(tables);
        graph.grow(sets);
        graph
    }

    /// A graph that connects all of these sets, if one is found, and the sets looked at.
    pub(crate) fn around(tables: &'t Tables, sets: &[(u64, u64)]) -> (Option<Self>, u64) {
        let mut sets: Vec<(u64, u64)> = sets
            .iter()
            .copied()
            .filter(|(set, _)| set.count_ones() > 1 && set & tables.everywhere == 0)
            .collect();
        // Two cells that differ in two variables need these joined.
        if sets.iter().any(|&(set, _)| set.count_ones() == 2 && !tables.hold(set)) {
            return (None, sets.len() as u64);
        }
        let heavy: u64 = sets.iter().map(|(_, weight)| weight).sum();
        let mut work = 0;
        for _ in 0..tables.rounds() {
            let mut graph = Self::new(tables);
            let open = graph.grow(&sets);
            work += graph.work;
            if open.is_empty() {
                return (Some(graph), work);
            }
            for (set, weight) in &mut sets {
                if open.binary_search(set).is_ok() {
                    *weight += heavy;
                }
            }
        }
        (None, work)
    }

    /// The neighbours of each variable.
    pub(crate) fn neighbours(&self) -> &[u64] {
        &self.neighbours
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
        if self.neighbours[left] >> right & 1 == 1 {
            return None;
        }
        let shared = self.neighbours[left] & self.neighbours[right];
        let apart = || self.component_of(left, self.tables.all & !shared) >> right & 1 == 0;
        (self.tables.hold(shared | 1 << left | 1 << right) && apart()).then_some(shared)
    }

    /// Joins vertices until every set is connected or nothing more can be joined; the sets
    /// that are left, in rising order where the given ones are.
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
                    self.work += open.len() as u64;
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

/// A graph on bits as one on the variables.
pub(crate) fn on_variables(bits: &Bits, neighbours: &[u64], mut graph: MarginGraph) -> MarginGraph {
    for (bit, neighbours) in neighbours.iter().enumerate() {
        for other in ones(*neighbours) {
            graph.join_all(bits.set(1 << bit | 1 << other));
        }
    }
    graph
}

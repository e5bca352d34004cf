//! Looks for a proof that one cell cannot be emptied.
//!
//! Way in: [`find`]; the proof itself is a [`Certificate`].

use super::space::Space;
use crate::graph::MarginGraph;
use crate::hash::{Map, STATE};
use crate::partner::disclosed::{Certificate, Growing, Tables, on_variables};
use crate::table::{CellId, JointTable};

/// A proof for a cell, if the greedy search finds one. `space` holds all of Δ.
pub(super) fn find(joint: &JointTable, space: &Space<'_>, cell: CellId) -> Option<Certificate> {
    let own = joint.cells().get(cell.position());
    let tables = Tables::new(space.bits.len(), space.margins.clone());
    let mut counts: Map<u64, u64> = Map::with_hasher(STATE);
    for (other, &count) in joint.cells().iter().zip(joint.counts()) {
        *counts.entry(space.bits.differing(own, other)).or_default() += u64::from(count);
    }
    let mut sets: Vec<(u64, u64)> = counts.into_iter().collect();
    sets.sort_unstable();
    let graph = Growing::around(&tables, &sets).0?;
    let empty = MarginGraph::edgeless(space.bits.set(space.bits.all()));
    let graph = on_variables(&space.bits, graph.neighbours(), empty);
    Certificate::new(joint, &space.class, &graph, cell)
}

//! Looks for a proof that one cell cannot be emptied.
//!
//! Way in: [`find`]; the proof itself is a [`Certificate`].

use super::space::Space;
use crate::graph::MarginGraph;
use crate::hash::{Map, STATE};
use crate::partner::disclosed::{Certificate, Growing, Tables, on_variables};
use crate::table::{CellId, JointTable};

/// A proof for a cell, if the greedy search finds one. `space` holds all of Δ.
///
/// Where all tables have two variables, most cells of a large file are settled by those that
/// differ from them in two: these need a ring of joins, and a forest has none.
pub(super) fn find(joint: &JointTable, space: &Space<'_>, cell: CellId) -> Option<Certificate> {
    let own = joint.cells().get(cell.position());
    let two_way = space.margins.iter().all(|margin| margin.count_ones() <= 2);
    if two_way
        && let Some(near) = space.blocks.near(&space.cells, &space.bits, cell.position(), 2)
        && has_ring(near.into_iter().map(|(set, _)| set).collect())
    {
        return None;
    }
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

/// Do sets of two variables, each a join, make a ring?
fn has_ring(mut joins: Vec<u64>) -> bool {
    joins.sort_unstable();
    joins.dedup();
    let mut parts: Vec<u64> = Vec::new();
    joins.into_iter().any(|join| {
        if parts.iter().any(|part| part & join == join) {
            return true;
        }
        let touched =
            parts.iter().filter(|part| *part & join != 0).fold(join, |all, part| all | part);
        parts.retain(|part| part & join == 0);
        parts.push(touched);
        false
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every set of joins of four variables: where there is a ring no forest connects them.
    #[test]
    fn a_ring_needs_more_than_a_forest() {
        let pairs: Vec<u64> = (0..16u64).filter(|set| set.count_ones() == 2).collect();
        let tables = Tables::new(4, pairs.clone());
        let (mut rings, mut forests) = (0, 0);
        for chosen in 0..1u64 << pairs.len() {
            let joins: Vec<u64> = crate::encode::ones(chosen).map(|pair| pairs[pair]).collect();
            let sets: Vec<(u64, u64)> = joins.iter().map(|&join| (join, 1)).collect();
            let has_forest = Growing::around(&tables, &sets).0.is_some();
            assert_eq!(has_ring(joins), !has_forest, "{chosen:b}");
            rings += usize::from(!has_forest);
            forests += usize::from(has_forest);
        }
        assert_eq!((rings, forests), (64 - 38, 38));
    }
}

//! The best pairing there is, for few records at risk.
//!
//! Every record at risk and every partner it may need is a vertex, every allowed swap an
//! edge, and the heaviest matching is the best plan: covering one record more outweighs all
//! costs together, and one unit of cost outweighs all records that become unique.
//!
//! With R records at risk each needs, beside all others at risk, only its R cheapest other
//! partners: the others can take at most R − 1 of them, so one is left that costs no more
//! than any further one. That keeps the graph small without losing the optimum.

use std::fmt;

use super::{Planner, matching::maximum_weight_matching, number};
use crate::hash::{Map, STATE};
use crate::varset::VarSet;

/// The graph has more vertices than the exact method takes.
pub const MOST_VERTICES: usize = 1000;

/// One unit of cost, counted in records that become unique: more than all swaps together
/// can make, which is four for every two vertices.
const ONE_COST: u64 = 4 * MOST_VERTICES as u64;

/// The exact pairing does not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLarge {
    /// How many records at risk there are.
    pub at_risk: usize,
    /// How many records would take part.
    pub vertices: usize,
}

impl fmt::Display for TooLarge {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{} records at risk and their partners make {} vertices, at most {MOST_VERTICES} fit",
            self.at_risk, self.vertices
        )
    }
}

impl std::error::Error for TooLarge {}

/// A vertex: one free record of a cell, at risk or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Vertex {
    cell: u32,
    copy: usize,
    at_risk: bool,
}

impl Planner<'_> {
    /// Makes the best swaps for all open records whose partners agree with them on `agree`.
    pub(super) fn match_optimally(&mut self, agree: VarSet) -> Result<(), TooLarge> {
        self.close_cells();
        if self.is_full() {
            return Ok(());
        }
        let at_risk: Vec<(usize, usize)> =
            self.open.iter().map(|&cell| (cell as usize, self.pool.open(cell as usize))).collect();
        let total: usize = at_risk.iter().map(|(_, count)| count).sum();
        if total > MOST_VERTICES {
            return Err(TooLarge { at_risk: total, vertices: total });
        }
        let mut vertices: Vec<Vertex> = Vec::new();
        let mut place: Map<Vertex, usize> = Map::with_hasher(STATE);
        let mut vertex = |vertex: Vertex| {
            *place.entry(vertex).or_insert_with(|| {
                vertices.push(vertex);
                vertices.len() - 1
            })
        };
        let mut edges: Map<(usize, usize), (u64, VarSet)> = Map::with_hasher(STATE);
        for &(cell, count) in &at_risk {
            // (price, chance, cell, exchange)
            let mut partners: Vec<(u64, u64, usize, VarSet)> = Vec::new();
            for other in 0..self.task.joint.len() {
                if other == cell || !self.pool.is_free(other) {
                    continue;
                }
                let differing = self.task.joint.cells().differing(cell, other);
                if differing.meets(&agree) {
                    continue;
                }
                if let Some(judged) = self.judge_below(cell, other, differing, u64::MAX) {
                    let price = judged.cost * ONE_COST + u64::from(judged.new_uniques);
                    partners.push((price, self.random.bits(), other, judged.exchanged));
                }
            }
            partners.sort_unstable();
            let mut others = 0;
            for (cost, _, other, exchanged) in partners {
                let open = self.pool.open(other);
                let plain = (self.pool.free(other) - open).min(total.saturating_sub(others));
                others += plain;
                let copies =
                    (0..open).map(|copy| (copy, true)).chain((0..plain).map(|copy| (copy, false)));
                for (copy, at_risk) in copies {
                    let right = vertex(Vertex { cell: number(other), copy, at_risk });
                    for own in 0..count {
                        let left = vertex(Vertex { cell: number(cell), copy: own, at_risk: true });
                        edges.insert((left.min(right), left.max(right)), (cost, exchanged));
                    }
                }
            }
        }
        if vertices.len() > MOST_VERTICES {
            return Err(TooLarge { at_risk: total, vertices: vertices.len() });
        }
        let dearest = edges.values().map(|(cost, _)| *cost).max().unwrap_or(0);
        let cover = (dearest + 1) * (vertices.len() as u64 + 1);
        let mut weighted: Vec<(usize, usize, i64)> = edges
            .iter()
            .map(|(&(left, right), &(cost, _))| {
                let covers = u64::from(vertices[left].at_risk) + u64::from(vertices[right].at_risk);
                let weight = i64::try_from(covers * cover - cost).unwrap_or(i64::MAX >> 8);
                (left, right, weight)
            })
            .collect();
        weighted.sort_unstable();
        let mates = maximum_weight_matching(vertices.len(), &weighted);
        for (left, mate) in mates.into_iter().enumerate() {
            let Some(right) = mate.filter(|&right| left < right) else { continue };
            if self.is_full() {
                break;
            }
            let (_, exchanged) = edges[&(left, right)];
            self.make_as(vertices[left], vertices[right], exchanged);
        }
        self.close_cells();
        Ok(())
    }

    fn make_as(&mut self, left: Vertex, right: Vertex, exchanged: VarSet) {
        let mut take = |vertex: Vertex| {
            if vertex.at_risk {
                self.pool.take(vertex.cell as usize, &mut self.random)
            } else {
                self.pool.take_other(vertex.cell as usize, &mut self.random)
            }
        };
        let (left, right) = (take(left), take(right));
        self.note(left, right, exchanged);
    }
}

//! The best pairing there is, for few records at risk.
//!
//! Every record at risk and every partner it may need is a vertex, every allowed swap an
//! edge, and the heaviest matching is the best plan: covering one record more outweighs all
//! costs together, and one unit of cost outweighs all harm to others.
//!
//! With R records at risk each needs, besides all others at risk, only its R cheapest other
//! partners: the others can take at most R − 1 of them, so one is left that costs no more
//! than any further one. That keeps the graph small without losing the optimum.

use std::fmt;

use super::effort::{PAIRING, Search};
use super::judge::MOST_HARM;
use super::{CellSwap, Planner, Taken, matching::maximum_weight_matching, number};
use crate::hash::{Map, STATE};
use crate::random::Seed;
use crate::table::CellId;
use crate::varset::VarSet;

/// The graph has more vertices than the exact method takes.
pub const MOST_VERTICES: usize = 1000;

/// One unit of cost, counted in harm to others: more than all swaps together can do.
const ONE_COST: u64 = MOST_HARM * MOST_VERTICES as u64;

/// Why there is no exact pairing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoBestPairing {
    /// Too many records take part.
    TooLarge {
        /// How many records at risk there are.
        at_risk: usize,
        /// How many records would take part.
        vertices: usize,
    },
    /// It changes more records than may be changed; the best pairing with a cap is another
    /// problem.
    Capped {
        /// How many records it changes.
        changed: u64,
        /// How many may be changed.
        most: u64,
    },
    /// The costs are too large to be added up.
    TooDear,
}

impl fmt::Display for NoBestPairing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge { at_risk, vertices } => write!(
                formatter,
                "{at_risk} records at risk and their partners make {vertices} vertices, at most \
                 {MOST_VERTICES} fit"
            ),
            Self::Capped { changed, most } => write!(
                formatter,
                "the best pairing changes {changed} records and the budget allows {most}; with a \
                 budget that binds there is no exact pairing"
            ),
            Self::TooDear => formatter.write_str("the weights are too large for an exact sum"),
        }
    }
}

impl std::error::Error for NoBestPairing {}

/// A vertex: one free record of a cell, at risk or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Vertex {
    cell: u32,
    copy: usize,
    at_risk: bool,
}

impl Planner<'_> {
    /// This plan, or the best pairing where that can be had quickly and covers more.
    pub(super) fn or_optimal(mut self, seed: Seed) -> Self {
        let cells = self.task.at_risk.iter().filter(|&&at_risk| at_risk > 0).count();
        let pairs = cells.saturating_mul(self.task.joint.len());
        if pairs > self.effort.pairs_tried_unasked() {
            return self;
        }
        self.effort.spend(Search::Optimal, (pairs * PAIRING) as u64);
        let mut best = Planner::new(self.task, self.offers.graph(), seed);
        for &agree in &self.task.constraints.matches {
            if best.match_optimally(agree).is_err() {
                return self;
            }
        }
        let left = |planner: &Self| -> usize {
            planner.open.iter().map(|&cell| planner.pool.open(cell as usize) as usize).sum()
        };
        if left(&best) < left(&self) {
            best.effort = self.effort;
            best
        } else {
            self
        }
    }

    /// Makes the best swaps for all open records whose partners agree with them on `agree`.
    pub(super) fn match_optimally(&mut self, agree: VarSet) -> Result<(), NoBestPairing> {
        self.close_cells();
        if self.is_full() {
            return Ok(());
        }
        let at_risk: Vec<(usize, usize)> = self
            .open
            .iter()
            .map(|&cell| (cell as usize, self.pool.open(cell as usize) as usize))
            .collect();
        let total: usize = at_risk.iter().map(|(_, count)| count).sum();
        if total > MOST_VERTICES {
            return Err(NoBestPairing::TooLarge { at_risk: total, vertices: total });
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
                let differing = self.differing(cell, other);
                if differing.meets(&agree) {
                    continue;
                }
                if let Some(judged) = self.judge_below(cell, other, differing, u64::MAX) {
                    let price = judged.cost.checked_mul(ONE_COST).ok_or(NoBestPairing::TooDear)?
                        + judged.harm();
                    partners.push((price, self.random.bits(), other, judged.exchanged));
                }
            }
            partners.sort_unstable();
            let mut others = 0;
            for (cost, _, other, exchanged) in partners {
                let open = self.pool.open(other) as usize;
                let plain = (self.pool.others(other) as usize).min(total.saturating_sub(others));
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
            return Err(NoBestPairing::TooLarge { at_risk: total, vertices: vertices.len() });
        }
        let dearest = edges.values().map(|(cost, _)| *cost).max().unwrap_or(0);
        // Covering one more outweighs all prices; duals and sums stay far below the limit.
        let cover = i64::try_from(dearest)
            .ok()
            .and_then(|dearest| (dearest + 1).checked_mul(vertices.len() as i64 + 1))
            .filter(|cover| *cover <= i64::MAX >> 4)
            .ok_or(NoBestPairing::TooDear)?;
        let mut weighted: Vec<(usize, usize, i64)> = edges
            .iter()
            .map(|(&(left, right), &(cost, _))| {
                let covers = i64::from(vertices[left].at_risk) + i64::from(vertices[right].at_risk);
                let cost = i64::try_from(cost).expect("the dearest fits");
                (left, right, covers * cover - cost)
            })
            .collect();
        weighted.sort_unstable();
        let mates = maximum_weight_matching(vertices.len(), &weighted);
        let pairs = mates.iter().flatten().count() as u64 / 2;
        if let Some(most) = self.task.constraints.most_changed {
            let changed = self.records_changed() + 2 * pairs;
            if changed > most {
                return Err(NoBestPairing::Capped { changed, most });
            }
        }
        for (left, mate) in mates.into_iter().enumerate() {
            let Some(right) = mate.filter(|&right| left < right) else { continue };
            let (_, exchanged) = edges[&(left, right)];
            self.make_as(vertices[left], vertices[right], exchanged);
        }
        self.close_cells();
        Ok(())
    }

    fn make_as(&mut self, left: Vertex, right: Vertex, exchanged: VarSet) {
        let mut take = |vertex: Vertex| {
            self.pool.take_as(Taken { cell: CellId(vertex.cell), at_risk: vertex.at_risk })
        };
        let (left, right) = (take(left), take(right));
        self.add_swap(CellSwap { left, right, exchanged });
    }
}

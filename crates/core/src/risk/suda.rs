//! Minimal sample uniques: the smallest sets of keys that already point to one record.
//!
//! A set of keys is a *minimal sample unique* of a record when the record is alone on it and on
//! no proper subset of it. Fewer keys are easier to know, so a record scores (k − m)! for each
//! of its minimal sets of size m among k keys (SUDA). DIS-SUDA scales the scores so that their
//! mean over the sample uniques is DIS, the estimated probability that a unique match is right:
//! πn₁/(πn₁ + 2(1 − π)n₂), with n₁ uniques and n₂ pairs; and so that none is above 1.
//!
//! The search goes through the sets of keys in lexicographic order and refines groups of cells
//! key by key. A record that is alone leaves the search there: no larger set is minimal for it.
//!
//! Trap: a set may be found before one of its subsets is, since {0, 1} comes before {1}. What is
//! not minimal is dropped at the end.
//!
//! Way in: [`minimal_uniques`]. Slow twin: [`crate::oracle::World::minimal_uniques`].
//! References: Elliot, Manning & Ford (2002); Manning, Haglin & Keane (2008); Skinner & Elliot
//! (2002) for DIS.

use rayon::prelude::*;

use super::KeyTable;
use super::individual::Population;
use crate::table::CellId;
use crate::varset::VarSet;

/// The minimal sample uniques of every record that has one.
#[derive(Debug, Clone, PartialEq)]
pub struct MinimalUniques {
    /// The combinations of keys that are sample uniques on some set, rising, with their sets.
    pub found: Vec<(CellId, Vec<VarSet>)>,
    keys: VarSet,
    /// The largest sets of keys that were looked at.
    largest: usize,
}

/// All minimal sample uniques of at most `largest` keys.
///
/// Law: `minimal-uniques-by-definition`.
#[must_use]
pub fn minimal_uniques(table: &KeyTable, largest: usize) -> MinimalUniques {
    let joint = table.joint();
    // The keys with the most levels first: they part most records early.
    let mut order: Vec<usize> = table.keys().iter().collect();
    order.sort_by_key(|&key| (std::cmp::Reverse(table.levels(key)), key));
    let codes: Vec<Vec<u32>> = order
        .iter()
        .map(|&key| {
            let layout = joint.cells().layout();
            joint.cells().iter().map(|cell| layout.code(cell, key)).collect()
        })
        .collect();
    let levels: Vec<usize> = order.iter().map(|&key| table.levels(key)).collect();
    let all: Vec<u32> = (0..joint.len()).map(|cell| CellId::at(cell).0).collect();
    let mut candidates: Vec<(u32, VarSet)> = Vec::new();
    let search = Search { counts: joint.counts(), codes: &codes, levels: &levels, order: &order };
    if largest > 0 && !all.is_empty() {
        // A task for each first key, so that no task waits for the longest one alone.
        let found: Vec<Vec<(u32, VarSet)>> = (0..order.len())
            .into_par_iter()
            .map(|first| {
                let mut found = Vec::new();
                let whole = vec![0, all.len()];
                search.refine(&all, &whole, VarSet::EMPTY, first, largest, &mut found);
                found
            })
            .collect();
        candidates = found.concat();
    }
    candidates.sort_unstable();
    let found = candidates
        .chunk_by(|left, right| left.0 == right.0)
        .map(|of_one| {
            // Smaller sets come first.
            let mut minimal: Vec<VarSet> = Vec::new();
            for &(_, set) in of_one {
                if minimal.iter().all(|smaller| !smaller.is_subset(&set)) {
                    minimal.push(set);
                }
            }
            (CellId(of_one[0].0), minimal)
        })
        .collect();
    MinimalUniques { found, keys: table.keys(), largest }
}

struct Search<'a> {
    counts: &'a [u32],
    codes: &'a [Vec<u32>],
    levels: &'a [usize],
    order: &'a [usize],
}

impl Search<'_> {
    /// Refines groups of cells by one key, notes who is alone then, and goes on with the keys
    /// after it.
    fn refine(
        &self,
        cells: &[u32],
        starts: &[usize],
        set: VarSet,
        key: usize,
        left: usize,
        found: &mut Vec<(u32, VarSet)>,
    ) {
        let set = set | VarSet::single(self.order[key]);
        let codes = &self.codes[key];
        let mut refined: Vec<u32> = Vec::with_capacity(cells.len());
        let mut ends: Vec<usize> = vec![0];
        let mut sizes = vec![0usize; self.levels[key]];
        let mut sorted: Vec<u32> = Vec::new();
        for group in starts.windows(2) {
            let group = &cells[group[0]..group[1]];
            sorted.clear();
            if group.len() < 64 {
                sorted.extend_from_slice(group);
                sorted.sort_unstable_by_key(|&cell| (codes[cell as usize], cell));
            } else {
                // Counting sort.
                sizes.fill(0);
                for &cell in group {
                    sizes[codes[cell as usize] as usize] += 1;
                }
                let mut end = 0;
                for size in &mut sizes {
                    end += std::mem::replace(size, end);
                }
                sorted.resize(group.len(), 0);
                for &cell in group {
                    let place = &mut sizes[codes[cell as usize] as usize];
                    sorted[*place] = cell;
                    *place += 1;
                }
            }
            for part in sorted.chunk_by(|one, next| codes[*one as usize] == codes[*next as usize]) {
                match part {
                    [alone] if self.counts[*alone as usize] == 1 => found.push((*alone, set)),
                    // Several records of one combination are never told apart.
                    [_] => {}
                    _ => {
                        refined.extend_from_slice(part);
                        ends.push(refined.len());
                    }
                }
            }
        }
        if left > 1 && !refined.is_empty() {
            for next in key + 1..self.order.len() {
                self.refine(&refined, &ends, set, next, left - 1, found);
            }
        }
    }
}

impl MinimalUniques {
    /// Each record's score: Σ (k − m)! over its minimal sets of m keys. In the order of
    /// [`Self::found`].
    #[must_use]
    pub fn scores(&self) -> Vec<f64> {
        let keys = self.keys.len();
        let score = |set: &VarSet| factorial(keys - set.len());
        self.found.iter().map(|(_, sets)| sets.iter().map(score).sum()).collect()
    }

    /// Each record's score scaled so that their mean is `dis`, with none above 1: what one
    /// record cannot take the others share. `None` when not all sets were looked at: the
    /// scores of the records that were found are not those of all sample uniques then.
    ///
    /// Law: `scaled-scores-have-the-mean`.
    #[must_use]
    pub fn scaled(&self, dis: f64) -> Option<Vec<f64>> {
        if self.largest < self.keys.len() {
            return None;
        }
        let scores = self.scores();
        let mut order: Vec<usize> = (0..scores.len()).collect();
        order.sort_by(|&left, &right| scores[right].total_cmp(&scores[left]));
        let mut left = dis * scores.len() as f64;
        let mut sum: f64 = scores.iter().sum();
        let mut scaled = vec![0.0; scores.len()];
        for record in order {
            let share = if sum > 0.0 { (scores[record] * left / sum).clamp(0.0, 1.0) } else { 0.0 };
            scaled[record] = share;
            left -= share;
            sum -= scores[record];
        }
        Some(scaled)
    }

    /// For each size from 1 on, how many minimal sets of it there are.
    #[must_use]
    pub fn by_size(&self) -> Vec<u64> {
        let mut sizes = vec![0; self.keys.len()];
        for set in self.found.iter().flat_map(|(_, sets)| sets) {
            sizes[set.len() - 1] += 1;
        }
        while sizes.last() == Some(&0) {
            sizes.pop();
        }
        sizes
    }

    /// For each key the share of all scores that comes from sets that hold it.
    #[must_use]
    pub fn contributions(&self) -> Vec<(usize, f64)> {
        let keys = self.keys.len();
        let mut shares = vec![0.0; self.keys.iter().last().map_or(0, |last| last + 1)];
        let mut all = 0.0;
        for set in self.found.iter().flat_map(|(_, sets)| sets) {
            let score = factorial(keys - set.len());
            all += score;
            for key in *set {
                shares[key] += score;
            }
        }
        let share = |key: usize| if all > 0.0 { shares[key] / all } else { 0.0 };
        self.keys.iter().map(|key| (key, share(key))).collect()
    }
}

fn factorial(number: usize) -> f64 {
    (1..=number).map(|factor| factor as f64).product()
}

/// DIS: the probability that an intruder's unique match is right; `None` without uniques.
#[must_use]
pub fn dis(table: &KeyTable, population: Population) -> Option<f64> {
    let often = |count: u64| {
        let sizes = table.cells_by_count();
        sizes.iter().find(|(size, _)| *size == count).map_or(0.0, |&(_, often)| often as f64)
    };
    let fraction = population.fraction();
    let uniques = fraction * often(1);
    (uniques > 0.0).then(|| uniques / (uniques + 2.0 * (1.0 - fraction) * often(2)))
}

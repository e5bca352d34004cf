//! Slow twins for risk: models fitted on the whole cross table, every set of keys tried.

use std::collections::BTreeSet;

use super::{World, all_graphs, is_chordal, maximal_cliques};
use crate::graph::MarginGraph;
use crate::varset::VarSet;

impl World {
    /// The fitted counts of the model with these generators, for every cell in the order of
    /// [`World::all_cells`]: proportional fitting on the whole cross table, round after round.
    #[must_use]
    pub fn iterated(&self, generators: &[VarSet], rounds: usize) -> Vec<f64> {
        let cells = self.all_cells();
        let everything = VarSet::first(self.levels.len());
        let covered = generators.iter().fold(VarSet::EMPTY, |all, set| all | *set);
        let alone = (everything - covered).iter().map(VarSet::single);
        let generators: Vec<VarSet> = generators.iter().copied().chain(alone).collect();
        // For each generator: every cell's place among its marginal cells, and what is there.
        let tables: Vec<(Vec<usize>, Vec<f64>)> = generators
            .iter()
            .map(|&generator| {
                let size: usize = generator.iter().map(|variable| self.levels[variable]).product();
                let place = |codes: &Vec<u32>| {
                    generator.iter().fold(0, |place, variable| {
                        place * self.levels[variable] + codes[variable] as usize
                    })
                };
                let mut counts = vec![0.0; size];
                for record in &self.records {
                    counts[place(record)] += 1.0;
                }
                (cells.iter().map(place).collect(), counts)
            })
            .collect();
        let mut fitted = vec![1.0; cells.len()];
        for _ in 0..rounds {
            for (places, counts) in &tables {
                let mut sums = vec![0.0; counts.len()];
                for (&place, value) in places.iter().zip(&fitted) {
                    sums[place] += value;
                }
                for (&place, value) in places.iter().zip(&mut fitted) {
                    *value *= if sums[place] > 0.0 { counts[place] / sums[place] } else { 0.0 };
                }
            }
        }
        fitted
    }

    /// −2 ln L + parameters·price of a decomposable graph's model, from the whole cross table.
    #[must_use]
    pub fn model_score(&self, graph: &MarginGraph, price: f64) -> f64 {
        let cliques = maximal_cliques(graph);
        // For a decomposable model a few rounds are exact, in whatever order.
        let fitted = self.iterated(&cliques, 2 * cliques.len());
        let n = self.records.len() as f64;
        let counts = self.margin_table(VarSet::first(self.levels.len()));
        let log_likelihood: f64 = self
            .all_cells()
            .iter()
            .zip(fitted)
            .filter_map(|(cell, fitted)| {
                counts.get(cell).map(|&count| count as f64 * (fitted / n).ln())
            })
            .sum();
        let interactions: BTreeSet<VarSet> =
            cliques.iter().flat_map(VarSet::subsets).filter(|set| !set.is_empty()).collect();
        let free = |set: &VarSet| -> f64 {
            set.iter().map(|variable| self.levels[variable] as f64 - 1.0).product()
        };
        interactions.iter().map(free).sum::<f64>() * price - 2.0 * log_likelihood
    }

    /// The best score of all decomposable models, and of all forests; tries every graph.
    #[must_use]
    pub fn best_decomposable(&self, price: f64) -> (f64, f64) {
        let (mut best, mut forest) = (f64::INFINITY, f64::INFINITY);
        for graph in all_graphs(self.levels.len()).filter(is_chordal) {
            let score = self.model_score(&graph, price);
            best = best.min(score);
            // A chordal graph without a triangle has no cycle.
            if maximal_cliques(&graph).iter().all(|clique| clique.len() <= 2) {
                forest = forest.min(score);
            }
        }
        (best, forest)
    }

    /// The smallest sets of variables on which a record is alone; tries every set.
    #[must_use]
    pub fn minimal_uniques(&self, record: usize) -> Vec<VarSet> {
        let alone = |set: VarSet| {
            self.margin_table(set)[&on(&self.records[record], set)] == 1 && !set.is_empty()
        };
        let minimal = |set: &VarSet| {
            alone(*set) && set.subsets().all(|smaller| smaller == *set || !alone(smaller))
        };
        let mut found: Vec<VarSet> =
            VarSet::first(self.levels.len()).subsets().filter(minimal).collect();
        found.sort();
        found
    }
}

fn on(codes: &[u32], variables: VarSet) -> Vec<u32> {
    variables.iter().map(|variable| codes[variable]).collect()
}

//! A model of the keys, fitted to the file: p̂ for every combination that occurs.
//!
//! | letter | meaning |
//! |---|---|
//! | p̂(i) | the fitted probability of the combination i |
//! | μ̂ = n·p̂ | its fitted count in the file |
//! | B, S | a block of the model and what it shares with its parent |
//!
//! p̂(i) = Π_B m_B(i_B) / n_S(i_S), where m_B is the fitted table of a block: for a block with
//! one generator the counts themselves. For a decomposable model this is the closed form
//! Π n_C / (n·Π n_S). A combination that occurs has n_B ≥ 1 in every block with the closed form,
//! so its p̂ is positive.
//!
//! Trap: with many keys p̂ may be smaller than any floating-point number. Logarithms are held.
//!
//! Way in: [`FittedModel::fit`]. Slow twin: [`crate::oracle::World::iterated`].

use rayon::prelude::*;

use super::blocks::{Block, blocks};
use super::ipf::{self, Fitting, MOST_ENTRIES, representatives};
use super::{KeyTable, Summaries};
use crate::encode::PackedCells;
use crate::graph::GeneratingClass;
use crate::hash::{STATE, Set};
use crate::table::{CellId, MarginTable};
use crate::varset::VarSet;

/// A block of a model with its fitted counts.
#[derive(Debug, Clone)]
pub(super) struct FittedBlock {
    pub(super) block: Block,
    /// The cells that carry fitted counts, without the bits of other variables.
    pub(super) cells: PackedCells,
    /// m_B of each.
    pub(super) fitted: Vec<f64>,
    pub(super) fitting: Option<Fitting>,
}

/// A hierarchical model of the keys with its maximum likelihood estimate.
#[derive(Debug, Clone)]
pub struct FittedModel {
    class: GeneratingClass,
    records: u64,
    pub(super) blocks: Vec<FittedBlock>,
    log_probabilities: Vec<f64>,
    log_likelihood: f64,
    parameters: f64,
}

impl FittedModel {
    /// Fits the model that these generators make on the keys. A key in none of them is
    /// independent of all others.
    ///
    /// Laws: `closed-form-by-definition`, `fitted-margins-are-observed`.
    ///
    /// # Panics
    /// When the class is not one over the keys.
    #[must_use]
    pub fn fit(table: &KeyTable, class: &GeneratingClass) -> Self {
        Self::fit_within(table, class, MOST_ENTRIES)
    }

    /// As [`Self::fit`], with another limit for iterative fitting: cells times generators.
    #[must_use]
    pub fn fit_within(table: &KeyTable, class: &GeneratingClass, most_entries: usize) -> Self {
        assert_eq!(class.delta(), table.keys(), "a model is one of all keys");
        let joint = table.joint();
        let factors: Vec<(FittedBlock, Vec<u32>, Vec<f64>)> = blocks(class)
            .into_par_iter()
            .map(|block| {
                let margin = MarginTable::count(joint, block.variables);
                let observed =
                    representatives(joint.cells(), margin.marginal_cells(), block.variables);
                let (cells, fitted, fitting) = match block.generators[..] {
                    [_] => (observed, margin.counts().iter().map(|&n| n as f64).collect(), None),
                    _ => {
                        let (cells, fitted, fitting) =
                            ipf::fit(&observed, margin.counts(), &block.generators, most_entries);
                        (cells, fitted, Some(fitting))
                    }
                };
                // ln of what the block's cell gives to p̂, for each cell that holds records.
                let shared = MarginTable::count(joint, block.separator);
                let mut separators = vec![0u32; margin.len()];
                for (&own, &separator) in
                    margin.marginal_cells().iter().zip(shared.marginal_cells())
                {
                    separators[own as usize] = separator;
                }
                let whole = |separator: u32| shared.counts()[separator as usize] as f64;
                let shares: Vec<f64> = fitted
                    .iter()
                    .zip(separators)
                    .map(|(fitted, separator)| (fitted / whole(separator)).ln())
                    .collect();
                let fitted = FittedBlock { block, cells, fitted, fitting };
                (fitted, margin.marginal_cells().to_vec(), shares)
            })
            .collect();
        let log_probabilities: Vec<f64> = (0..joint.len())
            .into_par_iter()
            .with_min_len(4096)
            .map(|cell| factors.iter().map(|(_, own, shares)| shares[own[cell] as usize]).sum())
            .collect();
        let log_likelihood =
            joint.counts().iter().zip(&log_probabilities).map(|(&n, p)| f64::from(n) * p).sum();
        let blocks: Vec<FittedBlock> = factors.into_iter().map(|(block, ..)| block).collect();
        Self {
            parameters: parameters(table, class, &blocks),
            class: class.clone(),
            records: table.records(),
            blocks,
            log_probabilities,
            log_likelihood,
        }
    }

    /// The model's generators.
    #[must_use]
    pub fn class(&self) -> &GeneratingClass {
        &self.class
    }

    /// Its factors: for a decomposable model its cliques.
    pub fn factors(&self) -> impl Iterator<Item = &Block> {
        self.blocks.iter().map(|block| &block.block)
    }

    /// What the factors share, the empty set where two pieces meet; one fewer than factors.
    #[must_use]
    pub fn separators(&self) -> Vec<VarSet> {
        self.factors().skip(1).map(|block| block.separator).collect()
    }

    /// How the fits of the blocks without a closed form went; the worst numbers of all.
    #[must_use]
    pub fn fitting(&self) -> Option<Fitting> {
        self.blocks.iter().filter_map(|block| block.fitting).reduce(|left, right| Fitting {
            iterations: left.iterations.max(right.iterations),
            deviation: left.deviation.max(right.deviation),
            converged: left.converged && right.converged,
            cells: left.cells + right.cells,
            on_observed_cells: left.on_observed_cells || right.on_observed_cells,
        })
    }

    /// n.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.records
    }

    /// ln p̂ of a combination of keys that occurs.
    #[must_use]
    pub fn log_probability(&self, cell: CellId) -> f64 {
        self.log_probabilities[cell.position()]
    }

    /// −2 ln L.
    #[must_use]
    pub fn deviance_of_probabilities(&self) -> f64 {
        -2.0 * self.log_likelihood
    }

    /// How many parameters it has: the dimension of the model over all combinations of levels.
    #[must_use]
    pub fn parameters(&self) -> f64 {
        self.parameters
    }

    /// G² against the saturated model, and the degrees of freedom left.
    #[must_use]
    pub fn deviance(&self, summaries: &mut Summaries<'_>) -> (f64, f64) {
        let table = summaries.table();
        let (whole, all) =
            (summaries.of(VarSet::EMPTY).n_log_n, summaries.of(table.keys()).n_log_n);
        let g2 = 2.0 * (all - whole - self.log_likelihood);
        (g2.max(0.0), table.combinations(table.keys()) - 1.0 - self.parameters)
    }
}

/// The dimension of a model: for closed forms from the blocks, otherwise the interactions
/// inside some generator.
fn parameters(table: &KeyTable, class: &GeneratingClass, blocks: &[FittedBlock]) -> f64 {
    if blocks.iter().all(|block| block.fitting.is_none()) {
        let blocks = blocks.iter().map(|block| &block.block);
        return blocks
            .map(|block| table.combinations(block.variables) - table.combinations(block.separator))
            .sum();
    }
    let mut interactions: Set<VarSet> = Set::with_hasher(STATE);
    let single = class.uncovered().iter().map(VarSet::single);
    for generator in class.margins().iter().copied().chain(single) {
        interactions.extend(generator.subsets());
    }
    let mut interactions: Vec<VarSet> = interactions.into_iter().collect();
    interactions.sort_unstable();
    let free = |set: &VarSet| -> f64 {
        set.iter().map(|variable| table.levels(variable) as f64 - 1.0).product()
    };
    interactions.iter().filter(|set| !set.is_empty()).map(free).sum()
}

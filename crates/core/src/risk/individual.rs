//! The risk of one record: is the person alone in the population?
//!
//! | letter | meaning |
//! |---|---|
//! | n, N, π = n/N | records, population, sampling fraction |
//! | λ̂ = N·p̂ | the fitted count of the record's keys in the population |
//! | F | the true count there |
//! | x = (1 − π)λ̂ | how many people outside the file are expected to share the keys |
//!
//! F is taken as Poisson(λ̂) and the file as a simple random sample. Then, for a sample unique,
//! P(F = 1) = e^{−x} and E[1/F] = (1 − e^{−x})/x. Summed over the sample uniques these are τ₁,
//! the expected number of population uniques among them, and τ₂, the expected number of right
//! claims of an intruder who claims them all. (1 − p̂)^{N−n}, the binomial form, is e^{−x} up to
//! terms of p̂.
//!
//! Trap: for a file that is the whole population x is 0 and both are 1.

use rayon::prelude::*;

use super::{FittedModel, KeyTable};
use crate::table::CellId;

/// How large the population is that a file was drawn from: no smaller than the file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Population {
    records: f64,
    size: f64,
}

impl Population {
    /// The sizes of a file and of the population it was drawn from; `None` when the
    /// population is smaller than the file, or no number.
    #[must_use]
    pub fn new(records: u64, size: f64) -> Option<Self> {
        let records = records as f64;
        (size.is_finite() && size >= records && records > 0.0).then_some(Self { records, size })
    }

    /// N.
    #[must_use]
    pub fn size(&self) -> f64 {
        self.size
    }

    /// π.
    #[must_use]
    pub fn fraction(&self) -> f64 {
        self.records / self.size
    }

    /// λ̂ for a probability by its logarithm.
    #[must_use]
    pub fn expected(&self, log_probability: f64) -> f64 {
        (self.size.ln() + log_probability).exp()
    }
}

/// What a model says of one combination of keys.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CellRisk {
    /// p̂.
    pub probability: f64,
    /// λ̂.
    pub expected: f64,
    /// P(population unique | sample unique); 0 for a combination that occurs twice.
    pub unique: f64,
    /// E[1/F], for a sample unique; 0 for others.
    pub claim: f64,
}

/// The risks of all combinations of keys, and their totals.
#[derive(Debug, Clone, PartialEq)]
pub struct Risks {
    /// For each combination.
    pub cells: Vec<CellRisk>,
    /// τ₁: expected population uniques among the sample uniques.
    pub tau1: f64,
    /// τ₂: expected right claims among the sample uniques.
    pub tau2: f64,
}

/// The risk of every combination of keys that occurs.
///
/// Laws: `risk-by-definition`, `all-of-the-population-is-certain`, `tau-is-near-the-truth`,
/// `risk-is-blind-to-threads`.
#[must_use]
pub fn risks(table: &KeyTable, model: &FittedModel, population: Population) -> Risks {
    let cells: Vec<CellRisk> = (0..table.joint().len())
        .into_par_iter()
        .with_min_len(4096)
        .map(CellId::at)
        .map(|cell| {
            let log_probability = model.log_probability(cell);
            let expected = population.expected(log_probability);
            let is_unique = table.joint().is_sample_unique(cell);
            let others = (1.0 - population.fraction()) * expected;
            CellRisk {
                probability: log_probability.exp().max(f64::MIN_POSITIVE),
                expected,
                unique: if is_unique { (-others).exp() } else { 0.0 },
                claim: if is_unique { one_over(others) } else { 0.0 },
            }
        })
        .collect();
    let total = |of: fn(&CellRisk) -> f64| sum(cells.iter().map(of));
    let (tau1, tau2) = (total(|cell| cell.unique), total(|cell| cell.claim));
    Risks { cells, tau1, tau2 }
}

/// (1 − e^{−x})/x; 1 for x = 0.
fn one_over(x: f64) -> f64 {
    if x > 0.0 { -(-x).exp_m1() / x } else { 1.0 }
}

/// A sum of numbers between 0 and 1 that does not depend on their order: they are counted in
/// units of 2⁻⁶⁰.
fn sum(numbers: impl Iterator<Item = f64>) -> f64 {
    const UNIT: f64 = (1u64 << 60) as f64;
    #[expect(clippy::cast_possible_truncation, reason = "a number up to 1 has 61 bits here")]
    let units: i128 = numbers.map(|number| i128::from((number * UNIT) as i64)).sum();
    units as f64 / UNIT
}

/// The riskiest sample uniques: for each combination that is one its risk, the largest
/// first; equal ones in the order of the file.
#[must_use]
pub fn ranked(table: &KeyTable, risks: &Risks) -> Vec<(CellId, f64)> {
    let mut ranked: Vec<(CellId, f64)> = (0..table.joint().len())
        .map(CellId::at)
        .filter(|&cell| table.joint().is_sample_unique(cell))
        .map(|cell| (cell, risks.cells[cell.position()].unique))
        .collect();
    // By λ̂, because e^{−x} of many is 0 in a large population.
    let expected = |cell: CellId| risks.cells[cell.position()].expected;
    ranked.sort_by(|left, right| {
        expected(left.0).total_cmp(&expected(right.0)).then(left.0.cmp(&right.0))
    });
    ranked
}

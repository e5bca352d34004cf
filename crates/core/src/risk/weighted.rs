//! The individual risk of Benedetti & Franconi, from sampling weights.
//!
//! | letter | meaning |
//! |---|---|
//! | f | records with the same keys |
//! | w | their weights: how many people each represents |
//! | F | how many people have these keys |
//! | p̂ = f/Σw | what share of them is in the file |
//!
//! Given f, F is taken as negative binomial: the trials until the f-th success of probability
//! p̂. The risk is r = E[1/F | f] = p̂·∫₀¹ v^{f−1}/(p̂ + (1 − p̂)v) dv; for f = 1 it is
//! p̂/(1 − p̂)·ln(1/p̂). P(F = 1 | f = 1) is p̂ itself.
//!
//! Edge case: weights that add up to less than the records they belong to say that all of
//! these people are in the file: p̂ = 1 and r = 1/f.

use super::KeyTable;
use crate::encode::RecordId;

/// What the weights say of each combination of keys.
#[derive(Debug, Clone, PartialEq)]
pub struct WeightedRisks {
    /// r of each combination.
    pub cells: Vec<f64>,
    /// Σ f·r: the expected number of right claims of an intruder who claims every record.
    pub expected_reidentifications: f64,
    /// Σw: the population as the weights see it.
    pub population: f64,
}

/// The individual risk of every combination of keys; `weights` has one for each record.
///
/// Law: `individual-risk-by-definition`.
///
/// # Panics
/// When there are not as many weights as records.
#[must_use]
pub fn weighted_risks(table: &KeyTable, weights: &[f64]) -> WeightedRisks {
    assert_eq!(weights.len(), table.joint().records(), "every record has a weight");
    let mut sums = vec![0.0f64; table.joint().len()];
    for (record, &weight) in weights.iter().enumerate() {
        sums[table.cell_of(RecordId::at(record)).position()] += weight;
    }
    let counts = table.joint().counts();
    let cells: Vec<f64> =
        counts.iter().zip(&sums).map(|(&count, &sum)| individual_risk(count.into(), sum)).collect();
    let expected_reidentifications =
        counts.iter().zip(&cells).map(|(&count, risk)| f64::from(count) * risk).sum();
    WeightedRisks { cells, expected_reidentifications, population: weights.iter().sum() }
}

/// E[1/F] for f records whose weights add up to `sum`.
#[must_use]
pub fn individual_risk(f: u64, sum: f64) -> f64 {
    let count = f as f64;
    let p = (count / sum).min(1.0);
    let q = 1.0 - p;
    if p >= 0.5 || f > 500 {
        // p·Σ qᵐ·B(f, m + 1): each term at most q times the one before.
        let mut term = 1.0 / count;
        let mut series = 0.0;
        let mut m = 0.0;
        while term > series * 1e-17 {
            series += term;
            m += 1.0;
            term *= q * m / (count + m);
        }
        return p * series;
    }
    // J₁ = ln(1/p)/q, and q·J₍f+1₎ + p·J₍f₎ = 1/f; an error shrinks with p/q < 1.
    let mut integral = -p.ln() / q;
    for step in 1..f {
        integral = (1.0 / step as f64 - p * integral) / q;
    }
    p * integral
}

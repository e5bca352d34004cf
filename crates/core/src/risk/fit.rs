//! Does the model fit where it matters: the criterion of Skinner & Shlomo (2008).
//!
//! | letter | meaning |
//! |---|---|
//! | π = n/N | the sampling fraction |
//! | f | a cell's count in the file |
//! | λ̂ | its fitted count in the population; πλ̂ in the file |
//! | a | (1 − π)·λ̂·e^{−λ̂} |
//! | b | (1 − π)²·λ̂·e^{−λ̂}/(2π) |
//!
//! B = Σ a(f − πλ̂) + b((f − πλ̂)² − f) estimates the bias of τ̂₁ that a wrong model makes, and
//! V = Σ a²πλ̂ + 2b²(πλ̂)² its variance. B/√V is about standard normal for the right model; a
//! large positive value is a model too simple, a large negative one a model too rich.
//!
//! Trap: the sums run over all cells. An empty one adds −aπλ̂ + b(πλ̂)², and all of them together
//! are no small part. They are summed exactly by [`sum_over_all_cells`]; where even that is too
//! much there is no criterion.
//!
//! Trap: a file that is the whole population has π = 1, and a = b = V = 0: nothing is estimated,
//! so nothing can fit.

use rayon::prelude::*;

use super::all_cells::{Smooth, TERMS, exponential, sum_over_all_cells};
use super::{FittedModel, KeyTable, Population};
use crate::table::CellId;

/// B, V and what they say.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fit {
    /// B.
    pub bias: f64,
    /// V.
    pub variance: f64,
    /// How many parts of cells had to be opened.
    pub opened: u64,
}

/// What B/√V says of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Too simple: it makes rare people look rarer than they are.
    Underfit,
    /// Nothing speaks against it.
    Good,
    /// Too rich.
    Overfit,
}

/// The sum is given up when more parts than this were opened.
pub const MOST_OPENED: u64 = 200_000_000;

/// How many cells that hold records one thread sums at a time.
const PIECE: usize = 4096;

/// The bounds of a standard normal variable, 19 times out of 20.
const BOUND: f64 = 1.96;

impl Fit {
    /// B/√V.
    #[must_use]
    pub fn value(&self) -> f64 {
        self.bias / self.variance.sqrt()
    }

    /// What that says.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        match self.value() {
            value if value > BOUND => Verdict::Underfit,
            value if value < -BOUND => Verdict::Overfit,
            _ => Verdict::Good,
        }
    }
}

/// The criterion for τ₁; `None` when the file is the whole population, when more than `most`
/// parts of cells would have to be opened, or when V is 0: no cell is rare enough to be judged.
///
/// Law: `criterion-by-definition`.
#[must_use]
pub fn fit(
    table: &KeyTable,
    model: &FittedModel,
    population: Population,
    most: u64,
) -> Option<Fit> {
    let fraction = population.fraction();
    if fraction >= 1.0 {
        return None;
    }
    let function = Empty { fraction };
    let (sums, opened) = sum_over_all_cells(model, population.size(), &function, most)?;
    let (mut bias, variance) = (sums[0], sums[1]);
    if variance.is_nan() || variance <= f64::MIN_POSITIVE {
        return None;
    }
    // In addition to what the sum over all cells holds already, as if f were 0.
    let held = |(cell, &count): (usize, &u32)| {
        let lambda = population.expected(model.log_probability(CellId::at(cell)));
        let (a, b) = weights(fraction, lambda);
        let (f, mu) = (f64::from(count), fraction * lambda);
        a * f + b * (f * f - 2.0 * f * mu - f)
    };
    // In pieces of a fixed size, added in their order.
    let pieces: Vec<f64> = table
        .joint()
        .counts()
        .par_chunks(PIECE)
        .enumerate()
        .map(|(piece, counts)| (piece * PIECE..).zip(counts).map(held).sum())
        .collect();
    bias += pieces.iter().sum::<f64>();
    Some(Fit { bias, variance, opened })
}

/// a and b.
fn weights(fraction: f64, lambda: f64) -> (f64, f64) {
    let a = (1.0 - fraction) * lambda * (-lambda).exp();
    (a, a * (1.0 - fraction) / (2.0 * fraction))
}

/// What a cell adds to B if it is empty, and to V in any case.
struct Empty {
    fraction: f64,
}

impl Smooth for Empty {
    const WIDTH: usize = 2;

    fn add(&self, lambda: f64, sums: &mut [f64]) {
        let (a, b) = weights(self.fraction, lambda);
        let mu = self.fraction * lambda;
        sums[0] += mu * (b * mu - a);
        sums[1] += mu * (a * a + 2.0 * b * b * mu);
    }

    /// π(1−π)·(−λ² + (1−π)λ³/2)·e^{−λ}, and (1−π)²·(πλ³ + (1−π)²λ⁴/2)·e^{−2λ}.
    fn polynomials(&self) -> Vec<[f64; TERMS]> {
        let (p, q) = (self.fraction, 1.0 - self.fraction);
        let (once, twice) = (exponential(-1.0, TERMS - 1), exponential(-2.0, TERMS - 2));
        let at = |list: &[f64; TERMS], power: usize, shift: usize| {
            power.checked_sub(shift).map_or(0.0, |place| list[place])
        };
        let bias = |power| p * q * (q / 2.0 * at(&once, power, 1) - at(&once, power, 0));
        let variance =
            |power| q * q * (p * at(&twice, power, 1) + q * q / 2.0 * at(&twice, power, 2));
        vec![std::array::from_fn(bias), std::array::from_fn(variance)]
    }
}

//! How many sample uniques are population uniques, from the sizes of cells alone.
//!
//! These estimates know nothing of the variables: they look at how many combinations of keys
//! occur once, twice, three times, and ask what population would give such a file.
//!
//! | letter | meaning |
//! |---|---|
//! | n, N, π | records, population, sampling fraction |
//! | u | how many combinations occur |
//! | s_j | how many of them occur j times |
//! | K | how many combinations the levels could make |
//! | θ, α | parameters of Ewens' and Pitman's partitions |
//!
//! | model | P(population unique \| sample unique) | its parameters |
//! |---|---|---|
//! | Ewens | (θ + n − 1)/(θ + N − 1) | most likely: u = Σ θ/(θ + j), j < n |
//! | Pitman | Π (θ + t − 1 + α)/(θ + t), n ≤ t < N | most likely |
//! | Poisson–gamma | ((1 + πβ)/(1 + β))^(1 + α) | from mean and variance over K cells |
//! | Zayatz | by Bayes' rule, population cells taken to be sized as those of the file | none |
//!
//! Edge case: for n = N all of them are 1.
//!
//! Way in: [`superpopulation`]. References: Ewens (1972); Pitman (1995); Hoshino (2001);
//! Bethlehem, Keller & Pannekoek (1990); Zayatz (1991).

use super::KeyTable;
use super::gamma::log_gamma_ratio;
use super::individual::Population;

/// What one model says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Which model.
    pub model: Superpopulation,
    /// P(population unique | sample unique).
    pub unique: f64,
    /// That times the sample uniques: how many of them are population uniques.
    pub sample_uniques: f64,
    /// How many population uniques there are, in the file or not; `None` where the model
    /// does not say.
    pub population_uniques: Option<f64>,
}

/// A model of cell sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Superpopulation {
    /// Ewens' sampling formula.
    Ewens,
    /// Pitman's.
    Pitman,
    /// Negative binomial cell sizes.
    PoissonGamma,
    /// Bayes' rule on the file's own sizes.
    Zayatz,
}

impl Superpopulation {
    /// As it is written in answers.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ewens => "ewens",
            Self::Pitman => "pitman",
            Self::PoissonGamma => "poisson_gamma",
            Self::Zayatz => "zayatz",
        }
    }
}

/// What each of the models says. A model that the file gives no parameters for is left out.
///
/// Laws: `superpopulations-are-probabilities`, `ewens-is-most-likely`, `pitman-is-most-likely`.
#[must_use]
pub fn superpopulation(table: &KeyTable, population: Population) -> Vec<Estimate> {
    let sizes = Sizes::new(table);
    let estimate = |model, unique: Option<f64>, uniques: Option<f64>| {
        unique.filter(|unique| unique.is_finite()).map(|unique| {
            let unique = unique.clamp(0.0, 1.0);
            Estimate {
                model,
                unique,
                sample_uniques: unique * sizes.of_size(1),
                population_uniques: uniques.filter(|number| number.is_finite()),
            }
        })
    };
    let (n, size) = (sizes.records, population.size());
    let ewens = sizes.ewens();
    let pitman = sizes.pitman();
    let gamma = sizes.poisson_gamma(table.combinations(table.keys()), population.fraction());
    [
        estimate(
            Superpopulation::Ewens,
            ewens.map(|theta| (theta + n - 1.0) / (theta + size - 1.0)),
            ewens.map(|theta| size * theta / (theta + size - 1.0)),
        ),
        estimate(
            Superpopulation::Pitman,
            pitman.map(|(alpha, theta)| pitman_unique(alpha, theta, n, size)),
            pitman.map(|(alpha, theta)| size * pitman_unique(alpha, theta, 1.0, size)),
        ),
        estimate(
            Superpopulation::PoissonGamma,
            gamma.map(|(unique, _)| unique),
            gamma.map(|(_, uniques)| uniques),
        ),
        estimate(Superpopulation::Zayatz, sizes.zayatz(size), None),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Π (θ + t − 1 + α)/(θ + t) for n ≤ t < N.
fn pitman_unique(alpha: f64, theta: f64, n: f64, size: f64) -> f64 {
    let steps = size - n;
    (log_gamma_ratio(theta + n - 1.0 + alpha, steps) - log_gamma_ratio(theta + n, steps)).exp()
}

/// The sizes of the combinations that occur.
pub(crate) struct Sizes {
    records: f64,
    cells: f64,
    by_size: Vec<(u64, u64)>,
}

impl Sizes {
    fn new(table: &KeyTable) -> Self {
        Self {
            records: table.records() as f64,
            cells: table.joint().len() as f64,
            by_size: table.cells_by_count(),
        }
    }

    /// s_j.
    fn of_size(&self, j: u64) -> f64 {
        let found = self.by_size.iter().find(|(size, _)| *size == j);
        found.map_or(0.0, |&(_, often)| often as f64)
    }

    /// The θ for which u combinations are expected; `None` when all records or none differ,
    /// because every θ is too small or too large then.
    fn ewens(&self) -> Option<f64> {
        if self.cells <= 1.0 || self.cells >= self.records {
            return None;
        }
        // Σ θ/(θ + j) rises with θ; the sum is θ times a difference of digammas, which is
        // the derivative of a ratio of gammas. Plain bisection on the logarithm is enough.
        let expected = |theta: f64| theta * harmonic(theta, self.records);
        let (mut low, mut high) = (-20.0f64, 60.0f64);
        for _ in 0..200 {
            let middle = f64::midpoint(low, high);
            if expected(middle.exp()) < self.cells {
                low = middle;
            } else {
                high = middle;
            }
        }
        Some(f64::midpoint(low, high).exp())
    }

    /// The most likely (α, θ), by two nested searches; `None` when all records differ, or
    /// none.
    fn pitman(&self) -> Option<(f64, f64)> {
        if self.cells <= 1.0 || self.cells >= self.records {
            return None;
        }
        let best_theta = |alpha: f64| {
            let log = golden(-20.0, 60.0, |log| self.pitman_likelihood(alpha, log.exp() - alpha));
            log.exp() - alpha
        };
        let alpha = golden(1e-6, 1.0 - 1e-6, |alpha| {
            self.pitman_likelihood(alpha, best_theta(alpha)) + self.pitman_sizes(alpha)
        });
        Some((alpha, best_theta(alpha)))
    }

    /// The part of ln L with θ in it: Σ ln(θ + iα) for i < u, less Σ ln(θ + i) for i < n.
    fn pitman_likelihood(&self, alpha: f64, theta: f64) -> f64 {
        let (u, n) = (self.cells, self.records);
        (u - 1.0) * alpha.ln() + log_gamma_ratio(theta / alpha + 1.0, u - 1.0)
            - log_gamma_ratio(theta + 1.0, n - 1.0)
    }

    /// The part without: Σ s_j ln Γ(j − α)/Γ(1 − α).
    fn pitman_sizes(&self, alpha: f64) -> f64 {
        let term = |&(size, often): &(u64, u64)| {
            often as f64 * log_gamma_ratio(1.0 - alpha, size as f64 - 1.0)
        };
        self.by_size.iter().map(term).sum()
    }

    /// P(population unique | sample unique) and the number of population uniques.
    fn poisson_gamma(&self, combinations: f64, fraction: f64) -> Option<(f64, f64)> {
        let mean = self.records / combinations;
        let squares: f64 = self
            .by_size
            .iter()
            .map(|&(size, often)| often as f64 * size as f64 * size as f64)
            .sum();
        let variance = squares / combinations - mean * mean;
        if variance <= mean {
            // No more spread than Poisson: every cell has the same rate.
            let rate = mean / fraction;
            return Some(((-(1.0 - fraction) * rate).exp(), combinations * rate * (-rate).exp()));
        }
        let scale = (variance - mean) / mean;
        let (alpha, beta) = (mean / scale, scale / fraction);
        let unique = ((scale.ln_1p() - beta.ln_1p()) * (1.0 + alpha)).exp();
        let uniques = combinations * alpha * beta * (-(1.0 + alpha) * beta.ln_1p()).exp();
        Some((unique, uniques))
    }

    /// By Bayes' rule: P(sample unique | j people) is hypergeometric.
    fn zayatz(&self, size: f64) -> Option<f64> {
        let n = self.records;
        let drawn_once = |j: f64| {
            // j·C(N − j, n − 1)/C(N, n) = j·(n/N)·Π (N − n − i)/(N − 1 − i) for i < j − 1.
            if j - 1.0 > size - n {
                return 0.0;
            }
            let steps = j - 1.0;
            let log = log_gamma_ratio(size - n + 1.0 - steps, steps)
                - log_gamma_ratio(size - steps, steps);
            j * n / size * log.exp()
        };
        let all: f64 =
            self.by_size.iter().map(|&(j, often)| often as f64 * drawn_once(j as f64)).sum();
        let once = self.of_size(1) * drawn_once(1.0);
        (once > 0.0).then(|| once / all)
    }
}

/// Σ 1/(θ + j) for j < n.
fn harmonic(theta: f64, n: f64) -> f64 {
    const FAR: f64 = 24.0;
    let mut low = theta;
    let mut sum = 0.0;
    while low < FAR && low < theta + n {
        sum += 1.0 / low;
        low += 1.0;
    }
    let digamma = |x: f64| {
        let square = 1.0 / (x * x);
        x.ln() - 0.5 / x - square * (1.0 / 12.0 - square * (1.0 / 120.0 - square / 252.0))
    };
    if low < theta + n { sum + digamma(theta + n) - digamma(low) } else { sum }
}

/// Where a function with one peak is largest, by golden sections.
fn golden(mut low: f64, mut high: f64, value: impl Fn(f64) -> f64) -> f64 {
    let ratio = (5f64.sqrt() - 1.0) / 2.0;
    let (mut left, mut right) = (high - ratio * (high - low), low + ratio * (high - low));
    let (mut at_left, mut at_right) = (value(left), value(right));
    for _ in 0..90 {
        if at_left < at_right {
            (low, left, at_left) = (left, right, at_right);
            right = low + ratio * (high - low);
            at_right = value(right);
        } else {
            (high, right, at_right) = (right, left, at_left);
            left = high - ratio * (high - low);
            at_left = value(left);
        }
    }
    f64::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(by_size: &[(u64, u64)]) -> Sizes {
        Sizes {
            records: by_size.iter().map(|(size, often)| (size * often) as f64).sum(),
            cells: by_size.iter().map(|(_, often)| *often as f64).sum(),
            by_size: by_size.to_vec(),
        }
    }

    /// ln of Ewens' and Pitman's sampling formulas, term by term.
    fn pitman(sizes: &Sizes, alpha: f64, theta: f64) -> f64 {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small counts")]
        let (u, n) = (sizes.cells as u64, sizes.records as u64);
        let mut log: f64 = (1..u).map(|i| (theta + i as f64 * alpha).ln()).sum();
        log -= (1..n).map(|i| (theta + i as f64).ln()).sum::<f64>();
        for &(size, often) in &sizes.by_size {
            log += often as f64 * (1..size).map(|i| (i as f64 - alpha).ln()).sum::<f64>();
        }
        log
    }

    const FILES: [&[(u64, u64)]; 4] = [
        &[(1, 40), (2, 9), (3, 4), (7, 2)],
        &[(1, 5), (2, 20), (5, 3), (30, 1)],
        &[(1, 300), (2, 2)],
        &[(1, 2), (50, 3)],
    ];

    #[test]
    fn law_ewens_is_most_likely() {
        for sizes in FILES.map(sizes) {
            let theta = sizes.ewens().unwrap();
            let at = |theta: f64| pitman(&sizes, 0.0, theta);
            assert!(at(theta) >= at(theta * 1.001) && at(theta) >= at(theta * 0.999), "{theta}");
        }
    }

    #[test]
    fn law_pitman_is_most_likely() {
        for sizes in FILES.map(sizes) {
            let (alpha, theta) = sizes.pitman().unwrap();
            let best = pitman(&sizes, alpha, theta);
            for step in [0.001, 0.01, 0.1] {
                for (a, t) in [(step, 0.0), (-step, 0.0), (0.0, step), (0.0, -step)] {
                    let (a, t) = (alpha + a, (theta + alpha) * (1.0 + t) - alpha);
                    if a > 0.0 && a < 1.0 && t > -a {
                        assert!(pitman(&sizes, a, t) <= best + 1e-6, "{alpha} {theta} {a} {t}");
                    }
                }
            }
        }
    }

    #[test]
    fn law_gamma_ratio_is_a_product() {
        for x in [0.01, 0.5, 1.0, 3.7, 22.0, 1000.0, 3e8] {
            for steps in 0..30 {
                let product: f64 = (0..steps).map(|step| (x + f64::from(step)).ln()).sum();
                let ratio = log_gamma_ratio(x, steps.into());
                assert!((ratio - product).abs() <= 1e-11 * (1.0 + product.abs()), "{x} {steps}");
            }
            // Γ(½) = √π, and halves add up to wholes.
            let two = log_gamma_ratio(x, 0.5) + log_gamma_ratio(x + 0.5, 0.5);
            assert!((two - f64::ln(x)).abs() < 1e-11 * (1.0 + x.ln().abs()), "{x}");
        }
        assert!((log_gamma_ratio(1.0, -0.5) - std::f64::consts::PI.sqrt().ln()).abs() < 1e-13);
    }
}

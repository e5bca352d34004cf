//! λ, the weight of a row that stays: μ(g) ∝ λ^(−rows moved), so ε = ln λ for one edge.
//!
//! λ is a rational number, and so are all probabilities that follow from it: what is drawn has the
//! law that ε is computed from, to the last digit. Floating point chooses λ for a wished rate (with
//! basic operations only, which every machine does alike) and shows ε.

/// What λ − 1 is counted in.
const ONE: u128 = 1 << 32;

/// The largest λ, as a power of two: no more rows than that make one slice.
const LARGEST_BITS: u32 = 44;

/// The largest ε that a sum of logarithms is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LargestEpsilon;

impl LargestEpsilon {
    /// The largest L of an ε given as ln L.
    pub const OF_LOG: u64 = 1 << 31;
}

/// λ ≥ 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Lambda {
    /// λ − 1, in units of 2⁻³².
    above_one: u128,
}

impl Lambda {
    /// λ = 1: every permutation has the same weight.
    pub const UNIFORM: Self = Self { above_one: 0 };

    /// λ = 1 + numerator / 2³².
    ///
    /// # Panics
    /// When λ is larger than any slice needs.
    #[must_use]
    pub fn one_and(numerator: u128) -> Self {
        assert!(numerator <= ONE << LARGEST_BITS, "λ is at most 2^44");
        Self { above_one: numerator }
    }

    /// λ − 1 as a numerator and a denominator.
    #[must_use]
    pub fn above_one(self) -> (u128, u128) {
        (self.above_one, ONE)
    }

    /// λ, for showing.
    #[must_use]
    #[allow(clippy::cast_precision_loss, reason = "it is shown")]
    pub fn value(self) -> f64 {
        1.0 + self.above_one as f64 / ONE as f64
    }

    /// ln λ, for showing; sums of it are rounded up where they are shown.
    #[must_use]
    pub fn epsilon(self) -> f64 {
        (self.value() - 1.0).ln_1p()
    }

    /// The largest λ with λ^edges ≤ `of`: ε in all is at most ln `of`.
    ///
    /// Law: `a-wished-epsilon-is-not-exceeded`.
    ///
    /// # Panics
    /// When `of` is 0 or beyond [`LargestEpsilon`], or there is no edge.
    #[must_use]
    pub fn of_log(of: u64, edges: usize) -> Self {
        assert!((1..=LargestEpsilon::OF_LOG).contains(&of) && edges > 0, "ln of a number");
        let bound = u128::from(of) * ONE;
        // Rounded up at every step, so that what is not above the bound is not above it.
        let power_is_within = |lambda: u128| {
            let mut power = ONE;
            for _ in 0..edges {
                power = (power * lambda).div_ceil(ONE);
                if power > bound {
                    return false;
                }
            }
            true
        };
        Self { above_one: largest(bound - ONE, |above| power_is_within(ONE + above)) }
    }

    /// The largest λ, nearly, with ln λ ≤ micros / 10⁶ / edges.
    ///
    /// Law: `a-wished-epsilon-is-not-exceeded`.
    ///
    /// # Panics
    /// When there is no edge.
    #[must_use]
    pub fn of_epsilon(micros: u64, edges: usize) -> Self {
        /// ln 2 in units of 2⁻⁶⁴, rounded up.
        const LN_2: u128 = 12_786_308_645_202_655_660;
        assert!(edges > 0, "ε is shared by edges");
        let share = (u128::from(micros) << 64) / 1_000_000 / edges as u128;
        let twos = share / LN_2;
        if twos >= u128::from(LARGEST_BITS) {
            return Self { above_one: (ONE << LARGEST_BITS) - ONE };
        }
        let rest = share - twos * LN_2;
        // e^rest, every term rounded down.
        let (mut term, mut sum) = (1u128 << 64, 0u128);
        let mut step = 0;
        while term > 0 {
            sum += term;
            step += 1;
            term = ((term * rest) >> 64) / step;
        }
        Self { above_one: ((sum << twos) >> 32).saturating_sub(ONE) }
    }

    /// The largest λ with which a slice of this many rows moves at least this share of them, on
    /// average; 1 where even the uniform law moves less.
    ///
    /// Law: `a-wished-rate-is-met`.
    ///
    /// # Panics
    /// When the share is not above 0.
    #[must_use]
    pub fn of_rate(share: f64, rows: u64) -> Self {
        assert!(share > 0.0, "a rate is above 0");
        let most = (ONE << LARGEST_BITS) - ONE;
        let moves = |above: u128| Self { above_one: above }.expected_share(rows) >= share;
        Self { above_one: largest(most, |above| above == 0 || moves(above)) }
    }

    /// The expected share of the rows of a slice that move: 1 − (λ/m)·(1 − B), where B is the share
    /// of the last term in the exponential sum of λ − 1 up to m.
    #[must_use]
    #[allow(clippy::cast_precision_loss, reason = "it chooses λ and is no probability of a draw")]
    pub fn expected_share(self, rows: u64) -> f64 {
        let (mean, rows_in_all) = (self.above_one as f64 / ONE as f64, rows as f64);
        if rows == 0 {
            return 0.0;
        }
        let mut last = 0.0;
        if mean > 0.0 {
            // 1/B = Σ_k m(m−1)…(m−k+1)/μ^k.
            let (mut sum, mut term) = (1.0f64, 1.0f64);
            for gone in 0..rows {
                term *= (rows - gone) as f64 / mean;
                sum += term;
                if sum > 1e18 || term < sum * 1e-18 {
                    break;
                }
            }
            last = 1.0 / sum;
        }
        1.0 - (1.0 + mean) / rows_in_all * (1.0 - last)
    }
}

/// The largest number up to `most` of which something holds that holds of 0 and of no number above
/// one of which it does not.
fn largest(most: u128, holds: impl Fn(u128) -> bool) -> u128 {
    let (mut low, mut high) = (0, most);
    while low < high {
        let middle = high - (high - low) / 2;
        match holds(middle) {
            true => low = middle,
            false => high = middle - 1,
        }
    }
    low
}

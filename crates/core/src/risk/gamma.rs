//! Ratios of gamma functions, which the models of whole populations are made of.
//!
//! Trap: ln Γ of a population's size is a number of ten digits before the point; the
//! difference of two such numbers has lost most of what matters. So the difference is what
//! is computed, by Stirling's series term by term.

/// ln Γ(x + a) − ln Γ(x), for x > 0 and x + a > 0.
///
/// Law: `gamma-ratio-is-a-product`.
#[must_use]
pub fn log_gamma_ratio(x: f64, a: f64) -> f64 {
    const FAR: f64 = 24.0;
    let (mut low, mut ratio) = (x, 0.0);
    // Γ(y + 1) = y·Γ(y): both are pushed to where the series is exact.
    while low < FAR || low + a < FAR {
        ratio -= ((low + a) / low).ln();
        low += 1.0;
    }
    let high = low + a;
    ratio + (low - 0.5) * (a / low).ln_1p() + a * high.ln() - a + stirling(high) - stirling(low)
}

/// Stirling's series for ln Γ(x) − (x − ½)ln x + x − ½ ln 2π.
fn stirling(x: f64) -> f64 {
    let square = 1.0 / (x * x);
    let terms = [1.0 / 12.0, -1.0 / 360.0, 1.0 / 1260.0, -1.0 / 1680.0, 1.0 / 1188.0];
    terms.iter().rev().fold(0.0, |sum, term| sum * square + term) / x
}

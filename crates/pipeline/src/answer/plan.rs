//! What `plan` and `protect` answer, beyond what a plan counts by itself.

use marginswap_core::plan::{LeftOver, Obstacle};
use marginswap_core::verify::Verification;
use marginswap_report::plan::{LeftOverReport, PlanReport, ProtectReport};

/// Counts why records are left without a swap.
#[must_use]
pub fn left_over(left_over: &[LeftOver]) -> LeftOverReport {
    let mut report = LeftOverReport::default();
    for left in left_over {
        *match left.obstacle {
            Obstacle::Keys => &mut report.keys,
            Obstacle::Match => &mut report.no_match,
            Obstacle::Rules => &mut report.not_allowed,
            Obstacle::Taken => &mut report.taken,
            Obstacle::Budget => &mut report.budget,
            Obstacle::Unknown => &mut report.not_searched,
        } += u64::from(left.records);
    }
    report
}

/// Joins a plan with the recount of the file it made.
#[must_use]
pub fn protect(plan: PlanReport, released: String, verification: &Verification) -> ProtectReport {
    let claims = verification.claims.as_ref();
    ProtectReport {
        plan,
        released,
        equal: verification.is_equal(),
        cells_kept: verification.tables.iter().map(|table| table.cells as u64).sum(),
        claims_before: claims.map_or(0, |claims| claims.uniques_before),
        claims: claims.map_or(0, |claims| claims.all.claims),
        correct_claims: claims.and_then(|claims| claims.all.correct).unwrap_or(0),
        two_way_max: verification.two_way_others.total_variation_max,
        two_way_mean: verification.two_way_others.total_variation_mean,
    }
}

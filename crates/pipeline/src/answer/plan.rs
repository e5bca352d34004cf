//! What `plan` and `protect` answer, beyond what a plan counts by itself.

use marginswap_core::plan::{LeftOver, Obstacle};
use marginswap_report::plan::{LeftReport, PlanReport, ProtectReport};

use super::verify;
use crate::compare::Comparison;

/// Counts why records are left: these have no partner, and those have one and no swap.
#[must_use]
pub fn without_swap_because(not_swappable: u64, others: &[LeftOver]) -> LeftReport {
    let mut report = LeftReport { not_swappable, ..LeftReport::default() };
    for left in others {
        *match left.obstacle {
            Obstacle::Keys => &mut report.keys,
            Obstacle::Match => &mut report.no_match,
            Obstacle::Rules => &mut report.not_allowed,
            Obstacle::Company => &mut report.keys_shared,
            Obstacle::Taken => &mut report.taken,
            Obstacle::Budget => &mut report.budget,
            Obstacle::Unknown => &mut report.not_searched,
        } += u64::from(left.records);
    }
    report
}

/// Joins a plan with what was found in the file it made.
#[must_use]
pub fn protect(plan: PlanReport, released: String, comparison: &Comparison) -> ProtectReport {
    let found = comparison.of_persons();
    let households = comparison.people.as_ref().map(|_| &comparison.verification);
    let tables = found.tables.iter().chain(households.into_iter().flat_map(|all| &all.tables));
    ProtectReport {
        verify: verify(comparison),
        plan,
        released,
        cells_kept: tables.map(|table| table.cells as u64).sum(),
    }
}

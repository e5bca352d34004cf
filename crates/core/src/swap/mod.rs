//! Making the swaps of a plan, and nothing else.
//!
//! The records are changed exactly as the plan says. The swaps and groups of a plan are
//! disjoint, so their order does not matter.

use crate::encode::Records;
use crate::partner::swap::{Swap, exchange};
use crate::plan::SwapPlan;

/// The records after the swaps and groups of a plan.
///
/// Law: `applying-a-plan-is-making-its-groups`.
#[must_use]
pub fn apply_plan(records: &Records, plan: &SwapPlan) -> Records {
    let mut after = apply(records, plan.swaps());
    for group in plan.groups() {
        for (record, cell) in group.records().iter().zip(group.after(records)) {
            after.replace(*record, &cell);
        }
    }
    after
}

/// The records after the swaps.
///
/// Law: `applying-is-swapping`.
#[must_use]
pub fn apply(records: &Records, swaps: &[Swap]) -> Records {
    let mut after = records.clone();
    let layout = records.cells().layout();
    for swap in swaps {
        let (left, right) =
            exchange(layout, records.get(swap.left), records.get(swap.right), swap.exchanged);
        after.replace(swap.left, &left);
        after.replace(swap.right, &right);
    }
    after
}

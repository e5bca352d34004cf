//! Making the swaps of a plan, and nothing else.
//!
//! The records are changed exactly as the plan says. The swaps and groups of a plan are
//! disjoint, so their order does not matter.

use crate::encode::{RecordId, Records};
use crate::partner::swap::{Swap, exchange};
use crate::plan::{SwapPlan, Take};
use crate::varset::VarSet;

/// The records after the swaps and groups of a plan.
///
/// Law: `applying-a-plan-is-making-its-groups`.
#[must_use]
pub fn apply_plan(records: &Records, plan: &SwapPlan) -> Records {
    let groups = plan.groups().iter().map(|group| (group.records(), group.takes()));
    follow(records, plan.swaps(), groups)
}

/// The records after swaps and groups that are disjoint; each group is its records and what
/// they take from each other.
#[must_use]
pub fn follow<'a>(
    records: &Records,
    swaps: &[Swap],
    groups: impl IntoIterator<Item = (&'a [RecordId], &'a [Take])>,
) -> Records {
    let mut after = apply(records, swaps);
    for (members, takes) in groups {
        for (record, cell) in members.iter().zip(taken(records, members, takes)) {
            after.replace(*record, &cell);
        }
    }
    after
}

/// The cells of some records after they took values from each other.
#[must_use]
pub fn taken(records: &Records, members: &[RecordId], takes: &[Take]) -> Vec<Vec<u64>> {
    let layout = records.cells().layout();
    let mut after: Vec<Vec<u64>> =
        members.iter().map(|&record| records.get(record).to_vec()).collect();
    for take in takes {
        let mask = layout.mask(VarSet::single(take.variable));
        for (cell, &from) in after.iter_mut().zip(&take.from) {
            let comes = records.get(members[from]);
            for ((word, mask), comes) in cell.iter_mut().zip(mask.words()).zip(comes) {
                *word = (*word & !mask) | (comes & mask);
            }
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

//! What the tests with plans share.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use marginswap_core::encode::RecordId;
use marginswap_core::plan::{Plan, PlannedGroup, PlannedSwap};

/// One swap.
pub fn swap(left: u32, right: u32, exchanged: &[usize]) -> PlannedSwap {
    PlannedSwap { left: RecordId(left), right: RecordId(right), exchanged: exchanged.into() }
}

/// The plan of these swaps and groups; what exchanges nothing is left out.
pub fn plan_of(swaps: &[PlannedSwap], groups: &[PlannedGroup]) -> Plan {
    let swaps = swaps.iter().filter(|swap| !swap.exchanged.is_empty()).cloned().collect();
    let groups = groups.iter().filter_map(|group| {
        let moves = |from: &[usize]| !from.iter().copied().eq(0..from.len());
        let columns = group.columns.iter().zip(&group.from).filter(|(_, from)| moves(from));
        let (columns, from): (Vec<usize>, Vec<Vec<usize>>) =
            columns.map(|(&column, from)| (column, from.clone())).unzip();
        let records = group.records.clone();
        (!columns.is_empty()).then_some(PlannedGroup { records, columns, from })
    });
    Plan::new(swaps, groups.collect()).unwrap()
}

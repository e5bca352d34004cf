//! What `verify` answers: a verification with its names.

use marginswap_core::encode::Schema;
use marginswap_core::varset::VarSet;
use marginswap_core::verify::{Distances, Verification};
use marginswap_report::verify::{MarginReport, TwoWayReport, VariableReport, VerifyReport};

use super::{name, names};

/// Gives a verification its names.
#[must_use]
pub fn verify(schema: &Schema, found: &Verification) -> VerifyReport {
    let claims = found.claims.as_ref();
    let changes = found.changes.as_ref();
    let some = |distances: &Distances| (distances.tables > 0).then_some(*distances);
    let two_way = some(&found.two_way_others);
    let three_way = found.three_way_others.as_ref().and_then(some);
    VerifyReport {
        equal: found.is_equal(),
        records_before: found.records_before as u64,
        records_after: found.records_after as u64,
        margins: found
            .tables
            .iter()
            .map(|table| MarginReport {
                margin: names(schema, table.margin),
                cells: table.cells as u64,
                changed: table.changed as u64,
            })
            .collect(),
        records_changed: changes.map(|changes| changes.records),
        cells_changed: changes.map(|changes| changes.cells),
        changed_by_variable: changes.map(|changes| {
            let counts = changes.by_variable.iter().enumerate();
            counts
                .map(|(variable, &changed)| VariableReport {
                    variable: name(schema, variable),
                    changed,
                })
                .collect()
        }),
        keys: names(schema, claims.map_or(VarSet::EMPTY, |claims| claims.keys)),
        uniques_before: claims.map(|claims| claims.uniques_before),
        uniques_after: claims.map(|claims| claims.uniques_after),
        new_uniques: claims.map(|claims| claims.new_uniques),
        emptied_uniques: claims.map(|claims| claims.emptied),
        claims: claims.map(|claims| claims.all.claims),
        correct_claims: claims.and_then(|claims| claims.all.correct),
        claims_of_uniques: claims.map(|claims| claims.of_uniques.claims),
        correct_claims_of_uniques: claims.and_then(|claims| claims.of_uniques.correct),
        broken: Vec::new(),
        unlinked: None,
        reordered: false,
        two_way: found
            .two_way
            .iter()
            .map(|table| TwoWayReport {
                pair: table.pair.map(|variable| name(schema, variable)),
                kept: table.kept,
                changed: table.changed as u64,
                total_variation: table.total_variation,
                hellinger: table.hellinger,
                cramers_v_before: table.cramers_v_before,
                cramers_v_after: table.cramers_v_after,
            })
            .collect(),
        two_way_max: two_way.map(|distances| distances.total_variation_max),
        two_way_mean: two_way.map(|distances| distances.total_variation_mean),
        three_way_max: three_way.map(|distances| distances.total_variation_max),
        three_way_mean: three_way.map(|distances| distances.total_variation_mean),
    }
}

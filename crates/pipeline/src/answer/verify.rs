//! What `verify` answers: a verification with its names.

use marginswap_core::varset::VarSet;
use marginswap_core::verify::{Distances, TwoWay, Verification};
use marginswap_report::verify::{
    Counted, HouseholdsReport, MarginReport, TwoWayReport, Usefulness, VariableReport,
    VerifyReport, WeightedReport,
};

use super::{judgement, name, names, protection_of, published};
use crate::compare::{Comparison, Order};
use crate::view::View;

/// What was found in two files, with names.
#[must_use]
pub fn verify(comparison: &Comparison) -> VerifyReport {
    let View { loaded, scope, .. } = comparison.original.people();
    let (schema, own) = (scope.schema(), loaded.own_variables(scope));
    let found = comparison.of_persons();
    let changes = found.changes.as_ref();
    let some = |distances: &Distances| (distances.tables > 0).then_some(*distances);
    let two_way = some(&found.two_way_others);
    let three_way = found.three_way_others.as_ref().and_then(some);
    VerifyReport {
        judgement: judgement(&comparison.verdict),
        equal: found.is_equal() && comparison.verification.is_equal(),
        records_before: found.records_before as u64,
        records_after: found.records_after as u64,
        households: comparison.people.as_ref().map(|people| {
            let found = &comparison.verification;
            HouseholdsReport {
                before: found.records_before as u64,
                after: found.records_after as u64,
                changed: found.changes.as_ref().map(|changes| changes.records),
                torn: people.torn,
            }
        }),
        margins: margins(comparison),
        published: published(comparison),
        protection: protection_of(comparison),
        new_pairs_revealed: comparison.new_pairs.clone(),
        advice: comparison.advice.clone(),
        replaced: found.replaced,
        records_changed: changes.map(|changes| changes.records),
        cells_changed: changes.map(|changes| changes.cells),
        changed_by_variable: changes.map(|changes| {
            let counts = changes.by_variable.iter().enumerate();
            counts
                .filter(|(variable, _)| own.contains(*variable))
                .map(|(variable, &changed)| VariableReport {
                    variable: name(schema, variable),
                    changed,
                })
                .collect()
        }),
        usefulness: usefulness(comparison),
        weighted: comparison
            .weighted
            .iter()
            .map(|table| WeightedReport {
                margin: names(schema, table.margin),
                cells: table.cells as u64,
                moved: table.moved as u64,
                beyond: table.beyond as u64,
                largest: table.largest.is_finite().then_some(table.largest),
            })
            .collect(),
        requoted: comparison.requoted.clone(),
        broken: comparison.broken.clone(),
        unlinked: comparison.unlinked.clone(),
        reordered: comparison.order == Order::Unknown,
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

/// How useful the released file still is.
fn usefulness(comparison: &Comparison) -> Usefulness {
    let original = comparison.original.people();
    let schema = original.scope.schema();
    let found = comparison.of_persons();
    let among = original.tabulated();
    let tabulated = |table: &&TwoWay| VarSet::from(table.pair).is_subset(&among);
    let two_way: Vec<TwoWay> = found.two_way.iter().filter(tabulated).copied().collect();
    let all = Distances::of_pairs(&two_way);
    let some = |share: f64| (all.tables > 0).then_some(share);
    Usefulness {
        tables: all.tables as u64,
        moved_mean: some(all.total_variation_mean),
        moved_max: some(all.total_variation_max),
        most_moved: all.worst.map(|worst| {
            let mut names = names(schema, worst).into_iter();
            [(); 2].map(|()| names.next().expect("a pair has two variables"))
        }),
        weighted_max: weighted_max(comparison),
    }
}

/// The largest move of a weighted count of a kept table: none where the weight joins every kept
/// table and these are unchanged.
fn weighted_max(comparison: &Comparison) -> Option<f64> {
    let weight = comparison.original.people().project.swap.weight.as_ref();
    weight?;
    let moved = comparison.weighted.iter().map(|table| table.largest);
    match (moved.reduce(f64::max), &comparison.original.units.weighting) {
        (Some(most), _) => most.is_finite().then_some(most),
        (None, None) if comparison.is_exact() => Some(0.0),
        (None, _) => None,
    }
}

/// The kept tables: of records, or of persons and then of households.
fn margins(comparison: &Comparison) -> Vec<MarginReport> {
    let report = |original: &View, found: &Verification, counts: Option<Counted>| {
        let schema = original.scope.schema();
        let tables = found.tables.iter();
        let report = tables.map(|table| MarginReport {
            counts,
            margin: names(schema, table.margin),
            name: original.table_names.name(table.margin),
            cells: table.cells as u64,
            changed: table.changed as u64,
        });
        report.collect::<Vec<_>>()
    };
    let Comparison { original, verification, people, .. } = comparison;
    let Some(people) = people else { return report(&original.units, verification, None) };
    let mut all = report(original.people(), &people.verification, Some(Counted::Persons));
    all.extend(report(&original.units, verification, Some(Counted::Households)));
    all
}

//! What `frontier` answers: what each of several plans comes to, and which one is taken.

use marginswap_core::verify::undominated;
use marginswap_report::frontier::{FrontierPlan, FrontierReport};

use crate::frontier::{Candidate, standings};
use crate::prepare::Prepared;

/// Several plans for one file. `criterion`: by what the best is chosen, in words.
pub(crate) fn frontier(
    prepared: &Prepared,
    plans: &[Candidate],
    best: Option<usize>,
    criterion: &str,
    not_for_release: bool,
) -> FrontierReport {
    let standings = standings(prepared, plans);
    let front = undominated(&standings);
    let [not_separable, disclosed] = prepared.not_separable();
    FrontierReport {
        records: prepared.study.units.records.len() as u64,
        at_risk: standings.first().map_or(0, |standing| standing.at_risk),
        not_separable,
        disclosed,
        larger_swaps: prepared.study.units.project.max_records().get() > 2,
        by_two_way: plans.iter().all(|plan| plan.foreseen.distances.tables > 0),
        criterion: criterion.to_owned(),
        chosen: best.map(|best| best + 1),
        plans: plans
            .iter()
            .zip(standings)
            .zip(front)
            .enumerate()
            .map(|(number, ((plan, standing), undominated))| FrontierPlan {
                number: number + 1,
                budget: plan.cap.0.map(|amount| amount.to_string()),
                seed: plan.seed,
                records_changed: standing.records,
                gone: plan.foreseen.worst_case.gone,
                shared: plan.foreseen.worst_case.shared,
                matched: plan.foreseen.worst_case.matched,
                matched_right: plan.foreseen.worst_case.matched_right,
                newly_exposed: plan.foreseen.worst_case.newly_exposed,
                change: standing.change,
                two_way_mean: plan.foreseen.distances.total_variation_mean,
                two_way_max: plan.foreseen.distances.total_variation_max,
                undominated,
            })
            .collect(),
        not_for_release,
    }
}

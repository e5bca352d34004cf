//! What `frontier` answers: what each of several plans comes to, and which one is taken.

use marginswap_core::verify::undominated;
use marginswap_report::frontier::{FrontierPlan, FrontierReport};

use crate::frontier::{Candidate, standings};
use crate::prepare::Prepared;

/// Several plans for one file. `criterion`: by what the best is chosen, in words.
#[must_use]
pub fn frontier(
    prepared: &Prepared,
    plans: &[Candidate],
    best: Option<usize>,
    criterion: &str,
    not_for_release: bool,
) -> FrontierReport {
    let standings = standings(prepared, plans);
    let front = undominated(&standings);
    let all = prepared.at_risk();
    FrontierReport {
        records: prepared.records.len() as u64,
        at_risk: all.records,
        untreatable: all.unswappable,
        disclosed: all.disclosed,
        larger_swaps: prepared.project.swap.max_records.is_some_and(|most| most.get() > 2),
        by_two_way: plans.iter().all(|plan| plan.distances.tables > 0),
        claims_before: plans.first().map_or(0, |plan| plan.claims.uniques_before),
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
                protected: prepared.covered(&plan.planned),
                uniques_after: plan.claims.uniques_after,
                claims: plan.claims.all.claims,
                correct_claims: standing.correct,
                change: standing.change,
                two_way_mean: plan.distances.total_variation_mean,
                two_way_max: plan.distances.total_variation_max,
                undominated,
            })
            .collect(),
        not_for_release,
    }
}

//! What intruders learn and what the gate says, with names.

use marginswap_core::encode::Schema;
use marginswap_core::partner::{KeyScreening, Unpartable};
use marginswap_core::verdict;
use marginswap_core::verify::{Learned, NewPairs, WorstCase, worst_case};
use marginswap_report::page::LeftReason;
use marginswap_report::protection::{
    ExposedBecause, Fates, HouseholdProtection, Judgement, NewPair, Protection, ScenarioProtection,
    Verdict,
};

use super::{name, names};
use crate::compare::{Comparison, newly_exposed, not_partable, why_exposed};
use crate::original::{Intruder, Original};

/// What was counted of a file, released or foreseen.
#[derive(Clone, Copy)]
pub struct Protected<'a> {
    /// The original file.
    pub original: &'a Original,
    /// What each intruder learns.
    pub learned: &'a [Learned],
    /// The worst of it for every person.
    pub worst: Option<&'a WorstCase>,
    /// Two-way combinations that never occurred.
    pub new_pairs: &'a NewPairs,
    /// For each intruder, who can be parted from the keys; none where nobody needs to be.
    pub screenings: &'a [KeyScreening],
    /// What each intruder learns about households, where these are swapped and the rest is said
    /// of persons.
    pub households: Option<&'a [Learned]>,
}

/// What intruders learn, in the worst case and each by itself.
#[must_use]
pub fn protection(of: &Protected<'_>) -> Protection {
    let Protected { original, learned, worst, new_pairs, screenings, households } = *of;
    let lines = original.lines();
    let schema = lines.scope.schema();
    let persons = lines.intruders.iter().map(|intruder| (schema, intruder));
    // Intruders who look for whole households come behind those who look for persons.
    let behind =
        original.people.as_ref().map_or(original.intruders.len(), |_| lines.intruders.len());
    let of_households = original.intruders.iter().skip(behind);
    let of_households = of_households.map(|intruder| (original.scope.schema(), intruder));
    let scenarios: Vec<ScenarioProtection> = persons
        .chain(of_households)
        .zip(learned)
        .map(|((schema, intruder), learned)| scenario(schema, intruder, learned))
        .collect();
    // Shares of true values are those of the intruder who learns most.
    let most = scenarios.iter().max_by(|left, right| {
        let share = |one: &&ScenarioProtection| one.values_true.unwrap_or(0.0);
        share(left).total_cmp(&share(right))
    });
    let mut found = Protection {
        values_true: most.and_then(|most| most.values_true),
        values_true_by_chance: most.and_then(|most| most.values_true_by_chance),
        new_pairs: new_pairs.combinations,
        new_pairs_impossible: new_pairs.impossible,
        new_pairs_left_out: names(schema, lines.many_levels()),
        new_pairs_records: new_pairs.records,
        new_pairs_by_variables: new_pairs
            .by_pair
            .iter()
            .map(|found| NewPair {
                pair: found.pair.map(|variable| name(schema, variable)),
                combinations: found.new.combinations,
                impossible: found.new.impossible,
                records: found.new.records,
            })
            .collect(),
        alone_by_model: lines.alone_by_model(),
        disclosed: not_partable(original, learned, screenings)[0],
        disclosed_is_exact: screenings.iter().all(KeyScreening::proved_is_exact),
        newly_exposed_because: exposed_because(of),
        ..Protection::default()
    };
    if let Some(worst) = worst {
        found.fates = Fates {
            at_risk: worst.at_risk,
            gone: worst.gone,
            shared: worst.shared,
            matched: worst.matched,
            matched_right: worst.matched_right,
            shared_right: worst.shared_right,
            shared_learned: worst.shared_learned,
            protected: worst.protected,
            newly_exposed: worst.newly_exposed,
        };
    }
    let household_fates = households.and_then(worst_case).map(|worst| HouseholdProtection {
        at_risk: worst.at_risk,
        gone: worst.gone,
        shared: worst.shared,
        matched: worst.matched,
        protected: worst.protected,
        newly_exposed: worst.newly_exposed,
    });
    Protection { scenarios, household_fates, ..found }
}

/// What intruders learn from a released file.
#[must_use]
pub fn protection_of(comparison: &Comparison) -> Protection {
    let found = comparison.of_persons();
    protection(&Protected {
        original: &comparison.original,
        learned: &found.learned,
        worst: found.worst_case.as_ref(),
        new_pairs: &found.new_pairs,
        screenings: &comparison.key_screenings,
        households: comparison.people.as_ref().map(|_| &comparison.verification.learned[..]),
    })
}

fn scenario(schema: &Schema, intruder: &Intruder, learned: &Learned) -> ScenarioProtection {
    ScenarioProtection {
        name: intruder.name.clone(),
        keys: names(schema, learned.keys),
        sensitive: names(schema, learned.sensitive),
        fates: Fates {
            at_risk: learned.at_risk,
            gone: learned.gone,
            shared: learned.shared,
            matched: learned.matched,
            matched_right: learned.matched_right,
            shared_right: learned.shared_right,
            shared_learned: learned.shared_unchanged + learned.shared_learned,
            protected: learned.protected(),
            newly_exposed: learned.newly_exposed,
        },
        shared_values_true: learned.shared_values.share().value(),
        shared_values_true_by_chance: learned.shared_values.by_chance.value(),
        values_true: learned.matched_values.share().value(),
        values_true_by_chance: learned.matched_values.by_chance.value(),
        matched_by_true_values: learned.matched_by_correct.clone(),
    }
}

/// What the gate says, without what one reason says after another.
#[must_use]
pub fn judgement(verdict: &verdict::Verdict) -> Judgement {
    Judgement {
        verdict: match verdict.answer {
            verdict::Answer::Release => Verdict::Release,
            verdict::Answer::Review => Verdict::Review,
            verdict::Answer::DoNotRelease => Verdict::DoNotRelease,
        },
        reasons: verdict.told(),
    }
}

/// Why a person's keys are still found, where nothing was done about it.
#[must_use]
pub fn left_reason(why: Option<&Unpartable>) -> LeftReason {
    match why {
        Some(Unpartable::Published(_) | Unpartable::Proved(_)) => LeftReason::Disclosed,
        Some(Unpartable::NoPartner) => LeftReason::NotPartable,
        None => LeftReason::NotTaken,
    }
}

/// The newly exposed people by reason.
fn exposed_because(found: &Protected<'_>) -> ExposedBecause {
    let mut because = ExposedBecause::default();
    for record in newly_exposed(found.learned) {
        let why = why_exposed(found.original, found.learned, found.screenings, record);
        *match left_reason(why.as_ref()) {
            LeftReason::Disclosed => &mut because.disclosed,
            LeftReason::NotPartable => &mut because.not_partable,
            LeftReason::NotTaken => &mut because.not_taken,
        } += u64::from(found.original.lines().located.weight(record));
    }
    because
}

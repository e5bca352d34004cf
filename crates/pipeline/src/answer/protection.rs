//! What intruders learn and what the gate says, with names.

use marginswap_core::encode::Schema;
use marginswap_core::verify::{self, Learned, NewPairs, WorstCase};
use marginswap_report::protection::{
    HouseholdProtection, Judgement, NewPair, Protection, Reason, ScenarioProtection, Verdict,
};

use super::{name, names};
use crate::compare::Comparison;
use crate::original::{Intruder, Original};

/// What intruders learn, in the worst case and each by itself.
#[must_use]
pub fn protection(
    original: &Original,
    learned: &[Learned],
    worst: Option<&WorstCase>,
    new_pairs: &NewPairs,
    households: Option<&[Learned]>,
) -> Protection {
    let lines = original.lines();
    let schema = lines.scope.schema();
    let persons = lines.intruders.iter().map(|intruder| (schema, intruder));
    // Intruders who look for whole households come behind those who look for persons.
    let of_households = original.intruders.iter().skip(lines.intruders.len());
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
        new_pairs_records: new_pairs.records,
        new_pairs_by_variables: new_pairs
            .by_pair
            .iter()
            .map(|found| NewPair {
                pair: found.pair.map(|variable| name(schema, variable)),
                combinations: found.new.combinations,
                records: found.new.records,
            })
            .collect(),
        ..Protection::default()
    };
    if let Some(worst) = worst {
        found = Protection {
            at_risk: worst.at_risk,
            gone: worst.gone,
            shared: worst.shared,
            matched: worst.matched,
            matched_right: worst.matched_right,
            shared_right: worst.shared_right,
            shared_learned: worst.shared_learned,
            protected: worst.protected,
            newly_exposed: worst.newly_exposed,
            ..found
        };
    }
    let household_fates =
        households.and_then(verify::worst_case).map(|worst| HouseholdProtection {
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
    let households = comparison.people.as_ref().map(|_| &comparison.verification.learned[..]);
    let worst = found.worst_case.as_ref();
    protection(&comparison.original, &found.learned, worst, &found.new_pairs, households)
}

fn scenario(schema: &Schema, intruder: &Intruder, learned: &Learned) -> ScenarioProtection {
    ScenarioProtection {
        name: intruder.name.clone(),
        keys: names(schema, learned.keys),
        sensitive: names(schema, learned.sensitive),
        at_risk: learned.at_risk,
        gone: learned.gone,
        shared: learned.shared,
        matched: learned.matched,
        matched_right: learned.matched_right,
        shared_right: learned.shared_right,
        shared_learned: learned.shared_unchanged + learned.shared_learned,
        protected: learned.protected(),
        shared_values_true: learned.shared_values.share().value(),
        shared_values_true_by_chance: learned.shared_values.by_chance.value(),
        values_true: learned.matched_values.share().value(),
        values_true_by_chance: learned.matched_values.by_chance.value(),
        matched_by_true_values: learned.matched_by_correct.clone(),
        newly_exposed: learned.newly_exposed,
    }
}

/// What the gate says of two files.
#[must_use]
pub fn judgement(comparison: &Comparison) -> Judgement {
    let mut reasons: Vec<Reason> = comparison.verdict.reasons.iter().map(reason).collect();
    let plan = comparison.plan.as_ref();
    if plan.is_some_and(|plan| !plan.fits_input || plan.gives_release == Some(false)) {
        reasons.insert(0, Reason::PlanDiffers);
    }
    if let Some(people) = comparison.people.as_ref().filter(|people| people.torn > 0) {
        reasons.insert(0, Reason::TornHouseholds { households: people.torn });
    }
    if comparison.unlinked.is_some() {
        reasons.insert(0, Reason::IdsDiffer);
    }
    if comparison.drifts_too_far() {
        let beyond = comparison.weighted.iter().filter(|table| table.beyond > 0).count();
        reasons.insert(0, Reason::WeightsDrift { tables: beyond as u64 });
    }
    Judgement {
        verdict: match comparison.verdict.answer {
            verify::Answer::Release => Verdict::Release,
            verify::Answer::Review => Verdict::Review,
            verify::Answer::DoNotRelease => Verdict::DoNotRelease,
        },
        reasons,
    }
}

fn reason(reason: &verify::Reason) -> Reason {
    use verify::Reason as Core;
    match *reason {
        Core::RecordsDiffer { before, after } => Reason::RecordsDiffer { before, after },
        Core::TablesDiffer { tables, of } => {
            Reason::TablesDiffer { tables: tables as u64, of: of as u64 }
        }
        Core::PublishedChanged { tables, of, cells } => {
            Reason::PublishedChanged { tables: tables as u64, of: of as u64, cells }
        }
        Core::PublishedUnchecked { tables } => Reason::PublishedUnchecked { tables: tables as u64 },
        Core::PublishedAlsoChanged { cells } => Reason::PublishedAlsoChanged { cells },
        Core::OneWayTablesDiffer { variables } => {
            Reason::OneWayTablesDiffer { variables: variables as u64 }
        }
        Core::LinkedColumnsDiffer { groups } => {
            Reason::LinkedColumnsDiffer { groups: groups as u64 }
        }
        Core::StayingColumnsDiffer => Reason::StayingColumnsDiffer,
        Core::DemoSeed => Reason::DemoSeed,
        Core::NothingExchanged { at_risk } => Reason::NothingExchanged { at_risk },
        Core::MatchedRight { people, tolerated } => Reason::MatchedRight { people, tolerated },
        Core::NoKeys => Reason::NoKeys,
        Core::NobodyChecked => Reason::NobodyChecked,
        Core::AloneNotCounted { people } => Reason::AloneNotCounted { people },
        Core::ColumnsTell { columns } => Reason::ColumnsTell { columns: columns as u64 },
        Core::NoTables => Reason::NoTables,
        Core::NobodyProtected { at_risk } => Reason::NobodyProtected { at_risk },
        Core::SharedRight { people, tolerated } => Reason::SharedRight { people, tolerated },
        Core::SharedLearned { people, tolerated } => Reason::SharedLearned { people, tolerated },
        Core::Matched { people, at_risk, tolerated } => {
            Reason::Matched { people, at_risk, tolerated }
        }
        Core::NewlyExposed { people, tolerated } => Reason::NewlyExposed { people, tolerated },
        Core::NotPartable { disclosed, others, tolerated } => {
            Reason::NotPartable { disclosed, others, tolerated }
        }
        Core::RulesBroken { before, after, tolerated } => {
            Reason::RulesBroken { before, after, tolerated }
        }
        Core::NewPairs { combinations, tolerated } => Reason::NewPairs { combinations, tolerated },
    }
}

//! What intruders learn and what the gate says, with names.

use marginswap_core::columns::{BrokenDependencies, Dependency};
use marginswap_core::encode::Schema;
use marginswap_core::partner::{KeyScreening, Unpartable};
use marginswap_core::plan::HiddenPeople;
use marginswap_core::verdict;
use marginswap_core::verify::{Found, Learned, NewPairs, WorstCase, found_by_any, worst_case};
use marginswap_report::found::{
    FoundByKeysKnown, FoundBySomeKeys, FoundPeople, SensitiveAlone, TrueAtLeast,
};
use marginswap_report::page::LeftReason;
use marginswap_report::protection::{
    self, BrokenDependency, ExposedBecause, Fates, HouseholdProtection, Judgement, NewPair,
    PreventedBy, Protection, ScenarioProtection,
};

use super::inspect::how;
use super::{name, names};
use crate::compare::{Comparison, newly_exposed, not_separable, why_exposed};
use crate::study::Study;
use crate::view::{Intruder, View};

/// What was counted of a file, released or foreseen.
#[derive(Clone, Copy)]
pub struct Protected<'a> {
    /// The original file.
    pub original: &'a Study,
    /// What each intruder learns.
    pub learned: &'a [Learned],
    /// Who is found by each who knows some of the keys.
    pub found: &'a [Option<Found>],
    /// The worst of it for every person.
    pub worst: Option<&'a WorstCase>,
    /// Two-way combinations that never occurred.
    pub new_pairs: &'a NewPairs,
    /// What every original record obeys and some do not.
    pub dependencies: &'a BrokenDependencies,
    /// For each intruder, who can be parted from the keys; none where nobody needs to be.
    pub screenings: &'a [KeyScreening],
    /// What each intruder learns about households, where these are swapped and the rest speaks
    /// of persons.
    pub households: Option<&'a [Learned]>,
    /// Who is hidden from anyone who knows any part of the keys, where a plan tells.
    pub hidden: Option<&'a HiddenPeople>,
}

/// What intruders learn, in the worst case and each by itself.
#[must_use]
pub fn protection(of: &Protected<'_>) -> Protection {
    let Protected {
        original,
        learned,
        found: by_some,
        worst,
        new_pairs,
        dependencies,
        screenings,
        households,
        hidden,
    } = *of;
    let people = original.people();
    let schema = people.scope.schema();
    let intruders = original.views().flat_map(|view| {
        let own = view.intruders.iter().skip(view.of_members);
        own.map(|intruder| (view.scope.schema(), intruder))
    });
    let scenarios: Vec<ScenarioProtection> = intruders
        .zip(learned.iter().zip(by_some))
        .map(|((schema, intruder), (learned, found))| {
            scenario(schema, intruder, learned, found.as_ref())
        })
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
        new_pairs_left_out: names(schema, people.many_levels()),
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
        dependencies_broken: dependencies
            .broken
            .iter()
            .map(|(dependency, records)| broken_dependency(people, dependency, *records))
            .collect(),
        dependencies_broken_records: dependencies.records,
        alone_by_model: people.alone_by_model(),
        disclosed: not_separable(original, learned, screenings)[0],
        disclosed_is_exact: screenings.iter().all(KeyScreening::proved_is_exact),
        newly_exposed_because: exposed_because(of),
        knows: (!learned.is_empty()).then(|| match original.units.asks_for_parts() {
            true => "any part",
            false => "all",
        }),
        hidden: hidden.map(|people| hidden_people(original, people)),
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
    found.found = found_by_any(by_some).map(|any| FoundPeople {
        found_before: any.found_before,
        found: any.found.people,
        newly_found: any.newly_found.people,
        found_by_chance: any.found.by_chance,
        newly_found_by_chance: any.newly_found.by_chance,
    });
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
        hidden: comparison.hidden.as_ref(),
        original: &comparison.original,
        learned: &found.learned,
        found: &found.found,
        worst: found.worst_case.as_ref(),
        new_pairs: &found.new_pairs,
        dependencies: &comparison.dependencies,
        screenings: &comparison.key_screenings,
        households: comparison.people.as_ref().map(|_| &comparison.verification.learned[..]),
    })
}

fn broken_dependency(lines: &View, found: &Dependency, records: u64) -> BrokenDependency {
    let name = |position: usize| lines.loaded.own_names()[position].clone();
    let (of, column) = found.columns();
    BrokenDependency {
        column: name(column),
        of: of.into_iter().map(name).collect(),
        how: how(found),
        records,
    }
}

fn scenario(
    schema: &Schema,
    intruder: &Intruder,
    learned: &Learned,
    found: Option<&Found>,
) -> ScenarioProtection {
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
        found: found.map(|found| found_by_some_keys(schema, found)),
    }
}

/// Who is found by an intruder who knows some of the keys.
fn found_by_some_keys(schema: &Schema, found: &Found) -> FoundBySomeKeys {
    let share = |[all, right]: [u64; 2]| (all > 0).then(|| right as f64 / all as f64);
    FoundBySomeKeys {
        people: FoundPeople {
            found_before: found.found_before,
            found: found.found.people,
            newly_found: found.newly_found.people,
            found_by_chance: found.found.by_chance,
            newly_found_by_chance: found.newly_found.by_chance,
        },
        true_at_least: (1..)
            .zip(&found.true_at_least)
            .map(|(values, beside)| TrueAtLeast {
                values,
                people: beside.people,
                by_chance: beside.by_chance,
            })
            .collect(),
        linked: found.linked.map(|linked| linked.people()),
        linked_by_chance: found.linked.map(|linked| linked.by_chance()),
        sensitive_alone: found
            .alone
            .iter()
            .map(|alone| SensitiveAlone {
                variable: name(schema, alone.variable),
                claims: alone.claims[0],
                share_right: share(alone.claims),
                share_right_by_chance: share(alone.claims_by_chance),
            })
            .collect(),
        found_by_keys_known: (0..)
            .zip(&found.by_keys_known)
            .map(|(keys, &[before, after, by_chance])| FoundByKeysKnown {
                keys,
                before,
                after,
                by_chance,
            })
            .collect(),
        found_roughly: found.roughly.map(|roughly| roughly.people),
        found_roughly_by_chance: found.roughly.map(|roughly| roughly.by_chance),
        exact_up_to: found.exact_up_to,
    }
}

/// What the gate says, without what one reason says after another.
#[must_use]
pub fn judgement(verdict: &verdict::Verdict) -> Judgement {
    Judgement { verdict: verdict.answer.into(), reasons: verdict.told() }
}

/// Why a person's keys are still found, where nothing was done about it.
#[must_use]
pub fn left_reason(why: Option<&Unpartable>) -> LeftReason {
    match why {
        Some(Unpartable::Published(_) | Unpartable::Proved(_)) => LeftReason::Disclosed,
        Some(Unpartable::NoPartner) => LeftReason::NotSeparable,
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
            LeftReason::NotSeparable => &mut because.not_separable,
            LeftReason::NotTaken => &mut because.not_taken,
        } += u64::from(found.original.people().located.weight(record));
    }
    because
}

/// Who is hidden, with the names of the tables that prevent it.
fn hidden_people(study: &Study, people: &HiddenPeople) -> protection::HiddenPeople {
    let units = &study.units;
    let schema = units.scope.schema();
    let prevented = people.prevented.iter();
    protection::HiddenPeople {
        crowd: units.project.crowd().unwrap_or_default().get(),
        hidden: people.hidden,
        values_replaced: people.replaced,
        not_hidden: people.left,
        cannot_be_hidden: people.cannot_be_hidden(),
        prevented_by: prevented
            .map(|&(table, people)| PreventedBy { table: names(schema, table), people })
            .collect(),
        known_roughly: known_roughly(study.people()),
        households: units.loaded.is_of_households(),
    }
}

/// The keys that intruders may know only roughly.
pub(super) fn known_roughly(people: &View) -> Vec<String> {
    let schema = people.scope.schema();
    people.roughly.iter().map(|rough| name(schema, rough.key)).collect()
}

//! The answers of `plan`, `protect` and `frontier` as text and JSON.
//!
//! `MARGINSWAP_BLESS=1 cargo test -p marginswap-report` writes the golden files again.

#![allow(clippy::unwrap_used, reason = "a test stops where it is surprised")]

use crate::support;

use std::collections::BTreeMap;

use marginswap_report::Answer;
use marginswap_report::advice::{Advice, Help};
use marginswap_report::found::{
    FoundByKeysKnown, FoundBySomeKeys, FoundPeople, SensitiveAlone, TrueAtLeast,
};
use marginswap_report::frontier::{FrontierPlan, FrontierReport};
use marginswap_report::plan::{Foreseen, LeftReport, PlanReport, ProtectReport};
use marginswap_report::protection::{
    ExposedBecause, Fates, HiddenPeople, Judgement, NewPair, PreventedBy, Protection, Reason,
    ScenarioProtection, Verdict,
};
use marginswap_report::verify::{Usefulness, VerifyReport, WeightedReport};
use support::assert_golden;

fn protection() -> Protection {
    let scenario = ScenarioProtection {
        name: None,
        keys: ["age", "sex"].map(str::to_owned).to_vec(),
        sensitive: ["income", "health"].map(str::to_owned).to_vec(),
        fates: Fates {
            at_risk: 17,
            gone: 12,
            shared: 2,
            matched: 3,
            matched_right: 1,
            shared_right: 1,
            shared_learned: 0,
            protected: 13,
            newly_exposed: 0,
        },
        values_true: Some(0.5),
        values_true_by_chance: Some(0.314),
        shared_values_true: None,
        shared_values_true_by_chance: None,
        matched_by_true_values: vec![1, 1, 1],
        found: Some(FoundBySomeKeys {
            people: FoundPeople {
                found_before: 17,
                found: 4,
                newly_found: 1,
                found_by_chance: 3,
                newly_found_by_chance: 2,
            },
            true_at_least: vec![
                TrueAtLeast { values: 1, people: 9, by_chance: 8 },
                TrueAtLeast { values: 2, people: 4, by_chance: 3 },
            ],
            linked: Some(5.25),
            linked_by_chance: Some(3.5),
            sensitive_alone: vec![
                SensitiveAlone {
                    variable: "income".to_owned(),
                    claims: 20,
                    share_right: Some(0.25),
                    share_right_by_chance: Some(0.2),
                },
                SensitiveAlone { variable: "health".to_owned(), ..SensitiveAlone::default() },
            ],
            found_by_keys_known: vec![
                FoundByKeysKnown { keys: 0, before: 0, after: 0, by_chance: 0 },
                FoundByKeysKnown { keys: 1, before: 2, after: 1, by_chance: 1 },
                FoundByKeysKnown { keys: 2, before: 15, after: 3, by_chance: 2 },
            ],
            found_roughly: Some(5),
            found_roughly_by_chance: Some(4),
            exact_up_to: 2,
        }),
    };
    Protection {
        household_fates: None,
        fates: Fates {
            at_risk: 17,
            gone: 12,
            shared: 2,
            matched: 3,
            matched_right: 1,
            shared_right: 1,
            shared_learned: 0,
            protected: 13,
            newly_exposed: 0,
        },
        found: Some(FoundPeople {
            found_before: 17,
            found: 4,
            newly_found: 1,
            found_by_chance: 3,
            newly_found_by_chance: 2,
        }),
        values_true: Some(0.5),
        values_true_by_chance: Some(0.314),
        disclosed: 1,
        disclosed_is_exact: true,
        alone_by_model: 3,
        newly_exposed_because: ExposedBecause::default(),
        knows: Some("any part"),
        hidden: Some(HiddenPeople {
            crowd: 5,
            hidden: 11,
            values_replaced: 2,
            not_hidden: 1,
            cannot_be_hidden: 3,
            prevented_by: vec![PreventedBy {
                table: vec!["age".to_owned(), "sex".to_owned()],
                people: 3,
            }],
            known_roughly: Vec::new(),
            households: false,
        }),
        new_pairs: 2,
        new_pairs_impossible: 1,
        new_pairs_left_out: vec!["postcode".to_owned()],
        new_pairs_records: 3,
        new_pairs_by_variables: vec![NewPair {
            pair: ["age", "income"].map(str::to_owned),
            combinations: 2,
            impossible: 0,
            records: 3,
        }],
        dependencies_broken: vec![],
        dependencies_broken_records: 0,
        scenarios: vec![scenario],
    }
}

fn plan() -> PlanReport {
    PlanReport {
        households: None,
        moved: vec![],
        then: None,
        distance: None,
        records: 400,
        protection: protection(),
        separable: 15,
        separated: 13,
        values_replaced: 1,
        covered: 14,
        covered_by_groups: 0,
        not_swappable_disclosed: 1,
        left: 3,
        without_swap_because: LeftReport { not_swappable: 1, taken: 2, ..LeftReport::default() },
        max_records: 2,
        impossible: None,
        not_found: None,
        barred: None,
        most_separated: Some(14),
        swaps: 8,
        groups: 0,
        groups_by_records: BTreeMap::new(),
        records_changed: 16,
        cells_changed: 20,
        cost: 31,
        tables: 2,
        broken_rules: 1,
        work_limit_reached: false,
        not_for_release: true,
        foreseen: Some(Foreseen {
            judgement: Judgement {
                verdict: Verdict::DoNotRelease,
                reasons: vec![
                    Reason::DemoSeed {},
                    Reason::Matched { people: 3, at_risk: 17, tolerated: 0 },
                ],
            },
            not_known: vec!["whether published numbers change"],
        }),
    }
}

fn larger() -> PlanReport {
    PlanReport {
        covered_by_groups: 2,
        max_records: 4,
        impossible: Some(1),
        not_found: Some(1),
        barred: Some(1),
        most_separated: None,
        groups: 2,
        groups_by_records: BTreeMap::from([(3, 1), (4, 1)]),
        ..plan()
    }
}

fn protect() -> ProtectReport {
    ProtectReport {
        verify: compared(),
        plan: plan(),
        released: "released.csv".to_owned(),
        cells_kept: 40,
    }
}

fn compared() -> VerifyReport {
    VerifyReport {
        households: None,
        judgement: Judgement {
            verdict: Verdict::Review,
            reasons: vec![Reason::Matched { people: 3, at_risk: 17, tolerated: 0 }],
        },
        equal: true,
        records_before: 400,
        records_after: 400,
        margins: vec![],
        published: vec![],
        protection: protection(),
        advice: vec![Advice {
            help: Help::SuppressOrRecode { people: 2 },
            helps: 2,
            command: None,
        }],
        replaced: 16,
        records_changed: Some(16),
        cells_changed: Some(20),
        changed_by_variable: None,
        new_pairs_revealed: None,
        requoted: vec![],
        usefulness: Usefulness {
            tables: 7,
            moved_mean: Some(0.003),
            moved_max: Some(0.012),
            most_moved: Some(["age", "job"].map(str::to_owned)),
            weighted_max: Some(0.0083),
        },
        weighted: vec![WeightedReport {
            margin: ["age", "sex"].map(str::to_owned).to_vec(),
            cells: 8,
            moved: 3,
            beyond: 0,
            largest: Some(0.0083),
        }],
        broken: vec![],
        unlinked: None,
        reordered: false,
        two_way: vec![],
        two_way_max: Some(0.012),
        two_way_mean: Some(0.003),
        three_way_max: None,
        three_way_mean: None,
    }
}

#[test]
fn golden_answers() {
    assert_golden("plan.txt", &plan().text());
    assert_golden("plan_larger.txt", &larger().text());
    assert_golden("protect.txt", &protect().text());
}

/// People who are left are those whom the plan neither parts nor detaches.
#[test]
fn the_parts_of_a_plan_add_up() {
    assert_eq!(plan().left, 3);
    let coverage = plan().coverage();
    assert_eq!(coverage.gone + coverage.shared + coverage.matched, coverage.at_risk);
    assert_eq!(coverage.separable, Some(15));
    // Two are shared, and the records of one of them give everything.
}

/// One object, with the names of the plan, of what is learned and of the verdict at its top.
#[test]
fn protect_is_flat_in_json() {
    let told = serde_json::to_value(protect()).unwrap();
    for (name, value) in
        [("at_risk", 17), ("gone", 12), ("matched", 3), ("separated", 13), ("values_replaced", 1)]
    {
        assert_eq!(told[name], value, "{name}");
    }
    assert_eq!(told["verdict"], "review");
    assert_eq!(told["disclosed_is_exact"], true);
    assert_eq!(told["weighted"][0]["moved"], 3);
    assert!(told.get("foreseen").is_none(), "the file is written");
    // No name is told twice.
    let text = serde_json::to_string(&protect()).unwrap();
    for name in ["records_changed", "cells_changed", "verdict", "gone", "new_pairs"] {
        let top = format!("\"{name}\":");
        let scenarios = usize::from(name == "gone");
        assert_eq!(text.matches(&top).count(), 1 + scenarios, "{name}");
    }
    let plan = serde_json::to_value(plan()).unwrap();
    assert_eq!(plan["foreseen"]["verdict"], "do_not_release");
    assert_eq!(plan["foreseen"]["reasons"][0]["reason"], "demo_seed");
    for gone in ["risky", "claims", "correct_claims", "uniques_after", "claims_before"] {
        assert!(told.get(gone).is_none(), "{gone}");
    }
}

/// Without exchanges and without equal tables the answer does not sound like a success.
#[test]
fn protect_says_in_the_first_line_that_nothing_was_exchanged() {
    let judgement = Judgement {
        verdict: Verdict::DoNotRelease,
        reasons: vec![Reason::NothingExchanged { at_risk: 17 }],
    };
    let mut nothing = protect();
    (nothing.verify.judgement, nothing.verify.equal) = (judgement, false);
    let text = nothing.text();
    let first = text.lines().next().unwrap();
    assert!(first.contains("do not release") && first.contains("nothing was exchanged"), "{text}");
    assert!(text.contains("NOT all unchanged"), "{text}");
    let mut unkeyed = protect();
    unkeyed.verify.protection = Protection::default();
    assert!(unkeyed.text().contains("no keys were named, so no risk was measured"));
    assert!(!unkeyed.text().contains("0 of 0"));
}

#[test]
fn the_frontier_tells_every_fate() {
    let plan = |number: usize, matched: u64| FrontierPlan {
        number,
        budget: Some("1 %".to_owned()),
        seed: 1,
        records_changed: 16,
        gone: 17 - matched,
        shared: 0,
        matched,
        matched_right: 1,
        newly_exposed: 2,
        change: 0.001 * number as f64,
        two_way_mean: 0.001,
        two_way_max: 0.01,
        undominated: true,
    };
    let report = FrontierReport {
        records: 400,
        at_risk: 17,
        not_separable: 2,
        disclosed: 1,
        larger_swaps: false,
        by_two_way: true,
        criterion: "the fewest matched, then the least change".to_owned(),
        chosen: Some(2),
        plans: vec![plan(1, 9), plan(2, 3)],
        not_for_release: false,
    };
    assert_golden("frontier.txt", &report.text());
}

//! The two pages: well-formed, without a reference to anything outside, readable without
//! style, and byte for byte as they were for a small case. What the external one must not
//! tell, it does not tell.
//!
//! `MARGINSWAP_BLESS=1 cargo test -p marginswap-report` writes the golden files again.

#![allow(clippy::unwrap_used, reason = "a test stops where it is surprised")]

use crate::support;
use crate::support::html;

use marginswap_core::varset::VarSet;
use marginswap_report::Answer;
use marginswap_report::found::{
    FoundByKeysKnown, FoundBySomeKeys, FoundPeople, SensitiveAlone, TrueAtLeast,
};
use marginswap_report::graph::{GraphReport, JunctionReport, SeparatorReport};
use marginswap_report::margin_graph::{self, GraphPicture, SeparatorPicture};
use marginswap_report::page::{
    Advice, Banded, ColumnFacts, ExternalHouseholds, ExternalReport, FileFacts, Help,
    HouseholdNames, InternalReport, LeftReason, LeftRecord, Merged, Method, NotKept, PlanFacts,
    RiskBefore, ThenFacts, WatchReport,
};
use marginswap_report::pictures::waterfall::Coverage;
use marginswap_report::plan::{Moved, MovedDistance};
use marginswap_report::protection::{
    ExposedBecause, Fates, HouseholdProtection, Judgement, NewPair, Protection, Reason,
    ScenarioProtection, Verdict,
};
use marginswap_report::verify::{
    Counted, HouseholdsReport, MarginReport, TwoWayReport, Usefulness, VariableReport, VerifyReport,
};
use support::assert_golden;

/// Four people who are alone with the first and the third variable; the intruder wants to learn
/// the second.
fn learned(names: [&str; 3]) -> Protection {
    let list = |positions: &[usize]| positions.iter().map(|&one| names[one].to_owned()).collect();
    let scenario = ScenarioProtection {
        name: None,
        keys: list(&[0, 2]),
        sensitive: list(&[1]),
        fates: Fates {
            at_risk: 4,
            gone: 1,
            shared: 1,
            matched: 2,
            matched_right: 1,
            shared_right: 0,
            shared_learned: 0,
            protected: 2,
            newly_exposed: 0,
        },
        values_true: Some(0.5),
        values_true_by_chance: Some(0.375),
        shared_values_true: None,
        shared_values_true_by_chance: None,
        matched_by_true_values: vec![1, 1],
        found: Some(FoundBySomeKeys {
            people: FoundPeople {
                found_before: 4,
                found: 2,
                newly_found: 0,
                found_by_chance: 1,
                newly_found_by_chance: 0,
            },
            true_at_least: vec![TrueAtLeast { values: 1, people: 2, by_chance: 1 }],
            linked: Some(1.5),
            linked_by_chance: Some(1.0),
            sensitive_alone: vec![SensitiveAlone {
                variable: names[1].to_owned(),
                claims: 3,
                share_right: Some(0.5),
                share_right_by_chance: None,
            }],
            found_by_keys_known: vec![
                FoundByKeysKnown { keys: 1, before: 1, after: 0, by_chance: 0 },
                FoundByKeysKnown { keys: 2, before: 3, after: 2, by_chance: 1 },
            ],
            found_roughly: None,
            found_roughly_by_chance: None,
            exact_up_to: 2,
        }),
    };
    Protection {
        knows: Some("all"),
        hidden: None,
        household_fates: None,
        fates: Fates {
            at_risk: 4,
            gone: 1,
            shared: 1,
            matched: 2,
            matched_right: 1,
            shared_right: 0,
            shared_learned: 0,
            protected: 2,
            newly_exposed: 0,
        },
        found: Some(FoundPeople {
            found_before: 4,
            found: 2,
            found_by_chance: 1,
            ..Default::default()
        }),
        values_true: scenario.values_true,
        values_true_by_chance: scenario.values_true_by_chance,
        disclosed: 1,
        disclosed_is_exact: true,
        alone_by_model: 0,
        newly_exposed_because: ExposedBecause::default(),
        new_pairs: 1,
        new_pairs_impossible: 0,
        new_pairs_left_out: vec![],
        new_pairs_records: 2,
        new_pairs_by_variables: vec![NewPair {
            pair: [names[1].to_owned(), names[2].to_owned()],
            combinations: 1,
            impossible: 0,
            records: 2,
        }],
        dependencies_broken: vec![],
        dependencies_broken_records: 0,
        scenarios: vec![scenario],
    }
}

fn review() -> Judgement {
    Judgement {
        verdict: Verdict::Review,
        reasons: vec![
            Reason::MatchedRight { people: 1, tolerated: 0 },
            Reason::Matched { people: 2, at_risk: 4, tolerated: 0 },
        ],
    }
}

/// Four records, of which the first two exchanged what they have in the third variable. The
/// first two variables are in one kept table, the third is in another.
fn compared(names: [&str; 3]) -> VerifyReport {
    let list = |positions: &[usize]| positions.iter().map(|&one| names[one].to_owned()).collect();
    let margin = |positions| MarginReport {
        counts: None,
        margin: list(positions),
        name: None,
        cells: 4,
        changed: 0,
    };
    let two_way = |pair: [usize; 2], kept, moved: [f64; 2], association| TwoWayReport {
        pair: pair.map(|one| names[one].to_owned()),
        kept,
        changed: if moved[0] > 0.0 { 4 } else { 0 },
        total_variation: moved[0],
        hellinger: moved[1],
        cramers_v_before: Some(association),
        cramers_v_after: Some(association),
    };
    let changed = names.iter().zip([0, 0, 2]);
    VerifyReport {
        published: vec![],
        equal: true,
        records_before: 4,
        records_after: 4,
        households: None,
        margins: vec![margin(&[0, 1]), margin(&[2])],
        records_changed: Some(2),
        cells_changed: Some(2),
        changed_by_variable: Some(
            changed
                .map(|(name, changed)| VariableReport { variable: (*name).to_owned(), changed })
                .collect(),
        ),
        replaced: 2,
        judgement: review(),
        protection: learned(names),
        weighted: vec![],
        usefulness: Usefulness {
            tables: 2,
            moved_mean: Some(0.25),
            moved_max: Some(0.5),
            most_moved: Some([names[1].to_owned(), names[2].to_owned()]),
            weighted_max: None,
        },
        new_pairs_revealed: None,
        requoted: vec![],
        advice: [
            Help::LargerSwaps { max_records: 4, frees: 1, asked: 2, not_asked: 0 },
            Help::WithoutTable {
                table: vec![names[0].to_owned(), names[1].to_owned()],
                frees: 1,
                hides: false,
            },
            Help::CoarserKey {
                key: names[2].to_owned(),
                now: 4,
                bands: vec![Banded { width: 10, at_risk: 2 }],
                merged: Some(Merged { categories: 3, at_risk: 1 }),
                left_out: 0,
            },
            Help::SuppressOrRecode { people: 1 },
        ]
        .map(|help| Advice { help, helps: 1, command: None })
        .to_vec(),
        broken: Vec::new(),
        unlinked: None,
        reordered: false,
        two_way: vec![
            two_way([0, 1], true, [0.0, 0.0], 0.0),
            two_way([0, 2], false, [0.0, 0.0], 1.0),
            two_way([1, 2], false, [0.5, 0.5f64.sqrt()], 1.0),
        ],
        two_way_max: Some(0.5),
        two_way_mean: Some(0.25),
        three_way_max: None,
        three_way_mean: None,
    }
}

/// The first two variables are tied, the third is alone.
fn graph(names: [&str; 3]) -> (GraphReport, marginswap_report::Picture) {
    let list = |positions: &[usize]| -> Vec<String> {
        positions.iter().map(|&one| names[one].to_owned()).collect()
    };
    let tables = vec![list(&[0, 1]), list(&[2])];
    let report = GraphReport {
        tables: vec![],
        variables: list(&[0, 1, 2]),
        margins: tables.clone(),
        absorbed: Vec::new(),
        uncovered: Vec::new(),
        stays: Vec::new(),
        stay_margin: None,
        derived: vec![],
        edges: vec![[names[0], names[1]].map(str::to_owned)],
        complete: false,
        chordal: true,
        graphical: true,
        decomposable: true,
        cliques: Some(tables.clone()),
        junction_tree: Some(vec![JunctionReport {
            from: tables[0].clone(),
            to: tables[1].clone(),
            separator: Vec::new(),
        }]),
        separators: vec![SeparatorReport { separator: Vec::new(), components: tables }],
        separators_complete: true,
    };
    let sets = vec![VarSet::from([0, 1]), VarSet::single(2)];
    let picture = margin_graph::draw(&GraphPicture {
        names: names.to_vec(),
        tables: sets.clone(),
        edges: vec![(0, 1)],
        separators: vec![SeparatorPicture { separator: VarSet::EMPTY, components: sets }],
        separators_complete: true,
        ..GraphPicture::default()
    });
    (report, picture)
}

fn internal(names: [&str; 3]) -> InternalReport {
    let (graph, graph_picture) = graph(names);
    let file = |name: &str, digit: &str| FileFacts {
        name: name.to_owned(),
        bytes: 1234,
        sha256: digit.repeat(64),
        records: 4,
    };
    InternalReport {
        certificate: None,
        class: "INTERNAL",
        tool_version: "0.0.0",
        before: file("survey.csv", "a"),
        after: file("released.csv", "b"),
        columns: names
            .iter()
            .map(|name| ColumnFacts {
                name: (*name).to_owned(),
                role: "values were exchanged".to_owned(),
                levels: Some(4),
                levels_is_exact: true,
                released: true,
            })
            .chain([ColumnFacts {
                name: "person_id".to_owned(),
                role: "id".to_owned(),
                levels: None,
                levels_is_exact: true,
                released: false,
            }])
            .collect(),
        rule: Some("people who are alone with their keys".to_owned()),
        graph,
        graph_picture,
        risk_before: vec![RiskBefore {
            name: None,
            keys: vec![names[0].to_owned(), names[2].to_owned()],
            sample_uniques: 4,
            unique_on_keys: 4,
            below_3: 4,
            below_5: 4,
        }],
        coverage: Some(Coverage::of(4, Some(3), &learned(names))),
        verify: compared(names),
        watched: vec![WatchReport {
            table: names.map(str::to_owned).to_vec(),
            changed: 4,
            total_variation: 0.5,
            hellinger: 0.7,
        }],
        method: Method { parameters: vec![("pairing".to_owned(), "greedy".to_owned())] },
        plan: Some(PlanFacts {
            name: "swap.plan".to_owned(),
            tool_version: "0.0.0".to_owned(),
            swaps: 1,
            groups: 0,
            then: None,
            fits_input: true,
            gives_release: Some(true),
            not_for_release: false,
        }),
        moved: vec![],
        distance: Some(MovedDistance::of(
            "town".into(),
            "km".into(),
            [3, 0],
            vec![1.0, 12.5, 40.0],
        )),
        replay: vec!["marginswap apply survey.csv swap.plan -o released.csv".to_owned()],
        shuffled: false,
        left_records: None,
        exposed_records: None,
    }
}

/// The external report of a file that the gate releases.
fn published(report: &InternalReport, demonstration: bool) -> Result<ExternalReport, NotKept> {
    let released = report.columns.iter().filter(|column| column.released);
    let may_differ = released.map(|column| column.name.clone()).collect();
    let judgement = Judgement { verdict: Verdict::Release, reasons: Vec::new() };
    let verify = VerifyReport { judgement, ..report.verify.clone() };
    ExternalReport::new(&verify, &report.watched, may_differ, demonstration)
}

const NAMES: [&str; 3] = ["region", "sex", "age"];

/// The version is on the page and changes with every release.
fn without_version(page: &str) -> String {
    page.replace(env!("CARGO_PKG_VERSION"), "VERSION")
}

#[test]
fn golden_pages() {
    let report = internal(NAMES);
    html::checked(&report.html());
    assert_golden("internal.html", &report.html());
    let external = published(&report, false).unwrap();
    html::checked(&external.html());
    assert_golden("external.html", &without_version(&external.html()));
}

/// Whole households: the pages tell what was exchanged, what each table counts, and how far
/// households moved.
#[test]
fn pages_of_households() {
    let mut report = internal(NAMES);
    let households = HouseholdsReport { before: 3, after: 3, changed: Some(2), torn: 0 };
    report.verify.households = Some(households);
    report.verify.margins[0].counts = Some(Counted::Persons);
    report.verify.margins[1].counts = Some(Counted::Households);
    report.verify.protection.household_fates = Some(HouseholdProtection {
        at_risk: 2,
        gone: 1,
        matched: 1,
        protected: 1,
        ..Default::default()
    });
    report.plan =
        report.plan.map(|plan| PlanFacts { then: Some(ThenFacts { swaps: 4, groups: 1 }), ..plan });
    report.distance = None;
    report.moved = vec![
        Moved { within: Some("town".to_owned()), records: 2 },
        Moved { within: None, records: 0 },
    ];
    let text = html::plain(&html::checked(&report.html()));
    for words in [
        "gone: no released household has their keys | 1 | 50.0 %",
        "3 households in both files, 2 changed; the members of each are together.",
        "1 swap of two households, then 4 swaps of two persons and 1 group of more",
        "within the same town | 2 | 100.0 %",
        "How far households moved",
        "region*sex (persons) | unchanged | 4 | 0",
    ] {
        assert!(text.contains(words), "{words:?} in\n{text}");
    }
    let told = |names, then_persons| {
        let page = published(&report, false).unwrap();
        let page = page.of_households(ExternalHouseholds { households: 3, names, then_persons });
        html::plain(&html::checked(&page.html()))
    };
    let text = told(HouseholdNames::New, true);
    for words in ["have new names", "single persons exchanged", "age | households | unchanged"] {
        assert!(text.contains(words), "{words:?} in\n{text}");
    }
    let text = told(HouseholdNames::Original, false);
    assert!(text.contains("have the names that they have in the original"), "{text}");
    assert!(!text.contains("single persons"), "{text}");
}

/// Without style and pictures the pages read from top to bottom.
#[test]
fn pages_are_readable_without_style() {
    let report = internal(NAMES);
    let text = html::plain(&html::checked(&report.html()));
    assert_golden("internal.txt", &text);
    for line in [
        "INTERNAL For those who decide on the release. Do not publish.",
        "Protection report",
        "? A reviewer must decide.",
        "1 person at risk is still matched, with every sensitive value true.",
        "region*sex | unchanged | 4 | 0",
        "matched: exactly one record has them | 2 | 50.0 %",
        "1 of 1 true | 1 | 50.0 %",
        "Two-way tables: 3. Kept exactly: 1. Not kept and unchanged: 1. Changed: 1.",
    ] {
        assert!(text.lines().any(|other| other == line), "{line:?} in\n{text}");
    }
    let external = published(&report, false).unwrap();
    let text = html::plain(&html::checked(&external.html()));
    assert!(
        text.contains(
            "Records that contain values of another record: not stated, because any range would tell too much."
        ),
        "{text}"
    );
    assert!(text.contains("A record is not a person."));
}

/// Every reason is a sentence of the page and of the text.
#[test]
fn every_reason_is_a_sentence_of_the_page() {
    let cases = [
        (
            Reason::RecordsDiffer { before: 5, after: 4 },
            "the original has 5 records, the released file 4",
        ),
        (
            Reason::HouseholdsDiffer { before: 5, after: 4 },
            "the original has 5 households, the released file 4",
        ),
        (Reason::TablesDiffer { tables: 1, of: 2 }, "1 of 2 kept tables differs"),
        (Reason::OneWayTablesDiffer { variables: 2 }, "the counts of 2 variables differ"),
        (Reason::LinkedColumnsDiffer { groups: 1 }, "1 group of linked columns no longer belongs"),
        (Reason::StayingColumnsDiffer {}, "columns that must stay"),
        (Reason::PlanDiffers {}, "the plan does not lead"),
        (Reason::IdsDiffer {}, "the ids of the two files"),
        (Reason::DemoSeed {}, "demo seed"),
        (
            Reason::NothingExchanged { at_risk: 7 },
            "nothing was exchanged although 7 people are at risk",
        ),
        (
            Reason::MatchedRight { people: 2, tolerated: 0 },
            "2 people at risk are still matched, with",
        ),
        (
            Reason::NotHidden { people: 1, at_risk: 17, tolerated: 0 },
            "1 of 17 at risk is not hidden from anyone who knows some of the keys",
        ),
        (Reason::HidingNotCounted {}, "who is hidden was not counted: single persons exchange"),
        (
            Reason::CannotBeHidden { people: 3, at_risk: 17, tolerated: 0 },
            "3 of 17 at risk cannot be hidden by swapping: a kept table prevents it",
        ),
        (
            Reason::FoundBeyondChance { people: 90, by_chance: 12, counts: 2, of: 9 },
            "people at risk are found more often than by chance: 90, by chance 12 (too high in 2 of 9 counts)",
        ),
        (
            Reason::NewlyFound { people: 30, by_chance: 2 },
            "30 people are newly found through some of the keys, by chance 2",
        ),
        (
            Reason::FoundBelowChance { people: 1, by_chance: 60, counts: 1, of: 9 },
            "look-ups of people at risk are less often right than by chance, which also tells: 1, by chance 60 (too low in 1 of 9 counts)",
        ),
        (Reason::NoKeys {}, "no keys were named"),
        (Reason::NobodyChecked {}, "nobody is at risk"),
        (Reason::NoTables {}, "no tables to keep were named"),
        (Reason::NobodyProtected { at_risk: 3 }, "none of the 3 people at risk is protected"),
        (
            Reason::SharedRight { people: 1, tolerated: 0 },
            "every sensitive value of 1 person at risk",
        ),
        (
            Reason::SharedLearned { people: 2, tolerated: 0 },
            "the keys of 2 people at risk are shared by the same records as before",
        ),
        (
            Reason::Matched { people: 12, at_risk: 17, tolerated: 3 },
            "12 of 17 people at risk are still matched (at most 3 tolerated)",
        ),
        (Reason::NewlyExposed { people: 1, tolerated: 0 }, "newly exposes 1 person"),
        (
            Reason::NotSeparable { disclosed: 1, others: 2, undecided: 2, tolerated: 0 },
            "from their keys; the kept tables disclose at least 1 of these",
        ),
        (
            Reason::NotSeparable { disclosed: 0, others: 2, undecided: 2, tolerated: 0 },
            "separates 2 people at risk from their keys; whether the kept tables disclose them is not decided",
        ),
        (
            Reason::PublishedCategoriesMissing { categories: 2, tables: 1 },
            "2 published categories of 1 table occur in no record of the original",
        ),
        (
            Reason::NotSeparable { disclosed: 1, others: 2, undecided: 0, tolerated: 0 },
            "separates 3 people at risk from their keys; the kept tables disclose 1 of these",
        ),
        (Reason::IdsReleased { columns: 1 }, "1 released column names nearly every record"),
        (
            Reason::ColumnsTell { columns: 2 },
            "2 released columns that are not exchanged give swaps",
        ),
        (
            Reason::ColumnsUnchecked { columns: 1 },
            "whether 1 released column that is not exchanged gives swaps away was not checked",
        ),
        (Reason::RulesBroken { before: 1, after: 2, tolerated: 0 }, "2 records break a rule"),
        (
            Reason::NewPairs { combinations: 9, impossible: 2, tolerated: 1 },
            "9 combinations of two values in the released file never occur in the original: 7 \
             absent by rarity, 2 between frequent values look impossible (at most 1 tolerated)",
        ),
        (
            Reason::NewPairs { combinations: 2, impossible: 0, tolerated: 0 },
            "never occur in the original: absent from the original by rarity",
        ),
        (
            Reason::NewPairs { combinations: 1, impossible: 1, tolerated: 0 },
            "never occurs in the original: its values are frequent, so it looks impossible",
        ),
        (
            Reason::DependenciesBroken { dependencies: 1, records: 1_128, tolerated: 0 },
            "1,128 released records break what every original record obeys: 1 column follows from \
             others",
        ),
        (
            Reason::TablesMoved { tables: 2, of: 10, largest: 48, records: 100, tolerated: 10 },
            "2 of 10 two-way tables not kept move by more than 10.0 % of the records, 48.0 % at most",
        ),
    ];
    for (reason, words) in cases {
        let mut report = internal(NAMES);
        let is_demo = matches!(reason, Reason::DemoSeed {});
        report.verify.judgement =
            Judgement { verdict: Verdict::DoNotRelease, reasons: vec![reason] };
        let text = report.text();
        if is_demo {
            let first = "Verdict: DEMO ONLY (public seed). With a seed of your own: release";
            assert_eq!(text.lines().next(), Some(first));
        } else {
            assert!(text.starts_with("Verdict: do not release") && text.contains(words), "{text}");
        }
        let page = html::plain(&html::checked(&report.html()));
        assert!(page.contains("Do not release this file."), "{words}");
        // A sentence begins with a capital.
        assert!(page.contains(&words[1..]), "{words} in\n{page}");
    }
}

/// That nothing was exchanged is in the first line of every answer.
#[test]
fn nothing_exchanged_is_said_in_the_first_line() {
    let judgement = Judgement {
        verdict: Verdict::DoNotRelease,
        reasons: vec![
            Reason::DemoSeed {},
            Reason::NothingExchanged { at_risk: 17 },
            Reason::NobodyProtected { at_risk: 17 },
        ],
    };
    let text = VerifyReport { judgement, ..compared(NAMES) }.text();
    let first = "Verdict: DEMO ONLY (public seed). With a seed of your own: do not release; nothing \
                 was exchanged although 17 people are at risk";
    assert_eq!(text.lines().next(), Some(first));
    assert_eq!(text.matches("nothing was exchanged").count(), 1);
    assert!(text.contains("  - none of the 17 people at risk is protected\n"), "{text}");
}

/// The verdict is the first thing that is read, then tables, what is learned, what changed.
#[test]
fn verify_says_the_verdict_first() {
    let text = compared(NAMES).text();
    let places = [
        "Verdict: a reviewer must decide",
        "Every kept table is unchanged",
        "An intruder who knows region, age:",
        "true on matched records: 50.0 %; on a random record: 37.5 %.",
        "New pairs: 1 combination of two values that the original does not have, in 2 released",
        "original records replaced",
        "3 two-way tables",
    ]
    .map(|words| text.find(words).unwrap_or_else(|| panic!("{words:?} in\n{text}")));
    assert!(places.is_sorted() && places[0] == 0, "{text}");
    assert_golden("verify.txt", &text);
}

/// The JSON has the names that programs rely on, at the top.
#[test]
fn verify_keeps_its_names_in_json() {
    let told = serde_json::to_value(compared(NAMES)).unwrap();
    for name in [
        "at_risk",
        "gone",
        "shared",
        "matched",
        "matched_right",
        "values_true",
        "values_true_by_chance",
        "newly_exposed",
        "new_pairs",
        "verdict",
        "reasons",
        "replaced",
        "scenarios",
    ] {
        assert!(told.get(name).is_some(), "{name}");
    }
    assert_eq!(told["verdict"], "review");
    assert_eq!(told["reasons"][0]["reason"], "matched_right");
    assert_eq!(told["scenarios"][0]["matched_by_true_values"][1], 1);
    for name in ["found_before", "found", "newly_found", "found_by_chance", "newly_found_by_chance"]
    {
        assert!(told[name].is_u64() && told["scenarios"][0][name].is_u64(), "{name}");
    }
    let told = &told["scenarios"][0];
    assert_eq!(
        told["true_at_least"][0],
        serde_json::json!({"values": 1, "people": 2, "by_chance": 1})
    );
    assert_eq!(told["sensitive_alone"][0]["claims"], 3);
    assert_eq!(told["found_by_keys_known"][1]["after"], 2);
    for name in
        ["linked", "linked_by_chance", "found_roughly", "found_roughly_by_chance", "exact_up_to"]
    {
        assert!(told.get(name).is_some(), "{name}");
    }
}

/// Every scenario has its own pictures, and the worst case a table.
#[test]
fn every_scenario_is_on_the_page() {
    let mut report = internal(NAMES);
    let text = html::plain(&html::checked(&report.html()));
    assert!(!text.contains("Scenario 1") && !text.contains("The worst of all"), "{text}");
    let second = ScenarioProtection {
        name: Some("neighbour".to_owned()),
        keys: vec!["sex".to_owned()],
        ..report.verify.protection.scenarios[0].clone()
    };
    report.verify.protection.scenarios.push(second);
    report.verify.protection.fates.newly_exposed = 3;
    report.verify.protection.newly_exposed_because =
        ExposedBecause { disclosed: 1, not_separable: 0, not_taken: 2 };
    let page = html::checked(&report.html());
    let text = html::plain(&page);
    for words in [
        "Scenario “neighbour”",
        "The worst of all scenarios",
        "3 people newly found.",
        "the kept tables already disclose the keys (1); no allowed swap was left for them (2)",
    ] {
        assert!(text.contains(words), "{words} in\n{text}");
    }
    assert!(report.verify.text().contains("In the worst of these 2 scenarios"));
}

/// Columns that are not released are told apart from those that are.
#[test]
fn columns_held_back_are_told_apart() {
    let text = html::plain(&html::checked(&internal(NAMES).html()));
    let [released, held] = ["Every column of the released file", "not in the released file"]
        .map(|words| text.find(words).unwrap());
    assert!(released < held && text.find("person_id").unwrap() > held, "{text}");
}

/// Advice is told with its numbers in text, JSON and page.
#[test]
fn advice_is_told_everywhere() {
    let report = internal(NAMES);
    let page = html::plain(&html::checked(&report.html()));
    for words in [
        "(--max-records 4): they would separate 1 of 2 people from their keys.",
        "Do not keep region*sex: without it 1 person can be separated from their keys.",
        "instead of 4 people at risk there would be 2 in bands of 10, 1 with its 3 rarest categories",
        "For 1 person no swap was found that helps: suppress or recode",
    ] {
        assert!(page.contains(words), "{words} in\n{page}");
        assert!(report.text().contains(words), "{words} in\n{}", report.text());
    }
    let told = serde_json::to_value(&report).unwrap();
    assert_eq!(told["advice"][1]["advice"], "without_table");
    assert_eq!(told["advice"][2]["bands"][0]["width"], 10);
}

#[test]
fn a_table_that_is_not_kept_says_so() {
    let mut report = internal(NAMES);
    assert!(!report.html().contains("DIFFERS"));
    report.verify.margins[0].changed = 2;
    assert!(html::plain(&html::checked(&report.html())).contains("DIFFERS"));
}

/// The released lines come in the same order again only with the seed: said where a plan is
/// given and the lines are shuffled, and not because a file's name looks like an option.
#[test]
fn a_random_order_is_told() {
    let words = "The released file is in random order";
    let mut report = internal(NAMES);
    report.replay = vec![
        "marginswap apply 'my --shuffle file.csv' swap.plan --seed-file survey.seed".to_owned(),
    ];
    assert!(!report.html().contains(words));
    report.shuffled = true;
    assert!(report.html().contains(words));
}

/// What is missing leaves no hole in the page.
#[test]
fn a_page_of_little_is_a_page() {
    let mut report = internal(NAMES);
    report.rule = None;
    report.coverage = None;
    report.risk_before.clear();
    report.verify.advice.clear();
    report.columns.clear();
    report.plan = None;
    report.watched.clear();
    report.verify.protection = Protection::default();
    report.verify.records_changed = None;
    report.verify.changed_by_variable = None;
    report.verify.two_way.clear();
    report.method.parameters.clear();
    report.verify.judgement.reasons = vec![Reason::NoKeys {}];
    let root = html::checked(&report.html());
    assert!(html::plain(&root).contains("No keys were named"));
}

#[test]
fn records_are_named_only_when_revealed() {
    let mut report = internal(NAMES);
    assert!(!report.html().contains("Revealed"));
    let reasons = [LeftReason::Disclosed, LeftReason::NotSeparable, LeftReason::NotTaken];
    let left = reasons.map(|reason| LeftRecord { record: 4711, reason });
    report.left_records = Some(left.to_vec());
    let exposed = LeftRecord { record: 1234, reason: LeftReason::NotTaken };
    report.exposed_records = Some(vec![exposed]);
    let text = html::plain(&html::checked(&report.html()));
    assert!(text.contains("4,711 | the kept tables already disclose the keys"), "{text}");
    assert!(
        text.contains("4,711 | no swap of two records separates them from their keys"),
        "{text}"
    );
    assert!(text.contains("4,711 | no allowed swap was left for them"), "{text}");
    assert!(text.contains("1,234 | no allowed swap was left for them"), "{text}");
    let told = serde_json::to_value(&report).unwrap();
    assert_eq!(told["left_records"][2]["reason"], "not_taken");
    assert_eq!(told["exposed_records"][0]["record"], 1234);
}

#[test]
fn hostile_names_are_only_names() {
    let names = ["<script>alert(1)</script>", "شماره\u{202E}ملی\u{0}\u{FFFE}", "\"'&--></style>"];
    let report = internal(names);
    for page in [report.html(), published(&report, true).unwrap().html()] {
        let root = html::checked(&page);
        assert_eq!(root.named("script").count(), 0);
        assert!(html::plain(&root).contains("<script>alert(1)</script>"));
    }
}

/// The external report has no way to tell what it must not tell.
#[test]
fn the_external_report_tells_nothing_exact() {
    let report = internal(NAMES);
    let external = published(&report, false).unwrap();
    let told = serde_json::to_value(&external).unwrap();
    let fields: Vec<&String> = told.as_object().unwrap().keys().collect();
    let mut expected = [
        "class",
        "tool_version",
        "records",
        "tables",
        "extent",
        "protected",
        "variables",
        "may_differ",
        "two_way",
        "watched",
        "demonstration",
        "verdict",
    ];
    expected.sort_unstable();
    let mut fields: Vec<&str> = fields.into_iter().map(String::as_str).collect();
    fields.sort_unstable();
    assert_eq!(fields, expected);
    // Four records are too few for any range.
    assert_eq!(told["extent"], serde_json::Value::Null);
    assert_eq!(told["protected"], serde_json::Value::Null);
    assert_eq!(told["watched"][0]["moved"], "not told");
    let json = told.to_string();
    for exact in ["0.5", "50.0", "37.5", "aaaa", "bbbb", "swap.plan", "survey.csv", "person_id"] {
        assert!(!json.contains(exact), "{exact}");
        assert!(!html::plain(&html::checked(&external.html())).contains(exact), "{exact}");
    }
    let mut broken = internal(NAMES);
    broken.verify.equal = false;
    assert_eq!(published(&broken, false).unwrap_err(), NotKept);
}

/// Swaps of two and larger ones are told apart.
#[test]
fn groups_are_told_apart_from_swaps() {
    let mut report = internal(NAMES);
    let text = |report: &InternalReport| html::plain(&html::checked(&report.html()));
    assert!(text(&report).contains("has 1 swap of two records. It was made"));
    report.plan = Some(PlanFacts { swaps: 0, groups: 17, ..report.plan.unwrap() });
    let told = text(&report);
    assert!(told.contains("has 0 swaps of two records and 17 groups of more."), "{told}");
}

/// How much was exchanged is told by range, also when the records are not linked.
#[test]
fn the_extent_needs_no_links() {
    let mut report = internal(NAMES);
    (report.verify.records_before, report.verify.replaced) = (10_000, 700);
    for changed in [None, Some(720)] {
        report.verify.records_changed = changed;
        let external = published(&report, false).unwrap();
        let told = serde_json::to_value(&external).unwrap();
        assert_eq!(told["extent"], "between 5 % and 10 % of the records");
    }
}

/// Counts that no swap can change, and ids that do not match, are named on the page.
#[test]
fn differences_that_no_swap_makes_are_named() {
    let mut report = internal(NAMES);
    report.verify.broken = vec![vec!["region".to_owned(), "age".to_owned()]];
    report.verify.unlinked = Some("2 ids occur twice".to_owned());
    let page = html::plain(&html::checked(&report.html()));
    for words in ["Counts differ that no swap can change:", "region and age", "2 ids occur twice."]
    {
        assert!(page.contains(words), "{words} in\n{page}");
    }
    assert!(report.verify.text().contains("The counts of region, age differ, although no swap"));
}

/// How many people are protected is told as a range, and nobody is counted.
#[test]
fn the_external_report_tells_people_by_range() {
    let mut report = internal(NAMES);
    let protection = &mut report.verify.protection;
    (protection.fates.at_risk, protection.fates.gone, protection.fates.protected) =
        (1_234, 1_111, 1_187);
    (protection.fates.shared, protection.fates.matched, protection.fates.matched_right) =
        (76, 47, 29);
    let external = published(&report, false).unwrap();
    let page = html::plain(&html::checked(&external.html()));
    assert!(
        page.contains("more than 90 % of them no longer match a record of their own"),
        "{page}"
    );
    let json = serde_json::to_value(&external).unwrap();
    assert_eq!(json["protected"], "more than 90 %");
    let json = json.to_string();
    for count in ["1,234", "1234", "1,111", "1111", "1,187", "1187", "47", "29", "76", "96"] {
        assert!(!page.contains(count) && !json.contains(count), "{count} in\n{page}\n{json}");
    }
    for word in ["claim", "erdict", "do not release", "newly exposed", "seed"] {
        assert!(!page.contains(word), "{word} in\n{page}");
    }
}

/// A page about a demonstration is not one to be published.
#[test]
fn a_demonstration_is_not_releasable() {
    let report = internal(NAMES);
    let page = published(&report, true).unwrap();
    let text = html::plain(&html::checked(&page.html()));
    assert!(!page.is_releasable() && !page.html().contains("RELEASABLE"), "{text}");
    assert!(!text.contains("May be published") && text.contains("NOT FOR RELEASE"), "{text}");
    assert!(page.text().starts_with("NOT FOR RELEASE"));
    assert!(published(&report, false).unwrap().is_releasable());
}

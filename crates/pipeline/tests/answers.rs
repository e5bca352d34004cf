//! Answers made from what was found: a comparison of two small files, its words, and the
//! verdict on it.

#![allow(clippy::unwrap_used, reason = "a test stops where it is surprised")]

use std::collections::BTreeSet;

use marginswap_core::columns::Roles;
use marginswap_core::encode::{Records, Schema};
use marginswap_core::varset::VarSet;
use marginswap_core::verify::{Checks, Link, Triples, verify};
use marginswap_pipeline::answer::{self, Weighed, judge};
use marginswap_report::Answer;
use marginswap_report::page::{Concern, PlanFacts, Verdict};
use marginswap_report::pictures::waterfall::Coverage;
use marginswap_report::verify::VerifyReport;

fn schema() -> Schema {
    let columns = ["region", "sex", "age"].map(str::to_owned);
    Schema::new(&columns, &Roles::all_variables(3), &BTreeSet::new())
}

fn records(codes: &[[u32; 3]]) -> Records {
    Records::from_codes(&[3, 2, 4], codes)
}

fn report(after: &[[u32; 3]], link: Option<&Link>, keys: VarSet) -> VerifyReport {
    let before = records(&[[0, 0, 0], [0, 1, 1], [1, 0, 2], [1, 1, 3]]);
    let tables = [VarSet::from([0, 1]), VarSet::single(2)];
    let compared = VarSet::first(3);
    let triples = Triples::Compared;
    let checks = Checks { tables: &tables, keys, scenarios: &[], link, compared, triples };
    answer::verify(&schema(), &verify(&before, &records(after), &checks))
}

/// The first two records exchange their ages.
const SWAPPED: [[u32; 3]; 4] = [[0, 0, 1], [0, 1, 0], [1, 0, 2], [1, 1, 3]];

#[test]
fn the_text_says_what_a_methodologist_asks() {
    let report = report(&SWAPPED, Some(&Link::ByPosition), VarSet::from([0, 2]));
    assert_eq!(
        report.text(),
        "Every kept table is unchanged: 2 tables, 8 cells.\n\
         \n  records changed  2  50.0 %\n  fields changed   2  16.7 %\n    age            2  50.0 %\n\
         \nRisk from an intruder who knows region, age:\n\
         \x20 unique on the keys, before  4  100.0 %\n\
         \x20 unique on the keys, after   4  100.0 %\n\
         \x20   new among these           0    0.0 %\n\
         \x20 claims of the intruder      4\n\
         \x20   correct                   2   50.0 %\n\
         \x20 claims about uniques        4\n\
         \x20   correct                   2   50.0 %\n\
         A claim: exactly one released line has the keys of an original record, and the intruder\n\
         takes it for that record's own. Unique records after swapping (and k-anonymity counts\n\
         with them) overstate the risk, because such a line may be put together from two records.\n\
         The share of correct claims is the number to look at.\n\
         \n3 two-way tables: 1 inside a kept table, 1 of the other 2 changed.\n\
         Total variation of those not kept: at most 0.5000, 0.2500 on average.\n\
         Total variation of the three-way tables not kept: at most 0.5000, 0.5000 on average.\n\
         \x20 most changed  total variation  Hellinger  Cramér's V before   after\n\
         \x20 sex*age                0.5000     0.7071             1.0000  1.0000\n"
    );
}

#[test]
fn the_fields_are_the_promised_json() {
    let report = report(&SWAPPED, Some(&Link::ByPosition), VarSet::from([0, 2]));
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["equal"], true);
    assert_eq!(
        json["margins"][0],
        serde_json::json!({"margin": ["region", "sex"], "cells": 4, "changed": 0})
    );
    for (field, count) in [
        ("records_changed", 2),
        ("cells_changed", 2),
        ("uniques_before", 4),
        ("uniques_after", 4),
        ("claims", 4),
        ("correct_claims", 2),
    ] {
        assert_eq!(json[field], count, "{field}");
    }
}

#[test]
fn files_that_are_not_linked_say_so() {
    let report = report(&SWAPPED, None, VarSet::from([0, 2]));
    let json = serde_json::to_value(&report).unwrap();
    for field in ["records_changed", "cells_changed", "changed_by_variable", "correct_claims"] {
        assert!(json[field].is_null(), "{field}");
    }
    assert_eq!(json["claims"], 4);
    assert!(report.text().contains("cannot be counted"));
}

#[test]
fn a_difference_comes_first() {
    let text = report(&[[0, 0, 1], [0, 1, 0], [1, 0, 2], [2, 1, 2]], None, VarSet::EMPTY).text();
    let expected = "2 of 2 tables differ: 4 of 9 cells.\n\
                    \x20 region*sex  2 of 5 cells\n\
                    \x20 age         2 of 4 cells\n";
    assert!(text.starts_with(expected), "{text}");
    assert!(text.contains("No keys were named"));
    let shorter = report(&SWAPPED[..3], Some(&Link::ByPosition), VarSet::EMPTY);
    assert!(!shorter.equal && shorter.records_changed.is_none());
    let begin = "The number of records differs: 4 in the original file, 3 in the released one.\n";
    assert!(shorter.text().starts_with(begin));
}

/// What is judged, as a file that may go.
struct Case {
    verify: VerifyReport,
    plan: PlanFacts,
    keys_named: bool,
    coverage: Option<Coverage>,
}

impl Case {
    fn ready() -> Self {
        let mut verify = report(&SWAPPED, Some(&Link::ByPosition), VarSet::from([0, 2]));
        verify.correct_claims_of_uniques = Some(0);
        let plan = PlanFacts {
            name: "swap.plan".to_owned(),
            tool_version: "0.0.0".to_owned(),
            swaps: 1,
            groups: 0,
            fits_input: true,
            gives_release: Some(true),
            not_for_release: false,
        };
        let coverage = Coverage {
            records: 4,
            at_risk: 4,
            swappable: 4,
            protected: 4,
            disclosed: 0,
            left_over: Vec::new(),
        };
        Self { verify, plan, keys_named: true, coverage: Some(coverage) }
    }

    fn judged(&self) -> (Verdict, Vec<Concern>) {
        judge(&Weighed {
            verify: &self.verify,
            plan: Some(&self.plan),
            keys_named: self.keys_named,
            coverage: self.coverage.as_ref(),
        })
    }
}

#[test]
fn the_verdict_follows_what_is_found() {
    assert_eq!(Case::ready().judged(), (Verdict::Ready, Vec::new()));
    let columns = vec!["age".to_owned()];
    let why = "record 3 has no id".to_owned();
    type Change = fn(&mut Case);
    let cases: [(Verdict, Concern, Change); 11] = [
        (Verdict::Stop, Concern::DemoSeed, |case| case.plan.not_for_release = true),
        (Verdict::Stop, Concern::PlanForAnotherFile, |case| case.plan.fits_input = false),
        (Verdict::Stop, Concern::PlanGivesAnotherFile, |case| {
            case.plan.gives_release = Some(false);
        }),
        (Verdict::Stop, Concern::IdsDisagree { why }, |case| {
            case.verify.unlinked = Some("record 3 has no id".to_owned());
        }),
        (Verdict::Stop, Concern::NoSwapChanges { columns }, |case| {
            case.verify.broken = vec![vec!["age".to_owned()]];
        }),
        (Verdict::Decide, Concern::NoTables, |case| case.verify.margins.clear()),
        (Verdict::Decide, Concern::NoKeys, |case| case.keys_named = false),
        (Verdict::Decide, Concern::NotLinked, |case| case.coverage = None),
        (Verdict::Decide, Concern::Reordered, |case| case.verify.reordered = true),
        (Verdict::Decide, Concern::LeftAtRisk { records: 2, without_partner: 1 }, |case| {
            let coverage = case.coverage.as_mut().unwrap();
            (coverage.swappable, coverage.protected) = (3, 2);
        }),
        (
            Verdict::Decide,
            Concern::ManyRightClaims { right: 1, claims: 4, most_percent: 10, untreated: None },
            |case| case.verify.correct_claims_of_uniques = Some(1),
        ),
    ];
    for (verdict, concern, change) in cases {
        let mut case = Case::ready();
        change(&mut case);
        assert_eq!(case.judged(), (verdict, vec![concern]));
    }
}

#[test]
fn a_broken_promise_comes_before_what_is_left_to_decide() {
    let mut case = Case::ready();
    case.keys_named = false;
    case.verify = report(&[[0, 0, 1], [0, 1, 0], [1, 0, 2], [2, 1, 2]], None, VarSet::EMPTY);
    let (verdict, concerns) = case.judged();
    assert_eq!(verdict, Verdict::Stop);
    let table = ["region", "sex"].map(str::to_owned).to_vec();
    assert_eq!(concerns[0], Concern::TableDiffers { table, cells: 2 });
    assert_eq!(concerns.last(), Some(&Concern::NoKeys));
}

/// Who was unique and not treated is told, when too many claims are right.
#[test]
fn a_rate_that_is_too_high_names_those_who_were_not_treated() {
    let mut case = Case::ready();
    case.verify.correct_claims_of_uniques = Some(2);
    let coverage = case.coverage.as_mut().unwrap();
    (coverage.at_risk, coverage.swappable, coverage.protected) = (1, 1, 1);
    let untreated = Some([4, 1]);
    let expected = Concern::ManyRightClaims { right: 2, claims: 4, most_percent: 10, untreated };
    assert_eq!(case.judged().1, [expected]);
}

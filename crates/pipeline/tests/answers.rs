//! What the comparison of two files answers: text, JSON and the verdict of the one gate.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;

use marginswap_pipeline::answer;
use marginswap_pipeline::compare::{Comparison, Evidence};
use marginswap_pipeline::job::compare;
use marginswap_pipeline::notes::Run;
use marginswap_pipeline::project::Project;
use marginswap_report::Answer;
use marginswap_report::protection::{Reason, Verdict};

const BEFORE: &str = "region,sex,age\nN,f,1\nN,m,2\nS,f,3\nS,m,4\n";
/// The first two records exchange their ages.
const SWAPPED: &str = "region,sex,age\nN,f,2\nN,m,1\nS,f,3\nS,m,4\n";

fn compared(after: &str, tables: &[&str], keys: &[&str], evidence: &Evidence<'_>) -> Comparison {
    let folder = tempfile::tempdir().unwrap();
    let [data, released] = ["before.csv", "after.csv"].map(|name| folder.path().join(name));
    fs::write(&data, BEFORE).unwrap();
    fs::write(&released, after).unwrap();
    let texts = |list: &[&str]| list.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
    let mut project = Project { data: Some(data), ..Project::default() };
    project.keep.tables = texts(tables);
    project.risk.keys = texts(keys);
    compare(&project, &released, evidence, &mut Run::silent()).unwrap()
}

fn verdict(comparison: &Comparison) -> (Verdict, Vec<Reason>) {
    let found = answer::judgement(&comparison.verdict);
    (found.verdict, found.reasons)
}

#[test]
fn the_fields_are_the_promised_json() {
    let found = compared(SWAPPED, &["region*sex", "age"], &["sex", "age"], &Evidence::default());
    let json = serde_json::to_value(answer::verify(&found)).unwrap();
    assert_eq!(json["equal"], true);
    assert_eq!(
        json["margins"][0],
        serde_json::json!({"margin": ["region", "sex"], "cells": 4, "changed": 0})
    );
    // Everybody was alone with sex and age; the two who exchanged are gone.
    for (field, count) in [
        ("at_risk", 4),
        ("gone", 2),
        ("shared", 0),
        ("matched", 2),
        ("matched_right", 2),
        ("newly_exposed", 0),
        // With four records no value is frequent enough for a pair to be missed.
        ("new_pairs", 0),
        ("replaced", 2),
        ("records_changed", 2),
        ("cells_changed", 2),
    ] {
        assert_eq!(json[field], count, "{field}");
    }
    assert_eq!(json["values_true"], 1.0);
    assert_eq!(json["verdict"], "do_not_release");
    assert_eq!(json["reasons"][0]["reason"], "matched_right");
    assert!(answer::verify(&found).text().starts_with("Verdict: do not release"));
}

/// The same records in another order are the same file.
#[test]
fn another_order_changes_no_number() {
    let turned = "region,sex,age\nS,m,4\nN,m,1\nS,f,3\nN,f,2\n";
    let [one, other] = [SWAPPED, turned].map(|after| {
        let found = compared(after, &["region*sex"], &["sex", "age"], &Evidence::default());
        (answer::protection_of(&found), verdict(&found))
    });
    assert_eq!(one, other);
}

#[test]
fn a_yes_has_to_be_earned() {
    let none = Evidence::default();
    let keys = ["sex", "age"];
    // Nothing was exchanged.
    let (answer, reasons) = verdict(&compared(BEFORE, &["region*sex"], &keys, &none));
    assert_eq!(answer, Verdict::DoNotRelease);
    assert_eq!(reasons[0], Reason::NothingExchanged { at_risk: 4 });
    // Nothing was checked.
    let (answer, reasons) = verdict(&compared(SWAPPED, &[], &[], &none));
    assert_eq!(answer, Verdict::Review);
    assert_eq!(reasons, [Reason::NoKeys {}, Reason::NoTables {}]);
    // A kept table differs, and a record is missing.
    let (answer, reasons) = verdict(&compared(SWAPPED, &["sex*age"], &keys, &none));
    assert_eq!(answer, Verdict::DoNotRelease);
    assert_eq!(reasons[0], Reason::TablesDiffer { tables: 1, of: 1 });
    let shorter = "region,sex,age\nN,f,2\nN,m,1\nS,f,3\n";
    let (_, reasons) = verdict(&compared(shorter, &["region*sex"], &keys, &none));
    assert_eq!(reasons[0], Reason::RecordsDiffer { before: 4, after: 3 });
    // The seed is known.
    let known = Evidence { demo_seed: true, ..none };
    let (answer, reasons) = verdict(&compared(SWAPPED, &["region*sex"], &keys, &known));
    assert_eq!(answer, Verdict::DoNotRelease);
    assert!(reasons.contains(&Reason::DemoSeed {}));
    // Both pairs exchange: nobody is left with their keys.
    let all = "region,sex,age\nN,f,2\nN,m,1\nS,f,4\nS,m,3\n";
    let (answer, reasons) = verdict(&compared(all, &["region*sex"], &keys, &none));
    assert_eq!((answer, reasons), (Verdict::Release, vec![]));
}

//! The paper's application on files of the same size: the numbers of `docs/reenactment.md`.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support;

use std::fs;
use std::path::Path;

use marginswap_core::diagnostic::grouped;
use serde_json::Value;
use support::{answered, formula, real_data, rows, table};

/// A number with its thousands set apart, whole or with one decimal.
fn number(value: &Value) -> String {
    match value.as_u64() {
        Some(whole) => grouped(whole),
        None => {
            let text = format!("{:.1}", value.as_f64().unwrap());
            let (whole, rest) = text.split_once('.').unwrap();
            let whole = grouped(whole.parse().unwrap());
            if rest == "0" { whole } else { format!("{whole}.{rest}") }
        }
    }
}

#[test]
fn the_papers_application_comes_out_as_the_page_says() {
    let Some(folder) = real_data("the re-enactment of the paper's application") else { return };
    let page =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/reenactment.md"))
            .unwrap();
    let said = |row: &str| assert!(page.contains(row), "the page does not say\n{row}");
    let out = support::folder();
    for (name, people) in [("paperlike_cps", "299285"), ("paperlike_adult", "48842")] {
        let text = fs::read_to_string(folder.join(name).join("scenario.json")).unwrap();
        let scenario: Value = serde_json::from_str(&text).unwrap();
        let data = folder.join(name).join("data.csv");
        let data = data.to_str().unwrap();
        let keys: Vec<&str> =
            scenario["levels"].as_object().unwrap().keys().map(String::as_str).collect();
        let keys = keys.join(",");
        let base = ["--keys", &keys, "--population", people, "--risky", "top:50"];
        let score = answered(&[&["risk", data], &base[..]].concat());
        said(&format!(
            "| {name} | {} | {} | {:.2} | {} | {} |",
            score["model"]["steps"].as_array().unwrap().len(),
            number(&score["model"]["parameters"]),
            score["fit"]["value"].as_f64().unwrap(),
            number(&score["tau1"]),
            number(&score["tau2"]),
        ));
        let base = [&base[..], &["--select", "fit"]].concat();
        let found = answered(&[&["risk", data], &base[..]].concat());
        let (model, risky) = (&found["model"], found["risky"].as_array().unwrap());
        let risk = |place: usize| risky[place]["risk"].as_f64().unwrap();
        said(&format!(
            "| {name} | {} | {} | {} | {} | {} | {:.2} | {} | {} | {:.2} to {:.2} |",
            number(&found["records"]),
            number(&found["combinations"]),
            number(&found["sample_uniques"]),
            model["steps"].as_array().unwrap().len(),
            number(&model["parameters"]),
            found["fit"]["value"].as_f64().unwrap(),
            number(&found["tau1"]),
            number(&found["tau2"]),
            risk(49),
            risk(0),
        ));
        let cliques = model["name"].as_str().unwrap();
        said(&format!("- {name}: `{cliques}`"));
        let agency = formula(&scenario["classes"]["agency"]["tables"]);
        for (label, keep) in [("the model's cliques", cliques), ("agency", agency.as_str())] {
            let asked = answered(&[&["risk", data], &base[..], &["--keep", keep]].concat());
            let at_risk = &asked["at_risk"];
            said(&format!(
                "| {name} | {label} | {} | {} | {} | {} |",
                at_risk["records"],
                at_risk["swappable"],
                at_risk["not_swappable"],
                at_risk["disclosed"]
            ));
            let released = out.path().join(format!("{name}-{label}.csv"));
            let released = released.to_str().unwrap();
            let end = ["--keep", keep, "-o", released, "--demo-seed", "1"];
            let protected = answered(&[&["protect", data], &base[..], &end].concat());
            assert_eq!(protected["at_risk"], at_risk["records"], "{name} {label}");
            assert_eq!(protected["covered"], at_risk["swappable"], "{name} {label}");
            assert_eq!(protected["equal"], true);
            // Nobody of the fifty is found in the released file.
            let (before, after) = (rows(data), rows(released));
            let names: Vec<&str> = keys.split(',').collect();
            let combinations = table(&after, &names);
            let place = |name: &&str| before[0].iter().position(|other| other == name).unwrap();
            for person in asked["risky"].as_array().unwrap() {
                let number = usize::try_from(person["record"].as_u64().unwrap()).unwrap();
                let known: Vec<String> =
                    names.iter().map(|name| before[number][place(name)].clone()).collect();
                assert!(!combinations.contains_key(&known), "{name} {label}");
            }
            assert_eq!(protected["gone"], at_risk["records"], "{name} {label}");
            let end = ["--keep", keep];
            let verified = answered(&[&["verify", data, released], &base[..], &end].concat());
            assert_eq!(verified["equal"], true);
            for field in ["at_risk", "gone", "shared", "matched", "newly_exposed"] {
                assert_eq!(verified[field], protected[field], "{name} {label} {field}");
            }
        }
    }
}

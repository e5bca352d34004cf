//! Real files nobody here wrote, with brute-force answers: read from the folder that
//! `MARGINSWAP_REAL_DATA` names, skipped without it.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support;

use std::fs;

use serde_json::Value;
use support::{formula, json, real_data};

/// `screen` and `graph` against the scenario of every file, for every class in it.
#[test]
fn screening_agrees_with_brute_force() {
    let Some(folder) = real_data("screening against brute-force answers on real files") else {
        return;
    };
    let mut classes = 0;
    for entry in fs::read_dir(&folder).unwrap() {
        let scenario = entry.unwrap().path().join("scenario.json");
        let Ok(text) = fs::read_to_string(&scenario) else { continue };
        let scenario: Value = serde_json::from_str(&text).unwrap();
        let data = folder.join(scenario["id"].as_str().unwrap()).join("data.csv");
        let data = data.to_str().unwrap();
        let inspected = json(&["inspect", data, "--json"]);
        assert_eq!(inspected["records"], scenario["n"]);
        assert_eq!(inspected["variables"], scenario["k"]);
        for column in inspected["columns"].as_array().unwrap() {
            let levels = &scenario["levels"][column["name"].as_str().unwrap()];
            assert_eq!(&column["levels"], levels, "{}", scenario["id"]);
        }
        for (name, class) in scenario["classes"].as_object().unwrap() {
            classes += 1;
            let keep = formula(&class["tables"]);
            let screened = json(&["screen", data, "--keep", &keep, "--json"]);
            let context = format!("{} {name}", scenario["id"]);
            assert_eq!(screened["records"], scenario["n"], "{context}");
            assert_eq!(screened["cells"], scenario["distinct_cells"], "{context}");
            assert_eq!(screened["sample_uniques"], scenario["sample_uniques"], "{context}");
            assert_eq!(
                screened["swappable_uniques"], class["uniques_with_a_swap_partner"],
                "{context}"
            );
            assert_eq!(screened["not_swappable_uniques"], class["uniques_frozen"], "{context}");
            let graph = json(&["graph", data, "--keep", &keep, "--json"]);
            assert_eq!(graph["decomposable"], class["decomposable"], "{context}");
            assert_eq!(graph["complete"], class["graph_complete"], "{context}");
            if graph["decomposable"] == true {
                assert_eq!(
                    screened["disclosed_uniques"], screened["not_swappable_uniques"],
                    "{context}"
                );
            }
        }
    }
    assert!(classes > 100, "{classes} classes were checked");
}

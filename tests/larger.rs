//! Swaps of more than two records as a user meets them: explained, planned, applied, verified.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support;

use std::fs;

use serde_json::Value;
use support::{Desk, answered, err, learned, marginswap, out, rows, table, told_learned};

const NAMES: [&str; 6] = ["a", "b", "c", "d", "e", "w"];

/// Six columns, 400 records; the last has two values and is used as a weight.
fn survey(desk: &Desk) -> String {
    let mut state = 7u64;
    let mut next = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        // Low values are more common.
        let draw = |bits: u64| (bits >> 40) % below;
        draw(state).min(draw(state.rotate_left(17)))
    };
    let mut text = NAMES.join(",") + "\n";
    for _ in 0..400 {
        let fields: Vec<String> =
            [4, 3, 4, 3, 4, 2].iter().map(|&levels| (1 + next(levels)).to_string()).collect();
        text += &(fields.join(",") + "\n");
    }
    desk.write("survey.csv", &text)
}

fn pairs_of(names: &[&str]) -> Vec<[String; 2]> {
    let mut pairs = Vec::new();
    for (place, left) in names.iter().enumerate() {
        for right in &names[place + 1..] {
            pairs.push([(*left).to_owned(), (*right).to_owned()]);
        }
    }
    pairs
}

/// All two-way tables of these columns.
fn all_pairs(names: &[&str]) -> String {
    pairs_of(names).iter().map(|pair| pair.join("*")).collect::<Vec<_>>().join(" + ")
}

#[test]
fn protect_covers_with_groups_what_no_pair_can() {
    let desk = Desk::new();
    let survey = survey(&desk);
    let names = &NAMES[..5];
    let keep = all_pairs(names);
    let keys = names.join(",");
    let job = |command: &'static str, most: &'static str, target: &str| -> Vec<String> {
        let fixed = [command, &survey, "--ignore", "w", "--keys", &keys, "--keep", &keep];
        let tail = ["--demo-seed", "3", "--max-records", most, "-o", target];
        fixed.iter().chain(&tail).map(|&word| word.to_owned()).collect()
    };
    let run = |words: &[String], more: &[&str]| {
        let words: Vec<&str> =
            words.iter().map(String::as_str).chain(more.iter().copied()).collect();
        answered(&words)
    };
    let none = run(&job("protect", "2", &desk.path("pairs.csv")), &[]);
    assert_eq!(none["covered"], 0);
    assert_eq!(none["groups"], 0);
    assert!(none["impossible"].is_null() && none["not_found"].is_null());

    let released = desk.path("released.csv");
    let plan = desk.path("swap.plan");
    let said = run(&job("protect", "4", &released), &["--plan", &plan]);
    let (before, after) = (rows(&survey), rows(&released));
    for pair in pairs_of(names) {
        let pair = [pair[0].as_str(), pair[1].as_str()];
        assert_eq!(table(&before, &pair), table(&after, &pair), "{pair:?}");
    }
    let counted = learned(&before, &after, names, &[]);
    assert_eq!(told_learned(&said), counted);
    assert_eq!(said["covered"], counted[0] + counted[1]);
    assert_eq!(said["covered_by_groups"], said["covered"]);
    let count = |field: &str| said[field].as_u64().unwrap();
    assert!(count("covered") * 10 > count("at_risk") * 8, "{said}");
    assert_eq!(
        count("at_risk"),
        count("covered") + count("impossible") + count("not_found") + count("barred")
    );
    assert_eq!(count("at_risk"), count("covered") + count("without_swap"));
    let sizes = said["groups_by_records"].as_object().unwrap();
    assert_eq!(sizes.values().map(|groups| groups.as_u64().unwrap()).sum::<u64>(), count("groups"));
    // In the order of the input the lines can be compared; the records are the same.
    let in_order = desk.path("in-order.csv");
    run(&job("protect", "4", &in_order), &["--order", "input"]);
    let (in_order, mut after) = (rows(&in_order), after);
    let changed = before.iter().zip(&in_order).filter(|(old, new)| old != new).count() as u64;
    assert_eq!(count("records_changed"), changed);
    let mut sorted = in_order;
    sorted[1..].sort();
    after[1..].sort();
    assert_eq!(sorted, after);
    let text = String::from_utf8(
        marginswap(
            &job("protect", "4", &desk.path("again.csv"))
                .iter()
                .map(String::as_str)
                .collect::<Vec<_>>(),
        )
        .stdout,
    )
    .unwrap();
    assert!(text.contains("swaps of more than two records"), "{text}");

    // The same seed gives the same bytes on any number of threads, in one go or in steps.
    for threads in ["1", "2", "7"] {
        let again = desk.path("threads.csv");
        let again_plan = desk.path("threads.plan");
        let more = ["--plan", &again_plan, "--threads", threads, "--force"];
        run(&job("protect", "4", &again), &more);
        assert_eq!(fs::read(&again).unwrap(), fs::read(&released).unwrap());
        assert_eq!(fs::read(&again_plan).unwrap(), fs::read(&plan).unwrap());
    }
    let planned = desk.path("planned.plan");
    run(&job("plan", "4", &planned), &[]);
    assert_eq!(fs::read(&planned).unwrap(), fs::read(&plan).unwrap());
    let applied = desk.path("applied.csv");
    answered(&["apply", &survey, &planned, "-o", &applied, "--order", "input"]);
    assert_eq!(fs::read(&applied).unwrap(), fs::read(desk.path("in-order.csv")).unwrap());
    let verified = answered(&["verify", &survey, &released, "--ignore", "w", "--keep", &keep]);
    assert_eq!(verified["equal"], true, "{verified}");

    // The plan can be read, and its groups are shown only when they are asked for.
    let shown = answered(&["show", &plan]);
    assert_eq!(shown["groups"], said["groups"]);
    assert!(shown["revealed_groups"].is_null());
    let shown = answered(&["show", &plan, "--reveal"]);
    assert_eq!(shown["revealed_groups"].as_array().unwrap().len() as u64, count("groups"));
    let text = marginswap(&["show", &plan, "--reveal"]);
    assert!(out(&text).contains("larger swap") && out(&text).contains("\n  group "));
}

#[test]
fn constraints_hold_for_groups() {
    let desk = Desk::new();
    let survey = survey(&desk);
    let before = rows(&survey);
    let keys = "a,b,c,d,e";
    let place = |name: &str| NAMES.iter().position(|other| *other == name).unwrap();
    let keep = all_pairs(&NAMES[..5]);
    let protect = |more: &[&str]| {
        let released = desk.path("released.csv");
        let fixed = ["protect", &survey, "--keys", keys, "--demo-seed", "5", "--force"];
        // Lines can be compared.
        let tail = ["--max-records", "8", "--order", "input", "-o", &released];
        let said = answered(&[&fixed[..], more, &tail].concat());
        (said, rows(&released))
    };
    let covered_by = |said: &Value| said["covered_by_groups"].as_u64().unwrap();
    // A weight joins every kept table.
    let (said, after) = protect(&["--keep", &keep, "--weight", "w"]);
    assert!(covered_by(&said) > 0, "{said}");
    for pair in pairs_of(&NAMES[..5]) {
        let table_of = |rows: &[Vec<String>]| table(rows, &[&pair[0], &pair[1], "w"]);
        assert_eq!(table_of(&before), table_of(&after), "{pair:?}");
    }
    let keep = all_pairs(&NAMES);
    // What stays stays, strata and matches are not left, rules are not broken.
    let rule = "a = x0 & b = x1 & c = x1";
    let more = ["--keep", &keep, "--stay", "w", "--match", "e", "--rule", rule, "--strata", "d"];
    let (said, after) = protect(&more);
    assert!(covered_by(&said) > 0, "{said}");
    for (old, new) in before.iter().zip(&after) {
        for name in ["w", "e", "d"] {
            assert_eq!(old[place(name)], new[place(name)]);
        }
        let breaks = new[0] == "x0" && new[1] == "x1" && new[2] == "x1";
        assert!(old == new || !breaks, "a rule is broken");
    }
    // Linked columns travel together: what they have together was there before.
    let (said, after) = protect(&["--keep", &keep, "--linked", "a,b,c"]);
    assert!(covered_by(&said) > 0, "{said}");
    assert_eq!(table(&before, &["a", "b", "c"]), table(&after, &["a", "b", "c"]));
    // A cap counts records, and a rate is added to.
    let (said, after) = protect(&["--keep", &keep, "--budget", "21"]);
    let changed = before.iter().zip(&after).filter(|(old, new)| old != new).count();
    assert!((12..=21).contains(&changed), "{changed}: {said}");
}

#[test]
fn the_project_file_says_it_too() {
    let desk = Desk::new();
    let survey = survey(&desk);
    let project = desk.write(
        "marginswap.toml",
        &format!(
            "data = \"survey.csv\"\n[columns]\nignore = [\"w\"]\n[keep]\ntables = [\"{}\"]\n\
             [risk]\nkeys = [\"a\", \"b\", \"c\", \"d\", \"e\"]\n[swap]\nmax_records = 4\n",
            all_pairs(&NAMES[..5])
        ),
    );
    let out = desk.path("by-project.csv");
    let job = ["protect", "--project", &project, "-o", &out, "--demo-seed", "1", "--force"];
    let said = answered(&job);
    assert_eq!(said["max_records"], 4);
    assert!(said["groups"].as_u64().unwrap() > 0);
    let said = answered(&[&job[..], &["--max-records", "2"]].concat());
    assert_eq!((&said["max_records"], &said["groups"]), (&Value::from(2), &Value::from(0)));
    // Another number makes another plan, which a plan's project must not contradict.
    let plan = desk.path("pairs.plan");
    answered(&[
        "plan",
        "--project",
        &project,
        "-o",
        &plan,
        "--demo-seed",
        "1",
        "--max-records",
        "2",
    ]);
    let applied = desk.path("applied.csv");
    let output = marginswap(&["apply", &survey, &plan, "--project", &project, "-o", &applied]);
    assert_eq!(output.status.code(), Some(5), "{}", err(&output));
    assert!(err(&output).contains("`max_records`"), "{}", err(&output));
    for bad in ["1", "17", "four"] {
        let output = marginswap(&[&job[..], &["--max-records", bad]].concat());
        assert_eq!(output.status.code(), Some(2), "{bad}");
        assert!(err(&output).contains("from 2 to 16"), "{}", err(&output));
    }
}

/// What `explain` says of one record, as JSON and as text.
fn explained(file: &str, keep: &str, record: &str, most: &str) -> (Value, String) {
    let arguments = ["explain", file, "--keep", keep, "--record", record, "--max-records", most];
    (answered(&arguments)["larger"].clone(), out(&marginswap(&arguments)))
}

#[test]
fn explain_gives_three_answers() {
    let desk = Desk::new();
    let keep = "a*b + a*c + b*c";
    // The paper's four records.
    let four = desk.write("four.csv", "a,b,c\n0,0,0\n0,1,1\n1,0,1\n1,1,0\n");
    let (larger, text) = explained(&four, keep, "1", "4");
    assert_eq!(larger["answer"], "possible");
    assert_eq!(larger["swap"]["records"].as_array().unwrap().len(), 4);
    assert_eq!(larger["swap"]["kind"], "box");
    assert_eq!(larger["swap"]["takes"].as_array().unwrap().len(), 4);
    assert!(text.contains("A swap of 4 records frees it and keeps every table"), "{text}");
    assert!(text.contains("from record"), "{text}");

    // The cell is full: of the two records with a = 1 one has b = 1, and that one has c = 1.
    let full = desk.write("full.csv", "a,b,c\n0,0,0\n0,0,0\n0,0,0\n1,1,1\n1,0,0\n");
    let (larger, text) = explained(&full, keep, "4", "8");
    assert_eq!(larger["answer"], "impossible");
    let sum = |side: &str| -> u64 {
        let terms = larger["certificate"][side].as_array().unwrap();
        terms.iter().map(|term| term["count"].as_u64().unwrap()).sum()
    };
    assert_eq!(sum("added") - sum("taken_off"), 1);
    assert_eq!(larger["certificate"]["remains"], 1);
    assert!(text.contains("No swap of any number of records can free it"), "{text}");
    assert!(text.contains("= in its cell"), "{text}");

    // It can be freed in fractions and not in whole numbers: neither found nor proved.
    let vectors: Value =
        serde_json::from_str(include_str!("../crates/core/tests/vectors/multi_swap.json")).unwrap();
    let gap = vectors["cases"]
        .as_array()
        .unwrap()
        .iter()
        .find(|case| case["name"].as_str().unwrap().starts_with("LP gap"))
        .unwrap();
    let line = |record: &Value| {
        let codes = record.as_array().unwrap().iter().map(Value::to_string);
        codes.collect::<Vec<_>>().join(",")
    };
    let records: Vec<String> = gap["records"].as_array().unwrap().iter().map(line).collect();
    let file = desk.write("gap.csv", &format!("a,b,c,d\n{}\n", records.join("\n")));
    let wanted = line(&gap["queries"][0]["record"]);
    let number = records.iter().position(|record| *record == wanted).unwrap() + 1;
    let keep = all_pairs(&["a", "b", "c", "d"]);
    let (larger, text) = explained(&file, &keep, &number.to_string(), "8");
    assert_eq!(larger["answer"], "not_found");
    assert!(larger["certificate"].is_null() && larger["swap"].is_null());
    assert_eq!(larger["tried"]["complete"], true);
    assert!(text.contains("no proof that none exists"), "{text}");

    // Without the option nothing is reported of larger swaps, and --pair has no place for it.
    let plain = answered(&["explain", &four, "--keep", "a*b + a*c + b*c", "--record", "1"]);
    assert!(plain.get("larger").is_none());
    let output =
        marginswap(&["explain", &four, "--keep", "a", "--pair", "1", "2", "--max-records", "4"]);
    assert_eq!(output.status.code(), Some(2));
}

/// A cell of two records of which only one can leave: the other is not called impossible, and
/// everybody at risk has one answer.
#[test]
fn who_comes_too_late_is_not_called_impossible() {
    let desk = Desk::new();
    let data = desk.write("data.csv", "a,b\n0,0\n0,0\n1,1\n0,2\n2,0\n");
    let list = desk.write("list", "1\n2\n");
    let (plan, risky) = (desk.path("plan"), format!("records:{list}"));
    let words = ["plan", &data, "--keys", "a,b", "--keep", "a + b", "--max-records", "4"];
    let end = ["-o", &plan, "--demo-seed", "1", "--force", "--json"];
    for rule in [risky.as_str(), "k:3"] {
        let output = marginswap(&[&words[..], &["--risky", rule], &end].concat());
        let said: Value = serde_json::from_slice(&output.stdout).unwrap();
        let count = |field: &str| said[field].as_u64().unwrap();
        assert_eq!(count("at_risk"), count("covered") + count("not_found") + count("barred"));
        assert_eq!(count("impossible"), 0, "{said}");
    }
    // A budget that is used up is no proof and no failure of the search.
    let survey = survey(&desk);
    let all: Vec<String> = (0..5)
        .flat_map(|left| (0..left).map(move |right| format!("{}*{}", NAMES[right], NAMES[left])))
        .collect();
    let all = all.join(" + ");
    let words = ["plan", &survey, "--keys", "a,b,c,d,e", "--ignore", "w", "--keep", &all];
    let end = ["--max-records", "4", "--budget", "8", "-o", &plan, "--force", "--json"];
    let output = marginswap(&[&words[..], &end].concat());
    let said: Value = serde_json::from_slice(&output.stdout).unwrap();
    let count = |field: &str| said[field].as_u64().unwrap();
    assert!(count("barred") > count("not_found"), "{said}");
}

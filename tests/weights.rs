//! Weighted tables: exact, within a bound, or free, counted by hand from the two files.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use marginswap_core::random::{Random, Seed};
use serde_json::Value;
use support::{Desk, answer, err, marginswap, out, rows};

const KEEP: &str = "region*sex + sex*age";

/// A survey with weights of two decimals and two replicate weights.
fn survey(desk: &Desk) -> String {
    let mut random = Random::new(Seed([41; 32]), 0);
    let mut text = String::from("region,sex,age,job,weight,rep1,rep2\n");
    for person in 0..1_200 {
        let region = ["N", "S", "E", "W"][random.below(4)];
        let (sex, age) = (["f", "m"][random.below(2)], 18 + random.below(40));
        let job = ["a", "b", "c", "d", "e"][random.below(5)];
        let weight = 50 + random.below(100);
        writeln!(text, "{region},{sex},{age},{job},{weight}.25,{person}.5,{}", person * 2).unwrap();
    }
    desk.write("survey.csv", &text)
}

/// The weighted counts of a table, in hundredths.
fn weighted(rows: &[Vec<String>], names: &[&str]) -> BTreeMap<Vec<String>, u64> {
    let place = |name: &str| rows[0].iter().position(|other| other == name).unwrap();
    let mut table = BTreeMap::new();
    for row in &rows[1..] {
        let cell = names.iter().map(|name| row[place(name)].clone()).collect();
        let weight: u64 = row[place("weight")].replace('.', "").parse().unwrap();
        *table.entry(cell).or_default() += weight;
    }
    table
}

/// The largest drift of a cell of a table, as a share.
fn drift(before: &[Vec<String>], after: &[Vec<String>], names: &[&str]) -> f64 {
    let (before, after) = (weighted(before, names), weighted(after, names));
    let cells = before.iter().map(|(cell, &sum)| sum.abs_diff(after[cell]) as f64 / sum as f64);
    cells.fold(0.0, f64::max)
}

struct Run {
    after: Vec<Vec<String>>,
    protected: u64,
    verified: Value,
}

fn run(desk: &Desk, data: &str, more: &[&str]) -> Run {
    let released = desk.path("out.csv");
    let kept = [
        "--keep",
        KEEP,
        "--keys",
        "region,age,job",
        "--stay",
        "rep1,rep2",
        "--weight",
        "weight",
        "--knows",
        "all",
    ];
    let protect = [
        "protect",
        data,
        "-o",
        &released,
        "--demo-seed",
        "1",
        "--order",
        "input",
        "--force",
        "--json",
    ];
    let output = marginswap(&[&protect[..], &kept, more].concat());
    assert!(output.status.code().is_some_and(|code| code < 2), "{}", err(&output));
    let made: Value = serde_json::from_slice(&output.stdout).unwrap();
    let (verified, _) = answer(&[&["verify", data, &released], &kept[..], more].concat());
    assert_eq!(verified["equal"], true, "counts are kept in every mode");
    Run { after: rows(&released), protected: made["protected"].as_u64().unwrap(), verified }
}

#[test]
fn weighted_counts_are_exact_within_a_bound_or_free() {
    let desk = Desk::new();
    let data = survey(&desk);
    let before = rows(&data);
    let tables: [&[&str]; 2] = [&["region", "sex"], &["sex", "age"]];
    let largest = |run: &Run| tables.map(|table| drift(&before, &run.after, table));

    let exact = run(&desk, &data, &[]);
    assert_eq!(largest(&exact), [0.0, 0.0]);
    let free = run(&desk, &data, &["--weight-drift", "free"]);
    let moved = largest(&free);
    assert!(moved.iter().any(|&drift| drift > 0.01), "without a bound counts move: {moved:?}");
    let bounded = run(&desk, &data, &["--weight-drift", "1%"]);
    let within = largest(&bounded);
    assert!(within.iter().all(|&drift| drift <= 0.01), "{within:?}");
    assert!(within.iter().any(|&drift| drift > 0.0), "the bound leaves room: {within:?}");
    assert!(bounded.protected > exact.protected, "{} and {}", bounded.protected, exact.protected);
    // What is reported is what was counted.
    for (run, drifts) in [(&free, moved), (&bounded, within)] {
        let told: Vec<f64> = run.verified["weighted"]
            .as_array()
            .unwrap()
            .iter()
            .map(|table| table["largest"].as_f64().unwrap())
            .collect();
        assert_eq!(told.len(), 2);
        assert!(told.iter().zip(drifts).all(|(told, drift)| (told - drift).abs() < 1e-12));
    }
    assert!(exact.verified["weighted"].is_null(), "nothing is told where nothing may move");
    // Every weight stays with its line.
    for run in [&free, &bounded] {
        for (old, new) in before.iter().zip(&run.after) {
            assert_eq!(old[4..], new[4..], "weights and replicate weights stay");
        }
    }
    // One table alone.
    let one = run(&desk, &data, &["--weight-drift", "0.0%", "--weighted", "region*sex"]);
    let [first, second] = largest(&one);
    assert!(first == 0.0 && second > 0.0, "{first} {second}");
}

/// Where nothing bounds them, weighted counts may become several times what they were.
#[test]
fn free_counts_may_more_than_double() {
    let desk = Desk::new();
    let mut random = Random::new(Seed([42; 32]), 0);
    let mut text = String::from("region,sex,age,job,weight,rep1,rep2\n");
    for person in 0u32..200 {
        let (region, sex) = (random.below(30), ["f", "m"][random.below(2)]);
        // No two weights are the same, and most are small compared with others.
        let (age, weight) = (18 + random.below(10), person + 4u32.pow(person % 10));
        writeln!(text, "{region},{sex},{age},a,{weight}.00,0,0").unwrap();
    }
    let data = desk.write("survey.csv", &text);
    let free = run(&desk, &data, &["--weight-drift", "free"]);
    let before = rows(&data);
    let tables = [["region", "sex"], ["sex", "age"]];
    let moved = tables.map(|table| drift(&before, &free.after, &table));
    assert!(moved.into_iter().any(|drift| drift > 1.0), "{moved:?}");
    let beyond = free.verified["weighted"].as_array().unwrap().iter();
    assert!(beyond.map(|table| &table["beyond"]).all(|beyond| beyond == 0), "{}", free.verified);
}

#[test]
fn a_released_file_beyond_the_bound_is_found() {
    let desk = Desk::new();
    let data = desk.write("a.csv", "sex,job,weight\nf,a,10\nf,b,20\nm,a,30\nm,b,40\n");
    // f and m of the first and third line change places: 10 + 20 becomes 30 + 20.
    let released = desk.write("b.csv", "sex,job,weight\nm,a,10\nf,b,20\nf,a,30\nm,b,40\n");
    let verify = |drift: &str| {
        let kept = ["--keep", "sex", "--weight", "weight", "--weight-drift", drift];
        answer(&[&["verify", &data, &released], &kept[..]].concat()).0
    };
    let found = verify("10%");
    assert_eq!(found["verdict"], "do_not_release", "{found}");
    assert_eq!(found["weighted"][0]["beyond"], 2);
    assert_eq!(
        found["weighted"][0]["largest"].as_f64().map(|share| (share * 1e6).round()),
        Some(666_667.0)
    );
    let text = found["reasons"].to_string();
    assert!(text.contains("weight"), "{text}");
    assert_eq!(verify("80%")["weighted"][0]["beyond"], 0);
}

#[test]
fn margins_to_calibrate_to_are_written() {
    let desk = Desk::new();
    let data = desk.write("a.csv", "sex,\"a,ge\",weight\nf,17,1.5\nf,35,2\nm,35,0.25\nm,35,1\n");
    let folder = desk.path("margins");
    let kept =
        ["--keep", "sex*group", "--weight", "weight", "--derive", "group = band(`a,ge`, 18, 65)"];
    let all = [&["verify", &data, &data, "--margins", &folder], &kept[..]].concat();
    let done = marginswap(&all);
    assert!(done.status.code().is_some_and(|code| code < 2), "{}", err(&done));
    assert_eq!(
        desk.read("margins/table-1.csv"),
        "sex,group,count,weighted\nf,18-64,1,2\nf,under 18,1,1.5\nm,18-64,2,1.25\n"
    );
    let again = marginswap(&all);
    assert_eq!(again.status.code(), Some(8), "an existing file is not replaced");
    assert!(
        marginswap(&[&all[..], &["--force"]].concat()).status.code().is_some_and(|code| code < 2)
    );
}

#[test]
fn settings_that_do_not_go_with_a_bound_are_refused() {
    let desk = Desk::new();
    let data = survey(&desk);
    for (more, part) in [
        (&["--weight-drift", "1%"][..], "none is named"),
        (&["--weight", "weight", "--weighted", "region*job"], "not kept"),
        (&["--weight", "weight", "--weight-drift", "1%", "--max-records", "4"], "greedy"),
        (&["--weight", "weight", "--weight-drift", "1%", "--pairing", "optimal"], "greedy"),
        (&["--weight", "weight", "--weight-drift", "1%", "--vars", "sex,age,weight"], "exchanged"),
        (&["--weight", "weight", "--weight-drift", "loosely"], "nor a share"),
    ] {
        let all = [
            "protect",
            &data,
            "-o",
            &desk.path("x.csv"),
            "--keep",
            KEEP,
            "--keys",
            "age,job",
            "--ignore",
            "rep1,rep2",
        ];
        let output = marginswap(&[&all[..], more].concat());
        let said = err(&output);
        assert!(output.status.code() == Some(2) && said.contains(part), "{more:?}: {said}");
    }
    let bad = desk.write("bad.csv", "sex,weight\nf,1\nm,CANARY\n");
    let all =
        ["verify", &bad, &bad, "--keep", "sex", "--weight", "weight", "--weight-drift", "free"];
    let said = err(&marginswap(&all));
    assert!(
        said.contains("error[E305]") && said.contains("record 2") && !said.contains("CANARY"),
        "{said}"
    );
}

/// A staying column in a kept table ties others to itself, and the side of a swap that is chosen
/// by its drift respects that. A weight that stays is not taken for an exchanged column.
#[test]
fn a_bound_respects_columns_that_stay() {
    let desk = Desk::new();
    let village = std::fs::read_to_string("examples/village.csv").unwrap();
    let line = |(number, line): (usize, &str)| match number {
        0 => format!("{line},weight\n"),
        number => format!("{line},1.{}0\n", (number + 1) % 7),
    };
    let data =
        desk.write("village.csv", &village.lines().enumerate().map(line).collect::<String>());
    let before = rows(&data);
    let keep = "municipality*sex + age*marital";
    let settings = ["--keep", keep, "--keys", "municipality,age", "--weight", "weight"];
    for stay in ["sex", "marital", "sex,job"] {
        let released = desk.path(&format!("{stay}.csv"));
        let bound = ["--weight-drift", "1%", "--stay", stay];
        let protect = ["protect", &data, "-o", &released, "--demo-seed", "1"];
        let output = marginswap(&[&protect[..], &settings, &bound].concat());
        assert!(output.status.code().is_some_and(|code| code < 2), "{}", err(&output));
        assert!(!err(&output).contains("pattern in\n`weight`"), "{}", err(&output));
        let after = rows(&released);
        for table in keep.split(" + ") {
            let names: Vec<&str> = table.split('*').collect();
            assert_eq!(support::table(&before, &names), support::table(&after, &names), "{table}");
            assert!(drift(&before, &after, &names) <= 0.01, "{table}");
        }
    }
}

/// Tables from a list are written too.
#[test]
fn margins_of_listed_tables_are_written() {
    let desk = Desk::new();
    let data = survey(&desk);
    let list = desk.write("tables.csv", "name,variables\nTable 1,region*sex\nTable 2,sex*age\n");
    let folder = desk.path("margins");
    let settings = ["--tables", &list, "--keys", "region,age", "--stay", "rep1,rep2"];
    let weight = ["--weight", "weight", "--weight-drift", "free", "--margins", &folder];
    let output = marginswap(&[&["verify", &data, &data], &settings[..], &weight].concat());
    assert!(output.status.code().is_some_and(|code| code < 2), "{}", err(&output));
    for name in ["margins/table-1.csv", "margins/table-2.csv"] {
        assert!(desk.read(name).lines().count() > 2, "{name}");
    }
}

/// How far weighted counts moved is reported by `protect` and on the internal page too.
#[test]
fn the_drift_of_weights_is_told_wherever_a_release_is() {
    let desk = Desk::new();
    let data = survey(&desk);
    let [released, page] = ["told.csv", "page.html"].map(|name| desk.path(name));
    let job = [
        "protect",
        &data,
        "-o",
        &released,
        "--report",
        &page,
        "--demo-seed",
        "1",
        "--keep",
        KEEP,
        "--keys",
        "region,age,job",
        "--stay",
        "rep1,rep2",
        "--weight",
        "weight",
        "--weight-drift",
        "1%",
    ];
    let text = out(&marginswap(&job));
    assert!(text.contains("Weighted   ") && text.contains(" % at most"), "{text}");
    let told = desk.read("page.html");
    assert!(told.contains("Weighted counts of kept tables"), "the page tells it");
    let (said, _) = answer(&[&job[..], &["--force"]].concat());
    let tables = said["weighted"].as_array().unwrap();
    assert!(tables.iter().any(|table| table["moved"].as_u64() > Some(0)), "{tables:?}");
    assert!(tables.iter().all(|table| table["beyond"] == 0), "{tables:?}");
}

/// A plan whose swaps go beyond the bound that its settings promise is not followed, however it
/// came about.
#[test]
fn a_plan_beyond_its_bound_is_refused() {
    let desk = Desk::new();
    let data = survey(&desk);
    let plan = |drift: &str| {
        let file = desk.path(drift);
        let job = [
            "plan",
            &data,
            "-o",
            &file,
            "--demo-seed",
            "1",
            "--keep",
            KEEP,
            "--keys",
            "region,age,job",
            "--stay",
            "rep1,rep2",
            "--weight",
            "weight",
            "--weight-drift",
            drift,
        ];
        marginswap(&job);
        marginswap_io::read_plan(Path::new(&file)).unwrap()
    };
    let (mut free, bounded) = (plan("free"), plan("0.1%"));
    free.header.parameters = bounded.header.parameters;
    let forged = desk.path("forged.plan");
    fs::write(&forged, marginswap_io::plan_bytes_sealed(&free, None)).unwrap();
    let output = marginswap(&["apply", &data, &forged, "-o", &desk.path("never.csv")]);
    assert_eq!(output.status.code(), Some(5), "{}", err(&output));
    assert!(err(&output).contains("further than its bound"), "{}", err(&output));
}

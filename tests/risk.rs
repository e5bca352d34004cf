//! `risk` as a user runs it, and plans that take the riskiest: against a computation from the
//! definitions.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support;

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;
use support::{answered, err, json, marginswap, out, rows};

const TOWN: &str = "examples/town.csv";
const KEYS: &str = "region,sex,age,marital,education,occupation";
const KEEP: &str =
    "region*sex*age*marital + sex*age*marital*education + age*marital*education*occupation";

/// How often each combination of the named columns occurs.
fn counts(rows: &[Vec<String>], names: &[&str]) -> BTreeMap<Vec<String>, f64> {
    let mut counts = BTreeMap::new();
    for row in &rows[1..] {
        *counts.entry(on(rows, row, names)).or_default() += 1.0;
    }
    counts
}

fn on(rows: &[Vec<String>], row: &[String], names: &[&str]) -> Vec<String> {
    let column = |name: &&str| rows[0].iter().position(|other| other == name).unwrap();
    names.iter().map(|name| row[column(name)].clone()).collect()
}

#[test]
fn a_given_model_is_the_closed_form() {
    let rows = rows(TOWN);
    let keys: Vec<&str> = KEYS.split(',').collect();
    let model = "region*sex*age + age*marital + education*occupation";
    let folder = support::folder();
    let file = folder.path().join("risk.csv").to_str().unwrap().to_owned();
    let found = answered(&[
        "risk",
        TOWN,
        "--keys",
        KEYS,
        "--population",
        "20,000",
        "--model",
        model,
        "--risky",
        "top:12",
        "--keep",
        KEEP,
        "--out",
        &file,
        "--suda",
    ]);
    let n = (rows.len() - 1) as f64;
    let whole = counts(&rows, &keys);
    let tables: [(&[&str], f64); 4] = [
        (&["region", "sex", "age"], 1.0),
        (&["age", "marital"], 1.0),
        (&["age"], -1.0),
        (&["education", "occupation"], 1.0),
    ];
    let tables = tables.map(|(names, sign)| (names, sign, counts(&rows, names)));
    let (mut tau1, mut tau2, mut uniques) = (0.0, 0.0, 0);
    let mut risks = Vec::new();
    for row in &rows[1..] {
        // Three factors and two separators, of which the second is empty: n·n below.
        let p: f64 = tables
            .iter()
            .map(|(names, sign, counts)| counts[&on(&rows, row, names)].powf(*sign))
            .product::<f64>()
            / (n * n);
        let others = (20_000.0 - n) * p;
        let unique = whole[&on(&rows, row, &keys)] == 1.0;
        if unique {
            tau1 += (-others).exp();
            tau2 += (1.0 - (-others).exp()) / others;
            uniques += 1;
        }
        risks.push((p, if unique { (-others).exp() } else { 0.0 }));
    }
    let near =
        |found: &Value, expected: f64| (found.as_f64().unwrap() / expected - 1.0).abs() < 1e-9;
    assert_eq!(found["records"], 400);
    assert_eq!(found["sample_uniques"], uniques);
    assert_eq!(found["population"], 20_000.0);
    assert!(near(&found["tau1"], tau1) && near(&found["tau2"], tau2), "{found}");
    assert_eq!(found["model"]["cliques"].as_array().unwrap().len(), 3);
    assert_eq!(found["model"]["separators"], serde_json::json!([["age"], []]));
    assert_eq!(found["model"]["name"], model);
    assert!(found["fit"]["value"].is_f64() && found["model"]["bic"].is_f64());
    // The per-record file says the same, and is for its owner alone.
    let listed = self::rows(&file);
    assert_eq!(listed.len(), rows.len());
    assert_eq!(
        listed[0].join(","),
        "record,cell_count,sample_unique,probability,expected_in_population,population_unique,expected_claim,suda,dis_suda,risky,swappable,disclosed"
    );
    for (line, (p, risk)) in listed[1..].iter().zip(&risks) {
        let number = |column: usize| line[column].parse::<f64>().unwrap();
        assert!((number(3) / p - 1.0).abs() < 1e-9 && (number(5) - risk).abs() < 1e-9);
        assert!((number(4) / (p * 20_000.0) - 1.0).abs() < 1e-9);
        assert!(number(2) == 0.0 || number(7) >= 1.0, "a sample unique has a score");
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    }
    // The twelve riskiest, and what `screen` says of them.
    let risky = found["risky"].as_array().unwrap();
    assert_eq!(risky.len(), 12);
    let mut ranked: Vec<(f64, usize)> =
        risks.iter().zip(1..).map(|((_, risk), record)| (*risk, record)).collect();
    ranked.sort_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(&right.1)));
    let screened = folder.path().join("screened.csv").to_str().unwrap().to_owned();
    assert!(marginswap(&["screen", TOWN, "--keep", KEEP, "--out", &screened]).status.success());
    let screened = self::rows(&screened);
    let mut swappable = 0;
    for (entry, (risk, _)) in risky.iter().zip(&ranked) {
        assert!(near(&entry["risk"], *risk));
        let record = usize::try_from(entry["record"].as_u64().unwrap()).unwrap();
        assert_eq!(listed[record][9], "1");
        let yes = screened[record][3] == "1";
        assert_eq!(entry["swappable"], yes);
        assert_eq!(entry["disclosed"], screened[record][4] == "1");
        swappable += u64::from(yes);
    }
    assert_eq!(found["at_risk"]["swappable"], swappable);
    assert_eq!(found["at_risk"]["not_swappable"], 12 - swappable);
}

#[test]
fn every_way_to_choose_a_model_answers() {
    let base = ["risk", TOWN, "--keys", KEYS, "--fraction", "2%"];
    let ask = |more: &[&str]| answered(&[&base[..], more].concat());
    let auto = ask(&[]);
    assert!(auto["model"]["decomposable"] == true && auto["population"] == 20_000.0);
    let steps = auto["model"]["steps"].as_array().unwrap();
    assert!(!steps.is_empty());
    for step in steps {
        let [g2, df, gain] = ["g2", "df", "gain"].map(|field| step[field].as_f64().unwrap());
        assert!(gain > 0.0 && (g2 - df * 400f64.ln() - gain).abs() < 1e-6, "{step}");
    }
    let independence = ask(&["--model", "independence"]);
    let gains: f64 = steps.iter().map(|step| step["gain"].as_f64().unwrap()).sum();
    let bic = |answer: &Value| answer["model"]["bic"].as_f64().unwrap();
    assert!((bic(&independence) - gains - bic(&auto)).abs() < 1e-6);
    let aic = ask(&["--criterion", "aic"]);
    assert!(aic["model"]["aic"].as_f64() <= auto["model"]["aic"].as_f64());
    for search in ["forest", "backward", "both"] {
        let found = ask(&["--search", search]);
        assert!(found["model"]["decomposable"] == true, "{search}");
    }
    let fit = ask(&["--select", "fit"]);
    let off = |answer: &Value| answer["fit"]["value"].as_f64().unwrap().abs();
    assert!(
        off(&fit) <= off(&independence) && fit["model"]["chosen"].as_str().unwrap().contains("fit")
    );
    let started = ask(&["--start", "region*sex*age", "--search", "forest"]);
    assert_eq!(started["model"]["cliques"].as_array().unwrap().len(), 4);
    let pairs = ask(&["--model", "all-2way"]);
    assert_eq!(pairs["model"]["decomposable"], false);
    assert_eq!(pairs["model"]["cliques"].as_array().unwrap().len(), 15);
    assert!(pairs["model"]["fitting"]["converged"] == true, "{}", pairs["model"]["fitting"]);
    assert!(pairs["model"]["g2"].as_f64() < auto["model"]["g2"].as_f64());
    // The whole population in the file: certain, and no fit to speak of.
    let census = answered(&["risk", TOWN, "--keys", KEYS, "--fraction", "1"]);
    assert_eq!(census["tau1"], census["sample_uniques"].as_f64().unwrap());
    assert!(census["fit"].is_null());
    // Threads change nothing.
    assert_eq!(ask(&["--threads", "1", "--suda"]), ask(&["--threads", "3", "--suda"]));
}

/// With more cells than one thread takes at a time, and a model that is judged again and again.
#[test]
fn the_bytes_are_the_same_for_any_number_of_threads() {
    let desk = support::Desk::new();
    let mut text = "a,b,c,d,e,f,g\n".to_owned();
    let mut state = 7u64;
    for _ in 0..40_000 {
        let mut draw = |levels: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            // The smaller of two is drawn more often than the larger.
            let high = state >> 33;
            (high % levels).min(high / levels % levels)
        };
        let (a, b, c) = (draw(30), draw(12), draw(12));
        let values =
            [a, b, c, (a + draw(4)) % 9, (b + draw(3)) % 11, (b + c + draw(2)) % 7, draw(5)];
        text.push_str(&values.map(|value| value.to_string()).join(","));
        text.push('\n');
    }
    let data = desk.write("survey.csv", &text);
    let ask = |threads: &str, more: &[&str]| {
        let ask = ["risk", &data, "--keys", "a,b,c,d,e,f,g", "--fraction", "1 %", "--json"];
        let output = marginswap(&[&ask[..], &["--threads", threads], more].concat());
        assert!(output.status.success(), "{}", err(&output));
        output.stdout
    };
    for more in [&[][..], &["--select", "fit"], &["--suda", "3", "--risky", "top:20"]] {
        let one = ask("1", more);
        let found: Value = serde_json::from_slice(&one).unwrap();
        assert!(found["combinations"].as_u64() > Some(10_000), "{}", found["combinations"]);
        assert!(found["fit"]["opened"].as_u64() > Some(1_000), "{}", found["fit"]);
        for threads in ["2", "3"] {
            assert!(ask(threads, more) == one, "{threads} threads, {more:?}");
        }
    }
}

#[test]
fn the_text_says_what_is_estimated() {
    let output =
        marginswap(&["risk", TOWN, "--keys", KEYS, "--population", "20000", "--risky", "prob:0.2"]);
    let text = out(&output);
    for words in [
        "Estimated with this model",
        "Model, chosen by BIC",
        "B/√V",
        "tau1",
        "At risk by the rule prob:0.2",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert!(err(&output).contains("next: marginswap protect examples/town.csv --keys"));
    // Without a rule the next step protects those whom the model calls at risk, if anybody.
    let keys = "region,sex,age,marital";
    for (fraction, rule) in [("30%", "--risky prob:0.2"), ("5%", "--risky top:50")] {
        let output = marginswap(&["risk", TOWN, "--keys", keys, "--fraction", fraction]);
        let next = err(&output);
        assert!(next.contains(rule) && next.contains("-o released.csv"), "{fraction}: {next}");
    }
}

#[test]
fn weights_give_individual_risk_and_population() {
    let folder = support::folder();
    let data = folder.path().join("weighted.csv").to_str().unwrap().to_owned();
    let mut text = "age,sex,weight\n".to_owned();
    for record in 0..40 {
        text.push_str(&format!("{},{},{}.5\n", record % 9, record % 2, 3 + record % 5));
    }
    fs::write(&data, &text).unwrap();
    let file = folder.path().join("risk.csv").to_str().unwrap().to_owned();
    let found =
        answered(&["risk", &data, "--keys", "age,sex", "--weight", "weight", "--out", &file]);
    let rows = rows(&data);
    let weight = |row: &Vec<String>| row[2].parse::<f64>().unwrap();
    let sum: f64 = rows[1..].iter().map(weight).sum();
    assert!((found["population"].as_f64().unwrap() - sum).abs() < 1e-9);
    let mut claims = 0.0;
    for (row, line) in rows[1..].iter().zip(&self::rows(&file)[1..]) {
        let same: Vec<&Vec<String>> =
            rows[1..].iter().filter(|other| other[..2] == row[..2]).collect();
        let p = same.len() as f64 / same.iter().map(|row| weight(row)).sum::<f64>();
        // Σ 1/F over the negative binomial.
        let f = same.len() as f64;
        let (mut term, mut risk) = (p.powf(f), 0.0);
        for size in 0..3000 {
            let size = f + f64::from(size);
            risk += term / size;
            term *= size / (size - f + 1.0) * (1.0 - p);
        }
        claims += risk;
        assert!((line[7].parse::<f64>().unwrap() - risk).abs() < 1e-9);
    }
    assert!(
        (found["weighted"]["expected_reidentifications"].as_f64().unwrap() - claims).abs() < 1e-6
    );
    // A population that is given wins over the weights.
    let said = json(&[
        "risk",
        &data,
        "--keys",
        "age,sex",
        "--weight",
        "weight",
        "--population",
        "999",
        "--json",
    ]);
    assert_eq!(said["population"], 999.0);
}

#[test]
fn plans_take_the_riskiest() {
    let folder = support::folder();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let keep = "region*sex*age + age*marital + education*occupation";
    let told = ["--keys", KEYS, "--population", "20000", "--keep", keep, "--risky"];
    let risk = answered(&[&["risk", TOWN], &told[..], &["top:15"]].concat());
    let least = risk["risky"][14]["risk"].as_f64().unwrap();
    let plan = path("swap.plan");
    let planned = answered(
        &[&["plan", TOWN], &told[..], &["top:15", "-o", &plan, "--demo-seed", "1"]].concat(),
    );
    assert_eq!((&planned["at_risk"], &planned["covered"]), (&15.into(), &15.into()));
    // Exactly those records are in it.
    let shown = answered(&["show", &plan, "--reveal"]);
    let swapped: Vec<u64> = shown["revealed"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|swap| [swap["left"].as_u64().unwrap(), swap["right"].as_u64().unwrap()])
        .collect();
    for entry in risk["risky"].as_array().unwrap() {
        assert!(swapped.contains(&entry["record"].as_u64().unwrap()));
    }
    // By probability the same ones, and those that share the last one's risk.
    let rule = format!("prob:{least}");
    let released = path("released.csv");
    let protected = answered(
        &[&["protect", TOWN], &told[..], &[&rule, "-o", &released, "--demo-seed", "1"]].concat(),
    );
    assert!(protected["at_risk"].as_u64().unwrap() >= 15 && protected["equal"] == true);
    // A plan made with another population is noticed.
    let project = path("other.toml");
    let toml = |population: u32| {
        format!(
            "[keep]\ntables = [\"{keep}\"]\n[risk]\nkeys = [{}]\nrisky = \"top:15\"\npopulation = {population}\n",
            KEYS.split(',').map(|key| format!("\"{key}\"")).collect::<Vec<_>>().join(", ")
        )
    };
    let apply = |population| {
        fs::write(&project, toml(population)).unwrap();
        let out = path(&format!("applied-{population}.csv"));
        marginswap(&["apply", TOWN, &plan, "-o", &out, "--project", &project])
    };
    // Of a demo seed, so not for release; but written.
    let fits = apply(20_000);
    assert_eq!(fits.status.code(), Some(1), "{}", err(&fits));
    assert_eq!(rows(&path("applied-20000.csv")).len(), 401);
    let stale = apply(30_000);
    assert_eq!(stale.status.code(), Some(5), "{}", err(&stale));
    // The project file alone says it all.
    let alone = answered(&["risk", TOWN, "--project", &project]);
    assert_eq!((&alone["rule"], &alone["population"]), (&"top:15".into(), &30_000.0.into()));
}

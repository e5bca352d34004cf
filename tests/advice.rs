//! Advice for those who are left, followed to the letter: doing what it says gives the number
//! that it promised.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support;

use std::collections::BTreeMap;

use serde_json::Value;
use support::{Desk, answered, marginswap, out, rows};

/// A file with a numeric age, a job with rare categories, and more.
fn survey(desk: &Desk) -> String {
    let mut state = 11u64;
    let mut next = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 40) % below
    };
    let mut text = "age,sex,job,region\n".to_owned();
    for _ in 0..600 {
        let job = next(200);
        let job = if job < 160 { job % 4 } else { job };
        text += &format!("{},s{},j{job},r{}\n", 18 + next(60), next(2), next(5));
    }
    desk.write("survey.csv", &text)
}

fn advice<'a>(said: &'a Value, kind: &str) -> Vec<&'a Value> {
    let all = said["advice"].as_array().unwrap().iter();
    all.filter(|advice| advice["advice"] == kind).collect()
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is a count"))
}

/// Writes the file with one column recoded, or left out.
fn recoded(
    desk: &Desk,
    survey: &str,
    column: &str,
    recode: impl Fn(&str) -> Option<String>,
) -> String {
    let rows = rows(survey);
    let place = rows[0].iter().position(|name| name == column).unwrap();
    let mut text = String::new();
    for (line, row) in rows.iter().enumerate() {
        let mut row = row.clone();
        match if line == 0 { Some(column.to_owned()) } else { recode(&row[place]) } {
            Some(value) => row[place] = value,
            None => row[place] = "same".to_owned(),
        }
        text += &(row.join(",") + "\n");
    }
    desk.write("recoded.csv", &text)
}

/// How many people a run counts at risk.
fn at_risk(data: &str, keys: &str) -> u64 {
    let keys = ["--keys", keys, "--keep", "sex*region"];
    number(&answered(&[&["verify", data, data][..], &keys].concat())["at_risk"])
}

/// The key that makes most people rare, in bands, with its rare categories merged, or the same for
/// everybody: each time the recoded file has as many people at risk as was promised.
#[test]
fn a_coarser_key_leaves_the_promised_number_at_risk() {
    let desk = Desk::new();
    let survey = survey(&desk);
    let mut told = Vec::new();
    for keys in ["age,sex,region", "sex,job,region"] {
        let typed = ["--keys", keys, "--keep", "sex*region"];
        let said = answered(&[&["verify", &survey, &survey][..], &typed].concat());
        let [one] = advice(&said, "coarser_key")[..] else { panic!("{}", said["advice"]) };
        let key = one["key"].as_str().unwrap();
        told.push(key.to_owned());
        assert_eq!(one["now"], said["at_risk"]);
        let left_out = recoded(&desk, &survey, key, |_| None);
        assert_eq!(number(&one["left_out"]), at_risk(&left_out, keys), "{key}");
        assert_eq!(number(&one["helps"]), number(&one["now"]) - number(&one["left_out"]));
        for band in one["bands"].as_array().unwrap() {
            let width = number(&band["width"]);
            let banded = recoded(&desk, &survey, key, |value| {
                Some(format!("b{}", value.parse::<u64>().unwrap() / width))
            });
            assert_eq!(number(&band["at_risk"]), at_risk(&banded, keys), "{key} {width}");
        }
        assert_eq!(one["bands"].as_array().unwrap().len(), if key == "age" { 2 } else { 0 });
        if key != "job" {
            continue;
        }
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        for row in &rows(&survey)[1..] {
            *counts.entry(row[2].clone()).or_default() += 1;
        }
        let is_rare = |job: &str| counts[job] * 100 < 600;
        let merged = &one["merged"];
        let rare = counts.keys().filter(|job| is_rare(job)).count() as u64;
        assert!(rare >= 2 && number(&merged["categories"]) == rare, "{merged}");
        let once = recoded(&desk, &survey, "job", |job| {
            Some(if is_rare(job) { "other" } else { job }.to_owned())
        });
        assert_eq!(number(&merged["at_risk"]), at_risk(&once, keys));
    }
    assert_eq!(told, ["age", "job"]);
    // A key that is not released is in no released file.
    let [released, seed] = ["released.csv", "seed"].map(|name| desk.path(name));
    desk.write("seed", &"5a".repeat(32));
    let typed = ["--keys", "sex,job,region", "--keep", "sex*job + sex*region + job*region"];
    let job = ["protect", &survey, "-o", &released, "--seed-file", &seed];
    let said = answered(&[&job[..], &typed].concat());
    let [one] = advice(&said, "coarser_key")[..] else { panic!("{}", said["advice"]) };
    let command = one["command"].as_str().unwrap();
    assert!(command.contains("--ignore job") && command.contains("--drop job"), "{command}");
    let typed =
        ["--ignore", "job", "--drop", "job", "--keys", "sex,region", "--keep", "sex*region"];
    answered(&[&job[..], &typed, &["--force"]].concat());
    assert_eq!(rows(&released)[0], ["age", "sex", "region"]);
    // Who is listed by name is at risk whatever the keys are.
    let listed = desk.write("listed.txt", "1\n2\n");
    let rule = format!("records:{listed}");
    let keys = ["--keys", "age,sex,job", "--keep", "sex*region", "--risky", &rule];
    let said = answered(&[&["verify", &survey, &survey][..], &keys].concat());
    assert!(advice(&said, "coarser_key").is_empty(), "{said}");
}

/// Without a table as many more people can be parted as was promised, and are gone.
#[test]
fn without_a_table_the_promised_number_is_parted() {
    let desk = Desk::new();
    let survey = survey(&desk);
    let released = desk.path("released.csv");
    let run = |keep: &str| {
        let keys = ["--keys", "sex,job,region", "--keep", keep, "--demo-seed", "1", "--force"];
        answered(&[&["protect", &survey, "-o", &released][..], &keys].concat())
    };
    let said = run("sex*job + job*region + sex*region + age*sex");
    let tables = advice(&said, "without_table");
    assert_eq!(tables.len(), 1, "{}", said["advice"]);
    let [mut most, mut parted] = [0, 0];
    for one in tables {
        let names: Vec<&str> =
            one["table"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
        let kept = ["sex*job", "job*region", "sex*region", "age*sex"];
        let dropped = kept.iter().position(|table| {
            table.split('*').all(|name| names.contains(&name)) && names.len() == 2
        });
        let mut kept = kept.to_vec();
        kept.remove(dropped.unwrap());
        let command = one["command"].as_str().unwrap();
        assert!(command.contains(&format!("--keep '{}'", kept.join(" + "))), "{command}");
        let without = run(&kept.join(" + "));
        let more = number(&without["separable"]) - number(&said["separable"]);
        assert_eq!(number(&one["frees"]), more, "{names:?}");
        most = most.max(more);
        parted = parted.max(number(&without["gone"]));
    }
    assert!(most > 0 && parted > number(&said["gone"]), "{most} {parted}");
}

/// Cubes far apart: the four records of even parity of each can only become the four of odd parity.
fn cubes(desk: &Desk, many: usize) -> String {
    let mut text = "a,b,c,w\n".to_owned();
    for cube in 0..many {
        for [a, b, c] in [[0, 0, 0], [1, 1, 0], [1, 0, 1], [0, 1, 1]] {
            text += &format!("{},{},{},w{}\n", 2 * cube + a, 2 * cube + b, 2 * cube + c, a);
        }
    }
    desk.write("cubes.csv", &text)
}

/// Where many are left, larger swaps are looked for in a sample of them, and of nobody else it is
/// said that nothing helps.
#[test]
fn larger_swaps_are_tried_for_a_sample() {
    let desk = Desk::new();
    let data = cubes(&desk, 100);
    let kept = ["--keep", "a*b + b*c + a*c", "--vars", "a,b,c", "--keys", "a,b,c"];
    let said = answered(&[&["verify", &data, &data][..], &kept].concat());
    assert_eq!(number(&said["matched"]), 400);
    let [larger] = advice(&said, "larger_swaps")[..] else { panic!("{}", said["advice"]) };
    let told = ["frees", "asked", "not_asked"].map(|name| number(&larger[name]));
    assert_eq!(told, [256, 256, 144]);
    assert!(advice(&said, "suppress_or_recode").is_empty(), "{}", said["advice"]);
    let text = out(&marginswap(&[&["verify", &data, &data][..], &kept].concat()));
    assert!(
        text.contains("256 of 256 people from their keys (a sample: 144 more were not tried)."),
        "{text}"
    );
}

/// Larger swaps free as many as was promised; where they are allowed already, they are not
/// advised again.
#[test]
fn larger_swaps_free_the_promised_number() {
    let desk = Desk::new();
    let data = cubes(&desk, 12);
    let released = desk.path("released.csv");
    let run = |more: &[&str]| {
        let fixed = ["protect", &data, "-o", &released, "--keys", "a,b,c", "--ignore", "w"];
        let keep = ["--keep", "a*b + b*c + a*c", "--vars", "a,b,c", "--demo-seed", "1", "--force"];
        answered(&[&fixed[..], &keep, more].concat())
    };
    let pairs = run(&[]);
    assert_eq!((number(&pairs["at_risk"]), number(&pairs["matched"])), (48, 48));
    let larger = advice(&pairs, "larger_swaps");
    assert_eq!(larger.len(), 1, "{}", pairs["advice"]);
    assert_eq!((number(&larger[0]["max_records"]), number(&larger[0]["frees"])), (4, 48));
    let groups = run(&["--max-records", "4"]);
    assert_eq!(number(&pairs["matched"]) - number(&groups["matched"]), 48, "{groups}");
    assert!(groups["advice"].as_array().unwrap().is_empty());
    let some = run(&["--max-records", "3"]);
    assert_eq!(advice(&some, "larger_swaps"), larger);
    // The budget would be against it.
    assert!(advice(&run(&["--budget", "2"]), "larger_swaps").is_empty());
}

/// What is advised is a command that helps as many as it says: more records, or other partners.
#[test]
fn commands_help_the_promised_number() {
    let desk = Desk::new();
    let survey = survey(&desk);
    let released = desk.path("released.csv");
    let seed = desk.write("seed", &"5a".repeat(32));
    let keys = ["--keys", "age,sex,region", "--keep", "sex*job + age", "--seed-file", &seed];
    for (more, kind) in [(["--budget", "20"], "raise_budget"), (["--match", "job"], "widen_match")]
    {
        let job = ["protect", &survey, "-o", &released, "--force"];
        let said = answered(&[&job[..], &keys, &more].concat());
        let all = said["advice"].as_array().unwrap();
        assert!((1..=3).contains(&all.len()), "{said}");
        let helps: Vec<u64> = all.iter().map(|one| number(&one["helps"])).collect();
        assert!(helps.is_sorted_by(|one, other| one >= other), "{helps:?}");
        let [one] = advice(&said, kind)[..] else { panic!("{kind}: {}", said["advice"]) };
        let left = number(&said["hidden"]["not_hidden"]);
        let words = one["command"].as_str().unwrap().strip_prefix("marginswap ").unwrap();
        let words: Vec<&str> = words.split(' ').map(|word| word.trim_matches('\'')).collect();
        let keep = words.iter().position(|word| *word == "--keep").unwrap();
        let table = words[keep + 1..keep + 4].join(" ");
        let mut words = words;
        words.splice(keep + 1..keep + 4, [table.as_str()]);
        words.extend(["--seed-file", &seed]);
        let then = answered(&words);
        let helped = left - number(&then["hidden"]["not_hidden"]);
        assert!(helped >= number(&one["helps"]), "{kind}: {helped} of {one}");
        assert!(left > 0);
    }
}

/// The text and the page say it too.
#[test]
fn advice_is_in_every_answer() {
    let desk = Desk::new();
    let survey = survey(&desk);
    let page = desk.path("page.html");
    let keys = ["--keys", "age,sex,job", "--keep", "age*sex*job"];
    let told = |command: &[&str]| out(&marginswap(&[command, &keys].concat()));
    let released = desk.path("released.csv");
    let texts = [
        told(&["verify", &survey, &survey]),
        told(&["protect", &survey, "-o", &released, "--demo-seed", "1", "--report", &page]),
        told(&["report", &survey, &survey, "-o", &desk.path("other.html")]),
    ];
    for text in texts {
        assert!(text.contains("What would help those who are left:"), "{text}");
        assert!(text.contains("Do not keep age*sex*job"), "{text}");
        assert!(text.contains("Recode job in the file"), "{text}");
    }
    assert!(desk.read("other.html").contains("Recode job in the file"));
    // Nobody is left, so there is nothing to advise.
    let said = answered(&[
        "protect",
        &survey,
        "-o",
        &released,
        "--keys",
        "sex,region",
        "--keep",
        "sex*region",
        "--demo-seed",
        "1",
        "--force",
    ]);
    assert!(said["advice"].as_array().unwrap().is_empty(), "{said}");
}

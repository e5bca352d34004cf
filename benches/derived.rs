//! What do derived variables cost, compared with the same columns written into the file and linked?
//!
//! The demo survey of a million people gets five of them. Both ways `protect` runs as a user runs
//! it; before any time counts, both must find the same people at risk, and keep the same tables.
//! Times are minima of several rounds, taken in turn.

#![allow(clippy::print_stdout, reason = "a benchmark prints its table")]
#![allow(clippy::unwrap_used, reason = "a benchmark fails by panicking")]
#![allow(missing_docs, reason = "a program, not a library")]

mod support;

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use support::memory;

const RECORDS: &str = "1000000";
const ROUNDS: usize = 3;

/// Name, expression, and the columns it follows from.
const DERIVED: [(&str, &str, &str); 5] = [
    ("area", "prefix(region, 1)", "region"),
    ("old", "age in {\"60-69\", \"70-79\", \"80+\"}", "age"),
    ("origin", "if(birthplace in {\"town\", \"county\"}, \"here\", \"elsewhere\")", "birthplace"),
    ("alone", "household = \"1\"", "household"),
    ("job", "if(old, \"any\", occupation)", "age,occupation"),
];

const KEEP: &str =
    "area*sex*age + old*marital + old*education + job*income + area*origin + alone*sex";
const KEYS: &str = "region,sex,age,marital,education,occupation,birthplace";

/// The derived values of a line, by hand.
fn derived(fields: &[&str]) -> [String; 5] {
    let [_, region, _, age, _, _, occupation, household, birthplace, _] =
        <[&str; 10]>::try_from(fields).unwrap();
    let yes = |holds: bool| if holds { "yes" } else { "no" }.to_owned();
    let old = ["60-69", "70-79", "80+"].contains(&age);
    let here = ["town", "county"].contains(&birthplace);
    [
        region[..1].to_owned(),
        yes(old),
        if here { "here" } else { "elsewhere" }.to_owned(),
        yes(household == "1"),
        if old { "any" } else { occupation }.to_owned(),
    ]
}

fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_marginswap"))
}

/// The survey with the derived columns written into it.
fn write_columns(survey: &Path, out: &Path) {
    let text = std::fs::read_to_string(survey).unwrap();
    let mut lines = text.lines();
    let mut written = lines.next().unwrap().to_owned();
    DERIVED.iter().for_each(|(name, _, _)| write!(written, ",{name}").unwrap());
    written.push('\n');
    for line in lines {
        let fields: Vec<&str> = line.split(',').collect();
        writeln!(written, "{line},{}", derived(&fields).join(",")).unwrap();
    }
    std::fs::write(out, written).unwrap();
}

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let town = folder.path().join("town");
    let made = program()
        .args(["demo", town.to_str().unwrap(), "--records", RECORDS, "--json"])
        .output()
        .unwrap();
    assert!(matches!(made.status.code(), Some(0 | 1)));
    let survey = town.join("survey.csv");
    let written = folder.path().join("written.csv");
    write_columns(&survey, &written);
    let released = folder.path().join("released.csv");
    let common =
        ["--id", "person", "--keep", KEEP, "--keys", KEYS, "--demo-seed", "1", "--force", "--json"];
    let run = |data: &Path, more: &[String]| {
        let mut command = program();
        command.arg("protect").arg(data).args(common).args(more).arg("-o").arg(&released);
        let done = memory::run(&mut command);
        let said: Value = serde_json::from_slice(&done.output).unwrap();
        (said, done.seconds)
    };
    let derive: Vec<String> = DERIVED
        .iter()
        .flat_map(|(name, expression, _)| ["--derive".to_owned(), format!("{name} = {expression}")])
        .collect();
    let linked: Vec<String> = DERIVED
        .iter()
        .flat_map(|(name, _, of)| ["--linked".to_owned(), format!("{of},{name}")])
        .collect();
    let mut best = [f64::INFINITY; 2];
    for _ in 0..ROUNDS {
        let (one, seconds) = run(&survey, &derive);
        let (other, of_written) = run(&written, &linked);
        for field in ["records", "at_risk"] {
            assert_eq!(one[field], other[field], "{field}");
        }
        assert_eq!(one["matched"], 0, "everybody at risk is protected");
        best = [best[0].min(seconds), best[1].min(of_written)];
    }
    println!("| records | derived s | written and linked s | ratio |\n|---:|---:|---:|---:|");
    println!("| {RECORDS} | {:.2} | {:.2} | {:.2} |", best[0], best[1], best[0] / best[1]);
}

//! How does the program do on public data on which others have published figures?
//!
//! 1. Census: which share of the reconstructed records of 14 tracts do five block tables prove?
//!    The Census Bureau released them because the full set of tables determines all of them.
//! 2. NIST's Diverse Community Excerpts, three feature sets, all two-way tables kept: k-marginal
//!    and unique exact matches by NIST's published definitions, counted here from the two
//!    files, and the mean distance of the three-way tables.
//! 3. Two kept tables on real files: how many people disjoint pairs part from their keys, how
//!    many permutations in slices, and how many no swap can exceed.
//!
//! `MARGINSWAP_ARENA` and `MARGINSWAP_REAL_DATA` name the folders; without them
//! `../shared/arena` and `../shared/data` are looked for. What is missing is reported. Before
//! anything counts, the measures must give what is known of a file and itself. Seconds are those
//! of all processors together. Of the real files those of more than 120,000 records are left out
//! unless `MARGINSWAP_ARENA_ONLY` names a part of their path.

#![allow(clippy::print_stdout, reason = "a benchmark prints its table")]
#![allow(clippy::unwrap_used, reason = "a benchmark fails by panicking")]
#![allow(missing_docs, reason = "a program, not a library")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// A file as text, without its header.
struct Sheet {
    names: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Sheet {
    fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path).unwrap();
        assert!(!text.contains('"'), "these files quote nothing");
        let mut rows = text.lines().map(|line| line.split(',').map(str::to_owned).collect());
        Self { names: rows.next().unwrap(), rows: rows.collect() }
    }

    fn with(&self, names: &[&str]) -> Self {
        let places: Vec<usize> = names
            .iter()
            .map(|name| self.names.iter().position(|other| other == name).unwrap())
            .collect();
        let row = |row: &Vec<String>| places.iter().map(|&place| row[place].clone()).collect();
        Self {
            names: names.iter().map(|&name| name.to_owned()).collect(),
            rows: self.rows.iter().map(row).collect(),
        }
    }

    fn write(&self, path: &Path) {
        let lines = std::iter::once(&self.names).chain(&self.rows);
        let text: String = lines.map(|row| row.join(",") + "\n").collect();
        fs::write(path, text).unwrap();
    }

    fn counts<'s>(
        &'s self,
        columns: &[usize],
        rows: impl Iterator<Item = &'s Vec<String>>,
    ) -> BTreeMap<Vec<&'s str>, f64> {
        let mut counts: BTreeMap<Vec<&str>, f64> = BTreeMap::new();
        for row in rows {
            *counts
                .entry(columns.iter().map(|&column| row[column].as_str()).collect())
                .or_default() += 1.0;
        }
        counts
    }
}

/// The mean of half the L1 distance of the densities of all tables of this many columns.
fn mean_distance(
    target: &Sheet,
    released: &Sheet,
    size: usize,
    area: Option<(usize, &str)>,
) -> f64 {
    let columns: Vec<usize> =
        (0..target.names.len()).filter(|&column| area.is_none_or(|(of, _)| of != column)).collect();
    let inside = |row: &&Vec<String>| area.is_none_or(|(column, value)| row[column] == value);
    let (mut sum, mut tables) = (0.0, 0.0);
    for chosen in choices(&columns, size) {
        let one = target.counts(&chosen, target.rows.iter().filter(inside));
        let other = released.counts(&chosen, released.rows.iter().filter(inside));
        let (all, others) = (one.values().sum::<f64>(), other.values().sum::<f64>());
        let mut distance = 0.0;
        for (cell, count) in &one {
            distance += (count / all - other.get(cell).unwrap_or(&0.0) / others).abs();
        }
        let only_there = other.iter().filter(|(cell, _)| !one.contains_key(*cell));
        distance += only_there.map(|(_, count)| count / others).sum::<f64>();
        sum += distance / 2.0;
        tables += 1.0;
    }
    sum / tables
}

fn choices(columns: &[usize], size: usize) -> Vec<Vec<usize>> {
    if size == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (place, &first) in columns.iter().enumerate() {
        for mut rest in choices(&columns[place + 1..], size - 1) {
            rest.insert(0, first);
            all.push(rest);
        }
    }
    all
}

/// NIST's k-marginal for k = 2: inside each PUMA where that is in the set, and their mean.
fn k_marginal(target: &Sheet, released: &Sheet) -> f64 {
    match target.names.iter().position(|name| name == "PUMA") {
        None => 1000.0 * (1.0 - mean_distance(target, released, 2, None)),
        Some(column) => {
            let areas = target.counts(&[column], target.rows.iter());
            let score = |area: &Vec<&str>| {
                1000.0 * (1.0 - mean_distance(target, released, 2, Some((column, area[0]))))
            };
            areas.keys().map(score).sum::<f64>() / areas.len() as f64
        }
    }
}

/// The records that are unique in the target, and how many of them are in the released file.
fn unique_exact_matches(target: &Sheet, released: &Sheet) -> (usize, usize) {
    let all: Vec<usize> = (0..target.names.len()).collect();
    let there = released.counts(&all, released.rows.iter());
    let counts = target.counts(&all, target.rows.iter());
    let uniques: Vec<_> = counts.iter().filter(|(_, count)| **count == 1.0).collect();
    let matches = uniques.iter().filter(|(row, _)| there.contains_key(*row)).count();
    (uniques.len(), matches)
}

fn known_answers() {
    let row = |text: &str| text.split(',').map(str::to_owned).collect();
    let sheet = |rows: &[&str]| Sheet {
        names: row("a,b"),
        rows: rows.iter().map(|text| row(text)).collect(),
    };
    let (one, other) = (sheet(&["0,0", "1,1", "1,1"]), sheet(&["0,1", "1,0", "1,1"]));
    assert!((k_marginal(&one, &one) - 1000.0).abs() < 1e-9);
    assert_eq!(unique_exact_matches(&one, &one), (1, 1));
    assert_eq!(unique_exact_matches(&one, &other), (1, 0));
    assert!((mean_distance(&one, &other, 2, None) - 2.0 / 3.0).abs() < 1e-9);
    assert!(mean_distance(&one, &other, 1, None).abs() < 1e-9);
}

/// What the program says, and the seconds that processors worked for it.
fn program(arguments: &[&str]) -> (Value, f64) {
    let output = Command::new(env!("CARGO_BIN_EXE_marginswap"))
        .args(arguments)
        .args(["--json", "--timings"])
        .output()
        .unwrap();
    assert!(matches!(output.status.code(), Some(0 | 1)), "{output:?}");
    let said: Value = serde_json::from_slice(&output.stdout).unwrap();
    let phases = said["timings"].as_array().unwrap().iter();
    let seconds = phases.filter_map(|phase| phase["cpu_seconds"].as_f64()).sum();
    (said, seconds)
}

const BLOCK_TABLES: &str = "block*sex*age38*age23*adult + block*sex*age23*race7*adult + \
    block*sex*age23*hispanic*adult + block*sex*age23*white_nh*adult + \
    block*hispanic*race63*race7*white_nh*adult";

fn census(path: &Path) {
    let data = path.to_str().unwrap();
    let (_, reading) = program(&["inspect", data]);
    let (said, seconds) = program(&["screen", data, "--keep", BLOCK_TABLES, "--by", "block"]);
    let share = 100.0 * said["disclosed"].as_f64().unwrap() / said["records"].as_f64().unwrap();
    println!(
        "\n| records | proved | share | exact | blocks with all proved | inspect s | screen s |"
    );
    println!("|---:|---:|---:|---|---:|---:|---:|");
    println!(
        "| {} | {} | {share:.1} % | {} | {} of {} | {reading:.2} | {seconds:.2} |",
        said["records"],
        said["disclosed"],
        said["disclosed_is_exact"],
        said["by"]["by_share"][5]["areas"],
        said["by"]["areas"],
    );
}

const FEATURES: [(&str, &[&str]); 3] = [
    (
        "demographic",
        &[
            "AGEP",
            "SEX",
            "MSP",
            "RAC1P",
            "HOUSING_TYPE",
            "OWN_RENT",
            "EDU",
            "PINCP_DECILE",
            "DVET",
            "DEYE",
        ],
    ),
    (
        "industry",
        &["PUMA", "SEX", "MSP", "HISP", "RAC1P", "OWN_RENT", "INDP_CAT", "EDU", "PINCP_DECILE"],
    ),
    (
        "family",
        &[
            "PUMA",
            "AGEP",
            "SEX",
            "MSP",
            "HISP",
            "RAC1P",
            "NOC",
            "NPF",
            "OWN_RENT",
            "PINCP_DECILE",
            "POVPIP",
        ],
    ),
];

fn nist(name: &str, path: &Path) {
    let whole = Sheet::read(path);
    let folder = tempfile::tempdir().unwrap();
    for (set, features) in FEATURES {
        let target = whole.with(features);
        let (data, released) = (folder.path().join("target.csv"), folder.path().join("out.csv"));
        target.write(&data);
        let (data, out) = (data.to_str().unwrap(), released.to_str().unwrap());
        let pairs = choices(&(0..features.len()).collect::<Vec<_>>(), 2);
        let pairs: Vec<String> = pairs
            .iter()
            .map(|pair| format!("{}*{}", features[pair[0]], features[pair[1]]))
            .collect();
        let (keep, keys) = (pairs.join(" + "), features.join(","));
        let fixed = ["protect", data, "--keys", &keys, "--keep", &keep, "-o", out];
        let more = ["--max-records", "4", "--demo-seed", "1", "--force"];
        let (said, seconds) = program(&[&fixed[..], &more].concat());
        assert_eq!(said["equal"], true, "every kept table is unchanged");
        let released = Sheet::read(&released);
        let (uniques, matches) = unique_exact_matches(&target, &released);
        println!(
            "| marginswap, all two-way tables kept | {name} | {set} | {:.0} | {:.2} % ({matches} of {uniques}) | {:.4} | {seconds:.1} |",
            k_marginal(&target, &released),
            100.0 * matches as f64 / uniques as f64,
            mean_distance(&target, &released, 3, None),
        );
    }
}

/// What was published for others on national2019, demographic-focused.
const OTHERS: [(&str, &str, &str); 5] = [
    ("AIM, ε = 1", "976", "14.1 %"),
    ("MST, ε = 1", "958", "12.5 %"),
    ("sdcMicro, k-anonymity, k = 6", "907", "47.4 %"),
    ("PATECTGAN, ε = 10", "805", "13.0 %"),
    ("40 % subsample", "–", "40 %"),
];

fn two_tables(folder: &Path) {
    println!(
        "\n| file | class | at risk | parted by pairs | with slices | at most | share | s with pairs | s with slices |"
    );
    println!("|---|---|---:|---:|---:|---:|---:|---:|---:|");
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let only = std::env::var("MARGINSWAP_ARENA_ONLY").unwrap_or_default();
    for file in files {
        let Ok(text) = fs::read_to_string(file.join("scenario.json")) else { continue };
        let scenario: Value = serde_json::from_str(&text).unwrap();
        let data = file.join("data.csv");
        let data = data.to_str().unwrap();
        let is_large = scenario["n"].as_u64().unwrap() > 120_000;
        if (only.is_empty() && is_large) || !data.contains(&only) {
            continue;
        }
        for (class, said) in scenario["classes"].as_object().unwrap() {
            let tables = said["tables"].as_array().unwrap();
            if tables.len() != 2 {
                continue;
            }
            let table = |table: &Value| -> String {
                let names = table.as_array().unwrap().iter();
                names
                    .map(|name| format!("`{}`", name.as_str().unwrap()))
                    .collect::<Vec<_>>()
                    .join("*")
            };
            let keep = tables.iter().map(table).collect::<Vec<_>>().join(" + ");
            let names: Vec<String> = scenario["levels"]
                .as_object()
                .unwrap()
                .keys()
                .map(|name| format!("`{name}`"))
                .collect();
            let keys = names.join(",");
            let target = tempfile::tempdir().unwrap();
            let plan = target.path().join("plan.json");
            let run = |pairing| {
                let out = plan.to_str().unwrap();
                let fixed = ["plan", data, "--keys", &keys, "--keep", &keep, "-o", out];
                program(
                    &[&fixed[..], &["--demo-seed", "1", "--force", "--pairing", pairing]].concat(),
                )
            };
            let ((pairs, before), (slices, after)) = (run("greedy"), run("slices"));
            let share = 100.0 * slices["separated"].as_f64().unwrap()
                / slices["most_separated"].as_f64().unwrap_or(f64::NAN);
            println!(
                "| {} | {class} | {} | {} | {} | {} | {share:.1} % | {before:.2} | {after:.2} |",
                scenario["id"].as_str().unwrap(),
                slices["at_risk"],
                pairs["separated"],
                slices["separated"],
                slices["most_separated"],
            );
        }
    }
}

fn main() {
    known_answers();
    let folder = |name: &str, usual: &str| {
        std::env::var_os(name).map_or_else(|| PathBuf::from(usual), PathBuf::from)
    };
    let arena = folder("MARGINSWAP_ARENA", "../shared/arena");
    let there = |name: &str| {
        let path = arena.join(name);
        if !path.exists() {
            println!("skipped: {name} is not there");
        }
        path.exists().then_some(path)
    };
    if let Some(path) = there("census_tracts.csv") {
        census(&path);
    }
    println!(
        "\n| method | file | feature set | k-marginal | unique exact matches | three-way distance | seconds |"
    );
    println!("|---|---|---|---:|---:|---:|---:|");
    for (method, marginal, matches) in OTHERS {
        println!("| {method} | national2019 | demographic | {marginal} | {matches} | – | – |");
    }
    for name in ["national2019", "ma2019"] {
        if let Some(path) = there(&format!("{name}.csv")) {
            nist(name, &path);
        }
    }
    let real = folder("MARGINSWAP_REAL_DATA", "../shared/data");
    match real.exists() {
        true => two_tables(&real),
        false => println!("skipped: the folder of real files is not there"),
    }
}

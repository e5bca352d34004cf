//! How many records can larger moves free, how many are proved stuck, and what does it cost?
//!
//! With all two-way tables kept no pair can be swapped; with all three-way tables kept only
//! moves of eight to sixteen records are looked for. For real files every sample unique (of kdd12 a
//! random hundred) is asked for on one thread. Before any time counts, the paper's 2×2×2 table
//! must give a move of four records.
//!
//! Then the questions are asked again on a half, a quarter and an eighth of the largest file,
//! to see how the cost grows with the number of cells; and `protect` runs on one file with all
//! two-way tables kept, as a user runs it, and `verify` tells what became of the others.
//!
//! `MARGINSWAP_REAL_DATA` names the folder of real files. What is missing is reported.

#![allow(clippy::print_stdout, reason = "a benchmark prints its table")]
#![allow(clippy::unwrap_used, reason = "a benchmark fails by panicking")]
#![allow(missing_docs, reason = "a program, not a library")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use marginswap_core::columns::Roles;
use marginswap_core::encode::{Records, Schema};
use marginswap_core::graph::{GeneratingClass, quoted};
use marginswap_core::moves::{Answer, Free, Limits, MoveSearch};
use marginswap_core::random::{Random, Seed};
use marginswap_core::table::{CellId, JointTable};
use marginswap_core::varset::VarSet;
use marginswap_io::{ReadOptions, Source};
use serde_json::Value;

const SEED: Seed = Seed([11; 32]);

fn read(path: &Path) -> Records {
    let source = Source::open(path, &ReadOptions::default()).unwrap();
    let names = source.columns().to_vec();
    let columns = source.read(&vec![true; names.len()]).unwrap().columns;
    let roles = Roles::all_variables(names.len());
    let schema = Schema::new(&names, &roles, &(0..names.len()).collect());
    Records::encode(&schema, &columns)
}

/// All tables of `size` variables.
fn all_tables(variables: usize, size: usize) -> GeneratingClass {
    let delta = VarSet::first(variables);
    GeneratingClass::new(delta, delta.subsets().filter(|set| set.len() == size))
}

#[derive(Default)]
struct Counts {
    possible: [usize; 17],
    impossible: usize,
    not_found: usize,
    seconds: f64,
    worst: f64,
}

impl Counts {
    fn all(&self) -> usize {
        self.possible.iter().sum::<usize>() + self.impossible + self.not_found
    }
}

/// Asks for up to `most` of the sample uniques, chosen at random.
fn ask(joint: &JointTable, class: &GeneratingClass, most: usize, records: usize) -> Counts {
    let search = MoveSearch::new(joint, class, &vec![1; class.delta().len()]).unwrap();
    let free = Free { joint, keys: class.delta(), staying: VarSet::EMPTY };
    let mut uniques: Vec<CellId> =
        (0..joint.len()).map(CellId::at).filter(|&cell| joint.is_sample_unique(cell)).collect();
    Random::new(SEED, 1).shuffle(&mut uniques);
    let mut counts = Counts::default();
    // The first questions list the boxes of the class for all others: outside the clock.
    for &cell in uniques.iter().take(most.min(100)) {
        let _ = search.answer(cell, &free, Limits::records(records), &mut Random::new(SEED, 2));
    }
    for &cell in uniques.iter().take(most) {
        let start = Instant::now();
        let answer = search.answer(
            cell,
            &free,
            Limits::records(records),
            &mut Random::new(SEED, cell.0.into()),
        );
        let seconds = start.elapsed().as_secs_f64();
        counts.seconds += seconds;
        counts.worst = counts.worst.max(seconds);
        match answer {
            Answer::Possible(found) => counts.possible[found.table_move.degree()] += 1,
            Answer::Impossible(_) => counts.impossible += 1,
            Answer::NotFound(_) => counts.not_found += 1,
        }
    }
    counts
}

fn row(name: &str, kept: &str, joint: &JointTable, counts: &Counts) {
    let by_degree: Vec<String> = (2..17)
        .filter(|&degree| counts.possible[degree] > 0)
        .map(|degree| format!("{} by {degree}", counts.possible[degree]))
        .collect();
    let settled = counts.all() - counts.not_found;
    println!(
        "| {name} | {kept} | {} | {} | {} | {} | {} | {:.2} % | {:.3} | {:.1} |",
        joint.len(),
        counts.all(),
        by_degree.join(", "),
        counts.impossible,
        counts.not_found,
        100.0 * settled as f64 / counts.all() as f64,
        1e3 * counts.seconds / counts.all() as f64,
        1e3 * counts.worst,
    );
}

fn known_answer() {
    let records = Records::from_codes(&[2, 2, 2], &[[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]]);
    let joint = JointTable::count(&records);
    let counts = ask(&joint, &all_tables(3, 2), usize::MAX, 8);
    assert_eq!(counts.possible[4], 4, "the paper's four records rotate");
}

/// A hundred questions on the first records of a file, for ever more of them.
fn growth(records: &Records) {
    println!("\n| first records | cells | ms a question | µs for 1,000 cells |");
    println!("|---:|---:|---:|---:|");
    let class = all_tables(records.levels().len(), 2);
    for part in [8, 4, 2, 1] {
        let codes: Vec<Vec<u32>> =
            (0..records.len() / part).map(|record| records.cells().codes(record)).collect();
        let joint = JointTable::count(&Records::from_codes(records.levels(), &codes));
        let counts = ask(&joint, &class, 100, 8);
        let milliseconds = 1e3 * counts.seconds / counts.all() as f64;
        println!(
            "| {} | {} | {milliseconds:.3} | {:.2} |",
            codes.len(),
            joint.len(),
            1e6 * milliseconds / joint.len() as f64,
        );
    }
}

fn program(arguments: &[&str]) -> (Value, f64) {
    let start = Instant::now();
    let output = Command::new(env!("CARGO_BIN_EXE_marginswap"))
        .args(arguments)
        .arg("--json")
        .output()
        .unwrap();
    assert!(matches!(output.status.code(), Some(0 | 1)), "{output:?}");
    (serde_json::from_slice(&output.stdout).unwrap(), start.elapsed().as_secs_f64())
}

/// `protect` with all two-way tables kept, and what `verify` says of the one-, two- and
/// three-way tables.
fn protect(name: &str, path: &Path) {
    let source = Source::open(path, &ReadOptions::default()).unwrap();
    let names = source.columns().to_vec();
    let joined =
        |set: VarSet| set.iter().map(|column| quoted(&names[column])).collect::<Vec<_>>().join("*");
    let tables: Vec<String> =
        all_tables(names.len(), 2).margins().iter().map(|table| joined(*table)).collect();
    let (keep, keys) = (tables.join(" + "), names.join(","));
    let folder = tempfile::tempdir().unwrap();
    let released = folder.path().join("released.csv");
    let (data, released) = (path.to_str().unwrap(), released.to_str().unwrap());
    let fixed = ["protect", data, "--keys", &keys, "--keep", &keep, "-o", released];
    println!(
        "\n| file | most records | at risk | covered | groups | impossible | not found | records changed | newly exposed | matched rightly | three-way tables, mean / most | seconds |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    for most in ["4", "8"] {
        let more = ["--max-records", most, "--demo-seed", "1", "--force"];
        let (said, seconds) = program(&[&fixed[..], &more].concat());
        assert_eq!(said["equal"], true, "every kept table is unchanged");
        let (found, _) = program(&["verify", data, released, "--keep", &keep, "--three-way"]);
        assert_eq!(found["equal"], true, "verify finds every kept table unchanged");
        let percent = |field: &str| 100.0 * found[field].as_f64().unwrap();
        println!(
            "| {name} | {most} | {} | {} | {} | {} | {} | {} | {} | {} | {:.2} / {:.2} % | {seconds:.2} |",
            said["at_risk"],
            said["covered"],
            said["groups"],
            said["impossible"],
            said["not_found"],
            said["records_changed"],
            said["newly_exposed"],
            said["matched_right"],
            percent("three_way_mean"),
            percent("three_way_max"),
        );
    }
}

fn main() {
    known_answer();
    let real = std::env::var_os("MARGINSWAP_REAL_DATA")
        .map_or_else(|| PathBuf::from("../shared/data"), PathBuf::from);
    println!(
        "| file | kept | cells | asked | possible, by records | proved impossible | not found | settled | ms a record | slowest ms |"
    );
    println!("|---|---|---:|---:|---|---:|---:|---:|---:|---:|");
    let path = |name: &str| {
        let path = real.join(name).join("data.csv");
        if !path.exists() {
            println!("skipped: {name} is not there");
        }
        path.exists().then_some(path)
    };
    for (name, most, sizes) in [
        ("paperlike_adult", usize::MAX, &[2, 3][..]),
        ("paperlike_cps", usize::MAX, &[2, 3]),
        ("adult8", usize::MAX, &[2, 3]),
        ("kdd12", 100, &[2]),
    ] {
        let Some(path) = path(name) else { continue };
        let records = read(&path);
        let joint = JointTable::count(&records);
        for &size in sizes {
            let class = all_tables(records.levels().len(), size);
            let kept = if size == 2 { "all two-way" } else { "all three-way" };
            let records = if size == 2 { 8 } else { 16 };
            row(name, kept, &joint, &ask(&joint, &class, most, records));
        }
    }
    if let Some(path) = path("kdd12") {
        growth(&read(&path));
    }
    if let Some(path) = path("adult8") {
        protect("adult8", &path);
    }
}

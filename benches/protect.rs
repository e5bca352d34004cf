//! What does the whole job cost, compared with reading and writing the file, and how does it grow?
//!
//! The demo survey is made in a temporary folder; `protect` runs as a user runs it, from CSV
//! to verified CSV, and so does polars (reading all columns as text, writing them again).
//! Before any time counts, the answers are checked: every kept table equal, all risky
//! records accounted for. Times are minima of several rounds, taken in turn; the ratios are
//! what matters.
//!
//! `MARGINSWAP_BENCH_PYTHON` names a Python with polars; `MARGINSWAP_REAL_DATA` the folder of
//! real files. What is missing is reported.

#![allow(clippy::print_stdout, reason = "a benchmark prints its table")]
#![allow(clippy::unwrap_used, reason = "a benchmark fails by panicking")]
#![allow(missing_docs, reason = "a program, not a library")]

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use marginswap_io::{ReadOptions, Source};
use serde_json::Value;
use support::memory;

const ROUNDS: usize = 3;

fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_marginswap"))
}

/// The shortest of several runs, in seconds.
fn shortest(rounds: usize, mut work: impl FnMut()) -> f64 {
    let time = |work: &mut dyn FnMut()| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64()
    };
    (0..rounds).map(|_| time(&mut work)).fold(f64::INFINITY, f64::min)
}

fn reading(path: &Path) -> f64 {
    shortest(ROUNDS, || {
        let source = Source::open(path, &ReadOptions::default()).unwrap();
        let wanted = vec![true; source.columns().len()];
        source.read(&wanted).unwrap();
    })
}

/// polars reads the file as text and writes it again, on as many threads as it likes.
fn polars(path: &Path, out: &Path) -> Option<f64> {
    let python = std::env::var("MARGINSWAP_BENCH_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let script = "import sys, time, polars as pl\n\
                  best = 1e9\n\
                  for _ in range(4):\n\
                  \x20   start = time.perf_counter()\n\
                  \x20   pl.read_csv(sys.argv[1], infer_schema=False).write_csv(sys.argv[2])\n\
                  \x20   best = min(best, time.perf_counter() - start)\n\
                  print(best)";
    let output = Command::new(python).args(["-c", script]).arg(path).arg(out).output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}

fn protect(arguments: &[&str]) -> (Value, f64, u64) {
    let run =
        || memory::run(program().args(arguments).args(["--force", "--json", "--demo-seed", "1"]));
    let mut best = run();
    for _ in 1..ROUNDS {
        let next = run();
        if next.seconds < best.seconds {
            best = next;
        }
    }
    let said: Value = serde_json::from_slice(&best.output).unwrap();
    assert_eq!(said["equal"], true, "every kept table is unchanged");
    let parts = ["covered", "unswappable", "left_over"].map(|field| said[field].as_u64().unwrap());
    assert_eq!(said["at_risk"], parts.iter().sum::<u64>());
    (said, best.seconds, best.peak.unwrap_or(0))
}

fn town(folder: &Path, records: usize) -> PathBuf {
    let town = folder.join(format!("town-{records}"));
    let made = program()
        .args(["demo", town.to_str().unwrap(), "--records", &records.to_string(), "--json"])
        .output()
        .unwrap();
    assert!(matches!(made.status.code(), Some(0 | 1)));
    town
}

fn main() {
    let folder = tempfile::tempdir().unwrap();
    println!(
        "| file | records | risky | covered | protect s | ÷ reading | ÷ polars read+write | µs a record | peak ÷ file |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|");
    let row = |name: &str, path: &Path, arguments: &[&str]| {
        let (said, seconds, peak) = protect(arguments);
        let read = reading(path);
        let peer = polars(path, &folder.path().join("polars.csv"));
        let records = said["records"].as_f64().unwrap();
        let bytes = std::fs::metadata(path).unwrap().len();
        println!(
            "| {name} | {} | {} | {} | {seconds:.2} | {:.1} | {} | {:.2} | {:.1} |",
            said["records"],
            said["at_risk"],
            said["covered"],
            seconds / read,
            peer.map_or("polars is not there".to_owned(), |peer| format!("{:.1}", seconds / peer)),
            seconds * 1e6 / records,
            peak as f64 / bytes as f64,
        );
    };
    for records in [100_000, 1_000_000, 4_000_000] {
        let town = town(folder.path(), records);
        let project = town.join("marginswap.toml");
        row("demo", &town.join("survey.csv"), &["protect", "--project", project.to_str().unwrap()]);
        std::fs::remove_dir_all(town).unwrap();
    }
    let real = std::env::var_os("MARGINSWAP_REAL_DATA")
        .map_or_else(|| PathBuf::from("../shared/data"), PathBuf::from);
    let scenario = real.join("acs_dev12/scenario.json");
    let Ok(text) = std::fs::read_to_string(&scenario) else {
        println!("skipped: acs_dev12 is not there");
        return;
    };
    let scenario: Value = serde_json::from_str(&text).unwrap();
    let names: Vec<String> = scenario["levels"].as_object().unwrap().keys().cloned().collect();
    for class in ["agency", "agency_rich"] {
        let tables = scenario["classes"][class]["tables"].as_array().unwrap();
        let table = |table: &Value| {
            let names: Vec<&str> =
                table.as_array().unwrap().iter().map(|n| n.as_str().unwrap()).collect();
            names.join("*")
        };
        let keep = tables.iter().map(table).collect::<Vec<_>>().join(" + ");
        let data = real.join("acs_dev12/data.csv");
        let out = folder.path().join("released.csv");
        let arguments = [
            "protect",
            data.to_str().unwrap(),
            "--keys",
            &names.join(","),
            "--keep",
            &keep,
            "-o",
            out.to_str().unwrap(),
        ];
        row(&format!("acs_dev12 {class}"), &data, &arguments);
    }
}

//! What do intruders still learn from real files, what does it cost to take it from them, and
//! how long does it take beside an earlier program?
//!
//! Every scenario of the folder of real files, whole, with its first five variables as keys and
//! the tables of its class `agency`. What the released file gives away is counted from the two
//! files by their definitions, and must agree with what the program says before a row is
//! printed. Times are minima of several rounds, taken in turn.
//!
//! `MARGINSWAP_REAL_DATA` names the folder; `MARGINSWAP_BENCH_BEFORE` an earlier program, which
//! gets the same arguments; `MARGINSWAP_BENCH_PROGRAM` another build of this one. What is
//! missing is said.

#![allow(clippy::print_stdout, reason = "a benchmark prints its table")]
#![allow(clippy::unwrap_used, reason = "a benchmark fails by panicking")]
#![allow(missing_docs, reason = "a program, not a library")]

#[path = "../tests/support/outside.rs"]
mod outside;
mod support;

use std::path::{Path, PathBuf};
use std::process::Command;

use outside::{Files, Seen};
use serde_json::Value;
use support::memory;

const ROUNDS: usize = 2;

/// One program on one file.
struct Job<'a> {
    program: &'a str,
    data: &'a Path,
    keys: String,
    keep: String,
    released: PathBuf,
}

/// What it did, and what the released file gives away.
struct Done {
    said: Value,
    seen: Seen,
    seconds: f64,
}

impl Job<'_> {
    fn run(&self) -> (Value, f64) {
        let seed = self.released.with_extension("seed");
        let mut command = Command::new(self.program);
        command.arg("protect").arg(self.data).args(["--keys", &self.keys, "--keep", &self.keep]);
        command.arg("-o").arg(&self.released).arg("--seed-file").arg(seed);
        let run = memory::run(command.args(["--force", "--json"]));
        (serde_json::from_slice(&run.output).unwrap(), run.seconds)
    }

    fn count(&self) -> (Seen, u64) {
        let [before, after] = [self.data, &self.released].map(|path| path.to_str().unwrap());
        let files = Files::read(before, after);
        let keys = files.places(&self.keys.split(',').collect::<Vec<_>>());
        (files.seen(&keys, &files.others(&keys)), files.new_pairs().combinations)
    }
}

/// Runs the jobs in turn and counts what each released.
fn measured(jobs: &[Job<'_>]) -> Vec<Done> {
    let mut times = vec![f64::INFINITY; jobs.len()];
    let mut said = vec![Value::Null; jobs.len()];
    for _ in 0..ROUNDS {
        for (place, job) in jobs.iter().enumerate() {
            let (answer, seconds) = job.run();
            times[place] = times[place].min(seconds);
            said[place] = answer;
        }
    }
    let done = jobs.iter().zip(said).zip(times);
    done.map(|((job, said), seconds)| Done { said, seen: job.count().0, seconds }).collect()
}

/// The cost of a person about whom not everything is learned.
fn cost_each(done: &Done) -> String {
    let protected = done.seen.protected;
    match protected {
        0 => "–".to_owned(),
        people => format!("{:.2}", done.said["cost"].as_f64().unwrap_or(0.0) / people as f64),
    }
}

fn share(value: Option<f64>) -> String {
    value.map_or("–".to_owned(), |share| format!("{:.1} %", share * 100.0))
}

fn row(id: &str, jobs: &[Job<'_>]) {
    let done = measured(jobs);
    let Done { said, seen, seconds } = &done[0];
    let told = ["at_risk", "gone", "shared", "matched", "matched_right", "newly_exposed"];
    let counted = [
        seen.at_risk,
        seen.gone,
        seen.shared,
        seen.matched,
        seen.matched_right,
        seen.newly_exposed,
    ];
    assert_eq!(told.map(|field| said[field].as_u64().unwrap()), counted, "{id}");
    assert_eq!(said["new_pairs"], jobs[0].count().1, "{id}");
    let before = done.get(1).map_or("| – | – | – | – | – ".to_owned(), |before| {
        let Seen { matched, matched_right, newly_exposed, values_true, .. } = &before.seen;
        format!(
            "| {matched} ({matched_right}; {}) | {newly_exposed} | {} | {:.2} | {:.2} ",
            share(*values_true),
            cost_each(before),
            before.seconds,
            seconds / before.seconds,
        )
    });
    println!(
        "| {id} | {} | {} | {} | {} | {} | {} ({}) | {} / {} | {} | {} | {} | {} | {seconds:.2} {before}|",
        said["records"],
        seen.at_risk,
        said["partable"],
        seen.gone,
        seen.shared,
        seen.matched,
        seen.matched_right,
        share(seen.values_true),
        share(seen.values_true_by_chance),
        seen.newly_exposed,
        said["new_pairs"],
        said["cost"],
        cost_each(&done[0]),
    );
}

fn main() {
    let Some(real) = std::env::var_os("MARGINSWAP_REAL_DATA").map(PathBuf::from) else {
        println!("skipped: MARGINSWAP_REAL_DATA is not set");
        return;
    };
    let own = std::env::var("MARGINSWAP_BENCH_PROGRAM");
    let own = own.unwrap_or_else(|_| env!("CARGO_BIN_EXE_marginswap").to_owned());
    let before = std::env::var("MARGINSWAP_BENCH_BEFORE").ok();
    if before.is_none() {
        println!("no earlier program: MARGINSWAP_BENCH_BEFORE is not set\n");
    }
    println!(
        "| file | records | at risk | partable | gone | shared | matched (right) | values true / by chance | newly exposed | new pairs | cost | cost each | s | before: matched (right; values true) | newly exposed | cost each | s | ratio |"
    );
    println!("|---|{}", "---:|".repeat(17));
    let folder = tempfile::tempdir().unwrap();
    let mut places: Vec<PathBuf> =
        std::fs::read_dir(&real).unwrap().map(|entry| entry.unwrap().path()).collect();
    places.sort();
    for place in places {
        let Ok(text) = std::fs::read_to_string(place.join("scenario.json")) else { continue };
        let scenario: Value = serde_json::from_str(&text).unwrap();
        let Some(tables) = scenario["classes"]["agency"]["tables"].as_array() else { continue };
        let table = |table: &Value| {
            let names = table.as_array().unwrap().iter().map(|name| name.as_str().unwrap());
            names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join("*")
        };
        let keep = tables.iter().map(table).collect::<Vec<_>>().join(" + ");
        let data = place.join("data.csv");
        let header =
            std::io::BufRead::lines(std::io::BufReader::new(std::fs::File::open(&data).unwrap()))
                .next()
                .unwrap()
                .unwrap();
        let keys = header.split(',').take(5).collect::<Vec<_>>().join(",");
        let programs = std::iter::once(&own).chain(&before).enumerate();
        let jobs: Vec<Job<'_>> = programs
            .map(|(number, program)| Job {
                program,
                data: &data,
                keys: keys.clone(),
                keep: keep.clone(),
                released: folder.path().join(format!("released-{number}.csv")),
            })
            .collect();
        row(scenario["id"].as_str().unwrap(), &jobs);
    }
}

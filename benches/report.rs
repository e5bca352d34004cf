//! Does the report of a run cost less than the run?
//!
//! The demo survey is protected, then told about, both as a user does it: from files to
//! files. The pages must say what `protect` said before any time counts. Times are minima of
//! several rounds, taken in turn; the ratios are what matters.

#![allow(clippy::print_stdout, reason = "a benchmark prints its table")]
#![allow(clippy::unwrap_used, reason = "a benchmark fails by panicking")]
#![allow(missing_docs, reason = "a program, not a library")]

mod support;

use std::process::Command;

use serde_json::Value;
use support::memory::{self, Run};

const ROUNDS: usize = 5;

fn run(arguments: &[&str]) -> Run {
    let mut program = Command::new(env!("CARGO_BIN_EXE_marginswap"));
    memory::run(program.args(arguments).arg("--json").arg("--force"))
}

fn main() {
    let folder = tempfile::tempdir().unwrap();
    println!(
        "| records × columns | protect s | report s | ÷ protect | external s | ÷ protect | peak ÷ protect's | page kB |"
    );
    println!("|---:|---:|---:|---:|---:|---:|---:|---:|");
    for records in ["100000", "1000000"] {
        let town = folder.path().join(records);
        let town = town.to_str().unwrap();
        run(&["demo", town, "--records", records]);
        let project = format!("{town}/marginswap.toml");
        let [page, public] = ["in.html", "out.html"].map(|name| format!("{town}/{name}"));
        let commands: [&[&str]; 3] = [
            &["protect", "--project", &project, "--demo-seed", "1"],
            &["report", "--project", &project, "-o", &page],
            &["report", "--project", &project, "-o", &public, "--external"],
        ];
        let mut best: Vec<Run> = commands.iter().map(|command| run(command)).collect();
        let said = |run: &Run| -> Value { serde_json::from_slice(&run.output).unwrap() };
        let (protected, told) = (said(&best[0]), said(&best[1]));
        for field in ["at_risk", "separable", "gone", "shared", "matched", "matched_right"] {
            assert_eq!(told["coverage"][field], protected[field], "{field}");
        }
        assert_eq!(told["verify"]["newly_exposed"], protected["newly_exposed"]);
        for _ in 1..ROUNDS {
            for (command, best) in commands.iter().zip(&mut best) {
                let next = run(command);
                if next.seconds < best.seconds {
                    *best = next;
                }
            }
        }
        let seconds: Vec<f64> = best.iter().map(|run| run.seconds).collect();
        let peak = |run: &Run| run.peak.unwrap_or(0) as f64;
        println!(
            "| {records} × 9 | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {} |",
            seconds[0],
            seconds[1],
            seconds[1] / seconds[0],
            seconds[2],
            seconds[2] / seconds[0],
            peak(&best[1]) / peak(&best[0]),
            std::fs::metadata(&page).unwrap().len() / 1000,
        );
    }
}

//! What does a risk model cost compared with reading the file, and how much memory does it take?
//!
//! On real files with their columns as keys: reading, counting, model selection by BIC, the fit
//! of the selected model with every record's risk, and the fit criterion over all cells, timed
//! in the same rounds. Before any time counts the answers are checked: every record has a
//! probability, and the gains of the steps add up. Then the whole command runs as a user runs
//! it, for its peak memory. The ratios are what matters.
//!
//! `MARGINSWAP_REAL_DATA` names the folder of real files. What is missing is reported.

#![allow(clippy::print_stdout, reason = "a benchmark prints its table")]
#![allow(clippy::unwrap_used, reason = "a benchmark fails by panicking")]
#![allow(missing_docs, reason = "a program, not a library")]

mod support;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use marginswap_core::columns::Roles;
use marginswap_core::encode::{Records, Schema};
use marginswap_core::graph::{GeneratingClass, MarginGraph, junction_tree};
use marginswap_core::risk::{
    Criterion, Direction, FittedModel, KeyTable, MOST_OPENED, Population, Start, Summaries, fit,
    risks, score, select,
};
use marginswap_core::table::Located;
use marginswap_io::{ReadOptions, Source};
use support::clock::Phase;
use support::memory;

const ROUNDS: usize = 5;

/// The files and the populations they are taken to be drawn from.
const FILES: [(&str, f64); 4] = [
    ("paperlike_cps", 299_285.0),
    ("paperlike_adult", 48_842.0),
    ("kdd12", 60_000_000.0),
    ("acs_dev12", 60_000_000.0),
];

fn main() {
    let real = std::env::var_os("MARGINSWAP_REAL_DATA")
        .map_or_else(|| PathBuf::from("../shared/data"), PathBuf::from);
    println!(
        "| file | records | keys | reading ms | counting ÷ reading | selection ÷ reading | risk ÷ reading \
         | all three ÷ reading | criterion ÷ reading | margins counted | command s | peak MB |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    for (name, people) in FILES {
        let path = real.join(name).join("data.csv");
        if path.exists() {
            row(name, &path, people);
        } else {
            println!("skipped: {name} is not there");
        }
    }
}

fn row(name: &str, path: &Path, people: f64) {
    let mut phases: [Phase; 5] = Default::default();
    let [reading, counting, selecting, assessing, judging] = &mut phases;
    let (mut records, mut margins, mut names) = (0, 0, Vec::new());
    for _ in 0..ROUNDS {
        let read = reading.time(|| {
            let source = Source::open(path, &ReadOptions::default()).unwrap();
            names = source.columns().to_vec();
            let wanted = vec![true; names.len()];
            source.read(&wanted).unwrap()
        });
        let table = counting.time(|| {
            let schema = Schema::new(&names, &Roles::all_variables(names.len()), &BTreeSet::new());
            let records = Records::encode(&schema, &read.columns);
            KeyTable::new(&Located::count(&records), schema.all(), records.levels())
        });
        records = table.records();
        let mut summaries = Summaries::new(&table);
        let found = selecting
            .time(|| select(&mut summaries, Criterion::Bic, &Start::Forest, Direction::Forward));
        margins = summaries.counted();
        let population = Population::new(records, people).unwrap();
        let (model, assessed) = assessing.time(|| {
            let tree = junction_tree(&found.graph).unwrap();
            let class = GeneratingClass::new(table.keys(), tree.cliques().iter().copied());
            let model = FittedModel::fit(&table, &class);
            let assessed = risks(&table, &model, population);
            (model, assessed)
        });
        let fit = judging.time(|| fit(&table, &model, population, MOST_OPENED));
        assert!(fit.is_some(), "the criterion is summed over all cells");
        assert!(assessed.cells.iter().all(|cell| cell.probability > 0.0));
        assert!(0.0 < assessed.tau1 && assessed.tau1 < assessed.tau2);
        let gains: f64 = found.steps.iter().map(|step| step.gain).sum();
        let none = MarginGraph::edgeless(table.keys());
        let [before, after] =
            [&none, &found.graph].map(|graph| score(&mut summaries, graph, Criterion::Bic).2);
        assert!(((before - after) / gains - 1.0).abs() < 1e-9, "the gains add up");
    }
    let run = memory::run(
        Command::new(env!("CARGO_BIN_EXE_marginswap"))
            .args(["risk", path.to_str().unwrap(), "--keys", &names.join(",")])
            .args(["--population", &people.to_string(), "--risky", "top:50"]),
    );
    let [reading, counting, selecting, assessing, judging] = &phases;
    let ratio = |phase: &Phase| {
        let ratio = phase.over(reading);
        format!("{:.2} ({:.2})", ratio.median, ratio.of_minima)
    };
    println!(
        "| {name} | {records} | {} | {:.1} | {} | {} | {} | {} | {} | {margins} | {:.2} | {:.0} |",
        names.len(),
        reading.minimum() * 1e3,
        ratio(counting),
        ratio(selecting),
        ratio(assessing),
        ratio(&Phase::sum(&[counting, selecting, assessing])),
        ratio(judging),
        run.seconds,
        run.peak.unwrap_or(0) as f64 / 1e6,
    );
}

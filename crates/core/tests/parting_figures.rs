//! Real files: everybody alone with the first five variables, the agency's tables kept. A
//! table of what an intruder learns from the planned release, counted by `verify::learned`.
//!
//! `MARGINSWAP_REAL_DATA=… cargo test -p marginswap-core --test all parting_figures:: -- --ignored
//! --nocapture` prints it; `MARGINSWAP_CLASS`, `MARGINSWAP_KEYS`, `MARGINSWAP_COMPANY`,
//! `MARGINSWAP_MOST` and `MARGINSWAP_ONLY` ask for other tables, keys, risks, records and
//! files. Without asking two small files are planned, without the data none.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it prints a table")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Instant;

use marginswap_core::columns::{Column, Roles};
use marginswap_core::encode::{Records, Schema};
use marginswap_core::graph::{GeneratingClass, minimal_separators};
use marginswap_core::partner::{screen, screen_keys};
use marginswap_core::plan::{
    Constraints, Detach, Intruder, Level, Pairing, Prices, Task, draw, plan,
};
use marginswap_core::random::Seed;
use marginswap_core::swap::apply_to_records;
use marginswap_core::table::{CellId, Located};
use marginswap_core::varset::VarSet;
use marginswap_core::verify::{
    AtRisk, Learned, Pooled, Scenario, compare_pairs, learned, new_pairs,
};
use serde_json::Value;

/// What one file comes to.
struct Figures {
    partable: u64,
    parted_of_partable: u64,
    detached: u64,
    left: u64,
    exposed: usize,
    cost: u64,
    new_pairs: u64,
    seconds: f64,
    found: Learned,
}

/// The fields of a line; quoted ones may hold commas.
fn fields(line: &str) -> Vec<String> {
    let (mut found, mut quoted) = (vec![String::new()], false);
    for character in line.chars() {
        match character {
            '"' => quoted = !quoted,
            ',' if !quoted => found.push(String::new()),
            _ => found.last_mut().unwrap().push(character),
        }
    }
    found
}

/// What is asked of each file.
#[derive(Clone)]
struct Question {
    /// The kept tables, by the name of their class.
    class: String,
    /// How many of the first variables are keys.
    keys: usize,
    /// People who share the keys with fewer others than this are at risk.
    company: u64,
    /// The rounds in which bystanders are protected.
    rounds: usize,
    /// The most records that are read.
    most: usize,
}

impl Question {
    fn asked() -> Self {
        let number = |name: &str, default: usize| {
            std::env::var(name).map_or(default, |number| number.parse().unwrap())
        };
        Self {
            class: std::env::var("MARGINSWAP_CLASS").unwrap_or("agency".into()),
            keys: number("MARGINSWAP_KEYS", 5),
            company: number("MARGINSWAP_COMPANY", 1) as u64,
            rounds: number("MARGINSWAP_ROUNDS", 4),
            most: number("MARGINSWAP_MOST", usize::MAX),
        }
    }
}

fn figures(folder: &Path, question: &Question) -> Figures {
    let text = std::fs::read_to_string(folder.join("data.csv")).unwrap();
    let scenario: Value =
        serde_json::from_str(&std::fs::read_to_string(folder.join("scenario.json")).unwrap())
            .unwrap();
    let mut lines = text.lines();
    let names = fields(lines.next().unwrap());
    let variables = names.len();
    let rows: Vec<Vec<String>> = lines.take(question.most).map(fields).collect();
    let columns: Vec<Option<Column>> = (0..variables)
        .map(|column| Some(rows.iter().map(|row| row[column].as_bytes()).collect()))
        .collect();
    let schema = Schema::new(&names, &Roles::all_variables(variables), &BTreeSet::new());
    let records = Records::encode(&schema, &columns);
    let of = |name: &Value| names.iter().position(|own| own == name.as_str().unwrap()).unwrap();
    let tables = scenario["classes"][&question.class]["tables"].as_array().unwrap();
    let tables = tables.iter().map(|table| table.as_array().unwrap().iter().map(of).collect());
    let tables: Vec<VarSet> = tables.collect();
    let everything = VarSet::first(variables);
    let class = GeneratingClass::new(everything, tables.iter().copied());
    let joint = Located::count(&records);
    let separators = minimal_separators(&class.margin_graph(), usize::MAX);
    let screening = screen(&joint, &class, &separators).unwrap();
    let keys = VarSet::first(question.keys.min(variables));
    let parted = screen_keys(&joint, &class, &separators, keys).unwrap();
    let alone = joint.on(keys);
    let risky: Vec<bool> = (0..records.len())
        .map(marginswap_core::encode::RecordId::at)
        .map(|record| alone.n(alone.cell_of(record)) <= question.company)
        .collect();
    let at_risk = joint.marked(&risky);
    let prices = Prices { staying: VarSet::EMPTY, weights: vec![1; variables] };
    let sensitive = everything - keys;
    let intruder = Intruder {
        keys,
        sensitive,
        detach: Detach::Half,
        at_risk: &at_risk,
        screening: Some(&parted),
        members: None,
        blank: &[],
        roughly: &[],
    };
    let task = Task {
        crowd: None,
        effort: Level::default(),
        derived: &[],
        joint: &joint,
        class: &class,
        separators: &separators,
        screening: &screening,
        prices: &prices,
        constraints: &Constraints::default(),
        intruders: &[intruder],
        at_risk: &at_risk,
        rounds: question.rounds,
        larger: None,
    };
    let seed = Seed([1; 32]);
    let start = Instant::now();
    let planned = plan(task, Pairing::Greedy, seed).unwrap();
    let seconds = start.elapsed().as_secs_f64();
    let drawn = draw(&planned.plan, &joint, &at_risk, seed).on_records(&joint, &risky, &schema);
    drawn.prove(&schema, &records, &class).unwrap();
    let after = apply_to_records(&drawn, &schema, &records);
    let pooled = Pooled::of(&records, &after);
    let found =
        learned(&pooled, &Scenario { keys, sensitive, needed: 1, at_risk: AtRisk::Listed(&risky) });
    let two_way = compare_pairs(&pooled, everything, &tables);
    let is_partable = |cell: CellId| parted.is_partable(cell);
    let cost = |swap: &marginswap_core::plan::CellSwap| {
        let [left, right] = [swap.left, swap.right].map(|taken| taken.cell.position());
        prices.cost(joint.cells().differing(left, right), swap.exchanged)
    };
    let rows = || planned.protection.iter();
    Figures {
        partable: rows()
            .filter(|row| is_partable(row.cell))
            .map(|row| u64::from(at_risk[row.cell.position()]))
            .sum(),
        parted_of_partable: rows().map(|row| u64::from(row.parted)).sum(),
        detached: rows().map(|row| u64::from(row.detached)).sum(),
        left: rows().map(|row| u64::from(row.left)).sum(),
        exposed: planned.exposed.len(),
        cost: planned.plan.swaps().iter().map(cost).sum(),
        new_pairs: new_pairs(&pooled, &two_way, everything).combinations,
        seconds,
        found,
    }
}

fn check(name: &str, figures: &Figures) {
    let Figures { partable, parted_of_partable, detached, left, exposed, cost, .. } = figures;
    let found = &figures.found;
    let value = |share: Option<f64>| share.map_or("-".into(), |share| format!("{share:.2}"));
    println!(
        "| {name} | {} | {partable} | {} | {} | {} | {} | {detached} | {left} | {} | {} | {} | {} | {cost} | {:.2} |",
        found.at_risk,
        found.gone,
        found.shared,
        found.matched,
        found.matched_right,
        value(found.matched_values.share().value()),
        value(found.matched_values.by_chance.value()),
        found.newly_exposed,
        figures.new_pairs,
        figures.seconds,
    );
    assert!(found.gone <= *parted_of_partable, "{name}: who is gone is parted");
    assert_eq!(*exposed as u64 > 0, found.newly_exposed > 0, "{name}: the exposed are listed");
    assert_eq!(found.at_risk, parted_of_partable + detached + left, "{name}");
}

fn real_data() -> Option<PathBuf> {
    let folder = std::env::var_os("MARGINSWAP_REAL_DATA").map(PathBuf::from);
    if folder.is_none() {
        eprintln!("MARGINSWAP_REAL_DATA is not set: no real file was planned");
    }
    folder
}

const HEAD: &str = "| file | at risk | partable | gone | shared | matched | matched right | \
     detached | left | true | by chance | newly exposed | new pairs | cost | seconds |";

/// A small file: everybody whose keys can be parted is gone, and no match is right.
#[test]
fn real_people_are_gone() {
    let Some(folder) = real_data() else { return };
    println!("{HEAD}");
    for name in ["german7", "eusilc6"] {
        let figures = figures(&folder.join(name), &Question::asked());
        check(name, &figures);
        reaches_the_goal(name, &figures);
    }
}

/// Everybody whose keys can be parted is gone or shared, no match is right in every value,
/// and nobody is newly exposed.
fn reaches_the_goal(name: &str, figures: &Figures) {
    let found = &figures.found;
    assert_eq!(found.gone, figures.parted_of_partable, "{name}: who is parted is gone");
    assert!((found.gone + found.shared) * 100 >= figures.partable * 97, "{name}");
    assert_eq!((found.matched_right, found.newly_exposed), (0, 0), "{name}");
}

#[test]
#[ignore = "minutes; needs the real files"]
fn figures_of_all_real_files() {
    let Some(folder) = real_data() else { return };
    println!("{HEAD}");
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().join("scenario.json").exists())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    names.sort();
    let only = std::env::var("MARGINSWAP_ONLY").ok();
    let question = Question::asked();
    let is_the_goal = question.class == "agency" && question.keys == 5;
    names.retain(|name| {
        let scenario = std::fs::read_to_string(folder.join(name).join("scenario.json")).unwrap();
        scenario.contains(&format!("\"{}\":", question.class))
    });
    names.retain(|name| only.as_ref().is_none_or(|only| only.split(',').any(|one| one == name)));
    for name in names {
        let figures = figures(&folder.join(&name), &question);
        check(&name, &figures);
        if is_the_goal && question.company == 1 {
            reaches_the_goal(&name, &figures);
        }
    }
}

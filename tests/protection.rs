//! What `protect` and `verify` say an intruder learns, against a count of the two files that
//! knows nothing of the program: one intruder and several, named sensitive values, forbidden
//! new pairs, and the real files.

#![allow(clippy::print_stdout, reason = "a test on real files tells their figures")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support;
use crate::support::outside;

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;

use outside::{Fate, Files, Seen};
use serde_json::Value;
use support::{Desk, answer, answered, formula, real_data};

const TOWN: &str = "examples/town.csv";
/// Real files are cut here, so that the test stays short.
const MOST_RECORDS: usize = 30_000;

fn number(said: &Value, field: &str) -> u64 {
    said[field].as_u64().unwrap_or_else(|| panic!("`{field}` is {}", said[field]))
}

/// Are both absent, or both there and the same but for rounding?
fn assert_near(said: &Value, counted: Option<f64>, what: &str) {
    match (said.as_f64(), counted) {
        (None, None) => assert!(said.is_null(), "{what}: {said}"),
        (Some(said), Some(counted)) => {
            assert!((said - counted).abs() < 1e-9, "{what}: {said} {counted}")
        }
        (said, counted) => panic!("{what}: {said:?} said, {counted:?} counted"),
    }
}

fn names(list: &Value) -> Vec<String> {
    list.as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect()
}

/// What an intruder is reported to learn, against the count.
fn assert_scenario(said: &Value, seen: &Seen, context: &str) {
    assert_counts(said, seen, context);
    assert_near(&said["values_true"], seen.values_true, context);
    assert_near(&said["values_true_by_chance"], seen.values_true_by_chance, context);
    assert_near(&said["shared_values_true"], seen.shared_values_true, context);
    let by_chance = seen.shared_values_true_by_chance;
    assert_near(&said["shared_values_true_by_chance"], by_chance, context);
    assert_eq!(said["matched_by_true_values"], serde_json::json!(seen.matched_by_true_values));
}

fn assert_counts(said: &Value, seen: &Seen, context: &str) {
    let counted = [
        ("at_risk", seen.at_risk),
        ("gone", seen.gone),
        ("shared", seen.shared),
        ("shared_right", seen.shared_right),
        ("shared_learned", seen.shared_learned),
        ("protected", seen.protected),
        ("matched", seen.matched),
        ("matched_right", seen.matched_right),
        ("newly_exposed", seen.newly_exposed),
    ];
    for (field, counted) in counted {
        assert_eq!(number(said, field), counted, "{context}: {field}");
    }
}

/// Several intruders, each person as badly off as with any of them.
fn worst(all: &[Seen]) -> Seen {
    let mut worst = Seen::default();
    for record in 0..all[0].fates.len() {
        let fate = all.iter().filter_map(|seen| seen.fates[record]).max();
        worst.at_risk += u64::from(fate.is_some());
        worst.gone += u64::from(fate == Some(Fate::Gone));
        worst.shared += u64::from(fate == Some(Fate::Shared));
        worst.matched += u64::from(fate == Some(Fate::Matched));
        let any = |place: usize| u64::from(all.iter().any(|seen| seen.right[record][place]));
        worst.shared_right += any(0);
        worst.matched_right += any(1);
        worst.newly_exposed += any(2);
        let hidden: Vec<[bool; 2]> = all.iter().filter_map(|seen| seen.hidden[record]).collect();
        worst.shared_learned += u64::from(hidden.iter().any(|[known, _]| *known));
        let safe = hidden.iter().all(|[_, protected]| *protected);
        worst.protected += u64::from(safe && !hidden.is_empty());
    }
    worst
}

/// Everything that `protect` or `verify` says about intruders and new pairs, against the count.
fn assert_protection(said: &Value, files: &Files, context: &str) -> Vec<Seen> {
    let scenarios = said["scenarios"].as_array().unwrap();
    let all: Vec<Seen> = scenarios
        .iter()
        .map(|scenario| {
            let [keys, sensitive] =
                ["keys", "sensitive"].map(|field| files.places(&names(&scenario[field])));
            let seen = files.seen(&keys, &sensitive);
            assert_scenario(scenario, &seen, context);
            seen
        })
        .collect();
    assert_counts(said, &worst(&all), context);
    let most = all
        .iter()
        .filter(|seen| seen.values_true.is_some())
        .max_by(|left, right| left.values_true.unwrap().total_cmp(&right.values_true.unwrap()));
    assert_near(&said["values_true"], most.and_then(|seen| seen.values_true), context);
    let chance = most.and_then(|seen| seen.values_true_by_chance);
    assert_near(&said["values_true_by_chance"], chance, context);

    let new = files.new_pairs();
    assert_eq!(number(said, "new_pairs"), new.combinations, "{context}");
    assert_eq!(number(said, "new_pairs_impossible"), new.impossible, "{context}");
    assert_eq!(number(said, "new_pairs_records"), new.records, "{context}");
    let by_pair: BTreeMap<[usize; 2], [u64; 2]> = said["new_pairs_by_variables"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            let pair = files.places(&names(&row["pair"]));
            ([pair[0], pair[1]], [number(row, "combinations"), number(row, "records")])
        })
        .collect();
    assert_eq!(by_pair, new.by_pair, "{context}");
    all
}

/// Kept tables, one-way tables and how far the others moved, in the answer of `verify`.
fn assert_tables(said: &Value, files: &Files, tables: &[Vec<usize>], context: &str) {
    assert_eq!(number(said, "records_before"), files.before.len() as u64);
    assert_eq!(number(said, "records_after"), files.after.len() as u64);
    assert_eq!(number(said, "replaced"), files.replaced(), "{context}");
    let mut changed_tables = 0;
    let margins = said["margins"].as_array().unwrap();
    for margin in margins {
        let [cells, changed] = files.cells_and_changes(&files.places(&names(&margin["margin"])));
        assert_eq!(number(margin, "changed"), changed, "{context}");
        if changed == 0 {
            assert_eq!(number(margin, "cells"), cells, "{context}");
        }
        changed_tables += u64::from(changed > 0);
    }
    for table in tables {
        let is_told = margins.iter().any(|margin| {
            let told = files.places(&names(&margin["margin"]));
            table.iter().all(|column| told.contains(column))
        });
        assert!(is_told, "{context}: {table:?}");
    }
    assert_eq!(said["equal"], changed_tables == 0, "{context}");
    let pairs = said["two_way"].as_array().unwrap();
    let columns = files.names.len();
    assert_eq!(pairs.len(), columns * (columns - 1) / 2, "{context}");
    let mut distances = Vec::new();
    for row in pairs {
        let pair = files.places(&names(&row["pair"]));
        let moved = files.moved([pair[0], pair[1]]);
        let kept = tables.iter().any(|table| pair.iter().all(|column| table.contains(column)));
        assert_eq!(row["kept"], kept, "{context}");
        assert_eq!(number(row, "changed"), moved.changed, "{context}");
        assert_near(&row["total_variation"], Some(moved.total_variation), context);
        assert_near(&row["hellinger"], Some(moved.hellinger), context);
        if !kept {
            distances.push(moved.total_variation);
        }
    }
    if !distances.is_empty() {
        let mean = distances.iter().sum::<f64>() / distances.len() as f64;
        let most = distances.iter().copied().fold(0.0, f64::max);
        assert_near(&said["two_way_max"], Some(most), context);
        assert_near(&said["two_way_mean"], Some(mean), context);
    }
}

/// Kept tables and one-way tables are as they were.
fn assert_kept(files: &Files, tables: &[Vec<usize>], context: &str) {
    let singles = (0..files.names.len()).map(|column| vec![column]);
    for table in tables.iter().cloned().chain(singles) {
        assert_eq!(files.cells_and_changes(&table)[1], 0, "{context}: {table:?}");
    }
}

/// A run of `protect` and of `verify` on what it released, each number counted again.
struct Counted {
    protect: Value,
    files: Files,
    scenarios: Vec<Seen>,
    /// For each scenario and record at risk: can its keys be parted?
    partable: Vec<Vec<Option<bool>>>,
}

/// Who can be parted from the keys of each intruder; and those who cannot and are still found
/// are the ones whom the verdict names.
fn assert_partable(
    said: &Value,
    files: &Files,
    tables: &[Vec<usize>],
    all: &[Seen],
    context: &str,
) -> Vec<Vec<Option<bool>>> {
    let scenarios = said["scenarios"].as_array().unwrap();
    let partable: Vec<Vec<Option<bool>>> = scenarios
        .iter()
        .map(|scenario| files.partable(tables, &files.places(&names(&scenario["keys"]))))
        .collect();
    let stuck = |record: usize| {
        all.iter().zip(&partable).any(|(seen, partable)| {
            partable[record] == Some(false) && seen.fates[record] != Some(Fate::Gone)
        })
    };
    let stuck = (0..files.before.len()).filter(|&record| stuck(record)).count() as u64;
    let told: u64 = said["reasons"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|why| why["reason"] == "not_separable")
        .map(|why| number(why, "disclosed") + number(why, "others"))
        .sum();
    assert_eq!(told, stuck, "{context}");
    partable
}

/// `tables` as places of columns; `more` are settings that both commands take.
fn protect_and_count(
    desk: &Desk,
    data: &str,
    keep: &str,
    tables: &[&[&str]],
    more: &[&str],
    only: &[&str],
) -> Counted {
    let (released, seed) = (desk.path("released.csv"), desk.path("seed"));
    let job = [
        &["protect", data, "--keep", keep, "-o", &released, "--seed-file", &seed, "--force"],
        more,
        only,
    ]
    .concat();
    let (protect, code) = answer(&job);
    let (verify, verify_code) =
        answer(&[&["verify", data, &released, "--keep", keep, "--shuffled"], more].concat());
    let files = Files::read(data, &released);
    let tables: Vec<Vec<usize>> = tables.iter().map(|table| files.places(table)).collect();
    assert_kept(&files, &tables, data);
    assert_tables(&verify, &files, &tables, data);
    assert_protection(&verify, &files, data);
    let scenarios = assert_protection(&protect, &files, data);
    if !more.contains(&"--sensitive") {
        for scenario in protect["scenarios"].as_array().unwrap() {
            let keys = files.places(&names(&scenario["keys"]));
            assert_eq!(files.places(&names(&scenario["sensitive"])), files.others(&keys), "{data}");
        }
    }
    let partable = assert_partable(&verify, &files, &tables, &scenarios, data);
    let everywhere = |record: usize| {
        let mut at_risk = partable.iter().filter_map(|one| one[record]).peekable();
        at_risk.peek().is_some() && at_risk.all(|can| can)
    };
    let counted = (0..files.before.len()).filter(|&record| everywhere(record)).count() as u64;
    assert_eq!(number(&protect, "separable"), counted, "{data}");
    let reasons = support::reasons_of_files(&protect);
    assert_eq!(reasons, support::reasons_of_files(&verify), "{data}");
    if reasons.len() == protect["reasons"].as_array().unwrap().len() {
        assert_eq!((&protect["verdict"], code), (&verify["verdict"], verify_code));
    }
    assert_eq!(code, i32::from(protect["verdict"] != "release"), "{data}");
    assert_near(&protect["two_way_max"], verify["two_way_max"].as_f64(), data);
    assert_near(&protect["two_way_mean"], verify["two_way_mean"].as_f64(), data);
    let cells: u64 =
        verify["margins"].as_array().unwrap().iter().map(|margin| number(margin, "cells")).sum();
    assert_eq!(number(&protect, "cells_kept"), cells, "{data}");
    assert_eq!(number(&protect, "records"), files.before.len() as u64);
    assert!(number(&protect, "records_changed") >= files.replaced(), "{data}");
    Counted { protect, files, scenarios, partable }
}

/// The first records of a file, as another file; the file itself where it is short.
fn beginning(desk: &Desk, data: &Path, most: usize) -> String {
    let lines = BufReader::new(fs::File::open(data).unwrap()).lines();
    let path = desk.path("beginning.csv");
    let mut file = std::io::BufWriter::new(fs::File::create(&path).unwrap());
    for line in lines.take(most + 1) {
        writeln!(file, "{}", line.unwrap()).unwrap();
    }
    file.flush().unwrap();
    path
}

const KEEP: &str = "region*sex*age + age*marital + education*occupation";
const TABLES: &[&[&str]] =
    &[&["region", "sex", "age"], &["age", "marital"], &["education", "occupation"]];

#[test]
fn the_town_is_counted_alike() {
    for keys in
        ["region,sex,age,marital,occupation", "region,sex,age", "sex,age,education,occupation"]
    {
        let desk = Desk::new();
        let found = protect_and_count(&desk, TOWN, KEEP, TABLES, &["--keys", keys], &[]);
        assert!(found.scenarios[0].at_risk > 0);
        // Others who know other things, whom nobody thought of: many are found, and rightly.
        let released = desk.path("released.csv");
        let check = ["verify", TOWN, &released, "--keep", KEEP, "--shuffled", "--keys"];
        for others in ["region,age,education,occupation", "sex,age,marital,education,occupation"] {
            let said = answered(&[&check[..], &[others]].concat());
            let seen = assert_protection(&said, &found.files, others);
            assert!(seen[0].matched > 0, "{others}");
        }
    }
}

/// Small groups at risk: nobody in them is looked up by anything but the keys.
#[test]
fn groups_at_risk_are_counted_alike() {
    let desk = Desk::new();
    let released = desk.path("released.csv");
    let keys = "region,sex,age,marital,occupation";
    let job = [TOWN, "--keys", keys, "--keep", KEEP, "--risky", "k:4", "--budget", "20%"];
    let protect = answered(&[&["protect", "-o", &released], &job[..]].concat());
    let check = [&["verify", "--shuffled", TOWN, &released], &job[1..7]].concat();
    let verify = answered(&check);
    let files = Files::read(TOWN, &released);
    let places = files.places(&keys.split(',').collect::<Vec<_>>());
    let seen = files.seen_below(4, &places, &files.others(&places));
    let alone = files.seen(&places, &files.others(&places));
    assert!(seen.at_risk > alone.at_risk && seen.shared > 0 && seen.matched > 0);
    for said in [&protect, &verify] {
        assert_counts(said, &seen, keys);
        assert_scenario(&said["scenarios"][0], &seen, keys);
    }
}

/// What a plan foresees is what is counted in the file that it gives, by `apply` as well.
#[test]
fn a_plan_foresees_what_its_file_gives_away() {
    let desk = Desk::new();
    let [plan, released] = ["swap.plan", "released.csv"].map(|name| desk.path(name));
    let keys = "region,sex,age,marital,occupation";
    let job = ["plan", TOWN, "-o", &plan, "--keys", keys, "--keep", KEEP];
    let foreseen = answered(
        &[&job[..], &["--more-keys", "age,education,occupation", "--budget", "10%"]].concat(),
    );
    let (applied, code) = answer(&["apply", TOWN, &plan, "-o", &released]);
    let files = Files::read(TOWN, &released);
    let seen = assert_protection(&foreseen, &files, "plan");
    assert_protection(&applied, &files, "apply");
    assert!(seen.iter().all(|seen| seen.matched > 0), "the budget leaves people of every kind");
    assert_eq!(code, i32::from(applied["verdict"] != "release"));
}

/// Each scenario by itself, and the worst case, person by person.
#[test]
fn several_intruders_are_counted_one_by_one_and_together() {
    let desk = Desk::new();
    let keys = [
        "--keys",
        "region,age,marital",
        "--more-keys",
        "sex,education,occupation",
        "--more-keys",
        "age,education,occupation",
    ];
    let found = protect_and_count(
        &desk,
        TOWN,
        "age*sex + marital*education",
        &[&["age", "sex"], &["marital", "education"]],
        &keys,
        &[],
    );
    assert_eq!(found.scenarios.len(), 3);
    assert!(found.scenarios.iter().all(|seen| seen.at_risk > 0));
    let sum: u64 = found.scenarios.iter().map(|seen| seen.at_risk).sum();
    assert!(number(&found.protect, "at_risk") < sum, "some are at risk from two of them");
}

/// The verdict names those whom the second intruder still finds and nobody can part, too.
#[test]
fn people_who_cannot_be_parted_from_a_second_intruder_are_named() {
    let desk = Desk::new();
    let keep = "sex*education*occupation*age";
    let keys = ["--keys", "region,marital,age", "--more-keys", "sex,education,occupation,age"];
    let tables: &[&[&str]] = &[&["sex", "education", "occupation", "age"]];
    let found = protect_and_count(&desk, TOWN, keep, tables, &keys, &[]);
    let [first, second] = &found.partable[..] else { panic!("there are two intruders") };
    assert!(first.contains(&Some(true)) && !first.contains(&Some(false)));
    assert!(second.contains(&Some(false)) && !second.contains(&Some(true)));
}

/// `--keys` given again is another intruder, and no longer list of keys.
/// Where the keys are published, nobody is parted: people are detached, and everyone whom the
/// program calls detached meets a record that is false in as many sensitive values as asked.
#[test]
fn detached_people_meet_false_values() {
    let keys = ["region", "sex", "age"];
    let sensitive = ["education", "occupation"];
    for (needed, more) in [(2, &[][..]), (1, &["--detach", "1"][..])] {
        let desk = Desk::new();
        let released = desk.path("released.csv");
        let joined = [keys.join(","), sensitive.join(",")];
        let job = ["--keys", &joined[0], "--sensitive", &joined[1], "--keep", "region*sex*age"];
        let said = answered(&[&["protect", TOWN, "-o", &released][..], &job, more].concat());
        let files = Files::read(TOWN, &released);
        let seen = files.seen(&files.places(&keys), &files.places(&sensitive));
        assert_eq!((number(&said, "separated"), seen.gone), (0, 0), "the keys are published");
        assert_eq!(seen.matched, seen.at_risk);
        let false_enough: u64 = seen.matched_by_true_values[..=2 - needed].iter().sum();
        assert_eq!(number(&said, "values_replaced"), false_enough, "{needed}");
        assert!(false_enough > seen.at_risk / 2, "{false_enough} of {}", seen.at_risk);
    }
}

/// Intruders with names, from a project file: each is counted by its own keys and sensitive
/// values, and told by its name in every answer.
#[test]
fn named_intruders_are_told_by_name() {
    let desk = Desk::new();
    let [released, page] = ["released.csv", "page.html"].map(|name| desk.path(name));
    let data = fs::canonicalize(TOWN).unwrap();
    let project = |scenarios: &str| {
        let text = format!(
            "data = {:?}\n[keep]\ntables = [\"sex*age\"]\n[risk.scenarios]\n{scenarios}\n",
            data.to_str().unwrap()
        );
        desk.write("marginswap.toml", &text)
    };
    let file = project(
        "neighbour = [\"region\", \"sex\", \"age\"]\n\
         employer = { keys = [\"age\", \"occupation\", \"region\"], sensitive = [\"marital\"] }",
    );
    let job = ["protect", "--project", &file, "-o", &released, "--demo-seed", "1"];
    let said = answered(&[&job[..], &["--report", &page]].concat());
    let files = Files::read(TOWN, &released);
    let all = assert_protection(&said, &files, "named");
    assert!(all.len() == 2 && all.iter().all(|seen| seen.at_risk > 0));
    let scenarios = said["scenarios"].as_array().unwrap();
    assert_eq!([&scenarios[0]["name"], &scenarios[1]["name"]], ["employer", "neighbour"]);
    assert_eq!(scenarios[0]["sensitive"], serde_json::json!(["marital"]));
    let verify = ["verify", "--project", &file, data.to_str().unwrap(), &released];
    let text = support::out(&support::marginswap(&verify));
    assert!(text.contains("The intruder “employer” who knows"), "{text}");
    assert!(desk.read("page.html").contains("Scenario “neighbour”"));
    // Next to an intruder without a name.
    let said = answered(&[&verify[..], &["--keys", "sex,marital,age"]].concat());
    assert_eq!(said["scenarios"].as_array().unwrap().len(), 3);
    assert!(said["scenarios"][0]["name"].is_null());
    for (wrong, words) in [
        ("neighbour = { key = [\"age\"] }", "and nothing else"),
        ("neighbour = []", "knows no column"),
        ("neighbour = [\"agee\"]", "did you mean `age`"),
        ("neighbour = \"age\"", "expected a list of columns or a section"),
    ] {
        let file = project(wrong);
        let shown = support::marginswap(&["plan", "--project", &file, "-o", &desk.path("a.plan")]);
        assert_eq!(shown.status.code(), Some(4), "{wrong}");
        let told = support::err(&shown);
        assert!(told.contains(words) && told.contains("line 5"), "{wrong}: {told}");
    }
    // A model is fitted to keys without a name.
    let file = project("neighbour = [\"age\", \"sex\"]");
    let model = ["plan", "--project", &file, "--risky", "top:5", "--fraction", "5%", "-o"];
    let shown = support::marginswap(&[&model[..], &[&desk.path("b.plan")]].concat());
    assert!(support::err(&shown).contains("no keys are named"), "{}", support::err(&shown));
}

#[test]
fn keys_given_twice_are_two_intruders() {
    let desk = Desk::new();
    let released = desk.path("released.csv");
    let run = |more: &[&str]| {
        answered(
            &[
                &[
                    "protect",
                    TOWN,
                    "--keep",
                    "age*sex",
                    "-o",
                    &released,
                    "--demo-seed",
                    "4",
                    "--force",
                ],
                more,
            ]
            .concat(),
        )
    };
    let twice = run(&["--keys", "region,age", "--keys", "sex,occupation,education"]);
    let named = run(&["--keys", "region,age", "--more-keys", "sex,occupation,education"]);
    assert_eq!(twice, named);
    let told: Vec<Vec<String>> = twice["scenarios"]
        .as_array()
        .unwrap()
        .iter()
        .map(|scenario| names(&scenario["keys"]))
        .collect();
    assert_eq!(told, [vec!["region", "age"], vec!["sex", "education", "occupation"]]);
    let three = run(&[
        "--keys",
        "region,age",
        "--keys",
        "sex,education",
        "--more-keys",
        "marital,education",
    ]);
    assert_eq!(three["scenarios"].as_array().unwrap().len(), 3);
}

/// Only the named values are to be hidden: they decide what is learned, and which of them
/// stay where they are where the keys cannot be parted.
#[test]
fn named_sensitive_values_are_the_ones_that_are_hidden() {
    // All keys are in one kept table: nobody can be parted, everybody at risk is detached.
    let (keep, tables): (&str, &[&[&str]]) =
        ("region*sex*age*marital", &[&["region", "sex", "age", "marital"]]);
    let keys = ["--keys", "region,sex,age,marital"];
    let right = |sensitive: &[&str]| {
        let desk = Desk::new();
        let more = [&keys[..], sensitive].concat();
        let found = protect_and_count(&desk, TOWN, keep, tables, &more, &[]);
        let seen = &found.scenarios[0];
        assert_eq!(number(&found.protect, "separable"), 0);
        assert_eq!(seen.matched, seen.at_risk);
        // Of each variable: how many of the matched have their true value.
        let [keys, all] = [&["region", "sex", "age", "marital"][..], &["education", "occupation"]]
            .map(|names| found.files.places(names));
        let true_of = |column: usize| found.files.seen(&keys, &[column]).matched_right;
        (seen.clone(), true_of(all[0]), true_of(all[1]), found.protect)
    };
    let (education, education_true, _, said) = right(&["--sensitive", "education"]);
    assert_eq!(names(&said["scenarios"][0]["sensitive"]), ["education"]);
    assert_eq!(education.matched_right, education_true);
    let (_, education_beside, occupation_true, said) = right(&["--sensitive", "occupation"]);
    assert_eq!(names(&said["scenarios"][0]["sensitive"]), ["occupation"]);
    assert!(education_true < education_beside, "{education_true} {education_beside}");
    let (_, _, occupation_beside, said) = right(&["--sensitive", "education"]);
    assert!(occupation_true < occupation_beside, "{occupation_true} {occupation_beside}");
    assert_eq!(said["scenarios"][0]["sensitive"].as_array().unwrap().len(), 1);
    let (_, _, _, said) = right(&[]);
    assert_eq!(names(&said["scenarios"][0]["sensitive"]), ["education", "occupation"]);
}

/// By default no new combination is made that looks impossible; with `none` some are new, and a
/// pair of variables under `--never-new` gets none.
#[test]
fn forbidden_new_pairs_are_not_made() {
    // A file in which many pairs are missing: the town, cut to its first hundred people.
    let desk = Desk::new();
    let data = beginning(&desk, Path::new(TOWN), 120);
    let run = |more: &[&str]| {
        protect_and_count(
            &desk,
            &data,
            "region*sex",
            &[&["region", "sex"]],
            &["--keys", "region,sex,age,marital,occupation"],
            more,
        )
    };
    let free = run(&["--never-new", "none"]);
    let made = free.files.new_pairs();
    assert!(made.combinations > 0, "the file shows what is forbidden");
    let (&pair, _) = made.by_pair.iter().next().unwrap();
    let table = pair.map(|column| free.files.names[column].clone()).join("*");
    let one = run(&["--never-new", &table]).files.new_pairs();
    assert!(!one.by_pair.contains_key(&pair), "{table}");
    for more in [&["--never-new", "all"][..], &[]] {
        let none = run(more);
        assert_eq!(number(&none.protect, "new_pairs_impossible"), 0);
        assert!(number(&none.protect, "records_changed") > 0);
    }
}

/// A column with many levels is neither watched nor counted, and the answer says so; named in a
/// pair, it is watched. A weight and a column that stays do not count.
#[test]
fn columns_with_many_levels_are_left_out() {
    let desk = Desk::new();
    let line = |record: u32| {
        let mixed = record.wrapping_mul(2_654_435_761) >> 8;
        let (income, weight) = (1000 + mixed % 59, 1 + mixed / 2 % 3);
        let (area, sex, job) = (mixed / 3 % 5, mixed / 5 % 2, mixed / 7 % 6);
        format!("{area},{sex},{job},{income},{},{weight}\n", mixed / 11 % 3)
    };
    let lines: String = (0..200).map(line).collect();
    let data = desk.write("data.csv", &format!("area,sex,job,income,home,weight\n{lines}"));
    let run = |more: &[&str]| {
        let out = desk.path("out.csv");
        let job = ["protect", &data, "-o", &out, "--force", "--keys", "area,sex,job"];
        let rest = ["--keep", "sex*home", "--stay", "home", "--weight", "weight"];
        let rest = [&rest[..], &["--weight-drift", "free"]].concat();
        let (said, _) = answer(&[&job[..], &rest, more].concat());
        (said, outside::fields(&desk.read("out.csv")))
    };
    let before = outside::fields(&desk.read("data.csv"));
    let new = |after: &[Vec<String>], left: usize, right: usize| {
        let pairs = |rows: &[Vec<String>]| -> std::collections::BTreeSet<[String; 2]> {
            rows.iter().map(|row| [row[left].clone(), row[right].clone()]).collect()
        };
        pairs(after).difference(&pairs(&before)).count()
    };
    let (said, after) = run(&[]);
    assert_eq!(names(&said["new_pairs_left_out"]), ["income"]);
    let with_income: usize = [0, 1, 2].iter().map(|&column| new(&after, column, 3)).sum();
    assert!(with_income > 0, "incomes change hands freely");
    assert_eq!(said["new_pairs"], 0, "{}", said["new_pairs_by_variables"]);
    let (_, after) = run(&["--never-new", "area*income + sex*income + job*income"]);
    let with_income: usize = [0, 1, 2].iter().map(|&column| new(&after, column, 3)).sum();
    assert_eq!(with_income, 0);
    // What is new next to a weight or a column that stays is new, and not counted.
    let (said, after) = run(&["--never-new", "none"]);
    let counted: usize =
        [[0, 1], [0, 2], [1, 2]].iter().map(|&[left, right]| new(&after, left, right)).sum();
    assert_eq!(number(&said, "new_pairs"), counted as u64);
}

/// An intruder who knows the last five variables, whom the release was not made against: there
/// are people of every fate to count.
fn assert_unthought_of(desk: &Desk, data: &str, found: &Counted, context: &str) {
    let keys = found.files.names[found.files.names.len() - 5..].join(",");
    let released = desk.path("released.csv");
    let said = answered(&["verify", data, &released, "--keys", &keys, "--shuffled"]);
    let seen = &assert_protection(&said, &found.files, context)[0];
    assert!(seen.at_risk < 20 || seen.matched > 0, "{context}");
}

/// Every real file with the first five variables as keys and the tables of an agency.
#[test]
fn real_files_are_counted_alike_and_reach_the_goals() {
    let Some(folder) = real_data("what intruders learn from real files") else { return };
    let mut missed = Vec::new();
    let mut scenarios: Vec<_> =
        fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    scenarios.sort();
    let (mut counted, mut left) = (0, 0);
    for place in scenarios {
        let Ok(text) = fs::read_to_string(place.join("scenario.json")) else { continue };
        let scenario: Value = serde_json::from_str(&text).unwrap();
        let class = &scenario["classes"]["agency"]["tables"];
        if class.is_null() {
            continue;
        }
        counted += 1;
        let desk = Desk::new();
        let data = beginning(&desk, &place.join("data.csv"), MOST_RECORDS);
        let names_of_tables: Vec<Vec<String>> =
            class.as_array().unwrap().iter().map(names).collect();
        let tables: Vec<Vec<&str>> = names_of_tables
            .iter()
            .map(|table| table.iter().map(String::as_str).collect())
            .collect();
        let tables: Vec<&[&str]> = tables.iter().map(Vec::as_slice).collect();
        let header = support::rows(&data)[0].clone();
        let keys = header[..5].join(",");
        let id = scenario["id"].as_str().unwrap();
        // The goals are those against anyone who knows all keys.
        let keys = ["--keys", keys.as_str(), "--knows", "all"];
        let found = protect_and_count(&desk, &data, &formula(class), &tables, &keys, &[]);
        let partable = &found.partable[0];
        let number_partable = partable.iter().filter(|one| **one == Some(true)).count() as u64;
        assert_unthought_of(&desk, &data, &found, id);
        // With too small a budget people of every fate are left.
        let short =
            protect_and_count(&desk, &data, &formula(class), &tables, &keys, &["--budget", "0.5%"]);
        left += short.scenarios[0].matched_right;
        for made in [&found, &short] {
            assert_eq!(number(&made.protect, "new_pairs_impossible"), 0, "{id}");
        }
        let seen = &found.scenarios[0];
        let freed = partable
            .iter()
            .zip(&seen.fates)
            .filter(|(partable, fate)| **partable == Some(true) && **fate != Some(Fate::Matched))
            .count() as u64;
        println!(
            "{id}: {} at risk, {number_partable} partable, of them {freed} gone or shared; {} matched, {} right; {} newly exposed; {:?} true, {:?} by chance",
            seen.at_risk,
            seen.matched,
            seen.matched_right,
            seen.newly_exposed,
            seen.values_true,
            seen.values_true_by_chance,
        );
        let enough = freed * 100 >= number_partable * 97;
        if !enough || seen.matched_right > 0 || seen.newly_exposed > 0 {
            missed.push(format!(
                "{id}: {freed} of {number_partable} partable, {} right, {} newly exposed",
                seen.matched_right, seen.newly_exposed
            ));
        }
    }
    assert!(counted >= 15 && left > 1_000, "{counted} files were counted, {left} people left");
    assert!(missed.is_empty(), "{missed:#?}");
}

/// The file on which line numbers hid the defect: 1,416 people alone with five keys.
#[test]
fn nobody_on_the_large_census_file_is_matched_rightly() {
    let Some(folder) = real_data("what intruders learn from 50,000 census records") else { return };
    let desk = Desk::new();
    let data = beginning(&desk, &folder.join("kdd12/data.csv"), 50_000);
    let found = protect_and_count(
        &desk,
        &data,
        "age5*sex*race + sex*marital_stat",
        &[&["age5", "sex", "race"], &["sex", "marital_stat"]],
        &["--keys", "age5,sex,race,marital_stat,education", "--knows", "all"],
        &[],
    );
    let seen = &found.scenarios[0];
    println!(
        "kdd12: {} gone, {} shared, {} matched, {:?}",
        seen.gone, seen.shared, seen.matched, seen.matched_by_true_values
    );
    assert_eq!(seen.at_risk, 1_416);
    assert_eq!((seen.matched_right, seen.newly_exposed), (0, 0));
    assert!(seen.matched * 100 <= seen.at_risk, "{} are matched", seen.matched);
}

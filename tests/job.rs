//! The main job as a user runs it: plan, apply, verify, protect; every constraint, every
//! refusal, the same bytes for the same seed; and an independent recount.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use support::{Desk, answer, err, formula, marginswap, out, real_data, rows, table};

const TOWN: &str = "examples/town.csv";
const KEEP: &str = "region*sex*age + age*marital + education*occupation";
const KEYS: &str = "region,sex,age,marital,occupation";

/// The usual job on the town, with more words; the released records keep their order, so that
/// lines can be compared.
fn words<'a>(command: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let order: &[&str] = if command == "protect" { &["--order", "input"] } else { &[] };
    [&[command, TOWN, "--keys", KEYS, "--keep", KEEP], order, more].concat()
}

fn job(command: &str, more: &[&str]) -> (Value, i32) {
    answer(&words(command, more))
}

fn assert_tables_kept(before: &str, after: &str, tables: &[&[&str]]) {
    let (before, after) = (rows(before), rows(after));
    assert_eq!(before.len(), after.len());
    for names in tables {
        assert_eq!(table(&before, names), table(&after, names), "{names:?}");
    }
}

const TABLES: &[&[&str]] =
    &[&["region", "sex", "age"], &["age", "marital"], &["education", "occupation"]];

#[test]
fn protect_keeps_every_table_and_changes_the_keys() {
    let desk = Desk::new();
    let released = desk.path("released.csv");
    let (said, code) = job("protect", &["-o", &released, "--demo-seed", "1"]);
    for field in [
        "at_risk",
        "covered",
        "disclosed",
        "without_swap",
        "swaps",
        "records_changed",
        "cells_changed",
    ] {
        assert!(said[field].is_u64(), "{field}");
    }
    assert_tables_kept(TOWN, &released, TABLES);
    let (before, after) = (rows(TOWN), rows(&released));
    let keys: Vec<&str> = KEYS.split(',').collect();
    let counts = table(&before, &keys);
    let columns: Vec<usize> =
        keys.iter().map(|key| before[0].iter().position(|name| name == key).unwrap()).collect();
    let key =
        |row: &Vec<String>| -> Vec<String> { columns.iter().map(|&c| row[c].clone()).collect() };
    let risky: Vec<usize> =
        (1..before.len()).filter(|&row| counts[&key(&before[row])] == 1).collect();
    let covered = risky.iter().filter(|&&row| key(&before[row]) != key(&after[row])).count() as u64;
    assert_eq!(said["at_risk"], risky.len() as u64);
    assert_eq!(said["covered"], covered);
    assert_eq!((code, &said["verdict"]), (1, &"do_not_release".into()), "the seed is known");
    assert_eq!(said["gone"], covered, "nobody has the keys of those who were parted from them");
    let sum = ["covered", "without_swap"].map(|field| said[field].as_u64().unwrap());
    assert_eq!(said["at_risk"], sum.iter().sum::<u64>());
    let changed = (1..before.len()).filter(|&row| before[row] != after[row]).count() as u64;
    assert_eq!(said["records_changed"], changed);
    let cells: usize = (1..before.len())
        .map(|row| {
            before[row].iter().zip(&after[row]).filter(|(left, right)| left != right).count()
        })
        .sum();
    assert_eq!(said["cells_changed"], cells as u64);
    // No combination of keys comes back.
    for &row in &risky {
        if key(&before[row]) != key(&after[row]) {
            assert!(after.iter().all(|other| key(other) != key(&before[row])), "record {row}");
        }
    }
    let text =
        out(&marginswap(&words("protect", &["-o", &released, "--demo-seed", "1", "--force"])));
    assert!(text.contains("NOT FOR RELEASE"), "{text}");
}

/// In one go, or in three steps by three people: the same bytes.
#[test]
fn plan_and_apply_do_what_protect_does() {
    let desk = Desk::new();
    let [direct, plan, stepped, seed] =
        ["direct.csv", "swap.plan", "stepped.csv", "seed"].map(|name| desk.path(name));
    let job = [TOWN, "--keys", KEYS, "--keep", KEEP, "--knows", "all", "--seed-file", &seed];
    let (one, _) = answer(&[&["protect"], &job[..], &["-o", &direct]].concat());
    let (two, _) = answer(&[&["plan"], &job[..], &["-o", &plan]].concat());
    for field in ["at_risk", "covered", "swaps", "records_changed", "cells_changed"] {
        assert_eq!(one[field], two[field], "{field}");
    }
    let (verified, code) = answer(&["apply", TOWN, &plan, "-o", &stepped, "--seed-file", &seed]);
    assert_eq!((code, &verified["equal"]), (0, &Value::Bool(true)));
    assert_eq!(fs::read(&direct).unwrap(), fs::read(&stepped).unwrap());
    assert_eq!(verified["records_changed"], one["records_changed"]);

    // The plan and the seed are secret and say so in their first bytes.
    for secret in [&plan, &seed] {
        assert!(fs::read(secret).unwrap().starts_with(b"SECRET"));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(secret).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }
    // show tells numbers, and swaps only when asked to.
    let (shown, _) = answer(&["show", &plan]);
    assert_eq!(shown["swaps"], one["swaps"]);
    assert!(shown.get("revealed").is_none());
    let (revealed, _) = answer(&["show", &plan, "--reveal"]);
    assert_eq!(revealed["revealed"].as_array().unwrap().len() as u64, one["swaps"]);
}

#[test]
fn the_same_seed_gives_the_same_bytes_for_any_number_of_threads() {
    let desk = Desk::new();
    let made: Vec<Vec<u8>> = ["1", "2", "7"]
        .iter()
        .map(|threads| {
            let [released, plan] = ["r", "p"].map(|name| desk.path(&format!("{name}{threads}")));
            job(
                "protect",
                &["-o", &released, "--plan", &plan, "--demo-seed", "9", "--threads", threads],
            );
            [fs::read(released).unwrap(), fs::read(plan).unwrap()].concat()
        })
        .collect();
    assert_eq!(made[0], made[1]);
    assert_eq!(made[0], made[2]);
    let other = desk.path("other");
    job("protect", &["-o", &other, "--demo-seed", "10"]);
    assert!(!made[0].starts_with(&fs::read(other).unwrap()), "another seed makes other choices");
}

#[test]
fn verify_stands_alone_and_finds_a_single_changed_cell() {
    let desk = Desk::new();
    let released = desk.path("released.csv");
    job("protect", &["-o", &released, "--knows", "all"]);
    let plain = desk.path("plain.csv");
    fs::copy(&released, &plain).unwrap();
    let check = ["verify", TOWN, &released, "--keep", KEEP, "--keys", KEYS, "--knows", "all"];
    let (said, code) = answer(&check);
    assert_eq!((code, &said["equal"]), (0, &Value::Bool(true)));
    for margin in said["margins"].as_array().unwrap() {
        assert_eq!(margin["changed"], 0);
        assert!(margin["cells"].as_u64().unwrap() > 0);
    }
    for field in ["at_risk", "gone", "shared", "matched", "matched_right", "newly_exposed"] {
        assert!(said[field].is_u64(), "{field}");
    }
    // One age is changed by hand.
    let mut changed = rows(&released);
    changed[7][2] = if changed[7][2] == "65+" { "0-17".to_owned() } else { "65+".to_owned() };
    let text: String = changed.iter().map(|row| row.join(",") + "\n").collect();
    fs::write(&released, text).unwrap();
    let (said, code) = answer(&check);
    assert_eq!((code, &said["equal"]), (1, &Value::Bool(false)));
    let margins = said["margins"].as_array().unwrap();
    assert_eq!(margins.iter().filter(|margin| margin["changed"].as_u64().unwrap() > 0).count(), 2);
    // So is a value that no swap can bring, in a column that no kept table holds.
    let sound = fs::read_to_string(&plain).unwrap();
    let forged = desk.write("forged.csv", &sound.replacen("tertiary", "doctoral", 1));
    let (said, code) = answer(&["verify", TOWN, &forged, "--keep", "region*sex"]);
    assert_eq!((code, &said["equal"]), (1, &Value::Bool(true)));
    assert_eq!(said["broken"], serde_json::json!([["education"]]));
    // A lost record is a difference too.
    changed.pop();
    let text: String = changed.iter().map(|row| row.join(",") + "\n").collect();
    fs::write(&released, text).unwrap();
    assert_eq!(answer(&check).1, 1);
}

#[test]
fn a_stale_or_foreign_plan_is_refused() {
    let desk = Desk::new();
    let plan = desk.path("swap.plan");
    let target = desk.path("released.csv");
    job("plan", &["-o", &plan]);
    let refused = |data: &str, plan: &str, more: &[&str], code: &str| {
        let output = marginswap(&[&["apply", data, plan, "-o", &target], more].concat());
        assert_eq!(output.status.code(), Some(5), "{}", err(&output));
        assert!(err(&output).contains(code), "{}", err(&output));
        assert!(!Path::new(&target).exists());
    };
    let text = fs::read_to_string(TOWN).unwrap();
    let other = desk.write("other.csv", &text.replacen("north", "south", 1));
    refused(&other, &plan, &[], "E501");
    let project = desk.write("other.toml", "[keep]\ntables = [\"age*sex\"]\n");
    refused(TOWN, &plan, &["--project", &project], "E502");
    let damaged =
        desk.write("damaged.plan", &fs::read_to_string(&plan).unwrap().replace(" 1\n", " 2\n"));
    refused(TOWN, &damaged, &[], "E504");
    refused(TOWN, TOWN, &[], "E504");
}

/// A diff shows the swaps and nothing else: quotes, CRLF, BOM and the missing last line end
/// stay.
#[test]
fn bytes_that_are_not_swapped_stay() {
    let desk = Desk::new();
    let text = fs::read_to_string(TOWN).unwrap();
    let odd: String = text
        .lines()
        .enumerate()
        .map(|(line, row)| {
            let end = if line % 2 == 0 { "\r\n" } else { "\n" };
            format!("\"{}{end}", row.replacen(',', "\",", 1))
        })
        .collect();
    let data = desk.write("odd.csv", &format!("\u{feff}{}", odd.trim_end()));
    let released = desk.path("released.csv");
    let job = ["protect", &data, "--keys", KEYS, "--keep", KEEP, "-o", &released];
    let (said, _) = answer(&[&job[..], &["--order", "input"]].concat());
    let (before, after) =
        (fs::read_to_string(&data).unwrap(), fs::read_to_string(&released).unwrap());
    assert!(after.starts_with('\u{feff}') && !after.ends_with('\n'));
    let lines = |text: &str| text.split_inclusive('\n').map(str::to_owned).collect::<Vec<_>>();
    let differing =
        lines(&before).iter().zip(lines(&after)).filter(|(left, right)| *left != right).count();
    assert_eq!(differing as u64, said["records_changed"]);
}

/// Where so much is exchanged that the released lines look like the original ones in another
/// order, the job knows better, and counts what it changed.
#[test]
fn changed_lines_are_counted_where_they_look_shuffled() {
    let desk = Desk::new();
    let lines = ["n,y", "s,x", "n,x", "s,y"];
    let data = desk.write("small.csv", &format!("a,b\n{}\n", lines.join("\n")));
    let released = desk.path("released.csv");
    let job = ["protect", &data, "--keys", "a", "--keep", "a + b", "--rate", "100%"];
    let (said, _) = answer(&[&job[..], &["--order", "input", "-o", &released]].concat());
    let after = fs::read_to_string(&released).unwrap();
    let differing = after.lines().skip(1).zip(lines).filter(|(left, right)| left != right);
    assert_eq!(differing.count(), 4);
    assert_eq!(said["records_changed"], 4);
}

/// The town with a column of weights, four different ones.
fn weighted_town(desk: &Desk) -> String {
    let text = fs::read_to_string(TOWN).unwrap();
    let weight = |line: usize| {
        if line == 0 { "w".to_owned() } else { format!("{}.5", ((line * 2_654_435_761) >> 13) % 4) }
    };
    let lines: Vec<String> =
        text.lines().enumerate().map(|(line, row)| format!("{row},{}", weight(line))).collect();
    desk.write("weighted.csv", &lines.join("\n"))
}

#[test]
fn constraints_hold() {
    let desk = Desk::new();
    let (before, keys) = (rows(TOWN), ["--keys", KEYS, "--keep", "age*sex", "--demo-seed", "3"]);
    let run = |name: &str, more: &[&str]| {
        let released = desk.path(name);
        let command =
            [&["protect", TOWN, "-o", &released, "--order", "input", "--force"], &keys[..], more];
        let (said, _) = answer(&command.concat());
        (said, rows(&released), released)
    };
    let column = |name: &str| before[0].iter().position(|other| other == name).unwrap();

    let (_, stayed, _) = run("stay", &["--stay", "region,education"]);
    for row in 0..before.len() {
        assert_eq!(before[row][column("region")], stayed[row][column("region")]);
    }
    let (_, linked, path) = run("linked", &["--linked", "region,marital"]);
    assert_tables_kept(TOWN, &path, &[&["region", "marital"], &["age", "sex"]]);
    assert_ne!(linked, before);

    let (_, _, path) = run("strata", &["--strata", "region"]);
    // Within strata nothing changes the table of a stratum with any single column.
    assert_tables_kept(
        TOWN,
        &path,
        &[&["region", "age"], &["region", "marital"], &["region", "occupation"]],
    );

    // The weight joins every kept table.
    let weighted = weighted_town(&desk);
    let path = desk.path("weight.csv");
    answer(&[
        "protect",
        &weighted,
        "--keep",
        "age*sex",
        "--keys",
        KEYS,
        "--weight",
        "w",
        "-o",
        &path,
        "--demo-seed",
        "3",
    ]);
    assert_tables_kept(&weighted, &path, &[&["sex", "age", "w"]]);

    // A combination of all columns that swaps create when nobody forbids it.
    let (_, unruled, _) = run("no-rules", &[]);
    let made = unruled.iter().find(|row| !before.contains(row)).unwrap();
    let terms: Vec<String> =
        before[0].iter().zip(made).map(|(name, value)| format!("{name} = \"{value}\"")).collect();
    let (said, ruled, _) = run("rules", &["--rule", &terms.join(" & ")]);
    assert_eq!(said["broken_rules"], 0);
    assert!(!ruled.contains(made));
    // An original that breaks a rule already is reported.
    let (said, _, _) = run("broken", &["--rule", "sex = f"]);
    assert_eq!(
        said["broken_rules"],
        before.iter().filter(|row| row[column("sex")] == "f").count() as u64
    );

    // A cap is a cap, and a rate is reached; the peers' rate is only a floor.
    let (said, _, _) = run("capped", &["--budget", "5 %"]);
    assert!(said["records_changed"].as_u64().unwrap() <= 20);
    assert_eq!(said["covered"], said["records_changed"], "under a cap a swap covers two first");
    let (said, _, _) = run("none", &["--budget", "0"]);
    assert_eq!(said["swaps"], 0);
    let none = desk.write("nobody", "");
    let (said, _, _) = run("rate", &["--rate", "10 %", "--risky", &format!("records:{none}")]);
    assert_eq!(said["records_changed"], 40);
    assert_eq!(said["at_risk"], 0);

    let (said, _, _) = run("k", &["--risky", "k:3"]);
    let counts = table(&before, &KEYS.split(',').collect::<Vec<_>>());
    let below: usize = counts.values().filter(|&&count| count < 3).sum();
    assert_eq!(said["at_risk"], below as u64);
}

/// The peers' first defect: risk given by record must follow the record, however the file is
/// sorted.
#[test]
fn named_records_are_the_ones_that_are_protected() {
    let desk = Desk::new();
    let lines: Vec<String> =
        (0..200).map(|n| format!("p{},{},{},{}", (n * 77) % 200, n % 5, n % 7, n % 3)).collect();
    let data = desk.write("data.csv", &format!("person,a,b,c\n{}\n", lines.join("\n")));
    let named = desk.write("risky", "p3\np150\n\np77\n");
    let released = desk.path("released.csv");
    let (said, _) = answer(&[
        "protect",
        &data,
        "--id",
        "person",
        "--keys",
        "a,b",
        "--keep",
        "a*c",
        "-o",
        &released,
        "--release-id",
        "--risky",
        &format!("records:{named}"),
    ]);
    assert_eq!((&said["at_risk"], &said["covered"]), (&3.into(), &3.into()));
    let (before, after) = (rows(&data), rows(&released));
    for person in ["p3", "p150", "p77"] {
        let find =
            |rows: &[Vec<String>]| rows.iter().find(|row| row[0] == person).cloned().unwrap();
        assert_ne!(find(&before)[1..3], find(&after)[1..3], "{person}");
    }
    let unknown = desk.write("unknown", "p3\nnobody\n");
    let output = marginswap(&[
        "protect",
        &data,
        "--id",
        "person",
        "--keys",
        "a,b",
        "-o",
        &desk.path("x"),
        "--risky",
        &format!("records:{unknown}"),
    ]);
    assert_eq!(output.status.code(), Some(3));
    assert!(err(&output).contains("line 2"), "{}", err(&output));
}

#[test]
fn a_release_has_another_order_and_no_ids() {
    let desk = Desk::new();
    let [released, plain] = ["released.csv", "plain.csv"].map(|name| desk.path(name));
    let ids: String = fs::read_to_string(TOWN)
        .unwrap()
        .lines()
        .enumerate()
        .map(
            |(line, row)| {
                if line == 0 { format!("person,{row}\n") } else { format!("p{line},{row}\n") }
            },
        )
        .collect();
    let data = desk.write("data.csv", &ids);
    let job = [
        "protect",
        &data,
        "--id",
        "person",
        "--keys",
        KEYS,
        "--keep",
        KEEP,
        "--demo-seed",
        "4",
        "--knows",
        "all",
    ];
    answer(&[&job[..], &["-o", &plain, "--order", "input", "--release-id"]].concat());
    answer(&[&job[..], &["-o", &released]].concat());
    let after = rows(&released);
    assert_eq!(after[0], rows(TOWN)[0]);
    let sorted = |rows: Vec<Vec<String>>| {
        let mut rows: Vec<Vec<String>> = rows.into_iter().skip(1).collect();
        rows.sort();
        rows
    };
    let without_id: Vec<Vec<String>> =
        rows(&plain).into_iter().map(|row| row[1..].to_vec()).collect();
    assert_ne!(after[1..], without_id[1..], "the order is another");
    assert_eq!(sorted(after), sorted(without_id), "the records are the same");
    let (said, code) = answer(&[
        "verify",
        &data,
        &released,
        "--id",
        "person",
        "--keep",
        KEEP,
        "--keys",
        KEYS,
        "--knows",
        "all",
        "--shuffled",
    ]);
    // Others know the seed, and the order gives it away.
    assert_eq!((code, &said["equal"], &said["records_changed"]), (1, &true.into(), &Value::Null));
    assert_eq!(said["reasons"][0]["reason"], "demo_seed");
    let refused = marginswap(&[&job[..], &["-o", &desk.path("y"), "--drop", "sex"]].concat());
    assert_eq!(refused.status.code(), Some(2), "a column that takes part is not dropped");
}

#[test]
fn the_best_pairing_covers_no_less() {
    let desk = Desk::new();
    let few = desk.write("few", "3\n50\n101\n200\n");
    let run = |pairing: &str| {
        let (said, _) = job(
            "protect",
            &[
                "--risky",
                &format!("records:{few}"),
                "--knows",
                "all",
                "--pairing",
                pairing,
                "-o",
                &desk.path(pairing),
                "--demo-seed",
                "1",
            ],
        );
        (said["covered"].as_u64().unwrap(), said["cost"].as_u64().unwrap())
    };
    let (best, greedy) = (run("optimal"), run("greedy"));
    assert!(best.0 >= greedy.0);
    assert!(best.0 > greedy.0 || best.1 <= greedy.1);
    let lines: String = (0..1200).map(|n| format!("{n},{},{}\n", n % 7, n % 5)).collect();
    let large = desk.write("large.csv", &format!("a,b,c\n{lines}"));
    let output = marginswap(&[
        "protect",
        &large,
        "--vars",
        "a,b,c",
        "--keys",
        "a",
        "--keep",
        "b*c",
        "--knows",
        "all",
        "--pairing",
        "optimal",
        "-o",
        &desk.path("z"),
    ]);
    assert_eq!(output.status.code(), Some(7), "{}", err(&output));
    assert!(err(&output).contains("E702"), "{}", err(&output));
}

#[test]
fn what_is_missing_is_asked_for() {
    let desk = Desk::new();
    let target = desk.path("x.csv");
    for (arguments, code) in [
        (&["protect", TOWN, "--keep", KEEP, "-o", &target][..], 2),
        (&["protect", TOWN, "--keys", KEYS], 2),
        (&["plan", TOWN, "--keys", KEYS], 2),
        (&["protect", TOWN, "--keys", KEYS, "-o", &target, "--risky", "top:50"], 2),
        (&["protect", TOWN, "--keys", "nothing", "-o", &target], 2),
        (&["protect", TOWN, "--keys", KEYS, "-o", TOWN], 8),
        (&["protect", "--project", "nowhere.toml"], 4),
    ] {
        let output = marginswap(arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", err(&output));
    }
    assert!(!Path::new(&target).exists());
    assert_eq!(fs::read_dir(desk.folder()).unwrap().count(), 0, "nothing is left behind");
}

#[test]
fn the_demo_does_the_whole_job() {
    let desk = Desk::new();
    let folder = desk.path("town");
    let (said, _) = answer(&["demo", &folder, "--records", "3000"]);
    assert_eq!(said["records"], 3000);
    assert_eq!(said["not_for_release"], true);
    assert!(said["covered"].as_u64().unwrap() > 0);
    let town = PathBuf::from(&folder);
    let survey = rows(town.join("survey.csv").to_str().unwrap());
    let released = rows(town.join("released.csv").to_str().unwrap());
    assert_eq!(survey.len(), released.len());
    for names in
        [&["region", "sex", "age"][..], &["age", "marital", "education"], &["occupation", "income"]]
    {
        assert_eq!(table(&survey, names), table(&released, names));
    }
    // The project file repeats the job.
    let again = marginswap(&[
        "protect",
        "--project",
        town.join("marginswap.toml").to_str().unwrap(),
        "--force",
        "--demo-seed",
        "1",
    ]);
    assert!([Some(0), Some(1)].contains(&again.status.code()), "{}", err(&again));
    assert_eq!(rows(town.join("released.csv").to_str().unwrap()), released);
}

/// The peers' parameters, as a preset.
#[test]
fn targeted_record_swapping_is_a_preset() {
    let desk = Desk::new();
    let project = desk.write(
        "marginswap.toml",
        "[trs]\nhierarchy = [\"region\"]\nsimilar = [[\"age\", \"sex\"]]\nk_anonymity = 2\n\
         risk_variables = [\"marital\", \"occupation\"]\nswaprate = \"5 %\"\n",
    );
    let released = desk.path("released.csv");
    let job = ["protect", TOWN, "--project", &project, "-o", &released, "--order", "input"];
    let (said, _) = answer(&job);
    assert!(said["covered"].as_u64().unwrap() > 0);
    let (before, after) = (rows(TOWN), rows(&released));
    for (old, new) in before.iter().zip(&after) {
        assert_eq!(old[1..], new[1..], "only the geography moves");
    }
    assert_tables_kept(TOWN, &released, &[&["region", "age", "sex"]]);
}

/// Every real file, its agency tables and a partial class: kept tables equal by an
/// independent recount, and what can be covered is covered.
#[test]
fn real_files_are_protected() {
    let Some(folder) = real_data("the whole job on real files") else { return };
    let desk = Desk::new();
    let mut jobs = 0;
    for entry in fs::read_dir(&folder).unwrap() {
        let Ok(text) = fs::read_to_string(entry.unwrap().path().join("scenario.json")) else {
            continue;
        };
        let scenario: Value = serde_json::from_str(&text).unwrap();
        let id = scenario["id"].as_str().unwrap();
        let data = folder.join(id).join("data.csv");
        let names: Vec<String> = scenario["levels"].as_object().unwrap().keys().cloned().collect();
        let keys = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(",");
        let classes = scenario["classes"].as_object().unwrap();
        let partial = classes.keys().find(|name| name.starts_with("two_cliques")).cloned();
        for class in [Some("agency".to_owned()), partial].into_iter().flatten() {
            let keep = formula(&classes[&class]["tables"]);
            let released = desk.path("released.csv");
            let (said, _) = answer(&[
                "protect",
                data.to_str().unwrap(),
                "--keys",
                &keys,
                "--keep",
                &keep,
                "-o",
                &released,
                "--force",
                "--demo-seed",
                "1",
            ]);
            jobs += 1;
            assert_eq!(said["at_risk"], scenario["sample_uniques"], "{id} {class}");
            let swappable = classes[&class]["uniques_with_a_swap_partner"].as_u64().unwrap();
            let frozen = said["at_risk"].as_u64().unwrap() - swappable;
            assert_eq!(said["without_swap_because"]["not_swappable"], frozen, "{id} {class}");
            let covered = said["covered"].as_u64().unwrap();
            // nursery8 has every possible record once: any swap would bring back the cell of
            // another record at risk, so none is made.
            let share = match (id, class.as_str()) {
                ("nursery8", _) => 0.0,
                // The others can be parted only by two values that look impossible together.
                ("mushroom8", "agency") => 0.97,
                ("mushroom8", _) => 0.75,
                (_, "agency") => 0.99,
                _ => 0.8,
            };
            assert!(
                covered as f64 >= share * swappable as f64,
                "{id} {class}: {covered} of {swappable}"
            );
            // Independent of everything that wrote or checked the file: csv lines and a map.
            let read = |path: &Path| -> Vec<Vec<String>> {
                let text = fs::read_to_string(path).unwrap();
                text.lines().map(fields).collect()
            };
            let (before, after) = (read(&data), read(Path::new(&released)));
            assert_eq!(before.len(), after.len());
            for margin in classes[&class]["tables"].as_array().unwrap() {
                let names: Vec<&str> =
                    margin.as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
                assert_eq!(table(&before, &names), table(&after, &names), "{id} {class} {names:?}");
            }
        }
    }
    assert!(jobs > 25, "{jobs}");
}

/// The fields of a line that may hold quotes.
fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut field, mut quoted) = (Vec::new(), String::new(), false);
    for sign in line.chars() {
        match sign {
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(std::mem::take(&mut field)),
            _ => field.push(sign),
        }
    }
    fields.push(field);
    fields
}

/// The reasons why people are left are counted, and the numbers add up.
#[test]
fn leftovers_are_told_apart() {
    let desk = Desk::new();
    let released = desk.path("released.csv");
    let because = |more: &[&str]| -> (u64, BTreeMap<String, u64>) {
        let (said, _) =
            job("protect", &[&["-o", &released, "--force", "--demo-seed", "1"], more].concat());
        let reasons: BTreeMap<String, u64> =
            serde_json::from_value(said["without_swap_because"].clone()).unwrap();
        assert_eq!(said["without_swap"], reasons.values().sum::<u64>());
        (said["without_swap"].as_u64().unwrap(), reasons)
    };
    let (left, reasons) = because(&["--budget", "4"]);
    assert!(left > 0 && reasons["budget"] == left, "{reasons:?}");
    let (all, reasons) = because(&["--match", "region,sex,age,marital,education,occupation"]);
    assert!(all > 10 && reasons["no_match"] == all, "{reasons:?}");
    // Keys that stay are only detached, and not where what is to be hidden stays too.
    let stay = ["--stay", "region,sex,age,marital,education", "--sensitive", "education"];
    let keys = ["protect", TOWN, "--keys", "region,sex,age,marital", "--keep", "sex"];
    let (said, _) =
        answer(&[&keys[..], &stay, &["-o", &released, "--force", "--demo-seed", "1"]].concat());
    assert!(said["without_swap"].as_u64() > Some(0), "{said}");
    assert_eq!(said["without_swap_because"]["keys"], said["without_swap"], "{said}");
    // The second list is tried where the first gives nobody.
    let strict = ["--match", "region,sex,age,marital,education,occupation"];
    let (left, reasons) = because(&[&strict[..], &["--match", "sex"]].concat());
    assert!(left < all / 4 && reasons["no_match"] == 0, "{left} of {all}: {reasons:?}");
    let text = out(&marginswap(&words("plan", &["-o", &released, "--force", "--budget", "4"])));
    assert!(text.contains("the budget is used up"), "{text}");
}

/// With ids, a released file that lost, doubled or renamed a record fails the check; it is
/// the original that must name every record.
#[test]
fn verify_tells_ids_that_do_not_match() {
    let desk = Desk::new();
    let text = fs::read_to_string(TOWN).unwrap();
    let numbered: Vec<String> = text
        .lines()
        .enumerate()
        .map(|(line, row)| if line == 0 { format!("id,{row}") } else { format!("{line},{row}") })
        .collect();
    let before = desk.write("before.csv", &numbered.join("\n"));
    let check = |name: &str, lines: Vec<String>| {
        let after = desk.write(name, &lines.join("\n"));
        answer(&["verify", &before, &after, "--keep", KEEP, "--id", "id"])
    };
    let mut renamed = numbered.clone();
    renamed[3] = renamed[3].replacen("3,", "9999,", 1);
    let mut doubled = numbered.clone();
    doubled[3] = doubled[3].replacen("3,", "4,", 1);
    for (name, lines) in [("renamed", renamed), ("doubled", doubled)] {
        let (said, code) = check(name, lines);
        assert_eq!((code, &said["equal"]), (1, &Value::Bool(true)), "{name}");
        assert!(said["unlinked"].as_str().unwrap().starts_with("record "), "{name}");
    }
    let lost = numbered[..numbered.len() - 1].to_vec();
    assert_eq!(check("lost", lost).1, 1);
    // The same lines in another order, and columns in another order: nothing is lost.
    let mut turned = numbered.clone();
    turned[1..].reverse();
    let (said, _) = check("turned", turned);
    assert!(said["unlinked"].is_null() && said["records_changed"] == 0, "{said}");
    assert_eq!(said["verdict"], "review", "without keys nothing was checked");
    let moved = numbered.iter().map(|row| {
        let (id, rest) = row.split_once(',').unwrap();
        format!("{rest},{id}")
    });
    let after = desk.write("moved.csv", &moved.collect::<Vec<_>>().join("\n"));
    let output = marginswap(&["verify", &before, &after, "--keep", KEEP, "--id", "id"]);
    assert_eq!(output.status.code(), Some(1), "without keys nothing was checked");
    assert!(err(&output).contains("another order"), "{}", err(&output));
}

/// What a user may not have meant is reported, and the run goes on.
#[test]
fn warnings_are_given() {
    let desk = Desk::new();
    let said = |more: &[&str]| {
        let output = marginswap(&words("protect", more));
        assert!(matches!(output.status.code(), Some(0 | 1)), "{}", err(&output));
        err(&output)
    };
    let released = desk.path("released.csv");
    let rule = "region = atlantis & sex = m";
    let warned = said(&["-o", &released, "--rule", rule]);
    assert!(warned.contains("rule 1 names a value of `region`"), "{warned}");
    assert!(!warned.contains("atlantis"), "no value is told");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let seed = desk.path("seed");
        assert!(!said(&["-o", &released, "--force", "--seed-file", &seed]).contains("others can"));
        fs::set_permissions(&seed, fs::Permissions::from_mode(0o644)).unwrap();
        assert!(said(&["-o", &released, "--force", "--seed-file", &seed]).contains("others can"));
    }
}

/// Names that would lose a file are refused before anything is written.
#[test]
fn outputs_that_meet_are_refused() {
    let desk = Desk::new();
    let [one, seed] = ["one", "seed"].map(|name| desk.path(name));
    let detour = desk.path("./one");
    for more in [
        &["-o", &one, "--plan", &detour][..],
        &["-o", &one, "--seed-file", &detour],
        &["-o", desk.folder().to_str().unwrap(), "--seed-file", &seed],
    ] {
        let output = marginswap(&words("protect", more));
        assert_eq!(output.status.code(), Some(8), "{more:?}: {}", err(&output));
        assert_eq!(fs::read_dir(desk.folder()).unwrap().count(), 0, "{more:?}");
    }
}

/// A file that grows beyond what the system allows is a full disk: an error, and no rest.
#[cfg(unix)]
#[test]
fn a_file_that_may_not_grow_leaves_nothing() {
    let desk = Desk::new();
    let released = desk.path("released.csv");
    let text = fs::read_to_string(TOWN).unwrap();
    let (head, body) = text.split_once('\n').unwrap();
    let data = desk.write("data.csv", &format!("{head}\n{}", body.repeat(200)));
    let program = env!("CARGO_BIN_EXE_marginswap");
    let output = std::process::Command::new("sh")
        .args(["-c", "ulimit -f 8; exec \"$@\"", "sh", program, "protect", &data])
        .args(["--keys", KEYS, "--keep", KEEP, "--risky", "k:500", "-o", &released])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(8), "{}", err(&output));
    assert_eq!(fs::read_dir(desk.folder()).unwrap().count(), 1, "only the data are there");
}

/// `nohup` and a shell's `&` ask for ignored signals: the job runs, and nothing is lost.
#[cfg(unix)]
#[test]
fn a_job_runs_where_signals_are_ignored() {
    let desk = Desk::new();
    let released = desk.path("released.csv");
    let program = env!("CARGO_BIN_EXE_marginswap");
    let output = std::process::Command::new("sh")
        .args(["-c", "trap '' HUP INT TERM; exec \"$@\"", "sh", program])
        .args(words("protect", &["-o", &released]))
        .output()
        .unwrap();
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", err(&output));
    assert_tables_kept(TOWN, &released, TABLES);
}

/// What the project file says of the release holds for `apply` as for `protect`.
#[test]
fn apply_releases_as_the_project_says() {
    let desk = Desk::new();
    let text = fs::read_to_string(TOWN).unwrap();
    let numbered: Vec<String> = (0..)
        .zip(text.lines())
        .map(|(line, row)| if line == 0 { format!("id,{row}") } else { format!("{line},{row}") })
        .collect();
    let data = desk.write("data.csv", &numbered.join("\n"));
    let project = desk.write(
        "marginswap.toml",
        &format!(
            "data = 'data.csv'\n[columns]\nid = 'id'\n[keep]\ntables = ['{KEEP}']\n\
             [risk]\nkeys = ['{}']\n[release]\ndrop = ['id']\norder = 'random'\n",
            KEYS.replace(',', "', '")
        ),
    );
    let [plan, seed, one, other] = ["plan", "seed", "one.csv", "other.csv"].map(|n| desk.path(n));
    answer(&["plan", "--project", &project, "--seed-file", &seed, "-o", &plan]);
    answer(&["protect", "--project", &project, "--seed-file", &seed, "-o", &one]);
    answer(&["apply", &data, &plan, "--project", &project, "--seed-file", &seed, "-o", &other]);
    assert_eq!(fs::read(&one).unwrap(), fs::read(&other).unwrap());
    assert!(!fs::read_to_string(&other).unwrap().starts_with("id,"));
    // No output takes the place of what is read, not even with --force.
    let list = desk.write("list", "1\n");
    let records = format!("records:{list}");
    for (target, more) in [(&project, &[][..]), (&list, &["--risky", &records])] {
        let words = ["protect", "--project", &project, "--force", "-o", target];
        let output = marginswap(&[&words[..], more].concat());
        assert_eq!(output.status.code(), Some(8), "{}", err(&output));
    }
    // Nor of a link.
    #[cfg(unix)]
    {
        let link = desk.path("link.csv");
        std::os::unix::fs::symlink(&one, &link).unwrap();
        let output = marginswap(&words("protect", &["-o", &link, "--force"]));
        assert_eq!(output.status.code(), Some(8), "{}", err(&output));
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    }
}

/// Among exchanges that are equal in all that counts, each is taken now and then.
#[test]
fn equal_exchanges_are_chosen_by_chance() {
    let desk = Desk::new();
    let data = desk.write("data.csv", "a,b,c\nx,1,p\ny,2,q\ny,2,q\ny,2,q\n");
    let plan = desk.path("plan");
    let mut chosen = BTreeMap::new();
    for seed in 0..60 {
        let seed = seed.to_string();
        answer(&["plan", &data, "--keys", "a,b,c", "-o", &plan, "--force", "--demo-seed", &seed]);
        let (said, _) = answer(&["show", &plan, "--reveal"]);
        *chosen.entry(said["revealed"][0]["exchanged"].to_string()).or_insert(0) += 1;
    }
    // One of three columns travels, or the two others do.
    assert!(chosen.len() >= 3, "{chosen:?}");
}

/// A rule that the original breaks does not forbid swaps that leave that as it is.
#[test]
fn a_broken_rule_blocks_only_what_breaks_it_again() {
    let desk = Desk::new();
    let data = desk.write("data.csv", "a,b,c,d\nx,y,1,1\nx,y,2,2\nu,v,3,3\nu,v,3,3\n");
    let released = desk.path("released.csv");
    let (said, _) = answer(&[
        "protect",
        &data,
        "--keys",
        "a,b,c,d",
        "--keep",
        "a*b",
        "--stay",
        "a,b",
        "--rule",
        "a = x & b = y",
        "-o",
        &released,
    ]);
    assert_eq!((&said["covered"], &said["broken_rules"]), (&Value::from(2), &Value::from(2)));
}

/// The exact pairing is exact or refused.
#[test]
fn the_best_pairing_says_when_it_cannot_be_had() {
    let desk = Desk::new();
    let plan = desk.path("plan");
    let refused = |more: &[&str]| {
        let output = marginswap(&words(
            "plan",
            &[&["-o", &plan, "--knows", "all", "--pairing", "optimal"], more].concat(),
        ));
        assert_eq!(output.status.code(), Some(7), "{}", err(&output));
        err(&output)
    };
    assert!(refused(&["--budget", "4"]).contains("the budget allows 4"));
    let project = desk.write("misspelt.toml", "[swap.weights]\nregoin = 3\n");
    let output = marginswap(&words("plan", &["-o", &plan, "--project", &project]));
    assert!(err(&output).contains("`region`"), "{}", err(&output));
    assert!(err(&output).contains("misspelt.toml, line 2"), "{}", err(&output));
    assert_eq!(output.status.code(), Some(4));
    // An empty list is the match list that asks for nothing.
    let strict = "region,sex,age,marital,education,occupation";
    let (said, _) = job("plan", &["-o", &plan, "--knows", "all", "--match", strict, "--match", ""]);
    assert_eq!(said["without_swap"], 0);
    // A list of records may begin with a byte order mark.
    let list = desk.write("list", "\u{feff}1\n3\n");
    let (said, _) = job("plan", &["-o", &plan, "--force", "--risky", &format!("records:{list}")]);
    assert_eq!(said["at_risk"], 2);
}

/// A released file has the format of the data; a name that says otherwise is refused before
/// anything is planned.
#[test]
fn a_misleading_name_is_refused() {
    let desk = Desk::new();
    for name in ["released.parquet", "released.PQ"] {
        let odd = desk.path(name);
        let output = marginswap(&words("protect", &["-o", &odd]));
        let said = err(&output);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("E116") && said.contains("is CSV like the data"), "{said}");
        assert!(said.contains("ends in `.csv` or `.csv.gz`"), "{said}");
        assert!(!std::path::Path::new(&odd).exists());
    }
}

/// What a plan is for, what it keeps and changes, and what it promises, in a few lines.
#[test]
fn a_plan_is_summarised() {
    let desk = Desk::new();
    let plan = desk.path("swap.plan");
    let (said, _) = job("plan", &["-o", &plan, "--demo-seed", "1"]);
    let text = out(&marginswap(&["show", &plan]));
    let (shown, _) = answer(&["show", &plan]);
    assert!(text.lines().count() < 15, "{text}");
    for words in [
        "A plan for a file of 400 records and 6 columns",
        "exactly as they are",
        &format!("one who knows {}", KEYS.replace(',', ", ")),
        &format!("{} people at risk", said["at_risk"]),
        &format!("{} swaps of two records", said["swaps"]),
        &format!("{} records (", said["records_changed"]),
        &format!("{} gone, {} shared", said["gone"], said["shared"]),
        "NOT FOR RELEASE",
        "--reveal lists every swap",
    ] {
        assert!(text.contains(words), "{words:?} in\n{text}");
    }
    // The columns by how often they are exchanged, against the list of swaps.
    let (revealed, _) = answer(&["show", &plan, "--reveal"]);
    let mut times: BTreeMap<String, u64> = BTreeMap::new();
    for swap in revealed["revealed"].as_array().unwrap() {
        for column in swap["exchanged"].as_array().unwrap() {
            *times.entry(column.as_str().unwrap().to_owned()).or_default() += 1;
        }
    }
    let exchanged = shown["exchanged"].as_array().unwrap();
    let counted = |one: &serde_json::Value| {
        (one["column"].as_str().unwrap().to_owned(), one["swaps"].as_u64().unwrap())
    };
    assert_eq!(exchanged.iter().map(counted).collect::<BTreeMap<_, _>>(), times);
    assert!(exchanged.is_sorted_by(|one, next| counted(one).1 >= counted(next).1));
    assert!(text.contains(&format!(
        "{} in {}",
        counted(&exchanged[0]).0,
        counted(&exchanged[0]).1
    )));
}

/// Where one column is left, the header has no delimiter to be found; values may hold others.
#[test]
fn a_release_of_one_column_is_read_back_with_the_delimiter_of_the_data() {
    let desk = Desk::new();
    let data = desk.write("one.tsv", "person\ttown\tjob\n1\ta\tx,y\n2\ta\tx\n3\tb\tx\n");
    let released = desk.path("released.tsv");
    let job = ["--id", "person", "--ignore", "town", "--keys", "job"];
    let protect = ["protect", &data, "-o", &released, "--drop", "town", "--demo-seed", "1"];
    let (said, code) = answer(&[&protect[..], &["--force"], &job].concat());
    assert_eq!((code, &said["equal"]), (1, &Value::Bool(true)));
    let (said, code) = answer(&[&["verify", &data, &released][..], &job].concat());
    assert_eq!((code, &said["equal"]), (1, &Value::Bool(true)));
}

/// What is left of a header once columns are dropped may look like a record; the original's header
/// was read as one, so its names are names in the released file too.
#[test]
fn a_released_header_is_the_originals() {
    let desk = Desk::new();
    let data = desk.path("data.csv");
    let lines: String = (0..40).map(|n| format!("p{n},{},x\n", n % 3)).collect();
    fs::write(&data, format!("person,7,town\n{lines}")).unwrap();
    let plan = desk.path("swap.plan");
    let words = ["--id", "person", "--ignore", "town", "--keep", "`7`", "--demo-seed", "1"];
    let made = marginswap(&[&["plan", &data, "--keys", "7", "-o", &plan], &words[..]].concat());
    assert!(matches!(made.status.code(), Some(0 | 1)), "{}", err(&made));
    let released = desk.path("released.csv");
    let applied = marginswap(&["apply", &data, &plan, "-o", &released, "--drop", "town"]);
    assert!(matches!(applied.status.code(), Some(0 | 1)), "{}", err(&applied));
    assert!(fs::read_to_string(&released).unwrap().starts_with("7\n"));
}

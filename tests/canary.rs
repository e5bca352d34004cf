//! No value of a file appears where it has no business: not in an external or internal page,
//! not in a picture or a project file, not in an answer, not in what is printed next to it, not
//! in any error text. Only the released file holds values.
//!
//! Every cell of the inputs holds a marker. In one file all markers differ, in the other they
//! repeat, so that records can be swapped.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support;

use std::fs;

use support::{err, marginswap, out};

const MARK: &str = "CANARY";
const COLUMNS: [&str; 5] = ["person", "region", "sex", "age", "work"];

/// Every cell its own marker.
fn all_differ() -> String {
    let mut text = COLUMNS.join(",") + "\n";
    for record in 0..40 {
        let cells: Vec<String> = (0..5).map(|column| format!("{MARK}{record}x{column}")).collect();
        text.push_str(&(cells.join(",") + "\n"));
    }
    text
}

/// Markers that repeat in every column but the id.
fn some_agree() -> String {
    let mut text = COLUMNS.join(",") + "\n";
    for record in 0..300usize {
        let mixed = record.wrapping_mul(0x9e37_79b9) >> 5;
        let [region, sex, age, work] = [mixed % 4, mixed / 4 % 2, mixed / 8 % 6, mixed / 48 % 9];
        text.push_str(&format!(
            "{MARK}-{record},{MARK}-r{region},{MARK}-s{sex},{MARK}-a{age},{MARK}-w{work}\n"
        ));
    }
    text
}

#[test]
fn no_value_leaves_the_data() {
    let folder = support::folder();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    for (name, text) in [("differ", all_differ()), ("agree", some_agree())] {
        let data = path(&format!("{name}.csv"));
        fs::write(&data, &text).unwrap();
        let broken = path(&format!("{name}-broken.csv"));
        let [ragged, quoted, twice, other] =
            ["ragged", "quoted", "twice", "other"].map(|what| path(&format!("{name}-{what}.csv")));
        fs::write(&ragged, format!("{text}{MARK}1,{MARK}2\n")).unwrap();
        fs::write(&quoted, format!("{text}{MARK}1,\"{MARK}2,{MARK}3,a,b\n")).unwrap();
        fs::write(&twice, format!("{text}{}\n", text.lines().nth(1).unwrap())).unwrap();
        fs::write(&other, text.replacen("work", "works", 1)).unwrap();
        // One value that was not there before.
        fs::write(
            &broken,
            text.replacen(&format!("{MARK}-r"), &format!("{MARK}-q"), 1).replacen(
                &format!("{MARK}0x1"),
                &format!("{MARK}new"),
                1,
            ),
        )
        .unwrap();
        let files =
            ["out.csv", "swap.plan", "in.html", "out.html", "a.svg", "p.toml", "seed", "list.csv"]
                .map(|file| path(&format!("{name}-{file}")));
        let [released, plan, internal, external, svg, project, seed, list] = &files;
        let keep = ["--keep", "region*sex + sex*age"];
        // Where all values differ the variables are named: ids are exchanged on demand only.
        let keys = ["--keys", "region,age,work", "--vars", "region,sex,age,work"];
        let id = ["--id", "person"];
        let first = format!("{MARK}-1");
        let commands: Vec<Vec<&str>> = vec![
                vec!["inspect", &data],
                vec!["inspect", &ragged],
                vec!["inspect", &quoted],
                vec!["inspect", &data, "--delimiter", ";"],
                [&["graph", &data, "--svg", svg][..], &keep].concat(),
                [&["screen", &data, "--out", list][..], &keep, &id].concat(),
                [&["screen", &data, "--max-separators", "0"][..], &keep].concat(),
                [&["explain", &data, "--record", "3", "--svg", svg][..], &keep].concat(),
                [&["explain", &data, "--record", "3", "--partners", "all"][..], &keep].concat(),
                [&["explain", &data, "--pair", "1", "2", "--svg", svg][..], &keep, &id].concat(),
                [&["explain", &data, "--record", &first, "--svg", svg][..], &keep, &id].concat(),
                [&["explain", &data, "--record", "CANARY-nobody"][..], &keep, &id].concat(),
                [&["explain", &twice, "--record", &first][..], &keep, &id].concat(),
                vec!["init", &data, "-o", project],
                [
                    &["plan", &data, "-o", plan, "--seed-file", seed, "--svg", svg][..],
                    &keep,
                    &keys,
                    &id,
                ]
                .concat(),
                [&["plan", &data, "-o", plan][..], &keep, &keys[..2]].concat(),
                [&["plan", &ragged, "-o", plan][..], &keep, &keys].concat(),
                [
                    &["plan", &data, "-o", plan, "--risky", &format!("records:{data}").leak()[..]]
                        [..],
                    &keep,
                    &keys,
                ]
                .concat(),
                [&["plan", &data, "-o", plan, "--seed-file", &data][..], &keep, &keys].concat(),
                vec!["show", plan],
                vec!["show", plan, "--reveal"],
                vec!["show", &data],
                vec!["apply", &data, plan, "-o", released],
                vec!["apply", &broken, plan, "-o", released],
                vec!["apply", &data, &data, "-o", released],
                [&["verify", &data, released, "--svg", svg, "--three-way"][..], &keep, &keys, &id]
                    .concat(),
                [&["verify", &data, &broken][..], &keep, &keys, &id].concat(),
                [&["verify", &data, &twice][..], &keep, &keys, &id].concat(),
                [&["verify", &data, &other][..], &keep, &keys].concat(),
                [
                    &[
                        "protect",
                        &data,
                        "-o",
                        released,
                        "--report",
                        internal,
                        "--external-report",
                        external,
                    ][..],
                    &keep,
                    &keys,
                    &id,
                ]
                .concat(),
                [
                    &[
                        "protect", &data, "-o", released, "--drop", "person", "--order", "random",
                        "--rate", "10%",
                    ][..],
                    &keep,
                    &keys,
                    &id,
                ]
                .concat(),
                [&["protect", &ragged, "-o", released][..], &keep, &keys].concat(),
                [
                    &["frontier", &data, "--svg", svg, "--plan", plan, "--seeds", "2"][..],
                    &keep,
                    &keys,
                    &id,
                ]
                .concat(),
                [
                    &["report", &data, released, "-o", internal, "--reveal", "--watch", "age*work"]
                        [..],
                    &keep,
                    &keys,
                    &id,
                ]
                .concat(),
                [
                    &[
                        "report",
                        &data,
                        released,
                        "-o",
                        external,
                        "--external",
                        "--watch",
                        "age*work",
                    ][..],
                    &keep,
                    &keys,
                    &id,
                ]
                .concat(),
                [&["report", &data, &broken, "-o", internal][..], &keep, &keys, &id].concat(),
                [&["report", &data, &broken, "-o", external, "--external"][..], &keep, &keys, &id]
                    .concat(),
                [&["report", &data, &ragged, "-o", internal][..], &keep, &keys, &id].concat(),
            ];
        for command in &commands {
            let writes = !["inspect", "show"].contains(&command[0]);
            for json in [&[][..], &["--json"]] {
                let json = if command[0] == "init" { &[] } else { json };
                let force: &[&str] = if writes { &["--force"] } else { &[] };
                let output = marginswap(&[command, json, force].concat());
                let said = format!("{}{}", out(&output), err(&output));
                let code = output.status.code();
                assert!(code.is_some_and(|code| ![2, 6].contains(&code)), "{command:?}: {said}");
                // What names a folder of the test is no value.
                assert!(!said.contains(MARK), "{command:?}: {said}");
                for file in [plan, internal, external, svg, project, seed, list] {
                    let text = fs::read_to_string(file).unwrap_or_default();
                    assert!(!text.contains(MARK), "{command:?}: {file}");
                }
            }
        }
        for file in [released, plan, internal, external, svg, project, seed, list] {
            assert!(fs::metadata(file).is_ok(), "{file} was written");
        }
        assert!(fs::read_to_string(released).unwrap().contains(MARK));
    }
}

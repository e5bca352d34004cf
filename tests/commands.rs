//! The commands on small files: what their answers hold, and that every option counts.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support;

use std::fs;
use std::io::Write;
use std::process::Command;

use serde_json::{Value, json as value};
use support::{Desk, err, json, marginswap, out};
use tempfile::TempDir;

const TOWN: &str = "examples/town.csv";
const KEEP: &str =
    "region*sex*age*marital + sex*age*marital*education + age*marital*education*occupation";

fn written(content: &[u8]) -> (TempDir, String) {
    let folder = support::folder();
    let path = folder.path().join("data.csv");
    fs::write(&path, content).unwrap();
    let path = path.to_str().unwrap().to_owned();
    (folder, path)
}

fn fields(answer: &Value) -> Vec<&str> {
    answer.as_object().unwrap().keys().map(String::as_str).collect()
}

/// A program that drives this one gets the text with the JSON, and a line for each step.
#[test]
fn who_drives_the_program_is_told_text_and_steps() {
    let words = ["screen", TOWN, "--keep", "region*sex", "--json"];
    let driven = |value: &str| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_marginswap"));
        program.args(words).env("MARGINSWAP_DRIVEN", value).output().unwrap()
    };
    let plain = driven("");
    let told = driven("1");
    let mut answer: Value = serde_json::from_str(&out(&told)).unwrap();
    let text = answer.as_object_mut().unwrap().remove("text").unwrap();
    assert_eq!(answer, serde_json::from_str::<Value>(&out(&plain)).unwrap());
    assert_eq!(text.as_str().unwrap().trim_end(), out(&marginswap(&words[..4])).trim_end());
    assert!(err(&told).contains("step: 1/2 screening\n"), "{}", err(&told));
    assert!(!err(&plain).contains("step: "));
}

#[test]
fn graph_answers_in_the_files_column_order() {
    let answer = json(&["graph", TOWN, "--keep", "age*sex + marital*age + sex", "--json"]);
    for field in ["variables", "margins", "chordal", "decomposable", "cliques", "separators"] {
        assert!(fields(&answer).contains(&field), "{field}");
    }
    assert_eq!(
        answer["variables"],
        value!(["region", "sex", "age", "marital", "education", "occupation"])
    );
    assert_eq!(answer["margins"], value!([["sex", "age"], ["age", "marital"]]));
    assert_eq!(answer["absorbed"], value!([["sex"]]));
    assert_eq!(answer["uncovered"], value!(["region", "education", "occupation"]));
    assert_eq!(answer["chordal"], true);
    assert_eq!(answer["decomposable"], true);
    assert_eq!(
        answer["cliques"],
        value!([["region"], ["sex", "age"], ["age", "marital"], ["education"], ["occupation"]])
    );
    assert_eq!(
        answer["separators"],
        value!([
            {"separator": [], "components":
                [["region"], ["sex", "age", "marital"], ["education"], ["occupation"]]},
            {"separator": ["age"], "components":
                [["region"], ["sex"], ["marital"], ["education"], ["occupation"]]}
        ])
    );
}

#[test]
fn graph_needs_no_data() {
    let answer = json(&["graph", "--keep", "b*a", "--keep", "c*b + `x y`", "--json"]);
    assert_eq!(answer["variables"], value!(["b", "a", "c", "x y"]));
    assert_eq!(answer["separators"][0]["separator"], value!([]));
    assert_eq!(answer["separators"][1]["separator"], value!(["b"]));
}

#[test]
fn a_complete_graph_says_so() {
    let output = marginswap(&["graph", "--keep", "a*b + b*c + a*c"]);
    assert!(out(&output).contains("no swap of two records can keep them all"));
    let answer = json(&["graph", "--keep", "a*b + b*c + a*c", "--json"]);
    assert_eq!(answer["complete"], true);
    assert_eq!(answer["chordal"], true);
    assert_eq!(answer["decomposable"], false);
    assert_eq!(answer["separators"], value!([]));
}

#[test]
fn graph_draws() {
    let folder = support::folder();
    let picture = folder.path().join("graph.svg");
    let picture = picture.to_str().unwrap();
    let command = ["graph", TOWN, "--keep", KEEP, "--svg", picture];
    assert_eq!(marginswap(&command).status.code(), Some(0));
    let drawn = fs::read_to_string(picture).unwrap();
    assert!(drawn.starts_with("<svg") && drawn.contains("marital"));
    assert_eq!(marginswap(&command).status.code(), Some(8), "an existing file stays");
    let forced = [&command[..], &["--force"]].concat();
    assert_eq!(marginswap(&forced).status.code(), Some(0));
}

#[test]
fn screen_answers_for_every_record() {
    let folder = support::folder();
    let table = folder.path().join("screened.csv");
    let table = table.to_str().unwrap();
    let answer = json(&["screen", TOWN, "--keep", KEEP, "--out", table, "--json"]);
    for field in [
        "records",
        "cells",
        "sample_uniques",
        "swappable",
        "swappable_uniques",
        "disclosed_uniques",
    ] {
        assert!(answer[field].is_u64(), "{field}");
    }
    assert_eq!(answer["disclosed_is_exact"], true);
    let written = fs::read_to_string(table).unwrap();
    let mut lines = written.lines();
    assert_eq!(lines.next(), Some("record,cell_count,sample_unique,swappable,disclosed"));
    let rows: Vec<Vec<u64>> =
        lines.map(|line| line.split(',').map(|cell| cell.parse().unwrap()).collect()).collect();
    assert_eq!(rows.len() as u64, answer["records"]);
    let count =
        |wanted: &dyn Fn(&Vec<u64>) -> bool| rows.iter().filter(|row| wanted(row)).count() as u64;
    assert_eq!(count(&|row| row[2] == 1), answer["sample_uniques"]);
    assert_eq!(count(&|row| (row[1] == 1) != (row[2] == 1)), 0);
    assert_eq!(count(&|row| row[3] == 1), answer["swappable"]);
    assert_eq!(count(&|row| row[2] == 1 && row[3] == 1), answer["swappable_uniques"]);
    assert_eq!(count(&|row| row[2] == 1 && row[4] == 1), answer["disclosed_uniques"]);
    assert!(count(&|row| row[4] == 1) > 0, "the example has disclosed records");

    // Each line agrees with what explain says of that record.
    for row in rows.iter().step_by(37) {
        let number = row[0].to_string();
        let explained = json(&["explain", TOWN, "--keep", KEEP, "--record", &number, "--json"]);
        assert_eq!(explained["record"], row[0]);
        assert_eq!(explained["cell_count"], row[1]);
        assert_eq!(explained["sample_unique"], row[2] == 1);
        assert_eq!(explained["swappable"], row[3] == 1);
        assert_eq!(explained["disclosed"], row[4] == 1);
    }

    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(table).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

/// The pair test answers when the separators are cut short, and says so.
#[test]
fn few_separators_change_no_answer() {
    let answer =
        |limit: &str| json(&["screen", TOWN, "--keep", KEEP, "--max-separators", limit, "--json"]);
    let (all, none) = (answer("100000"), answer("0"));
    assert_eq!(all["separators_complete"], true);
    assert_eq!(none["separators_complete"], false);
    for field in ["swappable", "swappable_uniques", "disclosed_uniques"] {
        assert_eq!(all[field], none[field]);
    }
    for record in ["12", "263"] {
        let explained = |limit: &str| {
            let command = ["explain", TOWN, "--keep", KEEP, "--record", record, "--json"];
            json(&[&command[..], &["--max-separators", limit]].concat())
        };
        let (all, cut) = (explained("100000"), explained("1"));
        for field in ["partners", "swappable", "disclosed", "what_if"] {
            assert_eq!(all[field], cut[field], "{field}");
        }
        assert_eq!(cut["separators"], value!([]), "a list cut short answers for no record");
        assert_eq!(cut["separators_known"], 1);
        assert_eq!(cut["choice"].is_null(), cut["swappable"] == false);
    }
    let text = |limit: &str| {
        let command =
            ["explain", TOWN, "--keep", KEEP, "--record", "12", "--max-separators", limit];
        out(&marginswap(&command))
    };
    assert!(
        text("1").contains("stops at its limit (1), so every pair of records was\ntested instead")
    );
    assert!(text("1").contains("The pair test chooses record"));
    assert!(text("100000").contains("Algorithm 1 chooses record"));
    let graph = marginswap(&["graph", TOWN, "--keep", KEEP, "--max-separators", "1"]);
    assert!(out(&graph).contains("1 minimal separator listed; there are more."), "{}", out(&graph));
    assert!(!err(&graph).contains("note:"), "a graph has no records to speak of");
    let said = err(&marginswap(&["screen", TOWN, "--keep", KEEP, "--max-separators", "0"]));
    assert!(said.contains("more minimal separators than are listed (0,"), "{said}");
}

#[test]
fn explain_lists_partners_that_explain_as_pairs() {
    let record = ["explain", TOWN, "--keep", KEEP, "--json", "--record", "12"];
    let brief = json(&record);
    assert!(brief.get("partner_records").is_none());
    let full = json(&[&record[..], &["--partners", "all"]].concat());
    let partners: Vec<u64> =
        full["partner_records"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
    assert_eq!(full["partners"], partners.len() as u64);
    assert!(!partners.is_empty());
    for through in full["separators"].as_array().unwrap() {
        let sum =
            ["same_cell", "one_side", "partners"].map(|field| through[field].as_u64().unwrap());
        assert_eq!(through["agree"], sum.iter().sum::<u64>());
    }
    assert!(partners.contains(&full["choice"]["partner"].as_u64().unwrap()));
    for other in (1..=400).step_by(13).filter(|other| *other != 12) {
        let number = other.to_string();
        let pair = json(&["explain", TOWN, "--keep", KEEP, "--json", "--pair", "12", &number]);
        assert_eq!(pair["swappable"], partners.contains(&other), "{other}");
        let parts = pair["parts"].as_array().unwrap();
        assert_eq!(pair["swappable"], parts.len() > 1);
        let tied = pair["swappable"] == false && pair["differing"].as_array().unwrap().len() > 1;
        assert_eq!(!pair["bound_by"].as_array().unwrap().is_empty(), tied);
    }
}

#[test]
fn a_frozen_record_learns_which_table_would_free_it() {
    let (_folder, data) = written(b"a,b,c\n0,0,0\n1,1,0\n0,1,0\n");
    let record = |keep: &str| json(&["explain", &data, "--keep", keep, "--record", "1", "--json"]);
    let frozen = record("a*b + b*c");
    assert_eq!(frozen["swappable"], false);
    assert_eq!(
        frozen["what_if"],
        value!([
            {"table": ["a", "b"], "partners": 1, "held_by": null},
            {"table": ["b", "c"], "partners": 0, "held_by": null}
        ])
    );
    // A table named twice is one table; one inside another is still held by it.
    let nested = record("a*b*c + a*b + b*a*c");
    assert_eq!(
        nested["what_if"],
        value!([
            {"table": ["a", "b", "c"], "partners": 0, "held_by": null},
            {"table": ["a", "b"], "partners": 0, "held_by": ["a", "b", "c"]}
        ])
    );
    let text = out(&marginswap(&["explain", &data, "--keep", "a*b*c + a*b", "--record", "1"]));
    assert!(text.contains("a*b    0  its variables are also in a*b*c"), "{text}");
    let free = record("b*c");
    assert_eq!(free["partners"], 1, "as it was said");
    assert_eq!(free["what_if"], value!([]));
}

/// A pair that is tied names the chain of tables.
#[test]
fn a_tied_pair_names_its_chain() {
    let (_folder, data) = written(b"a,b,c\n0,0,0\n1,1,1\n");
    let pair = json(&["explain", &data, "--keep", "a*b + b*c", "--pair", "1", "2", "--json"]);
    assert_eq!(pair["swappable"], false);
    assert_eq!(pair["differing"], value!(["a", "b", "c"]));
    assert_eq!(pair["parts"], value!([["a", "b", "c"]]));
    assert_eq!(
        pair["bound_by"],
        value!([
            {"variables": ["a", "b"], "table": ["a", "b"], "reason": "kept table"},
            {"variables": ["b", "c"], "table": ["b", "c"], "reason": "kept table"}
        ])
    );
}

/// Every role changes the answer: two records that differ in `a` and `b`.
#[test]
fn roles_count() {
    let (_folder, data) = written(b"id,a,b\np,0,0\nq,1,1\n");
    let swappable = |options: &[&str]| {
        let command = [&["explain", &data, "--json", "--pair", "1", "2"], options].concat();
        json(&command)
    };
    // As a variable the id makes the swap look effective, even with a and b tied.
    assert_eq!(swappable(&["--keep", "a*b"])["parts"], value!([["id"], ["a", "b"]]));
    // Left out, a and b are tied and nothing can travel.
    assert_eq!(swappable(&["--keep", "a*b", "--ignore", "id"])["swappable"], false);
    // What stays is one vertex, relative to which the others travel.
    assert_eq!(
        swappable(&["--keep", "a*b", "--stay", "id"])["parts"],
        value!([["a", "b"], ["id"]])
    );
    assert_eq!(
        swappable(&["--keep", "a", "--vars", "a"])["parts"],
        value!([["a"], ["columns that stay"]])
    );
    // A column that stays may be in a table: then it ties.
    let tied = swappable(&["--keep", "a*b", "--vars", "a", "--ignore", "id"]);
    assert_eq!(tied["swappable"], false);
    // Two that stay never part, even when no table holds both.
    let (_folder, other) = written(b"a,b,c\n0,0,0\n1,1,0\n");
    let pair = ["explain", &other, "--json", "--pair", "1", "2", "--keep", "a + b"];
    assert_eq!(json(&pair)["swappable"], true);
    let apart = json(&[&pair[..], &["--stay", "a,b"]].concat());
    assert_eq!(apart["swappable"], false);
    assert_eq!(apart["bound_by"][0]["reason"], "columns that stay");
}

#[test]
fn records_are_named_by_id() {
    let (_folder, data) = written(b"id,a,b\n-p,0,0\nq,1,1\nr,1,0\n");
    let pair = |names: &[&str]| {
        let command = ["explain", &data, "--json", "--keep", "a + b"];
        json(&[&command[..], names].concat())
    };
    let by_id = pair(&["--id", "id", "--pair", "-p", "q"]);
    assert_eq!(by_id["records"], value!([1, 2]));
    assert_eq!(by_id["differing"], value!(["a", "b"]));
    let record = pair(&["--id", "id", "--record", "q"]);
    assert_eq!(record["record"], 2);
}

#[test]
fn an_id_among_the_variables_is_called_out() {
    let lines: String = (0..40).map(|n| format!("p{n},{},{}\n", n % 2, n % 3)).collect();
    let (_folder, data) = written(format!("id,a,b\n{lines}").as_bytes());
    let output = marginswap(&["screen", &data, "--keep", "a*b"]);
    assert!(err(&output).contains("warning: nearly every value of `id` is different"));
    let answer = json(&["screen", &data, "--keep", "a*b", "--json"]);
    assert_eq!(answer["looks_like_id"], value!(["id"]));
    let quiet = marginswap(&["screen", &data, "--keep", "a*b", "--id", "id"]);
    assert!(!err(&quiet).contains("warning"));
    let inspected = json(&["inspect", &data, "--json"]);
    assert_eq!(inspected["columns"][0]["looks_like_id"], true);
    assert_eq!(inspected["columns"][1]["looks_like_id"], false);
}

/// The same table as comma, semicolon, tab, with CRLF and BOM, quoted, gzipped: one answer.
#[test]
fn formats_give_one_answer() {
    let plain = fs::read_to_string(TOWN).unwrap();
    let quoted: String = plain
        .lines()
        .map(|line| {
            line.split(',').map(|cell| format!("\"{cell}\"")).collect::<Vec<_>>().join(";") + "\n"
        })
        .collect();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(plain.as_bytes()).unwrap();
    let variants: [(&str, Vec<u8>); 5] = [
        ("semicolons", plain.replace(',', ";").into_bytes()),
        ("tabs", plain.replace(',', "\t").into_bytes()),
        ("CRLF and BOM", format!("\u{feff}{}", plain.replace('\n', "\r\n")).into_bytes()),
        ("quotes", quoted.into_bytes()),
        ("gzip", packed.finish().unwrap()),
    ];
    let expected = json(&["screen", TOWN, "--keep", KEEP, "--json"]);
    for (name, content) in variants {
        let (_folder, data) = written(&content);
        assert_eq!(json(&["screen", &data, "--keep", KEEP, "--json"]), expected, "{name}");
    }
    let (_folder, data) = written(plain.replace(',', "|").as_bytes());
    let piped = json(&["screen", &data, "--keep", KEEP, "--delimiter", "|", "--json"]);
    assert_eq!(piped, expected);
}

/// An empty field is a category, and nothing is guessed.
#[test]
fn categories_are_opaque() {
    let (_folder, data) = written(b"code,b\n007,x\n7,x\n7.0,\nNA,\n,x\n");
    let answer = json(&["inspect", &data, "--json"]);
    assert_eq!(answer["columns"][0]["levels"], 5);
    assert_eq!(answer["columns"][0]["empty"], 1);
    assert_eq!(answer["columns"][1]["levels"], 2);
    assert_eq!(answer["columns"][1]["empty"], 2);
}

/// 128 variables and more take part.
#[test]
fn many_variables_take_part() {
    let names: Vec<String> = (0..200).map(|column| format!("v{column}")).collect();
    let line = |digit: &str| vec![digit; 200].join(",");
    let (_folder, data) =
        written(format!("{}\n{}\n{}\n", names.join(","), line("0"), line("1")).as_bytes());
    let pair =
        json(&["explain", &data, "--keep", "v0*v150 + v150*v199", "--pair", "1", "2", "--json"]);
    assert_eq!(pair["parts"].as_array().unwrap().len(), 198);
    assert_eq!(pair["parts"][0], value!(["v0", "v150", "v199"]));
    // 2^197 − 1 is no number of JSON; it is not made up.
    assert_eq!(pair["exchanges"], Value::Null);
    assert_eq!(pair["exchange_bits"], 197);
    let text =
        out(&marginswap(&["explain", &data, "--keep", "v0*v150 + v150*v199", "--pair", "1", "2"]));
    assert!(text.contains("2^197 − 1 different results"), "{text}");
    let few = json(&[
        "explain", &data, "--keep", "v0", "--vars", "v0,v1,v2", "--pair", "1", "2", "--json",
    ]);
    assert_eq!(few["exchanges"], 7);
}

/// Columns that stay are looked at too, together.
#[test]
fn an_id_that_stays_is_called_out() {
    let lines: String =
        (0..40).map(|n| format!("{},{},{},{}\n", n / 7, n % 7, n % 2, n % 3)).collect();
    let (_folder, data) = written(format!("street,house,a,b\n{lines}").as_bytes());
    // Neither column is an id; the two together are.
    let command = ["screen", &data, "--keep", "a*b", "--stay", "street,house"];
    let output = marginswap(&command);
    let said = err(&output);
    assert!(
        said.contains("nearly every record differs in the columns that stay (street, house)"),
        "{said}"
    );
    assert!(said.contains("Every swap therefore counts as effective"), "{said}");
    assert!(
        out(&output).contains("Nearly every record has a value of its own in: columns that stay")
    );
    let answer = json(&[&command[..], &["--json"]].concat());
    assert_eq!(answer["looks_like_id"], value!(["columns that stay"]));
    assert!(!err(&marginswap(&["screen", &data, "--keep", "a*b"])).contains("warning"));
    // A column that stays and is in a table is one of its own.
    let ids: String = (0..40).map(|n| format!("p{n},{}\n", n % 2)).collect();
    let (_folder, data) = written(format!("id,a\n{ids}").as_bytes());
    let answer = json(&["screen", &data, "--keep", "id + a", "--stay", "id", "--json"]);
    assert_eq!(answer["looks_like_id"], value!(["id"]));
    let said = err(&marginswap(&["screen", &data, "--keep", "a"]));
    assert!(
        said.contains("Name it as `id` or under `ignore`.") && !said.contains("stay"),
        "{said}"
    );
}

#[test]
fn an_id_may_stand_between_backticks() {
    let (_folder, data) = written(b"\"who, where\",a,b\np,0,0\nq,1,1\n");
    let command = ["explain", &data, "--keep", "a + b", "--id", "`who, where`", "--json"];
    let pair = json(&[&command[..], &["--pair", "q", "p"]].concat());
    assert_eq!(pair["records"], value!([2, 1]));
    assert_eq!(pair["differing"], value!(["a", "b"]));
}

#[test]
fn what_ties_the_columns_that_stay_is_shown() {
    let (_folder, data) = written(b"a,b,c,d\n0,0,0,0\n1,1,1,1\n");
    let command = ["graph", &data, "--keep", "a*c", "--stay", "c,d"];
    let answer = json(&[&command[..], &["--json"]].concat());
    assert_eq!(answer["margins"], value!([["a", "c"]]));
    assert_eq!(answer["stay_margin"], value!(["c", "d"]));
    assert_eq!(answer["uncovered"], value!(["b", "d"]));
    let text = out(&marginswap(&command));
    assert!(text.contains("tied because it stays: c*d"), "{text}");
    assert!(text.contains("in no table: b, d"), "{text}");
    let apart = json(&["graph", &data, "--keep", "a*b", "--stay", "c,d", "--json"]);
    assert_eq!(apart["stay_margin"], Value::Null);
    assert_eq!(apart["uncovered"], value!(["columns that stay"]));
}

/// What the proof of a disclosed cell rests on besides the named tables.
#[test]
fn a_proof_names_the_tables_that_nobody_named() {
    let (_folder, data) = written(b"a,b,c\n0,0,0\n1,1,0\n");
    let frozen = ["screen", &data, "--keep", "a*b"];
    let answer = json(&[&frozen[..], &["--json"]].concat());
    assert_eq!(answer["disclosed"], 2);
    assert_eq!(answer["disclosed_also_uses"], value!(["c"]));
    assert_eq!(answer["disclosed_uses_stay_margin"], Value::Null);
    let text = out(&marginswap(&frozen));
    assert!(text.contains("The proof also uses the one-way tables of: c\n"), "{text}");
    let all = out(&marginswap(&["screen", &data, "--keep", "a*b + c"]));
    assert!(!all.contains("The proof also uses"), "{all}");
    let stays = ["screen", &data, "--keep", "a*b", "--stay", "b,c"];
    let answer = json(&[&stays[..], &["--json"]].concat());
    assert_eq!(answer["disclosed_uses_stay_margin"], value!(["b", "c"]));
    let text = out(&marginswap(&stays));
    assert!(text.contains("The proof also uses the table b*c\n"), "{text}");
}

#[test]
fn a_header_that_looks_like_data_is_called_out() {
    let asks = |content: &str| {
        let (_folder, data) = written(content.as_bytes());
        let keep = content.lines().next().unwrap().replace(',', "*");
        err(&marginswap(&["screen", &data, "--keep", &keep])).contains("error[E226]")
    };
    assert!(asks("1,2\n3,4\n"));
    assert!(asks("f,oslo\nf,bergen\nm,oslo\n"));
    assert!(!asks("sex,town\nf,bergen\nm,oslo\n"));
    assert!(!asks("sex,2011\nf,bergen\nm,oslo\n"));
}

/// Every next step on a file can be run as it is.
#[test]
fn the_next_step_can_be_run() {
    let lines: String = (0..40).map(|n| format!("p{n};{};{};{}\n", n % 2, n % 3, n % 5)).collect();
    let folder = support::folder();
    let data = folder.path().join("it's here.csv");
    fs::write(&data, format!("id;it's;b c;d\n{lines}")).unwrap();
    let data = data.to_str().unwrap();
    let next = |output: &std::process::Output| {
        assert_eq!(output.status.code(), Some(0), "{}", err(output));
        err(output).lines().last().unwrap().strip_prefix("next: ").unwrap().to_owned()
    };
    let inspected = next(&marginswap(&["inspect", data, "--stay", "d", "--delimiter", ";"]));
    assert!(
        inspected.contains("--delimiter semicolon --stay d") && !inspected.contains("id*"),
        "{inspected}"
    );
    let options = ["--id", "id", "--stay", "d", "--keep", "`it's`*`b c`"];
    let mut steps = vec![inspected];
    for command in [
        &["graph", data][..],
        &["screen", data],
        &["explain", data, "--record", "p3"],
        &["explain", data, "--pair", "p3", "p4"],
    ] {
        steps.push(next(&marginswap(&[command, &options].concat())));
    }
    // What is left out is said after the command, not in it.
    let left_out = [&["explain", data, "--record", "p3", "--missing", "0"], &options[..]].concat();
    let told = err(&marginswap(&left_out));
    let (command, hint) = told.split_once("\n      # add --missing as you gave it").expect(&told);
    assert!(command.contains(" --pair "), "{told}");
    assert!(!hint.contains("--pair"), "{told}");
    // The folder has a name that this test did not choose.
    let folder = folder.path().to_str().unwrap();
    let shows = |step: &String| step.replace(folder, "FOLDER").contains("p3");
    assert!(!steps.iter().any(shows), "no value is shown: {steps:?}");
    if cfg!(unix) {
        let program = std::path::Path::new(env!("CARGO_BIN_EXE_marginswap")).parent().unwrap();
        for step in steps {
            let mut shell = std::process::Command::new("/bin/sh");
            let output = shell.args(["-c", &step]).env("PATH", program).output().unwrap();
            assert_eq!(output.status.code(), Some(0), "{step}: {}", err(&output));
        }
    }
    // A frozen record is offered the tables without the one that would free it.
    let step = next(&marginswap(&["explain", TOWN, "--keep", KEEP, "--record", "263"]));
    assert_eq!(
        step,
        "marginswap explain examples/town.csv --keep \
         'region*sex*age*marital + sex*age*marital*education' --record 263"
    );
}

#[test]
fn partners_are_listed_in_short_lines() {
    let text = out(&marginswap(&[
        "explain",
        TOWN,
        "--keep",
        "region*sex",
        "--record",
        "1",
        "--partners",
        "all",
    ]));
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    let (_folder, data) =
        written(("a,b\n".to_owned() + &"0,0\n".repeat(1500) + "1,1\n").as_bytes());
    let text = out(&marginswap(&[
        "explain",
        &data,
        "--keep",
        "a + b",
        "--record",
        "1",
        "--partners",
        "all",
    ]));
    assert!(text.ends_with("Partners:\n  1,501\n"), "{text}");
}

/// Names from a file do not control the terminal, and can be distinguished in lists.
#[test]
fn hostile_names_are_shown_tamely() {
    let (_folder, data) = written(b"\"a\x1b[2J\",\" b\",\"c,d\"\n0,0,0\n1,1,1\n");
    for command in [
        &["inspect", &data][..],
        &["inspect", &data, "--ignore", "` b`"],
        &["graph", &data, "--keep", "` b`"],
        &["explain", &data, "--keep", "` b`", "--pair", "1", "2"],
        &["explain", &data, "--keep", "` b`", "--record", "1"],
        &["graph", &data, "--keep", "a"],
    ] {
        let output = marginswap(command);
        assert!(!output.stdout.contains(&0x1b) && !output.stderr.contains(&0x1b), "{command:?}");
    }
    let text = out(&marginswap(&["explain", &data, "--keep", "` b`", "--pair", "1", "2"]));
    assert!(text.contains("`a\\u{1b}[2J`, ` b`, `c,d`"), "{text}");
    let answer = json(&["inspect", &data, "--json"]);
    assert_eq!(answer["columns"][0]["name"], "a\u{1b}[2J");
}

#[test]
fn long_names_are_refused_or_shown() {
    let of = |length: usize| {
        let (_folder, data) = written(format!("a,{}\n0,0\n1,1\n", "x".repeat(length)).as_bytes());
        marginswap(&["inspect", &data])
    };
    assert_eq!(of(1000).status.code(), Some(0));
    let long = of(1001);
    assert_eq!(long.status.code(), Some(3));
    assert!(
        err(&long).contains("error[E219]") && err(&long).contains("column 2"),
        "{}",
        err(&long)
    );
    assert_eq!(of(70_000).status.code(), Some(3));
}

/// 264 tables on a grid of 12 × 12 variables: the pair test answers, and at once.
#[test]
fn a_graph_of_countless_separators_is_answered() {
    let name = |row: usize, column: usize| format!("v{row}_{column}");
    let names: Vec<String> = (0..144).map(|cell| name(cell / 12, cell % 12)).collect();
    let mut tables = Vec::new();
    for row in 0..12 {
        for column in 0..12 {
            if row < 11 {
                tables.push(format!("{}*{}", name(row, column), name(row + 1, column)));
            }
            if column < 11 {
                tables.push(format!("{}*{}", name(row, column), name(row, column + 1)));
            }
        }
    }
    let mut state = 7u64;
    let lines: String = (0..2000)
        .map(|_| {
            let fields: Vec<String> = (0..144)
                .map(|_| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    (state >> 62 & 1).to_string()
                })
                .collect();
            fields.join(",") + "\n"
        })
        .collect();
    let (_folder, data) = written(format!("{}\n{lines}", names.join(",")).as_bytes());
    let keep = tables.join(" + ");
    let command = ["--keep", &keep, "--max-separators", "20000", "--json"];
    let begun = std::time::Instant::now();
    let record = json(&[&["explain", &data, "--record", "1"][..], &command].concat());
    let took = begun.elapsed();
    // A second on an idle machine; going through all separators would take hours.
    assert!(took.as_secs() < 300, "{took:?}");
    assert_eq!(record["swappable"], true);
    assert_eq!(record["separators"], value!([]));
    let choice = &record["choice"];
    let partner = choice["partner"].to_string();
    let pair = json(&[&["explain", &data, "--pair", "1", &partner][..], &command].concat());
    assert_eq!(pair["swappable"], true);
    let differing = pair["differing"].as_array().unwrap();
    let is_side = |name: &Value| choice["alpha"].as_array().unwrap().contains(name);
    let exchanged: Vec<&Value> = differing.iter().filter(|name| is_side(name)).collect();
    assert_eq!(choice["exchanged"], value!(exchanged));
    assert!(differing.iter().all(|name| !choice["separator"].as_array().unwrap().contains(name)));
    let screened = json(&[&["screen", &data][..], &command].concat());
    assert_eq!(screened["separators_complete"], false);
    assert_eq!(screened["swappable"], 2000);
}

/// With `--json` an error is JSON too, whether of the data or of the command line.
#[test]
fn errors_are_json_when_asked() {
    for (arguments, code, exit) in [
        (&["inspect", "tests/bad/too_many_fields.csv", "--json"][..], Some("E203"), 3),
        (&["inspect", "tests/bad/good.csv", "--id", "persn", "--json"], Some("E105"), 2),
        (&["screen", "--nonsense", "--json"], None, 2),
    ] {
        let output = marginswap(arguments);
        assert_eq!(output.status.code(), Some(exit));
        let told: serde_json::Value = serde_json::from_str(&out(&output)).unwrap();
        assert_eq!(told["error"]["code"].as_str(), code, "{told}");
        assert_eq!(told["error"]["exit_code"], exit);
        assert!(!told["error"]["detail"].as_str().unwrap().is_empty());
        assert!(!err(&output).is_empty());
    }
}

/// Scripts and pages for the surroundings name every command.
#[test]
fn completions_and_manual_know_every_command() {
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().to_str().unwrap();
    let manual = marginswap(&["man", "--out", pages]);
    assert_eq!(manual.status.code(), Some(0), "{}", err(&manual));
    let main = out(&marginswap(&["man"]));
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = out(&marginswap(&["completions", shell]));
        for command in ["protect", "verify", "explain", "frontier"] {
            assert!(script.contains(command), "{shell}: {command}");
            assert!(main.contains(command), "{command}");
            let page = fs::read_to_string(folder.path().join(format!("marginswap-{command}.1")));
            assert!(page.unwrap().contains("project"), "{command}");
        }
    }
}

/// A `+` that the shell took for a word of its own.
#[test]
fn an_unquoted_plus_is_told_what_to_quote() {
    for (command, tables) in [
        (&["screen", TOWN, "--keep", "region*sex", "+", "sex*age"][..], "region*sex + sex*age"),
        (&["screen", TOWN, "--keep", "a*b", "+", "b*c", "+", "c*d"], "a*b + b*c + c*d"),
        (&["graph", "--keep", "a*b", "+", "b*c"], "a*b + b*c"),
    ] {
        let output = marginswap(command);
        assert_eq!(output.status.code(), Some(2));
        let tip = format!("between quotes: '{tables}'");
        assert!(err(&output).contains(&tip), "{}", err(&output));
    }
    let other = marginswap(&["screen", TOWN, "--keep", "a*b", "extra"]);
    assert!(!err(&other).contains("between quotes"), "{}", err(&other));
}

/// Each setting that leaves fewer partners is reported with its number, and a record learns which
/// one is in the way.
#[test]
fn screening_respects_every_setting() {
    let keep = ["--keep", "region*sex + sex*age"];
    let strict =
        ["--strata", "education", "--match", "region,age", "--rule", "sex = f & age = 0-17"];
    let screen = |more: &[&str]| json(&[&["screen", TOWN, "--json"], &keep[..], more].concat());
    let (loose, tight) = (screen(&[]), screen(&strict));
    let told = |found: &Value| -> Vec<(Value, u64)> {
        let all = found["restrictions"].as_array().unwrap().iter();
        all.map(|one| (one["setting"].clone(), one["swappable"].as_u64().unwrap())).collect()
    };
    assert_eq!(told(&loose), [(Value::Null, loose["swappable"].as_u64().unwrap())]);
    let steps = told(&tight);
    let names: Vec<&Value> = steps.iter().map(|(name, _)| name).collect();
    assert_eq!(names, [&Value::Null, &"strata".into(), &"match".into(), &"rules".into()]);
    assert_eq!(steps[0].1, loose["swappable"].as_u64().unwrap());
    assert_eq!(steps[3].1, tight["swappable"].as_u64().unwrap());
    assert!(steps[0].1 > steps[2].1, "{steps:?}");
    let text = out(&marginswap(&[&["screen", TOWN], &keep[..], &strict].concat()));
    assert!(text.contains("Records with a partner, setting by setting"), "{text}");
    assert!(text.contains("with match lists"), "{text}");
    let plain = out(&marginswap(&[&["screen", TOWN], &keep[..]].concat()));
    assert!(!plain.contains("setting by setting"), "{plain}");
}

/// `screen`, `explain` and `risk` answer for every intruder what each alone would be answered.
#[test]
fn every_intruder_is_looked_at() {
    let desk = Desk::new();
    let town = fs::canonicalize(TOWN).unwrap();
    let project = format!(
        "data = '{}'\n[keep]\ntables = ['region*sex', 'sex*age']\n[swap]\nstrata = ['region']\n\
         [risk]\nkeys = ['sex', 'age']\nmore_keys = [['region', 'marital']]\npopulation = 20000\n\
         [risk.scenarios]\nneighbour = ['sex', 'education']\n",
        town.to_str().unwrap()
    );
    let project = desk.write("marginswap.toml", &project);
    let table = desk.folder().join("screened.csv");
    let table = table.to_str().unwrap();
    let alone = ["sex,age", "region,marital", "sex,education"];
    let names = [Value::Null, Value::Null, "neighbour".into()];
    let keep = ["--keep", "region*sex + sex*age"];
    let strict = [&keep[..], &["--strata", "region"]].concat();
    let model = [&keep[..], &["--population", "20000"]].concat();
    let more: [(&str, &[&str], &[&str]); 3] = [
        ("screen", &["--out", table], &strict),
        ("explain", &["--record", "5"], &strict),
        ("risk", &[], &model),
    ];
    for (command, own, settings) in more {
        let several = json(&[&[command, "--project", &project, "--json"], own].concat());
        let all = several["scenarios"].as_array().unwrap();
        assert_eq!(all.len(), 3, "{command}");
        for ((found, keys), name) in all.iter().zip(alone).zip(&names) {
            let own = if command == "screen" { &[] } else { own };
            let command = [&[command, TOWN, "--json", "--keys", keys], settings, own].concat();
            let expected = json(&command);
            assert!(expected["scenarios"].is_null());
            let mut found = found.clone();
            let said = found.as_object_mut().unwrap().remove("name").unwrap_or(Value::Null);
            assert_eq!(said, *name);
            match command[0] {
                "risk" => {
                    for (field, value) in found.as_object().unwrap() {
                        assert_eq!(*value, expected[field], "{field}");
                    }
                }
                _ => assert_eq!(found, expected["keys"], "{keys}"),
            }
        }
    }
    let head = fs::read_to_string(table).unwrap();
    let columns = "separable,why_not,separable_2,why_not_2,separable_neighbour,why_not_neighbour,\
                   hiding";
    assert!(head.lines().next().unwrap().ends_with(columns), "{head}");
    let text = out(&marginswap(&["screen", "--project", &project]));
    assert!(text.contains("(3) The intruder “neighbour” knows sex, education:"), "{text}");
    assert!(text.contains("separable from their keys (2)"), "{text}");
}

/// A next step that needs rules or codes says so, and shows no value.
#[test]
fn the_next_step_names_what_it_leaves_out() {
    let folder = support::folder();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (plan, rule) = (path("p.plan"), "age = 0-17 & marital = married");
    let job = ["explain", TOWN, "--keep", "region*sex", "--pair", "1", "3", "--rule", rule];
    let said = err(&marginswap(&job));
    let lines: Vec<&str> = said.lines().collect();
    let next = lines.iter().position(|line| line.starts_with("next: ")).unwrap();
    assert!(!lines[next].contains("married"), "{said}");
    assert!(lines[next + 1].contains("# add --rule as you gave it"), "{said}");
    let codes =
        ["plan", TOWN, "--keep", "sex", "--keys", "age", "--missing", "CANARY", "-o", &plan];
    assert!(!err(&marginswap(&codes)).contains("CANARY"));
}

/// The steps are reported next to the answer, which is the same; without the option nothing is.
#[test]
fn timings_are_told_where_they_are_asked_for() {
    let question = ["screen", TOWN, "--keep", KEEP];
    let plain = marginswap(&question);
    let timed = marginswap(&[&question[..], &["--timings"]].concat());
    assert_eq!(out(&plain), out(&timed));
    assert!(!err(&plain).contains("seconds"));
    let told = err(&timed);
    for step in ["starting", "reading", "screening", "total"] {
        assert!(told.lines().any(|line| line.starts_with(step)), "{step}: {told}");
    }
    let plain = json(&[&question[..], &["--json"]].concat());
    let mut timed = json(&[&question[..], &["--json", "--timings"]].concat());
    let steps = timed.as_object_mut().unwrap().remove("timings").unwrap();
    assert_eq!(plain, timed);
    let phases: Vec<&str> =
        steps.as_array().unwrap().iter().map(|step| step["phase"].as_str().unwrap()).collect();
    assert_eq!(phases, ["starting", "reading", "screening"]);
    assert!(steps[1]["seconds"].as_f64().unwrap() > 0.0);
}

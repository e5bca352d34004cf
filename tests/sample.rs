//! Drawn files and certificates, as a user meets them: the tables counted again from the bytes, the
//! same records from every source, and everything that is refused beside a claim.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support;

use std::collections::BTreeMap;
use std::fs;

use marginswap_pipeline::codes;
use marginswap_pipeline::refusal::Code;
use serde_json::{Value, json};
use support::{Desk, answer, err, json as answered, marginswap, out, rows, write_parquet};

const TOWN: &str = "examples/town.csv";
const KEEP: &str = "region*sex*age + age*marital + marital*education";

/// A table of a file: the counts of the cells of these columns.
fn table(rows: &[Vec<String>], names: &[&str]) -> BTreeMap<Vec<String>, u64> {
    let place = |name: &&str| rows[0].iter().position(|own| own == name).unwrap();
    let places: Vec<usize> = names.iter().map(place).collect();
    let mut counts = BTreeMap::new();
    for row in &rows[1..] {
        *counts.entry(places.iter().map(|&at| row[at].clone()).collect()).or_default() += 1;
    }
    counts
}

const TABLES: [&[&str]; 3] =
    [&["region", "sex", "age"], &["age", "marital"], &["marital", "education"]];

/// Writes a published table; answers its name.
fn published(desk: &Desk, rows: &[Vec<String>], names: &[&str]) -> String {
    let mut text = format!("{},count\n", names.join(","));
    for (cell, count) in table(rows, names) {
        text.push_str(&format!("{},{count}\n", cell.join(",")));
    }
    desk.write(&format!("{}.csv", names.join("-")), &text)
}

fn sorted(mut lines: Vec<Vec<String>>) -> Vec<Vec<String>> {
    lines[1..].sort();
    lines
}

/// From a file, the same in another order, in Parquet, and from its published tables: the same
/// bytes. Another seed draws others.
#[test]
fn law_a_sample_is_the_same_from_every_source() {
    let desk = Desk::new();
    let (town, seed) = (rows(TOWN), desk.path("seed"));
    let draw = |source: &[&str], name: &str, seed: &str| {
        let path = desk.path(name);
        let how = ["-o", &path, "--seed-file", seed];
        let output = marginswap(&[&["sample"], source, &how].concat());
        assert_eq!(output.status.code(), Some(0), "{}", err(&output));
        fs::read_to_string(path).unwrap()
    };
    let from_file = draw(&[TOWN, "--keep", KEEP], "file.csv", &seed);
    let mut turned = town.clone();
    turned[1..].reverse();
    let lines: Vec<String> = turned.iter().map(|row| row.join(",")).collect();
    let reversed = desk.write("reversed.csv", &(lines.join("\n") + "\n"));
    assert_eq!(draw(&[&reversed, "--keep", KEEP], "again.csv", &seed), from_file);
    if cfg!(feature = "parquet") {
        let parquet = desk.path("town.parquet");
        write_parquet(&parquet, &turned);
        assert_eq!(draw(&[&parquet, "--keep", KEEP], "packed.csv", &seed), from_file);
    }
    // The variables of tables come in the order in which the tables name them.
    let files: Vec<String> = TABLES.iter().map(|names| published(&desk, &town, names)).collect();
    let source: Vec<&str> = files.iter().flat_map(|file| ["--from-tables", file]).collect();
    draw(&source, "tables.csv", &seed);
    let order = &rows(&desk.path("tables.csv"))[0];
    assert_eq!(order.join(","), "region,sex,age,marital,education");
    let of_file = rows(&desk.path("file.csv"));
    assert_eq!(of_file[0].join(","), "region,sex,age,marital,education");
    assert_eq!(rows(&desk.path("tables.csv")), of_file);
    let other = desk.path("other-seed");
    assert_ne!(draw(&[TOWN, "--keep", KEEP], "other.csv", &other), from_file);
    for names in TABLES {
        assert_eq!(table(&of_file, names), table(&town, names), "{names:?}");
    }
    assert_ne!(sorted(of_file), sorted(town), "columns in no table are left out");
}

/// Several draws are different files with the same tables; the answer lists what it proves.
#[test]
fn several_draws_and_their_certificate() {
    let desk = Desk::new();
    let path = desk.path("draw.csv");
    let said = answered(&["sample", TOWN, "--keep", KEEP, "-o", &path, "--count", "3", "--json"]);
    assert_eq!(said["files"].as_array().unwrap().len(), 3);
    assert_eq!(said["columns"], json!(["region", "sex", "age", "marital", "education"]));
    let certificate = &said["certificate"];
    assert_eq!(certificate["epsilon"], 0.0);
    assert_eq!(certificate["verdict"], "certified_not_hidden");
    assert_eq!(certificate["disclosed"], Value::Null);
    assert_eq!(certificate["not_released"], json!(["occupation"]));
    assert_eq!(certificate["tables"].as_array().unwrap().len(), 3);
    let files: Vec<String> =
        (1..=3).map(|number| desk.read(&format!("draw-{number}.csv"))).collect();
    assert!(files[0] != files[1] && files[1] != files[2] && files[0] != files[2]);
    // An existing file is replaced only when asked.
    let again = marginswap(&["sample", TOWN, "--keep", KEEP, "-o", &path, "--count", "2"]);
    assert_eq!(again.status.code(), Some(8), "{}", err(&again));
    // In text nobody reads "protected".
    let text = out(&marginswap(&["sample", TOWN, "--keep", KEEP, "-o", &desk.path("one.csv")]));
    assert!(text.contains("certified, not hidden") && text.contains("ε = 0"), "{text}");
    assert!(!text.contains("protected"), "{text}");
}

/// Tables without a tree are refused, or covered; the cover is listed and kept.
#[test]
fn a_circle_of_tables_is_covered_when_asked() {
    let desk = Desk::new();
    let (path, circle) =
        (desk.path("draw.csv"), "region*sex + sex*age + age*marital + marital*region");
    let refused = marginswap(&["sample", TOWN, "--keep", circle, "-o", &path]);
    assert_eq!(refused.status.code(), Some(3));
    assert!(err(&refused).contains("error[E150]"), "{}", err(&refused));
    let said = answered(&["sample", TOWN, "--keep", circle, "--cover", "-o", &path, "--json"]);
    let added: Vec<&Value> = said["certificate"]["fixed_too"].as_array().unwrap().iter().collect();
    assert_eq!(added.len(), 2, "{said}");
    let (town, drawn) = (rows(TOWN), rows(&path));
    for fixed in added {
        assert_eq!(fixed["because"], "cover");
        let names: Vec<&str> =
            fixed["table"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
        assert_eq!(table(&drawn, &names), table(&town, &names));
    }
    // From tables alone there is no larger table to keep.
    let files: Vec<String> =
        [["region", "sex"], ["sex", "age"], ["age", "marital"], ["marital", "region"]]
            .iter()
            .map(|names| published(&desk, &town, names))
            .collect();
    let source: Vec<&str> = files.iter().flat_map(|file| ["--from-tables", file]).collect();
    let refused = marginswap(&[&["sample", "-o", &desk.path("other.csv")], &source[..]].concat());
    assert!(err(&refused).contains("error[E150]"), "{}", err(&refused));
}

/// A derived variable is kept with what it follows from, and not written.
#[test]
fn derived_variables_are_kept_and_not_written() {
    let desk = Desk::new();
    let path = desk.path("draw.csv");
    let derive = "older = if(age = \"65+\", \"yes\", \"no\")";
    let said = marginswap(&[
        "sample",
        TOWN,
        "--derive",
        derive,
        "--keep",
        "region*older + older*marital",
        "-o",
        &path,
        "--json",
    ]);
    if said.status.code() != Some(0) {
        panic!("{}", err(&said));
    }
    let said: Value = serde_json::from_slice(&said.stdout).unwrap();
    assert_eq!(said["columns"], json!(["region", "age", "marital"]));
    let fixed = said["certificate"]["fixed_too"].as_array().unwrap();
    assert!(fixed.iter().any(|one| one["because"] == "derived"), "{said}");
    let older = |rows: Vec<Vec<String>>| {
        let age = rows[0].iter().position(|name| name == "age").unwrap();
        let mut rows = rows;
        for row in &mut rows[1..] {
            row[age] = if row[age] == "65+" { "yes" } else { "no" }.to_owned();
        }
        rows
    };
    let (town, drawn) = (older(rows(TOWN)), older(rows(&path)));
    for names in [["region", "age"], ["age", "marital"]] {
        assert_eq!(table(&drawn, &names), table(&town, &names));
    }
}

/// Published tables that no file has are refused, with both numbers and the place.
#[test]
fn tables_that_no_file_has_are_refused() {
    let desk = Desk::new();
    let one = desk.write("one.csv", "a,CANARY_B,count\nCANARY1,x,3\nCANARY2,x,2\nCANARY2,y,4\n");
    let draw = |other: &str| {
        let other = desk.write("other.csv", other);
        let path = desk.path("draw.csv");
        let output =
            marginswap(&["sample", "--from-tables", &one, "--from-tables", &other, "-o", &path]);
        assert!(!fs::exists(&path).unwrap());
        err(&output)
    };
    let said = draw("CANARY_B,c,count\nx,1,5\ny,1,3\nz,1,1\n");
    assert!(said.contains("error[E151]") && said.contains("other.csv, line 3"), "{said}");
    assert!(said.contains("counts 3 records in one cell") && said.contains("counts 4"), "{said}");
    assert!(!said.contains("CANARY1"), "{said}");
    // Tables without a common variable count the same people.
    let said = draw("c,count\n1,5\n2,5\n");
    assert!(said.contains("counts 10 records in all") && said.contains("counts 9"), "{said}");
    // A table inside another one is its sum.
    let said = draw("a,count\nCANARY1,3\nCANARY2,7\n");
    assert!(said.contains("error[E151]") && said.contains("one.csv, line 3"), "{said}");
    for number in ["", "c", "2.5"] {
        let said = draw(&format!("CANARY_B,c,count\nx,1,5\ny,1,{number}\n"));
        assert!(said.contains("error[E152]") && said.contains("line 3"), "{said}");
    }
    let said = draw("CANARY_B,c,count\nx,1,5\nx,1,4\n");
    assert!(said.contains(&format!("error[{}]", codes::entry(Code::RepeatedCell))), "{said}");
}

const GLUE: [&str; 6] = ["protect", TOWN, "--keep", KEEP, "--mechanism", "glue"];

/// The mechanism keeps every table, the column that no table has keeps its values, and both pages
/// tell the certificate; the one for everybody tells nothing else.
#[test]
fn swapping_with_a_certificate() {
    let desk = Desk::new();
    let (path, internal, external) = (desk.path("r.csv"), desk.path("i.html"), desk.path("e.html"));
    let how = ["--rate", "20%", "--keys", "region,sex,age,marital", "-o", &path];
    let pages = ["--report", &internal, "--external-report", &external];
    let (said, _) = answer(&[&GLUE[..], &how, &pages].concat());
    let (town, released) = (rows(TOWN), rows(&path));
    for names in TABLES {
        assert_eq!(table(&released, names), table(&town, names), "{names:?}");
    }
    assert_eq!(table(&released, &["occupation"]), table(&town, &["occupation"]));
    assert_ne!(sorted(released), sorted(town));
    let certificate = &said["certificate"];
    let epsilon = certificate["epsilon"].as_f64().unwrap();
    let edges = certificate["separators"].as_array().unwrap();
    assert_eq!(edges.len(), 3, "two between the tables, one to the column without a table");
    let sum: f64 = edges.iter().map(|edge| edge["epsilon"].as_f64().unwrap()).sum();
    assert!((epsilon - sum).abs() < 1e-5 && epsilon > 1.0, "{certificate}");
    assert_eq!(certificate["epsilon_for_one_swap"].as_f64().unwrap(), 2.0 * epsilon);
    assert_eq!(
        certificate["fixed_too"],
        json!([{"table": ["occupation"], "because": "in_no_table"}])
    );
    let (internal, external) = (desk.read("i.html"), desk.read("e.html"));
    assert!(internal.contains("Certified, not hidden") && internal.contains("INTERNAL"));
    assert!(external.contains("Certified, not hidden") && !external.contains("protected"));
    for told in ["found", "moved", "changed"] {
        assert!(!external.contains(told), "the certificate does not tell what was {told}");
    }
    // Two releases with two rates: the certificate depends on the tables and the rate alone.
    let again = desk.path("again.csv");
    let how = ["--rate", "20%", "-o", &again, "--json"];
    let (other, _) = answer(&[&GLUE[..], &how[..4]].concat());
    assert_eq!(other["certificate"], *certificate);
    assert_ne!(desk.read("again.csv"), desk.read("r.csv"));
}

/// Columns that stay keep their joint table, whichever clique holds them; what is ignored and
/// dropped is no matter.
#[test]
fn what_stays_is_a_table_of_its_own() {
    let desk = Desk::new();
    let path = desk.path("r.csv");
    let how = [
        "--rate",
        "50%",
        "--stay",
        "sex,education",
        "--ignore",
        "occupation",
        "--drop",
        "occupation",
        "-o",
        &path,
    ];
    let keep = ["--keep", "region*sex + age*marital + marital*education"];
    let words = [&["protect", TOWN, "--mechanism", "glue"], &keep[..], &how].concat();
    let (said, _) = answer(&words);
    let (town, released) = (rows(TOWN), rows(&path));
    for names in
        [["region", "sex"], ["age", "marital"], ["marital", "education"], ["sex", "education"]]
    {
        assert_eq!(table(&released, &names), table(&town, &names), "{names:?}");
    }
    let fixed = &said["certificate"]["fixed_too"];
    assert_eq!(*fixed, json!([{"table": ["sex", "education"], "because": "stay"}]));
}

/// ε is what was asked for, nearly, and never more.
#[test]
fn an_epsilon_is_kept() {
    let desk = Desk::new();
    for (number, (asked, most)) in
        [("0", 0.0), ("2.5", 2.5), ("ln:500", 500f64.ln()), ("12", 12.0)].into_iter().enumerate()
    {
        let path = desk.path(&format!("{number}.csv"));
        let (said, _) = answer(&[&GLUE[..], &["--epsilon", asked, "-o", &path]].concat());
        let epsilon = said["certificate"]["epsilon"].as_f64().unwrap();
        assert!(epsilon <= most + 1e-6 && epsilon >= most - 1e-4, "{asked}: {epsilon}");
    }
}

/// Everything that leaves nothing to certify is refused beside a mechanism when it is set.
#[test]
fn what_voids_a_claim_is_refused() {
    let desk = Desk::new();
    let path = desk.path("r.csv");
    let plan = desk.path("p.plan");
    let refused = |more: &[&str]| {
        let how = ["--rate", "20%", "-o", &path, "--keys", "region,sex"];
        let output = marginswap(&[&GLUE[..], &how, more].concat());
        assert!(!fs::exists(&path).unwrap(), "{more:?}");
        (output.status.code(), err(&output))
    };
    let settings: &[&[&str]] = &[
        &["--risky", "k:3"],
        &["--knows", "all"],
        &["--crowd", "4"],
        &["--detach", "1"],
        &["--near", "region"],
        &["--match", "region"],
        &["--strata", "region"],
        &["--rule", "age = 0-17 & marital = married"],
        &["--never-new", "none"],
        &["--budget", "5%"],
        &["--pairing", "greedy"],
        &["--max-records", "4"],
        &["--effort", "long"],
        &["--ignore", "occupation"],
        &["--order", "input"],
        &["--plan", &plan],
        &["--demo-seed", "1"],
    ];
    for more in settings {
        let (code, said) = refused(more);
        assert!(said.contains("error[E153]"), "{more:?}: {said}");
        assert_eq!(code, Some(2), "{more:?}");
    }
    // Where a plan is made or several are compared, a mechanism is refused itself.
    let project = desk.write(
        "m.toml",
        "[swap]\nmechanism = \"glue\"\nrate = \"20 %\"\n[risk]\nkeys = [\"region\"]\n",
    );
    for command in [&["plan", "-o", &plan][..], &["frontier"]] {
        let words = [command, &[TOWN, "--keep", KEEP, "--project", &project]].concat();
        let output = marginswap(&words);
        assert!(err(&output).contains("error[E153]"), "{command:?}: {}", err(&output));
    }
    // A rate or an ε, one of them, and a share.
    for (more, code) in [
        (&["--mechanism", "glue"][..], Code::MissingSetting),
        (&["--mechanism", "glue", "--rate", "5%", "--epsilon", "1"], Code::OptionsClash),
        (&["--mechanism", "glue", "--rate", "50"], Code::OptionsClash),
        (&["--mechanism", "glue", "--rate", "0%"], Code::OptionsClash),
        (&["--epsilon", "1", "--keys", "region"], Code::NoEffect),
    ] {
        let output = marginswap(&[&["protect", TOWN, "--keep", KEEP, "-o", &path], more].concat());
        let code = codes::entry(code);
        assert!(err(&output).contains(&format!("error[{code}]")), "{more:?}: {}", err(&output));
    }
    let circle = "region*sex + sex*age + age*region";
    let how =
        ["protect", TOWN, "--keep", circle, "--mechanism", "glue", "--rate", "5%", "-o", &path];
    assert!(err(&marginswap(&how)).contains("error[E150]"));
}

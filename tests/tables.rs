//! Lists of the tables that an office publishes: read, named, kept, and never suggested for
//! dropping.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support;

use std::fmt::Write;
use std::fs;

use serde_json::{Value, json};
use support::{Desk, answered, err, json as answer, marginswap, out, rows};

const TOWN: &str = "examples/town.csv";
const KEYS: &str = "region,sex,age,marital";

/// Tables that freeze some records of the town.
const LIST: &str = "name,variables,published\n\
    Table 1,region*sex*age*marital,yes\n\
    Table 2,\"sex, age, marital, education\",no\n\
    ,age*marital*education*occupation,\n";

const FORMULA: &str =
    "region*sex*age*marital + sex*age*marital*education + age*marital*education*occupation";

/// A list keeps what the same formulas keep: the released files are the same, byte for byte.
#[test]
fn a_list_keeps_what_its_formulas_keep() {
    let desk = Desk::new();
    let list = desk.write("tables.csv", LIST);
    let release = |name: &str, tables: [&str; 2]| {
        let path = desk.path(name);
        let fixed = ["protect", TOWN, "--keys", KEYS, "--demo-seed", "1", "-o", &path];
        marginswap(&[&fixed[..], &tables].concat());
        fs::read(&path).unwrap()
    };
    let listed = release("listed.csv", ["--tables", &list]);
    assert_eq!(listed, release("typed.csv", ["--keep", FORMULA]));
    assert_ne!(listed, release("other.csv", ["--keep", "region*sex"]));
    // A list joins the tables that are named elsewhere.
    let graph =
        answer(&["graph", TOWN, "--tables", &list, "--keep", "region*occupation", "--json"]);
    assert_eq!(graph["margins"].as_array().unwrap().len(), 4);
}

#[test]
fn names_are_shown_wherever_tables_are() {
    let desk = Desk::new();
    let list = desk.write("tables.csv", LIST);
    let said = out(&marginswap(&["graph", TOWN, "--tables", &list]));
    assert!(said.contains("  region*sex*age*marital [Table 1]\n"), "{said}");
    assert!(said.contains("  sex*age*marital*education [Table 2]\n"), "{said}");
    assert!(said.contains("  age*marital*education*occupation\n"), "{said}");
    let graph = answer(&["graph", "--tables", &list, "--json"]);
    assert_eq!(
        graph["tables"],
        json!([
            {"name": "Table 1", "published": true, "variables": ["region", "sex", "age", "marital"]},
            {"name": "Table 2", "published": false, "variables": ["sex", "age", "marital", "education"]},
        ])
    );
    let report = desk.path("report.html");
    let verify = ["verify", TOWN, TOWN, "--tables", &list, "--keys", KEYS];
    let names: Vec<Value> = answered(&verify)["margins"]
        .as_array()
        .unwrap()
        .iter()
        .map(|margin| margin["name"].clone())
        .collect();
    assert_eq!(names, [json!("Table 1"), json!("Table 2"), Value::Null]);
    marginswap(&["report", TOWN, TOWN, "--tables", &list, "--keys", KEYS, "-o", &report]);
    let html = fs::read_to_string(&report).unwrap();
    assert!(html.contains("region*sex*age*marital [Table 1]"), "the page names its tables");
    let named = desk.write(
        "marginswap.toml",
        "[keep.named]\n\"Table 7\" = \"region*sex\"\n\"Table 8\" = \"sex*age\"\n",
    );
    let said = out(&marginswap(&["graph", TOWN, "--project", &named]));
    assert!(said.contains("region*sex [Table 7]") && said.contains("sex*age [Table 8]"), "{said}");
    let pair = answered(&["explain", TOWN, "--project", &named, "--pair", "1", "2"]);
    let names: Vec<&Value> =
        pair["bound_by"].as_array().unwrap().iter().map(|link| &link["name"]).collect();
    assert!(names.iter().all(|name| **name == "Table 7" || **name == "Table 8"), "{pair}");
}

/// Nobody is advised to drop a published table.
#[test]
fn a_published_table_is_never_suggested_for_dropping() {
    let desk = Desk::new();
    let none = desk.write("none.csv", &LIST.replace(",yes\n", ",no\n"));
    let some = desk.write("some.csv", LIST);
    let all = desk.write(
        "all.csv",
        &LIST.replace(",no\n", ",yes\n").replace("occupation,\n", "occupation,yes\n"),
    );
    let record =
        |list: &str| answer(&["explain", TOWN, "--tables", list, "--record", "263", "--json"]);
    let tables = |said: &Value| {
        let what_if = said["what_if"].as_array().unwrap();
        (what_if.len(), said["published_tables"].as_u64().unwrap())
    };
    assert_eq!(tables(&record(&none)), (3, 0));
    assert_eq!(tables(&record(&some)), (2, 1));
    assert_eq!(tables(&record(&all)), (0, 3));
    let text = out(&marginswap(&["explain", TOWN, "--tables", &all, "--record", "263"]));
    assert!(text.contains("3 kept tables are published and cannot be dropped."), "{text}");
    let advice = |list: &str| {
        let page = desk.path("page.html");
        let output = marginswap(&[
            "report",
            TOWN,
            TOWN,
            "--tables",
            list,
            "--keys",
            "age,marital,education,occupation",
            "-o",
            &page,
            "--force",
            "--json",
        ]);
        let said: Value = serde_json::from_slice(&output.stdout).unwrap();
        said["advice"].to_string()
    };
    assert!(advice(&none).contains("without_table"), "{}", advice(&none));
    assert!(!advice(&all).contains("without_table"), "{}", advice(&all));
}

/// The weight joins the tables that are weighted, and no others.
#[test]
fn a_weighted_table_holds_the_weight() {
    let desk = Desk::new();
    let list = desk.write("tables.csv", "variables,weighted\nregion*sex,yes\n");
    let said = err(&marginswap(&["graph", TOWN, "--tables", &list]));
    assert!(said.contains("error[E111]") && said.contains("--weight"), "{said}");
    assert!(said.contains("tables.csv, line 2"), "{said}");
    let graph = answer(&["graph", TOWN, "--tables", &list, "--weight", "education", "--json"]);
    assert_eq!(graph["margins"], json!([["region", "sex", "education"]]));
}

/// A list of hundreds is read and reduced, and the text stays short.
#[test]
fn five_hundred_tables_do_not_flood_the_answer() {
    let desk = Desk::new();
    let columns: Vec<String> = (0..40).map(|number| format!("v{number}")).collect();
    let mut list = String::from("name,variables,published\n");
    for number in 0..500usize {
        let table: Vec<&str> =
            [number, number * 7 + 1, number * 11 + 2].map(|at| columns[at % 40].as_str()).to_vec();
        let mut table = table;
        table.sort_unstable();
        table.dedup();
        let _ = writeln!(list, "Table {number},{},yes", table.join("*"));
    }
    let list = desk.write("tables.csv", &list);
    let graph = answer(&["graph", "--tables", &list, "--max-separators", "100", "--json"]);
    let named: usize = graph["tables"]
        .as_array()
        .unwrap()
        .iter()
        .map(|table| table["name"].as_str().unwrap().split("; ").count())
        .sum();
    assert_eq!(named, 500);
    let text = out(&marginswap(&["graph", "--tables", &list, "--max-separators", "100"]));
    assert!(text.lines().count() < 150, "{} lines", text.lines().count());
    assert!(text.contains("more; --json lists all"), "{text}");
}

/// The next step repeats the list and not its tables.
#[test]
fn the_next_step_names_the_list() {
    let desk = Desk::new();
    let list = desk.write("tables.csv", LIST);
    let said = err(&marginswap(&["graph", TOWN, "--tables", &list]));
    let next = said.lines().find(|line| line.starts_with("next:")).unwrap();
    assert!(next.contains("--tables") && !next.contains("--keep"), "{next}");
}

#[test]
fn bad_lists_are_refused_with_their_line() {
    let desk = Desk::new();
    for (list, code, place) in [
        ("name,variables\nT,CANARY1\n", "E101", "line 2"),
        ("name,variables\nT,region*\n", "E103", "line 2"),
        ("name,variables\nT,region*region\n", "E102", "line 2"),
        ("name,variables\nT,region\nT,sex\n", "E247", "line 3, column `name`"),
        ("nam,variables\nT,region\n", "E247", "did you mean `name`?"),
        ("name,where\nT,age >= 18\n", "E247", "the list has no column `variables`"),
        ("variables,where\nregion,age >=\n", "E247", "line 2, column `where`"),
        ("variables,where\nregion,\"band(age, 10)\"\n", "E247", "column `where`"),
        ("variables,where\nregion,\"sex = 'f\"\n", "E247", "column `where`"),
        ("variables,unit\nregion,household\n", "E248", "line 2, column `unit`"),
        ("variables,unit\nregion,CANARY\n", "E247", "column `unit`"),
        ("variables,published\nregion,CANARY\n", "E247", "column `published`"),
        ("variables,weighted\nregion,CANARY\n", "E247", "column `weighted`"),
        ("variables\n", "E210", "tables.csv"),
        ("name,variables\nT\n", "E204", "line 2"),
    ] {
        let path = desk.write("tables.csv", list);
        let output = marginswap(&["graph", TOWN, "--tables", &path]);
        let said = err(&output);
        assert!(said.contains(&format!("error[{code}]")), "{list}: {said}");
        assert!(said.contains(place), "{list}: {said}");
        assert!(!said.replace("`CANARY1`", "").contains("CANARY"), "{list}: {said}");
        assert!(said.contains("tables.csv"), "{said}");
    }
    let missing = err(&marginswap(&["graph", TOWN, "--tables", &desk.path("nowhere.csv")]));
    assert!(missing.contains("error[E201]"), "{missing}");
}

/// A table of some people is kept for those who meet the condition, and for the others.
#[test]
fn a_condition_becomes_a_variable_of_its_table() {
    let desk = Desk::new();
    let data = "docs/published-tables.in/survey.csv";
    let list = desk.write(
        "tables.csv",
        "name,variables,where\nAdults,sex*work,age >= 18\nYoung,municipality,age < 30\n",
    );
    let graph = answer(&["graph", data, "--tables", &list, "--json"]);
    let names: Vec<Value> = graph["tables"]
        .as_array()
        .unwrap()
        .iter()
        .map(|table| table["variables"].clone())
        .collect();
    assert_eq!(names, [json!(["sex", "work", "age >= 18"]), json!(["municipality", "age < 30"])]);
    let release = desk.path("released.csv");
    let output = marginswap(&[
        "protect",
        data,
        "--tables",
        &list,
        "--keys",
        "municipality,sex,age",
        "--demo-seed",
        "1",
        "-o",
        &release,
    ]);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", err(&output));
    let count = |path: &str, adults: bool| {
        let mut counts = std::collections::BTreeMap::new();
        for row in rows(path).iter().skip(1) {
            if (row[2].parse::<u32>().unwrap() >= 18) == adults {
                *counts.entry((row[1].clone(), row[4].clone())).or_insert(0) += 1;
            }
        }
        counts
    };
    assert_ne!(fs::read(data).unwrap(), fs::read(&release).unwrap());
    for adults in [true, false] {
        assert_eq!(count(data, adults), count(&release, adults), "adults: {adults}");
    }
    // A derived variable that is a condition already is named, not written again.
    let named = desk.write("named.csv", "variables,where\nsex*work,adult\n");
    let graph =
        answer(&["graph", data, "--tables", &named, "--derive", "adult = age >= 18", "--json"]);
    assert_eq!(graph["margins"][0], json!(["sex", "work", "adult"]));
}

/// A column that a condition names wrongly is reported at its line of the list, whatever file names
/// the list.
#[test]
fn a_mistyped_condition_is_laid_to_its_line() {
    let desk = Desk::new();
    desk.write("tables.csv", "name,variables,where\nA,region*sex,\nB,region*age,sexx = \"f\"\n");
    let project = desk.write("own.toml", "[keep]\nlist = \"tables.csv\"\n");
    let output = marginswap(&["graph", TOWN, "--project", &project]);
    let said = err(&output);
    assert!(said.contains("tables.csv, line 3") && said.contains("did you mean `sex`?"), "{said}");
}

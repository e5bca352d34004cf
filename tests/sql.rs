//! `sql`: what an administrator reads before an engine runs it.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::process::{Command, Output};

fn sql(arguments: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_marginswap");
    Command::new(program).arg("sql").args(arguments).output().unwrap()
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

const TABLE: [&str; 8] = [
    "--from",
    "survey",
    "--columns",
    "person,region,sex,age,income",
    "--id",
    "person",
    "--ignore",
    "income",
];

fn with<'a>(first: &[&'a str]) -> Vec<&'a str> {
    [first, &TABLE].concat()
}

#[test]
fn every_statement_is_printed() {
    let cells = text(&sql(&with(&["cells", "--dialect", "spark"])));
    assert_eq!(
        cells,
        "SELECT `region`, `sex`, `age`, COUNT(*) AS `ms_count`\nFROM `survey`\nGROUP BY `region`, `sex`, `age`;\n"
    );
    let changes = text(&sql(&with(&["changes", "--dialect", "duckdb", "--not-null", "sex"])));
    assert!(changes.contains("t.\"sex\" = c.\"ms_old_2\""), "{changes}");
    assert!(changes.contains("(t.\"age\" IS NOT DISTINCT FROM c.\"ms_old_3\")"), "{changes}");
    assert!(changes.contains("JOIN \"ms_moves\" AS m"), "{changes}");
    let release = text(&sql(&with(&["release", "--dialect", "postgres", "--with", "moved"])));
    assert!(
        release.contains("LEFT JOIN \"moved\" AS n ON t.\"person\" = n.\"ms_id\""),
        "{release}"
    );
    assert!(release.contains("ORDER BY \"region\", \"sex\", \"age\", \"income\""), "{release}");
    let kept = text(&sql(&with(&["release", "--dialect", "postgres", "--release-id"])));
    assert!(kept.contains("AS \"person\""), "{kept}");
    let dropped = text(&sql(&with(&["release", "--dialect", "postgres", "--drop", "income"])));
    assert!(!dropped.contains("income"), "{dropped}");
    let keep = ["verify", "--dialect", "datafusion", "--keep", "region*sex + age", "--json"];
    let verify = text(&sql(&with(&keep)));
    let answer: serde_json::Value = serde_json::from_str(&verify).unwrap();
    assert_eq!(answer["statements"].as_array().unwrap().len(), 2);
}

#[test]
fn what_cannot_be_said_is_refused() {
    let code = |arguments: &[&str]| {
        let output = sql(arguments);
        (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let (exit, words) = code(&with(&["verify", "--dialect", "spark"]));
    assert!(exit == 2 && words.contains("E111") && words.contains("--keep"), "{words}");
    let (exit, words) = code(&with(&["verify", "--dialect", "spark", "--keep", "regoin"]));
    assert!(exit == 3 && words.contains("region"), "{words}");
    let (exit, words) = code(&with(&["cells", "--dialect", "oracle"]));
    assert!(exit == 2 && words.contains("duckdb"), "{words}");
    let names =
        ["cells", "--dialect", "spark", "--from", "t", "--columns", "id,Sex,sex", "--id", "id"];
    let (exit, words) = code(&names);
    assert!(exit == 3 && words.contains("capitals"), "{words}");
}

//! Published numbers against released files: counted here without the program, written in every
//! format, altered by one cell or one record.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;

use serde_json::{Value, json};
use support::{Desk, answer, err, marginswap, out, real_data, rows, table};

const TOWN: &str = "examples/town.csv";

type Cells = BTreeMap<Vec<String>, usize>;

/// The table of these columns with all its margins, the total as `_T`.
fn with_totals(rows: &[Vec<String>], names: &[&str]) -> Cells {
    let mut cells = Cells::new();
    for (cell, count) in table(rows, names) {
        for bits in 0..1usize << names.len() {
            let entries = cell.iter().enumerate();
            let margin = entries.map(|(at, category)| match bits >> at & 1 {
                1 => "_T".to_owned(),
                _ => category.clone(),
            });
            *cells.entry(margin.collect()).or_default() += count;
        }
    }
    cells
}

fn tidy(names: &[&str], cells: &Cells) -> String {
    let mut text = format!("{},count\n", names.join(","));
    for (cell, count) in cells {
        let _ = writeln!(text, "{},{count}", cell.join(","));
    }
    text
}

fn sdmx(names: &[&str], cells: &Cells) -> String {
    let upper: Vec<String> = names.iter().map(|name| name.to_uppercase()).collect();
    let mut text =
        format!("DATAFLOW,LAST UPDATE,freq,{},TIME_PERIOD,OBS_VALUE,OBS_FLAG\n", upper.join(","));
    for (number, (cell, count)) in cells.iter().enumerate() {
        let flag = if number % 3 == 0 { "p" } else { "" };
        let _ = writeln!(
            text,
            "OFFICE:TABLE(1.0),01/03/24 11:00:00,A,{},2023,{count},{flag}",
            cell.join(",")
        );
    }
    text
}

fn json_stat(names: &[&str], cells: &Cells) -> String {
    let levels: Vec<Vec<&String>> = (0..names.len())
        .map(|at| {
            let mut all: Vec<&String> = cells.keys().map(|cell| &cell[at]).collect();
            all.sort();
            all.dedup();
            all
        })
        .collect();
    let mut places: Vec<Vec<String>> = vec![vec![]];
    for codes in &levels {
        let longer = |cell: Vec<String>| {
            codes.iter().map(move |code| [cell.clone(), vec![(*code).clone()]].concat())
        };
        places = places.into_iter().flat_map(longer).collect();
    }
    let value: Vec<usize> =
        places.iter().map(|cell| cells.get(cell).copied().unwrap_or(0)).collect();
    let dimension: serde_json::Map<String, Value> = names
        .iter()
        .zip(&levels)
        .map(|(name, codes)| ((*name).to_owned(), json!({"category": {"index": codes}})))
        .collect();
    json!({
        "version": "2.0", "class": "dataset", "id": names,
        "size": levels.iter().map(Vec::len).collect::<Vec<_>>(),
        "dimension": dimension, "value": value,
    })
    .to_string()
}

/// A released town, with these columns of one record changed.
fn altered(desk: &Desk, name: &str, changes: &[(usize, &str, &str)]) -> String {
    let mut rows = rows(TOWN);
    for &(record, column, value) in changes {
        let at = rows[0].iter().position(|other| other == column).unwrap();
        rows[record][at] = value.to_owned();
    }
    let lines: Vec<String> = rows.iter().map(|row| row.join(",")).collect();
    desk.write(name, &(lines.join("\n") + "\n"))
}

fn released(desk: &Desk, keep: &str) -> String {
    let path = desk.path("released.csv");
    let output = marginswap(&[
        "protect",
        TOWN,
        "--keep",
        keep,
        "--keys",
        "region,sex,age,marital",
        "-o",
        &path,
        "--demo-seed",
        "1",
    ]);
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    path
}

fn reasons(said: &Value) -> Vec<&str> {
    let reasons = said["reasons"].as_array().unwrap();
    reasons.iter().map(|reason| reason["reason"].as_str().unwrap()).collect()
}

fn number(said: &Value, finding: &str) -> (u64, f64) {
    (said[finding]["cells"].as_u64().unwrap(), said[finding]["largest"].as_f64().unwrap())
}

/// How many cells, and the largest difference, counted here.
fn differences(left: &Cells, right: &Cells) -> (u64, f64) {
    let count = |cells: &Cells, cell: &Vec<String>| cells.get(cell).copied().unwrap_or(0) as i64;
    let found = left.keys().map(|cell| (count(left, cell) - count(right, cell)).unsigned_abs());
    let found: Vec<u64> = found.filter(|&difference| difference > 0).collect();
    (found.len() as u64, found.iter().max().map_or(0.0, |&largest| largest as f64))
}

#[test]
fn a_kept_table_agrees_in_every_format() {
    let desk = Desk::new();
    let names = ["region", "sex", "age"];
    let cells = with_totals(&rows(TOWN), &names);
    let release = released(&desk, "region*sex*age");
    let files = [
        desk.write("t.csv", &tidy(&names, &cells)),
        desk.write("t.sdmx.csv", &sdmx(&names, &cells)),
        desk.write("t.json", &json_stat(&names, &cells)),
    ];
    let mut arguments =
        vec!["verify", TOWN, &release, "--keep", "region*sex*age", "--published-total", "_T"];
    files.iter().for_each(|file| arguments.extend(["--published", file]));
    let (said, _) = answer(&arguments);
    // A cube has a cell for each combination, also for those that hold nobody.
    let level = |name: &&str| table(&rows(TOWN), &[name]).len() + 1;
    let cube: usize = names.iter().map(level).product();
    let published = said["published"].as_array().unwrap();
    let formats: Vec<&Value> = published.iter().map(|table| &table["format"]).collect();
    assert_eq!(formats, ["CSV", "SDMX-CSV", "JSON-stat"]);
    for (table, number_of_cells) in published.iter().zip([cells.len(), cells.len(), cube]) {
        assert_eq!(table["variables"], json!(names));
        assert_eq!(table["cells"], number_of_cells, "{table}");
        for finding in ["original_differs", "release_changes", "also_changed"] {
            assert_eq!(number(table, finding), (0, 0.0), "{table}");
        }
        assert_eq!((&table["unlisted"], &table["suppressed"]), (&json!(0), &json!(0)));
    }
    assert_eq!(published[1]["ignored_columns"], json!(["freq", "TIME_PERIOD"]));
    assert!(!reasons(&said).iter().any(|reason| reason.starts_with("published")));
    let text = out(&marginswap(&arguments));
    assert!(text.contains("The release changes no published number."), "{text}");
    assert!(text.contains("The original agrees with every published number."), "{text}");
}

/// One published cell is altered: that one is found in the original, and the release is not
/// blamed for it.
#[test]
fn what_the_original_differs_in_is_not_the_releases_fault() {
    let desk = Desk::new();
    let names = ["region", "sex"];
    let release = released(&desk, "region*sex");
    let truth = with_totals(&rows(TOWN), &names);
    let mut cells = truth.clone();
    let rounded = vec!["harbour".to_owned(), "f".to_owned()];
    *cells.get_mut(&rounded).unwrap() += 2;
    let file = desk.write("t.csv", &tidy(&names, &cells));
    let arguments = [
        "verify",
        TOWN,
        &release,
        "--keep",
        "region*sex",
        "--published",
        &file,
        "--published-total",
        "_T",
    ];
    let (said, _) = answer(&arguments);
    let table = &said["published"][0];
    assert_eq!(number(table, "original_differs"), (1, 2.0));
    assert_eq!(number(table, "release_changes"), (0, 0.0));
    assert!(!reasons(&said).iter().any(|reason| reason.starts_with("published")), "{said}");
    assert!(table.get("found").is_none());
    let text = out(&marginswap(&arguments));
    assert!(text.contains("The original already differs from 1 cell of 1 table, by 2 at most."));
    assert!(!text.contains("harbour"), "{text}");
    let revealed = out(&marginswap(&[&arguments[..], &["--reveal"]].concat()));
    assert!(revealed.contains("harbour / f"), "{revealed}");
    let (said, _) = answer(&[&arguments[..], &["--reveal"]].concat());
    let (published, original) = (cells[&rounded].to_string(), truth[&rounded].to_string());
    assert_eq!(
        said["published"][0]["found"],
        json!([{"categories": ["harbour", "f"], "published": published,
                "original": original, "released": original}])
    );
}

/// One record is altered: exactly its cells are found, in every margin, and the file must not
/// be released.
#[test]
fn what_the_release_changes_is_found_cell_by_cell() {
    let desk = Desk::new();
    let names = ["region", "sex"];
    let before = with_totals(&rows(TOWN), &names);
    for (file, format) in [
        ("t.csv", tidy(&names, &before)),
        ("u.csv", sdmx(&names, &before)),
        ("t.json", json_stat(&names, &before)),
    ] {
        let file = desk.write(file, &format);
        // The first record is a man of the south.
        let release = altered(&desk, "altered.csv", &[(1, "region", "harbour")]);
        let after = with_totals(&rows(&release), &names);
        let expected = differences(&before, &after);
        assert_eq!(expected, (4, 1.0));
        let arguments = ["verify", TOWN, &release, "--published", &file, "--published-total", "_T"];
        let (said, code) = answer(&arguments);
        let table = &said["published"][0];
        assert_eq!(number(table, "release_changes"), expected);
        assert_eq!(number(table, "original_differs"), (0, 0.0));
        assert_eq!((code, said["verdict"].as_str().unwrap()), (1, "do_not_release"));
        assert!(reasons(&said).contains(&"published_changed"), "{said}");
        let text = out(&marginswap(&arguments));
        assert!(text.contains("the release changes 4 published numbers in 1 of 1 published table"));
        assert!(!text.contains("harbour"), "{text}");
    }
}

/// Where the original differs already, the release is held against the original.
#[test]
fn a_cell_that_differs_already_can_still_be_moved() {
    let desk = Desk::new();
    let mut cells = with_totals(&rows(TOWN), &["region"]);
    *cells.get_mut(&vec!["harbour".to_owned()]).unwrap() += 3;
    let file = desk.write("t.csv", &tidy(&["region"], &cells));
    let release = altered(&desk, "altered.csv", &[(1, "region", "harbour")]);
    let arguments = ["verify", TOWN, &release, "--published", &file, "--published-total", "_T"];
    let (said, _) = answer(&arguments);
    let table = &said["published"][0];
    assert_eq!(number(table, "original_differs"), (1, 3.0));
    assert_eq!(number(table, "also_changed"), (1, 1.0));
    assert_eq!(number(table, "release_changes"), (1, 1.0));
    assert!(reasons(&said).contains(&"published_also_changed"));
    // A table that agrees nowhere was not checked at all.
    let wrong: Cells = cells.iter().map(|(cell, count)| (cell.clone(), count + 500)).collect();
    let file = desk.write("w.csv", &tidy(&["region"], &wrong));
    let (said, _) =
        answer(&["verify", TOWN, TOWN, "--published", &file, "--published-total", "_T"]);
    assert!(reasons(&said).contains(&"published_unchecked"), "{said}");
}

/// Every entry of the long form changes the answer.
#[test]
fn the_project_file_says_how_a_table_speaks_of_the_data() {
    let desk = Desk::new();
    let town = fs::canonicalize(TOWN).unwrap();
    desk.write(
        "t.csv",
        "YEAR,SEKS,area,persons,note\n2022,f,south,1,a\n2023,f,harbour,28,b\n2023,m,harbour,-,c\n\
         2023,T,harbour,58,d\n",
    );
    let project = |entry: &str| {
        let data = town.to_str().unwrap();
        desk.write(
            "marginswap.toml",
            &format!("data = '{data}'\n[release]\nout = '{data}'\n[verify.published.\"Table 3\"]\nfile = \"t.csv\"\n{entry}"),
        )
    };
    let all = [
        "columns = { SEKS = \"sex\", area = \"region\" }",
        "count = \"persons\"",
        "total = \"T\"",
        "only = { YEAR = \"2023\" }",
        "ignore = [\"note\"]",
        "suppressed = \"-\"",
    ];
    let verify = |entry: &str| marginswap(&["verify", "--project", &project(entry), "--json"]);
    let output = verify(&all.join("\n"));
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", err(&output));
    let said: Value = serde_json::from_slice(&output.stdout).unwrap();
    let found = &said["published"][0];
    assert_eq!(
        (&found["name"], &found["variables"]),
        (&json!("Table 3"), &json!(["sex", "region"]))
    );
    assert_eq!((&found["cells"], &found["suppressed"]), (&json!(2), &json!(1)));
    let truth = table(&rows(TOWN), &["sex", "region"]);
    let differs = [
        truth[&["f".to_owned(), "harbour".to_owned()].to_vec()] != 28,
        table(&rows(TOWN), &["region"])[&vec!["harbour".to_owned()]] != 58,
    ];
    let differs = differs.iter().filter(|differs| **differs).count() as u64;
    assert_eq!(number(found, "original_differs").0, differs);
    assert_eq!(found["ignored_columns"], json!(["YEAR", "note"]));
    // Without any one of them the table cannot be read.
    for left_out in 0..all.len() {
        let others: Vec<&str> =
            all.iter().enumerate().filter(|(at, _)| *at != left_out).map(|(_, one)| *one).collect();
        let output = verify(&others.join("\n"));
        let changed = output.status.code() != Some(0) && output.stdout.is_empty() || {
            let again: Value = serde_json::from_slice(&output.stdout).unwrap();
            again["published"][0]["original_differs"] != found["original_differs"]
                || again["published"][0]["unknown_categories"] != found["unknown_categories"]
        };
        assert!(changed, "{} makes no difference", all[left_out]);
    }
    let typo = marginswap(&["verify", "--project", &project("totl = \"T\"")]);
    assert_eq!(typo.status.code(), Some(4));
    assert!(err(&typo).contains("verify.published.Table 3.totl"), "{}", err(&typo));
}

/// A cell that is left out says nothing, unless the table leaves out zeros.
#[test]
fn cells_that_are_left_out_are_zero_only_where_it_is_said() {
    let desk = Desk::new();
    let town = fs::canonicalize(TOWN).unwrap();
    let south = table(&rows(TOWN), &["region"])[&vec!["south".to_owned()]];
    desk.write("t.csv", &format!("region,count\nsouth,{south}\nnowhere,0\n"));
    let regions = table(&rows(TOWN), &["region"]).len() as u64;
    for (absent, differing, unlisted) in
        [("unpublished", 0, regions - 1), ("zero", regions - 1, regions - 1)]
    {
        let data = town.to_str().unwrap();
        let project = desk.write(
            "marginswap.toml",
            &format!(
                "data = '{data}'\nrelease.out = '{data}'\n\
                 verify.published = [{{ file = \"t.csv\", absent = \"{absent}\" }}]\n"
            ),
        );
        let (said, _) = answer(&["verify", "--project", &project]);
        let found = &said["published"][0];
        assert_eq!(number(found, "original_differs").0, differing, "{absent}");
        assert_eq!(found["unlisted"], unlisted);
        assert_eq!(found["unknown_categories"], json!([{"variable": "region", "categories": 1}]));
    }
}

/// Sums of weights are compared to the last decimal.
#[test]
fn weighted_tables_are_sums_of_weights() {
    let desk = Desk::new();
    let data = desk.write("data.csv", "sex,area,w\nf,a,0.1\nf,b,0.2\nm,a,1.5\nm,b,2\n");
    let release = desk.write("released.csv", "sex,area,w\nf,b,0.1\nf,a,0.2\nm,a,1.5\nm,b,2\n");
    desk.write("t.csv", "sex,count\nf,0.3\nm,3.5\n");
    desk.write("u.csv", "area,count\na,1.6\nb,2.20\n");
    let entry = |file: &str| format!("{{ file = \"{file}\", weight = \"w\" }}");
    let project = desk.write(
        "marginswap.toml",
        &format!("verify.published = [{}, {}]\n", entry("t.csv"), entry("u.csv")),
    );
    let arguments = ["verify", &data, &release, "--stay", "w", "--project", &project];
    let (said, _) = answer(&arguments);
    assert_eq!(number(&said["published"][0], "original_differs"), (0, 0.0));
    assert_eq!(number(&said["published"][0], "release_changes"), (0, 0.0));
    assert_eq!(number(&said["published"][1], "original_differs"), (0, 0.0));
    assert_eq!(number(&said["published"][1], "release_changes"), (2, 0.1));
    assert_eq!(said["published"][0]["weight"], "w");
    // Without a weight a number with decimals is no count.
    let output = marginswap(&["verify", &data, &release, "--published", &desk.path("t.csv")]);
    assert!(err(&output).contains("error[E242]"), "{}", err(&output));
}

/// `protect`, `apply` and both reports tell the same.
#[test]
fn every_door_checks_published_numbers() {
    let desk = Desk::new();
    let names = ["region", "marital"];
    let cells = with_totals(&rows(TOWN), &names);
    let file = desk.write("t.csv", &tidy(&names, &cells));
    let release = desk.path("released.csv");
    let [page, plan] = ["report.html", "swap.plan"].map(|name| desk.path(name));
    // The table is published and not kept: planning does not know that it must not change.
    let output = marginswap(&[
        "protect",
        TOWN,
        "--keep",
        "region*sex",
        "--keys",
        "region,sex,age,marital",
        "-o",
        &release,
        "--demo-seed",
        "1",
        "--published",
        &file,
        "--published-total",
        "_T",
        "--report",
        &page,
        "--plan",
        &plan,
    ]);
    assert_eq!(output.status.code(), Some(1));
    let after = with_totals(&rows(&release), &names);
    let (changed, _) = differences(&cells, &after);
    assert!(changed > 0, "the release exchanges marital states");
    let text = out(&output);
    let line = format!(
        "Published  1 published table, {} cells: {changed} CHANGED by the release",
        cells.len()
    );
    assert!(text.contains(&line), "{text}");
    // The plan holds no published tables: following it asks for them again.
    let again = desk.path("again.csv");
    let told = ["--published", &file, "--published-total", "_T", "-o", &again];
    let applied = out(&marginswap(&[&["apply", TOWN, &plan], &told[..]].concat()));
    let reason =
        format!("the release changes {changed} published numbers in 1 of 1 published table");
    assert!(applied.contains(&reason), "{applied}");
    let html = fs::read_to_string(&page).unwrap();
    assert!(html.contains("Published numbers, compared with both files"));
    assert!(html.contains("changed by the release"));
    let external = desk.path("public.html");
    let refused = marginswap(&[
        "report",
        TOWN,
        &release,
        "--keep",
        "region*sex",
        "--published",
        &file,
        "--published-total",
        "_T",
        "--external",
        "-o",
        &external,
    ]);
    assert!(err(&refused).contains("error[E125]"), "{}", err(&refused));
    // A bad file is refused before anything is planned or written.
    let bad = desk.write("bad.csv", "region,count\nsouth,x1\n");
    let other = desk.path("other.csv");
    let output = marginswap(&[
        "protect",
        TOWN,
        "--keep",
        "region*sex",
        "--keys",
        "region,sex,age,marital",
        "-o",
        &other,
        "--published",
        &bad,
    ]);
    assert!(err(&output).contains("error[E242]"), "{}", err(&output));
    assert!(!fs::exists(&other).unwrap());
}

/// Real files: two-way tables of every pair of neighbouring columns, in three formats.
#[test]
fn tables_of_real_files_agree() {
    let Some(folder) = real_data("published tables of real files") else { return };
    let mut tables = 0;
    for name in ["adult8", "eusilc6", "kdd12", "nursery8"] {
        let data = folder.join(name).join("data.csv");
        let data = data.to_str().unwrap();
        let before = rows(data);
        let desk = Desk::new();
        let columns: Vec<&str> = before[0].iter().map(String::as_str).collect();
        let mut arguments = vec!["verify".to_owned(), data.to_owned(), data.to_owned()];
        arguments.extend(["--published-total".to_owned(), "_T".to_owned()]);
        let mut expected = Vec::new();
        for (number, pair) in columns.windows(2).enumerate() {
            let cells = with_totals(&before, pair);
            let file = match number % 3 {
                0 => desk.write(&format!("{number}.csv"), &tidy(pair, &cells)),
                1 => desk.write(&format!("{number}.csv"), &sdmx(pair, &cells)),
                _ => desk.write(&format!("{number}.json"), &json_stat(pair, &cells)),
            };
            arguments.extend(["--published".to_owned(), file]);
            expected.push((number % 3 != 2).then_some(cells.len()));
        }
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let (said, _) = answer(&arguments);
        for (found, cells) in said["published"].as_array().unwrap().iter().zip(expected) {
            assert!(cells.is_none_or(|cells| found["cells"] == cells), "{name}: {found}");
            assert_eq!(number(found, "original_differs").0, 0, "{name}");
            assert_eq!(found["unlisted"], 0, "{name}");
            tables += 1;
        }
    }
    assert!(tables > 20);
}

/// A published table of some people, by derived variables.
#[test]
fn conditions_and_derived_variables_are_worked_out_in_both_files() {
    let desk = Desk::new();
    let data = "docs/published-tables.in/survey.csv";
    let before = rows(data);
    let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
    for row in &before[1..] {
        let age: usize = row[2].parse().unwrap();
        if age >= 18 {
            let band = format!("{}-{}", age / 10 * 10, age / 10 * 10 + 9);
            *counts.entry((row[1].clone(), band)).or_default() += 1;
        }
    }
    let lines: Vec<String> =
        counts.iter().map(|((sex, band), count)| format!("{sex},{band},{count}\n")).collect();
    desk.write("t.csv", &format!("sex,age10,count\n{}", lines.concat()));
    let project = desk.write(
        "marginswap.toml",
        "[derive]\nage10 = \"band(age, 10)\"\n\
         [verify.published.Adults]\nfile = \"t.csv\"\nwhere = \"age >= 18\"\nabsent = \"zero\"\n",
    );
    let release = |name: &str, of: &dyn Fn(usize) -> bool, age: &str| {
        let mut rows = before.clone();
        let row = rows[1..].iter_mut().find(|row| of(row[2].parse().unwrap())).unwrap();
        row[2] = age.to_owned();
        let lines: Vec<String> = rows.iter().map(|row| row.join(",")).collect();
        desk.write(name, &(lines.join("\n") + "\n"))
    };
    let found = |path: &str| {
        let (said, _) = answer(&["verify", data, path, "--project", &project]);
        let table = said["published"][0].clone();
        assert_eq!(number(&table, "original_differs"), (0, 0.0), "{table}");
        assert!(table["cells"].as_u64().unwrap() >= counts.len() as u64);
        number(&table, "release_changes").0
    };
    assert_eq!(found(data), 0);
    // Inside the same band, or among children, nothing that was published changes.
    assert_eq!(found(&release("a.csv", &|age| age == 31, "38")), 0);
    assert_eq!(found(&release("b.csv", &|age| age < 10, "12")), 0);
    assert_eq!(found(&release("c.csv", &|age| (30..40).contains(&age), "45")), 2);
    assert_eq!(found(&release("d.csv", &|age| age < 10, "45")), 1);
}

/// A category that the office counted people in and that no record has is a reviewer's; one
/// without anybody is not.
#[test]
fn a_published_category_that_no_record_has_is_reviewed() {
    let desk = Desk::new();
    let south = table(&rows(TOWN), &["region"])[&vec!["south".to_owned()]];
    let reasons = |count: u32| {
        let file = desk.write("t.csv", &format!("region,count\nsouth,{south}\nnowhere,{count}\n"));
        let (said, _) = answer(&["verify", TOWN, TOWN, "--published", &file]);
        let all = said["reasons"].as_array().unwrap().clone();
        all.into_iter().find(|why| why["reason"] == "published_categories_missing")
    };
    assert_eq!(reasons(0), None);
    let found = reasons(7).unwrap();
    assert_eq!((&found["categories"], &found["tables"]), (&json!(1), &json!(1)));
}

//! What the pages and `show` tell of households: who was exchanged, what each table counts, and
//! commands that can be typed again.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use crate::support;

use std::fs;
use std::process::Command;

use serde_json::Value;
use support::{Desk, answer, err, marginswap, out, rows, table};

/// Persons in households: 160 of one to four members, in districts of two counties.
fn survey() -> String {
    let mut state = 5u64;
    let mut draw = |below: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % below
    };
    let mut text = "pid,hid,district,county,tenure,age,sex,job\n".to_owned();
    let mut number = 0;
    for household in 0..160 {
        let (district, tenure) = (draw(5), ["own", "rent"][draw(2)]);
        let county = if district < 3 { "south" } else { "north" };
        for _ in 0..1 + draw(4) {
            let (age, sex, job) = (10 * draw(8), ["f", "m"][draw(2)], draw(4));
            let home = format!("h{household},d{district},{county},{tenure}");
            text.push_str(&format!("p{number},{home},{age},{sex},j{job}\n"));
            number += 1;
        }
    }
    text
}

const UNIT: [&str; 4] = ["--household", "hid", "--id", "pid"];
const TABLES: [&str; 4] = ["--keep", "district*sex", "--keep-households", "district*size"];
const KEYS: [&str; 2] = ["--keys", "district,age,sex,job"];

/// A job with both pages; answers its text, the external page and the internal one, both as text.
fn job(desk: &Desk, data: &str, more: &[&str]) -> (String, String, String) {
    let [released, internal, external, plan] =
        ["out.csv", "in.html", "ex.html", "swap.plan"].map(|name| desk.path(name));
    let files =
        ["-o", &released, "--report", &internal, "--external-report", &external, "--plan", &plan];
    let base = ["protect", data, "--demo-seed", "3", "--force"];
    let output = marginswap(&[&base[..], &files, &UNIT, more].concat());
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", err(&output));
    (out(&output), plain(&desk.read("ex.html")), plain(&desk.read("in.html")))
}

/// A page without its style, pictures and tags; cells of tables are set apart by `|`.
fn plain(page: &str) -> String {
    let mut text = String::new();
    let mut rest = page;
    while let Some(start) = rest.find('<') {
        text.push_str(&rest[..start]);
        let skipped = ["style", "svg"].iter().find(|tag| rest[start + 1..].starts_with(**tag));
        let end = match skipped {
            Some(tag) => rest[start..].find(&format!("</{tag}>")).unwrap() + tag.len() + 2,
            None => rest[start..].find('>').unwrap(),
        };
        let tag = &rest[start..start + end];
        let cell = ["</td", "</th"].iter().any(|begins| tag.starts_with(begins));
        text.push_str(if cell { " | " } else { "" });
        rest = &rest[start + end + 1..];
    }
    text.push_str(rest);
    let text = text.replace("&#39;", "'").replace("&#60;", "<").replace("&amp;", "&");
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

/// What an exchange of whole households keeps are counts of households: the pages and the warning
/// say so, and say what each kept table counts.
#[test]
fn the_pages_count_households() {
    let desk = Desk::new();
    let data = desk.write("survey.csv", &survey());
    let (_, external, internal) =
        job(&desk, &data, &[&KEYS[..], &["--keep-households", "tenure*county"]].concat());
    let (before, after) = (rows(&data), rows(&desk.path("out.csv")));
    assert_ne!(table(&before, &["district"]), table(&after, &["district"]), "persons differ");
    for page in [&external, &internal] {
        assert!(!page.contains("equally often. Records"), "{page}");
        assert!(!page.contains("the counts of each variable"), "{page}");
        assert!(page.contains("the same table of the other kind may differ"), "{page}");
    }
    for words in [
        "in 160 households",
        "whole households exchanged",
        "The members of each household are still together.",
        "The households have new names",
        "a value occurs in as many households as in the original",
        "It may occur in more records or fewer",
        "county*tenure | households | unchanged in every cell",
        "Columns in which a record may differ from the original: district, county, tenure.",
    ] {
        assert!(external.contains(words), "{words:?} in\n{external}");
    }
    assert!(!external.contains("single persons"), "{external}");
    let (_, kept, _) = job(&desk, &data, &[&KEYS[..], &TABLES, &["--release-id"]].concat());
    assert!(kept.contains("have the names that they have in the original"), "{kept}");
    assert!(kept.contains("district*sex | persons | unchanged in every cell"), "{kept}");
    // Also where nobody says so: the files show it.
    let page = desk.path("page.html");
    let base = ["report", &data, &desk.path("out.csv"), "--external", "-o", &page, "--shuffled"];
    let written = marginswap(&[&base[..], &UNIT, &KEYS, &TABLES].concat());
    assert!(matches!(written.status.code(), Some(0 | 1)), "{}", err(&written));
    let shown = plain(&desk.read("page.html"));
    assert!(shown.contains("have the names that they have in the original"), "{shown}");
    // Without a table the warning speaks of households, and the page too.
    let none = ["plan", &data, "--demo-seed", "3", "-o", &desk.path("none.plan")];
    let said = err(&marginswap(&[&none[..], &UNIT, &KEYS].concat()));
    assert!(said.contains("only the number of households with each value remains"), "{said}");
    // A kept table of households does not vouch for the same table of persons.
    let watch = ["--keep-households", "tenure*county", "--watch", "tenure*county + district"];
    let (_, watched, _) = job(&desk, &data, &[&KEYS[..], &watch].concat());
    let moved = |name: &str| {
        let row = watched.lines().find(|line| line.starts_with(&format!("{name} | "))).unwrap();
        row.to_owned()
    };
    assert!(watched.contains("county*tenure | households | unchanged"), "{watched}");
    assert!(!moved("district").contains("unchanged"), "{watched}");
}

/// After `--then persons` both pages know which columns persons exchanged, and no page has a
/// column that the file does not have.
#[test]
fn the_pages_know_both_steps() {
    let desk = Desk::new();
    let data = desk.write("survey.csv", &survey());
    let (_, external, internal) =
        job(&desk, &data, &[&KEYS[..], &TABLES, &["--then", "persons"]].concat());
    let differ = "may differ from the original: district, county, tenure, age, sex, job.";
    assert!(external.contains(differ), "{external}");
    assert!(external.contains("After that, single persons exchanged"), "{external}");
    for row in [
        "district | may be exchanged between whole households",
        "job | may be exchanged between single persons",
        "hid | names the household",
    ] {
        assert!(internal.contains(row), "{row:?} in\n{internal}");
    }
    assert!(internal.contains(", then "), "the plan has two steps: {internal}");
    for page in [&external, &internal] {
        for words in ["and rest", "*rest", "rest |"] {
            assert!(!page.contains(words), "{words:?} in\n{page}");
        }
    }
    assert!(!external.contains("columns that stay"), "{external}");
    // Columns that stay are one variable for the method, and none for readers of the file.
    let stay = ["--stay", "tenure,county,job"];
    let (_, external, internal) = job(&desk, &data, &[&KEYS[..2], &TABLES, &stay].concat());
    assert!(!external.contains("columns that stay"), "{external}");
    assert!(internal.contains("columns that stay"), "the graph of households has them");
    assert!(internal.contains("district*job"), "lines are compared column by column: {internal}");
    for words in ["*`columns that stay`", "and “columns that stay” |", "“columns that stay”. |"]
    {
        assert!(!internal.contains(words), "{words:?} in\n{internal}");
    }
    let base = ["verify", &data, &desk.path("out.csv"), "--shuffled"];
    let (told, _) = answer(&[&base[..], &UNIT, &KEYS, &TABLES, &stay].concat());
    let sensitive = &told["scenarios"][0]["sensitive"];
    assert_eq!(sensitive, &serde_json::json!(["county", "tenure"]));
    assert!(!told["new_pairs_by_variables"].to_string().contains("stay"), "{told}");
}

/// The internal page has what the console has about households, and how far they moved.
#[test]
fn the_internal_page_has_the_results_of_households() {
    let desk = Desk::new();
    let data = desk.write("survey.csv", &survey());
    let near = ["--keep-households", "district", "--near", "county"];
    let (_, _, internal) = job(&desk, &data, &[&KEYS[..], &near].concat());
    let told = answer(
        &[&["verify", &data, &desk.path("out.csv"), "--shuffled"], &UNIT[..], &KEYS, &near]
            .concat(),
    )
    .0;
    let fates = &told["household_fates"];
    let number = |name: &str| fates[name].as_u64().unwrap();
    assert!(internal.contains(&format!("households at risk | {} |", number("at_risk"))));
    for (name, words) in [
        ("gone", "gone: no released household has their keys"),
        ("shared", "shared: two or more households have them"),
        ("matched", "matched: exactly one household has them"),
    ] {
        let row = format!("{words} | {} |", number(name));
        assert!(internal.contains(&row), "{row:?} in\n{internal}");
    }
    for words in [
        "Households at risk that are protected",
        "Households changed",
        "160 households in both files",
        "the members of each are together",
        "of 160 households are changed",
        "How far households moved",
        "within the same county | ",
        "swaps of two households",
    ] {
        assert!(internal.contains(words), "{words:?} in\n{internal}");
    }
    assert!(!internal.contains("How far records moved"), "{internal}");
}

/// The commands on the internal page, as they can be typed.
fn commands(page: &str) -> Vec<String> {
    let start = page.find("<pre>").unwrap() + 5;
    let lines = &page[start..start + page[start..].find("</pre>").unwrap()];
    let lines = lines.replace("&#39;", "'").replace("&#60;", "<").replace("&amp;", "&");
    lines.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// Runs the commands of an internal page in its folder; they give the released file and the page.
fn replayed(desk: &Desk, released: &str, page: &str) -> Vec<String> {
    let (file, text) = (desk.read(released), desk.read(page));
    let lines = commands(&text);
    assert_eq!(lines.len(), 3, "{lines:?}");
    for line in &lines {
        let line = line.replacen("marginswap", env!("CARGO_BIN_EXE_marginswap"), 1);
        let line = if line.contains(" verify") { line } else { format!("{line} --force") };
        let ran = Command::new("sh").args(["-c", &line]).current_dir(desk.folder()).output();
        let ran = ran.unwrap();
        assert!(matches!(ran.status.code(), Some(0 | 1)), "{line}: {}", err(&ran));
        let said = String::from_utf8(ran.stdout).unwrap();
        assert!(!said.contains("differ, although no swap"), "{line}: {said}");
    }
    assert_eq!(desk.read(released), file, "the same release");
    assert!(desk.read("report.html") == text, "the same page");
    lines
}

/// The commands on the internal page are in the words of the project, and do it again.
#[test]
fn the_commands_of_the_page_run() {
    let desk = Desk::new();
    let data = desk.write("survey.csv", &survey());
    desk.write("SEED", &"7".repeat(64));
    let seed = desk.path("SEED");
    let [released, internal, plan] =
        ["out.csv", "in.html", "swap.plan"].map(|name| desk.path(name));
    let base = ["protect", &data, "--seed-file", &seed, "-o", &released, "--report", &internal];
    let more = ["--then", "persons", "--near", "county", "--household-keys", "district,size"];
    let more = [&more[..], &["--watch", "district*job", "--plan", &plan]].concat();
    let made = marginswap(&[&base[..], &UNIT, &TABLES, &KEYS, &more].concat());
    assert!(matches!(made.status.code(), Some(0 | 1)), "{}", err(&made));
    let lines = replayed(&desk, "out.csv", "in.html");
    for line in &lines[1..] {
        assert!(!line.contains("who lives there"), "{line}");
        for words in [
            "--household hid",
            "--keep 'district*sex'",
            "--keep-households 'district*size'",
            "--keys district,age,sex,job",
            "--household-keys district,size",
            "--then persons",
        ] {
            assert!(line.contains(words), "{words:?} in {line}");
        }
    }
    // With a project file, and the preset in it.
    desk.write(
        "marginswap.toml",
        "data = 'survey.csv'\n[columns]\nid = 'pid'\n[release]\nplan = 'trs.plan'\n\
         out = 'trs.csv'\n[report]\ninternal = 'trs.html'\n[trs]\nhid = 'hid'\n\
         hierarchy = ['county', 'district']\nsimilar = [['size']]\n\
         risk_variables = ['age', 'sex', 'job']\nk_anonymity = 2\n",
    );
    let made = Command::new(env!("CARGO_BIN_EXE_marginswap"))
        .args(["protect", "--seed-file", "SEED"])
        .current_dir(desk.folder())
        .output()
        .unwrap();
    assert!(matches!(made.status.code(), Some(0 | 1)), "{}", err(&made));
    let lines = replayed(&desk, "trs.csv", "trs.html");
    assert!(lines.iter().all(|line| !line.contains("--risky")), "{lines:?}");
}

/// `show` tells persons from households.
#[test]
fn show_tells_persons_from_households() {
    let desk = Desk::new();
    let data = desk.write("survey.csv", &survey());
    job(&desk, &data, &[&KEYS[..], &TABLES, &["--budget", "20", "--knows", "all"]].concat());
    let plan = desk.path("swap.plan");
    let persons = rows(&data).len() - 1;
    let at_risk = table(&rows(&data), &["district", "age", "sex", "job"]);
    let at_risk = at_risk.values().filter(|&&count| count == 1).count();
    let shown = out(&marginswap(&["show", &plan]));
    let share = 100.0 * at_risk as f64 / persons as f64;
    for words in [
        &format!("A plan for a file of {persons} records in 160 households and 8 columns"),
        &format!("{at_risk} people at risk ({share:.1} %)"),
        "district*sex (persons) + district*size (households), exactly as they are",
        "swaps of two households",
        " households (12.5 %) change",
        " households at risk without an exchange",
    ] {
        assert!(shown.contains(words), "{words:?} in\n{shown}");
    }
    // The preset keeps tables of households alone.
    let project = desk.write(
        "marginswap.toml",
        "data = 'survey.csv'\n[columns]\nid = 'pid'\n[release]\nplan = 'trs.plan'\n[trs]\n\
         hid = 'hid'\nhierarchy = ['county', 'district']\nsimilar = [['size']]\n\
         risk_variables = ['age', 'sex', 'job']\nk_anonymity = 2\n",
    );
    let planned = marginswap(&["plan", "--project", &project, "--demo-seed", "2"]);
    assert!(matches!(planned.status.code(), Some(0 | 1)), "{}", err(&planned));
    let shown = out(&marginswap(&["show", &desk.path("trs.plan")]));
    assert!(shown.contains("county*district*size (households)"), "{shown}");
    // The next step of a plan for two files names both.
    let survey = rows(&data);
    let (mut people, mut homes) = (String::new(), std::collections::BTreeSet::new());
    for row in &survey {
        people.push_str(&format!("{},{},{}\n", row[0], row[1], row[5..].join(",")));
        homes.insert(row[1..5].join(","));
    }
    let head = survey[0][1..5].join(",");
    homes.remove(&head);
    let homes: Vec<String> = std::iter::once(head).chain(homes).collect();
    let people = desk.write("people.csv", &people);
    let homes = desk.write("homes.csv", &(homes.join("\n") + "\n"));
    let plan = desk.path("two.plan");
    let base = ["plan", &people, "--households-file", &homes, "-o", &plan, "--demo-seed", "2"];
    let planned = marginswap(&[&base[..], &UNIT, &KEYS, &TABLES].concat());
    assert!(matches!(planned.status.code(), Some(0 | 1)), "{}", err(&planned));
    let next = err(&marginswap(&["show", &plan]));
    assert!(next.contains("--households-file HOUSEHOLDS"), "{next}");
    assert!(next.contains("--households-out released-households.csv"), "{next}");
}

/// `protect`, `plan` and `apply` count the same release alike, after both steps.
#[test]
fn both_steps_are_counted_once() {
    let desk = Desk::new();
    let data = desk.write("survey.csv", &survey());
    let settings = [&KEYS[..], &TABLES, &["--then", "persons"]].concat();
    let (said, ..) = job(&desk, &data, &settings);
    let plan = desk.path("swap.plan");
    let (seed, again) = (desk.path("seed"), desk.path("again.csv"));
    fs::write(&seed, "7".repeat(64)).unwrap();
    let base = ["protect", &data, "-o", &again, "--plan", &desk.path("s.plan"), "--force"];
    let with = ["--seed-file", &seed];
    let (made, _) = answer(&[&base[..], &with, &UNIT, &settings].concat());
    let base = ["apply", &data, &desk.path("s.plan"), "-o", &again, "--force"];
    let (applied, _) = answer(&[&base[..], &with].concat());
    for name in ["records_changed", "cells_changed", "households", "household_fates"] {
        assert_eq!(made[name], applied[name], "{name}");
    }
    let changed = |told: &Value| {
        let number = |value: &Value| value.as_u64().unwrap();
        [
            number(&told["households"]["changed"]),
            number(&told["records_changed"]),
            number(&told["cells_changed"]),
        ]
    };
    // The text of `protect` has these numbers.
    let base = ["protect", &data, "-o", &again, "--force"];
    let text = out(&marginswap(&[&base[..], &with, &UNIT, &settings].concat()));
    let line = text.lines().find(|line| line.starts_with("Usefulness ")).unwrap();
    let [households, records, values] = changed(&made);
    for words in [
        format!("{households} households ("),
        format!("{records} records ("),
        format!("{values} values"),
    ] {
        assert!(line.contains(&words), "{words:?} in {line}");
    }
    assert!(said.contains("households (") && said.contains(" records ("), "{said}");
    // What a plan foresees of households is what the released file has.
    let base = ["plan", &data, "-o", &plan, "--force"];
    let (foreseen, _) = answer(&[&base[..], &with, &UNIT, &settings].concat());
    assert_eq!(foreseen["household_fates"], made["household_fates"]);
    assert_eq!(foreseen["gone"], made["gone"]);
}

/// Where households are counted, they are called so.
#[test]
fn households_are_not_called_records() {
    let desk = Desk::new();
    let data = desk.write("survey.csv", &survey());
    let screened = marginswap(&[&["screen", &data], &UNIT[..], &TABLES, &KEYS].concat());
    let text = out(&screened);
    assert!(text.lines().next().unwrap().starts_with("  households  "), "{text}");
    let (told, _) = answer(&[&["screen", &data], &UNIT[..], &TABLES, &KEYS].concat());
    assert_eq!(
        (&told["records"], &told["persons"]),
        (&160.into(), &(rows(&data).len() - 1).into())
    );
    let base = ["plan", &data, "-o", &desk.path("rate.plan"), "--demo-seed", "1"];
    let said = err(&marginswap(
        &[&base[..], &UNIT, &KEYS, &["--keep", "district*tenure*age*sex", "--rate", "90%"]]
            .concat(),
    ));
    assert!(said.contains("the rate asks for 144 changed households"), "{said}");
    // One household more in the released file, with as many lines.
    job(&desk, &data, &[&KEYS[..], &TABLES].concat());
    let mut lines = rows(&desk.path("out.csv"));
    let twice = (1..lines.len()).find(|&line| lines[line][0] == lines[line - 1][0]).unwrap();
    lines[twice][0] = "h999".to_owned();
    let text: Vec<String> = lines.iter().map(|row| row.join(",")).collect();
    let split = desk.write("split.csv", &(text.join("\n") + "\n"));
    let base = ["verify", &data, &split, "--shuffled"];
    let verified = marginswap(&[&base[..], &UNIT, &TABLES, &KEYS].concat());
    let said = out(&verified);
    assert!(said.contains("the original has 160 households, the released file 161"), "{said}");
    let (told, _) = answer(&[&base[..], &UNIT, &TABLES, &KEYS].concat());
    assert_eq!(told["reasons"][0]["reason"], "households_differ", "{}", told["reasons"]);
}

/// With several intruders the page says of whose true values a share is one: the others are
/// counted together, person by person.
#[test]
fn shares_of_true_values_name_their_intruder() {
    let desk = Desk::new();
    let data = desk.write("survey.csv", &survey());
    let two = ["--more-keys", "county,age,tenure,job", "--budget", "10"];
    let (text, _, internal) = job(&desk, &data, &[&KEYS[..], &TABLES, &two].concat());
    let whose = ", for the intruder who knows ";
    let line = text.lines().find(|line| line.contains("true on matched records")).unwrap();
    assert!(line.contains(whose) && line.contains(", who learns most: "), "{line}");
    assert!(internal.contains(", who learns most; a random record gives"), "{internal}");
    let (one, ..) = job(&desk, &data, &[&KEYS[..], &TABLES, &two[2..]].concat());
    assert!(!one.contains("who learns most"), "{one}");
}

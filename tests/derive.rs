//! Derived variables as a user meets them: tables of them are kept, counted again from the released
//! file by a derivation of the test's own; they are never written out and never exchanged alone.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support;

use std::collections::BTreeMap;
use std::fmt::Write;

use marginswap_core::random::{Random, Seed};
use support::{Desk, answered, err, json, marginswap, out, rows};

/// A town of this many people, with exact ages, municipalities and incomes, and the regions of its
/// municipalities.
fn town(desk: &Desk, people: usize) {
    let mut random = Random::new(Seed([12; 32]), 0);
    let mut survey = String::from("person,municipality,age,sex,marital,job,income\n");
    for person in 1..=people {
        let (area, place) = (1 + random.below(3), 1 + random.below(6));
        let age = random.below(90);
        let sex = ["f", "m"][random.below(2)];
        let adult = age >= 18;
        let marital =
            if adult { ["single", "married", "widowed"][random.below(3)] } else { "single" };
        let job = if adult { ["clerk", "nurse", "cook"][random.below(3)] } else { "none" };
        let income = match (adult, random.below(20)) {
            (_, 0) => "NA".to_owned(),
            (true, _) => format!("{}.50", 5_000 + random.below(60_000)),
            (false, _) => "0".to_owned(),
        };
        writeln!(survey, "{person},{area}0{place},{age},{sex},{marital},{job},{income}").unwrap();
    }
    desk.write("town.csv", &survey);
    let mut geo = String::from("municipality,region,country\n");
    for (area, country) in [(1, "north"), (2, "north"), (3, "south")] {
        (1..=6).for_each(|place| writeln!(geo, "{area}0{place},R{area},{country}").unwrap());
    }
    desk.write("geo.csv", &geo);
    desk.write(
        "marginswap.toml",
        r#"
data = "town.csv"
[columns]
id = "person"
missing = ["NA"]
[derive]
age10 = "band(age, 10, top = 80)"
adult = "age >= 18"
region = 'map(municipality, "geo.csv", "region")'
country = 'map(municipality, "geo.csv", "country")'
income_class = "band(income, 10000, 20000, 40000)"
worker = 'if(adult, job, "none")'
[keep]
tables = ["region*sex*age10", "age10*marital", "country*income_class", "worker*sex"]
[risk]
keys = ["municipality", "sex", "age"]
[release]
out = "released.csv"
"#,
    );
}

/// The tables of the project, counted from a file by hand.
fn published(desk: &Desk, file: &str) -> Vec<BTreeMap<String, usize>> {
    let rows = rows(&desk.path(file));
    let place = |name: &str| rows[0].iter().position(|other| other == name).unwrap();
    let [town, age, sex, marital, job, income] =
        ["municipality", "age", "sex", "marital", "job", "income"].map(place);
    let mut tables = vec![BTreeMap::new(); 4];
    for row in &rows[1..] {
        let years: u32 = row[age].parse().unwrap();
        let group = if years >= 80 { 80 } else { years / 10 * 10 };
        let region = &row[town][..1];
        let country = if region == "3" { "south" } else { "north" };
        let class = match row[income].parse::<f64>() {
            Err(_) => "missing",
            Ok(income) if income < 10_000.0 => "low",
            Ok(income) if income < 20_000.0 => "middle",
            Ok(income) if income < 40_000.0 => "high",
            Ok(_) => "top",
        };
        let worker = if years >= 18 { &row[job] } else { "none" };
        for (table, cell) in tables.iter_mut().zip([
            format!("{region} {} {group}", row[sex]),
            format!("{group} {}", row[marital]),
            format!("{country} {class}"),
            format!("{worker} {}", row[sex]),
        ]) {
            *table.entry(cell).or_default() += 1;
        }
    }
    tables
}

#[test]
fn tables_of_derived_variables_are_kept_and_the_variables_never_written() {
    let desk = Desk::new();
    town(&desk, 1_500);
    let project = desk.path("marginswap.toml");
    let output = marginswap(&["protect", "--project", &project, "--demo-seed", "1", "--json"]);
    assert!(output.status.code().is_some_and(|code| code < 2), "{}", err(&output));
    assert_eq!(published(&desk, "town.csv"), published(&desk, "released.csv"));
    let (before, after) = (rows(&desk.path("town.csv")), rows(&desk.path("released.csv")));
    assert_eq!(after[0], before[0][1..], "the id is dropped and nothing is added");
    // Exact values are exchanged: the fine tables are not kept.
    let fine = |rows: &[Vec<String>], name: &str| support::table(rows, &["sex", name]);
    for name in ["age", "municipality"] {
        assert_ne!(fine(&before, name), fine(&after, name), "{name} is exchanged");
    }
    let found = answered(&["verify", "--project", &project]);
    assert_eq!(found["equal"], true);
    assert_eq!(found["margins"].as_array().unwrap().len(), 4);
    let tables: Vec<String> = found["margins"]
        .as_array()
        .unwrap()
        .iter()
        .map(|table| {
            table["margin"]
                .as_array()
                .unwrap()
                .iter()
                .map(|name| name.as_str().unwrap())
                .collect::<Vec<_>>()
                .join("*")
        })
        .collect();
    assert!(tables.contains(&"sex*age10*region".to_owned()), "{tables:?}");
}

/// `verify` derives again from the released bytes: an age that leaves its class is found, one
/// that stays in it is not, as far as the tables go.
#[test]
fn verify_derives_again_from_the_released_file() {
    let desk = Desk::new();
    let lines = |ages: [u32; 4]| {
        let rows: Vec<String> = ages
            .iter()
            .zip(["f", "f", "m", "m"])
            .map(|(age, sex)| format!("{age},{sex}\n"))
            .collect();
        format!("age,sex\n{}", rows.concat())
    };
    let original = desk.write("a.csv", &lines([21, 35, 29, 31]));
    let check = |ages: [u32; 4]| {
        let released = desk.write("b.csv", &lines(ages));
        let kept = ["--derive", "age10 = band(age, 10)", "--keep", "age10*sex"];
        answered(&[&["verify", &original, &released], &kept[..]].concat())["equal"].clone()
    };
    assert_eq!(check([29, 31, 21, 35]), true, "exchanged inside their classes");
    assert_eq!(check([31, 21, 35, 29]), true, "two classes change places for f and m");
    assert_eq!(check([35, 31, 29, 21]), false, "a class changes its sex");
}

/// The same freedom as with the columns written into the file and linked.
#[test]
fn a_derived_variable_is_as_good_as_a_linked_column() {
    let desk = Desk::new();
    town(&desk, 600);
    let mut written = String::new();
    for (number, row) in rows(&desk.path("town.csv")).iter().enumerate() {
        let group = match (number, row[2].parse::<u32>()) {
            (0, _) => "age10".to_owned(),
            (_, Ok(age)) => (age / 10).to_string(),
            (_, Err(_)) => unreachable!("every age is a number"),
        };
        let region = if number == 0 { "region" } else { &row[1][..1] };
        writeln!(written, "{},{group},{region}", row.join(",")).unwrap();
    }
    let written = desk.write("written.csv", &written);
    let data = desk.path("town.csv");
    let kept = [
        "--id",
        "person",
        "--keep",
        "region*sex*age10 + age10*marital",
        "--keys",
        "municipality,age,sex",
        "--json",
    ];
    let with_columns = json(
        &[
            &["screen", &written, "--linked", "age,age10", "--linked", "municipality,region"],
            &kept[..],
        ]
        .concat(),
    );
    let derived = json(
        &[
            &[
                "screen",
                &data,
                "--derive",
                "age10 = band(age, 10)",
                "--derive",
                "region = prefix(municipality, 1)",
            ],
            &kept[..],
        ]
        .concat(),
    );
    for field in ["records", "swappable", "disclosed", "sample_uniques"] {
        assert_eq!(derived[field], with_columns[field], "{field}");
    }
    for field in ["separable", "alone", "alone_partable"] {
        assert_eq!(derived["keys"][field], with_columns["keys"][field], "{field}");
    }
}

/// What is only watched ties nothing together: the same seed gives the same file.
#[test]
fn watching_a_derived_variable_changes_no_swap() {
    let desk = Desk::new();
    town(&desk, 800);
    let project = desk.path("marginswap.toml");
    let run = |name: &str, more: &[&str]| {
        let path = desk.path(name);
        let protect = ["protect", "--project", &project, "--demo-seed", "1", "-o", &path, "--json"];
        let output = marginswap(&[&protect, more].concat());
        assert!(output.status.code().is_some_and(|code| code < 2), "{}", err(&output));
        desk.read(name)
    };
    let both = "both = if(sex = \"f\", marital, job)";
    let page = desk.path("page.html");
    let plain = run("plain.csv", &[]);
    let watched =
        run("watched.csv", &["--derive", both, "--watch", "both*region", "--report", &page]);
    assert_eq!(plain, watched);
    assert!(desk.read("page.html").contains("both"), "the page tells how far the table moved");
}

#[test]
fn a_plan_carries_its_derived_variables() {
    let desk = Desk::new();
    town(&desk, 500);
    let project = desk.path("marginswap.toml");
    let plan = desk.path("swap.plan");
    let made = marginswap(&["plan", "--project", &project, "-o", &plan, "--demo-seed", "1"]);
    // The gate would not release what a demo seed makes.
    assert_eq!(made.status.code(), Some(1), "{}", err(&made));
    let shown = out(&marginswap(&["show", &plan]));
    assert!(shown.contains("band(age, 10, top = 80)") && shown.contains("geo.csv"), "{shown}");
    assert!(!shown.contains(&desk.path("geo.csv")), "a folder is no parameter");
    let data = desk.path("town.csv");
    let apply = || {
        let released = desk.path("applied.csv");
        let all = [
            "apply",
            &data,
            &plan,
            "--project",
            &project,
            "-o",
            &released,
            "--order",
            "input",
            "--force",
        ];
        marginswap(&all)
    };
    let done = apply();
    assert!(done.status.code().is_some_and(|code| code < 2), "{}", err(&done));
    assert_eq!(published(&desk, "town.csv"), published(&desk, "applied.csv"));
    let changed = desk.read("marginswap.toml").replace("band(age, 10, top = 80)", "band(age, 5)");
    desk.write("marginswap.toml", &changed);
    let other = apply();
    assert_eq!(other.status.code(), Some(5), "{}", err(&other));
}

/// Every setting that may name a column takes a derived variable.
#[test]
fn derived_variables_serve_as_keys_strata_matches_rules_and_sensitive_values() {
    let desk = Desk::new();
    town(&desk, 900);
    let project = desk.path("marginswap.toml");
    let released = |more: &[&str]| {
        let path = desk.path("out.csv");
        let protect = [
            "protect",
            "--project",
            &project,
            "--demo-seed",
            "1",
            "-o",
            &path,
            "--order",
            "input",
            "--force",
            "--json",
        ];
        let output = marginswap(&[&protect, more].concat());
        assert!(output.status.code().is_some_and(|code| code < 2), "{more:?}: {}", err(&output));
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        (answer, rows(&path))
    };
    let before = rows(&desk.path("town.csv"));
    let group = |age: &str| age.parse::<u32>().unwrap() / 10;
    // A stratum: everybody keeps the age group, line by line.
    let (_, after) = released(&["--strata", "age10"]);
    let moved = |after: &[Vec<String>], group: &dyn Fn(&str) -> u32| {
        let lines = before.iter().zip(after).skip(1);
        lines.filter(|(old, new)| group(&old[2]).min(8) != group(&new[1]).min(8)).count()
    };
    assert_eq!(moved(&after, &group), 0);
    let (_, free) = released(&["--never-new", "none"]);
    assert!(moved(&free, &group) > 0, "without the stratum groups change");
    let (_, after) = released(&["--match", "age10"]);
    assert_eq!(moved(&after, &group), 0);
    // Keys: those who are alone with region, sex and age group.
    let (answer, _) = released(&["--keys", "region,sex,age10,marital"]);
    let alone = before[1..].iter().fold(BTreeMap::new(), |mut counts: BTreeMap<_, usize>, row| {
        *counts
            .entry((row[1][..1].to_owned(), &row[3], group(&row[2]).min(8), &row[4]))
            .or_default() += 1;
        counts
    });
    let expected = alone.values().filter(|&&count| count == 1).count();
    assert_eq!(answer["at_risk"], expected);
    // An intruder who knows the group and one who knows the age, at once.
    let (answer, _) = released(&["--keys", "region,sex,age10", "--keys", "region,sex,age"]);
    assert_eq!(answer["scenarios"].as_array().unwrap().len(), 2);
    // What an intruder wants to learn may be a class.
    let (answer, _) = released(&["--sensitive", "income_class"]);
    assert_eq!(answer["scenarios"][0]["sensitive"], serde_json::json!(["income_class"]));
}

/// The one exchange there is would make a married child, in the words of a derived condition.
#[test]
fn a_rule_may_speak_of_a_derived_variable() {
    let desk = Desk::new();
    let data = desk.write("a.csv", "age,marital\n15,single\n25,married\n");
    let changed = |rule: &str| {
        let path = desk.path("b.csv");
        let protect = ["protect", &data, "-o", &path, "--force", "--demo-seed", "1"];
        let settings = ["--keys", "age,marital", "--derive", "adult = age >= 18", "--rule", rule];
        answered(&[&protect[..], &settings].concat())["records_changed"].clone()
    };
    assert_eq!(changed("adult = no & marital = married"), 0);
    assert_eq!(changed("adult = no & marital = widowed"), 2);
}

#[test]
fn every_question_knows_derived_variables() {
    let desk = Desk::new();
    town(&desk, 300);
    let project = desk.path("marginswap.toml");
    let inspected = json(&["inspect", "--project", &project, "--json"]);
    let columns = inspected["columns"].as_array().unwrap();
    let derived: Vec<&str> = columns
        .iter()
        .filter(|column| column["role"] == "derived")
        .map(|column| column["name"].as_str().unwrap())
        .collect();
    assert_eq!(derived, ["adult", "age10", "country", "income_class", "region", "worker"]);
    let graph = json(&["graph", "--project", &project, "--json"]);
    let tied = graph["derived"].as_array().unwrap();
    let worker = tied.iter().find(|one| one["variable"] == "worker").unwrap();
    assert_eq!(worker["from"], serde_json::json!(["age", "job"]));
    let alone =
        json(&["graph", "--derive", "age10 = band(age, 10)", "--keep", "age10*sex", "--json"]);
    assert_eq!(alone["derived"][0]["from"], serde_json::json!(["age"]));
    let pair = out(&marginswap(&["explain", "--project", &project, "--pair", "1", "2"]));
    assert!(pair.starts_with("Records 1 and 2"), "{pair}");
    let record = out(&marginswap(&["explain", "--project", &project, "--record", "1"]));
    assert!(record.starts_with("Record 1"), "{record}");
    let risk = marginswap(&[
        "risk",
        "--project",
        &project,
        "--keys",
        "region,sex,age10",
        "--population",
        "9000",
    ]);
    assert!(out(&risk).contains("region"), "{}", err(&risk));
    let frontier = marginswap(&["frontier", "--project", &project, "--budgets", "5%,20%"]);
    assert_eq!(frontier.status.code(), Some(0), "{}", err(&frontier));
}

/// The place of what cannot be read: the line of the data, the column, the character of the
/// expression; and no value.
#[test]
fn trouble_is_told_with_its_place() {
    let desk = Desk::new();
    let data = desk.write("a.csv", "age,note,sex\n17,\"two\nlines\",f\nCANARY,x,m\n");
    let said = |derive: &str, more: &[&str]| {
        let output = marginswap(&[&["inspect", &data, "--derive", derive], more].concat());
        (output.status.code().unwrap(), err(&output))
    };
    let (code, text) = said("age10 = band(age, 10)", &[]);
    assert!(code == 3 && text.contains("error[E134]"), "{text}");
    assert!(text.contains("a.csv, line 4, column `age`") && !text.contains("CANARY"), "{text}");
    let (code, text) = said("age10 = band(age, 10)", &["--missing", "CANARY"]);
    assert_eq!(code, 0, "{text}");
    let (code, text) = said("age10 = band(age, 10", &[]);
    assert!(code == 2 && text.contains("at character 13 of the expression"), "{text}");
    let (code, text) = said("a = age + 1", &[]);
    assert!(code == 2 && text.contains("there is no arithmetic"), "{text}");
    let project = desk.write(
        "marginswap.toml",
        "data = \"a.csv\"\n[derive]\ngood = \"sex\"\nage10 = \"band(agee, 10)\"\n",
    );
    let output = marginswap(&["inspect", "--project", &project]);
    let text = err(&output);
    assert_eq!(output.status.code(), Some(4), "{text}");
    assert!(
        text.contains("marginswap.toml, line 4") && text.contains("did you mean `age`?"),
        "{text}"
    );
    let project = desk.write("marginswap.toml", "data = \"a.csv\"\n[derive]\na = \"band(age)\"\n");
    let text = err(&marginswap(&["inspect", "--project", &project]));
    assert!(
        text.contains("error[E403]") && text.contains("marginswap.toml, line 3, column 5"),
        "{text}"
    );
    for more in
        [["--stay", "a"], ["--id", "a"], ["--drop", "a"], ["--weight", "a"], ["--linked", "a,sex"]]
    {
        let all = [
            "protect",
            &data,
            "-o",
            "nowhere.csv",
            "--keys",
            "sex",
            "--derive",
            "a = prefix(age, 1)",
        ];
        let output = marginswap(&[&all[..], &more].concat());
        let text = err(&output);
        assert!(
            output.status.code() == Some(2) && text.contains("`a` is a derived variable"),
            "{text}"
        );
    }
}

/// `init` proposes classes for numbers with many values; what it writes is read again.
#[test]
fn init_proposes_classes_for_numbers() {
    let desk = Desk::new();
    town(&desk, 2_000);
    let file = desk.path("draft.toml");
    let made = marginswap(&["init", &desk.path("town.csv"), "-o", &file]);
    assert_eq!(made.status.code(), Some(0), "{}", err(&made));
    let text = desk.read("draft.toml");
    assert!(text.contains("#age_band = \"band(age, 10)\""), "{text}");
    assert!(!text.contains("sex_band"), "{text}");
    let used = text.replace("#age_band", "age_band");
    let project = desk.write("used.toml", &used);
    let inspected = json(&["inspect", "--project", &project, "--json"]);
    let columns = inspected["columns"].as_array().unwrap();
    assert!(columns.iter().any(|column| column["name"] == "age_band" && column["levels"] == 9));
}

#[test]
fn values_are_shown_only_when_asked_for() {
    let desk = Desk::new();
    let mut text = String::from("age,group,sex,code\n");
    for person in 0..300 {
        let age = person * 7 % 60;
        let group = if age < 18 {
            "young"
        } else if age < 40 {
            "middle"
        } else {
            "old"
        };
        let sex = ["female", "male", "NA"][person % 3];
        let code = if person % 5 == 0 { 99 } else { 1 + person % 4 };
        writeln!(text, "{age},{group},{sex},{code}").unwrap();
    }
    let data = desk.write("a.csv", &text);
    let plain = out(&marginswap(&["inspect", &data]));
    assert!(!plain.contains("female") && !plain.contains("young"), "{plain}");
    let shown = out(&marginswap(&["inspect", &data, "--reveal"]));
    for part in [
        "\"female\"",
        "may be missing: \"NA\"",
        "may be missing: \"99\"",
        "group follows from age",
        "linked = [[\"age\", \"group\"]]",
        "group = \"band(age, 18, 40)\"",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let answer = json(&["inspect", &data, "--reveal", "--json"]);
    let sexes = &answer["revealed"]["columns"][2]["levels"];
    assert_eq!(sexes.as_array().unwrap().len(), 3);
    assert_eq!(sexes[0]["records"], 100);
    assert!(json(&["inspect", &data, "--json"])["revealed"].is_null());
    // The lines can be used as they are.
    let bands = ["--derive", "g = band(age, 18, 40)", "--keep", "g*sex"];
    let levels = json(&[&["graph", &data, "--json"], &bands[..]].concat());
    assert_eq!(levels["derived"][0]["variable"], "g");
}

/// On real files: of those who cannot be swapped while tables by age are kept, many can while
/// tables by age group are, and nobody is lost.
#[test]
fn coarser_tables_leave_at_least_as_many_swappable_people() {
    let Some(folder) = support::real_data("coarser tables on real files") else { return };
    let mut told = String::new();
    for (name, age, group) in [
        ("adult8", "age5", "prefix(age5, 1)"),
        ("kdd12", "age5", "band(age5, 20)"),
        ("acs_dev12", "AGE5", "band(AGE5, 20)"),
    ] {
        let data = folder.join(name).join("data.csv");
        let data = data.to_str().unwrap();
        let inspected = json(&["inspect", data, "--json"]);
        let columns = inspected["columns"].as_array().unwrap();
        let names: Vec<&str> = columns.iter().map(|one| one["name"].as_str().unwrap()).collect();
        // Two tables that hold everything but one variable each, so that partners must agree
        // on all that they share.
        let without = |left_out: usize| -> String {
            let kept = names.iter().enumerate().filter(|(place, _)| *place != left_out);
            kept.map(|(_, name)| format!("`{name}`")).collect::<Vec<_>>().join("*")
        };
        let fine = format!("{} + {}", without(names.len() - 1), without(names.len() - 2));
        let coarse = fine.replace(&format!("`{age}`"), "group");
        let fine = json(&["screen", data, "--keep", &fine, "--json"]);
        let derive = format!("group = {group}");
        let coarse = json(&["screen", data, "--derive", &derive, "--keep", &coarse, "--json"]);
        let number = |answer: &serde_json::Value, field: &str| answer[field].as_u64().unwrap();
        for field in ["swappable", "swappable_uniques"] {
            assert!(number(&coarse, field) > number(&fine, field), "{name} {field}");
        }
        let [records, uniques] = ["records", "sample_uniques"].map(|field| number(&fine, field));
        writeln!(
            told,
            "| {name} | {records} | {uniques} | {} | {} | {} | {} |",
            number(&fine, "swappable"),
            number(&coarse, "swappable"),
            number(&fine, "swappable_uniques"),
            number(&coarse, "swappable_uniques")
        )
        .unwrap();
    }
    if let Some(file) = std::env::var_os("MARGINSWAP_FIGURES") {
        std::fs::write(file, told).unwrap();
    }
}

/// A text that no record has is most likely a slip; its column and the number are reported.
#[test]
fn a_mistyped_text_in_a_condition_is_called_out() {
    let said = |condition: &str| {
        err(&marginswap(&["inspect", "examples/town.csv", "--derive", condition]))
    };
    let one = said("x = sex = \"femal\"");
    assert!(one.contains("`x` compares `sex` with a text that no record has"), "{one}");
    let two = said("x = if(sex in {\"femal\", \"f\", \"mal\"}, region, \"none\")");
    assert!(two.contains("compares `sex` with 2 texts that no record has"), "{two}");
    assert!(!said("x = sex = \"f\"").contains("warning"));
}

/// A continuous income is proposed in bands, and stays exchangeable.
#[test]
fn init_proposes_bands_for_an_income() {
    let desk = Desk::new();
    let line = |n: u64| {
        let income = 9_000 + n * 7_919 % 400 * 137;
        let income = if n % 50 == 3 { "NA".to_owned() } else { income.to_string() };
        format!("p{n},{},{},{income}\n", n % 5, n * 7 % 3)
    };
    let text: String = (0..400).map(line).collect();
    let data = desk.write("data.csv", &format!("person,region,sex,income\n{text}"));
    let project = desk.path("marginswap.toml");
    let made = marginswap(&["init", &data, "-o", &project]);
    assert_eq!(made.status.code(), Some(0), "{}", err(&made));
    let draft = desk.read("marginswap.toml");
    assert!(draft.contains("\nincome_band = \"band(income, 5000"), "{draft}");
    assert!(draft.contains("missing = [\\\"NA\\\"]"), "{draft}");
    assert!(draft.contains("\nid = \"person\"\n") && !draft.contains("\nignore = "), "{draft}");
    let out = desk.path("released.csv");
    let job = ["protect", "--project", &project, "--keys", "region,sex", "--keep", "region"];
    let output = marginswap(&[&job[..], &["-o", &out, "--force"]].concat());
    assert!(output.status.code().is_some_and(|code| code < 2), "{}", err(&output));
    let banded = ["--keep", "region*income_band", "-o", &out, "--force"];
    let output = marginswap(&[&job[..5], &banded].concat());
    assert!(output.status.code().is_some_and(|code| code < 2), "{}", err(&output));
}

/// `inspect --reveal` lists the classes of derived variables, and how to see all levels.
#[test]
fn derived_levels_are_revealed_too() {
    let desk = Desk::new();
    let text: String = (0..400).map(|n| format!("{},{}\n", n % 80, n % 3)).collect();
    let data = desk.write("data.csv", &format!("age,sex\n{text}"));
    let inspect = ["inspect", &data, "--reveal", "--derive", "age10 = band(age, 10)"];
    let shown = out(&marginswap(&inspect));
    assert!(shown.contains("age10 (8 levels):") && shown.contains("\"70-79\""), "{shown}");
    assert!(shown.contains("and 50 more levels; --json lists all"), "{shown}");
    let told = json(&[&inspect[..], &["--json"]].concat());
    let columns = told["revealed"]["columns"].as_array().unwrap();
    assert_eq!(columns[0]["levels"].as_array().unwrap().len(), 80);
    assert_eq!(columns[2]["name"], "age10");
}

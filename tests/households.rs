//! Whole households, as a user swaps them: families stay together, tables of persons and of
//! households stay as they were, and both are counted here from the files alone.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use crate::support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::Value;
use support::{Desk, answer, err, json, marginswap, read_parquet, rows, table, write_parquet};

/// The head of the town's file.
const HEAD: &str = "pid,hid,region,tenure,age,sex,job\n";

/// A town of households whose members are scattered over the file.
pub fn town(households: usize) -> String {
    let mut state = 11u64;
    let mut draw = |below: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % below
    };
    let mut lines: Vec<String> = Vec::new();
    for household in 0..households {
        let (region, tenure) = (draw(6), ["own", "rent", "free"][draw(3)]);
        for _ in 0..[1, 1, 2, 2, 3, 4][draw(6)] {
            let (age, sex, job) = (5 + 10 * draw(8), ["f", "m"][draw(2)], draw(4));
            lines.push(format!("h{household},{region},{tenure},{age},{sex},{job}"));
        }
    }
    for place in (1..lines.len()).rev() {
        lines.swap(place, draw(place + 1));
    }
    let mut text = HEAD.to_owned();
    for (number, line) in lines.iter().enumerate() {
        text.push_str(&format!("p{number},{line}\n"));
    }
    text
}

const TABLES: [&str; 8] = [
    "--household",
    "hid",
    "--id",
    "pid",
    "--keep",
    "region*sex",
    "--keep-households",
    "region*size + tenure*count(age < 18)",
];
const KEYS: [&str; 2] = ["--keys", "region,age,sex,job"];

fn place(rows: &[Vec<String>], name: &str) -> usize {
    rows[0].iter().position(|other| other == name).unwrap()
}

/// The lines of each household.
fn by_household(rows: &[Vec<String>]) -> BTreeMap<String, Vec<Vec<String>>> {
    let hid = place(rows, "hid");
    let mut found: BTreeMap<String, Vec<Vec<String>>> = BTreeMap::new();
    for row in &rows[1..] {
        found.entry(row[hid].clone()).or_default().push(row.clone());
    }
    found
}

/// How many households have each combination of a column and what is counted in them.
fn of_households(
    rows: &[Vec<String>],
    column: &str,
    count: impl Fn(&[Vec<String>]) -> usize,
) -> BTreeMap<(String, usize), usize> {
    let column = place(rows, column);
    let mut found = BTreeMap::new();
    for members in by_household(rows).values() {
        *found.entry((members[0][column].clone(), count(members))).or_default() += 1;
    }
    found
}

/// The households without their names and places: who lives there, in any order.
fn who(rows: &[Vec<String>], columns: &[&str]) -> Vec<Vec<Vec<String>>> {
    let columns: Vec<usize> = columns.iter().map(|name| place(rows, name)).collect();
    let mut all: Vec<Vec<Vec<String>>> = by_household(rows)
        .into_values()
        .map(|members| {
            let member = |row: &Vec<String>| columns.iter().map(|&at| row[at].clone()).collect();
            let mut members: Vec<Vec<String>> = members.iter().map(member).collect();
            members.sort();
            members
        })
        .collect();
    all.sort();
    all
}

/// Protects the town; answers the JSON, with the released file at `out.csv`.
fn protected(desk: &Desk, data: &str, more: &[&str]) -> Value {
    let (out, plan) = (desk.path("out.csv"), desk.path("swap.plan"));
    let seed = ["protect", data, "-o", &out, "--plan", &plan, "--demo-seed", "3"];
    answer(&[&seed, &TABLES[..], more].concat()).0
}

#[test]
fn families_stay_together_and_every_table_stays() {
    let desk = Desk::new();
    let data = desk.write("town.csv", &town(400));
    let told = protected(&desk, &data, &[&KEYS[..], &["--knows", "all"]].concat());
    let (before, after) = (rows(&data), rows(&desk.path("out.csv")));
    assert!(!after[0].contains(&"pid".to_owned()), "the id of a person is not released");
    assert_eq!(before.len(), after.len());
    // Tables of persons, of households, and what no exchange of households touches.
    assert_eq!(table(&before, &["region", "sex"]), table(&after, &["region", "sex"]));
    let age =
        |row: &Vec<String>, rows: &[Vec<String>]| row[place(rows, "age")].parse::<u32>().unwrap();
    let sizes = |rows: &[Vec<String>]| of_households(rows, "region", <[Vec<String>]>::len);
    assert_eq!(sizes(&before), sizes(&after));
    let minors = |rows: &[Vec<String>]| {
        of_households(rows, "tenure", |members| {
            members.iter().filter(|row| age(row, rows) < 18).count()
        })
    };
    assert_eq!(minors(&before), minors(&after));
    let persons = ["age", "sex", "job"];
    assert_eq!(who(&before, &persons), who(&after, &persons));
    // Something moved, and nobody moved alone.
    assert_ne!(who(&before, &["region", "age", "sex"]), who(&after, &["region", "age", "sex"]));
    for members in by_household(&after).values() {
        for column in ["region", "tenure"] {
            let values: BTreeSet<&String> =
                members.iter().map(|row| &row[place(&after, column)]).collect();
            assert_eq!(values.len(), 1, "{column}");
        }
    }
    // A household's lines follow each other, and its name is another one's.
    let names: Vec<&String> = after[1..].iter().map(|row| &row[0]).collect();
    let runs = names.chunk_by(|one, other| one == other).count();
    assert_eq!(runs, 400);
    assert_eq!(told["planned_households"]["persons"], before.len() - 1);
    assert_eq!(told["records"], 400);
    assert_eq!(told["equal"], true);
    // Persons at risk, counted from the file.
    let keys = ["region", "age", "sex", "job"];
    let alone = table(&before, &keys).values().filter(|&&count| count == 1).count();
    assert_eq!(told["at_risk"], alone);
    let (old, new) = (table(&before, &keys), table(&after, &keys));
    let unique = old.iter().filter(|(_, count)| **count == 1);
    let gone = unique.filter(|(keys, _)| !new.contains_key(*keys)).count();
    assert_eq!(told["gone"], gone);
    assert!(gone * 10 > alone * 8, "{gone} of {alone}");
    // Who is still found lives in a household that was left as it is.
    let (matched, left) =
        (told["matched"].as_u64().unwrap(), told["without_swap"].as_u64().unwrap());
    let largest = by_household(&before).values().map(Vec::len).max().unwrap();
    assert!(matched <= largest as u64 * left, "{told}");
}

#[test]
fn verify_counts_households_and_a_torn_one_ends_with_one() {
    let desk = Desk::new();
    let data = desk.write("town.csv", &town(400));
    protected(&desk, &data, &KEYS);
    let out = desk.path("out.csv");
    let verify =
        |file: &str| answer(&[&["verify", &data, file, "--shuffled"], &TABLES[..], &KEYS].concat());
    let (told, _) = verify(&out);
    assert_eq!(told["households"]["before"], 400);
    assert_eq!(told["households"]["torn"], 0);
    let counts: Vec<&Value> =
        told["margins"].as_array().unwrap().iter().map(|table| &table["counts"]).collect();
    assert_eq!(counts, ["persons", "households", "households"]);
    assert_eq!(told["equal"], true);
    // One member of a household of two changes the region with one of another household of the
    // same sex: every table of persons is as it was, and two households are torn.
    let mut lines = rows(&out);
    let households = by_household(&lines);
    let sex = place(&lines, "sex");
    let couples: Vec<&String> = households
        .iter()
        .filter(|(_, members)| members.len() == 2 && members[0][sex] == "f")
        .map(|(name, _)| name)
        .collect();
    let region = place(&lines, "region");
    let first = |name: &String| lines.iter().position(|row| row[0] == *name).unwrap();
    let one = first(couples[0]);
    let other = couples
        .iter()
        .map(|name| first(name))
        .find(|&line| lines[line][region] != lines[one][region])
        .unwrap();
    let kept = table(&lines, &["region", "sex"]);
    let swapped = lines[other][region].clone();
    lines[other][region] = std::mem::replace(&mut lines[one][region], swapped);
    assert_eq!(table(&lines, &["region", "sex"]), kept);
    let text: Vec<String> = lines.iter().map(|row| row.join(",")).collect();
    let torn = desk.write("torn.csv", &(text.join("\n") + "\n"));
    let (told, code) = verify(&torn);
    assert_eq!((code, &told["households"]["torn"]), (1, &2.into()));
    assert_eq!(told["verdict"], "do_not_release");
    assert_eq!(told["reasons"][0]["reason"], "torn_households", "{told}");
}

#[test]
fn a_plan_for_households_is_applied_to_their_lines() {
    let desk = Desk::new();
    let data = desk.write("town.csv", &town(300));
    let seed = desk.path("seed");
    fs::write(&seed, "7".repeat(64)).unwrap();
    let (one, other) = (desk.path("one.csv"), desk.path("other.csv"));
    let plan = desk.path("swap.plan");
    let with = ["--seed-file", &seed];
    let made = [&["protect", &data, "-o", &one, "--plan", &plan], &with[..], &TABLES, &KEYS];
    answer(&made.concat());
    let text = fs::read_to_string(&plan).unwrap();
    assert!(text.contains("\"household\":\"hid\"") && text.contains("\"records\":300"));
    let applied = marginswap(&["apply", &data, &plan, "-o", &other, "--seed-file", &seed]);
    assert!(matches!(applied.status.code(), Some(0 | 1)), "{}", err(&applied));
    assert_eq!(fs::read(&one).unwrap(), fs::read(&other).unwrap());
    // In the order of the input households keep their names, and all else is the same.
    let input = desk.path("input.csv");
    let kept = marginswap(&["apply", &data, &plan, "-o", &input, "--order", "input"]);
    assert!(matches!(kept.status.code(), Some(0 | 1)), "{}", err(&kept));
    let (before, after) = (rows(&data), rows(&input));
    let names = |rows: &[Vec<String>]| -> Vec<String> {
        rows[1..].iter().map(|row| row[place(rows, "hid")].clone()).collect()
    };
    assert_eq!(names(&before), names(&after));
}

/// What the members of a household know of it: columns of households are listed by `inspect`.
#[test]
fn inspect_tells_the_columns_of_households() {
    let desk = Desk::new();
    let data = desk.write("town.csv", &town(100));
    let told = json(&["inspect", &data, "--household", "hid", "--id", "pid", "--json"]);
    assert_eq!(told["households"]["households"], 100);
    assert_eq!(told["households"]["of_households"], serde_json::json!(["region", "tenure"]));
    assert_eq!(told["households"]["of_persons"], serde_json::json!(["age", "sex", "job"]));
}

/// The pictures and words of the graph have the members as one variable with a readable name.
#[test]
fn the_graph_shows_who_lives_there() {
    let desk = Desk::new();
    let data = desk.write("town.csv", &town(100));
    let told = json(&[&["graph", &data, "--json"], &TABLES[..]].concat());
    let variables = told["variables"].to_string();
    assert!(variables.contains("who lives there: sex"), "{told}");
    assert!(variables.contains("count(age < 18)") && variables.contains("size"), "{told}");
}

/// A column that holds the size stays, named or not; a wrong one is reported with its number.
#[test]
fn the_size_of_a_household_stays() {
    let desk = Desk::new();
    let text =
        "hid,region,n,age\n1,N,2,30\n2,S,1,40\n1,N,2,35\n3,S,3,8\n3,S,3,9\n3,S,3,60\n4,N,1,70\n";
    let data = desk.write("sized.csv", text);
    let inspect = ["inspect", &data, "--household", "hid", "--json"];
    let told = json(&inspect);
    assert_eq!(told["households"]["counted"], serde_json::json!(["n"]));
    let wrong = desk.write("wrong.csv", &text.replace("4,N,1,70", "4,N,5,70"));
    let told = json(&["inspect", &wrong, "--household", "hid", "--json"]);
    assert_eq!(told["households"]["counted"], serde_json::json!([]));
    let keep = ["--household", "hid", "--household-size", "n", "--keep", "region"];
    let screened = marginswap(&[&["screen", &wrong], &keep[..]].concat());
    assert!(
        err(&screened).contains("`n` is not the number of members in 1 household"),
        "{}",
        err(&screened)
    );
    let noted = marginswap(&["screen", &data, "--household", "hid", "--keep", "region"]);
    assert!(err(&noted).contains("`n` is the number of members"), "{}", err(&noted));
}

/// What goes wrong, with its number and line and without a value.
#[test]
fn slips_are_told_with_their_line() {
    let desk = Desk::new();
    let text = "hid,region,age\nCANARY1,CANARYN,30\n,CANARYS,31\nCANARY1,CANARYN,32\n";
    let data = desk.write("bad.csv", text);
    let good = desk.write("good.csv", &text.replace("\n,", "\nCANARY2,"));
    let refused = |arguments: &[&str], code: &str, word: &str| {
        let output = marginswap(arguments);
        let said = err(&output);
        assert!(said.contains(code) && said.contains(word), "{arguments:?}: {said}");
        assert!(!said.contains("CANARY"), "{said}");
        assert!(matches!(output.status.code(), Some(2 | 3)), "{said}");
    };
    refused(&["inspect", &data, "--household", "hid"], "E260", "line 3");
    let households = ["--household", "hid", "--keep", "region"];
    for (more, code, word) in [
        (&["--vars", "age"][..], "E261", "line 4"),
        (&["--keep-households", "region*age"], "E261", "line 4"),
        (&["--match", "age"], "E261", "what partners agree on"),
        (&["--strata", "hid"], "E107", "names the households"),
        (&["--household-size", "age"], "E261", "size"),
        (&["--weight", "age"], "E261", "weight"),
        (&["--linked", "region,age"], "E261", "linked"),
        (&["--keep-households", "region*count(age <)"], "E104", "character"),
        (&["--keep-households", "region*sise"], "E101", "sise"),
        (&["--keep-households", "region*count(agee < 18)"], "E105", "--> --keep-households"),
        (&["--keep-households", "region*any(region = \"x\")"], "E133", "--> --keep-households"),
        (&["--derive", "old = if(region = \"x\", age, \"none\")", "--keep", "old"], "E133", "old"),
        // What is counted stays with the members; a column that is exchanged does not.
        (&["--keep-households", "region*any(region = \"x\")"], "E133", "let it stay"),
        (&["--keep-households", "region*members(region, age)"], "E133", "let it stay"),
        (&["--id", "hid"], "E106", "hid"),
    ] {
        refused(&[&["screen", &good], &households[..], more].concat(), code, word);
    }
    refused(&["screen", &good, "--household", "hod", "--keep", "region"], "E105", "hid");
    let without = ["screen", &good, "--keep", "region", "--keep-households", "region"];
    refused(&without, "E111", "household");
    let counted = ["screen", &good, "--keep", "n", "--derive", "n = count(age < 18)"];
    refused(&counted, "E111", "household");
    let dropped = ["protect", &good, "--keys", "region", "--drop", "hid", "-o", "x.csv"];
    refused(&[&dropped[..], &households].concat(), "E106", "together");
}

/// A household is at risk when it is alone with keys of its own, and partners agree on what is
/// counted in households.
#[test]
fn keys_and_partners_of_whole_households() {
    let desk = Desk::new();
    let data = desk.write("town.csv", &town(400));
    let more = ["--household-keys", "region,tenure,size,count(age < 18)"];
    let told = protected(&desk, &data, &more);
    let before = rows(&data);
    let mut alone: BTreeMap<Vec<String>, (usize, usize)> = BTreeMap::new();
    for members in by_household(&before).values() {
        let at = |name: &str| members[0][place(&before, name)].clone();
        let age = |row: &Vec<String>| row[place(&before, "age")].parse::<u32>().unwrap();
        let minors = members.iter().filter(|row| age(row) < 18).count();
        let key = vec![at("region"), at("tenure"), members.len().to_string(), minors.to_string()];
        let found = alone.entry(key).or_default();
        *found = (found.0 + 1, found.1 + members.len());
    }
    let at_risk: Vec<usize> =
        alone.values().filter(|(one, _)| *one == 1).map(|(_, members)| *members).collect();
    assert!(at_risk.len() > 3);
    let households = &told["planned_households"];
    assert_eq!(households["households_at_risk"], at_risk.len());
    assert_eq!(told["at_risk"], at_risk.iter().sum::<usize>());
    // Partners of the same size: every household of a region still has the size it had there.
    let desk = Desk::new();
    let matched = ["--match", "size,count(age >= 18)"];
    protected(&desk, &data, &[&KEYS[..], &matched].concat());
    let after = rows(&desk.path("out.csv"));
    let adults = |rows: &[Vec<String>]| {
        let age = place(rows, "age");
        of_households(rows, "region", |members| {
            members.iter().filter(|row| row[age].parse::<u32>().unwrap() >= 18).count()
        })
    };
    assert_eq!(adults(&before), adults(&after));
}

/// Partners are looked for in the smallest area first, and how far households moved is reported.
#[test]
fn partners_are_looked_for_nearby_first() {
    let desk = Desk::new();
    let data = desk.write("town.csv", &town(600));
    let south = ["--derive", "south = if(region in {\"0\", \"1\", \"2\"}, \"yes\", \"no\")"];
    let plan = |more: &[&str]| {
        let keep = ["--household", "hid", "--id", "pid", "--keep-households", "region"];
        let plan = desk.path("near.plan");
        let base = ["plan", &data, "--demo-seed", "5", "--force", "-o", &plan];
        answer(&[&base, &keep[..], &KEYS, &south, more].concat()).0
    };
    let near = plan(&["--near", "south", "--knows", "all"]);
    let moved = near["moved"].as_array().unwrap();
    assert_eq!(moved[0]["within"], "south");
    assert_eq!(moved[1]["within"], Value::Null);
    let count = |place: usize| moved[place]["records"].as_u64().unwrap();
    assert_eq!(count(0) + count(1), near["records_changed"].as_u64().unwrap());
    assert!(count(0) > 10 * count(1), "{moved:?}");
    assert!(plan(&[]).get("moved").is_none());
}

/// The demo has households: its project file runs, and its members fit each other.
#[test]
fn the_demo_has_households() {
    let desk = Desk::new();
    let folder = desk.path("town");
    let (told, code) = answer(&["demo", &folder, "--households", "--records", "3000"]);
    assert_eq!(code, 1, "a demonstration is no release");
    assert_eq!(told["equal"], true);
    assert!(told["planned_households"]["persons"].as_u64().unwrap() >= 3000);
    assert!(told["moved"].as_array().unwrap().len() == 3, "{told}");
    let survey = rows(&format!("{folder}/survey.csv"));
    let (relation, age) = (place(&survey, "relation"), place(&survey, "age"));
    let mut households: BTreeMap<String, Vec<Vec<String>>> = BTreeMap::new();
    for row in &survey[1..] {
        households.entry(row[1].clone()).or_default().push(row.clone());
    }
    for members in households.values() {
        let age = |row: &Vec<String>| row[age].parse::<u32>().unwrap();
        let heads = members.iter().filter(|row| row[relation] == "head");
        assert_eq!(heads.count(), 1);
        let head = members.iter().find(|row| row[relation] == "head").map(age).unwrap();
        for row in members {
            match row[relation].as_str() {
                "child" => assert!(age(row) + 18 <= head),
                "parent" => assert!(age(row) >= head + 16),
                _ => assert!(age(row) >= 19),
            }
        }
    }
    let areas = rows(&format!("{folder}/areas.csv"));
    assert_eq!((areas.len(), areas[0].len()), (61, 5));
}

/// The preset of targeted record swapping: all members move together, a household gets the area
/// of one that is similar, which gets its own, and nothing else changes.
#[test]
fn the_preset_swaps_households() {
    let desk = Desk::new();
    let data = desk.write("town.csv", &town(500));
    let out = desk.path("out.csv");
    let project = desk.write(
        "marginswap.toml",
        "data = 'town.csv'\n[columns]\nid = 'pid'\n[release]\nout = 'out.csv'\norder = 'input'\n\
         [trs]\nhid = 'hid'\nhierarchy = ['region']\nsimilar = [['size', 'tenure'], ['size']]\n\
         risk_variables = ['age', 'sex', 'job']\nk_anonymity = 2\nswaprate = 0.3\n",
    );
    let told = answer(&["protect", "--project", &project, "--demo-seed", "2"]).0;
    let changed = told["households"]["changed"].as_u64().unwrap();
    assert!(changed + 1 >= 150, "the rate is reached: {changed}");
    let (before, after) = (rows(&data), rows(&out));
    assert_eq!(before.len(), after.len());
    let mut moved: BTreeMap<&String, BTreeSet<(&String, &String)>> = BTreeMap::new();
    for (old, new) in before[1..].iter().zip(&after[1..]) {
        // The file without the id of persons, in the order of the input.
        assert_eq!((&old[1], &old[3..]), (&new[0], &new[2..]), "nothing but the region changes");
        moved.entry(&old[1]).or_default().insert((&old[2], &new[1]));
    }
    assert!(moved.values().all(|places| places.len() == 1), "all members move together");
    let changes: Vec<(&String, &String)> =
        moved.values().flatten().filter(|(old, new)| old != new).copied().collect();
    assert_eq!(changes.len() as u64, changed);
    for (old, new) in &changes {
        let there = changes.iter().filter(|change| *change == &(*old, *new)).count();
        let back = changes.iter().filter(|change| *change == &(*new, *old)).count();
        assert_eq!(there, back, "who gets a region gives its own");
    }
    let sizes = |rows: &[Vec<String>]| of_households(rows, "region", <[Vec<String>]>::len);
    assert_eq!(sizes(&before), sizes(&after), "households by region and size");
}

/// The risk of households comes from that of their members.
#[test]
fn the_risk_of_households_is_told_beside() {
    let desk = Desk::new();
    let data = desk.write("town.csv", &town(300));
    let told = json(&[
        "risk",
        &data,
        "--household",
        "hid",
        "--id",
        "pid",
        "--keys",
        "region,age,sex,job",
        "--household-keys",
        "region,tenure,size",
        "--population",
        "9000",
        "--json",
    ]);
    let before = rows(&data);
    let keys = table(&before, &["region", "age", "sex", "job"]);
    let alone = |row: &Vec<String>| {
        keys[&["region", "age", "sex", "job"]
            .map(|name| row[place(&before, name)].clone())
            .to_vec()]
            == 1
    };
    let households = by_household(&before);
    let with = households.values().filter(|members| members.iter().any(alone)).count();
    assert_eq!(told["households"]["with_sample_unique"], with);
    let mut sized: BTreeMap<(String, String, usize), usize> = BTreeMap::new();
    for members in households.values() {
        let at = |name: &str| members[0][place(&before, name)].clone();
        *sized.entry((at("region"), at("tenure"), members.len())).or_default() += 1;
    }
    let unique = sized.values().filter(|&&count| count == 1).count();
    assert_eq!(told["households"]["unique_on_household_keys"], unique);
    let expected = told["households"]["expected_claimed"].as_f64().unwrap();
    assert!(expected > 0.0 && expected <= told["tau2"].as_f64().unwrap() + 1e-9);
}

/// The lines of a small town, drawn by a number.
fn small_town(number: u64) -> (String, Vec<&'static str>, Vec<&'static str>) {
    let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut draw = |below: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % below
    };
    let mut text = HEAD.to_owned();
    let mut person = 0;
    for household in 0..8 + draw(30) {
        let (region, tenure) = (draw(3), ["own", "rent"][draw(2)]);
        for _ in 0..1 + draw(3) {
            let (age, sex, job) = (15 + 10 * draw(4), ["f", "m"][draw(2)], draw(3));
            text.push_str(&format!("p{person},h{household},{region},{tenure},{age},{sex},{job}\n"));
            person += 1;
        }
    }
    let mut some = |all: &[&'static str]| -> Vec<&'static str> {
        all.iter().copied().filter(|_| draw(2) == 0).collect()
    };
    let persons = some(&["region*sex", "region*job", "tenure*age", "sex*job", "region*tenure*sex"]);
    let households = some(&[
        "region*size",
        "tenure*count(age < 30)",
        "region*any(sex = \"f\" and job = \"1\")",
        "tenure*members(sex)",
        "region*members(sex, job)",
    ]);
    (text, persons, households)
}

/// What is counted in a household by each of the tables of the small town.
fn small_table(rows: &[Vec<String>], table: &str) -> BTreeMap<(String, String), usize> {
    let (column, counted) = table.split_once('*').unwrap();
    let at = |row: &Vec<String>, name: &str| row[place(rows, name)].clone();
    let mut found = BTreeMap::new();
    for members in by_household(rows).values() {
        let all = |names: &[&str]| {
            let value = |row: &Vec<String>| names.iter().map(|name| at(row, name)).collect();
            let mut all: Vec<Vec<String>> = members.iter().map(value).collect();
            all.sort();
            format!("{all:?}")
        };
        let holds = |row: &&Vec<String>| at(row, "sex") == "f" && at(row, "job") == "1";
        let young = |row: &&Vec<String>| at(row, "age").parse::<u32>().unwrap() < 30;
        let value = match counted {
            "size" => members.len().to_string(),
            "members(sex)" => all(&["sex"]),
            "members(sex, job)" => all(&["sex", "job"]),
            text if text.starts_with("count") => members.iter().filter(young).count().to_string(),
            _ => members.iter().any(|row| holds(&row)).to_string(),
        };
        *found.entry((at(&members[0], column), value)).or_default() += 1;
    }
    found
}

/// Small towns, drawn by chance: after the exchange of households persons exchange what is theirs,
/// and every table of both kinds, counted from the files alone, is as it was.
#[test]
fn law_persons_after_households_keep_every_table() {
    let (mut moved, mut more_gone, mut groups) = (0u64, 0, 0);
    for number in 0..40 {
        let desk = Desk::new();
        let (text, persons, households) = small_town(number);
        let data = desk.write("town.csv", &text);
        let of_persons = persons.join(" + ");
        let whole = households.join(" + ");
        let mut settings = vec!["--household", "hid", "--id", "pid"];
        if !persons.is_empty() {
            settings.extend(["--keep", &of_persons]);
        }
        if !households.is_empty() {
            settings.extend(["--keep-households", &whole]);
        }
        if number % 4 == 1 {
            settings.extend(["--max-records", "3"]);
        }
        if number % 3 == 0 {
            settings.extend(["--match", "size"]);
        }
        settings.extend(KEYS);
        let run = |more: &[&str]| {
            let out = desk.path("out.csv");
            let base = [
                "protect",
                &data,
                "-o",
                &out,
                "--demo-seed",
                "1",
                "--force",
                "--never-new",
                "none",
            ];
            answer(&[&base, &settings[..], more].concat()).0
        };
        let without = run(&[]);
        let told = run(&["--then", "persons"]);
        assert_eq!(told["equal"], true, "{number}: {told}");
        assert_eq!(told["households"]["torn"], 0);
        let (before, after) = (rows(&data), rows(&desk.path("out.csv")));
        for formula in &persons {
            let names: Vec<&str> = formula.split('*').collect();
            assert_eq!(table(&before, &names), table(&after, &names), "{number}: {formula}");
        }
        for formula in &households {
            let [old, new] = [&before, &after].map(|rows| small_table(rows, formula));
            assert_eq!(old, new, "{number}: {formula}");
        }
        for column in ["age", "sex", "job"] {
            assert_eq!(table(&before, &[column]), table(&after, &[column]), "{number}: {column}");
        }
        for column in ["region", "tenure"] {
            let [old, new] = [&before, &after].map(|rows| of_households(rows, column, |_| 0));
            assert_eq!(old, new, "{number}: {column}");
        }
        for members in by_household(&after).values() {
            for column in ["region", "tenure"] {
                let at = place(&after, column);
                assert!(members.iter().all(|row| row[at] == members[0][at]), "{number}");
            }
        }
        let keys = ["region", "age", "sex", "job"];
        let (old, new) = (table(&before, &keys), table(&after, &keys));
        let alone = old.iter().filter(|(_, count)| **count == 1);
        let gone = alone.filter(|(keys, _)| !new.contains_key(*keys)).count();
        assert_eq!(told["gone"], gone, "{number}");
        let gone = |told: &Value| told["gone"].as_u64().unwrap();
        assert!(gone(&told) >= gone(&without), "{number}: who is gone stays gone");
        more_gone += gone(&told) - gone(&without);
        moved += told["then"]["persons_changed"].as_u64().unwrap();
        groups += told["groups"].as_u64().unwrap() + told["then"]["groups"].as_u64().unwrap();
    }
    assert!(moved > 100 && more_gone > 100, "{moved} persons moved, {more_gone} more are gone");
    assert!(groups > 0, "some swaps are of more than two households or persons");
}

/// One plan with both steps, applied, gives the bytes that `protect` gives; `verify` knows them.
#[test]
fn both_steps_are_one_plan() {
    let desk = Desk::new();
    let data = desk.write("town.csv", &town(150));
    let (seed, plan) = (desk.path("seed"), desk.path("swap.plan"));
    fs::write(&seed, "7".repeat(64)).unwrap();
    let (one, other) = (desk.path("one.csv"), desk.path("other.csv"));
    let then = ["--then", "persons", "--match", "size"];
    let made =
        [&["protect", &data, "-o", &one, "--plan", &plan, "--seed-file", &seed], &TABLES[..]];
    let told = answer(&[&made.concat(), &KEYS[..], &then].concat()).0;
    assert!(told["then"]["swaps"].as_u64().unwrap() > 0, "{told}");
    let text = fs::read_to_string(&plan).unwrap();
    assert!(text.contains("\"format\":4") && text.contains("\nthen persons\n"));
    assert!(text.contains("\"then\":\"persons\""), "the plan knows its settings");
    let applied = marginswap(&["apply", &data, &plan, "-o", &other, "--seed-file", &seed]);
    assert!(matches!(applied.status.code(), Some(0 | 1)), "{}", err(&applied));
    assert_eq!(fs::read(&one).unwrap(), fs::read(&other).unwrap());
    // A plan made apart is the same one.
    let again = desk.path("again.plan");
    let planned = [&["plan", &data, "-o", &again, "--seed-file", &seed], &TABLES[..]].concat();
    answer(&[&planned, &KEYS[..], &then].concat());
    let swaps = |path: &str| {
        let text = fs::read_to_string(path).unwrap();
        text.lines().skip(2).filter(|line| !line.starts_with("end")).map(str::to_owned).collect()
    };
    let [first, second]: [Vec<String>; 2] = [&plan, &again].map(|path| swaps(path));
    assert_eq!(first, second);
    // Shown, and known again in the released file.
    let shown = json(&["show", &plan, "--json"]);
    assert_eq!(shown["then"]["swaps"], told["then"]["swaps"], "{shown}");
    let verify = |more: &[&str]| {
        let base = ["verify", &data, &one, "--shuffled"];
        answer(&[&base, &TABLES[..], &KEYS, more].concat())
    };
    let (told, _) = verify(&then[..2]);
    assert_eq!((&told["equal"], &told["broken"]), (&true.into(), &serde_json::json!([])), "{told}");
    // The public page is written for the file that the plan gives, and refused for another one.
    let page = |plan: &str| {
        let page = desk.path("page.html");
        let base = ["report", &data, &one, "-o", &page, "--external", "--plan", plan, "--shuffled"];
        let more = ["--seed-file", &seed, "--force"];
        marginswap(&[&base[..], &more, &TABLES, &KEYS, &then[..2]].concat())
    };
    let written = page(&plan);
    assert!(written.status.code() != Some(2), "{}", err(&written));
    assert!(fs::read_to_string(desk.path("page.html")).unwrap().contains("</html>"));
    let fewer = desk.path("fewer.plan");
    let base = ["plan", &data, "-o", &fewer, "--seed-file", &seed, "--budget", "10"];
    answer(&[&base, &TABLES[..], &KEYS, &then].concat());
    let refused = page(&fewer);
    assert!(err(&refused).contains("does not give the released file"), "{}", err(&refused));
    // Who does not ask for the second step sees that persons changed.
    let (told, code) = verify(&[]);
    assert!(code == 1 && told["broken"][0].is_array(), "{told}");
    let hint = |more: &[&str]| {
        let base = ["verify", &data, &one, "--shuffled"];
        err(&marginswap(&[&base, &TABLES[..], &KEYS, more].concat()))
            .contains("`then = \"persons\"`")
    };
    assert!(hint(&[]) && !hint(&then[..2]), "and is told how to ask for it");
    // Another sex for one person is found.
    let mut lines = rows(&one);
    let age = place(&lines, "age");
    lines[1][age] = "99".to_owned();
    let text: Vec<String> = lines.iter().map(|row| row.join(",")).collect();
    let forged = desk.write("forged.csv", &(text.join("\n") + "\n"));
    let base = ["verify", &data, &forged, "--shuffled"];
    let (told, code) = answer(&[&base, &TABLES[..], &KEYS, &then[..2]].concat());
    assert!(code == 1 && told["broken"][0].is_array(), "{told}");
    // A step that was taken out of the plan, or put in, is refused.
    let body = fs::read_to_string(&plan).unwrap();
    let forged = body.replace("\nthen persons\n", "\n");
    let forged = desk.write("forged.plan", &forged);
    let refused = marginswap(&["apply", &data, &forged, "-o", &other, "--force"]);
    assert!(err(&refused).contains("E504"), "{}", err(&refused));
}

/// Rules, links and costs of persons hold for the second step; what mixes persons and households
/// is refused, and so is a second step that can exchange nothing.
#[test]
fn settings_of_the_second_step() {
    let desk = Desk::new();
    let data = desk.write("town.csv", &town(150));
    let run = |more: &[&str]| {
        let out = desk.path("out.csv");
        let base = ["protect", &data, "-o", &out, "--demo-seed", "3", "--force"];
        let tables =
            ["--household", "hid", "--id", "pid", "--keep", "region*job", "--match", "size"];
        marginswap(&[&base, &tables[..], &KEYS, more].concat())
    };
    let kept = |columns: &[&str]| {
        let (before, after) = (rows(&data), rows(&desk.path("out.csv")));
        table(&before, columns) == table(&after, columns)
    };
    run(&["--then", "persons"]);
    assert!(!kept(&["age", "sex"]), "persons exchange ages");
    let linked = run(&["--then", "persons", "--linked", "age,sex"]);
    assert!(kept(&["age", "sex"]), "{}", err(&linked));
    let only = run(&["--then", "persons", "--vars", "region,tenure,sex"]);
    assert!(kept(&["age", "job"]) && !kept(&["age", "sex"]), "{}", err(&only));
    for (more, code, word) in [
        (&["--linked", "age,sex"][..], "E261", "linked"),
        (&["--then", "persons", "--linked", "age,region"], "E261", "linked"),
        (&["--then", "persons", "--vars", "region,tenure"], "E109", "persons are to follow"),
        (&["--then", "person"], "E", "write persons"),
    ] {
        let refused = run(more);
        let said = err(&refused);
        assert!(said.contains(code) && said.contains(word), "{more:?}: {said}");
    }
    let alone = marginswap(&["screen", &data, "--keep", "region", "--then", "persons"]);
    assert!(err(&alone).contains("E111") && err(&alone).contains("household"), "{}", err(&alone));
}

/// The town in two files, households in another order than their persons, and as one file.
fn in_two_parts(desk: &Desk, households: usize) -> [String; 3] {
    let rows: Vec<Vec<String>> =
        town(households).lines().map(|line| line.split(',').map(str::to_owned).collect()).collect();
    let mut places: BTreeMap<String, String> = BTreeMap::new();
    let (mut persons, mut joined) = (String::new(), String::new());
    for row in &rows {
        let (common, own) = (row[2..4].join(","), row[4..].join(","));
        persons.push_str(&format!("{},{},{own}\n", row[0], row[1]));
        joined.push_str(&format!("{},{},{own},{common}\n", row[0], row[1]));
        places.insert(row[1].clone(), common);
    }
    let mut text = "region,hid,tenure\n".to_owned();
    for (hid, common) in places.iter().filter(|(hid, _)| *hid != "hid") {
        let (region, tenure) = common.split_once(',').unwrap();
        text.push_str(&format!("{region},{hid},{tenure}\n"));
    }
    [("persons.csv", persons), ("households.csv", text), ("joined.csv", joined)]
        .map(|(name, text)| desk.write(name, &text))
}

/// A household file and a person file give what one file with both gives; both are written.
#[test]
fn two_files_are_released_like_one() {
    let desk = Desk::new();
    let [persons, households, joined] = in_two_parts(&desk, 250);
    let seed = desk.path("seed");
    fs::write(&seed, "7".repeat(64)).unwrap();
    let with = [&TABLES[..], &KEYS, &["--seed-file", &seed]].concat();
    let more = ["--then", "persons", "--match", "size", "--max-records", "3"];
    let one = desk.path("one.csv");
    answer(&[&["protect", &joined, "-o", &one][..], &with, &more].concat());
    let (out, other, plan) = (desk.path("p.csv"), desk.path("h.csv"), desk.path("swap.plan"));
    let parts = ["--households-file", &households, "--households-out", &other];
    let base = ["protect", &persons, "-o", &out, "--plan", &plan];
    let (told, _) = answer(&[&base[..], &parts, &with, &more].concat());
    assert_eq!((&told["equal"], &told["households"]["torn"]), (&true.into(), &0.into()), "{told}");
    // Joined again, line by line, they are the release of the joined file.
    let homes: BTreeMap<String, Vec<String>> =
        rows(&other).into_iter().map(|row| (row[1].clone(), row)).collect();
    assert_eq!(homes.len(), 251, "every household is there once");
    let again: Vec<Vec<String>> = rows(&out)
        .into_iter()
        .map(|row| {
            let home = &homes[&row[0]];
            [&row[..], &[home[0].clone(), home[2].clone()]].concat()
        })
        .collect();
    assert_eq!(again, rows(&one));
    // Both files changed: the household file is in another order, and so is its content.
    let sorted = |path: &str| {
        let mut rows = rows(path);
        rows.sort();
        rows
    };
    assert_ne!(sorted(&households), sorted(&other));
    let names: Vec<String> = rows(&other)[1..].iter().map(|row| row[1].clone()).collect();
    let met: Vec<String> = rows(&out)[1..].iter().map(|row| row[0].clone()).collect();
    let mut met_once = met.clone();
    met_once.dedup();
    assert_eq!(names, met_once, "households come in the order of their persons");
    // Planned before, applied and verified.
    let (first, second) = (desk.path("p2.csv"), desk.path("h2.csv"));
    let applied = marginswap(&[
        "apply",
        &persons,
        &plan,
        "-o",
        &first,
        "--households-file",
        &households,
        "--households-out",
        &second,
        "--seed-file",
        &seed,
    ]);
    assert!(matches!(applied.status.code(), Some(0 | 1)), "{}", err(&applied));
    for (made, again) in [(&out, &first), (&other, &second)] {
        assert_eq!(fs::read(made).unwrap(), fs::read(again).unwrap());
    }
    let verify = |homes: &str| {
        let base = ["verify", &persons, &out, "--households-file", &households, "--shuffled"];
        let more = ["--households-out", homes, "--then", "persons"];
        answer(&[&base[..], &more, &TABLES, &KEYS].concat())
    };
    assert_eq!(verify(&other).0["equal"], true);
    let text = fs::read_to_string(&other).unwrap();
    let at = text.find("\n3,").unwrap();
    let forged = desk.write("forged.csv", &format!("{}\n4,{}", &text[..at], &text[at + 3..]));
    let (told, code) = verify(&forged);
    assert_eq!((code, &told["equal"]), (1, &false.into()), "{told}");
    // The order of the input is that of each file.
    let (first, second) = (desk.path("p3.csv"), desk.path("h3.csv"));
    let kept = marginswap(&[
        "apply",
        &persons,
        &plan,
        "-o",
        &first,
        "--households-file",
        &households,
        "--households-out",
        &second,
        "--order",
        "input",
    ]);
    assert!(matches!(kept.status.code(), Some(0 | 1)), "{}", err(&kept));
    let column = |path: &str, at: usize| -> Vec<String> {
        rows(path).into_iter().map(|row| row[at].clone()).collect()
    };
    assert_eq!(column(&households, 1), column(&second, 1));
    assert_eq!(column(&persons, 1), column(&first, 0));
    // A household file that changed is not the one of the plan.
    let text = fs::read_to_string(&households).unwrap();
    fs::write(&households, text.replacen("own", "rent", 1)).unwrap();
    let stale = marginswap(&[
        "apply",
        &persons,
        &plan,
        "-o",
        &first,
        "--households-file",
        &households,
        "--households-out",
        &second,
        "--seed-file",
        &seed,
        "--force",
    ]);
    assert!(err(&stale).contains("E501"), "{}", err(&stale));
}

/// A household file joined from two sources, one of which quotes: quoted as needed, and told.
#[test]
fn quotes_of_a_household_file_are_made_uniform() {
    let desk = Desk::new();
    let [persons, households, _] = in_two_parts(&desk, 250);
    let mixed: String = desk
        .read("households.csv")
        .lines()
        .enumerate()
        .map(|(number, line)| {
            let (rest, tenure) = line.rsplit_once(',').unwrap();
            match number % 2 {
                1 => format!("{rest},\"{tenure}\"\n"),
                _ => format!("{line}\n"),
            }
        })
        .collect();
    desk.write("households.csv", &mixed);
    let (out, other) = (desk.path("p.csv"), desk.path("h.csv"));
    let base = ["protect", &persons, "-o", &out, "--demo-seed", "1"];
    let parts = ["--households-file", &households, "--households-out", &other];
    let (told, _) = answer(&[&base[..], &parts, &TABLES, &KEYS].concat());
    assert_eq!(told["requoted"].to_string(), r#"["tenure"]"#);
    assert!(!desk.read("h.csv").contains('"'));
}

/// A county that follows from the region of the household is told where whole households part
/// them, with the persons of whom it is no longer true; linked, they stay together.
#[test]
fn what_follows_in_a_household_is_told_of_its_persons() {
    let desk = Desk::new();
    let mut text = String::new();
    for line in town(400).lines() {
        let region = line.split(',').nth(2).unwrap();
        let county = match region.parse::<u32>() {
            Ok(region) => format!("c{}", region / 2),
            Err(_) => "county".to_owned(),
        };
        text.push_str(&format!("{line},{county}\n"));
    }
    let (data, out) = (desk.write("town.csv", &text), desk.path("out.csv"));
    let base = ["protect", &data, "-o", &out, "--demo-seed", "1", "--force", "--never-new", "none"];
    let (told, _) = answer(&[&base[..], &TABLES, &KEYS].concat());
    let released = rows(&out);
    let [region, county] = ["region", "county"].map(|name| place(&released, name));
    let wrong = released[1..].iter().filter(|row| {
        let expected = row[region].parse::<u32>().unwrap() / 2;
        row[county] != format!("c{expected}")
    });
    let wrong = wrong.count();
    assert!(wrong > 0);
    let broken = told["dependencies_broken"].as_array().unwrap();
    let broken = broken.iter().find(|one| one["column"] == "county").unwrap();
    assert_eq!((&broken["how"], &broken["records"]), (&"function".into(), &wrong.into()));
    assert_eq!(broken["of"].to_string(), r#"["region"]"#);
    let linked = ["--linked", "region,county"];
    let (told, _) = answer(&[&base[..], &TABLES, &KEYS, &linked].concat());
    assert_eq!(told["dependencies_broken"].to_string(), "[]");
}

/// Both files or neither: whatever fails, none of the names is given.
#[test]
fn two_files_appear_together() {
    let desk = Desk::new();
    let [persons, households, _] = in_two_parts(&desk, 60);
    let (out, plan) = (desk.path("p.csv"), desk.path("swap.plan"));
    let there = desk.write("there.csv", "mine\n");
    let nowhere = desk.path("nowhere/h.csv");
    let parquet = desk.path("h.parquet");
    let run = |homes: &[&str], data: &str| {
        let base = ["protect", data, "-o", &out, "--plan", &plan, "--demo-seed", "1"];
        let parts = ["--households-file", &households];
        marginswap(&[&base[..], &parts, homes, &TABLES, &KEYS].concat())
    };
    for (homes, code) in [
        (&["--households-out", &*there][..], "E8"),
        (&["--households-out", &nowhere], "E8"),
        (&["--households-out", &households], "E8"),
        (&["--households-out", &out], "E8"),
        (&["--households-out", &parquet], "E116"),
        (&[], "E111"),
    ] {
        let refused = run(homes, &persons);
        assert!(err(&refused).contains(code), "{homes:?}: {}", err(&refused));
        assert!(!matches!(refused.status.code(), Some(0 | 1)), "{homes:?}");
        let left: Vec<String> = fs::read_dir(desk.path(""))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| {
                !["persons.csv", "households.csv", "joined.csv", "there.csv"].contains(&&**name)
            })
            .collect();
        assert_eq!(left, Vec::<String>::new(), "{homes:?}");
    }
    assert_eq!(fs::read_to_string(&there).unwrap(), "mine\n");
}

/// What does not fit together is reported with its line and without a value.
#[test]
fn files_that_do_not_fit_are_refused() {
    let desk = Desk::new();
    let persons = desk.write("p.csv", "hid,age\nCANARY1,30\nCANARY2,31\nCANARY1,32\n");
    let refused = |persons: &str, homes: &str, code: &str, word: &str| {
        let homes = desk.write("h.csv", homes);
        let base = ["inspect", persons, "--household", "hid", "--households-file", &homes];
        let output = marginswap(&base);
        let said = err(&output);
        assert!(said.contains(code) && said.contains(word), "{said}");
        assert!(!said.contains("CANARY"), "{said}");
        assert_eq!(output.status.code(), Some(3), "{said}");
    };
    let head = "region,hid\n";
    let two = "CANARYN,CANARY1\nCANARYS,CANARY2\n";
    refused(&persons, &format!("{head}{two}CANARYS,CANARY3\n"), "E262", "line 4");
    refused(&persons, &format!("{head}CANARYN,CANARY1\n"), "E263", "line 3");
    refused(&persons, &format!("{head}{two}CANARYS,CANARY1\n"), "E264", "line 4");
    refused(&persons, &format!("age,hid\n{two}"), "E265", "age");
    let nobody = desk.write("n.csv", "hid,age\nCANARY1,30\n,31\nCANARY2,32\n");
    refused(&nobody, &format!("{head}{two}"), "E260", "line 3");
    let base = ["inspect", &persons, "--household", "hod", "--households-file"];
    let homes = desk.write("h.csv", &format!("{head}{two}"));
    let output = marginswap(&[&base[..], &[&homes]].concat());
    assert!(err(&output).contains("E105"), "{}", err(&output));
    let told =
        json(&["inspect", &persons, "--household", "hid", "--households-file", &homes, "--json"]);
    assert_eq!(told["households"]["of_households"], serde_json::json!(["region"]));
    let without = marginswap(&["inspect", &persons, "--households-file", &homes]);
    assert!(err(&without).contains("E111"), "{}", err(&without));
}

/// A file that says where the areas are: near partners come first, and how far households moved is
/// told in the answer, in the plan and on the page, as counted here from the files.
#[test]
fn near_areas_come_first() {
    let desk = Desk::new();
    let data = desk.write("town.csv", &town(900));
    // Two islands of three regions each, far apart.
    let map = "region,x,y\n0,0,0\n1,3,4\n2,6,8\n3,1000,0\n4,1003,4\n5,1006,8\n";
    let areas = desk.write("areas.csv", map);
    let (out, page, plan) = (desk.path("out.csv"), desk.path("page.html"), desk.path("p.plan"));
    let run = |more: &[&str]| {
        let base =
            ["protect", &data, "-o", &out, "--demo-seed", "5", "--order", "input", "--force"];
        let keep = ["--household", "hid", "--id", "pid", "--keep-households", "region"];
        let pages = ["--report", &page, "--plan", &plan];
        answer(&[&base, &keep[..], &pages, &KEYS, more].concat()).0
    };
    let told = run(&["--areas", &areas]);
    let (before, after) = (rows(&data), rows(&out));
    let place = |region: &str| -> (f64, f64) {
        let row = map.lines().find(|line| line.starts_with(&format!("{region},"))).unwrap();
        let mut numbers = row.split(',').skip(1).map(|text| text.parse::<f64>().unwrap());
        (numbers.next().unwrap(), numbers.next().unwrap())
    };
    let mut moved: BTreeMap<&String, f64> = BTreeMap::new();
    for (old, new) in before[1..].iter().zip(&after[1..]) {
        let (from, to) = (place(&old[2]), place(&new[1]));
        moved.insert(&old[1], (from.0 - to.0).hypot(from.1 - to.1));
    }
    let far: Vec<f64> = moved.into_values().filter(|&far| far > 0.0).collect();
    let distance = &told["distance"];
    assert_eq!(distance["moved"], far.len(), "{distance}");
    let furthest = far.iter().copied().fold(0.0, f64::max);
    assert_eq!(distance["furthest"], furthest);
    let in_bands: u64 = distance["bands"]
        .as_array()
        .unwrap()
        .iter()
        .map(|band| band["records"].as_u64().unwrap())
        .sum();
    assert_eq!(in_bands, far.len() as u64);
    let beyond = |far: &[f64]| far.iter().filter(|&&far| far > 100.0).count();
    assert!(beyond(&far) * 10 < far.len(), "{} of {}", beyond(&far), far.len());
    let html = fs::read_to_string(&page).unwrap();
    assert!(html.contains("How far households moved"), "the page has the picture");
    // The plan does not depend on where the file of areas lies.
    let text = fs::read_to_string(&plan).unwrap();
    assert!(!text.contains("areas.csv"));
    fs::rename(&areas, desk.path("away.csv")).unwrap();
    let again = desk.path("again.csv");
    let applied = marginswap(&["apply", &data, &plan, "-o", &again, "--order", "input"]);
    assert!(matches!(applied.status.code(), Some(0 | 1)), "{}", err(&applied));
    assert_eq!(fs::read(&out).unwrap(), fs::read(&again).unwrap());
    // Without it partners are anywhere.
    let told = run(&[]);
    assert!(told.get("distance").is_none());
    let after = rows(&out);
    let crossed = before[1..].iter().zip(&after[1..]);
    let crossed = crossed.filter(|(old, new)| (place(&old[2]).0 - place(&new[1]).0).abs() > 100.0);
    assert!(crossed.count() > 10 * beyond(&far).max(1));
    // Slips.
    for (text, more, code) in [
        ("region,x,y\n0,0,0\n1,3,4\n2,6,8\n", &[][..], "E135"),
        ("region,north\n0,0\n", &[], "E136"),
        ("rigion,x,y\n0,0,0\n1,3,4\n2,6,8\n", &[], "E105"),
        (map, &["--near", "tenure"], "E116"),
    ] {
        let bad = desk.write("bad.csv", text);
        let keep = ["--household", "hid", "--id", "pid", "--keep", "region", "--areas", &bad];
        let refused = marginswap(&[&["screen", &data], &keep[..], more].concat());
        assert!(err(&refused).contains(code), "{code}: {}", err(&refused));
    }
}

/// A list of tables holds those of persons and those of households.
#[test]
fn a_list_holds_tables_of_households() {
    let desk = Desk::new();
    let data = desk.write("town.csv", &town(100));
    let list = desk.write(
        "tables.csv",
        "name,variables,unit\nT1,region*sex,person\nT2,region*size,household\n\
         T3,tenure*count(age < 18),households\n",
    );
    let graph = |tables: &[&str]| {
        let base = ["graph", &data, "--household", "hid", "--id", "pid", "--json"];
        json(&[&base, tables].concat())
    };
    let mut listed = graph(&["--tables", &list]);
    let mut named = graph(&TABLES[4..]);
    for told in [&mut listed, &mut named] {
        // Tables of a list have names.
        told.as_object_mut()
            .unwrap()
            .retain(|name, _| ["variables", "edges", "cliques"].contains(&&**name));
    }
    assert_eq!(listed, named);
    assert!(!listed["variables"].as_array().unwrap().is_empty());
    let seed = ["protect", &data, "--demo-seed", "1", "-o"];
    let out = desk.path("out.csv");
    let more = [&*out, "--tables", &list, "--household", "hid", "--id", "pid"];
    let (told, _) = answer(&[&seed[..], &more, &KEYS].concat());
    let counts: Vec<&Value> =
        told["margins"].as_array().unwrap().iter().map(|table| &table["counts"]).collect();
    assert_eq!(counts, ["persons", "households", "households"]);
    // Both kinds are written out, and counted here.
    let folder = desk.path("margins");
    let more = [&*list, "--household", "hid", "--id", "pid", "--margins", &folder];
    marginswap(&[&["verify", &data, &out, "--tables"], &more[..], &KEYS].concat());
    let written = |name: &str| {
        let mut rows = rows(&format!("{folder}/{name}.csv"));
        let head = rows.remove(0);
        let key = |row: &Vec<String>| row[..row.len() - 1].to_vec();
        let count = |row: &Vec<String>| row[row.len() - 1].parse().unwrap();
        let cells = rows.iter().map(|row| (key(row), count(row))).collect();
        (head, cells)
    };
    let people = rows(&data);
    let (head, cells): (_, BTreeMap<Vec<String>, usize>) = written("table-1");
    assert_eq!(head, ["region", "sex", "count"]);
    assert_eq!(cells, table(&people, &["region", "sex"]));
    let (head, cells): (_, BTreeMap<Vec<String>, usize>) = written("households-1");
    assert_eq!(head, ["region", "size", "count"]);
    let mut counted: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    let region = place(&people, "region");
    for members in by_household(&people).values() {
        *counted.entry(vec![members[0][region].clone(), members.len().to_string()]).or_default() +=
            1;
    }
    assert_eq!(cells, counted);
    assert!(fs::exists(format!("{folder}/households-2.csv")).unwrap());
    // A condition on who lives there is one too.
    let list = desk.write(
        "where.csv",
        "variables,where,unit\nregion*sex,,person\ntenure,any(age < 18),household\n",
    );
    let named = ["--keep", "region*sex", "--keep-households", "tenure*any(age < 18)"];
    let [listed, named] = [graph(&["--tables", &list]), graph(&named)];
    assert_eq!(listed["edges"], named["edges"]);
}

/// Where households leave somebody, the advice names the second step, the tables in the words of
/// the file, and coarser keys of persons; following it gives what it promises.
#[test]
fn advice_for_people_whom_households_leave() {
    let desk = Desk::new();
    let data = desk.write("town.csv", &town(60));
    let run = |data: &str, more: &[&str]| {
        let out = desk.path("out.csv");
        let base = ["protect", data, "-o", &out, "--demo-seed", "1", "--force"];
        let tables = ["--household", "hid", "--id", "pid", "--keep", "region*sex*age"];
        answer(&[&base[..], &tables, &KEYS, more].concat()).0
    };
    let told = run(&data, &[]);
    let advice = |told: &Value, kind: &str| -> Vec<Value> {
        let all = told["advice"].as_array().unwrap().iter();
        all.filter(|one| one["advice"] == kind).cloned().collect()
    };
    let number = |value: &Value| value.as_u64().unwrap();
    let left = number(&told["matched"]);
    assert!(left > 0, "{told}");
    let then = advice(&told, "then_persons");
    assert_eq!((then.len(), number(&then[0]["people"])), (1, left));
    let after = run(&data, &["--then", "persons"]);
    assert!(number(&after["matched"]) < left, "{after}");
    assert!(advice(&after, "then_persons").is_empty());
    let tables = advice(&told, "without_table");
    let names: Vec<&str> =
        tables[0]["table"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    assert_eq!(names, ["region", "age", "sex"], "{told}");
    let ages = advice(&told, "coarser_key").into_iter().find(|one| one["key"] == "age").unwrap();
    let lines = rows(&data);
    let age = place(&lines, "age");
    let same: Vec<String> = (0..lines.len())
        .map(|line| {
            let mut row = lines[line].clone();
            if line > 0 {
                row[age] = "0".to_owned();
            }
            row.join(",")
        })
        .collect();
    let coarse = desk.write("coarse.csv", &(same.join("\n") + "\n"));
    let keys = ["--keys", "region,sex,job", "--household", "hid", "--keep", "region*sex"];
    let (counted, _) = answer(&[&["verify", &coarse, &coarse][..], &keys].concat());
    assert_eq!(counted["at_risk"], ages["left_out"]);
}

/// Households in Parquet files, one or two, are released as in CSV files: the same records in the
/// same order.
#[cfg(feature = "parquet")]
#[test]
fn households_in_parquet_files() {
    let desk = Desk::new();
    let data = desk.write("town.csv", &town(80));
    let packed = desk.path("town.parquet");
    write_parquet(&packed, &rows(&data));
    let run = |data: &str, out: &str, more: &[&str]| {
        let base = ["protect", data, "-o", out, "--demo-seed", "3", "--then", "persons"];
        let (told, _) = answer(&[&base, &TABLES[..], &KEYS, more].concat());
        assert_eq!((&told["equal"], &told["households"]["torn"]), (&true.into(), &0.into()));
        assert!(told["records_changed"].as_u64().unwrap() > 0, "{told}");
    };
    let (text, parquet) = (desk.path("out.csv"), desk.path("out.parquet"));
    run(&data, &text, &[]);
    run(&packed, &parquet, &[]);
    assert_eq!(rows(&text), read_parquet(&parquet));
    // A file of each kind: what households have is in one of its own.
    let [persons, households, _] = in_two_parts(&desk, 80);
    let [packed, of_households] =
        ["persons.parquet", "households.parquet"].map(|one| desk.path(one));
    write_parquet(&packed, &rows(&persons));
    write_parquet(&of_households, &rows(&households));
    let outs = ["p.csv", "h.csv", "p.parquet", "h.parquet"].map(|one| desk.path(one));
    run(&persons, &outs[0], &["--households-file", &households, "--households-out", &outs[1]]);
    run(&packed, &outs[2], &["--households-file", &of_households, "--households-out", &outs[3]]);
    assert_eq!(rows(&outs[0]), read_parquet(&outs[2]));
    assert_eq!(rows(&outs[1]), read_parquet(&outs[3]));
}

/// A slip in one line makes a column of households one of persons: it is called out, and persons do
/// not exchange it, so that no family is torn.
#[test]
fn a_slip_tears_no_family() {
    let desk = Desk::new();
    let text = town(200);
    let lines: Vec<&str> = text.lines().collect();
    let shared = |line: &str| {
        let household = line.split(',').nth(1).unwrap();
        lines.iter().filter(|other| other.split(',').nth(1) == Some(household)).count() > 1
    };
    let slip = (1..lines.len()).find(|&at| shared(lines[at])).unwrap();
    let mut fields: Vec<&str> = lines[slip].split(',').collect();
    fields[2] = "CANARY";
    let changed = fields.join(",");
    let data = desk.write("town.csv", &text.replacen(lines[slip], &changed, 1));
    let out = desk.path("out.csv");
    let base = ["--household", "hid", "--id", "pid", "--keep", "tenure*sex", "--keys"];
    let base = [&base[..], &["region,age,sex,job", "--then", "persons"]].concat();
    let protect = ["protect", &data, "-o", &out, "--demo-seed", "1", "--force"];
    let run = |more: &[&str]| marginswap(&[&protect[..], &base, more].concat());
    let said = err(&run(&[]));
    assert!(said.contains("`region` varies inside 1 household"), "{said}");
    assert!(said.contains("(first on line") && !said.contains("CANARY"), "{said}");
    let torn = |rows: &[Vec<String>]| {
        let region = place(rows, "region");
        let varies = |members: &&Vec<Vec<String>>| {
            members.iter().any(|row| row[region] != members[0][region])
        };
        by_household(rows).values().filter(varies).count()
    };
    assert_eq!((torn(&rows(&data)), torn(&rows(&out))), (1, 1));
    // Named among the variables it is exchanged: somebody asked for it.
    run(&["--vars", "region,tenure,age,sex,job"]);
    assert!(torn(&rows(&out)) > 1);
    let refused = run(&["--household-columns", "tenure,region"]);
    assert!(err(&refused).contains("E261") && err(&refused).contains("line "), "{}", err(&refused));
    let told = marginswap(&["inspect", &data, "--household", "hid"]);
    assert!(err(&told).contains("`region` varies inside 1 household"), "{}", err(&told));
}

/// A column of sizes with a few slips stays all the same, and another number is refused.
#[test]
fn sizes_with_slips_stay() {
    let desk = Desk::new();
    let text = town(200);
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    let members = |hid: &str| lines.iter().filter(|line| line[1] == hid).count();
    let write = |name: &str| {
        let mut text = format!("{},{name}\n", HEAD.trim());
        for line in &lines[1..] {
            let size = members(line[1]) + usize::from(["h3", "h7", "h11"].contains(&line[1])) * 5;
            text.push_str(&format!("{},{size}\n", line.join(",")));
        }
        desk.write("sized.csv", &text)
    };
    let wrong = |rows: &[Vec<String>], name: &str| {
        let at = place(rows, name);
        let size = |members: &&Vec<Vec<String>>| members[0][at] != members.len().to_string();
        by_household(rows).values().filter(size).count()
    };
    let out = desk.path("out.csv");
    let run = |data: &str, more: &[&str]| {
        let base =
            ["protect", data, "-o", &out, "--demo-seed", "1", "--force", "--household", "hid"];
        let keys = ["--id", "pid", "--keep", "region*sex", "--keys", "region,age,sex,persons"];
        marginswap(&[&base[..], &keys, more].concat())
    };
    let data = write("persons");
    let said = err(&run(&data, &[]));
    assert!(said.contains("`persons` is not the number of members in 3 households"), "{said}");
    assert_eq!((wrong(&rows(&data), "persons"), wrong(&rows(&out), "persons")), (3, 3));
    let refused = run(&data, &["--household-size", "tenure"]);
    assert!(err(&refused).contains("E266"), "{}", err(&refused));
    // A column may be called `size` and be something else.
    let data = write("size");
    let renamed = fs::read_to_string(&data).unwrap().replace("tenure", "area");
    let other = renamed.replace(",size\n", ",persons\n").replace("area", "size");
    let data = desk.write("other.csv", &other);
    let said = err(&run(&data, &["--keep-households", "region*size"]));
    assert!(said.contains("`size` is a column of the file"), "{said}");
    let told = run(&data, &["--keep-households", "region*size()", "--json"]);
    let told: Value = serde_json::from_slice(&told.stdout).unwrap();
    assert_eq!(told["equal"], true);
    let sizes = |rows: &[Vec<String>]| of_households(rows, "region", |members| members.len());
    assert_eq!(sizes(&rows(&data)), sizes(&rows(&out)));
}

/// Neighbours lead nowhere from an island: who comes from there moved an unknown distance.
#[test]
fn islands_have_no_distance() {
    let desk = Desk::new();
    let data = desk.write("town.csv", &town(300));
    let areas = desk.write("areas.csv", "region,neighbour\n0,1\n1,2\n3,4\n4,5\n");
    let out = desk.path("out.csv");
    let base = ["protect", &data, "-o", &out, "--demo-seed", "1", "--release-id"];
    let (told, _) = answer(&[&base, &TABLES[..], &KEYS, &["--areas", &areas]].concat());
    let (before, after) = (rows(&data), rows(&out));
    let at = place(&before, "region");
    let (old, new) = (by_household(&before), by_household(&after));
    let island = |region: &str| region.parse::<u32>().unwrap() / 3;
    let (mut moved, mut apart) = (0u64, 0u64);
    for (hid, members) in &old {
        let [from, to] = [&members[0][at], &new[hid][0][at]];
        moved += u64::from(from != to);
        apart += u64::from(island(from) != island(to));
    }
    let distance = &told["distance"];
    assert_eq!((&distance["moved"], &distance["unconnected"]), (&moved.into(), &apart.into()));
    assert!(apart > 0 && distance["furthest"].is_null(), "{distance}");
    let shown: u64 = distance["bands"]
        .as_array()
        .unwrap()
        .iter()
        .map(|band| band["records"].as_u64().unwrap())
        .sum();
    assert_eq!(shown + apart, moved);
}

/// The multiset of the members' values is typed like any key, and published tables are compared.
#[test]
fn compositions_and_published_tables() {
    let desk = Desk::new();
    let data = desk.write("town.csv", &town(100));
    let keys = ["--household-keys", "region,members(age, sex)", "--keys", "region,sex"];
    let (told, _) = answer(&[&["plan", &data, "-o", &desk.path("p")], &TABLES[..], &keys].concat());
    assert!(told["household_fates"].is_array() || told["scenarios"].is_array(), "{told}");
    let counted = table(&rows(&data), &["region", "sex"]);
    let mut text = "region,sex,count\n".to_owned();
    for (cell, count) in &counted {
        text.push_str(&format!("{},{},{count}\n", cell[0], cell[1]));
    }
    let published = desk.write("published.csv", &text);
    let out = desk.path("out.csv");
    let base = ["protect", &data, "-o", &out, "--demo-seed", "1", "--published", &published];
    let (told, _) = answer(&[&base, &TABLES[..], &KEYS].concat());
    assert_eq!(told["published"].as_array().map(Vec::len), Some(1), "{told}");
    assert_eq!(told["published"][0]["cells"], counted.len());
    // Widest first, and areas that are not linked, are reported.
    let plan = |near: &str, data: &str| {
        let base = ["plan", data, "-o", &desk.path("near"), "--force", "--near", near];
        err(&marginswap(&[&base, &TABLES[..], &KEYS].concat()))
    };
    let nested: Vec<String> = rows(&data)
        .iter()
        .enumerate()
        .map(|(line, row)| match line {
            0 => format!("{},state", row.join(",")),
            _ => format!("{},{}", row.join(","), row[2].parse::<u32>().unwrap() / 3),
        })
        .collect();
    let nested = desk.write("nested.csv", &(nested.join("\n") + "\n"));
    assert!(plan("state,region", &nested).contains("name the smallest area first"));
    assert!(plan("region,state", &nested).contains("`linked` exchanges them together"));
}

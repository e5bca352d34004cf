//! Whole households, as a user swaps them: families stay together, tables of persons and of
//! households stay as they were, and both are counted here from the files alone.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::Value;
use support::{Desk, answer, err, json, marginswap, rows, table};

/// The head of the town's file.
const HEAD: &str = "pid,hid,region,tenure,age,sex,job\n";

/// A town of households whose members are scattered over the file.
fn town(households: usize) -> String {
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
    let told = protected(&desk, &data, &KEYS);
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
    let (matched, left) = (told["matched"].as_u64().unwrap(), told["left"].as_u64().unwrap());
    assert!(matched <= 2 * left, "{told}");
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

/// What the members of a household know of it: columns of households are told by `inspect`.
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

/// A column that holds the size stays, named or not; a wrong one is told with its number.
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
        err(&screened).contains("1 household has another number of lines"),
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
        (&["--derive", "old = if(region = \"x\", age, \"none\")", "--keep", "old"], "E133", "old"),
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

/// Partners are looked for in the smallest area first, and how far households moved is told.
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
    let near = plan(&["--near", "south"]);
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
    let told = json(&["demo", &folder, "--households", "--records", "3000", "--json"]);
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

//! What the tables give away as a user meets it: proved nearly exactly, explained, and asked
//! about tables that are not published yet; and the most people that can be parted at once.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support;

use serde_json::Value;
use support::{Desk, err, formula, json, marginswap, out, real_data};

const TOWN: &str = "examples/town.csv";
const KEEP: &str = "region*sex*age + sex*age*marital + region*marital";

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

/// Every number of a what-if is that of `screen` with the table in `--keep`.
#[test]
fn what_if_is_screen_with_one_table_more() {
    let (one, two) =
        ("region*sex*age*marital*education*occupation", "region*education + sex*occupation");
    let answer =
        json(&["screen", TOWN, "--keep", KEEP, "--what-if", one, "--what-if", two, "--json"]);
    let plain = json(&["screen", TOWN, "--keep", KEEP, "--json"]);
    for field in ["disclosed", "swappable", "disclosed_is_exact"] {
        assert_eq!(answer[field], plain[field]);
    }
    assert!(plain.get("what_if").is_none() && plain.get("by").is_none());
    let asked = answer["what_if"].as_array().unwrap();
    assert_eq!(asked.len(), 3, "each alone, then both");
    for (what_if, tables) in asked.iter().zip([&[one][..], &[two], &[one, two]]) {
        let keep = format!("{KEEP} + {}", tables.join(" + "));
        let then = json(&["screen", TOWN, "--keep", &keep, "--json"]);
        assert_eq!(what_if["tables"], serde_json::json!(tables));
        assert_eq!(what_if["disclosed"], then["disclosed"]);
        assert_eq!(what_if["swappable"], then["swappable"]);
        let more = number(&then["disclosed"]) - number(&plain["disclosed"]);
        let fewer = number(&plain["swappable"]) - number(&then["swappable"]);
        assert_eq!(number(&what_if["disclosed_more"]), more);
        assert_eq!(number(&what_if["swappable_fewer"]), fewer);
    }
    assert!(number(&asked[2]["swappable_fewer"]) > 0, "these tables matter");
    let text = out(&marginswap(&["screen", TOWN, "--keep", KEEP, "--what-if", one]));
    assert!(text.contains("if published too") && text.contains(one), "{text}");
}

#[test]
fn a_what_if_that_names_no_column_is_refused() {
    for (table, word) in [("age*shoe", "shoe"), ("age*", "missing")] {
        let output = marginswap(&["screen", TOWN, "--keep", KEEP, "--what-if", table]);
        assert_ne!(output.status.code(), Some(0));
        assert!(err(&output).contains(word), "{}", err(&output));
        assert!(out(&output).is_empty(), "nothing is answered");
    }
}

/// Two areas: in one the tables give everybody away, in the other nobody.
#[test]
fn areas_are_counted_and_named_only_when_asked() {
    let desk = Desk::new();
    let mut text = String::from("block,sex,age\n");
    text += "SECRETONE,m,1\nSECRETONE,f,2\nSECRETTWO,m,1\nSECRETTWO,f,2\nSECRETTWO,m,2\nSECRETTWO,f,1\n";
    let data = desk.write("data.csv", &text);
    let keep = "block*sex + block*age";
    let asked = ["screen", &data, "--keep", keep, "--by", "block"];
    let answer = json(&[&asked[..], &["--json"]].concat());
    let by = &answer["by"];
    assert_eq!((number(&by["areas"]), &by["variable"]), (2, &Value::from("block")));
    let areas: Vec<u64> =
        by["by_share"].as_array().unwrap().iter().map(|class| number(&class["areas"])).collect();
    assert_eq!(areas, [2, 0, 0, 0, 0, 0], "both sexes and both ages: all four are free");
    assert!(by.get("each").is_none());
    let said = out(&marginswap(&asked));
    assert!(said.contains("share disclosed") && !said.contains("SECRET"), "{said}");
    // With the joint table kept in addition everything is given away.
    let all = ["screen", &data, "--keep", "block*sex*age", "--by", "block", "--reveal", "--json"];
    let by = &json(&all)["by"];
    assert_eq!(number(&by["by_share"][5]["areas"]), 2);
    assert_eq!(
        by["each"][0],
        serde_json::json!({"value": "SECRETTWO", "records": 4, "disclosed": 4})
    );
    let output = marginswap(&["screen", &data, "--keep", keep, "--by", "blok"]);
    assert!(err(&output).contains("block"), "a slip is met with the name: {}", err(&output));
    let output = marginswap(&["screen", &data, "--keep", keep, "--reveal"]);
    assert_eq!(output.status.code(), Some(2), "--reveal goes with --by");
}

#[test]
fn the_picture_has_a_bar_for_each_question() {
    let desk = Desk::new();
    let svg = desk.path("disclosed.svg");
    let table = "age*education*occupation";
    let asked =
        ["screen", TOWN, "--keep", KEEP, "--what-if", table, "--by", "region", "--svg", &svg];
    assert_eq!(marginswap(&asked).status.code(), Some(0));
    let picture = desk.read("disclosed.svg");
    for words in ["Already disclosed by the tables", table, "areas with all disclosed"] {
        assert!(picture.contains(words), "{words}");
    }
    assert_eq!(marginswap(&asked).status.code(), Some(8), "no file is overwritten");
}

/// The proof that `explain` gives adds up, and its counts are those of the file.
#[test]
fn a_proof_is_checked_by_hand() {
    let keep =
        "region*sex*age*marital + sex*age*marital*education + age*marital*education*occupation";
    let desk = Desk::new();
    let list = desk.path("screened.csv");
    json(&["screen", TOWN, "--keep", keep, "--out", &list, "--json"]);
    let screened = support::rows(&list);
    let town = support::rows(TOWN);
    let disclosed = screened.iter().skip(1).filter(|row| row[4] == "1");
    let mut checked = 0;
    for row in disclosed.take(5) {
        let record: usize = row[0].parse().unwrap();
        let explained = json(&["explain", TOWN, "--keep", keep, "--record", &row[0], "--json"]);
        let sum = &explained["proof"]["sum"];
        let count = |term: &Value| -> i64 {
            let names: Vec<&str> = term["table"]
                .as_array()
                .unwrap()
                .iter()
                .map(|name| name.as_str().unwrap())
                .collect();
            let places: Vec<usize> = names
                .iter()
                .map(|name| town[0].iter().position(|other| other == name).unwrap())
                .collect();
            let own = &town[record];
            let here = town[1..]
                .iter()
                .filter(|other| places.iter().all(|&place| other[place] == own[place]))
                .count();
            assert_eq!(number(&term["count"]), here as u64);
            here as i64
        };
        let added: i64 = sum["added"].as_array().unwrap().iter().map(count).sum();
        let taken: i64 = sum["taken_off"].as_array().unwrap().iter().map(count).sum();
        assert_eq!(added - taken, explained["cell_count"].as_i64().unwrap());
        assert_eq!(explained["proof"]["kind"], "sum");
        checked += 1;
    }
    assert!(checked > 2, "{checked}");
}

/// Three people of one slice: pairs part two of them, a permutation all three, and the answer
/// says that no more is possible. A plan with groups is applied as any other.
#[test]
fn slices_part_more_than_pairs_and_say_so() {
    let desk = Desk::new();
    let data = desk.write("data.csv", "a,s,b\n1,x,1\n2,x,2\n3,x,3\n");
    let run = |pairing: &str, out: &str| -> Value {
        let released = desk.path(out);
        let fixed = ["protect", &data, "--keys", "a,s,b", "--keep", "a*s + s*b"];
        let more = ["--demo-seed", "1", "-o", &released, "--pairing", pairing];
        support::answered(&[&fixed[..], &more].concat())
    };
    let (pairs, slices) = (run("greedy", "pairs.csv"), run("slices", "slices.csv"));
    assert_eq!((number(&pairs["separated"]), number(&slices["separated"])), (2, 3));
    assert_eq!((number(&pairs["most_separated"]), number(&slices["most_separated"])), (3, 3));
    assert_eq!((number(&slices["groups"]), number(&slices["gone"])), (1, 3));
    assert_eq!(slices["equal"], true);
    let fixed = ["protect", &data, "--keys", "a,s,b", "--keep", "a*s + s*b"];
    let third = desk.path("third.csv");
    let text = out(&marginswap(&[&fixed[..], &["--demo-seed", "1", "-o", &third]].concat()));
    assert!(text.contains("No more than 3 people can be separated"), "{text}");
}

/// The most people that one permutation in each slice parts from their keys where nobody comes
/// to have those of another one; from a bipartite matching written elsewhere.
const OPTIMA: [(&str, &str, u64); 11] = [
    ("german7", "two_cliques_overlap3", 507),
    ("german7", "two_cliques_overlap5", 39),
    ("nursery8", "two_cliques_overlap2", 0),
    ("nursery8", "two_cliques_overlap4", 0),
    ("nursery8", "two_cliques_overlap6", 0),
    ("paperlike_adult", "two_cliques_overlap2", 2_234),
    ("paperlike_adult", "two_cliques_overlap4", 1_965),
    ("paperlike_adult", "two_cliques_overlap6", 565),
    ("sd2011_8", "two_cliques_overlap2", 3_919),
    ("sd2011_8", "two_cliques_overlap4", 2_694),
    ("sd2011_8", "two_cliques_overlap6", 621),
];

/// Two kept tables on real files: at least 99 in 100 of what can be parted at once are.
#[test]
fn slices_come_near_the_most_on_real_files() {
    let Some(folder) = real_data("permutations in slices on real files") else { return };
    for id in ["sd2011_8", "paperlike_adult", "german7", "nursery8"] {
        let scenario = std::fs::read_to_string(folder.join(id).join("scenario.json")).unwrap();
        let scenario: Value = serde_json::from_str(&scenario).unwrap();
        let data = folder.join(id).join("data.csv");
        let names: Vec<String> = scenario["levels"]
            .as_object()
            .unwrap()
            .keys()
            .map(|name| format!("`{name}`"))
            .collect();
        let keys = names.join(",");
        for (class, said) in scenario["classes"].as_object().unwrap() {
            if said["tables"].as_array().unwrap().len() != 2 {
                continue;
            }
            let desk = Desk::new();
            let run = |pairing: &str| {
                let plan = desk.path(&format!("{pairing}.json"));
                let fixed = ["plan", data.to_str().unwrap(), "--keys", &keys];
                let keep = formula(&said["tables"]);
                let more = ["--keep", &keep, "--demo-seed", "1", "-o", &plan];
                support::answered(&[&fixed[..], &more, &["--pairing", pairing]].concat())
            };
            let (pairs, slices) = (run("greedy"), run("slices"));
            let (parted, most) = (number(&slices["separated"]), number(&slices["most_separated"]));
            assert!(parted >= number(&pairs["separated"]), "{id} {class}: no class gets worse");
            assert!(parted <= most, "{id} {class}: {parted} of {most}");
            let optimum = OPTIMA.iter().find(|(file, of, _)| (*file, *of) == (id, class.as_str()));
            let &(.., optimum) = optimum.unwrap();
            assert!(100 * parted >= 99 * optimum, "{id} {class}: {parted} of {optimum}");
        }
    }
}

/// The reconstructed census records that the Census Bureau released.
#[test]
fn the_block_tables_give_the_tracts_away() {
    let Some(folder) = real_data("the census tracts") else { return };
    let data = folder.join("../arena/census_tracts.csv");
    if !data.exists() {
        return;
    }
    let keep = "block*sex*age38*age23*adult + block*sex*age23*race7*adult + \
                block*sex*age23*hispanic*adult + block*sex*age23*white_nh*adult + \
                block*hispanic*race63*race7*white_nh*adult";
    let answer = json(&["screen", data.to_str().unwrap(), "--keep", keep, "--json"]);
    assert_eq!(number(&answer["records"]), 32_300);
    assert_eq!(number(&answer["disclosed"]), 32_210);
    assert_eq!(answer["disclosed_is_exact"], true);
}

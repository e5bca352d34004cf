//! Released files attacked by somebody who reads nothing but their bytes: which lines were
//! changed, and what is true of whom? Made-up files with what gave swaps away once, and real ones
//! where they are at hand; `--nocapture` prints the table.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::print_stdout, reason = "it prints its table")]

use crate::households::town;
use crate::support;
use crate::support::attacks::Files;

use std::fs;

use serde_json::Value;
use support::{Desk, answer, formula, real_data};

/// Numbers without a pattern.
struct Draw(u64);

impl Draw {
    fn below(&mut self, below: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }
}

/// A survey of two sources, of which the second quotes: where it may, and where it must.
fn joined(records: usize) -> String {
    let mut draw = Draw(7);
    let mut file = String::from("person,region,sex,age,job,income\n");
    for record in 0..records {
        let source = draw.below(2);
        let quote = if source == 0 { "" } else { "\"" };
        let fields = [
            format!("r{}", draw.below(8)),
            format!("s{}", draw.below(2)),
            (20 + draw.below(40)).to_string(),
            format!("j{}", draw.below(9)),
            (1 + draw.below(6)).to_string(),
        ];
        let fields = fields.map(|field| format!("{quote}{field}{quote}"));
        file += &format!("p{record:05},{}\n", fields.join(","));
    }
    file
}

/// A survey in which the members of a household add up, and the county follows from the town.
fn adding_up(records: usize) -> String {
    let mut draw = Draw(11);
    let mut file = String::from("person,region,sex,age,kids,adults,total,county\n");
    for record in 0..records {
        let [region, kids, adults] = [draw.below(12), draw.below(5), 1 + draw.below(4)];
        file += &format!(
            "p{record:05},r{region},s{},{},{kids},{adults},{},c{}\n",
            draw.below(2),
            20 + draw.below(30),
            kids + adults,
            region / 3
        );
    }
    file
}

/// Protects a file and attacks the release; what is told, and the attacks that succeed. The seed
/// is fixed, because the verdict on an attack depends on luck.
fn attacked(
    what: &str,
    data: &str,
    keys: &[&str],
    more: &[&str],
) -> (Value, i32, Files, Vec<&'static str>) {
    let desk = Desk::new();
    let (input, released) = (desk.write("data.csv", data), desk.path("released.csv"));
    let all = keys.join(",");
    let job = [
        "protect",
        &input,
        "-o",
        &released,
        "--ignore",
        "person",
        "--keys",
        &all,
        "--demo-seed",
        "7",
    ];
    let (said, code) = answer(&[&job[..], more].concat());
    let files = Files::of(data, &desk.read("released.csv"));
    println!("\n{what}: {} of {} lines changed\n", files.changed(), files.records());
    let found = files.attacks(keys);
    found.iter().for_each(|attack| println!("{attack}"));
    assert!(files.changed() > 50, "{what}: something is to be found");
    let succeeded = found.iter().filter(|attack| attack.succeeds()).map(|attack| attack.name);
    (said, code, files, succeeded.collect())
}

const JOINED: &[&str] = &["region", "sex", "age", "job"];

/// Lines of two sources, one of which quotes: 1,252 of 5,000 released lines were once of both
/// kinds, and each of them was changed.
#[test]
fn quotes_give_no_swap_away() {
    let data = joined(5_000);
    for order in ["random", "input"] {
        let more = ["--keep", "sex*age", "--rate", "15%", "--order", order];
        let (said, _, _, succeeded) = attacked(order, &data, JOINED, &more);
        assert_eq!(succeeded, Vec::<&str>::new());
        assert_eq!(said["requoted"].to_string(), r#"["region","sex","age","job","income"]"#);
        assert_eq!(said["equal"], true);
    }
    // Where one source quotes nothing, every byte is one of the original.
    let plain = data.replace('"', "");
    let (said, _, files, _) =
        attacked("plain", &plain, JOINED, &["--keep", "sex*age", "--rate", "15%"]);
    assert_eq!(said["requoted"].to_string(), "[]");
    assert!(files.changed() > 0);
}

/// Children and adults that no longer add up: 1,128 of 5,000 released lines once said so, and the
/// verdict was to release. Linked, they travel together.
#[test]
fn a_broken_sum_is_a_reason_for_review() {
    let data = adding_up(5_000);
    let keys = ["region", "sex", "age", "total"];
    let job = ["--keep", "sex*age"];
    let (said, _, files, succeeded) = attacked("apart", &data, &keys, &job);
    let broken = said["dependencies_broken"].as_array().unwrap();
    let sum = broken.iter().find(|one| one["how"] == "sum").unwrap();
    assert_eq!(sum["column"], "total");
    assert_eq!(sum["of"].to_string(), r#"["kids","adults"]"#);
    assert_eq!(sum["records"], files.wrong_sums(["kids", "adults", "total"]));
    assert!(succeeded.contains(&"broken sums"), "{succeeded:?}");
    let reasons = said["reasons"].as_array().unwrap();
    let reason = reasons.iter().find(|one| one["reason"] == "dependencies_broken").unwrap();
    assert_eq!(reason["records"], said["dependencies_broken_records"]);
    let tolerant = ["--tolerate-dependencies-broken", "5000"];
    let (said, ..) = attacked("tolerated", &data, &keys, &[&job[..], &tolerant].concat());
    assert!(!said["reasons"].to_string().contains("dependencies_broken"));
    let linked = ["--linked", "kids,adults,total", "--linked", "region,county"];
    let (said, _, files, succeeded) =
        attacked("linked", &data, &keys, &[&job[..], &linked].concat());
    assert_eq!(said["dependencies_broken"].to_string(), "[]");
    assert_eq!(files.wrong_sums(["kids", "adults", "total"]), 0);
    assert!(!succeeded.contains(&"broken sums") && !succeeded.contains(&"broken functions"));
}

/// `init` and `inspect` name what follows from what.
#[test]
fn what_follows_is_proposed_to_be_linked() {
    let desk = Desk::new();
    let data = desk.write("data.csv", &adding_up(2_000));
    let project = desk.path("marginswap.toml");
    let output = support::marginswap(&["init", &data, "-o", &project]);
    assert!(output.status.success(), "{}", support::err(&output));
    let draft = desk.read("marginswap.toml");
    assert!(draft.contains("#   \"kids\" + \"adults\" = \"total\""), "{draft}");
    assert!(draft.contains("#   \"county\" follows from \"region\""), "{draft}");
    assert!(
        draft.contains(r#"#linked = [["region", "county"], ["kids", "adults", "total"]]"#),
        "{draft}"
    );
    let (said, _) = answer(&["inspect", &data, "--ignore", "person"]);
    let told: Vec<String> = said["dependencies"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| format!("{} {} {}", one["how"], one["column"], one["of"]))
        .collect();
    assert_eq!(told, [r#""function" "county" ["region"]"#, r#""sum" "total" ["kids","adults"]"#]);
}

/// Households that are swapped as a whole: their persons are scattered over the file.
#[test]
fn households_give_no_swap_away() {
    let data = town(1_500);
    let desk = Desk::new();
    let (input, released) = (desk.write("data.csv", &data), desk.path("released.csv"));
    let job = ["protect", &input, "-o", &released, "--ignore", "pid", "--household", "hid"];
    let more = ["--keep", "region*sex", "--keep-households", "region*size", "--demo-seed", "7"];
    answer(&[&job[..], &more, &["--keys", "region,tenure,age,job", "--force"]].concat());
    // The names of households are new ones, so nothing is said by what they were.
    let unnamed = |text: &str| -> String {
        let fields = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
        fields.map(|fields| format!("{},{}\n", fields[0], fields[2..].join(","))).collect()
    };
    let files = Files::of(&unnamed(&data), &unnamed(&desk.read("released.csv")));
    println!("\nhouseholds: {} of {} lines changed\n", files.changed(), files.records());
    let found = files.attacks(&["region", "tenure", "age", "job"]);
    found.iter().for_each(|attack| println!("{attack}"));
    assert!(files.changed() > 50);
    let succeeded = found.iter().filter(|attack| attack.succeeds()).map(|attack| attack.name);
    assert_eq!(succeeded.collect::<Vec<_>>(), Vec::<&str>::new());
}

/// Real files, or their first records; the tables of an agency are kept, the first five columns
/// are keys.
///
/// The tables of sd2011_8 do not hold age and social position together, so an exchange of one makes
/// more people of forty retired (4 in the original, 33 released) and more of fifty students. They
/// are never new, but still untypical, and the look for untypical lines succeeds. It no longer does
/// where that table is kept as well, which is what an agency can do.
#[test]
fn real_files_give_no_swap_away() {
    let files = [
        ("german7", 1_000, ""),
        ("sd2011_8", 5_000, ""),
        ("sd2011_8", 5_000, " + agegr*socprof"),
        ("adult8", 5_000, ""),
        ("kdd12", 5_000, ""),
    ];
    let mut all: Vec<String> = Vec::new();
    for (name, most, more_tables) in files {
        let Some(root) = real_data("attacks on real files") else { return };
        let folder = root.join(name);
        let scenario: Value =
            serde_json::from_str(&fs::read_to_string(folder.join("scenario.json")).unwrap())
                .unwrap();
        let data = fs::read_to_string(folder.join("data.csv")).unwrap();
        let mut numbered = String::new();
        for (number, line) in data.lines().take(most + 1).enumerate() {
            match number {
                0 => numbered += &format!("person,{line}\n"),
                _ => numbered += &format!("p{number:06},{line}\n"),
            }
        }
        let names: Vec<&str> = data.lines().next().unwrap().split(',').collect();
        let tables = formula(&scenario["classes"]["agency"]["tables"]) + more_tables;
        let more = ["--keep", &tables, "--budget", "30%"];
        let (_, _, _, succeeded) =
            attacked(&format!("{name}{more_tables}"), &numbered, &names[..5], &more);
        all.extend(succeeded.into_iter().map(|attack| format!("{name}{more_tables}: {attack}")));
    }
    assert_eq!(all, ["sd2011_8: least typical"]);
}

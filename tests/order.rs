//! The order of the released lines gives no swap away: the attack that compares each line with
//! its neighbours, played on every kind of output; and the id that is not released.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support;
use crate::support::outside;

use std::collections::HashMap;
use std::fs;
use std::io::{Read, Write};
use std::path::Path;

use outside::fields;
use support::{Desk, answer, err, marginswap, out, read_parquet, write_parquet};

type Lines = Vec<Vec<String>>;

const RECORDS: usize = 4_000;
const REGIONS: u64 = 10;
const JOB: &[&str] = &["--keys", "region,sex,age,job", "--keep", "sex*age", "--rate", "15%"];

/// A survey: a running number, then region, sex, age and job, each drawn by itself.
fn survey() -> Lines {
    let mut state = 2_024u64;
    let mut draw = |below: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    (0..RECORDS)
        .map(|_| {
            let values = [draw(REGIONS), draw(2), draw(7), draw(9)];
            ["r", "s", "a", "j"]
                .iter()
                .zip(values)
                .map(|(sign, value)| format!("{sign}{value}"))
                .collect()
        })
        .collect()
}

/// The survey as a file: numbered in its order, under a header.
fn numbered(survey: &Lines) -> Lines {
    let header = ["person", "region", "sex", "age", "job"].map(str::to_owned).to_vec();
    let number = |(place, line): (usize, &Vec<String>)| {
        let mut all = vec![format!("p{place:05}")];
        all.extend(line.iter().cloned());
        all
    };
    std::iter::once(header).chain(survey.iter().enumerate().map(number)).collect()
}

fn sorted() -> Lines {
    let mut survey = survey();
    survey.sort();
    numbered(&survey)
}

fn text(lines: &Lines) -> String {
    lines.iter().map(|line| line.join(",") + "\n").collect()
}

/// What the attack comes to, by the truth about each line.
#[derive(Debug)]
struct Attack {
    /// Lines whose region was exchanged.
    exchanged: usize,
    /// Lines that differ from their two neighbours, which agree.
    claimed: usize,
    /// Of these, those whose own region is the neighbours'.
    put_back: usize,
    /// How many would be put back if all lines had random neighbours.
    by_chance: f64,
}

/// Compares the region of each line with those before and after it. The number of a person only
/// tells the truth afterwards.
fn attack(before: &Lines, released: &[&Vec<String>]) -> Attack {
    let own: HashMap<&String, &String> =
        before[1..].iter().map(|line| (&line[0], &line[1])).collect();
    let mut counts: HashMap<&String, usize> = HashMap::new();
    for line in released {
        *counts.entry(&line[1]).or_default() += 1;
    }
    let share = |region: &String| counts[region] as f64 / released.len() as f64;
    let exchanged: Vec<&&Vec<String>> =
        released.iter().filter(|line| *own[&line[0]] != line[1]).collect();
    let mut found = Attack {
        exchanged: exchanged.len(),
        claimed: 0,
        put_back: 0,
        by_chance: exchanged.iter().map(|line| share(own[&line[0]]).powi(2)).sum(),
    };
    for near in released.windows(3) {
        let guess = &near[0][1];
        if *guess == near[2][1] && *guess != near[1][1] {
            found.claimed += 1;
            found.put_back += usize::from(own[&near[1][0]] == guess);
        }
    }
    found
}

/// Plays the attack on a release that shows the running numbers: in the order of the file it
/// finds nothing, in the order of the numbers nearly everything.
fn assert_order_says_nothing(before: &Lines, released: &Lines) {
    assert_eq!(released[0], before[0]);
    let lines: Vec<&Vec<String>> = released[1..].iter().collect();
    let blind = attack(before, &lines);
    assert!(blind.exchanged > 200, "{blind:?}");
    let most = blind.by_chance + 4.0 * blind.by_chance.sqrt() + 4.0;
    assert!((blind.put_back as f64) < most, "{blind:?}");
    let mut numbered = lines;
    numbered.sort();
    let seeing = attack(before, &numbered);
    // How much comes back depends on the seed: mostly seven to nine tenths.
    assert!(seeing.put_back * 2 > seeing.exchanged, "the attack works: {seeing:?}");
    assert!(seeing.put_back * 10 > seeing.claimed * 9, "and is rarely wrong: {seeing:?}");
}

fn protect(data: &str, released: &str, more: &[&str]) {
    let job = [&["protect", data, "-o", released, "--force"], JOB, more].concat();
    let (said, _) = answer(&job);
    assert_eq!(said["equal"], true);
}

#[test]
fn the_order_of_a_csv_file_gives_nothing_away() {
    let (desk, before) = (Desk::new(), sorted());
    let (data, released) = (desk.write("survey.csv", &text(&before)), desk.path("released.csv"));
    protect(&data, &released, &["--id", "person", "--release-id"]);
    assert_order_says_nothing(&before, &fields(&desk.read("released.csv")));
    // By the seed file as well, and the same seed gives the same order.
    let seed = desk.path("seed");
    protect(&data, &released, &["--id", "person", "--release-id", "--seed-file", &seed]);
    let first = desk.read("released.csv");
    assert_order_says_nothing(&before, &fields(&first));
    protect(&data, &released, &["--id", "person", "--release-id", "--seed-file", &seed]);
    assert_eq!(first, desk.read("released.csv"));
}

#[test]
fn the_order_of_a_packed_file_gives_nothing_away() {
    let (desk, before) = (Desk::new(), sorted());
    let (data, released) = (desk.path("survey.csv.gz"), desk.path("released.csv.gz"));
    let mut packed = flate2::write::GzEncoder::new(
        fs::File::create(&data).unwrap(),
        flate2::Compression::fast(),
    );
    packed.write_all(text(&before).as_bytes()).unwrap();
    packed.finish().unwrap();
    protect(&data, &released, &["--id", "person", "--release-id"]);
    let mut unpacked = String::new();
    flate2::read::MultiGzDecoder::new(fs::File::open(&released).unwrap())
        .read_to_string(&mut unpacked)
        .unwrap();
    assert_order_says_nothing(&before, &fields(&unpacked));
}

/// Parquet on both sides, written and read by its own library.
#[cfg(feature = "parquet")]
#[test]
fn the_order_of_a_parquet_file_gives_nothing_away() {
    let (desk, before) = (Desk::new(), sorted());
    let [data, released] = ["survey.parquet", "released.parquet"].map(|name| desk.path(name));
    write_parquet(&data, &before);
    protect(&data, &released, &["--id", "person", "--release-id"]);
    assert_order_says_nothing(&before, &read_parquet(&released));
    protect(&data, &released, &["--id", "person"]);
    assert_eq!(read_parquet(&released)[0], ["region", "sex", "age", "job"]);
    let job = ["protect", &data, "-o", &released, "--force", "--id", "person", "--order", "input"];
    let refused = marginswap(&[&job, JOB].concat());
    assert!(err(&refused).contains("E117"), "{}", err(&refused));
}

/// A plan that is followed later, without the seed of the run: the order is random all the same.
#[test]
fn the_order_of_a_followed_plan_gives_nothing_away() {
    let (desk, before) = (Desk::new(), sorted());
    let data = desk.write("survey.csv", &text(&before));
    let [plan, released] = ["swap.plan", "released.csv"].map(|name| desk.path(name));
    answer(&[&["plan", &data, "-o", &plan, "--id", "person"], JOB].concat());
    let (said, _) = answer(&["apply", &data, &plan, "-o", &released, "--release-id"]);
    assert_eq!(said["equal"], true);
    assert_order_says_nothing(&before, &fields(&desk.read("released.csv")));
}

#[test]
fn the_order_of_a_sorted_input_is_refused() {
    let (desk, before) = (Desk::new(), sorted());
    let (data, released) = (desk.write("survey.csv", &text(&before)), desk.path("released.csv"));
    let job = ["protect", &data, "-o", &released, "--id", "person", "--order", "input"];
    let refused = marginswap(&[&job, JOB].concat());
    assert_eq!(refused.status.code(), Some(2), "{}", err(&refused));
    assert!(
        err(&refused).contains("E117") && err(&refused).contains("`region`"),
        "{}",
        err(&refused)
    );
    assert!(!Path::new(&released).exists());
    // From a project file it is that file's fault.
    let project = desk.write("project.toml", "[release]\norder = \"input\"\n");
    let job = ["protect", &data, "-o", &released, "--id", "person", "--project", &project];
    let refused = marginswap(&[&job, JOB].concat());
    assert_eq!(refused.status.code(), Some(4), "{}", err(&refused));
    assert!(!Path::new(&released).exists());
    // `apply` is no way around it.
    let plan = desk.path("swap.plan");
    answer(&[&["plan", &data, "-o", &plan, "--id", "person"], JOB].concat());
    let refused = marginswap(&["apply", &data, &plan, "-o", &released, "--order", "input"]);
    assert_eq!(refused.status.code(), Some(2), "{}", err(&refused));
    assert!(err(&refused).contains("E117"), "{}", err(&refused));
    assert!(!Path::new(&released).exists());
}

/// Neighbours tell a value as well where regions come in turn, or incomes rise.
#[test]
fn the_order_of_a_patterned_input_is_refused() {
    let desk = Desk::new();
    let taking_turns = |place: usize| format!("r{}", place % 8);
    let rising = |place: usize| (9_000 + 7 * place).to_string();
    let patterns: [(&dyn Fn(usize) -> String, &str); 2] =
        [(&taking_turns, "repeats every 8 records"), (&rising, "is sorted")];
    for (pattern, told) in patterns {
        let mut survey = survey();
        survey.iter_mut().enumerate().for_each(|(place, line)| line[0] = pattern(place));
        let data = desk.write("survey.csv", &text(&numbered(&survey)));
        let released = desk.path("released.csv");
        let job = ["protect", &data, "-o", &released, "--id", "person", "--order", "input"];
        let refused = marginswap(&[&job, JOB, &["--vars", "region,sex,age,job"]].concat());
        assert_eq!(refused.status.code(), Some(2), "{}", err(&refused));
        assert!(
            err(&refused).contains("E117") && err(&refused).contains(told),
            "{}",
            err(&refused)
        );
        assert!(!Path::new(&released).exists());
    }
}

/// Where no column comes in runs the order may stay; then a diff shows the swaps alone.
#[test]
fn the_order_of_an_unsorted_input_may_stay() {
    let (desk, before) = (Desk::new(), numbered(&survey()));
    let (data, released) = (desk.write("survey.csv", &text(&before)), desk.path("released.csv"));
    let job =
        ["protect", &data, "-o", &released, "--id", "person", "--release-id", "--order", "input"];
    let (said, _) = answer(&[&job, JOB].concat());
    let after = fields(&desk.read("released.csv"));
    let own: Vec<(&Vec<String>, &Vec<String>)> = before.iter().zip(&after).collect();
    assert!(own.iter().all(|(left, right)| left[0] == right[0]), "every person is at their place");
    let differing = own.iter().filter(|(left, right)| left != right).count() as u64;
    assert_eq!(said["records_changed"], differing);
    assert!(differing >= RECORDS as u64 * 15 / 100);
    let values: usize = own
        .iter()
        .map(|(left, right)| left.iter().zip(*right).filter(|(left, right)| left != right).count())
        .sum();
    assert_eq!(said["cells_changed"], values as u64);
}

/// A running number that takes no part is released as it is, and called out as telling; left
/// out, nothing is reported.
#[test]
fn a_telling_column_that_takes_no_part_is_called_out() {
    let (desk, before) = (Desk::new(), numbered(&survey()));
    let (data, released) = (desk.write("survey.csv", &text(&before)), desk.path("released.csv"));
    let page = desk.path("page.html");
    let job = ["protect", &data, "-o", &released, "--ignore", "person", "--report", &page];
    let words = "nearly every record has its own value of `person`, released as it is";
    let shown = marginswap(&[&job, JOB].concat());
    assert!(err(&shown).contains(words), "{}", err(&shown));
    assert!(desk.read("page.html").contains(&RECORDS.to_string().replace("4000", "4,000")));
    let check = ["verify", &data, &released, "--ignore", "person"];
    let shown = marginswap(&[&check, &JOB[..4]].concat());
    assert!(err(&shown).contains(words), "{}", err(&shown));
    let shown = marginswap(&[&job, JOB, &["--drop", "person", "--force"]].concat());
    assert!(!err(&shown).contains("its own value of"), "{}", err(&shown));
}

#[test]
fn the_id_is_released_only_when_it_is_asked_for() {
    let (desk, before) = (Desk::new(), numbered(&survey()));
    let (data, released) = (desk.write("survey.csv", &text(&before)), desk.path("released.csv"));
    protect(&data, &released, &["--id", "person"]);
    let after = desk.read("released.csv");
    assert_eq!(fields(&after)[0], ["region", "sex", "age", "job"]);
    assert!(!after.contains("p0"), "no number is left anywhere");
    // So `verify` compares the rest; the id of the original does not stop it.
    let check = [&["verify", &data, &released, "--id", "person"], &JOB[..4]].concat();
    let (said, _) = answer(&check);
    assert_eq!(said["equal"], true);
    let shown = marginswap(&check);
    assert!(out(&shown).starts_with("Verdict"), "{}", out(&shown));
    protect(&data, &released, &["--id", "person", "--release-id"]);
    assert_eq!(fields(&desk.read("released.csv"))[0], before[0]);
    // An id that names everybody is reported, and is a matter for a reviewer.
    let (said, code) = answer(&check);
    assert_eq!(code, 1, "{said}");
    let reasons = said["reasons"].as_array().unwrap();
    assert!(reasons.iter().any(|reason| reason["reason"] == "ids_released"), "{said}");
    assert!(err(&marginswap(&check)).contains("its own value of `person`"));
}

/// A running number that is released restores the order of the input, whichever role it has, and
/// a column that tells an exchanged one shows where they contradict each other.
#[test]
fn columns_that_give_swaps_away_are_a_reason() {
    let desk = Desk::new();
    let sorted = desk.write("sorted.csv", &text(&sorted()));
    // In no order, and with the region's municipality after it.
    let mut lines = survey();
    for (place, line) in lines.iter_mut().enumerate() {
        line.push(format!("{}-{}", line[0], place % 7));
    }
    let mut lines = numbered(&lines);
    lines[0].push("municipality".to_owned());
    let plain = desk.write("plain.csv", &text(&lines));
    for (place, (data, role, columns)) in [
        (&sorted, &["--id", "person", "--release-id"][..], 1),
        (&sorted, &["--ignore", "person"], 1),
        (&sorted, &["--stay", "person"], 1),
        (&sorted, &["--id", "person"], 0),
        (&plain, &["--id", "person", "--release-id", "--ignore", "municipality"], 1),
        (&plain, &["--id", "person", "--stay", "municipality"], 1),
        (&plain, &["--id", "person", "--linked", "region,municipality"], 0),
    ]
    .into_iter()
    .enumerate()
    {
        let released = desk.path(&format!("released{place}.csv"));
        let (said, _) = answer(&[&["protect", data, "-o", &released], JOB, role].concat());
        let told = |said: &serde_json::Value| {
            let all = said["reasons"].as_array().unwrap().iter();
            let mut found = all.filter(|why| why["reason"] == "columns_tell");
            found.next().map_or(0, |why| why["columns"].as_u64().unwrap())
        };
        assert_eq!(told(&said), columns, "{role:?}: {}", said["reasons"]);
        let role: Vec<&str> = role.iter().copied().filter(|word| *word != "--release-id").collect();
        let (said, _) = answer(&[&["verify", data, &released], &JOB[..4], &role].concat());
        assert_eq!(told(&said), columns, "{role:?}: {}", said["reasons"]);
    }
}

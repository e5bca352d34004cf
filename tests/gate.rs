//! One gate with three answers: `protect`, `verify` and `report` give the same one, exit with 0
//! only for "release", and never give it where nothing was checked or nothing was done.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support;

use std::path::Path;

use serde_json::Value;
use support::{Desk, answer, err, marginswap, out};

const TOWN: &str = "examples/town.csv";
const KEYS: &[&str] = &["--keys", "region,sex,age,marital"];
const KEEP: &[&str] = &["--keep", "sex*age + marital*education"];

fn reasons(said: &Value) -> Vec<&str> {
    said["reasons"].as_array().unwrap().iter().map(|why| why["reason"].as_str().unwrap()).collect()
}

fn reason<'a>(said: &'a Value, name: &str) -> Option<&'a Value> {
    said["reasons"].as_array().unwrap().iter().find(|why| why["reason"] == name)
}

#[test]
fn an_unchanged_file_is_not_released() {
    let (said, code) = answer(&[&["verify", TOWN, TOWN], KEYS, KEEP].concat());
    assert_eq!((said["verdict"].as_str(), code), (Some("do_not_release"), 1));
    assert!(said["at_risk"].as_u64().unwrap() > 0);
    assert_eq!(said["matched_right"], said["at_risk"], "everything is learned about everybody");
    let why = reasons(&said);
    assert!(why.contains(&"nothing_exchanged") && why.contains(&"matched_right"), "{why:?}");
    let shown = marginswap(&[&["verify", TOWN, TOWN], KEYS, KEEP].concat());
    assert!(
        out(&shown).starts_with("Verdict: do not release; nothing was exchanged"),
        "{}",
        out(&shown)
    );
    assert!(!err(&shown).contains("next: release"), "{}", err(&shown));
}

#[test]
fn a_file_that_nobody_checked_is_reviewed() {
    let desk = Desk::new();
    let released = desk.path("released.csv");
    answer(&[&["protect", TOWN, "-o", &released], KEYS, KEEP].concat());
    let (said, code) = answer(&["verify", TOWN, &released]);
    assert_eq!((said["verdict"].as_str(), code), (Some("review"), 1));
    assert_eq!(reasons(&said), ["no_keys", "no_tables"]);
    let (said, code) = answer(&[&["verify", TOWN, &released], KEEP].concat());
    assert_eq!((said["verdict"].as_str(), code), (Some("review"), 1));
    assert_eq!(reasons(&said), ["no_keys"]);
    // Keys with which nobody is at risk test no protection either.
    let (said, code) = answer(&[&["verify", TOWN, &released, "--keys", "sex"], KEEP].concat());
    assert_eq!((said["verdict"].as_str(), code), (Some("review"), 1));
    assert_eq!(reasons(&said), ["nobody_checked"]);
}

#[test]
fn where_nothing_can_be_exchanged_nothing_is_written() {
    let desk = Desk::new();
    let [released, plan, page] =
        ["released.csv", "swap.plan", "report.html"].map(|name| desk.path(name));
    // The whole file is one kept table.
    let everything = "region*sex*age*marital*education*occupation";
    let job = [
        "protect",
        TOWN,
        "--keys",
        "region,sex,age,marital,occupation",
        "--keep",
        everything,
        "-o",
        &released,
        "--plan",
        &plan,
        "--report",
        &page,
    ];
    let shown = marginswap(&job);
    assert_eq!(shown.status.code(), Some(1), "{}", err(&shown));
    assert!(
        out(&shown).starts_with("Verdict: do not release; nothing was exchanged"),
        "{}",
        out(&shown)
    );
    let left: Vec<_> =
        std::fs::read_dir(desk.folder()).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert!(left.is_empty(), "{left:?}");
    let (said, code) = answer(&job);
    assert_eq!((said["verdict"].as_str(), code), (Some("do_not_release"), 1));
    assert_eq!(reason(&said, "nothing_exchanged").unwrap()["at_risk"], said["at_risk"]);
    assert!(!Path::new(&released).exists());
    let (said, code) = answer(&[&job[..], &["--force"]].concat());
    assert_eq!((said["verdict"].as_str(), code), (Some("do_not_release"), 1));
    assert!(
        Path::new(&released).exists() && Path::new(&plan).exists() && Path::new(&page).exists()
    );
    // A budget of nothing is the same.
    let second = desk.path("second.csv");
    let (said, code) =
        answer(&[&["protect", TOWN, "-o", &second, "--budget", "0"], KEYS, KEEP].concat());
    assert_eq!((said["verdict"].as_str(), code), (Some("do_not_release"), 1));
    assert!(!Path::new(&second).exists());
}

/// All three commands of one release, with and without tolerances.
#[test]
fn every_command_gives_the_same_verdict_and_reasons() {
    let settings: &[&[&str]] = &[
        &[],
        &["--tolerate-matched", "100%"],
        &[
            "--tolerate-matched",
            "100%",
            "--tolerate-not-separable",
            "100%",
            "--tolerate-shared-right",
            "100%",
        ],
        &["--tolerate-new-pairs", "0"],
        &["--never-new", "none", "--tolerate-moved", "1%"],
        &["--sensitive", "education"],
        &["--more-keys", "education,occupation,age"],
    ];
    // With region*sex*age kept, some keys cannot be parted.
    for keep in ["sex*age + marital*education", "region*sex*age*marital"] {
        for more in settings {
            let desk = Desk::new();
            let [released, page] = ["released.csv", "report.html"].map(|name| desk.path(name));
            let more = [KEYS, &["--keep", keep], more].concat();
            let (protect, code) =
                answer(&[&["protect", TOWN, "-o", &released], &more[..]].concat());
            let (verify, verify_code) = answer(&[&["verify", TOWN, &released], &more[..]].concat());
            let (report, report_code) =
                answer(&[&["report", TOWN, &released, "-o", &page], &more[..]].concat());
            // Who is hidden needs the plan, which is not kept here.
            let by_files = support::reasons_of_files(&protect);
            let alike = by_files.len() == reasons(&protect).len();
            for (said, ended) in [(&verify, verify_code), (&report, report_code)] {
                assert_eq!(support::reasons_of_files(said), by_files, "{more:?}");
                if alike {
                    assert_eq!(said["verdict"], protect["verdict"], "{more:?}");
                    assert_eq!(ended, code, "{more:?}");
                }
            }
            assert_eq!(report["coverage"]["separable"], protect["separable"], "{more:?}");
            assert_eq!(code, i32::from(protect["verdict"] != "release"), "{more:?}");
            assert_eq!(protect["verdict"] == "release", reasons(&protect).is_empty(), "{more:?}");
        }
    }
}

/// What is tolerated is no reason; one person more is.
#[test]
fn tolerances_move_the_gate() {
    let desk = Desk::new();
    let released = desk.path("released.csv");
    // The keys are in one kept table: everybody at risk stays matched and cannot be parted.
    let job = ["--keys", "region,sex,age,marital", "--keep", "region*sex*age*marital"];
    let (said, _) = answer(&[&["protect", TOWN, "-o", &released], &job[..]].concat());
    let count = |name: &str| said[name].as_u64().unwrap();
    let (matched, right) = (count("matched"), count("matched_right"));
    assert!(matched > 10 && matched == count("at_risk"));
    let verdict = |more: &[&str]| {
        let (said, code) = answer(&[&["verify", TOWN, &released], &job[..], more].concat());
        assert_eq!(code, i32::from(said["verdict"] != "release"));
        said
    };
    let [all, fewer] = [matched, matched - 1].map(|people| people.to_string());
    assert!(reason(&verdict(&["--tolerate-matched", &all]), "matched").is_none());
    let strict = verdict(&["--tolerate-matched", &fewer]);
    let why = reason(&strict, "matched").unwrap();
    assert_eq!((&why["people"], &why["tolerated"]), (&matched.into(), &(matched - 1).into()));
    assert!(reason(&verdict(&["--tolerate-matched", "5%"]), "matched").is_some());
    assert!(reason(&verdict(&["--tolerate-matched", "100%"]), "matched").is_none());
    assert!(reason(&verdict(&["--tolerate-not-separable", "100%"]), "not_separable").is_none());
    assert!(reason(&strict, "not_separable").is_some());
    if right > 0 {
        assert_eq!(strict["verdict"], "do_not_release");
        let right = right.to_string();
        let softer = verdict(&["--tolerate-matched-right", &right]);
        assert!(reason(&softer, "matched_right").is_none());
        assert_eq!(softer["verdict"], "review");
    }
    // A file with people gone is released when nothing is left to say.
    let freed = desk.path("freed.csv");
    let job = [KEYS, &["--keep", "sex*age"]].concat();
    let (said, _) = answer(&[&["protect", TOWN, "-o", &freed], &job[..]].concat());
    assert!(said["gone"].as_u64().unwrap() > 0);
    let softest = [
        "--tolerate-matched",
        "100%",
        "--tolerate-shared-right",
        "100%",
        "--tolerate-not-separable",
        "100%",
        "--tolerate-newly-exposed",
        "100%",
        "--tolerate-matched-right",
        "100%",
    ];
    let (said, code) = answer(&[&["verify", TOWN, &freed], &job[..], &softest[..]].concat());
    assert_eq!((said["verdict"].as_str(), code), (Some("release"), 0), "{}", said["reasons"]);
}

/// The person of the first line is still found, by two records that agree truly on three of four
/// sensitive values.
#[test]
fn a_shared_person_of_whom_much_is_learned_is_reviewed() {
    let desk = Desk::new();
    let header = "place,sex,age,illness,income,party,hobby\n";
    let before = desk.write(
        "before.csv",
        &format!("{header}n,m,20,x,high,left,chess\ns,m,20,y,low,right,golf\nn,m,30,x,high,left,golf\ns,m,30,y,low,right,chess\n"),
    );
    // The second and third line exchange place, sex and age with hobby.
    let after = desk.write(
        "after.csv",
        &format!("{header}n,m,20,x,high,left,chess\nn,m,20,x,high,left,golf\ns,m,30,y,low,right,golf\ns,m,30,y,low,right,chess\n"),
    );
    let job = ["verify", &before, &after, "--keys", "place,sex,age", "--keep", "sex*age"];
    let (said, code) = answer(&job);
    assert_eq!((said["verdict"].as_str(), code), (Some("review"), 1), "{said}");
    assert_eq!(said["shared_right"], 0);
    assert_eq!(said["shared_learned"], 2);
    assert_eq!(said["protected"], 2, "two are gone");
    assert_eq!(reason(&said, "shared_learned").unwrap()["people"], 2);
    assert_eq!(said["scenarios"][0]["shared_values_true"], 1.0);
    let (said, _) = answer(&[&job[..], &["--tolerate-shared-learned", "2"]].concat());
    assert_eq!(said["verdict"], "release", "{said}");
    // With one value left to hide it is hidden.
    let (said, _) = answer(&[&job[..], &["--detach", "1"]].concat());
    assert_eq!((said["shared_learned"].as_u64(), &said["verdict"]), (Some(0), &"release".into()));
}

/// People with whom one other shares the keys are at risk by the rule, and nothing was done for
/// them.
#[test]
fn who_shares_the_keys_with_the_same_records_as_before_is_not_protected() {
    let desk = Desk::new();
    let header = "place,job,income\n";
    let people: String =
        ["a", "b", "c"].map(|place| format!("{place},x,1\n{place},x,2\n")).concat();
    let before = desk.write("before.csv", &format!("{header}{people}d,y,3\nd,z,4\n"));
    let after = desk.write("after.csv", &format!("{header}{people}d,y,4\nd,z,3\n"));
    let job = ["verify", &before, &after, "--keys", "place,job", "--keep", "place"];
    let (said, code) = answer(&[&job[..], &["--risky", "k:3"]].concat());
    assert_eq!((said["verdict"].as_str(), code), (Some("review"), 1), "{said}");
    assert_eq!((said["shared"].as_u64(), said["shared_learned"].as_u64()), (Some(6), Some(6)));
    assert_eq!((said["matched"].as_u64(), said["protected"].as_u64()), (Some(2), Some(0)));
    assert_eq!(reason(&said, "nobody_protected").unwrap()["at_risk"], 8);
    assert_eq!(reason(&said, "shared_learned").unwrap()["people"], 6);
}

/// Following a plan that exchanges nothing writes no copy, as `protect` does not.
#[test]
fn a_plan_that_exchanges_nothing_writes_nothing() {
    let desk = Desk::new();
    let [plan, released] = ["none.plan", "released.csv"].map(|name| desk.path(name));
    let shown = marginswap(&[&["plan", TOWN, "-o", &plan, "--budget", "0"], KEYS, KEEP].concat());
    assert_eq!(shown.status.code(), Some(1), "{}", err(&shown));
    let job = ["apply", TOWN, &plan, "-o", &released];
    let shown = marginswap(&job);
    assert_eq!(shown.status.code(), Some(1), "{}", err(&shown));
    assert!(err(&shown).contains("nothing was written"), "{}", err(&shown));
    assert!(!Path::new(&released).exists());
    let shown = marginswap(&[&job[..], &["--force"]].concat());
    assert_eq!(shown.status.code(), Some(1), "{}", err(&shown));
    assert!(err(&shown).contains("next: do not release this file"), "{}", err(&shown));
    assert!(Path::new(&released).exists());
}

/// No page says that a file may be published which the gate does not release.
#[test]
fn the_external_report_of_a_file_that_is_not_released_says_so() {
    let desk = Desk::new();
    let [released, page, again] =
        ["released.csv", "external.html", "again.html"].map(|name| desk.path(name));
    let job = [KEYS, KEEP].concat();
    let files = ["protect", TOWN, "-o", &released, "--external-report", &page, "--budget", "4"];
    let shown = marginswap(&[&files[..], &job].concat());
    assert_eq!(shown.status.code(), Some(1), "{}", err(&shown));
    assert!(err(&shown).contains("is the external report: NOT FOR RELEASE"), "{}", err(&shown));
    let files = ["report", TOWN, &released, "--external", "-o", &again];
    let (said, code) = answer(&[&files[..], &job].concat());
    assert_eq!((said["class"].as_str(), code), (Some("NOT FOR RELEASE"), 1));
    assert_eq!(said["verdict"], "do_not_release");
    for page in ["external.html", "again.html"] {
        let page = desk.read(page);
        assert!(page.contains("NOT FOR RELEASE") && !page.contains("May be published"), "{page}");
    }
}

/// A second release of one input, and a second plan for it, are reported by every command that
/// makes one.
#[test]
fn two_releases_of_one_input_are_told_of() {
    let desk = Desk::new();
    let [one, two, three, plan, other] =
        ["1.csv", "2.csv", "3.csv", "a.plan", "b.plan"].map(|name| desk.path(name));
    let told = |arguments: &[&str]| err(&marginswap(&[arguments, KEYS, KEEP].concat()));
    let said = told(&["protect", TOWN, "-o", &one]);
    assert!(!said.contains("another release"), "{said}");
    // What another run has set aside for a while is none.
    let aside = format!(".marginswap-{}-old-AbC123", std::process::id());
    std::fs::copy(&one, desk.path(&aside)).unwrap();
    let said = told(&["protect", TOWN, "-o", &one, "--force"]);
    assert!(!said.contains("another release"), "{said}");
    std::fs::remove_file(desk.path(&aside)).unwrap();
    let said = told(&["protect", TOWN, "-o", &two]);
    assert!(said.contains("1.csv has the same columns and length"), "{said}");
    let said = told(&["plan", TOWN, "-o", &plan]);
    assert!(!said.contains("another plan"), "{said}");
    let said = told(&["plan", TOWN, "-o", &other]);
    assert!(said.contains("a.plan is another plan for this input"), "{said}");
    let said = err(&marginswap(&["apply", TOWN, &other, "-o", &three]));
    assert!(said.contains("a.plan is another plan") && said.contains("2.csv has"), "{said}");
}

/// Everything that can be tolerated is.
const SOFTEST: &[&str] = &[
    "--tolerate-matched",
    "100%",
    "--tolerate-shared-right",
    "100%",
    "--tolerate-shared-learned",
    "100%",
    "--tolerate-not-separable",
    "100%",
    "--tolerate-newly-exposed",
    "100%",
    "--tolerate-matched-right",
    "100%",
];

/// With a rule that takes some of those who are alone with their keys the others are not looked
/// up, and no tolerance makes that a yes.
#[test]
fn people_who_were_not_counted_are_a_reason() {
    let desk = Desk::new();
    let listed = format!("records:{}", desk.write("listed.txt", "17\n42\n"));
    let job = [KEYS, &["--keep", "sex*age"], SOFTEST].concat();
    let alone = answer(&[&["verify", TOWN, TOWN], &job[..]].concat()).0["at_risk"].clone();
    let alone = alone.as_u64().unwrap();
    for (place, rule) in
        [["top:5", "5%"], ["top:1", "50%"], [&listed, "5%"]].into_iter().enumerate()
    {
        let released = desk.path(&format!("released{place}.csv"));
        let rule = ["--risky", rule[0], "--fraction", rule[1]];
        let rule = if place == 2 { &rule[..2] } else { &rule[..] };
        let (said, code) = answer(&[&["protect", TOWN, "-o", &released], &job[..], rule].concat());
        assert_eq!(code, 1, "{rule:?}");
        let counted = said["at_risk"].as_u64().unwrap();
        let people = reason(&said, "alone_not_counted").unwrap()["people"].as_u64().unwrap();
        if place < 2 {
            assert_eq!(people, alone - counted, "{rule:?}");
        } else {
            assert!(people >= alone - counted && people <= alone, "{people} of {alone}");
        }
        let verify = [&["verify", TOWN, &released], &job[..]].concat();
        let (same, code) = answer(&[&verify[..], rule].concat());
        let by_files = support::reasons_of_files(&said);
        assert_eq!((support::reasons_of_files(&same), code), (by_files, 1), "{rule:?}");
        let text = out(&marginswap(&[&verify[..], rule].concat()));
        assert!(text.contains("unique on the keys and not counted at risk"), "{text}");
    }
    // Where everybody who is alone is counted, there is no such reason.
    let (said, _) = answer(&[&["verify", TOWN, TOWN, "--risky", "k:3"], &job[..]].concat());
    assert!(reason(&said, "alone_not_counted").is_none());
}

/// A plan tells that a file was made with a demo seed: the one that is followed, or one that
/// lies next to either file and gives the released records.
#[test]
fn a_demonstration_is_known_by_its_plan() {
    let desk = Desk::new();
    let data = desk.path("town.csv");
    std::fs::copy(TOWN, &data).unwrap();
    let [released, plan, other] =
        ["released.csv", "swap.plan", "other.csv"].map(|name| desk.path(name));
    let job = [KEYS, &["--keep", "sex*age"], SOFTEST].concat();
    let made = ["protect", &data, "-o", &released, "--plan", &plan, "--demo-seed", "1"];
    let (said, code) = answer(&[&made, &job[..]].concat());
    assert_eq!((said["verdict"].as_str(), code), (Some("do_not_release"), 1));
    let verdict = |after: &str| {
        let (said, _) = answer(&[&["verify", &data, after], &job[..]].concat());
        (said["verdict"].as_str().unwrap().to_owned(), reason(&said, "demo_seed").is_some())
    };
    assert_eq!(verdict(&released), ("do_not_release".to_owned(), true));
    let settings = [&["--order", "random"], SOFTEST].concat();
    let (said, code) = answer(&[&["apply", &data, &plan, "-o", &other], &settings[..]].concat());
    assert_eq!((reason(&said, "demo_seed").is_some(), code), (true, 1));
    assert_eq!(verdict(&other), ("do_not_release".to_owned(), true));
    // Another release of the same file is not blamed for it.
    let second = desk.path("second.csv");
    answer(&[&["protect", &data, "-o", &second], &job[..]].concat());
    assert_eq!(verdict(&second), ("release".to_owned(), false));
    // Without the plan the order tells, until it is another one.
    std::fs::remove_file(&plan).unwrap();
    assert_eq!(verdict(&released), ("do_not_release".to_owned(), true));
    assert_eq!(verdict(&second), ("release".to_owned(), false));
    let text = desk.read("released.csv");
    let (names, records) = text.split_once('\n').unwrap();
    let mut records: Vec<&str> = records.lines().collect();
    records.sort_unstable();
    let sorted = desk.write("sorted.csv", &format!("{names}\n{}\n", records.join("\n")));
    assert!(!verdict(&sorted).1);
}

/// The original in the place of the release: its plan proves it.
#[test]
fn files_the_wrong_way_round_are_told_apart() {
    let desk = Desk::new();
    let data = desk.path("town.csv");
    std::fs::copy(TOWN, &data).unwrap();
    let [released, plan] = ["released.csv", "swap.plan"].map(|name| desk.path(name));
    let job = [KEYS, &["--keep", "sex*age"], SOFTEST].concat();
    let made = ["protect", &data, "-o", &released, "--plan", &plan];
    answer(&[&made, &job[..]].concat());
    let words = "the two files are the wrong way round";
    for ([before, after], wrong) in [([&data, &released], false), ([&released, &data], true)] {
        let check = [&["verify", before, after], &job[..]].concat();
        let (said, code) = answer(&check);
        assert_eq!(reason(&said, "plan_differs").is_some(), wrong, "{said}");
        assert_eq!((err(&marginswap(&check)).contains(words), code == 1), (wrong, wrong));
    }
    // Without the plan nothing is sure.
    std::fs::remove_file(&plan).unwrap();
    let check = [&["verify", &released, &data], &job[..]].concat();
    assert!(!err(&marginswap(&check)).contains(words));
}

/// A share of new pairs is one of all two-way combinations in the released file.
#[test]
fn a_share_of_new_pairs_is_of_all_that_occur() {
    let desk = Desk::new();
    let released = desk.path("released.csv");
    // There are enough values that most combinations never occur.
    let line = |one: u32| format!("a{},b{},c{}\n", one * 7 % 20, one * one % 23, one * 11 % 17);
    let text: String = (0..150).map(line).collect();
    let data = desk.write("sparse.csv", &format!("a,b,c\n{text}"));
    let job = [&["--keys", "a,b", "--keep", "b", "--never-new", "none"], SOFTEST].concat();
    let (said, _) = answer(&[&["protect", &data, "-o", &released], &job[..]].concat());
    let rows = support::rows(&released);
    let names: Vec<&str> = rows[0].iter().map(String::as_str).collect();
    let mut occurring = 0;
    for (place, left) in names.iter().enumerate() {
        for right in &names[place + 1..] {
            occurring += support::table(&rows, &[left, right]).len();
        }
    }
    let new = said["new_pairs"].as_u64().unwrap() as f64;
    assert!(new >= 1.0, "the example has some");
    let is_a_reason = |share: f64| {
        let share = format!("{:.9}", share / occurring as f64);
        let more = ["--tolerate-new-pairs", share.as_str()];
        let (said, _) = answer(&[&["verify", &data, &released], &job[..], &more].concat());
        reason(&said, "new_pairs").is_some()
    };
    assert!(is_a_reason(new - 0.5) && !is_a_reason(new + 0.5), "{new} of {occurring}");
}

/// New combinations are a reason, rare ones and those that look impossible counted apart; which
/// they are is shown to who asks, and to nobody else.
#[test]
fn new_pairs_are_a_reason_and_are_revealed_to_who_asks() {
    let desk = Desk::new();
    // Ten toddlers and ten widows, two of a rare trade; nobody is a toddler and a widow.
    let rows = |toddlers: [&str; 2]| {
        let mut text = "age,status,trade,key\n".to_owned();
        let line = |age, status, trade, key| format!("{age},{status},{trade},{key}\n");
        text += &line("toddler", toddlers[0], "none", 1);
        text += &line("old", toddlers[1], "falconer", 2);
        for key in 3..12 {
            text += &line("toddler", "single", "none", key);
            text += &line("old", "widowed", "none", key);
        }
        text
    };
    let before = desk.write("before.csv", &rows(["single", "widowed"]));
    let after = desk.write("after.csv", &rows(["widowed", "single"]));
    let job = ["--keys", "key", "--keep", "age*trade"];
    let verify = [&["verify", &before, &after], &job[..]].concat();
    let (said, code) = answer(&verify);
    // toddler and widowed, old and single: ten times ten of twenty; single and falconer is rare.
    assert_eq!((&said["new_pairs"], &said["new_pairs_impossible"]), (&3.into(), &2.into()));
    let why = reason(&said, "new_pairs").unwrap();
    let expected = serde_json::json!({"reason": "new_pairs", "combinations": 3, "impossible": 2, "tolerated": 0});
    assert_eq!((why, code), (&expected, 1));
    let shown = out(&marginswap(&verify));
    let words = "1 absent by rarity, 2 between frequent values look impossible";
    assert!(shown.contains(words), "{shown}");
    for value in ["toddler", "widowed", "falconer"] {
        assert!(!shown.contains(value), "no value is shown unasked: {shown}");
    }
    let (said, _) = answer(&[&verify[..], &["--tolerate-new-pairs", "3"]].concat());
    assert!(reason(&said, "new_pairs").is_none());
    let revealing = [&verify[..], &["--reveal", "new-pairs"]].concat();
    let (told, _) = answer(&revealing);
    let first = serde_json::json!({
        "pair": ["age", "status"], "values": ["old", "single"], "having": [10, 10],
        "impossible": true, "records": 1,
    });
    assert_eq!(told["new_pairs_revealed"][0], first);
    let all = told["new_pairs_revealed"].as_array().unwrap();
    let rare: Vec<&Value> = all.iter().filter(|one| one["impossible"] == false).collect();
    assert_eq!(all.len(), 3);
    assert_eq!(rare[0]["values"], serde_json::json!(["single", "falconer"]));
    assert!(said.get("new_pairs_revealed").is_none());
    let shown = out(&marginswap(&revealing));
    assert!(shown.contains("SECRET") && shown.contains("“toddler” with “widowed”"), "{shown}");
    // What `--reveal` alone shows is what it showed before.
    assert!(!out(&marginswap(&[&verify[..], &["--reveal"]].concat())).contains("toddler"));
    let refused = marginswap(&[&verify[..], &["--reveal", "everything"]].concat());
    assert_eq!(refused.status.code(), Some(2), "{}", err(&refused));
}

/// A two-way table that is not kept and moves far is a reason: by default beyond a tenth of the
/// records, else beyond what is tolerated.
#[test]
fn tables_that_move_far_are_reviewed() {
    let desk = Desk::new();
    // Six of fifty records change hands in what they like: 12 of every 100.
    let rows = |moved: usize| {
        let line = |record: usize| {
            let (home, likes) =
                (record % 2, usize::from(record.is_multiple_of(2) != (record < moved)));
            format!("h{home},l{likes},{}\n", record % 5)
        };
        format!("home,likes,size\n{}", (0..50).map(line).collect::<String>())
    };
    let before = desk.write("before.csv", &rows(0));
    let after = desk.write("after.csv", &rows(6));
    let verify = ["verify", &before, &after, "--keys", "home,size", "--keep", "home*size"];
    let (said, code) = answer(&verify);
    let why = serde_json::json!({
        "reason": "tables_moved", "tables": 1, "of": 2, "largest": 6, "records": 50, "tolerated": 5,
    });
    assert_eq!((reason(&said, "tables_moved"), code), (Some(&why), 1));
    let useful = &said["usefulness"];
    assert_eq!(useful["most_moved"], serde_json::json!(["home", "likes"]));
    assert_eq!((&useful["moved_max"], &useful["tables"]), (&0.12.into(), &2.into()));
    let shown = out(&marginswap(&verify));
    let words = "Usefulness: 6 records and 6 values changed; two-way tables that are not kept move";
    assert!(shown.contains(words) && shown.contains("12.00 % at most (home*likes)"), "{shown}");
    assert!(shown.contains("by more than 10.0 % of the records, 12.0 % at most"), "{shown}");
    for (tolerated, is_a_reason) in [("12%", false), ("11%", true), ("6", false), ("5", true)] {
        let (said, _) = answer(&[&verify[..], &["--tolerate-moved", tolerated]].concat());
        assert_eq!(reason(&said, "tables_moved").is_some(), is_a_reason, "{tolerated}");
    }
}

/// People who are unique on the keys and whom a model that fits does not call at risk are reported
/// and are no reason, where a threshold says whom it calls so. With a model that does not fit they
/// are one.
#[test]
fn a_model_that_fits_can_end_in_a_release() {
    let desk = Desk::new();
    let rule = ["--risky", "prob:0.2", "--fraction", "50%"];
    let (mut met, mut not_met) = (0, 0);
    for model in ["auto", "independence"] {
        let job = [KEYS, &["--keep", "sex*age", "--model", model], &rule].concat();
        let risk = answer(&[&["risk", TOWN], &job[..2], &["--model", model], &rule].concat()).0;
        let released = desk.path("released.csv");
        let (said, _) =
            answer(&[&["protect", TOWN, "-o", &released, "--force"], &job[..], SOFTEST].concat());
        let spared = said["alone_by_model"].as_u64().unwrap();
        let counted =
            reason(&said, "alone_not_counted").map_or(0, |why| why["people"].as_u64().unwrap());
        assert!(spared + counted > 0, "{model}: the threshold leaves somebody out");
        match risk["fit"]["verdict"].as_str() {
            Some("good") => {
                met += 1;
                assert_eq!(counted, 0, "{model}");
                let (same, code) =
                    answer(&[&["verify", TOWN, &released], &job[..], SOFTEST].concat());
                let verdict = same["verdict"].as_str();
                assert_eq!((verdict, code), (Some("release"), 0), "{model}: {}", same["reasons"]);
                let shown = out(&marginswap(&[&["verify", TOWN, &released], &job[..]].concat()));
                assert!(shown.contains("does not count them at risk"), "{shown}");
            }
            _ => {
                not_met += 1;
                assert_eq!(spared, 0, "{model}");
                assert_ne!(said["verdict"], "release");
            }
        }
    }
    assert!(met > 0 && not_met > 0, "{met} models fit, {not_met} do not");
}

/// A plan releases nothing, but it says what the gate would say, and ends as `protect` would.
#[test]
fn a_plan_says_what_the_gate_would_say() {
    let desk = Desk::new();
    let seed = desk.path("seed");
    for (number, more) in [
        &[][..],
        &["--keys", "region,sex,age,marital,occupation"],
        &["--budget", "4"],
        &["--tolerate-matched", "100%", "--tolerate-matched-right", "100%", "--budget", "4"],
        &["--risky", "k:3"],
    ]
    .into_iter()
    .enumerate()
    {
        let [plan, out] = ["plan", "csv"].map(|end| desk.path(&format!("{number}.{end}")));
        let fixed = [KEYS, KEEP, more, &["--seed-file", &seed]].concat();
        let (planned, code) = answer(&[&["plan", TOWN, "-o", &plan], &fixed[..]].concat());
        let (made, as_made) =
            answer(&[&["protect", TOWN, "-o", &out, "--force"], &fixed[..]].concat());
        assert_eq!(planned["foreseen"]["verdict"], made["verdict"], "{more:?}");
        assert_eq!(planned["foreseen"]["reasons"], made["reasons"], "{more:?}");
        assert_eq!((code, &planned["foreseen"]["not_known"]), (as_made, &serde_json::json!([])));
        assert!(made.get("foreseen").is_none());
    }
    let (plan, ignored) = (desk.path("p.plan"), ["--ignore", "education"]);
    let keep = ["--keep", "sex*age"];
    let shown = marginswap(&[&["plan", TOWN, "-o", &plan], KEYS, &keep, &ignored].concat());
    let text = out(&shown);
    assert!(text.starts_with("Foreseen verdict: "), "{text}");
    assert!(text.contains("Known only when the file is written: whether released"), "{text}");
}

/// The numbers of `protect`, `verify` and `report` have the same names in the same places.
#[test]
fn protect_verify_and_report_name_alike() {
    let desk = Desk::new();
    let [released, page, seed] = ["r.csv", "page.html", "seed"].map(|name| desk.path(name));
    let order = ["--order", "input"];
    let job = ["protect", TOWN, "-o", &released, "--seed-file", &seed];
    let (made, _) = answer(&[&job[..], KEYS, KEEP, &order].concat());
    let (verified, _) = answer(&[&["verify", TOWN, &released], KEYS, KEEP].concat());
    let report = ["report", TOWN, &released, "-o", &page];
    let (reported, _) = answer(&[&report[..], KEYS, KEEP].concat());
    for (name, told) in verified.as_object().unwrap() {
        assert_eq!(&reported[name], told, "report: {name}");
        // Who is hidden needs the plan.
        if name != "hidden" {
            assert_eq!(&made[name], told, "protect: {name}");
        }
    }
    for name in ["disclosed", "disclosed_is_exact", "newly_exposed_because"] {
        assert!(verified.get(name).is_some(), "{name}");
    }
}

/// A lower bound is reported as one.
#[test]
fn lower_bounds_are_told_as_such() {
    let desk = Desk::new();
    let mut met = false;
    for number in 0..12u32 {
        let value = |record: u32, column: u32| {
            let mixed = (record * 7 + column * 13 + number * 101).wrapping_mul(2_654_435_761);
            (mixed >> 13) % if column == 0 { 4 } else { 3 }
        };
        let line = |record| {
            let fields: Vec<String> =
                (0..4).map(|column| value(record, column).to_string()).collect();
            fields.join(",") + "\n"
        };
        let text: String = (0..60).map(line).collect();
        let data = desk.write("data.csv", &format!("a,b,c,d\n{text}"));
        let after = desk.path("after.csv");
        let keep = ["--keep", "a*b + b*c + c*d + d*a", "--keys", "a,b,c"];
        let job = ["protect", &data, "-o", &after, "--force", "--demo-seed", "1"];
        let (said, _) = answer(&[&job[..], &keep].concat());
        let shown = out(&marginswap(&[&["verify", &data, &after], &keep[..]].concat()));
        if let Some(why) = reason(&said, "not_separable").filter(|why| why["undecided"] != 0) {
            met = true;
            assert_eq!(said["disclosed_is_exact"], false, "{why}");
            let lower_bound = match why["disclosed"].as_u64().unwrap() {
                0 => "whether the kept tables disclose them is not decided",
                _ => "the kept tables disclose at least ",
            };
            assert!(shown.contains(lower_bound), "{shown}");
        }
    }
    assert!(met, "a lower bound is met");
}

/// Newly exposed people are reported with the reason, in text, JSON and the revealed list.
#[test]
fn newly_exposed_people_have_reasons() {
    let desk = Desk::new();
    // The first record of (0, 0) exchanged its a; the second is alone with these keys now.
    let before = desk.write("before.csv", "a,b,s\n0,0,0\n0,0,1\n1,1,2\n1,2,0\n2,1,1\n");
    let after = desk.write("after.csv", "a,b,s\n1,0,0\n0,0,1\n0,1,2\n1,2,0\n2,1,1\n");
    let settings = ["--keys", "a,b", "--keep", "s"];
    let files = [&["verify", before.as_str(), after.as_str()], &settings[..]].concat();
    let (said, _) = answer(&files);
    assert_eq!(said["newly_exposed"], 1);
    let because = serde_json::json!({"disclosed": 0, "not_separable": 0, "not_taken": 1});
    assert_eq!(said["newly_exposed_because"], because);
    let shown = out(&marginswap(&files));
    assert!(shown.contains("by reason: no allowed swap was left for them (1)."), "{shown}");
    // With the keys in a kept table they are disclosed.
    let (said, _) = answer(&[&["verify", &before, &after, "--keys", "a,b"], KEEP_KEYS].concat());
    assert_eq!(said["newly_exposed_because"]["disclosed"], 1);
    let page = desk.path("page.html");
    let report = ["report", &before, &after, "-o", &page, "--reveal"];
    let (told, _) = answer(&[&report[..], &settings].concat());
    let exposed = serde_json::json!([{"record": 2, "reason": "not_taken"}]);
    assert_eq!(told["exposed_records"], exposed);
    assert!(desk.read("page.html").contains("People who are newly exposed"));
}

/// A kept table that holds the keys.
const KEEP_KEYS: &[&str] = &["--keep", "a*b"];

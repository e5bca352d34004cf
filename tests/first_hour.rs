//! What a newcomer does in the first hour, and the slips that are made in it.

use crate::support;

use std::fs;
use std::process::{Command, Output};

use marginswap_pipeline::codes;
use marginswap_pipeline::refusal::Code;
use support::{Desk, err, out};

const TOWN: &str = include_str!("../examples/town.csv");

/// What every job here asks for.
const ASKED: [&str; 4] = ["--keys", "region,sex,age,marital", "--keep", "region*sex*age"];

/// Runs the program in a folder, as somebody sits in it.
fn run(desk: &Desk, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_marginswap"))
        .args(words)
        .current_dir(desk.folder())
        .output()
        .expect("the program starts")
}

/// Runs it, and looks at how it ends.
fn ends(desk: &Desk, words: &[&str], code: i32) -> Output {
    let output = run(desk, words);
    assert_eq!(output.status.code(), Some(code), "{words:?}: {}{}", err(&output), out(&output));
    output
}

/// A refusal with this code, and these words in it.
fn refused(desk: &Desk, words: &[&str], code: marginswap_core::diagnostic::Kind, told: &str) {
    let output = run(desk, words);
    let said = err(&output);
    let entry = codes::entry(code);
    assert!(said.contains(&format!("error[{entry}]")), "{words:?}: {said}");
    assert!(said.contains(told), "{words:?}: {said}");
    assert!(out(&output).is_empty());
}

/// A folder with `a.csv`, its project file and `b.csv`.
fn office() -> Desk {
    let desk = Desk::new();
    desk.write("a.csv", TOWN);
    let (all_but_one, _) = TOWN.trim_end().rsplit_once('\n').expect("the town has many lines");
    desk.write("b.csv", all_but_one);
    desk.write(
        "marginswap.toml",
        "data = \"a.csv\"\n[keep]\ntables = [\"region*sex*age\"]\n[risk]\nkeys = [\"region\", \"sex\", \
         \"age\", \"marital\"]\n[release]\nout = \"released.csv\"\nplan = \"swap.plan\"\n",
    );
    desk
}

#[test]
fn the_demo_shows_a_file_that_may_be_released() {
    let desk = Desk::new();
    for (folder, more) in [("town", &[][..]), ("homes", &["--households"][..])] {
        let output = ends(&desk, &[&["demo", folder], more].concat(), 1);
        let told = out(&output);
        let first = told.lines().next().unwrap();
        assert_eq!(
            first, "Verdict: DEMO ONLY (public seed). With a seed of your own: release",
            "{told}"
        );
        let next = err(&output);
        let next = next.lines().last().unwrap().strip_prefix("next: ").unwrap();
        assert_eq!(next, format!("cd {folder} && marginswap report --demo-seed 1 -o report.html"));
        // It is a step that can be taken, and a demo ends as its report does.
        let inside = Command::new(env!("CARGO_BIN_EXE_marginswap"))
            .args(["report", "--demo-seed", "1", "-o", "report.html"])
            .current_dir(desk.folder().join(folder))
            .output()
            .unwrap();
        assert_eq!(inside.status.code(), Some(1), "{}", err(&inside));
        assert!(desk.folder().join(folder).join("report.html").exists());
    }
}

#[test]
fn a_project_is_that_of_its_own_data() {
    let desk = office();
    ends(&desk, &["protect"], 0);
    let files = ["released.csv", "swap.plan"].map(|name| desk.read(name));
    refused(
        &desk,
        &["protect", "b.csv", "--force"],
        Code::MissingSetting,
        "and is not applied to b.csv",
    );
    assert_eq!(["released.csv", "swap.plan"].map(|name| desk.read(name)), files);
    // Its own data, by whatever name.
    ends(&desk, &["verify", "./a.csv", "released.csv"], 0);
    let own = desk.path("a.csv");
    ends(&desk, &["screen", &own], 0);
    // When asked; and the plan of the other file stays where it is.
    let asked = ["protect", "b.csv", "--project", "marginswap.toml", "--force"];
    refused(&desk, &asked, Code::PlanOfAnotherInput, "made for another file");
    assert_eq!(["released.csv", "swap.plan"].map(|name| desk.read(name)), files);
    ends(&desk, &[&asked[..], &["--plan", "b.plan", "-o", "b-released.csv"]].concat(), 0);
    // Or not at all.
    refused(&desk, &["graph", "--no-project"], Code::MissingSetting, "no table to keep");
    assert_eq!(
        run(&desk, &["graph", "--no-project", "--project", "x.toml"]).status.code(),
        Some(2)
    );
}

#[test]
fn a_plan_is_refused_that_could_not_be_followed() {
    let desk = office();
    let text = desk.read("marginswap.toml") + "drop = [\"marital\"]\n";
    desk.write("marginswap.toml", &text);
    for command in ["plan", "protect"] {
        refused(&desk, &[command], Code::TwoRoles, "`drop` names `marital`");
    }
    assert!(!desk.folder().join("swap.plan").exists());
}

#[test]
fn what_is_not_made_yet_names_the_command_that_makes_it() {
    let desk = office();
    refused(&desk, &["apply"], Code::FileMissing, "run `marginswap plan` first");
    for words in [&["verify"][..], &["report", "-o", "report.html"]] {
        refused(&desk, words, Code::FileMissing, "run `marginswap protect`, or");
    }
    ends(&desk, &["plan"], 0);
    let other = ["apply", "--seed-file", "none.seed"];
    refused(&desk, &other, Code::FileMissing, "there is no seed file of this name");
    assert!(!desk.folder().join("none.seed").exists());
    assert!(!desk.folder().join("released.csv").exists());
}

#[test]
fn the_page_repeats_only_what_was_kept() {
    let desk = office();
    let job =
        [&["protect", "--no-project", "a.csv"][..], &ASKED, &["-o", "r.csv", "--force"]].concat();
    let page = |more: &[&str]| {
        let words = [&job[..], more, &["--report", "page.html"]].concat();
        ends(&desk, &words, 0);
        desk.read("page.html")
    };
    let nothing = page(&[]);
    assert!(nothing.contains("No plan was kept"), "{nothing}");
    assert!(!nothing.contains("marginswap apply") && !nothing.contains("byte for byte"));
    let plan = page(&["--plan", "a.plan"]);
    assert!(plan.contains("marginswap apply a.csv a.plan") && !plan.contains("byte for byte"));
    assert!(!plan.contains("--seed-file"));
    let both = page(&["--plan", "a.plan", "--seed-file", "a.seed"]);
    assert!(both.contains("byte for byte") && both.contains("--seed-file SEED"));
}

#[test]
fn a_name_promises_no_other_format() {
    let desk = office();
    for name in ["x.xlsx", "x.sav", "x.PDF", "x.json"] {
        let words = [&["protect", "a.csv", "--no-project"][..], &ASKED, &["-o", name]].concat();
        refused(&desk, &words, Code::OptionsClash, "is CSV like the data");
        assert!(!desk.folder().join(name).exists());
    }
    ends(&desk, &["protect"], 0);
    for name in ["x.pdf", "x.csv", "x.docx"] {
        refused(&desk, &["report", "-o", name], Code::OptionsClash, "a page in HTML");
        assert!(!desk.folder().join(name).exists());
    }
}

#[test]
fn all_two_way_tables_are_one_formula() {
    let desk = office();
    let graph = |keep: &str| {
        let output = ends(
            &desk,
            &["graph", "--no-project", "a.csv", "--ignore", "occupation", "--keep", keep, "--json"],
            0,
        );
        let told: serde_json::Value = serde_json::from_str(&out(&output)).unwrap();
        told["margins"].as_array().unwrap().len()
    };
    // Five columns take part.
    assert_eq!(graph("all 2-way"), 10);
    assert_eq!(graph("all 3-way"), 10);
    assert_eq!(graph("all 2-way of region*sex*age"), 3);
    assert_eq!(graph("all 2-way of region*sex*age + age*marital*education"), 4);
    // It stays one formula in what is to be typed next.
    let output = run(
        &desk,
        &["screen", "a.csv", "--no-project", "--keep", "all 2-way", "--keys", "region,sex"],
    );
    assert!(err(&output).contains("--keep 'all 2-way'"), "{}", err(&output));
    // A plan with it is followed.
    let words = [
        "plan",
        "a.csv",
        "--no-project",
        "--keep",
        "all 2-way of region*sex*age",
        "--keys",
        "region,sex,age,marital",
        "-o",
        "two.plan",
    ];
    ends(&desk, &words, 0);
    let told =
        out(&ends(&desk, &["apply", "a.csv", "two.plan", "--no-project", "-o", "two.csv"], 0));
    assert!(told.contains("Every kept table is unchanged: 3 tables"), "{told}");
    for (keep, told) in [
        ("all 7-way", "there are 6 variables"),
        ("all 2-way*region", "behind the tables"),
        ("~ region:sex", "leave out the `~`"),
        ("region:sex", "join the variables of a table with `*`"),
        ("region,sex", "join the variables of a table with `*`"),
    ] {
        let output = run(&desk, &["graph", "a.csv", "--no-project", "--keep", keep]);
        assert_eq!(output.status.code(), Some(2), "{keep}");
        assert!(err(&output).contains(told), "{keep}: {}", err(&output));
    }
    let output = run(
        &desk,
        &["screen", "a.csv", "--no-project", "--keep", "region*sex", "--keys", "region*sex"],
    );
    assert!(err(&output).contains("put commas between the names"), "{}", err(&output));
}

#[test]
fn help_shows_what_a_first_job_needs() {
    let desk = Desk::new();
    let help = |words: &[&str]| out(&ends(&desk, words, 0));
    let short = help(&["protect", "-h"]);
    let options: Vec<&str> = short
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("-o, ").or(Some(line.trim_start())))
        .filter(|line| line.starts_with("--"))
        .map(|line| line.split_whitespace().next().unwrap())
        .collect();
    let first = [
        "--derive",
        "--id",
        "--keep",
        "--keys",
        "--sensitive",
        "--household",
        "--out",
        "--report",
        "--force",
        "--seed-file",
    ];
    assert_eq!(options, first, "{short}");
    let long = help(&["protect", "--help"]);
    let headings = [
        "Data:",
        "Tables:",
        "Who is at risk:",
        "Partners:",
        "Households:",
        "Weights:",
        "Gate:",
        "Output:",
        "Randomness:",
    ];
    let places = headings.map(|heading| long.find(&format!("\n{heading}\n")).expect(heading));
    assert!(places.is_sorted(), "{places:?}");
    assert!(long.matches("\n      --").count() > 50);
    // The manual and the page of settings have the same headings.
    let folder = desk.path("man");
    fs::create_dir(&folder).unwrap();
    ends(&desk, &["man", "--out", &folder], 0);
    let manual = desk.read("man/marginswap-protect.1");
    let page = marginswap_pipeline::settings::page();
    for heading in headings {
        let words = heading.trim_end_matches(':');
        assert!(manual.to_lowercase().contains(&words.to_lowercase()), "{words}");
        assert!(words == "Randomness" || page.contains(&format!("## {words}")), "{words}");
    }
}

#[test]
fn households_are_noticed() {
    let desk = Desk::new();
    ends(&desk, &["demo", "homes", "--households", "--records", "2000"], 1);
    let told = out(&ends(&desk, &["inspect", "homes/survey.csv"], 0));
    assert!(told.contains("household looks like a column of households"), "{told}");
    ends(&desk, &["init", "homes/survey.csv"], 0);
    let project = desk.read("marginswap.toml");
    assert!(project.contains("\n#household = \"household\"\n"), "{project}");
    // Its examples of several lines are examples on every line.
    ends(&desk, &["inspect"], 0);
    // Swapped one by one, members of a household part, and that is for review.
    let words = [
        "protect",
        "homes/survey.csv",
        "--no-project",
        "--id",
        "person",
        "--keep",
        "municipality*sex",
        "--keys",
        "age,sex,municipality",
        "-o",
        "x.csv",
        "--demo-seed",
        "1",
    ];
    let told = out(&ends(&desk, &words, 1));
    assert!(told.contains("columns follow from others"), "{told}");
    // A file without households proposes none.
    desk.write("a.csv", TOWN);
    assert!(!out(&ends(&desk, &["inspect", "a.csv"], 0)).contains("households"));
}

#[test]
fn a_frontier_tells_what_can_be_made_again() {
    let desk = Desk::new();
    desk.write("a.csv", TOWN);
    let job =
        [&["frontier", "a.csv"][..], &ASKED, &["--seeds", "1", "--budgets", "5%,none"]].concat();
    let told = err(&run(&desk, &job));
    assert!(told.contains("their seed was not kept"), "{told}");
    let kept = [&job[..], &["--seed-file", "a.seed", "--svg", "a.svg"]].concat();
    let told = err(&run(&desk, &kept));
    assert!(told.contains("a.seed is the seed of these plans: SECRET"), "{told}");
    let picture = desk.read("a.svg");
    assert!(picture.contains(">no budget") || picture.contains(">budget 5"), "{picture}");
    assert!(!picture.contains(">plan 1<"), "{picture}");
    // The plan that is kept later is the one that was shown.
    let shown =
        |more: &[&str]| out(&run(&desk, &[&job[..], &["--seed-file", "a.seed"], more].concat()));
    assert_eq!(shown(&[]), shown(&["--plan", "a.plan"]));
}

#[test]
fn nothing_is_recounted_in_a_file_that_is_not_written() {
    let desk = Desk::new();
    desk.write("a.csv", TOWN);
    let everything = "region*sex*age*marital*education*occupation";
    let words = [
        "protect",
        "a.csv",
        "--keep",
        everything,
        "--keys",
        "region,sex,age,marital",
        "-o",
        "x.csv",
        "--demo-seed",
        "1",
    ];
    let told = out(&ends(&desk, &words, 1));
    assert!(!desk.folder().join("x.csv").exists());
    assert!(!told.contains("recounted in"), "{told}");
}

/// Every page of the book is in its table of contents.
#[test]
fn the_book_has_every_page() {
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/docs");
    let summary = fs::read_to_string(format!("{docs}/SUMMARY.md")).unwrap();
    for file in fs::read_dir(docs).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        if name.ends_with(".md") && name != "SUMMARY.md" {
            assert_eq!(summary.matches(&format!("({name})")).count(), 1, "{name}");
        }
    }
}

//! `report`, `frontier` and the pictures next to the answers, as a user runs them: what the
//! pages say, what the external one keeps back, and which of several plans is taken.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::html;
use crate::support;

use std::fs;
use std::path::PathBuf;

use marginswap_pipeline::codes;
use marginswap_pipeline::refusal::Code;
use serde_json::Value;
use support::{Desk, err, learned, marginswap, out, rows, told_learned};

const TOWN: &str = "examples/town.csv";
const KEEP: &str = "region*sex*age + age*marital*education";
const KEYS: &str = "region,sex,age,marital";
const KEY_LIST: [&str; 4] = ["region", "sex", "age", "marital"];
const SENSITIVE: [&str; 2] = ["education", "occupation"];

/// The town, protected with a seed that nobody knows.
fn protected(more: &[&str]) -> Desk {
    let desk = Desk::new();
    let [out, plan, seed] = ["released.csv", "swap.plan", "seed"].map(|name| desk.path(name));
    let arguments = [
        &["protect", TOWN, "--keys", KEYS, "--keep", KEEP, "-o", &out, "--plan", &plan][..],
        &["--seed-file", &seed],
        more,
    ]
    .concat();
    let output = marginswap(&arguments);
    // A rule that does not count everybody who is alone asks for a review.
    let code = i32::from(more.contains(&"--risky"));
    assert_eq!(output.status.code(), Some(code), "{}", err(&output));
    desk
}

fn ran(arguments: &[&str], code: i32) -> String {
    let output = marginswap(arguments);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", err(&output));
    out(&output)
}

fn answer(arguments: &[&str], code: i32) -> Value {
    serde_json::from_str(&ran(&[arguments, &["--json"]].concat(), code)).unwrap()
}

#[test]
fn the_internal_report_counts_everything_anew() {
    let desk = protected(&[]);
    let names = ["released.csv", "swap.plan", "report.html", "seed"];
    let [after, plan, page, seed] = names.map(|name| desk.path(name));
    let arguments =
        ["report", TOWN, &after, "--plan", &plan, "--watch", "region*sex*age*marital", "-o", &page];
    let told = answer(&arguments, 0);
    assert_eq!(told["class"], "INTERNAL");
    assert_eq!(told["verdict"], "release", "{}", told["reasons"]);
    assert_eq!(told["reasons"], serde_json::json!([]));
    assert_eq!(told["plan"]["gives_release"], true);
    let counted = learned(&rows(TOWN), &rows(&after), &KEY_LIST, &SENSITIVE);
    assert_eq!(told_learned(&told["coverage"]), counted);
    assert_eq!(counted, [17, 0, 0, 0]);
    assert_eq!(told["coverage"]["at_risk"], 17);
    assert_eq!(told["coverage"]["separable"], 17);
    // Seventeen combinations of the keys are gone, so their table moved.
    assert_eq!(told["watched"][0]["table"], serde_json::json!(["region", "sex", "age", "marital"]));
    assert!(told["watched"][0]["total_variation"].as_f64().unwrap() >= 17.0 / 400.0);

    let verify = answer(&["verify", TOWN, &after, "--keys", KEYS, "--keep", KEEP], 0);
    assert_holds(&told, &verify);
    // With the seed the order is known too, and single records are compared.
    let linked = answer(&[&arguments[..], &["--seed-file", &seed, "--force"]].concat(), 0);
    assert_eq!(linked["coverage"], told["coverage"]);
    assert!(linked["records_changed"].as_u64() >= linked["replaced"].as_u64());
    let told = linked;
    let text = html::plain(&html::checked(&desk.read("report.html")));
    for words in [
        "Release: nothing speaks against it, tested against intruders who know what is said below.",
        "region*sex*age | unchanged | 32 | 0",
        "It was made for this original file. Following it again for this report gives the records of the released file.",
        "gone: no released record has their keys | 17 | 100.0 %",
        "keys | region, sex, age, marital",
        &format!("marginswap apply {TOWN} {plan} -o {after} --seed-file SEED"),
    ] {
        assert!(text.contains(words), "{words:?} in\n{text}");
    }
    for hash in ["before", "after"].map(|file| told[file]["sha256"].as_str().unwrap().to_owned()) {
        assert!(hash.len() == 64 && text.contains(&hash));
    }
    // The commands that the page gives are true.
    let replay = told["replay"].as_array().unwrap();
    for line in replay.iter().map(|line| line.as_str().unwrap()) {
        let words: Vec<String> = line
            .split('\'')
            .enumerate()
            .flat_map(|(number, piece)| match number % 2 {
                0 => piece.split_whitespace().map(str::to_owned).collect::<Vec<_>>(),
                _ => vec![piece.to_owned()],
            })
            .collect();
        let mut words: Vec<&str> = words[1..].iter().map(String::as_str).collect();
        if words[0] != "verify" {
            words.push("--force");
        }
        let target = desk.path("again.html");
        if let Some(place) = words.iter().position(|word| *word == "report.html") {
            words[place] = &target;
        }
        if let Some(place) = words.iter().position(|word| *word == "SEED") {
            words[place] = &seed;
        }
        ran(&words, 0);
    }
}

/// The report says what `verify` says, under the same names in the same places.
fn assert_holds(report: &Value, verify: &Value) {
    // Who is hidden needs the plan, which `verify` does not read.
    for (name, told) in verify.as_object().unwrap().iter().filter(|(name, _)| *name != "hidden") {
        assert_eq!(&report[name], told, "{name}");
    }
}

/// One go and two steps, one thread and two: the same page.
#[test]
fn the_same_files_give_the_same_page() {
    let desk = Desk::new();
    let paths = ["released.csv", "swap.plan", "one.html", "two.html", "public.html", "again.html"];
    let [after, plan, one, two, public, again] = paths.map(|name| desk.path(name));
    let protect = [
        "protect",
        TOWN,
        "--keys",
        KEYS,
        "--keep",
        KEEP,
        "-o",
        &after,
        "--plan",
        &plan,
        "--report",
        &one,
        "--external-report",
        &public,
        "--demo-seed",
        "3",
        "--risky",
        "k:3",
    ];
    ran(&protect, 1);
    for threads in ["1", "2"] {
        let report = ["report", TOWN, &after, "--plan", &plan, "-o", &two, "--threads", threads];
        ran(&[&report[..], &["--demo-seed", "3", "--force"]].concat(), 1);
        assert!(desk.read("one.html") == desk.read("two.html"), "{threads} threads");
    }
    ran(&["report", TOWN, &after, "--plan", &plan, "--external", "-o", &again], 1);
    assert_eq!(desk.read("public.html"), desk.read("again.html"));
    // Made with a demo seed: both pages say so.
    let [internal, external] =
        ["one.html", "public.html"].map(|name| html::plain(&html::checked(&desk.read(name))));
    assert!(internal.contains("Do not release"), "{internal}");
    assert!(external.contains("NOT FOR RELEASE"));
}

/// People who are left are reported with the reason that the plan knows.
#[test]
fn leftovers_are_told_by_reason() {
    let desk = Desk::new();
    let [after, plan, page] = ["out.csv", "swap.plan", "page.html"].map(|name| desk.path(name));
    let job = ["protect", TOWN, "--keys", KEYS, "--keep", KEEP, "-o", &after, "--plan", &plan];
    let said =
        answer(&[&job[..], &["--knows", "all", "--budget", "8", "--demo-seed", "1"]].concat(), 1);
    let told = answer(&["report", TOWN, &after, "--plan", &plan, "-o", &page], 1);
    let counted = learned(&rows(TOWN), &rows(&after), &KEY_LIST, &SENSITIVE);
    assert_eq!(told_learned(&said), counted);
    assert_eq!(told_learned(&told["coverage"]), counted);
    let [gone, shared, matched, right] = counted;
    assert!(gone > 0 && matched > 0 && gone + shared + matched == 17, "{counted:?}");
    assert_eq!(said["covered"], gone + shared);
    assert_eq!(said["without_swap"], matched);
    assert_eq!(said["without_swap_because"]["budget"], matched, "the budget is used up");
    // The gate counts them, the demo seed aside, with the plan and with one that lies next to it;
    // that they are matched is reported by saying that they are matched rightly.
    assert_eq!(right, matched);
    let reasons = serde_json::json!([
        {"reason": "matched_right", "people": right, "tolerated": 0},
    ]);
    let reasons = reasons.as_array().unwrap();
    assert_eq!(told["reasons"][0]["reason"], "demo_seed");
    assert_eq!(told["reasons"].as_array().unwrap()[1..], reasons[..]);
    let files = ["report", TOWN, &after, "--keys", KEYS, "--keep", KEEP, "-o", &page, "--force"];
    let told = answer(&[&files[..], &["--knows", "all", "--reveal"]].concat(), 1);
    assert_eq!(told["reasons"][0]["reason"], "demo_seed");
    assert_eq!(told["reasons"].as_array().unwrap()[1..], reasons[..]);
    // They could have been parted: that none was chosen is all that the files tell.
    let left = told["left_records"].as_array().unwrap();
    assert_eq!(left.len() as u64, matched);
    assert!(left.iter().all(|person| person["reason"] == "not_taken"), "{left:?}");
}

/// A plan does not hold the list of those it protects; without it the report would count
/// others.
#[test]
fn named_records_are_named_again() {
    let desk = Desk::new();
    let names = ["out.csv", "swap.plan", "page.html", "risky.txt"];
    let [after, plan, page, list] = names.map(|name| desk.path(name));
    fs::write(&list, "3\n17\n263\n").unwrap();
    let rule = format!("records:{list}");
    let job = ["protect", TOWN, "--keys", KEYS, "--keep", KEEP, "-o", &after, "--plan", &plan];
    let more = ["--knows", "all", "--risky", &rule, "--demo-seed", "1"];
    let said = answer(&[&job[..], &more].concat(), 1);
    let report = ["report", TOWN, &after, "--plan", &plan, "-o", &page];
    let output = marginswap(&report);
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains("--risky records:FILE"), "{}", err(&output));
    let told = answer(&[&report[..], &["--risky", &rule]].concat(), 1);
    assert_eq!(told["coverage"]["at_risk"], 3);
    assert_eq!(told_learned(&told["coverage"]), told_learned(&said));
    assert_eq!(told["coverage"]["matched"], 0);
}

/// A shuffled file is linked by the plan and the seed together, and by nothing less.
#[test]
fn a_shuffled_file_is_linked_by_plan_and_seed() {
    let desk = protected(&[]);
    let names = ["released.csv", "swap.plan", "seed", "page.html"];
    let [after, plan, seed, page] = names.map(|name| desk.path(name));
    let files = ["report", TOWN, &after, "--plan", &plan, "-o", &page, "--force", "--shuffled"];
    let told = answer(&files, 0);
    assert_eq!(told["plan"]["gives_release"], true);
    // What is learned is counted without any link; what changed is not.
    assert_eq!(told["coverage"]["gone"], 17);
    assert!(told["records_changed"].is_null());
    let text = html::plain(&html::checked(&desk.read("page.html")));
    assert!(text.contains("gives the records of the released file."), "{text}");
    assert!(text.contains("in another random order, because no seed file was named"), "{text}");
    assert!(!text.contains("Record by record"), "{text}");
    let told = answer(&[&files[..], &["--seed-file", &seed]].concat(), 0);
    assert_eq!(told["coverage"]["gone"], 17);
    assert_eq!(told["verdict"], "release");
    // Both records of each swap, and nobody else.
    let swaps = answer(&["show", &plan], 0)["swaps"].as_u64().unwrap();
    assert_eq!(told["records_changed"], swaps * 2);
    // A user who says that the seed was a demo seed is advised not to release the file.
    let told = answer(&[&files[..], &["--demo-seed", "9"]].concat(), 1);
    assert!(told["records_changed"].is_null(), "another seed links nothing");
    ran(&[&files[..], &["--seed-file", "nowhere"]].concat(), 3);
    assert!(!PathBuf::from("nowhere").exists(), "no seed is made");
    // One go says the same as two steps.
    let [again, one] = ["again.csv", "one.html"].map(|name| desk.path(name));
    let job = ["protect", TOWN, "--keys", KEYS, "--keep", KEEP, "-o", &again];
    ran(&[&job[..], &["--seed-file", &seed, "--report", &one]].concat(), 0);
    let text = html::plain(&html::checked(&desk.read("one.html")));
    assert!(text.contains("Release: nothing speaks against it"), "{text}");
}

/// The project file says everything, also where the id is left out of the release.
#[test]
fn the_project_file_is_enough() {
    let desk = Desk::new();
    let folder = desk.path("town");
    let demo = ["demo", &folder, "--records", "20000"];
    let output = marginswap(&demo);
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    let project = PathBuf::from(&folder).join("marginswap.toml");
    let text = fs::read_to_string(&project).unwrap();
    let text = text.replace("#internal =", "internal =").replace("#external =", "external =");
    fs::write(&project, text.replace("#watch =", "watch =")).unwrap();
    let project = project.to_str().unwrap();
    let told = answer(&["report", "--project", project], 1);
    assert_eq!(told["plan"]["gives_release"], true);
    assert_eq!(told["reasons"], serde_json::json!([{ "reason": "demo_seed" }]));
    assert_eq!((&told["matched_right"], &told["hidden"]["not_hidden"]), (&0.into(), &0.into()));
    assert_eq!(told["risk_before"][0]["keys"].as_array().unwrap().len(), 5);
    assert_eq!(told["columns"][0]["name"], "person");
    assert_eq!(told["columns"][0]["role"], "not released");
    assert!(!desk.read("town/released.csv").starts_with("person"));
    assert_eq!(told["watched"].as_array().unwrap().len(), 1);
    // `verify` gives the same answer, and does not take another order for changes.
    let verified = answer(&["verify", "--project", project], 1);
    assert_eq!(verified["reasons"], told["reasons"]);
    assert!(verified["replaced"].as_u64() > Some(900), "{verified}");
    assert_eq!(verified["reordered"], true);
    assert!(verified["records_changed"].is_null());
    let told = answer(&["report", "--project", project, "--external"], 1);
    assert_eq!(told["demonstration"], true);
    assert_eq!(told["class"], "NOT FOR RELEASE");
    assert_eq!(told["tables"].as_array().unwrap().len(), 3);
    html::checked(&desk.read("town/report.html"));
    html::checked(&desk.read("town/public.html"));
}

/// No number is on the external page that is not known to everybody.
#[test]
fn the_external_report_keeps_back_what_it_must() {
    let desk = protected(&[]);
    let [after, plan, page] =
        ["released.csv", "swap.plan", "public.html"].map(|name| desk.path(name));
    let arguments =
        ["report", TOWN, &after, "--external", "--plan", &plan, "--watch", "sex*occupation*region"];
    let told = answer(&[&arguments[..], &["-o", &page]].concat(), 0);
    assert_eq!(told["class"], "RELEASABLE");
    assert_eq!(told["extent"], "between 5 % and 10 % of the records");
    let page = desk.read("public.html");
    let root = html::checked(&page);
    let words: Vec<&str> = root
        .named("text")
        .chain(root.named("title"))
        .flat_map(|node| &node.children)
        .map(|node| node.text.as_str())
        .collect();
    let text = html::plain(&root) + &words.join("\n");
    let tables = told["two_way"].as_array().unwrap();
    let count = |test: &dyn Fn(&Value) -> bool| tables.iter().filter(|table| test(table)).count();
    let counts = [
        tables.len(),
        count(&|table| table["kept"] == true),
        count(&|table| !table["moved"].is_null()),
    ]
    .map(|count| count.to_string());
    let known = ["400", "2006", "0.1", "0.5", "1", "2", "3", "4", "5", "6", "10"];
    for number in text.split(|sign: char| !sign.is_ascii_digit() && sign != '.') {
        let number = number.trim_matches('.');
        let version = env!("CARGO_PKG_VERSION");
        let is_count = counts.iter().any(|count| count == number);
        let allowed = number.is_empty() || number == version || known.contains(&number);
        assert!(allowed || is_count, "{number}");
    }
    let secret = [desk.read("swap.plan"), desk.read("seed")].concat();
    for word in secret.split([' ', '"', '\n']).filter(|word| word.len() == 64) {
        assert!(!page.contains(word), "{word}");
    }
    for word in ["swap.plan", "sha256", "SHA-256", TOWN, &after] {
        assert!(!page.contains(word), "{word}");
    }
    // The twin of the triangle has ranges, no figures.
    assert!(text.contains("below 5 %"), "{text}");
}

/// A file that breaks its promise gets an internal page that says so, and no external one.
#[test]
fn a_broken_promise_is_not_told_to_everybody() {
    let desk = protected(&[]);
    let [after, page] = ["released.csv", "page.html"].map(|name| desk.path(name));
    let text = fs::read_to_string(&after).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let (first, rest) = lines[1].split_once(',').unwrap();
    let other = if first == "north" { "south" } else { "north" };
    lines[1] = format!("{other},{rest}");
    fs::write(&after, lines.join("\n") + "\n").unwrap();
    let files = ["report", TOWN, &after, "--keys", KEYS, "--keep", KEEP, "-o", &page];
    let output = marginswap(&[&files[..], &["--external"]].concat());
    assert_eq!(output.status.code(), Some(codes::entry(Code::NothingToTell).exit.into()));
    assert!(err(&output).contains("error[E125]"), "{}", err(&output));
    assert!(!PathBuf::from(&page).exists());
    let told = answer(&files, 1);
    assert_eq!(told["verdict"], "do_not_release");
    let reasons = told["reasons"].to_string();
    assert!(reasons.contains("\"one_way_tables_differ\""), "{reasons}");
    assert!(reasons.contains("\"tables_differ\""), "{reasons}");
    let text = html::plain(&html::checked(&desk.read("page.html")));
    assert!(text.contains("Do not release") && text.contains("DIFFERS"), "{text}");
    // A stale plan is reported, not followed.
    let plan = desk.path("swap.plan");
    let other = desk.path("other.csv");
    fs::write(&other, fs::read_to_string(TOWN).unwrap().replacen("south", "north", 1)).unwrap();
    let told = answer(&["report", &other, TOWN, "--plan", &plan, "-o", &page, "--force"], 1);
    assert_eq!(told["plan"]["fits_input"], false);
    assert_eq!(told["reasons"][0]["reason"], "plan_differs");
}

#[test]
fn records_are_revealed_only_when_asked() {
    let desk = Desk::new();
    let page = desk.path("page.html");
    // Nothing was swapped: everybody at risk is matched.
    let files = ["report", TOWN, TOWN, "--keys", KEYS, "--keep", KEEP, "-o", &page];
    let told = answer(&files, 1);
    assert!(told.get("left_records").is_none() && told["verdict"] == "do_not_release");
    assert_eq!(told_learned(&told["coverage"]), [0, 0, 17, 17]);
    let told = answer(&[&files[..], &["--reveal", "--force"]].concat(), 1);
    assert_eq!(told["left_records"].as_array().unwrap().len(), 17);
    assert!(desk.read("page.html").contains("This list points to people."));
    ran(&[&files[..], &["--reveal", "--external"]].concat(), 2);
}

#[cfg(unix)]
#[test]
fn pages_are_as_open_as_their_class() {
    use std::os::unix::fs::PermissionsExt;
    let desk = protected(&[]);
    let paths = ["released.csv", "in.html", "out.html", "in.svg"].map(|name| desk.path(name));
    let [after, internal, external, drawing] = &paths;
    let keep = ["--keep", KEEP, "--keys", KEYS];
    ran(&[&["report", TOWN, after, "-o", internal][..], &keep].concat(), 0);
    ran(&[&["report", TOWN, after, "-o", external, "--external"][..], &keep].concat(), 0);
    ran(&[&["verify", TOWN, after, "--svg", drawing][..], &keep].concat(), 0);
    let mode = |path: &String| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!([mode(internal), mode(drawing)], [0o600; 2]);
    assert_ne!(mode(external), 0o600);
}

/// What tables would free those without a partner.
#[test]
fn what_if_is_counted_by_table() {
    let desk = Desk::new();
    let page = desk.path("page.html");
    let keep =
        "region*sex*age*marital + sex*age*marital*education + age*marital*education*occupation";
    let keys = "region,sex,age,marital,education,occupation";
    let told = answer(&["report", TOWN, TOWN, "--keys", keys, "--keep", keep, "-o", &page], 1);
    assert_eq!(told["coverage"]["at_risk"], 160);
    assert_eq!(told["coverage"]["separable"], 156);
    // The table is named without which most are free.
    let frees: Vec<u64> = told["advice"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|advice| advice["advice"] == "without_table")
        .map(|advice| advice["frees"].as_u64().unwrap())
        .collect();
    assert_eq!(frees.len(), 1, "{frees:?}");
    let screened =
        |keep: &str| answer(&["screen", TOWN, "--keep", keep], 0)["swappable"].as_u64().unwrap();
    let without: Vec<u64> = [
        "sex*age*marital*education + age*marital*education*occupation",
        "region*sex*age*marital + age*marital*education*occupation",
        "region*sex*age*marital + sex*age*marital*education",
    ]
    .map(screened)
    .map(|all| all - 396)
    .to_vec();
    assert_eq!(without.iter().max(), frees.first());
}

/// Names and values that would break a page, and very many categories.
#[test]
fn hostile_files_do_no_harm() {
    let desk = Desk::new();
    let values = ["<script>alert(1)</script>", "\"\"\"\"", "</title>", "شماره", "&amp;", "x"];
    let mut text = "\"<img src=x>\",\"a\"\"b&'\",الجنس,many\n".to_owned();
    for record in 0..12_000 {
        let value = |shift: usize| values[(record / 7 + record * shift) % values.len()];
        text.push_str(&format!(
            "\"{}\",\"{}\",\"{}\",{record}\n",
            value(1).replace('"', "\"\""),
            value(2).replace('"', "\"\""),
            value(5).replace('"', "\"\"")
        ));
    }
    let [data, after, page, public] =
        ["a.csv", "b.csv", "in.html", "out.html"].map(|name| desk.path(name));
    fs::write(&data, text).unwrap();
    let keep = "`<img src=x>`*`a\"b&'` + الجنس*many";
    let output = marginswap(&[
        "protect",
        &data,
        "--keys",
        "`<img src=x>`,الجنس,many",
        "--vars",
        "`<img src=x>`,`a\"b&'`,الجنس,many",
        "--keep",
        keep,
        "-o",
        &after,
        "--report",
        &page,
        "--external-report",
        &public,
        "--demo-seed",
        "1",
    ]);
    assert!(output.status.code().unwrap() < 2, "{}", err(&output));
    for name in ["in.html", "out.html"] {
        let page = desk.read(name);
        let root = html::checked(&page);
        assert!(html::plain(&root).contains("<img src=x>"), "{name}");
        assert!(!page.contains("alert(1)") && page.len() < 200_000, "{name}: {}", page.len());
    }
}

#[test]
fn pictures_are_drawn_beside_the_answers() {
    let desk = protected(&[]);
    let [svg, after, plan] = ["a.svg", "released.csv", "again.plan"].map(|name| desk.path(name));
    let stuck =
        "region*sex*age*marital + sex*age*marital*education + age*marital*education*occupation";
    let commands: [(&[&str], &str); 6] = [
        (
            &["explain", TOWN, "--keep", stuck, "--record", "263"],
            "Why record 263 cannot be swapped in a pair",
        ),
        (&["explain", TOWN, "--keep", stuck, "--pair", "1", "263"], "Why records 1 and 263 cannot"),
        (&["explain", TOWN, "--keep", "sex*age", "--pair", "1", "2"], "diagonal position"),
        (&["verify", TOWN, &after, "--keys", KEYS, "--keep", KEEP], "Kept or changed"),
        (
            &["plan", TOWN, "--keys", KEYS, "--keep", KEEP, "-o", &plan, "--demo-seed", "1"],
            "What happened to the people at risk",
        ),
        (
            &["frontier", TOWN, "--keys", KEYS, "--keep", KEEP, "--demo-seed", "1", "--seeds", "2"],
            "Risk and change of several plans",
        ),
    ];
    for (command, title) in commands {
        let plain = out(&marginswap(&[command, &["--force"]].concat()));
        let code = i32::from(command[0] == "plan");
        let drawn = ran(&[command, &["--svg", &svg, "--force"]].concat(), code);
        assert_eq!(plain, drawn, "{command:?}");
        assert!(desk.read("a.svg").contains(title), "{command:?}");
    }
    ran(&["explain", "E203", "--svg", &svg], 2);
    ran(&["verify", TOWN, &after, "--keep", KEEP, "--svg", &svg], 8);
}

const JOB: [&str; 7] = ["frontier", TOWN, "--keys", KEYS, "--keep", KEEP, "--demo-seed=5"];

#[test]
fn the_frontier_takes_an_undominated_plan() {
    let told = answer(&[&JOB[..], &["--budgets", "2,1%,5%,none", "--seeds", "3"]].concat(), 0);
    let plans = told["plans"].as_array().unwrap();
    assert_eq!(plans.len(), 12);
    let number = |plan: &Value, field: &str| plan[field].as_f64().unwrap();
    for plan in plans {
        let beaten = plans.iter().any(|other| {
            let risk = number(other, "matched") - number(plan, "matched");
            let change = number(other, "two_way_mean") - number(plan, "two_way_mean");
            risk <= 0.0 && change <= 0.0 && (risk < 0.0 || change < 0.0)
        });
        assert_eq!(plan["undominated"], !beaten);
        let everybody = ["gone", "shared", "matched"].map(|field| number(plan, field));
        assert_eq!(everybody.iter().sum::<f64>(), number(&told, "at_risk"));
    }
    assert!(plans[..3].iter().all(|plan| number(plan, "records_changed") <= 2.0));
    let chosen = &plans[usize::try_from(told["chosen"].as_u64().unwrap()).unwrap() - 1];
    assert_eq!(chosen["undominated"], true);
    let least = plans.iter().map(|plan| number(plan, "matched")).fold(f64::INFINITY, f64::min);
    assert_eq!(number(chosen, "matched"), least);

    // By another criterion another plan; by one that none meets, none.
    let told = answer(&[&JOB[..], &["--choose", "change:0.3%"]].concat(), 0);
    let chosen = usize::try_from(told["chosen"].as_u64().unwrap()).unwrap();
    assert!(number(&told["plans"][chosen - 1], "two_way_mean") <= 0.003);
    let output = marginswap(&[&JOB[..], &["--budgets", "2", "--choose", "risk:1%"]].concat());
    assert_eq!(output.status.code(), Some(1));
    assert!(out(&output).contains("No plan meets the criterion"), "{}", out(&output));
    for wrong in [
        &["--choose", "best"][..],
        &["--budgets", "1%", "--budget", "2%"],
        &["--seeds", "0"],
        &["--budgets", "some"],
    ] {
        ran(&[&JOB[..], wrong].concat(), 2);
    }
}

/// The chosen plan is a plan like any other, the same for any number of threads; with one
/// seed it is the one that `plan` makes.
#[test]
fn the_frontier_keeps_its_plan() {
    let desk = Desk::new();
    let [one, two, three, after] =
        ["1.plan", "2.plan", "3.plan", "out.csv"].map(|name| desk.path(name));
    let several = ["--seeds", "4", "--budgets", "8,none"];
    ran(&[&JOB[..], &several, &["--plan", &one, "--threads", "1"]].concat(), 0);
    ran(&[&JOB[..], &several, &["--plan", &two, "--threads", "2"]].concat(), 0);
    assert_eq!(desk.read("1.plan"), desk.read("2.plan"));
    // Of a demo seed, so not for release.
    ran(&["apply", TOWN, &one, "-o", &after], 1);
    let counted = learned(&rows(TOWN), &rows(&after), &KEY_LIST, &SENSITIVE);
    let chosen = answer(&[&JOB[..], &several].concat(), 0);
    let number = usize::try_from(chosen["chosen"].as_u64().unwrap()).unwrap();
    assert_eq!(told_learned(&chosen["plans"][number - 1]), counted);
    ran(&[&JOB[..], &["--seeds", "1", "--budgets", "8", "--plan", &two, "--force"]].concat(), 0);
    let plan = [&["plan"], &JOB[1..], &["--budget", "8", "-o", &three]].concat();
    ran(&plan, 1);
    assert_eq!(desk.read("2.plan"), desk.read("3.plan"));
}

/// A plan whose records were chosen by a risk model tells the report all it needs.
#[test]
fn a_plan_by_a_risk_model_is_reported() {
    let desk = protected(&["--risky", "top:5", "--population", "20000", "--model", "independence"]);
    let [released, plan, page] =
        ["released.csv", "swap.plan", "page.html"].map(|name| desk.path(name));
    // Twelve of the seventeen uniques were not treated: the page tells both numbers.
    let said = answer(&["report", TOWN, &released, "--plan", &plan, "-o", &page], 1);
    let reasons = serde_json::json!([{"reason": "alone_not_counted", "people": 12}]);
    assert_eq!((&said["verdict"], &said["reasons"]), (&"review".into(), &reasons));
    assert_eq!(said["risk_before"][0]["unique_on_keys"], 17, "{said}");
    assert_eq!(said["coverage"]["at_risk"], 5, "{said}");
    assert_eq!(told_learned(&said["coverage"]), [5, 0, 0, 0], "{said}");
    assert!(desk.read("page.html").contains("top:5"));
    let text = html::plain(&html::checked(&desk.read("page.html")));
    let rule = "the 5 records with the highest estimated risk (model independence, population 20";
    assert!(text.contains(rule), "{text}");
    assert!(!text.contains("null") && !text.contains("start:"), "{text}");
    // The plan says for whom it was made, whatever a project file says now.
    let project = desk.path("other.toml");
    fs::write(&project, format!("[risk]\nkeys = [\"{}\"]\nrisky = \"k:3\"\n", "sex")).unwrap();
    let files = ["report", TOWN, &released, "--plan", &plan, "-o", &page, "--force"];
    let again = answer(&[&files[..], &["--project", &project]].concat(), 1);
    for field in ["coverage", "rule", "risk_before"] {
        assert_eq!(again[field], said[field], "{field}");
    }
}

/// The town with its lines in another order.
fn reordered(desk: &Desk, from: &str, name: &str) -> String {
    let text = fs::read_to_string(from).unwrap();
    let (head, lines) = text.split_once('\n').unwrap();
    let lines: Vec<&str> = lines.lines().rev().collect();
    let path = desk.path(name);
    fs::write(&path, format!("{head}\n{}\n", lines.join("\n"))).unwrap();
    path
}

/// The order of the records plays no part: an original in another order protects nobody and may
/// not be published, a released file in another order protects as before.
#[test]
fn another_order_is_no_protection() {
    let desk = protected(&[]);
    let [released, page] = ["released.csv", "page.html"].map(|name| desk.path(name));
    let same = reordered(&desk, TOWN, "same.csv");
    let keep = ["--keys", KEYS, "--keep", KEEP];
    let report = |after: &str, more: &[&str]| -> Vec<String> {
        let files = ["report", TOWN, after, "-o", &page, "--force"];
        [&files[..], &keep, more].concat().into_iter().map(str::to_owned).collect()
    };
    fn words(list: &[String]) -> Vec<&str> {
        list.iter().map(String::as_str).collect()
    }
    let other = reordered(&desk, &released, "other.csv");
    for (after, verdict, code, found) in [
        (&same, "do_not_release", 1, [0, 0, 17, 17]),
        (&other, "release", 0, [17, 0, 0, 0]),
        (&released, "release", 0, [17, 0, 0, 0]),
    ] {
        assert_eq!(learned(&rows(TOWN), &rows(after), &KEY_LIST, &SENSITIVE), found);
        let page = answer(&words(&report(after, &[])), code);
        let told = answer(&[&["verify", TOWN, after][..], &keep].concat(), code);
        assert_holds(&page, &told);
        assert_eq!((&page["verdict"], &told["verdict"]), (&verdict.into(), &verdict.into()));
        assert_eq!(told_learned(&page["coverage"]), found);
        assert_eq!(told_learned(&told), found);
        assert_eq!(told["reordered"], true);
        assert!(told["records_changed"].is_null());
    }
    let told = answer(&words(&report(&same, &[])), 1);
    assert_eq!(
        told["reasons"][0],
        serde_json::json!({"reason": "nothing_exchanged", "at_risk": 17})
    );
    // Nothing was exchanged, in this order or another.
    for after in [TOWN, &same] {
        let output = marginswap(&words(&report(after, &["--external"])));
        assert!(err(&output).contains("error[E125]"), "{}", err(&output));
        assert!(err(&output).contains("nothing was exchanged"), "{}", err(&output));
    }
    let [one, two] = [&other, &released].map(|after| {
        let told = answer(&words(&report(after, &["--external"])), 0);
        told["extent"].clone()
    });
    assert!(one == two && one.is_string(), "{one} {two}");
}

/// The page for everybody is about the file that the plan made.
#[test]
fn the_external_report_checks_the_plan() {
    let desk = protected(&[]);
    let [plan, page, other] = ["swap.plan", "page.html", "other.csv"].map(|name| desk.path(name));
    let job = ["protect", TOWN, "--keys", KEYS, "--keep", KEEP, "-o", &other, "--demo-seed", "8"];
    ran(&job, 1);
    let report = ["report", TOWN, &other, "--plan", &plan, "--external", "-o", &page];
    let output = marginswap(&report);
    assert_eq!(output.status.code(), Some(codes::entry(Code::NothingToTell).exit.into()));
    assert!(err(&output).contains("does not give the released file"), "{}", err(&output));
    let report = ["report", &other, TOWN, "--plan", &plan, "--external", "-o", &page];
    assert!(err(&marginswap(&report)).contains("another original file"));
    assert!(!PathBuf::from(&page).exists());
}

/// How little was changed is not shown: neither the columns nor the tables give it away.
#[test]
fn few_changes_are_not_given_away() {
    let desk = protected(&["--risky", "top:1", "--population", "20000"]);
    let [after, plan, page] =
        ["released.csv", "swap.plan", "page.html"].map(|name| desk.path(name));
    let files = ["report", TOWN, &after, "--plan", &plan, "--external", "-o", &page];
    // Others are alone with their keys and were not counted: a reviewer must decide.
    let told = answer(&files, 1);
    assert_eq!(told["verdict"], "review");
    assert_eq!(told["extent"], "less than 5 % of the records");
    assert_eq!(told["may_differ"], told["variables"]);
    for table in told["two_way"].as_array().unwrap() {
        assert_eq!(table["moved"].is_null(), table["kept"] == true, "{table}");
        assert!(table["kept"] == true || table["moved"] == "below 5 %", "{table}");
    }
    let text = html::plain(&html::checked(&desk.read("page.html")));
    // Tables that are not kept may have stayed as they were: none of them is called unchanged.
    let (_, others) = text.split_once("Effect on other tables").unwrap();
    let (others, _) = others.split_once("What not to conclude").unwrap();
    assert!(others.contains("below 5 %") && !others.contains("unchanged"), "{others}");
}

/// The commands on the page are those of the release, no matter who wrote the page.
#[test]
fn protect_and_report_give_the_same_commands() {
    let desk = protected(&[]);
    let names = ["again.csv", "again.plan", "one.html", "two.html", "seed"];
    let [after, plan, one, two, seed] = names.map(|name| desk.path(name));
    let job = ["protect", TOWN, "--keys", KEYS, "--keep", KEEP, "-o", &after, "--plan", &plan];
    let output = marginswap(&[&job[..], &["--seed-file", &seed, "--report", &one]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert!(!err(&output).contains("single records are not compared"), "{}", err(&output));
    let report = ["report", TOWN, &after, "--plan", &plan, "-o", &two, "--force"];
    ran(&[&report[..], &["--seed-file", &seed]].concat(), 0);
    assert!(desk.read("one.html") == desk.read("two.html"), "without --shuffled");
    ran(&[&report[..], &["--seed-file", &seed, "--shuffled"]].concat(), 0);
    assert!(desk.read("one.html") == desk.read("two.html"), "with --shuffled");
    assert!(desk.read("one.html").contains("--seed-file SEED"));
}

/// The next step is the release that the project file describes.
#[test]
fn the_next_step_drops_and_shuffles() {
    let desk = Desk::new();
    let [project, plan] = ["p.toml", "swap.plan"].map(|name| desk.path(name));
    let text = format!(
        "data = \"{TOWN}\"\n[columns]\nignore = [\"occupation\"]\n[keep]\ntables = [\"{KEEP}\"]\n\
         [risk]\nkeys = [\"region\", \"sex\", \"age\", \"marital\"]\n\
         [release]\norder = \"random\"\ndrop = [\"occupation\"]\n"
    );
    fs::write(&project, text).unwrap();
    let data = fs::canonicalize(TOWN).unwrap();
    let text = fs::read_to_string(&project).unwrap().replace(TOWN, data.to_str().unwrap());
    fs::write(&project, text).unwrap();
    let one = ["plan", "--project", &project, "-o", &plan, "--demo-seed", "1"];
    let two = ["frontier", "--project", &project, "--plan", &plan, "--demo-seed", "1", "--force"];
    for command in [&one[..], &two] {
        let output = marginswap(command);
        // The project file says the rest.
        let line = format!("{plan} --project {project} -o released.csv");
        assert!(err(&output).contains(&line), "{}", err(&output));
    }
}

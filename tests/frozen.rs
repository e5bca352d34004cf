//! What must not change by itself: the bytes that simulated projects give, the fields of the JSON,
//! the help and the error codes.
//!
//! The lists are in `tests/frozen/`. What changes on purpose is written again, and the difference
//! read:
//!
//! ```sh
//! MARGINSWAP_BLESS=1 cargo test --test all frozen::
//! ```
//!
//! A line of `projects.txt` is a simulated project and the sums of what the commands give for it.
//! Its first sum is that of the project itself, so that a change of the simulator is distinguished
//! from a change of the program. The version of the program, and with it the last line of a plan,
//! which is a sum of it, are left out. The project is protected with one thread and with two, in
//! two folders; what both give must be the same before it is compared with the list. The files of a
//! project are written by
//!
//! ```sh
//! cargo run -p marginswap-torture -- --seed 30 --case NUMBER --write FOLDER
//! ```

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::LazyLock;

use marginswap_io::sha256_hex;
use marginswap_pipeline::codes::ENTRIES;
use marginswap_pipeline::settings::{SETTINGS, Setting};
use marginswap_report::JSON_VERSION;
use marginswap_torture::Case;
use marginswap_torture::doors::write_case;
use marginswap_torture::project::is_for_the_doors;
use rayon::prelude::*;
use serde_json::Value;
use support::{Desk, out};

/// How many projects are simulated, and with which seed. More than a quarter are released.
const PROJECTS: u64 = 900;
const SEED: u64 = 30;

/// The job, whose release, plan and answer are frozen for every project.
const PROTECT: &str = "protect --seed-file seed -o out.csv --plan swap.plan --svg out.svg";

/// What is asked about every release.
const ABOUT_A_RELEASE: [(&str, &str); 3] = [
    ("internal", "report data.csv out.csv --plan swap.plan --seed-file seed -o internal.html"),
    ("external", "report data.csv out.csv --external -o external.html"),
    ("verify", "verify data.csv out.csv --three-way"),
];

/// What else is asked, each of every tenth project.
const IN_TURN: [(&str, &str); 10] = [
    ("inspect", "inspect data.csv"),
    ("graph", "graph data.csv"),
    ("screen", "screen data.csv --out screen.csv"),
    ("explain", "explain data.csv --record p0 --partners all"),
    ("pair", "explain data.csv --pair p0 p8"),
    ("risk", "risk data.csv --population 1000 --suda --out risk.csv"),
    ("plan", "plan --seed-file seed -o again.plan"),
    ("show", "show swap.plan --reveal"),
    ("apply", "apply data.csv swap.plan --seed-file seed -o applied.csv"),
    ("frontier", "frontier data.csv --budgets 2,none --seeds 2 --seed-file seed --plan best.plan"),
];

/// What no project changes, asked next to the first one.
const ONCE: [(&str, &str); 6] = [
    ("clean", "clean ."),
    ("codes", "explain codes"),
    ("code", "explain E203"),
    ("sql", "sql cells --dialect duckdb --from t --columns a,b --id a"),
    ("error", "inspect nowhere.csv"),
    ("usage", "inspect --nothing"),
];

/// A folder, and how many threads work in it.
struct Place {
    desk: Desk,
    threads: usize,
}

impl Place {
    /// Runs a command, whose words are between spaces.
    fn run(&self, words: &str) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_marginswap"));
        // `COLUMNS` is the width of the help.
        command.env("COLUMNS", "100").env("RAYON_NUM_THREADS", self.threads.to_string());
        command.current_dir(self.desk.folder()).args(words.split(' '));
        command.output().expect("the program starts")
    }

    fn read(&self, name: &str) -> Option<Vec<u8>> {
        fs::read(self.desk.path(name)).ok()
    }
}

/// What a project gives: sums by what they are of, and its answers by their commands.
#[derive(Default)]
struct Given {
    sums: Vec<(String, String)>,
    answers: Vec<(&'static str, Value)>,
    is_released: bool,
}

impl Given {
    /// Runs everything on a project.
    fn by(case: &Case, number: u64, threads: usize) -> Self {
        let place = &Place { desk: Desk::new(), threads };
        write_case(case, place.desk.folder()).unwrap();
        let inputs = ["data.csv", "marginswap.toml", "seed", "list.txt"];
        let inputs = inputs.map(|name| place.read(name).unwrap()).concat();
        let mut given = Self::default();
        given.sums.push(("project".to_owned(), sum(&inputs)));
        given.ask(place, "protect", PROTECT);
        given.look_at(place, &["out.csv", "swap.plan", "out.svg"]);
        given.is_released = place.read("out.csv").is_some();
        if given.is_released {
            ABOUT_A_RELEASE.iter().for_each(|(name, words)| given.ask(place, name, words));
            given.look_at(place, &["internal.html", "external.html"]);
        }
        let (name, words) = IN_TURN[usize::try_from(number).unwrap() % IN_TURN.len()];
        given.ask(place, name, words);
        given.look_at(place, &["screen.csv", "risk.csv", "again.plan", "applied.csv", "best.plan"]);
        if number == 0 {
            ONCE.iter().for_each(|(name, words)| given.ask(place, name, words));
        }
        given
    }

    /// Asks a command for its JSON.
    fn ask(&mut self, place: &Place, name: &'static str, words: &str) {
        let output = place.run(&format!("{words} --json"));
        let code = output.status.code().expect("no signal ends the program");
        self.sums.push((format!("{name}={code}"), sum(&without_version(&output.stdout))));
        let answer = serde_json::from_slice(&output.stdout).expect("the answer is JSON");
        self.answers.push((if code > 1 { "error" } else { name }, answer));
    }

    /// Takes the sums of files that a command may have written.
    fn look_at(&mut self, place: &Place, names: &[&str]) {
        for &name in names {
            let Some(bytes) = place.read(name) else {
                continue;
            };
            // Records may hold bytes that are no text.
            let bytes = if name.ends_with(".csv") { bytes } else { without_version(&bytes) };
            self.sums.push((name.to_owned(), sum(&bytes)));
        }
    }

    fn line(&self) -> String {
        self.sums.iter().map(|(name, sum)| format!(" {name}:{sum}")).collect()
    }
}

/// The first digits of the sum.
fn sum(bytes: &[u8]) -> String {
    sha256_hex(bytes)[..10].to_owned()
}

/// A text without the version of the program, and a plan without the line that sums it up.
fn without_version(text: &[u8]) -> Vec<u8> {
    let text = std::str::from_utf8(text).expect("plans, answers and pages are UTF-8");
    let text = text.replace(env!("CARGO_PKG_VERSION"), "VERSION");
    let end = text.rfind("\nend ").filter(|_| text.starts_with("SECRET: marginswap plan"));
    text[..end.unwrap_or(text.len())].into()
}

/// The projects, each run once for all tests.
static RUNS: LazyLock<Vec<(Case, Given)>> = LazyLock::new(|| {
    let run = |number| {
        let case = Case::draw(SEED, number);
        let [one, two] = [1, 2].map(|threads| Given::by(&case, number, threads));
        assert_eq!(one.sums, two.sums, "project {number}, with one thread and with two");
        (case, one)
    };
    (0..PROJECTS).into_par_iter().map(run).collect()
});

/// Compares what is found with a list, or writes the list.
fn compare(name: &str, found: &str, differences: fn(&str, &str) -> Vec<String>) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/frozen").join(name);
    if std::env::var_os("MARGINSWAP_BLESS").is_some() {
        fs::write(&file, found).unwrap();
    }
    let listed = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        listed == found,
        "{name} differs; where that is on purpose, bless it as CONTRIBUTING.md says:\n{}",
        differences(&listed, found).join("\n")
    );
}

/// The lines that are gone and those that are new.
fn lines_changed(listed: &str, found: &str) -> Vec<String> {
    let [were, are] = [listed, found].map(|text| text.lines().collect::<BTreeSet<_>>());
    let gone = listed.lines().filter(|line| !are.contains(line)).map(|line| format!("- {line}"));
    let new = found.lines().filter(|line| !were.contains(line)).map(|line| format!("+ {line}"));
    gone.chain(new).collect()
}

#[test]
fn simulated_projects_give_the_same_bytes() {
    let lines = RUNS.iter().enumerate();
    let found: String =
        lines.map(|(number, (_, given))| format!("{number}{}\n", given.line())).collect();
    compare("projects.txt", &found, projects_changed);
}

/// In words: which projects give something else, and what.
fn projects_changed(listed: &str, found: &str) -> Vec<String> {
    let mut changed = Vec::new();
    let entries = |line: &str| -> BTreeMap<String, String> {
        let entries = line.split(' ').skip(1).filter_map(|entry| entry.rsplit_once(':'));
        entries.map(|(name, sum)| (name.to_owned(), sum.to_owned())).collect()
    };
    let mut listed = listed.lines();
    for (number, now) in found.lines().enumerate() {
        let [before, now] = [listed.next().unwrap_or_default(), now].map(entries);
        if before.get("project") != now.get("project") {
            changed.push(format!("project {number} is another one: the simulator has changed"));
            continue;
        }
        let names: BTreeSet<&String> = before.keys().chain(now.keys()).collect();
        let others = names.into_iter().filter(|&name| before.get(name) != now.get(name));
        let others: Vec<&str> = others.map(String::as_str).collect();
        if !others.is_empty() {
            changed.push(format!("project {number} has other bytes: {}", others.join(", ")));
        }
    }
    changed
}

#[test]
fn what_changed_is_named() {
    let listed = "0 project:a protect=0:b out.csv:c\n1 project:d protect=0:e\n2 project:f\n";
    assert_eq!(projects_changed(listed, listed), [""; 0]);
    let found = "0 project:a protect=1:b out.csv:d\n1 project:x protect=0:e\n2 project:f\n";
    assert_eq!(
        projects_changed(listed, found),
        [
            "project 0 has other bytes: out.csv, protect=0, protect=1",
            "project 1 is another one: the simulator has changed",
        ]
    );
}

/// What the simulator sets in projects only that are refused: its files have no weights, and
/// no column with the size of a household, and a mechanism keeps no plan to compare. `weights.rs`,
/// `households.rs` and `sample.rs` release such files.
const NEVER_RELEASED: [&str; 8] = [
    "unit.size",
    "unit.columns",
    "swap.weight",
    "swap.weight_drift",
    "swap.weighted",
    "trs.hid",
    "swap.mechanism",
    "swap.epsilon",
];

/// The list is no proof of what it does not hold.
#[test]
fn a_released_project_has_every_setting() {
    let released: Vec<&(Case, Given)> =
        RUNS.iter().filter(|(_, given)| given.is_released).collect();
    assert!(released.len() > 200, "{} projects are released", released.len());
    let set: BTreeSet<String> = released
        .iter()
        .flat_map(|(case, _)| case.told.iter().map(|told| told.setting.key()))
        .collect();
    let drawn = SETTINGS.iter().filter(|setting| !is_for_the_doors(setting));
    let missing = drawn.map(Setting::key).filter(|key| !set.contains(key));
    let missing: Vec<String> =
        missing.filter(|key| !NEVER_RELEASED.contains(&key.as_str())).collect();
    assert!(missing.is_empty(), "no released project sets {missing:?}");
}

/// The kinds of value of each field.
type Fields = BTreeMap<String, BTreeSet<&'static str>>;

/// Finds the fields of a JSON; `*` is a name that the project gives.
fn fields(case: &Case, value: &Value, path: &str, found: &mut Fields) {
    let is_field = |name: &String| {
        let is_plain =
            |sign: char| sign.is_ascii_lowercase() || sign.is_ascii_digit() || sign == '_';
        name.chars().all(is_plain) && !case.world.names.contains(name)
    };
    let kind = match value {
        Value::Object(entries) => {
            for (name, value) in entries {
                let joint = if path.is_empty() { "" } else { "." };
                let name = if is_field(name) { name } else { "*" };
                fields(case, value, &format!("{path}{joint}{name}"), found);
            }
            return;
        }
        Value::Array(list) => {
            list.iter().for_each(|value| fields(case, value, &format!("{path}[]"), found));
            "list"
        }
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "number",
        Value::String(_) => "text",
    };
    found.entry(path.to_owned()).or_default().insert(kind);
}

#[test]
fn the_fields_of_the_json_are_listed() {
    let mut commands: BTreeMap<&str, Fields> = BTreeMap::new();
    for (case, given) in RUNS.iter() {
        for (command, answer) in &given.answers {
            assert_eq!(answer["version"], JSON_VERSION, "{command}");
            fields(case, answer, "", commands.entry(command).or_default());
        }
    }
    let mut list = String::new();
    for (command, fields) in commands {
        for (path, kinds) in fields {
            let kinds: Vec<&str> = kinds.into_iter().collect();
            writeln!(list, "{command} {path}: {}", kinds.join(", ")).unwrap();
        }
    }
    compare("fields.txt", &list, lines_changed);
}

#[test]
fn the_help_is_listed() {
    let place = Place { desk: Desk::new(), threads: 1 };
    let help = |words: &str| out(&place.run(words));
    let whole = help("--help");
    let commands = whole.split("\nCommands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let commands = commands.lines().filter_map(|line| line.split_whitespace().next());
    let commands: Vec<&str> = commands.filter(|command| *command != "help").collect();
    assert!(commands.len() > 15, "the commands are found: {commands:?}");
    let mut list = String::new();
    for command in [""].iter().chain(&commands) {
        let [short, long] = ["-h", "--help"].map(|how| help(format!("{command} {how}").trim()));
        if short == long {
            writeln!(list, "$ marginswap {command} -h, --help\n{long}").unwrap();
        } else {
            writeln!(list, "$ marginswap {command} -h\n{short}").unwrap();
            writeln!(list, "$ marginswap {command} --help\n{long}").unwrap();
        }
    }
    compare("help.txt", &list, lines_changed);
}

#[test]
fn the_error_codes_are_listed() {
    let lines =
        ENTRIES.iter().map(|entry| format!("{entry} exit {} {}\n", entry.exit, entry.title));
    compare("codes.txt", &lines.collect::<String>(), lines_changed);
}

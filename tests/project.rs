//! The project file: every entry, what wins, what is refused and where; what `init` writes.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[allow(dead_code, unused_imports, reason = "a test uses what it needs")]
#[path = "../src/project/mod.rs"]
mod project;
mod support;

use std::fs;
use std::path::{Path, PathBuf};

use marginswap_core::diagnostic::{Code, Diagnostic};
use project::{Amount, Pairing, Project, Risky, Share};
use serde_json::json as value;

/// Every entry there is.
const FULL: &str = r#"
data = "survey.csv"
delimiter = ";"
[columns]
vars = ["age", "sex"]
stay = ["town"]
ignore = ["note"]
id = "person"
[keep]
tables = ["region*sex*age", "age*`marital status` + sex"]
[risk]
keys = ["region", "sex"]
risky = "k:3"
[swap]
linked = [["age", "age_group"]]
match = [["region", "sex"], ["region"], []]
strata = ["stratum"]
weight = "w"
rules = ["age = 0-17 & marital = married", 'sex in {"f", m}']
budget = "5 %"
rate = 40
pairing = "optimal"
[swap.weights]
income = 3
"marital status" = 1
[release]
out = "out/released.csv"
plan = "/plans/swap.plan"
shuffle = false
drop = ["person"]
[trs]
hierarchy = ["nuts1", "nuts2"]
similar = [["hsize"]]
carry_along = ["lau"]
k_anonymity = 4
risk_variables = ["age", "sex"]
swaprate = "0.07"
"#;

fn load(text: impl AsRef<[u8]>) -> Result<Project, Diagnostic> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("marginswap.toml");
    fs::write(&path, text).unwrap();
    let project = Project::load(&path).map_err(|refusal| {
        assert_eq!(refusal.place.file.as_deref(), Some(path.as_path()));
        refusal
    });
    // So that a test need not know the folder.
    project.map(|mut project| {
        let shorten = |path: &mut PathBuf| {
            if let Ok(short) = path.strip_prefix(folder.path()) {
                *path = short.to_owned();
            }
        };
        let Project { data, release, .. } = &mut project;
        for path in [data, &mut release.out, &mut release.plan].into_iter().flatten() {
            shorten(path);
        }
        project
    })
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

#[test]
fn every_entry_is_read() {
    let project = load(FULL).unwrap();
    assert_eq!(project.data.as_deref(), Some(Path::new("survey.csv")));
    assert_eq!(project.delimiter.unwrap().byte(), b';');
    assert_eq!(project.columns.vars, ["age", "sex"]);
    assert_eq!(project.columns.stay, ["town"]);
    assert_eq!(project.columns.ignore, ["note"]);
    assert_eq!(project.columns.id.as_deref(), Some("person"));
    assert_eq!(project.keep.tables, ["region*sex*age", "age*`marital status` + sex"]);
    assert_eq!(project.risk.keys, ["region", "sex"]);
    assert_eq!(project.risk.risky, Some(Risky::BelowK(3)));
    assert_eq!(project.swap.linked, [["age", "age_group"]]);
    assert_eq!(project.swap.matched, [names(&["region", "sex"]), names(&["region"]), vec![]]);
    assert_eq!(project.swap.strata, ["stratum"]);
    assert_eq!(project.swap.weight.as_deref(), Some("w"));
    assert_eq!(project.swap.rules.len(), 2);
    assert_eq!(project.swap.rules[0], "age=0-17 & marital=married".parse().unwrap());
    assert_eq!(project.swap.budget, Some(Amount::Share(Share::percent(5))));
    assert_eq!(project.swap.rate, Some(Amount::Records(40)));
    assert_eq!(project.swap.pairing, Some(Pairing::Optimal));
    assert_eq!(project.weight_of("income").get(), 3);
    assert_eq!(project.weight_of("marital status").get(), 1);
    assert_eq!(project.weight_of("sex").get(), 1);
    assert_eq!(project.release.out.as_deref(), Some(Path::new("out/released.csv")));
    assert_eq!(project.release.plan.as_deref(), Some(Path::new("/plans/swap.plan")));
    assert_eq!(project.release.shuffle, Some(false));
    assert_eq!(project.release.drop, ["person"]);
    let trs = project.trs.unwrap();
    assert_eq!(trs.hierarchy, ["nuts1", "nuts2"]);
    assert_eq!(trs.similar, [["hsize"]]);
    assert_eq!(trs.carry_along, ["lau"]);
    assert_eq!(trs.k_anonymity, Some(4));
    assert_eq!(trs.risk_variables, ["age", "sex"]);
    assert_eq!(trs.swaprate, Some(Amount::Share(Share::percent(7))));
}

/// Windows editors write a byte order mark and CR LF.
#[test]
fn other_line_ends_are_the_same() {
    let text = format!("\u{feff}{}", FULL.replace('\n', "\r\n"));
    assert_eq!(load(text).unwrap(), load(FULL).unwrap());
    assert_eq!(load("").unwrap(), Project::default());
    assert_eq!(load("# nothing\n[keep]\n[swap.weights]\n").unwrap(), Project::default());
}

#[test]
fn paths_start_at_the_project_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.toml");
    fs::write(
        &path,
        "data = 'a/b.csv'\n[risk]\nrisky = 'records:ids.txt'\n[release]\nout = '../o.csv'\n",
    )
    .unwrap();
    let project = Project::load(&path).unwrap();
    assert_eq!(project.data, Some(folder.path().join("a/b.csv")));
    assert_eq!(project.risk.risky, Some(Risky::Records(folder.path().join("ids.txt"))));
    assert_eq!(project.release.out, Some(folder.path().join("../o.csv")));
}

#[test]
fn flags_win_entry_by_entry() {
    let file = load(FULL).unwrap();
    assert_eq!(file.clone().merge(Project::default()), file);
    assert_eq!(Project::default().merge(file.clone()), file);
    let mut flags = Project::default();
    flags.data = Some("other.csv".into());
    flags.columns.vars = names(&["income"]);
    flags.keep.tables = names(&["sex*age"]);
    flags.risk.risky = Some(Risky::Unique);
    flags.swap.rate = Some(Amount::Records(7));
    flags.swap.weights = load("[swap.weights]\nsex = 2\nincome = 5\n").unwrap().swap.weights;
    flags.release.shuffle = Some(true);
    let merged = file.clone().merge(flags);
    let mut expected = file;
    expected.data = Some("other.csv".into());
    expected.columns.vars = names(&["income"]);
    expected.keep.tables = names(&["sex*age"]);
    expected.risk.risky = Some(Risky::Unique);
    expected.swap.rate = Some(Amount::Records(7));
    expected.release.shuffle = Some(true);
    expected.swap.weights =
        load("[swap.weights]\nsex = 2\nincome = 5\n'marital status' = 1\n").unwrap().swap.weights;
    assert_eq!(merged, expected);
}

/// What is refused: the text, the code, line and column, and words of the message.
const REFUSED: &[(&str, Code, &str, &str)] = &[
    ("data = survey.csv\n", Code::BadToml, "line 1, column 8", "quotes"),
    ("[keep\n", Code::BadToml, "line 1, column 6", ""),
    ("a = 1\na = 2\n", Code::BadToml, "line 2, column 1", "duplicate key"),
    ("[keep]\ntables = [\"a\"\n[swap]\n", Code::BadToml, "line 3, column ", ""),
    ("dat = 'x'\n", Code::UnknownEntry, "line 1, column 1", "did you mean `data`?"),
    ("\n  [risks]\n", Code::UnknownEntry, "line 2, column 4", "did you mean `risk`?"),
    ("[keep]\ntable = ['a']\n", Code::UnknownEntry, "line 2, column 1", "did you mean `tables`?"),
    ("[swap]\nmatched = []\n", Code::UnknownEntry, "line 2, column 1", "match, strata"),
    ("[swap]\nzzz = 1\n", Code::UnknownEntry, "line 2, column 1", "see the spelling"),
    ("[trs]\nhid = 'h'\n", Code::UnknownEntry, "line 2, column 1", "hierarchy"),
    ("'a`, expected `b' = 1\n", Code::UnknownEntry, "line 1, column 1", "data"),
    ("keep = 3\n", Code::BadEntry, "line 1, column 8", "`keep`: a number stands here"),
    ("data = 3\n", Code::BadEntry, "line 1, column 8", "expected is a path"),
    (
        "delimiter = 'CANARY'\n",
        Code::BadEntry,
        "line 1, column 13",
        "`delimiter`: a delimiter is one",
    ),
    (
        "[columns]\nvars = 'CANARY'\n",
        Code::BadEntry,
        "line 2, column 8",
        "`columns.vars`: a text stands here, expected is a list",
    ),
    ("[columns]\nvars = ['a', 3]\n", Code::BadEntry, "line 2, column 14", "expected is a text"),
    ("[columns]\nid = ['CANARY']\n", Code::BadEntry, "line 2, column 6", "a list stands here"),
    ("[keep]\ntables = ['a*b', 'a*`b']\n", Code::BadEntry, "line 2, column 18", "not closed"),
    ("[keep]\ntables = ['a**b']\n", Code::BadEntry, "line 2, column 11", "a name is missing"),
    ("[risk]\nrisky = 'CANARY'\n", Code::BadEntry, "line 2, column 9", "write unique"),
    ("[risk]\nrisky = 3\n", Code::BadEntry, "line 2, column 9", "`risk.risky`: a number stands"),
    ("[swap]\nlinked = ['age']\n", Code::BadEntry, "line 2, column 11", "expected is a list"),
    (
        "[swap]\nrules = [\n  'a = 1',\n  'ä < CANARY',\n]\n",
        Code::BadEntry,
        "line 4, column 3",
        "at character 3 of the rule",
    ),
    ("[swap]\nrate = 0.05\n", Code::BadEntry, "line 2, column 8", "a share in quotes"),
    ("[swap]\nrate = -5\n", Code::BadEntry, "line 2, column 8", "`swap.rate`"),
    ("[swap]\nbudget = '150 %'\n", Code::BadEntry, "line 2, column 15", "more than all"),
    ("[swap]\npairing = 'best'\n", Code::BadEntry, "line 2, column 11", "greedy or optimal"),
    ("[swap.weights]\nage = 0\n", Code::BadEntry, "line 2, column 7", "a whole number from 1"),
    ("[swap.weights]\nage = 1.5\n", Code::BadEntry, "line 2, column 7", "`swap.weights.age`"),
    ("[swap]\nweights = 'CANARY'\n", Code::BadEntry, "line 2, column 11", "entries of its own"),
    ("[release]\nshuffle = 'CANARY'\n", Code::BadEntry, "line 2, column 11", "true or false"),
    ("[trs]\nk_anonymity = -1\n", Code::BadEntry, "line 2, column 15", "a whole number from 0"),
];

#[test]
fn what_cannot_be_read_is_told_with_its_place() {
    for &(text, code, place, words) in REFUSED {
        let refusal = load(text).expect_err(text);
        let said = refusal.to_string();
        assert_eq!(refusal.code, code, "{text}\n{said}");
        assert_eq!(refusal.code.exit_code(), 4);
        assert!(said.contains(place), "{text}\n{said}");
        assert!(said.contains(words), "{text}\n{said}");
        assert!(!said.contains("CANARY") && !said.contains('\u{1f}'), "{said}");
    }
}

#[test]
fn what_is_not_utf8_or_not_there_is_refused() {
    let refusal = load(b"# \xc3\xa9\ndata = '\xe9'\n").unwrap_err();
    assert_eq!(refusal.code, Code::BadToml);
    assert!(refusal.to_string().contains("line 2, column 9 (byte 13)"), "{refusal}");
    let folder = tempfile::tempdir().unwrap();
    for path in [folder.path().join("none.toml"), folder.path().to_owned()] {
        let refusal = Project::load(&path).unwrap_err();
        assert_eq!(refusal.code, Code::NoProjectFile);
        assert_eq!(refusal.place.file.as_deref(), Some(path.as_path()));
    }
}

/// No text of the entries' own signs ends the program.
#[test]
fn no_cut_file_breaks_the_reader() {
    for end in 0..FULL.len() {
        let _ = load(&FULL[..end]);
    }
}

#[test]
fn parameters_are_what_decides_a_plan() {
    let project = load(FULL).unwrap();
    let parameters = project.parameters();
    let keys: Vec<&String> = parameters.as_object().unwrap().keys().collect();
    assert!(keys.is_sorted(), "{keys:?}");
    assert_eq!(parameters["weights"], value!({"income": 3}));
    assert_eq!(parameters["budget"], "5 %");
    assert_eq!(
        parameters["rules"][1],
        value!([{"column": "sex", "negated": false, "values": ["f", "m"]}])
    );
    // Places, outputs and what would be done anyway make no difference.
    let plain = Project::default().parameters();
    let said = "data = 'x'\ndelimiter = ','\n[risk]\nrisky = 'unique'\n[swap]\npairing = 'greedy'\n\
                weights = { a = 1 }\n[release]\nout = 'o'\nplan = 'p'\nshuffle = true\ndrop = ['a']\n";
    assert_eq!(load(said).unwrap().parameters(), plain);
    let records = |file: &str| load(format!("[risk]\nrisky = 'records:{file}'\n")).unwrap();
    assert_eq!(records("a").parameters(), records("b").parameters());
    // Everything else does.
    for text in [
        "[columns]\nvars = ['a']",
        "[columns]\nstay = ['a']",
        "[columns]\nignore = ['a']",
        "[columns]\nid = 'a'",
        "[keep]\ntables = ['a']",
        "[risk]\nkeys = ['a']",
        "[risk]\nrisky = 'k:2'",
        "[swap]\nlinked = [['a']]",
        "[swap]\nmatch = [['a']]",
        "[swap]\nstrata = ['a']",
        "[swap]\nweight = 'a'",
        "[swap]\nrules = ['a = b']",
        "[swap]\nbudget = 1",
        "[swap]\nrate = 1",
        "[swap]\npairing = 'optimal'",
        "[swap]\nweights = { a = 2 }",
        "[trs]\nhierarchy = ['a']",
    ] {
        assert_ne!(load(text).unwrap().parameters(), plain, "{text}");
    }
}

#[test]
fn the_preset_stands_for_other_entries() {
    let trs = "[trs]\nhierarchy = ['nuts1', 'nuts 2']\nsimilar = [['hsize', 'sex'], ['hsize']]\n\
               carry_along = ['lau']\nrisk_variables = ['age', 'nuts1']\n";
    let plain = "[columns]\nvars = ['nuts1', 'nuts 2', 'lau']\n\
                 [keep]\ntables = ['nuts1*`nuts 2`*lau*hsize']\n\
                 [risk]\nkeys = ['age', 'nuts1', 'nuts 2']\nrisky = 'k:3'\n\
                 [swap]\nlinked = [['nuts1', 'nuts 2', 'lau']]\n\
                 match = [['hsize', 'sex'], ['hsize']]\nrate = '5 %'\n";
    let expanded = load(trs).unwrap().expanded();
    assert_eq!(expanded, load(plain).unwrap());
    assert_eq!(load(trs).unwrap().parameters(), load(plain).unwrap().parameters());
    // An entry of its own wins.
    let both = load(format!("[swap]\nrate = '2 %'\n{trs}")).unwrap().expanded();
    assert_eq!(both.swap.rate, Some(Amount::Share(Share::percent(2))));
    assert_eq!(both.columns, expanded.columns);
    // Off: nobody is risky.
    let off = load("[trs]\nk_anonymity = 0\n").unwrap().expanded();
    assert_eq!(off.risky(), Risky::BelowK(0));
    assert!(off.keep.tables.is_empty() && off.swap.linked.is_empty());
}

//! The project file: every entry, what wins, what is refused and where; what `init` writes.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use marginswap_core::diagnostic::{Diagnostic, Kind};
use marginswap_core::random::Seed;
use marginswap_io::Overwrite;
use marginswap_pipeline::codes;
use marginswap_pipeline::demo::{self, Survey};
use marginswap_pipeline::project::{
    Amount, Fraction, ModelChoice, Pairing, PeopleCount, Project, ReleaseOrder, Risky, ScoreBy,
    SearchBy, SelectBy, Share,
};
use marginswap_pipeline::refusal::Code;
use serde_json::json as value;

/// Every entry there is.
const FULL: &str = r#"
data = "survey.csv"
delimiter = ";"
header = true
[columns]
vars = ["age", "sex"]
stay = ["town"]
ignore = ["note"]
id = "person"
missing = ["", "NA"]
[derive]
age10 = "band(age, 10)"
"the region" = 'map(town, "geo.csv", "region")'
[unit]
household = "dwelling"
columns = ["region"]
size = "persons"
file = "/data/dwellings.csv"
then = "persons"
[keep]
tables = ["region*sex*age", "age*`marital status` + sex"]
households = ["region*size + region*count(age < 18)"]
list = "tables.csv"
[verify]
published = ["t1.csv", { file = "t2.csv", columns = { SEX = "sex" }, absent = "zero" }]
total = ["_T"]
[risk]
keys = ["region", "sex"]
more_keys = [["age"], ["age", "sex"]]
household_keys = ["region", "size"]
sensitive = ["income"]
risky = "k:3"
knows = "all"
crowd = 7
roughly = { age = 5 }
population = 1000000
fraction = "2.5 %"
model = "sex*age + age"
start = ["sex*age"]
criterion = "aic"
search = "both"
select = "fit"
[risk.scenarios]
neighbour = ["age", "sex"]
employer = { keys = ["age"], sensitive = ["income"] }
[swap]
linked = [["age", "age_group"]]
match = [["region", "sex"], ["region"], []]
near = ["district", "county"]
areas = "/data/areas.csv"
strata = ["stratum"]
weight = "w"
weight_drift = "1 %"
weighted = ["region*sex*age"]
rules = ["age = 0-17 & marital = married", 'sex in {"f", m}']
budget = "5 %"
rate = 40
mechanism = "glue"
epsilon = 2.5
pairing = "optimal"
effort = "long"
max_records = 4
never_new = ["age*marital"]
detach = 2
[swap.weights]
income = 3
"marital status" = 1
[release]
out = "out/released.csv"
households = "/out/homes.csv"
plan = "/plans/swap.plan"
order = "input"
release_id = true
drop = ["person"]
[gate]
matched_right = 1
matched = "2 %"
shared_right = 0
shared_learned = 0
newly_exposed = 3
not_hidden = 2
not_separable = "10 %"
new_pairs = 0
dependencies_broken = 3
moved = "4 %"
[trs]
hierarchy = ["nuts1", "nuts2"]
similar = [["hsize"]]
carry_along = ["lau"]
k_anonymity = 4
risk_variables = ["age", "sex"]
swaprate = "0.07"
hid = "dwelling"
"#;

fn load(text: impl AsRef<[u8]>) -> Result<Project, Diagnostic> {
    let folder = support::folder();
    let path = folder.path().join("marginswap.toml");
    fs::write(&path, text).unwrap();
    let project = Project::load(&path).inspect_err(|refusal| {
        assert_eq!(refusal.place.file.as_deref(), Some(path.as_path()));
    });
    // So that a test need not know the folder.
    project.map(|mut project| {
        let shorten = |path: &mut PathBuf| {
            if let Ok(short) = path.strip_prefix(folder.path()) {
                *path = short.to_owned();
            }
        };
        let Project { data, release, keep, verify, .. } = &mut project;
        verify.published.0.iter_mut().for_each(|table| shorten(&mut table.file));
        let files = [data, &mut release.out, &mut release.plan, &mut keep.list];
        for path in files.into_iter().flatten() {
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
    assert_eq!(project.columns.missing, ["", "NA"]);
    let derived: Vec<(&str, String)> =
        project.derive.iter().map(|(name, one)| (name.as_str(), one.to_string())).collect();
    assert_eq!(derived[0], ("age10", "band(age, 10)".to_owned()));
    assert_eq!(derived[1], ("the region", "map(town, \"geo.csv\", \"region\")".to_owned()));
    assert_eq!(project.keep.tables, ["region*sex*age", "age*`marital status` + sex"]);
    assert_eq!(project.unit.household.as_deref(), Some("dwelling"));
    assert_eq!(project.unit.columns, ["region"]);
    assert_eq!(project.unit.size.as_deref(), Some("persons"));
    assert_eq!(project.keep.households, ["region*size + region*count(age < 18)"]);
    assert_eq!(project.risk.household_keys, ["region", "size"]);
    assert_eq!(project.risk.keys, ["region", "sex"]);
    assert_eq!(project.risk.risky, Some(Risky::BelowK(3)));
    assert_eq!(project.risk.population, Some(PeopleCount(1_000_000)));
    assert_eq!(project.risk.fraction, Some(Fraction(0.025)));
    assert_eq!(project.risk.model, Some(ModelChoice::Tables("sex*age + age".to_owned())));
    assert_eq!(project.risk.start, ["sex*age"]);
    assert_eq!(project.risk.criterion, Some(ScoreBy::Aic));
    assert_eq!(project.risk.search, Some(SearchBy::Both));
    assert_eq!(project.risk.select, Some(SelectBy::Fit));
    assert_eq!(project.swap.linked, [["age", "age_group"]]);
    assert_eq!(project.swap.matched, [names(&["region", "sex"]), names(&["region"]), vec![]]);
    assert_eq!(project.swap.near, ["district", "county"]);
    assert_eq!(project.swap.strata, ["stratum"]);
    assert_eq!(project.swap.weight.as_deref(), Some("w"));
    assert_eq!(project.swap.rules.len(), 2);
    assert_eq!(project.swap.rules[0], "age=0-17 & marital=married".parse().unwrap());
    assert_eq!(project.swap.budget, Some(Amount::Share(Share::percent(5))));
    assert_eq!(project.swap.rate, Some(Amount::Records(40)));
    assert_eq!(project.swap.pairing, Some(Pairing::Optimal));
    assert_eq!(project.max_records().get(), 4);
    assert_eq!(project.weight_of("income").get(), 3);
    assert_eq!(project.weight_of("marital status").get(), 1);
    assert_eq!(project.weight_of("sex").get(), 1);
    assert_eq!(project.release.out.as_deref(), Some(Path::new("out/released.csv")));
    assert_eq!(project.release.plan.as_deref(), Some(Path::new("/plans/swap.plan")));
    assert_eq!(project.release.order, Some(ReleaseOrder::Input));
    assert_eq!(project.release.release_id, Some(true));
    assert_eq!(project.risk.more_keys, [names(&["age"]), names(&["age", "sex"])]);
    assert_eq!(project.risk.scenarios["neighbour"].keys, ["age", "sex"]);
    assert_eq!(project.risk.scenarios["employer"].sensitive, ["income"]);
    assert_eq!(project.risk.sensitive, ["income"]);
    assert_eq!(project.swap.never_new, ["age*marital"]);
    assert_eq!(project.swap.detach, Some(2));
    assert_eq!(project.gate.matched, Some(Amount::Share(Share::percent(2))));
    assert_eq!(project.gate.newly_exposed, Some(Amount::Records(3)));
    assert_eq!(project.dropped(), ["person"], "the id is not released");
    let trs = project.trs.unwrap();
    assert_eq!(trs.hierarchy, ["nuts1", "nuts2"]);
    assert_eq!(trs.similar, [["hsize"]]);
    assert_eq!(trs.carry_along, ["lau"]);
    assert_eq!(trs.k_anonymity, Some(4));
    assert_eq!(trs.risk_variables, ["age", "sex"]);
    assert_eq!(trs.swaprate, Some(Amount::Share(Share::percent(7))));
    assert_eq!(trs.hid.as_deref(), Some("dwelling"));
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
    let folder = support::folder();
    let path = folder.path().join("p.toml");
    fs::write(
        &path,
        "data = 'a/b.csv'\n[unit]\nfile = 'h.csv'\n[risk]\nrisky = 'records:ids.txt'\n\
         [release]\nout = '../o.csv'\nhouseholds = 'rh.csv'\n",
    )
    .unwrap();
    let project = Project::load(&path).unwrap();
    assert_eq!(project.data, Some(folder.path().join("a/b.csv")));
    assert_eq!(project.risk.risky, Some(Risky::Records(folder.path().join("ids.txt"))));
    assert_eq!(project.release.out, Some(folder.path().join("../o.csv")));
    assert_eq!(project.unit.file, Some(folder.path().join("h.csv")));
    assert_eq!(project.release.households, Some(folder.path().join("rh.csv")));
}

#[test]
fn flags_win_entry_by_entry() {
    let file = load(FULL).unwrap();
    assert_eq!(file.clone().merge(Project::default()), file);
    assert_eq!(Project::default().merge(file.clone()), file);
    let mut flags = Project { data: Some("other.csv".into()), ..Project::default() };
    flags.columns.vars = names(&["income"]);
    flags.keep.tables = names(&["sex*age"]);
    flags.risk.risky = Some(Risky::Unique);
    flags.swap.rate = Some(Amount::Records(7));
    flags.swap.weights = load("[swap.weights]\nsex = 2\nincome = 5\n").unwrap().swap.weights;
    flags.release.order = Some(ReleaseOrder::Random);
    let merged = file.clone().merge(flags);
    let mut expected = file;
    expected.data = Some("other.csv".into());
    expected.columns.vars = names(&["income"]);
    expected.keep.tables = names(&["sex*age"]);
    expected.risk.risky = Some(Risky::Unique);
    expected.swap.rate = Some(Amount::Records(7));
    expected.release.order = Some(ReleaseOrder::Random);
    expected.swap.weights =
        load("[swap.weights]\nsex = 2\nincome = 5\n'marital status' = 1\n").unwrap().swap.weights;
    assert_eq!(merged, expected);
    // The population and the fraction say one thing.
    let flags = load("[risk]\nfraction = '10 %'\n").unwrap();
    let merged = load("[risk]\npopulation = 5\n").unwrap().merge(flags);
    assert_eq!((merged.risk.population, merged.risk.fraction), (None, Some(Fraction(0.1))));
}

/// What is refused: the text, the code, line and column, and words of the message.
const REFUSED: &[(&str, Kind, &str, &str)] = &[
    ("data = survey.csv\n", Code::BadToml, "line 1, column 8", "quotes"),
    ("[keep\n", Code::BadToml, "line 1, column 6", ""),
    ("a = 1\na = 2\n", Code::BadToml, "line 2, column 1", "duplicate key"),
    ("[keep]\ntables = [\"a\"\n[swap]\n", Code::BadToml, "line 3, column ", ""),
    ("dat = 'x'\n", Code::UnknownEntry, "line 1, column 1", "did you mean `data`?"),
    ("\n  [risks]\n", Code::UnknownEntry, "line 2, column 4", "did you mean `risk`?"),
    ("[keep]\ntable = ['a']\n", Code::UnknownEntry, "line 2, column 1", "did you mean `tables`?"),
    (
        "[swap]\nmatched = []\n",
        Code::UnknownEntry,
        "line 2, column 1",
        "match, near, areas, strata",
    ),
    ("[swap]\nzzz = 1\n", Code::UnknownEntry, "line 2, column 1", "check the spelling"),
    ("[trs]\nhouseholds = 'h'\n", Code::UnknownEntry, "line 2, column 1", "hierarchy"),
    ("'a`, expected `b' = 1\n", Code::UnknownEntry, "line 1, column 1", "data"),
    (
        "keep = 3\n",
        Code::BadEntry,
        "line 1, column 8",
        "`keep`: expected a section, found a number",
    ),
    ("[risk]\npopulation = 'CANARY'\n", Code::BadEntry, "line 2", "whole number of people"),
    ("[risk]\nfraction = 'CANARY'\n", Code::BadEntry, "line 2", "not a fraction"),
    ("[risk]\ncriterion = 'CANARY'\n", Code::BadEntry, "line 2", "write bic or aic"),
    ("[risk]\nmodel = 'a*'\n", Code::BadEntry, "line 2", ""),
    ("data = 3\n", Code::BadEntry, "line 1, column 8", "expected a path"),
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
        "`columns.vars`: expected a list, found text",
    ),
    (
        "[columns]\nvars = ['a', 3]\n",
        Code::BadEntry,
        "line 2, column 14",
        "expected text, found a number",
    ),
    (
        "[columns]\nid = ['CANARY']\n",
        Code::BadEntry,
        "line 2, column 6",
        "expected text, found a list",
    ),
    ("[keep]\ntables = ['a*b', 'a*`b']\n", Code::BadEntry, "line 2, column 18", "not closed"),
    ("[keep]\ntables = ['a**b']\n", Code::BadEntry, "line 2, column 11", "a name is missing"),
    ("[risk]\nrisky = 'CANARY'\n", Code::BadEntry, "line 2, column 9", "write unique"),
    ("[risk]\nrisky = 3\n", Code::BadEntry, "line 2, column 9", "`risk.risky`: expected a rule"),
    (
        "[swap]\nlinked = ['age']\n",
        Code::BadEntry,
        "line 2, column 11",
        "expected a list, found text",
    ),
    (
        "[swap]\nrules = [\n  'a = 1',\n  'ä < CANARY',\n]\n",
        Code::BadEntry,
        "line 4, column 3",
        "at character 3 of the rule",
    ),
    ("[swap]\nrate = 1.05\n", Code::BadEntry, "line 2, column 8", "more than all"),
    ("[swap]\nrate = -5\n", Code::BadEntry, "line 2, column 8", "`swap.rate`"),
    ("[swap]\nbudget = '150 %'\n", Code::BadEntry, "line 2, column 10", "more than all"),
    ("[swap]\npairing = 'best'\n", Code::BadEntry, "line 2, column 11", "greedy or optimal"),
    ("[swap]\nmax_records = 17\n", Code::BadEntry, "line 2, column 15", "from 2 to 16"),
    ("[risk.roughly]\nage = 0\n", Code::BadEntry, "line 2, column 7", "a number above 0"),
    ("[swap.weights]\nage = 0\n", Code::BadEntry, "line 2, column 7", "a whole number from 1"),
    ("[swap.weights]\nage = 70000\n", Code::BadEntry, "line 2, column 7", "from 1 to 65,535"),
    ("[swap.weights]\nage = 1.5\n", Code::BadEntry, "line 2, column 7", "`swap.weights.age`"),
    ("[swap]\nweights = 'CANARY'\n", Code::BadEntry, "line 2, column 11", "entries of its own"),
    ("[release]\norder = 'CANARY'\n", Code::BadEntry, "line 2, column 9", "random or input"),
    ("[release]\nrelease_id = 'CANARY'\n", Code::BadEntry, "line 2, column 14", "true or false"),
    ("[trs]\nk_anonymity = -1\n", Code::BadEntry, "line 2, column 15", "a whole number from 0"),
];

#[test]
fn what_cannot_be_read_is_told_with_its_place() {
    for &(text, code, place, words) in REFUSED {
        let refusal = load(text).expect_err(text);
        let said = refusal.to_string();
        assert_eq!(refusal.code, code, "{text}\n{said}");
        assert_eq!(codes::entry(refusal.code).exit, 4);
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
    let folder = support::folder();
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
    let said = "data = 'x'\ndelimiter = ','\n[risk]\nrisky = 'unique'\n[swap]\npairing = 'slices'\nmax_records = 2\n\
                weights = { a = 1 }\n[release]\nout = 'o'\nplan = 'p'\norder = 'input'\ndrop = ['a']\n";
    assert_eq!(load(said).unwrap().parameters(), plain);
    // What may be new is always told; plans that do not tell it were made when anything might be.
    assert_eq!(plain["never_new"], value!(["all"]));
    assert_eq!(load("[swap]\nnever_new = ['all']\n").unwrap().parameters(), plain);
    let none = load("[swap]\nnever_new = ['none']\n").unwrap().parameters();
    assert_eq!(none["never_new"], value!(["none"]));
    let mut old = plain.clone();
    old["never_new"] = value!([]);
    assert_eq!(Project::from_parameters(&old).unwrap().swap.never_new, ["none"]);
    let records = |file: &str| load(format!("[risk]\nrisky = 'records:{file}'\n")).unwrap();
    assert_eq!(records("a").parameters(), records("b").parameters());
    // What the risk model is given decides a plan only where the model chooses.
    let told = "population = 9\nmodel = 'independence'\ncriterion = 'aic'\n";
    assert_eq!(load(format!("[risk]\n{told}")).unwrap().parameters(), plain);
    let top = load("[risk]\nrisky = 'top:5'\n").unwrap().parameters();
    assert_eq!(
        load("[risk]\nrisky = 'top:5'\nmodel = 'auto'\nsearch = 'forward'\n").unwrap().parameters(),
        top
    );
    for text in [
        "population = 9",
        "fraction = '5 %'",
        "model = 'all-2way'",
        "start = ['a']",
        "criterion = 'aic'",
        "search = 'both'",
        "select = 'fit'",
    ] {
        let other = load(format!("[risk]\nrisky = 'top:5'\n{text}\n")).unwrap().parameters();
        assert_ne!(other, top, "{text}");
    }
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
        "[swap]\nmechanism = 'glue'",
        "[swap]\nepsilon = 1",
        "[swap]\npairing = 'optimal'",
        "[swap]\nmax_records = 4",
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
                 [risk]\nkeys = ['age', 'nuts1', 'nuts 2']\nrisky = 'k:3'\nknows = 'all'\n\
                 [swap]\nlinked = [['nuts1', 'nuts 2', 'lau']]\n\
                 match = [['hsize', 'sex'], ['hsize']]\nrate = '5 %'\n";
    let expanded = load(trs).unwrap().expanded();
    assert_eq!(expanded, load(plain).unwrap());
    assert_eq!(load(trs).unwrap().parameters(), load(plain).unwrap().parameters());
    // An entry of its own wins.
    let both = load(format!("[swap]\nrate = '2 %'\n{trs}")).unwrap().expanded();
    assert_eq!(both.swap.rate, Some(Amount::Share(Share::percent(2))));
    assert_eq!(both.columns, expanded.columns);
    // Tables are kept on top.
    let more = load(format!("[keep]\ntables = ['age*sex']\nhouseholds = ['lau']\n{trs}"));
    let more = more.unwrap().expanded();
    assert_eq!(more.keep.tables, ["nuts1*`nuts 2`*lau*hsize", "age*sex"]);
    assert_eq!(more.keep.households, ["lau"]);
    // As `recordSwap` knows it: a share without quotes.
    let known = load(format!("{trs}swaprate = 0.05\n")).unwrap();
    assert_eq!(known.parameters(), load(plain).unwrap().parameters());
    // With households, these are counted in the table that is kept.
    let households = load(format!("{trs}hid = 'household'\n")).unwrap().expanded();
    assert_eq!(households.unit.household.as_deref(), Some("household"));
    assert_eq!(households.keep.households, expanded.keep.tables);
    assert!(households.keep.tables.is_empty());
    assert!(load("[trs]\nswaprate = 1.5\n").is_err());
    // Off: nobody is risky.
    let off = load("[trs]\nk_anonymity = 0\n").unwrap().expanded();
    assert_eq!(off.risky(), Risky::BelowK(0));
    assert!(off.keep.tables.is_empty() && off.swap.linked.is_empty());
}

/// The draft with the `#` taken away from every example.
fn with_examples(text: &str) -> String {
    let examples = |line: &str| {
        let example = line.starts_with('#') && !line.starts_with("# ");
        if example { line[1..].to_owned() } else { line.to_owned() }
    };
    text.lines().map(examples).collect::<Vec<_>>().join("\n")
}

fn init(content: &[u8], options: &[&str]) -> (Project, String) {
    let folder = support::folder();
    let data = folder.path().join("data.csv");
    fs::write(&data, content).unwrap();
    let project = folder.path().join("p.toml");
    let mut arguments = vec!["init", data.to_str().unwrap(), "--out", project.to_str().unwrap()];
    arguments.extend(options);
    let output = support::marginswap(&arguments);
    assert_eq!(output.status.code(), Some(0), "{}", support::err(&output));
    assert!(output.stdout.is_empty());
    // It loads, and with all its examples too.
    let text = fs::read_to_string(&project).unwrap();
    let examples = load(with_examples(&text)).unwrap_or_else(|error| panic!("{text}\n{error}"));
    assert!(!examples.keep.tables.is_empty() && !examples.swap.rules.is_empty());
    assert!(examples.swap.rate.is_some() && !examples.swap.matched.is_empty());
    let again = support::marginswap(&arguments);
    assert_eq!(again.status.code(), Some(codes::entry(Code::OutputExists).exit.into()));
    arguments.push("--force");
    assert_eq!(support::marginswap(&arguments).status.code(), Some(0));
    (Project::load(&project).unwrap(), text)
}

#[test]
fn init_writes_a_project_that_loads() {
    let line = |record: u32| format!("CANARY{record},CANARYf,CANARY{},CANARY\n", record % 3);
    let lines: String = (0..40).map(line).collect();
    let (project, text) = init(format!("person,sex,age,town\n{lines}").as_bytes(), &[]);
    assert!(project.data.unwrap().ends_with("data.csv"));
    assert_eq!(project.columns.id.as_deref(), Some("person"));
    assert!(project.columns.ignore.is_empty() && project.keep.tables.is_empty());
    assert!(project.risk.keys.is_empty());
    assert!(text.contains("#tables = [\"sex*age*town\"]"), "{text}");
    assert!(text.contains("#   \"age\"             3\n"), "{text}");
    assert!(text.contains("nearly every value is different"), "{text}");
    assert!(!text.contains("CANARY"), "{text}");
}

/// Pairs of columns whose frequent values never occur together are listed, by names and counts.
#[test]
fn init_lists_what_never_occurs_together() {
    // Children are never married, and one rare trade occurs with little.
    let line = |record: u32| {
        let (age, status) = [("CANARYchild", "CANARYsingle"), ("CANARYold", "CANARYmarried")]
            [usize::from(record.is_multiple_of(2))];
        let trade = if record == 7 { "CANARYrare" } else { "CANARYnone" };
        format!("{age},{status},{trade}\n")
    };
    let lines: String = (0..60).map(line).collect();
    let (project, text) = init(format!("age,status,trade\n{lines}").as_bytes(), &[]);
    assert!(text.contains("#   \"age*status\"  2\n"), "{text}");
    assert!(!text.contains("age*trade\"  ") && !text.contains("CANARY"), "{text}");
    assert!(project.swap.never_new.is_empty());
    let lines: String = (0..60).map(|record| format!("{},{}\n", record % 2, record % 3)).collect();
    let (_, text) = init(format!("a,b\n{lines}").as_bytes(), &["--header"]);
    assert!(!text.contains("never occur together"), "{text}");
}

/// Names may hold everything that means something in TOML or in a formula.
#[test]
fn init_writes_names_of_every_kind() {
    let header =
        "\"a\nb\",\"q\"\"uote\",back\\slash,star*plus+,tick`,é ß,\"#x\",\"[swap]\",\"'''\"\n";
    let lines = "1,1,1,1,1,1,1,1,1\n".repeat(3);
    let (project, text) = init(format!("{header}{lines}").as_bytes(), &["--ignore", "é ß"]);
    assert_eq!(project.columns.ignore, ["é ß"]);
    assert_eq!(project.columns.id, None);
    assert!(text.contains("\"é ß\"     "), "{text}");
    let examples = load(with_examples(&text)).unwrap();
    assert_eq!(examples.risk.keys, ["a\nb", "q\"uote", "back\\slash"]);
    let rule = &examples.swap.rules[0];
    assert_eq!(rule.terms[0].column, "a\nb");
    assert_eq!(
        marginswap_core::graph::Formula::parse(&examples.keep.tables).unwrap().tables(),
        [names(&["a\nb", "q\"uote", "back\\slash"]), names(&["back\\slash", "star*plus+"])]
    );
}

#[test]
fn init_leaves_something_to_exchange() {
    let lines: String = (0..12).map(|number| format!("a{number};b{number}\n")).collect();
    let (project, _) = init(format!("a;b\n{lines}").as_bytes(), &["--delimiter", ";"]);
    assert_eq!((project.columns.id, project.columns.ignore), (None, vec![]));
    assert_eq!(project.delimiter.unwrap().byte(), b';');
    let lines: String = (0..12).map(|number| format!("a{number},b{number},c\n")).collect();
    let (project, _) = init(format!("a,b,c\n{lines}").as_bytes(), &["--header"]);
    assert_eq!(project.columns.id.as_deref(), Some("a"));
    assert_eq!(project.columns.ignore, ["b"]);
}

#[test]
fn init_refuses_as_every_command_does() {
    let folder = support::folder();
    let out = folder.path().join("p.toml");
    let run = |data: &str, options: &[&str]| {
        let mut arguments = vec!["init", data, "-o", out.to_str().unwrap()];
        arguments.extend(options);
        support::marginswap(&arguments).status.code()
    };
    assert_eq!(run("tests/bad/too_few_fields.csv", &[]), Some(3));
    assert_eq!(run("tests/bad/nowhere.csv", &[]), Some(3));
    assert_eq!(run("tests/bad/good.csv", &["--ignore", "nobody"]), Some(3));
    assert!(!out.exists());
    // A project file in another folder finds the data all the same.
    assert_eq!(run("tests/bad/good.csv", &[]), Some(0));
    assert!(Project::load(&out).unwrap().data.unwrap().is_file());
}

const SEED: Seed = Seed([7; 32]);

fn town(records: usize) -> String {
    let mut bytes = Vec::new();
    demo::survey(records, SEED, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

/// These lines may never change without a word: examples are repeated from the seed.
#[test]
fn the_town_of_a_seed_is_fixed() {
    let town = town(30_000);
    let first: Vec<&str> = town.lines().take(4).collect();
    assert_eq!(first, FIRST_LINES);
    // FNV-1a of all bytes.
    let sum = town.bytes().fold(0xcbf2_9ce4_8422_2325u64, |sum, byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    assert_eq!((town.len(), format!("{sum:016x}").as_str()), CHECKSUM);
    assert!(town.starts_with(&self::town(100)));
    let mut other = Vec::new();
    demo::survey(100, Seed([8; 32]), &mut other).unwrap();
    assert!(!town.as_bytes().starts_with(&other));
}

const FIRST_LINES: [&str; 4] = [
    "person,region,sex,age,marital,education,occupation,household,birthplace,income",
    "P00000001,Station,female,30-39,married,upper secondary,service,3,elsewhere in the country,under 500",
    "P00000002,Lakeside,female,60-69,married,lower secondary,service,2,town,1500-1999",
    "P00000003,University,female,70-79,divorced,primary,retired,1,town,under 500",
];
const CHECKSUM: (usize, &str) = (2_429_535, "e65d492eb1183b9c");

#[test]
fn what_cannot_be_is_not_in_town() {
    let town = town(100_000);
    let mut lines = town.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = lines.next().unwrap();
    let mut levels = vec![BTreeSet::new(); header.len()];
    let mut cells = BTreeMap::new();
    for line in lines {
        assert_eq!(line.len(), 10);
        let [age, marital, education, occupation] = [line[3], line[4], line[5], line[6]];
        let (household, income) = (line[7], line[9]);
        let child = ["0-4", "5-14"].contains(&age);
        let teen = child || age == "15-19";
        let before_fifty = teen || ["20-29", "30-39", "40-49"].contains(&age);
        assert!(!child || (marital == "single" && occupation == "none" && income == "none"));
        assert!(
            !child
                || (household != "1"
                    && ["none", "primary", "lower secondary"].contains(&education))
        );
        assert!(age != "0-4" || education == "none");
        assert!(!teen || !["divorced", "widowed"].contains(&marital));
        assert!(!teen || !["university", "doctorate"].contains(&education));
        assert!(!before_fifty || occupation != "retired");
        for (level, value) in levels.iter_mut().zip(&line) {
            level.insert(*value);
        }
        *cells.entry([1, 2, 3, 4, 5, 6, 8].map(|column: usize| line[column])).or_insert(0) += 1;
    }
    let counts: Vec<usize> = levels.iter().map(BTreeSet::len).collect();
    assert_eq!(counts, [100_000, 10, 2, 10, 4, 7, 13, 6, 7, 8]);
    // About one in seven here, one in forty among a million.
    let uniques = cells.values().filter(|&&count| count == 1).count();
    assert!((13_500..16_500).contains(&uniques), "{uniques}");
}

#[test]
fn the_demo_is_written_with_its_project() {
    let folder = support::folder();
    let folder = folder.path().join("new").join("town");
    let files =
        demo::write_demo(&folder, (Survey::Persons, 2_000), SEED, Overwrite::Refuse).unwrap();
    assert_eq!(fs::read_to_string(&files.data).unwrap(), town(2_000));
    let project = Project::load(&files.project).unwrap();
    assert_eq!(project.data.as_ref(), Some(&files.data));
    assert_eq!(project.columns.id.as_deref(), Some("person"));
    assert_eq!((project.keep.tables.len(), project.risk.keys.len()), (3, 5));
    assert_eq!(project.swap.rules.len(), 1);
    assert_eq!(project.dropped(), ["person"], "the id is not released");
    // What it names is there, and the levels it tells are those of the file.
    let data = files.data.to_str().unwrap();
    let keep = project.keep.tables.join(" + ");
    let answer = support::json(&["graph", data, "--keep", &keep, "--id", "person", "--json"]);
    assert_eq!(answer["uncovered"], value!(["household", "birthplace"]));
    let inspected = support::json(&["inspect", data, "--id", "person", "--json"]);
    let text = fs::read_to_string(&files.project).unwrap();
    for column in inspected["columns"].as_array().unwrap() {
        let (name, levels) = (column["name"].as_str().unwrap(), &column["levels"]);
        let told = text.lines().find(|line| line.starts_with(&format!("#   \"{name}\" "))).unwrap();
        assert_eq!(told.split_whitespace().last(), Some(levels.to_string().as_str()), "{name}");
    }
    let again =
        demo::write_demo(&folder, (Survey::Persons, 10), SEED, Overwrite::Refuse).unwrap_err();
    assert_eq!(again.code, Code::OutputExists);
    demo::write_demo(&folder, (Survey::Persons, 10), SEED, Overwrite::Force).unwrap();
    assert_eq!(fs::read_to_string(&files.data).unwrap(), town(10));
    // A file where the folder should be.
    let refusal =
        demo::write_demo(&files.data, (Survey::Persons, 10), SEED, Overwrite::Force).unwrap_err();
    assert_eq!(refusal.code, Code::Unwritable);
}

/// The page of settings is written from the table; `MARGINSWAP_BLESS=1` writes it again.
#[test]
fn the_page_of_settings_is_true() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/settings.md");
    let page = marginswap_pipeline::settings::page();
    if std::env::var_os("MARGINSWAP_BLESS").is_some() {
        fs::write(&path, &page).unwrap();
    }
    assert_eq!(fs::read_to_string(path).unwrap(), page);
}

/// The table of settings as R code, for the package under `r/`.
fn settings_in_r() -> String {
    use marginswap_pipeline::settings::{SETTINGS, topics};
    let commands = [
        ("inspect", topics::INSPECT),
        ("graph", topics::GRAPH),
        ("screen", topics::SCREEN),
        ("explain", topics::EXPLAIN),
        ("risk", topics::RISK),
        ("plan", topics::PLAN),
        ("protect", topics::PROTECT),
        ("apply", topics::APPLY),
        ("verify", topics::VERIFY),
        ("report", topics::REPORT),
        ("frontier", topics::FRONTIER),
    ];
    // R code is plain ASCII, or other systems read it otherwise.
    let text = |text: &str| {
        let sign = |sign: char| match sign {
            '"' | '\\' => format!("\\{sign}"),
            ' '..='~' => sign.to_string(),
            _ => format!("\\u{:04x}", u32::from(sign)),
        };
        format!("\"{}\"", text.chars().map(sign).collect::<String>())
    };
    let rows = SETTINGS.iter().map(|setting| {
        let kind = format!("{:?}", setting.kind).to_lowercase();
        let kind = kind.split('(').next().unwrap();
        let takes = commands.iter().filter(|(_, topics)| topics.contains(&setting.topic));
        let takes = takes.map(|(command, _)| text(command)).collect::<Vec<_>>().join(", ");
        format!(
            "  list(section = {}, name = {}, flag = {}, kind = {},\n    default = {},\n    \
             help = {},\n    takes = c({takes}))",
            text(setting.section),
            text(setting.name),
            text(setting.flag),
            text(kind),
            text(setting.default),
            text(setting.help),
        )
    });
    format!(
        "# The table of settings. Written by tests/project.rs from the table of the program, in\n\
         # crates/pipeline/src/settings/table.rs; a change here is lost.\n\n\
         settings_table <- list(\n{}\n)\n",
        rows.collect::<Vec<_>>().join(",\n")
    )
}

/// The R package takes every setting of this program and no other.
#[test]
fn the_settings_of_the_r_package_are_true() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("r/R/settings.R");
    let code = settings_in_r();
    if std::env::var_os("MARGINSWAP_BLESS").is_some() {
        fs::write(&path, &code).unwrap();
    }
    assert_eq!(fs::read_to_string(path).unwrap(), code);
}

/// Every setting can be read, laid over another one and, where it decides a plan, comes back
/// from the plan's parameters.
#[test]
fn every_setting_does_its_work() {
    use marginswap_pipeline::settings::{SETTINGS, Topic};
    let full = load(FULL).unwrap();
    let mut missing = Vec::new();
    for setting in SETTINGS {
        let Some(value) = setting.get(&full) else {
            missing.push(setting.key());
            continue;
        };
        let mut alone = Project::default();
        setting.set(&mut alone, &value).unwrap();
        assert_eq!(setting.get(&alone), Some(value.clone()), "{}", setting.key());
        let mut under = Project::default();
        setting.lay(&mut under, &alone);
        assert_eq!(under, alone, "{}", setting.key());
        if setting.decides && setting.topic != Topic::Model {
            let back = Project::from_parameters(&alone.parameters()).unwrap();
            let trivial = back.parameters() == Project::default().parameters();
            assert!(!trivial, "{} is lost in a plan", setting.key());
            assert_eq!(back.parameters(), alone.parameters(), "{}", setting.key());
        }
    }
    let known =
        ["keep.named", "keep.max_separators", "report.internal", "report.external", "report.watch"];
    assert_eq!(missing, known, "the full project gives every other setting");
}

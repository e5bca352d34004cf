//! Every refusal, as a user meets it: its code, its place, its exit code, and no data value.
//!
//! The files under `tests/bad` hold the word CANARY wherever a value may be; no message
//! shows it.

use crate::support;

use std::collections::BTreeSet;
use std::fs;

use marginswap_core::diagnostic::Kind;
use marginswap_pipeline::codes::{self, ENTRIES};
use marginswap_pipeline::refusal::Code;
use support::{Desk, err, marginswap, out};

/// Runs a command that must be refused; answers what it said.
fn refused(code: Kind, arguments: &[&str]) -> String {
    let code = codes::entry(code);
    let output = marginswap(arguments);
    let said = err(&output);
    // A name that was typed wrong is wrong usage.
    let typed = said.contains("--> --");
    let exit = if typed { 2 } else { code.exit.into() };
    assert_eq!(output.status.code(), Some(exit), "{arguments:?}: {said}");
    assert!(said.contains(&format!("error[{code}]: {}", code.title)), "{arguments:?}: {said}");
    assert!(said.contains(&format!("`marginswap explain {code}` says more")), "{said}");
    assert!(!said.contains("CANARY"), "{said}");
    assert!(out(&output).is_empty(), "a refusal prints no result");
    said
}

/// A bad file, the code, and the place that must be named.
const FILES: &[(&str, Kind, &str)] = &[
    ("too_many_fields.csv", Code::TooManyFields, "line 3"),
    ("too_few_fields.csv", Code::TooFewFields, "line 3"),
    ("empty_line_inside.csv", Code::TooFewFields, "line 3"),
    ("unclosed_quote.csv", Code::UnclosedQuote, "line 3, column 2 `sex` (byte 26)"),
    ("text_after_quote.csv", Code::TextAfterQuote, "line 3, column 2 `sex` (byte 34)"),
    ("duplicate_name.csv", Code::DuplicateName, "line 1, column 3"),
    ("empty_name.csv", Code::EmptyName, "line 1, column 2"),
    ("header_not_utf8.csv", Code::HeaderNotUtf8, "line 1, column 2 (byte 6)"),
    ("no_records.csv", Code::NoRecords, "no_records.csv"),
    ("empty.csv", Code::NoRecords, "empty.csv"),
    ("nul_byte.csv", Code::NulByte, "line 3, column 2 `sex` (byte 29)"),
    ("utf16.csv", Code::Utf16, "utf16.csv"),
    ("spss.sav", Code::BadSpss, "spss.sav (byte 64)"),
    ("stata.dta", Code::BadStata, "stata.dta (byte 10)"),
    ("sas.xpt", Code::BadSas, "sas.xpt (byte 80)"),
    ("newer.dta", Code::OldStatistics, "113 to 119 are read"),
    ("old.dta", Code::ForeignFile, "this is a file of Stata 7 or older"),
    ("bare_return.csv", Code::BareReturn, "line 1"),
    ("truncated.csv.gz", Code::BadGzip, "truncated.csv.gz"),
    ("wrong_checksum.csv.gz", Code::BadGzip, "wrong_checksum.csv.gz"),
];

#[cfg(feature = "parquet")]
const PARQUET_FILES: &[(&str, Kind, &str)] = &[
    ("truncated.parquet", Code::BadParquet, "truncated.parquet"),
    ("no_parquet.parquet", Code::BadParquet, "no_parquet.parquet"),
    ("float_column.parquet", Code::FloatColumn, "column 2 `income`"),
    ("list_column.parquet", Code::UnsupportedColumn, "column 2 `jobs`"),
];
#[cfg(not(feature = "parquet"))]
const PARQUET_FILES: &[(&str, Kind, &str)] =
    &[("float_column.parquet", Code::NoParquet, "float_column.parquet")];

#[test]
fn bad_files_are_refused() {
    for &(file, code, place) in FILES.iter().chain(PARQUET_FILES) {
        let path = format!("tests/bad/{file}");
        let said = refused(code, &["inspect", &path]);
        assert!(said.contains(&format!("--> {path}")), "{said}");
        assert!(said.contains(place), "{file}: {said}");
        // Every command that reads data refuses the same way.
        refused(code, &["screen", &path, "--keep", "age"]);
    }
}

/// The whole message, once: place, cause, remedy.
#[test]
fn a_message_reads_well() {
    assert_eq!(
        refused(Code::TooManyFields, &["inspect", "tests/bad/too_many_fields.csv"]),
        "error[E203]: too many fields\n  \
         --> tests/bad/too_many_fields.csv, line 3 (byte 35)\n  \
         the header has 3 columns, this line has 4; the extra field follows column 3 `town`\n  \
         often a comma inside an unquoted value; `marginswap explain E203` says more\n"
    );
}

/// Where a published table is wrong, and what it is about; never a value.
#[test]
fn bad_published_tables_are_told_with_their_place() {
    for (file, place) in [
        ("syntax.json", "line 3, column"),
        ("sizes.json", "3 values, and sizes for 4 cells"),
        ("twice.json", "column `value` at place 0"),
        ("word.csv", "line 3, column `count`"),
        ("negative.csv", "line 2, column `count`"),
        ("decimals.csv", "line 2"),
        ("thousands.csv", "line 2, column `UNIT_MULT`"),
        ("no_count.csv", "the columns are `sex`, `number`"),
        ("repeated.csv", "line 4"),
        ("repeated.csv", "the cell is published before: line 2"),
        ("years.csv", "the two differ in `TIME_PERIOD`"),
        ("column.csv", "did you mean `sex`?"),
        ("labels.csv", "none of the 1 published categories of `sex` occurs in `sex` of the data"),
    ] {
        let path = format!("tests/bad/published/{file}");
        let said = err(&marginswap(&["verify", GOOD, GOOD, "--published", &path]));
        assert!(said.contains(&format!("--> {path}")), "{said}");
        assert!(said.contains(place), "{file}: {said}");
        assert!(!said.contains("CANARY"), "{said}");
    }
}

const GOOD: &str = "tests/bad/good.csv";

const TOWN: &str = "examples/town.csv";

const MANY: &str =
    "v0,v1,v2,v3,v4,v5,v6,v7,v8,v9,v10,v11,v12,v13,v14,v15,v16,v17,v18,v19,v20,v21,v22,v23";

/// What was typed, and the code.
const TYPED: &[(Kind, &[&str])] = &[
    (Code::DerivedClash, &["inspect", GOOD, "--derive", "town = band(age, 10)"]),
    (Code::DerivedCycle, &["inspect", GOOD, "--derive", "a = b", "--derive", "b = prefix(a, 1)"]),
    (Code::BadDerived, &["inspect", GOOD, "--derive", "a = if(town, 1, 2)"]),
    (Code::UnknownColumn, &["inspect", GOOD, "--derive", "a = band(agee, 10)"]),
    (
        Code::IgnoredInTable,
        &["inspect", GOOD, "--id", "person", "--derive", "a = prefix(person, 1)"],
    ),
    (Code::NotANumber, &["inspect", GOOD, "--derive", "a = band(sex, 10)"]),
    (Code::NoRow, &["inspect", GOOD, "--derive", "a = map(town, \"tests/bad/few.csv\", \"area\")"]),
    (
        Code::BadLookup,
        &["inspect", GOOD, "--derive", "a = map(town, \"tests/bad/few.csv\", \"x\")"],
    ),
    (
        Code::NotJsonStat,
        &["verify", GOOD, GOOD, "--published", "tests/bad/published/collection.json"],
    ),
    (Code::NotJsonStat, &["verify", GOOD, GOOD, "--published", "tests/bad/published/syntax.json"]),
    (Code::SizesDisagree, &["verify", GOOD, GOOD, "--published", "tests/bad/published/sizes.json"]),
    (Code::RepeatedCell, &["verify", GOOD, GOOD, "--published", "tests/bad/published/twice.json"]),
    (Code::BadNumber, &["verify", GOOD, GOOD, "--published", "tests/bad/published/word.csv"]),
    (Code::BadNumber, &["verify", GOOD, GOOD, "--published", "tests/bad/published/negative.csv"]),
    (Code::BadNumber, &["verify", GOOD, GOOD, "--published", "tests/bad/published/decimals.csv"]),
    (Code::BadNumber, &["verify", GOOD, GOOD, "--published", "tests/bad/published/thousands.csv"]),
    (Code::NoNumbers, &["verify", GOOD, GOOD, "--published", "tests/bad/published/no_count.csv"]),
    (
        Code::RepeatedCell,
        &["verify", GOOD, GOOD, "--published", "tests/bad/published/repeated.csv"],
    ),
    (Code::RepeatedCell, &["verify", GOOD, GOOD, "--published", "tests/bad/published/years.csv"]),
    (Code::UnknownColumn, &["verify", GOOD, GOOD, "--published", "tests/bad/published/column.csv"]),
    (
        Code::OtherCategories,
        &["verify", GOOD, GOOD, "--published", "tests/bad/published/labels.csv"],
    ),
    (
        Code::TotalIsCategory,
        &[
            "verify",
            GOOD,
            GOOD,
            "--published",
            "tests/bad/published/total.csv",
            "--published-total",
            "f",
        ],
    ),
    (Code::FileMissing, &["verify", GOOD, GOOD, "--published", "tests/bad/published/nowhere.csv"]),
    (
        Code::IgnoredInTable,
        &["verify", GOOD, GOOD, "--published", "tests/bad/published/total.csv", "--ignore", "sex"],
    ),
    (
        Code::IdAmongVariables,
        &["plan", "tests/bad/id_left_in.csv", "--keys", "age", "-o", "tests/nowhere.plan"],
    ),
    (Code::OutputIsInput, &["screen", GOOD, "--keep", "age", "--out", GOOD, "--force"]),
    (
        Code::OutputIsInput,
        &["graph", GOOD, "--keep", "age", "--svg", "./tests/bad/good.csv", "--force"],
    ),
    (
        Code::OutputIsInput,
        &["protect", GOOD, "--keys", "age", "-o", "tests/../tests/bad/good.csv", "--force"],
    ),
    (Code::OutputIsInput, &["init", GOOD, "-o", GOOD, "--force"]),
    (Code::NoFolder, &["protect", GOOD, "--keys", "age", "-o", "tests/nowhere/out.csv"]),
    (Code::OtherDelimiter, &["inspect", GOOD, "--delimiter", ";"]),
    (Code::MissingSetting, &["protect", GOOD, "--keep", "age", "-o", "tests/nowhere.csv"]),
    (
        Code::NoRiskModel,
        &["protect", GOOD, "--keys", "age", "-o", "tests/nowhere.csv", "--risky", "top:50"],
    ),
    (Code::MissingSetting, &["risk", GOOD, "--keys", "age"]),
    (Code::MissingSetting, &["risk", GOOD, "--population", "10"]),
    (Code::PopulationTooSmall, &["risk", GOOD, "--keys", "age", "--population", "2"]),
    (
        Code::PopulationTooSmall,
        &["risk", "tests/bad/light.csv", "--keys", "age", "--weight", "weight"],
    ),
    (Code::BadFraction, &["risk", GOOD, "--keys", "age", "--fraction", "0"]),
    (Code::BadFraction, &["risk", GOOD, "--keys", "age", "--fraction", "1.01"]),
    (Code::BadFraction, &["risk", GOOD, "--keys", "age", "--fraction", "-5%"]),
    (
        Code::BadFraction,
        &[
            "plan",
            GOOD,
            "--keys",
            "age",
            "--risky",
            "top:1",
            "--fraction",
            "2",
            "-o",
            "tests/no.plan",
        ],
    ),
    (Code::TwoPopulations, &["risk", GOOD, "--project", "tests/bad/two_populations.toml"]),
    (
        Code::NotDecomposable,
        &[
            "risk",
            "examples/town.csv",
            "--keys",
            "region,sex,age,marital",
            "--population",
            "9999",
            "--start",
            "region*sex + sex*age + age*marital + marital*region",
        ],
    ),
    (
        Code::BadWeight,
        &["risk", "tests/bad/weights.csv", "--keys", "age,sex", "--weight", "weight"],
    ),
    (Code::BadWeight, &["risk", "tests/bad/debt.csv", "--keys", "age", "--weight", "weight"]),
    (Code::NotAKey, &["risk", GOOD, "--keys", "age", "--population", "9", "--model", "age*sex"]),
    (Code::NotAKey, &["risk", GOOD, "--keys", "age,town", "--weight", "age"]),
    (
        Code::UnknownVariable,
        &["risk", GOOD, "--keys", "age", "--population", "9", "--model", "agee"],
    ),
    (Code::UnknownColumn, &["risk", GOOD, "--keys", "agee", "--population", "9"]),
    (
        Code::TooManySets,
        &["risk", "tests/bad/many_keys.csv", "--keys", MANY, "--population", "9", "--suda"],
    ),
    (
        Code::TooManySets,
        &[
            "risk",
            "tests/bad/many_keys.csv",
            "--keys",
            MANY,
            "--population",
            "9",
            "--key-sets",
            "9",
        ],
    ),
    (
        Code::OptionsClash,
        &[
            "risk",
            GOOD,
            "--keys",
            "age",
            "--population",
            "9",
            "--select",
            "fit",
            "--search",
            "both",
        ],
    ),
    (
        Code::OptionsClash,
        &[
            "risk",
            GOOD,
            "--keys",
            "age",
            "--population",
            "9",
            "--model",
            "independence",
            "--select",
            "fit",
        ],
    ),
    (Code::OptionsClash, &["risk", GOOD, "--keys", "age", "--fraction", "1", "--select", "fit"]),
    (
        Code::OutputIsInput,
        &["risk", GOOD, "--keys", "age", "--population", "9", "--out", GOOD, "--force"],
    ),
    (Code::OtherColumns, &["verify", GOOD, "examples/town.csv", "--keep", "age"]),
    (Code::NotLinked, &["verify", GOOD, GOOD, "--keep", "age", "--id", "person"]),
    (
        Code::BadSeed,
        &["plan", GOOD, "--keys", "age", "-o", "tests/nowhere.plan", "--seed-file", GOOD],
    ),
    (Code::NoPlan, &["apply", GOOD, GOOD, "-o", "tests/nowhere.csv"]),
    (
        Code::NothingToTell,
        &["report", GOOD, "tests/bad/other_ages.csv", "--external", "-o", "tests/nowhere.html"],
    ),
    (Code::MissingSetting, &["report", GOOD, "-o", "tests/nowhere.html"]),
    (Code::MissingSetting, &["report", GOOD, GOOD, "--keep", "age"]),
    (Code::OutputIsInput, &["report", GOOD, GOOD, "--keep", "age", "-o", GOOD, "--force"]),
    (
        Code::OutputIsInput,
        &["explain", GOOD, "--keep", "age", "--record", "1", "--svg", GOOD, "--force"],
    ),
    (
        Code::UnknownVariable,
        &["report", GOOD, GOOD, "--keep", "age", "--watch", "agee", "-o", "tests/nowhere.html"],
    ),
    (Code::UnknownVariable, &["graph", GOOD, "--keep", "agee*sex"]),
    (Code::RepeatedVariable, &["graph", GOOD, "--keep", "age*sex*age"]),
    (Code::EmptyTable, &["graph", GOOD, "--keep", "age + "]),
    (Code::BadFormula, &["graph", GOOD, "--keep", "age*`sex"]),
    (Code::UnknownColumn, &["graph", GOOD, "--keep", "age", "--stay", "twon"]),
    (Code::TwoRoles, &["graph", GOOD, "--keep", "age", "--stay", "sex", "--ignore", "sex"]),
    (Code::IgnoredInTable, &["graph", GOOD, "--keep", "age*sex", "--ignore", "sex"]),
    (Code::NoVariables, &["graph", GOOD, "--keep", "age", "--stay", "person,age,sex,town"]),
    (Code::NoSuchRecord, &["explain", GOOD, "--keep", "age", "--record", "4"]),
    (Code::NoSuchRecord, &["explain", GOOD, "--keep", "age", "--record", "0"]),
    (Code::NoSuchRecord, &["explain", GOOD, "--keep", "age", "--pair", "1", "one"]),
    (Code::NoSuchRecord, &["explain", GOOD, "--keep", "age", "--id", "person", "--record", "p9"]),
    (Code::NoSuchRecord, &["explain", GOOD, "--keep", "age", "--id", "person", "--record", "p2"]),
    (Code::NoHeaderLine, &["inspect", "tests/bad/no_header.csv"]),
    (Code::NoHeaderLine, &["init", "tests/bad/no_header.csv", "-o", "tests/never.toml"]),
    (Code::RepeatedName, &["screen", GOOD, "--keep", "age", "--keys", "age,age"]),
    (Code::RepeatedName, &["inspect", GOOD, "--ignore", "sex,sex"]),
    (
        Code::RepeatedName,
        &["inspect", GOOD, "--derive", "a = band(age, 10)", "--derive", "a = band(age, 5)"],
    ),
    (Code::BadExpression, &["inspect", GOOD, "--derive", "a = band(age, ten)"]),
    (Code::BadExpression, &["inspect", GOOD, "--derive", "band(age, 10)"]),
    (Code::BadExpression, &["screen", GOOD, "--keep", "age", "--rule", "age = "]),
    (Code::NoEffect, &["screen", GOOD, "--keep", "age", "--linked", "age"]),
    (Code::NoEffect, &["screen", GOOD, "--keep", "age", "--never-new", "age"]),
    (Code::NoEffect, &["screen", GOOD, "--keep", "age", "--keys", "age", "--sensitive", "age"]),
    (
        Code::NoEffect,
        &["plan", TOWN, "--keep", "age", "--keys", "age", "--detach", "99", "-o", "tests/no.plan"],
    ),
    (
        Code::BadWeight,
        &["plan", TOWN, "--keep", "age", "--keys", "age", "--weight", "sex", "-o", "tests/no.plan"],
    ),
    (Code::FileMissing, &["inspect", "tests/bad/nowhere.csv"]),
    (Code::IsDirectory, &["inspect", "tests/bad"]),
    (Code::BadDelimiter, &["inspect", GOOD, "--delimiter", "ab"]),
    (Code::NoFolder, &["screen", GOOD, "--keep", "age", "--out", "tests/nowhere/out.csv"]),
    (Code::Unwritable, &["screen", GOOD, "--keep", "age", "--out", "tests"]),
    (Code::OutputExists, &["screen", GOOD, "--keep", "age", "--out", "README.md"]),
    (Code::OutputExists, &["graph", GOOD, "--keep", "age", "--svg", "README.md"]),
];

#[test]
fn bad_words_are_refused() {
    for &(code, arguments) in TYPED {
        refused(code, arguments);
    }
    let said = refused(Code::MissingSetting, &["protect", GOOD, "--keys", "age", "-o", "-"]);
    assert!(said.contains("`-` names no file"), "{said}");
    let said = refused(Code::UnknownVariable, &["graph", GOOD, "--keep", "agee*sex"]);
    assert!(said.contains("did you mean `age`?"), "{said}");
    let said = refused(Code::UnknownColumn, &["graph", GOOD, "--keep", "age", "--stay", "twon"]);
    assert!(said.contains("did you mean `town`?"), "{said}");
    for (file, why) in [
        ("weights", "record 2 is not a number"),
        ("debt", "record 2 is negative"),
        ("comma_weights", "record 1 is written with a decimal comma"),
    ] {
        let file = format!("tests/bad/{file}.csv");
        let said =
            refused(Code::BadWeight, &["risk", &file, "--keys", "age", "--weight", "weight"]);
        assert!(said.contains(why) && said.contains("column 3 `weight`"), "{said}");
    }
}

#[test]
fn too_many_variables_are_refused() {
    let folder = support::folder();
    let path = folder.path().join("wide.csv");
    let names: Vec<String> = (0..257).map(|column| format!("v{column}")).collect();
    let line = vec!["0"; 257].join(",");
    fs::write(&path, format!("{}\n{line}\n{line}\n", names.join(","))).expect("it can be written");
    let path = path.to_str().expect("the path is text");
    refused(Code::TooManyVariables, &["screen", path, "--keep", "v0*v1"]);
    // What inspect says needs no graph, and --vars leaves one vertex for the rest.
    assert_eq!(marginswap(&["inspect", path]).status.code(), Some(0));
    let few = ["screen", path, "--keep", "v0*v1", "--vars", "v0,v1,v2"];
    assert_eq!(marginswap(&few).status.code(), Some(0));
}

#[test]
fn too_many_variables_for_larger_swaps_are_refused() {
    let folder = support::folder();
    let path = folder.path().join("wide.csv");
    let names: Vec<String> = (0..65).map(|column| format!("v{column}")).collect();
    let line = |value: &str| vec![value; 65].join(",");
    let text = format!("{}\n{}\n{}\n", names.join(","), line("0"), line("1"));
    fs::write(&path, text).expect("it can be written");
    let path = path.to_str().expect("the path is text");
    let keep = names.join("*");
    let explain = ["explain", path, "--keep", &keep, "--record", "1", "--max-records"];
    refused(Code::TooManyTied, &[&explain[..], &["4"]].concat());
    assert_eq!(marginswap(&[&explain[..], &["2"]].concat()).status.code(), Some(0));
    let out = folder.path().join("out.csv");
    let out = out.to_str().expect("the path is text");
    let protect = ["protect", path, "--keep", &keep, "--keys", "v0", "-o", out];
    refused(Code::TooManyTied, &[&protect[..], &["--max-records", "8"]].concat());
}

#[test]
fn an_order_that_reveals_swaps_is_refused() {
    let folder = support::folder();
    let (data, out) = (folder.path().join("sorted.csv"), folder.path().join("out.csv"));
    let record = |n: usize| format!("{},{},{}\n", n / 20, n % 3, n * 7 % 5);
    let records: String = (0..40).map(record).collect();
    fs::write(&data, format!("region,sex,age\n{records}")).expect("it can be written");
    let [data, out] = [&data, &out].map(|path| path.to_str().expect("the path is text"));
    let protect = ["protect", data, "--keys", "sex,age", "-o", out, "--order", "input"];
    let said = refused(Code::OrderGivesAway, &protect);
    assert!(said.contains("`region` comes in runs"), "{said}");
    assert_eq!(fs::read_dir(folder.path()).expect("the folder is there").count(), 1);
}

#[cfg(target_os = "linux")]
#[test]
fn an_unreadable_file_is_refused() {
    // The first page of a process's memory is never mapped: reading it fails.
    refused(Code::Unreadable, &["inspect", "/proc/self/mem"]);
}

/// The first two would need files of 8 and 1 GiB; the reader's own tests lower the limits.
/// The third needs a file that no writer here makes; the reader's own test patches one. The
/// last needs another program that writes at the right moment: `crates/io/tests/same_bytes.rs`.
const TESTED_IN_THE_READER: &[Kind] = &[
    Code::PackedTooSmall,
    Code::TooManyRecords,
    Code::FieldTooLong,
    Code::UnsupportedCompression,
    Code::InputChanged,
];

/// This one would need a file that is screened for hours; the screening's own test lowers
/// the limit.
const TESTED_IN_THE_CORE: &[Kind] = &[Code::TooManyComparisons];

/// The project file's own; `tests/project.rs` reads such files.
const TESTED_IN_PROJECT: &[Kind] =
    &[Code::BadToml, Code::UnknownEntry, Code::BadEntry, Code::NoProjectFile];

/// Plans and pairings: `tests/job.rs`, and `crates/io/tests/plan_file.rs` for a newer format.
const TESTED_IN_THE_JOB: &[Kind] =
    &[Code::StalePlan, Code::OtherParameters, Code::NewerPlan, Code::PairingTooLarge];

/// Refusals of drawn files and certificates.
const TESTED_IN_SAMPLE: [Kind; 4] =
    [Code::NotGlueable, Code::TablesDisagree, Code::IncompleteTable, Code::VoidsTheClaim];

/// Lists of tables: `tests/tables.rs`.
const TESTED_IN_TABLES: &[Kind] = &[Code::BadTableList, Code::NoHouseholds];
/// Households: `tests/households.rs`.
const TESTED_IN_HOUSEHOLDS: &[Kind] = &[
    Code::NotAHousehold,
    Code::VariesInHousehold,
    Code::NoPerson,
    Code::NoHousehold,
    Code::HouseholdTwice,
    Code::SharedColumn,
    Code::WrongSize,
];

/// Seals and threads: `tests/trust.rs`.
const TESTED_IN_TRUST: &[Kind] = &[Code::WrongSeal, Code::TooFewThreads];

/// What cannot be provoked from a command line: a file whose recount fails is a bug of ours,
/// and only a door that watches a run can stop it between two steps.
const OUR_FAULT: &[Kind] = &[Code::NotKept, Code::Cancelled];

/// Objects of Python: `crates/python/tests/test_refusals.py`.
const TESTED_IN_PYTHON: &[Kind] =
    &[Code::NotATable, Code::InEngine, Code::HouseholdTooLarge, Code::EngineReadsOtherwise];

#[test]
fn every_code_has_a_test() {
    let mut tested: BTreeSet<Kind> = FILES.iter().chain(PARQUET_FILES).map(|file| file.1).collect();
    tested.extend(TYPED.iter().map(|typed| typed.0));
    tested.extend(TESTED_IN_THE_READER);
    tested.extend(TESTED_IN_PROJECT);
    tested.extend(TESTED_IN_THE_JOB);
    tested.extend(TESTED_IN_TRUST);
    tested.extend(OUR_FAULT);
    tested.extend(TESTED_IN_PYTHON);
    tested.extend(TESTED_IN_TABLES);
    tested.extend(TESTED_IN_HOUSEHOLDS);
    tested.extend(TESTED_IN_THE_CORE);
    tested.extend(TESTED_IN_SAMPLE);
    tested.insert(Code::OwnBug);
    // tests/first_hour.rs
    tested.insert(Code::PlanOfAnotherInput);
    tested.insert(Code::TooManyColumns);
    tested.extend([Code::TooManyVariables, Code::TooManyTied, Code::Unreadable]);
    tested.insert(Code::OrderGivesAway);
    if cfg!(feature = "parquet") {
        tested.insert(Code::NoParquet);
    } else {
        tested.extend([Code::BadParquet, Code::FloatColumn, Code::UnsupportedColumn]);
    }
    let missing: Vec<_> = ENTRIES.iter().filter(|code| !tested.contains(&code.kind)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn every_code_is_explained() {
    for code in ENTRIES {
        let output = marginswap(&["explain", &code.to_string()]);
        assert_eq!(output.status.code(), Some(0));
        assert!(out(&output).contains(code.text));
    }
    assert!(out(&marginswap(&["explain", "E203"])).contains("Bytes are counted from 0"));
    let answer = support::json(&["explain", "e203", "--json"]);
    assert_eq!(answer["code"], "E203");
    assert_eq!(answer["title"], codes::entry(Code::TooManyFields).title);
    assert_eq!(answer["explanation"], codes::entry(Code::TooManyFields).text);
    assert_eq!(answer["exit_code"], 3);
}

#[test]
fn codes_are_listed_and_an_unknown_one_is_wrong_usage() {
    let listed = out(&marginswap(&["explain", "codes"]));
    for code in ENTRIES {
        assert!(listed.contains(&format!("{code}  {}", code.title)), "{code}");
    }
    let output = marginswap(&["explain", "E999", "--keep", "age", "--record", "1"]);
    assert_eq!(output.status.code(), Some(2));
    let said = err(&output);
    assert!(said.contains("there is no code E999") && said.contains("explain codes"), "{said}");
    assert!(said.contains("Usage: marginswap explain"), "{said}");
}

/// A panic is reported without its words, which may hold a value.
#[cfg(debug_assertions)]
#[test]
fn our_own_bug_has_a_code_and_shows_no_value() {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_marginswap"))
        .args(["explain", "codes"])
        .env("MARGINSWAP_TEST_PANIC", "1")
        .output()
        .expect("the program starts");
    let said = err(&output);
    assert_eq!(output.status.code(), Some(6), "{said}");
    assert!(said.starts_with("error[E601]: bug in marginswap; nothing was written"), "{said}");
    assert!(said.contains("bug.rs:") && !said.contains("CANARY"), "{said}");
    assert!(out(&output).is_empty());
}

/// A width for a key that is known roughly: of a key, and above zero.
#[test]
fn widths_are_checked() {
    let asked = |width| ["screen", GOOD, "--keep", "sex", "--keys", "sex,age", "--roughly", width];
    let said = refused(Code::NoEffect, &asked("agee=5"));
    assert!(said.contains("`agee` is not a key") && said.contains("name a key variable"), "{said}");
    for width in ["age=0", "age=-5", "age=five"] {
        let said = refused(Code::BadFormula, &asked(width));
        assert!(said.contains("write a number above 0"), "{said}");
    }
    let said = refused(Code::BadFormula, &asked("age"));
    assert!(said.contains("write `age=5`"), "{said}");
}

#[test]
fn an_id_is_one_column_and_messages_name_the_option() {
    let said = refused(Code::BadFormula, &["inspect", GOOD, "--id", "person,age"]);
    assert!(said.contains("`id` names more than one column"), "{said}");
    for option in ["--id", "--ignore", "--stay", "--vars"] {
        let said = refused(Code::UnknownColumn, &["inspect", GOOD, option, "persn"]);
        assert!(said.contains(&format!("--> {option}\n  `persn`")), "{said}");
    }
    for (option, why) in [("--id", "is the id"), ("--ignore", "is ignored")] {
        let said = refused(Code::IgnoredInTable, &["graph", GOOD, "--keep", "sex", option, "sex"]);
        assert!(said.contains(&format!("`sex`, which {why}")), "{said}");
    }
    let said = refused(Code::TwoRoles, &["inspect", GOOD, "--stay", "sex", "--id", "`sex`"]);
    assert!(said.contains("named as a column that stays and as the id"), "{said}");
}

/// What was typed wrongly ends with 2 and names the flag; what a project file says, with 4 and
/// the line.
#[test]
fn wrong_settings_are_laid_to_their_place() {
    for (arguments, flag) in [
        (&["graph", GOOD, "--keep", "age**sex"][..], "--keep"),
        (&["graph", GOOD, "--keep", "`age"], "--keep"),
        (&["inspect", GOOD, "--delimiter", "xx"], "--delimiter"),
        (&["graph", GOOD, "--keep", "age", "--ignore", "age"], "--keep"),
        (&["inspect", GOOD, "--stay", "sex", "--ignore", "sex"], "--stay"),
        (
            &["screen", GOOD, "--keep", "age", "--sensitive", "sex", "--ignore", "sex"],
            "--sensitive",
        ),
    ] {
        let output = marginswap(arguments);
        let said = err(&output);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains(&format!("--> {flag}\n")), "{arguments:?}: {said}");
    }
    let desk = Desk::new();
    let project = desk.write(
        "own.toml",
        "[columns]\nignore = [\"sex\"]\n[keep]\ntables = [\"age\"]\n[risk]\nkeys = [\"age\", \"sex\"]\n",
    );
    let output = marginswap(&["screen", GOOD, "--project", &project]);
    assert_eq!(output.status.code(), Some(4), "{}", err(&output));
    assert!(err(&output).contains("own.toml, line 6"), "{}", err(&output));
}

#[test]
fn wrong_usage_ends_with_two() {
    for arguments in [
        &["screen", GOOD][..],
        &["explain", GOOD, "--keep", "age"],
        &["explain", GOOD, "--record", "1"],
        &["explain", GOOD, "--keep", "age", "--record", "1", "--pair", "1", "2"],
        &["explain", GOOD, "--keep", "age", "--pair", "1", "2", "--partners", "all"],
        &["explain", GOOD, "--keep", "age", "--pair", "1", "1"],
        &["screen", GOOD, "--keep", "age", "--max-separators", "-1"],
        &["graph", "--keep", "a*b", "--stay", "c"],
        &["graph", "--keep", "a*b", "--vars", "a"],
        &["graph", "--keep", "a*b", "--ignore", "c"],
        &["graph", "--keep", "a*b", "--id", "c"],
        &["graph", "--keep", "a*b", "--delimiter", ";"],
        &["frobnicate"],
        &["graph"],
    ] {
        assert_eq!(marginswap(arguments).status.code(), Some(2), "{arguments:?}");
    }
    let said = |arguments: &[&str]| err(&marginswap(arguments));
    let twice = said(&["explain", GOOD, "--keep", "age", "--pair", "1", "1"]);
    assert!(twice.contains("the same record was named twice"), "{twice}");
    let less = said(&["screen", GOOD, "--keep", "age", "--max-separators", "-1"]);
    assert!(less.contains("expected a whole number from 0"), "{less}");
    let usage = said(&["explain", GOOD, "--keep", "age"]);
    assert!(usage.contains("Usage: marginswap explain"), "{usage}");
    let missing = said(&["explain", GOOD, "--record", "1"]);
    assert!(missing.contains("no table to keep is named"), "{missing}");
}

/// A file that is refused leaves no output.
#[test]
fn nothing_is_half_written() {
    let folder = support::folder();
    let target = folder.path().join("out.csv");
    let target = target.to_str().expect("the path is text");
    refused(
        Code::TooFewFields,
        &["screen", "tests/bad/too_few_fields.csv", "--keep", "age", "--out", target],
    );
    assert_eq!(fs::read_dir(folder.path()).expect("the folder is there").count(), 0);
}

/// Wrong usage has the fields of every other error, no matter which part finds it.
#[test]
fn wrong_usage_is_json_where_json_is_asked_for() {
    for arguments in [
        &["explain", "203"][..],
        &["explain", "E999"],
        &["explain", GOOD, "--keep", "age", "--pair", "1", "1"],
        &["screen", GOOD, "--kee", "age"],
    ] {
        let output = marginswap(&[arguments, &["--json"]].concat());
        assert_eq!(output.status.code(), Some(2), "{}", err(&output));
        let said: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let error = said["error"].as_object().unwrap();
        let fields =
            ["byte", "code", "column", "detail", "exit_code", "file", "line", "remedy", "title"];
        assert!(error.keys().eq(fields), "{said}");
        assert_eq!(error["exit_code"], 2);
        assert!(!error["detail"].as_str().unwrap().is_empty(), "{said}");
        assert!(!error["remedy"].as_str().unwrap().is_empty(), "{said}");
    }
}

/// What cannot take effect is laid to its flag or to its line of the project file.
#[test]
fn settings_without_effect_are_laid_to_their_place() {
    let job = ["plan", TOWN, "--keep", "age", "--keys", "age,sex", "-o", "tests/never.plan"];
    for (flag, value, why) in [
        ("--linked", "age", "linked to no other column"),
        ("--never-new", "age", "single variable"),
        ("--detach", "99", "sensitive variables"),
        ("--strata", "sex,sex", "names `sex` twice"),
        ("--weight", "sex", "no value of `sex` is a number"),
        ("--sensitive", "age", "nothing is left to learn"),
    ] {
        let output = marginswap(&[&job[..], &[flag, value]].concat());
        let said = err(&output);
        assert_eq!(output.status.code(), Some(2), "{flag}: {said}");
        assert!(said.contains(&format!("--> {flag}")) && said.contains(why), "{flag}: {said}");
    }
    let desk = Desk::new();
    for entry in [
        "linked = [[\"age\"]]",
        "never_new = [\"age\"]",
        "detach = 99",
        "strata = [\"sex\", \"sex\"]",
        "weight = \"sex\"",
    ] {
        let project = desk.write("own.toml", &format!("[swap]\n{entry}\n"));
        let output = marginswap(&[&job[..], &["--project", &project]].concat());
        let said = err(&output);
        assert_eq!(output.status.code(), Some(4), "{entry}: {said}");
        assert!(said.contains("own.toml, line 2"), "{entry}: {said}");
    }
    // One bad weight among numbers is the data's fault.
    let data = desk.write("data.csv", "age,sex,w\n1,f,2\n2,m,CANARY\n1,m,2\n2,f,3\n");
    let said = refused(
        Code::BadWeight,
        &["plan", &data, "--keep", "age", "--keys", "age", "--weight", "w", "-o", "tests/no.plan"],
    );
    assert!(said.contains("the weight of record 2") && said.contains("`w`"), "{said}");
}

/// A file without a header line: nobody's values are shown as names.
#[test]
fn a_first_record_is_not_shown_as_names() {
    let file = "tests/bad/no_header.csv";
    for arguments in [&["inspect", file][..], &["inspect", file, "--reveal"]] {
        let said = refused(Code::NoHeaderLine, arguments);
        assert!(said.contains("--header"), "{said}");
    }
    let known = marginswap(&["inspect", file, "--header"]);
    assert_eq!(known.status.code(), Some(0), "{}", err(&known));
    assert!(out(&known).contains("CANARY") && !err(&known).contains("warning"));
    // Every door refuses it, whichever file it is and whatever names are given.
    let desk = Desk::new();
    let text = "n,f,1\nn,m,2\ns,f,1\ns,m,2\nn,f,1\nn,m,1\ns,f,2\n".repeat(4);
    let bare = desk.write("bare.csv", &text);
    let good = desk.write(
        "good.csv",
        &format!("n,f,1\n{}", text.replace('n', "x").replace('f', "w").replace('1', "3")),
    );
    // Columns of the original are no record's values; another first line may be.
    let other = desk.write("other_bare.csv", &format!("s,m,2\n{text}"));
    let [out, plan] = ["r.csv", "a.plan"].map(|name| desk.path(name));
    let names = ["--keep", "n*f", "--keys", "n,1"];
    for command in [
        &["screen", &bare][..],
        &["risk", &bare],
        &["explain", &bare, "--record", "1"],
        &["plan", &bare, "-o", &plan],
        &["frontier", &bare],
        &["protect", &bare, "-o", &out],
        &["verify", &bare, &good],
        &["verify", &good, &other],
    ] {
        let said = refused(Code::NoHeaderLine, &[command, &names].concat());
        assert!(said.contains("bare.csv") && said.contains("`--header`"), "{said}");
    }
    refused(Code::NoHeaderLine, &["graph", &bare, "--keep", "n*f"]);
    // No other refusal comes first and tells its names.
    let said = refused(Code::NoHeaderLine, &["screen", file, "--keep", "CANARI*north"]);
    assert!(!said.contains("north"), "{said}");
    assert!(!fs::exists(&out).unwrap() && !fs::exists(&plan).unwrap());
    let job = [&["protect", &bare, "-o", &out, "--header"], &names[..]].concat();
    assert!(matches!(marginswap(&job).status.code(), Some(0 | 1)));
    let project = desk.write("p.toml", "header = true\n[keep]\ntables = [\"n*f\"]\n");
    let known = marginswap(&["screen", &bare, "--project", &project]);
    assert_eq!(known.status.code(), Some(0), "{}", err(&known));
}

/// However many parts lie in each other, wherever an expression is read.
#[test]
fn a_deep_expression_is_refused() {
    let desk = Desk::new();
    for deep in [
        "not ".repeat(20_000) + "age > 3",
        "(".repeat(20_000) + "age > 3" + &")".repeat(20_000),
        "band(".repeat(15_000) + "age, 10" + &")".repeat(15_000),
    ] {
        refused(Code::BadExpression, &["inspect", GOOD, "--derive", &format!("x = {deep}")]);
        let project = desk.write("p.toml", &format!("[derive]\nx = \"{deep}\"\n"));
        let said = refused(Code::BadEntry, &["inspect", GOOD, "--project", &project]);
        assert!(said.contains("lie in each other"), "{said}");
        let list = desk.write("list.csv", &format!("variables,where\nsex,\"{deep}\"\n"));
        let said = refused(Code::BadTableList, &["screen", GOOD, "--tables", &list]);
        assert!(said.contains("lie in each other") && said.contains("line 2"), "{said}");
    }
    // Through names of their own, whichever comes first.
    for (first, last) in [(0, 5_000), (9_999, 5_000)] {
        let range = u32::min(first, last)..u32::max(first, last);
        let steps = range.map(|n| match first {
            0 => format!("x{:04} = \"not x{n:04}\"\n", n + 1),
            _ => format!("x{n:04} = \"not x{:04}\"\n", n + 1),
        });
        let steps: String = steps.collect();
        let text = format!("[derive]\nx{first:04} = \"age > 3\"\n{steps}");
        let project = desk.write("p.toml", &text);
        let output = marginswap(&["inspect", GOOD, "--project", &project]);
        assert_eq!(output.status.code(), Some(4), "{}", err(&output));
        assert!(err(&output).contains("error[E133]"), "{}", err(&output));
    }
}

/// A file that is turned on its side takes no memory.
#[cfg(target_os = "linux")]
#[test]
fn too_many_columns_are_refused_before_they_are_held() {
    let desk = Desk::new();
    let line = |word: &str| vec![word; 1_000_000].join(",");
    let names: Vec<String> = (0..1_000_000).map(|column| format!("c{column}")).collect();
    let wide = desk.write("wide.csv", &format!("{}\n{}\n", names.join(","), line("CANARY")));
    for command in [&["inspect", &wide][..], &["screen", &wide, "--keep", "c1*c2", "--vars", "c1"]]
    {
        let said = refused(Code::TooManyColumns, command);
        assert!(said.contains("1,000,000 columns"), "{said}");
        let mut little = std::process::Command::new("sh");
        little.args([
            "-c",
            "ulimit -v 1000000 && exec \"$0\" \"$@\"",
            env!("CARGO_BIN_EXE_marginswap"),
        ]);
        let output = little.args(command).args(["--threads", "2"]).output().unwrap();
        assert_eq!(output.status.code(), Some(3), "{}", err(&output));
    }
}

/// Names with spaces between them are most likely several.
#[test]
fn forgotten_commas_are_called_out() {
    let said = err(&marginswap(&["screen", TOWN, "--keep", "sex", "--keys", "region sex"]));
    assert!(said.contains("put commas between the names"), "{said}");
    let said = err(&marginswap(&["screen", TOWN, "--keep", "region,sex"]));
    assert!(said.contains("join the variables of a table with `*`"), "{said}");
    let said = err(&marginswap(&["screen", TOWN, "--keep", "sex", "--keys", "regoin"]));
    assert!(said.contains("did you mean `region`? `marginswap explain E105`"), "{said}");
}

/// Library words are not shown for numbers.
#[test]
fn numbers_are_asked_for_in_our_words() {
    let said = err(&marginswap(&["screen", GOOD, "--keep", "age", "--threads", "0"]));
    assert!(said.contains("expected a whole number from 1"), "{said}");
    let said = err(&marginswap(&["plan", GOOD, "--keep", "age", "--demo-seed", "x"]));
    assert!(said.contains("expected a whole number from 0"), "{said}");
}

/// An id among the variables: every such column, and every way out.
#[test]
fn ids_are_named_together_with_every_way_out() {
    let desk = Desk::new();
    let records: String = (0..60).map(|n| format!("p{n},{},{},{}.5\n", n % 4, n % 7, n)).collect();
    let data = desk.write("ids.csv", &format!("pid,sex,age,w\n{records}"));
    let plan = desk.path("never.plan");
    let job = ["plan", &data, "--keep", "sex", "--keys", "age", "-o", &plan];
    let said = refused(Code::IdAmongVariables, &job);
    assert!(said.contains("`pid`, `w`") && said.contains("`--stay`"), "{said}");
    let weighted = [&job[..], &["--id", "pid", "--weight", "w"]].concat();
    let said = refused(Code::IdAmongVariables, &weighted);
    assert!(said.contains("`--weight-drift`") && said.contains("free"), "{said}");
    let free = [&weighted[..], &["--weight-drift", "free"]].concat();
    let output = marginswap(&free);
    assert_ne!(output.status.code(), Some(3), "{}", err(&output));
}

/// The system's own words, not those of a library.
#[test]
fn a_missing_file_is_called_missing() {
    let rule = ["--keys", "age,sex", "--keep", "age", "--risky", "records:nowhere.txt"];
    let output = marginswap(&[&["plan", GOOD, "-o", "never.plan"], &rule[..]].concat());
    let said = err(&output);
    assert!(said.contains("No such file") && !said.contains("entity"), "{said}");
}

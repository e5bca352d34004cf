//! Style that can be checked: module order, file headers, law ↔ test, documents.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Every Rust file of the project.
fn sources() -> Vec<(PathBuf, String)> {
    fn walk(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
        if !folder.is_dir() {
            return;
        }
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                if !path.ends_with("target") && !path.ends_with(".git") {
                    walk(&path, found);
                }
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                found.push((path.clone(), fs::read_to_string(&path).unwrap()));
            }
        }
    }
    let mut found = Vec::new();
    for folder in ["src", "crates", "tests", "benches"] {
        walk(&root().join(folder), &mut found);
    }
    found.sort();
    assert!(found.len() > 30, "the walk finds the sources");
    found
}

/// The stages of the data's way, as the core declares them.
#[test]
fn modules_stand_in_the_order_of_the_datas_way() {
    let way = [
        "encode", "table", "graph", "risk", "partner", "moves", "plan", "fibre", "swap", "verify",
        "pipeline", "oracle",
    ];
    let text = read("crates/core/src/lib.rs");
    let declared: Vec<usize> = text
        .lines()
        .filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'))
        .filter_map(|module| way.iter().position(|stage| *stage == module))
        .collect();
    assert!(declared.len() >= 5 && declared.is_sorted(), "{declared:?}");
}

#[test]
fn every_file_begins_with_a_header() {
    for (path, text) in sources() {
        assert!(text.starts_with("//! "), "{} has no header", path.display());
    }
}

#[test]
fn names_tell_what_a_file_holds() {
    for (path, _) in sources() {
        let name = path.file_name().unwrap().to_str().unwrap();
        assert!(
            !["utils.rs", "util.rs", "helpers.rs", "misc.rs", "common.rs"].contains(&name),
            "{name}"
        );
    }
}

/// The laws that doc lines name: ``Law: `parts-travel-alone` ``.
fn named_laws() -> BTreeSet<String> {
    let mut laws = BTreeSet::new();
    for (path, text) in sources() {
        let mut in_law = false;
        for line in text.lines().map(str::trim_start) {
            let Some(doc) = line.strip_prefix("/// ").or(line.strip_prefix("//! ")) else {
                in_law = false;
                continue;
            };
            let named = match (doc.strip_prefix("Law: "), doc.strip_prefix("Laws: ")) {
                (Some(rest), _) | (_, Some(rest)) => {
                    in_law = true;
                    rest
                }
                _ if in_law => doc,
                _ => continue,
            };
            if path.ends_with("tests/tidy.rs") {
                continue;
            }
            laws.extend(named.split('`').skip(1).step_by(2).map(str::to_owned));
        }
    }
    laws
}

/// The laws that are tested: `law_parts_travel_alone`.
fn tested_laws() -> BTreeSet<String> {
    let mut laws = BTreeSet::new();
    for (_, text) in sources() {
        for line in text.lines().map(str::trim_start) {
            if let Some(rest) = line.strip_prefix("fn law_") {
                let name = rest.split('(').next().unwrap();
                laws.insert(name.replace('_', "-"));
            }
        }
    }
    laws
}

#[test]
fn every_law_has_a_test_and_every_test_a_law() {
    let (named, tested) = (named_laws(), tested_laws());
    let untested: Vec<_> = named.difference(&tested).collect();
    let unnamed: Vec<_> = tested.difference(&named).collect();
    assert!(untested.is_empty(), "laws without a test: {untested:?}");
    assert!(unnamed.is_empty(), "tests without a law: {unnamed:?}");
    assert!(named.len() > 20, "the laws are found: {named:?}");
}

#[test]
fn the_theory_page_lists_every_law() {
    let page = read("docs/THEORY.md");
    let missing: Vec<_> =
        tested_laws().into_iter().filter(|law| !page.contains(&format!("`{law}`"))).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// The stages and crates that ARCHITECTURE.md speaks of are there, and all that are there
/// are spoken of.
#[test]
fn the_architecture_page_knows_every_room() {
    let page = read("ARCHITECTURE.md");
    let folders = [
        "src",
        "src/cmd",
        "crates/core/src",
        "crates/io/src",
        "crates/pipeline/src",
        "crates/report/src",
    ];
    for folder in folders {
        for entry in fs::read_dir(root().join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let stem = path.file_stem().unwrap().to_str().unwrap();
            if ["lib", "mod"].contains(&stem) {
                continue;
            }
            assert!(
                page.contains(&format!("`{stem}")),
                "ARCHITECTURE.md has no word of {folder}/{stem}"
            );
        }
    }
}

/// What stands in the code for later: nothing.
#[test]
fn nothing_is_left_for_later() {
    for (path, text) in sources() {
        for mark in ["TO", "FIX", "XX"].map(|half| {
            format!(
                "{half}{}",
                if half == "TO" {
                    "DO"
                } else if half == "FIX" {
                    "ME"
                } else {
                    "X"
                }
            )
        }) {
            assert!(!text.contains(&mark), "{}: {mark}", path.display());
        }
    }
}

#[test]
fn ci_runs_the_test_command_of_the_readme() {
    let command = "cargo test --workspace --locked";
    assert!(read("README.md").lines().any(|line| line.trim() == command));
    assert!(read(".ci/run").lines().any(|line| line.trim() == command));
}

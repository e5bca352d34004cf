//! The examples of the README and of pages in `docs/`, run as they are written.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

/// A place in the project.
fn place(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// Makes a seed file readable by its owner alone, as `--seed-file` writes one. In a clone it is
/// not, and the program warns of that; the pages show a run with a seed that is kept.
fn only_for_its_owner(name: &str) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(place(name), fs::Permissions::from_mode(0o600)).unwrap();
    }
    assert!(place(name).is_file(), "{name} is there");
}

/// Every `console` block is run in the root of the project and its output compared.
/// `TRYCMD=overwrite` writes what the program says today.
#[test]
fn the_readme_tells_the_truth() {
    only_for_its_owner("examples/town.seed");
    trycmd::TestCases::new().case("README.md");
}

/// A newcomer sees first a file that may be released, and reads the page in a few minutes.
#[test]
fn the_readme_is_short_and_begins_with_a_release() {
    let page = fs::read_to_string(place("README.md")).unwrap();
    let example = page.split("```console\n").nth(1).unwrap();
    assert_eq!(example.lines().nth(1), Some("Verdict: release"));
    let words = page.split_whitespace().count();
    assert!(words <= 1300, "README.md has {words} words; move some to docs/");
}

/// The first project, in the folder next to the page, without what an earlier run left there.
#[test]
fn the_first_project_tells_the_truth() {
    let folder = "docs/first-project.in";
    only_for_its_owner(&format!("{folder}/survey.seed"));
    for output in ["released.csv", "swap.plan"] {
        let output = place(&format!("{folder}/{output}"));
        if output.exists() {
            fs::remove_file(output).unwrap();
        }
    }
    trycmd::TestCases::new().case("docs/first-project.md");
}

/// The page on who can be swapped and why not.
#[test]
fn the_page_on_reasons_tells_the_truth() {
    trycmd::TestCases::new().case("docs/why-not.md");
}

/// The page about published tables, run in the folder next to it.
#[test]
fn the_page_about_published_tables_tells_the_truth() {
    trycmd::TestCases::new().case("docs/published-tables.md");
}

/// The same for the guide to tables of groups.
#[test]
fn the_guide_to_tables_of_groups_tells_the_truth() {
    trycmd::TestCases::new().case("docs/tables-of-groups.md");
}

/// The EU census case, from the invented town to the peer's preset.
#[test]
fn the_census_case_tells_the_truth() {
    let folder = "docs/eu-census.in";
    for seed in ["census.seed", "peer.seed"] {
        only_for_its_owner(&format!("{folder}/{seed}"));
    }
    let town = place(&format!("{folder}/town"));
    if town.exists() {
        fs::remove_dir_all(town).unwrap();
    }
    for output in ["released.csv", "swap.plan", "peer.csv", "peer.plan"] {
        let output = place(&format!("{folder}/{output}"));
        if output.exists() {
            fs::remove_file(output).unwrap();
        }
    }
    trycmd::TestCases::new().case("docs/eu-census.md");
}

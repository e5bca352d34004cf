//! Style that can be checked: module order, the direction of imports, file headers,
//! law ↔ test, documents.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};
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
    for folder in ["src", "crates", "tests", "benches", "examples"] {
        walk(&root().join(folder), &mut found);
    }
    found.sort();
    assert!(found.len() > 30, "the walk finds the sources");
    found
}

/// A file's place in the project, with `/` on every system.
fn place(path: &Path) -> String {
    let place = path.strip_prefix(root()).unwrap();
    place.iter().map(|part| part.to_str().unwrap()).collect::<Vec<_>>().join("/")
}

/// The stages of the data's way.
const WAY: [&str; 12] = [
    "columns", "encode", "table", "graph", "risk", "partner", "moves", "explain", "plan", "swap",
    "verify", "oracle",
];

/// The core declares its stages in this order.
#[test]
fn modules_stand_in_the_order_of_the_datas_way() {
    let text = read("crates/core/src/lib.rs");
    let declared: Vec<usize> = text
        .lines()
        .filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'))
        .filter_map(|module| WAY.iter().position(|stage| *stage == module))
        .collect();
    assert_eq!(declared, (0..WAY.len()).collect::<Vec<_>>());
}

/// The code of a file: without comments, and without the tests in it.
fn code(text: &str) -> String {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// The modules named after a path's beginning, as in `crate::plan::SwapPlan` or
/// `use crate::{plan, swap}`.
fn modules_behind(code: &str, beginning: &str) -> BTreeSet<String> {
    let is_name = |sign: char| sign.is_ascii_alphanumeric() || sign == '_';
    let name =
        |text: &str| text.trim_start().split(|sign| !is_name(sign)).next().unwrap().to_owned();
    let mut modules = BTreeSet::new();
    for (position, _) in code.match_indices(beginning) {
        if code[..position].chars().next_back().is_some_and(is_name) {
            continue;
        }
        let rest = &code[position + beginning.len()..];
        match rest.strip_prefix('{') {
            None => modules.extend([name(rest)]),
            Some(list) => {
                let mut depth = 0i32;
                let mut begins = true;
                for (at, sign) in list.char_indices() {
                    if begins && is_name(sign) {
                        modules.insert(name(&list[at..]));
                        begins = false;
                    }
                    match sign {
                        '{' => depth += 1,
                        '}' => depth -= 1,
                        ',' if depth == 0 => begins = true,
                        _ => {}
                    }
                    if depth < 0 {
                        break;
                    }
                }
            }
        }
    }
    modules
}

#[test]
fn imports_are_read_as_they_are_written() {
    let code = "use crate::{plan::{A, b}, swap};\nlet x = crate::table::n();\nour_crate::no::x";
    let found: Vec<String> = modules_behind(code, "crate::").into_iter().collect();
    assert_eq!(found, ["plan", "swap", "table"]);
}

/// Within core a stage uses the ones before it, and no later one.
#[test]
fn no_stage_looks_ahead() {
    let mut found = BTreeSet::new();
    for (path, text) in sources() {
        let place = place(&path);
        let Some(inside) = place.strip_prefix("crates/core/src/") else { continue };
        let stage = inside.split(['/', '.']).next().unwrap();
        let Some(position) = WAY.iter().position(|other| *other == stage) else { continue };
        let used = modules_behind(&code(&text), "crate::");
        for later in WAY[position + 1..].iter().filter(|later| used.contains(**later)) {
            found.insert((stage.to_owned(), (*later).to_owned()));
        }
    }
    assert!(found.is_empty(), "{found:?}");
}

/// Our crates, and which of them each one may use.
const USES: [(&str, &[&str]); 4] = [
    ("core", &[]),
    ("io", &["core"]),
    ("report", &["core"]),
    ("pipeline", &["core", "io", "report"]),
];

#[test]
fn crates_use_only_those_below_them() {
    for (name, allowed) in USES {
        let manifest = read(&format!("crates/{name}/Cargo.toml"));
        let dependencies = manifest.split("[dependencies]").nth(1).unwrap();
        let dependencies = dependencies.split("\n[").next().unwrap();
        for (other, _) in USES {
            assert!(
                allowed.contains(&other) || !dependencies.contains(&format!("marginswap-{other}")),
                "{name} depends on {other}"
            );
        }
        assert!(!dependencies.contains("clap"), "{name} knows the command line");
        for (path, text) in sources() {
            let place = place(&path);
            if !place.starts_with(&format!("crates/{name}/src/")) {
                continue;
            }
            for (other, _) in USES {
                assert!(
                    allowed.contains(&other)
                        || !code(&text).contains(&format!("marginswap_{other}::")),
                    "{place} uses {other}"
                );
            }
        }
    }
}

/// `report` shows plain answers: of core it knows how a text is written, sets of positions for
/// its pictures, and the reasons of a verdict. No record, table, graph or plan.
#[test]
fn report_knows_neither_records_nor_tables() {
    const KNOWN: [&str; 3] = ["text", "varset", "verdict"];
    let mut files = 0;
    for (path, text) in sources() {
        let place = place(&path);
        if !place.starts_with("crates/report/") {
            continue;
        }
        files += 1;
        for module in modules_behind(&text, "marginswap_core::") {
            assert!(KNOWN.contains(&module.as_str()), "{place} uses core::{module}");
        }
    }
    assert!(files > 20, "the files of report are found");
}

/// The program is command line only. What still reaches past the pipeline is listed, and the
/// list only gets shorter.
#[test]
fn the_program_reaches_past_the_pipeline_only_where_listed() {
    const KNOWN: [&str; 3] = ["diagnostic", "text", "varset"];
    const REACHING: &[(&str, &str)] = &[];
    let mut reaching = BTreeSet::new();
    for (path, text) in sources() {
        let place = place(&path);
        if !place.starts_with("src/") {
            continue;
        }
        for module in modules_behind(&code(&text), "marginswap_core::") {
            if !KNOWN.contains(&module.as_str()) {
                reaching.insert((place.clone(), module));
            }
        }
    }
    let listed: BTreeSet<(String, String)> = REACHING
        .iter()
        .map(|(place, module)| ((*place).to_owned(), (*module).to_owned()))
        .collect();
    let new: Vec<_> = reaching.difference(&listed).collect();
    let gone: Vec<_> = listed.difference(&reaching).collect();
    assert!(new.is_empty(), "make the pipeline answer this: {new:?}");
    assert!(gone.is_empty(), "take these off the list: {gone:?}");
}

/// Does a text name a flag, as in `--keep`?
fn names_a_flag(text: &str) -> bool {
    let is_flag = |(place, _)| {
        let rest: &str = &text[place + 2..];
        rest.starts_with(|sign: char| sign.is_ascii_lowercase())
    };
    text.match_indices("--").any(is_flag)
}

/// Core decides and knows no door and no format; neither do the refusals of io name a flag.
#[test]
fn core_knows_neither_flags_nor_formats() {
    assert!(names_a_flag("with --keep") && !names_a_flag("a -- b, x--; --- --1"));
    let mut files = 0;
    for (path, text) in sources() {
        let place = place(&path);
        let in_core = place.starts_with("crates/core/src/");
        if in_core || place.starts_with("crates/io/src/") {
            files += 1;
            assert!(!names_a_flag(&text), "{place} names a flag");
        }
        for format in ["TOML", "Parquet", "Arrow"] {
            assert!(!in_core || !text.contains(format), "{place} speaks of {format}");
        }
    }
    assert!(files > 80, "the files of core and io are found");
}

/// The pipeline serves every door: flags are named in the tables of refusals and settings only.
#[test]
fn the_pipeline_names_flags_in_its_tables_only() {
    const TABLES: [&str; 3] = ["codes.rs", "settings/page.rs", "settings/table.rs"];
    for (path, text) in sources() {
        let place = place(&path);
        let Some(inside) = place.strip_prefix("crates/pipeline/src/") else { continue };
        assert!(TABLES.contains(&inside) || !names_a_flag(&text), "{place} names a flag");
    }
}

#[test]
fn every_file_begins_with_a_header() {
    for (path, text) in sources() {
        assert!(text.starts_with("//! "), "{} has no header", path.display());
    }
}

/// A file of tests that no program names would not be run.
#[test]
fn every_file_of_tests_is_run() {
    let mut modules = 0;
    for package in ["", "crates/core/", "crates/io/", "crates/pipeline/", "crates/report/"] {
        let main = read(&format!("{package}tests/main.rs"));
        let manifest = read(&format!("{package}Cargo.toml"));
        for entry in fs::read_dir(root().join(package).join("tests")).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_str().unwrap();
            if path.extension().is_none_or(|ending| ending != "rs") || name == "main" {
                continue;
            }
            let is_module = main.lines().any(|line| line == format!("mod {name};"));
            let is_program = manifest.contains(&format!("path = \"tests/{name}.rs\""));
            assert!(is_module != is_program, "{package}tests/main.rs does not name {name}");
            modules += usize::from(is_module);
        }
    }
    assert!(modules > 70, "the files of tests are found");
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

/// The laws that are tested, each with the file of its test: `law_parts_travel_alone`.
fn tested_laws() -> BTreeMap<String, String> {
    let mut laws = BTreeMap::new();
    for (path, text) in sources() {
        for line in text.lines().map(str::trim_start) {
            if let Some(rest) = line.strip_prefix("fn law_") {
                let law = rest.split('(').next().unwrap().replace('_', "-");
                let other = laws.insert(law.clone(), place(&path));
                assert_eq!(other, None, "{law} is tested twice");
            }
        }
    }
    laws
}

#[test]
fn every_law_has_a_test_and_every_test_a_law() {
    let named = named_laws();
    let tested: BTreeSet<String> = tested_laws().into_keys().collect();
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
        tested_laws().into_keys().filter(|law| !page.contains(&format!("`{law}`"))).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// What is between backticks.
fn ticked(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The cells of a row of a table.
fn cells(row: &str) -> Vec<String> {
    let row = row.replace("\\|", "¦");
    let row = row.trim().trim_start_matches('|').trim_end_matches('|');
    row.split('|').map(|cell| cell.trim().to_owned()).collect()
}

/// The rows of "Every law" are below the file of their tests, or name it in their last cell;
/// the rows of the paper name it next to the law.
#[test]
fn every_row_of_a_law_names_the_file_of_its_test() {
    let page = read("docs/THEORY.md");
    let tested = tested_laws();
    let (paper, list) = page.split_once("## Every law").unwrap();
    let list = list.split("\n## ").next().unwrap();
    let mut above = None;
    let mut told = BTreeSet::new();
    for line in list.lines() {
        if line.ends_with(':') {
            above = ticked(line).next().filter(|_| line.starts_with("In ")).map(str::to_owned);
        }
        if !line.starts_with("| `") {
            continue;
        }
        let cells = cells(line);
        let own = ticked(cells.last().unwrap()).find(|name| name.ends_with(".rs"));
        let file = own.map(str::to_owned).or(above.clone());
        for law in ticked(&cells[0]) {
            assert_eq!(tested.get(law), file.as_ref(), "the row of {law}");
            assert!(told.insert(law.to_owned()), "{law} has two rows");
        }
    }
    assert_eq!(told, tested.keys().cloned().collect(), "every law has its row");
    let mut named = 0;
    for cell in paper.lines().filter(|line| line.starts_with('|')).flat_map(cells) {
        let Some(file) = ticked(&cell).find(|name| name.starts_with("tests/")) else { continue };
        for (law, place) in ticked(&cell).filter_map(|law| tested.get_key_value(law)) {
            assert_eq!(*place, format!("crates/core/{file}"), "the paper's row of {law}");
            named += 1;
        }
    }
    assert!(named > 10, "the rows of the paper are found");
}

/// Every page of the project: its place, and its text without blocks of code.
fn pages() -> BTreeMap<String, String> {
    fn walk(folder: &Path, found: &mut BTreeMap<String, String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if path.is_dir() {
                if name != "target" && !name.starts_with('.') {
                    walk(&path, found);
                }
            } else if path.extension().is_some_and(|ending| ending == "md") {
                let text = fs::read_to_string(&path).unwrap();
                found.insert(place(&path), prose(&text));
            }
        }
    }
    let mut found = BTreeMap::new();
    walk(root(), &mut found);
    assert!(found.len() > 20, "the walk finds the pages");
    found
}

/// A page without its blocks of code.
fn prose(page: &str) -> String {
    let mut in_code = false;
    let lines = page.lines().filter(|line| {
        let fence = line.trim_start().starts_with("```");
        in_code ^= fence;
        !in_code && !fence
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The anchors of a page: its headings in small letters, without signs, with `-` for blanks; a
/// heading that comes again has a number.
fn anchors(prose: &str) -> BTreeSet<String> {
    let mut met = BTreeMap::new();
    let headings = prose.lines().filter(|line| line.starts_with('#'));
    let anchors = headings.map(|heading| {
        let heading = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = heading.chars().filter(|sign| sign.is_alphanumeric() || "-_ ".contains(*sign));
        let anchor: String = kept.map(|sign| if sign == ' ' { '-' } else { sign }).collect();
        let before: usize = *met.entry(anchor.clone()).and_modify(|n| *n += 1).or_insert(0);
        if before == 0 { anchor } else { format!("{anchor}-{before}") }
    });
    anchors.collect()
}

/// The targets of the links and pictures of a page.
fn links(prose: &str) -> Vec<String> {
    let ends = prose.match_indices("](");
    let targets = ends.map(|(at, bracket)| {
        let rest = &prose[at + bracket.len()..];
        rest.split([')', ' ']).next().unwrap().to_owned()
    });
    targets.collect()
}

#[test]
fn links_and_anchors_are_read_as_they_are_written() {
    let page = "# A, b: `c`?\n```\n# no\n[x](y)\n```\n## Same\n## Same\n[a](b.md#c) ![d](e.svg)";
    let page = prose(page);
    assert_eq!(links(&page), ["b.md#c", "e.svg"]);
    assert_eq!(anchors(&page), ["a-b-c", "same", "same-1"].map(str::to_owned).into());
}

/// Every link inside the project leads to a file, and to a heading where it names one.
#[test]
fn links_between_pages_lead_somewhere() {
    let pages = pages();
    let mut broken = Vec::new();
    let mut followed = 0;
    for (place, page) in &pages {
        for link in links(page) {
            if link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            followed += 1;
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let mut target: Vec<&str> = place.split('/').collect();
            if !file.is_empty() {
                target.pop();
            }
            for step in file.split('/').filter(|step| !["", "."].contains(step)) {
                if step == ".." {
                    assert!(target.pop().is_some(), "{place}: {link} leaves the project");
                } else {
                    target.push(step);
                }
            }
            let target = target.join("/");
            let anchor_is_there =
                || pages.get(&target).is_some_and(|page| anchors(page).contains(anchor));
            if !root().join(&target).exists() || !(anchor.is_empty() || anchor_is_there()) {
                broken.push(format!("{place}: {link}"));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
    assert!(followed > 50, "the links are found");
}

/// Nothing in the code is left for later.
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

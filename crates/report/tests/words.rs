//! Plain English: words that the glossary and the style forbid are in no source and on no page.

#![allow(clippy::unwrap_used, reason = "a test stops where it is surprised")]

use std::fs;
use std::path::{Path, PathBuf};

/// Not used at all, in text, comments and names of the crate.
const FORBIDDEN: [&str; 21] = [
    "so many",
    "stands",
    "anew",
    "whoever",
    "has not",
    "have not",
    "lets go",
    " he ",
    " his ",
    "in the house",
    "untreatable",
    "right claim",
    "correct claim",
    "correct_claims",
    "claims of an intruder",
    "all the same:",
    "attacker",
    "quasi-identifier",
    "travel alone",
    "travel together",
    "hang together",
];

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files(&path, found) } else { found.push(path) }
    }
}

#[test]
fn the_house_dialect_is_gone() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for folder in ["src", "templates", "tests/golden"] {
        files(&root.join(folder), &mut found);
    }
    assert!(found.len() > 40, "the files are found");
    for path in found {
        let text =
            fs::read_to_string(&path).unwrap().to_lowercase().replace("//!", "").replace("///", "");
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for word in FORBIDDEN {
            assert!(!text.contains(word), "{}: {word:?}", path.display());
        }
    }
}

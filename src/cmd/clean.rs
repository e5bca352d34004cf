//! `clean`: temporary files that killed runs left in a folder.

use std::io::{self, BufRead, IsTerminal};
use std::path::Path;

use marginswap_core::diagnostic::Diagnostic;
use marginswap_core::text::grouped;
use marginswap_io::{Leftover, LeftoverState, leftovers};
use marginswap_pipeline::refusal::Code;
use marginswap_report::Answer;
use serde::Serialize;

use crate::args::CleanArgs;
use crate::output::{Outcome, give, next, talk};

/// What was found in a folder.
#[derive(Serialize)]
struct CleanReport {
    folder: String,
    files: Vec<Found>,
    removed: usize,
}

/// One temporary file.
#[derive(Serialize)]
struct Found {
    name: String,
    bytes: u64,
    state: &'static str,
}

/// Lists the files; removes them when that is wanted.
pub fn run(args: &CleanArgs) -> Result<Outcome, Diagnostic> {
    let found = leftovers(&args.folder).map_err(|error| {
        Diagnostic::new(Code::Unreadable, marginswap_io::said(&error), "name a folder")
            .in_file(&args.folder)
    })?;
    let abandoned: Vec<&Leftover> =
        found.iter().filter(|file| file.state == LeftoverState::Abandoned).collect();
    if !args.answer.json {
        talk(&listed(&args.folder, &found));
    }
    let wanted = !abandoned.is_empty() && (args.force || agrees(abandoned.len()));
    let mut removed = 0;
    for file in abandoned.iter().filter(|_| wanted) {
        file.remove().map_err(|error| {
            Diagnostic::new(Code::Unwritable, marginswap_io::said(&error), "remove it by hand")
                .in_file(&file.path)
        })?;
        removed += 1;
    }
    let left = abandoned.len() - removed;
    let name = |path: &Path| path.file_name().unwrap_or_default().display().to_string();
    let files = found.iter().map(|file| Found {
        name: name(&file.path),
        bytes: file.bytes,
        state: word(file.state),
    });
    let folder = args.folder.display().to_string();
    give(&CleanReport { folder, files: files.collect(), removed }, args.answer.json)?;
    if left > 0 {
        next("the same with --force removes them");
    }
    Ok(if left > 0 { Outcome::GateNotMet } else { Outcome::Done })
}

fn word(state: LeftoverState) -> &'static str {
    match state {
        LeftoverState::Abandoned => "abandoned",
        LeftoverState::InUse => "in_use",
        LeftoverState::OnlyCopy => "only_copy",
    }
}

fn listed(folder: &Path, found: &[Leftover]) -> String {
    if found.is_empty() {
        return format!("{} has no temporary files of marginswap", folder.display());
    }
    let line = |file: &Leftover| {
        let what = match file.state {
            LeftoverState::Abandoned => "left behind by a run that was killed",
            LeftoverState::InUse => "in use: its run is still working",
            LeftoverState::OnlyCopy => {
                "a file that a run was about to replace, and its only copy: rename it by hand"
            }
        };
        format!("{}  {} bytes, {what}", file.path.display(), grouped(file.bytes))
    };
    found.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Asks at a terminal; elsewhere nobody can answer.
fn agrees(files: usize) -> bool {
    if !io::stdin().is_terminal() {
        return false;
    }
    talk(&format!("Remove {files} of them? They cannot be brought back. [y/N]"));
    let mut answer = String::new();
    let read = io::stdin().lock().read_line(&mut answer);
    read.is_ok() && matches!(answer.trim(), "y" | "Y" | "yes")
}

impl Answer for CleanReport {
    fn text(&self) -> String {
        format!("{} of {} temporary files removed\n", self.removed, self.files.len())
    }
}

//! From the bytes of a project file to a [`Project`].
//!
//! What cannot be read is told with line and column of the project file. What serde and the
//! reader of TOML say is put into our words; a text that was found is left out, since rules
//! hold categories.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use marginswap_core::columns::did_you_mean;
use marginswap_core::diagnostic::{Code, Diagnostic};
use serde::Deserialize;
use toml::de::{Deserializer, Error};

use super::text::BETWEEN;
use super::{Project, Risky};

/// The name under which a project file is found.
pub const FILE_NAME: &str = "marginswap.toml";

impl Project {
    /// Reads a project file. The paths in it start at its folder.
    ///
    /// # Errors
    /// [`Code::NoProjectFile`], [`Code::Unreadable`], [`Code::BadToml`],
    /// [`Code::UnknownEntry`] or [`Code::BadEntry`].
    pub fn load(path: &Path) -> Result<Self, Diagnostic> {
        let mut project = Self::read(path).map_err(|refusal| refusal.in_file(path))?;
        project.start_paths_at(path.parent().unwrap_or(Path::new("")));
        Ok(project)
    }

    /// Reads `marginswap.toml` in the folder the command runs in, if it is there.
    ///
    /// # Errors
    /// As [`Project::load`].
    pub fn find() -> Result<Option<Self>, Diagnostic> {
        let path = Path::new(FILE_NAME);
        match fs::symlink_metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            _ => Self::load(path).map(Some),
        }
    }

    fn read(path: &Path) -> Result<Self, Diagnostic> {
        let none = |detail: &str| {
            let remedy = "look at the spelling, or write one with `marginswap init DATA`";
            Diagnostic::new(Code::NoProjectFile, detail, remedy)
        };
        if path.is_dir() {
            return Err(none("this is a folder"));
        }
        let bytes = fs::read(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => none("there is no file of this name"),
            _ => Diagnostic::new(
                Code::Unreadable,
                error.to_string(),
                "see that the project file may be read",
            ),
        })?;
        Self::from_bytes(&bytes)
    }

    fn from_bytes(bytes: &[u8]) -> Result<Self, Diagnostic> {
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let good = std::str::from_utf8(&bytes[..error.valid_up_to()]).expect("it is valid");
            let refusal =
                Diagnostic::new(Code::BadToml, "the file is not UTF-8", "store it as UTF-8");
            at(refusal, good, good.len())
        })?;
        let reader = Deserializer::parse(text).map_err(|error| bad_toml(&error, text))?;
        Self::deserialize(reader).map_err(|error| bad_entry(&error, text))
    }

    fn start_paths_at(&mut self, folder: &Path) {
        let resolve = |path: &mut PathBuf| *path = folder.join(&*path);
        let Self { data, release, report, risk, .. } = self;
        let files =
            [&mut release.out, &mut release.plan, &mut report.internal, &mut report.external];
        for path in files.into_iter().chain([data]).flatten() {
            resolve(path);
        }
        if let Some(Risky::Records(path)) = &mut risk.risky {
            resolve(path);
        }
    }
}

fn bad_toml(error: &Error, text: &str) -> Diagnostic {
    let refusal = Diagnostic::new(
        Code::BadToml,
        error.message(),
        "text stands between double quotes, a list between `[` and `]`",
    );
    at(refusal, text, start(error))
}

/// What serde says: `unknown field …`, `invalid type …`, `invalid value …`, or one of our
/// own refusals.
fn bad_entry(error: &Error, text: &str) -> Diagnostic {
    let message = error.message();
    let refusal = if let Some(rest) = message.strip_prefix("unknown field `") {
        let (found, known) = rest.rsplit_once("`, expected ").unwrap_or((rest, ""));
        // The names stand between backticks, and none of ours holds one.
        let known: Vec<String> = known.split('`').skip(1).step_by(2).map(str::to_owned).collect();
        Diagnostic::new(Code::UnknownEntry, unknown(found, &known), nearest(found, &known))
    } else {
        let (detail, remedy) = match message.split_once(BETWEEN) {
            Some((detail, remedy)) => (detail.to_owned(), remedy.to_owned()),
            None => wrong_kind(message),
        };
        let entry = entry(error).map(|entry| format!("`{entry}`: ")).unwrap_or_default();
        Diagnostic::new(Code::BadEntry, format!("{entry}{detail}"), remedy)
    };
    at(refusal, text, start(error))
}

fn unknown(found: &str, known: &[String]) -> String {
    format!("there is no entry `{found}` here; known are {}", known.join(", "))
}

fn nearest(found: &str, known: &[String]) -> String {
    let meant = did_you_mean(found, known);
    // The other answer speaks of columns.
    if meant.starts_with("did you mean") {
        meant
    } else {
        "see the spelling, and the part of the file it stands in".to_owned()
    }
}

/// From `invalid type: string "…", expected a sequence` to detail and remedy, without what
/// was found.
fn wrong_kind(message: &str) -> (String, String) {
    let what = message.split_once(": ").map_or("", |(_, what)| what);
    let found = what.split(['`', '"', ',']).next().unwrap_or("").trim();
    let expected = what.rsplit_once(", expected ").map_or("something else", |(_, words)| words);
    let words = |kind: &str| match kind {
        "sequence" | "a sequence" => "a list".to_owned(),
        "map" => "a part of its own".to_owned(),
        "string" | "a string" => "a text".to_owned(),
        "path string" => "a path in quotes".to_owned(),
        "integer" => "a number".to_owned(),
        "floating point" => "a number with decimals".to_owned(),
        "boolean" | "a boolean" => "true or false".to_owned(),
        "a nonzero u16" => "a whole number from 1 to 65,535".to_owned(),
        "u32" => "a whole number from 0 to 4,294,967,295".to_owned(),
        kind if kind.starts_with("struct ") => "a part with entries of its own".to_owned(),
        "a map" => "a part with entries of its own".to_owned(),
        kind => kind.to_owned(),
    };
    (
        format!("{} stands here, expected is {}", words(found), words(expected)),
        "docs/project-file.md tells what each entry takes".to_owned(),
    )
}

/// The entry's full name, which the reader tells only where it has no text to show.
fn entry(error: &Error) -> Option<String> {
    let mut error = error.clone();
    error.set_input(None);
    let shown = error.to_string();
    let (_, keys) = shown.trim_end().rsplit_once("\nin `")?;
    keys.strip_suffix('`').map(str::to_owned)
}

fn start(error: &Error) -> usize {
    error.span().map_or(0, |span| span.start)
}

/// The refusal at a byte of the text: its line, and its column in characters.
fn at(refusal: Diagnostic, text: &str, byte: usize) -> Diagnostic {
    let before = text.get(..byte).expect("a place is at the start of a character");
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
    refusal.at(line as u64, byte as u64).in_column(column.to_string())
}

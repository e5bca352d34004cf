//! A refusal as a Python exception: code, place, cause, remedy, and never a data value.
//!
//! The class itself is Python's (`marginswap._errors.Refusal`), so that it can be documented,
//! pickled and subclassed like any other.

use std::path::PathBuf;

use marginswap_core::diagnostic::{Diagnostic, escaped};
use marginswap_pipeline::codes;
use marginswap_pipeline::refusal::Code;
use marginswap_pipeline::settings;
use pyo3::prelude::*;

use crate::settings::keyword;

/// The exception of a refusal.
pub fn raised(py: Python<'_>, refusal: &Diagnostic) -> PyErr {
    match exception(py, refusal) {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}

fn exception<'py>(py: Python<'py>, refusal: &Diagnostic) -> PyResult<Bound<'py, PyAny>> {
    let entry = codes::entry(refusal.code);
    let (mut place, mut remedy) = (refusal.place.to_string(), refusal.remedy.clone());
    match refusal.about.as_deref().map(|about| about.split_once('=').unwrap_or((about, ""))) {
        // A setting that was given: it is the place.
        Some((key, given)) if !given.is_empty() => place = named(key).unwrap_or(place),
        Some((key, _)) => remedy = with(&remedy, &[key]),
        None => remedy = with(&remedy, entry.helps),
    }
    let class = py.import("marginswap._errors")?.getattr(class_of(refusal))?;
    let detail = refusal.detail.lines().map(escaped).collect::<Vec<_>>().join("\n");
    let exit = codes::exit_code(refusal);
    let title = match refusal.code {
        // In Python no project file is needed to say something wrong.
        Code::BadEntry if place.starts_with('`') => "unusable argument",
        _ => entry.title,
    };
    let parts = (entry.to_string(), title, escaped(&place), detail, escaped(&remedy), exit);
    class.call1(parts)
}

/// The exception of a code, for what the Python part refuses itself.
#[pyfunction]
pub fn refused<'py>(
    py: Python<'py>,
    code: &str,
    place: &str,
    detail: &str,
    remedy: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let entry = codes::parse(code).expect("the package refuses with known codes");
    exception(py, &Diagnostic::new(entry.kind, detail, remedy).in_file(place))
}

/// A refusal of a table in memory, where messages of files and their headers are about none.
pub fn of_a_frame(mut refusal: Diagnostic) -> Diagnostic {
    let elsewhere = |file: &PathBuf| {
        let file = file.to_string_lossy();
        !FRAMES.contains(&&*file) && !file.starts_with('`')
    };
    if !refusal.place.file.as_ref().is_some_and(elsewhere) {
        refusal.detail = in_words_of_frames(&refusal.detail);
        refusal.remedy = in_words_of_frames(&refusal.remedy);
    }
    refusal
}

/// What messages call tables in memory.
const FRAMES: [&str; 2] = ["data frame", "released data frame"];

/// A message about a table in memory; names between backticks are as they were.
pub fn in_words_of_frames(text: &str) -> String {
    let plain = |part: &str| {
        part.replace("the names in the header", "the names of the columns")
            .replace(" files", " data frames")
            .replace("the file", "the data frame")
            .replace("released file", "released data frame")
            .replace("original file", "original data frame")
    };
    let parts = text.split('`').enumerate();
    let parts = parts.map(|(at, part)| if at % 2 == 0 { plain(part) } else { part.to_owned() });
    parts.collect::<Vec<_>>().join("`")
}

fn class_of(refusal: &Diagnostic) -> &'static str {
    match refusal.code {
        Code::Cancelled => "Cancelled",
        Code::NotATable => "NotATable",
        Code::OwnBug | Code::NotKept => "Bug",
        _ => "Refusal",
    }
}

/// The remedy, and the arguments that help.
fn with(remedy: &str, helps: &[&str]) -> String {
    let helps: Vec<String> = helps.iter().filter_map(|help| named(help)).collect();
    match helps.is_empty() {
        true => remedy.to_owned(),
        false => format!("{remedy} ({})", helps.join(", ")),
    }
}

/// A setting as the argument that gives it.
fn named(key: &str) -> Option<String> {
    if let Some(flag) = key.strip_prefix("--") {
        return Some(format!("`{}=`", flag.replace('-', "_")));
    }
    let (section, name) = key.split_once('.').unwrap_or(("", key));
    Some(format!("`{}=`", keyword(settings::find(section, name)?)))
}

/// An answer or the exception.
pub trait OrRaise<T> {
    /// The answer, or the refusal as an exception.
    fn or_raise(self, py: Python<'_>) -> PyResult<T>;
}

impl<T> OrRaise<T> for Result<T, Diagnostic> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|refusal| raised(py, &refusal))
    }
}

//! From the bytes of a project file to a [`Project`].
//!
//! What cannot be read is refused with line and column of the project file; a text that was
//! found is left out, since rules hold categories. The lines of all entries are kept, so that
//! a column which the data do not have can be refused with its place too.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::refusal::Code;
use marginswap_core::columns::did_you_mean;
use marginswap_core::diagnostic::Diagnostic;
use toml::Spanned;
use toml::de::{DeTable, DeValue, Error};

use super::{Project, Risky};
use crate::settings::{self, SETTINGS, Setting, Step, Value};

/// The name under which a project file is found.
pub const FILE_NAME: &str = "marginswap.toml";

/// A project file that has been read.
#[derive(Debug, Clone, PartialEq)]
pub struct ProjectFile {
    /// Where it is.
    pub path: PathBuf,
    /// What it says.
    pub project: Project,
    /// The line of each setting, and of each text in a list.
    lines: BTreeMap<(String, Option<String>), u64>,
}

impl ProjectFile {
    /// Reads a project file. The paths in it start at its folder.
    ///
    /// # Errors
    /// [`Code::NoProjectFile`], [`Code::Unreadable`], [`Code::BadToml`],
    /// [`Code::UnknownEntry`] or [`Code::BadEntry`].
    pub fn load(path: &Path) -> Result<Self, Diagnostic> {
        let mut file =
            Self { path: path.to_owned(), project: Project::default(), lines: BTreeMap::new() };
        let bytes = bytes_of(path).map_err(|refusal| refusal.in_file(path))?;
        file.take(&bytes).map_err(|refusal| refusal.in_file(path))?;
        file.project.start_paths_at(path.parent().unwrap_or(Path::new("")));
        Ok(file)
    }

    /// Reads `marginswap.toml` in the folder the command runs in, if it is there.
    ///
    /// # Errors
    /// As [`ProjectFile::load`].
    pub fn find() -> Result<Option<Self>, Diagnostic> {
        let path = Path::new(FILE_NAME);
        match fs::symlink_metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            _ => Self::load(path).map(Some),
        }
    }

    /// The line on which a setting is given this text, or else the line of the setting.
    #[must_use]
    pub fn line(&self, setting: &Setting, text: &str) -> Option<u64> {
        let at = |text| self.lines.get(&(setting.key(), text)).copied();
        at(Some(text.to_owned())).or_else(|| at(None))
    }

    fn take(&mut self, bytes: &[u8]) -> Result<(), Diagnostic> {
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let good = std::str::from_utf8(&bytes[..error.valid_up_to()]).expect("it is valid");
            let refusal =
                Diagnostic::new(Code::BadToml, "the file is not UTF-8", "save it as UTF-8");
            at(refusal, good, good.len())
        })?;
        let root = DeTable::parse(text).map_err(|error| bad_toml(&error, text))?;
        // All of them are read, and the first one in the file is reported.
        let mut refused: Vec<(usize, Diagnostic)> = Vec::new();
        for (name, value) in root.get_ref().iter() {
            let section = name.get_ref().as_ref();
            if !SETTINGS.iter().any(|setting| setting.section == section) {
                refused.extend(self.entry("", name, value, text).err());
                continue;
            }
            let DeValue::Table(table) = value.get_ref() else {
                let detail = format!("`{section}`: expected a section, found {}", kind(value));
                let remedy = format!("begin the section with a line `[{section}]`");
                let start = value.span().start;
                refused.push((start, Diagnostic::new(Code::BadEntry, detail, remedy)));
                continue;
            };
            for (name, value) in table.iter() {
                refused.extend(self.entry(section, name, value, text).err());
            }
        }
        refused.sort_by_key(|(start, _)| *start);
        match refused.into_iter().next() {
            Some((start, refusal)) => Err(at(refusal, text, start)),
            None => Ok(()),
        }
    }

    fn entry(
        &mut self,
        section: &str,
        name: &Spanned<std::borrow::Cow<'_, str>>,
        value: &Spanned<DeValue<'_>>,
        text: &str,
    ) -> Result<(), (usize, Diagnostic)> {
        let Some(setting) = settings::find(section, name.get_ref()) else {
            return Err((name.span().start, unknown(section, name.get_ref())));
        };
        let bad = |detail: &str, remedy: &str, inside: &str| {
            let detail = format!("`{}{inside}`: {detail}", setting.key());
            Diagnostic::new(Code::BadEntry, detail, remedy)
        };
        let read = read(value).map_err(|start| {
            (start, bad("found a date without quotes", "put it between quotes", ""))
        })?;
        setting.set(&mut self.project, &read).map_err(|misfit| {
            let (start, inside) = place(value, &misfit.path);
            (start, bad(&misfit.refusal.detail, &misfit.refusal.remedy, &inside))
        })?;
        let line = |byte: usize| text[..byte].matches('\n').count() as u64 + 1;
        self.lines.insert((setting.key(), None), line(name.span().start));
        if let DeValue::Table(table) = value.get_ref() {
            for name in table.keys() {
                let key = (setting.key(), Some(name.get_ref().to_string()));
                self.lines.insert(key, line(name.span().start));
            }
        }
        let mut items: Vec<&Spanned<DeValue<'_>>> = vec![value];
        while let Some(item) = items.pop() {
            match item.get_ref() {
                DeValue::Array(list) => items.extend(list.iter()),
                DeValue::Table(table) => items.extend(table.values()),
                DeValue::String(word) => {
                    let key = (setting.key(), Some(word.to_string()));
                    self.lines.insert(key, line(item.span().start));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

impl Project {
    /// The project that a file holds: [`ProjectFile::load`] without the places.
    ///
    /// # Errors
    /// As there.
    pub fn load(path: &Path) -> Result<Self, Diagnostic> {
        ProjectFile::load(path).map(|file| file.project)
    }

    fn start_paths_at(&mut self, folder: &Path) {
        let resolve = |path: &mut PathBuf| *path = folder.join(&*path);
        let Self { data, derive, keep, release, report, risk, swap, unit, verify, .. } = self;
        let files =
            [&mut release.out, &mut release.plan, &mut report.internal, &mut report.external];
        let households = [&mut unit.file, &mut release.households, &mut swap.areas];
        for path in files.into_iter().chain([data, &mut keep.list]).chain(households).flatten() {
            resolve(path);
        }
        verify.published.0.iter_mut().for_each(|table| resolve(&mut table.file));
        for expression in derive.values_mut() {
            expression.start_paths_at(folder);
        }
        if let Some(Risky::Records(path)) = &mut risk.risky {
            resolve(path);
        }
    }
}

fn bytes_of(path: &Path) -> Result<Vec<u8>, Diagnostic> {
    let none = |detail: &str| {
        let remedy = "check the spelling and the folder";
        Diagnostic::new(Code::NoProjectFile, detail, remedy)
    };
    if path.is_dir() {
        return Err(none("this is a folder"));
    }
    fs::read(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => none("there is no file of this name"),
        _ => Diagnostic::new(Code::Unreadable, error.to_string(), "make the project file readable"),
    })
}

fn bad_toml(error: &Error, text: &str) -> Diagnostic {
    let start = error.span().map_or(0, |span| span.start);
    let line = text[..start].rsplit('\n').next().unwrap_or("");
    let rest = text[start..].lines().next().unwrap_or("");
    let remedy = if line.contains('\\') || rest.contains('\\') {
        "a backslash is special between double quotes: put a path between single quotes, or write `/`"
    } else {
        "put text between double quotes and a list between `[` and `]`"
    };
    at(Diagnostic::new(Code::BadToml, error.message(), remedy), text, start)
}

/// An entry that no setting has: perhaps misspelt, perhaps in the wrong section.
fn unknown(section: &str, name: &str) -> Diagnostic {
    let here = SETTINGS.iter().filter(|setting| setting.section == section);
    let mut known: Vec<String> = here.map(|setting| setting.name.to_owned()).collect();
    if section.is_empty() {
        for setting in SETTINGS.iter().filter(|setting| !setting.section.is_empty()) {
            if known.last().map(String::as_str) != Some(setting.section) {
                known.push(setting.section.to_owned());
            }
        }
    }
    let detail = format!("unknown entry `{name}`; known here: {}", known.join(", "));
    let elsewhere = SETTINGS.iter().find(|setting| setting.name == name);
    let meant = did_you_mean(name, &known);
    let remedy = match elsewhere {
        Some(setting) if setting.section.is_empty() => {
            format!("`{name}` belongs at the top of the file, before any section")
        }
        Some(setting) => format!("`{name}` belongs under [{}]", setting.section),
        // The other answer speaks of columns.
        None if meant.starts_with("did you mean") => meant,
        None => "check the spelling, and the section it is in".to_owned(),
    };
    Diagnostic::new(Code::UnknownEntry, detail, remedy)
}

/// The value as settings take it; the place of a date, which none takes, otherwise.
fn read(value: &Spanned<DeValue<'_>>) -> Result<Value, usize> {
    Ok(match value.get_ref() {
        DeValue::String(text) => Value::text(text.as_ref()),
        DeValue::Boolean(on) => Value::Switch(*on),
        DeValue::Integer(number) => {
            let digits = i128::from_str_radix(number.as_str(), number.radix());
            Value::Number(digits.map_or(number.as_str().to_owned(), |digits| digits.to_string()))
        }
        // The shortest text that means this number is the one that was typed.
        DeValue::Float(number) => {
            let digits = number.as_str().parse::<f64>().map_or(String::new(), |n| n.to_string());
            Value::Number(if digits.contains('.') { digits } else { format!("{digits}.0") })
        }
        DeValue::Array(list) => Value::List(list.iter().map(read).collect::<Result<_, _>>()?),
        DeValue::Table(table) => {
            let items =
                table.iter().map(|(name, item)| Ok((name.get_ref().to_string(), read(item)?)));
            Value::Map(items.collect::<Result<_, usize>>()?)
        }
        DeValue::Datetime(_) => return Err(value.span().start),
    })
}

/// Where a part of a value begins, and its name inside the entry.
fn place(value: &Spanned<DeValue<'_>>, path: &[Step]) -> (usize, String) {
    let (mut value, mut inside) = (value, String::new());
    for step in path {
        let next = match step {
            Step::Item(place) => value.get_ref().get(*place),
            Step::Name(name) => {
                inside.push('.');
                inside.push_str(name);
                value.get_ref().get(name.as_str())
            }
        };
        value = next.expect("a misfit is inside its value");
    }
    (value.span().start, inside)
}

fn kind(value: &Spanned<DeValue<'_>>) -> &'static str {
    read(value).map_or("a date", |value| value.kind())
}

/// The refusal at a byte of the text: its line, and its column in characters.
fn at(refusal: Diagnostic, text: &str, byte: usize) -> Diagnostic {
    let before = text.get(..byte).expect("a place is at the start of a character");
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
    refusal.at(line as u64, byte as u64).in_column(column.to_string())
}

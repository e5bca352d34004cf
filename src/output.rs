//! Results go to stdout, talk goes to stderr.

use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use marginswap_core::diagnostic::{Code, Diagnostic, escaped};
use marginswap_io::{Overwrite, Secrecy, check_not_input, check_target, write_atomic};
use marginswap_report::{Answer, Picture};

use crate::args::{ForceArgs, MAX_SEPARATORS, ReadArgs, RoleArgs};
use marginswap_pipeline::notes::Run;
use marginswap_pipeline::project::Project;

/// How a command that came to its end ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Everything that was asked for is so.
    Done,
    /// It finished, but a gate is not met: risky records are left, or a table differs.
    GateNotMet,
}

/// Prints an answer as text or as JSON.
///
/// # Errors
/// When stdout cannot be written. A reader that stops reading is no error.
pub fn give(answer: &impl Answer, json: bool) -> Result<(), Diagnostic> {
    let mut text = if json {
        serde_json::to_string_pretty(answer).expect("an answer is plain data")
    } else {
        answer.text()
    };
    if !text.ends_with('\n') {
        text.push('\n');
    }
    print(&text)
}

/// Prints a text to stdout.
///
/// # Errors
/// As [`give`].
pub fn print(text: &str) -> Result<(), Diagnostic> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Diagnostic::new(
            Code::Unwritable,
            format!("the answer cannot be printed: {error}"),
            "see where the output goes",
        )),
        _ => Ok(()),
    }
}

/// A run whose notes are told as they come.
pub fn run() -> Run<'static> {
    Run::watched(|note| talk(&note.to_string()))
}

/// Says something that is no result: a warning, an error, the next step.
pub fn talk(text: &str) {
    // Where stderr is closed there is nobody to tell.
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// A picture that is drawn when it is asked for.
pub struct Sketch<'a> {
    file: Option<&'a Path>,
    overwrite: Overwrite,
}

impl<'a> Sketch<'a> {
    /// A picture for this file, if one is named; it may be none of the inputs.
    pub fn new(
        file: Option<&'a PathBuf>,
        force: &ForceArgs,
        inputs: &[&Path],
    ) -> Result<Self, Diagnostic> {
        let overwrite = Overwrite::from_force(force.force);
        if let Some(file) = file {
            check_target(file, overwrite)?;
            for input in inputs {
                check_not_input(file, input)?;
            }
        }
        Ok(Self { file: file.map(PathBuf::as_path), overwrite })
    }

    /// Draws what tells of the data: made readable for its owner alone.
    pub fn draw(&self, picture: impl FnOnce() -> Picture) -> Result<(), Diagnostic> {
        self.write(Secrecy::Secret, picture)
    }

    /// Draws what anybody may see.
    pub fn draw_plain(&self, picture: impl FnOnce() -> Picture) -> Result<(), Diagnostic> {
        self.write(Secrecy::Plain, picture)
    }

    fn write(&self, secrecy: Secrecy, picture: impl FnOnce() -> Picture) -> Result<(), Diagnostic> {
        let Some(file) = self.file else { return Ok(()) };
        let text = picture().file();
        write_atomic(file, self.overwrite, secrecy, |out| out.write_all(text.as_bytes()))?;
        talk(&format!("{} holds the picture", file.display()));
        Ok(())
    }
}

/// The next step to take.
pub fn next(step: &str) {
    talk(&format!("next: {step}"));
}

/// A command of this program as it can be typed into a shell.
pub struct Line(String);

impl Line {
    /// The beginning of a command on this file; without one, on a file yet to be named.
    pub fn new(command: &str, data: Option<&Path>) -> Self {
        let data = match data {
            None => "DATA".to_owned(),
            Some(path) if path.as_os_str().as_encoded_bytes().starts_with(b"-") => {
                typed(&Path::new(".").join(path).display().to_string())
            }
            Some(path) => typed(&path.display().to_string()),
        };
        Self(format!("marginswap {command} {data}"))
    }

    /// Adds another file.
    pub fn file(&mut self, path: &Path) -> &mut Self {
        self.0.push_str(&format!(" {}", typed_path(path)));
        self
    }

    /// Adds an option with its value.
    pub fn option(&mut self, name: &str, value: &str) -> &mut Self {
        let joint = if value.starts_with('-') { "=" } else { " " };
        self.0.push_str(&format!(" {name}{joint}{}", typed(value)));
        self
    }

    /// Adds an option without a value.
    pub fn flag(&mut self, name: &str) -> &mut Self {
        self.0.push_str(&format!(" {name}"));
        self
    }

    /// Adds a project's tables, keys and columns, for comparing two files.
    pub fn comparison(&mut self, project: &Project) -> &mut Self {
        for table in &project.keep.tables {
            self.option("--keep", table);
        }
        let columns = &project.columns;
        // An id that is not released cannot link the files; then the lines do, if they are in
        // order.
        let (id, gone): (Vec<String>, Vec<String>) =
            columns.id.iter().cloned().partition(|id| !project.release.drop.contains(id));
        let weight: Vec<String> = project.swap.weight.iter().cloned().collect();
        for (option, list) in [
            ("--keys", &project.risk.keys),
            ("--vars", &columns.vars),
            ("--stay", &columns.stay),
            ("--ignore", &columns.ignore),
            ("--ignore", &gone),
            ("--id", &id),
            ("--weight", &weight),
        ] {
            if !list.is_empty() {
                self.option(option, &option_names(list));
            }
        }
        if project.release.shuffle == Some(true) && id.is_empty() {
            self.flag("--shuffled");
        }
        self
    }

    /// Adds how the file is read and what its columns are.
    pub fn columns(&mut self, read: &ReadArgs, roles: &RoleArgs) -> &mut Self {
        self.roles(read, roles, "--id")
    }

    /// As [`Line::columns`], where records will be named by number: the column that would
    /// name them is only left out.
    pub fn by_number(&mut self, read: &ReadArgs, roles: &RoleArgs) -> &mut Self {
        self.roles(read, roles, "--ignore")
    }

    fn roles(&mut self, read: &ReadArgs, roles: &RoleArgs, id: &str) -> &mut Self {
        let groups: [(&str, &[String]); 5] = [
            ("--delimiter", read.delimiter.as_slice()),
            ("--vars", &roles.vars),
            ("--stay", &roles.stay),
            ("--ignore", &roles.ignore),
            (id, roles.id.as_slice()),
        ];
        for (name, values) in groups {
            for value in values {
                self.option(name, value);
            }
        }
        self
    }

    /// Adds the tables to keep.
    pub fn keep(&mut self, tables: &[String], max_separators: usize) -> &mut Self {
        for table in tables {
            self.option("--keep", table);
        }
        if max_separators != MAX_SEPARATORS {
            self.option("--max-separators", &max_separators.to_string());
        }
        self
    }
}

impl fmt::Display for Line {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Names as an option lists them.
fn names(names: &[String]) -> String {
    let quoted = |name: &String| {
        let plain = !name.contains([',', '`']) && name.trim() == name;
        if plain { name.clone() } else { format!("`{}`", name.replace('`', "``")) }
    };
    names.iter().map(quoted).collect::<Vec<_>>().join(",")
}

/// The command that plans swaps for the records at risk, with what a project says of risk.
pub fn plan_line(data: &Path, project: &Project) -> String {
    let mut line = Line::new("plan", Some(data));
    let (risk, columns) = (&project.risk, &project.columns);
    let id: Vec<String> = columns.id.iter().cloned().collect();
    let weight: Vec<String> = project.swap.weight.iter().cloned().collect();
    for (option, list) in [
        ("--keys", &risk.keys),
        ("--vars", &columns.vars),
        ("--stay", &columns.stay),
        ("--ignore", &columns.ignore),
        ("--id", &id),
        ("--weight", &weight),
    ] {
        if !list.is_empty() {
            line.option(option, &names(list));
        }
    }
    let words = [
        ("--population", risk.population.map(|people| people.to_string())),
        ("--fraction", risk.fraction.map(|fraction| fraction.to_string())),
        ("--model", risk.model.as_ref().map(ToString::to_string)),
        ("--criterion", risk.criterion.map(|word| word.to_string())),
        ("--search", risk.search.map(|word| word.to_string())),
        ("--select", risk.select.map(|word| word.to_string())),
        ("--risky", Some(risk.risky.as_ref().map_or("top:50".to_owned(), ToString::to_string))),
    ];
    for (option, word) in words {
        if let Some(word) = word {
            line.option(option, &word);
        }
    }
    for table in &risk.start {
        line.option("--start", table);
    }
    for table in &project.keep.tables {
        line.option("--keep", table);
    }
    if project.keep.tables.is_empty() {
        line.0.push_str(" --keep TABLES");
    }
    line.0.push_str(" -o swap.plan");
    line.to_string()
}

/// The command that compares a released file with the original, with a project's tables,
/// keys and columns.
pub fn verify_line(before: &Path, after: &Path, project: &Project) -> String {
    let mut line = Line::new("verify", Some(before));
    line.file(after).comparison(project);
    line.to_string()
}

/// The command that follows a plan, with what a project says of the release.
pub fn apply_line(data: &Path, plan: &Path, project: &Project, seed: Option<&Path>) -> String {
    let mut line = Line::new("apply", Some(data));
    line.file(plan);
    if let Some(delimiter) = project.delimiter {
        line.option("--delimiter", &delimiter.to_string());
    }
    let release = &project.release;
    if !release.drop.is_empty() {
        line.option("--drop", &option_names(&release.drop));
    }
    if release.shuffle == Some(true) {
        line.flag("--shuffle");
        if let Some(seed) = seed {
            line.option("--seed-file", &seed.display().to_string());
        }
    }
    let out = release.out.as_deref().unwrap_or(Path::new("released.csv"));
    line.option("-o", &out.display().to_string());
    line.to_string()
}

/// Names as an option takes them.
pub fn option_names(names: &[String]) -> String {
    let quoted = |name: &String| {
        let plain = !name.contains([',', '`']) && name.trim() == name;
        if plain { name.clone() } else { format!("`{}`", name.replace('`', "``")) }
    };
    names.iter().map(quoted).collect::<Vec<_>>().join(",")
}

/// A file's name as a shell must be given it.
pub fn typed_path(path: &Path) -> String {
    typed(&path.display().to_string())
}

/// A word as a shell must be given it. What a terminal would obey is escaped; such a line
/// is to be read, not run.
fn typed(word: &str) -> String {
    let plain = |sign: char| sign.is_alphanumeric() || "/._-+=:,@%".contains(sign);
    let word = escaped(word);
    if !word.is_empty() && word.chars().all(plain) {
        word
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_the_shell() {
        assert_eq!(typed("survey.csv"), "survey.csv");
        assert_eq!(typed("a*b"), "'a*b'");
        assert_eq!(typed("it's"), r"'it'\''s'");
        assert_eq!(typed(""), "''");
        assert_eq!(
            Line::new("graph", Some(Path::new("-a b"))).to_string(),
            "marginswap graph './-a b'"
        );
        let mut line = Line::new("screen", None);
        assert_eq!(line.option("--keep", "-x").to_string(), "marginswap screen DATA --keep=-x");
    }
}

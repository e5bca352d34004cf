//! Results go to stdout, talk goes to stderr.

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use marginswap_core::diagnostic::{Diagnostic, escaped};
use marginswap_io::{
    Finished, Overwrite, Secrecy, Staged, are_named, exit_code_once_named, publish_all,
};
use marginswap_pipeline::refusal::Code;
use marginswap_report::protection::Verdict;
use marginswap_report::{Answer, Picture, Versioned};
use serde::Serialize;
use serde_json::json;

use crate::args::ForceArgs;
use crate::progress::Progress;
use crate::timings::{self, Timing};
use marginswap_pipeline::codes;
use marginswap_pipeline::notes::{Event, Flow, Run};
use marginswap_pipeline::outputs::stage;

/// How a command that came to its end ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Everything that was asked for is so.
    Done,
    /// It finished, but a gate is not met: risky records are left, or a table differs.
    GateNotMet,
}

impl Outcome {
    /// The exit code of a command that ended so.
    pub fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::GateNotMet => 1,
        }
    }
}

/// Gives all files of a command their names, or none: the one point after which everything is
/// done. From here on the command ends with the code of its outcome, whatever becomes of the
/// words about it.
///
/// # Errors
/// When a name cannot be given; then none is.
pub fn commit(files: Vec<Finished>, outcome: Outcome) -> Result<(), Diagnostic> {
    if files.is_empty() {
        return Ok(());
    }
    ends_once_named(outcome);
    publish_all(files)
}

/// Says how the command will end once its files have their names.
pub fn ends_once_named(outcome: Outcome) {
    exit_code_once_named(outcome.code());
}

/// Prints an answer as text or as JSON.
///
/// # Errors
/// When stdout cannot be written. A reader that stops reading is no error, and where the files
/// of the command have their names already nothing is one: they are complete.
pub fn give(answer: &impl Answer, json: bool) -> Result<(), Diagnostic> {
    let timings = timings::take();
    let mut text = if json {
        let text = is_driven().then(|| answer.text());
        let answer = Versioned::of(answer);
        let printed = match (&text, &timings) {
            (None, None) => serde_json::to_string_pretty(&answer),
            _ => {
                let more = More { answer, text, timings: timings.as_deref() };
                serde_json::to_string_pretty(&more)
            }
        };
        printed.expect("an answer is plain data")
    } else {
        answer.text()
    };
    if !text.ends_with('\n') {
        text.push('\n');
    }
    print(&text)?;
    if let Some(timings) = timings.filter(|_| !json) {
        talk(&timings::text(&timings));
    }
    Ok(())
}

/// An answer with what is told beside it.
#[derive(Serialize)]
struct More<'a, A> {
    #[serde(flatten)]
    answer: Versioned<'a, A>,
    /// Its text, for a program that shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// The time that each step took.
    #[serde(skip_serializing_if = "Option::is_none")]
    timings: Option<&'a [Timing]>,
}

/// Prints a text to stdout.
///
/// # Errors
/// As [`give`].
pub fn print(text: &str) -> Result<(), Diagnostic> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) if are_named() => {
            talk(&format!(
                "warning: the answer cannot be printed: {error}; the files are complete"
            ));
            Ok(())
        }
        Err(error) => Err(Diagnostic::new(
            Code::Unwritable,
            format!("the answer cannot be printed: {error}"),
            "see where the output goes",
        )),
        Ok(()) => Ok(()),
    }
}

/// A run whose notes are shown as they come, with a progress bar on a terminal.
pub fn run() -> Run<'static> {
    let mut progress = Progress::default();
    Run::watched(move |event| {
        match event {
            Event::Note(note) => progress.aside(|| talk(&note.to_string())),
            Event::Phase { phase, done, of } => {
                timings::begin(&phase.to_string());
                progress.begin(phase, done, of);
            }
        }
        Flow::Continue
    })
}

/// Says something that is no result: a warning, an error, the next step.
pub fn talk(text: &str) {
    // Where stderr is closed there is nobody to tell.
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Is the answer asked for as JSON? Known before anything else is understood, so that wrong
/// usage is reported in the same form.
pub fn is_json_asked_for() -> bool {
    std::env::args_os().any(|word| word == "--json")
}

/// Is another program at work here, which shows the answer in its own way? It wants the text
/// beside the JSON, and a line on stderr for each step in place of a bar.
pub fn is_driven() -> bool {
    std::env::var_os("MARGINSWAP_DRIVEN").is_some_and(|value| !value.is_empty())
}

/// Ends the program for wrong usage; with `--json` what is wrong is printed as JSON too.
pub fn end_for_usage(wrong: &clap::Error) -> ! {
    if is_json_asked_for() && wrong.use_stderr() {
        let text = wrong.render().to_string();
        let detail = text.lines().next().unwrap_or_default().trim_start_matches("error: ");
        let tip = text.lines().find_map(|line| line.trim_start().strip_prefix("tip: "));
        let error = json!({ "error": {
            "code": null,
            "title": "wrong usage",
            "file": null,
            "line": null,
            "byte": null,
            "column": null,
            "detail": detail,
            "remedy": tip.unwrap_or("`--help` lists what the command takes"),
            "exit_code": wrong.exit_code(),
        }});
        print_error(&error);
    }
    wrong.exit()
}

/// Shows a refusal; its head is coloured on a terminal, unless NO_COLOR asks for none. With
/// `--json` the same is printed as JSON.
pub fn refuse(error: &Diagnostic, json: bool) {
    if json {
        let (place, entry) = (&error.place, codes::entry(error.code));
        let error = json!({ "error": {
            "code": entry.to_string(),
            "title": entry.title,
            "file": place.file.as_ref().map(|file| file.display().to_string()),
            "line": place.line,
            "byte": place.byte,
            "column": place.column,
            "detail": error.detail,
            "remedy": codes::remedy(error),
            "exit_code": codes::exit_code(error),
        }});
        print_error(&error);
    }
    let text = codes::render(error);
    let coloured = io::stderr().is_terminal()
        && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    match text.split_once(':') {
        Some((head, rest)) if coloured => talk(&format!("\x1b[1;31m{head}\x1b[0m:{rest}")),
        _ => talk(&text),
    }
}

/// Prints an error as JSON; where stdout is closed, stderr says it still.
fn print_error(error: &serde_json::Value) {
    let error = serde_json::to_string_pretty(&Versioned::of(error));
    let _ = print(&format!("{}\n", error.expect("an error is plain data")));
}

/// A picture that is drawn when it is asked for.
pub struct Sketch<'a> {
    file: Option<&'a Path>,
    overwrite: Overwrite,
}

impl<'a> Sketch<'a> {
    /// A picture for this file, if one is named. Whether it may be written is looked at by
    /// [`Setup::guard`](crate::setup::Setup::guard).
    pub fn new(file: Option<&'a PathBuf>, force: &ForceArgs) -> Self {
        Self { file: file.map(PathBuf::as_path), overwrite: Overwrite::from_force(force.force) }
    }

    /// Draws what tells of the data, for its owner alone, and gives it its name.
    pub fn draw(
        &self,
        outcome: Outcome,
        picture: impl FnOnce() -> Picture,
    ) -> Result<(), Diagnostic> {
        commit(self.stage(Secrecy::Secret, picture)?.into_iter().collect(), outcome)?;
        self.tell();
        Ok(())
    }

    /// Draws what anybody may see, and gives it its name.
    pub fn draw_plain(&self, picture: impl FnOnce() -> Picture) -> Result<(), Diagnostic> {
        let file = self.stage(Secrecy::Plain, picture)?;
        commit(file.into_iter().collect(), Outcome::Done)?;
        self.tell();
        Ok(())
    }

    /// The picture, complete and not yet named.
    pub fn stage(
        &self,
        secrecy: Secrecy,
        picture: impl FnOnce() -> Picture,
    ) -> Result<Option<Finished>, Diagnostic> {
        let Some(file) = self.file else { return Ok(None) };
        stage(file, self.overwrite, secrecy, picture().file().as_bytes()).map(Some)
    }

    /// Says that the picture is there.
    pub fn tell(&self) {
        if let Some(file) = self.file {
            talk(&format!("{} holds the picture", file.display()));
        }
    }
}

/// A list of records that is written when it is asked for: as secret as the data.
pub struct Listing<'a> {
    file: Option<&'a Path>,
    overwrite: Overwrite,
    staged: Option<Finished>,
}

impl<'a> Listing<'a> {
    /// A list in this file, if one is named; as [`Sketch::new`].
    pub fn new(file: Option<&'a PathBuf>, force: &ForceArgs) -> Self {
        let overwrite = Overwrite::from_force(force.force);
        Self { file: file.map(PathBuf::as_path), overwrite, staged: None }
    }

    /// Writes the list completely, and does not name it yet.
    pub fn stage(
        &mut self,
        list: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Diagnostic> {
        let Some(file) = self.file else { return Ok(()) };
        let mut staged = Staged::create(file, self.overwrite, Secrecy::Secret)?;
        staged.fill(|out| {
            list(out).map_err(|error| {
                let why = marginswap_io::said(&error);
                Diagnostic::new(Code::Unwritable, why, "make room on the disk")
            })
        })?;
        self.staged = Some(staged.finish()?);
        Ok(())
    }

    /// Gives the list its name.
    pub fn commit(self, outcome: Outcome) -> Result<(), Diagnostic> {
        commit(self.staged.into_iter().collect(), outcome)?;
        if let Some(file) = self.file {
            talk(&format!(
                "{} has a line for each record: keep it as secret as the data",
                file.display()
            ));
        }
        Ok(())
    }
}

/// The refusal of a command that lacks a setting.
pub fn missing(detail: &str, remedy: &str) -> Diagnostic {
    Diagnostic::new(Code::MissingSetting, detail, remedy)
}

/// Only a yes of the gate is one.
pub fn outcome_of(verdict: Verdict) -> Outcome {
    match verdict {
        Verdict::Release => Outcome::Done,
        Verdict::Review | Verdict::DoNotRelease => Outcome::GateNotMet,
    }
}

/// The next step to take.
pub fn next(step: &str) {
    talk(&format!("next: {step}"));
}

/// A command of this program as it can be typed into a shell, and the options that it lacks
/// because they hold values of the data.
pub struct Line {
    text: String,
    left_out: Vec<String>,
}

impl Line {
    /// The beginning of a command.
    pub fn new(command: &str) -> Self {
        Self { text: format!("marginswap {command}"), left_out: Vec::new() }
    }

    /// Adds a word as it is.
    pub fn word(&mut self, word: &str) -> &mut Self {
        self.text.push_str(&format!(" {word}"));
        self
    }

    /// Adds a file.
    pub fn file(&mut self, path: &Path) -> &mut Self {
        let dashed = path.as_os_str().as_encoded_bytes().starts_with(b"-");
        let path = if dashed { &Path::new(".").join(path) } else { path };
        self.word(&typed(&path.display().to_string()))
    }

    /// Adds an option with its value.
    pub fn option(&mut self, name: &str, value: &str) -> &mut Self {
        let joint = if value.starts_with('-') { "=" } else { " " };
        self.word(&format!("{name}{joint}{}", typed(value)))
    }

    /// Says that an option is to be added which is not shown.
    pub fn leave_out(&mut self, name: String) -> &mut Self {
        self.left_out.push(name);
        self
    }

    /// Adds an option without a value.
    pub fn flag(&mut self, name: &str) -> &mut Self {
        self.word(name)
    }
}

impl fmt::Display for Line {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)?;
        if self.left_out.is_empty() {
            return Ok(());
        }
        let options = self.left_out.join(" and ");
        write!(formatter, "\n      # add {options} as you gave it: values are not repeated here")
    }
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
        let mut line = Line::new("graph");
        assert_eq!(line.file(Path::new("-a b")).to_string(), "marginswap graph './-a b'");
        let mut line = Line::new("screen");
        assert_eq!(line.option("--keep", "-x").to_string(), "marginswap screen --keep=-x");
        let told = line.leave_out("--rule".to_owned()).to_string();
        assert!(told.starts_with("marginswap screen --keep=-x\n") && told.contains("add --rule"));
    }
}

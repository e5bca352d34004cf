//! Results go to stdout, talk goes to stderr.

use std::io::{self, Write};
use std::path::Path;

use marginswap_core::diagnostic::{Code, Diagnostic};
use marginswap_report::Answer;

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

/// Says something that is no result: a warning, an error, the next step.
pub fn talk(text: &str) {
    // Where stderr is closed there is nobody to tell.
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// The next step to take.
pub fn next(step: &str) {
    talk(&format!("next: {step}"));
}

/// A path as it would be typed again.
pub fn typed(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |sign: char| sign.is_alphanumeric() || "/._-+=:,@%".contains(sign);
    if text.chars().all(plain) { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

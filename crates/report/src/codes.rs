//! What `explain` answers about error codes.

use serde::Serialize;

use crate::answer::{Answer, aligned_left};

/// How places are counted in every message.
pub const COUNTING: &str = "Bytes are counted from 0; lines, columns and records from 1.";

/// What one code means.
#[derive(Debug, Clone, Serialize)]
pub struct CodeReport {
    /// The code, as `E203`.
    pub code: String,
    /// What it means, in a few words.
    pub title: &'static str,
    /// What it means, why it is refused and what helps.
    pub explanation: &'static str,
    /// How places are counted.
    pub counting: &'static str,
    /// The exit code of the program when it stops with it.
    pub exit_code: u8,
}

impl Answer for CodeReport {
    fn text(&self) -> String {
        let Self { code, title, explanation, counting, exit_code } = self;
        format!("{code}: {title}\n\n{explanation}\n\n{counting} Exit code {exit_code}.\n")
    }
}

/// Every code there is.
#[derive(Debug, Clone, Serialize)]
pub struct CodesReport {
    /// In rising order.
    pub codes: Vec<CodeReport>,
}

impl Answer for CodesReport {
    fn text(&self) -> String {
        let rows: Vec<Vec<String>> =
            self.codes.iter().map(|code| vec![code.code.clone(), code.title.to_owned()]).collect();
        aligned_left(&rows)
    }
}

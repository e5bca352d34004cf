//! An answer into JSON, text and a picture.

use marginswap_report::{Answer as Shown, Picture, Versioned};
use pyo3::prelude::*;

/// What a function answers; Python makes a class of its own from it.
#[pyclass(frozen, get_all, module = "marginswap")]
pub struct Answer {
    json: String,
    text: String,
    svg: Option<String>,
    notes: Vec<String>,
}

impl Answer {
    /// An answer with its notes.
    pub fn new(answer: &impl Shown, picture: Option<&Picture>, notes: Vec<String>) -> Self {
        Self {
            json: serde_json::to_string(&Versioned::of(answer)).expect("an answer is plain data"),
            text: answer.text(),
            svg: picture.map(Picture::file),
            notes,
        }
    }

    /// The same with notes.
    pub fn noted(self, notes: Vec<String>) -> Self {
        Self { notes, ..self }
    }
}

//! Long texts of Stata (strL): a cell holds the variable and the observation that first had the text.
//!
//! Trap: the observation is a place in the input. In a new order it would tell where a record was,
//! so every text is then referred to by the first place that it has in the new file.

use std::collections::BTreeMap;

use marginswap_core::diagnostic::Diagnostic;

use super::header::{Header, Sections};
use crate::input_file::{InputFile, not_read};
use crate::refusal::Code;
use crate::rows::cursor::Cursor;
use crate::rows::damaged;

/// Where each long text is.
pub(super) struct LongTexts {
    /// By variable and observation.
    pub(super) places: BTreeMap<(u64, u64), LongText>,
    start: u64,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct LongText {
    /// Where its contents begin, after its own head.
    pub(super) at: u64,
    pub(super) length: u64,
    /// Whether it is text or any bytes.
    pub(super) kind: u8,
}

/// The bytes before the contents of a long text: `GSO`, variable, observation, kind, length.
pub(super) fn bytes_of_head(version: u16) -> u64 {
    if version == 117 { 3 + 4 + 4 + 1 + 4 } else { 3 + 4 + 8 + 1 + 4 }
}

/// Finds every long text.
pub(super) fn index(
    file: &InputFile,
    header: &Header,
    sections: &Sections,
) -> Result<LongTexts, Diagnostic> {
    let (start, length) = sections.strls;
    let end = start + length;
    let mut cursor = Cursor { file, at: start, order: header.order, code: Code::BadStata };
    let mut places = BTreeMap::new();
    while cursor.at < end {
        let head = cursor.take(bytes_of_head(header.version), "a long text")?;
        let observation = if header.version == 117 { 7..11 } else { 7..15 };
        let kind = head[observation.end];
        let length = cursor.order.unsigned(&head[observation.end + 1..]);
        let key = (cursor.order.unsigned(&head[3..7]), cursor.order.unsigned(&head[observation]));
        let is_one = head.starts_with(b"GSO") && matches!(kind, 129 | 130);
        if !is_one || cursor.at.checked_add(length).is_none_or(|behind| behind > end) {
            return Err(cursor.bad("the head of a long text was expected before this place"));
        }
        places.insert(key, LongText { at: cursor.at, length, kind });
        cursor.at += length;
    }
    Ok(LongTexts { places, start })
}

impl LongTexts {
    /// A long text; the empty one is nowhere.
    pub(super) fn text(&self, file: &InputFile, key: (u64, u64)) -> Result<Vec<u8>, Diagnostic> {
        if key == (0, 0) {
            return Ok(Vec::new());
        }
        let LongText { at, length, kind } = self.find(key)?;
        let mut bytes = file.piece(at, length).map_err(|error| not_read(&error))?;
        // A text ends with a NUL.
        if kind == 130 && bytes.last() == Some(&0) {
            bytes.pop();
        }
        Ok(bytes)
    }

    pub(super) fn find(&self, key: (u64, u64)) -> Result<LongText, Diagnostic> {
        let found = self.places.get(&key).copied();
        found.ok_or_else(|| {
            damaged(Code::BadStata, self.start, "a cell refers to a long text that is not here")
        })
    }
}

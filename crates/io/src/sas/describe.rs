//! The description of a transport file.

use std::ops::Range;

use marginswap_core::diagnostic::Diagnostic;

use super::RECORD;
use crate::input_file::{InputFile, not_read};
use crate::refusal::Code;
use crate::rows::cursor::{Cursor, Order};

/// The bytes of a variable's description.
const NAMESTR: u64 = 140;

/// What comes before the observations.
pub(super) struct Description {
    /// All bytes before the descriptions of variables.
    pub(super) head: Vec<u8>,
    pub(super) variables_at: u64,
    pub(super) variables: Vec<Variable>,
    /// The header of long labels, of version 8, and the labels.
    pub(super) labels: Option<(Vec<u8>, Vec<Label>)>,
    /// The header of the observations.
    pub(super) end: Vec<u8>,
    pub(super) rows_start: u64,
    is_long: bool,
}

/// The description of a variable, as it lies in the file.
pub(super) struct Variable {
    pub(super) bytes: Vec<u8>,
    is_long: bool,
}

/// A long label, as it lies in the file.
pub(super) struct Label {
    pub(super) variable: u64,
    pub(super) bytes: Vec<u8>,
    pub(super) text: Range<usize>,
}

fn number(bytes: &[u8]) -> usize {
    usize::try_from(Order::Big.unsigned(bytes)).expect("it has four bytes at most")
}

fn trimmed(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|&byte| byte != b' ' && byte != 0).map_or(0, |last| last + 1);
    &text[..end]
}

impl Variable {
    pub(super) fn is_text(&self) -> bool {
        number(&self.bytes[..2]) == 2
    }

    pub(super) fn span(&self) -> Range<usize> {
        let start = number(&self.bytes[84..88]);
        start..start + number(&self.bytes[4..6])
    }

    fn number(&self) -> u64 {
        Order::Big.unsigned(&self.bytes[6..8])
    }

    pub(super) fn name(&self) -> &[u8] {
        let long = trimmed(&self.bytes[88..120]);
        let has_long = self.is_long && !long.is_empty();
        if has_long { long } else { trimmed(&self.bytes[8..16]) }
    }
}

impl Description {
    pub(super) fn label<'a>(&'a self, variable: &'a Variable) -> &'a [u8] {
        let long = self.labels.iter().flat_map(|(_, labels)| labels);
        let mut long = long.filter(|label| self.is_long && label.variable == variable.number());
        let found = long.next().map(|label| &label.bytes[label.text.clone()]);
        trimmed(found.unwrap_or(&variable.bytes[16..56]))
    }
}

/// Reads all that comes before the observations.
pub(super) fn read(file: &InputFile) -> Result<Description, Diagnostic> {
    let mut cursor = Cursor { file, at: 0, order: Order::Big, code: Code::BadSas };
    let library = header(&mut cursor, &["LIBRARY", "LIBV8", "LIBV9"])?.1;
    cursor.skip(2 * RECORD, "the header of the library")?;
    let (member, _) = header(&mut cursor, &["MEMBER", "MEMBV8"])?;
    // On a VAX it is 136.
    if digits(&member[74..78]) != Some(NAMESTR) {
        cursor.at -= 6;
        return Err(cursor.bad("the length of a variable's description, 140, was expected here"));
    }
    header(&mut cursor, &["DSCRPTR", "DSCPTV8"])?;
    cursor.skip(2 * RECORD, "the header of the data set")?;
    let (names, _) = header(&mut cursor, &["NAMESTR", "NAMSTV8"])?;
    let Some(count) = digits(&names[53..58]).filter(|&count| count > 0) else {
        cursor.at -= RECORD - 53;
        return Err(cursor.bad("the number of variables was expected here"));
    };
    let variables_at = cursor.at;
    let head = file.piece(0, variables_at).map_err(|error| not_read(&error))?;
    let is_long = library > 0;
    let mut variables = Vec::new();
    for _ in 0..count {
        let at = cursor.at;
        let bytes = cursor.take(NAMESTR, "the description of a variable")?;
        let kind = number(&bytes[..2]);
        let length = number(&bytes[4..6]);
        let is_sound = match kind {
            1 => (2..=8).contains(&length),
            2 => (1..=32_767).contains(&length),
            _ => false,
        };
        if !is_sound {
            cursor.at = at;
            return Err(cursor.bad("the description of a number or a text was expected here"));
        }
        variables.push(Variable { bytes, is_long });
    }
    fill(&mut cursor, variables_at)?;
    let mut labels = None;
    let (mut end, mut which) = header(&mut cursor, &["OBS", "OBSV8", "LABELV8", "LABELV9"])?;
    if which >= 2 {
        let widths = if which == 2 { 3 } else { 5 };
        let count = digits(&end[48..53]).unwrap_or(0);
        let found = long_labels(&mut cursor, count, widths)?;
        labels = Some((end, found));
        (end, which) = header(&mut cursor, &["OBS", "OBSV8"])?;
    }
    debug_assert!(which < 2);
    let rows_start = cursor.at;
    Ok(Description { head, variables_at, variables, labels, end, rows_start, is_long })
}

/// A header with one of these names, and which.
fn header(cursor: &mut Cursor<'_>, names: &[&str]) -> Result<(Vec<u8>, usize), Diagnostic> {
    let at = cursor.at;
    let record = cursor.take(RECORD, &format!("the header `{}`", names[0]))?;
    let own = record.strip_prefix(b"HEADER RECORD*******").map(|rest| trimmed(&rest[..8]));
    match names.iter().position(|name| own == Some(name.as_bytes())) {
        Some(which) => Ok((record, which)),
        None => {
            cursor.at = at;
            Err(cursor.bad(&format!("the header `{}` was expected here", names[0])))
        }
    }
}

fn digits(text: &[u8]) -> Option<u64> {
    str::from_utf8(text).ok()?.trim().parse().ok()
}

/// Passes over what fills the last 80 bytes since this place.
fn fill(cursor: &mut Cursor<'_>, since: u64) -> Result<(), Diagnostic> {
    let length = cursor.at - since;
    cursor.skip(length.next_multiple_of(RECORD) - length, "what fills a record up")
}

fn long_labels(
    cursor: &mut Cursor<'_>,
    count: u64,
    widths: usize,
) -> Result<Vec<Label>, Diagnostic> {
    let since = cursor.at;
    let mut found = Vec::new();
    for _ in 0..count {
        let head = cursor.take(2 * widths as u64, "a long label")?;
        let lengths: Vec<usize> = head.chunks_exact(2).map(number).collect();
        let length: usize = lengths[1..].iter().sum();
        let contents = cursor.take(length as u64, "a long label")?;
        let text = head.len() + lengths[1]..head.len() + lengths[1] + lengths[2];
        let bytes = [head, contents].concat();
        found.push(Label { variable: lengths[0] as u64, bytes, text });
    }
    fill(cursor, since)?;
    Ok(found)
}

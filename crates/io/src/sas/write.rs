//! A transport file once more, around other observations.

use std::io::Write;

use marginswap_core::diagnostic::Diagnostic;

use super::describe::Label;
use super::{RECORD, Transport};
use crate::atomic::unwritable;
use crate::input_file::not_read;
use crate::rows::{Change, RowFile, RowWriter};

/// Takes the observations of the new file.
pub(super) struct Writer<'a> {
    out: &'a mut (dyn Write + Send),
    /// What comes after the last observation.
    rest: Vec<u8>,
}

impl<'a> Writer<'a> {
    pub(super) fn begin(
        transport: &'a Transport,
        rows: &'a RowFile,
        change: &'a Change,
        out: &'a mut (dyn Write + Send),
    ) -> Result<Self, Diagnostic> {
        let head = match change.keeps_all() {
            true => rows.file.piece(0, transport.description.rows_start),
            false => Ok(description(transport, change)),
        };
        let head = head.map_err(|error| not_read(&error))?;
        out.write_all(&head).map_err(|error| unwritable(&error))?;
        let data = |width: usize| transport.records * width as u64;
        let rest = match change.keeps_all() {
            true => {
                let end = transport.description.rows_start + data(transport.width);
                let length = rows.file.length() - end;
                rows.file.piece(end, length).map_err(|error| not_read(&error))?
            }
            false => {
                let width = change.kept.iter().map(|&column| rows.fields[column].span.len()).sum();
                let fill = data(width).next_multiple_of(RECORD) - data(width);
                vec![b' '; usize::try_from(fill).expect("it is short")]
            }
        };
        Ok(Self { out, rest })
    }
}

impl RowWriter for Writer<'_> {
    fn put(&mut self, rows: &[u8]) -> Result<(), Diagnostic> {
        self.out.write_all(rows).map_err(|error| unwritable(&error))
    }

    fn finish(self: Box<Self>) -> Result<(), Diagnostic> {
        self.out.write_all(&self.rest).map_err(|error| unwritable(&error))
    }
}

/// What comes before the observations, for the columns that are written.
fn description(transport: &Transport, change: &Change) -> Vec<u8> {
    let description = &transport.description;
    let mut head = description.head.clone();
    // The number of variables is in the last header.
    let at = head.len() - 80 + 53;
    head[at..at + 5].copy_from_slice(format!("{:05}", change.kept.len()).as_bytes());
    let left_out = |column: &usize| !change.keeps(*column);
    let gaps: Vec<_> = (0..description.variables.len())
        .filter(left_out)
        .map(|column| description.variables[column].span())
        .collect();
    let since = head.len();
    let mut new_numbers = Vec::new();
    for (place, &column) in change.kept.iter().enumerate() {
        let variable = &description.variables[column];
        let mut bytes = variable.bytes.clone();
        let start = variable.span().start;
        let before: usize =
            gaps.iter().filter(|gap| gap.start < start).map(ExactSizeIterator::len).sum();
        let number = u16::try_from(place + 1).unwrap_or(u16::MAX);
        let new_start = u32::try_from(start - before).expect("a record is short");
        let old = u64::from(bytes[6]) << 8 | u64::from(bytes[7]);
        new_numbers.push((old, number));
        bytes[6..8].copy_from_slice(&number.to_be_bytes());
        bytes[84..88].copy_from_slice(&new_start.to_be_bytes());
        head.extend(bytes);
    }
    fill(&mut head, since);
    if let Some((header, labels)) = &description.labels {
        put_labels(header, labels, &new_numbers, &mut head);
    }
    head.extend_from_slice(&description.end);
    head
}

fn put_labels(header: &[u8], labels: &[Label], numbers: &[(u64, u16)], head: &mut Vec<u8>) {
    let number = |label: &Label| {
        let found = numbers.iter().find(|(old, _)| *old == label.variable);
        found.map(|&(_, new)| new)
    };
    let mut header = header.to_vec();
    let kept: Vec<_> = labels.iter().filter(|label| number(label).is_some()).collect();
    if kept.is_empty() {
        return;
    }
    header[48..53].copy_from_slice(format!("{:05}", kept.len()).as_bytes());
    head.extend_from_slice(&header);
    let since = head.len();
    for label in kept {
        let at = head.len();
        head.extend_from_slice(&label.bytes);
        if let Some(new) = number(label) {
            head[at..at + 2].copy_from_slice(&new.to_be_bytes());
        }
    }
    fill(head, since);
}

/// Fills the last record up with spaces.
fn fill(bytes: &mut Vec<u8>, since: usize) {
    let length = bytes.len() - since;
    bytes.resize(since + length.next_multiple_of(80), b' ');
}

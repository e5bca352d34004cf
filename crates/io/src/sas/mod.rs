//! SAS transport files (.xpt) of versions 5 and 8, with one data set.
//!
//! Everything lies in records of 80 bytes: headers that are told by their words, descriptions of
//! variables (NAMESTR) of 140 bytes, and observations one after the other, filled up with spaces.
//!
//! Trap: how many observations there are is not written. What fills the last 80 bytes up may look
//! like observations of spaces: such ones that lie wholly within the last 79 bytes are none, as in
//! SAS.
//!
//! Source: SAS technical note TS-140, and the record layout of the version 8 and 9 transport format.
//!
//! Way in: [`open`].

mod describe;
mod write;

use std::io::{Read, Write};

use marginswap_core::diagnostic::Diagnostic;

use crate::header::check_names;
use crate::input_file::{InputFile, not_read};
use crate::refusal::Code;
use crate::rows::kind::{Encoding, Kind, Text};
use crate::rows::labels::Labels;
use crate::rows::{
    Change, Field, Layout, PlainRows, RowFile, RowWriter, Rows, check_number, damaged,
};
use crate::source::Format;
use describe::Description;

/// Everything is counted in these.
const RECORD: u64 = 80;

/// Is this the beginning of a transport file?
pub(crate) fn is_transport(first: &[u8]) -> bool {
    first.starts_with(b"HEADER RECORD*******LIB")
}

/// Reads the description of a transport file.
pub(crate) fn open(file: InputFile) -> Result<RowFile, Diagnostic> {
    let description = describe::read(&file)?;
    let names: Vec<String> =
        description.variables.iter().map(|one| Encoding::Bytes.text(one.name())).collect();
    check_names(&names).map_err(|bad| bad.diagnostic)?;
    let text = || Text { parts: Vec::new(), padding: b' ', encoding: Encoding::Bytes };
    let fields: Vec<Field> = description
        .variables
        .iter()
        .map(|one| {
            let kind = if one.is_text() { Kind::Text(text()) } else { Kind::SasNumber };
            Field { span: one.span(), kind }
        })
        .collect();
    let width = check_spans(&fields, description.variables_at)?;
    let start = description.rows_start;
    let records = count_rows(&file, start, width)?;
    check_number(records)?;
    let mut labels = Labels::none(fields.len());
    for (own, variable) in labels.columns.iter_mut().zip(&description.variables) {
        let label = description.label(variable);
        own.label = (!label.is_empty()).then(|| Encoding::Bytes.text(label));
    }
    let format = Format::SasTransport;
    let layout = Box::new(Transport { description, records, width });
    Ok(RowFile { file, format, names, fields, width, labels, layout })
}

/// The width of a record: every byte of it belongs to one variable.
fn check_spans(fields: &[Field], at: u64) -> Result<usize, Diagnostic> {
    let mut spans: Vec<_> = fields.iter().map(|field| field.span.clone()).collect();
    spans.sort_by_key(|span| span.start);
    let mut end = 0;
    for span in spans {
        if span.start != end {
            let expected = "variables that lie one after the other were expected here";
            return Err(damaged(Code::BadSas, at, expected));
        }
        end = span.end;
    }
    match end {
        0 => Err(damaged(Code::BadSas, at, "a variable was expected here")),
        width => Ok(width),
    }
}

/// How many observations there are; a second data set is refused.
fn count_rows(file: &InputFile, start: u64, width: usize) -> Result<u64, Diagnostic> {
    let mut bytes = file.bytes_from(start);
    let mut block = vec![0; 80 << 14];
    let mut at = start;
    loop {
        let mut length = 0;
        while length < block.len() {
            match bytes.read(&mut block[length..]).map_err(|error| not_read(&error))? {
                0 => break,
                read => length += read,
            }
        }
        if length == 0 {
            break;
        }
        for (number, record) in block[..length].chunks(80).enumerate() {
            if record.starts_with(b"HEADER RECORD*******MEMB") {
                let mut refusal = Diagnostic::new(
                    Code::OldStatistics,
                    "the file holds several data sets, one is read",
                    "write each data set to a transport file of its own",
                );
                refusal.place.byte = Some(at + number as u64 * RECORD);
                return Err(refusal);
            }
        }
        at += length as u64;
    }
    let room = file.length() - start;
    let width = width as u64;
    let mut records = room / width;
    let last = file.piece(file.length().saturating_sub(79).max(start), 79);
    let last = last.map_err(|error| not_read(&error))?;
    let from = file.length() - last.len() as u64;
    while records > 0 {
        let begin = start + (records - 1) * width;
        let is_blank = usize::try_from(begin.wrapping_sub(from)).ok().filter(|_| begin >= from);
        let is_blank = is_blank.is_some_and(|begin| last[begin..].iter().all(|&one| one == b' '));
        if !is_blank {
            break;
        }
        records -= 1;
    }
    Ok(records)
}

struct Transport {
    description: Description,
    records: u64,
    width: usize,
}

impl Layout for Transport {
    fn rows<'a>(&'a self, rows: &'a RowFile) -> Result<Box<dyn Rows + Send + 'a>, Diagnostic> {
        let start = self.description.rows_start;
        Ok(Box::new(PlainRows::new(&rows.file, start, self.records, self.width)))
    }

    fn writer<'a>(
        &'a self,
        rows: &'a RowFile,
        change: &'a Change,
        out: &'a mut (dyn Write + Send),
    ) -> Result<Box<dyn RowWriter + Send + 'a>, Diagnostic> {
        Ok(Box::new(write::Writer::begin(self, rows, change, out)?))
    }
}

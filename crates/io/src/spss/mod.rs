//! SPSS system files (.sav, .zsav): plain records, packed ones, and those packed again with zlib.
//!
//! Sources: "System File Format" of the developers' guide of PSPP.
//!
//! Way in: [`open`].

mod codes;
mod dictionary;
mod labels;
mod write;

use std::io::{Read, Write};

use marginswap_core::diagnostic::Diagnostic;

use crate::header::check_names;
use crate::input_file::InputFile;
use crate::refusal::Code;
use crate::rows::kind::{Kind, Text};
use crate::rows::{
    Change, Field, Layout, PlainRows, RowFile, RowWriter, Rows, check_number, damaged,
};
use crate::source::Format;
use codes::{Blocks, PackedRows, Style};
use dictionary::{Dictionary, Packing};

/// Is this the beginning of an SPSS file?
pub(crate) fn is_spss(first: &[u8]) -> bool {
    matches!(first, [b'$', b'F', b'L', b'2' | b'3', b'@', b'(', b'#', b')', ..])
}

/// Reads the dictionary of an SPSS file.
pub(crate) fn open(file: InputFile) -> Result<RowFile, Diagnostic> {
    let mut dictionary = dictionary::read(&file)?;
    let encoding = dictionary.encoding;
    let names: Vec<String> =
        dictionary.variables.iter().map(|one| encoding.text(&one.name)).collect();
    check_names(&names).map_err(|bad| bad.diagnostic)?;
    let columns = 0..dictionary.variables.len();
    let fields: Vec<Field> = columns
        .map(|column| {
            let kind = match dictionary.variables[column].length {
                0 => Kind::SpssNumber(dictionary.order),
                _ => {
                    let parts = dictionary.parts(column);
                    Kind::Text(Text { parts, padding: b' ', encoding })
                }
            };
            Field { span: dictionary.span(column), kind }
        })
        .collect();
    let (start, width) = (dictionary.rows_start, dictionary.width);
    if width == 0 {
        return Err(damaged(Code::BadSpss, start, "a variable was expected before this place"));
    }
    let room = file.length() - start;
    if dictionary.packing == Packing::Plain {
        let fitting = room / width as u64;
        let cases = dictionary.cases.unwrap_or(fitting);
        if cases > fitting {
            let expected = format!("{cases} records of {width} bytes were expected here");
            return Err(damaged(Code::BadSpss, start, &expected));
        }
        dictionary.cases = Some(cases);
        check_number(cases)?;
    }
    let labels = labels::labels(&dictionary, &fields)?;
    let format = Format::Spss;
    let layout = Box::new(Spss { dictionary, style: Style::default() });
    Ok(RowFile { file, format, names, fields, width, labels, layout })
}

struct Spss {
    dictionary: Dictionary,
    style: Style,
}

impl Layout for Spss {
    fn rows<'a>(&'a self, rows: &'a RowFile) -> Result<Box<dyn Rows + Send + 'a>, Diagnostic> {
        let Dictionary { packing, rows_start, cases, width, .. } = self.dictionary;
        let bytes: Box<dyn Read + Send + 'a> = match packing {
            Packing::Plain => {
                let cases = cases.expect("it was counted when the file was opened");
                return Ok(Box::new(PlainRows::new(&rows.file, rows_start, cases, width)));
            }
            Packing::Codes => Box::new(rows.file.bytes_from(rows_start)),
            Packing::Zlib => Box::new(Blocks::open(&rows.file, &self.dictionary)?),
        };
        Ok(Box::new(PackedRows::new(bytes, &self.dictionary, &self.style)))
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

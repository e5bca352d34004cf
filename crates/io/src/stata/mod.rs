//! Stata files (.dta) of formats 113 to 119, which Stata 8 to 18 write.
//!
//! A description (variables, their storage types, formats and labels), notes and characteristics,
//! records of one width, texts that do not fit into records (strL), and value labels. Everything
//! but the cells is copied; see [`write`] for what must change with them.
//!
//! Sources: the help files `dta_113` to `dta_119` of Stata.
//!
//! Way in: [`open`].

mod describe;
mod header;
mod strls;
mod write;

use std::io::Write;
use std::sync::OnceLock;

use marginswap_core::diagnostic::Diagnostic;

use crate::header::check_names;
use crate::input_file::InputFile;
use crate::refusal::Code;
use crate::rows::{
    Change, Field, Layout, PlainRows, RowFile, RowWriter, Rows, check_number, damaged,
};
use crate::source::Format;
use header::Header;
use strls::LongTexts;

/// Is this the beginning of a Stata file that is read here?
pub(crate) fn is_stata(first: &[u8]) -> bool {
    first.starts_with(b"<stata_dta>") || matches!(first, [113..=115, 1 | 2, 1, _, ..])
}

/// Reads the description of a Stata file.
pub(crate) fn open(file: InputFile) -> Result<RowFile, Diagnostic> {
    let header = header::read(&file)?;
    let names: Vec<String> =
        header.names().iter().map(|name| header.encoding().text(name)).collect();
    check_names(&names).map_err(|bad| bad.diagnostic)?;
    check_number(header.records)?;
    let mut fields = Vec::with_capacity(names.len());
    let mut at = 0;
    for kind in 0..names.len() {
        let (width, kind) = header.kind(kind)?;
        fields.push(Field { span: at..at + width, kind });
        at += width;
    }
    if at == 0 {
        return Err(damaged(Code::BadStata, header.rows_start, "a variable was expected"));
    }
    let data = header.records.checked_mul(at as u64);
    let end = data.and_then(|data| data.checked_add(header.rows_start));
    let Some(rows_end) = end.filter(|&end| end <= file.length()) else {
        let expected = format!("{} records of {at} bytes were expected here", header.records);
        return Err(damaged(Code::BadStata, header.rows_start, &expected));
    };
    let sections = header::sections(&file, &header, rows_end)?;
    let labels = describe::labels(&file, &header, &sections, &fields)?;
    let layout = Stata { header, sections, width: at, long_texts: OnceLock::new() };
    Ok(RowFile {
        file,
        format: Format::Stata,
        names,
        fields,
        width: at,
        labels,
        layout: Box::new(layout),
    })
}

struct Stata {
    header: Header,
    sections: header::Sections,
    width: usize,
    /// Where the long texts are, as soon as one is asked for.
    long_texts: OnceLock<LongTexts>,
}

impl Stata {
    fn long_texts(&self, file: &InputFile) -> Result<&LongTexts, Diagnostic> {
        if let Some(known) = self.long_texts.get() {
            return Ok(known);
        }
        let found = strls::index(file, &self.header, &self.sections)?;
        Ok(self.long_texts.get_or_init(|| found))
    }
}

impl Layout for Stata {
    fn rows<'a>(&'a self, rows: &'a RowFile) -> Result<Box<dyn Rows + Send + 'a>, Diagnostic> {
        let Header { rows_start, records, .. } = self.header;
        Ok(Box::new(PlainRows::new(&rows.file, rows_start, records, self.width)))
    }

    fn long_text(&self, rows: &RowFile, cell: &[u8]) -> Result<Vec<u8>, Diagnostic> {
        let key = self.header.reference(cell);
        self.long_texts(&rows.file)?.text(&rows.file, key)
    }

    fn writer<'a>(
        &'a self,
        rows: &'a RowFile,
        change: &'a Change,
        out: &'a mut (dyn Write + Send),
    ) -> Result<Box<dyn RowWriter + Send + 'a>, Diagnostic> {
        let writer = write::Writer::begin(self, rows, change, out)?;
        Ok(Box::new(writer))
    }
}

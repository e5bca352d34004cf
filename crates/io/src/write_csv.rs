//! A CSV file from columns that no file had before: drawn records.
//!
//! A field has quotes where it needs them and nowhere else, lines end with a line feed, and the bytes
//! are the same for every number of threads.
//!
//! Way in: [`write_csv`].
//!
//! Law: `written-columns-read-back`.

use std::io::Write;

use flate2::GzBuilder;
use marginswap_core::diagnostic::Diagnostic;
use rayon::prelude::*;

use crate::as_written::put_quoted;
use crate::atomic::unwritable;
use crate::delimiter::Delimiter;
use crate::source::Compression;

/// Lines that one thread writes before it takes more.
const AT_ONCE: usize = 1 << 14;

/// As many pieces are held in memory at once.
const PIECES: usize = 64;

/// A column to write.
pub struct CsvColumn<'a> {
    /// Its name.
    pub name: &'a str,
    /// The text of each code.
    pub categories: Vec<&'a [u8]>,
    /// The code of each record.
    pub codes: Vec<u32>,
}

/// Writes a file of these columns.
///
/// # Errors
/// [`Code::Unwritable`](crate::refusal::Code::Unwritable) when `out` fails.
///
/// # Panics
/// When the columns are not equally long, or a code has no text.
pub fn write_csv(
    columns: &[CsvColumn<'_>],
    delimiter: Delimiter,
    packing: Compression,
    out: &mut (dyn Write + Send),
) -> Result<(), Diagnostic> {
    match packing {
        Compression::Plain => lines(columns, delimiter.byte(), out),
        Compression::Gzip => {
            let mut packed = GzBuilder::new().write(&mut *out, flate2::Compression::default());
            lines(columns, delimiter.byte(), &mut packed)?;
            packed.finish().map(drop).map_err(|error| unwritable(&error))
        }
    }
}

fn lines(columns: &[CsvColumn<'_>], delimiter: u8, out: &mut dyn Write) -> Result<(), Diagnostic> {
    let records = columns.first().map_or(0, |column| column.codes.len());
    assert!(columns.iter().all(|column| column.codes.len() == records), "records are whole");
    let alone = columns.len() == 1;
    let mut head = Vec::new();
    for (place, column) in columns.iter().enumerate() {
        put(column.name.as_bytes(), (delimiter, alone), place, &mut head);
    }
    head.push(b'\n');
    let fields: Vec<Vec<Vec<u8>>> = columns
        .iter()
        .enumerate()
        .map(|(place, column)| {
            let field = |category: &&[u8]| {
                let mut field = Vec::new();
                put(category, (delimiter, alone), place, &mut field);
                field
            };
            column.categories.iter().map(field).collect()
        })
        .collect();
    let write = |out: &mut dyn Write, bytes: &[u8]| {
        out.write_all(bytes).map_err(|error| unwritable(&error))
    };
    write(out, &head)?;
    let piece = |first: usize| {
        let mut text = Vec::new();
        for record in first..records.min(first + AT_ONCE) {
            for (column, fields) in columns.iter().zip(&fields) {
                text.extend_from_slice(&fields[column.codes[record] as usize]);
            }
            text.push(b'\n');
        }
        text
    };
    let firsts: Vec<usize> = (0..records).step_by(AT_ONCE).collect();
    for firsts in firsts.chunks(PIECES) {
        let pieces: Vec<Vec<u8>> = firsts.par_iter().map(|&first| piece(first)).collect();
        pieces.iter().try_for_each(|piece| write(out, piece))?;
    }
    Ok(())
}

/// A field with the delimiter before it, unless it is the first.
fn put(content: &[u8], (delimiter, alone): (u8, bool), place: usize, out: &mut Vec<u8>) {
    if place > 0 {
        out.push(delimiter);
    }
    let breaks = |byte: &u8| [delimiter, b'"', b'\n', b'\r'].contains(byte);
    // An empty line would be no record.
    match content.iter().any(breaks) || (alone && content.is_empty()) {
        true => put_quoted(content, out),
        false => out.extend_from_slice(content),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{ReadOptions, Source};

    /// Delimiters, quotes, line ends, empty fields, blanks, and a single column of empty fields.
    #[test]
    fn law_written_columns_read_back() {
        let texts: [&[u8]; 7] = [b"", b"a", b"x,y", b"\"q\"", b"two\nlines", b" blank ", b"007"];
        for (packing, delimiter) in [(Compression::Plain, ","), (Compression::Gzip, ";")] {
            for width in [1, 3] {
                let names: Vec<String> =
                    (0..width).map(|one| format!("n{one}{delimiter}")).collect();
                let codes = |shift: u32| (0..40_000u32).map(|one| (one * 3 + shift) % 7).collect();
                let columns: Vec<CsvColumn<'_>> = (0u32..)
                    .zip(&names)
                    .map(|(shift, name)| CsvColumn {
                        name,
                        categories: texts.to_vec(),
                        codes: codes(shift),
                    })
                    .collect();
                let file = tempfile::NamedTempFile::new().unwrap();
                let delimiter = Delimiter::parse(delimiter).unwrap();
                let mut out = Vec::new();
                write_csv(&columns, delimiter, packing, &mut out).unwrap();
                std::fs::write(file.path(), out).unwrap();
                let options = ReadOptions { delimiter: Some(delimiter) };
                let source = Source::open(file.path(), &options).unwrap();
                assert_eq!(source.columns(), names);
                let read = source.read(&vec![true; width]).unwrap();
                for (column, read) in columns.iter().zip(&read.columns) {
                    let read = read.as_ref().unwrap();
                    assert_eq!(read.len(), 40_000);
                    for record in [0, 1, 2, 3, 4, 5, 6, 16_384, 39_999] {
                        let text = read.dictionary().category(read.code(record)).unwrap();
                        assert_eq!(text, column.categories[column.codes[record] as usize]);
                    }
                }
            }
        }
    }
}

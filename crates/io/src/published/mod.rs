//! Tables as an office publishes them: bytes to a plain list of cells.
//!
//! Three formats are read, and the contents decide which one it is, never the name:
//!
//! | format | known by |
//! |---|---|
//! | JSON-stat 2 | the first sign is `{` or `[` |
//! | SDMX-CSV | a first column `DATAFLOW`, `STRUCTURE` or `STRUCTURE[…]` |
//! | tidy CSV | anything else: a column for each variable, and one of numbers |
//!
//! All become the same: named columns of categories, and for each line a number or the
//! knowledge that it was suppressed. Which columns are variables of the table is not decided
//! here: that takes the data.
//!
//! Trap: a cell without a number was suppressed or is not available. It is never 0.
//!
//! Way in: [`read_published`].

mod json_stat;
mod lines;

use std::fmt;
use std::io::{BufReader, Read};
use std::path::Path;

use marginswap_core::columns::Column;
use marginswap_core::decimal::Decimal;
use marginswap_core::diagnostic::Diagnostic;

use crate::csv::unreadable;
use crate::gunzip::Gunzip;
use crate::input_file::InputFile;
use crate::refusal::Code;
use crate::source::Compression;

/// What a user says about a file besides its contents.
#[derive(Debug, Clone, Default)]
pub struct PublishedOptions {
    /// The column of numbers, where it has another name than the format gives it.
    pub count: Option<String>,
    /// Signs of a suppressed number, besides the usual ones.
    pub suppressed: Vec<String>,
}

/// How a published table is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PublishedFormat {
    /// A column for each variable, and one of numbers.
    Tidy,
    /// The exchange format of statistical offices.
    Sdmx,
    /// A cube in JSON.
    JsonStat,
}

impl fmt::Display for PublishedFormat {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Tidy => "CSV",
            Self::Sdmx => "SDMX-CSV",
            Self::JsonStat => "JSON-stat",
        })
    }
}

/// A published table that has been read.
pub struct PublishedFile {
    /// How it is written.
    pub format: PublishedFormat,
    /// Its columns by name: those that may be variables of the table.
    pub columns: Vec<(String, Column)>,
    /// The number of each line; `None` where it was suppressed.
    pub numbers: Vec<Option<Decimal>>,
    /// Where each line is.
    places: Places,
}

/// Where the lines of a published table are.
enum Places {
    /// On these lines of the file.
    Lines(Vec<u64>),
    /// At these places among the values.
    Values(Vec<u64>),
}

impl PublishedFile {
    /// The refusal, at a line of the table.
    #[must_use]
    pub fn at(&self, line: usize, mut refusal: Diagnostic) -> Diagnostic {
        match &self.places {
            Places::Lines(lines) => refusal.place.line = Some(lines[line]),
            Places::Values(values) => {
                refusal.place.column = Some(format!("`value` at place {}", values[line]));
            }
        }
        refusal
    }
}

impl fmt::Debug for PublishedFile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (columns, lines) = (self.columns.len(), self.numbers.len());
        write!(formatter, "PublishedFile({}, {columns} columns, {lines} lines)", self.format)
    }
}

/// Reads a published table.
///
/// # Errors
/// A file that cannot be read, is none of the three formats, or has a number that cannot be
/// compared.
pub fn read_published(
    path: &Path,
    options: &PublishedOptions,
) -> Result<PublishedFile, Diagnostic> {
    let file = InputFile::open(path)?;
    let read = || {
        if begins_as_json(&file)? {
            return json_stat::read(&all_bytes(&file)?, options);
        }
        lines::read(&file, options)
    };
    read().map_err(|refusal| refusal.in_file(path))
}

fn bytes_of(file: &InputFile) -> Result<(Box<dyn Read>, Compression), Diagnostic> {
    let first = file.piece(0, 2).map_err(|error| unreadable(&error, Compression::Plain))?;
    Ok(if first == b"\x1f\x8b" {
        (Box::new(Gunzip::new(BufReader::new(file.bytes_from(0)))), Compression::Gzip)
    } else {
        (Box::new(file.bytes_from(0)), Compression::Plain)
    })
}

/// Is the first sign one that JSON begins with?
fn begins_as_json(file: &InputFile) -> Result<bool, Diagnostic> {
    const ENOUGH: u64 = 4096;
    let (bytes, compression) = bytes_of(file)?;
    let mut first = Vec::new();
    let read = bytes.take(ENOUGH).read_to_end(&mut first);
    read.map_err(|error| unreadable(&error, compression))?;
    let text = first.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&first);
    let sign = text.iter().find(|byte| !byte.is_ascii_whitespace());
    Ok(matches!(sign, Some(b'{' | b'[')))
}

fn all_bytes(file: &InputFile) -> Result<Vec<u8>, Diagnostic> {
    let (mut bytes, compression) = bytes_of(file)?;
    let mut all = Vec::new();
    bytes.read_to_end(&mut all).map_err(|error| unreadable(&error, compression))?;
    Ok(match all.strip_prefix(b"\xef\xbb\xbf") {
        Some(rest) => rest.to_vec(),
        None => all,
    })
}

/// Texts in place of a number that was suppressed or is not available. A dash is none of
/// them: some offices mean zero by it.
const SIGNS: [&str; 9] = ["", ":", ".", "..", "...", "c", "x", "NA", "NaN"];

/// The number that a text says; `None` for one that was suppressed.
fn number(text: &[u8], more: &[String]) -> Result<Option<Decimal>, Diagnostic> {
    let text = text.trim_ascii();
    let is = |sign: &str| sign.as_bytes().eq_ignore_ascii_case(text);
    // A colon may have a flag after it, as in `:c`.
    if text.starts_with(b":")
        || SIGNS.iter().any(|sign| is(sign))
        || more.iter().any(|sign| is(sign))
    {
        return Ok(None);
    }
    match Decimal::read(text) {
        Some(number) if number.is_negative() => Err(unusable("the number is negative")),
        Some(number) => Ok(Some(number)),
        None => Err(unusable("this is neither a number nor a known sign for a suppressed one")),
    }
}

fn unusable(detail: &str) -> Diagnostic {
    Diagnostic::new(
        Code::BadNumber,
        detail,
        "write digits with a decimal point and without separators, or name the sign as suppressed",
    )
}

/// Does a flag say that the number next to it is not the true one?
fn is_suppressed(flag: &[u8]) -> bool {
    // Flags are single letters, at times a few of them.
    let flag = flag.trim_ascii();
    flag.len() <= 3 && flag.iter().any(|sign| matches!(sign, b'c' | b'C' | b'Q' | b':'))
}

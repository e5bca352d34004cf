//! A data file of any format, opened.
//!
//! The first bytes decide the format, never the name: `1f 8b` is gzip, `PAR1` is Parquet,
//! what another program's files begin with is refused by its name (see `foreign`),
//! anything else is CSV. A `.gz` file without those bytes is read as it is.
//!
//! Trap: a CSV file whose first column is called `PAR1` begins with the magic of Parquet.
//! A Parquet file ends with the magic too. One that was cut does not; there mostly a control
//! byte follows the magic (a page or the description begins there), in a header line a
//! printable one, a tab or a line end.
//!
//! Way in: [`Source::open`] or, for several readings of one file, [`Source::of`] an
//! [`InputFile`]; then [`Source::read`].

use std::io;
use std::path::Path;
use std::sync::Arc;

#[cfg(not(feature = "parquet"))]
use crate::refusal::Code;
use marginswap_core::columns::Column;
use marginswap_core::diagnostic::Diagnostic;

use crate::as_written::AsWritten;
use crate::csv::{CsvReader, Limits};
use crate::delimiter::Delimiter;
use crate::digest::FileDigest;
use crate::foreign;
use crate::frame::Frame;
use crate::header;
use crate::input_file::InputFile;
pub(crate) use crate::input_file::{not_read as not_opened, open_file};
use crate::rows::RowFile;
use crate::rows::labels::Labels;
use crate::{sas, spss, stata};

/// What a user may say about a file.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReadOptions {
    /// The byte between two fields of a CSV file; without it the header line decides.
    pub delimiter: Option<Delimiter>,
}

/// How the bytes of a file are packed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Compression {
    /// As they are.
    #[default]
    Plain,
    /// With gzip.
    Gzip,
}

impl Compression {
    /// How a new file of this name is packed: with gzip if the name ends in `.gz`.
    #[must_use]
    pub fn for_target(path: &Path) -> Self {
        match path.extension() {
            Some(ending) if ending.eq_ignore_ascii_case("gz") => Self::Gzip,
            _ => Self::Plain,
        }
    }
}

/// What kind of file it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Lines of fields.
    Csv {
        /// The byte between two fields.
        delimiter: Delimiter,
        /// Is it compressed?
        compression: Compression,
    },
    /// Apache Parquet.
    Parquet,
    /// Stata (.dta).
    Stata,
    /// SPSS (.sav, .zsav).
    Spss,
    /// SAS transport (.xpt).
    SasTransport,
    /// No file: a data frame in memory.
    Frame,
}

impl Format {
    /// What it is called.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Csv { .. } => "CSV",
            Self::Parquet => "Parquet",
            Self::Stata => "Stata",
            Self::Spss => "SPSS",
            Self::SasTransport => "SAS transport",
            Self::Frame => "data frame",
        }
    }

    /// The endings of its files, the usual one first; none where there is no file.
    #[must_use]
    pub fn endings(self) -> &'static [&'static str] {
        match self {
            Self::Csv { .. } => &["csv", "tsv", "txt", "gz"],
            Self::Parquet => &["parquet", "pq"],
            Self::Stata => &["dta"],
            Self::Spss => &["sav", "zsav"],
            Self::SasTransport => &["xpt"],
            Self::Frame => &[],
        }
    }
}

/// Endings that say what format a file has.
pub const ENDINGS: &[&str] =
    &["csv", "tsv", "txt", "gz", "parquet", "pq", "dta", "sav", "zsav", "xpt"];

/// The columns of a file as codes.
#[derive(Debug)]
pub struct Table {
    /// The columns, in the file's order; `None` for one that was not wanted.
    pub columns: Vec<Option<Column>>,
    /// The sampled columns, in the file's order: of each the records at equal distances.
    pub samples: Vec<Option<Column>>,
    /// How many records there are.
    pub records: usize,
    /// The sum of the file, taken of the bytes that were read; see [`Source::without_sum`].
    pub digest: Option<FileDigest>,
    /// Does the header look like a record: are all names numbers, or half of them categories of
    /// their own columns? Then the names may be a person's values, and no message may show them.
    pub looks_like_a_record: bool,
    /// How a CSV file writes what it says; nothing for other formats.
    pub written: Option<AsWritten>,
}

/// Columns of which only some records are read.
#[derive(Debug, Clone)]
pub struct Sample {
    /// For each column: is it sampled?
    pub columns: Vec<bool>,
    /// The distance of two records of the sample; the first record is one.
    pub step: usize,
}

impl Sample {
    /// None of this many columns.
    fn none(columns: usize) -> Self {
        Self { columns: vec![false; columns], step: 1 }
    }
}

/// A data file whose header has been read, or a data frame.
pub struct Source {
    file: Option<InputFile>,
    reader: Reader,
}

enum Reader {
    Csv(Box<CsvReader>),
    #[cfg(feature = "parquet")]
    Parquet(crate::parquet::ParquetReader),
    Rows(Box<RowFile>, Sum),
    Frame(Frame),
}

/// Is the sum of a file taken while it is read?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sum {
    Taken,
    PassedOver,
}

impl Source {
    /// Opens a file and reads its header.
    ///
    /// # Errors
    /// A file that is missing, a folder, not readable, empty, of another program, or whose
    /// header cannot be used.
    pub fn open(path: &Path, options: &ReadOptions) -> Result<Self, Diagnostic> {
        Self::of(&InputFile::open(path)?, options)
    }

    /// Reads the header of a file that is open already. Every source of one file reads it
    /// from its beginning and for itself.
    ///
    /// # Errors
    /// As [`Source::open`].
    pub fn of(file: &InputFile, options: &ReadOptions) -> Result<Self, Diagnostic> {
        let reader = Reader::of(file, options);
        let reader = reader.map_err(|refusal| refusal.in_file(file.path()))?;
        Ok(Self { file: Some(file.clone()), reader })
    }

    /// A data frame in place of a file.
    #[must_use]
    pub fn of_frame(frame: &Frame) -> Self {
        Self { file: None, reader: Reader::Frame(frame.clone()) }
    }

    /// The file, for another reading of the same bytes; a frame has none.
    #[must_use]
    pub fn file(&self) -> Option<&InputFile> {
        self.file.as_ref()
    }

    /// May the header be a record, so that its names are better not shown? As far as can be seen
    /// before the records are read; [`Table::looks_like_a_record`] knows more.
    #[must_use]
    pub fn looks_like_a_record(&self) -> bool {
        match &self.reader {
            Reader::Csv(reader) => reader.looks_like_a_record(),
            #[cfg(feature = "parquet")]
            Reader::Parquet(reader) => header::are_numbers(reader.columns()),
            // Names are apart from records there.
            Reader::Rows(..) => false,
            Reader::Frame(frame) => {
                header::are_numbers(frame.names()) && !header::are_positions(frame.names())
            }
        }
    }

    /// Is the header most likely a record? As far as can be seen before the records are read, as
    /// there.
    #[must_use]
    pub fn is_without_header(&self) -> bool {
        match &self.reader {
            Reader::Csv(reader) => reader.is_without_header(),
            #[cfg(feature = "parquet")]
            Reader::Parquet(_) => self.looks_like_a_record(),
            Reader::Rows(..) | Reader::Frame(_) => self.looks_like_a_record(),
        }
    }

    /// The names of the columns.
    #[must_use]
    pub fn columns(&self) -> &[String] {
        match &self.reader {
            Reader::Csv(reader) => reader.columns(),
            #[cfg(feature = "parquet")]
            Reader::Parquet(reader) => reader.columns(),
            Reader::Rows(rows, _) => &rows.names,
            Reader::Frame(frame) => frame.names(),
        }
    }

    /// What kind of file it is.
    #[must_use]
    pub fn format(&self) -> Format {
        match &self.reader {
            Reader::Csv(reader) => {
                Format::Csv { delimiter: reader.delimiter(), compression: reader.compression() }
            }
            #[cfg(feature = "parquet")]
            Reader::Parquet(_) => Format::Parquet,
            Reader::Rows(rows, _) => rows.format,
            Reader::Frame(_) => Format::Frame,
        }
    }

    /// Reads the wanted columns. The others get no dictionary; in a CSV file their fields
    /// are counted and checked all the same, in a Parquet file they are not touched.
    ///
    /// # Errors
    /// Anything in the file that cannot be read; a file without records; a wanted column
    /// that has no categories.
    ///
    /// # Panics
    /// When `wanted` does not have one entry for each column.
    pub fn read(self, wanted: &[bool]) -> Result<Table, Diagnostic> {
        self.read_sampling(wanted, &Sample::none(wanted.len()))
    }

    /// The same file where nobody asks for its sum: that of a CSV file is not taken then.
    #[must_use]
    pub fn without_sum(self) -> Self {
        let reader = match self.reader {
            Reader::Csv(reader) => Reader::Csv(Box::new(reader.without_sum())),
            Reader::Rows(rows, _) => Reader::Rows(rows, Sum::PassedOver),
            other => other,
        };
        Self { reader, ..self }
    }

    /// The same, and of other columns a sample, without holding all their values. A column that
    /// has no categories is not sampled.
    ///
    /// # Errors
    /// As [`Source::read`].
    ///
    /// # Panics
    /// As there; when no distance is given, or the sample does not have one entry for each column.
    pub fn read_sampling(self, wanted: &[bool], sample: &Sample) -> Result<Table, Diagnostic> {
        assert!(sample.columns.len() == wanted.len() && sample.step > 0, "a sample of this file");
        match self.reader {
            Reader::Csv(reader) => reader.read_sampling(wanted, sample),
            #[cfg(feature = "parquet")]
            Reader::Parquet(reader) => reader.read(wanted, sample),
            Reader::Rows(rows, sum) => rows.read(wanted, sample, sum == Sum::Taken),
            Reader::Frame(frame) => frame.read(wanted, sample),
        }
    }

    /// How many records each line is, for a frame of counted cells.
    #[must_use]
    pub fn counts(&self) -> Option<&Arc<[u32]>> {
        match &self.reader {
            Reader::Frame(frame) => frame.counts(),
            _ => None,
        }
    }

    /// What the file says about its columns, where its format has labels.
    #[must_use]
    pub fn labels(&self) -> Option<&Labels> {
        match &self.reader {
            Reader::Rows(rows, _) => Some(&rows.labels),
            _ => None,
        }
    }

    /// The file as one of records of one width, if it is one.
    pub(crate) fn into_rows(self) -> Option<RowFile> {
        match self.reader {
            Reader::Rows(rows, _) => Some(*rows),
            _ => None,
        }
    }

    /// The file as a stream of raw records, if it is CSV.
    #[must_use]
    pub fn into_csv(self) -> Option<CsvReader> {
        match self.reader {
            Reader::Csv(reader) => Some(*reader),
            #[cfg(feature = "parquet")]
            Reader::Parquet(_) => None,
            Reader::Rows(..) | Reader::Frame(_) => None,
        }
    }
}

#[cfg(feature = "parquet")]
impl Source {
    /// The file as a Parquet file, if it is one.
    pub(crate) fn into_parquet(self) -> Option<crate::parquet::ParquetReader> {
        match self.reader {
            Reader::Csv(_) | Reader::Rows(..) | Reader::Frame(_) => None,
            Reader::Parquet(reader) => Some(reader),
        }
    }
}

impl Reader {
    fn of_rows(rows: RowFile) -> Self {
        Self::Rows(Box::new(rows), Sum::Taken)
    }

    fn of(file: &InputFile, options: &ReadOptions) -> Result<Self, Diagnostic> {
        let not_read = |error: io::Error| not_opened(&error);
        let first = file.piece(0, foreign::ENOUGH as u64).map_err(not_read)?;
        if is_parquet(&first) || has_magic_at_both_ends(&first, file).map_err(not_read)? {
            return open_parquet(file);
        }
        if stata::is_stata(&first) {
            return stata::open(file.clone()).map(Self::of_rows);
        }
        if spss::is_spss(&first) {
            return spss::open(file.clone()).map(Self::of_rows);
        }
        if sas::is_transport(&first) {
            return sas::open(file.clone()).map(Self::of_rows);
        }
        let compression =
            if first.starts_with(b"\x1f\x8b") { Compression::Gzip } else { Compression::Plain };
        let bytes = Box::new(file.bytes_from(0));
        let path = file.path().to_owned();
        CsvReader::open(path, bytes, compression, options.delimiter, Limits::default())
            .map(|reader| Self::Csv(Box::new(reader)))
    }
}

fn is_parquet(first: &[u8]) -> bool {
    let text = |byte: u8| byte >= b' ' || matches!(byte, b'\t' | b'\n' | b'\r');
    first.strip_prefix(b"PAR1").is_some_and(|rest| rest.first().is_some_and(|&byte| !text(byte)))
}

/// Does a file that begins with the magic of Parquet end with it too?
fn has_magic_at_both_ends(first: &[u8], file: &InputFile) -> io::Result<bool> {
    if !first.starts_with(b"PAR1") || file.length() < 12 {
        return Ok(false);
    }
    Ok(file.piece(file.length() - 4, 4)? == b"PAR1")
}

#[cfg(feature = "parquet")]
fn open_parquet(file: &InputFile) -> Result<Reader, Diagnostic> {
    crate::parquet::ParquetReader::open(file.clone()).map(Reader::Parquet)
}

#[cfg(not(feature = "parquet"))]
fn open_parquet(_: &InputFile) -> Result<Reader, Diagnostic> {
    Err(Diagnostic::new(
        Code::NoParquet,
        "this is a Parquet file, and this program was built without Parquet",
        "store the data as CSV, or use a program built with the feature `parquet`",
    ))
}

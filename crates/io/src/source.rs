//! A data file of any format, opened.
//!
//! The first bytes decide the format, never the name: `1f 8b` is gzip, `PAR1` is Parquet,
//! anything else is CSV. A `.gz` file without those bytes is read as it stands.
//!
//! Trap: a CSV file whose first column is called `PAR1` begins with the magic of Parquet.
//! A Parquet file ends with the magic too. One that was cut does not; there mostly a control
//! byte follows the magic (a page or the description begins there), in a header line a
//! printable one, a tab or a line end.
//!
//! Way in: [`Source::open`], then [`Source::read`].

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::Path;

use marginswap_core::columns::Column;
use marginswap_core::diagnostic::{Code, Diagnostic};

use crate::csv::{CsvReader, Limits, unreadable};
use crate::delimiter::Delimiter;
use crate::gunzip::Gunzip;

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
}

/// The columns of a file as codes.
#[derive(Debug)]
pub struct Table {
    /// The columns, in the file's order; `None` for one that was not wanted.
    pub columns: Vec<Option<Column>>,
    /// How many records there are.
    pub records: usize,
}

/// A data file whose header has been read.
pub struct Source(Reader);

enum Reader {
    Csv(Box<CsvReader>),
    #[cfg(feature = "parquet")]
    Parquet(crate::parquet::ParquetReader),
}

impl Source {
    /// Opens a file and reads its header.
    ///
    /// # Errors
    /// A file that is missing, a folder, not readable, empty, or whose header cannot be
    /// used.
    pub fn open(path: &Path, options: &ReadOptions) -> Result<Self, Diagnostic> {
        Self::open_any(path, options).map_err(|refusal| refusal.in_file(path))
    }

    fn open_any(path: &Path, options: &ReadOptions) -> Result<Self, Diagnostic> {
        let mut file = open_file(path)?;
        let mut first = Vec::new();
        (&mut file).take(5).read_to_end(&mut first).map_err(|error| not_opened(&error))?;
        if is_parquet(&first) || has_magic_at_both_ends(&first, &mut file) {
            return open_parquet(path, file);
        }
        let is_gzip = first.starts_with(b"\x1f\x8b");
        let plain = Cursor::new(first).chain(file);
        let (input, compression): (Box<dyn Read + Send>, _) = if is_gzip {
            let buffered = BufReader::with_capacity(1 << 16, plain);
            (Box::new(Gunzip::new(buffered)), Compression::Gzip)
        } else {
            (Box::new(plain), Compression::Plain)
        };
        let path = path.to_owned();
        CsvReader::open(path, input, compression, options.delimiter, Limits::default())
            .map(|reader| Self(Reader::Csv(Box::new(reader))))
    }

    /// The names of the columns.
    #[must_use]
    pub fn columns(&self) -> &[String] {
        match &self.0 {
            Reader::Csv(reader) => reader.columns(),
            #[cfg(feature = "parquet")]
            Reader::Parquet(reader) => reader.columns(),
        }
    }

    /// What kind of file it is.
    #[must_use]
    pub fn format(&self) -> Format {
        match &self.0 {
            Reader::Csv(reader) => {
                Format::Csv { delimiter: reader.delimiter(), compression: reader.compression() }
            }
            #[cfg(feature = "parquet")]
            Reader::Parquet(_) => Format::Parquet,
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
    /// When `wanted` has not one entry for each column.
    pub fn read(self, wanted: &[bool]) -> Result<Table, Diagnostic> {
        match self.0 {
            Reader::Csv(reader) => reader.read(wanted),
            #[cfg(feature = "parquet")]
            Reader::Parquet(reader) => reader.read(wanted),
        }
    }

    /// The file as a stream of raw records, if it is CSV.
    #[must_use]
    pub fn into_csv(self) -> Option<CsvReader> {
        match self.0 {
            Reader::Csv(reader) => Some(*reader),
            #[cfg(feature = "parquet")]
            Reader::Parquet(_) => None,
        }
    }
}

#[cfg(feature = "parquet")]
impl Source {
    /// The file as a Parquet file, if it is one.
    pub(crate) fn into_parquet(self) -> Option<crate::parquet::ParquetReader> {
        match self.0 {
            Reader::Csv(_) => None,
            Reader::Parquet(reader) => Some(reader),
        }
    }
}

fn is_parquet(first: &[u8]) -> bool {
    let text = |byte: u8| byte >= b' ' || matches!(byte, b'\t' | b'\n' | b'\r');
    first.strip_prefix(b"PAR1").is_some_and(|rest| rest.first().is_some_and(|&byte| !text(byte)))
}

/// Does a file that begins with the magic of Parquet end with it too? Where it was read up
/// to is found again. What cannot be read at its end, as a pipe, is answered with no.
fn has_magic_at_both_ends(first: &[u8], file: &mut File) -> bool {
    if !first.starts_with(b"PAR1") {
        return false;
    }
    let mut look = || -> io::Result<bool> {
        let here = file.stream_position()?;
        let end = file.seek(SeekFrom::End(0))?;
        let mut last = [0; 4];
        if end >= 12 {
            file.seek(SeekFrom::End(-4))?;
            file.read_exact(&mut last)?;
        }
        file.seek(SeekFrom::Start(here))?;
        Ok(last == *b"PAR1")
    };
    look().unwrap_or(false)
}

#[cfg(feature = "parquet")]
fn open_parquet(path: &Path, file: File) -> Result<Source, Diagnostic> {
    crate::parquet::ParquetReader::open(path.to_owned(), file)
        .map(|reader| Source(Reader::Parquet(reader)))
}

#[cfg(not(feature = "parquet"))]
fn open_parquet(_: &Path, _: File) -> Result<Source, Diagnostic> {
    Err(Diagnostic::new(
        Code::NoParquet,
        "this is a Parquet file, and this program is built without Parquet",
        "store the data as CSV, or use a program built with the feature `parquet`",
    ))
}

/// Opens a file for reading; a folder is none.
pub(crate) fn open_file(path: &Path) -> Result<File, Diagnostic> {
    let (file, is_folder) = match File::open(path) {
        Ok(file) => {
            let metadata = file.metadata().map_err(|error| not_opened(&error))?;
            (file, metadata.is_dir())
        }
        Err(_) if path.is_dir() => return Err(folder()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(Diagnostic::new(
                Code::FileMissing,
                "there is no file of this name",
                "look at the spelling, and at the folder the command runs in",
            ));
        }
        Err(error) => return Err(not_opened(&error)),
    };
    if is_folder { Err(folder()) } else { Ok(file) }
}

fn folder() -> Diagnostic {
    Diagnostic::new(Code::IsDirectory, "this is a folder", "name the data file in it")
}

pub(crate) fn not_opened(error: &io::Error) -> Diagnostic {
    unreadable(error, Compression::Plain)
}

//! Published tables in CSV: tidy ones, and SDMX-CSV.
//!
//! SDMX-CSV begins with a column `DATAFLOW` (version 1) or `STRUCTURE` (version 2); the numbers
//! are in `OBS_VALUE`. A header may have labels, as in `SEX: Sex`; then the values have them
//! too, as in `F: Female`, and the codes before the colon count. The format does not tell
//! dimensions from attributes, so every column that is known to be neither is given on.
//!
//! Trap: `UNIT_MULT` may say that the numbers are thousands. They are refused then, not
//! multiplied: a rounded number says nothing about single people.
//!
//! Reference: SDMX-CSV field guide, versions 1.0 and 2.0.

use marginswap_core::columns::ColumnBuilder;
use marginswap_core::diagnostic::Diagnostic;

use super::{
    Places, PublishedFile, PublishedFormat, PublishedOptions, is_suppressed, number, unusable,
};
use crate::csv::CsvReader;
use crate::header::shown;
use crate::input_file::InputFile;
use crate::refusal::Code;
use crate::source::{ReadOptions, Source};

/// What a column of the file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Perhaps a variable of the table.
    Column,
    /// The numbers.
    Number,
    /// A flag that may say that the number was suppressed.
    Flag,
    /// Whether the number is confidential.
    Confidential,
    /// The power of ten that the numbers were divided by.
    Multiplier,
    /// What describes the whole file.
    Frame,
}

struct Header {
    format: PublishedFormat,
    names: Vec<String>,
    parts: Vec<Part>,
    /// Do the values of a column have labels after a colon?
    labelled: Vec<bool>,
}

/// Reads a published table in CSV.
pub(super) fn read(
    file: &InputFile,
    options: &PublishedOptions,
) -> Result<PublishedFile, Diagnostic> {
    let source = Source::of(file, &ReadOptions::default())?;
    let mut reader = source.into_csv().ok_or_else(|| {
        Diagnostic::new(
            Code::ForeignFile,
            "a published table is CSV or JSON-stat, and this is neither",
            "store the table as CSV",
        )
    })?;
    let header = Header::of(&reader, options)?;
    let mut builders: Vec<ColumnBuilder> = Vec::new();
    builders.resize_with(header.names.len(), ColumnBuilder::default);
    let (mut numbers, mut lines) = (Vec::new(), Vec::new());
    let mut scratch = Vec::new();
    while let Some(record) = reader.next_record()? {
        let (mut found, mut hidden) = (Ok(None), false);
        for (place, part) in header.parts.iter().enumerate() {
            let content = record.content(place, &mut scratch);
            let content = if header.labelled[place] { code(content) } else { content };
            match part {
                Part::Column => builders[place].push(content),
                Part::Number => {
                    found = number(content, &options.suppressed)
                        .map_err(|refusal| refusal.in_column(shown(&header.names[place])));
                }
                Part::Flag => hidden |= is_suppressed(content),
                Part::Confidential => hidden |= !matches!(content.trim_ascii(), b"" | b"F"),
                Part::Multiplier if matches!(content.trim_ascii(), b"" | b"0") => {}
                Part::Multiplier => {
                    let refusal = unusable("the numbers were divided by a power of ten");
                    return Err(refusal
                        .in_column(shown(&header.names[place]))
                        .at_line(record.line()));
                }
                Part::Frame => {}
            }
        }
        let found = found.map_err(|refusal| refusal.at_line(record.line()))?;
        numbers.push(found.filter(|_| !hidden));
        lines.push(record.line());
    }
    if numbers.is_empty() {
        return Err(Diagnostic::new(
            Code::NoRecords,
            "the file has a header and nothing below it",
            "name a file that has cells",
        ));
    }
    let all = header.names.into_iter().zip(builders).zip(header.parts);
    let columns = all.filter(|(_, part)| *part == Part::Column);
    let columns = columns.map(|((name, column), _)| (name, column.finish())).collect();
    Ok(PublishedFile { format: header.format, columns, numbers, places: Places::Lines(lines) })
}

impl Header {
    fn of(reader: &CsvReader, options: &PublishedOptions) -> Result<Self, Diagnostic> {
        let names = reader.columns();
        let first = before_colon(names.first().map_or("", String::as_str));
        let is_sdmx =
            first == "DATAFLOW" || first == "STRUCTURE" || first.starts_with("STRUCTURE[");
        let format = if is_sdmx { PublishedFormat::Sdmx } else { PublishedFormat::Tidy };
        let labelled: Vec<bool> =
            names.iter().map(|name| is_sdmx && before_colon(name) != name).collect();
        let names: Vec<String> = match is_sdmx {
            true => names.iter().map(|name| before_colon(name).to_owned()).collect(),
            false => names.to_vec(),
        };
        if let Some(name) = names
            .iter()
            .enumerate()
            .find_map(|(place, name)| names[..place].contains(name).then_some(name))
        {
            return Err(Diagnostic::new(
                Code::DuplicateName,
                format!("two columns have the code {}", shown(name)),
                "remove one of them",
            )
            .at_line(1));
        }
        let usual = if is_sdmx { "OBS_VALUE" } else { "count" };
        let count = options.count.as_deref().unwrap_or(usual);
        let parts: Vec<Part> = names.iter().map(|name| part(name, count, is_sdmx)).collect();
        if !parts.contains(&Part::Number) {
            let known: Vec<String> = names.iter().take(20).map(|name| shown(name)).collect();
            return Err(Diagnostic::new(
                Code::NoNumbers,
                format!(
                    "no column is called {}; the columns are {}",
                    shown(count),
                    known.join(", ")
                ),
                "name the column of numbers as `count` of this table in the project file",
            )
            .at_line(1));
        }
        Ok(Self { format, names, parts, labelled })
    }
}

fn part(name: &str, count: &str, is_sdmx: bool) -> Part {
    if name == count {
        return Part::Number;
    }
    match name {
        "OBS_STATUS" | "OBS_FLAG" => Part::Flag,
        "CONF_STATUS" => Part::Confidential,
        "UNIT_MULT" => Part::Multiplier,
        "DATAFLOW" | "STRUCTURE" | "STRUCTURE_ID" | "STRUCTURE_NAME" | "ACTION" | "LAST UPDATE"
            if is_sdmx =>
        {
            Part::Frame
        }
        _ if is_sdmx && name.starts_with("STRUCTURE[") => Part::Frame,
        _ => Part::Column,
    }
}

fn before_colon(text: &str) -> &str {
    text.split_once(':').map_or(text, |(code, _)| code.trim_end())
}

/// The code of a value with a label.
fn code(content: &[u8]) -> &[u8] {
    let end = content.iter().position(|&byte| byte == b':').unwrap_or(content.len());
    content[..end].trim_ascii_end()
}

/// A refusal on a line whose byte nobody needs.
trait AtLine {
    fn at_line(self, line: u64) -> Self;
}

impl AtLine for Diagnostic {
    fn at_line(mut self, line: u64) -> Self {
        self.place.line = Some(line);
        self
    }
}

//! From a file's name and the options to packed records.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use marginswap_core::diagnostic::{Code, Diagnostic, escaped, grouped};
use marginswap_core::encode::{
    Column, RecordId, Records, Role, Roles, Schema, Variable, nearly_all_differ,
};
use marginswap_core::graph::{Formula, Scope, Separators, minimal_separators, parse_names, quoted};
use marginswap_io::{Compression, Delimiter, Format, ReadOptions, Source};

use crate::args::{ReadArgs, RoleArgs};
use crate::output::talk;

/// An opened file whose columns have their roles.
pub struct Opened {
    path: PathBuf,
    source: Source,
    roles: Roles,
    id: Option<usize>,
}

/// A file that has been read.
pub struct Loaded {
    path: PathBuf,
    names: Vec<String>,
    roles: Roles,
    id: Option<usize>,
    columns: Vec<Option<Column>>,
}

/// Opens the file, reads its header and gives every column its role.
pub fn open(path: &Path, read: &ReadArgs, roles: &RoleArgs) -> Result<Opened, Diagnostic> {
    let delimiter = read.delimiter.as_deref().map(Delimiter::parse).transpose()?;
    let source = Source::open(path, &ReadOptions { delimiter })?;
    let list = |texts: &[String]| -> Result<Vec<String>, Diagnostic> {
        let lists: Result<Vec<_>, _> = texts.iter().map(|text| parse_names(text)).collect();
        Ok(lists?.concat())
    };
    let id = roles.id.as_deref().map(one_name).transpose()?;
    let names = source.columns();
    let given = Roles::assign(
        names,
        &list(&roles.vars)?,
        &list(&roles.stay)?,
        &list(&roles.ignore)?,
        id.as_ref(),
    )
    .map_err(|error| error.in_file(path))?;
    let id = id.and_then(|id| names.iter().position(|name| *name == id));
    Ok(Opened { path: path.to_owned(), source, roles: given, id })
}

/// The one column that --id names, with backticks where needed.
fn one_name(text: &str) -> Result<String, Diagnostic> {
    let mut names = parse_names(text)?;
    match names.pop() {
        Some(name) if names.is_empty() => Ok(name),
        _ => Err(Diagnostic::new(
            Code::BadFormula,
            "--id names more than one column",
            "name one; a name that holds a comma stands between backticks",
        )),
    }
}

impl Opened {
    /// How the file is written.
    pub fn format(&self) -> String {
        match self.source.format() {
            Format::Parquet => "Parquet".to_owned(),
            Format::Csv { delimiter, compression } => {
                let delimiter = match delimiter.byte() {
                    b'\t' => "tab".to_owned(),
                    byte => format!("`{}`", char::from(byte)),
                };
                let packed = if compression == Compression::Gzip { ", gzip" } else { "" };
                format!("CSV, {delimiter}{packed}")
            }
        }
    }

    /// The names of the columns that are left out.
    pub fn ignored(&self) -> Vec<String> {
        let names = self.source.columns().iter().enumerate();
        names
            .filter(|(column, _)| self.roles.of(*column) == Role::Ignored)
            .map(|(_, name)| name.clone())
            .collect()
    }

    /// The scope of the tables to keep in this file.
    pub fn scope(&self, keep: &[String]) -> Result<Scope, Diagnostic> {
        Scope::new(self.source.columns(), &self.roles, &Formula::parse(keep)?)
            .map_err(|error| error.in_file(&self.path))
    }

    /// Reads the columns that take part; with `with_id` also the one that names the record.
    pub fn read(self, with_id: bool) -> Result<Loaded, Diagnostic> {
        let Self { path, source, roles, id } = self;
        let names = source.columns().to_vec();
        let wanted: Vec<bool> = (0..names.len())
            .map(|column| roles.of(column) != Role::Ignored || (with_id && id == Some(column)))
            .collect();
        let columns = source.read(&wanted)?.columns;
        let loaded = Loaded { path, names, roles, id, columns };
        loaded.warn_of_a_missing_header();
        Ok(loaded)
    }
}

impl Loaded {
    /// The records, packed for the scope of tables in this file.
    pub fn records(&self, scope: &Scope) -> Records {
        self.encode(scope.schema())
    }

    /// The records, packed without any table in mind.
    pub fn plain_records(&self) -> Records {
        self.encode(&Schema::new(&self.names, &self.roles, &BTreeSet::new()))
    }

    fn encode(&self, schema: &Schema) -> Records {
        let records = Records::encode(schema, &self.columns);
        self.warn_of_ids(schema, &records);
        records
    }

    /// The columns by name, as far as they were read.
    pub fn columns(&self) -> impl Iterator<Item = (&str, Role, &Column)> {
        self.names.iter().zip(&self.columns).enumerate().filter_map(|(position, (name, column))| {
            Some((name.as_str(), self.roles.of(position), column.as_ref()?))
        })
    }

    /// The record that a user names: by number from 1, or by its value in the id column.
    pub fn find(&self, text: &str) -> Result<RecordId, Diagnostic> {
        let refuse = |detail: String, remedy: &str| {
            Diagnostic::new(Code::NoSuchRecord, detail, remedy).in_file(&self.path)
        };
        let Some(column) = self.id else {
            let records = self.columns().next().map_or(0, |(_, _, column)| column.len());
            return match text.parse::<usize>() {
                Ok(number) if (1..=records).contains(&number) => Ok(RecordId::at(number - 1)),
                Ok(_) => Err(refuse(
                    format!("the file has the records 1 to {}", grouped(records as u64)),
                    "name one of these",
                )),
                Err(_) => Err(refuse(
                    "a record is named by its number from 1".to_owned(),
                    "give a number, or name records by a column with --id",
                )),
            };
        };
        let ids = self.columns[column].as_ref().expect("the id column was read");
        let name = &self.names[column];
        let refuse = |detail: String, remedy| refuse(detail, remedy).in_column(format!("`{name}`"));
        let code = ids.dictionary().find(text.as_bytes()).ok_or_else(|| {
            refuse(
                "no record has the given value there".to_owned(),
                "see that it is written as in the file",
            )
        })?;
        let mut found = (0..ids.len()).filter(|&record| ids.code(record) == code);
        let first = found.next().expect("a category occurs in a record");
        match found.count() {
            0 => Ok(RecordId::at(first)),
            more => Err(refuse(
                format!("{} records have the given value there", grouped(more as u64 + 1)),
                "name the record by its number, without --id",
            )),
        }
    }

    fn warn_of_ids(&self, schema: &Schema, records: &Records) {
        const NAMED: usize = 5;
        let found = ids(schema, records);
        let (staying, exchanged): (Vec<&Variable>, Vec<&Variable>) =
            found.iter().map(|&id| &schema.variables()[id]).partition(|variable| variable.stays);
        let names: Vec<String> = exchanged
            .iter()
            .take(NAMED)
            .map(|variable| format!("`{}`", escaped(&variable.name)))
            .collect();
        if !names.is_empty() {
            let more = match exchanged.len() - names.len() {
                0 => String::new(),
                more => format!(" and {} more", grouped(more as u64)),
            };
            talk(&format!(
                "warning: nearly every value of {}{more} is different. An id among the variables makes\n\
                 every swap look effective: leave it out with --id or --ignore.",
                names.join(", ")
            ));
        }
        for variable in staying {
            let name = escaped(&variable.name);
            let columns: Vec<String> = variable
                .columns
                .iter()
                .map(|&column| escaped(&quoted(&self.names[column])))
                .collect();
            talk(&format!(
                "warning: nearly every record differs in `{name}`, which stays ({}).\n\
                 Every swap relative to it counts as effective: leave an id out with --id or --ignore.",
                columns.join(", ")
            ));
        }
    }

    /// A header line that holds what the records below hold is most likely a record.
    fn warn_of_a_missing_header(&self) {
        let is_category = |(name, _, column): (&str, Role, &Column)| {
            column.dictionary().find(name.as_bytes()).is_some()
        };
        let all_numbers = self.names.iter().all(|name| name.trim().parse::<f64>().is_ok());
        if all_numbers || self.columns().any(is_category) {
            talk(
                "warning: does the file have a header line? The first line looks like a record: it was\n\
                 read as the names of the columns and is not counted among the records.",
            );
        }
    }
}

/// The variables in which nearly every record has a value of its own; `rest` may be one.
pub fn ids(schema: &Schema, records: &Records) -> Vec<usize> {
    (0..schema.variables().len())
        .filter(|&variable| nearly_all_differ(records.levels()[variable], records.len()))
        .collect()
}

/// The minimal separators of a scope's graph.
pub fn separators(scope: &Scope, limit: usize) -> Separators {
    minimal_separators(&scope.class().margin_graph(), limit)
}

/// Says that the separators are too many to list, to whoever asks about records.
pub fn note_many(separators: &Separators) {
    if !separators.is_complete() {
        talk(&format!(
            "note: the margin graph has more than {} minimal separators (--max-separators).\n\
             The pair test answers for the records that these leave open: exact, but slower.",
            grouped(separators.list().len() as u64)
        ));
    }
}

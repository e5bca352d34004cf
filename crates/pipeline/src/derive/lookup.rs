//! Groups from a file: a CSV with a row for each code.
//!
//! The codes are in the column that is called like the variable whose codes they are, or else in
//! the first one, unless a column is named. Several rows may have one code as long as they give
//! it one value: a file of municipalities also tells the region of a district. Codes and values
//! are bytes, compared exactly. Of a file of areas with their places, `near 4` is a column that it
//! does not have: the groups of at most four areas that are near each other.

use std::path::{Path, PathBuf};

use marginswap_core::columns::did_you_mean;
use marginswap_core::diagnostic::{Diagnostic, grouped};
use marginswap_core::hash::{Map, STATE};
use marginswap_io::{ReadOptions, Source};

use crate::areas::{Areas, group_size};
use crate::refusal::Code;

/// What one column of a file gives for the codes of another.
pub(super) struct Lookup {
    values: Map<Vec<u8>, Vec<u8>>,
}

/// Which columns of which file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Wanted {
    /// The file.
    pub file: PathBuf,
    /// The column of the values.
    pub column: String,
    /// The column of the codes, if it is named.
    pub key: Option<String>,
    /// The variable whose codes they are, if it has a name.
    pub of: Option<String>,
}

impl Lookup {
    /// Reads it.
    ///
    /// # Errors
    /// When the file cannot be read, does not have the columns, or gives a code two values.
    pub fn read(wanted: &Wanted) -> Result<Self, Diagnostic> {
        let file: &Path = &wanted.file;
        let source = Source::open(file, &ReadOptions { delimiter: None })?;
        let names = source.columns().to_vec();
        let find = |name: &str| {
            names.iter().position(|column| column == name).ok_or_else(|| {
                Diagnostic::new(
                    Code::BadLookup,
                    format!("`{name}` is not a column of this file"),
                    did_you_mean(name, &names),
                )
                .in_file(file)
            })
        };
        if let (Some(size), false) = (group_size(&wanted.column), names.contains(&wanted.column)) {
            let groups = Areas::read(file)?.groups(size);
            return Ok(Self { values: groups.into_iter().collect() });
        }
        let value = find(&wanted.column)?;
        let code = match (&wanted.key, &wanted.of) {
            (Some(key), _) => find(key)?,
            (None, of) => {
                let named = |name: &String| names.iter().position(|column| column == name);
                of.as_ref().and_then(named).unwrap_or(0)
            }
        };
        let read: Vec<bool> = (0..names.len()).map(|at| at == value || at == code).collect();
        let table = source.read(&read)?;
        let column = |at: usize| table.columns[at].as_ref().expect("it was wanted");
        let mut values: Map<Vec<u8>, Vec<u8>> = Map::with_hasher(STATE);
        for row in 0..table.records {
            let bytes = |at: usize| column(at).dictionary().category(column(at).code(row));
            let (Some(code), Some(value)) = (bytes(code), bytes(value)) else { continue };
            let earlier = values.entry(code.to_vec()).or_insert_with(|| value.to_vec());
            if earlier != value {
                return Err(Diagnostic::new(
                    Code::BadLookup,
                    format!(
                        "row {} gives another `{}` for a code than an earlier row",
                        grouped(row as u64 + 1),
                        wanted.column
                    ),
                    "give every code one row",
                )
                .in_file(file));
            }
        }
        Ok(Self { values })
    }

    /// The value of a code.
    pub fn value(&self, code: &[u8]) -> Option<&[u8]> {
        self.values.get(code).map(Vec::as_slice)
    }
}

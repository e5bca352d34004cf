//! What `inspect` answers: the file's columns and its cells.

use marginswap_core::text::{escaped, grouped};
use serde::Serialize;

use crate::answer::{Answer, aligned, counted, listed, percent, shown};

/// What is in a file.
#[derive(Debug, Clone, Serialize)]
pub struct InspectReport {
    /// The file.
    pub data: String,
    /// How it is written.
    pub format: String,
    /// How many records it has.
    pub records: usize,
    /// How many columns may be exchanged.
    pub variables: usize,
    /// The columns that take part.
    pub columns: Vec<ColumnReport>,
    /// The columns that are ignored.
    pub ignored: Vec<String>,
    /// How many different combinations of values occur.
    pub cells: usize,
    /// How many records are alone with their combination.
    pub sample_uniques: usize,
}

/// One column.
#[derive(Debug, Clone, Serialize)]
pub struct ColumnReport {
    /// Its name.
    pub name: String,
    /// May its values be exchanged?
    pub role: ColumnRole,
    /// How it follows from others, if it is a derived variable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub derived: Option<String>,
    /// How many different values it has.
    pub levels: usize,
    /// How many of its fields are empty or null.
    pub empty: u64,
    /// Is nearly every value different?
    pub looks_like_id: bool,
}

/// What may happen to a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ColumnRole {
    /// Its values may be exchanged.
    Variable,
    /// It stays.
    Stay,
    /// It follows from columns, and is not in the file.
    Derived,
}

impl Answer for InspectReport {
    fn text(&self) -> String {
        let records = self.records as u64;
        let mut text = format!(
            "{} ({}): {}, {}\n\n",
            escaped(&self.data),
            self.format,
            counted(records, "record", "records"),
            counted(self.variables as u64, "variable", "variables"),
        );
        let mut rows = vec![["column", "levels", "empty", ""].map(str::to_owned).to_vec()];
        for column in &self.columns {
            let mut remarks = Vec::new();
            if column.role == ColumnRole::Stay {
                remarks.push("stays".to_owned());
            }
            if let Some(expression) = &column.derived {
                remarks.push(format!("derived: {}", escaped(expression)));
            }
            if column.looks_like_id {
                remarks.push("looks like an id".to_owned());
            }
            rows.push(vec![
                shown(&column.name),
                grouped(column.levels as u64),
                grouped(column.empty),
                remarks.join(", "),
            ]);
        }
        text.push_str(&aligned(&rows));
        if !self.ignored.is_empty() {
            text.push_str(&format!("  ignored: {}\n", listed(&self.ignored)));
        }
        text.push_str(&format!(
            "\n{}, {} ({} of the records)\n",
            counted(self.cells as u64, "distinct cell", "distinct cells"),
            counted(self.sample_uniques as u64, "sample unique", "sample uniques"),
            percent(self.sample_uniques as u64, records),
        ));
        text
    }
}

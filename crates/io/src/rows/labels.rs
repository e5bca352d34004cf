//! What a file says about its columns: labels of columns and of values, and how many notes there are.

use std::collections::BTreeMap;
use std::fmt;

/// The labels of a file, column by column.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Labels {
    /// One entry for each column.
    pub columns: Vec<ColumnLabels>,
    /// Notes and other texts that the file holds beside its records.
    pub notes: usize,
}

/// The labels of one column.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ColumnLabels {
    /// What the column is.
    pub label: Option<String>,
    /// What its values are: for a category, as it is read, its label.
    pub values: BTreeMap<Vec<u8>, String>,
    /// The categories that the file calls missing, beside those that are so by themselves.
    pub missing: Vec<Vec<u8>>,
    /// The lowest and the highest number that it calls missing.
    pub missing_range: Option<(Vec<u8>, Vec<u8>)>,
}

impl Labels {
    /// No labels for this many columns.
    #[must_use]
    pub fn none(columns: usize) -> Self {
        Self { columns: vec![ColumnLabels::default(); columns], notes: 0 }
    }
}

/// Labels may be as telling as values.
impl fmt::Debug for Labels {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Labels({} columns, {} notes)", self.columns.len(), self.notes)
    }
}

impl fmt::Debug for ColumnLabels {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "ColumnLabels({} values)", self.values.len())
    }
}

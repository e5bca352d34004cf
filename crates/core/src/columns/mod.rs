//! The columns of a file in memory: names, roles, categories and codes.
//!
//! [`Columns`] is what a reader delivers and what a data frame becomes: no path and no file.
//! A [`Column`] holds one column's categories and codes, a [`Role`] says what may happen to
//! it. Columns that take part have their categories in the order of their bytes, so nothing
//! that follows depends on the order of the records.
//!
//! Way in: [`Columns::new`].

mod column;
mod dependency;
mod dictionary;
mod growing;
mod household;
mod quick;
mod role;
mod uncoded;

pub use column::{Column, ColumnBuilder, ColumnPart, looks_like_id, nearly_all_differ};
pub use dependency::{BrokenDependencies, Dependency, SUPPORT, broken, dependencies};
pub use dictionary::Dictionary;
pub use growing::{GrowingColumn, GrowingList, GrowingPart};
pub use household::{Households, Level, Torn};
pub use role::{DerivedColumn, Role, Roles, did_you_mean};
pub use uncoded::UncodedColumn;

use std::collections::BTreeSet;
use std::sync::Arc;

use rayon::prelude::*;

/// The columns of a file, by position; those that were not read have a name and a role.
#[derive(Debug, Clone)]
pub struct Columns {
    names: Vec<String>,
    roles: Roles,
    columns: Vec<Option<Column>>,
}

impl Columns {
    /// The columns with these names and roles, as far as they were read. Derived columns come
    /// later, with [`Columns::with_derived`].
    ///
    /// # Panics
    /// When there is not a name for each column, a column that takes part was not read, or
    /// the columns differ in length.
    #[must_use]
    pub fn new(names: Vec<String>, roles: Roles, columns: Vec<Option<Column>>) -> Self {
        let derived = names.len() - roles.own();
        assert_eq!(roles.own(), columns.len(), "every column of the file has a name");
        let mut lengths = columns.iter().flatten().map(Column::len);
        let first = lengths.next();
        assert!(lengths.all(|length| Some(length) == first), "all columns have the same records");
        let mut columns: Vec<Option<Column>> = columns
            .into_par_iter()
            .enumerate()
            .map(|(position, column)| match roles.of(position) {
                Role::Ignored => column,
                Role::Variable | Role::Stay => {
                    Some(column.expect("a column that takes part has been read").sorted())
                }
            })
            .collect();
        columns.extend(std::iter::repeat_n(None, derived));
        Self { names, roles, columns }
    }

    /// The same with the derived columns, in their order.
    ///
    /// # Panics
    /// When they are not as many as the roles say, or have other records.
    #[must_use]
    pub fn with_derived(mut self, derived: Vec<Column>) -> Self {
        let (own, records) = (self.roles.own(), self.records());
        assert_eq!(self.names.len(), own + derived.len(), "every derived column has a name");
        for (position, column) in (own..).zip(derived) {
            assert_eq!(column.len(), records, "all columns have the same records");
            self.columns[position] = Some(column.sorted());
        }
        self
    }

    /// The names of the file's columns, without the derived ones.
    #[must_use]
    pub fn own_names(&self) -> &[String] {
        &self.names[..self.roles.own()]
    }

    /// The names of all columns.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The roles of all columns.
    #[must_use]
    pub fn roles(&self) -> &Roles {
        &self.roles
    }

    /// What may happen to a column.
    #[must_use]
    pub fn role(&self, column: usize) -> Role {
        self.roles.of(column)
    }

    /// The position of the column that names the records.
    #[must_use]
    pub fn id(&self) -> Option<usize> {
        self.roles.id()
    }

    /// The column that names the records, if it was read.
    #[must_use]
    pub fn id_column(&self) -> Option<&Column> {
        self.columns[self.id()?].as_ref()
    }

    /// The position of a column.
    #[must_use]
    pub fn position(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|other| other == name)
    }

    /// One column, if it was read.
    #[must_use]
    pub fn get(&self, column: usize) -> Option<&Column> {
        self.columns[column].as_ref()
    }

    /// All columns by position, as far as they were read.
    #[must_use]
    pub fn as_read(&self) -> &[Option<Column>] {
        &self.columns
    }

    /// The columns that were read, with name and role.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Role, &Column)> {
        self.names.iter().zip(&self.columns).enumerate().filter_map(|(position, (name, column))| {
            Some((name.as_str(), self.roles.of(position), column.as_ref()?))
        })
    }

    /// How many records there are.
    #[must_use]
    pub fn records(&self) -> usize {
        self.columns.iter().flatten().next().map_or(0, Column::len)
    }

    /// The records of several parts of one file, one part after the other.
    ///
    /// Law: `parts-merge-to-the-whole`.
    ///
    /// # Panics
    /// When there is no part, or the parts differ in what was read.
    #[must_use]
    pub fn merged(parts: &[&Self]) -> Self {
        let first = parts.first().expect("a file has a part");
        let columns = (0..first.names.len())
            .map(|position| {
                first.columns[position].as_ref()?;
                let part = |part: &&Self| -> Column {
                    part.columns[position].clone().expect("all parts have the same columns")
                };
                let parts: Vec<Column> = parts.iter().map(part).collect();
                Some(Column::merged(&parts.iter().collect::<Vec<_>>()))
            })
            .collect();
        Self { columns, names: first.names.clone(), roles: first.roles.clone() }
    }

    /// The columns of these records alone, in this order.
    ///
    /// # Panics
    /// When there is no such record.
    #[must_use]
    pub fn of_records(&self, records: &[usize]) -> Self {
        let columns = self
            .columns
            .iter()
            .map(|column| column.as_ref().map(|column| column.of_records(records.iter().copied())));
        let mut own: Vec<Option<Column>> = columns.collect();
        let derived = own.split_off(self.roles.own());
        let columns = Self::new(self.names.clone(), self.roles.clone(), own);
        columns.with_derived(derived.into_iter().flatten().collect())
    }

    /// The same columns in the places that another file gives them, by name; its derived columns
    /// are to be derived again.
    ///
    /// # Errors
    /// The name of a column that was read of one file and not of the other.
    pub fn in_the_order_of(mut self, other: &Self) -> Result<Self, String> {
        let mut columns = Vec::with_capacity(other.names.len());
        let theirs = other.own_names().iter().zip(&other.columns);
        for (position, (name, theirs)) in theirs.enumerate() {
            let place = self.position(name);
            let column = place.and_then(|place| self.columns[place].take());
            if theirs.is_some() != column.is_some() && other.id() != Some(position) {
                return Err(name.clone());
            }
            columns.push(column);
        }
        if let Some(extra) = self.columns.iter().position(Option::is_some) {
            return Err(self.names[extra].clone());
        }
        columns.resize(other.names.len(), None);
        Ok(Self { names: other.names.clone(), roles: other.roles.clone(), columns })
    }

    /// The same with one code for all records of a place in some columns; see [`Column::folded`].
    #[must_use]
    pub(crate) fn folded(
        mut self,
        columns: &BTreeSet<usize>,
        places: &Arc<Vec<u32>>,
        examples: &[u32],
    ) -> Self {
        self.columns.par_iter_mut().enumerate().for_each(|(position, column)| {
            if let Some(column) = column.as_mut().filter(|_| columns.contains(&position)) {
                *column = column.folded(places, examples);
            }
        });
        self
    }

    /// These columns before any is derived from them.
    #[must_use]
    pub fn without_derived(mut self) -> Self {
        let own = self.roles.own();
        self.columns[own..].fill(None);
        self
    }

    /// These columns, where some have other codes.
    ///
    /// # Panics
    /// When there is no such column.
    #[must_use]
    pub fn with_columns(&self, changed: Vec<(usize, Column)>) -> Self {
        let mut after = self.clone();
        for (position, column) in changed {
            after.columns[position] = Some(column);
        }
        after
    }
}

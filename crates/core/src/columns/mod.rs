//! The columns of a file in memory: names, roles, categories and codes.
//!
//! [`Columns`] is what a reader delivers and what a data frame becomes: no path and no file.
//! A [`Column`] holds one column's categories and codes, a [`Role`] says what may happen to
//! it. Columns that take part have their categories in the order of their bytes, so nothing
//! that follows depends on the order of the records.
//!
//! Way in: [`Columns::new`].

mod column;
mod dictionary;
mod role;

pub use column::{Column, ColumnBuilder, looks_like_id, nearly_all_differ};
pub use dictionary::Dictionary;
pub use role::{Role, Roles, did_you_mean};

/// The columns of a file, by position; those that were not read have a name and a role.
#[derive(Debug, Clone)]
pub struct Columns {
    names: Vec<String>,
    roles: Roles,
    columns: Vec<Option<Column>>,
}

impl Columns {
    /// The columns with these names and roles, as far as they were read.
    ///
    /// # Panics
    /// When there is not a name for each column, a column that takes part was not read, or
    /// the columns differ in length.
    #[must_use]
    pub fn new(names: Vec<String>, roles: Roles, columns: Vec<Option<Column>>) -> Self {
        assert_eq!(names.len(), columns.len(), "every column has a name");
        let mut lengths = columns.iter().flatten().map(Column::len);
        let first = lengths.next();
        assert!(lengths.all(|length| Some(length) == first), "all columns have the same records");
        let columns = columns
            .into_iter()
            .enumerate()
            .map(|(position, column)| match roles.of(position) {
                Role::Ignored => column,
                Role::Variable | Role::Stay => {
                    Some(column.expect("a column that takes part has been read").sorted())
                }
            })
            .collect();
        Self { names, roles, columns }
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
        Self::new(self.names.clone(), self.roles.clone(), columns.collect())
    }

    /// The same columns in the places that another file gives them, by name.
    ///
    /// # Errors
    /// The name of a column that one file has read and the other has not.
    pub fn in_the_order_of(mut self, other: &Self) -> Result<Self, String> {
        let mut columns = Vec::with_capacity(other.names.len());
        for (position, (name, theirs)) in other.names.iter().zip(&other.columns).enumerate() {
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
        Ok(Self { names: other.names.clone(), roles: other.roles.clone(), columns })
    }

    /// These columns without those that take no part, but for the one that names the records.
    #[must_use]
    pub fn without_ignored(mut self) -> Self {
        for position in 0..self.columns.len() {
            if self.role(position) == Role::Ignored && self.id() != Some(position) {
                self.columns[position] = None;
            }
        }
        self
    }

    /// These columns, where some have other codes.
    pub(crate) fn with_columns(&self, changed: Vec<(usize, Column)>) -> Self {
        let mut after = self.clone();
        for (position, column) in changed {
            after.columns[position] = Some(column);
        }
        after
    }
}

//! What the kept tables are called, and which of them are published.
//!
//! A table has a name where the project file or a list of tables gives it one. Two names may
//! mean one table: by the same variables, or because a weight joins both.
//!
//! Way in: [`TableNames::of`].

use std::collections::BTreeMap;

use marginswap_core::graph::Scope;
use marginswap_core::varset::VarSet;

use crate::project::Project;

/// The names of the kept tables, by their variables.
#[derive(Debug, Clone, Default)]
pub struct TableNames {
    tables: BTreeMap<Vec<usize>, Named>,
}

#[derive(Debug, Clone, Default)]
struct Named {
    names: Vec<String>,
    published: bool,
}

impl TableNames {
    /// The names that a project gives to tables over these columns.
    #[must_use]
    pub fn of(project: &Project, columns: &[String], scope: &Scope) -> Self {
        let variable = |name: &String| {
            let column = columns.iter().position(|column| column == name)?;
            scope.schema().variable_of(column)
        };
        let weight = project.swap.weight.as_ref().and_then(variable);
        let mut names = Self::default();
        for table in project.kept_tables() {
            let Some(set) = table.variables.iter().map(variable).collect::<Option<VarSet>>() else {
                continue;
            };
            let weighted = weight.map(|weight| set | VarSet::single(weight));
            let scope_has = |set: &VarSet| scope.tables().iter().any(|kept| kept.variables == *set);
            let set = weighted.filter(scope_has).unwrap_or(set);
            let named = names.tables.entry(set.iter().collect()).or_default();
            named.published |= table.published;
            named.names.extend(table.name.filter(|name| !named.names.contains(name)));
        }
        names
    }

    /// What a table is called; several names one after the other.
    #[must_use]
    pub fn name(&self, table: VarSet) -> Option<String> {
        let named = self.get(table)?;
        (!named.names.is_empty()).then(|| named.names.join("; "))
    }

    /// Must a table be kept because it is published?
    #[must_use]
    pub fn is_published(&self, table: VarSet) -> bool {
        self.get(table).is_some_and(|named| named.published)
    }

    fn get(&self, table: VarSet) -> Option<&Named> {
        self.tables.get(&table.iter().collect::<Vec<_>>())
    }
}

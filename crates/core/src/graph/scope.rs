//! A file's columns joined with the tables to keep.
//!
//! "Everything is a margin": that some columns never move is one more margin that holds
//! them all. Where none of them stands in a table they are the one isolated vertex `rest`
//! and need no such margin.

use std::collections::BTreeSet;

use super::{Formula, GeneratingClass, MarginGraph};
use crate::columns::{Role, Roles};
use crate::diagnostic::Diagnostic;
use crate::encode::Schema;
use crate::refusal::Code;
use crate::varset::{MAX_VARIABLES, VarSet};

/// Which variables take part and which tables are kept.
#[derive(Debug, Clone)]
pub struct Scope {
    schema: Schema,
    tables: Vec<KeptTable>,
    class: GeneratingClass,
}

/// One set of variables that must be kept together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeptTable {
    /// Its variables.
    pub variables: VarSet,
    /// Why it is kept.
    pub reason: Reason,
}

/// Why a set of variables is kept together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The user names it as a table to keep.
    Named,
    /// Its columns never move, so they never part.
    Stays,
    /// Its columns only travel together.
    Linked,
}

/// What binds columns beside the named tables, by column positions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ties {
    /// Groups of columns that only travel together.
    pub linked: Vec<BTreeSet<usize>>,
    /// The column of weights: it joins every named table, so that weighted tables are kept.
    pub weight: Option<usize>,
    /// Columns that something asks for by themselves; if they stay, they are not put into
    /// `rest`.
    pub apart: BTreeSet<usize>,
}

impl Scope {
    /// The scope of a file with these columns.
    ///
    /// Law: `what-stays-is-a-margin`.
    ///
    /// # Errors
    /// A table names an unknown or an ignored column, or too many variables take part.
    pub fn new(columns: &[String], roles: &Roles, formula: &Formula) -> Result<Self, Diagnostic> {
        Self::with_ties(columns, roles, formula, &Ties::default())
    }

    /// The scope of a file with these columns, and what else binds them: linked columns are
    /// one more margin, and the weight is one more variable of every table.
    ///
    /// # Errors
    /// As [`Scope::new`].
    pub fn with_ties(
        columns: &[String],
        roles: &Roles,
        formula: &Formula,
        ties: &Ties,
    ) -> Result<Self, Diagnostic> {
        let mut named = formula.resolve(columns)?;
        for table in &mut named {
            table.extend(ties.weight);
        }
        let linked = ties.linked.iter().filter(|group| group.len() > 1);
        let tabled: BTreeSet<usize> =
            named.iter().chain(linked.clone()).flatten().chain(&ties.apart).copied().collect();
        if let Some(&column) = tabled.iter().find(|&&column| roles.of(column) == Role::Ignored) {
            let why = if roles.id() == Some(column) { "is the id" } else { "is ignored" };
            return Err(Diagnostic::new(
                Code::IgnoredInTable,
                format!("a table names `{}`, which {why}", columns[column]),
                "remove the column from the table, or let it stay",
            ));
        }
        let schema = Schema::new(columns, roles, &tabled);
        let count = schema.variables().len();
        if count > MAX_VARIABLES {
            return Err(Diagnostic::new(
                Code::TooManyVariables,
                format!("{count} variables take part, at most {MAX_VARIABLES} can"),
                "name the variables; all other columns then stay",
            ));
        }
        let variable = |column: &usize| {
            schema.variable_of(*column).expect("a column in a table has a variable")
        };
        let mut tables: Vec<KeptTable> = Vec::new();
        for table in &named {
            let variables = table.iter().map(variable).collect();
            // A table that is named twice is kept once.
            if tables.iter().all(|other| other.variables != variables) {
                tables.push(KeptTable { variables, reason: Reason::Named });
            }
        }
        tables.extend(linked.map(|group| KeptTable {
            variables: group.iter().map(variable).collect(),
            reason: Reason::Linked,
        }));
        let staying = schema.staying();
        if staying.len() > 1 {
            tables.push(KeptTable { variables: staying, reason: Reason::Stays });
        }
        let class = GeneratingClass::new(schema.all(), tables.iter().map(|table| table.variables));
        Ok(Self { schema, tables, class })
    }

    /// The scope of tables alone, without a file: their variables in the order named.
    ///
    /// # Errors
    /// Too many variables.
    pub fn of_tables(formula: &Formula) -> Result<Self, Diagnostic> {
        let names = formula.names();
        Self::new(&names, &Roles::all_variables(names.len()), formula)
    }

    /// Δ, with names.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The tables as they were named, each once, and what stays.
    #[must_use]
    pub fn tables(&self) -> &[KeptTable] {
        &self.tables
    }

    /// The margin of the columns that stay, where it is one: some of them stands in a table.
    #[must_use]
    pub fn stay_margin(&self) -> Option<VarSet> {
        let stays = self.tables.iter().find(|table| table.reason == Reason::Stays);
        stays.map(|table| table.variables)
    }

    /// The variables that stand in no named table.
    #[must_use]
    pub fn in_no_named_table(&self) -> VarSet {
        let named = self.tables.iter().filter(|table| table.reason == Reason::Named);
        named.fold(self.schema.all(), |left, table| left - table.variables)
    }

    /// 𝒟: the maximal ones among them.
    #[must_use]
    pub fn class(&self) -> &GeneratingClass {
        &self.class
    }

    /// 𝒟 if one of the kept tables, by its position, were not kept. A smaller table inside
    /// it that was named too stays kept.
    #[must_use]
    pub fn class_without(&self, table: usize) -> GeneratingClass {
        let others = self.tables.iter().enumerate().filter(|(position, _)| *position != table);
        GeneratingClass::new(self.schema.all(), others.map(|(_, table)| table.variables))
    }

    /// The graph of [`Scope::class_without`].
    #[must_use]
    pub fn margin_graph_without(&self, table: usize) -> MarginGraph {
        self.class_without(table).margin_graph()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    fn scope(columns: &[&str], stay: &[&str], keep: &str) -> Scope {
        let columns = names(columns);
        let roles = Roles::assign(&columns, &[], &names(stay), &[], None).unwrap();
        Scope::new(&columns, &roles, &Formula::parse(&[keep]).unwrap()).unwrap()
    }

    #[test]
    fn what_stays_is_isolated_unless_a_table_names_it() {
        let apart = scope(&["a", "b", "c", "d"], &["c", "d"], "a*b");
        assert_eq!(apart.schema().names(apart.schema().all()), ["a", "b", "rest"]);
        assert_eq!(apart.class().uncovered(), VarSet::single(2));
        assert_eq!(apart.stay_margin(), None);

        let tied = scope(&["a", "b", "c", "d"], &["c", "d"], "a*c");
        assert_eq!(tied.schema().names(tied.schema().all()), ["a", "b", "c", "rest"]);
        assert_eq!(tied.class().margins(), [VarSet::from([0, 2]), VarSet::from([2, 3])]);
        assert_eq!(tied.stay_margin(), Some(VarSet::from([2, 3])));
        assert_eq!(tied.in_no_named_table(), VarSet::from([1, 3]));
    }

    #[test]
    fn dropping_a_table_keeps_the_smaller_one_inside() {
        let scope = scope(&["a", "b", "c"], &[], "a*b*c + a*b");
        assert_eq!(scope.class().margins().len(), 1);
        assert_eq!(scope.margin_graph_without(0).edges().collect::<Vec<_>>(), [(0, 1)]);
        assert_eq!(scope.margin_graph_without(1).edges().count(), 3);
    }

    #[test]
    fn a_table_named_twice_is_kept_once() {
        let scope = scope(&["a", "b", "c"], &[], "a*b + b*c + b*a");
        assert_eq!(scope.tables().len(), 2);
        assert_eq!(scope.margin_graph_without(0).edges().collect::<Vec<_>>(), [(1, 2)]);
    }

    #[test]
    fn an_ignored_column_is_in_no_table() {
        let columns = names(&["a", "b"]);
        let roles = Roles::assign(&columns, &[], &[], &names(&["b"]), None).unwrap();
        let error = Scope::new(&columns, &roles, &Formula::parse(&["a*b"]).unwrap()).unwrap_err();
        assert_eq!(error.code, Code::IgnoredInTable);
    }
}

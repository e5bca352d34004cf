//! A file's columns joined with the tables to keep.
//!
//! "Everything is a margin": that some columns never move is one more margin that holds
//! them all. Where none of them is in a table they are one isolated vertex
//! and need no such margin. A derived variable is tied to what it follows from in the same way;
//! for one that follows from a single variable this is no restriction, since every swap keeps
//! one-way tables.

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
    /// It holds a derived variable and all that it follows from.
    Derived,
}

/// What binds columns besides the named tables, by column positions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ties {
    /// Groups of columns that only travel together.
    pub linked: Vec<BTreeSet<usize>>,
    /// The column of weights: it joins every named table, so that weighted tables are kept.
    pub weight: Option<usize>,
    /// The named tables that it joins; all of them where none is named.
    pub weighted: Vec<BTreeSet<usize>>,
    /// Columns that something asks for by themselves; if they stay, each is a
    /// variable of its own.
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
            if ties.weighted.is_empty() || ties.weighted.contains(table) {
                table.extend(ties.weight);
            }
        }
        let linked = ties.linked.iter().filter(|group| group.len() > 1);
        let derived = derived_with_sources(columns.len(), roles);
        let tabled: BTreeSet<usize> = named
            .iter()
            .chain(linked.clone())
            .chain(&derived)
            .flatten()
            .chain(&ties.apart)
            .copied()
            .collect();
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
        tables.extend(derived.iter().map(|group| KeptTable {
            variables: group.iter().map(variable).collect(),
            reason: Reason::Derived,
        }));
        let staying = schema.staying();
        if staying.len() > 1 {
            tables.push(KeptTable { variables: staying, reason: Reason::Stays });
        }
        let class = GeneratingClass::new(schema.all(), generators(&schema, &tables));
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

    /// The margin of the columns that stay, where it is one: at least one of them is in a table.
    #[must_use]
    pub fn stay_margin(&self) -> Option<VarSet> {
        let stays = self.tables.iter().find(|table| table.reason == Reason::Stays);
        stays.map(|table| table.variables)
    }

    /// The variables that are in no named table.
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
        let others: Vec<KeptTable> = others.map(|(_, table)| *table).collect();
        self.class_of(&others)
    }

    /// 𝒟 if these tables of the schema's variables were kept and no others.
    #[must_use]
    pub fn class_of(&self, tables: &[KeptTable]) -> GeneratingClass {
        GeneratingClass::new(self.schema.all(), generators(&self.schema, tables))
    }

    /// The graph of [`Scope::class_without`].
    #[must_use]
    pub fn margin_graph_without(&self, table: usize) -> MarginGraph {
        self.class_without(table).margin_graph()
    }
}

/// Each derived column that may be exchanged, with the columns that it follows from.
fn derived_with_sources(columns: usize, roles: &Roles) -> Vec<BTreeSet<usize>> {
    let exchanged = (0..columns).filter(|&column| roles.of(column) == Role::Variable);
    exchanged
        .filter_map(|column| {
            let sources = roles.sources(column)?.iter().copied();
            Some(sources.chain([column]).collect())
        })
        .collect()
}

/// The sets that keep all these tables. A derived variable adds nothing to a table that holds
/// all it follows from; and a table of derived variables is kept where a table is kept that holds
/// all they follow from.
///
/// Law: `coarser-tables-leave-more-freedom`.
fn generators(schema: &Schema, tables: &[KeptTable]) -> Vec<VarSet> {
    let follows = |variable: usize| schema.variables()[variable].follows;
    let needed = |table: VarSet| -> VarSet {
        let adds = |&one: &usize| follows(one).is_empty() || !follows(one).is_subset(&table);
        table.iter().filter(adds).collect()
    };
    let own = schema.own();
    let from_named: Vec<VarSet> = tables
        .iter()
        .filter(|table| table.reason == Reason::Named)
        .map(|table| needed(table.variables) & own)
        .collect();
    let mut sets = Vec::new();
    for table in tables {
        if table.reason != Reason::Named {
            sets.push(table.variables);
            continue;
        }
        let set = needed(table.variables);
        let derived = set - own;
        let sources = derived.iter().fold(set & own, |all, one| all | follows(one));
        let implied =
            !derived.is_empty() && from_named.iter().any(|other| sources.is_subset(other));
        if !implied {
            sets.push(set);
        }
    }
    sets
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::DerivedColumn;

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
        assert_eq!(apart.schema().names(apart.schema().all()), ["a", "b", "columns that stay"]);
        assert_eq!(apart.class().uncovered(), VarSet::single(2));
        assert_eq!(apart.stay_margin(), None);

        let tied = scope(&["a", "b", "c", "d"], &["c", "d"], "a*c");
        assert_eq!(tied.schema().names(tied.schema().all()), ["a", "b", "c", "d"]);
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

    /// Columns a, b, c and the derived x of a, y of a and b.
    fn derived_scope(stay: &[&str], keep: &str) -> Scope {
        let columns = names(&["a", "b", "c", "x", "y"]);
        let of = |sources: &[usize]| DerivedColumn {
            sources: sources.iter().copied().collect(),
            takes_part: true,
        };
        let roles = Roles::assign(&columns[..3], &[], &names(stay), &[], None).unwrap();
        let roles = roles.with_derived(vec![of(&[0]), of(&[0, 1])]);
        Scope::new(&columns, &roles, &Formula::parse(&[keep]).unwrap()).unwrap()
    }

    #[test]
    fn derived_variables_are_tied_to_what_they_follow_from() {
        let scope = derived_scope(&[], "x*c");
        let (x, y) = (VarSet::single(3), VarSet::single(4));
        assert_eq!(scope.schema().derived(), x | y);
        let tie = |set: VarSet| KeptTable { variables: set, reason: Reason::Derived };
        assert!(scope.tables().contains(&tie(VarSet::from([0, 3]))));
        assert!(scope.tables().contains(&tie(VarSet::from([0, 1, 4]))));
        assert!(scope.class().margins().contains(&VarSet::from([2, 3])));
        let schema = scope.schema();
        let differing = VarSet::from([0, 1, 3]);
        assert_eq!(schema.followed(VarSet::single(0), differing), VarSet::from([0, 3, 4]));
        assert_eq!(schema.followed(VarSet::from([2, 3]), differing), VarSet::single(2));
        assert_eq!(schema.columns_of(VarSet::from([0, 3])), [0]);
        assert!(schema.may_exchange(&[0]) && !schema.may_exchange(&[0, 3]));
    }

    /// Witness: what stays with all its columns needs no tie of its own.
    #[test]
    fn what_follows_from_columns_that_stay_stays() {
        let scope = derived_scope(&["a"], "x*c");
        assert_eq!(scope.schema().staying(), VarSet::from([0, 3]));
        let ties = scope.tables().iter().filter(|table| table.reason == Reason::Derived);
        assert_eq!(ties.map(|tie| tie.variables).collect::<Vec<_>>(), [VarSet::from([0, 1, 4])]);
    }

    #[test]
    fn a_table_of_derived_variables_follows_from_a_finer_one() {
        for (keep, named) in [
            ("a*c + x*c", vec![VarSet::from([0, 2])]),
            ("a*x*c", vec![VarSet::from([0, 2])]),
            ("a*b*c + y*c", vec![VarSet::from([0, 1, 2])]),
            ("a*c + y*c", vec![VarSet::from([0, 2]), VarSet::from([2, 4])]),
        ] {
            let scope = derived_scope(&[], keep);
            let margins = scope.class().margins();
            let found: Vec<VarSet> =
                margins.iter().copied().filter(|margin| margin.contains(2)).collect();
            assert_eq!(found, named, "{keep}");
        }
    }

    #[test]
    fn an_ignored_column_is_in_no_table() {
        let columns = names(&["a", "b"]);
        let roles = Roles::assign(&columns, &[], &[], &names(&["b"]), None).unwrap();
        let error = Scope::new(&columns, &roles, &Formula::parse(&["a*b"]).unwrap()).unwrap_err();
        assert_eq!(error.code, Code::IgnoredInTable);
    }
}

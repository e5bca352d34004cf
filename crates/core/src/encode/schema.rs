//! Which columns take part, and as what.
//!
//! A column has one [`Role`](crate::columns::Role). The variables of Δ are the columns that may be exchanged,
//! those that stay but are in a kept table, and one super-variable, the *rest*, for all other
//! columns that stay: exchanging a variable relative to the rest has an effect, and the rest
//! itself is bound to every other column that stays, so it never travels in part. A rest of one
//! column is called like it, a rest of several [`TOGETHER`].
//!
//! A derived variable follows from others: it has a vertex of its own in the margin graph, tied to
//! what it follows from, and no column that could be exchanged.
//!
//! Trap: leaving the columns that stay out of Δ would lose swaps. Two records that differ
//! in one variable and in a column that stays can be swapped, with an effect.

use std::collections::BTreeSet;

use crate::columns::{Role, Roles};
use crate::varset::VarSet;

/// What several columns that stay and are in no kept table are called together.
pub const TOGETHER: &str = "columns that stay";

/// One variable of Δ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// Its name: the column's, or that of several columns that stay.
    pub name: String,
    /// The columns of the file that it represents.
    pub columns: Vec<usize>,
    /// Does it stay where it is?
    pub stays: bool,
    /// The variables that it follows from; none for one that is no derived variable.
    pub follows: VarSet,
}

/// Δ: the variables that take part, in the file's column order, the rest last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schema {
    variables: Vec<Variable>,
    /// The variable of each column of the file.
    variable_of: Vec<Option<usize>>,
}

impl Schema {
    /// The variables for these columns and roles. `tabled` are the columns that are in a
    /// kept table: of the columns that stay, these keep a place of their own.
    #[must_use]
    pub fn new(columns: &[String], roles: &Roles, tabled: &BTreeSet<usize>) -> Self {
        let mut variables = Vec::new();
        let mut rest = Vec::new();
        for (column, name) in columns.iter().enumerate() {
            let stays = roles.of(column) == Role::Stay;
            match roles.of(column) {
                Role::Ignored => {}
                Role::Stay if !tabled.contains(&column) => rest.push(column),
                Role::Stay | Role::Variable => {
                    let (columns, follows) = (vec![column], VarSet::EMPTY);
                    variables.push(Variable { name: name.clone(), columns, stays, follows });
                }
            }
        }
        if !rest.is_empty() {
            let name = match rest[..] {
                [only] => columns[only].clone(),
                _ => free(TOGETHER, columns),
            };
            let follows = VarSet::EMPTY;
            variables.push(Variable { name, columns: rest, stays: true, follows });
        }
        let mut variable_of = vec![None; columns.len()];
        for (number, variable) in variables.iter().enumerate() {
            variable.columns.iter().for_each(|&column| variable_of[column] = Some(number));
        }
        for (column, variable) in variable_of.iter().enumerate() {
            if let (Some(variable), Some(sources)) = (*variable, roles.sources(column))
                && let [_] = variables[variable].columns[..]
            {
                let follows = sources.iter().filter_map(|&source| variable_of[source]);
                variables[variable].follows = follows.collect();
            }
        }
        Self { variables, variable_of }
    }

    /// The variables that follow from others.
    #[must_use]
    pub fn derived(&self) -> VarSet {
        let derived = |&one: &usize| !self.variables[one].follows.is_empty();
        (0..self.variables.len()).filter(derived).collect()
    }

    /// The derived variables, each with those that it follows from.
    #[must_use]
    pub fn derived_from(&self) -> Vec<(usize, VarSet)> {
        self.derived().iter().map(|one| (one, self.variables[one].follows)).collect()
    }

    /// The variables that are columns of the file: all but the derived ones.
    #[must_use]
    pub fn own(&self) -> VarSet {
        self.all() - self.derived()
    }

    /// The variables that represent one of the first `first` columns of the file.
    #[must_use]
    pub fn standing_for(&self, first: usize) -> VarSet {
        (0..first).filter_map(|column| self.variable_of(column)).collect()
    }

    /// What is exchanged between two records that differ on Δ̄ when these variables are, derived
    /// ones aside: a derived variable is exchanged with something that it follows from.
    ///
    /// Law: `derived-variables-are-linked-columns`.
    #[must_use]
    pub fn followed(&self, exchanged: VarSet, differing: VarSet) -> VarSet {
        let mut followed = exchanged;
        for (variable, Variable { follows, .. }) in self.variables.iter().enumerate() {
            if follows.is_empty() {
                continue;
            }
            match (*follows & differing).meets(&exchanged) {
                true => followed.insert(variable),
                false => followed = followed - VarSet::single(variable),
            }
        }
        followed
    }

    /// These columns alone, each a variable.
    #[must_use]
    pub fn of_columns(names: &[String], columns: &BTreeSet<usize>) -> Self {
        let mut variable_of = vec![None; names.len()];
        let variable = |(number, &column): (usize, &usize)| {
            variable_of[column] = Some(number);
            let (name, columns) = (names[column].clone(), vec![column]);
            Variable { name, columns, stays: false, follows: VarSet::EMPTY }
        };
        let variables = columns.iter().enumerate().map(variable).collect();
        Self { variables, variable_of }
    }

    /// The variables.
    #[must_use]
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// Δ as a set.
    #[must_use]
    pub fn all(&self) -> VarSet {
        VarSet::first(self.variables.len())
    }

    /// The variables that stay where they are.
    #[must_use]
    pub fn staying(&self) -> VarSet {
        (0..self.variables.len()).filter(|&variable| self.variables[variable].stays).collect()
    }

    /// The variable that represents a column of the file.
    #[must_use]
    pub fn variable_of(&self, column: usize) -> Option<usize> {
        self.variable_of.get(column).copied().flatten()
    }

    /// How many columns there are, derived ones included.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.variable_of.len()
    }

    /// The columns of the file that a set of variables represents; a derived variable represents
    /// none.
    #[must_use]
    pub fn columns_of(&self, variables: VarSet) -> Vec<usize> {
        let own = variables.iter().filter(|&one| self.variables[one].follows.is_empty());
        own.flat_map(|variable| self.variables[variable].columns.clone()).collect()
    }

    /// The variables of these columns; a column that takes no part is passed over.
    #[must_use]
    pub fn variables_of(&self, columns: &[usize]) -> VarSet {
        columns.iter().filter_map(|&column| self.variable_of(column)).collect()
    }

    /// Are these columns whole variables that may be exchanged?
    #[must_use]
    pub fn may_exchange(&self, columns: &[usize]) -> bool {
        columns.iter().all(|&column| {
            self.variable_of(column).is_some_and(|variable| {
                let Variable { columns: own, stays, follows, .. } = &self.variables[variable];
                !stays && follows.is_empty() && own.iter().all(|column| columns.contains(column))
            })
        })
    }

    /// The names of a set of variables, in the file's column order.
    #[must_use]
    pub fn names(&self, variables: VarSet) -> Vec<&str> {
        variables.iter().map(|variable| self.variables[variable].name.as_str()).collect()
    }
}

/// The name, or one that no column has.
fn free(name: &str, columns: &[String]) -> String {
    let mut name = name.to_owned();
    while columns.contains(&name) {
        name.push_str(" (together)");
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn what_vars_leaves_out_stays() {
        let columns = names(&["id", "age", "sex", "town"]);
        let roles =
            Roles::assign(&columns, &names(&["age", "sex"]), &[], &names(&["id"]), None).unwrap();
        assert_eq!(
            [0, 1, 2, 3].map(|column| roles.of(column)),
            [Role::Ignored, Role::Variable, Role::Variable, Role::Stay]
        );
        let schema = Schema::new(&columns, &roles, &BTreeSet::new());
        assert_eq!(schema.names(schema.all()), ["age", "sex", "town"]);
        assert_eq!(schema.staying(), VarSet::single(2));
        assert_eq!(schema.variable_of(0), None);
        assert_eq!(schema.variable_of(3), Some(2));
    }

    #[test]
    fn a_column_that_stays_in_a_table_keeps_its_place() {
        let columns = names(&["town", "age", "sex", "income"]);
        let roles = Roles::assign(&columns, &[], &names(&["town", "income"]), &[], None).unwrap();
        let schema = Schema::new(&columns, &roles, &BTreeSet::from([0]));
        assert_eq!(schema.names(schema.all()), ["town", "age", "sex", "income"]);
        assert_eq!(schema.staying(), VarSet::from([0, 3]));
    }

    #[test]
    fn several_columns_that_stay_have_a_name_together() {
        let columns = names(&["age", "town", "street"]);
        let roles = Roles::assign(&columns, &[], &names(&["town", "street"]), &[], None).unwrap();
        let schema = Schema::new(&columns, &roles, &BTreeSet::new());
        assert_eq!(schema.names(schema.all()), ["age", TOGETHER]);
        assert_eq!(schema.standing_for(1), VarSet::single(0));
        assert_eq!(schema.standing_for(2), VarSet::from([0, 1]));
        // A column may have that name.
        let columns = names(&[TOGETHER, "town", "street"]);
        let schema = Schema::new(&columns, &roles, &BTreeSet::new());
        assert_eq!(schema.names(schema.all()), [TOGETHER, "columns that stay (together)"]);
    }
}

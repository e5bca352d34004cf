//! Which columns take part, and as what.
//!
//! A column has one [`Role`]. The variables of Δ are the columns that may be exchanged,
//! those that stay but stand in a kept table, and one super-variable `rest` for all other
//! columns that stay: exchanging a variable relative to `rest` has an effect, and `rest`
//! itself is bound to every other column that stays, so it never travels in part.
//!
//! Trap: leaving the columns that stay out of Δ would lose swaps. Two records that differ
//! in one variable and in a column that stays can be swapped, with an effect.

use std::collections::BTreeSet;

use crate::diagnostic::{Code, Diagnostic};
use crate::varset::VarSet;

/// What may happen to a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Its values may be exchanged between records.
    Variable,
    /// It is released as it is and never exchanged.
    Stay,
    /// It is outside the theory: two records that differ only here are the same record.
    Ignored,
}

/// The role of each column, in the file's order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Roles {
    roles: Vec<Role>,
    id: Option<usize>,
}

impl Roles {
    /// Gives every column its role: variable unless said otherwise; when `vars` names
    /// columns, the ones it leaves out stay. `id` is ignored like `ignored`.
    ///
    /// # Errors
    /// A name that is no column, or a column with two roles.
    pub fn assign(
        columns: &[String],
        vars: &[String],
        stay: &[String],
        ignored: &[String],
        id: Option<&String>,
    ) -> Result<Self, Diagnostic> {
        let default = if vars.is_empty() { Role::Variable } else { Role::Stay };
        let mut roles: Vec<Option<(Role, &str)>> = vec![None; columns.len()];
        for (names, role, option) in [
            (vars, Role::Variable, "--vars"),
            (stay, Role::Stay, "--stay"),
            (ignored, Role::Ignored, "--ignore"),
            (id.map_or(&[], std::slice::from_ref), Role::Ignored, "--id"),
        ] {
            for name in names {
                let column = columns.iter().position(|column| column == name).ok_or_else(|| {
                    Diagnostic::new(
                        Code::UnknownColumn,
                        format!("{option} names `{name}`, which is no column of the file"),
                        did_you_mean(name, columns),
                    )
                })?;
                if let Some((given, other)) = roles[column]
                    && given != role
                {
                    return Err(Diagnostic::new(
                        Code::TwoRoles,
                        format!("column `{name}` is named by {other} and by {option}"),
                        "name it once",
                    ));
                }
                roles[column] = Some((role, option));
            }
        }
        let roles: Vec<Role> =
            roles.into_iter().map(|given| given.map_or(default, |(role, _)| role)).collect();
        if !roles.contains(&Role::Variable) {
            return Err(Diagnostic::new(
                Code::NoVariables,
                format!("none of the {} columns is left as a variable", columns.len()),
                "leave at least one column neither staying nor ignored",
            ));
        }
        let id = id.and_then(|id| columns.iter().position(|column| column == id));
        Ok(Self { roles, id })
    }

    /// Every column a variable.
    #[must_use]
    pub fn all_variables(columns: usize) -> Self {
        Self { roles: vec![Role::Variable; columns], id: None }
    }

    /// The role of a column.
    #[must_use]
    pub fn of(&self, column: usize) -> Role {
        self.roles[column]
    }

    /// The column that names a record.
    #[must_use]
    pub fn id(&self) -> Option<usize> {
        self.id
    }
}

/// One variable of Δ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// Its name: the column's, or `rest`.
    pub name: String,
    /// The columns of the file it stands for.
    pub columns: Vec<usize>,
    /// Does it stay where it is?
    pub stays: bool,
}

/// Δ: the variables that take part, in the file's column order, `rest` last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schema {
    variables: Vec<Variable>,
}

impl Schema {
    /// The variables for these columns and roles. `tabled` are the columns that stand in a
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
                    variables.push(Variable { name: name.clone(), columns: vec![column], stays });
                }
            }
        }
        if !rest.is_empty() {
            let taken = variables.iter().any(|variable| variable.name == "rest");
            let name = if taken { "rest (columns that stay)" } else { "rest" };
            variables.push(Variable { name: name.to_owned(), columns: rest, stays: true });
        }
        Self { variables }
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

    /// The variable that stands for a column of the file.
    #[must_use]
    pub fn variable_of(&self, column: usize) -> Option<usize> {
        self.variables.iter().position(|variable| variable.columns.contains(&column))
    }

    /// The names of a set of variables, in the file's column order.
    #[must_use]
    pub fn names(&self, variables: VarSet) -> Vec<&str> {
        variables.iter().map(|variable| self.variables[variable].name.as_str()).collect()
    }
}

/// A remedy for an unknown name: the nearest one, or where the names are listed.
#[must_use]
pub fn did_you_mean(name: &str, known: &[String]) -> String {
    let folded = name.to_lowercase();
    let nearest = known
        .iter()
        .map(|candidate| {
            (strsim::damerau_levenshtein(&folded, &candidate.to_lowercase()), candidate)
        })
        .min_by_key(|(distance, _)| *distance);
    match nearest {
        Some((distance, candidate)) if distance <= 1 + name.chars().count() / 4 => {
            format!("did you mean `{candidate}`?")
        }
        _ => "`marginswap inspect DATA` lists the columns".to_owned(),
    }
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
        assert_eq!(schema.names(schema.all()), ["age", "sex", "rest"]);
        assert_eq!(schema.staying(), VarSet::single(2));
        assert_eq!(schema.variable_of(0), None);
        assert_eq!(schema.variable_of(3), Some(2));
    }

    #[test]
    fn a_column_that_stays_in_a_table_keeps_its_place() {
        let columns = names(&["town", "age", "sex", "income"]);
        let roles = Roles::assign(&columns, &[], &names(&["town", "income"]), &[], None).unwrap();
        let schema = Schema::new(&columns, &roles, &BTreeSet::from([0]));
        assert_eq!(schema.names(schema.all()), ["town", "age", "sex", "rest"]);
        assert_eq!(schema.staying(), VarSet::from([0, 3]));
    }

    #[test]
    fn a_column_may_be_called_rest() {
        let columns = names(&["rest", "age", "other"]);
        let roles = Roles::assign(&columns, &[], &names(&["other"]), &[], None).unwrap();
        let schema = Schema::new(&columns, &roles, &BTreeSet::new());
        assert_eq!(schema.names(schema.all()), ["rest", "age", "rest (columns that stay)"]);
    }

    #[test]
    fn roles_are_refused_when_they_clash() {
        let columns = names(&["age", "sex"]);
        let code = |vars: &[&str], stay: &[&str], ignored: &[&str]| {
            Roles::assign(&columns, &names(vars), &names(stay), &names(ignored), None)
                .unwrap_err()
                .code
        };
        assert_eq!(code(&["age"], &["age"], &[]), Code::TwoRoles);
        assert_eq!(code(&["agee"], &[], &[]), Code::UnknownColumn);
        assert_eq!(code(&[], &["age"], &["sex"]), Code::NoVariables);
    }

    #[test]
    fn the_nearest_name_is_offered() {
        let known = names(&["region", "marital-status", "Age"]);
        assert_eq!(did_you_mean("regoin", &known), "did you mean `region`?");
        assert_eq!(did_you_mean("age", &known), "did you mean `Age`?");
        assert_eq!(did_you_mean("xyz", &known), "`marginswap inspect DATA` lists the columns");
    }
}

//! What may happen to each column.
//!
//! After the columns of a file there may be derived ones, which follow from them. A derived
//! column is never written out: it stays where all that it follows from stays, and is exchanged
//! with it otherwise.

use std::collections::BTreeSet;

use super::Level;
use crate::diagnostic::Diagnostic;
use crate::refusal::Code;

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

/// The role of each column, in the file's order, derived columns last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Roles {
    roles: Vec<Role>,
    id: Option<usize>,
    /// The columns that each derived column follows from.
    derived: Vec<BTreeSet<usize>>,
}

/// A column that follows from columns of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DerivedColumn {
    /// Their positions; none where it is counted from all lines of a household, which no
    /// exchange of households changes: then it stays.
    pub sources: BTreeSet<usize>,
    /// Does it take part, or is it only looked at?
    pub takes_part: bool,
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
        for (names, role, word) in [
            (vars, Role::Variable, "a variable"),
            (stay, Role::Stay, "a column that stays"),
            (ignored, Role::Ignored, "an ignored column"),
            (id.map_or(&[], std::slice::from_ref), Role::Ignored, "the id"),
        ] {
            for name in names {
                let column = columns.iter().position(|column| column == name).ok_or_else(|| {
                    Diagnostic::new(
                        Code::UnknownColumn,
                        format!("`{name}`, named as {word}, is not a column of the file"),
                        did_you_mean(name, columns),
                    )
                })?;
                if let Some((given, other)) = roles[column]
                    && given != role
                {
                    return Err(Diagnostic::new(
                        Code::TwoRoles,
                        format!("column `{name}` is named as {other} and as {word}"),
                        "give it one role",
                    ));
                }
                roles[column] = Some((role, word));
            }
        }
        let roles: Vec<Role> =
            roles.into_iter().map(|given| given.map_or(default, |(role, _)| role)).collect();
        if !roles.contains(&Role::Variable) {
            return Err(Diagnostic::new(
                Code::NoVariables,
                format!("all {} columns stay or are ignored", columns.len()),
                "make at least one column a variable",
            ));
        }
        let id = id.and_then(|id| columns.iter().position(|column| column == id));
        Ok(Self { roles, id, derived: Vec::new() })
    }

    /// Every column a variable.
    #[must_use]
    pub fn all_variables(columns: usize) -> Self {
        Self { roles: vec![Role::Variable; columns], id: None, derived: Vec::new() }
    }

    /// These roles with derived columns after the others. One that takes part may be exchanged
    /// where something that it follows from may.
    ///
    /// # Panics
    /// When a derived column follows from what is no column of the file, or takes part and
    /// follows from one that is ignored.
    #[must_use]
    pub fn with_derived(mut self, derived: Vec<DerivedColumn>) -> Self {
        let own = self.own();
        for DerivedColumn { sources, takes_part } in derived {
            assert!(
                sources.iter().all(|&source| source < own),
                "a derived column follows from columns of the file"
            );
            let any = |role: Role| sources.iter().any(|&source| self.roles[source] == role);
            assert!(!takes_part || !any(Role::Ignored), "an ignored column is outside the theory");
            self.roles.push(match (takes_part, any(Role::Variable)) {
                (false, _) => Role::Ignored,
                (true, true) => Role::Variable,
                (true, false) => Role::Stay,
            });
            self.derived.push(sources);
        }
        self
    }

    /// The roles in the table of households of the file: what varies inside a household takes
    /// no part by itself, the column `id` names the households, and columns that stay come
    /// last.
    ///
    /// # Panics
    /// When there is not a level for each column.
    #[must_use]
    pub fn of_households(&self, levels: &[Level], id: usize, together: usize) -> Self {
        assert_eq!(levels.len(), self.roles.len(), "every column has a level");
        let role = |(&role, level): (&Role, &Level)| match (role, level) {
            (Role::Ignored, _) | (_, Level::Person) => Role::Ignored,
            (_, Level::Composition) => Role::Stay,
            (role, Level::Household) => role,
        };
        let own = self.roles.iter().zip(levels).map(role);
        let roles = own.chain(std::iter::repeat_n(Role::Stay, together)).collect();
        let derived = self.derived.iter().cloned();
        let derived = derived.chain(std::iter::repeat_n(BTreeSet::new(), together)).collect();
        Self { roles, id: Some(id), derived }
    }

    /// How many columns the file has: those after them are derived.
    #[must_use]
    pub fn own(&self) -> usize {
        self.roles.len() - self.derived.len()
    }

    /// The columns that a derived column follows from; `None` for a column of the file.
    #[must_use]
    pub fn sources(&self, column: usize) -> Option<&BTreeSet<usize>> {
        self.derived.get(column.checked_sub(self.own())?)
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

/// A remedy for an unknown name: the nearest one, or where the names are.
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
        _ => "check the names in the header".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
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
        assert_eq!(did_you_mean("xyz", &known), "check the names in the header");
    }
}

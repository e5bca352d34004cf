//! The original and the released file, read over one coding and linked record by record.
//!
//! `verify` and `report` compare them from here on; nothing of how the one was made from the
//! other is used.

use std::path::Path;

use marginswap_core::diagnostic::{Code, Diagnostic};
use marginswap_core::encode::{Records, encode_both};
use marginswap_core::graph::{Formula, Scope};
use marginswap_core::varset::VarSet;
use marginswap_core::verify::{Checks, Link, Triples, Verification, recount, verify};

use crate::input::Loaded;
use crate::job::{link_files, named_tables, open, scope_apart};
use crate::output::talk;
use crate::project::{Columns, Project};

/// Two files that can be compared.
pub struct TwoFiles {
    pub scope: Scope,
    pub before: Loaded,
    pub records_before: Records,
    pub records_after: Records,
    /// Which record became which, if that is known.
    pub link: Option<Link>,
    /// The tables that must not have changed.
    pub tables: Vec<VarSet>,
    /// What an intruder may know.
    pub keys: VarSet,
}

impl TwoFiles {
    /// Reads both files with the roles that a project gives their columns. `shuffled`: do
    /// their lines not correspond?
    pub fn read(
        project: &Project,
        before_path: &Path,
        after_path: &Path,
        shuffled: bool,
    ) -> Result<Self, Diagnostic> {
        let before = open(project, before_path)?;
        let watched = Formula::parse(&project.report.watch)?.names();
        let scope = scope_apart(project, &before, &watched)?;
        let before = before.read(true)?;

        // The released file may lack columns that take no part.
        let bare = Project { delimiter: project.delimiter, ..Project::default() };
        let names_after = open(&bare, after_path)?.columns().to_vec();
        let there = |names: &[String]| -> Vec<String> {
            names.iter().filter(|name| names_after.contains(name)).cloned().collect()
        };
        let columns = &project.columns;
        let lenient = Project {
            columns: Columns {
                vars: columns.vars.clone(),
                stay: columns.stay.clone(),
                ignore: there(&columns.ignore),
                id: columns.id.clone().filter(|id| names_after.contains(id)),
            },
            ..project.clone()
        };
        let after = open(&lenient, after_path)?.read(true)?;
        // The columns of the released file in the places they have in the original.
        let after = after.in_the_order_of(&before).map_err(|column| {
            Diagnostic::new(
                Code::OtherColumns,
                format!("column `{column}` takes part and stands in one of the two files only"),
                "compare files with the same columns, or leave the column out with --ignore",
            )
            .in_file(after_path)
        })?;
        let (records_before, records_after) =
            encode_both(scope.schema(), before.raw_columns(), after.raw_columns());
        // Without the id that is asked for, nothing tells which line is whose, unless it is
        // known that the id was left out and nothing else was done.
        let release = &project.release;
        let dropped = columns.id.as_ref().is_some_and(|id| release.drop.contains(id));
        let in_order = dropped && release.shuffle != Some(true);
        let id_is_missing =
            before.id_column().is_some() && after.id_column().is_none() && !in_order;
        if id_is_missing {
            talk(
                "note: the released file has not the id column; nothing is said of single records",
            );
        }
        let link = link_files(&before, &after, shuffled || id_is_missing)?;
        Ok(Self {
            tables: named_tables(&scope),
            keys: before.variables(&scope, &project.risk.keys),
            scope,
            before,
            records_before,
            records_after,
            link,
        })
    }

    /// Compares them in every way.
    pub fn verify(&self, triples: Triples) -> Verification {
        let checks = Checks {
            tables: &self.tables,
            keys: self.keys,
            link: self.link.as_ref(),
            compared: self.scope.schema().all(),
            triples,
        };
        verify(&self.records_before, &self.records_after, &checks)
    }

    /// What differs though no swap can change it, beside the named tables: each variable's
    /// own values, what stays, and what is linked.
    pub fn impossible(&self) -> Vec<VarSet> {
        let ties = self.scope.tables().iter().map(|table| table.variables);
        let implied: Vec<VarSet> =
            self.scope.schema().all().iter().map(VarSet::single).chain(ties).collect();
        recount(&self.records_before, &self.records_after, &implied)
            .iter()
            .filter(|check| check.changed > 0 && !self.tables.contains(&check.margin))
            .map(|check| check.margin)
            .collect()
    }
}

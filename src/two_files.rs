//! The original and the released file, read over one coding and linked record by record.
//!
//! `verify` and `report` compare them from here on; nothing of how the one was made from the
//! other is used.

use std::path::Path;

use marginswap_core::diagnostic::{Code, Diagnostic};
use marginswap_core::encode::{Records, encode_both};
use marginswap_core::graph::{Formula, Scope};
use marginswap_core::varset::VarSet;
use marginswap_core::verify::{
    Checks, File, Link, LinkError, Triples, link_by_id, recount, verify,
};
use marginswap_report::verify::VerifyReport;

use crate::input::Loaded;
use crate::job::{named_tables, open, scope_apart};
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
    /// What is wrong with the ids of the released file.
    pub unlinked: Option<String>,
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
        if there(before.names()) != names_after {
            talk(
                "note: the columns of the released file stand in another order, or are not the same",
            );
        }
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
        // It is known that the id was left out, and nothing else was done.
        let release = &project.release;
        let dropped = columns.id.as_ref().is_some_and(|id| release.drop.contains(id));
        let lines = match (shuffled, dropped && release.shuffle != Some(true)) {
            (true, _) => Lines::Shuffled,
            (false, true) => Lines::InOrderWithoutId,
            (false, false) => Lines::InOrder,
        };
        let (link, unlinked) = match link(&before, &after, lines)? {
            Ok(link) => (link, None),
            Err(error) => (None, Some(error.to_string())),
        };
        Ok(Self {
            tables: named_tables(&scope),
            keys: before.variables(&scope, &project.risk.keys),
            scope,
            before,
            records_before,
            records_after,
            link,
            unlinked,
        })
    }

    /// Compares them in every way.
    pub fn verify(&self, triples: Triples) -> VerifyReport {
        let checks = Checks {
            tables: &self.tables,
            keys: self.keys,
            link: self.link.as_ref(),
            compared: self.scope.schema().all(),
            triples,
        };
        let found = verify(&self.records_before, &self.records_after, &checks);
        VerifyReport::new(self.scope.schema(), &found)
            .with_breaks(self.broken(), self.unlinked.clone())
    }

    /// What differs though no swap can change it, beside the named tables: each variable's
    /// own values, what stays, and what is linked.
    fn broken(&self) -> Vec<Vec<String>> {
        let ties = self.scope.tables().iter().map(|table| table.variables);
        let implied: Vec<VarSet> =
            self.scope.schema().all().iter().map(VarSet::single).chain(ties).collect();
        recount(&self.records_before, &self.records_after, &implied)
            .iter()
            .filter(|check| check.changed > 0 && !self.tables.contains(&check.margin))
            .map(|check| self.column_names(check.margin))
            .collect()
    }

    /// The columns of a set of variables: those that stay stand together as one variable, and
    /// are named one by one.
    fn column_names(&self, margin: VarSet) -> Vec<String> {
        let variables = self.scope.schema().variables();
        let columns = margin.iter().flat_map(|variable| &variables[variable].columns);
        columns.map(|&column| self.before.names()[column].clone()).collect()
    }
}

/// What is known of the lines of the two files.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lines {
    /// They correspond where the numbers agree, unless an id says otherwise.
    InOrder,
    /// They correspond, and the id was not released.
    InOrderWithoutId,
    /// They do not correspond.
    Shuffled,
}

/// Which record of one file became which of the other: by id where both have one, else by
/// position where the numbers agree. A released file that lost, gained or repeated an id is
/// an answer, an original that repeats one is not.
fn link(
    before: &Loaded,
    after: &Loaded,
    lines: Lines,
) -> Result<Result<Option<Link>, LinkError>, Diagnostic> {
    match (before.id_column(), after.id_column()) {
        (Some(left), Some(right)) => {
            // A file whose ids differ links to itself.
            link_by_id(left, left).map_err(|error| {
                let (LinkError::Repeated { record, .. } | LinkError::Missing { record, .. }) =
                    error;
                Diagnostic::new(
                    Code::NotLinked,
                    LinkError::Repeated { file: File::Before, record }.to_string(),
                    "leave out --id to compare line by line, or give --shuffled",
                )
            })?;
            Ok(link_by_id(left, right).map(|map| Some(Link::ByMap(map))))
        }
        (Some(_), None) if lines != Lines::InOrderWithoutId => {
            // Without the id that is asked for, nothing tells which line is whose.
            talk(
                "note: the released file has not the id column; nothing is said of single records",
            );
            Ok(Ok(None))
        }
        _ => {
            let same = before.records_read() == after.records_read();
            Ok(Ok((same && lines != Lines::Shuffled).then_some(Link::ByPosition)))
        }
    }
}

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
    Checks, File, Link, LinkError, Pooled, Triples, changes, compare_tables, link_by_id, recount,
    verify,
};
use marginswap_report::verify::VerifyReport;

use crate::input::Loaded;
use crate::notes::{Note, Run};
use crate::prepare::{named_tables, open, scope_apart};
use crate::project::{Columns, Project};

/// Two files that can be compared.
pub struct TwoFiles {
    pub scope: Scope,
    pub before: Loaded,
    pub records_before: Records,
    pub records_after: Records,
    /// Which record became which, if that is known.
    pub link: Option<Link>,
    /// Do the lines of the released file look like those of the original in another order, so
    /// that [`TwoFiles::settle`] took the link away?
    pub reordered: bool,
    /// Did a seed tell the order of the released file?
    pub shuffled_by_seed: bool,
    /// The columns that the released file lacks.
    pub dropped: Vec<String>,
    /// Is there an id in the original that the released file lacks, so that nothing links?
    lacks_id: bool,
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
        run: &mut Run<'_>,
    ) -> Result<Self, Diagnostic> {
        let before = open(project, before_path)?;
        let watched = Formula::parse(&project.report.watch)?.names();
        let scope = scope_apart(project, &before, &watched)?;
        let before = before.read(true, run)?;

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
            delimiter: project.delimiter,
            ..Project::default()
        };
        let after = open(&lenient, after_path)?.read(true, run)?;
        if there(before.names()) != names_after {
            run.note(Note::OtherColumns);
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
        let without_id = columns.id.as_ref().is_some_and(|id| release.drop.contains(id));
        let lines = match (shuffled, without_id && release.shuffle != Some(true)) {
            (true, _) => Lines::Shuffled,
            (false, true) => Lines::InOrderWithoutId,
            (false, false) => Lines::InOrder,
        };
        let gone = |name: &&String| !names_after.contains(name);
        let dropped = before.names().iter().filter(gone).cloned().collect();
        let lacks_id = before.id_column().is_some()
            && after.id_column().is_none()
            && lines != Lines::InOrderWithoutId;
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
            reordered: false,
            shuffled_by_seed: false,
            dropped,
            lacks_id,
        })
    }

    /// In how many records the two files differ, whatever their order: the records that would
    /// have to be other ones to make the two the same collection.
    pub fn other_records(&self) -> u64 {
        let all = self.scope.schema().all();
        let pooled = Pooled::of(&self.records_before, &self.records_after);
        let distance = compare_tables(&pooled, &[all])[0].total_variation;
        let records = self.records_before.len().max(self.records_after.len());
        #[allow(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share of records, back to their number"
        )]
        return (distance * records as f64).round() as u64;
    }

    /// To be called where nothing else will tell which line is whose.
    ///
    /// Lines are taken for each other's because they have the same number, and nothing proves
    /// it. Where at least half of those that differ would differ in no collection of records,
    /// another order explains more than swaps do: then nothing is linked.
    pub fn settle(&mut self, run: &mut Run<'_>) {
        if self.lacks_id && self.link.is_none() {
            run.note(Note::NoIdReleased);
        }
        if !matches!(self.link, Some(Link::ByPosition)) {
            return;
        }
        let found = changes(&self.records_before, &self.records_after, &Link::ByPosition);
        let lines = found.map_or(0, |found| found.records);
        if lines > 0 && self.other_records() * 2 <= lines {
            self.link = None;
            self.reordered = true;
            run.note(Note::Reordered);
        }
    }

    /// Compares them in every way.
    pub fn verify(&self, triples: Triples) -> VerifyReport {
        let checks = Checks {
            tables: &self.tables,
            keys: self.keys,
            scenarios: &[],
            link: self.link.as_ref(),
            compared: self.scope.schema().all(),
            triples,
        };
        let found = verify(&self.records_before, &self.records_after, &checks);
        crate::answer::verify(self.scope.schema(), &found)
            .with_breaks(self.broken(), self.unlinked.clone())
            .with_order(self.reordered)
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
            Ok(Ok(None))
        }
        _ => {
            let same = before.records_read() == after.records_read();
            Ok(Ok((same && lines != Lines::Shuffled).then_some(Link::ByPosition)))
        }
    }
}

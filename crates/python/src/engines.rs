//! Tables that an engine holds: the statements, and a plan from counted cells.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use marginswap_core::diagnostic::Diagnostic;
use marginswap_io::publish_all;
use marginswap_pipeline::on_cells::{self, Moves};
use marginswap_pipeline::project;
use marginswap_pipeline::refusal::Code;
use marginswap_pipeline::sql::{Dialect, Statements as Sql};
use marginswap_report::cells::CellsReport;
use pyo3::prelude::*;

use crate::answer::Answer;
use crate::frame::{Frame, RowNumbers};
use crate::jobs::{Asked, Terms};
use crate::refusal::OrRaise;
use crate::work::{How, carry_out};

/// The four statements for one table of an engine.
#[pyclass(frozen, module = "marginswap")]
pub struct Statements(Sql);

#[pymethods]
impl Statements {
    /// The statements for these columns; the settings say which of them make a cell.
    #[new]
    #[pyo3(signature = (asked, dialect, columns, id, not_null=vec![]))]
    fn new(
        py: Python<'_>,
        asked: Asked<'_>,
        dialect: &str,
        columns: Vec<String>,
        id: &str,
        not_null: Vec<String>,
    ) -> PyResult<Self> {
        let project = asked.project(py, "protect")?;
        let dialect: Dialect = dialect.parse().expect("the package names its dialects");
        Sql::new(dialect, &columns, id, &project, &not_null).or_raise(py).map(Self)
    }

    #[getter]
    fn cell(&self) -> Vec<String> {
        self.0.cell().to_vec()
    }

    #[getter]
    fn released(&self) -> Vec<String> {
        self.0.released()
    }

    fn cells(&self, table: &str) -> String {
        self.0.cells(table)
    }

    fn changes(&self, table: &str, moves: &str) -> String {
        self.0.changes(table, moves)
    }

    fn release(&self, table: &str, changes: &str) -> String {
        self.0.release(table, changes)
    }

    fn verify(&self, before: &str, after: &str, columns: Vec<String>) -> String {
        self.0.verify(before, after, &columns)
    }
}

/// A plan from counted cells (SECRET).
#[pyclass(frozen, module = "marginswap")]
pub struct OnCells {
    project: project::Project,
    counts: Vec<u32>,
    report: Mutex<CellsReport>,
    moves: Moves,
    notes: Vec<String>,
}

#[pymethods]
impl OnCells {
    fn __repr__(&self) -> &'static str {
        "OnCells(SECRET)"
    }

    /// The cells of the changed records, their numbers within them, and for each column the cell
    /// whose value each takes.
    fn moves(&self) -> (RowNumbers, RowNumbers, Vec<RowNumbers>) {
        let rows = |rows: &Vec<u32>| RowNumbers::new(rows.as_slice().into());
        let Moves { cells, numbers, from } = &self.moves;
        (rows(cells), rows(numbers), from.iter().map(rows).collect())
    }

    /// The tables to keep, each by the columns that it is a table of; none for one with a derived
    /// variable, which no engine knows.
    fn tables(&self) -> Vec<Option<Vec<String>>> {
        let derived = &self.project.derive;
        let tables = self.project.kept_tables().into_iter();
        tables
            .map(|table| {
                let own = table.variables.iter().all(|name| !derived.contains_key(name));
                own.then_some(table.variables)
            })
            .collect()
    }

    /// The plan in numbers.
    fn answer(&self) -> Answer {
        let report = self.report.lock().unwrap_or_else(PoisonError::into_inner);
        Answer::new(&*report, None, self.notes.clone())
    }

    /// Counts the cells of the released table against the original ones.
    fn recount(
        &self,
        py: Python<'_>,
        released: Frame,
        counts: Vec<u8>,
        how: How,
    ) -> PyResult<Answer> {
        let (project, own, counts) = (self.project.clone(), self.counts.clone(), numbers(&counts));
        let mut report = self.report.lock().unwrap_or_else(PoisonError::into_inner).clone();
        report.risk.clear();
        let (report, notes) = carry_out(py, &how, move |run| {
            on_cells::recount(project, &own, &released.0, &counts, &mut report, run)?;
            Ok(report)
        })?;
        let told = Answer::new(&report, None, self.notes.iter().cloned().chain(notes).collect());
        *self.report.lock().unwrap_or_else(PoisonError::into_inner) = report;
        Ok(told)
    }
}

/// Plans on the cells that an engine counted, with the number of records of each.
#[pyfunction]
pub fn plan_cells(
    py: Python<'_>,
    asked: Asked<'_>,
    cells: Frame,
    counts: Vec<u8>,
    terms: Terms,
) -> PyResult<OnCells> {
    let mut project = asked.project(py, "protect")?;
    refuse_files(&project, &terms).or_raise(py)?;
    // Columns that make no cell are none to the planner.
    project.columns.ignore.clear();
    project.columns.id = None;
    project.release.drop.clear();
    project.frame = Some(cells.0.clone());
    let (counts, seed) = (numbers(&counts), terms.seed());
    let (planned, kept) = (project.clone(), counts.clone());
    let ((report, moves, new_file), notes) = carry_out(py, &asked.how, move |run| {
        let records = counts.iter().map(|&count| u64::from(count)).sum();
        on_cells::weigh(counts.len() as u64, records, run)?;
        let chosen = seed.choose(run)?;
        let demo = chosen.not_for_release;
        let (report, moves) = on_cells::plan(planned, &counts, chosen.seed, demo, run)?;
        Ok((report, moves, chosen.new_file))
    })?;
    publish_all(new_file.into_iter().collect()).or_raise(py)?;
    Ok(OnCells { project, counts: kept, report: Mutex::new(report), moves, notes })
}

/// Refuses what an engine's release does not write.
fn refuse_files(project: &project::Project, terms: &Terms) -> Result<(), Diagnostic> {
    let (release, report) = (&project.release, &project.report);
    let named: [(&Option<PathBuf>, &str, &str); 4] = [
        (&release.out, "release.out", "`write(path)` of the release writes it"),
        (&release.plan, "release.plan", "a plan file holds numbers of records; keep the seed file"),
        (&report.internal, "report.internal", "make the report from the written files"),
        (&report.external, "report.external", "make the report from the written files"),
    ];
    for (file, setting, remedy) in named {
        if file.is_some() {
            let detail = "an engine holds the table, and this file cannot be written for it";
            let refusal = Diagnostic::new(Code::OptionsClash, detail, remedy);
            return Err(refusal.about(format!("{setting}=file")));
        }
    }
    if terms.has_seal() {
        let detail = "a seal is put on a plan file, and an engine's plan has none";
        return Err(Diagnostic::new(Code::OptionsClash, detail, "leave out `seal_file=`"));
    }
    if release.order.is_some_and(|order| order == project::ReleaseOrder::Input) {
        let detail = "the order of an engine's records is its own, and could give swaps away";
        let remedy = "leave it out: the release is sorted by what is released";
        return Err(
            Diagnostic::new(Code::OptionsClash, detail, remedy).about("release.order=input")
        );
    }
    Ok(())
}

/// Numbers of 32 bits without sign, lowest byte first.
fn numbers(bytes: &[u8]) -> Vec<u32> {
    let four = bytes.chunks_exact(4);
    four.map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]])).collect()
}

//! Tables that an engine holds: the statements, and a plan from counted cells.

use std::path::PathBuf;
use std::sync::Arc;

use marginswap_core::diagnostic::Diagnostic;
use marginswap_io::publish_all;
use marginswap_pipeline::notes::Run;
use marginswap_pipeline::on_cells::{self, Decided, Moves, Recounted};
use marginswap_pipeline::project;
use marginswap_pipeline::refusal::Code;
use marginswap_pipeline::sql::{Dialect, Statements as Sql};
use marginswap_report::cells::CellsReport;
use marginswap_report::pictures::waterfall;
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

    fn all(&self, table: &str) -> String {
        self.0.all(table)
    }

    fn ids(&self, table: &str) -> String {
        self.0.ids(table)
    }

    fn collation(&self, table: &str, column: &str) -> String {
        self.0.collation(table, column)
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
    decided: Arc<Decided>,
    notes: Vec<String>,
}

#[pymethods]
impl OnCells {
    fn __repr__(&self) -> &'static str {
        "OnCells(SECRET)"
    }

    /// For each changed record the code of its old value in every column, its number within its
    /// cell, and the code of its new value in every column. Codes count the values of a column in
    /// the order in which the cells have them.
    fn moves(&self) -> (Vec<RowNumbers>, RowNumbers, Vec<RowNumbers>) {
        let cells = self.project.frame.as_ref().expect("a plan on cells has them");
        let Moves { cells: places, numbers, from } = &self.decided.moves;
        let of = |column: usize, lines: &[u32]| RowNumbers::new(cells.codes(column, lines).into());
        let old = (0..from.len()).map(|column| of(column, places));
        let new = from.iter().enumerate().map(|(column, lines)| of(column, lines));
        (old.collect(), RowNumbers::new(numbers.as_slice().into()), new.collect())
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

    /// Compares the counted cells of the released table with the original ones.
    fn certify(&self, py: Python<'_>, released: Frame, how: How) -> PyResult<Answer> {
        self.compare(py, &how, move |decided, run| {
            decided.certify(Recounted::Cells(&released.0), run)
        })
    }

    /// The same where it is told which cells have fewer records than in the original, and which
    /// have more.
    fn certify_differences(
        &self,
        py: Python<'_>,
        label: String,
        left: Option<Frame>,
        came: Option<Frame>,
        how: How,
    ) -> PyResult<Answer> {
        self.compare(py, &how, move |decided, run| {
            let [left, came] = [&left, &came].map(|one| one.as_ref().map(|frame| &frame.0));
            decided.certify(Recounted::Differences { label: &label, left, came }, run)
        })
    }
}

impl OnCells {
    fn compare(
        &self,
        py: Python<'_>,
        how: &How,
        certify: impl FnOnce(&Decided, &mut Run<'_>) -> Result<CellsReport, Diagnostic> + Send + 'static,
    ) -> PyResult<Answer> {
        let decided = Arc::clone(&self.decided);
        let (report, notes) = carry_out(py, how, move |run| certify(&decided, run))?;
        let picture = waterfall::draw("", &report.protect.plan.coverage());
        let picture = match report.protect.plan.not_for_release {
            true => picture.not_for_release(),
            false => picture,
        };
        let notes = self.notes.iter().cloned().chain(notes).collect();
        Ok(Answer::new(&report, Some(&picture), notes))
    }
}

/// Plans on the cells that an engine counted; `beside` is how many released columns make no cell.
#[pyfunction]
pub fn plan_cells(
    py: Python<'_>,
    asked: Asked<'_>,
    cells: Frame,
    beside: usize,
    terms: Terms,
) -> PyResult<OnCells> {
    let mut project = asked.project(py, "protect")?;
    refuse_files(&project, &terms).or_raise(py)?;
    // Columns that make no cell are none to the planner.
    project.columns.ignore.clear();
    project.columns.id = None;
    project.release.drop.clear();
    project.frame = Some(cells.0);
    let (seed, planned) = (terms.seed(), project.clone());
    let ((decided, new_file), notes) = carry_out(py, &asked.how, move |run| {
        let chosen = seed.choose(run)?;
        let demo = chosen.not_for_release;
        let decided = on_cells::plan(planned, chosen.seed, demo, beside, run)?;
        Ok((decided, chosen.new_file))
    })?;
    publish_all(new_file.into_iter().collect()).or_raise(py)?;
    Ok(OnCells { project, decided: Arc::new(decided), notes })
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

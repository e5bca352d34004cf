//! Tables that an engine holds: the statements, a plan from counted cells, and jobs on the lines that
//! the cells stand for.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::RecordBatchStreamReader;
use arrow_array::types::UInt32Type;
use arrow_array::{Array, UInt32Array};
use arrow_pyarrow::FromPyArrow;
use marginswap_core::diagnostic::Diagnostic;
use marginswap_io::{HouseholdKind, Unfolded, publish_all};
use marginswap_pipeline::job::{self, Decision, Release};
use marginswap_pipeline::notes::Run;
use marginswap_pipeline::on_cells::{self, Changes, Decided, Moves, Recounted};
use marginswap_pipeline::outputs::{Outputs, marked};
use marginswap_pipeline::prepare::TELLING;
use marginswap_pipeline::refusal::Code;
use marginswap_pipeline::seal::SealFrom;
use marginswap_pipeline::sql::{Dialect, Statements as Sql};
use marginswap_pipeline::{answer, project};
use marginswap_report::cells::CellsReport;
use marginswap_report::pictures::{triangle, waterfall};
use marginswap_report::verify::VerifyReport;
use pyo3::prelude::*;

use crate::answer::Answer;
use crate::frame::{Frame, RowNumbers};
use crate::jobs::{
    Asked, Pending, Terms, check_outputs, project_for, published, refuse_out, used_up,
};
use crate::plan::Plan;
use crate::refusal::OrRaise;
use crate::work::{How, carry_out};

/// The four statements for one table of an engine.
#[pyclass(frozen, module = "marginswap")]
pub struct Statements(Sql);

#[pymethods]
impl Statements {
    /// The statements for these columns; the settings, or a plan, say which of them make a cell.
    #[new]
    #[pyo3(signature = (asked, how, columns, id, not_null=vec![], plan=None))]
    fn new(
        py: Python<'_>,
        asked: Asked<'_>,
        how: (String, String),
        columns: Vec<String>,
        id: Option<&str>,
        not_null: Vec<String>,
        plan: Option<&Plan>,
    ) -> PyResult<Self> {
        let (function, dialect) = how;
        let project = match plan {
            Some(plan) => project_for(&asked, py, plan)?,
            None => asked.project(py, &function)?,
        };
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

    #[getter]
    fn columns(&self) -> Vec<String> {
        self.0.columns().to_vec()
    }

    #[getter]
    fn household(&self) -> Option<&str> {
        self.0.household()
    }

    #[pyo3(signature = (table, changes, most=0))]
    fn release(&self, table: &str, changes: &str, most: usize) -> String {
        self.0.release(table, changes, most)
    }

    fn homes(&self, table: &str, texts: bool) -> String {
        self.0.homes(table, texts)
    }

    fn kinds(&self, table: &str, cells: &str, most: usize) -> String {
        self.0.kinds(table, cells, most)
    }

    fn changes_in_homes(&self, table: &str, cells: &str, moves: &str, most: usize) -> String {
        self.0.changes_in_homes(table, cells, moves, most)
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
        let Moves { cells: places, numbers, from, .. } = &self.decided.moves;
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

/// The lines that counted cells stand for (as secret as the data).
#[pyclass(frozen, module = "marginswap")]
pub struct Lines {
    cells: marginswap_io::Frame,
    lines: Unfolded,
}

#[pymethods]
impl Lines {
    /// The lines of cells in a table with columns of these names. `households` are the column that
    /// names them and a stream of their kinds: the cells of the members by their place in
    /// `by_contents`, and behind them how many households are of the kind.
    #[new]
    #[pyo3(signature = (cells, label, names, households=None))]
    fn new(
        py: Python<'_>,
        cells: Frame,
        label: String,
        names: Vec<String>,
        households: Option<(String, Bound<'_, PyAny>)>,
    ) -> PyResult<Self> {
        let households = match &households {
            None => None,
            Some((name, stream)) => {
                let reader = RecordBatchStreamReader::from_pyarrow_bound(stream)?;
                Some((name.as_str(), kinds_of(reader).or_raise(py)?))
            }
        };
        let cells = cells.0;
        let lines = py.detach(|| on_cells::unfold(&cells, &label, &names, households));
        lines.or_raise(py).map(|lines| Self { cells, lines })
    }

    #[getter]
    fn frame(&self) -> Frame {
        Frame(self.lines.frame.clone())
    }

    /// For each kind of household and each of its members the cell, by its place in `by_contents`;
    /// one list for each of the `most` members, with 4,294,967,295 where there is none.
    fn kinds(&self, chosen: Vec<u32>, most: usize) -> Vec<RowNumbers> {
        let kinds = self.lines.kinds().unwrap_or_default();
        let member = |kind: u32, member: usize| {
            kinds[kind as usize].members.get(member).copied().unwrap_or(u32::MAX)
        };
        let of = |place: usize| chosen.iter().map(|&kind| member(kind, place)).collect();
        (0..most).map(|place| RowNumbers::new(of(place))).collect()
    }

    /// Are these the same records, and the same households?
    fn are(&self, other: &Self) -> bool {
        self.lines.frame.same_contents(&other.lines.frame)
    }
}

/// Reads kinds of households.
fn kinds_of(reader: RecordBatchStreamReader) -> Result<Vec<HouseholdKind>, Diagnostic> {
    let mut kinds = Vec::new();
    for batch in reader {
        let batch = batch.map_err(|_| {
            let detail = "the engine cannot hand over what it counted";
            Diagnostic::new(Code::Unreadable, detail, "look at the table with that engine")
        })?;
        let columns: Vec<&UInt32Array> = batch
            .columns()
            .iter()
            .map(|column| column.as_primitive_opt::<UInt32Type>().expect("the package casts them"))
            .collect();
        let (counts, members) = columns.split_last().expect("kinds have counts");
        for row in 0..batch.num_rows() {
            let there = members.iter().filter(|column| column.is_valid(row));
            kinds.push(HouseholdKind {
                members: there.map(|column| column.value(row)).collect(),
                households: counts.value(row),
            });
        }
    }
    Ok(kinds)
}

/// A job on the lines of cells that is decided and not yet carried out (SECRET).
#[pyclass(frozen, module = "marginswap")]
pub struct EngineJob {
    cells: marginswap_io::Frame,
    moves: Moves,
    pending: Mutex<Option<Pending>>,
}

/// What an engine is to carry out, by columns.
type MovesOfHomes = (Vec<u32>, RowNumbers, RowNumbers, Vec<RowNumbers>);

#[pymethods]
impl EngineJob {
    fn __repr__(&self) -> &'static str {
        "EngineJob(SECRET)"
    }

    /// As [`OnCells::moves`].
    fn moves(&self) -> (Vec<RowNumbers>, RowNumbers, Vec<RowNumbers>) {
        let Moves { cells: places, numbers, from, .. } = &self.moves;
        let of =
            |column: usize, lines: &[u32]| RowNumbers::new(self.cells.codes(column, lines).into());
        let old = (0..from.len()).map(|column| of(column, places));
        let new = from.iter().enumerate().map(|(column, lines)| of(column, lines));
        (old.collect(), RowNumbers::new(numbers.as_slice().into()), new.collect())
    }

    /// The kind of the household of each changed record, the number of the household within its
    /// kind, which member of it, and the codes of its new values.
    fn moves_of_homes(&self) -> MovesOfHomes {
        let homes = self.moves.homes.as_ref().expect("households were counted");
        let (_, numbers, new) = self.moves();
        (homes.kinds.clone(), numbers, RowNumbers::new(homes.members.as_slice().into()), new)
    }

    /// Compares the lines of the released cells with the original ones; names the plan and the pages.
    fn certify(&self, py: Python<'_>, released: &Lines, how: How) -> PyResult<(Answer, Plan)> {
        let held = self.pending.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Pending { decision, outputs, notes: before } = held.ok_or_else(used_up)?;
        let released = released.lines.frame.clone();
        let changed = self.moves.changes(&self.cells);
        let cells = self.cells.records() as u64;
        let (release, notes) = carry_out(py, &how, move |run| {
            let release = decision.gathered(&released, &outputs, run)?;
            Ok((counted_answer(&release, changed, cells), release))
        })?;
        let notes = before.into_iter().chain(notes).collect();
        let (answer, plan, _) = published(py, release, notes)?;
        Ok((answer, plan))
    }
}

/// What is said of a release of an engine. Which records changed is known by the plan alone.
fn counted_answer(release: &Release, changes: Changes, cells: u64) -> Answer {
    let complete = |report: &mut VerifyReport| {
        report.records_changed = Some(changes.records);
        report.cells_changed = Some(changes.values);
        if let Some(households) = &mut report.households {
            households.changed = changes.homes;
        }
    };
    let Some(mut protect) = release.answer() else {
        let mut report = answer::verify(&release.comparison);
        complete(&mut report);
        let picture = triangle::draw(&report.triangle());
        return Answer::new(&report, Some(&picture), vec![]);
    };
    complete(&mut protect.verify);
    let not_known = match release.comparison.unread_columns {
        0 => Vec::new(),
        _ => vec![TELLING],
    };
    let picture = waterfall::draw("", &protect.plan.coverage());
    let picture = marked(picture, protect.plan.not_for_release);
    let report = CellsReport { protect, cells, not_known };
    Answer::new(&report, Some(&picture), vec![])
}

impl EngineJob {
    fn new(
        lines: &Lines,
        decision: Decision,
        outputs: Outputs<'static>,
        notes: Vec<String>,
    ) -> Self {
        let moves = Moves::of_lines(&decision.exchanged(), &lines.cells, &lines.lines);
        let pending = Mutex::new(Some(Pending { decision, outputs, notes }));
        Self { cells: lines.cells.clone(), moves, pending }
    }
}

/// Decides the whole job on the lines of cells.
#[pyfunction]
pub fn protect_lines(
    py: Python<'_>,
    asked: Asked<'_>,
    lines: &Lines,
    terms: Terms,
) -> PyResult<EngineJob> {
    let project = asked.project(py, "protect")?;
    refuse_what_engines_sort(&project).or_raise(py)?;
    let (seed, overwrite) = (terms.seed(), terms.overwrite());
    let outputs = Outputs {
        seal: SealFrom(terms.into_seal_file()),
        by_engine: true,
        ..Outputs::of(&project, overwrite)
    };
    let ((decision, outputs), notes) = carry_out(py, &asked.how, move |run| {
        refuse_out(&project)?;
        check_outputs(&project, &outputs, &seed, run)?;
        Ok((job::decide(&project, &seed, &outputs, run)?, outputs))
    })?;
    Ok(EngineJob::new(lines, decision, outputs, notes))
}

/// Follows a plan on the lines of cells.
#[pyfunction]
pub fn apply_lines(
    py: Python<'_>,
    asked: Asked<'_>,
    lines: &Lines,
    plan: &Plan,
    terms: Terms,
) -> PyResult<EngineJob> {
    let project = project_for(&asked, py, plan)?;
    refuse_what_engines_sort(&project).or_raise(py)?;
    let (file, seed) = (plan.file.clone(), terms.seed());
    let outputs = Outputs { by_engine: true, ..Outputs::default() };
    let ((decision, outputs), notes) = carry_out(py, &asked.how, move |run| {
        refuse_out(&project)?;
        Ok((job::follow(&project, (None, file), &seed, &outputs, run)?, outputs))
    })?;
    Ok(EngineJob::new(lines, decision, outputs, notes))
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
    refuse_what_engines_sort(project)
}

/// Refuses to keep an order that an engine does not have.
fn refuse_what_engines_sort(project: &project::Project) -> Result<(), Diagnostic> {
    if project.release.order != Some(project::ReleaseOrder::Input) {
        return Ok(());
    }
    let detail = "the order of an engine's records is its own, and could give swaps away";
    let remedy = "leave it out: the release is sorted by what is released";
    Err(Diagnostic::new(Code::OptionsClash, detail, remedy).about("release.order=input"))
}

//! `plan`, `protect`, `apply`, `frontier`.
//!
//! A table in memory is protected in two calls: `protect_frame` decides and tells which record's
//! value each released record takes; Python gathers them with the table's own library; `certify`
//! reads what was made and compares it with the original.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use marginswap_core::diagnostic::Diagnostic;
use marginswap_io::{Finished, Overwrite, publish_all};
use marginswap_pipeline::frontier::{Cap, Choice};
use marginswap_pipeline::job::{self, Decision, Release};
use marginswap_pipeline::notes::Run;
use marginswap_pipeline::outputs::{Outputs, guard, marked, stage_plan};
use marginswap_pipeline::project;
use marginswap_pipeline::refusal::Code;
use marginswap_pipeline::seal::SealFrom;
use marginswap_pipeline::seed::SeedFrom;
use marginswap_pipeline::settings::{SETTINGS, Setting};
use marginswap_pipeline::{answer, frontier as several};
use marginswap_report::certificate::CertifiedReport;
use marginswap_report::pictures::{frontier as picture, triangle, waterfall};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::answer::Answer;
use crate::frame::{Frame, RowNumbers};
use crate::plan::Plan;
use crate::refusal::{OrRaise, raised};
use crate::settings::{Project, project_of};
use crate::work::{How, carry_out};

/// What every function is asked with.
#[derive(FromPyObject)]
pub struct Asked<'py> {
    project: Option<Project>,
    path: Option<PathBuf>,
    frame: Option<Frame>,
    settings: Bound<'py, PyDict>,
    /// The arguments of the function that are no settings.
    own: Vec<String>,
    /// Columns that the library of the table does not call columns: an index.
    beside: Vec<String>,
    /// Does an engine hold the table?
    in_engine: bool,
    /// How the job runs.
    pub how: How,
}

/// Where the seed comes from, and what may be written.
#[derive(FromPyObject)]
pub struct Terms {
    seed_file: Option<PathBuf>,
    demo_seed: Option<u64>,
    seal_file: Option<PathBuf>,
    force: bool,
}

impl Terms {
    /// Where the seed comes from.
    pub fn seed(&self) -> SeedFrom {
        SeedFrom::flags(self.seed_file.as_deref(), self.demo_seed)
    }

    /// Is a file of a seal named?
    pub fn has_seal(&self) -> bool {
        self.seal_file.is_some()
    }

    /// The file of a seal.
    pub fn into_seal_file(self) -> Option<PathBuf> {
        self.seal_file
    }

    /// May files be replaced?
    pub fn overwrite(&self) -> Overwrite {
        Overwrite::from_force(self.force)
    }
}

impl Asked<'_> {
    /// The project of a call, with the table that it is about.
    pub fn project(&self, py: Python<'_>, function: &str) -> PyResult<project::Project> {
        let (base, path) = (self.project.as_ref(), self.path.clone());
        let given = (&self.settings, &self.own[..]);
        let mut project = project_of(py, function, base, path, given)?;
        leave_out(&mut project, &self.beside).or_raise(py)?;
        if self.in_engine && self.frame.is_some() {
            // The engine releases the id; the lines that cells stand for have none.
            project.release.release_id = None;
        }
        project.frame = self.frame.as_ref().map(|frame| frame.0.clone());
        Ok(project)
    }
}

/// An index takes no part, whatever its name. It may name the records or their households.
fn leave_out(project: &mut project::Project, beside: &[String]) -> Result<(), Diagnostic> {
    const MAY: [&str; 4] = ["columns.id", "columns.ignore", "release.drop", "unit.household"];
    for name in beside {
        let naming = |setting: &&Setting| setting.columns(project).contains(name);
        let mut naming = SETTINGS.iter().filter(naming);
        let may = |setting: &&Setting| MAY.contains(&setting.key().as_str());
        if let Some(setting) = naming.clone().find(|setting| !may(setting)) {
            let detail = format!("`{name}` is an index of the data frame, which takes no part");
            let remedy = "make it a column with `reset_index()`";
            let refusal = Diagnostic::new(Code::IgnoredInTable, detail, remedy);
            return Err(refusal.about(format!("{}={name}", setting.key())));
        }
        if naming.all(|setting| setting.key() == "release.drop") {
            project.columns.ignore.push(name.clone());
        }
    }
    Ok(())
}

fn missing(detail: &str, remedy: &str) -> Diagnostic {
    Diagnostic::new(Code::MissingSetting, detail, remedy)
}

fn no_out() -> Diagnostic {
    missing("no released file is named", "give `out=`, or a table in memory")
}

fn seal_needs_a_plan(outputs: &Outputs<'_>) -> Result<(), Diagnostic> {
    match outputs.seal.file().is_some() && outputs.plan.is_none() {
        true => Err(missing("a seal is put on a plan, and no plan is kept", "give `plan=`")),
        false => Ok(()),
    }
}

const PAGES: [&str; 4] = ["release.out", "release.plan", "report.internal", "report.external"];

/// Looks at everything that a call writes.
pub fn check_outputs(
    project: &project::Project,
    outputs: &Outputs<'_>,
    seed: &SeedFrom,
    run: &mut Run<'_>,
) -> Result<(), Diagnostic> {
    seal_needs_a_plan(outputs)?;
    let inputs = [seed.file(), outputs.seal.file()];
    guard(&[project], &outputs.paths(), &PAGES, &inputs, outputs.overwrite, run)
}

/// Decides the swaps.
#[pyfunction]
pub fn plan(py: Python<'_>, asked: Asked<'_>, terms: Terms) -> PyResult<(Answer, Plan)> {
    let project = asked.project(py, "plan")?;
    let seed = terms.seed();
    let ((report, file, chosen), notes) =
        carry_out(py, &asked.how, move |run| job::plan(&project, &seed, run))?;
    publish_all(chosen.new_file.into_iter().collect()).or_raise(py)?;
    let picture = marked(waterfall::draw("", &report.coverage()), report.not_for_release);
    Ok((Answer::new(&report, Some(&picture), notes), Plan { file, path: None }))
}

/// The whole job on a file.
#[pyfunction]
pub fn protect_file(
    py: Python<'_>,
    asked: Asked<'_>,
    terms: Terms,
) -> PyResult<(Answer, Plan, Option<PathBuf>)> {
    let project = asked.project(py, "protect")?;
    let (seed, overwrite) = (terms.seed(), terms.overwrite());
    let seal = SealFrom(terms.seal_file);
    let outputs = Outputs { seal, ..Outputs::of(&project, overwrite) };
    let (release, notes) = carry_out(py, &asked.how, move |run| {
        project.release.out.as_ref().ok_or_else(no_out)?;
        check_outputs(&project, &outputs, &seed, run)?;
        job::protect(&project, &seed, &outputs, run).map(answered)
    })?;
    published(py, release, notes)
}

/// What is said of a release: all of `protect` where it was planned, the comparison alone where a
/// plan was followed.
fn answered(release: Release) -> (Answer, Release) {
    let answer = match release.answer() {
        Some(report) => {
            let picture = waterfall::draw("", &report.plan.coverage());
            Answer::new(&report, Some(&picture), vec![])
        }
        None => {
            let report = answer::verify(&release.comparison);
            if let Some(certificate) = &release.certificate {
                let picture = triangle::draw(&report.triangle());
                let report = CertifiedReport { certificate, internal: &report };
                return (Answer::new(&report, Some(&picture), vec![]), release);
            }
            Answer::new(&report, Some(&triangle::draw(&report.triangle())), vec![])
        }
    };
    (answer, release)
}

/// Names what a job has made, unless it is only a copy; the answer, the plan and the released file.
pub fn published(
    py: Python<'_>,
    (answer, mut release): (Answer, Release),
    mut notes: Vec<String>,
) -> PyResult<(Answer, Plan, Option<PathBuf>)> {
    let run = &mut Run::silent();
    release.publish(run).or_raise(py)?;
    notes.extend(run.notes().iter().map(ToString::to_string));
    let path = (!release.is_copy()).then(|| release.comparison.released.0.clone());
    Ok((answer.noted(notes), Plan { file: release.plan, path: None }, path))
}

/// A release in memory that is decided and not yet made (SECRET).
#[pyclass(frozen, module = "marginswap")]
pub struct Made(Mutex<Option<Pending>>);

/// A job that is decided, what it writes, and its notes so far.
pub struct Pending {
    /// What was decided.
    pub decision: Decision,
    /// What is written with it.
    pub outputs: Outputs<'static>,
    /// Its notes so far.
    pub notes: Vec<String>,
}

#[pymethods]
impl Made {
    fn __repr__(&self) -> &'static str {
        "Made(SECRET)"
    }

    /// The released columns: the position of each, and whose values it takes.
    fn takes(&self, py: Python<'_>) -> PyResult<Vec<(usize, RowNumbers)>> {
        let held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let takes = held.as_ref().ok_or_else(used_up)?.decision.takes().or_raise(py)?;
        Ok(takes.into_iter().map(|take| (take.column, RowNumbers::new(take.from))).collect())
    }

    /// Compares the table that was made with the original; writes the plan and the pages.
    fn certify(&self, py: Python<'_>, released: Frame, how: How) -> PyResult<(Answer, Plan)> {
        let held = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Pending { decision, outputs, notes: before } = held.ok_or_else(used_up)?;
        let (release, notes) = carry_out(py, &how, move |run| {
            decision.gathered(&released.0, &outputs, run).map(answered)
        })?;
        let (answer, plan, _) = published(py, release, before.into_iter().chain(notes).collect())?;
        Ok((answer, plan))
    }
}

pub fn used_up() -> PyErr {
    PyRuntimeError::new_err("this release was made already")
}

/// Decides the whole job on a table in memory.
#[pyfunction]
pub fn protect_frame(py: Python<'_>, asked: Asked<'_>, terms: Terms) -> PyResult<Made> {
    let project = asked.project(py, "protect")?;
    let (seed, overwrite) = (terms.seed(), terms.overwrite());
    let seal = SealFrom(terms.seal_file);
    let outputs = Outputs { seal, ..Outputs::of(&project, overwrite) };
    let ((decision, outputs), notes) = carry_out(py, &asked.how, move |run| {
        refuse_out(&project)?;
        check_outputs(&project, &outputs, &seed, run)?;
        Ok((job::decide(&project, &seed, &outputs, run)?, outputs))
    })?;
    Ok(Made(Mutex::new(Some(Pending { decision, outputs, notes }))))
}

/// A released file is written from a file.
pub fn refuse_out(project: &project::Project) -> Result<(), Diagnostic> {
    match &project.release.out {
        None => Ok(()),
        Some(_) => Err(Diagnostic::new(
            Code::OptionsClash,
            "a table in memory is released as a table in memory, and a file is named",
            "leave out `out=` and write the released table yourself, or give a file",
        )),
    }
}

/// The project that a plan is followed in.
pub fn project_for(asked: &Asked<'_>, py: Python<'_>, plan: &Plan) -> PyResult<project::Project> {
    let told = asked.project(py, "apply")?;
    if let Some(base) = &asked.project {
        plan.file.check_parameters(&base.0.parameters()).or_raise(py)?;
    }
    told.following(&plan.file).or_raise(py)
}

/// Follows a plan on a file.
#[pyfunction]
pub fn apply_file(
    py: Python<'_>,
    asked: Asked<'_>,
    plan: &Plan,
    terms: Terms,
) -> PyResult<(Answer, Option<PathBuf>)> {
    let project = project_for(&asked, py, plan)?;
    let (file, named, seed) = (plan.file.clone(), plan.path.clone(), terms.seed());
    let (released, order) = (project.release.out.clone(), project.order());
    let outputs = Outputs { released, order, overwrite: terms.overwrite(), ..Outputs::default() };
    let (release, notes) = carry_out(py, &asked.how, move |run| {
        project.release.out.as_ref().ok_or_else(no_out)?;
        let inputs = [seed.file(), named.as_deref()];
        let own = ["release.out"];
        guard(&[&project], &outputs.paths(), &own, &inputs, outputs.overwrite, run)?;
        job::apply(&project, (named.as_deref(), file), &seed, &outputs, run).map(answered)
    })?;
    let (answer, _, path) = published(py, release, notes)?;
    Ok((answer, path))
}

/// Follows a plan on a table in memory.
#[pyfunction]
pub fn apply_frame(py: Python<'_>, asked: Asked<'_>, plan: &Plan, terms: Terms) -> PyResult<Made> {
    let project = project_for(&asked, py, plan)?;
    let (file, seed) = (plan.file.clone(), terms.seed());
    let outputs = Outputs { order: project.order(), ..Outputs::default() };
    let ((decision, outputs), notes) = carry_out(py, &asked.how, move |run| {
        refuse_out(&project)?;
        Ok((job::follow(&project, (None, file), &seed, &outputs, run)?, outputs))
    })?;
    Ok(Made(Mutex::new(Some(Pending { decision, outputs, notes }))))
}

/// Several plans, risk against change, and the best of them.
#[pyfunction]
#[pyo3(signature = (asked, terms, budgets=None, tries=None, choose="least-risk"))]
pub fn frontier(
    py: Python<'_>,
    asked: Asked<'_>,
    terms: Terms,
    budgets: Option<Vec<String>>,
    tries: Option<NonZeroUsize>,
    choose: &str,
) -> PyResult<(Answer, Option<Plan>)> {
    let project = asked.project(py, "frontier")?;
    let bad = |detail: String, remedy: String, argument: &str| {
        raised(py, &Diagnostic::new(Code::BadEntry, detail, remedy).in_file(argument))
    };
    let choice: Choice = choose
        .parse()
        .map_err(|remedy| bad("this is no way to choose a plan".into(), remedy, "`choose=`"))?;
    let budgets = budgets.unwrap_or_default();
    let budgets = budgets.iter().map(|text| {
        let cap = text.parse::<Cap>();
        cap.map_err(|misfit| bad(misfit.detail, misfit.remedy, "`budgets=`"))
    });
    let budgets: Vec<Cap> = budgets.collect::<PyResult<_>>()?;
    let (seed, overwrite, seal) = (terms.seed(), terms.overwrite(), SealFrom(terms.seal_file));
    let tries = tries.map_or(3, NonZeroUsize::get);
    let (done, notes) = carry_out(py, &asked.how, move |run| {
        let plan = project.release.plan.clone();
        let outputs = Outputs { plan, seal, overwrite, ..Outputs::default() };
        seal_needs_a_plan(&outputs)?;
        let inputs = [seed.file(), outputs.seal.file()];
        guard(&[&project], &outputs.paths(), &["release.plan"], &inputs, overwrite, run)?;
        let mut found = several::frontier(&project, &seed, (&budgets, tries), &choice, run)?;
        let mut files: Vec<Finished> = found.seed.new_file.take().into_iter().collect();
        if let (Some(path), Some(file)) = (&outputs.plan, &found.plan) {
            files.extend(stage_plan(path, file, &outputs.seal, overwrite)?);
        }
        Ok((found, files))
    })?;
    let (found, files) = done;
    publish_all(files).or_raise(py)?;
    let drawn = marked(picture::draw("", &found.report), found.seed.not_for_release);
    let plan = found.plan.map(|file| Plan { file, path: None });
    Ok((Answer::new(&found.report, Some(&drawn), notes), plan))
}

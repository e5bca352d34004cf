//! `plan`, `protect`, `apply`, `frontier`.
//!
//! A table in memory is protected in two calls: `protect_frame` decides and tells which record's
//! value each released record takes; Python gathers them with the table's own library; `certify`
//! reads what was made and compares it with the original.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use marginswap_core::diagnostic::Diagnostic;
use marginswap_io::{Finished, Overwrite, PlanFile, Secrecy, plan_bytes_sealed, publish_all};
use marginswap_pipeline::compare::{Comparison, Evidence, Lines};
use marginswap_pipeline::frontier::{Candidate, Cap, Choice, best, candidates, seeds};
use marginswap_pipeline::notes::Run;
use marginswap_pipeline::prepare::prepare;
use marginswap_pipeline::project::{self, Amount, ReleaseOrder, Share};
use marginswap_pipeline::refusal::Code;
use marginswap_pipeline::release::{ReleaseAs, note_other_plans, note_other_releases, stage};
use marginswap_pipeline::seal::SealFrom;
use marginswap_pipeline::seed::{Chosen, SeedFrom};
use marginswap_pipeline::settings::{SETTINGS, Setting};
use marginswap_pipeline::{answer, in_memory, pipeline};
use marginswap_report::pictures::{frontier as picture, triangle, waterfall};
use marginswap_report::plan::PlanReport;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::answer::Answer;
use crate::files::{Beside, guard};
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

    fn overwrite(&self) -> Overwrite {
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

fn seal_needs_a_plan(beside: &Beside) -> Result<(), Diagnostic> {
    match beside.seal.file().is_some() && beside.plan.is_none() {
        true => Err(missing("a seal is put on a plan, and no plan is kept", "give `plan=`")),
        false => Ok(()),
    }
}

const PAGES: [&str; 4] = ["release.out", "release.plan", "report.internal", "report.external"];

/// Decides the swaps.
#[pyfunction]
pub fn plan(py: Python<'_>, asked: Asked<'_>, terms: Terms) -> PyResult<(Answer, Plan)> {
    let project = asked.project(py, "plan")?;
    let seed = terms.seed();
    let ((report, file, chosen), notes) =
        carry_out(py, &asked.how, move |run| pipeline::plan(project, &seed, run))?;
    publish_all(chosen.new_file.into_iter().collect()).or_raise(py)?;
    let picture = waterfall::draw("", &report.coverage());
    let picture = if report.not_for_release { picture.not_for_release() } else { picture };
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
    let beside = Beside::of(&project, SealFrom(terms.seal_file), overwrite);
    let (done, notes) = carry_out(py, &asked.how, move |run| {
        let out = project.release.out.clone().ok_or_else(|| {
            missing("no released file is named", "give `out=`, or a table in memory")
        })?;
        seal_needs_a_plan(&beside)?;
        let [plan, internal, external] = beside.paths();
        let outputs = [Some(out.as_path()), plan, internal, external];
        guard(&project, &outputs, &PAGES, &[seed.file(), beside.seal.file()], overwrite, run)?;
        let to = ReleaseAs { target: &out, overwrite, order: project.order() };
        let mut job = pipeline::protect(project.clone(), &seed, &to, run)?;
        let shown = out.display().to_string();
        let comparison = &job.certified.comparison;
        let report = answer::protect(job.numbers.clone(), shown, comparison);
        let unchanged = report.verify.judgement.is_unchanged() && overwrite == Overwrite::Refuse;
        let mut files: Vec<Finished> = Vec::new();
        if !unchanged {
            note_other_plans(&out, &job.plan, beside.plan.as_deref(), run);
            files.extend(job.seed.new_file.take());
            files.extend(beside.stage(&job.plan, comparison, run)?);
        }
        Ok((report, job.plan, job.certified, files, (!unchanged).then_some(out)))
    })?;
    let (report, file, certified, files, out) = done;
    let mut notes = notes;
    if out.is_some() {
        let comparison = certified.publish(files).or_raise(py)?;
        notes.extend(told(|run| note_other_releases(&comparison, run)));
    }
    let picture = waterfall::draw("", &report.plan.coverage());
    Ok((Answer::new(&report, Some(&picture), notes), Plan { file, path: None }, out))
}

/// The notes of a step that cannot fail.
fn told(step: impl FnOnce(&mut Run<'_>)) -> Vec<String> {
    let mut run = Run::silent();
    step(&mut run);
    run.notes().iter().map(ToString::to_string).collect()
}

/// A release in memory that is decided and not yet made (SECRET).
#[pyclass(frozen, module = "marginswap")]
pub struct Made(Mutex<Option<Waiting>>);

struct Waiting {
    made: in_memory::Made,
    plan: PlanFile,
    numbers: Option<PlanReport>,
    seed: Option<Chosen>,
    beside: Option<Beside>,
    notes: Vec<String>,
}

impl Made {
    fn new(waiting: Waiting) -> Self {
        Self(Mutex::new(Some(waiting)))
    }
}

#[pymethods]
impl Made {
    fn __repr__(&self) -> &'static str {
        "Made(SECRET)"
    }

    /// The released columns: the position of each, and whose values it takes.
    fn takes(&self) -> PyResult<Vec<(usize, RowNumbers)>> {
        let held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = held.as_ref().ok_or_else(used_up)?;
        let takes = waiting.made.takes.iter();
        Ok(takes.map(|take| (take.column, RowNumbers::new(take.from.clone()))).collect())
    }

    /// Compares the table that was made with the original; writes the plan and the pages.
    fn certify(&self, py: Python<'_>, released: Frame, how: How) -> PyResult<(Answer, Plan)> {
        let held = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let waiting = held.ok_or_else(used_up)?;
        let Waiting { made, plan: file, numbers, seed, beside, notes: before } = waiting;
        let (done, notes) = carry_out(py, &how, move |run| {
            let comparison = made.certify(&released.0, run)?;
            let files = match &beside {
                Some(beside) => beside.stage(&file, &comparison, run)?,
                None => Vec::new(),
            };
            let (answer, file) = answer_of(&comparison, numbers, file);
            Ok((answer, file, files))
        })?;
        let (answer, file, mut files) = done;
        files.splice(0..0, seed.and_then(|seed| seed.new_file));
        publish_all(files).or_raise(py)?;
        let notes = before.into_iter().chain(notes).collect();
        Ok((answer.noted(notes), Plan { file, path: None }))
    }
}

/// What is said of a release in memory: all of `protect` where there are the numbers of its plan,
/// the comparison alone where a plan was followed.
fn answer_of(
    comparison: &Comparison,
    numbers: Option<PlanReport>,
    mut file: PlanFile,
) -> (Answer, PlanFile) {
    let Some(mut numbers) = numbers else {
        let report = answer::verify(comparison);
        let picture = triangle::draw(&report.triangle());
        return (Answer::new(&report, Some(&picture), vec![]), file);
    };
    numbers.protection = answer::protection_of(comparison);
    file.header.summary = serde_json::to_value(&numbers).expect("plain data");
    let shown = comparison.released.0.display().to_string();
    let report = answer::protect(numbers, shown, comparison);
    let picture = waterfall::draw("", &report.plan.coverage());
    (Answer::new(&report, Some(&picture), vec![]), file)
}

fn used_up() -> PyErr {
    PyRuntimeError::new_err("this release was made already")
}

/// Decides the whole job on a table in memory.
#[pyfunction]
pub fn protect_frame(py: Python<'_>, asked: Asked<'_>, terms: Terms) -> PyResult<Made> {
    let project = asked.project(py, "protect")?;
    let (seed, overwrite) = (terms.seed(), terms.overwrite());
    let beside = Beside::of(&project, SealFrom(terms.seal_file), overwrite);
    let ((job, beside), notes) = carry_out(py, &asked.how, move |run| {
        refuse_out(&project)?;
        seal_needs_a_plan(&beside)?;
        let inputs = [seed.file(), beside.seal.file()];
        guard(&project, &beside.paths(), &PAGES, &inputs, overwrite, run)?;
        Ok((in_memory::protect(project, &seed, run)?, beside))
    })?;
    let in_memory::Job { numbers, plan, seed, made } = job;
    let (numbers, seed, beside) = (Some(numbers), Some(seed), Some(beside));
    Ok(Made::new(Waiting { made, plan, numbers, seed, beside, notes }))
}

/// A released file is written from a file.
fn refuse_out(project: &project::Project) -> Result<(), Diagnostic> {
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
fn project_for(asked: &Asked<'_>, py: Python<'_>, plan: &Plan) -> PyResult<project::Project> {
    let told = asked.project(py, "apply")?;
    let from_plan = project::Project::from_parameters(&plan.file.header.parameters);
    let from_plan = from_plan.ok_or_else(|| {
        let detail = "its parameters are not those of a plan";
        Diagnostic::new(Code::NoPlan, detail, "make the plan again")
    });
    if let Some(base) = &asked.project {
        plan.file.check_parameters(&base.0.parameters()).or_raise(py)?;
    }
    let mut project = project::Project {
        data: told.data.clone(),
        frame: told.frame.clone(),
        delimiter: told.delimiter,
        release: told.release.clone(),
        gate: told.gate.clone(),
        verify: told.verify.clone(),
        ..from_plan.or_raise(py)?
    }
    .with_files_of(&told);
    project.risk.risky = project.risk.risky.or(told.risk.risky);
    Ok(project)
}

fn chosen(
    project: &project::Project,
    seed: &SeedFrom,
    run: &mut Run<'_>,
) -> Result<Option<Chosen>, Diagnostic> {
    match project.order() {
        ReleaseOrder::Random => seed.choose(run).map(Some),
        ReleaseOrder::Input => Ok(None),
    }
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
    let (file, seed, overwrite) = (plan.file.clone(), terms.seed(), terms.overwrite());
    let plan_path = plan.path.clone();
    let (done, mut notes) = carry_out(py, &asked.how, move |run| {
        let out = project.release.out.clone().ok_or_else(|| {
            missing("no released file is named", "give `out=`, or a table in memory")
        })?;
        let inputs = [seed.file(), plan_path.as_deref()];
        guard(&project, &[Some(&out)], &["release.out"], &inputs, overwrite, run)?;
        let mut chosen = chosen(&project, &seed, run)?;
        let evidence = Evidence {
            seed: chosen.as_ref().map(|chosen| chosen.seed),
            lines: Lines::written(project.order()),
            demo_seed: file.header.not_for_release,
            ..Evidence::default()
        };
        let to = ReleaseAs { target: &out, overwrite, order: project.order() };
        let certified = pipeline::apply(project, &file, &to, &evidence, run)?;
        let report = answer::verify(&certified.comparison);
        let unchanged = report.judgement.is_unchanged() && overwrite == Overwrite::Refuse;
        if !unchanged {
            note_other_plans(&out, &file, plan_path.as_deref(), run);
        }
        let new_seed = chosen.as_mut().and_then(|chosen| chosen.new_file.take());
        Ok((report, certified, new_seed, (!unchanged).then_some(out)))
    })?;
    let (report, certified, new_seed, out) = done;
    if out.is_some() {
        let comparison = certified.publish(new_seed.into_iter().collect()).or_raise(py)?;
        notes.extend(told(|run| note_other_releases(&comparison, run)));
    }
    Ok((Answer::new(&report, Some(&triangle::draw(&report.triangle())), notes), out))
}

/// Follows a plan on a table in memory.
#[pyfunction]
pub fn apply_frame(py: Python<'_>, asked: Asked<'_>, plan: &Plan, terms: Terms) -> PyResult<Made> {
    let project = project_for(&asked, py, plan)?;
    let (file, seed) = (plan.file.clone(), terms.seed());
    let ((made, file, seed), notes) = carry_out(py, &asked.how, move |run| {
        refuse_out(&project)?;
        let chosen = chosen(&project, &seed, run)?;
        let given = chosen.as_ref().map(|chosen| chosen.seed);
        let made = in_memory::apply(project, &file, given, run)?;
        Ok((made, file, chosen))
    })?;
    Ok(Made::new(Waiting { made, plan: file, numbers: None, seed, beside: None, notes }))
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
        let plan_file = project.release.plan.clone();
        if seal.file().is_some() && plan_file.is_none() {
            return Err(missing("a seal is put on a plan, and no plan is kept", "give `plan=`"));
        }
        let (outputs, own) = ([plan_file.as_deref()], ["release.plan"]);
        guard(&project, &outputs, &own, &[seed.file(), seal.file()], overwrite, run)?;
        let caps = match (budgets.is_empty(), project.swap.budget) {
            (false, _) => budgets,
            (true, Some(budget)) => vec![Cap(Some(budget))],
            (true, None) => {
                let percents = [1, 2, 5].map(|percent| Amount::Share(Share::percent(percent)));
                percents.map(|share| Cap(Some(share))).into_iter().chain([Cap(None)]).collect()
            }
        };
        let mut prepared = prepare(project, run)?;
        let chosen = seed.choose(run)?;
        let plans = candidates(&prepared, &caps, &seeds(chosen.seed, tries))?;
        let best = best(&prepared, &plans, choice.criterion);
        let demo = chosen.not_for_release;
        let report = answer::frontier(&prepared, &plans, best, &choice.words, demo);
        let mut files: Vec<Finished> = chosen.new_file.into_iter().collect();
        let mut kept = None;
        if let Some(best) = best {
            let Candidate { cap, planned, foreseen, .. } = &plans[best];
            prepared.original.project.swap.budget = cap.0;
            let mut numbers = prepared.report(planned, demo);
            numbers.protection = prepared.protection(foreseen);
            let file = prepared.plan_header().with(planned.clone(), &numbers);
            if let Some(path) = &plan_file {
                let sealing = seal.for_planning()?;
                let bytes = plan_bytes_sealed(&file, sealing.key.as_ref());
                files.extend(sealing.new_file);
                files.push(stage(path, overwrite, Secrecy::Secret, &bytes)?);
            }
            kept = Some(file);
        }
        Ok((report, files, kept, demo))
    })?;
    let (report, files, kept, demo) = done;
    publish_all(files).or_raise(py)?;
    let drawn = picture::draw("", &report);
    let drawn = if demo { drawn.not_for_release() } else { drawn };
    Ok((Answer::new(&report, Some(&drawn), notes), kept.map(|file| Plan { file, path: None })))
}

//! The way of a job, on one screen.
//!
//! ```text
//! project ─ Original::read ─ prepare ─ plan ─ release ─ Comparison ─ judge ─ answer
//!           columns, cells,  who can   moves,  written,  both files   the one
//!           who is at risk   be parted records read back once         gate
//! ```
//!
//! Every door calls these steps; none has a computation of its own.
//!
//! ```
//! use marginswap_pipeline::notes::Run;
//! use marginswap_pipeline::pipeline::protect;
//! use marginswap_pipeline::project::{Project, ReleaseOrder};
//! use marginswap_pipeline::release::{Overwrite, ReleaseAs};
//! use marginswap_pipeline::seed::SeedFrom;
//!
//! let folder = tempfile::tempdir()?;
//! let (data, out) = (folder.path().join("survey.csv"), folder.path().join("released.csv"));
//! std::fs::write(&data, "town,sex,age\nA,f,1\nA,m,2\nB,f,2\nB,m,1\nA,f,2\nB,m,2\n")?;
//! let mut project = Project { data: Some(data), ..Project::default() };
//! project.keep.tables = vec!["town*sex".into()];
//! project.risk.keys = vec!["sex".into(), "age".into()];
//! let order = ReleaseOrder::Random;
//! let to = ReleaseAs { target: &out, overwrite: Overwrite::Refuse, order };
//! let run = &mut Run::silent();
//! let job = protect(project, &SeedFrom::Demo(1), &to, run).map_err(|error| error.to_string())?;
//! assert!(job.certified.comparison.is_exact());
//! job.certified.publish(vec![]).map_err(|error| error.to_string())?;
//! assert!(out.exists());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use marginswap_core::diagnostic::Diagnostic;
use marginswap_io::PlanFile;
use marginswap_report::plan::PlanReport;

use crate::answer;
use crate::compare::{Comparison, Evidence, Lines};
use crate::input::{Given, Ids};
use crate::notes::{Phase, Run};
use crate::original::{Original, ids_for};
use crate::prepare::prepare;
use crate::project::Project;
use crate::release::{
    self, Certified, ReleaseAs, Steps, check_ending, check_parts, demo_plans, release,
};
use crate::seed::{Chosen, SeedFrom};

/// A whole job, done up to the names of its files.
pub struct Job {
    /// The plan in numbers, with what intruders learn from the written file.
    pub numbers: PlanReport,
    /// The plan (SECRET).
    pub plan: PlanFile,
    /// The seed it was made with.
    pub seed: Chosen,
    /// The released file, proved and not yet named.
    pub certified: Certified,
}

/// More threads than this help nobody; no door starts more, whatever is asked for.
pub const MOST_THREADS: usize = 1024;

/// Plans, writes the released file and compares it with the original.
///
/// # Errors
/// When a file cannot be read or written, a setting does not fit, or the run is cancelled.
pub fn protect(
    project: Project,
    seed: &SeedFrom,
    to: &ReleaseAs<'_>,
    run: &mut Run<'_>,
) -> Result<Job, Diagnostic> {
    run.expect_steps(7);
    check_parts(&project)?;
    let prepared = prepare(project, run)?;
    check_ending(to.target, prepared.original.loaded.format())?;
    let seed = seed.choose(run)?;
    run.begin(Phase::Planning)?;
    // Planning leaves threads idle now and then.
    let records = prepared.original.loaded.records_read();
    let (planned, order) = rayon::join(
        || prepared.plan(seed.seed),
        || release::order(to.order, Some(seed.seed), records),
    );
    let planned = planned?;
    let mut numbers = prepared.report(&planned, seed.not_for_release);
    prepared.note_a_missed_rate(&numbers, run);
    let header = prepared.plan_header();
    let evidence = Evidence {
        seed: Some(seed.seed),
        lines: Lines::written(to.order),
        demo_seed: seed.not_for_release,
        ..Evidence::default()
    };
    let steps = Steps::planned(&planned);
    let certified = release(prepared.into_original(), steps, to, order, &evidence, run)?;
    numbers.protection = answer::protection_of(&certified.comparison);
    let plan = header.with(planned, &numbers);
    Ok(Job { numbers, plan, seed, certified })
}

/// Plans and writes nothing: the plan, what intruders would learn, and the seed.
///
/// # Errors
/// As [`protect`].
pub fn plan(
    project: Project,
    seed: &SeedFrom,
    run: &mut Run<'_>,
) -> Result<(PlanReport, PlanFile, Chosen), Diagnostic> {
    run.expect_steps(4);
    let prepared = prepare(project, run)?;
    let seed = seed.choose(run)?;
    run.begin(Phase::Planning)?;
    let planned = prepared.plan(seed.seed)?;
    let mut numbers = prepared.report(&planned, seed.not_for_release);
    prepared.note_a_missed_rate(&numbers, run);
    let foreseen = prepared.foresee(&planned);
    numbers.protection = prepared.protection(&foreseen);
    numbers.foreseen = Some(prepared.foreseen(&foreseen, seed.not_for_release));
    let plan = prepared.plan_header().with(planned, &numbers);
    Ok((numbers, plan, seed))
}

/// Compares a released file, or a data frame, with the original of a project.
///
/// # Errors
/// When a file cannot be read, or they do not have the same columns.
pub fn compare<'g>(
    project: Project,
    released: impl Into<Given<'g>>,
    evidence: &Evidence<'_>,
    run: &mut Run<'_>,
) -> Result<Comparison, Diagnostic> {
    run.expect_steps(4);
    check_parts(&project)?;
    let households = project.release.households.clone().filter(|_| project.unit.file.is_some());
    let released = match (released.into(), &households) {
        (Given::File(persons), Some(households)) => Given::Files { persons, households },
        (released, _) => released,
    };
    let ids = ids_in(released, &project);
    let original = Original::read_with(project, ids, run)?;
    let demo_plans = demo_plans(&original, released);
    let evidence = Evidence { demo_plans: &demo_plans, ..*evidence };
    Comparison::of(original, released, &evidence, run)
}

/// Are the names of records needed to compare with this file: does it have them too? What cannot
/// be looked at twice, as a pipe, or not at all, may have them.
fn ids_in(released: Given<'_>, project: &Project) -> Ids {
    let source = released.lasts().then(|| released.open(project).ok()).flatten();
    let lacks = |id: &String| source.is_some_and(|source| !source.columns().contains(id));
    match project.columns.id.as_ref().is_none_or(lacks) {
        true => ids_for(project),
        false => Ids::Read,
    }
}

/// Follows a plan that was made before, for the file it was made for. It decides nothing.
///
/// # Errors
/// When the plan is for another file or does not keep what its parameters promise, or a file
/// cannot be read or written.
pub fn apply(
    project: Project,
    plan: &PlanFile,
    to: &ReleaseAs<'_>,
    evidence: &Evidence<'_>,
    run: &mut Run<'_>,
) -> Result<Certified, Diagnostic> {
    run.expect_steps(5);
    check_parts(&project)?;
    let original = Original::read(project, run)?;
    original.check_plan(plan)?;
    let order = release::order(to.order, evidence.seed, original.loaded.records_read());
    release(original, Steps::of(plan), to, order, evidence, run)
}

//! The way of a job, on one screen.
//!
//! ```text
//! project ─ Study::read ─ prepare ─ plan ─ Decision ─ write ─ Comparison ─ Release ─ publish
//!           columns, cells,  who can   moves, records    complete, both files  plan,    named
//!           who is at risk   be parted        and order  not named read once   pages    together
//! ```
//!
//! Every door calls these steps; none has a computation of its own. A file is written here. A data
//! frame is held by its door, which gathers the released rows ([`Decision::takes`]) and hands them
//! back ([`Decision::gathered`]): they are read like a file and compared with the original.
//!
//! Law: `frames-give-what-files-give`.
//!
//! ```
//! use marginswap_pipeline::job::protect;
//! use marginswap_pipeline::notes::Run;
//! use marginswap_pipeline::outputs::{Outputs, Overwrite};
//! use marginswap_pipeline::project::Project;
//! use marginswap_pipeline::seed::SeedFrom;
//!
//! let folder = tempfile::tempdir()?;
//! let (data, out) = (folder.path().join("survey.csv"), folder.path().join("released.csv"));
//! std::fs::write(&data, "town,sex,age\nA,f,1\nA,m,2\nB,f,2\nB,m,1\nA,f,2\nB,m,2\n")?;
//! let mut project = Project { data: Some(data), ..Project::default() };
//! project.keep.tables = vec!["town*sex".into()];
//! project.risk.keys = vec!["sex".into(), "age".into()];
//! project.release.out = Some(out.clone());
//! let outputs = Outputs::of(&project, Overwrite::Force);
//! let run = &mut Run::silent();
//! let mut release = protect(&project, &SeedFrom::Demo(1), &outputs, run).map_err(|why| why.to_string())?;
//! assert!(release.comparison.is_exact());
//! release.publish(run).map_err(|why| why.to_string())?;
//! assert!(out.exists());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use marginswap_core::diagnostic::Diagnostic;
use marginswap_core::plan::{HiddenPeople, Plan};
use marginswap_core::random::Seed;
use marginswap_io::{Finished, Frame, PlanFile, publish_all};
use marginswap_report::certificate::Certificate;
use marginswap_report::plan::{PlanReport, ProtectReport};

use crate::answer;
use crate::compare::{Comparison, Evidence, Lines};
use crate::input::{Given, Ids, Reading};
use crate::mechanism;
use crate::notes::{Phase, Run};
use crate::outputs::{Outputs, Overwrite};
use crate::prepare::{prepare, summary};
use crate::project::{Project, ReleaseOrder};
use crate::refusal::Code;
use crate::release::{
    Steps, Takes, Written, as_bug, check_bytes, check_ending, check_kept, check_parts, demo_plans,
    dropped, exchanged, note_other_plans, note_other_releases, refuse_order, released_order, takes,
    write,
};
use crate::seed::{Chosen, SeedFrom};
use crate::study::Study;
use crate::view::ids_for;

/// More threads than this help nobody; no door starts more, whatever is asked for.
pub const MOST_THREADS: usize = 1024;

/// Plans, writes the released file and compares it with the original.
///
/// # Errors
/// When a file cannot be read or written, a setting does not fit, or the run is cancelled.
pub fn protect(
    project: &Project,
    seed: &SeedFrom,
    outputs: &Outputs<'_>,
    run: &mut Run<'_>,
) -> Result<Release, Diagnostic> {
    decide(project, seed, outputs, run)?.write(outputs, run)
}

/// Follows a plan that was made before, for the file it was made for. It decides nothing. `named` is
/// the plan's own file.
///
/// # Errors
/// When the plan is for another file or does not keep what its parameters promise, or a file
/// cannot be read or written.
pub fn apply(
    project: &Project,
    (named, plan): (Option<&Path>, PlanFile),
    seed: &SeedFrom,
    outputs: &Outputs<'_>,
    run: &mut Run<'_>,
) -> Result<Release, Diagnostic> {
    follow(project, (named, plan), seed, outputs, run)?.write(outputs, run)
}

/// Plans and writes nothing: the plan, what intruders would learn, and the seed.
///
/// # Errors
/// As [`protect`].
pub fn plan(
    project: &Project,
    seed: &SeedFrom,
    run: &mut Run<'_>,
) -> Result<(PlanReport, PlanFile, Chosen), Diagnostic> {
    run.expect_steps(4);
    let prepared = prepare(project, run)?;
    // What following the plan would refuse.
    dropped(prepared.study.people())?;
    let seed = seed.choose(run)?;
    run.begin(Phase::Planning)?;
    let planned = prepared.plan(seed.seed)?;
    let mut numbers = prepared.report(&planned, seed.not_for_release);
    prepared.note_a_missed_rate(&numbers, run);
    let foreseen = prepared.foresee(&planned);
    numbers.protection = prepared.protection(&foreseen);
    numbers.foreseen = Some(prepared.foreseen(&foreseen, seed.not_for_release));
    let plan = prepared.plan_file(planned, &numbers);
    Ok((numbers, plan, seed))
}

/// Compares a released file, or a data frame, with the original of a project.
///
/// # Errors
/// When a file cannot be read, or they do not have the same columns.
pub fn compare<'g>(
    project: &Project,
    released: impl Into<Given<'g>>,
    evidence: &Evidence<'_>,
    run: &mut Run<'_>,
) -> Result<Comparison, Diagnostic> {
    run.expect_steps(4);
    check_parts(project)?;
    let households = project.release.households.clone().filter(|_| project.unit.file.is_some());
    let released = match (released.into(), &households) {
        (Given::File(persons), Some(households)) => Given::Files { persons, households },
        (released, _) => released,
    };
    let ids = ids_in(released, project);
    let original = Study::read_with(project, ids, run)?;
    let demo_plans = demo_plans(&original.units, released);
    let evidence = Evidence { demo_plans: &demo_plans, ..*evidence };
    Comparison::of(original, released, &evidence, run)
}

/// Are the names of records needed to compare with this file: does it have them too? What cannot
/// be looked at twice, as a pipe, or not at all, may have them.
fn ids_in(released: Given<'_>, project: &Project) -> Ids {
    let source = released.lasts().then(|| released.open(Reading::of(project)).ok()).flatten();
    let lacks = |id: &String| source.is_some_and(|source| !source.columns().contains(id));
    match project.columns.id.as_ref().is_none_or(lacks) {
        true => ids_for(project),
        false => Ids::Read,
    }
}

/// Decides the whole job up to what is written.
///
/// # Errors
/// As [`protect`].
pub fn decide(
    project: &Project,
    seed: &SeedFrom,
    outputs: &Outputs<'_>,
    run: &mut Run<'_>,
) -> Result<Decision, Diagnostic> {
    if project.swap.mechanism.is_some() {
        return mechanism::decide(project, seed, outputs, run);
    }
    run.expect_steps(7);
    check_parts(project)?;
    let prepared = prepare(project, run)?;
    let loaded = &prepared.study.units.loaded;
    if let Some(target) = &outputs.released {
        check_ending(target, loaded.format())?;
    }
    dropped(prepared.study.people())?;
    let seed = seed.choose(run)?;
    run.begin(Phase::Planning)?;
    // Planning leaves threads idle now and then.
    let (planned, order) = rayon::join(
        || prepared.plan(seed.seed),
        || match outputs.by_engine {
            true => None,
            false => released_order(outputs.order, Some(seed.seed), loaded.records_read()),
        },
    );
    let mut planned = planned?;
    let numbers = prepared.report(&planned, seed.not_for_release);
    prepared.note_a_missed_rate(&numbers, run);
    let hidden = planned.hidden.take();
    let plan = prepared.plan_file(planned, &numbers);
    let decided = Decided {
        named: outputs.plan.clone(),
        numbers: Some(numbers),
        certificate: None,
        plan,
        hidden,
        order,
        seed: Some(seed.seed),
        new_seed: seed.new_file,
    };
    Decision { original: prepared.into_study(), decided }.checked(outputs, run)
}

/// The same for a plan that was made before.
///
/// # Errors
/// As [`apply`].
pub fn follow(
    project: &Project,
    (named, plan): (Option<&Path>, PlanFile),
    seed: &SeedFrom,
    outputs: &Outputs<'_>,
    run: &mut Run<'_>,
) -> Result<Decision, Diagnostic> {
    run.expect_steps(5);
    let chosen = match outputs.order {
        ReleaseOrder::Random if !outputs.by_engine => Some(seed.choose(run)?),
        ReleaseOrder::Random | ReleaseOrder::Input => None,
    };
    check_parts(project)?;
    let original = Study::read(project, run)?;
    original.check_plan(&plan)?;
    let seed = chosen.as_ref().map(|chosen| chosen.seed);
    let decided = Decided {
        named: named.map(Path::to_owned),
        numbers: None,
        certificate: None,
        plan,
        hidden: None,
        order: seed.and_then(|seed| {
            released_order(outputs.order, Some(seed), original.units.loaded.records_read())
        }),
        seed,
        new_seed: chosen.and_then(|chosen| chosen.new_file),
    };
    Decision { original, decided }.checked(outputs, run)
}

/// A release that is decided and not yet made (SECRET).
pub struct Decision {
    pub(crate) original: Study,
    pub(crate) decided: Decided,
}

pub(crate) struct Decided {
    /// The plan, and its file.
    pub(crate) plan: PlanFile,
    pub(crate) named: Option<PathBuf>,
    /// The plan in numbers, where it was made here.
    pub(crate) numbers: Option<PlanReport>,
    /// What is proved, where a mechanism takes the place of a plan.
    pub(crate) certificate: Option<Certificate>,
    /// Who is hidden by it, where that was counted already.
    pub(crate) hidden: Option<HiddenPeople>,
    /// The record at each place of the release, where they are shuffled.
    pub(crate) order: Option<Vec<u32>>,
    pub(crate) seed: Option<Seed>,
    pub(crate) new_seed: Option<Finished>,
}

impl Decision {
    /// Refuses what may not be released so, before anything is written.
    pub(crate) fn checked(
        self,
        outputs: &Outputs<'_>,
        run: &mut Run<'_>,
    ) -> Result<Self, Diagnostic> {
        dropped(self.original.people())?;
        if outputs.order == ReleaseOrder::Input {
            refuse_order(&self.original)?;
        }
        if let Some(target) = &outputs.released {
            check_ending(target, self.original.units.loaded.format())?;
        }
        run.begin(Phase::Writing)?;
        Ok(self)
    }

    /// The plan (SECRET).
    #[must_use]
    pub fn plan(&self) -> &PlanFile {
        &self.decided.plan
    }

    /// The names of the original's columns.
    #[must_use]
    pub fn names(&self) -> &[String] {
        self.original.units.loaded.own_names()
    }

    /// For each released column, of which original record each released record has its value: what
    /// a door gathers that holds the data.
    ///
    /// # Errors
    /// When a column may not be dropped.
    pub fn takes(&self) -> Result<Vec<Takes>, Diagnostic> {
        let Self { original, decided } = self;
        takes(original, decided.steps(), decided.order.clone())
    }

    /// For each of the original's columns, which record takes the value of which other one: what an
    /// engine carries out that holds the data. Households keep their names.
    #[must_use]
    pub fn exchanged(&self) -> Vec<Vec<(usize, usize)>> {
        exchanged(&self.original, self.decided.steps())
    }

    /// Writes the released file, reads it back and compares it with the original.
    ///
    /// # Errors
    /// When the input has changed, a file cannot be written, or the written bytes do not keep
    /// every table.
    pub fn write(self, outputs: &Outputs<'_>, run: &mut Run<'_>) -> Result<Release, Diagnostic> {
        let target = outputs.released.as_deref().ok_or_else(|| {
            Diagnostic::new(Code::MissingSetting, "no released file is named", "name it")
        })?;
        let Self { original, mut decided } = self;
        let (to, order) = ((target, outputs.overwrite), decided.order.take());
        let Written { persons, sum, households, order } =
            write(&original, decided.steps(), to, order)?;
        decided.order = order;
        // From here on only the bytes that were written count. They are read while they are forced
        // to disk; without either there is no release.
        let (persons, compared) = persons.finish_while(|path| {
            let given = match &households {
                None => Given::File(path),
                Some(households) => Given::Files { persons: path, households: households.path() },
            };
            decided.compare(original, given, outputs, run)
        })?;
        let mut comparison = compared?;
        comparison.released.0 = target.to_owned();
        check_bytes(sum.as_ref(), &comparison.released.1, target)?;
        let files = households.into_iter().chain([persons]).collect();
        decided.finish(comparison, files, outputs, run)
    }

    /// Compares the frame that a door gathered with the original, or the lines of the cells that an
    /// engine counted in what it made.
    ///
    /// # Errors
    /// When it does not keep what it must.
    pub fn gathered(
        self,
        released: &Frame,
        outputs: &Outputs<'_>,
        run: &mut Run<'_>,
    ) -> Result<Release, Diagnostic> {
        let Self { original, decided } = self;
        let comparison = decided.compare(original, Given::Frame(released), outputs, run)?;
        decided.finish(comparison, Vec::new(), outputs, run)
    }
}

impl Decided {
    fn steps(&self) -> Steps<'_> {
        Steps { hidden: self.hidden.as_ref(), ..Steps::of(&self.plan) }
    }

    fn compare(
        &self,
        original: Study,
        released: Given<'_>,
        outputs: &Outputs<'_>,
        run: &mut Run<'_>,
    ) -> Result<Comparison, Diagnostic> {
        let hidden = original.units.hidden_by(self.steps()).map(Cow::into_owned);
        // The order of households is no order of lines.
        let of_lines = !original.units.loaded.is_of_households();
        let evidence = Evidence {
            seed: self.seed.filter(|_| !outputs.by_engine),
            order: self.order.as_deref().filter(|_| of_lines),
            lines: Lines::written(outputs.order),
            demo_seed: self.plan.header.not_for_release,
            hidden: hidden.as_ref(),
            ..Evidence::default()
        };
        Comparison::of(original, released, &evidence, run).map_err(as_bug)
    }

    /// Completes what is written with the released files, and names nothing.
    fn finish(
        self,
        comparison: Comparison,
        released: Vec<Finished>,
        outputs: &Outputs<'_>,
        run: &mut Run<'_>,
    ) -> Result<Release, Diagnostic> {
        check_kept(&comparison)?;
        let Self { mut plan, named, numbers, certificate, new_seed, .. } = self;
        let protection =
            |numbers| PlanReport { protection: answer::protection_of(&comparison), ..numbers };
        let numbers = numbers.map(protection);
        if let Some(numbers) = &numbers {
            plan.header.summary = summary(numbers);
        }
        let is_file = !released.is_empty();
        // Drawing again because nothing was moved would be a choice among results.
        let is_copy = is_file
            && certificate.is_none()
            && outputs.overwrite == Overwrite::Refuse
            && answer::judgement(&comparison.verdict).is_unchanged();
        let mut files: Vec<Finished> = Vec::new();
        if !is_copy {
            if let Some(target) = &outputs.released {
                note_other_plans(target, &plan, named.as_deref(), run);
            }
            files.extend(new_seed);
            if let Some(numbers) = &numbers {
                files.extend(outputs.stage(numbers, &plan, &comparison, run)?);
            }
            if let Some(certificate) = &certificate {
                // Nobody is given what was moved.
                plan.plan = Plan::default();
                files.extend(mechanism::stage(certificate, outputs, &comparison, run)?);
            }
            files.extend(released);
        }
        Ok(Release { comparison, plan, numbers, certificate, files, is_file, is_copy })
    }
}

/// A release that was found to keep every table, its files complete and not yet named. Only a
/// [`Decision`] makes one.
pub struct Release {
    /// What was found in the released data.
    pub comparison: Comparison,
    /// The plan (SECRET).
    pub plan: PlanFile,
    /// The plan in numbers, with what intruders learn, where it was made here.
    pub numbers: Option<PlanReport>,
    /// What is proved, where a mechanism took the place of a plan.
    pub certificate: Option<Certificate>,
    files: Vec<Finished>,
    is_file: bool,
    is_copy: bool,
}

impl Release {
    /// Is nothing exchanged, so that no file is written? An unchanged copy protects nobody.
    #[must_use]
    pub fn is_copy(&self) -> bool {
        self.is_copy
    }

    /// The answer of a job that planned.
    #[must_use]
    pub fn answer(&self) -> Option<ProtectReport> {
        let shown = self.comparison.released.0.display().to_string();
        Some(answer::protect(self.numbers.clone()?, shown, &self.comparison))
    }

    /// Gives everything its name, the released file last: all or nothing.
    ///
    /// # Errors
    /// When a name cannot be given; then none is.
    pub fn publish(&mut self, run: &mut Run<'_>) -> Result<(), Diagnostic> {
        publish_all(std::mem::take(&mut self.files))?;
        if self.is_file && !self.is_copy {
            note_other_releases(&self.comparison, run);
        }
        Ok(())
    }
}

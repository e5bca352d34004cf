//! What a job writes: looked at before any work, staged when it is done, and named together.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use marginswap_core::diagnostic::Diagnostic;
pub use marginswap_io::Overwrite;
use marginswap_io::{
    Finished, LeftoverState, PlanFile, Secrecy, Staged, check_outputs, leftovers,
    plan_bytes_sealed, read_plan,
};
use marginswap_report::Picture;
use marginswap_report::pictures::waterfall;
use marginswap_report::plan::PlanReport;

use crate::answer::Reveal;
use crate::compare::Comparison;
use crate::notes::{Note, Phase, Run};
use crate::pages;
use crate::project::{Project, ReleaseOrder};
use crate::refusal::Code;
use crate::seal::SealFrom;

/// The commands that do a comparison again, as a door types them.
type Replay<'a> = &'a (dyn Fn(&Comparison) -> Vec<String> + Sync);

/// What a job writes.
#[derive(Clone, Default)]
pub struct Outputs<'a> {
    /// The released file; a data frame is released by its door.
    pub released: Option<PathBuf>,
    /// In which order the records are released.
    pub order: ReleaseOrder,
    /// Does an engine release the records, sorted by what is released?
    pub by_engine: bool,
    /// May files be replaced?
    pub overwrite: Overwrite,
    /// The plan (SECRET).
    pub plan: Option<PathBuf>,
    /// The key of its seal.
    pub seal: SealFrom,
    /// The picture of what the plan covers.
    pub picture: Option<PathBuf>,
    /// The page for those who decide.
    pub internal: Option<PathBuf>,
    /// The page for everybody.
    pub external: Option<PathBuf>,
    /// The commands that the page for those who decide repeats.
    pub replay: Option<Replay<'a>>,
}

impl Outputs<'_> {
    /// What a project names.
    #[must_use]
    pub fn of(project: &Project, overwrite: Overwrite) -> Self {
        let (release, report) = (&project.release, &project.report);
        Self {
            released: release.out.clone(),
            order: project.order(),
            overwrite,
            plan: release.plan.clone(),
            internal: report.internal.clone(),
            external: report.external.clone(),
            ..Self::default()
        }
    }

    /// A released file alone, which replaces none.
    #[must_use]
    pub fn released(target: &Path, order: ReleaseOrder) -> Self {
        Self { released: Some(target.to_owned()), order, ..Self::default() }
    }

    /// The files.
    #[must_use]
    pub fn paths(&self) -> [Option<&Path>; 5] {
        let Self { released, plan, picture, internal, external, .. } = self;
        [released, plan, picture, internal, external].map(Option::as_deref)
    }

    /// Everything that is written with the released data, complete and not yet named.
    pub(crate) fn stage(
        &self,
        numbers: &PlanReport,
        plan: &PlanFile,
        comparison: &Comparison,
        run: &mut Run<'_>,
    ) -> Result<Vec<Finished>, Diagnostic> {
        let (overwrite, demo_seed) = (self.overwrite, plan.header.not_for_release);
        let mut staged = Vec::new();
        if let Some(path) = &self.plan {
            staged.extend(stage_plan(path, plan, &self.seal, overwrite)?);
        }
        if let Some(path) = &self.picture {
            let picture = marked(waterfall::draw("", &numbers.coverage()), demo_seed);
            staged.push(stage(path, overwrite, Secrecy::Secret, picture.file().as_bytes())?);
        }
        if self.internal.is_some() || self.external.is_some() {
            run.begin(Phase::Reporting)?;
        }
        if let Some(path) = &self.internal {
            let named = self.plan.clone().unwrap_or_else(|| "PLAN".into());
            let mut page = pages::internal(comparison, Some((&named, plan)), Reveal::Counts)?;
            page.replay = self.replay.map_or_else(Vec::new, |replay| replay(comparison));
            staged.push(stage(path, overwrite, Secrecy::Secret, page.html().as_bytes())?);
        }
        if let Some(path) = &self.external {
            match pages::external(comparison, demo_seed) {
                Ok(page) => {
                    staged.push(stage(path, overwrite, Secrecy::Plain, page.html().as_bytes())?);
                }
                Err(why) => run.note(Note::PageNotWritten { path: path.clone(), why: why.detail }),
            }
        }
        Ok(staged)
    }
}

/// The picture, marked where it was made with a demo seed.
#[must_use]
pub fn marked(picture: Picture, demo_seed: bool) -> Picture {
    if demo_seed { picture.not_for_release() } else { picture }
}

/// Looks at all files before any work is done: each output may be written, and is neither an input
/// nor another file of these projects. `own` are the settings that name outputs of this command,
/// `inputs` the files that it reads besides those that settings name.
///
/// # Errors
/// As [`check_outputs`].
pub fn guard(
    projects: &[&Project],
    outputs: &[Option<&Path>],
    own: &[&str],
    inputs: &[Option<&Path>],
    overwrite: Overwrite,
    run: &mut Run<'_>,
) -> Result<(), Diagnostic> {
    let outputs: Vec<&Path> = outputs.iter().copied().flatten().collect();
    let named: Vec<PathBuf> = projects.iter().flat_map(|project| project.files(own)).collect();
    let inputs = inputs.iter().copied().flatten();
    let guarded: Vec<&Path> = named.iter().map(PathBuf::as_path).chain(inputs).collect();
    check_outputs(&outputs, &guarded, overwrite)?;
    let folder = |output: &&Path| match output.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    };
    for folder in outputs.iter().map(folder).collect::<BTreeSet<PathBuf>>() {
        let left = leftovers(&folder).unwrap_or_default();
        let files = left.iter().filter(|file| file.state != LeftoverState::InUse).count() as u64;
        if files > 0 {
            run.note(Note::Leftovers { folder, files });
        }
    }
    Ok(())
}

/// Writes a file completely, under a temporary name.
///
/// # Errors
/// When it cannot be written.
pub fn stage(
    target: &Path,
    overwrite: Overwrite,
    secrecy: Secrecy,
    text: &[u8],
) -> Result<Finished, Diagnostic> {
    let mut staged = Staged::create(target, overwrite, secrecy)?;
    std::io::Write::write_all(&mut staged, text).map_err(|error| {
        Diagnostic::new(Code::Unwritable, marginswap_io::said(&error), "make room on the disk")
            .in_file(target)
    })?;
    staged.finish()
}

/// A plan is all that tells how a release was made: that of another input is not replaced. One
/// made with a demo seed tells nothing.
fn refuse_plan_of_another_input(target: &Path, plan: &PlanFile) -> Result<(), Diagnostic> {
    let other = |old: &PlanFile| {
        !old.header.not_for_release && old.header.input_sha256 != plan.header.input_sha256
    };
    match read_plan(target) {
        Ok(old) if other(&old) => Err(Diagnostic::new(
            Code::PlanOfAnotherInput,
            "this plan was made for another file, or for this one before it changed",
            "name another plan file, or move this one to where it is kept",
        )
        .in_file(target)),
        _ => Ok(()),
    }
}

/// Writes a plan under a temporary name, with its seal and the key of that where it is new.
///
/// # Errors
/// As [`stage`], and when the key cannot be read.
pub fn stage_plan(
    target: &Path,
    plan: &PlanFile,
    seal: &SealFrom,
    overwrite: Overwrite,
) -> Result<Vec<Finished>, Diagnostic> {
    refuse_plan_of_another_input(target, plan)?;
    let sealing = seal.for_planning()?;
    let bytes = plan_bytes_sealed(plan, sealing.key.as_ref());
    let plan = stage(target, overwrite, Secrecy::Secret, &bytes)?;
    Ok(sealing.new_file.into_iter().chain([plan]).collect())
}

//! What a job writes: looked at before any work, staged, and named together.

use std::path::{Path, PathBuf};

use marginswap_core::diagnostic::Diagnostic;
use marginswap_io::{
    Finished, LeftoverState, Overwrite, PlanFile, Secrecy, check_outputs, leftovers,
    plan_bytes_sealed,
};
use marginswap_pipeline::answer::Reveal;
use marginswap_pipeline::compare::Comparison;
use marginswap_pipeline::notes::{Note, Phase, Run};
use marginswap_pipeline::pages;
use marginswap_pipeline::project::Project;
use marginswap_pipeline::release::stage;
use marginswap_pipeline::seal::SealFrom;

/// Looks at all files: each output may be written, and is neither an input nor another file of
/// the project. `own` are the settings that name outputs, `inputs` further files that are read.
pub fn guard(
    project: &Project,
    outputs: &[Option<&Path>],
    own: &[&str],
    inputs: &[Option<&Path>],
    overwrite: Overwrite,
    run: &mut Run<'_>,
) -> Result<(), Diagnostic> {
    let outputs: Vec<&Path> = outputs.iter().copied().flatten().collect();
    let mut guarded = project.files(own);
    guarded.extend(inputs.iter().copied().flatten().map(Path::to_owned));
    let guarded: Vec<&Path> = guarded.iter().map(PathBuf::as_path).collect();
    check_outputs(&outputs, &guarded, overwrite)?;
    let folder = |path: &&Path| match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    };
    let mut folders: Vec<PathBuf> = outputs.iter().map(folder).collect();
    folders.sort();
    folders.dedup();
    for folder in folders {
        let left = leftovers(&folder).unwrap_or_default();
        let files = left.iter().filter(|file| file.state != LeftoverState::InUse).count() as u64;
        if files > 0 {
            run.note(Note::Leftovers { folder, files });
        }
    }
    Ok(())
}

/// What a release writes beside itself: the plan and the two pages, as far as they are named.
pub struct Beside {
    /// The plan file.
    pub plan: Option<PathBuf>,
    /// The key of its seal.
    pub seal: SealFrom,
    /// The page for those who decide.
    pub internal: Option<PathBuf>,
    /// The page for everybody.
    pub external: Option<PathBuf>,
    /// May files be replaced?
    pub overwrite: Overwrite,
}

impl Beside {
    /// What a project names.
    pub fn of(project: &Project, seal: SealFrom, overwrite: Overwrite) -> Self {
        Self {
            plan: project.release.plan.clone(),
            seal,
            internal: project.report.internal.clone(),
            external: project.report.external.clone(),
            overwrite,
        }
    }

    /// The files.
    pub fn paths(&self) -> [Option<&Path>; 3] {
        [&self.plan, &self.internal, &self.external].map(Option::as_deref)
    }

    /// All of them, complete and not yet named.
    pub fn stage(
        &self,
        plan: &PlanFile,
        comparison: &Comparison,
        run: &mut Run<'_>,
    ) -> Result<Vec<Finished>, Diagnostic> {
        let mut staged = Vec::new();
        if let Some(path) = &self.plan {
            let sealing = self.seal.for_planning()?;
            let bytes = plan_bytes_sealed(plan, sealing.key.as_ref());
            staged.extend(sealing.new_file);
            staged.push(stage(path, self.overwrite, Secrecy::Secret, &bytes)?);
        }
        if self.internal.is_some() || self.external.is_some() {
            run.begin(Phase::Reporting)?;
        }
        if let Some(path) = &self.internal {
            let named = self.plan.clone().unwrap_or_else(|| "PLAN".into());
            let page = pages::internal(comparison, Some((&named, plan)), Reveal::Counts)?;
            staged.push(stage(path, self.overwrite, Secrecy::Secret, page.html().as_bytes())?);
        }
        if let Some(path) = &self.external {
            match pages::external(comparison, plan.header.not_for_release) {
                Ok(page) => {
                    let html = page.html();
                    staged.push(stage(path, self.overwrite, Secrecy::Plain, html.as_bytes())?);
                }
                Err(why) => run.note(Note::PageNotWritten { path: path.clone(), why: why.detail }),
            }
        }
        Ok(staged)
    }
}

//! A town to try everything on: a survey that nobody answered, and its project file.
//!
//! Way in: [`write_demo`].

mod town;

use std::fs;
use std::path::{Path, PathBuf};

use crate::refusal::Code;
use marginswap_core::diagnostic::Diagnostic;
use marginswap_core::random::Seed;
use marginswap_io::{Overwrite, Secrecy, Staged, check_target, publish_all};

use crate::init::usual;
use crate::project::{Draft, DraftColumn, FILE_NAME, Keep, Project};
use crate::release::stage;

pub use town::survey;

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DemoFiles {
    /// The survey.
    pub data: PathBuf,
    /// Its project file.
    pub project: PathBuf,
}

/// The tables of the town that are published.
const TABLES: [&str; 7] = [
    "region*sex*age",
    "age*marital",
    "age*education",
    "age*occupation",
    "education*occupation",
    "occupation*income",
    "region*birthplace",
];

/// What an intruder may know.
const KEYS: [&str; 7] =
    ["region", "sex", "age", "marital", "education", "occupation", "birthplace"];

/// What no swap may create, though no table above forbids it.
const RULES: [&str; 1] = ["age in {0-4, 5-14} & household = 1"];

const DATA_NAME: &str = "survey.csv";

/// Writes `survey.csv` and `marginswap.toml` into a folder, which is made when it is not
/// there. The same seed gives the same bytes everywhere.
///
/// # Errors
/// When one of the files exists and is not to be replaced, or is of another project, or the
/// folder cannot be written; then neither file is new.
pub fn write_demo(
    folder: &Path,
    records: usize,
    seed: Seed,
    overwrite: Overwrite,
) -> Result<DemoFiles, Diagnostic> {
    let files = DemoFiles { data: folder.join(DATA_NAME), project: folder.join(FILE_NAME) };
    fs::create_dir_all(folder).map_err(|error| {
        Diagnostic::new(Code::Unwritable, error.to_string(), "name a folder that can be made")
            .in_file(folder)
    })?;
    for file in [&files.data, &files.project] {
        check_target(file, overwrite)?;
    }
    refuse_another_project(&files)?;
    // Nobody is in it: it needs no secrecy.
    let mut data = Staged::create(&files.data, overwrite, Secrecy::Plain)?;
    survey(records, seed, &mut data).map_err(|error| {
        Diagnostic::new(Code::Unwritable, marginswap_io::said(&error), "make room on the disk")
            .in_file(&files.data)
    })?;
    let text = project_file(records);
    let project = stage(&files.project, overwrite, Secrecy::Plain, text.as_bytes())?;
    publish_all(vec![data.finish()?, project])?;
    Ok(files)
}

/// The first line of the project file, by which a town is known again.
const BANNER: &str = "# An invented town, written by `marginswap demo`: nobody lives in it.";

/// Somebody's own survey is not replaced by a town, whatever is asked for.
fn refuse_another_project(files: &DemoFiles) -> Result<(), Diagnostic> {
    let is_town = fs::read_to_string(&files.project).is_ok_and(|text| text.starts_with(BANNER));
    match [&files.data, &files.project].into_iter().find(|file| file.exists()) {
        Some(file) if !is_town => Err(Diagnostic::new(
            Code::OutputIsInput,
            "this file belongs to a project that is not a demo",
            "name another folder",
        )
        .in_file(file)),
        _ => Ok(()),
    }
}

/// The project file of the town.
#[must_use]
pub fn project_file(records: usize) -> String {
    let texts = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
    let columns = town::columns().map(|(name, levels)| DraftColumn {
        name: name.to_owned(),
        levels: Some(levels.unwrap_or(records)),
        looks_like_id: levels.is_none(),
        bands: None,
    });
    let mut project = Project {
        data: Some(DATA_NAME.into()),
        keep: Keep { tables: texts(&TABLES), ..Keep::default() },
        ..Project::default()
    };
    project.columns.id = Some("person".to_owned());
    project.risk.keys = texts(&KEYS);
    project.swap.rules = RULES.iter().map(|rule| rule.parse().expect("it is a rule")).collect();
    project.release.out = Some("released.csv".into());
    let draft = Draft { project: usual(project), records, columns: columns.collect() };
    format!("{BANNER}\n{}", draft.text())
}

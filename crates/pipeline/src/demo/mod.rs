//! A town to try everything on: a survey that nobody answered, and its project file.
//!
//! Way in: [`write_demo`].

mod families;
mod town;

use std::fs;
use std::path::{Path, PathBuf};

use crate::refusal::Code;
use marginswap_core::diagnostic::Diagnostic;
use marginswap_core::random::Seed;
use marginswap_io::{Overwrite, Secrecy, Staged, check_target, publish_all};

use crate::init::usual;
use crate::outputs::stage;
use crate::project::{Draft, DraftColumn, FILE_NAME, Keep, Project};

pub use families::families;
pub use town::survey;

/// What the survey asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Survey {
    /// Single persons.
    Persons,
    /// Whole households, with all their members.
    Households,
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DemoFiles {
    /// The survey.
    pub data: PathBuf,
    /// Its project file.
    pub project: PathBuf,
}

/// The tables of the town that are published.
const TABLES: [&str; 3] = ["region*sex*age", "age*marital*education", "occupation*income"];

/// What an intruder may know.
const KEYS: [&str; 5] = ["region", "sex", "age", "marital", "birthplace"];

/// What no swap may create, though no table above forbids it.
const RULES: [&str; 1] = ["age in {0-4, 5-14} & household = 1"];

const DATA_NAME: &str = "survey.csv";

/// The municipalities of the households, with what they lie in.
const AREAS_NAME: &str = "areas.csv";

/// Writes `survey.csv` and `marginswap.toml` into a folder, which is made when it is not
/// there. The same seed gives the same bytes everywhere.
///
/// # Errors
/// When one of the files exists and is not to be replaced, or is of another project, or the
/// folder cannot be written; then neither file is new.
pub fn write_demo(
    folder: &Path,
    (asks, records): (Survey, usize),
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
    let written = match asks {
        Survey::Persons => survey(records, seed, &mut data),
        Survey::Households => families(records, seed, &mut data),
    };
    written.map_err(|error| {
        Diagnostic::new(Code::Unwritable, marginswap_io::said(&error), "make room on the disk")
            .in_file(&files.data)
    })?;
    let text = match asks {
        Survey::Persons => project_file(records),
        Survey::Households => project_of_households(records),
    };
    let project = stage(&files.project, overwrite, Secrecy::Plain, text.as_bytes())?;
    let mut all = vec![data.finish()?, project];
    if asks == Survey::Households {
        let mut list = Vec::new();
        families::areas(&mut list).expect("memory takes everything");
        all.push(stage(&folder.join(AREAS_NAME), overwrite, Secrecy::Plain, &list)?);
    }
    publish_all(all)?;
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

/// The project file of the households.
#[must_use]
pub fn project_of_households(records: usize) -> String {
    let texts = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
    let columns = families::columns().map(|(name, levels)| DraftColumn {
        name: name.to_owned(),
        levels: Some(levels.unwrap_or(records)),
        looks_like_id: levels.is_none(),
        bands: None,
        rough_width: None,
    });
    let keep = Keep {
        tables: texts(&["county*sex", "municipality"]),
        households: texts(&["municipality*size", "county*count(age < 18)", "county*tenure"]),
        ..Keep::default()
    };
    let mut project = Project { data: Some(DATA_NAME.into()), keep, ..Project::default() };
    for (name, expression) in [
        ("county", format!("map(municipality, \"{AREAS_NAME}\", \"county\")")),
        ("state", format!("map(municipality, \"{AREAS_NAME}\", \"state\")")),
        ("age10", "band(age, 10, top = 80)".to_owned()),
    ] {
        let expression = expression.parse().expect("it is an expression");
        project.derive.insert(name.to_owned(), expression);
    }
    project.columns.id = Some("person".to_owned());
    project.unit.household = Some("household".to_owned());
    project.risk.keys = texts(&["county", "age10", "sex", "birthplace"]);
    project.swap.near = texts(&["county", "state"]);
    project.release.out = Some("released.csv".into());
    let columns = columns.collect();
    let draft = Draft { project: usual(project), records, columns, ..Draft::default() };
    format!("{BANNER}\n{}", draft.text())
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
        rough_width: None,
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
    let columns = columns.collect();
    let draft = Draft { project: usual(project), records, columns, ..Draft::default() };
    format!("{BANNER}\n{}", draft.text())
}

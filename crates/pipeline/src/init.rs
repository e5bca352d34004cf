//! A project file for a data file that nobody has described yet: names and counts, never a
//! value.

use std::path::{Path, PathBuf};

use crate::refusal::Code;
use marginswap_core::columns::{Role, Roles, looks_like_id};
use marginswap_core::diagnostic::Diagnostic;
use marginswap_io::{Format, ReadOptions, Source};

use crate::appearance::{proposed_bands, rough_width};
use crate::input::Header;
use crate::notes::Run;
use crate::project::{Draft, DraftColumn, ModelChoice, Pairing, Project, Risky};

/// Looks at the data and drafts the project file `out` for it. `known` may give a delimiter
/// and columns to leave out.
///
/// # Errors
/// When the data cannot be read or have no header line, or their path cannot be written into the file.
pub fn draft(
    data: &Path,
    out: &Path,
    known: &Project,
    header: Header,
    run: &mut Run<'_>,
) -> Result<Draft, Diagnostic> {
    let source = Source::open(data, &ReadOptions { delimiter: known.delimiter })?;
    let released = match source.format() {
        Format::Parquet => "released.parquet",
        Format::Csv { .. } | Format::Frame => "released.csv",
    };
    let names = source.columns().to_vec();
    let mut project = known.clone();
    let told = &known.columns;
    let roles = Roles::assign(&names, &told.vars, &told.stay, &told.ignore, told.id.as_ref())
        .map_err(|refusal| refusal.in_file(data))?;
    let wanted: Vec<bool> =
        (0..names.len()).map(|column| roles.of(column) != Role::Ignored).collect();
    let table = source.read(&wanted)?;
    header.check(table.looks_like_a_record, data, run)?;
    let columns: Vec<DraftColumn> = names
        .into_iter()
        .zip(&table.columns)
        .map(|(name, column)| DraftColumn {
            rough_width: column.as_ref().and_then(rough_width),
            bands: column.as_ref().and_then(|column| proposed_bands(&name, column)),
            name,
            levels: column.as_ref().map(|column| column.dictionary().levels()),
            looks_like_id: column.as_ref().is_some_and(looks_like_id),
        })
        .collect();
    // Where every column looks like an id, none of them does: something must take part.
    let mut ids: Vec<String> = Vec::new();
    let is_id = |column: &DraftColumn| column.looks_like_id && column.bands.is_none();
    if columns.iter().any(|column| column.levels.is_some() && !is_id(column)) {
        let found = columns.iter().filter(|column| is_id(column));
        ids = found.map(|column| column.name.clone()).collect();
    }
    let mut ids = ids.into_iter();
    if project.columns.id.is_none() {
        project.columns.id = ids.next();
    }
    project.columns.ignore.extend(ids);
    project.data = Some(seen_from(out, data)?);
    project.release.out = Some(released.into());
    Ok(Draft { project: usual(project), records: table.records, columns })
}

/// A project with the entries that every new project file shows.
pub(crate) fn usual(mut project: Project) -> Project {
    project.risk.risky = Some(Risky::Unique);
    project.risk.model = Some(ModelChoice::Auto);
    project.swap.pairing = Some(Pairing::default());
    project.release.plan = Some("swap.plan".into());
    project
}

/// The data's path as it is written in a project file elsewhere.
fn seen_from(project: &Path, data: &Path) -> Result<PathBuf, Diagnostic> {
    let folder = match project.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let path = if data.is_absolute() || folder == Path::new(".") {
        data.to_owned()
    } else {
        // Relative to the folder where it lies in it, else from the root.
        let whole = |path: &Path| -> Result<PathBuf, Diagnostic> {
            path.canonicalize().map_err(|error| {
                Diagnostic::new(Code::Unwritable, error.to_string(), "create the folder first")
                    .in_file(path)
            })
        };
        let (data, folder) = (whole(data)?, whole(folder)?);
        data.strip_prefix(&folder).map_or(data.clone(), Path::to_owned)
    };
    if path.to_str().is_none() {
        return Err(Diagnostic::new(
            Code::Unwritable,
            "the path of the data is not UTF-8 and cannot be written in a project file",
            "rename the file or its folder",
        )
        .in_file(data));
    }
    Ok(path)
}

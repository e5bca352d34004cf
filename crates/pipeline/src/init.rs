//! A project file for a data file that nobody has described yet: names and counts, never a
//! value.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::refusal::Code;
use marginswap_core::columns::{Column, Dependency, Role, Roles, dependencies, looks_like_id};
use marginswap_core::diagnostic::Diagnostic;
use marginswap_core::partner::{has_few_levels, is_absent_by_rarity};
use marginswap_io::Format;

use crate::appearance::{proposed_bands, rough_width};
use crate::input::{FirstLine, Reading, open_data};
use crate::project::{
    ApartColumns, Draft, DraftColumn, FollowingColumn, ModelChoice, Pairing, Project, Risky,
};

/// Looks at the data and drafts the project file `out` for it. `known` may give a delimiter,
/// that the first line is a header, and columns to leave out.
///
/// # Errors
/// When the data cannot be read or have no header line, or their path cannot be written into the file.
pub fn draft(data: &Path, out: &Path, known: &Project) -> Result<Draft, Diagnostic> {
    let source = open_data(data, Reading::of(known))?;
    let released = match source.format() {
        Format::Csv { .. } | Format::Frame => "released.csv".to_owned(),
        format => format!("released.{}", format.endings()[0]),
    };
    let names = source.columns().to_vec();
    let mut project = known.clone();
    let told = &known.columns;
    let roles = Roles::assign(&names, &told.vars, &told.stay, &told.ignore, told.id.as_ref())
        .map_err(|refusal| refusal.in_file(data))?;
    let wanted: Vec<bool> =
        (0..names.len()).map(|column| roles.of(column) != Role::Ignored).collect();
    let table = source.read(&wanted)?;
    FirstLine::of(known).check(table.looks_like_a_record, data)?;
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
    let takes_part = |name: &String| {
        project.columns.id.as_ref() != Some(name) && !project.columns.ignore.contains(name)
    };
    let named = columns.iter().map(|column| &column.name).zip(&table.columns);
    let named: Vec<(&str, &Column)> = named
        .filter(|(name, _)| takes_part(name))
        .filter_map(|(name, column)| Some((name.as_str(), column.as_ref()?)))
        .collect();
    let apart = never_together(&named);
    let following = following(&named);
    Ok(Draft { project: usual(project), records: table.records, columns, apart, following })
}

/// The columns that follow from others in every record.
fn following(columns: &[(&str, &Column)]) -> Vec<FollowingColumn> {
    let all: Vec<Option<&Column>> = columns.iter().map(|(_, column)| Some(*column)).collect();
    let name = |place: usize| columns[place].0.to_owned();
    let told = |found: Dependency| {
        let (of, column) = found.columns();
        let is_sum = matches!(found, Dependency::Sum { .. });
        FollowingColumn { column: name(column), of: of.into_iter().map(name).collect(), is_sum }
    };
    dependencies(&all).into_iter().map(told).collect()
}

/// The pairs of columns with few levels in which frequent values never occur together: names and
/// counts. Nothing where this would be a long search.
fn never_together(columns: &[(&str, &Column)]) -> Vec<ApartColumns> {
    const MOST_LOOKS: usize = 1_000_000_000;
    let records = columns.first().map_or(0, |(_, column)| column.len());
    let few =
        |column: &&(&str, &Column)| has_few_levels(column.1.dictionary().levels(), records as u64);
    let columns: Vec<&(&str, &Column)> = columns.iter().filter(few).collect();
    if columns.len() * columns.len() / 2 * records > MOST_LOOKS {
        return Vec::new();
    }
    let counts: Vec<Vec<u64>> = columns
        .iter()
        .map(|(_, column)| {
            let mut counts = vec![0; column.dictionary().levels()];
            column.for_each_code(|_, code| counts[code as usize] += 1);
            counts
        })
        .collect();
    let pairs = (0..columns.len())
        .flat_map(|left| (left + 1..columns.len()).map(move |right| [left, right]));
    let mut apart = Vec::new();
    for [left, right] in pairs {
        let occurring: BTreeSet<[u32; 2]> = (0..records)
            .map(|record| [left, right].map(|place| columns[place].1.code(record)))
            .collect();
        let is_apart = |one: usize, other: usize| {
            let codes = [one, other].map(|code| u32::try_from(code).expect("a code has 32 bits"));
            let [one, other] = [counts[left][one], counts[right][other]];
            !is_absent_by_rarity(one, other, records as u64) && !occurring.contains(&codes)
        };
        let levels = [left, right].map(|place| counts[place].len());
        let combinations = (0..levels[0])
            .flat_map(|one| (0..levels[1]).map(move |other| (one, other)))
            .filter(|&(one, other)| is_apart(one, other))
            .count() as u64;
        if combinations > 0 {
            let columns = [left, right].map(|place| columns[place].0.to_owned());
            apart.push(ApartColumns { columns, combinations });
        }
    }
    apart
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

//! `init`: a project file to start from.

use std::path::{Path, PathBuf};

use marginswap_core::columns::{Role, Roles, looks_like_id};
use marginswap_core::diagnostic::{Code, Diagnostic};
use marginswap_io::{
    Format, Overwrite, ReadOptions, Secrecy, Source, check_not_input, check_target, write_atomic,
};

use crate::args::InitArgs;
use crate::output::{next, talk, typed_path};
use crate::settings;
use marginswap_pipeline::project::{Draft, DraftColumn};

/// Looks at the data and writes a project file with what is known of it: names and counts,
/// never a value.
pub fn run(args: &InitArgs) -> Result<(), Diagnostic> {
    let overwrite = Overwrite::from_force(args.force.force);
    check_target(&args.out, overwrite)?;
    check_not_input(&args.out, &args.data)?;
    let text = draft(args)?.text();
    write_atomic(&args.out, overwrite, Secrecy::Plain, |out| out.write_all(text.as_bytes()))?;
    talk(&format!(
        "{} is the project file. Its examples stand behind #: take the # away, or change them",
        args.out.display()
    ));
    next(&format!("name the tables to keep and the keys in {}", typed_path(&args.out)));
    Ok(())
}

fn draft(args: &InitArgs) -> Result<Draft, Diagnostic> {
    let delimiter = settings::delimiter(&args.read)?;
    let source = Source::open(&args.data, &ReadOptions { delimiter })?;
    let out = match source.format() {
        Format::Parquet => "released.parquet",
        Format::Csv { .. } => "released.csv",
    };
    let names = source.columns().to_vec();
    let mut ignore = settings::names(&args.ignore)?;
    let roles = Roles::assign(&names, &[], &[], &ignore, None)
        .map_err(|refusal| refusal.in_file(&args.data))?;
    let wanted: Vec<bool> =
        (0..names.len()).map(|column| roles.of(column) != Role::Ignored).collect();
    let table = source.read(&wanted)?;
    let columns: Vec<DraftColumn> = names
        .into_iter()
        .zip(&table.columns)
        .map(|(name, column)| DraftColumn {
            name,
            levels: column.as_ref().map(|column| column.dictionary().levels()),
            looks_like_id: column.as_ref().is_some_and(looks_like_id),
        })
        .collect();
    // Where every column looks like an id, none of them does: something must take part.
    let mut ids: Vec<String> = Vec::new();
    if columns.iter().any(|column| column.levels.is_some() && !column.looks_like_id) {
        ids = columns
            .iter()
            .filter(|column| column.looks_like_id)
            .map(|column| column.name.clone())
            .collect();
    }
    let mut ids = ids.into_iter();
    let id = ids.next();
    ignore.extend(ids);
    Ok(Draft {
        data: seen_from(&args.out, &args.data)?,
        delimiter: args.read.delimiter.clone(),
        out: out.to_owned(),
        records: table.records,
        columns,
        id,
        ignore,
        ..Draft::default()
    })
}

/// The data's path as it stands in a project file elsewhere.
fn seen_from(project: &Path, data: &Path) -> Result<String, Diagnostic> {
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
                Diagnostic::new(Code::Unwritable, error.to_string(), "see that the folder is there")
                    .in_file(path)
            })
        };
        let (data, folder) = (whole(data)?, whole(folder)?);
        data.strip_prefix(&folder).map_or(data.clone(), Path::to_owned)
    };
    path.to_str().map(str::to_owned).ok_or_else(|| {
        Diagnostic::new(
            Code::Unwritable,
            "the path of the data is not UTF-8 and cannot stand in a project file",
            "give the file or its folder another name",
        )
        .in_file(data)
    })
}

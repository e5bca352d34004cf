//! From what was typed to a project: the flags are a project too, and win over the file's.

use std::path::{Path, PathBuf};

use marginswap_core::diagnostic::{Code, Diagnostic};
use marginswap_core::graph::parse_names;
use marginswap_io::{Delimiter, ReadOptions};
use marginswap_pipeline::input::Opened;
use marginswap_pipeline::notes::{Note, Run};

use crate::args::{JobArgs, ModelArgs, ReadArgs, RiskArgs, RoleArgs, ThreadArgs};
use marginswap_pipeline::project::{
    Columns, FILE_NAME, Keep, Project, Release, Reports, Risk, Risky, Swapping,
};

/// The project of a job: the file named or found, overridden by the flags.
pub fn of_job(args: &JobArgs, run: &mut Run<'_>) -> Result<Project, Diagnostic> {
    let flags = Project {
        data: args.data.clone(),
        delimiter: delimiter(&args.read)?,
        columns: columns(&args.roles)?,
        keep: Keep { tables: args.keep.clone() },
        risk: risk(&args.keys, args.risky.as_ref(), &args.model)?,
        swap: Swapping {
            linked: groups(&args.linked)?,
            matched: groups(&args.matched)?,
            strata: names(&args.strata)?,
            weight: args.weight.clone(),
            rules: args.rules.clone(),
            budget: args.budget,
            rate: args.rate,
            pairing: args.pairing,
            max_records: args.max_records,
            ..Swapping::default()
        },
        release: Release::default(),
        report: Reports::default(),
        trs: None,
    };
    let project = file(args.project.as_deref())?.merge(flags);
    if project.trs.as_ref().is_some_and(|trs| trs.hid.is_some()) {
        run.note(Note::HouseholdsNotUsed);
    }
    Ok(project.expanded())
}

/// The project of a question about risk.
pub fn of_risk(args: &RiskArgs) -> Result<Project, Diagnostic> {
    let flags = Project {
        data: args.data.clone(),
        delimiter: delimiter(&args.read)?,
        columns: columns(&args.roles)?,
        keep: Keep { tables: args.keep.clone() },
        risk: risk(&args.keys, args.risky.as_ref(), &args.model)?,
        swap: Swapping { weight: args.weight.clone(), ..Swapping::default() },
        ..Project::default()
    };
    Ok(file(args.project.as_deref())?.merge(flags).expanded())
}

/// Who is at risk, as flags say it.
pub fn risk(keys: &[String], risky: Option<&Risky>, model: &ModelArgs) -> Result<Risk, Diagnostic> {
    Ok(Risk {
        keys: names(keys)?,
        risky: risky.cloned(),
        population: model.population,
        fraction: model.fraction,
        model: model.model.clone(),
        start: model.start.clone(),
        criterion: model.criterion,
        search: model.search,
        select: model.select,
    })
}

/// The project file that is named, or the one in this folder, or an empty project.
pub fn file(named: Option<&Path>) -> Result<Project, Diagnostic> {
    match named {
        Some(path) => Project::load(path),
        None => Ok(Project::find()?.unwrap_or_default()),
    }
}

/// Opens the file, reads its header and gives every column its role.
pub fn open(path: &Path, read: &ReadArgs, roles: &RoleArgs) -> Result<Opened, Diagnostic> {
    let columns = columns(roles)?;
    Opened::new(
        path,
        ReadOptions { delimiter: delimiter(read)? },
        &columns.vars,
        &columns.stay,
        &columns.ignore,
        columns.id.as_ref(),
    )
}

/// The one column that --id names, with backticks where needed.
fn one_name(text: &str) -> Result<String, Diagnostic> {
    let mut names = parse_names(text)?;
    match names.pop() {
        Some(name) if names.is_empty() => Ok(name),
        _ => Err(Diagnostic::new(
            Code::BadFormula,
            "--id names more than one column",
            "name one; a name that holds a comma stands between backticks",
        )),
    }
}

/// The columns' roles as flags give them.
pub fn columns(roles: &RoleArgs) -> Result<Columns, Diagnostic> {
    Ok(Columns {
        vars: names(&roles.vars)?,
        stay: names(&roles.stay)?,
        ignore: names(&roles.ignore)?,
        id: roles.id.as_deref().map(one_name).transpose()?,
    })
}

/// The delimiter that a flag gives.
pub fn delimiter(read: &ReadArgs) -> Result<Option<Delimiter>, Diagnostic> {
    read.delimiter.as_deref().map(Delimiter::parse).transpose()
}

/// Names from options that may be given several times, each with a list.
pub fn names(texts: &[String]) -> Result<Vec<String>, Diagnostic> {
    Ok(groups(texts)?.concat())
}

pub fn groups(texts: &[String]) -> Result<Vec<Vec<String>>, Diagnostic> {
    // An empty text is the empty list: a last match list that asks for nothing.
    let list = |text: &String| if text.is_empty() { Ok(vec![]) } else { parse_names(text) };
    texts.iter().map(list).collect()
}

/// The files that a job reads, which no output may take the place of.
pub fn inputs(project: &Project, file: Option<&Path>, seed: Option<&Path>) -> Vec<PathBuf> {
    let records = match &project.risk.risky {
        Some(Risky::Records(records)) => Some(records.as_path()),
        _ => None,
    };
    let file = file.unwrap_or(Path::new(FILE_NAME));
    let all = [project.data.as_deref(), Some(file), seed, records];
    all.into_iter().flatten().map(Path::to_owned).collect()
}

/// Lets so many threads work, if a number is given.
pub fn use_threads(args: &ThreadArgs) -> Result<(), Diagnostic> {
    let Some(threads) = args.threads else { return Ok(()) };
    rayon::ThreadPoolBuilder::new().num_threads(threads.get()).build_global().map_err(|error| {
        Diagnostic::new(
            Code::Unreadable,
            format!("the threads cannot be started: {error}"),
            "give a smaller number to --threads",
        )
    })
}

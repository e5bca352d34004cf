//! `verify`: compares a released file with the original. It trusts nothing.

use marginswap_core::diagnostic::{Code, Diagnostic};
use marginswap_core::encode::encode_both;
use marginswap_core::graph::Scope;
use marginswap_core::varset::VarSet;
use marginswap_core::verify::{
    Checks, File, Link, LinkError, Triples, link_by_id, recount, verify,
};
use marginswap_report::verify::VerifyReport;

use crate::args::VerifyArgs;
use crate::input::Loaded;
use crate::job::{named_tables, open, scope_of};
use crate::output::{Outcome, give, next, talk};
use crate::project::{Columns, Keep, Project, Risk, Swapping};
use crate::settings;

/// Recounts everything from the two files.
pub fn run(args: &VerifyArgs) -> Result<Outcome, Diagnostic> {
    settings::use_threads(&args.threads)?;
    let file = args.project.as_deref().map(Project::load).transpose()?.unwrap_or_default();
    let flags = Project {
        delimiter: settings::delimiter(&args.read)?,
        columns: settings::columns(&args.roles)?,
        keep: Keep { tables: args.keep.clone() },
        risk: Risk { keys: settings::names(&args.keys)?, risky: None },
        swap: Swapping { weight: args.weight.clone(), ..Swapping::default() },
        ..Project::default()
    };
    let project = file.merge(flags).expanded();
    let before = open(&project, &args.before)?;
    let scope = scope_of(&project, &before)?;
    let before = before.read(true)?;

    // The released file may lack columns that take no part.
    let names_after =
        open(&Project { delimiter: project.delimiter, ..Project::default() }, &args.after)?
            .columns()
            .to_vec();
    let there = |names: &[String]| -> Vec<String> {
        names.iter().filter(|name| names_after.contains(name)).cloned().collect()
    };
    let columns = &project.columns;
    let lenient = Project {
        columns: Columns {
            vars: columns.vars.clone(),
            stay: columns.stay.clone(),
            ignore: there(&columns.ignore),
            id: columns.id.clone().filter(|id| names_after.contains(id)),
        },
        ..project.clone()
    };
    let after = open(&lenient, &args.after)?.read(true)?;
    if there(before.names()) != names_after {
        talk("note: the columns of the released file stand in another order, or are not the same");
    }
    let aligned = aligned(&before, after, args)?;
    let (records_before, records_after) =
        encode_both(scope.schema(), before.raw_columns(), aligned.raw_columns());
    let link = link(&before, &aligned, args.shuffled)?;
    let tables = named_tables(&scope);
    let checks = Checks {
        tables: &tables,
        keys: before.variables(&scope, &project.risk.keys),
        link: link.as_ref().ok().and_then(Option::as_ref),
        compared: scope.schema().all(),
        triples: if args.three_way { Triples::Compared } else { Triples::Skipped },
    };
    let verification = verify(&records_before, &records_after, &checks);
    // What no swap can change beside the named tables: each variable's own values, what
    // stays, and what is linked.
    let ties = scope.tables().iter().map(|table| table.variables);
    let implied: Vec<VarSet> =
        scope.schema().all().iter().map(VarSet::single).chain(ties).collect();
    let broken = recount(&records_before, &records_after, &implied)
        .iter()
        .filter(|check| check.changed > 0 && !tables.contains(&check.margin))
        .map(|check| column_names(&scope, &before, check.margin))
        .collect();
    let unlinked = link.err().map(|error| error.to_string());
    let report = VerifyReport::new(scope.schema(), &verification).with_breaks(broken, unlinked);
    give(&report, args.answer.json)?;
    if report.passes() {
        next(
            "release the file, unless its seed was a demo seed; keep the plan and the seed secret",
        );
        Ok(Outcome::Done)
    } else {
        next("do not release this file");
        Ok(Outcome::GateNotMet)
    }
}

/// The columns of a set of variables: those that stay stand together as one variable, and
/// are named one by one.
fn column_names(scope: &Scope, file: &Loaded, margin: VarSet) -> Vec<String> {
    let variables = scope.schema().variables();
    let columns = margin.iter().flat_map(|variable| &variables[variable].columns);
    columns.map(|&column| file.names()[column].clone()).collect()
}

/// Which record of one file became which of the other: by id where both have one, else by
/// position where the numbers agree. A released file that lost, gained or repeated an id is
/// an answer, an original that repeats one is not.
fn link(
    before: &Loaded,
    after: &Loaded,
    shuffled: bool,
) -> Result<Result<Option<Link>, LinkError>, Diagnostic> {
    match (before.id_column(), after.id_column()) {
        (Some(left), Some(right)) => {
            // A file whose ids differ links to itself.
            link_by_id(left, left).map_err(|error| {
                let (LinkError::Repeated { record, .. } | LinkError::Missing { record, .. }) =
                    error;
                Diagnostic::new(
                    Code::NotLinked,
                    LinkError::Repeated { file: File::Before, record }.to_string(),
                    "leave out --id to compare line by line, or give --shuffled",
                )
            })?;
            Ok(link_by_id(left, right).map(|map| Some(Link::ByMap(map))))
        }
        (Some(_), None) => {
            // Without the id that is asked for, nothing tells which line is whose.
            talk(
                "note: the released file has not the id column; nothing is said of single records",
            );
            Ok(Ok(None))
        }
        (None, _) => {
            let same = before.records_read() == after.records_read();
            Ok(Ok((same && !shuffled).then_some(Link::ByPosition)))
        }
    }
}

/// The columns of the released file in the places they have in the original.
fn aligned(before: &Loaded, after: Loaded, args: &VerifyArgs) -> Result<Loaded, Diagnostic> {
    after.in_the_order_of(before).map_err(|column| {
        Diagnostic::new(
            Code::OtherColumns,
            format!("column `{column}` takes part and stands in one of the two files only"),
            "compare files with the same columns, or leave the column out with --ignore",
        )
        .in_file(&args.after)
    })
}

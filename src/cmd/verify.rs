//! `verify`: compares a released file with the original. It trusts nothing.

use marginswap_core::diagnostic::{Code, Diagnostic};
use marginswap_core::encode::encode_both;
use marginswap_core::varset::VarSet;
use marginswap_core::verify::{Checks, Triples, recount, verify};
use marginswap_report::verify::VerifyReport;

use crate::args::VerifyArgs;
use crate::input::Loaded;
use crate::job::{link_files, named_tables, open, scope_of};
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
        risk: Risk { keys: settings::names(&args.keys)?, ..Risk::default() },
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
    let aligned = aligned(&before, after, args)?;
    let (records_before, records_after) =
        encode_both(scope.schema(), before.raw_columns(), aligned.raw_columns());
    // Without the id that is asked for, nothing tells which line is whose.
    let id_is_missing = before.id_column().is_some() && aligned.id_column().is_none();
    if id_is_missing {
        talk("note: the released file has not the id column; nothing is said of single records");
    }
    let link = link_files(&before, &aligned, args.shuffled || id_is_missing)?;
    let tables = named_tables(&scope);
    let checks = Checks {
        tables: &tables,
        keys: before.variables(&scope, &project.risk.keys),
        link: link.as_ref(),
        compared: scope.schema().all(),
        triples: if args.three_way { Triples::Compared } else { Triples::Skipped },
    };
    let verification = verify(&records_before, &records_after, &checks);
    let report = VerifyReport::new(scope.schema(), &verification);
    give(&report, args.answer.json)?;
    // What no swap can change beside the named tables: each variable's own values, what
    // stays, and what is linked.
    let ties = scope.tables().iter().map(|table| table.variables);
    let implied: Vec<VarSet> =
        scope.schema().all().iter().map(VarSet::single).chain(ties).collect();
    let broken: Vec<VarSet> = recount(&records_before, &records_after, &implied)
        .iter()
        .filter(|check| check.changed > 0 && !tables.contains(&check.margin))
        .map(|check| check.margin)
        .collect();
    for margin in &broken {
        let names = scope.schema().names(*margin).join(", ");
        talk(&format!("no swap changes the counts of {names}, and here they differ"));
    }
    if verification.is_equal() && broken.is_empty() {
        next("release the file; keep the plan and the seed secret");
        Ok(Outcome::Done)
    } else {
        next("do not release this file");
        Ok(Outcome::GateNotMet)
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

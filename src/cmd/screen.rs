//! `screen`: which records can be swapped.

use marginswap_core::diagnostic::Diagnostic;
use marginswap_core::partner::screen;
use marginswap_core::table::JointTable;
use marginswap_io::{Overwrite, Secrecy, check_target, write_atomic};
use marginswap_report::screen::{ScreenReport, write_records};

use crate::args::ScreenArgs;
use crate::input::{open, separators};
use crate::output::{give, next, talk, typed};

/// Screens every record; writes a line for each when asked.
pub fn run(args: &ScreenArgs) -> Result<(), Diagnostic> {
    let overwrite = Overwrite::from_force(args.force.force);
    if let Some(out) = &args.out {
        check_target(out, overwrite)?;
    }
    let opened = open(&args.data, &args.read, &args.roles)?;
    let scope = opened.scope(&args.keep.keep)?;
    let separators = separators(&scope, args.keep.max_separators);
    let loaded = opened.read(false)?;
    let looks_like_id = loaded.ids_among_variables().into_iter().map(str::to_owned).collect();
    let records = loaded.records(&scope);
    drop(loaded);
    let joint = JointTable::count(&records);
    drop(records);
    let screening = screen(&joint, scope.class(), &separators);
    if let Some(out) = &args.out {
        write_atomic(out, overwrite, Secrecy::Secret, |file| {
            write_records(file, &joint, &screening)
        })?;
        talk(&format!(
            "{} holds a line for each record: keep it as secret as the data",
            out.display()
        ));
    }
    let report = ScreenReport {
        separators: separators.list().len() as u64,
        separators_complete: separators.is_complete(),
        looks_like_id,
        ..ScreenReport::new(&joint, &screening)
    };
    give(&report, args.answer.json)?;
    let why = "with the same --keep and --record R says why a record can or cannot be swapped";
    next(&format!("marginswap explain {} {why}", typed(&args.data)));
    Ok(())
}

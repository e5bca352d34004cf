//! `screen`: which records can be swapped.

use marginswap_core::diagnostic::Diagnostic;
use marginswap_core::partner::screen_announced;
use marginswap_core::table::Located;
use marginswap_io::{Overwrite, Secrecy, check_not_input, check_target, write_atomic};
use marginswap_report::screen::{ScreenReport, write_records};

use crate::args::ScreenArgs;
use crate::output::{self, Line, give, next, talk};
use crate::settings::open;
use marginswap_pipeline::input::{ids, note_many, separators};
use marginswap_pipeline::notes::Note;

/// More comparisons than this take a second or longer.
const WORTH_A_WORD: u64 = 100_000_000;

/// Screens every record; writes a line for each when asked.
pub fn run(args: &ScreenArgs) -> Result<(), Diagnostic> {
    let overwrite = Overwrite::from_force(args.force.force);
    if let Some(out) = &args.out {
        check_target(out, overwrite)?;
        check_not_input(out, &args.data)?;
    }
    let run = &mut output::run();
    let opened = open(&args.data, &args.read, &args.roles)?;
    let scope = opened.scope(&args.keep.keep)?;
    let separators = separators(&scope, args.keep.max_separators);
    note_many(&separators, run);
    let loaded = opened.read(false, run)?;
    let records = loaded.records(&scope, run);
    let looks_like_id = ids(scope.schema(), &records)
        .into_iter()
        .map(|id| scope.schema().variables()[id].name.clone())
        .collect();
    drop(loaded);
    let joint = Located::count(&records);
    drop(records);
    let screening = screen_announced(&joint, scope.class(), &separators, |comparisons| {
        if comparisons > WORTH_A_WORD {
            run.note(Note::ManyComparisons { comparisons });
        }
    })?;
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
        ..ScreenReport::new(&scope, &joint, &screening)
    };
    give(&report, args.answer.json)?;
    let mut line = Line::new("explain", Some(&args.data));
    line.by_number(&args.read, &args.roles).keep(&args.keep.keep, args.keep.max_separators);
    next(&line.option("--record", "1").to_string());
    Ok(())
}

//! `explain`: why a record or a pair can or cannot be swapped, and what an error code means.

use marginswap_core::diagnostic::{Code, Diagnostic};
use marginswap_report::explain::{self, PairReport, RecordReport};

use crate::args::{Cli, ExplainArgs, Partners};
use crate::input::{open, separators};
use crate::output::{give, next, print};

/// Explains a code, a pair or a record.
pub fn run(args: &ExplainArgs) -> Result<(), Diagnostic> {
    if let Some(code) = args.subject.to_str().and_then(Code::parse) {
        return print(&format!("{code}: {}\n\n{}\n", code.title(), code.explanation()));
    }
    if args.keep.is_empty() {
        usage("explaining a record needs the tables to keep: --keep TABLES");
    }
    match (&args.record, &args.pair[..]) {
        (Some(record), _) => explain_record(args, record),
        (None, [left, right]) => explain_pair(args, left, right),
        (None, _) => usage("name what to explain: --record R, --pair R S, or an error code"),
    }
}

fn explain_pair(args: &ExplainArgs, left: &str, right: &str) -> Result<(), Diagnostic> {
    let opened = open(&args.subject, &args.read, &args.roles)?;
    let scope = opened.scope(&args.keep)?;
    let loaded = opened.read(true)?;
    let (left, right) = (loaded.find(left)?, loaded.find(right)?);
    let records = loaded.records(&scope);
    let report = PairReport::new(&scope, &records, left, right);
    give(&report, args.answer.json)?;
    next("--record R instead of --pair lists what every separator offers a record");
    Ok(())
}

fn explain_record(args: &ExplainArgs, record: &str) -> Result<(), Diagnostic> {
    let opened = open(&args.subject, &args.read, &args.roles)?;
    let scope = opened.scope(&args.keep)?;
    let separators = separators(&scope, args.max_separators);
    let loaded = opened.read(true)?;
    let record = loaded.find(record)?;
    let records = loaded.records(&scope);
    drop(loaded);
    let list = match args.partners {
        Partners::Count => explain::Partners::Count,
        Partners::All => explain::Partners::All,
    };
    let report = RecordReport::new(&scope, &separators, &records, record, list);
    give(&report, args.answer.json)?;
    if report.swappable {
        next("--pair R S says what a swap with one of its partners may exchange");
    } else {
        next("keep fewer tables, or release the record in another way");
    }
    Ok(())
}

/// Ends the program the way a wrong option does.
fn usage(message: &str) -> ! {
    use clap::CommandFactory;
    let mut command = Cli::command();
    command.error(clap::error::ErrorKind::MissingRequiredArgument, message).exit()
}

//! `explain`: why a record or a pair can or cannot be swapped, and what an error code means.

use marginswap_core::diagnostic::{Code, Diagnostic};
use marginswap_core::graph::quoted;
use marginswap_report::codes::{CodeReport, CodesReport};
use marginswap_report::explain::{self, PairReport, RecordReport};
use marginswap_report::larger::LargerReport;
use marginswap_report::pictures::diagonal::{self, DiagonalPicture};
use marginswap_report::pictures::why;

use crate::args::{Cli, ExplainArgs, Partners};
use crate::output::{self, Line, Sketch, give, next};
use crate::settings::open;
use marginswap_pipeline::input::{note_many, separators};
use marginswap_pipeline::prepare::too_many_tied;
use marginswap_pipeline::project::MaxRecords;

/// Explains a code, a pair or a record.
pub fn run(args: &ExplainArgs) -> Result<(), Diagnostic> {
    let subject = args.subject.to_str().unwrap_or_default();
    if args.svg.is_some() && args.record.is_none() && args.pair.is_empty() {
        usage("--svg draws a record or a pair: --record R or --pair R S");
    }
    if let Some(code) = Code::parse(subject) {
        return give(&CodeReport::new(code), args.answer.json);
    }
    if subject == "codes" && !args.subject.exists() {
        return give(&CodesReport::new(), args.answer.json);
    }
    if looks_like_code(subject) && !args.subject.exists() {
        usage(&format!("there is no such code as {subject}; `marginswap explain codes` lists all"));
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
    let sketch = Sketch::new(args.svg.as_ref(), &args.force, &[&args.subject])?;
    let run = &mut output::run();
    let opened = open(&args.subject, &args.read, &args.roles)?;
    let scope = opened.scope(&args.keep)?;
    let loaded = opened.read(true, run)?;
    let (left, right) = (loaded.find(left)?, loaded.find(right)?);
    if left == right {
        usage("the same record was named twice: --pair R S takes two records");
    }
    let records = loaded.records(&scope, run);
    let report = PairReport::new(&scope, &records, left, right);
    sketch.draw(|| {
        let schema = scope.schema();
        let all: Vec<String> = schema.names(schema.all()).into_iter().map(str::to_owned).collect();
        match DiagonalPicture::of_pair(&report, &all) {
            Some(picture) => diagonal::draw("", &picture),
            None => why::draw_pair("", &report),
        }
    })?;
    give(&report, args.answer.json)?;
    next(&line(args, &args.keep).option("--record", &left.number().to_string()).to_string());
    Ok(())
}

fn explain_record(args: &ExplainArgs, record: &str) -> Result<(), Diagnostic> {
    let sketch = Sketch::new(args.svg.as_ref(), &args.force, &[&args.subject])?;
    let run = &mut output::run();
    let opened = open(&args.subject, &args.read, &args.roles)?;
    let scope = opened.scope(&args.keep)?;
    let separators = separators(&scope, args.max_separators);
    note_many(&separators, run);
    let loaded = opened.read(true, run)?;
    let record = loaded.find(record)?;
    let records = loaded.records(&scope, run);
    drop(loaded);
    let list = match args.partners {
        Partners::Count => explain::Partners::Count,
        Partners::All => explain::Partners::All,
    };
    let mut report = RecordReport::new(&scope, &separators, &records, record, list);
    if let Some(most) = args.max_records.filter(|most| most.get() > 2) {
        let larger = LargerReport::new(&scope, &records, record, most.get());
        report.larger = Some(larger.map_err(too_many_tied)?);
    }
    sketch.draw(|| why::draw_record("", &report))?;
    give(&report, args.answer.json)?;
    let number = report.record.to_string();
    let best = report.what_if.iter().max_by_key(|what_if| what_if.partners);
    match (&report.choice, best) {
        (Some(choice), _) => {
            // Two values: written as one option would have it.
            let pair = line(args, &args.keep).to_string();
            next(&format!("{pair} --pair {number} {}", choice.partner));
        }
        (None, _) if report.larger.as_ref().is_some_and(|larger| larger.answer == "possible") => {
            let most = args.max_records.map_or(2, MaxRecords::get);
            let plan = line(args, &args.keep).to_string().replacen(" explain ", " plan ", 1);
            next(&format!("{plan} --keys KEYS --max-records {most} -o swap.plan"));
        }
        (None, Some(best)) if best.partners > 0 && report.what_if.len() > 1 => {
            let others: Vec<String> = report
                .what_if
                .iter()
                .filter(|other| other.table != best.table)
                .map(|other| {
                    other.table.iter().map(|name| quoted(name)).collect::<Vec<_>>().join("*")
                })
                .collect();
            next(&line(args, &[others.join(" + ")]).option("--record", &number).to_string());
        }
        (None, _) if report.larger.is_none() && report.disclosed != Some(true) => {
            let more = line(args, &args.keep).option("--record", &number).to_string();
            next(&format!("{more} --max-records 4"));
        }
        (None, _) => next("keep other tables, or release the record in another way"),
    }
    Ok(())
}

/// This command again, up to what is to be explained.
fn line(args: &ExplainArgs, keep: &[String]) -> Line {
    let mut line = Line::new("explain", Some(&args.subject));
    line.by_number(&args.read, &args.roles).keep(keep, args.max_separators);
    line
}

/// An `E` and digits, as codes are written.
fn looks_like_code(text: &str) -> bool {
    let number = text.strip_prefix(['E', 'e']).unwrap_or_default();
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// Ends the program the way a wrong option does.
fn usage(message: &str) -> ! {
    use clap::CommandFactory;
    let mut command = Cli::command();
    command.build();
    let command = command.find_subcommand_mut("explain").expect("it is a command");
    command.error(clap::error::ErrorKind::MissingRequiredArgument, message).exit()
}

//! `explain`: why a record or a pair can or cannot be swapped, and what an error code means.

use std::path::Path;

use marginswap_core::diagnostic::Diagnostic;
use marginswap_io::Overwrite;
use marginswap_pipeline::notes::Run;
use marginswap_pipeline::project::{MaxRecords, Project};
use marginswap_pipeline::questions::explain::{self as questions, explain_pair, explain_record};
use marginswap_pipeline::settings::formula;
use marginswap_pipeline::{answer, codes};
use marginswap_report::explain::RecordReport;
use marginswap_report::larger::LargerVerdict;
use marginswap_report::pictures::why;

use crate::args::{Cli, ExplainArgs, ForExplain, ForPlan, Partners};
use crate::output::{Line, Outcome, Sketch, end_for_usage, give, next};
use crate::setup::{Setup, Takes};

/// Explains a code, a pair or a record.
pub fn run(args: &ExplainArgs) -> Result<Outcome, Diagnostic> {
    let subject = args.subject.as_deref().unwrap_or(Path::new(""));
    let text = subject.to_str().unwrap_or_default();
    if args.svg.is_some() && args.record.is_none() && args.pair.is_empty() {
        usage("--svg draws a record or a pair: --record R or --pair R S");
    }
    if let Some(code) = codes::parse(text) {
        return give(&answer::code(code), args.answer.json).map(|()| Outcome::Done);
    }
    if text == "codes" && !subject.exists() {
        return give(&answer::codes(), args.answer.json).map(|()| Outcome::Done);
    }
    if !subject.exists() && is_number(text) {
        usage(&format!(
            "`{text}` is not a file; did you mean the error code `E{text}`, or `--record {text}`?"
        ));
    }
    if looks_like_code(text) && !subject.exists() {
        usage(&format!("there is no code {text}; `marginswap explain codes` lists all"));
    }
    if let [left, right] = &args.pair[..]
        && left == right
    {
        usage("the same record was named twice: --pair R S takes two records");
    }
    let own = Project { data: args.subject.clone(), ..Project::default() };
    args.settings.run_with(own, |setup, run| {
        setup.tables_are_named()?;
        if !args.pair.is_empty() && setup.flags().swap.max_records.is_some() {
            usage("--max-records goes with --record, not with --pair");
        }
        match (&args.record, &args.pair[..]) {
            (Some(record), _) => record_explained(args, record, setup, run),
            (None, [left, right]) => pair_explained(args, [left, right], setup, run),
            (None, _) => usage("say what to explain: --record R, --pair R S, or an error code"),
        }
    })
}

/// What is typed for the name of a household, which is not shown.
pub const HOUSEHOLD: &str = "HOUSEHOLD";

fn pair_explained(
    args: &ExplainArgs,
    [left, right]: [&String; 2],
    setup: &Setup,
    run: &mut Run<'_>,
) -> Result<Outcome, Diagnostic> {
    let overwrite = Overwrite::from_force(args.force.force);
    setup.guard(&[args.svg.as_deref()], &[], &[], overwrite, run)?;
    let sketch = Sketch::new(args.svg.as_ref(), &args.force);
    let pair = explain_pair(&setup.project, left, right, run)?;
    sketch.draw(Outcome::Done, || pair.picture())?;
    give(&pair.report, args.answer.json)?;
    let (project, number) = (setup.by_number(), pair.report.records[0].to_string());
    // Households are looked up by name.
    let record = if project.unit.household.is_some() { HOUSEHOLD } else { &number };
    next(&again(setup, &project).option("--record", record).to_string());
    Ok(Outcome::Done)
}

fn record_explained(
    args: &ExplainArgs,
    record: &str,
    setup: &Setup,
    run: &mut Run<'_>,
) -> Result<Outcome, Diagnostic> {
    let overwrite = Overwrite::from_force(args.force.force);
    setup.guard(&[args.svg.as_deref()], &[], &[], overwrite, run)?;
    let sketch = Sketch::new(args.svg.as_ref(), &args.force);
    let list = match args.partners {
        Partners::Count => questions::Partners::Count,
        Partners::All => questions::Partners::All,
    };
    let report = explain_record(&setup.project, record, list, run)?;
    sketch.draw(Outcome::Done, || why::draw_record("", &report))?;
    give(&report, args.answer.json)?;
    next(&step_after(&report, setup));
    Ok(Outcome::Done)
}

/// This command again, on a project that may have changed.
fn again(setup: &Setup, project: &Project) -> Line {
    setup.line_for("explain", ForExplain::TOPICS, project)
}

/// What to look at next: the partner, a larger swap, or the table to let go.
fn step_after(report: &RecordReport, setup: &Setup) -> String {
    let mut project = setup.by_number();
    // Households are looked up by name, and names are not shown.
    let of_households = project.unit.household.is_some();
    let named = |number: u64| match of_households {
        true => HOUSEHOLD.to_owned(),
        false => number.to_string(),
    };
    let number = named(report.record);
    let best = report.what_if.iter().max_by_key(|what_if| what_if.partners);
    match (&report.choice, best) {
        (Some(choice), _) => {
            // Two values after one option.
            let pair = format!("--pair {number} {}", named(choice.partner));
            again(setup, &project).word(&pair).to_string()
        }
        (None, _)
            if report
                .larger
                .as_ref()
                .is_some_and(|larger| larger.answer == LargerVerdict::Possible) =>
        {
            let mut line = setup.line_for("plan", ForPlan::TOPICS, &project);
            if project.risk.keys.is_empty() {
                line.word("--keys KEYS");
            }
            line.option("-o", "swap.plan").to_string()
        }
        (None, Some(best))
            if best.partners > 0 && report.what_if.len() > 1 && only_formulas(&project) =>
        {
            let others = report.what_if.iter().filter(|other| other.table != best.table);
            let others = others
                .map(|other| formula(&other.table.iter().map(String::as_str).collect::<Vec<_>>()));
            project.keep.tables = vec![others.collect::<Vec<_>>().join(" + ")];
            again(setup, &project).option("--record", &number).to_string()
        }
        (None, _) if report.larger.is_none() && report.disclosed != Some(true) => {
            project.swap.max_records = Some(MaxRecords::FOUR);
            again(setup, &project).option("--record", &number).to_string()
        }
        (None, _) => "keep other tables, or protect the record in another way".to_owned(),
    }
}

/// Can the tables be typed again without one of them?
fn only_formulas(project: &Project) -> bool {
    project.keep.named.is_empty() && project.keep.listed.is_empty()
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// An `E` and digits, as codes are written.
fn looks_like_code(text: &str) -> bool {
    is_number(text.strip_prefix(['E', 'e']).unwrap_or_default())
}

/// Ends the program the way a wrong option does.
fn usage(message: &str) -> ! {
    use clap::CommandFactory;
    let mut command = Cli::command();
    command.build();
    let command = command.find_subcommand_mut("explain").expect("it is a command");
    end_for_usage(&command.error(clap::error::ErrorKind::MissingRequiredArgument, message))
}

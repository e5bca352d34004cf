//! The command line: commands, their options and help texts.

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::error::{ContextKind, ContextValue};
use clap::{Args, Parser, Subcommand, ValueEnum};
use marginswap_pipeline::frontier::{Cap, Choice};
use marginswap_pipeline::settings::{Topic, topics};
use marginswap_pipeline::sql::Dialect;

use crate::setup::{Takes, Typed, demo_seed, threads};

/// Swap values between the records of a microdata file while every published table stays exact.
#[derive(Debug, Parser)]
#[command(
    name = "marginswap",
    version,
    about,
    max_term_width = 100,
    after_help = "Example:\n  marginswap init survey.csv    then edit marginswap.toml, then\n  \
                  marginswap protect\n\n\
                  Exit codes: 0 done · 1 finished, but a gate is not met · 2 usage · 3 input data ·\n\
                  4 project file · 5 stale or foreign plan · 6 a bug · 7 too large · 8 files · 130 interrupted.\n\
                  With 0 and 1 every named output is complete; with any other code none was written.\n\
                  The program contains no network code."
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Count records, levels, empty fields and sample uniques of a file
    Inspect(InspectArgs),
    /// Show which variables the kept tables tie together, and the separators
    Graph(GraphArgs),
    /// Decide for every record whether it can be swapped and whether the kept tables already disclose it
    Screen(ScreenArgs),
    /// Explain why a record or a pair can or cannot be swapped, or an error code
    Explain(ExplainArgs),
    /// Estimate for every sample unique the probability that it is unique in the population
    Risk(RiskArgs),
    /// Do the whole job: find people at risk, swap, write the file, recount the tables
    Protect(ProtectArgs),
    /// Draw a new file at random from all files with the kept tables, from data or from published tables alone
    Sample(SampleArgs),
    /// Decide the swaps and write them to a plan (SECRET); no data are changed
    Plan(PlanArgs),
    /// Summarise a plan in numbers
    Show(ShowArgs),
    /// Make the swaps of a plan and recount every kept table
    Apply(ApplyArgs),
    /// Compare a released file with the original: kept tables, information loss, what an intruder learns
    Verify(VerifyArgs),
    /// Write a report on a release, as one HTML page: internal, or external for publication
    Report(ReportArgs),
    /// Compare plans for several budgets and seeds by risk and information loss, and choose one
    Frontier(FrontierArgs),
    /// Write a project file to start from
    Init(InitArgs),
    /// Write the survey of an invented town and protect it
    Demo(DemoArgs),
    /// Print the SQL by which an engine counts, rewrites and verifies a table of any size
    Sql(SqlArgs),
    /// List temporary files that killed runs left in a folder, and remove them
    Clean(CleanArgs),
    /// Print a completion script for your shell
    Completions(CompletionsArgs),
    /// Print the manual, or write one page per command to a folder
    Man(ManArgs),
}

/// Headings of options that are no settings.
const OUTPUT: &str = "Output";
const RANDOMNESS: &str = "Randomness";

/// Declares which settings a command takes.
macro_rules! takes {
    ($($name:ident: $topics:expr;)*) => {$(
        #[derive(Debug)]
        pub struct $name;

        impl Takes for $name {
            const TOPICS: &'static [Topic] = $topics;
        }
    )*};
}

takes! {
    ForInspect: topics::INSPECT;
    ForGraph: topics::GRAPH;
    ForScreen: topics::SCREEN;
    ForRisk: topics::RISK;
    ForPlan: topics::PLAN;
    ForFrontier: topics::FRONTIER;
    ForProtect: topics::PROTECT;
    ForSample: topics::SAMPLE;
}

/// Commands that name files of their own first.
macro_rules! takes_beside_files {
    ($($name:ident: $topics:expr;)*) => {$(
        #[derive(Debug)]
        pub struct $name;

        impl Takes for $name {
            const TOPICS: &'static [Topic] = $topics;
            const DATA: bool = false;
        }
    )*};
}

takes_beside_files! {
    ForExplain: topics::EXPLAIN;
    ForShow: topics::SHOW;
    ForApply: topics::APPLY;
    ForVerify: topics::VERIFY;
    ForReport: topics::REPORT;
}

/// A command that reads no project file: it writes one.
#[derive(Debug)]
pub struct ForInit;

impl Takes for ForInit {
    const TOPICS: &'static [Topic] = topics::INIT;
    const PROJECT: bool = false;
}

/// How the answer is given.
#[derive(Debug, Args)]
pub struct AnswerArgs {
    /// Print the answer, or the error, as JSON
    #[arg(long, help_heading = OUTPUT, hide_short_help = true)]
    pub json: bool,
}

/// A file to write beside the answer.
#[derive(Debug, Args)]
pub struct ForceArgs {
    /// Replace output files that exist
    #[arg(long, help_heading = OUTPUT)]
    pub force: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  marginswap inspect survey.csv")]
pub struct InspectArgs {
    /// List the levels of every column with their counts, and columns that follow from others
    #[arg(long)]
    pub reveal: bool,
    #[command(flatten)]
    pub answer: AnswerArgs,
    #[command(flatten)]
    pub settings: Typed<ForInspect>,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  marginswap graph --keep 'region*sex*age + age*marital'\n  \
                          marginswap graph survey.csv --keep 'region*sex' --svg graph.svg")]
pub struct GraphArgs {
    /// Draw the margin graph to this SVG file
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    #[command(flatten)]
    pub force: ForceArgs,
    #[command(flatten)]
    pub answer: AnswerArgs,
    #[command(flatten)]
    pub settings: Typed<ForGraph>,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  marginswap screen survey.csv --keep 'region*sex*age' --out screened.csv\n  \
                  marginswap screen survey.csv --keep 'region*sex*age' --what-if 'region*income'"
)]
pub struct ScreenArgs {
    /// Count what publishing these tables too would disclose (repeatable): 'block*age*sex'
    #[arg(long, value_name = "TABLES")]
    pub what_if: Vec<String>,
    /// Count the disclosed records of each value of this column, such as an area
    #[arg(long, value_name = "COLUMN")]
    pub by: Option<String>,
    /// List the values of --by with their counts
    #[arg(long, requires = "by")]
    pub reveal: bool,
    /// Draw the disclosed records to this SVG file: now, with --what-if, and by area
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Write one line per record to this CSV file (SECRET: readable by its owner alone)
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub force: ForceArgs,
    #[command(flatten)]
    pub answer: AnswerArgs,
    #[command(flatten)]
    pub settings: Typed<ForScreen>,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  marginswap explain survey.csv --keep 'region*sex' --record 48\n  \
                  marginswap explain survey.csv --keep 'region*sex' --pair 48 1203\n  \
                  marginswap explain survey.csv --keep 'region*sex' --id person --record P-0048\n  \
                  marginswap explain E203\n  marginswap explain codes"
)]
pub struct ExplainArgs {
    /// Data file, or an error code such as E203; `codes` lists all codes
    #[arg(value_name = "DATA|CODE")]
    pub subject: Option<PathBuf>,
    /// Explain this record: its number from 1, or with --id its value in that column
    #[arg(long, value_name = "R", allow_hyphen_values = true)]
    pub record: Option<String>,
    /// Explain this pair of records: what they can exchange, or what prevents it
    #[arg(long, value_names = ["R", "S"], num_args = 2, conflicts_with = "record", allow_hyphen_values = true)]
    pub pair: Vec<String>,
    /// Draw the explanation to this SVG file: separators, the swap, or the chain of tables
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    #[command(flatten)]
    pub force: ForceArgs,
    /// Partners of --record to list
    #[arg(long, value_name = "WHICH", conflicts_with = "pair", default_value = "count")]
    pub partners: Partners,
    #[command(flatten)]
    pub answer: AnswerArgs,
    #[command(flatten)]
    pub settings: Typed<ForExplain>,
}

/// Which partners are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Partners {
    /// Only their number
    Count,
    /// The record number of every partner
    All,
}

/// Which statement is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Statement {
    /// Count the records of every cell
    Cells,
    /// Find the records that a plan changes, with their new values
    Changes,
    /// The released table, sorted by what is released
    Release,
    /// Cells of a kept table that the released table does not have equally often
    Verify,
}

#[derive(Debug, Args)]
pub struct SqlArgs {
    /// Statement to print
    #[arg(value_name = "STATEMENT")]
    pub statement: Statement,
    /// Engine: duckdb, spark, postgres or datafusion; they differ in the quotes around names
    #[arg(long, value_name = "ENGINE")]
    pub dialect: Dialect,
    /// Name of the table in the engine
    #[arg(long, value_name = "TABLE")]
    pub from: String,
    /// Columns of the table
    #[arg(long, value_name = "A,B,…", required = true)]
    pub columns: Vec<String>,
    /// Column that names a record: never NULL, never twice the same
    #[arg(long, value_name = "COLUMN")]
    pub id: String,
    /// Columns that play no part and stay with their record
    #[arg(long, value_name = "A,B,…")]
    pub ignore: Vec<String>,
    /// Columns that are not released
    #[arg(long, value_name = "A,B,…")]
    pub drop: Vec<String>,
    /// Release the column that names the records
    #[arg(long)]
    pub release_id: bool,
    /// Columns without NULL, which are joined faster
    #[arg(long, value_name = "A,B,…")]
    pub not_null: Vec<String>,
    /// Table beside it [default: ms_moves for changes, ms_changes for release, ms_released for verify]
    #[arg(long, value_name = "TABLE")]
    pub with: Option<String>,
    /// Tables to verify, as `region*sex*age + age*marital`
    #[arg(long, value_name = "TABLES")]
    pub keep: Vec<String>,
    #[command(flatten)]
    pub answer: AnswerArgs,
}

/// How a job runs beside its settings.
#[derive(Debug, Args)]
pub struct JobArgs {
    /// Seed file, to repeat a run; written (SECRET) if it does not exist
    #[arg(long, value_name = "FILE", conflicts_with = "demo_seed", help_heading = RANDOMNESS)]
    pub seed_file: Option<PathBuf>,
    /// Seed for demonstrations; outputs are marked NOT FOR RELEASE
    #[arg(long, value_name = "N", value_parser = demo_seed, help_heading = RANDOMNESS, hide_short_help = true)]
    pub demo_seed: Option<u64>,
    /// Seal the plan with the key in this file; written (SECRET) if it does not exist
    #[arg(long, value_name = "FILE", help_heading = OUTPUT, hide_short_help = true)]
    pub seal_file: Option<PathBuf>,
    #[command(flatten)]
    pub answer: AnswerArgs,
    #[command(flatten)]
    pub force: ForceArgs,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  marginswap risk survey.csv --keys region,sex,age --population 1000000\n  \
                  marginswap risk survey.csv --keys region,sex,age --fraction 5% --risky top:50 --keep 'region*sex'"
)]
pub struct RiskArgs {
    /// Find minimal sets of at most SIZE keys on which a record is unique (SUDA) [default size: all keys]
    #[arg(long, value_name = "SIZE", num_args = 0..=1, default_missing_value = "256", value_parser = size)]
    pub suda: Option<usize>,
    /// Count uniques on every set of at most SIZE keys
    #[arg(long, value_name = "SIZE", default_value_t = 2, value_parser = size)]
    pub key_sets: usize,
    /// Write one line per record to this CSV file (SECRET: readable by its owner alone)
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub force: ForceArgs,
    #[command(flatten)]
    pub answer: AnswerArgs,
    #[command(flatten)]
    pub settings: Typed<ForRisk>,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  marginswap protect survey.csv --keys region,sex,age --keep 'region*sex + sex*age' -o released.csv"
)]
pub struct ProtectArgs {
    #[command(flatten)]
    pub settings: Typed<ForProtect>,
    #[command(flatten)]
    pub job: JobArgs,
    /// Draw people at risk, protected and left to this SVG file
    #[arg(long, value_name = "FILE", help_heading = OUTPUT, hide_short_help = true)]
    pub svg: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  marginswap sample survey.csv --keep 'region*sex + sex*age' -o drawn.csv\n  \
                  marginswap sample --from-tables region-sex.csv --from-tables sex-age.csv -o drawn.csv"
)]
pub struct SampleArgs {
    /// File to write: CSV, also .gz
    #[arg(short, long, value_name = "FILE")]
    pub out: PathBuf,
    /// Number of files to draw, each by itself: draw-1.csv, draw-2.csv, …
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = size)]
    pub count: usize,
    /// Keep larger tables where the kept ones have no junction tree, and list them
    #[arg(long, conflicts_with = "from_tables")]
    pub cover: bool,
    /// Draw from published tables alone: tidy CSV, SDMX-CSV or JSON-stat 2, once for each table
    #[arg(long, value_name = "FILE", conflicts_with_all = ["data", "keep", "tables"])]
    pub from_tables: Vec<PathBuf>,
    /// Column of numbers in the published tables [default: as their format names it]
    #[arg(long, value_name = "COLUMN", requires = "from_tables")]
    pub counts: Option<String>,
    /// Columns of the published tables that are no variables
    #[arg(long, value_name = "A,B,…", requires = "from_tables", value_delimiter = ',')]
    pub no_variables: Vec<String>,
    /// Code of a total in the published tables; may be given several times
    #[arg(long, value_name = "CODE", requires = "from_tables")]
    pub total: Vec<String>,
    /// Seed file, to repeat a run; written (SECRET) if it does not exist
    #[arg(long, value_name = "FILE", conflicts_with = "demo_seed")]
    pub seed_file: Option<PathBuf>,
    /// Seed for demonstrations; the answer is marked NOT FOR RELEASE
    #[arg(long, value_name = "N", value_parser = demo_seed)]
    pub demo_seed: Option<u64>,
    #[command(flatten)]
    pub answer: AnswerArgs,
    #[command(flatten)]
    pub force: ForceArgs,
    #[command(flatten)]
    pub settings: Typed<ForSample>,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  marginswap plan survey.csv --keys region,sex,age --keep 'region*sex + sex*age' -o swap.plan"
)]
pub struct PlanArgs {
    #[command(flatten)]
    pub settings: Typed<ForPlan>,
    #[command(flatten)]
    pub job: JobArgs,
    /// Plan file to write (SECRET) [default: `plan` in the project file]
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Draw people at risk, protected and left to this SVG file
    #[arg(long, value_name = "FILE", help_heading = OUTPUT, hide_short_help = true)]
    pub svg: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  marginswap show swap.plan")]
pub struct ShowArgs {
    /// Plan file [default: `plan` in the project file]
    #[arg(value_name = "PLAN")]
    pub plan: Option<PathBuf>,
    /// List every swap with its record numbers
    #[arg(long)]
    pub reveal: bool,
    /// Take only a plan that is sealed with the key in this file
    #[arg(long, value_name = "FILE")]
    pub seal_file: Option<PathBuf>,
    #[command(flatten)]
    pub answer: AnswerArgs,
    #[command(flatten)]
    pub settings: Typed<ForShow>,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  marginswap apply survey.csv swap.plan -o released.csv")]
pub struct ApplyArgs {
    /// Data file of the plan [default: `data` in the project file]
    #[arg(value_name = "DATA")]
    pub data: Option<PathBuf>,
    /// Plan file [default: `plan` in the project file]
    #[arg(value_name = "PLAN")]
    pub plan: Option<PathBuf>,
    /// Seed file of the plan, to repeat its order of records [default: a new random order]
    #[arg(long, value_name = "FILE")]
    pub seed_file: Option<PathBuf>,
    /// Take only a plan that is sealed with the key in this file
    #[arg(long, value_name = "FILE")]
    pub seal_file: Option<PathBuf>,
    #[command(flatten)]
    pub force: ForceArgs,
    #[command(flatten)]
    pub answer: AnswerArgs,
    #[command(flatten)]
    pub settings: Typed<ForApply>,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  marginswap verify survey.csv released.csv --keep 'region*sex + sex*age' --keys region,sex\n  \
                  marginswap verify survey.csv released.csv --published table1.csv --published table2.json"
)]
pub struct VerifyArgs {
    /// Original file [default: `data` in the project file]
    #[arg(value_name = "BEFORE")]
    pub before: Option<PathBuf>,
    /// Released file [default: `out` in the project file]
    #[arg(value_name = "AFTER")]
    pub after: Option<PathBuf>,
    /// Do not pair the files line by line; single records are compared by --id only
    #[arg(long)]
    pub shuffled: bool,
    /// Compare three-way tables as well
    #[arg(long)]
    pub three_way: bool,
    /// Write the kept tables of the original, with weighted counts, to this folder, to calibrate to
    #[arg(long, value_name = "DIR")]
    pub margins: Option<PathBuf>,
    /// Draw all two-way tables, unchanged or changed, to this SVG file
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// List with their values (SECRET): published (cells of published tables that differ) or
    /// new-pairs (combinations of two values that the original does not have)
    #[arg(long, value_name = "WHAT", num_args = 0..=1, default_missing_value = "published")]
    pub reveal: Vec<Revealed>,
    #[command(flatten)]
    pub force: ForceArgs,
    #[command(flatten)]
    pub answer: AnswerArgs,
    #[command(flatten)]
    pub settings: Typed<ForVerify>,
}

/// What `verify` lists with its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Revealed {
    /// The cells of published tables that differ.
    Published,
    /// Combinations of two values that the original does not have.
    NewPairs,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  marginswap report survey.csv released.csv --keep 'region*sex + sex*age' --keys region,sex -o report.html\n  \
                  marginswap report survey.csv released.csv --plan swap.plan -o report.html\n  \
                  marginswap report --external -o public.html      (files and tables from marginswap.toml)"
)]
pub struct ReportArgs {
    /// Original file [default: `data` in the project file]
    #[arg(value_name = "BEFORE")]
    pub before: Option<PathBuf>,
    /// Released file [default: `out` in the project file]
    #[arg(value_name = "AFTER")]
    pub after: Option<PathBuf>,
    /// Report to write [default: `internal` or `external` in the project file]
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Write the external report, for publication: no seed, plan, id, record, exact rate or hash
    #[arg(long, conflicts_with = "reveal")]
    pub external: bool,
    /// Do not pair the files line by line; single records are compared by --id only
    #[arg(long)]
    pub shuffled: bool,
    /// Seed file of the run; with --plan it gives the order of a shuffled file
    #[arg(long, value_name = "FILE", conflicts_with = "demo_seed")]
    pub seed_file: Option<PathBuf>,
    /// Demo seed of the run, in place of a seed file
    #[arg(long, value_name = "N", value_parser = demo_seed)]
    pub demo_seed: Option<u64>,
    /// Take only a plan that is sealed with the key in this file
    #[arg(long, value_name = "FILE")]
    pub seal_file: Option<PathBuf>,
    /// List people at risk who are still matched, by record number (points to people)
    #[arg(long)]
    pub reveal: bool,
    #[command(flatten)]
    pub answer: AnswerArgs,
    #[command(flatten)]
    pub force: ForceArgs,
    #[command(flatten)]
    pub settings: Typed<ForReport>,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  marginswap frontier survey.csv --keys region,sex,age --keep 'region*sex + sex*age' --svg frontier.svg\n  \
                  marginswap frontier --budgets 1%,2%,5% --seeds 10 --choose risk:1% --plan swap.plan"
)]
#[command(mut_args(not_with_budgets))]
pub struct FrontierArgs {
    #[command(flatten)]
    pub settings: Typed<ForFrontier>,
    #[command(flatten)]
    pub job: JobArgs,
    /// Budgets to compare, as `1%,5%,none`; one plan for each budget and seed
    /// [default: `budget` if it is set, else 1%,2%,5%,none]
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    pub budgets: Vec<Cap>,
    /// Number of seeds to try for each budget
    #[arg(long, value_name = "M", default_value = "3")]
    pub seeds: NonZeroUsize,
    /// Choose the plan with least-risk, or the best within a limit: change:0.5% or risk:1%
    #[arg(long, value_name = "HOW", default_value = "least-risk")]
    pub choose: Choice,
    /// Draw risk against information loss to this SVG file
    #[arg(long, value_name = "FILE", help_heading = OUTPUT, hide_short_help = true)]
    pub svg: Option<PathBuf>,
}

/// A single budget excludes a list of budgets.
fn not_with_budgets(argument: clap::Arg) -> clap::Arg {
    match argument.get_id().as_str() {
        "budget" => argument.conflicts_with("budgets"),
        _ => argument,
    }
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  marginswap init survey.csv")]
pub struct InitArgs {
    /// Project file to write
    #[arg(short, long, value_name = "FILE", default_value = "marginswap.toml")]
    pub out: PathBuf,
    #[command(flatten)]
    pub force: ForceArgs,
    #[command(flatten)]
    pub settings: Typed<ForInit>,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  marginswap demo town --records 100000")]
pub struct DemoArgs {
    /// Folder to write to; created if it does not exist
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Number of people in the survey
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub records: u32,
    /// Survey whole households, with municipalities in counties and states
    #[arg(long)]
    pub households: bool,
    /// Seed of the town; the same number gives the same survey and the same swaps
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = demo_seed)]
    pub demo_seed: u64,
    /// Number of threads, at most 1,024; the answer is the same for any number [default: all cores]
    #[arg(long, value_name = "N", value_parser = threads)]
    pub threads: Option<NonZeroUsize>,
    #[command(flatten)]
    pub force: ForceArgs,
    #[command(flatten)]
    pub answer: AnswerArgs,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  marginswap clean .            (lists, and asks before anything is removed)\n  \
                  marginswap clean . --force    (removes without asking)"
)]
pub struct CleanArgs {
    /// Folder to look in
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Remove the files without asking
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub answer: AnswerArgs,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  marginswap completions bash > ~/.local/share/bash-completion/completions/marginswap"
)]
pub struct CompletionsArgs {
    /// Shell to complete for
    #[arg(value_name = "SHELL")]
    pub shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  marginswap man | man -l -\n  marginswap man --out ~/.local/share/man/man1"
)]
pub struct ManArgs {
    /// Folder to write the pages to [default: the main page goes to stdout]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// A whole number from 1 on.
fn size(text: &str) -> Result<usize, String> {
    let number = text.parse().map_err(|_| "expected a whole number from 1".to_owned())?;
    if number == 0 { Err("expected a whole number from 1".to_owned()) } else { Ok(number) }
}

/// Where tables are joined with a `+` that was not quoted, the shell makes a word of it: says
/// what to quote.
pub fn hint_at_quotes(wrong: &mut clap::Error, words: impl Iterator<Item = OsString>) {
    let words: Vec<String> = words.map(|word| word.to_string_lossy().into_owned()).collect();
    let Some(plus) = words.iter().position(|word| word == "+") else { return };
    let mut end = plus;
    while words.get(end).is_some_and(|word| word == "+") {
        end += 2;
    }
    let tables = words[plus.saturating_sub(1)..end.min(words.len())].join(" ");
    let tip = format!("put tables that are joined with + between quotes: '{tables}'");
    wrong.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
}

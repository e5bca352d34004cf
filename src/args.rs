//! What can be typed, and what it means.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::project::{Amount, MaxRecords, Pairing, Risky, Rule};

/// Swap values between the records of a microdata file while published tables stay exact.
#[derive(Debug, Parser)]
#[command(
    name = "marginswap",
    version,
    about,
    max_term_width = 100,
    after_help = "Exit codes: 0 done · 1 finished, but a gate is not met · 2 usage · 3 input data ·\n\
                  4 project file · 5 stale or foreign plan · 6 a bug, nothing written · 7 too large · 8 files.\n\
                  No command sends anything anywhere."
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

/// How many minimal separators are listed unless something else is said.
pub const MAX_SEPARATORS: usize = 100_000;

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// What is in a file: records, variables, levels, empty fields, sample uniques
    Inspect(InspectArgs),
    /// What the tables to keep tie together, and where the ties can be parted
    Graph(GraphArgs),
    /// For every record exactly: can it be swapped, does what every swap keeps prove its cell
    Screen(ScreenArgs),
    /// Why a record or a pair can or cannot be swapped; or what an error code means
    Explain(ExplainArgs),
    /// The whole job: find risky records, swap them, write the file, prove the tables
    Protect(ProtectArgs),
    /// Decide the swaps and write them into a plan (secret)
    Plan(PlanArgs),
    /// What is in a plan, in numbers
    Show(ShowArgs),
    /// Make the swaps of a plan: decides nothing, recounts everything
    Apply(ApplyArgs),
    /// Compare a released file with the original: tables, changes, risk
    Verify(VerifyArgs),
    /// Write a project file to start from
    Init(InitArgs),
    /// Write the survey of an invented town, and do the whole job on it
    Demo(DemoArgs),
}

/// How the file is read.
#[derive(Debug, Args)]
pub struct ReadArgs {
    /// What parts the fields of a CSV file: `,` `;` `|` … or `tab` [default: seen in the header]
    #[arg(long, value_name = "D")]
    pub delimiter: Option<String>,
}

/// What each column is.
#[derive(Debug, Args)]
pub struct RoleArgs {
    /// Columns whose values may be exchanged; the others stay [default: all columns]
    #[arg(long, value_name = "A,B,…")]
    pub vars: Vec<String>,
    /// Columns that are released but never exchanged
    #[arg(long, value_name = "A,B,…")]
    pub stay: Vec<String>,
    /// Columns left out: records that differ only there count as the same
    #[arg(long, value_name = "A,B,…")]
    pub ignore: Vec<String>,
    /// The column that names a record; left out like --ignore
    #[arg(long, value_name = "COLUMN")]
    pub id: Option<String>,
}

/// The tables to keep.
#[derive(Debug, Args)]
pub struct KeepArgs {
    /// A table that must not change, as `region*sex*age`; several with ` + ` or several --keep
    #[arg(long, value_name = "TABLES", required = true)]
    pub keep: Vec<String>,
    /// Beyond so many separators the exact pair test answers instead
    #[arg(long, value_name = "N", default_value_t = MAX_SEPARATORS, value_parser = count, allow_hyphen_values = true)]
    pub max_separators: usize,
}

/// How the answer is given.
#[derive(Debug, Args)]
pub struct AnswerArgs {
    /// Print the answer as JSON
    #[arg(long)]
    pub json: bool,
}

/// A file to write beside the answer.
#[derive(Debug, Args)]
pub struct ForceArgs {
    /// Replace the file if it exists
    #[arg(long)]
    pub force: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  marginswap inspect survey.csv")]
pub struct InspectArgs {
    /// The data: CSV (also .gz) or Parquet
    #[arg(value_name = "DATA")]
    pub data: PathBuf,
    #[command(flatten)]
    pub read: ReadArgs,
    #[command(flatten)]
    pub roles: RoleArgs,
    #[command(flatten)]
    pub answer: AnswerArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  marginswap graph --keep 'region*sex*age + age*marital'\n  \
                          marginswap graph survey.csv --keep 'region*sex' --svg graph.svg")]
#[command(mut_args(needs_data))]
pub struct GraphArgs {
    /// The data, of which only the header is read; without it, the tables' variables alone
    #[arg(value_name = "DATA")]
    pub data: Option<PathBuf>,
    #[command(flatten)]
    pub keep: KeepArgs,
    /// Draw the margin graph into this file
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    #[command(flatten)]
    pub force: ForceArgs,
    #[command(flatten)]
    pub read: ReadArgs,
    #[command(flatten)]
    pub roles: RoleArgs,
    #[command(flatten)]
    pub answer: AnswerArgs,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  marginswap screen survey.csv --keep 'region*sex*age' --out screened.csv"
)]
pub struct ScreenArgs {
    /// The data: CSV (also .gz) or Parquet
    #[arg(value_name = "DATA")]
    pub data: PathBuf,
    #[command(flatten)]
    pub keep: KeepArgs,
    /// Write a line for every record into this CSV file (secret: made readable for you alone)
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub force: ForceArgs,
    #[command(flatten)]
    pub read: ReadArgs,
    #[command(flatten)]
    pub roles: RoleArgs,
    #[command(flatten)]
    pub answer: AnswerArgs,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  marginswap explain survey.csv --keep 'region*sex' --record 48\n  \
                  marginswap explain survey.csv --keep 'region*sex' --pair 48 1203\n  \
                  marginswap explain survey.csv --keep 'region*sex' --id person --record P-0048\n  \
                  marginswap explain E203\n  marginswap explain codes"
)]
pub struct ExplainArgs {
    /// The data, or an error code such as E203; `codes` lists all codes
    #[arg(value_name = "DATA|CODE")]
    pub subject: PathBuf,
    /// A table that must not change, as `region*sex*age`; several with ` + ` or several --keep
    #[arg(long, value_name = "TABLES")]
    pub keep: Vec<String>,
    /// Beyond so many separators the exact pair test answers instead
    #[arg(long, value_name = "N", default_value_t = MAX_SEPARATORS, value_parser = count, allow_hyphen_values = true)]
    pub max_separators: usize,
    /// One record: its number from 1, or with --id its value in that column
    #[arg(long, value_name = "R", allow_hyphen_values = true)]
    pub record: Option<String>,
    /// Look for swaps of up to so many records too, from 2 to 8
    #[arg(long, value_name = "N", conflicts_with = "pair")]
    pub max_records: Option<MaxRecords>,
    /// Two records
    #[arg(long, value_names = ["R", "S"], num_args = 2, conflicts_with = "record", allow_hyphen_values = true)]
    pub pair: Vec<String>,
    /// Which partners of --record to list
    #[arg(long, value_name = "WHICH", conflicts_with = "pair", default_value = "count")]
    pub partners: Partners,
    #[command(flatten)]
    pub read: ReadArgs,
    #[command(flatten)]
    pub roles: RoleArgs,
    #[command(flatten)]
    pub answer: AnswerArgs,
}

/// Which partners are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Partners {
    /// Only how many there are
    Count,
    /// The number of every partner's record
    All,
}

/// What decides a plan; each option overrides an entry of the project file.
#[derive(Debug, Args)]
pub struct JobArgs {
    /// The data: CSV (also .gz) or Parquet [default: the project file's]
    #[arg(value_name = "DATA")]
    pub data: Option<PathBuf>,
    /// The project file [default: marginswap.toml, if it is here]
    #[arg(long, value_name = "FILE")]
    pub project: Option<PathBuf>,
    /// What an intruder may know
    #[arg(long, value_name = "A,B,…")]
    pub keys: Vec<String>,
    /// A table that must not change, as `region*sex*age`; several with ` + ` or several --keep
    #[arg(long, value_name = "TABLES")]
    pub keep: Vec<String>,
    /// Whom to protect: unique, k:3, records:FILE [default: unique on the keys]
    #[arg(long, value_name = "RULE")]
    pub risky: Option<Risky>,
    /// Columns that only travel together
    #[arg(long, value_name = "A,B,…")]
    pub linked: Vec<String>,
    /// Columns on which partners must agree; several --match are tried in order
    #[arg(long = "match", value_name = "A,B,…")]
    pub matched: Vec<String>,
    /// Columns on which partners always agree
    #[arg(long, value_name = "A,B,…")]
    pub strata: Vec<String>,
    /// The column of sampling weights, which joins every kept table
    #[arg(long, value_name = "COLUMN")]
    pub weight: Option<String>,
    /// A combination that no swap may create, as `age = 0-17 & marital = married`
    #[arg(long = "rule", value_name = "RULE")]
    pub rules: Vec<Rule>,
    /// At most so many records are changed: a number or a share such as 5%
    #[arg(long, value_name = "AMOUNT")]
    pub budget: Option<Amount>,
    /// Random swaps are added until so many records are changed
    #[arg(long, value_name = "AMOUNT")]
    pub rate: Option<Amount>,
    /// greedy (any number of records) or optimal (few)
    #[arg(long, value_name = "HOW")]
    pub pairing: Option<Pairing>,
    /// Where a record has no partner, swaps of up to so many records: 4 or 8 [default: 2]
    #[arg(long, value_name = "N")]
    pub max_records: Option<MaxRecords>,
    /// A seed file that repeats a run; made (secret) when it is not there
    #[arg(long, value_name = "FILE", conflicts_with = "demo_seed")]
    pub seed_file: Option<PathBuf>,
    /// A seed for demonstrations; marks the outputs NOT FOR RELEASE
    #[arg(long, value_name = "N")]
    pub demo_seed: Option<u64>,
    #[command(flatten)]
    pub read: ReadArgs,
    #[command(flatten)]
    pub roles: RoleArgs,
    #[command(flatten)]
    pub threads: ThreadArgs,
    #[command(flatten)]
    pub answer: AnswerArgs,
    #[command(flatten)]
    pub force: ForceArgs,
}

/// How many threads work.
#[derive(Debug, Args)]
pub struct ThreadArgs {
    /// How many threads may work; the answer is the same for any number [default: all]
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
}

/// How a file is released.
#[derive(Debug, Args)]
pub struct ReleaseArgs {
    /// Release the records in random order
    #[arg(long)]
    pub shuffle: bool,
    /// Columns that are not released
    #[arg(long, value_name = "A,B,…")]
    pub drop: Vec<String>,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  marginswap protect survey.csv --keys region,sex,age --keep 'region*sex + sex*age' -o released.csv"
)]
pub struct ProtectArgs {
    #[command(flatten)]
    pub job: JobArgs,
    /// The released file
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Keep the plan (secret) in this file
    #[arg(long, value_name = "FILE")]
    pub plan: Option<PathBuf>,
    #[command(flatten)]
    pub release: ReleaseArgs,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  marginswap plan survey.csv --keys region,sex,age --keep 'region*sex + sex*age' -o swap.plan"
)]
pub struct PlanArgs {
    #[command(flatten)]
    pub job: JobArgs,
    /// The plan file (secret)
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  marginswap show swap.plan")]
pub struct ShowArgs {
    /// The plan file
    #[arg(value_name = "PLAN")]
    pub plan: PathBuf,
    /// List the swaps, record by record
    #[arg(long)]
    pub reveal: bool,
    #[command(flatten)]
    pub answer: AnswerArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  marginswap apply survey.csv swap.plan -o released.csv")]
pub struct ApplyArgs {
    /// The data that the plan was made for
    #[arg(value_name = "DATA")]
    pub data: PathBuf,
    /// The plan file
    #[arg(value_name = "PLAN")]
    pub plan: PathBuf,
    /// The released file
    #[arg(short, long, value_name = "FILE")]
    pub out: PathBuf,
    /// A project file that the plan must agree with
    #[arg(long, value_name = "FILE")]
    pub project: Option<PathBuf>,
    /// The seed file of the plan, for the order of --shuffle [default: a new random order]
    #[arg(long, value_name = "FILE")]
    pub seed_file: Option<PathBuf>,
    #[command(flatten)]
    pub release: ReleaseArgs,
    #[command(flatten)]
    pub force: ForceArgs,
    #[command(flatten)]
    pub read: ReadArgs,
    #[command(flatten)]
    pub threads: ThreadArgs,
    #[command(flatten)]
    pub answer: AnswerArgs,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  marginswap verify survey.csv released.csv --keep 'region*sex + sex*age' --keys region,sex"
)]
pub struct VerifyArgs {
    /// The original file
    #[arg(value_name = "BEFORE")]
    pub before: PathBuf,
    /// The released file
    #[arg(value_name = "AFTER")]
    pub after: PathBuf,
    /// A table that must not have changed, as `region*sex*age`
    #[arg(long, value_name = "TABLES")]
    pub keep: Vec<String>,
    /// What an intruder may know
    #[arg(long, value_name = "A,B,…")]
    pub keys: Vec<String>,
    /// The column of sampling weights, which joins every kept table
    #[arg(long, value_name = "COLUMN")]
    pub weight: Option<String>,
    /// The lines of the two files do not correspond (without --id, nothing is said of records)
    #[arg(long)]
    pub shuffled: bool,
    /// Compare three-way tables as well
    #[arg(long)]
    pub three_way: bool,
    /// The project file, for tables, keys and columns [default: none]
    #[arg(long, value_name = "FILE")]
    pub project: Option<PathBuf>,
    #[command(flatten)]
    pub read: ReadArgs,
    #[command(flatten)]
    pub roles: RoleArgs,
    #[command(flatten)]
    pub threads: ThreadArgs,
    #[command(flatten)]
    pub answer: AnswerArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  marginswap init survey.csv")]
pub struct InitArgs {
    /// The data: CSV (also .gz) or Parquet
    #[arg(value_name = "DATA")]
    pub data: PathBuf,
    /// The project file to write
    #[arg(short, long, value_name = "FILE", default_value = "marginswap.toml")]
    pub out: PathBuf,
    /// Columns that are not read and left out
    #[arg(long, value_name = "A,B,…")]
    pub ignore: Vec<String>,
    #[command(flatten)]
    pub force: ForceArgs,
    #[command(flatten)]
    pub read: ReadArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  marginswap demo town --records 100000")]
pub struct DemoArgs {
    /// The folder to write into; made when it is not there
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// How many people answer the survey
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub records: u32,
    /// Which town: the same number gives the same survey and the same swaps
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub demo_seed: u64,
    #[command(flatten)]
    pub threads: ThreadArgs,
    #[command(flatten)]
    pub force: ForceArgs,
    #[command(flatten)]
    pub answer: AnswerArgs,
}

/// A whole number from 0 on.
fn count(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| "a whole number from 0 on is needed".to_owned())
}

/// What says something about a file's columns needs a file.
fn needs_data(argument: clap::Arg) -> clap::Arg {
    match argument.get_id().as_str() {
        "delimiter" | "vars" | "stay" | "ignore" | "id" => argument.requires("data"),
        _ => argument,
    }
}

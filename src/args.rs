//! What can be typed, and what it means.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use marginswap_pipeline::frontier::{Cap, Choice};
use marginswap_pipeline::project::{
    Amount, Fraction, MaxRecords, ModelChoice, Pairing, PeopleCount, Risky, Rule, ScoreBy,
    SearchBy, SelectBy,
};

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
    /// Who is at risk: the estimated probability that a sample unique is unique in the population
    Risk(RiskArgs),
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
    /// A release on one page: for those who decide, or to be published
    Report(ReportArgs),
    /// Several plans, by budget and seed: risk against change, and the best of them
    Frontier(FrontierArgs),
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
    /// Draw why into this file: what each separator offers, the swap, or the chain of tables
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    #[command(flatten)]
    pub force: ForceArgs,
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
    /// Whom to protect: unique, k:3, records:FILE, top:50, prob:0.2 [default: unique on the keys]
    #[arg(long, value_name = "RULE")]
    pub risky: Option<Risky>,
    #[command(flatten)]
    pub model: ModelArgs,
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
    /// Where a record has no partner, moves of up to so many records each, 2 to 8; moves that share
    /// a record are released as one group [default: 2]
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

/// What the risk model is told.
#[derive(Debug, Args)]
pub struct ModelArgs {
    /// How many people the file was drawn from
    #[arg(long, help_heading = "Risk model", value_name = "N", conflicts_with = "fraction")]
    pub population: Option<PeopleCount>,
    /// Or what share of them is in the file: 0.05 or 5%
    #[arg(long, help_heading = "Risk model", value_name = "F", allow_hyphen_values = true)]
    pub fraction: Option<Fraction>,
    /// auto, independence, all-2way, or tables of keys as `sex*age + age*job` [default: auto]
    #[arg(long, help_heading = "Risk model", value_name = "MODEL")]
    pub model: Option<ModelChoice>,
    /// What a parameter costs when auto searches: bic or aic [default: bic; aic with --select fit]
    #[arg(long, help_heading = "Risk model", value_name = "C")]
    pub criterion: Option<ScoreBy>,
    /// How auto searches: forest, forward, backward, both [default: forward, from the best forest]
    #[arg(long, help_heading = "Risk model", value_name = "HOW")]
    pub search: Option<SearchBy>,
    /// The decomposable model that the search begins with
    #[arg(long, help_heading = "Risk model", value_name = "TABLES")]
    pub start: Vec<String>,
    /// What auto ends by: score, or fit (B/√V nearest to 0) [default: score]
    #[arg(long, help_heading = "Risk model", value_name = "BY")]
    pub select: Option<SelectBy>,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  marginswap risk survey.csv --keys region,sex,age --population 1000000\n  \
                  marginswap risk survey.csv --keys region,sex,age --fraction 5% --risky top:50 --keep 'region*sex'"
)]
pub struct RiskArgs {
    /// The data: CSV (also .gz) or Parquet [default: the project file's]
    #[arg(value_name = "DATA")]
    pub data: Option<PathBuf>,
    /// The project file [default: marginswap.toml, if it is here]
    #[arg(long, value_name = "FILE")]
    pub project: Option<PathBuf>,
    /// What an intruder may know
    #[arg(long, value_name = "A,B,…")]
    pub keys: Vec<String>,
    /// The column of sampling weights: gives each record's individual risk, and the population
    #[arg(long, value_name = "COLUMN")]
    pub weight: Option<String>,
    /// Which records to name: top:50, prob:0.2, unique, k:3, records:FILE
    #[arg(long, value_name = "RULE")]
    pub risky: Option<Risky>,
    /// Say of them whether they can be swapped while these tables are kept
    #[arg(long, value_name = "TABLES")]
    pub keep: Vec<String>,
    /// Find the smallest sets of keys that point to a record, up to so many keys [default size: all]
    #[arg(long, value_name = "SIZE", num_args = 0..=1, default_missing_value = "256", value_parser = size)]
    pub suda: Option<usize>,
    /// Count the uniques on every set of up to so many keys
    #[arg(long, value_name = "SIZE", default_value_t = 2, value_parser = size)]
    pub key_sets: usize,
    /// Write a line for every record into this CSV file (secret: made readable for you alone)
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub model: ModelArgs,
    #[command(flatten)]
    pub force: ForceArgs,
    #[command(flatten)]
    pub read: ReadArgs,
    #[command(flatten)]
    pub roles: RoleArgs,
    #[command(flatten)]
    pub threads: ThreadArgs,
    #[command(flatten)]
    pub answer: AnswerArgs,
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
    /// Write the report for those who decide into this file
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Write the report that may be published into this file
    #[arg(long, value_name = "FILE")]
    pub external_report: Option<PathBuf>,
    /// Draw who is at risk, protected and left over into this file
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
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
    /// Draw who is at risk, protected and left over into this file
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
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
    /// A project file that the plan must agree with; its `shuffle` and `drop` hold too
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
    /// Draw all two-way tables, fixed or changed, into this file
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    #[command(flatten)]
    pub force: ForceArgs,
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
#[command(
    after_help = "Examples:\n  marginswap report survey.csv released.csv --keep 'region*sex + sex*age' --keys region,sex -o report.html\n  \
                  marginswap report survey.csv released.csv --plan swap.plan -o report.html\n  \
                  marginswap report --external -o public.html      (files and tables from marginswap.toml)"
)]
pub struct ReportArgs {
    /// The original file [default: the project file's `data`]
    #[arg(value_name = "BEFORE")]
    pub before: Option<PathBuf>,
    /// The released file [default: the project file's `out`]
    #[arg(value_name = "AFTER")]
    pub after: Option<PathBuf>,
    /// The page to write [default: `internal` or `external` in the project file]
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// The page that may be published: no seed, plan, id, record, exact rate or hash
    #[arg(long, conflicts_with = "reveal")]
    pub external: bool,
    /// The plan that made the file, for method and replay [default: the project file's]
    #[arg(long, value_name = "PLAN")]
    pub plan: Option<PathBuf>,
    /// A table that must not have changed, as `region*sex*age`
    #[arg(long, value_name = "TABLES")]
    pub keep: Vec<String>,
    /// What an intruder may know
    #[arg(long, value_name = "A,B,…")]
    pub keys: Vec<String>,
    /// Who is at risk: unique, k:3, records:FILE, top:50, prob:0.2 [default: the plan's, or unique on the keys]
    #[arg(long, value_name = "RULE")]
    pub risky: Option<Risky>,
    /// A table that is not kept, of which the page says how far it moved
    #[arg(long, value_name = "TABLES")]
    pub watch: Vec<String>,
    /// Columns that only travel together
    #[arg(long, value_name = "A,B,…")]
    pub linked: Vec<String>,
    /// The column of sampling weights, which joins every kept table
    #[arg(long, value_name = "COLUMN")]
    pub weight: Option<String>,
    /// The lines of the two files do not correspond (without --id, nothing is said of records)
    #[arg(long)]
    pub shuffled: bool,
    /// The seed file of the run, which with the plan tells the order of a shuffled file
    #[arg(long, value_name = "FILE", conflicts_with = "demo_seed")]
    pub seed_file: Option<PathBuf>,
    /// The demo seed of the run, for the same
    #[arg(long, value_name = "N")]
    pub demo_seed: Option<u64>,
    /// List the records at risk that keep their keys, by number (points to persons)
    #[arg(long)]
    pub reveal: bool,
    /// The project file [default: marginswap.toml, if it is here]
    #[arg(long, value_name = "FILE")]
    pub project: Option<PathBuf>,
    #[command(flatten)]
    pub model: ModelArgs,
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

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  marginswap frontier survey.csv --keys region,sex,age --keep 'region*sex + sex*age' --svg frontier.svg\n  \
                  marginswap frontier --budgets 1%,2%,5% --seeds 10 --choose risk:1% --plan swap.plan"
)]
#[command(mut_args(not_with_budgets))]
pub struct FrontierArgs {
    #[command(flatten)]
    pub job: JobArgs,
    /// The most records that a plan may change, one plan for each and for each seed; `none` is
    /// no cap [default: the budget that is set, else 1%,2%,5%,none]
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    pub budgets: Vec<Cap>,
    /// How many seeds are tried for each budget
    #[arg(long, value_name = "M", default_value = "3")]
    pub seeds: NonZeroUsize,
    /// By what a plan is chosen: least-risk; change:0.5% or risk:1%, the most it may be
    #[arg(long, value_name = "HOW", default_value = "least-risk")]
    pub choose: Choice,
    /// Write the chosen plan (secret) into this file
    #[arg(long, value_name = "FILE")]
    pub plan: Option<PathBuf>,
    /// Draw risk against change into this file
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
}

/// One budget is not several.
fn not_with_budgets(argument: clap::Arg) -> clap::Arg {
    match argument.get_id().as_str() {
        "budget" => argument.conflicts_with("budgets"),
        _ => argument,
    }
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

/// A whole number from 1 on.
fn size(text: &str) -> Result<usize, String> {
    let number = text.parse().map_err(|_| "a whole number from 1 on is needed".to_owned())?;
    if number == 0 { Err("a whole number from 1 on is needed".to_owned()) } else { Ok(number) }
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

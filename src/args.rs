//! What can be typed, and what it means.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use marginswap_pipeline::frontier::{Cap, Choice};
use marginswap_pipeline::settings::Topic::{self, *};

use crate::setup::{Takes, Typed};

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
    /// Print a script that completes commands and options in your shell
    Completions(CompletionsArgs),
    /// Print the manual, or write a page for each command into a folder
    Man(ManArgs),
}

/// Declares which settings a command takes.
macro_rules! takes {
    ($($name:ident: $($topic:ident)*;)*) => {$(
        #[derive(Debug)]
        pub struct $name;

        impl Takes for $name {
            const TOPICS: &'static [Topic] = &[$($topic),*];
        }
    )*};
}

takes! {
    ForInspect: Data Columns;
    ForGraph: Data Columns Ties;
    ForScreen: Data Columns Ties Keys Partners;
    ForRisk: Data Columns Ties Keys Risk Model;
    ForPlan: Data Columns Ties Keys Risk Model Partners Size Planning;
    ForFrontier: Data Columns Ties Keys Risk Model Partners Size Planning Plan;
    ForProtect: Data Columns Ties Keys Risk Model Partners Size Planning Plan Release Pages Watch;
}

/// Commands that name files of their own first.
macro_rules! takes_beside_files {
    ($($name:ident: $($topic:ident)*;)*) => {$(
        #[derive(Debug)]
        pub struct $name;

        impl Takes for $name {
            const TOPICS: &'static [Topic] = &[$($topic),*];
            const DATA: bool = false;
        }
    )*};
}

takes_beside_files! {
    ForExplain: Data Columns Ties Keys Partners Size;
    ForShow: Data;
    ForApply: Data Release;
    ForVerify: Data Columns Ties Keys Risk Model;
    ForReport: Data Columns Ties Keys Risk Model Plan Watch;
}

/// A command that reads no project file: it writes one.
#[derive(Debug)]
pub struct ForInit;

impl Takes for ForInit {
    const TOPICS: &'static [Topic] = &[Data, Columns];
    const PROJECT: bool = false;
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
    #[command(flatten)]
    pub answer: AnswerArgs,
    #[command(flatten)]
    pub settings: Typed<ForInspect>,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  marginswap graph --keep 'region*sex*age + age*marital'\n  \
                          marginswap graph survey.csv --keep 'region*sex' --svg graph.svg")]
pub struct GraphArgs {
    /// Draw the margin graph into this file
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
    after_help = "Example:\n  marginswap screen survey.csv --keep 'region*sex*age' --out screened.csv"
)]
pub struct ScreenArgs {
    /// Write a line for every record into this CSV file (secret: made readable for you alone)
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
    /// The data, or an error code such as E203; `codes` lists all codes
    #[arg(value_name = "DATA|CODE")]
    pub subject: Option<PathBuf>,
    /// One record: its number from 1, or with --id its value in that column
    #[arg(long, value_name = "R", allow_hyphen_values = true)]
    pub record: Option<String>,
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
    pub answer: AnswerArgs,
    #[command(flatten)]
    pub settings: Typed<ForExplain>,
}

/// Which partners are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Partners {
    /// Only how many there are
    Count,
    /// The number of every partner's record
    All,
}

/// How a job runs beside its settings.
#[derive(Debug, Args)]
pub struct JobArgs {
    /// Seed file, which repeats a run; written (SECRET) when it does not exist
    #[arg(long, value_name = "FILE", conflicts_with = "demo_seed")]
    pub seed_file: Option<PathBuf>,
    /// Seed for demonstrations; marks the outputs NOT FOR RELEASE
    #[arg(long, value_name = "N")]
    pub demo_seed: Option<u64>,
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
    pub job: JobArgs,
    /// Draw who is at risk, protected and left over into this file
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    #[command(flatten)]
    pub settings: Typed<ForProtect>,
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
    #[command(flatten)]
    pub settings: Typed<ForPlan>,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  marginswap show swap.plan")]
pub struct ShowArgs {
    /// Plan file [default: `plan` in the project file]
    #[arg(value_name = "PLAN")]
    pub plan: Option<PathBuf>,
    /// List the swaps, record by record
    #[arg(long)]
    pub reveal: bool,
    #[command(flatten)]
    pub answer: AnswerArgs,
    #[command(flatten)]
    pub settings: Typed<ForShow>,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  marginswap apply survey.csv swap.plan -o released.csv")]
pub struct ApplyArgs {
    /// Data that the plan was made for [default: `data` in the project file]
    #[arg(value_name = "DATA")]
    pub data: Option<PathBuf>,
    /// Plan file [default: `plan` in the project file]
    #[arg(value_name = "PLAN")]
    pub plan: Option<PathBuf>,
    /// The seed file of the plan, for the order of --shuffle [default: a new random order]
    #[arg(long, value_name = "FILE")]
    pub seed_file: Option<PathBuf>,
    #[command(flatten)]
    pub force: ForceArgs,
    #[command(flatten)]
    pub answer: AnswerArgs,
    #[command(flatten)]
    pub settings: Typed<ForApply>,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  marginswap verify survey.csv released.csv --keep 'region*sex + sex*age' --keys region,sex"
)]
pub struct VerifyArgs {
    /// Original file [default: `data` in the project file]
    #[arg(value_name = "BEFORE")]
    pub before: Option<PathBuf>,
    /// Released file [default: `out` in the project file]
    #[arg(value_name = "AFTER")]
    pub after: Option<PathBuf>,
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
    #[command(flatten)]
    pub answer: AnswerArgs,
    #[command(flatten)]
    pub settings: Typed<ForVerify>,
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
    /// Draw risk against change into this file
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    #[command(flatten)]
    pub settings: Typed<ForFrontier>,
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
    /// The project file to write
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
    /// The folder to write into; made when it is not there
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// How many people answer the survey
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub records: u32,
    /// Which town: the same number gives the same survey and the same swaps
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub demo_seed: u64,
    /// Number of threads; the answer is the same for any number [default: all cores]
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
    #[command(flatten)]
    pub force: ForceArgs,
    #[command(flatten)]
    pub answer: AnswerArgs,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  marginswap completions bash > ~/.local/share/bash-completion/completions/marginswap"
)]
pub struct CompletionsArgs {
    /// Your shell
    #[arg(value_name = "SHELL")]
    pub shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  marginswap man | man -l -\n  marginswap man --out ~/.local/share/man/man1"
)]
pub struct ManArgs {
    /// Folder to write the pages into [default: the main page goes to stdout]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// A whole number from 1 on.
fn size(text: &str) -> Result<usize, String> {
    let number = text.parse().map_err(|_| "a whole number from 1 on is needed".to_owned())?;
    if number == 0 { Err("a whole number from 1 on is needed".to_owned()) } else { Ok(number) }
}

//! What can be typed, and what it means.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Swap values between the records of a microdata file while published tables stay exact.
#[derive(Debug, Parser)]
#[command(
    name = "marginswap",
    version,
    about,
    max_term_width = 100,
    after_help = "Exit codes: 0 done · 2 usage · 3 input data · 6 a bug · 7 too much work · 8 files.\n\
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

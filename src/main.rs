//! marginswap: what was typed becomes a command, the command an answer, the answer text.

mod args;
mod bug;
mod cmd;
mod input;
mod output;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};

fn main() -> ExitCode {
    bug::guarded(run)
}

fn run() -> ExitCode {
    let cli = Cli::parse();
    let done = match cli.command {
        Command::Inspect(args) => cmd::inspect::run(&args),
        Command::Graph(args) => cmd::graph::run(&args),
        Command::Screen(args) => cmd::screen::run(&args),
        Command::Explain(args) => cmd::explain::run(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            output::talk(&error.to_string());
            ExitCode::from(error.code.exit_code())
        }
    }
}

//! marginswap: what was typed becomes a command, the command an answer, the answer text.

mod args;
mod cmd;
#[allow(dead_code, unused_imports, reason = "the command that writes it comes next")]
mod demo;
mod input;
mod output;
#[allow(dead_code, unused_imports, reason = "the commands that ask for it come one by one")]
mod project;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};

fn main() -> ExitCode {
    let cli = Cli::parse();
    let done = match cli.command {
        Command::Inspect(args) => cmd::inspect::run(&args),
        Command::Graph(args) => cmd::graph::run(&args),
        Command::Screen(args) => cmd::screen::run(&args),
        Command::Explain(args) => cmd::explain::run(&args),
        Command::Init(args) => cmd::init::run(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            output::talk(&error.to_string());
            ExitCode::from(error.code.exit_code())
        }
    }
}

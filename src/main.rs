//! marginswap: what was typed becomes a command, the command an answer, the answer text.

mod args;
mod bug;
mod cmd;
mod output;
mod settings;

use std::process::ExitCode;

use clap::Parser;
use marginswap_core::diagnostic::Diagnostic;
use marginswap_io::remove_on_interrupt;

use args::{Cli, Command};
use output::Outcome;

fn main() -> ExitCode {
    bug::guarded(run)
}

fn run() -> ExitCode {
    let cli = Cli::parse();
    remove_on_interrupt();
    let done = obey(cli.command);
    match done {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::GateNotMet) => ExitCode::from(1),
        Err(error) => {
            output::talk(&error.to_string());
            ExitCode::from(error.code.exit_code())
        }
    }
}

fn obey(command: Command) -> Result<Outcome, Diagnostic> {
    match command {
        Command::Inspect(args) => cmd::inspect::run(&args).map(|()| Outcome::Done),
        Command::Graph(args) => cmd::graph::run(&args).map(|()| Outcome::Done),
        Command::Screen(args) => cmd::screen::run(&args).map(|()| Outcome::Done),
        Command::Explain(args) => cmd::explain::run(&args).map(|()| Outcome::Done),
        Command::Risk(args) => cmd::risk::run(&args).map(|()| Outcome::Done),
        Command::Protect(args) => cmd::protect::run(&args),
        Command::Plan(args) => cmd::plan::run(&args),
        Command::Show(args) => cmd::show::run(&args),
        Command::Apply(args) => cmd::apply::run(&args),
        Command::Verify(args) => cmd::verify::run(&args),
        Command::Report(args) => cmd::report::run(&args),
        Command::Frontier(args) => cmd::frontier::run(&args),
        Command::Init(args) => cmd::init::run(&args).map(|()| Outcome::Done),
        Command::Demo(args) => cmd::demo::run(&args),
    }
}

//! marginswap: what was typed becomes a command, the command an answer, the answer text.

mod advised;
mod args;
mod bug;
mod cmd;
mod output;
mod progress;
mod setup;
mod timings;

use std::process::ExitCode;

use clap::Parser;
use marginswap_core::diagnostic::Diagnostic;
use marginswap_io::remove_on_interrupt;
use marginswap_pipeline::codes;

use args::{Cli, Command};
use output::Outcome;

fn main() -> ExitCode {
    bug::guarded(run)
}

fn run() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(mut wrong) => {
            args::hint_at_quotes(&mut wrong, std::env::args_os());
            output::end_for_usage(&wrong)
        }
    };
    remove_on_interrupt();
    let done = obey(cli.command);
    match done {
        Ok(outcome) => ExitCode::from(outcome.code()),
        Err(error) => {
            output::refuse(&error, output::is_json_asked_for());
            ExitCode::from(codes::exit_code(&error))
        }
    }
}

fn obey(command: Command) -> Result<Outcome, Diagnostic> {
    match command {
        Command::Inspect(args) => cmd::inspect::run(&args),
        Command::Graph(args) => cmd::graph::run(&args),
        Command::Screen(args) => cmd::screen::run(&args),
        Command::Explain(args) => cmd::explain::run(&args),
        Command::Risk(args) => cmd::risk::run(&args),
        Command::Protect(args) => cmd::protect::run(&args),
        Command::Sample(args) => cmd::sample::run(&args),
        Command::Plan(args) => cmd::plan::run(&args),
        Command::Show(args) => cmd::show::run(&args),
        Command::Apply(args) => cmd::apply::run(&args),
        Command::Verify(args) => cmd::verify::run(&args),
        Command::Report(args) => cmd::report::run(&args),
        Command::Frontier(args) => cmd::frontier::run(&args),
        Command::Init(args) => cmd::init::run(&args).map(|()| Outcome::Done),
        Command::Demo(args) => cmd::demo::run(&args),
        Command::Sql(args) => cmd::sql::run(&args),
        Command::Clean(args) => cmd::clean::run(&args),
        Command::Completions(args) => cmd::shell::completions(&args),
        Command::Man(args) => cmd::shell::man(&args),
    }
}

//! `completions` and `man`: the program in its surroundings.

use std::path::Path;

use clap::CommandFactory;
use clap_mangen::Man;
use marginswap_core::diagnostic::Diagnostic;
use marginswap_io::{Finished, Overwrite, Secrecy, publish_all};
use marginswap_pipeline::outputs::stage;
use marginswap_pipeline::refusal::Code;

use crate::args::{Cli, CompletionsArgs, ManArgs};
use crate::output::{Outcome, print, talk};

/// Prints a script that completes commands and options.
pub fn completions(args: &CompletionsArgs) -> Result<Outcome, Diagnostic> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "marginswap", &mut script);
    print(&String::from_utf8_lossy(&script))?;
    Ok(Outcome::Done)
}

/// Prints the manual page, or writes one for each command.
pub fn man(args: &ManArgs) -> Result<Outcome, Diagnostic> {
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    let Some(folder) = &args.out else {
        print(&page(command)?)?;
        return Ok(Outcome::Done);
    };
    let commands: Vec<clap::Command> = command.get_subcommands().cloned().collect();
    let mut pages = vec![staged(folder, "marginswap", command)?];
    for each in commands {
        pages.push(staged(folder, &format!("marginswap-{}", each.get_name()), each)?);
    }
    publish_all(pages)?;
    talk(&format!("the manual pages are in {}", folder.display()));
    Ok(Outcome::Done)
}

fn staged(folder: &Path, name: &str, command: clap::Command) -> Result<Finished, Diagnostic> {
    let page = page(command)?;
    let path = folder.join(format!("{name}.1"));
    stage(&path, Overwrite::from_force(true), Secrecy::Plain, page.as_bytes())
}

fn page(command: clap::Command) -> Result<String, Diagnostic> {
    let mut page = Vec::new();
    Man::new(command).render(&mut page).map_err(|error| {
        Diagnostic::new(Code::Unwritable, marginswap_io::said(&error), "print it again")
    })?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}

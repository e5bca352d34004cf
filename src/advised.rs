//! The command that does what an answer advises: the same job with one setting changed.

use marginswap_pipeline::advice::advised;
use marginswap_pipeline::project::Project;
use marginswap_report::advice::{Advice, Help};

use crate::args::ForProtect;
use crate::setup::{Setup, Takes};

/// Puts the command next to each advice that is a changed setting.
pub fn add_commands(advice: &mut [Advice], setup: &Setup, project: &Project) {
    for one in advice {
        // A list that the project file has cannot be emptied by an option.
        let in_file = one.help == Help::WidenMatch && !setup.file_project().swap.matched.is_empty();
        let changed = advised(&one.help, project).filter(|_| !in_file);
        one.command = changed.map(|project| {
            let mut line = setup.line_for("protect", ForProtect::TOPICS, &project);
            match &project.release.out {
                Some(_) => line.flag("--force"),
                None => line.option("-o", "released.csv"),
            };
            line.to_string()
        });
    }
}

//! `sql`: the statements by which an engine counts, rewrites and verifies a table.

use marginswap_core::diagnostic::Diagnostic;
use marginswap_pipeline::project::Project;
use marginswap_pipeline::settings::names_in;
use marginswap_pipeline::sql::Statements;
use marginswap_report::Answer;
use serde::Serialize;

use crate::args::{SqlArgs, Statement};
use crate::output::{Outcome, give};

/// Statements for an administrator to read.
#[derive(Serialize)]
struct SqlReport {
    /// One, or for `verify` one for each kept table.
    statements: Vec<String>,
}

impl Answer for SqlReport {
    fn text(&self) -> String {
        let ended: Vec<String> = self.statements.iter().map(|sql| format!("{sql};\n")).collect();
        ended.join("\n")
    }
}

/// Prints a statement; reads no data.
pub fn run(args: &SqlArgs) -> Result<Outcome, Diagnostic> {
    let mut project = Project::default();
    project.columns.ignore = names_in(&args.ignore)?;
    project.release.drop = names_in(&args.drop)?;
    project.release.release_id = Some(args.release_id);
    let (columns, not_null) = (names_in(&args.columns)?, names_in(&args.not_null)?);
    let made = Statements::new(args.dialect, &columns, Some(&args.id), &project, &not_null)?;
    let with = |usual: &str| args.with.clone().unwrap_or_else(|| usual.to_owned());
    let statements = match args.statement {
        Statement::Cells => vec![made.cells(&args.from)],
        Statement::Changes => vec![made.changes(&args.from, &with("ms_moves"))],
        Statement::Release => vec![made.release(&args.from, &with("ms_changes"), 0)],
        Statement::Verify => made.verify_all(&args.from, &with("ms_released"), &args.keep)?,
    };
    give(&SqlReport { statements }, args.answer.json)?;
    Ok(Outcome::Done)
}

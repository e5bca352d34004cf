//! `sql`: the statements by which an engine counts, rewrites and verifies a table.

use marginswap_core::diagnostic::Diagnostic;
use marginswap_pipeline::project::Project;
use marginswap_pipeline::settings::formula;
use marginswap_pipeline::sql::Statements;
use marginswap_report::Answer;
use serde::Serialize;

use crate::args::{SqlArgs, Statement};
use crate::output::{Outcome, give};

/// A statement for an administrator to read.
#[derive(Serialize)]
struct SqlReport {
    statement: &'static str,
    /// The text, or one for each kept table.
    sql: Vec<String>,
}

impl Answer for SqlReport {
    fn text(&self) -> String {
        self.sql.iter().map(|sql| format!("{sql};\n")).collect::<Vec<_>>().join("\n")
    }
}

/// Prints a statement; reads no data.
pub fn run(args: &SqlArgs) -> Result<Outcome, Diagnostic> {
    let id = args.columns.iter().find(|name| **name == args.id);
    let mut project = Project::default();
    project.columns.ignore.clone_from(&args.ignore);
    project.release.drop.clone_from(&args.drop);
    let id = id.unwrap_or(&args.id);
    let made = Statements::new(args.dialect, &args.columns, id, &project, &args.not_null)?;
    let (table, beside) = (&args.from, &args.beside);
    let (statement, sql) = match args.statement {
        Statement::Cells => ("cells", vec![made.cells(table)]),
        Statement::Changes => ("changes", vec![made.changes(table, beside)]),
        Statement::Release => ("release", vec![made.release(table, beside)]),
        Statement::Verify => {
            let all = [made.cell().to_vec()];
            let tables = if args.tables.is_empty() { &all[..] } else { &args.tables[..] };
            let verify = |columns: &Vec<String>| made.verify(table, beside, columns);
            ("verify", tables.iter().map(verify).collect())
        }
    };
    give(&SqlReport { statement, sql }, args.answer.json)?;
    Ok(Outcome::Done)
}

//! What the tables to keep tie together.

use crate::refusal::Code;
use marginswap_core::diagnostic::Diagnostic;
use marginswap_core::graph::{Formula, Scope};
use marginswap_report::Picture;
use marginswap_report::graph::GraphReport;
use marginswap_report::margin_graph::draw;

use crate::answer;
use crate::input::separators;
use crate::original::{open, scope_of};
use crate::project::{Columns, Project};
use crate::table_names::TableNames;

/// The margin graph, described and drawn.
#[derive(Debug)]
pub struct Graph {
    /// In words and numbers.
    pub report: GraphReport,
    /// As a picture.
    pub picture: Picture,
}

/// Describes the margin graph of a project; without a data file, of its tables' variables.
///
/// # Errors
/// When the header of the data cannot be read, or a table names no column of it.
pub fn graph(project: &Project) -> Result<Graph, Diagnostic> {
    let (scope, columns) = match &project.data {
        Some(data) => {
            let opened = open(project, data)?;
            (scope_of(project, &opened)?, opened.columns().to_vec())
        }
        None if project.columns != Columns::default() || project.delimiter.is_some() => {
            return Err(Diagnostic::new(
                Code::MissingSetting,
                "a delimiter and the roles of columns need a data file",
                "name the data file, or leave them out",
            ));
        }
        None => {
            let formula = Formula::parse(&project.keep.formulas())?;
            (Scope::of_tables(&formula)?, formula.names())
        }
    };
    let separators = separators(&scope, project.max_separators());
    let called = TableNames::of(project, &columns, &scope);
    Ok(Graph {
        report: answer::graph(&scope, &separators, &called),
        picture: draw(&answer::graph_picture(&scope, &separators)),
    })
}

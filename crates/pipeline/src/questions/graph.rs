//! What the tables to keep tie together.

use std::collections::BTreeSet;

use crate::refusal::Code;
use marginswap_core::columns::{DerivedColumn, Roles};
use marginswap_core::diagnostic::Diagnostic;
use marginswap_core::graph::{Formula, Scope};
use marginswap_report::Picture;
use marginswap_report::graph::GraphReport;
use marginswap_report::margin_graph::draw;

use crate::answer;
use crate::derive::{Derivation, Take, resolve};
use crate::input::{Ids, separators};
use crate::notes::Run;
use crate::project::{Columns, Project};
use crate::resolve::{data_of, open};
use crate::study::read_scoped;
use crate::table_names::TableNames;
use crate::view::scope_of;

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
/// When the header of the data cannot be read, or a table names no column of it; where households
/// are swapped, when the data cannot be read.
pub fn graph(project: &Project, run: &mut Run<'_>) -> Result<Graph, Diagnostic> {
    if project.unit.household.is_some() {
        return graph_of_households(project, run);
    }
    let (scope, columns) = match data_of(project) {
        Ok(_) => {
            let (settings, opened) = open(project, Take::Named)?;
            let scope = scope_of(&settings, opened.header(), &[])?;
            return Ok(described(&settings, &scope, opened.columns()));
        }
        Err(_)
            if project.columns != Columns::default()
                || project.delimiter.is_some()
                || project.header.is_some() =>
        {
            return Err(Diagnostic::new(
                Code::MissingSetting,
                "a delimiter, a header and the roles of columns need a data file",
                "name the data file, or leave them out",
            ));
        }
        Err(_) => scope_of_tables(project)?,
    };
    Ok(described(project, &scope, &columns))
}

fn described(project: &Project, scope: &Scope, columns: &[String]) -> Graph {
    let separators = separators(scope, project.max_separators());
    let called = TableNames::of(project, columns, scope);
    Graph {
        report: answer::graph(scope, &separators, &called),
        picture: draw(&answer::graph_picture(scope, &separators)),
    }
}

/// Which columns are those of households is known when the file was read.
fn graph_of_households(project: &Project, run: &mut Run<'_>) -> Result<Graph, Diagnostic> {
    let (project, loaded, scope) = read_scoped(project, Ids::PassedOver, run)?;
    Ok(described(&project, &scope, loaded.names()))
}

/// The scope of tables alone: their variables in the order named, and the columns that derived
/// variables among them follow from; with all these names.
fn scope_of_tables(project: &Project) -> Result<(Scope, Vec<String>), Diagnostic> {
    let formula = Formula::parse(&project.keep.formulas())?;
    let mut names = formula.names();
    let known: Vec<String> = project
        .derive
        .values()
        .flat_map(|expression| expression.names())
        .chain(names.iter().map(String::as_str))
        .filter(|name| !project.derive.contains_key(*name))
        .map(str::to_owned)
        .collect();
    let all = resolve(&project.derive, &known)?;
    let taken: Vec<Derivation> = all.into_iter().filter(|one| names.contains(&one.name)).collect();
    names.retain(|name| !project.derive.contains_key(name));
    let mut columns = Vec::new();
    for derivation in &taken {
        let mut sources = BTreeSet::new();
        for &source in &derivation.sources {
            let name = &known[source];
            if !names.contains(name) {
                names.push(name.clone());
            }
            sources.extend(names.iter().position(|other| other == name));
        }
        columns.push(DerivedColumn { sources, takes_part: true });
    }
    let roles = Roles::all_variables(names.len()).with_derived(columns);
    names.extend(taken.into_iter().map(|derivation| derivation.name));
    Ok((Scope::new(&names, &roles, &formula)?, names))
}

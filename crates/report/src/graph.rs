//! What `graph` answers: which variables the kept tables tie together, and what separates them.

use marginswap_core::text::{escaped, grouped};
use serde::Serialize;

use crate::answer::{Answer, Names, aligned_left, counted, formula, listed, separator, shown};

/// Of more maximal cliques than this, in a graph that is not chordal, none is listed.
pub const MOST_CLIQUES: usize = 100_000;

/// How many separators the text lists.
const MOST_LINES: usize = 40;

/// The margin graph in words.
#[derive(Debug, Clone, Serialize)]
pub struct GraphReport {
    /// Δ.
    pub variables: Names,
    /// The named tables after reduction: none lies inside another.
    pub margins: Vec<Names>,
    /// The named tables that are part of another one, and are kept with it.
    pub absorbed: Vec<Names>,
    /// The tables that have a name or are published, reduced or not.
    pub tables: Vec<TableReport>,
    /// The variables in no named table.
    pub uncovered: Names,
    /// The variables that never move.
    pub stays: Names,
    /// The margin that ties these together, where one of them is in a table.
    pub stay_margin: Option<Names>,
    /// The variables that follow from others, and are tied to these.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub derived: Vec<DerivedReport>,
    /// Pairs of variables that some table holds together.
    pub edges: Vec<[String; 2]>,
    /// Is every variable tied to every other one?
    pub complete: bool,
    /// Has every cycle of four or more variables a chord?
    pub chordal: bool,
    /// Are the tables the cliques of the graph?
    pub graphical: bool,
    /// Graphical and chordal?
    pub decomposable: bool,
    /// The maximal cliques; null when there are too many to list.
    pub cliques: Option<Vec<Names>>,
    /// For a chordal graph, a junction tree of its cliques.
    pub junction_tree: Option<Vec<JunctionReport>>,
    /// The minimal separators.
    pub separators: Vec<SeparatorReport>,
    /// Are these all?
    pub separators_complete: bool,
}

/// A kept table that has a name or is published.
#[derive(Debug, Clone, Serialize)]
pub struct TableReport {
    /// What it is called.
    pub name: Option<String>,
    /// Its variables.
    pub variables: Names,
    /// Is it published, so that it cannot be dropped?
    pub published: bool,
}

/// A derived variable.
#[derive(Debug, Clone, Serialize)]
pub struct DerivedReport {
    /// Its name.
    pub variable: String,
    /// The variables that it follows from.
    pub from: Names,
}

/// One edge of the junction tree.
#[derive(Debug, Clone, Serialize)]
pub struct JunctionReport {
    /// One clique.
    pub from: Names,
    /// The next one.
    pub to: Names,
    /// What they share.
    pub separator: Names,
}

/// One separator.
#[derive(Debug, Clone, Serialize)]
pub struct SeparatorReport {
    /// Its variables; empty when the graph is not connected.
    pub separator: Names,
    /// The components of the graph without them.
    pub components: Vec<Names>,
}

impl GraphReport {
    /// What a table is called, after its formula.
    fn called(&self, table: &Names) -> String {
        let found = self.tables.iter().find(|other| other.variables == *table);
        let name = found.and_then(|found| found.name.as_ref());
        name.map_or(String::new(), |name| format!(" [{}]", escaped(name)))
    }
}

/// How many of a list are left out of the text.
fn more(number: usize) -> String {
    match number.saturating_sub(MOST_LINES) {
        0 => String::new(),
        more => format!("  … and {} more; --json lists all\n", grouped(more as u64)),
    }
}

impl Answer for GraphReport {
    fn text(&self) -> String {
        let mut text = format!(
            "{} over {}\n",
            counted(self.margins.len() as u64, "table to keep", "tables to keep"),
            counted(self.variables.len() as u64, "variable", "variables"),
        );
        for margin in self.margins.iter().take(MOST_LINES) {
            text.push_str(&format!("  {}{}\n", formula(margin), self.called(margin)));
        }
        text.push_str(&more(self.margins.len()));
        for table in self.absorbed.iter().take(MOST_LINES) {
            let called = self.called(table);
            text.push_str(&format!("  ({}{called} is part of another table)\n", formula(table)));
        }
        text.push_str(&more(self.absorbed.len()));
        if !self.uncovered.is_empty() {
            text.push_str(&format!("in no table: {}\n", listed(&self.uncovered)));
        }
        if !self.stays.is_empty() {
            text.push_str(&format!("stays: {}\n", listed(&self.stays)));
        }
        if let Some(margin) = &self.stay_margin {
            text.push_str(&format!("tied because it stays: {}\n", formula(margin)));
        }
        for derived in &self.derived {
            let (variable, from) = (shown(&derived.variable), listed(&derived.from));
            text.push_str(&format!("derived: {variable} follows from {from}\n"));
        }
        let yes = |answer| if answer { "yes" } else { "no" };
        text.push_str(&format!(
            "\nchordal: {}   graphical: {}   decomposable: {}\n",
            yes(self.chordal),
            yes(self.graphical),
            yes(self.decomposable)
        ));
        match &self.cliques {
            Some(cliques) => {
                let first = cliques.iter().take(MOST_LINES);
                let sets: Vec<String> = first.map(|clique| formula(clique)).collect();
                text.push_str(&format!("cliques: {}\n", sets.join("  ")));
                text.push_str(&more(cliques.len()));
            }
            None => text.push_str(&format!(
                "cliques: more than {}, not listed\n",
                grouped(MOST_CLIQUES as u64)
            )),
        }
        if self.complete && self.variables.len() > 1 {
            text.push_str(
                "\nThese tables tie every variable to every other:\n\
                 no swap of two records can keep them all.\n",
            );
            return text;
        }
        let number =
            counted(self.separators.len() as u64, "minimal separator", "minimal separators");
        let others = if self.separators_complete { "" } else { " listed; there are more" };
        text.push_str(&format!(
            "\n{number}{others}. Two records that agree on one, and differ in at least two of\n\
             the parts that it leaves, can be swapped:\n"
        ));
        let rows: Vec<Vec<String>> = self
            .separators
            .iter()
            .take(MOST_LINES)
            .map(|found| {
                let parts: Vec<String> = found.components.iter().map(|part| listed(part)).collect();
                vec![separator(&found.separator), parts.join("  |  ")]
            })
            .collect();
        text.push_str(&aligned_left(&rows));
        text.push_str(&more(self.separators.len()));
        text
    }
}

//! What `graph` answers: the margin graph of a scope, as names and as a picture.

use marginswap_core::graph::{
    GeneratingClass, Reason, Scope, Separators, junction_tree, maximal_cliques,
};
use marginswap_core::varset::VarSet;
use marginswap_report::graph::{
    DerivedReport, GraphReport, JunctionReport, MOST_CLIQUES, SeparatorReport, TableReport,
};
use marginswap_report::margin_graph::{GraphPicture, SeparatorPicture};

use super::{name, names};
use crate::table_names::TableNames;

/// Describes the margin graph of a scope.
#[must_use]
pub fn graph(scope: &Scope, separators: &Separators, called: &TableNames) -> GraphReport {
    let schema = scope.schema();
    let class = scope.class();
    let graph = class.margin_graph();
    let set = |set: VarSet| names(schema, set);
    let reduced = named_class(scope);
    let absorbed =
        named(scope).filter(|table| !reduced.margins().contains(table)).map(set).collect();
    let tree = junction_tree(&graph);
    let cliques = match &tree {
        Some(tree) => {
            let mut cliques = tree.cliques().to_vec();
            cliques.sort_by_key(|clique| clique.iter().collect::<Vec<_>>());
            Some(cliques)
        }
        None => maximal_cliques(&graph, MOST_CLIQUES),
    };
    GraphReport {
        variables: set(schema.all()),
        margins: reduced.margins().iter().map(|margin| set(*margin)).collect(),
        absorbed,
        tables: tables(scope, called),
        uncovered: set(scope.in_no_named_table()),
        stays: set(schema.staying()),
        stay_margin: scope.stay_margin().map(set),
        derived: schema
            .derived()
            .iter()
            .map(|variable| DerivedReport {
                variable: name(schema, variable),
                from: set(schema.variables()[variable].follows),
            })
            .collect(),
        edges: graph
            .edges()
            .map(|(left, right)| [left, right].map(|end| name(schema, end)))
            .collect(),
        complete: graph.is_complete(),
        chordal: tree.is_some(),
        graphical: class.is_graphical(),
        decomposable: class.is_decomposable(),
        cliques: cliques.map(|cliques| cliques.iter().map(|clique| set(*clique)).collect()),
        junction_tree: tree.map(|tree| {
            tree.edges()
                .iter()
                .map(|edge| JunctionReport {
                    from: set(tree.cliques()[edge.parent]),
                    to: set(tree.cliques()[edge.child]),
                    separator: set(edge.separator),
                })
                .collect()
        }),
        separators: separators
            .list()
            .iter()
            .map(|separator| SeparatorReport {
                separator: set(separator.variables),
                components: separator.components.iter().map(|part| set(*part)).collect(),
            })
            .collect(),
        separators_complete: separators.is_complete(),
    }
}

/// The named tables that have a name or are published.
fn tables(scope: &Scope, called: &TableNames) -> Vec<TableReport> {
    let told = |table: &VarSet| called.name(*table).is_some() || called.is_published(*table);
    let tables = named(scope).filter(told).map(|table| TableReport {
        name: called.name(table),
        variables: names(scope.schema(), table),
        published: called.is_published(table),
    });
    tables.collect()
}

/// What the picture of a scope's margin graph shows.
#[must_use]
pub fn graph_picture<'a>(scope: &'a Scope, separators: &Separators) -> GraphPicture<'a> {
    let schema = scope.schema();
    GraphPicture {
        names: schema.names(schema.all()),
        tables: named_class(scope).margins().to_vec(),
        edges: scope.class().margin_graph().edges().collect(),
        separators: separators
            .list()
            .iter()
            .map(|separator| SeparatorPicture {
                separator: separator.variables,
                components: separator.components.clone(),
            })
            .collect(),
        separators_complete: separators.is_complete(),
        stays: schema.staying(),
        ..GraphPicture::default()
    }
}

/// The tables that were named, after reduction: without the tie of what stays.
fn named_class(scope: &Scope) -> GeneratingClass {
    GeneratingClass::new(scope.schema().all(), named(scope))
}

fn named(scope: &Scope) -> impl Iterator<Item = VarSet> {
    scope.tables().iter().filter(|table| table.reason == Reason::Named).map(|table| table.variables)
}

//! The graph's laws, counted through all graphs on up to six vertices and all generating
//! classes on up to four variables, and compared with vectors computed elsewhere.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;

use marginswap_core::graph::{
    GeneratingClass, MarginGraph, Separators, junction_tree, maximal_cliques, minimal_separators,
};
use marginswap_core::oracle::{self, all_antichains, all_graphs};
use marginswap_core::varset::VarSet;
use serde_json::Value;

const NO_LIMIT: usize = usize::MAX;

fn sets(separators: &Separators) -> Vec<VarSet> {
    separators.list().iter().map(|separator| separator.variables).collect()
}

fn small_graphs() -> impl Iterator<Item = MarginGraph> {
    (0..=6).flat_map(all_graphs)
}

fn cycle(length: usize) -> MarginGraph {
    let edges: Vec<_> = (0..length).map(|vertex| (vertex, (vertex + 1) % length)).collect();
    MarginGraph::from_edges(length, &edges)
}

fn path(length: usize) -> MarginGraph {
    let edges: Vec<_> = (1..length).map(|vertex| (vertex - 1, vertex)).collect();
    MarginGraph::from_edges(length, &edges)
}

fn grid(rows: usize, columns: usize) -> MarginGraph {
    let at = |row: usize, column: usize| row * columns + column;
    let mut edges = Vec::new();
    for row in 0..rows {
        for column in 0..columns {
            if column + 1 < columns {
                edges.push((at(row, column), at(row, column + 1)));
            }
            if row + 1 < rows {
                edges.push((at(row, column), at(row + 1, column)));
            }
        }
    }
    MarginGraph::from_edges(rows * columns, &edges)
}

#[test]
fn law_minimal_separators_by_definition() {
    let mut graphs = 0;
    for graph in small_graphs() {
        let found = minimal_separators(&graph, NO_LIMIT);
        assert!(found.is_complete());
        assert_eq!(sets(&found), oracle::minimal_separators(&graph), "{graph:?}");
        for separator in found.list() {
            let without = graph.vertices() - separator.variables;
            assert_eq!(separator.components, oracle::components(&graph, without));
        }
        graphs += 1;
    }
    assert_eq!(graphs, 1 + 1 + 2 + 8 + 64 + 1024 + 32_768);
}

#[test]
fn law_components_by_definition() {
    for graph in (0..=5).flat_map(all_graphs) {
        for within in graph.vertices().subsets() {
            let components = oracle::components(&graph, within);
            assert_eq!(graph.components(within), components);
            assert_eq!(graph.is_disconnected(within), components.len() > 1);
        }
    }
}

#[test]
fn law_junction_tree_of_chordal() {
    let mut chordal = 0;
    for graph in small_graphs() {
        let tree = junction_tree(&graph);
        assert_eq!(tree.is_some(), oracle::is_chordal(&graph), "{graph:?}");
        let Some(tree) = tree else { continue };
        chordal += 1;
        let mut cliques = tree.cliques().to_vec();
        cliques.sort_by_key(|clique| clique.iter().collect::<Vec<_>>());
        assert_eq!(cliques, oracle::maximal_cliques(&graph));
        assert_eq!(tree.edges().len(), cliques.len().saturating_sub(1));
        for edge in tree.edges() {
            let [parent, child] = [tree.cliques()[edge.parent], tree.cliques()[edge.child]];
            assert_eq!(edge.separator, parent & child);
        }
        // The cliques that hold a vertex hang together in the tree.
        for vertex in graph.vertices() {
            let holding = |clique: usize| tree.cliques()[clique].contains(vertex);
            let nodes = (0..tree.cliques().len()).filter(|&clique| holding(clique)).count();
            let links = tree.edges().iter().filter(|edge| edge.separator.contains(vertex)).count();
            assert_eq!(links, nodes - 1, "{graph:?}");
        }
        // A chordal graph's minimal separators are the distinct ones on its tree.
        let on_tree: BTreeSet<VarSet> = tree.edges().iter().map(|edge| edge.separator).collect();
        let minimal: BTreeSet<VarSet> =
            sets(&minimal_separators(&graph, NO_LIMIT)).into_iter().collect();
        assert_eq!(on_tree, minimal);
    }
    // Labelled chordal graphs on 0 to 6 vertices (OEIS A058862).
    assert_eq!(chordal, 1 + 1 + 2 + 8 + 61 + 822 + 18_154);
}

#[test]
fn law_cliques_by_definition() {
    for graph in small_graphs() {
        let cliques = oracle::maximal_cliques(&graph);
        assert_eq!(maximal_cliques(&graph, NO_LIMIT).unwrap(), cliques);
        assert_eq!(maximal_cliques(&graph, cliques.len()).unwrap(), cliques);
        if !cliques.is_empty() {
            assert_eq!(maximal_cliques(&graph, cliques.len() - 1), None);
        }
    }
}

/// Lemma 3: the graph induced on Δ̄ is disconnected exactly when some minimal separator
/// avoids Δ̄ and leaves two components that both meet it.
#[test]
fn law_separator_lemma() {
    for graph in small_graphs() {
        let separators = minimal_separators(&graph, NO_LIMIT);
        for differing in graph.vertices().subsets() {
            let parted = separators.list().iter().any(|separator| {
                !separator.variables.meets(&differing)
                    && separator.components.iter().filter(|part| part.meets(&differing)).count()
                        >= 2
            });
            assert_eq!(parted, !oracle::is_connected(&graph, differing));
        }
    }
}

#[test]
fn law_antichain_keeps_every_table() {
    // All families of one to three tables on three variables: repeated and nested ones too.
    let tables: Vec<VarSet> =
        VarSet::first(3).subsets().filter(|table| !table.is_empty()).collect();
    for &first in &tables {
        for &second in &tables {
            for &third in &tables {
                let class = GeneratingClass::new(VarSet::first(3), [first, second, third]);
                let margins = class.margins();
                for table in [first, second, third] {
                    assert!(margins.iter().any(|margin| table.is_subset(margin)));
                }
                for margin in margins {
                    assert!([first, second, third].contains(margin));
                    assert_eq!(margins.iter().filter(|other| margin.is_subset(other)).count(), 1);
                }
            }
        }
    }
}

fn cliques_of(class: &GeneratingClass) -> BTreeSet<VarSet> {
    oracle::maximal_cliques(&class.margin_graph()).into_iter().collect()
}

/// 𝒟 with the one-way table of each uncovered variable.
fn covered(class: &GeneratingClass) -> BTreeSet<VarSet> {
    class.margins().iter().copied().chain(class.uncovered().iter().map(VarSet::single)).collect()
}

#[test]
fn law_graphical_by_definition() {
    let mut graphical = 0;
    for chain in all_antichains(4) {
        let class = GeneratingClass::new(VarSet::first(4), chain.iter().copied());
        assert_eq!(class.margins().len(), chain.len());
        assert_eq!(class.is_graphical(), cliques_of(&class) == covered(&class), "{chain:?}");
        graphical += usize::from(class.is_graphical() && class.uncovered().is_empty());
    }
    // Without uncovered variables there is one graphical class for each of the 64 graphs.
    assert_eq!(graphical, 64);
}

#[test]
fn law_decomposable_by_definition() {
    let mut decomposable = 0;
    for chain in all_antichains(4) {
        let class = GeneratingClass::new(VarSet::first(4), chain.iter().copied());
        let defined =
            oracle::is_chordal(&class.margin_graph()) && cliques_of(&class) == covered(&class);
        assert_eq!(class.is_decomposable(), defined, "{chain:?}");
        decomposable += usize::from(defined && class.uncovered().is_empty());
    }
    assert_eq!(decomposable, 61);
}

/// The generation step: {0, 3} of the 6-cycle is close to no vertex.
#[test]
fn witness_generation_step() {
    let found = sets(&minimal_separators(&cycle(6), NO_LIMIT));
    assert_eq!(found.len(), 9);
    assert!(found.contains(&VarSet::from([0, 3])));
}

#[test]
fn named_graphs_have_their_known_number_of_separators() {
    for length in 4..12 {
        assert_eq!(
            minimal_separators(&cycle(length), NO_LIMIT).list().len(),
            length * (length - 3) / 2
        );
    }
    for (graph, count) in [
        (path(40), 38),
        (cycle(40), 740),
        (grid(3, 5), 62),
        (grid(4, 5), 237),
        (grid(5, 5), 617),
        (grid(5, 8), 9231),
    ] {
        let found = minimal_separators(&graph, NO_LIMIT);
        assert_eq!(found.list().len(), count);
        // S is minimal exactly when two components of the graph without it see all of S.
        for separator in found.list() {
            let full = separator
                .components
                .iter()
                .filter(|part| graph.neighbourhood(**part) == separator.variables);
            assert!(full.count() >= 2);
        }
    }
}

#[test]
fn a_limit_stops_the_listing() {
    let found = minimal_separators(&grid(5, 8), 100);
    assert!(!found.is_complete());
    assert_eq!(found.list().len(), 100);
    let exact = minimal_separators(&cycle(8), 20);
    assert!(exact.is_complete());
    assert_eq!(exact.list().len(), 20);
}

#[test]
fn vectors_of_minimal_separators() {
    let cases: Value =
        serde_json::from_str(include_str!("vectors/minimal_separators.json")).unwrap();
    let number = |value: &Value| usize::try_from(value.as_u64().unwrap()).unwrap();
    for case in cases.as_array().unwrap() {
        let edges: Vec<(usize, usize)> = case["edges"]
            .as_array()
            .unwrap()
            .iter()
            .map(|edge| (number(&edge[0]), number(&edge[1])))
            .collect();
        let graph = MarginGraph::from_edges(number(&case["n"]), &edges);
        let found = minimal_separators(&graph, NO_LIMIT);
        assert_eq!(found.list().len(), number(&case["num_minimal_separators"]), "{}", case["name"]);
        if let Some(listed) = case["separators"].as_array() {
            let mut listed: Vec<VarSet> = listed
                .iter()
                .map(|set| set.as_array().unwrap().iter().map(number).collect())
                .collect();
            listed.sort();
            assert_eq!(sets(&found), listed, "{}", case["name"]);
        }
    }
    assert_eq!(cases.as_array().unwrap().len(), 52);
}

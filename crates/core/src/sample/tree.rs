//! The tree along which files are glued together, and what to keep where there is none.
//!
//! Both follow from the list of tables and the numbers of levels. A tree or a cover that looked at
//! the cells that occur would tell of them.
//!
//! Way in: [`gluing_tree`], [`chordal_cover`].

use crate::graph::{GeneratingClass, JunctionTree, junction_tree};
use crate::varset::VarSet;

/// The junction tree of a decomposable class; `None` when it is not decomposable.
///
/// Law: `the-tree-follows-from-the-tables`.
#[must_use]
pub fn gluing_tree(class: &GeneratingClass) -> Option<JunctionTree> {
    class.is_decomposable().then(|| junction_tree(&class.margin_graph())).flatten()
}

/// A decomposable class that keeps every table of this one: the cliques of its graph after
/// variables were eliminated one by one, each time the one whose neighbours make the smallest
/// table. `levels` is the number of levels of each variable.
///
/// Law: `a-cover-keeps-every-table`.
///
/// # Panics
/// When a variable has no number of levels.
#[must_use]
pub fn chordal_cover(class: &GeneratingClass, levels: &[usize]) -> GeneratingClass {
    let mut graph = class.margin_graph();
    let mut cliques = Vec::new();
    let mut left = class.delta();
    let size = |set: VarSet| -> u128 {
        let levels = set.iter().map(|variable| u128::try_from(levels[variable].max(1)));
        levels.fold(1, |size: u128, one| size.saturating_mul(one.expect("a number of levels")))
    };
    while !left.is_empty() {
        let clique = |vertex: usize| (graph.neighbours(vertex) & left) | VarSet::single(vertex);
        let vertex = left
            .iter()
            .min_by_key(|&vertex| (size(clique(vertex)), vertex))
            .expect("a variable is left");
        let clique = clique(vertex);
        graph.join_all(clique);
        cliques.push(clique);
        left.remove(vertex);
    }
    GeneratingClass::new(class.delta(), cliques)
}

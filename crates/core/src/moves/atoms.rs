//! Prime components: the pieces in which larger moves must be looked for.
//!
//! When S parts V into two sides, every D lies within one side and S lies inside some D,
//! then a record that cannot be swapped with another through S can leave its cell exactly
//! when its part on one side can leave its cell there. So larger moves are looked for in
//! pieces that no such S parts further. For a decomposable 𝒟 every piece lies inside a table
//! and nothing is left to look for: pairs are enough.
//!
//! Trap: a separator that is a clique of the margin graph but lies in no table parts
//! nothing; its own table is not kept.
//!
//! Law: `atoms-decide`.

use crate::graph::{GeneratingClass, MarginGraph, minimal_separators};
use crate::varset::VarSet;

/// The most separators of a piece that are looked at. A piece that is not parted further is only
/// larger than it need be.
const MOST_SEPARATORS: usize = 10_000;

/// The pieces of Δ, each with the margins that a move inside it must keep; those that lie
/// inside a margin are left out, because nothing can move there.
#[must_use]
pub fn atoms(class: &GeneratingClass) -> Vec<GeneratingClass> {
    let mut open = vec![class.clone()];
    let mut found: Vec<GeneratingClass> = Vec::new();
    while let Some(piece) = open.pop() {
        match parted(&piece) {
            Some(parts) => open.extend(parts),
            None => found.push(piece),
        }
    }
    found.retain(|piece| !piece.margins().contains(&piece.delta()) && piece.delta().len() > 1);
    found.sort_by_key(|piece| piece.delta().iter().collect::<Vec<_>>());
    found
}

/// The two or more sides of a piece, if a separator inside a margin parts it.
fn parted(piece: &GeneratingClass) -> Option<Vec<GeneratingClass>> {
    let graph = piece.margin_graph();
    let inside =
        |set: VarSet| set.is_empty() || piece.margins().iter().any(|margin| set.is_subset(margin));
    let separators = minimal_separators(&graph, MOST_SEPARATORS);
    let separator = separators.list().iter().find(|separator| inside(separator.variables))?;
    let sides = separator.components.iter().map(|&component| side(piece, &graph, component));
    Some(sides.collect())
}

/// A component with what it touches, and the margins inside.
fn side(piece: &GeneratingClass, graph: &MarginGraph, component: VarSet) -> GeneratingClass {
    let around = graph.neighbourhood(component);
    let variables = component | around;
    let margins = piece
        .margins()
        .iter()
        .map(|margin| *margin & variables)
        .chain([around])
        .filter(|margin| !margin.is_empty());
    GeneratingClass::new(variables, margins)
}

//! When two records can be swapped with every kept table unchanged.
//!
//! | letter | meaning |
//! |---|---|
//! | Δ̄ | `differing`: the variables in which the two records differ |
//! | E | `exchanged`: the variables whose values change place |
//! | D | `margin`: the variables of a kept table |
//!
//! The two records themselves are not needed: every condition of the paper is one on these
//! sets. Slow twins, on the records: [`crate::oracle::World`].
//!
//! Edge case: records that differ in fewer than two variables have nothing to exchange with
//! an effect; the graph induced on Δ̄ is then connected or empty.

use crate::graph::{GeneratingClass, MarginGraph};
use crate::varset::VarSet;

/// Does exchanging the values on E change the set of records?
///
/// Law: `effective-by-definition`.
#[must_use]
pub fn is_effective(differing: VarSet, exchanged: VarSet) -> bool {
    exchanged.meets(&differing) && !differing.is_subset(&exchanged)
}

/// Which of the paper's four conditions keeps the D-marginal under an E-swapping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// i) D ⊂ E: all of the table travels.
    Travels,
    /// ii) D ⊂ Eᶜ: all of it stays.
    Stays,
    /// iii) the records agree on E ∩ D.
    AgreeOnExchanged,
    /// iv) the records agree on Eᶜ ∩ D.
    AgreeOnOthers,
}

/// The first of the four conditions that holds; `None` when the D-marginal changes.
///
/// Law: `four-conditions`.
#[must_use]
pub fn why_kept(differing: VarSet, exchanged: VarSet, margin: VarSet) -> Option<Kept> {
    if margin.is_subset(&exchanged) {
        Some(Kept::Travels)
    } else if !margin.meets(&exchanged) {
        Some(Kept::Stays)
    } else if !(exchanged & margin).meets(&differing) {
        Some(Kept::AgreeOnExchanged)
    } else if !(margin - exchanged).meets(&differing) {
        Some(Kept::AgreeOnOthers)
    } else {
        None
    }
}

/// Lemma 1: an effective E-swapping keeps the D-marginal exactly when Δ̄ ∩ D lies inside E
/// or outside it.
///
/// Law: `differing-part-of-a-table-moves-as-one`.
#[must_use]
pub fn keeps(differing: VarSet, exchanged: VarSet, margin: VarSet) -> bool {
    let at_stake = differing & margin;
    at_stake.is_subset(&exchanged) || !at_stake.meets(&exchanged)
}

/// Lemma 2: some effective E-swapping keeps the one table D exactly when the records differ
/// outside D and in at least two variables.
///
/// Law: `one-table-alone`.
#[must_use]
pub fn can_keep(differing: VarSet, margin: VarSet) -> bool {
    !differing.is_subset(&margin) && differing.len() >= 2
}

/// Theorem 1: the two records can be swapped, with an effect and with every table kept,
/// exactly when the margin graph induced on Δ̄ is disconnected.
///
/// Law: `swappable-iff-disconnected`.
#[must_use]
pub fn is_swappable(graph: &MarginGraph, differing: VarSet) -> bool {
    graph.is_disconnected(differing)
}

/// The parts of Δ̄ that can travel alone: the components of the margin graph on Δ̄.
///
/// What is exchanged is any union of them, not none and not all.
///
/// Law: `parts-travel-alone`.
#[must_use]
pub fn exchangeable_parts(graph: &MarginGraph, differing: VarSet) -> Vec<VarSet> {
    graph.components(differing)
}

/// Every different exchange that c parts allow: 2^(c−1) − 1 sets E. The first part stays,
/// because exchanging E and exchanging its complement give the same records.
///
/// Law: `exchanges-are-unions-of-parts`.
///
/// # Panics
/// With more than 64 parts: nobody could wait for the answer.
pub fn exchanges(parts: &[VarSet]) -> impl Iterator<Item = VarSet> + '_ {
    let movable = parts.get(1..).unwrap_or_default();
    VarSet::first(movable.len())
        .subsets()
        .filter(|chosen| !chosen.is_empty())
        .map(move |chosen| chosen.iter().fold(VarSet::EMPTY, |all, part| all | movable[part]))
}

/// Two differing variables that a kept table ties together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    /// One variable.
    pub from: usize,
    /// The other one.
    pub to: usize,
    /// The table that holds both.
    pub margin: VarSet,
}

/// Why a connected Δ̄ cannot be parted: links that reach every variable of Δ̄ from its
/// first, each with a table that binds it. Empty when Δ̄ is disconnected, or has fewer than
/// two variables.
///
/// Law: `links-bind-all-differing`.
#[must_use]
pub fn binding_links(class: &GeneratingClass, differing: VarSet) -> Vec<Link> {
    let graph = class.margin_graph();
    let Some(start) = differing.lowest() else { return Vec::new() };
    let mut links = Vec::new();
    let mut reached = VarSet::single(start);
    let mut queue = vec![start];
    let mut next = 0;
    while next < queue.len() {
        let from = queue[next];
        next += 1;
        for to in (graph.neighbours(from) & differing) - reached {
            let ends = VarSet::from([from, to]);
            let margin = *class
                .margins()
                .iter()
                .find(|margin| ends.is_subset(margin))
                .expect("an edge of the margin graph lies in a table");
            links.push(Link { from, to, margin });
            reached.insert(to);
            queue.push(to);
        }
    }
    if reached == differing { links } else { Vec::new() }
}

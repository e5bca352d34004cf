//! Why two records can or cannot be swapped.
//!
//! Edge case: two records that agree everywhere, or differ in one variable alone, cannot be
//! swapped, and no table is to blame; then there is no tie to show.
//!
//! Way in: [`pair`].

use crate::encode::{RecordId, Records};
use crate::graph::{Reason, Scope};
use crate::partner::pair::{binding_links, exchangeable_parts, is_swappable};
use crate::varset::VarSet;

/// Why two records can or cannot be swapped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairExplanation {
    /// The two records.
    pub records: [RecordId; 2],
    /// Can they be swapped, with an effect and with every table kept?
    pub swappable: bool,
    /// Δ̄: the variables in which they differ.
    pub differing: VarSet,
    /// The components of the margin graph on Δ̄: each can travel alone.
    pub parts: Vec<VarSet>,
    /// The differing variables that never move.
    pub staying: VarSet,
    /// What ties Δ̄ together, when they cannot be swapped.
    pub ties: Vec<Tie>,
}

/// Two differing variables that a kept table holds together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tie {
    /// The two.
    pub variables: [usize; 2],
    /// The table that holds both.
    pub table: VarSet,
    /// Why that table is kept.
    pub reason: Reason,
}

/// Explains a pair.
#[must_use]
pub fn pair(scope: &Scope, records: &Records, left: RecordId, right: RecordId) -> PairExplanation {
    let differing = records.differing(left, right);
    let graph = scope.class().margin_graph();
    let ties = binding_links(scope.class(), differing).into_iter().map(|link| Tie {
        variables: [link.from, link.to],
        table: link.margin,
        reason: reason(scope, link.margin),
    });
    PairExplanation {
        records: [left, right],
        swappable: is_swappable(&graph, differing),
        differing,
        parts: exchangeable_parts(&graph, differing),
        staying: differing & scope.schema().staying(),
        ties: ties.collect(),
    }
}

/// Why a table is kept. One that is named, and tied for another reason too, is a named one; so is
/// what is left of one that names a derived variable together with all it follows from.
fn reason(scope: &Scope, margin: VarSet) -> Reason {
    let because = |reason| {
        scope.tables().iter().any(|table| table.reason == reason && table.variables == margin)
    };
    let mut all = [Reason::Named, Reason::Linked, Reason::Derived, Reason::Stays].into_iter();
    all.find(|&one| because(one)).unwrap_or(Reason::Named)
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::graph::Formula;

    /// Three variables in a chain of two tables: 0 – 1 – 2.
    fn explained(left: [u32; 3], right: [u32; 3]) -> PairExplanation {
        let scope = Scope::of_tables(&Formula::parse(&["a*b + b*c"]).unwrap()).unwrap();
        let records = Records::from_codes(&[2, 2, 2], &[left, right]);
        pair(&scope, &records, RecordId::at(0), RecordId::at(1))
    }

    #[test]
    fn a_pair_that_differs_around_a_separator_can_be_swapped() {
        let found = explained([0, 0, 0], [1, 0, 1]);
        assert!(found.swappable && found.ties.is_empty());
        assert_eq!(found.parts, [VarSet::single(0), VarSet::single(2)]);
    }

    #[test]
    fn a_pair_that_is_tied_shows_every_tie() {
        let found = explained([0, 0, 0], [1, 1, 1]);
        assert!(!found.swappable);
        let ties: Vec<_> = found.ties.iter().map(|tie| (tie.variables, tie.reason)).collect();
        assert_eq!(ties, [([0, 1], Reason::Named), ([1, 2], Reason::Named)]);
    }

    #[test]
    fn where_nothing_would_change_no_table_is_to_blame() {
        for right in [[0, 0, 0], [0, 1, 0]] {
            let found = explained([0, 0, 0], right);
            assert!(!found.swappable && found.ties.is_empty());
        }
    }
}

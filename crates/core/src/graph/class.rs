//! The generating class 𝒟: the kept tables, as an antichain.
//!
//! A table inside another is summed out of it, so only the largest ones count. A variable
//! in no table is still a vertex of the margin graph, an isolated one.
//!
//! Trap: the paper proposes to replace Δ by ∪D. That loses swaps: with 𝒟 = {{A}} and the
//! records (0,0), (1,1), exchanging B has an effect and keeps the table.
//!
//! Trap: for pairs of records only the margin graph matters; for more than two records 𝒟
//! itself does. {AB, BC, AC} and {ABC} have the same graph and different fibres.

use super::{MarginGraph, junction_tree, maximal_cliques};
use crate::varset::VarSet;

/// 𝒟: margins of which none holds another, over the variables Δ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GeneratingClass {
    delta: VarSet,
    margins: Vec<VarSet>,
}

impl GeneratingClass {
    /// The class that these tables generate over Δ: the maximal ones, each once, sorted.
    ///
    /// Law: `antichain-keeps-every-table`.
    ///
    /// # Panics
    /// When a table is empty or leaves Δ: both are refused where tables are read.
    #[must_use]
    pub fn new(delta: VarSet, tables: impl IntoIterator<Item = VarSet>) -> Self {
        let mut margins: Vec<VarSet> = Vec::new();
        for table in tables {
            assert!(!table.is_empty(), "a table has a variable");
            assert!(table.is_subset(&delta), "a table's variables take part");
            if margins.iter().any(|margin| table.is_subset(margin)) {
                continue;
            }
            margins.retain(|margin| !margin.is_subset(&table));
            margins.push(table);
        }
        margins.sort_by_key(|margin| margin.iter().collect::<Vec<_>>());
        Self { delta, margins }
    }

    /// Δ.
    #[must_use]
    pub fn delta(&self) -> VarSet {
        self.delta
    }

    /// The margins D ∈ 𝒟, in the order of their variables.
    #[must_use]
    pub fn margins(&self) -> &[VarSet] {
        &self.margins
    }

    /// The variables that are in no table.
    #[must_use]
    pub fn uncovered(&self) -> VarSet {
        self.margins.iter().fold(self.delta, |left, margin| left - *margin)
    }

    /// G^𝒟: two variables are joined when a table holds both.
    #[must_use]
    pub fn margin_graph(&self) -> MarginGraph {
        let mut graph = MarginGraph::edgeless(self.delta);
        for margin in &self.margins {
            graph.join_all(*margin);
        }
        graph
    }

    /// Is 𝒟 the set of cliques of its graph? (An uncovered variable is a clique by itself;
    /// its one-way table is kept by every swap, so it counts as there.)
    ///
    /// Law: `graphical-by-definition`.
    #[must_use]
    pub fn is_graphical(&self) -> bool {
        // A graph with more maximal cliques than 𝒟 has margins is not graphical, so the
        // listing may stop one beyond that number.
        let limit = self.margins.len() + self.uncovered().len();
        maximal_cliques(&self.margin_graph(), limit)
            .is_some_and(|cliques| cliques.iter().all(|clique| self.holds_clique(*clique)))
    }

    /// Is 𝒟 graphical with a chordal graph?
    ///
    /// Law: `decomposable-by-definition`.
    #[must_use]
    pub fn is_decomposable(&self) -> bool {
        junction_tree(&self.margin_graph())
            .is_some_and(|tree| tree.cliques().iter().all(|clique| self.holds_clique(*clique)))
    }

    fn holds_clique(&self, clique: VarSet) -> bool {
        self.margins.contains(&clique) || (clique.len() == 1 && clique.is_subset(&self.uncovered()))
    }
}

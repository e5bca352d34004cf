//! What a mechanism proves: ε for each edge of the tree, and in all.
//!
//! Terms are made from the tree, the sizes of the slices and what was wished. All of these follow
//! from the kept tables and the parameters, and nothing is drawn yet: terms cannot hold how many
//! rows were moved, and may leave the room.

use std::collections::BTreeMap;

use super::Lambda;
use crate::graph::{JunctionEdge, JunctionTree};

/// What is wished of a mechanism.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Wish {
    /// Every file with these tables, by the hypergeometric law: ε = 0.
    Uniform,
    /// This share of the rows of every slice moves, on average.
    Rate(f64),
    /// ε in all, in millionths.
    Epsilon(u64),
    /// ε in all, as the logarithm of a number.
    EpsilonLog(u64),
}

/// One edge of the tree.
#[derive(Debug, Clone, PartialEq)]
pub struct EdgeTerms {
    /// The edge.
    pub edge: JunctionEdge,
    /// The rows of the largest slice.
    pub largest_slice: u32,
    /// How many slices there are of two rows or more.
    pub slices: u64,
    /// The largest λ of a slice.
    pub lambda: Lambda,
    of_size: BTreeMap<u32, Lambda>,
}

impl EdgeTerms {
    /// The weight for a slice of this many rows.
    #[must_use]
    pub fn lambda_of(&self, rows: u32) -> Lambda {
        self.of_size.get(&rows).copied().unwrap_or(Lambda::UNIFORM)
    }
}

/// The terms of a mechanism.
#[derive(Debug, Clone, PartialEq)]
pub struct Terms {
    edges: Vec<EdgeTerms>,
}

impl Terms {
    /// The terms for a tree whose edges have slices of these sizes.
    ///
    /// # Panics
    /// When the sizes are not those of the edges.
    #[must_use]
    pub fn new(tree: &JunctionTree, sizes: &[Vec<u32>], wish: Wish) -> Self {
        assert_eq!(tree.edges().len(), sizes.len(), "every edge has slices");
        // An edge without a slice of two rows has nothing to move and takes no share of ε.
        let moving = |sizes: &&Vec<u32>| sizes.iter().any(|&size| size > 1);
        let edges = sizes.iter().filter(moving).count().max(1);
        let common = match wish {
            Wish::Uniform => Some(Lambda::UNIFORM),
            Wish::Epsilon(micros) => Some(Lambda::of_epsilon(micros, edges)),
            Wish::EpsilonLog(of) => Some(Lambda::of_log(of, edges)),
            Wish::Rate(_) => None,
        };
        let mut known: BTreeMap<u32, Lambda> = BTreeMap::new();
        let mut lambda_of = |rows: u32| match (common, wish) {
            (Some(lambda), _) => lambda,
            (None, Wish::Rate(share)) => {
                *known.entry(rows).or_insert_with(|| Lambda::of_rate(share, rows.into()))
            }
            (None, _) => unreachable!("every other wish has one λ"),
        };
        let terms = |(edge, sizes): (&JunctionEdge, &Vec<u32>)| {
            let moving: Vec<u32> = sizes.iter().copied().filter(|&size| size > 1).collect();
            let of_size: BTreeMap<u32, Lambda> =
                moving.iter().map(|&rows| (rows, lambda_of(rows))).collect();
            EdgeTerms {
                edge: *edge,
                largest_slice: sizes.iter().copied().max().unwrap_or(0),
                slices: moving.len() as u64,
                lambda: of_size.values().copied().max().unwrap_or_default(),
                of_size,
            }
        };
        Self { edges: tree.edges().iter().zip(sizes).map(terms).collect() }
    }

    /// The edges.
    #[must_use]
    pub fn edges(&self) -> &[EdgeTerms] {
        &self.edges
    }

    /// ε: the sum of the logarithms of λ, in millionths and rounded up.
    ///
    /// Law: `epsilon-bounds-every-ratio`.
    #[must_use]
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a sum of logarithms is a small number above 0"
    )]
    pub fn epsilon_millionths(&self) -> u64 {
        let sum: f64 = self.edges.iter().map(|edge| edge.lambda.epsilon()).sum();
        // Logarithms are right to far more than nine digits; what is shown is never below the sum.
        (sum * 1e6 * (1.0 + 1e-12)).ceil() as u64
    }

    /// ε in all.
    #[must_use]
    #[allow(clippy::cast_precision_loss, reason = "it is shown")]
    pub fn epsilon(&self) -> f64 {
        self.epsilon_millionths() as f64 / 1e6
    }
}

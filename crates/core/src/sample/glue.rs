//! A file glued together again, with some rows of every slice moved.
//!
//! The rows of every clique's table are numbered by the records of the file, so that the file itself
//! is the family of identities. For each edge the rows of every slice of its separator are permuted,
//! and walking the tree composes what is met: the whole far side moves.
//!
//! Way in: [`Glued::slices`], then [`Terms::new`] with their sizes, then [`glue`]. Slow twin:
//! [`crate::oracle::far_side_moved`].

use rayon::prelude::*;

use super::{Terms, permutation};
use crate::encode::RecordId;
use crate::graph::JunctionTree;
use crate::random::{Random, Seed};
use crate::table::{Located, MarginTable};
use crate::varset::VarSet;

/// The random stream that the seeds of the edges are drawn from.
const STREAM: u64 = 6;

/// For each edge of a tree, the records in slices of its separator.
#[derive(Debug, Clone)]
pub struct Slices {
    /// For each edge: the records slice by slice, and the sizes of the slices.
    edges: Vec<(Vec<u32>, Vec<u32>)>,
    records: usize,
}

impl Slices {
    /// The sizes of the slices of each edge.
    #[must_use]
    pub fn sizes(&self) -> Vec<Vec<u32>> {
        self.edges.iter().map(|(_, sizes)| sizes.clone()).collect()
    }
}

/// For each clique of a tree and each record of the new file, the record of the old one whose values
/// it has there (SECRET).
#[derive(Clone, PartialEq, Eq)]
pub struct Glued {
    from: Vec<Vec<u32>>,
}

/// No record is shown.
impl std::fmt::Debug for Glued {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Glued(SECRET: {} cliques)", self.from.len())
    }
}

impl Glued {
    /// The slices of every edge.
    ///
    /// # Panics
    /// When a line is several records: their places in a slice are not known.
    #[must_use]
    pub fn slices(located: &Located, tree: &JunctionTree) -> Slices {
        assert!(located.weights().is_empty(), "every line is one record");
        let of_edge = |separator: VarSet| {
            let table = MarginTable::count(located, separator);
            let size = |&count: &u64| u32::try_from(count).expect("records have 32 bits");
            let sizes: Vec<u32> = table.counts().iter().map(size).collect();
            let mut next: Vec<u32> = Vec::with_capacity(sizes.len());
            let mut sum = 0;
            for size in &sizes {
                next.push(sum);
                sum += size;
            }
            let mut rows = vec![0u32; located.lines()];
            for (record, number) in (0..located.lines()).zip(0u32..) {
                let cell = located.cell_of(RecordId::at(record));
                let place = &mut next[table.marginal_cells()[cell.position()] as usize];
                rows[*place as usize] = number;
                *place += 1;
            }
            (rows, sizes)
        };
        let edges = tree.edges().par_iter().map(|edge| of_edge(edge.separator)).collect();
        Slices { edges, records: located.lines() }
    }

    /// The file that these permutations make: for each edge and each record, the record whose place
    /// on the far side it takes, in the same slice.
    ///
    /// Law: `gluing-keeps-every-table`.
    ///
    /// # Panics
    /// When there is not a permutation for each edge.
    #[must_use]
    pub fn by(tree: &JunctionTree, records: usize, moved: &[Vec<u32>]) -> Self {
        assert_eq!(moved.len(), tree.edges().len(), "every edge has a permutation");
        let own = u32::try_from(records).expect("records have numbers of 32 bits");
        let mut from: Vec<Vec<u32>> = vec![Vec::new(); tree.cliques().len()];
        if let Some(first) = from.first_mut() {
            *first = (0..own).collect();
        }
        for (edge, moved) in tree.edges().iter().zip(moved) {
            let parent = &from[edge.parent];
            from[edge.child] = parent.par_iter().map(|&row| moved[row as usize]).collect();
        }
        Self { from }
    }

    /// For each record of the new file, the old record whose values it has on a clique.
    #[must_use]
    pub fn from(&self, clique: usize) -> &[u32] {
        &self.from[clique]
    }
}

/// Draws a file by these terms.
///
/// Laws: `gluing-keeps-every-table`, `epsilon-bounds-every-ratio`.
#[must_use]
pub fn glue(tree: &JunctionTree, slices: &Slices, terms: &Terms, seed: Seed) -> Glued {
    let mut seeds = Random::new(seed, STREAM);
    let seeds: Vec<Seed> = terms.edges().iter().map(|_| seeds.seed()).collect();
    let edges = slices.edges.par_iter().zip(terms.edges()).zip(seeds);
    let moved = edges.map(|(((rows, sizes), terms), seed)| {
        let places = permutation(sizes, |size| terms.lambda_of(size), seed);
        let mut moved = vec![0u32; rows.len()];
        for (&row, &place) in rows.iter().zip(&places) {
            moved[row as usize] = rows[place as usize];
        }
        moved
    });
    Glued::by(tree, slices.records, &moved.collect::<Vec<_>>())
}

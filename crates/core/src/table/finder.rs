//! Finding many cells among distinct ones, on all threads.
//!
//! A [`CellIndex`](super::CellIndex) grows while it is asked; a [`Finder`] is made once, of cells
//! that are all different, and copies none of them.

use std::hash::{BuildHasher, Hasher};

use hashbrown::HashTable;
use rayon::prelude::*;

use crate::encode::PackedCells;
use crate::hash::{STATE, share_of};

/// Distinct cells, to be found by content.
pub(crate) struct Finder<'a> {
    cells: &'a PackedCells,
    /// The positions of the cells, each with the others of its share of all hashes.
    shares: Vec<HashTable<u32>>,
}

impl<'a> Finder<'a> {
    /// Of cells of which no two are equal.
    ///
    /// Law: `found-where-they-are`.
    pub(crate) fn of(cells: &'a PackedCells) -> Self {
        let shares = rayon::current_num_threads();
        let table = |share: usize| {
            let mut table = HashTable::with_capacity(cells.len() / shares + cells.len() / 16);
            for (position, cell) in (0u32..).zip(cells.iter()) {
                let hash = hash(cell);
                if share_of(hash, shares) == share {
                    let again = |&other: &u32| self::hash(cells.get(other as usize));
                    table.insert_unique(hash, position, again);
                }
            }
            table
        };
        Self { cells, shares: (0..shares).into_par_iter().map(table).collect() }
    }

    /// Where a cell is, if it is there.
    pub(crate) fn find(&self, cell: &[u64]) -> Option<u32> {
        let hash = hash(cell);
        let table = &self.shares[share_of(hash, self.shares.len())];
        let is_same = |&other: &u32| {
            let mut words = self.cells.get(other as usize).iter().zip(cell);
            words.all(|(left, right)| left == right)
        };
        table.find(hash, is_same).copied()
    }
}

fn hash(cell: &[u64]) -> u64 {
    let mut hasher = STATE.build_hasher();
    cell.iter().for_each(|&word| hasher.write_u64(word));
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::collections::BTreeSet;

    use proptest::prelude::*;

    proptest! {
        /// One word and three, each cell and its neighbours, however many threads share the work.
        #[test]
        fn law_found_where_they_are(
            codes in proptest::collection::btree_set((0u32..6, 0u32..6, 0u32..6), 0..60),
            threads in 1usize..4,
        ) {
            let codes: BTreeSet<[u32; 3]> = codes.into_iter().map(<[u32; 3]>::from).collect();
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            for levels in [6, 1 << 32] {
                let listed: Vec<[u32; 3]> = codes.iter().copied().collect();
                let cells = PackedCells::from_codes(&[levels; 3], &listed);
                let asked: Vec<[u32; 3]> =
                    (0..216).map(|number| [number / 36, number / 6 % 6, number % 6]).collect();
                let asked_cells = PackedCells::from_codes(&[levels; 3], &asked);
                let finder = pool.install(|| Finder::of(&cells));
                for (cell, codes) in asked_cells.iter().zip(&asked) {
                    let there = listed.iter().position(|other| other == codes);
                    prop_assert_eq!(finder.find(cell).map(|place| place as usize), there);
                }
            }
        }
    }
}

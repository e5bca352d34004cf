//! Cells near a cell, found without a look at all of them.
//!
//! The variables are dealt into d + 1 blocks. Two cells that differ in d variables or fewer
//! agree on a whole block, so the cells of d + 1 groups are all that need to be looked at. One
//! that agrees on several blocks is taken from the first.
//!
//! Way in: [`Blocks::near`].

use std::sync::OnceLock;

use crate::encode::{Bits, PackedCells};
use crate::table::Grouping;

/// Cells that differ in more variables are not found through blocks.
pub(super) const MOST_DISTANCE: usize = 5;

/// With fewer cells a look at all of them costs less.
const LEAST_CELLS: usize = 1 << 13;

/// Groups of the cells of a piece, for each number of blocks made once.
pub(super) struct Blocks {
    by_distance: [OnceLock<Vec<Block>>; MOST_DISTANCE],
}

/// The cells that agree on some variables.
struct Block {
    variables: u64,
    group_of: Vec<u32>,
    list: Vec<u32>,
    starts: Vec<usize>,
}

impl Block {
    fn new(cells: &PackedCells, bits: &Bits, variables: u64) -> Self {
        let grouping = Grouping::of(cells, bits.set(variables));
        let (list, starts) = grouping.sorted();
        Self { variables, group_of: grouping.into_group_of(), list, starts }
    }

    fn with(&self, cell: usize) -> &[u32] {
        let group = self.group_of[cell] as usize;
        &self.list[self.starts[group]..self.starts[group + 1]]
    }
}

impl Blocks {
    pub(super) fn new() -> Self {
        Self { by_distance: std::array::from_fn(|_| OnceLock::new()) }
    }

    /// The cells that differ from one in `distance` variables, with these; `None` where a look
    /// at all cells costs no more.
    pub(super) fn near(
        &self,
        cells: &PackedCells,
        bits: &Bits,
        own: usize,
        distance: usize,
    ) -> Option<Vec<(u64, u32)>> {
        if cells.len() < LEAST_CELLS || distance > MOST_DISTANCE || bits.len() <= distance {
            return None;
        }
        let blocks = self.by_distance[distance - 1].get_or_init(|| {
            dealt(bits, distance + 1).map(|variables| Block::new(cells, bits, variables)).collect()
        });
        let looked_at: usize = blocks.iter().map(|block| block.with(own).len()).sum();
        if looked_at * 2 > cells.len() {
            return None;
        }
        let middle = cells.get(own);
        let mut near = Vec::new();
        for (place, block) in blocks.iter().enumerate() {
            let before = &blocks[..place];
            near.extend(block.with(own).iter().filter_map(|&cell| {
                let words = cells.get(cell as usize);
                if bits.distance(middle, words) != distance {
                    return None;
                }
                let mask = bits.differing(middle, words);
                let is_first = before.iter().all(|block| mask & block.variables != 0);
                is_first.then_some((mask, cell))
            }));
        }
        Some(near)
    }
}

/// The variables dealt to `count` blocks, those with most values to different ones.
fn dealt(bits: &Bits, count: usize) -> impl Iterator<Item = u64> {
    let mut variables: Vec<usize> = (0..bits.len()).collect();
    variables.sort_by_key(|&bit| std::cmp::Reverse(bits.width(bit)));
    (0..count).map(move |block| {
        variables.iter().skip(block).step_by(count).fold(0, |all, &bit| all | 1 << bit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Random, Seed};
    use crate::varset::VarSet;

    #[test]
    fn near_cells_are_those_of_a_look_at_all() {
        let levels = [5usize, 2, 3, 4, 2, 6, 3, 4];
        let all: usize = levels.iter().product();
        // Three of four cells that there can be.
        let codes: Vec<Vec<u32>> = (0..all)
            .filter(|cell| cell % 4 > 0)
            .map(|mut rest| {
                let digit = |level: &usize| {
                    let code = rest % level;
                    rest /= level;
                    as_code(code)
                };
                levels.iter().map(digit).collect()
            })
            .collect();
        are_those_of_a_look_at_all(&levels, &codes, 3);
        // Few of many, at all distances from the first.
        let levels = [16usize; 8];
        let mut random = Random::new(Seed([5; 32]), 0);
        let mut code = |differs: bool| if differs { random.below(16) } else { 0 };
        let mut codes: Vec<Vec<u32>> = (0..30_000)
            .map(|cell| (0..8).map(|place| code(place < cell % 9)).map(as_code).collect())
            .collect();
        codes.sort_unstable();
        codes.dedup();
        assert!(codes.len() > LEAST_CELLS);
        are_those_of_a_look_at_all(&levels, &codes, MOST_DISTANCE);
    }

    fn as_code(number: usize) -> u32 {
        u32::try_from(number).expect("a small code")
    }

    /// Compares, and looks through blocks at least so far around a cell that is unlike the others.
    fn are_those_of_a_look_at_all(levels: &[usize], codes: &[Vec<u32>], least: usize) {
        let cells = PackedCells::from_codes(levels, codes);
        let bits = Bits::new(cells.layout(), VarSet::first(levels.len())).expect("few variables");
        let blocks = Blocks::new();
        let others = |cell: &usize| codes[*cell].iter().filter(|code| **code > 0).count();
        let lonely = (0..cells.len()).max_by_key(others).expect("there are cells");
        for own in [0, 77, cells.len() - 1, lonely] {
            for distance in 1..=MOST_DISTANCE {
                let Some(mut near) = blocks.near(&cells, &bits, own, distance) else {
                    assert!(distance > least || own != lonely, "distance {distance} from {own}");
                    continue;
                };
                near.sort_unstable();
                let differing = |cell: usize| bits.differing(cells.get(own), cells.get(cell));
                let mut expected: Vec<(u64, u32)> = (0u32..)
                    .take(cells.len())
                    .map(|cell| (differing(cell as usize), cell))
                    .filter(|(mask, _)| mask.count_ones() as usize == distance)
                    .collect();
                expected.sort_unstable();
                assert_eq!(near, expected);
            }
            assert!(blocks.near(&cells, &bits, own, MOST_DISTANCE + 1).is_none());
        }
    }
}

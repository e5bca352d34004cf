//! How the cells of a piece differ from one of them.
//!
//! Cells are sorted into buckets by the set in which they differ only as far out as a search
//! asks, because most searches end near. The nearest are found through blocks of variables on
//! which they agree; who asks for more looks once at all cells.
//!
//! Only cells that may take part are in buckets.

use std::cell::OnceCell;

use super::space::Space;
use crate::hash::{Map, STATE};

/// The cells around one cell.
pub(super) struct Around<'s, 'a> {
    pub(super) space: &'s Space<'a>,
    /// The cell in the middle, by position.
    pub(super) own: usize,
    /// The variables on which every cell must agree with it.
    pub(super) agree: u64,
    by_distance: OnceCell<ByDistance>,
    /// The cells that may take part, by distance and then by difference.
    sorted: Vec<u32>,
    buckets: Vec<Bucket>,
    /// Where the buckets of each distance end, as far as they were built.
    ends: Vec<usize>,
    by_mask: ByMask,
}

/// All cells.
struct ByDistance {
    /// Nearest first; within a distance in the order of the table.
    order: Vec<u32>,
    /// Where each distance begins in `order`, and after the last its end.
    levels: Vec<usize>,
}

impl ByDistance {
    fn new(space: &Space<'_>, own: usize) -> Self {
        let middle = space.cells.get(own);
        let bits = &space.bits;
        let mut distances = Vec::with_capacity(space.cells.len());
        let mut levels = vec![0usize; bits.len() + 2];
        for cell in space.cells.iter() {
            let distance = bits.distance(middle, cell);
            levels[distance + 1] += 1;
            distances.push(u8::try_from(distance).expect("there are at most 64 variables"));
        }
        // The cell itself is at distance 0 and alone there.
        for level in 1..levels.len() {
            levels[level] += levels[level - 1];
        }
        let mut next = levels.clone();
        let mut order = vec![0u32; distances.len()];
        for (cell, &distance) in (0u32..).zip(&distances) {
            order[next[distance as usize]] = cell;
            next[distance as usize] += 1;
        }
        Self { order, levels }
    }
}

/// The cells that differ in one set.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bucket {
    pub(super) mask: u64,
    start: u32,
    end: u32,
}

impl Bucket {
    pub(super) fn len(&self) -> usize {
        (self.end - self.start) as usize
    }
}

/// With few variables a bucket is found by its set, with many by hashing.
enum ByMask {
    Dense(Vec<u32>),
    Hashed(Map<u64, u32>),
}

const MOST_DENSE: usize = 12;
const NONE: u32 = u32::MAX;

impl<'s, 'a> Around<'s, 'a> {
    pub(super) fn new(space: &'s Space<'a>, own: usize, agree: u64) -> Self {
        let by_mask = if space.bits.len() <= MOST_DENSE {
            ByMask::Dense(vec![NONE; 1 << space.bits.len()])
        } else {
            ByMask::Hashed(Map::with_hasher(STATE))
        };
        Self {
            space,
            own,
            agree,
            by_distance: OnceCell::new(),
            sorted: Vec::new(),
            buckets: Vec::new(),
            ends: vec![0],
            by_mask,
        }
    }

    /// The cell in the middle.
    pub(super) fn middle(&self) -> &[u64] {
        self.space.cells.get(self.own)
    }

    fn by_distance(&self) -> &ByDistance {
        self.by_distance.get_or_init(|| ByDistance::new(self.space, self.own))
    }

    /// The cells that differ in exactly `distance` variables, with these.
    fn level(&self, distance: usize) -> Vec<(u64, u32)> {
        let Space { cells, bits, blocks, .. } = self.space;
        let near = match self.by_distance.get() {
            None => blocks.near(cells, bits, self.own, distance),
            Some(_) => None,
        };
        near.unwrap_or_else(|| {
            let ByDistance { order, levels } = self.by_distance();
            let level = &order[levels[distance]..levels[distance + 1]];
            let differing = |&cell: &u32| bits.differing(self.middle(), cells.get(cell as usize));
            level.iter().map(|cell| (differing(cell), *cell)).collect()
        })
    }

    /// Sorts the cells up to a distance into buckets, those that may take part.
    pub(super) fn reach(&mut self, distance: usize, usable: impl Fn(usize, u64) -> bool) {
        let farthest = self.space.bits.len();
        while self.ends.len() <= distance.min(farthest) {
            let mut keyed = self.level(self.ends.len());
            keyed.retain(|&(mask, cell)| usable(cell as usize, mask));
            keyed.sort_unstable();
            for run in keyed.chunk_by(|left, right| left.0 == right.0) {
                let start = number(self.sorted.len());
                self.sorted.extend(run.iter().map(|&(_, cell)| cell));
                let bucket = number(self.buckets.len());
                let mask = run[0].0;
                self.buckets.push(Bucket { mask, start, end: number(self.sorted.len()) });
                match &mut self.by_mask {
                    ByMask::Dense(table) => {
                        table[usize::try_from(mask).expect("few variables")] = bucket;
                    }
                    ByMask::Hashed(map) => {
                        map.insert(mask, bucket);
                    }
                }
            }
            self.ends.push(self.buckets.len());
        }
    }

    /// The buckets of the cells that differ in `distance` variables, by rising set.
    pub(super) fn at(&self, distance: usize) -> &[Bucket] {
        match self.ends.get(distance) {
            Some(&end) if distance > 0 => &self.buckets[self.ends[distance - 1]..end],
            _ => &[],
        }
    }

    /// The cells that differ in just this set, within what was reached.
    pub(super) fn bucket(&self, mask: u64) -> Option<&Bucket> {
        let bucket = match &self.by_mask {
            ByMask::Dense(table) => table[usize::try_from(mask).expect("few variables")],
            ByMask::Hashed(map) => *map.get(&mask)?,
        };
        self.buckets.get(bucket as usize)
    }

    pub(super) fn cells(&self, bucket: &Bucket) -> &[u32] {
        &self.sorted[bucket.start as usize..bucket.end as usize]
    }

    /// All other cells, nearest first.
    pub(super) fn nearest(&self) -> &[u32] {
        let ByDistance { order, levels } = self.by_distance();
        &order[levels[1]..]
    }
}

fn number(position: usize) -> u32 {
    u32::try_from(position).expect("there are fewer than 2^32 cells")
}

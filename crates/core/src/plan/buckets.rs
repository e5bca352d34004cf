//! Cells that agree outside a set of variables: they share a bucket.
//!
//! A number tells each cell its bucket; two buckets with one number only mean a few comparisons
//! more, because what differs is looked at for every pair.

use std::ops::Range;

use super::Task;
use crate::encode::Mask;
use crate::varset::VarSet;

/// Tells buckets apart: cells that agree outside a set have the same number.
pub(super) fn outside(task: Task<'_>, differing: VarSet) -> Mask {
    task.joint.cells().layout().mask(task.class.delta() - differing)
}

/// Some buckets: now and then one is marked that is none of them.
pub(super) struct Marks {
    /// Two bits a bucket: met once, met again.
    bits: Vec<u64>,
    /// Which of the two counts.
    counts: u32,
}

impl Marks {
    /// These buckets, at most `most`.
    pub(super) fn of(buckets: impl Iterator<Item = u64>, most: usize) -> Self {
        Self::met(buckets, most, 0)
    }

    /// Those of these buckets that are met again.
    pub(super) fn of_shared(buckets: impl Iterator<Item = u64>, most: usize) -> Self {
        Self::met(buckets, most, 1)
    }

    fn met(buckets: impl Iterator<Item = u64>, most: usize, counts: u32) -> Self {
        // About twelve places for each bucket.
        let words = (most / 4).next_power_of_two().max(16);
        let mut marks = Self { bits: vec![0; words], counts };
        for bucket in buckets {
            let (word, bit) = marks.place(bucket);
            let word = &mut marks.bits[word];
            *word |= (*word & bit) << 1 | bit;
        }
        marks
    }

    pub(super) fn holds(&self, bucket: u64) -> bool {
        let (word, bit) = self.place(bucket);
        self.bits[word] & bit << self.counts != 0
    }

    /// By the lower bits, in which buckets differ whose upper halves are the same.
    fn place(&self, bucket: u64) -> (usize, u64) {
        let word = usize::try_from(bucket >> 5 & 0xffff_ffff).expect("32 bits fit");
        (word & (self.bits.len() - 1), 1 << (2 * (bucket & 31)))
    }
}

/// About how many cells or swaps make a piece of the sorted ones.
const PIECE: usize = 1 << 9;

/// Cuts what is sorted by buckets into pieces of whole ones, for all threads.
pub(super) fn pieces<T>(sorted: &[T], bucket: impl Fn(&T) -> u64) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let mut start = 0;
    while start < sorted.len() {
        let last = (start + PIECE).min(sorted.len()) - 1;
        let end = bucket_at(sorted, &bucket, last).end;
        pieces.push(start..end);
        start = end;
    }
    pieces
}

/// The bucket of what is at a place.
pub(super) fn bucket_at<T>(sorted: &[T], bucket: impl Fn(&T) -> u64, place: usize) -> Range<usize> {
    let here = bucket(&sorted[place]);
    let start = sorted[..place].partition_point(|one| bucket(one) < here);
    let after = sorted[place..].partition_point(|one| bucket(one) == here);
    start..place + after
}

//! Counting records into cells, on all threads.
//!
//! Each thread numbers the cells of its part of the records and sorts them by their words. Then
//! the sorted lists of all parts are merged, each thread over a range of words of its own. The
//! cells come out in the order of their words, whatever the number of parts.
//!
//! Way in: [`Counted::of`].

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use hashbrown::HashTable;
use rayon::prelude::*;

use super::grouping::{number, number_of, parts_of};
use crate::encode::PackedCells;
use crate::hash::mixed;

/// The distinct cells among some, in the order of their words.
pub(super) struct Counted {
    /// Each of them once.
    pub(super) cells: PackedCells,
    /// How many there are of each.
    pub(super) counts: Vec<u32>,
    /// For each one that was counted which of the distinct ones it is.
    pub(super) cell_of: Vec<u32>,
}

/// After this share of the cells (one in eight), room is made as if the others brought half as
/// many new ones each.
const LOOK_AHEAD: usize = 8;

/// How many ranges of words are merged for each part: ranges differ in length.
const RANGES: usize = 4;

impl Counted {
    /// Counts the cells that are equal.
    ///
    /// Law: `counted-in-any-number-of-parts`.
    pub(super) fn of(cells: &PackedCells) -> Self {
        Self::in_parts(cells, parts_of(cells.len(), 1))
    }

    fn in_parts(cells: &PackedCells, parts: usize) -> Self {
        let words = cells.words();
        match cells.layout().words() {
            1 => Self::by_key(cells, |place| [words[place]], parts),
            2 => Self::by_key(cells, |place| [words[2 * place], words[2 * place + 1]], parts),
            _ => Self::by_key(cells, |place| cells.get(place), parts),
        }
    }

    fn by_key<K>(cells: &PackedCells, key: impl Fn(usize) -> K + Sync, parts: usize) -> Self
    where
        K: AsRef<[u64]> + Copy + Ord + Send + Sync,
    {
        let mut cell_of = vec![0u32; cells.len()];
        let part = cells.len().div_ceil(parts).max(1);
        let numbered = cell_of.par_chunks_mut(part).enumerate();
        let lists: Vec<Part<K>> = numbered
            .map(|(nth, numbers)| Part::numbered(numbers, |place| key(nth * part + place)))
            .collect();
        let ranges: Vec<Vec<Member<K>>> =
            ranges(&lists).into_par_iter().map(|range| merged(&lists, range)).collect();
        let mut first = 0;
        let firsts: Vec<u32> = ranges
            .iter()
            .map(|range| {
                let here = first;
                first += number(range.chunk_by(Member::is_same).count());
                here
            })
            .collect();
        // Every number is stored once, before any is asked for.
        let places: Vec<Vec<AtomicU32>> = lists
            .iter()
            .map(|list| list.counts.iter().map(|_| AtomicU32::new(0)).collect())
            .collect();
        let done: Vec<(Vec<u64>, Vec<u32>)> = ranges
            .par_iter()
            .zip(firsts)
            .map(|(range, first)| {
                let (mut words, mut counts) = (Vec::new(), Vec::new());
                for (cell, same) in (first..).zip(range.chunk_by(Member::is_same)) {
                    words.extend_from_slice(same[0].key.as_ref());
                    let mut count = 0;
                    for member in same {
                        let (part, number) = (member.part as usize, member.number as usize);
                        count += lists[part].counts[number];
                        places[part][number].store(cell, Relaxed);
                    }
                    counts.push(count);
                }
                (words, counts)
            })
            .collect();
        cell_of.par_chunks_mut(part).zip(&places).for_each(|(cells, places)| {
            cells.iter_mut().for_each(|cell| *cell = places[*cell as usize].load(Relaxed));
        });
        let (words, counts): (Vec<Vec<u64>>, Vec<Vec<u32>>) = done.into_iter().unzip();
        let cells = PackedCells::from_words(cells.layout().clone(), words.concat());
        Self { cells, counts: counts.concat(), cell_of }
    }
}

/// The distinct cells of one part.
struct Part<K> {
    /// By their words, each with its number within the part.
    sorted: Vec<(K, u32)>,
    /// How many there are of each, by number.
    counts: Vec<u32>,
}

impl<K: AsRef<[u64]> + Copy + Ord> Part<K> {
    /// Numbers the cells of a part in the order in which they first come.
    fn numbered(numbers: &mut [u32], key: impl Fn(usize) -> K) -> Self {
        let mut known: HashTable<(K, u32)> = HashTable::new();
        let (mut sorted, mut counts) = (Vec::new(), Vec::new());
        let hash = |key: &K| mixed(key.as_ref().iter().copied());
        let look_ahead = numbers.len() / LOOK_AHEAD;
        for (place, own) in numbers.iter_mut().enumerate() {
            if place == look_ahead {
                known.reserve((LOOK_AHEAD / 2 - 1) * counts.len(), |(one, _)| hash(one));
            }
            let key = key(place);
            *own = number_of(&mut known, (key, hash(&key)), hash);
            if *own as usize == counts.len() {
                sorted.push((key, *own));
                counts.push(0);
            }
            counts[*own as usize] += 1;
        }
        sorted.sort_unstable_by_key(|(key, _)| *key);
        Self { sorted, counts }
    }
}

/// A distinct cell of a part, among those of all parts.
struct Member<K> {
    key: K,
    part: u32,
    number: u32,
}

impl<K: Eq> Member<K> {
    fn is_same(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

/// Cuts all words into ranges, each from its first key up to the next one's; the first range
/// begins before all.
fn ranges<K: Copy + Ord>(lists: &[Part<K>]) -> Vec<[Option<K>; 2]> {
    let Some(longest) = lists.iter().map(|list| &list.sorted).max_by_key(|list| list.len()) else {
        return Vec::new();
    };
    let length = longest.len().div_ceil(lists.len() * RANGES).max(1);
    let cuts: Vec<Option<K>> =
        longest.iter().step_by(length).skip(1).map(|one| Some(one.0)).collect();
    let starts = [None].into_iter().chain(cuts.iter().copied());
    starts.zip(cuts.iter().copied().chain([None])).map(|(start, end)| [start, end]).collect()
}

/// The cells of all parts in a range, by their words.
fn merged<K: Copy + Ord>(lists: &[Part<K>], [start, end]: [Option<K>; 2]) -> Vec<Member<K>> {
    let mut all = Vec::new();
    for (part, list) in (0u32..).zip(lists) {
        let place = |cut: K| list.sorted.partition_point(|(key, _)| *key < cut);
        let (start, end) = (start.map_or(0, place), end.map_or(list.sorted.len(), place));
        let here = list.sorted[start..end].iter();
        all.extend(here.map(|&(key, number)| Member { key, part, number }));
    }
    // A stable sort finds the runs and merges them.
    all.sort_by_key(|member| member.key);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    proptest! {
        /// Cells of one word, of two and of three, against a count by their words.
        #[test]
        fn law_counted_in_any_number_of_parts(
            codes in proptest::collection::vec((0u32..4, 0u32..4, 0u32..4), 0..200),
            parts in 1usize..9,
        ) {
            let codes: Vec<[u32; 3]> = codes.into_iter().map(<[u32; 3]>::from).collect();
            for levels in [[4; 3], [1 << 30; 3], [1 << 32; 3]] {
                let cells = PackedCells::from_codes(&levels, &codes);
                let mut slow: BTreeMap<&[u64], u32> = BTreeMap::new();
                cells.iter().for_each(|cell| *slow.entry(cell).or_default() += 1);
                let fast = Counted::in_parts(&cells, parts);
                prop_assert!(fast.cells.iter().eq(slow.keys().copied()));
                prop_assert!(fast.counts.iter().eq(slow.values()));
                prop_assert_eq!(fast.cell_of.len(), codes.len());
                for (cell, &place) in cells.iter().zip(&fast.cell_of) {
                    prop_assert_eq!(fast.cells.get(place as usize), cell);
                }
            }
        }
    }
}

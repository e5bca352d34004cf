//! Cells by number, alike where they agree on some variables, each with what is known of it.
//!
//! Their numbers are found in shares by hash. Where many are numbered at once, each share is filled
//! on one thread, and is small enough to stay near the processor meanwhile. Numbers follow from the
//! words and the order in which they come, not from the number of threads. They rise from 0, with a
//! gap wherever words that have a number come again among many.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use rayon::prelude::*;

use crate::encode::Mask;
use crate::hash::share_of;

/// Words that agree on the mask have one number.
#[derive(Debug, Clone)]
pub(crate) struct Numbered<T> {
    mask: Mask,
    shares: Vec<HashTable<u32>>,
    /// The words of each one, masked, one after the other.
    words: Vec<u64>,
    values: Vec<T>,
}

/// From this number on they are held in several shares.
const FEW: usize = 1 << 15;
const SHARES: usize = 64;

/// How many are hashed by one thread before it takes more.
const AT_ONCE: usize = 1 << 12;

impl<T: Clone + Default> Numbered<T> {
    /// None yet, and room for `most`.
    pub(crate) fn with_room(mask: Mask, most: usize) -> Self {
        let shares = if most < FEW { 1 } else { SHARES };
        // Shares are not quite alike.
        let room = most / shares + most / shares / 16;
        let shares = (0..shares).map(|_| HashTable::with_capacity(room)).collect();
        Self { mask, shares, words: Vec::new(), values: Vec::new() }
    }

    /// A number that all have in common whose words agree on the mask, and hardly any others.
    pub(crate) fn mixed(&self, words: &[u64]) -> u64 {
        self.mask.mixed(words)
    }

    /// The number of these words, if they have one.
    pub(crate) fn find(&self, words: &[u64]) -> Option<u32> {
        let hash = self.mask.mixed(words);
        let share = &self.shares[share_of(hash, self.shares.len())];
        share.find(hash, |&one| !self.mask.parts(at(&self.words, &self.mask, one), words)).copied()
    }

    /// The number of these words, which they get where they have none.
    pub(crate) fn number(&mut self, words: &[u64]) -> u32 {
        self.find(words).unwrap_or_else(|| {
            let first = self.hold(words);
            let Self { mask, shares, words: known, .. } = self;
            let hash = mask.mixed(words);
            let share = share_of(hash, shares.len());
            shares[share].insert_unique(hash, first, |&one| mask.mixed(at(known, mask, one)));
            first
        })
    }

    /// The numbers of many words, one after the other: the same for those that agree.
    ///
    /// Law: `numbered-at-once-as-in-turn`.
    pub(crate) fn number_all(&mut self, all: &[u64]) -> Vec<u32> {
        let (length, many) = (self.mask.words().len(), self.shares.len());
        if all.len() < length * AT_ONCE {
            return all.chunks_exact(length).map(|words| self.number(words)).collect();
        }
        let first = self.hold(all);
        let Self { mask, shares, words: known, .. } = self;
        let pieces = all.par_chunks(length * AT_ONCE);
        let hashes: Vec<u64> = pieces
            .flat_map_iter(|piece| piece.chunks_exact(length).map(|words| mask.mixed(words)))
            .collect();
        let mut of_share: Vec<Vec<u32>> = vec![Vec::new(); many];
        for (place, &hash) in (0u32..).zip(&hashes) {
            of_share[share_of(hash, many)].push(place);
        }
        let numbered: Vec<Vec<u32>> = shares
            .par_iter_mut()
            .zip(&of_share)
            .with_max_len(1)
            .map(|(share, places)| {
                let number = |&place: &u32| {
                    let (hash, own) = (hashes[place as usize], first + place);
                    let words = at(known, mask, own);
                    let entry = share.entry(
                        hash,
                        |&one| at(known, mask, one) == words,
                        |&one| mask.mixed(at(known, mask, one)),
                    );
                    match entry {
                        Entry::Occupied(found) => *found.get(),
                        Entry::Vacant(free) => *free.insert(own).get(),
                    }
                };
                places.iter().map(number).collect()
            })
            .collect();
        let mut numbers = vec![0; hashes.len()];
        for (&place, found) in of_share.iter().flatten().zip(numbered.into_iter().flatten()) {
            numbers[place as usize] = found;
        }
        numbers
    }

    /// Makes room for these words, and answers the number of the first of them.
    fn hold(&mut self, all: &[u64]) -> u32 {
        let mask = self.mask.words();
        let first = u32::try_from(self.values.len()).expect("there are fewer than 2^32 cells");
        let cells = all.chunks_exact(mask.len());
        self.words
            .extend(cells.flat_map(|one| one.iter().zip(mask).map(|(word, mask)| word & mask)));
        self.values.resize(self.words.len() / mask.len(), T::default());
        first
    }

    /// What is known of a number.
    pub(crate) fn get(&self, number: u32) -> &T {
        &self.values[number as usize]
    }

    /// The same, to be changed.
    pub(crate) fn get_mut(&mut self, number: u32) -> &mut T {
        &mut self.values[number as usize]
    }

    /// What is known of each number, and nothing of gaps.
    pub(crate) fn values(&self) -> &[T] {
        &self.values
    }

    /// The same, to be changed.
    pub(crate) fn values_mut(&mut self) -> &mut [T] {
        &mut self.values
    }
}

/// The words of a number, masked.
#[inline]
fn at<'w>(words: &'w [u64], mask: &Mask, number: u32) -> &'w [u64] {
    let length = mask.words().len();
    &words[number as usize * length..][..length]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::PackedCells;
    use crate::random::{Random, Seed};
    use crate::varset::VarSet;

    /// Cells of one word and of several, few and many, some of them known before.
    #[test]
    fn law_numbered_at_once_as_in_turn() {
        let random = &mut Random::new(Seed([6; 32]), 0);
        for (variables, room) in [(3, 10), (3, FEW), (9, 10), (9, 4 * FEW)] {
            let levels = vec![1 << 16; variables];
            let mut code = || u32::try_from(random.below(40) * 1000).unwrap();
            let cells: Vec<Vec<u32>> =
                (0..3 * AT_ONCE).map(|_| (0..variables).map(|_| code()).collect()).collect();
            let cells = PackedCells::from_codes(&levels, &cells);
            let keys = VarSet::from([0, 1]) | VarSet::single(variables - 1);
            let mask = cells.layout().mask(keys);
            let mut slow: Numbered<u8> = Numbered::with_room(mask.clone(), room);
            let mut fast = slow.clone();
            for words in cells.iter().step_by(7) {
                assert_eq!(slow.number(words), fast.number(words));
            }
            let in_turn: Vec<u32> = cells.iter().map(|words| slow.number(words)).collect();
            let at_once = fast.number_all(cells.words());
            // The same number exactly where the keys are the same, and new ones in the same order.
            let mut known = std::collections::BTreeMap::new();
            for ((words, &number), &slow) in cells.iter().zip(&at_once).zip(&in_turn) {
                let masked: Vec<u64> =
                    words.iter().zip(mask.words()).map(|(word, mask)| word & mask).collect();
                assert_eq!(*known.entry(masked).or_insert((number, slow)), (number, slow));
                assert_eq!(fast.find(words), Some(number));
                *fast.get_mut(number) += 1;
                assert!(*fast.get(number) > 0);
            }
            let mut both: Vec<(u32, u32)> = known.values().copied().collect();
            both.sort_unstable();
            assert!(both.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 < two[1].1));
            assert_eq!(fast.values().iter().filter(|&&met| met > 0).count(), known.len());
            assert_eq!(slow.values().len(), known.len());
            let far = PackedCells::from_codes(&levels, &[vec![7; variables]]);
            assert_eq!(fast.find(far.get(0)), None);
        }
    }
}

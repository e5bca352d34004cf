//! Categories listed one for each record, as they come: for columns in which nearly all differ.
//!
//! To look every value of an id up among all before it waits for memory record by record, and on
//! one thread. Here they are only copied, and compared once, at the end: in shares by their
//! hashes, each small enough for the caches, on all cores.
//!
//! Way in: [`UncodedColumn::push`], [`UncodedColumn::coded`]. Slow twin: a [`ColumnBuilder`](super::ColumnBuilder).

use std::ops::Range;

use hashbrown::HashTable;
use rayon::prelude::*;

use super::Dictionary;
use super::dictionary::hash_of;

/// The categories of records, one after the other.
#[derive(Default)]
pub struct UncodedColumn {
    /// Their bytes.
    bytes: Vec<u8>,
    /// Where the category of each record ends among them.
    ends: Vec<usize>,
}

/// The records are compared in this many shares.
const SHARES: usize = 1 << 8;

/// How many records are put into shares at once.
const AT_ONCE: usize = 1 << 16;

/// Some records in shares by their hashes, each with what its share does not tell of its hash.
struct Shared {
    /// Where each share begins, and last where the last one ends.
    starts: Vec<usize>,
    records: Vec<(u32, u32)>,
}

impl UncodedColumn {
    /// Adds the next record's category.
    #[inline]
    pub fn push(&mut self, category: &[u8]) {
        self.bytes.extend_from_slice(category);
        self.ends.push(self.bytes.len());
    }

    /// Adds the records of another list.
    pub(super) fn append(&mut self, other: &Self) {
        let before = self.bytes.len();
        self.bytes.extend_from_slice(&other.bytes);
        self.ends.extend(other.ends.iter().map(|end| before + end));
    }

    /// How many records there are.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// How many different categories they have.
    pub(super) fn levels(&self) -> usize {
        self.len() - self.repeats().len()
    }

    /// The different categories in the order of their first appearance, and the code of each
    /// record.
    ///
    /// Law: `listed-columns-are-the-same`.
    pub(super) fn coded(self) -> (Dictionary, Vec<u32>) {
        let all = number(self.len());
        let repeats = self.repeats();
        if repeats.is_empty() {
            return (Dictionary::of_different(self.bytes, self.ends), (0..all).collect());
        }
        let (mut different, mut codes) = (Self::default(), Vec::with_capacity(self.len()));
        let mut repeats = repeats.into_iter().peekable();
        for record in 0..all {
            let code = match repeats.next_if(|&(again, _)| again == record) {
                Some((_, first)) => codes[first as usize],
                None => {
                    different.push(self.category(record));
                    number(different.len() - 1)
                }
            };
            codes.push(code);
        }
        (Dictionary::of_different(different.bytes, different.ends), codes)
    }

    /// The records whose category an earlier one has, in their order, each with the first of these.
    fn repeats(&self) -> Vec<(u32, u32)> {
        let chunks = self.len().div_ceil(AT_ONCE);
        let records = |chunk: usize| chunk * AT_ONCE..self.len().min((chunk + 1) * AT_ONCE);
        let shared: Vec<Shared> =
            (0..chunks).into_par_iter().map(|chunk| self.shared(records(chunk))).collect();
        let shares = (0..SHARES).into_par_iter();
        let mut repeats: Vec<(u32, u32)> = shares
            .flat_map_iter(|share| {
                let parts = shared
                    .iter()
                    .map(move |part| &part.records[part.starts[share]..part.starts[share + 1]]);
                self.repeats_among(parts)
            })
            .collect();
        repeats.par_sort_unstable();
        repeats
    }

    /// Puts these records into shares; within a share their order is kept.
    fn shared(&self, records: Range<usize>) -> Shared {
        let hashes: Vec<u64> =
            records.clone().map(|record| hash_of(&self.bytes, self.range(record))).collect();
        let share = |hash: u64| usize::try_from(hash >> 56).expect("eight bits fit");
        let mut starts = vec![0; SHARES + 1];
        hashes.iter().for_each(|&hash| starts[share(hash) + 1] += 1);
        (0..SHARES).for_each(|share| starts[share + 1] += starts[share]);
        let (mut next, mut shared) = (starts.clone(), vec![(0, 0); hashes.len()]);
        for (record, &hash) in records.zip(&hashes) {
            let rest = u32::try_from(hash & u64::from(u32::MAX)).expect("32 bits fit");
            let next = &mut next[share(hash)];
            shared[*next] = (rest, number(record));
            *next += 1;
        }
        Shared { starts, records: shared }
    }

    /// The repeats among the records of one share.
    fn repeats_among<'a>(
        &self,
        parts: impl Iterator<Item = &'a [(u32, u32)]> + Clone,
    ) -> Vec<(u32, u32)> {
        let spread = |rest: u32| u64::from(rest).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let all = parts.clone().map(<[_]>::len).sum();
        let mut firsts: HashTable<(u32, u32)> = HashTable::with_capacity(all);
        let mut repeats = Vec::new();
        for &(rest, record) in parts.flatten() {
            let same = |&(other, first): &(u32, u32)| {
                other == rest && self.category(first) == self.category(record)
            };
            match firsts.find(spread(rest), same) {
                Some(&(_, first)) => repeats.push((record, first)),
                None => {
                    firsts.insert_unique(spread(rest), (rest, record), |&(rest, _)| spread(rest));
                }
            }
        }
        repeats
    }

    fn range(&self, record: usize) -> Range<usize> {
        let start = if record == 0 { 0 } else { self.ends[record - 1] };
        start..self.ends[record]
    }

    fn category(&self, record: u32) -> &[u8] {
        &self.bytes[self.range(record as usize)]
    }
}

fn number(record: usize) -> u32 {
    u32::try_from(record).expect("records have numbers of 32 bits")
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;

    use crate::columns::Column;

    fn agrees_with_its_twin(values: &[Vec<u8>]) {
        let mut listed = UncodedColumn::default();
        values.iter().for_each(|value| listed.push(value));
        let twin: Column = values.iter().map(|value| &value[..]).collect();
        assert_eq!(listed.levels(), twin.dictionary().levels());
        let (dictionary, codes) = listed.coded();
        assert_eq!(dictionary.levels(), twin.dictionary().levels());
        assert_eq!(codes.len(), twin.len());
        for (record, (&code, value)) in codes.iter().zip(values).enumerate() {
            assert_eq!(code, twin.code(record));
            assert_eq!(dictionary.category(code), Some(&value[..]));
            assert_eq!(dictionary.find(value), Some(code));
        }
    }

    proptest! {
        /// Short and long categories, some of which come again.
        #[test]
        fn law_listed_columns_are_the_same(
            values in proptest::collection::vec(proptest::collection::vec(0u8..3, 0..20), 0..200),
        ) {
            agrees_with_its_twin(&values);
        }
    }

    /// Witness for several chunks: repeats of records that other chunks hold.
    #[test]
    fn repeats_are_found_across_chunks() {
        let values = (0..2 * AT_ONCE + 9).map(|record| record % (AT_ONCE + 7));
        let values: Vec<Vec<u8>> =
            values.map(|value| format!("person {value}").into_bytes()).collect();
        agrees_with_its_twin(&values);
        agrees_with_its_twin(&values[..AT_ONCE + 7]);
    }
}

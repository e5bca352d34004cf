//! Cells that agree on a set of variables, numbered.
//!
//! A group's number says in which order the groups first appear, so no hash order is visible
//! outside.
//!
//! Way in: [`Grouping::of`]. The masked words are the key. When the set has few bits, they are
//! pushed together and are the place in a table that needs no hashing. Otherwise, when one or
//! two words of the layout carry the whole set, they are stored in the hash table itself; with
//! more, the table points to the first cell of each group.
//!
//! [`group_counts`] answers how large the groups are, and numbers none.

use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::atomic::{AtomicU32, Ordering};

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use rayon::prelude::*;

use crate::encode::PackedCells;
use crate::hash::{Map, STATE, share_of};
use crate::varset::VarSet;

/// For each cell the number of its group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grouping {
    group_of: Vec<u32>,
    groups: usize,
}

impl Grouping {
    /// Groups the cells that agree on `variables`.
    ///
    /// Law: `groups-do-not-depend-on-threads`.
    #[must_use]
    pub fn of(cells: &PackedCells, variables: VarSet) -> Self {
        Self::of_masked(cells, cells.layout().mask(variables).words())
    }

    /// Groups the cells that agree everywhere, however many variables there are.
    #[must_use]
    pub fn of_whole(cells: &PackedCells) -> Self {
        Self::of_masked(cells, &vec![u64::MAX; cells.layout().words()])
    }

    fn of_masked(cells: &PackedCells, mask: &[u64]) -> Self {
        let stride = cells.layout().words();
        let used = used(mask);
        if let Some(bits) = direct_bits(cells, &used) {
            let parts = parts_of(cells.len(), 1 << bits);
            return Self::by_place(cells, &used, bits, parts);
        }
        match used[..] {
            [] => Self { group_of: vec![0; cells.len()], groups: usize::from(!cells.is_empty()) },
            [(word, mask)] => {
                let words = cells.words();
                Self::by_key(cells.len(), |position| words[position * stride + word] & mask)
            }
            [(first, first_mask), (second, second_mask)] => Self::by_key(cells.len(), |position| {
                let cell = cells.get(position);
                [cell[first] & first_mask, cell[second] & second_mask]
            }),
            _ => Self::by_first_cell(cells, &used),
        }
    }

    fn by_key<K: Copy + Eq + Hash + Send>(length: usize, key: impl Fn(usize) -> K + Sync) -> Self {
        let parts = parts_of(length, 1);
        if parts > 1 {
            return Self::side_by_side(length, key, parts);
        }
        let mut numbers: Map<K, u32> = Map::with_hasher(STATE);
        let mut group_of = Vec::with_capacity(length);
        for position in 0..length {
            let next = numbers.len();
            let number = *numbers.entry(key(position)).or_insert_with(|| number(next));
            group_of.push(number);
        }
        Self { group_of, groups: numbers.len() }
    }

    /// The same on several threads: each numbers the keys of its part of the cells. Then each
    /// numbers those of its share of all hashes over all parts, and the groups of all shares are
    /// numbered in the order of their first cells, so that the number of threads plays no part.
    fn side_by_side<K: Copy + Eq + Hash + Send>(
        length: usize,
        key: impl Fn(usize) -> K + Sync,
        threads: usize,
    ) -> Self {
        let mut group_of = vec![0u32; length];
        let part = length.div_ceil(threads).max(1);
        let again = |key: &K| STATE.hash_one(key);
        let hashed = |position: usize| (key(position), again(&key(position)));
        // The first cell of each group of a part.
        let parts: Vec<Vec<u32>> = group_of
            .par_chunks_mut(part)
            .enumerate()
            .map(|(nth, groups)| {
                let (mut numbers, mut firsts) = (HashTable::new(), Vec::new());
                for (position, group) in (nth * part..).zip(groups) {
                    *group = number_of(&mut numbers, hashed(position), again);
                    if *group as usize == firsts.len() {
                        firsts.push(number(position));
                    }
                }
                firsts
            })
            .collect();
        // The number of a group of a part within its share.
        let owns: Vec<Vec<AtomicU32>> =
            parts.iter().map(|firsts| firsts.iter().map(|_| AtomicU32::new(0)).collect()).collect();
        let firsts: Vec<Vec<u32>> = (0..threads)
            .into_par_iter()
            .map(|share| {
                let (mut numbers, mut firsts) = (HashTable::new(), Vec::new());
                for (&first, own) in parts.iter().flatten().zip(owns.iter().flatten()) {
                    let (key, hash) = hashed(first as usize);
                    if share_of(hash, threads) != share {
                        continue;
                    }
                    let number = number_of(&mut numbers, (key, hash), again);
                    if number as usize == firsts.len() {
                        firsts.push(first);
                    }
                    own.store(number, Ordering::Relaxed);
                }
                firsts
            })
            .collect();
        let (numbers, groups) = numbered(&firsts);
        let parts = parts.par_iter().zip(&owns);
        group_of.par_chunks_mut(part).zip(parts).for_each(|(group_of, (firsts, owns))| {
            let numbers: Vec<u32> = firsts
                .iter()
                .zip(owns)
                .map(|(&first, own)| {
                    let share = share_of(hashed(first as usize).1, threads);
                    numbers[share][own.load(Ordering::Relaxed) as usize]
                })
                .collect();
            group_of.iter_mut().for_each(|group| *group = numbers[*group as usize]);
        });
        Self { group_of, groups }
    }

    /// Groups cells whose key has few bits: pushed together they are a place in a table. Each
    /// thread numbers a part of the cells; what a part has first is new or known from those
    /// before it.
    fn by_place(cells: &PackedCells, used: &[(usize, u64)], bits: u32, parts: usize) -> Self {
        let runs = runs(used);
        let stride = cells.layout().words();
        let part = cells.len().div_ceil(parts).max(1);
        let mut group_of = vec![0u32; cells.len()];
        // The places of a part in the order in which they first come.
        let firsts: Vec<Vec<usize>> = group_of
            .par_chunks_mut(part)
            .zip(cells.words().par_chunks(part * stride))
            .map(|(groups, words)| {
                let mut known = Places::new(bits);
                for (group, cell) in groups.iter_mut().zip(words.chunks_exact(stride)) {
                    *group = known.number(place(&runs, cell));
                }
                known.firsts
            })
            .collect();
        let mut known = Places::new(bits);
        let numbers: Vec<Vec<u32>> = firsts
            .into_iter()
            .map(|firsts| firsts.into_iter().map(|place| known.number(place)).collect())
            .collect();
        // Those of the first part are the same.
        group_of.par_chunks_mut(part).zip(&numbers).skip(1).for_each(|(groups, numbers)| {
            groups.iter_mut().for_each(|group| *group = numbers[*group as usize]);
        });
        Self { group_of, groups: known.firsts.len() }
    }

    fn by_first_cell(cells: &PackedCells, used: &[(usize, u64)]) -> Self {
        let hash = |cell: &[u64]| {
            let mut hasher = STATE.build_hasher();
            for &(word, mask) in used {
                hasher.write_u64(cell[word] & mask);
            }
            hasher.finish()
        };
        let agree = |left: &[u64], right: &[u64]| {
            used.iter().all(|&(word, mask)| (left[word] ^ right[word]) & mask == 0)
        };
        let mut numbers: HashTable<u32> = HashTable::new();
        let mut first_cells: Vec<usize> = Vec::new();
        let mut group_of = Vec::with_capacity(cells.len());
        for (position, cell) in cells.iter().enumerate() {
            let slot = numbers.entry(
                hash(cell),
                |&group| agree(cells.get(first_cells[group as usize]), cell),
                |&group| hash(cells.get(first_cells[group as usize])),
            );
            let group = match slot {
                Entry::Occupied(found) => *found.get(),
                Entry::Vacant(free) => {
                    let group = number(first_cells.len());
                    free.insert(group);
                    first_cells.push(position);
                    group
                }
            };
            group_of.push(group);
        }
        Self { group_of, groups: first_cells.len() }
    }

    /// The group of each cell.
    #[must_use]
    pub fn group_of(&self) -> &[u32] {
        &self.group_of
    }

    /// The group of each cell, for keeping.
    #[must_use]
    pub fn into_group_of(self) -> Vec<u32> {
        self.group_of
    }

    /// How many groups there are.
    #[must_use]
    pub fn groups(&self) -> usize {
        self.groups
    }

    /// The cells sorted by group, and where each group begins among them (then the end of
    /// the last one). Within a group the order is kept.
    #[must_use]
    pub fn sorted(&self) -> (Vec<u32>, Vec<usize>) {
        self.sorted_in(parts_of(self.group_of.len(), self.groups))
    }

    /// Each thread counts a part of the cells and puts them after those of the parts before it.
    fn sorted_in(&self, parts: usize) -> (Vec<u32>, Vec<usize>) {
        let part = self.group_of.len().div_ceil(parts).max(1);
        let mut next: Vec<Vec<u32>> = self
            .group_of
            .par_chunks(part)
            .map(|part| {
                let mut counts = vec![0u32; self.groups];
                part.iter().for_each(|&group| counts[group as usize] += 1);
                counts
            })
            .collect();
        let mut starts = Vec::with_capacity(self.groups + 1);
        let mut start = 0u32;
        for group in 0..self.groups {
            starts.push(start as usize);
            for part in &mut next {
                start += std::mem::replace(&mut part[group], start);
            }
        }
        starts.push(start as usize);
        // Every place is filled once.
        let members: Vec<AtomicU32> = self.group_of.iter().map(|_| AtomicU32::new(0)).collect();
        self.group_of.par_chunks(part).zip(&mut next).enumerate().for_each(
            |(nth, (part_of, next))| {
                for (position, &group) in (nth * part..).zip(part_of) {
                    let next = &mut next[group as usize];
                    members[*next as usize].store(number(position), Ordering::Relaxed);
                    *next += 1;
                }
            },
        );
        let members = members.into_iter().map(AtomicU32::into_inner).collect();
        (members, starts)
    }
}

/// How many records there are in each group of cells that agree on `variables`, where `counts`
/// says how many each cell holds; only groups with a record, in an order that depends on the
/// cells alone. On one thread, so that many sets can be counted side by side.
///
/// Law: `counts-without-numbers`.
#[must_use]
pub fn group_counts(cells: &PackedCells, variables: VarSet, counts: &[u32]) -> Vec<u64> {
    let mask = cells.layout().mask(variables);
    let used = used(mask.words());
    let each = cells.iter().zip(counts);
    let mut all = match (direct_bits(cells, &used), &used[..]) {
        (Some(bits), _) => {
            let runs = runs(&used);
            let mut all = vec![0; 1 << bits];
            for (cell, &count) in each {
                all[place(&runs, cell)] += u64::from(count);
            }
            all
        }
        (None, []) => vec![counts.iter().map(|&count| u64::from(count)).sum()],
        (None, &[(word, mask)]) => of_equal(each.map(|(cell, &count)| (cell[word] & mask, count))),
        (None, &[(first, first_mask), (second, second_mask)]) => {
            let key = |cell: &[u64]| [cell[first] & first_mask, cell[second] & second_mask];
            of_equal(each.map(|(cell, &count)| (key(cell), count)))
        }
        (None, _) => {
            let grouping = Grouping::by_first_cell(cells, &used);
            let mut all = vec![0; grouping.groups()];
            for (&group, &count) in grouping.group_of().iter().zip(counts) {
                all[group as usize] += u64::from(count);
            }
            all
        }
    };
    all.retain(|&count| count > 0);
    all
}

/// The sums of the numbers whose keys are equal, by rising key. Cells mostly come in the order
/// of their words, so their keys come in rising runs, which a stable sort merges.
fn of_equal<K: Copy + Ord>(keyed: impl Iterator<Item = (K, u32)>) -> Vec<u64> {
    let mut keyed: Vec<(K, u32)> = keyed.collect();
    keyed.sort_by_key(|&(key, _)| key);
    keyed
        .chunk_by(|one, next| one.0 == next.0)
        .map(|equal| equal.iter().map(|&(_, count)| u64::from(count)).sum())
        .collect()
}

/// The number of a key with this hash: the next one where it is new. `again` gives the hash of a
/// key that is known.
#[inline]
pub(super) fn number_of<K: Copy + Eq>(
    numbers: &mut HashTable<(K, u32)>,
    (key, hash): (K, u64),
    again: impl Fn(&K) -> u64,
) -> u32 {
    let next = numbers.len();
    match numbers.entry(hash, |(known, _)| *known == key, |(known, _)| again(known)) {
        Entry::Occupied(found) => found.get().1,
        Entry::Vacant(free) => {
            let next = number(next);
            free.insert((key, next));
            next
        }
    }
}

/// From this number of cells on several threads are faster than one.
const SIDE_BY_SIDE: usize = 1 << 15;

/// How many parts of `cells` cells are looked at side by side, each with room for `numbers`
/// numbers of its own: together no more than there are cells.
pub(super) fn parts_of(cells: usize, numbers: usize) -> usize {
    let most = if cells < SIDE_BY_SIDE { 1 } else { cells / numbers.max(1) };
    rayon::current_num_threads().min(most).max(1)
}

/// For each list of rising numbers, all different, the rank of each among all of them; and how
/// many there are.
fn numbered(lists: &[Vec<u32>]) -> (Vec<Vec<u32>>, usize) {
    let ranks = lists.par_iter().map(|list| {
        let mut below = vec![0; lists.len()];
        list.iter()
            .map(|first| {
                for (below, other) in below.iter_mut().zip(lists) {
                    while other.get(*below).is_some_and(|other| other < first) {
                        *below += 1;
                    }
                }
                number(below.iter().sum())
            })
            .collect()
    });
    (ranks.collect(), lists.iter().map(Vec::len).sum())
}

/// Numbers for the places of a table, in the order in which they are first asked for.
struct Places {
    numbers: Vec<u32>,
    /// The place of each number.
    firsts: Vec<usize>,
}

impl Places {
    /// For keys of at most `bits` bits.
    fn new(bits: u32) -> Self {
        Self { numbers: vec![u32::MAX; 1 << bits], firsts: Vec::new() }
    }

    fn number(&mut self, place: usize) -> u32 {
        if self.numbers[place] == u32::MAX {
            self.numbers[place] = number(self.firsts.len());
            self.firsts.push(place);
        }
        self.numbers[place]
    }
}

/// A key of at most this many bits is a place in a table: of 4 MiB.
const DIRECT_BITS: u32 = 20;

/// The words of a mask that have bits.
fn used(mask: &[u64]) -> Vec<(usize, u64)> {
    mask.iter().copied().enumerate().filter(|(_, mask)| *mask != 0).collect()
}

/// How many bits a key has, where they are so few that it is a place in a table.
fn direct_bits(cells: &PackedCells, used: &[(usize, u64)]) -> Option<u32> {
    let bits: u32 = used.iter().map(|(_, mask)| mask.count_ones()).sum();
    let few = (1..=DIRECT_BITS).contains(&bits) && 1usize << bits <= 2 * cells.len() + 256;
    few.then_some(bits)
}

/// Bits that are side by side in a word, and where they are pushed to.
struct Run {
    word: usize,
    from: u32,
    ones: u64,
    to: u32,
}

/// The place of a cell: the bits of the runs, pushed together.
fn place(runs: &[Run], cell: &[u64]) -> usize {
    let mut place = 0;
    for run in runs {
        place |= (cell[run.word] >> run.from & run.ones) << run.to;
    }
    usize::try_from(place).expect("a place has few bits")
}

fn runs(used: &[(usize, u64)]) -> Vec<Run> {
    let mut runs = Vec::new();
    let mut to = 0;
    for &(word, mask) in used {
        let mut left = mask;
        while left != 0 {
            let from = left.trailing_zeros();
            let length = (left >> from).trailing_ones();
            let ones = u64::MAX >> (64 - length);
            runs.push(Run { word, from, ones, to });
            left &= !(ones << from);
            to += length;
        }
    }
    runs
}

pub(super) fn number(groups: usize) -> u32 {
    u32::try_from(groups).expect("there are fewer than 2^32 cells")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    use proptest::prelude::*;

    proptest! {
        /// However many threads share the work: one key of one word, one of two, one of few bits;
        /// and cells sorted by group.
        #[test]
        fn law_groups_do_not_depend_on_threads(
            keys in proptest::collection::vec(0u64..40, 0..200),
            parts in 1usize..9,
        ) {
            let one = Grouping::side_by_side(keys.len(), |place| keys[place], parts);
            let two = Grouping::side_by_side(keys.len(), |place| [keys[place], 7], parts);
            prop_assert_eq!(&one, &two);
            let by_key = Grouping::by_key(keys.len(), |place| keys[place]);
            prop_assert_eq!(&one, &by_key);
            let codes: Vec<[u32; 1]> =
                keys.iter().map(|&key| [u32::try_from(key).unwrap()]).collect();
            let cells = PackedCells::from_codes(&[64], &codes);
            prop_assert_eq!(&one, &Grouping::by_place(&cells, &[(0, 63)], 6, parts));
            prop_assert_eq!(one.sorted_in(1), one.sorted_in(parts));
        }

        /// Keys of few bits, of one word, of two and of more, and none.
        #[test]
        fn law_counts_without_numbers(
            records in proptest::collection::vec(
                (proptest::collection::vec(0u32..2, 20), 0u32..5), 0..40),
            variables in proptest::collection::btree_set(0usize..20, 0..20),
        ) {
            let (codes, counts): (Vec<Vec<u32>>, Vec<u32>) = records.into_iter().unzip();
            for set in [variables.iter().copied().collect(), VarSet::first(3), VarSet::first(6)] {
                for levels in [3, 1 << 16] {
                    let cells = PackedCells::from_codes(&[levels; 20], &codes);
                    let grouping = Grouping::of(&cells, set);
                    let mut slow = vec![0u64; grouping.groups()];
                    for (&group, &count) in grouping.group_of().iter().zip(&counts) {
                        slow[group as usize] += u64::from(count);
                    }
                    let mut fast = group_counts(&cells, set, &counts);
                    slow.retain(|&count| count > 0);
                    fast.sort_unstable();
                    slow.sort_unstable();
                    prop_assert_eq!(fast, slow);
                }
            }
        }

        /// All five ways of keying agree with grouping by the codes themselves. Twenty
        /// variables of 2¹⁶ levels fill five words.
        #[test]
        fn groups_are_those_of_the_codes(
            records in proptest::collection::vec(proptest::collection::vec(0u32..2, 20), 0..40),
            variables in proptest::collection::btree_set(0usize..20, 0..20),
        ) {
            let variables: VarSet = variables.into_iter().collect();
            // One or two bits a variable: the table without hashing, for few of them.
            let levels = |variable: usize| 2 + variable % 3;
            let narrow = PackedCells::from_codes(&(0..20).map(levels).collect::<Vec<_>>(), &records);
            let cells = PackedCells::from_codes(&[1 << 16; 20], &records);
            prop_assert_eq!(Grouping::of(&narrow, variables), Grouping::of(&cells, variables));
            let grouping = Grouping::of(&cells, variables);
            let mut numbers: HashMap<Vec<u32>, u32> = HashMap::new();
            for (record, &group) in records.iter().zip(grouping.group_of()) {
                let key: Vec<u32> = variables.iter().map(|variable| record[variable]).collect();
                let next = u32::try_from(numbers.len()).unwrap();
                prop_assert_eq!(*numbers.entry(key).or_insert(next), group);
            }
            prop_assert_eq!(grouping.groups(), numbers.len());
            let (members, starts) = grouping.sorted();
            prop_assert_eq!(members.len(), records.len());
            for group in 0..grouping.groups() {
                let slice = &members[starts[group]..starts[group + 1]];
                prop_assert!(slice.is_sorted());
                prop_assert!(slice.iter().all(|&cell| grouping.group_of()[cell as usize] as usize == group));
            }
        }
    }
}

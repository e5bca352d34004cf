//! The categories of one column: opaque bytes to codes.
//!
//! `007`, `7`, `7.0`, `NA` and the empty string are five categories. A *null* (some
//! formats know it, CSV does not) is a category of its own, different from the empty string.
//! Codes count from 0 in the order of first appearance.
//!
//! The table in which categories are looked up is made when one is, where a dictionary was made of
//! categories that are known to differ: most are never looked up in.
//!
//! Nothing here shows a category: `Debug` prints how many there are.

use std::fmt;
use std::hash::{BuildHasher, Hasher};
use std::ops::Range;
use std::sync::OnceLock;

use hashbrown::HashTable;
use rayon::prelude::*;

use crate::hash::STATE;

/// The categories of one column, each with its code.
#[derive(Clone, Default)]
pub struct Dictionary {
    /// Looks a category up by its bytes: all of them, or none where they are known to differ.
    table: HashTable<Entry>,
    /// The same where that has none, as soon as it is asked for.
    later: OnceLock<HashTable<Entry>>,
    /// All categories' bytes, one after the other.
    bytes: Vec<u8>,
    /// Where the category of each code ends in `bytes`.
    ends: Vec<usize>,
    null: Option<u32>,
}

/// What decides most comparisons without a look into the bytes: the length, the first and
/// the last eight bytes. A category of up to sixteen bytes is decided by them alone.
#[derive(Clone, Copy)]
pub(super) struct Key {
    /// The first eight bytes, filled up with zeros.
    head: u64,
    /// The last eight bytes of a category that is longer than eight, else as `head`.
    tail: u64,
    length: u32,
}

#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub(super) key: Key,
    pub(super) code: u32,
}

impl PartialEq for Key {
    /// In one branch: the words of a key are at hand together.
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        let words = (self.head ^ other.head) | (self.tail ^ other.tail);
        (words | u64::from(self.length ^ other.length)) == 0
    }
}

impl Dictionary {
    /// The dictionary of these categories, which are known to differ: their bytes, and where each
    /// ends among them.
    pub(super) fn of_different(bytes: Vec<u8>, ends: Vec<usize>) -> Self {
        Self { bytes, ends, ..Self::default() }
    }

    /// The code of a category, which is added when it is new.
    ///
    /// # Panics
    /// As [`Dictionary::code_within`].
    pub fn code(&mut self, category: &[u8]) -> u32 {
        self.code_within(category, 0..category.len())
    }

    /// The code of the category that is this range of the bytes. What comes after it is
    /// loaded along with a short category, which is faster than to load it byte by byte,
    /// and has no part in the answer.
    ///
    /// # Panics
    /// When the range is not in the bytes; when there are 2³² categories, or one is longer
    /// than 4 GiB: there are at most 2³² − 1 records, and a reader refuses such a field.
    #[inline]
    pub fn code_within(&mut self, within: &[u8], range: Range<usize>) -> u32 {
        let key = Key::new(within, range.clone());
        let category = &within[range];
        let hash = key.hash(category);
        match self.find_key(key, hash, category) {
            Some(code) => code,
            None => self.add(key, hash, category),
        }
    }

    /// The code of a category with this key, where the codes of these categories are known already
    /// and a new one is added to a dictionary of its own.
    pub(super) fn code_beside(
        &self,
        new: &mut Self,
        key: Key,
        category: &[u8],
    ) -> Result<u32, u32> {
        let hash = key.hash(category);
        match self.find_key(key, hash, category) {
            Some(code) => Ok(code),
            None => Err(new
                .find_key(key, hash, category)
                .unwrap_or_else(|| new.add(key, hash, category))),
        }
    }

    #[inline]
    fn find_key(&self, key: Key, hash: u64, category: &[u8]) -> Option<u32> {
        let Self { table, bytes, ends, .. } = self;
        let found = table.find(hash, |entry| {
            entry.key == key && (key.decides() || slice(bytes, ends, entry.code) == category)
        });
        found.map(|entry| entry.code)
    }

    #[cold]
    fn add(&mut self, key: Key, hash: u64, category: &[u8]) -> u32 {
        if !self.is_tabled() {
            self.table = self.later.take().unwrap_or_else(|| self.all_entries());
            if let Some(code) = self.find_key(key, hash, category) {
                return code;
            }
        }
        let Self { table, bytes, ends, .. } = self;
        let code = next_code(ends);
        table.insert_unique(hash, Entry { key, code }, |entry| {
            entry.key.hash(slice(bytes, ends, entry.code))
        });
        bytes.extend_from_slice(category);
        ends.push(bytes.len());
        code
    }

    /// The code of a null.
    pub fn null_code(&mut self) -> u32 {
        if let Some(code) = self.null {
            return code;
        }
        let code = next_code(&self.ends);
        self.ends.push(self.bytes.len());
        self.null = Some(code);
        code
    }

    /// The code of a category that is there already.
    #[must_use]
    pub fn find(&self, category: &[u8]) -> Option<u32> {
        let key = Key::new(category, 0..category.len());
        let table = match self.is_tabled() {
            true => &self.table,
            false => self.later.get_or_init(|| self.all_entries()),
        };
        let is_it = |entry: &Entry| slice(&self.bytes, &self.ends, entry.code) == category;
        table.find(key.hash(category), is_it).map(|entry| entry.code)
    }

    /// Is this category there already? For a question or two: where there is no table yet, none is
    /// made for it.
    #[must_use]
    pub fn holds(&self, category: &[u8]) -> bool {
        if self.is_tabled() || self.later.get().is_some() {
            return self.find(category).is_some();
        }
        (0..next_code(&self.ends)).any(|code| self.category(code) == Some(category))
    }

    /// Are all categories in the table? The null never is.
    fn is_tabled(&self) -> bool {
        self.table.len() + usize::from(self.null.is_some()) == self.levels()
    }

    /// A table of all categories.
    fn all_entries(&self) -> HashTable<Entry> {
        let Self { bytes, ends, null, .. } = self;
        let hash = |entry: &Entry| entry.key.hash(slice(bytes, ends, entry.code));
        let mut table = HashTable::with_capacity(ends.len());
        for code in (0..next_code(ends)).filter(|&code| *null != Some(code)) {
            let category = slice(bytes, ends, code);
            let entry = Entry { key: Key::new(category, 0..category.len()), code };
            table.insert_unique(hash(&entry), entry, hash);
        }
        table
    }

    /// The code of the null, if it is there already.
    #[must_use]
    pub fn find_null(&self) -> Option<u32> {
        self.null
    }

    /// The bytes of a category; `None` for the null.
    ///
    /// # Panics
    /// When there is no such code.
    #[must_use]
    pub fn category(&self, code: u32) -> Option<&[u8]> {
        (self.null != Some(code)).then(|| slice(&self.bytes, &self.ends, code))
    }

    /// How many categories there are, the null included.
    #[must_use]
    pub fn levels(&self) -> usize {
        self.ends.len()
    }

    /// All codes in the order of their categories' bytes, a null before every other.
    pub(crate) fn order(&self) -> Vec<u32> {
        let levels = next_code(&self.ends);
        if self.is_in_order() {
            return (0..levels).collect();
        }
        // The first eight bytes decide nearly every comparison.
        let head = |code: u32| {
            let category = slice(&self.bytes, &self.ends, code);
            let mut head = [0; 8];
            let length = category.len().min(8);
            head[..length].copy_from_slice(&category[..length]);
            (self.null != Some(code), u64::from_be_bytes(head))
        };
        let mut order: Vec<((bool, u64), u32)> =
            (0..levels).map(|code| (head(code), code)).collect();
        order.par_sort_unstable_by(|(left, one), (right, other)| {
            left.cmp(right).then_with(|| {
                slice(&self.bytes, &self.ends, *one).cmp(slice(&self.bytes, &self.ends, *other))
            })
        });
        order.into_iter().map(|(_, code)| code).collect()
    }

    /// Are the codes in the order of their categories' bytes already, as ids often are?
    fn is_in_order(&self) -> bool {
        let category = |code: u32| slice(&self.bytes, &self.ends, code);
        self.null.is_none_or(|null| null == 0)
            && (1..next_code(&self.ends)).all(|code| {
                category(code - 1) < category(code) || (code == 1 && self.null == Some(0))
            })
    }

    /// The dictionary of the categories of these codes, all different, coded in this order.
    pub(super) fn only(&self, codes: &[u32]) -> Self {
        let mut only = Self::default();
        for (code, &own) in (0u32..).zip(codes) {
            match self.category(own) {
                Some(category) => only.bytes.extend_from_slice(category),
                None => only.null = Some(code),
            }
            only.ends.push(only.bytes.len());
        }
        only
    }

    /// The code of a category of another dictionary, added when it is new.
    pub(super) fn take_over(&mut self, category: Option<&[u8]>) -> u32 {
        match category {
            Some(category) => self.code(category),
            None => self.null_code(),
        }
    }

    /// One dictionary for several parts, in the order of the bytes, and for each part its
    /// codes there: the order of the parts does not matter.
    #[must_use]
    pub fn merged(parts: &[&Self]) -> (Self, Vec<Vec<u32>>) {
        let mut all = Self::default();
        let codes: Vec<Vec<u32>> = parts
            .iter()
            .map(|part| {
                let codes = 0..next_code(&part.ends);
                codes.map(|code| all.take_over(part.category(code))).collect()
            })
            .collect();
        let order = all.order();
        let mut ranks = vec![0; order.len()];
        for (rank, &code) in (0..).zip(&order) {
            ranks[code as usize] = rank;
        }
        let rank = |code: u32| ranks[code as usize];
        let codes = codes.into_iter().map(|codes| codes.into_iter().map(rank).collect());
        (all.only(&order), codes.collect())
    }

    /// Is this the code of a null or of an empty field?
    #[must_use]
    pub fn is_blank(&self, code: u32) -> bool {
        self.category(code).is_none_or(<[u8]>::is_empty)
    }
}

impl fmt::Debug for Dictionary {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Dictionary({} levels)", self.levels())
    }
}

/// The hash of the category that is this range of the bytes.
pub(super) fn hash_of(within: &[u8], range: Range<usize>) -> u64 {
    let key = Key::new(within, range.clone());
    key.hash(&within[range])
}

fn next_code(ends: &[usize]) -> u32 {
    u32::try_from(ends.len()).expect("a column has fewer than 2^32 categories")
}

fn slice<'a>(bytes: &'a [u8], ends: &[usize], code: u32) -> &'a [u8] {
    let code = code as usize;
    let start = if code == 0 { 0 } else { ends[code - 1] };
    &bytes[start..ends[code]]
}

impl Key {
    /// Without branches that depend on the length: the lengths of a column's fields vary
    /// too much to be foretold.
    #[inline]
    pub(super) fn new(within: &[u8], range: Range<usize>) -> Self {
        let category = &within[range.clone()];
        let length = u32::try_from(category.len()).expect("a field is shorter than 4 GiB");
        let Some(first) = within[range.start..].first_chunk() else {
            let number = |head, &byte: &u8| head << 8 | u64::from(byte);
            let head = category.iter().rev().fold(0, number);
            return Self { head, tail: head, length };
        };
        let kept = u64::MAX.unbounded_shr(64 - 8 * length.min(8));
        let last_start = if length > 8 { range.end - 8 } else { range.start };
        let last = within[last_start..].first_chunk().expect("it ends no later than the first");
        let head = u64::from_le_bytes(*first) & kept;
        Self { head, tail: u64::from_le_bytes(*last) & kept, length }
    }

    /// Two multiplications spread a category of up to sixteen bytes well enough for a table
    /// of categories; the length keeps "a" and "a\0" apart.
    #[inline]
    fn hash(self, category: &[u8]) -> u64 {
        if !self.decides() {
            let mut hasher = STATE.build_hasher();
            hasher.write(category);
            return hasher.finish();
        }
        let mixed = self.mixed();
        mixed ^ mixed >> 32
    }

    /// A number whose upper bits are spread well.
    #[inline]
    pub(super) fn mixed(self) -> u64 {
        let tail = self.tail.wrapping_mul(0xd6e8_feb8_6659_fd93).rotate_left(32);
        (self.head ^ tail ^ u64::from(self.length) << 59).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    /// Does the key alone decide which category it is?
    #[inline]
    pub(super) fn decides(self) -> bool {
        self.length <= 16
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_guessed() {
        let mut dictionary = Dictionary::default();
        let categories: [&[u8]; 9] =
            [b"007", b"7", b"7.0", b"NA", b"", b"a", b"a\0", b"12345678", b"123456789"];
        for (code, category) in (0..).zip(categories) {
            assert_eq!(dictionary.code(category), code);
        }
        for (code, category) in (0..).zip(categories) {
            assert_eq!(dictionary.code(category), code);
            assert_eq!(dictionary.find(category), Some(code));
            assert_eq!(dictionary.category(code), Some(category));
        }
        assert_eq!(dictionary.levels(), 9);
    }

    /// Witness for every length around the words of a key, with every kind of neighbour.
    #[test]
    fn neighbours_have_no_part_in_the_answer() {
        let bytes: Vec<u8> = (0..60u8).map(|byte| byte % 3).collect();
        let mut dictionary = Dictionary::default();
        for length in 0..20 {
            for start in 0..=bytes.len() - length {
                let range = start..start + length;
                let within = dictionary.code_within(&bytes, range.clone());
                assert_eq!(dictionary.category(within), Some(&bytes[range.clone()]));
                assert_eq!(dictionary.code(&bytes[range.clone()]), within);
                assert_eq!(dictionary.find(&bytes[range]), Some(within));
            }
        }
        assert_eq!(dictionary.levels(), 1 + 19 * 3);
    }

    #[test]
    fn a_null_is_not_the_empty_string() {
        let mut dictionary = Dictionary::default();
        let empty = dictionary.code(b"");
        let null = dictionary.null_code();
        assert_ne!(empty, null);
        assert_eq!(dictionary.null_code(), null);
        assert_eq!(dictionary.code(b""), empty);
        assert_eq!(dictionary.category(null), None);
        assert!(dictionary.is_blank(null) && dictionary.is_blank(empty));
        assert_eq!(dictionary.levels(), 2);
    }

    #[test]
    fn many_categories_keep_their_codes() {
        let mut dictionary = Dictionary::default();
        for value in 0..50_000u32 {
            assert_eq!(dictionary.code(format!("category {value}").as_bytes()), value);
        }
        for value in (0..50_000u32).rev() {
            assert_eq!(dictionary.code(format!("category {value}").as_bytes()), value);
        }
    }

    /// Witnesses for an order that is there already, with a null and without one, and for others.
    #[test]
    fn the_order_is_that_of_the_bytes() {
        let of = |categories: &[Option<&[u8]>]| {
            let mut dictionary = Dictionary::default();
            categories.iter().for_each(|&category| {
                dictionary.take_over(category);
            });
            dictionary.order()
        };
        assert_eq!(of(&[]), [0u32; 0]);
        assert_eq!(of(&[None, Some(b""), Some(b"a"), Some(b"ab")]), [0, 1, 2, 3]);
        assert_eq!(of(&[Some(b"a"), Some(b"ab"), Some(b"b")]), [0, 1, 2]);
        assert_eq!(of(&[None, Some(b"b"), Some(b"a")]), [0, 2, 1]);
        assert_eq!(of(&[Some(b"a"), None, Some(b"b")]), [1, 0, 2]);
        assert_eq!(of(&[Some(b""), None]), [1, 0]);
        assert_eq!(of(&[Some(b"abcdefgh2"), Some(b"abcdefgh1")]), [1, 0]);
    }

    /// Looked up before it is added to, and added to before it is looked up.
    #[test]
    fn categories_known_to_differ_are_found() {
        let of_three = || {
            let mut dictionary = Dictionary::of_different(b"abcd".to_vec(), vec![1, 1, 4]);
            assert!(dictionary.holds(b"bcd") && dictionary.holds(b"") && !dictionary.holds(b"b"));
            assert_eq!(dictionary.null_code(), 3);
            dictionary
        };
        let mut asked = of_three();
        assert_eq!(
            (asked.find(b"a"), asked.find(b"bcd"), asked.find(b"b")),
            (Some(0), Some(2), None)
        );
        assert!(asked.holds(b"bcd") && !asked.holds(b"b"));
        for dictionary in [&mut asked, &mut of_three()] {
            assert_eq!((dictionary.code(b"bcd"), dictionary.code(b"")), (2, 1));
            assert_eq!((dictionary.code(b"new"), dictionary.null_code()), (4, 3));
            assert_eq!((dictionary.find(b"new"), dictionary.find(b"a")), (Some(4), Some(0)));
            assert_eq!((dictionary.code(b"new"), dictionary.levels()), (4, 5));
        }
    }

    #[test]
    fn debug_shows_no_category() {
        let mut dictionary = Dictionary::default();
        dictionary.code(b"marker");
        assert_eq!(format!("{dictionary:?}"), "Dictionary(1 levels)");
    }
}

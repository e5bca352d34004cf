//! The categories of one column: opaque bytes to codes.
//!
//! `007`, `7`, `7.0`, `NA` and the empty string are five categories. A *null* (Parquet
//! knows it, CSV does not) is a category of its own, different from the empty string.
//! Codes count from 0 in the order of first appearance.
//!
//! Nothing here shows a category: `Debug` prints how many there are.

use std::fmt;
use std::hash::{BuildHasher, Hasher};

use hashbrown::HashTable;

use crate::hash::STATE;

/// The categories of one column, each with its code.
#[derive(Default)]
pub struct Dictionary {
    /// Looks a category up by its bytes.
    table: HashTable<Entry>,
    /// All categories' bytes, one after the other.
    bytes: Vec<u8>,
    /// Where the category of each code ends in `bytes`.
    ends: Vec<usize>,
    null: Option<u32>,
}

/// What decides most comparisons without a look into the bytes: the length and the first
/// eight bytes. A category of up to eight bytes is decided by them alone.
#[derive(Clone, Copy)]
struct Entry {
    head: u64,
    length: u32,
    code: u32,
}

impl Dictionary {
    /// The code of a category, which is added when it is new.
    ///
    /// # Panics
    /// When there are 2³² categories, or one is longer than 4 GiB: there are at most
    /// 2³² − 1 records, and a reader refuses such a field.
    pub fn code(&mut self, category: &[u8]) -> u32 {
        let length = u32::try_from(category.len()).expect("a field is shorter than 4 GiB");
        let head = head(category);
        let Self { table, bytes, ends, .. } = self;
        let slot = table.entry(
            hash(head, category),
            |entry| {
                entry.head == head
                    && entry.length == length
                    && (length <= 8 || slice(bytes, ends, entry.code) == category)
            },
            |entry| hash(entry.head, slice(bytes, ends, entry.code)),
        );
        match slot {
            hashbrown::hash_table::Entry::Occupied(found) => found.get().code,
            hashbrown::hash_table::Entry::Vacant(free) => {
                let code = next_code(ends);
                free.insert(Entry { head, length, code });
                bytes.extend_from_slice(category);
                ends.push(bytes.len());
                code
            }
        }
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
        let head = head(category);
        self.table
            .find(hash(head, category), |entry| {
                slice(&self.bytes, &self.ends, entry.code) == category
            })
            .map(|entry| entry.code)
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

fn next_code(ends: &[usize]) -> u32 {
    u32::try_from(ends.len()).expect("a column has fewer than 2^32 categories")
}

fn slice<'a>(bytes: &'a [u8], ends: &[usize], code: u32) -> &'a [u8] {
    let code = code as usize;
    let start = if code == 0 { 0 } else { ends[code - 1] };
    &bytes[start..ends[code]]
}

/// The first eight bytes as one number, filled up with zeros.
fn head(category: &[u8]) -> u64 {
    match category.first_chunk::<8>() {
        Some(chunk) => u64::from_le_bytes(*chunk),
        None => category.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)),
    }
}

fn hash(head: u64, category: &[u8]) -> u64 {
    if category.len() <= 8 {
        // One multiplication spreads a short category well enough for a table of
        // categories; the length keeps "a" and "a\0" apart.
        let mixed = (head ^ (category.len() as u64) << 59).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        return mixed ^ mixed >> 32;
    }
    let mut hasher = STATE.build_hasher();
    hasher.write(category);
    hasher.finish()
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

    #[test]
    fn debug_shows_no_category() {
        let mut dictionary = Dictionary::default();
        dictionary.code(b"marker");
        assert_eq!(format!("{dictionary:?}"), "Dictionary(1 levels)");
    }
}

//! The few categories of a column, each looked up with one comparison.
//!
//! Most columns have a handful of categories, and every field of the file is looked up. Each has
//! one slot here, which its key gives; of two with the same slot one is left out, and is found in
//! the dictionary as those of longer columns are.
//!
//! Trap: a category of more than sixteen bytes is not decided by its key, so none is here.
//!
//! Way in: [`Quick::find`]. Slow twin: [`Dictionary::find`].

use super::Dictionary;
use super::dictionary::{Entry, Key};

/// Some of the categories of a dictionary, by slot; none where it has many.
#[derive(Default)]
pub(super) struct Quick {
    slots: Vec<Option<Entry>>,
    /// How many categories of the dictionary were looked at.
    known: usize,
}

/// As many as fit the fastest cache together with what is read.
const SLOTS: usize = 1 << 8;

/// A dictionary with more categories has none here: too many would share a slot.
const FEW: usize = SLOTS / 2;

impl Quick {
    /// Takes those categories that the dictionary has got since.
    pub(super) fn learn(&mut self, dictionary: &Dictionary) {
        let levels = dictionary.levels();
        if levels > FEW {
            self.slots = Vec::new();
        } else if levels > self.known {
            self.slots.resize(SLOTS, None);
            for code in (0u32..).take(levels).skip(self.known) {
                let Some(category) = dictionary.category(code) else { continue };
                let key = Key::new(category, 0..category.len());
                if key.decides() {
                    self.slots[slot(key)].get_or_insert(Entry { key, code });
                }
            }
        }
        self.known = levels;
    }

    /// The code of the category with this key, if it is here.
    #[inline]
    pub(super) fn find(&self, key: Key) -> Option<u32> {
        let entry = self.slots.get(slot(key)).copied().flatten()?;
        (entry.key == key).then_some(entry.code)
    }
}

#[inline]
fn slot(key: Key) -> usize {
    const BITS: u32 = SLOTS.trailing_zeros();
    usize::try_from(key.mixed() >> (u64::BITS - BITS)).expect("a slot has few bits")
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;

    proptest! {
        /// Short and long categories in several rounds, up to more than are few.
        #[test]
        fn what_is_found_quickly_is_right(
            rounds in proptest::collection::vec(
                proptest::collection::vec(proptest::collection::vec(0u8..3, 0..20), 0..60), 1..5),
        ) {
            let (mut dictionary, mut quick) = (Dictionary::default(), Quick::default());
            for round in rounds {
                for category in &round {
                    let key = Key::new(category, 0..category.len());
                    if let Some(code) = quick.find(key) {
                        prop_assert_eq!(dictionary.find(category), Some(code));
                    }
                    dictionary.code(category);
                }
                quick.learn(&dictionary);
                prop_assert_eq!(quick.slots.is_empty(), dictionary.levels() > FEW || dictionary.levels() == 0);
            }
        }
    }

    /// Witness: few short categories are nearly all here.
    #[test]
    fn short_categories_are_found() {
        let mut dictionary = Dictionary::default();
        for value in 0..40 {
            dictionary.code(format!("{value}-{}", value + 4).as_bytes());
        }
        dictionary.code(b"more than sixteen bytes");
        let mut quick = Quick::default();
        quick.learn(&dictionary);
        let key = |code: u32| {
            let category = dictionary.category(code).unwrap();
            Key::new(category, 0..category.len())
        };
        assert!((0..40).filter(|&code| quick.find(key(code)) == Some(code)).count() > 30);
        assert_eq!(quick.find(key(40)), None);
    }
}

//! Which variables differ, in a few instructions a word.
//!
//! The *signature* of two packed cells has, in each word, the top bit of every field in
//! which they differ. With x the XOR of two words, H the top bits of its fields and L the
//! other bits of them, (x & L) + L carries into a field's top bit exactly when a lower bit
//! of it is set, and never further: the signature is (((x & L) + L) | x) & H.
//!
//! Way in: [`Signer::of`]. Slow twin: [`Layout::differing`], which looks at every field.

use super::{Layout, ones};
use crate::varset::VarSet;

/// Computes signatures of cells of one layout.
#[derive(Debug, Clone)]
pub(crate) struct Signer {
    tops: Vec<u64>,
    others: Vec<u64>,
    /// The variable of each top bit, 64 entries a word.
    variables: Vec<u16>,
}

impl Signer {
    /// The signer of a layout.
    pub(crate) fn of(layout: &Layout) -> Self {
        let words = layout.words();
        let (mut tops, mut others) = (vec![0u64; words], vec![0u64; words]);
        let mut variables = vec![0; words * 64];
        for variable in 0..layout.variables() {
            let mask = layout.mask(VarSet::single(variable));
            let Some(word) = mask.words().iter().position(|&bits| bits != 0) else { continue };
            let top = 63 - mask.words()[word].leading_zeros() as usize;
            tops[word] |= 1 << top;
            others[word] |= mask.words()[word] & !(1 << top);
            variables[word * 64 + top] =
                u16::try_from(variable).expect("there are at most 256 variables");
        }
        Self { tops, others, variables }
    }

    /// How many words a signature has.
    pub(crate) fn words(&self) -> usize {
        self.tops.len()
    }

    /// One word of the signature of two cells.
    pub(crate) fn word(&self, word: usize, left: u64, right: u64) -> u64 {
        let differing = left ^ right;
        let others = self.others[word];
        (((differing & others) + others) | differing) & self.tops[word]
    }

    /// Δ̄: the variables in which two cells differ.
    pub(crate) fn differing(&self, left: &[u64], right: &[u64]) -> VarSet {
        let words = left.iter().zip(right).enumerate();
        self.of_words(words.map(|(word, (&left, &right))| self.word(word, left, right)))
    }

    /// The signature of two cells that differ in just these variables.
    pub(crate) fn signature(&self, differing: VarSet) -> Vec<u64> {
        let of_word = |(&tops, variables): (&u64, &[u16])| {
            let differ = ones(tops).filter(|&top| differing.contains(variables[top].into()));
            differ.fold(0, |signature, top| signature | 1 << top)
        };
        self.tops.iter().zip(self.variables.chunks_exact(64)).map(of_word).collect()
    }

    /// Have two cells this signature?
    #[inline]
    pub(crate) fn is_signature(&self, signature: &[u64], left: &[u64], right: &[u64]) -> bool {
        let words = left.iter().zip(right).zip(signature).enumerate();
        let mut same = words.map(|(at, ((&one, &other), &word))| self.word(at, one, other) == word);
        same.all(|is_same| is_same)
    }

    /// In how many variables two cells differ.
    pub(crate) fn distance(&self, left: &[u64], right: &[u64]) -> usize {
        let words = left.iter().zip(right).enumerate();
        words
            .map(|(word, (&left, &right))| self.word(word, left, right).count_ones() as usize)
            .sum()
    }

    /// Δ̄, from a signature.
    pub(crate) fn variables(&self, signature: &[u64]) -> VarSet {
        self.of_words(signature.iter().copied())
    }

    fn of_words(&self, signature: impl Iterator<Item = u64>) -> VarSet {
        let mut set = VarSet::EMPTY;
        for (word, bits) in signature.enumerate() {
            for top in ones(bits) {
                set.insert(self.variables[word * 64 + top].into());
            }
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::PackedCells;

    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_signature_tells_what_differs(
            levels in proptest::collection::vec(
                prop_oneof![1usize..9, Just(1usize << 20), Just(1usize << 32)], 1..60),
            seed in any::<u64>(),
        ) {
            let code = |record: u64, variable: usize| {
                let mixed = (seed ^ record).wrapping_add(variable as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                u32::try_from((mixed >> 20) % levels[variable] as u64).unwrap()
            };
            let cells: Vec<Vec<u32>> =
                (0..2).map(|record| (0..levels.len()).map(|variable| code(record, variable)).collect()).collect();
            let packed = PackedCells::from_codes(&levels, &cells);
            let signer = Signer::of(packed.layout());
            let signature: Vec<u64> = (0..signer.words())
                .map(|word| signer.word(word, packed.get(0)[word], packed.get(1)[word]))
                .collect();
            let differing = packed.differing(0, 1);
            prop_assert_eq!(signer.variables(&signature), differing);
            prop_assert_eq!(signer.differing(packed.get(0), packed.get(1)), differing);
            prop_assert_eq!(&signer.signature(differing), &signature);
            let (left, right) = (packed.get(0), packed.get(1));
            prop_assert!(signer.is_signature(&signature, left, right));
            prop_assert_eq!(signer.is_signature(&signature, left, left), differing.is_empty());
            prop_assert_eq!(signer.distance(packed.get(0), packed.get(1)), differing.len());
        }
    }
}

//! Subsets of the variables, as bits.
//!
//! A [`VarSet`] is a plain value: copying, comparing, intersecting cost a few machine
//! instructions, so the graph algorithms work on sets and never on lists. Variables are
//! numbered from 0 in the order of the file's columns.
//!
//! Edge case: the order of two sets is by size first, then by their members, so that a
//! sorted list of separators begins with the smallest.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{BitAnd, BitOr, BitOrAssign, Sub};

/// How many variables may take part at once.
pub const MAX_VARIABLES: usize = 256;

const WORDS: usize = MAX_VARIABLES / 64;

/// A set of variables (the paper's Δ, D, E, S, γ and Δ̄ are all of this type).
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct VarSet {
    words: [u64; WORDS],
}

impl VarSet {
    /// The empty set.
    pub const EMPTY: Self = Self { words: [0; WORDS] };

    /// The set that holds `variable` alone.
    #[must_use]
    pub fn single(variable: usize) -> Self {
        let mut set = Self::EMPTY;
        set.insert(variable);
        set
    }

    /// The variables 0 … `count` − 1.
    #[must_use]
    pub fn first(count: usize) -> Self {
        (0..count).collect()
    }

    /// Adds one variable.
    ///
    /// # Panics
    /// When `variable` is not below [`MAX_VARIABLES`].
    pub fn insert(&mut self, variable: usize) {
        assert!(variable < MAX_VARIABLES, "a variable's number is below MAX_VARIABLES");
        self.words[variable / 64] |= 1 << (variable % 64);
    }

    /// Takes one variable out, if it is there.
    pub fn remove(&mut self, variable: usize) {
        self.words[variable / 64] &= !(1 << (variable % 64));
    }

    /// Is `variable` in the set?
    #[must_use]
    pub fn contains(&self, variable: usize) -> bool {
        self.words[variable / 64] >> (variable % 64) & 1 == 1
    }

    /// Is there no variable in it?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::EMPTY
    }

    /// How many variables it holds.
    #[must_use]
    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Is every member also in `other`?
    #[must_use]
    pub fn is_subset(&self, other: &Self) -> bool {
        (*self - *other).is_empty()
    }

    /// Do the two sets share a member?
    #[must_use]
    pub fn meets(&self, other: &Self) -> bool {
        !(*self & *other).is_empty()
    }

    /// The member with the lowest number.
    #[must_use]
    pub fn lowest(&self) -> Option<usize> {
        self.iter().next()
    }

    /// The members in rising order.
    pub fn iter(&self) -> Members {
        Members { left: self.words, word: 0 }
    }

    /// Every subset of this set, the empty one and the whole one included.
    ///
    /// # Panics
    /// When the set holds more than 63 variables: nobody could wait for the answer.
    pub fn subsets(&self) -> impl Iterator<Item = VarSet> + use<> {
        let members: Vec<usize> = self.iter().collect();
        assert!(members.len() < 64, "the subsets of at most 63 variables are listed");
        (0..1u64 << members.len()).map(move |bits| {
            members
                .iter()
                .enumerate()
                .filter(|(position, _)| bits >> position & 1 == 1)
                .map(|(_, &member)| member)
                .collect()
        })
    }
}

/// The members of a [`VarSet`], lowest first.
#[derive(Debug, Clone)]
pub struct Members {
    left: [u64; WORDS],
    word: usize,
}

impl Iterator for Members {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        while self.word < WORDS {
            let bits = &mut self.left[self.word];
            if *bits != 0 {
                let bit = bits.trailing_zeros() as usize;
                *bits &= *bits - 1;
                return Some(self.word * 64 + bit);
            }
            self.word += 1;
        }
        None
    }
}

impl IntoIterator for VarSet {
    type Item = usize;
    type IntoIter = Members;

    fn into_iter(self) -> Members {
        self.iter()
    }
}

impl FromIterator<usize> for VarSet {
    fn from_iter<I: IntoIterator<Item = usize>>(variables: I) -> Self {
        let mut set = Self::EMPTY;
        for variable in variables {
            set.insert(variable);
        }
        set
    }
}

impl<const N: usize> From<[usize; N]> for VarSet {
    fn from(variables: [usize; N]) -> Self {
        variables.into_iter().collect()
    }
}

macro_rules! bitwise {
    ($trait:ident, $method:ident, $combine:expr) => {
        impl $trait for VarSet {
            type Output = VarSet;

            fn $method(self, other: VarSet) -> VarSet {
                let combine: fn(u64, u64) -> u64 = $combine;
                let mut words = [0; WORDS];
                for (word, (&left, &right)) in
                    words.iter_mut().zip(self.words.iter().zip(&other.words))
                {
                    *word = combine(left, right);
                }
                VarSet { words }
            }
        }
    };
}

bitwise!(BitAnd, bitand, |left, right| left & right);
bitwise!(BitOr, bitor, |left, right| left | right);
bitwise!(Sub, sub, |left, right| left & !right);

impl BitOrAssign for VarSet {
    fn bitor_assign(&mut self, other: Self) {
        *self = *self | other;
    }
}

impl Hash for VarSet {
    /// One word is hashed: with up to 64 variables it is the set itself.
    fn hash<H: Hasher>(&self, state: &mut H) {
        let folded = (1..WORDS).fold(self.words[0], |folded, word| {
            folded ^ self.words[word].wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(21)
        });
        state.write_u64(folded);
    }
}

impl Ord for VarSet {
    fn cmp(&self, other: &Self) -> Ordering {
        self.len().cmp(&other.len()).then_with(|| self.iter().cmp(other.iter()))
    }
}

impl PartialOrd for VarSet {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Debug for VarSet {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    fn set(of: &BTreeSet<usize>) -> VarSet {
        of.iter().copied().collect()
    }

    proptest! {
        #[test]
        fn agrees_with_a_tree_set(
            left in proptest::collection::btree_set(0..MAX_VARIABLES, 0..20),
            right in proptest::collection::btree_set(0..MAX_VARIABLES, 0..20),
        ) {
            prop_assert_eq!(set(&left) & set(&right), left.intersection(&right).copied().collect());
            prop_assert_eq!(set(&left) | set(&right), left.union(&right).copied().collect());
            prop_assert_eq!(set(&left) - set(&right), left.difference(&right).copied().collect());
            prop_assert_eq!(set(&left).iter().collect::<BTreeSet<_>>(), left.clone());
            prop_assert_eq!(set(&left).len(), left.len());
            prop_assert_eq!(set(&left).is_subset(&set(&right)), left.is_subset(&right));
            prop_assert_eq!(set(&left).meets(&set(&right)), !left.is_disjoint(&right));
        }
    }

    #[test]
    fn holds_the_first_and_the_last_variable() {
        let ends = VarSet::from([0, 63, 64, MAX_VARIABLES - 1]);
        assert_eq!(ends.iter().collect::<Vec<_>>(), [0, 63, 64, MAX_VARIABLES - 1]);
    }

    #[test]
    fn smaller_sets_come_first() {
        let mut sets =
            [VarSet::from([1, 2]), VarSet::from([9]), VarSet::EMPTY, VarSet::from([0, 7])];
        sets.sort();
        assert_eq!(
            sets,
            [VarSet::EMPTY, VarSet::from([9]), VarSet::from([0, 7]), VarSet::from([1, 2])]
        );
    }

    #[test]
    fn lists_every_subset_once() {
        let subsets: BTreeSet<VarSet> = VarSet::from([1, 4, 200]).subsets().collect();
        assert_eq!(subsets.len(), 8);
    }
}

//! Sets of variables as numbers of 64 bits, where that is enough.
//!
//! One bit for each variable that has two values or more: no two cells differ in another one.
//!
//! Way in: [`Bits::new`].

use super::{Layout, Signer};
use crate::varset::VarSet;

/// Variables that have two values or more, as bits.
pub(crate) struct Bits {
    signer: Signer,
    /// The bit of each top bit of a signature, 64 entries a word.
    of_top: Vec<u8>,
    variables: Vec<usize>,
    /// Where each lies in a packed cell.
    fields: Vec<(usize, u64)>,
}

impl Bits {
    /// The most variables that are bits of one number.
    pub(crate) const MOST: usize = 64;

    /// The bits of some variables; `Err` with their number when these are too many.
    pub(crate) fn new(layout: &Layout, variables: VarSet) -> Result<Self, usize> {
        let mut bits = Self {
            signer: Signer::of(layout),
            of_top: vec![0; layout.words() * 64],
            variables: Vec::new(),
            fields: Vec::new(),
        };
        for variable in variables {
            let mask = layout.mask(VarSet::single(variable));
            let Some(word) = mask.words().iter().position(|&bits| bits != 0) else { continue };
            let top = 63 - mask.words()[word].leading_zeros() as usize;
            bits.of_top[word * 64 + top] =
                u8::try_from(bits.variables.len()).expect("there are at most 256 variables");
            bits.variables.push(variable);
            bits.fields.push((word, mask.words()[word]));
        }
        if bits.variables.len() > Self::MOST { Err(bits.variables.len()) } else { Ok(bits) }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.variables.len()
    }

    /// How many bits of a packed cell hold a variable.
    pub(crate) fn width(&self, bit: usize) -> u32 {
        self.fields[bit].1.count_ones()
    }

    /// All of them.
    pub(crate) fn all(&self) -> u64 {
        if self.len() == 64 { u64::MAX } else { (1 << self.len()) - 1 }
    }

    /// The weight of each.
    pub(crate) fn weights(&self, weights: &[u64]) -> Vec<u64> {
        self.variables.iter().map(|&variable| weights[variable]).collect()
    }

    /// A set of variables as bits; others do not count.
    pub(crate) fn of(&self, set: VarSet) -> u64 {
        (0..self.len())
            .filter(|&bit| set.contains(self.variables[bit]))
            .fold(0, |bits, bit| bits | 1 << bit)
    }

    /// Bits as a set of variables.
    pub(crate) fn set(&self, bits: u64) -> VarSet {
        ones(bits).map(|bit| self.variables[bit]).collect()
    }

    /// In how many variables two cells differ.
    pub(crate) fn distance(&self, left: &[u64], right: &[u64]) -> usize {
        self.signer.distance(left, right)
    }

    /// The variables in which two cells differ.
    pub(crate) fn differing(&self, left: &[u64], right: &[u64]) -> u64 {
        let mut bits = 0;
        for (word, (&left, &right)) in left.iter().zip(right).enumerate() {
            for top in ones(self.signer.word(word, left, right)) {
                bits |= 1 << self.of_top[word * 64 + top];
            }
        }
        bits
    }

    /// Puts the values that one cell has on some variables into another cell.
    pub(crate) fn put(&self, bits: u64, from: &[u64], into: &mut [u64]) {
        for bit in ones(bits) {
            let (word, mask) = self.fields[bit];
            into[word] = (into[word] & !mask) | (from[word] & mask);
        }
    }

    /// Do two cells agree on some variables?
    pub(crate) fn agree(&self, bits: u64, left: &[u64], right: &[u64]) -> bool {
        ones(bits).all(|bit| {
            let (word, mask) = self.fields[bit];
            (left[word] ^ right[word]) & mask == 0
        })
    }
}

/// The places of the ones of a number.
pub(crate) fn ones(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (bits != 0).then(|| {
            let bit = bits.trailing_zeros() as usize;
            bits &= bits - 1;
            bit
        })
    })
}

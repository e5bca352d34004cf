//! Hash tables with a fixed state, and numbers that decide by chance.
//!
//! The same input meets the same table layout in every run. Their order never reaches an
//! output: what is listed is sorted or kept in file order.
//!
//! Trap: the hash function of the tables gives other numbers on machines of 32 bits. A number
//! that decides something comes from [`chance`], which is the same everywhere.

use std::hash::{Hash, Hasher};

use foldhash::fast::FixedState;

/// A map whose hashing does not differ from run to run.
pub type Map<K, V> = hashbrown::HashMap<K, V, FixedState>;

/// A set whose hashing does not differ from run to run.
pub type Set<K> = hashbrown::HashSet<K, FixedState>;

/// The state of both.
pub const STATE: FixedState = FixedState::with_seed(0x6d61_7267_696e);

/// A number that follows from other numbers as if by chance, the same on every machine.
#[must_use]
pub fn chance(of: impl Hash) -> u64 {
    let mut mixer = Mixer { mixed: MIXED_FIRST, waiting: 0, bits: 0 };
    of.hash(&mut mixer);
    mixer.finish()
}

/// A number that is the same for the same words, on every machine, and nearly always another one
/// for others.
#[must_use]
#[inline]
pub fn mixed(words: impl IntoIterator<Item = u64>) -> u64 {
    words.into_iter().fold(MIXED_FIRST, |mixed, word| {
        let [low, high] = halves(u128::from(word ^ mixed) * u128::from(MIXED_WITH));
        low ^ high
    })
}

/// Which of the shares of all hashes this one belongs to. The middle bits decide: a table uses the
/// others.
pub(crate) fn share_of(hash: u64, shares: usize) -> usize {
    let middle = usize::try_from(hash >> 24 & 0xff_ffff).expect("24 bits fit");
    (middle * shares) >> 24
}

const MIXED_FIRST: u64 = 0x6d61_7267_696e ^ 0x082e_fa98_ec4e_6c89;
const MIXED_WITH: u64 = 0xc0ac_29b7_c97c_50dd;

/// What [`STATE`] makes of numbers on machines of 64 bits.
struct Mixer {
    mixed: u64,
    /// Numbers that are not mixed in yet, and how many bits they take.
    waiting: u128,
    bits: u32,
}

impl Mixer {
    fn take(&mut self, number: u64, bits: u32) {
        if self.bits + bits > u128::BITS {
            self.mixed = self.finish();
            (self.waiting, self.bits) = (number.into(), bits);
        } else {
            self.waiting |= u128::from(number) << self.bits;
            self.bits += bits;
        }
    }
}

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        if self.bits == 0 {
            return self.mixed;
        }
        let [low, high] = halves(self.waiting);
        let [low, high] = halves(u128::from(low ^ self.mixed) * u128::from(high ^ MIXED_WITH));
        low ^ high
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("chance follows from whole numbers alone");
    }

    fn write_u32(&mut self, number: u32) {
        self.take(number.into(), 32);
    }

    fn write_u64(&mut self, number: u64) {
        self.take(number, 64);
    }

    fn write_usize(&mut self, number: usize) {
        self.take(number as u64, 64);
    }
}

fn halves(number: u128) -> [u64; 2] {
    [0, 64].map(|by| {
        u64::try_from(number >> by & u128::from(u64::MAX)).expect("half of the bits are left")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::varset::VarSet;

    /// The numbers of the machines on which the first plans were made.
    #[test]
    fn chance_is_the_same_on_every_machine() {
        assert_eq!(chance(()), MIXED_FIRST);
        assert_eq!(chance(7u64), 0xcbba_6a18_bbab_2656);
        assert_eq!(chance((7u64, 3u32, 5usize)), 0x9e2b_4060_ae38_863b);
        assert_eq!(chance((7u64, (1usize, 2usize, VarSet::from([0, 70])))), 0x5b3a_b42d_6210_b335);
    }

    /// All bits of all words count: of a million small numbers hardly two share their upper half.
    #[test]
    fn words_are_mixed_well() {
        for place in 0..3 {
            for shift in [0, 20, 44] {
                let words = (0..1u64 << 20).map(|number| {
                    let mut words = [1, 2, 3];
                    words[place] = number << shift;
                    mixed(words) >> 32
                });
                let different: Set<u64> = words.collect();
                // By chance 2²⁰ numbers of 32 bits hold about 128 pairs.
                assert!(different.len() > (1 << 20) - 400, "{place} {shift}: {}", different.len());
            }
        }
        assert_eq!(mixed([]), MIXED_FIRST);
        assert_ne!(mixed([1, 2]), mixed([2, 1]));
    }

    /// Where machines have 64 bits it is the hash of the tables, as it always was.
    #[cfg(target_pointer_width = "64")]
    #[test]
    fn chance_is_the_hash_of_64_bits() {
        use crate::random::{Random, Seed};
        use std::hash::BuildHasher;
        let random = &mut Random::new(Seed([1; 32]), 0);
        for _ in 0..1000 {
            let (salt, left, right) = (random.bits(), random.below(1 << 30), random.below(99));
            let place = u32::try_from(random.below(1 << 31)).unwrap();
            let set: VarSet = (0..200).filter(|_| random.below(9) == 0).collect();
            let swap = (salt, (left, right, set));
            assert_eq!(chance(swap), STATE.hash_one(swap));
            assert_eq!(chance((salt, place, left)), STATE.hash_one((salt, place, left)));
            assert_eq!(chance((salt, left, place)), STATE.hash_one((salt, left, place)));
            assert_eq!(chance((salt, place, set)), STATE.hash_one((salt, place, set)));
            assert_eq!(chance((salt, left)), STATE.hash_one((salt, left)));
        }
    }
}

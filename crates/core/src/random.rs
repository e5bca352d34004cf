//! Randomness that gives the same choices on every platform and in every version.
//!
//! ChaCha20 gives the stream; range and shuffle are our own, because a library may change
//! how it draws a number from a stream, and a plan made from a stored seed must come out
//! the same for ever. The seed comes from outside: this crate asks no operating system.

use std::collections::BTreeMap;
use std::fmt;

use rand::rngs::ChaCha20Rng;
use rand::{Rng, SeedableRng};

/// A seed: anyone who has it can repeat every choice, so it is as secret as the plan.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Seed(pub [u8; 32]);

impl fmt::Debug for Seed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Seed(secret)")
    }
}

/// A stream of random numbers.
pub struct Random(ChaCha20Rng);

/// The same stream from the same place on.
impl Clone for Random {
    fn clone(&self) -> Self {
        Self(ChaCha20Rng::deserialize_state(&self.0.serialize_state()))
    }
}

impl Random {
    /// The stream of a seed. Each task takes a stream of its own, by number, so that one
    /// task's draws never shift another's.
    #[must_use]
    pub fn new(seed: Seed, task: u64) -> Self {
        let mut generator = ChaCha20Rng::from_seed(seed.0);
        generator.set_stream(task);
        Self(generator)
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Another seed, for a task that draws streams of its own.
    pub fn seed(&mut self) -> Seed {
        let mut bytes = [0; 32];
        for eight in bytes.chunks_exact_mut(8) {
            eight.copy_from_slice(&self.bits().to_le_bytes());
        }
        Seed(bytes)
    }

    /// A number below `bound`, each with the same probability.
    ///
    /// # Panics
    /// When `bound` is 0: there is no such number.
    pub fn below(&mut self, bound: usize) -> usize {
        assert!(bound > 0, "a number below 0 is asked for");
        let bound = bound as u64;
        // Lemire's method: the high word of bits × bound, drawn again where the low word
        // would favour some numbers. Nearly always it is so large that no division is needed.
        loop {
            let product = u128::from(self.bits()) * u128::from(bound);
            let low = product & u128::from(u64::MAX);
            let is_large = low >= u128::from(bound);
            if is_large || low >= u128::from(bound.wrapping_neg() % bound) {
                return usize::try_from(product >> 64).expect("the number is below the bound");
            }
        }
    }

    /// Puts a slice into random order, each order with the same probability.
    pub fn shuffle<T>(&mut self, slice: &mut [T]) {
        for last in (1..slice.len()).rev() {
            slice.swap(last, self.below(last + 1));
        }
    }

    /// What [`Random::shuffle`] puts into the last places of the numbers below a length, the last
    /// one first, without a look at the others.
    pub fn last_of_shuffled(&mut self, length: usize, places: usize) -> Vec<usize> {
        let mut moved = BTreeMap::new();
        let lasts = (1..length).rev().take(places);
        lasts
            .map(|last| {
                let at = |place: usize, moved: &BTreeMap<usize, usize>| {
                    moved.get(&place).copied().unwrap_or(place)
                };
                let drawn = self.below(last + 1);
                let found = at(drawn, &moved);
                moved.insert(drawn, at(last, &moved));
                found
            })
            .collect()
    }
}

impl fmt::Debug for Random {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Random(secret)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEED: Seed = Seed([7; 32]);

    #[test]
    fn the_last_places_are_those_of_the_whole_order() {
        for length in 0..40 {
            let mut all: Vec<usize> = (0..length).collect();
            Random::new(SEED, 1).shuffle(&mut all);
            for places in 0..40 {
                let last = Random::new(SEED, 1).last_of_shuffled(length, places);
                assert_eq!(last.len(), places.min(length.saturating_sub(1)));
                assert!(last.iter().eq(all.iter().rev().take(last.len())), "{length} {places}");
            }
        }
    }

    /// These values may never change: plans are repeated from stored seeds. They were computed
    /// from the published definition of ChaCha20 by a program of its own.
    #[test]
    fn the_choices_of_a_seed_are_fixed() {
        let mut random = Random::new(SEED, 0);
        let drawn: Vec<usize> = (0..8).map(|_| random.below(1000)).collect();
        let mut order: Vec<usize> = (0..8).collect();
        random.shuffle(&mut order);
        assert_eq!(drawn, [257, 439, 342, 897, 135, 463, 669, 421]);
        assert_eq!(order, [5, 4, 6, 3, 0, 1, 2, 7]);
    }

    #[test]
    fn tasks_have_streams_of_their_own() {
        let bits = |task| Random::new(SEED, task).bits();
        assert_ne!(bits(0), bits(1));
        assert_eq!(bits(1), bits(1));
    }

    #[test]
    fn a_clone_goes_on_from_the_same_place() {
        let mut random = Random::new(SEED, 3);
        for drawn in 0..70 {
            let mut clone = random.clone();
            let mut next = random.clone();
            let bits: Vec<u64> = (0..40).map(|_| clone.bits()).collect();
            assert_eq!((0..40).map(|_| next.bits()).collect::<Vec<_>>(), bits);
            assert_eq!(random.bits(), bits[0], "after {drawn} draws");
        }
    }

    #[test]
    fn every_number_and_every_order_is_drawn_equally_often() {
        let mut random = Random::new(SEED, 2);
        let mut counts = [0u32; 6];
        let mut orders = std::collections::BTreeMap::new();
        for _ in 0..60_000 {
            counts[random.below(6)] += 1;
            let mut order = [0, 1, 2];
            random.shuffle(&mut order);
            *orders.entry(order).or_insert(0u32) += 1;
        }
        // Five standard deviations around 10,000.
        let fair = |count: &u32| (9_540..10_460).contains(count);
        assert!(counts.iter().all(fair), "{counts:?}");
        assert!(orders.len() == 6 && orders.values().all(fair), "{orders:?}");
    }

    #[test]
    fn nothing_shows_a_seed() {
        assert_eq!(format!("{SEED:?} {:?}", Random::new(SEED, 0)), "Seed(secret) Random(secret)");
    }
}

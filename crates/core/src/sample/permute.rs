//! A random permutation in each slice, with the weight λ^(−rows moved): exact, and the same for
//! every number of threads.
//!
//! A permutation with f rows in place has weight λ^f. Holding j rows, j being Poisson(λ−1) given
//! that it is at most m, and permuting the others uniformly, in-place rows allowed, has this law:
//! Σ_j C(f,j)·(λ−1)^j = λ^f.
//!
//! Trap: drawing the others again because one of them stayed in its place gives another law.
//!
//! Way in: [`permutation`]. Slow twin: [`crate::oracle::permutations`]. Reference of the
//! Poisson numbers: Duchon & Duvignau (2016).

use rayon::prelude::*;

use super::Lambda;
use crate::random::{Random, Seed};

/// Rows of slices that one stream permutes one after the other. A slice that is larger is permuted
/// by many.
const IN_ONE_STREAM: usize = 1 << 16;

/// Into this many parts a large slice is scattered.
const PARTS: usize = 256;

/// How many rows of a slice are held in their places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeldRows(pub u64);

/// For each row, in slices of these sizes one after the other, the row whose place it takes.
/// `lambda` is the weight for a slice of a size.
///
/// Law: `permutations-have-the-weights`.
///
/// # Panics
/// When there are 2³² rows or more.
#[must_use]
pub fn permutation(sizes: &[u32], lambda: impl Fn(u32) -> Lambda + Sync, seed: Seed) -> Vec<u32> {
    let rows: usize = sizes.iter().map(|&size| size as usize).sum();
    assert!(u32::try_from(rows).is_ok(), "rows have numbers of 32 bits");
    let mut moved: Vec<u32> = vec![0; rows];
    let mut blocks: Vec<(&[u32], u32, &mut [u32])> = Vec::new();
    let (mut sizes, mut places, mut first) = (sizes, &mut moved[..], 0u32);
    while !sizes.is_empty() {
        let mut held = 0;
        let mut within = |size: &u32| {
            held += *size as usize;
            held <= IN_ONE_STREAM
        };
        let number = sizes.iter().map_while(|size| within(size).then_some(())).count().max(1);
        let (these, others) = sizes.split_at(number);
        let length: u32 = these.iter().sum();
        let (here, rest) = places.split_at_mut(length as usize);
        blocks.push((these, first, here));
        (sizes, places, first) = (others, rest, first + length);
    }
    blocks.into_par_iter().enumerate().for_each(|(number, (sizes, mut first, mut places))| {
        let random = &mut Random::new(seed, number as u64);
        for &size in sizes {
            let (here, rest) = places.split_at_mut(size as usize);
            permute(here, first, lambda(size), random);
            (places, first) = (rest, first + size);
        }
    });
    moved
}

/// Permutes one slice, whose first row has this number.
fn permute(places: &mut [u32], first: u32, lambda: Lambda, random: &mut Random) {
    let rows = first..;
    if places.len() < 2 {
        places.iter_mut().zip(rows).for_each(|(place, row)| *place = row);
        return;
    }
    let HeldRows(held) = held_rows(lambda, places.len() as u64, random);
    let held = usize::try_from(held).expect("no more rows are held than there are");
    let mut shuffled: Vec<u32> = rows.take(places.len()).collect();
    if shuffled.len() > IN_ONE_STREAM {
        shuffled = scattered(&shuffled, random.seed());
    } else {
        random.shuffle(&mut shuffled);
    }
    if held == 0 {
        places.copy_from_slice(&shuffled);
        return;
    }
    // The first of a random order are held; the others go, in that order, to each other's places.
    let mut is_held = vec![false; places.len()];
    let (holding, going) = shuffled.split_at(held);
    for &row in holding {
        is_held[(row - first) as usize] = true;
    }
    let mut going = going.iter();
    for ((place, row), is_held) in places.iter_mut().zip(first..).zip(is_held) {
        *place = if is_held { row } else { *going.next().expect("all others go somewhere") };
    }
}

/// A uniformly random order of many rows: each is thrown into a part, and each part is shuffled.
fn scattered(rows: &[u32], seed: Seed) -> Vec<u32> {
    let throw = |(number, rows): (usize, &[u32])| {
        let random = &mut Random::new(seed, number as u64);
        let mut parts: Vec<Vec<u32>> = vec![Vec::new(); PARTS];
        for eight in rows.chunks(8) {
            for (row, part) in eight.iter().zip(random.bits().to_le_bytes()) {
                parts[usize::from(part)].push(*row);
            }
        }
        parts
    };
    let thrown: Vec<Vec<Vec<u32>>> =
        rows.par_chunks(IN_ONE_STREAM).enumerate().map(throw).collect();
    let streams = thrown.len() as u64;
    let shuffled = |part: usize| {
        let mut rows: Vec<u32> =
            thrown.iter().flat_map(|parts| parts[part].iter().copied()).collect();
        Random::new(seed, streams + part as u64).shuffle(&mut rows);
        rows
    };
    (0..PARTS).into_par_iter().flat_map_iter(shuffled).collect()
}

/// How many rows of a slice are held: j ~ Poisson(λ−1), given j ≤ rows.
///
/// Law: `held-rows-have-their-law`.
///
/// # Panics
/// When there are 2³² rows or more.
#[must_use]
pub fn held_rows(lambda: Lambda, rows: u64, random: &mut Random) -> HeldRows {
    assert!(u32::try_from(rows).is_ok(), "a slice has fewer than 2^32 rows");
    let (mean, one) = lambda.above_one();
    if mean == 0 {
        return HeldRows(0);
    }
    let rows_in_ones = u128::from(rows) * one;
    // Both ways have the same law. The first is quick while the mean is at most a little above the
    // number of rows, the second beyond.
    let beyond = mean.saturating_sub(rows_in_ones) / one;
    if beyond.saturating_mul(beyond) <= u128::from(rows) {
        loop {
            let held = poisson(mean, one, random);
            if held <= rows {
                return HeldRows(held);
            }
        }
    }
    let spare = mean - rows_in_ones;
    loop {
        let mut free = 0u64;
        while chance(u128::from(rows - free) * one, mean, random) {
            free += 1;
        }
        if chance(spare, spare + u128::from(free) * one, random) {
            return HeldRows(rows - free);
        }
    }
}

/// A Poisson number with mean `numerator` / `one`, where `one` is 2³².
fn poisson(numerator: u128, one: u128, random: &mut Random) -> u64 {
    let mut sum = (0..numerator / one).map(|_| poisson_of_one(random)).sum();
    let rest = numerator % one;
    if rest > 0 {
        // Each of a Poisson number of things is kept with this probability.
        let kept = |random: &mut Random| u128::from(random.bits() >> 32) < rest;
        sum += (0..poisson_of_one(random)).filter(|_| kept(random)).count() as u64;
    }
    sum
}

/// A Poisson number with mean 1, from whole numbers alone.
fn poisson_of_one(random: &mut Random) -> u64 {
    let (mut size, mut guard, mut found) = (1usize, 0usize, 1u64);
    loop {
        let drawn = random.below(size + 1) + 1;
        if drawn == size + 1 {
            found += 1;
        } else if drawn > guard {
            found -= 1;
            guard = size + 1;
        } else {
            return found;
        }
        size += 1;
    }
}

/// True with probability `numerator` / `denominator`: the binary digits of the fraction are compared
/// with random ones until two differ.
fn chance(mut numerator: u128, denominator: u128, random: &mut Random) -> bool {
    if numerator >= denominator {
        return true;
    }
    loop {
        let bits = random.bits();
        for place in 0..64 {
            if numerator == 0 {
                return false;
            }
            numerator *= 2;
            let digit = numerator >= denominator;
            if digit {
                numerator -= denominator;
            }
            let drawn = bits >> place & 1 == 1;
            if drawn != digit {
                return digit;
            }
        }
    }
}

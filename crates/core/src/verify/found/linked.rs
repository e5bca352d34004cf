//! Linkage: someone who looks for a person takes the record that agrees best.
//!
//! A record's score is the sum of −log(share of the value) over the keys in which it agrees with
//! the person. No pair of person and record needs a look: a score is never negative, so the best
//! is the greatest weight of a part of the keys on which somebody agrees with the person, and the
//! records that have it are those who agree on that part.
//!
//! Trap: two parts may weigh the same. Logarithms are whole numbers here, rounded; parts whose
//! weights differ by less than the rounding tie. A value that everybody has weighs nothing and
//! tells no parts apart.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::ground::Ground;
use super::parts::Part;
use crate::encode::{Layout, Mask};
use crate::hash::Map;
use crate::table::CellIndex;
use crate::varset::VarSet;

/// Weights that are nearer to each other are the same: 2⁻⁴⁰.
const SAME: u64 = 1 << (FRACTION - 40);
/// The bits of a logarithm after its point.
const FRACTION: u32 = 52;
/// One whole person, in the units of a share.
pub(super) const WHOLE: u64 = 1 << 32;

/// A part of the keys that may be somebody's best.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Link {
    combination: u32,
    /// The keys of the part that weigh something, by their places.
    keys: u64,
    weight: u64,
    /// How many records agree on it.
    records: u32,
    /// That record, if it is one.
    record: Option<u32>,
}

/// What the best records are looked for with: after, absent.
pub(super) struct Links<'a> {
    ground: &'a Ground<'a>,
    weights: [Vec<Vec<u64>>; 2],
    /// For each combination: does somebody at risk have it whom no record agrees with in all keys?
    wanted: [Vec<bool>; 2],
    best: [Vec<AtomicU64>; 2],
}

impl<'a> Links<'a> {
    /// `None` with more than 64 keys.
    pub fn of(ground: &'a Ground<'a>) -> Option<Self> {
        if ground.keys.len() > 64 {
            return None;
        }
        let combinations = ground.combinations();
        let wanted = |alone: [u32; 2]| -> Vec<bool> {
            let wanted = ground.counts.iter().zip(&ground.risky);
            wanted
                .map(|(counts, risky)| *risky && (0..2).any(|file| counts[file] == alone[file]))
                .collect()
        };
        let best = || (0..combinations).map(|_| AtomicU64::new(0)).collect();
        Some(Self {
            ground,
            weights: [weights(ground, 1, 0), weights(ground, 0, 1)],
            wanted: [wanted([u32::MAX, 0]), wanted([1, u32::MAX])],
            best: [best(), best()],
        })
    }

    fn weight(&self, look: usize, combination: u32, keys: u64) -> u64 {
        let at = combination as usize;
        let weights = self.weights[look].iter().zip(&self.ground.codes).enumerate();
        weights
            .filter(|(key, _)| keys >> key & 1 == 1)
            .map(|(_, (weights, codes))| weights[codes[at] as usize])
            .sum()
    }

    /// The keys that weigh something.
    fn weighing(&self, look: usize, combination: u32, keys: u64) -> u64 {
        let at = combination as usize;
        let weights = self.weights[look].iter().zip(&self.ground.codes).enumerate();
        weights
            .filter(|(_, (weights, codes))| weights[codes[at] as usize] > 0)
            .fold(0, |all, (key, _)| all | 1 << key)
            & keys
    }

    fn offer(
        &self,
        look: usize,
        combination: u32,
        keys: u64,
        records: u32,
        record: Option<u32>,
        links: &mut Vec<Link>,
    ) {
        let weight = self.weight(look, combination, keys);
        let best = &self.best[look][combination as usize];
        if weight + SAME <= best.load(Ordering::Relaxed) {
            return;
        }
        best.fetch_max(weight, Ordering::Relaxed);
        let keys = self.weighing(look, combination, keys);
        if links.len() > 1 << 20 && links.len() == links.capacity() {
            self.keep_best(look, links);
        }
        links.push(Link { combination, keys, weight, records, record });
    }

    /// Drops parts that are not the best any more, and what comes twice.
    fn keep_best(&self, look: usize, links: &mut Vec<Link>) {
        links.retain(|link| {
            let best = self.best[look][link.combination as usize].load(Ordering::Relaxed);
            link.weight + SAME > best
        });
        links.sort_unstable();
        links.dedup_by_key(|link| (link.combination, link.keys));
    }

    /// Looks at the combinations that agree on a part; two originals alone are for
    /// [`Links::look_at_two`].
    pub fn look(
        &self,
        part: Part,
        group: &[u32],
        [before, after]: [u32; 2],
        links: &mut [Vec<Link>; 2],
        mut only: impl FnMut() -> u32,
    ) {
        if after > 0 {
            let mut record = None;
            for &combination in group.iter().filter(|one| self.wanted[0][**one as usize]) {
                if after > 1 {
                    self.offer(0, combination, part.keys, after, None, &mut links[0]);
                    continue;
                }
                let record = *record.get_or_insert_with(&mut only);
                let own = self.ground.cells(combination)[0];
                let keys = self.ground.agreeing_keys(own, record);
                self.offer(0, combination, keys, 1, Some(record), &mut links[0]);
            }
        }
        if before > 2 {
            for &combination in group.iter().filter(|one| self.wanted[1][**one as usize]) {
                self.offer(1, combination, part.keys, before - 1, None, &mut links[1]);
            }
        }
    }

    /// Two originals, in the order of their combinations, that agree on a part on which nobody
    /// else does: each is the other's.
    pub fn look_at_two(&self, group: &[u32], originals: &[(u32, u32)], links: &mut Vec<Link>) {
        // Two records of one combination have all keys in common.
        let [(one, _), (other, _)] = originals else { return };
        let lived_in = |combination: &&u32| self.ground.counts[**combination as usize][0] == 1;
        let combinations: Vec<u32> = group.iter().filter(lived_in).copied().collect();
        let [first, second] = combinations[..] else { return };
        let keys = self.ground.agreeing_keys(*one, *other);
        for (combination, record) in [(first, *other), (second, *one)] {
            if self.wanted[1][combination as usize] {
                self.offer(1, combination, keys, 1, Some(record), links);
            }
        }
    }

    /// For each listed cell with somebody at risk the share of the best records that have all its
    /// sensitive values, of [`WHOLE`].
    pub fn shares(&self, look: usize, mut links: Vec<Link>) -> Vec<u64> {
        self.keep_best(look, &mut links);
        let ground = self.ground;
        let cells = ground.pooled.cells();
        let weights = ground.pooled.weights();
        // Original records: without the person's own.
        let (file, own) = [(1, 0), (0, 1)][look];
        let risky = |combination: u32| {
            let listed = ground.cells(combination).iter();
            listed.copied().filter(|&listed| ground.at_risk[listed as usize] > 0)
        };
        // Records with all sensitive values, and all.
        let mut tally = vec![[0u64; 2]; cells.len()];
        // Who agrees on which keys: counted together for the same keys.
        let mut by_keys: Map<VarSet, Vec<u32>> = Map::default();
        let whole: VarSet = ground.keys.iter().copied().collect();
        for (combination, counts) in (0u32..).zip(&ground.counts) {
            if ground.risky[combination as usize] && counts[file] > own {
                for listed in risky(combination) {
                    tally[listed as usize][1] = u64::from(counts[file] - own);
                    by_keys.entry(whole).or_default().push(listed);
                }
            }
        }
        for link in &links {
            let keys: VarSet = (0..ground.keys.len())
                .filter(|key| link.keys >> key & 1 == 1)
                .map(|key| ground.keys[key])
                .collect();
            for listed in risky(link.combination) {
                tally[listed as usize][1] += u64::from(link.records);
                match link.record {
                    Some(record) => {
                        tally[listed as usize][0] += u64::from(ground.agree(listed, record));
                    }
                    None => by_keys.entry(keys).or_default().push(listed),
                }
            }
        }
        let mut asked: Vec<(VarSet, Vec<u32>)> = by_keys.into_iter().collect();
        asked.sort_unstable_by_key(|(keys, _)| *keys);
        let counted: Vec<Vec<u64>> = asked
            .par_iter()
            .map(|(keys, listed)| {
                let released = weights.iter().map(|weights| weights[file]);
                counted(cells, *keys | ground.sensitive, listed, released)
            })
            .collect();
        for ((_, listed), counted) in asked.iter().zip(counted) {
            for (&listed, records) in listed.iter().zip(counted) {
                tally[listed as usize][0] += records - u64::from(own);
            }
        }
        tally
            .into_iter()
            .map(|[right, all]| (right * WHOLE).checked_div(all).unwrap_or(0))
            .collect()
    }
}

/// How many records agree with each of these listed cells on some variables.
fn counted(
    cells: &crate::encode::PackedCells,
    variables: VarSet,
    asked: &[u32],
    numbers: impl Iterator<Item = u32>,
) -> Vec<u64> {
    let layout: &Layout = cells.layout();
    let mask: Mask = layout.mask(variables);
    let mut index = CellIndex::empty(layout, variables);
    // Most cells are nobody's: a bit says so.
    let bits = (asked.len() * 16).next_power_of_two().max(64) as u64;
    let mut may_be =
        vec![0u64; usize::try_from(bits / 64).expect("there are fewer bits than bytes")];
    let place = |cell: &[u64]| {
        let bit = mask.mixed(cell) & (bits - 1);
        (usize::try_from(bit / 64).expect("a place"), 1u64 << (bit % 64))
    };
    for &listed in asked {
        let cell = cells.get(listed as usize);
        index.add(cell, 0);
        let (word, bit) = place(cell);
        may_be[word] |= bit;
    }
    for (cell, number) in cells.iter().zip(numbers) {
        let (word, bit) = place(cell);
        if number > 0 && may_be[word] & bit != 0 && index.find(cell).is_some() {
            index.add(cell, number.into());
        }
    }
    asked.iter().map(|&listed| index.count(cells.get(listed as usize))).collect()
}

/// For each key the weight of each of its values among the records of a file, one left out or not.
fn weights(ground: &Ground<'_>, file: usize, without: u64) -> Vec<Vec<u64>> {
    let all = (ground.pooled.records()[file] as u64).saturating_sub(without);
    ground
        .keys
        .iter()
        .zip(&ground.codes)
        .map(|(&key, codes)| {
            let mut counts = vec![0u64; ground.pooled.levels()[key].max(1)];
            for (&code, own) in codes.iter().zip(&ground.counts) {
                counts[code as usize] += u64::from(own[file]);
            }
            let weight = |count: u64| match count.saturating_sub(without) {
                0 => 0,
                count => logarithm(all) - logarithm(count),
            };
            counts.into_iter().map(weight).collect()
        })
        .collect()
}

/// The logarithm to the base 2 in units of 2⁻⁵², rounded down: bit by bit, by squaring.
fn logarithm(number: u64) -> u64 {
    let whole = number.ilog2();
    // Between 1 and 2, in units of 2⁻⁶³.
    let mut rest = u128::from(number) << (63 - whole);
    let mut logarithm = u64::from(whole);
    for _ in 0..FRACTION {
        rest = (rest * rest) >> 63;
        let bit = u64::from(rest >> 64 != 0);
        rest >>= bit;
        logarithm = logarithm << 1 | bit;
    }
    logarithm
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_those_of_the_library() {
        assert_eq!(logarithm(1), 0);
        for number in [2u64, 3, 5, 7, 1000, 999_999, 4_294_967_295] {
            let expected = (number as f64).log2();
            let found = logarithm(number) as f64 / (1u64 << FRACTION) as f64;
            assert!((found - expected).abs() < 1e-12, "{number}");
            assert!(logarithm(number) < logarithm(number + 1));
        }
        // 2·6 = 3·4.
        let one = logarithm(2) + logarithm(6);
        assert!(one.abs_diff(logarithm(3) + logarithm(4)) < SAME);
    }
}

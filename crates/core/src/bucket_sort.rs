//! Sorting by a number that is spread about evenly, as those of records, cells and hashes are.
//!
//! Such a number tells about where something belongs: it is put into a bucket, and each bucket is
//! sorted by itself.

/// Things that share a bucket, on average.
const IN_ONE: usize = 4;

/// Sorts things by their own order, in which their numbers must not fall.
///
/// Law: `buckets-sort`.
#[must_use]
pub fn bucket_sorted<T: Copy + Ord>(mut all: Vec<T>, number: impl Fn(&T) -> u64) -> Vec<T> {
    let Some(last) = all.iter().map(&number).max().filter(|_| all.len() > IN_ONE) else {
        all.sort_unstable();
        return all;
    };
    // The upper bits of a number tell its bucket.
    let bits = (all.len() / IN_ONE).next_power_of_two().ilog2();
    let lower = (u64::BITS - last.leading_zeros()).saturating_sub(bits);
    let bucket = |number: u64| {
        let upper = number.checked_shr(lower).unwrap_or(0);
        usize::try_from(upper).expect("there are few buckets")
    };
    let mut ends = vec![0usize; bucket(last) + 1];
    all.iter().for_each(|one| ends[bucket(number(one))] += 1);
    let mut sum = 0;
    for end in &mut ends {
        sum += std::mem::replace(end, sum);
    }
    let mut sorted = all.clone();
    for one in all {
        let end = &mut ends[bucket(number(&one))];
        sorted[*end] = one;
        *end += 1;
    }
    let mut start = 0;
    for end in ends {
        sorted[start..end].sort_unstable();
        start = end;
    }
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Random, Seed};

    /// Many numbers, few, and one; few things and many; small numbers, all bits, and one far from
    /// the others.
    #[test]
    fn law_buckets_sort() {
        let random = &mut Random::new(Seed([5; 32]), 0);
        for different in [1, 3, 1000, (1 << 20) + 5, usize::MAX] {
            for many in [0, 1, 2, 4, 5, 7, 8, 100, 5000] {
                for far in [None, Some((u64::MAX, 0))] {
                    let drawn = |_| (random.below(different) as u64, random.bits() >> 62);
                    let all: Vec<(u64, u64)> = (0..many).map(drawn).chain(far).collect();
                    let mut sorted = all.clone();
                    sorted.sort_unstable();
                    assert_eq!(bucket_sorted(all, |one| one.0), sorted);
                }
            }
        }
    }
}

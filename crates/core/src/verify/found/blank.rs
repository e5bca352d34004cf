//! Records that say nothing on some keys, and may be anybody's there.
//!
//! An intruder who knows a key takes the records that have the value, or also those that are blank.
//! A person whose other look-alikes all have other values is left with the blank ones. So a key may
//! be taken in two ways, and a part of the keys takes each of its keys in one of them.
//!
//! Everybody who agrees with a person on the other keys and is blank on all that are taken so is
//! met: only groups with few such records are looked at. With k = 2 there must be one: a single
//! record that is met otherwise has some of these values, and is met with them taken exactly.

use std::collections::BTreeSet;

use super::ground::Ground;
use super::look::{Look, Seen, Sight};
use super::parts::{Looks, Part, View, walk};
use crate::hash::{Map, STATE};

/// The sets of up to `most` keys on which some record says nothing, by the places of their keys.
fn sets(ground: &Ground<'_>, k: u32, most: usize) -> BTreeSet<u64> {
    let mut sets = BTreeSet::from([0]);
    let blank = ground.blank.iter().copied();
    // One record that is met alone is blank on the whole set; several may be on some of it each.
    let widest: BTreeSet<u64> = match k {
        2 => blank.collect(),
        _ => BTreeSet::from([blank.fold(0, |all, blank| all | blank)]),
    };
    for widest in widest {
        let mut own = vec![0u64];
        for key in (0..64).map(|place| 1 << place).filter(|key| widest & key != 0) {
            let more = own.iter().map(|set| set | key);
            let more: Vec<u64> = more.filter(|set| set.count_ones() as usize <= most).collect();
            own.extend(more);
        }
        sets.extend(own);
    }
    sets.remove(&0);
    sets
}

/// Looks through every part of up to `most` keys that takes some of them in either way; the keys
/// that are taken exactly are seen in these views.
pub(super) fn look_past_blanks(
    sight: &Sight<'_>,
    views: &[Vec<View<'_>>],
    most: usize,
    found: &mut Seen,
) {
    for set in sets(sight.ground, sight.k, most) {
        let places = (0..views.len()).filter(|place| *place < 64 && set >> place & 1 == 1);
        let past = Past { sight, set, keys: places.collect() };
        let exactly = views.iter().enumerate();
        let exactly = exactly.filter(|(place, _)| !past.keys.contains(place));
        let exactly: Vec<Vec<View<'_>>> =
            exactly.map(|(_, views)| views.iter().map(View::borrowed).collect()).collect();
        let seen = walk(&past, sight.ground.combinations(), &exactly, most - past.keys.len());
        past.join(found, seen);
    }
}

/// Looks that take some keys in either way.
struct Past<'a> {
    sight: &'a Sight<'a>,
    set: u64,
    keys: Vec<usize>,
}

/// Stands for every code that says nothing.
const BLANK: u32 = u32::MAX;

impl Past<'_> {
    /// What a combination has on the keys of the set that are not among these, which are blank.
    fn values(&self, combination: u32, without: u64) -> Vec<u32> {
        let ground = self.sight.ground;
        let blank = ground.blank[combination as usize] | without;
        let value = |&key: &usize| match blank >> key & 1 {
            0 => ground.codes[key][combination as usize],
            _ => BLANK,
        };
        self.keys.iter().map(value).collect()
    }

    /// Everybody of a group with the combinations that they meet.
    fn look_at_all(&self, part: Part, group: &[u32], found: &mut Seen) {
        let Sight { ground, k, .. } = *self.sight;
        let mut having: Map<Vec<u32>, Vec<u32>> = Map::with_hasher(STATE);
        for &combination in group {
            having.entry(self.values(combination, 0)).or_default().push(combination);
        }
        let part = Part { size: part.size + self.keys.len(), ..part };
        let mut records = std::mem::take(&mut found.records);
        for &own in group.iter().filter(|own| ground.counts[**own as usize][0] > 0) {
            let mut met: Vec<u32> = Vec::new();
            let mut numbers = [0u32; 2];
            let known = self.set & !ground.blank[own as usize];
            let mut without = known;
            // Every part of the keys that the person has, the whole first.
            loop {
                for &other in having.get(&self.values(own, without)).into_iter().flatten() {
                    met.push(other);
                    let counts = ground.counts[other as usize];
                    numbers = [numbers[0] + counts[0], numbers[1] + counts[1]];
                }
                if without == 0 || (numbers[0] > k && numbers[1] >= k) {
                    break;
                }
                without = (without - 1) & known;
            }
            let people = ground.cells(own).iter();
            let people = people.filter(|one| ground.pooled.weights()[**one as usize][0] > 0);
            if (1..k).contains(&numbers[1]) {
                self.sight.gather(&met, 1, &mut records);
                if let Some(said) = self.sight.most_frequent(&records, None) {
                    for &listed in people.clone() {
                        let claims = &mut found.claims[0];
                        self.sight.note(Look::After, part, listed, said, claims, &records);
                    }
                }
            }
            if numbers[0] <= k {
                self.sight.gather(&met, 0, &mut records);
                let said = self.sight.most_frequent(&records, None).filter(|_| numbers[0] < k);
                for &listed in people {
                    if let Some(said) = said {
                        let claims = &mut found.claims[0];
                        self.sight.note(Look::Before, part, listed, said, claims, &records);
                    }
                    if let Some(said) = self.sight.most_frequent(&records, Some(listed)) {
                        let claims = &mut found.claims[1];
                        self.sight.note(Look::Absent, part, listed, said, claims, &records);
                    }
                }
            }
        }
        found.records = records;
        self.sight.tidy(found);
    }
}

impl Looks for Past<'_> {
    type Found = Seen;

    fn look(&self, part: Part, group: &[u32], found: &mut Seen) -> bool {
        let ground = self.sight.ground;
        let (mut some, mut before, mut after) = (0, 0, 0);
        for &combination in group {
            let blank = ground.blank[combination as usize] & self.set;
            some |= blank;
            if blank == self.set {
                before += ground.counts[combination as usize][0];
                after += ground.counts[combination as usize][1];
            }
        }
        let k = self.sight.k;
        let may_tell = match k {
            2 => before + after > 0,
            _ => some == self.set,
        };
        if may_tell && (before <= k || after < k) {
            self.look_at_all(part, group, found);
        }
        group.len() > 1 && may_tell
    }

    fn join(&self, into: &mut Seen, other: Seen) {
        self.sight.join(into, other);
    }
}

//! What everybody who is looked up through a part of their keys is found with.
//!
//! Three looks at a person: in the original, in the release, and in the original without the
//! person's own record. Marks are only ever set, greatest only ever rise: the order in which
//! parts are seen does not matter.

use std::sync::atomic::{AtomicU8, AtomicU16, Ordering};

use super::ground::Ground;
use super::linked::{Link, Links};
use super::parts::{Looks, Part};

/// In which file a person is looked up.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// In the original.
    Before,
    /// In the release.
    After,
    /// In the original, without the person's own record.
    Absent,
}

pub(super) const LOOKS: [Look; 3] = [Look::Before, Look::After, Look::Absent];

/// Nothing found so far.
pub(super) const NEVER: u8 = u8::MAX;

/// What a look-up says of somebody at risk.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Claim {
    pub listed: u32,
    /// The keys in which the records that say it agree with the person: other records, other
    /// keys.
    pub through: u64,
    /// The other keys in which each of these records agrees with the person or says nothing.
    pub blank: u64,
    /// A listed cell with the sensitive values that the look-up gives.
    pub said: u32,
}

/// What is known about all listed cells.
pub(super) struct Sight<'a> {
    pub ground: &'a Ground<'a>,
    pub k: u32,
    /// For each look: the listed cells whose people are found, all their sensitive values true.
    marks: Vec<AtomicU8>,
    /// Of those at risk, the most sensitive values that are true: after, absent.
    most_true: [Vec<AtomicU16>; 2],
    /// Of those at risk, the size of the smallest part that finds them.
    smallest: [Vec<AtomicU8>; 3],
    pub links: Option<Links<'a>>,
}

/// What one thread finds.
#[derive(Default)]
pub(super) struct Seen {
    /// After, absent.
    pub claims: [Vec<Claim>; 2],
    /// After, absent.
    pub links: [Vec<Link>; 2],
    /// Of the group that is looked at: its records in one file, with their numbers.
    pub(super) records: Vec<(u32, u32)>,
}

/// How many claims are kept before those that come twice are dropped.
const MANY: usize = 1 << 20;

impl<'a> Sight<'a> {
    pub fn new(ground: &'a Ground<'a>, k: u32, links: Option<Links<'a>>) -> Self {
        let listed = ground.at_risk.len();
        let sizes = || (0..listed).map(|_| AtomicU8::new(NEVER)).collect();
        let numbers = || (0..listed).map(|_| AtomicU16::new(0)).collect();
        Self {
            ground,
            k,
            marks: (0..listed).map(|_| AtomicU8::new(0)).collect(),
            most_true: [numbers(), numbers()],
            smallest: [sizes(), sizes(), sizes()],
            links,
        }
    }

    /// Are the people of a listed cell found in this look?
    pub fn is_found(&self, look: Look, listed: usize) -> bool {
        self.marks[listed].load(Ordering::Relaxed) & 1 << look as u8 != 0
    }

    /// The most sensitive values that are true: after, absent.
    pub fn most_true(&self, listed: usize) -> [usize; 2] {
        [0, 1].map(|at| usize::from(self.most_true[at][listed].load(Ordering::Relaxed)))
    }

    /// The size of the smallest part of the keys that finds somebody at risk.
    pub fn smallest(&self, look: Look, listed: usize) -> Option<usize> {
        let size = self.smallest[look as usize][listed].load(Ordering::Relaxed);
        (size != NEVER).then(|| usize::from(size))
    }

    /// Looks at every combination of all keys.
    pub fn look_at_all_keys(&self, found: &mut Seen) {
        let size = self.ground.keys.len();
        let keys = if size < 64 { (1 << size) - 1 } else { u64::MAX };
        for combination in (0u32..).take(self.ground.combinations()) {
            self.look(Part { size, keys }, &[combination], found);
        }
    }

    /// Fills the list of a group's records in one file.
    pub(super) fn gather(&self, group: &[u32], file: usize, records: &mut Vec<(u32, u32)>) {
        records.clear();
        for &combination in group {
            if self.ground.counts[combination as usize][file] == 0 {
                continue;
            }
            for &listed in self.ground.cells(combination) {
                let number = self.ground.pooled.weights()[listed as usize][file];
                if number > 0 {
                    records.push((listed, number));
                }
            }
        }
    }

    /// The sensitive values that most of these records have, as a listed cell, one record of
    /// `without` not counted; nothing when several are equally frequent.
    pub(super) fn most_frequent(
        &self,
        records: &[(u32, u32)],
        without: Option<u32>,
    ) -> Option<u32> {
        let left =
            |&(listed, number): &(u32, u32)| (listed, number - u32::from(without == Some(listed)));
        let mut left = records.iter().map(left).filter(|(_, number)| *number > 0);
        if records.len() <= 2 {
            // As with k = 2, and often.
            let first = left.next()?;
            return match left.next() {
                None => Some(first.0),
                Some(other) if self.ground.agree(first.0, other.0) => Some(first.0),
                Some(other) if first.1 == other.1 => None,
                Some(other) => Some(if first.1 > other.1 { first.0 } else { other.0 }),
            };
        }
        let left: Vec<(u32, u32)> = left.collect();
        let (mut best, mut most, mut is_tied) = (None, 0, false);
        for &(one, _) in &left {
            let alike = left.iter().filter(|(other, _)| self.ground.agree(one, *other));
            let number: u32 = alike.map(|(_, number)| number).sum();
            if number > most {
                (best, most, is_tied) = (Some(one), number, false);
            } else if number == most && best.is_some_and(|best| !self.ground.agree(best, one)) {
                is_tied = true;
            }
        }
        best.filter(|_| !is_tied)
    }

    /// Notes what look-ups say of the people of a listed cell.
    pub(super) fn note(
        &self,
        look: Look,
        part: Part,
        listed: u32,
        said: u32,
        claims: &mut Vec<Claim>,
        records: &[(u32, u32)],
    ) {
        let at = listed as usize;
        if self.ground.agree(listed, said) {
            self.marks[at].fetch_or(1 << look as u8, Ordering::Relaxed);
            if self.ground.at_risk[at] > 0 {
                let size = u8::try_from(part.size).unwrap_or(NEVER - 1);
                self.smallest[look as usize][at].fetch_min(size, Ordering::Relaxed);
            }
        }
        if self.ground.at_risk[at] == 0 || look == Look::Before {
            return;
        }
        let differing = self.ground.differing(listed, said);
        let correct = (self.ground.sensitive - differing).len();
        let correct = u16::try_from(correct).expect("there are at most 256 variables");
        let most_true = &self.most_true[usize::from(look == Look::Absent)];
        most_true[at].fetch_max(correct, Ordering::Relaxed);
        if self.k == 2 {
            // One record says it.
            let through = self.ground.keys_outside(differing);
            let blank = self.ground.blank_in(said) & !through;
            claims.push(Claim { listed, through, blank, said });
            return;
        }
        let own =
            |&(other, number): &(u32, u32)| look == Look::Absent && other == listed && number == 1;
        let through = records.iter().filter(|record| !own(record));
        let (through, either) = through
            .fold([u64::MAX; 2], |[all, either], (other, _)| {
                let agreeing = self.ground.agreeing_keys(listed, *other);
                [all & agreeing, either & (agreeing | self.ground.blank_in(*other))]
            })
            .into();
        claims.push(Claim { listed, through, blank: either & !through, said });
    }

    /// Drops claims that come twice, when there are many.
    pub(super) fn tidy(&self, found: &mut Seen) {
        for claims in &mut found.claims {
            if claims.len() > MANY && claims.len() == claims.capacity() {
                claims.sort_unstable();
                claims.dedup();
            }
        }
    }
}

impl Looks for Sight<'_> {
    type Found = Seen;

    fn look(&self, part: Part, group: &[u32], found: &mut Seen) -> bool {
        let counts = &self.ground.counts;
        let add =
            |[before, after]: [u32; 2], [own, released]: [u32; 2]| [before + own, after + released];
        let [before, after] =
            group.iter().map(|&combination| counts[combination as usize]).fold([0; 2], add);
        if before == 0 {
            return false;
        }
        let mut records = std::mem::take(&mut found.records);
        let people = || {
            let lived_in = group.iter().filter(|combination| counts[**combination as usize][0] > 0);
            lived_in
                .flat_map(|&combination| self.ground.cells(combination))
                .filter(|listed| self.ground.pooled.weights()[**listed as usize][0] > 0)
        };
        if (1..self.k).contains(&after) {
            self.gather(group, 1, &mut records);
            if let Some(said) = self.most_frequent(&records, None) {
                for &listed in people() {
                    self.note(Look::After, part, listed, said, &mut found.claims[0], &records);
                }
            }
        }
        if let Some(links) = &self.links {
            links.look(part, group, [before, after], &mut found.links, || {
                self.gather(group, 1, &mut records);
                records[0].0
            });
        }
        if before <= self.k {
            self.gather(group, 0, &mut records);
            let said = self.most_frequent(&records, None).filter(|_| before < self.k);
            for (&(listed, _), said) in records.iter().zip(said.into_iter().cycle()) {
                self.note(Look::Before, part, listed, said, &mut found.claims[0], &records);
            }
            for &(listed, _) in &records {
                if let Some(said) = self.most_frequent(&records, Some(listed)) {
                    let claims = &mut found.claims[1];
                    self.note(Look::Absent, part, listed, said, claims, &records);
                }
            }
        }
        if let Some(links) = self.links.as_ref().filter(|_| before == 2) {
            links.look_at_two(group, &records, &mut found.links[1]);
        }
        found.records = records;
        self.tidy(found);
        // Somebody alone, and at most one record: every larger part leads to the same.
        group.len() > 1 && (before > 1 || after > 1)
    }

    fn join(&self, into: &mut Seen, other: Seen) {
        for (into, other) in into.claims.iter_mut().zip(other.claims) {
            into.extend(other);
        }
        for (into, other) in into.links.iter_mut().zip(other.links) {
            into.extend(other);
        }
        self.tidy(into);
    }
}

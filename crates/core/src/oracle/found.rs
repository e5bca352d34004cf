//! Slow twins for who is found: every part of the keys, every record, every person.

use std::collections::{BTreeMap, BTreeSet};

use super::World;
use crate::varset::VarSet;

/// What anybody is asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlainQuestion {
    /// What is known.
    pub keys: VarSet,
    /// What is to be hidden.
    pub sensitive: VarSet,
    /// Fewer records than this are few enough to read a value from.
    pub k: usize,
    /// For a key: ways to class its codes.
    pub roughly: BTreeMap<usize, Vec<Vec<u32>>>,
    /// For a key: the codes that say nothing.
    pub blank: BTreeMap<usize, BTreeSet<u32>>,
}

/// What is found out about one person in one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlainLook {
    /// For each group of records that tells something: the sensitive variables told truly.
    pub told: Vec<VarSet>,
    /// The most of them.
    pub most_true: usize,
    /// The size of the smallest part of the keys that tells all of them truly.
    pub smallest: Option<usize>,
    /// Is all told truly through some part, keys known roughly among them?
    pub roughly: bool,
    /// Of the records that agree best: those with all sensitive values, and all.
    pub linked: [u64; 2],
}

/// One person: before, after, and in the file before without the person's own record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlainPerson {
    /// In this file.
    pub before: PlainLook,
    /// In the other file.
    pub after: PlainLook,
    /// In this file without the person.
    pub absent: PlainLook,
}

impl World {
    /// Looks a record of this file up in both.
    #[must_use]
    pub fn found(&self, after: &World, record: usize, question: &PlainQuestion) -> PlainPerson {
        let own = &self.records[record];
        let mut without = self.records.clone();
        without.remove(record);
        PlainPerson {
            before: look(&self.records, own, question),
            after: look(&after.records, own, question),
            absent: look(&without, own, question),
        }
    }

    /// The records that are reached from somebody's codes: fewer than `k` agree with them on all
    /// the keys on which the record does.
    #[must_use]
    pub fn reached(&self, own: &[u32], keys: VarSet, k: usize) -> BTreeSet<usize> {
        let agreed = |one: &Vec<u32>| -> VarSet {
            keys.iter().filter(|&key| one[key] == own[key]).collect()
        };
        let reached = |one: &&usize| {
            let on = agreed(&self.records[**one]);
            let like = |other: &&Vec<u32>| on.is_subset(&agreed(other));
            self.records.iter().filter(like).count() < k
        };
        (0..self.records.len()).collect::<Vec<_>>().iter().filter(reached).copied().collect()
    }

    /// The records that some part of the keys leads to, and to fewer than `k` in all.
    #[must_use]
    pub fn led_to(&self, own: &[u32], keys: VarSet, k: usize) -> BTreeSet<usize> {
        let mut led_to = BTreeSet::new();
        for part in keys.subsets() {
            let group: Vec<usize> = (0..self.records.len())
                .filter(|&one| part.iter().all(|key| self.records[one][key] == own[key]))
                .collect();
            if group.len() < k {
                led_to.extend(group);
            }
        }
        led_to
    }
}

/// How a key is taken: exactly, as the value or none, or in classes.
#[derive(Clone, Copy)]
enum Taken<'a> {
    Exactly,
    OrBlank(&'a BTreeSet<u32>),
    Roughly(&'a Vec<u32>),
}

impl Taken<'_> {
    fn agree(self, code: u32, own: u32) -> bool {
        match self {
            Self::Exactly => code == own,
            Self::OrBlank(blank) => code == own || blank.contains(&code),
            Self::Roughly(classes) => classes[code as usize] == classes[own as usize],
        }
    }
}

fn look(file: &[Vec<u32>], own: &[u32], question: &PlainQuestion) -> PlainLook {
    let mut found = PlainLook { linked: linked(file, own, question), ..PlainLook::default() };
    let mut seen: BTreeSet<Vec<usize>> = BTreeSet::new();
    // A part takes each of its keys in one of its ways.
    let none = Vec::new();
    let mut parts: Vec<Vec<(usize, Taken<'_>)>> = vec![Vec::new()];
    for key in question.keys {
        let mut ways = vec![Taken::Exactly];
        ways.extend(question.blank.get(&key).map(Taken::OrBlank));
        ways.extend(question.roughly.get(&key).unwrap_or(&none).iter().map(Taken::Roughly));
        let mut longer = Vec::new();
        for part in &parts {
            longer.extend(ways.iter().map(|&way| [part.clone(), vec![(key, way)]].concat()));
        }
        parts.extend(longer);
    }
    for part in parts {
        let alike = |one: &Vec<u32>| part.iter().all(|&(key, way)| way.agree(one[key], own[key]));
        let group: Vec<usize> = (0..file.len()).filter(|&one| alike(&file[one])).collect();
        let Some(told) = told(file, &group, own, question) else { continue };
        found.roughly |= told == question.sensitive;
        if part.iter().any(|(_, way)| matches!(way, Taken::Roughly(_))) {
            continue;
        }
        found.most_true = found.most_true.max(told.len());
        if told == question.sensitive {
            let size = part.len();
            found.smallest = Some(found.smallest.map_or(size, |smallest| smallest.min(size)));
        }
        if seen.insert(group) {
            found.told.push(told);
        }
    }
    found.told.sort();
    found
}

/// The sensitive variables that a group of fewer than k records tells truly, if it tells anything:
/// the values that more of them have than any others.
fn told(
    file: &[Vec<u32>],
    group: &[usize],
    own: &[u32],
    question: &PlainQuestion,
) -> Option<VarSet> {
    if group.is_empty() || group.len() >= question.k {
        return None;
    }
    let values = |one: &usize| -> Vec<u32> {
        question.sensitive.iter().map(|variable| file[*one][variable]).collect()
    };
    let having = |wanted: &Vec<u32>| group.iter().filter(|one| values(one) == *wanted).count();
    let all: BTreeSet<Vec<u32>> = group.iter().map(values).collect();
    let most = all.iter().map(having).max()?;
    let mut frequent = all.iter().filter(|one| having(one) == most);
    let (first, None) = (frequent.next()?, frequent.next()) else { return None };
    let right = question.sensitive.iter().zip(first);
    Some(right.filter(|(variable, value)| own[*variable] == **value).map(|(one, _)| one).collect())
}

/// Of the records whose agreeing keys have the least product of shares: those with all sensitive
/// values, and all. In whole numbers: shares are counts, and every key that does not agree counts
/// as a value that all have.
fn linked(file: &[Vec<u32>], own: &[u32], question: &PlainQuestion) -> [u64; 2] {
    let product = |one: &Vec<u32>| -> u128 {
        let count = |key: usize| match one[key] == own[key] {
            true => file.iter().filter(|other| other[key] == own[key]).count() as u128,
            false => file.len() as u128,
        };
        question.keys.iter().map(count).product()
    };
    let Some(least) = file.iter().map(product).min() else { return [0; 2] };
    let best: Vec<&Vec<u32>> = file.iter().filter(|one| product(one) == least).collect();
    let right =
        |one: &&&Vec<u32>| question.sensitive.iter().all(|variable| one[variable] == own[variable]);
    [best.iter().filter(right).count() as u64, best.len() as u64]
}

//! The key combinations of the members of households.
//!
//! Where records are households, an intruder may still look for a person: by what the household
//! has in common and by what the person has. Such a person is found wherever a released household
//! with these common values has a member with these values, no matter who else lives there. So
//! besides the combinations of whole households those of their members are counted: one that a
//! person at risk has must not come back with another household, and a person whom a swap leaves
//! alone is exposed by it.
//!
//! Way in: [`Members`], given with an [`Intruder`](super::Intruder).

use crate::encode::Layout;
use crate::hash::{Map, STATE};
use crate::table::{CellIndex, JointTable};
use crate::varset::VarSet;

/// What the members of households have on the keys of an intruder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Members {
    /// The variable that represents all members together.
    pub variable: usize,
    /// For each of its codes, what each member has, as numbers; rising, with repetition.
    pub of_code: Vec<Vec<u32>>,
    /// For each of these numbers, the codes of the member on the keys that are their own.
    pub values: Vec<Vec<u32>>,
    /// For each of these keys the codes that say nothing.
    pub blank: Vec<Vec<u32>>,
    /// For each of these keys each way to class it, for each code its class; none where it is known
    /// exactly.
    pub roughly: Vec<Vec<Vec<u32>>>,
    /// The persons at risk: the cell of their household, and what they have.
    pub at_risk: Vec<(u32, u32)>,
}

/// How many persons have each combination now, and which must not come back.
#[derive(Clone)]
pub(super) struct MemberCombinations<'a> {
    members: &'a Members,
    layout: &'a Layout,
    /// What households have in common on the keys.
    common: CellIndex,
    numbers: Map<(u32, u32), u32>,
    before: Vec<u32>,
    now: Vec<u32>,
    protected: Vec<bool>,
}

impl<'a> MemberCombinations<'a> {
    /// `can_leave` says of each cell whether its households may be parted from their keys.
    pub(super) fn new(
        joint: &'a JointTable,
        keys: VarSet,
        members: &'a Members,
        can_leave: impl Fn(usize) -> bool,
    ) -> Self {
        let cells = joint.cells();
        let common = keys - VarSet::single(members.variable);
        let mut found = Self {
            members,
            layout: cells.layout(),
            common: CellIndex::empty(cells.layout(), common),
            numbers: Map::with_hasher(STATE),
            before: Vec::new(),
            now: Vec::new(),
            protected: Vec::new(),
        };
        for (cell, &count) in cells.iter().zip(joint.counts()) {
            found.each(cell, |found, number| found.before[number] += count);
        }
        found.now.clone_from(&found.before);
        for &(cell, member) in &members.at_risk {
            let cell = cell as usize;
            if can_leave(cell) {
                let common = found.common.find(cells.get(cell)).expect("every cell was counted");
                found.protected[found.numbers[&(common, member)] as usize] = true;
            }
        }
        found
    }

    /// The combinations of the members of a household with these words that are known.
    fn known<'s>(&'s self, words: &[u64]) -> impl Iterator<Item = usize> + 's {
        let code = self.layout.code(words, self.members.variable);
        let common = self.common.find(words);
        let members = self.members.of_code[code as usize].iter();
        members.filter_map(move |&member| {
            self.numbers.get(&(common?, member)).map(|&number| number as usize)
        })
    }

    /// Calls `change` with the combination of every member of a household with these words.
    fn each(&mut self, words: &[u64], change: impl Fn(&mut Self, usize)) {
        let code = self.layout.code(words, self.members.variable);
        let common = self.common.add(words, 0);
        let members: &'a Members = self.members;
        for &member in &members.of_code[code as usize] {
            let next = u32::try_from(self.before.len()).expect("there are fewer than 2^32 persons");
            let number = *self.numbers.entry((common, member)).or_insert(next) as usize;
            if number == self.before.len() {
                self.before.push(0);
                self.now.push(0);
                self.protected.push(false);
            }
            change(self, number);
        }
    }

    /// Would a household with these words have a member with the keys of a person at risk?
    pub(super) fn is_protected(&self, words: &[u64]) -> bool {
        self.known(words).any(|number| self.protected[number])
    }

    /// Would some person be left alone if a household with these words went away?
    pub(super) fn exposes(&self, words: &[u64]) -> bool {
        self.known(words).any(|number| {
            let own = self.known(words).filter(|&other| other == number).count();
            self.now[number] as usize == own + 1 && !self.protected[number]
        })
    }

    /// Would a member of a household with these words be the only one, where several had these
    /// keys?
    pub(super) fn exposes_by_coming(&self, words: &[u64]) -> bool {
        self.known(words).any(|number| self.now[number] == 0 && self.before[number] >= 2)
    }

    /// Is a member of a household with these words alone now, who was not before and is not
    /// at risk?
    pub(super) fn has_somebody_alone(&self, words: &[u64]) -> bool {
        self.known(words).any(|number| {
            self.now[number] == 1 && self.before[number] >= 2 && !self.protected[number]
        })
    }

    /// Others may come to have the keys of the members of a household with these words, of whom
    /// nobody has gone.
    pub(super) fn open_to_others(&mut self, words: &[u64]) {
        let untouched: Vec<usize> =
            self.known(words).filter(|&number| self.now[number] == self.before[number]).collect();
        untouched.into_iter().for_each(|number| self.protected[number] = false);
    }

    /// Those of them are at risk from now on.
    pub(super) fn protect_alone(&mut self, words: &[u64]) {
        let alone: Vec<usize> = self
            .known(words)
            .filter(|&number| self.now[number] == 1 && self.before[number] >= 2)
            .collect();
        alone.into_iter().for_each(|number| self.protected[number] = true);
    }

    pub(super) fn leave(&mut self, words: &[u64]) {
        self.each(words, |found, number| {
            let now = &mut found.now[number];
            *now = now.checked_sub(1).expect("a person who leaves was there");
        });
    }

    pub(super) fn arrive(&mut self, words: &[u64]) {
        self.each(words, |found, number| found.now[number] += 1);
    }

    pub(super) fn reset(&mut self) {
        self.now.clone_from(&self.before);
    }
}

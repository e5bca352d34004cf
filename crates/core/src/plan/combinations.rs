//! The key combinations of one intruder: who has them now, and which must not come back.
//!
//! A combination that somebody at risk has is *protected*: no swap and no group gives it to
//! a record. So once all records have left it, it is gone for good. Where one of them cannot
//! leave it is never gone, and a record more is company. Of every combination it is counted
//! how many records have it as the plan grows, because a record that a swap leaves alone
//! with its keys is exposed by it.

use super::members::MemberCombinations;
use crate::table::{CellIndex, JointTable};
use crate::varset::VarSet;

/// The combinations of one set of keys.
#[derive(Clone)]
pub(super) struct Combinations<'a> {
    index: CellIndex,
    /// The number of each cell's combination.
    of_cell: Vec<u32>,
    /// How many records of the file have each one; 0 for one that a swap made.
    before: Vec<u32>,
    /// How many have it now.
    now: Vec<u32>,
    /// How many of these came to have it.
    came: Vec<u32>,
    protected: Vec<bool>,
    /// Those that were opened to others because nobody could be parted from them.
    opened: Vec<bool>,
    /// Has the cell a record at risk?
    at_risk: Vec<bool>,
    /// Those of the members, where records are households.
    members: Option<MemberCombinations<'a>>,
}

/// A record comes to have keys that are not its own.
pub(super) struct Coming {
    /// Would it be the only one, where several had them?
    pub(super) exposes: bool,
    /// Has no record these keys now?
    pub(super) is_new: bool,
}

impl<'a> Combinations<'a> {
    /// `can_leave` says of each cell whether its records may be parted from their keys.
    pub(super) fn new(
        joint: &JointTable,
        keys: VarSet,
        at_risk: &[u32],
        can_leave: impl Fn(usize) -> bool,
    ) -> Self {
        assert_eq!(at_risk.len(), joint.len(), "every cell says how many are at risk");
        let mut index = CellIndex::new(joint.cells(), keys, std::iter::empty());
        let counts = joint.counts();
        let of_cell: Vec<u32> =
            joint.cells().iter().zip(counts).map(|(cell, &n)| index.add(cell, n.into())).collect();
        let mut before = vec![0u32; index.counts().len()];
        let mut protected = vec![false; before.len()];
        for ((&combination, &count), &at_risk) in of_cell.iter().zip(counts).zip(at_risk) {
            before[combination as usize] += count;
            protected[combination as usize] |= at_risk > 0;
        }
        for (cell, &combination) in of_cell.iter().enumerate() {
            protected[combination as usize] &= can_leave(cell);
        }
        let at_risk = at_risk.iter().map(|&at_risk| at_risk > 0).collect();
        let (opened, came) = (vec![false; before.len()], vec![0; before.len()]);
        let now = before.clone();
        let members = None;
        Self { index, of_cell, before, now, came, protected, opened, at_risk, members }
    }

    /// The same, where the combinations of members count too.
    pub(super) fn with_members(self, members: Option<MemberCombinations<'a>>) -> Self {
        Self { members, ..self }
    }

    /// The same, where nobody may come to have the keys of these cells either, which no record
    /// has now.
    pub(super) fn with_gone(mut self, gone: &[Vec<u64>]) -> Self {
        for words in gone {
            let found = self.index.add(words, 0) as usize;
            if found == self.now.len() {
                self.now.push(0);
                self.before.push(0);
                self.came.push(0);
                self.protected.push(true);
                self.opened.push(false);
            }
        }
        self
    }

    /// Has the cell a record at risk?
    pub(super) fn is_at_risk(&self, cell: usize) -> bool {
        self.at_risk[cell]
    }

    /// Must no record come to have the keys of these words?
    pub(super) fn is_protected(&self, words: &[u64]) -> bool {
        self.index.find(words).is_some_and(|found| self.protected[found as usize])
            || self.members.as_ref().is_some_and(|members| members.is_protected(words))
    }

    /// Has no record the keys of these words now?
    pub(super) fn is_new(&self, words: &[u64]) -> bool {
        self.index.find(words).is_none_or(|found| self.now[found as usize] == 0)
    }

    /// Has the cell somebody at risk whose keys others may come to have?
    pub(super) fn may_get_company(&self, cell: usize) -> bool {
        self.at_risk[cell] && !self.protected[self.of_cell[cell] as usize]
    }

    /// From now on nobody comes to have the keys of anybody at risk, but for those that
    /// somebody has come to have already.
    pub(super) fn protect_untouched(&mut self) {
        for (cell, &combination) in self.of_cell.iter().enumerate() {
            let combination = combination as usize;
            if self.at_risk[cell] && self.came[combination] == 0 {
                self.protected[combination] = true;
            }
        }
    }

    /// Others may come to have the keys of this cell, whose words these are and of which nobody
    /// was parted.
    pub(super) fn open_to_others(&mut self, cell: usize, words: &[u64]) {
        if let Some(members) = &mut self.members {
            members.open_to_others(words);
        }
        let combination = self.of_cell[cell] as usize;
        if self.protected[combination] && self.now[combination] == self.before[combination] {
            self.protected[combination] = false;
            self.opened[combination] = true;
        }
    }

    /// Have others come to have the keys of a cell, so that its records stay with them?
    pub(super) fn is_joined(&self, cell: usize) -> bool {
        let combination = self.of_cell[cell] as usize;
        self.opened[combination] && self.came[combination] > 0
    }

    /// Would one record less, with these words, leave somebody alone with the keys of a cell, who
    /// is not at risk anyway?
    pub(super) fn exposes(&self, cell: usize, words: &[u64]) -> bool {
        let combination = self.of_cell[cell] as usize;
        (self.now[combination] == 2 && !self.protected[combination])
            || self.members.as_ref().is_some_and(|members| members.exposes(words))
    }

    /// What happens when a record comes to have the keys of these words; `None` when none may.
    pub(super) fn coming(&self, words: &[u64]) -> Option<Coming> {
        let found = self.index.find(words).map(|found| found as usize);
        if found.is_some_and(|found| self.protected[found]) {
            return None;
        }
        let is_new = found.is_none_or(|found| self.now[found] == 0);
        let mut exposes = is_new && found.is_some_and(|found| self.before[found] >= 2);
        if let Some(members) = &self.members {
            if members.is_protected(words) {
                return None;
            }
            exposes |= members.exposes_by_coming(words);
        }
        Some(Coming { exposes, is_new })
    }

    /// Is a member of a household with these words alone now, who was not before?
    pub(super) fn leaves_a_member_alone(&self, words: &[u64]) -> bool {
        self.members.as_ref().is_some_and(|members| members.has_somebody_alone(words))
    }

    /// Those members are at risk from now on, and so is their household.
    pub(super) fn protect_members(&mut self, cell: usize, words: &[u64]) {
        self.protect(cell);
        if let Some(members) = &mut self.members {
            members.protect_alone(words);
        }
    }

    /// Have exactly two records the keys of these words, where as many or more had them before?
    pub(super) fn is_last_company(&self, words: &[u64]) -> bool {
        self.index
            .find(words)
            .is_some_and(|found| self.now[found as usize] == 2 && self.before[found as usize] >= 2)
    }

    /// With so many records more or less, would one be alone with keys that several had?
    pub(super) fn would_be_alone(&self, combination: u32, more: i64) -> bool {
        let combination = combination as usize;
        let after = i64::from(self.now[combination]) + more;
        more != 0 && after == 1 && self.before[combination] >= 2
    }

    /// How many combinations are known.
    pub(super) fn len(&self) -> usize {
        self.now.len()
    }

    /// How many combinations no record may come to have.
    pub(super) fn protected(&self) -> usize {
        self.protected.iter().filter(|protected| **protected).count()
    }

    /// How many records have the keys of a cell now.
    pub(super) fn now(&self, cell: usize) -> u32 {
        self.now[self.of_cell[cell] as usize]
    }

    /// Is exactly one record left with the keys of a cell, where there were more?
    pub(super) fn is_alone_now(&self, cell: usize) -> bool {
        let combination = self.of_cell[cell] as usize;
        self.now[combination] == 1 && self.before[combination] >= 2
    }

    /// The number of the combination of these words, if some record has or had it.
    pub(super) fn find(&self, words: &[u64]) -> Option<u32> {
        self.index.find(words)
    }

    /// The number of a cell's combination.
    pub(super) fn of(&self, cell: usize) -> u32 {
        self.of_cell[cell]
    }

    /// A record of this cell is at risk from now on.
    pub(super) fn protect(&mut self, cell: usize) {
        let combination = self.of_cell[cell] as usize;
        self.at_risk[cell] = true;
        self.protected[combination] = true;
    }

    /// Nobody is at risk any more who has one of these combinations: they keep each other
    /// company. Answers their cells.
    pub(super) fn give_up(&mut self, is_one: impl Fn(u32) -> bool) -> Vec<usize> {
        let all = 0..self.of_cell.len();
        let cells: Vec<usize> = all.filter(|&cell| is_one(self.of_cell[cell])).collect();
        for &cell in &cells {
            self.protected[self.of_cell[cell] as usize] = false;
            self.at_risk[cell] = false;
        }
        cells
    }

    /// A record of the file gives up its keys.
    pub(super) fn leave(&mut self, words: &[u64]) {
        let found = self.index.find(words).expect("the keys of a record are known") as usize;
        self.now[found] = self.now[found].checked_sub(1).expect("a record that leaves was there");
        if self.now[found] == 0 && self.opened[found] {
            // Gone after all, and for good.
            self.protected[found] = true;
        }
        if let Some(members) = &mut self.members {
            members.leave(words);
        }
    }

    /// It has them again.
    pub(super) fn come_home(&mut self, words: &[u64]) {
        let found = self.index.find(words).expect("the keys of a record are known") as usize;
        self.now[found] += 1;
        if let Some(members) = &mut self.members {
            members.arrive(words);
        }
    }

    /// A record comes to have these keys.
    pub(super) fn arrive(&mut self, words: &[u64]) {
        let found = self.index.add(words, 0) as usize;
        if found == self.now.len() {
            self.now.push(0);
            self.before.push(0);
            self.came.push(0);
            self.protected.push(false);
            self.opened.push(false);
        }
        self.now[found] += 1;
        self.came[found] += 1;
        if let Some(members) = &mut self.members {
            members.arrive(words);
        }
    }

    /// It does not have them after all.
    pub(super) fn go(&mut self, words: &[u64]) {
        let found = self.index.find(words).expect("the keys of a record are known") as usize;
        let less = |count: u32| count.checked_sub(1).expect("a record that goes was there");
        self.now[found] = less(self.now[found]);
        self.came[found] = less(self.came[found]);
        if let Some(members) = &mut self.members {
            members.leave(words);
        }
    }

    /// Every record has its own keys again.
    pub(super) fn reset(&mut self) {
        self.now.clone_from(&self.before);
        self.came.fill(0);
        if let Some(members) = &mut self.members {
            members.reset();
        }
    }
}

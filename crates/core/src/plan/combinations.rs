//! The key combinations of one intruder: who has them now, and which must not come back.
//!
//! A combination that somebody at risk has is *protected*: no swap and no group gives it to
//! a record. So once all records have left it, it is gone for good. Where one of them cannot
//! leave it is never gone, and a record more is company. Of every combination it is counted
//! how many records have it as the plan grows, because a record that a swap leaves alone
//! with its keys is exposed by it.

use super::members::MemberCombinations;
use crate::encode::PackedCells;
use crate::table::{Grouping, JointTable, Numbered};
use crate::varset::VarSet;

/// The combinations of one set of keys.
#[derive(Clone)]
pub(super) struct Combinations<'a> {
    /// What is known of each one, in one place: a judgement asks for all of it at once.
    all: Numbered<Combination>,
    /// The number of each cell's combination.
    of_cell: Vec<u32>,
    /// Has the cell a record at risk?
    at_risk: Vec<bool>,
    /// Those of the members, where records are households.
    members: Option<MemberCombinations<'a>>,
    /// The number of the round.
    round: u8,
}

/// Who has one combination.
#[derive(Debug, Clone, Copy, Default)]
struct Combination {
    /// How many records of the file have it; 0 for one that a swap makes or would make.
    before: u32,
    /// How many have it now.
    now: u32,
    /// How many of these came to have it.
    came: u32,
    /// Must nobody come to have it?
    protected: bool,
    /// Was it opened to others because nobody could be parted from it?
    opened: bool,
    /// In which round a swap last changed it, and in which one last took a record away; an older
    /// round may have the same number.
    changed: u8,
    left: u8,
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
        let counts = joint.counts();
        // An exchange for somebody at risk makes two combinations at most.
        let wanting = at_risk.iter().filter(|&&at_risk| at_risk > 0).count();
        let cells = joint.cells();
        let mask = cells.layout().mask(keys);
        let are_all = cells.layout().is_covered_by(&mask);
        let mut all: Numbered<Combination> = Numbered::with_room(mask, counts.len() + wanting);
        let of_cell = match are_all {
            true => all.number_all(cells.words()),
            false => {
                // Each once: words that come twice would leave gaps.
                let of_cell = Grouping::of(cells, keys).into_group_of();
                all.number_all(&firsts(cells, &of_cell));
                of_cell
            }
        };
        for ((&combination, &count), &at_risk) in of_cell.iter().zip(counts).zip(at_risk) {
            let combination = all.get_mut(combination);
            combination.before += count;
            combination.now += count;
            combination.protected |= at_risk > 0;
        }
        for (cell, &combination) in of_cell.iter().enumerate() {
            all.get_mut(combination).protected &= can_leave(cell);
        }
        let at_risk = at_risk.iter().map(|&at_risk| at_risk > 0).collect();
        Self { all, of_cell, at_risk, members: None, round: 0 }
    }

    /// The same, where the combinations of members count too.
    pub(super) fn with_members(self, members: Option<MemberCombinations<'a>>) -> Self {
        Self { members, ..self }
    }

    /// The same, where nobody may come to have the keys of these cells either, which no record
    /// has now.
    pub(super) fn with_gone(mut self, gone: &[Vec<u64>]) -> Self {
        for words in gone {
            let found = self.all.number(words);
            let combination = self.all.get_mut(found);
            combination.protected |= combination.before == 0;
        }
        self
    }

    /// Has the cell a record at risk?
    pub(super) fn is_at_risk(&self, cell: usize) -> bool {
        self.at_risk[cell]
    }

    /// Must no record come to have the keys of these words?
    pub(super) fn is_protected(&self, words: &[u64]) -> bool {
        self.having(words).is_some_and(|found| found.protected)
            || self.members.as_ref().is_some_and(|members| members.is_protected(words))
    }

    /// Has no record the keys of these words now?
    pub(super) fn is_new(&self, words: &[u64]) -> bool {
        self.having(words).is_none_or(|found| found.now == 0)
    }

    /// Has the cell somebody at risk whose keys others may come to have?
    pub(super) fn may_get_company(&self, cell: usize) -> bool {
        self.at_risk[cell] && !self.combination(cell).protected
    }

    /// From now on nobody comes to have the keys of anybody at risk, but for those that
    /// somebody has come to have already.
    pub(super) fn protect_untouched(&mut self) {
        for (&combination, &at_risk) in self.of_cell.iter().zip(&self.at_risk) {
            let combination = self.all.get_mut(combination);
            combination.protected |= at_risk && combination.came == 0;
        }
    }

    /// Others may come to have the keys of this cell, whose words these are and of which nobody
    /// was parted.
    pub(super) fn open_to_others(&mut self, cell: usize, words: &[u64]) {
        if let Some(members) = &mut self.members {
            members.open_to_others(words);
        }
        let combination = self.all.get_mut(self.of_cell[cell]);
        if combination.protected && combination.now == combination.before {
            combination.protected = false;
            combination.opened = true;
        }
    }

    /// Have others come to have the keys of a cell, so that its records stay with them?
    pub(super) fn is_joined(&self, cell: usize) -> bool {
        let combination = self.combination(cell);
        combination.opened && combination.came > 0
    }

    /// Would one record less, with these words, leave somebody alone with the keys of a cell, who
    /// is not at risk anyway?
    pub(super) fn exposes(&self, cell: usize, words: &[u64]) -> bool {
        let combination = self.combination(cell);
        (combination.now == 2 && !combination.protected)
            || self.members.as_ref().is_some_and(|members| members.exposes(words))
    }

    /// What happens when a record comes to have the keys of these words; `None` when none may.
    pub(super) fn coming(&self, words: &[u64]) -> Option<Coming> {
        let found = self.having(words).copied().unwrap_or_default();
        if found.protected {
            return None;
        }
        let is_new = found.now == 0;
        let mut exposes = is_new && found.before >= 2;
        if let Some(members) = &self.members {
            if members.is_protected(words) {
                return None;
            }
            exposes |= members.exposes_by_coming(words);
        }
        Some(Coming { exposes, is_new })
    }

    /// Do the combinations of members count too?
    pub(super) fn has_members(&self) -> bool {
        self.members.is_some()
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
        self.having(words).is_some_and(|found| found.now == 2 && found.before >= 2)
    }

    /// With `more` records more, or fewer where negative, would one be alone with keys that several
    /// had?
    pub(super) fn would_be_alone(&self, combination: u32, more: i64) -> bool {
        let combination = self.all.get(combination);
        let after = i64::from(combination.now) + more;
        more != 0 && after == 1 && combination.before >= 2
    }

    /// More than the number of any combination.
    pub(super) fn end(&self) -> usize {
        self.all.values().len()
    }

    /// How many combinations no record may come to have.
    pub(super) fn protected(&self) -> usize {
        self.all.values().iter().filter(|combination| combination.protected).count()
    }

    /// How many records have the keys of a cell now.
    pub(super) fn now(&self, cell: usize) -> u32 {
        self.combination(cell).now
    }

    /// Is exactly one record left with the keys of a cell, where there were more?
    pub(super) fn is_alone_now(&self, cell: usize) -> bool {
        let combination = self.combination(cell);
        combination.now == 1 && combination.before >= 2
    }

    /// The number of the combination of these words, if it has one: some record has or had it, or
    /// might have come to have it.
    pub(super) fn find(&self, words: &[u64]) -> Option<u32> {
        self.all.find(words)
    }

    /// A number that all have in common whose words agree in the keys, and hardly any others.
    pub(super) fn mixed(&self, words: &[u64]) -> u64 {
        self.all.mixed(words)
    }

    /// The number of a cell's combination.
    pub(super) fn of(&self, cell: usize) -> u32 {
        self.of_cell[cell]
    }

    /// A record of this cell is at risk from now on.
    pub(super) fn protect(&mut self, cell: usize) {
        self.at_risk[cell] = true;
        self.all.get_mut(self.of_cell[cell]).protected = true;
    }

    /// Nobody is at risk any more who has one of these combinations: they keep each other
    /// company. Answers their cells.
    pub(super) fn give_up(&mut self, is_one: impl Fn(u32) -> bool) -> Vec<usize> {
        let all = 0..self.of_cell.len();
        let cells: Vec<usize> = all.filter(|&cell| is_one(self.of_cell[cell])).collect();
        for &cell in &cells {
            self.all.get_mut(self.of_cell[cell]).protected = false;
            self.at_risk[cell] = false;
        }
        cells
    }

    /// From now on this round notes which combinations swaps change.
    pub(super) fn begin_round(&mut self) {
        self.round = self.round.wrapping_add(1);
    }

    /// May a swap of this round have made it worse to leave a combination?
    pub(super) fn is_worse_to_leave(&self, combination: u32) -> bool {
        self.all.get(combination).changed == self.round
    }

    /// May a swap of this round have made it worse to come to have a combination? It is as good or
    /// better where others have come to have it.
    pub(super) fn is_worse_to_have(&self, combination: u32) -> bool {
        self.all.get(combination).left == self.round
    }

    /// A record of this cell, whose words these are, gives up its keys.
    pub(super) fn leave(&mut self, cell: usize, words: &[u64]) {
        self.leave_from(self.of_cell[cell]);
        if let Some(members) = &mut self.members {
            members.leave(words);
        }
    }

    /// A record gives up the keys of this number, which were its own.
    pub(super) fn leave_from(&mut self, own: u32) {
        let combination = self.all.get_mut(own);
        combination.now = one_less(combination.now);
        [combination.changed, combination.left] = [self.round; 2];
        // Where it was opened it is gone after all, and for good.
        combination.protected |= combination.now == 0 && combination.opened;
    }

    /// It has them again.
    pub(super) fn come_home(&mut self, cell: usize, words: &[u64]) {
        self.come_home_to(self.of_cell[cell]);
        if let Some(members) = &mut self.members {
            members.arrive(words);
        }
    }

    /// A record has the keys of this number again, which were its own.
    pub(super) fn come_home_to(&mut self, own: u32) {
        let combination = self.all.get_mut(own);
        combination.now += 1;
        combination.changed = self.round;
    }

    /// A record comes to have these keys.
    pub(super) fn arrive(&mut self, words: &[u64]) {
        let found = self.all.number(words);
        self.arrive_at(found);
        if let Some(members) = &mut self.members {
            members.arrive(words);
        }
    }

    /// The numbers of the combinations of many words, one after the other, which nobody may have or
    /// have had.
    pub(super) fn number_all(&mut self, words: &[u64]) -> Vec<u32> {
        self.all.number_all(words)
    }

    /// A record comes to have the keys of this number.
    pub(super) fn arrive_at(&mut self, found: u32) {
        let combination = self.all.get_mut(found);
        combination.now += 1;
        combination.came += 1;
        combination.changed = self.round;
    }

    /// It does not have them after all.
    pub(super) fn go(&mut self, words: &[u64]) {
        let found = self.all.find(words).expect("the keys of a record are known");
        self.go_from(found);
        if let Some(members) = &mut self.members {
            members.leave(words);
        }
    }

    /// A record does not have the keys of this number after all.
    pub(super) fn go_from(&mut self, found: u32) {
        let combination = self.all.get_mut(found);
        combination.now = one_less(combination.now);
        combination.came = one_less(combination.came);
        [combination.changed, combination.left] = [self.round; 2];
    }

    /// Every record has its own keys again.
    pub(super) fn reset(&mut self) {
        for combination in self.all.values_mut() {
            combination.now = combination.before;
            combination.came = 0;
        }
        if let Some(members) = &mut self.members {
            members.reset();
        }
    }

    /// How many have the keys of these words now, and may nobody come to have them?
    #[cfg(test)]
    pub(super) fn told(&self, words: &[u64]) -> (u32, bool) {
        self.having(words).map_or((0, false), |found| (found.now, found.protected))
    }

    /// What is known of a cell's combination.
    fn combination(&self, cell: usize) -> &Combination {
        self.all.get(self.of_cell[cell])
    }

    /// What is known of the combination of these words, if it has a number.
    fn having(&self, words: &[u64]) -> Option<&Combination> {
        self.all.find(words).map(|found| self.all.get(found))
    }
}

/// The words of the first cell of each group.
fn firsts(cells: &PackedCells, group_of: &[u32]) -> Vec<u64> {
    let mut groups = 0;
    let is_first = |(_, group): &(&[u64], &u32)| {
        let is_first = **group == groups;
        groups += u32::from(is_first);
        is_first
    };
    cells.iter().zip(group_of).filter(is_first).flat_map(|(cell, _)| cell).copied().collect()
}

fn one_less(count: u32) -> u32 {
    count.checked_sub(1).expect("a record that leaves was there")
}

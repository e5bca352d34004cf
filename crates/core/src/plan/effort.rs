//! How much work planning may take: one budget for a job, in shares for its searches.
//!
//! Work is counted and never timed, so a job ends with the same plan on every machine and with any
//! number of threads. A unit of work is about one comparison of two cells. Each search has an
//! account: one part for every reading of the file and one for every person at risk. It asks
//! what is left before work is handed out to threads, and books what was done when all have come
//! back.
//!
//! Together the accounts come to [`READINGS`] readings and [`Effort::EACH`] units for each person
//! at risk. A search that finds its account empty ends with what it has, and the plan tells.
//!
//! Every constant that bounds work in `plan` is here; those about the size of blocks are where they
//! are used.
//!
//! Law: `work-follows-the-size`.

use std::ops::RangeInclusive;

/// How much work a job may take.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Level {
    /// An eighth of the usual: a first look.
    Quick,
    /// The usual.
    #[default]
    Normal,
    /// Eight times the usual.
    Long,
}

impl Level {
    /// A limit that holds for the usual work, at this level.
    fn of(self, usual: u64) -> u64 {
        match self {
            Self::Quick => usual.div_ceil(8),
            Self::Normal => usual,
            Self::Long => usual.saturating_mul(8),
        }
    }
}

/// The searches that have an account of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Search {
    /// Cells that differ in one set of variables (`nearest`).
    Nearest,
    /// Partners through the slices of every separator (`slice_search`).
    Slices,
    /// Room for those whose partners are taken (`augment`).
    Room,
    /// Two swaps that become one (`merge`).
    Merging,
    /// Random swaps (`slice_search`).
    Random,
    /// Permutations of whole slices (`permute`).
    Permutations,
    /// The best pairing where nobody asked for it (`optimal`).
    Optimal,
    /// Swaps of more than two records (`groups`, `regroup`).
    Larger,
    /// Boxes that bring each other what they lack (`moves/linked`).
    Linked,
    /// Who could be freed if nothing else were asked (`groups`).
    Barred,
    /// Why somebody is left without a swap (`unprotected`).
    Reasons,
    /// How many can be parted at most (`upper_bound`).
    Bound,
    /// Partners by whom people are hidden (`hide`).
    Hiding,
}

/// The share of one search: eighths of a reading of the file, and units for each person at risk.
struct Share {
    search: Search,
    eighths: u64,
    each: u64,
}

const fn share(search: Search, eighths: u64, each: u64) -> Share {
    Share { search, eighths, each }
}

/// The shares of all searches, in the order of [`Search`]. That of larger swaps lets everybody ask with all
/// the steps of a question, twice.
const SHARES: [Share; 13] = [
    share(Search::Nearest, 24, 1 << 15),
    share(Search::Slices, 36, 1 << 18),
    share(Search::Room, 8, 1 << 18),
    share(Search::Merging, 8, 1 << 17),
    share(Search::Random, 40, 1 << 17),
    share(Search::Permutations, 8, 1 << 19),
    share(Search::Optimal, 16, 1 << 18),
    share(Search::Larger, 4, 1 << 22),
    share(Search::Linked, 0, 1 << 20),
    share(Search::Barred, 0, 1 << 19),
    share(Search::Reasons, 4, 1 << 18),
    share(Search::Bound, 4, 1 << 18),
    share(Search::Hiding, 8, 1 << 20),
];

/// All accounts together hold this many readings of the file.
pub const READINGS: u64 = 20;

/// To read one value takes as long as this many comparisons, and a record as long as this many
/// values at least.
const READING: u64 = 8;
const LEAST_VALUES: u64 = 8;

/// A job with fewer people at risk has the work of this many.
const LEAST_PEOPLE: u64 = 64;

/// Judging an exchange takes as long as this many comparisons.
pub(super) const JUDGING: usize = 16;

/// To work out what a pair offers that differs in a set of its own takes as long as this many.
pub(super) const WORKING_OUT: usize = 64;

/// To ask whether two cells can be a pair, as most cannot, takes as long as this many.
pub(super) const PAIRING: usize = 4;

/// A partner by whom somebody may be hidden takes as long as this many.
pub(super) const LOOKING: u64 = 32;

/// Four steps of an assignment take as long as one comparison.
pub(super) const STEPS_OF_ASSIGNMENT: u64 = 4;

// nearest

/// With this many cells of its bucket a cell is compared.
pub(super) const TRIES: usize = 12;

/// This many cells may be read for each swap that is made, over [`PATIENCE`] rounds.
pub(super) const READ_PER_SWAP: usize = 1024;
pub(super) const PATIENCE: usize = 12;

// merge

/// This many swaps may be read for each pair that becomes one: a look at a swap is short, and a
/// pair is a swap less.
pub(super) const READ_PER_MERGER: usize = 1 << 12;

/// This many swaps may be read before the rounds are asked for their yield.
pub(super) const READ_FREELY: usize = 1 << 18;

// through

/// How many comparisons one pass may take, for each cell of the file, and at least.
pub(super) const COMPARISONS_PER_CELL: usize = 4;
pub(super) const COMPARISONS_AT_LEAST: usize = 1 << 21;

/// How many comparisons passes that bring little may take in one look, for each cell of the file,
/// and at least.
const LOST_PER_CELL: u64 = 256;
const LOST_AT_LEAST: u64 = 1 << 26;

/// Among this many partners, drawn at random, a record that nobody is after finds its own; through
/// each separator at least this many.
pub(super) const DRAWN: usize = 256;
pub(super) const DRAWN_AT_LEAST: usize = 16;

/// A cell that found no partner among this many others looks at no more of them.
pub(super) const FAR: usize = 1 << 14;

// augment

/// How many cells are looked at for each open cell and separator, and for all open cells together.
pub(super) const LOOKED_AT: usize = 1024;
const LOOKED_AT_IN_ALL: u64 = 2_000_000;

/// How many records with a swap are tried for each open record.
pub(super) const TRIED: usize = 64;

// permute

/// This many records of a slice take part in one assignment: everybody who is left first, of whom
/// there are at most [`MOST_LEFT_IN_SLICE`].
pub(super) const MOST_IN_SLICE: usize = 600;
pub(super) const MOST_LEFT_IN_SLICE: usize = 200;

/// How many cells are sorted into slices, and how many costs are worked out, over all separators
/// and rounds.
const MOST_SORTED: u64 = 60_000_000;
const MOST_COSTS: u64 = 60_000_000;

// optimal

/// Up to this many pairs of cells the best pairing is tried without being asked for.
const TRIED_UNASKED: u64 = 20_000_000;

// groups

/// The steps that the question for one record may take, for each cell of the file, and at most.
const STEPS_PER_CELL: u64 = 200;
const MOST_STEPS: u64 = 40_000;

/// The steps in search of linked boxes for all questions of a pass.
const LINKED_IN_ALL: u64 = 250_000_000;

/// This many cells that are left are asked for once more.
pub(super) const MOST_ASKED_AGAIN: usize = 5000;

// left

/// The steps for all left records together, one for each pair of cells.
const STEPS_FOR_REASONS: u64 = 150_000_000;

/// To ask what a pair offers takes this many steps; to refuse it, when all unions of its parts were
/// tried, this many.
pub(super) const OFFERING: usize = 8;
pub(super) const REFUSING: usize = 64;

// most

/// The steps of all assignments that bound how many can be parted.
const STEPS_FOR_THE_BOUND: u64 = 800_000_000;

// hide

/// All people who look in one round together look at this many cells, each at this many at least.
/// Where a round brings little, who is left looks at as many as that allows; before, at this many
/// at most.
const LOOKS: u64 = 1 << 20;
pub(super) const LOOKS_EACH: RangeInclusive<usize> = 32..=2048;

/// All swaps that may be replaced together look at this many partners, each at this many at least,
/// and this often at most.
const LOOKS_AT_CHEAPER: u64 = 1 << 18;
pub(super) const LEAST_LOOKS_AT_CHEAPER: usize = 64;
pub(super) const PASSES: usize = 4;

/// What planning may still do, and what it has done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effort {
    level: Level,
    /// What each search may do in all, and what it has done.
    accounts: [Account; SHARES.len()],
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Account {
    most: u64,
    spent: u64,
    /// Did the search end because the account was empty?
    is_short: bool,
}

impl Effort {
    /// The units for each person at risk, in all accounts together.
    pub const EACH: u64 = {
        let (mut each, mut place) = (0, 0);
        while place < SHARES.len() {
            each += SHARES[place].each;
            place += 1;
        }
        each
    };

    /// The work for a file of these records and variables, with this many people at risk.
    #[must_use]
    pub fn new(level: Level, records: usize, variables: usize, people: u64) -> Self {
        let values = (records as u64).saturating_mul((variables as u64).max(LEAST_VALUES));
        let reading = values.saturating_mul(READING);
        let people = people.max(LEAST_PEOPLE);
        let account = |Share { eighths, each, .. }: &Share| {
            let most = (reading / 8).saturating_mul(*eighths) + each.saturating_mul(people);
            Account { most: level.of(most), ..Account::default() }
        };
        Self { level, accounts: SHARES.each_ref().map(account) }
    }

    /// What all accounts held in the beginning.
    #[must_use]
    pub fn most(&self) -> u64 {
        self.accounts.iter().map(|account| account.most).sum()
    }

    /// The work that was done.
    #[must_use]
    pub fn spent(&self) -> u64 {
        self.accounts.iter().map(|account| account.spent).sum()
    }

    /// The work that one search did, and what its account held in the beginning.
    #[must_use]
    pub fn spent_on(&self, search: Search) -> (u64, u64) {
        let Account { most, spent, .. } = self.accounts[search as usize];
        (spent, most)
    }

    /// The searches that ended because their account was empty.
    #[must_use]
    pub fn short(&self) -> Vec<Search> {
        let short = SHARES.iter().filter(|share| self.accounts[share.search as usize].is_short);
        short.map(|share| share.search).collect()
    }

    /// What is left for a search.
    pub(super) fn left(&self, search: Search) -> u64 {
        let Account { most, spent, .. } = self.accounts[search as usize];
        most.saturating_sub(spent)
    }

    /// Is nothing left for a search that has more to do? From then on the plan tells.
    pub(super) fn is_short(&mut self, search: Search) -> bool {
        let is_short = self.left(search) == 0;
        self.accounts[search as usize].is_short |= is_short;
        is_short
    }

    /// A search ended before it was done, since what was left did not go round.
    pub(super) fn fell_short(&mut self, search: Search) {
        self.accounts[search as usize].is_short = true;
    }

    /// Books work that was done.
    pub(super) fn spend(&mut self, search: Search, units: u64) {
        let spent = &mut self.accounts[search as usize].spent;
        *spent = spent.saturating_add(units);
    }

    /// Of so much that is asked for, what is left, as a number of things.
    fn at_most(&self, search: Search, usual: u64) -> usize {
        let most = self.level.of(usual).min(self.left(search));
        usize::try_from(most).unwrap_or(usize::MAX)
    }

    /// The comparisons that may bring little in one look through slices.
    pub(super) fn lost(&self, search: Search, cells: usize) -> usize {
        let lost = (cells as u64 * LOST_PER_CELL).max(LOST_AT_LEAST);
        self.at_most(search, lost)
    }

    /// The cells that are looked at to make room.
    pub(super) fn looked_at_for_room(&self) -> usize {
        self.at_most(Search::Room, LOOKED_AT_IN_ALL)
    }

    /// The cells that are sorted for permutations, and the costs that are worked out.
    pub(super) fn permutations(&self) -> [usize; 2] {
        [MOST_SORTED, MOST_COSTS].map(|most| self.at_most(Search::Permutations, most))
    }

    /// The pairs of cells among which the best pairing is looked for unasked.
    pub(super) fn pairs_tried_unasked(&self) -> usize {
        let most = self.level.of(TRIED_UNASKED).min(self.left(Search::Optimal) / PAIRING as u64);
        usize::try_from(most).unwrap_or(usize::MAX)
    }

    /// The steps for each of some records that are left.
    pub(super) fn steps_for_reasons(&self, records: usize) -> usize {
        self.at_most(Search::Reasons, STEPS_FOR_REASONS) / records.max(1)
    }

    /// The steps of all assignments that bound how many can be parted.
    pub(super) fn steps_for_the_bound(&self) -> usize {
        let left = self.left(Search::Bound).saturating_mul(STEPS_OF_ASSIGNMENT);
        usize::try_from(self.level.of(STEPS_FOR_THE_BOUND).min(left)).unwrap_or(usize::MAX)
    }

    /// The steps that one of these questions may take in a file of `cells` cells, where all others
    /// take as many and half of what is left remains; and those in search of linked boxes.
    pub(super) fn steps_of_a_question(&self, search: Search, cells: usize, asked: usize) -> Steps {
        let usual = self.level.of((STEPS_PER_CELL * cells as u64).min(MOST_STEPS));
        let asked = (asked as u64).max(1);
        let steps = usual.min(self.left(search) / 2 / asked / STEP);
        let linked = self.level.of(LINKED_IN_ALL).min(self.left(Search::Linked)) / asked;
        Steps { usual, steps, linked: linked.min(usual * STEP) }
    }

    /// The partners that all who look in one round look at together.
    pub(super) fn looks(&self) -> usize {
        usize::try_from(self.level.of(LOOKS)).unwrap_or(usize::MAX)
    }

    /// The partners that each of some people may still look at, of this many.
    pub(super) fn looks_left(&self, people: usize, looks: usize) -> usize {
        let left = self.left(Search::Hiding) / LOOKING / people.max(1) as u64;
        usize::try_from(left).unwrap_or(usize::MAX).min(looks)
    }

    /// The partners that are looked at in search of cheaper swaps.
    pub(super) fn looks_at_cheaper(&self) -> usize {
        let left = self.left(Search::Hiding) / LOOKING;
        usize::try_from(self.level.of(LOOKS_AT_CHEAPER).min(left)).unwrap_or(usize::MAX)
    }
}

/// A step of a question about larger swaps takes as long as this many comparisons; one in search of
/// linked boxes as long as one.
const STEP: u64 = crate::moves::LINKING;

/// The steps that one question may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Steps {
    /// Where there is work enough.
    usual: u64,
    /// With what is left.
    pub(super) steps: u64,
    /// In search of linked boxes.
    pub(super) linked: u64,
}

impl Steps {
    /// Is there so little left that nothing would be found?
    pub(super) fn are_too_few(self) -> bool {
        self.steps < self.usual.div_ceil(64)
    }

    /// Would a question have gone on that took as many steps as this one?
    pub(super) fn end(self, taken: u64) -> bool {
        self.steps < self.usual && taken >= self.steps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_in_order_and_come_to_twenty_readings() {
        assert!(SHARES.iter().enumerate().all(|(place, share)| share.search as usize == place));
        let eighths: u64 = SHARES.iter().map(|share| share.eighths).sum();
        assert_eq!(eighths, 8 * READINGS);
    }

    #[test]
    fn the_budget_follows_the_size_and_the_level() {
        let work = |level, records, people| Effort::new(level, records, 12, people).most();
        let readings = |records: u64| READINGS * READING * 12 * records;
        for (records, people) in [(200, 115), (3000, 64), (1_000_000, 200_000)] {
            let most = work(Level::Normal, usize::try_from(records).unwrap(), people);
            assert_eq!(most, readings(records) + Effort::EACH * people);
        }
        // Nobody at risk: random swaps take work too.
        assert_eq!(work(Level::Normal, 0, 0), Effort::EACH * LEAST_PEOPLE);
        assert_eq!(work(Level::Long, 800, 100), 8 * work(Level::Normal, 800, 100));
        assert_eq!(work(Level::Normal, 800, 100), 8 * work(Level::Quick, 800, 100));
    }

    #[test]
    fn an_empty_account_is_told() {
        let mut effort = Effort::new(Level::Normal, 100, 3, 1);
        let (_, most) = effort.spent_on(Search::Room);
        effort.spend(Search::Room, most - 1);
        assert!(!effort.is_short(Search::Room) && effort.looked_at_for_room() == 1);
        effort.spend(Search::Room, 5);
        assert!(effort.short().is_empty());
        assert!(effort.is_short(Search::Room));
        assert_eq!((effort.short(), effort.spent()), (vec![Search::Room], most + 4));
        assert_eq!(effort.looked_at_for_room(), 0);
    }
}

//! What an intruder who knows the keys learns, from the contents of the two files alone.
//!
//! A released file has no line numbers, so nothing here asks which record became which. The
//! intruder knows the key values of a person and looks them up in the released file:
//!
//! | fate | released records with the person's keys | what is learned |
//! |---|---|---|
//! | gone | none | nothing |
//! | shared | two or more | the sensitive values on which all of them agree |
//! | matched | exactly one | every sensitive value of that record |
//!
//! What is learned may be false. How much of it is true is the measure, next to what a record
//! drawn at random from the released file would give.
//!
//! A person is *protected* who is gone, or whose keys are shared by records of which the
//! intruder learns too little: at least `needed` of the sensitive values are not learned
//! truly, and the records are not just the ones that shared the keys before.
//!
//! Edge case: without a sensitive variable every match is right in everything. With all
//! variables as keys a match therefore is a record that was released as it is.
//!
//! Trap: a person is *newly exposed* without being at risk before: taking one of two records
//! with the same keys away leaves the other alone with them.
//!
//! Way in: [`learned`], [`worst_case`]. Slow twin: [`crate::oracle::World::met`].

use rayon::prelude::*;

use super::Pooled;
use super::pooled::Groups;
use crate::columns::Households;
use crate::encode::{PackedCells, RecordId};
use crate::varset::VarSet;

/// One intruder: what is known, what is to be hidden, and whose records are at risk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scenario<'a> {
    /// The variables the intruder knows.
    pub keys: VarSet,
    /// The variables the intruder wants to learn; by default every other one.
    pub sensitive: VarSet,
    /// How many of these must not be learned truly about somebody who is protected; at
    /// least one.
    pub needed: usize,
    /// The people whose records are at risk.
    pub at_risk: AtRisk<'a>,
}

/// Who is at risk in the original file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AtRisk<'a> {
    /// Everybody who is alone with their keys.
    Alone,
    /// These records: an entry for each record of the original file.
    Listed(&'a [bool]),
}

/// What an intruder meets who looks a person up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// No released record has the person's keys.
    Gone,
    /// Two or more have them.
    Shared {
        /// How many.
        records: u32,
        /// The sensitive variables on which all of them agree: what is learned.
        agreed: VarSet,
        /// Those of them whose value is the person's.
        correct: VarSet,
        /// Are they, on keys and sensitive variables, the records that had these keys
        /// before?
        as_before: bool,
    },
    /// Exactly one has them.
    Matched {
        /// The sensitive variables whose value is the person's.
        correct: VarSet,
    },
}

impl Fate {
    /// Which of the three it is.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        match self {
            Self::Gone => Outcome::Gone,
            Self::Shared { .. } => Outcome::Shared,
            Self::Matched { .. } => Outcome::Matched,
        }
    }

    /// Does the intruder learn every sensitive value, and all of them truly?
    #[must_use]
    pub fn is_right(&self, sensitive: VarSet) -> bool {
        match self {
            Self::Gone => false,
            Self::Shared { correct, .. } | Self::Matched { correct } => *correct == sensitive,
        }
    }

    /// Is the person protected: gone, or shared with at least `needed` sensitive values that
    /// are not learned truly, by records that are not the same as before?
    #[must_use]
    pub fn is_protected(&self, sensitive: VarSet, needed: usize) -> bool {
        match self {
            Self::Gone => true,
            Self::Shared { correct, as_before, .. } => {
                !as_before && (sensitive - *correct).len() >= needed
            }
            Self::Matched { .. } => false,
        }
    }
}

/// A fate without its numbers, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// No released record has the person's keys.
    Gone,
    /// Two or more have them.
    Shared,
    /// Exactly one has them.
    Matched,
}

/// An exact fraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Share {
    /// Its numerator.
    pub numerator: u128,
    /// Its denominator; 0 when there is nothing to take a share of.
    pub denominator: u128,
}

impl Share {
    /// The fraction as a number to be shown; `None` of nothing.
    #[must_use]
    pub fn value(&self) -> Option<f64> {
        (self.denominator > 0).then(|| self.numerator as f64 / self.denominator as f64)
    }
}

/// Values that are learned about people, and how many of them are true.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Values {
    /// How many values are learned.
    pub learned: u64,
    /// How many of them are the person's own.
    pub correct: u64,
    /// The share that would be true if each were read off a released record drawn at random:
    /// the released records with the person's value, summed, of `learned` times all.
    pub by_chance: Share,
}

impl Values {
    /// The share of true values.
    #[must_use]
    pub fn share(&self) -> Share {
        Share { numerator: self.correct.into(), denominator: self.learned.into() }
    }
}

/// What an intruder learns in one scenario. Every number is exact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Learned {
    /// What the intruder knows.
    pub keys: VarSet,
    /// What the intruder wants to learn.
    pub sensitive: VarSet,
    /// People at risk: `gone + shared + matched`.
    pub at_risk: u64,
    /// Of these, the ones whose keys no released record has.
    pub gone: u64,
    /// The ones whose keys two or more have.
    pub shared: u64,
    /// The ones whose keys exactly one has.
    pub matched: u64,
    /// Of the shared, the ones about whom every sensitive value is learned truly.
    pub shared_right: u64,
    /// Of the other shared ones, those whose records are the same as before.
    pub shared_unchanged: u64,
    /// Of the rest of the shared, those about whom too much is learned truly.
    pub shared_learned: u64,
    /// Of the matched, the ones with every sensitive value true.
    pub matched_right: u64,
    /// The values on the matched records: `matched` times the sensitive variables.
    pub matched_values: Values,
    /// The values on which the sharing records agree.
    pub shared_values: Values,
    /// How many of the matched have t true values, for t from 0 to the number of sensitive
    /// variables.
    pub matched_by_correct: Vec<u64>,
    /// Original records, at risk or not, whose keys two or more original records had and
    /// exactly one released record has, which agrees with them in every sensitive value.
    pub newly_exposed: u64,
    needed: usize,
    /// How many records the original file has.
    records: usize,
    /// What happened to those at risk, in the order of the file.
    fates: Vec<(RecordId, Fate)>,
    exposed: Vec<RecordId>,
    /// How many people each record of the list is; empty where each is one.
    people: Vec<u32>,
}

impl Learned {
    /// People at risk who are protected: the gone, and the shared who are in none of the
    /// three groups about whom too much is known.
    #[must_use]
    pub fn protected(&self) -> u64 {
        self.gone + self.shared - self.shared_right - self.shared_unchanged - self.shared_learned
    }

    /// What happened to a record of the original file; `None` when it is not at risk.
    ///
    /// # Panics
    /// When the original file has no such record.
    #[must_use]
    pub fn fate(&self, record: RecordId) -> Option<Fate> {
        assert!(record.position() < self.records, "the original file has this record");
        let place = self.fates.binary_search_by_key(&record, |(record, _)| *record).ok()?;
        Some(self.fates[place].1)
    }

    /// The records at risk, in the order of the original file.
    pub fn records_at_risk(&self) -> impl Iterator<Item = RecordId> {
        self.fates.iter().map(|(record, _)| *record)
    }

    /// What is learned about households, for each of their members: a member has the fate of the
    /// household.
    ///
    /// # Panics
    /// When the records are not these households.
    #[must_use]
    pub fn of_members(&self, households: &Households) -> Self {
        assert_eq!(self.records, households.len(), "the records are the households");
        let members = |household: &RecordId| {
            let lines = households.members(household.position()).iter();
            lines.map(|&line| RecordId::at(line as usize))
        };
        let fates = self.fates.iter();
        let mut fates: Vec<(RecordId, Fate)> =
            fates.flat_map(|(one, fate)| members(one).map(|line| (line, *fate))).collect();
        fates.sort_unstable_by_key(|(line, _)| *line);
        let mut exposed: Vec<RecordId> = self.exposed.iter().flat_map(members).collect();
        exposed.sort_unstable();
        let mut found = Self {
            at_risk: 0,
            gone: 0,
            shared: 0,
            matched: 0,
            shared_right: 0,
            shared_unchanged: 0,
            shared_learned: 0,
            matched_right: 0,
            matched_values: Values::default(),
            shared_values: Values::default(),
            matched_by_correct: vec![0; self.matched_by_correct.len()],
            newly_exposed: exposed.len() as u64,
            records: households.lines(),
            fates: Vec::new(),
            exposed,
            ..self.clone()
        };
        fates.iter().for_each(|(_, fate)| found.add(*fate, 1));
        // What a record drawn at random would give is a share, and that of the households.
        found.shared_values.by_chance = self.shared_values.by_chance;
        found.matched_values.by_chance = self.matched_values.by_chance;
        found.fates = fates;
        found
    }

    /// The newly exposed records of the original file, in its order.
    #[must_use]
    pub fn newly_exposed_records(&self) -> &[RecordId] {
        &self.exposed
    }
}

/// What an intruder learns about the people at risk.
///
/// Laws: `learned-by-definition`, `learned-is-blind-to-order`.
///
/// # Panics
/// When the list of those at risk does not have an entry for each original record.
#[must_use]
pub fn learned(pooled: &Pooled, scenario: &Scenario<'_>) -> Learned {
    let mut lookup = Lookup::of(pooled, scenario);
    let before = pooled.before().len();
    let mut found = Learned {
        keys: scenario.keys,
        sensitive: scenario.sensitive,
        at_risk: 0,
        gone: 0,
        shared: 0,
        matched: 0,
        shared_right: 0,
        shared_unchanged: 0,
        shared_learned: 0,
        matched_right: 0,
        matched_values: Values::default(),
        shared_values: Values::default(),
        matched_by_correct: vec![0; scenario.sensitive.len() + 1],
        newly_exposed: 0,
        needed: scenario.needed.max(1),
        records: before,
        fates: Vec::new(),
        exposed: Vec::new(),
        people: pooled.people().to_vec(),
    };
    if let AtRisk::Listed(list) = scenario.at_risk {
        assert_eq!(list.len(), before, "each original record is at risk or not");
    }
    let listed = 0..pooled.weights().len();
    let exposed: Vec<bool> =
        listed.into_par_iter().map(|listed| lookup.is_newly_exposed(listed)).collect();
    let is_at_risk = |position: usize, listed: usize| match scenario.at_risk {
        AtRisk::Alone => lookup.counts(listed)[0] == 1,
        AtRisk::Listed(list) => list[position],
    };
    // Most people are neither.
    let told: Vec<(usize, usize)> = pooled
        .before()
        .par_iter()
        .enumerate()
        .map(|(position, &listed)| (position, listed as usize))
        .filter(|&(position, listed)| exposed[listed] || is_at_risk(position, listed))
        .collect();
    let newly_exposed = told.par_iter().filter(|(_, listed)| exposed[*listed]);
    found.exposed = newly_exposed.map(|(position, _)| RecordId::at(*position)).collect();
    found.newly_exposed = found.exposed.iter().map(|one| found.people(one.position())).sum();
    let at_risk: Vec<(usize, usize)> =
        told.into_par_iter().filter(|&(position, listed)| is_at_risk(position, listed)).collect();
    if at_risk.par_iter().any(|&(_, listed)| lookup.may_be_as_before(listed)) {
        lookup.compare_groups();
    }
    let fates: Vec<(RecordId, Fate)> = at_risk
        .into_par_iter()
        .map(|(position, listed)| (RecordId::at(position), lookup.fate(listed)))
        .collect();
    fates.iter().for_each(|(record, fate)| found.add(*fate, found.people(record.position())));
    found.fates = fates;
    let [shared, matched] = by_chance(pooled, &found);
    found.shared_values.by_chance = shared;
    found.matched_values.by_chance = matched;
    found
}

impl Learned {
    /// How many people a record of the original is: one, or as many as were counted.
    fn people(&self, position: usize) -> u64 {
        self.people.get(position).map_or(1, |&people| people.into())
    }

    /// Adds what happened to `people` people.
    fn add(&mut self, fate: Fate, people: u64) {
        let right = fate.is_right(self.sensitive);
        self.at_risk += people;
        match fate {
            Fate::Gone => self.gone += people,
            Fate::Shared { agreed, correct, as_before, .. } => {
                self.shared += people;
                if right {
                    self.shared_right += people;
                } else if as_before {
                    self.shared_unchanged += people;
                } else if !fate.is_protected(self.sensitive, self.needed) {
                    self.shared_learned += people;
                }
                self.shared_values.learned += agreed.len() as u64 * people;
                self.shared_values.correct += correct.len() as u64 * people;
            }
            Fate::Matched { correct } => {
                self.matched += people;
                self.matched_right += if right { people } else { 0 };
                self.matched_values.learned += self.sensitive.len() as u64 * people;
                self.matched_values.correct += correct.len() as u64 * people;
                self.matched_by_correct[correct.len()] += people;
            }
        }
    }
}

/// What a released record drawn at random would give of the values that are learned about
/// the shared and about the matched.
fn by_chance(pooled: &Pooled, found: &Learned) -> [Share; 2] {
    let sums = |variable: usize| -> [u128; 2] {
        let groups = pooled.groups(VarSet::single(variable));
        let counts = pooled.count(&groups);
        let mut sums = [0; 2];
        for (record, fate) in &found.fates {
            let place = match fate {
                Fate::Shared { agreed, .. } if agreed.contains(variable) => 0,
                Fate::Matched { .. } => 1,
                _ => continue,
            };
            let listed = pooled.before()[record.position()] as usize;
            let [_, after] = counts[groups.of[listed] as usize];
            sums[place] += u128::from(after) * u128::from(found.people(record.position()));
        }
        sums
    };
    let variables: Vec<usize> = found.sensitive.iter().collect();
    let [shared, matched] = variables
        .par_iter()
        .map(|&variable| sums(variable))
        .reduce(|| [0; 2], |left, right| [left[0] + right[0], left[1] + right[1]]);
    let [_, released] = pooled.records();
    let share = |numerator: u128, values: &Values| Share {
        numerator,
        denominator: u128::from(values.learned) * released as u128,
    };
    [share(shared, &found.shared_values), share(matched, &found.matched_values)]
}

/// The released file, as one looks people up in it by their keys.
struct Lookup<'a> {
    pooled: &'a Pooled,
    keys: VarSet,
    sensitive: VarSet,
    groups: Groups,
    counts: Vec<[u32; 2]>,
    /// For each group the place of what is known of it.
    place: Vec<u32>,
    known: Known,
    /// For each group: are its records, on keys and sensitive variables, the same in both
    /// files? Nothing until it is asked for.
    as_before: Vec<bool>,
}

/// What the released records of all key combinations say together.
#[derive(Default)]
struct Known {
    /// For each of them one of its cells, as it is listed.
    examples: Vec<u32>,
    /// And the bits in which another one differs from it, word by word.
    apart: Vec<u64>,
}

impl Known {
    /// Adds the first cell of a key combination; answers its number.
    fn add(&mut self, listed: usize, words: usize) -> u32 {
        let next = self.examples.len();
        self.examples.push(number(listed));
        self.apart.resize((next + 1) * words, 0);
        number(next)
    }

    /// Adds another cell of a key combination.
    fn add_to(&mut self, place: usize, cell: &[u64], cells: &PackedCells) {
        let example = cells.get(self.examples[place] as usize);
        let apart = &mut self.apart[place * cell.len()..][..cell.len()];
        for (apart, (own, other)) in apart.iter_mut().zip(example.iter().zip(cell)) {
            *apart |= own ^ other;
        }
    }

    /// The variables in which the cells of a key combination do not all agree, and those in which
    /// its first one differs from this cell.
    fn differing(&self, place: usize, cell: &[u64], cells: &PackedCells) -> [VarSet; 2] {
        let apart = &self.apart[place * cell.len()..][..cell.len()];
        let example = cells.get(self.examples[place] as usize);
        [cells.layout().touched(apart), cells.layout().differing(example, cell)]
    }
}

fn number(position: usize) -> u32 {
    u32::try_from(position).expect("there are fewer than 2^32 cells")
}

impl<'a> Lookup<'a> {
    /// Goes through the released cells once.
    fn of(pooled: &'a Pooled, scenario: &Scenario<'_>) -> Self {
        const NOTHING: u32 = u32::MAX;
        let groups = pooled.groups(scenario.keys);
        let counts = pooled.count(&groups);
        let cells = pooled.cells();
        let mut place = vec![NOTHING; groups.number];
        let mut known = Known::default();
        let words = cells.layout().words();
        for (listed, &[_, released]) in pooled.weights().iter().enumerate() {
            let group = groups.of[listed] as usize;
            if released == 0 || counts[group][0] == 0 {
                // No original record has these keys, so nobody looks them up.
                continue;
            }
            if place[group] == NOTHING {
                place[group] = known.add(listed, words);
            } else {
                known.add_to(place[group] as usize, cells.get(listed), cells);
            }
        }
        let (keys, sensitive) = (scenario.keys, scenario.sensitive);
        Self { pooled, keys, sensitive, groups, counts, place, known, as_before: Vec::new() }
    }

    /// Have several released records the keys of a listed cell, as many as before? Then it is
    /// asked whether they are the same ones.
    fn may_be_as_before(&self, listed: usize) -> bool {
        let [before, after] = self.counts(listed);
        before == after && after > 1
    }

    /// Finds out of which groups the records are the same in both files.
    fn compare_groups(&mut self) {
        let finer = self.pooled.groups(self.keys | self.sensitive);
        let counts = self.pooled.count(&finer);
        let mut same = vec![true; self.groups.number];
        for (&group, &part) in self.groups.of.iter().zip(&finer.of) {
            let [before, after] = counts[part as usize];
            same[group as usize] &= before == after;
        }
        self.as_before = same;
    }

    /// How many records of each file have the keys of a listed cell.
    fn counts(&self, listed: usize) -> [u32; 2] {
        self.counts[self.groups.of[listed] as usize]
    }

    /// What the released records with the keys of a cell of the original agree on, and where
    /// they agree with it; there is at least one such record.
    fn agreement(&self, listed: usize) -> (VarSet, VarSet) {
        let place = self.place[self.groups.of[listed] as usize] as usize;
        let cells = self.pooled.cells();
        let [apart, other] = self.known.differing(place, cells.get(listed), cells);
        let agreed = self.sensitive - apart;
        (agreed, agreed - other)
    }

    fn fate(&self, listed: usize) -> Fate {
        let [_, records] = self.counts(listed);
        if records == 0 {
            return Fate::Gone;
        }
        let (agreed, correct) = self.agreement(listed);
        if records == 1 {
            Fate::Matched { correct }
        } else {
            let group = self.groups.of[listed] as usize;
            let as_before = self.may_be_as_before(listed) && self.as_before[group];
            Fate::Shared { records, agreed, correct, as_before }
        }
    }

    fn is_newly_exposed(&self, listed: usize) -> bool {
        let [before, after] = self.counts(listed);
        before >= 2 && after == 1 && self.agreement(listed).1 == self.sensitive
    }
}

/// Several scenarios, each person taken as badly as any of them leaves them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WorstCase {
    /// People at risk in some scenario.
    pub at_risk: u64,
    /// Of these, the ones who are gone in every scenario in which they are at risk.
    pub gone: u64,
    /// The ones who are gone or shared in every such scenario, and shared in one.
    pub shared: u64,
    /// The ones who are matched in one of them.
    pub matched: u64,
    /// The ones who are protected in every such scenario.
    pub protected: u64,
    /// People whose records with the same keys are the same as before in some scenario, or
    /// about whom too much is learned from these, though not everything.
    pub shared_learned: u64,
    /// People about whom some scenario learns every sensitive value truly, from several
    /// records.
    pub shared_right: u64,
    /// People who are matched in some scenario with every sensitive value true.
    pub matched_right: u64,
    /// Original records that are newly exposed in some scenario.
    pub newly_exposed: u64,
    outcomes: Vec<Option<Outcome>>,
}

impl WorstCase {
    /// The worst that a scenario in which the record is at risk leaves it with; `None` when
    /// it is at risk in none.
    ///
    /// # Panics
    /// When the original file has no such record.
    #[must_use]
    pub fn outcome(&self, record: RecordId) -> Option<Outcome> {
        self.outcomes[record.position()]
    }
}

/// How many records at risk are looked at together.
const AT_RISK_AT_ONCE: usize = 1 << 13;

impl WorstCase {
    /// Of these records alone, which are at risk in some scenario and in the order of the file;
    /// without their outcomes.
    fn of(scenarios: &[Learned], records: &[RecordId]) -> Self {
        let mut worst = Self::default();
        // Where the next of the records is among the fates of each scenario.
        let first = records.first();
        let mut next: Vec<usize> = scenarios
            .iter()
            .map(|scenario| scenario.fates.partition_point(|(one, _)| Some(one) < first))
            .collect();
        for record in records {
            let (mut outcome, mut is_protected) = (Outcome::Gone, true);
            let [mut shared_right, mut matched_right, mut shared_learned] = [false; 3];
            for (scenario, next) in scenarios.iter().zip(&mut next) {
                let Some((_, fate)) = scenario.fates.get(*next).filter(|(one, _)| one == record)
                else {
                    continue;
                };
                *next += 1;
                let right = fate.is_right(scenario.sensitive);
                let protected = fate.is_protected(scenario.sensitive, scenario.needed);
                let here = fate.outcome();
                outcome = outcome.max(here);
                is_protected &= protected;
                shared_right |= right && here == Outcome::Shared;
                matched_right |= right && here == Outcome::Matched;
                shared_learned |= here == Outcome::Shared && !right && !protected;
            }
            let people = scenarios[0].people(record.position());
            let if_so = |holds: bool| if holds { people } else { 0 };
            worst.at_risk += people;
            worst.protected += if_so(is_protected);
            worst.shared_right += if_so(shared_right);
            worst.matched_right += if_so(matched_right);
            worst.shared_learned += if_so(shared_learned);
            *match outcome {
                Outcome::Gone => &mut worst.gone,
                Outcome::Shared => &mut worst.shared,
                Outcome::Matched => &mut worst.matched,
            } += people;
        }
        worst
    }

    /// Of the records of both, which share none.
    fn and(self, other: Self) -> Self {
        Self {
            at_risk: self.at_risk + other.at_risk,
            gone: self.gone + other.gone,
            shared: self.shared + other.shared,
            matched: self.matched + other.matched,
            protected: self.protected + other.protected,
            shared_learned: self.shared_learned + other.shared_learned,
            shared_right: self.shared_right + other.shared_right,
            matched_right: self.matched_right + other.matched_right,
            newly_exposed: self.newly_exposed + other.newly_exposed,
            outcomes: self.outcomes,
        }
    }
}

/// For each of `records` records the worst outcome in a scenario in which it is at risk.
fn outcomes(scenarios: &[Learned], records: usize) -> Vec<Option<Outcome>> {
    let mut outcomes = vec![None; records];
    for (record, fate) in scenarios.iter().flat_map(|scenario| &scenario.fates) {
        let worst = &mut outcomes[record.position()];
        *worst = (*worst).max(Some(fate.outcome()));
    }
    outcomes
}

/// The worst of several scenarios for every person; `None` without a scenario.
///
/// Law: `the-worst-of-all-scenarios`.
///
/// # Panics
/// When the scenarios are of different files.
#[must_use]
pub fn worst_case(scenarios: &[Learned]) -> Option<WorstCase> {
    let records = scenarios.first()?.records;
    assert!(
        scenarios.iter().all(|scenario| scenario.records == records),
        "all scenarios look at the same file"
    );
    let at_risk = records_at_risk(scenarios);
    let mut worst = at_risk
        .par_chunks(AT_RISK_AT_ONCE)
        .map(|records| WorstCase::of(scenarios, records))
        .reduce(WorstCase::default, WorstCase::and);
    worst.outcomes = outcomes(scenarios, records);
    let mut exposed: Vec<RecordId> =
        scenarios.iter().flat_map(|scenario| scenario.exposed.iter().copied()).collect();
    exposed.sort_unstable();
    exposed.dedup();
    let people = exposed.iter().map(|record| scenarios[0].people(record.position()));
    worst.newly_exposed = people.sum();
    Some(worst)
}

/// The records that are at risk in some scenario, in the order of the original file.
#[must_use]
pub fn records_at_risk(scenarios: &[Learned]) -> Vec<RecordId> {
    let mut records: Vec<RecordId> = scenarios.iter().flat_map(Learned::records_at_risk).collect();
    records.sort_unstable();
    records.dedup();
    records
}

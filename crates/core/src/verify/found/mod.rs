//! Who can be found by anybody who knows some of their keys.
//!
//! Someone who looks a person up may lack a key, or leave one out that leads nowhere. A released
//! record is *reached* from a person when some part of the keys leads to fewer than k released
//! records, it among them (k = 2: to it alone). A person is **found** when a reached record has
//! all the sensitive values of the person.
//!
//! A stranger can have them **by chance**. That is counted as well: the same in the original
//! without the person's own record. The two counts are compared person by person, so nobody pays
//! for anybody else.
//!
//! With k above 2 the answer is what most of the fewer than k records have; where several
//! combinations of values are equally frequent, there is none.
//!
//! **Linked** is the stronger attack that always answers: of all released records the one that
//! agrees best, rare values counting more. Ties count by shares.
//!
//! Trap: without a sensitive variable nobody learns anything from being found, and nothing is
//! measured. Blank keys: a record that says nothing on a key may be anybody's there, so a key is taken
//! exactly, or as the value or none. What is blank among the sensitive values tells nothing true, and
//! for linkage a blank key is no evidence. Edge case: the part without any key leads to all records, which matters where a file
//! has fewer than k.
//!
//! | file | what it does |
//! |---|---|
//! | `ground` | people and records, laid out by combinations of the keys |
//! | `parts` | every part of the keys, and the groups that agree on it |
//! | `look` | what look-ups say of whom |
//! | `blank` | the records that say nothing on some keys |
//! | `linked` | the record that agrees best |
//!
//! Way in: [`found`], [`found_by_any`]. Slow twin: [`crate::oracle::World::found`].

mod blank;
mod chance;
mod ground;
mod linked;
mod look;
mod parts;

pub use chance::{Against, BeyondChance};

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::Pooled;
use super::learned::{AtRisk, Scenario};
use crate::columns::Households;
use crate::encode::RecordId;
pub use crate::encode::Rough;
use crate::varset::VarSet;
use blank::look_past_blanks;
use ground::Ground;
use linked::{Links, WHOLE};
use look::{Claim, LOOKS, Look, Seen, Sight};
use parts::{View, greatest_size, walk};

/// What is asked about one intruder.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// What is known, what is to be hidden, and who is at risk.
    pub scenario: Scenario<'a>,
    /// Fewer than this many records are few enough to be told apart; at least 2.
    pub k: u32,
    /// Keys that may also be known roughly.
    pub roughly: &'a [Rough],
    /// How many people each original record is, such as the members of a household; empty where
    /// each is one.
    pub members: &'a [u32],
    /// For each variable the codes that say nothing, such as that of an empty field; empty where no
    /// variable has one.
    pub blank: &'a [Vec<u32>],
}

impl<'a> Question<'a> {
    /// A question with k = 2, every key known exactly.
    #[must_use]
    pub fn of(scenario: Scenario<'a>) -> Self {
        Self { scenario, k: 2, roughly: &[], members: &[], blank: &[] }
    }

    /// How many people a line of the original is.
    fn people(&self, pooled: &Pooled, line: usize) -> u64 {
        let counted = pooled.people().get(line).map_or(1, |&people| u64::from(people));
        counted * self.members.get(line).map_or(1, |&members| u64::from(members))
    }
}

/// How many people something holds for, and how many it holds for by chance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Beside {
    /// People it holds for.
    pub people: u64,
    /// People it holds for by chance.
    pub by_chance: u64,
    /// People it holds for, and not by chance.
    pub only_so: u64,
    /// People it holds for by chance alone.
    pub only_by_chance: u64,
}

impl Beside {
    fn add(&mut self, people: u64, so: bool, by_chance: bool) {
        let if_so = |holds: bool| if holds { people } else { 0 };
        self.people += if_so(so);
        self.by_chance += if_so(by_chance);
        self.only_so += if_so(so && !by_chance);
        self.only_by_chance += if_so(by_chance && !so);
    }
}

/// The same for shares of people, in units of 2⁻³² people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SharesBeside {
    so: u128,
    by_chance: u128,
    only_so: u128,
    only_by_chance: u128,
}

impl SharesBeside {
    fn add(&mut self, people: u64, [so, by_chance]: [u64; 2]) {
        let of = |share: u64| u128::from(people) * u128::from(share);
        self.so += of(so);
        self.by_chance += of(by_chance);
        self.only_so += of(so.saturating_sub(by_chance));
        self.only_by_chance += of(by_chance.saturating_sub(so));
    }

    /// The sum of the shares.
    #[must_use]
    pub fn people(&self) -> f64 {
        self.so as f64 / WHOLE as f64
    }

    /// The sum of the shares by chance.
    #[must_use]
    pub fn by_chance(&self) -> f64 {
        self.by_chance as f64 / WHOLE as f64
    }

    /// By how much the shares exceed those by chance, person by person, and by how much these
    /// exceed them.
    #[must_use]
    pub fn discordant(&self) -> [f64; 2] {
        [self.only_so as f64 / WHOLE as f64, self.only_by_chance as f64 / WHOLE as f64]
    }
}

/// The answer for one sensitive variable alone.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Alone {
    /// The variable.
    pub variable: usize,
    /// Pairs of a person at risk and a reached record, each record once; and those of them in
    /// which the record has the person's value.
    pub claims: [u64; 2],
    /// The same by chance.
    pub claims_by_chance: [u64; 2],
    /// People at risk by their own value; those whose values few have are together, last.
    pub levels: Vec<Level>,
}

/// The people at risk with one value of a sensitive variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Level {
    /// The value's code; `None` for all values that fewer than [`FEW`] people at risk have.
    pub code: Option<u32>,
    /// How many people at risk.
    pub at_risk: u64,
    /// People of whom a reached record has the value.
    pub told: Beside,
}

/// Values with fewer people at risk are taken together.
pub const FEW: u64 = 20;

/// Who is found in one scenario. Every number is an exact count of people, as far as
/// [`Found::exact_up_to`] says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// What the intruder knows.
    pub keys: VarSet,
    /// What the intruder wants to learn.
    pub sensitive: VarSet,
    /// People at risk.
    pub at_risk: u64,
    /// Of these, the ones found in the original itself.
    pub found_before: u64,
    /// The ones found in the release.
    pub found: Beside,
    /// People, at risk or not, who are found and were not found in the original.
    pub newly_found: Beside,
    /// For m = 1, 2, …: people at risk of whom a reached record has at least m true sensitive
    /// values.
    pub true_at_least: Vec<Beside>,
    /// People at risk to whom the record that agrees best gives all their sensitive values;
    /// `None` with more than 64 keys.
    pub linked: Option<SharesBeside>,
    /// Every sensitive variable alone.
    pub alone: Vec<Alone>,
    /// For 0, 1, … keys: people at risk whom no fewer keys find: in the original, in the release,
    /// by chance.
    pub by_keys_known: Vec<[u64; 3]>,
    /// People at risk who are found when some keys may be known roughly; `None` when no key may.
    pub roughly: Option<Beside>,
    /// Parts of the keys of up to this size are all looked at, and the whole of the keys.
    pub exact_up_to: usize,
    /// The same for keys that may be known roughly.
    pub roughly_exact_up_to: usize,
    /// For each original record: its people, are they at risk, and the looks that find them.
    marks: Vec<Mark>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Mark {
    people: u64,
    at_risk: bool,
    /// Before, after, absent.
    found: [bool; 3],
}

/// Who is found in some of several scenarios.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FoundByAny {
    /// People at risk in some scenario.
    pub at_risk: u64,
    /// Of these, the ones found in the original by an intruder from whom they are at risk.
    pub found_before: u64,
    /// The ones found in the release.
    pub found: Beside,
    /// People, at risk or not, whom some intruder finds and none found in the original.
    pub newly_found: Beside,
}

/// Who is found by anybody who knows some of the keys; `None` without a sensitive variable.
///
/// Laws: `found-by-definition`, `reached-through-some-part`,
/// `chance-is-the-file-without-the-person`, `linked-by-definition`,
/// `found-is-blind-to-threads-and-order`.
///
/// # Panics
/// When the list of those at risk or of members does not have an entry for each original record,
/// k is below 2, or a class is missing for a code.
#[must_use]
pub fn found(pooled: &Pooled, question: &Question<'_>) -> Option<Found> {
    let scenario = &question.scenario;
    let before = pooled.before().len();
    if let AtRisk::Listed(list) = scenario.at_risk {
        assert_eq!(list.len(), before, "each original record is at risk or not");
    }
    assert!(
        question.members.is_empty() || question.members.len() == before,
        "each original record has members"
    );
    assert!(question.k >= 2, "somebody is found among fewer than two or more");
    if scenario.sensitive.is_empty() {
        return None;
    }
    let ground = Ground::of(pooled, question);
    let exact = exact_views(&ground);
    let ways: Vec<usize> = exact.iter().map(Vec::len).collect();
    let exact_up_to = greatest_size(&ways, ground.combinations());
    let sight = Sight::new(&ground, question.k, Links::of(&ground));
    let mut seen = walk(&sight, ground.combinations(), &exact, exact_up_to);
    if exact_up_to < ground.keys.len() {
        sight.look_at_all_keys(&mut seen);
    }
    let exact_up_to = past_blanks(&sight, &exact, exact_up_to, &mut seen);
    let mut answer = Found {
        keys: scenario.keys,
        sensitive: scenario.sensitive,
        at_risk: ground.at_risk.iter().sum(),
        found_before: 0,
        found: Beside::default(),
        newly_found: Beside::default(),
        true_at_least: vec![Beside::default(); scenario.sensitive.len()],
        linked: None,
        alone: Vec::new(),
        by_keys_known: vec![[0; 3]; ground.keys.len() + 1],
        roughly: None,
        exact_up_to,
        roughly_exact_up_to: exact_up_to,
        marks: Vec::new(),
    };
    answer.count(&sight);
    answer.alone = alone(&ground, &mut seen);
    if let Some(links) = &sight.links {
        let [after, absent] = std::mem::take(&mut seen.links);
        let shares = [links.shares(0, after), links.shares(1, absent)];
        let mut linked = SharesBeside::default();
        for (listed, &people) in ground.at_risk.iter().enumerate() {
            linked.add(people, [shares[0][listed], shares[1][listed]]);
        }
        answer.linked = Some(linked);
    }
    if !question.roughly.is_empty() {
        answer.look_roughly(&ground, question, &sight);
    }
    answer.mark(&sight, question);
    Some(answer)
}

/// Every key, as it is.
fn exact_views<'a>(ground: &'a Ground<'_>) -> Vec<Vec<View<'a>>> {
    let exact = ground.keys.iter().zip(&ground.codes);
    exact
        .map(|(&key, codes)| {
            let number = ground.pooled.levels()[key].max(1);
            vec![View { classes: Cow::Borrowed(&codes[..]), number }]
        })
        .collect()
}

/// Looks past records that are blank on some keys, and answers up to how many keys everything has been
/// looked at.
fn past_blanks(sight: &Sight<'_>, views: &[Vec<View<'_>>], up_to: usize, seen: &mut Seen) -> usize {
    let ground = sight.ground;
    if ground.blank.is_empty() {
        return up_to;
    }
    let either = ground.blank.iter().fold(0, |all, blank| all | blank);
    let ways = views
        .iter()
        .enumerate()
        .map(|(place, views)| views.len() + usize::from(place < 64 && either >> place & 1 == 1));
    let most = greatest_size(&ways.collect::<Vec<_>>(), ground.combinations()).min(up_to);
    look_past_blanks(sight, views, most, seen);
    most
}

impl Found {
    /// Counts who is found, and how.
    fn count(&mut self, sight: &Sight<'_>) {
        let ground = sight.ground;
        for (listed, (&people, &at_risk)) in ground.people.iter().zip(&ground.at_risk).enumerate() {
            if people == 0 {
                continue;
            }
            let [before, after, absent] = LOOKS.map(|look| sight.is_found(look, listed));
            if !before {
                self.newly_found.add(people, after, absent);
            }
            if at_risk == 0 {
                continue;
            }
            self.found_before += if before { at_risk } else { 0 };
            self.found.add(at_risk, after, absent);
            let most = sight.most_true(listed);
            for (values, beside) in (1..).zip(&mut self.true_at_least) {
                beside.add(at_risk, most[0] >= values, most[1] >= values);
            }
            for look in LOOKS {
                if let Some(size) = sight.smallest(look, listed) {
                    self.by_keys_known[size][look as usize] += at_risk;
                }
            }
        }
    }

    /// Looks again, with the keys that may be known roughly in classes as well.
    fn look_roughly(&mut self, ground: &Ground<'_>, question: &Question<'_>, exactly: &Sight<'_>) {
        let mut views = exact_views(ground);
        for rough in question.roughly {
            let Some(at) = ground.keys.iter().position(|&key| key == rough.key) else { continue };
            for classes in &rough.classes {
                let codes = ground.codes[at].iter();
                views[at].push(View {
                    classes: codes.map(|&code| classes[code as usize]).collect(),
                    number: classes.iter().max().map_or(1, |&last| last as usize + 1),
                });
            }
        }
        let ways: Vec<usize> = views.iter().map(Vec::len).collect();
        self.roughly_exact_up_to = greatest_size(&ways, ground.combinations());
        let sight = Sight::new(ground, question.k, None);
        let mut seen = walk(&sight, ground.combinations(), &views, self.roughly_exact_up_to);
        self.roughly_exact_up_to = past_blanks(&sight, &views, self.roughly_exact_up_to, &mut seen);
        let mut beside = Beside::default();
        for (listed, &at_risk) in ground.at_risk.iter().enumerate() {
            let is_found = |look| sight.is_found(look, listed) || exactly.is_found(look, listed);
            beside.add(at_risk, is_found(Look::After), is_found(Look::Absent));
        }
        self.roughly = Some(beside);
    }

    /// Keeps who is found, line by line.
    fn mark(&mut self, sight: &Sight<'_>, question: &Question<'_>) {
        let pooled = sight.ground.pooled;
        let marks = pooled.before().iter().enumerate().map(|(line, &listed)| {
            let listed = listed as usize;
            let at_risk = match question.scenario.at_risk {
                // A listed cell with somebody alone has no other.
                AtRisk::Alone => sight.ground.at_risk[listed] > 0,
                AtRisk::Listed(list) => list[line],
            };
            let found = LOOKS.map(|look| sight.is_found(look, listed));
            Mark { people: question.people(pooled, line), at_risk, found }
        });
        self.marks = marks.collect();
    }

    /// Is a record's person at risk and found in the release?
    ///
    /// # Panics
    /// When the original file has no such record.
    #[must_use]
    pub fn is_found(&self, record: RecordId) -> bool {
        let mark = self.marks[record.position()];
        mark.at_risk && mark.found[1]
    }

    /// What was found out about households, for each of their members, to be joined with what was
    /// found out about persons.
    ///
    /// # Panics
    /// When the records are not these households.
    #[must_use]
    pub fn of_members(&self, households: &Households) -> Self {
        assert_eq!(self.marks.len(), households.len(), "the records are the households");
        let mut marks = vec![Mark::default(); households.lines()];
        for (household, mark) in self.marks.iter().enumerate() {
            for &line in households.members(household) {
                marks[line as usize] = Mark { people: 1, ..*mark };
            }
        }
        Self { marks, ..self.clone() }
    }
}

/// Every sensitive variable alone.
fn alone(ground: &Ground<'_>, seen: &mut Seen) -> Vec<Alone> {
    let layout = ground.pooled.cells().layout();
    let variables: Vec<usize> = ground.sensitive.iter().collect();
    let mut all: Vec<Alone> =
        variables.iter().map(|&variable| Alone { variable, ..Alone::default() }).collect();
    // For each listed cell the variables of which something true is learned: after, by chance.
    let mut told: Vec<[VarSet; 2]> = vec![[VarSet::EMPTY; 2]; ground.at_risk.len()];
    for (look, claims) in seen.claims.iter_mut().enumerate() {
        let mut claims: Vec<Claim> = std::mem::take(claims);
        claims.sort_unstable();
        claims.dedup_by_key(|claim| (claim.listed, claim.through, claim.blank));
        for claim in claims {
            let people = ground.at_risk[claim.listed as usize];
            let correct = ground.sensitive - ground.differing(claim.listed, claim.said);
            let told = &mut told[claim.listed as usize][look];
            *told |= correct;
            for one in &mut all {
                let counts = if look == 0 { &mut one.claims } else { &mut one.claims_by_chance };
                counts[0] += people;
                counts[1] += if correct.contains(one.variable) { people } else { 0 };
            }
        }
    }
    for one in &mut all {
        let mut levels: BTreeMap<u32, Level> = BTreeMap::new();
        for (listed, (&people, told)) in ground.at_risk.iter().zip(&told).enumerate() {
            if people > 0 {
                let code = layout.code(ground.pooled.cells().get(listed), one.variable);
                let level = levels.entry(code).or_default();
                let [so, by_chance] = told.map(|told| told.contains(one.variable));
                level.code = Some(code);
                level.at_risk += people;
                level.told.add(people, so, by_chance);
            }
        }
        let mut few = Level::default();
        for level in levels.into_values() {
            if level.at_risk >= FEW {
                one.levels.push(level);
            } else {
                few.at_risk += level.at_risk;
                few.told.people += level.told.people;
                few.told.by_chance += level.told.by_chance;
                few.told.only_so += level.told.only_so;
                few.told.only_by_chance += level.told.only_by_chance;
            }
        }
        if few.at_risk > 0 {
            one.levels.push(few);
        }
    }
    all
}

/// Who is found in some of several scenarios; `None` where none has something sensitive.
///
/// Law: `found-by-any-is-the-union`.
///
/// # Panics
/// When the scenarios are of different files.
#[must_use]
pub fn found_by_any(scenarios: &[Option<Found>]) -> Option<FoundByAny> {
    let scenarios: Vec<&Found> = scenarios.iter().flatten().collect();
    let lines = scenarios.first()?.marks.len();
    assert!(scenarios.iter().all(|one| one.marks.len() == lines), "all look at the same file");
    let mut any = FoundByAny::default();
    for line in 0..lines {
        let people = scenarios[0].marks[line].people;
        let among = |at_risk_only: bool, look: usize| {
            let marks = scenarios.iter().map(|one| one.marks[line]);
            marks.filter(|mark| mark.at_risk || !at_risk_only).any(|mark| mark.found[look])
        };
        if scenarios.iter().any(|one| one.marks[line].at_risk) {
            any.at_risk += people;
            any.found_before += if among(true, 0) { people } else { 0 };
            any.found.add(people, among(true, 1), among(true, 2));
        }
        if !among(false, 0) {
            any.newly_found.add(people, among(false, 1), among(false, 2));
        }
    }
    Some(any)
}

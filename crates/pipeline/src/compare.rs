//! The original and the released file, compared once and judged once.
//!
//! `protect`, `verify` and both reports take their answers from here. Nothing of how the one
//! file was made from the other is used but what only a plan can tell: whether following it
//! gives the released file, and in which order.
//!
//! No line takes part in any measure of protection. Which line became which is known only to
//! count how many records and fields were changed.
//!
//! Way in: [`Comparison::of`].

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::refusal::Code;
use marginswap_core::columns::{BrokenDependencies, Column, looks_like_id};
use marginswap_core::diagnostic::Diagnostic;
use marginswap_core::encode::{Both, RecordId, Records, encode_both};
use marginswap_core::graph::{Formula, GeneratingClass, KeptTable, Reason, Separators};
use marginswap_core::partner::{KeyScreening, Unpartable, screen_keys};
use marginswap_core::plan::HiddenPeople;
use marginswap_core::random::Seed;
use marginswap_core::swap::{apply_to_records, replaced_cells};
use marginswap_core::table::Located;
use marginswap_core::varset::VarSet;
use marginswap_core::verdict::Verdict;
use marginswap_core::verify::{
    BeyondChance, Changes, Checks, File, Findings, Found, Guess, HiddenFindings, Learned, Link,
    LinkError, Listed, Outcome, Pooled, PublishedCheck, PublishedFindings, Scenario, TableDistance,
    Thresholds, TwoWay, Verification, WeightedCheck, Weights, WorstCase, changes, compare_tables,
    found_by_any, judge, link_by_id, records_at_risk, recount, verify_changed, weighted,
    worst_case,
};
use marginswap_io::{FileDigest, Format, PlanFile};
use rayon::prelude::*;

pub use marginswap_core::verify::Triples;

use marginswap_report::advice::Advice;
use marginswap_report::verify::RevealedPair;

use crate::advice::advice;
use crate::answer::Reveal;
use crate::derive::Derivations;
use crate::found::{Asked, KnownKeys};
use crate::household::Parts;
use crate::input::{FirstLine, Given, Loaded, Opened, Reading};
use crate::notes::{Note, Phase, Run};
use crate::prepare::{Prepared, Screenings};
use crate::project::{Amount, Columns, Gate, Project, ReleaseOrder};
use crate::published::findings_of;
use crate::release::{Steps, last_of_order, plans_for, shuffled_link};
use crate::revealed::revealed;
use crate::seed::demo;
use crate::study::Study;
use crate::telltale::{is_exchanged, sample_step, tell_tales};
use crate::view::{Intruder, View};
use crate::weights::{Weighting, bad_weight, weights_of};

/// What is known of a release beside its two files.
#[derive(Debug, Clone, Copy)]
pub struct Evidence<'a> {
    /// The plan, and the name of its file.
    pub plan: Option<(&'a PathBuf, &'a PlanFile)>,
    /// The seed that the lines may have been shuffled with.
    pub seed: Option<Seed>,
    /// The order in which records that are no households were written, where that is known: at
    /// each place, the record of the original.
    pub order: Option<&'a [u32]>,
    /// Is the order of the released lines that of the original?
    pub lines: Lines,
    /// Was the seed one that others know?
    pub demo_seed: bool,
    /// Plans that were made with a demo seed: a file that one of them gives is not released.
    pub demo_plans: &'a [PlanFile],
    /// Who is hidden by the plan that was followed, where intruders may know any part of the keys.
    pub hidden: Option<&'a HiddenPeople>,
    /// Are three-way tables compared as well?
    pub triples: Triples,
    /// Released columns that no exchange touches and that are not looked at.
    pub unchecked_columns: usize,
    /// Are new combinations listed with their values?
    pub new_pairs: Reveal,
}

/// What is known of the order of the released lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lines {
    /// They were written in the order of the original.
    InOrder,
    /// Those with the same number are taken for each other's, unless that explains little.
    Perhaps,
    /// They were shuffled.
    Shuffled,
}

impl Lines {
    /// Of a file that a job of this order writes.
    #[must_use]
    pub fn written(order: ReleaseOrder) -> Self {
        match order {
            ReleaseOrder::Random => Self::Shuffled,
            ReleaseOrder::Input => Self::InOrder,
        }
    }

    /// Of a file from elsewhere: it may be said that it was shuffled, or the project says so.
    #[must_use]
    pub fn told(shuffled: bool, project: &Project) -> Self {
        match shuffled || project.release.order == Some(ReleaseOrder::Random) {
            true => Self::Shuffled,
            false => Self::Perhaps,
        }
    }
}

impl Default for Evidence<'_> {
    fn default() -> Self {
        Self {
            plan: None,
            seed: None,
            order: None,
            lines: Lines::Perhaps,
            demo_seed: false,
            demo_plans: &[],
            hidden: None,
            triples: Triples::Skipped,
            unchecked_columns: 0,
            new_pairs: Reveal::Counts,
        }
    }
}

/// Two files, and everything that was found in them.
pub struct Comparison {
    /// The original file.
    pub original: Study,
    /// Where the released file is, and the sum of its bytes.
    pub released: (PathBuf, FileDigest),
    /// What was counted.
    pub verification: Verification,
    /// What the gate says.
    pub verdict: Verdict,
    /// What differs though no exchange can change it.
    pub broken: Vec<Vec<String>>,
    /// For each intruder, who can be parted from the keys; empty where everybody is gone.
    pub key_screenings: Vec<KeyScreening>,
    /// Who is hidden by the plan, where one is known that gives the released file and intruders may
    /// know any part of the keys.
    pub hidden: Option<HiddenPeople>,
    /// How the plan fits, where there is one.
    pub plan: Option<PlanFit>,
    /// Are the lines in another order than the original ones?
    pub order: Order,
    /// The columns that the released file lacks.
    pub dropped: Vec<String>,
    /// How many different values the released columns have that take no part, and whether this is
    /// exact: in a long file only some records are looked at.
    pub as_they_are: BTreeMap<String, (usize, bool)>,
    /// What is wrong with the ids of the released file.
    pub unlinked: Option<String>,
    /// How far the watched tables moved, in the order of the project.
    pub watched: Vec<TableDistance>,
    /// How far weighted counts moved, where they need not be exact.
    pub weighted: Vec<WeightedCheck>,
    /// The new combinations with their values, where they are to be revealed.
    pub new_pairs: Option<Vec<RevealedPair>>,
    /// What would help the people at risk who are left.
    pub advice: Vec<Advice>,
    /// What was found in the published tables, in the order of the project.
    pub published: Vec<PublishedCheck>,
    /// What every original record obeys and released ones do not.
    pub dependencies: BrokenDependencies,
    /// How many released columns stay with an engine, so that they were not looked at.
    pub unread_columns: usize,
    /// The columns of which some original fields are quoted and others not, and not all as they
    /// need it, and the released fields are quoted where they need it.
    pub requoted: Vec<String>,
    /// What was counted in the lines, where records are households.
    pub people: Option<PeopleFound>,
}

/// What was found in the lines of two files of households.
pub struct PeopleFound {
    /// What was counted of persons. Intruders who look for whole households come last, with the
    /// fate of each member's household.
    pub verification: Verification,
    /// Released households whose members differ in a column of households.
    pub torn: u64,
    /// Have the released households the names that they have in the original?
    pub names_kept: bool,
}

/// Does a plan lead from the one file to the other?
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanFit {
    /// The plan file.
    pub path: PathBuf,
    /// Is it made for the original file?
    pub fits_input: bool,
    /// Does following it give the released file?
    pub gives_release: Option<bool>,
}

/// What is known of the order of the released lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// That of the original.
    Input,
    /// Another one, told by ids, by a plan or by a seed.
    Known,
    /// Another one that nothing tells.
    Unknown,
}

/// The two files, counted.
struct Pair<'a> {
    study: &'a Study,
    view: &'a View,
    /// The cells of both files, and the place there of each record.
    listed: Listed,
    /// How many records of each file they hold.
    pooled: Pooled,
    link: Option<Link>,
    /// What is different in linked records, where this was counted already.
    changes: Option<Changes>,
    order: Order,
    unlinked: Option<String>,
    /// The columns of the released file, where something only watched is to be counted apart.
    released: Vec<Option<Column>>,
    /// The weight of each code of their variable in both files.
    weights: Option<Weights>,
    /// How many records each line of the released table is, where both are counted cells.
    counts: Option<Vec<u32>>,
    /// How keys may be known.
    known: KnownKeys,
}

impl Comparison {
    /// Compares a released file or data frame with the original.
    ///
    /// # Errors
    /// When the released file cannot be read or has other columns.
    pub fn of<'g>(
        original: Study,
        released: impl Into<Given<'g>>,
        evidence: &Evidence<'_>,
        run: &mut Run<'_>,
    ) -> Result<Self, Diagnostic> {
        let released = released.into();
        let read = read_released(&original, released, run)?;
        let Released { after: lines, dropped, as_they_are, ids, telling, unread, requoted } = read;
        run.begin(Phase::Comparing)?;
        let digest = lines.digest().clone();
        let published = compare_published(&original, &lines)?;
        let dependencies = original.broken_in(lines.in_memory(), lines.counts());
        let table = original.units_of(&lines);
        let after = table.as_ref().map_or(&lines, |(table, _)| table);
        let mut pair = Pair::new((&original, &original.units), after, evidence)?;
        let mut of_persons = match &table {
            Some(_) => Some(Pair::unlinked(&original, &lines, evidence)?),
            None => None,
        };
        let told_by_names =
            table.as_ref().map_or(0, |(table, _)| names_tell(&original.units.loaded, table, run));
        let torn = table.as_ref().map_or(0, |(_, torn)| *torn);
        let names_kept = of_persons.is_some() && pair.names_are_kept(after);
        let plan = pair.follow(after, evidence, run);
        let gives = plan.as_ref().is_some_and(|plan| plan.gives_release == Some(true));
        let followed = evidence.plan.filter(|_| gives).map(|(_, plan)| Steps::of(plan));
        let hidden = evidence
            .hidden
            .cloned()
            .or_else(|| original.units.hidden_by(followed?).map(Cow::into_owned));
        let is_exchanged = pair.is_the_other_way_round(&digest, &plans_for(released, &digest));
        let demo_seed = evidence.demo_seed
            || pair.is_for_demonstration(after, evidence.demo_plans)
            || (evidence.seed.is_none()
                && of_persons.is_none()
                && is_shuffled_by_demo_seed(&original.units.loaded, &lines));
        if let Some(persons) = &mut of_persons {
            persons.link = pair
                .link
                .as_ref()
                .and_then(|link| lines_of(link, &original.people().loaded, &lines));
        }
        drop(table);
        let lines = (evidence.new_pairs == Reveal::Everything).then_some(lines);
        let verification = pair.verify(evidence.triples);
        let persons = of_persons.as_ref().map(|persons| {
            let mut found = persons.verify(evidence.triples);
            let (learned, found_by) =
                original.by_members(&verification.learned, &verification.found);
            found.learned.extend(learned);
            found.worst_case = worst_case(&found.learned);
            found.found.extend(found_by);
            found.found_by_any = found_by_any(&found.found);
            found
        });
        let found_by = persons.as_ref().unwrap_or(&verification);
        let new_pairs = lines.map(|after| revealed(original.people(), &after, &found_by.new_pairs));
        let key_screenings = pair.screen_keys(found_by)?;
        let people = of_persons.as_ref().unwrap_or(&pair);
        let (broken, findings) = pair.findings(people, &verification, persons.as_ref());
        let [disclosed, not_separable] =
            not_separable(&original, &found_by.learned, &key_screenings);
        let persons_moved = original.then().is_empty()
            && (findings.staying_changed || findings.one_way_changed > 0);
        if persons_moved && torn == 0 && persons.as_ref().is_some_and(Verification::is_equal) {
            run.note(Note::PersonsExchanged);
        }
        if is_exchanged {
            run.note(Note::FilesExchanged);
        }
        let differs = |plan: &PlanFit| !plan.fits_input || plan.gives_release == Some(false);
        let weighted = pair.weighted();
        let findings = Findings {
            torn_households: torn,
            demo_seed,
            disclosed,
            disclosed_is_exact: key_screenings.iter().all(KeyScreening::proved_is_exact),
            not_separable,
            weights_drift: weighted.iter().filter(|table| table.beyond > 0).count(),
            released_ids: ids,
            telling_columns: telling + told_by_names,
            dependencies_broken: dependencies.broken.len() as u64,
            dependencies_broken_records: dependencies.records,
            unchecked_columns: evidence.unchecked_columns + unread,
            published: findings_of(published.iter()),
            plan_differs: is_exchanged || plan.as_ref().is_some_and(differs),
            hidden: hidden.as_ref().map(hidden_findings),
            hiding_not_counted: original.is_hiding_not_counted(),
            beyond_chance: beyond_chance(&original.units, &found_by.found),
            ..findings
        };
        let occurring = found_by.new_pairs.occurring;
        let tolerated = thresholds(&original.units.project.gate, &findings, occurring);
        let verdict = judge(&findings, &tolerated);
        let watched = people.watched()?;
        let Pair { order, unlinked, .. } = pair;
        drop(of_persons);
        let (original, advice) = advised(original, found_by, &key_screenings, hidden.as_ref());
        let people = persons.map(|verification| PeopleFound { verification, torn, names_kept });
        Ok(Self {
            original,
            released: (released.path().to_owned(), digest),
            verification,
            verdict,
            broken,
            key_screenings,
            hidden,
            plan,
            order,
            dropped,
            as_they_are,
            unlinked,
            watched,
            weighted,
            new_pairs,
            advice,
            published,
            dependencies,
            unread_columns: unread,
            requoted,
            people,
        })
    }

    /// Is every kept table, every count and every tie as it was?
    #[must_use]
    pub fn is_exact(&self) -> bool {
        let persons = |found: &PeopleFound| found.verification.is_equal() && found.torn == 0;
        self.verification.is_equal()
            && self.people.as_ref().is_none_or(persons)
            && self.broken.is_empty()
            && self.unlinked.is_none()
    }

    /// What was counted of persons: of records, where these are persons.
    #[must_use]
    pub fn of_persons(&self) -> &Verification {
        self.people.as_ref().map_or(&self.verification, |found| &found.verification)
    }

    /// Why no exchange can part a person from the keys of an intruder who still finds them; a
    /// disclosure by the tables comes first. `None` when they can be parted from all of these.
    #[must_use]
    pub fn why_not_parted(&self, line: RecordId) -> Option<Unpartable> {
        why_not_parted(&self.original, &self.of_persons().learned, &self.key_screenings, line)
    }

    /// The newly exposed records, each with why no exchange can part it from its keys; `None`
    /// when one can.
    #[must_use]
    pub fn newly_exposed(&self) -> Vec<(RecordId, Option<Unpartable>)> {
        let learned = &self.of_persons().learned;
        let why = |record| why_exposed(&self.original, learned, &self.key_screenings, record);
        newly_exposed(learned).into_iter().map(|record| (record, why(record))).collect()
    }

    /// Did a weighted count move further than it may?
    #[must_use]
    pub fn drifts_too_far(&self) -> bool {
        self.weighted.iter().any(|table| table.beyond > 0)
    }

    /// Was anything exchanged?
    #[must_use]
    pub fn is_changed(&self) -> bool {
        self.verification.replaced > 0
    }
}

/// What would help the people at risk who are left.
fn advised(
    original: Study,
    found: &Verification,
    screenings: &[KeyScreening],
    hidden: Option<&HiddenPeople>,
) -> (Study, Vec<Advice>) {
    // What helps single people is counted in records, and these are cells here.
    let of_cells = original.units.loaded.counts().is_some();
    let is_anybody_left = found.worst_case.as_ref().is_some_and(|worst| worst.matched > 0)
        || hidden.is_some_and(|people| !people.cells.is_empty());
    // Where it would take too long to say what helps, nothing is said.
    let all = (is_anybody_left && !of_cells).then(|| Screenings::of(&original.units).ok());
    let Some(all) = all.flatten() else { return (original, Vec::new()) };
    let prepared = Prepared::with(original, all);
    let advice = advice(&prepared, found, screenings, hidden);
    (prepared.into_study(), advice.unwrap_or_default())
}

/// Every published table against both files.
fn compare_published(original: &Study, after: &Loaded) -> Result<Vec<PublishedCheck>, Diagnostic> {
    let tables = original.published.par_iter();
    let data = original.people().loaded.in_memory();
    tables.map(|table| table.compare(data, after.in_memory())).collect()
}

/// For each intruder, who could be parted from the keys if these tables were kept.
pub(crate) fn screen_intruders(
    view: &View,
    class: &GeneratingClass,
    separators: &Separators,
) -> Result<Vec<KeyScreening>, Diagnostic> {
    let intruders = view.intruders.iter();
    intruders.map(|one| screen_keys(&view.located, class, separators, one.keys)).collect()
}

/// Is a person at risk whom an intruder still finds?
pub(crate) fn is_still_found(learned: &Learned, record: RecordId) -> bool {
    learned.fate(record).is_some_and(|fate| fate.outcome() != Outcome::Gone)
}

pub(crate) fn why_not_parted(
    original: &Study,
    learned: &[Learned],
    screenings: &[KeyScreening],
    record: RecordId,
) -> Option<Unpartable> {
    let cell = original.cell_of_line(record);
    let scenarios = learned.iter().zip(screenings);
    let reasons = scenarios
        .filter(|(learned, _)| is_still_found(learned, record))
        .filter_map(|(_, screening)| screening.why_not(cell));
    reasons.min_by_key(|why| matches!(why, Unpartable::NoPartner))
}

/// People at risk who are not gone and cannot be parted from their keys: those whom the tables
/// disclose, and the others.
pub(crate) fn not_separable(
    original: &Study,
    learned: &[Learned],
    screenings: &[KeyScreening],
) -> [u64; 2] {
    let mut people = [0, 0];
    if screenings.is_empty() {
        return people;
    }
    let lines = &original.people().located;
    for record in records_at_risk(learned) {
        let place = match why_not_parted(original, learned, screenings, record) {
            Some(Unpartable::Published(_) | Unpartable::Proved(_)) => 0,
            Some(Unpartable::NoPartner) => 1,
            None => continue,
        };
        people[place] += u64::from(lines.weight(record));
    }
    people
}

/// The records that are newly exposed to some intruder, in the order of the file.
pub(crate) fn newly_exposed(learned: &[Learned]) -> BTreeSet<RecordId> {
    learned.iter().flat_map(Learned::newly_exposed_records).copied().collect()
}

/// Why no exchange can part a newly exposed record from the keys of an intruder to whom it is
/// exposed; a disclosure by the tables comes first.
pub(crate) fn why_exposed(
    original: &Study,
    learned: &[Learned],
    screenings: &[KeyScreening],
    record: RecordId,
) -> Option<Unpartable> {
    let cell = original.cell_of_line(record);
    let exposed = learned.iter().zip(screenings);
    let exposed =
        exposed.filter(|(one, _)| one.newly_exposed_records().binary_search(&record).is_ok());
    let reasons = exposed.filter_map(|(_, screening)| screening.why_not(cell));
    reasons.min_by_key(|why| matches!(why, Unpartable::NoPartner))
}

/// Is somebody at risk still found by their keys, or newly exposed?
pub(crate) fn somebody_is_found(worst: &WorstCase) -> bool {
    worst.gone < worst.at_risk || worst.newly_exposed > 0
}

/// Which line became which, where that is known of households whose members are in the same
/// order.
fn lines_of(link: &Link, original: &Loaded, released: &Loaded) -> Option<Link> {
    let (before, after) = (original.households()?, released.households()?);
    let mut places = vec![0; before.lines()];
    for household in 0..before.len() {
        let place = match link {
            Link::ByPosition => household,
            Link::ByMap(places) => places[household] as usize,
        };
        let (own, there) = (before.members(household), after.members(place));
        if own.len() != there.len() {
            return None;
        }
        for (&line, &place) in own.iter().zip(there) {
            places[line as usize] = place;
        }
    }
    Some(Link::ByMap(places))
}

/// Do the names of households, released as they are, give exchanges away by their order?
fn names_tell(original: &Loaded, released: &Loaded, run: &mut Run<'_>) -> usize {
    let household = original.household().expect("a column names the households");
    let name = &original.names()[household];
    let step = sample_step(released.records_read());
    let exchanged = |name: &str| is_exchanged(original, name);
    let tales = tell_tales(original, released, &[], step, exchanged);
    let tales: Vec<_> = tales.into_iter().filter(|tale| tale.column == *name).collect();
    let found = usize::from(!tales.is_empty());
    tales.into_iter().for_each(|tale| run.note(Note::GivesAway(tale)));
    found
}

/// The released file as it is read.
struct Released {
    /// Its columns, in the places they have in the original.
    after: Loaded,
    /// The columns that it lacks.
    dropped: Vec<String>,
    /// Those that take no part, with how many different values they have, or at least have.
    as_they_are: BTreeMap<String, (usize, bool)>,
    /// How many name nearly every record.
    ids: usize,
    /// How many give swaps away.
    telling: usize,
    /// The columns whose values stay with an engine.
    unread: usize,
    /// Those whose quotes differed and no longer do.
    requoted: Vec<String>,
}

/// Are the released records in the order that one of the first demo seeds gives, which others can
/// try as well? Under another order records agree by chance; how often they do is what the second
/// best of so many seeds shows. Other demo seeds, and files that were put into another order since,
/// are not recognised.
fn is_shuffled_by_demo_seed(before: &Loaded, after: &Loaded) -> bool {
    const SEEDS: u64 = 10_000;
    const MOST_LOOKED_AT: usize = 200;
    const FEWEST: usize = 20;
    let records = before.records_read();
    let both = before.raw_columns().iter().zip(after.raw_columns());
    let both: Vec<[&Column; 2]> =
        both.filter_map(|(one, other)| Some([one.as_ref()?, other.as_ref()?])).collect();
    let of_files = before.counts().is_none() && after.counts().is_none();
    if !of_files || records != after.records_read() || records < FEWEST || both.is_empty() {
        return false;
    }
    let agree = |record: usize, place: usize| {
        both.iter().all(|[one, other]| {
            let category = one.dictionary().category(one.code(record));
            category == other.dictionary().category(other.code(place))
        })
    };
    let agreements = |number: u64| {
        let last = last_of_order(demo(number), records, MOST_LOOKED_AT);
        last.iter().zip((0..records).rev()).filter(|&(&record, place)| agree(record, place)).count()
    };
    let looked_at = MOST_LOOKED_AT.min(records - 1);
    let mut found: Vec<usize> = (0..SEEDS).into_par_iter().map(agreements).collect();
    found.sort_unstable();
    let [.., by_chance, most] = found[..] else { return false };
    looked_at - by_chance >= FEWEST / 2 && 2 * (most - by_chance) > looked_at - by_chance
}

/// Opens a released file as the original was opened, where that gives columns of the original:
/// where columns are dropped, the header may have no delimiter left to be found, and what is left
/// of it may look like a record.
fn open_released(
    given: Given<'_>,
    project: &Project,
    original: &Loaded,
) -> Result<Parts, Diagnostic> {
    if given.lasts() {
        let delimiter = match original.format() {
            Format::Csv { delimiter, .. } => project.delimiter.or(Some(delimiter)),
            _ => project.delimiter,
        };
        let like_original =
            Reading { delimiter, first_line: FirstLine::Header, ..Reading::of(project) };
        let opened = given.open(like_original).ok();
        if let Some(source) = opened.filter(|source| are_known(source.columns(), original)) {
            return Ok(source);
        }
    }
    given.open(Reading::of(project))
}

/// Are all of these names of the original? It was read with them, so they are no record.
fn are_known(names: &[String], original: &Loaded) -> bool {
    names.iter().all(|name| original.own_names().contains(name))
}

/// The released file. It may lack columns that take no part.
fn read_released(
    original: &Study,
    given: Given<'_>,
    run: &mut Run<'_>,
) -> Result<Released, Diagnostic> {
    let View { project, loaded, .. } = original.people();
    let (path, source) = (given.path(), open_released(given, project, loaded)?);
    let names = source.columns().to_vec();
    let there = |list: &[String]| -> Vec<String> {
        list.iter().filter(|name| names.contains(name)).cloned().collect()
    };
    let told = &project.columns;
    let roles = Columns {
        vars: there(&told.vars),
        stay: there(&told.stay),
        ignore: there(&told.ignore),
        id: told.id.clone().filter(|id| names.contains(id)),
        missing: Vec::new(),
    };
    let mut how = Reading::of(project);
    if let Some(household) = project.unit.household.as_ref().filter(|name| !names.contains(name)) {
        return Err(Diagnostic::new(
            Code::OtherColumns,
            format!("column `{household}` names the households and is not in the released file"),
            "compare files that both have it",
        )
        .in_file(path));
    }
    if are_known(&names, loaded) {
        how.first_line = FirstLine::Header;
    }
    let opened = Opened::new(path, source, (&roles, how), Derivations::default())?;
    // Columns that take no part may be long texts: of a long file some records are enough.
    let step = sample_step(loaded.records_read());
    let (after, samples) = opened.read_sampling(step, run)?;
    let telling = samples.iter().filter(|(_, column)| looks_like_id(column));
    let mut columns: Vec<String> = telling.map(|(name, _)| name.clone()).collect();
    if let (Some(id), Some(name)) = (after.id_column(), &roles.id)
        && looks_like_id(id)
    {
        columns.push(name.clone());
    }
    let ids = columns.len();
    let unread = match given {
        Given::Frame(frame) => frame.columns_in_engine(),
        Given::File(_) | Given::Files { .. } => 0,
    };
    if !columns.is_empty() {
        run.note(Note::IdReleased { columns });
    }
    let as_they_are = samples
        .iter()
        .map(|(name, column)| (name.clone(), (column.dictionary().levels(), step == 1)))
        .collect();
    let exchanged = |name: &str| is_exchanged(&original.units.loaded, name);
    // Counted cells have no order, and no columns that go with their records.
    let tales = match after.counts() {
        Some(_) => Vec::new(),
        None => tell_tales(loaded, &after, &samples, step, exchanged),
    };
    let mut telling: Vec<&str> = tales.iter().map(|tale| tale.column.as_str()).collect();
    telling.dedup();
    let telling = telling.len();
    tales.into_iter().for_each(|tale| run.note(Note::GivesAway(tale)));
    if there(loaded.own_names()) != names {
        run.note(Note::OtherColumns);
    }
    let dropped = loaded.own_names().iter().filter(|name| !names.contains(name)).cloned().collect();
    let mixed = after.mixed_quotes();
    let requoted = loaded.mixed_quotes().iter();
    let requoted = requoted.filter(|name| names.contains(name) && !mixed.contains(name));
    let requoted = requoted.cloned().collect();
    let after = after.in_the_order_of(loaded).map_err(|column| {
        Diagnostic::new(
            Code::OtherColumns,
            format!("column `{column}` takes part and is in only one of the two files"),
            "compare files with the same columns, or ignore the column",
        )
        .in_file(path)
    })?;
    let after = after.derived_again()?;
    Ok(Released { after, dropped, as_they_are, ids, telling, unread, requoted })
}

impl<'a> Pair<'a> {
    fn new(
        (study, view): (&'a Study, &'a View),
        after: &Loaded,
        evidence: &Evidence<'_>,
    ) -> Result<Self, Diagnostic> {
        let loaded = &view.loaded;
        let (link, unlinked) = match link(view, after, evidence.lines)? {
            Ok(link) => (link, None),
            Err(error) => (None, Some(error.to_string())),
        };
        let order = match &link {
            Some(Link::ByPosition) => Order::Input,
            Some(Link::ByMap(_)) => Order::Known,
            None => Order::Unknown,
        };
        let both = Both::new(view.scope.schema(), loaded.raw_columns(), after.raw_columns());
        let guess = match (evidence.order, &link) {
            (Some(order), _) => Guess::Order(order),
            (None, Some(Link::ByPosition)) => Guess::Position,
            (None, _) => Guess::Nothing,
        };
        // The released file may have categories that the original lacks.
        let located = match both.are_coded_as(&view.records) {
            true => Cow::Borrowed(&view.located),
            false => Cow::Owned(Located::count(&both.before())),
        };
        let listed = Listed::of(&located, &both, guess);
        drop(both);
        let counts = after.counts().map(<[u32]>::to_vec);
        let pooled = Pooled::listed(&located, &listed, of_both(loaded.counts(), &counts));
        let apart = loaded.names().iter().any(|name| loaded.is_only_watched(name));
        let released = if apart { after.raw_columns().to_vec() } else { Vec::new() };
        let weights = match &view.weighting {
            Some(weighting) => {
                let [_, records] = listed.records();
                Some(weights_of_both(view, weighting, after, &records)?)
            }
            None => None,
        };
        Ok(Self {
            study,
            view,
            listed,
            pooled,
            link,
            changes: None,
            order,
            unlinked,
            released,
            weights,
            counts,
            known: KnownKeys::of(view, Some(after)),
        })
    }

    /// Are households of the same name the same ones, as far as no exchange changes them? Where all
    /// are alike in this, nothing is known, and the answer is no.
    fn names_are_kept(&self, after: &Loaded) -> bool {
        let View { loaded, scope, .. } = self.view;
        let ids = (loaded.id_column(), after.id_column());
        let linked = match ids {
            (Some(left), Some(right)) => link_by_id(left, right).ok(),
            _ => None,
        };
        let Some(map) = linked else { return false };
        let staying = scope.schema().staying() - self.study.following();
        let [before, _] = self.listed.records();
        let layout = before.cells().layout();
        let mut households = before.cells().iter();
        let first = households.next();
        let differ = first.is_some_and(|first| {
            households.any(|other| !(layout.differing(first, other) & staying).is_empty())
        });
        let found = self.listed.changes(&Link::ByMap(map));
        differ && found.is_some_and(|found| found.counting(staying).cells == 0)
    }

    /// The lines of two files of households, of which nobody asks which became which.
    fn unlinked(
        study: &'a Study,
        after: &Loaded,
        evidence: &Evidence<'_>,
    ) -> Result<Self, Diagnostic> {
        let views = (study, study.people());
        let pair = Self::new(views, after, &Evidence { lines: Lines::Shuffled, ..*evidence })?;
        Ok(Self { link: None, order: Order::Unknown, unlinked: None, ..pair })
    }

    /// What a second step between persons must leave as it was: the counts of every column, what
    /// stays with its line, and linked columns. What differs, and for the gate.
    fn check_second_step(&self, findings: &mut Findings) -> Vec<Vec<String>> {
        let (View { loaded, scope, .. }, then) = (self.view, self.study.then());
        if then.is_empty() {
            return Vec::new();
        }
        let schema = scope.schema();
        let single = |&column: &usize| schema.variable_of(column).map(VarSet::single);
        let singles = then.iter().filter_map(single).map(|variable| (variable, None));
        let of_persons = |table: &&KeptTable| {
            let columns = table.variables.iter().flat_map(|one| &schema.variables()[one].columns);
            table.reason == Reason::Linked && columns.into_iter().all(|one| then.contains(one))
        };
        let linked = scope.tables().iter().filter(of_persons);
        let linked = linked.map(|table| (table.variables, Some(Reason::Linked)));
        let staying = (schema.staying() & loaded.own_variables(scope), Some(Reason::Stays));
        self.check_ties(singles.chain(linked).chain([staying]), &[], findings)
    }

    /// The names of those of these sets of variables whose counts differ and that are not `named`;
    /// for the gate, how many of each kind differ.
    fn check_ties(
        &self,
        ties: impl Iterator<Item = (VarSet, Option<Reason>)>,
        named: &[VarSet],
        findings: &mut Findings,
    ) -> Vec<Vec<String>> {
        let (margins, kinds): (Vec<VarSet>, Vec<Option<Reason>>) = ties.unzip();
        let mut broken = Vec::new();
        for (check, kind) in self.pooled.recount(&margins).iter().zip(kinds) {
            if check.changed == 0 {
                continue;
            }
            match kind {
                None => findings.one_way_changed += 1,
                Some(Reason::Linked) => findings.linked_changed += 1,
                Some(Reason::Stays) => findings.staying_changed = true,
                Some(Reason::Named | Reason::Derived) => {}
            }
            if !named.contains(&check.margin) {
                broken.push(self.column_names(check.margin));
            }
        }
        broken
    }

    /// Finds out whether following the plan gives the released file, and in which order: that of
    /// the original, or that of the seed.
    fn follow(
        &mut self,
        released: &Loaded,
        evidence: &Evidence<'_>,
        run: &mut Run<'_>,
    ) -> Option<PlanFit> {
        let Some((path, plan)) = evidence.plan else {
            if let (Lines::Shuffled, Some(seed), None) = (evidence.lines, evidence.seed, &self.link)
            {
                match evidence.order {
                    Some(order) => self.changes = self.listed.changes_in_order(order),
                    None => self.link = Some(shuffled_link(seed, self.lines()[0])),
                }
                self.order = Order::Known;
            }
            if evidence.lines != Lines::InOrder {
                self.settle(run);
            }
            return None;
        };
        let loaded = &self.view.loaded;
        let records = self.lines()[0] as u64;
        let fits_input =
            plan.check_input(&loaded.digest().sha256, records, loaded.own_names()).is_ok();
        let mut fit = PlanFit { path: path.clone(), fits_input, gives_release: None };
        if !fits_input || self.lines()[1] as u64 != records {
            self.settle(run);
            return Some(fit);
        }
        let schema = self.view.scope.schema();
        // Derived variables follow from the others in both files.
        let own = [schema.own()];
        let Some((expected, recoded)) = self.made_by(plan, released) else {
            fit.gives_release = Some(false);
            self.settle(run);
            return Some(fit);
        };
        let [_, own_records] = self.listed.records();
        let released = recoded.as_ref().unwrap_or(&own_records);
        let gives = |after: &Records, link: &Link| {
            changes(&expected, after, link).map(|found| found.counting(own[0]).cells == 0)
        };
        let by_seed = evidence.seed.map(|seed| shuffled_link(seed, expected.len()));
        let known = [self.link.clone(), Some(Link::ByPosition), by_seed];
        let found = known.into_iter().flatten().find(|link| gives(released, link) == Some(true));
        fit.gives_release = match found {
            Some(link) => {
                self.order = match &link {
                    Link::ByPosition => Order::Input,
                    Link::ByMap(_) => Order::Known,
                };
                self.link = Some(link);
                Some(true)
            }
            None => {
                // In some other order: are they the same records?
                let same = recount(&expected, released, &own)[0].changed == 0;
                match self.link {
                    // The ids say which record is which, and another record has the values.
                    Some(Link::ByMap(_)) => Some(false),
                    Some(Link::ByPosition) if same => {
                        (self.link, self.order) = (None, Order::Unknown);
                        run.note(Note::Reordered);
                        Some(true)
                    }
                    _ => {
                        self.settle(run);
                        Some(same)
                    }
                }
            }
        };
        Some(fit)
    }

    /// The records that a plan makes, and the released ones over the same coding where that is
    /// another one; `None` when the plan cannot be followed.
    fn made_by(&self, plan: &PlanFile, released: &Loaded) -> Option<(Records, Option<Records>)> {
        let View { scope, loaded, .. } = self.view;
        let second = self.study.then();
        let Some(then) = plan.then.as_ref().filter(|_| !second.is_empty()) else {
            // A plan of one step is none of two, and the other way round.
            let [before, _] = self.listed.records();
            let made = apply_to_records(&plan.plan, scope.schema(), &before);
            return (second.is_empty() && plan.then.is_none()).then_some((made, None));
        };
        let exchanged = plan.plan.columns().into_iter().all(|column| loaded.was_read(column));
        let of_lines = then.plan.columns().is_subset(second);
        let lines = self.study.people().loaded.records_read() as u64;
        if !exchanged || !of_lines || then.lines != lines {
            return None;
        }
        let (made, _) = self.study.units_of(&self.study.lines_after(Steps::of(plan))?)?;
        let (made, released) =
            encode_both(scope.schema(), made.raw_columns(), released.raw_columns());
        Some((made, Some(released)))
    }

    /// Lines are taken for each other's because they have the same number, and nothing proves
    /// it. Where at least half of those that differ would differ in no collection of records, or
    /// about as many differ as between lines that are paired at random, another order explains
    /// more than swaps do: then nothing is linked.
    fn settle(&mut self, run: &mut Run<'_>) {
        if !matches!(self.link, Some(Link::ByPosition)) {
            return;
        }
        let differing = |link: &Link| self.listed.differing(link).unwrap_or(0) as u64;
        let lines = differing(&Link::ByPosition);
        if lines == 0 {
            return;
        }
        let replaced = self.pooled.replaced();
        let at_random = || differing(&shuffled_link(Seed([0xa5; 32]), self.lines()[0]));
        if replaced * 2 <= lines || at_random().abs_diff(lines) < lines.abs_diff(replaced) {
            self.link = None;
            self.order = Order::Unknown;
            run.note(Note::Reordered);
        }
    }

    fn verify(&self, triples: Triples) -> Verification {
        let scenarios: Vec<Scenario<'_>> =
            self.view.intruders.iter().map(Intruder::scenario).collect();
        let asked = Asked::of(self.view, &self.known);
        let checks = Checks {
            tables: &self.view.tables,
            scenarios: &scenarios,
            questions: &asked.questions(),
            link: self.link.as_ref(),
            compared: self.view.loaded.own_variables(&self.view.scope),
            combined: self.view.combined(),
            triples,
        };
        let linked = || self.link.as_ref().and_then(|link| self.listed.changes(link));
        verify_changed(&self.pooled, self.changes.clone().or_else(linked), &checks)
    }

    /// For each intruder, who can be parted from the keys; not asked where everybody is gone and
    /// nobody is newly exposed.
    fn screen_keys(&self, found: &Verification) -> Result<Vec<KeyScreening>, Diagnostic> {
        if found.worst_case.as_ref().is_none_or(|worst| !somebody_is_found(worst)) {
            return Ok(Vec::new());
        }
        let View { scope, separators, loaded, .. } = self.view;
        screen_intruders(self.view, scope.class(), separators)
            .map_err(|error| error.in_file(loaded.path()))
    }

    /// What differs though no exchange can change it, and for the gate what was counted of these
    /// units and of `people`, who are the units themselves where nothing `of_persons` was counted.
    fn findings(
        &self,
        people: &Self,
        units: &Verification,
        of_persons: Option<&Verification>,
    ) -> (Vec<Vec<String>>, Findings) {
        let View { scope, tables, .. } = self.view;
        let records = |found: &Verification| [found.records_before, found.records_after];
        let records = |found| records(found).map(|records| records as u64);
        let changed =
            |found: &Verification| found.tables.iter().filter(|table| table.changed > 0).count();
        let found = of_persons.unwrap_or(units);
        let mut findings = Findings {
            records: records(found),
            households: of_persons.map_or([0, 0], |_| records(units)),
            tables: self.study.tables(),
            tables_changed: changed(units) + of_persons.map_or(0, changed),
            ids_differ: self.unlinked.is_some(),
            replaced: units.replaced,
            learned: found.worst_case.clone(),
            alone_not_counted: people.view.alone_not_counted(),
            rules_broken: self.view.rules_broken_in(&self.pooled),
            new_pairs: found.new_pairs.combinations,
            new_pairs_impossible: found.new_pairs.impossible,
            moved: moved(&found.two_way, people.view.tabulated()),
            // What is not counted in cells follows.
            published: PublishedFindings::default(),
            one_way_changed: 0,
            linked_changed: 0,
            staying_changed: false,
            plan_differs: false,
            torn_households: 0,
            weights_drift: 0,
            demo_seed: false,
            released_ids: 0,
            telling_columns: 0,
            unchecked_columns: 0,
            disclosed: 0,
            disclosed_is_exact: true,
            not_separable: 0,
            hiding_not_counted: false,
            hidden: None,
            beyond_chance: None,
            dependencies_broken: 0,
            dependencies_broken_records: 0,
        };
        // Who lives there changes with the persons, who are counted one by one.
        let changing = self.study.following();
        // The counts of a variable are those of any unchanged table that holds it.
        let unchanged = units.tables.iter().filter(|table| table.changed == 0);
        let known = unchanged.fold(VarSet::EMPTY, |all, table| all | table.margin);
        let singles =
            (scope.schema().own() - known - changing).iter().map(|one| (VarSet::single(one), None));
        // That derived variables follow from their columns is true of every file.
        let counted = [Reason::Named, Reason::Derived];
        let ties = scope
            .tables()
            .iter()
            .filter(|table| !counted.contains(&table.reason) && !table.variables.meets(&changing));
        let ties = ties.map(|table| (table.variables, Some(table.reason)));
        let mut broken = self.check_ties(singles.chain(ties), tables, &mut findings);
        broken.extend(people.check_second_step(&mut findings));
        (broken, findings)
    }

    /// How far weighted counts moved, where they need not be exact.
    fn weighted(&self) -> Vec<WeightedCheck> {
        match (&self.view.weighting, &self.weights) {
            (Some(weighting), Some(weights)) => {
                weighted(&self.pooled, weights, &weighting.tables, weighting.share())
            }
            _ => Vec::new(),
        }
    }

    /// Does one of these plans, all made with a demo seed, give the released records?
    fn is_for_demonstration(&self, released: &Loaded, plans: &[PlanFile]) -> bool {
        let (names, digest) = (self.view.loaded.own_names(), self.view.loaded.digest());
        let [records, released_records] = self.lines();
        plans.iter().any(|plan| {
            plan.check_input(&digest.sha256, records as u64, names).is_ok()
                && records == released_records
                && self.is_made_by(plan, released)
        })
    }

    /// Does one of these plans, all made for the released file, give the records of the original?
    fn is_the_other_way_round(&self, released: &FileDigest, plans: &[PlanFile]) -> bool {
        let View { loaded, scope, .. } = self.view;
        let (original, names) = (loaded.digest(), loaded.own_names());
        let (schema, lines) = (scope.schema(), self.lines()[1] as u64);
        let is_one_step = |plan: &&PlanFile| !loaded.is_of_households() && plan.then.is_none();
        released.sha256 != original.sha256
            && plans.iter().filter(is_one_step).any(|plan| {
                plan.check_input(&released.sha256, lines, names).is_ok() && {
                    let [before, after] = self.listed.records();
                    let made = apply_to_records(&plan.plan, schema, &after);
                    recount(&made, &before, &[schema.own()])[0].changed == 0
                }
            })
    }

    /// Does following a plan give the released records, in whatever order?
    fn is_made_by(&self, plan: &PlanFile, released: &Loaded) -> bool {
        let schema = self.view.scope.schema();
        if self.study.then().is_empty() && plan.then.is_none() {
            // Only the records of the plan are others: the rest need not be looked at.
            let [before, _] = self.listed.records();
            let (replaced, cells) = replaced_cells(&plan.plan, schema, &before);
            return self.pooled.are_same_with(&replaced, &cells, schema.own());
        }
        self.made_by(plan, released).is_some_and(|(made, recoded)| {
            let [_, own_records] = self.listed.records();
            let released = recoded.as_ref().unwrap_or(&own_records);
            recount(&made, released, &[schema.own()])[0].changed == 0
        })
    }

    /// How many lines each file has.
    fn lines(&self) -> [usize; 2] {
        self.listed.lines()
    }

    /// How far the watched tables moved.
    fn watched(&self) -> Result<Vec<TableDistance>, Diagnostic> {
        let View { project, loaded, scope, .. } = self.view;
        if project.report.watch.is_empty() {
            return Ok(Vec::new());
        }
        let mut distances = Vec::new();
        for table in Formula::parse(&project.report.watch)?.tables() {
            if let Some(found) = self.watched_apart(table) {
                distances.push(found);
                continue;
            }
            let mut margin = VarSet::EMPTY;
            for name in table {
                let column = loaded.position(name)?;
                let variable = scope.schema().variable_of(column).ok_or_else(|| {
                    Diagnostic::new(
                        Code::IgnoredInTable,
                        format!("`watch` names `{name}`, which takes no part"),
                        "watch columns that take part",
                    )
                })?;
                margin.insert(variable);
            }
            distances.extend(compare_tables(&self.pooled, &[margin]));
        }
        Ok(distances)
    }

    /// How far a table moved that names a derived variable which takes no part. Watching it must
    /// not tie anything together, so it is counted apart.
    fn watched_apart(&self, table: &[String]) -> Option<TableDistance> {
        let loaded = &self.view.loaded;
        if !table.iter().any(|name| loaded.is_only_watched(name)) {
            return None;
        }
        let schema = loaded.schema_of(table)?;
        let both = Both::new(&schema, loaded.raw_columns(), &self.released);
        let located = Located::count(&both.before());
        let listed = Listed::of(&located, &both, Guess::Nothing);
        let counts = of_both(loaded.counts(), &self.counts);
        compare_tables(&Pooled::listed(&located, &listed, counts), &[schema.all()]).pop()
    }

    /// The columns of a set of variables: those that stay are one variable together, and are
    /// named one by one.
    fn column_names(&self, margin: VarSet) -> Vec<String> {
        let variables = self.view.scope.schema().variables();
        let columns = margin.iter().flat_map(|variable| &variables[variable].columns);
        columns.map(|&column| self.view.loaded.names()[column].clone()).collect()
    }
}

/// How many records each line is, where that was counted in both files.
fn of_both<'c>(own: Option<&'c [u32]>, released: &'c Option<Vec<u32>>) -> [Option<&'c [u32]>; 2] {
    match (own, released) {
        (Some(own), Some(released)) => [Some(own), Some(released)],
        _ => [None; 2],
    }
}

/// The weight of each code over the coding of both files.
fn weights_of_both(
    view: &View,
    weighting: &Weighting,
    after: &Loaded,
    records: &Records,
) -> Result<Weights, Diagnostic> {
    let mut weights = weighting.weights.clone();
    let name = view.project.swap.weight.as_ref().expect("a weighting has a column");
    let (variable, _) = view.loaded.variable_and_column(&view.scope, name);
    let column = after.raw_columns()[view.loaded.position(name)?].as_ref();
    let column = column.expect("a column that takes part was read");
    let found = weights_of(column).map_err(|record| bad_weight(after, name, record))?;
    weights.of_code.resize(records.levels()[variable], 0);
    let layout = records.cells().layout();
    for (record, cell) in records.cells().iter().enumerate() {
        weights.of_code[layout.code(cell, variable) as usize] = found[column.code(record) as usize];
    }
    Ok(weights)
}

/// Who is found, held against chance, where intruders may know any part of the keys.
pub(crate) fn beyond_chance(view: &View, found: &[Option<Found>]) -> Option<BeyondChance> {
    view.project.crowd()?;
    Some(BeyondChance::of(found, found_by_any(found).as_ref()))
}

/// Who is not hidden, for the gate.
pub(crate) fn hidden_findings(people: &HiddenPeople) -> HiddenFindings {
    let cannot = people.cannot_be_hidden();
    let at_risk = people.hidden + people.replaced + people.left + cannot;
    HiddenFindings { at_risk, left: people.left, cannot }
}

/// By how many records each two-way table of these variables moved that is not kept.
pub(crate) fn moved(two_way: &[TwoWay], among: VarSet) -> Vec<u64> {
    let counted = |table: &&TwoWay| !table.kept && VarSet::from(table.pair).is_subset(&among);
    two_way.iter().filter(counted).map(|table| table.moved).collect()
}

/// What a project tolerates, as numbers: shares are of the people at risk, those of new pairs
/// of all two-way combinations that occur in the released file, and those of tables that move of
/// all records.
pub(crate) fn thresholds(gate: &Gate, findings: &Findings, occurring: u64) -> Thresholds {
    let at_risk = findings.learned.as_ref().map_or(0, |learned| learned.at_risk);
    let people = |amount: Option<Amount>| amount.map_or(0, |amount| amount.of(at_risk));
    Thresholds {
        matched_right: people(gate.matched_right),
        shared_right: people(gate.shared_right),
        shared_learned: people(gate.shared_learned),
        matched: people(gate.matched),
        newly_exposed: people(gate.newly_exposed),
        not_separable: people(gate.not_separable),
        not_hidden: people(gate.not_hidden),
        rules_broken: 0,
        new_pairs: gate.new_pairs.map_or(0, |amount| amount.of(occurring)),
        dependencies_broken: gate
            .dependencies_broken
            .map_or(0, |amount| amount.of(findings.records[1])),
        moved: gate.moved().of(findings.records[0]),
    }
}

/// Which record of one file became which of the other: by id where both have one, else by
/// position where the numbers agree. A released file that lost, gained or repeated an id is
/// an answer, an original that repeats one is not.
fn link(
    view: &View,
    after: &Loaded,
    lines: Lines,
) -> Result<Result<Option<Link>, LinkError>, Diagnostic> {
    let before = &view.loaded;
    // Households get each other's names, unless they are released as they are.
    if before.is_of_households() && view.project.release.release_id != Some(true) {
        let same = before.records_read() == after.records_read();
        return Ok(Ok((same && lines != Lines::Shuffled).then_some(Link::ByPosition)));
    }
    if let (Some(left), Some(right)) = (before.id_column(), after.id_column()) {
        // A file whose ids differ links to itself.
        link_by_id(left, left).map_err(|error| {
            let (LinkError::Repeated { record, .. } | LinkError::Missing { record, .. }) = error;
            Diagnostic::new(
                Code::NotLinked,
                LinkError::Repeated { file: File::Before, record }.to_string(),
                "compare line by line without an id, or say that the records were shuffled",
            )
        })?;
        return Ok(link_by_id(left, right).map(|map| Some(Link::ByMap(map))));
    }
    let same = before.records_read() == after.records_read();
    Ok(Ok((same && lines != Lines::Shuffled).then_some(Link::ByPosition)))
}

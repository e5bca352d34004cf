//! The one gate: may this file be released?
//!
//! Three answers. *Release* has to be earned: it is given only when tables and keys were
//! named, people at risk were looked up, and nothing speaks against it. *Review* means that a
//! reviewer must decide, *do not release* that nobody should. Every answer but the first
//! comes with its reasons, gravest first.
//!
//! Trap: no threshold can turn a check that was not made into a yes. Thresholds say how many
//! of what was found is tolerated; what was not looked for is always a reason.
//!
//! Reasons carry numbers and no words; words are made where they are shown.
//!
//! Way in: [`judge`].

use super::{BeyondChance, WorstCase};
use crate::verdict::{Reason, Verdict};

/// What was found out about two files, and about how the second was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Findings {
    /// How many records the original and the released file have.
    pub records: [u64; 2],
    /// How many households they have, where these are swapped; otherwise nothing.
    pub households: [u64; 2],
    /// How many tables were named to be kept, and compared.
    pub tables: usize,
    /// How many of these differ.
    pub tables_changed: usize,
    /// What was found in the published tables.
    pub published: PublishedFindings,
    /// Variables whose own one-way table differs; every exchange keeps all of them.
    pub one_way_changed: usize,
    /// Groups of linked columns whose combinations differ.
    pub linked_changed: usize,
    /// Does the joint table of the columns that stay differ?
    pub staying_changed: bool,
    /// Do the ids of the two files not agree?
    pub ids_differ: bool,
    /// Was a plan given that does not lead from the one file to the other?
    pub plan_differs: bool,
    /// Released households whose members differ in what a household has in common.
    pub torn_households: u64,
    /// Kept tables whose weighted counts moved further than they may.
    pub weights_drift: usize,
    /// Was the seed a demo seed, which anybody can guess?
    pub demo_seed: bool,
    /// Original records that the released file no longer has, counted with repetition:
    /// [`Pooled::replaced`](super::Pooled::replaced).
    pub replaced: u64,
    /// What an intruder learns, in the worst of all scenarios; `None` when no keys were
    /// named.
    pub learned: Option<WorstCase>,
    /// People who are alone with their keys and were not counted among those at risk.
    pub alone_not_counted: u64,
    /// Released columns, that of the ids among them, that name nearly every record.
    pub released_ids: usize,
    /// Released columns that no exchange touches and that give exchanges away.
    pub telling_columns: usize,
    /// Released columns that no exchange touches and that could not be looked at: those of a
    /// table of which cells alone are known.
    pub unchecked_columns: usize,
    /// People at risk of whom the kept tables prove that somebody has their keys.
    pub disclosed: u64,
    /// Is that number exact? Otherwise it is a lower bound.
    pub disclosed_is_exact: bool,
    /// Other people at risk who are not gone and whose keys no exchange of two records parts.
    pub not_separable: u64,
    /// People at risk who are not hidden from anyone who knows some of the keys; nothing where no
    /// plan tells, or intruders are taken to know all of them.
    pub hidden: Option<HiddenFindings>,
    /// Do single persons exchange values after their households, so that nobody counts who is hidden?
    pub hiding_not_counted: bool,
    /// Who is found by anybody who knows some of the keys, held against chance; nothing where
    /// intruders are taken to know all of them.
    pub beyond_chance: Option<BeyondChance>,
    /// Records that break a rule, in the original and in the released file.
    pub rules_broken: [u64; 2],
    /// Two-way combinations that only the released file has.
    pub new_pairs: u64,
    /// Of these, those that are not absent from the original by rarity alone.
    pub new_pairs_impossible: u64,
    /// Dependencies between columns that released records break and no original record did.
    pub dependencies_broken: u64,
    /// How many released records break one.
    pub dependencies_broken_records: u64,
    /// For each two-way table that is not kept, by how many records it moved.
    pub moved: Vec<u64>,
}

/// What was found in the tables whose published numbers were compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PublishedFindings {
    /// How many tables.
    pub tables: usize,
    /// Tables in which the release changes a number.
    pub changed_tables: usize,
    /// Numbers that the release changes: the original agrees with them.
    pub changed_cells: u64,
    /// Cells that the release changes, and whose original already differs from what was published.
    pub moved_cells: u64,
    /// Tables that agree with the original in no cell, so that nothing was checked.
    pub unchecked: usize,
    /// Published categories that no record of the original has.
    pub missing_categories: u64,
    /// Tables with such a category.
    pub missing_in: usize,
}

/// People at risk who are not hidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HiddenFindings {
    /// How many are at risk, in the same units: households, where these are exchanged.
    pub at_risk: u64,
    /// No kept table prevents it.
    pub left: u64,
    /// A kept table prevents it.
    pub cannot: u64,
}

/// How much of each finding is tolerated. The default tolerates nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Thresholds {
    /// People matched with every sensitive value true. Default 0.
    pub matched_right: u64,
    /// People about whom every sensitive value is learned truly from several records.
    /// Default 0.
    pub shared_right: u64,
    /// People whose keys are shared as they were before, or about whom too many sensitive
    /// values are learned truly from several records. Default 0.
    pub shared_learned: u64,
    /// People matched at all. Default 0.
    pub matched: u64,
    /// Newly exposed people. Default 0.
    pub newly_exposed: u64,
    /// People at risk whom no exchange can part from their keys, disclosed or not. Default 0.
    pub not_separable: u64,
    /// People at risk who are not hidden, whether a kept table prevents it or not. Default 0.
    pub not_hidden: u64,
    /// Records by which the released file breaks rules more often than the original.
    /// Default 0.
    pub rules_broken: u64,
    /// New two-way combinations, rare or not. Default 0.
    pub new_pairs: u64,
    /// Records that break a dependency between columns. Default 0.
    pub dependencies_broken: u64,
    /// Records by which a two-way table that is not kept may move. Default 0.
    pub moved: u64,
}

/// Judges what was found.
///
/// Laws: `a-yes-is-earned`, `more-tolerance-is-never-stricter`.
#[must_use]
pub fn judge(findings: &Findings, thresholds: &Thresholds) -> Verdict {
    let mut reasons = about_the_tables(findings);
    reasons.extend(about_the_people(findings, thresholds));
    reasons.extend(about_the_records(findings, thresholds));
    Verdict::of(reasons)
}

/// What must not differ at all.
fn about_the_tables(findings: &Findings) -> Vec<Reason> {
    let [before, after] = findings.records;
    let Findings { tables, tables_changed, one_way_changed, linked_changed, .. } = *findings;
    let published = findings.published;
    let found = [
        (
            findings.torn_households > 0,
            Reason::TornHouseholds { households: findings.torn_households },
        ),
        (before != after, Reason::RecordsDiffer { before, after }),
        (
            findings.households[0] != findings.households[1],
            Reason::HouseholdsDiffer {
                before: findings.households[0],
                after: findings.households[1],
            },
        ),
        (
            tables_changed > 0,
            Reason::TablesDiffer { tables: tables_changed as u64, of: tables as u64 },
        ),
        (
            findings.weights_drift > 0,
            Reason::WeightsDrift { tables: findings.weights_drift as u64 },
        ),
        (
            published.changed_cells > 0,
            Reason::PublishedChanged {
                tables: published.changed_tables as u64,
                of: published.tables as u64,
                cells: published.changed_cells,
            },
        ),
        (
            published.unchecked > 0,
            Reason::PublishedUnchecked { tables: published.unchecked as u64 },
        ),
        (
            published.missing_categories > 0,
            Reason::PublishedCategoriesMissing {
                categories: published.missing_categories,
                tables: published.missing_in as u64,
            },
        ),
        (published.moved_cells > 0, Reason::PublishedAlsoChanged { cells: published.moved_cells }),
        (one_way_changed > 0, Reason::OneWayTablesDiffer { variables: one_way_changed as u64 }),
        (linked_changed > 0, Reason::LinkedColumnsDiffer { groups: linked_changed as u64 }),
        (findings.staying_changed, Reason::StayingColumnsDiffer {}),
        (findings.ids_differ, Reason::IdsDiffer {}),
        (findings.plan_differs, Reason::PlanDiffers {}),
        (findings.demo_seed, Reason::DemoSeed {}),
        (tables == 0, Reason::NoTables {}),
    ];
    holding(&found)
}

/// What an intruder learns.
fn about_the_people(findings: &Findings, thresholds: &Thresholds) -> Vec<Reason> {
    let Some(learned) = &findings.learned else { return vec![Reason::NoKeys {}] };
    let at_risk = learned.at_risk;
    let Findings { disclosed, not_separable, alone_not_counted: people, .. } = *findings;
    let beyond = |people: u64, tolerated: u64| people > tolerated;
    let HiddenFindings { at_risk: all, left, cannot } = findings.hidden.unwrap_or_default();
    let BeyondChance { counts: of, above, below, newly_found } =
        findings.beyond_chance.unwrap_or_default();
    let nobody_protected = at_risk > 0 && learned.protected == 0;
    let found = [
        (at_risk == 0, Reason::NobodyChecked {}),
        (people > 0, Reason::AloneNotCounted { people }),
        (at_risk > 0 && findings.replaced == 0, Reason::NothingExchanged { at_risk }),
        (
            beyond(learned.matched_right, thresholds.matched_right),
            Reason::MatchedRight {
                people: learned.matched_right,
                tolerated: thresholds.matched_right,
            },
        ),
        (
            beyond(left, thresholds.not_hidden),
            Reason::NotHidden { people: left, at_risk: all, tolerated: thresholds.not_hidden },
        ),
        (
            above.0 > 0,
            Reason::FoundBeyondChance {
                people: above.1.people,
                by_chance: above.1.by_chance,
                counts: above.0,
                of,
            },
        ),
        (
            newly_found.by > 0,
            Reason::NewlyFound { people: newly_found.people, by_chance: newly_found.by_chance },
        ),
        (
            below.0 > 0,
            Reason::FoundBelowChance {
                people: below.1.people,
                by_chance: below.1.by_chance,
                counts: below.0,
                of,
            },
        ),
        (findings.hiding_not_counted && at_risk > 0, Reason::HidingNotCounted {}),
        (
            beyond(cannot, thresholds.not_hidden),
            Reason::CannotBeHidden {
                people: cannot,
                at_risk: all,
                tolerated: thresholds.not_hidden,
            },
        ),
        (nobody_protected, Reason::NobodyProtected { at_risk }),
        (
            beyond(learned.shared_right, thresholds.shared_right),
            Reason::SharedRight {
                people: learned.shared_right,
                tolerated: thresholds.shared_right,
            },
        ),
        (
            beyond(learned.shared_learned, thresholds.shared_learned),
            Reason::SharedLearned {
                people: learned.shared_learned,
                tolerated: thresholds.shared_learned,
            },
        ),
        (
            beyond(learned.matched, thresholds.matched),
            Reason::Matched { people: learned.matched, at_risk, tolerated: thresholds.matched },
        ),
        (
            beyond(learned.newly_exposed, thresholds.newly_exposed),
            Reason::NewlyExposed {
                people: learned.newly_exposed,
                tolerated: thresholds.newly_exposed,
            },
        ),
        (
            beyond(disclosed.saturating_add(not_separable), thresholds.not_separable),
            Reason::NotSeparable {
                disclosed,
                others: not_separable,
                undecided: if findings.disclosed_is_exact { 0 } else { not_separable },
                tolerated: thresholds.not_separable,
            },
        ),
    ];
    holding(&found)
}

/// What the released records look like.
fn about_the_records(findings: &Findings, thresholds: &Thresholds) -> Vec<Reason> {
    let [before, after] = findings.rules_broken;
    let tolerated = thresholds.rules_broken;
    let ids = findings.released_ids as u64;
    let columns = findings.telling_columns as u64;
    let unchecked = findings.unchecked_columns as u64;
    let combinations = findings.new_pairs;
    let impossible = findings.new_pairs_impossible;
    let moved_too_far = findings.moved.iter().filter(|&&moved| moved > thresholds.moved).count();
    let found = [
        (ids > 0, Reason::IdsReleased { columns: ids }),
        (columns > 0, Reason::ColumnsTell { columns }),
        (unchecked > 0, Reason::ColumnsUnchecked { columns: unchecked }),
        (
            after.saturating_sub(before) > tolerated,
            Reason::RulesBroken { before, after, tolerated },
        ),
        (
            combinations > thresholds.new_pairs,
            Reason::NewPairs { combinations, impossible, tolerated: thresholds.new_pairs },
        ),
        (
            findings.dependencies_broken_records > thresholds.dependencies_broken,
            Reason::DependenciesBroken {
                dependencies: findings.dependencies_broken,
                records: findings.dependencies_broken_records,
                tolerated: thresholds.dependencies_broken,
            },
        ),
        (
            moved_too_far > 0,
            Reason::TablesMoved {
                tables: moved_too_far as u64,
                of: findings.moved.len() as u64,
                largest: findings.moved.iter().copied().max().unwrap_or(0),
                records: findings.records[0],
                tolerated: thresholds.moved,
            },
        ),
    ];
    holding(&found)
}

fn holding(found: &[(bool, Reason)]) -> Vec<Reason> {
    found.iter().filter(|(holds, _)| *holds).map(|(_, reason)| *reason).collect()
}

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

use super::WorstCase;

/// What was found out about two files, and about how the second was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Findings {
    /// How many records the original and the released file have.
    pub records: [u64; 2],
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
    /// Released columns that no exchange touches and that give exchanges away.
    pub telling_columns: usize,
    /// People at risk of whom the kept tables prove that somebody has their keys.
    pub disclosed: u64,
    /// Other people at risk who are not gone and whose keys no exchange of two records parts.
    pub not_partable: u64,
    /// Records that break a rule, in the original and in the released file.
    pub rules_broken: [u64; 2],
    /// Two-way combinations that only the released file has.
    pub new_pairs: u64,
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
}

/// How much of each finding is tolerated. The default tolerates nothing, and does not ask
/// about new pairs.
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
    pub not_partable: u64,
    /// Records by which the released file breaks rules more often than the original.
    /// Default 0.
    pub rules_broken: u64,
    /// New two-way combinations; `None`, the default, when any number will do.
    pub new_pairs: Option<u64>,
}

/// The three answers, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Answer {
    /// Nothing speaks against releasing the file.
    Release,
    /// A reviewer must decide.
    Review,
    /// The file must not be released.
    DoNotRelease,
}

/// Why a file is not simply released; the gravest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// The files do not have the same number of records.
    RecordsDiffer {
        /// In the original.
        before: u64,
        /// In the released file.
        after: u64,
    },
    /// Kept tables differ.
    TablesDiffer {
        /// How many.
        tables: usize,
        /// Of how many.
        of: usize,
    },
    /// The release changes published numbers.
    PublishedChanged {
        /// In how many tables.
        tables: usize,
        /// Of how many.
        of: usize,
        /// How many numbers.
        cells: u64,
    },
    /// One-way tables differ.
    OneWayTablesDiffer {
        /// Of how many variables.
        variables: usize,
    },
    /// Linked columns were parted.
    LinkedColumnsDiffer {
        /// How many groups of them.
        groups: usize,
    },
    /// Columns that stay did not.
    StayingColumnsDiffer,
    /// A demo seed was used.
    DemoSeed,
    /// Nothing was exchanged although people are at risk.
    NothingExchanged {
        /// How many.
        at_risk: u64,
    },
    /// People at risk are matched with every sensitive value true.
    MatchedRight {
        /// How many.
        people: u64,
        /// How many are tolerated.
        tolerated: u64,
    },
    /// No keys were named, so no intruder was looked at.
    NoKeys,
    /// Keys were named and nobody is at risk, so nobody was looked up.
    NobodyChecked,
    /// People are alone with their keys and were not counted at risk, so nobody looked them
    /// up.
    AloneNotCounted {
        /// How many.
        people: u64,
    },
    /// No tables were named, so nothing was compared.
    NoTables,
    /// Published tables agree with the original nowhere, so nothing was checked.
    PublishedUnchecked {
        /// How many tables.
        tables: usize,
    },
    /// The release changes cells whose original differs from what was published.
    PublishedAlsoChanged {
        /// How many.
        cells: u64,
    },
    /// Nobody at risk is protected.
    NobodyProtected {
        /// How many.
        at_risk: u64,
    },
    /// Everything is learned truly about people, from several records that agree.
    SharedRight {
        /// How many people.
        people: u64,
        /// How many are tolerated.
        tolerated: u64,
    },
    /// People's keys are shared as they were before, or too much is learned truly about them
    /// from several records.
    SharedLearned {
        /// How many people.
        people: u64,
        /// How many are tolerated.
        tolerated: u64,
    },
    /// People at risk are still matched.
    Matched {
        /// How many.
        people: u64,
        /// Of how many at risk.
        at_risk: u64,
        /// How many are tolerated.
        tolerated: u64,
    },
    /// People became alone with their keys, with every sensitive value true.
    NewlyExposed {
        /// How many.
        people: u64,
        /// How many are tolerated.
        tolerated: u64,
    },
    /// No exchange can part people at risk from their keys.
    NotPartable {
        /// How many of them the kept tables disclose.
        disclosed: u64,
        /// How many others.
        others: u64,
        /// How many are tolerated.
        tolerated: u64,
    },
    /// Released columns that no exchange touches give exchanges away.
    ColumnsTell {
        /// How many.
        columns: usize,
    },
    /// More records break rules than in the original.
    RulesBroken {
        /// In the original.
        before: u64,
        /// In the released file.
        after: u64,
        /// How many more are tolerated.
        tolerated: u64,
    },
    /// Two-way combinations occur that never did.
    NewPairs {
        /// How many.
        combinations: u64,
        /// How many are tolerated.
        tolerated: u64,
    },
}

impl Reason {
    /// The answer that this reason alone leads to.
    #[must_use]
    pub fn answer(&self) -> Answer {
        match self {
            Self::RecordsDiffer { .. }
            | Self::TablesDiffer { .. }
            | Self::PublishedChanged { .. }
            | Self::OneWayTablesDiffer { .. }
            | Self::LinkedColumnsDiffer { .. }
            | Self::StayingColumnsDiffer
            | Self::DemoSeed
            | Self::NothingExchanged { .. }
            | Self::MatchedRight { .. } => Answer::DoNotRelease,
            Self::NoKeys
            | Self::NobodyChecked
            | Self::AloneNotCounted { .. }
            | Self::ColumnsTell { .. }
            | Self::NoTables
            | Self::PublishedUnchecked { .. }
            | Self::PublishedAlsoChanged { .. }
            | Self::NobodyProtected { .. }
            | Self::SharedRight { .. }
            | Self::SharedLearned { .. }
            | Self::Matched { .. }
            | Self::NewlyExposed { .. }
            | Self::NotPartable { .. }
            | Self::RulesBroken { .. }
            | Self::NewPairs { .. } => Answer::Review,
        }
    }
}

/// What the gate answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The answer: the gravest that a reason leads to.
    pub answer: Answer,
    /// All reasons, the gravest first; none exactly when the answer is to release.
    pub reasons: Vec<Reason>,
}

/// Judges what was found.
///
/// Laws: `a-yes-is-earned`, `more-tolerance-is-never-stricter`.
#[must_use]
pub fn judge(findings: &Findings, thresholds: &Thresholds) -> Verdict {
    let mut reasons = about_the_tables(findings);
    reasons.extend(about_the_people(findings, thresholds));
    reasons.extend(about_the_records(findings, thresholds));
    reasons.sort_unstable();
    let answer = reasons.iter().map(Reason::answer).max().unwrap_or(Answer::Release);
    Verdict { answer, reasons }
}

/// What must not differ at all.
fn about_the_tables(findings: &Findings) -> Vec<Reason> {
    let [before, after] = findings.records;
    let Findings { tables, tables_changed, one_way_changed, linked_changed, .. } = *findings;
    let published = findings.published;
    let found = [
        (before != after, Reason::RecordsDiffer { before, after }),
        (tables_changed > 0, Reason::TablesDiffer { tables: tables_changed, of: tables }),
        (
            published.changed_cells > 0,
            Reason::PublishedChanged {
                tables: published.changed_tables,
                of: published.tables,
                cells: published.changed_cells,
            },
        ),
        (published.unchecked > 0, Reason::PublishedUnchecked { tables: published.unchecked }),
        (published.moved_cells > 0, Reason::PublishedAlsoChanged { cells: published.moved_cells }),
        (one_way_changed > 0, Reason::OneWayTablesDiffer { variables: one_way_changed }),
        (linked_changed > 0, Reason::LinkedColumnsDiffer { groups: linked_changed }),
        (findings.staying_changed, Reason::StayingColumnsDiffer),
        (findings.demo_seed, Reason::DemoSeed),
        (tables == 0, Reason::NoTables),
    ];
    holding(&found)
}

/// What an intruder learns.
fn about_the_people(findings: &Findings, thresholds: &Thresholds) -> Vec<Reason> {
    let Some(learned) = &findings.learned else { return vec![Reason::NoKeys] };
    let at_risk = learned.at_risk;
    let Findings { disclosed, not_partable, alone_not_counted: people, .. } = *findings;
    let beyond = |people: u64, tolerated: u64| people > tolerated;
    let nobody_protected = at_risk > 0 && learned.protected == 0;
    let found = [
        (at_risk == 0, Reason::NobodyChecked),
        (people > 0, Reason::AloneNotCounted { people }),
        (at_risk > 0 && findings.replaced == 0, Reason::NothingExchanged { at_risk }),
        (
            beyond(learned.matched_right, thresholds.matched_right),
            Reason::MatchedRight {
                people: learned.matched_right,
                tolerated: thresholds.matched_right,
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
            beyond(disclosed.saturating_add(not_partable), thresholds.not_partable),
            Reason::NotPartable {
                disclosed,
                others: not_partable,
                tolerated: thresholds.not_partable,
            },
        ),
    ];
    holding(&found)
}

/// What the released records look like.
fn about_the_records(findings: &Findings, thresholds: &Thresholds) -> Vec<Reason> {
    let [before, after] = findings.rules_broken;
    let tolerated = thresholds.rules_broken;
    let columns = findings.telling_columns;
    let mut found = vec![
        (columns > 0, Reason::ColumnsTell { columns }),
        (
            after.saturating_sub(before) > tolerated,
            Reason::RulesBroken { before, after, tolerated },
        ),
    ];
    if let Some(tolerated) = thresholds.new_pairs {
        let combinations = findings.new_pairs;
        found.push((combinations > tolerated, Reason::NewPairs { combinations, tolerated }));
    }
    holding(&found)
}

fn holding(found: &[(bool, Reason)]) -> Vec<Reason> {
    found.iter().filter(|(holds, _)| *holds).map(|(_, reason)| *reason).collect()
}

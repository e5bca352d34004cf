//! What an intruder learns from a released file, and what the gate makes of it: the answers
//! that every command gives alike.

use std::fmt::{self, Write};

use marginswap_core::text::grouped;
use serde::Serialize;

use crate::answer::{Names, aligned, counted, formula, intruder, listed, percent, sentence, share};

/// How many pairs of variables the text lists.
const MOST_PAIRS: usize = 5;

/// What intruders learn about the people at risk, in the worst of all scenarios, and in each.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Protection {
    /// People at risk.
    pub at_risk: u64,
    /// No released record has their keys.
    pub gone: u64,
    /// Two or more have them.
    pub shared: u64,
    /// Exactly one has them.
    pub matched: u64,
    /// Matched, with every sensitive value true.
    pub matched_right: u64,
    /// Shared, with every sensitive value learned truly.
    pub shared_right: u64,
    /// Shared by the same records as before, or with too much learned truly.
    pub shared_learned: u64,
    /// Gone, or shared and neither of these.
    pub protected: u64,
    /// The share of the values on the matched records that are true.
    pub values_true: Option<f64>,
    /// The share that records drawn at random would give.
    pub values_true_by_chance: Option<f64>,
    /// People who became alone with their keys, all values true.
    pub newly_exposed: u64,
    /// Two-way combinations that only the released file has.
    pub new_pairs: u64,
    /// Released records that have one of them.
    pub new_pairs_records: u64,
    /// The pairs of variables that have any.
    pub new_pairs_by_variables: Vec<NewPair>,
    /// Each intruder by itself.
    pub scenarios: Vec<ScenarioProtection>,
}

/// New combinations of two variables.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NewPair {
    /// The variables.
    pub pair: [String; 2],
    /// How many combinations are new.
    pub combinations: u64,
    /// How many released records have one.
    pub records: u64,
}

/// What one intruder learns.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScenarioProtection {
    /// What the project calls the intruder; null for one without a name.
    pub name: Option<String>,
    /// What the intruder knows.
    pub keys: Names,
    /// What the intruder wants to learn.
    pub sensitive: Names,
    /// People at risk.
    pub at_risk: u64,
    /// No released record has their keys.
    pub gone: u64,
    /// Two or more have them.
    pub shared: u64,
    /// Exactly one has them.
    pub matched: u64,
    /// Matched, with every sensitive value true.
    pub matched_right: u64,
    /// Shared, with every sensitive value learned truly.
    pub shared_right: u64,
    /// Shared by the same records as before, or with too much learned truly.
    pub shared_learned: u64,
    /// Gone, or shared and neither of these.
    pub protected: u64,
    /// The share of the values on the matched records that are true.
    pub values_true: Option<f64>,
    /// The share that records drawn at random would give.
    pub values_true_by_chance: Option<f64>,
    /// The share of the values on which sharing records agree that are true.
    pub shared_values_true: Option<f64>,
    /// The share of these that records drawn at random would give.
    pub shared_values_true_by_chance: Option<f64>,
    /// How many of the matched have 0, 1, 2, … true values.
    pub matched_by_true_values: Vec<u64>,
    /// People who became alone with their keys, all values true.
    pub newly_exposed: u64,
}

impl Protection {
    /// Lines of a text answer.
    #[must_use]
    pub fn lines(&self) -> String {
        let mut text = String::new();
        if self.scenarios.is_empty() {
            text.push_str("No keys were named, so no risk was measured.\n");
        }
        for scenario in &self.scenarios {
            text.push_str(&scenario.lines());
        }
        if self.scenarios.len() > 1 {
            let _ = writeln!(
                text,
                "In the worst of these {} scenarios, person by person:",
                self.scenarios.len()
            );
            text.push_str(&Fates::of_worst_case(self).lines());
        }
        if self.new_pairs > 0 {
            let _ = writeln!(
                text,
                "New pairs: {} of two values that the original does not have, in {}.",
                counted(self.new_pairs, "combination", "combinations"),
                counted(self.new_pairs_records, "released record", "released records"),
            );
            let rows: Vec<Vec<String>> =
                self.new_pairs_by_variables.iter().take(MOST_PAIRS).map(NewPair::cells).collect();
            text.push_str(&aligned(&rows));
            let more = self.new_pairs_by_variables.len().saturating_sub(MOST_PAIRS) as u64;
            if more > 0 {
                let _ = writeln!(
                    text,
                    "  and {}; --json lists all",
                    counted(more, "more pair of variables", "more pairs of variables")
                );
            }
        }
        text
    }
}

impl NewPair {
    /// The variables, and the two counts in words.
    fn cells(&self) -> Vec<String> {
        vec![
            formula(&self.pair),
            counted(self.combinations, "combination", "combinations"),
            counted(self.records, "record", "records"),
        ]
    }
}

impl ScenarioProtection {
    /// The intruder, for the middle of a sentence.
    pub(crate) fn who(&self) -> String {
        intruder(self.name.as_deref())
    }

    /// Lines of a text answer.
    fn lines(&self) -> String {
        let mut text = sentence(&format!("{} who knows {}:\n", self.who(), listed(&self.keys)));
        text.push_str(&Fates::of_scenario(self).lines());
        if let Some(words) = values_true_words(self.values_true, self.values_true_by_chance) {
            let _ = writeln!(text, "{words}");
        }
        if let (Some(right), Some(chance)) =
            (self.shared_values_true, self.shared_values_true_by_chance)
        {
            let _ = writeln!(
                text,
                "Sensitive values that are true where records sharing the keys agree: {}; on a \
                 random record: {}.",
                share(right),
                share(chance)
            );
        }
        text
    }
}

/// How many values are true beside chance, in one sentence; none when nobody is matched.
pub(crate) fn values_true_words(right: Option<f64>, chance: Option<f64>) -> Option<String> {
    let right = share(right?);
    Some(match chance {
        Some(chance) => format!(
            "Sensitive values that are true on matched records: {right}; on a random record: {}.",
            share(chance)
        ),
        None => format!("Sensitive values that are true on matched records: {right}."),
    })
}

/// The people at risk by what an intruder finds, as rows of a table.
pub(crate) struct Fates {
    at_risk: u64,
    gone: u64,
    shared: u64,
    shared_right: u64,
    shared_learned: u64,
    matched: u64,
    matched_right: u64,
    newly_exposed: u64,
}

impl Fates {
    pub(crate) fn of_scenario(scenario: &ScenarioProtection) -> Self {
        let &ScenarioProtection {
            at_risk,
            gone,
            shared,
            shared_right,
            shared_learned,
            matched,
            matched_right,
            newly_exposed,
            ..
        } = scenario;
        Self {
            at_risk,
            gone,
            shared,
            shared_right,
            shared_learned,
            matched,
            matched_right,
            newly_exposed,
        }
    }

    pub(crate) fn of_worst_case(worst: &Protection) -> Self {
        let &Protection {
            at_risk,
            gone,
            shared,
            shared_right,
            shared_learned,
            matched,
            matched_right,
            newly_exposed,
            ..
        } = worst;
        Self {
            at_risk,
            gone,
            shared,
            shared_right,
            shared_learned,
            matched,
            matched_right,
            newly_exposed,
        }
    }

    /// What, how many people, and their share of those at risk.
    pub(crate) fn rows(&self) -> Vec<Vec<String>> {
        let row = |what: &str, people: u64| {
            vec![what.to_owned(), grouped(people), percent(people, self.at_risk)]
        };
        vec![
            vec!["people at risk".to_owned(), grouped(self.at_risk), String::new()],
            row("  gone: no released record has their keys", self.gone),
            row("  shared: two or more records have them", self.shared),
            row("    of these, every sensitive value is learned", self.shared_right),
            row("    the same records as before, or too much learned", self.shared_learned),
            row("  matched: exactly one record has them", self.matched),
            row("    of these, every sensitive value is true", self.matched_right),
            vec!["newly exposed people".to_owned(), grouped(self.newly_exposed), String::new()],
        ]
    }

    fn lines(&self) -> String {
        aligned(&self.rows())
    }
}

/// The three answers of the gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Nothing speaks against releasing the file.
    Release,
    /// A reviewer must decide.
    Review,
    /// The file must not be released.
    DoNotRelease,
}

impl Verdict {
    /// The answer as a sentence.
    pub(crate) fn sentence(self) -> &'static str {
        match self {
            Self::Release => "Release: every check was made, and none found a reason against it.",
            Self::Review => "A reviewer must decide.",
            Self::DoNotRelease => "Do not release this file.",
        }
    }

    /// The answer as a sign, beside its words.
    pub(crate) fn sign(self) -> &'static str {
        match self {
            Self::Release => "✓",
            Self::Review => "?",
            Self::DoNotRelease => "✕",
        }
    }

    /// Its class in the style of a page.
    pub(crate) fn class(self) -> &'static str {
        match self {
            Self::Release => "release",
            Self::Review => "review",
            Self::DoNotRelease => "stop",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Release => "release",
            Self::Review => "a reviewer must decide",
            Self::DoNotRelease => "do not release",
        })
    }
}

/// What the gate says, as every answer about a release holds it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Judgement {
    /// The answer.
    pub verdict: Verdict,
    /// Why the verdict is not "release", gravest first.
    pub reasons: Vec<Reason>,
}

impl Judgement {
    /// Was nothing exchanged although people are at risk?
    #[must_use]
    pub fn is_unchanged(&self) -> bool {
        self.reasons.iter().any(|why| matches!(why, Reason::NothingExchanged { .. }))
    }

    /// Lines of a text answer. That nothing was exchanged is said in the first one.
    #[must_use]
    pub fn lines(&self) -> String {
        let (first, rest): (Vec<&Reason>, Vec<&Reason>) = self
            .reasons
            .iter()
            .partition(|reason| matches!(reason, Reason::NothingExchanged { .. }));
        let mut text = format!("Verdict: {}", self.verdict);
        for reason in first {
            let _ = write!(text, "; {reason}");
        }
        text.push('\n');
        for reason in rest {
            let _ = writeln!(text, "  - {reason}");
        }
        text
    }
}

/// Why a file is not simply released.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
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
        tables: u64,
        /// Of how many.
        of: u64,
    },
    /// The release changes published numbers.
    PublishedChanged {
        /// In how many tables.
        tables: u64,
        /// Of how many.
        of: u64,
        /// How many numbers.
        cells: u64,
    },
    /// One-way tables differ.
    OneWayTablesDiffer {
        /// Of how many variables.
        variables: u64,
    },
    /// Linked columns were parted.
    LinkedColumnsDiffer {
        /// How many groups.
        groups: u64,
    },
    /// Columns that stay did not.
    StayingColumnsDiffer,
    /// The plan was made for another file, or gives another one.
    PlanDiffers,
    /// Ids of the two files do not agree.
    IdsDiffer,
    /// Weighted counts moved further than they may.
    WeightsDrift {
        /// In how many kept tables.
        tables: u64,
    },
    /// The seed is known to others.
    DemoSeed,
    /// Nothing was exchanged although people are at risk.
    NothingExchanged {
        /// How many.
        at_risk: u64,
    },
    /// People are matched with every sensitive value true.
    MatchedRight {
        /// How many.
        people: u64,
        /// How many are tolerated.
        tolerated: u64,
    },
    /// No keys were named.
    NoKeys,
    /// Nobody is at risk, so nobody was looked up.
    NobodyChecked,
    /// People are alone with their keys and were not counted at risk.
    AloneNotCounted {
        /// How many.
        people: u64,
    },
    /// No tables were named.
    NoTables,
    /// Published tables agree with the original nowhere.
    PublishedUnchecked {
        /// How many tables.
        tables: u64,
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
    /// Everything is learned truly about people from several records that agree.
    SharedRight {
        /// How many people.
        people: u64,
        /// How many are tolerated.
        tolerated: u64,
    },
    /// People's keys are shared by the same records as before, or these tell too much.
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
    /// People became alone with their keys.
    NewlyExposed {
        /// How many.
        people: u64,
        /// How many are tolerated.
        tolerated: u64,
    },
    /// No exchange parts people at risk from their keys.
    NotPartable {
        /// How many the kept tables disclose.
        disclosed: u64,
        /// How many others.
        others: u64,
        /// How many are tolerated.
        tolerated: u64,
    },
    /// Released columns that are not exchanged give exchanges away.
    ColumnsTell {
        /// How many.
        columns: u64,
    },
    /// More records break rules than before.
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
    /// The reason as a sentence.
    pub(crate) fn sentence(&self) -> String {
        sentence(&format!("{self}."))
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = self.words();
        match self.tolerated() {
            None | Some(0) => out.write_str(&words),
            Some(most) => write!(out, "{words} (at most {} tolerated)", grouped(most)),
        }
    }
}

impl Reason {
    fn tolerated(&self) -> Option<u64> {
        match self {
            Self::MatchedRight { tolerated, .. }
            | Self::SharedRight { tolerated, .. }
            | Self::SharedLearned { tolerated, .. }
            | Self::Matched { tolerated, .. }
            | Self::NewlyExposed { tolerated, .. }
            | Self::NotPartable { tolerated, .. }
            | Self::RulesBroken { tolerated, .. }
            | Self::NewPairs { tolerated, .. } => Some(*tolerated),
            _ => None,
        }
    }

    fn words(&self) -> String {
        match self {
            Self::RecordsDiffer { before, after } => format!(
                "the original has {}, the released file {}",
                counted(*before, "record", "records"),
                grouped(*after)
            ),
            Self::TablesDiffer { tables, of } => format!(
                "{} of {} {}",
                grouped(*tables),
                counted(*of, "kept table", "kept tables"),
                if *tables == 1 { "differs" } else { "differ" }
            ),
            Self::PublishedChanged { tables, of, cells } => format!(
                "the release changes {} in {} of {}",
                counted(*cells, "published number", "published numbers"),
                grouped(*tables),
                counted(*of, "published table", "published tables")
            ),
            Self::PublishedUnchecked { tables } => format!(
                "{} with the original in no cell, so the release was not checked against {}",
                counted(*tables, "published table agrees", "published tables agree"),
                if *tables == 1 { "it" } else { "them" }
            ),
            Self::PublishedAlsoChanged { cells } => format!(
                "the release changes {} of published tables in which the original already differs \
                 from the published number",
                counted(*cells, "cell", "cells")
            ),
            Self::OneWayTablesDiffer { variables } => format!(
                "the counts of {}, although no swap can change them",
                counted(*variables, "variable differ", "variables differ")
            ),
            Self::LinkedColumnsDiffer { groups } => format!(
                "{} of linked columns no longer {} together",
                counted(*groups, "group", "groups"),
                if *groups == 1 { "belongs" } else { "belong" }
            ),
            Self::StayingColumnsDiffer => {
                "columns that must stay were changed against each other".to_owned()
            }
            Self::PlanDiffers => {
                "the plan does not lead from the original to the released file".to_owned()
            }
            Self::WeightsDrift { tables } => format!(
                "weighted counts of {} moved further than they may",
                counted(*tables, "kept table", "kept tables")
            ),
            Self::IdsDiffer => "the ids of the two files do not agree".to_owned(),
            Self::DemoSeed => "the seed is a demo seed, which others know".to_owned(),
            Self::NothingExchanged { at_risk } => format!(
                "nothing was exchanged although {} at risk",
                counted(*at_risk, "person is", "people are")
            ),
            Self::MatchedRight { people, .. } => format!(
                "{} still matched, with every sensitive value true",
                counted(*people, "person at risk is", "people at risk are")
            ),
            Self::NoKeys => "no keys were named, so no risk was measured".to_owned(),
            Self::NobodyChecked => {
                "nobody is at risk with these keys, so no protection was tested".to_owned()
            }
            Self::AloneNotCounted { people } => format!(
                "{} alone with their keys and not counted at risk, so nobody looked them up",
                counted(*people, "person is", "people are")
            ),
            Self::NoTables => "no tables to keep were named, so none were compared".to_owned(),
            Self::NobodyProtected { at_risk } => match at_risk {
                1 => "the only person at risk is not protected".to_owned(),
                people => format!("none of the {} people at risk is protected", grouped(*people)),
            },
            Self::SharedRight { people, .. } => format!(
                "every sensitive value of {} is learned from records that share their keys",
                counted(*people, "person at risk", "people at risk")
            ),
            Self::SharedLearned { people, .. } => format!(
                "{} shared by the same records as before, or by records that agree truly on \
                 too many sensitive values",
                match people {
                    1 => "the keys of 1 person at risk are".to_owned(),
                    people => format!("the keys of {} people at risk are", grouped(*people)),
                }
            ),
            Self::Matched { people, at_risk, .. } => format!(
                "{} of {} at risk {} still matched",
                grouped(*people),
                counted(*at_risk, "person", "people"),
                if *people == 1 { "is" } else { "are" }
            ),
            Self::NewlyExposed { people, .. } => {
                format!("the release newly exposes {}", counted(*people, "person", "people"))
            }
            Self::NotPartable { disclosed, others, .. } => format!(
                "no exchange of two records parts the keys of {}; for {} of them the kept tables \
                 already disclose the keys",
                counted(disclosed + others, "person at risk", "people at risk"),
                grouped(*disclosed)
            ),
            Self::ColumnsTell { columns } => format!(
                "{} swaps away",
                counted(
                    *columns,
                    "released column that is not exchanged gives",
                    "released columns that are not exchanged give"
                )
            ),
            Self::RulesBroken { before, after, .. } => format!(
                "{} a rule in the released file, {} in the original",
                counted(*after, "record breaks", "records break"),
                grouped(*before)
            ),
            Self::NewPairs { combinations, .. } => format!(
                "{} never {} in the original",
                counted(
                    *combinations,
                    "combination of two values in the released file",
                    "combinations of two values in the released file"
                ),
                if *combinations == 1 { "occurs" } else { "occur" }
            ),
        }
    }
}

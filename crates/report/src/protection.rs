//! What an intruder learns from a released file, and what the gate makes of it: the answers
//! that every command gives alike.

use std::fmt::{self, Write};

use marginswap_core::text::grouped;
use serde::Serialize;

use crate::answer::{Names, aligned, counted, listed, percent};

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
    /// The share of the values on the matched records that are true.
    pub values_true: Option<f64>,
    /// The share that records drawn at random would give.
    pub values_true_by_chance: Option<f64>,
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
        for scenario in &self.scenarios {
            let of = |people: u64| percent(people, scenario.at_risk);
            let _ = writeln!(text, "An intruder who knows {}:", listed(&scenario.keys));
            let rows: Vec<Vec<String>> = [
                ("people at risk", scenario.at_risk, String::new()),
                ("  gone: no released record has their keys", scenario.gone, of(scenario.gone)),
                ("  shared: several records have them", scenario.shared, of(scenario.shared)),
                ("  matched: exactly one record has them", scenario.matched, of(scenario.matched)),
                (
                    "    matched with every value true",
                    scenario.matched_right,
                    of(scenario.matched_right),
                ),
                ("newly exposed people", scenario.newly_exposed, String::new()),
            ]
            .into_iter()
            .map(|(what, people, share)| vec![what.to_owned(), grouped(people), share])
            .collect();
            text.push_str(&aligned(&rows));
            if let (Some(right), Some(chance)) =
                (scenario.values_true, scenario.values_true_by_chance)
            {
                let _ = writeln!(
                    text,
                    "Of the values on the matched records {:.1} % are true; records drawn at random \
                     would give {:.1} %.",
                    100.0 * right,
                    100.0 * chance
                );
            }
        }
        if self.new_pairs > 0 {
            let _ = writeln!(
                text,
                "{} that never occurred in the original, in {}.",
                counted(self.new_pairs, "two-way combination", "two-way combinations"),
                counted(self.new_pairs_records, "record", "records")
            );
        }
        text
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
    /// Why it is not simply yes, gravest first.
    pub reasons: Vec<Reason>,
}

impl Judgement {
    /// Lines of a text answer.
    #[must_use]
    pub fn lines(&self) -> String {
        let mut text = format!("Verdict: {}\n", self.verdict);
        for reason in &self.reasons {
            let _ = writeln!(text, "  {reason}");
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
    /// No tables were named.
    NoTables,
    /// Everybody at risk is still matched.
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
    Unpartable {
        /// How many the kept tables disclose.
        disclosed: u64,
        /// How many others.
        others: u64,
        /// How many are tolerated.
        tolerated: u64,
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

impl fmt::Display for Reason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let people = |count: u64| counted(count, "person", "people");
        match self {
            Self::RecordsDiffer { before, after } => write!(
                out,
                "the original has {} records, the released file {}",
                grouped(*before),
                grouped(*after)
            ),
            Self::TablesDiffer { tables, of } => {
                write!(out, "{tables} of {of} kept tables differ")
            }
            Self::OneWayTablesDiffer { variables } => {
                write!(out, "the counts of {} differ", counted(*variables, "variable", "variables"))
            }
            Self::LinkedColumnsDiffer { groups } => write!(
                out,
                "{} of linked columns no longer agree",
                counted(*groups, "group", "groups")
            ),
            Self::StayingColumnsDiffer => out.write_str("columns that stay were changed"),
            Self::PlanDiffers => {
                out.write_str("the plan does not lead from the original to the released file")
            }
            Self::IdsDiffer => out.write_str("the ids of the two files do not agree"),
            Self::DemoSeed => out.write_str("the seed is a demo seed, which anybody can guess"),
            Self::NothingExchanged { at_risk } => {
                write!(out, "nothing was exchanged, and {} at risk", are(*at_risk))
            }
            Self::MatchedRight { people: count, .. } => write!(
                out,
                "{} at risk {} still matched with every sensitive value true",
                people(*count),
                if *count == 1 { "is" } else { "are" }
            ),
            Self::NoKeys => out.write_str("no key variables were named, so no risk was measured"),
            Self::NobodyChecked => out.write_str("nobody is at risk, so nothing was protected"),
            Self::NoTables => out.write_str("no tables were named, so none were compared"),
            Self::NobodyProtected { at_risk } => {
                write!(out, "all {} at risk are still matched", people(*at_risk))
            }
            Self::SharedRight { people: count, .. } => write!(
                out,
                "every sensitive value of {} is learned from records that agree",
                people(*count)
            ),
            Self::Matched { people: count, at_risk, .. } => {
                write!(out, "{} of {} at risk are still matched", grouped(*count), people(*at_risk))
            }
            Self::NewlyExposed { people: count, .. } => {
                write!(out, "{} became alone with their keys through the release", people(*count))
            }
            Self::Unpartable { disclosed, others, .. } => write!(
                out,
                "the keys of {} cannot be parted, {} of them disclosed by the kept tables",
                people(disclosed + others),
                grouped(*disclosed)
            ),
            Self::RulesBroken { before, after, .. } => write!(
                out,
                "{} records break a rule, {} in the original",
                grouped(*after),
                grouped(*before)
            ),
            Self::NewPairs { combinations, .. } => write!(
                out,
                "{} occur that never did",
                counted(*combinations, "two-way combination", "two-way combinations")
            ),
        }
    }
}

fn are(people: u64) -> String {
    counted(people, "person is", "people are")
}

//! What an intruder learns from a released file, and what the gate makes of it: the answers
//! that every command gives alike.

use std::fmt::{self, Write};

use marginswap_core::text::grouped;
use marginswap_core::verdict;
use serde::Serialize;

use crate::answer::{
    Names, aligned, counted, formula, intruder, listed, percent, sentence, share, shown,
};
use crate::found::{FoundBySomeKeys, FoundPeople};
use crate::page::LeftReason;
pub use crate::reason::Reason;
use crate::reason::{as_json, reason_words};

/// How a verdict begins that was reached with a demo seed.
const DEMO_ONLY: &str = "DEMO ONLY (public seed). With a seed of your own:";

/// How many pairs of variables the text lists.
const MOST_PAIRS: usize = 5;

/// What intruders learn about the people at risk, in the worst of all scenarios, and in each.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Protection {
    /// What became of the people at risk.
    #[serde(flatten)]
    pub fates: Fates,
    /// Who is found by any intruder who knows some of the keys; absent where nothing is sensitive.
    #[serde(flatten)]
    pub found: Option<FoundPeople>,
    /// The share of the values on the matched records that are true; of several intruders, for the
    /// one for whom it is highest.
    pub values_true: Option<f64>,
    /// The share that records drawn at random would give to the same intruder.
    pub values_true_by_chance: Option<f64>,
    /// People who are unique on the keys and whom a model that fits does not count at risk.
    pub alone_by_model: u64,
    /// People at risk, not gone, whose keys the kept tables already disclose.
    pub disclosed: u64,
    /// Is `disclosed` exact? Otherwise it is a lower bound.
    pub disclosed_is_exact: bool,
    /// Why nothing was done for the newly exposed people.
    pub newly_exposed_because: ExposedBecause,
    /// What the intruders are taken to know of the keys: `any part` or `all`; null without keys.
    pub knows: Option<&'static str>,
    /// Who is hidden from anyone who knows any part of the keys; null where no plan tells, or the
    /// intruder is taken to know all keys.
    pub hidden: Option<HiddenPeople>,
    /// Two-way combinations that only the released file has.
    pub new_pairs: u64,
    /// Of these, those that look impossible: five records or more would have both values if these
    /// were independent, and none does. The others are absent by rarity.
    pub new_pairs_impossible: u64,
    /// Exchanged variables with too many levels for their combinations to be counted.
    pub new_pairs_left_out: Names,
    /// Released records that have one of them.
    pub new_pairs_records: u64,
    /// The pairs of variables that have any.
    pub new_pairs_by_variables: Vec<NewPair>,
    /// Columns that follow from others in every original record and not in every released one.
    pub dependencies_broken: Vec<BrokenDependency>,
    /// Released records in which one of them does not.
    pub dependencies_broken_records: u64,
    /// Each intruder by itself.
    pub scenarios: Vec<ScenarioProtection>,
    /// The same of whole households, where these are swapped and the rest counts persons.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub household_fates: Option<HouseholdProtection>,
}

/// People at risk by whether they are hidden from anyone who knows any part of their keys.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct HiddenPeople {
    /// How many people share every piece of the keys that still leads to a hidden person.
    pub crowd: u32,
    /// Hidden: every released record that holds some of their values is one of such a crowd.
    pub hidden: u64,
    /// Hidden because a record that fewer share has other sensitive values.
    pub values_replaced: u64,
    /// Not hidden, though no kept table prevents it.
    pub not_hidden: u64,
    /// Not hidden because a kept table prevents it.
    pub cannot_be_hidden: u64,
    /// The tables that prevent it.
    pub prevented_by: Vec<PreventedBy>,
    /// Keys that the intruder may know only roughly; absent where none may.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub known_roughly: Names,
    /// Are these households, which are swapped as a whole?
    #[serde(skip)]
    pub households: bool,
}

/// A kept table that prevents people from being hidden.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PreventedBy {
    /// The table.
    pub table: Names,
    /// How many people.
    pub people: u64,
}

/// What somebody knows who knows any part of the keys, some of them perhaps only roughly.
pub(crate) fn any_part(known_roughly: &[String]) -> String {
    match known_roughly.is_empty() {
        true => "any part of the keys".to_owned(),
        false => format!("any part of the keys, {} exactly or roughly", listed(known_roughly)),
    }
}

impl HiddenPeople {
    /// How many are hidden in all.
    fn all_hidden(&self) -> u64 {
        self.hidden + self.values_replaced
    }

    /// Lines of a text answer, the first one of them with a heading.
    pub(crate) fn lines(&self) -> String {
        let at_risk = self.all_hidden() + self.not_hidden + self.cannot_be_hidden;
        let units = |number: u64| match self.households {
            true => counted(number, "household", "households"),
            false => counted(number, "person", "people"),
        };
        let mut text = format!(
            "Hidden     {} of {} at risk ({}), from anyone who knows {}\n",
            grouped(self.all_hidden()),
            units(at_risk),
            percent(self.all_hidden(), at_risk),
            any_part(&self.known_roughly),
        );
        let mut row = |people: u64, words: String| {
            if people > 0 {
                let _ = writeln!(text, "             {}: {words}", grouped(people));
            }
        };
        row(
            self.values_replaced,
            "sensitive values replaced where the keys could not be cut".to_owned(),
        );
        row(self.not_hidden, "not hidden: no allowed swap was left for them".to_owned());
        for PreventedBy { table, people } in &self.prevented_by {
            row(
                *people,
                format!("cannot be hidden: the kept table {} prevents it", formula(table)),
            );
        }
        text
    }
}

/// What intruders find who know the keys of all members of a household, in the worst of all
/// scenarios.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct HouseholdProtection {
    /// Households at risk: those with a member at risk, and those alone with their own keys.
    pub at_risk: u64,
    /// No released household has their keys.
    pub gone: u64,
    /// Two or more have them.
    pub shared: u64,
    /// Exactly one has them.
    pub matched: u64,
    /// Gone, or shared without too much being learned.
    pub protected: u64,
    /// Households that became alone with their keys, all values true.
    pub newly_exposed: u64,
}

impl HouseholdProtection {
    /// What, how many households, and their share of those at risk.
    pub(crate) fn rows(&self) -> Vec<Vec<String>> {
        let row = |what: &str, households: u64| {
            vec![what.to_owned(), grouped(households), percent(households, self.at_risk)]
        };
        vec![
            vec!["households at risk".to_owned(), grouped(self.at_risk), String::new()],
            row("  gone: no released household has their keys", self.gone),
            row("  shared: two or more households have them", self.shared),
            row("  matched: exactly one household has them", self.matched),
            vec!["newly exposed households".to_owned(), grouped(self.newly_exposed), String::new()],
        ]
    }

    fn lines(&self) -> String {
        let mut text = "An intruder who knows these of all members of a household:\n".to_owned();
        text.push_str(&aligned(&self.rows()));
        text
    }
}

/// New combinations of two variables.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NewPair {
    /// The variables.
    pub pair: [String; 2],
    /// How many combinations are new.
    pub combinations: u64,
    /// Of these, those that look impossible.
    pub impossible: u64,
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
    /// What became of the people at risk.
    #[serde(flatten)]
    pub fates: Fates,
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
    /// Who is found when only some of the keys are known; absent where nothing is sensitive.
    #[serde(flatten)]
    pub found: Option<FoundBySomeKeys>,
}

impl Protection {
    /// Of whom [`Protection::values_true`] speaks, where there are several intruders: everything
    /// else counts all of them together.
    pub(crate) fn whose_values(&self) -> Option<String> {
        let mut scenarios = self.scenarios.iter();
        let same = |one: &&ScenarioProtection| {
            one.values_true == self.values_true
                && one.values_true_by_chance == self.values_true_by_chance
        };
        let learns_most = scenarios.rfind(same).filter(|_| self.scenarios.len() > 1)?;
        Some(match &learns_most.name {
            Some(_) => learns_most.who(),
            None => format!("the intruder who knows {}", listed(&learns_most.keys)),
        })
    }

    /// Against which knowledge a yes was tested.
    pub(crate) fn tested(&self, verdict: Verdict) -> String {
        let knowledge = match (verdict, self.knows) {
            (Verdict::Release, Some("all")) => {
                "who knows exactly all keys; someone who knows only some of them may find people"
            }
            (Verdict::Release, Some(_)) => "who knows all keys or any part of them",
            _ => return String::new(),
        };
        format!("  tested against anyone {knowledge}\n")
    }

    /// How many values are true, and by chance, in one sentence; none when nobody is matched.
    pub(crate) fn values_true_words(&self) -> Option<String> {
        let whose = self.whose_values();
        values_true_words(self.values_true, self.values_true_by_chance, whose.as_deref())
    }

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
            text.push_str(&self.fates.lines());
            text.push_str(&self.found.as_ref().map(FoundPeople::lines).unwrap_or_default());
        }
        if let Some(hidden) = &self.hidden {
            text.push_str(&hidden.lines());
        }
        text.push_str(&self.alone_line());
        let exposed = self.newly_exposed_because.words();
        if !exposed.is_empty() {
            let _ = writeln!(text, "Newly exposed people, by reason: {exposed}.");
        }
        if self.disclosed > 0 && !self.disclosed_is_exact {
            let _ = writeln!(
                text,
                "The number of people whose keys the kept tables disclose is a lower bound."
            );
        }
        if let Some(households) = &self.household_fates {
            text.push_str(&households.lines());
        }
        if self.new_pairs > 0 {
            let _ = writeln!(
                text,
                "New pairs: {} of two values that the original does not have, in {}: {}.",
                counted(self.new_pairs, "combination", "combinations"),
                counted(self.new_pairs_records, "released record", "released records"),
                rare_or_impossible(self.new_pairs, self.new_pairs_impossible),
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
        text.push_str(&self.left_out_line());
        text.push_str(&self.dependency_lines());
        text
    }

    /// Which dependencies records break, each in a line.
    pub(crate) fn dependency_lines(&self) -> String {
        self.dependencies_broken.iter().map(BrokenDependency::line).collect()
    }

    /// How many people a model leaves out who are unique on the keys, where there are any.
    pub(crate) fn alone_line(&self) -> String {
        match self.alone_by_model {
            0 => String::new(),
            people => format!(
                "{} unique on the keys, and the risk model, which fits well, does not count them \
                 at risk.\n",
                counted(people, "person is", "people are")
            ),
        }
    }

    /// Which variables new pairs are not counted of, where there are any.
    pub(crate) fn left_out_line(&self) -> String {
        match self.new_pairs_left_out.is_empty() {
            true => String::new(),
            false => format!(
                "New pairs with {} are neither avoided nor counted: too many different values.\n",
                listed(&self.new_pairs_left_out)
            ),
        }
    }
}

/// A column that follows from others in every original record and not in every released one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BrokenDependency {
    /// The column.
    pub column: String,
    /// The columns that it follows from.
    pub of: Names,
    /// How: `function` of one column, or `sum`.
    pub how: &'static str,
    /// Released records in which it does not.
    pub records: u64,
}

impl BrokenDependency {
    fn line(&self) -> String {
        let follows = match self.how {
            "sum" => "is the sum of",
            _ => "follows from",
        };
        format!(
            "{} {follows} {} in every original record, and not in {}. Link these columns, or let \
             one stay.\n",
            shown(&self.column),
            listed(&self.of),
            counted(self.records, "released record", "released records"),
        )
    }
}

/// How many new combinations are absent by rarity, and how many look impossible.
pub(crate) fn rare_or_impossible(all: u64, impossible: u64) -> String {
    let rare = all - impossible.min(all);
    match (rare, impossible) {
        (_, 0) => "absent from the original by rarity".to_owned(),
        (0, 1) => "its values are frequent, so it looks impossible".to_owned(),
        (0, _) => "their values are frequent, so they look impossible".to_owned(),
        (rare, _) => format!(
            "{} absent by rarity, {} between frequent values {} impossible",
            grouped(rare),
            grouped(impossible),
            if impossible == 1 { "looks" } else { "look" }
        ),
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
        text.push_str(&self.fates.lines());
        if let Some(found) = &self.found {
            text.push_str(&found.lines(self.keys.len()));
        }
        if let Some(words) = values_true_words(self.values_true, self.values_true_by_chance, None) {
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

/// How many values are true, and by chance, in one sentence; none when nobody is matched.
/// `whose`: the one of several intruders who learns them.
pub(crate) fn values_true_words(
    right: Option<f64>,
    chance: Option<f64>,
    whose: Option<&str>,
) -> Option<String> {
    let right = share(right?);
    let whose = whose.map_or_else(String::new, |whose| format!(", for {whose}, who learns most"));
    Some(match chance {
        Some(chance) => format!(
            "Sensitive values that are true on matched records{whose}: {right}; on a random \
             record: {}.",
            share(chance)
        ),
        None => format!("Sensitive values that are true on matched records{whose}: {right}."),
    })
}

/// The people at risk by what an intruder finds, and people who are newly exposed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Fates {
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
    /// People who became alone with their keys, all values true.
    pub newly_exposed: u64,
}

/// Newly exposed people by why nothing was done for them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct ExposedBecause {
    /// The kept tables prove that somebody has these keys.
    pub disclosed: u64,
    /// No exchange of two records parts their keys.
    pub not_separable: u64,
    /// Exchanges that part their keys exist, and none was made: another setting forbids them, the
    /// budget is used up, or the partners are used.
    pub not_taken: u64,
}

impl ExposedBecause {
    /// Each reason with its number, where there is one.
    pub(crate) fn reasons(&self) -> Vec<(LeftReason, u64)> {
        let all = [
            (LeftReason::Disclosed, self.disclosed),
            (LeftReason::NotSeparable, self.not_separable),
            (LeftReason::NotTaken, self.not_taken),
        ];
        all.into_iter().filter(|(_, people)| *people > 0).collect()
    }

    /// The same in words, for the end of a sentence; nothing where nobody is newly exposed.
    pub(crate) fn words(&self) -> String {
        let reasons: Vec<String> = self
            .reasons()
            .iter()
            .map(|(why, people)| format!("{why} ({})", grouped(*people)))
            .collect();
        reasons.join("; ")
    }
}

impl Fates {
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

impl From<verdict::Answer> for Verdict {
    fn from(answer: verdict::Answer) -> Self {
        match answer {
            verdict::Answer::Release => Self::Release,
            verdict::Answer::Review => Self::Review,
            verdict::Answer::DoNotRelease => Self::DoNotRelease,
        }
    }
}

impl Verdict {
    /// The answer as a sentence.
    pub(crate) fn sentence(self) -> &'static str {
        match self {
            Self::Release => {
                "Release: nothing speaks against it, tested against intruders who know what is said below."
            }
            Self::Review => "A reviewer must decide.",
            Self::DoNotRelease => "Do not release this file.",
        }
    }

    /// The answer as a sign, next to its words.
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
    #[serde(serialize_with = "as_json")]
    pub reasons: Vec<Reason>,
}

impl Judgement {
    /// Was nothing exchanged although people are at risk?
    #[must_use]
    pub fn is_unchanged(&self) -> bool {
        self.reasons.iter().any(|why| matches!(why, Reason::NothingExchanged { .. }))
    }

    /// Was it made with a demo seed, which others know?
    #[must_use]
    pub fn is_demonstration(&self) -> bool {
        self.reasons.iter().any(|why| matches!(why, Reason::DemoSeed {}))
    }

    /// What the other reasons lead to, where the seed is a demo seed.
    #[must_use]
    pub fn with_own_seed(&self) -> Verdict {
        let others = self.reasons.iter().filter(|why| !matches!(why, Reason::DemoSeed {}));
        others.map(|why| why.answer().into()).max().unwrap_or(Verdict::Release)
    }

    /// Lines of a text answer. The first one says when nothing was exchanged.
    #[must_use]
    pub fn lines(&self) -> String {
        self.lines_as("Verdict")
    }

    /// The same, with another word for the verdict.
    pub(crate) fn lines_as(&self, word: &str) -> String {
        let demo = self.is_demonstration();
        let (first, rest): (Vec<&Reason>, Vec<&Reason>) = self
            .reasons
            .iter()
            .filter(|reason| !matches!(reason, Reason::DemoSeed {}))
            .partition(|reason| matches!(reason, Reason::NothingExchanged { .. }));
        let mut text = match demo {
            true => format!("{word}: {DEMO_ONLY} {}", self.with_own_seed()),
            false => format!("{word}: {}", self.verdict),
        };
        for reason in first {
            let _ = write!(text, "; {}", reason_words(reason));
        }
        text.push('\n');
        for reason in rest {
            let _ = writeln!(text, "  - {}", reason_words(reason));
        }
        text
    }
}

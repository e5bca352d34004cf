//! What `risk` answers: who is at risk, by which model, and how well it fits.
//!
//! Counts are exact. Everything else is estimated, says so, and is shown with its model. The
//! text names no record; the JSON lists those that the rule selects.

use std::fmt;

use marginswap_core::text::grouped;
use serde::{Serialize, Serializer};

use crate::answer::{
    Answer, Names, aligned, counted, formula, intruder, listed, percent, sentence,
};

/// Who is at risk.
#[derive(Debug, Clone, Serialize)]
pub struct RiskReport {
    /// How many records there are.
    pub records: u64,
    /// What an intruder may know.
    pub keys: Names,
    /// The combinations of keys that occur.
    pub combinations: u64,
    /// Records alone in theirs.
    pub sample_uniques: u64,
    /// How many people the file was drawn from.
    pub population: f64,
    /// The share of them that is in the file.
    pub sampling_fraction: f64,
    /// The model that the estimates come from.
    pub model: ModelReport,
    /// Estimated: population uniques among the sample uniques.
    pub tau1: f64,
    /// Estimated: correct re-identifications when every sample unique is matched to one person
    /// of the population.
    pub tau2: f64,
    /// The fit criterion; null when the file is the whole population, or when the model makes
    /// too many cells to sum over.
    pub fit: Option<FitReport>,
    /// Estimated: sample uniques by their least probability to be population unique.
    pub at_least: Vec<AtLeast>,
    /// Estimated from the weights.
    pub weighted: Option<WeightedReport>,
    /// Estimated from the sizes of cells alone.
    pub superpopulation: Vec<EstimateReport>,
    /// Estimated: the probability that a unique match is right (DIS).
    pub dis: Option<f64>,
    /// Exact: records in combinations that occur fewer than k times.
    pub anonymity: Vec<AnonymityReport>,
    /// Exact: what each intruder finds, where there are several. The model and all estimates are
    /// about the first one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scenarios: Vec<ScenarioRisk>,
    /// The households of these records, where a column names them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub households: Option<HouseholdRisk>,
    /// Exact: the sets of keys with the most uniques.
    pub key_sets: Vec<KeySetReport>,
    /// Exact: which keys matter most.
    pub key_tells: Vec<KeyReport>,
    /// Exact: the smallest sets of keys that point to a record.
    pub suda: Option<SudaReport>,
    /// The asked rule.
    pub rule: Option<String>,
    /// How many records it selects, and what can be done about them.
    pub at_risk: Option<AtRisk>,
    /// The records that it selects, the riskiest first.
    pub risky: Vec<RiskyRecord>,
}

/// The risk of whole households.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HouseholdRisk {
    /// How many there are.
    pub households: u64,
    /// Exact: those with a member who is alone with the keys.
    pub with_sample_unique: u64,
    /// Exact: those alone with the keys of households, where such keys are named.
    pub unique_on_household_keys: Option<u64>,
    /// Estimated: households of which some member is claimed rightly, when every sample unique is
    /// matched to one person of the population: 1 − Π(1 − r) for each household, summed.
    pub expected_claimed: f64,
}

impl HouseholdRisk {
    fn lines(&self) -> String {
        let row = |what: &str, number: u64| {
            vec![what.to_owned(), grouped(number), percent(number, self.households)]
        };
        let mut rows = vec![
            vec!["households".to_owned(), grouped(self.households), String::new()],
            row("  with a member alone with the keys", self.with_sample_unique),
        ];
        if let Some(unique) = self.unique_on_household_keys {
            rows.push(row("  alone with the keys of households", unique));
        }
        format!(
            "\n{}Estimated: in {:.1} households some member is claimed rightly.\n",
            aligned(&rows),
            self.expected_claimed
        )
    }
}

/// What one of several intruders finds in the file. Every number is exact.
#[derive(Debug, Clone, Serialize)]
pub struct ScenarioRisk {
    /// The name of the intruder, where one was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What the intruder knows.
    pub keys: Names,
    /// The combinations of keys that occur.
    pub combinations: u64,
    /// Records alone in theirs.
    pub sample_uniques: u64,
    /// Records in combinations that occur fewer than k times.
    pub anonymity: Vec<AnonymityReport>,
}

/// The model that the estimates come from.
#[derive(Debug, Clone, Serialize)]
pub struct ModelReport {
    /// Its tables as a formula.
    pub name: String,
    /// How it was chosen.
    pub chosen: ModelOrigin,
    /// Has it a closed form?
    pub decomposable: bool,
    /// Its generators: for a decomposable model its cliques.
    pub cliques: Vec<Names>,
    /// What its factors share, with multiplicity; empty between pieces.
    pub separators: Vec<Names>,
    /// Free parameters over all combinations of levels.
    pub parameters: f64,
    /// −2 ln L + parameters·ln n; null, as are the next three, where only cells that hold
    /// records were fitted: these numbers would not compare with those of other models.
    pub bic: Option<f64>,
    /// −2 ln L + 2·parameters.
    pub aic: Option<f64>,
    /// Against the saturated model.
    pub g2: Option<f64>,
    /// The degrees of freedom that G² leaves.
    pub df: Option<f64>,
    /// How the search came to it.
    pub steps: Vec<StepReport>,
    /// How iterative fitting went, where it was needed.
    pub fitting: Option<FittingReport>,
}

/// How a model was chosen; its JSON is the words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelOrigin {
    /// Its tables were given.
    Given,
    /// Independence was asked for.
    GivenIndependence,
    /// All two-way tables were asked for.
    GivenAllTwoWay,
    /// It was searched by a score.
    Searched {
        /// The score.
        score: Score,
        /// Which steps were taken.
        way: SearchWay,
        /// Where the search began.
        from: SearchStart,
    },
    /// Of the models on the way forward it is the one that fits best.
    BestFit,
}

/// The score of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Score {
    /// Bayesian information criterion.
    Bic,
    /// Akaike information criterion.
    Aic,
}

/// The steps of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchWay {
    /// None.
    NoStep,
    /// Edges are added.
    Forward,
    /// Edges are removed.
    Backward,
    /// Both.
    Both,
}

/// Where a search begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchStart {
    /// With the model that was given.
    Given,
    /// With all keys in one table.
    Saturated,
    /// With the best forest.
    Forest,
}

impl fmt::Display for ModelOrigin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Given => formatter.write_str("as given"),
            Self::GivenIndependence => formatter.write_str("as given: independence"),
            Self::GivenAllTwoWay => formatter.write_str("as given: all two-way tables"),
            Self::BestFit => {
                formatter.write_str("chosen by its fit, B/√V nearest to 0 on the way forward")
            }
            Self::Searched { score, way, from } => {
                let score = match score {
                    Score::Bic => "BIC",
                    Score::Aic => "AIC",
                };
                let way = match way {
                    SearchWay::NoStep => "no further step",
                    SearchWay::Forward => "forward",
                    SearchWay::Backward => "backward",
                    SearchWay::Both => "forward and backward",
                };
                let from = match from {
                    SearchStart::Given => "the given model",
                    SearchStart::Saturated => "the saturated model",
                    SearchStart::Forest => "the best forest",
                };
                write!(formatter, "chosen by {score}, {way} from {from}")
            }
        }
    }
}

impl Serialize for ModelOrigin {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// One step of the search.
#[derive(Debug, Clone, Serialize)]
pub struct StepReport {
    /// What was done to the edge.
    pub action: StepAction,
    /// The two keys.
    pub edge: Names,
    /// What is given when they are judged.
    pub separator: Names,
    /// G² of the edge.
    pub g2: f64,
    /// Its degrees of freedom.
    pub df: f64,
    /// How much the score falls.
    pub gain: f64,
    /// B/√V of the model after the step, where the model was chosen by it.
    pub fit: Option<f64>,
}

/// What a step does to an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StepAction {
    /// Adds it.
    Add,
    /// Removes it.
    Remove,
}

impl fmt::Display for StepAction {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Add => "add",
            Self::Remove => "remove",
        })
    }
}

/// How iterative fitting went.
#[derive(Debug, Clone, Serialize)]
pub struct FittingReport {
    /// Rounds over all generators.
    pub iterations: u32,
    /// The largest difference of a fitted from an observed marginal count.
    pub deviation: f64,
    /// Is it as small as was asked for?
    pub converged: bool,
    /// The cells that carry fitted counts.
    pub cells: u64,
    /// Were only cells fitted that hold records? Then risks are estimated too low.
    pub on_observed_cells: bool,
}

/// The fit criterion of Skinner and Shlomo.
#[derive(Debug, Clone, Serialize)]
pub struct FitReport {
    /// B/√V.
    pub value: f64,
    /// What the criterion says.
    pub verdict: FitVerdict,
    /// B.
    pub bias: f64,
    /// V.
    pub variance: f64,
    /// How many parts of cells were opened to sum over all of them.
    pub opened: u64,
}

/// What the fit criterion says of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FitVerdict {
    /// Too simple: risks are estimated too high.
    Underfit,
    /// Neither.
    Good,
    /// Too rich: risks are estimated too low.
    Overfit,
}

/// How many sample uniques have at least this risk.
#[derive(Debug, Clone, Serialize)]
pub struct AtLeast {
    /// The probability.
    pub probability: f64,
    /// How many.
    pub sample_uniques: u64,
}

/// What sampling weights say.
#[derive(Debug, Clone, Serialize)]
pub struct WeightedReport {
    /// Σw.
    pub population: f64,
    /// Estimated: correct re-identifications when every record is matched.
    pub expected_reidentifications: f64,
    /// The largest individual risk.
    pub largest: f64,
}

/// What one model of cell sizes says.
#[derive(Debug, Clone, Serialize)]
pub struct EstimateReport {
    /// Which one.
    pub model: &'static str,
    /// P(population unique | sample unique).
    pub probability: f64,
    /// Population uniques among the sample uniques.
    pub sample_uniques: f64,
    /// Population uniques in all.
    pub population_uniques: Option<f64>,
}

/// Records below k.
#[derive(Debug, Clone, Serialize)]
pub struct AnonymityReport {
    /// k.
    pub k: u64,
    /// Records whose combination occurs fewer than k times.
    pub records_below: u64,
}

/// What a set of keys reveals.
#[derive(Debug, Clone, Serialize)]
pub struct KeySetReport {
    /// The keys.
    pub keys: Names,
    /// Combinations that occur.
    pub combinations: u64,
    /// Records alone in theirs.
    pub uniques: u64,
    /// Records in combinations that occur once or twice.
    pub below_3: u64,
}

/// What a key reveals.
#[derive(Debug, Clone, Serialize)]
pub struct KeyReport {
    /// The key.
    pub key: String,
    /// Records that would be unique on the others alone.
    pub uniques_without: u64,
    /// The share of all SUDA scores that comes from sets with this key.
    pub suda_share: Option<f64>,
}

/// The minimal sample uniques.
#[derive(Debug, Clone, Serialize)]
pub struct SudaReport {
    /// The largest sets that were looked at.
    pub largest: u64,
    /// Records that such a set points to.
    pub records: u64,
    /// How many minimal sets of one key, of two, and so on.
    pub by_size: Vec<u64>,
}

/// What can be done about the records that a rule selects.
#[derive(Debug, Clone, Serialize)]
pub struct AtRisk {
    /// How many.
    pub records: u64,
    /// Of these, can be swapped; null without tables to keep.
    pub swappable: Option<u64>,
    /// Cannot be swapped.
    pub not_swappable: Option<u64>,
    /// Already disclosed by the kept tables; these are among the ones before.
    pub disclosed: Option<u64>,
}

/// A record that a rule selects.
#[derive(Debug, Clone, Serialize)]
pub struct RiskyRecord {
    /// Its number, from 1.
    pub record: u64,
    /// Estimated: P(population unique | sample unique); null for one that is no sample unique.
    pub risk: Option<f64>,
    /// Can it be swapped? Null without tables to keep.
    pub swappable: Option<bool>,
    /// Is its cell already disclosed?
    pub disclosed: Option<bool>,
}

/// A number with one decimal and its thousands set apart; in powers of ten where it is huge.
fn decimal(number: f64) -> String {
    if !number.is_finite() || number.abs() >= 1e15 {
        return format!("{number:.2e}");
    }
    let text = format!("{:.1}", number.abs());
    let (whole, rest) = text.split_once('.').unwrap_or((&text, "0"));
    let sign = if number < 0.0 && text != "0.0" { "−" } else { "" };
    format!("{sign}{}.{rest}", grouped(whole.parse().unwrap_or(0)))
}

/// A share as a percentage with two digits that count.
fn share(share: f64) -> String {
    let percent = share * 100.0;
    if percent >= 10.0 || percent == 0.0 {
        format!("{percent:.1} %")
    } else {
        let digits = (1.0 - percent.log10().floor()).clamp(1.0, 9.0);
        let digits = [1, 2, 3, 4, 5, 6, 7, 8, 9]
            .into_iter()
            .find(|&place| place as f64 >= digits)
            .unwrap_or(9usize);
        format!("{percent:.digits$} %")
    }
}

/// Words in lines of limited width, after an indent.
fn flowing(words: &[String], joint: &str, indent: &str) -> String {
    const WIDTH: usize = 78;
    let mut text = String::new();
    let mut line = indent.to_owned();
    for (place, word) in words.iter().enumerate() {
        let next = if place == 0 { word.clone() } else { format!("{joint}{word}") };
        if line.len() > indent.len() && line.chars().count() + next.chars().count() > WIDTH {
            text.push_str(line.trim_end());
            text.push('\n');
            line = format!("{indent}{}", next.trim_start());
        } else {
            line.push_str(&next);
        }
    }
    text + line.trim_end() + "\n"
}

impl Answer for RiskReport {
    fn text(&self) -> String {
        let mut text = format!(
            "{} in {} of {}; {} are sample uniques ({})\n\
             {} people in the population; {} of them are in the file\n\n",
            counted(self.records, "record", "records"),
            counted(self.combinations, "combination", "combinations"),
            counted(self.keys.len() as u64, "key", "keys"),
            grouped(self.sample_uniques),
            percent(self.sample_uniques, self.records),
            decimal(self.population).trim_end_matches(".0"),
            share(self.sampling_fraction),
        );
        self.model_text(&mut text);
        self.fit_text(&mut text);
        self.risk_text(&mut text);
        self.rule_text(&mut text);
        if let Some(households) = &self.households {
            text.push_str(&households.lines());
        }
        self.count_text(&mut text);
        self.step_text(&mut text);
        text.push_str(
            "\nCounts are exact. All other numbers are estimates and depend on their model.\n",
        );
        text
    }
}

impl RiskReport {
    fn model_text(&self, text: &mut String) {
        let model = &self.model;
        text.push_str(&format!("Model, {}\n", model.chosen));
        let tables: Vec<String> = model.cliques.iter().map(|clique| formula(clique)).collect();
        text.push_str(&flowing(&tables, " + ", "  "));
        let steps = match model.steps.len() {
            0 => String::new(),
            steps => format!("; {}", counted(steps as u64, "step", "steps")),
        };
        let parameters = decimal(model.parameters);
        text.push_str(&format!("  parameters {}", parameters.trim_end_matches(".0")));
        if let (Some(bic), Some(g2), Some(df)) = (model.bic, model.g2, model.df) {
            let df = decimal(df);
            text.push_str(&format!(
                ", BIC {}, G² {} on {} df",
                decimal(bic),
                decimal(g2),
                df.trim_end_matches(".0"),
            ));
        }
        text.push_str(&format!("{steps}\n"));
        if let Some(fitting) = &model.fitting {
            text.push_str(&format!(
                "  not decomposable: fitted in {} on {},\n  {}; margins off by {:.1e} at most\n",
                counted(fitting.iterations.into(), "round", "rounds"),
                counted(fitting.cells, "cell", "cells"),
                if fitting.converged { "converged" } else { "NOT CONVERGED" },
                fitting.deviation,
            ));
            if fitting.on_observed_cells {
                text.push_str(
                    "  WARNING: too many cells to fit all of them. Only cells that hold\n  \
                     records were fitted, so their fitted counts are too high and the risks\n  \
                     below too low.\n",
                );
            }
        }
    }

    /// How the search came to the model.
    fn step_text(&self, text: &mut String) {
        const SHOWN: usize = 12;
        let steps = &self.model.steps;
        if steps.is_empty() {
            return;
        }
        let row = |step: &StepReport| {
            let given = match step.separator.len() {
                0 => String::new(),
                1..=2 => format!(" given {}", listed(&step.separator)),
                keys => format!(" given {keys} keys"),
            };
            let edge: Vec<String> =
                step.edge.iter().map(|key| listed(std::slice::from_ref(key))).collect();
            vec![
                format!("{} {}{given}", step.action, edge.join(" – ")),
                decimal(step.g2),
                decimal(step.df).trim_end_matches(".0").to_owned(),
                decimal(step.gain),
            ]
        };
        let title = ["Steps of the search", "G²", "df", "gain"].map(str::to_owned).to_vec();
        let rows: Vec<Vec<String>> =
            std::iter::once(title).chain(steps.iter().take(SHOWN).map(row)).collect();
        text.push('\n');
        text.push_str(&aligned(&rows));
        if steps.len() > SHOWN {
            text.push_str(&format!("  and {} more: --json lists them\n", steps.len() - SHOWN));
        }
    }

    fn fit_text(&self, text: &mut String) {
        let words = match &self.fit {
            None if self.sampling_fraction >= 1.0 => {
                "  no fit criterion: the file is the whole population, so nothing is estimated\n"
                    .to_owned()
            }
            None if self.model.bic.is_none() => {
                "  no fit criterion, BIC or G²: they need all cells, and not all were fitted\n"
                    .to_owned()
            }
            None => {
                "  no fit criterion: no combination is rare enough, or the model has too many cells\n  \
                     to sum over\n"
                    .to_owned()
            }
            Some(fit) => {
                let advice = match self.model.chosen {
                    ModelOrigin::BestFit => "; no model of the\n  search fits better",
                    ModelOrigin::Searched { .. } => {
                        "; --select fit looks\n  for one that fits better"
                    }
                    ModelOrigin::Given
                    | ModelOrigin::GivenIndependence
                    | ModelOrigin::GivenAllTwoWay => {
                        "; another --model, or none,\n  may fit better"
                    }
                };
                let verdict = match fit.verdict {
                    FitVerdict::Underfit => {
                        format!(
                            "underfit. The model is too simple where it matters,\n  \
                             and the risks below are too high{advice}"
                        )
                    }
                    FitVerdict::Overfit => {
                        format!(
                            "overfit. The model is too rich where it matters,\n  \
                             and the risks below are too low{advice}"
                        )
                    }
                    FitVerdict::Good => "good".to_owned(),
                };
                format!("  fit criterion B/√V {:.2}: {verdict}\n", fit.value)
            }
        };
        text.push_str(&words);
    }

    fn risk_text(&self, text: &mut String) {
        text.push_str("\nEstimated with this model\n");
        let uniques = self.sample_uniques.max(1) as f64;
        let row = |label: &str, number: String, part: f64| {
            vec![label.to_owned(), number, share(part / uniques)]
        };
        let mut rows = vec![
            row(
                "population uniques among the sample uniques (tau1)",
                decimal(self.tau1),
                self.tau1,
            ),
            row(
                "correct re-identifications among the sample uniques (tau2)",
                decimal(self.tau2),
                self.tau2,
            ),
        ];
        rows.extend(self.at_least.iter().map(|found| {
            row(
                &format!("sample uniques with a probability of {} or more", found.probability),
                grouped(found.sample_uniques),
                found.sample_uniques as f64,
            )
        }));
        text.push_str(&aligned(&rows));
        if let Some(weighted) = &self.weighted {
            text.push_str(
                "\nEstimated from the weights (Benedetti and Franconi); the model above treats the\n\
                 file as a simple random sample and does not use them\n",
            );
            text.push_str(&aligned(&[
                vec![
                    "correct re-identifications among all records".to_owned(),
                    decimal(weighted.expected_reidentifications),
                ],
                vec!["largest individual risk".to_owned(), format!("{:.4}", weighted.largest)],
            ]));
        }
        let mut rows = vec![vec![
            "Estimated from cell sizes alone".to_owned(),
            "P(unique)".to_owned(),
            "of the sample's".to_owned(),
            "in all".to_owned(),
        ]];
        rows.extend(self.superpopulation.iter().map(|found| {
            vec![
                format!("  {}", found.model),
                format!("{:.4}", found.probability),
                decimal(found.sample_uniques),
                found.population_uniques.map_or_else(|| "–".to_owned(), decimal),
            ]
        }));
        if let Some(dis) = self.dis {
            rows.push(vec!["  a unique match is right (DIS)".to_owned(), format!("{dis:.4}")]);
        }
        if rows.len() > 1 {
            text.push('\n');
            for line in aligned(&rows).lines() {
                text.push_str(&format!("{}\n", line.strip_prefix("  ").unwrap_or(line)));
            }
        }
    }

    fn rule_text(&self, text: &mut String) {
        let (Some(rule), Some(found)) = (&self.rule, &self.at_risk) else { return };
        text.push_str(&format!("\nAt risk by the rule {rule}\n"));
        let row = |label: &str, number: u64| {
            vec![label.to_owned(), grouped(number), percent(number, found.records)]
        };
        let mut rows = vec![vec!["records".to_owned(), grouped(found.records)]];
        let risks = || self.risky.iter().filter_map(|record| record.risk);
        if let (Some(most), Some(least)) = (risks().next(), risks().next_back()) {
            rows.push(vec![
                "  risk of the sample uniques".to_owned(),
                format!("{least:.4}"),
                format!("to {most:.4}"),
            ]);
        }
        if let (Some(swappable), Some(not), Some(disclosed)) =
            (found.swappable, found.not_swappable, found.disclosed)
        {
            rows.push(row("  swappable", swappable));
            rows.push(row("  not swappable", not));
            rows.push(row("    already disclosed by the tables", disclosed));
        }
        text.push_str(&aligned(&rows));
    }

    fn scenario_text(&self, text: &mut String) {
        for found in &self.scenarios {
            let who = sentence(&intruder(found.name.as_deref()));
            text.push_str(&format!("\n{who} who knows {}:\n", listed(&found.keys)));
            let row = |label: String, number: u64| {
                vec![label, grouped(number), percent(number, self.records)]
            };
            let mut rows =
                vec![row("records alone with their keys".to_owned(), found.sample_uniques)];
            rows.extend(found.anonymity.iter().filter(|below| below.k > 2).map(|below| {
                row(format!("in combinations of fewer than {}", below.k), below.records_below)
            }));
            text.push_str(&aligned(&rows));
        }
        if !self.scenarios.is_empty() {
            text.push_str("The model and all estimates are about the first of these intruders.\n");
        }
    }

    fn count_text(&self, text: &mut String) {
        text.push_str("\nCounted in the file\n");
        let mut rows: Vec<Vec<String>> = self
            .anonymity
            .iter()
            .map(|found| {
                vec![
                    format!("records whose keys occur fewer than {} times", found.k),
                    grouped(found.records_below),
                    percent(found.records_below, self.records),
                ]
            })
            .collect();
        if let Some(suda) = &self.suda {
            rows.push(vec![
                format!(
                    "records that are unique on some set of up to {}",
                    counted(suda.largest, "key", "keys")
                ),
                grouped(suda.records),
                percent(suda.records, self.records),
            ]);
            for (size, &number) in (1..).zip(&suda.by_size) {
                let of = counted(size, "key", "keys");
                rows.push(vec![format!("  smallest such sets with {of}"), grouped(number)]);
            }
        }
        text.push_str(&aligned(&rows));
        if let Some(most) = self.key_sets.first() {
            text.push_str(&format!(
                "  small set of keys with the most uniques: {} ({})\n",
                listed(&most.keys),
                grouped(most.uniques)
            ));
        }
        self.scenario_text(text);
        text.push_str(
            "\nSample uniques if one key were not known (the fewer, the more the key tells)\n",
        );
        let rows: Vec<Vec<String>> = self
            .key_tells
            .iter()
            .map(|key| {
                let mut row = vec![
                    listed(std::slice::from_ref(&key.key)),
                    grouped(key.uniques_without),
                    percent(key.uniques_without, self.sample_uniques),
                ];
                row.extend(key.suda_share.map(|part| format!("SUDA {}", share(part))));
                row
            })
            .collect();
        text.push_str(&aligned(&rows));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(decimal(1234.56), "1,234.6");
        assert_eq!(decimal(-0.04), "0.0");
        assert_eq!(decimal(-12.34), "−12.3");
        assert_eq!(decimal(3.2e20), "3.20e20");
        assert_eq!(share(0.0328), "3.28 %".replace("3.28", "3.3"));
        assert_eq!(share(0.5), "50.0 %");
        assert_eq!(share(0.000_012), "0.0012 %");
        assert_eq!(share(0.0), "0.0 %");
    }

    #[test]
    fn long_models_flow() {
        let words: Vec<String> = (0..30).map(|word| format!("variable{word}*other")).collect();
        let text = flowing(&words, " + ", "  ");
        assert!(text.lines().all(|line| line.len() <= 80 && line.starts_with("  ")), "{text}");
        assert_eq!(text.matches('+').count(), 29);
    }
}

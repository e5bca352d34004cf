//! Everything a run needs, as the project file `marginswap.toml` and the flags say it.
//!
//! A [`Project`] holds one field for each entry of the file. The file is read by
//! [`Project::load`], the flags are a `Project` too, and [`Project::merge`] lets them win.
//! Names and values are not looked up here: what they are in a data file is decided where
//! that file is open.
//!
//! Trap: an empty list is the same as a missing one. A flag can replace a list of the file,
//! not empty it.
//!
//! Way in: [`Project::load`], [`Project::find`]. Every entry: `docs/project-file.md`.

mod amount;
mod draft;
mod max_records;
mod model;
mod read;
mod risky;
mod rule;
mod text;
mod trs;

use std::collections::BTreeMap;
use std::num::NonZeroU16;
use std::path::PathBuf;
use std::str::FromStr;

use marginswap_io::Delimiter;
use serde::Deserialize;
use serde_json::{Value, json};

pub use amount::{Amount, Share};
pub use draft::{Draft, DraftColumn};
pub use max_records::MaxRecords;
pub use model::{Fraction, ModelChoice, PeopleCount, ScoreBy, SearchBy, SelectBy};
pub use read::FILE_NAME;
pub use risky::{Pairing, Risky};
pub use rule::{Rule, Term};
pub use trs::Trs;

/// Everything a run needs.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Project {
    /// The data file.
    pub data: Option<PathBuf>,
    /// What parts its fields; without it the header line decides.
    #[serde(deserialize_with = "text::delimiter")]
    pub delimiter: Option<Delimiter>,
    /// What each column is.
    pub columns: Columns,
    /// The tables that must not change.
    pub keep: Keep,
    /// Who is to be protected.
    pub risk: Risk,
    /// How records are swapped.
    pub swap: Swapping,
    /// What is written.
    pub release: Release,
    /// What is told about it.
    pub report: Reports,
    /// The parameters of targeted record swapping, in place of the entries above.
    pub trs: Option<Trs>,
}

/// `[columns]`: what each column is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Columns {
    /// Columns whose values may be exchanged; the others stay. None named: all of them.
    pub vars: Vec<String>,
    /// Columns that are released but never exchanged.
    pub stay: Vec<String>,
    /// Columns left out.
    pub ignore: Vec<String>,
    /// The column that names a record; left out too.
    pub id: Option<String>,
}

/// `[keep]`: the tables that must not change.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Keep {
    /// Formulas of one or more tables each.
    #[serde(deserialize_with = "text::tables")]
    pub tables: Vec<String>,
}

/// `[risk]`: who is to be protected.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Risk {
    /// The columns that an intruder may know.
    pub keys: Vec<String>,
    /// Which records are risky.
    pub risky: Option<Risky>,
    /// How many people the file was drawn from.
    pub population: Option<PeopleCount>,
    /// Or what share of them is in the file.
    pub fraction: Option<Fraction>,
    /// Which model of the keys is fitted.
    pub model: Option<ModelChoice>,
    /// The decomposable model that a search begins with.
    #[serde(deserialize_with = "text::tables")]
    pub start: Vec<String>,
    /// What a parameter costs in the search.
    pub criterion: Option<ScoreBy>,
    /// Which steps the search takes.
    pub search: Option<SearchBy>,
    /// What the search ends by.
    pub select: Option<SelectBy>,
}

impl Risk {
    /// What a parameter costs: as said, else ln n (BIC), or 2 (AIC) where the fit chooses, because
    /// it has to come past the models that BIC calls too rich.
    #[must_use]
    pub fn criterion(&self) -> ScoreBy {
        let by_fit = self.select == Some(SelectBy::Fit);
        self.criterion.unwrap_or(if by_fit { ScoreBy::Aic } else { ScoreBy::Bic })
    }

    /// What decides the risk model, as one JSON object.
    fn model_parameters(&self) -> Value {
        json!({
            "criterion": self.criterion().to_string(),
            "fraction": self.fraction.map(|fraction| fraction.to_string()),
            "model": self.model.clone().unwrap_or_default().to_string(),
            "population": self.population.map(|people| people.0),
            "search": self.search.unwrap_or_default().to_string(),
            "select": self.select.unwrap_or_default().to_string(),
            "start": self.start,
        })
    }

    /// The risk model that [`Risk::model_parameters`] came from; none at all for null.
    fn from_model_parameters(model: &Value) -> Option<Self> {
        fn read<T: FromStr>(value: &Value) -> Option<Option<T>> {
            match value {
                Value::Null => Some(None),
                value => value.as_str()?.parse().ok().map(Some),
            }
        }
        if model.is_null() {
            return Some(Self::default());
        }
        let start = model["start"].as_array()?.iter();
        let given: Option<ModelChoice> = read(&model["model"])?;
        let told = Self {
            population: model["population"].as_u64().map(PeopleCount),
            fraction: read(&model["fraction"])?,
            model: given,
            start: start.map(|table| Some(table.as_str()?.to_owned())).collect::<Option<_>>()?,
            criterion: read(&model["criterion"])?,
            search: read(&model["search"])?,
            select: read(&model["select"])?,
            ..Self::default()
        };
        // A model that is given is not searched, whatever stands there for the search.
        let is_searched = told.model == Some(ModelChoice::Auto);
        Some(if is_searched {
            told
        } else {
            Self { start: vec![], criterion: None, search: None, select: None, ..told }
        })
    }
}

/// `[swap]`: how records are swapped.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Swapping {
    /// Groups of columns that only travel together.
    pub linked: Vec<Vec<String>>,
    /// Columns on which partners agree: the first list that gives a partner counts.
    #[serde(rename = "match")]
    pub matched: Vec<Vec<String>>,
    /// Columns on which partners always agree.
    pub strata: Vec<String>,
    /// The column of weights, which joins every kept table.
    pub weight: Option<String>,
    /// Combinations that no swap may create.
    pub rules: Vec<Rule>,
    /// No more records than this are changed.
    pub budget: Option<Amount>,
    /// Random swaps are added until so many records are changed.
    pub rate: Option<Amount>,
    /// How partners are found.
    pub pairing: Option<Pairing>,
    /// A single swap takes at most so many records.
    pub max_records: Option<MaxRecords>,
    /// What it costs to disturb a variable; 1 where none is given.
    pub weights: BTreeMap<String, NonZeroU16>,
}

/// `[release]`: what is written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Release {
    /// The released file.
    pub out: Option<PathBuf>,
    /// The plan.
    pub plan: Option<PathBuf>,
    /// Are the records released in random order?
    pub shuffle: Option<bool>,
    /// Columns that are not released.
    pub drop: Vec<String>,
}

/// `[report]`: what is told about a release.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Reports {
    /// The page for those who decide.
    pub internal: Option<PathBuf>,
    /// The page for everybody.
    pub external: Option<PathBuf>,
    /// Tables that are not kept and looked at all the same.
    #[serde(deserialize_with = "text::tables")]
    pub watch: Vec<String>,
}

impl Project {
    /// This project with the entries that the flags give in place of its own. A list
    /// replaces a list; a variable's weight replaces that variable's weight.
    #[must_use]
    pub fn merge(self, flags: Self) -> Self {
        let mut weights = self.swap.weights;
        weights.extend(flags.swap.weights);
        Self {
            data: flags.data.or(self.data),
            delimiter: flags.delimiter.or(self.delimiter),
            columns: Columns {
                vars: list(self.columns.vars, flags.columns.vars),
                stay: list(self.columns.stay, flags.columns.stay),
                ignore: list(self.columns.ignore, flags.columns.ignore),
                id: flags.columns.id.or(self.columns.id),
            },
            keep: Keep { tables: list(self.keep.tables, flags.keep.tables) },
            risk: Risk {
                keys: list(self.risk.keys, flags.risk.keys),
                risky: flags.risk.risky.or(self.risk.risky),
                // Two ways to say one thing: whichever a flag says takes the place of both.
                population: flags
                    .risk
                    .population
                    .or(self.risk.population.filter(|_| flags.risk.fraction.is_none())),
                fraction: flags
                    .risk
                    .fraction
                    .or(self.risk.fraction.filter(|_| flags.risk.population.is_none())),
                model: flags.risk.model.or(self.risk.model),
                start: list(self.risk.start, flags.risk.start),
                criterion: flags.risk.criterion.or(self.risk.criterion),
                search: flags.risk.search.or(self.risk.search),
                select: flags.risk.select.or(self.risk.select),
            },
            swap: Swapping {
                linked: list(self.swap.linked, flags.swap.linked),
                matched: list(self.swap.matched, flags.swap.matched),
                strata: list(self.swap.strata, flags.swap.strata),
                weight: flags.swap.weight.or(self.swap.weight),
                rules: list(self.swap.rules, flags.swap.rules),
                budget: flags.swap.budget.or(self.swap.budget),
                rate: flags.swap.rate.or(self.swap.rate),
                pairing: flags.swap.pairing.or(self.swap.pairing),
                max_records: flags.swap.max_records.or(self.swap.max_records),
                weights,
            },
            release: Release {
                out: flags.release.out.or(self.release.out),
                plan: flags.release.plan.or(self.release.plan),
                shuffle: flags.release.shuffle.or(self.release.shuffle),
                drop: list(self.release.drop, flags.release.drop),
            },
            report: Reports {
                internal: flags.report.internal.or(self.report.internal),
                external: flags.report.external.or(self.report.external),
                watch: list(self.report.watch, flags.report.watch),
            },
            trs: flags.trs.or(self.trs),
        }
    }

    /// This project with the entries that `[trs]` stands for. An entry that is given
    /// itself wins over the one that `[trs]` would set.
    #[must_use]
    pub fn expanded(mut self) -> Self {
        match self.trs.take() {
            Some(trs) => trs.expand().merge(self),
            None => self,
        }
    }

    /// Which records are risky, said or not.
    #[must_use]
    pub fn risky(&self) -> Risky {
        self.risk.risky.clone().unwrap_or_default()
    }

    /// How partners are found, said or not.
    #[must_use]
    pub fn pairing(&self) -> Pairing {
        self.swap.pairing.unwrap_or_default()
    }

    /// How many records a single swap takes at most, said or not.
    #[must_use]
    pub fn max_records(&self) -> MaxRecords {
        self.swap.max_records.unwrap_or_default()
    }

    /// What it costs to disturb a variable.
    #[must_use]
    pub fn weight_of(&self, variable: &str) -> NonZeroU16 {
        self.swap.weights.get(variable).copied().unwrap_or(NonZeroU16::MIN)
    }

    /// What decides a plan, as one JSON object whose keys are sorted: two projects with
    /// the same parameters make the same plan for the same data and seed. An entry that
    /// says what would be done anyway makes no difference.
    ///
    /// Trap: of `records:FILE` only the word `records` stands here. What the file names is
    /// an input like the data, and a path says nothing about it.
    #[must_use]
    pub fn parameters(&self) -> Value {
        let project = self.clone().expanded();
        let (columns, swap) = (&project.columns, &project.swap);
        let risky = match project.risky() {
            Risky::Records(_) => "records".to_owned(),
            risky => risky.to_string(),
        };
        // Only a choice by the model depends on what the model is told.
        let model = match project.risky() {
            Risky::Top(_) | Risky::Probability(_) => project.risk.model_parameters(),
            _ => Value::Null,
        };
        let weights: BTreeMap<&String, u16> = swap
            .weights
            .iter()
            .filter(|(_, weight)| weight.get() != 1)
            .map(|(name, weight)| (name, weight.get()))
            .collect();
        // In rising order, so that it does not matter how a map keeps its keys.
        let mut parameters = json!({
            "id": columns.id,
            "ignore": columns.ignore,
            "keys": project.risk.keys,
            "linked": swap.linked,
            "match": swap.matched,
            "budget": swap.budget.map(|amount| amount.to_string()),
            "pairing": project.pairing().to_string(),
            "rate": swap.rate.map(|amount| amount.to_string()),
            "risk_model": model,
            "risky": risky,
            "rules": swap.rules.iter().map(rule_parameters).collect::<Vec<_>>(),
            "stay": columns.stay,
            "strata": swap.strata,
            "tables": project.keep.tables,
            "vars": columns.vars,
            "weight": swap.weight,
            "weights": weights,
        });
        // Plans of pairs are those of the versions that knew nothing else.
        if project.max_records() != MaxRecords::default() {
            parameters["max_records"] = project.max_records().get().into();
        }
        parameters
    }
}

impl Project {
    /// The project that [`Project::parameters`] came from, as far as they say it; `None`
    /// when these are no parameters of a project.
    #[must_use]
    pub fn from_parameters(parameters: &Value) -> Option<Self> {
        let names = |value: &Value| -> Option<Vec<String>> {
            value.as_array()?.iter().map(|name| name.as_str().map(str::to_owned)).collect()
        };
        let groups = |value: &Value| -> Option<Vec<Vec<String>>> {
            value.as_array()?.iter().map(names).collect()
        };
        let name = |value: &Value| value.as_str().map(str::to_owned);
        let rules = parameters["rules"].as_array()?.iter().map(|rule| {
            let terms = rule.as_array()?.iter().map(|term| {
                Some(Term {
                    column: name(&term["column"])?,
                    values: names(&term["values"])?.into_iter().map(String::into_bytes).collect(),
                    negated: term["negated"].as_bool()?,
                })
            });
            Some(Rule { terms: terms.collect::<Option<_>>()? })
        });
        Some(Self {
            columns: Columns {
                vars: names(&parameters["vars"])?,
                stay: names(&parameters["stay"])?,
                ignore: names(&parameters["ignore"])?,
                id: name(&parameters["id"]),
            },
            keep: Keep { tables: names(&parameters["tables"])? },
            risk: Risk {
                keys: names(&parameters["keys"])?,
                ..Risk::from_model_parameters(&parameters["risk_model"])?
            },
            swap: Swapping {
                linked: groups(&parameters["linked"])?,
                matched: groups(&parameters["match"])?,
                strata: names(&parameters["strata"])?,
                weight: name(&parameters["weight"]),
                rules: rules.collect::<Option<_>>()?,
                ..Swapping::default()
            },
            ..Self::default()
        })
    }
}

fn list<T>(own: Vec<T>, flag: Vec<T>) -> Vec<T> {
    if flag.is_empty() { own } else { flag }
}

fn rule_parameters(rule: &Rule) -> Value {
    let value = |value: &Vec<u8>| String::from_utf8_lossy(value).into_owned();
    rule.terms
        .iter()
        .map(|term| {
            json!({
                "column": term.column,
                "negated": term.negated,
                "values": term.values.iter().map(value).collect::<Vec<_>>(),
            })
        })
        .collect()
}

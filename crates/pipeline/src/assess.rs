//! From what a project says about risk to a fitted model and every record's risk.
//!
//! `risk` shows all of it; `plan` and `protect` take from it who is risky by `top:` and `prob:`.

use std::fmt;

use crate::refusal::Code;
use marginswap_core::diagnostic::{Diagnostic, grouped};
use marginswap_core::graph::{Formula, GeneratingClass, MarginGraph, Scope, junction_tree};
use marginswap_core::risk::{
    Criterion, Direction, Fit, FittedModel, KeyTable, MOST_OPENED, Population, Risks, Seen, Start,
    Step, Summaries, WeightedRisks, fit, grow, ranked, risks, select, weighted_risks,
};
use marginswap_core::table::{CellId, Located};
use marginswap_core::varset::VarSet;
use marginswap_report::risk::{ModelOrigin, Score, SearchStart, SearchWay};

use crate::input::Loaded;
use crate::project::{ModelChoice, Project, ScoreBy, SearchBy, SelectBy};

/// A table of a model that is fitted iteratively has at most this many keys: its parameters are
/// counted by subsets.
const MOST_KEYS_IN_A_TABLE: usize = 20;

/// Everything that is estimated.
pub struct Assessment {
    /// How large the population is.
    pub population: Population,
    /// How the model was chosen.
    pub chosen: ModelOrigin,
    /// How the model was reached.
    pub steps: Vec<Step>,
    /// B/√V after each step, where the model was chosen by it.
    pub fits: Vec<Option<f64>>,
    /// The model.
    pub model: FittedModel,
    /// The fit criterion, where choosing the model has computed it.
    chosen_by_fit: Option<Fit>,
    /// Every combination's risk.
    pub risks: Risks,
    /// What the weights say.
    pub weighted: Option<WeightedRisks>,
}

/// The file on its keys, and what the project says about them.
pub struct Question<'a> {
    /// The project.
    pub project: &'a Project,
    /// The file.
    pub loaded: &'a Loaded,
    /// Its variables and what ties them.
    pub scope: &'a Scope,
    /// The file on its keys.
    pub table: &'a KeyTable,
}

/// The table of the keys of a project.
pub fn key_table(
    project: &Project,
    loaded: &Loaded,
    scope: &Scope,
    joint: &Located,
    levels: &[usize],
) -> KeyTable {
    KeyTable::new(joint, loaded.variables(scope, &project.risk.keys), levels)
}

/// Fits the model and assesses every record; `None` when nothing says how large the population
/// is.
pub fn assess(
    question: &Question<'_>,
    summaries: &mut Summaries<'_>,
) -> Result<Option<Assessment>, Diagnostic> {
    let weights = weights(question)?;
    let Some(population) = population(question, weights.as_deref())? else { return Ok(None) };
    let Question { project, table, .. } = question;
    let told = &project.risk;
    let choice = told.model.clone().unwrap_or_default();
    if choice != ModelChoice::Auto {
        let searching = [
            ("criterion", told.criterion.is_some()),
            ("search", told.search.is_some()),
            ("start", !told.start.is_empty()),
            ("select", told.select.is_some()),
        ];
        if let Some((name, _)) = searching.iter().find(|(_, given)| *given) {
            return Err(Diagnostic::new(
                Code::OptionsClash,
                format!("`{name}` is about the search for a model, and `model` gives one"),
                format!("leave out `{name}` or `model`"),
            ));
        }
    }
    let given = |class, origin| Chosen {
        model: FittedModel::fit(table, &class),
        origin,
        steps: vec![],
        fits: vec![],
        fit: None,
    };
    let chosen = match &choice {
        ModelChoice::Auto => search(question, summaries, population)?,
        ModelChoice::Independence => {
            given(GeneratingClass::new(table.keys(), []), ModelOrigin::GivenIndependence)
        }
        ModelChoice::AllTwoWay => {
            let keys: Vec<usize> = table.keys().iter().collect();
            let pairs = keys.iter().enumerate().flat_map(|(place, &left)| {
                keys[place + 1..].iter().map(move |&right| VarSet::from([left, right]))
            });
            given(GeneratingClass::new(table.keys(), pairs), ModelOrigin::GivenAllTwoWay)
        }
        ModelChoice::Tables(text) => {
            let class = tables(question, std::slice::from_ref(text))?;
            let largest = class.margins().iter().map(VarSet::len).max().unwrap_or(0);
            if largest > MOST_KEYS_IN_A_TABLE && !class.is_decomposable() {
                return Err(Diagnostic::new(
                    Code::TooManySets,
                    format!("a table of the model has {largest} keys, and it is not decomposable"),
                    format!("use tables of at most {MOST_KEYS_IN_A_TABLE} keys"),
                ));
            }
            given(class, ModelOrigin::Given)
        }
    };
    Ok(Some(Assessment {
        population,
        chosen: chosen.origin,
        steps: chosen.steps,
        fits: chosen.fits,
        chosen_by_fit: chosen.fit,
        risks: risks(table, &chosen.model, population),
        weighted: weights.map(|weights| weighted_risks(table, &weights)),
        model: chosen.model,
    }))
}

/// A fitted model, how it was chosen, and how it was reached.
struct Chosen {
    model: FittedModel,
    origin: ModelOrigin,
    steps: Vec<Step>,
    fits: Vec<Option<f64>>,
    fit: Option<Fit>,
}

/// Searches the model.
fn search(
    question: &Question<'_>,
    summaries: &mut Summaries<'_>,
    population: Population,
) -> Result<Chosen, Diagnostic> {
    let Question { project, table, .. } = question;
    let told = &project.risk;
    let (criterion, score) = match told.criterion() {
        ScoreBy::Bic => (Criterion::Bic, Score::Bic),
        ScoreBy::Aic => (Criterion::Aic, Score::Aic),
    };
    let given = if told.start.is_empty() {
        None
    } else {
        let class = tables(question, &told.start)?;
        if !class.is_decomposable() {
            return Err(Diagnostic::new(
                Code::NotDecomposable,
                "the model that the search starts with is not decomposable",
                "start with a decomposable model, or give this one as the model to fit",
            ));
        }
        Some(class.margin_graph())
    };
    if told.select == Some(SelectBy::Fit) {
        if told.search.is_some_and(|search| search != SearchBy::Forward) {
            return Err(Diagnostic::new(
                Code::OptionsClash,
                "a model that is selected by its fit is searched forward",
                "leave out `search`, or do not select by fit",
            ));
        }
        let start = given.unwrap_or_else(|| MarginGraph::edgeless(table.keys()));
        return best_fit(table, summaries, criterion, start, population);
    }
    let how = told.search.unwrap_or_default();
    let from = match (&given, how) {
        (Some(_), _) => SearchStart::Given,
        (None, SearchBy::Backward) => SearchStart::Saturated,
        (None, _) => SearchStart::Forest,
    };
    let start = match (given, how) {
        (Some(graph), _) => Start::Graph(graph),
        (None, SearchBy::Backward) => {
            let mut graph = MarginGraph::edgeless(table.keys());
            graph.join_all(table.keys());
            Start::Graph(graph)
        }
        (None, _) => Start::Forest,
    };
    let (direction, way) = match how {
        SearchBy::Forest => (Direction::Stay, SearchWay::NoStep),
        SearchBy::Forward => (Direction::Forward, SearchWay::Forward),
        SearchBy::Backward => (Direction::Backward, SearchWay::Backward),
        SearchBy::Both => (Direction::Both, SearchWay::Both),
    };
    let found = select(summaries, criterion, &start, direction);
    Ok(Chosen {
        model: FittedModel::fit(table, &class_of(table, &found.graph)),
        origin: ModelOrigin::Searched { score, way, from },
        steps: found.steps,
        fits: vec![],
        fit: None,
    })
}

/// The model on the way from a start whose B/√V is nearest to 0.
fn best_fit(
    table: &KeyTable,
    summaries: &mut Summaries<'_>,
    criterion: Criterion,
    start: MarginGraph,
    population: Population,
) -> Result<Chosen, Diagnostic> {
    let mut best: Option<(f64, FittedModel, Vec<Step>, Fit)> = None;
    let mut fits: Vec<Option<f64>> = Vec::new();
    grow(summaries, criterion, start, |graph, steps| {
        let model = FittedModel::fit(table, &class_of(table, graph));
        let found = fit(table, &model, population, MOST_OPENED);
        fits.push(found.map(|fit| fit.value()));
        // A model that cannot be judged is as far as can be, and a richer one too.
        let Some(found) = found else { return Seen::Enough };
        let distance = found.value().abs();
        if best.as_ref().is_none_or(|(least, ..)| distance < *least) {
            best = Some((distance, model, steps.to_vec(), found));
        }
        // Beyond 0 the models are too rich, and become richer.
        if found.value() <= 0.0 { Seen::Enough } else { Seen::More }
    });
    let Some((_, model, steps, found)) = best else {
        return Err(Diagnostic::new(
            Code::OptionsClash,
            "no model's fit can be judged: the file is the whole population, or no combination of \
             keys is rare in it",
            "do not select by fit",
        ));
    };
    fits.truncate(steps.len() + 1);
    fits.remove(0);
    Ok(Chosen { model, origin: ModelOrigin::BestFit, steps, fits, fit: Some(found) })
}

fn class_of(table: &KeyTable, graph: &MarginGraph) -> GeneratingClass {
    let tree = junction_tree(graph).expect("a search stays among chordal graphs");
    GeneratingClass::new(table.keys(), tree.cliques().iter().copied())
}

/// Tables of keys as they are written.
fn tables(question: &Question<'_>, texts: &[String]) -> Result<GeneratingClass, Diagnostic> {
    let names = question.loaded.names();
    let mut margins = Vec::new();
    for columns in Formula::parse(texts)?.resolve(names)? {
        let mut margin = VarSet::EMPTY;
        for column in columns {
            let variable = question.scope.schema().variable_of(column);
            match variable.filter(|&variable| question.table.keys().contains(variable)) {
                Some(variable) => margin.insert(variable),
                None => {
                    return Err(Diagnostic::new(
                        Code::NotAKey,
                        format!("the model names `{}`, which is not a key", names[column]),
                        "remove it from the model, or make it a key",
                    ));
                }
            }
        }
        margins.push(margin);
    }
    Ok(GeneratingClass::new(question.table.keys(), margins))
}

/// How large the population is, if anything says so.
fn population(
    question: &Question<'_>,
    weights: Option<&[f64]>,
) -> Result<Option<Population>, Diagnostic> {
    let records = question.table.records();
    let told = &question.project.risk;
    let (size, what) = match (told.population, told.fraction, weights) {
        (Some(_), Some(_), _) => {
            return Err(Diagnostic::new(
                Code::TwoPopulations,
                "both `population` and `fraction` are given",
                "give one of them",
            ));
        }
        (Some(people), None, _) => (people.0 as f64, "the population has"),
        (None, Some(fraction), _) => {
            if !(fraction.0 > 0.0 && fraction.0 <= 1.0) {
                return Err(Diagnostic::new(
                    Code::BadFraction,
                    "a sampling fraction is above 0 and at most 1",
                    "write it as 0.05 or 5 %",
                ));
            }
            return Ok(Population::new(records, (records as f64 / fraction.0).max(records as f64)));
        }
        (None, None, Some(weights)) => (weights.iter().sum(), "the weights add up to"),
        (None, None, None) => return Ok(None),
    };
    if !f64::is_finite(size) {
        return Err(Diagnostic::new(
            Code::BadWeight,
            "the sum of the weights is too large for a number",
            "a weight is the number of people that a record represents",
        )
        .in_file(question.loaded.path()));
    }
    match Population::new(records, size) {
        Some(population) => Ok(Some(population)),
        None => Err(Diagnostic::new(
            Code::PopulationTooSmall,
            format!("{what} fewer people than the file has records, {}", grouped(records)),
            "give the size of the population that the file was drawn from",
        )),
    }
}

/// The weight of each record, if there is a column of weights.
fn weights(question: &Question<'_>) -> Result<Option<Vec<f64>>, Diagnostic> {
    let Some(name) = &question.project.swap.weight else { return Ok(None) };
    if question.project.risk.keys.contains(name) {
        return Err(Diagnostic::new(
            Code::NotAKey,
            format!("`{name}` is the column of weights and a key"),
            "leave it out of the keys",
        ));
    }
    let position = question.loaded.position(name)?;
    let column = question.loaded.raw_columns()[position].as_ref().ok_or_else(|| {
        Diagnostic::new(
            Code::IgnoredInTable,
            format!("`{name}` is the column of weights and takes no part"),
            "let it stay",
        )
    })?;
    let dictionary = column.dictionary();
    let number = |code: u32| -> Result<f64, &'static str> {
        let text = dictionary.category(code).and_then(|bytes| std::str::from_utf8(bytes).ok());
        match text.and_then(|text| text.trim().parse::<f64>().ok()) {
            Some(weight) if weight.is_finite() && weight >= 0.0 => Ok(weight),
            Some(weight) if weight < 0.0 => Err("negative"),
            None if text.is_some_and(has_a_decimal_comma) => Err("written with a decimal comma"),
            _ => Err("not a number"),
        }
    };
    let levels: Vec<Result<f64, &'static str>> =
        (0u32..).take(dictionary.levels()).map(number).collect();
    let mut weights = Vec::with_capacity(column.len());
    let mut refused = None;
    column.for_each_code(|record, code| match levels[code as usize] {
        Ok(weight) => weights.push(weight),
        Err(why) => refused = refused.or(Some((record, why))),
    });
    match refused {
        None => Ok(Some(weights)),
        Some((record, why)) => Err(Diagnostic::new(
            Code::BadWeight,
            format!("the weight of record {} is {why}", grouped(record as u64 + 1)),
            "a weight is a number that is not negative, with a decimal point",
        )
        .in_file(question.loaded.path())
        .in_column(format!("{} `{name}`", position + 1))),
    }
}

/// Would the text be a number with a point in place of its comma?
fn has_a_decimal_comma(text: &str) -> bool {
    text.contains(',') && text.trim().replacen(',', ".", 1).parse::<f64>().is_ok()
}

/// Which of the sample uniques a rule takes.
#[derive(Clone, Copy)]
pub enum Taken {
    /// This many, the riskiest.
    Top(u32),
    /// All of at least this probability.
    Probability(f64),
}

impl Assessment {
    /// The fit criterion, where there is one. It is computed once: where a model was chosen by it,
    /// then.
    pub fn fit(&self, table: &KeyTable) -> Option<Fit> {
        let Self { model, population, .. } = self;
        self.chosen_by_fit.or_else(|| {
            let on_all_cells = !model.fitting().is_some_and(|fitting| fitting.on_observed_cells);
            on_all_cells.then(|| fit(table, model, *population, MOST_OPENED)).flatten()
        })
    }

    /// The combinations of keys that a rule takes, the riskiest first.
    pub fn taken(&self, table: &KeyTable, rule: Taken) -> Vec<CellId> {
        let mut ranked = ranked(table, &self.risks);
        match rule {
            Taken::Top(number) => ranked.truncate(number as usize),
            Taken::Probability(least) => ranked.retain(|(_, risk)| *risk >= least),
        }
        ranked.into_iter().map(|(cell, _)| cell).collect()
    }
}

impl fmt::Debug for Assessment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Assessment({})", self.chosen)
    }
}

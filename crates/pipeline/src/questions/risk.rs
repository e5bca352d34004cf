//! Who is at risk, by a model of the population.

use std::io::{self, Write};

use crate::refusal::Code;
use marginswap_core::diagnostic::Diagnostic;
use marginswap_core::graph::Scope;
use marginswap_core::partner::screen;
use marginswap_core::risk::{
    KeyTable, MOST_OPENED, Summaries, anonymity, dis, fit, key_sets, minimal_uniques,
    superpopulation, uniques_without,
};
use marginswap_core::table::Located;
use marginswap_report::risk::{RiskReport, ScenarioRisk};

use crate::answer::{self, RiskParts};
use crate::assess::{Question, assess, key_table};
use crate::input::{Loaded, note_many, separators};
use crate::notes::Run;
use crate::original::{
    data_of, key_lists, keys_are_named, named_tables, of_cells, open, rule_of, scope_of,
    too_many_sets,
};
use crate::project::Project;

/// At most this many sets of keys are counted.
const MOST_SETS: usize = 20_000;

/// The k of which records below are counted.
const ANONYMITY: [u64; 3] = [2, 3, 5];

/// How far the sets of keys are looked at.
#[derive(Debug, Clone, Copy)]
pub struct Sets {
    /// The largest minimal sample unique to look for, if any is.
    pub suda: Option<usize>,
    /// The largest set of keys whose uniques are counted.
    pub key_sets: usize,
}

/// Writes a line for every record.
pub type WriteList<'a> = &'a dyn Fn(&mut dyn Write) -> io::Result<()>;

/// Fits a model and assesses every record. `list` may write a line for each.
///
/// # Errors
/// When the file cannot be read, nothing says how large the population is, or too many sets
/// are asked for.
pub fn risk(
    project: &Project,
    sets: Sets,
    list: impl FnOnce(WriteList<'_>) -> Result<(), Diagnostic>,
    run: &mut Run<'_>,
) -> Result<RiskReport, Diagnostic> {
    let path = data_of(project)?;
    keys_are_named(project)?;
    let opened = open(project, &path)?;
    let scope = scope_of(project, &opened)?;
    let loaded = opened.read(true, run)?;
    let records = loaded.records(&scope, run);
    let levels = records.levels().to_vec();
    let joint = Located::count(&records);
    drop(records);
    let table = key_table(project, &loaded, &scope, &joint, &levels);
    let mut summaries = Summaries::new(&table);
    let question = Question { project, loaded: &loaded, scope: &scope, table: &table };
    let assessment = assess(&question, &mut summaries)?.ok_or_else(|| {
        Diagnostic::new(
            Code::MissingSetting,
            "the size of the population is not given",
            "give `population` or `fraction`, or name a column of weights as `weight`",
        )
    })?;
    let (model, population) = (&assessment.model, assessment.population);
    let taken = match &project.risk.risky {
        Some(rule) => {
            let by_model = |rule| Ok(of_cells(&joint, &table, &assessment.taken(&table, rule)));
            Some((rule.to_string(), rule_of(rule, &loaded, &joint, table.keys(), by_model)?))
        }
        None => None,
    };
    let screening = if named_tables(&scope).is_empty() {
        None
    } else {
        let separators = separators(&scope, project.max_separators());
        note_many(&separators, run);
        Some(screen(&joint, scope.class(), &separators).map_err(|error| error.in_file(&path))?)
    };
    let suda = match sets.suda {
        Some(largest) => {
            check_sets(table.keys().len(), largest)?;
            Some((minimal_uniques(&table, largest), largest))
        }
        None => None,
    };
    let scenarios = scenarios(project, &loaded, &scope, &joint, &levels);
    let key_sets = key_sets(&mut summaries, sets.key_sets, MOST_SETS)
        .ok_or_else(|| too_many_sets("the list of key sets"))?;
    let parts = RiskParts {
        schema: scope.schema(),
        table: &table,
        population,
        chosen: assessment.chosen,
        steps: &assessment.steps,
        fits: &assessment.fits,
        model,
        deviance: model.deviance(&mut summaries),
        fit: assessment.fit.or_else(|| {
            let judged = !model.fitting().is_some_and(|fitting| fitting.on_observed_cells);
            judged.then(|| fit(&table, model, population, MOST_OPENED)).flatten()
        }),
        risks: &assessment.risks,
        weighted: assessment.weighted.as_ref(),
        estimates: superpopulation(&table, population),
        dis: dis(&table, population),
        anonymity: anonymity(&table, &ANONYMITY),
        scenarios,
        key_sets,
        uniques_without: uniques_without(&mut summaries),
        suda: suda.as_ref().map(|(found, largest)| (found, *largest)),
        rule: taken.as_ref().map(|(rule, taken)| (rule.clone(), taken.as_slice())),
        screening: screening.as_ref().map(|screening| (&joint, screening)),
    };
    list(&|out| answer::write_risk(out, &parts))?;
    Ok(answer::risk(&parts))
}

/// What each intruder finds in the file, where there are several.
fn scenarios(
    project: &Project,
    loaded: &Loaded,
    scope: &Scope,
    joint: &Located,
    levels: &[usize],
) -> Vec<ScenarioRisk> {
    let all = key_lists(project);
    if all.len() < 2 {
        return vec![];
    }
    let found = |(name, keys): (Option<&str>, &[String])| {
        let table = KeyTable::new(joint, loaded.variables(scope, keys), levels);
        ScenarioRisk {
            name: name.map(str::to_owned),
            keys: answer::names(scope.schema(), table.keys()),
            combinations: table.joint().len() as u64,
            sample_uniques: table.joint().sample_uniques() as u64,
            anonymity: answer::anonymity(&anonymity(&table, &ANONYMITY)),
        }
    };
    all.into_iter().map(found).collect()
}

/// Refuses to go through more sets of keys than anybody can wait for.
fn check_sets(keys: usize, largest: usize) -> Result<(), Diagnostic> {
    const MOST: f64 = (1u64 << 20) as f64;
    let (mut sets, mut all) = (1.0, 0.0);
    for size in 1..=largest.min(keys) {
        sets *= (keys - size + 1) as f64 / size as f64;
        all += sets;
    }
    if all > MOST { Err(too_many_sets("the search for minimal uniques")) } else { Ok(()) }
}

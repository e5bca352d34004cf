//! Who is at risk, by a model of the population.

use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::refusal::Code;
use marginswap_core::columns::Households;
use marginswap_core::diagnostic::Diagnostic;
use marginswap_core::encode::RecordId;
use marginswap_core::graph::Scope;
use marginswap_core::partner::screen;
use marginswap_core::risk::{
    KeyTable, Summaries, anonymity, dis, key_sets, minimal_uniques, superpopulation,
    uniques_without,
};
use marginswap_core::table::Located;
use marginswap_report::risk::{HouseholdRisk, RiskReport, ScenarioRisk};

use crate::answer::{self, RiskParts};
use crate::assess::{Question, assess, key_table};
use crate::derive::Take;
use crate::household;
use crate::input::{Loaded, note_many, separators};
use crate::notes::{Phase, Run};
use crate::project::Project;
use crate::resolve::{data_of, open};
use crate::view::{
    ids_for, key_lists, keys_are_named, named_tables, of_cells, rule_of, scope_of, too_many_sets,
};

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
    data_of(project)?;
    keys_are_named(project)?;
    let (project, opened) = open(project, Take::Named)?;
    let project = &project;
    let scope = scope_of(project, opened.header(), &[])?;
    let loaded = opened.without_sum().read(ids_for(project), run)?;
    if loaded.households().is_some() {
        household::check(project, &loaded)?;
    }
    run.begin(Phase::Counting)?;
    let records = loaded.records(&scope, run);
    let levels = records.levels().to_vec();
    let joint = Located::count(&records);
    drop(records);
    let table = key_table(project, &loaded, &scope, &joint, &levels);
    run.begin(Phase::Modelling)?;
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
    let judged = assessment.fit(&table);
    let taken = match &project.risk.risky {
        Some(rule) => {
            let by_model = |rule| Ok(of_cells(&joint, &table, &assessment.taken(&table, rule)));
            Some((rule.to_string(), rule_of(rule, &loaded, &joint, table.keys(), by_model)?))
        }
        None => None,
    };
    // Whether a household can be swapped is asked with `screen`.
    let screening = if named_tables(&scope).is_empty() || project.unit.household.is_some() {
        None
    } else {
        run.begin(Phase::Screening)?;
        let separators = separators(&scope, project.max_separators());
        note_many(&separators, run);
        Some(
            screen(&joint, scope.class(), &separators)
                .map_err(|error| error.in_file(loaded.path()))?,
        )
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
        fit: judged,
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
    let mut report = answer::risk(&parts);
    if let Some(households) = loaded.households() {
        report.households = Some(household_risk(project, &loaded, households, &parts));
    }
    Ok(report)
}

/// The risk of whole households from those of their members.
fn household_risk(
    project: &Project,
    loaded: &Loaded,
    households: &Households,
    parts: &RiskParts<'_>,
) -> HouseholdRisk {
    let cell = |line: u32| parts.table.cell_of(RecordId::at(line as usize)).position();
    let claim = |line: u32| parts.risks.cells[cell(line)].claim;
    let is_alone = |line: u32| parts.table.joint().counts()[cell(line)] == 1;
    let (mut expected_claimed, mut with_sample_unique) = (0.0, 0);
    for household in 0..households.len() {
        let members = households.members(household);
        let spared: f64 = members.iter().map(|&line| 1.0 - claim(line)).product();
        expected_claimed += 1.0 - spared;
        with_sample_unique += u64::from(members.iter().any(|&line| is_alone(line)));
    }
    let keys = &project.risk.household_keys;
    let unique_on_household_keys = (!keys.is_empty()).then(|| {
        let columns: Vec<_> = keys
            .iter()
            .map(|name| {
                let position = loaded.position(name).expect("the name was looked up");
                loaded.raw_columns()[position].as_ref().expect("a key was read")
            })
            .collect();
        let mut counts: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
        for household in 0..households.len() {
            let first = households.first(household);
            let codes = columns.iter().map(|column| column.code(first)).collect();
            *counts.entry(codes).or_default() += 1;
        }
        counts.values().filter(|&&count| count == 1).count() as u64
    });
    HouseholdRisk {
        households: households.len() as u64,
        with_sample_unique,
        unique_on_household_keys,
        expected_claimed,
    }
}

/// What each intruder finds in the file, where there are several.
fn scenarios(
    project: &Project,
    loaded: &Loaded,
    scope: &Scope,
    joint: &Located,
    levels: &[usize],
) -> Vec<ScenarioRisk> {
    let mut all = key_lists(project);
    if !project.risk.household_keys.is_empty() {
        // Those are asked of households, which are counted apart.
        all.pop();
    }
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

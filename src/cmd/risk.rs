//! `risk`: who is at risk, by a model of the population.

use marginswap_core::diagnostic::{Code, Diagnostic};
use marginswap_core::partner::screen;
use marginswap_core::risk::{
    MOST_OPENED, Summaries, anonymity, dis, fit, key_sets, minimal_uniques, superpopulation,
    uniques_without,
};
use marginswap_core::table::Located;
use marginswap_io::{Overwrite, Secrecy, check_not_input, check_target, write_atomic};
use marginswap_report::risk::{RiskParts, RiskReport, write_records};

use crate::args::{MAX_SEPARATORS, RiskArgs};
use crate::output::{self, give, next, plan_line, talk};
use crate::settings;
use marginswap_pipeline::assess::{Question, assess, key_table};
use marginswap_pipeline::input::{note_many, separators};
use marginswap_pipeline::prepare::{data_of, named_tables, open, rule_of, scope_of};

/// So many sets of keys are gone through at most.
const MOST_SETS: usize = 20_000;

/// The k of which records below are counted.
const ANONYMITY: [u64; 3] = [2, 3, 5];

/// Fits a model, assesses every record; writes a line for each when asked.
pub fn run(args: &RiskArgs) -> Result<(), Diagnostic> {
    settings::use_threads(&args.threads)?;
    let run = &mut output::run();
    let project = settings::of_risk(args)?;
    let path = data_of(&project)?;
    let overwrite = Overwrite::from_force(args.force.force);
    if let Some(out) = &args.out {
        check_target(out, overwrite)?;
        check_not_input(out, &path)?;
    }
    if project.risk.keys.is_empty() {
        return Err(Diagnostic::new(
            Code::MissingSetting,
            "no keys are named: what an intruder may know decides who is at risk",
            "name them with --keys, or as `keys` under [risk] in the project file",
        ));
    }
    let opened = open(&project, &path)?;
    let scope = scope_of(&project, &opened)?;
    let loaded = opened.read(true, run)?;
    let records = loaded.records(&scope, run);
    let levels = records.levels().to_vec();
    let joint = Located::count(&records);
    drop(records);
    let table = key_table(&project, &loaded, &scope, &joint, &levels);
    let mut summaries = Summaries::new(&table);
    let question = Question { project: &project, loaded: &loaded, scope: &scope, table: &table };
    let assessment = assess(&question, &mut summaries)?.ok_or_else(|| {
        Diagnostic::new(
            Code::MissingSetting,
            "nothing says how large the population is that the file was drawn from",
            "say it with --population or --fraction, or name a column of weights with --weight",
        )
    })?;
    let (model, population) = (&assessment.model, assessment.population);
    let taken = match &project.risk.risky {
        Some(rule) => {
            let by_model = |rule| {
                let mut cells = vec![false; table.joint().len()];
                for cell in assessment.taken(&table, rule) {
                    cells[cell.position()] = true;
                }
                Ok((0..joint.records())
                    .map(|record| {
                        let record = marginswap_core::encode::RecordId::at(record);
                        cells[table.cell_of(record).position()]
                    })
                    .collect())
            };
            Some((rule.to_string(), rule_of(rule, &loaded, &joint, table.keys(), by_model)?))
        }
        None => None,
    };
    let screening = if named_tables(&scope).is_empty() {
        None
    } else {
        let separators = separators(&scope, MAX_SEPARATORS);
        note_many(&separators, run);
        Some(screen(&joint, scope.class(), &separators).map_err(|error| error.in_file(&path))?)
    };
    let suda = match args.suda {
        Some(largest) => {
            check_sets(table.keys().len(), largest, "--suda")?;
            Some((minimal_uniques(&table, largest), largest))
        }
        None => None,
    };
    let key_sets = key_sets(&mut summaries, args.key_sets, MOST_SETS)
        .ok_or_else(|| too_many_sets("--key-sets"))?;
    let parts = RiskParts {
        schema: scope.schema(),
        table: &table,
        population,
        chosen: &assessment.chosen,
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
        key_sets,
        uniques_without: uniques_without(&mut summaries),
        suda: suda.as_ref().map(|(found, largest)| (found, *largest)),
        rule: taken.as_ref().map(|(rule, taken)| (rule.clone(), taken.as_slice())),
        screening: screening.as_ref().map(|screening| (&joint, screening)),
    };
    if let Some(out) = &args.out {
        write_atomic(out, overwrite, Secrecy::Secret, |file| write_records(file, &parts))?;
        talk(&format!(
            "{} holds a line for each record: keep it as secret as the data",
            out.display()
        ));
    }
    give(&RiskReport::new(&parts), args.answer.json)?;
    next(&plan_line(&path, &project));
    Ok(())
}

/// Refuses to go through more sets of keys than anybody can wait for.
fn check_sets(keys: usize, largest: usize, option: &str) -> Result<(), Diagnostic> {
    const MOST: f64 = (1u64 << 20) as f64;
    let (mut sets, mut all) = (1.0, 0.0);
    for size in 1..=largest.min(keys) {
        sets *= (keys - size + 1) as f64 / size as f64;
        all += sets;
    }
    if all > MOST { Err(too_many_sets(option)) } else { Ok(()) }
}

fn too_many_sets(option: &str) -> Diagnostic {
    Diagnostic::new(
        Code::TooManySets,
        format!("{option} asks for more sets of keys than can be gone through"),
        "give it a smaller number, or name fewer keys",
    )
}

//! What `risk` answers: an assessment with its names, and a line for each record.

use std::io::{self, Write};

use marginswap_core::encode::{RecordId, Schema};
use marginswap_core::partner::Screening;
use marginswap_core::risk::{
    Action, Anonymity, Estimate, Fit, FittedModel, KeySet, KeyTable, MinimalUniques, Population,
    Risks, Step, Verdict, WeightedRisks,
};
use marginswap_core::table::{CellId, Located};
use marginswap_core::varset::VarSet;
use marginswap_report::formula;
use marginswap_report::risk::{
    AnonymityReport, AtLeast, AtRisk, EstimateReport, FitReport, FitVerdict, FittingReport,
    KeyReport, KeySetReport, ModelOrigin, ModelReport, RiskReport, RiskyRecord, ScenarioRisk,
    StepAction, StepReport, SudaReport, WeightedReport,
};

use super::{name, names};

/// Everything that an answer about risk is made of.
pub struct RiskParts<'a> {
    /// Names.
    pub schema: &'a Schema,
    /// The file on its keys.
    pub table: &'a KeyTable,
    /// The population.
    pub population: Population,
    /// How the model was chosen.
    pub chosen: ModelOrigin,
    /// How it was reached.
    pub steps: &'a [Step],
    /// B/√V after each step, where the model was chosen by it.
    pub fits: &'a [Option<f64>],
    /// The model.
    pub model: &'a FittedModel,
    /// G² against the saturated model and the degrees of freedom left.
    pub deviance: (f64, f64),
    /// The fit criterion, where there is one.
    pub fit: Option<Fit>,
    /// Every combination's risk.
    pub risks: &'a Risks,
    /// What the weights say.
    pub weighted: Option<&'a WeightedRisks>,
    /// What the sizes of cells say.
    pub estimates: Vec<Estimate>,
    /// The probability that a unique match is right.
    pub dis: Option<f64>,
    /// Records below some k.
    pub anonymity: Vec<Anonymity>,
    /// What each intruder finds, where there are several.
    pub scenarios: Vec<ScenarioRisk>,
    /// Counts by key set, most uniques first.
    pub key_sets: Vec<KeySet>,
    /// For each key the uniques without it.
    pub uniques_without: Vec<(usize, u64)>,
    /// The minimal sample uniques, up to a limit of keys.
    pub suda: Option<(&'a MinimalUniques, usize)>,
    /// The asked rule, and the records it takes.
    pub rule: Option<(String, &'a [bool])>,
    /// The whole file and who can be swapped in it, where tables are kept.
    pub screening: Option<(&'a Located, &'a Screening)>,
}

/// Puts the parts together.
#[must_use]
pub fn risk(parts: &RiskParts<'_>) -> RiskReport {
    let table = parts.table;
    let records = table.records();
    let set = |set: VarSet| names(parts.schema, set);
    let unique = |cell: CellId| parts.risks.cells[cell.position()].unique;
    let uniques: Vec<f64> = (0..table.joint().len())
        .map(CellId::at)
        .filter(|&cell| table.joint().is_sample_unique(cell))
        .map(unique)
        .collect();
    let at_least = |probability: f64| AtLeast {
        probability,
        sample_uniques: uniques.iter().filter(|risk| **risk >= probability).count() as u64,
    };
    let contributions = parts.suda.map(|(found, _)| found.contributions());
    let share = |key: usize| {
        let found = contributions.as_ref()?.iter().find(|(other, _)| *other == key)?;
        Some(found.1)
    };
    let risky = parts.rule.as_ref().map_or(vec![], |(_, taken)| risky(parts, taken));
    let many = |asked: fn(&RiskyRecord) -> Option<bool>| {
        parts
            .screening
            .map(|_| risky.iter().filter(|record| asked(record) == Some(true)).count() as u64)
    };
    let at_risk = parts.rule.as_ref().map(|_| AtRisk {
        records: risky.len() as u64,
        swappable: many(|record| record.swappable),
        not_swappable: many(|record| record.swappable.map(|yes| !yes)),
        disclosed: many(|record| record.disclosed),
    });
    RiskReport {
        records,
        keys: set(table.keys()),
        combinations: table.joint().len() as u64,
        sample_uniques: table.joint().sample_uniques() as u64,
        population: parts.population.size(),
        sampling_fraction: parts.population.fraction(),
        model: model(parts),
        tau1: parts.risks.tau1,
        tau2: parts.risks.tau2,
        fit: parts.fit.map(|fit| FitReport {
            value: fit.value(),
            verdict: match fit.verdict() {
                Verdict::Underfit => FitVerdict::Underfit,
                Verdict::Good => FitVerdict::Good,
                Verdict::Overfit => FitVerdict::Overfit,
            },
            bias: fit.bias,
            variance: fit.variance,
            opened: fit.opened,
        }),
        at_least: [0.9, 0.5, 0.2, 0.1].map(at_least).to_vec(),
        weighted: parts.weighted.map(|weighted| WeightedReport {
            population: weighted.population,
            expected_reidentifications: weighted.expected_reidentifications,
            largest: weighted.cells.iter().copied().fold(0.0, f64::max),
        }),
        superpopulation: parts
            .estimates
            .iter()
            .map(|estimate| EstimateReport {
                model: estimate.model.name(),
                probability: estimate.unique,
                sample_uniques: estimate.sample_uniques,
                population_uniques: estimate.population_uniques,
            })
            .collect(),
        dis: parts.dis,
        anonymity: anonymity(&parts.anonymity),
        scenarios: parts.scenarios.clone(),
        households: None,
        key_sets: parts
            .key_sets
            .iter()
            .map(|found| KeySetReport {
                keys: set(found.keys),
                combinations: found.cells,
                uniques: found.uniques,
                below_3: found.below_3,
            })
            .collect(),
        key_tells: parts
            .uniques_without
            .iter()
            .map(|&(key, uniques_without)| KeyReport {
                key: name(parts.schema, key),
                uniques_without,
                suda_share: share(key),
            })
            .collect(),
        suda: parts.suda.map(|(found, largest)| SudaReport {
            largest: largest.min(table.keys().len()) as u64,
            records: found.found.len() as u64,
            by_size: found.by_size(),
        }),
        rule: parts.rule.as_ref().map(|(rule, _)| rule.clone()),
        at_risk,
        risky,
    }
}

/// Records below each k.
pub(crate) fn anonymity(found: &[Anonymity]) -> Vec<AnonymityReport> {
    let one =
        |found: &Anonymity| AnonymityReport { k: found.k, records_below: found.records_below };
    found.iter().map(one).collect()
}

fn model(parts: &RiskParts<'_>) -> ModelReport {
    let set = |set: VarSet| names(parts.schema, set);
    let model = parts.model;
    let class = model.class();
    let single = class.uncovered().iter().map(VarSet::single);
    let mut margins: Vec<VarSet> = class.margins().iter().copied().chain(single).collect();
    margins.sort_by_key(|margin| margin.iter().collect::<Vec<_>>());
    let cliques: Vec<Vec<String>> = margins.into_iter().map(set).collect();
    let deviance = model.deviance_of_probabilities();
    let records = parts.table.records() as f64;
    let on_observed = model.fitting().is_some_and(|fitting| fitting.on_observed_cells);
    let whole = |number: f64| (!on_observed).then_some(number);
    ModelReport {
        name: cliques.iter().map(|clique| formula(clique)).collect::<Vec<_>>().join(" + "),
        chosen: parts.chosen,
        decomposable: class.is_decomposable(),
        cliques,
        separators: model.separators().into_iter().map(set).collect(),
        parameters: model.parameters(),
        bic: whole(deviance + model.parameters() * records.ln()),
        aic: whole(deviance + model.parameters() * 2.0),
        g2: whole(parts.deviance.0),
        df: whole(parts.deviance.1),
        steps: parts
            .steps
            .iter()
            .enumerate()
            .map(|(place, step)| StepReport {
                action: match step.action {
                    Action::Add => StepAction::Add,
                    Action::Remove => StepAction::Remove,
                },
                edge: set(VarSet::from(step.edge)),
                separator: set(step.separator),
                g2: step.g2,
                df: step.df,
                gain: step.gain,
                fit: parts.fits.get(place).copied().flatten(),
            })
            .collect(),
        fitting: model.fitting().map(|fitting| FittingReport {
            iterations: fitting.iterations,
            deviation: fitting.deviation,
            converged: fitting.converged,
            cells: fitting.cells,
            on_observed_cells: fitting.on_observed_cells,
        }),
    }
}

/// The records that a rule takes, the riskiest first, equal ones in the order of the file.
fn risky(parts: &RiskParts<'_>, taken: &[bool]) -> Vec<RiskyRecord> {
    let mut risky: Vec<RiskyRecord> = (0..taken.len())
        .filter(|&record| taken[record])
        .map(RecordId::at)
        .map(|record| {
            let screened = parts.screening.map(|(joint, screening)| {
                let cell = joint.cell_of(record);
                (screening.is_swappable(cell), screening.is_disclosed(cell))
            });
            let cell = parts.table.cell_of(record);
            let risk = &parts.risks.cells[cell.position()];
            RiskyRecord {
                record: record.number(),
                risk: parts.table.joint().is_sample_unique(cell).then_some(risk.unique),
                swappable: screened.map(|(swappable, _)| swappable),
                disclosed: screened.map(|(_, disclosed)| disclosed),
            }
        })
        .collect();
    // By λ̂, as the rules rank: e^{−x} of many is 0 in a large population.
    let expected = |record: &RiskyRecord| {
        let place = usize::try_from(record.record - 1).expect("it is the number of a record");
        parts.risks.cells[parts.table.cell_of(RecordId::at(place)).position()].expected
    };
    risky.sort_by(|left, right| {
        let unique = right.risk.is_some().cmp(&left.risk.is_some());
        let rarer = expected(left).total_cmp(&expected(right));
        unique.then(rarer).then(left.record.cmp(&right.record))
    });
    risky
}

/// Writes a line for each record. The columns: its number; how many records have its keys; is
/// it a sample unique; p̂; λ̂; the estimated P(population unique) and E[1/F] of a sample unique;
/// then, where they were asked for, the individual risk from the weights, the SUDA and DIS-SUDA
/// scores (DIS-SUDA where sets of all keys were looked at), whether the rule takes it, whether it
/// can be swapped and is disclosed.
///
/// # Errors
/// What the writer says.
pub fn write_risk(out: &mut dyn Write, parts: &RiskParts<'_>) -> io::Result<()> {
    let mut header =
        "record,cell_count,sample_unique,probability,expected_in_population,population_unique,expected_claim"
            .to_owned();
    let scores = parts.suda.map(|(found, _)| {
        let mut scores = vec![(0.0, 0.0); parts.table.joint().len()];
        let scaled = parts.dis.and_then(|dis| found.scaled(dis));
        for (place, ((cell, _), score)) in found.found.iter().zip(found.scores()).enumerate() {
            scores[cell.position()] = (score, scaled.as_ref().map_or(0.0, |scaled| scaled[place]));
        }
        (scores, scaled.is_some())
    });
    for (there, names) in [
        (parts.weighted.is_some(), ",individual_risk"),
        (scores.is_some(), ",suda"),
        (scores.as_ref().is_some_and(|(_, scaled)| *scaled), ",dis_suda"),
        (parts.rule.is_some(), ",risky"),
        (parts.screening.is_some(), ",swappable,disclosed"),
    ] {
        if there {
            header.push_str(names);
        }
    }
    writeln!(out, "{header}")?;
    for record in (0..parts.table.joint().records()).map(RecordId::at) {
        let cell = parts.table.cell_of(record);
        let risk = &parts.risks.cells[cell.position()];
        write!(
            out,
            "{},{},{},{:e},{:e},{},{}",
            record.number(),
            parts.table.joint().n(cell),
            u8::from(parts.table.joint().is_sample_unique(cell)),
            risk.probability,
            risk.expected,
            risk.unique,
            risk.claim,
        )?;
        if let Some(weighted) = parts.weighted {
            write!(out, ",{}", weighted.cells[cell.position()])?;
        }
        if let Some((scores, has_scaled)) = &scores {
            let (score, scaled) = scores[cell.position()];
            write!(out, ",{score}")?;
            if *has_scaled {
                write!(out, ",{scaled}")?;
            }
        }
        if let Some((_, taken)) = &parts.rule {
            write!(out, ",{}", u8::from(taken[record.position()]))?;
        }
        if let Some((joint, screening)) = parts.screening {
            let cell = joint.cell_of(record);
            let yes = u8::from;
            write!(
                out,
                ",{},{}",
                yes(screening.is_swappable(cell)),
                yes(screening.is_disclosed(cell))
            )?;
        }
        writeln!(out)?;
    }
    Ok(())
}

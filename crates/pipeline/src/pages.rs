//! What the two pages about a release tell, taken from one comparison of its files.
//!
//! Nothing is taken from a plan but what only a plan can tell: how the swaps were chosen.
//!
//! Way in: [`internal`], [`external`].

use std::path::PathBuf;

use crate::refusal::Code;
use marginswap_core::columns::Role;
use marginswap_core::diagnostic::{Diagnostic, grouped};
use marginswap_core::encode::RecordId;
use marginswap_core::graph::Formula;
use marginswap_core::risk::rare_cells;
use marginswap_core::verify::{Outcome, records_at_risk};
use marginswap_io::PlanFile;
use marginswap_report::margin_graph;
use marginswap_report::page::{
    ColumnFacts, ExternalHouseholds, ExternalReport, FileFacts, HouseholdNames, InternalReport,
    LeftRecord, Method, PlanFacts, RiskBefore, ThenFacts, WatchReport,
};
use marginswap_report::pictures::waterfall::Coverage;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::answer::{self, Reveal};
use crate::compare::{Comparison, Order, screen_intruders};
use crate::project::{Project, Risky};
use crate::study::Study;
use crate::view::View;

/// The page that may be published.
///
/// # Errors
/// [`Code::NothingToTell`] when something differs that must not, or nothing was exchanged.
pub fn external(comparison: &Comparison, demo_seed: bool) -> Result<ExternalReport, Diagnostic> {
    let refuse = |detail: &str| {
        Diagnostic::new(
            Code::NothingToTell,
            detail,
            "verify the file to see what differs, and release another one",
        )
        .in_file(&comparison.released.0)
    };
    if !comparison.verification.is_equal() {
        return Err(refuse("a kept table or the number of records differs from the original"));
    }
    if !comparison.is_exact() {
        return Err(refuse("something differs that no exchange can change"));
    }
    if comparison.published.iter().any(|check| check.changed.cells > 0) {
        return Err(refuse("a published number is true of the original and not of this file"));
    }
    if let Some(plan) = &comparison.plan {
        if !plan.fits_input {
            return Err(refuse("the plan was made for another original file"));
        }
        if plan.gives_release != Some(true) {
            return Err(refuse("following the plan does not give the released file"));
        }
    }
    if !comparison.is_changed() {
        return Err(refuse("nothing was exchanged: its records are those of the original"));
    }
    let original = &comparison.original;
    let names = original.units.loaded.own_names();
    let exchanged = (0..names.len()).filter(|&column| exchanged(original, column).is_some());
    let may_differ = exchanged.map(|column| names[column].clone()).collect();
    let mut report = answer::verify(comparison);
    // Readers know the columns of the file, and not what several of them are called together.
    report.two_way.retain(|table| table.pair.iter().all(|name| names.contains(name)));
    let page = ExternalReport::new(&report, &watched(comparison)?, may_differ, demo_seed)
        .expect("the tables are equal");
    Ok(match report.households {
        Some(found) => page.of_households(ExternalHouseholds {
            households: found.after,
            names: household_names(comparison),
            then_persons: !original.then().is_empty(),
        }),
        None => page,
    })
}

/// Whose values of a column may be exchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Between {
    Records,
    Households,
    Persons,
}

/// Between whom a column may be exchanged, if it may be.
fn exchanged(study: &Study, column: usize) -> Option<Between> {
    let units = &study.units.loaded;
    match units.role(column) == Role::Variable {
        true if units.is_of_households() => Some(Between::Households),
        true => Some(Between::Records),
        false => study.then().contains(&column).then_some(Between::Persons),
    }
}

/// Released in the order of the original, or with their names asked for, households keep them; the
/// files themselves may show it too.
fn household_names(comparison: &Comparison) -> HouseholdNames {
    let asked = comparison.original.units.project.release.release_id == Some(true);
    let shown = comparison.people.as_ref().is_some_and(|found| found.names_kept);
    match asked || shown || comparison.order == Order::Input {
        true => HouseholdNames::Original,
        false => HouseholdNames::New,
    }
}

/// The page for those who decide. The commands that repeat the run are the door's to add.
///
/// # Errors
/// When it would take too long to say who can be parted from their keys.
pub fn internal(
    comparison: &Comparison,
    plan: Option<(&PathBuf, &PlanFile)>,
    reveal: Reveal,
) -> Result<InternalReport, Diagnostic> {
    let View { loaded, scope, separators, table_names, .. } = &comparison.original.units;
    let project = &comparison.original.people().project;
    let verify = answer::verify(comparison);
    let named = !comparison.original.units.intruders.is_empty();
    let partable = named.then(|| partable(comparison)).transpose()?;
    let parameters = match plan {
        Some((_, plan)) => parameters(&plan.header.parameters),
        None => parameters(&project.parameters()),
    };
    let digest = loaded.digest();
    Ok(InternalReport {
        class: "INTERNAL",
        tool_version: env!("CARGO_PKG_VERSION"),
        before: FileFacts {
            name: loaded.path().display().to_string(),
            bytes: digest.bytes,
            sha256: digest.sha256.clone(),
            records: verify.records_before,
        },
        after: FileFacts {
            name: comparison.released.0.display().to_string(),
            bytes: comparison.released.1.bytes,
            sha256: comparison.released.1.sha256.clone(),
            records: verify.records_after,
        },
        columns: columns(comparison),
        rule: named.then(|| rule(project)),
        graph: answer::graph(scope, separators, table_names),
        graph_picture: margin_graph::draw(&answer::graph_picture(scope, separators)),
        risk_before: risk_before(comparison.original.people()),
        coverage: named.then(|| Coverage::of(verify.records_before, partable, &verify.protection)),
        watched: watched(comparison)?,
        method: Method { parameters },
        plan: plan.map(|(path, plan)| plan_facts(comparison, path, plan)),
        moved: plan.and_then(|(_, plan)| summed_up(plan, "moved")).unwrap_or_default(),
        certificate: None,
        distance: plan.and_then(|(_, plan)| summed_up(plan, "distance")),
        replay: Vec::new(),
        shuffled: comparison.order != Order::Input,
        left_records: match reveal {
            Reveal::Counts => None,
            Reveal::Everything => Some(left(comparison)),
        },
        exposed_records: match reveal {
            Reveal::Counts => None,
            Reveal::Everything => Some(exposed(comparison)),
        },
        verify,
    })
}

/// What the summary of a plan says under a name.
fn summed_up<T: DeserializeOwned>(plan: &PlanFile, name: &str) -> Option<T> {
    let told = plan.header.summary.get(name)?;
    serde_json::from_value(told.clone()).ok()
}

fn plan_facts(comparison: &Comparison, path: &std::path::Path, plan: &PlanFile) -> PlanFacts {
    // What a run has just planned and written fits by construction.
    let fit = comparison.plan.as_ref();
    PlanFacts {
        name: path.display().to_string(),
        tool_version: plan.header.version.clone(),
        swaps: plan.plan.swaps().len() as u64,
        groups: plan.plan.groups().len() as u64,
        then: plan.then.as_ref().map(|then| ThenFacts {
            swaps: then.plan.swaps().len() as u64,
            groups: then.plan.groups().len() as u64,
        }),
        fits_input: fit.is_none_or(|fit| fit.fits_input),
        gives_release: fit.map_or(Some(true), |fit| fit.gives_release),
        not_for_release: plan.header.not_for_release,
    }
}

/// Every column, and what was done to it.
fn columns(comparison: &Comparison) -> Vec<ColumnFacts> {
    let loaded = &comparison.original.units.loaded;
    let lines = &comparison.original.people().loaded;
    let read = lines.raw_columns();
    let facts = loaded.own_names().iter().enumerate().map(|(position, name)| {
        let released = !comparison.dropped.contains(name);
        let between = exchanged(&comparison.original, position);
        let role = match (loaded.role(position), released) {
            (_, false) => "not released",
            (_, true) if between == Some(Between::Records) => "may be exchanged",
            (_, true) if between == Some(Between::Households) => {
                "may be exchanged between whole households"
            }
            (_, true) if between == Some(Between::Persons) => {
                "may be exchanged between single persons"
            }
            (Role::Variable | Role::Stay, true) => "released, never exchanged",
            (Role::Ignored, true) if lines.household() == Some(position) => "names the household",
            // A column of persons stays with its person.
            (Role::Ignored, true) if lines.role(position) != Role::Ignored => {
                "released, never exchanged"
            }
            (Role::Ignored, true) if loaded.is_id(position) => "names the record, released",
            (Role::Ignored, true) => "takes no part, released as it is",
        };
        let own = read[position].as_ref().map(|column| (column.dictionary().levels(), true));
        let levels = own.or_else(|| comparison.as_they_are.get(name).copied());
        ColumnFacts {
            name: name.clone(),
            role: role.to_owned(),
            levels: levels.map(|(levels, _)| levels as u64),
            levels_is_exact: levels.is_none_or(|(_, exact)| exact),
            released,
        }
    });
    facts.collect()
}

/// Who is at risk, in words.
fn rule(project: &Project) -> String {
    let risk = &project.risk;
    let model = || {
        let size = match (&risk.population, &risk.fraction) {
            (Some(people), _) => format!(", population {people}"),
            (None, Some(fraction)) => format!(", sampling fraction {fraction}"),
            (None, None) => ", population from the sum of the weights".to_owned(),
        };
        format!("model {}{size}", risk.model.clone().unwrap_or_default())
    };
    match project.risky() {
        Risky::Unique => "records that are alone with their keys".to_owned(),
        Risky::BelowK(k) => format!("records whose keys fewer than {k} records have"),
        Risky::Records(_) => "the records listed in a file".to_owned(),
        Risky::Top(1) => format!("the record with the highest estimated risk ({})", model()),
        Risky::Top(number) => format!(
            "the {} records with the highest estimated risk ({})",
            grouped(number.into()),
            model()
        ),
        Risky::Probability(least) => format!(
            "records alone with their keys whose estimated probability of being alone in the \
             population is at least {least} ({})",
            model()
        ),
    }
}

/// The watched tables and how far they moved.
fn watched(comparison: &Comparison) -> Result<Vec<WatchReport>, Diagnostic> {
    let formula = Formula::parse(&comparison.original.people().project.report.watch)?;
    let tables = formula.tables().iter().zip(&comparison.watched);
    let reports = tables.map(|(table, found)| WatchReport {
        table: table.clone(),
        changed: found.changed as u64,
        total_variation: found.total_variation,
        hellinger: found.hellinger,
    });
    Ok(reports.collect())
}

/// The risk in the original file, from each intruder.
fn risk_before(original: &View) -> Vec<RiskBefore> {
    let table = &original.located;
    let schema = original.scope.schema();
    let before = original.intruders.iter().map(|intruder| {
        let rare = |k: u64| -> u64 {
            let rare = rare_cells(table, intruder.keys, k);
            let counts = table.counts().iter().zip(rare);
            counts.filter(|(_, rare)| *rare).map(|(&count, _)| u64::from(count)).sum()
        };
        RiskBefore {
            name: intruder.name.clone(),
            keys: schema.names(intruder.keys).into_iter().map(str::to_owned).collect(),
            sample_uniques: table.sample_uniques() as u64,
            unique_on_keys: rare(2),
            below_3: rare(3),
            below_5: rare(5),
        }
    });
    before.collect()
}

/// The original records at risk that are still matched.
fn still_matched(comparison: &Comparison) -> Vec<RecordId> {
    let Some(worst) = &comparison.of_persons().worst_case else { return Vec::new() };
    let all = records_at_risk(&comparison.of_persons().learned).into_iter();
    all.filter(|&record| worst.outcome(record) == Some(Outcome::Matched)).collect()
}

/// The same, with the reason.
fn left(comparison: &Comparison) -> Vec<LeftRecord> {
    let why = |record| answer::left_reason(comparison.why_not_parted(record).as_ref());
    let left = still_matched(comparison).into_iter();
    left.map(|record| LeftRecord { record: record.number(), reason: why(record) }).collect()
}

/// The newly exposed records, with the reason.
fn exposed(comparison: &Comparison) -> Vec<LeftRecord> {
    let all = comparison.newly_exposed().into_iter();
    all.map(|(record, why)| LeftRecord {
        record: record.number(),
        reason: answer::left_reason(why.as_ref()),
    })
    .collect()
}

/// How many people at risk can be parted from the keys of every intruder who finds them at
/// risk, whatever became of them.
fn partable(comparison: &Comparison) -> Result<u64, Diagnostic> {
    let Comparison { original, key_screenings, .. } = comparison;
    let found = comparison.of_persons();
    let made;
    let screenings = if key_screenings.is_empty() {
        let units = &original.units;
        made = screen_intruders(units, units.scope.class(), &units.separators)?;
        &made
    } else {
        key_screenings
    };
    let can_be_parted = |record: RecordId| {
        let cell = comparison.original.cell_of_line(record);
        let scenarios = found.learned.iter().zip(screenings);
        let mut at_risk =
            scenarios.filter(|(learned, _)| learned.fate(record).is_some()).peekable();
        at_risk.peek().is_some() && at_risk.all(|(_, screening)| screening.is_partable(cell))
    };
    let all = records_at_risk(&found.learned).into_iter();
    Ok(all.filter(|&record| can_be_parted(record)).count() as u64)
}

/// Parameters as they are reported: those that are set; of rules only the columns, since rules
/// hold categories.
fn parameters(all: &Value) -> Vec<(String, String)> {
    fn words(value: &Value) -> String {
        match value {
            Value::String(text) => text.clone(),
            Value::Null => String::new(),
            Value::Array(list) => list.iter().map(words).collect::<Vec<_>>().join(", "),
            Value::Object(map) => {
                // What is not set is left out.
                let set = map.iter().map(|(name, value)| (name, words(value)));
                let set = set.filter(|(_, words)| !words.is_empty());
                set.map(|(name, words)| format!("{name}: {words}")).collect::<Vec<_>>().join(", ")
            }
            other => other.to_string(),
        }
    }
    let rule = |rule: &Value| {
        let columns = rule.as_array().into_iter().flatten().map(|term| words(&term["column"]));
        format!("a combination of {}", columns.collect::<Vec<_>>().join(" and "))
    };
    let mut told = Vec::new();
    for (name, value) in all.as_object().into_iter().flatten() {
        let text = match (name.as_str(), value) {
            ("rules", Value::Array(rules)) => rules.iter().map(rule).collect::<Vec<_>>().join("; "),
            (_, Value::Null) => continue,
            (_, value) => words(value),
        };
        if !text.is_empty() {
            told.push((name.clone(), text));
        }
    }
    told.sort();
    told
}

//! Which records can be swapped.

use std::io::{self, Write};

use marginswap_core::diagnostic::Diagnostic;
use marginswap_core::encode::RecordId;
use marginswap_core::graph::Formula;
use marginswap_core::partner::{KeyScreening, Screening, screen_announced, screen_keys};
use marginswap_core::plan::CanBeHidden;
use marginswap_core::table::{CellId, Located};
use marginswap_report::screen::{HidingReport, ScreenReport};
use marginswap_report::what_if::WhatIfReport;

use crate::answer::{self, Reveal};
use crate::input::{Ids, ids, note_many, separators};
use crate::notes::{Note, Phase, Run};
use crate::prepare::Prepared;
use crate::project::Project;
use crate::refusal::Code;
use crate::restrictions::{Step, combined, restrictions, steps};
use crate::study::{Study, read_scoped};
use crate::view::{forbidden, key_lists};

/// More comparisons than this take a second or longer.
const WORTH_A_WORD: u64 = 100_000_000;

/// Every record, screened.
pub struct Screened {
    /// In numbers.
    pub report: ScreenReport,
    joint: Located,
    screening: Screening,
    /// For each intruder, what to put after the names of its columns, and whose keys can be
    /// parted.
    key_screenings: Vec<(String, KeyScreening)>,
    steps: Vec<Step>,
    /// For each record at risk, whether it can be hidden; nothing where nobody asks.
    hiding: Option<Vec<Option<CanBeHidden>>>,
}

/// What is asked besides.
#[derive(Debug, Clone, Default)]
pub struct Further {
    /// Formulas of tables that might be published too.
    pub what_if: Vec<String>,
    /// The column whose values are areas.
    pub by: Option<String>,
    /// Are the areas named?
    pub reveal: Reveal,
}

/// As [`screen`]; and what publishing more tables would change, and what is disclosed in each
/// area.
///
/// # Errors
/// As [`screen`], and when a table or a column cannot be used.
pub fn screen_further(
    project: &Project,
    further: &Further,
    run: &mut Run<'_>,
) -> Result<Screened, Diagnostic> {
    for text in &further.what_if {
        Formula::parse(&[text])?;
    }
    let mut screened = screened(project, further, run)?;
    let mut asked: Vec<Vec<String>> = further.what_if.iter().map(|one| vec![one.clone()]).collect();
    if asked.len() > 1 {
        asked.push(further.what_if.clone());
    }
    for tables in asked {
        let mut more = project.clone();
        more.keep.tables.extend(tables.iter().cloned());
        let (now, then) = (&screened.report, screen(&more, run)?.report);
        let what_if = WhatIfReport {
            tables,
            disclosed: then.disclosed,
            disclosed_more: then.disclosed.saturating_sub(now.disclosed),
            disclosed_is_exact: now.disclosed_is_exact && then.disclosed_is_exact,
            swappable: then.swappable,
            swappable_fewer: now.swappable.saturating_sub(then.swappable),
            can_be_hidden: then.hiding.as_ref().map(|then| then.can_be_hidden),
            can_be_hidden_fewer: now
                .hiding
                .as_ref()
                .zip(then.hiding.as_ref())
                .map(|(now, then)| now.can_be_hidden.saturating_sub(then.can_be_hidden)),
        };
        screened.report.what_if.push(what_if);
    }
    Ok(screened)
}

/// Decides for every record whether it can be swapped while every setting is respected, and
/// whether the kept tables already disclose it.
///
/// # Errors
/// When the file cannot be read, or deciding would take too long.
pub fn screen(project: &Project, run: &mut Run<'_>) -> Result<Screened, Diagnostic> {
    screened(project, &Further::default(), run)
}

fn screened(
    project: &Project,
    further: &Further,
    run: &mut Run<'_>,
) -> Result<Screened, Diagnostic> {
    let hidden = hiding(project, run)?;
    let (project, loaded, scope) = read_scoped(project, Ids::PassedOver, run)?;
    let project = &project;
    let households = loaded.households().filter(|_| loaded.is_of_households());
    let persons = households.map(|households| households.lines() as u64);
    if let Some(name) = &further.by {
        loaded.position(name)?;
    }
    let separators = separators(&scope, project.max_separators());
    note_many(&separators, run);
    let records = loaded.records(&scope, run);
    let ids = ids(scope.schema(), &records, &loaded).into_iter().collect();
    let intruders = key_lists(project);
    let rules = forbidden(project, &loaded, &scope, run);
    let combined = combined(project, &loaded, &scope, &records);
    let restrictions = restrictions(project, &loaded, &scope, &rules, combined);
    let joint = Located::count(&records);
    drop(records);
    run.begin(Phase::Screening)?;
    let screening = screen_announced(&joint, scope.class(), &separators, |comparisons| {
        if comparisons > WORTH_A_WORD {
            run.note(Note::ManyComparisons { comparisons });
        }
    })?;
    let mut on_keys = Vec::new();
    for (_, keys) in &intruders {
        let keys = loaded.variables(&scope, keys);
        on_keys.push(screen_keys(&joint, scope.class(), &separators, keys)?);
    }
    let by_tables = (&separators, &screening, on_keys.as_slice());
    let steps = steps(project, &loaded, &scope, &joint, by_tables, &restrictions)?;
    let mut report = answer::screen(&scope, &joint, &separators, &screening, ids, &steps);
    report.persons = persons;
    let last = steps.last().expect("there is a first step");
    let found = intruders.iter().zip(&on_keys).zip(&last.partable);
    report.keys = found
        .map(|(((name, _), found), allowed)| {
            answer::key_screening(scope.schema(), *name, &joint, found, allowed)
        })
        .collect();
    if let Some(by) = &further.by {
        let mut columns = loaded.columns();
        let (name, _, column) = columns.find(|(name, ..)| name == by).ok_or_else(|| {
            Diagnostic::new(
                Code::UnknownColumn,
                format!("`{by}` takes no part in this question"),
                "name a column that takes part",
            )
        })?;
        report.by = Some(answer::areas(&joint, &screening, name, column, further.reveal));
    }
    let endings = intruders.iter().enumerate().map(|(place, (name, _))| ending(place, *name));
    let key_screenings = endings.zip(on_keys).collect();
    let hiding = hidden.map(|(counts, of_records)| {
        report.hiding = Some(counts);
        of_records
    });
    Ok(Screened { report, joint, screening, key_screenings, steps, hiding })
}

/// Who at risk can be hidden from anyone who knows any part of the keys: in numbers, and record by
/// record. Nothing where nobody is asked to be hidden.
type Hiding = (HidingReport, Vec<Option<CanBeHidden>>);

fn hiding(project: &Project, run: &mut Run<'_>) -> Result<Option<Hiding>, Diagnostic> {
    if key_lists(project).is_empty() || project.crowd().is_none() {
        return Ok(None);
    }
    let study = Study::read(project, run)?;
    if !study.units.asks_for_parts() || study.units.loaded.counts().is_some() {
        return Ok(None);
    }
    let prepared = Prepared::of(study)?;
    let located = &prepared.study.units.located;
    let answers = prepared.can_be_hidden((0..located.len()).map(CellId::at))?;
    let report = answer::hiding_of_all(&prepared, &answers);
    let mut of_cells = vec![None; located.len()];
    answers.into_iter().for_each(|(cell, answer)| of_cells[cell.position()] = Some(answer));
    let at_risk = prepared.study.units.at_risk();
    let of_record = |(record, at_risk): (usize, bool)| {
        let answer = of_cells[located.cell_of(RecordId::at(record)).position()];
        answer.filter(|_| at_risk)
    };
    Ok(Some((report, at_risk.into_iter().enumerate().map(of_record).collect())))
}

/// What tells the columns of an intruder from those of the first one.
fn ending(place: usize, name: Option<&str>) -> String {
    match (place, name) {
        (0, _) => String::new(),
        (_, None) => format!("_{}", place + 1),
        (_, Some(name)) => format!("_{name}"),
    }
}

impl Screened {
    /// Writes a line for every record.
    ///
    /// # Errors
    /// When the writer fails.
    pub fn write_records(&self, out: &mut dyn Write) -> io::Result<()> {
        let Self { joint, screening, key_screenings, steps, hiding, .. } = self;
        answer::write_screen(out, joint, screening, key_screenings, steps, hiding.as_deref())
    }
}

//! What `screen` answers: a screening added up, and a line for each record.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write};

use marginswap_core::columns::Column;
use marginswap_core::encode::RecordId;
use marginswap_core::graph::{Scope, Separators};
use marginswap_core::partner::{KeyScreening, Screening, Unpartable};
use marginswap_core::plan::CanBeHidden;
use marginswap_core::table::{CellId, Located};
use marginswap_core::varset::VarSet;
use marginswap_report::restrictions::{RestrictedBy, Restriction};
use marginswap_report::screen::{HidingReport, Prevented, ScreenReport};
use marginswap_report::what_if::{Area, AreasReport};

use super::protection::known_roughly;
use super::{Reveal, names};
use crate::prepare::Prepared;
use crate::restrictions::Step;

/// Adds up a screening, and what each restriction leaves. `ids`: the variables in which nearly
/// every record has its own value.
#[must_use]
pub fn screen(
    scope: &Scope,
    joint: &Located,
    separators: &Separators,
    screening: &Screening,
    ids: VarSet,
    steps: &[Step],
) -> ScreenReport {
    let set = |set| names(scope.schema(), set);
    let mut report = ScreenReport {
        records: joint.records() as u64,
        persons: None,
        cells: joint.len() as u64,
        sample_uniques: joint.sample_uniques() as u64,
        swappable: 0,
        swappable_uniques: 0,
        not_swappable_uniques: 0,
        disclosed: 0,
        disclosed_uniques: 0,
        disclosed_is_exact: screening.disclosed_is_exact(),
        separators: separators.list().len() as u64,
        separators_complete: separators.is_complete(),
        looks_like_id: set(ids),
        disclosed_also_uses: set(scope.in_no_named_table()),
        disclosed_uses_stay_margin: scope.stay_margin().map(set),
        restrictions: steps.iter().map(|step| restriction(joint, step)).collect(),
        what_if: Vec::new(),
        by: None,
        keys: vec![],
        hiding: None,
    };
    let all = &steps.last().expect("there is a first step").swappable;
    for cell in (0..joint.len()).map(CellId::at) {
        let count = joint.n(cell);
        let unique = u64::from(joint.is_sample_unique(cell));
        if all[cell.position()] {
            report.swappable += count;
            report.swappable_uniques += unique;
        } else {
            report.not_swappable_uniques += unique;
        }
        if screening.is_disclosed(cell) {
            report.disclosed += count;
            report.disclosed_uniques += unique;
        }
    }
    report
}

/// Adds up whether the people at risk can be hidden, each asked for alone.
#[must_use]
pub fn hiding_of_all(prepared: &Prepared, answers: &[(CellId, CanBeHidden)]) -> HidingReport {
    let original = &prepared.study.units;
    let mut report = HidingReport {
        crowd: original.project.crowd().map_or(0, |crowd| crowd.get().into()),
        at_risk: 0,
        known_roughly: known_roughly(prepared.study.people()),
        can_be_hidden: 0,
        by_replaced_values: 0,
        cannot_be_hidden: 0,
        prevented: Vec::new(),
        no_swap_found: 0,
    };
    let mut prevented: BTreeMap<VarSet, u64> = BTreeMap::new();
    for &(cell, answer) in answers {
        let people = prepared.at_risk_in(cell);
        report.at_risk += people;
        match answer {
            CanBeHidden::By { is_replaced, .. } => {
                report.can_be_hidden += people;
                report.by_replaced_values += if is_replaced { people } else { 0 };
            }
            CanBeHidden::NotFound => report.no_swap_found += people,
            CanBeHidden::Prevented { table, .. } => {
                report.cannot_be_hidden += people;
                *prevented.entry(table).or_default() += people;
            }
        }
    }
    let row = |(table, people)| Prevented { table: names(original.scope.schema(), table), people };
    report.prevented = prevented.into_iter().map(row).collect();
    report
}

/// The disclosed records of each value of a column.
#[must_use]
pub fn areas(
    joint: &Located,
    screening: &Screening,
    variable: &str,
    column: &Column,
    reveal: Reveal,
) -> AreasReport {
    let mut found = vec![[0u64; 2]; column.dictionary().levels()];
    column.for_each_code(|record, code| {
        let disclosed = screening.is_disclosed(joint.cell_of(RecordId::at(record)));
        found[code as usize][0] += 1;
        found[code as usize][1] += u64::from(disclosed);
    });
    let value = |code: u32| {
        let category = column.dictionary().category(code);
        category.map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    };
    let areas = (0u32..)
        .zip(found)
        .filter(|(_, [records, _])| *records > 0)
        .map(|(code, [records, disclosed])| Area { value: value(code), records, disclosed })
        .collect();
    AreasReport::new(variable.to_owned(), areas, reveal == Reveal::Everything)
}

fn restriction(joint: &Located, step: &Step) -> Restriction {
    let count = |holds: &[bool], weigh: &dyn Fn(CellId) -> u64| -> u64 {
        let cells = (0..joint.len()).map(CellId::at);
        cells.filter(|cell| holds[cell.position()]).map(weigh).sum()
    };
    Restriction {
        setting: step.by,
        swappable: count(&step.swappable, &|cell| joint.n(cell)),
        swappable_uniques: count(&step.swappable, &|cell| joint.is_sample_unique(cell).into()),
        separable: step.partable.iter().map(|one| count(one, &|cell| joint.n(cell))).collect(),
    }
}

/// Writes a line for each record: its number, its cell's count, and the answers. `keys`: for
/// each intruder, what to put after the names of its columns.
///
/// # Errors
/// What the writer says.
pub fn write_screen(
    out: &mut dyn Write,
    joint: &Located,
    screening: &Screening,
    keys: &[(String, KeyScreening)],
    steps: &[Step],
    hiding: Option<&[Option<CanBeHidden>]>,
) -> io::Result<()> {
    let (last, restricted) = (steps.last().expect("there is a first step"), steps.len() > 1);
    let mut head = "record,cell_count,sample_unique,swappable,disclosed".to_owned();
    head.push_str(if restricted { ",restricted_by" } else { "" });
    for (ending, _) in keys {
        write!(head, ",separable{ending},why_not{ending}").expect("writing to a text");
    }
    head.push_str(if hiding.is_some() { ",hiding" } else { "" });
    writeln!(out, "{head}")?;
    for record in (0..joint.records()).map(RecordId::at) {
        let cell = joint.cell_of(record);
        let yes = u8::from;
        write!(
            out,
            "{},{},{},{},{}",
            record.number(),
            joint.n(cell),
            yes(joint.is_sample_unique(cell)),
            yes(last.swappable[cell.position()]),
            yes(screening.is_disclosed(cell))
        )?;
        if restricted {
            write!(out, ",{}", restricted_by(steps, cell))?;
        }
        for ((_, keys), allowed) in keys.iter().zip(&last.partable) {
            let why_not = match keys.why_not(cell) {
                None if allowed[cell.position()] => "1,",
                None => "0,restricted",
                Some(Unpartable::Published(_)) => "0,published",
                Some(Unpartable::Proved(_)) => "0,proved",
                Some(Unpartable::NoPartner) => "0,no_partner",
            };
            write!(out, ",{why_not}")?;
        }
        if let Some(hiding) = hiding {
            let told = match hiding[record.position()] {
                None => "",
                Some(CanBeHidden::By { .. }) => "can_be_hidden",
                Some(CanBeHidden::Prevented { .. }) => "cannot_be_hidden",
                Some(CanBeHidden::NotFound) => "no_swap_found",
            };
            write!(out, ",{told}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// The setting that leaves the records of a cell without a partner; nothing where the tables
/// do, or where they have one.
fn restricted_by(steps: &[Step], cell: CellId) -> &'static str {
    let first = steps.iter().find(|step| !step.swappable[cell.position()]);
    first.and_then(|step| step.by).map_or("", RestrictedBy::code)
}

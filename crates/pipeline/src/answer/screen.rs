//! What `screen` answers: a screening added up, and a line for each record.

use std::io::{self, Write};

use marginswap_core::encode::RecordId;
use marginswap_core::graph::{Scope, Separators};
use marginswap_core::partner::{KeyScreening, Screening, Unpartable};
use marginswap_core::table::{CellId, Located};
use marginswap_core::varset::VarSet;
use marginswap_report::screen::ScreenReport;

use super::names;

/// Adds up a screening. `ids`: the variables in which nearly every record has its own value.
#[must_use]
pub fn screen(
    scope: &Scope,
    joint: &Located,
    separators: &Separators,
    screening: &Screening,
    ids: VarSet,
) -> ScreenReport {
    let set = |set| names(scope.schema(), set);
    let mut report = ScreenReport {
        records: joint.records() as u64,
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
        keys: None,
    };
    for cell in (0..joint.len()).map(CellId::at) {
        let count = joint.n(cell);
        let unique = u64::from(joint.is_sample_unique(cell));
        if screening.is_swappable(cell) {
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

/// Writes a line for each record: its number, its cell's count, and the answers.
///
/// # Errors
/// What the writer says.
pub fn write_screen(
    out: &mut dyn Write,
    joint: &Located,
    screening: &Screening,
    keys: Option<&KeyScreening>,
) -> io::Result<()> {
    let more = if keys.is_some() { ",partable,why_not" } else { "" };
    writeln!(out, "record,cell_count,sample_unique,swappable,disclosed{more}")?;
    for record in (0..joint.records()).map(RecordId::at) {
        let cell = joint.cell_of(record);
        let yes = u8::from;
        let more = keys.map_or(String::new(), |keys| match keys.why_not(cell) {
            None => ",1,".to_owned(),
            Some(Unpartable::Published(_)) => ",0,published".to_owned(),
            Some(Unpartable::Proved(_)) => ",0,proved".to_owned(),
            Some(Unpartable::NoPartner) => ",0,no_partner".to_owned(),
        });
        writeln!(
            out,
            "{},{},{},{},{}{more}",
            record.number(),
            joint.n(cell),
            yes(joint.is_sample_unique(cell)),
            yes(screening.is_swappable(cell)),
            yes(screening.is_disclosed(cell))
        )?;
    }
    Ok(())
}

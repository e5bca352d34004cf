//! Which records can be swapped.

use std::io::{self, Write};

use marginswap_core::diagnostic::Diagnostic;
use marginswap_core::partner::{KeyScreening, Screening, screen_announced, screen_keys};
use marginswap_core::table::Located;
use marginswap_report::screen::ScreenReport;

use crate::answer;
use crate::input::{ids, note_many, separators};
use crate::notes::{Note, Phase, Run};
use crate::original::{data_of, open, scope_of};
use crate::project::Project;

/// More comparisons than this take a second or longer.
const WORTH_A_WORD: u64 = 100_000_000;

/// Every record, screened.
pub struct Screened {
    /// In numbers.
    pub report: ScreenReport,
    joint: Located,
    screening: Screening,
    key_screening: Option<KeyScreening>,
}

/// Decides for every record whether it can be swapped and whether the kept tables already
/// disclose it.
///
/// # Errors
/// When the file cannot be read, or deciding would take too long.
pub fn screen(project: &Project, run: &mut Run<'_>) -> Result<Screened, Diagnostic> {
    let data = data_of(project)?;
    let opened = open(project, &data)?;
    let scope = scope_of(project, &opened)?;
    let separators = separators(&scope, project.max_separators());
    note_many(&separators, run);
    let loaded = opened.read(false, run)?;
    let records = loaded.records(&scope, run);
    let ids = ids(scope.schema(), &records).into_iter().collect();
    let keys = loaded.variables(&scope, &project.risk.keys);
    drop(loaded);
    let joint = Located::count(&records);
    drop(records);
    run.begin(Phase::Screening)?;
    let screening = screen_announced(&joint, scope.class(), &separators, |comparisons| {
        if comparisons > WORTH_A_WORD {
            run.note(Note::ManyComparisons { comparisons });
        }
    })?;
    let mut report = answer::screen(&scope, &joint, &separators, &screening, ids);
    let mut key_screening = None;
    if !keys.is_empty() {
        let found = screen_keys(&joint, scope.class(), &separators, keys)?;
        report.keys = Some(answer::key_screening(scope.schema(), &joint, &found));
        key_screening = Some(found);
    }
    if !project.swap.matched.is_empty()
        || !project.swap.strata.is_empty()
        || !project.swap.rules.is_empty()
    {
        run.note(Note::ScreenedByTablesAlone);
    }
    Ok(Screened { report, joint, screening, key_screening })
}

impl Screened {
    /// Writes a line for every record.
    ///
    /// # Errors
    /// When the writer fails.
    pub fn write_records(&self, out: &mut dyn Write) -> io::Result<()> {
        answer::write_screen(out, &self.joint, &self.screening, self.key_screening.as_ref())
    }
}

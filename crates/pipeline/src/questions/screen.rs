//! Which records can be swapped.

use std::io::{self, Write};

use marginswap_core::diagnostic::Diagnostic;
use marginswap_core::partner::{Screening, screen_announced};
use marginswap_core::table::Located;
use marginswap_report::screen::ScreenReport;

use crate::answer;
use crate::input::{ids, note_many, separators};
use crate::notes::{Note, Phase, Run};
use crate::prepare::{data_of, open, scope_of};
use crate::project::Project;

/// More comparisons than this take a second or longer.
const WORTH_A_WORD: u64 = 100_000_000;

/// Every record, screened.
pub struct Screened {
    /// In numbers.
    pub report: ScreenReport,
    joint: Located,
    screening: Screening,
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
    run.begin(Phase::Reading)?;
    let loaded = opened.read(false, run)?;
    let records = loaded.records(&scope, run);
    let ids = ids(scope.schema(), &records).into_iter().collect();
    drop(loaded);
    let joint = Located::count(&records);
    drop(records);
    run.begin(Phase::Screening)?;
    let screening = screen_announced(&joint, scope.class(), &separators, |comparisons| {
        if comparisons > WORTH_A_WORD {
            run.note(Note::ManyComparisons { comparisons });
        }
    })?;
    let report = answer::screen(&scope, &joint, &separators, &screening, ids);
    Ok(Screened { report, joint, screening })
}

impl Screened {
    /// Writes a line for every record.
    ///
    /// # Errors
    /// When the writer fails.
    pub fn write_records(&self, out: &mut dyn Write) -> io::Result<()> {
        answer::write_screen(out, &self.joint, &self.screening)
    }
}

//! Which records can be swapped.

use std::io::{self, Write};

use marginswap_core::diagnostic::Diagnostic;
use marginswap_core::partner::{KeyScreening, Screening, screen_announced, screen_keys};
use marginswap_core::table::Located;
use marginswap_report::screen::ScreenReport;

use crate::answer;
use crate::input::{ids, note_many, separators};
use crate::notes::{Note, Phase, Run};
use crate::original::{Scoped, forbidden, read_scoped};
use crate::project::Project;
use crate::restrictions::{Step, restrictions, steps};

/// More comparisons than this take a second or longer.
const WORTH_A_WORD: u64 = 100_000_000;

/// Every record, screened.
pub struct Screened {
    /// In numbers.
    pub report: ScreenReport,
    joint: Located,
    screening: Screening,
    key_screening: Option<KeyScreening>,
    steps: Vec<Step>,
}

/// Decides for every record whether it can be swapped while every setting is respected, and
/// whether the kept tables already disclose it.
///
/// # Errors
/// When the file cannot be read, or deciding would take too long.
pub fn screen(project: &Project, run: &mut Run<'_>) -> Result<Screened, Diagnostic> {
    let Scoped { project, loaded, scope } = read_scoped(project, false, run)?;
    let project = &project;
    let separators = separators(&scope, project.max_separators());
    note_many(&separators, run);
    let records = loaded.records(&scope, run);
    let ids = ids(scope.schema(), &records).into_iter().collect();
    let keys = loaded.variables(&scope, &project.risk.keys);
    let rules = forbidden(project, &loaded, &scope, run);
    let restrictions = restrictions(project, &loaded, &scope, &rules);
    let joint = Located::count(&records);
    drop(records);
    run.begin(Phase::Screening)?;
    let screening = screen_announced(&joint, scope.class(), &separators, |comparisons| {
        if comparisons > WORTH_A_WORD {
            run.note(Note::ManyComparisons { comparisons });
        }
    })?;
    let on_keys = match keys.is_empty() {
        true => None,
        false => Some(screen_keys(&joint, scope.class(), &separators, keys)?),
    };
    let by_tables = (&separators, &screening, on_keys.as_ref());
    let steps = steps(project, &loaded, &scope, &joint, by_tables, &restrictions)?;
    let mut report = answer::screen(&scope, &joint, &separators, &screening, ids, &steps);
    let last = steps.last().and_then(|step| step.partable.as_ref());
    if let (Some(found), Some(allowed)) = (&on_keys, last) {
        report.keys = Some(answer::key_screening(scope.schema(), &joint, found, allowed));
    }
    Ok(Screened { report, joint, screening, key_screening: on_keys, steps })
}

impl Screened {
    /// Writes a line for every record.
    ///
    /// # Errors
    /// When the writer fails.
    pub fn write_records(&self, out: &mut dyn Write) -> io::Result<()> {
        let keys = self.key_screening.as_ref();
        answer::write_screen(out, &self.joint, &self.screening, keys, &self.steps)
    }
}

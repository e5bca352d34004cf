//! Why a record or a pair can or cannot be swapped.

use crate::refusal::Code;
use marginswap_core::diagnostic::Diagnostic;
use marginswap_core::explain;
pub use marginswap_core::explain::Partners;
use marginswap_core::table::Located;
use marginswap_report::Picture;
use marginswap_report::explain::{PairReport, RecordReport};
use marginswap_report::pictures::diagonal::{self, DiagonalPicture};
use marginswap_report::pictures::why;

use crate::answer;
use crate::input::{note_many, separators};
use crate::notes::Run;
use crate::original::{data_of, open, scope_of};
use crate::prepare::too_many_tied;
use crate::project::Project;

/// What is known about one record, and a picture of it.
///
/// # Errors
/// When the file cannot be read or has no such record.
pub fn explain_record(
    project: &Project,
    record: &str,
    partners: Partners,
    run: &mut Run<'_>,
) -> Result<RecordReport, Diagnostic> {
    let opened = open(project, &data_of(project)?)?;
    let scope = scope_of(project, &opened)?;
    let separators = separators(&scope, project.max_separators());
    note_many(&separators, run);
    let loaded = opened.read(true, run)?;
    let record = loaded.find(record)?;
    let records = loaded.records(&scope, run);
    drop(loaded);
    let joint = Located::count(&records);
    let found = explain::record(&scope, &separators, &records, &joint, record, partners);
    let mut report = answer::record(scope.schema(), &found);
    let most = project.max_records().get();
    if most > 2 {
        let larger = explain::larger(&scope, &records, &joint, record, most);
        report.larger = Some(answer::larger(scope.schema(), &larger.map_err(too_many_tied)?));
    }
    Ok(report)
}

/// Two records: what may travel between them, or what ties them.
pub struct Pair {
    /// In words.
    pub report: PairReport,
    /// All variables, for the picture.
    variables: Vec<String>,
}

/// What may travel between two records, or the chain of tables that ties them.
///
/// # Errors
/// When the file cannot be read, or has no such records, or both names are one record's.
pub fn explain_pair(
    project: &Project,
    left: &str,
    right: &str,
    run: &mut Run<'_>,
) -> Result<Pair, Diagnostic> {
    let opened = open(project, &data_of(project)?)?;
    let scope = scope_of(project, &opened)?;
    let loaded = opened.read(true, run)?;
    let (left, right) = (loaded.find(left)?, loaded.find(right)?);
    if left == right {
        return Err(Diagnostic::new(
            Code::NoSuchRecord,
            "both names belong to the same record",
            "name two different records",
        ));
    }
    let records = loaded.records(&scope, run);
    let schema = scope.schema();
    Ok(Pair {
        report: answer::pair(schema, &explain::pair(&scope, &records, left, right)),
        variables: schema.names(schema.all()).into_iter().map(str::to_owned).collect(),
    })
}

impl Pair {
    /// The swap, or why there is none.
    #[must_use]
    pub fn picture(&self) -> Picture {
        match DiagonalPicture::of_pair(&self.report, &self.variables) {
            Some(picture) => diagonal::draw("", &picture),
            None => why::draw_pair("", &self.report),
        }
    }
}

//! Why a record or a pair can or cannot be swapped.

use crate::refusal::Code;
use marginswap_core::diagnostic::Diagnostic;
use marginswap_core::encode::RecordId;
use marginswap_core::explain;
pub use marginswap_core::explain::Partners;
use marginswap_core::partner::{Surroundings, screen_keys};
use marginswap_report::Picture;
use marginswap_report::explain::{PairReport, RecordReport};
use marginswap_report::keys::RecordKeys;
use marginswap_report::pictures::diagonal::{self, DiagonalPicture};
use marginswap_report::pictures::why;

use crate::answer;
use crate::input::Ids;
use crate::notes::Run;
use crate::prepare::{Prepared, too_many_tied};
use crate::project::Project;
use crate::restrictions::partners_left;
use crate::study::{Study, read_scoped};
use crate::table_names::TableNames;
use crate::view::{View, unranked};

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
    let study = Study::read_with(&unranked(project), Ids::Read, run)?;
    let View { loaded, scope, separators, records, located: joint, table_names, .. } = &study.units;
    let record = loaded.find(record)?;
    let found = explain::record(scope, separators, records, joint, record, partners);
    let mut report = answer::record(scope.schema(), &found, table_names);
    let most = project.max_records().get();
    if most > 2 {
        let larger = explain::larger(scope, records, joint, record, most);
        report.larger = Some(answer::larger(scope.schema(), &larger.map_err(too_many_tied)?));
    }
    report.keys = keys_of(&study.units, record)?;
    report.restrictions = partners_left(&study.units, record);
    if study.units.asks_for_parts() {
        let cell = joint.cell_of(record);
        let prepared = Prepared::of(study)?;
        let answer = prepared.can_be_hidden(std::iter::once(cell))?.pop();
        let answer = answer.map(|(_, answer)| answer);
        report.hiding = Some(answer::hiding(&prepared.study.units, cell, answer));
    }
    Ok(report)
}

/// For each intruder, what can be done about the keys of a record.
fn keys_of(view: &View, record: RecordId) -> Result<Vec<RecordKeys>, Diagnostic> {
    let View { loaded, scope, separators, records, located, intruders, .. } = view;
    let graph = scope.class().margin_graph();
    let around = Surroundings::of(records, record);
    let mut all = Vec::new();
    for intruder in intruders {
        let found = screen_keys(located, scope.class(), separators, intruder.keys)
            .map_err(|error| error.in_file(loaded.path()))?;
        let partners = around.on_keys(&graph, intruder.keys, intruder.sensitive);
        let why_not = found.why_not(located.cell_of(record));
        let who = (intruder.name.as_deref(), intruder.keys);
        all.push(answer::record_keys(scope.schema(), who, why_not, &partners));
    }
    Ok(all)
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
    let (project, loaded, scope) = read_scoped(project, Ids::Read, run)?;
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
    let called = TableNames::of(&project, loaded.names(), &scope);
    Ok(Pair {
        report: answer::pair(schema, &explain::pair(&scope, &records, left, right), &called),
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

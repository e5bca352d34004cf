//! `inspect`, `graph`, `screen`, `explain`, `risk`: questions that change nothing; and a survey to
//! ask them about.

use std::io::Write;
use std::path::PathBuf;

use marginswap_core::diagnostic::Diagnostic;
use marginswap_io::{
    Finished, Format, Overwrite, ReadOptions, Secrecy, Source, Staged, publish_all,
};
use marginswap_pipeline::demo::{Survey, write_demo};
use marginswap_pipeline::input::FirstLine;
use marginswap_pipeline::notes::Run;
use marginswap_pipeline::outputs::guard;
use marginswap_pipeline::project::Project;
use marginswap_pipeline::questions::explain::{Partners, explain_pair, explain_record};
use marginswap_pipeline::questions::inspect::Reveal;
use marginswap_pipeline::questions::risk::Sets;
use marginswap_pipeline::refusal::Code;
use marginswap_pipeline::seed::SeedFrom;
use marginswap_pipeline::{answer, codes, questions};
use marginswap_report::pictures::why;
use pyo3::prelude::*;

use crate::answer::Answer;
use crate::jobs::Asked;
use crate::refusal::{OrRaise, raised};
use crate::work::carry_out;

/// What is in a table.
#[pyfunction]
pub fn inspect(py: Python<'_>, asked: Asked<'_>, reveal: bool) -> PyResult<Answer> {
    let project = asked.project(py, "inspect")?;
    let reveal = if reveal { Reveal::Everything } else { Reveal::Counts };
    let (report, notes) =
        carry_out(py, &asked.how, move |run| questions::inspect::inspect(&project, reveal, run))?;
    Ok(Answer::new(&report, None, notes))
}

/// What the kept tables tie together.
#[pyfunction]
pub fn graph(py: Python<'_>, asked: Asked<'_>) -> PyResult<Answer> {
    let project = asked.project(py, "graph")?;
    tables_are_named(py, &project)?;
    let (graph, notes) =
        carry_out(py, &asked.how, move |run| questions::graph::graph(&project, run))?;
    Ok(Answer::new(&graph.report, Some(&graph.picture), notes))
}

/// Which records can be swapped; a line for each in a file, where one is named.
#[pyfunction]
#[pyo3(signature = (asked, list=None, force=false))]
pub fn screen(
    py: Python<'_>,
    asked: Asked<'_>,
    list: Option<PathBuf>,
    force: bool,
) -> PyResult<Answer> {
    let project = asked.project(py, "screen")?;
    tables_are_named(py, &project)?;
    let ((report, listed), notes) = carry_out(py, &asked.how, move |run| {
        let listing = Listing::new(&project, list, force, run)?;
        let screened = questions::screen::screen(&project, run)?;
        let listed = listing.filled(|out| screened.write_records(out))?;
        Ok((screened.report, listed))
    })?;
    publish_all(listed).or_raise(py)?;
    Ok(Answer::new(&report, None, notes))
}

/// Who is at risk, by a model; a line for each record in a file, where one is named.
#[pyfunction]
#[pyo3(signature = (asked, suda=None, key_sets=2, list=None, force=false))]
pub fn risk(
    py: Python<'_>,
    asked: Asked<'_>,
    suda: Option<usize>,
    key_sets: usize,
    list: Option<PathBuf>,
    force: bool,
) -> PyResult<Answer> {
    let project = asked.project(py, "risk")?;
    let ((report, listed), notes) = carry_out(py, &asked.how, move |run| {
        let listing = Listing::new(&project, list, force, run)?;
        let mut listed = Vec::new();
        let fill = |lines: questions::risk::WriteList<'_>| {
            listed = listing.filled(lines)?;
            Ok(())
        };
        let report = questions::risk::risk(&project, Sets { suda, key_sets }, fill, run)?;
        Ok((report, listed))
    })?;
    publish_all(listed).or_raise(py)?;
    Ok(Answer::new(&report, None, notes))
}

/// Why a record or a pair can or cannot be swapped.
#[pyfunction]
#[pyo3(signature = (asked, record=None, pair=None, all_partners=false))]
pub fn explain(
    py: Python<'_>,
    asked: Asked<'_>,
    record: Option<String>,
    pair: Option<(String, String)>,
    all_partners: bool,
) -> PyResult<Answer> {
    let project = asked.project(py, "explain")?;
    tables_are_named(py, &project)?;
    let partners = if all_partners { Partners::All } else { Partners::Count };
    match (record, pair) {
        (Some(record), None) => {
            let (report, notes) = carry_out(py, &asked.how, move |run| {
                explain_record(&project, &record, partners, run)
            })?;
            Ok(Answer::new(&report, Some(&why::draw_record("", &report)), notes))
        }
        (None, Some((left, right))) => {
            let (pair, notes) =
                carry_out(py, &asked.how, move |run| explain_pair(&project, &left, &right, run))?;
            Ok(Answer::new(&pair.report, Some(&pair.picture()), notes))
        }
        _ => Err(raised(
            py,
            &Diagnostic::new(
                Code::MissingSetting,
                "say what to explain: a record or a pair, one of the two",
                "give `record=` or `pair=`, or an error code such as `explain(\"E203\")`",
            ),
        )),
    }
}

/// What an error code means; `codes` lists all.
#[pyfunction]
pub fn explain_code(text: &str) -> Option<Answer> {
    if text == "codes" {
        return Some(Answer::new(&answer::codes(), None, vec![]));
    }
    Some(Answer::new(&answer::code(codes::parse(text)?), None, vec![]))
}

/// Writes the survey of an invented town and its project file; gives the path of the survey.
#[pyfunction]
pub fn demo(
    py: Python<'_>,
    folder: PathBuf,
    records: usize,
    households: bool,
    demo_seed: u64,
    force: bool,
) -> PyResult<PathBuf> {
    let asks = if households { Survey::Households } else { Survey::Persons };
    let write = || {
        let seed = SeedFrom::Demo(demo_seed).choose(&mut Run::silent())?.seed;
        write_demo(&folder, (asks, records), seed, Overwrite::from_force(force))
    };
    py.detach(write).or_raise(py).map(|files| files.data)
}

/// The names and the delimiter of a CSV file, for an engine that reads it.
#[pyfunction]
pub fn csv_header(
    py: Python<'_>,
    asked: Asked<'_>,
    function: &str,
    path: PathBuf,
) -> PyResult<(Vec<String>, String)> {
    let project = asked.project(py, function)?;
    let options = ReadOptions { delimiter: project.delimiter };
    let source = Source::open(&path, &options).or_raise(py)?;
    FirstLine::of(&project).check(source.is_without_header(), &path).or_raise(py)?;
    let Format::Csv { delimiter, .. } = source.format() else {
        let refusal = Diagnostic::new(Code::ForeignFile, "this is no CSV file", "name one");
        return Err(raised(py, &refusal.in_file(&path)));
    };
    Ok((source.columns().to_vec(), char::from(delimiter.byte()).to_string()))
}

fn tables_are_named(py: Python<'_>, project: &Project) -> PyResult<()> {
    if !project.keep.is_empty() {
        return Ok(());
    }
    let refusal =
        Diagnostic::new(Code::MissingSetting, "no table to keep is named", "name at least one");
    Err(raised(py, &refusal.about("keep.tables")))
}

/// A file with a line for each record: as secret as the data.
struct Listing(Option<Staged>);

impl Listing {
    fn new(
        project: &Project,
        path: Option<PathBuf>,
        force: bool,
        run: &mut Run<'_>,
    ) -> Result<Self, Diagnostic> {
        let Some(path) = path else { return Ok(Self(None)) };
        let overwrite = Overwrite::from_force(force);
        guard(&[project], &[Some(&path)], &[], &[], overwrite, run)?;
        Staged::create(&path, overwrite, Secrecy::Secret).map(|staged| Self(Some(staged)))
    }

    fn filled(
        self,
        lines: impl Fn(&mut dyn Write) -> std::io::Result<()>,
    ) -> Result<Vec<Finished>, Diagnostic> {
        let Some(mut staged) = self.0 else { return Ok(vec![]) };
        lines(&mut staged).map_err(|error| {
            Diagnostic::new(Code::Unwritable, marginswap_io::said(&error), "make room on the disk")
        })?;
        Ok(vec![staged.finish()?])
    }
}

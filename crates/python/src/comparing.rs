//! `verify` and `report`: two tables, or files, compared.

use std::path::PathBuf;

use marginswap_core::diagnostic::Diagnostic;
use marginswap_io::{Overwrite, PlanFile, Secrecy, publish_all};
use marginswap_pipeline::answer::{self, Reveal};
use marginswap_pipeline::compare::{Evidence, Lines, Triples};
use marginswap_pipeline::input::Given;
use marginswap_pipeline::outputs::{guard, stage};
use marginswap_pipeline::project::{self, Risk};
use marginswap_pipeline::refusal::Code;
use marginswap_pipeline::seed::SeedFrom;
use marginswap_pipeline::weights::write_margins;
use marginswap_pipeline::{job, pages};
use marginswap_report::pictures::triangle;
use pyo3::prelude::*;

use crate::answer::Answer;
use crate::frame::Frame;
use crate::jobs::Asked;
use crate::plan::Plan;
use crate::refusal::{OrRaise, raised};
use crate::work::carry_out;

/// The released table: in memory, or a file.
#[derive(FromPyObject)]
pub enum Released {
    /// In memory.
    Frame(Frame),
    /// A file.
    File(PathBuf),
}

impl Released {
    fn given(&self) -> Given<'_> {
        match self {
            Self::Frame(frame) => Given::Frame(&frame.0),
            Self::File(path) => Given::File(path),
        }
    }
}

/// How two tables are compared.
#[derive(FromPyObject)]
pub struct Terms {
    shuffled: bool,
    three_way: bool,
    reveal: bool,
    force: bool,
    margins: Option<PathBuf>,
}

/// Recounts everything from the two.
#[pyfunction]
pub fn verify(
    py: Python<'_>,
    asked: Asked<'_>,
    released: Released,
    terms: Terms,
) -> PyResult<Answer> {
    let project = asked.project(py, "verify")?;
    let (report, notes) = carry_out(py, &asked.how, move |run| {
        let evidence = Evidence {
            lines: Lines::told(terms.shuffled, &project),
            triples: if terms.three_way { Triples::Compared } else { Triples::Skipped },
            ..Evidence::default()
        };
        let comparison = job::compare(&project, released.given(), &evidence, run)?;
        if let Some(folder) = &terms.margins {
            write_margins(&comparison.original, folder, Overwrite::from_force(terms.force))?;
        }
        let mut report = answer::verify(&comparison);
        if terms.reveal {
            answer::reveal_published(&comparison, &mut report.published);
        }
        Ok(report)
    })?;
    Ok(Answer::new(&report, Some(&triangle::draw(&report.triangle())), notes))
}

/// How a page is made.
#[derive(FromPyObject)]
pub struct PageTerms {
    shuffled: bool,
    reveal: bool,
    force: bool,
    external: bool,
    seed_file: Option<PathBuf>,
    demo_seed: Option<u64>,
    out: Option<PathBuf>,
}

/// A release on one page; gives the answer and the page.
#[pyfunction]
#[pyo3(signature = (asked, released, terms, plan=None))]
pub fn report(
    py: Python<'_>,
    asked: Asked<'_>,
    released: Released,
    terms: PageTerms,
    plan: Option<&Plan>,
) -> PyResult<(Answer, String)> {
    let told = asked.project(py, "report")?;
    let plan = plan.map(|plan| {
        let named = plan.path.clone().unwrap_or_else(|| "PLAN".into());
        (named, plan.file.clone())
    });
    let project = project_of_plan(told, plan.as_ref(), terms.external)
        .map_err(|refusal| raised(py, &refusal))?;
    let ((answer, html, file), notes) = carry_out(py, &asked.how, move |run| {
        let overwrite = Overwrite::from_force(terms.force);
        if let Some(out) = &terms.out {
            let inputs = [terms.seed_file.as_deref()];
            guard(&[&project], &[Some(out)], &[], &inputs, overwrite, run)?;
        }
        let seed = match (&terms.seed_file, terms.demo_seed) {
            (None, None) => None,
            (Some(path), _) if !path.exists() => {
                let remedy = "name the seed file of the run that shuffled the table";
                let refusal = Diagnostic::new(Code::FileMissing, "no such file", remedy);
                return Err(refusal.in_file(path));
            }
            (path, demo) => Some(SeedFrom::flags(path.as_deref(), demo).choose(run)?.seed),
        };
        let planned = plan.as_ref().is_some_and(|(_, plan)| plan.header.not_for_release);
        let demo_seed = planned || terms.demo_seed.is_some();
        let evidence = Evidence {
            plan: plan.as_ref().map(|(path, plan)| (path, plan)),
            seed,
            lines: Lines::told(terms.shuffled, &project),
            demo_seed,
            ..Evidence::default()
        };
        let comparison = job::compare(&project, released.given(), &evidence, run)?;
        let (answer, html, secrecy) = match terms.external {
            true => {
                let page = pages::external(&comparison, demo_seed)?;
                (Answer::new(&page, None, vec![]), page.html(), Secrecy::Plain)
            }
            false => {
                let reveal = if terms.reveal { Reveal::Everything } else { Reveal::Counts };
                let page = pages::internal(&comparison, evidence.plan, reveal)?;
                (Answer::new(&page, None, vec![]), page.html(), Secrecy::Secret)
            }
        };
        let out = terms.out.as_ref();
        let file = out.map(|out| stage(out, overwrite, secrecy, html.as_bytes())).transpose()?;
        Ok((answer, html, file))
    })?;
    publish_all(file.into_iter().collect()).or_raise(py)?;
    Ok((answer.noted(notes), html))
}

/// What the plan says, then what the call says.
fn project_of_plan(
    told: project::Project,
    plan: Option<&(PathBuf, PlanFile)>,
    external: bool,
) -> Result<project::Project, Diagnostic> {
    let Some((path, plan)) = plan else { return Ok(told) };
    let base = project::Project::of_plan(plan).map_err(|refusal| refusal.in_file(path))?;
    if !external && told.risk.risky.is_none() && base.risk.risky.is_none() {
        let detail = "the plan protects the records that a file names, and does not hold that file";
        let remedy = "give `risky=\"records:FILE\"`";
        return Err(Diagnostic::new(Code::MissingSetting, detail, remedy).in_file(path));
    }
    let mut own = told.clone();
    if base.risk.risky.is_some() && own.risk.keys.is_empty() {
        // The plan says for whom it was made.
        own.risk = Risk::default();
    }
    Ok(base.merge(own).with_files_of(&told))
}

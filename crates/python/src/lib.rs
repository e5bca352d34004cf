//! The Python package: what Python says becomes a project and a table, what comes back becomes
//! Python objects. Everything between is `marginswap-pipeline`; this crate decides nothing.
//!
//! | file | converts |
//! |---|---|
//! | `refusal` | a refusal into an exception with code, place and remedy |
//! | `settings` | keyword arguments into a project, by the one table of settings |
//! | `frame` | an Arrow stream into a data frame; row numbers into an Arrow array |
//! | `work` | a job on a thread of its own: progress, Ctrl-C, our own bugs |
//! | `answer` | an answer into JSON, text and a picture |
//! | `plan` | a plan (SECRET), saved and loaded as the same plan file |
//! | `questions` | `inspect`, `graph`, `screen`, `explain`, `risk`, `demo` |
//! | `jobs` | `plan`, `protect`, `apply`, `frontier` |
//! | `engines` | the statements for an engine, and a plan from counted cells |
//! | `comparing` | `verify` and `report` |

mod answer;
mod comparing;
mod engines;
mod frame;
mod jobs;
mod plan;
mod questions;
mod refusal;
mod settings;
mod work;

use pyo3::prelude::*;

/// The native part of the package `marginswap`.
#[pymodule]
fn _marginswap(module: &Bound<'_, PyModule>) -> PyResult<()> {
    work::keep_our_panics_quiet();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<answer::Answer>()?;
    module.add_class::<engines::EngineJob>()?;
    module.add_class::<engines::Lines>()?;
    module.add_class::<engines::OnCells>()?;
    module.add_class::<engines::Statements>()?;
    module.add_class::<frame::CellReader>()?;
    module.add_class::<frame::Frame>()?;
    module.add_class::<frame::RowNumbers>()?;
    module.add_class::<jobs::Made>()?;
    module.add_class::<plan::Plan>()?;
    module.add_class::<settings::Project>()?;
    module.add_function(wrap_pyfunction!(refusal::refused, module)?)?;
    module.add_function(wrap_pyfunction!(settings::settings, module)?)?;
    module.add_function(wrap_pyfunction!(questions::inspect, module)?)?;
    module.add_function(wrap_pyfunction!(questions::graph, module)?)?;
    module.add_function(wrap_pyfunction!(questions::screen, module)?)?;
    module.add_function(wrap_pyfunction!(questions::explain, module)?)?;
    module.add_function(wrap_pyfunction!(questions::explain_code, module)?)?;
    module.add_function(wrap_pyfunction!(questions::risk, module)?)?;
    module.add_function(wrap_pyfunction!(questions::csv_header, module)?)?;
    module.add_function(wrap_pyfunction!(questions::demo, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::plan, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::frontier, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::protect_file, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::protect_frame, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::apply_file, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::apply_frame, module)?)?;
    module.add_function(wrap_pyfunction!(engines::plan_cells, module)?)?;
    module.add_function(wrap_pyfunction!(engines::protect_lines, module)?)?;
    module.add_function(wrap_pyfunction!(engines::apply_lines, module)?)?;
    module.add_function(wrap_pyfunction!(comparing::verify, module)?)?;
    module.add_function(wrap_pyfunction!(comparing::report, module)?)?;
    Ok(())
}

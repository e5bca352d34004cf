//! A plan (SECRET), saved and loaded as the same plan file.

use std::path::PathBuf;

use marginswap_io::{Overwrite, PlanFile, Seal, Secrecy, plan_bytes_sealed, publish_all};
use marginswap_pipeline::outputs::stage;
use marginswap_pipeline::seal::SealFrom;
use pyo3::prelude::*;

use crate::refusal::OrRaise;

/// Swaps that are decided and not yet done. SECRET: anyone who has it can undo the swaps.
#[pyclass(frozen, module = "marginswap")]
pub struct Plan {
    /// The plan with what it was made from.
    pub file: PlanFile,
    /// Where it was read from.
    pub path: Option<PathBuf>,
}

#[pymethods]
impl Plan {
    /// Reads a plan file; with a seal file its seal must fit.
    #[staticmethod]
    #[pyo3(signature = (path, seal_file=None))]
    fn load(py: Python<'_>, path: PathBuf, seal_file: Option<PathBuf>) -> PyResult<(Self, bool)> {
        let key = SealFrom(seal_file).for_reading().or_raise(py)?;
        let (file, seal) = marginswap_io::read_plan_sealed(&path, key.as_ref()).or_raise(py)?;
        Ok((Self { file, path: Some(path) }, seal == Seal::Unchecked))
    }

    /// Writes the plan file, which its owner alone can read.
    #[pyo3(signature = (path, force=false, seal_file=None))]
    fn save(
        &self,
        py: Python<'_>,
        path: PathBuf,
        force: bool,
        seal_file: Option<PathBuf>,
    ) -> PyResult<()> {
        let sealing = SealFrom(seal_file).for_planning().or_raise(py)?;
        let bytes = plan_bytes_sealed(&self.file, sealing.key.as_ref());
        let overwrite = Overwrite::from_force(force);
        let staged = stage(&path, overwrite, Secrecy::Secret, &bytes).or_raise(py)?;
        let files = sealing.new_file.into_iter().chain([staged]).collect();
        publish_all(files).or_raise(py)
    }

    /// The numbers of the plan, as JSON.
    #[getter]
    fn json(&self) -> String {
        self.file.header.summary.to_string()
    }

    #[getter]
    fn records(&self) -> u64 {
        self.file.header.records
    }

    #[getter]
    fn columns(&self) -> Vec<String> {
        self.file.header.columns.clone()
    }

    /// The column that names the records, where one was named.
    #[getter]
    fn id_column(&self) -> Option<&str> {
        self.file.header.parameters.get("id")?.as_str()
    }

    #[getter]
    fn not_for_release(&self) -> bool {
        self.file.header.not_for_release
    }

    /// Do two plans make the same swaps?
    fn same_swaps(&self, other: &Self) -> bool {
        self.file.plan == other.file.plan
    }
}

//! An Arrow stream into a data frame, and row numbers into an Arrow array.
//!
//! The stream is read once, through the Arrow PyCapsule interface; the unsafe code for that is in
//! `arrow-pyarrow`. Nothing is copied but what becomes categories and codes.

use std::sync::Arc;

use arrow_array::ffi::to_ffi;
use arrow_array::ffi_stream::RecordBatchStreamReader;
use arrow_array::{Array, RecordBatch, RecordBatchReader, UInt32Array};
use arrow_pyarrow::FromPyArrow;
use marginswap_core::diagnostic::Diagnostic;
use marginswap_pipeline::refusal::Code;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::refusal::OrRaise;

/// A table that Python holds, as categories and codes.
#[pyclass(frozen, from_py_object, module = "marginswap")]
#[derive(Clone)]
pub struct Frame(pub marginswap_io::Frame);

#[pymethods]
impl Frame {
    /// Reads an object with `__arrow_c_stream__`; `label` is what messages call it.
    #[new]
    fn new(py: Python<'_>, label: String, stream: &Bound<'_, PyAny>) -> PyResult<Self> {
        let reader = RecordBatchStreamReader::from_pyarrow_bound(stream)?;
        let schema = reader.schema();
        let read = py.detach(move || {
            // The producer's words may hold a value.
            let batches: Result<Vec<RecordBatch>, _> = reader.collect();
            let batches = batches.map_err(|_| {
                let detail = "the library that holds the table cannot hand it over";
                let remedy = "look at the table with that library, or write it to a file";
                Diagnostic::new(Code::Unreadable, detail, remedy).in_file(&label)
            })?;
            marginswap_io::Frame::of_batches(&label, &schema, &batches)
        });
        read.or_raise(py).map(Self)
    }

    #[getter]
    fn names(&self) -> Vec<String> {
        self.0.names().to_vec()
    }

    #[getter]
    fn records(&self) -> usize {
        self.0.records()
    }
}

/// For each released record, the number of the record whose value it takes (SECRET).
#[pyclass(frozen, module = "marginswap")]
pub struct RowNumbers {
    from: Arc<[u32]>,
}

impl RowNumbers {
    /// These numbers.
    pub fn new(from: Arc<[u32]>) -> Self {
        Self { from }
    }
}

#[pymethods]
impl RowNumbers {
    fn __len__(&self) -> usize {
        self.from.len()
    }

    fn __repr__(&self) -> String {
        format!("RowNumbers(SECRET: {} records)", self.from.len())
    }

    /// The numbers as an Arrow array of 32 bits without sign.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        // A consumer that asks for another type casts what it gets.
        drop(requested_schema);
        let array = UInt32Array::from_iter_values(self.from.iter().copied());
        let (array, schema) = to_ffi(&array.to_data())
            .map_err(|_| PyRuntimeError::new_err("numbers cannot be handed over"))?;
        Ok((
            PyCapsule::new_with_value(py, schema, c"arrow_schema")?,
            PyCapsule::new_with_value(py, array, c"arrow_array")?,
        ))
    }
}

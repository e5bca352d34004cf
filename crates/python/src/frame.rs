//! An Arrow stream into a data frame, and row numbers into an Arrow array.
//!
//! The stream is read once, through the Arrow PyCapsule interface; the unsafe code for that is in
//! `arrow-pyarrow`. Nothing is copied but what becomes categories and codes, and of a batch that
//! was read nothing else is kept.

use std::num::NonZeroUsize;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::ffi::to_ffi;
use arrow_array::ffi_stream::RecordBatchStreamReader;
use arrow_array::types::UInt32Type;
use arrow_array::{Array, RecordBatch, RecordBatchReader, UInt32Array};
use arrow_pyarrow::FromPyArrow;
use arrow_schema::Schema;
use marginswap_core::diagnostic::Diagnostic;
use marginswap_io::FrameBuilder;
use marginswap_pipeline::refusal::Code;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::refusal::OrRaise;
use crate::work::Threads;

/// A table that Python holds, as categories and codes.
#[pyclass(frozen, from_py_object, module = "marginswap")]
#[derive(Clone)]
pub struct Frame(pub marginswap_io::Frame);

#[pymethods]
impl Frame {
    /// Reads an object with `__arrow_c_stream__`; `label` is what messages call it.
    #[new]
    #[pyo3(signature = (label, stream, threads=None))]
    fn new(
        py: Python<'_>,
        label: String,
        stream: &Bound<'_, PyAny>,
        threads: Option<NonZeroUsize>,
    ) -> PyResult<Self> {
        let reader = RecordBatchStreamReader::from_pyarrow_bound(stream)?;
        let threads = Threads::start(threads).or_raise(py)?;
        let read = move || {
            let mut frame = FrameBuilder::new(&label, &reader.schema());
            for batch in reader {
                // The producer's words may hold a value.
                let batch = batch.map_err(|_| {
                    let detail = "the library that holds the table cannot hand it over";
                    let remedy = "look at the table with that library, or write it to a file";
                    Diagnostic::new(Code::Unreadable, detail, remedy).in_file(&label)
                })?;
                frame.add(&batch)?;
            }
            frame.finish()
        };
        py.detach(move || threads.carry_out(read)).or_raise(py).map(Self)
    }

    #[getter]
    fn names(&self) -> Vec<String> {
        self.0.names().to_vec()
    }

    #[getter]
    fn records(&self) -> usize {
        self.0.records()
    }

    /// The codes of all columns of counted cells, line by line in the order of their contents.
    fn by_contents(&self, py: Python<'_>) -> PyResult<Vec<RowNumbers>> {
        let order = self.0.by_contents().or_raise(py)?;
        let codes = |column| RowNumbers::new(self.0.codes(column, &order).into());
        Ok((0..self.0.names().len()).map(codes).collect())
    }
}

/// Counted cells that are read batch by batch. The last column is how many records each cell has.
#[pyclass(module = "marginswap")]
pub struct CellReader(Option<Reading>);

struct Reading {
    frame: FrameBuilder,
    counts: Vec<u32>,
    threads: Threads,
}

#[pymethods]
impl CellReader {
    /// Cells of these columns, none yet; `label` is what messages call them.
    #[new]
    #[pyo3(signature = (label, schema, threads=None))]
    fn new(
        py: Python<'_>,
        label: &str,
        schema: &Bound<'_, PyAny>,
        threads: Option<NonZeroUsize>,
    ) -> PyResult<Self> {
        let schema = Schema::from_pyarrow_bound(schema)?;
        let cell = schema.project(&(0..schema.fields().len() - 1).collect::<Vec<_>>());
        let cell = cell.map_err(|_| PyRuntimeError::new_err("cells have a column of counts"))?;
        let threads = Threads::start(threads).or_raise(py)?;
        let frame = FrameBuilder::new(label, &cell);
        Ok(Self(Some(Reading { frame, counts: Vec::new(), threads })))
    }

    /// Adds a batch, whose counts have 32 bits without sign; gives for each column the rows in
    /// which values are that no row before them had.
    fn add(&mut self, py: Python<'_>, batch: &Bound<'_, PyAny>) -> PyResult<Vec<RowNumbers>> {
        let batch = RecordBatch::from_pyarrow_bound(batch)?;
        let Reading { frame, counts, threads } = self.0.as_mut().ok_or_else(read_to_the_end)?;
        let met = py.detach(|| {
            let own = batch.columns().last().and_then(|last| last.as_primitive_opt::<UInt32Type>());
            counts.extend_from_slice(own.expect("counts have 32 bits without sign").values());
            threads.carry_out(|| frame.add_noting(&batch))
        });
        let met = met.or_raise(py)?.into_iter();
        Ok(met.map(|rows| RowNumbers::new(rows.into())).collect())
    }

    /// The cells.
    fn finish(&mut self, py: Python<'_>) -> PyResult<Frame> {
        let reading = self.0.take().ok_or_else(read_to_the_end)?;
        let frame = py.detach(move || {
            let Reading { frame, counts, threads } = reading;
            threads.carry_out(|| Ok(frame.finish()?.counted(counts.into())))
        });
        frame.or_raise(py).map(Frame)
    }
}

fn read_to_the_end() -> PyErr {
    PyRuntimeError::new_err("these cells were read to the end")
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

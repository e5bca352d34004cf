//! A data frame: columns that another program holds in memory.
//!
//! A frame takes the place of a file: it has names, and its columns are read as categories and
//! codes. Nothing of it lies on disk, so it has no bytes; its sum is that of its contents (names,
//! categories in the order of first appearance, codes), and does not depend on the types that the
//! other program uses. A plan for a frame therefore fits every frame with the same contents.
//!
//! A frame may be a table of counted cells: each of its lines is then as many records as were
//! counted elsewhere ([`Frame::counted`]).
//!
//! Edge case: a column that has no categories (floating-point numbers) is refused when it is
//! wanted, not before: it may be one that takes no part.
//!
//! Way in: [`Frame::of_batches`], or [`Frame::new`] for columns that are codes already; then
//! [`Source::of_frame`](crate::Source::of_frame).

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use marginswap_core::columns::{Column, ColumnBuilder};
use marginswap_core::diagnostic::Diagnostic;
use sha2::{Digest, Sha256};

use crate::digest::{FileDigest, hex};
use crate::header;
use crate::refusal::Code;
use crate::source::{Sample, Table};

/// A data frame. Copies of it share the columns.
#[derive(Clone)]
pub struct Frame {
    held: Arc<Held>,
    /// How many records each line is, where that was counted.
    counts: Option<Arc<[u32]>>,
}

struct Held {
    label: PathBuf,
    names: Vec<String>,
    columns: Vec<Result<Column, Diagnostic>>,
    records: usize,
}

impl Frame {
    /// The frame of these columns; `label` is what messages call it. A column that cannot be used
    /// is given with its refusal.
    ///
    /// # Errors
    /// Names that cannot be used, or no record.
    pub fn new(
        label: &str,
        names: Vec<String>,
        columns: Vec<Result<Column, Diagnostic>>,
        records: usize,
    ) -> Result<Self, Diagnostic> {
        let label = PathBuf::from(label);
        header::check_names(&names).map_err(|bad| bad.diagnostic.in_file(&label))?;
        if records == 0 {
            let detail = "the table has columns but no records";
            let refusal = Diagnostic::new(Code::NoRecords, detail, "give a table that has records");
            return Err(refusal.in_file(&label));
        }
        let fits = |column: &Result<Column, Diagnostic>| {
            column.as_ref().map_or(true, |column| column.len() == records)
        };
        assert!(columns.len() == names.len() && columns.iter().all(fits), "one value each");
        Ok(Self { held: Arc::new(Held { label, names, columns, records }), counts: None })
    }

    /// The same lines, each of which is this many records.
    ///
    /// # Panics
    /// When there is not a count for each line.
    #[must_use]
    pub fn counted(self, counts: Arc<[u32]>) -> Self {
        assert_eq!(self.records(), counts.len(), "every line has a count");
        Self { counts: Some(counts), ..self }
    }

    /// How many records each line is; nothing where each is one.
    #[must_use]
    pub fn counts(&self) -> Option<&Arc<[u32]>> {
        self.counts.as_ref()
    }

    /// What messages call it.
    #[must_use]
    pub fn label(&self) -> &Path {
        &self.held.label
    }

    /// The names of its columns.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.held.names
    }

    /// How many records it has.
    #[must_use]
    pub fn records(&self) -> usize {
        self.held.records
    }

    /// The wanted columns.
    ///
    /// # Errors
    /// A wanted column that has no categories.
    ///
    /// # Panics
    /// When `wanted` has not one entry for each column.
    pub(crate) fn read(&self, wanted: &[bool], sample: &Sample) -> Result<Table, Diagnostic> {
        let Held { names, columns, records, label } = &*self.held;
        assert_eq!(wanted.len(), names.len(), "one entry of `wanted` for each column");
        let mut read: Vec<Option<Column>> = Vec::with_capacity(names.len());
        for (position, (column, &wanted)) in columns.iter().zip(wanted).enumerate() {
            read.push(match (column, wanted) {
                (_, false) => None,
                (Ok(column), true) => Some(column.clone()),
                (Err(refusal), true) => {
                    let refusal = refusal.clone().in_file(label);
                    return Err(refusal.in_column(header::titled(position, names)));
                }
            });
        }
        let looks_like_a_record = header::is_a_record(names, &read);
        let digest = sum(names, &read);
        let sampled = columns.iter().zip(&sample.columns).map(|(column, &sampled)| {
            let column = column.as_ref().ok().filter(|_| sampled)?;
            Some(every(sample.step, column))
        });
        let samples = sampled.collect();
        let (records, written) = (*records, None);
        Ok(Table { columns: read, samples, records, digest, looks_like_a_record, written })
    }
}

/// The records of a column at equal distances.
pub(crate) fn every(step: usize, column: &Column) -> Column {
    let mut sample = ColumnBuilder::default();
    column.for_each_code(|record, code| {
        if record % step == 0 {
            match column.dictionary().category(code) {
                Some(category) => sample.push(category),
                None => sample.push_null(),
            }
        }
    });
    sample.finish()
}

/// The sum of some columns' contents.
fn sum(names: &[String], columns: &[Option<Column>]) -> FileDigest {
    let mut sum = Summed { hasher: Sha256::new(), bytes: 0 };
    sum.add(b"marginswap frame 1\n");
    for (name, column) in names.iter().zip(columns) {
        sum.add_sized(name.as_bytes());
        let Some(column) = column else { continue };
        let levels = u32::try_from(column.dictionary().levels()).expect("codes have four bytes");
        sum.add(&levels.to_le_bytes());
        for code in 0..levels {
            match column.dictionary().category(code) {
                Some(category) => sum.add_sized(category),
                None => sum.add(&u64::MAX.to_le_bytes()),
            }
        }
        let mut codes = Vec::with_capacity(column.len());
        let width = match levels {
            0..=0x100 => 1,
            0x101..=0x1_0000 => 2,
            _ => 4,
        };
        column.for_each_code(|_, code| codes.extend_from_slice(&code.to_le_bytes()[..width]));
        sum.add(&codes);
    }
    FileDigest { sha256: hex(&sum.hasher.finalize()), bytes: sum.bytes }
}

struct Summed {
    hasher: Sha256,
    bytes: u64,
}

impl Summed {
    fn add(&mut self, bytes: &[u8]) {
        self.hasher.update(bytes);
        self.bytes += bytes.len() as u64;
    }

    fn add_sized(&mut self, bytes: &[u8]) {
        self.add(&(bytes.len() as u64).to_le_bytes());
        self.add(bytes);
    }
}

/// Two frames are the same when they share their columns.
impl PartialEq for Frame {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.held, &other.held) && self.counts == other.counts
    }
}

impl fmt::Debug for Frame {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Frame({} records, {} columns)", self.held.records, self.held.names.len())
    }
}

#[cfg(feature = "parquet")]
mod batches {
    use arrow_array::RecordBatch;
    use arrow_schema::{Field, Schema};
    use marginswap_core::columns::{Column, ColumnBuilder};
    use marginswap_core::diagnostic::{Diagnostic, grouped};
    use rayon::prelude::*;

    use super::Frame;
    use crate::arrow::{push_all, refused};
    use crate::refusal::Code;

    impl Frame {
        /// The frame of some record batches.
        ///
        /// # Errors
        /// As [`Frame::new`], and more records than can be numbered.
        pub fn of_batches(
            label: &str,
            schema: &Schema,
            batches: &[RecordBatch],
        ) -> Result<Self, Diagnostic> {
            let names = schema.fields().iter().map(|field| field.name().clone()).collect();
            let records: usize = batches.iter().map(RecordBatch::num_rows).sum();
            if u32::try_from(records).is_err() {
                return Err(Diagnostic::new(
                    Code::TooManyRecords,
                    format!("the table has {} records", grouped(records as u64)),
                    "give it to an engine (docs/engines.md), which counts and rewrites it",
                )
                .in_file(label));
            }
            let fields: Vec<&Field> = schema.fields().iter().map(AsRef::as_ref).collect();
            let columns = fields.par_iter().enumerate();
            let columns = columns.map(|(position, field)| column(field, position, batches));
            Self::new(label, names, columns.collect(), records)
        }
    }

    fn column(
        field: &Field,
        position: usize,
        batches: &[RecordBatch],
    ) -> Result<Column, Diagnostic> {
        let kind = field.data_type();
        if let Some(refusal) = refused(kind) {
            return Err(match kind.is_floating() {
                true => Diagnostic { remedy: BAND.to_owned(), ..refusal },
                false => refusal,
            });
        }
        let mut column = ColumnBuilder::default();
        for batch in batches {
            push_all(&mut column, batch.column(position));
        }
        Ok(column.finish())
    }

    const BAND: &str = "band it (text or integers), or ignore the column; whole numbers with gaps \
                        are `Int64` in pandas";
}

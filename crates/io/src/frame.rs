//! A data frame: columns that another program holds in memory.
//!
//! A frame takes the place of a file: it has names, and its columns are read as categories and
//! codes. Nothing of it lies on disk, so it has no bytes; its sum is that of its contents (names,
//! categories in the order of first appearance, codes), and does not depend on the types that the
//! other program uses. A plan for a frame therefore fits every frame with the same contents.
//!
//! A frame may be a table of counted cells: each of its lines is then as many records as were
//! counted elsewhere ([`counted`]).
//!
//! Edge case: a column that has no categories (floating-point numbers) is refused when it is
//! wanted, not before: it may be one that takes no part.
//!
//! Way in: [`FrameBuilder`], batch by batch, or [`Frame::new`] for columns that are codes already;
//! then [`Source::of_frame`](crate::Source::of_frame).

pub mod counted;
pub mod unfolded;

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

    /// Have both the same names and the same categories line by line?
    #[must_use]
    pub fn same_contents(&self, other: &Self) -> bool {
        let sum_of = |frame: &Self| {
            let columns = frame.held.columns.iter().map(|column| column.as_ref().ok().cloned());
            sum(frame.names(), &columns.collect::<Vec<_>>())
        };
        sum_of(self) == sum_of(other)
    }

    /// The wanted columns.
    ///
    /// # Errors
    /// A wanted column that has no categories.
    ///
    /// # Panics
    /// When `wanted` does not have one entry for each column.
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
        let looks_like_a_record =
            !header::are_positions(names) && header::is_a_record(names, &read);
        let digest = Some(sum(names, &read));
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
pub use batches::FrameBuilder;

#[cfg(feature = "parquet")]
mod batches {
    use arrow_array::RecordBatch;
    use arrow_schema::{Field, Schema};
    use marginswap_core::columns::ColumnBuilder;
    use marginswap_core::diagnostic::{Diagnostic, grouped};
    use rayon::prelude::*;

    use super::Frame;
    use crate::arrow::{push_all, refused};
    use crate::refusal::Code;

    /// A frame that is read batch by batch; a batch that was read is not needed any more.
    pub struct FrameBuilder {
        label: String,
        names: Vec<String>,
        columns: Vec<Result<ColumnBuilder, Diagnostic>>,
        records: usize,
    }

    impl FrameBuilder {
        /// A frame of these columns, without a record yet.
        #[must_use]
        pub fn new(label: &str, schema: &Schema) -> Self {
            let fields = schema.fields().iter();
            Self {
                label: label.to_owned(),
                names: fields.clone().map(|field| field.name().clone()).collect(),
                columns: fields.map(|field| column(field)).collect(),
                records: 0,
            }
        }

        /// Adds the records of a batch.
        ///
        /// # Errors
        /// More records than can be numbered.
        pub fn add(&mut self, batch: &RecordBatch) -> Result<(), Diagnostic> {
            self.records += batch.num_rows();
            if u32::try_from(self.records).is_err() {
                return Err(Diagnostic::new(
                    Code::TooManyRecords,
                    format!("the table has {} records or more", grouped(self.records as u64)),
                    "give it to an engine (docs/engines.md), which counts and rewrites it",
                )
                .in_file(&self.label));
            }
            self.columns.par_iter_mut().zip(batch.columns()).for_each(|(column, values)| {
                if let Ok(column) = column {
                    push_all(column, values);
                }
            });
            Ok(())
        }

        /// As [`FrameBuilder::add`]; gives for each column where in the batch the categories are
        /// that no batch before had, in the order of their codes.
        ///
        /// # Errors
        /// As there.
        pub fn add_noting(&mut self, batch: &RecordBatch) -> Result<Vec<Vec<u32>>, Diagnostic> {
            let from = self.records;
            let known: Vec<usize> = self.columns.iter().map(levels).collect();
            self.add(batch)?;
            let columns = self.columns.iter().zip(known);
            Ok(columns
                .map(|(column, known)| match column {
                    Ok(column) => column.first_met(known, from),
                    Err(_) => Vec::new(),
                })
                .collect())
        }

        /// The frame.
        ///
        /// # Errors
        /// As [`Frame::new`].
        pub fn finish(self) -> Result<Frame, Diagnostic> {
            let Self { label, names, columns, records } = self;
            let columns = columns.into_par_iter().map(|column| Ok(column?.finish()));
            Frame::new(&label, names, columns.collect(), records)
        }
    }

    fn levels(column: &Result<ColumnBuilder, Diagnostic>) -> usize {
        column.as_ref().map_or(0, ColumnBuilder::levels)
    }

    /// A column without a record yet, or the refusal of its type.
    fn column(field: &Field) -> Result<ColumnBuilder, Diagnostic> {
        let kind = field.data_type();
        match refused(kind) {
            None => Ok(ColumnBuilder::default()),
            Some(refusal) if kind.is_floating() => {
                Err(Diagnostic { remedy: BAND.to_owned(), ..refusal })
            }
            Some(refusal) => Err(refusal),
        }
    }

    const BAND: &str = "band it (text or integers), or ignore the column; whole numbers with gaps \
                        are `Int64` in pandas";
}

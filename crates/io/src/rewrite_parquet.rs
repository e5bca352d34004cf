//! A Parquet file once more, with the swaps done: same schema, same row groups.
//!
//! A column that no swap touches is copied as it lies in the file, byte for byte. A touched
//! column is read as codes, its codes are exchanged, and it is written again with its own
//! physical type, its compression and, if it had one, a dictionary. No value passes through
//! another type on the way, so decimals, legacy timestamps and the like stay what they are.
//! Names and types of the schema are those of the input.
//!
//! A new order touches every column. Memory holds one to four bytes for each record of each touched
//! column and the distinct values; the input is read once, the columns side by side.
//!
//! Trap: metadata may hold anything, unseen: the columns that are left out (`pandas`, those
//! of Spark), where the file came from, notes of its author. Only the Arrow schema is
//! released, written again for the columns that remain and without the metadata of its
//! fields.
//!
//! Edge cases: a sorting order, page indexes and Bloom filters describe the input and are
//! not carried over. A column of lists or structures is copied or left out; it cannot be put
//! in a new order.
//!
//! Way in: [`rewrite`].

use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;

use arrow_schema::{DataType as ArrowType, Field, FieldRef, Metadata, Schema};
use marginswap_core::columns::{Column, ColumnBuilder};
use marginswap_core::diagnostic::Diagnostic;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::arrow::{ARROW_SCHEMA_META_KEY, add_encoded_arrow_schema_to_metadata};
use parquet::basic::Type as PhysicalType;
use parquet::column::reader::ColumnReaderImpl;
use parquet::column::writer::ColumnCloseResult;
use parquet::data_type::{
    AsBytes, BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FixedLenByteArray,
    FixedLenByteArrayType, FloatType, Int32Type, Int64Type, Int96, Int96Type,
};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::serialized_reader::SerializedPageReader;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{ColumnDescriptor, Type, TypePtr};
use rayon::prelude::*;

use crate::atomic::unwritable;
use crate::header;
use crate::parquet::{Chunks, ParquetReader, damaged};
use crate::quiet::quietly;
use crate::rewrite::{Exchanges, ReleaseOptions, RewriteCounts, check_order};

/// A column after the exchanges, and the entries that change it.
type Touched = Result<(Column, Vec<usize>), Diagnostic>;

/// Calls a function for the physical type.
macro_rules! for_type {
    ($kind:expr, $function:ident($($argument:expr),*)) => {
        match $kind {
            PhysicalType::BOOLEAN => $function::<BoolType>($($argument),*),
            PhysicalType::INT32 => $function::<Int32Type>($($argument),*),
            PhysicalType::INT64 => $function::<Int64Type>($($argument),*),
            PhysicalType::INT96 => $function::<Int96Type>($($argument),*),
            PhysicalType::FLOAT => $function::<FloatType>($($argument),*),
            PhysicalType::DOUBLE => $function::<DoubleType>($($argument),*),
            PhysicalType::BYTE_ARRAY => $function::<ByteArrayType>($($argument),*),
            PhysicalType::FIXED_LEN_BYTE_ARRAY => {
                $function::<FixedLenByteArrayType>($($argument),*)
            }
        }
    };
}

/// Records that are decoded at once.
const BATCH: usize = 1 << 13;

/// Writes a Parquet file with the swaps done.
pub(crate) fn rewrite(
    reader: &ParquetReader,
    plan: &Exchanges,
    release: &ReleaseOptions,
    out: &mut (dyn Write + Send),
) -> Result<RewriteCounts, Diagnostic> {
    plan.check_records(reader.records)?;
    if let Some(order) = &release.order {
        check_order(order, reader.records)?;
    }
    let mut counts = RewriteCounts { records: reader.records, ..RewriteCounts::default() };
    let touched = touched_columns(reader, plan, release, &mut counts)?;
    let mut noting = Noting { out, failed: None };
    match quietly(|| write(reader, &touched, release, &mut noting)) {
        Some(Ok(())) => {
            reader.file.check_unchanged()?;
            Ok(counts)
        }
        _ => Err(match noting.failed {
            Some(error) => unwritable(&error),
            None => damaged("a column cannot be copied"),
        }),
    }
}

/// The output, which notes what the operating system says.
struct Noting<'a> {
    out: &'a mut (dyn Write + Send),
    failed: Option<io::Error>,
}

impl Noting<'_> {
    fn note<T>(&mut self, result: io::Result<T>) -> io::Result<T> {
        result.inspect_err(|error| {
            let copy = match error.raw_os_error() {
                Some(number) => io::Error::from_raw_os_error(number),
                None => error.kind().into(),
            };
            if error.kind() != io::ErrorKind::Interrupted {
                self.failed.get_or_insert(copy);
            }
        })
    }
}

impl Write for Noting<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes);
        self.note(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.out.flush();
        self.note(flushed)
    }
}

/// The columns that are written anew, swapped and in their new order; `None` for those that
/// are copied or left out.
fn touched_columns(
    reader: &ParquetReader,
    plan: &Exchanges,
    release: &ReleaseOptions,
    counts: &mut RewriteCounts,
) -> Result<Vec<Option<Column>>, Diagnostic> {
    let columns = reader.columns().len();
    let mut is_touched = vec![release.order.is_some(); columns];
    for exchange in &plan.entries {
        exchange.exchanged.iter().for_each(|&column| is_touched[column] = true);
    }
    // Column by column on all cores; the first that cannot be read is refused.
    let touch = |position: usize| -> Result<(Column, Vec<usize>), Diagnostic> {
        let column = reader
            .check_flat(position)
            .and_then(|()| reader.check_chunks(position))
            .and_then(|()| read_column(reader, position))
            .map_err(|refusal| refusal.in_column(header::titled(position, reader.columns())))?;
        let mut changed = Vec::new();
        let mut takes: Vec<(usize, usize)> = Vec::new();
        for (number, exchange) in plan.entries.iter().enumerate() {
            let Ok(nth) = exchange.exchanged.binary_search(&position) else { continue };
            let record = exchange.record.position();
            let giver = plan.entries[exchange.giver(nth)].record.position();
            if column.code(record) != column.code(giver) {
                changed.push(number);
                takes.push((record, giver));
            }
        }
        let column = column.exchanged(&takes);
        let column = match &release.order {
            Some(order) => column.of_records(order.iter().map(|&record| record as usize)),
            None => column,
        };
        Ok((column, changed))
    };
    let is_written = |position: usize| is_touched[position] && !release.drop.contains(&position);
    // All are waited for, so that the first of several refusals is told.
    let found: Vec<Option<Touched>> = (0..columns)
        .into_par_iter()
        .map(|position| is_written(position).then(|| touch(position)))
        .collect();
    let mut is_changed = vec![false; plan.entries.len()];
    let mut touched = Vec::with_capacity(columns);
    for column in found {
        touched.push(column.transpose()?.map(|(column, changed)| {
            counts.cells_changed += changed.len() as u64;
            changed.iter().for_each(|&entry| is_changed[entry] = true);
            column
        }));
    }
    counts.records_changed = is_changed.iter().filter(|changed| **changed).count() as u64;
    Ok(touched)
}

fn write(
    reader: &ParquetReader,
    touched: &[Option<Column>],
    release: &ReleaseOptions,
    out: &mut Noting<'_>,
) -> Result<(), ParquetError> {
    let is_kept = |column: usize| !release.drop.contains(&column);
    let metadata = reader.description.metadata();
    let parquet_schema = metadata.file_metadata().schema_descr();
    let root = parquet_schema.root_schema_ptr();
    let schema = if release.drop.is_empty() { root } else { without(&root, is_kept)? };
    let properties = Arc::new(properties(reader, touched, is_kept));
    let mut writer = SerializedFileWriter::new(out, schema, properties)?;
    let mut start = 0;
    for row_group in metadata.row_groups() {
        let rows = usize::try_from(row_group.num_rows())?;
        let mut group = writer.next_row_group()?;
        for (leaf, chunk) in row_group.columns().iter().enumerate() {
            let position = parquet_schema.get_column_root_idx(leaf);
            if !is_kept(position) {
                continue;
            }
            match &touched[position] {
                Some(column) => {
                    let (kind, records) = (chunk.column_type(), start..start + rows);
                    let nulls = Nulls::of(chunk.column_descr());
                    for_type!(kind, write_column(&mut group, nulls, column, records))?;
                }
                None => {
                    let untouched = ColumnCloseResult {
                        bytes_written: u64::try_from(chunk.compressed_size())?,
                        rows_written: rows as u64,
                        metadata: chunk.clone(),
                        bloom_filter: None,
                        column_index: None,
                        offset_index: None,
                    };
                    group.append_column(&Chunks(reader.file.clone()), untouched)?;
                }
            }
        }
        group.close()?;
        start += rows;
    }
    writer.close()?;
    Ok(())
}

/// The schema without the columns that are left out.
fn without(root: &Type, is_kept: impl Fn(usize) -> bool) -> Result<TypePtr, ParquetError> {
    let fields = root.get_fields().iter().enumerate();
    let kept = fields.filter(|(column, _)| is_kept(*column)).map(|(_, field)| Arc::clone(field));
    let schema = Type::group_type_builder(root.name()).with_fields(kept.collect()).build()?;
    Ok(Arc::new(schema))
}

/// How the touched columns are packed, and the metadata of the file.
fn properties(
    reader: &ParquetReader,
    touched: &[Option<Column>],
    is_kept: impl Fn(usize) -> bool,
) -> WriterProperties {
    let metadata = reader.description.metadata();
    let mut builder = WriterProperties::builder()
        .set_created_by(concat!("marginswap version ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_max_row_group_row_count(None)
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_offset_index_disabled(true);
    for position in (0..touched.len()).filter(|&position| touched[position].is_some()) {
        let leaf = reader.leaf(position);
        if let Some(row_group) = metadata.row_groups().first() {
            let chunk = row_group.column(leaf);
            let path = chunk.column_path().clone();
            builder = builder
                .set_column_compression(path.clone(), chunk.compression())
                .set_column_dictionary_enabled(path, chunk.dictionary_page_offset().is_some());
        }
    }
    let entries = metadata.file_metadata().key_value_metadata();
    let mut properties = builder.build();
    let has_arrow =
        entries.is_some_and(|entries| entries.iter().any(|e| e.key == ARROW_SCHEMA_META_KEY));
    let options = ArrowReaderOptions::new();
    let described = ArrowReaderMetadata::try_new(Arc::clone(metadata), options);
    if let (true, Ok(described)) = (has_arrow, described) {
        let fields = described.schema().fields().iter().enumerate();
        let kept = fields.filter(|(column, _)| is_kept(*column));
        let kept: Vec<_> = kept.map(|(_, field)| bare(field)).collect();
        add_encoded_arrow_schema_to_metadata(&Schema::new(kept), &mut properties);
    }
    properties
}

/// A field without metadata, and so the fields inside it.
fn bare(field: &FieldRef) -> FieldRef {
    let kind = match field.data_type() {
        ArrowType::List(inner) => ArrowType::List(bare(inner)),
        ArrowType::LargeList(inner) => ArrowType::LargeList(bare(inner)),
        ArrowType::FixedSizeList(inner, size) => ArrowType::FixedSizeList(bare(inner), *size),
        ArrowType::Map(inner, sorted) => ArrowType::Map(bare(inner), *sorted),
        ArrowType::Struct(inner) => ArrowType::Struct(inner.iter().map(bare).collect()),
        kind => kind.clone(),
    };
    let field = Field::clone(field).with_metadata(Metadata::default());
    Arc::new(field.with_data_type(kind))
}

/// A physical type whose values are known again by their bytes.
trait Physical: DataType {
    /// The value with these bytes, as [`AsBytes`] gives them.
    fn value(bytes: &[u8]) -> Self::T;
}

impl Physical for BoolType {
    fn value(bytes: &[u8]) -> bool {
        bytes != [0]
    }
}

impl Physical for Int96Type {
    fn value(bytes: &[u8]) -> Int96 {
        let (words, _) = bytes.as_chunks::<4>();
        Int96::from(words.iter().map(|word| u32::from_ne_bytes(*word)).collect::<Vec<u32>>())
    }
}

impl Physical for ByteArrayType {
    fn value(bytes: &[u8]) -> ByteArray {
        bytes.into()
    }
}

impl Physical for FixedLenByteArrayType {
    fn value(bytes: &[u8]) -> FixedLenByteArray {
        bytes.to_vec().into()
    }
}

macro_rules! numbers {
    ($($kind:ident $number:ident,)*) => {
        $(impl Physical for $kind {
            fn value(bytes: &[u8]) -> $number {
                $number::from_ne_bytes(bytes.try_into().expect("a number has its own length"))
            }
        })*
    };
}

numbers! { Int32Type i32, Int64Type i64, FloatType f32, DoubleType f64, }

/// May a flat column have nulls?
#[derive(Clone, Copy, PartialEq, Eq)]
enum Nulls {
    Possible,
    Impossible,
}

impl Nulls {
    fn of(column: &ColumnDescriptor) -> Self {
        if column.max_def_level() == 0 { Self::Impossible } else { Self::Possible }
    }
}

/// A flat column, each value as its bytes.
fn read_column(reader: &ParquetReader, position: usize) -> Result<Column, Diagnostic> {
    let leaf = reader.leaf(position);
    let kind = reader.description.parquet_schema().column(leaf).physical_type();
    match quietly(|| for_type!(kind, read_typed(reader, leaf))) {
        Some(Ok(column)) if column.len() as u64 == reader.records => Ok(column),
        _ => Err(damaged("a page of the column cannot be decoded")),
    }
}

fn read_typed<T: Physical>(reader: &ParquetReader, leaf: usize) -> Result<Column, ParquetError> {
    let kind = reader.description.parquet_schema().column(leaf);
    let nulls = Nulls::of(&kind);
    let file = Arc::new(Chunks(reader.file.clone()));
    let mut column = ColumnBuilder::default();
    for row_group in reader.description.metadata().row_groups() {
        let rows = usize::try_from(row_group.num_rows())?;
        let chunk = row_group.column(leaf);
        let pages = SerializedPageReader::new(Arc::clone(&file), chunk, rows, None)?;
        let mut decoder = ColumnReaderImpl::<T>::new(Arc::clone(&kind), Box::new(pages));
        let (mut levels, mut values) = (Vec::new(), Vec::new());
        let mut left = rows;
        while left > 0 {
            levels.clear();
            values.clear();
            let (records, _, _) =
                decoder.read_records(left.min(BATCH), Some(&mut levels), None, &mut values)?;
            if records == 0 {
                return Err(ParquetError::EOF("fewer values than records".to_owned()));
            }
            if nulls == Nulls::Impossible {
                levels.resize(records, 1);
            }
            let mut values = values.iter();
            for &level in &levels {
                match (level, values.len()) {
                    (0, _) => column.push_null(),
                    (_, 0) => return Err(ParquetError::EOF("a value is missing".to_owned())),
                    _ => values.by_ref().take(1).for_each(|value| column.push(value.as_bytes())),
                }
            }
            left -= records;
        }
    }
    Ok(column.finish())
}

/// Adds a flat column to a row group.
fn write_column<T: Physical>(
    group: &mut SerializedRowGroupWriter<'_, impl Write + Send>,
    nulls: Nulls,
    column: &Column,
    records: Range<usize>,
) -> Result<(), ParquetError> {
    let mut codes = Vec::with_capacity(records.len());
    column.for_each_code_in(records, |_, code| codes.push(code));
    let next = group.next_column()?;
    let mut writer = next.ok_or_else(|| ParquetError::EOF("one column too many".to_owned()))?;
    let dictionary = column.dictionary();
    let mut levels = Vec::with_capacity(codes.len());
    let mut values = Vec::with_capacity(codes.len());
    let value = |code: u32| dictionary.category(code).map(T::value);
    // A list of all values is worth its room where each comes several times.
    let listed = dictionary.levels() * 4 <= codes.len();
    let mut known: Vec<Option<T::T>> = vec![None; if listed { dictionary.levels() } else { 0 }];
    for &code in &codes {
        let value = match known.get_mut(code as usize) {
            Some(known) => {
                if known.is_none() {
                    *known = value(code);
                }
                known.clone()
            }
            None => value(code),
        };
        levels.push(i16::from(value.is_some()));
        values.extend(value);
    }
    let levels = match nulls {
        Nulls::Possible => Some(&levels[..]),
        Nulls::Impossible => None,
    };
    writer.typed::<T>().write_batch(&values, levels, None)?;
    writer.close()
}

//! A Parquet file, read column by column.
//!
//! Each wanted column is decoded on its own, so an error names it, and the others are not
//! touched. Text and binary columns are categories as they are; integers, decimals, dates,
//! times and timestamps are their raw integer in decimal digits (an opaque category, never
//! printed); a boolean is `true` or `false`; a null is the null. Floating-point columns are
//! refused, and so are columns of lists or structures. Where a text column has a
//! dictionary in the file, its values are looked up once and then pushed as codes.
//!
//! Trap: the description of a file may claim anything. It is looked through first, see
//! [`check_footer`], and so are the pages of each wanted column, see [`check_pages`].
//! Two claims are weighed here. The file must have a byte for every 65,536 records it claims
//! (a page of one repeated value may hold millions; a row group costs some hundred bytes):
//! else ten bytes of nulls keep the reader busy with 2³¹ records. Values of a fixed length have
//! at most 65,536 bytes: nulls take the room of values, and eight of them can ask for 16 GiB.
//! A decoder that panics all the same is caught, see [`catch_panic`]. The words of a
//! decoder's error are not shown, since they may hold a value.
//!
//! The sum of the file: a decoder jumps about in the file and passes over columns, so the
//! sum is not taken on the way but in a pass of its own through the same handle, before the
//! first column is decoded. The bytes of the wanted columns are kept from that pass, as packed as
//! they are in the file, and decoded from there, so that the file is read once. Columns of which
//! only some records are looked at may be the larger part of the file: they are decoded from the
//! file itself, next to that pass, and what lies between those records is passed over. At the end
//! the operating system is asked whether the file was written to meanwhile.
//!
//! Edge case: the legacy timestamps of 96 bits are read as nanoseconds in 64 bits, so two
//! that lie a multiple of 584 years apart are one category. The Arrow schema that some
//! writers add to the file is not looked at.
//!
//! Way in: [`ParquetReader::open`], then [`ParquetReader::read`].

pub(crate) mod catch_panic;
mod check_footer;
mod check_pages;
pub(crate) mod column;
mod dictionary;

use std::io::{self, BufReader, Read};
use std::sync::Arc;

use crate::refusal::Code;
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, Field, Schema};
use marginswap_core::columns::{Column, ColumnBuilder};
use marginswap_core::diagnostic::{Diagnostic, grouped};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder, RowSelection,
};
use parquet::basic::{Compression, Repetition, Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::reader::{ChunkReader, Length};
use parquet::file::serialized_reader::SerializedPageReader;
use rayon::prelude::*;

use self::catch_panic::quietly;
use self::check_pages::{Chunk, Look};
use crate::arrow::{bytes_at, push_all, refused};
use crate::csv::unreadable;
use crate::header;
use crate::input_file::{BytesFrom, InputFile};
use crate::source::{self, Sample, Table};

/// Records that are decoded at once: few enough that the text of one batch stays far from
/// the 2 GiB an array of text may hold.
const BATCH: usize = 1 << 13;

/// The longest values of a fixed length: a batch of nulls takes room for all of them.
const LONGEST_FIXED: i32 = 1 << 16;

/// The most records a file may claim for each of its bytes.
const RECORDS_PER_BYTE: u64 = 1 << 16;

/// What is wrong with a column of another length than the file.
const OTHER_LENGTH: &str = "the column has more or fewer values than the file has records";

/// A Parquet file whose description has been read.
pub(crate) struct ParquetReader {
    pub(crate) file: InputFile,
    pub(crate) description: ArrowReaderMetadata,
    names: Vec<String>,
    pub(crate) records: u64,
}

impl ParquetReader {
    /// Reads the description.
    pub(crate) fn open(file: InputFile) -> Result<Self, Diagnostic> {
        let not_read = |error: io::Error| unreadable(&error, source::Compression::Plain);
        if !check_footer::is_sound(&file).map_err(not_read)? {
            return Err(damaged("its description at the end of the file is not sound"));
        }
        let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let Some(Ok(description)) =
            quietly(|| ArrowReaderMetadata::load(&Chunks(file.clone()), options))
        else {
            return Err(damaged("its description at the end of the file cannot be read"));
        };
        let names: Vec<String> =
            description.schema().fields().iter().map(|field| field.name().clone()).collect();
        header::check_names(&names).map_err(|bad| bad.diagnostic)?;
        let records = claimed_records(&description, file.length())?;
        Ok(Self { file, description, names, records })
    }

    /// The names of the columns.
    pub(crate) fn columns(&self) -> &[String] {
        &self.names
    }

    /// Encodes the wanted columns; the others are not touched.
    pub(crate) fn read(self, wanted: &[bool], sample: &Sample) -> Result<Table, Diagnostic> {
        assert_eq!(wanted.len(), self.names.len(), "one entry of `wanted` for each column");
        self.encode(wanted, sample).map_err(|refusal| refusal.in_file(self.file.path()))
    }

    fn encode(&self, wanted: &[bool], sample: &Sample) -> Result<Table, Diagnostic> {
        if self.records == 0 {
            return Err(Diagnostic::new(
                Code::NoRecords,
                "the file has columns but no records",
                "name a file that has records",
            ));
        }
        let wanted_columns = || (0..wanted.len()).filter(|&position| wanted[position]);
        for position in wanted_columns() {
            self.check_kind(position)?;
        }
        let titled = |refusal: Diagnostic, position: usize| {
            refusal.in_column(header::titled(position, &self.names))
        };
        // The sum takes the whole file; wanted columns are decoded from the same reading.
        let chunks: Vec<(u64, u64)> = wanted_columns().flat_map(|one| self.chunks(one)).collect();
        let is_sampled =
            |position: &usize| sample.columns[*position] && self.check_kind(*position).is_ok();
        let sampled: Vec<usize> = (0..wanted.len()).filter(is_sampled).collect();
        let (summed, sampled_columns) = rayon::join(
            || self.file.digest_keeping(&chunks),
            || self.read_columns(&sampled, sample.step),
        );
        let (digest, file) = summed?;
        let (description, names) = (self.description.clone(), self.names.clone());
        let kept = Self { file, description, names, records: self.records };
        let all: Vec<usize> = wanted_columns().collect();
        let found = kept.read_columns(&all, 1);
        let mut columns: Vec<Option<Column>> = wanted.iter().map(|_| None).collect();
        let mut samples: Vec<Option<Column>> = wanted.iter().map(|_| None).collect();
        for (position, column) in all.into_iter().zip(found) {
            columns[position] = Some(column.map_err(|refusal| titled(refusal, position))?);
        }
        for (position, column) in sampled.into_iter().zip(sampled_columns) {
            samples[position] = Some(column.map_err(|refusal| titled(refusal, position))?);
        }
        let records = usize::try_from(self.records).expect("a machine counts 2^32 records");
        self.file.check_unchanged()?;
        let looks_like_a_record = header::is_a_record(&self.names, &columns);
        let written = None;
        let digest = Some(digest);
        Ok(Table { columns, samples, records, digest, looks_like_a_record, written })
    }

    /// Refuses a column that has no categories.
    fn check_kind(&self, position: usize) -> Result<(), Diagnostic> {
        let kind = self.description.schema().field(position).data_type();
        let is_long = || {
            let leaf = self.description.parquet_schema().column(self.leaf(position));
            leaf.physical_type() == Type::FIXED_LEN_BYTE_ARRAY && leaf.type_length() > LONGEST_FIXED
        };
        if let Some(refusal) = refused(kind) {
            return Err(refusal.in_column(header::titled(position, &self.names)));
        }
        if !is_long() {
            return Ok(());
        }
        Err(Diagnostic::new(
            Code::UnsupportedColumn,
            "every value of the column is longer than 65,536 bytes",
            "store it as text, or ignore the column",
        )
        .in_column(header::titled(position, &self.names)))
    }

    /// Refuses a column of lists or structures, whose values are not one for each record.
    pub(crate) fn check_flat(&self, position: usize) -> Result<(), Diagnostic> {
        let root = &self.description.parquet_schema().root_schema().get_fields()[position];
        let is_repeated = root.get_basic_info().repetition() == Repetition::REPEATED;
        if root.is_primitive() && !is_repeated {
            return Ok(());
        }
        Err(Diagnostic::new(
            Code::UnsupportedColumn,
            "the column has lists, structures or the like, which cannot be moved",
            "drop the column from the release",
        ))
    }

    /// Where the bytes of a column are claimed to be.
    fn chunks(&self, position: usize) -> Vec<(u64, u64)> {
        let leaf = self.leaf(position);
        let groups = self.description.metadata().row_groups().iter();
        let place = |group: &RowGroupMetaData| {
            quietly(|| group.columns().get(leaf).map(|chunk| chunk.byte_range())).flatten()
        };
        groups.filter_map(place).collect()
    }

    /// Refuses a column whose bytes do not lie within the file, that is packed in a way this
    /// program does not know, or whose pages claim what they cannot hold.
    pub(crate) fn check_chunks(&self, position: usize) -> Result<(), Diagnostic> {
        let not_read = |error: io::Error| unreadable(&error, source::Compression::Plain);
        let leaf = self.leaf(position);
        let kind = self.description.parquet_schema().column(leaf);
        for row_group in self.description.metadata().row_groups() {
            let place = quietly(|| row_group.columns().get(leaf).map(|chunk| chunk.byte_range()));
            let Some(Some((start, length))) = place else {
                return Err(damaged("a part of the column is not described"));
            };
            let codec = row_group.column(leaf).compression();
            let unknown = match codec {
                Compression::LZO => Some("LZO"),
                Compression::BROTLI(_) => Some("Brotli"),
                _ => None,
            };
            if let Some(name) = unknown {
                return Err(Diagnostic::new(
                    Code::UnsupportedCompression,
                    format!("the column is compressed with {name}, which is not supported"),
                    "write the file with Zstandard, Snappy, gzip, LZ4 or without compression",
                ));
            }
            let records = u64::try_from(row_group.num_rows()).expect("counted before");
            let chunk = Chunk { start, length, codec };
            let look = check_pages::look_through(&self.file, &chunk).map_err(not_read)?;
            let is_sound = match look {
                Look::Sound => true,
                Look::Unsound => false,
                Look::HasLengths => {
                    let lengths = quietly(|| {
                        let file = Arc::new(Chunks(self.file.clone()));
                        let records = usize::try_from(records).ok()?;
                        let chunk = row_group.column(leaf);
                        let pages = SerializedPageReader::new(file, chunk, records, None).ok()?;
                        check_pages::lengths_are_sound(pages, kind.max_def_level() > 0)
                    });
                    lengths.flatten().is_some()
                }
            };
            if !is_sound {
                return Err(damaged("a page of the column claims what it cannot hold"));
            }
        }
        Ok(())
    }

    /// Decodes columns side by side, or every `step`-th record of each.
    fn read_columns(&self, columns: &[usize], step: usize) -> Vec<Result<Column, Diagnostic>> {
        let records = usize::try_from(self.records).expect("a machine counts 2^32 records");
        let selection = (step > 1).then(|| {
            let ranges = (0..records).step_by(step).map(|record| record..record + 1);
            RowSelection::from_consecutive_ranges(ranges, records)
        });
        let read = |&position: &usize| {
            self.check_chunks(position)?;
            self.read_column(position, selection.clone(), records.div_ceil(step))
        };
        columns.par_iter().map(read).collect()
    }

    /// A column, or the selected records of one, of which there are `records`.
    fn read_column(
        &self,
        position: usize,
        selection: Option<RowSelection>,
        records: usize,
    ) -> Result<Column, Diagnostic> {
        let reader = quietly(|| {
            // Selected records of one batch lie in several row groups, each with its dictionary.
            let description = match selection {
                Some(_) => self.description.clone(),
                None => self.with_dictionary(position)?,
            };
            let file = Chunks(self.file.clone());
            let schema = description.parquet_schema();
            let only = ProjectionMask::roots(schema, [position]);
            let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, description)
                .with_projection(only)
                .with_batch_size(BATCH);
            match selection {
                Some(selection) => builder.with_row_selection(selection).build(),
                None => builder.build(),
            }
        });
        let Some(Ok(mut reader)) = reader else {
            return Err(damaged("the column does not agree with its description"));
        };
        let mut column = ColumnBuilder::default();
        let mut dictionary = None;
        loop {
            let batch = match quietly(|| reader.next()) {
                Some(None) => break,
                Some(Some(Ok(batch))) if batch.num_columns() == 1 => batch,
                _ => return Err(damaged("a page of the column cannot be decoded")),
            };
            // A decoder must not deliver more than was claimed: memory was weighed by it.
            if column.len() + batch.num_rows() > records {
                return Err(damaged(OTHER_LENGTH));
            }
            push_batch(&mut column, batch.column(0), &mut dictionary)?;
        }
        if column.len() != records {
            return Err(damaged(OTHER_LENGTH));
        }
        Ok(column.finish())
    }

    /// The description that asks for the values of a text column as the file has them: a
    /// dictionary and keys.
    fn with_dictionary(&self, position: usize) -> Result<ArrowReaderMetadata, ParquetError> {
        let metadata = self.description.metadata();
        let leaf = self.leaf(position);
        let has_dictionary = metadata
            .row_groups()
            .iter()
            .all(|row_group| row_group.column(leaf).dictionary_page_offset().is_some());
        let kind = self.description.schema().field(position).data_type();
        if !has_dictionary || !matches!(kind, DataType::Utf8 | DataType::Binary) {
            return Ok(self.description.clone());
        }
        let keyed = DataType::Dictionary(Box::new(DataType::Int32), Box::new(kind.clone()));
        let fields = self.description.schema().fields().iter().enumerate();
        let fields: Vec<Field> = fields
            .map(|(column, field)| {
                let field = field.as_ref().clone();
                if column == position { field.with_data_type(keyed.clone()) } else { field }
            })
            .collect();
        let options = ArrowReaderOptions::new().with_schema(Arc::new(Schema::new(fields)));
        ArrowReaderMetadata::try_new(Arc::clone(metadata), options)
    }

    /// The number of a flat column among the leaves of all columns.
    pub(crate) fn leaf(&self, position: usize) -> usize {
        let schema = self.description.parquet_schema();
        (0..schema.num_columns())
            .find(|&leaf| schema.get_column_root_idx(leaf) == position)
            .expect("a column that is no structure has a leaf")
    }
}

/// The file as the decoder asks for it: by place.
#[derive(Clone)]
pub(crate) struct Chunks(pub(crate) InputFile);

impl Length for Chunks {
    fn len(&self) -> u64 {
        self.0.length()
    }
}

impl ChunkReader for Chunks {
    type T = BufReader<BytesFrom>;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        Ok(BufReader::new(self.0.bytes_from(start)))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<bytes::Bytes, ParquetError> {
        let end = start.checked_add(length as u64);
        if end.is_none_or(|end| end > self.0.length()) {
            return Err(ParquetError::EOF("more bytes than the file has".to_owned()));
        }
        let mut piece = vec![0; length];
        self.0.bytes_from(start).read_exact(&mut piece)?;
        Ok(piece.into())
    }
}

/// The number of records that the file claims, if a file of its length can have them.
fn claimed_records(description: &ArrowReaderMetadata, length: u64) -> Result<u64, Diagnostic> {
    let metadata = description.metadata();
    let mut records = 0u64;
    for row_group in metadata.row_groups() {
        records = u64::try_from(row_group.num_rows())
            .ok()
            .and_then(|rows| records.checked_add(rows))
            .ok_or_else(|| damaged("it claims an impossible number of records"))?;
    }
    if u64::try_from(metadata.file_metadata().num_rows()).ok() != Some(records) {
        return Err(damaged("its parts do not have the number of records it claims"));
    }
    if records > length.saturating_mul(RECORDS_PER_BYTE) {
        return Err(damaged("it claims more records than a file of its length can have"));
    }
    if records > u32::MAX.into() {
        return Err(Diagnostic::new(
            Code::TooManyRecords,
            format!("the file has {} records", grouped(records)),
            "read the file in parts",
        ));
    }
    Ok(records)
}

/// The dictionary that a batch refers to, with the codes of its values that were met.
type Known = (ArrayRef, Vec<Option<u32>>);

/// Adds every value of an array of one batch.
fn push_batch(
    column: &mut ColumnBuilder,
    array: &ArrayRef,
    known: &mut Option<Known>,
) -> Result<(), Diagnostic> {
    match array.data_type() {
        DataType::Dictionary(..) => push_keys(column, array, known)?,
        _ => push_all(column, array),
    }
    Ok(())
}

/// Adds the values that keys refer to. A value of the dictionary becomes a category when
/// it is first met, so that one that is never met is none.
fn push_keys(
    column: &mut ColumnBuilder,
    array: &ArrayRef,
    known: &mut Option<Known>,
) -> Result<(), Diagnostic> {
    let array = array.as_dictionary::<Int32Type>();
    let values = array.values();
    let is_same = |(before, _): &Known| before.to_data().ptr_eq(&values.to_data());
    if !known.as_ref().is_some_and(is_same) {
        *known = Some((Arc::clone(values), vec![None; values.len()]));
    }
    let Some((_, codes)) = known else { unreachable!("set above") };
    for key in array.keys() {
        let Some(key) = key else {
            column.push_null();
            continue;
        };
        let key = usize::try_from(key).unwrap_or(usize::MAX);
        match codes.get(key) {
            Some(Some(code)) => column.push_code(*code),
            Some(None) => match bytes_at(values, key) {
                Some(bytes) => {
                    let code = column.intern(bytes);
                    codes[key] = Some(code);
                    column.push_code(code);
                }
                None => column.push_null(),
            },
            None => return Err(damaged("a key of the column has no value")),
        }
    }
    Ok(())
}

pub(crate) fn damaged(detail: &str) -> Diagnostic {
    Diagnostic::new(Code::BadParquet, detail, "write or fetch the file again")
}

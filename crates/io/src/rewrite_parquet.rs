//! A Parquet file once more, with the swaps done: same schema, same row groups.
//!
//! A column that no swap touches is copied as it lies in the file, byte for byte. A touched
//! column is read, its values are taken from the records they come from, and it is written again
//! with its own physical type, its compression and, if it had one, a dictionary; see
//! [`crate::parquet::column`]. Names and types of the schema are those of the input.
//!
//! A new order touches every column, and a row group then takes its values from anywhere in the
//! file. So the column chunks are written in rounds. A round is a run of chunks, in the order of
//! the file, whose values take no more than [`ROOM`]: every column in it is read through, and what
//! the round needs of it is kept. Then its chunks are packed side by side and written in their
//! order. A file that fits is read once. The bytes depend neither on the rounds nor on the threads.
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

use std::borrow::Cow;
use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;

use arrow_schema::{DataType as ArrowType, Field, FieldRef, Metadata, Schema};
use bytes::Bytes;
use marginswap_core::diagnostic::Diagnostic;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::arrow::{ARROW_SCHEMA_META_KEY, add_encoded_arrow_schema_to_metadata};
use parquet::basic::Type as PhysicalType;
use parquet::column::writer::{ColumnCloseResult, get_column_writer};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedFileWriter, SerializedPageWriter, TrackedWrite};
use parquet::schema::types::{Type, TypePtr};
use rayon::prelude::*;

use crate::atomic::unwritable;
use crate::header;
use crate::parquet::catch_panic::quietly;
use crate::parquet::column::{self, Values};
use crate::parquet::{Chunks, ParquetReader, damaged};
use crate::rewrite::{Exchanges, ReleaseOptions, RewriteCounts, check_order};

/// The bytes of memory that the values of a round take, about.
const ROOM: u64 = 5 << 29;

/// The bytes of values that are packed at once.
const PACKED_AT_ONCE: u64 = 1 << 28;

/// Writes a Parquet file with the swaps done.
pub(crate) fn rewrite(
    reader: &ParquetReader,
    plan: &Exchanges,
    release: &ReleaseOptions,
    out: &mut (dyn Write + Send),
) -> Result<RewriteCounts, Diagnostic> {
    rewrite_within(ROOM, reader, plan, release, out)
}

/// The same with rounds of this size.
fn rewrite_within(
    room: u64,
    reader: &ParquetReader,
    plan: &Exchanges,
    release: &ReleaseOptions,
    out: &mut (dyn Write + Send),
) -> Result<RewriteCounts, Diagnostic> {
    plan.check_records(reader.records)?;
    if let Some(order) = &release.order {
        check_order(order, reader.records)?;
    }
    let touched = Touched::new(reader, plan, release)?;
    let mut noting = Noting { out, failed: None };
    let mut rounds = Rounds::new(&touched, room);
    match quietly(|| write(&mut rounds, release, &mut noting)) {
        Some(Ok(())) => {
            reader.file.check_unchanged()?;
            Ok(rounds.counts())
        }
        Some(Err(Failure::Refused(refusal))) => Err(refusal),
        _ => Err(match noting.failed {
            Some(error) => unwritable(&error),
            None => damaged("a column cannot be copied"),
        }),
    }
}

/// Why a file is not written.
enum Failure {
    /// The input cannot be read.
    Refused(Diagnostic),
    /// The writer does not go on.
    Unwritten,
}

impl From<ParquetError> for Failure {
    fn from(_: ParquetError) -> Self {
        Self::Unwritten
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

/// The columns that are written again, and where their values come from.
struct Touched<'a> {
    reader: &'a ParquetReader,
    plan: &'a Exchanges,
    order: Option<&'a [u32]>,
    /// Their positions in the file, rising.
    columns: Vec<usize>,
    /// Where the record of each entry of the plan is released.
    places: Vec<u32>,
    /// The first record of each row group, and the number of all.
    starts: Vec<usize>,
}

impl<'a> Touched<'a> {
    fn new(
        reader: &'a ParquetReader,
        plan: &'a Exchanges,
        release: &'a ReleaseOptions,
    ) -> Result<Self, Diagnostic> {
        let mut is_touched = vec![release.order.is_some(); reader.columns().len()];
        for exchange in &plan.entries {
            exchange.exchanged.iter().for_each(|&column| is_touched[column] = true);
        }
        let is_written = |column: &usize| is_touched[*column] && !release.drop.contains(column);
        let columns: Vec<usize> = (0..is_touched.len()).filter(is_written).collect();
        // All are waited for, so that the first of several refusals is reported.
        let checked: Vec<Result<(), Diagnostic>> = columns
            .par_iter()
            .map(|&position| {
                let checked = reader.check_flat(position);
                checked
                    .and_then(|()| reader.check_chunks(position))
                    .map_err(|refusal| refused(refusal, reader, position))
            })
            .collect();
        checked.into_iter().collect::<Result<(), Diagnostic>>()?;
        let mut starts = vec![0];
        for row_group in reader.description.metadata().row_groups() {
            let rows = usize::try_from(row_group.num_rows()).expect("counted when it was opened");
            starts.push(starts[starts.len() - 1] + rows);
        }
        let order = release.order.as_deref();
        let places = places(plan, order);
        Ok(Self { reader, plan, order, columns, places, starts })
    }

    /// Reads a column and takes the values of the records that are released at these places.
    fn taken(&self, position: usize, places: Range<usize>) -> Result<Taken, Diagnostic> {
        let column = column::read(self.reader, position)
            .map_err(|refusal| refused(refusal, self.reader, position))?;
        let mut from = match self.order {
            Some(order) => Cow::Borrowed(&order[places.clone()]),
            None => (0u32..).skip(places.start).take(places.len()).collect(),
        };
        let mut changed = Vec::new();
        for (number, exchange) in self.plan.entries.iter().enumerate() {
            let Ok(nth) = exchange.exchanged.binary_search(&position) else { continue };
            let giver = self.plan.entries[exchange.giver(nth)].record;
            if column.differ(exchange.record.position(), giver.position()) {
                changed.push(number);
                if let Some(place) = (self.places[number] as usize).checked_sub(places.start)
                    && place < places.len()
                {
                    from.to_mut()[place] = giver.0;
                }
            }
        }
        Ok(Taken { start: places.start, values: column.of_records(&from), changed })
    }
}

fn refused(refusal: Diagnostic, reader: &ParquetReader, position: usize) -> Diagnostic {
    refusal.in_column(header::titled(position, reader.columns()))
}

/// Where the record of each entry is released.
fn places(plan: &Exchanges, order: Option<&[u32]>) -> Vec<u32> {
    let records: Vec<u32> = plan.entries.iter().map(|entry| entry.record.0).collect();
    let Some(order) = order else { return records };
    let mut is_swapped = vec![false; order.len()];
    records.iter().for_each(|&record| is_swapped[record as usize] = true);
    let mut places = vec![0; records.len()];
    for (place, &record) in (0u32..).zip(order) {
        if is_swapped[record as usize] {
            let entry = records.binary_search(&record).expect("entries rise with their records");
            places[entry] = place;
        }
    }
    places
}

/// What a round keeps of one column.
struct Taken {
    /// The place of the first value.
    start: usize,
    values: Box<dyn Values>,
    /// The entries of the plan that change the column.
    changed: Vec<usize>,
}

/// The chunks of touched columns, numbered row group by row group, in rounds.
struct Rounds<'a> {
    touched: &'a Touched<'a>,
    room: u64,
    /// The bytes that a value of each column takes: guessed, and known once the column was read.
    widths: Vec<u64>,
    /// What this round keeps, column by column, and the number after its last chunk.
    taken: Vec<Option<Taken>>,
    end: usize,
    is_changed: Vec<bool>,
    cells_changed: u64,
}

impl<'a> Rounds<'a> {
    fn new(touched: &'a Touched<'a>, room: u64) -> Self {
        let columns = &touched.columns;
        let guess = |&position: &usize| {
            let leaf = touched.reader.leaf(position);
            let description = &touched.reader.description;
            let first = description.metadata().row_groups().first();
            if first.is_some_and(|first| first.column(leaf).dictionary_page_offset().is_some()) {
                return 2;
            }
            match description.parquet_schema().column(leaf).physical_type() {
                PhysicalType::BOOLEAN => 1,
                PhysicalType::INT32 | PhysicalType::FLOAT => 4,
                PhysicalType::INT64 | PhysicalType::DOUBLE => 8,
                _ => 16,
            }
        };
        Self {
            touched,
            room,
            widths: columns.iter().map(guess).collect(),
            taken: columns.iter().map(|_| None).collect(),
            end: 0,
            is_changed: vec![false; touched.plan.entries.len()],
            cells_changed: 0,
        }
    }

    fn counts(&self) -> RewriteCounts {
        RewriteCounts {
            records: self.touched.reader.records,
            records_changed: self.is_changed.iter().filter(|changed| **changed).count() as u64,
            cells_changed: self.cells_changed,
        }
    }

    fn records(&self, group: usize) -> Range<usize> {
        self.touched.starts[group]..self.touched.starts[group + 1]
    }

    /// The bytes that the values of a chunk take.
    fn width(&self, chunk: usize) -> u64 {
        let columns = self.widths.len();
        self.records(chunk / columns).len() as u64 * self.widths[chunk % columns]
    }

    /// Begins the round of a chunk, unless it is one of this round.
    fn reach(&mut self, chunk: usize) -> Result<(), Diagnostic> {
        if chunk < self.end {
            return Ok(());
        }
        let columns = self.widths.len();
        let all = (self.touched.starts.len() - 1) * columns;
        let mut used = self.width(chunk);
        let mut end = chunk + 1;
        while end < all && used + self.width(end) <= self.room {
            used += self.width(end);
            end += 1;
        }
        self.taken.iter_mut().for_each(|taken| *taken = None);
        let take = |nth: usize| {
            // The row groups in which this column has a chunk of the round.
            let [first, behind] = [chunk, end].map(|chunk| (chunk + columns - 1 - nth) / columns);
            let places = self.touched.starts[first]..self.touched.starts[behind];
            let taken =
                (first < behind).then(|| self.touched.taken(self.touched.columns[nth], places));
            taken.transpose().map(|taken| (first == 0, taken))
        };
        // All are waited for, so that the first of several refusals is reported.
        let found: Vec<Result<(bool, Option<Taken>), Diagnostic>> =
            (0..columns).into_par_iter().map(take).collect();
        for (nth, found) in found.into_iter().enumerate() {
            let (is_first, taken) = found?;
            if let Some(taken) = &taken {
                let records = taken.values.len().max(1);
                self.widths[nth] = taken.values.room().div_ceil(records).max(1) as u64;
                if is_first {
                    self.cells_changed += taken.changed.len() as u64;
                    taken.changed.iter().for_each(|&entry| self.is_changed[entry] = true);
                }
            }
            self.taken[nth] = taken;
        }
        self.end = end;
        Ok(())
    }

    /// The chunks from this one on that are packed at once: of one row group and of this round.
    fn at_once(&self, chunk: usize) -> Range<usize> {
        let columns = self.widths.len();
        let last = self.end.min((chunk / columns + 1) * columns);
        let mut used = 0;
        let fits = |chunk: &usize| {
            used += self.width(*chunk);
            used <= PACKED_AT_ONCE
        };
        let fitting = (chunk..last).take_while(fits).count();
        chunk..chunk + fitting.max(1)
    }

    /// Packs one chunk.
    fn packed(&self, chunk: usize, properties: &Arc<WriterProperties>) -> Option<Packed> {
        let (group, nth) = (chunk / self.widths.len(), chunk % self.widths.len());
        let Taken { start, values, .. } = self.taken[nth].as_ref()?;
        let Range { start: first, end } = self.records(group);
        let reader = self.touched.reader;
        let kind =
            reader.description.parquet_schema().column(reader.leaf(self.touched.columns[nth]));
        quietly(|| {
            let mut bytes = TrackedWrite::new(Vec::new());
            let pages = Box::new(SerializedPageWriter::new(&mut bytes));
            let mut writer = get_column_writer(kind, Arc::clone(properties), pages);
            values.write(first - start..end - start, &mut writer).ok()?;
            let closed = writer.close().ok()?;
            Some((Bytes::from(bytes.into_inner().ok()?), closed))
        })?
    }
}

/// The bytes of a chunk, and what the footer says of it.
type Packed = (Bytes, ColumnCloseResult);

fn write(
    rounds: &mut Rounds<'_>,
    release: &ReleaseOptions,
    out: &mut Noting<'_>,
) -> Result<(), Failure> {
    let reader = rounds.touched.reader;
    let touched = &rounds.touched.columns;
    let is_kept = |column: usize| !release.drop.contains(&column);
    let metadata = reader.description.metadata();
    let parquet_schema = metadata.file_metadata().schema_descr();
    let root = parquet_schema.root_schema_ptr();
    let schema = if release.drop.is_empty() { root } else { without(&root, is_kept)? };
    let properties = Arc::new(properties(reader, touched, is_kept));
    let mut writer = SerializedFileWriter::new(out, schema, Arc::clone(&properties))?;
    let mut chunk = 0;
    for row_group in metadata.row_groups() {
        let mut group = writer.next_row_group()?;
        let mut packed = Vec::new().into_iter();
        for (leaf, described) in row_group.columns().iter().enumerate() {
            let position = parquet_schema.get_column_root_idx(leaf);
            if !is_kept(position) {
                continue;
            }
            if touched.binary_search(&position).is_err() {
                let untouched = as_it_is(row_group, described)?;
                group.append_column(&Chunks(reader.file.clone()), untouched)?;
                continue;
            }
            if packed.len() == 0 {
                rounds.reach(chunk).map_err(Failure::Refused)?;
                let chunks = rounds.at_once(chunk);
                let pack = |chunk| rounds.packed(chunk, &properties);
                packed = chunks.into_par_iter().map(pack).collect::<Vec<_>>().into_iter();
            }
            let (bytes, closed) = packed.next().flatten().ok_or(Failure::Unwritten)?;
            group.append_column(&bytes, closed)?;
            chunk += 1;
        }
        group.close()?;
    }
    writer.close()?;
    Ok(())
}

/// What the footer says of a chunk that is copied.
fn as_it_is(
    row_group: &RowGroupMetaData,
    chunk: &ColumnChunkMetaData,
) -> Result<ColumnCloseResult, ParquetError> {
    Ok(ColumnCloseResult {
        bytes_written: u64::try_from(chunk.compressed_size())?,
        rows_written: u64::try_from(row_group.num_rows())?,
        metadata: chunk.clone(),
        bloom_filter: None,
        column_index: None,
        offset_index: None,
    })
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
    touched: &[usize],
    is_kept: impl Fn(usize) -> bool,
) -> WriterProperties {
    let metadata = reader.description.metadata();
    let mut builder = WriterProperties::builder()
        .set_created_by(concat!("marginswap version ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_max_row_group_row_count(None)
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_offset_index_disabled(true);
    for &position in touched {
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

#[cfg(test)]
mod tests {
    use super::*;

    use std::fs::File;

    use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
    use marginswap_core::encode::RecordId;
    use marginswap_core::plan::{Plan, PlannedSwap};
    use parquet::arrow::ArrowWriter;

    use crate::input_file::InputFile;

    /// Rounds of every size, down to a round for each chunk, give the same bytes and counts; so
    /// does every number of threads.
    #[test]
    fn rounds_and_threads_change_no_byte() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("before");
        let records = 1_000u32;
        let word = |record: u32| (!record.is_multiple_of(7)).then(|| format!("w{}", record % 11));
        let words: StringArray = (0..records).map(word).collect();
        let texts: StringArray = (0..records).map(|one| Some(format!("text {one}"))).collect();
        let numbers: Int64Array = (0..records).map(|one| Some(i64::from(one * one))).collect();
        let columns: [(&str, ArrayRef); 3] =
            [("word", Arc::new(words)), ("text", Arc::new(texts)), ("number", Arc::new(numbers))];
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let properties = WriterProperties::builder()
            .set_max_row_group_row_count(Some(300))
            .set_column_dictionary_enabled("text".into(), false);
        let file = File::create(&path).unwrap();
        let mut writer =
            ArrowWriter::try_new(file, batch.schema(), Some(properties.build())).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        let reader = ParquetReader::open(InputFile::open(&path).unwrap()).unwrap();
        let swap = |left: usize, right: usize, exchanged: &[usize]| PlannedSwap {
            left: RecordId::at(left),
            right: RecordId::at(right),
            exchanged: exchanged.into(),
        };
        let swaps = vec![swap(0, 950, &[0, 1]), swap(7, 8, &[0]), swap(14, 21, &[0, 2])];
        let plan = Exchanges::new(&Plan::new(swaps, vec![]).unwrap());
        let order: Vec<u32> = (0..records).map(|place| place * 7 % records).collect();
        for order in [Some(order), None] {
            let release = ReleaseOptions { order, ..ReleaseOptions::default() };
            let with = |room: u64, threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let mut out = Vec::new();
                let counts = pool
                    .install(|| rewrite_within(room, &reader, &plan, &release, &mut out))
                    .unwrap();
                (counts, out)
            };
            let (counts, bytes) = with(u64::MAX, 1);
            assert_eq!(counts.records_changed, 6);
            // Both records 14 and 21 have a null.
            assert_eq!(counts.cells_changed, 4 + 2 + 2);
            for room in [0, 600, 2_400, 4_000, 9_000, 12_345, 30_000] {
                for threads in [1, 2, 3] {
                    assert_eq!(with(room, threads), (counts, bytes.clone()), "{room} {threads}");
                }
            }
        }
    }
}

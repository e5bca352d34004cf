//! The values of one flat Parquet column: read whole, taken from other records, written again.
//!
//! A column of keys becomes codes ([`super::dictionary`]); every other one is held as its values,
//! numbers as they are and texts one after the other. Values keep their physical type all the way,
//! so decimals, legacy timestamps and the like stay what they are.
//!
//! Trap: two values are the same when their bytes are: the two zeros of floating-point numbers
//! differ, and a number that is none is the same as itself.
//!
//! Edge case: a null takes the room of an empty value, and is marked in a list that is there
//! only where a column has a null.
//!
//! Way in: [`read`], [`Values`].

use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use marginswap_core::columns::Column;
use marginswap_core::diagnostic::Diagnostic;
use parquet::basic::Type as PhysicalType;
use parquet::column::reader::ColumnReaderImpl;
use parquet::column::writer::{ColumnWriter, get_typed_column_writer_mut};
use parquet::data_type::{
    AsBytes, BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FixedLenByteArray,
    FixedLenByteArrayType, FloatType, Int32Type, Int64Type, Int96, Int96Type,
};
use parquet::errors::ParquetError;
use parquet::file::serialized_reader::SerializedPageReader;

use super::catch_panic::quietly;
use super::dictionary;
use super::{Chunks, ParquetReader, damaged};

/// The values of a flat column, one for each record.
pub(crate) trait Values: Send + Sync {
    /// How many there are.
    fn len(&self) -> usize;

    /// The bytes of memory that they take.
    fn room(&self) -> usize;

    /// Have two records different values?
    fn differ(&self, one: usize, other: usize) -> bool;

    /// The values of these records, in this order.
    fn of_records(&self, records: &[u32]) -> Box<dyn Values>;

    /// Writes the values of some records.
    fn write(
        &self,
        records: Range<usize>,
        writer: &mut ColumnWriter<'_>,
    ) -> Result<(), ParquetError>;
}

/// Reads a flat column whose chunks were checked.
pub(crate) fn read(reader: &ParquetReader, position: usize) -> Result<Box<dyn Values>, Diagnostic> {
    let leaf = reader.leaf(position);
    let kind = reader.description.parquet_schema().column(leaf).physical_type();
    let found = quietly(|| match kind {
        PhysicalType::BOOLEAN => read_typed::<BoolType>(reader, leaf),
        PhysicalType::INT32 => read_typed::<Int32Type>(reader, leaf),
        PhysicalType::INT64 => read_typed::<Int64Type>(reader, leaf),
        PhysicalType::INT96 => read_typed::<Int96Type>(reader, leaf),
        PhysicalType::FLOAT => read_typed::<FloatType>(reader, leaf),
        PhysicalType::DOUBLE => read_typed::<DoubleType>(reader, leaf),
        PhysicalType::BYTE_ARRAY => read_typed::<ByteArrayType>(reader, leaf),
        PhysicalType::FIXED_LEN_BYTE_ARRAY => read_typed::<FixedLenByteArrayType>(reader, leaf),
    });
    match found {
        Some(Ok(values)) if values.len() as u64 == reader.records => Ok(values),
        _ => Err(damaged("a page of the column cannot be decoded")),
    }
}

fn read_typed<T: Physical>(
    reader: &ParquetReader,
    leaf: usize,
) -> Result<Box<dyn Values>, ParquetError> {
    match dictionary::read(reader, leaf) {
        Some(column) => Ok(Box::new(Coded::<T> { column, kind: PhantomData })),
        None => Ok(Box::new(read_held::<T>(reader, leaf)?)),
    }
}

/// Records that are decoded or written at once; a multiple of what a column writer takes at once,
/// so that its pages end where they would if it were given all records together.
const BATCH: usize = 1 << 13;

fn read_held<T: Physical>(reader: &ParquetReader, leaf: usize) -> Result<Held<T>, ParquetError> {
    let kind = reader.description.parquet_schema().column(leaf);
    let nullable = kind.max_def_level() > 0;
    let file = Arc::new(Chunks(reader.file.clone()));
    let mut held = Held::<T> { store: T::Store::default(), nulls: None };
    let mut length = 0;
    let (mut levels, mut values) = (Vec::new(), Vec::new());
    for row_group in reader.description.metadata().row_groups() {
        let rows = usize::try_from(row_group.num_rows())?;
        let chunk = row_group.column(leaf);
        let pages = SerializedPageReader::new(Arc::clone(&file), chunk, rows, None)?;
        let mut decoder = ColumnReaderImpl::<T>::new(Arc::clone(&kind), Box::new(pages));
        let mut left = rows;
        while left > 0 {
            levels.clear();
            values.clear();
            let (records, _, _) =
                decoder.read_records(left.min(BATCH), Some(&mut levels), None, &mut values)?;
            let present =
                if nullable { levels.iter().filter(|&&level| level != 0).count() } else { records };
            if records == 0 || values.len() != present || (nullable && levels.len() != records) {
                return Err(ParquetError::EOF("fewer values than records".to_owned()));
            }
            if present == records {
                held.store.extend(&values);
                held.nulls.iter_mut().for_each(|nulls| nulls.resize(length + records, false));
            } else {
                let nulls = held.nulls.get_or_insert_with(|| vec![false; length]);
                let mut values = values.iter();
                for &level in &levels {
                    nulls.push(level == 0);
                    match if level == 0 { None } else { values.next() } {
                        Some(value) => held.store.extend(std::slice::from_ref(value)),
                        None => held.store.push_empty(),
                    }
                }
            }
            length += records;
            left -= records;
        }
    }
    Ok(held)
}

/// A physical type, and how its values are held.
trait Physical: DataType {
    /// Holds many of them.
    type Store: Store<Self::T>;

    /// The value with these bytes, the low byte of a number first.
    fn value(bytes: &[u8]) -> Self::T;
}

impl Physical for BoolType {
    type Store = Numbers<bool>;

    fn value(bytes: &[u8]) -> bool {
        bytes != [0]
    }
}

impl Physical for Int96Type {
    type Store = Numbers<Int96>;

    fn value(bytes: &[u8]) -> Int96 {
        let (words, _) = bytes.as_chunks::<4>();
        Int96::from(words.iter().map(|word| u32::from_le_bytes(*word)).collect::<Vec<u32>>())
    }
}

impl Physical for ByteArrayType {
    type Store = Texts;

    fn value(bytes: &[u8]) -> ByteArray {
        bytes.into()
    }
}

impl Physical for FixedLenByteArrayType {
    type Store = Texts;

    fn value(bytes: &[u8]) -> FixedLenByteArray {
        bytes.to_vec().into()
    }
}

macro_rules! numbers {
    ($($kind:ident $number:ident,)*) => {
        $(impl Physical for $kind {
            type Store = Numbers<$number>;

            fn value(bytes: &[u8]) -> $number {
                $number::from_le_bytes(bytes.try_into().expect("a number has its own length"))
            }
        })*
    };
}

numbers! { Int32Type i32, Int64Type i64, FloatType f32, DoubleType f64, }

/// Many values, by number.
trait Store<V>: Default + Send + Sync + 'static {
    fn len(&self) -> usize;
    fn room(&self) -> usize;
    fn extend(&mut self, values: &[V]);
    fn push_empty(&mut self);
    fn is_same(&self, one: usize, other: usize) -> bool;
    fn of_records(&self, records: &[u32]) -> Self;

    /// Adds the values of these records, without those that are left out.
    fn give(&self, records: Range<usize>, is_left_out: impl Fn(usize) -> bool, to: &mut Vec<V>);
}

/// Values of a fixed length.
#[derive(Default)]
struct Numbers<V>(Vec<V>);

impl<V: Copy + Default + AsBytes + Send + Sync + 'static> Store<V> for Numbers<V> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn room(&self) -> usize {
        size_of_val(&self.0[..])
    }

    fn extend(&mut self, values: &[V]) {
        self.0.extend_from_slice(values);
    }

    fn push_empty(&mut self) {
        self.0.push(V::default());
    }

    fn is_same(&self, one: usize, other: usize) -> bool {
        self.0[one].as_bytes() == self.0[other].as_bytes()
    }

    fn of_records(&self, records: &[u32]) -> Self {
        Self(records.iter().map(|&record| self.0[record as usize]).collect())
    }

    fn give(&self, records: Range<usize>, is_left_out: impl Fn(usize) -> bool, to: &mut Vec<V>) {
        to.extend(records.filter(|&record| !is_left_out(record)).map(|record| self.0[record]));
    }
}

/// Texts, one after the other.
#[derive(Default)]
struct Texts {
    bytes: Vec<u8>,
    /// Where each of them ends.
    ends: Vec<usize>,
}

impl Texts {
    fn place(&self, record: usize) -> Range<usize> {
        let start = record.checked_sub(1).map_or(0, |before| self.ends[before]);
        start..self.ends[record]
    }
}

impl<V: AsBytes + From<ByteArray> + Send + Sync + 'static> Store<V> for Texts {
    fn len(&self) -> usize {
        self.ends.len()
    }

    fn room(&self) -> usize {
        self.bytes.len() + size_of_val(&self.ends[..])
    }

    fn extend(&mut self, values: &[V]) {
        for value in values {
            self.bytes.extend_from_slice(value.as_bytes());
            self.ends.push(self.bytes.len());
        }
    }

    fn push_empty(&mut self) {
        self.ends.push(self.bytes.len());
    }

    fn is_same(&self, one: usize, other: usize) -> bool {
        self.bytes[self.place(one)] == self.bytes[self.place(other)]
    }

    fn of_records(&self, records: &[u32]) -> Self {
        let places = || records.iter().map(|&record| self.place(record as usize));
        let mut bytes = Vec::with_capacity(places().map(|place| place.len()).sum());
        let mut ends = Vec::with_capacity(records.len());
        for place in places() {
            bytes.extend_from_slice(&self.bytes[place]);
            ends.push(bytes.len());
        }
        Self { bytes, ends }
    }

    fn give(&self, records: Range<usize>, is_left_out: impl Fn(usize) -> bool, to: &mut Vec<V>) {
        let Some(last) = records.end.checked_sub(1).filter(|_| !records.is_empty()) else { return };
        // One copy that all share.
        let start = self.place(records.start).start;
        let shared = Bytes::copy_from_slice(&self.bytes[start..self.place(last).end]);
        for record in records.filter(|&record| !is_left_out(record)) {
            let Range { start: from, end } = self.place(record);
            to.push(ByteArray::from(shared.slice(from - start..end - start)).into());
        }
    }
}

/// Values as they are.
struct Held<T: Physical> {
    store: T::Store,
    /// Which records have none; nothing where all have one.
    nulls: Option<Vec<bool>>,
}

impl<T: Physical> Held<T> {
    fn is_null(&self, record: usize) -> bool {
        self.nulls.as_ref().is_some_and(|nulls| nulls[record])
    }
}

impl<T: Physical> Values for Held<T> {
    fn len(&self) -> usize {
        self.store.len()
    }

    fn room(&self) -> usize {
        self.store.room() + self.nulls.as_ref().map_or(0, Vec::len)
    }

    fn differ(&self, one: usize, other: usize) -> bool {
        self.is_null(one) != self.is_null(other) || !self.store.is_same(one, other)
    }

    fn of_records(&self, records: &[u32]) -> Box<dyn Values> {
        let store = self.store.of_records(records);
        let taken = |nulls: &Vec<bool>| records.iter().map(|&one| nulls[one as usize]).collect();
        Box::new(Self { store, nulls: self.nulls.as_ref().map(taken) })
    }

    fn write(
        &self,
        records: Range<usize>,
        writer: &mut ColumnWriter<'_>,
    ) -> Result<(), ParquetError> {
        write_in_batches::<T>(records, writer, |records, levels, values| {
            levels.extend(records.clone().map(|record| i16::from(!self.is_null(record))));
            self.store.give(records, |record| self.is_null(record), values);
        })
    }
}

/// Values as codes; the categories are the bytes of values.
struct Coded<T> {
    column: Column,
    kind: PhantomData<fn() -> T>,
}

impl<T: Physical> Values for Coded<T> {
    fn len(&self) -> usize {
        self.column.len()
    }

    fn room(&self) -> usize {
        self.column.len() * if self.column.dictionary().levels() > 1 << 8 { 2 } else { 1 }
    }

    fn differ(&self, one: usize, other: usize) -> bool {
        self.column.code(one) != self.column.code(other)
    }

    fn of_records(&self, records: &[u32]) -> Box<dyn Values> {
        let column = self.column.of_records(records.iter().map(|&record| record as usize));
        Box::new(Self { column, kind: PhantomData })
    }

    fn write(
        &self,
        records: Range<usize>,
        writer: &mut ColumnWriter<'_>,
    ) -> Result<(), ParquetError> {
        let dictionary = self.column.dictionary();
        // Where each comes several times, a value is made when it is first met.
        let listed = dictionary.levels() * 4 <= records.len();
        let mut known: Vec<Option<T::T>> = vec![None; if listed { dictionary.levels() } else { 0 }];
        write_in_batches::<T>(records, writer, |records, levels, values| {
            self.column.for_each_code_in(records, |_, code| {
                let value = || dictionary.category(code).map(T::value);
                let value = match known.get_mut(code as usize) {
                    Some(Some(known)) => Some(known.clone()),
                    Some(known) => {
                        *known = value();
                        known.clone()
                    }
                    None => value(),
                };
                levels.push(i16::from(value.is_some()));
                values.extend(value);
            });
        })
    }
}

/// Hands values to a writer. `fill` gives for some records which of them have one, and these.
fn write_in_batches<T: Physical>(
    records: Range<usize>,
    writer: &mut ColumnWriter<'_>,
    mut fill: impl FnMut(Range<usize>, &mut Vec<i16>, &mut Vec<T::T>),
) -> Result<(), ParquetError> {
    let writer = get_typed_column_writer_mut::<T>(writer);
    let nullable = writer.get_descriptor().max_def_level() > 0;
    let (mut levels, mut values) = (Vec::new(), Vec::new());
    for start in records.clone().step_by(BATCH) {
        levels.clear();
        values.clear();
        fill(start..records.end.min(start + BATCH), &mut levels, &mut values);
        writer.write_batch(&values, nullable.then_some(&levels[..]), None)?;
    }
    Ok(())
}

//! The values of Arrow arrays as categories: what a Parquet file and a data frame share.
//!
//! Text and binary values are categories as they are; integers, decimals, dates, times and
//! timestamps are their raw integer in decimal digits; a boolean is `true` or `false`; a null is
//! the null. Floating-point columns are refused, and so are columns of lists or structures.
//!
//! Trap: the same column comes in many types. A library may hold text as `Utf8`, `LargeUtf8` or
//! `Utf8View`, and any of these behind keys of any width. All of them give the same categories,
//! so that a plan does not depend on who made the table.
//!
//! Edge case: a key may lead to a null of the dictionary; it is the null like a missing key.
//!
//! Way in: [`refused`], [`push_all`].

use std::fmt::{Display, Write};

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Date64Type, Decimal128Type, Decimal256Type, Int8Type,
    Int16Type, Int32Type, Int64Type, Time32MillisecondType, Time32SecondType,
    Time64MicrosecondType, Time64NanosecondType, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, TimeUnit};
use marginswap_core::columns::ColumnBuilder;
use marginswap_core::diagnostic::Diagnostic;

use crate::refusal::Code;

/// The refusal of a kind of column that has no categories.
pub(crate) fn refused(kind: &DataType) -> Option<Diagnostic> {
    let (code, detail, remedy) = match kind {
        DataType::Dictionary(_, values) => return refused(values),
        DataType::Float16 | DataType::Float32 | DataType::Float64 => (
            Code::FloatColumn,
            "the column has floating-point numbers, which are not categories",
            "store it as integers, decimals or text, or ignore the column",
        ),
        kind if !is_supported(kind) => (
            Code::UnsupportedColumn,
            "the column has lists, structures or the like, which are not categories",
            "store it as text, or ignore the column",
        ),
        _ => return None,
    };
    Some(Diagnostic::new(code, detail, remedy))
}

fn is_supported(kind: &DataType) -> bool {
    match kind {
        DataType::Null | DataType::Boolean => true,
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => true,
        DataType::FixedSizeBinary(_) => true,
        DataType::Date32 | DataType::Date64 | DataType::Time32(_) | DataType::Time64(_) => true,
        DataType::Timestamp(..) | DataType::Decimal128(..) | DataType::Decimal256(..) => true,
        kind => kind.is_integer(),
    }
}

/// Adds every value of an array of a kind that is not [`refused`].
pub(crate) fn push_all(column: &mut ColumnBuilder, array: &ArrayRef) {
    match array.data_type() {
        DataType::Null => (0..array.len()).for_each(|_| column.push_null()),
        DataType::Boolean => {
            for value in array.as_boolean() {
                match value {
                    Some(true) => column.push(b"true"),
                    Some(false) => column.push(b"false"),
                    None => column.push_null(),
                }
            }
        }
        DataType::Dictionary(..) => push_keys(column, array),
        DataType::Int8 => push_numbers::<Int8Type>(column, array),
        DataType::Int16 => push_numbers::<Int16Type>(column, array),
        DataType::Int32 => push_numbers::<Int32Type>(column, array),
        DataType::Int64 => push_numbers::<Int64Type>(column, array),
        DataType::UInt8 => push_numbers::<UInt8Type>(column, array),
        DataType::UInt16 => push_numbers::<UInt16Type>(column, array),
        DataType::UInt32 => push_numbers::<UInt32Type>(column, array),
        DataType::UInt64 => push_numbers::<UInt64Type>(column, array),
        DataType::Date32 => push_numbers::<Date32Type>(column, array),
        DataType::Date64 => push_numbers::<Date64Type>(column, array),
        DataType::Time32(TimeUnit::Second) => push_numbers::<Time32SecondType>(column, array),
        DataType::Time32(_) => push_numbers::<Time32MillisecondType>(column, array),
        DataType::Time64(TimeUnit::Microsecond) => {
            push_numbers::<Time64MicrosecondType>(column, array);
        }
        DataType::Time64(_) => push_numbers::<Time64NanosecondType>(column, array),
        DataType::Timestamp(unit, _) => match unit {
            TimeUnit::Second => push_numbers::<TimestampSecondType>(column, array),
            TimeUnit::Millisecond => push_numbers::<TimestampMillisecondType>(column, array),
            TimeUnit::Microsecond => push_numbers::<TimestampMicrosecondType>(column, array),
            TimeUnit::Nanosecond => push_numbers::<TimestampNanosecondType>(column, array),
        },
        DataType::Decimal128(..) => push_numbers::<Decimal128Type>(column, array),
        DataType::Decimal256(..) => push_numbers::<Decimal256Type>(column, array),
        _ => {
            for position in 0..array.len() {
                match bytes_at(array, position) {
                    Some(bytes) => column.push(bytes),
                    None => column.push_null(),
                }
            }
        }
    }
}

/// Adds numbers as their decimal digits.
fn push_numbers<T: ArrowPrimitiveType>(column: &mut ColumnBuilder, array: &ArrayRef)
where
    T::Native: Display,
{
    let mut digits = String::new();
    let mut latest: Option<(T::Native, u32)> = None;
    for value in array.as_primitive::<T>() {
        match (value, latest) {
            (None, _) => column.push_null(),
            (Some(value), Some((same, code))) if value == same => column.push_code(code),
            (Some(value), _) => {
                digits.clear();
                write!(digits, "{value}").expect("a string takes text");
                let code = column.intern(digits.as_bytes());
                column.push_code(code);
                latest = Some((value, code));
            }
        }
    }
}

/// Adds the values that keys of any width lead to. A value of the dictionary becomes a category
/// when it is first met, so that one that is never met is none.
fn push_keys(column: &mut ColumnBuilder, array: &ArrayRef) {
    let array = array.as_any_dictionary();
    if array.values().is_empty() {
        (0..array.len()).for_each(|_| column.push_null());
        return;
    }
    let mut values = ColumnBuilder::default();
    push_all(&mut values, array.values());
    let values = values.finish();
    let mut codes: Vec<Option<u32>> = vec![None; values.len()];
    for (position, key) in array.normalized_keys().into_iter().enumerate() {
        if array.keys().is_null(position) {
            column.push_null();
            continue;
        }
        let code = codes[key].unwrap_or_else(|| {
            let met = match values.dictionary().category(values.code(key)) {
                Some(bytes) => column.intern(bytes),
                None => column.intern_null(),
            };
            codes[key] = Some(met);
            met
        });
        column.push_code(code);
    }
}

/// One value of an array of text or bytes; `None` for a null.
pub(crate) fn bytes_at(array: &ArrayRef, position: usize) -> Option<&[u8]> {
    if array.is_null(position) {
        return None;
    }
    Some(match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().value(position).as_bytes(),
        DataType::LargeUtf8 => array.as_string::<i64>().value(position).as_bytes(),
        DataType::Utf8View => array.as_string_view().value(position).as_bytes(),
        DataType::Binary => array.as_binary::<i32>().value(position),
        DataType::LargeBinary => array.as_binary::<i64>().value(position),
        DataType::BinaryView => array.as_binary_view().value(position),
        DataType::FixedSizeBinary(_) => array.as_fixed_size_binary().value(position),
        _ => unreachable!("other kinds are refused or have a way of their own"),
    })
}

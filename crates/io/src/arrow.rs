//! The values of Arrow arrays as categories: what a Parquet file and a data frame share.
//!
//! Text and binary values are categories as they are; integers, decimals, dates, times and
//! timestamps are their raw integer in decimal digits; a boolean is `true` or `false`; a null is
//! the null. Floating-point columns are refused, and so are columns of lists or structures.
//!
//! Trap: the same column comes in many types. A library may hold text as `Utf8`, `LargeUtf8` or
//! `Utf8View`, and any of these under keys of any width. All of them give the same categories,
//! so that a plan does not depend on who made the table.
//!
//! Edge case: a key may lead to a null of the dictionary; it is the null like a missing key.
//!
//! Way in: [`refused`], [`push_all`].

use std::fmt::{Display, Write};

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, ByteArrayType, ByteViewType, Date32Type, Date64Type, Decimal128Type,
    Decimal256Type, Int8Type, Int16Type, Int32Type, Int64Type, Time32MillisecondType,
    Time32SecondType, Time64MicrosecondType, Time64NanosecondType, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, ArrowNativeTypeOp, GenericByteArray, GenericByteViewArray, OffsetSizeTrait,
};
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
        DataType::Utf8 => push_texts(column, array.as_string::<i32>()),
        DataType::LargeUtf8 => push_texts(column, array.as_string::<i64>()),
        DataType::Utf8View => push_views(column, array.as_string_view()),
        DataType::Binary => push_texts(column, array.as_binary::<i32>()),
        DataType::LargeBinary => push_texts(column, array.as_binary::<i64>()),
        DataType::BinaryView => push_views(column, array.as_binary_view()),
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
    let mut met: [Option<(T::Native, u32)>; PLACES] = [None; PLACES];
    for value in array.as_primitive::<T>() {
        let Some(value) = value else {
            column.push_null();
            continue;
        };
        let known = &mut met[place(bits(value))];
        let code = match *known {
            Some((same, code)) if value == same => code,
            _ => {
                digits.clear();
                write!(digits, "{value}").expect("a string takes text");
                let code = column.intern(digits.as_bytes());
                *known = Some((value, code));
                code
            }
        };
        column.push_code(code);
    }
}

/// Adds text or bytes that lie one after the other.
fn push_texts<T: ByteArrayType>(column: &mut ColumnBuilder, array: &GenericByteArray<T>) {
    let (bytes, ends) = (array.value_data(), array.value_offsets());
    for (position, range) in ends.windows(2).enumerate() {
        match array.is_null(position) {
            true => column.push_null(),
            false => column.push_within(bytes, from(range[0])..from(range[1])),
        }
    }
}

/// Adds text or bytes that views point to. The view of a short value holds the value itself, so the
/// same view is the same value.
fn push_views<T: ByteViewType>(column: &mut ColumnBuilder, array: &GenericByteViewArray<T>) {
    let mut met: [Option<(u128, u32)>; PLACES] = [None; PLACES];
    for (position, &view) in array.views().iter().enumerate() {
        if array.is_null(position) {
            column.push_null();
            continue;
        }
        let [length, ..] = view.to_le_bytes();
        if view & LENGTH > LONGEST_INLINE {
            let value: &[u8] = array.value(position).as_ref();
            column.push(value);
            continue;
        }
        let [low, high] = [view & u128::from(u64::MAX), view >> 64];
        let folded = u64::try_from(low ^ high).expect("both are halves of a view");
        let known = &mut met[place(folded)];
        let code = match *known {
            Some((same, code)) if view == same => code,
            _ => {
                let code = column.intern(&view.to_le_bytes()[4..4 + usize::from(length)]);
                *known = Some((view, code));
                code
            }
        };
        column.push_code(code);
    }
}

/// Which bits of a view say how long the value is.
const LENGTH: u128 = 0xffff_ffff;

/// The longest value that a view holds itself.
const LONGEST_INLINE: u128 = 12;

/// How many values with their codes are remembered while a column is read: a value that is met
/// again soon is not looked up.
const PLACES: usize = 1 << 8;

/// The bits of a number, as far as a word holds them.
fn bits<N: ArrowNativeTypeOp>(number: N) -> u64 {
    number.to_i64().unwrap_or(0).cast_unsigned()
}

/// Where a value begins.
fn from<O: OffsetSizeTrait>(offset: O) -> usize {
    offset.as_usize()
}

/// The place at which a value of these bits is remembered.
fn place(bits: u64) -> usize {
    let spread = bits.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56;
    usize::try_from(spread).expect("eight bits fit")
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::sync::Arc;

    use arrow_array::{
        BinaryArray, Int64Array, LargeStringArray, StringArray, StringViewArray, UInt8Array,
    };
    use proptest::prelude::*;

    use super::*;

    /// The values, one by one.
    fn read(arrays: &[ArrayRef]) -> Vec<Option<Vec<u8>>> {
        let mut column = ColumnBuilder::default();
        arrays.iter().for_each(|array| push_all(&mut column, array));
        let column = column.finish();
        let value = |code| column.dictionary().category(code).map(<[u8]>::to_vec);
        (0..column.len()).map(|record| value(column.code(record))).collect()
    }

    proptest! {
        /// A text is the same category in whatever type; also where it is cut out of a longer
        /// array, and where there are more values than are remembered.
        #[test]
        fn every_form_gives_the_same_categories(
            texts in proptest::collection::vec(
                proptest::option::weighted(0.9, "[ab]{0,2}|[a-c]{7,9}|[xy]{11,18}"), 0..300),
            numbers in proptest::collection::vec(
                proptest::option::weighted(0.9, -400i64..400), 0..600),
            cut in 0usize..4,
        ) {
            let cut = cut.min(texts.len());
            let expected: Vec<Option<Vec<u8>>> =
                texts[cut..].iter().map(|text| text.as_ref().map(|text| text.clone().into())).collect();
            let given = || texts.iter().map(Option::as_deref);
            let forms: [ArrayRef; 4] = [
                Arc::new(given().collect::<StringArray>()),
                Arc::new(given().collect::<LargeStringArray>()),
                Arc::new(given().collect::<StringViewArray>()),
                Arc::new(given().map(|text| text.map(str::as_bytes)).collect::<BinaryArray>()),
            ];
            for form in forms {
                prop_assert_eq!(&read(&[form.slice(cut, texts.len() - cut)]), &expected);
                let (one, other) = (form.slice(cut, 0), form.slice(cut, texts.len() - cut));
                prop_assert_eq!(&read(&[one, other]), &expected);
            }
            let digits = |number: &Option<i64>| number.map(|number| number.to_string().into());
            let expected: Vec<Option<Vec<u8>>> = numbers.iter().map(digits).collect();
            let array: ArrayRef = Arc::new(numbers.iter().copied().collect::<Int64Array>());
            prop_assert_eq!(read(&[array]), expected);
        }
    }

    #[test]
    fn a_number_is_its_digits_whatever_its_width() {
        let bytes: ArrayRef = Arc::new(UInt8Array::from(vec![Some(0), None, Some(255), Some(0)]));
        let digits = |text: &str| Some(text.as_bytes().to_vec());
        assert_eq!(read(&[bytes]), [digits("0"), None, digits("255"), digits("0")]);
    }
}

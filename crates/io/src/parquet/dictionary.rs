//! A Parquet column whose pages hold keys of a dictionary, read as codes.
//!
//! Most columns of a survey have few values, and a file keeps them once, in a dictionary for
//! each row group, with a key of a few bits for each record. Here the dictionaries become one, and
//! each record gets a code of one or two bytes. No value is hashed but those of the dictionaries.
//!
//! Trap: a writer gives a dictionary up when it grows, and the pages after hold the values
//! themselves. What is not made of keys from the first page to the last, or has more than 65,536
//! values, is `None`, and so is what cannot be followed: the decoder that knows every encoding then
//! has the word.
//!
//! Edge case: a category is the value as the dictionary page has it, its low byte first if it is a
//! number.
//!
//! Way in: [`read`].

use std::sync::Arc;

use marginswap_core::columns::{Column, ColumnBuilder};
use parquet::basic::{Encoding, Type as PhysicalType};
use parquet::column::page::{Page, PageReader};
use parquet::file::serialized_reader::SerializedPageReader;
use parquet::schema::types::ColumnDescriptor;

use super::{Chunks, ParquetReader};
use crate::thrift::Walk;

/// The most values of all dictionaries together: their codes take two bytes.
const MOST: usize = 1 << 16;

/// The most records of a page, whose keys are unpacked at once. A page of one repeated value may
/// claim any number; the other decoder takes it in pieces.
const LONGEST_PAGE: usize = 1 << 22;

/// A flat column as codes.
pub(crate) fn read(reader: &ParquetReader, leaf: usize) -> Option<Column> {
    let metadata = reader.description.metadata();
    let has_dictionary =
        |group: usize| metadata.row_group(group).column(leaf).dictionary_page_offset().is_some();
    if !(0..metadata.num_row_groups()).all(has_dictionary) {
        return None;
    }
    let kind = reader.description.parquet_schema().column(leaf);
    let file = Arc::new(Chunks(reader.file.clone()));
    let mut column = ColumnBuilder::default();
    let mut page_of = Reading { kind: &kind, levels: Vec::new(), keys: Vec::new() };
    for row_group in metadata.row_groups() {
        let rows = usize::try_from(row_group.num_rows()).ok()?;
        let end = column.len().checked_add(rows)?;
        let chunk = row_group.column(leaf);
        let mut pages = SerializedPageReader::new(Arc::clone(&file), chunk, rows, None).ok()?;
        let mut codes: Vec<u32> = Vec::new();
        while let Some(page) = pages.get_next_page().ok()? {
            if let Page::DictionaryPage { buf, num_values, encoding, .. } = &page {
                let is_plain = matches!(encoding, Encoding::PLAIN | Encoding::PLAIN_DICTIONARY);
                codes =
                    if is_plain { interned(&mut column, buf, *num_values, &kind)? } else { None? };
                continue;
            }
            // No more than was claimed: memory was weighed by it.
            let records = usize::try_from(page.num_values()).ok()?;
            if column.len() + records > end || records > LONGEST_PAGE {
                return None;
            }
            page_of.push(&page, &codes, &mut column)?;
        }
        if column.len() != end {
            return None;
        }
    }
    Some(column.finish())
}

/// Makes every value of a dictionary page a category, and gives their codes.
fn interned(
    column: &mut ColumnBuilder,
    bytes: &[u8],
    values: u32,
    kind: &ColumnDescriptor,
) -> Option<Vec<u32>> {
    let fixed = match kind.physical_type() {
        PhysicalType::BOOLEAN => return None,
        PhysicalType::INT32 | PhysicalType::FLOAT => Some(4),
        PhysicalType::INT64 | PhysicalType::DOUBLE => Some(8),
        PhysicalType::INT96 => Some(12),
        PhysicalType::FIXED_LEN_BYTE_ARRAY => Some(usize::try_from(kind.type_length()).ok()?),
        PhysicalType::BYTE_ARRAY => None,
    };
    let (mut codes, mut rest) = (Vec::new(), bytes);
    for _ in 0..values {
        let length = match fixed {
            Some(length) => length,
            None => {
                let (length, behind) = rest.split_first_chunk::<4>()?;
                rest = behind;
                usize::try_from(u32::from_le_bytes(*length)).ok()?
            }
        };
        let (value, behind) = rest.split_at_checked(length)?;
        codes.push(column.intern(value));
        rest = behind;
        if column.levels() > MOST {
            return None;
        }
    }
    Some(codes)
}

/// What is needed to read a page, with room that is used again.
struct Reading<'a> {
    kind: &'a ColumnDescriptor,
    levels: Vec<u32>,
    keys: Vec<u32>,
}

impl Reading<'_> {
    /// Adds the records of a page of keys.
    fn push(&mut self, page: &Page, codes: &[u32], column: &mut ColumnBuilder) -> Option<()> {
        let records = usize::try_from(page.num_values()).ok()?;
        let is_keyed =
            matches!(page.encoding(), Encoding::PLAIN_DICTIONARY | Encoding::RLE_DICTIONARY);
        let nullable = self.kind.max_def_level() > 0;
        let (levels, keys) = match page {
            Page::DataPage { buf, def_level_encoding, .. } if nullable => {
                let (length, rest) = buf.split_first_chunk::<4>()?;
                let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
                let is_known = *def_level_encoding == Encoding::RLE;
                rest.split_at_checked(length).filter(|_| is_known)?
            }
            Page::DataPageV2 { buf, def_levels_byte_len, rep_levels_byte_len, .. } => {
                let rest = buf.get(usize::try_from(*rep_levels_byte_len).ok()?..)?;
                rest.split_at_checked(usize::try_from(*def_levels_byte_len).ok()?)?
            }
            Page::DataPage { buf, .. } => (&[][..], &buf[..]),
            Page::DictionaryPage { .. } => return None,
        };
        self.levels.clear();
        if nullable {
            numbers(levels, 1, records, &mut self.levels)?;
        }
        let nulls = self.levels.iter().filter(|&&level| level == 0).count();
        self.keys.clear();
        if nulls < records {
            let (&width, keys) = keys.split_first().filter(|_| is_keyed)?;
            numbers(keys, width, records - nulls, &mut self.keys)?;
        }
        let mut keys = self.keys.iter();
        let mut next = || codes.get(usize::try_from(*keys.next()?).ok()?).copied();
        if nulls == 0 {
            for _ in 0..records {
                column.push_code(next()?);
            }
            return Some(());
        }
        let null = column.intern_null();
        for &level in &self.levels {
            column.push_code(if level == 0 { null } else { next()? });
        }
        Some(())
    }
}

/// Adds this many numbers of `width` bits, which are in runs and in packed groups of eight.
fn numbers(bytes: &[u8], width: u8, count: usize, found: &mut Vec<u32>) -> Option<()> {
    let width = usize::from(width);
    let end = found.len().checked_add(count)?;
    if width > 32 {
        return None;
    }
    let mut walk = Walk { rest: bytes };
    while found.len() < end {
        let head = walk.number()?;
        let left = end - found.len();
        let length = usize::try_from(head >> 1).ok()?;
        if head & 1 == 0 {
            let (value, rest) = walk.rest.split_at_checked(width.div_ceil(8))?;
            let mut low_first = [0; 4];
            low_first[..value.len()].copy_from_slice(value);
            found.resize(found.len() + length.min(left), u32::from_le_bytes(low_first));
            walk.rest = rest;
        } else {
            let (packed, rest) = walk.rest.split_at_checked(length.checked_mul(width)?)?;
            unpack(packed, width, left.min(length.saturating_mul(8)), found);
            walk.rest = rest;
        }
    }
    Some(())
}

/// Adds this many packed numbers.
fn unpack(packed: &[u8], width: usize, count: usize, found: &mut Vec<u32>) {
    let end = found.len() + count;
    let mask = (1u64 << width) - 1;
    if width == 0 {
        return found.resize(end, 0);
    }
    // Eight numbers lie in as many bytes as a number has bits.
    for group in packed.chunks_exact(width) {
        let mut eight = [0; 8];
        if width <= 8 {
            let mut bytes = [0; 8];
            bytes[..width].copy_from_slice(group);
            let mut word = u64::from_le_bytes(bytes);
            for number in &mut eight {
                *number = low_bits(word, mask);
                word >>= width;
            }
        } else {
            let mut bytes = [0; 40];
            bytes[..width].copy_from_slice(group);
            for (nth, number) in eight.iter_mut().enumerate() {
                let (byte, bit) = (nth * width / 8, nth * width % 8);
                let word = bytes[byte..].first_chunk().expect("behind the last are eight more");
                *number = low_bits(u64::from_le_bytes(*word) >> bit, mask);
            }
        }
        found.extend_from_slice(&eight);
    }
    found.truncate(end);
}

fn low_bits(word: u64, mask: u64) -> u32 {
    u32::try_from(word & mask).expect("a number has at most 32 bits")
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;

    proptest! {
        /// Numbers packed bit by bit, and runs of them, come back for every width.
        #[test]
        fn packed_numbers_come_back(
            width in 0u8..=32,
            pieces in proptest::collection::vec((any::<bool>(), 0u32..40, any::<u64>()), 0..6),
            less in 0usize..8,
        ) {
            let (mut bytes, mut expected) = (Vec::new(), Vec::new());
            let mask = u32::try_from((1u64 << width) - 1).unwrap();
            for (is_run, length, mut seed) in pieces {
                if is_run {
                    let value = u32::try_from(seed >> 32).unwrap() & mask;
                    bytes.push(u8::try_from(length << 1).unwrap());
                    bytes.extend(&value.to_le_bytes()[..usize::from(width).div_ceil(8)]);
                    expected.extend(std::iter::repeat_n(value, length as usize));
                    continue;
                }
                bytes.push(u8::try_from(length << 1 | 1).unwrap());
                let mut bits = Vec::new();
                for _ in 0..length * 8 {
                    seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(7);
                    let value = u32::try_from(seed >> 32).unwrap() & mask;
                    expected.push(value);
                    bits.extend((0..width).map(|bit| value >> bit & 1 == 1));
                }
                for eight in bits.chunks(8) {
                    let byte = eight.iter().enumerate().map(|(at, &bit)| u8::from(bit) << at).sum();
                    bytes.push(byte);
                }
            }
            let count = expected.len().saturating_sub(less);
            let mut found = vec![7];
            numbers(&bytes, width, count, &mut found).unwrap();
            prop_assert_eq!(&found[1..], &expected[..count]);
            // More than there are cannot be read.
            prop_assert_eq!(numbers(&bytes, width, expected.len() + 1, &mut Vec::new()), None);
        }
    }

    #[test]
    fn wider_numbers_are_not_followed() {
        assert_eq!(numbers(&[3, 0, 0, 0, 0, 0], 33, 1, &mut Vec::new()), None);
        assert_eq!(numbers(&[3, 0], 2, 8, &mut Vec::new()), None);
    }
}

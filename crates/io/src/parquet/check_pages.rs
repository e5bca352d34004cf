//! A first look at the pages of a Parquet column, before a decoder trusts them.
//!
//! A page claims its size after decompression and its number of values, and the decoder
//! (`parquet` 60.1) makes room for what is claimed: a file of 150 bytes can ask for 8 GiB.
//! Allocations that fail end the process and cannot be caught. So the headers of all pages of
//! a column are walked first. Three claims are weighed; without any one of them
//! `hostile_descriptions_give_an_answer` ends in a failed allocation or does not end:
//!
//! - unpacked bytes: no codec of Parquet unpacks a byte into more than it can (snappy 22, LZ4
//!   255, gzip 1,032, zstd 32,768 bytes);
//! - values of a dictionary: each takes at least a byte;
//! - lengths in a page of delta-encoded text: as many as its values. They are in the page
//!   itself, so such pages are unpacked twice.
//!
//! What the decoder sees for itself, tried by leaving it out here: pages longer than their
//! chunk, chunks that go on after the end of the file, pages with more values than records.
//!
//! Trap: the walk must see the same pages as the decoder, so it is strict: what it cannot
//! follow to the last byte of the chunk is refused.
//!
//! Way in: [`look_through`], then [`lengths_are_sound`] if it asks for it.

use std::io;

use parquet::basic::{Compression, Encoding};
use parquet::column::page::{Page, PageReader};

use crate::input_file::InputFile;
use crate::thrift::{DEEPEST, Walk, kind};

/// Where a column's pages are, and what they may claim.
pub(crate) struct Chunk {
    pub(crate) start: u64,
    pub(crate) length: u64,
    pub(crate) codec: Compression,
}

/// What a first look finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    /// A decoder may unpack the pages.
    Sound,
    /// It may, once [`lengths_are_sound`].
    HasLengths,
    /// It must not.
    Unsound,
}

/// What a page header claims.
#[derive(Default)]
struct Claims {
    unpacked: u64,
    packed: u64,
    dictionary: u64,
    has_lengths: bool,
}

/// Walks over the headers of all pages.
///
/// # Errors
/// What the operating system says.
pub(crate) fn look_through(file: &InputFile, chunk: &Chunk) -> io::Result<Look> {
    let mut look = Look::Sound;
    let mut at = chunk.start;
    let end = chunk.start + chunk.length;
    while at < end {
        let Some((claims, header)) = read_header(file, at, end)? else {
            return Ok(Look::Unsound);
        };
        let most = match chunk.codec {
            Compression::UNCOMPRESSED => 1,
            Compression::SNAPPY => 22,
            Compression::GZIP(_) => 1 << 11,
            Compression::ZSTD(_) => 1 << 15,
            _ => 1 << 8,
        };
        let most_unpacked = claims.packed.saturating_mul(most);
        let is_sound = claims.unpacked <= most_unpacked && claims.dictionary <= claims.unpacked;
        if !is_sound {
            return Ok(Look::Unsound);
        }
        if claims.has_lengths {
            look = Look::HasLengths;
        }
        at += header + claims.packed;
    }
    Ok(look)
}

/// The claims of the page header at this place, and its length; `None` when it is not
/// well-formed. Statistics in it may be long, so more is read until it is whole.
fn read_header(file: &InputFile, at: u64, end: u64) -> io::Result<Option<(Claims, u64)>> {
    let mut size = 256;
    loop {
        let bytes = file.piece(at, size.min(end - at))?;
        let mut walk = Walk { rest: &bytes };
        if let Some(claims) = walk_header(&mut walk) {
            return Ok(Some((claims, (bytes.len() - walk.rest.len()) as u64)));
        }
        // Its bytes are all there, or more than any header has.
        if size >= end - at || size > 1 << 24 {
            return Ok(None);
        }
        size *= 16;
    }
}

fn walk_header(walk: &mut Walk<'_>) -> Option<Claims> {
    let mut claims = Claims::default();
    let mut last = 0;
    while let Some((field, kind)) = walk.field(&mut last)? {
        match field {
            2 => claims.unpacked = count(walk, kind)?,
            3 => claims.packed = count(walk, kind)?,
            // The data page, the dictionary page, the data page of version 2.
            5 | 7 | 8 => {
                if kind != kind::STRUCT {
                    return None;
                }
                let encoding_field = if field == 8 { 4 } else { 2 };
                let (values, encoding) = walk_page(walk, encoding_field)?;
                if field == 7 {
                    claims.dictionary = claims.dictionary.max(values);
                }
                // DELTA_LENGTH_BYTE_ARRAY and DELTA_BYTE_ARRAY.
                claims.has_lengths |= matches!(encoding, 6 | 7);
            }
            _ => walk.skip(kind, DEEPEST)?,
        }
    }
    Some(claims)
}

/// The number of values of a page, and the number of their encoding.
fn walk_page(walk: &mut Walk<'_>, encoding_field: i64) -> Option<(u64, i64)> {
    let (mut values, mut encoding) = (0, 0);
    let mut last = 0;
    while let Some((field, kind)) = walk.field(&mut last)? {
        match field {
            1 => values = count(walk, kind)?,
            field if field == encoding_field => encoding = walk.integer(kind)?,
            _ => walk.skip(kind, DEEPEST)?,
        }
    }
    Some((values, encoding))
}

fn count(walk: &mut Walk<'_>, kind: u8) -> Option<u64> {
    u64::try_from(walk.integer(kind)?).ok()
}

/// Are there, in every page of delta-encoded text, no more lengths than values? `None` when
/// a page cannot be followed.
///
/// `nullable` tells whether definition levels come before the values.
pub(crate) fn lengths_are_sound(mut pages: impl PageReader, nullable: bool) -> Option<()> {
    while let Some(page) = pages.get_next_page().ok()? {
        let (values, encoding, bytes) = match &page {
            Page::DataPage { buf, num_values, encoding, .. } => {
                let levels = if nullable {
                    let length = buf.get(..4)?.try_into().ok()?;
                    4 + usize::try_from(u32::from_le_bytes(length)).ok()?
                } else {
                    0
                };
                (*num_values, *encoding, buf.get(levels..)?)
            }
            Page::DataPageV2 {
                buf,
                num_values,
                encoding,
                def_levels_byte_len,
                rep_levels_byte_len,
                ..
            } => {
                let levels = def_levels_byte_len.checked_add(*rep_levels_byte_len)?;
                (*num_values, *encoding, buf.get(usize::try_from(levels).ok()?..)?)
            }
            Page::DictionaryPage { .. } => continue,
        };
        let lists = match encoding {
            Encoding::DELTA_LENGTH_BYTE_ARRAY => 1,
            Encoding::DELTA_BYTE_ARRAY => 2,
            _ => 0,
        };
        let mut walk = Walk { rest: bytes };
        for _ in 0..lists {
            pass_lengths(&mut walk, values.into())?;
        }
    }
    Some(())
}

/// Passes over delta-encoded integers, of which there must be no more than `most`.
fn pass_lengths(walk: &mut Walk<'_>, most: u64) -> Option<()> {
    let block = walk.number()?;
    let mini_blocks = walk.number()?;
    let mut left = walk.number()?;
    walk.zigzag()?;
    let mini_block = block.checked_div(mini_blocks)?;
    if left > most || mini_block == 0 {
        return None;
    }
    left = left.saturating_sub(1);
    while left > 0 {
        walk.zigzag()?;
        let widths = walk.rest.get(..usize::try_from(mini_blocks).ok()?)?;
        walk.pass(mini_blocks)?;
        for &width in widths.iter() {
            // The widths come after the last value, and no more values.
            if left > 0 {
                walk.pass(mini_block.checked_mul(width.into())?.div_ceil(8))?;
            }
            left = left.saturating_sub(mini_block);
        }
    }
    Some(())
}

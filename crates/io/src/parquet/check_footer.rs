//! A first look at the description of a Parquet file, before a decoder trusts it.
//!
//! The description is a thrift structure at the end of the file. Its schema is a list of
//! elements in which each tells how many of the next ones are its children. A decoder
//! makes room for as many children as are claimed, and descends by recursion: a claim of
//! 2³¹ children asks for 16 GB at once, and a hundred thousand elements that are each the
//! only child of the one before overflow the stack. No `catch_unwind` helps against
//! either. Here the bytes are walked once, with no more in memory than the file has.
//!
//! Tried with `parquet` 60.1 and `hostile_descriptions_give_an_answer` under a memory limit:
//! without the check of children an allocation of 16 GiB fails, without the check of depth the
//! stack overflows. Nothing else is checked here.
//!
//! Trap: this is no reader of descriptions. It refuses what is not well-formed thrift or
//! nests too deeply, and leaves every other judgement to the decoder.
//!
//! Way in: [`is_sound`].

use std::io;

use crate::input_file::InputFile;
use crate::thrift::{DEEPEST, Walk, kind};

/// The field of the description that holds the schema.
const SCHEMA: i64 = 2;

/// The field of a schema's element that tells the number of its children.
const CHILDREN: i64 = 5;

/// May a decoder look at the description of this file?
///
/// # Errors
/// What the operating system says.
pub(crate) fn is_sound(file: &InputFile) -> io::Result<bool> {
    let Some(tail) = file.length().checked_sub(8) else { return Ok(false) };
    let Ok(size) = <[u8; 4]>::try_from(file.piece(tail, 4)?) else { return Ok(false) };
    let Some(start) = tail.checked_sub(u32::from_le_bytes(size).into()) else {
        return Ok(false);
    };
    let description = file.piece(start, tail - start)?;
    Ok(walk_description(&mut Walk { rest: &description }).is_some())
}

fn walk_description(walk: &mut Walk<'_>) -> Option<()> {
    let mut last = 0;
    while let Some((field, kind)) = walk.field(&mut last)? {
        if field == SCHEMA {
            if kind != kind::LIST {
                return None;
            }
            walk_schema(walk)?;
        } else {
            walk.skip(kind, DEEPEST)?;
        }
    }
    Some(())
}

/// Walks over the schema; no element has more children than elements follow, and none
/// lies too deep.
fn walk_schema(walk: &mut Walk<'_>) -> Option<()> {
    let (elements, kind) = walk.list()?;
    if kind != kind::STRUCT {
        return None;
    }
    // The children that are still to come, for each element that is open.
    let mut open: Vec<u64> = Vec::new();
    for element in 0..elements {
        let children = walk_element(walk)?;
        if children > elements - element - 1 {
            return None;
        }
        if let Some(to_come) = open.last_mut() {
            *to_come -= 1;
        }
        if children > 0 {
            open.push(children);
        }
        while open.last() == Some(&0) {
            open.pop();
        }
        if open.len() > DEEPEST {
            return None;
        }
    }
    Some(())
}

/// Walks over an element of the schema and gives the number of its children.
fn walk_element(walk: &mut Walk<'_>) -> Option<u64> {
    let mut children = 0;
    let mut last = 0;
    while let Some((field, kind)) = walk.field(&mut last)? {
        if field == CHILDREN {
            children = u64::try_from(walk.integer(kind)?).ok()?;
        } else {
            walk.skip(kind, DEEPEST)?;
        }
    }
    Some(children)
}

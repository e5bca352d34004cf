//! A first look at the description of a Parquet file, before a decoder trusts it.
//!
//! The description is a thrift structure at the end of the file. Its schema is a list of
//! elements in which each tells how many of the next ones are its children. A decoder
//! makes room for as many children as are claimed, and descends by recursion: a claim of
//! 2³¹ children asks for 16 GB at once, and a hundred thousand elements that are each the
//! only child of the one before overflow the stack. No `catch_unwind` helps against
//! either. Here the bytes are walked once, with no more in memory than the file has.
//!
//! Trap: this is no reader of descriptions. It refuses what is not well-formed thrift or
//! nests too deeply, and leaves every other judgement to the decoder.
//!
//! Way in: [`is_sound`]. Reference: the compact protocol of Apache Thrift.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

/// The deepest columns within columns, and structures within structures.
const DEEPEST: usize = 64;

/// The field of the description that holds the schema.
const SCHEMA: i64 = 2;

/// The field of a schema's element that tells the number of its children.
const CHILDREN: i64 = 5;

/// May a decoder look at the description of this file?
///
/// # Errors
/// What the operating system says.
pub(crate) fn is_sound(file: &mut File) -> io::Result<bool> {
    let length = file.seek(SeekFrom::End(0))?;
    let Some(tail) = length.checked_sub(8) else { return Ok(false) };
    file.seek(SeekFrom::Start(tail))?;
    let mut size = [0; 4];
    file.read_exact(&mut size)?;
    let Some(start) = tail.checked_sub(u32::from_le_bytes(size).into()) else {
        return Ok(false);
    };
    file.seek(SeekFrom::Start(start))?;
    let mut description = Vec::new();
    file.take(tail - start).read_to_end(&mut description)?;
    let mut walk = Walk { rest: &description };
    Ok(walk.description().is_some())
}

/// What is left of the bytes. Every step gives `None` for bytes that are not well-formed.
struct Walk<'a> {
    rest: &'a [u8],
}

/// The kinds of values of the compact protocol that are told apart here.
mod kind {
    pub(super) const STOP: u8 = 0;
    pub(super) const TRUE: u8 = 1;
    pub(super) const FALSE: u8 = 2;
    pub(super) const BYTE: u8 = 3;
    pub(super) const I16: u8 = 4;
    pub(super) const I32: u8 = 5;
    pub(super) const I64: u8 = 6;
    pub(super) const DOUBLE: u8 = 7;
    pub(super) const BINARY: u8 = 8;
    pub(super) const LIST: u8 = 9;
    pub(super) const SET: u8 = 10;
    pub(super) const MAP: u8 = 11;
    pub(super) const STRUCT: u8 = 12;
    pub(super) const UUID: u8 = 13;
}

impl Walk<'_> {
    fn description(&mut self) -> Option<()> {
        let mut last = 0;
        while let Some((field, kind)) = self.field(&mut last)? {
            if field == SCHEMA && kind == kind::LIST {
                self.schema()?;
            } else {
                self.skip(kind, DEEPEST)?;
            }
        }
        Some(())
    }

    /// Walks over the schema; no element has more children than elements follow, and none
    /// lies too deep.
    fn schema(&mut self) -> Option<()> {
        let (elements, kind) = self.list()?;
        if kind != kind::STRUCT {
            return None;
        }
        // The children that are still to come, for each element that is open.
        let mut open: Vec<u64> = Vec::new();
        for element in 0..elements {
            let children = self.element()?;
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
    fn element(&mut self) -> Option<u64> {
        let mut children = 0;
        let mut last = 0;
        while let Some((field, kind)) = self.field(&mut last)? {
            if field == CHILDREN && kind == kind::I32 {
                children = u64::try_from(self.zigzag()?).ok()?;
            } else {
                self.skip(kind, DEEPEST)?;
            }
        }
        Some(children)
    }

    fn skip(&mut self, kind: u8, deepest: usize) -> Option<()> {
        let deeper = deepest.checked_sub(1)?;
        match kind {
            kind::TRUE | kind::FALSE => {}
            kind::BYTE => self.pass(1)?,
            kind::I16 | kind::I32 | kind::I64 => {
                self.number()?;
            }
            kind::DOUBLE => self.pass(8)?,
            kind::UUID => self.pass(16)?,
            kind::BINARY => {
                let length = self.number()?;
                self.pass(length)?;
            }
            kind::LIST | kind::SET => {
                let (elements, kind) = self.list()?;
                for _ in 0..elements {
                    self.skip_in_list(kind, deeper)?;
                }
            }
            kind::MAP => {
                let entries = self.number()?;
                if entries > 0 {
                    let kinds = self.byte()?;
                    for _ in 0..entries {
                        self.skip_in_list(kinds >> 4, deeper)?;
                        self.skip_in_list(kinds & 0x0f, deeper)?;
                    }
                }
            }
            kind::STRUCT => {
                let mut last = 0;
                while let Some((_, kind)) = self.field(&mut last)? {
                    self.skip(kind, deeper)?;
                }
            }
            _ => return None,
        }
        Some(())
    }

    /// In a list a truth value takes a byte; as a field it is told by its kind.
    fn skip_in_list(&mut self, kind: u8, deepest: usize) -> Option<()> {
        match kind {
            kind::TRUE | kind::FALSE => self.pass(1),
            kind => self.skip(kind, deepest),
        }
    }

    /// The next field of a structure: its number and kind, or nothing at the end.
    fn field(&mut self, last: &mut i64) -> Option<Option<(i64, u8)>> {
        let byte = self.byte()?;
        let kind = byte & 0x0f;
        if kind == kind::STOP {
            return Some(None);
        }
        *last = match byte >> 4 {
            0 => self.zigzag()?,
            step => last.checked_add(step.into())?,
        };
        Some(Some((*last, kind)))
    }

    /// The beginning of a list: how many elements, of which kind.
    fn list(&mut self) -> Option<(u64, u8)> {
        let byte = self.byte()?;
        let elements = match byte >> 4 {
            15 => self.number()?,
            few => few.into(),
        };
        Some((elements, byte & 0x0f))
    }

    fn zigzag(&mut self) -> Option<i64> {
        let number = self.number()?;
        Some((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
    }

    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    fn byte(&mut self) -> Option<u8> {
        let (&byte, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(byte)
    }

    fn pass(&mut self, bytes: u64) -> Option<()> {
        self.rest = self.rest.get(usize::try_from(bytes).ok()?..)?;
        Some(())
    }
}

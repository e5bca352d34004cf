//! A walk over bytes of the compact protocol of Apache Thrift.
//!
//! Only what the first look at a Parquet file needs: fields are found or passed over,
//! nothing is built, and no depth or length that the bytes claim is believed.
//!
//! The limit of depth guards this walk itself, which descends by recursion: without it the
//! hostile files of the tests overflow the stack here.
//!
//! Trap: a field that is looked for must have the kind that a decoder expects; a decoder
//! may read it without asking. What is not well-formed is `None`.
//!
//! Way in: [`Walk`].

/// The deepest structures within structures.
pub(crate) const DEEPEST: usize = 64;

/// What is left of the bytes. Every step gives `None` for bytes that are not well-formed.
pub(crate) struct Walk<'a> {
    pub(crate) rest: &'a [u8],
}

/// The kinds of values of the compact protocol that are distinguished here.
pub(crate) mod kind {
    pub(crate) const STOP: u8 = 0;
    pub(crate) const TRUE: u8 = 1;
    pub(crate) const FALSE: u8 = 2;
    pub(crate) const BYTE: u8 = 3;
    pub(crate) const I16: u8 = 4;
    pub(crate) const I32: u8 = 5;
    pub(crate) const I64: u8 = 6;
    pub(crate) const DOUBLE: u8 = 7;
    pub(crate) const BINARY: u8 = 8;
    pub(crate) const LIST: u8 = 9;
    pub(crate) const SET: u8 = 10;
    pub(crate) const MAP: u8 = 11;
    pub(crate) const STRUCT: u8 = 12;
    pub(crate) const UUID: u8 = 13;
}

impl Walk<'_> {
    /// The integer of a field that must have this kind.
    pub(crate) fn integer(&mut self, kind: u8) -> Option<i64> {
        if kind == kind::I32 { self.zigzag() } else { None }
    }

    /// Passes over a value of this kind.
    pub(crate) fn skip(&mut self, kind: u8, deepest: usize) -> Option<()> {
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

    /// In a list a truth value takes a byte; as a field its kind says it.
    fn skip_in_list(&mut self, kind: u8, deepest: usize) -> Option<()> {
        match kind {
            kind::TRUE | kind::FALSE => self.pass(1),
            kind => self.skip(kind, deepest),
        }
    }

    /// The next field of a structure: its number and kind, or nothing at the end.
    pub(crate) fn field(&mut self, last: &mut i64) -> Option<Option<(i64, u8)>> {
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
    pub(crate) fn list(&mut self) -> Option<(u64, u8)> {
        let byte = self.byte()?;
        let elements = match byte >> 4 {
            15 => self.number()?,
            few => few.into(),
        };
        Some((elements, byte & 0x0f))
    }

    pub(crate) fn zigzag(&mut self) -> Option<i64> {
        let number = self.number()?;
        Some((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
    }

    pub(crate) fn number(&mut self) -> Option<u64> {
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

    pub(crate) fn byte(&mut self) -> Option<u8> {
        let (&byte, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(byte)
    }

    pub(crate) fn pass(&mut self, bytes: u64) -> Option<()> {
        self.rest = self.rest.get(usize::try_from(bytes).ok()?..)?;
        Some(())
    }
}

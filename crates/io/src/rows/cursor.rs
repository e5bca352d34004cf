//! A description, read piece by piece: every piece is weighed against the file before memory is
//! taken for it.

use marginswap_core::diagnostic::{Diagnostic, Kind as Refusal, grouped};

use super::damaged;
use crate::input_file::{InputFile, not_read};

/// Which end of a number comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// The high byte.
    Big,
    /// The low byte.
    Little,
}

impl Order {
    /// A number without a sign, of up to eight bytes.
    pub(crate) fn unsigned(self, bytes: &[u8]) -> u64 {
        let add = |number: u64, &byte: &u8| number << 8 | u64::from(byte);
        match self {
            Self::Big => bytes.iter().fold(0, add),
            Self::Little => bytes.iter().rev().fold(0, add),
        }
    }

    /// A number with a sign, of one to eight bytes.
    pub(crate) fn signed(self, bytes: &[u8]) -> i64 {
        let spare = 64 - 8 * u32::try_from(bytes.len()).expect("a number is short");
        (self.unsigned(bytes) << spare).cast_signed() >> spare
    }

    /// The last bytes of a number, in this order.
    pub(crate) fn bytes(self, number: u64, length: usize) -> Vec<u8> {
        let mut bytes = number.to_be_bytes()[8 - length..].to_vec();
        if self == Self::Little {
            bytes.reverse();
        }
        bytes
    }
}

/// A place in a file that is being read.
pub(crate) struct Cursor<'a> {
    pub(crate) file: &'a InputFile,
    pub(crate) at: u64,
    pub(crate) order: Order,
    /// What a file is called that ends too early.
    pub(crate) code: Refusal,
}

impl Cursor<'_> {
    /// The next bytes, which are `what`.
    pub(crate) fn take(&mut self, length: u64, what: &str) -> Result<Vec<u8>, Diagnostic> {
        self.weigh(length, what)?;
        let bytes = self.file.piece(self.at, length).map_err(|error| not_read(&error))?;
        if bytes.len() as u64 != length {
            return Err(self.cut(what));
        }
        self.at += length;
        Ok(bytes)
    }

    /// Refuses a claim of more bytes than the file has.
    pub(crate) fn weigh(&self, length: u64, what: &str) -> Result<(), Diagnostic> {
        match self.at.checked_add(length) {
            Some(end) if end <= self.file.length() => Ok(()),
            _ => Err(self.cut(what)),
        }
    }

    pub(crate) fn skip(&mut self, length: u64, what: &str) -> Result<(), Diagnostic> {
        self.weigh(length, what)?;
        self.at += length;
        Ok(())
    }

    pub(crate) fn unsigned(&mut self, length: u64, what: &str) -> Result<u64, Diagnostic> {
        Ok(self.order.unsigned(&self.take(length, what)?))
    }

    /// Passes over these bytes, which must be there.
    pub(crate) fn expect(&mut self, text: &[u8]) -> Result<(), Diagnostic> {
        let shown = String::from_utf8_lossy(text).into_owned();
        let at = self.at;
        if self.take(text.len() as u64, &format!("`{shown}`"))? == text {
            return Ok(());
        }
        Err(damaged(self.code, at, &format!("`{shown}` was expected here")))
    }

    pub(crate) fn bad(&self, expected: &str) -> Diagnostic {
        damaged(self.code, self.at, expected)
    }

    fn cut(&self, what: &str) -> Diagnostic {
        let length = grouped(self.file.length());
        damaged(
            self.code,
            self.at,
            &format!("{what} was expected here; the file has {length} bytes"),
        )
    }
}

/// Text up to the first NUL.
pub(crate) fn until_nul(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    &bytes[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_are_written() {
        for order in [Order::Big, Order::Little] {
            for length in 1..=8 {
                for number in [0u64, 1, 0x7f, 0x80, 0xff, 0x0123_4567_89ab_cdef] {
                    let kept = number & (u64::MAX >> (64 - 8 * length));
                    assert_eq!(order.unsigned(&order.bytes(number, length)), kept);
                }
            }
        }
        assert_eq!(Order::Big.signed(&[0xff, 0xfe]), -2);
        assert_eq!(Order::Little.signed(&[0xfe, 0xff]), -2);
        assert_eq!(Order::Little.signed(&[0xfe, 0]), 254);
    }
}

//! One column of the file, as codes.
//!
//! A reader pushes the fields of a column one after the other; the codes are stored in
//! one, two or four bytes each, whatever the number of categories needs so far.

use std::fmt;
use std::ops::Range;

use super::Dictionary;

/// One column: its categories, and each record's code.
#[derive(Default)]
pub struct Column {
    dictionary: Dictionary,
    codes: Codes,
}

/// Codes in the narrowest form that holds them.
enum Codes {
    Narrow(Vec<u8>),
    Middle(Vec<u16>),
    Wide(Vec<u32>),
}

impl Column {
    /// Adds the next record's field.
    pub fn push(&mut self, category: &[u8]) {
        let code = self.dictionary.code(category);
        self.codes.push(code);
    }

    /// Adds the next record's field, which is this range of the bytes; see
    /// [`Dictionary::code_within`].
    #[inline]
    pub fn push_within(&mut self, bytes: &[u8], range: Range<usize>) {
        let code = self.dictionary.code_within(bytes, range);
        self.codes.push(code);
    }

    /// The code of a category, which is added when it is new; no record is.
    pub fn intern(&mut self, category: &[u8]) -> u32 {
        self.dictionary.code(category)
    }

    /// Adds the next record's code.
    ///
    /// # Panics
    /// When no category has this code.
    #[inline]
    pub fn push_code(&mut self, code: u32) {
        assert!((code as usize) < self.dictionary.levels(), "a code has a category");
        self.codes.push(code);
    }

    /// Adds the next record's field where the file has a null.
    pub fn push_null(&mut self) {
        let code = self.dictionary.null_code();
        self.codes.push(code);
    }

    /// The categories.
    #[must_use]
    pub fn dictionary(&self) -> &Dictionary {
        &self.dictionary
    }

    /// How many records have been pushed.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.codes {
            Codes::Narrow(codes) => codes.len(),
            Codes::Middle(codes) => codes.len(),
            Codes::Wide(codes) => codes.len(),
        }
    }

    /// Is there no record yet?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The code of one record.
    ///
    /// # Panics
    /// When there is no such record.
    #[must_use]
    pub fn code(&self, record: usize) -> u32 {
        match &self.codes {
            Codes::Narrow(codes) => codes[record].into(),
            Codes::Middle(codes) => codes[record].into(),
            Codes::Wide(codes) => codes[record],
        }
    }

    /// Calls `visit` with each record's number and code, in file order.
    pub fn for_each_code(&self, mut visit: impl FnMut(usize, u32)) {
        match &self.codes {
            Codes::Narrow(codes) => {
                codes.iter().enumerate().for_each(|(record, &code)| visit(record, code.into()));
            }
            Codes::Middle(codes) => {
                codes.iter().enumerate().for_each(|(record, &code)| visit(record, code.into()));
            }
            Codes::Wide(codes) => {
                codes.iter().enumerate().for_each(|(record, &code)| visit(record, code));
            }
        }
    }
}

/// Is nearly every value of the column different, as in an id?
#[must_use]
pub fn looks_like_id(column: &Column) -> bool {
    nearly_all_differ(column.dictionary().levels(), column.len())
}

/// Are so many levels nearly one for each record: for nine of ten or more, in a file of at
/// least ten?
#[must_use]
pub fn nearly_all_differ(levels: usize, records: usize) -> bool {
    records >= 10 && levels * 10 >= records * 9
}

impl<'a> FromIterator<&'a [u8]> for Column {
    fn from_iter<I: IntoIterator<Item = &'a [u8]>>(fields: I) -> Self {
        let mut column = Self::default();
        for field in fields {
            column.push(field);
        }
        column
    }
}

impl fmt::Debug for Column {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Column({} records, {} levels)", self.len(), self.dictionary.levels())
    }
}

impl Default for Codes {
    fn default() -> Self {
        Self::Narrow(Vec::new())
    }
}

impl Codes {
    #[inline]
    fn push(&mut self, code: u32) {
        match self {
            Self::Narrow(codes) => match u8::try_from(code) {
                Ok(code) => codes.push(code),
                Err(_) => self.push_wider(code),
            },
            Self::Middle(codes) => match u16::try_from(code) {
                Ok(code) => codes.push(code),
                Err(_) => self.push_wider(code),
            },
            Self::Wide(codes) => codes.push(code),
        }
    }

    #[cold]
    fn push_wider(&mut self, code: u32) {
        *self = match self {
            Self::Narrow(codes) => Self::Middle(codes.iter().map(|&code| code.into()).collect()),
            Self::Middle(codes) => Self::Wide(codes.iter().map(|&code| code.into()).collect()),
            Self::Wide(_) => unreachable!("every code fits four bytes"),
        };
        self.push(code);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Witness for both widenings: the 257th and the 65,537th category.
    #[test]
    fn codes_survive_both_widenings() {
        let mut column = Column::default();
        for value in 0..70_000u32 {
            column.push(&value.to_le_bytes());
        }
        column.push(&3u32.to_le_bytes());
        assert_eq!(column.len(), 70_001);
        for record in 0..70_000 {
            assert_eq!(column.code(record) as usize, record);
        }
        assert_eq!(column.code(70_000), 3);
    }
}

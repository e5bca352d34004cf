//! One column of the file, as codes.
//!
//! A reader pushes the fields of a column into a [`ColumnBuilder`], one after the other; the
//! codes are stored in one, two or four bytes each, whatever the number of categories needs
//! so far. A [`Column`] is finished: a copy of it shares its categories and its codes.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::Dictionary;

/// One column: its categories, and each record's code.
#[derive(Clone, Default)]
pub struct Column {
    dictionary: Arc<Dictionary>,
    codes: Arc<Codes>,
}

/// A column that is being read.
#[derive(Default)]
pub struct ColumnBuilder {
    dictionary: Dictionary,
    codes: Codes,
}

/// Codes in the narrowest form that holds them.
#[derive(Clone)]
enum Codes {
    Narrow(Vec<u8>),
    Middle(Vec<u16>),
    Wide(Vec<u32>),
}

impl ColumnBuilder {
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

    /// The code of the null, which is added when it is new; no record is.
    pub fn intern_null(&mut self) -> u32 {
        self.dictionary.null_code()
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

    /// How many records have been pushed.
    #[must_use]
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    /// Is there no record yet?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The column, with its categories in the order of first appearance.
    #[must_use]
    pub fn finish(self) -> Column {
        Column { dictionary: Arc::new(self.dictionary), codes: Arc::new(self.codes) }
    }
}

impl Column {
    /// The categories.
    #[must_use]
    pub fn dictionary(&self) -> &Dictionary {
        &self.dictionary
    }

    /// How many records it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    /// Has it no record?
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
        self.codes.get(record)
    }

    /// Calls `visit` with each record's number and code, in file order.
    pub fn for_each_code(&self, mut visit: impl FnMut(usize, u32)) {
        match &*self.codes {
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

    /// The same column with the categories that occur in the order of their bytes, a null
    /// before all of them: codes that depend on the contents alone.
    #[must_use]
    pub fn sorted(self) -> Self {
        let mut occurs = vec![false; self.dictionary.levels()];
        self.for_each_code(|_, code| occurs[code as usize] = true);
        let order: Vec<u32> =
            self.dictionary.order().into_iter().filter(|&code| occurs[code as usize]).collect();
        if order.len() == occurs.len() && order.is_sorted() {
            return self;
        }
        let dictionary = self.dictionary.only(&order);
        let mut ranks = vec![0; occurs.len()];
        for (rank, &code) in (0..).zip(&order) {
            ranks[code as usize] = rank;
        }
        self.recoded(Arc::new(dictionary), &ranks)
    }

    /// The column whose code is `codes[c]` where this one has c.
    fn recoded(&self, dictionary: Arc<Dictionary>, codes: &[u32]) -> Self {
        let narrow: Result<Vec<u8>, _> = codes.iter().map(|&code| u8::try_from(code)).collect();
        if let (Codes::Narrow(own), Ok(narrow)) = (&*self.codes, &narrow) {
            // Few categories: byte by byte.
            let recoded = own.iter().map(|&code| narrow[usize::from(code)]).collect();
            return Self { dictionary, codes: Arc::new(Codes::Narrow(recoded)) };
        }
        let mut recoded = Codes::for_levels(dictionary.levels(), self.len());
        self.for_each_code(|_, code| recoded.push(codes[code as usize]));
        Self { dictionary, codes: Arc::new(recoded) }
    }

    /// The records of several parts of a column, one part after the other.
    ///
    /// Law: `parts-merge-to-the-whole`.
    #[must_use]
    pub fn merged(parts: &[&Self]) -> Self {
        let dictionaries: Vec<&Dictionary> = parts.iter().map(|part| part.dictionary()).collect();
        let (dictionary, recodings) = Dictionary::merged(&dictionaries);
        let length = parts.iter().map(|part| part.len()).sum();
        let mut codes = Codes::for_levels(dictionary.levels(), length);
        for (part, recoding) in parts.iter().zip(&recodings) {
            part.for_each_code(|_, code| codes.push(recoding[code as usize]));
        }
        Self { dictionary: Arc::new(dictionary), codes: Arc::new(codes) }
    }

    /// The column in which each of these records has the code that another one has here. The
    /// categories are shared.
    pub(crate) fn with_exchanged(&self, takes: &[(usize, usize)]) -> Self {
        let mut codes = (*self.codes).clone();
        for &(record, from) in takes {
            codes.set(record, self.codes.get(from));
        }
        Self { dictionary: Arc::clone(&self.dictionary), codes: Arc::new(codes) }
    }

    /// The column of these records, in this order.
    #[must_use]
    pub fn of_records(&self, records: impl IntoIterator<Item = usize>) -> Self {
        let mut codes = Codes::for_levels(self.dictionary.levels(), 0);
        for record in records {
            codes.push(self.codes.get(record));
        }
        Self { dictionary: Arc::clone(&self.dictionary), codes: Arc::new(codes) }
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
        let mut column = ColumnBuilder::default();
        for field in fields {
            column.push(field);
        }
        column.finish()
    }
}

impl fmt::Debug for Column {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Column({} records, {} levels)", self.len(), self.dictionary.levels())
    }
}

impl fmt::Debug for ColumnBuilder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (records, levels) = (self.len(), self.dictionary.levels());
        write!(formatter, "ColumnBuilder({records} records, {levels} levels)")
    }
}

impl Default for Codes {
    fn default() -> Self {
        Self::Narrow(Vec::new())
    }
}

impl Codes {
    /// Room for so many records with codes below `levels`.
    fn for_levels(levels: usize, records: usize) -> Self {
        match levels.saturating_sub(1) {
            0..=0xff => Self::Narrow(Vec::with_capacity(records)),
            0x100..=0xffff => Self::Middle(Vec::with_capacity(records)),
            _ => Self::Wide(Vec::with_capacity(records)),
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Narrow(codes) => codes.len(),
            Self::Middle(codes) => codes.len(),
            Self::Wide(codes) => codes.len(),
        }
    }

    fn get(&self, record: usize) -> u32 {
        match self {
            Self::Narrow(codes) => codes[record].into(),
            Self::Middle(codes) => codes[record].into(),
            Self::Wide(codes) => codes[record],
        }
    }

    /// Gives a record another code that some record has.
    fn set(&mut self, record: usize, code: u32) {
        const FITS: &str = "a code that a record has fits";
        match self {
            Self::Narrow(codes) => codes[record] = u8::try_from(code).expect(FITS),
            Self::Middle(codes) => codes[record] = u16::try_from(code).expect(FITS),
            Self::Wide(codes) => codes[record] = code,
        }
    }

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
        let mut column = ColumnBuilder::default();
        for value in 0..70_000u32 {
            column.push(&value.to_le_bytes());
        }
        column.push(&3u32.to_le_bytes());
        let column = column.finish();
        assert_eq!(column.len(), 70_001);
        for record in 0..70_000 {
            assert_eq!(column.code(record) as usize, record);
        }
        assert_eq!(column.code(70_000), 3);
    }

    /// The null first, then by bytes; what does not occur is gone.
    #[test]
    fn sorted_codes_depend_on_contents_alone() {
        let mut column = ColumnBuilder::default();
        column.intern(b"unused");
        for field in [&b"b"[..], b"", b"abcdefghi", b"abcdefgh", b"b"] {
            column.push(field);
        }
        column.push_null();
        let sorted = column.finish().sorted();
        let codes: Vec<u32> = (0..sorted.len()).map(|record| sorted.code(record)).collect();
        assert_eq!(codes, [4, 1, 3, 2, 4, 0]);
        assert_eq!(sorted.dictionary().levels(), 5);
        assert_eq!(sorted.dictionary().category(0), None);
        assert_eq!(sorted.dictionary().category(3), Some(&b"abcdefghi"[..]));
        assert_eq!(sorted.dictionary().find(b"unused"), None);
    }
}

//! One column of the file, as codes.
//!
//! A reader pushes the fields of a column into a [`ColumnBuilder`], one after the other; the
//! codes are stored in one, two or four bytes each, whatever the number of categories needs
//! so far. A [`Column`] is finished: a copy of it shares its categories and its codes.
//!
//! Once the records of a file are counted into cells, a column need not be held record by record:
//! [`Column::folded`] has a code for each cell, and shares the cell of each record with all others.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::dictionary::Key;
use super::quick::Quick;
use super::{Dictionary, UncodedColumn};

/// One column: its categories, and each record's code.
#[derive(Clone, Default)]
pub struct Column {
    dictionary: Arc<Dictionary>,
    codes: Arc<Codes>,
    /// Where each record's code is among these; `None` where each is at its own place.
    places: Option<Arc<Vec<u32>>>,
}

/// A column that is being read.
#[derive(Default)]
pub struct ColumnBuilder {
    dictionary: Dictionary,
    codes: Codes,
    /// For parts: what they look up first.
    quick: Quick,
}

/// Records of a column that are read apart from others; those before them may be read at the same
/// time. See [`ColumnBuilder::append`].
#[derive(Default)]
pub struct ColumnPart {
    /// How many categories were known when it was begun.
    known: usize,
    /// Those that were not; their codes come after.
    new: Dictionary,
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

    /// Records that come after those of this column, none yet.
    #[must_use]
    pub fn part(&self) -> ColumnPart {
        ColumnPart { known: self.dictionary.levels(), ..ColumnPart::default() }
    }

    /// Adds the field of the next record to a part that was begun with the categories as they are
    /// now; as [`ColumnBuilder::push_within`].
    #[inline]
    pub fn push_beside(&self, part: &mut ColumnPart, bytes: &[u8], range: Range<usize>) {
        let key = Key::new(bytes, range.clone());
        let code = match self.quick.find(key) {
            Some(code) => code,
            None => self.code_beside(part, key, &bytes[range]),
        };
        part.codes.push(code);
    }

    /// The code that a category has in a part.
    #[inline(never)]
    fn code_beside(&self, part: &mut ColumnPart, key: Key, category: &[u8]) -> u32 {
        match self.dictionary.code_beside(&mut part.new, key, category) {
            Ok(code) => code,
            Err(new) => behind(part.known, new),
        }
    }

    /// Adds the records of a part. Where parts come in the order of their records, the column is
    /// as if its records had come one by one.
    ///
    /// Law: `parts-append-to-the-whole`.
    pub fn append(&mut self, part: ColumnPart) {
        let ColumnPart { known, new, codes } = part;
        let levels = behind(0, u32::try_from(new.levels()).expect("there are fewer categories"));
        let own: Vec<u32> =
            (0..levels).map(|code| self.dictionary.take_over(new.category(code))).collect();
        self.quick.learn(&self.dictionary);
        let as_they_are = (0..).zip(&own).all(|(new, &code)| code == behind(known, new));
        if as_they_are {
            return self.codes.extend(&codes);
        }
        codes.for_each(|_, code| {
            let new = (code as usize).checked_sub(known);
            self.codes.push(new.map_or(code, |new| own[new]));
        });
    }

    /// How many categories there are so far.
    #[must_use]
    pub fn levels(&self) -> usize {
        self.dictionary.levels()
    }

    /// Where the categories with codes from `known` on were first met, in the order of their codes
    /// and counted from the record `from`, before which none of them was.
    #[must_use]
    pub fn first_met(&self, known: usize, from: usize) -> Vec<u32> {
        let mut firsts = Vec::with_capacity(self.levels() - known);
        for record in from..self.len() {
            if known + firsts.len() == self.levels() {
                break;
            }
            if self.codes.get(record) as usize == known + firsts.len() {
                firsts.push(u32::try_from(record - from).expect("records have numbers of 32 bits"));
            }
        }
        firsts
    }

    /// The category of each record instead of its code.
    pub(super) fn into_listed(self) -> UncodedColumn {
        let mut list = UncodedColumn::default();
        self.codes.for_each(|_, code| {
            list.push(self.dictionary.category(code).expect("what is listed has no nulls"));
        });
        list
    }

    /// The column of a list, which grows code by code from here on.
    pub(super) fn of_listed(list: UncodedColumn) -> Self {
        let (dictionary, listed) = list.coded();
        let codes = match dictionary.levels() {
            0..=0x1_0000 => {
                let mut codes = Codes::for_levels(dictionary.levels(), listed.len());
                listed.into_iter().for_each(|code| codes.push(code));
                codes
            }
            _ => Codes::Wide(listed),
        };
        Self { dictionary, codes, quick: Quick::default() }
    }

    /// The column, with its categories in the order of first appearance.
    #[must_use]
    pub fn finish(mut self) -> Column {
        self.codes.shrink();
        Column { dictionary: Arc::new(self.dictionary), codes: Arc::new(self.codes), places: None }
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
        self.places.as_ref().map_or_else(|| self.codes.len(), |places| places.len())
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
        match &self.places {
            Some(places) => self.codes.get(places[record] as usize),
            None => self.codes.get(record),
        }
    }

    /// Calls `visit` with each record's number and code, in file order.
    pub fn for_each_code(&self, visit: impl FnMut(usize, u32)) {
        self.for_each_code_in(0..self.len(), visit);
    }

    /// The same for some records only, numbered from the first of them.
    ///
    /// # Panics
    /// When there are no such records.
    pub fn for_each_code_in(&self, records: Range<usize>, visit: impl FnMut(usize, u32)) {
        match &self.places {
            Some(places) => self.codes.for_each_at(&places[records], visit),
            None => self.codes.for_each_in(records, visit),
        }
    }

    /// The same column with one code for all records that have the same place, which are those of
    /// one cell; `examples` names a record of each place.
    ///
    /// Law: `folded-columns-are-the-same`.
    ///
    /// # Panics
    /// When there is not a place for each record, or no such record.
    #[must_use]
    pub fn folded(&self, places: &Arc<Vec<u32>>, examples: &[u32]) -> Self {
        assert_eq!(self.len(), places.len(), "every record has a place");
        let of_examples = self.of_records(examples.iter().map(|&record| record as usize));
        Self { places: Some(Arc::clone(places)), ..of_examples }
    }

    /// The column of records of which each has the code that one of these has, given by its place.
    /// All columns of a table share the places.
    ///
    /// # Panics
    /// When a place is that of no record.
    #[must_use]
    pub fn at_places(&self, places: &Arc<Vec<u32>>) -> Self {
        let own = match &self.places {
            Some(_) => self.of_records(0..self.len()),
            None => self.clone(),
        };
        let length = own.len();
        assert!(places.iter().all(|&place| (place as usize) < length), "a place has a record");
        Self { places: Some(Arc::clone(places)), ..own }
    }

    /// The same column with the categories that occur in the order of their bytes, a null
    /// before all of them: codes that depend on the contents alone.
    #[must_use]
    pub fn sorted(self) -> Self {
        let mut occurs = vec![false; self.dictionary.levels()];
        self.codes.for_each(|_, code| occurs[code as usize] = true);
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
    fn recoded(mut self, dictionary: Arc<Dictionary>, codes: &[u32]) -> Self {
        let narrow: Result<Vec<u8>, _> = codes.iter().map(|&code| u8::try_from(code)).collect();
        if let (Codes::Narrow(_), Ok(narrow)) = (&*self.codes, &narrow) {
            // Few categories: byte by byte, in place where nobody else has them.
            if let Codes::Narrow(own) = Arc::make_mut(&mut self.codes) {
                own.iter_mut().for_each(|code| *code = narrow[usize::from(*code)]);
            }
            return Self { dictionary, ..self };
        }
        let mut recoded = Codes::for_levels(dictionary.levels(), self.codes.len());
        self.codes.for_each(|_, code| recoded.push(codes[code as usize]));
        Self { dictionary, codes: Arc::new(recoded), places: self.places }
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
        Self { dictionary: Arc::new(dictionary), codes: Arc::new(codes), places: None }
    }

    /// The column in which each of these records has the code that another one has here. The
    /// categories are shared.
    #[must_use]
    pub fn with_exchanged(&self, takes: &[(usize, usize)]) -> Self {
        self.clone().exchanged(takes)
    }

    /// The same, in place where nobody else has the codes.
    #[must_use]
    pub fn exchanged(mut self, takes: &[(usize, usize)]) -> Self {
        if self.places.is_some() {
            // Records of one cell part ways.
            self = self.of_records(0..self.len());
        }
        let taken: Vec<u32> = takes.iter().map(|&(_, from)| self.codes.get(from)).collect();
        let codes = Arc::make_mut(&mut self.codes);
        for (&(record, _), code) in takes.iter().zip(taken) {
            codes.set(record, code);
        }
        self
    }

    /// The column of these records, in this order.
    #[must_use]
    pub fn of_records(&self, records: impl IntoIterator<Item = usize>) -> Self {
        let records = records.into_iter();
        let place = |record: usize| match &self.places {
            Some(places) => places[record] as usize,
            None => record,
        };
        let records = records.map(place);
        let codes = match &*self.codes {
            Codes::Narrow(codes) => Codes::Narrow(records.map(|place| codes[place]).collect()),
            Codes::Middle(codes) => Codes::Middle(records.map(|place| codes[place]).collect()),
            Codes::Wide(codes) => Codes::Wide(records.map(|place| codes[place]).collect()),
        };
        Self { dictionary: Arc::clone(&self.dictionary), codes: Arc::new(codes), places: None }
    }
}

/// Is nearly every value of the column different, as in an id?
#[must_use]
pub fn looks_like_id(column: &Column) -> bool {
    nearly_all_differ(column.dictionary().levels(), column.len())
}

/// Are there nearly as many levels as records: nine for ten records or more, in a file of at
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
    /// Room for `records` records with codes below `levels`.
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

    /// Gives back the room that is not needed.
    fn shrink(&mut self) {
        match self {
            Self::Narrow(codes) => codes.shrink_to_fit(),
            Self::Middle(codes) => codes.shrink_to_fit(),
            Self::Wide(codes) => codes.shrink_to_fit(),
        }
    }

    fn for_each(&self, visit: impl FnMut(usize, u32)) {
        self.for_each_in(0..self.len(), visit);
    }

    fn for_each_in(&self, records: Range<usize>, mut visit: impl FnMut(usize, u32)) {
        fn all<C: Copy + Into<u32>>(codes: &[C], visit: &mut impl FnMut(usize, u32)) {
            codes.iter().enumerate().for_each(|(record, &code)| visit(record, code.into()));
        }
        match self {
            Self::Narrow(codes) => all(&codes[records], &mut visit),
            Self::Middle(codes) => all(&codes[records], &mut visit),
            Self::Wide(codes) => all(&codes[records], &mut visit),
        }
    }

    /// The same for the codes at these places, numbered from the first of them.
    fn for_each_at(&self, places: &[u32], mut visit: impl FnMut(usize, u32)) {
        fn all<C: Copy + Into<u32>>(
            codes: &[C],
            places: &[u32],
            visit: &mut impl FnMut(usize, u32),
        ) {
            let places = places.iter().enumerate();
            places.for_each(|(record, &place)| visit(record, codes[place as usize].into()));
        }
        match self {
            Self::Narrow(codes) => all(codes, places, &mut visit),
            Self::Middle(codes) => all(codes, places, &mut visit),
            Self::Wide(codes) => all(codes, places, &mut visit),
        }
    }

    /// Appends other codes to these.
    fn extend(&mut self, other: &Self) {
        match (&mut *self, other) {
            (Self::Narrow(own), Self::Narrow(other)) => own.extend_from_slice(other),
            (Self::Middle(own), Self::Middle(other)) => own.extend_from_slice(other),
            (Self::Wide(own), Self::Wide(other)) => own.extend_from_slice(other),
            _ => other.for_each(|_, code| self.push(code)),
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

/// A code that comes after `known` others.
fn behind(known: usize, code: u32) -> u32 {
    let known = u32::try_from(known).ok();
    known
        .and_then(|known| known.checked_add(code))
        .expect("a column has fewer than 2^32 categories")
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;

    proptest! {
        /// Parts that are begun at the same time, as on several threads.
        #[test]
        fn law_parts_append_to_the_whole(
            rounds in proptest::collection::vec(
                proptest::collection::vec(proptest::collection::vec(0u32..400, 0..90), 0..4), 0..6),
        ) {
            let mut column = ColumnBuilder::default();
            for round in &rounds {
                let parts: Vec<ColumnPart> = round
                    .iter()
                    .map(|values| {
                        let mut part = column.part();
                        for value in values {
                            column.push_beside(&mut part, &value.to_le_bytes(), 0..4);
                        }
                        part
                    })
                    .collect();
                parts.into_iter().for_each(|part| column.append(part));
            }
            let values: Vec<[u8; 4]> =
                rounds.concat().concat().iter().map(|value| value.to_le_bytes()).collect();
            let whole: Column = values.iter().map(|value| &value[..]).collect();
            let column = column.finish();
            prop_assert_eq!(column.len(), whole.len());
            prop_assert_eq!(column.dictionary().levels(), whole.dictionary().levels());
            for (record, value) in values.iter().enumerate() {
                prop_assert_eq!(column.code(record), whole.code(record));
                prop_assert_eq!(column.dictionary().category(column.code(record)), Some(&value[..]));
            }
        }
    }

    proptest! {
        /// Folded by the combinations with another column, whatever is done to it then.
        #[test]
        fn law_folded_columns_are_the_same(
            records in proptest::collection::vec((0u32..600, 0u32..3), 1..400),
            exchanged in proptest::collection::vec((0usize..400, 0usize..400), 0..4),
        ) {
            let values: Vec<[u8; 4]> = records.iter().map(|(value, _)| value.to_be_bytes()).collect();
            let column: Column = values.iter().map(|value| &value[..]).collect();
            let mut cells: Vec<(u32, u32)> = records.clone();
            cells.sort_unstable();
            cells.dedup();
            let place = |record: &(u32, u32)| u32::try_from(cells.binary_search(record).unwrap());
            let places: Arc<Vec<u32>> =
                Arc::new(records.iter().map(|record| place(record).unwrap()).collect());
            let example = |cell: &(u32, u32)| records.iter().position(|record| record == cell);
            let examples: Vec<u32> =
                cells.iter().map(|cell| u32::try_from(example(cell).unwrap()).unwrap()).collect();
            let folded = column.folded(&places, &examples);
            let mut takes: Vec<(usize, usize)> = exchanged
                .iter()
                .map(|&(one, other)| (one % records.len(), other % records.len()))
                .collect();
            takes.sort_unstable();
            takes.dedup_by_key(|(record, _)| *record);
            let some = |column: &Column| column.of_records((0..records.len()).step_by(2));
            for (one, other) in [
                (column.clone(), folded.clone()),
                (column.clone().sorted(), folded.clone().sorted()),
                (column.with_exchanged(&takes), folded.with_exchanged(&takes)),
                (some(&column), some(&folded)),
                (Column::merged(&[&column, &column]), Column::merged(&[&folded, &column])),
            ] {
                let codes = |column: &Column| -> Vec<u32> {
                    let codes: Vec<u32> = (0..column.len()).map(|one| column.code(one)).collect();
                    let mut visited = Vec::new();
                    column.for_each_code_in(column.len() / 3..column.len(), |_, code| visited.push(code));
                    assert_eq!(visited, codes[column.len() / 3..]);
                    codes
                };
                prop_assert_eq!(codes(&one), codes(&other));
                let levels = 0..u32::try_from(one.dictionary().levels()).unwrap();
                prop_assert_eq!(one.dictionary().levels(), other.dictionary().levels());
                for code in levels {
                    prop_assert_eq!(one.dictionary().category(code), other.dictionary().category(code));
                }
            }
        }
    }

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

    #[test]
    fn new_categories_are_told_where_they_are_met() {
        let mut column = ColumnBuilder::default();
        column.push(b"a");
        column.push(b"b");
        assert_eq!(column.first_met(0, 0), [0, 1]);
        for field in ["b", "c", "a", "c", "d"] {
            column.push(field.as_bytes());
        }
        column.push_null();
        assert_eq!(column.first_met(2, 2), [1, 4, 5]);
        assert!(column.first_met(5, 8).is_empty());
    }
}

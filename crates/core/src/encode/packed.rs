//! Records packed into machine words.
//!
//! Every variable has a field of a few bits; no field lies across two words. Then the
//! projection of a record to a margin is one AND with the margin's [`Mask`], and the
//! variables in which two records differ are the non-zero fields of their XOR.
//!
//! Edge case: a variable with a single category has a field of no bits; no two records
//! ever differ in it.
//!
//! [`Records`] hold a cell for each record, or each distinct cell once and the place of each
//! record among them: after a file was counted, its memory follows its cells.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::Schema;
use crate::columns::{Column, ColumnBuilder, Columns};
use crate::hash::mixed;
use crate::varset::VarSet;

/// Where each variable's code lies in a packed record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    fields: Vec<Field>,
    words: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Field {
    word: usize,
    shift: u32,
    bits: u32,
}

impl Field {
    fn mask(self) -> u64 {
        ((1u64 << self.bits) - 1) << self.shift
    }
}

/// The bits of a set of variables, word by word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mask(Box<[u64]>);

impl Mask {
    /// The words.
    #[must_use]
    pub fn words(&self) -> &[u64] {
        &self.0
    }

    /// Do the two packed cells differ in one of the mask's variables?
    #[must_use]
    #[inline]
    pub fn parts(&self, left: &[u64], right: &[u64]) -> bool {
        match (&self.0[..], left, right) {
            // Most cells are one word.
            ([mask], [left], [right]) => (left ^ right) & mask != 0,
            (mask, left, right) => {
                mask.iter().zip(left.iter().zip(right)).any(|(mask, (l, r))| (l ^ r) & mask != 0)
            }
        }
    }

    /// A number that is the same for all cells that agree on the mask's variables, and nearly always
    /// another one for others.
    #[inline]
    pub(crate) fn mixed(&self, cell: &[u64]) -> u64 {
        match (&self.0[..], cell) {
            ([mask], [word]) => mixed([word & mask]),
            (mask, cell) => mixed(cell.iter().zip(mask).map(|(word, mask)| word & mask)),
        }
    }
}

impl Layout {
    /// A layout for variables with these numbers of levels; widest first, each into the first
    /// word that has room for it.
    #[must_use]
    pub fn new(levels: &[usize]) -> Self {
        let bits = |&levels: &usize| usize::BITS - levels.saturating_sub(1).leading_zeros();
        let mut order: Vec<usize> = (0..levels.len()).collect();
        order.sort_by_key(|&variable| std::cmp::Reverse(bits(&levels[variable])));
        let mut used: Vec<u32> = vec![0];
        let mut fields = vec![Field { word: 0, shift: 0, bits: 0 }; levels.len()];
        for variable in order {
            let bits = bits(&levels[variable]);
            if bits == 0 {
                continue;
            }
            let word = used.iter().position(|used| used + bits <= 64).unwrap_or_else(|| {
                used.push(0);
                used.len() - 1
            });
            fields[variable] = Field { word, shift: used[word], bits };
            used[word] += bits;
        }
        Self { fields, words: used.len() }
    }

    /// How many machine words a record takes.
    #[must_use]
    pub fn words(&self) -> usize {
        self.words
    }

    /// How many variables it places.
    #[must_use]
    pub fn variables(&self) -> usize {
        self.fields.len()
    }

    /// Has a variable bits at all? One with a single category has none.
    #[must_use]
    pub(crate) fn has_room(&self, variable: usize) -> bool {
        self.fields[variable].bits > 0
    }

    /// The bits of a set of variables.
    #[must_use]
    pub fn mask(&self, variables: VarSet) -> Mask {
        let mut words = vec![0; self.words];
        self.add_mask(variables, &mut words);
        Mask(words.into())
    }

    /// Has a mask the bits of all variables?
    pub(crate) fn is_covered_by(&self, mask: &Mask) -> bool {
        self.fields.iter().all(|field| mask.0[field.word] & field.mask() == field.mask())
    }

    /// Sets the bits of a set of variables in these words.
    pub(crate) fn add_mask(&self, variables: VarSet, words: &mut [u64]) {
        for variable in variables {
            let field = self.fields[variable];
            words[field.word] |= field.mask();
        }
    }

    /// Δ̄: the variables in which two packed cells differ.
    #[must_use]
    pub fn differing(&self, left: &[u64], right: &[u64]) -> VarSet {
        let mut differing = VarSet::EMPTY;
        for (variable, field) in self.fields.iter().enumerate() {
            if (left[field.word] ^ right[field.word]) & field.mask() != 0 {
                differing.insert(variable);
            }
        }
        differing
    }

    /// The variables that have one of these bits.
    pub(crate) fn touched(&self, bits: &[u64]) -> VarSet {
        let fields = self.fields.iter().enumerate();
        fields
            .filter(|(_, field)| bits[field.word] & field.mask() != 0)
            .map(|(one, _)| one)
            .collect()
    }

    /// Adds one to the number of each variable in which two packed cells differ.
    pub(crate) fn count_differing(&self, left: &[u64], right: &[u64], by_variable: &mut [u64]) {
        for (field, number) in self.fields.iter().zip(by_variable) {
            *number += u64::from((left[field.word] ^ right[field.word]) & field.mask() != 0);
        }
    }

    /// The code of one variable in a packed cell.
    #[must_use]
    pub fn code(&self, cell: &[u64], variable: usize) -> u32 {
        let field = self.fields[variable];
        let code = (cell[field.word] & field.mask()) >> field.shift;
        u32::try_from(code).expect("a code has at most 32 bits")
    }

    /// Reads the codes of one variable in many packed cells.
    pub(crate) fn reader(&self, variable: usize) -> impl Fn(&[u64]) -> u64 + Copy + use<> {
        let Field { word, shift, bits } = self.fields[variable];
        let ones = (1u64 << bits) - 1;
        move |cell| cell[word] >> shift & ones
    }

    /// The codes of a packed cell, one for each variable.
    pub(crate) fn read_codes(&self, cell: &[u64], codes: &mut [u32]) {
        for (variable, code) in codes.iter_mut().enumerate() {
            *code = self.code(cell, variable);
        }
    }

    fn put(&self, cell: &mut [u64], variable: usize, code: u32) {
        let field = self.fields[variable];
        debug_assert!(u64::from(code) << field.shift & !field.mask() == 0, "a code fits its field");
        cell[field.word] |= u64::from(code) << field.shift;
    }
}

/// A list of packed cells.
#[derive(Clone)]
pub struct PackedCells {
    layout: Layout,
    keys: Vec<u64>,
}

impl PackedCells {
    /// No cells yet.
    #[must_use]
    pub fn new(layout: Layout) -> Self {
        Self { layout, keys: Vec::new() }
    }

    /// No cells yet, and room for `cells`.
    pub(crate) fn with_room(layout: Layout, cells: usize) -> Self {
        let keys = Vec::with_capacity(cells * layout.words);
        Self { layout, keys }
    }

    /// The cells with these words, one after the other.
    pub(crate) fn from_words(layout: Layout, keys: Vec<u64>) -> Self {
        debug_assert_eq!(keys.len() % layout.words, 0, "a cell has the layout's words");
        Self { layout, keys }
    }

    /// The cells with these codes, one slice a cell, one code a variable.
    ///
    /// # Panics
    /// When a slice has another length than `levels`, or a code is not below its levels.
    #[must_use]
    pub fn from_codes<C: AsRef<[u32]>>(levels: &[usize], cells: &[C]) -> Self {
        let mut packed = Self::new(Layout::new(levels));
        for cell in cells {
            let codes = cell.as_ref();
            assert_eq!(codes.len(), levels.len(), "one code for each variable");
            let mut key = vec![0; packed.layout.words];
            for (variable, &code) in codes.iter().enumerate() {
                assert!((code as usize) < levels[variable], "a code is below the levels");
                packed.layout.put(&mut key, variable, code);
            }
            packed.push(&key);
        }
        packed
    }

    /// `length` cells, every code 0.
    pub(crate) fn blank(levels: &[usize], length: usize) -> Self {
        let layout = Layout::new(levels);
        let keys = vec![0; length * layout.words];
        Self { layout, keys }
    }

    /// Puts a variable's codes, by position, into blank cells; each once.
    pub(crate) fn putter(&mut self, variable: usize) -> impl FnMut(usize, u32) + '_ {
        let Self { layout, keys } = self;
        let (field, words) = (layout.fields[variable], layout.words);
        move |position, code| keys[position * words + field.word] |= u64::from(code) << field.shift
    }

    /// Where the variables lie.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// How many cells there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.keys.len() / self.layout.words
    }

    /// Are there none?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// One cell's words.
    #[must_use]
    pub fn get(&self, position: usize) -> &[u64] {
        let words = self.layout.words;
        &self.keys[position * words..(position + 1) * words]
    }

    /// Each cell's words, in order.
    pub fn iter(&self) -> std::slice::ChunksExact<'_, u64> {
        self.keys.chunks_exact(self.layout.words)
    }

    /// All cells' words, one after the other.
    #[must_use]
    pub fn words(&self) -> &[u64] {
        &self.keys
    }

    /// Adds a cell.
    pub fn push(&mut self, cell: &[u64]) {
        debug_assert_eq!(cell.len(), self.layout.words, "a cell has the layout's words");
        self.keys.extend_from_slice(cell);
    }

    /// Δ̄ of two cells by their positions.
    #[must_use]
    pub fn differing(&self, left: usize, right: usize) -> VarSet {
        self.layout.differing(self.get(left), self.get(right))
    }

    /// One cell's codes, a code a variable.
    #[must_use]
    pub fn codes(&self, position: usize) -> Vec<u32> {
        let cell = self.get(position);
        (0..self.layout.variables()).map(|variable| self.layout.code(cell, variable)).collect()
    }
}

impl fmt::Debug for PackedCells {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "PackedCells({} of {} words)", self.len(), self.layout.words)
    }
}

/// How many records are packed at once, one variable after the other.
pub(crate) const PACKED_AT_ONCE: usize = 1 << 13;

/// Records that are packed piece by piece, so that not all of them need be held.
pub(crate) trait InPieces: Sync {
    /// Where the variables lie.
    fn layout(&self) -> &Layout;

    /// How many levels each variable has.
    fn levels(&self) -> &[usize];

    /// How many records there are.
    fn records(&self) -> usize;

    /// Fills `words` with the packed cells of these records.
    fn pack(&self, records: Range<usize>, words: &mut [u64]);
}

/// The codes of every variable, to be packed.
pub(crate) struct Packing<'a> {
    layout: Layout,
    levels: Vec<usize>,
    variables: Vec<Codes<'a>>,
}

impl<'a> Packing<'a> {
    /// Of variables with these numbers of levels.
    ///
    /// # Panics
    /// When they differ in length.
    pub(crate) fn new(levels: Vec<usize>, variables: Vec<Codes<'a>>) -> Self {
        let length = variables.first().map_or(0, Codes::len);
        let same = variables.iter().all(|codes| codes.len() == length);
        assert!(same, "all columns have the same number of records");
        Self { layout: Layout::new(&levels), levels, variables }
    }

    /// All records, packed on all cores.
    pub(crate) fn packed(self) -> Records {
        let words = self.layout.words;
        let mut keys = vec![0; self.records() * words];
        let chunks = keys.par_chunks_mut(words * PACKED_AT_ONCE).enumerate().with_max_len(1);
        chunks.for_each(|(chunk, keys)| {
            let first = chunk * PACKED_AT_ONCE;
            self.pack(first..first + keys.len() / words, keys);
        });
        Records::dense(PackedCells { layout: self.layout, keys }, self.levels)
    }
}

impl InPieces for Packing<'_> {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn levels(&self) -> &[usize] {
        &self.levels
    }

    fn records(&self) -> usize {
        self.variables.first().map_or(0, Codes::len)
    }

    fn pack(&self, records: Range<usize>, keys: &mut [u64]) {
        let words = self.layout.words;
        keys.fill(0);
        for (field, codes) in self.layout.fields.iter().zip(&self.variables) {
            let shift = field.shift;
            let put = |record: usize, code: u32| {
                keys[record * words + field.word] |= u64::from(code) << shift;
            };
            codes.for_each_in(records.clone(), put);
        }
    }
}

impl InPieces for Records {
    fn layout(&self) -> &Layout {
        &self.cells.layout
    }

    fn levels(&self) -> &[usize] {
        &self.levels
    }

    fn records(&self) -> usize {
        self.len()
    }

    fn pack(&self, records: Range<usize>, keys: &mut [u64]) {
        let cells = self.cells();
        for (cell, record) in keys.chunks_exact_mut(self.cells.layout.words).zip(records) {
            cell.copy_from_slice(cells.get(record));
        }
    }
}

/// The codes of one variable, record by record.
pub(crate) enum Codes<'a> {
    /// Those of a column.
    Column(&'a Column),
    /// Those of a column, each with the code that it has in another coding.
    Recoded(&'a Column, &'a [u32]),
    /// These.
    Listed(&'a [u32]),
}

impl Codes<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Column(column) | Self::Recoded(column, _) => column.len(),
            Self::Listed(codes) => codes.len(),
        }
    }

    fn for_each_in(&self, records: Range<usize>, mut visit: impl FnMut(usize, u32)) {
        match self {
            Self::Column(column) => column.for_each_code_in(records, visit),
            Self::Recoded(column, codes) => {
                column.for_each_code_in(records, |record, code| visit(record, codes[code as usize]))
            }
            Self::Listed(codes) => {
                codes[records].iter().enumerate().for_each(|(record, &code)| visit(record, code));
            }
        }
    }
}

/// One record of the file, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordId(pub u32);

impl RecordId {
    /// The record at a position of the file.
    ///
    /// # Panics
    /// When the position is 2³² or more: a reader refuses such files.
    #[must_use]
    pub fn at(position: usize) -> Self {
        Self(u32::try_from(position).expect("a file has fewer than 2^32 records"))
    }

    /// The position in the file, counted from 0.
    #[must_use]
    pub fn position(self) -> usize {
        self.0 as usize
    }

    /// The number a user reads, counted from 1.
    #[must_use]
    pub fn number(self) -> u64 {
        u64::from(self.0) + 1
    }
}

/// The records of the file, packed.
#[derive(Debug, Clone)]
pub struct Records {
    cells: Arc<PackedCells>,
    places: Places,
    levels: Vec<usize>,
}

/// Where the cell of each record is.
#[derive(Clone)]
enum Places {
    /// At the record's own place.
    Own,
    /// Here; several records may share one.
    Listed(Arc<Vec<u32>>),
}

impl fmt::Debug for Places {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Own => write!(formatter, "Own"),
            Self::Listed(places) => write!(formatter, "Listed({} records)", places.len()),
        }
    }
}

/// The packed cells of records, in file order.
#[derive(Clone, Copy)]
pub struct RecordCells<'a> {
    cells: &'a PackedCells,
    places: Option<&'a [u32]>,
}

impl<'a> RecordCells<'a> {
    /// Where the variables lie.
    #[must_use]
    pub fn layout(self) -> &'a Layout {
        &self.cells.layout
    }

    /// How many records there are.
    #[must_use]
    pub fn len(self) -> usize {
        self.places.map_or_else(|| self.cells.len(), <[u32]>::len)
    }

    /// Are there none?
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// One record's words.
    #[must_use]
    #[inline]
    pub fn get(self, position: usize) -> &'a [u64] {
        self.cells.get(self.places.map_or(position, |places| places[position] as usize))
    }

    /// Each record's words, in order.
    pub fn iter(self) -> impl Iterator<Item = &'a [u64]> {
        (0..self.len()).map(move |position| self.get(position))
    }

    /// One record's codes, a code a variable.
    #[must_use]
    pub fn codes(self, position: usize) -> Vec<u32> {
        self.cells.codes(self.places.map_or(position, |places| places[position] as usize))
    }
}

impl Records {
    /// The same records in another order: the record at `places[i]` comes at place i.
    ///
    /// # Panics
    /// When there is no record at a place.
    #[must_use]
    pub fn reordered(&self, places: &[u32]) -> Self {
        let from = self.cells();
        let layout = from.layout().clone();
        let words = layout.words;
        let mut keys = vec![0; places.len() * words];
        keys.par_chunks_mut(words * PACKED_AT_ONCE)
            .zip(places.par_chunks(PACKED_AT_ONCE))
            .for_each(|(keys, places)| {
                if words == 1 {
                    let words = &self.cells.keys;
                    let word = |place: usize| words[place];
                    match from.places {
                        None => fill(keys, places, word),
                        Some(own) => fill(keys, places, |place| word(own[place] as usize)),
                    }
                    return;
                }
                for (cell, &place) in keys.chunks_exact_mut(words).zip(places) {
                    cell.copy_from_slice(from.get(place as usize));
                }
            });
        Self::dense(PackedCells { layout, keys }, self.levels.clone())
    }

    /// Records with a cell for each.
    fn dense(cells: PackedCells, levels: Vec<usize>) -> Self {
        Self { cells: Arc::new(cells), places: Places::Own, levels }
    }

    /// Records that have the cells at these places.
    ///
    /// # Panics
    /// When there is no cell at a place.
    pub(crate) fn by_cell(
        cells: Arc<PackedCells>,
        places: Arc<Vec<u32>>,
        levels: Vec<usize>,
    ) -> Self {
        let last = places.par_iter().copied().max();
        assert!(last.is_none_or(|last| (last as usize) < cells.len()), "a record has a cell");
        Self { cells, places: Places::Listed(places), levels }
    }

    /// The same records with a cell for each, so that each can be given another one.
    pub(crate) fn apart(&self) -> Self {
        Self::dense(self.packed().into_owned(), self.levels.clone())
    }

    /// A packed cell for each record, in file order.
    #[must_use]
    pub fn packed(&self) -> Cow<'_, PackedCells> {
        match &self.places {
            Places::Own => Cow::Borrowed(&*self.cells),
            Places::Listed(_) => {
                let mut packed = PackedCells::new(self.cells.layout.clone());
                packed.keys.reserve_exact(self.len() * self.cells.layout.words);
                self.cells().iter().for_each(|cell| packed.push(cell));
                Cow::Owned(packed)
            }
        }
    }

    /// The records of the columns. The codes, and so the packed words of a record, depend on
    /// the contents of the columns alone and not on the order of their records.
    ///
    /// # Panics
    /// As [`Records::encode`].
    #[must_use]
    pub fn of(schema: &Schema, columns: &Columns) -> Self {
        Self::encode(schema, columns.as_read())
    }

    /// Packs the columns as the schema says: one field for each variable, with the codes of
    /// its column, and one for the combination of all columns that stay.
    ///
    /// # Panics
    /// When a column that takes part was not read, or the columns differ in length.
    #[must_use]
    pub fn encode(schema: &Schema, columns: &[Option<Column>]) -> Self {
        let column = |position: usize| {
            columns[position].as_ref().expect("a column that takes part has been read")
        };
        // A super-variable's codes are computed; those of a column are only looked at.
        let combined: Vec<Option<Column>> = schema
            .variables()
            .iter()
            .map(|variable| {
                (variable.columns.len() > 1)
                    .then(|| combine(variable.columns.iter().map(|&position| column(position))))
            })
            .collect();
        let parts: Vec<&Column> = schema
            .variables()
            .iter()
            .zip(&combined)
            .map(|(variable, combined)| {
                combined.as_ref().unwrap_or_else(|| column(variable.columns[0]))
            })
            .collect();
        let levels: Vec<usize> = parts.iter().map(|part| part.dictionary().levels()).collect();
        Packing::new(levels, parts.into_iter().map(Codes::Column).collect()).packed()
    }

    /// Records with these codes, one slice a record.
    ///
    /// # Panics
    /// As [`PackedCells::from_codes`].
    #[must_use]
    pub fn from_codes<C: AsRef<[u32]>>(levels: &[usize], records: &[C]) -> Self {
        Self::dense(PackedCells::from_codes(levels, records), levels.to_vec())
    }

    /// The records as packed cells, in file order.
    #[must_use]
    pub fn cells(&self) -> RecordCells<'_> {
        let places = match &self.places {
            Places::Own => None,
            Places::Listed(places) => Some(places.as_slice()),
        };
        RecordCells { cells: &self.cells, places }
    }

    /// For each record: does this hold for its cell? Where records share cells it is asked once for
    /// each of these.
    #[must_use]
    pub fn holding(&self, holds: impl Fn(&[u64]) -> bool + Sync) -> Vec<bool> {
        let cells = &self.cells;
        let positions = (0..cells.len()).into_par_iter();
        let of_cells: Vec<bool> = positions.map(|position| holds(cells.get(position))).collect();
        match &self.places {
            Places::Own => of_cells,
            Places::Listed(places) => {
                places.par_iter().map(|&place| of_cells[place as usize]).collect()
            }
        }
    }

    /// How many levels each variable has.
    #[must_use]
    pub fn levels(&self) -> &[usize] {
        &self.levels
    }

    /// How many records there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.cells().len()
    }

    /// Are there none?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.cells().is_empty()
    }

    /// The packed cell of one record.
    #[must_use]
    pub fn get(&self, record: RecordId) -> &[u64] {
        self.cells().get(record.position())
    }

    /// Puts another packed cell in a record's place.
    ///
    /// # Panics
    /// When records share cells; see [`Records::apart`].
    pub(crate) fn replace(&mut self, record: RecordId, cell: &[u64]) {
        assert!(matches!(self.places, Places::Own), "each record has a cell of its own");
        let words = self.cells.layout.words;
        let keys = &mut Arc::make_mut(&mut self.cells).keys;
        keys[record.position() * words..][..words].copy_from_slice(cell);
    }

    /// Δ̄: the variables in which two records differ.
    #[must_use]
    pub fn differing(&self, left: RecordId, right: RecordId) -> VarSet {
        self.cells().layout().differing(self.get(left), self.get(right))
    }
}

/// Fills a slice with the words of places.
fn fill(keys: &mut [u64], places: &[u32], word: impl Fn(usize) -> u64) {
    keys.iter_mut().zip(places).for_each(|(key, &place)| *key = word(place as usize));
}

/// One column whose categories are the combinations that occur in several, in the order of
/// the columns' codes.
fn combine<'a>(columns: impl Iterator<Item = &'a Column>) -> Column {
    let columns: Vec<&Column> = columns.collect();
    let mut combined = ColumnBuilder::default();
    let mut combination = Vec::with_capacity(columns.len() * 4);
    for record in 0..columns[0].len() {
        combination.clear();
        for column in &columns {
            combination.extend_from_slice(&column.code(record).to_be_bytes());
        }
        combined.push(&combination);
    }
    combined.finish().sorted()
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;

    proptest! {
        #[test]
        fn codes_come_back_and_differences_are_seen(
            levels in proptest::collection::vec(
                prop_oneof![1usize..4, Just(1usize << 20), Just(1usize << 32)], 1..40),
            seed in any::<u64>(),
        ) {
            let code = |record: u64, variable: usize| {
                let mixed = (seed ^ record).wrapping_add(variable as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                u32::try_from((mixed >> 20) % levels[variable] as u64).unwrap()
            };
            let records: Vec<Vec<u32>> =
                (0..3).map(|record| (0..levels.len()).map(|variable| code(record, variable)).collect()).collect();
            let packed = PackedCells::from_codes(&levels, &records);
            for (position, record) in records.iter().enumerate() {
                prop_assert_eq!(&packed.codes(position), record);
            }
            let differing: VarSet =
                (0..levels.len()).filter(|&variable| records[0][variable] != records[1][variable]).collect();
            prop_assert_eq!(packed.differing(0, 1), differing);
            for variable in 0..levels.len() {
                let mask = packed.layout().mask(VarSet::single(variable));
                prop_assert_eq!(mask.parts(packed.get(0), packed.get(1)), differing.contains(variable));
            }
        }
    }

    #[test]
    fn what_holds_for_a_cell_holds_for_its_records() {
        let own = Records::from_codes(&[3, 2], &[[0, 1], [2, 0], [0, 1], [1, 1]]);
        let cells = PackedCells::from_codes(&[3, 2], &[[0, 1], [1, 1], [2, 0]]);
        let shared =
            Records::by_cell(Arc::new(cells), Arc::new(vec![0, 2, 0, 1]), own.levels().to_vec());
        for records in [own, shared] {
            let layout = records.cells().layout().clone();
            assert_eq!(
                records.holding(|cell| layout.code(cell, 0) == 0),
                [true, false, true, false]
            );
        }
    }

    #[test]
    fn a_constant_variable_takes_no_room() {
        let layout = Layout::new(&[1, 2, 1]);
        assert_eq!(layout.mask(VarSet::from([0, 2])).words(), [0]);
        assert_eq!(Layout::new(&[1]).words(), 1);
    }

    #[test]
    fn sixty_four_bits_fill_one_word() {
        assert_eq!(Layout::new(&[1 << 32, 1 << 16, 1 << 16]).words(), 1);
        assert_eq!(Layout::new(&[1 << 32, 1 << 16, 1 << 16, 2]).words(), 2);
    }
}

//! The cells of two files in one list, and the place there of every record.
//!
//! A record of the released file is looked at once: packed, and found among the cells. No packed
//! record is held, so a file in memory is four bytes a record, whatever the number of its
//! variables, and two records are equal exactly when their places are.
//!
//! The list holds the cells of the first file in the order of their words, then those that only
//! the second one has, in the order of theirs.
//!
//! Which record became which is no part of the answer. Where a [`Guess`] is right, a record is
//! found at the first look; where it is wrong, it is looked for.
//!
//! Way in: [`Listed::of`]. Slow twin: the law's own test.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::change::{Changes, Link};
use crate::encode::{Both, InPieces, PACKED_AT_ONCE, PackedCells, Records};
use crate::table::{Finder, JointTable, Located};

/// Two files by cell.
#[derive(Clone)]
pub struct Listed {
    cells: Arc<PackedCells>,
    /// For each file the place of each record's cell.
    places: [Arc<Vec<u32>>; 2],
    levels: Vec<usize>,
}

/// Which record of the first file a record of the second may be the same as.
#[derive(Clone, Copy)]
pub enum Guess<'a> {
    /// Any.
    Nothing,
    /// The one at the same place.
    Position,
    /// At each place of the second file, this one of the first.
    Order(&'a [u32]),
}

/// The place of a cell that is not listed yet.
const NOWHERE: u32 = u32::MAX;

impl Listed {
    /// Lists the cells of both files; `located` are those of the first.
    ///
    /// Law: `linked-files-list-the-same`.
    ///
    /// # Panics
    /// When the cells of the first file are not coded as here, or the columns of the second
    /// differ in length.
    #[must_use]
    pub fn of(located: &Located, both: &Both<'_>, guess: Guess<'_>) -> Self {
        Self::of_pieces(located, &both.after(), guess)
    }

    /// The same of records that are packed.
    ///
    /// # Panics
    /// When the two files were not encoded together.
    #[must_use]
    pub fn of_records(located: &Located, after: &Records, guess: Guess<'_>) -> Self {
        Self::of_pieces(located, after, guess)
    }

    fn of_pieces(located: &Located, after: &impl InPieces, guess: Guess<'_>) -> Self {
        let layout = after.layout();
        assert!(located.cells().layout() == layout, "two files are compared over one coding");
        debug_assert!(located.cells().iter().is_sorted(), "cells are in the order of their words");
        let search = Search { located, after, guess, finder: None };
        let finder = search.is_worth_a_finder().then(|| Finder::of(located.cells()));
        let search = Search { finder, ..search };
        let mut places = vec![NOWHERE; after.records()];
        let pieces = places.par_chunks_mut(PACKED_AT_ONCE).enumerate().with_max_len(4);
        let unlisted: Vec<Vec<u64>> = pieces
            .map_init(Vec::new, |words, (piece, places)| {
                search.find(piece * PACKED_AT_ONCE, places, words);
                unlisted(places, words, layout.words())
            })
            .collect();
        drop(search);
        let others = PackedCells::from_words(layout.clone(), unlisted.concat());
        let (cells, numbers) = with_others(located.cells(), &others);
        // Each piece takes as many numbers as it has records that were not found.
        let mut rest = &numbers[..];
        let numbers: Vec<&[u32]> = unlisted
            .iter()
            .map(|words| rest.split_off(..words.len() / layout.words()).expect("one for each"))
            .collect();
        places.par_chunks_mut(PACKED_AT_ONCE).zip(numbers).for_each(|(places, numbers)| {
            let waiting = places.iter_mut().filter(|place| **place == NOWHERE);
            waiting.zip(numbers).for_each(|(place, &number)| *place = number);
        });
        let places = [Arc::clone(located.cells_of_lines()), Arc::new(places)];
        Self { cells: Arc::new(cells), places, levels: after.levels().to_vec() }
    }

    /// The records of both files.
    #[must_use]
    pub fn records(&self) -> [Records; 2] {
        self.places.each_ref().map(|places| {
            Records::by_cell(Arc::clone(&self.cells), Arc::clone(places), self.levels.clone())
        })
    }

    /// How many lines each file has.
    #[must_use]
    pub fn lines(&self) -> [usize; 2] {
        self.places().map(|places| places.len())
    }

    /// The list.
    pub(super) fn cells(&self) -> &Arc<PackedCells> {
        &self.cells
    }

    /// For each file the place of each record's cell.
    pub(super) fn places(&self) -> [&Arc<Vec<u32>>; 2] {
        self.places.each_ref()
    }

    /// How many levels each variable has.
    pub(super) fn levels(&self) -> &[usize] {
        &self.levels
    }

    /// How many records differ from their own in the other file; `None` as for
    /// [`changes`](super::changes).
    #[must_use]
    pub fn differing(&self, link: &Link) -> Option<usize> {
        let [before, after] = self.places();
        link.links(before.len(), after.len()).then(|| {
            let records = before.par_iter().enumerate();
            records.filter(|&(record, &place)| place != after[link.follow(record)]).count()
        })
    }

    /// What is different between the records and their own in the other file, as
    /// [`changes`](super::changes) counts it.
    ///
    /// Law: `listed-records-change-the-same`.
    #[must_use]
    pub fn changes(&self, link: &Link) -> Option<Changes> {
        let [before, after] = self.places();
        link.links(before.len(), after.len()).then(|| {
            let records = before.par_iter().enumerate();
            self.changed(records.map(|(record, &place)| [place, after[link.follow(record)]]))
        })
    }

    /// The same where it is known which record of the first file is at each place of the second;
    /// `None` unless there is one at every place, and as many as the first file has.
    #[must_use]
    pub fn changes_in_order(&self, order: &[u32]) -> Option<Changes> {
        let [before, after] = self.places();
        (order.len() == after.len() && before.len() == after.len()).then(|| {
            let pairs = order.par_iter().zip(after.par_iter());
            self.changed(pairs.map(|(&record, &place)| [before[record as usize], place]))
        })
    }

    /// What is different in records of these cells.
    fn changed(&self, pairs: impl ParallelIterator<Item = [u32; 2]>) -> Changes {
        let layout = self.cells.layout();
        let none = || (0u64, vec![0u64; layout.variables()]);
        let (records, by_variable) = pairs
            .filter(|[own, other]| own != other)
            .fold(none, |(records, mut by_variable), pair| {
                let [left, right] = pair.map(|place| self.cells.get(place as usize));
                layout.count_differing(left, right, &mut by_variable);
                (records + 1, by_variable)
            })
            .reduce(none, |(records, mut all), (more, by_variable)| {
                all.iter_mut().zip(by_variable).for_each(|(all, more)| *all += more);
                (records + more, all)
            });
        Changes { records, cells: by_variable.iter().sum(), by_variable }
    }
}

/// Looks for the records of the second file among the cells of the first.
struct Search<'a, P> {
    located: &'a Located,
    after: &'a P,
    guess: Guess<'a>,
    finder: Option<Finder<'a>>,
}

impl<P: InPieces> Search<'_, P> {
    /// Are enough records not where they are guessed to be that all are better looked for? An
    /// order is known of a file that was just made: what differs there is mostly new.
    fn is_worth_a_finder(&self) -> bool {
        match self.guess {
            Guess::Nothing => true,
            Guess::Order(_) => false,
            Guess::Position => {
                let mut first = vec![NOWHERE; self.after.records().min(PACKED_AT_ONCE)];
                self.find(0, &mut first, &mut Vec::new());
                let found = first.iter().filter(|place| **place != NOWHERE).count();
                found * 4 < first.len()
            }
        }
    }

    /// Fills in the places of a piece of the records, of which this is the first, as far as they
    /// are found; their words are left in `words`.
    fn find(&self, first: usize, places: &mut [u32], words: &mut Vec<u64>) {
        let (cells, stride) = (self.located.cells(), self.after.layout().words());
        let records = first..first + places.len();
        words.resize(places.len() * stride, 0);
        self.after.pack(records.clone(), words);
        self.guess(records, places);
        for (place, cell) in places.iter_mut().zip(words.chunks_exact(stride)) {
            let is_right = *place != NOWHERE && is_same(cells.get(*place as usize), cell);
            if !is_right {
                let finder = self.finder.as_ref();
                *place = finder.and_then(|finder| finder.find(cell)).unwrap_or(NOWHERE);
            }
        }
    }

    /// The cells in which these records of the second file may be.
    fn guess(&self, records: Range<usize>, places: &mut [u32]) {
        let own = self.located.cells_of_lines();
        places.fill(NOWHERE);
        match self.guess {
            Guess::Nothing => {}
            Guess::Position => {
                let known = own.get(records.start..).unwrap_or_default();
                places.iter_mut().zip(known).for_each(|(place, &cell)| *place = cell);
            }
            Guess::Order(order) => {
                let known = order.get(records).unwrap_or_default();
                for (place, &record) in places.iter_mut().zip(known) {
                    *place = own.get(record as usize).copied().unwrap_or(NOWHERE);
                }
            }
        }
    }
}

/// The words of the records that are at no place.
fn unlisted(places: &[u32], words: &[u64], stride: usize) -> Vec<u64> {
    let cells = places.iter().zip(words.chunks_exact(stride));
    let others = cells.filter(|(place, _)| **place == NOWHERE);
    others.flat_map(|(_, cell)| cell.iter().copied()).collect()
}

/// These cells, which are in the order of their words, followed by those of the others that are
/// none of them; and for each of the others its place.
fn with_others(cells: &PackedCells, others: &PackedCells) -> (PackedCells, Vec<u32>) {
    let (different, of_others) = JointTable::located(others);
    let mut listed = cells.clone();
    let mut known = 0;
    // Both lists are in the order of their words.
    let places: Vec<u32> = different
        .cells()
        .iter()
        .map(|cell| {
            while known < cells.len() && cells.get(known) < cell {
                known += 1;
            }
            let is_known = known < cells.len() && is_same(cells.get(known), cell);
            let place = if is_known { known } else { listed.len() };
            if !is_known {
                listed.push(cell);
            }
            u32::try_from(place).expect("two files have fewer than 2^32 cells together")
        })
        .collect();
    let places = of_others.into_iter().map(|other| places[other as usize]).collect();
    (listed, places)
}

/// Are two cells the same? Written out, since most are of a single word.
fn is_same(left: &[u64], right: &[u64]) -> bool {
    left.iter().zip(right).all(|(left, right)| left == right)
}

impl fmt::Debug for Listed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [before, after] = self.lines();
        write!(formatter, "Listed({before} and {after} records)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::collections::BTreeSet;

    use crate::verify::{Pooled, changes};
    use proptest::prelude::*;

    /// The list of two files from the definition, and the place of each record in it.
    fn slowly(before: &[Vec<u64>], after: &[Vec<u64>]) -> (Vec<Vec<u64>>, [Vec<u32>; 2]) {
        let own: BTreeSet<&Vec<u64>> = before.iter().collect();
        let new: BTreeSet<&Vec<u64>> = after.iter().filter(|cell| !own.contains(cell)).collect();
        let list: Vec<Vec<u64>> = own.into_iter().chain(new).cloned().collect();
        let place = |cell: &Vec<u64>| list.iter().position(|other| other == cell).unwrap();
        let places = [before, after]
            .map(|file| file.iter().map(|cell| u32::try_from(place(cell)).unwrap()).collect());
        (list, places)
    }

    fn cells_of(records: &Records) -> Vec<Vec<u64>> {
        records.cells().iter().map(<[u64]>::to_vec).collect()
    }

    proptest! {
        /// Records in another order, some of them changed, some more: whatever is guessed, the
        /// list and the places are those of the definition. Cells of one word and of three.
        #[test]
        fn law_linked_files_list_the_same(
            codes in proptest::collection::vec(proptest::collection::vec(0u32..3, 3), 0..30),
            more in proptest::collection::vec(proptest::collection::vec(0u32..3, 3), 0..3),
            turn in 0usize..30,
            changed in proptest::collection::vec((0usize..30, 0u32..3), 0..5),
            wide in any::<bool>(),
        ) {
            let levels = [if wide { 1 << 32 } else { 3 }; 3];
            let before = Records::from_codes(&levels, &codes);
            let (order, mut released) = turned(&codes, turn, &changed);
            released.extend(more);
            let after = Records::from_codes(&levels, &released);
            let located = Located::count(&before);
            let (list, places) = slowly(&cells_of(&before), &cells_of(&after));
            for guess in [Guess::Nothing, Guess::Position, Guess::Order(&order)] {
                let listed = Listed::of_records(&located, &after, guess);
                let cells: Vec<Vec<u64>> = listed.cells.iter().map(<[u64]>::to_vec).collect();
                prop_assert_eq!(&cells, &list);
                prop_assert_eq!(listed.places().map(|places| (**places).clone()), places.clone());
                let [own, other] = listed.records();
                prop_assert_eq!(cells_of(&own), cells_of(&before));
                prop_assert_eq!(cells_of(&other), cells_of(&after));
                let pooled = Pooled::listed(&located, &listed, [None; 2]);
                for (place, counts) in pooled.weights().iter().enumerate() {
                    let at = |file: &Vec<u32>| file.iter().filter(|&&one| one as usize == place).count();
                    prop_assert_eq!(counts.map(|count| count as usize), places.each_ref().map(at));
                }
                let holds = |_: &crate::encode::Layout, cell: &[u64]| cell[0].is_multiple_of(2);
                let even = |records: &Records| cells_of(records).iter().filter(|cell| cell[0] % 2 == 0).count() as u64;
                prop_assert_eq!(pooled.records_where(holds), [even(&before), even(&after)]);
            }
        }

        /// By position, by a map and in an order: what differs is what differs between the
        /// records themselves.
        #[test]
        fn law_listed_records_change_the_same(
            codes in proptest::collection::vec(proptest::collection::vec(0u32..3, 3), 0..30),
            turn in 0usize..30,
            changed in proptest::collection::vec((0usize..30, 0u32..3), 0..5),
        ) {
            let before = Records::from_codes(&[3; 3], &codes);
            let (order, released) = turned(&codes, turn, &changed);
            let after = Records::from_codes(&[3; 3], &released);
            let listed = Listed::of_records(&Located::count(&before), &after, Guess::Nothing);
            let mut map = vec![0; codes.len()];
            (0u32..).zip(&order).for_each(|(place, &record)| map[record as usize] = place);
            for link in [Link::ByPosition, Link::ByMap(map.clone())] {
                let found = changes(&before, &after, &link);
                prop_assert_eq!(&listed.changes(&link), &found);
                let records = found.map(|found| usize::try_from(found.records).unwrap());
                prop_assert_eq!(listed.differing(&link), records);
            }
            let found = changes(&before, &after, &Link::ByMap(map));
            prop_assert_eq!(listed.changes_in_order(&order), found);
            prop_assert!(codes.is_empty() || listed.changes_in_order(&order[1..]).is_none());
        }
    }

    /// Record i comes to place i + turn, where some codes are others; with the record at each
    /// place.
    fn turned(
        codes: &[Vec<u32>],
        turn: usize,
        changed: &[(usize, u32)],
    ) -> (Vec<u32>, Vec<Vec<u32>>) {
        let records = codes.len();
        let mut order: Vec<u32> = (0u32..).take(records).collect();
        order.rotate_right(turn % records.max(1));
        let mut released: Vec<Vec<u32>> =
            order.iter().map(|&record| codes[record as usize].clone()).collect();
        for &(at, code) in changed.iter().filter(|_| records > 0) {
            released[at % records][1] = code;
        }
        (order, released)
    }

    /// In a file of which nothing is where it was, cells are looked for; in one that is mostly the
    /// same, they are not.
    #[test]
    fn a_finder_is_made_where_the_guess_is_wrong() {
        let records: Vec<[u32; 1]> = (0..8).map(|code| [code]).collect();
        let mut turned = records.clone();
        turned.rotate_left(1);
        let located = Located::count(&Records::from_codes(&[8], &records));
        for (released, is_worth) in [(records, false), (turned, true)] {
            let after = &Records::from_codes(&[8], &released);
            let search = Search { located: &located, after, guess: Guess::Position, finder: None };
            assert_eq!(search.is_worth_a_finder(), is_worth);
        }
    }
}

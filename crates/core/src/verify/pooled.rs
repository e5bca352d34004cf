//! Two files counted together.
//!
//! A line of a file is a record; where cells were counted elsewhere, it is as many as that.
//!
//! The list holds the distinct cells of both files, each with the number of records that either
//! file has in it: those of the first file, then those that only the second one has
//! ([`Listed`]).
//!
//! Many small tables are counted several at a time: the variables are tied into bundles with
//! few combinations, one pass counts the combinations of two bundles (three, for tables of
//! three variables), and every table between them is a sum over that array. Nine variables
//! have 36 two-way tables, and these need six passes or so.
//!
//! Way in: [`Pooled::of`], [`Pooled::listed`]; tables by [`Pooled::table`] one by one, by [`Pooled::tables`]
//! many at a time. A table whose variables have many combinations is counted by hashing.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use rayon::prelude::*;

use super::listed::{Guess, Listed};
use crate::encode::{Layout, PackedCells, RecordId, Records};
use crate::table::{Finder, Grouping, Located};
use crate::varset::VarSet;

/// The records of two files.
#[derive(Clone)]
pub struct Pooled {
    /// The list.
    cells: Arc<PackedCells>,
    /// How many records of each file a listed cell holds.
    weights: Vec<[u32; 2]>,
    /// Where the cell of each line of the first file is listed.
    before: Arc<Vec<u32>>,
    /// How many records each of these lines is; empty where each is one.
    people: Vec<u32>,
    records: [usize; 2],
    levels: Vec<usize>,
}

/// A table of both files. Cells without a record may be among its cells.
pub(super) struct Table {
    pub counts: Vec<[u32; 2]>,
    /// For each cell of the table a listed one that falls into it; `None` when there is a cell for
    /// each combination, the last variable fastest.
    examples: Option<Vec<u32>>,
}

/// A cell of a two-way table that holds a record of either file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PairCell {
    /// The code of the first variable.
    pub row: u32,
    /// The code of the second variable.
    pub column: u32,
    /// How many records of each file it holds.
    pub counts: [u32; 2],
}

/// The group of each listed cell, by its values on some variables.
pub(super) struct Groups {
    pub of: Vec<u32>,
    /// Some of them may be empty.
    pub number: usize,
}

impl Pooled {
    /// Lists the cells of both files.
    ///
    /// # Panics
    /// When the two were not encoded together.
    #[must_use]
    pub fn of(before: &Records, after: &Records) -> Self {
        Self::beside(&Located::count(before), before, after)
    }

    /// The same where the cells of the first file are counted already.
    ///
    /// # Panics
    /// As [`Pooled::of`]; when these are not its cells.
    #[must_use]
    pub fn beside(located: &Located, before: &Records, after: &Records) -> Self {
        assert_eq!(located.lines(), before.len(), "the cells are those of the first file");
        assert!(before.levels() == after.levels(), "two files are compared over one coding");
        let listed = Listed::of_records(located, after, Guess::Position);
        Self::listed(located, &listed, [None; 2])
    }

    /// The same where the cells of both files are listed already; `located` are those of the
    /// first. Each line is one record, or as many as were counted, or none.
    ///
    /// Law: `counted-lines-compare-as-records`.
    ///
    /// # Panics
    /// When there is not a count for each line, or a cell gets 2³² records.
    #[must_use]
    pub fn listed(located: &Located, listed: &Listed, counts: [Option<&[u32]>; 2]) -> Self {
        let cells = listed.cells();
        let [before, after] = listed.places();
        let own = match counts[0] {
            None if located.weights().is_empty() => {
                let mut own = located.counts().to_vec();
                own.resize(cells.len(), 0);
                own
            }
            counts => records_at(before, cells.len(), counts),
        };
        let released = records_at(after, cells.len(), counts[1]);
        let records = |lines: usize, counts: Option<&[u32]>| match counts {
            Some(counts) => counts.iter().map(|&count| count as usize).sum(),
            None => lines,
        };
        Self {
            cells: Arc::clone(cells),
            weights: own.into_iter().zip(released).map(|(own, released)| [own, released]).collect(),
            before: Arc::clone(before),
            people: counts[0].unwrap_or_default().to_vec(),
            records: [records(before.len(), counts[0]), records(after.len(), counts[1])],
            levels: listed.levels().to_vec(),
        }
    }

    /// Would the two files have the same records, seen on some variables, if these records of the
    /// first had these cells instead? Order plays no part.
    ///
    /// Law: `replaced-records-are-the-same`.
    ///
    /// # Panics
    /// When there is no such record, or one is named twice.
    #[must_use]
    pub fn are_same_with(
        &self,
        replaced: &[RecordId],
        cells: &PackedCells,
        variables: VarSet,
    ) -> bool {
        let mut changed = self.clone();
        for record in replaced {
            changed.weights[self.before[record.position()] as usize][0] -= 1;
        }
        let finder = Finder::of(&self.cells);
        let places: Vec<Option<u32>> =
            (0..cells.len()).into_par_iter().map(|cell| finder.find(cells.get(cell))).collect();
        let listed = Arc::make_mut(&mut changed.cells);
        for (cell, place) in cells.iter().zip(places) {
            match place {
                Some(place) => changed.weights[place as usize][0] += 1,
                // Listed twice where it comes twice: a table adds both.
                None => {
                    listed.push(cell);
                    changed.weights.push([1, 0]);
                }
            }
        }
        changed.weights.par_iter().all(|[before, after]| before == after)
            || changed.check(variables).changed == 0
    }

    /// How many records each file has.
    #[must_use]
    pub fn records(&self) -> [usize; 2] {
        self.records
    }

    /// How many records of each file are in cells of which this holds.
    #[must_use]
    pub fn records_where(&self, holds: impl Fn(&Layout, &[u64]) -> bool + Sync) -> [u64; 2] {
        let layout = self.cells.layout();
        let listed = (0..self.weights.len()).into_par_iter();
        listed
            .filter(|&listed| holds(layout, self.cells.get(listed)))
            .map(|listed| self.weights[listed].map(u64::from))
            .reduce(|| [0; 2], |one, other| [one[0] + other[0], one[1] + other[1]])
    }

    /// Where the cell of each line of the first file is listed.
    pub(super) fn before(&self) -> &[u32] {
        &self.before
    }

    /// How many records each line of the first file is; nothing where each is one.
    pub(super) fn people(&self) -> &[u32] {
        &self.people
    }

    /// How many records of each file the listed cells hold.
    pub(super) fn weights(&self) -> &[[u32; 2]] {
        &self.weights
    }

    /// The list.
    pub(super) fn cells(&self) -> &PackedCells {
        &self.cells
    }

    /// How many levels each variable has.
    pub(super) fn levels(&self) -> &[usize] {
        &self.levels
    }

    /// How many records of the first file the second one no longer has, counted with
    /// repetition. Order plays no part.
    ///
    /// Law: `replaced-by-definition`.
    #[must_use]
    pub fn replaced(&self) -> u64 {
        let missing = |&[before, after]: &[u32; 2]| u64::from(before.saturating_sub(after));
        self.weights.iter().map(missing).sum()
    }

    /// The table of one margin.
    pub(super) fn table(&self, margin: VarSet) -> Table {
        match self.array_size(margin, self.largest_array()) {
            Some(size) => Table { counts: self.array(margin, size), examples: None },
            None => self.hashed(margin),
        }
    }

    /// What `answer` says about the table of each margin, in the order of the margins.
    pub(super) fn tables<T: Send>(
        &self,
        margins: &[VarSet],
        answer: impl Fn(VarSet, &Table) -> T + Sync,
    ) -> Vec<T> {
        let (bundles, blocks) = self.blocks(margins);
        let mut answers: Vec<(usize, T)> = blocks
            .par_iter()
            .flat_map_iter(|block| {
                let array = block.size.map(|size| {
                    let bundles: Vec<&Bundle> =
                        block.bundles.iter().map(|bundle| &bundles[bundle]).collect();
                    (self.block_array(&bundles, size), bundles)
                });
                let answer = &answer;
                block.tables.iter().map(move |&position| {
                    let margin = margins[position];
                    let table = match &array {
                        Some((array, bundles)) => self.sum_out(array, bundles, margin),
                        None => self.table(margin),
                    };
                    (position, answer(margin, &table))
                })
            })
            .collect();
        answers.sort_by_key(|(position, _)| *position);
        answers.into_iter().map(|(_, answer)| answer).collect()
    }

    /// The cells of a two-way table that hold a record.
    pub(super) fn pair_cells(&self, pair: [usize; 2], table: &Table) -> Vec<PairCell> {
        let layout = self.cells.layout();
        let occupied = table.counts.iter().enumerate().filter(|(_, counts)| **counts != [0; 2]);
        match &table.examples {
            Some(examples) => occupied
                .map(|(place, &counts)| {
                    let cell = self.cells.get(examples[place] as usize);
                    let [row, column] = pair.map(|variable| layout.code(cell, variable));
                    PairCell { row, column, counts }
                })
                .collect(),
            None => {
                let columns = self.levels[pair[1]].max(1);
                let cell = |place| (number(place / columns), number(place % columns));
                occupied
                    .map(|(place, &counts)| {
                        let (row, column) = cell(place);
                        PairCell { row, column, counts }
                    })
                    .collect()
            }
        }
    }

    /// Groups the listed cells by their values on some variables.
    pub(super) fn groups(&self, variables: VarSet) -> Groups {
        match self.array_size(variables, self.largest_array()) {
            Some(number) => {
                let mut of = Vec::with_capacity(self.weights.len());
                self.for_each_place(variables, number, |place| {
                    of.push(u32::try_from(place).expect("an array has fewer than 2^32 places"));
                });
                Groups { of, number }
            }
            // All variables: every listed cell is another one.
            None if self.cells.layout().is_covered_by(&self.cells.layout().mask(variables)) => {
                let number = self.weights.len();
                Groups { of: (0u32..).take(number).collect(), number }
            }
            None => {
                let grouping = Grouping::of(&self.cells, variables);
                Groups { number: grouping.groups(), of: grouping.into_group_of() }
            }
        }
    }

    /// How many records of each file a group holds.
    pub(super) fn count(&self, groups: &Groups) -> Vec<[u32; 2]> {
        let mut counts = vec![[0; 2]; groups.number];
        for (&group, &weights) in groups.of.iter().zip(&self.weights) {
            add(&mut counts[group as usize], weights);
        }
        counts
    }

    fn hashed(&self, margin: VarSet) -> Table {
        let grouping = Grouping::of(&self.cells, margin);
        let mut counts: Vec<[u32; 2]> = Vec::with_capacity(grouping.groups());
        let mut examples = Vec::with_capacity(grouping.groups());
        for (position, (&group, weights)) in
            grouping.group_of().iter().zip(&self.weights).enumerate()
        {
            if group as usize == counts.len() {
                counts.push([0; 2]);
                examples.push(number(position));
            }
            add(&mut counts[group as usize], *weights);
        }
        Table { counts, examples: Some(examples) }
    }

    /// Up to how many combinations an array with a place for each is worth its room.
    fn largest_array(&self) -> usize {
        (8 * self.weights.len()).clamp(1 << 8, 1 << 20)
    }

    /// How many combinations the margin has, when they are no more than `most`.
    fn array_size(&self, margin: VarSet, most: usize) -> Option<usize> {
        margin
            .iter()
            .try_fold(1usize, |size, variable| size.checked_mul(self.levels[variable].max(1)))
            .filter(|&size| size <= most)
    }

    /// The margin's counts in an array, the last variable fastest.
    fn array(&self, margin: VarSet, size: usize) -> Vec<[u32; 2]> {
        let mut array = vec![[0; 2]; size];
        let mut weights = self.weights.iter();
        self.for_each_place(margin, size, |place| {
            let weights = weights.next().expect("each listed cell has its weights");
            add(&mut array[place], *weights);
        });
        array
    }

    /// Calls `visit` with the place of each listed cell in the margin's array.
    fn for_each_place(&self, margin: VarSet, size: usize, mut visit: impl FnMut(usize)) {
        let axes = self.axes(margin, size);
        let stride = self.cells.layout().words();
        // Variable by variable over a few records, which is faster than record by record.
        let mut places = [0u64; CHUNK];
        for words in self.cells.words().chunks(CHUNK * stride) {
            let places = &mut places[..words.len() / stride];
            places.fill(0);
            for axis in &axes {
                let words = words[axis.word..].iter().step_by(stride);
                for (place, word) in places.iter_mut().zip(words) {
                    *place += (word >> axis.shift & axis.mask) * axis.stride;
                }
            }
            for &mut place in places {
                visit(usize::try_from(place).expect("an array has fewer places than memory"));
            }
        }
    }

    /// The counts of a block's combinations in an array, the last bundle fastest.
    fn block_array(&self, bundles: &[&Bundle], size: usize) -> Vec<[u32; 2]> {
        let mut array = vec![[0; 2]; size];
        let mut places = [0u32; CHUNK];
        for (chunk, weights) in self.weights.chunks(CHUNK).enumerate() {
            let places = &mut places[..weights.len()];
            places.fill(0);
            for bundle in bundles {
                let of = &bundle.of[chunk * CHUNK..][..weights.len()];
                for (place, &combination) in places.iter_mut().zip(of) {
                    *place = *place * bundle.size + u32::from(combination);
                }
            }
            for (&mut place, weights) in places.iter_mut().zip(weights) {
                add(&mut array[place as usize], *weights);
            }
        }
        array
    }

    fn axes(&self, margin: VarSet, size: usize) -> Vec<Axis> {
        let layout = self.cells.layout();
        let mut stride = size;
        let mut axes = Vec::new();
        for variable in margin {
            stride /= self.levels[variable].max(1);
            let mask = layout.mask(VarSet::single(variable));
            // A variable with a single level has no bits, and no part in the place.
            if let Some((word, &mask)) =
                mask.words().iter().enumerate().find(|(_, mask)| **mask != 0)
            {
                let shift = mask.trailing_zeros();
                axes.push(Axis { word, shift, mask: mask >> shift, stride: stride as u64 });
            }
        }
        axes
    }

    /// The table of a margin from the array of a block that holds it.
    fn sum_out(&self, array: &[[u32; 2]], block: &[&Bundle], margin: VarSet) -> Table {
        let size = |set: VarSet| self.array_size(set, usize::MAX).expect("the block has an array");
        let mut counts = vec![[0; 2]; size(margin)];
        // How far apart the levels of the margin's variables are in its array.
        let mut stride = 1;
        let mut strides = BTreeMap::new();
        for variable in descending(margin) {
            strides.insert(variable, stride);
            stride *= self.levels[variable].max(1);
        }
        // Where the place of some of the block's variables leads in it; those that are not the
        // margin's are summed out.
        let target = |variables: &[usize], place: usize| {
            let (mut left, mut target) = (place, 0);
            for &variable in variables {
                let levels = self.levels[variable].max(1);
                target += left % levels * strides.get(&variable).copied().unwrap_or(0);
                left /= levels;
            }
            target
        };
        let (last, others) = block.split_last().expect("a block has a bundle");
        let fast: Vec<usize> = descending(last.variables).collect();
        let slow: Vec<usize> =
            others.iter().rev().flat_map(|bundle| descending(bundle.variables)).collect();
        let offsets: Vec<usize> =
            (0..last.size as usize).map(|place| target(&fast, place)).collect();
        for (line, found) in array.chunks_exact(offsets.len()).enumerate() {
            let start = target(&slow, line);
            for (offset, found) in offsets.iter().zip(found) {
                add(&mut counts[start + offset], *found);
            }
        }
        Table { counts, examples: None }
    }

    /// Ties the variables into bundles and the margins into blocks that are counted in one
    /// pass each.
    fn blocks(&self, margins: &[VarSet]) -> (Vec<Bundle>, Vec<Block>) {
        let variables = margins.iter().fold(VarSet::EMPTY, |all, margin| all | *margin);
        let most = (self.weights.len() / 16).clamp(1 << 8, 1 << 16);
        let together = margins.iter().map(VarSet::len).max().unwrap_or(0);
        let bundles = self.bundles(variables, root(most, together));
        let bundle_of = |variable: usize| {
            bundles.iter().position(|bundle| bundle.contains(variable)).expect("it is in a bundle")
        };
        // Which margins lie between which bundles.
        let mut between: BTreeMap<VarSet, Vec<usize>> = BTreeMap::new();
        for (position, margin) in margins.iter().enumerate() {
            between.entry(margin.iter().map(bundle_of).collect()).or_default().push(position);
        }
        // What lies between few bundles comes along with what lies between more.
        let keys: Vec<VarSet> = between.keys().copied().collect();
        for key in &keys {
            let larger =
                keys.iter().find(|other| key.len() < other.len() && key.is_subset(other)).copied();
            if let Some(larger) = larger {
                let tables = between.remove(key).expect("each key is visited once");
                between.get_mut(&larger).expect("larger keys are visited later").extend(tables);
            }
        }
        let blocks: Vec<Block> = between
            .into_iter()
            .map(|(key, tables)| {
                let variables = key.iter().fold(VarSet::EMPTY, |all, bundle| all | bundles[bundle]);
                Block { bundles: key, size: self.array_size(variables, most), tables }
            })
            .collect();
        let used = blocks
            .iter()
            .filter(|block| block.size.is_some())
            .fold(VarSet::EMPTY, |used, block| used | block.bundles);
        let bundles = bundles
            .into_par_iter()
            .enumerate()
            .map(|(bundle, variables)| self.bundle(variables, used.contains(bundle)))
            .collect();
        (bundles, blocks)
    }

    /// A bundle, with the cells' combinations when a block needs them.
    fn bundle(&self, variables: VarSet, used: bool) -> Bundle {
        let mut bundle = Bundle { variables, size: 0, of: Vec::new() };
        if let Some(size) = self.array_size(variables, 1 << 16).filter(|_| used) {
            bundle.size = number(size);
            bundle.of.reserve_exact(self.weights.len());
            self.for_each_place(variables, size, |place| {
                bundle.of.push(u16::try_from(place).expect("a bundle has at most 2^16 places"));
            });
        }
        bundle
    }

    /// Splits the variables into sets with at most `most` combinations, as far as single
    /// variables allow: the ones with most levels first, each into the first set that has
    /// room for it.
    fn bundles(&self, variables: VarSet, most: usize) -> Vec<VarSet> {
        let mut order: Vec<usize> = variables.iter().collect();
        order.sort_by_key(|&variable| (std::cmp::Reverse(self.levels[variable]), variable));
        let mut bundles: Vec<VarSet> = Vec::new();
        for variable in order {
            let single = VarSet::single(variable);
            match bundles.iter_mut().find(|set| self.array_size(**set | single, most).is_some()) {
                Some(set) => *set |= single,
                None => bundles.push(single),
            }
        }
        bundles
    }
}

/// How many cells are looked at together.
const CHUNK: usize = 1024;

/// How many records each of `places` places has, where each line is one record, or as many as
/// were counted: on all threads, as long as the places of all parts are no more than the lines.
fn records_at(lines: &[u32], places: usize, counts: Option<&[u32]>) -> Vec<u32> {
    let parts = rayon::current_num_threads().min(lines.len() / places.max(1)).max(1);
    let part = lines.len().div_ceil(parts).max(1);
    let add = |total: &mut u32, count: u32| {
        *total = total.checked_add(count).expect("a cell has fewer than 2^32 records");
    };
    if let Some(counts) = counts {
        assert_eq!(lines.len(), counts.len(), "every line has a count");
    }
    let tallies = lines.par_chunks(part).enumerate().map(|(nth, lines)| {
        let mut tally = vec![0u32; places];
        match counts {
            None => lines.iter().for_each(|&place| tally[place as usize] += 1),
            Some(counts) => {
                let lines = lines.iter().zip(&counts[nth * part..]);
                lines.for_each(|(&place, &count)| add(&mut tally[place as usize], count));
            }
        }
        tally
    });
    let joined = tallies.reduce_with(|mut all, more| {
        all.iter_mut().zip(more).for_each(|(all, more)| add(all, more));
        all
    });
    joined.unwrap_or_else(|| vec![0; places])
}

/// Variables with few combinations.
struct Bundle {
    variables: VarSet,
    /// How many combinations they have.
    size: u32,
    /// The combination of each listed cell, the last variable fastest.
    of: Vec<u16>,
}

/// Tables that are counted in one pass.
struct Block {
    /// The numbers of the bundles.
    bundles: VarSet,
    /// How many combinations these have together; `None` when they are too many, and each
    /// table is counted by itself.
    size: Option<usize>,
    /// The positions of the margins.
    tables: Vec<usize>,
}

/// Where a variable's code lies in a packed cell, and how far apart its levels are in an
/// array.
struct Axis {
    word: usize,
    shift: u32,
    mask: u64,
    stride: u64,
}

/// The variables from the last to the first.
fn descending(variables: VarSet) -> impl Iterator<Item = usize> {
    variables.iter().collect::<Vec<_>>().into_iter().rev()
}

/// The greatest whole number whose power is no greater than `number`.
fn root(number: usize, power: usize) -> usize {
    let fits = |candidate: usize| {
        (0..power)
            .try_fold(1usize, |all, _| all.checked_mul(candidate))
            .is_some_and(|all| all <= number)
    };
    (1..=number).take_while(|&candidate| fits(candidate)).last().unwrap_or(1)
}

impl fmt::Debug for Pooled {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [before, after] = self.records;
        write!(formatter, "Pooled({before} and {after} records)")
    }
}

fn add(total: &mut [u32; 2], counts: [u32; 2]) {
    total[0] += counts[0];
    total[1] += counts[1];
}

fn number(position: usize) -> u32 {
    u32::try_from(position).expect("two files have fewer than 2^32 records together")
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;

    /// Every table that comes out of a block is the one counted by itself.
    #[test]
    fn tables_of_a_block_are_those_counted_alone() {
        let levels = [3, 1, 2, 40, 5, 7, 300];
        let code = |record: u32, variable: u32| {
            let mixed = (record * 7 + variable).wrapping_mul(0x9e37_79b9) >> 7;
            mixed % u32::try_from(levels[variable as usize]).unwrap()
        };
        let file = |from: u32| {
            let records: Vec<Vec<u32>> = (from..from + 90)
                .map(|record| (0..7).map(|variable| code(record, variable)).collect())
                .collect();
            Records::from_codes(&levels, &records)
        };
        let pooled = Pooled::of(&file(0), &file(30));
        for size in 1..=3 {
            let margins: Vec<VarSet> =
                VarSet::first(7).subsets().filter(|set| set.len() == size).collect();
            let (_, blocks) = pooled.blocks(&margins);
            assert!(blocks.iter().any(|block| block.size.is_some() && block.tables.len() > 1));
            assert!(blocks.len() < margins.len());
            let mut tables: Vec<usize> =
                blocks.iter().flat_map(|block| block.tables.clone()).collect();
            tables.sort_unstable();
            assert_eq!(tables, (0..margins.len()).collect::<Vec<_>>());
            let occupied = |counts: &[[u32; 2]]| -> Vec<[u32; 2]> {
                let mut counts: Vec<[u32; 2]> =
                    counts.iter().copied().filter(|counts| *counts != [0; 2]).collect();
                counts.sort_unstable();
                counts
            };
            let together = pooled.tables(&margins, |_, table| occupied(&table.counts));
            for (margin, counts) in margins.iter().zip(together) {
                assert_eq!(counts, occupied(&pooled.hashed(*margin).counts));
                assert_eq!(counts, occupied(&pooled.table(*margin).counts));
                assert_eq!(counts, occupied(&pooled.count(&pooled.groups(*margin))));
            }
        }
    }

    proptest! {
        /// Against the second file with the records replaced and counted again.
        #[test]
        fn law_replaced_records_are_the_same(
            codes in proptest::collection::vec(proptest::collection::vec(0u32..2, 3), 1..12),
            takes in proptest::collection::btree_map(0usize..12, proptest::collection::vec(0u32..2, 3), 0..4),
            other in proptest::option::of((0usize..12, 0u32..2)),
            seen in proptest::collection::btree_set(0usize..3, 0..4),
        ) {
            let takes: BTreeMap<usize, Vec<u32>> =
                takes.into_iter().filter(|(record, _)| *record < codes.len()).collect();
            let mut made = codes.clone();
            takes.iter().for_each(|(&record, cell)| made[record].clone_from(cell));
            // The released file, in another order, and perhaps not quite the one that is made.
            let mut released: Vec<Vec<u32>> = made.iter().rev().cloned().collect();
            if let Some((at, code)) = other {
                released[at % codes.len()][1] = code;
            }
            let packed = |codes: &[Vec<u32>]| Records::from_codes(&[2; 3], codes);
            let variables: VarSet = seen.into_iter().collect();
            let replaced: Vec<RecordId> = takes.keys().map(|&record| RecordId::at(record)).collect();
            let cells: Vec<&Vec<u32>> = takes.values().collect();
            let cells = PackedCells::from_codes(&[2; 3], &cells);
            let pooled = Pooled::of(&packed(&codes), &packed(&released));
            let expected = Pooled::of(&packed(&made), &packed(&released)).check(variables).changed == 0;
            prop_assert_eq!(pooled.are_same_with(&replaced, &cells, variables), expected);
        }
    }

    /// Few records of many levels are grouped without an array: by some variables, and by all.
    #[test]
    fn groups_by_all_variables_are_the_cells() {
        let levels = [300, 300, 300];
        let before = Records::from_codes(&levels, &[[1, 2, 3], [1, 2, 4], [1, 2, 3]]);
        let after = Records::from_codes(&levels, &[[1, 2, 3], [7, 7, 7]]);
        let pooled = Pooled::of(&before, &after);
        let [all, some] = [VarSet::first(3), VarSet::from([0, 1])].map(|set| pooled.groups(set));
        assert_eq!((all.of.as_slice(), all.number), ([0, 1, 2].as_slice(), 3));
        assert_eq!(pooled.count(&all), [[2, 1], [1, 0], [0, 1]]);
        assert_eq!(pooled.count(&some), [[3, 1], [0, 1]]);
    }

    #[test]
    fn roots_are_the_greatest_that_fit() {
        assert_eq!(
            [root(65_536, 2), root(65_535, 2), root(65_536, 3), root(256, 0)],
            [256, 255, 40, 256]
        );
        assert_eq!([root(1, 2), root(256, 1)], [1, 256]);
    }
}

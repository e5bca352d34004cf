//! Columns that follow from others: functions of one column, such as the county of a
//! municipality, and sums of whole numbers, such as children and adults of a household.
//!
//! What every record of the original obeys, an exchange of some of the columns breaks, and a
//! record that breaks it was exchanged. Columns that are linked travel together and break nothing.
//!
//! Trap: in a short file, or between columns that rarely vary, much holds by chance. A function
//! counts when at least [`SUPPORT`] records repeat what another record said before and are not of
//! the most frequent category: in a random order each of them would fail at least every other
//! time. A sum counts when each of its columns has as many records that are not of its most
//! frequent category.
//!
//! Of functions that follow from each other, as the country of a municipality by its county, the
//! steps are told and not the whole way; so are sums of sums.
//!
//! Cost: candidates are found in a sample, sums by one number for each column that adds up where
//! the columns do; what is left is confirmed on all records, up to the first that breaks it.
//!
//! Law: `broken-dependencies-by-definition`.
//!
//! Way in: [`dependencies`], then [`broken`]. Slow twin: [`crate::oracle::dependencies`].

use crate::columns::Column;
use crate::hash::{Map, STATE};

/// So many records must confirm a dependency; see above. One in 2³⁰ files whose columns have
/// nothing to do with each other shows a dependency that two given columns seem to have.
pub const SUPPORT: usize = 30;

/// So many records are looked at first.
const SAMPLE: usize = 1 << 10;

/// Something that every record obeys. Columns are known by their positions.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dependency {
    /// The category of one column follows from that of another.
    Function {
        /// The column that it follows from.
        of: usize,
        /// The column that follows.
        column: usize,
    },
    /// A column is the sum of two or three others.
    Sum {
        /// The others, rising.
        addends: Vec<usize>,
        /// Their sum.
        total: usize,
    },
}

impl Dependency {
    /// The columns that another one follows from, and that one.
    #[must_use]
    pub fn columns(&self) -> (Vec<usize>, usize) {
        match self {
            Self::Function { of, column } => (vec![*of], *column),
            Self::Sum { addends, total } => (addends.clone(), *total),
        }
    }
}

/// Dependencies that records break.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BrokenDependencies {
    /// Those that any record breaks, each with the number of records that do.
    pub broken: Vec<(Dependency, u64)>,
    /// How many records break at least one.
    pub records: u64,
}

/// The dependencies of these columns; a column that is not given is not looked at.
#[must_use]
pub fn dependencies(columns: &[Option<&Column>]) -> Vec<Dependency> {
    let all: Vec<Known<'_>> = columns
        .iter()
        .enumerate()
        .filter_map(|(position, column)| Some(Known::of(position, (*column)?)))
        .filter(|known| known.beside_mode > 0)
        .collect();
    let records = all.first().map_or(0, |known| known.column.len());
    let step = records.div_ceil(SAMPLE).max(1);
    let sample: Vec<usize> = (0..records).step_by(step).collect();
    let mut found = functions(&all, &sample);
    found.extend(sums(&all, &sample));
    found
}

/// What is known of a column before it is compared with others.
struct Known<'a> {
    position: usize,
    column: &'a Column,
    levels: usize,
    mode: u32,
    /// How many records do not have the most frequent category.
    beside_mode: usize,
}

impl<'a> Known<'a> {
    fn of(position: usize, column: &'a Column) -> Self {
        let mut counts = vec![0usize; column.dictionary().levels()];
        column.for_each_code(|_, code| counts[code as usize] += 1);
        let levels = counts.iter().filter(|count| **count > 0).count();
        // The first of several.
        let mode =
            (0u32..).zip(&counts).max_by_key(|(code, count)| (**count, std::cmp::Reverse(*code)));
        let (mode, most) = mode.map_or((0, 0), |(code, count)| (code, *count));
        Self { position, column, levels, mode, beside_mode: column.len() - most }
    }
}

/// Functions of one column, without those that follow from others.
fn functions(all: &[Known<'_>], sample: &[usize]) -> Vec<Dependency> {
    // A column that follows has fewer categories; of two that follow from each other the second.
    let mut order: Vec<&Known<'_>> = all.iter().collect();
    order.sort_by_key(|known| (std::cmp::Reverse(known.levels), known.position));
    let mut of: Vec<Vec<usize>> = vec![Vec::new(); order.len()];
    for (place, from) in order.iter().enumerate() {
        if from.column.len() < from.levels + SUPPORT {
            continue;
        }
        let mut sorted: Vec<usize> = sample.to_vec();
        sorted.sort_by_key(|&record| from.column.code(record));
        let repeats: Vec<[usize; 2]> = sorted
            .windows(2)
            .map(|pair| [pair[0], pair[1]])
            .filter(|pair| from.column.code(pair[0]) == from.column.code(pair[1]))
            .collect();
        for (behind, known) in order.iter().enumerate().skip(place + 1) {
            let agrees =
                |&[one, next]: &[usize; 2]| known.column.code(one) == known.column.code(next);
            if known.beside_mode >= SUPPORT && repeats.iter().all(agrees) && follows(known, from) {
                of[place].push(behind);
            }
        }
    }
    let is_a_step = |from: usize, column: usize| {
        !of[from].iter().any(|&between| between != column && of[between].contains(&column))
    };
    let mut found: Vec<Dependency> = (0..order.len())
        .flat_map(|from| of[from].iter().map(move |&column| (from, column)))
        .filter(|&(from, column)| is_a_step(from, column))
        .map(|(from, column)| Dependency::Function {
            of: order[from].position,
            column: order[column].position,
        })
        .collect();
    found.sort_unstable();
    found
}

/// Does a column follow from another, and do enough records say so?
fn follows(known: &Known<'_>, from: &Known<'_>) -> bool {
    let mut given: Vec<Option<u32>> = vec![None; from.column.dictionary().levels()];
    let mut support = 0;
    for record in 0..from.column.len() {
        let code = known.column.code(record);
        match &mut given[from.column.code(record) as usize] {
            Some(given) if *given != code => return false,
            Some(_) => support += usize::from(code != known.mode),
            first => *first = Some(code),
        }
    }
    support >= SUPPORT
}

/// The whole number that each category of a column is; `None` for one that is none.
fn whole_numbers(column: &Column) -> Vec<Option<i64>> {
    let levels = u32::try_from(column.dictionary().levels()).expect("a code has 32 bits");
    let number = |code| {
        let category = column.dictionary().category(code)?;
        std::str::from_utf8(category).ok()?.parse().ok()
    };
    (0..levels).map(number).collect()
}

/// A column of whole numbers.
struct Numbers<'a> {
    position: usize,
    column: &'a Column,
    values: Vec<i64>,
    /// A sum over the sample, each record with a factor of its own: where columns add up, so do
    /// these, modulo 2⁶⁴.
    print: u64,
}

impl Numbers<'_> {
    fn at(&self, record: usize) -> i128 {
        self.values[self.column.code(record) as usize].into()
    }
}

/// Sums of two and of three columns, without those that follow from others.
fn sums(all: &[Known<'_>], sample: &[usize]) -> Vec<Dependency> {
    let numbers = all.iter().filter(|known| known.beside_mode >= SUPPORT).filter_map(|known| {
        let values: Option<Vec<i64>> = whole_numbers(known.column).into_iter().collect();
        let (position, column) = (known.position, known.column);
        let mut numbers = Numbers { position, column, values: values?, print: 0 };
        let mut factor = 1u64;
        for &record in sample {
            // Knuth's factors follow each other like random ones.
            factor = factor
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let value = numbers.values[column.code(record) as usize];
            numbers.print = numbers.print.wrapping_add(factor.wrapping_mul(value.cast_unsigned()));
        }
        Some(numbers)
    });
    let numbers: Vec<Numbers<'_>> = numbers.collect();
    let mut with_print: Map<u64, Vec<usize>> = Map::with_hasher(STATE);
    for (place, number) in numbers.iter().enumerate() {
        with_print.entry(number.print).or_default().push(place);
    }
    let holds = |addends: &[usize], total: usize| {
        !addends.contains(&total)
            && (0..numbers[total].column.len()).all(|record| {
                let sum: i128 = addends.iter().map(|&one| numbers[one].at(record)).sum();
                sum == numbers[total].at(record)
            })
    };
    let totals = |addends: &[usize]| -> Vec<usize> {
        let print = addends.iter().fold(0u64, |sum, &one| sum.wrapping_add(numbers[one].print));
        let candidates = with_print.get(&print).into_iter().flatten().copied();
        candidates.filter(|&total| holds(addends, total)).collect()
    };
    let mut of_two: Vec<([usize; 2], usize)> = Vec::new();
    let mut of_three: Vec<([usize; 3], usize)> = Vec::new();
    for one in 0..numbers.len() {
        for other in one + 1..numbers.len() {
            of_two.extend(totals(&[one, other]).into_iter().map(|total| ([one, other], total)));
            for third in other + 1..numbers.len() {
                let addends = [one, other, third];
                of_three.extend(totals(&addends).into_iter().map(|total| (addends, total)));
            }
        }
    }
    let is_sum = |one: usize, other: usize, total: usize| {
        of_two.contains(&([one.min(other), one.max(other)], total))
    };
    of_three.retain(|&([a, b, c], total)| {
        let by_way_of = |part: usize, [one, other]: [usize; 2]| {
            (0..numbers.len()).any(|sum| is_sum(one, other, sum) && is_sum(sum, part, total))
        };
        !(by_way_of(a, [b, c]) || by_way_of(b, [a, c]) || by_way_of(c, [a, b]))
    });
    let position = |&place: &usize| numbers[place].position;
    let of_two = of_two.iter().map(|(addends, total)| (&addends[..], total));
    let of_three = of_three.iter().map(|(addends, total)| (&addends[..], total));
    of_two
        .chain(of_three)
        .map(|(addends, total)| Dependency::Sum {
            addends: addends.iter().map(position).collect(),
            total: position(total),
        })
        .collect()
}

/// The records of a second file that break what every record of the first obeys. Lines of the
/// second are so many records each, where that is given. A category that the first file does not
/// have breaks a function only where it follows.
///
/// Law: `broken-dependencies-by-definition`.
#[must_use]
pub fn broken(
    dependencies: &[Dependency],
    before: &[Option<Column>],
    after: &[Option<Column>],
    counts: Option<&[u32]>,
) -> BrokenDependencies {
    let weight = |record: usize| counts.map_or(1, |counts| u64::from(counts[record]));
    let mut marks: Vec<bool> = Vec::new();
    let mut found = BrokenDependencies::default();
    for dependency in dependencies {
        let (_, last) = dependency.columns();
        let Some(records) = after[last].as_ref().map(Column::len) else { continue };
        let Some(breaks) = breaks(dependency, before, after) else { continue };
        marks.resize(records, false);
        let mut broken = 0;
        for record in (0..records).filter(|&record| breaks(record)) {
            broken += weight(record);
            marks[record] = true;
        }
        if broken > 0 {
            found.broken.push((dependency.clone(), broken));
        }
    }
    found.records = (0..marks.len()).filter(|&record| marks[record]).map(weight).sum();
    found
}

/// A column with the whole number of each category.
type Valued<'a> = (&'a Column, Vec<Option<i64>>);

/// Which records of the second file break a dependency; `None` where a column was not read.
fn breaks<'a>(
    dependency: &Dependency,
    before: &[Option<Column>],
    after: &'a [Option<Column>],
) -> Option<Box<dyn Fn(usize) -> bool + 'a>> {
    match dependency {
        Dependency::Function { of, column } => {
            let [from, to] = [before[*of].as_ref()?, before[*column].as_ref()?];
            let [from_after, to_after] = [after[*of].as_ref()?, after[*column].as_ref()?];
            let mut given: Vec<Option<u32>> = vec![None; from.dictionary().levels()];
            for record in 0..from.len() {
                given[from.code(record) as usize] = Some(to.code(record));
            }
            let [from_codes, to_codes] =
                [(from, from_after), (to, to_after)].map(|(old, new)| codes_before(old, new));
            Some(Box::new(move |record| {
                let of = from_codes[from_after.code(record) as usize];
                let expected = of.and_then(|of| given[of as usize]);
                expected.is_some() && expected != to_codes[to_after.code(record) as usize]
            }))
        }
        Dependency::Sum { addends, total } => {
            let read = |&position: &usize| {
                let column = after[position].as_ref()?;
                Some((column, whole_numbers(column)))
            };
            let addends: Option<Vec<Valued<'_>>> = addends.iter().map(read).collect();
            let (addends, total) = (addends?, read(total)?);
            Some(Box::new(move |record| {
                let at = |(column, values): &Valued<'_>| {
                    values[column.code(record) as usize].map(i128::from)
                };
                let sum: Option<i128> = addends.iter().map(at).sum();
                sum.is_none() || sum != at(&total)
            }))
        }
    }
}

/// For each code of a column the one that its category has in another file.
fn codes_before(before: &Column, after: &Column) -> Vec<Option<u32>> {
    let codes = |column: &Column| {
        0..u32::try_from(column.dictionary().levels()).expect("a code has 32 bits")
    };
    let mut known: Map<Option<&[u8]>, u32> = Map::with_hasher(STATE);
    known.extend(codes(before).map(|code| (before.dictionary().category(code), code)));
    codes(after).map(|code| known.get(&after.dictionary().category(code)).copied()).collect()
}

//! What would help the people at risk who are left, computed for this file.
//!
//! Five kinds of help, each with a number that doing it gives again:
//!
//! - *larger swaps*: for whom a swap of more records was found, each asked for alone;
//! - *without a table*: whose keys can be parted when one kept table is not kept;
//! - *a coarser key*: how many people are at risk when one key is in bands, when its rare
//!   categories are one, or without it;
//! - *persons after households*: those who are left, where households alone were exchanged;
//! - *suppress or recode*: the people for whom no swap was found that helps.
//!
//! Where households are exchanged, larger swaps are not looked for, and nobody is said to be
//! beyond help: single persons may still exchange what is theirs.
//!
//! Trap: a table that is published is kept whatever its owner wishes, and must not be
//! suggested.
//!
//! Way in: [`advice`].

use std::collections::{BTreeMap, BTreeSet};

use marginswap_core::columns::Column;
use marginswap_core::encode::RecordId;
use marginswap_core::graph::{Reason, minimal_separators};
use marginswap_core::moves::{MOST_RECORDS, MoveSearch};
use marginswap_core::partner::{KeyScreening, Unpartable, partable_among};
use marginswap_core::plan::{self, Detach, Larger, freed_by_larger};
use marginswap_core::table::{CellId, Grouping};
use marginswap_core::varset::VarSet;
use marginswap_core::verify::{Learned, Outcome, Verification};
use marginswap_report::advice::{Advice, Banded, Merged};
use rayon::prelude::*;

use crate::compare::{is_still_found, why_not_parted};
use crate::household::People;
use crate::original::{Intruder, Original};
use crate::prepare::{constraints, prices};
use crate::project::Risky;

/// For at most this many people larger swaps are looked for, and for fewer in a large file: each
/// question takes a look at all cells.
const MOST_ASKED: usize = 256;
const FEWEST_ASKED: usize = 32;
const CELLS_LOOKED_AT: usize = 1 << 23;

/// So many records are looked at by one thread at a time.
const RECORDS_AT_ONCE: usize = 1 << 14;

/// How wide bands of a numeric key are.
const WIDTHS: [u32; 2] = [5, 10];

/// A key has bands when it has at least this many numbers.
const FEWEST_NUMBERS: usize = 10;

/// A category that fewer than one in this many records have is rare.
const RARE: u64 = 100;

/// Somebody at risk who is still matched.
struct Left {
    record: RecordId,
    why: Option<Unpartable>,
}

/// Advice for everybody who is still matched; none when nobody is.
pub fn advice(
    original: &Original,
    found: &Verification,
    screenings: &[KeyScreening],
) -> Vec<Advice> {
    let Some(worst) = &found.worst_case else { return Vec::new() };
    let all = (0..original.lines().records.len()).into_par_iter().with_min_len(RECORDS_AT_ONCE);
    let left: Vec<Left> = all
        .map(RecordId::at)
        .filter(|&record| worst.outcome(record) == Some(Outcome::Matched))
        .map(|record| Left {
            record,
            why: why_not_parted(original, &found.learned, screenings, record),
        })
        .collect();
    if left.is_empty() {
        return Vec::new();
    }
    let mut helped: BTreeSet<RecordId> = BTreeSet::new();
    let mut advice = Vec::new();
    if let Some(people) = &original.people {
        advice.extend(persons_after(people, &left));
        advice.extend(without_tables(original, found, screenings, &left, &mut helped));
        advice.extend(coarser_keys(original.lines()));
        return advice;
    }
    let mut unknown: BTreeSet<RecordId> = BTreeSet::new();
    advice.extend(larger_swaps(original, &left, &mut helped, &mut unknown));
    advice.extend(without_tables(original, found, screenings, &left, &mut helped));
    advice.extend(coarser_keys(original));
    let bound = left.iter().filter(|left| left.why.is_some()).map(|left| &left.record);
    let rest = bound.filter(|record| !helped.contains(record) && !unknown.contains(record)).count();
    if rest > 0 {
        advice.push(Advice::SuppressOrRecode { people: rest as u64 });
    }
    advice
}

/// Those who are left, where columns of persons could be exchanged behind those of households.
fn persons_after(people: &People, left: &[Left]) -> Option<Advice> {
    let lines = &people.lines.loaded;
    let project = &people.lines.project;
    let any =
        (0..lines.own_names().len()).any(|column| people.together.follows(column, project, lines));
    (people.then.is_empty() && any).then_some(Advice::ThenPersons { people: left.len() as u64 })
}

/// People whom no exchange of two records parts from their keys, and a larger one does. Where one was
/// found for somebody, those are unknown for whom none was looked for.
fn larger_swaps(
    original: &Original,
    left: &[Left],
    helped: &mut BTreeSet<RecordId>,
    unknown: &mut BTreeSet<RecordId>,
) -> Option<Advice> {
    let Original { project, scope, located, .. } = original;
    let now = project.max_records().get();
    // Where a table proves that somebody has the keys, no swap of any size parts them.
    let may_be_freed = |left: &&Left| matches!(left.why, Some(Unpartable::NoPartner));
    let all: Vec<RecordId> = left.iter().filter(may_be_freed).map(|left| left.record).collect();
    if all.is_empty() || now >= MOST_RECORDS || project.swap.budget.is_some() {
        return None;
    }
    let most = (CELLS_LOOKED_AT / located.len()).clamp(FEWEST_ASKED, MOST_ASKED).min(all.len());
    let asked: Vec<RecordId> = (0..most).map(|place| all[place * all.len() / most]).collect();
    let prices = prices(&original.project, &original.scope);
    let search = MoveSearch::new(located, scope.class(), &prices.weights).ok()?;
    let larger = Larger { search: &search, records: MOST_RECORDS };
    let at_risk: Vec<Vec<u32>> =
        original.intruders.iter().map(|one| located.marked(&one.risky)).collect();
    let intruders: Vec<plan::Intruder<'_>> = original
        .intruders
        .iter()
        .zip(&at_risk)
        .map(|(intruder, at_risk)| plan::Intruder {
            keys: intruder.keys,
            sensitive: intruder.sensitive,
            detach: Detach::Half,
            at_risk,
            screening: None,
            members: None,
        })
        .collect();
    let cells: Vec<CellId> = asked.iter().map(|&record| located.cell_of(record)).collect();
    let constraints = constraints(original);
    let found = freed_by_larger(larger, &intruders, &constraints, prices.staying, &cells);
    let freed: Vec<(RecordId, usize)> = asked
        .iter()
        .zip(found)
        .filter_map(|(&record, size)| Some((record, size.filter(|&size| size > now)?)))
        .collect();
    helped.extend(freed.iter().map(|(record, _)| *record));
    let max_records = freed.iter().map(|(_, size)| *size).max()?;
    unknown.extend(all.iter().filter(|record| asked.binary_search(record).is_err()));
    let [frees, asked, all] = [freed.len(), asked.len(), all.len()].map(|people| people as u64);
    Some(Advice::LargerSwaps { max_records, frees, asked, not_asked: all - asked })
}

/// For each table that may be dropped, the people whose keys could be parted without it.
fn without_tables(
    original: &Original,
    found: &Verification,
    screenings: &[KeyScreening],
    left: &[Left],
    helped: &mut BTreeSet<RecordId>,
) -> Vec<Advice> {
    let bound: Vec<RecordId> =
        left.iter().filter(|left| left.why.is_some()).map(|left| left.record).collect();
    // For each intruder the cells of those whom they still find and whom the tables bind to their
    // keys.
    let cells = |(learned, screening): (&Learned, &KeyScreening)| {
        let mut asked = vec![false; original.located.len()];
        for &record in bound.iter().filter(|record| is_still_found(learned, **record)) {
            let cell = original.cell_of_line(record);
            asked[cell.position()] = !screening.is_partable(cell);
        }
        asked
    };
    let asked: Vec<Vec<bool>> = found.learned.iter().zip(screenings).map(cells).collect();
    let mut advice = Vec::new();
    for (position, table) in original.scope.tables().iter().enumerate() {
        let may_go =
            table.reason == Reason::Named && !original.table_names.is_published(table.variables);
        if bound.is_empty() || !may_go {
            continue;
        }
        let class = original.scope.class_without(position);
        let most = original.project.max_separators();
        let separators = minimal_separators(&class.margin_graph(), most);
        let separators = separators.parting(table.variables);
        // Where it would take too long to say, nothing is said.
        let all = asked.iter().zip(&original.intruders).map(|(asked, one)| {
            partable_among(&original.located, &class, &separators, one.keys, asked)
        });
        let Ok(partable) = all.collect::<Result<Vec<_>, _>>() else { continue };
        let parted = |record: &&RecordId| {
            let cell = original.cell_of_line(**record).position();
            let scenarios = found.learned.iter().zip(asked.iter().zip(&partable));
            let mut found_by = scenarios.filter(|(learned, _)| is_still_found(learned, **record));
            found_by.all(|(_, (asked, partable))| !asked[cell] || partable[cell])
        };
        let freed: Vec<RecordId> = bound.iter().filter(parted).copied().collect();
        if !freed.is_empty() {
            let names = original.scope.schema().names(table.variables).into_iter();
            let table = match &original.people {
                None => names.map(str::to_owned).collect(),
                Some(people) => names.flat_map(|name| people.in_words_of_lines(name)).collect(),
            };
            advice.push(Advice::WithoutTable { table, frees: freed.len() as u64 });
            helped.extend(freed);
        }
    }
    advice
}

/// For each key, how many people are at risk when it is coarser; only where fewer are.
fn coarser_keys(original: &Original) -> Vec<Advice> {
    // Only rules that speak of the keys alone can be followed on other keys.
    let fewer_than = match original.project.risky() {
        Risky::Unique => 2,
        Risky::BelowK(k) => u64::from(k),
        Risky::Records(_) | Risky::Top(_) | Risky::Probability(_) => return Vec::new(),
    };
    let keys = KeyTables::new(original, fewer_than);
    let now = keys.at_risk();
    let all = original.intruders.iter().fold(VarSet::EMPTY, |all, one| all | one.keys);
    let variables = original.scope.schema().variables();
    let mut advice = Vec::new();
    for key in all.iter() {
        let [column] = variables[key].columns[..] else { continue };
        let Some(column) = &original.loaded.raw_columns()[column] else { continue };
        let fewer = |at_risk: &u64| *at_risk < now;
        let mut bands = Vec::new();
        for width in WIDTHS {
            let recoded = in_bands(column, width).map(|codes| keys.at_risk_with(key, &codes));
            bands.extend(recoded.filter(fewer).map(|at_risk| Banded { width, at_risk }));
        }
        let merged = rare_merged(column).and_then(|(codes, categories)| {
            let at_risk = Some(keys.at_risk_with(key, &codes)).filter(fewer)?;
            Some(Merged { categories, at_risk })
        });
        let left_out = keys.at_risk_with(key, &vec![0; column.dictionary().levels()]);
        if left_out < now {
            let key = variables[key].name.clone();
            advice.push(Advice::CoarserKey { key, now, bands, merged, left_out });
        }
    }
    advice
}

/// The band of each category; `None` for a column that is not all numbers, or few of them.
/// What is blank is a category of its own.
fn in_bands(column: &Column, width: u32) -> Option<Vec<u32>> {
    let dictionary = column.dictionary();
    let mut places: BTreeMap<Option<i64>, u32> = BTreeMap::new();
    let (mut codes, mut numbers) = (Vec::new(), 0);
    for code in (0u32..).take(dictionary.levels()) {
        let text = dictionary.category(code).map(|bytes| std::str::from_utf8(bytes).ok());
        let text = match text {
            None => "",
            Some(text) => text?.trim(),
        };
        let band = if text.is_empty() {
            None
        } else {
            numbers += 1;
            Some(band(text.parse().ok()?, width)?)
        };
        let next = u32::try_from(places.len()).expect("there are fewer than 2^32 categories");
        codes.push(*places.entry(band).or_insert(next));
    }
    (numbers >= FEWEST_NUMBERS && places.len() < codes.len()).then_some(codes)
}

/// The number of the band of a number; none where numbers are too large to be bands.
fn band(number: f64, width: u32) -> Option<i64> {
    let band = (number / f64::from(width)).floor();
    (band.abs() < 1e15).then(|| format!("{band:.0}").parse().expect("a whole number"))
}

/// One code for all rare categories, and how many these are; `None` for fewer than two.
fn rare_merged(column: &Column) -> Option<(Vec<u32>, u64)> {
    let levels = column.dictionary().levels();
    let mut counts = vec![0u64; levels];
    column.for_each_code(|_, code| counts[code as usize] += 1);
    let records: u64 = counts.iter().sum();
    let is_rare = |count: u64| count * RARE < records;
    let rare = counts.iter().filter(|&&count| count > 0 && is_rare(count)).count();
    let other = u32::try_from(levels).expect("there are fewer than 2^32 categories");
    let codes = (0u32..).zip(&counts);
    let codes = codes.map(|(code, &count)| if is_rare(count) { other } else { code }).collect();
    (rare >= 2).then_some((codes, rare as u64))
}

/// The file on the keys of each intruder.
struct KeyTables<'a> {
    original: &'a Original,
    fewer_than: u64,
    /// For each intruder the key combination of each cell, and which of them are rare.
    intruders: Vec<(&'a Intruder, Grouping, Vec<bool>)>,
}

impl<'a> KeyTables<'a> {
    fn new(original: &'a Original, fewer_than: u64) -> Self {
        let intruders = original.intruders.iter().map(|intruder| {
            let groups = Grouping::of(original.located.cells(), intruder.keys);
            let mut counts = vec![0; groups.groups()];
            for (&group, &count) in groups.group_of().iter().zip(original.located.counts()) {
                counts[group as usize] += u64::from(count);
            }
            let rare = counts.iter().map(|&count| count < fewer_than).collect();
            (intruder, groups, rare)
        });
        Self { original, fewer_than, intruders: intruders.collect() }
    }

    /// People at risk from any intruder.
    fn at_risk(&self) -> u64 {
        let rare: Vec<&[bool]> = self.intruders.iter().map(|(.., rare)| &rare[..]).collect();
        self.count(&rare)
    }

    /// People at risk when the categories of one key are these codes.
    fn at_risk_with(&self, key: usize, codes: &[u32]) -> u64 {
        let recoded: Vec<Option<Vec<bool>>> = self
            .intruders
            .iter()
            .map(|(intruder, groups, _)| {
                let has_it = intruder.keys.contains(key);
                has_it.then(|| self.rare_with(intruder, groups, key, codes))
            })
            .collect();
        let rare: Vec<&[bool]> = recoded
            .iter()
            .zip(&self.intruders)
            .map(|(recoded, (.., rare))| recoded.as_deref().unwrap_or(rare))
            .collect();
        self.count(&rare)
    }

    /// Which key combinations of an intruder are rare when one key is recoded.
    fn rare_with(
        &self,
        intruder: &Intruder,
        groups: &Grouping,
        key: usize,
        codes: &[u32],
    ) -> Vec<bool> {
        let seen = self.original.located.table().on(intruder.keys);
        assert_eq!(seen.len(), groups.groups(), "both number the combinations in file order");
        let others = Grouping::of(seen.cells(), intruder.keys - VarSet::single(key));
        let layout = seen.cells().layout();
        let recoded: Vec<(u32, u32)> = others
            .group_of()
            .iter()
            .enumerate()
            .map(|(cell, &group)| (group, codes[layout.code(seen.cells().get(cell), key) as usize]))
            .collect();
        let mut counts: BTreeMap<(u32, u32), u64> = BTreeMap::new();
        for (&combination, &count) in recoded.iter().zip(seen.counts()) {
            *counts.entry(combination).or_default() += u64::from(count);
        }
        recoded.iter().map(|combination| counts[combination] < self.fewer_than).collect()
    }

    /// The records that have a rare combination for some intruder.
    fn count(&self, rare: &[&[bool]]) -> u64 {
        let is_rare = |cell: usize| {
            let all = self.intruders.iter().zip(rare);
            all.into_iter().any(|((_, groups, _), rare)| rare[groups.group_of()[cell] as usize])
        };
        let counts = self.original.located.counts().iter().enumerate();
        counts.filter(|(cell, _)| is_rare(*cell)).map(|(_, &count)| u64::from(count)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_begin_at_multiples() {
        let bands: Vec<Option<i64>> =
            [-0.5, 0.0, 4.9, 5.0, 9.0, 1e300].map(|number| band(number, 5)).to_vec();
        assert_eq!(bands, [Some(-1), Some(0), Some(0), Some(1), Some(1), None]);
    }

    #[test]
    fn only_numbers_have_bands() {
        let column =
            |texts: &[String]| -> Column { texts.iter().map(|text| text.as_bytes()).collect() };
        let numbers: Vec<String> = (0..12).map(|number| number.to_string()).collect();
        let codes = in_bands(&column(&numbers), 10).unwrap();
        assert_eq!(codes.iter().collect::<BTreeSet<_>>().len(), 2);
        assert!(in_bands(&column(&numbers[..9]), 5).is_none());
        let mut words = numbers.clone();
        words.push("many".to_owned());
        assert!(in_bands(&column(&words), 10).is_none());
        words[12] = String::new();
        assert_eq!(in_bands(&column(&words), 10).unwrap().iter().collect::<BTreeSet<_>>().len(), 3);
    }
}

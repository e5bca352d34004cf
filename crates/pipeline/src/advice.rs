//! What would help the people at risk who are left, computed for this file: those who are still
//! matched, and those who are not hidden.
//!
//! Each kind of help has a number: how many it can help, each asked for alone. The three that help
//! most are reported:
//!
//! - *a larger budget*: who has a partner, where the budget was spent;
//! - *wider match lists*: who has a partner among those whom the lists exclude;
//! - *larger swaps*: for whom a swap of more records was found, each asked for alone;
//! - *without a table*: who can be hidden, or whose keys can be parted, when one kept table is
//!   not kept;
//! - *a coarser key*: who is no longer at risk when one key is in bands, when its rare categories
//!   are one, or without it;
//! - *persons after households*: those who are left, where households alone were exchanged;
//! - *suppress or recode*: the people for whom no swap was found that helps.
//!
//! Where households are exchanged, larger swaps are not looked for, and nobody is called
//! beyond help: single persons may still exchange what is theirs.
//!
//! Trap: a table that is published is kept whatever its owner wishes, and must not be
//! suggested.
//!
//! Way in: [`advice`]; [`advised`] is the project with what is advised.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use marginswap_core::columns::Column;
use marginswap_core::diagnostic::Diagnostic;
use marginswap_core::encode::RecordId;
use marginswap_core::graph::{Formula, KeptTable, Reason, minimal_separators};
use marginswap_core::moves::{MOST_RECORDS, MoveSearch};
use marginswap_core::partner::{KeyScreening, Unpartable, partable_among};
use marginswap_core::plan::{
    self, CanBeHidden, Constraints, Detach, HiddenPeople, Larger, freed_by_larger,
};
use marginswap_core::table::{CellId, Grouping};
use marginswap_core::varset::VarSet;
use marginswap_core::verify::{Learned, Outcome, Verification};
use marginswap_report::advice::{Advice, Banded, Help, MOST, Merged};
use rayon::prelude::*;

use crate::compare::{is_still_found, why_not_parted};
use crate::prepare::{Prepared, constraints, matches, prices};
use crate::project::{Amount, MaxRecords, Project, Risky, Then};
use crate::settings::formula;
use crate::study::Study;
use crate::view::{Intruder, View};

/// For at most this many people larger swaps are looked for, and for fewer in a large file: each
/// question takes a look at all cells.
const MOST_ASKED: usize = 256;
const FEWEST_ASKED: usize = 32;
const CELLS_LOOKED_AT: usize = 1 << 23;

/// How many records one thread looks at at a time.
const RECORDS_AT_ONCE: usize = 1 << 14;

/// How wide bands of a numeric key are.
const WIDTHS: [u32; 2] = [5, 10];

/// A key has bands when it has at least this many numbers.
const FEWEST_NUMBERS: usize = 10;

/// A category that fewer than one in this many records have is rare.
const RARE: u64 = 100;

/// Somebody at risk who is left.
struct Left {
    record: RecordId,
    why: Option<Unpartable>,
}

/// Advice for everybody who is still matched or not hidden; none when nobody is.
///
/// # Errors
/// When finding out would take too long.
pub fn advice(
    prepared: &Prepared,
    found: &Verification,
    screenings: &[KeyScreening],
    hidden: Option<&HiddenPeople>,
) -> Result<Vec<Advice>, Diagnostic> {
    let Prepared { study, .. } = prepared;
    let units = &study.units;
    let Some(worst) = &found.worst_case else { return Ok(Vec::new()) };
    let not_hidden = hidden.map_or(&[][..], |people| &people.cells);
    let open: BTreeSet<CellId> = not_hidden.iter().map(|&(cell, _)| cell).collect();
    let is_left = |record: RecordId| {
        let outcome = worst.outcome(record);
        outcome == Some(Outcome::Matched)
            || outcome.is_some() && open.contains(&study.cell_of_line(record))
    };
    let all = (0..study.people().records.len()).into_par_iter().with_min_len(RECORDS_AT_ONCE);
    let left: Vec<Left> = all
        .map(RecordId::at)
        .filter(|&record| is_left(record))
        .map(|record| Left {
            record,
            why: why_not_parted(study, &found.learned, screenings, record),
        })
        .collect();
    let left = no_more_than(left, not_hidden, |record| {
        let is_matched = worst.outcome(record) == Some(Outcome::Matched);
        (!is_matched).then(|| study.cell_of_line(record))
    });
    if left.is_empty() {
        return Ok(Vec::new());
    }
    let mut helped: BTreeSet<RecordId> = BTreeSet::new();
    let mut unknown: BTreeSet<RecordId> = BTreeSet::new();
    let mut advice = Vec::new();
    // Of equally good things, that comes first which gives up least.
    let mut tables;
    match hidden {
        None => {
            let people = left.iter().filter(|left| left.why.is_none()).count() as u64;
            advice.extend(larger_budget(units, found.replaced, people));
            tables = without_tables(study, found, screenings, &left, &mut helped);
        }
        Some(_) => {
            let settings;
            (settings, tables) = hiding(prepared, not_hidden, found.replaced)?;
            advice.extend(settings);
            if tables.is_empty() {
                tables = without_tables(study, found, screenings, &left, &mut helped);
            }
        }
    }
    let of_households = units.loaded.is_of_households();
    if !of_households {
        advice.extend(larger_swaps(units, &left, &mut helped, &mut unknown));
    }
    tables.sort_by_key(|one| Reverse(one.helps));
    advice.extend(tables.into_iter().next());
    let people = left.len() as u64;
    advice.extend(
        study.persons_could_follow().then(|| helping(Help::ThenPersons { people }, people)),
    );
    advice.extend(coarser_key(study.people(), &left));
    let bound = left.iter().filter(|left| left.why.is_some()).map(|left| &left.record);
    let rest = bound.filter(|record| !helped.contains(record) && !unknown.contains(record)).count();
    let mut advice = Advice::ranked(advice);
    if rest > 0 && advice.len() < MOST && !of_households {
        let people = rest as u64;
        advice.push(helping(Help::SuppressOrRecode { people }, people));
    }
    Ok(advice)
}

/// Of those who are left in some cells, as many as there are.
fn no_more_than(
    left: Vec<Left>,
    cells: &[(CellId, u32)],
    cell_of: impl Fn(RecordId) -> Option<CellId>,
) -> Vec<Left> {
    let mut rest: BTreeMap<CellId, u32> = cells.iter().copied().collect();
    let is_one = |left: &Left| {
        cell_of(left.record).is_none_or(|cell| {
            let rest = rest.entry(cell).or_default();
            let is_one = *rest > 0;
            *rest = rest.saturating_sub(1);
            is_one
        })
    };
    left.into_iter().filter(is_one).collect()
}

/// Something that helps this many people.
fn helping(help: Help, helps: u64) -> Advice {
    Advice { help, helps, command: None }
}

/// What would let people be hidden who are not: more records that change or other partners; and,
/// apart, each table that would not be kept.
fn hiding(
    prepared: &Prepared,
    not_hidden: &[(CellId, u32)],
    changed: u64,
) -> Result<(Vec<Advice>, Vec<Advice>), Diagnostic> {
    let Prepared { study, constraints, .. } = prepared;
    let units = &study.units;
    let cells = || not_hidden.iter().map(|&(cell, _)| cell);
    let people: BTreeMap<CellId, u32> = not_hidden.iter().copied().collect();
    let can = |answers: &[(CellId, CanBeHidden)]| -> u64 {
        let by = answers.iter().filter(|(_, answer)| matches!(answer, CanBeHidden::By { .. }));
        by.map(|(cell, _)| u64::from(people[cell])).sum()
    };
    let swap = &units.project.swap;
    let now = can(&prepared.can_be_hidden(cells())?);
    let mut advice: Vec<Advice> = larger_budget(units, changed, now).into_iter().collect();
    if !swap.matched.is_empty() {
        let wider = Constraints { matches: matches(units, &[]), ..constraints.clone() };
        let then = can(&prepared.can_be_hidden_if(cells(), &wider, None)?);
        advice.extend((then > now).then(|| helping(Help::WidenMatch, then - now)));
    }
    let mut tables = Vec::new();
    for (position, table) in units.scope.tables().iter().enumerate() {
        if may_go(units, table) {
            let without = prepared.can_be_hidden_if(cells(), constraints, Some(position))?;
            let frees = can(&without).saturating_sub(now);
            let table = names_of(study, table.variables);
            let help = Help::WithoutTable { table, frees, hides: true };
            tables.extend((frees > 0).then(|| helping(help, frees)));
        }
    }
    Ok((advice, tables))
}

/// A larger budget, where this one is spent on `changed` records and `people` who are left have
/// partners.
fn larger_budget(view: &View, changed: u64, people: u64) -> Option<Advice> {
    let records = view.located.records() as u64;
    let most = view.project.swap.budget?.of(records);
    let enough = (most + 2 * people).min(records);
    let is_of_use = people > 0 && changed + 1 >= most;
    is_of_use.then(|| helping(Help::RaiseBudget { records: enough }, people))
}

/// May a table be left out: was it named here, and is it not published?
fn may_go(view: &View, table: &KeptTable) -> bool {
    table.reason == Reason::Named && !view.table_names.is_published(table.variables)
}

/// The names of some variables, as users know them.
fn names_of(study: &Study, variables: VarSet) -> Vec<String> {
    let names = study.units.scope.schema().names(variables).into_iter();
    names.flat_map(|name| study.columns_of(name)).collect()
}

/// People whom no exchange of two records parts from their keys, and a larger one does. Where one
/// was found for somebody, those are unknown for whom none was looked for.
fn larger_swaps(
    view: &View,
    left: &[Left],
    helped: &mut BTreeSet<RecordId>,
    unknown: &mut BTreeSet<RecordId>,
) -> Option<Advice> {
    let View { project, scope, located, .. } = view;
    let now = project.max_records().get();
    // Where a table proves that somebody has the keys, no swap of any size parts them.
    let may_be_freed = |left: &&Left| matches!(left.why, Some(Unpartable::NoPartner));
    let all: Vec<RecordId> = left.iter().filter(may_be_freed).map(|left| left.record).collect();
    if all.is_empty() || now >= MOST_RECORDS || project.swap.budget.is_some() {
        return None;
    }
    let most = (CELLS_LOOKED_AT / located.len()).clamp(FEWEST_ASKED, MOST_ASKED).min(all.len());
    let asked: Vec<RecordId> = (0..most).map(|place| all[place * all.len() / most]).collect();
    let prices = prices(project, scope);
    let search = MoveSearch::new(located, scope.class(), &prices.weights).ok()?;
    let larger = Larger { search: &search, records: MOST_RECORDS };
    let at_risk = view.at_risk_from();
    let intruders: Vec<plan::Intruder<'_>> = view
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
            blank: &[],
            roughly: &[],
        })
        .collect();
    let cells: Vec<CellId> = asked.iter().map(|&record| located.cell_of(record)).collect();
    let constraints = constraints(view);
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
    let help = Help::LargerSwaps { max_records, frees, asked, not_asked: all - asked };
    Some(helping(help, frees))
}

/// For each table that may be dropped, the people whose keys could be parted without it.
fn without_tables(
    study: &Study,
    found: &Verification,
    screenings: &[KeyScreening],
    left: &[Left],
    helped: &mut BTreeSet<RecordId>,
) -> Vec<Advice> {
    let units = &study.units;
    let bound: Vec<RecordId> =
        left.iter().filter(|left| left.why.is_some()).map(|left| left.record).collect();
    // For each intruder the cells of those whom they still find and whom the tables bind to their
    // keys.
    let cells = |(learned, screening): (&Learned, &KeyScreening)| {
        let mut asked = vec![false; units.located.len()];
        for &record in bound.iter().filter(|record| is_still_found(learned, **record)) {
            let cell = study.cell_of_line(record);
            asked[cell.position()] = !screening.is_partable(cell);
        }
        asked
    };
    let asked: Vec<Vec<bool>> = found.learned.iter().zip(screenings).map(cells).collect();
    let mut advice = Vec::new();
    for (position, table) in units.scope.tables().iter().enumerate() {
        if bound.is_empty() || !may_go(units, table) {
            continue;
        }
        let class = units.scope.class_without(position);
        let most = units.project.max_separators();
        let separators = minimal_separators(&class.margin_graph(), most);
        let separators = separators.parting(table.variables);
        // Where it would take too long to say, no advice is given.
        let all = asked.iter().zip(&units.intruders).map(|(asked, one)| {
            partable_among(&units.located, &class, &separators, one.keys, asked)
        });
        let Ok(partable) = all.collect::<Result<Vec<_>, _>>() else { continue };
        let parted = |record: &&RecordId| {
            let cell = study.cell_of_line(**record).position();
            let scenarios = found.learned.iter().zip(asked.iter().zip(&partable));
            let mut found_by = scenarios.filter(|(learned, _)| is_still_found(learned, **record));
            found_by.all(|(_, (asked, partable))| !asked[cell] || partable[cell])
        };
        let freed: Vec<RecordId> = bound.iter().filter(parted).copied().collect();
        if !freed.is_empty() {
            let (table, frees) = (names_of(study, table.variables), freed.len() as u64);
            advice.push(helping(Help::WithoutTable { table, frees, hides: false }, frees));
            helped.extend(freed);
        }
    }
    advice
}

/// How many people are at risk when a key is coarser: of the key that makes most of those who are
/// left rare.
fn coarser_key(view: &View, left: &[Left]) -> Option<Advice> {
    // Only rules that speak of the keys alone can be followed on other keys.
    let fewer_than = match view.project.risky() {
        Risky::Unique => 2,
        Risky::BelowK(k) => u64::from(k),
        Risky::Records(_) | Risky::Top(_) | Risky::Probability(_) => return None,
    };
    let keys = KeyTables::new(view, fewer_than);
    let now = keys.count(&keys.now());
    let all = view.intruders.iter().fold(VarSet::EMPTY, |all, one| all | one.keys);
    let variables = view.scope.schema().variables();
    let mut advice = Vec::new();
    for key in all.iter() {
        let [column] = variables[key].columns[..] else { continue };
        let Some(column) = &view.loaded.raw_columns()[column] else { continue };
        let fewer = |at_risk: &u64| *at_risk < now;
        let mut bands = Vec::new();
        for width in WIDTHS {
            let recoded = in_bands(column, width).map(|codes| keys.count(&keys.with(key, &codes)));
            bands.extend(recoded.filter(fewer).map(|at_risk| Banded { width, at_risk }));
        }
        let merged = rare_merged(column).and_then(|(codes, categories)| {
            let at_risk = Some(keys.count(&keys.with(key, &codes))).filter(fewer)?;
            Some(Merged { categories, at_risk })
        });
        let without = keys.with(key, &vec![0; column.dictionary().levels()]);
        let no_longer = |left: &&Left| !keys.is_rare(&without, keys.cell_of(left.record));
        let helps = left.iter().filter(no_longer).count() as u64;
        if helps > 0 {
            let (key, left_out) = (variables[key].name.clone(), keys.count(&without));
            advice.push(helping(Help::CoarserKey { key, now, bands, merged, left_out }, helps));
        }
    }
    // One key less will do.
    advice.into_iter().max_by_key(|one| one.helps)
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
    view: &'a View,
    fewer_than: u64,
    /// For each intruder the key combination of each cell, and which of them are rare.
    intruders: Vec<(&'a Intruder, Grouping, Vec<bool>)>,
}

impl<'a> KeyTables<'a> {
    fn new(view: &'a View, fewer_than: u64) -> Self {
        let intruders = view.intruders.iter().map(|intruder| {
            let groups = Grouping::of(view.located.cells(), intruder.keys);
            let mut counts = vec![0; groups.groups()];
            for (&group, &count) in groups.group_of().iter().zip(view.located.counts()) {
                counts[group as usize] += u64::from(count);
            }
            let rare = counts.iter().map(|&count| count < fewer_than).collect();
            (intruder, groups, rare)
        });
        Self { view, fewer_than, intruders: intruders.collect() }
    }

    /// For each intruder, which combinations are rare.
    fn now(&self) -> Vec<Cow<'_, [bool]>> {
        self.intruders.iter().map(|(.., rare)| Cow::Borrowed(&rare[..])).collect()
    }

    /// The same when the categories of one key are these codes.
    fn with(&self, key: usize, codes: &[u32]) -> Vec<Cow<'_, [bool]>> {
        let rare = |(intruder, groups, rare): &'_ (&Intruder, Grouping, Vec<bool>)| {
            let recoded = || self.rare_with(intruder, groups, key, codes);
            if intruder.keys.contains(key) { recoded() } else { rare.clone() }
        };
        self.intruders.iter().map(|one| Cow::Owned(rare(one))).collect()
    }

    fn cell_of(&self, record: RecordId) -> usize {
        self.view.located.cell_of(record).position()
    }

    /// Which key combinations of an intruder are rare when one key is recoded.
    fn rare_with(
        &self,
        intruder: &Intruder,
        groups: &Grouping,
        key: usize,
        codes: &[u32],
    ) -> Vec<bool> {
        let seen = self.view.located.table().on(intruder.keys);
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

    /// Has a cell a combination that is rare for some intruder?
    fn is_rare(&self, rare: &[Cow<'_, [bool]>], cell: usize) -> bool {
        let all = self.intruders.iter().zip(rare);
        all.into_iter().any(|((_, groups, _), rare)| rare[groups.group_of()[cell] as usize])
    }

    /// The records that have one.
    fn count(&self, rare: &[Cow<'_, [bool]>]) -> u64 {
        let counts = self.view.located.counts().iter().enumerate();
        counts
            .filter(|(cell, _)| self.is_rare(rare, *cell))
            .map(|(_, &count)| u64::from(count))
            .sum()
    }
}

/// The project with the setting that is advised; nothing where that takes more than a setting.
#[must_use]
pub fn advised(help: &Help, project: &Project) -> Option<Project> {
    let mut changed = project.clone();
    match help {
        Help::RaiseBudget { records } => changed.swap.budget = Some(Amount::Records(*records)),
        Help::WidenMatch => changed.swap.matched.clear(),
        Help::LargerSwaps { max_records, .. } => {
            changed.swap.max_records = max_records.to_string().parse::<MaxRecords>().ok();
        }
        Help::WithoutTable { table, .. } => {
            let mut rest = tables(project)?;
            let kept = rest.len();
            rest.retain(|one| !is_same(one, table));
            if rest.len() + 1 != kept {
                return None;
            }
            keep(&mut changed, &rest)?;
        }
        Help::ThenPersons { .. } => changed.unit.then = Some(Then::Persons),
        Help::CoarserKey { key, .. } => {
            if project.risk.keys.len() < 2 || !project.risk.more_keys.is_empty() {
                return None;
            }
            // What is left of a table without the key is kept.
            let mut rest = tables(project)?;
            rest.iter_mut().for_each(|table| table.retain(|name| name != key));
            rest.retain(|table| !table.is_empty());
            keep(&mut changed, &rest)?;
            changed.risk.keys.retain(|one| one != key);
            changed.columns.vars.retain(|one| one != key);
            changed.columns.stay.retain(|one| one != key);
            changed.columns.ignore.push(key.clone());
            changed.release.drop.push(key.clone());
            if !has_few_settings(&changed) || names_in_settings(&changed).any(|name| name == key) {
                return None;
            }
        }
        Help::SuppressOrRecode { .. } => return None,
    }
    Some(changed)
}

/// The columns that settings other than keys and tables name.
fn names_in_settings(project: &Project) -> impl Iterator<Item = &String> {
    let Project { swap, risk, .. } = project;
    let lists = swap.matched.iter().flatten().chain(&swap.strata).chain(&swap.near);
    let names = lists.chain(&swap.weight).chain(swap.weights.keys());
    names.chain(&risk.sensitive).chain(risk.roughly.keys())
}

/// Are there no settings in which a column may be named in another way?
fn has_few_settings(project: &Project) -> bool {
    let Project { derive, unit, risk, swap, report, .. } = project;
    derive.is_empty()
        && unit.household.is_none()
        && risk.scenarios.is_empty()
        && swap.linked.is_empty()
        && swap.rules.is_empty()
        && swap.weighted.is_empty()
        && swap.never_new.is_empty()
        && report.watch.is_empty()
}

/// Has a project keep these tables; nothing where there is none.
fn keep(project: &mut Project, tables: &[Vec<String>]) -> Option<()> {
    let formulas =
        tables.iter().map(|table| formula(&table.iter().map(String::as_str).collect::<Vec<_>>()));
    project.keep.tables = vec![formulas.collect::<Vec<_>>().join(" + ")];
    (!tables.is_empty()).then_some(())
}

/// The tables that a project keeps, where all of them were typed as formulas.
fn tables(project: &Project) -> Option<Vec<Vec<String>>> {
    let keep = &project.keep;
    let typed = keep.named.is_empty() && keep.list.is_none() && keep.households.is_empty();
    let formula = Formula::parse(&keep.tables).ok().filter(|_| typed)?;
    Some(formula.tables().to_vec())
}

fn is_same(one: &[String], other: &[String]) -> bool {
    one.len() == other.len() && one.iter().all(|name| other.contains(name))
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

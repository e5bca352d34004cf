//! Persons after households: who is still at risk exchanges what is theirs alone.
//!
//! After the exchange of households the lines of the file are an ordinary file of records, in
//! which every column of households stays. An exchange of values between two of its lines keeps
//! every table of persons by the theory of single records. A table of households by what is
//! counted in them stays when each household keeps what is counted: that is, when the table of
//! persons by *household* and what is asked of each member stays. So these tables are kept too:
//! for `count(age < 18)` household × (age < 18), for `members(age10, sex)` household × age10 ×
//! sex, and nothing for `size`. Members of different households then exchange ages on the same
//! side of 18 only, and members of one household may exchange any two.
//!
//! Laws: `persons-keep-what-is-counted`, `persons-after-households-keep-every-table`.
//!
//! Trap: people whom the first step parted from their keys must not find them back. Their
//! combinations are nobody's now, and no record may come to have them.
//!
//! Way in: [`persons`].

use std::collections::BTreeSet;

use marginswap_core::columns::{Column, Level, Role};
use marginswap_core::diagnostic::Diagnostic;
use marginswap_core::encode::{PackedCells, RecordId, Records, encode_both};
use marginswap_core::graph::quoted;
use marginswap_core::hash::{Map, STATE};
use marginswap_core::plan::Plan;
use marginswap_core::table::Located;
use marginswap_core::varset::VarSet;
use marginswap_core::verify::{Outcome, Pooled, learned};

use super::{HouseholdUnits, Together};
use crate::input::{Loaded, separators};
use crate::notes::Run;
use crate::project::Project;
use crate::refusal::Code;
use crate::resolve::Resolved;
use crate::study::Study;
use crate::view::{Intruder, View, forbidden, key_lists, scope_of};

/// The person columns that are exchanged in the second step, where one is asked for.
///
/// # Errors
/// [`Code::NoVariables`] when one is asked for and there are none.
pub(super) fn exchanged(
    project: &Project,
    lines: &Loaded,
    together: &Together,
) -> Result<BTreeSet<usize>, Diagnostic> {
    if project.unit.then.is_none() {
        return Ok(BTreeSet::new());
    }
    let own = 0..lines.own_names().len();
    let found: BTreeSet<usize> =
        own.filter(|&column| together.follows(column, project, lines)).collect();
    match found.is_empty() {
        false => Ok(found),
        true => Err(Diagnostic::new(
            Code::NoVariables,
            "persons are to follow, and every column of persons stays or is ignored",
            "make a column that varies inside households a variable, or leave out `then`",
        )
        .in_file(lines.path())
        .about("unit.then=persons")),
    }
}

/// The lines of the file after a plan for its households, as a file of records in which people
/// who are still at risk are to be protected.
///
/// # Errors
/// When the settings do not fit.
///
/// # Panics
/// When no second step is asked for, or the plan is not one for these households.
pub(crate) fn persons(study: &Study, plan: &Plan) -> Result<View, Diagnostic> {
    let all = study.households.as_ref().expect("households have persons");
    let people = &all.people;
    let project = project_of(all);
    let moved = all.lines_after(&study.units.loaded, plan, None);
    let [before, loaded] = [&people.loaded, &moved].map(|lines| lines.told_again(&project));
    let (before, loaded) = (before?, loaded?);
    let scope = scope_of(&project, loaded.header(), &[])?;
    let separators = separators(&scope, project.max_separators());
    let records = loaded.lines(&scope);
    let located = Located::count(&records);
    let forbidden = forbidden(&project, &loaded, &scope, &mut Run::silent());
    let view = View::new(project, loaded, scope, separators, (records, located), forbidden);
    let View { project, loaded, scope, records, .. } = &view;
    let still = StillAtRisk::of(people, &moved);
    let household = loaded.household().and_then(|column| scope.schema().variable_of(column));
    let household = household.map_or(VarSet::EMPTY, VarSet::single);
    let mut intruders = Vec::new();
    for ((number, told), (name, keys)) in
        people.intruders.iter().enumerate().zip(key_lists(project))
    {
        let variables = loaded.variables(scope, keys);
        let sensitive = sensitive_of(project, number, name);
        let risky = still.risky(number);
        let all = view.intruder(told.name.clone(), variables, sensitive, risky);
        let gone = still.gone(number, |line| cell(&before, loaded, records, keys, line, scope));
        intruders.push(Intruder { sensitive: all.sensitive - household, gone, ..all });
    }
    view.with_intruders(intruders)
}

/// What an intruder wants to learn, by name.
fn sensitive_of<'p>(project: &'p Project, number: usize, name: Option<&str>) -> &'p [String] {
    let told = &project.risk;
    let unnamed = usize::from(!told.keys.is_empty()) + told.more_keys.len();
    let own = name.filter(|_| number >= unnamed).and_then(|name| told.scenarios.get(name));
    own.map(|own| &own.sensitive).filter(|own| !own.is_empty()).unwrap_or(&told.sensitive)
}

/// The project of the second step.
fn project_of(all: &HouseholdUnits) -> Resolved {
    let HouseholdUnits { people, then, .. } = all;
    let lines = &people.loaded;
    let names = lines.own_names();
    let mut project = Project::clone(&people.project);
    let household = lines.household().expect("a column names the households");
    let hid = names[household].clone();
    let counted = counted_tables(all, &mut project, &hid);
    let columns = &mut project.columns;
    let taking_part = |column: &usize| lines.role(*column) != Role::Ignored;
    let stays = |column: &usize| taking_part(column) && !then.contains(column);
    columns.vars = then.iter().map(|&column| names[column].clone()).collect();
    columns.stay = (0..names.len()).filter(stays).map(|column| names[column].clone()).collect();
    columns.ignore.retain(|name| *name != hid);
    match counted.is_empty() {
        true => columns.ignore.push(hid.clone()),
        false => columns.stay.push(hid.clone()),
    }
    project.keep.tables.extend(counted);
    project.keep.households.clear();
    project.risk.household_keys.clear();
    project.report.watch.clear();
    project.verify.published.0.clear();
    project.unit.size = None;
    let swap = &mut project.swap;
    // How many records change is asked of households.
    swap.rate = None;
    let is_exchanged = |name: &String| project.columns.vars.contains(name);
    swap.linked.retain(|group| group.iter().all(is_exchanged));
    people.project.in_words(project)
}

/// The tables of persons by household that keep what is counted in each, as formulas; what they
/// need is derived.
fn counted_tables(all: &HouseholdUnits, project: &mut Project, hid: &str) -> Vec<String> {
    let lines = &all.people.loaded;
    let own = lines.own_names().len();
    let roles = lines.in_memory().roles();
    let mut tables: Vec<Vec<String>> = Vec::new();
    let mut asked: Vec<String> = Vec::new();
    for column in (own..lines.names().len()).filter(|&column| lines.role(column) != Role::Ignored) {
        let name = lines.names()[column].clone();
        let follows = roles.sources(column).is_some_and(|one| !one.is_disjoint(&all.then));
        if lines.counted_by(column).is_some() {
            asked.push(name);
        } else if all.together.level(column) == Level::Composition && follows {
            tables.push(vec![name]);
        }
    }
    let mut met = BTreeSet::new();
    while let Some(name) = asked.pop() {
        let Some(expression) = project.derive.get(&name).filter(|_| met.insert(name.clone()))
        else {
            continue;
        };
        let Some((_, of)) = expression.together() else {
            asked.extend(expression.names().into_iter().map(str::to_owned));
            continue;
        };
        let mut table = Vec::new();
        for value in of {
            let name = match value.alias() {
                Some(name) => name.to_owned(),
                None => {
                    let mut name = value.to_string();
                    while lines.names().contains(&name) {
                        name.push_str(" (of a member)");
                    }
                    project.derive.insert(name.clone(), value);
                    name
                }
            };
            if !table.contains(&name) {
                table.push(name);
            }
        }
        if !table.is_empty() {
            tables.push(table);
        }
    }
    let formula = |table: &Vec<String>| {
        let names = std::iter::once(hid).chain(table.iter().map(String::as_str));
        names.map(quoted).collect::<Vec<_>>().join("*")
    };
    let mut formulas: Vec<String> = tables.iter().map(formula).collect();
    formulas.sort();
    formulas.dedup();
    formulas
}

/// The cell of a line of the original on these keys, among the records of the second step; `None`
/// when it has a value that no record has, which no exchange of persons makes.
fn cell(
    before: &Loaded,
    loaded: &Loaded,
    records: &Records,
    keys: &[String],
    line: RecordId,
    scope: &marginswap_core::graph::Scope,
) -> Option<Vec<u64>> {
    let mut codes = vec![0u32; records.levels().len()];
    for name in keys {
        let (_, old) = before.variable_and_column(scope, name);
        let (variable, new) = loaded.variable_and_column(scope, name);
        codes[variable] = same_value(old, new, line.position())?;
    }
    Some(PackedCells::from_codes(records.levels(), &[codes]).get(0).to_vec())
}

/// The code that another column has for the value of a record in this one.
fn same_value(column: &Column, other: &Column, record: usize) -> Option<u32> {
    match column.dictionary().category(column.code(record)) {
        Some(value) => other.dictionary().find(value),
        None => other.dictionary().find_null(),
    }
}

/// For each intruder who looks for persons, who is found in the lines after the first step.
struct StillAtRisk {
    /// For each line: has it the keys of somebody who is to be protected?
    risky: Vec<Vec<bool>>,
    /// The lines of people who are gone.
    gone: Vec<Vec<RecordId>>,
}

impl StillAtRisk {
    fn of(people: &View, moved: &Loaded) -> Self {
        let View { loaded, scope, intruders, .. } = people;
        let (before, after) =
            encode_both(scope.schema(), loaded.raw_columns(), moved.raw_columns());
        let pooled = Pooled::of(&before, &after);
        let layout = before.cells().layout();
        let (mut risky, mut gone) = (Vec::new(), Vec::new());
        for intruder in intruders {
            let found = learned(&pooled, &intruder.scenario());
            let keys = |records: &Records, line: usize| -> Vec<u32> {
                let words = records.get(RecordId::at(line));
                intruder.keys.iter().map(|key| layout.code(words, key)).collect()
            };
            let mut asked: Map<Vec<u32>, ()> = Map::with_hasher(STATE);
            let mut away = Vec::new();
            for line in 0..before.len() {
                let id = RecordId::at(line);
                match found.fate(id).map(|fate| fate.outcome()) {
                    Some(Outcome::Gone) => away.push(id),
                    Some(_) => drop(asked.insert(keys(&before, line), ())),
                    None => {}
                }
            }
            for exposed in found.newly_exposed_records() {
                asked.insert(keys(&before, exposed.position()), ());
            }
            let is_asked = |line| !asked.is_empty() && asked.contains_key(&keys(&after, line));
            risky.push((0..after.len()).map(is_asked).collect());
            gone.push(away);
        }
        Self { risky, gone }
    }

    fn risky(&self, intruder: usize) -> Vec<bool> {
        self.risky[intruder].clone()
    }

    fn gone(&self, intruder: usize, cell: impl Fn(RecordId) -> Option<Vec<u64>>) -> Vec<Vec<u64>> {
        let mut cells: Vec<Vec<u64>> =
            self.gone[intruder].iter().filter_map(|&line| cell(line)).collect();
        cells.sort_unstable();
        cells.dedup();
        cells
    }
}

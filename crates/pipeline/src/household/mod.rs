//! A file of persons as a table of households.
//!
//! A household run is an ordinary run on another table: one record for each household, whose
//! variables are the columns that all members have in common, and a few more that say who lives
//! there. Planning, larger swaps, rules and the rest need to know nothing about it. Three places
//! do: here, where the table is made; where a plan is written to the lines of a file; and where
//! two files are compared, line by line as well.
//!
//! A table of persons by household columns H and person columns P is kept exactly when, as a
//! table of households, H with the *multiset* of the members' values on P is kept; for P empty
//! that is the number of members. These multisets are variables that stay.
//!
//! | module | what it holds |
//! |---|---|
//! | `parts` | a file of persons and a file of households, read and released together |
//! | `persons` | persons after households: the lines as a file of records |
//! | `together` | which columns are those of households, and what households are together |
//! | `translate` | a project in the words of the table of households |
//!
//! Way in: `read`; for a released file `Together::table`.

mod parts;
mod persons;
mod together;
mod translate;

use std::collections::BTreeSet;

use marginswap_core::columns::{Level, Role};
use marginswap_core::diagnostic::Diagnostic;
use marginswap_core::encode::{RecordId, Records};
use marginswap_core::graph::{Formula, KeptTable, Reason, Scope};
use marginswap_core::hash::{Map, STATE};
use marginswap_core::plan::{Members, Plan};
use marginswap_core::risk::rare_cells;
use marginswap_core::swap;
use marginswap_core::table::Located;
use marginswap_core::varset::VarSet;
use marginswap_report::inspect::HouseholdColumns;

pub use parts::{HouseholdFile, Parts};
pub(crate) use persons::persons;
pub(crate) use together::Together;

use crate::input::{Loaded, note_many, separators};
use crate::notes::{Note, Run};
use crate::project::{Project, Risky};
use crate::refusal::Code;
use crate::resolve::SIZE;
use crate::settings::{SETTINGS, Setting};
use crate::view::{Intruder, OF_HOUSEHOLDS, View, forbidden, scope_of};
use translate::Words;
pub(crate) use translate::refuse_what_households_cannot;

/// What a study of households is besides its units: their persons.
pub(crate) struct HouseholdUnits {
    /// The lines of the file, with the tables and the intruders that speak of persons.
    pub(crate) people: View,
    /// How the table of households is made of them.
    pub(crate) together: Together,
    /// The person columns that are exchanged after those of households, if any are.
    pub(crate) then: BTreeSet<usize>,
}

impl HouseholdUnits {
    /// The lines of the file after a plan for its households, and one for single lines after it.
    ///
    /// # Panics
    /// When the plan is not one for these households.
    #[must_use]
    pub fn lines_after(&self, households: &Loaded, plan: &Plan, then: Option<&Plan>) -> Loaded {
        let table = swap::apply(plan, households.in_memory());
        let columns = plan.columns().into_iter().map(|position| {
            let column = table.get(position).expect("a column that is exchanged was read");
            (position, column)
        });
        let mut lines = self.people.loaded.with_columns_of_households(columns);
        if let Some(then) = then {
            lines = lines.after(then);
        }
        lines.derived_again().expect("values that were read before are read again")
    }
}

/// The table of the households of these lines, and what it is made of.
///
/// # Errors
/// When a setting does not fit them.
pub(crate) fn read(people: View, run: &mut Run<'_>) -> Result<(View, HouseholdUnits), Diagnostic> {
    let mut together = Together::of(&people.project, &people.loaded)?;
    translate::take_asked(&mut together, &people.project, &people.loaded)?;
    for note in together.notes(&people.project, &people.loaded) {
        run.note(note);
    }
    let loaded = together.table(&people.loaded).0;
    let words = Words { together: &together, lines: &people.loaded };
    let project = people.project.in_words(words.translated(&people.project)?);
    let scope = scope_of(&project, loaded.header(), &[])?;
    let separators = separators(&scope, project.max_separators());
    note_many(&separators, run);
    let records = loaded.records(&scope, run);
    let located = Located::count(&records);
    let forbidden = forbidden(&project, &loaded, &scope, run);
    let units = View::new(project, loaded, scope, separators, (records, located), forbidden);
    let View { project, loaded, scope, records, located, .. } = &units;
    let households = people.loaded.households().expect("the lines have households");
    let mut intruders: Vec<Intruder> = Vec::new();
    for (intruder, told) in people.intruders.iter().zip(words.intruders(&people.project)?) {
        let (name, keys) = (intruder.name.clone(), loaded.variables(scope, &told.keys));
        let risky = households.any(&intruder.risky);
        let members = told.members.map(|together| {
            let (variable, _) = loaded.variable_and_column(scope, &together);
            members_of(&people, intruder, variable, (records, located))
        });
        let all = units.intruder(name, keys, &told.sensitive, risky);
        intruders.push(Intruder { detach: intruder.detach, members, ..all });
    }
    if !project.risk.household_keys.is_empty() {
        let keys = loaded.variables(scope, &project.risk.household_keys);
        let k = match people.project.risky() {
            Risky::BelowK(k) => k.into(),
            _ => 2,
        };
        let rare = rare_cells(located, keys, k);
        let risky = (0..records.len())
            .map(RecordId::at)
            .map(|household| rare[located.cell_of(household).position()])
            .collect();
        let name = Some(OF_HOUSEHOLDS.to_owned());
        intruders.push(units.intruder(name, keys, &project.risk.sensitive, risky));
    }
    let tables = household_tables(&people.project, loaded, scope)?;
    let then = persons::exchanged(&people.project, &people.loaded, &together)?;
    let of_members = people.intruders.len();
    let units = View { tables, of_members, ..units.with_intruders(intruders)? };
    Ok((units, HouseholdUnits { people, together, then }))
}

/// What the members of each household have on those keys of an intruder that are columns of
/// persons, for the variable that represents all of them together.
fn members_of(
    lines: &View,
    intruder: &Intruder,
    variable: usize,
    (records, located): (&Records, &Located),
) -> Members {
    let households = lines.loaded.households().expect("the lines have households");
    let persons = lines.records.cells();
    let mut numbers: Map<Vec<u32>, u32> = Map::with_hasher(STATE);
    let (mut has, mut values) = (Vec::with_capacity(lines.records.len()), Vec::new());
    let varies = |&key: &usize| {
        lines.scope.schema().variables()[key].columns.iter().all(|&column| {
            let column = lines.loaded.raw_columns()[column].as_ref();
            column.is_some_and(|column| households.torn(column).is_some())
        })
    };
    let keys: Vec<usize> = intruder.keys.iter().filter(varies).collect();
    for line in 0..lines.records.len() {
        let words = persons.get(line);
        let codes: Vec<u32> = keys.iter().map(|&key| persons.layout().code(words, key)).collect();
        let next = u32::try_from(numbers.len()).expect("there are fewer than 2^32 lines");
        let number = *numbers.entry(codes).or_insert_with_key(|codes| {
            values.push(codes.clone());
            next
        });
        has.push(number);
    }
    let layout = records.cells().layout();
    let mut of_code: Vec<Vec<u32>> = vec![Vec::new(); records.levels()[variable]];
    for household in 0..households.len() {
        let code = layout.code(records.get(RecordId::at(household)), variable);
        let members = &mut of_code[code as usize];
        if members.is_empty() {
            members.extend(households.members(household).iter().map(|&line| has[line as usize]));
            members.sort_unstable();
        }
    }
    let risky = intruder.risky.iter().enumerate().filter(|(_, risky)| **risky);
    let mut at_risk: Vec<(u32, u32)> = risky
        .map(|(line, _)| (located.cell_of(RecordId::at(households.of(line))).0, has[line]))
        .collect();
    at_risk.sort_unstable();
    at_risk.dedup();
    let blank = keys.iter().map(|&key| lines.blank.get(key).cloned().unwrap_or_default()).collect();
    let classes = |&key: &usize| {
        let rough = lines.roughly.iter().find(|rough| rough.key == key);
        rough.map_or_else(Vec::new, |rough| rough.classes.clone())
    };
    let roughly = keys.iter().map(classes).collect();
    Members { variable, of_code, values, blank, roughly, at_risk }
}

/// Refuses a column of persons where only one of households makes sense.
///
/// # Errors
/// [`Code::VariesInHousehold`], and as [`columns_of`].
pub(crate) fn check(project: &Project, lines: &Loaded) -> Result<(), Diagnostic> {
    let together = Together::of(project, lines)?;
    Words { together: &together, lines }.check_levels(project)
}

/// Which columns of a file are those of its households.
///
/// # Errors
/// No column of households may be exchanged, or a derived variable mixes them with others.
pub(crate) fn columns_of(
    project: &Project,
    lines: &Loaded,
    run: &mut Run<'_>,
) -> Result<HouseholdColumns, Diagnostic> {
    let together = Together::of(project, lines)?;
    for note in together.notes(project, lines) {
        run.note(note);
    }
    let households = lines.households().expect("the lines have households");
    let of = |level: Level| -> Vec<String> {
        let taking_part = (0..lines.names().len()).filter(|&column| {
            lines.role(column) != Role::Ignored && together.level(column) == level
        });
        taking_part.map(|column| lines.names()[column].clone()).collect()
    };
    let sizes = (0..households.len()).map(|one| households.members(one).len() as u64);
    Ok(HouseholdColumns {
        households: households.len() as u64,
        largest: sizes.max().unwrap_or(0),
        of_households: of(Level::Household),
        counted: of(Level::Composition),
        of_persons: of(Level::Person),
    })
}

/// The named tables that count households.
fn household_tables(
    project: &Project,
    loaded: &Loaded,
    scope: &Scope,
) -> Result<Vec<VarSet>, Diagnostic> {
    let mut tables: Vec<VarSet> = Vec::new();
    for names in Formula::parse(&project.keep.households)?.tables() {
        let mut table = loaded.variables(scope, names);
        if let Some(weight) = &project.swap.weight {
            let (weight, _) = loaded.variable_and_column(scope, weight);
            table.insert(weight);
        }
        let kept = |other: &KeptTable| other.reason == Reason::Named && other.variables == table;
        debug_assert!(scope.tables().iter().any(kept), "a named table is in the scope");
        if !tables.contains(&table) {
            tables.push(table);
        }
    }
    Ok(tables)
}

impl Together {
    /// What is worth a word about the columns of households.
    fn notes(&self, project: &Project, lines: &Loaded) -> Vec<Note> {
        let mut notes = Vec::new();
        for (column, torn) in &self.nearly_shared {
            notes.push(Note::NearlyShared {
                column: lines.names()[*column].clone(),
                households: torn.households,
                line: lines.line_of(torn.line),
            });
        }
        match &self.size {
            Some((column, Some(torn))) => notes.push(Note::SizesDiffer {
                column: column.clone(),
                households: torn.households,
                line: lines.line_of(torn.line),
            }),
            Some((column, None)) if project.unit.size.is_none() => {
                notes.push(Note::SizeStays { column: column.clone() });
            }
            _ => {}
        }
        notes.extend(self.other_size(project, lines));
        notes
    }

    /// Where a setting says `size`, and that is a column which is not the number of members.
    fn other_size(&self, project: &Project, lines: &Loaded) -> Option<Note> {
        let position = lines.own_names().iter().position(|name| name == SIZE)?;
        let told = self.size.as_ref().is_some_and(|(column, _)| column == SIZE);
        let named = |setting: &Setting| setting.columns(project).iter().any(|it| it == SIZE);
        if told || !SETTINGS.iter().any(named) {
            return None;
        }
        let households = lines.households().expect("the lines have households");
        let column = households.one_each(lines.raw_columns()[position].as_ref()?);
        let others = together::differing(&column, &households.sizes());
        (!others.is_empty()).then_some(Note::SizeIsColumn { households: others.len() as u64 })
    }
}

/// Refuses a plan for records where households are swapped, and the other way round.
pub(crate) fn clash(detail: &str, remedy: &str, about: &str) -> Diagnostic {
    Diagnostic::new(Code::OptionsClash, detail, remedy).about(about)
}

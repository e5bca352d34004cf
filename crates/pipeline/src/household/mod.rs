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
use std::sync::OnceLock;

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
use marginswap_core::verify::{Found, Learned};
use marginswap_report::inspect::HouseholdColumns;

pub use parts::{HouseholdFile, Parts};
pub(crate) use persons::persons;
pub(crate) use together::Together;

use crate::found::blank;
use crate::input::{Ids, Loaded, note_many, separators};
use crate::notes::{Note, Run};
use crate::original::{
    Header, Intruder, OF_HOUSEHOLDS, Original, SparedBy, detach_of, forbidden, hidden_from,
    scope_apart,
};
use crate::project::{Project, Risky};
use crate::refusal::Code;
use crate::resolve::SIZE;
use crate::settings::{SETTINGS, Setting};
use crate::table_names::TableNames;
use crate::weights::Weighting;
use translate::Words;

/// The original file of a household run: the persons of the table of households.
pub struct People {
    /// The lines of the file, with the tables and the intruders that speak of persons.
    pub lines: Original,
    /// How the table of households is made of them.
    pub together: Together,
    /// The named tables that count households, over the variables of households.
    pub tables: Vec<VarSet>,
    /// The person columns that are exchanged after those of households, if any are.
    pub then: BTreeSet<usize>,
}

impl People {
    /// How many intruders look for persons; those after them look for households.
    #[must_use]
    pub fn intruders(&self) -> usize {
        self.lines.intruders.len()
    }

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
        let mut lines = self.lines.loaded.with_columns_of_households(columns);
        if let Some(then) = then {
            lines = lines.after(then);
        }
        lines.derived_again().expect("values that were read before are read again")
    }

    /// The variables of households that the second step changes: who lives there, as far as it
    /// exchanges what they have.
    #[must_use]
    pub fn following(&self, households: &Loaded, scope: &Scope) -> VarSet {
        let names = self.together.following(&self.then, &self.lines.loaded);
        names.map(|name| households.variable_and_column(scope, name).0).collect()
    }

    /// The columns of the lines that a variable of households represents.
    #[must_use]
    pub fn in_words_of_lines(&self, variable: &str) -> Vec<String> {
        let names = self.lines.loaded.names();
        match self.together.set_of(variable) {
            Some(set) => set.iter().map(|&column| names[column].clone()).collect(),
            None => vec![variable.to_owned()],
        }
    }

    /// What intruders who look for households learn, for each of their members.
    #[must_use]
    pub fn of_households(&self, learned: &[Learned]) -> Vec<Learned> {
        let households = self.lines.loaded.households().expect("people live in households");
        let theirs = learned.iter().skip(self.intruders());
        theirs.map(|learned| learned.of_members(households)).collect()
    }

    /// Who is found by intruders who look for households, member by member.
    #[must_use]
    pub fn found_by_households(&self, found: &[Option<Found>]) -> Vec<Option<Found>> {
        let households = self.lines.loaded.households().expect("people live in households");
        found.iter().map(|one| one.as_ref().map(|found| found.of_members(households))).collect()
    }
}

/// Reads the data file of a project that swaps households.
///
/// # Errors
/// When it cannot be read, or a setting does not fit it.
pub(crate) fn read(project: &Project, ids: Ids, run: &mut Run<'_>) -> Result<Original, Diagnostic> {
    translate::refuse_what_households_cannot(project)?;
    let lines = Original::of_lines(project, ids, run)?;
    let mut together = Together::of(&lines.project, &lines.loaded)?;
    translate::take_asked(&mut together, &lines.project, &lines.loaded)?;
    for note in together.notes(&lines.project, &lines.loaded) {
        run.note(note);
    }
    let loaded = together.table(&lines.loaded).0;
    let words = Words { together: &together, lines: &lines.loaded };
    let project = lines.project.in_words(words.translated(&lines.project)?);
    let header = Header::of(&loaded);
    let scope = scope_apart(&project, &header, &[])?;
    let separators = separators(&scope, project.max_separators());
    note_many(&separators, run);
    let table_names = TableNames::of(&project, loaded.names(), &scope);
    let records = loaded.records(&scope, run);
    let located = Located::count(&records);
    let forbidden = forbidden(&project, &loaded, &scope, run);
    let weighting = Weighting::of(&project, &loaded, &scope)?;
    let households = lines.loaded.households().expect("the lines have households");
    let mut intruders: Vec<Intruder> = Vec::new();
    for (intruder, told) in lines.intruders.iter().zip(words.intruders(&lines.project)?) {
        let keys = loaded.variables(&scope, &told.keys);
        let sensitive = hidden_from(&project, &loaded, &scope, keys, &told.sensitive);
        let (name, detach) = (intruder.name.clone(), intruder.detach);
        let risky = households.any(&intruder.risky);
        let members = told.members.map(|together| {
            let (variable, _) = loaded.variable_and_column(&scope, &together);
            members_of(&lines, intruder, variable, (&records, &located))
        });
        let gone = Vec::new();
        let spared_by = SparedBy::Choice;
        intruders.push(Intruder { name, keys, sensitive, detach, risky, spared_by, members, gone });
    }
    if !project.risk.household_keys.is_empty() {
        let keys = loaded.variables(&scope, &project.risk.household_keys);
        let k = match lines.project.risky() {
            Risky::BelowK(k) => k.into(),
            _ => 2,
        };
        let rare = rare_cells(&located, keys, k);
        let risky = (0..records.len())
            .map(RecordId::at)
            .map(|household| rare[located.cell_of(household).position()])
            .collect();
        let sensitive = hidden_from(&project, &loaded, &scope, keys, &project.risk.sensitive);
        let detach = detach_of(&project, &lines.project.risk.sensitive);
        let name = Some(OF_HOUSEHOLDS.to_owned());
        let (members, gone) = (None, Vec::new());
        let spared_by = SparedBy::Choice;
        intruders.push(Intruder { name, keys, sensitive, detach, risky, spared_by, members, gone });
    }
    let tables = household_tables(&lines.project, &loaded, &scope)?;
    let then = persons::exchanged(&lines.project, &lines.loaded, &together)?;
    let people = People { together, tables, then, lines };
    let blank = blank(&project, &scope, &loaded, None);
    Ok(Original {
        blank,
        project,
        loaded,
        scope,
        separators,
        records,
        located,
        intruders,
        forbidden,
        published: Vec::new(),
        table_names,
        weighting,
        people: Some(Box::new(people)),
        dependencies: OnceLock::new(),
    })
}

/// What the members of each household have on those keys of an intruder that are columns of
/// persons, for the variable that represents all of them together.
fn members_of(
    lines: &Original,
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
    Members { variable, of_code, values, blank, at_risk }
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

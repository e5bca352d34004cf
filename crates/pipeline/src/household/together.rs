//! Which columns are those of households, and what households are together.
//!
//! A column that never varies inside a household is one of households. A person column alone
//! means nothing in a table of households; it is represented by the multiset of the members'
//! values, and there is one for each set of person columns that a table or an intruder asks for,
//! and one for all of them, so that two households that differ anywhere are two households.
//!
//! Trap: what holds the size of a household is the same for all members, and would be nonsense
//! elsewhere. A column that is always the number of members stays.

use std::collections::BTreeSet;

use marginswap_core::columns::{Column, Level, Role, Torn};
use marginswap_core::diagnostic::Diagnostic;

use crate::derive::placed;
use crate::input::Loaded;
use crate::project::Project;
use crate::refusal::Code;

/// What the table of households is made of.
#[derive(Debug, Clone)]
pub struct Together {
    /// What each column of the lines is.
    levels: Vec<Level>,
    /// The sets of person columns whose multisets are variables, with their names.
    sets: Vec<(String, BTreeSet<usize>)>,
    /// The column that holds the size, and where it differs from the number of members.
    pub(super) size: Option<(String, Option<Torn>)>,
    /// The columns of persons that vary in very few households.
    pub(super) nearly_shared: Vec<(usize, Torn)>,
    household: usize,
}

/// A column that varies in at most one of this many households of several members is one of
/// households with slips.
const FEW: u64 = 20;

/// What all members have on all person columns.
const EVERYTHING: &str = "who lives there";

impl Together {
    /// What the lines of a file are together.
    ///
    /// # Errors
    /// No household column may be exchanged, or a derived variable mixes columns that may be
    /// exchanged with those of persons.
    pub(super) fn of(project: &Project, lines: &Loaded) -> Result<Self, Diagnostic> {
        let households = lines.households().expect("the lines have households");
        let own = lines.own_names().len();
        let mut levels: Vec<Level> = Vec::with_capacity(lines.names().len());
        let taking_part = |position: &usize| lines.role(*position) != Role::Ignored;
        let shared = (0..households.len()).filter(|&one| households.members(one).len() > 1).count();
        let mut nearly_shared = Vec::new();
        for (position, column) in lines.raw_columns().iter().enumerate().take(own) {
            let torn = column.as_ref().map(|column| households.torn(column));
            levels.push(match torn {
                Some(None) => Level::Household,
                _ => Level::Person,
            });
            let few = |torn: &Torn| torn.households * FEW <= shared as u64;
            if let Some(torn) = torn.flatten().filter(|torn| taking_part(&position) && few(torn)) {
                nearly_shared.push((position, torn));
            }
        }
        for name in &project.unit.columns {
            must_be_constant(lines, lines.position(name)?, "a column of households")?;
        }
        let household = lines.household().expect("a column names the households");
        let size = size_column(project, lines, &levels)?;
        if let Some((size, _)) = size {
            levels[size] = Level::Composition;
        }
        let roles = lines.in_memory().roles();
        for column in own..lines.names().len() {
            let sources = roles.sources(column).expect("behind the columns are derived ones");
            let any = |level: Level| sources.iter().any(|&source| levels[source] == level);
            let moves = |&&source: &&usize| {
                levels[source] == Level::Household && lines.role(source) == Role::Variable
            };
            let counted_by = lines.counted_by(column);
            if let Some(&source) = counted_by.and_then(|sources| sources.iter().find(moves)) {
                return Err(placed(counted_by_what_moves(lines, column, source), project));
            }
            let level = match (any(Level::Household), any(Level::Composition), any(Level::Person)) {
                _ if counted_by.is_some() => Level::Composition,
                (true, false, false) => Level::Household,
                (false, true, false) => Level::Composition,
                (false, _, true) => Level::Person,
                _ if sources.iter().find(moves).is_none() => Level::Person,
                _ => return Err(mixed(&lines.names()[column])),
            };
            // What persons have is never exchanged: where all members have the same, it stays.
            let same = lines.raw_columns()[column].as_ref();
            let same = same.is_some_and(|column| households.torn(column).is_none());
            levels.push(match level {
                Level::Person if same => Level::Composition,
                level => level,
            });
        }
        for name in &project.columns.vars {
            let position = lines.position(name)?;
            // Columns of persons are exchanged after those of households, where that is asked for.
            if levels[position] == Level::Person && project.unit.then.is_none() {
                must_be_constant(lines, position, "exchange")?;
            }
        }
        let exchanged = |position: usize| {
            levels[position] == Level::Household && lines.role(position) == Role::Variable
        };
        if !(0..own).any(exchanged) {
            return Err(Diagnostic::new(
                Code::NoVariables,
                "every column varies inside a household, stays or is ignored",
                "make a column that all members of a household share a variable",
            )
            .in_file(lines.path()));
        }
        let persons =
            |position: &usize| levels[*position] == Level::Person && taking_part(position);
        let all: BTreeSet<usize> = (0..own).filter(persons).collect();
        let mut found = Self {
            levels,
            sets: Vec::new(),
            size: size.map(|(size, differing)| (lines.names()[size].clone(), differing)),
            nearly_shared,
            household,
        };
        found.sets.push((free(EVERYTHING, lines), all));
        Ok(found)
    }

    /// What a column of the lines is.
    pub(crate) fn level(&self, column: usize) -> Level {
        self.levels[column]
    }

    /// May a column of persons be exchanged after households? One that all members share in
    /// nearly every household would tear families that a slip of the pen did not, so it must be
    /// named.
    pub(crate) fn follows(&self, column: usize, project: &Project, lines: &Loaded) -> bool {
        let nearly = self.nearly_shared.iter().any(|(other, _)| *other == column);
        self.level(column) == Level::Person
            && lines.role(column) == Role::Variable
            && (!nearly || project.columns.vars.contains(&lines.names()[column]))
    }

    /// The multisets that an exchange of values in these person columns changes, by name.
    pub(crate) fn following<'t>(
        &'t self,
        exchanged: &'t BTreeSet<usize>,
        lines: &'t Loaded,
    ) -> impl Iterator<Item = &'t String> {
        let roles = lines.in_memory().roles();
        let moves = |&column: &usize| match roles.sources(column) {
            Some(sources) => !sources.is_disjoint(exchanged),
            None => exchanged.contains(&column),
        };
        let following = self.sets.iter().filter(move |(_, set)| set.iter().any(moves));
        following.map(|(name, _)| name)
    }

    /// The variable for the multiset of the members' values on these person columns.
    pub(super) fn name_of(&self, set: &BTreeSet<usize>) -> String {
        let found = self.sets.iter().find(|(_, other)| other == set);
        found.expect("what is asked for was taken").0.clone()
    }

    /// The person columns whose multiset is the variable of this name, if it is one.
    pub(crate) fn set_of(&self, name: &str) -> Option<&BTreeSet<usize>> {
        self.sets.iter().find(|(other, _)| other == name).map(|(_, set)| set)
    }

    /// Takes the multiset of the members' values on these person columns among the variables.
    pub(super) fn take(&mut self, set: BTreeSet<usize>, lines: &Loaded) {
        if self.sets.iter().all(|(_, other)| *other != set) {
            let names: Vec<&str> = set.iter().map(|&one| lines.names()[one].as_str()).collect();
            let name = match names[..] {
                [] => "number of persons".to_owned(),
                _ => format!("{EVERYTHING}: {}", names.join(", ")),
            };
            self.sets.push((free(&name, lines), set));
        }
    }

    /// The table of households, and how many households a column tears that may be exchanged:
    /// none in the original.
    pub(crate) fn table(&self, lines: &Loaded) -> (Loaded, u64) {
        let households = lines.households().expect("the lines have households");
        let column = |position: usize| lines.raw_columns()[position].as_ref();
        let together = self.sets.iter().map(|(name, set)| {
            let columns: Vec<&Column> =
                set.iter().map(|&one| column(one).expect("it takes part")).collect();
            (name.clone(), households.multiset(&columns))
        });
        let mut torn = vec![false; households.len()];
        for (position, level) in self.levels.iter().enumerate() {
            let taken = *level == Level::Household && lines.role(position) != Role::Ignored;
            let Some(column) = column(position).filter(|_| taken) else { continue };
            if households.torn(column).is_none() {
                continue;
            }
            for (household, torn) in torn.iter_mut().enumerate() {
                let own = column.code(households.first(household));
                let members = households.members(household).iter();
                *torn |= members.into_iter().any(|&line| column.code(line as usize) != own);
            }
        }
        let torn = torn.into_iter().filter(|torn| *torn).count() as u64;
        let columns = lines.in_memory().of_households(
            households,
            &self.levels,
            self.household,
            together.collect(),
        );
        (lines.of_households(columns), torn)
    }
}

/// The column that holds the size of households, and where it does not: the one that is named, else
/// one that is the number of members of nine in ten households, and of nine in ten that have more
/// than one.
///
/// # Errors
/// [`Code::VariesInHousehold`]; [`Code::WrongSize`] for a named one that is mostly another number.
fn size_column(
    project: &Project,
    lines: &Loaded,
    levels: &[Level],
) -> Result<Option<(usize, Option<Torn>)>, Diagnostic> {
    let households = lines.households().expect("the lines have households");
    let sizes = households.sizes();
    let several = |one: &usize| households.members(*one).len() > 1;
    let others = |position: usize| -> Option<Vec<usize>> {
        let column = lines.raw_columns()[position].as_ref()?;
        Some(differing(&households.one_each(column), &sizes))
    };
    let found = |position: usize, others: &[usize]| {
        let first = others.iter().map(|&one| households.first(one)).min();
        let torn = first.map(|line| Torn { line, households: others.len() as u64 });
        Some((position, torn))
    };
    if let Some(name) = &project.unit.size {
        let position = lines.position(name)?;
        must_be_constant(lines, position, "the size of a household")?;
        let Some(others) = others(position) else { return Ok(None) };
        if others.len() * 2 > households.len() {
            let many = marginswap_core::diagnostic::grouped;
            let mut refusal = Diagnostic::new(
                Code::WrongSize,
                format!(
                    "`{name}` is another number than that of the members in {} of {} households",
                    many(others.len() as u64),
                    many(households.len() as u64)
                ),
                "name the column that holds the size, or leave this out",
            )
            .in_file(lines.path())
            .about(format!("unit.size={name}"));
            refusal.place.line = lines.line_of(households.first(others[0]));
            return Err(refusal);
        }
        return Ok(found(position, &others));
    }
    let many = (0..households.len()).filter(several).count();
    let candidates = (0..lines.own_names().len()).filter(|&position| {
        levels[position] == Level::Household && lines.role(position) != Role::Ignored && many > 0
    });
    let mut nearly = None;
    for position in candidates {
        let Some(others) = others(position) else { continue };
        let wrong = others.iter().filter(|one| several(one)).count();
        if others.is_empty() {
            return Ok(found(position, &others));
        }
        if nearly.is_none() && others.len() * 10 <= households.len() && wrong * 10 <= many {
            nearly = found(position, &others);
        }
    }
    Ok(nearly)
}

/// The records in which two columns have other values.
pub(super) fn differing(one: &Column, other: &Column) -> Vec<usize> {
    let value = |column: &Column, code: u32| column.dictionary().category(code).map(<[u8]>::to_vec);
    let same: Vec<Option<u32>> = (0u32..)
        .take(one.dictionary().levels())
        .map(|code| value(one, code).and_then(|value| other.dictionary().find(&value)))
        .collect();
    let mut differing = Vec::new();
    one.for_each_code(|record, code| {
        if same[code as usize] != Some(other.code(record)) {
            differing.push(record);
        }
    });
    differing
}

/// Refuses a column that is asked for as one of households and varies inside one.
pub(super) fn must_be_constant(
    lines: &Loaded,
    position: usize,
    what: &str,
) -> Result<(), Diagnostic> {
    let households = lines.households().expect("the lines have households");
    let Some(column) = &lines.raw_columns()[position] else { return Ok(()) };
    let Some(torn) = households.torn(column) else { return Ok(()) };
    let name = &lines.names()[position];
    let many = match torn.households {
        1 => "1 household".to_owned(),
        many => format!("{} households", marginswap_core::diagnostic::grouped(many)),
    };
    let mut refusal = Diagnostic::new(
        Code::VariesInHousehold,
        format!("`{name}` is named for {what}, and varies inside {many}"),
        "name a column that all members share, or what is counted in a household",
    )
    .in_file(lines.path())
    .in_column(format!("`{name}`"));
    refusal.place.line = lines.line_of(torn.line);
    Err(refusal)
}

fn mixed(name: &str) -> Diagnostic {
    Diagnostic::new(
        Code::BadDerived,
        format!("`{name}` follows from columns of households, which are exchanged, and of persons"),
        "let it follow from the ones or from the others, or let the columns of households stay",
    )
    .about(format!("derive={name}"))
}

/// What is counted in a household stays with its members, so it cannot follow a column that is
/// exchanged.
fn counted_by_what_moves(lines: &Loaded, column: usize, source: usize) -> Diagnostic {
    let (name, source) = (&lines.names()[column], &lines.names()[source]);
    Diagnostic::new(
        Code::BadDerived,
        format!(
            "`{name}` counts members by `{source}`, which is the same for all members of a household \
             and is exchanged"
        ),
        format!("name `{source}` itself in the table, or let it stay"),
    )
    .about(format!("derive={name}"))
}

/// The name, or one that no column has.
fn free(name: &str, lines: &Loaded) -> String {
    let mut name = name.to_owned();
    while lines.names().contains(&name) {
        name.push_str(" (together)");
    }
    name
}

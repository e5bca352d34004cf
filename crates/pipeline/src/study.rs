//! A study: the original file of a project, read once, with its two views.
//!
//! Its units are what is swapped, records or households; its people are who is to be protected.
//! Without households the two are one view. Planning, comparing and the questions begin here.
//!
//! Way in: [`Study::read`].

use std::collections::BTreeSet;
use std::sync::OnceLock;

use crate::refusal::Code;
use marginswap_core::columns::{BrokenDependencies, Columns, Dependency, broken};
use marginswap_core::diagnostic::Diagnostic;
use marginswap_core::encode::RecordId;
use marginswap_core::graph::Scope;
use marginswap_core::plan::Plan;
use marginswap_core::swap;
use marginswap_core::table::CellId;
use marginswap_core::varset::VarSet;
use marginswap_core::verify::{Found, Learned};
use marginswap_io::PlanFile;

use crate::derive::Take;
use crate::household::{self, HouseholdUnits};
use crate::input::{Ids, Loaded};
use crate::notes::Run;
use crate::project::Project;
use crate::published::Published;
use crate::release::Steps;
use crate::resolve::{Resolved, open};
use crate::view::{View, ids_for, scope_of, unranked};

/// The original file of a project, with its views.
pub struct Study {
    /// What is swapped: records, or households.
    pub units: View,
    /// The numbers as they were published.
    pub published: Vec<Published>,
    pub(crate) households: Option<Box<HouseholdUnits>>,
    /// What every line obeys, as soon as it was looked for.
    dependencies: OnceLock<Vec<Dependency>>,
}

impl From<View> for Study {
    /// Of records that are swapped.
    fn from(units: View) -> Self {
        Self { units, published: Vec::new(), households: None, dependencies: OnceLock::new() }
    }
}

impl Study {
    /// Reads the data file of a project.
    ///
    /// # Errors
    /// When it cannot be read, or a setting does not fit it.
    pub fn read(project: &Project, run: &mut Run<'_>) -> Result<Self, Diagnostic> {
        let ids = ids_for(project);
        Self::read_with(project, ids, run)
    }

    /// As [`Study::read`], where it is known whether somebody asks for the names of records.
    ///
    /// # Errors
    /// As there.
    pub fn read_with(project: &Project, ids: Ids, run: &mut Run<'_>) -> Result<Self, Diagnostic> {
        let of_households = project.unit.household.is_some();
        if of_households {
            household::refuse_what_households_cannot(project)?;
        }
        let (lines, published) = View::of_lines(project, ids, run)?;
        if !of_households {
            return Ok(Self { published, ..Self::from(lines) });
        }
        let (units, households) = household::read(lines, run)?;
        Ok(Self { published, households: Some(Box::new(households)), ..Self::from(units) })
    }

    /// The lines of the file, with what is asked of persons: the units themselves where these are
    /// no households.
    #[must_use]
    pub fn people(&self) -> &View {
        self.households.as_ref().map_or(&self.units, |households| &households.people)
    }

    /// Both views, persons first; one where they are the same.
    pub fn views(&self) -> impl Iterator<Item = &View> {
        let units = self.households.as_ref().map(|_| &self.units);
        std::iter::once(self.people()).chain(units)
    }

    /// The person columns that are exchanged after those of households, if any are.
    #[must_use]
    pub fn then(&self) -> &BTreeSet<usize> {
        const NONE: &BTreeSet<usize> = &BTreeSet::new();
        self.households.as_ref().map_or(NONE, |households| &households.then)
    }

    /// The units of these lines, where they are households, and how many a column tears that may be
    /// exchanged.
    pub(crate) fn units_of(&self, lines: &Loaded) -> Option<(Loaded, u64)> {
        self.households.as_ref().map(|all| all.together.table(lines))
    }

    /// The lines of the file after the steps of a plan, where their units are households.
    ///
    /// # Panics
    /// When the plan is not one for these.
    pub(crate) fn lines_after(&self, steps: Steps<'_>) -> Option<Loaded> {
        let all = self.households.as_ref()?;
        Some(all.lines_after(&self.units.loaded, steps.plan, steps.then))
    }

    /// What those learn who look for whole households, and who is found by them, member by member.
    pub(crate) fn by_members(
        &self,
        learned: &[Learned],
        found: &[Option<Found>],
    ) -> (Vec<Learned>, Vec<Option<Found>>) {
        let households = self.households.as_ref().and_then(|all| all.people.loaded.households());
        let Some(households) = households else { return Default::default() };
        let theirs = learned.iter().skip(self.units.of_members);
        let found = found.iter().map(|one| one.as_ref().map(|found| found.of_members(households)));
        (theirs.map(|learned| learned.of_members(households)).collect(), found.collect())
    }

    /// The variables of units that the second step changes: who lives there, as far as it exchanges
    /// what they have.
    pub(crate) fn following(&self) -> VarSet {
        let (View { loaded, scope, .. }, lines) = (&self.units, &self.people().loaded);
        let all = self.households.iter();
        let names = all.flat_map(|all| all.together.following(&all.then, lines));
        names.map(|name| loaded.variable_and_column(scope, name).0).collect()
    }

    /// Are there person columns that could be exchanged after those of households, and are not?
    pub(crate) fn persons_could_follow(&self) -> bool {
        let View { project, loaded, .. } = self.people();
        self.then().is_empty()
            && self.households.as_ref().is_some_and(|all| {
                let mut own = 0..loaded.own_names().len();
                own.any(|column| all.together.follows(column, project, loaded))
            })
    }

    /// The columns of the file that a variable of the units represents.
    pub(crate) fn columns_of(&self, variable: &str) -> Vec<String> {
        let set = self.households.as_ref().and_then(|all| all.together.set_of(variable));
        let names = self.people().loaded.names();
        match set {
            Some(set) => set.iter().map(|&column| names[column].clone()).collect(),
            None => vec![variable.to_owned()],
        }
    }

    /// The cell that is swapped of a line of the file: its own, or that of its household.
    #[must_use]
    pub fn cell_of_line(&self, line: RecordId) -> CellId {
        self.units.located.cell_of(self.units.loaded.record_of_line(line))
    }

    /// What every line obeys, and these lines of a file with the same columns do not.
    pub(crate) fn broken_in(&self, after: &Columns, counts: Option<&[u32]>) -> BrokenDependencies {
        broken(self.dependencies(), self.people().loaded.raw_columns(), after.as_read(), counts)
    }

    /// The same of the records of the file after a plan.
    pub(crate) fn broken_by(&self, plan: &Plan) -> BrokenDependencies {
        let loaded = &self.units.loaded;
        match self.dependencies().is_empty() {
            true => BrokenDependencies::default(),
            false => self.broken_in(&swap::apply(plan, loaded.in_memory()), loaded.counts()),
        }
    }

    /// What every record obeys. The search is a long one, and the plan and the comparison ask.
    fn dependencies(&self) -> &[Dependency] {
        self.dependencies.get_or_init(|| self.people().loaded.dependencies())
    }

    /// Are people to be hidden, and single persons exchange values after their households?
    pub(crate) fn is_hiding_not_counted(&self) -> bool {
        self.units.asks_for_parts() && !self.then().is_empty()
    }

    /// Refuses a plan that was made for other data, or does not keep what its parameters promise.
    ///
    /// # Errors
    /// [`Code::StalePlan`].
    pub fn check_plan(&self, plan: &PlanFile) -> Result<(), Diagnostic> {
        let View { loaded, records, .. } = &self.units;
        plan.check_input(&loaded.digest().sha256, records.len() as u64, loaded.own_names())?;
        self.units.check_plan(&plan.plan)?;
        let asked = !self.then().is_empty();
        let Some(then) = plan.then.as_ref().filter(|_| asked) else {
            return match asked || plan.then.is_some() {
                true => Err(self.other_steps()),
                false => Ok(()),
            };
        };
        let persons = household::persons(self, &plan.plan)?;
        if then.lines != persons.records.len() as u64 {
            return Err(self.other_steps());
        }
        persons.check_plan(&then.plan)
    }

    /// The refusal of a plan that has a second step where none is asked for, or the contrary.
    fn other_steps(&self) -> Diagnostic {
        Diagnostic::new(
            Code::StalePlan,
            "the steps of the plan are not those that its settings ask for",
            "make a new plan; this one was changed, or made with other settings",
        )
        .in_file(self.units.loaded.path())
    }

    /// How many tables must be found unchanged, of persons and of households.
    #[must_use]
    pub fn tables(&self) -> usize {
        self.views().map(|view| view.tables.len()).sum()
    }
}

/// The settings, the file and its scope, for questions that need no more; where households are
/// swapped, those of the table of them.
///
/// # Errors
/// When it cannot be read, or a setting does not fit it.
pub(crate) fn read_scoped(
    project: &Project,
    ids: Ids,
    run: &mut Run<'_>,
) -> Result<(Resolved, Loaded, Scope), Diagnostic> {
    if project.unit.household.is_some() {
        // Who is at risk is not asked.
        let View { project, loaded, scope, .. } =
            Study::read_with(&unranked(project), ids, run)?.units;
        return Ok((project, loaded, scope));
    }
    let (project, opened) = open(project, Take::Named)?;
    let scope = scope_of(&project, opened.header(), &[])?;
    let loaded = opened.without_sum().read(ids, run)?;
    Ok((project, loaded, scope))
}

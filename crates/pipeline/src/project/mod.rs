//! Everything a run needs, as the project file `marginswap.toml` and the flags say it.
//!
//! A [`Project`] has one field for each row of the table of [`settings`]. The
//! file is read by [`ProjectFile::load`], the flags are a `Project` too, and
//! [`Project::merge`] lets them win. Names and values are not looked up here: what they are in
//! a data file is decided where that file is open.
//!
//! Trap: an empty list is the same as a missing one. A flag can replace a list of the file,
//! not empty it.
//!
//! Way in: [`ProjectFile::load`], [`ProjectFile::find`]. Every entry: `docs/settings.md`.

mod amount;
mod crowd;
mod draft;
mod effect;
mod effort;
mod files;
mod intruder;
mod list;
mod max_records;
mod mechanism;
mod model;
mod order;
mod published;
mod read;
mod risky;
mod rule;
mod text;
mod then;
mod trs;
mod weight_drift;
mod width;

use std::collections::BTreeMap;
use std::num::NonZeroU16;
use std::path::{Path, PathBuf};

use marginswap_core::diagnostic::Diagnostic;
use marginswap_core::graph::Formula;
use marginswap_io::{Delimiter, Frame, PlanFile};
use serde_json::{Map, Value, json};

pub use amount::{Amount, Share};
pub use crowd::Crowd;
pub use draft::{ApartColumns, Draft, DraftColumn, FollowingColumn};
pub(crate) use draft::{key, written};
pub(crate) use effect::{check_effects, no_effect};
pub use effort::Effort;
pub use intruder::NamedIntruder;
pub use list::ListedTable;
pub use max_records::MaxRecords;
pub use mechanism::{Epsilon, Mechanism};
pub use model::{Fraction, ModelChoice, PeopleCount, ScoreBy, SearchBy, SelectBy};
pub use order::ReleaseOrder;
pub use published::{PublishedEntries, PublishedEntry};
pub use read::{FILE_NAME, ProjectFile};
pub use risky::{Knows, Pairing, Risky};
pub use rule::{Rule, Term};
pub(crate) use text::between;
pub use text::{BadValue, Written};
pub use then::Then;
pub use trs::Trs;
pub use weight_drift::WeightDrift;
pub use width::Width;

use crate::derive::Expression;
use crate::refusal::Code;
use crate::settings::{self, Kind, SETTINGS, Setting, Topic};

/// Everything a run needs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Project {
    /// The data file.
    pub data: Option<PathBuf>,
    /// The data themselves, where a door holds them in memory; they take the place of a file.
    pub frame: Option<Frame>,
    /// What parts its fields; without it the header line decides.
    pub delimiter: Option<Delimiter>,
    /// Is the first line the header even if it looks like a record?
    pub header: Option<bool>,
    /// What each column is.
    pub columns: Columns,
    /// Variables that follow from columns, by name.
    pub derive: BTreeMap<String, Expression>,
    /// What is swapped.
    pub unit: Unit,
    /// The tables that must not change.
    pub keep: Keep,
    /// Who is to be protected.
    pub risk: Risk,
    /// How records are swapped.
    pub swap: Swapping,
    /// What a released file is checked against besides the original.
    pub verify: Verifying,
    /// What the gate tolerates.
    pub gate: Gate,
    /// What is written.
    pub release: Release,
    /// What is reported about it.
    pub report: Reports,
    /// The parameters of targeted record swapping, in place of the entries above.
    pub trs: Option<Trs>,
}

/// `[columns]`: what each column is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Columns {
    /// Columns whose values may be exchanged; the others stay. None named: all of them.
    pub vars: Vec<String>,
    /// Columns that are released but never exchanged.
    pub stay: Vec<String>,
    /// Columns left out.
    pub ignore: Vec<String>,
    /// The column that names a record; left out too.
    pub id: Option<String>,
    /// Codes of missing numbers, for derived variables.
    pub missing: Vec<String>,
}

/// `[unit]`: what is swapped, records or whole households.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unit {
    /// The column that names the household of a line.
    pub household: Option<String>,
    /// Columns that all members of a household must have in common.
    pub columns: Vec<String>,
    /// The column that holds the size of the household.
    pub size: Option<String>,
    /// The file of households, where that of the data holds the persons alone.
    pub file: Option<PathBuf>,
    /// What follows the exchange of households.
    pub then: Option<Then>,
}

/// `[keep]`: the tables that must not change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Keep {
    /// Formulas of one or more tables each.
    pub tables: Vec<String>,
    /// Formulas of tables that count households.
    pub households: Vec<String>,
    /// Formulas by the name of their table.
    pub named: BTreeMap<String, String>,
    /// A file that lists tables.
    pub list: Option<PathBuf>,
    /// The tables of that file, once it is read.
    pub listed: Vec<ListedTable>,
    /// How many of the tables of households, the last ones, are of the list.
    pub listed_households: usize,
    /// The derived variables that represent conditions of these tables.
    pub conditions: Vec<String>,
    /// How many minimal separators are listed at most.
    pub max_separators: Option<u32>,
}

/// `[risk]`: who is to be protected.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Risk {
    /// The columns that an intruder may know.
    pub keys: Vec<String>,
    /// What other intruders may know.
    pub more_keys: Vec<Vec<String>>,
    /// What an intruder may know of a whole household.
    pub household_keys: Vec<String>,
    /// Intruders with names, besides those without.
    pub scenarios: BTreeMap<String, NamedIntruder>,
    /// What an intruder must not learn; every variable that is no key when none is named.
    pub sensitive: Vec<String>,
    /// Which records are risky.
    pub risky: Option<Risky>,
    /// What an intruder knows of the keys.
    pub knows: Option<Knows>,
    /// How many people share each piece of the keys of somebody who is hidden.
    pub crowd: Option<Crowd>,
    /// The keys that an intruder may know only roughly, each with the width of its classes.
    pub roughly: BTreeMap<String, Width>,
    /// How many people the file was drawn from.
    pub population: Option<PeopleCount>,
    /// Or what share of them is in the file.
    pub fraction: Option<Fraction>,
    /// Which model of the keys is fitted.
    pub model: Option<ModelChoice>,
    /// The decomposable model that a search begins with.
    pub start: Vec<String>,
    /// What a parameter costs in the search.
    pub criterion: Option<ScoreBy>,
    /// Which steps the search takes.
    pub search: Option<SearchBy>,
    /// What the search ends by.
    pub select: Option<SelectBy>,
}

impl Risk {
    /// What a parameter costs: as set, else ln n (BIC), or 2 (AIC) where the fit chooses, because
    /// it has to come past the models that BIC calls too rich.
    #[must_use]
    pub fn criterion(&self) -> ScoreBy {
        let by_fit = self.select == Some(SelectBy::Fit);
        self.criterion.unwrap_or(if by_fit { ScoreBy::Aic } else { ScoreBy::Bic })
    }
}

/// `[swap]`: how records are swapped.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Swapping {
    /// Groups of columns that only travel together.
    pub linked: Vec<Vec<String>>,
    /// Columns on which partners agree: the first list that gives a partner counts.
    pub matched: Vec<Vec<String>>,
    /// Areas in which partners are looked for first, the smallest first.
    pub near: Vec<String>,
    /// The file of areas with their places, by which near ones are preferred.
    pub areas: Option<PathBuf>,
    /// The derived variables that it expands to, when it has been read.
    pub area_groups: Vec<String>,
    /// Columns on which partners always agree.
    pub strata: Vec<String>,
    /// The column of weights, which joins every kept table.
    pub weight: Option<String>,
    /// What is asked of weighted counts.
    pub weight_drift: Option<WeightDrift>,
    /// The kept tables whose weighted counts are asked for; all of them where none is named.
    pub weighted: Vec<String>,
    /// Combinations that no swap may create.
    pub rules: Vec<Rule>,
    /// Pairs of variables whose values may not come together for the first time, `all` or `none`;
    /// all unless set.
    pub never_new: Vec<String>,
    /// How many sensitive values must be false next to keys that cannot be parted.
    pub detach: Option<u32>,
    /// No more records than this are changed.
    pub budget: Option<Amount>,
    /// Random swaps are added until at least this many records are changed.
    pub rate: Option<Amount>,
    /// The mechanism with a certificate that exchanges records, in place of a plan.
    pub mechanism: Option<Mechanism>,
    /// The ε that it may spend in all.
    pub epsilon: Option<Epsilon>,
    /// How partners are found.
    pub pairing: Option<Pairing>,
    /// How much work planning may take.
    pub effort: Option<Effort>,
    /// The most records of a single swap.
    pub max_records: Option<MaxRecords>,
    /// What it costs to disturb a variable; 1 where none is given.
    pub weights: BTreeMap<String, NonZeroU16>,
}

/// `[verify]`: what a released file is checked against besides the original.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verifying {
    /// The numbers as they were published.
    pub published: PublishedEntries,
    /// Codes that mean a total in them.
    pub total: Vec<String>,
}

/// `[gate]`: how much of each finding is tolerated; nothing unless set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Gate {
    /// People matched with every sensitive value true.
    pub matched_right: Option<Amount>,
    /// People matched at all.
    pub matched: Option<Amount>,
    /// People of whom several agreeing records tell everything.
    pub shared_right: Option<Amount>,
    /// People whose keys are shared as before, or of whom several records tell too much.
    pub shared_learned: Option<Amount>,
    /// People who became alone with their keys.
    pub newly_exposed: Option<Amount>,
    /// People whose keys no exchange can part.
    pub not_separable: Option<Amount>,
    /// People at risk who may be left without being hidden.
    pub not_hidden: Option<Amount>,
    /// Two-way combinations that never occurred.
    pub new_pairs: Option<Amount>,
    /// Records that may break a dependency between columns.
    pub dependencies_broken: Option<Amount>,
    /// How far a two-way table that is not kept may move; a tenth of the records where nothing is
    /// said.
    pub moved: Option<Amount>,
}

impl Gate {
    /// How far a two-way table that is not kept may move.
    #[must_use]
    pub fn moved(&self) -> Amount {
        self.moved.unwrap_or(Amount::Share(Share::percent(10)))
    }
}

/// `[release]`: what is written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Release {
    /// The released file.
    pub out: Option<PathBuf>,
    /// The released file of households, where they have one of their own.
    pub households: Option<PathBuf>,
    /// The plan.
    pub plan: Option<PathBuf>,
    /// In which order the records are released.
    pub order: Option<ReleaseOrder>,
    /// Is the column that names the records released?
    pub release_id: Option<bool>,
    /// Columns that are not released.
    pub drop: Vec<String>,
}

/// `[report]`: what is reported about a release.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reports {
    /// The page for those who decide.
    pub internal: Option<PathBuf>,
    /// The page for everybody.
    pub external: Option<PathBuf>,
    /// Tables that are not kept and looked at all the same.
    pub watch: Vec<String>,
}

/// A table to keep, whichever way a project names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedTable {
    /// What it is called, where it has a name.
    pub name: Option<String>,
    /// Its variables.
    pub variables: Vec<String>,
    /// Is it published, so that nobody may drop it?
    pub published: bool,
}

impl Keep {
    /// Is no table to be kept?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tables.is_empty()
            && self.households.is_empty()
            && self.named.is_empty()
            && self.listed.is_empty()
    }

    /// Every table to keep as a formula.
    #[must_use]
    pub fn formulas(&self) -> Vec<String> {
        let listed = self.listed.iter().map(ListedTable::formula);
        self.tables.iter().chain(self.named.values()).cloned().chain(listed).collect()
    }
}

impl Project {
    /// Every table to keep, with its name.
    #[must_use]
    pub fn kept_tables(&self) -> Vec<NamedTable> {
        let read =
            |text: &String| Formula::parse(&[text]).map_or(vec![], |all| all.tables().to_vec());
        let plain = self.keep.tables.iter().flat_map(read).map(|table| (None, table));
        let named = self.keep.named.iter();
        let named = named.flat_map(|(name, text)| {
            read(text).into_iter().map(|table| (Some(name.clone()), table))
        });
        let table = |(name, variables)| NamedTable { name, variables, published: false };
        let listed = self.keep.listed.iter().map(|table| NamedTable {
            name: table.name.clone(),
            variables: table.variables.clone(),
            published: table.published,
        });
        plain.chain(named).map(table).chain(listed).collect()
    }

    /// This project with the entries that the flags give in place of its own. A list
    /// replaces a list; a variable's weight replaces that variable's weight.
    #[must_use]
    pub fn merge(mut self, flags: Self) -> Self {
        // Two ways to say one thing: the one that a flag gives takes the place of both.
        if flags.risk.population.is_some() || flags.risk.fraction.is_some() {
            (self.risk.population, self.risk.fraction) = (None, None);
        }
        for setting in SETTINGS {
            setting.lay(&mut self, &flags);
        }
        self.frame = flags.frame.or(self.frame);
        self
    }

    /// This project with the entries that `[trs]` expands to. An entry that is given
    /// itself wins over the one that `[trs]` would set; tables are kept on top.
    #[must_use]
    pub fn expanded(mut self) -> Self {
        let Some(trs) = self.trs.take() else { return self };
        let preset = trs.expand();
        let on_top = |own: &mut Vec<String>, preset: &[String]| {
            let more: Vec<String> =
                preset.iter().filter(|table| !own.contains(table)).cloned().collect();
            own.splice(0..0, more);
        };
        on_top(&mut self.keep.tables, &preset.keep.tables);
        on_top(&mut self.keep.households, &preset.keep.households);
        preset.merge(self)
    }

    /// Which records are risky, set or not.
    #[must_use]
    pub fn risky(&self) -> Risky {
        self.risk.risky.clone().unwrap_or_default()
    }

    /// How many people share each piece of the keys of somebody who is hidden from intruders who
    /// know some of the keys; `None` where they are taken to know all of them.
    #[must_use]
    pub fn crowd(&self) -> Option<Crowd> {
        match self.risk.knows.unwrap_or_default() {
            Knows::AnyPart => Some(self.risk.crowd.unwrap_or_default()),
            Knows::All => None,
        }
    }

    /// How partners are found, set or not.
    #[must_use]
    pub fn pairing(&self) -> Pairing {
        self.swap.pairing.unwrap_or_default()
    }

    /// How much work planning may take, set or not.
    #[must_use]
    pub fn effort(&self) -> Effort {
        self.swap.effort.unwrap_or_default()
    }

    /// How many records a single swap takes at most, set or not.
    #[must_use]
    pub fn max_records(&self) -> MaxRecords {
        self.swap.max_records.unwrap_or_default()
    }

    /// What is asked of weighted counts, set or not.
    #[must_use]
    pub fn weight_drift(&self) -> WeightDrift {
        self.swap.weight_drift.unwrap_or_default()
    }

    /// How many minimal separators are listed at most, set or not.
    #[must_use]
    pub fn max_separators(&self) -> usize {
        const USUAL: u32 = 100_000;
        self.keep.max_separators.unwrap_or(USUAL) as usize
    }

    /// In which order records are released, set or not.
    #[must_use]
    pub fn order(&self) -> ReleaseOrder {
        self.release.order.unwrap_or_default()
    }

    /// The columns that are not released: those named, and the id unless it is asked for.
    #[must_use]
    pub fn dropped(&self) -> Vec<String> {
        let mut names = self.release.drop.clone();
        let id = self.columns.id.iter().filter(|_| self.release.release_id != Some(true));
        names.extend(id.filter(|id| !self.release.drop.contains(id)).cloned());
        names
    }

    /// This project, which a plan holds, with files of groups where they are now: where the same
    /// derived variable of another project finds them, else from the folder in which the program
    /// runs, else next to the data.
    #[must_use]
    pub fn with_files_of(mut self, told: &Self) -> Self {
        self.unit.file.clone_from(&told.unit.file);
        let beside = self.data.as_deref().and_then(Path::parent);
        for (name, expression) in &mut self.derive {
            match told.derive.get(name) {
                Some(same) if same == expression => *expression = same.clone(),
                _ if expression.files().iter().all(|file| file.exists()) => {}
                _ => expression.start_paths_at(beside.unwrap_or(Path::new(""))),
            }
        }
        self
    }

    /// What it costs to disturb a variable.
    #[must_use]
    pub fn weight_of(&self, variable: &str) -> NonZeroU16 {
        self.swap.weights.get(variable).copied().unwrap_or(NonZeroU16::MIN)
    }

    /// What decides a plan, as one JSON object whose keys are sorted: two projects with
    /// the same parameters make the same plan for the same data and seed. An entry that
    /// says what would be done anyway makes no difference.
    ///
    /// Trap: of `records:FILE` only the word `records` is here. What the file names is an
    /// input like the data, and a path says nothing about it.
    #[must_use]
    pub fn parameters(&self) -> Value {
        let mut project = self.clone().without_area_groups().expanded().with_defaults();
        project.keep.tables = project.keep.formulas();
        let mut parameters: BTreeMap<&str, Value> = BTreeMap::new();
        for setting in SETTINGS.iter().filter(|setting| setting.decides) {
            if setting.topic != Topic::Model {
                parameters.insert(setting.name, parameter(setting, &project));
            }
        }
        if let Risky::Records(_) = project.risky() {
            parameters.insert("risky", "records".into());
        }
        // Only a choice by the model depends on what the model is given.
        let model = match project.risky() {
            Risky::Top(_) | Risky::Probability(_) => {
                let told = SETTINGS.iter().filter(|setting| setting.topic == Topic::Model);
                told.map(|told| (told.name.to_owned(), parameter(told, &project))).collect()
            }
            _ => Value::Null,
        };
        parameters.insert("risk_model", model);
        // Plans without these are those of the versions that did not know them.
        for (name, is_empty) in [
            ("derive", project.derive.is_empty()),
            ("missing", project.columns.missing.is_empty()),
            ("weighted", project.swap.weighted.is_empty()),
            ("near", project.swap.near.is_empty()),
            ("household", project.unit.household.is_none()),
            ("size", project.unit.size.is_none()),
            ("then", project.unit.then.is_none()),
            ("households", project.keep.households.is_empty()),
            ("household_keys", project.risk.household_keys.is_empty()),
            ("weight_drift", project.weight_drift() == WeightDrift::Exact),
            ("effort", project.effort() == Effort::default()),
            ("roughly", project.risk.roughly.is_empty()),
            ("mechanism", project.swap.mechanism.is_none()),
            ("epsilon", project.swap.epsilon.is_none()),
        ] {
            if is_empty {
                parameters.remove(name);
            }
        }
        // Plans of pairs are those of the versions that knew nothing else.
        if project.max_records() == MaxRecords::default() {
            parameters.remove("max_records");
        }
        // The same goes for those against intruders who know all keys,
        if project.crowd().is_none() {
            for name in ["knows", "crowd", "roughly"] {
                parameters.remove(name);
            }
        }
        // and those against intruders without names.
        if project.risk.scenarios.is_empty() {
            parameters.remove("scenarios");
        }
        json!(parameters)
    }

    /// This project with what holds unless set, as far as that is one value.
    #[must_use]
    pub fn with_defaults(mut self) -> Self {
        let (risk, swap) = (&mut self.risk, &mut self.swap);
        risk.criterion = Some(risk.criterion());
        risk.risky.get_or_insert_default();
        if *risk.knows.get_or_insert_default() == Knows::AnyPart {
            risk.crowd.get_or_insert_default();
        }
        risk.model.get_or_insert_default();
        risk.search.get_or_insert_default();
        risk.select.get_or_insert_default();
        swap.pairing.get_or_insert_default();
        swap.max_records.get_or_insert_default();
        swap.weight_drift.get_or_insert_default();
        if swap.never_new.is_empty() {
            swap.never_new.push(settings::EVERYWHERE.to_owned());
        }
        swap.weights.retain(|_, weight| weight.get() != 1);
        self
    }

    /// The project that a plan was made with, as far as the plan says it.
    ///
    /// # Errors
    /// [`Code::NoPlan`] when its parameters are not those of a project.
    pub fn of_plan(plan: &PlanFile) -> Result<Self, Diagnostic> {
        Self::from_parameters(&plan.header.parameters).ok_or_else(|| {
            let detail = "its parameters are not those of a plan";
            Diagnostic::new(Code::NoPlan, detail, "make the plan again")
        })
    }

    /// The project in which a plan is followed: what the plan says, and from this one where the
    /// data are, what is written and what it is checked against.
    ///
    /// # Errors
    /// As [`Project::of_plan`].
    pub fn following(&self, plan: &PlanFile) -> Result<Self, Diagnostic> {
        let mut project = Self {
            data: self.data.clone(),
            frame: self.frame.clone(),
            delimiter: self.delimiter,
            release: self.release.clone(),
            gate: self.gate.clone(),
            verify: self.verify.clone(),
            ..Self::of_plan(plan)?
        }
        .with_files_of(self);
        // Of a list of records the plan holds only that there was one.
        project.risk.risky = project.risk.risky.or_else(|| self.risk.risky.clone());
        Ok(project)
    }

    /// The project that [`Project::parameters`] came from, as far as they say it; `None`
    /// when these are no parameters of a project.
    #[must_use]
    pub fn from_parameters(parameters: &Value) -> Option<Self> {
        let all = parameters.as_object()?;
        all.get("tables")?.as_array()?;
        let mut project = Self::default();
        let take = |project: &mut Self, setting: &Setting, all: &Map<String, Value>| match all
            .get(setting.name)
            .and_then(settings::Value::from_json)
        {
            Some(value) => setting.set(project, &value).ok(),
            None => Some(()),
        };
        for setting in SETTINGS.iter().filter(|setting| setting.decides) {
            let named_by_a_file = setting.name == "risky" && all.get("risky")? == "records";
            if setting.topic != Topic::Model && !named_by_a_file {
                take(&mut project, setting, all)?;
            }
        }
        if let Some(told) = all.get("risk_model").and_then(Value::as_object) {
            for setting in SETTINGS.iter().filter(|setting| setting.topic == Topic::Model) {
                take(&mut project, setting, told)?;
            }
        }
        // Plans that say nothing of it are those of the versions in which anything might be new.
        if project.swap.never_new.is_empty() {
            project.swap.never_new.push(settings::NOWHERE.to_owned());
        }
        let risk = &mut project.risk;
        risk.knows.get_or_insert(Knows::All);
        // A model that is given is not searched, whatever the project sets for the search.
        if risk.model.as_ref().is_some_and(|model| *model != ModelChoice::Auto) {
            risk.start.clear();
            (risk.criterion, risk.search, risk.select) = (None, None, None);
        }
        Some(project)
    }
}

/// A setting's value as a plan's parameters hold it.
fn parameter(setting: &Setting, project: &Project) -> Value {
    match (setting.get(project), setting.kind) {
        (Some(_), Kind::Rules) => project.swap.rules.iter().map(Rule::json).collect(),
        (Some(value), _) => value.json(),
        (None, Kind::Names | Kind::Groups | Kind::Tables | Kind::Rules) => Value::Array(vec![]),
        (None, Kind::Codes | Kind::Files) => Value::Array(vec![]),
        (None, Kind::Numbers | Kind::Scenarios | Kind::Derived | Kind::NamedTables) => json!({}),
        (None, _) => Value::Null,
    }
}

//! A view of a file: columns, scope, cells, and who is at risk in them.
//!
//! The records of a view are the lines of a file, or the households of its lines. Nothing here
//! knows of another view of the same file: that is [`Study`](crate::study::Study)'s.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::refusal::Code;
use marginswap_core::columns::{Role, Roles};
use marginswap_core::diagnostic::Diagnostic;
use marginswap_core::encode::{RecordId, Records, Rough, encode_both};
use marginswap_core::graph::{Formula, Reason, Scope, Separators, Ties};
use marginswap_core::partner::KeyScreening;
use marginswap_core::plan::{self, Detach, Forbidden, HiddenPeople, Members, Plan, Term, ToHide};
use marginswap_core::risk::Verdict::Good;
use marginswap_core::risk::{KeyTable, Summaries, rare_cells};
use marginswap_core::swap::replaced_cells;
use marginswap_core::table::{CellId, Located};
use marginswap_core::varset::VarSet;
use marginswap_core::verify::{AtRisk, Pooled, Scenario};
use rayon::prelude::*;

use crate::assess::{Question, Taken, assess, key_table};
use crate::derive::Take;
use crate::found::{blank, roughly};
use crate::input::{Ids, Loaded, note_many, position_of, separators};
use crate::notes::{Note, Phase, Run};
use crate::prepare::{prove_obedience, refuse_ids};
use crate::project::{Project, Risky, WeightDrift, no_effect};
use crate::published::Published;
use crate::release::Steps;
use crate::resolve::{Resolved, open};
use crate::restrictions;
use crate::table_names::TableNames;
use crate::weights::Weighting;

/// Of the lines of households, at most this many columns that stay are looked at one by one.
const MOST_APART: usize = 64;

/// A file, and what a project makes of its records.
pub struct View {
    /// What the settings mean in it.
    pub project: Resolved,
    /// The file.
    pub loaded: Loaded,
    /// Its variables and what ties them.
    pub scope: Scope,
    /// Where the ties part.
    pub separators: Separators,
    /// Its records.
    pub records: Records,
    /// Its cells, and the cell of each record.
    pub located: Located,
    /// The tables that must be found unchanged.
    pub tables: Vec<VarSet>,
    /// Each intruder: what is known, what is to be hidden, and who is at risk.
    pub intruders: Vec<Intruder>,
    /// How many of them, the first ones, look for single members of the records.
    pub(crate) of_members: usize,
    /// Combinations that no swap may create.
    pub forbidden: Vec<Forbidden>,
    /// What the kept tables are called.
    pub table_names: TableNames,
    /// The weights, where weighted counts of kept tables may move.
    pub weighting: Option<Weighting>,
    /// For each variable the codes that say nothing; empty where no variable has one.
    pub blank: Vec<Vec<u32>>,
    /// Keys that may be known roughly.
    pub roughly: Vec<Rough>,
}

impl View {
    /// Records whose cells were counted, before anybody looks for them.
    pub(crate) fn new(
        project: Resolved,
        loaded: Loaded,
        scope: Scope,
        separators: Separators,
        (records, located): (Records, Located),
        forbidden: Vec<Forbidden>,
    ) -> Self {
        Self {
            tables: named_tables(&scope),
            table_names: TableNames::of(&project, loaded.names(), &scope),
            weighting: None,
            blank: blank(&project, &scope, &loaded, None),
            roughly: roughly(&project, &scope, &loaded, None),
            intruders: Vec::new(),
            of_members: 0,
            project,
            loaded,
            scope,
            separators,
            records,
            located,
            forbidden,
        }
    }

    /// The same with those who look for its records.
    ///
    /// # Errors
    /// When something in the column of weights is no weight.
    pub(crate) fn with_intruders(self, intruders: Vec<Intruder>) -> Result<Self, Diagnostic> {
        let weighting = Weighting::of(&self.project, &self.loaded, &self.scope)?;
        Ok(Self { intruders, weighting, ..self })
    }

    /// The lines of the data file, each a record, and the numbers that were published of them.
    ///
    /// # Errors
    /// When it cannot be read, or a setting does not fit it.
    pub(crate) fn of_lines(
        project: &Project,
        ids: Ids,
        run: &mut Run<'_>,
    ) -> Result<(Self, Vec<Published>), Diagnostic> {
        let mut watched = Formula::parse(&project.report.watch)?.names();
        let (project, opened) = open(project, Take::Named)?;
        watched.retain(|name| !opened.is_only_watched(name));
        // Where households are swapped, nothing is asked about the ties of single lines, and
        // columns that stay are looked at one by one.
        let swapped = project.unit.household.is_none();
        if !swapped {
            let staying = |column: &usize| opened.roles().of(*column) == Role::Stay;
            let staying = (0..opened.roles().own()).filter(staying).take(MOST_APART);
            watched.extend(staying.map(|column| opened.columns()[column].clone()));
        }
        let scope = scope_of(&project, opened.header(), &watched)?;
        let separators = separators(&scope, if swapped { project.max_separators() } else { 1 });
        if swapped {
            note_many(&separators, run);
        }
        let loaded = opened.read(ids, run)?;
        run.begin(Phase::Counting)?;
        let published = Published::open(&project, loaded.in_memory())?;
        let records = match swapped {
            true => loaded.records(&scope, run),
            false => loaded.lines(&scope),
        };
        let located = match loaded.counts() {
            Some(counts) => Located::counted(&records, counts.to_vec()),
            None => Located::count(&records),
        };
        // From here on a record is its cell: nothing else is held of it.
        let (records, loaded) = match swapped {
            true => (located.records_by_cell(records.levels()), loaded.folded(&scope, &located)),
            false => (records, loaded),
        };
        let forbidden = match swapped {
            true => forbidden(&project, &loaded, &scope, run),
            false => Vec::new(),
        };
        let counted = (records, located);
        let view = Self::new(project, loaded, scope, separators, counted, forbidden);
        let intruders = view.named_intruders()?;
        Ok((view.with_intruders(intruders)?, published))
    }

    /// Somebody who knows these keys, and from whom these records are at risk.
    pub(crate) fn intruder(
        &self,
        name: Option<String>,
        keys: VarSet,
        sensitive: &[String],
        risky: Vec<bool>,
    ) -> Intruder {
        Intruder {
            name,
            keys,
            sensitive: self.hidden_from(keys, sensitive),
            detach: match (self.project.swap.detach, sensitive.is_empty()) {
                (Some(values), _) => Detach::AtLeast(values as usize),
                (None, false) => Detach::Every,
                (None, true) => Detach::Half,
            },
            risky,
            spared_by: SparedBy::Choice,
            members: None,
            gone: Vec::new(),
        }
    }

    /// What an intruder who knows these keys wants to learn: what is named, else everything else.
    fn hidden_from(&self, keys: VarSet, sensitive: &[String]) -> VarSet {
        let Self { project, loaded, scope, .. } = self;
        // A weight that stays with its line tells nothing about a person.
        let weight = match (&project.swap.weight, project.weight_drift()) {
            (None, _) | (_, WeightDrift::Exact) => VarSet::EMPTY,
            (Some(weight), _) => loaded.variables(scope, std::slice::from_ref(weight)),
        };
        match sensitive.is_empty() {
            true => loaded.own_variables(scope) - keys - weight,
            false => loaded.variables(scope, sensitive) - keys,
        }
    }

    /// What each set of keys makes of the records. The rule of who is at risk holds for the first;
    /// for the others it is the same where it speaks of keys alone.
    fn named_intruders(&self) -> Result<Vec<Intruder>, Diagnostic> {
        let Self { project, loaded, scope, located, .. } = self;
        let told = &project.risk;
        let mut found = Vec::new();
        if !told.keys.is_empty() {
            let keys = loaded.variables(scope, &told.keys);
            let (risky, spared_by) = self.risky(keys)?;
            found.push(Intruder { spared_by, ..self.intruder(None, keys, &told.sensitive, risky) });
        }
        let more = told.more_keys.iter().map(|keys| (None, keys, &told.sensitive));
        let named = told.scenarios.iter().map(|(name, intruder)| {
            let own = Some(&intruder.sensitive).filter(|own| !own.is_empty());
            (Some(name.clone()), &intruder.keys, own.unwrap_or(&told.sensitive))
        });
        // A model is fitted to the first keys alone; the others take who is alone with theirs.
        let rule = match project.risky() {
            Risky::BelowK(k) => Risky::BelowK(k),
            Risky::Records(file) => Risky::Records(file),
            Risky::Unique | Risky::Top(_) | Risky::Probability(_) => Risky::Unique,
        };
        for (name, keys, sensitive) in more.chain(named) {
            let keys = loaded.variables(scope, keys);
            let by_model = |_| unreachable!("these rules need no model");
            let risky = rule_of(&rule, loaded, located, keys, by_model)?;
            found.push(self.intruder(name, keys, sensitive, risky));
        }
        check_detach(project, &found)?;
        Ok(found)
    }

    /// Who is at risk from somebody with the first keys, record by record, and what spares the
    /// others.
    fn risky(&self, keys: VarSet) -> Result<(Vec<bool>, SparedBy), Diagnostic> {
        let Self { project, loaded, scope, located: joint, .. } = self;
        let mut spared_by = SparedBy::Choice;
        let by_model = |rule: Taken| {
            let table = key_table(project, loaded, scope, joint, self.records.levels());
            let question = Question { project, loaded, scope, table: &table };
            let assessment = assess(&question, &mut Summaries::new(&table))?.ok_or_else(|| {
                Diagnostic::new(
                    Code::NoRiskModel,
                    "`top:` and `prob:` rank records by a risk model, which needs the size of the population",
                    "select with unique, k:3 or records:FILE, or give the size of the population",
                )
            })?;
            // The riskiest of a given number say nothing of the next one.
            let by_threshold = matches!(rule, Taken::Probability(_));
            if by_threshold && assessment.fit(&table).is_some_and(|fit| fit.verdict() == Good) {
                spared_by = SparedBy::Model;
            }
            Ok(of_cells(joint, &table, &assessment.taken(&table, rule)))
        };
        let risky = rule_of(&project.risky(), loaded, joint, keys, by_model)?;
        Ok((risky, spared_by))
    }

    /// Refuses a plan that exchanges what looks like an id, does not keep every table, moves what
    /// stays or does not obey the settings.
    pub(crate) fn check_plan(&self, plan: &Plan) -> Result<(), Diagnostic> {
        refuse_ids(self)?;
        self.prove(plan)?;
        prove_obedience(self, plan)
    }

    /// Proves that a plan keeps every table and moves nothing that stays.
    fn prove(&self, plan: &Plan) -> Result<(), Diagnostic> {
        let Self { scope, records, loaded, .. } = self;
        plan.prove(scope.schema(), records, scope.class()).map_err(|unproved| {
            Diagnostic::new(
                Code::StalePlan,
                unproved.to_string(),
                "make a new plan; this one was changed, or made with other settings",
            )
            .in_file(loaded.path())
        })
    }

    /// May intruders know any part of the keys, and have something to learn?
    pub(crate) fn asks_for_parts(&self) -> bool {
        let learns = |intruder: &Intruder| !intruder.sensitive.is_empty();
        self.project.crowd().is_some() && self.intruders.iter().any(learns)
    }

    /// Who is hidden by the steps of a plan, as it was counted or counted now; nothing where
    /// intruders are taken to know all keys, nobody has anything to learn, or persons of households
    /// exchange values after these.
    #[must_use]
    pub fn hidden_by<'s>(&self, steps: Steps<'s>) -> Option<Cow<'s, HiddenPeople>> {
        let crowd = self.project.crowd()?.get();
        if steps.then.is_some() || !self.asks_for_parts() {
            return None;
        }
        if let Some(hidden) = steps.hidden {
            return Some(Cow::Borrowed(hidden));
        }
        let Self { scope, records, located, .. } = self;
        let at_risk_from = self.at_risk_from();
        let intruders = self.intruders.iter().zip(&at_risk_from);
        let intruders: Vec<plan::Intruder<'_>> =
            intruders.map(|(one, at_risk)| one.as_planned(at_risk, None, self)).collect();
        let risky = self.at_risk();
        let to_hide = ToHide {
            joint: located,
            class: scope.class(),
            intruders: &intruders,
            at_risk: &located.marked(&risky),
            crowd,
        };
        let (replaced, new) = replaced_cells(steps.plan, scope.schema(), records);
        let rows = to_hide.hidden_by_plan(steps.plan, (&replaced, &new), (located, &risky));
        Some(Cow::Owned(HiddenPeople::of(&rows)))
    }

    /// Its records and those of these lines, which are in the same places, counted together.
    pub(crate) fn beside(&self, lines: &Loaded) -> Pooled {
        let [before, after] = [&self.loaded, lines].map(Loaded::raw_columns);
        let (before, after) = encode_both(self.scope.schema(), before, after);
        Pooled::of(&before, &after)
    }

    /// For each intruder, how many records of each cell are at risk.
    pub(crate) fn at_risk_from(&self) -> Vec<Vec<u32>> {
        self.intruders.iter().map(|one| self.located.marked(&one.risky)).collect()
    }

    /// For each record: is it at risk from any intruder?
    #[must_use]
    pub fn at_risk(&self) -> Vec<bool> {
        let mut risky = vec![false; self.records.len()];
        for intruder in &self.intruders {
            for (any, one) in risky.iter_mut().zip(&intruder.risky) {
                *any |= one;
            }
        }
        risky
    }

    /// The variables of which two values can make an impossible person.
    #[must_use]
    pub fn combined(&self) -> VarSet {
        restrictions::combined(&self.project, &self.loaded, &self.scope, &self.records)
    }

    /// The variables of which a table of two tells something.
    #[must_use]
    pub fn tabulated(&self) -> VarSet {
        restrictions::tabulated(&self.project, &self.loaded, &self.scope, &self.records)
    }

    /// The columns that are exchanged and have too many levels for either.
    #[must_use]
    pub fn many_levels(&self) -> VarSet {
        restrictions::many_levels(&self.project, &self.loaded, &self.scope, &self.records)
    }

    /// People who are alone with the keys of an intruder and whom the rule does not count at
    /// risk from this one, where that is no finding of a model that fits.
    #[must_use]
    pub fn alone_not_counted(&self) -> u64 {
        self.alone(SparedBy::Choice)
    }

    /// People who are alone with the keys of an intruder and of whom a model that fits says that
    /// they are not at risk.
    #[must_use]
    pub fn alone_by_model(&self) -> u64 {
        self.alone(SparedBy::Model)
    }

    fn alone(&self, spared_by: SparedBy) -> u64 {
        let Self { located, .. } = self;
        let spared = |intruder: &&Intruder| intruder.spared_by == spared_by;
        let intruders: Vec<&Intruder> = self.intruders.iter().filter(spared).collect();
        let rare: Vec<Vec<bool>> =
            intruders.iter().map(|intruder| rare_cells(located, intruder.keys, 2)).collect();
        let is_alone = |record: RecordId| {
            let cell = located.cell_of(record).position();
            let mut all = intruders.iter().zip(&rare);
            all.any(|(intruder, rare)| rare[cell] && !intruder.risky[record.position()])
        };
        let lines = (0..located.lines()).into_par_iter().map(RecordId::at);
        let alone = lines.filter(|&record| is_alone(record));
        alone.map(|record| u64::from(located.weight(record))).sum()
    }

    /// How many records break a rule; `counts` says how many each line is, where it is not one.
    #[must_use]
    pub fn rules_broken(&self, records: &Records, counts: Option<&[u32]>) -> u64 {
        let rules = &self.forbidden;
        if rules.is_empty() {
            return 0;
        }
        let layout = records.cells().layout();
        let breaks = records.holding(|cell| rules.iter().any(|rule| rule.holds(layout, cell)));
        let lines = breaks.par_iter().enumerate().filter(|(_, breaks)| **breaks);
        lines.map(|(line, _)| counts.map_or(1, |counts| u64::from(counts[line]))).sum()
    }

    /// How many records of two files that are counted together break a rule.
    #[must_use]
    pub fn rules_broken_in(&self, pooled: &Pooled) -> [u64; 2] {
        let rules = &self.forbidden;
        if rules.is_empty() {
            return [0, 0];
        }
        pooled.records_where(|layout, cell| rules.iter().any(|rule| rule.holds(layout, cell)))
    }
}

/// An intruder who knows some keys.
#[derive(Debug, Clone)]
pub struct Intruder {
    /// What the project calls the intruder.
    pub name: Option<String>,
    /// The variables the intruder knows.
    pub keys: VarSet,
    /// The variables the intruder wants to learn.
    pub sensitive: VarSet,
    /// How many of these must stay hidden.
    pub detach: Detach,
    /// For each record: is it at risk?
    pub risky: Vec<bool>,
    /// What says that others who are alone with their keys are not.
    pub spared_by: SparedBy,
    /// What the members of households have on the keys, where the records are households.
    pub members: Option<Members>,
    /// Cells whose keys nobody may come to have: those of people whom an earlier step parted from
    /// theirs.
    pub gone: Vec<Vec<u64>>,
}

/// What says that people who are alone with their keys are not at risk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SparedBy {
    /// Nothing but the choice of the user.
    #[default]
    Choice,
    /// A model that fits, which finds the probability of each below the threshold of the project.
    Model,
}

impl Intruder {
    /// The intruder as the planner sees it, with how many records of each cell are at risk.
    pub(crate) fn as_planned<'a>(
        &'a self,
        at_risk: &'a [u32],
        screening: Option<&'a KeyScreening>,
        view: &'a View,
    ) -> plan::Intruder<'a> {
        plan::Intruder {
            keys: self.keys,
            sensitive: self.sensitive,
            detach: self.detach,
            at_risk,
            screening,
            members: self.members.as_ref(),
            blank: &view.blank,
            roughly: &view.roughly,
        }
    }

    /// The question that the comparison of two files answers.
    #[must_use]
    pub fn scenario(&self) -> Scenario<'_> {
        let Self { keys, sensitive, detach, risky, .. } = self;
        Scenario {
            keys: *keys,
            sensitive: *sensitive,
            needed: detach.needed(*sensitive),
            at_risk: AtRisk::Listed(risky),
        }
    }
}

/// Refuses to hide more values than any intruder wants to learn.
fn check_detach(project: &Project, intruders: &[Intruder]) -> Result<(), Diagnostic> {
    let most = intruders.iter().map(|intruder| intruder.sensitive.len()).max();
    match (project.swap.detach, most) {
        (Some(values), Some(most)) if values as usize > most => Err(no_effect(
            "swap.detach",
            &values.to_string(),
            format!("{values} values are to stay hidden, and there are {most} sensitive variables"),
            "give a smaller number, or name more sensitive variables",
        )),
        _ => Ok(()),
    }
}

/// The rules of a project, over the codes of its file.
pub fn forbidden(
    project: &Project,
    loaded: &Loaded,
    scope: &Scope,
    run: &mut Run<'_>,
) -> Vec<Forbidden> {
    let mut rules = Vec::new();
    for (number, rule) in project.swap.rules.iter().enumerate() {
        let mut terms = Vec::new();
        for term in &rule.terms {
            let (variable, column) = loaded.variable_and_column(scope, &term.column);
            let find = |value: &Vec<u8>| column.dictionary().find(value);
            let mut codes: Vec<u32> = term.values.iter().filter_map(find).collect();
            if codes.len() < term.values.len() {
                let (rule, column) = (number + 1, term.column.clone());
                run.note(Note::RuleValueMissing { rule, column });
            }
            codes.sort_unstable();
            terms.push(Term { variable, codes, negated: term.negated });
        }
        rules.push(Forbidden { terms });
    }
    rules
}

/// What each intruder of a project knows: the keys, further ones, then those with a name.
pub fn key_lists(project: &Project) -> Vec<(Option<&str>, &[String])> {
    let told = &project.risk;
    let first = Some(&told.keys).filter(|keys| !keys.is_empty());
    let unnamed = first.into_iter().chain(&told.more_keys).map(|keys| (None, keys.as_slice()));
    let named = told.scenarios.iter();
    let named = named.map(|(name, one)| (Some(name.as_str()), one.keys.as_slice()));
    let households = Some(told.household_keys.as_slice()).filter(|keys| !keys.is_empty());
    let households = households.map(|keys| (Some(OF_HOUSEHOLDS), keys));
    unnamed.chain(named).chain(households).collect()
}

/// What the intruder is called who knows the keys of whole households.
pub const OF_HOUSEHOLDS: &str = "households";

/// Refuses a project without any intruder.
///
/// # Errors
/// [`Code::MissingSetting`].
pub fn intruders_are_named(project: &Project) -> Result<(), Diagnostic> {
    let by_model = matches!(project.risky(), Risky::Top(_) | Risky::Probability(_));
    let others = !project.risk.scenarios.is_empty() || !project.risk.household_keys.is_empty();
    if others && !by_model { Ok(()) } else { keys_are_named(project) }
}

/// Refuses a project without keys.
///
/// # Errors
/// [`Code::MissingSetting`].
pub fn keys_are_named(project: &Project) -> Result<(), Diagnostic> {
    if !project.risk.keys.is_empty() {
        return Ok(());
    }
    Err(Diagnostic::new(
        Code::MissingSetting,
        "no keys are named; they decide who is at risk",
        "name the variables that an intruder may know",
    )
    .about("risk.keys"))
}

/// The refusal of more sets of keys than can be gone through.
pub fn too_many_sets(what: &str) -> Diagnostic {
    Diagnostic::new(
        Code::TooManySets,
        format!("{what} would go through too many sets of keys"),
        "ask for smaller sets, or name fewer keys",
    )
}

/// For each record: is its combination of keys among these?
pub fn of_cells(joint: &Located, table: &KeyTable, cells: &[CellId]) -> Vec<bool> {
    let mut taken = vec![false; table.joint().len()];
    for cell in cells {
        taken[cell.position()] = true;
    }
    let record = |record| taken[table.cell_of(RecordId::at(record)).position()];
    (0..joint.lines()).map(record).collect()
}

/// A project that asks who can be swapped: who is at risk needs no ranking of all others.
pub(crate) fn unranked(project: &Project) -> Project {
    let mut project = project.clone();
    project.risk.risky = None;
    project
}

/// Does a project ask for the names of records: are those at risk listed by them, or released?
pub(crate) fn ids_for(project: &Project) -> Ids {
    let listed = matches!(project.risky(), Risky::Records(_));
    match listed || project.release.release_id == Some(true) {
        true => Ids::Read,
        false => Ids::PassedOver,
    }
}

/// The scope of a project in a file with these columns, which may have these roles; `more` are
/// variables of their own though they stay.
pub(crate) fn scope_of(
    project: &Project,
    (names, roles, path): (&[String], &Roles, &Path),
    more: &[String],
) -> Result<Scope, Diagnostic> {
    let find = |name: &str| position_of(names, name).map_err(|error| error.in_file(path));
    let swap = &project.swap;
    let all = |names: &[String]| -> Result<BTreeSet<usize>, Diagnostic> {
        names.iter().map(|name| find(name)).collect()
    };
    let mut apart = all(&project.risk.keys)?;
    apart.extend(all(&project.risk.sensitive)?);
    for keys in &project.risk.more_keys {
        apart.extend(all(keys)?);
    }
    apart.extend(all(&project.risk.household_keys)?);
    for intruder in project.risk.scenarios.values() {
        apart.extend(all(&intruder.keys)?);
        apart.extend(all(&intruder.sensitive)?);
    }
    apart.extend(all(&swap.strata)?);
    apart.extend(all(&swap.near)?);
    apart.extend(all(more)?);
    for list in &swap.matched {
        apart.extend(all(list)?);
    }
    for term in swap.rules.iter().flat_map(|rule| &rule.terms) {
        apart.insert(find(&term.column)?);
    }
    let exact = project.weight_drift() == WeightDrift::Exact;
    let weight = swap.weight.as_deref().map(find).transpose()?;
    apart.extend(weight.filter(|_| !exact));
    let weighted = Formula::parse(&swap.weighted)?.resolve(names)?;
    let ties = Ties {
        weighted,
        linked: swap.linked.iter().map(|group| all(group)).collect::<Result<_, _>>()?,
        weight: weight.filter(|_| exact),
        apart,
    };
    Scope::with_ties(names, roles, &Formula::parse(&project.keep.formulas())?, &ties)
        .map_err(|error| error.in_file(path))
}

/// The records that a rule takes; `by_model` answers for the rules that need a model.
pub fn rule_of(
    rule: &Risky,
    loaded: &Loaded,
    joint: &Located,
    keys: VarSet,
    by_model: impl FnOnce(Taken) -> Result<Vec<bool>, Diagnostic>,
) -> Result<Vec<bool>, Diagnostic> {
    let below = |k: u64| {
        let rare = rare_cells(joint, keys, k);
        (0..joint.lines())
            .into_par_iter()
            .map(|record| rare[joint.cell_of(RecordId::at(record)).position()])
            .collect()
    };
    match rule {
        Risky::Unique => Ok(below(2)),
        Risky::BelowK(k) => Ok(below((*k).into())),
        Risky::Records(file) => {
            let mut risky = vec![false; joint.lines()];
            let text = fs::read_to_string(file).map_err(|error| {
                let code = match error.kind() {
                    std::io::ErrorKind::NotFound => Code::FileMissing,
                    _ => Code::Unreadable,
                };
                Diagnostic::new(
                    code,
                    marginswap_io::said(&error),
                    "check the file of records at risk",
                )
                .in_file(file)
            })?;
            let finder = loaded.finder();
            let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
            for (line, name) in (1u64..).zip(text.lines()) {
                if !name.trim().is_empty() {
                    let record = finder.find(name.trim()).map_err(|mut error| {
                        error.place.file = Some(file.clone());
                        error.place.line = Some(line);
                        error
                    })?;
                    risky[record.position()] = true;
                }
            }
            Ok(risky)
        }
        Risky::Top(number) => by_model(Taken::Top(*number)),
        Risky::Probability(least) => by_model(Taken::Probability(*least)),
    }
}

/// The tables of a scope that were named.
pub fn named_tables(scope: &Scope) -> Vec<VarSet> {
    scope
        .tables()
        .iter()
        .filter(|table| table.reason == Reason::Named)
        .map(|table| table.variables)
        .collect()
}

//! From the original file to a plan: what planning needs, the plan, and the plan in numbers.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use crate::refusal::Code;
use marginswap_core::columns::{BrokenDependencies, Role};
use marginswap_core::diagnostic::Diagnostic;
use marginswap_core::graph::{Scope, minimal_separators};
use marginswap_core::moves::{MoveSearch, TooManyTied};
use marginswap_core::partner::{Exempt, KeyScreening, Screening, Unpartable, screen, screen_keys};
use marginswap_core::plan::{
    self, CanBeHidden, CellGroup, CellPlan, CellSwap, Constraints, Drawn, HiddenPeople, Larger,
    NeverNew, Plan, Prices, Task,
};
use marginswap_core::random::{Random, Seed};
use marginswap_core::swap;
use marginswap_core::table::CellId;
use marginswap_core::varset::VarSet;
use marginswap_core::verdict::Verdict;
use marginswap_core::verify::{
    Distances, Findings, Found, Learned, NewPairs, Pooled, PublishedFindings, WorstCase,
    compare_pairs, judge, learned, new_pairs, weighted, worst_case,
};
use marginswap_io::{PlanFile, PlanHeader, ThenPersons};
use marginswap_report::plan::{
    self as report, Moved, MovedDistance, PlanReport, PlannedHouseholds, ThenReport,
};
use marginswap_report::protection::Protection;
use marginswap_report::verify::Exchanged;

use crate::answer;
use crate::areas::Areas;
use crate::compare::{
    beyond_chance, hidden_findings, moved, not_separable, somebody_is_found, thresholds,
};
use crate::found::{Asked, KnownKeys};
use crate::household;
use crate::input::{Loaded, ids};
use crate::mechanism;
use crate::notes::{Note, Phase, Run};
use crate::project::{Amount, Crowd, Pairing, Project, no_effect};
use crate::release::Steps;
use crate::resolve::data_of;
use crate::restrictions::never_new;
use crate::study::Study;
use crate::view::{View, intruders_are_named};
use crate::weights::Weighting;

/// Everything that planning needs.
pub struct Prepared {
    /// The original file.
    pub study: Study,
    screening: Screening,
    /// For each intruder, whose keys can be parted.
    key_screenings: Vec<KeyScreening>,
    prices: Prices,
    pub(crate) constraints: Constraints,
    /// For each intruder, how many records of each cell are at risk.
    at_risk_from: Vec<Vec<u32>>,
    /// How many records of each cell are at risk from any of them.
    at_risk: Vec<u32>,
    risky: Vec<bool>,
    broken_rules: u64,
}

/// What is not known of a table before it is written, or where cells alone are known.
pub const TELLING: &str = "whether released columns that are not exchanged give swaps away";

/// The number of the random stream that the seed of the second step is drawn from.
const PERSONS_STREAM: u64 = 3;

/// How often people are protected whom earlier swaps left alone with their keys.
const ROUNDS: usize = 8;

/// The refusal of more variables than larger swaps are looked for in.
pub fn too_many_tied(error: TooManyTied) -> Diagnostic {
    Diagnostic::new(
        Code::TooManyTied,
        error.to_string(),
        "name fewer variables, or leave `max_records` at 2",
    )
}

/// The best pairing is known for intruders who know all keys.
fn refuse_best_pairing(view: &View) -> Result<(), Diagnostic> {
    if view.project.pairing() != Pairing::Optimal || !view.asks_for_parts() {
        return Ok(());
    }
    Err(no_effect(
        "swap.pairing",
        &Pairing::Optimal.to_string(),
        "the best pairing is known only where intruders know all keys, and these may know any part"
            .to_owned(),
        "leave out `pairing`, or write `knows = \"all\"`",
    ))
}

/// Reads the file and finds out all that planning needs.
///
/// # Errors
/// When the file cannot be read, a setting is missing, or one does not fit the file.
pub fn prepare(project: &Project, run: &mut Run<'_>) -> Result<Prepared, Diagnostic> {
    mechanism::refuse_plans(project)?;
    data_of(project)?;
    intruders_are_named(project)?;
    if project.keep.is_empty() {
        run.note(match project.unit.household {
            Some(_) => Note::NoTablesOfHouseholds,
            None => Note::NoTables,
        });
    }
    let study = Study::read(project, run)?;
    refuse_ids(&study.units)?;
    refuse_best_pairing(&study.units)?;
    note_areas(&study.units, run);
    run.begin(Phase::Screening)?;
    Prepared::of(study)
}

impl Prepared {
    /// All that planning needs of a file that was read.
    ///
    /// # Errors
    /// When there are too many variables.
    pub(crate) fn of(study: Study) -> Result<Self, Diagnostic> {
        Screenings::of(&study.units).map(|screenings| Self::with(study, screenings))
    }

    /// The same, where it is known what the tables allow.
    pub(crate) fn with(study: Study, screenings: Screenings) -> Self {
        let View { project, loaded, scope, records, located, .. } = &study.units;
        let Screenings { screening, key_screenings } = screenings;
        let prices = prices(project, scope);
        let constraints = constraints(&study.units);
        let broken_rules = study.units.rules_broken(records, loaded.counts());
        let risky = study.units.at_risk();
        Prepared {
            screening,
            key_screenings,
            prices,
            constraints,
            at_risk_from: study.units.at_risk_from(),
            at_risk: located.marked(&risky),
            risky,
            broken_rules,
            study,
        }
    }
}

/// What the kept tables allow, of all records and for the keys of each intruder.
pub(crate) struct Screenings {
    screening: Screening,
    key_screenings: Vec<KeyScreening>,
}

impl Screenings {
    /// # Errors
    /// When finding out would take too long.
    pub(crate) fn of(view: &View) -> Result<Self, Diagnostic> {
        let View { loaded, scope, separators, located, .. } = view;
        let in_file = |error: Diagnostic| error.in_file(loaded.path());
        let screening = screen(located, scope.class(), separators).map_err(in_file)?;
        let mut key_screenings = Vec::new();
        for intruder in &view.intruders {
            let found = screen_keys(located, scope.class(), separators, intruder.keys);
            key_screenings.push(found.map_err(in_file)?);
        }
        Ok(Self { screening, key_screenings })
    }
}

/// Tells of areas to look for partners in that are named in the wrong order, or of which one
/// follows from the other and is exchanged on its own.
fn note_areas(view: &View, run: &mut Run<'_>) {
    let View { project, loaded, scope, .. } = view;
    for pair in project.swap.near.windows(2) {
        let [small, wide] = [&pair[0], &pair[1]];
        let [one, other] = [small, wide].map(|name| loaded.variable_and_column(scope, name).1);
        let mut pairs: BTreeSet<(u32, u32)> = BTreeSet::new();
        one.for_each_code(|record, code| {
            pairs.insert((code, other.code(record)));
        });
        let [smalls, wides] = [0, 1].map(|at| {
            let code = |pair: &(u32, u32)| if at == 0 { pair.0 } else { pair.1 };
            pairs.iter().map(code).collect::<BTreeSet<u32>>().len()
        });
        if wides == pairs.len() && smalls < wides {
            run.note(Note::WidestFirst { wide: small.clone(), small: wide.clone() });
        }
        let own = |name: &String| {
            let position = loaded.own_names().iter().position(|own| own == name);
            position.is_some_and(|position| loaded.role(position) == Role::Variable)
        };
        let linked =
            project.swap.linked.iter().any(|group| group.contains(small) && group.contains(wide));
        if smalls == pairs.len() && wides < smalls && own(small) && own(wide) && !linked {
            run.note(Note::AreaFollows { small: small.clone(), wide: wide.clone() });
        }
    }
}

/// Refuses to exchange what looks like an id, unless it is named as a variable.
pub(crate) fn refuse_ids(view: &View) -> Result<(), Diagnostic> {
    let View { project, scope, records, loaded, .. } = view;
    let variables = scope.schema().variables();
    let ids = ids(scope.schema(), records, loaded).into_iter().map(|id| &variables[id]);
    let exchanged = ids.filter(|id| !id.stays && !project.columns.vars.contains(&id.name));
    let names: Vec<&str> = exchanged.map(|id| id.name.as_str()).collect();
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let detail = match names[..] {
        [] => return Ok(()),
        [_] => {
            format!("nearly every value of {} is different, and it would be exchanged", quoted[0])
        }
        _ => format!(
            "nearly every value of {} is different, and they would be exchanged",
            quoted.join(", ")
        ),
    };
    let weight = project.swap.weight.as_deref().filter(|weight| names.contains(weight));
    let refusal = match weight {
        Some(_) if names.len() == 1 => Diagnostic::new(
            Code::IdAmongVariables,
            "nearly every weight is different, so hardly any swap leaves weighted tables exact",
            "let weighted counts move, within a bound such as `1%` or as `free`",
        )
        .about("swap.weight_drift"),
        _ => Diagnostic::new(
            Code::IdAmongVariables,
            detail,
            "make it the id, leave it out or let it stay; name it as a variable if it is to be \
             exchanged",
        ),
    };
    Err(refusal.in_file(loaded.path()))
}

/// What an exchange may touch and what it costs.
pub(crate) fn prices(project: &Project, scope: &Scope) -> Prices {
    let variables = scope.schema().variables().iter();
    Prices {
        staying: scope.schema().staying(),
        weights: variables
            .map(|variable| match variable.follows.is_empty() {
                true => project.weight_of(&variable.name).get().into(),
                false => 0,
            })
            .collect(),
    }
}

/// What a plan must respect besides the tables.
pub(crate) fn constraints(view: &View) -> Constraints {
    let View { project, loaded, scope, located, forbidden, .. } = view;
    let records = located.records() as u64;
    let swap = &project.swap;
    Constraints {
        matches: matches(view, &swap.matched),
        forbidden: forbidden.clone(),
        most_changed: swap.budget.map(|amount| amount.of(records)),
        least_changed: swap.rate.map(|amount| amount.of(records)),
        never_new: never_new(project, loaded, scope, view.combined()),
        drift: view.weighting.as_ref().and_then(Weighting::bound),
        gone: view.intruders.iter().map(|intruder| intruder.gone.clone()).collect(),
    }
}

/// The variables on which partners agree, with these match lists, in the order in which they are
/// tried.
pub(crate) fn matches(view: &View, lists: &[Vec<String>]) -> Vec<VarSet> {
    let View { project, loaded, scope, .. } = view;
    let strata = loaded.variables(scope, &project.swap.strata);
    let mut matches: Vec<VarSet> =
        lists.iter().map(|list| loaded.variables(scope, list) | strata).collect();
    if matches.is_empty() {
        matches.push(strata);
    }
    // As near as possible for each list, and anywhere in the end.
    let near = project.swap.near.iter();
    let near: Vec<VarSet> =
        near.map(|name| loaded.variables(scope, std::slice::from_ref(name))).collect();
    let levels = || near.iter().copied().chain([VarSet::EMPTY]);
    matches.iter().flat_map(|&list| levels().map(move |area| list | area)).collect()
}

/// Proves that a plan obeys the settings of a project: budget, rules, partners and the rest.
///
/// # Errors
/// [`Code::StalePlan`] when it does not.
pub(crate) fn prove_obedience(view: &View, plan: &Plan) -> Result<(), Diagnostic> {
    let View { project, scope, records, located, loaded, .. } = view;
    // Permutations in slices are groups of any size.
    let largest = match project.pairing() {
        Pairing::Slices => usize::MAX,
        Pairing::Greedy | Pairing::Optimal => project.max_records().get(),
    };
    let refuse = |why: String| {
        let remedy = "make a new plan; this one was changed after it was made";
        Diagnostic::new(Code::StalePlan, why, remedy).in_file(loaded.path())
    };
    let constraints = constraints(view);
    // Who can be hidden or parted only so may come to have two rare values that nobody had
    // together; not where somebody who knows all keys is feared and pairs of variables are named.
    let exempt = match (project.crowd(), &constraints.never_new) {
        (Some(_), _) | (None, NeverNew::Among(_)) => Exempt::Rare,
        _ => Exempt::Nothing,
    };
    plan.obey(scope.schema(), records, located, &constraints, largest, exempt)
        .map_err(|why| refuse(why.to_string()))?;
    let Some(weighting) = view.weighting.as_ref().filter(|one| one.bound().is_some()) else {
        return Ok(());
    };
    let after = swap::apply_to_records(plan, scope.schema(), records);
    let pooled = Pooled::beside(located, records, &after);
    let Weighting { weights, tables, .. } = weighting;
    let moved = weighted(&pooled, weights, tables, weighting.share());
    match moved.iter().any(|table| table.beyond > 0) {
        true => Err(refuse("the plan moves a weighted count further than its bound".to_owned())),
        false => Ok(()),
    }
}

/// A plan: what was decided on cells, and the records that were drawn for it.
#[derive(Debug, Clone)]
pub struct Planned {
    /// What was decided on cells.
    pub on_cells: plan::Planned,
    /// The plan over the columns of the file.
    pub plan: Plan,
    /// What follows between persons, where the records are households.
    pub then: Option<PlannedPersons>,
    /// Who is hidden by it, where intruders may know any part of the keys.
    pub hidden: Option<HiddenPeople>,
}

/// The second step of a plan.
#[derive(Debug, Clone)]
pub struct PlannedPersons {
    /// The plan over the lines of the file.
    pub plan: Plan,
    /// What it does, in numbers.
    pub numbers: ThenReport,
}

/// What a plan would come to.
#[derive(Debug, Clone)]
pub struct Foreseen {
    /// What each intruder learns.
    pub learned: Vec<Learned>,
    /// The worst of it for every person.
    pub worst_case: WorstCase,
    /// Who is found by anybody who knows some of the keys.
    pub found: Vec<Option<Found>>,
    /// Two-way combinations that never occurred.
    pub new_pairs: NewPairs,
    /// What every original record obeys and some will not.
    pub dependencies: BrokenDependencies,
    /// By how many records each two-way table that is not kept moves.
    pub moved: Vec<u64>,
    /// How far the tables that are not kept move.
    pub distances: Distances,
    /// Original records that the file will no longer have.
    pub replaced: u64,
    /// Records of the file that will break a rule.
    pub rules_broken: u64,
    /// What each intruder learns about households, where these are swapped and the rest speaks
    /// of persons.
    pub households: Option<Vec<Learned>>,
    /// Who will be hidden, where intruders may know any part of the keys.
    pub hidden: Option<HiddenPeople>,
}

/// Records at risk, counted.
#[derive(Debug, Clone, Copy, Default)]
pub struct RiskCount {
    /// How many there are.
    pub records: u64,
    /// Of these, those without a partner.
    pub not_swappable: u64,
    /// Of these, those already disclosed.
    pub disclosed: u64,
}

impl Prepared {
    /// The original file alone: what only planning needed is let go.
    #[must_use]
    pub fn into_study(self) -> Study {
        self.study
    }

    /// Decides the swaps.
    pub fn plan(&self, seed: Seed) -> Result<Planned, Diagnostic> {
        self.plan_within(seed, &self.constraints)
    }

    /// Decides the swaps, with another cap on the records that change.
    pub fn plan_capped(&self, seed: Seed, cap: Option<Amount>) -> Result<Planned, Diagnostic> {
        let most_changed = cap.map(|amount| amount.of(self.study.units.located.records() as u64));
        self.plan_within(seed, &Constraints { most_changed, ..self.constraints.clone() })
    }

    /// Decides the swaps as numbers of records within their cells: all that cells that were
    /// counted elsewhere allow.
    pub(crate) fn draw(&self, seed: Seed) -> Result<(plan::Planned, Drawn), Diagnostic> {
        self.draw_within(seed, &self.constraints)
    }

    fn plan_within(&self, seed: Seed, constraints: &Constraints) -> Result<Planned, Diagnostic> {
        let (on_cells, drawn) = self.draw_within(seed, constraints)?;
        let View { scope, located, .. } = &self.study.units;
        let plan = drawn.on_records(located, &self.risky, scope.schema());
        let then = match self.study.then().is_empty() {
            true => None,
            false => Some(self.plan_persons(&plan, seed)?),
        };
        let hidden = self.hidden_people(&on_cells).filter(|_| then.is_none());
        Ok(Planned { on_cells, plan, then, hidden })
    }

    /// Who is hidden by what was decided on cells; nothing where intruders are taken to know all
    /// keys.
    pub(crate) fn hidden_people(&self, planned: &plan::Planned) -> Option<HiddenPeople> {
        (!planned.hidden.is_empty()).then(|| HiddenPeople::of(&planned.hidden))
    }

    fn draw_within(
        &self,
        seed: Seed,
        constraints: &Constraints,
    ) -> Result<(plan::Planned, Drawn), Diagnostic> {
        let pairing = self.study.units.project.pairing().into();
        let planned = self.with_task(constraints, |task| plan::plan(task, pairing, seed))?;
        let on_cells = planned.map_err(|error| {
            Diagnostic::new(
                Code::PairingTooLarge,
                error.to_string(),
                "use the greedy pairing, which takes any number of records",
            )
        })?;
        let located = &self.study.units.located;
        let drawn = plan::draw(&on_cells.plan, located, &self.at_risk, seed);
        Ok((on_cells, drawn))
    }

    /// Asks something of what is to be planned.
    fn with_task<A>(
        &self,
        constraints: &Constraints,
        ask: impl FnOnce(Task<'_>) -> A,
    ) -> Result<A, Diagnostic> {
        let View { project, scope, separators, located, .. } = &self.study.units;
        let records = project.max_records().get();
        let search = (records > 2)
            .then(|| MoveSearch::new(located, scope.class(), &self.prices.weights))
            .transpose()
            .map_err(too_many_tied)?;
        let intruders = self.intruders();
        let derived = scope.schema().derived_from();
        Ok(ask(Task {
            derived: &derived,
            joint: located,
            class: scope.class(),
            separators,
            screening: &self.screening,
            prices: &self.prices,
            constraints,
            intruders: &intruders,
            at_risk: &self.at_risk,
            rounds: ROUNDS,
            larger: search.as_ref().map(|search| Larger { search, records }),
            crowd: project.crowd().map(Crowd::get),
            effort: project.effort().into(),
        }))
    }

    /// Can the people at risk of some cells be hidden from anyone who knows any part of their keys,
    /// each of them alone? Those cells with somebody at risk are answered for; none where intruders
    /// are taken to know all keys.
    pub(crate) fn can_be_hidden(
        &self,
        cells: impl Iterator<Item = CellId>,
    ) -> Result<Vec<(CellId, CanBeHidden)>, Diagnostic> {
        self.can_be_hidden_if(cells, &self.constraints, None)
    }

    /// The same under other constraints, and where one of the tables is not kept.
    pub(crate) fn can_be_hidden_if(
        &self,
        cells: impl Iterator<Item = CellId>,
        constraints: &Constraints,
        without: Option<usize>,
    ) -> Result<Vec<(CellId, CanBeHidden)>, Diagnostic> {
        let crowd = self.study.units.project.crowd().filter(|_| self.study.units.asks_for_parts());
        let cells: Vec<CellId> = cells.filter(|cell| self.at_risk[cell.position()] > 0).collect();
        let Some(crowd) = crowd.filter(|_| !cells.is_empty()) else { return Ok(Vec::new()) };
        // Chance decides only which of several exchanges is named.
        let seed = Seed([0; 32]);
        let ask = |task: Task<'_>| plan::can_be_hidden(task, crowd.get(), &cells, seed);
        let answers = match without {
            None => self.with_task(constraints, ask)?,
            Some(table) => {
                let View { project, scope, located, .. } = &self.study.units;
                let class = scope.class_without(table);
                let separators =
                    minimal_separators(&class.margin_graph(), project.max_separators());
                let screening = screen(located, &class, &separators)?;
                self.with_task(constraints, |task| {
                    let (class, separators, screening) = (&class, &separators, &screening);
                    ask(Task { class, separators, screening, ..task })
                })?
            }
        };
        Ok(cells.into_iter().zip(answers).collect())
    }

    /// How many people at risk a cell has.
    pub(crate) fn at_risk_in(&self, cell: CellId) -> u64 {
        self.at_risk[cell.position()].into()
    }

    /// Decides the swaps of persons after those of households.
    fn plan_persons(&self, plan: &Plan, seed: Seed) -> Result<PlannedPersons, Diagnostic> {
        let persons = household::persons(&self.study, plan)?;
        refuse_ids(&persons)?;
        if persons.at_risk().iter().all(|at_risk| !at_risk) {
            let (plan, numbers) = (Plan::default(), ThenReport::default());
            return Ok(PlannedPersons { plan, numbers });
        }
        let prepared = Self::of(persons.into())?;
        let planned = prepared.plan(Random::new(seed, PERSONS_STREAM).seed())?;
        let report = prepared.report(&planned, false);
        let numbers = ThenReport {
            at_risk: report.covered + report.left,
            separated: report.separated,
            values_replaced: report.values_replaced,
            left: report.left,
            swaps: report.swaps,
            groups: report.groups,
            persons_changed: report.records_changed,
            cells_changed: report.cells_changed,
        };
        Ok(PlannedPersons { plan: planned.plan, numbers })
    }

    /// The intruders as the planner sees them.
    fn intruders(&self) -> Vec<plan::Intruder<'_>> {
        let all =
            self.study.units.intruders.iter().zip(&self.key_screenings).zip(&self.at_risk_from);
        all.map(|((intruder, screening), at_risk)| {
            intruder.as_planned(at_risk, Some(screening), &self.study.units)
        })
        .collect()
    }

    /// What intruders would learn from the file that a plan makes, and how far the tables that
    /// are not kept move.
    #[must_use]
    pub fn foresee(&self, planned: &Planned) -> Foreseen {
        let Self { study, .. } = self;
        let View { scope, records, located, .. } = &study.units;
        let then = planned.then.as_ref().map(|then| &then.plan);
        let after = swap::apply_to_records(&planned.plan, scope.schema(), records);
        let lines = study.lines_after(Steps { plan: &planned.plan, then, hidden: None });
        // The second step changes who lives there, so households are counted after both.
        let table = lines.as_ref().filter(|_| then.is_some()).and_then(|one| study.units_of(one));
        let mut pooled = match &table {
            Some((table, _)) => study.units.beside(table),
            None => Pooled::beside(located, records, &after),
        };
        let table = table.as_ref().map(|(table, _)| table);
        let (mut learned, mut found) = answers(&study.units, &pooled, table);
        let replaced = pooled.replaced();
        let mut households = None;
        let people = study.people();
        if let Some(lines) = &lines {
            // Persons are counted like those of a released file.
            pooled = people.beside(lines);
            let (of_households, found_by) = study.by_members(&learned, &found);
            households = Some(learned);
            (learned, found) = answers(people, &pooled, Some(lines));
            learned.extend(of_households);
            found.extend(found_by);
        }
        let own = people.loaded.own_variables(&people.scope);
        let pairs = compare_pairs(&pooled, own, &people.tables);
        Foreseen {
            worst_case: worst_case(&learned).expect("a job has keys"),
            learned,
            found,
            new_pairs: new_pairs(&pooled, &pairs, people.combined()),
            dependencies: match &lines {
                Some(lines) => study.broken_in(lines.in_memory(), lines.counts()),
                None => study.broken_by(&planned.plan),
            },
            moved: moved(&pairs, people.tabulated()),
            distances: Distances::of_pairs(&pairs),
            replaced,
            rules_broken: study.units.rules_broken(&after, None),
            households,
            hidden: planned.hidden.clone(),
        }
    }

    /// What the gate would say of the file that a plan makes. That its tables are kept is proved;
    /// what its other columns tell and what was published is known when it is written.
    #[must_use]
    pub fn judge(&self, foreseen: &Foreseen, demo_seed: bool) -> Verdict {
        let View { project, records, .. } = &self.study.units;
        let records = records.len() as u64;
        let [disclosed, not_separable] =
            not_separable(&self.study, &foreseen.learned, &self.key_screenings);
        let findings = Findings {
            records: [records, records],
            tables: self.study.tables(),
            demo_seed,
            replaced: foreseen.replaced,
            learned: Some(foreseen.worst_case.clone()),
            alone_not_counted: self.study.people().alone_not_counted(),
            disclosed,
            disclosed_is_exact: self.key_screenings.iter().all(KeyScreening::proved_is_exact),
            not_separable,
            hiding_not_counted: self.study.is_hiding_not_counted(),
            hidden: foreseen.hidden.as_ref().map(hidden_findings),
            beyond_chance: beyond_chance(&self.study.units, &foreseen.found),
            rules_broken: [self.broken_rules, foreseen.rules_broken],
            new_pairs: foreseen.new_pairs.combinations,
            new_pairs_impossible: foreseen.new_pairs.impossible,
            dependencies_broken: foreseen.dependencies.broken.len() as u64,
            dependencies_broken_records: foreseen.dependencies.records,
            moved: foreseen.moved.clone(),
            households: [0, 0],
            tables_changed: 0,
            published: PublishedFindings::default(),
            one_way_changed: 0,
            linked_changed: 0,
            staying_changed: false,
            ids_differ: false,
            plan_differs: false,
            torn_households: 0,
            weights_drift: 0,
            released_ids: 0,
            telling_columns: 0,
            unchecked_columns: 0,
        };
        judge(&findings, &thresholds(&project.gate, &findings, foreseen.new_pairs.occurring))
    }

    /// The same as it is reported, with what is not known yet.
    #[must_use]
    pub fn foreseen(&self, foreseen: &Foreseen, demo_seed: bool) -> report::Foreseen {
        let View { project, loaded, .. } = &self.study.units;
        let dropped = project.dropped();
        let as_it_is = |(position, name): (usize, &String)| {
            loaded.role(position) != Role::Variable && !dropped.contains(name)
        };
        let mut not_known = Vec::new();
        if loaded.own_names().iter().enumerate().any(as_it_is) {
            not_known.push(TELLING);
        }
        if !project.verify.published.0.is_empty() {
            not_known.push("whether published numbers change");
        }
        let judgement = answer::judgement(&self.judge(foreseen, demo_seed));
        report::Foreseen { judgement, not_known }
    }

    /// What intruders would learn, with names.
    #[must_use]
    pub fn protection(&self, foreseen: &Foreseen) -> Protection {
        answer::protection(&answer::Protected {
            original: &self.study,
            learned: &foreseen.learned,
            found: &foreseen.found,
            worst: Some(&foreseen.worst_case),
            new_pairs: &foreseen.new_pairs,
            dependencies: &foreseen.dependencies,
            screenings: match somebody_is_found(&foreseen.worst_case) {
                true => &self.key_screenings,
                false => &[],
            },
            households: foreseen.households.as_deref(),
            hidden: foreseen.hidden.as_ref(),
        })
    }

    /// Who is at risk, where these many records of each cell still need a partner.
    fn count_risk(&self, waiting: &[u32]) -> RiskCount {
        let mut count = RiskCount::default();
        for (position, (&at_risk, &waiting)) in self.at_risk.iter().zip(waiting).enumerate() {
            let cell = CellId::at(position);
            count.records += u64::from(at_risk);
            if !self.screening.is_swappable(cell) {
                count.not_swappable += u64::from(waiting);
                count.disclosed +=
                    u64::from(waiting) * u64::from(self.screening.is_disclosed(cell));
            }
        }
        count
    }

    /// People at risk whom no exchange of two records can part from their keys, and those of
    /// them whom the kept tables disclose.
    #[must_use]
    pub fn not_separable(&self) -> [u64; 2] {
        let mut people = [0, 0];
        for (cell, &at_risk) in self.at_risk.iter().enumerate().filter(|(_, people)| **people > 0) {
            let all = self.key_screenings.iter().zip(&self.at_risk_from);
            let all = all.filter(|(_, at_risk)| at_risk[cell] > 0);
            let mut why = all.filter_map(|(screening, _)| screening.why_not(CellId::at(cell)));
            if let Some(first) = why.next() {
                let disclosed = |why: &Unpartable| !matches!(why, Unpartable::NoPartner);
                people[0] += u64::from(at_risk);
                people[1] += u64::from(at_risk)
                    * u64::from(disclosed(&first) || why.any(|why| disclosed(&why)));
            }
        }
        people
    }

    /// How many records at risk of each cell have no part in a group of more than two.
    fn outside_groups(&self, plan: &CellPlan) -> Vec<u32> {
        let mut waiting = self.at_risk.clone();
        for taken in plan.groups().iter().flat_map(CellGroup::members) {
            waiting[taken.cell.position()] -= u32::from(taken.at_risk);
        }
        waiting
    }

    /// People at risk whom some exchange can part from their keys, for every intruder who
    /// finds them at risk.
    fn partable(&self) -> u64 {
        let cells = self.at_risk.iter().enumerate().filter(|(_, people)| **people > 0);
        let parted = |cell: usize| {
            let all = self.key_screenings.iter().zip(&self.at_risk_from);
            let mut all = all.filter(|(_, at_risk)| at_risk[cell] > 0);
            all.all(|(screening, _)| screening.is_partable(CellId::at(cell)))
        };
        cells.filter(|(cell, _)| parted(*cell)).map(|(_, &people)| u64::from(people)).sum()
    }

    /// What a plan does, in numbers.
    pub fn report(&self, planned: &Planned, not_for_release: bool) -> PlanReport {
        let then = planned.then.as_ref().map(|then| then.numbers);
        PlanReport { then, ..self.in_numbers(&planned.on_cells, not_for_release) }
    }

    /// The same of what was decided on cells.
    pub(crate) fn in_numbers(&self, planned: &plan::Planned, not_for_release: bool) -> PlanReport {
        let plan::Planned {
            plan,
            left_over,
            impossible,
            barred,
            protection,
            most_separated,
            effort,
            ..
        } = planned;
        let outside = self.outside_groups(plan);
        let RiskCount { records: risky, not_swappable, disclosed } = self.count_risk(&outside);
        let covered = plan.covered();
        let in_groups = plan.groups().iter().flat_map(CellGroup::members);
        let covered_by_groups = in_groups.filter(|taken| taken.at_risk).count() as u64;
        let looked_further = self.study.units.project.max_records().get() > 2;
        let proved: BTreeSet<CellId> = impossible.iter().map(|left| left.cell).collect();
        let impossible =
            looked_further.then(|| impossible.iter().map(|left| u64::from(left.records)).sum());
        // Anyone who has a partner and no swap could be freed too, and is counted by reason.
        let barred: u64 = {
            let mut open: BTreeMap<CellId, u32> =
                barred.iter().map(|left| (left.cell, left.records)).collect();
            open.extend(left_over.iter().map(|left| (left.cell, left.records)));
            open.retain(|cell, _| !proved.contains(cell));
            open.into_values().map(u64::from).sum()
        };
        let mut groups_by_records: BTreeMap<usize, u64> = BTreeMap::new();
        for group in plan.groups() {
            *groups_by_records.entry(group.members().len()).or_default() += 1;
        }
        let without_swap_because = crate::answer::without_swap_because(not_swappable, left_over);
        let with_partners: u64 = left_over.iter().map(|left| u64::from(left.records)).sum();
        let left = not_swappable + with_partners;
        assert_eq!(covered + left, risky, "everybody at risk is counted once");
        let cost = |swap: &CellSwap| {
            let (left, right) = (swap.left.cell.position(), swap.right.cell.position());
            self.prices
                .cost(self.study.units.located.cells().differing(left, right), swap.exchanged)
        };
        PlanReport {
            records: self.study.units.located.records() as u64,
            households: self.study.households.as_ref().map(|all| PlannedHouseholds {
                persons: all.people.records.len() as u64,
                households_at_risk: risky,
                household_file: self.study.units.loaded.household_file().is_some(),
            }),
            protection: Protection::default(),
            separable: self.partable(),
            separated: protection.iter().map(|row| u64::from(row.parted)).sum(),
            values_replaced: protection.iter().map(|row| u64::from(row.detached)).sum(),
            covered,
            covered_by_groups,
            left,
            without_swap_because,
            not_swappable_disclosed: disclosed,
            max_records: self.study.units.project.max_records().get(),
            impossible,
            barred: looked_further.then_some(barred),
            not_found: impossible.map(|impossible: u64| {
                let told = covered + impossible + barred;
                risky.checked_sub(told).expect("everybody at risk has one answer")
            }),
            most_separated: *most_separated,
            swaps: plan.swaps().len() as u64,
            groups: plan.groups().len() as u64,
            groups_by_records,
            records_changed: plan.records_changed(),
            cells_changed: plan.values_changed(self.study.units.scope.schema().own()),
            cost: plan.swaps().par_iter().map(cost).sum::<u64>() + self.cost_of_groups(plan),
            tables: self.study.tables() as u64,
            moved: self.moved(plan),
            distance: self.distance(plan),
            then: None,
            broken_rules: self.broken_rules,
            work_limit_reached: !effort.short().is_empty(),
            not_for_release,
            foreseen: None,
        }
    }

    /// How far records moved: for each area that is named, from the smallest to the largest, how
    /// many changed records stay in it and in no smaller one; after these, how many leave all.
    fn moved(&self, plan: &CellPlan) -> Vec<Moved> {
        let View { project, scope, loaded, located, .. } = &self.study.units;
        let near = &project.swap.near;
        if near.is_empty() {
            return Vec::new();
        }
        let variable = |name: &String| loaded.variable_and_column(scope, name).0;
        let areas: Vec<usize> = near.iter().map(variable).collect();
        let cells = located.cells();
        let layout = cells.layout();
        let mut counts = vec![0u64; areas.len() + 1];
        let mut add = |differing: VarSet, records: u64| {
            if !differing.is_empty() {
                let place = areas.iter().position(|area| !differing.contains(*area));
                counts[place.unwrap_or(areas.len())] += records;
            }
        };
        for swap in plan.swaps() {
            let (left, right) = (swap.left.cell.position(), swap.right.cell.position());
            add(cells.differing(left, right) & swap.exchanged, 2);
        }
        for group in plan.groups() {
            for (taken, new) in group.members().iter().zip(group.after(located)) {
                add(layout.differing(cells.get(taken.cell.position()), &new), 1);
            }
        }
        let names = near.iter().cloned().map(Some).chain([None]);
        names.zip(counts).map(|(within, records)| Moved { within, records }).collect()
    }

    /// How far changed records moved on the map, where a file says where the areas are.
    fn distance(&self, plan: &CellPlan) -> Option<MovedDistance> {
        let View { project, scope, loaded, located, .. } = &self.study.units;
        let areas = Areas::read(project.swap.areas.as_ref()?).ok()?;
        let position = loaded.position(&areas.column).ok()?;
        let variable = scope.schema().variable_of(position)?;
        let column = loaded.raw_columns()[position].as_ref()?;
        let area = |code: u32| areas.find(column.dictionary().category(code)?);
        let cells = located.cells();
        let layout = cells.layout();
        let (mut stayed, mut pairs) = (0, BTreeMap::<(u32, u32), usize>::new());
        let mut add =
            |old: &[u64], new: &[u64]| match [old, new].map(|words| layout.code(words, variable)) {
                [old, new] if old == new => stayed += 1,
                [old, new] => *pairs.entry((old, new)).or_default() += 1,
            };
        for swap in plan.swaps() {
            let [left, right] = [swap.left, swap.right].map(|one| cells.get(one.cell.position()));
            let differing = layout.differing(left, right) & swap.exchanged;
            match differing.contains(variable) {
                true => [(left, right), (right, left)].map(|(old, new)| add(old, new)),
                false if differing.is_empty() => continue,
                false => [left, right].map(|same| add(same, same)),
            };
        }
        for group in plan.groups() {
            for (taken, new) in group.members().iter().zip(group.after(located)) {
                let old = cells.get(taken.cell.position());
                if old != new {
                    add(old, &new);
                }
            }
        }
        let (mut distances, mut unconnected) = (Vec::new(), 0u64);
        let mut from: Option<(u32, Vec<Option<f64>>)> = None;
        for ((old, new), moved) in pairs {
            if from.as_ref().is_none_or(|(known, _)| *known != old) {
                from = area(old).map(|area| (old, areas.distances(area)));
            }
            let far = from.as_ref().and_then(|(_, far)| far[area(new)?]);
            match far {
                Some(far) => distances.extend(std::iter::repeat_n(far, moved)),
                None => unconnected += moved as u64,
            }
        }
        let (column, unit) = (areas.column.clone(), areas.unit().to_owned());
        Some(MovedDistance::of(column, unit, [stayed, unconnected], distances))
    }

    /// The weighted number of two-way tables that the groups disturb, group by group.
    fn cost_of_groups(&self, plan: &CellPlan) -> u64 {
        let cells = self.study.units.located.cells();
        let layout = cells.layout();
        let weight = |variable: usize| self.prices.weights[variable];
        let cost = |group: &CellGroup| -> u64 {
            let after = group.after(&self.study.units.located);
            let changed: VarSet = group.takes().iter().map(|take| take.variable).collect();
            let pair = |set: VarSet, cell: &[u64]| -> Vec<u32> {
                set.iter().map(|variable| layout.code(cell, variable)).collect()
            };
            let disturbed = |set: VarSet| {
                let records = group.members().iter().map(|taken| cells.get(taken.cell.position()));
                let mut before: Vec<Vec<u32>> = records.map(|cell| pair(set, cell)).collect();
                let mut then: Vec<Vec<u32>> = after.iter().map(|cell| pair(set, cell)).collect();
                before.sort_unstable();
                then.sort_unstable();
                before != then
            };
            let all = self.study.units.scope.class().delta();
            let pairs = changed.iter().flat_map(|left| {
                let others = all.iter().filter(move |&other| other != left);
                others
                    .filter(move |&right| !changed.contains(right) || left < right)
                    .map(move |right| (left, right))
            });
            pairs
                .filter(|&(left, right)| disturbed(VarSet::from([left, right])))
                .map(|(left, right)| weight(left) * weight(right))
                .sum()
        };
        plan.groups().iter().map(cost).sum()
    }

    /// Says so when fewer records are changed than the rate asks for.
    pub fn note_a_missed_rate(&self, report: &PlanReport, run: &mut Run<'_>) {
        let asked = self.constraints.least_changed.unwrap_or(0);
        // A swap changes two records, so an odd number is met by one less.
        if report.records_changed + 1 < asked {
            let of = match self.study.units.loaded.is_of_households() {
                true => Exchanged::Households,
                false => Exchanged::Records,
            };
            run.note(Note::RateMissed { asked, changed: report.records_changed, of });
        }
    }

    /// The plan file.
    #[must_use]
    pub fn plan_file(&self, planned: Planned, numbers: &PlanReport) -> PlanFile {
        let View { loaded, records, .. } = &self.study.units;
        let lines = self.study.people();
        let digest = loaded.digest();
        let header = PlanHeader {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            input_sha256: digest.sha256.clone(),
            input_bytes: digest.bytes,
            records: records.len() as u64,
            columns: loaded.own_names().to_vec(),
            parameters: lines.project.parameters(),
            not_for_release: numbers.not_for_release,
            summary: summary(numbers),
        };
        let lines = lines.records.len() as u64;
        let then = planned.then.map(|then| ThenPersons { lines, plan: then.plan });
        PlanFile { header, plan: planned.plan, then }
    }
}

/// What a plan file says of the plan. The gate would speak of settings that a plan does not hold.
pub(crate) fn summary(numbers: &PlanReport) -> serde_json::Value {
    let numbers = PlanReport { foreseen: None, ..numbers.clone() };
    serde_json::to_value(numbers).expect("a report is plain data")
}

/// What the intruders of a view learn from records before and after, and who is found by them.
fn answers(
    view: &View,
    pooled: &Pooled,
    released: Option<&Loaded>,
) -> (Vec<Learned>, Vec<Option<Found>>) {
    let learned = view.intruders.iter().map(|intruder| learned(pooled, &intruder.scenario()));
    let found = Asked::of(view, &KnownKeys::of(view, released)).answers(pooled);
    (learned.collect(), found)
}

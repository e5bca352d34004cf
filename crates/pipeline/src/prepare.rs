//! The way of a whole job up to the plan: settings → prepared data → plan → plan file.
//!
//! `plan` and `protect` are built from these steps, and `protect` goes on as `apply` does, in
//! `release`: doing it in one go and doing it in three gives the same bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use marginswap_core::columns::did_you_mean;
use marginswap_core::diagnostic::{Code, Diagnostic};
use marginswap_core::encode::{RecordId, Records};
use marginswap_core::graph::{Formula, Reason, Scope, Separators, Ties};
use marginswap_core::moves::{MoveSearch, TooManyTied};
use marginswap_core::partner::{Screening, screen};
use marginswap_core::plan::{
    self, CellGroup, CellPlan, CellSwap, Constraints, Forbidden, Larger, Plan, Prices, Task, Term,
};
use marginswap_core::random::Seed;
use marginswap_core::risk::{KeyTable, Summaries, rare_cells};
use marginswap_core::swap;
use marginswap_core::table::{CellId, Located};
use marginswap_core::varset::VarSet;
use marginswap_core::verify::{Claims, Distances, Link, Pooled, claims, compare_pairs};
use marginswap_io::{PlanFile, PlanHeader, ReadOptions, Source, digest_file};
use marginswap_report::plan::PlanReport;

use crate::assess::{Question, Taken, assess, key_table};
use crate::input::{Loaded, Opened, note_many, separators};
use crate::notes::{Note, Run};
use crate::project::{Amount, Pairing, Project, Risky};
use crate::settings::{Kind, SETTINGS, Topic};

/// Everything that planning needs, read from the file.
pub struct Prepared {
    pub project: Project,
    pub path: PathBuf,
    pub loaded: Loaded,
    pub scope: Scope,
    pub records: Records,
    joint: Located,
    separators: Separators,
    screening: Screening,
    prices: Prices,
    constraints: Constraints,
    risky: Vec<bool>,
    /// How many records of each cell are at risk.
    at_risk: Vec<u32>,
    broken_rules: u64,
}

/// The refusal of more variables than larger swaps are looked for in.
pub fn too_many_tied(error: TooManyTied) -> Diagnostic {
    Diagnostic::new(
        Code::TooManyTied,
        error.to_string(),
        "name fewer with --vars, or leave --max-records at 2",
    )
}

/// The data file that a project names.
pub fn data_of(project: &Project) -> Result<PathBuf, Diagnostic> {
    project.data.clone().ok_or_else(|| {
        Diagnostic::new(
            Code::MissingSetting,
            "no data file is named",
            "name it on the command line, or as `data` in the project file",
        )
    })
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
        "no keys are named: what an intruder may know decides who is at risk",
        "name them with --keys, or as `keys` under [risk] in the project file",
    ))
}

/// The refusal of more sets of keys than can be gone through.
pub fn too_many_sets(option: &str) -> Diagnostic {
    Diagnostic::new(
        Code::TooManySets,
        format!("{option} asks for more sets of keys than can be gone through"),
        "give it a smaller number, or name fewer keys",
    )
}

/// For each record: is its combination of keys among these?
pub fn of_cells(joint: &Located, table: &KeyTable, cells: &[CellId]) -> Vec<bool> {
    let mut taken = vec![false; table.joint().len()];
    for cell in cells {
        taken[cell.position()] = true;
    }
    let record = |record| taken[table.cell_of(RecordId::at(record)).position()];
    (0..joint.records()).map(record).collect()
}

/// Opens a file with the roles that a project gives its columns.
///
/// # Errors
/// When its header cannot be read, a setting names a column that it does not have, or a column
/// has two roles.
pub fn open(project: &Project, path: &Path) -> Result<Opened, Diagnostic> {
    let source = Source::open(path, &ReadOptions { delimiter: project.delimiter })?;
    check_names(project, source.columns()).map_err(|error| error.in_file(path))?;
    Opened::new(path, source, &project.columns)
}

/// Refuses a setting that names a column which is not there.
fn check_names(project: &Project, columns: &[String]) -> Result<(), Diagnostic> {
    // What the pages look at beside is looked up when they are made.
    let settings = SETTINGS.iter().filter(|setting| setting.topic != Topic::Preset);
    for setting in settings {
        let there = |name: &&String| !columns.contains(name);
        if let Some(name) = setting.columns(project).iter().find(there) {
            let code = match setting.kind {
                Kind::Tables | Kind::Text(_) => Code::UnknownVariable,
                _ => Code::UnknownColumn,
            };
            let detail = format!("`{name}` is no column of the file");
            return Err(Diagnostic::new(code, detail, did_you_mean(name, columns))
                .about(format!("{}={name}", setting.key())));
        }
    }
    Ok(())
}

/// The scope of a project in a file with these columns.
pub fn scope_of(project: &Project, opened: &Opened) -> Result<Scope, Diagnostic> {
    scope_apart(project, opened, &[])
}

/// As [`scope_of`], with more columns that are variables of their own though they stay.
pub fn scope_apart(
    project: &Project,
    opened: &Opened,
    more: &[String],
) -> Result<Scope, Diagnostic> {
    let names = opened.columns();
    let find = |name: &str| opened.position(name);
    let swap = &project.swap;
    let all = |names: &[String]| -> Result<BTreeSet<usize>, Diagnostic> {
        names.iter().map(|name| find(name)).collect()
    };
    let mut apart = all(&project.risk.keys)?;
    apart.extend(all(&swap.strata)?);
    apart.extend(all(more)?);
    for list in &swap.matched {
        apart.extend(all(list)?);
    }
    for term in swap.rules.iter().flat_map(|rule| &rule.terms) {
        apart.insert(find(&term.column)?);
    }
    let ties = Ties {
        linked: swap.linked.iter().map(|group| all(group)).collect::<Result<_, _>>()?,
        weight: swap.weight.as_deref().map(find).transpose()?,
        apart,
    };
    Scope::with_ties(names, opened.roles(), &Formula::parse(&project.keep.tables)?, &ties)
        .map_err(|error| error.in_file(opened.path()))
}

/// Reads the file and finds out all that planning needs.
pub fn prepare(project: Project, run: &mut Run<'_>) -> Result<Prepared, Diagnostic> {
    let path = data_of(&project)?;
    keys_are_named(&project)?;
    if project.keep.tables.is_empty() {
        run.note(Note::NoTables);
    }
    let opened = open(&project, &path)?;
    for name in project.swap.weights.keys() {
        opened.position(name)?;
    }
    let scope = scope_of(&project, &opened)?;
    let separators = separators(&scope, project.max_separators());
    note_many(&separators, run);
    let loaded = opened.read(true, run)?;
    let records = loaded.records(&scope, run);
    let joint = Located::count(&records);
    let screening =
        screen(&joint, scope.class(), &separators).map_err(|error| error.in_file(&path))?;
    let prices = Prices {
        keys: loaded.variables(&scope, &project.risk.keys),
        staying: scope.schema().staying(),
        weights: scope
            .schema()
            .variables()
            .iter()
            .map(|variable| project.weight_of(&variable.name).get().into())
            .collect(),
    };
    let constraints = constraints(&project, &loaded, &scope, records.len() as u64, run);
    let risky = risky(&project, &loaded, &scope, &joint, records.levels())?;
    let layout = records.cells().layout();
    let breaks = |cell: &[u64]| constraints.forbidden.iter().any(|rule| rule.holds(layout, cell));
    let broken_rules = if constraints.forbidden.is_empty() {
        0
    } else {
        records.cells().iter().filter(|cell| breaks(cell)).count() as u64
    };
    Ok(Prepared {
        project,
        path,
        loaded,
        scope,
        separators,
        screening,
        prices,
        constraints,
        at_risk: joint.marked(&risky),
        risky,
        joint,
        broken_rules,
        records,
    })
}

fn constraints(
    project: &Project,
    loaded: &Loaded,
    scope: &Scope,
    records: u64,
    run: &mut Run<'_>,
) -> Constraints {
    let swap = &project.swap;
    let strata = loaded.variables(scope, &swap.strata);
    let mut matches: Vec<VarSet> =
        swap.matched.iter().map(|list| loaded.variables(scope, list) | strata).collect();
    if matches.is_empty() {
        matches.push(strata);
    }
    let forbidden = swap
        .rules
        .iter()
        .enumerate()
        .map(|(number, rule)| Forbidden {
            terms: rule
                .terms
                .iter()
                .map(|term| {
                    let (variable, column) = loaded.variable_and_column(scope, &term.column);
                    let mut codes: Vec<u32> = term
                        .values
                        .iter()
                        .filter_map(|value| column.dictionary().find(value))
                        .collect();
                    if codes.len() < term.values.len() {
                        let (rule, column) = (number + 1, term.column.clone());
                        run.note(Note::RuleValueMissing { rule, column });
                    }
                    codes.sort_unstable();
                    Term { variable, codes, negated: term.negated }
                })
                .collect(),
        })
        .collect();
    Constraints {
        matches,
        forbidden,
        most_changed: swap.budget.map(|amount| amount.of(records)),
        least_changed: swap.rate.map(|amount| amount.of(records)),
    }
}

/// Who is at risk, record by record.
pub fn risky(
    project: &Project,
    loaded: &Loaded,
    scope: &Scope,
    joint: &Located,
    levels: &[usize],
) -> Result<Vec<bool>, Diagnostic> {
    let by_model = |rule: Taken| {
        let table = key_table(project, loaded, scope, joint, levels);
        let question = Question { project, loaded, scope, table: &table };
        let assessment = assess(&question, &mut Summaries::new(&table))?.ok_or_else(|| {
            Diagnostic::new(
                Code::NoRiskModel,
                "`top:` and `prob:` rank records by a risk model, which needs the population's size",
                "say it with --population or --fraction, or choose with unique, k:3 or records:FILE",
            )
        })?;
        Ok(of_cells(joint, &table, &assessment.taken(&table, rule)))
    };
    rule_of(&project.risky(), loaded, joint, loaded.variables(scope, &project.risk.keys), by_model)
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
        (0..joint.records())
            .map(|record| rare[joint.cell_of(RecordId::at(record)).position()])
            .collect()
    };
    match rule {
        Risky::Unique => Ok(below(2)),
        Risky::BelowK(k) => Ok(below((*k).into())),
        Risky::Records(file) => {
            let mut risky = vec![false; joint.records()];
            let text = fs::read_to_string(file).map_err(|error| {
                let code = match error.kind() {
                    std::io::ErrorKind::NotFound => Code::FileMissing,
                    _ => Code::Unreadable,
                };
                Diagnostic::new(code, error.kind().to_string(), "see the file of risky records")
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

/// A plan: what was decided on cells, and the records that were drawn for it.
#[derive(Debug, Clone)]
pub struct Planned {
    pub on_cells: plan::Planned,
    pub plan: Plan,
}

/// Records at risk, counted.
#[derive(Debug, Clone, Copy, Default)]
pub struct RiskCount {
    pub records: u64,
    /// Of these, those without a partner.
    pub unswappable: u64,
    /// Of these, those already disclosed.
    pub disclosed: u64,
}

impl Prepared {
    /// Decides the swaps.
    pub fn plan(&self, seed: Seed) -> Result<Planned, Diagnostic> {
        self.plan_within(seed, &self.constraints)
    }

    /// Decides the swaps, with another cap on the records that change.
    pub fn plan_capped(&self, seed: Seed, cap: Option<Amount>) -> Result<Planned, Diagnostic> {
        let most_changed = cap.map(|amount| amount.of(self.records.len() as u64));
        self.plan_within(seed, &Constraints { most_changed, ..self.constraints.clone() })
    }

    fn plan_within(&self, seed: Seed, constraints: &Constraints) -> Result<Planned, Diagnostic> {
        let records = self.project.max_records().get();
        let search = (records > 2)
            .then(|| MoveSearch::new(&self.joint, self.scope.class(), &self.prices.weights))
            .transpose()
            .map_err(too_many_tied)?;
        let larger = search.as_ref().map(|search| Larger { search, records });
        let task = Task {
            joint: &self.joint,
            class: self.scope.class(),
            separators: &self.separators,
            screening: &self.screening,
            prices: &self.prices,
            constraints,
            at_risk: &self.at_risk,
            larger,
        };
        let pairing = match self.project.pairing() {
            Pairing::Greedy => plan::Pairing::Greedy,
            Pairing::Optimal => plan::Pairing::Optimal,
        };
        let on_cells = plan::plan(task, pairing, seed).map_err(|error| {
            Diagnostic::new(
                Code::PairingTooLarge,
                error.to_string(),
                "use --pairing greedy, which takes any number",
            )
        })?;
        let drawn = plan::draw(&on_cells.plan, &self.joint, &self.at_risk, seed);
        let plan = drawn.on_records(&self.joint, &self.risky, self.scope.schema());
        Ok(Planned { on_cells, plan })
    }

    /// What an intruder who knows the keys would find in the file that a plan makes.
    pub fn exposure(&self, planned: &Planned) -> Claims {
        let after = swap::apply_to_records(&planned.plan, self.scope.schema(), &self.records);
        let pooled = Pooled::of(&self.records, &after);
        claims(&pooled, self.prices.keys, Some(&Link::ByPosition))
    }

    /// The same, and how far the tables that are not kept move.
    pub fn weigh(&self, planned: &Planned) -> (Claims, Distances) {
        let after = swap::apply_to_records(&planned.plan, self.scope.schema(), &self.records);
        let pooled = Pooled::of(&self.records, &after);
        let claims = claims(&pooled, self.prices.keys, Some(&Link::ByPosition));
        let pairs = compare_pairs(&pooled, self.scope.schema().all(), &self.named_tables());
        (claims, Distances::of_pairs(&pairs))
    }

    /// Who is at risk, and who of them no swap of two can change.
    pub fn at_risk(&self) -> RiskCount {
        self.count_risk(&self.at_risk)
    }

    /// The same, where so many records of each cell still need a partner.
    fn count_risk(&self, waiting: &[u32]) -> RiskCount {
        let mut count = RiskCount::default();
        for (position, (&at_risk, &waiting)) in self.at_risk.iter().zip(waiting).enumerate() {
            let cell = CellId::at(position);
            count.records += u64::from(at_risk);
            if !self.screening.is_swappable(cell) {
                count.unswappable += u64::from(waiting);
                count.disclosed +=
                    u64::from(waiting) * u64::from(self.screening.is_disclosed(cell));
            }
        }
        count
    }

    /// How many records at risk of each cell have no part in a group of more than two.
    fn outside_groups(&self, planned: &Planned) -> Vec<u32> {
        let mut waiting = self.at_risk.clone();
        for taken in planned.on_cells.plan.groups().iter().flat_map(CellGroup::members) {
            waiting[taken.cell.position()] -= u32::from(taken.at_risk);
        }
        waiting
    }

    /// How many of these a plan gives other keys: whoever stands in a swap or a group.
    pub fn covered(&self, planned: &Planned) -> u64 {
        planned.on_cells.plan.covered()
    }

    /// What a plan does, in numbers.
    pub fn report(
        &self,
        planned: &Planned,
        exposure: &Claims,
        not_for_release: bool,
    ) -> PlanReport {
        let plan::Planned { plan, left_over, impossible, barred } = &planned.on_cells;
        let outside = self.outside_groups(planned);
        let RiskCount { records: risky, unswappable, disclosed } = self.count_risk(&outside);
        let covered = plan.covered();
        let in_groups = plan.groups().iter().flat_map(CellGroup::members);
        let covered_by_groups = in_groups.filter(|taken| taken.at_risk).count() as u64;
        let looked_further = self.project.max_records().get() > 2;
        let proved: BTreeSet<CellId> = impossible.iter().map(|left| left.cell).collect();
        let impossible =
            looked_further.then(|| impossible.iter().map(|left| u64::from(left.records)).sum());
        // Whoever has a partner and no swap could be freed too, and is told apart by reason.
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
        let left_over_because = crate::answer::left_over(left_over);
        let left_over: u64 = left_over.iter().map(|left| u64::from(left.records)).sum();
        assert_eq!(covered + unswappable + left_over, risky, "everybody at risk is counted once");
        let cost = |swap: &CellSwap| {
            let (left, right) = (swap.left.cell.position(), swap.right.cell.position());
            self.prices.cost(self.joint.cells().differing(left, right), swap.exchanged)
        };
        PlanReport {
            records: self.records.len() as u64,
            risky,
            covered,
            covered_by_groups,
            unswappable,
            disclosed,
            left_over,
            left_over_because,
            max_records: self.project.max_records().get(),
            impossible,
            barred: looked_further.then_some(barred),
            not_found: impossible.map(|impossible: u64| {
                let told = covered + impossible + barred;
                risky.checked_sub(told).expect("everybody at risk has one answer")
            }),
            swaps: plan.swaps().len() as u64,
            groups: plan.groups().len() as u64,
            groups_by_records,
            records_changed: plan.records_changed(),
            cells_changed: plan.values_changed(),
            cost: plan.swaps().iter().map(cost).sum::<u64>() + self.cost_of_groups(plan),
            tables: self.named_tables().len() as u64,
            uniques_before: exposure.uniques_before,
            uniques_after: exposure.uniques_after,
            new_uniques: exposure.new_uniques,
            broken_rules: self.broken_rules,
            not_for_release,
        }
    }

    /// The weighted number of two-way tables that the groups disturb, group by group.
    fn cost_of_groups(&self, plan: &CellPlan) -> u64 {
        let cells = self.joint.cells();
        let layout = cells.layout();
        let weight = |variable: usize| self.prices.weights[variable];
        let cost = |group: &CellGroup| -> u64 {
            let after = group.after(&self.joint);
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
            let all = self.scope.class().delta();
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
            run.note(Note::RateMissed { asked, changed: report.records_changed });
        }
    }

    /// The tables that must be found unchanged.
    pub fn named_tables(&self) -> Vec<VarSet> {
        named_tables(&self.scope)
    }

    /// The plan as a file that `apply` can follow.
    pub fn plan_file(
        &self,
        planned: &Planned,
        report: &PlanReport,
    ) -> Result<PlanFile, Diagnostic> {
        let digest = digest_file(&self.path)?;
        Ok(PlanFile {
            header: PlanHeader {
                version: env!("CARGO_PKG_VERSION").to_owned(),
                input_sha256: digest.sha256,
                input_bytes: digest.bytes,
                records: self.records.len() as u64,
                columns: self.loaded.names().to_vec(),
                parameters: self.project.parameters(),
                not_for_release: report.not_for_release,
                summary: serde_json::to_value(report).expect("a report is plain data"),
            },
            plan: planned.plan.clone(),
        })
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

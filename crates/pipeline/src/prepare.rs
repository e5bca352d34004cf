//! From the original file to a plan: what planning needs, the plan, and the plan in numbers.

use std::collections::{BTreeMap, BTreeSet};

use marginswap_core::diagnostic::{Code, Diagnostic};
use marginswap_core::moves::{MoveSearch, TooManyTied};
use marginswap_core::partner::{KeyScreening, Screening, screen, screen_keys};
use marginswap_core::plan::{
    self, CellGroup, CellPlan, CellSwap, Constraints, Larger, Plan, Prices, Task,
};
use marginswap_core::random::Seed;
use marginswap_core::swap;
use marginswap_core::table::CellId;
use marginswap_core::varset::VarSet;
use marginswap_core::verify::{
    Distances, Learned, NewPairs, Pooled, WorstCase, compare_pairs, learned, new_pairs, worst_case,
};
use marginswap_io::{PlanFile, PlanHeader};
use marginswap_report::plan::PlanReport;

use crate::notes::{Note, Phase, Run};
use crate::original::{Original, data_of, keys_are_named};
use crate::project::{Amount, Pairing, Project};

/// Everything that planning needs.
pub struct Prepared {
    /// The original file.
    pub original: Original,
    screening: Screening,
    key_screening: KeyScreening,
    prices: Prices,
    constraints: Constraints,
    /// How many records of each cell are at risk.
    at_risk: Vec<u32>,
    risky: Vec<bool>,
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

/// Reads the file and finds out all that planning needs.
///
/// # Errors
/// When the file cannot be read, a setting is missing, or one does not fit the file.
pub fn prepare(project: Project, run: &mut Run<'_>) -> Result<Prepared, Diagnostic> {
    data_of(&project)?;
    keys_are_named(&project)?;
    if project.keep.tables.is_empty() {
        run.note(Note::NoTables);
    }
    let original = Original::read(project, run)?;
    let Original { project, loaded, scope, separators, records, located, .. } = &original;
    run.begin(Phase::Screening)?;
    let in_file = |error: Diagnostic| error.in_file(loaded.path());
    let screening = screen(located, scope.class(), separators).map_err(in_file)?;
    let keys = original.intruders[0].keys;
    let key_screening = screen_keys(located, scope.class(), separators, keys).map_err(in_file)?;
    let variables = scope.schema().variables().iter();
    let prices = Prices {
        keys,
        staying: scope.schema().staying(),
        weights: variables.map(|variable| project.weight_of(&variable.name).get().into()).collect(),
    };
    let constraints = constraints(&original);
    let layout = records.cells().layout();
    let breaks = |cell: &[u64]| original.forbidden.iter().any(|rule| rule.holds(layout, cell));
    let broken_rules = match original.forbidden.is_empty() {
        true => 0,
        false => records.cells().iter().filter(|cell| breaks(cell)).count() as u64,
    };
    let risky = original.at_risk();
    let at_risk = located.marked(&risky);
    Ok(Prepared {
        screening,
        key_screening,
        prices,
        constraints,
        at_risk,
        risky,
        broken_rules,
        original,
    })
}

fn constraints(original: &Original) -> Constraints {
    let Original { project, loaded, scope, records, .. } = original;
    let swap = &project.swap;
    let strata = loaded.variables(scope, &swap.strata);
    let mut matches: Vec<VarSet> =
        swap.matched.iter().map(|list| loaded.variables(scope, list) | strata).collect();
    if matches.is_empty() {
        matches.push(strata);
    }
    let records = records.len() as u64;
    Constraints {
        matches,
        forbidden: original.forbidden.clone(),
        most_changed: swap.budget.map(|amount| amount.of(records)),
        least_changed: swap.rate.map(|amount| amount.of(records)),
    }
}

/// A plan: what was decided on cells, and the records that were drawn for it.
#[derive(Debug, Clone)]
pub struct Planned {
    pub on_cells: plan::Planned,
    pub plan: Plan,
}

/// What a plan would come to.
#[derive(Debug, Clone)]
pub struct Foreseen {
    /// What each intruder learns.
    pub learned: Vec<Learned>,
    /// The worst of it for every person.
    pub worst_case: WorstCase,
    /// Two-way combinations that never occurred.
    pub new_pairs: NewPairs,
    /// How far the tables that are not kept move.
    pub distances: Distances,
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
        let most_changed = cap.map(|amount| amount.of(self.original.records.len() as u64));
        self.plan_within(seed, &Constraints { most_changed, ..self.constraints.clone() })
    }

    fn plan_within(&self, seed: Seed, constraints: &Constraints) -> Result<Planned, Diagnostic> {
        let records = self.original.project.max_records().get();
        let search = (records > 2)
            .then(|| MoveSearch::new(&self.original.located, self.original.scope.class(), &self.prices.weights))
            .transpose()
            .map_err(too_many_tied)?;
        let larger = search.as_ref().map(|search| Larger { search, records });
        let task = Task {
            joint: &self.original.located,
            class: self.original.scope.class(),
            separators: &self.original.separators,
            screening: &self.screening,
            prices: &self.prices,
            constraints,
            at_risk: &self.at_risk,
            larger,
        };
        let pairing = match self.original.project.pairing() {
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
        let drawn = plan::draw(&on_cells.plan, &self.original.located, &self.at_risk, seed);
        let plan = drawn.on_records(&self.original.located, &self.risky, self.original.scope.schema());
        Ok(Planned { on_cells, plan })
    }

    /// What intruders would learn from the file that a plan makes, and how far the tables that
    /// are not kept move.
    #[must_use]
    pub fn foresee(&self, planned: &Planned) -> Foreseen {
        let Original { scope, records, intruders, .. } = &self.original;
        let after = swap::apply_to_records(&planned.plan, scope.schema(), records);
        let pooled = Pooled::of(records, &after);
        let learned: Vec<Learned> = intruders
            .iter()
            .map(|intruder| learned(&pooled, &intruder.scenario()))
            .collect();
        let pairs = compare_pairs(&pooled, scope.schema().all(), &self.original.named_tables());
        Foreseen {
            worst_case: worst_case(&learned).expect("a job has keys"),
            learned,
            new_pairs: new_pairs(&pooled, &pairs),
            distances: Distances::of_pairs(&pairs),
        }
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
        foreseen: &Foreseen,
        not_for_release: bool,
    ) -> PlanReport {
        let plan::Planned { plan, left_over, impossible, barred } = &planned.on_cells;
        let outside = self.outside_groups(planned);
        let RiskCount { records: risky, unswappable, disclosed } = self.count_risk(&outside);
        let covered = plan.covered();
        let in_groups = plan.groups().iter().flat_map(CellGroup::members);
        let covered_by_groups = in_groups.filter(|taken| taken.at_risk).count() as u64;
        let looked_further = self.original.project.max_records().get() > 2;
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
            self.prices.cost(self.original.located.cells().differing(left, right), swap.exchanged)
        };
        PlanReport {
            records: self.original.records.len() as u64,
            risky,
            covered,
            covered_by_groups,
            unswappable,
            disclosed,
            left_over,
            left_over_because,
            max_records: self.original.project.max_records().get(),
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
            tables: self.original.named_tables().len() as u64,
            uniques_before: exposure.uniques_before,
            uniques_after: exposure.uniques_after,
            new_uniques: exposure.new_uniques,
            broken_rules: self.broken_rules,
            not_for_release,
        }
    }

    /// The weighted number of two-way tables that the groups disturb, group by group.
    fn cost_of_groups(&self, plan: &CellPlan) -> u64 {
        let cells = self.original.located.cells();
        let layout = cells.layout();
        let weight = |variable: usize| self.prices.weights[variable];
        let cost = |group: &CellGroup| -> u64 {
            let after = group.after(&self.original.located);
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
            let all = self.original.scope.class().delta();
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

    /// The plan as a file that `apply` can follow.
    pub fn plan_file(
        &self,
        planned: &Planned,
        report: &PlanReport,
    ) -> Result<PlanFile, Diagnostic> {
        let digest = self.original.loaded.digest();
        Ok(PlanFile {
            header: PlanHeader {
                version: env!("CARGO_PKG_VERSION").to_owned(),
                input_sha256: digest.sha256.clone(),
                input_bytes: digest.bytes,
                records: self.original.records.len() as u64,
                columns: self.original.loaded.names().to_vec(),
                parameters: self.original.project.parameters(),
                not_for_release: report.not_for_release,
                summary: serde_json::to_value(report).expect("a report is plain data"),
            },
            plan: planned.plan.clone(),
        })
    }
}

//! The way of a whole job: settings → prepared data → plan → plan file → released file.
//!
//! `plan`, `apply` and `protect` are built from these steps, so that doing it in one go and
//! doing it in three gives the same bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use marginswap_core::diagnostic::{Code, Diagnostic};
use marginswap_core::encode::{RecordId, Records, encode_both};
use marginswap_core::graph::{Formula, Reason, Scope, Separators, Ties};
use marginswap_core::hash::{Map, STATE};
use marginswap_core::moves::{MoveSearch, TooManyTied};
use marginswap_core::partner::{Screening, screen};
use marginswap_core::plan::{self, Constraints, Forbidden, Larger, Prices, SwapPlan, Task, Term};
use marginswap_core::random::{Random, Seed};
use marginswap_core::risk::rare_cells;
use marginswap_core::swap;
use marginswap_core::table::JointTable;
use marginswap_core::varset::VarSet;
use marginswap_core::verify::{
    self, Certified, Checks, Link, Triples, Verification, certify, claims, link_by_id,
};
use marginswap_io::{
    Changes, Compression, Finished, Overwrite, PlanFile, PlanHeader, PlannedGroup, PlannedSwap,
    ReadOptions, ReleaseOptions, Secrecy, Source, Staged, digest_file, rewrite_all,
};
use marginswap_report::plan::PlanReport;

use crate::input::{Loaded, Opened, note_many, separators};
use crate::output::talk;
use crate::project::{Pairing, Project, Risky};

/// Beyond so many separators the pair test decides.
const MOST_SEPARATORS: usize = 100_000;

/// Everything that planning needs, read from the file.
pub struct Prepared {
    pub project: Project,
    pub path: PathBuf,
    pub loaded: Loaded,
    pub scope: Scope,
    pub records: Records,
    joint: JointTable,
    separators: Separators,
    screening: Screening,
    prices: Prices,
    constraints: Constraints,
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

/// Opens a file with the roles that a project gives its columns.
pub fn open(project: &Project, path: &Path) -> Result<Opened, Diagnostic> {
    let columns = &project.columns;
    Opened::new(
        path,
        ReadOptions { delimiter: project.delimiter },
        &columns.vars,
        &columns.stay,
        &columns.ignore,
        columns.id.as_ref(),
    )
}

/// The scope of a project in a file with these columns.
pub fn scope_of(project: &Project, opened: &Opened) -> Result<Scope, Diagnostic> {
    let names = opened.columns();
    let find = |name: &str| opened.position(name);
    let swap = &project.swap;
    let all = |names: &[String]| -> Result<BTreeSet<usize>, Diagnostic> {
        names.iter().map(|name| find(name)).collect()
    };
    let mut apart = all(&project.risk.keys)?;
    apart.extend(all(&swap.strata)?);
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
pub fn prepare(project: Project) -> Result<Prepared, Diagnostic> {
    let path = data_of(&project)?;
    if project.risk.keys.is_empty() {
        return Err(Diagnostic::new(
            Code::MissingSetting,
            "no keys are named: what an intruder may know decides who is at risk",
            "name them with --keys, or as `keys` under [risk] in the project file",
        ));
    }
    if project.keep.tables.is_empty() {
        talk("warning: no table is kept; only each variable's own counts stay as they are");
    }
    let opened = open(&project, &path)?;
    let scope = scope_of(&project, &opened)?;
    let separators = separators(&scope, MOST_SEPARATORS);
    note_many(&separators);
    let loaded = opened.read(true)?;
    let records = loaded.records(&scope);
    let joint = JointTable::count(&records);
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
    let constraints = constraints(&project, &loaded, &scope, records.len() as u64)?;
    let risky = risky(&project, &loaded, &joint, prices.keys)?;
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
        joint,
        separators,
        screening,
        prices,
        constraints,
        risky,
        broken_rules,
        records,
    })
}

fn constraints(
    project: &Project,
    loaded: &Loaded,
    scope: &Scope,
    records: u64,
) -> Result<Constraints, Diagnostic> {
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
        .map(|rule| Forbidden {
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
                    codes.sort_unstable();
                    Term { variable, codes, negated: term.negated }
                })
                .collect(),
        })
        .collect();
    Ok(Constraints {
        matches,
        forbidden,
        most_changed: swap.budget.map(|amount| amount.of(records)),
        least_changed: swap.rate.map(|amount| amount.of(records)),
    })
}

/// Who is at risk, record by record.
fn risky(
    project: &Project,
    loaded: &Loaded,
    joint: &JointTable,
    keys: VarSet,
) -> Result<Vec<bool>, Diagnostic> {
    let below = |k: u64| {
        let rare = rare_cells(joint, keys, k);
        (0..joint.records())
            .map(|record| rare[joint.cell_of(RecordId::at(record)).position()])
            .collect()
    };
    match project.risky() {
        Risky::Unique => Ok(below(2)),
        Risky::BelowK(k) => Ok(below(k.into())),
        Risky::Records(file) => {
            let mut risky = vec![false; joint.records()];
            let text = fs::read_to_string(&file).map_err(|error| {
                let code = match error.kind() {
                    std::io::ErrorKind::NotFound => Code::FileMissing,
                    _ => Code::Unreadable,
                };
                Diagnostic::new(code, error.kind().to_string(), "see the file of risky records")
                    .in_file(&file)
            })?;
            let finder = loaded.finder();
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
        Risky::Top(_) | Risky::Probability(_) => Err(Diagnostic::new(
            Code::NoRiskModel,
            "`top:` and `prob:` rank records by a risk model",
            "choose the records with unique, k:3 or records:FILE",
        )),
    }
}

impl Prepared {
    /// Decides the swaps.
    pub fn plan(&self, seed: Seed) -> Result<SwapPlan, Diagnostic> {
        let records = self.project.max_records().get();
        let search = (records > 2)
            .then(|| MoveSearch::new(&self.joint, self.scope.class(), &self.prices.weights))
            .transpose()
            .map_err(too_many_tied)?;
        let larger = search.as_ref().map(|search| Larger { search, records });
        let task = Task {
            records: &self.records,
            joint: &self.joint,
            class: self.scope.class(),
            separators: &self.separators,
            screening: &self.screening,
            prices: &self.prices,
            constraints: &self.constraints,
            risky: &self.risky,
            larger,
        };
        let pairing = match self.project.pairing() {
            Pairing::Greedy => plan::Pairing::Greedy,
            Pairing::Optimal => plan::Pairing::Optimal,
        };
        plan::plan(task, pairing, seed).map_err(|error| {
            Diagnostic::new(
                Code::PairingTooLarge,
                error.to_string(),
                "use --pairing greedy, which takes any number",
            )
        })
    }

    /// What a plan does, in numbers.
    pub fn report(&self, plan: &SwapPlan, not_for_release: bool) -> PlanReport {
        let cell = |record: usize| self.joint.cell_of(RecordId::at(record));
        let at_risk = || (0..self.risky.len()).filter(|&record| self.risky[record]);
        let after = swap::apply_plan(&self.records, plan);
        let keys = self.records.cells().layout().mask(self.prices.keys);
        let has_other_keys =
            |record: RecordId| keys.parts(self.records.get(record), after.get(record));
        let swapped = plan.swaps().iter().flat_map(|swap| [swap.left, swap.right]);
        let by_pairs = swapped.filter(|record| self.risky[record.position()]).count() as u64;
        let grouped = plan.groups().iter().flat_map(|group| group.records().iter().copied());
        let by_groups = grouped
            .filter(|&record| self.risky[record.position()] && has_other_keys(record))
            .count() as u64;
        let covered = by_pairs + by_groups;
        let open = || at_risk().filter(|&record| !has_other_keys(RecordId::at(record)));
        let unswappable = open().filter(|&record| !self.screening.is_swappable(cell(record)));
        let disclosed = open().filter(|&record| self.screening.is_disclosed(cell(record)));
        let risky = at_risk().count() as u64;
        let unswappable = unswappable.count() as u64;
        let looked_further = self.project.max_records().get() > 2;
        let impossible = looked_further.then_some(plan.impossible().len() as u64);
        let mut groups_by_records: BTreeMap<usize, u64> = BTreeMap::new();
        for group in plan.groups() {
            *groups_by_records.entry(group.records().len()).or_default() += 1;
        }
        let exposure = claims(
            &verify::Pooled::of(&self.records, &after),
            self.prices.keys,
            Some(&Link::ByPosition),
        );
        let cost = |swap: &marginswap_core::partner::swap::Swap| {
            let differing = self.records.differing(swap.left, swap.right);
            self.prices.cost(differing, swap.exchanged)
        };
        PlanReport {
            records: self.records.len() as u64,
            risky,
            covered,
            covered_by_groups: by_groups,
            unswappable,
            disclosed: disclosed.count() as u64,
            left_over: risky - covered - unswappable,
            max_records: self.project.max_records().get(),
            impossible,
            not_found: impossible.map(|impossible| risky - covered - impossible),
            swaps: plan.swaps().len() as u64,
            groups: plan.groups().len() as u64,
            groups_by_records,
            records_changed: plan.records_changed(),
            cells_changed: plan.cells_changed(),
            cost: plan.swaps().iter().map(cost).sum::<u64>() + self.cost_of_groups(plan),
            tables: self.named_tables().len() as u64,
            uniques_before: exposure.uniques_before as u64,
            uniques_after: exposure.uniques_after as u64,
            new_uniques: exposure.new_uniques as u64,
            broken_rules: self.broken_rules,
            not_for_release,
        }
    }

    /// The weighted number of two-way tables that the groups disturb, group by group.
    fn cost_of_groups(&self, plan: &SwapPlan) -> u64 {
        let layout = self.records.cells().layout();
        let weight = |variable: usize| self.prices.weights[variable];
        let cost = |group: &plan::Group| -> u64 {
            let after = group.after(&self.records);
            let changed: VarSet = group.takes().iter().map(|take| take.variable).collect();
            let pair = |set: VarSet, cell: &[u64]| -> Vec<u32> {
                set.iter().map(|variable| layout.code(cell, variable)).collect()
            };
            let disturbed = |set: VarSet| {
                let records = group.records().iter().map(|&record| self.records.get(record));
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
    pub fn warn_of_a_missed_rate(&self, report: &PlanReport) {
        let asked = self.constraints.least_changed.unwrap_or(0);
        // A swap changes two records, so an odd number is met by one less.
        if report.records_changed + 1 < asked {
            talk(&format!(
                "warning: the rate asks for {asked} changed records, and {} could be changed",
                report.records_changed
            ));
        }
    }

    /// The tables that must be found unchanged.
    pub fn named_tables(&self) -> Vec<VarSet> {
        named_tables(&self.scope)
    }

    /// The plan as a file that `apply` can follow.
    pub fn plan_file(
        &self,
        plan: &SwapPlan,
        report: &PlanReport,
        not_for_release: bool,
    ) -> Result<PlanFile, Diagnostic> {
        let digest = digest_file(&self.path)?;
        let mut sets: Map<VarSet, Arc<[usize]>> = Map::with_hasher(STATE);
        let schema = self.scope.schema();
        let swaps = plan
            .swaps()
            .iter()
            .map(|swap| {
                let columns = sets.entry(swap.exchanged).or_insert_with(|| {
                    swap.exchanged
                        .iter()
                        .flat_map(|variable| schema.variables()[variable].columns.iter().copied())
                        .collect()
                });
                PlannedSwap { left: swap.left, right: swap.right, exchanged: Arc::clone(columns) }
            })
            .collect();
        let groups = plan
            .groups()
            .iter()
            .map(|group| {
                let mut columns: Vec<(usize, Vec<usize>)> = group
                    .takes()
                    .iter()
                    .flat_map(|take| {
                        let columns = schema.variables()[take.variable].columns.iter();
                        columns.map(|&column| (column, take.from.clone()))
                    })
                    .collect();
                columns.sort_unstable();
                let (columns, from) = columns.into_iter().unzip();
                PlannedGroup { records: group.records().to_vec(), columns, from }
            })
            .collect();
        Ok(PlanFile {
            header: PlanHeader {
                version: env!("CARGO_PKG_VERSION").to_owned(),
                input_sha256: digest.sha256,
                input_bytes: digest.bytes,
                records: self.records.len() as u64,
                columns: self.loaded.names().to_vec(),
                parameters: self.project.parameters(),
                not_for_release,
                summary: serde_json::to_value(report).expect("a report is plain data"),
            },
            swaps,
            groups,
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

/// A released file that is written, recounted and found to keep every table, and not yet
/// under its name.
pub struct Release {
    finished: Finished,
    #[expect(dead_code, reason = "the certificate is what allows publishing")]
    certified: Certified,
    pub verification: Verification,
}

/// What is released beside the swaps.
pub struct ReleaseAs<'a> {
    pub target: &'a Path,
    pub overwrite: Overwrite,
    pub shuffle: Option<Seed>,
    pub drop: &'a [String],
}

/// The number of the random stream that orders the released records.
const SHUFFLE_STREAM: u64 = 1;

/// Writes the file that a plan makes, reads it back and recounts every kept table.
pub fn release(
    loaded: &Loaded,
    scope: &Scope,
    keys: VarSet,
    path: &Path,
    options: ReadOptions,
    changes: Changes<'_>,
    release: &ReleaseAs<'_>,
) -> Result<Release, Diagnostic> {
    let names = loaded.names();
    let drop: Vec<usize> =
        release.drop.iter().map(|name| loaded.position(name)).collect::<Result<_, _>>()?;
    for &column in &drop {
        if scope.schema().variable_of(column).is_some() {
            return Err(Diagnostic::new(
                Code::TwoRoles,
                format!("--drop names `{}`, which takes part in the swapping", names[column]),
                "leave the column out with --ignore or --id too, or release it",
            ));
        }
    }
    let order = release.shuffle.map(|seed| {
        let records =
            u32::try_from(loaded.records_read()).expect("a file has fewer than 2^32 records");
        let mut order: Vec<u32> = (0..records).collect();
        Random::new(seed, SHUFFLE_STREAM).shuffle(&mut order);
        order
    });
    let mut staged = Staged::create(release.target, release.overwrite, Secrecy::Plain)?;
    let packing = Compression::for_target(release.target);
    let how = ReleaseOptions { order: order.clone(), drop: drop.clone(), packing };
    staged.fill(|out| rewrite_all(path, &options, changes, &how, out))?;
    staged.flush().map_err(|error| {
        Diagnostic::new(Code::Unwritable, error.kind().to_string(), "see that the disk has room")
            .in_file(release.target)
    })?;
    let finished = staged.finish()?;

    // From here on only the bytes that were written count.
    let source = Source::open(finished.path(), &options).map_err(ours)?;
    let kept: Vec<usize> = (0..names.len()).filter(|column| !drop.contains(column)).collect();
    let wanted: Vec<bool> = kept.iter().map(|&column| loaded.was_read(column)).collect();
    let mut table = source.read(&wanted).map_err(ours)?;
    let mut columns: Vec<_> = (0..names.len()).map(|_| None).collect();
    for (&column, read) in kept.iter().zip(&mut table.columns) {
        columns[column] = read.take();
    }
    let (before, after) = encode_both(scope.schema(), loaded.raw_columns(), &columns);
    let link = match &order {
        None => Link::ByPosition,
        Some(order) => {
            let mut place = vec![0u32; order.len()];
            for (position, &record) in (0u32..).zip(order) {
                place[record as usize] = position;
            }
            Link::ByMap(place)
        }
    };
    let tables = named_tables(scope);
    let checks = Checks {
        tables: &tables,
        keys,
        link: Some(&link),
        compared: scope.schema().all(),
        triples: Triples::Skipped,
    };
    let verification = verify::verify(&before, &after, &checks);
    let certified = certify(&before, after, &tables).map_err(|_| {
        Diagnostic::new(
            Code::NotKept,
            "the recount of the written file finds a kept table changed",
            "nothing is released; please report this",
        )
        .in_file(release.target)
    })?;
    Ok(Release { finished, certified, verification })
}

/// A file that was written here and cannot be read back is our fault, not the user's.
fn ours(error: Diagnostic) -> Diagnostic {
    Diagnostic::new(
        Code::NotKept,
        format!("the written file cannot be read back: {}", error.code.title()),
        "nothing is released; please report this",
    )
}

impl Release {
    /// Gives the file its name.
    pub fn publish(self) -> Result<(), Diagnostic> {
        self.finished.publish()
    }
}

/// Which record of one file became which of another: by id where both have one, else by
/// position where the numbers agree.
pub fn link_files(
    before: &Loaded,
    after: &Loaded,
    shuffled: bool,
) -> Result<Option<Link>, Diagnostic> {
    if let (Some(left), Some(right)) = (before.id_column(), after.id_column()) {
        let map = link_by_id(left, right).map_err(|error| {
            Diagnostic::new(
                Code::NotLinked,
                error.to_string(),
                "leave out --id to compare line by line, or give --shuffled",
            )
        })?;
        return Ok(Some(Link::ByMap(map)));
    }
    let same = before.records_read() == after.records_read();
    Ok((same && !shuffled).then_some(Link::ByPosition))
}

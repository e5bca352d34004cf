//! A plan from counted cells alone: for tables that an engine holds.
//!
//! An engine counts the records of every cell ([`crate::sql`]); the cells, one record each, are a
//! data frame, and with their counts they are all that a plan needs. It says: of this cell, the
//! record with this number (from 0, by id) takes these values, which other cells have. Nothing of
//! the records but their number within the cell plays a part, so the plan is that of a file with
//! the same records.
//!
//! What would need the records is refused: a list of people at risk, risk by a model, weights that
//! join the tables.
//!
//! Way in: [`plan()`], then [`recount`] with the cells of what the engine wrote.
//!
//! Law: `cells-give-the-plan-of-records`.

use std::collections::BTreeMap;

use marginswap_core::columns::nearly_all_differ;
use marginswap_core::diagnostic::{Diagnostic, grouped};
use marginswap_core::encode::{RecordId, Records};
use marginswap_core::graph::Scope;
use marginswap_core::moves::MoveSearch;
use marginswap_core::partner::{screen, screen_keys};
use marginswap_core::plan::{self, Detach, Drawn, Intruder, Larger, Task};
use marginswap_core::random::Seed;
use marginswap_core::risk::rare_cells;
use marginswap_core::table::{CellId, JointTable, Located};
use marginswap_core::varset::VarSet;
use marginswap_io::Frame;
use marginswap_report::cells::{CellsReport, CellsRisk};

use crate::input::{Loaded, note_many, separators};
use crate::notes::{Note, Phase, Run};
use crate::original::{data_of, forbidden, intruders_are_named, named_tables, open, scope_of};
use crate::prepare::{ROUNDS, constrained, prices, too_many_tied};
use crate::project::{Project, Risky};
use crate::refusal::Code;

/// The records that a plan changes, as numbers of cells: the rows of the frame of cells.
#[derive(Clone, PartialEq, Eq)]
pub struct Moves {
    /// For each changed record, its cell.
    pub cells: Vec<u32>,
    /// Its number within the cell, from 0, by id.
    pub numbers: Vec<u32>,
    /// For each column of the frame, the cell whose value each changed record takes.
    pub from: Vec<Vec<u32>>,
}

/// No record, cell or number of it is shown: a move is secret.
impl std::fmt::Debug for Moves {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Moves(SECRET: {} records)", self.cells.len())
    }
}

/// What an engine counted.
struct Counted {
    project: Project,
    loaded: Loaded,
    scope: Scope,
    joint: JointTable,
    /// For each cell of the table its row in the frame.
    rows: Vec<u32>,
}

/// Plans on the cells of a project's frame, with the count of each.
///
/// # Errors
/// When a setting needs the records, does not fit the columns, or the run is cancelled.
pub fn plan(
    project: Project,
    counts: &[u32],
    seed: Seed,
    not_for_release: bool,
    run: &mut Run<'_>,
) -> Result<(CellsReport, Moves), Diagnostic> {
    run.expect_steps(3);
    intruders_are_named(&project)?;
    if project.keep.is_empty() {
        run.note(Note::NoTables);
    }
    let counted = Counted::read(project, counts, run)?;
    counted.refuse_ids()?;
    run.begin(Phase::Screening)?;
    let Counted { project, loaded, scope, joint, .. } = &counted;
    let separators = separators(scope, project.max_separators());
    note_many(&separators, run);
    let screening = screen(joint, scope.class(), &separators)?;
    let named = counted.intruders()?;
    let mut screenings = Vec::new();
    for intruder in &named {
        screenings.push(screen_keys(joint, scope.class(), &separators, intruder.keys)?);
    }
    let at_risk: Vec<u32> = (0..joint.len())
        .map(|cell| named.iter().map(|one| one.at_risk[cell]).max().unwrap_or(0))
        .collect();
    let intruders: Vec<Intruder<'_>> = named
        .iter()
        .zip(&screenings)
        .map(|(one, screening)| Intruder {
            keys: one.keys,
            sensitive: one.sensitive,
            detach: one.detach,
            at_risk: &one.at_risk,
            screening: Some(screening),
            members: None,
        })
        .collect();
    let prices = prices(project, scope);
    let rules = forbidden(project, loaded, scope, run);
    let constraints = constrained(project, loaded, scope, joint.records() as u64, rules);
    let largest = project.max_records().get();
    let search = (largest > 2)
        .then(|| MoveSearch::new(joint, scope.class(), &prices.weights))
        .transpose()
        .map_err(too_many_tied)?;
    run.begin(Phase::Planning)?;
    let derived = scope.schema().derived_from();
    let task = Task {
        derived: &derived,
        joint,
        class: scope.class(),
        separators: &separators,
        screening: &screening,
        prices: &prices,
        constraints: &constraints,
        intruders: &intruders,
        at_risk: &at_risk,
        rounds: ROUNDS,
        larger: search.as_ref().map(|search| Larger { search, records: largest }),
    };
    let planned = plan::plan(task, project.pairing().into(), seed).map_err(|error| {
        let remedy = "use the greedy pairing, which takes any number of records";
        Diagnostic::new(Code::PairingTooLarge, error.to_string(), remedy)
    })?;
    let drawn = plan::draw(&planned.plan, joint, &at_risk, seed);
    let people = |of: fn(&plan::Protection) -> u32| {
        planned.protection.iter().map(|row| u64::from(of(row))).sum()
    };
    let report = CellsReport {
        records: joint.records() as u64,
        cells: joint.len() as u64,
        tables: named_tables(scope).len() as u64,
        at_risk: at_risk.iter().map(|&people| u64::from(people)).sum(),
        parted: people(|row| row.parted),
        detached: people(|row| row.detached),
        swaps: planned.plan.swaps().len() as u64,
        groups: planned.plan.groups().len() as u64,
        records_changed: planned.plan.records_changed(),
        not_for_release,
        equal: None,
        risk: Vec::new(),
    };
    Ok((report, counted.moves(&drawn)))
}

/// What the cells of a released table show: are all kept tables equal, derived variables included,
/// and what became of the people at risk?
///
/// # Errors
/// When the released cells do not have the columns of the original ones.
pub fn recount(
    project: Project,
    counts: &[u32],
    released: &Frame,
    released_counts: &[u32],
    report: &mut CellsReport,
    run: &mut Run<'_>,
) -> Result<(), Diagnostic> {
    let after = Project { frame: Some(released.clone()), ..project.clone() };
    let before = Counted::read(project, counts, run)?;
    let after = Counted::read(after, released_counts, run)?;
    let named = named_tables(&before.scope);
    let changed = named.iter().filter(|&&table| before.margin(table) != after.margin(table));
    let changed = changed.count() as u64;
    report.equal = Some(changed == 0 && before.joint.records() == after.joint.records());
    for intruder in before.intruders()? {
        let there = after.margin(intruder.keys);
        let mut risk = CellsRisk { name: intruder.name.clone(), ..CellsRisk::default() };
        for (cell, &people) in
            intruder.at_risk.iter().enumerate().filter(|(_, people)| **people > 0)
        {
            let found = there.get(&before.values(cell, intruder.keys)).copied().unwrap_or(0);
            let fate = match found {
                0 => &mut risk.gone,
                1 => &mut risk.matched,
                _ => &mut risk.shared,
            };
            *fate += u64::from(people);
            risk.at_risk += u64::from(people);
        }
        report.risk.push(risk);
    }
    Ok(())
}

/// An intruder over cells.
struct Named {
    name: Option<String>,
    keys: VarSet,
    sensitive: VarSet,
    detach: Detach,
    at_risk: Vec<u32>,
}

impl Counted {
    fn read(project: Project, counts: &[u32], run: &mut Run<'_>) -> Result<Self, Diagnostic> {
        let project = project.completed()?;
        refuse_what_needs_records(&project)?;
        let opened = open(&project, &data_of(&project)?)?;
        let scope = scope_of(&project, &opened)?;
        let loaded = opened.read(false, run)?;
        let records = Records::of(scope.schema(), loaded.in_memory());
        let located = Located::count(&records);
        if located.len() != counts.len() {
            return Err(Diagnostic::new(
                Code::OptionsClash,
                "the engine counts a cell twice, or takes two cells for one",
                "compare text byte by byte there: no collation may ignore capitals or blanks",
            ));
        }
        let joint = JointTable::from_counts(records.cells(), counts);
        if joint.len() != located.len() {
            let detail = "the engine counts a cell without records";
            return Err(Diagnostic::new(Code::OptionsClash, detail, "count the cells again"));
        }
        let mut rows = vec![0; joint.len()];
        for (row, _) in (0u32..).zip(counts) {
            rows[located.cell_of(RecordId::at(row as usize)).position()] = row;
        }
        Ok(Self { project, loaded, scope, joint, rows })
    }

    /// As for files: what looks like an id is not exchanged.
    fn refuse_ids(&self) -> Result<(), Diagnostic> {
        let records = self.joint.records();
        for variable in self.scope.schema().variables() {
            let [column] = variable.columns[..] else { continue };
            let levels = self.loaded.raw_columns()[column].as_ref();
            let levels = levels.map_or(0, |column| column.dictionary().levels());
            let named = self.project.columns.vars.contains(&variable.name);
            if !variable.stays && !named && nearly_all_differ(levels, records) {
                return Err(Diagnostic::new(
                    Code::IdAmongVariables,
                    format!("nearly every value of `{}` is different", variable.name),
                    "make it the id, leave it out, or name it among the variables",
                ));
            }
        }
        Ok(())
    }

    fn intruders(&self) -> Result<Vec<Named>, Diagnostic> {
        let Self { project, loaded, scope, joint, .. } = self;
        let told = &project.risk;
        let k = match project.risky() {
            Risky::Unique => 2,
            Risky::BelowK(k) => u64::from(k),
            _ => unreachable!("other rules are refused"),
        };
        let first = (!told.keys.is_empty()).then_some((None, &told.keys, &told.sensitive));
        let more = told.more_keys.iter().map(|keys| (None, keys, &told.sensitive));
        let named = told.scenarios.iter().map(|(name, one)| {
            let own = Some(&one.sensitive).filter(|own| !own.is_empty());
            (Some(name.clone()), &one.keys, own.unwrap_or(&told.sensitive))
        });
        let all = first.into_iter().chain(more).chain(named);
        Ok(all
            .map(|(name, keys, sensitive)| {
                let keys = loaded.variables(scope, keys);
                let rare = rare_cells(joint, keys, k);
                let counts = rare.iter().zip(joint.counts());
                Named {
                    name,
                    keys,
                    sensitive: match sensitive.is_empty() {
                        true => scope.schema().own() - keys,
                        false => loaded.variables(scope, sensitive) - keys,
                    },
                    detach: match (project.swap.detach, sensitive.is_empty()) {
                        (Some(values), _) => Detach::AtLeast(values as usize),
                        (None, false) => Detach::Every,
                        (None, true) => Detach::Half,
                    },
                    at_risk: counts.map(|(&rare, &count)| if rare { count } else { 0 }).collect(),
                }
            })
            .collect())
    }

    /// The values of a cell on some variables, as categories: codes of two tables differ.
    fn values(&self, cell: usize, variables: VarSet) -> Vec<Option<Vec<u8>>> {
        let schema = self.scope.schema();
        let row = self.rows[cell] as usize;
        variables
            .iter()
            .flat_map(|variable| {
                let columns = &schema.variables()[variable].columns;
                columns.iter().map(move |&column| {
                    let column = self.loaded.raw_columns()[column].as_ref();
                    let column = column.expect("a column that takes part was read");
                    column.dictionary().category(column.code(row)).map(<[u8]>::to_vec)
                })
            })
            .collect()
    }

    /// A table, by categories.
    fn margin(&self, variables: VarSet) -> BTreeMap<Vec<Option<Vec<u8>>>, u64> {
        let mut table = BTreeMap::new();
        for (cell, &count) in self.joint.counts().iter().enumerate() {
            *table.entry(self.values(cell, variables)).or_default() += u64::from(count);
        }
        table
    }

    /// Where every changed record takes its values from.
    fn moves(&self, drawn: &Drawn) -> Moves {
        let columns = self.loaded.own_names().len();
        let mut moves = Moves { cells: vec![], numbers: vec![], from: vec![Vec::new(); columns] };
        let schema = self.scope.schema();
        let row = |cell: CellId| self.rows[cell.position()];
        let mut add = |place: plan::Place, takes: &[(usize, CellId)]| {
            moves.cells.push(row(place.cell));
            moves.numbers.push(place.number);
            for (column, from) in moves.from.iter_mut().enumerate() {
                let taken = takes.iter().find(|(other, _)| *other == column);
                from.push(row(taken.map_or(place.cell, |(_, cell)| *cell)));
            }
        };
        for swap in drawn.swaps() {
            let columns = schema.columns_of(swap.exchanged);
            for (own, other) in [(swap.left, swap.right), (swap.right, swap.left)] {
                let takes: Vec<(usize, CellId)> =
                    columns.iter().map(|&column| (column, other.cell)).collect();
                add(own, &takes);
            }
        }
        for group in drawn.groups() {
            for (place, &member) in group.members.iter().enumerate() {
                let mut takes = Vec::new();
                for take in &group.takes {
                    let from = group.members[take.from[place]].cell;
                    let columns = schema.columns_of(VarSet::single(take.variable));
                    takes.extend(columns.into_iter().map(|column| (column, from)));
                }
                if takes.iter().any(|(_, from)| *from != member.cell) {
                    add(member, &takes);
                }
            }
        }
        moves
    }
}

/// Refuses settings that no count of cells can follow.
fn refuse_what_needs_records(project: &Project) -> Result<(), Diagnostic> {
    let refuse = |detail: &str, remedy: &str, about: &str| {
        Err(Diagnostic::new(Code::OptionsClash, detail, remedy).about(about))
    };
    match project.risky() {
        Risky::Unique | Risky::BelowK(_) => {}
        Risky::Records(_) => {
            let detail = "a list of people at risk names records, and an engine counts cells";
            return refuse(detail, "take `unique` or `k:3`", "risk.risky");
        }
        Risky::Top(_) | Risky::Probability(_) => {
            let detail = "risk by a model is computed from records, and an engine counts cells";
            return refuse(detail, "take `unique` or `k:3`", "risk.risky");
        }
    }
    if project.unit.household.is_some() {
        let detail = "households are put together from records, and an engine counts cells";
        return refuse(detail, "swap households from a CSV or Parquet file", "unit.household");
    }
    if project.swap.weight.is_some() {
        let detail = "a weight joins every table, and would make every record a cell of its own";
        return refuse(detail, "ignore the column: it goes with its record", "swap.weight");
    }
    if !project.verify.published.0.is_empty() {
        let detail = "published tables are checked from files, and an engine holds the data";
        return refuse(detail, "verify what it wrote as a file", "verify.published");
    }
    Ok(())
}

/// Says before planning that cells come close to records, with the number.
///
/// # Errors
/// [`Code::TooManyRecords`] when there are more cells than can be numbered.
pub fn weigh(cells: u64, records: u64, run: &mut Run<'_>) -> Result<(), Diagnostic> {
    if u32::try_from(cells).is_err() {
        return Err(Diagnostic::new(
            Code::TooManyRecords,
            format!("the table has {} cells", grouped(cells)),
            "leave out columns with many values (`ignore`), or keep them with their records",
        ));
    }
    if cells.saturating_mul(2) > records {
        run.note(Note::ManyCells { cells, records });
    }
    Ok(())
}

//! A plan from counted cells alone: for tables that an engine holds.
//!
//! An engine counts the records of every cell ([`crate::sql`]). The cells with their counts are a
//! data frame whose lines are several records each ([`Frame::counted`]): the same reading,
//! planning and comparing as for any other table take it. The plan says: of this cell, the record
//! with this number (from 0, by id) takes these values, which other cells have. Nothing of the
//! records but their number within the cell plays a part, so the plan is that of a file with the
//! same records, and so is what the gate says.
//!
//! What would need the records is refused: a list of people at risk, risk by a model, weights that
//! join the tables. What the gate cannot see, columns that stay with their records, it says.
//!
//! Way in: [`plan()`], then [`Decided::certify`] with what the engine counts in what it wrote: its
//! cells, or only how they differ from those of the original.
//!
//! Law: `cells-give-the-plan-of-records`.
//!
//! What needs a line for each record (plan files, households, weights, risk by a model, questions)
//! gets it: [`unfold`] makes the lines that the cells stand for, and they go through [`crate::job`] like
//! those of a data frame. [`Moves::of_lines`] leads back to the engine.
//!
//! Law: `unfolded-cells-give-the-job-of-records`.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use marginswap_core::columns::Role;
use marginswap_core::diagnostic::{Diagnostic, grouped};
use marginswap_core::encode::{RecordId, Records};
use marginswap_core::plan::{self, Drawn, HiddenPeople};
use marginswap_core::random::Seed;
use marginswap_core::table::{CellId, Grouping};
use marginswap_core::varset::VarSet;
use marginswap_io::{Frame, HouseholdKind, Unfolded};
use marginswap_report::cells::CellsReport;
use marginswap_report::plan::PlanReport;

use crate::answer;
use crate::compare::{Comparison, Evidence, Lines};
use crate::derive::Take;
use crate::input::Ids;
use crate::notes::{Note, Phase, Run};
use crate::prepare::{TELLING, prepare};
use crate::project::{Project, Risky};
use crate::refusal::Code;
use crate::release::{as_bug, check_kept};
use crate::resolve::open;
use crate::settings::SETTINGS;
use crate::study::Study;
use crate::view::View;

/// The records that a plan changes, as numbers of cells: the rows of the frame of cells.
#[derive(Clone, PartialEq, Eq)]
pub struct Moves {
    /// For each changed record, its cell.
    pub cells: Vec<u32>,
    /// Its number within the cell, from 0, by id.
    pub numbers: Vec<u32>,
    /// For each column of the frame, the cell whose value each changed record takes.
    pub from: Vec<Vec<u32>>,
    /// Where households were counted, in which of them each changed record lives; `numbers` are then
    /// those of households.
    pub homes: Option<Homes>,
}

/// Members of households, by what was counted.
#[derive(Clone, PartialEq, Eq)]
pub struct Homes {
    /// For each changed record the kind of its household, by its place among the kinds.
    pub kinds: Vec<u32>,
    /// Which member of it the record is, from 0.
    pub members: Vec<u32>,
}

/// No record, cell or number of it is shown: a move is secret.
impl std::fmt::Debug for Moves {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Moves(SECRET: {} records)", self.cells.len())
    }
}

impl Moves {
    /// Where every changed record takes its values from.
    fn of(view: &View, drawn: &Drawn) -> Self {
        let View { loaded, scope, located, .. } = view;
        let columns = loaded.own_names().len();
        let from = vec![Vec::new(); columns];
        let mut moves = Self { cells: vec![], numbers: vec![], from, homes: None };
        let schema = scope.schema();
        let mut rows = vec![0; located.len()];
        for row in 0..located.lines() {
            let row = RecordId::at(row);
            rows[located.cell_of(row).position()] = row.0;
        }
        let row = |cell: CellId| rows[cell.position()];
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

    /// What lines take from each other, in the cells that they were made of. `exchanged` has for each
    /// column of the lines which of them takes the value of which other one.
    ///
    /// # Panics
    /// When there are other lines or columns.
    #[must_use]
    pub fn of_lines(exchanged: &[Vec<(usize, usize)>], cells: &Frame, lines: &Unfolded) -> Self {
        let number = |line: usize| u32::try_from(line).expect("lines have numbers of 32 bits");
        let names = lines.frame.names();
        let changed: BTreeSet<u32> =
            exchanged.iter().flatten().map(|&(line, _)| number(line)).collect();
        let changed: Vec<u32> = changed.into_iter().collect();
        let from = cells.names().iter().map(|name| {
            let column = names.iter().position(|other| other == name);
            let column = column.expect("a column of cells is one of lines");
            let takes: BTreeMap<u32, u32> = exchanged[column]
                .iter()
                .map(|&(line, other)| (number(line), number(other)))
                .collect();
            let taken = |line: &u32| lines.cell_of(*takes.get(line).unwrap_or(line));
            changed.iter().map(taken).collect()
        });
        let from = from.collect();
        let places: Vec<_> = changed.iter().map(|&line| lines.place(line)).collect();
        Self {
            from,
            cells: changed.iter().map(|&line| lines.cell_of(line)).collect(),
            numbers: places.iter().map(|place| place.number).collect(),
            homes: lines.kinds().map(|_| Homes {
                kinds: places.iter().map(|place| place.kind).collect(),
                members: places.iter().map(|place| place.member).collect(),
            }),
        }
    }

    /// What is other in the cells that they lead to.
    #[must_use]
    pub fn changes(&self, cells: &Frame) -> Changes {
        let mut differ = vec![false; self.cells.len()];
        let mut values = 0;
        for (column, from) in self.from.iter().enumerate() {
            let (old, new) = (cells.codes(column, &self.cells), cells.codes(column, from));
            for (record, differs) in differ.iter_mut().zip(old.into_iter().zip(new)) {
                *record |= differs.0 != differs.1;
                values += u64::from(differs.0 != differs.1);
            }
        }
        let homes = self.homes.as_ref().map(|homes| {
            let all = homes.kinds.iter().zip(&self.numbers).zip(&differ);
            let changed = all.filter(|(_, differs)| **differs).map(|(home, _)| home);
            changed.collect::<BTreeSet<_>>().len() as u64
        });
        Changes { records: differ.into_iter().map(u64::from).sum(), values, homes }
    }
}

/// How much moves change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Changes {
    /// Records that get another value.
    pub records: u64,
    /// Values that are others.
    pub values: u64,
    /// Households of such records, where they were counted.
    pub homes: Option<u64>,
}

/// A line for each record of counted cells, in a table with all columns that an engine holds;
/// `households` are the column that names them, and how many there are of each kind. The cells of
/// members are given by their place in [`Frame::by_contents`].
///
/// # Errors
/// When the cells and the households are not those of one table, or there are too many records.
///
/// # Panics
/// When the frame has no counts.
pub fn unfold(
    cells: &Frame,
    label: &str,
    names: &[String],
    households: Option<(&str, Vec<HouseholdKind>)>,
) -> Result<Unfolded, Diagnostic> {
    check_counts(cells)?;
    let households = match households {
        None => None,
        Some((name, mut kinds)) => {
            kinds.iter_mut().for_each(|kind| kind.members.sort_unstable());
            kinds.sort_unstable_by(|one, other| one.members.cmp(&other.members));
            check_members(cells, &kinds).map_err(|refusal| refusal.in_file(label))?;
            Some((name, kinds))
        }
    };
    cells.unfolded(label, names, households)
}

/// Refuses households that are not those of the counted records.
fn check_members(cells: &Frame, kinds: &[HouseholdKind]) -> Result<(), Diagnostic> {
    let counts = cells.counts().expect("cells have counts");
    let mut left: Vec<Option<u32>> =
        cells.by_contents()?.iter().map(|&line| Some(counts[line as usize])).collect();
    for kind in kinds {
        for &member in &kind.members {
            if let Some(records) = left.get_mut(member as usize) {
                *records = records.and_then(|records| records.checked_sub(kind.households));
            }
        }
    }
    let twice = kinds.windows(2).any(|pair| pair[0].members == pair[1].members);
    match !twice && left.iter().all(|records| *records == Some(0)) {
        true => Ok(()),
        false => Err(Diagnostic::new(
            Code::NotKept,
            "the engine counts other members of households than records",
            "nothing is released; does the table change while it is read?",
        )),
    }
}

/// What an engine counts in a released table.
#[derive(Debug, Clone, Copy)]
pub enum Recounted<'a> {
    /// Its cells.
    Cells(&'a Frame),
    /// How they differ from those of the original.
    Differences {
        /// What messages call the table.
        label: &'a str,
        /// The cells of the original that have fewer records now, with how many fewer.
        left: Option<&'a Frame>,
        /// The cells that have more, with how many more.
        came: Option<&'a Frame>,
    },
}

/// A plan on cells.
pub struct Decided {
    project: Project,
    numbers: PlanReport,
    hidden: Option<HiddenPeople>,
    cells: u64,
    /// Released columns in which nothing is exchanged.
    staying: usize,
    /// Which record of which cell takes which values (SECRET).
    pub moves: Moves,
}

/// Plans on the counted cells of a project's frame. `beside` is how many released columns make no
/// cell and go with their records.
///
/// # Errors
/// When a setting needs the records, does not fit the columns, or the run is cancelled.
///
/// # Panics
/// When the frame has no counts.
pub fn plan(
    project: Project,
    seed: Seed,
    not_for_release: bool,
    beside: usize,
    run: &mut Run<'_>,
) -> Result<Decided, Diagnostic> {
    run.expect_steps(3);
    let project = project.completed()?;
    refuse_what_needs_records(&project)?;
    check_counts(project.frame.as_ref().expect("cells are a frame"))?;
    weigh(&project, run)?;
    let prepared = prepare(&project, run)?;
    check_cells(&prepared.study.units)?;
    run.begin(Phase::Planning)?;
    let (planned, drawn) = prepared.draw(seed)?;
    let numbers = prepared.in_numbers(&planned, not_for_release);
    prepared.note_a_missed_rate(&numbers, run);
    let View { loaded, located, .. } = &prepared.study.units;
    let staying = (0..loaded.own_names().len())
        .filter(|&column| loaded.role(column) != Role::Variable)
        .count();
    Ok(Decided {
        hidden: prepared.hidden_people(&planned),
        cells: located.len() as u64,
        staying: staying + beside,
        moves: Moves::of(&prepared.study.units, &drawn),
        numbers,
        project,
    })
}

impl Decided {
    /// Compares the counted cells of a released table with the original ones, as `protect`
    /// compares two files.
    ///
    /// # Errors
    /// When a kept table, or the number of records, is not what it was.
    pub fn certify(
        &self,
        recounted: Recounted<'_>,
        run: &mut Run<'_>,
    ) -> Result<CellsReport, Diagnostic> {
        let released = match recounted {
            Recounted::Cells(cells) => {
                check_counts(cells).map_err(as_bug)?;
                Cow::Borrowed(cells)
            }
            Recounted::Differences { label, left, came } => {
                let frame = self.project.frame.as_ref().expect("cells are a frame");
                let after = frame.after(label, left, came).ok_or_else(|| {
                    let detail = "the engine counts other records than it counted before";
                    let remedy = "nothing is released; does the table change while it is read?";
                    Diagnostic::new(Code::NotKept, detail, remedy).in_file(label)
                })?;
                Cow::Owned(after)
            }
        };
        let released = released.as_ref();
        let original = Study::read(&self.project, run)?;
        let evidence = Evidence {
            lines: Lines::Shuffled,
            demo_seed: self.numbers.not_for_release,
            unchecked_columns: self.staying,
            hidden: self.hidden.as_ref(),
            ..Evidence::default()
        };
        let comparison = Comparison::of(original, released, &evidence, run).map_err(as_bug)?;
        check_kept(&comparison)?;
        let mut numbers = self.numbers.clone();
        numbers.protection = answer::protection_of(&comparison);
        let place = released.label().display().to_string();
        let mut protect = answer::protect(numbers, place, &comparison);
        // Which records changed is known by the plan alone: cells have no names.
        protect.verify.records_changed = Some(self.numbers.records_changed);
        protect.verify.cells_changed = Some(self.numbers.cells_changed);
        let not_known = if self.staying > 0 { vec![TELLING] } else { Vec::new() };
        Ok(CellsReport { protect, cells: self.cells, not_known })
    }
}

/// Refuses counts that no table has.
fn check_counts(frame: &Frame) -> Result<(), Diagnostic> {
    let counts = frame.counts().expect("cells have counts");
    if counts.contains(&0) {
        let detail = "the engine counts a cell without records";
        return Err(Diagnostic::new(Code::OptionsClash, detail, "count the cells again"));
    }
    Ok(())
}

/// Refuses cells that an engine takes for one, or counts twice.
fn check_cells(view: &View) -> Result<(), Diagnostic> {
    let located = &view.located;
    if located.len() == located.lines() {
        return Ok(());
    }
    Err(Diagnostic::new(
        Code::OptionsClash,
        "the engine counts a cell twice, or takes two cells for one",
        "compare text byte by byte there: no collation may ignore capitals or blanks",
    ))
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

/// Says before planning that cells come close to records: how many there are, and which column
/// to leave out.
///
/// # Errors
/// [`Code::TooManyRecords`] when there are more records than can be numbered, and what reading
/// the columns refuses.
///
/// # Panics
/// When the project has no frame of counted cells.
pub fn weigh(project: &Project, run: &mut Run<'_>) -> Result<(), Diagnostic> {
    let frame = project.frame.as_ref().expect("cells are a frame");
    let counts = frame.counts().expect("cells have counts");
    let (cells, records) =
        (counts.len() as u64, counts.iter().map(|&count| u64::from(count)).sum::<u64>());
    if u32::try_from(records).is_err() {
        return Err(Diagnostic::new(
            Code::TooManyRecords,
            format!("the table has {} records", grouped(records)),
            "split it: at most 4,294,967,295 records are planned for together",
        ));
    }
    if cells.saturating_mul(2) > records {
        let without = best_left_out(project)?;
        run.note(Note::ManyCells { cells, records, without });
    }
    Ok(())
}

/// The column that no setting names without which there are fewest cells, and how many these are.
fn best_left_out(project: &Project) -> Result<Option<(String, u64)>, Diagnostic> {
    let silent = &mut Run::silent();
    let (project, opened) = open(project, Take::Named)?;
    let loaded = opened.read(Ids::PassedOver, silent)?;
    let named: Vec<String> = SETTINGS.iter().flat_map(|one| one.columns(&project)).collect();
    let free = |name: &String| !named.contains(name) && !loaded.is_source(name);
    let all: Vec<String> = loaded.own_names().to_vec();
    let mut best = None;
    for name in all.iter().filter(|name| free(name)) {
        let others: Vec<String> = all.iter().filter(|other| *other != name).cloned().collect();
        let Some(schema) = loaded.schema_of(&others).filter(|_| !others.is_empty()) else {
            continue;
        };
        let records = Records::of(&schema, loaded.in_memory());
        let cells = Grouping::of_whole(&records.packed()).groups() as u64;
        if best.as_ref().is_none_or(|(_, fewest)| cells < *fewest) {
            best = Some((name.clone(), cells));
        }
    }
    Ok(best)
}

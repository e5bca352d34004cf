//! A job on a data frame: nothing is written, a door makes the released frame.
//!
//! Every released value is one that some record has in the same column. A door that holds a table
//! in a form of its own is therefore given no values: it learns, column by column, of which record
//! each released record takes its value ([`Takes`]). It gathers them, which keeps types,
//! categories and missing values as they are, and hands the frame that it made back: the frame is
//! read like any other and compared with the original ([`Made::certify`]), as a written file is.
//!
//! Way in: [`protect`], [`apply`]; both decide what `protect` and `apply` of
//! [`pipeline`](crate::pipeline) decide for a file with the same contents.
//!
//! Law: `frames-give-what-files-give`.

use std::borrow::Cow;
use std::sync::Arc;

use marginswap_core::diagnostic::Diagnostic;
use marginswap_core::plan::HiddenPeople;
use marginswap_core::random::Seed;
use marginswap_core::swap;
use marginswap_io::{Frame, PlanFile, ReleaseOptions, Renamed};
use marginswap_report::plan::PlanReport;

use crate::compare::{Comparison, Evidence, Lines};
use crate::notes::{Phase, Run};
use crate::original::Original;
use crate::prepare::prepare;
use crate::project::{Project, ReleaseOrder};
use crate::refusal::Code;
use crate::release::{self, Steps, check_kept, dropped, in_order, ours, refuse_order};
use crate::seed::{Chosen, SeedFrom};

/// Where the values of a released column come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Takes {
    /// The position of the column among those of the original.
    pub column: usize,
    /// For each released record, the original record whose value it has; columns in which nothing
    /// is exchanged share one list.
    pub from: Arc<[u32]>,
}

/// A release that is decided and not yet made.
pub struct Made {
    original: Original,
    seed: Option<Seed>,
    order: ReleaseOrder,
    demo_seed: bool,
    /// Which line is at each place of the release, where they were shuffled and are no members of
    /// households.
    placed: Option<Arc<[u32]>>,
    /// Who is hidden by the plan.
    hidden: Option<HiddenPeople>,
    /// The released columns, in the order of the original.
    pub takes: Vec<Takes>,
}

/// A whole job, up to the frame that its door makes.
pub struct Job {
    /// The plan in numbers.
    pub numbers: PlanReport,
    /// The plan (SECRET).
    pub plan: PlanFile,
    /// The seed it was made with.
    pub seed: Chosen,
    /// What is to be made.
    pub made: Made,
}

/// Plans for the frame of a project.
///
/// # Errors
/// When a setting does not fit, or the run is cancelled.
pub fn protect(project: Project, seed: &SeedFrom, run: &mut Run<'_>) -> Result<Job, Diagnostic> {
    refuse_household_file(&project)?;
    run.expect_steps(7);
    let order = project.order();
    let prepared = prepare(project, run)?;
    let seed = seed.choose(run)?;
    run.begin(Phase::Planning)?;
    let planned = prepared.plan(seed.seed)?;
    let numbers = prepared.report(&planned, seed.not_for_release);
    prepared.note_a_missed_rate(&numbers, run);
    let header = prepared.plan_header();
    let (given, demo_seed) = (Some(seed.seed), seed.not_for_release);
    let steps = Steps::planned(&planned);
    let made = Made::of(prepared.into_original(), steps, order, given, demo_seed, run)?;
    Ok(Job { plan: header.with(planned, &numbers), numbers, seed, made })
}

/// Follows a plan that was made before, for the frame of a project. It decides nothing.
///
/// # Errors
/// When the plan is for other contents, or does not keep what its parameters promise.
pub fn apply(
    project: Project,
    plan: &PlanFile,
    seed: Option<Seed>,
    run: &mut Run<'_>,
) -> Result<Made, Diagnostic> {
    refuse_household_file(&project)?;
    run.expect_steps(5);
    let order = project.order();
    let original = Original::read(project, run)?;
    original.check_plan(plan)?;
    Made::of(original, Steps::of(plan), order, seed, plan.header.not_for_release, run)
}

impl Made {
    fn of(
        original: Original,
        steps: Steps<'_>,
        order: ReleaseOrder,
        seed: Option<Seed>,
        demo_seed: bool,
        run: &mut Run<'_>,
    ) -> Result<Self, Diagnostic> {
        let drop = dropped(&original)?;
        if order == ReleaseOrder::Input {
            refuse_order(&original)?;
        }
        run.begin(Phase::Writing)?;
        let shuffled = release::order(order, seed, original.loaded.records_read());
        let is_placed = shuffled.is_some() && original.people.is_none();
        let how = in_order(&original, shuffled);
        let lines = original.lines().loaded.records_read();
        let lines_in_order: Arc<[u32]> =
            how.order.as_deref().map_or_else(|| (0..).take(lines).collect(), Into::into);
        let columns = original.loaded.own_names().len();
        let mut takes = Vec::new();
        for (column, exchanged) in exchanged(steps, &how, columns).into_iter().enumerate() {
            if drop.contains(&column) {
                continue;
            }
            let from = match exchanged.is_empty() {
                true => Arc::clone(&lines_in_order),
                false => taken(&lines_in_order, &exchanged),
            };
            takes.push(Takes { column, from });
        }
        let placed = is_placed.then_some(lines_in_order);
        let hidden = original.hidden_by(steps).map(Cow::into_owned);
        Ok(Self { original, seed, order, demo_seed, placed, hidden, takes })
    }

    /// The names of the original's columns.
    #[must_use]
    pub fn names(&self) -> &[String] {
        self.original.loaded.own_names()
    }

    /// Compares the frame that was made with the original.
    ///
    /// # Errors
    /// When it does not keep what it must.
    pub fn certify(self, released: &Frame, run: &mut Run<'_>) -> Result<Comparison, Diagnostic> {
        let Self { original, seed, order, demo_seed, placed, hidden, takes: _ } = self;
        let evidence = Evidence {
            seed,
            hidden: hidden.as_ref(),
            order: placed.as_deref(),
            lines: Lines::written(order),
            demo_seed,
            ..Evidence::default()
        };
        let comparison = Comparison::of(original, released, &evidence, run).map_err(ours)?;
        check_kept(&comparison)?;
        Ok(comparison)
    }
}

/// A household file is released next to a file of persons, and a data frame is no file.
fn refuse_household_file(project: &Project) -> Result<(), Diagnostic> {
    if project.unit.file.is_none() {
        return Ok(());
    }
    Err(Diagnostic::new(
        Code::OptionsClash,
        "a household file goes with a file of persons, and the persons are a data frame",
        "join the households to the data frame, or give the persons as a file",
    )
    .about("unit.file"))
}

/// What the steps of a plan do to each of these columns: this line takes the value of that one. All
/// members of a household take what the first member of another has.
fn exchanged(steps: Steps<'_>, how: &ReleaseOptions, columns: usize) -> Vec<Vec<(usize, usize)>> {
    let mut exchanged = swap::takes(steps.plan, columns);
    if let Some(households) = &how.households {
        let members = |household: usize, other: usize| {
            let from = households.first(other);
            households.members(household).iter().map(move |&line| (line as usize, from))
        };
        let lines = |all: &mut Vec<(usize, usize)>| {
            *all = all.iter().flat_map(|&(household, other)| members(household, other)).collect();
        };
        exchanged.iter_mut().for_each(lines);
        if let Some(Renamed { column, from }) = &how.renamed {
            let named = from.iter().enumerate();
            exchanged[*column] =
                named.flat_map(|(household, &other)| members(household, other as usize)).collect();
        }
    }
    if let Some(then) = steps.then {
        for (all, more) in exchanged.iter_mut().zip(swap::takes(then, columns)) {
            all.extend(more);
        }
    }
    exchanged
}

/// The records in an order, where some have the value of another.
fn taken(order: &[u32], exchanged: &[(usize, usize)]) -> Arc<[u32]> {
    let number = |record: usize| u32::try_from(record).expect("records have numbers of 32 bits");
    let mut from: Vec<u32> = (0..number(order.len())).collect();
    for &(record, other) in exchanged {
        from[record] = number(other);
    }
    order.iter().map(|&record| from[record as usize]).collect()
}

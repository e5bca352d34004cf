//! Which swaps to make: all risky records at once, each record in one swap at most.
//!
//! Coverage first, then cost, then chance. The search goes from near to far:
//!
//! 1. `nearest`: for one set of differing variables after the other, cheapest first, the
//!    cells that agree on everything else are matched with each other.
//! 2. `through`: what is left looks through the slices of every separator and takes the
//!    cheapest of what it finds.
//! 3. `augment`: a record whose partners are all taken makes room by moving a swap.
//! 4. `merge`: two records at risk that each took a helper take each other instead.
//!
//! Where few records are at risk, `optimal` finds the best pairing instead.
//!
//! Where swaps of more than two records are allowed, `beyond` looks for one for everybody at
//! risk that no pair covers.
//!
//! All of this runs on cells and their counts and needs no record: the result is a
//! [`CellPlan`]. Which records of a cell take part is drawn afterwards, see [`draw()`], and
//! gives a [`Plan`] over the columns of the file.
//!
//! Swaps are disjoint and each keeps every table, so all of them together do. A plan is
//! data: nothing after it decides anything. Who is left without a swap is told with the
//! reason, see `left`.
//!
//! Way in: [`plan`].

mod augment;
mod beyond;
mod cell_plan;
mod constraint;
mod draw;
mod exchange;
mod left;
mod live;
mod matching;
mod merge;
mod nearest;
mod on_columns;
mod optimal;
mod pool;
mod through;

use std::hash::BuildHasher;

pub use beyond::Larger;
pub(crate) use cell_plan::taken;
pub use cell_plan::{CellGroup, CellPlan, CellSwap, Take, Taken};
pub use constraint::{Constraints, Forbidden, Term};
pub use draw::{Drawn, DrawnGroup, DrawnSwap, Place, draw};
pub use exchange::{Offer, Offers, Prices, cheapest};
pub use left::{LeftOver, Obstacle, Remaining};
pub use matching::maximum_weight_matching;
pub use on_columns::{Plan, PlannedGroup, PlannedSwap, Unproved, Unsound};
pub use optimal::{MOST_VERTICES, NoBestPairing};

use crate::encode::Layout;
use crate::graph::{GeneratingClass, MarginGraph, Separators};
use crate::hash::{Map, STATE};
use crate::partner::Screening;
use crate::partner::swap::exchange_into;
use crate::random::{Random, Seed};
use crate::table::{CellId, CellIndex, JointTable, MarginTable};
use crate::varset::VarSet;
use beyond::Beyond;
use pool::Pool;

/// What is to be planned.
#[derive(Debug, Clone, Copy)]
pub struct Task<'a> {
    /// The cells and how many records each holds.
    pub joint: &'a JointTable,
    /// What must be kept.
    pub class: &'a GeneratingClass,
    /// Where its ties part.
    pub separators: &'a Separators,
    /// Which cells have a partner at all.
    pub screening: &'a Screening,
    /// What an exchange may touch and what it costs.
    pub prices: &'a Prices,
    /// What else to respect.
    pub constraints: &'a Constraints,
    /// How many records of each cell are at risk.
    pub at_risk: &'a [u32],
    /// Swaps of more than two records, where they are allowed.
    pub larger: Option<Larger<'a>>,
}

/// How partners are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pairing {
    /// Cheapest first, then room is made for those left over: any number of records. Where
    /// some are still left and few are at risk, the best pairing is tried too.
    Greedy,
    /// The best there is: few records.
    Optimal,
}

/// What planning comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planned {
    /// The swaps and groups, on cells.
    pub plan: CellPlan,
    /// The records at risk that have partners and no swap, cell by cell.
    pub left_over: Vec<LeftOver>,
    /// The records at risk of which a certificate proves that no swap of any number of
    /// records can free them; known only where larger swaps are allowed.
    pub impossible: Vec<Remaining>,
    /// The records at risk that a larger swap could free and the plan does not: a constraint
    /// or the budget is against it, or its helpers are taken.
    pub barred: Vec<Remaining>,
}

/// How often room is made and swaps are merged in turn; each time fewer are left.
const MOST_ROUNDS: usize = 6;

/// Plans the swaps for all risky records, from cells and their counts alone.
///
/// Laws: `a-plan-protects-and-keeps`, `plans-repeat`, `optimal-is-best`,
/// `match-lists-in-order`, `counts-plan-like-records`, `plans-ignore-record-order`.
///
/// # Errors
/// When the exact pairing is asked for and cannot be had.
pub fn plan(task: Task<'_>, pairing: Pairing, seed: Seed) -> Result<Planned, NoBestPairing> {
    let graph = task.class.margin_graph();
    let mut planner = Planner::new(task, &graph, seed);
    for &agree in &task.constraints.matches {
        let first = planner.swaps.len();
        match pairing {
            Pairing::Optimal => planner.match_optimally(agree)?,
            Pairing::Greedy => {
                planner.match_nearest(agree);
                planner.look_through_slices(agree);
                // Making room and merging set records free that others can take.
                for _ in 0..MOST_ROUNDS {
                    planner.augment(agree);
                    planner.look_through_slices(agree);
                    if planner.merge_swaps(agree, first) == 0 || planner.open.is_empty() {
                        break;
                    }
                }
            }
        }
    }
    if pairing == Pairing::Greedy && !planner.open.is_empty() {
        planner = planner.or_optimal(seed);
    }
    // A later list may have set free what an earlier one asks for.
    if pairing == Pairing::Greedy && task.constraints.matches.len() > 1 {
        for &agree in &task.constraints.matches {
            planner.look_through_slices(agree);
        }
    }
    if let Some(larger) = task.larger {
        planner.cover_beyond_pairs(larger, seed);
    }
    if let Some(least) = task.constraints.least_changed {
        for &agree in &task.constraints.matches {
            planner.add_random_swaps(agree, least);
        }
    }
    Ok(planner.finished())
}

/// The state of a search.
struct Planner<'a> {
    task: Task<'a>,
    offers: Offers<'a>,
    random: Random,
    /// Drawn once, for choices that must not depend on when they are made.
    salt: u64,
    pool: Pool,
    /// All cells of the file, to see whether a swap brings one back.
    cells: CellIndex,
    /// The key combinations of the file; `None` when the keys are all variables, because
    /// then they are the cells.
    key_combinations: Option<CellIndex>,
    /// For each cell, how many records share its keys.
    key_counts: Vec<u64>,
    /// The cells with a record at risk: no swap may put a record there.
    protected: Vec<bool>,
    /// The cells with a record at risk that can be swapped and has no swap yet.
    open: Vec<u32>,
    swaps: Vec<CellSwap>,
    /// Groups of more than two records, and who cannot be freed.
    beyond: Beyond,
    /// How many records moves on the live table have changed beside swaps and groups.
    live_changed: u64,
}

/// A swap between two cells that is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Judgement {
    cost: u64,
    /// How many records that were not at risk it leaves alone with their keys, on their own
    /// line: the one thing a swap can do to somebody who has no part in it.
    exposed: u8,
    /// How many records it gives a combination of keys that nobody had. A line that is put
    /// together from two is unique and nobody's.
    new_uniques: u8,
    /// Is only one of the two at risk?
    covers_one: bool,
    /// Decides between equals.
    chance: u32,
    exchanged: VarSet,
}

impl<'a> Planner<'a> {
    fn new(task: Task<'a>, graph: &'a MarginGraph, seed: Seed) -> Self {
        let joint = task.joint;
        let counts = || joint.counts().iter().map(|&count| u64::from(count));
        let pool = Pool::new(joint.counts(), task.at_risk);
        let keys = MarginTable::count(joint, task.prices.keys);
        let protected: Vec<bool> = (0..joint.len()).map(|cell| pool.is_open(cell)).collect();
        let swappable = |cell: usize| task.screening.is_swappable(CellId::at(cell));
        let open = (0..joint.len())
            .filter(|&cell| protected[cell] && swappable(cell))
            .map(number)
            .collect();
        let mut random = Random::new(seed, 0);
        Self {
            task,
            offers: Offers::new(graph, task.prices),
            salt: random.bits(),
            random,
            pool,
            cells: CellIndex::new(joint.cells(), task.class.delta(), counts()),
            key_combinations: (task.prices.keys != task.class.delta())
                .then(|| CellIndex::new(joint.cells(), task.prices.keys, counts())),
            key_counts: (0..joint.len()).map(|cell| keys.n(CellId::at(cell))).collect(),
            protected,
            open,
            swaps: Vec::new(),
            beyond: Beyond::default(),
            live_changed: 0,
        }
    }

    /// Would one more swap change more records than may be changed?
    fn is_full(&self) -> bool {
        let after = self.records_changed() + 2;
        self.task.constraints.most_changed.is_some_and(|most| after > most)
    }

    /// How many records are changed so far.
    fn records_changed(&self) -> u64 {
        let in_groups: usize = self.beyond.groups.iter().map(Vec::len).sum();
        2 * self.swaps.len() as u64 + in_groups as u64 + self.live_changed
    }

    /// The plan, with every swap and group proved, and who is left.
    fn finished(mut self) -> Planned {
        let left_over = self.left_over();
        let Task { joint, class, at_risk, .. } = self.task;
        let remaining = |cells: &Map<u32, ()>| -> Vec<Remaining> {
            let mut cells: Vec<usize> = cells.keys().map(|&cell| cell as usize).collect();
            cells.sort_unstable();
            cells
                .into_iter()
                .filter(|&cell| self.pool.is_open(cell))
                .map(|cell| Remaining { cell: CellId::at(cell), records: self.pool.open(cell) })
                .collect()
        };
        let impossible = remaining(&self.beyond.impossible);
        let barred = remaining(&self.beyond.barred);
        let untouched = |left: &Remaining| at_risk[left.cell.position()] == left.records;
        assert!(impossible.iter().all(untouched), "who cannot be freed is not swapped");
        let groups = self.beyond.groups.into_iter();
        let groups = groups.map(|members| CellGroup::new(joint, class, members)).collect();
        let plan = CellPlan::new(joint, at_risk, class, self.swaps, groups);
        Planned { plan, left_over, impossible, barred }
    }

    /// The best exchange between two cells among the cheapest for their difference, if one
    /// is allowed.
    fn judge(
        &self,
        left: usize,
        right: usize,
        differing: VarSet,
        offer: &Offer,
    ) -> Option<Judgement> {
        offer
            .exchanges
            .iter()
            .filter_map(|&exchanged| self.judge_exchange(left, right, differing, exchanged))
            .min()
    }

    /// What one exchange between two cells is worth; `None` when it is not allowed.
    fn judge_exchange(
        &self,
        left: usize,
        right: usize,
        differing: VarSet,
        exchanged: VarSet,
    ) -> Option<Judgement> {
        let cells = self.task.joint.cells();
        let layout = cells.layout();
        // Few cells need more than eight words; those that do get room of their own.
        let (mut few, mut many) = ([0; 16], Vec::new());
        let new = few.get_mut(..2 * layout.words()).unwrap_or_else(|| {
            many.resize(2 * layout.words(), 0);
            &mut many
        });
        exchange_into(layout, cells.get(left), cells.get(right), exchanged, new);
        let (new_left, new_right) = new.split_at(layout.words());
        if self.creates_a_forbidden(
            layout,
            [cells.get(left), cells.get(right)],
            [new_left, new_right],
        ) {
            return None;
        }
        let mut nobodys = [false; 2];
        for (cell, nobodys) in [new_left, new_right].into_iter().zip(&mut nobodys) {
            let known = self.cells.find(cell);
            *nobodys = known.is_none();
            let brings_back = known.is_some_and(|known| self.protected[known as usize]);
            if brings_back {
                return None;
            }
        }
        let keys = self.task.prices.keys;
        // When all differing keys travel the two combinations only change places.
        let (exposed, new_uniques) = if (differing & keys).is_subset(&exchanged) {
            (0, 0)
        } else {
            let arrive = match &self.key_combinations {
                None => nobodys.map(u8::from),
                Some(known) => {
                    [new_left, new_right].map(|cell| u8::from(known.find(cell).is_none()))
                }
            };
            // Whoever is left alone and at risk has, or will have, a swap of his own.
            let leave = [left, right]
                .map(|cell| u8::from(self.key_counts[cell] == 2 && !self.protected[cell]));
            (leave.iter().sum(), arrive.iter().sum())
        };
        Some(Judgement {
            cost: self.task.prices.cost(differing, exchanged),
            exposed,
            new_uniques,
            covers_one: !(self.pool.is_open(left) && self.pool.is_open(right)),
            chance: self.chance(left, right, exchanged),
            exchanged,
        })
    }

    /// Does an exchange make a forbidden combination more often than it stood there before?
    fn creates_a_forbidden(
        &self,
        layout: &Layout,
        before: [&[u64]; 2],
        after: [&[u64]; 2],
    ) -> bool {
        self.task.constraints.forbidden.iter().any(|rule| {
            let broken = |cells: [&[u64]; 2]| {
                cells.into_iter().filter(|cell| rule.holds(layout, cell)).count()
            };
            broken(after) > broken(before)
        })
    }

    /// A number that decides between exchanges that are otherwise equal: random by the seed,
    /// and the same whenever the same exchange is judged.
    fn chance(&self, left: usize, right: usize, exchanged: VarSet) -> u32 {
        let pair = (left.min(right), left.max(right), exchanged);
        let hash = STATE.hash_one((self.salt, pair));
        u32::try_from(hash >> 32).expect("half of the bits are left")
    }

    /// Makes a swap between a free record of each of two cells.
    fn make(&mut self, left: usize, right: usize, exchanged: VarSet) {
        let (left, right) = (self.pool.take(left), self.pool.take(right));
        self.swaps.push(CellSwap { left, right, exchanged });
    }

    /// Forgets the cells that need nothing any more.
    fn close_cells(&mut self) {
        let pool = &self.pool;
        self.open.retain(|&cell| pool.is_open(cell as usize));
    }
}

fn number(position: usize) -> u32 {
    u32::try_from(position).expect("there are fewer than 2^32 cells and swaps")
}

//! Which swaps to make: all people at risk at once, each record in one swap at most.
//!
//! A person at risk is protected when an intruder who knows their keys learns nothing: first
//! by exchanges after which no record has these keys ([`Goal::Part`]), and where there are
//! none, by exchanges after which the one that has them carries other sensitive values
//! ([`Goal::Detach`]). Coverage first, then cost, then harm to others, then chance. For each
//! goal the search goes from near to far:
//!
//! 1. `nearest`: for one set of differing variables after the other, cheapest first, the
//!    cells that agree on everything else are matched with each other.
//! 2. `slice_search`: what is left looks through the slices of every separator and takes the
//!    cheapest of what it finds.
//! 3. `augment`: a record whose partners are all taken makes room by moving a swap.
//! 4. `merge`: two records at risk that each took a helper take each other instead.
//! 5. `permute`: where disjoint pairs leave somebody, permutations of whole slices.
//!
//! Where few records are at risk, `optimal` finds the best pairing instead.
//!
//! Where swaps of more than two records are allowed, `groups` looks for one for everybody at
//! risk whom no pair parts from their keys.
//!
//! Anybody whom the swaps leave alone with their keys is at risk from then on: `bystanders`.
//!
//! All of this runs on cells and their counts and needs no record: the result is a
//! [`CellPlan`]. Which records of a cell take part is drawn afterwards, see [`draw()`], and
//! gives a [`Plan`] over the columns of the file.
//!
//! Swaps are disjoint and each keeps every table, so all of them together do. A plan is
//! data: nothing after it decides anything. The plan tells for each cell who is protected how, and
//! who is left without a swap with the reason: `protection`, `unprotected`.
//!
//! Way in: [`plan`].

mod assignment;
mod augment;
mod buckets;
mod bystanders;
mod cell_plan;
mod combinations;
mod concentrate;
mod constraint;
mod detaching;
mod draw;
mod drift;
mod effort;
mod exchange;
mod exhausted;
mod feasible_groups;
mod groups;
mod hide;
mod intruder;
mod judge;
mod matching;
mod members;
mod merge;
mod nearest;
mod obeys;
mod on_columns;
mod optimal;
mod permute;
mod pool;
mod protection;
mod regroup;
mod slice_search;
mod unprotected;
mod upper_bound;

pub use assignment::{Assignment, FORBIDDEN, assign};
pub use bystanders::Exposed;
pub(crate) use cell_plan::taken;
pub use cell_plan::{CellGroup, CellPlan, CellSwap, Take, Taken};
pub use constraint::Constraints;
pub use draw::{Drawn, DrawnGroup, DrawnSwap, Place, draw};
pub use drift::WeightBound;
pub(crate) use drift::share_of;
pub use effort::{Effort, Level, READINGS, Search};
pub use exchange::{Offer, Offers, Prices, cheapest};
pub use feasible_groups::freed_by_larger;
pub use groups::Larger;
pub use hide::{CanBeHidden, Hidden, HiddenPeople, ToHide, can_be_hidden};
pub use intruder::{Aim, Detach, Goal, Intruder};
pub use matching::maximum_weight_matching;
pub use members::Members;
pub use obeys::Disobeyed;
use obeys::Rarity;
pub use on_columns::{Plan, PlannedGroup, PlannedSwap, Unproved, Unsound};
pub use optimal::{MOST_VERTICES, NoBestPairing};
pub use protection::Protection;
pub use unprotected::{LeftOver, Obstacle, Remaining};

use std::sync::Arc;

use rayon::prelude::*;

use crate::encode::Signer;
use crate::graph::{GeneratingClass, MarginGraph, Separator, Separators};
use crate::hash::Map;
use crate::partner::Screening;
use crate::partner::seen::Seen;
pub use crate::partner::{Forbidden, NeverNew, Term};
use crate::random::{Random, Seed};
use crate::table::{CellId, JointTable};
use crate::varset::VarSet;
use bystanders::Bystanders;
use combinations::Combinations;
use drift::Drift;
use exhausted::Exhausted;
use groups::Groups;
use judge::{Change, Judgement};
use members::MemberCombinations;
use pool::{CellSet, Pool};
use slice_search::Sorted;

/// What is to be planned.
#[derive(Debug, Clone, Copy)]
pub struct Task<'a> {
    /// The cells and how many records each holds.
    pub joint: &'a JointTable,
    /// What must be kept.
    pub class: &'a GeneratingClass,
    /// The derived variables, each with those that it follows from.
    pub derived: &'a [(usize, VarSet)],
    /// Where its ties part.
    pub separators: &'a Separators,
    /// Which cells have a partner at all.
    pub screening: &'a Screening,
    /// What an exchange may touch and what it costs.
    pub prices: &'a Prices,
    /// What else to respect.
    pub constraints: &'a Constraints,
    /// The intruders; a person is protected when protected from each of them who finds them
    /// at risk.
    pub intruders: &'a [Intruder<'a>],
    /// How many records of each cell are at risk from some intruder.
    pub at_risk: &'a [u32],
    /// How many rounds of second thoughts follow: people whom nothing parts from their keys
    /// may get company, and people whom earlier swaps left alone with theirs are protected.
    pub rounds: usize,
    /// Swaps of more than two records, where they are allowed.
    pub larger: Option<Larger<'a>>,
    /// How many people share each piece of the keys of somebody who is hidden; `None` where
    /// intruders are taken to know all keys.
    pub crowd: Option<u32>,
    /// How much work it may take.
    pub effort: Level,
}

impl Task<'_> {
    /// Has some intruder something to learn, so that detaching protects?
    fn may_detach(&self) -> bool {
        self.intruders.iter().any(|intruder| !intruder.sensitive.is_empty())
    }

    /// Every key of every intruder.
    fn all_keys(&self) -> VarSet {
        self.intruders.iter().fold(VarSet::EMPTY, |all, intruder| all | intruder.keys)
    }
}

/// How partners are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pairing {
    /// Cheapest first, then room is made for those left over: any number of records. Where
    /// some are still left and few are at risk, the best pairing is tried too.
    Greedy,
    /// As greedy; then permutations within slices for those left, as groups.
    Slices,
    /// The best there is: few records.
    Optimal,
}

/// What planning comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planned {
    /// The swaps and groups, on cells.
    pub plan: CellPlan,
    /// For each cell with a record at risk how many are parted from their keys, detached
    /// and left, in the order of the cells.
    pub protection: Vec<Protection>,
    /// The records at risk that have partners and no swap, cell by cell.
    pub left_over: Vec<LeftOver>,
    /// The records at risk of which a certificate proves that no swap of any number of
    /// records can free them; known only where larger swaps are allowed.
    pub impossible: Vec<Remaining>,
    /// The records at risk that a larger swap could free and the plan does not: a constraint
    /// or the budget is against it, or its helpers are taken.
    pub barred: Vec<Remaining>,
    /// The people whom the plan leaves alone with their keys and true values, who were not
    /// alone before.
    pub exposed: Vec<Exposed>,
    /// More records at risk than this no swap parts from their keys at once; known where the
    /// kept tables are two and one intruder is asked about.
    pub most_separated: Option<u64>,
    /// For each cell with a record at risk how many are hidden from an intruder who knows some
    /// keys, in the order of the cells; empty where intruders are taken to know all of them.
    pub hidden: Vec<Hidden>,
    /// The work that it took, and which searches ended before they were done.
    pub effort: Effort,
}

impl Planned {
    /// How many more people are protected than newly exposed, and how many are protected.
    fn worth(&self) -> (i64, u64) {
        let protected: u64 =
            self.protection.iter().map(|row| u64::from(row.parted + row.detached)).sum();
        let exposed: i64 = self.exposed.iter().map(|exposed| i64::from(exposed.records)).sum();
        (i64::try_from(protected).expect("a count is small") - exposed, protected)
    }
}

/// How often room is made and swaps are merged in turn; each time fewer are left.
const MOST_ROUNDS: usize = 6;

/// How many cells or swaps one thread looks at before it takes more.
const SIDE_BY_SIDE: usize = 1 << 12;

/// The most pairs of variables of which it is listed at once which of their values occur together.
const MOST_PAIRS: usize = 100;

/// Plans the swaps for all risky records, from cells and their counts alone.
///
/// Laws: `a-plan-protects-and-keeps`, `plans-repeat`, `plans-are-blind-to-threads`,
/// `optimal-is-best`, `match-lists-in-order`, `counts-plan-like-records`,
/// `plans-ignore-record-order`, `parted-combinations-stay-gone`, `protected-from-every-intruder`,
/// `weighted-cells-stay-within-their-bound`.
///
/// # Errors
/// When the exact pairing is asked for and cannot be had.
///
/// # Panics
/// When the drift of weighted cells is bounded and the exact pairing or larger swaps are asked
/// for: these do not look at it.
pub fn plan(task: Task<'_>, pairing: Pairing, seed: Seed) -> Result<Planned, NoBestPairing> {
    assert!(
        task.constraints.drift.is_none() || (pairing != Pairing::Optimal && task.larger.is_none()),
        "only greedy pairs respect a bound on weighted cells"
    );
    let graph = task.class.margin_graph();
    let mut planner = Planner::new(task, &graph, seed);
    if let Some(crowd) = task.crowd.filter(|_| task.may_detach()) {
        planner.hide(crowd)?;
        let Some(larger) = task.larger else { return Ok(planner.finished()) };
        let mut pairs = planner.clone().finished();
        planner.effort = pairs.effort.clone();
        planner.cover_by_groups(larger, seed);
        // Larger swaps look at all keys together: they may cost more people than they help.
        let larger = planner.finished();
        pairs.effort = larger.effort.clone();
        let not_hidden =
            |planned: &Planned| planned.hidden.iter().map(|row| u64::from(row.left)).sum::<u64>();
        return Ok(if not_hidden(&larger) <= not_hidden(&pairs) { larger } else { pairs });
    }
    let mut pairs_alone = None;
    // Where somebody at risk has every possible combination of keys, nobody can be parted
    // unless others may come to have them.
    if !planner.is_everything_taken() {
        planner = planner.parted_by_pairs(pairing, seed)?;
        if pairing == Pairing::Slices && planner.may_permute() {
            let before = planner.clone();
            planner.permute_slices();
            pairs_alone = Some(before).filter(|_| !planner.groups.made.is_empty());
        }
    }
    if pairing == Pairing::Slices {
        planner.concentrate();
    }
    let mut planned = planner.completed(pairing, seed)?;
    // Who is left decides what follows, so more at first may be fewer in the end.
    if let Some(mut pairs) = pairs_alone {
        pairs.effort = planned.effort.clone();
        let pairs = pairs.completed(Pairing::Greedy, seed)?;
        if pairs.worth() > planned.worth() {
            return Ok(pairs);
        }
        planned.effort = pairs.effort;
    }
    Ok(planned)
}

/// The state of a search.
#[derive(Clone)]
struct Planner<'a> {
    task: Task<'a>,
    offers: Offers<'a>,
    random: Random,
    /// Drawn once, for choices that must not depend on when they are made.
    salt: u64,
    pool: Pool,
    /// For each intruder the key combinations.
    combinations: Vec<Combinations<'a>>,
    /// How far weighted cells may still move, where that is bounded.
    drift: Option<Drift>,
    /// Tells in what two cells differ.
    signer: Signer,
    /// The least that an exchange costs, by the number of variables in which two cells differ.
    least_costs: Vec<u64>,
    /// The combinations of two values that occur in the file.
    seen: Arc<Seen<'a>>,
    /// How rare values are, while those may come together that are absent by rarity.
    rare: Option<Arc<Rarity>>,
    /// May a swap leave somebody alone with their keys?
    bystanders: Bystanders,
    /// The cells whose records at risk are left in each other's company.
    given_up: CellSet,
    /// The cells that looked at every possible partner and found none.
    exhausted: Exhausted,
    /// The slices of some separators.
    slices: Vec<Sorted<'a>>,
    /// The cells in need that wait until everybody looks again.
    resting: Vec<bool>,
    /// The cells with a record in need that can serve the goal and has no swap yet.
    open: Vec<u32>,
    swaps: Vec<CellSwap>,
    /// How many of the swaps were made for earlier goals and stay as they are.
    settled: usize,
    /// Groups of more than two records, and who cannot be freed.
    groups: Groups,
    /// How many records moves on the current table have changed besides swaps and groups.
    regrouped: u64,
    /// What may still be done.
    effort: Effort,
}

impl<'a> Planner<'a> {
    fn new(task: Task<'a>, graph: &'a MarginGraph, seed: Seed) -> Self {
        let joint = task.joint;
        let aims: Vec<Aim> = task.intruders.iter().map(Intruder::aim).collect();
        let mut random = Random::new(seed, 0);
        let seen = Seen::new(joint);
        let (combinations, pool) = rayon::join(
            || {
                let intruders = task.intruders.par_iter().enumerate();
                intruders.map(|(number, one)| combinations_of(task, number, one)).collect()
            },
            || {
                let pool = Pool::new(joint.counts(), task.at_risk);
                seen.list(&pairs_to_part(task, graph));
                pool
            },
        );
        let mut planner = Self {
            task,
            offers: Offers::new(graph, task.prices, Goal::Part, aims),
            salt: random.bits(),
            random,
            pool,
            combinations,
            drift: task.constraints.drift.as_ref().map(|bound| Drift::new(bound, joint)),
            signer: Signer::of(joint.cells().layout()),
            least_costs: task.prices.least_costs(),
            seen: Arc::new(seen),
            rare: None,
            bystanders: Bystanders::Avoided,
            given_up: CellSet::none(joint.len()),
            exhausted: Exhausted::new(),
            slices: Vec::new(),
            resting: vec![false; joint.len()],
            open: Vec::new(),
            swaps: Vec::new(),
            settled: 0,
            groups: Groups::default(),
            regrouped: 0,
            effort: effort_for(task),
        };
        planner.set_goal(Goal::Part);
        planner
    }

    /// Everything from here on is for this goal; what was done before stays.
    fn set_goal(&mut self, goal: Goal) {
        if self.offers.goal() != goal {
            self.offers = self.offers.with_goal(goal);
        }
        self.settled = self.swaps.len();
        self.open = self.pool.open_cells().filtered(|cell| {
            !self.given_up.holds(cell) && !self.resting[cell] && self.can_be_served(cell, goal)
        });
    }

    /// Is there hope for this goal, as far as the screenings tell?
    fn can_be_served(&self, cell: usize, goal: Goal) -> bool {
        let id = CellId::at(cell);
        let partable = || {
            self.task.intruders.iter().zip(&self.combinations).all(|(intruder, combinations)| {
                !combinations.is_at_risk(cell)
                    || intruder.screening.is_none_or(|screening| screening.is_partable(id))
            })
        };
        self.task.screening.is_swappable(id) && (goal != Goal::Part || partable())
    }

    /// Parts as many as can be from their keys that nobody else comes to have.
    fn parted_by_pairs(mut self, pairing: Pairing, seed: Seed) -> Result<Self, NoBestPairing> {
        self.cover(Goal::Part, pairing)?;
        if pairing == Pairing::Optimal {
            return Ok(self);
        }
        // The best pairing does not know how far weighted cells have moved already.
        if !self.open.is_empty() && self.drift.is_none() {
            self = self.or_optimal(seed);
        }
        self.look_once_more();
        Ok(self)
    }

    /// Everything that follows after as many as can be are parted from their keys.
    fn completed(mut self, pairing: Pairing, seed: Seed) -> Result<Planned, NoBestPairing> {
        if !self.is_everything_taken() {
            self.cover_with_rare_pairs(Goal::Part, pairing)?;
        }
        self.give_company();
        if let Some(larger) = self.task.larger {
            self.cover_by_groups(larger, seed);
        }
        if self.task.may_detach() {
            self.cover(Goal::Detach, pairing)?;
            self.cover_with_rare_pairs(Goal::Detach, pairing)?;
            if let Some(larger) = self.task.larger {
                self.detach_by_groups(larger, seed);
            }
        }
        self.protect_bystanders();
        self.reach_share();
        Ok(self.finished())
    }

    /// Who can be covered only so may come to have two values that are absent by rarity, where all
    /// combinations among some variables are watched.
    ///
    /// Law: `rare-pairs-come-last`.
    fn cover_with_rare_pairs(&mut self, goal: Goal, pairing: Pairing) -> Result<(), NoBestPairing> {
        let watched = matches!(self.task.constraints.never_new, NeverNew::Among(_));
        if !watched || self.open.is_empty() || pairing == Pairing::Optimal {
            return Ok(());
        }
        self.rare = Some(Arc::new(Rarity::of(self.task.joint)));
        self.exhausted.forget();
        let covered = self.cover(goal, Pairing::Greedy);
        self.rare = None;
        self.exhausted.forget();
        covered
    }

    /// Swaps others at random until as many records are changed as must be.
    fn reach_share(&mut self) {
        if let Some(least) = self.task.constraints.least_changed {
            self.set_goal(Goal::Any);
            self.bystanders = Bystanders::Spared;
            for &agree in &self.task.constraints.matches {
                self.add_random_swaps(agree, least);
            }
        }
    }

    /// Covers as many as pairs can, for one goal.
    fn cover(&mut self, goal: Goal, pairing: Pairing) -> Result<(), NoBestPairing> {
        self.set_goal(goal);
        for &agree in &self.task.constraints.matches {
            let first = self.swaps.len();
            match pairing {
                Pairing::Optimal => self.match_optimally(agree)?,
                Pairing::Greedy | Pairing::Slices => self.match_greedily(agree, first),
            }
        }
        Ok(())
    }

    fn match_greedily(&mut self, agree: VarSet, first: usize) {
        self.match_nearest(agree);
        self.look_through_slices(agree);
        // Making room and merging set records free that others can take.
        let mut merged = 0;
        for _ in 0..MOST_ROUNDS {
            if self.augment(agree) > 0 || merged > 0 {
                self.look_through_slices(agree);
            }
            merged = self.merge_swaps(agree, first);
            if merged == 0 || self.open.is_empty() {
                break;
            }
        }
    }

    /// A later list of variables to agree on may have set free what an earlier one asks for.
    fn look_once_more(&mut self) {
        if self.task.constraints.matches.len() > 1 {
            for &agree in &self.task.constraints.matches {
                self.look_through_slices(agree);
            }
        }
    }

    /// The separators through which a partner for the goal can be found.
    fn useful_separators(&self) -> Vec<&'a Separator> {
        let parts = |separator: &&Separator| {
            let sides = |keys: VarSet| {
                separator.components.iter().filter(|side| side.meets(&keys)).nth(1).is_some()
            };
            self.offers.goal() != Goal::Part || self.offers.aims().iter().any(|aim| sides(aim.keys))
        };
        self.task.separators.list().iter().filter(parts).collect()
    }

    /// Would one more swap change more records than may be changed?
    fn is_full(&self) -> bool {
        let after = self.records_changed() + 2;
        self.task.constraints.most_changed.is_some_and(|most| after > most)
    }

    /// How many records are changed so far.
    fn records_changed(&self) -> u64 {
        let in_groups: usize = self.groups.made.iter().map(Vec::len).sum();
        2 * self.swaps.len() as u64 + in_groups as u64 + self.regrouped
    }

    /// The plan, with every swap and group proved, and who is left.
    fn finished(mut self) -> Planned {
        let exposed = self.newly_exposed();
        self.pool.forget_wishes();
        self.set_goal(if self.task.may_detach() { Goal::Detach } else { Goal::Part });
        let is_swappable = |cell| self.task.screening.is_swappable(CellId::at(cell));
        self.open = self.pool.open_cells().filtered(is_swappable);
        let left_over = self.left_over();
        let Task { joint, class, at_risk, .. } = self.task;
        let this = &self;
        let (protection, plan) = rayon::join(
            || this.protection(),
            || {
                let groups = this.groups.made.iter().cloned();
                let groups = groups.map(|members| CellGroup::new(joint, class, members));
                CellPlan::new(joint, at_risk, class, this.swaps.clone(), groups.collect())
            },
        );
        let most_separated = self.most_separated(&protection);
        let remaining = |cells: &Map<u32, ()>| -> Vec<Remaining> {
            let mut cells: Vec<usize> = cells.keys().map(|&cell| cell as usize).collect();
            cells.sort_unstable();
            cells
                .into_iter()
                .filter(|&cell| self.pool.is_open(cell))
                .map(|cell| Remaining { cell: CellId::at(cell), records: self.pool.open(cell) })
                .collect()
        };
        let impossible = remaining(&self.groups.impossible);
        let barred = remaining(&self.groups.barred);
        let untouched = |left: &Remaining| at_risk[left.cell.position()] == left.records;
        assert!(impossible.iter().all(untouched), "who cannot be freed is not swapped");
        let Task { joint, class, intruders, at_risk, .. } = self.task;
        let crowd = self.task.crowd.filter(|_| self.task.may_detach());
        let hidden = crowd.map_or_else(Vec::new, |crowd| {
            ToHide { joint, class, intruders, at_risk, crowd }.hidden_by_cells(&plan)
        });
        Planned {
            plan,
            protection,
            left_over,
            impossible,
            barred,
            exposed,
            most_separated,
            hidden,
            effort: self.effort,
        }
    }

    /// Δ̄ of two cells.
    fn differing(&self, left: usize, right: usize) -> VarSet {
        let cells = self.task.joint.cells();
        self.signer.differing(cells.get(left), cells.get(right))
    }

    /// Makes a swap between a free record of each of two cells.
    fn make(&mut self, left: usize, right: usize, exchanged: VarSet) {
        let (left, right) = (self.pool.take(left), self.pool.take(right));
        self.add_swap(CellSwap { left, right, exchanged });
    }

    /// Adds a swap whose records are taken.
    fn add_swap(&mut self, swap: CellSwap) {
        self.count_swap(&swap, Change::Made);
        self.swaps.push(swap);
    }

    /// Puts a swap in the place of another one; the records are taken.
    fn replace_swap(&mut self, place: usize, swap: CellSwap) {
        let old = std::mem::replace(&mut self.swaps[place], swap);
        self.count_swap(&old, Change::Undone);
        self.count_swap(&swap, Change::Made);
    }

    /// Forgets the cells that need nothing any more.
    fn close_cells(&mut self) {
        let pool = &self.pool;
        self.open.retain(|&cell| pool.is_open(cell as usize));
    }
}

/// The work for a task: everybody at risk is counted once.
fn effort_for(task: Task<'_>) -> Effort {
    let people = task.at_risk.iter().map(|&records| u64::from(records)).sum();
    Effort::new(task.effort, task.joint.records(), task.class.delta().len(), people)
}

/// The key combinations of the intruder of this number.
fn combinations_of<'a>(
    task: Task<'a>,
    number: usize,
    intruder: &'a Intruder<'a>,
) -> Combinations<'a> {
    let gone = task.constraints.gone.get(number).map_or(&[][..], Vec::as_slice);
    let can_leave =
        |cell| intruder.screening.is_none_or(|screening| screening.is_partable(CellId::at(cell)));
    let members = intruder
        .members
        .map(|members| MemberCombinations::new(task.joint, intruder.keys, members, can_leave));
    Combinations::new(task.joint, intruder.keys, intruder.at_risk, can_leave)
        .with_members(members)
        .with_gone(gone)
}

/// The pairs of variables that an exchange can part, as long as they are so few that most of them
/// will be asked for.
fn pairs_to_part(task: Task<'_>, graph: &MarginGraph) -> Vec<(usize, usize)> {
    let apart = |one: usize| {
        let others = (task.class.delta() - graph.neighbours(one)).iter();
        others.filter(move |&other| one < other).map(move |other| (one, other))
    };
    let pairs: Vec<(usize, usize)> = task.class.delta().iter().flat_map(apart).collect();
    if pairs.len() > MOST_PAIRS { Vec::new() } else { pairs }
}

fn number(position: usize) -> u32 {
    u32::try_from(position).expect("there are fewer than 2^32 cells and swaps")
}

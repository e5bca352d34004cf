//! Can a record leave its cell? All ways in order, fewest records first.
//!
//! 1. Two records: the box of two groups, the pair swap.
//! 2. Inside each piece that the tables do not part (`atoms`), then in all of Δ, by rising
//!    degree: chains of three, boxes of three groups (4 records) and of four groups (8
//!    records), and the repair search for every degree between.
//! 3. Before the repair search begins, the proofs: the certificate, and bounds that tighten
//!    each other. Where there is one, nothing more is looked for.
//! 4. Where every three variables share a table, several boxes that bring each other what they
//!    lack (up to 16 records).
//!
//! Where every t variables share a table no move has fewer than 2^t records, so the degrees
//! below are left out; and those of 2^t records are boxes, so nothing else is looked for there.
//!
//! Way in: [`MoveSearch::answer`].

use std::sync::OnceLock;

use super::around::Around;
use super::boxes::cheapest_box;
use super::chain::shortest_chain;
use super::lift::{Asked, lift};
use super::linked::linked_boxes;
use super::repair::{NEIGHBOURS, Neighbourhood, Repaired, repair};
use super::space::{Space, TooManyTied};
use super::{Answer, Found, Impossibility, Kind, Tried, atoms, certificate};
use crate::graph::{GeneratingClass, MarginGraph};
use crate::partner::disclosed::bound_cells;
use crate::random::Random;
use crate::table::{CellId, JointTable};
use crate::varset::VarSet;

/// Moves of more records than this are not looked for.
pub const MOST_RECORDS: usize = 16;

/// Moves of more records than this are looked for only as linked boxes.
pub const MOST_IN_ONE_BOX: usize = 8;

/// A step takes as long as this many units of work: comparisons of two cells, looks at a group of
/// variables, or steps in search of linked boxes.
pub(crate) const LINKING: u64 = 50;

/// The most of them made for a single question.
const MOST_LINKING: u64 = 20_000_000;

/// What a move must respect besides the tables.
pub trait Wishes: Sync {
    /// How many records of a cell may still take part.
    fn free(&self, cell: CellId) -> u32;

    /// May a record have this cell afterwards?
    fn may_make(&self, _cell: &[u64]) -> bool {
        true
    }

    /// The variables of which the protected record must change one.
    fn keys(&self) -> VarSet;

    /// The variables that stay with their record.
    fn staying(&self) -> VarSet {
        VarSet::EMPTY
    }

    /// The variables on which all records of a move agree.
    fn agree(&self) -> VarSet {
        VarSet::EMPTY
    }

    /// Is a free record of this cell to be protected too?
    fn wants_out(&self, _cell: CellId) -> bool {
        false
    }

    /// Among moves of as many records that disturb as much, lower is better.
    fn rank(&self, _found: &Found) -> u64 {
        0
    }
}

/// No other wishes: every record may take part and every cell be made.
#[derive(Debug, Clone, Copy)]
pub struct Free<'a> {
    /// The cells.
    pub joint: &'a JointTable,
    /// The variables of which one must change.
    pub keys: VarSet,
    /// The variables that stay with their record.
    pub staying: VarSet,
}

impl Wishes for Free<'_> {
    fn free(&self, cell: CellId) -> u32 {
        self.joint.counts()[cell.position()]
    }

    fn keys(&self) -> VarSet {
        self.keys
    }

    fn staying(&self) -> VarSet {
        self.staying
    }
}

/// How far to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The most records of a move, at most [`MOST_RECORDS`].
    pub records: usize,
    /// The most steps of the search.
    pub steps: u64,
    /// The most steps of the search for linked boxes.
    pub linking: u64,
}

impl Limits {
    /// Moves of up to this many records, with the steps that a single question may take.
    #[must_use]
    pub fn records(records: usize) -> Self {
        Self { records: records.min(MOST_RECORDS), steps: 2_000_000, linking: MOST_LINKING }
    }
}

/// The cells of a file, ready for questions about larger moves.
pub struct MoveSearch<'a> {
    joint: &'a JointTable,
    class: &'a GeneratingClass,
    graph: MarginGraph,
    /// All of Δ first, then the pieces.
    spaces: Vec<Space<'a>>,
    /// Which of them are searched for larger moves, in this order.
    pieces: Vec<usize>,
    /// For each cell, do bounds prove that it keeps its records? Worked out when it is asked.
    bound: OnceLock<Vec<bool>>,
}

impl<'a> MoveSearch<'a> {
    /// Prepares the pieces. `weights` say what disturbing each variable costs.
    ///
    /// # Errors
    /// When more variables take part than larger moves are looked for in.
    pub fn new(
        joint: &'a JointTable,
        class: &'a GeneratingClass,
        weights: &[u64],
    ) -> Result<Self, TooManyTied> {
        let whole = class.delta();
        let mut spaces = vec![Space::new(joint, whole, class.clone(), weights)?];
        let mut pieces = Vec::new();
        for piece in atoms(class) {
            if piece.delta() == whole {
                pieces.push(0);
            } else {
                pieces.push(spaces.len());
                spaces.push(Space::new(joint, whole, piece, weights)?);
            }
        }
        // A wish may be against every move inside one piece and not against one in several.
        if !pieces.contains(&0) {
            pieces.push(0);
        }
        let bound = OnceLock::new();
        Ok(Self { joint, class, graph: class.margin_graph(), spaces, pieces, bound })
    }

    /// The same without the proof by bounds, where it was looked for on a table with the same
    /// margins.
    #[must_use]
    pub fn without_bounds(self) -> Self {
        Self { bound: OnceLock::from(Vec::new()), ..self }
    }

    /// A proof that no move takes a record out of a cell, if one is found.
    ///
    /// Law: `bounds-bind-every-table`.
    fn proof(&self, cell: CellId) -> Option<Impossibility> {
        if let Some(proof) = certificate::find(self.joint, &self.spaces[0], cell) {
            return Some(Impossibility::Sum(proof));
        }
        let bound = self.bound.get_or_init(|| bound_cells(self.joint, self.class));
        bound.get(cell.position()).is_some_and(|&bound| bound).then_some(Impossibility::Bounds)
    }

    /// The cells of the file.
    #[must_use]
    pub fn joint(&self) -> &'a JointTable {
        self.joint
    }

    /// The tables to keep.
    #[must_use]
    pub fn class(&self) -> &'a GeneratingClass {
        self.class
    }

    pub(super) fn graph(&self) -> &MarginGraph {
        &self.graph
    }

    /// Can a record leave this cell, with every wish respected?
    ///
    /// "Impossible" does not depend on the wishes; "possible" and "not found" do.
    ///
    /// Laws: `moves-by-definition`, `three-answers`.
    #[must_use]
    pub fn answer(
        &self,
        cell: CellId,
        wishes: &dyn Wishes,
        limits: Limits,
        random: &mut Random,
    ) -> Answer {
        self.ask(cell, wishes, limits, random).answer
    }

    /// The same, with the work that it took.
    pub(crate) fn ask(
        &self,
        cell: CellId,
        wishes: &dyn Wishes,
        limits: Limits,
        random: &mut Random,
    ) -> Outcome {
        let most = limits.steps * LINKING;
        let mut hunt = Hunt { search: self, wishes, cell, random, left: most, judging: 0 };
        let mut linking = 0;
        let answer = self.hunted(&mut hunt, limits, &mut linking);
        Outcome { answer, units: most - hunt.left, linking }
    }

    fn hunted(&self, hunt: &mut Hunt<'_, '_>, limits: Limits, linking: &mut u64) -> Answer {
        let (cell, wishes) = (hunt.cell, hunt.wishes);
        let agree = |space: &Space<'_>| space.bits.of(wishes.agree());
        let whole = &self.spaces[0];
        let around_in = |space| Around::new(space, space.position(cell), agree(space));
        let mut tried = Tried {
            records: limits.records.min(MOST_RECORDS),
            box_variables: 0,
            neighbours: 0,
            steps: 0,
            complete: true,
        };
        let mut around_whole = around_in(whole);
        if limits.records >= 2
            && !self.graph.is_complete()
            && let Some(found) = cheapest_box(hunt, &mut around_whole, 2)
        {
            return Answer::Possible(Box::new(found));
        }
        // All of Δ comes last.
        let (_, pieces) = self.pieces.split_last().expect("all of Δ is always searched");
        let mut around_pieces: Vec<Around<'_, '_>> =
            pieces.iter().map(|&piece| around_in(&self.spaces[piece])).collect();
        around_pieces.push(around_whole);
        let mut near: Vec<Vec<Neighbourhood>> = around_pieces.iter().map(|_| Vec::new()).collect();
        let mut looked_for_proof = false;
        for degree in 3..=limits.records.min(MOST_IN_ONE_BOX) {
            for (around, near) in around_pieces.iter_mut().zip(&mut near) {
                if degree < 1 << around.space.strength {
                    continue;
                }
                let found = match degree {
                    3 => shortest_chain(hunt, around),
                    4 | 8 => {
                        let q = if degree == 4 { 3 } else { 4 };
                        tried.box_variables =
                            tried.box_variables.max(around.space.boxes.most_variables(q));
                        cheapest_box(hunt, around, q)
                    }
                    _ => None,
                };
                if let Some(found) = found {
                    return Answer::Possible(Box::new(found));
                }
                if !looked_for_proof {
                    looked_for_proof = true;
                    if let Some(proof) = self.proof(cell) {
                        return Answer::Impossible(proof);
                    }
                }
                if around.space.has_only_boxes(degree) {
                    continue;
                }
                if let Some(found) = hunt.repair(around, near, degree, &mut tried) {
                    return Answer::Possible(found);
                }
            }
        }
        if !looked_for_proof && let Some(proof) = self.proof(cell) {
            return Answer::Impossible(proof);
        }
        tried.complete &= !hunt.is_spent();
        tried.steps = limits.steps - hunt.left / LINKING;
        if limits.records > MOST_IN_ONE_BOX {
            let steps = limits.linking;
            for around in around_pieces.iter().filter(|around| around.space.strength == 3) {
                let linked = linked_boxes(hunt, around, limits.records, steps);
                *linking += linked.steps;
                if let Some(found) = linked.found {
                    return Answer::Possible(Box::new(found));
                }
                tried.steps += linked.steps / LINKING;
            }
            // Moves of this many records that are not boxes are not tried.
            tried.complete = false;
        }
        Answer::NotFound(tried)
    }
}

impl std::fmt::Debug for MoveSearch<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "MoveSearch({:?}, {} pieces)", self.joint, self.pieces.len())
    }
}

/// An answer with the work that it took.
pub(crate) struct Outcome {
    pub(crate) answer: Answer,
    /// The units of all steps but those in search of linked boxes.
    pub(crate) units: u64,
    /// The steps in search of linked boxes.
    pub(crate) linking: u64,
}

/// One question on its way.
pub(super) struct Hunt<'h, 'w> {
    search: &'h MoveSearch<'h>,
    wishes: &'w dyn Wishes,
    cell: CellId,
    random: &'w mut Random,
    /// The units of work that are left.
    left: u64,
    /// Those that were spent on judging moves.
    judging: u64,
}

impl Hunt<'_, '_> {
    /// Counts a step; `false` when there is none left.
    pub(super) fn step(&mut self) -> bool {
        self.spend(LINKING)
    }

    /// Counts some units of work; `false` when none is left.
    pub(super) fn spend(&mut self, units: u64) -> bool {
        self.left = self.left.saturating_sub(units);
        self.left > 0
    }

    /// The units of work that are left.
    pub(super) fn left(&self) -> u64 {
        self.left
    }

    /// The units that were spent on judging moves so far.
    pub(super) fn judging(&self) -> u64 {
        self.judging
    }

    pub(super) fn is_spent(&self) -> bool {
        self.left == 0
    }

    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.random.below(bound)
    }

    /// Smaller is better; chance decides between equals.
    pub(super) fn rank(&mut self, found: &Found) -> (u64, u64) {
        (self.wishes.rank(found), self.random.bits())
    }

    pub(super) fn may_make(&self, cell: &[u64]) -> bool {
        self.wishes.may_make(cell)
    }

    /// How many records of a cell of the piece may take part, in all cells of the file that
    /// it comes from.
    pub(super) fn free(&self, around: &Around<'_, '_>, position: usize, mask: u64) -> u32 {
        free(self.search, self.wishes, self.cell, around.space, around.agree, position, mask)
    }

    pub(super) fn is_usable(&self, around: &Around<'_, '_>, position: usize, mask: u64) -> bool {
        self.free(around, position, mask) > 0
    }

    /// Sorts the cells up to a distance into buckets.
    pub(super) fn reach(&self, around: &mut Around<'_, '_>, distance: usize) {
        let (space, agree) = (around.space, around.agree);
        around.reach(distance, |position, mask| {
            free(self.search, self.wishes, self.cell, space, agree, position, mask) > 0
        });
    }

    /// The move of whole records that a move in a piece comes from, if every wish allows it.
    pub(super) fn judge(
        &mut self,
        around: &Around<'_, '_>,
        removed: &[u32],
        added: Vec<Vec<u64>>,
        kind: Kind,
    ) -> Option<Found> {
        let asked = Asked { search: self.search, wishes: self.wishes, cell: self.cell };
        let mut units = 0;
        let found = lift(asked, around.space, removed, &added, kind, self.random, &mut units);
        self.judging += units;
        self.spend(units);
        found
    }

    /// The repair search for one degree, in growing neighbourhoods.
    fn repair(
        &mut self,
        around: &Around<'_, '_>,
        near: &mut Vec<Neighbourhood>,
        degree: usize,
        tried: &mut Tried,
    ) -> Option<Box<Found>> {
        for (round, &count) in NEIGHBOURS.iter().enumerate() {
            if near.len() == round {
                let made = Neighbourhood::new(self, around, count);
                self.spend(made.work);
                near.push(made);
            }
            let near = &near[round];
            tried.neighbours = tried.neighbours.max(near.cells - 1);
            let outcome = repair(self, around, near, degree);
            let last = near.is_everything || count == NEIGHBOURS[NEIGHBOURS.len() - 1];
            tried.complete &= near.is_complete || !last;
            match outcome {
                Repaired::Found(found) => return Some(found),
                Repaired::None if near.is_everything => return None,
                Repaired::None => {}
                Repaired::Spent => tried.complete = false,
            }
            if near.is_everything {
                return None;
            }
        }
        None
    }
}

fn free(
    search: &MoveSearch<'_>,
    wishes: &dyn Wishes,
    own: CellId,
    space: &Space<'_>,
    agree: u64,
    position: usize,
    mask: u64,
) -> u32 {
    if mask & agree != 0 {
        return 0;
    }
    if space.is_whole() {
        return wishes.free(CellId::at(position));
    }
    let file = search.joint.cells();
    let everywhere = file.layout().mask(wishes.agree());
    let middle = file.get(own.position());
    space
        .cells_of_file(position)
        .filter(|cell| !everywhere.parts(middle, file.get(cell.position())))
        .fold(0u32, |sum, cell| sum.saturating_add(wishes.free(cell)))
}

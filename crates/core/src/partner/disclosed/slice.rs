//! One slice at a time, exactly: bounds that tighten each other, and all its tables.
//!
//! Variables that are in every kept table cut the file into slices; a table with the same
//! margins has the same margins in each slice, so each is decided alone. The cells that can be
//! occupied in a slice are those whose projection to every kept table is: they are listed by
//! joining the tables. Their counts are unknowns with a lower and an upper bound, one equation
//! for each cell of each table.
//!
//! 1. *Bounds*: what an equation leaves for one unknown when all others take their extremes.
//!    Repeated until nothing moves (Dobra & Fienberg's shuttle, on the joint cells).
//! 2. *Search*: may the cell have one record fewer? Start from the file's own counts, repair an
//!    equation that is out of balance by one unknown, either way, and so on. Where every way
//!    ends in a contradiction, there is no such table.
//!
//! A table that the search finds shows for every cell that has fewer records in it that it is
//! not disclosed.
//!
//! In larger slices only the bounds are worked out.
//!
//! Edge case: without such a variable the file is one slice.

use rayon::prelude::*;

use super::{Proof, Unproved};
use crate::encode::PackedCells;
use crate::graph::GeneratingClass;
use crate::hash::{Map, STATE};
use crate::table::{CellId, Grouping, JointTable};
use crate::varset::VarSet;

/// Slices with more cells that can be occupied are not searched.
const MOST_SEARCHED: usize = 4_096;
/// Slices with more cells that can be occupied get no bounds.
const MOST_CELLS: usize = 1 << 15;
/// At most this many repairs are made one after the other.
const MOST_REPAIRS: usize = 2_000;
/// The most steps for one slice, and for all slices together.
const STEPS_A_SLICE: u64 = 3_000_000;
const MOST_STEPS: u64 = 400_000_000;

/// The cells of the file, by what they have on the variables of every table.
pub(super) struct Slices {
    slice_of: Vec<u32>,
    members: Vec<u32>,
    starts: Vec<usize>,
}

impl Slices {
    pub(super) fn of(joint: &JointTable, everywhere: VarSet) -> Self {
        let grouping = Grouping::of(joint.cells(), everywhere);
        let (members, starts) = grouping.sorted();
        Self { slice_of: grouping.into_group_of(), members, starts }
    }

    /// The cells of the slice that a cell is in.
    pub(super) fn of_cell(&self, cell: CellId) -> &[u32] {
        self.slice(self.slice_of[cell.position()])
    }

    fn slice(&self, slice: u32) -> &[u32] {
        let slice = slice as usize;
        &self.members[self.starts[slice]..self.starts[slice + 1]]
    }
}

/// What is known of one open cell at the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Decided {
    Proved(Proof),
    Free,
    Open,
}

/// Decides the open cells of small slices.
pub(super) fn decide(
    joint: &JointTable,
    class: &GeneratingClass,
    slices: &Slices,
    open: &mut Unproved<'_>,
) {
    const AT_ONCE: usize = 64;
    let mut asked: Map<u32, Vec<CellId>> = Map::with_hasher(STATE);
    for &cell in &open.cells {
        asked.entry(slices.slice_of[cell.position()]).or_default().push(cell);
    }
    let mut asked: Vec<(u32, Vec<CellId>)> = asked.into_iter().collect();
    asked.sort_unstable();
    let uncovered = class.uncovered().iter().map(VarSet::single);
    let margins: Vec<VarSet> = class.margins().iter().copied().chain(uncovered).collect();
    let mut decided: Map<CellId, Decided> = Map::with_hasher(STATE);
    let mut steps = 0;
    for asked in asked.chunks(AT_ONCE) {
        if steps > MOST_STEPS {
            break;
        }
        let answers: Vec<(Vec<Decided>, u64)> = asked
            .par_iter()
            .map(|(slice, cells)| decide_slice(joint, &margins, slices.slice(*slice), cells))
            .collect();
        for ((_, cells), (answers, work)) in asked.iter().zip(answers) {
            steps += work;
            decided.extend(cells.iter().copied().zip(answers));
        }
    }
    open.settle(|cell| match decided.get(&cell) {
        Some(Decided::Proved(proof)) => Some(*proof),
        _ => None,
    });
    open.cells.retain(|cell| decided.get(cell) != Some(&Decided::Free));
}

fn decide_slice(
    joint: &JointTable,
    margins: &[VarSet],
    members: &[u32],
    asked: &[CellId],
) -> (Vec<Decided>, u64) {
    let mut answers = vec![Decided::Open; asked.len()];
    let mut cells = PackedCells::new(joint.cells().layout().clone());
    for &member in members {
        cells.push(joint.cells().get(member as usize));
    }
    let counts: Vec<u32> = members.iter().map(|&cell| joint.counts()[cell as usize]).collect();
    let Some(fibre) = Fibre::new(&cells, &counts, margins) else {
        return (answers, members.len() as u64);
    };
    let mut work = Work { left: STEPS_A_SLICE, made: 0 };
    work.step(fibre.equations.len());
    let bounds = fibre.tight_bounds(&mut work);
    // The members of a slice are in rising order.
    let place =
        |cell: CellId| members.binary_search(&cell.0).expect("an open cell is in its slice");
    for (answer, &cell) in answers.iter_mut().zip(asked) {
        if bounds.lower[place(cell)] == fibre.counts[place(cell)] {
            *answer = Decided::Proved(Proof::Bounds);
        }
    }
    let searched = if fibre.counts.len() <= MOST_SEARCHED { asked.len() } else { 0 };
    for position in 0..searched {
        if answers[position] != Decided::Open {
            continue;
        }
        let own = place(asked[position]);
        let mut fewer = bounds.clone();
        fewer.upper[own] = fibre.counts[own] - 1;
        let equations = fibre.equations_of(own).to_vec();
        let found = match fibre.tighten(&mut fewer, equations, &mut work) {
            true => fibre.search(fewer, 0, &mut work),
            false => Searched::None,
        };
        match found {
            Searched::None => answers[position] = Decided::Proved(Proof::Search),
            Searched::Spent => break,
            Searched::Found(table) => {
                for (answer, &cell) in answers.iter_mut().zip(asked) {
                    let fewer = table[place(cell)] < fibre.counts[place(cell)];
                    assert!(
                        !fewer || !matches!(answer, Decided::Proved(_)),
                        "a proved cell has its records in every table with the same margins"
                    );
                    if fewer {
                        *answer = Decided::Free;
                    }
                }
            }
        }
    }
    (answers, work.made)
}

/// Of which cells of the file do bounds prove that every table with the same margins has all
/// their records? None where too many cells can be occupied.
///
/// Slow twin: [`crate::oracle::World::fewest_in_cells`].
///
/// Law: `bounds-bind-every-table`.
pub(crate) fn bound_cells(joint: &JointTable, class: &GeneratingClass) -> Vec<bool> {
    let uncovered = class.uncovered().iter().map(VarSet::single);
    let margins: Vec<VarSet> = class.margins().iter().copied().chain(uncovered).collect();
    let Some(fibre) = Fibre::new(joint.cells(), joint.counts(), &margins) else {
        return vec![false; joint.len()];
    };
    let bounds = fibre.tight_bounds(&mut Work { left: u64::MAX, made: 0 });
    // The file's own cells come first.
    let own = bounds.lower.iter().zip(&fibre.counts).take(joint.len());
    own.map(|(lower, count)| lower == count).collect()
}

/// Steps that may still be made, and those that were.
struct Work {
    left: u64,
    made: u64,
}

impl Work {
    fn step(&mut self, steps: usize) {
        self.left = self.left.saturating_sub(steps as u64);
        self.made += steps as u64;
    }
}

/// The unknown counts of a slice, and the equations that its tables are.
struct Fibre {
    /// What the file has in each cell that can be occupied; its own cells first.
    counts: Vec<u32>,
    /// The cells in each equation.
    members: Vec<Vec<usize>>,
    /// What each equation adds up to.
    totals: Vec<u32>,
    /// The equations of each cell, one for each table.
    equations: Vec<usize>,
    tables: usize,
}

#[derive(Clone)]
struct Bounds {
    lower: Vec<u32>,
    upper: Vec<u32>,
}

enum Searched {
    Found(Vec<u32>),
    None,
    Spent,
}

impl Fibre {
    /// `None` when too many cells can be occupied.
    fn new(cells: &PackedCells, counts: &[u32], margins: &[VarSet]) -> Option<Self> {
        let possible = possible_cells(cells, margins)?;
        let mut counts = counts.to_vec();
        counts.resize(possible.len(), 0);
        let mut fibre = Self {
            equations: vec![0; possible.len() * margins.len()],
            counts,
            members: Vec::new(),
            totals: Vec::new(),
            tables: margins.len(),
        };
        for (table, &margin) in margins.iter().enumerate() {
            let grouping = Grouping::of(&possible, margin);
            let first = fibre.members.len();
            fibre.members.resize(first + grouping.groups(), Vec::new());
            fibre.totals.resize(first + grouping.groups(), 0);
            for (cell, &group) in grouping.group_of().iter().enumerate() {
                let equation = first + group as usize;
                fibre.members[equation].push(cell);
                fibre.totals[equation] += fibre.counts[cell];
                fibre.equations[cell * fibre.tables + table] = equation;
            }
        }
        Some(fibre)
    }

    fn equations_of(&self, cell: usize) -> &[usize] {
        &self.equations[cell * self.tables..(cell + 1) * self.tables]
    }

    fn bounds(&self) -> Bounds {
        let upper = (0..self.counts.len())
            .map(|cell| self.equations_of(cell).iter().map(|&equation| self.totals[equation]).min())
            .map(|least| least.expect("every variable is in a table or has its own"))
            .collect();
        Bounds { lower: vec![0; self.counts.len()], upper }
    }

    /// The bounds that nothing tightens further.
    fn tight_bounds(&self, work: &mut Work) -> Bounds {
        let mut bounds = self.bounds();
        let all = (0..self.totals.len()).collect();
        let feasible = self.tighten(&mut bounds, all, work);
        assert!(feasible, "the file itself has these margins");
        bounds
    }

    /// Tightens the bounds, beginning with these equations, until nothing moves; `false` when
    /// they contradict each other.
    fn tighten(&self, bounds: &mut Bounds, begin: Vec<usize>, work: &mut Work) -> bool {
        let mut waits = vec![false; self.totals.len()];
        begin.iter().for_each(|&equation| waits[equation] = true);
        let mut queue = begin;
        while let Some(equation) = queue.pop() {
            waits[equation] = false;
            let members = &self.members[equation];
            work.step(members.len());
            let total = u64::from(self.totals[equation]);
            let least: u64 = members.iter().map(|&cell| u64::from(bounds.lower[cell])).sum();
            let most: u64 = members.iter().map(|&cell| u64::from(bounds.upper[cell])).sum();
            if least > total || most < total {
                return false;
            }
            for &cell in members {
                let (lower, upper) = (bounds.lower[cell], bounds.upper[cell]);
                let others_most = most - u64::from(upper);
                let others_least = least - u64::from(lower);
                let higher = u64::from(lower).max(total.saturating_sub(others_most));
                let smaller = u64::from(upper).min(total - others_least);
                if higher > smaller {
                    return false;
                }
                if higher > u64::from(lower) || smaller < u64::from(upper) {
                    let fits = |bound| u32::try_from(bound).expect("a bound is a count");
                    bounds.lower[cell] = fits(higher);
                    bounds.upper[cell] = fits(smaller);
                    for &other in self.equations_of(cell) {
                        if !waits[other] {
                            waits[other] = true;
                            queue.push(other);
                        }
                    }
                }
            }
        }
        true
    }

    /// A table within these bounds, which nothing tightens further.
    fn search(&self, bounds: Bounds, depth: usize, work: &mut Work) -> Searched {
        if work.left == 0 || depth == MOST_REPAIRS {
            return Searched::Spent;
        }
        let bounded = self.counts.iter().zip(bounds.lower.iter().zip(&bounds.upper));
        let table: Vec<u32> =
            bounded.map(|(&count, (&lower, &upper))| count.clamp(lower, upper)).collect();
        work.step(table.len());
        let Some((cell, raise)) = self.repair(&table, &bounds, work) else {
            return Searched::Found(table);
        };
        for side in [raise, !raise] {
            let mut half = bounds.clone();
            // More than now and not more than now; or fewer than now and not fewer.
            match (raise, side) {
                (true, true) => half.lower[cell] = table[cell] + 1,
                (true, false) => half.upper[cell] = table[cell],
                (false, false) => half.upper[cell] = table[cell] - 1,
                (false, true) => half.lower[cell] = table[cell],
            }
            if self.tighten(&mut half, self.equations_of(cell).to_vec(), work) {
                match self.search(half, depth + 1, work) {
                    Searched::None => {}
                    ended => return ended,
                }
            }
            if work.left == 0 {
                return Searched::Spent;
            }
        }
        Searched::None
    }

    /// A cell to be raised or lowered, from the equation out of balance that leaves the fewest
    /// choices: the one that helps most tables. `None` when all are in balance.
    fn repair(&self, table: &[u32], bounds: &Bounds, work: &mut Work) -> Option<(usize, bool)> {
        let mut balance = vec![0i64; self.totals.len()];
        for (equation, members) in self.members.iter().enumerate() {
            let sum: i64 = members.iter().map(|&cell| i64::from(table[cell])).sum();
            balance[equation] = sum - i64::from(self.totals[equation]);
        }
        work.step(table.len() * self.tables);
        let may = |cell: usize, raise: bool| match raise {
            true => table[cell] < bounds.upper[cell],
            false => table[cell] > bounds.lower[cell],
        };
        let (_, equation) = balance
            .iter()
            .enumerate()
            .filter(|(_, balance)| **balance != 0)
            .map(|(equation, &balance)| {
                let members = self.members[equation].iter();
                (members.filter(|&&cell| may(cell, balance < 0)).count(), equation)
            })
            .min()?;
        let raise = balance[equation] < 0;
        let helps = |cell: usize| -> i64 {
            let sign = if raise { -1 } else { 1 };
            self.equations_of(cell).iter().map(|&other| (sign * balance[other]).signum()).sum()
        };
        let cells = self.members[equation].iter().copied().filter(|&cell| may(cell, raise));
        let best = cells.max_by_key(|&cell| (helps(cell), std::cmp::Reverse(cell)));
        Some((best.expect("tight bounds leave an equation room for its total"), raise))
    }
}

/// The slice's own cells, then all others whose projection to every table is that of a cell;
/// `None` when these are too many.
fn possible_cells(cells: &PackedCells, margins: &[VarSet]) -> Option<PackedCells> {
    let layout = cells.layout();
    let words = layout.words();
    let mut partial: Vec<Vec<u64>> = vec![vec![0; words]];
    let mut covered = VarSet::EMPTY;
    let mut left: Vec<VarSet> = margins.to_vec();
    while let Some(next) = (0..left.len())
        .max_by_key(|&place| ((left[place] & covered).len(), std::cmp::Reverse(place)))
    {
        let margin = left.swap_remove(next);
        let (own, shared) = (layout.mask(margin), layout.mask(margin & covered));
        let masked = |cell: &[u64], mask: &[u64]| -> Vec<u64> {
            cell.iter().zip(mask).map(|(word, mask)| word & mask).collect()
        };
        let mut parts: Map<Vec<u64>, Vec<Vec<u64>>> = Map::with_hasher(STATE);
        let mut seen: Map<Vec<u64>, ()> = Map::with_hasher(STATE);
        for cell in cells.iter() {
            let part = masked(cell, own.words());
            if seen.insert(part.clone(), ()).is_none() {
                parts.entry(masked(cell, shared.words())).or_default().push(part);
            }
        }
        let mut joined = Vec::new();
        for cell in &partial {
            for part in parts.get(&masked(cell, shared.words())).into_iter().flatten() {
                joined.push(cell.iter().zip(part).map(|(left, right)| left | right).collect());
            }
            if joined.len() > 4 * MOST_CELLS {
                return None;
            }
        }
        partial = joined;
        covered |= margin;
    }
    let mut known: Map<&[u64], ()> = Map::with_hasher(STATE);
    known.extend(cells.iter().map(|cell| (cell, ())));
    let mut possible = cells.clone();
    for cell in &partial {
        if !known.contains_key(cell.as_slice()) {
            possible.push(cell);
        }
    }
    (possible.len() <= MOST_CELLS).then_some(possible)
}

//! From a move in a piece to one of whole records, and who takes which cell.
//!
//! A move in a piece says which cells of the piece change. Each comes with a record of the
//! file; what these records have outside the piece is dealt out again so that every table
//! stays: each component γ outside the piece touches it in N(γ), which lies inside a kept
//! table of the piece, so both sides of the move have the same values there equally often.
//!
//! Which record takes which new cell is an assignment: what stays must stay, the record that
//! is to be protected must change a key, others at risk too, and as few values as possible
//! are to change.

use super::search::{LINKING, MoveSearch, Wishes};
use super::space::Space;
use super::{Found, Kind, TableMove};
use crate::encode::{Layout, Mask};
use crate::random::Random;
use crate::table::CellId;
use crate::varset::VarSet;

/// An assignment of more records than this is not looked for.
const MOST_ASSIGNED: usize = 16;

/// The most choices of records tried for a move in a piece.
const TRIES: usize = 4;

/// The most ways in which parts are dealt out for one choice of records, until the wishes are met.
const DEALINGS: usize = 400;

/// Who asks for what.
#[derive(Clone, Copy)]
pub(super) struct Asked<'q> {
    pub(super) search: &'q MoveSearch<'q>,
    pub(super) wishes: &'q dyn Wishes,
    /// The cell that a record is to leave.
    pub(super) cell: CellId,
}

/// The move of whole records that a move in a piece comes from; `None` when a wish is against it.
///
/// `removed` are cells of the piece, the first is that of the protected cell. What it takes is
/// added to `units`.
pub(super) fn lift(
    asked: Asked<'_>,
    space: &Space<'_>,
    removed: &[u32],
    added: &[Vec<u64>],
    kind: Kind,
    random: &mut Random,
    units: &mut u64,
) -> Option<Found> {
    let Asked { search, wishes, .. } = asked;
    // A cell of a piece may come from several of the file, and other ones may do.
    let tries = if space.is_whole() { 1 } else { TRIES };
    (0..tries).find_map(|_| {
        *units += LINKING;
        let cells = choose_cells(asked, space, removed, random)?;
        let file = search.joint().cells();
        let layout = file.layout();
        let left: Vec<&[u64]> = cells.iter().map(|cell| file.get(cell.position())).collect();
        let added = if space.is_whole() {
            added.iter().all(|cell| wishes.may_make(cell)).then(|| added.to_vec())?
        } else {
            fill(asked, space, &left, added, random, units)?
        };
        *units += work_of_assignment(left.len());
        let takes = assign(layout, wishes, &cells, &left, &added, random)?;
        let removed = left.iter().map(|cell| cell.to_vec()).collect();
        let table_move = TableMove::new(layout, search.class(), removed, added)?;
        Some(Found { table_move, cells, takes, kind: kind.clone() })
    })
}

/// A cell of the file for each cell of the piece, with a record that may take part.
fn choose_cells(
    asked: Asked<'_>,
    space: &Space<'_>,
    removed: &[u32],
    random: &mut Random,
) -> Option<Vec<CellId>> {
    let Asked { search, wishes, cell: own } = asked;
    let file = search.joint().cells();
    let agree = file.layout().mask(wishes.agree());
    let middle = file.get(own.position());
    let mut chosen = vec![own];
    for &position in &removed[1..] {
        let fits = |cell: &CellId| {
            let taken = chosen.iter().filter(|other| *other == cell).count();
            wishes.free(*cell) as usize > taken && !agree.parts(middle, file.get(cell.position()))
        };
        let cell = if space.is_whole() {
            Some(CellId(position)).filter(fits)
        } else {
            let fitting: Vec<CellId> =
                space.cells_of_file(position as usize).filter(fits).collect();
            (!fitting.is_empty()).then(|| fitting[random.below(fitting.len())])
        }?;
        chosen.push(cell);
    }
    Some(chosen)
}

/// The whole cells for those of a piece: what the records have outside is dealt out.
fn fill(
    asked: Asked<'_>,
    space: &Space<'_>,
    left: &[&[u64]],
    added: &[Vec<u64>],
    random: &mut Random,
    units: &mut u64,
) -> Option<Vec<Vec<u64>>> {
    let Asked { search, wishes, .. } = asked;
    let layout = search.joint().cells().layout();
    let inside = space.class.delta();
    // As much as possible stays with the record that would take the cell.
    *units += work_of_assignment(left.len());
    let takes = assign_by(left, added, random, |_, left, right| {
        Some((layout.differing(left, right) & inside).len() as u64)
    })?;
    let mut owner = vec![0; added.len()];
    for (record, slot) in takes.into_iter().enumerate() {
        owner[slot] = record;
    }
    let components = search.graph().components(search.class().delta() - inside);
    let mut dealing = Dealing {
        wishes,
        left,
        owner,
        outside: components
            .iter()
            .map(|&component| {
                let touched = layout.mask(search.graph().neighbourhood(component));
                (touched, layout.mask(component), vec![false; left.len()])
            })
            .collect(),
        cells: added.to_vec(),
        steps: DEALINGS,
    };
    let is_dealt = dealing.deal(0, 0);
    *units += (DEALINGS - dealing.steps) as u64 * LINKING;
    is_dealt.then_some(dealing.cells)
}

/// Cells that are filled one after the other, one component outside after the other.
struct Dealing<'d> {
    wishes: &'d dyn Wishes,
    left: &'d [&'d [u64]],
    /// The record that each cell would be taken by.
    owner: Vec<usize>,
    /// For each component outside: what it touches, itself, and which records have given
    /// their part of it.
    outside: Vec<(Mask, Mask, Vec<bool>)>,
    cells: Vec<Vec<u64>>,
    steps: usize,
}

impl Dealing<'_> {
    fn deal(&mut self, slot: usize, component: usize) -> bool {
        if slot == self.cells.len() {
            return true;
        }
        if component == self.outside.len() {
            return self.wishes.may_make(&self.cells[slot]) && self.deal(slot + 1, 0);
        }
        let own = self.owner[slot];
        for donor in std::iter::once(own).chain((0..self.left.len()).filter(|&r| r != own)) {
            let (touched, within, given) = &mut self.outside[component];
            if given[donor] || touched.parts(self.left[donor], &self.cells[slot]) {
                continue;
            }
            if self.steps == 0 {
                return false;
            }
            self.steps -= 1;
            given[donor] = true;
            let parts = self.cells[slot].iter_mut().zip(within.words()).zip(self.left[donor]);
            for ((word, mask), donor) in parts {
                *word = (*word & !mask) | (donor & mask);
            }
            if self.deal(slot, component + 1) {
                return true;
            }
            self.outside[component].2[donor] = false;
        }
        false
    }
}

/// The units of work of an assignment of this many records.
fn work_of_assignment(records: usize) -> u64 {
    (records << records.min(MOST_ASSIGNED)) as u64 / 4
}

/// Which new cell each record takes; `None` when the wishes allow no assignment.
fn assign(
    layout: &Layout,
    wishes: &dyn Wishes,
    cells: &[CellId],
    left: &[&[u64]],
    added: &[Vec<u64>],
    random: &mut Random,
) -> Option<Vec<usize>> {
    assign_by(left, added, random, |record, old, new| {
        let differing = layout.differing(old, new);
        if differing.meets(&wishes.staying()) {
            return None;
        }
        let same_keys = !differing.meets(&wishes.keys());
        if same_keys && (record == 0 || wishes.wants_out(cells[record])) {
            return None;
        }
        Some(differing.len() as u64)
    })
}

/// The cheapest assignment, over all subsets of the new cells; chance decides between equals.
fn assign_by(
    left: &[&[u64]],
    added: &[Vec<u64>],
    random: &mut Random,
    cost: impl Fn(usize, &[u64], &[u64]) -> Option<u64>,
) -> Option<Vec<usize>> {
    let count = left.len();
    if count > MOST_ASSIGNED || added.len() != count {
        return None;
    }
    let costs: Vec<Vec<Option<u64>>> = left
        .iter()
        .enumerate()
        .map(|(record, old)| added.iter().map(|new| cost(record, old, new)).collect())
        .collect();
    let chances: Vec<u64> = (0..count * count).map(|_| random.bits()).collect();
    // best[taken]: the first records take just these cells; with the cell of the last one.
    let mut best: Vec<Option<(u64, usize)>> = vec![None; 1 << count];
    best[0] = Some((0, 0));
    for taken in 1usize..1 << count {
        let record = taken.count_ones() as usize - 1;
        best[taken] = (0..count)
            .filter(|&slot| taken >> slot & 1 == 1)
            .filter_map(|slot| {
                let (before, _) = best[taken & !(1 << slot)]?;
                Some((before + costs[record][slot]?, slot))
            })
            .min_by_key(|&(cost, slot)| (cost, chances[record * count + slot]));
    }
    let mut taken = (1usize << count) - 1;
    best[taken]?;
    let mut takes = vec![0; count];
    for record in (0..count).rev() {
        let (_, slot) = best[taken].expect("a way leads to every assignment that was found");
        takes[record] = slot;
        taken &= !(1 << slot);
    }
    Some(takes)
}

/// For each variable that changes, from which record each record takes its value: the
/// records of a group before and after, as positions in the group.
///
/// A record that keeps its value takes it from itself.
///
/// Law: `values-only-change-places`.
///
/// # Panics
/// When the values of a variable do not only change places.
#[must_use]
pub fn sources(layout: &Layout, before: &[&[u64]], after: &[Vec<u64>]) -> Vec<(usize, Vec<usize>)> {
    let mut changed = VarSet::EMPTY;
    for (old, new) in before.iter().zip(after) {
        changed |= layout.differing(old, new);
    }
    let places = 0..before.len();
    changed
        .iter()
        .map(|variable| {
            let old: Vec<u32> = before.iter().map(|cell| layout.code(cell, variable)).collect();
            let new: Vec<u32> = after.iter().map(|cell| layout.code(cell, variable)).collect();
            let mut donors: Vec<usize> =
                places.clone().filter(|&place| old[place] != new[place]).collect();
            let from = places
                .clone()
                .map(|place| {
                    if old[place] == new[place] {
                        return place;
                    }
                    let donor = donors
                        .iter()
                        .position(|&donor| old[donor] == new[place])
                        .expect("the values of a variable only change places");
                    donors.remove(donor)
                })
                .collect();
            (variable, from)
        })
        .collect()
}

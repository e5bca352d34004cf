//! Who is hidden, counted again from a whole plan.
//!
//! Nothing of the search is used: the people are counted by every piece of their keys in the file
//! that the plan makes, and each person at risk is judged by the records that hold their values
//! in the end. In a swap of more than two records every one of them may.

use rayon::prelude::*;

use super::super::judge::Change;
use super::super::{CellPlan, Intruder, Plan};
use super::pieces::Turn;
use super::{Demand, Hidden, Watch, people_at_risk, prevented_by, watches};
use crate::encode::{PackedCells, RecordId};
use crate::graph::GeneratingClass;
use crate::partner::swap::exchange;
use crate::plan::Taken;
use crate::table::{CellId, JointTable, Located};
use crate::varset::VarSet;

/// A file, what is kept of it, and from whom people are to be hidden.
#[derive(Debug, Clone, Copy)]
pub struct ToHide<'a> {
    /// The cells.
    pub joint: &'a JointTable,
    /// What must be kept.
    pub class: &'a GeneratingClass,
    /// The intruders.
    pub intruders: &'a [Intruder<'a>],
    /// How many records of each cell are at risk from some intruder.
    pub at_risk: &'a [u32],
    /// How many people share each piece of the keys of somebody who is hidden.
    pub crowd: u32,
}

/// Records that exchange values among each other, and what they get.
struct Exchange {
    members: Vec<Taken>,
    new: Vec<Vec<u64>>,
}

impl ToHide<'_> {
    /// What a plan on cells does for each cell with somebody at risk.
    ///
    /// Law: `hidden-by-definition`.
    #[must_use]
    pub fn hidden_by_cells(&self, plan: &CellPlan) -> Vec<Hidden> {
        let cells = self.joint.cells();
        let swaps = plan.swaps().par_iter().map(|swap| {
            let members = vec![swap.left, swap.right];
            let [left, right] = [0, 1].map(|side: usize| cells.get(members[side].cell.position()));
            let new = exchange(cells.layout(), left, right, swap.exchanged);
            Exchange { members, new: vec![new.0, new.1] }
        });
        let groups = plan.groups().par_iter().map(|group| Exchange {
            members: group.members().to_vec(),
            new: group.after(self.joint),
        });
        self.hidden_by(&swaps.chain(groups).collect::<Vec<_>>())
    }

    /// What a plan over the columns of a file does for each cell with somebody at risk, where it
    /// gives these records these cells (see [`replaced_cells`](crate::swap::replaced_cells)); `risky`
    /// says of each record of the file whether it is at risk.
    ///
    /// Law: `a-plan-hides-whom-its-cells-hide`.
    #[must_use]
    pub fn hidden_by_plan(
        &self,
        plan: &Plan,
        (replaced, new): (&[RecordId], &PackedCells),
        (located, risky): (&Located, &[bool]),
    ) -> Vec<Hidden> {
        let taken = |record: &RecordId| Taken {
            cell: located.cell_of(*record),
            at_risk: risky[record.position()],
        };
        let sizes = plan.swaps().iter().map(|_| 2);
        let sizes = sizes.chain(plan.groups().iter().map(|group| group.records.len()));
        let mut first = 0;
        let exchanges: Vec<Exchange> = sizes
            .map(|size| {
                let own = first..first + size;
                first += size;
                Exchange {
                    members: replaced[own.clone()].iter().map(taken).collect(),
                    new: own.map(|place| new.get(place).to_vec()).collect(),
                }
            })
            .collect();
        self.hidden_by(&exchanges)
    }

    fn hidden_by(&self, exchanges: &[Exchange]) -> Vec<Hidden> {
        let cells = self.joint.cells();
        let layout = cells.layout();
        let mut watches = watches(self.joint, self.intruders, self.crowd);
        watches.par_iter_mut().filter_map(|watch| watch.pieces.as_mut()).for_each(|pieces| {
            for one in exchanges {
                let old = one.members.iter().map(|taken| (cells.get(taken.cell.position()), 0));
                let turn = Turn {
                    gone: pieces.names.people(layout, old),
                    come: pieces
                        .names
                        .people(layout, one.new.iter().map(|new| (new.as_slice(), 0))),
                };
                pieces.count_turn(&turn, Change::Made);
            }
        });
        let mut rows: Vec<[u32; 2]> = vec![[0; 2]; self.joint.len()];
        let served: Vec<(CellId, Option<usize>)> = exchanges
            .par_iter()
            .flat_map_iter(|one| one.members.iter().map(move |taken| (one, taken)))
            .filter(|(_, taken)| taken.at_risk)
            .map(|(one, taken)| (taken.cell, self.served(&watches, one, *taken)))
            .collect();
        for (cell, how) in served {
            how.into_iter().for_each(|how| rows[cell.position()][how] += 1);
        }
        let rows = rows.into_par_iter().enumerate().filter(|(cell, _)| self.at_risk[*cell] > 0);
        rows.map(|(cell, [hidden, replaced])| {
            let left = self.at_risk[cell] - hidden - replaced;
            let why = || prevented_by(&watches, self.joint, self.class, cell);
            let prevented_by = (left > 0).then(why).flatten().map(|(table, _)| table);
            Hidden { cell: CellId::at(cell), hidden, replaced, left, prevented_by }
        })
        .collect()
    }

    /// Is everybody at risk of one of the records hidden: 0 blindly, 1 because values were replaced?
    fn served(&self, watches: &[Watch<'_>], exchange: &Exchange, taken: Taken) -> Option<usize> {
        let cells = self.joint.cells();
        let layout = cells.layout();
        let own = cells.get(taken.cell.position());
        let others = exchange.members.iter().map(|other| cells.get(other.cell.position()));
        let differing = others.fold(VarSet::EMPTY, |all, other| all | layout.differing(own, other));
        let people = people_at_risk(watches, self.joint, taken.cell.position());
        [Demand::Hidden, Demand::Detached].into_iter().position(|demand| {
            people.iter().all(|&person| {
                let watch = &watches[person.watch];
                let crowded = |part, name| {
                    let pieces = watch.pieces.as_ref();
                    pieces.is_some_and(|pieces| pieces.is_crowded(part, name))
                };
                watch.is_hidden(layout, own, &exchange.new, person, differing, demand, crowded)
            })
        })
    }
}

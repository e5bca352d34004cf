//! Who is hidden, counted again from a whole plan.
//!
//! Nothing of the search is used: the people are counted by every piece of their keys in the file
//! that the plan makes, and each person at risk is judged by the records that hold their values
//! in the end. In a swap of more than two records every one of them may.

use rayon::prelude::*;

use super::super::{CellPlan, Task};
use super::pieces::Pieces;
use super::{Demand, Hidden, Watch, people_at_risk, prevented_by, watches};
use crate::encode::Layout;
use crate::partner::swap::exchange;
use crate::plan::Taken;
use crate::table::CellId;
use crate::varset::VarSet;

/// Records that exchange values among each other, and what they get.
struct Exchange {
    members: Vec<Taken>,
    new: Vec<Vec<u64>>,
}

/// What a plan does for each cell with somebody at risk.
///
/// Law: `hidden-by-definition`.
pub(in crate::plan) fn hidden_by(task: Task<'_>, crowd: u32, plan: &CellPlan) -> Vec<Hidden> {
    let cells = task.joint.cells();
    let layout = cells.layout();
    let swaps = plan.swaps().par_iter().map(|swap| {
        let members = vec![swap.left, swap.right];
        let [left, right] = [0, 1].map(|side: usize| cells.get(members[side].cell.position()));
        let new = exchange(layout, left, right, swap.exchanged);
        Exchange { members, new: vec![new.0, new.1] }
    });
    let groups = plan
        .groups()
        .par_iter()
        .map(|group| Exchange { members: group.members().to_vec(), new: group.after(task.joint) });
    let exchanges: Vec<Exchange> = swaps.chain(groups).collect();
    let mut watches = watches(task.joint, task.intruders, crowd);
    watches.par_iter_mut().filter_map(|watch| watch.pieces.as_mut()).for_each(|pieces| {
        for one in &exchanges {
            let old = one.members.iter().map(|taken| cells.get(taken.cell.position()));
            old.for_each(|words| count(pieces, layout, words, false));
            one.new.iter().for_each(|words| count(pieces, layout, words, true));
        }
    });
    let mut rows: Vec<[u32; 2]> = vec![[0; 2]; task.joint.len()];
    let served: Vec<(CellId, Option<usize>)> = exchanges
        .par_iter()
        .flat_map_iter(|one| one.members.iter().map(move |taken| (one, taken)))
        .filter(|(_, taken)| taken.at_risk)
        .map(|(one, taken)| (taken.cell, served(&watches, task, one, *taken)))
        .collect();
    for (cell, how) in served {
        how.into_iter().for_each(|how| rows[cell.position()][how] += 1);
    }
    let rows = rows.into_par_iter().enumerate().filter(|(cell, _)| task.at_risk[*cell] > 0);
    rows.map(|(cell, [hidden, replaced])| {
        let left = task.at_risk[cell] - hidden - replaced;
        let prevented_by = (left > 0).then(|| prevented_by(&watches, task, cell)).flatten();
        Hidden { cell: CellId::at(cell), hidden, replaced, left, prevented_by }
    })
    .collect()
}

fn count(pieces: &mut Pieces<'_>, layout: &Layout, words: &[u64], comes: bool) {
    let mut people = Vec::new();
    pieces.names.each(layout, words, |name| people.push(name));
    people.into_iter().for_each(|name| pieces.change(name, 0, comes));
}

/// Is everybody at risk of one of the records hidden: 0 blindly, 1 because values were replaced?
fn served(
    watches: &[Watch<'_>],
    task: Task<'_>,
    exchange: &Exchange,
    taken: Taken,
) -> Option<usize> {
    let cells = task.joint.cells();
    let layout = cells.layout();
    let own = cells.get(taken.cell.position());
    let others = exchange.members.iter().map(|other| cells.get(other.cell.position()));
    let differing = others.fold(VarSet::EMPTY, |all, other| all | layout.differing(own, other));
    let people = people_at_risk(watches, task.joint, taken.cell.position());
    [Demand::Hidden, Demand::Detached].into_iter().position(|demand| {
        people.iter().all(|&person| {
            let watch = &watches[person.watch];
            watch.is_hidden(layout, own, &exchange.new, person, differing, demand)
        })
    })
}

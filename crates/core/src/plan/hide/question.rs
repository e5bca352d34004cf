//! Can one person be hidden? Asked for everybody alone, in the file as it is.
//!
//! Three answers, which are never mixed: an exchange that hides them; a kept table that prevents
//! it; or that none was found among the partners that were looked at.

use super::super::{Planner, Task};
use super::look::{Depth, Look};
use super::{Demand, Grade, Hiding, prevented_by};
use crate::random::Seed;
use crate::table::CellId;
use crate::varset::VarSet;

/// Whether the people at risk of a cell can be hidden by an exchange of two records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CanBeHidden {
    /// This exchange hides them.
    By {
        /// The cell of the partner.
        partner: CellId,
        /// What is exchanged.
        exchanged: VarSet,
        /// Can their keys not be cut, so that sensitive values are replaced?
        is_replaced: bool,
    },
    /// This kept table holds a piece of their keys that few share and that no exchange can cut.
    Prevented {
        /// The table.
        table: VarSet,
        /// The keys of the piece: more people share what is left without any of them.
        keys: VarSet,
    },
    /// No exchange was found.
    NotFound,
}

/// Whether the people at risk of each of these cells can be hidden, each asked for alone.
///
/// Law: `can-be-hidden-by-definition`.
#[must_use]
pub fn can_be_hidden(task: Task<'_>, crowd: u32, cells: &[CellId], seed: Seed) -> Vec<CanBeHidden> {
    let graph = task.class.margin_graph();
    let mut planner = Planner::new(task, &graph, seed);
    let mut hiding = Hiding::new(&mut planner, crowd);
    let together = hiding.planner.effort.looks();
    let mut answers = vec![CanBeHidden::NotFound; cells.len()];
    // Who finds nobody among some partners looks at as many as the work allows.
    for (depth, &agree) in [Depth::Some, Depth::Most]
        .into_iter()
        .flat_map(|depth| task.constraints.matches.iter().map(move |agree| (depth, agree)))
    {
        let open: Vec<usize> =
            (0..cells.len()).filter(|&one| answers[one] == CanBeHidden::NotFound).collect();
        let asked: Vec<u32> = open.iter().map(|&one| cells[one].0).collect();
        let look = Look { agree, last: Grade::last(task), depth };
        let slices = hiding.slices(look);
        let found = hiding.look(&slices, &asked, depth.looks(asked.len(), together), look, 0);
        for (one, candidates) in open.into_iter().zip(found) {
            if let Some(by) = candidates.first() {
                let (partner, exchanged) = (CellId(by.partner), by.exchanged);
                let is_replaced = by.grade.demand != Demand::Hidden;
                answers[one] = CanBeHidden::By { partner, exchanged, is_replaced };
            }
        }
    }
    for (answer, cell) in answers.iter_mut().zip(cells) {
        if *answer == CanBeHidden::NotFound {
            let by = prevented_by(&hiding.watches, task.joint, task.class, cell.position());
            *answer = by.map_or(*answer, |(table, keys)| CanBeHidden::Prevented { table, keys });
        }
    }
    answers
}

//! Can one person be hidden? Asked for everybody alone, in the file as it is.
//!
//! Three answers, which are never mixed: an exchange that hides them; a kept table that prevents
//! it; or that none was found among the partners that were looked at.

use super::super::{Planner, Task};
use super::look::{Depth, Look};
use super::{Demand, Hiding, NewPairs, prevented_by};
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
    },
    /// This kept table holds a piece of their keys that few share and that no exchange can cut.
    Prevented {
        /// The table.
        table: VarSet,
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
    let mut answers = vec![CanBeHidden::NotFound; cells.len()];
    for &new_pairs in NewPairs::in_turn(task) {
        for demand in [Demand::Hidden, Demand::Detached] {
            for &agree in &task.constraints.matches {
                let open: Vec<usize> =
                    (0..cells.len()).filter(|&one| answers[one] == CanBeHidden::NotFound).collect();
                let look = Look { demand, new_pairs, agree, depth: Depth::Most };
                let slices = hiding.slices(look);
                let asked: Vec<u32> = open.iter().map(|&one| cells[one].0).collect();
                let found = hiding.look(&slices, &asked, asked.len(), look, 0);
                for (one, candidates) in open.into_iter().zip(found) {
                    let cell = cells[one].position();
                    let served = candidates.iter().find(|candidate| {
                        let accepted = hiding.make(cell, candidate, look);
                        if accepted {
                            hiding.undo(hiding.made.len() - 1);
                            hiding.made.pop();
                        }
                        accepted
                    });
                    if let Some(by) = served {
                        let (partner, exchanged) = (CellId(by.partner), by.exchanged);
                        answers[one] = CanBeHidden::By { partner, exchanged };
                    } else if let Some(table) =
                        prevented_by(&hiding.watches, task.joint, task.class, cell)
                    {
                        answers[one] = CanBeHidden::Prevented { table };
                    }
                }
            }
        }
    }
    answers
}

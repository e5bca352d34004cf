//! Whom a swap of more than two records would part from their keys.
//!
//! Each cell is asked for by itself, on the file as it is: nothing is taken by anybody else.
//! A swap counts when a plan could hold it: no record comes to have the keys of anybody at
//! risk, and every constraint but the budget is respected.
//!
//! Edge case: two people may need the same helper, so a plan may part fewer than were found
//! here one at a time. That no swap was found is no proof that there is none.
//!
//! Way in: [`freed_by_larger`].

use rayon::prelude::*;

use super::combinations::Combinations;
use super::effort::{Effort, Level, Search};
use super::groups::{Rules, Snapshot};
use super::{Constraints, Intruder, Larger};
use crate::moves::{Answer, Limits};
use crate::partner::seen::Seen;
use crate::random::{Random, Seed};
use crate::table::CellId;
use crate::varset::VarSet;

/// For each of these cells, how many records the smallest swap takes that was found to part
/// its people at risk from their keys; `None` when none was found. The same question has the
/// same answer.
///
/// Law: `freed-is-parted`.
#[must_use]
pub fn freed_by_larger(
    larger: Larger<'_>,
    intruders: &[Intruder<'_>],
    constraints: &Constraints,
    staying: VarSet,
    asked: &[CellId],
) -> Vec<Option<usize>> {
    let joint = larger.search.joint();
    let combinations: Vec<Combinations<'_>> = intruders
        .iter()
        .map(|intruder| Combinations::new(joint, intruder.keys, intruder.at_risk, |_| true))
        .collect();
    let seen = Seen::new(joint);
    let at_risk: Vec<bool> = (0..joint.len())
        .map(|cell| intruders.iter().any(|intruder| intruder.at_risk[cell] > 0))
        .collect();
    let all_keys = intruders.iter().fold(VarSet::EMPTY, |all, intruder| all | intruder.keys);
    let wishes: Vec<Snapshot<'_>> = constraints
        .matches
        .iter()
        .map(|&agree| Snapshot {
            rules: Rules {
                combinations: &combinations,
                constraints,
                seen: &seen,
                layout: joint.cells().layout(),
                all: larger.search.class().delta(),
                keys: all_keys,
                staying,
                agree,
            },
            free: joint.counts(),
            open: &at_risk,
        })
        .collect();
    let variables = larger.search.class().delta().len();
    let effort = Effort::new(Level::Normal, joint.records(), variables, asked.len() as u64);
    let steps = effort.steps_of_a_question(Search::Larger, joint.len(), asked.len());
    let limits = Limits { records: larger.records, steps: steps.steps, linking: steps.linked };
    let smallest = |&cell: &CellId| {
        let found = wishes.iter().filter_map(|wishes| {
            let mut random = Random::new(Seed([0; 32]), cell.position() as u64);
            match larger.search.answer(cell, wishes, limits, &mut random) {
                Answer::Possible(found) => Some(found.cells.len()),
                Answer::Impossible(_) | Answer::NotFound(_) => None,
            }
        });
        found.min()
    };
    asked.par_iter().map(smallest).collect()
}

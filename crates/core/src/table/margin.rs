//! A marginal table n_D: the records that share their values on the margin D.
//!
//! Only cells with records are held. Slow twin: [`crate::oracle::World::margin_table`].

use super::{CellId, Grouping, JointTable};
use crate::varset::VarSet;

/// n_D, with the way from each joint cell to its marginal cell.
#[derive(Debug, Clone)]
pub struct MarginTable {
    margin: VarSet,
    grouping: Grouping,
    counts: Vec<u64>,
}

impl MarginTable {
    /// Counts the D-marginal of the joint table. The empty margin has one cell: all records.
    ///
    /// Law: `margin-tables-count`.
    #[must_use]
    pub fn count(joint: &JointTable, margin: VarSet) -> Self {
        let grouping = Grouping::of(joint.cells(), margin);
        let mut counts = vec![0u64; grouping.groups()];
        for (&group, &count) in grouping.group_of().iter().zip(joint.counts()) {
            counts[group as usize] += u64::from(count);
        }
        Self { margin, grouping, counts }
    }

    /// D.
    #[must_use]
    pub fn margin(&self) -> VarSet {
        self.margin
    }

    /// n_D(i_D), for the marginal cell that the joint cell i falls into.
    #[must_use]
    pub fn n(&self, cell: CellId) -> u64 {
        self.counts[self.grouping.group_of()[cell.position()] as usize]
    }

    /// The counts of all marginal cells, in the order of their first joint cell.
    #[must_use]
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// For each joint cell the number of its marginal cell.
    #[must_use]
    pub fn marginal_cells(&self) -> &[u32] {
        self.grouping.group_of()
    }

    /// How many marginal cells hold a record.
    #[must_use]
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Does no cell hold a record?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }
}

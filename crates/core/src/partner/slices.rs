//! The cells of a file, sorted into the slices of one separator.
//!
//! A slice holds the cells that agree on S. Every partner through S of a cell is in the cell's
//! own slice, so this is the index that keeps a search from comparing all pairs. Where
//! only some variables count as different, so do only these parts of the components.

use crate::encode::Mask;
use crate::table::{Grouping, JointTable};
use crate::varset::VarSet;

/// The slices of a separator.
pub(crate) struct Slices<'a> {
    joint: &'a JointTable,
    masks: Vec<Mask>,
    slice_of: Vec<u32>,
    members: Vec<u32>,
    starts: Vec<usize>,
}

impl<'a> Slices<'a> {
    /// Sorts all cells once by these variables; cells differ where they differ on these parts
    /// of the separator's components.
    pub(crate) fn on(joint: &'a JointTable, agree: VarSet, sides: &[VarSet]) -> Self {
        let layout = joint.cells().layout();
        let grouping = Grouping::of(joint.cells(), agree);
        let (members, starts) = grouping.sorted();
        Self {
            joint,
            masks: sides.iter().map(|side| layout.mask(*side)).collect(),
            slice_of: grouping.into_group_of(),
            members,
            starts,
        }
    }

    pub(crate) fn joint(&self) -> &'a JointTable {
        self.joint
    }

    /// How many slices there are.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The number of a cell's slice.
    pub(crate) fn slice_of(&self, cell: usize) -> usize {
        self.slice_of[cell] as usize
    }

    /// The cells of a cell's slice.
    pub(crate) fn around(&self, cell: u32) -> &[u32] {
        self.slice(self.slice_of(cell as usize))
    }

    /// The cells of a slice.
    pub(crate) fn slice(&self, number: usize) -> &[u32] {
        &self.members[self.starts[number]..self.starts[number + 1]]
    }

    /// Do two cells of one slice differ on two sides?
    pub(crate) fn are_diagonal(&self, left: &[u64], right: &[u64]) -> bool {
        self.masks.iter().filter(|mask| mask.parts(left, right)).nth(1).is_some()
    }
}

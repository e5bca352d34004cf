//! Records whose combination of keys is rare.
//!
//! The keys are what an intruder may know of a person. A record is at risk when fewer than
//! k records share its values on the keys; with k = 2 these are the sample uniques on the
//! keys.

use crate::table::{CellId, JointTable, MarginTable};
use crate::varset::VarSet;

/// For each cell: do fewer than `k` records share its values on the keys?
///
/// Law: `rare-on-the-keys`.
#[must_use]
pub fn rare_cells(joint: &JointTable, keys: VarSet, k: u64) -> Vec<bool> {
    let layout = joint.cells().layout();
    if layout.is_covered_by(&layout.mask(keys)) {
        // All variables: every cell is another combination.
        return joint.counts().iter().map(|&records| u64::from(records) < k).collect();
    }
    let table = MarginTable::count(joint, keys);
    (0..joint.len()).map(|cell| table.n(CellId::at(cell)) < k).collect()
}

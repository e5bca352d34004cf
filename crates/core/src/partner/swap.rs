//! The exchange itself: E-swapping of two cells, and the move it makes on the table.
//!
//! A swap acts on records, a move on cells. An effective swap is a primitive move (+1 +1
//! −1 −1 on four cells), and a primitive move for 𝒟 is a swap, as the paper's appendix
//! shows.
//!
//! Trap: the converse needs every variable to be in some table. For an uncovered
//! variable a primitive move may bring in a value that neither record had; no swap does
//! that, and [`PrimitiveMove::exchanged`] answers `None`.

use super::pair;
use crate::encode::{Layout, RecordId};
use crate::varset::VarSet;

/// An exchange of the values on E between two records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Swap {
    /// The first record, the paper's i.
    pub left: RecordId,
    /// The second record, j.
    pub right: RecordId,
    /// E.
    pub exchanged: VarSet,
}

/// E-swapping of two packed cells: {(i_E, i_Eᶜ), (j_E, j_Eᶜ)} → {(j_E, i_Eᶜ), (i_E, j_Eᶜ)}.
///
/// Law: `swapping-by-definition`.
#[must_use]
pub fn exchange(
    layout: &Layout,
    left: &[u64],
    right: &[u64],
    exchanged: VarSet,
) -> (Vec<u64>, Vec<u64>) {
    let mask = layout.mask(exchanged);
    let take = |stays: &[u64], comes: &[u64]| {
        mask.words()
            .iter()
            .zip(stays.iter().zip(comes))
            .map(|(mask, (stays, comes))| (stays & !mask) | (comes & mask))
            .collect()
    };
    (take(left, right), take(right, left))
}

/// As [`exchange`], into words of the caller's: two new cells, one after the other. Searches
/// ask for many exchanges and keep none.
pub(crate) fn exchange_into(
    layout: &Layout,
    left: &[u64],
    right: &[u64],
    exchanged: VarSet,
    new: &mut [u64],
) {
    new.fill(0);
    let (new_left, new_right) = new.split_at_mut(layout.words());
    layout.add_mask(exchanged, new_left);
    for (position, (&left, &right)) in left.iter().zip(right).enumerate() {
        let mask = new_left[position];
        new_left[position] = (left & !mask) | (right & mask);
        new_right[position] = (right & !mask) | (left & mask);
    }
}

/// Two cells lose a record, two others gain one; the four are different.
#[derive(Clone, PartialEq, Eq)]
pub struct PrimitiveMove {
    removed: [Vec<u64>; 2],
    added: [Vec<u64>; 2],
}

impl PrimitiveMove {
    /// The move that an E-swapping makes; `None` when the swapping has no effect.
    ///
    /// Law: `a-swap-is-a-primitive-move`.
    #[must_use]
    pub fn of_swap(
        layout: &Layout,
        left: &[u64],
        right: &[u64],
        exchanged: VarSet,
    ) -> Option<Self> {
        let differing = layout.differing(left, right);
        pair::is_effective(differing, exchanged).then(|| {
            let (new_left, new_right) = exchange(layout, left, right, exchanged);
            Self { removed: [left.to_vec(), right.to_vec()], added: [new_left, new_right] }
        })
    }

    /// The move from two cells to two others; `None` unless all four are different.
    #[must_use]
    pub fn new(removed: [Vec<u64>; 2], added: [Vec<u64>; 2]) -> Option<Self> {
        let distinct = removed[0] != removed[1]
            && added[0] != added[1]
            && removed.iter().all(|cell| !added.contains(cell));
        distinct.then_some(Self { removed, added })
    }

    /// The cells that lose a record.
    #[must_use]
    pub fn removed(&self) -> &[Vec<u64>; 2] {
        &self.removed
    }

    /// The cells that gain one.
    #[must_use]
    pub fn added(&self) -> &[Vec<u64>; 2] {
        &self.added
    }

    /// The appendix's converse: E = {m : i′_m = j_m} with Δ̄, when the move is a swap of its
    /// two removed cells; `None` when a value comes from neither.
    ///
    /// Law: `a-primitive-move-is-a-swap`.
    #[must_use]
    pub fn exchanged(&self, layout: &Layout) -> Option<VarSet> {
        let [left, right] = &self.removed;
        let [new_left, new_right] = &self.added;
        let changed = layout.differing(left, new_left);
        let (swapped_left, swapped_right) = exchange(layout, left, right, changed);
        (&swapped_left == new_left && &swapped_right == new_right).then_some(changed)
    }
}

impl std::fmt::Debug for PrimitiveMove {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("PrimitiveMove(two cells to two cells)")
    }
}

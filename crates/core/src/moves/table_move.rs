//! A move of degree m: m cells lose a record, m others gain one, every table stays.
//!
//! Trap: it is not enough that the margin graph is respected. The constructor counts the
//! projections of both sides to every D ∈ 𝒟, and to every single variable: the values of an
//! uncovered variable only change places too, so that a move can be made by exchanging
//! values between its records.

use std::fmt;

use crate::encode::Layout;
use crate::graph::GeneratingClass;
use crate::varset::VarSet;

/// Cells that lose a record and as many that gain one. Only a constructor that counts every
/// kept table makes one.
#[derive(Clone, PartialEq, Eq)]
pub struct TableMove {
    removed: Vec<Vec<u64>>,
    added: Vec<Vec<u64>>,
}

impl TableMove {
    /// The move from these cells to those; `None` when a kept table or a variable's own
    /// counts would change, when a cell is on both sides, or when nothing moves.
    ///
    /// Law: `a-move-keeps-every-table`.
    #[must_use]
    pub fn new(
        layout: &Layout,
        class: &GeneratingClass,
        removed: Vec<Vec<u64>>,
        added: Vec<Vec<u64>>,
    ) -> Option<Self> {
        let shares_a_cell = removed.iter().any(|cell| added.contains(cell));
        if removed.is_empty() || removed.len() != added.len() || shares_a_cell {
            return None;
        }
        let single = class.uncovered().iter().map(VarSet::single);
        let mut kept = class.margins().iter().copied().chain(single);
        kept.all(|margin| agrees(layout, margin, &removed, &added))
            .then_some(Self { removed, added })
    }

    /// The cells that lose a record; one that loses two is there twice.
    #[must_use]
    pub fn removed(&self) -> &[Vec<u64>] {
        &self.removed
    }

    /// The cells that gain one.
    #[must_use]
    pub fn added(&self) -> &[Vec<u64>] {
        &self.added
    }

    /// m: how many records take part.
    #[must_use]
    pub fn degree(&self) -> usize {
        self.removed.len()
    }

    /// The variables in which its cells are not all the same.
    #[must_use]
    pub fn variables(&self, layout: &Layout) -> VarSet {
        self.removed[1..]
            .iter()
            .chain(&self.added)
            .fold(VarSet::EMPTY, |all, cell| all | layout.differing(&self.removed[0], cell))
    }

    /// Is a table over these variables the same after the move?
    #[must_use]
    pub fn keeps(&self, layout: &Layout, table: VarSet) -> bool {
        agrees(layout, table, &self.removed, &self.added)
    }
}

impl fmt::Debug for TableMove {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "TableMove(of {} records)", self.degree())
    }
}

/// Have both lists the same cells of a table, each as often?
fn agrees(layout: &Layout, table: VarSet, left: &[Vec<u64>], right: &[Vec<u64>]) -> bool {
    let mask = layout.mask(table);
    let project = |cells: &[Vec<u64>]| {
        let mut projected: Vec<Vec<u64>> = cells
            .iter()
            .map(|cell| cell.iter().zip(mask.words()).map(|(word, mask)| word & mask).collect())
            .collect();
        projected.sort_unstable();
        projected
    };
    project(left) == project(right)
}

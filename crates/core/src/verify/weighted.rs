//! How far the weighted cells of tables moved.
//!
//! The count of a kept table is the same in both files; its weighted count need not be, since a
//! weight stays with its line while values are exchanged.
//!
//! Way in: [`weighted`]. Slow twin: in `crates/core/tests/drift_laws.rs`, record by record.

use super::Pooled;
use crate::plan::share_of;
use crate::varset::VarSet;

/// The weight of each code of a variable, in units of any size.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Weights {
    /// The variable.
    pub variable: usize,
    /// The weight of each of its codes.
    pub of_code: Vec<u128>,
}

impl std::fmt::Debug for Weights {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Weights({} codes)", self.of_code.len())
    }
}

/// What became of the weighted cells of one table.
#[derive(Debug, Clone, PartialEq)]
pub struct WeightedCheck {
    /// The variables of the table.
    pub margin: VarSet,
    /// Its cells that hold a record in either file.
    pub cells: usize,
    /// Those whose weighted count is another one.
    pub moved: usize,
    /// Those that moved by more than the share.
    pub beyond: usize,
    /// The largest move, as a share of the weighted count in the first file; infinite where that
    /// is zero.
    pub largest: f64,
}

/// Compares the weighted cells of tables; `share` is what each may move by, as numerator and
/// denominator, where that is bounded.
///
/// Law: `weighted-drift-by-definition`.
///
/// # Panics
/// When a code has no weight.
#[must_use]
pub fn weighted(
    pooled: &Pooled,
    weights: &Weights,
    tables: &[VarSet],
    share: Option<[u64; 2]>,
) -> Vec<WeightedCheck> {
    let layout = pooled.cells().layout();
    let weight = |cell: &[u64]| weights.of_code[layout.code(cell, weights.variable) as usize];
    let check = |&margin: &VarSet| {
        let groups = pooled.groups(margin);
        let mut sums: Vec<Option<[u128; 2]>> = vec![None; groups.number];
        for ((cell, &group), &[before, after]) in
            pooled.cells().iter().zip(&groups.of).zip(pooled.weights())
        {
            let sums = sums[group as usize].get_or_insert_default();
            let weight: u128 = weight(cell);
            sums[0] += weight * u128::from(before);
            sums[1] += weight * u128::from(after);
        }
        let mut found = WeightedCheck { margin, cells: 0, moved: 0, beyond: 0, largest: 0.0 };
        for [before, after] in sums.into_iter().flatten() {
            found.cells += 1;
            let drift = before.abs_diff(after);
            if drift == 0 {
                continue;
            }
            found.moved += 1;
            let is_beyond = share.is_some_and(|share| drift > share_of(before, share));
            found.beyond += usize::from(is_beyond);
            found.largest = found.largest.max(drift as f64 / before as f64);
        }
        found
    };
    tables.iter().map(check).collect()
}

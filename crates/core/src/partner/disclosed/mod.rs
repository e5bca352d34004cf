//! Records whose cell the kept tables give away.
//!
//! A cell is *already disclosed* when every table n′ with the same kept tables has as many
//! records in it: n′(i) ≥ n(i). No swap, of however many records, can take one out. For a
//! decomposable 𝒟 exactly the cells without a partner are disclosed. For another 𝒟 a cell
//! without a partner is asked, one after the other:
//!
//! 1. *Trees of tables*: L(i) = n(i) for a junction tree whose cliques lie inside kept tables
//!    (`trees`, grown by `growing`; or the best forest of two-way tables, `sums`). A reader can
//!    check the sum by hand: a [`Certificate`].
//! 2. *Slices*: variables that are in every kept table cut the file into slices whose tables
//!    have nothing to do with each other. Bounds on its cells that tighten each other, and
//!    where a slice is small a search through all its tables, decide (`slice`).
//!
//! Only a cell of a large slice for which no tree is found stays open:
//! [`Disclosure::is_exact`] says whether there is one.
//!
//! The one-way table of a variable in no table counts as kept, because every swap keeps it,
//! and so does the joint table of the columns that stay.
//!
//! Way in: [`disclosed()`]. Slow twin: [`crate::oracle::World::fewest_with_keys`], with all
//! variables as keys.

mod certificate;
mod growing;
mod slice;
mod sums;
mod trees;

use crate::graph::{GeneratingClass, MarginGraph};
use crate::table::{CellId, JointTable};
use crate::varset::VarSet;

pub use certificate::Certificate;
pub(crate) use growing::{Growing, Tables, on_variables};
pub(crate) use slice::bound_cells;
pub use sums::{best_forest, certified_by_forest, forest_bounds, lower_bounds};

/// How the kept tables prove that a cell is occupied by all its records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// L(i) = n(i) for one of the trees of tables, by its number.
    Tree(u32),
    /// L(i) = n(i) for the cell's best forest of two-way tables.
    Forest,
    /// Bounds on the cells of its slice tighten each other until n(i) is its lower bound.
    Bounds,
    /// No table of its slice with the same margins has fewer records in the cell: all were
    /// tried.
    Search,
}

/// For every cell: is it already disclosed, and what proves it?
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disclosure {
    proofs: Vec<Option<Proof>>,
    trees: Vec<MarginGraph>,
    is_exact: bool,
}

impl Disclosure {
    /// What proves that this cell is occupied by all its records.
    #[must_use]
    pub fn proof(&self, cell: CellId) -> Option<Proof> {
        self.proofs[cell.position()]
    }

    /// Is a cell without a proof certainly not disclosed?
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.is_exact
    }

    /// The trees of tables, each as its chordal graph.
    #[must_use]
    pub fn trees(&self) -> &[MarginGraph] {
        &self.trees
    }

    /// The sum that proves this cell, where a sum does. `joint` and `class` are those that
    /// were asked about.
    ///
    /// Law: `a-certificate-is-checked-by-hand`.
    #[must_use]
    pub fn certificate(
        &self,
        joint: &JointTable,
        class: &GeneratingClass,
        cell: CellId,
    ) -> Option<Certificate> {
        let graph = match self.proof(cell)? {
            Proof::Tree(number) => self.trees[number as usize].clone(),
            Proof::Forest => best_forest(joint, &class.margin_graph(), cell),
            Proof::Bounds | Proof::Search => return None,
        };
        Certificate::new(joint, class, &graph, cell)
    }
}

/// Which cells the kept tables give away. `frozen`: the cells without a partner; no other one
/// is disclosed.
///
/// Laws: `a-certificate-binds-every-table`, `disclosed-by-definition`.
#[must_use]
pub fn disclosed(joint: &JointTable, class: &GeneratingClass, frozen: &[CellId]) -> Disclosure {
    let mut proofs = vec![None; joint.len()];
    if class.is_decomposable() {
        // n(i) > L(i) exactly when the cell has a partner: the decomposable criterion.
        frozen.iter().for_each(|cell| proofs[cell.position()] = Some(Proof::Tree(0)));
        return Disclosure { proofs, trees: vec![class.margin_graph()], is_exact: true };
    }
    let mut found = Disclosure { proofs, trees: Vec::new(), is_exact: false };
    let mut open = Unproved { cells: frozen.to_vec(), proofs: &mut found.proofs };
    let slices = slice::Slices::of(joint, everywhere(class));
    found.trees = trees::prove(joint, class, &slices, &mut open);
    slice::decide(joint, class, &slices, &mut open);
    found.is_exact = open.cells.is_empty();
    found
}

/// The variables that are in every kept table; none where a variable is in no table.
#[must_use]
pub fn everywhere(class: &GeneratingClass) -> VarSet {
    if !class.uncovered().is_empty() {
        return VarSet::EMPTY;
    }
    class.margins().iter().fold(class.delta(), |shared, margin| shared & *margin)
}

/// The cells that are neither proved nor shown to be free.
struct Unproved<'p> {
    cells: Vec<CellId>,
    proofs: &'p mut [Option<Proof>],
}

impl Unproved<'_> {
    /// Settles the cells for which this gives a proof; how many records they hold.
    fn settle(&mut self, mut proof: impl FnMut(CellId) -> Option<Proof>) -> usize {
        let before = self.cells.len();
        let proofs = &mut *self.proofs;
        self.cells.retain(|&cell| {
            proofs[cell.position()] = proof(cell);
            proofs[cell.position()].is_none()
        });
        before - self.cells.len()
    }
}

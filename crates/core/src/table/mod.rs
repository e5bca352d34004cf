//! From records to counts.
//!
//! [`JointTable`] counts the records that share all their values: n(i). [`MarginTable`]
//! counts the records that share their values on a margin: n_D(i_D). Both hold what occurs
//! and nothing else, so memory follows the data and never the cross table.

mod counting;
mod finder;
mod grouping;
mod index;
mod joint;
mod margin;
mod numbered;
mod sizes;

pub(crate) use finder::Finder;
pub use grouping::{Grouping, group_counts};
pub use index::CellIndex;
pub use joint::{CellId, JointTable, Located};
pub use margin::MarginTable;
pub(crate) use numbered::Numbered;
pub use sizes::CellSizes;

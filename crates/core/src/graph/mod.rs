//! What the kept tables tie together.
//!
//! [`Scope`] joins a file's columns with the tables to keep; [`GeneratingClass`] is their
//! antichain 𝒟; [`MarginGraph`] joins two variables that share a table. The graph's
//! minimal separators and, where it is chordal, its junction tree drive the searches. No
//! module here knows a record.

mod chordal;
mod class;
mod cliques;
mod formula;
mod margin_graph;
mod scope;
mod separators;

pub use crate::text::quoted;
pub use chordal::{JunctionEdge, JunctionTree, junction_tree};
pub use class::GeneratingClass;
pub use cliques::maximal_cliques;
pub use formula::{Formula, parse_names};
pub use margin_graph::MarginGraph;
pub use scope::{KeptTable, Reason, Scope, Ties};
pub use separators::{Separator, Separators, minimal_separators};

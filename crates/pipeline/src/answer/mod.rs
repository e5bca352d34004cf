//! What was found becomes an answer that can be shown: names instead of positions.
//!
//! The answers are plain data of `marginswap_report`, which knows no record, table or scope.
//! Every function here takes what core found and fills one of them.
//!
//! | file | answers |
//! |---|---|
//! | `inspect`, `graph`, `screen`, `explain`, `risk`, `plan`, `show`, `verify`, `frontier` | the commands of that name |
//! | `keys` | what `screen` and `explain` say about keys |
//! | `codes` | what an error code means |
//! | `protection` | what intruders learn, and what the gate says |

mod codes;
mod explain;
mod frontier;
mod graph;
mod inspect;
mod keys;
mod plan;
mod protection;
mod published;
mod risk;
mod screen;
mod show;
mod verify;

use marginswap_core::encode::Schema;
use marginswap_core::varset::VarSet;

pub use codes::{code, codes};
pub use explain::{hiding, larger, pair, record};
pub(crate) use frontier::frontier;
pub use graph::{graph, graph_picture};
pub use inspect::inspect;
pub use keys::{key_screening, record_keys};
pub use plan::{protect, without_swap_because};
pub use protection::{Protected, judgement, left_reason, protection, protection_of};
pub use published::{published, reveal_published};
pub(crate) use risk::anonymity;
pub use risk::{RiskParts, risk, write_risk};
pub use screen::{areas, hiding_of_all, screen, write_screen};
pub use show::show;
pub use verify::verify;

/// How much is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Reveal {
    /// Names and counts.
    #[default]
    Counts,
    /// Values and single records too.
    Everything,
}

/// The names of a set of variables, in the order of the columns.
pub(crate) fn names(schema: &Schema, variables: VarSet) -> Vec<String> {
    schema.names(variables).into_iter().map(str::to_owned).collect()
}

/// The name of one variable.
fn name(schema: &Schema, variable: usize) -> String {
    schema.variables()[variable].name.clone()
}

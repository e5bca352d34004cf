//! What was found becomes an answer that can be shown: names instead of positions.
//!
//! The answers are plain data of `marginswap_report`, which knows no record, table or scope.
//! Every function here takes what core found and fills one of them.
//!
//! | file | answers |
//! |---|---|
//! | `inspect`, `graph`, `screen`, `explain`, `risk`, `plan`, `verify`, `frontier` | the commands of that name |
//! | `codes` | what an error code means |
//! | `verdict` | may the file be released, and what is against it |

mod codes;
mod explain;
mod frontier;
mod graph;
mod inspect;
mod plan;
mod risk;
mod screen;
mod verdict;
mod verify;

use marginswap_core::encode::Schema;
use marginswap_core::varset::VarSet;

pub use codes::{code, codes};
pub use explain::{larger, pair, record};
pub use frontier::frontier;
pub use graph::{graph, graph_picture};
pub use inspect::inspect;
pub use plan::{left_over, protect};
pub use risk::{RiskParts, risk, write_risk};
pub use screen::{screen, write_screen};
pub use verdict::{Weighed, judge, judged};
pub use verify::verify;

/// The names of a set of variables, in the order of the columns.
fn names(schema: &Schema, variables: VarSet) -> Vec<String> {
    schema.names(variables).into_iter().map(str::to_owned).collect()
}

/// The name of one variable.
fn name(schema: &Schema, variable: usize) -> String {
    schema.variables()[variable].name.clone()
}

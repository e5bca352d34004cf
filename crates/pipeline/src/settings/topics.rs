//! Which settings each command takes, by topic: the same for every door.

use super::Topic::{self, *};

/// `inspect`.
pub const INSPECT: &[Topic] = &[Data, Columns];
/// `graph`.
pub const GRAPH: &[Topic] = &[Data, Columns, Ties];
/// `screen`.
pub const SCREEN: &[Topic] = &[Data, Columns, Ties, Keys, Partners];
/// `risk`.
pub const RISK: &[Topic] = &[Data, Columns, Ties, Keys, Risk, Model];
/// `explain`.
pub const EXPLAIN: &[Topic] = &[Data, Columns, Ties, Keys, Partners, Size];
/// `plan`.
pub const PLAN: &[Topic] =
    &[Data, Columns, Ties, Keys, Risk, Model, Partners, Size, Planning, Gate];
/// `frontier`.
pub const FRONTIER: &[Topic] =
    &[Data, Columns, Ties, Keys, Risk, Model, Partners, Size, Planning, Plan];
/// `protect`.
pub const PROTECT: &[Topic] = &[
    Data, Columns, Ties, Keys, Risk, Model, Partners, Size, Planning, Mechanism, Plan, Release,
    Released, Pages, Watch, Published, Gate,
];
/// `sample`.
pub const SAMPLE: &[Topic] = &[Data, Columns, Ties];
/// `show`.
pub const SHOW: &[Topic] = &[Data];
/// `apply`.
pub const APPLY: &[Topic] = &[Data, Release, Released, Published, Gate];
/// `verify`.
pub const VERIFY: &[Topic] =
    &[Data, Columns, Ties, Keys, Risk, Model, Partners, Released, Published, Gate];
/// `report`.
pub const REPORT: &[Topic] =
    &[Data, Columns, Ties, Keys, Risk, Model, Partners, Plan, Released, Watch, Published, Gate];
/// `init`.
pub const INIT: &[Topic] = &[Data, Columns];

//! Who is at risk: how likely it is that somebody alone in the file is alone in the population.
//!
//! | module | what it holds |
//! |---|---|
//! | [`rare_cells`] | records whose keys are rare in the file |
//! | [`KeyTable`] | the file on the keys alone |
//! | [`Summaries`] | margins in numbers, counted once |
//! | [`select()`] | which decomposable model describes the keys |
//! | [`FittedModel`] | a model's p̂, in closed form or by iterative fitting |
//! | [`risks`], [`Population`] | per-record risk and its totals τ₁, τ₂ |
//! | [`fit()`] | whether the model fits where it matters: B/√V |
//! | [`weighted_risks`] | the individual risk from sampling weights |
//! | [`superpopulation()`] | estimates from the sizes of cells alone |
//! | [`minimal_uniques`] | SUDA: the smallest sets of keys that point to a record |
//! | [`anonymity`], [`key_sets`], [`uniques_without`] | counts by key set |
//!
//! Everything but the counts is an estimate and carries the model it comes from. Floating point
//! stays in this folder: no margin, no swap and no plan depends on it but through the list of
//! records that are called risky.

mod all_cells;
mod blocks;
mod fit;
mod fitted;
mod gamma;
mod individual;
mod ipf;
mod key_table;
mod keys;
mod rare;
mod select;
mod suda;
mod summary;
mod superpopulation;
mod weighted;

pub use blocks::{Block, blocks};
pub use fit::{Fit, MOST_OPENED, Verdict, fit};
pub use fitted::FittedModel;
pub use individual::{CellRisk, Population, Risks, ranked, risks};
pub use ipf::Fitting;
pub use key_table::KeyTable;
pub use keys::{Anonymity, KeySet, anonymity, key_sets, uniques_without};
pub use rare::rare_cells;
pub use select::{
    Action, Criterion, Direction, Seen, Selection, Start, Step, addable, grow, removable, score,
    select,
};
pub use suda::{MinimalUniques, dis, minimal_uniques};
pub use summary::{Summaries, Summary};
pub use superpopulation::{Estimate, Superpopulation, superpopulation};
pub use weighted::{WeightedRisks, individual_risk, weighted_risks};

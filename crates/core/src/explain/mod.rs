//! Why a record or a pair can be swapped, or why not: plain sets and counts.
//!
//! An explanation is what the searches found, put together so that it can be shown: variables
//! are positions in the schema, records are [`RecordId`](crate::encode::RecordId)s, and no
//! value of a record is in it. Names and words are for those who show it.
//!
//! | file | what it holds |
//! |---|---|
//! | `pair` | what two records differ in, what can travel alone, what ties the rest together |
//! | `record` | what every separator offers a record, whom it is swapped with, what one table less would give |
//! | `larger` | the three answers about swaps of more than two records, record by record |
//!
//! Way in: [`pair`], [`record`], [`larger`].

mod larger;
mod pair;
mod record;

pub use larger::{CertificateSum, GroupSwap, Larger, LargerAnswer, Taking, Term, larger};
pub use pair::{PairExplanation, Tie, pair};
pub use record::{Disclosed, Offer, Partners, RecordExplanation, WithoutTable, record};

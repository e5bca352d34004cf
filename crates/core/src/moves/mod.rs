//! Swaps of more than two records: what the pair conditions leave open.
//!
//! A *move* of degree m takes a record out of m cells and puts one into m others, with every
//! kept table unchanged; a pair swap is one of degree 2. Where the tables leave a record no
//! partner, a larger move may still free it. Whether one exists is hard in general, so there
//! are three answers and they are never confused: [`Answer::Possible`] with the move,
//! [`Answer::Impossible`] with a certificate, [`Answer::NotFound`] with what was tried.
//!
//! | file | what it holds |
//! |---|---|
//! | `table_move` | a move that is proved to keep every table |
//! | `boxes` | moves over q groups of variables: the pair swap, and its kin of 4 and 8 records |
//! | `linked` | boxes that lack a record, and boxes that bring it: up to 16 records |
//! | `chain` | another pair swaps first, and the record gets a partner |
//! | `repair` | any move within a neighbourhood, by repairing what is out of balance |
//! | `atoms` | the pieces in which larger moves must be looked for |
//! | `space`, `around` | the cells of one piece, and how they differ from one of them |
//! | `blocks` | the cells near one of them, without a look at all |
//! | `lift` | from a move in a piece to one of whole records; who takes which cell |
//! | `certificate` | looks for a proof that no move of any degree helps |
//! | `search` | all of them in order, fewest records first |
//!
//! Trap: for pairs only the margin graph matters, for larger moves 𝒟 itself does. Every
//! check here is one against the tables D ∈ 𝒟.
//!
//! Way in: [`MoveSearch`]. Slow twin: [`crate::oracle::World::least_degree`].

mod answer;
mod around;
mod atoms;
mod blocks;
mod boxes;
mod certificate;
mod chain;
mod lift;
mod linked;
mod repair;
mod search;
mod space;
mod table_move;

pub use answer::{Answer, Found, Impossibility, Kind, Tried};
pub use atoms::atoms;
pub use lift::sources;
pub(crate) use search::LINKING;
pub(crate) use search::Outcome;
pub use search::{Free, Limits, MOST_IN_ONE_BOX, MOST_RECORDS, MoveSearch, Wishes};
pub use space::{MOST_TIED, TooManyTied};
pub use table_move::TableMove;

pub use crate::partner::disclosed::Certificate;

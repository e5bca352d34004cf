//! From columns to packed records.
//!
//! [`Schema`] says which columns take part and as what; [`Records`] packs the codes of all
//! variables of one record into machine words, so that a projection is an AND and a
//! difference is an XOR. [`encode_both`] packs two files so that their records can be
//! compared word by word.

mod bits;
mod both;
mod packed;
mod rough;
mod schema;
mod signature;

pub(crate) use bits::{Bits, ones};
pub(crate) use both::Recoding;
pub use both::{Both, encode_both};
pub(crate) use packed::{InPieces, PACKED_AT_ONCE};
pub use packed::{Layout, Mask, PackedCells, RecordCells, RecordId, Records};
pub use rough::Rough;
pub use schema::{Schema, TOGETHER, Variable};
pub(crate) use signature::Signer;

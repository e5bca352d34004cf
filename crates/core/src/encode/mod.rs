//! From columns to packed records.
//!
//! [`Column`] holds one column's categories and codes as a reader delivers them;
//! [`Schema`] says which of them take part and as what; [`Records`] packs the codes of all
//! variables of one record into machine words, so that a projection is an AND and a
//! difference is an XOR. [`encode_both`] packs two files so that their records can be
//! compared word by word.

mod both;
mod column;
mod dictionary;
mod packed;
mod schema;
mod signature;

pub(crate) use both::Recoding;
pub use both::encode_both;
pub use column::{Column, looks_like_id, nearly_all_differ};
pub use dictionary::Dictionary;
pub use packed::{Layout, Mask, PackedCells, RecordId, Records};
pub use schema::{Role, Roles, Schema, Variable, did_you_mean};
pub(crate) use signature::Signer;

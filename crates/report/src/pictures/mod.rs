//! The pictures, one file for each. Each is a function from an answer to a
//! [`Picture`](crate::Picture): a drawing and its text twin.
//!
//! | file | what it shows |
//! |---|---|
//! | [`diagonal`] | two records before and after a swap, in diagonal position |
//! | [`why`] | why a pair or a record can or cannot be swapped |
//! | [`triangle`] | all two-way tables: kept exactly, or changed and how far |
//! | [`risk`] | people at risk before and after, and how many values on matched records are true |
//! | [`true_values`] | how many sensitive values are true on the records that match people at risk |
//! | [`found`] | who is found before, after and by chance, by the number of keys known |
//! | [`change`] | how many records changed in each variable |
//! | [`areas`] | how far changed records moved, by the areas that they stay in |
//! | [`distance`] | how far changed records moved on the map |
//! | [`disclosed`] | how many records the tables give away, now and if more were published |
//! | [`waterfall`] | all records, people at risk, and of these the gone, the shared and the matched |
//! | [`frontier`] | risk and change of several plans; which are on the frontier |
//!
//! The margin graph, which came first, is in [`crate::margin_graph`].

mod bars;
mod chips;

pub mod areas;
pub mod change;
pub mod diagonal;
pub mod disclosed;
pub mod distance;
pub mod found;
pub mod frontier;
pub mod risk;
pub mod triangle;
pub mod true_values;
pub mod waterfall;
pub mod why;

//! The pictures, one file for each. Each is a function from an answer to a
//! [`Picture`](crate::Picture): a drawing and its text twin.
//!
//! | file | what it shows |
//! |---|---|
//! | [`diagonal`] | two records before and after a swap, in diagonal position |
//! | [`why`] | why a pair or a record can or cannot be swapped |
//! | [`triangle`] | all two-way tables: exactly fixed, or changed and how far |
//! | [`risk`] | what an intruder claims before and after, and how many claims are right |
//! | [`change`] | how many records changed in each variable |
//! | [`waterfall`] | all records, those at risk, swappable, protected, left over |
//! | [`frontier`] | risk and change of several plans; which none beats |
//!
//! The margin graph, which came first, is in [`crate::margin_graph`].

mod bars;
mod chips;

pub mod change;
pub mod diagonal;
pub mod frontier;
pub mod risk;
pub mod triangle;
pub mod waterfall;
pub mod why;

//! Everything in marginswap that decides.
//!
//! The modules are in the order of the data's way: a file's columns are encoded into
//! records, counted into tables, tied together by the margin graph, and searched for swap
//! partners and larger moves, which are explained, planned, made and verified. This crate is
//! pure: it does no I/O, reads no clock, prints nothing and never exits.

pub mod bucket_sort;
pub mod decimal;
pub mod diagnostic;
pub mod hash;
pub mod random;
pub mod refusal;
pub mod text;
pub mod varset;
pub mod verdict;

// One by one, so that they keep this order.
pub mod columns;

pub mod encode;

pub mod table;

pub mod graph;

pub mod risk;

pub mod partner;

pub mod moves;

pub mod explain;

pub mod plan;

pub mod sample;

pub mod swap;

pub mod verify;

#[cfg(any(test, feature = "oracle"))]
pub mod oracle;

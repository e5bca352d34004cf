//! What the benchmark needs besides what it measures.
//!
//! [`clock`] times phases and compares them, [`figures`] sums what releases betray, [`found`]
//! counts it, [`halves`] cuts real files in two, [`memory`] watches a child's peak, [`peers`] lets
//! other programs read the same file, [`synthetic`] makes graphs and records.

#![allow(dead_code, reason = "each benchmark uses what it needs")]

pub mod clock;
pub mod figures;
pub mod found;
pub mod halves;
pub mod memory;
pub mod peers;
pub mod synthetic;

//! What the benchmark needs beside what it measures.
//!
//! [`clock`] times phases and compares them, [`memory`] watches a child's peak, [`peers`]
//! lets other programs read the same file, [`synthetic`] makes graphs and records.

pub mod clock;
pub mod memory;
pub mod peers;
pub mod synthetic;

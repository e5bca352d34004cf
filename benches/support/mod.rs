//! What the benchmark needs beside what it measures.
//!
//! [`clock`] times phases and compares them, [`memory`] watches a child's peak, [`peers`]
//! lets other programs read the same file, [`synthetic`] makes graphs and records.

#![allow(dead_code, reason = "each benchmark uses what it needs")]

pub mod clock;
pub mod memory;
pub mod peers;
pub mod synthetic;

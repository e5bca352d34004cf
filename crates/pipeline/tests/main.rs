//! Whole jobs through the library: one program of tests, with a module for each subject.
//!
//! `cargo test -p marginswap-pipeline --test all frames::` runs the tests of one of them. What
//! `readings.rs` counts is read by a whole process, so that it is a program of its own.

mod answers;
mod cells;
mod frames;
mod ids;
mod meddling;
mod restrictions;

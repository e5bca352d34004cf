//! Files read, written and refused: one program of tests, with a module for each subject.
//!
//! `cargo test -p marginswap-io --test all plan_file::` runs the tests of one of them.

mod faults;
mod labelled;
mod parquet;
mod plan_file;
mod planning;
mod published;
mod refusals;
mod rewrite;
mod rewrite_parquet;
mod same_bytes;
mod support;

//! Texts, pages and pictures: one program of tests, with a module for each subject.
//!
//! `cargo test -p marginswap-report --test all pages::` runs the tests of one of them.

mod answers;
mod margin_graph;
mod pages;
mod pictures;
mod support;
mod words;

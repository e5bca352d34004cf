//! The whole program as users run it: one program of tests, with a module for each subject.
//!
//! `cargo test --test all readme::` runs the tests of one of them.

mod advice;
mod attacks;
mod canary;
mod commands;
mod control_group;
mod derive;
mod disclosed;
mod errors;
mod faults;
mod first_hour;
mod frozen;
mod gate;
mod hiding;
mod household_pages;
mod households;
#[path = "../crates/report/tests/support/html.rs"]
mod html;
mod job;
mod labelled;
mod larger;
mod licences;
mod order;
mod project;
mod protection;
mod published;
mod readme;
mod real_data;
mod reenactment;
mod report;
mod risk;
mod sample;
mod sql;
mod support;
mod tables;
mod tidy;
mod trust;
mod weights;

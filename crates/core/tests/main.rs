//! The laws, their witnesses and the vectors: one program of tests, with a module for each subject.
//!
//! `cargo test -p marginswap-core --test all key_laws::` runs the tests of one of them.

mod cell_laws;
mod constraint_laws;
mod dependency_laws;
mod derived_laws;
mod disclosed_laws;
mod drift_laws;
mod effort_laws;
mod found_laws;
mod graph_laws;
mod group_laws;
mod hide_laws;
mod household_laws;
mod key_laws;
mod learned_laws;
mod move_laws;
mod pair_laws;
mod parting_figures;
mod parting_laws;
mod plan_laws;
mod published_laws;
mod record_laws;
mod risk_laws;
mod sample_laws;
mod slice_laws;
mod stay_laws;
mod support;
mod traps;
mod verify_laws;

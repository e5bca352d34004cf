//! Slow twins, written from the definitions and from nothing else.
//!
//! Each answers a question that the crate answers fast, by trying everything: every subset
//! of the variables, every record, every path. They share no code with what they test
//! beyond [`VarSet`](crate::varset::VarSet), the graph's list of edges and the types in which
//! restrictions are given.

pub mod dependencies;
mod derived;
mod found;
mod graphs;
mod households;
mod outside;
mod published;
mod restricted;
mod risk;
mod sample;
mod world;

pub use derived::{DerivedWorld, Follows};
pub use found::{PlainLook, PlainPerson, PlainQuestion};
pub use graphs::{
    all_antichains, all_graphs, components, is_chordal, is_connected, maximal_cliques,
    minimal_separators,
};
pub use households::{HouseholdWorld, PlainHousehold};
pub use outside::Met;
pub use published::{PlainCell, PlainCheck, PlainRecord, published};
pub use sample::{far_side_moved, fibre, permutations};
pub use world::World;

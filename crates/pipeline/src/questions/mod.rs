//! Questions about a file that change nothing: what is in it, what the kept tables tie
//! together, who can be swapped and why not, who is at risk.
//!
//! Each takes a project and gives a plain answer.

pub mod explain;
pub mod graph;
pub mod inspect;
pub mod risk;
pub mod screen;

//! What marginswap shows: answers as text and JSON.

mod answer;
pub mod explain;
pub mod graph;
pub mod inspect;
pub mod screen;

pub use answer::Answer;

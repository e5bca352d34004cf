//! Files drawn at random from all files with the same tables, and what that proves.
//!
//! The kept tables are decomposable: their cliques hang on a junction tree. Give the rows of every
//! clique's table numbers. A file with these tables is one bijection for each edge of the tree,
//! between the rows of its two cliques, that respects the separator: walking the tree glues the
//! rows together. [`sample`] draws each bijection uniformly and sees nothing but tables. [`glue`]
//! starts from the bijections of a file and moves some rows of each slice, with a weight that
//! depends on how many it moves and on the size of the slice only; [`Terms`] says how much that
//! tells of a record, ε.
//!
//! Trap: the far side of an edge moves as a whole. Permuting one clique alone changes the tables of
//! those that hang on it.
//!
//! Trap: everything that decides the law must follow from the kept tables: the tree, the sizes of
//! slices, the weights. [`Terms`] are made before anything is drawn and hold nothing else, so they
//! may leave the room.

mod glue;
mod lambda;
mod permute;
mod tables;
mod terms;
mod tree;

pub use glue::{Glued, Slices, glue};
pub use lambda::{Lambda, LargestEpsilon};
pub use permute::{HeldRows, held_rows, permutation};
pub use tables::{CliqueTable, Contradiction, DrawnRecords, Tables, sample};
pub use terms::{EdgeTerms, Terms, Wish};
pub use tree::{chordal_cover, gluing_tree};

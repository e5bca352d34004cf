//! What marginswap shows: answers as text and JSON, and pictures.
//!
//! An answer is a struct whose fields are its JSON and which can say itself in words. A
//! picture is a function from plain data to one self-contained SVG: no script, no reference
//! to anything outside the file, the same bytes on every platform; its text twin stands in
//! its `<desc>` and can be asked for alone.
//!
//! Nothing here reads data, searches or decides: names, sets of positions and counts come
//! in, never a record, a table or a scope. What fills the answers is in the pipeline.
//!
//! | module | what it holds |
//! |---|---|
//! | [`inspect`], [`graph`], [`screen`], [`explain`], [`risk`], [`plan`], [`verify`] | the answers of the commands of that name |
//! | [`larger`] | what `explain` says of swaps of more than two records |
//! | [`frontier`] | what several plans come to |
//! | [`codes`] | what `explain` says of error codes |
//! | [`margin_graph`] | the picture of the kept tables' graph, its separators and what they part |
//! | [`pictures`] | all other pictures, one file for each |
//! | [`page`] | the verdict in words, and the report as one page, internal and external |
//! | [`band`] | numbers that may be said only roughly |
//! | [`svg`] | elements, attributes, escaping, numbers |
//! | [`lettering`] | how much room a text takes, in any script, before a font is known |

mod answer;
pub mod codes;
pub mod explain;
pub mod frontier;
pub mod graph;
pub mod inspect;
pub mod larger;
pub mod plan;
pub mod risk;
pub mod screen;
pub mod verify;

pub mod band;
pub mod lettering;
pub mod margin_graph;
pub mod page;
mod paint;
pub mod pictures;
mod ring;
mod sheet;
pub mod svg;

pub use answer::{Answer, formula};
pub use sheet::{Picture, TextTable, Twin};

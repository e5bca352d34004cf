//! What marginswap shows: answers as text and JSON, and pictures.
//!
//! An answer is a struct whose fields are its JSON and which can say itself in words. A
//! picture is a function from plain data to one self-contained SVG: no script, no reference
//! to anything outside the file, the same bytes on every platform; its text twin stands in
//! its `<desc>` and can be asked for alone.
//!
//! Nothing here reads data or decides anything: names, sets of variables and counts come
//! in, never a value of a record.
//!
//! | module | what it holds |
//! |---|---|
//! | [`inspect`], [`graph`], [`screen`], [`explain`], [`plan`], [`verify`] | the answers of the commands of that name |
//! | [`codes`] | what `explain` says of error codes |
//! | [`margin_graph`] | the picture of the kept tables' graph, its separators and what they part |
//! | [`svg`] | elements, attributes, escaping, numbers |
//! | [`lettering`] | how much room a text takes, in any script, before a font is known |

mod answer;
pub mod codes;
pub mod explain;
pub mod graph;
pub mod inspect;
pub mod larger;
pub mod plan;
pub mod screen;
pub mod verify;

pub mod lettering;
pub mod margin_graph;
mod paint;
mod ring;
pub mod svg;

pub use answer::Answer;

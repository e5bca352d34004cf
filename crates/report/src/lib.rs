//! What marginswap shows.
//!
//! A picture is a function from plain data to one self-contained SVG: no script, no
//! reference to anything outside the file, the same bytes on every platform. Each picture
//! has a text twin, which stands in its `<desc>` and can be asked for alone.
//!
//! Nothing here reads data or decides anything: a picture gets names, sets of variables
//! and counts, never a value of a record.
//!
//! | module | what it holds |
//! |---|---|
//! | [`svg`] | elements, attributes, escaping, numbers |
//! | [`lettering`] | how much room a text takes, in any script, before a font is known |
//! | [`margin_graph`] | the graph of the kept tables, its separators and what they part |

pub mod lettering;
pub mod margin_graph;
mod paint;
mod ring;
pub mod svg;

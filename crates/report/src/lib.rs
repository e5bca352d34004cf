//! What marginswap shows: answers as text and JSON, and pictures.
//!
//! An answer is a struct whose fields are its JSON, and which has a text in words. A
//! picture is a function from plain data to one self-contained SVG: no script, no reference
//! to anything outside the file, the same bytes on every platform; its text twin is in its
//! `<desc>` and can be asked for alone.
//!
//! Nothing here reads data, searches or decides: names, sets of positions and counts come
//! in, never a record, a table or a scope. What fills the answers is in the pipeline.
//!
//! ```
//! use marginswap_report::protection::{Judgement, Reason, Verdict};
//!
//! let judgement = Judgement { verdict: Verdict::Review, reasons: vec![Reason::NoKeys {}] };
//! assert_eq!(
//!     judgement.lines(),
//!     "Verdict: a reviewer must decide\n  - no keys were named, so no risk was measured\n"
//! );
//! ```
//!
//! | module | what it holds |
//! |---|---|
//! | [`inspect`], [`graph`], [`screen`], [`explain`], [`risk`], [`plan`], [`verify`] | the answers of the commands of that name |
//! | [`advice`] | what would help the people at risk who are left |
//! | [`protection`] | what intruders learn from a released file, and the verdict of the gate |
//! | [`found`] | who is found by anybody who knows some of the keys |
//! | [`reason`] | the reasons of a verdict, in words |
//! | [`larger`] | what `explain` answers about swaps of more than two records |
//! | [`what_if`] | what `screen` answers about tables not yet published, and area by area |
//! | [`certificate`] | what is proved of a file that a mechanism drew |
//! | [`frontier`] | several plans compared by risk and change |
//! | [`codes`] | what `explain` answers about error codes |
//! | [`margin_graph`] | the picture of the kept tables' graph, its separators and what they separate |
//! | [`pictures`] | all other pictures, one file for each |
//! | [`page`] | the report as one HTML page, internal and external |
//! | [`band`] | numbers that may be published only as a range |
//! | [`svg`] | elements, attributes, escaping, numbers |
//! | [`lettering`] | how much room a text takes, in any script, before a font is known |

pub mod advice;
mod answer;
pub mod cells;
pub mod certificate;
pub mod codes;
pub mod explain;
pub mod found;
pub mod frontier;
pub mod graph;
pub mod inspect;
pub mod keys;
pub mod larger;
pub mod plan;
pub mod protection;
pub mod published;
pub mod reason;
pub mod restrictions;
pub mod risk;
pub mod screen;
pub mod show;
pub mod verify;
pub mod what_if;

pub mod band;
pub mod lettering;
pub mod margin_graph;
pub mod page;
mod paint;
pub mod pictures;
mod ring;
mod sheet;
pub mod svg;

pub use answer::{Answer, JSON_VERSION, Versioned, formula};
pub use sheet::{Picture, TextTable, Twin};

//! The way of a whole job, for every door: command line, bindings, pages, engines.
//!
//! A door turns what its user says into a [`project::Project`], calls the steps here, and shows
//! the answers. Nothing here prints, parses a command line, exits or touches process-wide
//! state: what is worth a word is a [`notes::Note`], handed to the door's [`notes::Run`].
//!
//! | module | what it holds |
//! |---|---|
//! | [`job`] | the way of a job on one screen, with an example that runs |
//! | [`project`] | every entry of `marginswap.toml`, read, merged with flags, written as a draft |
//! | [`refusal`] | every refusal that a door can meet |
//! | [`codes`] | their numbers, exit codes, titles and long texts |
//! | [`settings`] | the one table of settings |
//! | [`notes`] | what a run reports while it works, as values |
//! | [`seed`] | where a run's randomness comes from |
//! | [`init`] | a project file for a new data file |
//! | [`resolve`](mod@resolve) | what the settings of a project mean in a file |
//! | [`input`] | a file's columns with their roles; the record a user names |
//! | [`study`] | the original file of a project: read once, in two views, units and people |
//! | [`view`] | one view: columns, scope, cells, and who is at risk in them |
//! | [`household`] | a file of persons as a table of households |
//! | [`questions`] | what is in a file, who can be swapped and why not, who is at risk |
//! | [`derive`](mod@derive) | variables that follow from columns, worked out on dictionaries |
//! | [`areas`] | areas with their places: which are near, and how far it is |
//! | [`assess`](mod@assess) | a fitted risk model and every record's risk |
//! | [`prepare`](mod@prepare) | everything that planning needs, and the plan |
//! | [`mechanism`] | swapping with an ε that is proved |
//! | [`sample`](mod@sample) | files drawn from all files with the same tables |
//! | [`on_cells`] | a plan from the cells that an engine counted |
//! | [`sql`] | the statements by which an engine counts, rewrites and verifies |
//! | [`release`](mod@release) | from a plan to the released file, complete and not yet named |
//! | [`outputs`] | what a job writes: checked first, staged, named together |
//! | [`compare`] | the original and the released file, compared once and judged once |
//! | [`pages`] | what the two reports tell, from that comparison |
//! | [`frontier`] | several plans for one file |
//! | [`answer`] | what was found becomes an answer with names |
//! | [`demo`] | an invented town to try everything on |

pub mod advice;
pub mod answer;
mod appearance;
pub mod areas;
pub mod assess;
pub mod codes;
pub mod compare;
pub mod demo;
pub mod derive;
mod found;
pub mod frontier;
pub mod household;
pub mod init;
pub mod input;
pub mod job;
pub mod mechanism;
pub mod notes;
pub mod on_cells;
pub mod outputs;
pub mod pages;
mod pattern;
pub mod prepare;
pub mod project;
pub mod published;
pub mod questions;
pub mod refusal;
pub mod release;
pub mod resolve;
pub mod restrictions;
mod revealed;
pub mod sample;
pub mod seal;
pub mod seed;
pub mod settings;
pub mod sql;
pub mod study;
pub mod table_names;
mod telltale;
pub mod view;
pub mod weights;

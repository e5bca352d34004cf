//! The way of a whole job, for every door: command line, bindings, pages, engines.
//!
//! A door turns what its user says into a [`project::Project`], calls the steps here, and shows
//! the answers. Nothing here prints, parses a command line, exits or touches process-wide
//! state: what is worth a word is a [`notes::Note`], handed to the door's [`notes::Run`].
//!
//! | module | what it holds |
//! |---|---|
//! | [`project`] | every entry of `marginswap.toml`, read, merged with flags, written as a draft |
//! | [`notes`] | what a run reports while it works, as values |
//! | [`refusal`] | every refusal that a door can meet |
//! | [`codes`] | their numbers, exit codes, titles and long texts |
//! | [`settings`] | the one table of settings |
//! | [`init`] | a project file for a new data file |
//! | [`seed`] | where a run's randomness comes from |
//! | [`input`] | from a file's name and a project to packed records |
//! | [`prepare`](mod@prepare) | a project and its file become everything that planning needs, then a plan |
//! | [`questions`] | what is in a file, who can be swapped and why not, who is at risk |
//! | [`assess`](mod@assess) | a fitted risk model and every record's risk |
//! | [`release`](mod@release) | from a plan to the released file: written, read back, recounted |
//! | [`compare`] | the original and the released file over one coding |
//! | [`answer`] | what was found becomes an answer that can be shown |
//! | [`original`] | the original file with everything that a project says of it |
//! | [`pages`] | what the pages tell, counted from the two files |
//! | [`pipeline`] | the whole job on one screen |
//! | [`frontier`] | several plans for one file |
//! | [`demo`] | an invented town to try everything on |

#![allow(missing_docs, reason = "fields are being moved; each gets its line")]

pub mod answer;
pub mod assess;
pub mod codes;
pub mod compare;
pub mod demo;
pub mod frontier;
pub mod init;
pub mod input;
pub mod notes;
pub mod original;
pub mod pages;
pub mod pipeline;
pub mod prepare;
pub mod project;
pub mod questions;
pub mod refusal;
pub mod release;
pub mod seed;
pub mod settings;

//! One file for each command: what was asked → the core's answer → a report.

pub mod explain;
pub mod graph;
pub mod init;
pub mod inspect;
pub mod screen;

//! One file for each command: what was asked → the core's answer → a report.

pub mod apply;
pub mod clean;
pub mod demo;
pub mod explain;
pub mod frontier;
pub mod graph;
pub mod init;
pub mod inspect;
pub mod plan;
pub mod protect;
pub mod report;
pub mod risk;
pub mod sample;
pub mod screen;
pub mod shell;
pub mod show;
pub mod sql;
pub mod verify;

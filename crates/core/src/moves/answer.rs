//! The three answers to "can this record leave its cell?".
//!
//! They are different variants of one type, so that nobody takes "not found" for "cannot
//! be".

use super::{Certificate, TableMove};
use crate::table::CellId;
use crate::varset::VarSet;

/// Can a record leave its cell with every kept table unchanged?
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// It can: here is the smallest move that was found.
    Possible(Box<Found>),
    /// No swap of any number of records can empty the cell: here is the proof.
    Impossible(Impossibility),
    /// No move was found, and no proof that there is none; it says what was tried.
    NotFound(Tried),
}

/// Why no swap of any number of records can take a record out of a cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Impossibility {
    /// A sum over kept tables that anybody can check.
    Sum(Certificate),
    /// Bounds on all cells that can be occupied tighten each other until they prove it.
    Bounds,
}

/// A move that takes a record out of its cell, in terms of the cells of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The cells that lose a record and those that gain one.
    pub table_move: TableMove,
    /// The cells of the file that lose a record; the first is the one asked for.
    pub cells: Vec<CellId>,
    /// For each of them, by position, which of the gained cells its record takes.
    pub takes: Vec<usize>,
    /// How it was found.
    pub kind: Kind,
}

/// How a move was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// By flipping groups of variables: the records differ in an even number of them.
    Box(Vec<VarSet>),
    /// Two others swap first, which gives the record a partner.
    Chain,
    /// By flipping groups of variables several times: what one box lacks another brings.
    Linked,
    /// By repairing what is out of balance.
    Repair,
}

/// What was tried without success.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tried {
    /// The most records of a move that was tried.
    pub records: usize,
    /// The most variables, over all groups, of a move that flips groups of variables.
    pub box_variables: usize,
    /// How many of the nearest cells other moves were tried among.
    pub neighbours: usize,
    /// How many steps the search took.
    pub steps: u64,
    /// Was every such move among these cells tried? If not, the search
    /// reached its limit of steps.
    pub complete: bool,
}

//! Can a record leave its cell with the help of more than one other? The three answers,
//! record by record.
//!
//! The searches speak of cells; here records take part: for every cell that gives one away,
//! its first record in file order. A proof names with each count the smallest kept table
//! in which a reader finds it.
//!
//! Way in: [`larger`].

use crate::encode::{RecordId, Records};
use crate::graph::Scope;
use crate::moves::{
    Answer, Certificate, Found, Free, Impossibility, Kind, Limits, MoveSearch, TooManyTied, Tried,
    sources,
};
use crate::random::{Random, Seed};
use crate::table::Located;
use crate::varset::VarSet;

/// What swaps of more than two records can do for a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Larger {
    /// The largest swaps that were looked for, in records.
    pub max_records: usize,
    /// What was found.
    pub answer: LargerAnswer,
}

/// The three answers; see [`Answer`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LargerAnswer {
    /// The smallest swap that was found.
    Possible(GroupSwap),
    /// No swap of any number of records frees the record: a sum over kept tables proves it.
    Impossible(CertificateSum),
    /// The same, proved by bounds on all cells that can be occupied.
    Bound,
    /// Neither a swap nor a proof was found.
    NotFound(Tried),
}

/// A swap of several records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupSwap {
    /// The records, the one asked for first.
    pub records: Vec<RecordId>,
    /// How it was found.
    pub kind: Kind,
    /// Who takes what from whom.
    pub takes: Vec<Taking>,
}

/// One record takes values from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Taking {
    /// The record that changes.
    pub record: RecordId,
    /// The record that the values come from.
    pub from: RecordId,
    /// The variables.
    pub variables: VarSet,
}

/// L(i) = n(i), as a sum that is checked in the kept tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CertificateSum {
    /// The counts that are added.
    pub added: Vec<Term>,
    /// The counts that are taken off.
    pub taken_off: Vec<Term>,
    /// What remains: the records in the cell, in every file that swapping makes.
    pub remains: u64,
}

/// The records that share the record's values on some variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Term {
    /// The variables; none means all records.
    pub variables: VarSet,
    /// The smallest kept table that holds them.
    pub inside: Option<VarSet>,
    /// How many records share the values.
    pub count: u64,
}

/// Looks for swaps of at most `max_records` records that free a record. The same question has the
/// same answer: what is explained is not released, so nothing is drawn.
///
/// # Errors
/// When more variables take part than such swaps are looked for in.
pub fn larger(
    scope: &Scope,
    records: &Records,
    joint: &Located,
    record: RecordId,
    max_records: usize,
) -> Result<Larger, TooManyTied> {
    let class = scope.class();
    let search = MoveSearch::new(joint, class, &vec![1; scope.schema().variables().len()])?;
    let free = Free { joint, keys: class.delta(), staying: scope.schema().staying() };
    let limits = Limits::records(max_records);
    let mut random = Random::new(Seed([0; 32]), 0);
    let answer = match search.answer(joint.cell_of(record), &free, limits, &mut random) {
        Answer::Possible(found) => {
            LargerAnswer::Possible(group_swap(records, joint, record, &found))
        }
        Answer::Impossible(Impossibility::Sum(proof)) => {
            LargerAnswer::Impossible(certificate_sum(scope, &proof))
        }
        Answer::Impossible(Impossibility::Bounds) => LargerAnswer::Bound,
        Answer::NotFound(tried) => LargerAnswer::NotFound(tried),
    };
    Ok(Larger { max_records: limits.records, answer })
}

fn group_swap(records: &Records, joint: &Located, record: RecordId, found: &Found) -> GroupSwap {
    let mut chosen = vec![record];
    for &cell in &found.cells[1..] {
        let other = (0..records.len())
            .map(RecordId::at)
            .find(|other| joint.cell_of(*other) == cell && !chosen.contains(other))
            .expect("a cell has the records that leave it");
        chosen.push(other);
    }
    let after: Vec<Vec<u64>> =
        found.takes.iter().map(|&slot| found.table_move.added()[slot].clone()).collect();
    let before: Vec<&[u64]> = chosen.iter().map(|&record| records.get(record)).collect();
    let from = sources(records.cells().layout(), &before, &after);
    let mut takes = Vec::new();
    for (place, &record) in chosen.iter().enumerate() {
        for (giving, &giver) in chosen.iter().enumerate() {
            let variables: VarSet = from
                .iter()
                .filter(|(_, from)| place != giving && from[place] == giving)
                .map(|(variable, _)| *variable)
                .collect();
            if !variables.is_empty() {
                takes.push(Taking { record, from: giver, variables });
            }
        }
    }
    GroupSwap { records: chosen, kind: found.kind.clone(), takes }
}

pub(super) fn certificate_sum(scope: &Scope, proof: &Certificate) -> CertificateSum {
    let term = |&(variables, count): &(VarSet, u64)| Term {
        variables,
        inside: scope
            .tables()
            .iter()
            .map(|table| table.variables)
            .filter(|table| !variables.is_empty() && variables.is_subset(table))
            .min_by_key(|table| table.len()),
        count,
    };
    CertificateSum {
        added: proof.cliques().iter().map(term).collect(),
        taken_off: proof.separators().iter().map(term).collect(),
        remains: proof.count(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::graph::Formula;

    fn explained(tables: &str, codes: &[[u32; 3]]) -> LargerAnswer {
        let scope = Scope::of_tables(&Formula::parse(&[tables]).unwrap()).unwrap();
        let records = Records::from_codes(&[2, 2, 2], codes);
        let joint = Located::count(&records);
        larger(&scope, &records, &joint, RecordId::at(0), 4).unwrap().answer
    }

    /// The cube: four records of even parity become the four of odd parity, and no two-way
    /// table notices.
    #[test]
    fn four_records_swap_where_no_two_can() {
        let even = [[0, 0, 0], [1, 1, 0], [1, 0, 1], [0, 1, 1]];
        let LargerAnswer::Possible(swap) = explained("a*b + b*c + a*c", &even) else {
            panic!("the cube is a move")
        };
        assert_eq!(swap.records[0], RecordId::at(0));
        assert_eq!(swap.records.len(), 4);
        for taking in &swap.takes {
            assert!(taking.record != taking.from && !taking.variables.is_empty());
        }
        assert!(swap.takes.iter().any(|taking| taking.record == RecordId::at(0)));
    }

    /// Two records that differ everywhere along a chain of tables: the tables give both away.
    #[test]
    fn a_proof_adds_up() {
        let LargerAnswer::Impossible(sum) = explained("a*b + b*c", &[[0, 0, 0], [1, 1, 1]]) else {
            panic!("the tables give it away")
        };
        let total = |terms: &[Term]| terms.iter().map(|term| term.count).sum::<u64>();
        assert_eq!(total(&sum.added) - total(&sum.taken_off), sum.remains);
        assert_eq!(sum.remains, 1);
        assert!(sum.added.iter().all(|term| term.inside.is_some()));
    }
}

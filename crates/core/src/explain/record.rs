//! Everything about one record's partners.
//!
//! Trap: a list of separators that was cut short answers for no record. Then no separator is
//! shown, and the pair test chooses the partner.
//!
//! Way in: [`record`].

use super::larger::{CertificateSum, certificate_sum};
use crate::encode::{RecordId, Records};
use crate::graph::{Reason, Scope, Separator, Separators};
use crate::partner::disclosed::{Proof, everywhere};
use crate::partner::{Choice, Surroundings, ThroughSeparator, screen};
use crate::table::{CellId, Located};
use crate::varset::VarSet;

/// How much of a record's partners is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Partners {
    /// Their number.
    Count,
    /// Each of them.
    All,
}

/// Everything about one record's partners.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordExplanation {
    /// The record.
    pub record: RecordId,
    /// How many records share its cell, itself included.
    pub cell_count: u64,
    /// How many records it can be swapped with.
    pub partners: u64,
    /// Do the kept tables prove that its cell is occupied? `None` when no proof is known, nor
    /// that there is none.
    pub disclosed: Option<bool>,
    /// What proves it.
    pub proof: Option<Disclosed>,
    /// What each separator offers; nothing when not all of them are known.
    pub offers: Vec<Offer>,
    /// Are all separators known?
    pub separators_complete: bool,
    /// How many are known.
    pub separators_known: usize,
    /// What the paper's Algorithm 1 chooses; without all separators, the first partner that
    /// the pair test finds.
    pub choice: Option<Choice>,
    /// For a record without a partner: what it would have if one named table were not kept.
    pub without: Vec<WithoutTable>,
    /// All partners, when they are asked for.
    pub partner_records: Option<Vec<RecordId>>,
}

/// What proves that a record is already disclosed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Disclosed {
    /// A sum over kept tables that anybody can check.
    Sum(CertificateSum),
    /// Bounds on the cells that agree with it on these variables, which are in every kept
    /// table, tighten each other until they prove it.
    Bounds(VarSet),
    /// All tables of the cells that agree with it on these variables were tried.
    Search(VarSet),
}

/// What one separator offers a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// S, and what the graph falls into without it.
    pub separator: Separator,
    /// The records that agree on S.
    pub through: ThroughSeparator,
}

/// What a record would have if one table were not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WithoutTable {
    /// The table.
    pub table: VarSet,
    /// The partners the record would then have.
    pub partners: u64,
    /// Another kept table that holds all its variables: dropping this one changes nothing.
    pub held_by: Option<VarSet>,
}

/// Explains a record.
#[must_use]
pub fn record(
    scope: &Scope,
    separators: &Separators,
    records: &Records,
    joint: &Located,
    record: RecordId,
    list: Partners,
) -> RecordExplanation {
    let graph = scope.class().margin_graph();
    let staying = scope.schema().staying();
    let around = Surroundings::of(records, record);
    let partners = around.partners(&graph);
    let complete = separators.is_complete();
    let known = if complete { separators.list() } else { &[] };
    let frozen = partners == 0;
    let (disclosed, proof) = match frozen {
        false => (Some(false), None),
        true => proved(scope, separators, joint, joint.cell_of(record)),
    };
    RecordExplanation {
        record,
        cell_count: around.same_cell(),
        partners,
        disclosed,
        proof,
        offers: known
            .iter()
            .map(|one| Offer { separator: one.clone(), through: around.through(one) })
            .collect(),
        separators_complete: complete,
        separators_known: separators.list().len(),
        choice: match complete {
            true => around.choose(records, known, staying),
            false => around.choose_by_pair_test(records, &graph, staying),
        },
        without: if frozen { without(scope, &around) } else { Vec::new() },
        partner_records: (list == Partners::All).then(|| around.partner_records(records, &graph)),
    }
}

/// Is a cell without a partner disclosed, and by what? As `screen` finds it, so that the two
/// never disagree.
fn proved(
    scope: &Scope,
    separators: &Separators,
    joint: &Located,
    cell: CellId,
) -> (Option<bool>, Option<Disclosed>) {
    let class = scope.class();
    let Ok(screening) = screen(joint, class, separators) else { return (None, None) };
    let found = screening.disclosure();
    let proof = match found.proof(cell) {
        None => return (found.is_exact().then_some(false), None),
        Some(Proof::Bounds) => Disclosed::Bounds(everywhere(class)),
        Some(Proof::Search) => Disclosed::Search(everywhere(class)),
        Some(Proof::Tree(_) | Proof::Forest) => {
            let sum = found.certificate(joint, class, cell);
            Disclosed::Sum(certificate_sum(scope, &sum.expect("the sum was counted before")))
        }
    };
    (Some(true), Some(proof))
}

/// The partners without each of the named tables.
fn without(scope: &Scope, around: &Surroundings) -> Vec<WithoutTable> {
    let tables = scope.tables();
    let named = tables.iter().enumerate().filter(|(_, table)| table.reason == Reason::Named);
    named
        .map(|(position, table)| WithoutTable {
            table: table.variables,
            partners: around.partners(&scope.margin_graph_without(position)),
            held_by: tables
                .iter()
                .map(|other| other.variables)
                .find(|other| *other != table.variables && table.variables.is_subset(other)),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::graph::{Formula, minimal_separators};

    /// Explains the first record of a chain a – b – c of two tables.
    fn explained(tables: &str, codes: &[[u32; 3]], most: usize) -> RecordExplanation {
        let scope = Scope::of_tables(&Formula::parse(&[tables]).unwrap()).unwrap();
        let records = Records::from_codes(&[2, 2, 2], codes);
        let joint = Located::count(&records);
        let separators = minimal_separators(&scope.class().margin_graph(), most);
        record(&scope, &separators, &records, &joint, RecordId::at(0), Partners::All)
    }

    #[test]
    fn a_partner_is_found_through_the_separator() {
        let found = explained("a*b + b*c", &[[0, 0, 0], [1, 0, 1], [1, 1, 1]], 10);
        assert_eq!((found.partners, found.disclosed), (1, Some(false)));
        assert_eq!(found.partner_records, Some(vec![RecordId::at(1)]));
        assert_eq!(found.offers.len(), 1);
        assert_eq!(found.offers[0].through.partners, 1);
        assert_eq!(found.choice.unwrap().partner, RecordId::at(1));
        assert!(found.without.is_empty());
    }

    #[test]
    fn without_all_separators_the_pair_test_chooses() {
        let found = explained("a*b + b*c", &[[0, 0, 0], [1, 0, 1], [1, 1, 1]], 0);
        assert!(!found.separators_complete && found.offers.is_empty());
        assert_eq!(found.choice.unwrap().partner, RecordId::at(1));
    }

    #[test]
    fn a_frozen_record_is_told_what_one_table_less_would_give() {
        let found = explained("a*b + b*c + b", &[[0, 0, 0], [1, 1, 1]], 10);
        assert_eq!((found.partners, found.disclosed), (0, Some(true)));
        let without: Vec<_> =
            found.without.iter().map(|one| (one.partners, one.held_by.is_some())).collect();
        assert_eq!(without, [(1, false), (1, false), (0, true)]);
    }
}

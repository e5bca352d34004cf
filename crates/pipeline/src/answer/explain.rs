//! What `explain` answers, with names: a pair, a record, larger swaps.

use marginswap_core::encode::Schema;
use marginswap_core::explain::{
    CertificateSum, Disclosed, GroupSwap, Larger, LargerAnswer, Offer, PairExplanation,
    RecordExplanation, Term, WithoutTable,
};
use marginswap_core::graph::Reason;
use marginswap_core::moves::Kind;
use marginswap_core::plan::CanBeHidden;
use marginswap_core::table::CellId;
use marginswap_core::varset::VarSet;
use marginswap_report::explain::{
    ChoiceReport, DiagonalReport, Hiding, LinkReport, PairReport, ProofKind, ProofReport,
    RecordReport, ThroughReport, TieReason, WhatIf,
};
use marginswap_report::larger::{
    CertificateReport, CertificateTerm, GroupKind, GroupReport, LargerReport, LargerVerdict,
    TakeReport, TriedReport,
};

use super::{name, names};
use crate::table_names::TableNames;
use crate::view::View;

/// The most bits of whole numbers that every program that reads JSON reads the same.
const MOST_BITS: usize = 53;

/// Why two records can or cannot be swapped.
#[must_use]
pub fn pair(schema: &Schema, found: &PairExplanation, called: &TableNames) -> PairReport {
    let exchange_bits = found.parts.len().saturating_sub(1);
    let links = found.ties.iter().map(|tie| LinkReport {
        variables: tie.variables.map(|variable| name(schema, variable)),
        table: names(schema, tie.table),
        name: called.name(tie.table),
        reason: match tie.reason {
            Reason::Named => TieReason::KeptTable,
            Reason::Linked => TieReason::LinkedColumns,
            Reason::Derived => TieReason::DerivedVariable,
            Reason::Stays => TieReason::ColumnsThatStay,
        },
    });
    PairReport {
        records: found.records.map(|record| record.number()),
        swappable: found.swappable,
        differing: names(schema, found.differing),
        parts: found.parts.iter().map(|part| names(schema, *part)).collect(),
        stays: names(schema, found.staying),
        exchanges: (exchange_bits <= MOST_BITS).then(|| (1 << exchange_bits) - 1),
        exchange_bits,
        bound_by: links.collect(),
    }
}

/// Everything about one record's partners.
#[must_use]
pub fn record(schema: &Schema, found: &RecordExplanation, called: &TableNames) -> RecordReport {
    let (published, others): (Vec<WithoutTable>, Vec<WithoutTable>) =
        found.without.iter().partition(|without| called.is_published(without.table));
    let set = |set| names(schema, set);
    RecordReport {
        hiding: None,
        keys: vec![],
        restrictions: Vec::new(),
        record: found.record.number(),
        cell_count: found.cell_count,
        sample_unique: found.cell_count == 1,
        swappable: found.partners > 0,
        disclosed: found.disclosed,
        proof: found.proof.as_ref().map(|found| proof(schema, found)),
        partners: found.partners,
        separators: found.offers.iter().map(|offer| through(schema, offer)).collect(),
        separators_complete: found.separators_complete,
        separators_known: found.separators_known as u64,
        choice: found.choice.as_ref().map(|choice| ChoiceReport {
            separator: set(choice.separator),
            alpha: set(choice.alpha),
            beta: set(choice.beta),
            partner: choice.partner.number(),
            exchanged: set(choice.exchanged),
        }),
        published_tables: published.len() as u64,
        what_if: others
            .iter()
            .map(|without| WhatIf {
                table: set(without.table),
                name: called.name(without.table),
                partners: without.partners,
                held_by: without.held_by.map(set),
            })
            .collect(),
        larger: None,
        partner_records: found
            .partner_records
            .as_ref()
            .map(|partners| partners.iter().map(|partner| partner.number()).collect()),
    }
}

fn proof(schema: &Schema, found: &Disclosed) -> ProofReport {
    let (kind, sum, same) = match found {
        Disclosed::Sum(sum) => (ProofKind::Sum, Some(certificate(schema, sum)), VarSet::EMPTY),
        Disclosed::Bounds(same) => (ProofKind::Bounds, None, *same),
        Disclosed::Search(same) => (ProofKind::Search, None, *same),
    };
    ProofReport { kind, sum, among_records_with_same: names(schema, same) }
}

fn through(schema: &Schema, Offer { separator, through }: &Offer) -> ThroughReport {
    let part = |position: usize| names(schema, separator.components[position]);
    let diagonals = through.diagonals.iter().map(|diagonal| DiagonalReport {
        alpha: part(diagonal.alpha),
        beta: part(diagonal.beta),
        partners: diagonal.partners,
    });
    ThroughReport {
        separator: names(schema, separator.variables),
        components: (0..separator.components.len()).map(part).collect(),
        agree: through.agree,
        same_cell: through.same,
        one_side: through.one_side,
        partners: through.partners,
        diagonals: diagonals.collect(),
    }
}

/// What swaps of more than two records can do for a record.
#[must_use]
pub fn larger(schema: &Schema, found: &Larger) -> LargerReport {
    let mut report = LargerReport {
        max_records: found.max_records,
        answer: LargerVerdict::NotFound,
        swap: None,
        certificate: None,
        tried: None,
    };
    match &found.answer {
        LargerAnswer::Possible(swap) => {
            report.answer = LargerVerdict::Possible;
            report.swap = Some(group(schema, swap));
        }
        LargerAnswer::Impossible(sum) => {
            report.answer = LargerVerdict::Impossible;
            report.certificate = Some(certificate(schema, sum));
        }
        LargerAnswer::Bound => report.answer = LargerVerdict::Impossible,
        LargerAnswer::NotFound(tried) => {
            report.tried = Some(TriedReport {
                box_variables: tried.box_variables,
                neighbours: tried.neighbours,
                steps: tried.steps,
                complete: tried.complete,
            });
        }
    }
    report
}

fn group(schema: &Schema, swap: &GroupSwap) -> GroupReport {
    let (kind, groups) = match &swap.kind {
        Kind::Box(groups) => {
            (GroupKind::Box, groups.iter().map(|group| names(schema, *group)).collect())
        }
        Kind::Chain => (GroupKind::Chain, Vec::new()),
        Kind::Linked => (GroupKind::Linked, Vec::new()),
        Kind::Repair => (GroupKind::Repair, Vec::new()),
    };
    let takes = swap.takes.iter().map(|taking| TakeReport {
        record: taking.record.number(),
        from: taking.from.number(),
        variables: names(schema, taking.variables),
    });
    GroupReport {
        records: swap.records.iter().map(|record| record.number()).collect(),
        kind,
        groups,
        takes: takes.collect(),
    }
}

fn certificate(schema: &Schema, sum: &CertificateSum) -> CertificateReport {
    let term = |term: &Term| CertificateTerm {
        table: names(schema, term.variables),
        inside: term.inside.map(|table| names(schema, table)),
        count: term.count,
    };
    CertificateReport {
        added: sum.added.iter().map(term).collect(),
        taken_off: sum.taken_off.iter().map(term).collect(),
        remains: sum.remains,
    }
}

/// Whether the people of a cell can be hidden, with names; `None` where nobody there is at risk.
#[must_use]
pub fn hiding(original: &View, cell: CellId, answer: Option<CanBeHidden>) -> Hiding {
    let set = |set| names(original.scope.schema(), set);
    match answer {
        None => Hiding::NotFound,
        Some(CanBeHidden::By { partner, exchanged, is_replaced }) => {
            let cells = original.located.cells();
            let differing = cells.differing(cell.position(), partner.position());
            Hiding::CanBeHidden {
                differing: set(differing),
                exchanged: set(exchanged),
                by_replaced_values: is_replaced,
            }
        }
        Some(CanBeHidden::Prevented { table, keys }) => {
            Hiding::CannotBeHidden { table: set(table), keys: set(keys) }
        }
        Some(CanBeHidden::NotFound) => Hiding::NoSwapFound,
    }
}

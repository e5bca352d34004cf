//! What `explain` says of swaps of more than two records: possible, impossible, not found.
//!
//! A move is shown as who takes what from whom, by record numbers and names, without values. A certificate is shown as the sum that a reader checks in the published tables.

use marginswap_core::text::grouped;
use serde::Serialize;

use crate::answer::{Names, aligned, counted, formula, listed, shown};

/// Can a record leave its cell with the help of more than one other?
#[derive(Debug, Clone, Serialize)]
pub struct LargerReport {
    /// The largest number of records in one swap that was looked for.
    pub max_records: usize,
    /// Which of the three answers it is.
    pub answer: LargerVerdict,
    /// The smallest swap that was found.
    pub swap: Option<GroupReport>,
    /// The sum that proves that no swap of any number of records frees the record; null also
    /// where bounds on cells prove it.
    pub certificate: Option<CertificateReport>,
    /// What was tried without success.
    pub tried: Option<TriedReport>,
}

/// The three answers, which are never confused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LargerVerdict {
    /// There is a swap.
    Possible,
    /// There is a proof that there is none.
    Impossible,
    /// Neither was found.
    NotFound,
}

/// A swap of several records.
#[derive(Debug, Clone, Serialize)]
pub struct GroupReport {
    /// The records, counted from 1; the one asked for first.
    pub records: Vec<u64>,
    /// How it was found.
    pub kind: GroupKind,
    /// For a box, the groups of variables that are flipped.
    pub groups: Vec<Names>,
    /// Who takes which variables from whom.
    pub takes: Vec<TakeReport>,
}

/// How a swap of several records was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GroupKind {
    /// By flipping groups of variables.
    Box,
    /// Two others swap first.
    Chain,
    /// By flipping groups of variables several times.
    Linked,
    /// By repairing what is out of balance.
    Repair,
}

/// One record takes values from another.
#[derive(Debug, Clone, Serialize)]
pub struct TakeReport {
    /// The record that changes.
    pub record: u64,
    /// The record that the values come from.
    pub from: u64,
    /// The variables.
    pub variables: Names,
}

/// L(i) = n(i), with the tables and counts that prove it.
#[derive(Debug, Clone, Serialize)]
pub struct CertificateReport {
    /// The counts that are added.
    pub added: Vec<CertificateTerm>,
    /// The counts that are subtracted.
    pub taken_off: Vec<CertificateTerm>,
    /// What remains: the records in the cell, in every file that swapping makes.
    pub remains: u64,
}

/// The records that share the record's values on some variables.
#[derive(Debug, Clone, Serialize)]
pub struct CertificateTerm {
    /// The variables; none means all records.
    pub table: Names,
    /// A kept table that holds them; null where the counts are kept without one.
    pub inside: Option<Names>,
    /// How many records share the values.
    pub count: u64,
}

/// What was tried without success.
#[derive(Debug, Clone, Serialize)]
pub struct TriedReport {
    /// The number of variables in the swaps of groups of variables.
    pub box_variables: usize,
    /// The number of nearest cells among which other swaps were looked for.
    pub neighbours: usize,
    /// How many steps the search took.
    pub steps: u64,
    /// Was everything within these limits tried?
    pub complete: bool,
}

impl LargerReport {
    /// The answer in one sentence.
    pub(crate) fn sentence(&self) -> String {
        match (&self.swap, self.answer) {
            (Some(swap), _) => {
                format!("A swap of {} records frees it.", grouped(swap.records.len() as u64))
            }
            (None, LargerVerdict::Impossible) => {
                "No swap of any number of records frees it.".to_owned()
            }
            (None, _) => {
                format!("No swap of up to {} records that frees it was found.", self.max_records)
            }
        }
    }

    pub(crate) fn text(&self) -> String {
        let most = self.max_records;
        let mut text = String::from("\n");
        if let Some(swap) = &self.swap {
            let numbers: Vec<String> = swap.records.iter().map(|&r| grouped(r)).collect();
            text.push_str(&format!(
                "A swap of {} records frees it and keeps every table:\n  records {}\n",
                swap.records.len(),
                numbers.join(", ")
            ));
            for take in &swap.takes {
                text.push_str(&format!(
                    "  record {} takes {} from record {}\n",
                    grouped(take.record),
                    listed(&take.variables),
                    grouped(take.from)
                ));
            }
        }
        if let Some(proof) = &self.certificate {
            text.push_str(
                "No swap of any number of records can free it: the kept tables prove that its cell is\n\
                 occupied. Records that share its values, table by table; what remains is in its cell in\n\
                 every file with the same tables\n",
            );
            text.push_str(&proof.lines());
        } else if self.answer == LargerVerdict::Impossible {
            text.push_str(
                "No swap of any number of records can free it: the kept tables prove that its cell is\n\
                 occupied. Bounds on all cells that can be occupied, worked out from the tables, tighten\n\
                 each other until they leave its cell no choice.\n",
            );
        }
        if let Some(tried) = &self.tried {
            text.push_str(&format!(
                "No swap of up to {most} records was found that frees it, and no proof that none exists.\n"
            ));
            let boxes = match tried.box_variables {
                0 => String::new(),
                count => {
                    format!("boxes over up to {}, ", counted(count as u64, "variable", "variables"))
                }
            };
            let how =
                if tried.complete { "everything tried" } else { "stopped at the limit of steps" };
            text.push_str(&format!(
                "Tried: {boxes}all others among the {}\n  ({} steps, {how})\n",
                counted(tried.neighbours as u64, "nearest cell", "nearest cells"),
                grouped(tried.steps),
            ));
        }
        text
    }
}

impl CertificateReport {
    /// The sum, a line for each count.
    pub(crate) fn lines(&self) -> String {
        let term = |sign: &str, term: &CertificateTerm| {
            let name = match &term.table[..] {
                [] => "all records".to_owned(),
                [one] => shown(one),
                table => formula(table),
            };
            let inside = term.inside.as_ref().filter(|table| **table != term.table);
            let inside =
                inside.map_or_else(String::new, |table| format!("  in {}", formula(table)));
            vec![format!("{sign} {name}{inside}"), grouped(term.count)]
        };
        let mut rows: Vec<Vec<String>> = self.added.iter().map(|one| term("+", one)).collect();
        rows.extend(self.taken_off.iter().map(|one| term("−", one)));
        rows.push(vec!["= in its cell".to_owned(), grouped(self.remains)]);
        aligned(&rows)
    }
}

//! What `explain` answers: why a pair or a record can be swapped, or why not.

use std::fmt;

use marginswap_core::text::{escaped, grouped};
use serde::Serialize;

use crate::answer::{
    Answer, Names, aligned, aligned_left, counted, formula, listed, separator, shown, wrapped,
};
use crate::keys::{RecordKeys, all_lines, keys_by_scenario};
use crate::larger::{CertificateReport, LargerReport};
use crate::restrictions::{self, RecordRestriction};

/// How many separators and partners the text lists.
const MOST_LINES: usize = 20;

/// Why two records can or cannot be swapped.
#[derive(Debug, Clone, Serialize)]
pub struct PairReport {
    /// The two records, counted from 1.
    pub records: [u64; 2],
    /// Can they be swapped, with an effect and with every table kept?
    pub swappable: bool,
    /// The variables in which they differ.
    pub differing: Names,
    /// The parts of these that can be exchanged by themselves.
    pub parts: Vec<Names>,
    /// The differing variables that never move; the part that holds them stays.
    pub stays: Names,
    /// How many different results the swaps of the two have: 2^(parts − 1) − 1. Null when
    /// the number is beyond 2^53, where programs begin to read JSON numbers wrongly.
    pub exchanges: Option<u64>,
    /// The number of parts less one: there are 2^`exchange_bits` − 1 exchanges.
    pub exchange_bits: usize,
    /// What ties the differing variables together, when they cannot be swapped.
    pub bound_by: Vec<LinkReport>,
}

/// Two variables that a table ties together.
#[derive(Debug, Clone, Serialize)]
pub struct LinkReport {
    /// The two.
    pub variables: [String; 2],
    /// The table that holds both.
    pub table: Names,
    /// What it is called, where it has a name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Why that table is kept.
    pub reason: TieReason,
}

/// Why a table that ties variables together is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum TieReason {
    /// It is a table to keep.
    #[serde(rename = "kept table")]
    KeptTable,
    /// Its columns are only exchanged together.
    #[serde(rename = "linked columns")]
    LinkedColumns,
    /// It holds a derived variable and the columns that it follows from.
    #[serde(rename = "derived variable")]
    DerivedVariable,
    /// Its columns never move.
    #[serde(rename = "columns that stay")]
    ColumnsThatStay,
}

impl fmt::Display for TieReason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::KeptTable => "kept table",
            Self::LinkedColumns => "linked columns",
            Self::DerivedVariable => "derived variable",
            Self::ColumnsThatStay => "columns that stay",
        })
    }
}

impl Answer for PairReport {
    fn text(&self) -> String {
        let [left, right] = self.records.map(grouped);
        let mut text = match self.differing.len() {
            0 => format!("Records {left} and {right} have the same values in all variables.\n"),
            count => format!(
                "Records {left} and {right} differ in {}: {}\n",
                counted(count as u64, "variable", "variables"),
                listed(&self.differing)
            ),
        };
        if self.swappable {
            text.push_str(
                "They can be swapped with every kept table unchanged. Parts that can be exchanged by themselves:\n",
            );
            for part in &self.parts {
                let stays = part.iter().any(|name| self.stays.contains(name));
                let remark = if stays { "   (stays)" } else { "" };
                text.push_str(&format!("  {}{remark}\n", listed(part)));
            }
            let results = match self.exchanges {
                Some(exchanges) => counted(exchanges, "different result", "different results"),
                None => format!("2^{} − 1 different results", self.exchange_bits),
            };
            text.push_str(&format!(
                "Any of these parts can be exchanged, but not all of them at once: {results}.\n"
            ));
            return text;
        }
        match self.differing.len() {
            0 => text.push_str("They cannot be swapped: nothing would change.\n"),
            1 => text.push_str(
                "They cannot be swapped: exchanging the only difference gives the same two records.\n",
            ),
            _ => {
                text.push_str("They cannot be swapped: the kept tables tie the differences together.\n");
                for LinkReport { variables: [from, to], table, name, reason } in &self.bound_by {
                    let (from, to) = (shown(from), shown(to));
                    let table = titled(table, name.as_ref());
                    text.push_str(&format!("  {from} – {to}   {reason} {table}\n"));
                }
            }
        }
        text
    }
}

/// Everything about one record's partners.
#[derive(Debug, Clone, Serialize)]
pub struct RecordReport {
    /// The record, counted from 1.
    pub record: u64,
    /// How many records share its cell, itself included.
    pub cell_count: u64,
    /// Is it alone there?
    pub sample_unique: bool,
    /// Has it a partner?
    pub swappable: bool,
    /// Is it already disclosed: do the kept tables prove that its cell is occupied? Null when
    /// neither this nor the opposite was proved.
    pub disclosed: Option<bool>,
    /// What proves that it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof: Option<ProofReport>,
    /// How many records it can be swapped with.
    pub partners: u64,
    /// What each separator offers; nothing when there are too many separators.
    pub separators: Vec<ThroughReport>,
    /// Are all separators known? If not, every pair was tested.
    pub separators_complete: bool,
    /// How many separators are known.
    pub separators_known: u64,
    /// What the paper's Algorithm 1 chooses; without all separators, the first partner that
    /// the pair test finds. Null when there is no partner.
    pub choice: Option<ChoiceReport>,
    /// For a record without a partner: what dropping one table would give it.
    pub what_if: Vec<WhatIf>,
    /// For such a record: kept tables that are published, so that dropping them is no answer.
    pub published_tables: u64,
    /// What swaps of more records offer, when they are asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub larger: Option<LargerReport>,
    /// Partners by the kept tables alone, then with one setting after the other.
    pub restrictions: Vec<RecordRestriction>,
    /// All partners, when they are asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partner_records: Option<Vec<u64>>,
    /// Can the person be hidden from anyone who knows any part of the keys? Absent where intruders are
    /// taken to know all keys.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hiding: Option<Hiding>,
    /// For each intruder, what can be done about the keys of the record.
    #[serde(flatten, serialize_with = "keys_by_scenario")]
    pub keys: Vec<RecordKeys>,
}

/// Can a person be hidden from anyone who knows any part of the keys?
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum Hiding {
    /// Others have the same keys: the person is not found in the original.
    NotFound,
    /// A swap hides them.
    CanBeHidden {
        /// Where the partner differs.
        differing: Names,
        /// What is exchanged.
        exchanged: Names,
        /// Can their keys not be cut, so that sensitive values are replaced?
        by_replaced_values: bool,
    },
    /// A kept table prevents it.
    CannotBeHidden {
        /// The table.
        table: Names,
        /// The keys in it that few people share.
        keys: Names,
    },
    /// No swap was found that hides them, and nothing proves that there is none.
    NoSwapFound,
}

impl Hiding {
    fn line(&self) -> String {
        let sentence = match self {
            Self::NotFound => "Not found: others have the same keys.".to_owned(),
            Self::CanBeHidden { differing, exchanged, by_replaced_values } => format!(
                "Can be hidden from anyone who knows any part of the keys: a partner differs in {}; \
                 they exchange {}.{}",
                listed(differing),
                listed(exchanged),
                match by_replaced_values {
                    true =>
                        " Sensitive values are replaced: no such swap cuts the keys finely enough.",
                    false => "",
                }
            ),
            Self::CannotBeHidden { table, keys } => format!(
                "Cannot be hidden by swapping two records: few people share the values of {}, which \
                 the kept table {} holds together with most sensitive variables.",
                listed(keys),
                formula(table)
            ),
            Self::NoSwapFound => {
                "No swap of two records was found that hides this person.".to_owned()
            }
        };
        format!("\n{sentence}\n")
    }
}

/// What proves that a record is already disclosed.
#[derive(Debug, Clone, Serialize)]
pub struct ProofReport {
    /// What kind of proof it is.
    pub kind: ProofKind,
    /// The sum, which anybody can check in the tables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sum: Option<CertificateReport>,
    /// The variables of every kept table: the records that agree with it on them were enough.
    pub among_records_with_same: Names,
}

/// Kinds of proof.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ProofKind {
    /// A sum over kept tables.
    Sum,
    /// Bounds on cells that tighten each other.
    Bounds,
    /// Every file with the same tables was tried.
    Search,
}

impl ProofReport {
    fn lines(&self) -> String {
        let among = match self.among_records_with_same.is_empty() {
            true => "Among all records".to_owned(),
            false => {
                format!("Among the records with its {}", listed(&self.among_records_with_same))
            }
        };
        match (self.kind, &self.sum) {
            (ProofKind::Sum, Some(sum)) => format!(
                "Records that share its values, table by table; what remains is in its cell in every file\n\
                 with the same tables\n{}",
                sum.lines()
            ),
            (ProofKind::Bounds | ProofKind::Sum, _) => format!(
                "{among}, bounds on the counts tighten each other\n\
                 until they leave its cell no other count.\n"
            ),
            (ProofKind::Search, _) => format!(
                "{among}, every file with the same tables was tried:\n\
                 each has as many records in its cell.\n"
            ),
        }
    }
}

/// What one separator offers a record.
#[derive(Debug, Clone, Serialize)]
pub struct ThroughReport {
    /// S.
    pub separator: Names,
    /// The components of the graph without S.
    pub components: Vec<Names>,
    /// The records that agree on S, the record itself included.
    pub agree: u64,
    /// Of these, the ones in the record's own cell.
    pub same_cell: u64,
    /// Of these, the ones that differ on one side only.
    pub one_side: u64,
    /// Of these, the ones that differ on two sides or more: partners.
    pub partners: u64,
    /// The partners for every two components (γα, γβ).
    pub diagonals: Vec<DiagonalReport>,
}

/// Partners in diagonal position.
#[derive(Debug, Clone, Serialize)]
pub struct DiagonalReport {
    /// γα.
    pub alpha: Names,
    /// γβ.
    pub beta: Names,
    /// The records that differ in both.
    pub partners: u64,
}

/// What Algorithm 1 chooses.
#[derive(Debug, Clone, Serialize)]
pub struct ChoiceReport {
    /// S.
    pub separator: Names,
    /// γα.
    pub alpha: Names,
    /// γβ.
    pub beta: Names,
    /// j, counted from 1.
    pub partner: u64,
    /// E: the differing variables of γα.
    pub exchanged: Names,
}

/// How many tables the text lists.
const MOST_TABLES: usize = 40;

/// A table as a formula, with its name.
fn titled(table: &[String], name: Option<&String>) -> String {
    let name = name.map(|name| format!(" [{}]", escaped(name))).unwrap_or_default();
    format!("{}{name}", formula(table))
}

/// What dropping one table would give.
#[derive(Debug, Clone, Serialize)]
pub struct WhatIf {
    /// The table that would no longer be kept.
    pub table: Names,
    /// What it is called, where it has a name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The partners the record would then have.
    pub partners: u64,
    /// Another kept table that holds all its variables; dropping this one changes nothing.
    pub held_by: Option<Names>,
}

impl Answer for RecordReport {
    fn text(&self) -> String {
        let mut text = format!(
            "Record {}: {}\n",
            grouped(self.record),
            if self.sample_unique {
                "a sample unique".to_owned()
            } else {
                format!("one of {} with the same values", grouped(self.cell_count))
            }
        );
        if self.swappable {
            let partners = counted(self.partners, "record", "records");
            text.push_str(&format!("It can be swapped with {partners}.\n"));
        } else {
            text.push_str(
                "It is not swappable: no record is a partner while all these tables are kept.\n",
            );
        }
        if self.disclosed == Some(true) {
            text.push_str(
                "It is already disclosed: the kept tables prove that its cell is occupied, and no swap of any\n\
                 number of records can empty it.\n",
            );
            // What larger swaps say carries the same sum.
            if self.larger.as_ref().is_none_or(|larger| larger.certificate.is_none()) {
                text.push_str(&self.proof.as_ref().map(ProofReport::lines).unwrap_or_default());
            }
        }
        text.push_str(&restrictions::record_lines(&self.restrictions));
        text.push_str(&self.hiding.as_ref().map_or_else(String::new, Hiding::line));
        text.push_str(&all_lines(&self.keys, RecordKeys::lines));
        if !self.separators_complete {
            text.push_str(&format!(
                "\nThe list of minimal separators stops at its limit ({}), so every pair of records was\n\
                 tested instead.\n",
                grouped(self.separators_known)
            ));
        }
        if !self.separators.is_empty() {
            text.push_str(
                "\nFor each separator: the records that agree on it, and of these the ones that differ on one\n\
                 side only, and on two sides or more (the partners)\n",
            );
            // Separators with partners first, most partners first.
            let mut order: Vec<&ThroughReport> = self.separators.iter().collect();
            order.sort_by_key(|through| std::cmp::Reverse(through.partners));
            let mut rows =
                vec![["separator", "agree", "one side", "partners"].map(str::to_owned).to_vec()];
            rows.extend(order.iter().take(MOST_LINES).map(|through| {
                vec![
                    separator(&through.separator),
                    grouped(through.agree),
                    grouped(through.one_side),
                    grouped(through.partners),
                ]
            }));
            text.push_str(&aligned(&rows));
            if order.len() > MOST_LINES {
                let more = grouped((order.len() - MOST_LINES) as u64);
                text.push_str(&format!("  … and {more} more separators; --json lists all\n"));
            }
        }
        if let Some(choice) = &self.choice {
            let who =
                if self.separators_complete { "The paper's Algorithm 1" } else { "The pair test" };
            text.push_str(&format!(
                "\n{who} chooses record {} (separator: {}) and exchanges\n  {}\n",
                grouped(choice.partner),
                separator(&choice.separator),
                listed(&choice.exchanged)
            ));
        }
        if !self.what_if.is_empty() {
            let first = &self.what_if[..self.what_if.len().min(MOST_TABLES)];
            text.push_str("\nPartners it would have if one table were not kept\n");
            let rows: Vec<Vec<String>> = first
                .iter()
                .map(|one| vec![titled(&one.table, one.name.as_ref()), grouped(one.partners)])
                .collect();
            // Numbers are aligned to the right, the remarks after them to the left.
            let rows: Vec<Vec<String>> = aligned(&rows)
                .lines()
                .zip(first)
                .map(|(line, what_if)| {
                    let remark = what_if.held_by.as_ref().map_or_else(String::new, |table| {
                        format!("its variables are also in {}", formula(table))
                    });
                    vec![line.trim_start().to_owned(), remark]
                })
                .collect();
            text.push_str(&aligned_left(&rows));
            let more = (self.what_if.len() - first.len()) as u64;
            if more > 0 {
                text.push_str(&format!("  … and {} more; --json lists all\n", grouped(more)));
            }
        }
        if self.published_tables > 0 {
            text.push_str(&format!(
                "\n{} published and cannot be dropped.\n",
                counted(self.published_tables, "kept table is", "kept tables are")
            ));
        }
        if let Some(larger) = &self.larger {
            text.push_str(&larger.text());
        }
        if let Some(partners) = &self.partner_records {
            let numbers: Vec<String> = partners.iter().map(|&number| grouped(number)).collect();
            match numbers.is_empty() {
                true => text.push_str("\nPartners: none\n"),
                false => text.push_str(&format!("\nPartners:\n{}", wrapped(&numbers))),
            }
        }
        text
    }
}

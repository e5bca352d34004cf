//! What is proved of a file that was drawn by a mechanism.
//!
//! Its class is RELEASABLE, and its type has no field for what a draw did: no number of records that
//! were moved, no distance to the original, nobody found. All of it follows from the kept tables and
//! the parameters.

use askama::Template;
use marginswap_core::text::grouped;
use serde::Serialize;

use crate::answer::{Answer, Names, aligned, formula, listed, separator};

/// The certificate of a drawn file.
#[derive(Debug, Clone, Serialize)]
pub struct Certificate {
    /// The verdict of a mechanism: it is never more than this.
    pub verdict: &'static str,
    /// The mechanism.
    pub mechanism: &'static str,
    /// What a record is: `record` or `household`.
    pub unit: &'static str,
    /// How many there are.
    pub records: u64,
    /// ε for each record in which two files differ, rounded up.
    pub epsilon: f64,
    /// ε for one swap, which is a difference in two records.
    pub epsilon_for_one_swap: f64,
    /// The edges of the tree that the file was glued along.
    pub separators: Vec<SeparatorTerms>,
    /// The tables that are kept.
    pub tables: Vec<Names>,
    /// What is the same beside them in every file that could have been drawn.
    pub fixed_too: Vec<FixedTable>,
    /// Columns that are not released, because no kept table has them.
    pub not_released: Names,
    /// Where the random numbers come from.
    pub random_source: &'static str,
    /// At least this many records of the original are proved by the kept tables alone; null where
    /// the tables are all there is.
    pub disclosed: Option<u64>,
    /// Is the seed known to others?
    pub not_for_release: bool,
}

/// One edge of the tree.
#[derive(Debug, Clone, Serialize)]
pub struct SeparatorTerms {
    /// The variables that both sides share.
    pub separator: Names,
    /// The clique behind it.
    pub clique: Names,
    /// Slices of two records or more.
    pub slices: u64,
    /// The records of the largest slice.
    pub largest_slice: u64,
    /// The largest λ of a slice: one row that stays is weighted by it.
    pub lambda: f64,
    /// Its logarithm, rounded up.
    pub epsilon: f64,
}

/// A table that is the same in every file that could have been drawn, and was not named.
#[derive(Debug, Clone, Serialize)]
pub struct FixedTable {
    /// Its variables.
    pub table: Names,
    /// Why.
    pub because: FixedBecause,
}

/// Why a table is fixed that was not named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FixedBecause {
    /// Its column is released and in no kept table.
    InNoTable,
    /// Its columns stay together.
    Stay,
    /// Its columns are linked.
    Linked,
    /// One of its variables follows from the others.
    Derived,
    /// The kept tables are not decomposable, and this clique covers some of them.
    Cover,
}

impl FixedBecause {
    fn words(self) -> &'static str {
        match self {
            Self::InNoTable => "no kept table has it, and the column is released",
            Self::Stay => "these columns stay together",
            Self::Linked => "these columns are linked",
            Self::Derived => "one follows from the others",
            Self::Cover => "it covers tables that are not decomposable",
        }
    }
}

/// What a certificate does not say, in the order of its weight.
const NOT_SAID: [&str; 3] = [
    "what the kept tables reveal by themselves",
    "that anybody is hidden: a drawn file can meet real people by chance",
    "anything about a further release, which adds its ε",
];

impl Certificate {
    /// The verdict in words.
    pub const VERDICT: &'static str = "certified_not_hidden";

    /// The guarantee in one sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        if self.epsilon == 0.0 {
            return "ε = 0: the file depends on the data only through the tables below".to_owned();
        }
        format!(
            "ε = {} for each {} in which two files differ, {} for one swap, subject to exactly \
             the tables below",
            shown(self.epsilon),
            self.unit,
            shown(self.epsilon_for_one_swap)
        )
    }

    fn tables_shown(&self) -> String {
        let tables: Vec<String> = self.tables.iter().map(|table| formula(table)).collect();
        tables.join(" + ")
    }

    /// Its lines: what each is called, and its words.
    #[must_use]
    pub fn lines(&self) -> Vec<[String; 2]> {
        rows(self)
    }

    /// The certificate as a page of its own.
    #[must_use]
    pub fn html(&self) -> String {
        crate::page::rendered(&Page { certificate: self, style: crate::page::Style })
    }
}

#[derive(Template)]
#[template(path = "certificate.html")]
struct Page<'a> {
    certificate: &'a Certificate,
    style: crate::page::Style,
}

impl Page<'_> {
    fn separators(&self) -> Vec<[String; 6]> {
        separator_rows(self.certificate)
    }
}

/// ε with two decimals, rounded up.
fn shown(epsilon: f64) -> String {
    format!("{:.2}", (epsilon * 100.0 - 1e-7).ceil() / 100.0)
}

fn rows(certificate: &Certificate) -> Vec<[String; 2]> {
    let mut rows: Vec<[String; 2]> = Vec::new();
    let mut push = |name: &str, words: String| rows.push([name.to_owned(), words]);
    push("Proved", certificate.sentence());
    push("Tables", certificate.tables_shown());
    for fixed in &certificate.fixed_too {
        let table = formula(&fixed.table);
        push("Fixed too", format!("{table}: {}", fixed.because.words()));
    }
    if !certificate.not_released.is_empty() {
        let columns = listed(&certificate.not_released);
        push("Left out", format!("{columns}: in no kept table, so not released"));
    }
    let records = grouped(certificate.records);
    push("Unit", format!("one {} of {records}", certificate.unit));
    push("Random", certificate.random_source.to_owned());
    let disclosed = certificate
        .disclosed
        .map(|records| format!("; the tables prove at least {} of the original", grouped(records)));
    push("Not said", format!("{}{}", NOT_SAID[0], disclosed.unwrap_or_default()));
    push("", NOT_SAID[1].to_owned());
    push("", NOT_SAID[2].to_owned());
    rows
}

fn separator_rows(certificate: &Certificate) -> Vec<[String; 6]> {
    let row = |one: &SeparatorTerms| {
        [
            separator(&one.separator),
            listed(&one.clique),
            grouped(one.slices),
            grouped(one.largest_slice),
            format!("{:.2}", one.lambda),
            shown(one.epsilon),
        ]
    };
    certificate.separators.iter().map(row).collect()
}

impl Answer for Certificate {
    fn text(&self) -> String {
        let mut text = "Verdict: certified, not hidden\n".to_owned();
        if self.not_for_release {
            text.push_str("NOT FOR RELEASE: made with a demo seed, which others know\n");
        }
        for [name, words] in rows(self) {
            text.push_str(&format!("  {name:<10} {words}\n"));
        }
        if self.epsilon > 0.0 {
            let head = ["separator", "clique", "slices", "largest", "λ", "ε"].map(str::to_owned);
            let mut all = vec![head.to_vec()];
            all.extend(separator_rows(self).into_iter().map(|row| row.to_vec()));
            text.push_str(&aligned(&all));
        }
        text
    }
}

/// What `sample` did.
#[derive(Debug, Clone, Serialize)]
pub struct SampleReport {
    /// The files that were drawn, each by itself.
    pub files: Vec<String>,
    /// The columns of each.
    pub columns: Names,
    /// How many tables were found again in the written bytes of every file.
    pub tables_recounted: u64,
    /// What is proved of each file; together they are no more than that, since each follows from the
    /// same tables.
    pub certificate: Certificate,
}

impl Answer for SampleReport {
    fn text(&self) -> String {
        let files = match &self.files[..] {
            [only] => only.clone(),
            all => format!("{} files, {} to {}", all.len(), all[0], all[all.len() - 1]),
        };
        format!(
            "Drawn: {files}, {} records each\n  {} in the written bytes; records have no originals\n{}",
            grouped(self.certificate.records),
            match self.tables_recounted {
                1 => "1 table found exact".to_owned(),
                many => format!("{} tables found exact", grouped(many)),
            },
            self.certificate.text()
        )
    }
}

/// What `protect` did by a mechanism. The certificate may leave the room; the comparison, which has
/// been made with the original, stays INTERNAL.
#[derive(Debug, Clone, Serialize)]
pub struct CertifiedReport<'a> {
    /// The certificate (RELEASABLE).
    pub certificate: &'a Certificate,
    /// The comparison with the original (INTERNAL).
    #[serde(flatten)]
    pub internal: &'a crate::verify::VerifyReport,
}

impl Answer for CertifiedReport<'_> {
    fn text(&self) -> String {
        format!(
            "{}\nINTERNAL, never told beside the file:\n{}",
            self.certificate.text(),
            self.internal.text()
        )
    }
}
